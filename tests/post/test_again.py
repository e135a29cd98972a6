"""Operators have mails of any kind that were given up sent once more."""

from __future__ import annotations

import re
from email import message_from_bytes, policy

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.clocks.pace import DEFAULT
from app.games.work import Work
from app.lobby import open_games
from app.lobby.open_games import Chair
from app.overdue import nudges
from app.people.tables import Player
from app.play.agreed import results
from app.post.inbound import bounces
from app.post.inbound.reports import Report
from app.post.kept import ledger, mail_words, queue
from app.post.route.faults import Fault
from app.time.away import leave
from app.upkeep import jobs
from tests.support.post_storm import DAY, OPERATOR, Storm
from tests.support.scripted import ScriptedHost


def newest(storm: Storm) -> dict[str, OutboxMail]:
    """The newest mail of each kind."""
    return {row.kind: row for row in storm.rows(sa.select(OutboxMail).order_by(OutboxMail.id))}


def said(raw: bytes) -> str:
    """The text part."""
    part = message_from_bytes(raw, policy=policy.default).get_body(("plain",))  # type: ignore[attr-defined]
    return str(part.get_content())


def operator(storm: Storm) -> int:
    return int(storm.rows(sa.select(Player.id).where(Player.address == OPERATOR))[0].id)


def a_life(storm: Storm) -> dict[str, OutboxMail]:
    """Mails of many kinds that have gone out: those that ask something and those that only tell."""
    database = storm.database
    storm.begin(3)
    storm.step()
    with database.read() as session:
        people = {row.address: row.id for row in session.execute(sa.select(Player.address, Player.id))}  # type: ignore[call-overload]
    rosa = people["r0@d0.example"]
    open_games.create(
        database,
        rosa,
        open_games.TableDraft(
            title_id="ferry",
            chairs=[Chair("red", "me"), Chair("blue", "mail", "guest@example.net")],
            options={},
            pace=DEFAULT,
            drawn=False,
        ),
        now=storm.now,
    )
    leave.start_now(database, rosa, 2, now=storm.now, allowance=30)
    results.resign(database, 2, people["r1@d1.example"], now=storm.now)
    storm.now += 3 * DAY
    nudges.nudge(database, 3, people["b2@d7.example"], now=storm.now)
    storm.sign_in("nadia@example.net")
    storm.step()
    return newest(storm)


def came_back(storm: Storm, mail: OutboxMail) -> None:
    """Its address takes mails again."""
    with Work(storm.database) as work:
        row = work.session.get_one(OutboxMail, mail.id)
        bounces.happened(work, row, Report(Fault.MAIL, "5.0.0", "not now"), storm.now)


def test_mails_of_every_kind_go_once_more_and_say_what_they_said(database: Database) -> None:
    with ScriptedHost() as host:
        storm = Storm(database, host)
        mails = a_life(storm)
        by = operator(storm)
        assert set(mails) == {"turn", "invitation", "leave", "over", "nudge", "sign_in"}
        assert mails["sign_in"].details == {}, "what opens something is forgotten"
        for mail in mails.values():
            with pytest.raises(NotAccepted, match=r"outbox\.again"):
                queue.once_more(database, mail.id, by, storm.now)  # the host has it
            came_back(storm, mail)
        with pytest.raises(NotAccepted, match=r"outbox\.again"):
            queue.once_more(database, mails.pop("sign_in").id, by, storm.now)
        for kind, mail in mails.items():
            taken = len(host.taken)
            queue.once_more(database, mail.id, by, storm.now)
            with pytest.raises(NotAccepted, match=r"outbox\.again"):  # pressed twice
                queue.once_more(database, mail.id, by, storm.now)
            storm.step()
            (new,) = host.taken[taken:]
            first = next(one for one in host.taken if one.message_id.startswith(f"{mail.message_id}@"))
            now, then = said(new.text), said(first.text)
            if kind in ("turn", "nudge"):  # rendered again: what is asked, and the link; the clock begins anew
                now, then = (re.sub("Answer by .*", "", one.partition("The position")[0]) for one in (now, then))
            assert (new.address, now) == (mail.address, then), kind
        with database.read() as session:
            (of_game, *_) = [row for row in ledger.of_game(session, 3, 99) if row.mail.id == mails["turn"].id]
        told = mail_words.fate(Voice("en", "UTC"), of_game)
        assert (of_game.again_by, told[-1][1]) == ("Olga", "sent once more by Olga")
        assert mail_words.fate(Voice("en", "UTC"), of_game, to_reader=True)[-1][1] == "sent once more"

        for mail in mails.values():
            came_back(storm, mail)
        later = storm.now + 31 * DAY
        with pytest.raises(NotAccepted, match=r"outbox\.again"):
            queue.once_more(database, mails["over"].id, by, later)
        jobs.tidy(database, later)
        assert newest(storm)["leave"].details == {}, "what it said is forgotten after a month"
        storm.sender.close()


def test_what_came_back_goes_again_when_its_address_works(sqlite_database: Database) -> None:
    with ScriptedHost() as host:
        storm = Storm(sqlite_database, host)
        mail, by = a_life(storm)["over"], operator(storm)
        with Work(sqlite_database) as work:
            row = work.session.get_one(OutboxMail, mail.id)
            bounces.happened(work, row, Report(Fault.ADDRESS, "5.1.1", "no such user"), storm.now)
            work.commit()
        with pytest.raises(NotAccepted, match=r"outbox\.again\.suppressed") as refused:
            queue.once_more(sqlite_database, mail.id, by, storm.now)
        assert refused.value.why.values == {"address": mail.address, "reason": "5.1.1 no such user"}
        with sqlite_database.write() as session:
            ledger.address_works(session, mail.address)
            session.commit()
        taken = len(host.taken)
        queue.once_more(sqlite_database, mail.id, by, storm.now)
        storm.step()
        storm.sender.close()
    assert mail.address in [one.address for one in host.taken[taken:]]
    assert newest(storm)["over"].state == "sent"
