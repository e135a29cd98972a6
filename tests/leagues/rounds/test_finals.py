"""Published finals follow the tables of their groups until somebody moves, on SQLite and PostgreSQL."""

from __future__ import annotations

import random
from fractions import Fraction

import sqlalchemy as sa

from app.base.stored.database import Database
from app.games.tables import Game
from app.leagues.clubs.acting import ActRequest
from app.leagues.desk import desk_undoing
from app.leagues.events import entries, round_rows
from app.leagues.rounds import finals
from app.leagues.rulings import deciding
from app.leagues.rulings.applying import Verdict
from app.leagues.tables import Audit, Match
from tests.support import pressed
from tests.support.events import play_round, resign_all
from tests.support.mails import kept
from tests.support.season import DAY, Season, season, token
from tests.support.tables import NOW, deliver, load, random_line, say

LATER = NOW + DAY


def turn_round(made: Season, match: Match) -> None:
    """Give the match of a group to its loser by a ruling."""
    ruling = deciding.claim(made.database, made.event, match.id, made.organiser, "They wrote to me.", now=LATER)
    given = tuple(Fraction(1) - (seat.points or 0) for seat in match.seats)
    verdict = Verdict("result", points=given)
    asked = ActRequest(made.organiser, "so they both say", token())
    assert pressed.decide(made.database, made.event, ruling, verdict, asked, now=LATER)


def test_published_finals_follow_their_groups_until_somebody_moves(database: Database) -> None:
    """Three groups of two, so that the best seed of the finals has a bye."""
    made = season(database, 6, format="stages", groups=3, through=1)
    final, *groups = made.now().divisions
    resign_all(database, made.round())
    pressed.close(database, made.round().id, made.organiser, now=NOW)
    for group in groups[1:]:
        play_round(database, group.id, made.organiser)
    round_id = pressed.pair(database, final.id, made.organiser, now=NOW)
    pressed.publish(database, round_id, made.organiser, 1, now=NOW)

    def games() -> list[Match]:
        return [
            match
            for group in groups
            for match in made.read(lambda c, g=group: round_rows.rounds_of(c, g.id))[0].matches
        ]

    def sides(match: Match) -> tuple[int, int]:
        """Who won and who lost a match of a group."""
        lost, won = sorted(match.seats, key=lambda seat: seat.points or 0)
        return won.entry_id, lost.entry_id

    def playing() -> tuple[list[int], set[int]]:
        """Return who has the bye of the finals, and who plays."""
        there = made.read(lambda c: round_rows.get(c, round_id)).matches
        byes = [match.seats[0].entry_id for match in there if match.is_bye]
        return byes, {seat.entry_id for match in there for seat in match.seats if match.ended == ""}

    (a, a_out), (b, b_out), (c, c_out) = map(sides, games())
    assert playing() == ([a], {b, c})
    turn_round(made, games()[0])
    assert playing() == ([a_out], {b, c}), "the bye is somebody else's; nobody else notices"
    turn_round(made, games()[1])
    assert playing() == ([a_out], {b_out, c})
    (undo, _) = made.read(lambda c: desk_undoing.undoable(c, made.now(), LATER))
    assert desk_undoing.undo(database, made.event, undo.id, made.form(0), now=LATER)
    assert playing() == ([a_out], {b, c})
    found = made.read(lambda c: c.scalars(sa.select(Game).where(Game.status == "running")).all())
    assert made.read(lambda c: finals.behind(c, made.now())) is None and len(found) == 1
    deliver(database, LATER)
    assert kept(database, "event_asks") == []
    game = load(database, found[0].id)
    say(database, game.id, random_line(game, random.Random(1)))
    turn_round(made, games()[2])
    assert playing() == ([a_out], {b, c}), "somebody has moved"
    behind = made.read(lambda c: finals.behind(c, made.now()))
    assert behind is not None and (behind.out, behind.into, behind.begun) == ((c,), (c_out,), (game.id,))
    acts = made.read(lambda c: c.scalars(sa.select(Audit.act).order_by(Audit.id)).all())
    assert [one for one in acts if one in ("round.followed", "finals.stay")] == ["round.followed"] * 3 + ["finals.stay"]
    deliver(database, LATER)
    [mail] = kept(database, "event_asks")
    text = " ".join(mail.text.split())
    entered = made.read(lambda c: entries.entrants(c, made.event))
    names = {one.id: one.name for one in entered}
    assert f"by their tables {names[c_out]} would be in the finals, and {names[c]} would not" in text
    assert mail.to == "p0@example.org"
