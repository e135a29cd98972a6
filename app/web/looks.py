"""How pages look in this browser: light or dark whatever the system says, and larger text.

Like the language, it is kept in a cookie, which changes nothing but this browser's pages; so a scanner may follow it.
"""

from __future__ import annotations

from flask import Blueprint, Response, make_response, redirect, request

from app.base.words.speech import Voice
from app.web import reader, visit
from app.web.reader import looks_chosen
from engine.kernel.text import N_

blueprint = Blueprint("looks", __name__)
blueprint.add_app_template_global(looks_chosen, "looks")

THEME_NAMES = {"": N_("as the system"), "light": N_("light"), "dark": N_("dark")}
SIZE_NAMES = {"": N_("normal text"), "large": N_("large text"), "larger": N_("larger text")}


@blueprint.app_template_global()
def looks_switch(voice: Voice) -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """Return both choices at the foot of a page: their names, and values with their words and whether chosen."""
    now = looks_chosen()
    choices = ("theme", THEME_NAMES, now.theme), ("size", SIZE_NAMES, now.size)
    return [
        (name, [(value, voice.gettext(words), value == chosen) for value, words in names.items()])
        for name, names, chosen in choices
    ]


@blueprint.get("/looks")
def choose() -> Response:
    """Store what was chosen in this browser, and go back."""
    now = looks_chosen()
    theme, size = request.args.get("theme", now.theme), request.args.get("size", now.size)
    response = make_response(redirect(visit.local_path(request.args.get("back"), "/"), 303))
    return reader.keep_looks(response, reader.looks_of(f"{theme}.{size}").kept)
