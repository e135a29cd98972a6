"""The mail after a player left an event: to the player, to opponents whose games or points change, to organisers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlmodel import col, select

from app.base.mail_tables import MailGroup
from app.base.speech import Voice
from app.leagues.mails.events import event_of
from app.leagues.tables import CompetitionStatus, Entrant
from app.post.message import WrittenMail
from app.post.writing import QueuedMail, finish, mail, reader_of
from engine.kernel.text import N_

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.links import Links


@mail("event_left", words=N_("a mail about a player who left an event"), group=MailGroup.NEWS)
def _event_left(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Say what it means for the reader that a player has left or was taken out. Players who want no news get it too."""
    reader, given = reader_of(session, mail), mail.details
    event = None if reader is None else event_of(session, given["event"])
    entrant = session.exec(select(Entrant).where(col(Entrant.id) == given["entry"])).first()
    if reader is None or event is None or entrant is None or event.status == CompetitionStatus.CANCELLED:
        return None
    voice = Voice(reader.language, reader.zone, event.title)
    before, after = given.get("points", ("", ""))
    divided = len(event.divisions) > 1 and entrant.division_id is not None
    context = {
        "event": event.name,
        "who": voice.person(entrant.name),
        "number": entrant.seed,
        "division": event.division(entrant.division_id).name if divided else "",
        "leaver": given["leaver"],
        "own": given["own"],
        "erased": given["erased"],
        "for_members": given.get("club", False) and given["leaver"],
        "reason": given["reason"],
        "organises": given["organises"],
        "lost": given.get("lost", 0),
        "void": given.get("void", 0),
        "ahead": given.get("ahead", 0),
        "before": before,
        "after": after,
        "drafts": given["drafts"],
        "games": [(one, f"{links.base_url}/games/{one}") for one in given.get("over", ())],
        "link": f"{links.base_url}/events/{event.id}" + ("/desk" if given["organises"] else ""),
    }
    return finish("event_left", context, reader, links, mail, group=None)
