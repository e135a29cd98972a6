"""The contract of a title with the pages, beside the one with the server (`engine.kernel.title.Title`).

`app.titles.pages` has classes that fulfil it for any title by its text board and its lines of notation; a title has
its own where it shows something in its own way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from markupsafe import Markup

from app.titles.touch import UNTOUCHED, Touch

if TYPE_CHECKING:
    from app.base.speech import Voice
    from app.titles.lessons import Lesson
    from engine.kernel.title import Title

View = Mapping[str, Any]
"""What a seat may know (`Title.view`)."""
Opaque = Any
"""A value of which the title alone knows the type: a state, an action. It is not `object`, since the pages of each
title say the class of its own in its place (`state: State`), and whoever hands one on has got it from that title."""


KIND = "kind"
"""The role of the kind of an action; its touch is written without its role, as the bare value."""


@dataclass(frozen=True, slots=True)
class ActionPart:
    """A part of an action that can be touched: a place, a card, the kind itself.

    `role` is what it does in the action (`from`), `value` which one it is (`boston`), `noun` what it is outside of any
    action (`card`): whoever touches a card in the hand has not said yet what it is for.
    """

    role: str
    value: str
    noun: str = ""

    @property
    def token(self) -> str:
        """How it stands in an address, with what it is for: `from.boston`, and a kind as `settle`."""
        return self.value if self.role == KIND else f"{self.role}.{self.value}"

    @property
    def loose(self) -> str:
        """How it stands in an address, whatever it is for: `card.boston`."""
        return f"{self.noun}.{self.value}" if self.noun else self.token


class Option(Protocol):
    """One action that can be chosen."""

    @property
    def line(self) -> str:
        """Its line of notation."""

    @property
    def data(self) -> Mapping[str, Any]:
        """The action as `Title.action_to_json` gives it."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page with choices of its own. Without a name nothing in it folds away, and the seal sends it."""

    name: str
    picks: Mapping[str, str]
    """What was chosen in each section."""
    add: str
    """What the button says that adds the choice to the draft; `send` is the one that sends it, too, if there is."""
    send: str = ""

    @property
    def field(self) -> str:
        """What its radios are called."""
        return f"pick:{self.name}" if self.name else "pick"

    @property
    def picked(self) -> str:
        """What was chosen in it."""
        return self.picks.get(self.name, "")

    def within(self, name: str) -> Section:
        """A part of it that folds up by itself; where nothing folds away it is the section itself."""
        return replace(self, name=f"{self.name}/{name}") if self.name else self


class Touched(Protocol):
    """What has been touched, and what it means (`app.play.turn.choosing.Selection`)."""

    @property
    def touched(self) -> Sequence[str]:
        """The tokens."""

    @property
    def settled(self) -> Sequence[ActionPart]:
        """The parts that all that is left has."""

    @property
    def fits(self) -> Sequence[object]:
        """All that is left, one for each way."""


class Touching(Protocol):
    """What has been touched on a page and what can be, for whoever draws its controls. A token is that of a touch with
    or without what it is for (`ActionPart.token`, `ActionPart.loose`)."""

    @property
    def title(self) -> Title:
        """The title that is played."""

    @property
    def state(self) -> Opaque:
        """The state in which something is chosen."""

    @property
    def selection(self) -> Touched:
        """What has been touched of an action."""

    @property
    def looked_at(self) -> Sequence[str]:
        """The touches that only show something more closely."""

    @property
    def is_open(self) -> bool:
        """Whether anything is touched, or was meant to be."""

    @property
    def answers(self) -> bool:
        """Whether an answer is chosen while another seat is on turn."""

    def can_touch(self, token: str) -> bool:
        """Whether it is part of any action at all."""

    def ways(self, token: str) -> int:
        """How many ways it leaves open together with what has been touched; 0 where it does not go with it."""

    def is_touched(self, token: str) -> bool:
        """Whether it has been touched, or is a part of all that is left."""

    def is_left_out(self, token: str) -> bool:
        """Whether it was touched and does not go with the rest."""

    def touch(self, token: str) -> str:
        """The address of the page once this is touched; where it has been touched, without it again."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of a mail: a name, and rows of what it is about and words."""

    name: Markup
    rows: Sequence[tuple[Markup, Markup]]
    is_own: bool = False
    """Whether only the reader's seat may see it."""


class Parts(Protocol):
    """What a title shows in its own way on the pages of a turn, in one language: its cards or tiles, its actions in
    words, what a seat has. All of it is markup; `""` shows nothing.

    `view` is what `seat` may know, a drafted step played ahead; `seat` is None for a spectator.
    """

    def among(self, names: Mapping[str, str]) -> Parts:
        """The same for a game with these players, by their seats; empty where a seat has no name."""

    # -- kinds of action and of choice ------------------------------------------------------------
    def kind_name(self, kind: str) -> Markup:
        """The name of a kind of action: of the first word of its lines."""

    def kind_short(self, kind: str) -> Markup:
        """The same in a word or two, for a row of buttons."""

    def can_ever(self, kind: str, seat: str) -> bool:
        """Whether a seat can do something of this kind at some time; what it never can is not explained to it."""

    def kind_rule(self, kind: str) -> Markup:
        """Its rule in a sentence."""

    def ask(self, kind: str, view: View, own_turn: bool) -> Markup:
        """The question above what can be chosen; `kind` is that of the decision."""

    def tally(self, view: View, own_turn: bool) -> Markup:
        """A few words beside the question, such as how many actions are left."""

    def adds_by_itself(self, kind: str) -> bool:
        """Whether the options of a kind have buttons of their own."""

    def folds_further(self, kind: str, options: Sequence[Option]) -> bool:
        """Whether the options of a kind are sections themselves, which have buttons of their own."""

    def completes(self, kind: str, view: View) -> bool:
        """Whether a step of this kind may be sent at once; resigning is looked at once more."""

    # -- actions ----------------------------------------------------------------------------------
    def option(self, data: Mapping[str, Any], line: str, view: View, seat: str) -> Markup:
        """An action in words; its kind stands above it."""

    def options(self, kind: str, options: Sequence[Option], section: Section, view: View, seat: str) -> Markup:
        """The actions of a kind, to choose one from."""

    def choice_head(self, kind: str, about: Mapping[str, Any]) -> Markup:
        """What a free choice is for; `about` is what it says of itself (`engine.kernel.title.Choice.describe`)."""

    def item(self, kind: str, about: Mapping[str, Any], item: str) -> Markup:
        """A thing that can be ticked."""

    def drawn(self, item: str) -> Markup:
        """What chance could draw, as a reader who supposes it chooses it."""

    # -- choosing by touch ------------------------------------------------------------------------
    draws_tray: bool
    """Whether a title draws a tray of its own, with lists below it for what is not chosen there."""

    def tray(self, tray: Touching, view: View, seat: str) -> Markup:
        """The whole tray (`app.play.pages.turn.tray.Tray`) where a title draws its own; its buttons and boxes have
        `form="decide"`."""

    def part(self, touch: ActionPart, view: View, seat: str) -> Markup:
        """A part of an action as it can be touched: its name, and what tells it from others."""

    def asks(self, role: str, kind: str) -> Markup:
        """The question for the part of an action of this kind that has this role."""

    def looks_at(self, token: str) -> bool:
        """Whether a touch is no part of an action and only shows something more closely."""

    def about(self, touch: ActionPart, view: View, seat: str) -> Markup:
        """More about what has been touched."""

    def why_not(self, touch: ActionPart, state: Opaque) -> Markup:
        """What it can be used for in this state, and what not and why."""

    def changes(self, data: Mapping[str, Any], after: View, view: View, seat: str) -> Markup:
        """What an action would change: `after` is the view with it done (`Title.preview`), `view` that before it."""

    # -- the position -----------------------------------------------------------------------------
    def focus(self, view: View) -> int | None:
        """Where a board that is larger than the page begins, in twentieths of its width."""

    def linked(self, said: str, names: Mapping[str, str]) -> Markup:
        """Sentences of the log, escaped, in which the names of places are links that light them on the board of the
        page; `names` are those of the players by seat."""

    def below_board(self, view: View, names: Mapping[str, str]) -> Markup:
        """What belongs to the board and is not on it; `names` are the players by their seats."""

    def mine(self, view: View, seat: str) -> Markup:
        """Everything that the seat has."""

    def hand(self, view: View, seat: str, touching: Touching) -> Markup:
        """The same where one chooses by touch: what can be touched leads on."""

    def then(self, view: View, seat: str | None, own: bool, names: Mapping[str, str]) -> Markup:
        """What a seat had in a position of a replay; `own` where it is the reader's."""

    def others_name(self) -> Markup:
        """What the section with everybody's things is called."""

    def others(self, view: View, seat: str | None, names: Mapping[str, str]) -> Markup:
        """What everybody has; `names` are those of the players by seat."""

    def ending(self, events: Sequence[Any], view: View, names: Mapping[str, str]) -> Markup:
        """The end of a game that is over in figures; `events` are all of it."""

    # -- in mails ---------------------------------------------------------------------------------
    def in_mail(self, view: View, seat: str, names: Mapping[str, str]) -> Sequence[Sheet]:
        """What a mail says of the position besides the board; `names` are those of the players by seat."""

    def board_words(self, view: View, names: Mapping[str, str]) -> Sequence[str]:
        """What a picture of the board shows, in sentences for whoever does not see it; `names` as in `in_mail`."""

    def small_picture(self, view: View) -> tuple[str, Markup] | None:
        """A drawing beside the question of a mail (the drawn tile), as a document, and what it shows in words."""

    # -- the draft, and answers ahead of time -----------------------------------------------------
    def look(self, one: Mapping[str, Any], number: int, view: View, seat: str) -> Markup:
        """What a step of the draft would do, as far as the board does not show it. `one["preview"]` is what
        `Title.preview` says; fields named `line:NUMBER` replace the line in the draft."""

    def sealed(self, one: Mapping[str, Any]) -> Markup:
        """A line of the draft as the seal calls it."""

    def cautions(self, drafted: Sequence[Mapping[str, Any]], view: View) -> Markup:
        """What of the draft should be thought over once more."""

    def closing(self, drafted: Sequence[Mapping[str, Any]], view: View) -> Markup:
        """The sentence for a draft whose last step is the last of the turn."""

    def question(self, foreseen: Mapping[str, Any]) -> Markup:
        """A question that may come before the seat's next turn (`Title.foreseen`, with its `head`), or several that are
        alike, about all of its `places`."""

    def answer_ahead(self, foreseen: Mapping[str, Any], answer: str) -> Markup:
        """One of its answers: what stands behind the colon of its line; of several lines, with semicolons between."""

    def unanswered(self, foreseen: Mapping[str, Any]) -> Markup:
        """What happens where no answer is given."""

    def questions_head(self, kind: str) -> Markup:
        """What stands above all questions of a kind."""

    def standing_help(self) -> Markup:
        """More about standing orders."""

    def presented(self) -> Markup:
        """The title in two or three sentences, for somebody who does not know it: how many play, what it is about, how
        many turns it takes."""

    def reference(self) -> Markup:
        """All cards, tiles or whatever the title has, to look things up in."""


class TitlePages(Protocol):
    """What the pages need of a title."""

    @property
    def folder(self) -> Path | None:
        """Where its `boards.css` stands, and `templates/` (known to pages as `titles/ID/...`), as far as it has them.
        Its rules are `rules/en.md` and so on (`app.titles.rule_texts`), or else a page `templates/rules.html`."""

    @property
    def has_drawing(self) -> bool:
        """Whether `draw` draws."""

    def draw(
        self, view: View, voice: Voice, changed: frozenset[str], legal: Sequence[Any], touch: Touch = UNTOUCHED
    ) -> str:
        """The board of a view as one `<svg xmlns="http://www.w3.org/2000/svg" class="board ...">` with classes only.

        `changed` names what is new to the reader, `legal` what can be chosen, in the words of `places_of` its events;
        `touch` says what is chosen and where what is touched leads.
        """

    def ground(self) -> str:
        """What is the same on every board, as one `<svg>`, for boards that fetch it once (`style.ground_address`);
        empty where every board is drawn whole."""

    def crop(
        self, view: View, voice: Voice, prefix: str, changed: frozenset[str], box: tuple[int, int] | None = None
    ) -> str:
        """A small board, of what is newest, for lists and mails; its ids begin with `prefix`, as far as it has any, so
        that several stand on one page. `changed` is as for `draw`. `box` is the width and height that there is for it
        in pixels, where it is shown large enough for names; a board that has no names may leave it aside."""

    def on_page(self, view: View, voice: Voice, changed: frozenset[str], at: Sequence[str]) -> str:
        """The board as on a page on which nobody chooses. What can be looked at closely leads to the same page with
        `?at=…`, and is told of where it was touched (`at`)."""

    def control(self, view: View, voice: Voice, changed: frozenset[str], touching: Touching) -> str:
        """The board as on a page on which it is touched: with links, and with what is chosen and can be."""

    def parts(self, title: Title, lang: str) -> Parts:
        """Its parts in one language; asked for once in a process."""

    def touches(self, title: Title, state: Opaque, item: Opaque) -> tuple[ActionPart, ...]:
        """What has to be touched for a legal action, or for what is fixed in a `Choice`, in the order in which it is
        asked; the kind comes first. No two actions have the same, and none has a part of another's and no more:
        where something may be left out, leaving it out is a touch, too."""

    def item_touch(self, choice: Opaque, item: str) -> ActionPart:
        """What has to be touched for one of the items of a free choice; two that are alike are touched twice."""

    lesson: Lesson | None
    """A first game that teaches; None where it has none."""
    by_touch: bool
    """Whether its actions are chosen part by part (`touches`); else all of a kind are listed."""

    def rules_context(self) -> Mapping[str, Any]:
        """What its own template of rules is drawn from."""

    def rule_drawing(self, name: str, voice: Voice) -> str:
        """The drawing that its rules call `{draw NAME}`, as markup."""
