"""Whose fault it is that a mail was not accepted, from the stage and the code (RFC 5321, RFC 3463)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.post.route.faults import IN_A_ROW, MOST_IN_A_ROW, Fault, Streak, least_in_a_row, of_report, whose
from app.post.route.host import NotTaken
from tests.support.tables import NOW

OURS, ADDRESS, MAIL = Fault.OURS, Fault.ADDRESS, Fault.MAIL
POLICY, ADDRESS_OR_OURS, MAIL_OR_OURS = Fault.POLICY, Fault.ADDRESS_OR_OURS, Fault.MAIL_OR_OURS


@pytest.mark.parametrize(
    ("stage", "code", "words", "fault"),
    [
        ("connect", 0, "Connection refused", OURS),
        ("connect", 554, "5.7.1 no service for you", OURS),
        ("connect", 421, "too many connections", OURS),
        ("login", 535, "5.7.8 bad credentials", OURS),
        ("login", 454, "4.7.0 temporary authentication failure", OURS),
        ("mail", 550, "relay permission has ended", OURS),
        ("mail", 451, "4.3.0 try later", OURS),
        ("mail", 0, "", OURS),
        ("mail", 552, "5.3.4 message too big", MAIL),
        ("rcpt", 550, "5.1.1 no such user", ADDRESS),
        ("rcpt", 550, "5.1.2 no such domain", ADDRESS),
        ("rcpt", 556, "5.1.10 null MX", ADDRESS),
        ("rcpt", 550, "5.2.1 mailbox disabled", ADDRESS),
        ("rcpt", 552, "5.2.2 mailbox full", ADDRESS),
        ("rcpt", 550, "5.2.1 the user is receiving mail at a rate that prevents more", POLICY),
        ("rcpt", 550, "5.1.1 too many recipients this hour", POLICY),
        ("rcpt", 550, "5.1.0 sender rejected", POLICY),
        ("rcpt", 550, "5.2.1 temporarily not in use", MAIL),
        ("sent", 550, "5.1.1 no such user, as is seen only now", ADDRESS),
        ("rcpt", 550, "5.1.8 sender's domain not found", OURS),
        ("rcpt", 550, "5.7.27 sender has a null MX", OURS),
        ("rcpt", 530, "5.7.0 authentication required", OURS),
        ("rcpt", 550, "no such mailbox", ADDRESS_OR_OURS),
        ("rcpt", 550, "5.0.0 no", ADDRESS_OR_OURS),
        ("rcpt", 550, "5.4.1 recipient address rejected", ADDRESS_OR_OURS),
        ("rcpt", 450, "4.2.1 mailbox busy", MAIL),
        ("rcpt", 452, "4.2.2 mailbox full", MAIL),
        ("rcpt", 450, "4.1.1 unverified address", MAIL),
        ("rcpt", 554, "5.7.1 relay access denied", POLICY),
        ("rcpt", 451, "4.7.1 greylisted", POLICY),
        ("sent", 554, "5.7.1 spam", POLICY),
        ("sent", 550, "5.6.0 content", MAIL),
        ("sent", 552, "5.2.3 too long", MAIL),
        ("sent", 554, "transaction failed", MAIL_OR_OURS),
        ("data", 451, "local error", MAIL_OR_OURS),
        ("rcpt", 421, "4.3.2 shutting down", MAIL_OR_OURS),
        ("data", 0, "", MAIL_OR_OURS),
        ("sent", 0, "timed out", MAIL_OR_OURS),
    ],
)
def test_stage_and_code_say_whose_fault_it_is(stage: str, code: int, words: str, fault: Fault) -> None:
    assert whose(NotTaken(stage, code, words)) is fault


OUR_LIMITS = """\
550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients
552 5.2.2 You have exceeded your sending quota for today
550 User has exceeded outgoing email quota
550 Domain club.example has exceeded the max emails per hour (150/150) allowed
550 5.4.5 Daily user sending limit exceeded
454 Throttling failure: Maximum sending rate exceeded
452 4.2.2 <bob@example.org>: hourly quota of outgoing messages exceeded
550 5.2.0 Account is over its limit of messages per day
550 5.1.1 Your account has reached its monthly email allowance
550 5.2.2 Ihr Versandkontingent ist erschöpft
450 4.7.1 send rate limit reached
550 5.1.0 Messages per day limit exceeded: limit of sent messages
"""
READERS_LIMITS = """\
552 5.2.2 The email account that you tried to reach is over quota
552 5.2.2 mailbox of <bob@example.org> has exceeded its quota
452 4.2.2 The recipient has exceeded their storage limit
550 5.2.1 The user you are trying to contact has reached the limit of messages received per hour
550 5.2.2 user has exceeded quota
550 5.1.1 <bob@example.org>: Recipient address rejected: User unknown
550 5.1.1 no such user here
550 5.2.3 message exceeds the maximum size that may be sent
452 4.2.2 User over quota, please try sending later
550 5.2.2 <bob@example.org>: quota exceeded, message not sent
550 5.2.2 message could not be sent: user is over quota
550 5.2.2 sending to this user failed, over quota
"""


@pytest.mark.parametrize("stage", ["rcpt", "sent"])
def test_a_limit_of_our_own_account_is_ours_whatever_the_code(stage: str) -> None:
    for line in OUR_LIMITS.splitlines():
        assert whose(NotTaken(stage, int(line[:3]), line[4:])) is OURS, line
        assert of_report((5, 2, 2), line) is POLICY, line
    for line in READERS_LIMITS.splitlines():
        assert whose(NotTaken(stage, int(line[:3]), line[4:])) in (ADDRESS, MAIL, POLICY), line


def test_an_answer_tells_no_addresses() -> None:
    trouble = NotTaken("rcpt", 550, b"5.1.1 <alice@example.org>: no such user, says mx.example.org")
    assert str(trouble) == "550 5.1.1 <...>: no such user, says mx.example.org" and trouble.enhanced == (5, 1, 1)
    assert NotTaken("rcpt", 550, "version 5.1.1 of this host").enhanced is None


def streak(fault: Fault, *addresses: str) -> Streak:
    made = Streak()
    for n, address in enumerate(addresses):
        made.add(n, address, fault, NOW + n * timedelta(seconds=1))
    return made


def test_a_rule_of_the_host_is_about_us_when_several_domains_meet_it_in_a_row() -> None:
    assert streak(POLICY, "a@one.org", "b@two.org", "c@one.org").since() == NOW
    assert streak(POLICY, "a@one.org", "b@two.org").since() is None, "two are not several"
    assert streak(POLICY, *(f"p{n}@one.org" for n in range(50))).since() is None, "this domain does not want us"
    assert streak(POLICY, *["a@one.org"] * 50).since() is None


def test_without_a_reason_several_recipients_are_enough() -> None:
    for fault in (ADDRESS_OR_OURS, MAIL_OR_OURS):
        assert streak(fault, "a@one.org", "b@one.org", "A@one.org").since() == NOW
        assert streak(fault, *["a@one.org"] * 50).since() is None, "one recipient says nothing about us"


def test_a_mail_that_was_taken_ends_a_row_and_old_ones_do_not_belong_to_it() -> None:
    row = streak(POLICY, "a@one.org", "b@two.org")
    row.clear()
    row.add(7, "c@three.org", POLICY, NOW)
    assert row.since() is None
    row = streak(POLICY, "a@one.org", "b@two.org")
    row.add(7, "c@three.org", POLICY, NOW + timedelta(hours=3))
    assert row.since() is None
    row.add(8, "a@one.org", POLICY, NOW + timedelta(hours=3))
    row.add(9, "b@two.org", POLICY, NOW + timedelta(hours=3))
    assert row.since() == NOW + timedelta(hours=3)


def test_pauses_of_one_incident_become_rarer() -> None:
    assert [least_in_a_row(times) for times in range(6)] == [IN_A_ROW, 6, 12, 24, MOST_IN_A_ROW, MOST_IN_A_ROW]
