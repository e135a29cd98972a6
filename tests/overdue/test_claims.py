"""Who may end a game whose deadline has passed, and mails that do not arrive."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.clocks.pace import DAY as DAY_SECONDS
from app.overdue import rulings
from app.overdue.cases import sweep_cases
from app.play.turn.turns import AlreadyDecided, LinkEnded, play_turn
from app.time import outages, pending
from app.time.tables import Outage
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
    flagged,
    log,
    mails,
    minutes,
    operator,
    player,
    with_stages,
)
from tests.support.tables import NOW, link_to, load, say, start

# -- claiming --------------------------------------------------------------------------------------------


def test_the_opponent_claims_and_has_won_on_time(database: Database) -> None:
    game_id, case = flagged(database)
    bob = player(database, game_id, "blue")
    after = rulings.claim(database, case.id, "blue", bob, now=DUE + HOUR)
    assert after.is_over and after.title.outcome(after.state).reason == "time"
    assert after.title.outcome(after.state).winners == ("blue",)
    assert log(database, game_id) == [
        ("flagged", "pace", DUE), ("claimed", "opponent", DUE + HOUR), ("timeout", "player", DUE + HOUR),
    ]  # fmt: skip
    with pytest.raises(rulings.NothingToClaim):
        rulings.claim(database, case.id, "blue", bob, now=DUE + HOUR)
    case = case_of(database, game_id)
    assert (case.state, case.ruling, case.ruled_by) == ("ruled", "claim", bob)


def test_nobody_claims_before_the_flag_or_for_another(sqlite_database: Database) -> None:
    game_id = begin(sqlite_database)
    sweep_cases(sqlite_database, DUE)
    case = case_of(sqlite_database, game_id)
    alice, bob = player(sqlite_database, game_id, "red"), player(sqlite_database, game_id, "blue")
    sweep_cases(sqlite_database, DUE + DAY)
    for seat, who in (("blue", bob), ("red", alice), ("blue", alice), ("gold", bob)):
        with pytest.raises(rulings.NothingToClaim):
            rulings.claim(sqlite_database, case.id, seat, who, now=DUE + DAY)
    sweep_cases(sqlite_database, DUE + 2 * DAY)
    for seat, who in (("red", alice), ("blue", alice), ("blue", None)):
        with pytest.raises(rulings.NothingToClaim):
            rulings.claim(sqlite_database, case.id, seat, who, now=DUE + 2 * DAY)
    with pytest.raises(NotAccepted, match="just being told"):
        rulings.claim(sqlite_database, case.id, "blue", bob, now=DUE + 2 * DAY)
    assert rulings.claim(sqlite_database, case.id, "blue", bob, now=DUE + 2 * DAY + HOUR).is_over


def test_who_moves_after_the_flag_is_back_in_the_game(sqlite_database: Database) -> None:
    game_id, case = flagged(sqlite_database)
    bob = player(sqlite_database, game_id, "blue")
    say(sqlite_database, game_id, "rob blue", now=DUE + HOUR)
    with pytest.raises(rulings.NothingToClaim):
        rulings.claim(sqlite_database, case.id, "blue", bob, now=DUE + 2 * HOUR)
    assert load(sqlite_database, game_id).status == "running"


def test_of_a_claim_and_a_move_at_once_exactly_one_wins(database: Database) -> None:
    for _ in range(4):
        game_id, case = flagged(database)
        bob, link = player(database, game_id, "blue"), link_to(load(database, game_id))
        late = (rulings.CaseEnded, rulings.NothingToClaim, LinkEnded, AlreadyDecided)
        played, claimed = at_once(
            lambda link=link: play_turn(database, link, "rob blue", now=DUE + HOUR),
            lambda case_id=case.id, bob=bob: rulings.claim(database, case_id, "blue", bob, now=DUE + HOUR),
            but=late,
        )
        assert isinstance(played, late) != isinstance(claimed, late)
        assert (load(database, game_id).status == "over") == isinstance(played, late)


def test_claims_of_two_at_once_are_one(database: Database) -> None:
    game_id, case = flagged(database, 3, "new-world")
    seats = [(s.seat, s.player_id) for s in load(database, game_id).others(case.seat)]
    claims = [lambda one=one: rulings.claim(database, case.id, *one, now=DUE + HOUR) for one in seats]
    late = [isinstance(one, rulings.NothingToClaim) for one in at_once(*claims, but=rulings.NothingToClaim)]
    assert sorted(late) == [False, True]
    assert [kind for kind, _, _ in log(database, game_id)].count("timeout") == 1


# -- mails that do not arrive -----------------------------------------------------------------------------


def test_a_mail_refused_for_good_opens_a_case_and_the_clock_stands(database: Database) -> None:
    operator(database)
    game_id = start(database, pace=PACE)
    fail_mail(database, game_id, NOW + HOUR)
    sweep_cases(database, NOW + HOUR)
    case = case_of(database, game_id)
    assert (case.kind, case.cause, case.state, case.deadline_at) == ("mail", "mail", "opened", None)
    assert log(database, game_id) == [("mail_failed", "mail", NOW + HOUR)]
    assert mails(database, "late", "case", "overdue") == [
        ("late", "bob", NOW + HOUR), ("case", "olga", NOW + HOUR),
    ]  # fmt: skip
    minutes(database, game_id, NOW + 20 * DAY)
    assert len(log(database, game_id)) == 1 and case_of(database, game_id).state == "opened"


def test_a_mail_that_nobody_takes_within_the_limit_opens_a_case(sqlite_database: Database) -> None:
    game_id = start(sqlite_database, pace=replace(PACE, mail_limit=2 * DAY_SECONDS))
    assert sweep_cases(sqlite_database, NOW + 2 * DAY - SECOND) == 0
    assert sweep_cases(sqlite_database, NOW + 2 * DAY) == 1
    assert case_of(sqlite_database, game_id).kind == "mail"
    assert sweep_cases(sqlite_database, NOW + 3 * DAY) == 0


def test_a_mail_that_arrives_after_all_closes_its_case(sqlite_database: Database) -> None:
    game_id = start(sqlite_database, pace=PACE)
    sweep_cases(sqlite_database, NOW + 3 * DAY)
    with sqlite_database.write() as session:
        pending.start_clock(session, game_id, 1, NOW + 4 * DAY)
        session.commit()
    assert case_of(sqlite_database, game_id).state == "closed"
    assert log(sqlite_database, game_id)[-1] == ("closed", "mail", NOW + 4 * DAY)
    assert check_at(sqlite_database, game_id) == NOW + 7 * DAY, "the whole time from the mail on"


def test_a_time_out_after_a_refused_mail_is_not_the_player_s(sqlite_database: Database) -> None:
    game_id = begin(sqlite_database, with_stages((0, "flagged", ["forfeit"])))
    with sqlite_database.write() as session:
        decision = pending.owed(session, game_id)
        assert decision is not None
        pending.note(session, decision, "mail_failed", "mail", NOW)
        session.commit()
    sweep_cases(sqlite_database, DUE)
    assert ("timeout", "mail", DUE) in log(sqlite_database, game_id)


def test_a_time_out_soon_after_an_outage_is_not_the_player_s(sqlite_database: Database) -> None:
    game_id = begin(sqlite_database, with_stages((0, "flagged", ["forfeit"])))
    with sqlite_database.write() as session:
        gap = {"job": "web", "from_at": DUE - 3 * HOUR, "to_at": DUE - HOUR, "noted_at": DUE, "is_credited": True}
        session.execute(sa.insert(Outage).values(**gap))
        session.commit()
    sweep_cases(sqlite_database, DUE)
    assert case_of(sqlite_database, game_id) is None, "the two hours are given back first"
    sweep_cases(sqlite_database, DUE + 2 * HOUR)
    assert ("timeout", "outage", DUE + 2 * HOUR) in log(sqlite_database, game_id)


def test_nothing_is_opened_or_claimed_while_something_is_down(sqlite_database: Database) -> None:
    game_id, case = flagged(sqlite_database)
    other = begin(sqlite_database)
    outages.beat(sqlite_database, "mail", "one", NOW)
    assert sweep_cases(sqlite_database, DUE + 10 * DAY) == 0
    assert case_of(sqlite_database, other) is None
    with pytest.raises(NotAccepted) as refused:
        rulings.claim(sqlite_database, case.id, "blue", player(sqlite_database, game_id, "blue"), now=DUE + 10 * DAY)
    assert refused.value.code == "clock.down"
