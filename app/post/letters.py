"""One function for each kind of mail: from the row in the outbox to what its templates need.

A function gives None when the mail is no longer true (its decision has been made) or no longer wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from app.base.links import TurnLink
from app.base.prepared import Prepared
from app.base.speech import Voice
from app.games.store import GameNow, GameStore, NoSuchGame
from app.people.tables import Player
from app.play.proof import committed
from app.play.turns import said_of, what_happened
from app.post.message import Letter
from app.post.render import render
from app.time import outages, pending
from app.time.time_log import credits_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.base.links import Links

_PLAYER = Player.__table__  # type: ignore[attr-defined]
_READER = Prepared(select(_PLAYER).where(_PLAYER.c.id == bindparam("player"), _PLAYER.c.erased_at.is_(None)))
MOST_ANSWERS = 12
"""So many possible answers are listed in a mail; more are on the page."""
LONGEST_ANSWER = 68
"""Characters. A line of orders cannot be wrapped, and with its indent no line of a mail is longer than 72."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A mail in the outbox, as its sender read it."""

    id: int
    kind: str
    address: str
    player_id: int | None
    game_id: int | None
    seat: str | None
    number: int | None
    details: dict[str, Any]
    made_at: datetime
    attempts: int
    message: bytes | None = field(default=None, repr=False)
    message_id: str | None = None
    rendered_at: datetime | None = None
    tried_at: datetime | None = None
    handed_over_at: datetime | None = None
    """The moment for which it is written; `write_letter` sets it."""


Write = Callable[[Any, Any, Waiting], Letter | None]
"""From a connection, the links of the server and a mail in the outbox to what is sent."""
_KINDS: dict[str, Write] = {}


def write_letter(connection: Connection, links: Links, mail: Waiting, now: datetime) -> Letter | None:
    """The mail in the reader's words as it is true when it is handed over `now`; None when it should not go out any
    more. Deadlines are those that hold if its host accepts it at this moment."""
    return _KINDS[mail.kind](connection, links, replace(mail, handed_over_at=now))


def register(kinds: Mapping[str, Write]) -> None:
    """Have mails of these kinds written by these functions."""
    _KINDS.update(kinds)


def reader_of(connection: Connection, mail: Waiting) -> Any | None:
    """The row of whom the mail is for; None when the account has been erased, so that nothing is sent."""
    return None if mail.player_id is None else _READER.first(connection, player=mail.player_id)


def game_of(connection: Connection, mail: Waiting) -> GameNow | None:
    """The game that a mail is about. Its deadline is the one that the mail may name: the row's is only the earliest
    one until a mail of the decision has been accepted."""
    assert mail.game_id is not None and mail.handed_over_at is not None
    try:
        game = GameStore(connection).load(mail.game_id)
    except NoSuchGame:
        return None
    if game.decides is None:
        return game
    # A clock that starts now has lost nothing; one that ran while no mail could go out is about to get that back.
    lost = outages.not_noted(connection, mail.handed_over_at) if game.mailed_at is not None else ()
    due = pending.deadline_if_accepted(connection, game.id, game.number, mail.handed_over_at, lost)
    return replace(game, deadline_at=due or game.deadline_at)


def still_owed(game: GameNow, mail: Waiting) -> bool:
    """Whether the mail's decision is still to be made by the player it is for."""
    if game.number != mail.number or game.decides != mail.seat:
        return False
    return game.seated(game.decides or "").player_id == mail.player_id


def _about(game: GameNow, seat: str, voice: Voice) -> dict[str, Any]:
    """What every mail about a game shows."""
    view = game.title.view(game.state, seat)
    return {
        "voice": voice,
        "title": voice.gettext(game.title.name),
        "seat": voice.name("seat", seat),
        "others": voice.join([voice.who(s) for s in game.others(seat)]),
        "turn": game.turn,
        "game": game,
        "board": game.title.board(view, voice, faces=True),
        "deadline": game.deadline_at,
    }


def proof_link(links: Links, game_id: int) -> str:
    """The page that shows the commitment, and after the end the seed and every outcome."""
    return f"{links.base_url}/games/{game_id}/proof"


def finish(
    name: str, context: dict[str, Any], reader: Any, links: Links, mail: Waiting, *, group: str | None
) -> Letter:
    assert reader.id is not None
    unsubscribe = links.unsubscribe(reader.id, group) if group else None
    subject, text, html = render(name, reader.language, {**context, "reader": reader, "unsubscribe": unsubscribe})
    thread = f"game.{mail.game_id}" if mail.game_id else None
    return Letter(mail.address, reader.name, subject, text, html, thread, unsubscribe)


def _turn(connection: Connection, links: Links, mail: Waiting) -> Letter | None:
    """A seat owes a decision."""
    return asking(connection, links, mail, "turn", "turns")


def asking(
    connection: Connection, links: Links, mail: Waiting, name: str, group: str,
    more: Callable[[GameNow, Voice], dict[str, Any]] | None = None,
) -> Letter | None:  # fmt: skip
    """A mail that asks for a decision, with the position; `more` gives what its templates need besides."""
    reader, game = reader_of(connection, mail), game_of(connection, mail)
    if reader is None or game is None or not still_owed(game, mail):
        return None
    if not getattr(reader, f"mail_{group}") and not mail.details.get("again"):
        return None  # not wanted, unless asked for just now
    assert mail.seat is not None and mail.number is not None
    voice = Voice(reader.language, reader.zone, game.title)
    store = GameStore(connection)
    since = store.last_own_entry(game.id, mail.seat)
    happened = what_happened(store, game, mail.seat, voice, since)
    link = links.turn(TurnLink(game.id, mail.seat, mail.number, reader.id))
    context = _about(game, mail.seat, voice) | {
        "link": link,
        "credits": credits_of(connection, game, voice),
        "away": links.leave(reader.id, mail.made_at),
        "happened": happened,
        "own_turn": game.on_turn == mail.seat,
        "owes_end": game.title.end_of_steps(game.state) is not None,
        "on_turn": voice.name("seat", game.on_turn or ""),
        "answers": _answers(game),
        "commitment": committed(game.seed) if since == 0 else "",
        "proof_link": proof_link(links, game.id),
    }
    if more is not None:
        context |= more(game, voice)
    return finish(name, context, reader, links, mail, group=group)


def _answers(game: GameNow) -> list[str]:
    """What can be answered, as lines of the notation, when it is little enough to be listed."""
    lines: list[str] = []
    for item in game.title.legal(game.state):
        for action in item.smallest() if hasattr(item, "smallest") else [item]:
            lines.append(game.title.write(game.state, action))
            if len(lines) > MOST_ANSWERS or len(lines[-1]) > LONGEST_ANSWER:
                return []
    return lines


def _over(connection: Connection, links: Links, mail: Waiting) -> Letter | None:
    """The game has ended."""
    reader, game = reader_of(connection, mail), game_of(connection, mail)
    if reader is None or game is None or not reader.mail_turns:
        return None
    assert mail.seat is not None
    voice = Voice(reader.language, reader.zone, game.title)
    store = GameStore(connection)
    happened = what_happened(store, game, mail.seat, voice, store.last_own_entry(game.id, mail.seat))
    if not happened:  # the reader's own move ended it
        happened = [s for _, _, step in store.log(game.title, game.id, game.entries - 1)
                    for s in said_of(game, step.told, mail.seat, voice)]  # fmt: skip
    outcome = game.title.outcome(game.state)
    winners = [voice.name("seat", seat) for seat in outcome.winners] if outcome else []
    context = _about(game, mail.seat, voice) | {
        "happened": happened,
        "winners": voice.join(winners),
        "record": f"{links.base_url}/games/{game.id}/record.json",
        "proof_link": proof_link(links, game.id) if game.seed else "",
    }
    return finish("over", context, reader, links, mail, group="turns")


KINDS: dict[str, Callable[[Any, Any, Waiting], Letter | None]] = {
    "turn": _turn,
    "over": _over,
}
