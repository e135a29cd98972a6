"""The tile in hand: cells by what they bring, the tile as it would lie, possible settlers, and one button."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from markupsafe import Markup

from app.titles.contract import AT, KIND, ActionPart, Touching
from app.titles.new_world import tiles
from app.titles.new_world.outlines import FEATURE
from app.titles.new_world.pages.words import SETTLERS, Data, Wording
from app.titles.new_world.touches import NOBODY, SETTLER, TURN, selection
from app.titles.parts import NOTHING
from engine.kernel.title import Title
from engine.new_world.actions import Place, ScoreOrder
from engine.new_world.merits import Merit, merits
from engine.new_world.places import cell_name, feature_at, letter
from engine.new_world.state import State
from engine.new_world.tiles import TileKind

MANY_ORDERS = 24
"""More orders of scoring than this are not listed, but composed feature by feature."""
BEST = 3
"""The number of cells with a button of their own before one is chosen."""


def look_alike(kind: TileKind, rotations: Iterable[int]) -> dict[int, int]:
    """Return for each rotation the first one that looks and counts the same, whatever its parts are called."""
    first: dict[object, int] = {}
    return {rotation: first.setdefault(_look(kind, rotation), rotation) for rotation in rotations}


def _look(kind: TileKind, rotation: int) -> object:
    named: dict[int, int] = {}
    at_ports = []
    for place in kind.pieces[rotation // 90].segment_at:
        segment = kind.segments[place] if place >= 0 else None
        about = (segment.kind, segment.extras, segment.ends) if segment else None
        at_ports.append((named.setdefault(place, len(named)), about))
    return tuple(at_ports)


class ChosenPlacement:
    """What has been touched of a placement, completed with the best."""

    def __init__(self, touching: Touching, view: Data) -> None:
        self.state: State = touching.state
        self.merits = merits(self.state)
        by_role = {touch.role: touch.value for touch in touching.selection.settled} if touching.is_open else {}
        self.cell = by_role.get(AT, "")
        self.merit = next((one for one in self.merits if cell_name(one.x, one.y) == self.cell), None)
        self.rotations: list[int] = []
        if self.merit is None:
            return
        at = self.merit.x, self.merit.y
        fitting = next(cell["rotations"] for cell in view["cells"] if (cell["x"], cell["y"]) == at)
        alike = look_alike(self.state.board.tiles.kinds[self.state.tile], fitting)
        self.rotations = list(dict.fromkeys(alike.values()))
        self.rotation = alike[int(by_role.get(TURN, self.merit.rotation))]
        touched = {token.partition(".")[0] for token in touching.selection.touched}
        self.settler = by_role.get(SETTLER) if SETTLER in touched or len(touching.selection.fits) == 1 else None

    def action(self) -> Place | None:
        """Return the placement so far; None while no cell is chosen."""
        if self.merit is None:
            return None
        segment = None if self.settler in (None, NOBODY) else self.settler
        return Place(self.merit.x, self.merit.y, self.rotation, segment)

    def found(self, title: Title) -> Data | None:
        """Return what it would do; None while no cell is chosen."""
        action = self.action()
        return None if action is None else title.preview(self.state, action)


class TouchingParts(Wording):
    """What stands in the tray."""

    draws_tray = True

    def part(self, touch: ActionPart, view: Data, seat: str) -> Markup:
        """Return what has been touched, in a word."""
        _ = self._words.gettext
        if touch.role == KIND:
            return self.kind_name(touch.value)
        if touch.role == AT:
            return Markup(escape(touch.value))
        if touch.role == TURN:
            return Markup(_("turned by %(degrees)s°", degrees=touch.value))
        if touch.role == SETTLER:
            return Markup(_("No settler") if touch.value == NOBODY else self._name("settler", SETTLERS[touch.value[0]]))
        waits = {letter(n): one["at"] for n, one in enumerate(view["pending"])}
        if touch.value not in waits:
            return NOTHING
        return Markup(f"{touch.value} {escape(self._voice.say(feature_at(waits[touch.value])))}")

    def looks_at(self, token: str) -> bool:
        """Return whether a touch outlines a feature."""
        return token.startswith(f"{FEATURE}.")

    def asks(self, role: str, kind: str) -> Markup:
        """Return the question for a part of an action."""
        _ = self._words.gettext
        if kind == "score":
            return Markup(_("What is scored next?"))
        asked = {AT: _("Where do you lay the tile?"), TURN: _("How does it lie?"), SETTLER: _("A settler with it?")}
        return Markup(asked.get(role, ""))

    def tray(self, tray: Touching, view: Data, seat: str) -> Markup:
        """Return the best cells, or what is chosen of a placement; or the orders of scoring, or if they are too many
        the features to begin with."""
        if view["pending"]:
            listed = len(view["orders"]) <= MANY_ORDERS
            if not listed and tray.is_open:
                return NOTHING
            rows = self._order_rows(tray, view, seat) if listed else []
            return self._section("titles/new-world/order.html", tray=tray, view=view, rows=rows)
        chosen = ChosenPlacement(tray, view)
        return self._section(
            "titles/new-world/tray.html",
            tray=tray,
            chosen=chosen,
            view=view,
            seat=seat,
            tiles=tiles,
            found=chosen.found(tray.title),
            best=chosen.merits[:BEST],
        )

    def _order_rows(self, tray: Touching, view: Data, seat: str) -> list[tuple[Markup, Markup, str]]:
        """Return each different order, best for the reader first: its name, what everybody gets, its line."""
        _, best = self._words.gettext, sorted(view["orders"], key=lambda one: -one["scores"].get(seat, 0))
        letters = {one["at"]: n for n, one in enumerate(view["pending"])}
        rows = []
        for one in best:
            first = one["features"][0]
            kind = self._name("feature", view["pending"][letters[first]]["kind"])
            name = _("First %(letter)s, the %(feature)s", letter=self._letter(letters[first]), feature=kind)
            if len(letters) > 2:
                name = " ".join([self._letter(letters[at]) for at in one["features"]])
            gains = [f"{self._owner(side)} +{one['scores'].get(side, 0)}" for side in view["seats"]]
            line = tray.title.write(tray.state, ScoreOrder(tuple(one["features"])))
            rows.append((Markup(name), Markup(" · ".join(gains)), line))
        return rows

    @staticmethod
    def to(cell: str, rotation: int | None = None, settler: str | None = None) -> str:
        """Return the address of the page with this placement, at the board."""
        return f"?at={selection(cell, rotation, settler)}"

    def merit(self, one: Merit) -> Markup:
        """Return what a cell brings at once, in a few signs: the seat's points, or those that others get."""
        return Markup(self._merit(one))

    def _merit(self, one: Merit) -> str:
        _ = self._words.gettext
        if one.points:
            return f"+{one.points}"
        if one.gives:
            given = [f"{self._owner(seat)} +{points}" for seat, points in one.gives.items()]
            return ", ".join(given)
        if one.home:
            return _("a settler comes home")
        return _("grows") if one.grows else _("no points")

    def merit_of(self, one: Merit) -> Markup:
        """Return a cell and what it brings."""
        return Markup(f"<b>{cell_name(one.x, one.y)}</b> <small>{self._merit(one)}</small>")

    def name_of(self, one: Merit) -> str:
        """Return the name of its cell."""
        return cell_name(one.x, one.y)

    def headline(self, chosen: ChosenPlacement, found: Data) -> Markup:
        """Return what the placement, as far as it is chosen, brings at once."""
        _ = self._words.gettext
        brings = self._brings(chosen, found)
        gains = self._gains(brings)
        best = 0 if gains or chosen.settler is not None else self._with_settler(chosen, found)
        said = self._words.join(gains) if gains else _("nothing is scored at once")
        if best:
            said = self._words.ngettext(
                "with a settler up to %(num)s point at once", "with a settler up to %(num)s points at once", best
            )
        if len(brings) > 1:
            said += ", " + _("by the order you choose")
        return Markup(said)

    @staticmethod
    def _with_settler(chosen: ChosenPlacement, found: Data) -> int:
        """Return the most that a settler with the tile would bring at once, while none is chosen."""
        mover = chosen.state.to_move
        return max((one["scores"].get(mover, 0) for part in found["parts"] for one in part["choice"] or ()), default=0)

    @staticmethod
    def _brings(chosen: ChosenPlacement, found: Data) -> Sequence[Data]:
        if chosen.settler in (None, NOBODY):
            brings: Sequence[Data] = found["without"]
            return brings
        return next(part["choice"] for part in found["parts"] if chosen.settler in part["segments"])

    @staticmethod
    def whole(chosen: ChosenPlacement) -> str:
        """Return the complete selection."""
        return selection(chosen.cell, chosen.rotation, chosen.settler or NOBODY)

    def lay(self, chosen: ChosenPlacement) -> Markup:
        """What the button says."""
        _ = self._words.gettext
        if chosen.settler in (None, NOBODY):
            return Markup(_("Lay it at %(cell)s and send", cell=chosen.cell))
        settler = self._name("settler", SETTLERS[chosen.settler[0]])
        return Markup(_("Lay it at %(cell)s with %(settler)s, and send", cell=chosen.cell, settler=settler))
