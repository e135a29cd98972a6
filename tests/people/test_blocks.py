"""Block and mute: who cannot sit together, and what is folded away."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from zipfile import ZipFile

import pytest
import sqlalchemy as sa

from app.account import export, feeds
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.clocks.pace import DEFAULT
from app.games.tables import GameSeat
from app.games.work import Work
from app.lobby import invitations, listing, open_games, rematch
from app.lobby.open_games import Chair
from app.people import blocks
from app.people.accounts import find_or_add
from app.people.tables import Block, Player
from app.play.agreed import results
from app.play.lists import my_games
from app.play.tables import Invitation
from app.play.turn import chat_and_notes
from tests.support.tables import NOW, address, start


def person(database: Database, who: str) -> int:
    with Work(database) as work:
        player = find_or_add(work.session, address(who), now=NOW)
        work.commit()
        assert player.id is not None
        return player.id


def table(database: Database, host: int, *chairs: Chair) -> int:
    return open_games.create(
        database,
        host,
        open_games.TableDraft(
            title_id="ferry", chairs=[Chair("red", "me"), *chairs], options={}, pace=DEFAULT, drawn=False
        ),
        now=NOW,
    )


def count(database: Database, model: type) -> int:
    with database.read() as session:
        return int(session.scalar(sa.select(sa.func.count()).select_from(model)) or 0)


def mails_to(database: Database, player_id: int) -> int:
    with database.read() as session:
        asked = sa.select(sa.func.count()).select_from(OutboxMail).where(OutboxMail.player_id == player_id)
        return int(session.scalar(asked) or 0)


def in_hand(database: Database, player_id: int) -> list[int]:
    with database.read() as session:
        return [game.id for game in my_games.current(session, player_id, NOW)]


def refused(attempt: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(NotAccepted) as no:
        attempt()
    return no.value.code, Voice("en").say(no.value.why)


@pytest.mark.parametrize("blocker", ["alice", "bob"])
def test_a_block_keeps_both_from_every_table_of_the_other(database: Database, blocker: str) -> None:
    alice, bob, carol = person(database, "alice"), person(database, "bob"), person(database, "carol")
    open_table = table(database, alice, Chair("blue", "open"))
    gone = table(database, alice, Chair("blue", "open"), Chair("green", "open"))
    open_games.join(database, gone, 1, carol, now=NOW)
    of_a_seat_that_is_gone = refused(lambda: open_games.join(database, gone, 1, person(database, "dora"), now=NOW))
    me, other = (alice, bob) if blocker == "alice" else (bob, alice)
    blocks.settle(database, me, other, ["block"], now=NOW)
    assert refused(lambda: open_games.join(database, open_table, 1, bob, now=NOW)) == of_a_seat_that_is_gone
    with database.read() as session:
        offered = {who: [one.id for one in listing.open_tables(session, who)] for who in (None, alice, bob, carol)}
    assert offered == {None: [gone, open_table], alice: [gone, open_table], bob: [], carol: [gone, open_table]}
    blocks.settle(database, me, other, [], now=NOW)
    assert count(database, Block) == 0
    open_games.join(database, open_table, 1, bob, now=NOW)


@pytest.mark.parametrize("blocker", ["alice", "bob"])
def test_an_invitation_across_a_block_is_made_like_any_other_and_reaches_nobody(
    database: Database, blocker: str
) -> None:
    alice, bob, carol = person(database, "alice"), person(database, "bob"), person(database, "carol")
    me, other = (alice, bob) if blocker == "alice" else (bob, alice)
    blocks.settle(database, me, other, ["block"], now=NOW)
    kept, plain = (table(database, alice, Chair("blue", "mail", address(guest))) for guest in ("bob", "carol"))
    third = table(database, carol, Chair("blue", "open"), Chair("green", "mail", address("bob")))
    # From now on it is kept from Bob, to whom it was mailed.
    open_games.join(database, third, 1, alice, now=NOW + timedelta(minutes=1))
    seen = []
    for game_id in (kept, plain):
        later = NOW + timedelta(minutes=1)
        open_games.offer_again(database, alice, game_id, 1, "open", now=later)
        open_games.offer_again(
            database, alice, game_id, 1, "mail", address("bob" if game_id == kept else "carol"), now=later
        )
        with database.read() as session:
            seat = listing.find(session, game_id).seats[1]
        seen.append((seat.offer, seat.name, seat.invitation_id is not None))
    assert seen == [("mail", "bob", True), ("mail", "carol", True)]
    assert (mails_to(database, bob), mails_to(database, carol)) == (1, 3), "Carol hears of the seat"
    assert in_hand(database, bob) == [] and set(in_hand(database, carol)) == {plain, third}
    with database.read() as session:
        assert feeds.asked(session, bob) == [] and len(feeds.asked(session, carol)) == 1
        # Of earlier opponents, the one who got the mail stays visible; the other does not learn of it.
        listed = {one for one, *_ in blocks.met(session, bob)}
        ids = {row.game_id: row.id for row in session.execute(sa.select(Invitation.game_id, Invitation.id))}
    assert listed == {carol} | ({alice} if blocker == "bob" else set())
    for game_id in (kept, third):
        for answer in (invitations.accept, invitations.decline):
            with pytest.raises(invitations.InvitationOver) as ended, Work(database) as work:
                answer(work, ids[game_id], bob, now=NOW)
            assert ended.value.became == "withdrawn"
    exported = json.loads(ZipFile(BytesIO(export.export(database, bob, now=NOW))).read("my-data.json"))
    assert [(one["game_id"], one["status"]) for one in exported["invitations"]] == [(third, "withdrawn")]
    mails = mails_to(database, bob)
    with Work(database) as work:
        open_games.cancel(work, alice, kept, NOW)
    with Work(database) as work:
        open_games.cancel(work, carol, third, NOW)
    assert mails_to(database, bob) == mails


def test_an_invitation_made_before_and_a_private_link_give_no_seat(database: Database) -> None:
    alice, bob = person(database, "alice"), person(database, "bob")
    mailed = table(database, alice, Chair("blue", "mail", address("bob")))
    private = table(database, alice, Chair("blue", "link"))
    assert in_hand(database, bob) == [mailed]
    blocks.settle(database, alice, bob, ["block"], now=NOW)
    with database.read() as connection:
        ids = {row.game_id: row.id for row in connection.execute(sa.select(Invitation.game_id, Invitation.id))}
    with pytest.raises(invitations.InvitationOver), Work(database) as work:
        invitations.accept(work, ids[mailed], bob, now=NOW)
    with pytest.raises(invitations.InvitationOver), Work(database) as work:
        invitations.accept(work, ids[private], None, sits=bob, now=NOW)
    with database.read() as session:
        seated = session.scalars(sa.select(GameSeat.player_id).where(GameSeat.seat == "blue")).all()
        assert listing.find(session, mailed).seats[1].name == "bob"  # to its host it waits on
    assert seated == [None, None] and in_hand(database, bob) == []


def test_two_who_do_not_want_to_meet_do_not_meet_at_the_table_of_a_third(database: Database) -> None:
    carol, alice, bob = person(database, "carol"), person(database, "alice"), person(database, "bob")
    blocks.settle(database, alice, bob, ["block"], now=NOW)
    game_id = table(database, carol, Chair("blue", "open"), Chair("green", "open"))
    open_games.join(database, game_id, 1, alice, now=NOW)
    with pytest.raises(NotAccepted):
        open_games.join(database, game_id, 2, bob, now=NOW)


def test_a_game_that_has_begun_goes_on_and_its_rematch_reaches_nobody(database: Database) -> None:
    game_id = start(database)
    alice, bob = person(database, "alice"), person(database, "bob")
    blocks.settle(database, bob, alice, ["block"], now=NOW)
    results.resign(database, game_id, alice, now=NOW)
    mails = mails_to(database, bob)
    again = rematch.offer_rematch(database, game_id, alice, now=NOW)
    assert rematch.offer_rematch(database, game_id, alice, now=NOW) == again
    assert mails_to(database, bob) == mails and again not in in_hand(database, bob)
    with database.read() as session:
        assert rematch.rematch_of(session, game_id, bob) is None
        assert rematch.rematch_of(session, game_id, alice) == again


def test_muted_talk_is_marked_for_one_reader_only(database: Database) -> None:
    game_id = start(database)
    alice, bob = person(database, "alice"), person(database, "bob")
    chat_and_notes.say_as_player(database, game_id, bob, "hello", now=NOW)
    chat_and_notes.say_as_player(database, game_id, alice, "hi", now=NOW)
    blocks.settle(database, alice, bob, ["mute"], now=NOW)
    with database.read() as session:
        said = [one.seat for one in chat_and_notes.chat(session, game_id)]
        for_alice, for_bob = (chat_and_notes.muted_for(session, game_id, seat) for seat in ("red", "blue"))
    assert [seat in for_alice for seat in said] == [True, False]
    assert [seat in for_bob for seat in said] == [False, False]


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
    with database.read() as session:
        listed = {one: sorted(set_about) for one, _, set_about in blocks.met(session, alice)}
        of_dora = blocks.met(session, dora)
    assert listed == {bob: ["mute"], dora: ["block", "mute"], carol: []}
    assert of_dora == []
