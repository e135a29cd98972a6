"""What a name may be made of, after UTS 39 (Unicode Security Mechanisms): it can be seen, has one alphabet, and does
not look like the server itself.

Python knows no scripts: the alphabet of a letter is the first word of its name in the Unicode database.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from app.base.words.i18n import LANGUAGES, catalogue
from app.base.words.speech import COMPUTER, COMPUTERS, FORMER_PLAYER
from engine.kernel.text import N_

OURS = (*COMPUTERS.values(), COMPUTER, FORMER_PLAYER, N_("the server"), N_("operator of the server"), "Post Road")
"""What pages call the server, and players who are not people."""
# Letters, marks and symbols without ink, which Python calls printable (Default_Ignorable_Code_Point, and the blank of
# Braille).
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_EAST_ASIAN = ({"CJK", "HIRAGANA", "KATAKANA"}, {"CJK", "BOPOMOFO"}, {"CJK", "HANGUL"})
_NEVER_WITH_LATIN = {"CYRILLIC", "GREEK", "CHEROKEE", "LISU", "COPTIC", "ARMENIAN", "DESERET", "OSAGE", "GOTHIC", "OLD"}
"""Alphabets with letters that look like Latin ones; any other may stand beside it (UTS 39, moderately restrictive)."""
MOST_MARKS = 2
_LATIN_LETTER = re.compile(r"LATIN .*?\b([A-Z])\b")
# Capital letters, and digits, that are drawn like Latin ones. I, L and 1 count as one.
_LOOKS_LIKE = str.maketrans(
    "АВГЕІЈКМНОПРСТУХЅԀԚԜҺӀИШЬ" "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧΩ" "01|5L" "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ",
    "ABREIJKMHONPCTYXSDQWHIUWB" "ABEZHIKMNOPTYXW" "OIISI" "BPDTGKJCZFMNISRVHWXYAEIOU",
)  # fmt: skip


def seen(text: str) -> str:
    """Return what is seen of a text, on one line."""
    return " ".join("".join(c for c in _UNSEEN.sub("", text) if c.isprintable()).split())


def is_legible(name: str) -> bool:
    """Return whether a name has a letter or a digit, and at most two marks on each."""
    kinds = "".join(unicodedata.category(c)[0] for c in unicodedata.normalize("NFC", name))
    return bool(re.search("[LN]", kinds)) and "M" * (MOST_MARKS + 1) not in kinds


def is_mixed(name: str) -> bool:
    """Return whether a name has letters of alphabets that do not stand together (UTS 39, 5.2)."""
    letters = [c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) in ("Lu", "Ll", "Lt", "Lo")]
    alphabets = {unicodedata.name(c, "?").split()[0] for c in letters}
    others = alphabets - {"LATIN"}
    if len(others) > 1:
        return not any(others <= together for together in _EAST_ASIAN)
    return others != alphabets and bool(others & _NEVER_WITH_LATIN)


def is_ours(name: str) -> bool:
    """Return whether a name is one of ours in any language, or looks like it, also with a number behind."""
    return drawn(re.sub(r"[\W\d_]+$", "", name)) in _ours()


@cache
def _ours() -> frozenset[str]:
    return frozenset(drawn(catalogue(lang).gettext(name)) for lang in LANGUAGES for name in OURS)


def drawn(text: str) -> str:
    """Return a text by the shapes of its letters: the same for all that look alike (a skeleton, UTS 39, 4)."""
    capitals = ""
    for c in unicodedata.normalize("NFKD", text):
        latin = _LATIN_LETTER.match(unicodedata.name(c, ""))
        capitals += latin[1] if latin else c.upper() if unicodedata.category(c)[0] != "M" else ""
    return re.sub(r"\W", "", capitals.translate(_LOOKS_LIKE)).replace("VV", "W").replace("RN", "M")
