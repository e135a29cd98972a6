"""The computer in an unrated event: it fills the seat that is left over, and costs people nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from app.account import my_data
from app.base.links import TurnLink
from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.computer.tables import ComputerDecision
from app.computer.thinking import Thinker
from app.games.work import Work
from app.leagues.changes import handover, late, leaving
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.results import records, standings
from app.leagues.seasons import next_season
from app.leagues.tables import Competition, CompetitionRound, Entrant, Match
from app.play.agreed import results
from app.play.tables import ProposalKind
from app.play.turn import turns
from engine.kernel.search import levels_of, see, think
from tests.support import pressed
from tests.support.club_pages import Enter, club_of, draft, joined, of_round, running
from tests.support.events import club, event, people, planned, published, read, started
from tests.support.mails import kept
from tests.support.people import Browser, PostOffice
from tests.support.tables import CONFIG, NOW, deliver, load

HOUR = timedelta(hours=1)


def enter(database: Database, now: Competition, by: int, level: str = "beginner") -> Entrant:
    pressed.enter_computer(database, CONFIG, now.id, level, by, now=NOW)
    return next(one for one in read(database, lambda c: entries.entrants(c, now.id)) if one.computer)


def against_it(round: CompetitionRound, computer: Entrant) -> tuple[Match, int]:
    """Return the match of the computer, and who plays against it."""
    for match in round.matches:
        others = [seat.player_id for seat in match.seats if seat.entry_id != computer.id]
        if len(others) < len(match.seats):
            return match, others[0]
    raise AssertionError("it is not paired")


def play_out(database: Database, game_id: int) -> datetime:
    """The people of a game play as a beginner does, until it is over; return when it is."""
    works, now = Thinker(database, CONFIG, "one"), NOW
    while not (game := load(database, game_id)).is_over:
        now += timedelta(seconds=5)
        assert game.decides
        if game.seated(game.decides).computer:
            assert works.work_off(now)
            continue
        level = levels_of(game.title)[0]
        action = think(game.title, see(level.mind, game.state, game.decides), level, b"person").action
        link = TurnLink(game_id, game.decides, game.number, game.seated(game.decides).player_id)
        turns.play_turn(database, link, game.title.write(game.state, action), now=now)
    return now


def test_three_people_and_the_computer_play_an_event(database: Database) -> None:
    who = people(database, 3)
    now = event(database, who, "swiss", rounds=2, rated=False)
    computer = enter(database, now, who[0])
    assert computer.name == "Computer (beginner)" and Voice("fr").person(computer.name) == "Ordinateur (débutant)"
    with pytest.raises(NotAccepted, match="No seat is left over"):
        enter(database, now, who[0], "club")

    round = published(database, now, who[0])
    assert [len(match.seats) for match in round.matches] == [2, 2], "nobody has the bye"
    deliver(database, NOW + HOUR)
    told = [" ".join(mail.text.split()) for mail in kept(database, "event_round")]
    assert len(told) == 3 and sum("against Computer (beginner)" in text for text in told) == 1
    match, person = against_it(round, computer)
    game = load(database, match.game_id or 0)
    assert game.has_computer and {(one.player_id, one.computer) for one in game.seats} == {
        (person, ""),
        (None, "beginner"),
    }
    other = next(one for one in round.matches if one is not match)
    assert not load(database, other.game_id or 0).has_computer

    end = play_out(database, game.id)
    with database.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(ComputerDecision)), "it was asked by a row"
        settled = next(one for one in round_rows.get(session, round.id).matches if one.id == match.id)
        assert settled.ended == "played" and sum(seat.points or 0 for seat in settled.seats) == 1
    results.resign(database, other.game_id or 0, other.seats[0].player_id, now=end)
    pressed.close(database, round.id, who[0], now=end)
    second = published(database, now, who[0])
    assert [len(match.seats) for match in second.matches] == [2, 2]

    # Nobody is written to as the computer, and it has the line in the table that its results give.
    with database.read() as session:
        rows = session.execute(sa.select(OutboxMail.address, OutboxMail.player_id)).all()
        assert rows and all(address and player in who for address, player in rows)
        [standing] = standings.standings_of(session, lifecycle.get(session, now.id))
        assert len(standing.places) == 4 and computer.id in {place.entrant for place in standing.places}


@pytest.mark.parametrize(
    ("format", "count", "terms", "says"),
    [
        ("swiss", 3, {}, "do not count for ratings"),
        ("swiss", 4, {"rated": False}, "No seat is left over"),
        ("tables", 4, {"rated": False, "sizes": [4]}, "No seat is left over"),
        ("knockout", 3, {"rated": False}, "does not play"),
        ("ladder", 3, {"rated": False}, "does not play"),
        ("round_robin", 3, {"rated": False}, "has started"),
    ],
)
def test_where_it_does_not_play(
    sqlite_database: Database, format: str, count: int, terms: dict[str, object], says: str
) -> None:
    who = people(sqlite_database, count)
    title = "new-world" if format == "tables" else "ferry"
    rounds_of_it = {"rounds": 2} if format in ("swiss", "tables") else {}
    now = event(sqlite_database, who, format, title, **rounds_of_it, **terms)
    with pytest.raises(NotAccepted, match=says):
        enter(sqlite_database, now, who[0])


def test_before_the_start_it_takes_nobodys_place(sqlite_database: Database) -> None:
    """It can be entered while people still sign up; the terms stay unrated while it is in."""
    database, who = sqlite_database, people(sqlite_database, 4)
    now_id = planned(database, club(database, who[0]), who[0], rated=False, limit=4)
    for player in who[:3]:
        pressed.sign_up(database, now_id, player, by_id=who[0], now=NOW)
    now = read(database, lambda c: lifecycle.get(c, now_id))
    enter(database, now, who[0])
    changed = lifecycle.EventDraft(name="Cup", terms={"limit": 4})
    with pytest.raises(NotAccepted, match=r"entry\.computer"), Work(database) as work:
        lifecycle.change(work, now_id, who[0], changed, now=NOW)
    assert pressed.sign_up(database, now_id, who[3], by_id=who[0], now=NOW) == "entered"
    with pytest.raises(NotAccepted, match="plays already"):
        enter(database, now, who[0])
    with pytest.raises(NotAccepted, match=r"computer\.level"):
        enter(database, now, who[0], "grandmaster")
    with pytest.raises(NotAccepted, match="does not play"):
        pressed.enter_computer(database, replace(CONFIG, thinkers=0), now_id, "strong", who[0], now=NOW)


def test_it_leaves_as_people_do(database: Database) -> None:
    """Taken out, its game is won without playing; entered again it plays on; a reserve can take its seat."""
    *who, boss = people(database, 5)
    made = planned(database, club(database, boss), boss, "swiss", "ferry", rounds=4, rated=False, members_only=False)
    pressed.open_sign_up(database, made, boss, now=NOW)
    now = started(database, made, boss, who[:3])
    computer = enter(database, now, boss)
    round = published(database, now, boss)
    match, person = against_it(round, computer)
    results.propose(database, match.game_id or 0, person, ProposalKind.CANCEL, (), now=NOW)
    assert not load(database, match.game_id or 0).is_over, "it does not give a result away"

    assert leaving.withdraw(database, now.id, computer.player_id, boss, reason="We are four.", now=NOW)
    game = load(database, match.game_id or 0)
    assert (
        game.is_over
        and game.result
        and game.result["winners"] == [one.seat for one in game.seats if one.player_id == person]
    )
    candidates = read(database, lambda c: late.candidates(c, lifecycle.get(c, now.id)))
    assert computer.player_id not in {one.player_id for one in candidates}
    with database.read() as session:
        settled = next(one for one in round_rows.get(session, round.id).matches if one.id == match.id)
        assert settled.ended == "walkover"
    other = next(one for one in round.matches if one is not match)
    results.resign(database, other.game_id or 0, other.seats[0].player_id, now=NOW)
    pressed.close(database, round.id, boss, now=NOW)

    again = enter(database, now, boss)
    assert again.id == computer.id
    round = published(database, now, boss)
    match, person = against_it(round, again)
    pressed.sign_up_as_reserve(database, now.id, who[3], now=NOW)
    with Work(database) as work:
        sub = entries.entrant_of(work.session, now.id, who[3])
        assert sub
        handover.hand_over(work, lifecycle.get(work.session, now.id), again.id, sub.id, NOW, NOW)
        work.commit()
    game = load(database, match.game_id or 0)
    assert not game.has_computer and {one.player_id for one in game.seats} == {person, who[3]}


def test_an_event_with_it_is_erased_from_and_ended(sqlite_database: Database) -> None:
    database, who = sqlite_database, people(sqlite_database, 3)
    now = event(database, who, "swiss", rounds=1, rated=False)
    computer = enter(database, now, who[0])
    match, person = against_it(published(database, now, who[0]), computer)
    if person == who[0]:  # the organiser stays
        results.resign(database, match.game_id or 0, person, now=NOW)
    else:
        my_data.erase(database, person, now=NOW)
    assert load(database, match.game_id or 0).is_over
    round = read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id))[0]
    for one in round.matches:
        if not load(database, one.game_id or 0).is_over:
            results.resign(database, one.game_id or 0, one.seats[0].player_id, now=NOW)
    pressed.close(database, round.id, who[0], now=NOW)
    pressed.finish(database, now.id, who[0], now=NOW)
    with database.read() as session:
        places = records.finished(session, now.club_id)
        assert (None, "Computer (beginner)") in {(one.player_id, one.name) for one in places}
        assert computer.player_id in next_season.usual(session, lifecycle.get(session, now.id)).leavers


def test_the_computer_fills_the_seat_that_is_left_over(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = club_of(enter, "bob", "carol")
    others = [joined(post, enter, name) for name in ("bob", "carol")]
    event = running(alice, alice, *others, rated="no")
    button = "Let the computer play"
    page = alice.get(f"/events/{event}/players")
    assert button in page
    others[0].post(f"/events/{event}/computer", 403, level="club")
    assert "Choose one of what is offered" in alice.post(f"/events/{event}/computer", 422, level="fierce")
    page = alice.post(f"/events/{event}/computer", level="strong")
    assert "Computer (strong)" in page and button not in page
    path = draft(alice, server, event)
    alice.get(path)
    alice.post(f"{path}/publish", version="1")
    match = next(
        one for one in of_round(server, path).matches if "Computer (strong)" in {seat.name for seat in one.seats}
    )
    for browser in (alice, others[0], stranger):
        assert f"/games/{match.game_id}" in browser.get(f"/events/{event}")
        assert "Computer (strong)" in browser.get(f"/games/{match.game_id}")
