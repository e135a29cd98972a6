"""The laws of a title, tried in random games: whatever is stored comes back, nobody is shown what they may not know,
chance is handed over in order, and what is legal, read, written, drawn and recorded agrees.

`postroad title check` tries them for any title, the tests for those of the house. What needs more than the engine (the
speakers of the languages, a catalogue, its pages) is handed in (`Surroundings`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

from engine.kernel import records
from engine.kernel.chance import ChanceExhausted, ChanceMismatch, ChanceOutcome, ScriptedChance
from engine.kernel.faults import Fault, last_line, method_of, place_of
from engine.kernel.json_data import fields_of, is_plain, strings_of
from engine.kernel.random_play import Luck, OrderedChance, Ply, RandomChance, RandomGame
from engine.kernel.refusals import Refusal
from engine.kernel.search import levels_of
from engine.kernel.takeback import Deed, learned
from engine.kernel.text import Speaker, Text, say
from engine.kernel.title import Choice, Title
from engine.kernel.untouched import Untouched

WIDEST = 72
"""Columns of a board in a mail."""
MOST_WORLDS, MOST_ACTIONS = 6, 8
"""How many of each are tried at one step."""
MOST_TOUCHED = 60
UNFILLED = re.compile(r"%\(\w+\)s|\{\w*\}")
"""A place for a value in what should be ready to be read."""
MOST_PLIES = 3_000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What titles meet outside of the engine."""

    speakers: Mapping[str, Speaker] = field(default_factory=dict)
    """By language."""
    knows: Callable[[str, str], bool] = lambda lang, sentence: True
    """Whether a sentence is in the catalogue of a language."""
    pages: Any = None
    """The title's pages (`app.titles.pages.PlainPages`); None tries none."""


class Laws:
    """Collects what is wrong with a title; each fault once."""

    def __init__(self, title: Title, around: Surroundings | None = None) -> None:
        self.title = title
        self.around = around or Surroundings()
        self.faults: dict[tuple[str, str], Fault] = {}
        self.when = "before the first game"
        self.had_worlds: set[str] = set()
        self.had_seats: set[str] = set()

    # -- telling ----------------------------------------------------------------------------------

    def wrong(self, law: str, method: str, why: str, of: Any = None) -> None:
        """Note a fault of the title or `of` its pages, unless this law has been broken at this place before."""
        self.faults.setdefault((law, method), Fault(law, why, place_of(of or self.title, method), self.when))

    def asked(self, method: str, *given: Any, of: Any = None, has_to: str = "") -> Any:
        """Return what a method of the title, or `of` its pages, answers. An exception is a fault, and raises `_Stop`;
        `has_to` tells the author what the method owes."""
        whose = of or self.title
        try:
            return getattr(whose, method)(*given)
        except Refusal:
            raise
        except Exception as error:
            said = f"{type(whose).__name__}.{method} raised {type(error).__name__}: {error}{last_line(error)}"
            self.wrong("crash", method, said + (f"; it has to {has_to}" if has_to else ""), of)
            raise _Stop from None

    # -- whole games ------------------------------------------------------------------------------

    def play(self, options: Any, seats: Sequence[str], source: Luck, when: str) -> None:
        """Play a random game, trying the laws at each step."""
        self.when, chance = f"{when}, in the opening", OrderedChance(RandomChance(source), self._unsorted)
        game = RandomGame(self.title, options, seats, source, chance)
        plies = 0
        try:
            game.begin()
            chance.taken()  # what stands in the setup
            self._opening(game, source)
            for ply in game.plies(MOST_PLIES):
                plies += 1
                self.when = (
                    f"{when}, turn {ply.due.turn}, {ply.due.seat}: {self.asked('write', ply.before, ply.action)}"
                )
                self._ply(ply, chance.taken(), source)
            self._ended(game, plies)
            self._recorded(game)
        except _Stop:
            return
        except (Refusal, ChanceExhausted) as refusal:
            self.wrong("legal", "unfold", f"what `legal` offers is refused: {refusal}")
        except Exception as error:
            method = method_of(error, self.title)
            said = f"{type(self.title).__name__}.{method} raised {type(error).__name__}: {error}{last_line(error)}"
            self.wrong("crash", method, said)

    def _opening(self, game: RandomGame, source: Luck) -> None:
        """Another shuffle of the opening is not told by the heading of a running game."""
        title, opened = self.title, game.log[0].events
        for event in opened:
            self._stored("event", event, "event")
        other = title.open(game.options, game.seats, RandomChance(source))
        told, twin = (title.heading_of_record(events[0], secrets=False) for events in (opened, other))
        if told != twin:
            changed = _difference(told, twin)
            self.wrong("record", "heading_of_record", f"without secrets it tells what chance gave: `{changed}`")

    def _ply(self, ply: Ply, used: Sequence[ChanceOutcome], source: Luck) -> None:
        for state in (ply.before, ply.after):
            self._stored("state", state, "state")
        self._stored("action", ply.action, "action")
        for event, state in ply.happened:
            self._stored("event", event, "event")
            self.asked("decision", state)
        self._applied(ply)
        self._words(ply, source)
        self._judged(ply, source)
        self._chance(ply, used)
        self._knowledge(ply, used, source)
        self._boards(ply.before, ply.due.seat)
        if self.around.pages is not None:
            self._touched(ply)
            self._shown(ply)

    def _ended(self, game: RandomGame, plies: int) -> None:
        over = self.title.decision(game.state) is None
        if plies >= MOST_PLIES and not over:
            self.wrong("end", "outcome", f"a game does not end within {MOST_PLIES} decisions")
        elif over != (self.title.outcome(game.state) is not None):
            self.wrong("end", "outcome", "`outcome` says otherwise than `decision` whether the game is over")

    def _recorded(self, game: RandomGame) -> None:
        """The record of the game is plain JSON and verifies."""
        try:
            record = records.load(json.dumps(records.export(self.title, game.log)), {self.title.id: self.title})
            if self.title.opened_from_record(record.options, record.seats, record.setup) != game.log[0].events[0]:
                self.wrong("record", "opened_from_record", "it makes another opening than `heading_of_record` wrote")
                return
            records.verify(record)
        except records.RecordRefused as no:
            where = f"turn {no.turn}, step {no.step}" + (f", {no.path}" if no.path else "")
            found = f": recorded {no.recorded!r}, computed {no.computed!r}" if no.path else ""
            self.wrong("record", "after", f"the record does not verify ({where}): {_said(no.why)}{found}")
        except Refusal as no:
            self.wrong("record", "opened_from_record", f"the record cannot be read: {_said(no.why)}")

    # -- what is stored ---------------------------------------------------------------------------

    def _stored(self, kind: str, value: Any, what: str) -> None:
        name = type(value).__name__
        try:
            back = getattr(self.title, f"{kind}_from_json")(
                json.loads(json.dumps(getattr(self.title, f"{kind}_to_json")(value)))
            )
        except Exception as error:
            why = f"the {what} {name} cannot be stored ({type(error).__name__}: {error}); is it in `codec`?"
            self.wrong("stored", f"{kind}_to_json", why)
            raise _Stop from None
        if back != value:
            changed = next((one for one in fields_of(value) if getattr(value, one) != getattr(back, one, None)), "?")
            self.wrong("stored", f"{kind}_to_json", f"the {what} {name} comes back with another `{changed}`")

    def _applied(self, ply: Ply) -> None:
        """`apply` changes nothing that it is given, and gives the states of `unfold`."""
        before = self.asked("state_to_json", ply.before)
        state = ply.before
        for event, wanted in ply.happened:
            state = self.asked("apply", state, event)
            if state != wanted:
                self.wrong("apply", "apply", f"{type(event).__name__} gives another state than `unfold` said")
        if self.asked("state_to_json", ply.before) != before:
            self.wrong("apply", "apply", "it changed the state that it was given")
        try:
            self.title.check_invariants(state)
        except AssertionError as error:
            self.wrong("invariants", "check_invariants", f"cards, pieces or points do not add up: {error}")
        due = self.title.decision(state)
        ends = any(event.ends_turn for event, _ in ply.happened)
        if due is not None and due.turn != ply.due.turn and not ends:
            self.wrong("turn", "decision", "the turn changes without an event that has `ends_turn`")

    # -- words ------------------------------------------------------------------------------------

    def _words(self, ply: Ply, source: Luck) -> None:
        seat = ply.due.seat
        for action in _samples(ply.legal, source):
            line = self.asked("write", ply.before, action)
            try:
                read = self.asked("read", ply.before, seat, line)
            except Refusal as no:
                self.wrong("notation", "read", f"it refuses “{line}”, which `write` made: {_said(no.why)}")
                continue
            if read != action:
                self.wrong("notation", "read", f"“{line}” is read as {read!r}, not {action!r}")
        for event, _ in ply.happened:
            for reader in (*self._seats(ply.before), None):
                seen = self.asked("seen_by", event, reader)
                said = None if seen is None else self.asked("sentence", seen)
                if said is not None:
                    self._known(said, "sentence")

    def _known(self, said: Text, method: str) -> None:
        for lang in self.around.speakers:
            if lang != "en" and not self.around.knows(lang, said.template):
                self.wrong("catalogue", f"{method} {said.template}", f"the catalogue of {lang} lacks “{said.template}”")
        for lang, speaker in self.around.speakers.items():
            try:
                say(said, speaker)
            except (KeyError, ValueError, IndexError) as error:
                self.wrong("sentence", method, f"“{said.template}” cannot be said in {lang}: {error!r}")

    def _boards(self, state: Any, seat: str) -> None:
        for reader in (seat, None):
            view = self.asked("view", state, reader)
            for lang, speaker in self.around.speakers.items():
                board = self.asked("board", view, speaker)
                widest = max(map(len, board.split("\n")))
                if widest > WIDEST:
                    self.wrong("board", "board", f"it is {widest} columns wide in {lang}; a mail has {WIDEST}")

    # -- what is legal ----------------------------------------------------------------------------

    def _judged(self, ply: Ply, source: Luck) -> None:
        state, seat = ply.before, ply.due.seat
        if not ply.legal:
            self.wrong("legal", "legal", "a decision is owed and nothing is legal")
        for action in _samples(ply.legal, source):
            try:
                self.asked("check", state, seat, action)
            except Refusal as no:
                self.wrong("legal", "check", f"it refuses what `legal` offers, {action!r}: {_said(no.why)}")
            preview = self.asked("preview", state, action)
            if preview is not None and not is_plain(preview):
                self.wrong("json", "preview", f"the preview of {action!r} is not plain JSON data")
        for other in self._seats(state):
            if other != seat:
                try:
                    self.asked("check", state, other, ply.action)
                except Refusal:
                    continue
                self.wrong("legal", "check", f"{other} may play {ply.action!r} while {seat} decides")
        forced = self.asked("forced", state)
        if forced is not None:
            try:
                self.asked("check", state, seat, forced)
            except Refusal as no:
                self.wrong("legal", "forced", f"it answers {forced!r}, which is refused: {_said(no.why)}")

    # -- pages ------------------------------------------------------------------------------------

    def _touches(self, ply: Ply, item: Any) -> Sequence[Any]:
        given = self.title, ply.before, item
        parts: Sequence[Any] = self.asked(
            "touches", *given, of=self.around.pages, has_to="name the parts of all that is legal"
        )
        return parts

    def _touched(self, ply: Ply) -> None:
        pages, found, roles = self.around.pages, dict[frozenset[Any], Any](), dict[str, set[str]]()
        for item in ply.legal[:MOST_TOUCHED]:
            parts = frozenset(self._touches(ply, item))
            if parts and any(parts <= other or other <= parts for other in found):
                why = f"{item!r} is touched like another action, or with what belongs to one"
                self.wrong("touches", "touches", why, pages)
            found[parts] = item
            for part in parts:
                roles.setdefault(part.noun, set()).add(part.role)
        for noun, its in roles.items():
            if noun in its and len(its) > 1:
                why = f"a “{noun}” has the roles {', '.join(sorted(its))}; name none like the noun: it cannot be chosen"
                self.wrong("roles", "touches", why, pages)

    def _shown(self, ply: Ply) -> None:
        """The pages draw the views of a step, ask for it, and link what can be touched."""
        pages, state, seat = self.around.pages, ply.before, ply.due.seat
        view = self.title.view(state, seat)
        for lang in self.around.speakers:
            parts = self.asked("parts", self.title, lang, of=pages)
            asked = self.asked("asked", view, False, of=parts, has_to="ask in the view of any seat that decides")
            for words in asked:
                if raw := UNFILLED.search(words):
                    why = f"“{words}” leaves {raw[0]} unfilled: write `{{owner}}` and give gettext `owner=…`"
                    self.wrong("sentence", "asked", why, parts)
        if not self.around.speakers:
            return
        speaker = next(iter(self.around.speakers.values()))
        for reader in (seat, None):
            given = self.title.view(state, reader), speaker, frozenset[str]()
            self.asked("draw", *given, of=pages, has_to="draw the view of any seat and of a spectator")
        touching = Untouched(self.title, state, [self._touches(ply, item) for item in ply.legal])
        self.asked(
            "control", view, speaker, frozenset(), touching, of=pages, has_to="draw the view of the seat that decides"
        )
        try:
            parts.hand(view, seat, touching)
        except RuntimeError:
            return  # its templates need the server, so that what else is linked is not known
        if unlinked := touching.unlinked(strings_of(view)):
            why = f"it links some things to touch and leaves out {', '.join(unlinked)}"
            self.wrong("links", "control", why, pages)

    def _unsorted(self, purpose: str) -> None:
        self.wrong("chance", "unfold", f"the items for {purpose} are not sorted: their order tells something")

    # -- chance -----------------------------------------------------------------------------------

    def _chance(self, ply: Ply, used: Sequence[ChanceOutcome]) -> None:
        lines = [line for event, _ in ply.happened if (line := self.asked("chance_of", event)) is not None]
        try:
            told = [self.asked("read_chance", line) for line in lines]
        except Refusal as no:
            self.wrong("chance", "read_chance", f"it cannot read what `chance_of` made, “{lines[0]}”: {_said(no.why)}")
            return
        if told != list(used):
            self.wrong("chance", "chance_of", f"chance gave {list(used)}; the events tell {told}")
        due = self.title.decision(ply.after)
        asks = (
            due is not None and due.seat != ply.due.seat and due.on_turn == ply.due.on_turn and due.turn == ply.due.turn
        )
        shows = any(event.shows for event, _ in ply.happened)
        if (used or shows or asks) and not self.asked("reveals", ply.before, ply.action):
            what = "uses chance" if used else "shows something hidden" if shows else "asks another seat"
            self.wrong("reveals", "reveals", f"{ply.action!r} {what}, but can be taken back")

    # -- who knows what ---------------------------------------------------------------------------

    def _seats(self, state: Any) -> Sequence[str]:
        return tuple(state.seats) if hasattr(state, "seats") else self.title.seats

    def _knowledge(self, ply: Ply, used: Sequence[ChanceOutcome], source: Luck) -> None:
        title, seats = self.title, self._seats(ply.before)
        for reader in (*seats, None):
            if not is_plain(self.asked("view", ply.after, reader)):
                self.wrong("json", "view", f"the view of {reader or 'a spectator'} is not plain JSON data")
        self.had_seats.update(seats)
        for seat in () if title.all_open else seats:
            worlds = list(islice(self.asked("worlds", ply.before, seat), MOST_WORLDS))
            if worlds:
                self.had_worlds.add(seat)
            self._worlds(ply, seat, worlds)
            self._imagined(ply, seat, worlds)
        if not title.all_open:
            self._told(ply)
            if not used:
                self._takeback(ply, seats)
        for use in used:
            if use.kind == "shuffle" and len(set(use.value)) > 1:
                self._shuffled(ply, used, source)
                break
        self._minds(ply, source)

    def _worlds(self, ply: Ply, seat: str, worlds: Sequence[Any]) -> None:
        title, state = self.title, ply.before
        mine, all_see = title.view(state, seat), title.view(state, None)
        for world in worlds:
            try:
                title.check_invariants(world)
            except AssertionError as error:
                self.wrong("worlds", "worlds", f"in one of them cards, pieces or points do not add up: {error}")
            if title.view(world, seat) != mine:
                changed = _difference(mine, title.view(world, seat))
                self.wrong("view", "view", f"it tells {seat} apart what `worlds` calls alike: `{changed}`")
            if title.view(world, None) != all_see:
                changed = _difference(all_see, title.view(world, None))
                self.wrong("view", "view", f"it shows a spectator what {seat} may not know: `{changed}`")
            if ply.due.seat == seat and title.legal(world) != ply.legal:
                self.wrong("legal", "legal", f"what {seat} may do depends on what it cannot know")
            if ply.due.seat == seat and title.reveals(world, ply.action) != title.reveals(state, ply.action):
                self.wrong("reveals", "reveals", "it depends on what the seat cannot know")
            if title.after(world) == title.after(state):
                self.wrong("worlds", "worlds", "one of them is the very state, so it says nothing")

    def _imagined(self, ply: Ply, seat: str, worlds: Sequence[Any]) -> None:
        title = self.title
        imagined = self.asked("imagined", ply.before, seat)
        for world in worlds[:2]:
            if title.imagined(world, seat) != imagined:
                self.wrong("imagined", "imagined", f"it depends on what {seat} cannot know")

    def _takeback(self, ply: Ply, seats: Sequence[str]) -> None:
        events = [event for event, _ in ply.happened]
        may = self.asked("may_tell", ply.before, ply.action, events, ply.after)
        for seat in seats:
            if seat not in may and seat != ply.due.seat:
                deed = Deed(ply.due.seat, ply.action, events)
                if learned(self.title, ply.before, [deed], ply.after, [seat]) is not None:
                    kinds = ", ".join(type(event).__name__ for event in events)
                    why = f"{seat} learns something from {kinds}, but `may_tell` denies it: does it show too much?"
                    self.wrong("seen_by", "seen_by", why)

    def _told(self, ply: Ply) -> None:
        """Nobody is told by an event what only the view of another seat shows: of the acting one, or of one to which it
        has just come."""
        title, actor = self.title, ply.due.seat
        readers = (*self._seats(ply.before), None)
        before, after = ({one: strings_of(title.view(at, one)) for one in readers} for at in (ply.before, ply.after))
        for owner, reader in product(readers[:-1], readers):
            own = after[owner] if owner == actor else after[owner] - before[owner]
            hidden = own - after[reader] - before[reader] - {*title.seats}
            for event, _ in ply.happened if hidden and reader != actor else ():
                seen = self.asked("seen_by", event, reader)
                shown = set() if seen is None else strings_of(title.event_to_json(seen)) & hidden
                if shown:
                    who, kind = reader or "a spectator", type(event).__name__
                    why = f"{who} sees {', '.join(sorted(shown))} in {kind}, which only the view of {owner} has"
                    self.wrong("seen_by", "seen_by", why)

    def _shuffled(self, ply: Ply, used: Sequence[ChanceOutcome], source: Luck) -> None:
        """Nobody sees the order of what was shuffled, unless their view shows it."""
        title = self.title
        mixed = [ChanceOutcome(one.kind, one.purpose, tuple(source.sample(one.value, len(one.value))))
                 if one.kind == "shuffle" else one for one in used]  # fmt: skip
        try:
            other = title.unfold(ply.before, ply.due.seat, ply.action, ScriptedChance(mixed))
        except (Refusal, ChanceMismatch, ChanceExhausted):
            return
        for reader in (*(seat for seat in self._seats(ply.before) if seat != ply.due.seat), None):
            if title.view(ply.after, reader) == title.view(other[-1][1], reader):
                for (event, _), (twin, _) in zip(ply.happened, other, strict=False):
                    if title.seen_by(event, reader) != title.seen_by(twin, reader):
                        who, kind = reader or "a spectator", type(event).__name__
                        self.wrong("seen_by", f"seen_by {kind}", f"{who} sees in {kind} how something was shuffled")

    def _minds(self, ply: Ply, source: Luck) -> None:
        for level in levels_of(self.title):
            for words in (level.label, level.says):
                self._known(Text(words), "levels")
            seat = ply.due.seat
            drawn = level.mind.drawn(ply.before, seat, RandomChance(source))
            if self.title.view(drawn, seat) != self.title.view(ply.before, seat):
                self.wrong("drawn", "levels", f"what the computer draws looks otherwise to {seat} than the game")

    def whole(self) -> None:
        """Note what only all games together show, and what no game is needed for."""
        self.when = "in all games"
        if not self.title.all_open:
            for seat in sorted(self.had_seats - self.had_worlds):
                self.wrong("worlds", "worlds", f"there is never another one for {seat}, as if nothing were hidden")
        for each in self.title.option_fields({}):
            self._known(Text(each.label), "option_fields")


class _Stop(Exception):
    """The game cannot go on after a fault that has been noted."""


def check(
    title: Title,
    games: Sequence[tuple[Any, Sequence[str]]],
    luck: Callable[[str], Luck],
    around: Surroundings | None = None,
) -> list[Fault]:
    """Play a game for each of these options and seats; return what is wrong with a title, each fault once.

    `luck` makes a generator from a seed.
    """
    laws = Laws(title, around)
    for number, (options, seats) in enumerate(games, 1):
        laws.play(options, seats, luck(str(number)), f"game {number}")
    laws.whole()
    return list(laws.faults.values())


def against(title: Title, name: str, data: bytes) -> Fault | None:
    """Return what is wrong with a record from before by today's title; None if it verifies."""
    try:
        records.verify(records.load(data, {title.id: title}))
    except (records.RecordRefused, Refusal) as no:
        return Fault("older record", _said(no.why), place_of(title, "by_rules"), name)
    except Exception as error:
        method = method_of(error, title)
        return Fault("older record", f"{type(error).__name__}: {error}", place_of(title, method), name)
    return None


def _said(why: Text) -> str:
    return why.template.format(**{name: str(value) for name, value in why.values.items()})


def _samples(legal: Sequence[Any], source: Luck) -> Iterator[Any]:
    """Yield some of what is legal, at most `MOST_ACTIONS`."""
    for item in legal if len(legal) <= MOST_ACTIONS else source.sample(legal, MOST_ACTIONS):
        yield from source.sample(item.smallest(), 1) if isinstance(item, Choice) else (item,)


def _difference(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    return records.first_difference(ours, theirs, "view")[0]
