"""Rendering the templates of a mail in the reader's language."""

from __future__ import annotations

from functools import cache, partial
from html import unescape
from typing import Any

import css_inline
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from app.base.process.lent import nothing_open
from app.base.process.places import folder
from app.base.words.french import filled
from app.base.words.i18n import catalogue
from app.base.words.speech import capital
from app.post.letters.message import one_line
from app.post.letters.plain import in_words


@cache
def environment(lang: str) -> Environment:
    """Return the templates of mails in one language."""
    made = Environment(
        loader=FileSystemLoader(folder("templates") / "mail"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=["jinja2.ext.i18n"],
    )
    known = catalogue(lang)

    def say(found: str, values: dict[str, Any]) -> str:
        """Fill a wording in, which calls nobody by a name that they have not chosen."""
        said = filled(lang, found, values, Markup)
        return said if values.get("name") != "" else Markup(capital(said.removeprefix(", ")))

    def gettext(message: str, **values: object) -> str:
        """Return the message with its `%(values)s`, which are escaped."""
        return say(known.gettext(message), values)

    def ngettext(singular: str, plural: str, num: int, **values: object) -> str:
        """Return the wording for this number, which is `%(num)s` in it."""
        return say(known.ngettext(singular, plural, num), {"num": num, "n": num, **values})

    made.install_gettext_callables(gettext, ngettext)  # type: ignore[attr-defined]
    made.filters["number_of"] = "#{}".format
    return made


@cache
def _inliner() -> css_inline.CSSInliner:
    # Rules in @media (dark mode, narrow screens) stay in the sheet; nothing is ever fetched.
    return css_inline.CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)


def part(name: str, block: str, lang: str, context: dict[str, Any]) -> str:
    """Return one block of the mail `name` in words, on one line; empty if it has none of this name."""
    template = environment(lang).get_template(f"{name}.html")
    drawn = template.blocks.get(block)
    here = template.new_context({"lang": lang, "as_text": True, **context})
    return one_line(unescape("".join(drawn(here)))) if drawn else ""


def render(name: str, lang: str, context: dict[str, Any]) -> tuple[str, str]:
    """Return text part and HTML part of the mail `name`."""
    nothing_open("a mail is rendered")
    template = environment(lang).get_template(f"{name}.html")
    text, html = (template.render({"lang": lang, **context, "as_text": as_text}) for as_text in (True, False))
    return in_words(text, partial(labelled, lang)), _inliner().inline(html)


def labelled(lang: str, words: str) -> str:
    """Return words with the colon of a language, which may keep a distance."""
    return catalogue(lang).gettext("%(label)s:") % {"label": words}
