"""One person, helped by operators and organisers: another address, two accounts that are one, by command and page."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result
from sqlmodel import col

from app.account import joining
from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.mail_tables import BouncedAddress
from app.base.words.refusals import NotAccepted
from app.games.tables import GameSeat
from app.people import accounts, signin
from app.people.tables import Player
from app.server.cli import main
from tests.support.club_pages import club_of, joined
from tests.support.people import Browser, PostOffice, make_operator, text_of
from tests.support.tables import NOW, address, start

Enter = Callable[..., Browser]
DAYS = timedelta(days=3)


def number(database: Database, who: str) -> int | None:
    with database.read() as session:
        found = accounts.find(session, who)
        return None if found is None else found.id


def test_an_account_moves_in_three_days_unless_one_of_the_two_objects(
    server: Server, enter: Enter, post: PostOffice
) -> None:
    """club F7: both are told, and nothing happens before; whoever gets the mail by mistake stops it"""
    enter("anna")
    anna = number(server.database, "anna@example.org")
    boss = enter("boss")
    boss.get("/account")
    page = f"/moderation/players/{anna}/address"
    boss.post(page, 403, address="new@example.org")
    make_operator(server, "boss@example.org")
    for objects in (True, False):
        now = datetime.now(UTC)
        assert "Two mails are on their way" in boss.post(page, address="new@example.org")
        links = [post.link(to, "address") for to in ("anna@example.org", "new@example.org")]
        assert "boss" in text_of(post.last("anna@example.org")) and "Object" in text_of(post.last("new@example.org"))
        assert signin.change_due(server.database, now + DAYS - timedelta(minutes=1)) == 0, "not before its time"
        stranger = Browser(boss.client.application)
        assert "unless one of the two objects" in stranger.get(links[1])
        if objects:
            assert "stays as it is" in stranger.post(links[1], sure="yes")
            stranger.get(links[0], 410)
        moved = signin.change_due(server.database, now + DAYS + timedelta(minutes=1))
        assert moved == int(not objects) and (number(server.database, "new@example.org") == anna) != objects
    assert "Another player has the address" in boss.post(page, 422, address="boss@example.org")


def test_an_organiser_vouches_for_members_without_a_role(server: Server, enter: Enter, post: PostOffice) -> None:
    """club F7: of a club of theirs; never for people with a role, whose accounts open more than games"""
    alice = club_of(enter, "bob")
    bob = joined(post, enter, "bob")
    who = str(number(server.database, "bob@example.org"))
    page = "/clubs/vendee/members/address"
    assert f'action="{page}"' not in alice.get(f"/clubs/vendee/members/{who}")
    assert "Mails reach Bob" in alice.post(page, 403, player=who, address="new@example.org"), "a club takes no account"
    with server.database.write() as session:
        session.add(BouncedAddress(address_key="bob@example.org", at=NOW, reason="550 unknown"))
    assert f'action="{page}"' in alice.get(f"/clubs/vendee/members/{who}")
    bob.post(page, 403, player=who, address="new@example.org")
    alice.post("/clubs/vendee/members/role", player=who, role="deputy")
    assert "so only an operator" in alice.post(page, 403, player=who, address="new@example.org")
    alice.post("/clubs/vendee/members/role", player=who, role="member")
    assert "Two mails are on their way" in alice.post(page, player=who, address="new@example.org")
    told = text_of(post.last("new@example.org"))
    assert "alice" in told and "Vendée" in told and "Object" in told
    stranger = enter("zoe")
    stranger.post(page, 403, player=who, address="new@example.org")
    make_operator(server, "bob@example.org")
    alice.post(page, 403, player=who, address="other@example.org")


def test_operators_do_it_by_command(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """operator F7: list, show, address, export, erase, merge; a typing error makes nobody an operator"""
    monkeypatch.setenv("POSTROAD_DATABASE_URL", server.config.database_url)
    monkeypatch.setenv("POSTROAD_DATA", str(tmp_path))
    monkeypatch.setenv("POSTROAD_SECRET_KEY", ",".join(server.config.secret_keys))
    start(server.database)

    def run(*words: str, typed: str = "") -> Result:
        return CliRunner().invoke(main, ["player", *words], input=typed)

    wrong = run("role", "me@club.exmaple", "operator")
    assert wrong.exit_code == 1 and "Nobody has the address me@club.exmaple" in wrong.output
    assert number(server.database, "me@club.exmaple") is None
    assert run("set", "me@club.exmaple", "--name", "X").exit_code == 1
    assert run("role", "me@club.example", "operator", "--new").exit_code == 0
    assert "alice@example.org" in run("list", "ali").output and "running games: 1" in run("list", "ali").output
    assert "zone: UTC" in run("show", "alice@example.org").output
    assert "unless one of the two objects" in run("address", "alice@example.org", "new@example.org").output
    file = tmp_path / "data.zip"
    assert run("export", "alice@example.org", str(file)).exit_code == 0 and file.stat().st_mode & 0o777 == 0o600
    for content in (file.read_bytes(), run("export", "alice@example.org", "-").stdout_bytes):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            assert json.loads(packed.read("my-data.json"))["profile"]["address"] == "alice@example.org"
    assert "is a directory" in run("export", "alice@example.org", str(tmp_path)).output
    assert "cannot be written: No such file" in run("export", "alice@example.org", str(tmp_path / "x/y")).output
    assert "game 1" in run("merge", "alice@example.org", "bob@example.org").output, "they have met"
    assert run("merge", "alice@example.org", "me@club.example").exit_code == 0
    assert number(server.database, "me@club.example") is None
    assert run("erase", "bob@example.org", typed="n\n").exit_code == 1 and number(server.database, "bob@example.org")
    assert run("erase", "bob@example.org", "--yes").exit_code == 0 and not number(server.database, "bob@example.org")


def test_two_accounts_that_never_met_are_one(server: Server, enter: Enter) -> None:
    """club F7: games, clubs and ratings come along; nobody joins what plays against itself"""
    database = server.database
    boss = enter("boss")
    enter("carol")
    make_operator(server, "boss@example.org")
    boss.get("/account")
    game_id = start(database)
    alice, bob, carol = (number(database, address(one)) for one in ("alice", "bob", "carol"))
    assert alice and bob and carol
    with pytest.raises(NotAccepted, match="met"):
        joining.join(database, alice, bob, now=NOW)
    for wrong in (alice, 99999):
        with pytest.raises(NotAccepted):
            joining.join(database, alice, wrong, now=NOW)
    assert "Saved." in boss.post(f"/moderation/players/{carol}/join", address="alice@example.org")
    with database.read() as session:
        seats = session.scalars(sa.select(col(GameSeat.player_id)).where(col(GameSeat.game_id) == game_id)).all()
        left = session.get_one(Player, alice)
        assert sorted(seats) == sorted([bob, carol]) and left.erased_at is not None and "@" not in left.address
    boss.post(f"/moderation/players/{carol}/erase", 422)
    assert number(database, "carol@example.org") == carol
    boss.post(f"/moderation/players/{carol}/erase", sure="yes")
    assert number(database, "carol@example.org") is None
