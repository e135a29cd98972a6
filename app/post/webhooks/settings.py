"""The webhooks of a player: added, tried out, switched on again, removed."""

from __future__ import annotations

import secrets
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored import limits
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.people.tables import DeliveryState, Player, Webhook, WebhookDelivery, WebhookKind
from app.post.webhooks.wire import BadUrl, is_inside, read_url
from engine.kernel.text import Text

_OF_DISCORD = ("discord.com", "discordapp.com", "canary.discord.com", "ptb.discord.com")
HOSTS = dict.fromkeys(_OF_DISCORD, WebhookKind.DISCORD) | {"hooks.slack.com": WebhookKind.SLACK}
"""The hosts that take a call in a form of their own."""
MOST = 5
_BAD = {
    "form": Text("This is not the address of a webhook; one begins with https:// and names a host."),
    "scheme": Text("The address has to begin with https://."),
    "user": Text("The address must not hold a user name or password."),
}


def of_player(session: Session, player_id: int) -> list[tuple[Webhook, WebhookDelivery | None]]:
    """Return all webhooks of a player, oldest first, each with its newest call."""
    return _with_calls(session, col(Webhook.player_id) == player_id, col(Webhook.club_id).is_(None))


def of_club(session: Session, club_id: int) -> list[tuple[Webhook, WebhookDelivery | None]]:
    """Return the webhook of a club, if it has one, with its newest call."""
    return _with_calls(session, col(Webhook.club_id) == club_id)


def _with_calls(session: Session, *whose: sa.ColumnElement[bool]) -> list[tuple[Webhook, WebhookDelivery | None]]:
    newest = (
        sa.select(sa.func.max(col(WebhookDelivery.id)))
        .where(col(WebhookDelivery.webhook_id) == col(Webhook.id), col(WebhookDelivery.attempts) > 0)
        .correlate(Webhook)
        .scalar_subquery()
    )
    asked = (
        select(Webhook, WebhookDelivery)
        .outerjoin(WebhookDelivery, col(WebhookDelivery.id) == newest)
        .where(*whose)
        .order_by(col(Webhook.id))
    )
    return [(hook, last) for hook, last in session.exec(asked)]


def add(database: Database, player_id: int, url: str, *, private: bool, now: datetime) -> int:
    """Add a webhook; return its number. `private` allows http and addresses of this network. Raises NotAccepted."""
    url, kind = _read(url, private=private)
    with database.write() as session:
        # The player's row is locked, so that two forms at once do not add one too many.
        session.execute(sa.select(col(Player.id)).where(col(Player.id) == player_id).with_for_update())
        own = col(Webhook.player_id) == player_id, col(Webhook.club_id).is_(None)
        mine = session.scalars(sa.select(col(Webhook.url)).where(*own)).all()
        if len(mine) >= MOST:
            raise NotAccepted("hook.many", Text("You have {most} webhooks, which is the limit.", most=MOST))
        if url in mine:
            raise NotAccepted("hook.twice", Text("You have a webhook with this address already."))
        return _made(session, Webhook(player_id=player_id, kind=kind, url=url, secret="", made_at=now))


def _read(url: str, *, private: bool) -> tuple[str, WebhookKind]:
    """Return an address, and the kind that its host tells."""
    url = url.strip()
    try:
        host = read_url(url, private=private).host.lower()
    except BadUrl as bad:
        raise NotAccepted(f"hook.{bad.code}", _BAD[bad.code]) from None
    if not private and is_inside(host):
        raise NotAccepted(
            "hook.private",
            Text("“{host}” is in a private network; a webhook needs a host that the internet reaches.", host=host[:80]),
        )
    return url, HOSTS.get(host.rstrip("."), WebhookKind.JSON)


def _made(session: Session, hook: Webhook) -> int:
    hook.secret = secrets.token_urlsafe(32)
    session.add(hook)
    session.flush()
    return hook.id


def put_for_club(session: Session, club_id: int, by_id: int, url: str, *, private: bool, now: datetime) -> None:
    """Give a club this webhook and owe it a test call; an empty address takes it away. In the caller's transaction.
    Raises NotAccepted."""
    session.exec(sa.delete(Webhook).where(col(Webhook.club_id) == club_id))
    if url.strip():
        url, kind = _read(url, private=private)
        hook = Webhook(player_id=by_id, club_id=club_id, kind=kind, url=url, secret="", made_at=now)
        _owe_trial(session, _made(session, hook), now)


def remove(database: Database, player_id: int, hook_id: int) -> None:
    """Remove a webhook, with its calls; one that is not the player's, or does not exist, is left alone."""
    with database.write() as session:
        session.exec(sa.delete(Webhook).where(col(Webhook.id) == hook_id, col(Webhook.player_id) == player_id))


def switch_on(database: Database, player_id: int, hook_id: int) -> None:
    """Resume calling it from the next decision on. NotAccepted if it does not exist."""
    with database.write() as session:
        mine = sa.and_(col(Webhook.id) == hook_id, col(Webhook.player_id) == player_id)
        if session.exec(sa.update(Webhook).where(mine).values(is_on=True, failures=0)).rowcount != 1:
            raise _no_such()


def try_out(database: Database, player_id: int, hook_id: int, *, now: datetime) -> None:
    """Owe it a test call. NotAccepted if it does not exist or is off; TooOften."""
    limits.count(database, [(limits.HOOK_TRIALS, str(player_id))], now)
    with database.write() as session:
        mine = sa.select(col(Webhook.is_on)).where(col(Webhook.id) == hook_id, col(Webhook.player_id) == player_id)
        is_on = session.scalar(mine.with_for_update())
        if is_on is None:
            raise _no_such()
        if not is_on:
            raise NotAccepted("hook.off", Text("This webhook is off; switch it on first."))
        _owe_trial(session, hook_id, now)


def _owe_trial(session: Session, hook_id: int, now: datetime) -> None:
    row = {"webhook_id": hook_id, "call_key": f"trial:{secrets.token_hex(8)}", "payload": {"event": "trial"}}
    session.exec(
        sa.insert(WebhookDelivery).values(**row, state=DeliveryState.WAITING, made_at=now, due_at=now, attempts=0)
    )


def _no_such() -> NotAccepted:
    return NotAccepted("hook.unknown", Text("There is nothing at this address."))
