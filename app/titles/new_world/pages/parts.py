"""The pages of New World: the drawn tile, where it can be laid, what it would do, settlers, scores, tiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from markupsafe import Markup

from app.titles.contract import Asked, Sheet
from app.titles.lessons import opening_view
from app.titles.new_world import drawing, outlines, tiles
from app.titles.new_world.pages.touching import TouchingParts
from app.titles.new_world.pages.words import SETTLERS, Data
from app.titles.parts import NOTHING
from engine.new_world.places import cell_name, name_at
from engine.new_world.reckoning import KINDS, reckoning
from engine.new_world.title import NEW_WORLD


class NewWorldParts(TouchingParts):
    """Everything about the title in one language."""

    # -- kinds of action --------------------------------------------------------------------------

    def kind_name(self, kind: str) -> Markup:
        _ = self._words.gettext
        known = {
            "place": _("Lay the tile"),
            "settle": _("Place a settler"),
            "score": _("Order of scoring"),
            "resign": _("Resign"),
        }
        return Markup(known.get(kind) or escape(kind))

    def kind_rule(self, kind: str) -> Markup:
        _ = self._words.gettext
        if kind == "place":
            choose = _(
                "Choose a cell as it is named on the map, and how the tile lies there. You see what it would do before"
                " anything is sent."
            )
            return Markup(f"{choose} <small>{self._cited('R5')}</small>")
        if kind == "score":
            said = _(
                "After each feature a surveyor takes a step west. Settlers that both surveyors have passed go home"
                " without points, so the order can matter."
            )
            return Markup(f"{said} <small>{self._cited('R9.7')}</small>")
        return NOTHING

    def asked(self, view: Data, goes_on: bool) -> Asked:
        """Return the question of the deciding seat: where its tile lies, or what is scored first."""
        _ = self._voice.gettext
        if not view["pending"]:
            return Asked(_("Your turn: where do you lay the tile?"), "")
        two = len(view["pending"]) == 2
        return Asked(
            _("Which is scored first?") if two else _("In which order are they scored?"), _("Order of scoring")
        )

    def tally(self, view: Data, own_turn: bool) -> Markup:
        return Markup(self._words.ngettext("%(num)s tile left", "%(num)s tiles left", view["bag"]))

    def can_ever(self, kind: str, seat: str) -> bool:
        """Return whether to explain the absence: an order of scoring is only asked for when there is one to choose."""
        return kind != "score"

    # -- actions ----------------------------------------------------------------------------------

    def option(self, data: Data, line: str, view: Data, seat: str) -> Markup:
        _ = self._words.gettext
        if data["is"] == "Place":
            cell = cell_name(data["x"], data["y"])
            said = _("%(cell)s, turned by %(degrees)s°", cell=cell, degrees=data["rotation"])
            if data.get("segment"):
                settler = self._name("settler", SETTLERS[data["segment"][0]])
                said += ", " + _("with a %(settler)s", settler=settler)
            else:
                said += ", " + _("No settler").lower()
            return Markup(said)
        if data["is"] == "ScoreOrder":
            return Markup(self._order(list(data["features"]), view))
        return super().option(data, line, view, seat)

    # -- the position -----------------------------------------------------------------------------

    def below_board(self, view: Data, names: Mapping[str, str]) -> Markup:
        """Return the latest tiles with their numbers on the map; the last one links to its place."""
        recent = view["laid"][len(view["laid"]) - view["recent"] :]
        if not recent:
            return NOTHING
        laid = [
            (Markup(self._player(one["seat"], names)), self.tile(one["tile"]), cell_name(one["x"], one["y"]))
            for one in recent
        ]
        return self._section("titles/new-world/recent.html", laid=laid)

    def mine(self, view: Data, seat: str) -> Markup:
        """Return the drawn tile, as it can lie, and what the seat has left."""
        return self._hand(view, seat, self._words.gettext("Your tile"), self._words.gettext("Your settlers"))

    def then(self, view: Data, seat: str | None, own: bool, names: Mapping[str, str]) -> Markup:
        """Return the open tile in a position of a replay, and what a seat had."""
        _ = self._words.gettext
        if own and seat and view["decision"] and view["decision"]["seat"] == seat:
            return self.mine(view, seat)
        whose = _("The tile of %(seat)s", seat=self._player(view["to_move"], names)) if view["tile"] else ""
        return self._hand(view, seat if own else None, whose, _("No tile lies open"))

    def _hand(self, view: Data, seat: str | None, whose: str, none: str) -> Markup:
        heads = {"whose": Markup(whose), "nothing": Markup(none)}
        return self._section("titles/new-world/hand.html", view=view, seat=seat, tiles=tiles, **heads)

    def others_name(self) -> Markup:
        return Markup(self._words.gettext("Scores and tiles"))

    def others(self, view: Data, seat: str | None, names: Mapping[str, str]) -> Markup:
        laid = outlines.laid_in(view)
        return self._section("titles/new-world/others.html", view=view, names=names, tiles=tiles, laid=laid)

    def presented(self) -> Markup:
        _, n = self._words.gettext, len(tiles.shipped().bag)
        many = _("2 to 5 players · %(n)s tiles between them, one a turn", n=n)
        return self._section("play/turn/presented.html", many=Markup(many), about=self.in_short())

    def in_short(self) -> str:
        return self._voice.gettext(
            "From the coast you build roads, towns and farms westward, tile by tile, with two surveyors at your heels:"
            " whoever they leave behind goes home without points."
        )

    def reference(self) -> Markup:
        """Return all tiles of the default set, the coast, and how orders are written."""
        seats = NEW_WORLD.seats[:2]
        view, found = opening_view(NEW_WORLD, seats), tiles.shipped()
        return self._section(
            "titles/new-world/reference.html",
            view=view,
            tiles=tiles,
            sets=tiles.sets(),
            all={kind.id: kind.count for kind in found.kinds.values()},
            count=len(found.bag),
            board=Markup(drawing.draw(view, self._voice, frozenset())),
        )

    def ending(self, events: Sequence[Any], view: Data, names: Mapping[str, str]) -> Markup:
        """Return roads, towns, farms, animals and bonus by player, the winner first, and the lines of the final
        scoring."""
        known = self._kinds()
        winners = view["outcome"]["winners"] if view["outcome"] else ()
        seats = sorted(view["seats"], key=lambda seat: (seat not in winners, -view["scores"][seat]))
        return self._section(
            "titles/new-world/ending.html",
            found=reckoning(events),
            view=view,
            names=names,
            seats=seats,
            kinds=[(kind, known[kind]) for kind in KINDS],
        )

    def reckoned(self, events: Sequence[Any], view: Data) -> Sequence[tuple[str, Mapping[str, int]]]:
        found, rows = reckoning(events), []
        for kind, name in self._kinds().items():
            earned = [(given.get(kind) or {}) for given in (found.played, found.at_end)]
            rows.append(
                (name, {seat: sum(one[seat].points for one in earned if seat in one) for seat in view["seats"]})
            )
        return [*rows, (self._words.gettext("Surveyors’ bonus"), found.bonus)]

    def legend(self, features: Sequence[Data], beside: Sequence[tuple[str, str]], close: str) -> Markup:
        """Return what is outlined on the map, the names and addresses of what else lies there, and the address without
        outlines."""
        return self._section("titles/new-world/legend.html", features=features, beside=beside, close=close)

    @staticmethod
    def outline(references: Iterable[str]) -> str:
        """Return the address of the outline of these features."""
        return outlines.to([outlines.token(one) for one in references])

    def _kinds(self) -> dict[str, str]:
        """Return the kinds of feature, in the plural."""
        _ = self._words.gettext
        return {"road": _("Roads"), "town": _("Towns"), "farm": _("Farms"), "plain": _("Animals")}

    def final(self, n: int, one: Data, names: Mapping[str, str]) -> Markup:
        """Return a line of the final scoring: the letter on the map, what it is and where, who gets how much."""
        gains = [
            self._words.ngettext(
                "{n} point for {seat}",
                "{n} points for {seat}",
                points,
                seat=self._player(seat, names),
            )
            for seat, points in one["gains"].items()
        ]
        what = f"{self._name('feature', one['kind'])} {name_at(one['at'])}"
        return Markup(f"{self._letter(n)} <b>{what}</b> {self._words.join(gains)}")

    def in_mail(self, view: Data, seat: str, names: Mapping[str, str]) -> Sequence[Sheet]:
        """Return what everybody has, and where the surveyors stand."""
        words, rows = self._words, []
        for side in view["seats"]:
            name = names.get(side, "")
            head = Markup(escape(name or words.name("seat", side)))
            said = words.ngettext(
                "%(seat)s: %(points)s points, %(num)s settler left",
                "%(seat)s: %(points)s points, %(num)s settlers left",
                view["supply"][side],
                seat=words.name("seat", side),
                points=view["scores"][side],
            )
            rows.append((head, Markup(said)))
        left = words.ngettext("%(num)s tile left", "%(num)s tiles left", view["bag"])
        rows.append((Markup(words.gettext("Tiles")), Markup(left)))
        rows.append((Markup(words.gettext("Surveyors")), self.surveyors(view)))
        return (Sheet(Markup(words.gettext("Scores")), rows),)

    def small_picture(self, view: Data) -> tuple[str, Markup] | None:
        """Return the drawn tile."""
        if not view["tile"]:
            return None
        _ = self._words.gettext
        parts = Markup(" · ").join(self.part_of_tile(one) for one in view["tile"]["segments"])
        return tiles.alone(view, view["tile"]["id"]), Markup(_("The drawn tile: %(parts)s", parts=parts.striptags()))

    # -- the draft --------------------------------------------------------------------------------

    def look(self, one: Data, number: int, view: Data, seat: str) -> Markup:
        """Return what a drafted placement would do, and the settlers that could go with it."""
        return self._section(
            "titles/new-world/look.html", found=one["preview"], number=number, view=view, seat=seat, tiles=tiles
        )

    def sealed(self, one: Data) -> Markup:
        """Return the line at the seal without the settler, which is chosen with the draft itself."""
        found: Any = one["preview"]
        if not found or not any(part["free"] for part in found.get("parts", ())):
            return super().sealed(one)
        (x, y), rotation = found["cell"], found["tile"]["rotation"]
        return Markup(f"place {cell_name(x, y)} {rotation}, " + self._words.gettext("settler as chosen above"))

    def closing(self, drafted: Sequence[Data], view: Data) -> Markup:
        _ = self._words.gettext
        if not drafted or not drafted[-1]["shows"] or drafted[-1]["kind"] == "resign":
            return NOTHING
        if view["bag"]:
            return Markup(_("With this your turn ends, and the next tile is drawn."))
        return Markup(_("With this your turn ends, and so does the game: no tile is left to draw."))

    def standing_help(self) -> Markup:
        return self._section("titles/new-world/standing.html")
