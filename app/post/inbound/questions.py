"""Answers to mails that ask for yes or no: the first line that says something decides."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import select

from app.base.stored.outbox import PlannedMail
from app.base.words.speech import Voice
from app.games.work import Work
from app.people.tables import Player
from app.post.inbound.port import Reply, TakesYesOrNo, yes_or_no
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text


def take(work: Work, reply: Reply, takes: TakesYesOrNo, key: str, now: datetime) -> PlannedMail:
    """Do what an answer says if its author is certain; mail the outcome."""
    asked = reply.asked
    written = reply.text(lambda line: yes_or_no(line) is not None)
    said = next((yes_or_no(line) for line in written.splitlines() if line.strip()), None)
    page = "/games"
    if not reply.is_proven:
        why = Text("Nothing proves that this mail is from you, so nothing was done. Use the link of the mail.")
    elif said is None:
        why = Text("Nothing was done. Write “yes” or “no”, alone in the first line, or use the link of the mail.")
    else:
        try:
            result = takes(work, asked, is_yes=said, now=now)
        except Refusal as no:
            why = no.why
        else:
            why, page = result.said, result.page
    reader = work.session.exec(select(Player).where(Player.id == asked.player_id)).one()
    details = {"result": Voice(reader.language, reader.zone).say(why), "page": page}
    return PlannedMail(key, "mail_answer", reply.mail.author or asked.address, asked.player_id, details=details)
