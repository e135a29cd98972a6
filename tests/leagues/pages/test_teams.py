"""Teams over HTTP and mail: a whole season, a captain's page, who may do what."""

from __future__ import annotations

import re
from fractions import Fraction

import sqlalchemy as sa
from flask import Flask

from app.base.server import Server
from app.leagues.tables import Member
from app.leagues.teams import rosters
from app.people.tables import Player
from bench.trials import team_season
from tests.support.club_pages import club_of, draft, joined, prepared
from tests.support.hidden_cards import pages_without_them
from tests.support.people import Browser, Enter, PostOffice, text_of

LINES = "Harbour: Bea, Carl*\nLantern: dora@example.org, Emil"


def test_a_double_round_robin_of_teams_by_http_and_mail(app: Flask) -> None:
    """Two teams of two boards; the driver recomputes every table from the games."""
    found = team_season.run(app, 2, 2)
    assert (found.rounds, found.matches, found.games) == (2, 2, 4) and found.substituted
    assert sum(Fraction(points.replace("½", "1/2")) for _, points, _ in found.table) == 4
    assert len(found.table) == 2


def test_a_captain_leads_and_nobody_else(app: Flask, server: Server, post: PostOffice, enter: Enter) -> None:
    alice = club_of(enter, "bea", "carl", "dora", "emil", "fritz")
    people = {name: joined(post, enter, name) for name in ("bea", "carl", "dora", "emil", "fritz")}
    event = prepared(alice, format="round_robin", boards="2", rounds="")
    alice.post(f"/events/{event}/open")
    for browser in people.values():
        browser.get(f"/events/{event}")
        browser.post(f"/events/{event}/sign-up")
    bea, carl, dora, fritz = (people[name] for name in ("bea", "carl", "dora", "fritz"))
    path = f"/events/{event}/teams"
    bea.get(path)
    bea.post(path, 403, lines="Harbour: Bea, Carl*")
    alice.get(path)
    alice.post(path, lines="Harbour: Bea*, Carl")
    with server.database.read() as session:
        [harbour] = rosters.of_event(session, event)
    assert harbour.captain == "Bea"
    page = dora.get(f"{path}/{harbour.id}")
    assert "Change the team" not in page
    for player in (bea, dora):
        player.get(f"{path}/{harbour.id}")
        player.post(f"{path}/{harbour.id}", 403, lines="Harbour: Dora, Emil")
    alice.get(path)
    alice.post(path, lines=LINES.splitlines()[1])
    alice.get(f"{path}/{harbour.id}")
    alice.post(f"{path}/{harbour.id}", lines=LINES.splitlines()[0])
    alice.get(f"/events/{event}/manage")
    assert "Fritz is in no team" in alice.post(f"/events/{event}/start", 422)
    fritz.get(f"/events/{event}/withdraw")
    fritz.post(f"/events/{event}/withdraw", sure="yes", reason="")
    alice.get(f"/events/{event}/manage")
    alice.post(f"/events/{event}/start")
    where = draft(alice, server, event)
    assert "Seat by hand" not in alice.get(where)
    mail = post.last("carl@example.org", "asked")
    assert mail["Subject"] == "Cup, round 1: choose your line-up" and "Harbour meets Lantern" in text_of(mail)
    assert not [one for one in post.subjects("bea@example.org") if "line-up" in one], "no captain any more"
    page = carl.get(f"{path}/{harbour.id}")
    entrant = re.findall(r'name="plays" value="(\d+)"', page)
    asked, by_mail = post.link("carl@example.org", "asked/line-up"), Browser(carl.client.application)
    assert "Decide later" in by_mail.get(asked)
    assert "at least one player" in by_mail.post(asked, 422, round="1", plays=[])
    assert "Your line-up is saved" in by_mail.post(asked, round="1", plays=entrant[1:])
    bea.get(f"{path}/{harbour.id}")
    bea.post(f"{path}/{harbour.id}/line-up", 403, round="1", plays=entrant)
    version = re.search(r'name="version" value="(\d+)"', alice.get(where))
    assert version is not None
    alice.post(f"{where}/publish", version=version[1])
    page = dora.get(f"/events/{event}")
    assert "Harbour" in page and "1 board open" in page and "nobody" not in page
    post.all()  # the mail that asks has gone out
    game = int(re.findall(r'href="/games/(\d+)"', page)[0])
    make_organiser(server, "Bea")
    opened = pages_without_them(app, server, bea, game, [f"/events/{event}"])
    team_pages = {"/events/<number:event_id>/teams", "/events/<number:event_id>/teams/<number:team_id>"}
    assert {"/events/<number:event_id>/manage", *team_pages} <= opened
    # Carl plays alone: at board 1, which Bea can take over from him by the captain.
    page = carl.get(f"{path}/{harbour.id}")
    [match], [free] = (
        re.findall(r'name="match" value="(\d+)">\n<p><label for="in', page),
        re.findall(r'name="plays"><option value="(\d+)">Bea<', page),
    )
    dora.get(f"{path}/{harbour.id}")
    dora.post(f"{path}/{harbour.id}/substitute", 403, match=match, plays=free, reason="Mine")
    carl.post(f"{path}/{harbour.id}/substitute", 422, match=match, plays=free, reason="")
    carl.get(f"{path}/{harbour.id}")
    carl.post(f"{path}/{harbour.id}/substitute", match=match, plays=free, reason="Carl is ill")
    for who in ("bea", "carl", "dora"):
        assert "Bea plays on for Carl in Cup · #1" in post.subjects(f"{who}@example.org")
    assert "sent a substitute into a running game of Harbour" in alice.get("/clubs/vendee/audit")
    # A player who owes a move is reminded by their own captain only.
    forms = {who: people[who].get(f"{path}/{harbour.id}") for who in ("carl", "dora")}
    assert "Send a reminder" not in forms["dora"]


def make_organiser(server: Server, name: str) -> None:
    with server.database.write() as session:
        [player] = session.scalars(sa.select(Player.id).where(Player.name == name))
        session.execute(sa.update(Member).where(Member.player_id == player).values(role="organiser"))
        session.commit()


def test_an_organiser_enters_teams_chooses_a_line_up_and_names_a_captain(
    server: Server, post: PostOffice, enter: Enter
) -> None:
    """In a Swiss event of three teams, one of which has the bye."""
    people = ("bea", "carl", "dora", "emil", "fritz", "gina")
    alice = club_of(enter, *people)
    for name in people:
        joined(post, enter, name)
    event = prepared(alice, format="swiss", boards="2", rounds="2")
    alice.post(f"/events/{event}/open")
    alice.get(f"/events/{event}/teams")
    alice.post(f"/events/{event}/teams", lines=f"{LINES}\nMill: Fritz, Gina")
    with server.database.read() as session:
        made = rosters.of_event(session, event)
    assert [one.captain for one in made] == ["Carl", "Dora", "Fritz"]
    harbour = made[0]
    alice.get(f"/events/{event}/manage")
    alice.post(f"/events/{event}/start")
    own = {one.name: str(one.entry_id) for one in harbour.players}
    page = alice.get(f"/events/{event}/teams/{harbour.id}")
    assert re.findall(r'name="plays" value="(\d+)" checked', page) == [own["Bea"], own["Carl"]]
    alice.post(f"/events/{event}/teams/{harbour.id}/line-up", 422, round="1", plays=str(made[1].players[0].entry_id))
    alice.get(f"/events/{event}/teams/{harbour.id}")
    page = alice.post(f"/events/{event}/teams/{harbour.id}/line-up", round="1", plays=own["Carl"])
    assert re.findall(r'name="plays" value="(\d+)" checked', page) == [own["Carl"]]
    where = draft(alice, server, event)
    free = re.search(r"<li>(\w+) – bye</li>", alice.get(where))
    version = re.search(r'name="version" value="(\d+)"', alice.get(where))
    assert free is not None and version is not None
    alice.post(f"{where}/publish", version=version[1])
    page = alice.get(f"/events/{event}")
    assert re.search(rf">{free[1]}</a> <b>1</b> <small>bye", page), "by lots"
    captain = {"Harbour": "carl", "Lantern": "dora", "Mill": "fritz"}[free[1]]
    mail = post.last(f"{captain}@example.org", "events")
    assert mail["Subject"] == f"Cup, round 1: {free[1]}, bye"
    assert "worth 1 match points and 1 board points" in " ".join(text_of(mail).split())
    form = alice.get(f"/events/{event}/teams/{harbour.id}").partition(f"/teams/{harbour.id}/captain")[2]
    names = re.findall(r'<option value="(\d+)">(\w+)</option>', form)
    bea = next(number for number, name in names if name == "Bea")
    assert "Captain: Bea" in alice.post(f"/events/{event}/teams/{harbour.id}/captain", captain=bea)
    team = re.findall(r"/teams/(\d+)", text_of(post.last("bea@example.org", "events")))[-1]
    page = alice.get(f"/events/{event}/teams/{team}")
    number = re.search(r'<option value="(\d+)">Carl</option>', page)
    assert "Captain: Bea" in page and number is not None
    assert "Captain: Carl" in alice.post(f"/events/{event}/teams/{team}/captain", captain=number[1])
