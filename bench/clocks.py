"""Measures the cost of a deadline, as a ratio to a bare `zoneinfo` conversion for each calendar day that it crosses.

A deadline crosses the days of its pace's zone from the start of the clock to its end. Each kind of pace is asked for a
thousand starts over a year; the days off of that year are cached after the first of them, as in a running server. The
cost of computing them is reported separately.
"""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from time import perf_counter
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from app.clocks import clock
from app.clocks.clock import NEVER, Span, Standstill, deadline
from app.clocks.pace import DAY, HOUR, Pace
from app.clocks.presets import PRESETS

MOST = 5.0
ROUNDS = 7
STARTS = [datetime(2026, 1, 1, 0, 7, tzinfo=UTC) + timedelta(hours=8, minutes=45) * n for n in range(1000)]
ZONE = "Europe/Paris"
HOLIDAYS = frozenset(
    date(2026, month, day) for month, day in ((1, 1), (4, 6), (5, 1), (5, 8), (7, 14), (8, 15), (12, 25))
)


def _leave(start: datetime) -> Standstill:
    """Return two outages and two stretches of leave, one of each over the weekend or a holiday."""
    spans = [(-DAY, 2 * HOUR), (DAY // 2, HOUR), (DAY, 3 * DAY), (6 * DAY, 2 * DAY)]
    return Standstill(
        tuple(Span(start + timedelta(seconds=at), start + timedelta(seconds=at + n)) for at, n in spans), HOLIDAYS
    )


PACES = {
    **{preset.id: preset.pace for preset in PRESETS},
    "a day until 20:00": Pace(decision=DAY, zone=ZONE, hour="20:00"),
    "a day, weekends free": Pace(decision=DAY, zone=ZONE, days_off=("sat", "sun")),
    "a day until 20:00, weekends free": Pace(decision=DAY, zone=ZONE, days_off=("sat", "sun"), hour="20:00"),
    "60 days until 20:00, weekends free": Pace(decision=60 * DAY, zone=ZONE, days_off=("sat", "sun"), hour="20:00"),
}


def main() -> int:
    zone = ZoneInfo(ZONE)
    for start in STARTS:
        start.astimezone(zone)
    bare = best(lambda: [start.astimezone(zone) for start in STARTS]) - best(lambda: [start for start in STARTS])
    print(f"a conversion: {bare * 1e3:.3f} µs")
    print(f"{'pace':40} {'holidays, leave':16} {'µs':>7} {'days':>6} {'ratio':>6}")
    worst = 0.0
    for name, pace in PACES.items():
        seconds = pace.budget(pace.bank or None)
        own = ZoneInfo(pace.zone)
        holidays = Standstill(holidays=HOLIDAYS)
        for what, stills in (
            ("", [NEVER] * len(STARTS)),
            ("holidays", [holidays] * len(STARTS)),
            ("both", [_leave(start) for start in STARTS]),
        ):
            asked = list(zip(STARTS, stills, strict=True))
            ends = [deadline(pace, start, seconds, still) for start, still in asked]
            days = sum(
                (end.astimezone(own).date() - start.astimezone(own).date()).days + 1
                for start, end in zip(STARTS, ends, strict=True)
            )
            took = best(lambda: [deadline(pace, start, seconds, still) for start, still in asked])  # noqa: B023
            ratio = took / (bare / len(STARTS) * days)
            worst = max(worst, ratio)
            print(f"{name:40} {what:16} {took * 1e3:7.3f} {days / len(STARTS):6.1f} {ratio:6.2f}")
    clock._off.cache_clear()
    clock.midnight.cache_clear()
    started = perf_counter()
    clock._off(ZONE, ("sat", "sun"), HOLIDAYS, 2025)
    print(f"working out the days off of {clock.YEARS} years: {(perf_counter() - started) * 1e3:.2f} ms, once a process")
    print(f"worst: {worst:.2f} (bound {MOST:.0f}): {'holds' if worst <= MOST else 'DOES NOT HOLD'}")
    return worst > MOST


def best(do: object) -> float:
    """Return the seconds of the fastest round."""
    found = []
    for _ in range(ROUNDS):
        started = perf_counter()
        do()  # type: ignore[operator]
        found.append(perf_counter() - started)
    return min(found)


if __name__ == "__main__":
    sys.exit(main())
