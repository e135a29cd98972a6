"""The meaning of an answer's lines: orders in the title's notation, and this server's words in four languages. Pure.

Anything not in this list of words is an order: the title's notation reads it, or says that it cannot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from app.play.turn.playing import END
from engine.kernel.notation import fold

WORDS: dict[str, tuple[str, ...]] = {
    "end": ("end", "end turn", "end my turn", "fin", "fin du tour", "terminer", "fin del turno", "terminar", "fine",
            "fine turno", "fine del turno", "finire"),
    "yes": ("yes", "oui", "si", "sí", "sì", "ok", "confirm", "confirmer", "confirmar", "confermo"),
    "preview": ("preview", "aperçu", "vista previa", "anteprima"),
    "revoke": ("revoke", "recall", "take back", "undo", "révoquer", "reprendre", "annuler", "revocar", "retirar",
               "deshacer", "revoca", "ritira", "annulla"),
    "help": ("help", "aide", "ayuda", "aiuto"),
    "elsewhere": (
        "resign", "leave", "claim", "accept", "decline", "takeback", "draw",
        "abandonner", "congé", "réclamer", "accepter", "refuser",
        "rendirse", "abandonar", "ausencia", "reclamar", "aceptar", "rechazar",
        "abbandonare", "abbandono", "congedo", "assenza", "reclamare", "accettare", "rifiutare",
    ),
}  # fmt: skip
"""What can be said in one line, in any of the languages, whatever the reader's own."""
_MEANING = {fold(word): meaning for meaning, words in WORDS.items() for word in words}
_CHAT = re.compile(r"(?:chat|talk|say|dire|tchat|charla|decir|messaggio|mensaje|message)\s*:\s*(.*)", re.IGNORECASE)
_BULLET = re.compile(r"^(?:[-*•·–]|\d{1,2}[.)])\s+")
_CLOSINGS = frozenset(map(fold, (
    "thanks", "thank you", "thx", "cheers", "regards", "kind regards", "best regards", "best", "best wishes", "bye",
    "good luck", "have fun", "yours", "merci", "cordialement", "bien à toi", "amitiés", "à bientôt", "salut",
    "bonne chance", "gracias", "saludos", "un saludo", "un abrazo", "abrazos", "hasta luego", "suerte", "grazie",
    "ciao", "saluti", "un saluto", "cordiali saluti", "a presto", "buona fortuna", "viele grüße", "liebe grüße", "gruß",
    "mit freundlichen grüßen", "mfg", "lg", "vg",
)))  # fmt: skip
_WRAPPED_AT = 60
"""A longer chat line was broken by the mail program, not by its author."""


@dataclass(frozen=True, slots=True)
class SaidByMail:
    """What an answer says."""

    orders: tuple[str, ...] = ()
    chat: tuple[str, ...] = ()
    yes: bool = False
    preview: bool = False
    revoke: bool = False
    help: bool = False
    elsewhere: str = ""
    """A right that cannot be used by mail."""

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing that could have an effect."""
        return self == SaidByMail()


def read(text: str, *names: str) -> SaidByMail:
    """Return what the lines of an answer say. `names` are its author's, with which many mails end; a line with nothing
    but a dot also ends it."""
    lines = _without_closing([line.strip() for line in text.splitlines()], names)
    orders: list[str] = []
    chat: list[str] = []
    meanings: list[str] = []
    elsewhere, before = "", ""
    for line in lines:
        if line == ".":
            break
        spoken = _CHAT.fullmatch(line)
        if spoken is not None:
            chat.append(spoken[1].strip())
        elif chat and before and len(before) > _WRAPPED_AT and line and not _meaning(line):
            chat[-1] = f"{chat[-1]} {line}"
        elif line:
            line = without_bullet(line)
            meaning = _meaning(line)
            if meaning == "elsewhere":
                elsewhere = elsewhere or line
            elif meaning == "end":
                orders.append(END)
            elif meaning:
                meanings.append(meaning)
            else:
                orders.append(" ".join(line.split()))
        before = line if spoken is not None or (chat and before and line) else ""
    return SaidByMail(
        tuple(orders),
        tuple(one for one in chat if one),
        yes="yes" in meanings,
        preview="preview" in meanings,
        revoke="revoke" in meanings,
        help="help" in meanings,
        elsewhere=elsewhere,
    )


def is_one(line: str) -> bool:
    """Return whether a line is one of this server's words, or addressed to all."""
    return bool(_CHAT.fullmatch(line) or _meaning(without_bullet(line)))


def without_bullet(line: str) -> str:
    """Return the line without its list marker."""
    return _BULLET.sub("", line.strip())


def _meaning(line: str) -> str:
    if line.strip() == "?":
        return "help"
    bare = fold(line)
    if bare in _MEANING:
        return _MEANING[bare]
    head, _, rest = bare.partition("-")
    is_right = _MEANING.get(head) == "elsewhere" and rest.isascii() and re.fullmatch(r"[0-9]{1,3}(-\w+)?", rest)
    return "elsewhere" if is_right else ""


def _without_closing(lines: list[str], names: Iterable[str]) -> list[str]:
    """Return the lines without the closing and the author's name."""
    own = {fold(part) for name in names for part in (name, name.split(" ")[0])} - {""}
    left = list(lines)
    while left and (not left[-1] or fold(left[-1]) in _CLOSINGS or fold(left[-1].lstrip("-—– ")) in own):
        left.pop()
    return left
