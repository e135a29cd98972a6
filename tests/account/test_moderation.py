"""Lines of the chat are reported, players muted and banned, and the trail records who did what and why."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from flask import Flask

from app.base.server import Server
from app.clocks.pace import DEFAULT
from app.lobby import open_games
from app.lobby.open_games import Chair
from app.people import accounts, sanctions
from app.people.tables import Player, SanctionKind
from app.play.agreed import reports
from app.play.turn import chat_and_notes, turns
from tests.support.people import BOTH, Browser, Enter, PostOffice, everything, text_of
from tests.support.tables import LINKS, address, link_to, load, start, write


def _operator(server: Server, enter: Enter) -> Browser:
    browser = enter("otto")
    write(server.database, sa.update(Player).where(Player.address == address("otto")).values(role="operator"))
    return browser


def _id(server: Server, who: str) -> int:
    with server.database.read() as session:
        found = accounts.find(session, address(who))
        assert found is not None
        return found.id


def text_of_page(browser: Browser) -> str:
    """Return the account page as this browser gets it, wherever it is redirected."""
    return browser.client.get("/account", follow_redirects=True).get_data(as_text=True)


def _report_links(page: str) -> list[str]:
    return re.findall(r'href="(/report/[^"/]+)"', page)


@BOTH
def test_a_line_is_reported_once_and_operators_see_it_among_its_neighbours(
    app: Flask, server: Server, enter: Enter, post: PostOffice
) -> None:
    game = start(server.database)
    otto, bob, alice = _operator(server, enter), enter("bob"), enter("alice")
    now = datetime.now(UTC)
    for n in range(12):
        chat_and_notes.say_as_player(server.database, game, _id(server, "bob"), f"line {n} <b>", now=now)
    page = alice.get(f"/games/{game}")
    links = _report_links(page)
    assert len(links) == 12 and not _report_links(bob.get(f"/games/{game}"))
    # The page of a turn offers the same, without a login.
    by_link = Browser(app)
    seat = load(server.database, game).decides
    owes = "bob" if load(server.database, game).seated(seat or "").address == address("bob") else "alice"
    turn_page = by_link.get(f"/t/{LINKS.turn_token(link_to(load(server.database, game)))}")
    assert (_report_links(turn_page) == links) == (owes == "alice")
    before = everything(server)
    assert "line 5 <b>" in by_link.get(links[5]) and everything(server) == before
    by_link.get(links[5][:-1] + "x", 404)
    assert "Operators of this server have the line" in by_link.post(links[5], why="rude")
    alice.get(links[5])
    alice.post(links[5], why="again")
    mails = [mail for mail in post.all(address("otto")) if "Reported chat" in str(mail["Subject"])]
    assert len(mails) == 1 and "line 5 <b>" in text_of(mails[0]) and "rude" in text_of(mails[0])
    alice.get("/moderation", 403)
    page = otto.get("/moderation")
    assert [n for n in range(12) if f"line {n} <b>" in page] == list(range(1, 10))
    assert "&lt;b&gt;" in otto.page.get_data(as_text=True) and "rude" in page and "again" not in page
    assert "postroad_talk_reports_open 1.0" in otto.get("/metrics")
    otto.get("/moderation")
    close = re.findall(r'action="(/moderation/reports/\d+)"', page)[0]
    assert "Say why" in otto.post(close, 422, why=" ")
    assert "A joke." in otto.post(close, why="A joke.")
    assert "been done already" in otto.post(close, 422, why="Twice.")
    assert "postroad_talk_reports_open 0.0" in otto.get("/metrics")
    # A player's own line, and a line of a table where they do not sit, cannot be reported.
    line = int(everything(server)["chat_message"][0][0])
    for who, status in (("bob", 422), ("otto", 404)):
        by_link.get("/report/" + LINKS.sign("report", [line, _id(server, who)]), status)


@BOTH
def test_a_player_is_reported_without_a_line_once_a_day_from_the_profile_and_by_turn_link(
    app: Flask, server: Server, enter: Enter, post: PostOffice
) -> None:
    game = start(server.database)
    otto, alice = _operator(server, enter), enter("alice")
    bob, me = _id(server, "bob"), _id(server, "alice")
    from_profile = re.findall(r'href="(/report/player/[^"]+)"', alice.get(f"/players/{bob}"))[0]
    at_table = re.findall(r'href="(/report/player/[^"]+)"', alice.get(f"/games/{game}"))[0]
    assert "/report/player/" not in alice.get(f"/players/{me}")
    by_link, owed = Browser(app), load(server.database, game)
    turn_page = by_link.get(f"/t/{LINKS.turn_token(link_to(owed))}")
    assert (at_table in turn_page) == (owed.seated(owed.decides or "").player_id == me)
    assert "/report/player/" in turn_page
    before = everything(server)
    assert "Report bob" in by_link.get(at_table) and everything(server) == before
    assert "Say why" in by_link.post(at_table, 422, why=" ")
    assert "have your report now" in by_link.post(at_table, why="Writes to me <b> elsewhere.")
    alice.get(from_profile)
    alice.post(from_profile, why="A second time on this day.")
    mails = [mail for mail in post.all(address("otto")) if "A report about bob" in str(mail["Subject"])]
    assert len(mails) == 1 and "alice has reported bob." in text_of(mails[0]) and "<b> elsewhere" in text_of(mails[0])
    assert f"Game {game}" in text_of(mails[0])
    page = otto.get("/moderation")
    assert "&lt;b&gt; elsewhere" in otto.page.get_data(as_text=True) and "second time" not in page
    assert f"/moderation/players/{bob}" in page and f"bob in game {game}" in page
    waiting = re.search(r"Reports that wait.*?<td>(\d+)<", otto.get("/server"), re.S)
    assert waiting and waiting[1] == "1"
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    reports.report_player(server.database, reports.ReportedPlayer(bob, me), "Again.", now=tomorrow)
    assert "postroad_talk_reports_open 2.0" in otto.get("/metrics")
    for close in re.findall(r'action="(/moderation/reports/\d+)"', otto.get("/moderation")):
        assert "bob: Talked to." in " ".join(otto.post(close, why="Talked to.").split())
    for payload, status in (((me, me, 0), 422), ((999, me, 0), 404), ((bob, _id(server, "otto"), game), 404)):
        by_link.get("/report/player/" + LINKS.sign("report_player", [*payload]), status)
    by_link.get(at_table[:-1] + "x", 404)


def test_who_is_muted_plays_on_and_says_nothing_until_the_day_or_until_it_is_lifted(
    app: Flask, server: Server, enter: Enter
) -> None:
    game = start(server.database)
    otto, bob = _operator(server, enter), enter("bob")
    me = f"/moderation/players/{_id(server, 'bob')}"
    day = datetime.now(UTC).date() + timedelta(days=2)
    otto.get(me)
    assert "Say why" in otto.post(me, 422, kind="mute", reason="")
    assert "This day is over" in otto.post(me, 422, kind="mute", reason="x", until="2020-01-01")
    assert "Rude to Alice." in otto.post(me, kind="mute", reason="Rude to Alice.", until=day.isoformat())
    bob.get(f"/games/{game}")
    refused = bob.post(f"/games/{game}/say", 403, say="Hello")
    assert "have muted you until" in refused and "Rude to Alice." in refused
    owed = load(server.database, game)
    sits = owed.seated(owed.decides or "").player_id
    with server.database.write() as session:  # the seat that decides says it by its link
        if sits != _id(server, "bob"):
            for_all = {"reason": "All of them.", "until": None, "by_id": None, "now": datetime.now(UTC)}
            sanctions.impose(session, sits or 0, SanctionKind.MUTE, **for_all)
            session.commit()
    by_link, address_of = Browser(app), f"/t/{LINKS.turn_token(link_to(owed))}"
    by_link.get(address_of)
    by_link.client.post(address_of, data={"do": "say", "say": "Hello", "csrf_token": by_link.token})
    assert everything(server)["chat_message"] == []
    with server.database.read() as session:
        later = datetime.now(UTC) + timedelta(days=4)
        assert sanctions.in_force(session, _id(server, "bob"), SanctionKind.MUTE, later) is None
    assert "Lift the mute" in otto.get(me)
    assert "He is sorry." in otto.post(f"{me}/lift", kind="mute", why="He is sorry.")
    assert "Nothing of the kind" in otto.post(f"{me}/lift", 422, kind="mute", why="Twice.")
    bob.get(f"/games/{game}")
    assert "Hello" in bob.post(f"/games/{game}/say", say="Hello")
    assert "This is an operator" in otto.post(f"/moderation/players/{_id(server, 'otto')}", 422, kind="ban", reason="x")
    enter("carol").get(me, 403)


@BOTH
def test_who_is_banned_cannot_sign_in_make_or_join_and_their_games_go_on(
    app: Flask, server: Server, enter: Enter, post: PostOffice
) -> None:
    game = start(server.database)
    otto, bob = _operator(server, enter), enter("bob")
    bob_id, me = _id(server, "bob"), f"/moderation/players/{_id(server, 'bob')}"
    now = datetime.now(UTC)
    table = open_games.create(
        server.database,
        _id(server, "alice"),
        open_games.TableDraft(
            title_id="ferry",
            chairs=[Chair("red", "me"), Chair("blue", "open"), Chair("green", "open")],
            options={},
            pace=DEFAULT,
            drawn=False,
        ),
        now=now,
    )
    otto.get(me)
    assert "Lift the ban" in otto.post(me, kind="ban", reason="Cheats.")
    assert "Account of" not in text_of_page(bob)
    bob.get("/sign-in")
    bob.post("/sign-in", address=address("bob"), then="/games")
    link = post.link(address("bob"), "sign-in")
    bob.get(link)
    assert "Their reason: Cheats." in bob.post(link.partition("?")[0], 403, then="/games")
    assert not [row for row in everything(server)["sign_in"] if bob_id in row]
    for act in (
        lambda: open_games.join(server.database, table, 1, bob_id, now=now),
        lambda: open_games.create(
            server.database,
            bob_id,
            open_games.TableDraft(
                title_id="ferry",
                chairs=[Chair("red", "me"), Chair("blue", "open")],
                options={},
                pace=DEFAULT,
                drawn=False,
            ),
            now=now,
        ),
    ):
        with pytest.raises(sanctions.NotAllowed, match="banned this account"):
            act()
    # The game goes on: the player who owes the decision plays it by the link.
    owed = load(server.database, game)
    assert owed.status == "running" and turns.look(server.database, link_to(owed)).number == owed.number
    assert "A second chance." in otto.post(f"{me}/lift", kind="ban", why="A second chance.")
    bob.get(link)
    bob.post(link.partition("?")[0], then="/games")
    assert "Account of" in bob.get("/games")
    otto.get(me)
    otto.post(me, kind="ban", reason="Cheats again.", leaves="on")
    assert load(server.database, game).status == "over"


def test_operators_end_all_sign_ins_of_a_player_and_the_log_says_who_comes_in(
    app: Flask, server: Server, enter: Enter, post: PostOffice, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "postroad.access")
    otto, alice, bob = _operator(server, enter), enter("alice"), enter("bob")
    asked = Browser(app)
    asked.get("/sign-in")
    asked.post("/sign-in", address="alice@example.org")
    link = post.link("alice@example.org", "sign-in").partition("?")[0]
    page = f"/moderation/players/{_id(server, 'alice')}"
    alice.get(page, 403)
    bob.get("/account")
    assert bob.client.post(f"{page}/sign-ins", data={"csrf_token": bob.token}, headers=bob.headers).status_code == 403
    otto.get(page)
    otto.post(f"{page}/sign-ins")
    assert "/sign-in" in alice.client.get("/account").headers["Location"] and "Account" in bob.get("/account")
    asked.client.get(link)
    assert asked.client.post(link, data={"csrf_token": asked.token}, headers=asked.headers).status_code == 410
    said = [record.getMessage() for record in caplog.records if record.name == "postroad.access"]
    number = _id(server, "alice")
    assert f"player {number} signs in" in said and f"all sign-ins of player {number} are ended" in said
    assert any(f"player {number} is kept out of moderation.player" in line for line in said)
    assert "@" not in "".join(said) and not any(link.rpartition("/")[2] in line for line in said)
