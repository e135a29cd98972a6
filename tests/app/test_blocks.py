"""Block and mute: who cannot sit together, and what is folded away."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from app.clocks.pace import DEFAULT
from app.db import Database
from app.models import Block, GameSeat, Invitation, OutboxMail, Player
from app.services import blocks, invitations, results, tables, talk
from app.services.people import NotAccepted, find_or_add
from app.services.tables import Chair
from app.speech import Voice
from app.work import Work
from tests.support.tables import NOW, address, load, start


def person(database: Database, who: str) -> int:
    with Work(database) as work:
        player = find_or_add(work.session, address(who), now=NOW)
        work.commit()
        assert player.id is not None
        return player.id


def table(database: Database, host: int, *chairs: Chair) -> int:
    return tables.create(
        database, host, "ferry", [Chair("red", "me"), *chairs], options={}, pace=DEFAULT, drawn=False, now=NOW
    )


def count(database: Database, model: type) -> int:
    with database.read() as connection:
        return int(connection.scalar(sa.select(sa.func.count()).select_from(model)) or 0)


@pytest.mark.parametrize("blocker", ["alice", "bob"])
def test_a_block_keeps_both_from_every_table_of_the_other(database: Database, blocker: str) -> None:
    alice, bob = person(database, "alice"), person(database, "bob")
    open_table = table(database, alice, Chair("blue", "open"))
    me, other = (alice, bob) if blocker == "alice" else (bob, alice)
    blocks.settle(database, me, other, ["block"], now=NOW)
    mails = count(database, OutboxMail)
    said = set()
    for attempt in (
        lambda: tables.join(database, open_table, 1, bob, now=NOW),
        lambda: table(database, bob, Chair("blue", "mail", address("alice"))),
        lambda: table(database, alice, Chair("blue", "mail", address("bob"))),
        lambda: tables.offer(database, alice, open_table, 1, "mail", address("bob"), now=NOW),
    ):
        with pytest.raises(NotAccepted) as no:
            attempt()
        assert no.value.code == "seat.apart"
        said.add(Voice("en").say(no.value.why))
    assert len(said) == 1  # nobody learns from the words who has blocked whom
    assert count(database, OutboxMail) == mails
    blocks.settle(database, me, other, [], now=NOW)
    assert count(database, Block) == 0
    tables.join(database, open_table, 1, bob, now=NOW)


def test_an_invitation_made_before_and_a_private_link_give_no_seat(database: Database) -> None:
    alice, bob = person(database, "alice"), person(database, "bob")
    mailed = table(database, alice, Chair("blue", "mail", address("bob")))
    private = table(database, alice, Chair("blue", "link"))
    blocks.settle(database, alice, bob, ["block"], now=NOW)
    with database.read() as connection:
        ids = {row.game_id: row.id for row in connection.execute(sa.select(Invitation.game_id, Invitation.id))}
    with pytest.raises(NotAccepted):
        invitations.accept(database, ids[mailed], bob, now=NOW)
    with pytest.raises(NotAccepted):
        invitations.accept(database, ids[private], None, sits=bob, now=NOW)
    with database.read() as connection:
        seated = connection.scalars(sa.select(GameSeat.player_id).where(GameSeat.seat == "blue")).all()
    assert seated == [None, None]


def test_two_who_do_not_want_to_meet_do_not_meet_at_the_table_of_a_third(database: Database) -> None:
    carol, alice, bob = person(database, "carol"), person(database, "alice"), person(database, "bob")
    blocks.settle(database, alice, bob, ["block"], now=NOW)
    game_id = table(database, carol, Chair("blue", "open"), Chair("green", "open"))
    tables.join(database, game_id, 1, alice, now=NOW)
    with pytest.raises(NotAccepted):
        tables.join(database, game_id, 2, bob, now=NOW)


def test_a_game_that_has_begun_goes_on_but_has_no_rematch(database: Database) -> None:
    game_id = start(database)
    alice, bob = person(database, "alice"), person(database, "bob")
    blocks.settle(database, bob, alice, ["block"], now=NOW)
    results.resign(database, game_id, alice, now=NOW)
    with pytest.raises(NotAccepted) as no:
        results.rematch(database, game_id, alice, now=NOW)
    assert no.value.code == "seat.apart"


def test_muted_talk_is_marked_for_one_reader_only(database: Database) -> None:
    game_id = start(database)
    alice, bob = person(database, "alice"), person(database, "bob")
    talk.say(database, game_id, bob, "hello", now=NOW)
    talk.say(database, game_id, alice, "hi", now=NOW)
    blocks.settle(database, alice, bob, ["mute"], now=NOW)
    game = load(database, game_id)
    with database.read() as connection:
        to_alice = talk.talk_of(connection, game, "red").messages
        to_bob = talk.talk_of(connection, game, "blue").messages
    assert [m.is_muted for m in to_alice] == [True, False]
    assert [m.is_muted for m in to_bob] == [False, False]


def test_nobody_blocks_themselves_or_nobody(database: Database) -> None:
    alice = person(database, "alice")
    for other in (alice, alice + 1):
        with pytest.raises(NotAccepted):
            blocks.settle(database, alice, other, ["block"], now=NOW)
    with pytest.raises(NotAccepted):
        blocks.settle(database, alice, person(database, "bob"), ["hate"], now=NOW)
    assert count(database, Block) == 0 and count(database, Player) == 2


def test_whom_one_has_met_is_listed_with_what_is_set(database: Database) -> None:
    start(database)
    alice, bob, carol = person(database, "alice"), person(database, "bob"), person(database, "carol")
    table(database, carol, Chair("blue", "mail", address("alice")))
    dora = person(database, "dora")
    blocks.settle(database, alice, dora, ["block", "mute"], now=NOW)
    blocks.settle(database, alice, bob, ["mute"], now=NOW)
    with database.read() as connection:
        listed = {one.id: (one.blocked, one.muted) for one in blocks.met(connection, alice)}
        of_dora = blocks.met(connection, dora)
    assert listed == {bob: (False, True), dora: (True, True), carol: (False, False)}
    assert of_dora == []
