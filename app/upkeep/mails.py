"""The mail to operators about the server: something is wrong with it, or it is well again."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from app.base.links import Links
from app.base.words.speech import Voice
from app.people.tables import PlayerRole
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, finish, mail, reader_of
from app.upkeep.alarm_words import FIGURE, FIGURES, WHAT
from engine.kernel.text import N_


@mail("alarm", words=N_("an alarm about the server"))
def _alarm(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell an operator what is wrong and since when, or that it is over."""
    reader = reader_of(session, mail)
    if reader is None or reader.role != PlayerRole.OPERATOR:
        return None
    voice = Voice(reader.language, reader.zone)
    until, name, figures = (mail.details[field] for field in ("until", "alarm", "figures"))
    what = WHAT[name]
    context = {
        "what": voice.gettext(what),
        "short": voice.gettext(what).partition(". ")[0].rstrip(".") + ".",
        "figures": voice.gettext(FIGURES.get(name, FIGURE), figures=figures) if figures else "",
        "since": voice.moment(datetime.fromisoformat(mail.details["since"])),
        "until": voice.moment(datetime.fromisoformat(until)) if until else None,
        "link": f"{links.base_url}/server",
    }
    return finish("alarm", context, reader, links, mail, group=None)
