"""The content of a call: signed plain JSON, or a line for a channel of Discord or Slack.

No secrets: no links that answer anything, no cards, no addresses.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from sqlmodel import Session

from app.base.stored.columns import moment
from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore, NoSuchGame
from app.people.tables import Player, Webhook, WebhookDelivery, WebhookKind

FORMAT, VERSION = "postroad-webhook", 1
LONGEST_LINE = 1800


class DueDelivery(NamedTuple):
    """An owed call, with its webhook and its owner."""

    call: WebhookDelivery
    hook: Webhook
    owner: Player

    @property
    def event(self) -> str:
        """What is told."""
        return str(self.call.payload.get("event", ""))


Teller = Callable[[Session, str, DueDelivery], "dict[str, Any] | None"]
"""From the base of addresses and a call to `event`, `text` and `address`; None when it is no longer true."""
_TELLERS: dict[str, Teller] = {}


def tells(event: str) -> Callable[[Teller], Teller]:
    """Declare who says what a call of this event says."""

    def declare(teller: Teller) -> Teller:
        _TELLERS[event] = teller
        return teller

    return declare


def written(session: Session, base_url: str, owed: DueDelivery, now: datetime) -> tuple[bytes, dict[str, str]] | None:
    """Return body and headers; None when it is no longer true."""
    if owed.event == "trial":
        told: dict[str, Any] | None = _trial(owed)
    else:
        told = _TELLERS.get(owed.event, _about_game)(session, base_url, owed)
    if told is None:
        return None
    if owed.hook.kind == WebhookKind.DISCORD:
        data: dict[str, Any] = {"content": _line(told, _discord), "allowed_mentions": {"parse": []}}
    elif owed.hook.kind == WebhookKind.SLACK:
        data = {"text": _line(told, _slack), "mrkdwn": False, "unfurl_links": False}
    else:
        at = moment(owed.call.made_at)
        if owed.hook.club_id is not None:  # channels of Mattermost and Matrix show this one line
            told["text"] = _line(told, str)
        data = {"format": FORMAT, "version": VERSION, "id": f"{owed.hook.id}:{owed.call.call_key}", "at": at} | told
    body = json.dumps(data, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json; charset=utf-8"}
    if owed.hook.kind == WebhookKind.JSON:
        headers["Postroad-Signature"] = signature(owed.hook.secret, body, int(now.timestamp()))
    return body, headers


def signature(secret: str, body: bytes, at: int) -> str:
    """Return the header that proves who calls: `t=SECONDS,v1=HEX`, HMAC-SHA256 of `SECONDS.BODY` with the secret."""
    signed = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={signed}"


def _trial(owed: DueDelivery) -> dict[str, Any]:
    return {"event": "trial", "text": Voice(owed.owner.language).gettext("Post Road: this webhook works.")}


def _about_game(session: Session, base_url: str, owed: DueDelivery) -> dict[str, Any] | None:
    try:
        game = GameStore(session).load(owed.call.game_id or 0)
        seat = game.seated(owed.call.payload.get("seat") or "")
    except (NoSuchGame, KeyError):
        return None
    if owed.event == "turn" and (game.decides != seat.seat or game.number != owed.call.number):
        return None  # answered in the meantime
    voice = Voice(owed.owner.language, owed.owner.zone, game.title)
    address = f"{base_url}/games/{game.id}"
    if game.is_private and owed.hook.kind != WebhookKind.JSON:  # others read a channel
        return {"event": owed.event, "text": _private(owed.event, voice), "game": {"address": address}}
    others = [voice.who(other) for other in game.others(seat.seat)]
    told: dict[str, Any] = {
        "event": owed.event,
        "text": _sentence(game, owed, voice, voice.join(others)),
        "game": {
            "number": game.id,
            "title": game.title.id,
            "name": voice.gettext(game.title.name),
            "turn": game.turn,
            "address": address,
        },
        "seat": seat.seat,
        "opponents": others,
    }
    if owed.event == "turn":
        told["decision"] = game.number
        told["deadline"] = moment(game.deadline_at)
    else:
        outcome = game.title.outcome(game.state)
        told["winners"] = list(outcome.winners) if outcome else []
    return told


def _private(event: str, voice: Voice) -> str:
    """Return what a channel is told about a private game: neither names nor title."""
    if event == "over":
        return voice.gettext("A private game is over.")
    return voice.gettext("A decision of yours waits in a private game.")


def _sentence(game: GameNow, owed: DueDelivery, voice: Voice, others: str) -> str:
    title = voice.gettext(game.title.name)
    if owed.event == "over":
        said = voice.gettext("{title} against {others} is over.", title=title, others=others)
        return f"{said} {_won(game, voice)}"
    said = voice.gettext("Your decision in {title} against {others}", title=title, others=others) + "."
    if game.deadline_at is None:
        return said
    return f"{said} " + voice.gettext("Until {moment}.", moment=voice.moment(game.deadline_at))


def _won(game: GameNow, voice: Voice) -> str:
    outcome = game.title.outcome(game.state)
    winners = voice.join([voice.who(game.seated(seat)) for seat in outcome.winners] if outcome else [])
    return voice.gettext("{winners} won.", winners=winners) if winners else voice.gettext("Nobody has won.")


def _line(told: dict[str, Any], escape: Callable[[str], str]) -> str:
    text = escape(told["text"][:LONGEST_LINE])
    address = told.get("address") or told.get("game", {}).get("address", "")
    return "\n".join(filter(None, (text, address))) if "\n" in text else f"{text} {address}".strip()


def _discord(text: str) -> str:
    """Escape names so that they do not become links or headings in the channel."""
    return re.sub(r"([\\`*_{}\[\]()#+\-!|>~<@:])", r"\\\1", text)


def _slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
