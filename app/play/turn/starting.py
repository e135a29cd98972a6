"""Starting games, and maintaining what is stored about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.clocks.pace import Pace, write_pace
from app.games import seeds
from app.games.steps import Step
from app.games.store import GameNow, GameStore, LogBroken, SeatHolder
from app.games.tables import Game, GameSeat, GameSource, GameStatus
from app.games.work import Work
from app.people.accounts import find_or_add, read_address
from app.play.fairness.proof import algorithm_of, salts_of, uses_of
from app.play.turn.moves import after_move
from app.play.turn.playing import Play, seeded
from app.time.paces import DEFAULT_PACE
from app.titles.registry import TITLES
from engine.kernel.chance import ScriptedChance
from engine.kernel.records import derive
from engine.kernel.text import Text, quoted
from engine.kernel.title import Title


def find_title(title_id: str) -> Title:
    """Return the title with this id. NotAccepted when there is none."""
    if title_id not in TITLES:
        raise NotAccepted(
            "title.unknown",
            Text(
                "There is no title “{given}”; there are {known}.",
                given=title_id[:40],
                known=quoted({id: title.name for id, title in TITLES.items()}),
            ),
        )
    return TITLES[title_id]


def new_game(
    database: Database,
    title_id: str,
    seats: Sequence[tuple[str, str]],
    *,
    options: Mapping[str, Any] | None = None,
    pace: Pace = DEFAULT_PACE,
    calendar_id: int | None = None,
    language: str = "en",
    now: datetime,
) -> int:
    """Start a game at once: `seats` are (seat, address) in turn order, `calendar_id` its holidays. Returns its number.

    Raises NotAccepted for an unknown title or address, `Unreadable` for options and seats that the title does not have.
    """
    title = find_title(title_id)
    read = title.read_options(options or {})
    names = title.check_seats([seat for seat, _ in seats])
    with Work(database) as work:
        players = [find_or_add(work.session, address, now=now, language=language) for _, address in seats]
        game = Game(
            title=title_id,
            options=title.keep_options(read),
            pace=write_pace(pace),
            calendar_id=calendar_id,
            created_at=now,
        )
        game_id = work.store.make(game, zip(names, [player.id for player in players], strict=True))
        seeds.bind(work.session, game_id, now)
        start(work, game_id, now=now)
        return game_id


def new_game_between(database: Database, title_id: str, given: Sequence[str], *, language: str, now: datetime) -> int:
    """Start a game at once between typed addresses, in the order of the seats; return its number. Raises
    NotAccepted."""
    title = find_title(title_id)
    addresses = [read_address(address) for address in given if address.strip()]
    if len({address.lower() for address in addresses}) < len(addresses):
        raise NotAccepted("table.address_twice", Text("Each address can be invited to one seat only."))
    if not title.least_seats <= len(addresses) <= title.most_seats:
        raise NotAccepted(
            "table.seats",
            Text(
                "{title} is for {least} to {most} players, and here are {n} addresses.",
                title=Text(title.name),
                least=title.least_seats,
                most=title.most_seats,
                n=len(addresses),
            ),
        )
    seats = list(zip(title.seats, addresses, strict=False))
    return new_game(database, title.id, seats, language=language, now=now)


def start(work: Work, game_id: int, *, now: datetime) -> GameNow:
    """Begin a game whose seats are taken, and ask the seat that owes the first decision."""
    game = begin(work, game_id, now=now)
    work.outbox.add(after_move(game, None), now)
    return game


def begin(work: Work, game_id: int, *, now: datetime) -> GameNow:
    """Do the same without the mail, which the caller plans: draw the sides if they are to be drawn and open the
    game."""
    row = work.session.get_one(Game, game_id)
    title = TITLES[row.title]
    drawn, seats = row.drawn, work.store.seats(game_id)
    if row.seed is None:  # a game made by a program that bound no seed to it
        seeds.bind(work.session, game_id, now)
        row = work.session.get_one(Game, game_id)
    seed = row.seed
    assert seed is not None
    play = Play(
        title, None, 0, seeded(seed, 0, seats, row.seed_number), {seated.seat: seated.standing for seated in seats}
    )
    if drawn:
        _seat_as_drawn(work, game_id, seats, play.draw_sides([seated.seat for seated in seats]))
    play.open(title.kept_options(row.options), [seated.seat for seated in seats])
    play.answer_what_needs_no_asking()
    # Drawing moves the players.
    game = work.store.begin(
        game_id,
        title,
        play.so_far,
        seed=seed,
        now=now,
        seats=None if drawn else seats,
    )
    for one in list(work.session):  # what else was read stays
        if isinstance(one, Game | GameSeat):
            work.session.expire(one)
    return game


def _seat_as_drawn(work: Work, game_id: int, seats: Sequence[SeatHolder], order: Sequence[str]) -> None:
    """Give each seat the player of the chair that was drawn for it; salts stay with the chairs."""
    sat = {seated.seat: seated.player_id for seated in seats}
    for seated, chair in zip(seats, order, strict=True):
        work.store.write_seat(game_id, seated.seat, player_id=sat[chair])


# -- the log and the state beside it -----------------------------------------------------------------


def rebuild(database: Database, game_id: int) -> bool:
    """Rebuild the stored state from the log; return whether it differed."""
    with Work(database) as work:
        game = work.store.load(game_id, for_writing=True)
        state = work.store.rebuilt(game)
        try:
            same = bool(state == game.state)
        except (KeyError, TypeError, ValueError):  # unreadable by this version: the reason to rebuild
            same = False
        if not same:
            work.store.keep_state(game, state)
        return not same


def verify(database: Database, game_id: int) -> list[int]:
    """Compare the log with the stored state and with itself; return the entries that today's rules would play
    differently. LogBroken says what is wrong.

    These are not refused: a correction of the rules leaves what has happened alone.
    """
    with database.read() as session:
        store = GameStore(session)
        game = store.load(game_id)
        log = store.log(game.title, game_id)
    numbers = [number for number, _, _ in log]
    if numbers != list(range(1, game.entries + 1)):
        raise LogBroken(f"game {game_id}: the log has the entries {numbers}, not 1 to {game.entries}")
    steps = [step for _, _, step in log]
    state: Any = None
    after: list[Any] = [None]
    """The state after each entry."""
    differing = []
    for number, step in enumerate(steps, 1):
        if step.back_to is not None:
            state = _taken_back(game_id, number, steps, after)
        else:
            if step.action is not None and _plays_otherwise(game.title, state, step):
                differing.append(number)
            for event in step.events:
                state = game.title.apply(state, event)
        after.append(state)
    if state != game.state:
        raise LogBroken(f"game {game_id}: the kept state is not the one that the log gives (postroad game rebuild)")
    # A game that was called off stopped where it stood.
    due = None if game.status == GameStatus.CANCELLED else game.title.decision(state)
    decides = due.seat if due else None
    if decides != game.decides:
        raise LogBroken(f"game {game_id}: the log says that {decides or 'nobody'} decides, not {game.decides}")
    used = sum(len(step.chance) for step in steps)
    if game.source == GameSource.PLAYED and used != game.chance_used:
        raise LogBroken(f"game {game_id}: the log has {used} outcomes of chance, the game {game.chance_used}")
    _check_chance(game, steps)
    game.title.check_invariants(state)
    return differing


def _check_chance(game: GameNow, steps: Sequence[Step]) -> None:
    """Raise LogBroken if an outcome does not follow from the game's seed and salts."""
    if game.seed is None:
        return
    for one in derive(bytes.fromhex(game.seed), salts_of(game), uses_of(game, steps), algorithm_of(game)):
        if one.use.items and not one.holds:
            raise LogBroken(f"game {game.id}: outcome {one.ordinal} of chance does not follow from the seed")


def _taken_back(game_id: int, number: int, steps: Sequence[Step], after: Sequence[Any]) -> object:
    """Return the state that takeback `number` restored. LogBroken if it is later than the takeback or used chance."""
    back_to = steps[number - 1].back_to
    assert back_to is not None
    if not 0 < back_to < number:
        raise LogBroken(f"game {game_id}: entry {number} takes back to {back_to}")
    if any(step.chance for step in steps[back_to : number - 1]):
        raise LogBroken(f"game {game_id}: entry {number} takes back outcomes of chance")
    return after[back_to]


def _plays_otherwise(title: Title, state: object, step: Step) -> bool:
    """Return whether today's rules make something else of a step. An earlier version ended turns itself, within their
    last step: that equals an end that was said."""
    chance = ScriptedChance(step.chance)
    try:
        events = tuple(title.play(state, step.seat or "", step.action, chance))
        if len(events) < len(step.events):
            for event in events:
                state = title.apply(state, event)
            end = title.end_of_steps(state)
            due = title.decision(state)
            if end is not None and due is not None:
                events += tuple(title.play(state, due.seat, end, chance))
    except Exception:  # a rule that has become stricter, or needs other chance: all the same here
        return True
    return bool(events != step.events)
