"""The end of a round, the effect of leave on an event's clocks, and how pressing the desk finds a turn."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.speech import Voice
from app.leagues.events.term_words import terms_in_words
from app.leagues.results import records
from app.leagues.rulings import deciding, round_ends
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.time import bounced, pending
from app.time.away import leave
from app.time.tables import Leave
from tests.support.mails import kept
from tests.support.season import DAY, HOUR, Season, season
from tests.support.tables import NOW, deliver, write


def test_an_event_can_forbid_the_leave_that_a_silent_player_takes_by_itself(sqlite_database: Database) -> None:
    """A game whose event forbids it is late at its deadline; announced leave stops its clock for as long as allowed."""
    made = season(sqlite_database, 4, leave_days=2, auto_leave=False)
    write(sqlite_database, sa.update(Player).values(auto_leave=True))
    made.start_clock(0, NOW)
    made.start_clock(1, NOW)
    first = (NOW + 2 * DAY).date()
    leave.plan(sqlite_database, made.owes(1), first, first + 5 * DAY, now=NOW + HOUR, allowance=30)
    with sqlite_database.read() as session:
        due = [pending.owed(session, made.game(n).id).deadline_at for n in (0, 1)]  # type: ignore[union-attr]
    assert (due[0], due[1]) == (NOW + 7 * DAY, NOW + 9 * DAY)
    assert sweep_cases(sqlite_database, NOW + 7 * DAY + HOUR) == 1
    with sqlite_database.read() as session:
        assert session.scalar(sa.select(sa.func.count()).where(Leave.kind == "automatic")) == 0  # type: ignore[arg-type]
    assert made.problem(0, NOW + 7 * DAY + HOUR).finding == "flag"


def test_the_desk_goes_by_the_share_of_the_clock_and_of_the_round(sqlite_database: Database) -> None:
    """At a pace of a week a turn of one day needs no action, unless the round ends soon."""
    made = season(sqlite_database, 4)
    made.start_clock(0, NOW)
    made.start_clock(1, NOW - 5 * DAY)
    assert made.problem(0, NOW + DAY).finding == "running"
    assert [one.finding for one in made.desk(NOW + DAY)] == ["unread", "running"]
    with sqlite_database.write() as session:
        session.execute(sa.text("UPDATE event_round SET due_at = :at"), {"at": str(NOW + 1.5 * DAY)})
        session.commit()
    assert made.problem(0, NOW + DAY).finding == "unread", "the round ends before the clock"


def planned(made: Season, *kinds: str) -> list[int]:
    """Return whom mails of these kinds were planned for."""
    asked = sa.select(OutboxMail.player_id).where(OutboxMail.kind.in_(kinds)).order_by(OutboxMail.player_id)  # type: ignore[attr-defined, arg-type]
    found: list[int] = made.read(lambda session: session.scalars(asked).all())
    return found


def waiting(made: Season) -> set[int]:
    """Return the matches with a waiting ruling."""
    rows: Any = made.read(lambda session: deciding.of_event(session, made.event))
    return {row.match_id for row in rows}


def test_a_round_that_ends_reminds_goes_on_once_and_opens_rulings(database: Database) -> None:
    """One mail before, one when it is extended, a ruling for each late game except that of a bounced mail."""
    made = season(database, 6, round_days=4, round_remind=1, round_extra=2, round_end="ruling")
    for number in range(3):
        made.start_clock(number, NOW)
    game = made.game(2)
    with database.write() as session:
        bounced.set_back(session, game.id, game.number, game.decides, NOW + DAY, goes_on=True)
        session.commit()
    assert round_ends.sweep(database, NOW + 2 * DAY) == 0
    assert round_ends.sweep(database, NOW + 3 * DAY) == 1
    assert planned(made, "round_end") == sorted(made.players)
    assert round_ends.sweep(database, NOW + 3 * DAY) == 0, "once"
    (before,) = made.read(lambda session: records.dates(session, made.now().club_id))
    assert round_ends.sweep(database, NOW + 4 * DAY) == 1
    assert made.round().due_at == NOW + 6 * DAY
    (date,) = made.read(lambda session: records.dates(session, made.now().club_id))
    assert before.changed_at < date.changed_at == NOW + 4 * DAY, "the club's calendar has a later version (RFC 5545)"
    assert planned(made, "round_end") == sorted(made.players * 2)
    deliver(database, NOW + 4 * DAY + HOUR)
    subjects = [mail.subject for mail in kept(database, "round_end")]
    assert any("Cup, round 1 goes on until" in one for one in subjects)
    assert round_ends.sweep(database, NOW + 5 * DAY) == 0 and not waiting(made)
    assert round_ends.sweep(database, NOW + 6 * DAY) == 1
    assert waiting(made) == {made.match(0).id, made.match(1).id}
    assert planned(made, "ruling_asked") == sorted([made.organiser, made.organiser, *_players(made, 0, 1)])
    assert round_ends.sweep(database, NOW + 6 * DAY) == 0, "once"
    assert made.problem(0, NOW + 6 * DAY).finding == "claim"


def test_leave_puts_the_end_of_a_round_off_until_the_latest_end_and_no_longer(sqlite_database: Database) -> None:
    """Leave announced in time spares its player for the days of the terms; a mail that has not arrived still does."""
    made = season(sqlite_database, 6, round_days=4, round_end="ruling", round_latest=3)
    made.start_clock(0, NOW)
    made.start_clock(1, NOW)
    first = (NOW + 2 * DAY).date()
    leave.plan(sqlite_database, made.owes(0), first, first + 20 * DAY, now=NOW + HOUR, allowance=30)
    assert round_ends.sweep(sqlite_database, NOW + 4 * DAY) == 1
    assert waiting(made) == {made.match(1).id}
    assert round_ends.sweep(sqlite_database, NOW + 7 * DAY - HOUR) == 0
    assert round_ends.sweep(sqlite_database, NOW + 7 * DAY) == 1
    assert waiting(made) == {made.match(0).id, made.match(1).id}, "not the one whose mail has not arrived"
    assert round_ends.sweep(sqlite_database, NOW + 7 * DAY) == 0, "once"
    assert "Leave puts that off for 3 days at most." in terms_in_words(made.now(), Voice())


def _players(made: Season, *matches: int) -> list[int]:
    return [seat.player_id for number in matches for seat in made.match(number).seats]
