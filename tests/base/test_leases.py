"""The pauses after failed attempts, the threads that look for work, and how they are told to stop."""

from __future__ import annotations

import logging
import os
import signal
import threading
from datetime import timedelta

import pytest

from app.base.process.stopping import until_told
from app.base.stored.leases import Pauses, keep_looking

log = logging.getLogger("postroad.test")


def test_after_the_last_pause_a_row_is_given_up() -> None:
    pauses = Pauses([timedelta(seconds=1), timedelta(seconds=5)])
    assert [pauses.after(tries) for tries in (1, 2, 3, 4)] == [timedelta(seconds=1), timedelta(seconds=5), None, None]


def test_work_is_looked_for_at_once_after_some_was_found_and_when_woken() -> None:
    stop, woken, found = threading.Event(), threading.Event(), iter([True, True, False, False])
    calls: list[bool] = []

    def work() -> bool:
        calls.append(next(found))
        woken.set()  # nobody waits an hour
        if len(calls) == 4:
            stop.set()
        return calls[-1]

    keep_looking(stop, work, 3600, log, "the test failed", woken=woken)
    assert calls == [True, True, False, False]


def test_an_error_is_logged_and_the_looking_goes_on(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.base.stored.leases.AFTER_A_FAILURE_SECONDS", 0.01)
    stop, calls = threading.Event(), []

    def work() -> None:
        calls.append(len(calls))
        if len(calls) == 1:
            raise ValueError
        stop.set()

    keep_looking(stop, work, 0.001, log, "looking failed")
    assert calls == [0, 1] and [record.message for record in caplog.records] == ["looking failed"]


@pytest.mark.parametrize("is_asleep", [False, True])
def test_a_process_is_told_to_stop_at_whatever_moment(is_asleep: bool) -> None:
    """What waits holds the event's lock for a moment: a handler that set the event itself would wait for ever. And a
    handler runs only when the main thread goes on, which a signal that comes just before its sleep does not make it."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        stop = until_told()
        if is_asleep:  # as then, nothing wakes the main thread
            later = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM))
            later.start()
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        else:
            with stop._cond:  # type: ignore[attr-defined]
                os.kill(os.getpid(), signal.SIGTERM)
        assert stop.wait(10)
    finally:
        signal.set_wakeup_fd(-1)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        for number, handler in before.items():
            signal.signal(number, handler)
