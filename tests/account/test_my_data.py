"""All data about a player as one file; and erasing an account, after which nothing identifies its owner."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.account import export, kept, memberships, my_data
from app.base.links import Links, TurnLink
from app.base.process.config import Config
from app.base.server import Server
from app.base.stored import limits
from app.base.stored.columns import columns_of
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.outbox import PlannedMail
from app.base.words.i18n import LANGUAGES
from app.base.words.refusals import NotAccepted, TooOften
from app.clocks.pace import DEFAULT
from app.games.tables import Game, GameSeat
from app.games.work import Work
from app.lobby import listing, open_games, rematch
from app.lobby.open_games import Chair
from app.people import blocks, signin
from app.people.accounts import find_or_add
from app.people.tables import Block, Player, SignIn, Webhook, WebhookDelivery
from app.play.agreed import results
from app.play.past.records import record_of
from app.play.tables import AnalysisBranch
from app.play.turn import chat_and_notes, starting, turns
from app.post.out.sender import Sender
from app.tables import metadata
from app.time.tables import Leave
from app.titles.registry import TITLES
from engine.kernel import records
from tests.support.at_once import at_once
from tests.support.databases import ON_SQLITE
from tests.support.people import everything, text_of
from tests.support.tables import KEYS, NOW, give_standing, hand, load, say, start, write

BASE = "http://post.example.org"
WHO, ADDRESS = "Zebulon Quick", "zebulon.quick@example.org"


@pytest.fixture
def server(database: Database) -> Server:
    config = Config(Path("/nowhere"), database.url, BASE, KEYS, None, "Post Road <post@example.org>", "en")
    return Server(config, database, Links(BASE, KEYS))


def person(database: Database, address: str = ADDRESS, name: str = WHO) -> int:
    with Work(database) as work:
        player = find_or_add(work.session, address, now=NOW, name=name)
        work.commit()
        assert player.id is not None
        return player.id


def a_busy_life(server: Server) -> tuple[int, int]:
    """Return a player who has used everything, and a running game against Bob."""
    database = server.database
    me, bob = person(database), person(database, "bob@example.org", "Bob")
    game_id = starting.new_game(database, "ferry", [("red", ADDRESS), ("blue", "bob@example.org")], now=NOW)
    game = load(database, game_id)
    seat = game.decides or ""
    say(database, game_id, f"drop {hand(game, seat)[0]}\ndrop {hand(game, seat)[1]}\nend")
    chat_and_notes.say_as_player(database, game_id, me, f"Write to {ADDRESS.upper()}, says {WHO}.", now=NOW)
    chat_and_notes.say_as_player(database, game_id, bob, f"I have {ADDRESS} already.", now=NOW)
    chat_and_notes.keep_players_note(database, game_id, me, f"{WHO}: go west", now=NOW)
    give_standing(database, game_id, "red", "rob block oak-1")
    open_games.create(
        database,
        me,
        open_games.TableDraft(
            title_id="ferry",
            chairs=[Chair("red", "me"), Chair("blue", "mail", "bob@example.org")],
            options={},
            pace=DEFAULT,
            drawn=False,
        ),
        now=NOW,
    )
    theirs = open_games.create(
        database,
        bob,
        open_games.TableDraft(
            title_id="ferry",
            chairs=[Chair("red", "me"), Chair("blue", "open"), Chair("green", "mail", ADDRESS)],
            options={},
            pace=DEFAULT,
            drawn=False,
        ),
        now=NOW,
    )
    open_games.join(database, theirs, 1, me, now=NOW)
    signin.request_link(database, ADDRESS, language="fr", then="/games", now=NOW)
    signin.ask_change(database, me, "zebulon@new.example", now=NOW)
    blocks.settle(database, me, bob, ["mute"], now=NOW)
    blocks.settle(database, bob, me, ["mute"], now=NOW)
    with database.write() as session:
        session.execute(
            sa.insert(SignIn).values(
                token_hash="h", player_id=me, device="Quick's phone", created_at=NOW, expires_at=NOW + timedelta(9)
            )
        )
        days = {
            "kind": "planned",
            "from_at": NOW,
            "to_at": NOW + timedelta(3),
            "days": 3,
            "zone": "UTC",
            "made_at": NOW,
        }
        session.execute(sa.insert(Leave).values(player_id=me, **days))
        plan = {"game_id": game_id, "seat": "red", "entry": 1, "lines": "end", "changed_at": NOW}
        session.execute(sa.insert(AnalysisBranch).values(name=f"{WHO} wins", **plan))
        hook = {"kind": "json", "url": "https://zebulon.example/hook", "secret": "s" * 40, "made_at": NOW}
        hook_id = session.scalar(sa.insert(Webhook).values(player_id=me, **hook).returning(Webhook.id))
        call = {"webhook_id": hook_id, "call_key": "k", "game_id": game_id, "payload": {}, "made_at": NOW}
        session.execute(sa.insert(WebhookDelivery).values(**call, due_at=NOW))
        session.commit()
    return me, game_id


def opened(packed: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


# -- the file -----------------------------------------------------------------------------------------


def test_the_file_has_everything_and_nothing_of_others(server: Server) -> None:
    me, game_id = a_busy_life(server)
    files = opened(export.export(server.database, me, now=NOW))
    about, game = files["my-data.json"], files[f"games/{game_id}.json"]
    assert about["profile"]["address"] == ADDRESS and about["profile"]["name"] == WHO
    assert about["sign_ins"][0]["device"] == "Quick's phone"
    assert about["leave"][0]["days"] == 3 and about["webhooks"][0]["url"] == "https://zebulon.example/hook"
    assert about["blocked_and_muted"] == [{"kind": "mute", "name": "Bob", "made_at": NOW.isoformat()}]
    assert about["address_changes"][0]["address"] == "zebulon@new.example"
    assert {one["status"] for one in about["games"]} == {"running", "open"}
    assert game["players"] == {"red": WHO, "blue": "Bob"} and game["seat"] == "red"
    assert game["notes"][0]["text"] == f"{WHO}: go west" and game["planned_lines"][0]["name"] == f"{WHO} wins"
    assert len(game["talk"]) == 2 and game["standing_orders"] == ["rob block oak-1"]
    assert game["answers"][0]["orders"].startswith("drop ")
    text = json.dumps(files)
    assert "bob@example.org" not in text  # names, never addresses of others
    assert "s" * 40 not in text and '"h"' not in text
    records.load(json.dumps(game["record"]), TITLES)


def test_a_new_column_of_a_player_is_in_the_file_only_when_it_is_named_here() -> None:
    in_the_file = {
        "address", "second_address", "name", "sign", "looks", "language", "zone", "role", "mail_turns",
        "mail_reminders", "mail_news", "push_turns", "push_reminders", "push_news", "mail_shows", "digest_hours",
        "digest_instead", "hold_minutes", "quiet_from", "quiet_to", "reminders", "auto_leave", "acted_at",
        "profile_is_public", "program_of", "created_at",
    }  # fmt: skip
    assert {column.name for column in columns_of(Player)} - export.NOT_OF_PROFILE == in_the_file


def test_the_file_of_a_running_game_tells_what_the_seat_may_know(server: Server) -> None:
    me, game_id = a_busy_life(server)
    game = load(server.database, game_id)
    assert game.decides == "blue"
    mine = opened(export.export(server.database, me, now=NOW))[f"games/{game_id}.json"]
    bob = game.seated("blue").player_id or 0
    theirs = opened(export.export(server.database, bob, now=NOW))[f"games/{game_id}.json"]
    own, other = set(hand(game, "red")), set(hand(game, "blue"))
    seen = json.dumps(mine["view"])
    assert other - own and all(card in seen for card in own)
    assert not any(f'"{card}"' in seen for card in other - own)
    assert not mine["record"]["setup"] and mine["record"] == theirs["record"]
    assert "go west" not in json.dumps(theirs)


def test_the_file_is_made_a_few_times_an_hour(sqlite_database: Database) -> None:
    me = person(sqlite_database)
    for _ in range(limits.EXPORTS.most):
        export.export(sqlite_database, me, now=NOW)
    with pytest.raises(TooOften):
        export.export(sqlite_database, me, now=NOW)


# -- erasing ------------------------------------------------------------------------------------------


def dump(server: Server) -> str:
    """Return every value of every row as text, mails decoded."""
    out = []
    for rows in everything(server).values():
        for row in rows:
            out += [value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in row]
    return "\n".join(out)


def send_all(server: Server) -> None:
    while Sender(server).send_due(NOW):
        pass


@pytest.mark.parametrize("delivered", [False, True], ids=["mails-wait", "mails-kept"])
def test_nothing_tells_who_it_was(server: Server, delivered: bool) -> None:
    me, _ = a_busy_life(server)
    if delivered:
        send_all(server)
    before = dump(server).lower()
    secrets = (WHO, "Zebulon", "Quick", ADDRESS, "zebulon@new.example")
    assert all(one.lower() in before for one in secrets)
    my_data.erase(server.database, me, now=NOW)
    send_all(server)
    after = dump(server).lower()
    assert [one for one in secrets if one.lower() in after] == []
    with server.database.read() as session:
        row = session.execute(sa.select(Player.__table__).where(Player.id == me)).one()  # type: ignore[attr-defined]
        for table in (Block, Leave, SignIn, Webhook, WebhookDelivery, AnalysisBranch):
            assert session.scalar(sa.select(sa.func.count()).select_from(table)) == 0
        to_me = sa.select(sa.func.count()).select_from(OutboxMail).where(OutboxMail.player_id == me)
        assert session.scalar(to_me.where(OutboxMail.state != "dropped")) == 0
        assert set(session.scalars(sa.select(GameSeat.standing).where(GameSeat.player_id == me))) == {""}
    assert row.erased_at == NOW and row.name == "" and "@" not in row.address_key


def test_running_games_are_resigned_and_tables_given_back(server: Server) -> None:
    me, game_id = a_busy_life(server)
    with server.database.read() as session:
        end = my_data.leaving(session, me)
    assert [game.id for game in end.games] == [game_id] and len(end.hosted) == 1 and len(end.sits) == 1
    my_data.erase(server.database, me, now=NOW)
    game = load(server.database, game_id)
    assert game.is_over and game.result and game.result["winners"] == ["blue"]
    with server.database.read() as session:
        hosted = session.scalar(sa.select(Game.status).where(Game.id == end.hosted[0]))
        left = listing.find(session, end.sits[0])
        chat = chat_and_notes.chat(session, game_id)
    assert hosted == "cancelled" and left.seats[1].player_id is None and left.seats[1].offer == "open"
    assert [one.text for one in chat] == ["Write to …, says ….", "I have … already."]


def test_the_record_of_the_opponent_stays_whole(server: Server) -> None:
    me, game_id = a_busy_life(server)
    bob = load(server.database, game_id).seated("blue").player_id
    results.resign(server.database, game_id, bob or 0, now=NOW)
    whole = record_of(server.database, game_id)
    before = json.dumps(whole)
    my_data.erase(server.database, me, now=NOW)
    whole["played"]["players"]["red"] = None
    assert json.dumps(record_of(server.database, game_id)) == json.dumps(whole), "but for the name"
    for _ in records.replay(records.load(before, TITLES)):
        pass
    assert starting.verify(server.database, game_id) == []
    seen = opened(export.export(server.database, bob or 0, now=NOW))[f"games/{game_id}.json"]
    assert seen["players"] == {"red": "a former player", "blue": "Bob"}


@ON_SQLITE
def test_a_game_of_three_goes_on_without_the_erased_player(server: Server) -> None:
    database = server.database
    game_id = start(database, "new-world", seats=3)
    game = load(database, game_id)
    me = game.seated(game.decides or "").player_id or 0
    send_all(server)
    my_data.erase(database, me, now=NOW)
    after = load(database, game_id)
    assert not after.is_over and after.decides != game.decides
    link = TurnLink(game_id, after.decides or "", after.number, after.seated(after.decides or "").player_id)
    assert turns.look(database, link).number == after.number


def test_the_old_address_makes_a_new_player(server: Server) -> None:
    me, _ = a_busy_life(server)
    my_data.erase(server.database, me, now=NOW)
    assert person(server.database) != me
    with pytest.raises(my_data.Gone):
        my_data.erase(server.database, me, now=NOW)
    with server.database.read() as session, pytest.raises(my_data.Gone):
        my_data.leaving(session, me)


def test_of_two_who_erase_at_once_one_finds_nobody(server: Server) -> None:
    me, game_id = a_busy_life(server)
    done = at_once(*[lambda: my_data.erase(server.database, me, now=NOW)] * 2, but=my_data.Gone)
    assert [isinstance(one, my_data.Gone) for one in done].count(True) == 1 and load(server.database, game_id).is_over


def test_the_mails_about_an_account_read_as_they_should(server: Server) -> None:
    """In four languages, in 72 columns; the link is alone on its line."""
    me = person(server.database)
    hook = {"kind": "json", "url": "https://hooks.example.org/x", "secret": "s", "made_at": NOW, "player_id": me}
    write(server.database, sa.insert(Webhook).values(**hook, is_on=False, failures=10))
    for hour, language in enumerate(LANGUAGES):
        now = NOW + timedelta(hours=hour)
        with Work(server.database) as work:
            work.session.get_one(Player, me).language = language
            details = {"webhook": 1}
            off = PlannedMail(f"webhook_off:{language}", "webhook_off", ADDRESS, me, details=details)
            work.outbox.add([off], now)
            work.commit()
        my_data.ask_to_erase(server.database, me, now=now)
        send_all(server)
        Sender(server).send_due(now)
    with server.database.read() as session:
        raw = session.scalars(sa.select(OutboxMail.message).order_by(OutboxMail.id)).all()
    mails = [message_from_bytes(one or b"", policy=policy.default) for one in raw]
    assert len(mails) == 8
    for at, mail in enumerate(mails):
        text = text_of(mail)  # type: ignore[arg-type]
        lines = text.splitlines()
        assert all(len(line) <= 72 or line.startswith(BASE) for line in lines) and "%(" not in text
        assert any(line.startswith((f"{BASE}/erase/", f"{BASE}/account/webhooks")) for line in lines)
        assert mail["List-Unsubscribe"] is None
        assert (" the " in text or "webhook at" in text) == (at < 2)
    assert mails[1]["Subject"] == "Erase your account?"


def test_a_game_with_a_former_player_has_no_rematch(server: Server) -> None:
    me, game_id = a_busy_life(server)
    my_data.erase(server.database, me, now=NOW)
    bob = load(server.database, game_id).seated("blue").player_id or 0
    with pytest.raises(NotAccepted) as no:
        rematch.offer_rematch(server.database, game_id, bob, now=NOW)
    assert no.value.code == "rematch.gone"


def test_words_are_taken_out_whole_and_whatever_their_case() -> None:
    assert my_data.without("Al, AL! Alice al@x.org", ["Al", "al@x.org"]) == "…, …! Alice …"
    assert my_data.without("unchanged", ["", "x"]) == "unchanged"


def test_every_table_that_points_to_a_player_is_thought_of() -> None:
    """A new one has to be added to the file and to erasing, or to the last list with its reason."""
    pointing = {
        table.name
        for table in metadata.sorted_tables
        if any(key.target_fullname == "player.id" for column in table.columns for key in column.foreign_keys)
    }
    listed = (*kept.DELETED, *kept.STAYING, *kept.UNNAMED, *memberships.there().KEPT)
    in_the_file = {model.__table__.name for _, model, _, _ in listed} | {"block", "game_seat", "invitation"}
    of_games_and_events = {  # they keep a row of the player's, which has no name any more
        "game", "club", "event", "audit_entry", "event_message", "ruling", "rating_change",
        "pairing_job", "announcement", "team", "club_match",
    }  # fmt: skip
    assert pointing - in_the_file - of_games_and_events == set()
