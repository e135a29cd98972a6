"""The contract of a title with the pages, next to the one with the server (`engine.kernel.title.Title`).

`app.titles.pages` has classes that fulfil it for any title by its text board and its lines of notation; a title has its
own if it shows something differently.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from markupsafe import Markup

from app.titles.touch import UNTOUCHED, Folds, Touch

if TYPE_CHECKING:
    from app.base.speech import Voice
    from app.titles.lessons import Lesson
    from engine.kernel.title import Title

View = Mapping[str, Any]
"""What a seat may know (`Title.view`)."""
Opaque = Any
"""A value whose type only the title knows: a state, an action. It is not `object`, since the pages of each title give
their own class in its place (`state: State`), and callers that pass one on have received it from that title."""


KIND = "kind"
"""The role of the kind of an action; its touch is written without its role, as the bare value."""


@dataclass(frozen=True, slots=True)
class ActionPart:
    """A part of an action that can be touched: a place, a card, the kind itself.

    `role` is what it does in the action (`from`), `value` which one it is (`boston`), `noun` what it is outside any
    action (`card`): a reader who touches a card in the hand has not yet said what it is for.
    """

    role: str
    value: str
    noun: str = ""

    @property
    def token(self) -> str:
        """The touch in an address, with its role: `from.boston`, and a kind as `settle`."""
        return self.value if self.role == KIND else f"{self.role}.{self.value}"

    @property
    def loose(self) -> str:
        """The touch in an address, in any role: `card.boston`."""
        return f"{self.noun}.{self.value}" if self.noun else self.token


class Touched(Protocol):
    """What has been touched, and what it means (`app.play.turn.choosing.Selection`)."""

    @property
    def touched(self) -> Sequence[str]:
        """The tokens."""

    @property
    def settled(self) -> Sequence[ActionPart]:
        """The parts common to everything that is left."""

    @property
    def fits(self) -> Sequence[object]:
        """Everything that is left, one for each way."""


class Touching(Protocol):
    """What has been touched on a page and what can be, for code that draws its controls. A token is that of a touch
    with or without its role (`ActionPart.token`, `ActionPart.loose`)."""

    @property
    def title(self) -> Title:
        """The title being played."""

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
    def fresh(self) -> Collection[str]:
        """The cards that the seat has just drawn."""

    @property
    def is_open(self) -> bool:
        """Whether anything is touched, or was meant to be."""

    @property
    def tries(self) -> bool:
        """Whether what is chosen is only tried, in an analysis; nothing can be sent."""

    @property
    def answers(self) -> bool:
        """Whether an answer is chosen while another seat is on turn."""

    @property
    def answering(self) -> Mapping[str, str]:
        """The address of the page once the open question is answered, by the value of each answer: it may lie on the
        board as well."""

    def can_touch(self, token: str) -> bool:
        """Return whether it is part of any action at all."""

    def ways(self, token: str) -> int:
        """Return how many ways it leaves open together with what has been touched; 0 if it does not go with it."""

    def is_touched(self, token: str) -> bool:
        """Return whether it has been touched, or is a part of everything that is left."""

    def is_left_out(self, token: str) -> bool:
        """Return whether it was touched and does not go with the rest."""

    def touch(self, token: str) -> str:
        """Return the address of the page once this is touched; if it already was, without it."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table in a mail: a name, and rows of subject and words."""

    name: Markup
    rows: Sequence[tuple[Markup, Markup]]
    is_own: bool = False
    """Whether only the reader's seat may see it."""


class Asked(NamedTuple):
    """What a seat is asked, in plain words (not markup)."""

    question: str
    """A whole sentence: `Gwen raids Port Royal: do you block?`, `Your turn: 2 actions.`"""
    short: str
    """The same for the subject of a mail, without a full stop, so that a deadline can follow it: `Gwen raids Port
    Royal`."""


class Parts(Protocol):
    """What a title shows in its own way on the pages of a turn, in one language: its cards or tiles, its actions in
    words, what a seat has. Everything is markup; `""` shows nothing.

    `view` is what `seat` may know, a drafted step played ahead; `seat` is None for a spectator.
    """

    def among(self, names: Mapping[str, str]) -> Parts:
        """Return the same for a game with these players, by their seats; empty if a seat has no name."""

    @property
    def folds(self) -> Folds | None:
        """What folds up on the page that they are drawn for, and is drawn when it is asked for."""

    def folding(self, folds: Folds | None) -> Parts:
        """Return the same for a page that draws what folds up when it is asked for; None for one that draws all."""

    # -- kinds of action and of choice ------------------------------------------------------------
    def kind_name(self, kind: str) -> Markup:
        """Return the name of a kind of action: of the first word of its lines."""

    def kind_short(self, kind: str) -> Markup:
        """Return the same in a word or two, for a row of buttons."""

    def can_ever(self, kind: str, seat: str) -> bool:
        """Return whether a seat can ever do something of this kind; what it never can is not explained to it."""

    def kind_rule(self, kind: str) -> Markup:
        """Its rule in a sentence."""

    def asked(self, view: View, goes_on: bool) -> Asked:
        """Return what is asked of the seat that decides in a view, which is the reader's; players are called as
        `among` has said. `goes_on`: part of the seat's own turn has already been played, so that it is asked for the
        rest. Pure; a drafted step may have been played ahead in the view."""

    def briefly(self, event: Opaque) -> str:
        """Return what the reader has just done, in a few words after "Played:" (`Home Support`, `drew Boston`); "" for
        the words of the log."""

    def tally(self, view: View, own_turn: bool) -> Markup:
        """Return a few words beside the question, such as how many actions are left."""

    def completes(self, kind: str, view: View) -> bool:
        """Return whether a step of this kind may be sent at once; resigning is confirmed first."""

    # -- actions ----------------------------------------------------------------------------------
    def option(self, data: Mapping[str, Any], line: str, view: View, seat: str) -> Markup:
        """Return an action in words; its kind stands above it."""

    def item(self, kind: str, about: Mapping[str, Any], item: str) -> Markup:
        """Return a thing of a free choice that can be ticked; `about` is the choice's own description
        (`engine.kernel.title.Choice.describe`)."""

    def drawn(self, item: str) -> Markup:
        """Return a possible outcome of chance, as a reader who supposes it chooses it."""

    # -- choosing by touch ------------------------------------------------------------------------
    draws_tray: bool
    """Whether a title draws in the tray itself, so that no row of kinds stands beside it."""

    def tray(self, tray: Touching, view: View, seat: str) -> Markup:
        """Return what stands in the tray (`app.play.pages.turn.tray.Tray`) instead of questions and their answers;
        its buttons and boxes have `form="decide"`."""

    def part(self, touch: ActionPart, view: View, seat: str) -> Markup:
        """Return a part of an action as it can be touched: its name, and what distinguishes it from others."""

    def asks(self, role: str, kind: str) -> Markup:
        """Return the question for the part of an action of this kind with this role."""

    def looks_at(self, token: str) -> bool:
        """Return whether a touch is not part of an action and only shows something more closely."""

    def about(self, touch: ActionPart, view: View, seat: str) -> Markup:
        """Return more about what has been touched."""

    def why_not(self, touch: ActionPart, state: Opaque) -> Markup:
        """Return what it can be used for in this state, and what not and why."""

    def changes(self, data: Mapping[str, Any], after: View, view: View, seat: str) -> Markup:
        """Return what an action would change: `after` is the view with it done (`Title.preview`), `view` the one
        before."""

    def result(self, after: View, view: View, seat: str, data: Mapping[str, Any]) -> Markup:
        """Return the same in a few signs, for the row of an action: `29 → 31 points`."""

    # -- the position -----------------------------------------------------------------------------
    def focus(self, view: View) -> int | None:
        """Return where a board that is larger than the page begins, in twentieths of its width."""

    def linked(self, said: str, names: Mapping[str, str]) -> Markup:
        """Return sentences of the log, escaped, with names of places as links that light them on the board of the page;
        `names` are those of the players by seat."""

    def below_board(self, view: View, names: Mapping[str, str]) -> Markup:
        """Return what belongs to the board but is not on it; `names` are the players by their seats."""

    def mine(self, view: View, seat: str) -> Markup:
        """Return everything that the seat has."""

    def hand(self, view: View, seat: str, touching: Touching) -> Markup:
        """Return the same for choosing by touch: what can be touched is a link."""

    def then(self, view: View, seat: str | None, own: bool, names: Mapping[str, str]) -> Markup:
        """Return what a seat had in a position of a replay; `own` if it is the reader's."""

    def others_name(self) -> Markup:
        """Return the heading of the section with everybody's things."""

    def others(self, view: View, seat: str | None, names: Mapping[str, str]) -> Markup:
        """Return what everybody has; `names` are those of the players by seat."""

    def ending(self, events: Sequence[Any], view: View, names: Mapping[str, str]) -> Markup:
        """Return the end of a finished game in figures; `events` are all of it."""

    # -- in mails ---------------------------------------------------------------------------------
    def in_mail(self, view: View, seat: str, names: Mapping[str, str]) -> Sequence[Sheet]:
        """Return what a mail says about the position besides the board; `names` are those of the players by seat."""

    def board_words(self, view: View, names: Mapping[str, str]) -> Sequence[str]:
        """Return what a picture of the board shows, in sentences for readers who do not see it; `names` as in
        `in_mail`."""

    def small_picture(self, view: View) -> tuple[str, Markup] | None:
        """Return a drawing beside the question of a mail (the drawn tile), as a document, and what it shows in
        words."""

    # -- the draft, and answers ahead of time -----------------------------------------------------
    def look(self, one: Mapping[str, Any], number: int, view: View, seat: str) -> Markup:
        """Return what a step of the draft would do, as far as the board does not show it. `one["preview"]` is what
        `Title.preview` says; fields named `line:NUMBER` replace the line in the draft."""

    def sealed(self, one: Mapping[str, Any]) -> Markup:
        """Return a line of the draft as shown at the seal."""

    def cautions(self, drafted: Sequence[Mapping[str, Any]], view: View) -> Markup:
        """Return the warnings about the draft before sending."""

    def closing(self, drafted: Sequence[Mapping[str, Any]], view: View) -> Markup:
        """Return the sentence for a draft whose last step is the last of the turn."""

    def question(self, foreseen: Mapping[str, Any]) -> Markup:
        """Return a question that may come before the seat's next turn (`Title.foreseen`, with its `head`), or several
        similar ones, about all of its `places`."""

    def answer_ahead(self, foreseen: Mapping[str, Any], answer: str) -> Markup:
        """Return one of its answers: what follows the colon of its line; several lines are joined by semicolons."""

    def unanswered(self, foreseen: Mapping[str, Any]) -> Markup:
        """Say what happens if no answer is given."""

    def questions_head(self, kind: str) -> Markup:
        """Return the heading of all questions of a kind."""

    def standing_help(self) -> Markup:
        """Return more about standing orders."""

    def tie(self) -> str:
        """Say in plain words who wins when the best are level, with the rule; "" if they all do."""

    def in_short(self) -> str:
        """Say what the title is about in a sentence or two, in plain words."""

    def presented(self) -> Markup:
        """Present the title in two or three sentences for newcomers: how many play, what it is about, how many turns it
        takes."""

    def reference(self) -> Markup:
        """Return all cards, tiles or other pieces of the title, as a reference list."""


class TitlePages(Protocol):
    """What the pages need from a title."""

    @property
    def folder(self) -> Path | None:
        """The folder of its `boards.css` and `templates/` (known to pages as `titles/ID/...`), if it has them. Its
        rules are `rules/en.md` and so on (`app.titles.rule_texts`), or else a page `templates/rules.html`."""

    @property
    def has_drawing(self) -> bool:
        """Whether `draw` draws."""

    @property
    def turns(self) -> int:
        """About how many turns of all players a game has; 0 if nothing tells."""

    @property
    def recall_minutes(self) -> int:
        """How many minutes a turn that is sealed on a page can be taken back by players who have not said how long."""

    @property
    def scores(self) -> bool:
        """Whether victory points tell how clearly a game was won, so that tables of its events break ties by them; else
        ties are broken as in chess."""

    def draw(
        self, view: View, voice: Voice, changed: frozenset[str], legal: Sequence[Any], touch: Touch = UNTOUCHED
    ) -> str:
        """Draw the board of a view as one `<svg xmlns="http://www.w3.org/2000/svg" class="board ...">` with classes
        only.

        `changed` names what is new to the reader, `legal` what can be chosen, in the words of `places_of` its events;
        `touch` says what is chosen and where what is touched leads.
        """

    def ground(self) -> str:
        """Return the part that is the same on every board, as one `<svg>`, for boards that fetch it once
        (`style.ground_address`); empty if every board is drawn whole."""

    def crop(
        self, view: View, voice: Voice, prefix: str, changed: frozenset[str], box: tuple[int, int] | None = None
    ) -> str:
        """Draw a small board, of what is newest, for lists and mails; its ids begin with `prefix`, as far as it has
        any, so that several fit on one page. `changed` is as for `draw`. `box` is the width and height available for it
        in pixels, if it is shown large enough for names; a board without names may ignore it."""

    def on_page(self, view: View, voice: Voice, changed: frozenset[str], at: Sequence[str]) -> str:
        """Draw the board as on a page on which nobody chooses. What can be looked at closely links to the same page
        with `?at=…`, and is described if it was touched (`at`)."""

    def control(self, view: View, voice: Voice, changed: frozenset[str], touching: Touching) -> str:
        """Draw the board for choosing by touch: with links, and with what is chosen and can be."""

    def parts(self, title: Title, lang: str) -> Parts:
        """Return its parts in one language; called once per process."""

    def touches(self, title: Title, state: Opaque, item: Opaque) -> tuple[ActionPart, ...]:
        """Return the touches for a legal action, or for the fixed part of a `Choice`, in the order in which they are
        asked; the kind comes first. No two actions have the same, and none has only a part of another's: if something
        may be left out, leaving it out is a touch, too."""

    def item_touch(self, choice: Opaque, item: str) -> ActionPart:
        """Return the touch for one of the items of a free choice; two equal ones are touched twice."""

    lesson: Lesson | None
    """A first game that teaches; None if it has none."""

    def rules_context(self) -> Mapping[str, Any]:
        """Return the context for its own template of rules."""

    def rule_drawing(self, name: str, voice: Voice) -> str:
        """Return the drawing that its rules call `{draw NAME}`, as markup."""
