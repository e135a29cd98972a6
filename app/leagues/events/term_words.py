"""The terms of an event in words, for its page and its form."""

from __future__ import annotations

from app.base.words.speech import Voice, capital
from app.leagues.pure.model import said_points
from app.leagues.pure.term_kinds import WrongTerm
from app.leagues.pure.terms import TERMS, Terms
from app.leagues.tables import Competition
from engine.kernel.text import N_, Text

BYE_NAMES = {
    "pairing_bye": N_("bye"),
    "full_bye": N_("bye with full points"),
    "half_bye": N_("bye on request"),
    "zero_bye": N_("no game in this round"),
}
ENDING_NAMES = {
    "": N_("open"),
    "played": N_("played"),
    "walkover": N_("won without playing"),
    "double_forfeit": N_("lost by both without playing"),
    "void": N_("void"),
} | BYE_NAMES
GROUPS = ("play", "rounds", "itself", "points", "late", "leaving", "leave", "entry")
"""The subjects of terms in the order in which an event's page says them."""


def wrong_in_words(wrong: WrongTerm) -> Text:
    """Return what is wrong with a term, by the name its form uses."""
    term = TERMS.get(wrong.key)
    if term is None or not term.label:
        return wrong.why
    return Text("“{label}” should be {right}.", label=Text(term.label, n=wrong.part or "–"), right=wrong.shown)


def terms_in_words(event: Competition, voice: Voice) -> list[str]:
    """Return an event's format and terms, a sentence each."""
    return said_terms(event.format, event.terms, voice)


def said_terms(format: str, terms: Terms, voice: Voice) -> list[str]:
    """Return the terms of an event of this format, a sentence each."""
    return [sentence for group in by_group(format, terms, voice).values() for sentence in group]


def by_group(format: str, terms: Terms, voice: Voice) -> dict[str, list[str]]:
    """Return the same by subject, in the order of `GROUPS`."""
    said: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name, term in TERMS.items():
        if term.fits(format, teams=terms.boards is not None):
            sentences = term.sentences(getattr(terms, name), terms, format)
            said[term.group] += [_sentence(voice.say(one)) for one in sentences]
    if TERMS["places"].fits(format, teams=False):
        said["points"].insert(0, _by_place(terms, voice))
    return said


def _by_place(terms: Terms, voice: Voice) -> str:
    by_size = [f"{size}: " + ", ".join(map(said_points, terms.places[size])) for size in sorted(terms.sizes)]
    return voice.gettext("Points by place: {points}.", points=voice.clauses(by_size))


def _sentence(text: str) -> str:
    return f"{capital(text).removesuffix('.')}{'' if text.endswith('?') else '.'}"
