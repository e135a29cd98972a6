"""The mail to organisers on Monday morning."""

from __future__ import annotations

from sqlmodel import Session

from app.base.links import Links
from app.leagues.desk import weekly_mail
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, finish, mail, reader_of
from engine.kernel.text import N_


@mail(weekly_mail.KIND, words=N_("the mail about the week of the clubs"))
def _club_week(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Say what needs attention in the reader's clubs; None if nothing does or the reader no longer helps to run any."""
    reader = reader_of(session, mail)
    if reader is None or reader.id is None or not mail.is_wanted(reader):
        return None
    assert mail.handed_over_at is not None
    found = weekly_mail.read(session, reader.id, mail.handed_over_at)
    if not found:
        return None
    context = {
        "clubs": [{"now": one, "link": f"{links.base_url}/clubs/{one.club.slug}/week"} for one in found],
        "ready": sum(one.ready for one in found),
        "late": sum(one.late for one in found),
    }
    return finish(weekly_mail.KIND, context, reader, links, mail, group="news")
