"""How an operator rules on a case, and what that requires."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.overdue import rulings
from app.overdue.cases import sweep_cases
from tests.support.at_once import at_once
from tests.support.overdue import (
    DAY,
    DUE,
    HOUR,
    PACE,
    SECOND,
    begin,
    case_of,
    check_at,
    fail_mail,
    log,
    mails,
    operator,
    player,
    with_stages,
)  # fmt: skip
from tests.support.tables import NOW, load, start


def at_the_desk(database: Database) -> tuple[int, Any, int]:
    olga = operator(database)
    game_id = begin(database, with_stages((0, "flagged", ["organiser"])))
    sweep_cases(database, DUE)
    return game_id, case_of(database, game_id), olga


def test_an_operator_gives_time_from_now_on(database: Database) -> None:
    game_id, case, olga = at_the_desk(database)
    assert mails(database, "case") == [("case", "olga", DUE)]
    now = DUE + 5 * HOUR
    rulings.rule(database, case.id, olga, "extend", "  Alice was\nin hospital ", days="4", now=now)
    assert load(database, game_id).deadline_at == now + 4 * DAY
    case = case_of(database, game_id)
    assert (case.state, case.ruling, case.reason, case.ruled_by) == ("ruled", "extend", "Alice was in hospital", olga)
    assert log(database, game_id)[-1] == ("ruled", "organiser", now)
    assert mails(database, "ruled") == [("ruled", "alice", now), ("ruled", "bob", now)]
    sweep_cases(database, now + 4 * DAY - SECOND)
    assert case_of(database, game_id).id == case.id
    sweep_cases(database, now + 4 * DAY)
    assert case_of(database, game_id).id != case.id, "the new deadline has its own case"


@pytest.mark.parametrize(("ruling", "status"), [("forfeit", "over"), ("void", "cancelled")])
def test_an_operator_ends_the_game_once(database: Database, ruling: str, status: str) -> None:
    game_id, case, olga = at_the_desk(database)
    rulings.rule(database, case.id, olga, ruling, "No answer for a month", now=DUE + DAY)
    for _ in range(3):
        with pytest.raises(rulings.CaseEnded):
            rulings.rule(database, case.id, olga, ruling, "No answer for a month", now=DUE + DAY)
    assert load(database, game_id).status == status
    assert [kind for kind, _, _ in log(database, game_id)].count("ruled") == 1
    assert len(mails(database, "ruled")) == 2
    assert len(mails(database, "time_out", "cancelled")) == 2
    timeouts = [event for event in log(database, game_id) if event[0] == "timeout"]
    assert len(timeouts) == (ruling == "forfeit"), "a game without a result is nobody's time-out"


def test_a_refused_mail_is_sent_once_more(sqlite_database: Database) -> None:
    olga = operator(sqlite_database)
    game_id = start(sqlite_database, pace=PACE)
    fail_mail(sqlite_database, game_id, NOW + HOUR)
    sweep_cases(sqlite_database, NOW + HOUR)
    case = case_of(sqlite_database, game_id)
    rulings.rule(sqlite_database, case.id, olga, "again", "The address works again", now=NOW + DAY)
    assert mails(sqlite_database, "turn") == [("turn", "alice", NOW), ("turn", "alice", NOW + DAY)]
    assert check_at(sqlite_database, game_id) == NOW + DAY + timedelta(seconds=PACE.mail_limit)
    sweep_cases(sqlite_database, NOW + 2 * DAY)
    assert case_of(sqlite_database, game_id).id == case.id
    fail_mail(sqlite_database, game_id, NOW + 2 * DAY)
    sweep_cases(sqlite_database, NOW + 2 * DAY)
    assert case_of(sqlite_database, game_id).id != case.id, "refused again: another case"


@pytest.mark.parametrize(
    ("ruling", "reason", "days", "code"),
    [
        ("extend", "", "3", "case.reason"), ("extend", " \n ", "3", "case.reason"),
        ("extend", "x" * 1001, "3", "case.reason"), ("extend", "why", "", "case.days"),
        ("extend", "why", "0", "case.days"), ("extend", "why", "61", "case.days"), ("extend", "why", "²", "case.days"),
        ("again", "why", "", "case.ruling"), ("", "why", "", "case.ruling"), ("win", "why", "", "case.ruling"),
    ],
)  # fmt: skip
def test_a_ruling_that_lacks_something_changes_nothing(
    sqlite_database: Database, ruling: str, reason: str, days: str, code: str
) -> None:
    game_id, case, olga = at_the_desk(sqlite_database)
    with pytest.raises(NotAccepted) as refused:
        rulings.rule(sqlite_database, case.id, olga, ruling, reason, days=days, now=DUE)
    assert refused.value.code == code
    assert case_of(sqlite_database, game_id) == case


def test_only_an_operator_rules(sqlite_database: Database) -> None:
    game_id, case, _ = at_the_desk(sqlite_database)
    bob = player(sqlite_database, game_id, "blue")
    assert bob is not None
    with pytest.raises(NotAccepted) as refused:
        rulings.rule(sqlite_database, case.id, bob, "forfeit", "I want to win", now=DUE)
    assert refused.value.code == "case.role"


def test_rulings_of_two_at_once_are_one(database: Database) -> None:
    game_id, case, olga = at_the_desk(database)
    otto = operator(database, "otto")
    forfeit, void = at_once(
        lambda: rulings.rule(database, case.id, olga, "forfeit", "Enough", now=DUE),
        lambda: rulings.rule(database, case.id, otto, "void", "Enough", now=DUE),
        but=rulings.CaseEnded,
    )
    assert isinstance(forfeit, rulings.CaseEnded) != isinstance(void, rulings.CaseEnded)
    assert load(database, game_id).status == ("cancelled" if isinstance(forfeit, rulings.CaseEnded) else "over")


def test_the_packet_holds_the_game_its_clock_and_the_fate_of_its_mails(sqlite_database: Database) -> None:
    operator(sqlite_database)
    game_id = start(sqlite_database, pace=PACE)
    fail_mail(sqlite_database, game_id, NOW + HOUR)
    sweep_cases(sqlite_database, NOW + HOUR)
    with sqlite_database.read() as session:
        packet = rulings.packet(session, case_of(sqlite_database, game_id).id)
        assert [case.id for case, _, _ in rulings.open_ones(session)] == [packet.case.id]
    assert packet.game.id == game_id and packet.decision is not None and packet.late == "alice"
    assert [(one.mail.kind, one.mail.state) for one in packet.mails] == [
        ("turn", "failed"), ("late", "waiting"), ("case", "waiting"),
    ]  # fmt: skip
    assert [event.kind for event in packet.log] == ["mail_failed"]
    assert packet.rulings == ("again", "forfeit", "void")
