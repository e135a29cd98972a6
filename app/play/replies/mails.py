"""The mail that says how an answer was understood, its effect, and what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlmodel import Session

from app.base.links import Links, TurnLink
from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore
from app.play.mails import LONGEST_ANSWER, NOTHING_CHANGED, position_of
from app.play.pages.turn.asked import line_now
from app.play.past.replay import places_of
from app.play.turn import drafts
from app.play.turn.sentences import run_on
from app.play.turn.turns import said_of
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, finish, game_of, mail, reader_of
from app.post.out.envelope import ECHO
from engine.kernel.text import N_
from engine.kernel.title import Choice

AHEAD = frozenset({"held", "waits", "preview", "draft"})
"""The effects that leave unplayed lines: the position after them is shown."""
MOST_EXAMPLES = 8
HEADS = {
    "played": N_("Your orders were played."),
    "gone": N_("Your turn has gone out: the time to take it back was over."),
    "held": N_("Your turn is sealed. Until {until} you can take it back: answer “revoke”. “yes” sends it now."),
    "revoked": N_("Your turn is taken back, as if it had not been sent. Its lines are a draft again."),
    "waits": N_("Understood. This shows something hidden or passes the turn on, so it waits for your “yes”."),
    "preview": N_("This is your draft; nothing of it is played. Answer “yes” to play it."),
    "draft": N_("Nothing proves that this mail is from you, so your orders are a draft. The link leads to it."),
    "not_proven": N_("Nothing proves that this mail is from you, so nothing was done. Please use the page."),
    "refused": N_("Nothing was played."),
    "held_already": N_("Your turn is sealed already, until {until}. Answer “revoke” before you send other orders."),
    "not_held": N_("Nothing is held that could be taken back; nothing has changed."),
    "nothing_waits": N_("No orders of yours are waiting for a “yes”; nothing was played."),
    "said": N_("Your words are in the chat; nothing was played."),
    "elsewhere": N_("“{word}” cannot be done by mail. The link leads to where it can; nothing was played."),
    "help": N_("Nothing was played. This is how to answer by mail:"),
}
"""The effect of an answer, in a sentence."""
SUBJECTS = {
    "played": N_("Played: {title} #{number}, turn {turn}"),
    "gone": N_("Played: {title} #{number}, turn {turn}"),
    "held": N_("Sealed, not sent yet: {title} #{number}, turn {turn}"),
    "waits": N_("Waits for your “yes”: {title} #{number}, turn {turn}"),
    "preview": N_("Your draft: {title} #{number}, turn {turn}"),
    "draft": N_("Your draft: {title} #{number}, turn {turn}"),
    "help": N_("How to answer by mail: {title} #{number}, turn {turn}"),
    "said": N_("Said: {title} #{number}, turn {turn}"),
}
NOT_PLAYED = N_("Not played: {title} #{number}, turn {turn}")
HOW = (
    N_("Write your orders above the marked line, one a line, as in the list of what you can do."),
    N_("“preview” shows what they lead to, “yes” plays the draft."),
    N_("“revoke” takes back a turn that is held, “chat: …” says something to all, “end” ends your turn."),
    N_("Whatever is quoted below and your signature are not read. A line with only a dot ends your orders."),
)


@mail(ECHO, words=N_("the result of orders sent by mail"))
def _echo(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell a player who has answered a mail by mail."""
    reader, game = reader_of(session, mail), game_of(session, mail)
    if reader is None or game is None or mail.seat is None:
        return None
    told = mail.details
    outcome, seat = told["outcome"], mail.seat
    voice = Voice(reader.language, reader.zone, game.title).among(game.seats)
    is_owed = mail.number is not None and game.decides == seat and game.number == mail.number
    link = f"{links.base_url}/games/{game.id}"
    if is_owed and mail.number is not None:
        link = links.turn(TurnLink(game.id, seat, mail.number, reader.id))
    happened, changed = _since(session, game, seat, voice, told.get("since"))
    shown = _after_lines(game, seat, told["lines"]) if is_owed and outcome in AHEAD else game
    until = voice.moment(datetime.fromisoformat(told["until"])) if told.get("until") else ""
    named = {"title": voice.gettext(game.title.name), "number": game.id, "turn": game.turn}
    context = {
        "title": named["title"],
        "subject_line": voice.gettext(SUBJECTS.get(outcome, NOT_PLAYED), **named),
        "head": voice.gettext(HEADS[outcome], until=until, word=told.get("word", "")),
        "lines": told["lines"],
        "rest": told["rest"],
        "refused": told["refused"],
        "happened": happened,
        "next": _next(session, game, seat, voice, outcome),
        "deadline": game.deadline_at if is_owed else None,
        "how": [voice.gettext(sentence) for sentence in HOW] if outcome == "help" else [],
        "examples": _examples(shown) if is_owed and outcome in ("help", "refused", "played") else [],
        "owed": is_owed,
        "link": link,
        **position_of(shown, seat, voice, changed, reader.mail_shows),
    }
    return finish(ECHO, context, reader, links, mail, group=None)


def _since(
    session: Session, game: GameNow, seat: str, voice: Voice, since: int | None
) -> tuple[list[str], frozenset[str]]:
    """Return what the seat saw happen since the orders, and where."""
    if since is None:
        return [], NOTHING_CHANGED
    told = [event for _, events in GameStore(session).events(game.title, game.id, since) for event in events]
    return run_on(said_of(game, told, seat, voice), voice), places_of(told)


def _after_lines(game: GameNow, seat: str, lines: Sequence[str]) -> GameNow:
    """Return the game as it would be after lines that reveal nothing hidden; those that do are not played ahead."""
    ahead = drafts.play_ahead(game.title, game.state, seat, lines)
    after = replace(game, state_text="")
    after.know(ahead.state)
    return after


def _next(session: Session, game: GameNow, seat: str, voice: Voice, outcome: str) -> str:
    """Whether the turn is still open or another has begun, and who decides next."""
    if game.is_over:
        return voice.gettext("The game is over.")
    if game.decides != seat:
        return voice.gettext("Now {who} decides.", who=voice.who(game.seated(game.decides or "")))
    if outcome == "held":
        return ""
    if game.on_turn != seat:
        return voice.gettext("You still have to answer.")
    line = line_now(GameStore(session), game, seat, voice)
    return voice.gettext("Your turn is still open.") if line.goes_on else line.asked


def _examples(game: GameNow) -> list[str]:
    """Return one line of orders for each kind that is possible now."""
    found: dict[str, str] = {}
    if game.decides is None:
        return []
    for item in game.title.legal(game.state):
        for action in list(item.smallest())[:1] if isinstance(item, Choice) else [item]:
            line = game.title.write(game.state, action)
            if len(line) <= LONGEST_ANSWER:
                found.setdefault(line.split(" ")[0], line)
        if len(found) >= MOST_EXAMPLES:
            break
    return list(found.values())
