"""Properties of every pace and every standstill."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.clocks.clock import Span, Standstill, counted, deadline, stands
from app.clocks.pace import DAY, LONGEST, WEEKDAYS, Pace, read_pace, write_pace

ZONES = (
    "UTC", "Europe/Paris", "America/New_York", "Australia/Sydney", "Australia/Lord_Howe", "Pacific/Kiritimati",
    "Pacific/Apia", "Pacific/Pago_Pago", "America/Sao_Paulo", "America/Havana", "Africa/Casablanca", "Asia/Kathmandu",
)  # fmt: skip
moments = st.datetimes(datetime(2010, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC))
seconds = st.integers(1, 90 * DAY)
zones = st.sampled_from(ZONES)
weekdays = st.sets(st.sampled_from(WEEKDAYS), max_size=6).map(lambda days: tuple(d for d in WEEKDAYS if d in days))
hours = st.times().map(lambda at: at.strftime("%H:%M"))
paces = st.builds(Pace, days_off=weekdays, zone=zones)
paces_with_hours = st.builds(Pace, days_off=weekdays, zone=zones, hour=st.none() | hours)


@st.composite
def situations(draw: st.DrawFn) -> tuple[datetime, Standstill]:
    """Draw a start, and leave, outages and holidays around it that overlap freely."""
    start = draw(moments)
    spans = draw(st.lists(st.tuples(st.integers(-20 * DAY, 60 * DAY), st.integers(0, 15 * DAY)), max_size=6))
    days = draw(st.lists(st.integers(-10, 100), max_size=12))
    return start, Standstill(
        tuple(Span(start + timedelta(seconds=at), start + timedelta(seconds=at + long)) for at, long in spans),
        frozenset(start.date() + timedelta(days=day) for day in days),
    )


@given(paces, situations(), seconds)
def test_until_the_deadline_the_clock_has_run_what_it_was_given(
    pace: Pace, situation: tuple[datetime, Standstill], budget: int
) -> None:
    start, still = situation
    end = deadline(pace, start, budget, still)
    assert counted(pace, start, end, still) == budget
    assert counted(pace, start, end - timedelta(seconds=1), still) == budget - 1, "it is the first such moment"


@given(paces_with_hours, situations(), seconds, st.tuples(st.integers(-5 * DAY, 30 * DAY), st.integers(0, 20 * DAY)))
def test_more_standstill_never_makes_a_deadline_earlier(
    pace: Pace, situation: tuple[datetime, Standstill], budget: int, more: tuple[int, int]
) -> None:
    start, still = situation
    end = deadline(pace, start, budget, still)
    span = Span(start + timedelta(seconds=more[0]), start + timedelta(seconds=sum(more)))
    assert deadline(pace, start, budget, replace(still, spans=(*still.spans, span))) >= end
    holiday = start.date() + timedelta(days=more[0] // DAY)
    assert deadline(pace, start, budget, replace(still, holidays=still.holidays | {holiday})) >= end
    assert end >= deadline(replace(pace, hour=None), start, budget, still) >= start + timedelta(seconds=budget)


@given(paces_with_hours, situations(), seconds, st.integers(0, 5 * DAY), st.integers(0, 5 * DAY))
def test_more_time_and_a_later_start_never_make_a_deadline_earlier(
    pace: Pace, situation: tuple[datetime, Standstill], budget: int, more: int, later: int
) -> None:
    start, still = situation
    end = deadline(pace, start, budget, still)
    assert deadline(pace, start, budget + more, still) >= end
    assert deadline(pace, start + timedelta(seconds=later), budget, still) >= end


@given(paces, situations(), seconds, seconds)
def test_time_that_ran_adds_up(pace: Pace, situation: tuple[datetime, Standstill], first: int, second: int) -> None:
    start, still = situation
    middle, end = start + timedelta(seconds=first), start + timedelta(seconds=first + second)
    whole = counted(pace, start, end, still)
    parts = counted(pace, start, middle, still) + counted(pace, middle, end, still)
    assert whole - 1 <= parts <= whole, "parts of a second are left out of each"
    assert 0 <= whole <= first + second


@given(paces, situations())
def test_standstills_come_in_order_and_apart(pace: Pace, situation: tuple[datetime, Standstill]) -> None:
    start, still = situation
    found = list(islice(stands(pace, start, still), 50))
    assert all(span.start < span.end and span.end > start for span in found)
    assert all(before.end < after.start for before, after in pairwise(found))


@pytest.mark.slow
@given(paces, situations())
def test_what_stands_is_every_span_and_every_day_off(pace: Pace, situation: tuple[datetime, Standstill]) -> None:
    """Compared with the naive computation, hour by hour for a month."""
    start, still = situation
    found = list(islice(stands(pace, start, still), 100))
    for hour in range(24 * 30):
        at = start + timedelta(hours=hour)
        local: date = at.astimezone(ZoneInfo(pace.zone)).date()
        off = WEEKDAYS[local.weekday()] in pace.days_off or local in still.holidays
        off = off or any(span.start <= at < span.end for span in still.spans)
        assert any(span.start <= at < span.end for span in found) == off


@given(paces_with_hours, situations(), seconds)
def test_a_deadline_hour_is_that_hour_on_the_wall(
    pace: Pace, situation: tuple[datetime, Standstill], budget: int
) -> None:
    """Except right after the clocks have skipped it."""
    start, still = situation
    end = deadline(pace, start, budget, still)
    if pace.hour is None:
        return
    zone = ZoneInfo(pace.zone)
    local = end.astimezone(zone)
    if f"{local:%H:%M:%S}" != f"{pace.hour}:00":
        before = (end - timedelta(seconds=1)).astimezone(zone)
        assert before.utcoffset() != local.utcoffset()
        assert (
            f"{before:%m-%d %H:%M}" < f"{local:%m-%d} {pace.hour}" < f"{local:%m-%d %H:%M}" or local.day != before.day
        )


@given(st.integers(0, 40 * DAY), st.integers(0, 40 * DAY), st.integers(0, 40 * DAY), st.integers(0, 9 * DAY))
def test_a_bank_is_never_in_debt_and_never_beyond_its_cap(bank: int, cap: int, used: int, free: int) -> None:
    pace = Pace(decision=0, free=free, bank=min(bank, cap), increment=min(DAY, cap), cap=cap)
    left = pace.bank_after(pace.bank, used, turn_ended=False)
    assert 0 <= left <= pace.bank
    assert left == pace.bank or used > free
    assert left <= pace.bank_after(pace.bank, used, turn_ended=True) <= cap


@given(
    st.builds(
        Pace,
        decision=st.integers(1, LONGEST), free=st.integers(0, DAY), days_off=weekdays, zone=zones,
        hour=st.none() | hours, mail_limit=st.integers(0, LONGEST), leave_days=st.integers(0, 60),
    )
)  # fmt: skip
def test_a_pace_survives_being_written_and_read(pace: Pace) -> None:
    assert read_pace(write_pace(pace)) == pace
