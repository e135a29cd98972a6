"""The page with a title's rules: its text in the reader's language."""

from __future__ import annotations

from functools import cache, partial

from flask import Blueprint, Response, jsonify, url_for

from app.base.words.i18n import LANGUAGES, catalogue
from app.base.words.speech import Voice
from app.titles import rule_texts
from app.titles.pages import pages_of, parts_of
from app.titles.registry import TITLES
from app.web import visit
from app.web.public import public
from engine.kernel.text import N_

blueprint = Blueprint("rules", __name__)
A_DAY = 24 * 3600

TAGS = {
    "first": N_("First edition"),
    "revised": N_("First edition, revised"),
    "second": N_("Second edition"),
    "ruling": N_("Our ruling"),
    "option": N_("Option"),
}
"""The HTML tags for the marks in the texts."""


@blueprint.get("/rules")
def index() -> Response:
    """Show all titles whose rules can be read here."""
    lang = visit.voice().lang
    found = [title for title_id, title in TITLES.items() if _has_rules(title_id)]
    shown = [(one, parts_of(one.id, lang).presented(), pages_of(one.id).lesson is not None) for one in found]
    return visit.show("play/rules/index.html", shown=shown)


@blueprint.get("/rules/<title_id>")
def rules(title_id: str) -> Response:
    """Show all rules by number; every hint and refusal links here."""
    title = visit.there(TITLES.get(title_id))
    text = visit.there(text_of(title_id, visit.voice().lang))
    learns = pages_of(title_id).lesson
    return visit.show("play/rules/show.html", title=title, text=text, languages=LANGUAGES, learns=learns)


@blueprint.get("/rules/<title_id>/data.json")
@public
def data_json(title_id: str) -> Response:
    """Send what is printed on board and pieces, for programs."""
    facts = visit.there(TITLES.get(title_id)).facts()
    response = jsonify(visit.there(facts or None))
    response.cache_control.max_age = A_DAY
    return response


@blueprint.get("/rules/<title_id>/reference")
def reference(title_id: str) -> Response:
    """Show all cards, tiles or other pieces of a title."""
    title = visit.there(TITLES.get(title_id))
    shown = visit.there(parts_of(title_id, visit.voice().lang).reference() or None)
    return visit.show("play/rules/reference.html", title=title, reference=shown)


@blueprint.app_template_global()
@cache
def rules_address(title_id: str, lang: str) -> str:
    """Return the address of the rules of a title in a language; empty if there are none."""
    return url_for("rules.rules", title_id=title_id, lang=lang) if _has_rules(title_id) else ""


def _has_rules(title_id: str) -> bool:
    return rule_texts.file_of(title_id, "en") is not None


@cache
def text_of(title_id: str, lang: str) -> rule_texts.RulesText | None:
    """Return the text of a title in a language, rendered once per process; None if the title has none."""
    tags = {tag: catalogue(lang).gettext(said) for tag, said in TAGS.items()}
    voice = Voice(lang, title=TITLES[title_id])
    draw = partial(pages_of(title_id).rule_drawing, voice=voice)
    return rule_texts.read(title_id, lang, tags, draw)
