"""Ferry, a small card game for two to four seats with hidden hands and chance.

Each seat holds three hidden cards (`oak-1` ... `ash-6`). A turn has two actions: `keep CARD` lays a card down for
its number of points, `drop CARD, ...` discards one or more, `rob SEAT` makes another seat `yield CARD` or
`block CARD` with an oak. `peek` is free, once a turn, and shows its own seat the top of the pile. Then `end` refills
the hand; an empty pile is shuffled anew from the discards. After the agreed number of turns the most points win.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.kernel.chance import Chance
from engine.kernel.happenings import Happenings
from engine.kernel.plain import PlainTitle
from engine.kernel.refusals import IllegalAction, NotToDecide, Unreadable
from engine.kernel.text import N_, Counted, Name, Speaker, Text, names, say
from engine.kernel.title import Decision, Event, GameEnded, OptionField, Outcome
from postroad_ferry.engine.mind import LEVELS
from postroad_ferry.engine.things import (
    CARDS,
    CODEC,
    HAND,
    SEATS,
    Answered,
    Asked,
    Block,
    Drop,
    Dropped,
    End,
    Keep,
    Kept,
    Nothing,
    Opened,
    Peek,
    Peeked,
    Refilled,
    Rob,
    Shuffled,
    Side,
    State,
    TurnEnded,
    Yield,
    legal,
    without,
)


class Ferry(PlainTitle):
    """The title."""

    id = "ferry"
    name = "Ferry"
    seats = SEATS
    least_seats = 2
    most_seats = 4
    lively = ("keep", "rob")
    all_open = False
    codec = CODEC
    levels = LEVELS

    def option_fields(self, given: Mapping[str, Any]) -> tuple[OptionField, ...]:
        return (OptionField("turns", (), 4, N_("Turns of each seat"), whole_number=True),)

    def read_options(self, given: Mapping[str, Any]) -> int:
        for name in given:
            if name != "turns":
                raise Unreadable("options.unknown", Text("There is no option {name}.", name=name))
        turns = given.get("turns", 4)
        if type(turns) is not int or not 1 <= turns <= 100:
            raise Unreadable("options.value", Text("The turns are 1 to 100, not {given}.", given=str(turns)))
        return turns

    def write_options(self, options: int) -> dict[str, Any]:
        return {} if options == 4 else {"turns": options}

    def open(self, options: int, seats: Sequence[str], chance: Chance) -> tuple[Event, ...]:
        return self.begin(Opened(tuple(seats), options, chance.shuffle("pile", sorted(CARDS))), chance)

    def begin(self, opened: Opened, chance: Chance) -> tuple[Event, ...]:
        return (opened,)

    # -- the game --

    def apply(self, s: State | None, e: Any) -> State:
        if isinstance(e, Opened):
            hands = {seat: Side(tuple(sorted(e.order[i * HAND : (i + 1) * HAND]))) for i, seat in enumerate(e.seats)}
            return State(e.turns, e.seats, hands, e.order[len(e.seats) * HAND :])
        assert s is not None
        match e:
            case Kept():
                side = s.sides[e.seat]
                side = Side(without(side.hand, e.card), tuple(sorted((*side.kept, e.card))))
                return replace(s, sides={**s.sides, e.seat: side}, actions=s.actions - 1)
            case Dropped():
                return replace(self._lose(s, e.seat, e.cards), actions=s.actions - 1)
            case Asked():
                return replace(s, asked=e.seat, actions=s.actions - 1)
            case Answered():
                s = replace(s, asked=None)
                if e.how == "yield":
                    side, by = s.sides[e.seat], s.sides[e.by]
                    return replace(
                        s,
                        sides={
                            **s.sides,
                            e.seat: replace(side, hand=without(side.hand, e.card)),
                            e.by: replace(by, hand=tuple(sorted((*by.hand, e.card)))),
                        },
                    )
                return self._lose(s, e.seat, (e.card,)) if e.how == "block" else s
            case Peeked():
                return replace(s, peeked=True)
            case Shuffled():
                return replace(s, pile=e.order, discard=())
            case Refilled():
                side = s.sides[e.seat]
                side = replace(side, hand=tuple(sorted(side.hand + e.cards)))
                return replace(s, sides={**s.sides, e.seat: side}, pile=s.pile[len(e.cards) :])
            case TurnEnded():
                return replace(s, turn=s.turn + 1, actions=2, peeked=False)
            case GameEnded():
                return replace(s, outcome=e.outcome)
        raise TypeError(f"no event: {e!r}")

    @staticmethod
    def _lose(s: State, seat: str, cards: tuple[str, ...]) -> State:
        side = s.sides[seat]
        side = replace(side, hand=without(side.hand, *cards))
        return replace(s, sides={**s.sides, seat: side}, discard=tuple(sorted(s.discard + cards)))

    def decision(self, s: State) -> Decision | None:
        if s.outcome:
            return None
        if s.asked:
            return Decision(s.asked, "rob", s.on_turn, s.turn)
        return Decision(s.on_turn, "action", s.on_turn, s.turn)

    def outcome(self, s: State) -> Outcome | None:
        return s.outcome

    def legal(self, s: State) -> list[Any]:
        return legal(s)

    def impossible(self, s: State, possible: Container[str] = ()) -> list[tuple[str, IllegalAction]]:
        if s.outcome or s.asked or s.sides[s.on_turn].hand:
            return []
        return [("keep", IllegalAction("keep.no_cards", Text("Your hand is empty.")))]

    def check(self, s: State, seat: str, action: Any) -> None:
        due = self.decision(s)
        if due is None or due.seat != seat:
            raise NotToDecide("seat.not_to_decide", Text("It is not yours to decide now."))
        hand = s.sides[seat].hand
        if isinstance(action, (Yield, Block, Nothing)) != (due.kind == "rob"):
            raise NotToDecide("kind.other", Text("Another kind of decision is due now."))
        if isinstance(action, (Keep, Yield, Block)) and action.card not in hand:
            raise IllegalAction("card.not_in_hand", Text("{card} is not in your hand.", card=Name("card", action.card)))
        if isinstance(action, Drop) and (not action.cards or not set(action.cards) <= set(hand)):
            raise IllegalAction("drop.not_in_hand", Text("Not all of these cards are in your hand."))
        if isinstance(action, Block) and not action.card.startswith("oak"):
            raise IllegalAction("block.no_oak", Text("Only an oak blocks."), rule="R3")
        if isinstance(action, Nothing) and hand:
            raise IllegalAction("nothing.cards", Text("You have a card to yield."))
        if isinstance(action, Rob) and (action.seat == seat or action.seat not in s.seats):
            raise IllegalAction("rob.seat", Text("That seat cannot be robbed."))
        if isinstance(action, Peek) and (s.peeked or not s.pile):
            raise IllegalAction("peek.again", Text("There is nothing more to see this turn."))
        if isinstance(action, (Keep, Drop, Rob)) and not s.actions:
            raise IllegalAction("actions.none_left", Text("Both actions are used; write “end”."))
        if isinstance(action, End) and s.actions:
            raise IllegalAction("end.actions_left", Text("You have an action left."))

    def unfold(self, s: State, seat: str, action: Any, chance: Chance) -> list[tuple[Any, State]]:
        self.check(s, seat, action)
        h: Happenings[State, Event] = Happenings(s, self.apply, chance)
        match action:
            case Keep(card):
                h.add(Kept(seat, card))
            case Drop(cards):
                h.add(Dropped(seat, cards))
            case Rob(target):
                h.add(Asked(target, seat))
            case Yield(card):
                h.add(Answered(seat, s.on_turn, "yield", card))
            case Block(card):
                h.add(Answered(seat, s.on_turn, "block", card))
            case Nothing():
                h.add(Answered(seat, s.on_turn, "nothing", None))
            case Peek():
                h.add(Peeked(seat, s.pile[0]))
            case End():
                self._end(h, seat)
        return list(zip(h.events, h.states, strict=True))

    def _end(self, h: Happenings[State, Event], seat: str) -> None:
        need = max(0, HAND - len(h.state.sides[seat].hand))
        if len(h.state.pile) < need and h.state.discard:
            h.add(Shuffled(h.shuffle("pile", sorted(h.state.pile + h.state.discard))))
        cards = h.state.pile[:need]
        h.add(Refilled(seat, tuple(sorted(cards, key=cards.index)), len(cards)))
        last = h.state.turn == h.state.turns * len(h.state.seats)
        h.add(TurnEnded(seat))
        if last:
            scores = self.scores(h.state)
            best = max(scores.values())
            h.add(GameEnded(Outcome(tuple(s for s in h.state.seats if scores[s] == best), "points", scores)))

    def scores(self, s: State) -> dict[str, int]:
        return {seat: sum(int(card[-1]) for card in side.kept) for seat, side in s.sides.items()}

    def forced(self, s: State) -> Any | None:
        return Nothing() if s.asked and not s.sides[s.asked].hand else None

    def reveals(self, s: State, action: Any) -> bool:
        return isinstance(action, (Rob, Peek, End, Yield, Block, Nothing))

    # -- who may know what --

    def view(self, s: State, seat: str | None) -> dict[str, Any]:
        sides = {}
        for other, side in s.sides.items():
            sides[other] = {"kept": list(side.kept), "cards": len(side.hand)}
            if other == seat:
                sides[other]["hand"] = list(side.hand)
        return {
            "sides": sides,
            "scores": self.scores(s),
            "pile": len(s.pile),
            "discard": len(s.discard),
            "turn": s.turn,
            "on_turn": s.on_turn,
            "actions": s.actions,
        }

    def seen_by(self, e: Any, seat: str | None) -> Any | None:
        match e:
            case Opened():
                return None
            case Answered() if e.how == "yield" and seat not in (e.seat, e.by):
                return replace(e, card=None)
            case Peeked() if e.seat != seat:
                return replace(e, card=None)
            case Shuffled():
                return Shuffled(None)
            case Refilled() if e.seat != seat:
                return replace(e, cards=None)
        return e

    def worlds(self, s: State, seat: str) -> Iterator[State]:
        """All that lies hidden, one place further on in a row of it, for each number of places."""
        others = [other for other in s.seats if other != seat]
        row = [card for other in others for card in s.sides[other].hand] + [*s.pile, *s.discard]
        for n in range(1, len(row)):
            turned = row[n:] + row[:n]
            sides = dict(s.sides)
            for other in others:
                count = len(sides[other].hand)
                sides[other] = replace(sides[other], hand=tuple(sorted(turned[:count])))
                turned = turned[count:]
            pile, discard = tuple(turned[: len(s.pile)]), tuple(sorted(turned[len(s.pile) :]))
            yield replace(s, sides=sides, pile=pile, discard=discard)

    def may_tell(self, before: State, action: Any, events: Sequence[Any], after: State) -> tuple[str, ...]:
        """Nobody by a robbery and by what an empty hand answers; by what is drawn who draws, by a card all others."""
        actor = before.asked or before.on_turn
        if isinstance(action, (Rob, Nothing)):
            return ()
        if isinstance(action, (Peek, End)):
            return (actor,)
        return tuple(seat for seat in before.seats if seat != actor)

    def imagined(self, s: State, seat: str) -> State:
        """The others hold every card that lies hidden."""
        others = [other for other in s.seats if other != seat]
        unseen = tuple(sorted([card for other in others for card in s.sides[other].hand] + [*s.pile, *s.discard]))
        sides = {other: side if other == seat else replace(side, hand=unseen) for other, side in s.sides.items()}
        return replace(s, sides=sides, pile=(), discard=())

    # -- words --

    def read(self, s: State, seat: str, line: str) -> Any:
        verb, _, rest = " ".join(line.lower().split()).partition(" ")
        cards = tuple(sorted(part.strip() for part in rest.split(","))) if rest else ()
        alone = {"peek": Peek, "end": End, "nothing": Nothing}
        with_card = {"keep": Keep, "yield": Yield, "block": Block}
        if verb in alone and not rest:
            return alone[verb]()
        if verb == "rob" and rest in SEATS:
            return Rob(rest)
        for card in cards:
            if card not in CARDS:
                raise Unreadable("name.unknown", Text("“{word}” is not a card.", word=card), word=(0, len(line)))
        if verb in with_card and len(cards) == 1:
            return with_card[verb](cards[0])
        if verb == "drop" and cards:
            return Drop(cards)
        raise Unreadable("line.unknown", Text("“{line}” cannot be read.", line=line[:40]))

    def write(self, s: State, action: Any) -> str:
        match action:
            case Drop(cards):
                return "drop " + ", ".join(cards)
            case Rob(seat):
                return f"rob {seat}"
            case Keep(card) | Yield(card) | Block(card):
                return f"{type(action).__name__.lower()} {card}"
        return type(action).__name__.lower()

    def sentence(self, e: Any) -> Text | None:
        seat = Name("seat", getattr(e, "seat", ""))
        match e:
            case Kept():
                return Text("{seat} kept {card}.", seat=seat, card=Name("card", e.card))
            case Dropped():
                return Text("{seat} dropped {cards}.", seat=seat, cards=names("card", e.cards))
            case Asked():
                return Text("{by} robbed {seat}.", by=Name("seat", e.by), seat=seat)
            case Answered():
                card = Name("card", e.card or "?")
                return Text("{seat} answered: {how} {card}.", seat=seat, how=e.how, card=card)
            case Peeked():
                return Text("{seat} looked at {card}.", seat=seat, card=Name("card", e.card or "?"))
            case Refilled() if e.cards is not None:
                return Text("{seat} drew {cards}.", seat=seat, cards=names("card", e.cards))
            case Refilled():
                return Text("{seat} drew {n} cards.", seat=seat, n=e.count)
            case GameEnded():
                return Text("The ferry is {winners}’s.", winners=names("seat", e.outcome.winners))
        return None

    def board(self, view: Mapping[str, Any], speaker: Speaker, *, faces: bool = False) -> str:
        lines = [Text("Pile: {pile}. Discards: {discards}.", pile=view["pile"], discards=view["discard"])]
        for seat, side in view["sides"].items():
            who, n = Name("seat", seat), side["cards"]
            lines.append(Counted("{seat}: {n} card in hand.", "{seat}: {n} cards in hand.", n=n, seat=who))
            if side["kept"]:
                lines.append(Text("{seat} has kept {cards}.", seat=who, cards=names("card", side["kept"])))
            if side.get("hand"):
                lines.append(Text("You hold {cards}.", cards=names("card", side["hand"])))
        return "\n".join([say(line, speaker) for line in lines])

    # -- answers ahead of time --

    def read_standing(self, lines: Sequence[str]) -> tuple[str, ...]:
        for line in lines:
            words = line.split()
            if len(words) != 3 or words[:2] != ["rob", "block"] or words[2] not in CARDS:
                raise Unreadable("standing.unknown", Text("“{line}” is not a standing order of Ferry.", line=line[:40]))
        return tuple(line.split()[2] for line in lines)

    def write_standing(self, orders: tuple[str, ...]) -> list[str]:
        return [f"rob block {card}" for card in orders]

    def standing_answer(self, s: State, seat: str, orders: tuple[str, ...]) -> Any | None:
        if s.asked != seat:
            return None
        return next((Block(card) for card in orders if card in s.sides[seat].hand), None)

    # -- records --

    def heading_of_record(self, opened: Opened, *, secrets: bool) -> dict[str, Any]:
        options, seats = self.write_options(opened.turns), list(opened.seats)
        return {"options": options, "seats": seats, "setup": {"order": list(opened.order)} if secrets else {}}

    def opened_from_record(self, options: int, seats: Sequence[str], setup: Mapping[str, Any]) -> Opened:
        order = setup.get("order")
        if not isinstance(order, list) or sorted(map(str, order)) != sorted(CARDS):
            raise Unreadable("setup.order", Text("The setup is not the cards of Ferry."))
        return Opened(tuple(seats), options, tuple(order))

    def after(self, s: State) -> dict[str, Any]:
        sides = {seat: {"hand": list(side.hand), "kept": list(side.kept)} for seat, side in s.sides.items()}
        return {"sides": sides, "pile": list(s.pile), "discard": list(s.discard)}

    def chance_of(self, event: Any) -> str | None:
        return "shuffle pile: " + ", ".join(event.order) if isinstance(event, Shuffled) else None

    def end_of_steps(self, s: State) -> Any | None:
        return End() if s.outcome is None and not s.asked and not s.actions else None

    def actions_left(self, s: State) -> int:
        return s.actions

    def check_invariants(self, s: State) -> None:
        cards = [card for side in s.sides.values() for card in side.hand + side.kept]
        assert sorted([*cards, *s.pile, *s.discard]) == sorted(CARDS)


FERRY = Ferry()
