"""The sentences of one language: for templates, and for code that assembles strings."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from functools import cache, lru_cache
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from jinja2 import Environment
from jinja2.runtime import Context, Macro
from markupsafe import Markup, escape

from app.base.words.french import filled
from app.base.words.i18n import catalogue
from app.base.words.speech import Voice
from app.titles.registry import TITLES

if TYPE_CHECKING:
    from babel.support import NullTranslations

SENTENCES = 4000
"""Cached sentences without values per language, ready to be part of a page: more than there are."""


class PageVoice:
    """Says a title's sentences and names in one language as parts of a page, to code that assembles markup.

    What it says is ready to be part of a page. Values are put in as they are: escape everything but names and numbers.
    Plain text is said by its `voice`.
    """

    def __init__(self, title_id: str, lang: str) -> None:
        self.voice = Voice(lang, title=TITLES[title_id])
        self._catalogue: NullTranslations = catalogue(lang)
        self._said: dict[str, str] = {}
        self._names: dict[tuple[str, str], str] = {}
        self.join = self.voice.join

    def gettext(self, message: str, **values: object) -> str:
        """Return the message with its `%(values)s`."""
        said = self._said.get(message)
        if said is None:
            said = self._said[message] = self._catalogue.gettext(message)
        return filled(self.voice.lang, said, values) if values else said

    def ngettext(self, singular: str, plural: str, num: int, **values: object) -> str:
        """Return the wording for this number, which is `%(num)s` in it."""
        said = self._catalogue.ngettext(singular, plural, num)
        return filled(self.voice.lang, said, {"num": num, "n": num, **values})

    def name(self, kind: str, key: str) -> str:
        """Return the printed name of a thing in the title."""
        named = self._names.get((kind, key))
        if named is None:
            named = self._names[kind, key] = str(escape(self.voice.name(kind, key)))
        return named


@cache
def page_voice(title_id: str, lang: str) -> PageVoice:
    """Return the page voice of a title in one language; each sentence is looked up once per process."""
    return PageVoice(title_id, lang)


class PlainCalls(Context):
    """A context that calls functions, methods and macros directly: a page makes 150 calls, and Jinja checks each nine
    times for marks that say which part of the context it wants. Ours want nothing, and macros always the same;
    everything else (Jinja's own) goes the long way."""

    def call(self, called: Callable[..., object], /, *given: object, **named: object) -> object:
        """What is called, and its arguments."""
        is_macro = type(called) is Macro
        if is_macro or (type(called) in _PLAIN and not hasattr(called, "jinja_pass_arg")):
            named.pop("_block_vars", None)
            named.pop("_loop_vars", None)
            return called(self.eval_ctx, *given, **named) if is_macro else called(*given, **named)
        return super().call(called, *given, **named)


_PLAIN = (FunctionType, MethodType)


def environment_of(base: Environment, lang: str) -> Environment:
    """Return the templates of `base` in one language. Sentences are markup; the values put into them are escaped."""
    known: NullTranslations = catalogue(lang)

    @lru_cache(maxsize=SENTENCES)
    def plain(message: str) -> Markup:
        return Markup(known.gettext(message)) % {}

    def gettext(message: str, **values: object) -> Markup:
        """Return the message with its `%(values)s`."""
        return filled(lang, known.gettext(message), values, Markup) if values else plain(message)

    def ngettext(singular: str, plural: str, num: int, **values: object) -> Markup:
        """Return the wording for this number, which is `%(num)s` in it."""
        return filled(lang, known.ngettext(singular, plural, num), {"num": num, "n": num, **values}, Markup)

    def pgettext(context: str, message: str) -> Markup:
        """Return the message as it is said in this context."""
        return Markup(known.pgettext(context, message))

    own = base.overlay()
    own.context_class = PlainCalls
    own.globals = {**base.globals, "_": gettext, "gettext": gettext, "ngettext": ngettext, "pgettext": pgettext}

    def globals_of(given: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return a plain dictionary: every rendering of a template copies it, and copying Jinja's `ChainMap` takes
        twenty times as long."""
        return {**own.globals, **(given or {})}

    vars(own).update(make_globals=globals_of, said=plain)
    return own
