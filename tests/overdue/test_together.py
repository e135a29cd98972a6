"""The consequences of passed deadlines are told in few mails, to all kinds of readers, and cost nobody a right."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OF_TIME, MailGroup, OutboxMail
from app.base.stored.outbox import group_of
from app.base.words.refusals import NotAccepted
from app.clocks.pace import DAY as DAY_SECONDS
from app.clocks.pace import HOUR as HOUR_SECONDS
from app.clocks.pace import Pace, ReminderLadder
from app.leagues.changes import leaving
from app.overdue import rulings
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.time.reminding import digest
from app.time.reminding.reminders import remind
from tests.support.databases import ON_SQLITE
from tests.support.events import event, published
from tests.support.mails import Kept, kept
from tests.support.overdue import DAY, DUE, HOUR, PACE, begin, case_of, operator, player, with_stages
from tests.support.tables import NOW, deliver, load, start

COURSES = {
    "friends": PACE,
    "organiser": with_stages(
        (0, "warned", ["remind"]), (DAY_SECONDS, "grace", ["orders"]), (2 * DAY_SECONDS, "flagged", ["organiser"])
    ),
    "strict": with_stages((0, "warned", ["remind"]), (HOUR_SECONDS, "flagged", ["forfeit"])),
}


def most_a_day(mails: list[Kept]) -> int:
    """Return the most mails one person got within any 24 hours."""
    return max(sum(other.to == one.to and timedelta(0) <= one.at - other.at < DAY for other in mails) for one in mails)


def live(database: Database, *hours: int) -> None:
    """Run the sweeps and the sender in the first minutes of these hours after the deadline."""
    for moment in (DUE + hour * HOUR + n * OF_TIME for hour in hours for n in range(3)):
        remind(database, moment)
        sweep_cases(database, moment)
        deliver(database, moment)


@pytest.mark.parametrize(("course", "n"), [("friends", 40), ("organiser", 6), ("strict", 6)])
def test_forty_games_due_at_one_hour_are_two_mails_a_day_at_most(
    sqlite_database: Database, course: str, n: int
) -> None:
    database = sqlite_database
    operator(database)
    games = [begin(database, COURSES[course]) for _ in range(n)]
    deliver(database, NOW)
    before = len(kept(database))
    live(database, *range(-60, 0, 4), 0, 1, 2, 24, 25, 48, 49, 72)
    mails = kept(database)[before:]
    assert most_a_day(mails) <= 2, Counter((mail.to, mail.at) for mail in mails)
    reminders = [mail for mail in mails if mail.kind == "reminder"]
    assert {mail.to for mail in reminders} == {"alice@example.org"} and all(mail.at < DUE for mail in reminders)
    mine = [mail for mail in mails if mail.to == "alice@example.org" and mail not in reminders]
    assert all(f"#{game_id} " in mine[0].text for game_id in games) and mine[0].at == DUE + OF_TIME
    assert len({mail.text for mail in mine}) == len(mine), "each says something new"
    states = {load(database, game_id).status for game_id in games}
    assert states == ({"over"} if course == "strict" else {"running"})


@ON_SQLITE
def test_games_that_are_late_one_after_another_wait_for_the_next_day_and_lose_nothing(database: Database) -> None:
    """The third mail of a day waits. Nobody claims before the late player has been told about it."""
    soon = with_stages((0, "warned", ["remind"]), (4 * HOUR_SECONDS, "flagged", ["claim"]))
    first = begin(database, soon)
    deliver(database, NOW)
    live(database, 0)
    start(database, pace=soon, now=NOW + 2 * HOUR)
    deliver(database, NOW + 2 * HOUR)
    for hours in (2, 3, 4):
        live_at = DUE + hours * HOUR
        sweep_cases(database, live_at)
        deliver(database, live_at + OF_TIME)
    assert [mail.at for mail in kept(database, "overdue")] == [DUE + OF_TIME, DUE + 2 * HOUR + OF_TIME]
    case = case_of(database, first)
    blue = player(database, first, "blue")
    assert case.state == "flagged"
    with pytest.raises(NotAccepted, match="just being told"):
        rulings.claim(database, case.id, "blue", blue, now=DUE + 5 * HOUR)
    deliver(database, DUE + DAY + OF_TIME)
    told = kept(database, "overdue")[-1]
    assert told.at == DUE + DAY + OF_TIME
    assert "The others may claim the game now." in told.words
    assert rulings.claim(database, case.id, "blue", blue, now=DUE + DAY + HOUR).is_over


def test_whoever_has_had_two_reminders_that_day_is_told_with_the_next_one(database: Database) -> None:
    """However many reminders come, no extra mail comes, and nobody is told later than with the next reminder."""
    never = ReminderLadder((), ())
    stages = with_stages((0, "warned", ["remind"]), (4 * HOUR_SECONDS, "flagged", ["claim"])).stages
    late = begin(database, Pace(decision=3 * DAY_SECONDS, reminders=never, stages=stages))
    for hours in (30, 26, 20):
        begin(database, Pace(decision=4 * DAY_SECONDS, reminders=ReminderLadder((), (hours,))))
    deliver(database, NOW)
    live(database, -6, -2, 0, 1)
    assert [mail.at - DUE for mail in mine(database)] == [-6 * HOUR, -2 * HOUR]
    assert case_of(database, late).state == "warned"
    live(database, 4)
    third = mine(database)[-1]
    assert (third.kind, third.at) == ("reminder", DUE + 4 * HOUR) and "turn 1" in third.subject
    said = f"your time is over in this game. You can still answer. Since Tue 24 Nov, 20:00 (UTC) #{late} Ferry"
    assert said in third.words and "Wed 25 Nov, 04:00 (UTC): the others may claim the game" in third.words
    with database.read() as session:
        asked = sa.select(OutboxMail.kind, OutboxMail.message_id).where(OutboxMail.sent_at == third.at)
        went = session.execute(asked).all()
    assert sorted(row.kind for row in went) == ["overdue", "reminder"] and len({row.message_id for row in went}) == 1


def mine(database: Database) -> list[Kept]:
    """Return the mails that the late player got since time has passed."""
    return [mail for mail in kept(database) if mail.to == "alice@example.org" and mail.at > NOW]


def test_what_goes_together_shares_its_fate(sqlite_database: Database) -> None:
    games = [begin(sqlite_database) for _ in range(3)]
    deliver(sqlite_database, NOW)
    sweep_cases(sqlite_database, DUE)
    with sqlite_database.write() as session:  # one of them has been tried already, by a sender that was killed
        one = sa.and_(OutboxMail.kind == "overdue", OutboxMail.game_id == games[1])
        session.execute(sa.update(OutboxMail).where(one).values(claimed_by="gone", attempts=1))
        session.execute(sa.update(Player).where(Player.name == "bob").values(mail_news=False))
        session.commit()
    deliver(sqlite_database, DUE + OF_TIME)
    with sqlite_database.read() as session:
        asked = sa.select(OutboxMail.state, OutboxMail.message_id, OutboxMail.sent_at, OutboxMail.claimed_by)
        rows = session.execute(asked.where(OutboxMail.kind == "overdue")).all()
        news = session.scalars(sa.select(OutboxMail.state).where(OutboxMail.kind == "late")).all()
    assert sorted(row.state for row in rows) == ["kept", "sent", "sent"]
    assert {row[2:] for row in rows} == {(DUE + OF_TIME, None)} and len({row.message_id for row in rows}) == 1
    assert set(news) == {"dropped"}, "whoever wants no news gets none of them"


def test_with_the_digest_news_of_events_is_no_mail_of_its_own(sqlite_database: Database) -> None:
    """Six games late at one hour, a round, and a player who is taken out: at most two mails a day to a player with one
    digest a day, each piece of news once, even if no game waits; a player who has ended the digest gets it all the
    same.
    """
    database = sqlite_database
    games = [begin(database) for _ in range(6)]
    alice, bob = player(database, games[0], "red") or 0, player(database, games[0], "blue") or 0
    olga, pat = operator(database), operator(database, "pat")
    morning = NOW + 5 * HOUR

    def takes(who: int, hours: str, now: datetime = NOW) -> None:
        with database.write() as session:
            digest.settle(session, who, hours, True, now)
            session.commit()

    for one in (alice, bob, pat):
        takes(one, str(morning.hour))
    cup = event(database, [olga, alice, pat, bob], "round_robin", withdrawal="walkover")
    published(database, cup, olga)
    deliver(database, NOW)
    assert {mail.to for mail in kept(database, "event_round")} == {"olga@example.org"}, "the others take the digest"

    def live_with_digests(*hours: int) -> None:
        for hour in hours:
            digest.send_due(database, DUE + hour * HOUR)
            live(database, hour)

    digest.send_due(database, morning)
    deliver(database, morning)
    first = next(mail for mail in kept(database, "digest") if mail.to == "alice@example.org")
    assert "News of your events: Cup, round 1: you play against" in first.words and "games wait" in first.subject
    live_with_digests(-43, -19)
    before = len(kept(database))
    live_with_digests(0, 1)
    leaving.withdraw(database, cup.id, pat, pat, reason="moved away", now=DUE + HOUR)
    takes(bob, "", DUE + 2 * HOUR)
    live_with_digests(2, 5, 24, 29, 48)
    mails = kept(database)[before:]
    mine = [mail for mail in mails if mail.to == "alice@example.org"]
    assert most_a_day([mail for mail in kept(database) if group_of(mail.kind) is MailGroup.CLOCK]) <= 2, [
        (mail.kind, mail.subject, str(mail.at - DUE)) for mail in mine
    ]
    # Two have come that day: her last reminder, and the digest. The news that she is late comes with the next one.
    told = [mail.kind for mail in mine if "your time is over in these games" in mail.words]
    assert told[0] == "digest" and {mail.kind for mail in mine} <= {"digest", "reminder"}
    left = {mail.to: mail for mail in mails if "moved away" in mail.words}
    assert len(left) == sum("moved away" in mail.words for mail in mails), "each is told once"
    told = {address.partition("@")[0]: mail.kind for address, mail in left.items()}
    assert told == {"alice": "digest", "bob": "event_left", "olga": "event_left", "pat": "digest"}
    assert "No game waits for you." in left["pat@example.org"].words
    assert left["pat@example.org"].subject == "1 piece of news of your events"
