"""What any title shows on pages, by its text board and its lines of notation. Titles build on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from html import escape
from typing import Any, Self

from markupsafe import Markup

from app.titles import rule_texts
from app.titles.contract import KIND, ActionPart, Asked, Opaque, Sheet, Touching, View
from app.titles.touch import Folds
from app.web.reader import templates
from app.web.wording import page_voice
from engine.kernel.title import Title

NOTHING = Markup("")


class PlainParts:
    """What a title shows in its own way on the pages of a turn, in one language: its cards or tiles, its actions in
    words, what a seat has. Everything is markup; `""` shows nothing. A title overrides what it shows otherwise than by
    its text board and its lines of notation.

    `view` is what `seat` may know, a drafted step played ahead; `seat` is None for a spectator.
    """

    def __init__(self, title: Title, lang: str) -> None:
        self._title_id = title.id
        self._people: Mapping[str, str] = {}
        self.folds: Folds | None = None
        self._words = page_voice(title.id, lang)
        self._voice = self._words.voice

    def among(self, names: Mapping[str, str]) -> Self:
        """Return the same for a game with these players, by their seats; empty if a seat has no name."""
        told = copy(self)
        told._people = names
        return told

    def folding(self, folds: Folds | None) -> Self:
        """Return the same for a page that draws what folds up when it is asked for; None for one that draws all."""
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
        """Return the name of a kind of action: of the first word of its lines."""
        return Markup(escape(kind.replace("-", " ").capitalize()))

    def kind_short(self, kind: str) -> Markup:
        """Return the same in a word or two, for a row of buttons."""
        return self.kind_name(kind)

    def can_ever(self, kind: str, seat: str) -> bool:
        """Return whether a seat can ever do something of this kind; what it never can is not explained to it."""
        return True

    def kind_rule(self, kind: str) -> Markup:
        """Its rule in a sentence."""
        return NOTHING

    def asked(self, view: View, goes_on: bool) -> Asked:
        """Return what is asked of the seat that decides in a view, which is the reader's; players are called as
        `among` has said. `goes_on`: part of the seat's own turn has already been played, so that it is asked for the
        rest. Pure; a drafted step may have been played ahead in the view."""
        _ = self._voice.gettext
        return Asked(_("It is your turn."), "")

    def briefly(self, event: Opaque) -> str:
        """Return what the reader has just done, in a few words after "Played:" (`Home Support`, `drew Boston`); "" for
        the words of the log."""
        return ""

    def _called(self, seat: str) -> str:
        """Return who sits there in plain words, or the name of the seat if nobody is known."""
        return self._people.get(seat) or self._voice.name("seat", seat)

    def tally(self, view: View, own_turn: bool) -> Markup:
        """Return a few words beside the question, such as how many actions are left."""
        return NOTHING

    def completes(self, kind: str, view: View) -> bool:
        """Return whether a step of this kind may be sent at once; resigning is confirmed first."""
        return kind != "resign"

    # -- actions ----------------------------------------------------------------------------------

    def option(self, data: Mapping[str, Any], line: str, view: View, seat: str) -> Markup:
        """Return an action in words; its kind stands above it."""
        return Markup(f"<code>{escape(line)}</code>")

    def item(self, kind: str, about: Mapping[str, Any], item: str) -> Markup:
        """Return a thing of a free choice that can be ticked; `about` is the choice's own description
        (`engine.kernel.title.Choice.describe`)."""
        return Markup(escape(item))

    def drawn(self, item: str) -> Markup:
        """Return a possible outcome of chance, as a reader who supposes it chooses it."""
        return Markup(escape(item))

    # -- choosing by touch ------------------------------------------------------------------------

    draws_tray = False
    """Whether a title draws in the tray itself, so that no row of kinds stands beside it."""

    def tray(self, tray: Touching, view: View, seat: str) -> Markup:
        """Return what stands in the tray (`app.play.pages.turn.tray.Tray`) instead of questions and their answers;
        its buttons and boxes have `form="decide"`."""
        return NOTHING

    def part(self, touch: ActionPart, view: View, seat: str) -> Markup:
        """Return a part of an action as it can be touched: its name, and what distinguishes it from others."""
        if touch.role == KIND:
            return self.kind_name(touch.value)
        return NOTHING if touch.role == "way" else Markup(escape(_words_of(touch.value)))

    def asks(self, role: str, kind: str) -> Markup:
        """Return the question for the part of an action of this kind with this role."""
        return Markup(self._words.gettext("How?"))

    def looks_at(self, token: str) -> bool:
        """Return whether a touch is not part of an action and only shows something more closely."""
        return False

    def about(self, touch: ActionPart, view: View, seat: str) -> Markup:
        """Return more about what has been touched."""
        return NOTHING

    def why_not(self, touch: ActionPart, state: Opaque) -> Markup:
        """Return what it can be used for in this state, and what not and why."""
        return NOTHING

    def changes(self, data: Mapping[str, Any], after: View, view: View, seat: str) -> Markup:
        """Return what an action would change: `after` is the view with it done (`Title.preview`), `view` the one
        before."""
        return NOTHING

    def result(self, after: View, view: View, seat: str, data: Mapping[str, Any]) -> Markup:
        """Return the same in a few signs, for the row of an action: `29 → 31 points`."""
        return NOTHING

    # -- the position -----------------------------------------------------------------------------

    def linked(self, said: str, names: Mapping[str, str]) -> Markup:
        """Return sentences of the log, escaped, with names of places as links that light them on the board of the page;
        `names` are those of the players by seat."""
        return Markup(said)

    def below_board(self, view: View, names: Mapping[str, str]) -> Markup:
        """Return what belongs to the board but is not on it; `names` are the players by their seats."""
        return NOTHING

    def mine(self, view: View, seat: str) -> Markup:
        """Return everything that the seat has."""
        return NOTHING

    def hand(self, view: View, seat: str, touching: Touching) -> Markup:
        """Return the same for choosing by touch: what can be touched is a link."""
        return self.mine(view, seat)

    def then(self, view: View, seat: str | None, own: bool, names: Mapping[str, str]) -> Markup:
        """Return what a seat had in a position of a replay; `own` if it is the reader's."""
        return NOTHING

    def in_mail(self, view: View, seat: str, names: Mapping[str, str]) -> Sequence[Sheet]:
        """Return what a mail says about the position besides the board; `names` are those of the players by seat."""
        return ()

    def board_words(self, view: View, names: Mapping[str, str]) -> Sequence[str]:
        """Return what a picture of the board shows, in sentences for readers who do not see it; `names` as in
        `in_mail`."""
        return ()

    def small_picture(self, view: View) -> tuple[str, Markup] | None:
        """Return a drawing beside the question of a mail (the drawn tile), as a document, and what it shows in
        words."""
        return None

    def others_name(self) -> Markup:
        """Return the heading of the section with everybody's things."""
        return Markup(self._words.gettext("All players"))

    def others(self, view: View, seat: str | None, names: Mapping[str, str]) -> Markup:
        """Return what everybody has; `names` are those of the players by seat."""
        return NOTHING

    def ending(self, events: Sequence[Any], view: View, names: Mapping[str, str]) -> Markup:
        """Return the end of a finished game in figures; `events` are all of it."""
        return NOTHING

    def reckoned(self, events: Sequence[Any], view: View) -> Sequence[tuple[str, Mapping[str, int]]]:
        """Return for what each seat got its points in a finished game: kinds of thing in words, with the points of the
        seats that have any; `events` are all of it."""
        return ()

    # -- the draft, and answers ahead of time -----------------------------------------------------

    def look(self, one: Mapping[str, Any], number: int, view: View, seat: str) -> Markup:
        """Return what a step of the draft would do, as far as the board does not show it. `one["preview"]` is what
        `Title.preview` says; fields named `line:NUMBER` replace the line in the draft."""
        return NOTHING

    def sealed(self, one: Mapping[str, Any]) -> Markup:
        """Return a line of the draft as shown at the seal."""
        return Markup(escape(one["line"]))

    def cautions(self, drafted: Sequence[Mapping[str, Any]], view: View) -> Markup:
        """Return the warnings about the draft before sending."""
        return NOTHING

    def closing(self, drafted: Sequence[Mapping[str, Any]], view: View) -> Markup:
        """Return the sentence for a draft whose last step is the last of the turn."""
        return NOTHING

    def question(self, foreseen: Mapping[str, Any]) -> Markup:
        """Return a question that may come before the seat's next turn (`Title.foreseen`, with its `head`), or several
        similar ones, about all of its `places`."""
        return Markup(escape(foreseen["head"]))

    def answer_ahead(self, foreseen: Mapping[str, Any], answer: str) -> Markup:
        """Return one of its answers: what follows the colon of its line; several lines are joined by semicolons."""
        return Markup(escape(answer))

    def unanswered(self, foreseen: Mapping[str, Any]) -> Markup:
        """Say what happens if no answer is given."""
        return Markup(self._words.gettext("ask me by mail when it comes to it"))

    def questions_head(self, kind: str) -> Markup:
        """Return the heading of all questions of a kind."""
        return NOTHING

    def standing_help(self) -> Markup:
        """Return more about standing orders."""
        return NOTHING

    def tie(self) -> str:
        """Say in plain words who wins when the best are level, with the rule; "" if they all do."""
        return ""

    def in_short(self) -> str:
        """Say what the title is about in a sentence or two, in plain words."""
        return ""

    def presented(self) -> Markup:
        """Present the title in two or three sentences for newcomers: how many play, what it is about, how many turns it
        takes."""
        return NOTHING

    def reference(self) -> Markup:
        """Return all cards, tiles or other pieces of the title, as a reference list."""
        return NOTHING


def _words_of(slug: str) -> str:
    """Return the words that a slug stands for."""
    spaced = slug.replace("_", " ")
    return "".join([chr(int(one, 16)) if n % 2 else one for n, one in enumerate(spaced.split("~"))])
