"""The pages of any title, using its text board and its lines of notation. Titles build on these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from markupsafe import Markup

from app.titles import rule_texts
from app.titles.contract import KIND, ActionPart, Asked, Sheet
from app.titles.registry import PAGES, TITLES
from app.titles.touch import UNTOUCHED, Folds, Touch
from app.web.reader import templates
from app.web.wording import page_voice
from engine.kernel.title import Choice

if TYPE_CHECKING:
    from app.base.speech import Voice
    from app.titles.contract import Opaque, Parts, TitlePages, Touching, View
    from app.titles.lessons import Lesson
    from engine.kernel.title import Title

NOTHING = Markup("")


class PlainParts:
    """What a title without its own words shows; see `app.titles.contract.Parts` for what each method is."""

    def __init__(self, title: Title, lang: str) -> None:
        self._title_id = title.id
        self._people: Mapping[str, str] = {}
        self.folds: Folds | None = None
        self._words = page_voice(title.id, lang)
        self._voice = self._words.voice

    def among(self, names: Mapping[str, str]) -> Self:
        told = copy(self)
        told._people = names
        return told

    def folding(self, folds: Folds | None) -> Self:
        told = copy(self)
        told.folds = folds
        return told

    def _section(self, template: str, **context: object) -> Markup:
        """Render a template in this language, with these parts and what is given."""
        drawn = templates(self._voice.lang).get_template(template)
        return Markup(drawn.render(parts=self, folds=self.folds, voice=self._voice, **context))

    def _macro(self, template: str, name: str) -> Callable[..., Markup]:
        """Return a macro of a template in this language, for what is shown many times on a page."""
        found: Callable[..., Markup] = getattr(templates(self._voice.lang).get_template(template).module, name)
        return found

    def _cited(self, said: str) -> Markup:
        """Return a sentence whose rule numbers link to the rules."""
        return rule_texts.cited(self._title_id, self._voice.lang, said)

    # -- kinds of action and of choice ------------------------------------------------------------

    def kind_name(self, kind: str) -> Markup:
        return Markup(escape(kind.replace("-", " ").capitalize()))

    def kind_short(self, kind: str) -> Markup:
        return self.kind_name(kind)

    def can_ever(self, kind: str, seat: str) -> bool:
        return True

    def kind_rule(self, kind: str) -> Markup:
        return NOTHING

    def asked(self, view: View, goes_on: bool) -> Asked:
        _ = self._voice.gettext
        return Asked(_("It is your turn."), "")

    def briefly(self, event: Opaque) -> str:
        return ""

    def _called(self, seat: str) -> str:
        """Return who sits there in plain words, or the name of the seat if nobody is known."""
        return self._people.get(seat) or self._voice.name("seat", seat)

    def tally(self, view: View, own_turn: bool) -> Markup:
        return NOTHING

    def completes(self, kind: str, view: View) -> bool:
        return kind != "resign"

    # -- actions ----------------------------------------------------------------------------------

    def option(self, data: Mapping[str, Any], line: str, view: View, seat: str) -> Markup:
        return Markup(f"<code>{escape(line)}</code>")

    def item(self, kind: str, about: Mapping[str, Any], item: str) -> Markup:
        return Markup(escape(item))

    def drawn(self, item: str) -> Markup:
        return Markup(escape(item))

    # -- choosing by touch ------------------------------------------------------------------------

    draws_tray = False

    def tray(self, tray: Touching, view: View, seat: str) -> Markup:
        return NOTHING

    def part(self, touch: ActionPart, view: View, seat: str) -> Markup:
        if touch.role == KIND:
            return self.kind_name(touch.value)
        return NOTHING if touch.role == "way" else Markup(escape(_words_of(touch.value)))

    def asks(self, role: str, kind: str) -> Markup:
        return Markup(self._words.gettext("How?"))

    def looks_at(self, token: str) -> bool:
        return False

    def about(self, touch: ActionPart, view: View, seat: str) -> Markup:
        return NOTHING

    def why_not(self, touch: ActionPart, state: Opaque) -> Markup:
        return NOTHING

    def changes(self, data: Mapping[str, Any], after: View, view: View, seat: str) -> Markup:
        return NOTHING

    def result(self, after: View, view: View, seat: str, data: Mapping[str, Any]) -> Markup:
        return NOTHING

    # -- the position -----------------------------------------------------------------------------

    def focus(self, view: View) -> int | None:
        return None

    def linked(self, said: str, names: Mapping[str, str]) -> Markup:
        return Markup(said)

    def below_board(self, view: View, names: Mapping[str, str]) -> Markup:
        return NOTHING

    def mine(self, view: View, seat: str) -> Markup:
        return NOTHING

    def hand(self, view: View, seat: str, touching: Touching) -> Markup:
        return self.mine(view, seat)

    def then(self, view: View, seat: str | None, own: bool, names: Mapping[str, str]) -> Markup:
        return NOTHING

    def in_mail(self, view: View, seat: str, names: Mapping[str, str]) -> Sequence[Sheet]:
        return ()

    def board_words(self, view: View, names: Mapping[str, str]) -> Sequence[str]:
        return ()

    def small_picture(self, view: View) -> tuple[str, Markup] | None:
        return None

    def others_name(self) -> Markup:
        return Markup(self._words.gettext("All players"))

    def others(self, view: View, seat: str | None, names: Mapping[str, str]) -> Markup:
        return NOTHING

    def ending(self, events: Sequence[Any], view: View, names: Mapping[str, str]) -> Markup:
        return NOTHING

    # -- the draft, and answers ahead of time -----------------------------------------------------

    def look(self, one: Mapping[str, Any], number: int, view: View, seat: str) -> Markup:
        return NOTHING

    def sealed(self, one: Mapping[str, Any]) -> Markup:
        return Markup(escape(one["line"]))

    def cautions(self, drafted: Sequence[Mapping[str, Any]], view: View) -> Markup:
        return NOTHING

    def closing(self, drafted: Sequence[Mapping[str, Any]], view: View) -> Markup:
        return NOTHING

    def question(self, foreseen: Mapping[str, Any]) -> Markup:
        return Markup(escape(foreseen["head"]))

    def answer_ahead(self, foreseen: Mapping[str, Any], answer: str) -> Markup:
        return Markup(escape(answer))

    def unanswered(self, foreseen: Mapping[str, Any]) -> Markup:
        return Markup(self._words.gettext("ask me by mail when it comes to it"))

    def questions_head(self, kind: str) -> Markup:
        return NOTHING

    def standing_help(self) -> Markup:
        return NOTHING

    def tie(self) -> str:
        return ""

    def in_short(self) -> str:
        return ""

    def presented(self) -> Markup:
        return NOTHING

    def reference(self) -> Markup:
        return NOTHING


class PlainPages:
    """The pages of a title without its own; see `app.titles.contract.TitlePages`."""

    folder: Path | None = None
    has_drawing = False
    turns = 0
    recall_minutes = 0
    scores = True
    lesson: Lesson | None = None

    def draw(
        self, view: View, voice: Voice, changed: frozenset[str], legal: Sequence[Any], touch: Touch = UNTOUCHED
    ) -> str:
        return ""

    def ground(self) -> str:
        return ""

    def crop(
        self, view: View, voice: Voice, prefix: str, changed: frozenset[str], box: tuple[int, int] | None = None
    ) -> str:
        return self.draw(view, voice, frozenset(), ())

    def on_page(self, view: View, voice: Voice, changed: frozenset[str], at: Sequence[str]) -> str:
        return self.draw(view, voice, changed, ())

    def control(self, view: View, voice: Voice, changed: frozenset[str], touching: Touching) -> str:
        return self.draw(view, voice, changed, ())

    def parts(self, title: Title, lang: str) -> Parts:
        return PlainParts(title, lang)

    def touches(self, title: Title, state: Opaque, item: Opaque) -> tuple[ActionPart, ...]:
        """Return the kind and then the line; for a free choice the line of its smallest action stands for the fixed
        part."""
        action = item.smallest()[0] if isinstance(item, Choice) else item
        kind, _, rest = title.write(state, action).partition(" ")
        if isinstance(item, Choice):
            return ActionPart(KIND, item.kind), ActionPart("way", f"{_slug(rest)}-and-more")
        return ActionPart(KIND, kind), ActionPart("way", _slug(rest) or "-")

    def item_touch(self, choice: Opaque, item: str) -> ActionPart:
        return ActionPart("item", _slug(item))

    def rules_context(self) -> Mapping[str, Any]:
        return {}

    def rule_drawing(self, name: str, voice: Voice) -> str:
        return ""


def _slug(words: str) -> str:
    """Return words in a form for addresses: anything but letters and digits is written by its number, so that different
    words stay different."""
    return "".join(
        [one if one.isalnum() and one.isascii() else "_" if one == " " else f"~{ord(one):x}~" for one in words]
    )


def _words_of(slug: str) -> str:
    """Return the words that a slug stands for."""
    spaced = slug.replace("_", " ")
    return "".join([chr(int(one, 16)) if n % 2 else one for n, one in enumerate(spaced.split("~"))])


_PLAIN = PlainPages()


def pages_of(title_id: str) -> TitlePages:
    """Return a title's own pages, or the plain ones."""
    return PAGES.get(title_id, _PLAIN)


@cache
def parts_of(title_id: str, lang: str = "en") -> Parts:
    """Return the parts of a title in one language."""
    return pages_of(title_id).parts(TITLES[title_id], lang)
