"""The numbered seeds of the server: made before the first game, taken in the order of their numbers.

A number is bound to a game when its table is opened, and a whole block to an event when its sign-up opens; what starts
later uses what was bound. Numbers have no gaps, and each block stays publicly visible.
"""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process.jobs import job
from app.base.process.lent import nothing_open
from app.base.stored.database import Database, insert_into
from app.games.seed_tables import SeedBlock, SeedCount, SeedTree, SeedUse
from app.games.tables import Game
from engine.kernel import seeds
from engine.kernel.records import Place

EVENT_BLOCK = 256
"""Numbers that an event gets at once; it gets more when half of them are used."""
LEAST_LEFT = 8
"""The next tree is made when less than this part (one in so many) of the newest one's numbers is left."""


A_MILLION = 1 << 20


def new_secret() -> bytes:
    """Return a new secret, from which the seeds of one tree follow."""
    return secrets.token_bytes(seeds.HASH)


_of_new_trees = {"count": A_MILLION}


def make_trees_of(count: int) -> None:
    """Set how many numbers the trees made by this process hold from now on, a power of two."""
    _of_new_trees["count"] = count


# -- making them --------------------------------------------------------------------------------------


@job("seeds", every=3600, at_once=False)
def set_up(database: Database, now: datetime) -> bool:
    """Make the first tree, or the next one when few numbers are left; return whether one was made. Takes some seconds
    for a million numbers, during which nobody waits for the database."""
    with database.read() as session:
        first = _first_missing(session)
    if first is None:
        return False
    nothing_open("seeds are made")
    tree = _grown(first, now)
    with database.write() as session:
        _given(session, 0)  # locks: two processes may come here at once
        if _first_missing(session) != first:
            return False
        session.add(tree)
    return True


def _first_missing(session: Session) -> int | None:
    """Return the first number of the tree that should be made now; None while there are enough."""
    given = session.scalar(sa.select(col(SeedCount.given))) or 0
    newest = session.exec(select(SeedTree.first, SeedTree.count).order_by(col(SeedTree.first).desc()).limit(1)).first()
    if newest is None:
        return 1  # also if some are already taken: sign-up to an event may open before anything else
    after = newest[0] + newest[1]
    return after if after - 1 - given < newest[1] // LEAST_LEFT else None


def _grown(first: int, now: datetime, most: int | None = None) -> SeedTree:
    """Return a tree from a number on, of the usual size, or the largest with at most so many numbers."""
    secret, count = new_secret(), _of_new_trees["count"]
    if most is not None:
        count = min(count, 1 << (most.bit_length() - 1))
    tops = list(seeds.tops_of_slices(secret, first, count))
    root = seeds.root_of(first, count, tops)
    return SeedTree(first=first, count=count, secret=secret.hex(), tops=b"".join(tops).hex(), root=root, made_at=now)


# -- taking them --------------------------------------------------------------------------------------


def _given(session: Session, more: int) -> int:
    """Return the last number given so far, after giving so many more. Others wait until the end of the transaction, so
    that numbers have no gaps."""
    count = sa.update(SeedCount).values(given=SeedCount.given + more).returning(col(SeedCount.given))
    given = session.execute(count).scalar()
    if given is None:  # the first of all, or one of several that arrive at once
        session.execute(insert_into(session, SeedCount).values(id=1, given=0).on_conflict_do_nothing())
        given = session.execute(count).scalar_one()
    return int(given)


def _take(session: Session, use: SeedUse, many: int, now: datetime, **values: int) -> SeedBlock:
    last = _given(session, many)
    block = SeedBlock(first=last - many + 1, last=last, use=use, taken_at=now, **values)
    session.add(block)
    session.flush()
    return block


class Seed(NamedTuple):
    """A seed in hexadecimal, and its number."""

    number: int
    seed: str


def _seeds(session: Session, first: int, last: int, now: datetime) -> list[Seed]:
    """Return the seeds with these numbers, which were taken."""
    seeds_of_tree: list[Seed] = []
    while first <= last:
        tree_first, count, secret = _tree_of(session, first, now)
        until = min(last, tree_first + count - 1)
        key = bytes.fromhex(secret)
        seeds_of_tree += [Seed(number, seeds.seed_of(key, number).hex()) for number in range(first, until + 1)]
        first = until + 1
    return seeds_of_tree


def seed_of(session: Session, number: int, now: datetime) -> str:
    """Return the seed with a number that was taken, in hexadecimal."""
    return seeds.seed_of(bytes.fromhex(_tree_of(session, number, now)[2]), number).hex()


def _tree_of(session: Session, number: int, now: datetime) -> tuple[int, int, str]:
    """Return first number, count and secret of the tree that a number is in."""
    asked = select(SeedTree.first, SeedTree.count, SeedTree.secret)
    find = asked.where(col(SeedTree.first) <= number, col(SeedTree.first) + col(SeedTree.count) > number)
    found = session.exec(find).first()
    while found is None:  # no process has made it yet: the first command on a new server, or a very long block
        session.add(_missing_around(session, number, now))
        session.flush()
        found = session.exec(find).first()
    return found


def _missing_around(session: Session, number: int, now: datetime) -> SeedTree:
    """Return the tree to be made next for a number without one, no larger than there is room for. An earlier version
    began its first tree after the numbers already taken, which then had none."""
    after = sa.select(sa.func.max(col(SeedTree.first) + col(SeedTree.count))).where(col(SeedTree.first) <= number)
    first = session.scalar(after) or 1
    above = session.scalar(sa.select(sa.func.min(col(SeedTree.first))).where(col(SeedTree.first) > number))
    return _grown(first, now, None if above is None else above - first)


def bind(session: Session, game_id: int, now: datetime) -> None:
    """Give a game the next number when its table is opened. Do this late in the transaction: others wait for its
    end."""
    game, block = session.get_one(Game, game_id), _take(session, SeedUse.GAME, 1, now, used=1)
    game.seed_number, game.seed = block.first, seed_of(session, block.first, now)
    session.flush()


def reserve(session: Session, event_id: int, now: datetime) -> None:
    """Bind a block of numbers to the games of an event, when its sign-up opens."""
    if _open_block(session, event_id) is None:
        _take(session, SeedUse.EVENT, EVENT_BLOCK, now, event_id=event_id)


def take_of_event(session: Session, event_id: int, many: int, now: datetime) -> list[Seed]:
    """Take the next seeds of an event, for as many games as start together. The event is locked, or its round. The next
    block is taken when half of this one is used, so that nobody can wait with a round for better numbers."""
    assert many > 0
    taken: list[Seed] = []
    while len(taken) < many:
        block = _open_block(session, event_id) or _take(session, SeedUse.EVENT, EVENT_BLOCK, now, event_id=event_id)
        first = block.first + block.used
        last = min(block.last, first + many - len(taken) - 1)
        block.used += last - first + 1
        session.flush()
        taken += _seeds(session, first, last, now)
    has_room = block.first + block.used <= block.last
    if block.used >= EVENT_BLOCK // 2 and _blocks_open(session, event_id) == int(has_room):
        _take(session, SeedUse.EVENT, EVENT_BLOCK, now, event_id=event_id)
    return taken


def _of_event(event_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    return col(SeedBlock.event_id) == event_id, col(SeedBlock.first) + col(SeedBlock.used) <= col(SeedBlock.last)


def _open_block(session: Session, event_id: int) -> SeedBlock | None:
    asked = select(SeedBlock).where(*_of_event(event_id)).order_by(col(SeedBlock.first)).limit(1).with_for_update()
    return session.exec(asked).first()


def _blocks_open(session: Session, event_id: int) -> int:
    return session.scalar(sa.select(sa.func.count()).select_from(SeedBlock).where(*_of_event(event_id))) or 0


def jump(session: Session, past: int, now: datetime) -> SeedBlock:
    """Skip this many numbers, and what events have not used, publicly: after a restore, games played since the backup
    may have had them and shown their seeds."""
    for block in session.exec(select(SeedBlock).where(col(SeedBlock.use) == SeedUse.EVENT)).all():
        if block.first + block.used <= block.last:
            left = block.last - block.first + 1 - block.used
            skipped = sa.update(SeedBlock).where(col(SeedBlock.first) == block.first)
            session.execute(skipped.values(used=block.used + left, skipped=left))
    return _take(session, SeedUse.JUMP, past, now)


# -- showing them -------------------------------------------------------------------------------------


def roots(session: Session) -> list[SeedTree]:
    """Return the roots whose numbers are being given, and the coming ones, as shown in mails. Oldest first."""
    given = session.scalar(sa.select(col(SeedCount.given))) or 0
    return [root for root in all_roots(session) if root.last > given]


def all_roots(session: Session) -> list[SeedTree]:
    """Return every root that ever existed, oldest first."""
    return list(session.exec(select(SeedTree).order_by(col(SeedTree.first))))


def place_of(session: Session, number: int, *, is_open: bool) -> Place:
    """Return where a seed stands; with the path to the root once it may be seen."""
    find = select(SeedTree).where(col(SeedTree.first) <= number, col(SeedTree.first) + col(SeedTree.count) > number)
    tree = session.exec(find).one()
    kept = bytes.fromhex(tree.tops)
    tops = [kept[at : at + seeds.HASH] for at in range(0, len(kept), seeds.HASH)]
    secret = bytes.fromhex(tree.secret)
    path = seeds.path_of(secret, tree.first, tree.count, tops, number) if is_open else ()
    return Place(number, tree.first, tree.count, tree.root, path)
