"""Makes the records in tests/records/acres: `python -m tests.records.make_acres` (half a minute).

Ends on points come from random games; capitals fall to players who steer for them while the other side mostly passes.
Every game is chosen by its seed, so that the same program makes the same records.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from engine.acres import ACRES
from engine.acres import actions as act
from engine.acres.data import OTHER, TRACK
from engine.acres.state import State
from engine.kernel import records
from engine.kernel.records import Entry
from engine.kernel.title import Choice
from tests.support.acres_games import pick, random_game

FOLDER = Path(__file__).resolve().parents[1] / "records" / "acres"
EDITIONS = ("first", "first-revised", "second")

Choose = Callable[[random.Random, State], Any]
Game = tuple[State, list[Entry]]

SLOW = {"first": (24, 29), "first-revised": (104, 109), "second": (74, 79)}
"""Seeds among which a random game ends by placed villages, which is rare."""
SOLDIERS = ("siege-artillery", "regular-infantry", "militia", "rangers", "coureurs-de-bois", "ships")
ROADS = {  # places that lead on to the enemy's capitals, the capitals first
    "british": ("quebec", "louisbourg", "tadoussac", "trois-rivieres", "gaspe", "halifax", "port-royal", "canso"),
    "french": ("boston", "new-york", "pemaquid", "halifax"),
}


def actions(state: State) -> list[Any]:
    """All legal actions, choices with as few cards as possible."""
    found: list[Any] = []
    for entry in ACRES.legal(state):
        found += entry.smallest() if isinstance(entry, Choice) else [entry]
    return found


def first_of(wishes: Iterable[list[Any]], source: random.Random) -> Any | None:
    return next((source.choice(wish) for wish in wishes if wish), None)


def attack(source: random.Random, state: State) -> Any:
    """Take the enemy's capital by a siege."""
    due = ACRES.decision(state)
    assert due is not None
    seat = due.seat
    may = actions(state)
    roads = ROADS[seat]

    def those(kind: type, fits: Callable[[Any], bool] = lambda action: True) -> list[Any]:
        return [action for action in may if isinstance(action, kind) and fits(action)]

    besieged = state.sieges.get(seat)
    wishes = [those(act.Occupy), those(act.Leave)]
    wishes += [those(act.Besiege, lambda a, goal=goal: a.place == goal) for goal in roads]
    wishes += [those(act.Reinforce, lambda a: besieged is not None and a.place == besieged.place)]
    wishes += [those(act.Settle, lambda a: a.place in roads)]
    if source.random() < 0.6:
        wishes += [those(act.Draft, lambda a, card=card: a.card == card) for card in SOLDIERS]
    wishes += [those(act.TakeMoney) + those(act.Merchant) + those(act.Trade)]
    # Cards of places that lead nowhere make room for others.
    wishes += [those(act.Discard, lambda a: not set(a.cards) & {*SOLDIERS, *roads})]
    return first_of(wishes, source) or pick(source, state)


def raid_and_settle(source: random.Random, state: State) -> Any:
    """Raid the enemy's capital to neutral and settle it."""
    goals = ROADS["french"][:2]
    may = actions(state)
    wishes = [[a for a in may if isinstance(a, act.Settle) and a.place in goals]]
    if state.board.owner("pemaquid") == "french":  # the card that leads to Boston is in the deck
        wishes.append([a for a in may if isinstance(a, act.Raid) and a.place == "boston"])
        wishes.append([a for a in may if isinstance(a, act.Settle) and a.place == "fort-halifax"])
        if state.neutral.count("native-americans") > 2:
            wishes.append([a for a in may if isinstance(a, act.Draft) and a.card == "native-americans"])
        keep = {"pemaquid", "louisbourg", "quebec", "native-americans", "tadoussac", "ships"}
        wishes.append([a for a in may if isinstance(a, act.Govern | act.Discard) and not keep & set(a.cards)])
        return first_of(wishes, source) or source.choice([a for a in may if not isinstance(a, act.Besiege)])
    found = attack(source, state)
    return act.Pass() if isinstance(found, act.Besiege) and found.place in goals else found


def brawl(source: random.Random, state: State) -> Any:
    """Besiege whatever can be besieged, and reinforce on either side."""
    may = actions(state)
    wishes = [
        [a for a in may if isinstance(a, act.Besiege)],
        [a for a in may if isinstance(a, act.Reinforce) and source.random() < 0.7],
        [a for a in may if isinstance(a, act.Draft) and a.card in SOLDIERS and source.random() < 0.6],
        [a for a in may if isinstance(a, act.TakeMoney)],
    ]
    return first_of(wishes, source) or pick(source, state)


def bluff(source: random.Random, state: State) -> Any:
    """Besiege Louisbourg weakly, at the moment at which a place of one's own is about to fall."""
    may = [action for action in actions(state) if not isinstance(action, act.Reinforce)]
    sieges = [a for a in may if isinstance(a, act.Besiege) and a.place == "louisbourg" and a.force == "militia"]
    threat = state.sieges.get("french")
    if sieges and state.actions_left == 2 and (threat is None or threat.strength < 2):
        return act.Pass()  # the cards wait in the hand
    wishes = [
        sieges if threat is not None and threat.strength >= 2 else [],
        [a for a in may if isinstance(a, act.Settle) and a.place == "halifax"],
        [a for a in may if isinstance(a, act.Draft) and a.card == "militia" and state.turn < 20],
        [a for a in may if isinstance(a, act.Discard) and not {"halifax", "ships", "militia"} & set(a.cards)],
    ]
    return first_of(wishes, source) or source.choice([a for a in may if not isinstance(a, act.Besiege)])


def idle(source: random.Random, state: State) -> Any:
    """Do nothing in your own turn, give in to raids, answer as needed."""
    may = actions(state)
    quiet = [action for action in may if isinstance(action, act.Pass | act.End | act.Allow | act.Leave)]
    return source.choice(quiet or may)


def giving_up_capitals(source: random.Random, state: State) -> Any:
    """Like `idle`, but withdraw from the siege of your own capital."""
    may = actions(state)
    out = [a for a in may if isinstance(a, act.Withdraw) and a.place in ("boston", "new-york", "quebec")]
    return source.choice(out) if out else idle(source, state)


def sides(british: Choose, french: Choose) -> Choose:
    """Let each side play in its own way."""

    def choose(source: random.Random, state: State) -> Any:
        due = ACRES.decision(state)
        assert due is not None
        return (british if due.seat == "british" else french)(source, state)

    return choose


def shortest(
    wanted: Callable[[State, list[Entry]], bool], seeds: Iterable[int], choose: Choose = pick, **options: Any
) -> Game:
    """Return the game with the fewest turns among those that are wanted."""
    found: Game | None = None
    for seed in seeds:
        end, log = random_game(seed, choose=choose, most=700, **options)
        if wanted(end, log) and (found is None or end.turn < found[0].turn):
            found = end, log
    assert found is not None, f"no game of {options} is as wanted"
    return found


def on_points(*trigger: str) -> Callable[[State, list[Entry]], bool]:
    def wanted(end: State, log: Sequence[Entry]) -> bool:
        return end.outcome is not None and end.outcome.detail.get("trigger") == trigger

    return wanted


def home_taken(action: type, *places: str) -> Callable[[State, list[Entry]], bool]:
    """Match games that end with such an action, by which one of these capitals fell."""

    def wanted(end: State, log: Sequence[Entry]) -> bool:
        return (
            end.outcome is not None and end.outcome.detail.get("where") in places and isinstance(log[-1].action, action)
        )

    return wanted


def by_siege(*places: str) -> Callable[[State, list[Entry]], bool]:
    """Match games in which the capital fell as a turn began."""

    def wanted(end: State, log: Sequence[Entry]) -> bool:
        ends_turn = any(event.ends_turn for event in log[-1].events)
        return end.outcome is not None and end.outcome.detail.get("where") in places and ends_turn

    return wanted


def cut(game: Game, entries: int, how: Callable[[State], tuple[Any, ...]] | None = None) -> list[Entry]:
    """Return the beginning of a game's log, ended from outside if requested."""
    log = game[1][:entries]
    state: Any = None
    for entry in log:
        for event in entry.events:
            state = ACRES.apply(state, event)
    return [*log, Entry(None, None, how(state))] if how else log


def until(game: Game, test: Callable[[Entry, State], bool], more: int = 12) -> list[Entry]:
    """Return the log up to some entries after the first match."""
    state: Any = None
    for number, entry in enumerate(game[1], 1):
        before = state
        for event in entry.events:
            state = ACRES.apply(state, event)
        if before is not None and test(entry, before):
            return cut(game, min(number + more, len(game[1])))
    raise AssertionError("no such step")


def with_step(
    test: Callable[[Entry, State], bool], seeds: Iterable[int], choose: Choose = pick, **options: Any
) -> list[Entry]:
    """Return the beginning of a game in which such a step occurs, the shortest of these seeds."""
    found: list[list[Entry]] = []
    for seed in seeds:
        game = random_game(seed, choose=choose, most=700, **options)
        try:
            found.append(until(game, test))
        except AssertionError:
            continue
    return min(found, key=len)


def said(kind: type, decision: str = "action", fits: Callable[[Any, State], bool] = lambda action, state: True) -> Any:
    """Match steps with such an action, in answer to such a decision."""

    def test(entry: Entry, state: State) -> bool:
        due = ACRES.decision(state)
        return isinstance(entry.action, kind) and due is not None and due.kind == decision and fits(entry.action, state)

    return test


def ends(edition: str) -> dict[str, list[Entry]]:
    """Return one game for each way to end."""
    made = {
        "towns-placed": shortest(on_points("towns-placed"), range(90, 130), edition=edition)[1],
        "villages-placed": shortest(on_points("villages-placed"), range(*SLOW[edition]), edition=edition)[1],
        "captured-points": shortest(on_points("captured-points"), range(85, 135), edition=edition)[1],
        "quebec-besieged": shortest(by_siege("quebec"), range(60), sides(attack, idle), edition=edition)[1],
        "boston-besieged": shortest(by_siege("boston", "new-york"), range(60), sides(idle, attack), edition=edition)[1],
        "capital-withdrawn": shortest(
            home_taken(act.Withdraw, "boston", "new-york"),
            range(60),
            sides(giving_up_capitals, attack),
            edition=edition,
        )[1],
    }
    if edition == "second":
        made["boston-settled"] = shortest(
            home_taken(act.Settle, "boston"), range(150), sides(idle, raid_and_settle), edition=edition
        )[1]
    game = random_game(1, edition=edition)
    made["resignation"] = cut(game, 40, lambda state: ACRES.resign(state, "french"))
    made["time"] = cut(game, 30, lambda state: ACRES.conclude(state, "time", [OTHER[ACRES.decision(state).seat]]))
    made["agreed"] = cut(game, 25, lambda state: ACRES.conclude(state, "agreed", []))
    made["running"] = cut(game, 35)
    return made


def rare_steps() -> dict[str, list[Entry]]:
    """Return beginnings of games with steps that are rare in random play."""
    seeds = range(150)
    reach = {"edition": "second", "ambush_reaches_siege_cards": True}

    def in_a_siege(action: Any, state: State) -> bool:
        return action.source not in ("hand", "reserve")

    def not_on_turn(action: Any, state: State) -> bool:
        due = ACRES.decision(state)
        return due is not None and due.seat != due.on_turn

    def own_place(action: Any, state: State) -> bool:
        return action.place in state.board.holdings

    def beyond_the_track(entry: Entry, state: State) -> bool:
        return any(not TRACK[attacker][0] <= on.strength <= TRACK[attacker][1] for attacker, on in state.sieges.items())

    def lifts(entry: Entry, state: State) -> bool:
        return any(getattr(event, "lifted", None) for event in entry.events)

    return {
        "ambush-blocked": with_step(said(act.Block, "ambush"), range(60), edition="second"),
        "ambush-into-a-siege": with_step(said(act.Lose, "ambush", in_a_siege), seeds, **reach),
        "two-sieges-end": with_step(
            said(act.Lose, "siege-loss", lambda a, s: s.two_due), range(120), sides(bluff, attack), edition="second"
        ),
        "defender-withdraws-occupied": with_step(
            said(act.Occupy, "conquest", not_on_turn), seeds, edition="second"
        ),
        "defender-withdraws-left": with_step(said(act.Leave, "conquest", not_on_turn), seeds, edition="first"),
        "card-settled-for-again": with_step(said(act.Settle, "action", own_place), seeds, edition="first-revised"),
        "raid-lifts-a-siege": with_step(lifts, seeds, edition="first"),
        "siege-lifted-before-the-end": random_game(311, edition="first-revised")[1],
        "track-open": with_step(
            beyond_the_track, range(1220, 1226), sides(brawl, brawl), edition="second", siege_track="open",
        ),
    }  # fmt: skip


def write(name: str, log: list[Entry]) -> None:
    data = records.export(ACRES, log)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for edition in EDITIONS:
        for name, log in ends(edition).items():
            write(f"{edition}-{name}", log)
    for name, log in rare_steps().items():
        write(f"rare-{name}", log)


if __name__ == "__main__":
    main()
