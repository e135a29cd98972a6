"""The mail to operators about a reported chat line or player."""

from __future__ import annotations

from sqlmodel import Session

from app.base.links import Links
from app.base.words.refusals import NoSuch
from app.base.words.speech import Voice
from app.people.tables import PlayerRole
from app.play.agreed import reports
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, finish, mail, reader_of
from engine.kernel.text import N_


@mail(reports.KIND, words=N_("a report of chat or of a player"))
def _talk_report(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell an operator which line or player was reported, by whom, in which game."""
    reader = reader_of(session, mail)
    if reader is None or reader.role != PlayerRole.OPERATOR:
        return None
    try:
        found = reports.look(session, mail.details["report"])
    except NoSuch:
        return None
    voice = Voice(reader.language, reader.zone, found.game.title if found.game else None)
    context = {
        "number": found.game.id if found.game else None,
        "by": found.by,
        "whose": voice.who(found.game.seated(found.said.seat)) if found.game and found.said else found.about,
        "text": found.said.text if found.said else "",
        "why": found.why,
        "link": f"{links.base_url}/moderation",
    }
    return finish(reports.KIND, context, reader, links, mail, group=None)
