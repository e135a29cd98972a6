"""Pages, mails and log sentences about clocks, cases, leave, proofs, replays and a player's data in each language: no
English is left in them.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.base.server import Server
from app.base.stored.mail_tables import OutboxMail
from app.base.words.speech import Voice
from app.clocks.pace import DAY as A_DAY
from app.clocks.pace import Pace, Stage
from app.overdue import nudges
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.agreed import results
from app.time import pending
from app.time.away import leave
from app.time.reminding.reminders import remind
from app.time.tables import Case
from tests.support.english import FOREIGN, english_in, pieces_of_mail, pieces_of_page
from tests.support.people import BASE, PostOffice, sign_in
from tests.support.tables import address, link_to, load, random_line, say, start

DAY = timedelta(days=1)
WHO = ("alice", "bob")
CLAIM = Pace(decision=2 * A_DAY, stages=(Stage(0, "warned", ("remind",)), Stage(A_DAY, "flagged", ("claim",))))
RULED = Pace(decision=2 * A_DAY, stages=(Stage(0, "flagged", ("organiser",)),))
LOST = Pace(decision=2 * A_DAY, stages=(Stage(0, "warned", ("remind",)), Stage(A_DAY, "ruled", ("forfeit",))))
KINDS = {"turn", "reminder", "overdue", "late", "case", "over", "nudge", "extension", "leave", "proposal"}
PAGES = (
    "/games", "/games/1", "/games/2", "/games/3", "/games/4", "/games/5", "/cases", "/cases/1", "/cases/2",
    "/games/4/proof", "/games/5/proof", "/games/5/replay", "/games/4/replay?turn=1",
    "/games/new/acres", "/account", "/account/time", "/account/data", "/account/feeds", "/account/webhooks",
    "/account/people", "/archive", "/players/1", "/players/2",
)  # fmt: skip


def read_all(app: Flask, post: PostOffice, language: str) -> tuple[list[str], set[str]]:
    """All that two people read of five games to which everything happens, and the subjects of the mails."""
    server: Server = app.extensions["postroad"]
    database, now = server.database, datetime.now(UTC).replace(microsecond=0)
    chooser = random.Random(5)
    long_ago = now - 3 * DAY
    for pace in (CLAIM, RULED, LOST):
        start(database, "acres", pace=pace, now=long_ago, language=language)
    for _ in (4, 5):
        start(database, "acres", now=long_ago, language=language)
    with database.write() as session:
        session.execute(sa.update(Player).values(auto_leave=False, language=language))
        session.execute(sa.update(Player).where(Player.id == 1).values(role="operator"))  # type: ignore[arg-type]
        for game in range(1, 6):
            pending.start_clock(session, game, 1, long_ago)
        session.commit()
    remind(database, long_ago + DAY)
    post.all()
    for hours in (48, 72):
        sweep_cases(database, long_ago + timedelta(hours=hours))
    browsers = {who: sign_in(app, post, address(who), language) for who in WHO}
    for _ in range(30):
        for game in (4, 5):
            line = random_line(load(database, game), chooser)
            if line != "resign" and load(database, game).turn < 9:
                say(database, game, line, now=now)
    results.resign(database, 5, 1, now=now)
    four = load(database, 4)
    waits = next(seated.player_id or 0 for seated in four.seats if seated.seat != four.decides)
    post.all()
    with database.write() as session:
        pending.start_clock(session, 4, four.number, now)
        decision = pending.owed(session, 4)
        assert decision is not None
        for job in ("mail", "server"):
            details = {"from": (now - DAY).isoformat(), "to": now.isoformat(), "job": job}
            pending.note(session, decision, "credit", "outage", now, seconds=86400, details=details)
        session.commit()
    nudges.nudge(database, 4, waits, now=now)
    nudges.extend(database, 4, waits, 3, number=four.number, granted=0, now=now)
    leave.start_now(database, waits, 2, now=now, allowance=30)
    results.propose(database, 4, waits, "cancel", now=now)
    claim = post.link(address("bob"), "claim").removeprefix(BASE)
    proposal = next(
        post.link(address(who), "proposal").removeprefix(BASE) for who, n in zip(WHO, (1, 2), strict=True) if n != waits
    )
    pieces: list[str] = []
    headers = {"Accept-Language": language}
    link = f"/t/{server.links.turn_token(link_to(load(database, 4)))}"
    for browser in browsers.values():
        for path in (*PAGES, link, claim, proposal):
            answer: Any = browser.client.get(path, headers=headers)
            if answer.status_code == 403 and path.startswith("/cases"):
                continue
            pieces += pieces_of_page(answer, language)
    subjects = set()
    for mail in post.all():
        pieces += pieces_of_mail(mail, language)
        subjects.add(str(mail["Subject"]))
    with database.read() as session:
        assert len(session.scalars(sa.select(Case.id)).all()) == 3
        read = set(session.scalars(sa.select(OutboxMail.kind).where(OutboxMail.state.in_(("kept", "sent")))))
        assert read >= KINDS, KINDS - read
    return pieces, subjects


@pytest.mark.parametrize("language", FOREIGN)
def test_no_english_is_left(app: Flask, post: PostOffice, language: str) -> None:
    pieces, subjects = read_all(app, post, language)
    assert len(pieces) > 1500 and len(subjects) > 10
    assert sorted(english_in(pieces, "acres", language))[:20] == []
    said, voice = " ".join(pieces), Voice(language)
    for sentence in ("Leave and quiet hours", "Every outcome", "Claim the game"):
        assert voice.gettext(sentence) in said and voice.gettext(sentence) != sentence


def test_the_same_in_english_is_found(app: Flask, post: PostOffice) -> None:
    """The test above can see."""
    pieces, _ = read_all(app, post, "en")
    for language in FOREIGN:
        assert len(english_in(pieces, "acres", language)) > 200
