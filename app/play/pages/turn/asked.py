"""The line: one sentence that says what has just happened and what is asked now.

It is the heading and title of the turn page, the headline of mails and the `asked` of JSON. `line_of` is pure, for
callers that have read the log already; `line_now` reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from app.base.words.speech import ACTOR, Voice
from app.games.store import GameNow, GameStore
from app.play.lists import ends
from app.play.turn.sentences import Sentence, run_on
from app.play.turn.turns import said_among
from app.titles.pages import parts_of
from app.titles.parts import PlainParts
from engine.kernel.takeback import TakenBack
from engine.kernel.title import Title

MOST_NEWS = 80
"""Characters. Of what others did, as much as fits of what matters most, and at least one sentence."""


class Line(NamedTuple):
    """The line of a seat, as plain text (escape it in a page)."""

    happened: str
    """What has just happened, in whole sentences; "" if that is in the question, or nothing has."""
    asked: str
    """The question or what the seat waits for, a whole sentence: `Gwen raids Port Royal: do you block?`, `2 actions
    left.`, `Bob has it.`"""
    short: str
    """The same for a subject, so that `: your answer by Thu 3 Dec` can follow: `Gwen raids Port Royal`; "" for the
    seat's own turn."""
    goes_on: bool = False
    """Whether the seat has already played part of its turn."""

    @property
    def said(self) -> str:
        """All of it: `Played: Home Support; drew Boston. 2 actions left.`"""
        return f"{self.happened} {self.asked}".strip()


def line_of(
    game: GameNow,
    seat: str,
    voice: Voice,
    events: Sequence[Any] = (),
    *,
    goes_on: bool = False,
    view: Mapping[str, Any] | None = None,
    reads: str | None = "",
) -> Line:
    """Return the line for a seat, in the language of `voice`, which knows the title.

    `events` is the news, oldest first: with `goes_on` (the seat has already played part of this turn) since just before
    what it sent last, else since after that. `view` is the position in which something is asked, if not that of the
    game: the seat's view with its draft played. `reads` is who may read the line, if that is not the seat: None for
    what everybody may know, as in mails without the hand.
    """
    if game.decides != seat:
        return waiting(game, voice, seat)
    parts = parts_of(game.title.id, voice.lang).among({one.seat: voice.who(one) for one in game.seats})
    among = voice.among(game.seats)
    eyes = seat if reads == "" else reads
    asked = parts.asked(view or game.view(eyes), goes_on)
    happened = ""
    if game.on_turn == seat and goes_on:
        happened = _played(game.title, seat, among, events, eyes, parts)
    elif game.on_turn == seat:
        happened = news_of(game.title, seat, among, events, eyes)
    return Line(happened, asked.question, asked.short, goes_on)


def line_now(store: GameStore, game: GameNow, seat: str, voice: Voice, *, reads: str | None = "") -> Line:
    """Return the line of the game as it stands, with the news read from the log. Arguments as for `line_of`."""
    if game.decides != seat or game.on_turn != seat:
        return line_of(game, seat, voice, reads=reads)
    own = store.own_answers(game.id, seat, 1)
    goes_on = bool(own) and own[0].turn == game.turn
    since = store.entry_before_own(game.id, seat) if goes_on else own[0].last_entry if own else 0
    events = [event for _, told in store.events(game.title, game.id, since) for event in told]
    return line_of(game, seat, voice, events, goes_on=goes_on, reads=reads)


def waiting(game: GameNow, voice: Voice, seat: str | None = None) -> Line:
    """Return the line for everybody who has nothing to decide, spectators too: `Bob has it.`, `You lost, 32 to 45.`"""
    if game.decides is None:
        return Line("", ends.of_game(game, seat, voice), "")
    holder = game.seated(game.decides)
    if holder.computer:
        return Line("", voice.gettext("{name} is thinking.", name=voice.who(holder)), "")
    said = voice.gettext("{name} has it.", name=voice.who(holder))
    return Line("", said, "")


def sent(game: GameNow, voice: Voice, seat: str) -> str:
    """Return the line after sending: `Sent. Bob has it.`"""
    return voice.gettext("Sent.") + " " + waiting(game, voice, seat).asked


def _played(title: Title, seat: str, voice: Voice, events: Sequence[Any], eyes: str | None, parts: PlainParts) -> str:
    """Return what the seat has just played, and what others answered."""
    deeds, answers, me = [], [], voice.name(ACTOR, seat)
    for told in _told(title, seat, voice, events, eyes):
        if _who(told.said) != me:
            answers.append(told)
        elif told.weight or told.shown.shows:
            deeds.append(parts.briefly(told.shown) or told.said.removeprefix(f"{me} ").removesuffix("."))
    played = [voice.gettext("Played: {deeds}.", deeds=voice.clauses(deeds))] if deeds else []
    return f"{' '.join(played)} {_weightiest(answers, voice)}".strip()


def news_of(title: Title, seat: str, voice: Voice, events: Sequence[Any], eyes: str | None) -> str:
    """Return what matters most of what has happened without the seat: draws and shuffles only if nothing else has, and
    of what it did itself, by orders given in advance, only what touches it. `voice` knows who sits where."""
    me = voice.name(ACTOR, seat)
    told = _told(title, seat, voice, events, eyes)
    others = [one for one in told if _who(one.said) not in ("", me) and not one.shown.shows]
    return _weightiest([one for one in told if one.weight > (1 if _who(one.said) in ("", me) else 0)] or others, voice)


class _Told(NamedTuple):
    """An event of the news as the reader sees it, its sentence, and how much that tells the seat."""

    shown: Any
    said: str
    weight: int


def _told(title: Title, seat: str, voice: Voice, events: Sequence[Any], eyes: str | None) -> list[_Told]:
    weigh, seen_by = title.weight, title.seen_by
    return [
        _Told(event, said, 0) if isinstance(event, TakenBack) else _Told(seen_by(event, eyes), said, weigh(event, seat))
        for event in events
        for said in said_among(title, [event], eyes, voice)
    ]


def _weightiest(told: Sequence[_Told], voice: Voice) -> str:
    """Return as many sentences as fit, and at least one: those that matter most, of these the latest, in the order in
    which they happened."""
    best, chosen = "", list[int]()
    for n in sorted(range(len(told)), key=lambda n: (-told[n].weight, -n)):
        chosen = sorted([*chosen, n], key=lambda n: (-told[n].weight, n))
        more = " ".join(run_on([told[n].said for n in chosen], voice))
        if best and len(more) > MOST_NEWS:
            break
        best = more
    return best


def _who(said: str) -> str:
    return said.who if isinstance(said, Sentence) else ""
