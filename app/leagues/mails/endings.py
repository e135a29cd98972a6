"""The mail of the end of an event, which asks whether its reader plays again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.base.mail_tables import MailGroup
from app.base.speech import Voice
from app.leagues.mails.events import asked_link, reader_and_event
from app.leagues.seasons import again
from app.leagues.tables import CompetitionStatus
from app.post.message import WrittenMail
from app.post.writing import QueuedMail, finish, mail
from engine.kernel.text import N_

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.links import Links


@mail("event_over", words=N_("the mail about the end of an event"), group=MailGroup.NEWS)
def _event_over(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell a player the place reached, whether it leads up or down, and when the next season begins."""
    told = reader_and_event(session, mail, is_news=True)
    if told is None or told[1].status != CompetitionStatus.OVER:
        return None
    reader, event = told
    voice = Voice(reader.language, reader.zone, event.title)
    after = again.next_event(session, event)
    context = {
        **mail.details,
        "event": event.name,
        "title": voice.gettext(event.title.name),
        "begins": after.sign_up_until if after is not None else None,
        "link": asked_link(links, "event_over", event, reader),
        "page": f"{links.base_url}/events/{event.id}",
    }
    return finish("event_over", context, reader, links, mail, group="news")
