"""A match that two clubs agreed on, over HTTP: entered, started and ruled; what each club sees."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.message import EmailMessage

import pytest
import sqlalchemy as sa
from flask import Flask
from sqlmodel import col

from app.base.server import Server
from app.games.tables import GameSeat
from app.leagues.clubs import club_rights
from app.leagues.tables import Match
from app.leagues.teams import rosters
from app.people.accounts import find
from app.play.agreed import results
from tests.support.club_pages import club_of, draft, joined, prepared, take_list
from tests.support.hidden_cards import pages_without_them
from tests.support.people import Browser, Enter, PostOffice
from tests.support.two_clubs import agree


def lantern_of(post: PostOffice, enter: Enter) -> tuple[Browser, dict[str, Browser]]:
    """Let Emil found the club Lantern, with Fritz and Gina in it."""
    emil = enter("emil")
    emil.get("/clubs")
    emil.post("/clubs", slug="lantern", name="Lantern", about="", language="fr", zone="Europe/Paris")
    lines = "address,name\nfritz@example.org,Fritz\ngina@example.org,Gina"
    take_list(emil, "lantern", lines)
    return emil, {name: joined(post, enter, name) for name in ("fritz", "gina")}


def mail_of(post: PostOffice, name: str, subject: str) -> EmailMessage:
    [mail] = [one for one in post.all(f"{name}@example.org") if one["Subject"] == subject]
    return mail


def test_two_clubs_play_a_match(
    app: Flask, server: Server, post: PostOffice, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = club_of(enter, "bea", "carl")
    bea, _ = (joined(post, enter, name) for name in ("bea", "carl"))
    emil, there = lantern_of(post, enter)
    zoe = enter("zoe")
    event = prepared(alice, format="round_robin", boards="2", rounds="")
    bea.get(f"/events/{event}", 404)
    with server.database.read() as session:
        guest, referee = club_rights.find(session, "lantern").id, find(session, "zoe@example.org")
    assert referee is not None
    agree(server.database, event, guest, referee=referee.id)
    assert "Vendée – Lantern" in emil.get(f"/events/{event}")
    for who, line in ((alice, "Harbour: Bea*, Carl"), (emil, "Light: fritz@example.org, Gina")):
        who.get(f"/events/{event}/teams")
        who.post(f"/events/{event}/teams", lines=line)
    with server.database.write() as session:
        harbour, light = rosters.of_event(session, event)
        harbour.club_id, light.club_id = club_rights.find(session, "vendee").id, guest
        session.add_all([harbour, light])
        session.commit()
    with server.database.read() as session:
        harbour, light = rosters.of_event(session, event)
    emil.get(f"/events/{event}/teams/{harbour.id}")
    emil.get(f"/events/{event}/manage")
    emil.post(f"/events/{event}/start")

    # Emil pairs and publishes; the captains choose.
    page = emil.get(f"/events/{event}/players")
    assert "Enter members" not in page and "alice@example.org" not in page
    where = draft(emil, server, event)
    for captain, team in ((bea, harbour), (there["fritz"], light)):
        page = captain.get(f"/events/{event}/teams/{team.id}")
        plays = re.findall(r'name="plays" value="(\d+)"', page)
        captain.post(f"/events/{event}/teams/{team.id}/line-up", round="1", plays=plays)
    version = re.search(r'name="version" value="(\d+)"', emil.get(where))
    assert version is not None
    emil.post(f"{where}/publish", version=version[1])
    page = zoe.get(f"/events/{event}")
    assert "Vendée – Lantern" in page
    for slug in ("vendee", "lantern"):
        home = zoe.get(f"/clubs/{slug}")
        assert f'href="/events/{event}"' in home and f'href="/events/{event}/teams/{light.id}">Light</a>' in home
        assert '<abbr title="match points">' in home, "the table of its teams"
        assert "entered the team Light" in (alice if slug == "vendee" else emil).get(f"/clubs/{slug}/audit")
    post.all()

    # Organisers of either club see no hidden card of its games, also without a part in it.
    game = int(re.findall(r'href="/games/(\d+)"', page)[0])
    opened = pages_without_them(app, server, emil, game, [f"/events/{event}"])
    assert "/events/<number:event_id>/manage" in opened

    # A player asks for a ruling: it is Zoe's, and nobody's of the clubs.
    match = re.findall(rf"/events/{event}/claim/(\d+)", bea.get(f"/events/{event}"))[0]
    bea.get(f"/events/{event}/claim/{match}")
    bea.post(f"/events/{event}/claim/{match}", reason="He does not move")
    assert "ruling" in post.last("zoe@example.org", "asked/ruling")["Subject"].lower()
    page = zoe.get(f"/events/{event}/rulings")
    ruling = re.findall(rf'href="(/events/{event}/rulings/\d+)"', page)[0]
    form = {"decision": "dismissed", "reason": "There is time left", "days": "", "place": ""}
    for organiser, status in ((alice, 403), (emil, 403), (zoe, 200)):
        page = organiser.get(ruling)
        once = re.search(r'name="once" value="(\w+)"', page)
        organiser.post(ruling, status, once=once[1] if once else "a" * 16, **form)
    assert "There is time left" in bea.get(ruling)
    # The game ends, and Zoe corrects its result; then she takes that back, without a desk. Nobody else can.
    with server.database.read() as session:
        number, player = session.execute(
            sa.select(Match.game_id, GameSeat.player_id)
            .join(GameSeat, col(GameSeat.game_id) == col(Match.game_id))
            .where(col(Match.id) == int(match))
        ).first() or (0, 0)
    results.resign(server.database, number or 0, player, now=datetime.now(UTC))
    zoe.get(f"/events/{event}/claim/{match}")
    zoe.post(f"/events/{event}/claim/{match}", reason="They wrote to me")
    ruling = re.findall(rf'href="(/events/{event}/rulings/\d+)"', zoe.get(f"/events/{event}/rulings"))[0]
    once = re.search(r'name="once" value="(\w+)"', zoe.get(ruling))
    assert once is not None
    draw = form | {"decision": "result", "points": ["0.5", "0.5"], "once": once[1]}
    assert "The decision holds" in zoe.post(ruling, **draw)
    undo = {"once": "b" * 16, "do": "undo", "reason": "I have misread the letter"}
    for other in (alice, emil, bea):
        assert 'value="undo"' not in other.get(ruling)
        other.post(ruling, 403, **undo)
    assert 'value="undo"' in zoe.get(ruling)
    assert "Undone" in zoe.post(ruling, **undo)
    assert "waits for a decision" in bea.get(ruling)
    assert 'value="undo"' not in zoe.get(ruling)
