"""Leave: its days, its allowance, the clocks that stand still, and what others are told. With a simulated clock."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import select

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted
from app.clocks.leave import Away, a_year, honoured
from app.clocks.pace import Pace
from app.games.tables import GameSeat
from app.games.work import Work
from app.leagues.tables import Member
from app.people.tables import Player
from app.time import pending
from app.time.away import automatic, leave
from app.time.reminding.reminders import remind
from app.time.tables import ClockNote, Leave
from tests.support.at_once import at_once, codes_of
from tests.support.mails import kept
from tests.support.season import season
from tests.support.tables import NOW, deliver, load, start, write

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ALICE, BOB = 1, 2


def give_up(database: Database, player_id: int, leave_id: int, *, now: datetime) -> None:
    with Work(database) as work:
        leave.end(work, player_id, leave_id, player_id, now)


def in_zone(database: Database, zone: str, player_id: int = ALICE, **values: Any) -> None:
    write(database, sa.update(Player).where(Player.id == player_id).values(zone=zone, **values))


def plan(database: Database, first: str, last: str, now: datetime = NOW, allowance: int = 30) -> int:
    days = date.fromisoformat(first), date.fromisoformat(last)
    return leave.plan(database, ALICE, *days, now=now, allowance=allowance)


def by_itself(database: Database, game_id: int, now: datetime, allowance: int = 30) -> bool:
    with Work(database) as work:
        decision = pending.owed(work.session, game_id)
        assert decision is not None
        taken = automatic.take_day(work, decision, now, allowance=allowance)
        work.commit()
    return taken


def taken(database: Database, player_id: int = ALICE) -> list[Leave]:
    with database.read() as session:
        return leave.of_player(session, player_id)


def at(text: str, zone: str = "UTC") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


# -- days -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "first", "last", "start", "end", "days"),
    [
        ("UTC", "2026-12-24", "2026-12-26", "2026-12-24T00:00+00:00", "2026-12-27T00:00+00:00", 3),
        ("Europe/Paris", "2027-03-28", "2027-03-28", "2027-03-27T23:00+00:00", "2027-03-28T22:00+00:00", 1),
        ("Europe/Paris", "2027-10-31", "2027-10-31", "2027-10-30T22:00+00:00", "2027-10-31T23:00+00:00", 1),
        ("Pacific/Kiritimati", "2027-01-01", "2027-01-01", "2026-12-31T10:00+00:00", "2027-01-01T10:00+00:00", 1),
        ("Pacific/Pago_Pago", "2026-12-31", "2026-12-31", "2026-12-31T11:00+00:00", "2027-01-01T11:00+00:00", 1),
        ("America/Santiago", "2027-09-05", "2027-09-05", "2027-09-05T04:00+00:00", "2027-09-06T03:00+00:00", 1),
    ],
)  # fmt: skip
def test_planned_leave_is_whole_days_of_the_players_zone(
    sqlite_database: Database, zone: str, first: str, last: str, start: str, end: str, days: int
) -> None:
    """Clocks that change make days of 23 and 25 hours; in Santiago the day begins an hour late that spring."""
    begin_game(sqlite_database)
    in_zone(sqlite_database, zone)
    plan(sqlite_database, first, last)
    (one,) = taken(sqlite_database)
    assert (one.from_at, one.to_at, one.days) == (datetime.fromisoformat(start), datetime.fromisoformat(end), days)
    assert a_year([one.away]) == Counter({date.fromisoformat(first).year: days})


def begin_game(database: Database, pace: Any = 7 * DAY) -> int:
    game_id = start(database, pace=pace)
    deliver(database, NOW)
    return game_id


def test_leave_over_new_year_takes_days_of_each_year(sqlite_database: Database) -> None:
    begin_game(sqlite_database)
    plan(sqlite_database, "2026-12-30", "2027-01-02")
    assert a_year(one.away for one in taken(sqlite_database)) == Counter({2026: 2, 2027: 2})
    plan(sqlite_database, "2026-12-01", "2026-12-28")
    with pytest.raises(NotAccepted, match=r"leave\.allowance"):
        plan(sqlite_database, "2026-12-29", "2026-12-29")
    plan(sqlite_database, "2027-02-01", "2027-02-28")
    with pytest.raises(NotAccepted, match=r"leave\.allowance"):
        plan(sqlite_database, "2027-03-01", "2027-03-01")


def test_february_29_is_a_day_like_others(sqlite_database: Database) -> None:
    now = at("2028-02-01T12:00")
    game = start(sqlite_database, pace=7 * DAY, now=now)
    plan(sqlite_database, "2028-02-28", "2028-03-01", now=now)
    assert [one.days for one in taken(sqlite_database)] == [3]
    deliver(sqlite_database, at("2028-02-27T12:00"))
    assert load(sqlite_database, game).deadline_at == at("2028-03-08T12:00") and 27 + 7 + 3 - 29 == 8


def test_a_player_who_moves_has_no_more_and_no_fewer_days(sqlite_database: Database) -> None:
    begin_game(sqlite_database)
    in_zone(sqlite_database, "Pacific/Kiritimati")
    plan(sqlite_database, "2026-12-02", "2026-12-31")
    in_zone(sqlite_database, "Pacific/Pago_Pago")
    assert a_year(one.away for one in taken(sqlite_database)) == Counter({2026: 30})
    with pytest.raises(NotAccepted, match=r"leave\.allowance"):
        plan(sqlite_database, "2026-12-31", "2026-12-31")


def test_leave_now_begins_at_once_and_today_is_its_first_day(sqlite_database: Database) -> None:
    game = begin_game(sqlite_database)
    in_zone(sqlite_database, "Europe/Paris")
    one = leave.start_now(sqlite_database, ALICE, 3, now=NOW, allowance=30)
    again = [leave.start_now(sqlite_database, ALICE, 3, now=NOW + n * HOUR, allowance=30) for n in range(6)]
    assert again == [one] * 3 + [again[3]] * 3, "pressed six times it is one, until midnight in Paris at 23:00 UTC"
    first, second = taken(sqlite_database)
    assert (first.from_at, first.to_at, first.days) == (NOW, at("2026-11-24T00:00", "Europe/Paris"), 3)
    assert (second.from_at, second.days) == (first.to_at, 1), "after midnight three days are one more"
    assert load(sqlite_database, game).deadline_at == NOW + 7 * DAY + (second.to_at - NOW)


def test_leave_does_not_overlap_leave(sqlite_database: Database) -> None:
    begin_game(sqlite_database)
    plan(sqlite_database, "2026-12-10", "2026-12-12")
    for first, last in (("2026-12-12", "2026-12-13"), ("2026-12-01", "2026-12-10"), ("2026-12-11", "2026-12-11")):
        with pytest.raises(NotAccepted, match=r"leave\.overlap") as refused:
            plan(sqlite_database, first, last)
        assert refused.value.why.values == {"first": "2026-12-10", "last": "2026-12-12"}
    plan(sqlite_database, "2026-12-13", "2026-12-13")
    for first, last, code in (
        ("2026-11-21", "2026-11-22", "past"),
        ("2026-12-20", "2026-12-19", "order"),
        ("2028-01-01", "2028-01-02", "far"),
    ):
        with pytest.raises(NotAccepted, match=rf"leave\.{code}"):
            plan(sqlite_database, first, last)


def test_leave_that_ends_early_gives_untouched_days_back(sqlite_database: Database) -> None:
    game = begin_game(sqlite_database)
    number = plan(sqlite_database, "2026-11-23", "2026-11-27")
    assert load(sqlite_database, game).deadline_at == NOW + 12 * DAY
    give_up(sqlite_database, ALICE, number, now=at("2026-11-24T09:00"))
    give_up(sqlite_database, ALICE, number, now=at("2026-11-26T09:00"))
    (one,) = taken(sqlite_database)
    assert (one.to_at, one.days) == (at("2026-11-24T09:00"), 2)
    assert load(sqlite_database, game).deadline_at == NOW + 8 * DAY + 9 * HOUR
    other = plan(sqlite_database, "2026-12-24", "2026-12-31", now=at("2026-11-24T10:00"))
    give_up(sqlite_database, ALICE, other, now=at("2026-12-01T10:00"))
    give_up(sqlite_database, ALICE, other, now=at("2026-12-01T11:00"))
    assert [one.days for one in taken(sqlite_database)] == [2], "cancelled before it began: nothing is taken"
    with pytest.raises(NotAccepted, match=r"leave\.unknown"):
        give_up(sqlite_database, BOB, number, now=NOW)


def test_leave_begun_and_ended_three_times_in_a_day_costs_that_day_once(sqlite_database: Database) -> None:
    game = begin_game(sqlite_database, Pace(leave_days=1))
    for minute in (0, 10, 20):
        number = leave.start_now(sqlite_database, ALICE, 1, now=NOW + timedelta(minutes=minute), allowance=1)
        give_up(sqlite_database, ALICE, number, now=NOW + timedelta(minutes=minute + 5))
    assert a_year(one.away for one in taken(sqlite_database)) == Counter({NOW.year: 1})
    assert load(sqlite_database, game).deadline_at == NOW + 7 * DAY + timedelta(minutes=15), "a game honours all three"
    with sqlite_database.read() as session:
        told = session.exec(select(OutboxMail.player_id).where(OutboxMail.kind == "leave")).all()
    assert told == [BOB], "and the others are told once"
    with pytest.raises(NotAccepted, match=r"leave\.allowance"):
        leave.start_now(sqlite_database, ALICE, 2, now=NOW + HOUR, allowance=1)
    other = begin_game(sqlite_database, 2 * HOUR)
    due = load(sqlite_database, other).deadline_at
    assert due == NOW + 2 * HOUR + timedelta(minutes=15)
    assert by_itself(sqlite_database, other, due, allowance=1), "the rest of a day that counted is free"
    assert load(sqlite_database, other).deadline_at > due


# -- the allowance ----------------------------------------------------------------------------------

requests = st.one_of(
    st.tuples(st.just("plan"), st.integers(0, 60), st.integers(0, 9)),
    st.tuples(st.just("now"), st.integers(0, 0), st.integers(0, 9)),
    st.tuples(st.just("end"), st.integers(0, 9), st.integers(0, 0)),
    st.tuples(st.just("wait"), st.integers(0, 400), st.integers(0, 0)),
    st.tuples(st.just("move"), st.integers(0, 3), st.integers(0, 0)),
    st.tuples(st.just("late"), st.integers(0, 0), st.integers(0, 0)),
)
ZONES = ("UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Paris")


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(requests, max_size=25))
def test_no_order_of_requests_takes_more_than_the_allowance(
    sqlite_database: Database, asked: list[tuple[str, int, int]]
) -> None:
    """Planned, immediate, ended, late, moved from zone to zone, around a new year: at most ten days a year."""
    game = begin_game(sqlite_database, pace=3 * DAY)
    write(sqlite_database, sa.delete(Leave), sa.update(Player).values(zone="UTC"))
    now = at("2026-12-10T12:00")
    for what, n, days in asked:
        try:
            if what == "plan":
                first = now.date() + n * DAY
                leave.plan(sqlite_database, ALICE, first, first + days * DAY, now=now, allowance=10)
            elif what == "now":
                leave.start_now(sqlite_database, ALICE, days, now=now, allowance=10)
            elif what == "end":
                numbers = [one.id for one in taken(sqlite_database)]
                give_up(sqlite_database, ALICE, numbers[n % len(numbers)], now=now) if numbers else None
            elif what == "move":
                in_zone(sqlite_database, ZONES[n])
            elif what == "late":
                by_itself(sqlite_database, game, now, allowance=10)
            else:
                now += n * HOUR
        except NotAccepted:
            pass
        leaves = taken(sqlite_database)
        assert max(a_year(one.away for one in leaves).values(), default=0) <= 10
        dates = {(one.zone, day) for one in leaves for day in one.away.dates}
        assert len(dates) == sum(a_year(one.away for one in leaves).values()) <= sum(one.days for one in leaves)


def test_requests_at_once_do_not_take_more_than_the_allowance(database: Database) -> None:
    begin_game(database)
    days = [date(2026, 12, 1) + n * 2 * DAY for n in range(8)]
    asked = [lambda day=day: leave.plan(database, ALICE, day, day + DAY, now=NOW, allowance=5) for day in days]
    assert codes_of(*asked) == ["done"] * 2 + ["leave.allowance"] * 6
    assert sum(one.days for one in taken(database)) == 4


def test_the_same_leave_at_once_is_one(database: Database) -> None:
    begin_game(database)
    given_numbers = at_once(*[lambda: leave.start_now(database, ALICE, 4, now=NOW, allowance=5)] * 6)
    assert len(set(given_numbers)) == 1 and len(taken(database)) == 1


# -- clocks -----------------------------------------------------------------------------------------


def test_leave_stops_the_clocks_of_that_player_alone(sqlite_database: Database) -> None:
    mine, other = begin_game(sqlite_database), begin_game(sqlite_database)
    leave.plan(sqlite_database, BOB, date(2026, 11, 23), date(2026, 11, 24), now=NOW, allowance=30)
    assert {load(sqlite_database, game).deadline_at for game in (mine, other)} == {NOW + 7 * DAY}
    plan(sqlite_database, "2026-11-23", "2026-11-24")
    assert {load(sqlite_database, game).deadline_at for game in (mine, other)} == {NOW + 9 * DAY}


def test_a_game_honours_as_many_days_as_its_pace_says(sqlite_database: Database) -> None:
    strict = begin_game(sqlite_database, Pace(leave_days=2))
    none = begin_game(sqlite_database, Pace(leave_days=0))
    plan(sqlite_database, "2026-11-23", "2026-11-26")
    assert load(sqlite_database, strict).deadline_at == NOW + 9 * DAY
    assert load(sqlite_database, none).deadline_at == NOW + 7 * DAY


@given(st.lists(st.tuples(st.integers(0, 700), st.integers(1, 12)), max_size=12), st.integers(0, 40))
def test_the_first_days_of_each_year_are_honoured(spans: list[tuple[int, int]], most: int) -> None:
    start_of = datetime(2026, 1, 1, tzinfo=UTC)
    leaves, busy = [], set[int]()
    for first, days in spans:
        if busy.isdisjoint(range(first, first + days)):
            busy |= set(range(first, first + days))
            leaves.append(Away(start_of + first * DAY, start_of + (first + days) * DAY, "UTC"))
    found = honoured(leaves, most)
    covered = Counter((span.start + n * DAY).year for span in found for n in range((span.end - span.start).days))
    assert covered == Counter({y: min(n, most) for y, n in a_year(leaves).items() if most})
    assert all(any(away.start <= span.start < away.end for away in leaves) for span in found)


def test_no_reminder_comes_during_leave_but_at_its_end(sqlite_database: Database) -> None:
    begin_game(sqlite_database)  # half time would be on the 25th at 8:00, a day before the end on the 27th
    plan(sqlite_database, "2026-11-25", "2026-11-26")
    hours = [NOW + hour * HOUR for hour in range(10 * 24)]
    told = [hour for hour in hours if remind(sqlite_database, hour)]
    assert told == [at("2026-11-27T08:00"), at("2026-11-29T20:00")], (
        "half time of what the clock runs, and the day before"
    )


# -- by itself --------------------------------------------------------------------------------------


def test_a_day_is_taken_before_somebody_is_late(database: Database) -> None:
    game = begin_game(database, pace=3 * DAY)
    due = NOW + 3 * DAY
    assert not by_itself(database, game, due - HOUR), "there is time left"
    assert by_itself(database, game, due, allowance=2)
    assert load(database, game).deadline_at == due + DAY
    assert not by_itself(database, game, due + HOUR, allowance=2)
    assert by_itself(database, game, due + DAY + HOUR, allowance=2)
    assert load(database, game).deadline_at == due + 2 * DAY
    assert not by_itself(database, game, due + 3 * DAY, allowance=2), "two days are the allowance"
    assert [(one.kind, one.from_at, one.days) for one in taken(database)] == [
        ("automatic", at("2026-11-24T00:00"), 1),
        ("automatic", at("2026-11-25T00:00"), 1),
    ]
    deliver(database, due + 2 * DAY)
    told = [(mail.to, mail.subject) for mail in kept(database) if "leave" in mail.kind]
    mine = "A day of leave taken in Ferry against bob (turn 1), until Thu 26 Nov · #1"
    assert told == [
        ("alice@example.org", mine),
        ("bob@example.org", "alice is on leave until Wed 25 Nov"),
        ("alice@example.org", mine),
    ]
    with database.read() as session:
        asked = sa.select(ClockNote.kind, ClockNote.cause, ClockNote.by_id)  # type: ignore[call-overload]
        events = session.execute(asked).all()
    assert [tuple(row) for row in events] == [("leave", "pace", None)] * 2


def test_no_day_is_taken_from_whom_does_not_want_it_or_where_it_would_not_help(sqlite_database: Database) -> None:
    honours_none = begin_game(sqlite_database, Pace(decision=86400, leave_days=0))
    assert not by_itself(sqlite_database, honours_none, NOW + 2 * DAY)
    game = begin_game(sqlite_database, pace=DAY)
    in_zone(sqlite_database, "UTC", auto_leave=False)
    assert not by_itself(sqlite_database, game, NOW + 2 * DAY)
    assert taken(sqlite_database) == []


# -- telling the others -----------------------------------------------------------------------------


def test_the_others_get_one_mail_for_a_leave_however_many_games(database: Database) -> None:
    for seats in (2, 3, 2):
        start(database, seats=seats)
    deliver(database, NOW)
    in_zone(database, "Europe/Paris", BOB)
    plan(database, "2026-12-24", "2026-12-26")
    deliver(database, NOW + HOUR)
    told = kept(database, "leave")
    assert [mail.to for mail in told] == ["bob@example.org", "carol@example.org"]
    assert told[0].subject == "alice is on leave until Sun 27 Dec"
    assert (
        "bob, alice is on leave from Thu 24 Dec, 01:00 (CET) to Sun 27 Dec, 01:00 (CET). The clocks of alice stand "
        "still, those of all others run on."
    ) in told[0].words
    assert "List-Unsubscribe" in told[0].headers


def test_leave_given_up_before_its_mail_went_out_is_not_told(sqlite_database: Database) -> None:
    begin_game(sqlite_database)
    number = plan(sqlite_database, "2026-12-24", "2026-12-26")
    give_up(sqlite_database, ALICE, number, now=NOW)
    deliver(sqlite_database, NOW + HOUR)
    assert kept(sqlite_database, "leave") == []


def test_organisers_of_an_event_are_told_of_leave_in_its_games(database: Database) -> None:
    """The owner of the club does not play; one deputy plays against the player; a referee and a member are not told."""
    made = season(database, players=4)
    with database.read() as session:
        pairs = session.scalars(
            sa.select(GameSeat).order_by(GameSeat.game_id, GameSeat.place)  # type: ignore[arg-type]
        ).all()
    leaver, opponent, *others = [row.player_id for row in pairs]
    with database.write() as session:
        for player, role in ((opponent, "deputy"), (others[0], "referee"), (others[1], "member")):
            session.execute(sa.delete(Member).where(Member.player_id == player))
            values = {"club_id": made.club, "player_id": player, "role": role, "status": "member", "since": NOW}
            session.execute(sa.insert(Member).values(**values))
        session.execute(sa.delete(OutboxMail))
        session.commit()
    days = date(2026, 12, 24), date(2026, 12, 26)
    leave.plan(database, leaver, *days, now=NOW, allowance=30)
    leave.plan(database, made.organiser, *days, now=NOW, allowance=30)
    deliver(database, NOW)
    told = {mail.to: mail for mail in kept(database, "leave")}
    assert sorted(told) == sorted([f"p{made.organiser - 1}@example.org", f"p{opponent - 1}@example.org"])
    organiser, other = told[f"p{made.organiser - 1}@example.org"], told[f"p{opponent - 1}@example.org"]
    assert f"p{leaver - 1} is on leave from Thu 24 Dec" in organiser.words
    assert "because you organise Cup." in organiser.words and f"/events/{made.event}" in organiser.text
    assert "organise" not in other.words and "/games" in other.text
