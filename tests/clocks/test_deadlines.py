"""Deadlines written out: every kind of pace, both daylight-saving changes, leap day, and zones at the date line."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from app.clocks.clock import NEVER, Span, Standstill, counted, deadline, midnight, moment, stands
from app.clocks.pace import DAY, HOUR, Pace

WEEKEND = ("sat", "sun")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def in_zone(text: str, zone: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


def due(pace: Pace, start: datetime, standstill: Standstill = NEVER) -> datetime:
    return deadline(pace, start, pace.budget(pace.bank if pace.has_bank else None), standstill)


# -- what a pace gives --------------------------------------------------------------------------------


def test_days_for_each_decision_are_days_of_24_hours() -> None:
    assert due(Pace(decision=3 * DAY), utc("2026-11-21T20:00")) == utc("2026-11-24T20:00")


def test_a_moment_in_any_zone_is_the_same_moment() -> None:
    at = in_zone("2026-11-21T21:00", "Europe/Paris")
    assert deadline(Pace(), at, HOUR) == utc("2026-11-21T21:00")
    assert deadline(Pace(), at, HOUR).tzinfo is UTC


def test_free_hours_come_on_top_and_cost_a_bank_nothing() -> None:
    pace = Pace(decision=0, free=12 * HOUR, bank=2 * DAY, increment=DAY, cap=3 * DAY)
    assert due(pace, utc("2026-11-21T20:00")) == utc("2026-11-24T08:00")
    assert pace.bank_after(2 * DAY, 12 * HOUR, turn_ended=False) == 2 * DAY
    assert pace.bank_after(2 * DAY, 13 * HOUR, turn_ended=False) == 2 * DAY - HOUR


def test_an_increment_is_put_in_when_the_turn_ends_and_never_beyond_the_cap() -> None:
    """Fischer: 20 days and one more per turn, at most 30."""
    pace = Pace(decision=0, bank=20 * DAY, increment=DAY, cap=30 * DAY)
    assert pace.bank_after(20 * DAY, 3 * DAY, turn_ended=True) == 18 * DAY
    assert pace.bank_after(20 * DAY, 3 * DAY, turn_ended=False) == 17 * DAY
    assert pace.bank_after(30 * DAY, HOUR, turn_ended=True) == 30 * DAY
    assert pace.bank_after(DAY, 5 * DAY, turn_ended=True) == DAY, "a bank is empty, not in debt"


def test_time_for_the_decision_is_used_before_the_bank() -> None:
    pace = Pace(decision=DAY, bank=5 * DAY, cap=5 * DAY)
    assert due(pace, utc("2026-11-21T20:00")) == utc("2026-11-27T20:00")
    assert pace.bank_after(5 * DAY, DAY, turn_ended=True) == 5 * DAY
    assert pace.bank_after(5 * DAY, 2 * DAY, turn_ended=True) == 4 * DAY


# -- days on which it stands ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2026-11-19T20:00", "2026-11-20T20:00"),  # Thursday
        ("2026-11-20T20:00", "2026-11-23T20:00"),  # Friday evening: three hours run before the weekend
        ("2026-11-21T12:00", "2026-11-23T23:00"),  # on a Saturday it begins to run on Monday, 00:00 in Paris
        ("2026-11-22T22:59", "2026-11-23T23:00"),  # Sunday 23:59 in Paris
        ("2026-11-22T23:00", "2026-11-23T23:00"),  # Monday 00:00 in Paris
    ],
)
def test_weekends_are_free_in_the_zone_of_the_pace(start: str, end: str) -> None:
    pace = Pace(decision=DAY, days_off=WEEKEND, zone="Europe/Paris")
    assert due(pace, utc(start)) == utc(end)


def test_a_clock_that_runs_out_as_the_weekend_begins_does_not_get_the_weekend() -> None:
    pace = Pace(decision=4 * HOUR, days_off=WEEKEND, zone="Europe/Paris")
    assert due(pace, utc("2026-11-20T19:00")) == utc("2026-11-20T23:00")
    assert deadline(pace, utc("2026-11-20T19:00"), 4 * HOUR + 1) == utc("2026-11-22T23:00:01")


def test_holidays_stand_still_and_join_the_weekend_before_them() -> None:
    """Friday 25 December 2026, then the weekend, then Monday as a holiday of the club."""
    off = Standstill(holidays=frozenset({date(2026, 12, 25), date(2026, 12, 28)}))
    pace = Pace(decision=2 * DAY, days_off=WEEKEND, zone="Europe/Paris")
    assert due(pace, utc("2026-12-23T23:00"), off) == utc("2026-12-29T23:00")
    assert next(stands(pace, utc("2026-12-23T23:00"), off)) == Span(utc("2026-12-24T23:00"), utc("2026-12-28T23:00"))


def test_holidays_without_free_weekdays() -> None:
    off = Standstill(holidays=frozenset({date(2026, 12, 25), date(2027, 1, 1)}))
    assert due(Pace(decision=10 * DAY), utc("2026-12-24T12:00"), off) == utc("2027-01-05T12:00")
    assert due(Pace(decision=DAY), utc("2027-01-02T12:00"), off) == utc("2027-01-03T12:00")


def test_holidays_of_far_years_count_too() -> None:
    off = Standstill(holidays=frozenset({date(2036, 12, 25)}))
    start = utc("2026-12-24T12:00")
    assert deadline(Pace(), start, 20 * 366 * DAY, off) == start + timedelta(days=20 * 366 + 1)


def test_standstills_that_overlap_count_once() -> None:
    """Leave from Thursday to Tuesday over a weekend, an outage of three hours within and one across its beginning."""
    leave = Span(utc("2026-11-19T00:00"), utc("2026-11-24T00:00"))
    outages = (
        Span(utc("2026-11-21T03:00"), utc("2026-11-21T06:00")),
        Span(utc("2026-11-18T22:00"), utc("2026-11-19T02:00")),
    )
    pace = Pace(decision=DAY, days_off=WEEKEND)
    assert due(pace, utc("2026-11-18T12:00"), Standstill((leave, *outages))) == utc("2026-11-24T14:00")
    assert counted(pace, utc("2026-11-18T12:00"), utc("2026-11-24T14:00"), Standstill((*outages, leave))) == DAY


def test_a_standstill_that_was_over_before_the_start_counts_nothing() -> None:
    gone = Standstill((Span(utc("2026-11-18T00:00"), utc("2026-11-20T00:00")),))
    assert due(Pace(decision=DAY), utc("2026-11-20T00:00"), gone) == utc("2026-11-21T00:00")
    assert due(Pace(decision=DAY), utc("2026-11-19T00:00"), gone) == utc("2026-11-21T00:00")


def test_what_begins_as_the_clock_runs_out_puts_nothing_off() -> None:
    later = Standstill((Span(utc("2026-11-21T00:00"), utc("2026-11-25T00:00")),))
    assert due(Pace(decision=DAY), utc("2026-11-20T00:00"), later) == utc("2026-11-21T00:00")


# -- the deadline hour -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2026-11-20T18:00", "2026-11-23T19:00"),  # Friday 19:00 in Paris and three days: Monday 20:00
        ("2026-11-20T19:00", "2026-11-23T19:00"),  # exactly at the hour
        ("2026-11-20T19:01", "2026-11-24T19:00"),  # a minute after it: the day after
    ],
)
def test_a_deadline_is_put_off_to_the_hour(start: str, end: str) -> None:
    assert due(Pace(decision=3 * DAY, hour="20:00", zone="Europe/Paris"), utc(start)) == utc(end)


def test_the_hour_is_that_of_a_day_that_counts() -> None:
    pace = Pace(decision=DAY, hour="20:00", zone="Europe/Paris", days_off=WEEKEND)
    assert due(pace, utc("2026-11-19T20:00")) == utc("2026-11-23T19:00"), "Friday 21:00 goes on to Monday 20:00"
    holiday = Standstill(holidays=frozenset({date(2026, 11, 23)}))
    assert due(pace, utc("2026-11-19T20:00"), holiday) == utc("2026-11-24T19:00")
    away = Standstill((Span(utc("2026-11-23T12:00"), utc("2026-11-25T12:00")),))
    assert due(pace, utc("2026-11-19T20:00"), away) == utc("2026-11-25T19:00")


# -- daylight saving ---------------------------------------------------------------------------------------

NORTH = Pace(decision=DAY, hour="20:00", zone="Europe/Paris")
SOUTH = Pace(decision=DAY, hour="20:00", zone="Australia/Sydney")


@pytest.mark.parametrize(
    ("pace", "start", "end"),
    [
        # Spring in Europe, Sunday 29 March 2026 at 02:00: Saturday 20:00 and 24 hours is Sunday 21:00, so Monday.
        (NORTH, "2026-03-27T20:00", "2026-03-28T20:00"),
        (NORTH, "2026-03-28T20:00", "2026-03-30T20:00"),
        (NORTH, "2026-03-28T19:00", "2026-03-29T20:00"),
        # Autumn, Sunday 25 October 2026 at 03:00: the day has 25 hours.
        (NORTH, "2026-10-24T20:00", "2026-10-25T20:00"),
        (NORTH, "2026-10-24T21:00", "2026-10-25T20:00"),
        (NORTH, "2026-10-24T21:01", "2026-10-26T20:00"),
        # Autumn in Sydney, Sunday 5 April 2026 at 03:00; spring, Sunday 4 October 2026 at 02:00.
        (SOUTH, "2026-04-04T20:00", "2026-04-05T20:00"),
        (SOUTH, "2026-04-04T21:00", "2026-04-05T20:00"),
        (SOUTH, "2026-10-03T20:00", "2026-10-05T20:00"),
        (SOUTH, "2026-10-03T19:00", "2026-10-04T20:00"),
    ],
)
def test_a_day_is_24_hours_and_the_hour_is_the_clock_on_the_wall(pace: Pace, start: str, end: str) -> None:
    assert due(pace, in_zone(start, pace.zone)) == in_zone(end, pace.zone)


@pytest.mark.parametrize(
    ("zone", "sunday", "hours"),
    [
        ("Europe/Paris", date(2026, 3, 29), 23),
        ("Europe/Paris", date(2026, 10, 25), 25),
        ("Australia/Sydney", date(2026, 10, 4), 23),
        ("Australia/Sydney", date(2026, 4, 5), 25),
        ("Australia/Lord_Howe", date(2026, 10, 4), 23.5),
        ("America/Havana", date(2026, 3, 8), 23),  # 00:00 becomes 01:00
        ("America/Havana", date(2026, 11, 1), 25),  # 01:00 becomes 00:00: midnight comes twice
        ("Atlantic/Azores", date(2026, 10, 25), 25),
        ("America/Sao_Paulo", date(2018, 11, 4), 23),  # 00:00 became 01:00
        ("America/Sao_Paulo", date(2018, 2, 17), 25),  # 00:00 became 23:00 of the day before
    ],
)
def test_a_free_day_is_as_long_as_it_is_in_its_zone(zone: str, sunday: date, hours: float) -> None:
    start = midnight(sunday, ZoneInfo(zone)) - timedelta(hours=1)
    off = Standstill(holidays=frozenset({sunday}))
    pace = Pace(zone=zone)
    assert deadline(pace, start, 2 * HOUR, off) == start + timedelta(hours=2 + hours)
    assert next(stands(pace, start, off)) == Span(
        midnight(sunday, ZoneInfo(zone)), midnight(sunday + timedelta(days=1), ZoneInfo(zone))
    )


@pytest.mark.parametrize(
    ("zone", "day", "begins"),
    [
        ("America/Sao_Paulo", date(2018, 11, 4), "2018-11-04T03:00"),  # begins at 01:00
        ("America/Sao_Paulo", date(2026, 11, 4), "2026-11-04T03:00"),
        ("America/Havana", date(2026, 3, 8), "2026-03-08T05:00"),
        ("America/Havana", date(2026, 11, 1), "2026-11-01T04:00"),  # the first of its two midnights
        ("Atlantic/Azores", date(2026, 10, 25), "2026-10-25T00:00"),
        ("Atlantic/Azores", date(2026, 3, 29), "2026-03-29T01:00"),
        ("Africa/Cairo", date(2026, 4, 24), "2026-04-23T22:00"),
        ("Asia/Beirut", date(2026, 3, 29), "2026-03-28T22:00"),
    ],
)
def test_a_day_begins_with_its_first_moment(zone: str, day: date, begins: str) -> None:
    assert midnight(day, ZoneInfo(zone)) == utc(begins)


@pytest.mark.parametrize(
    ("zone", "at", "then"),
    [
        ("Europe/Paris", "2026-03-29T02:30", "2026-03-29T01:00"),  # left out: the first moment after it
        ("Europe/Paris", "2026-03-29T02:00", "2026-03-29T01:00"),
        ("Europe/Paris", "2026-03-29T03:00", "2026-03-29T01:00"),
        ("Europe/Paris", "2026-10-25T02:30", "2026-10-25T01:30"),  # twice: the later one
        ("Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30"),
        ("America/Sao_Paulo", "2018-11-04T00:30", "2018-11-04T03:00"),
    ],
)
def test_an_hour_that_comes_twice_or_never(zone: str, at: str, then: str) -> None:
    given = datetime.fromisoformat(at)
    assert moment(given.date(), given.time(), ZoneInfo(zone)) == utc(then)
    pace = Pace(decision=HOUR, hour=at[11:], zone=zone)
    assert due(pace, utc(then) - timedelta(hours=2)) == utc(then)


# -- the calendar -----------------------------------------------------------------------------------------


def test_leap_day_is_a_day() -> None:
    assert due(Pace(decision=7 * DAY), utc("2028-02-25T12:00")) == utc("2028-03-03T12:00")
    assert due(Pace(decision=7 * DAY), utc("2027-02-25T12:00")) == utc("2027-03-04T12:00")
    off = Standstill(holidays=frozenset({date(2028, 2, 29)}))
    assert due(Pace(decision=7 * DAY), utc("2028-02-25T12:00"), off) == utc("2028-03-04T12:00")
    weekend = Pace(decision=DAY, days_off=("tue",), hour="12:00")
    assert due(weekend, utc("2028-02-28T13:00")) == utc("2028-03-02T12:00"), "29 February 2028 is a Tuesday"


def test_the_year_ends_within_a_row_of_days_off() -> None:
    """1 January 2028 is a Saturday; the last days of 2027 are holidays."""
    off = Standstill(holidays=frozenset({date(2027, 12, 30), date(2027, 12, 31)}))
    pace = Pace(decision=DAY, days_off=WEEKEND, zone="Pacific/Kiritimati")
    assert due(pace, in_zone("2027-12-29T12:00", pace.zone), off) == in_zone("2028-01-03T12:00", pace.zone)


@pytest.mark.parametrize(
    ("zone", "start", "end"),
    [
        # The same moment is Saturday in Kiritimati (+14), still Friday in Pago Pago (-11).
        ("Pacific/Kiritimati", "2026-11-20T10:00", "2026-11-23T10:00"),
        ("Pacific/Apia", "2026-11-20T10:59", "2026-11-23T10:59"),
        ("Pacific/Apia", "2026-11-20T11:00", "2026-11-23T11:00"),
        ("Pacific/Pago_Pago", "2026-11-20T10:00", "2026-11-21T10:00"),
        ("Pacific/Pago_Pago", "2026-11-20T11:01", "2026-11-23T11:01"),
    ],
)
def test_weekends_at_the_date_line(zone: str, start: str, end: str) -> None:
    pace = Pace(decision=DAY, days_off=WEEKEND, zone=zone)
    assert due(pace, utc(start)) == utc(end)


def test_a_day_that_a_zone_left_out_stops_no_clock() -> None:
    """Samoa went from Thursday 29 to Saturday 31 December 2011."""
    start = in_zone("2011-12-29T12:00", "Pacific/Apia").astimezone(UTC)
    friday = Standstill(holidays=frozenset({date(2011, 12, 30)}))
    assert due(Pace(decision=DAY, zone="Pacific/Apia"), start, friday) == start + timedelta(days=1)
    assert list(stands(Pace(zone="Pacific/Apia"), start, friday)) == []
    row = Standstill(holidays=frozenset(date(2011, 12, day) for day in (29, 30, 31)))
    assert list(stands(Pace(zone="Pacific/Apia"), start, row)) == [
        Span(utc("2011-12-29T10:00"), in_zone("2012-01-01T00:00", "Pacific/Apia").astimezone(UTC))
    ]


# -- how long a clock ran ------------------------------------------------------------------------------------


def test_the_time_that_ran_is_whole_seconds_without_standstills() -> None:
    pace = Pace(days_off=WEEKEND, zone="Europe/Paris")
    assert counted(pace, utc("2026-11-20T22:00"), utc("2026-11-23T01:30")) == 3 * HOUR + HOUR // 2
    assert counted(pace, utc("2026-11-21T00:00"), utc("2026-11-22T00:00")) == 0
    assert counted(pace, utc("2026-11-20T10:00:00.400"), utc("2026-11-20T10:00:02")) == 1
    assert counted(pace, utc("2026-11-20T10:00"), utc("2026-11-20T09:00")) == 0
