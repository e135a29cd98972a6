"""The mail of the end of an event, which asks whether its reader plays again."""

from __future__ import annotations

from typing import Any

from app.base.stored.mail_tables import MailGroup
from app.leagues.mails.of_events import EventMail, event_mail
from app.leagues.seasons import again
from app.leagues.tables import CompetitionStatus
from engine.kernel.text import N_


@event_mail("event_over", words=N_("the mail about the end of an event"), group=MailGroup.NEWS, news=True)
def _event_over(told: EventMail) -> dict[str, Any] | None:
    """Tell a player the place reached, whether it leads up or down, and when the next season begins."""
    if told.event.status != CompetitionStatus.OVER:
        return None
    after = again.next_event(told.session, told.event)
    begins = after.sign_up_until if after is not None else None
    about = {"event": told.event.name, "title": told.title, "begins": begins}
    return told.given | about | {"link": told.asked_link, "page": told.page}
