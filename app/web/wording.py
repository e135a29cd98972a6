"""Templates in one language: an environment for each, so that no page looks its constant sentences up.

A sentence that stands alone, `{{ _("Your hand") }}`, becomes part of the compiled template. The others are looked up
in the language's own catalogue, which takes a tenth of the time that Jinja's way through the request takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, MutableMapping
from functools import cache
from types import MethodType
from typing import TYPE_CHECKING, Any

from jinja2 import Environment
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.runtime import Context, Macro
from markupsafe import Markup, escape

from app.base.i18n import catalogue
from app.base.speech import Voice
from app.titles.registry import TITLES

if TYPE_CHECKING:
    from babel.support import NullTranslations

_VALUE = re.compile(r"%\((\w+)\)s|(%%)")


class Sentences:
    """The catalogue of a language as templates use it. Sentences are markup; the values put into them are escaped."""

    def __init__(self, lang: str) -> None:
        self._catalogue: NullTranslations = catalogue(lang)
        self._known: dict[str, Callable[[dict[str, Any]], Markup]] = {}

    def gettext(self, message: str, **values: Any) -> Markup:
        """The message with its `%(values)s`."""
        filled = self._known.get(message)
        if filled is None:
            filled = self._known[message] = _filler(self._catalogue.gettext(message))
        return filled(values)

    def ngettext(self, singular: str, plural: str, num: int, **values: Any) -> Markup:
        """The wording for this number, which is `%(num)s` in it."""
        said = self._catalogue.ngettext(singular, plural, num)
        filled = self._known.get(said)
        if filled is None:
            filled = self._known[said] = _filler(said)
        return filled({"num": num, **values})


class Words:
    """Sentences and names of a title in one language, for code that puts strings together.

    Sentences and names are ready to be part of a page. Values are put in as they are: escape what is not a name or a
    number.
    """

    def __init__(self, title_id: str, lang: str) -> None:
        self.voice = Voice(lang, title=TITLES[title_id])
        self._catalogue: NullTranslations = catalogue(lang)
        self._said: dict[str, str] = {}
        self._names: dict[tuple[str, str], str] = {}
        self.join = self.voice.join

    def gettext(self, message: str, **values: Any) -> str:
        """The message with its `%(values)s`."""
        said = self._said.get(message)
        if said is None:
            said = self._said[message] = self._catalogue.gettext(message)
        return said % values if values else said

    def ngettext(self, singular: str, plural: str, num: int, **values: Any) -> str:
        """The wording for this number, which is `%(num)s` in it."""
        return str(self._catalogue.ngettext(singular, plural, num)) % {"num": num, **values}

    def name(self, kind: str, key: str) -> str:
        """The printed name of a thing of the title."""
        named = self._names.get((kind, key))
        if named is None:
            named = self._names[kind, key] = str(escape(self.voice.name(kind, key)))
        return named


@cache
def words_of(title_id: str, lang: str) -> Words:
    """The words of a title in one language; each is looked up once in a process."""
    return Words(title_id, lang)


def _filler(said: str) -> Callable[[dict[str, Any]], Markup]:
    """Puts values into a sentence. Cut up once, since a sentence is used again and again."""
    texts: list[str] = []
    names: list[str] = []
    at = 0
    text = ""
    for match in _VALUE.finditer(said):
        text += said[at : match.start()]
        at = match.end()
        if match[2]:
            text += "%"
        else:
            texts.append(text)
            names.append(match[1])
            text = ""
    last = text + said[at:]
    if not names:
        whole = Markup(last)
        return lambda values: whole
    pairs = list(zip(texts, names, strict=True))

    def fill(values: dict[str, Any]) -> Markup:
        parts: list[str] = []
        for text, name in pairs:
            parts += (text, escape(values[name]))
        return Markup("".join([*parts, last]))

    return fill


class ConstantSentences(Extension):
    """Replaces `{{ _("...") }}` by the sentence itself when a template is read."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """The tokens with sentences in place of calls."""
        gettext = self.environment.globals["_"]
        waiting: list[Token] = []
        wanted = ("variable_begin", "name", "lparen", "string", "rparen", "variable_end")
        for token in stream:
            fits = token.type == wanted[len(waiting)] and (token.type != "name" or token.value == "_")
            if fits and len(waiting) + 1 == len(wanted):
                yield Token(token.lineno, "data", str(gettext(waiting[3].value)))  # type: ignore[operator]
                waiting = []
                continue
            if fits:
                waiting.append(token)
                continue
            yield from waiting
            waiting = [token] if token.type == wanted[0] else []
            if not waiting:
                yield token
        yield from waiting


class QuickContext(Context):
    """Calls macros and plain methods straight away, which is nearly all that a page calls."""

    def call(__self, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        kind = type(__obj)
        if kind is Macro or (kind is MethodType and not hasattr(__obj, "jinja_pass_arg")):
            if kwargs:
                kwargs.pop("_loop_vars", None)
                kwargs.pop("_block_vars", None)
            return __obj(__self.eval_ctx, *args, **kwargs) if kind is Macro else __obj(*args, **kwargs)
        return super().call(__obj, *args, **kwargs)


_OF_DICTS = frozenset(dir(dict))


def environment_of(base: Environment, lang: str) -> Environment:
    """The templates of `base` in one language."""
    own = base.overlay()
    said = Sentences(lang)
    own.globals = {**base.globals, "_": said.gettext, "gettext": said.gettext, "ngettext": said.ngettext}
    own.context_class = QuickContext
    own.add_extension(ConstantSentences)

    def attribute(obj: Any, attribute: str) -> Any:
        """`obj.attribute`: an entry of a mapping is looked up without asking for an attribute first."""
        if type(obj) is dict and attribute not in _OF_DICTS:
            return obj[attribute] if attribute in obj else own.undefined(obj=obj, name=attribute)
        return by_attribute(obj, attribute)

    def globals_of(given: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """A plain dictionary: every drawing of a template copies it, and copies Jinja's `ChainMap` in twenty times as
        long."""
        return {**own.globals, **(given or {})}

    vars(own)["make_globals"] = globals_of
    by_attribute = own.getattr
    own.getattr = attribute  # type: ignore[method-assign]
    return own
