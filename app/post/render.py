"""Rendering the templates of a mail in the reader's language."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from typing import Any

import css_inline
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_eval_context, select_autoescape
from jinja2.nodes import EvalContext
from markupsafe import Markup

from app.base.french import fitted
from app.base.i18n import catalogue
from app.base.lent import nothing_open
from app.base.places import folder
from app.post.message import one_line

COLUMNS = 72
_EMPTY_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


def wrap(text: str, bullet: str = "") -> str:
    """Return a sentence in lines of at most 72 columns; what follows a bullet is indented. Words are never split."""
    return textwrap.fill(
        text,
        COLUMNS,
        initial_indent=bullet,
        subsequent_indent=" " * len(bullet),
        break_long_words=False,
        break_on_hyphens=False,
    )


@cache
def environment(lang: str) -> Environment:
    """Return the templates of mails in one language."""
    made = Environment(
        loader=FileSystemLoader(folder("templates") / "mail"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=["jinja2.ext.i18n"],
    )
    known = catalogue(lang)

    def filled(context: EvalContext, said: str, values: dict[str, Any]) -> str:
        said = fitted(lang, said, values)
        return (Markup(said) if context.autoescape else said) % values

    @pass_eval_context
    def gettext(context: EvalContext, message: str, **values: object) -> str:
        """Return the message with its `%(values)s`, which are escaped in HTML."""
        return filled(context, known.gettext(message), values)

    @pass_eval_context
    def ngettext(context: EvalContext, singular: str, plural: str, num: int, **values: object) -> str:
        """Return the wording for this number, which is `%(num)s` in it."""
        return filled(context, known.ngettext(singular, plural, num), {"num": num, **values})

    made.install_gettext_callables(gettext, ngettext)  # type: ignore[attr-defined]
    made.filters["wrap"] = wrap
    made.filters["number_of"] = "#{}".format
    return made


@cache
def _inliner() -> css_inline.CSSInliner:
    # Rules in @media (dark mode, narrow screens) stay in the sheet; nothing is ever fetched.
    return css_inline.CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)


def fill(template: str, lang: str, context: dict[str, Any]) -> str:
    """Return one sentence from a template, on one line."""
    return one_line(environment(lang).get_template(template).render({"lang": lang, **context}))


def render(name: str, lang: str, context: dict[str, Any]) -> tuple[str, str]:
    """Return text part and HTML part of the mail `name`, whose `subject` is in the context."""
    nothing_open("a mail is rendered")
    templates = environment(lang)
    context = {"lang": lang, **context}
    text = templates.get_template(f"{name}/body.txt").render(context)
    html = templates.get_template(f"{name}/body.html").render(context)
    return _EMPTY_LINES.sub("\n\n", text).strip() + "\n", _inliner().inline(html)
