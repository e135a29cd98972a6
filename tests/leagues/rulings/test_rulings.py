"""Rulings: claims, the neutral file, decisions, appeals, and results corrected with a trace."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted, NotAllowed
from app.base.words.speech import Voice
from app.clocks.pace import DAY as DAY_SECONDS
from app.clocks.pace import Pace, Stage, write_pace
from app.games.tables import Game, LogEntry
from app.leagues.clubs.acting import ActRequest
from app.leagues.desk import desk_undoing
from app.leagues.events import round_rows
from app.leagues.results import event_ratings, outcomes
from app.leagues.rulings import applying, deciding
from app.leagues.rulings.applying import Verdict
from app.leagues.tables import Audit, Member, Rating, Ruling
from app.overdue.cases import sweep_cases
from app.play.agreed import results
from app.time.tables import Case
from tests.support import pressed
from tests.support.at_once import codes_of
from tests.support.databases import ON_SQLITE
from tests.support.events import resign_all
from tests.support.mails import kept
from tests.support.season import DAY, Season, season, token
from tests.support.tables import NOW, deliver, hand, load, random_line, say, write

LATER = NOW + DAY


def give_role(made: Season, player: int, role: str) -> None:
    with made.database.write() as session:
        row = {"club_id": made.club, "player_id": player, "role": role, "status": "member", "since": NOW}
        session.execute(sa.insert(Member).values(**row))
        session.commit()


def claimed(made: Season, number: int = 0) -> int:
    match = made.match(number)
    player = match.seats[1].player_id
    return deciding.claim(made.database, made.event, match.id, player, "He looked at my cards.", now=LATER)


def row(made: Season, ruling_id: int) -> Any:
    return made.read(lambda c: deciding.find(c, made.event, ruling_id))


def decide(
    made: Season, ruling_id: int, verdict: Verdict, by: int | None = None, at: datetime = LATER, **more: Any
) -> bool:
    asked = ActRequest(by or made.organiser, **{"reason": "so the rules say", "token": token()} | more)
    return pressed.decide(made.database, made.event, ruling_id, verdict, asked, now=at)


def points(made: Season, number: int = 0) -> list[Fraction | None]:
    return [seat.points for seat in made.match(number).seats]


def test_a_claim_reaches_both_sides_and_who_can_decide(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4)
    give_role(made, made.players[0], "referee")
    ruling_id = claimed(made)
    assert claimed(made) == ruling_id, "one ruling at a time"
    with pytest.raises(NotAccepted, match=r"correct\.open"):
        deciding.claim(sqlite_database, made.event, made.match(0).id, made.organiser, "x", now=LATER)
    deliver(sqlite_database, LATER)
    judges = {mail.to for mail in kept(sqlite_database, "ruling") if "asked of you" in mail.subject}
    plays = {f"p{seat.player_id - 1}@example.org" for seat in made.match(0).seats}
    assert judges == {"p0@example.org", "p1@example.org"} - plays
    assert {mail.to for mail in kept(sqlite_database, "ruling")} == judges | plays
    mail = kept(sqlite_database, "ruling")[0]
    assert "asks for a ruling about the game of round 1" in mail.words and "He looked at my cards." in mail.words


def test_a_deadline_that_the_pace_hands_to_an_organiser_opens_a_ruling(database: Database) -> None:
    made = season(database, 4)
    pace = Pace(decision=DAY_SECONDS, stages=(Stage(0, "flagged", ("organiser",)),))
    write(database, sa.update(Game).values(pace=write_pace(pace)))
    made.start_clock(0, NOW - DAY)
    assert sweep_cases(database, NOW + timedelta(minutes=1)) >= 1
    found = made.read(lambda c: deciding.of_event(c, made.event))
    assert [(one.match_id, one.opened_by, one.status) for one in found] == [(made.match(0).id, None, "open")]
    deliver(database, NOW + timedelta(minutes=5))
    mails = kept(database, "ruling_asked")
    assert "p0@example.org" in {mail.to for mail in mails}
    assert all("A deadline has passed in the game of round 1" in mail.words for mail in mails)
    late = made.owes(0)
    place = next(seat.place for seat in made.match(0).seats if seat.player_id == late)
    assert decide(made, found[0].id, Verdict("forfeit", place=place), at=NOW + DAY)
    assert made.game(0).is_over and points(made)[place] == 0 and sum(filter(None, points(made))) == 1
    case = made.read(lambda c: c.execute(sa.select(Case.state, Case.ruling, Case.ruled_by)).one())
    assert tuple(case) == ("ruled", "forfeit", made.organiser)
    assert made.match(0).seats[place].by_time and made.match(0).source == "ruling"


def test_nobody_rules_in_a_game_of_their_own(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4)
    mine, other = made.match(0).seats[0].player_id, made.match(1).seats[0].player_id
    give_role(made, mine, "owner")
    give_role(made, other, "referee")
    ruling_id = claimed(made)
    with pytest.raises(NotAllowed, match=r"ruling\.own"):
        decide(made, ruling_id, Verdict("dismissed"), by=mine)
    with pytest.raises(NotAllowed, match=r"club\.role"):
        decide(made, ruling_id, Verdict("dismissed"), by=made.match(0).seats[1].player_id)
    assert row(made, ruling_id).status == "open"
    assert decide(made, ruling_id, Verdict("dismissed"), by=other)


def test_hidden_cards_stay_hidden_to_an_organiser_who_plays_in_the_event(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4)
    plays = made.match(1).seats[0].player_id
    give_role(made, plays, "organiser")
    game = made.game(0)
    secret = hand(game, game.decides)[0]
    say(sqlite_database, game.id, f"drop {secret}", NOW)
    ruling_id = claimed(made)

    def packet(reader: int) -> deciding.RulingFile:
        return made.read(lambda c: deciding.packet(c, made.event, ruling_id, reader, Voice("en")))  # type: ignore[no-any-return]

    neutral, partial = packet(made.organiser), packet(plays)
    assert neutral.sees_secrets and [one.orders for one in neutral.orders] == [f"drop {secret}"]
    assert not partial.sees_secrets and not partial.orders
    assert partial.log == neutral.log, "both read what everybody could see"
    hands = [card for seat in game.seats for card in hand(made.game(0), seat.seat)]
    told = " ".join(sentence for _, sentence in partial.log)
    assert not [card for card in hands if card in told or Voice("en", "UTC", game.title).name("card", card) in told]
    assert neutral.mails and all("@" not in str(mail.name) for mail in neutral.mails)


@pytest.mark.parametrize("decision", ["dismissed", "extension", "forfeit", "result", "void", "replay"])
def test_each_decision_does_what_it_says_once(sqlite_database: Database, decision: str) -> None:
    made = season(sqlite_database, 4)
    deliver(sqlite_database, NOW)
    before = made.game(0)
    verdict = applying.read_verdict(decision, "4", "1", ["0.5", "0"], 2)
    ruling_id, press = claimed(made), token()
    assert decide(made, ruling_id, verdict, token=press)
    assert not decide(made, ruling_id, verdict, token=press), "pressed twice"
    with pytest.raises(NotAccepted, match=r"ruling\.decided"):
        decide(made, ruling_id, Verdict("dismissed"))
    game = load(sqlite_database, before.id)
    match = made.match(0)
    expected: dict[str, tuple[str, str, list[Any]]] = {
        "dismissed": ("running", "", [None, None]),
        "extension": ("running", "", [None, None]),
        "forfeit": ("over", "walkover", [1, 0]),
        "result": ("cancelled", "walkover", [Fraction(1, 2), 0]),
        "void": ("cancelled", "void", [0, 0]),
        "replay": ("cancelled", "", [None, None]),
    }
    assert (game.status, match.ended, points(made)) == expected[decision]
    if decision == "extension":
        assert game.deadline_at == before.deadline_at + 4 * DAY
    if decision == "replay":
        assert match.game_id != before.id and made.game(0).status == "running"
        assert [s.player_id for s in made.game(0).seats] == [s.player_id for s in before.seats]
    deliver(sqlite_database, LATER)
    told = [mail for mail in kept(sqlite_database, "ruling") if mail.subject == "A ruling in Cup"]
    assert len(told) == 2 and all("so the rules say" in mail.words for mail in told)
    assert all("You can appeal until Sun 29 Nov" in mail.words for mail in told), "seven days, by the usual terms"
    act = made.read(lambda c: c.scalars(sa.select(Audit).where(Audit.act == "ruling.decided")).one())
    assert act.before["ended"] == "" and act.after["decision"] == decision and act.by_id == made.organiser


@pytest.mark.parametrize(
    ("typed", "moves", "ended"),
    [
        (("1/2", "1/2"), 0, "played"), (("1", "0"), 0, "walkover"), (("0", "0"), 0, "double_forfeit"),
        (("1/2", "1/2"), 1, "played"), (("1", "0"), 1, "played"), (("0", "0"), 1, "played"),
    ],
)  # fmt: skip
def test_a_result_by_ruling_of_a_game_that_was_begun_counts_as_played(
    sqlite_database: Database, typed: tuple[str, ...], moves: int, ended: str
) -> None:
    made = season(sqlite_database, 4)
    deliver(sqlite_database, NOW)
    game = made.game(0)
    for _ in range(moves):
        say(sqlite_database, game.id, random_line(load(sqlite_database, game.id), random.Random(1)))
    assert decide(made, claimed(made), applying.read_verdict("result", "", "", typed, 2))
    (found,) = made.read(lambda c: outcomes.results_of(c, made.now().divisions[0].id))
    assert (found.ended, found.is_ruled, found.was_played) == (ended, True, ended == "played")
    assert load(sqlite_database, game.id).status == "cancelled"


def test_no_result_brings_more_than_the_terms_give_for_a_game(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4)
    ruling_id = claimed(made)
    with pytest.raises(NotAccepted, match=r"ruling\.most"):
        decide(made, ruling_id, applying.read_verdict("result", "", "", ["11", "0"], 2))
    assert points(made) == [None, None] and row(made, ruling_id).status == "open"


def test_a_result_is_corrected_with_a_trace_and_the_standings_follow(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4)
    game = made.game(0)
    results.resign(sqlite_database, game.id, game.seats[0].player_id, now=NOW)
    assert points(made) == [0, 1]
    ruling_id = claimed(made)
    assert decide(made, ruling_id, Verdict("result", points=(Fraction(1, 2), Fraction(1, 2))))
    found = made.read(lambda c: outcomes.results_of(c, made.now().divisions[0].id))
    assert [(one.points, one.ended) for one in found] == [((Fraction(1, 2), Fraction(1, 2)), "played")]
    act = made.read(lambda c: c.scalars(sa.select(Audit).where(Audit.act == "ruling.decided")).one())
    assert (act.before["points"], act.after["points"]) == (["0", "1"], ["1/2", "1/2"])
    (undo,) = made.read(lambda c: desk_undoing.undoable(c, made.now(), LATER))
    assert desk_undoing.undo(sqlite_database, made.event, undo.id, made.form(0), now=LATER)
    assert not desk_undoing.undo(sqlite_database, made.event, undo.id, made.form(0), now=LATER)
    assert points(made) == [0, 1] and made.match(0).source == "game" and row(made, ruling_id).status == "open"


@pytest.mark.parametrize("format", ["knockout", "swiss", "round_robin"])
@ON_SQLITE
def test_a_draft_that_was_paired_from_a_corrected_result_is_thrown_away(database: Database, format: str) -> None:
    made = season(database, 4, format=format)
    resign_all(database, made.round())
    pressed.close(database, made.round().id, made.organiser, now=NOW)

    def drafted() -> set[int]:
        round_id = pressed.pair(database, made.first.id, made.organiser, now=NOW)
        seats = [match.seats for match in made.read(lambda c: round_rows.get(c, round_id)).matches]
        return {seat.entry_id for pair in seats for seat in pair if len(seats) == 1}

    def drafts() -> int:
        there = made.read(lambda c: round_rows.rounds_of(c, made.first.id, drafts=True))
        return sum(round.status == "draft" for round in there)

    before = drafted()
    ruling_id = claimed(made)
    loser, winner = (seat.entry_id for seat in sorted(made.match(0).seats, key=lambda seat: seat.points or 0))
    swapped = Verdict("result", points=tuple(reversed([one or Fraction(0) for one in points(made)])))
    assert decide(made, ruling_id, swapped)
    assert drafts() == (format == "round_robin"), "a schedule does not follow results"
    if format == "knockout":
        assert drafted() == before - {winner} | {loser}, "the other one is in the final now"
        (undo,) = made.read(lambda c: desk_undoing.undoable(c, made.now(), LATER))
        assert desk_undoing.undo(database, made.event, undo.id, made.form(0), now=LATER) and drafts() == 0


@ON_SQLITE
def test_a_published_final_follows_a_corrected_result(database: Database) -> None:
    """The game of an eliminated player counts for nobody, and the player who goes through instead gets one; undone, the
    other way round.
    """
    made = season(database, 4, format="knockout", third_place=True)
    resign_all(database, made.round())
    pressed.close(database, made.round().id, made.organiser, now=NOW)
    round_id = pressed.pair(database, made.first.id, made.organiser, now=NOW)
    pressed.publish(database, round_id, made.organiser, 1, now=NOW)

    def played() -> list[set[int]]:
        there = made.read(lambda c: round_rows.get(c, round_id)).matches
        return [{seat.entry_id for seat in match.seats} for match in there if match.ended != "void"]

    final, third = played()
    loser, winner = (seat.entry_id for seat in sorted(made.match(0).seats, key=lambda seat: seat.points or 0))
    swapped = Verdict("result", points=tuple(reversed([one or Fraction(0) for one in points(made)])))
    ruling_id = claimed(made)
    assert decide(made, ruling_id, swapped)
    assert sorted(map(sorted, played())) == sorted(
        map(sorted, (final - {winner} | {loser}, third - {loser} | {winner}))
    )
    deliver(database, LATER)
    asked = {game.id: game.status for game in made.read(lambda c: c.scalars(sa.select(Game)).all())}
    assert sorted(asked.values()) == ["cancelled"] * 2 + ["over"] * 2 + ["running"] * 2
    (undo,) = made.read(lambda c: desk_undoing.undoable(c, made.now(), LATER))
    assert desk_undoing.undo(database, made.event, undo.id, made.form(0), now=LATER)
    assert sorted(map(sorted, played())) == sorted(map(sorted, (final, third)))
    resign_all(database, made.read(lambda c: round_rows.get(c, round_id)))
    pressed.close(database, round_id, made.organiser, now=LATER)
    acts = made.read(lambda c: c.scalars(sa.select(Audit.act).where(Audit.act == "round.followed")).all())
    assert len(acts) == 2, "closing a round whose bracket stands changes nothing"


def test_an_organiser_without_a_part_in_the_event_has_a_finished_result_corrected(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4)
    game, plays = made.game(0), made.match(1).seats[0].player_id
    give_role(made, plays, "organiser")
    say(sqlite_database, game.id, random_line(game, random.Random(1)))
    results.resign(sqlite_database, game.id, game.seats[0].player_id, now=NOW)
    look = event_ratings.watch().look
    assert look(sqlite_database) == ["ferry"]

    def correct(by: int) -> int:
        return deciding.claim(made.database, made.event, made.match(0).id, by, "They wrote to me.", now=LATER)

    def ratings() -> list[float]:
        with sqlite_database.read() as session:
            return [
                session.scalars(sa.select(Rating.rating).where(Rating.player_id == s.player_id)).first() or 0
                for s in made.match(0).seats
            ]

    first, second = ratings()
    assert first < second
    with pytest.raises(NotAllowed, match=r"correct\.plays"):
        correct(plays)
    ruling_id = correct(made.organiser)
    assert row(made, ruling_id).opened_by == made.organiser
    assert decide(made, ruling_id, Verdict("result", points=(Fraction(1), Fraction(0))))
    assert points(made) == [1, 0] and made.match(0).source == "ruling" and row(made, ruling_id).status == "decided"
    assert look(sqlite_database) == ["ferry"] and ratings() == [second, first]
    (undo,) = made.read(lambda c: desk_undoing.undoable(c, made.now(), LATER))
    assert desk_undoing.undo(sqlite_database, made.event, undo.id, made.form(0), now=LATER + DAY)
    assert look(sqlite_database) == ["ferry"] and ratings() == [first, second], "ratings follow what is taken back too"


def test_a_ruling_that_ended_a_running_game_is_not_undone(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4)
    ruling_id = claimed(made)
    assert decide(made, ruling_id, Verdict("void"))
    assert made.read(lambda c: desk_undoing.undoable(c, made.now(), LATER)) == []
    act = made.read(lambda c: c.scalars(sa.select(Audit.id).where(Audit.act == "ruling.decided")).one())
    with pytest.raises(NotAccepted, match=r"undo\.game"):
        desk_undoing.undo(sqlite_database, made.event, act, made.form(0), now=LATER)


def test_an_appeal_goes_to_somebody_else_until_its_date(sqlite_database: Database) -> None:
    made = season(sqlite_database, 6)
    owner2 = made.match(1).seats[0].player_id
    loser = made.match(0).seats[1].player_id
    ruling_id = claimed(made)
    assert decide(made, ruling_id, Verdict("forfeit", place=1))
    until = row(made, ruling_id).appeal_until
    assert until == LATER + 7 * DAY
    give_role(made, owner2, "referee")

    def appeal(player: int, at: datetime) -> None:
        deciding.appeal(sqlite_database, made.event, ruling_id, player, "I was ill.", now=at)

    with pytest.raises(NotAccepted, match=r"appeal\.late"):
        appeal(loser, until + timedelta(seconds=1))
    with pytest.raises(NotAllowed):
        appeal(owner2, LATER)
    deliver(sqlite_database, LATER)
    appeal(loser, until)
    appeal(loser, until)
    assert row(made, ruling_id).status == "appealed"
    deliver(sqlite_database, until)
    told = [mail.to for mail in kept(sqlite_database, "ruling") if "An appeal waits for you" in mail.subject]
    assert told == [f"p{owner2 - 1}@example.org"], "who decided is not asked again"
    with pytest.raises(NotAllowed, match=r"ruling\.again"):
        decide(made, ruling_id, Verdict("dismissed"), at=until)
    assert decide(made, ruling_id, Verdict("replay"), by=owner2, at=until)
    after = row(made, ruling_id)
    assert (after.status, after.decision, after.final_by) == ("final", "replay", owner2)
    assert after.details["first"]["decision"] == "forfeit"
    assert not made.match(0).ended and made.game(0).status == "running"
    with pytest.raises(NotAccepted, match=r"appeal\.none"):
        appeal(loser, until)
    deliver(sqlite_database, until)
    assert any("decided, for good" in mail.words for mail in kept(sqlite_database, "ruling"))


def test_two_who_decide_at_once_are_one_decision(database: Database) -> None:
    made = season(database, 4)
    other = made.match(1).seats[0].player_id
    give_role(made, other, "referee")
    ruling_id = claimed(made)
    answers = codes_of(
        lambda: decide(made, ruling_id, Verdict("forfeit", place=0), by=made.organiser),
        lambda: decide(made, ruling_id, Verdict("forfeit", place=1), by=other),
    )
    assert answers == ["done", "ruling.decided"]
    acts = made.read(lambda c: c.scalars(sa.select(Audit.act).where(Audit.act == "ruling.decided")).all())
    taken_out = made.read(lambda c: c.scalars(sa.select(LogEntry.id).where(LogEntry.cause == "ruling")).all())
    assert len(acts) == len(taken_out) == 1


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        (("", "", "", []), "case.ruling"),
        (("extension", "0", "", []), "case.days"),
        (("forfeit", "", "2", []), "ruling.side"),
        (("forfeit", "", "", []), "ruling.side"),
        (("result", "", "", ["1"]), "ruling.points"),
        (("result", "", "", ["1", "x"]), "ruling.points"),
        (("result", "", "", ["1", "-1"]), "ruling.points"),
    ],
)
def test_what_a_decision_lacks_is_said(typed: tuple[str, str, str, list[str]], code: str) -> None:
    with pytest.raises(NotAccepted, match=code.replace(".", r"\.")):
        applying.read_verdict(*typed, 2)


def test_points_are_read_as_people_write_them() -> None:
    assert applying.read_verdict("result", "", "", ["0,5", "1/3"], 2).points == (Fraction(1, 2), Fraction(1, 3))
    assert applying.read_verdict("forfeit", "", "1", [], 2).place == 1


def test_a_claim_about_another_event_is_not_there(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4)
    ruling_id = claimed(made)
    with pytest.raises(deciding.NoSuchRuling):
        made.read(lambda c: deciding.find(c, made.event + 1, ruling_id))
    assert made.read(lambda c: c.scalar(sa.select(sa.func.count()).select_from(Ruling))) == 1
