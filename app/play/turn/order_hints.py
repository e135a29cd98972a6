"""Words in orders that no order understands ("resign", "draw"), and the answers to them. Pure."""

from __future__ import annotations

from engine.kernel.notation import fold
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text

_RESIGN = "resign"
_AGREE = "agree"
_TAKE_BACK = "take back"
WORDS = {
    _RESIGN: "resign, concede, surrender, forfeit, give up, quit, abandon, abandonner, abandonne, capituler, rendirse, "
    "me rindo, rendir, abandonar, abandono, abbandonare, abbandono, arrendersi, mi arrendo",
    _AGREE: "draw, tie, stalemate, propose, nulle, match nul, partie nulle, proposer, tablas, empate, proponer, patta, "
    "pareggio, proporre",
    _TAKE_BACK: "undo, takeback, take back, back, cancel, revoke, annuler, annule, reprendre, deshacer, anular, "
    "cancelar, annulla, annullare, riprendere",
}
"""The meaning, and its words in any of the languages, whatever the reader's own."""
_MEANING = {fold(word): meaning for meaning, words in WORDS.items() for word in words.split(", ")}
_LONGEST = 100
"""A line may be a megabyte, and no word that is meant is as long."""


def instead(line: str, unread: Unreadable) -> Unreadable:
    """Return what to say about a line that its title did not read: where to do it, if no order does."""
    first = line.split(" ", 1)[0]
    word = line if len(line) <= _LONGEST and fold(line) in _MEANING else first
    meaning = _MEANING.get(fold(word[:_LONGEST]))
    if meaning is None or (word == first and not unread.code.endswith(".verb")):
        return unread
    if meaning == _RESIGN:
        why = Text("“{word}” is not an order. You resign on the page of the game, which asks once more.", word=word)
    elif meaning == _AGREE:
        why = Text(
            "“{word}” is not an order. An end by agreement is proposed on the page of the game; what is to be drawn is "
            "drawn by itself.",
            word=word,
        )
    else:
        why = Text(
            "“{word}” is not an order. What has not been sent is taken out of the draft with its button; what has been "
            "sent is taken back on the page that came after it, where that is possible.",
            word=word,
        )
    return Unreadable("line.not_an_order", why, word=(0, len(word)))
