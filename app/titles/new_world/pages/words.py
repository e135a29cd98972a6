"""New World in words: cells, parts of tiles, and the choices of a decision, no two alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from markupsafe import Markup

from app.titles.parts import PlainParts
from engine.new_world.parts import rim
from engine.new_world.places import feature_at, letter, name_at, surveyors_stand
from engine.new_world.tile_words import tile_shown
from engine.new_world.tiles import KIND_OF_PART, SETTLER_OF, known_kinds

Data = Mapping[str, Any]
SETTLERS = {part: SETTLER_OF[kind] for part, kind in KIND_OF_PART.items()}
"""Who stands on a part of a tile, by the first letter of its name."""


class Wording(PlainParts):
    """Methods with an underscore give strings with every name and value escaped; the others the same as markup."""

    def _name(self, kind: str, key: str) -> str:
        return self._words.name(kind, key)

    def _player(self, seat: str, names: Mapping[str, str]) -> str:
        """Return who sits there, or the colour of the seat if nobody is known."""
        return escape(names.get(seat) or "") or self._name("seat", seat)

    def _names(self, kind: str, keys: Iterable[str]) -> str:
        """Return a list in words: a, b and c."""
        return self._words.join([self._name(kind, key) for key in keys])

    def player(self, seat: str) -> Markup:
        """Return who sits there, by name, or the colour of the seat if nobody is known."""
        return Markup(self._player(seat, self._people))

    def _owner(self, seat: str) -> str:
        """Return the same with the sign of the seat's settlers on the map."""
        name = self._people.get(seat)
        return f'<span class="side side-{seat}">{escape(name)}</span>' if name else self._name("seat", seat)

    def _owners(self, seats: Iterable[str]) -> str:
        return self._words.join([self._owner(seat) for seat in dict.fromkeys(seats)])

    # -- cells and tiles --------------------------------------------------------------------------

    def cell(self, at: str) -> Markup:
        """Return a cell as the map calls it, from `3,4` or from a part of a tile, `3,4:r0`."""
        return Markup(name_at(at))

    def tile(self, tile: str) -> Markup:
        """Return what a tile shows, in words."""
        return Markup(escape(self._voice.say(tile_shown(tile))))

    def drawn(self, item: str) -> Markup:
        """Return a tile by all its parts, which distinguishes those that show the same."""
        kind = known_kinds(item)[0]
        said = []
        for part in kind.segments:
            extras = f" ({self._extras(part.kind, part.extras)})" if part.extras else ""
            points = " ".join(rim(kind, 0, (part.id,)))
            said.append(f"{self._name('feature', part.kind)} {points}".strip() + extras)
        return Markup(" · ".join(said))

    def tiles(self, tiles: Iterable[str]) -> Markup:
        """Return several in words, a list."""
        return Markup(self._voice.clauses([self.tile(one) for one in tiles]))

    def surveyors(self, view: Data) -> Markup:
        """Return where the surveyors stand, in a sentence."""
        return Markup(escape(self._voice.say(surveyors_stand(**view["surveyors"]))))

    def beside(self, cell: Data) -> Markup:
        """Return what lies beside a cell, in a few words."""
        said = []
        for side, one in cell["sides"].items():
            to, kind = self._name("side", side), self._name("feature", one["kind"])
            lies = self._words.gettext("%(side)s %(kind)s", side=to, kind=kind)
            if one.get("space"):
                lies += f", {self._name('place', one['space'])}"
            if one.get("settlers"):
                lies += f" ({self._words.join([self.player(seat) for seat in dict.fromkeys(one['settlers'])])})"
            said.append(lies)
        return Markup(" · ".join(said))

    def part_of_tile(self, part: Data) -> Markup:
        """Return a part of a tile: what it is, the sides it reaches, what lies on it."""
        _, kind = self._words.gettext, part["kind"]
        said = f"<b>{self._name('feature', kind)}</b>"
        if part["sides"]:
            said += " " + ", ".join([self._name("side", side) for side in part["sides"]])
        if part["extras"]:
            said += f", {self._extras(kind, part['extras'])}"
        if kind == "road" and part.get("ends") == "crossing":
            said += ", " + _("ends at the crossing")
        elif kind == "road" and part.get("ends") == "town":
            said += ", " + _("ends at the town")
        elif kind == "road" and part.get("ends") == "farm":
            said += ", " + _("ends at the farm")
        return Markup(said)

    def _extras(self, kind: str, n: int) -> str:
        ngettext = self._words.ngettext
        if kind == "road":
            return ngettext("{n} relay post", "{n} relay posts", n)
        if kind == "town":
            return ngettext("{n} shield", "{n} shields", n)
        return ngettext("{n} animal", "{n} animals", n)

    def _standing(self, settlers: Iterable[Data]) -> list[str]:
        """Return settlers and where they stand."""
        _ = self._words.gettext
        return [_("%(seat)s at %(cell)s", seat=self._owner(one["seat"]), cell=name_at(one["at"])) for one in settlers]

    # -- features ---------------------------------------------------------------------------------

    def feature(self, one: Data) -> Markup:
        """Describe a feature: who has it, who stands on it, how large it is, what it is worth, and what it lacks."""
        _, ngettext = self._words.gettext, self._words.ngettext
        said = [self._held(one)]
        if len(one["settlers"]) > 1:
            said.append(", ".join(self._standing(one["settlers"])))
        said.append(ngettext("{n} tile", "{n} tiles", one["tiles"]))
        if one["extras"]:
            said.append(self._extras(one["kind"], one["extras"]))
        if one["complete"]:
            said.append(_("complete"))
            return Markup(" · ".join(said))
        now = one["worth_at_end"]
        said.append(ngettext("%(num)s point at the end as it stands", "%(num)s points at the end as it stands", now))
        if one["never_complete"]:
            said.append(_("can no longer be completed"))
        elif one["kind"] != "plain" and one["open_at"]:
            least = one["worth_complete"]
            said.append(
                ngettext("at least %(num)s point when complete", "at least %(num)s points when complete", least)
            )
            said.append(_("misses {cells}", cells=self._words.join([name_at(at) for at in one["open_at"]])))
        return Markup(" · ".join(said))

    def feature_name(self, one: Data) -> Markup:
        """Return a feature by what it is and where."""
        return Markup(f"{self._name('feature', one['kind'])} {name_at(one['at'])}")

    def feature_of_tile(self, one: Data, laid: Mapping[str, Data], at: str = "") -> Markup:
        """Return the same, distinguished from others of its kind on that tile (`at`, else its first) by the sides it
        reaches; `laid` are the tiles by their cells."""
        cell = (at or one["at"]).partition(":")[0]
        tile = laid.get(cell)
        name = f"{self._name('feature', one['kind'])} {name_at(cell)}"
        if tile is None:
            return Markup(name)
        kind = known_kinds(tile["tile"])[0]
        here = tuple(part.partition(":")[2] for part in one["parts"] if part.partition(":")[0] == cell)
        if sum(part.kind == one["kind"] for part in kind.segments) == len(here):
            return Markup(name)
        return Markup(f"{name} ({self._names('side', rim(kind, tile['rotation'], here)) or self._in_the_middle()})")

    def _in_the_middle(self) -> str:
        return self._words.gettext("in the middle")

    def _held(self, one: Data) -> str:
        """Return a feature by its name, and whose it is."""
        _ = self._words.gettext
        name = f"<b>{self.feature_name(one)}</b>"
        if not one["settlers"]:
            if one["complete"]:
                return name
            return f"{name} " + _("nobody stands on it")
        owners = self._owners(one["owners"])
        return f"{name} " + (owners if len(one["owners"]) == 1 else _("tied: %(seats)s", seats=owners))

    # -- a placement ------------------------------------------------------------------------------

    @staticmethod
    def letter_of(n: int) -> str:
        """Return the letter of a feature on the map, as used in an address, too."""
        return letter(n)

    def _letter(self, n: int) -> str:
        """Return the letter that stands on the tile, too."""
        return f'<b class="letter">{letter(n)}</b>'

    def _towards(self, part: Data) -> str:
        """Return where the sides of a road or town lead; for others where they reach the rim."""
        _, said = self._words.gettext, []
        for one in part.get("leads", ()):
            side = self._name("side", one["side"])
            cell = self._name("place", one["space"]) if one.get("space") else name_at(one["cell"])
            if one.get("sea"):
                said.append(_("%(side)s to the sea", side=side))
            elif one.get("empty"):
                said.append(_("%(side)s to %(cell)s, where nothing lies yet", side=side, cell=cell))
            else:
                said.append(_("%(side)s to %(cell)s", side=side, cell=cell))
        return ", ".join(said) or self._lies(part) or self._in_the_middle()

    def _lies(self, part: Data) -> str:
        """Return where a part reaches the rim of the tile; a half of a side by the letter of what it lies beside."""
        beside = self._words.join([self._letter(n) for n in part.get("beside", ())])
        sides = self._names("side", [point for point in part["rim"] if not beside or len(point) < 3])
        if not beside:
            return sides
        return f"{sides} " * bool(sides) + self._words.gettext("beside %(parts)s", parts=Markup(beside))

    def joined(self, n: int, part: Data) -> Markup:
        """Return a feature as it would be with the tile."""
        _, ngettext = self._words.gettext, self._words.ngettext
        said = f"{self._letter(n)} <b>{self._name('feature', part['kind'])}</b> {self._towards(part)} · "
        if part["kind"] == "farm":
            said += _("%(n)s of 8 cells around it are filled", n=part["around"])
        else:
            said += ngettext("{n} tile", "{n} tiles", part["tiles"])
        if part["extras"]:
            said += f", {self._extras(part['kind'], part['extras'])}"
        if part["complete"]:
            said += ", " + _("complete")
        elif part["open_at"]:
            cells = self._words.join([name_at(at) for at in part["open_at"]])
            said += ", " + _("misses {cells}", cells=cells)
        return Markup(self._with(said, part["settlers"]))

    def _with(self, said: str, settlers: Sequence[Data]) -> str:
        """Return a feature with who stands on it."""
        if not settlers:
            return said
        return self._words.gettext("{label}: {value}", label=Markup(said), value=", ".join(self._standing(settlers)))

    def settled(self, n: int, part: Data, without: Sequence[Data] = ()) -> Markup:
        """Return a settler that could go with the tile, where it would stand, and what that would bring; but not what
        the tile scores `without` it as well."""
        _, ngettext, choice = self._words.gettext, self._words.ngettext, part["choice"]
        where = " ".join([self._name("feature", part["kind"]), *filter(None, [self._lies(part)])])
        if part["complete"]:
            said = _("complete")
        elif part["kind"] == "plain":
            said = _("stays to the end of the game")
        else:
            said = _("not complete yet")
        if choice and all(one.get("goes_home") for one in choice):
            said += ", " + _("goes home at once, both surveyors pass it")
        elif any(one.get("goes_home") for one in choice):
            said += ", " + _("goes home without points in some orders of scoring")
        for points in dict.fromkeys(one["at_end"] for one in choice if one.get("at_end") is not None):
            said += ", " + ngettext(
                "%(num)s point at the end as it stands", "%(num)s points at the end as it stands", points
            )
        if part["complete"] and not any(one.get("scores") for one in choice):
            said += ", " + _("no points")
        settler = self._name("settler", part["settler"])
        gains = self._at_once(choice)
        if gains != self._at_once(without):
            said += gains
        return Markup(f"{self._letter(n)} <b>{settler}</b> <small>{where} · {said}</small>")

    def settled_short(self, n: int, part: Data, seat: str) -> Markup:
        """Return the same as a letter, with the points that the seat gets at once; in full for screen readers."""
        gains = [one["scores"].get(seat, 0) for one in part["choice"]]
        most = f" +{max(gains)}" if any(gains) else ""
        return Markup(
            f'<span aria-hidden="true">{self._letter(n)}{most}</span><span class="away">{self.settled(n, part)}</span>'
        )

    def at_once(self, brings: Sequence[Data]) -> Markup:
        """Return what is scored at once: what each seat gets, or may get depending on the chosen order."""
        return Markup(self._at_once(brings))

    def _at_once(self, brings: Sequence[Data]) -> str:
        _ = self._words.gettext
        gains = self._gains(brings)
        if not gains:
            return ""
        said = " · " + _("scored at once: %(points)s", points=self._words.join(gains))
        if len(brings) == 1 and brings[0].get("bonus"):
            bonus = self._words.join([self._amount([n], seat) for seat, n in brings[0]["bonus"].items()])
            said += " (" + _("the surveyors’ bonus in it: %(points)s", points=bonus) + ")"
        elif len(brings) > 1:
            said += ", " + _("by the order you choose")
        return said

    def _gains(self, brings: Sequence[Data]) -> list[str]:
        """Return what each seat gets that gets something."""
        seats = dict.fromkeys(seat for one in brings for seat in one["scores"])
        return [self._amount(sorted({one["scores"].get(seat, 0) for one in brings}), seat) for seat in seats]

    def _amount(self, few: Sequence[int], seat: str) -> str:
        """Return the points that a seat gets, or may get."""
        _, ngettext, name = self._words.gettext, self._words.ngettext, self.player(seat)
        if len(few) == 1:
            return ngettext("{n} point for {seat}", "{n} points for {seat}", few[0], seat=name)
        if len(few) == 2:
            return _("%(less)s or %(more)s points for %(seat)s", less=few[0], more=few[1], seat=name)
        return _("%(less)s to %(more)s points for %(seat)s", less=few[0], more=few[-1], seat=name)

    # -- orders of scoring ------------------------------------------------------------------------

    def pending(self, n: int, one: Data) -> Markup:
        """Return a feature whose scoring order is to be chosen, with its letter on the map."""
        said = f"{self._letter(n)} <b>{self._name('feature', one['kind'])}</b> {name_at(one['at'])}"
        if one["rim"]:
            said += f", {self._names('side', one['rim'])}"
        if one["kind"] != "farm":
            said += " · " + self._words.ngettext("{n} tile", "{n} tiles", one["tiles"])
        if one["extras"]:
            said += f", {self._extras(one['kind'], one['extras'])}"
        return Markup(self._with(said, one["settlers"]))

    def _order(self, features: Sequence[str], view: Data) -> str:
        """Return an order of scoring, and what everybody gets from it."""
        _ = self._words.gettext
        then = _("then")
        said = f", {then} ".join([self._feature(one, view) for one in features])
        found = next((one for one in view["orders"] if one["features"] == features), None)
        return said if found is None else f"{said}: {self._brought(found)}"

    def _feature(self, reference: str, view: Data) -> str:
        for n, one in enumerate(view["pending"]):
            if one["at"] == reference:
                where = self._names("side", one["rim"]) if one["rim"] else name_at(one["at"])
                return f"{letter(n)} {self._name('feature', one['kind'])} ({where})"
        return escape(self._voice.say(feature_at(reference)))

    def _brought(self, found: Data) -> str:
        _ = self._words.gettext
        said = self._words.join([self._amount([n], seat) for seat, n in found["scores"].items()]) or _("no points")
        if found["stragglers"]:
            home = self._words.join(self._standing(found["stragglers"]))
            said = self._voice.clauses([said, _("home without points: %(settlers)s", settlers=home)])
        return said
