"""A club in the middle of its season, to look at and to learn on: three late players, a ruling that waits, a draft."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from app.base.links import TurnLink
from app.base.server import Server
from app.base.stored.database import Database
from app.clocks import pace
from app.games.store import GameStore
from app.games.work import Work
from app.leagues.clubs import club_rights, members, notes
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.pure.formats import Format
from app.leagues.pure.tiebreaks import usual_tie_breaks
from app.leagues.rounds import pairing_jobs, round_loop
from app.leagues.rulings import deciding
from app.leagues.tables import CompetitionRound, Match, Role
from app.overdue.cases import sweep_cases
from app.people import accounts
from app.play.agreed import results
from app.play.demo import random_line
from app.play.turn.turns import play_turn
from app.post.out.sender import Sender

OWNER = ("olga@example.org", "Olga Brandt")
PLAYERS = (
    "Ana Weber", "Ben Okafor", "Clara Voss", "David Lind", "Emma Roth", "Felix Baum",
    "Greta Holm", "Hugo Marin", "Ines Jung", "Jonas Falk", "Karla Mertens", "Leo Sander",
)  # fmt: skip
INVITED = ("Mara Stein", "Nils Arp")
DAY = timedelta(days=1)
BEFORE = 33
"""Days since the season has begun; its second round began twelve days ago."""
TITLE = "acres"


@dataclass
class _Club:
    """The club that is made, and the hour of its clock."""

    server: Server
    chooser: random.Random
    now: datetime
    olga: int = 0
    club: int = 0
    event: int = 0

    @property
    def database(self) -> Database:
        return self.server.database


def fill_club(server: Server, *, now: datetime, seed: int = 1) -> Iterator[str]:
    """Found the club, play its first round, and leave the second as a secretary finds it; return a line for each step.
    Everything has its hour before `now`, and its mails lie in the mailbox."""
    made = _Club(server, random.Random(seed), now - BEFORE * DAY)
    _found(made)
    yield f"Harbour Gamers, club of {OWNER[0]}: {len(PLAYERS)} members, {len(INVITED)} invited"
    first, second = _begin(made)
    for division in (first, second):
        _publish(made, division)
    _deliver(made)
    for division in (first, second):
        _play_out(made, _round(made, division, 1))
    made.now += 20 * DAY
    for division in (first, second):
        _close(made, division, 1)
        _publish(made, division)
    yield "Harbour League: two divisions of six, the first round is over"
    made.now += DAY
    _deliver(made)
    running = _round(made, first, 2).matches
    for match in running:
        _play(made, match, 8)
    _play_out(made, _round(made, second, 2))
    while made.now < now - DAY:
        made.now += DAY
        sweep_cases(made.database, made.now)
        _deliver(made)
    _close(made, second, 2)
    with Work(made.database) as work:
        pairing_jobs.pair(lifecycle.allowed(work, made.event, made.olga, Role.DEPUTY, made.now), second)
    yield f"The second round: {len(running)} late games in the first division, a draft of the third in the second"
    over = _round(made, first, 1).matches[0]
    why = "The last game was given up by mistake: I had the better position."
    deciding.claim(made.database, made.event, over.id, over.seats[-1].player_id, why, now=made.now)
    _open_cup(made)
    made.now = now
    _deliver(made)
    yield "A ruling waits, and sign-up of a cup is open. Sign in as olga@example.org and open the club's week."


def _found(made: _Club) -> None:
    people = [OWNER, *((_address(name), name) for name in (*PLAYERS, *INVITED))]
    with Work(made.database) as work:
        there = []
        for address, name in people:
            player = accounts.find_or_add(work.session, address, now=made.now, name=name, language="en")
            accounts.settle(player, name=name, language="en", zone="Europe/Berlin")
            there.append(player)
        work.session.flush()
        numbers = [player.id for player in there if player.id is not None][: len(PLAYERS) + 1]
    made.olga = numbers[0]
    club_rights.make(
        made.database, made.olga, slug="harbour", name="Harbour Gamers", zone="Europe/Berlin", now=made.now
    )
    with made.database.read() as session:
        club = club_rights.find(session, "harbour")
    for number in numbers[1:]:
        members.join_by_link(made.database, club.id, number, club.join_version, now=made.now)
    for name in INVITED:
        members.invite(made.database, club.id, made.olga, _address(name), now=made.now)
    for at, number in enumerate(numbers[1:]):
        rating = str(1850 - 35 * at)
        notes.keep(made.database, club.id, made.olga, number, note="", own=("", "", ""), rating=rating)
    made.club = club.id
    divisions = [{"name": "First Division", "relegated": 1}, {"name": "Second Division", "promoted": 1}]
    made.event = _open(made, "Harbour League", Format.ROUND_ROBIN, {"round_days": 21}, divisions)
    with Work(made.database) as work:
        for number in numbers[1:]:
            entries.sign_up(work, made.event, number, by_id=made.olga, now=made.now)


def _open(
    made: _Club, name: str, format: Format, terms: Mapping[str, int], divisions: Sequence[Mapping[str, Any]] = ()
) -> int:
    """Open sign-up of an event for twelve days; its number."""
    breaks = list(usual_tie_breaks(format, scores=True))
    draft = lifecycle.NewEvent(
        name=name,
        title_id=TITLE,
        format=format,
        season=str(made.now.year),
        pace=pace.simple(3 * DAY),
        terms={"round_end": "ruling", "auto_leave": False, "tie_breaks": breaks, **terms},
        divisions=divisions,
        sign_up_until=made.now + 12 * DAY,
    )
    return lifecycle.make(made.database, made.club, made.olga, draft, now=made.now, opens=True)


def _address(name: str) -> str:
    return f"{name.split()[0].lower()}@example.org"


def _open_cup(made: _Club) -> None:
    """Open sign-up of another event, and let a few sign up."""
    with made.database.read() as session:
        first = [one.player_id for one in entries.entrants(session, made.event)][:5]
    terms = {"rounds": 3, "round_days": 56}
    cup = _open(made, "Harbour Cup", Format.SWISS, terms)
    _deliver(made)
    with Work(made.database) as work:
        for player in first:
            entries.sign_up(work, cup, player, by_id=made.olga, now=made.now)


def _begin(made: _Club) -> tuple[int, int]:
    with made.database.read() as session:
        first, second = (one.id for one in lifecycle.get(session, made.event).divisions)
        there = entries.entrants(session, made.event)
    placed = {one.id: first if at < len(there) // 2 else second for at, one in enumerate(there)}
    with Work(made.database) as work:
        acting = lifecycle.allowed(work, made.event, made.olga, Role.ORGANISER, made.now)
        round_loop.put_into_divisions(acting, placed)
        round_loop.start(acting)
    return first, second


def _publish(made: _Club, division: int) -> None:
    with Work(made.database) as work:
        acting = lifecycle.allowed(work, made.event, made.olga, Role.DEPUTY, made.now)
        pairing_jobs.pair(acting, division)
        (draft,) = round_rows.drafts_of(work.session, division)
        round_loop.publish(acting, draft)


def _close(made: _Club, division: int, number: int) -> None:
    with Work(made.database) as work:
        round_loop.close(*round_loop.locked(work, _round(made, division, number).id, made.olga, made.now))


def _round(made: _Club, division: int, number: int) -> CompetitionRound:
    with made.database.read() as session:
        return round_rows.rounds_of(session, division, drafts=True)[number - 1]


def _play(made: _Club, match: Match, moves: int) -> None:
    """Play some random lines in a game, an hour apart."""
    for n in range(moves):
        with made.database.read() as session:
            game = GameStore(session).load(match.game_id or 0)
        if game.decides is None:
            return
        link = TurnLink(game.id, game.decides, game.number, game.seated(game.decides).player_id)
        at = made.now + timedelta(hours=n + 1)
        play_turn(made.database, link, random_line(game, made.chooser), now=at)


def _play_out(made: _Club, round: CompetitionRound) -> None:
    """Play some turns of each game, until one side gives it up."""
    for match in round.matches:
        _play(made, match, 24)
        loser = made.chooser.choice([seat.player_id for seat in match.seats])
        results.resign(made.database, match.game_id or 0, loser, now=made.now + 2 * DAY)


def _deliver(made: _Club) -> None:
    """Hand over what waits, at the hour of the club."""
    sender = Sender(made.server)
    try:
        while sender.send_due(made.now):
            pass
    finally:
        sender.close()
