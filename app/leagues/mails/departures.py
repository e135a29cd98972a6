"""The mail after a player left an event: to the player, to opponents whose games or points change, to organisers."""

from __future__ import annotations

from typing import Any

from app.base.stored.mail_tables import MailGroup
from app.leagues.mails.of_events import EventMail, event_mail
from app.leagues.tables import CompetitionStatus, Entrant
from engine.kernel.text import N_


@event_mail("event_left", words=N_("a mail about a player who left an event"), group=MailGroup.NEWS)
def _event_left(told: EventMail) -> dict[str, Any] | None:
    """Say what it means for the reader that a player has left or was taken out. Players who want no news get it too."""
    given = told.given
    entrant = told.session.get(Entrant, given["entry"])
    if entrant is None or told.event.status == CompetitionStatus.CANCELLED:
        return None
    before, after = given.get("points", ("", ""))
    return {
        **dict.fromkeys(("lost", "void", "ahead"), 0),
        **given,
        "event": told.event.name,
        "who": told.voice.person(entrant.name),
        "number": entrant.seed,
        "division": told.division(entrant.division_id),
        "for_members": given.get("club", False) and given["leaver"],
        "before": before,
        "after": after,
        "games": [(one, f"{told.links.base_url}/games/{one}") for one in given.get("over", ())],
        "link": f"{told.page}/manage" if given["organises"] else told.page,
    }
