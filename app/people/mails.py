"""The mails about an account itself: signing in, its addresses, erasing it, and webhooks that were switched off."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

from sqlalchemy import select
from sqlmodel import Session, col

from app.base.links import Links
from app.base.stored.mail_tables import MailGroup
from app.people import signin
from app.people.tables import Player, Webhook
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, finish, mail, reader_of
from engine.kernel.text import N_


@mail("sign_in", words=N_("a link to sign in"), group=MailGroup.ASKED)
def _sign_in(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Mail a link that signs in once."""
    reader = reader_of(session, mail)
    if reader is None or not _is_good(session, mail):
        return None
    then = mail.details.get("then") or ""
    link = f"{links.base_url}/sign-in/{mail.details['token']}" + (f"?then={quote(then, safe='')}" if then else "")
    context = {"link": link, "code": mail.details.get("code", "")}
    return finish("sign_in", context, reader, links, mail, group="news" if reader.acted_at is None else None)


@mail("old_address", words=N_("a mail about a changed address"), group=MailGroup.ASKED)
@mail("new_address", words=N_("a link to confirm an address"), group=MailGroup.ASKED)
def _address(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Mail the address that is to be given up, and the one that is to become the player's."""
    reader = reader_of(session, mail)
    if reader is None or not _is_good(session, mail):
        return None
    link = f"{links.base_url}/address/{mail.details['token']}"
    due = mail.details.get("due")
    context = {"link": link, "old": mail.details["old"], "new": mail.details["new"], "by": mail.details.get("by")}
    context["due"] = datetime.fromisoformat(due) if due else None
    return finish(mail.kind, context, reader, links, mail, group=None)


def _is_good(session: Session, mail: QueuedMail) -> bool:
    """Return whether the link of a mail still opens something."""
    assert mail.handed_over_at is not None
    try:
        signin.read_link(session, mail.details["token"], mail.handed_over_at)
    except signin.BadToken:
        return False
    return True


def _to_reader(
    session: Session, links: Links, mail: QueuedMail, context: Callable[[Player], dict[str, Any]]
) -> WrittenMail | None:
    reader = reader_of(session, mail)
    return None if reader is None else finish(mail.kind, context(reader), reader, links, mail, group=None)


@mail("erase", words=N_("a link to erase the account"), group=MailGroup.ASKED)
def _erase(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    until = int(mail.details["until"])

    def say(reader: Player) -> dict[str, Any]:
        return {"link": links.erase(reader.id, until), "until": datetime.fromtimestamp(until, UTC)}

    return _to_reader(session, links, mail, say)


@mail("webhook_off", words=N_("a mail about a webhook"))
def _webhook_off(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell that a webhook has failed too often."""
    reader = reader_of(session, mail)
    asked = select(col(Webhook.url), col(Webhook.failures)).where(
        col(Webhook.id) == mail.details["webhook"], col(Webhook.is_on).is_(False)
    )
    hook = session.execute(asked).first()
    if reader is None or hook is None:
        return None
    context = {
        "host": urlsplit(hook.url).hostname,
        "times": hook.failures,
        "link": f"{links.base_url}/account/webhooks",
    }
    return finish("webhook_off", context, reader, links, mail, group=None)


@mail("device_off", words=N_("a mail about devices that are not told any more"))
def _device_off(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell that the last device is lost, so that turns are mailed again."""
    reader = reader_of(session, mail)
    if reader is None or not mail.is_wanted(reader, "turns") or reader.has_device:
        return None
    context = {"link": f"{links.base_url}/games"}
    return finish("device_off", context, reader, links, mail, group="turns")


@mail("second_address", words=N_("a link to confirm an address"), group=MailGroup.ASKED)
def _second_address(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Mail the link that confirms a second address, to that address."""

    def say(reader: Player) -> dict[str, Any]:
        token = links.sign("second", [reader.id, mail.address, int(mail.details["until"])])
        return {"link": f"{links.base_url}/second-address/{token}", "first": reader.address}

    return _to_reader(session, links, mail, say)


@mail("second_told", words=N_("a mail about a second address"), group=MailGroup.ASKED)
def _second_told(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell the first address of a second one, with the link that takes it away."""
    second = str(mail.details["second"])

    def say(reader: Player) -> dict[str, Any]:
        return {"link": f"{links.base_url}/not-me/{links.sign('not-me', [reader.id, second])}", "second": second}

    return _to_reader(session, links, mail, say)
