"""The club Vendée over HTTP: founded, joined, its events made by the form, started, drafted and played."""

from __future__ import annotations

from typing import Any

from app.base.server import Server
from app.leagues.events import lifecycle, round_rows
from app.leagues.tables import CompetitionRound
from app.play.agreed import results
from app.web.visit import now
from tests.support.forms import Page
from tests.support.people import Browser, Enter, PostOffice

FORM = {
    "title": "ferry", "name": "Cup", "format": "swiss", "season": "2027", "rounds": "3", "legs": "1", "days": "3",
    "worth": "1 ½ 0 1 0,5", "open_to": "members", "round_days": "30",
    "tie_breaks.1": "points", "tie_breaks.2": "wins", "tie_breaks.3": "lots",
    "sign_up_until": f"{now().year + 1}-10-24",
}  # fmt: skip


def club_of(enter: Enter, *names: str) -> Browser:
    """Return Alice's browser; she has founded the club Vendée and put everybody on its list."""
    alice = enter("alice")
    alice.get("/clubs")
    alice.post("/clubs", slug="vendee", name="Vendée", about="Since 1998", language="en", zone="Europe/Paris")
    if names:
        alice.get("/clubs/vendee/members")
        lines = "\n".join(f"{name}@example.org,{name.title()}" for name in names)
        take_list(alice, "vendee", f"address,name\n{lines}")
    return alice


def take_list(browser: Browser, slug: str, text: str) -> str:
    """Give a list on the page of the members, and take it as the preview shows it; return the page that follows."""
    browser.get(f"/clubs/{slug}/members")
    browser.post(f"/clubs/{slug}/members/list", list=text)
    (form,) = (one for one in Page(browser.page.text).forms if one.action.endswith("/members/list/take"))
    return browser.post(form.action, **dict(form.fill(do="take")))


def enter_list(browser: Browser, event: int, text: str) -> str:
    """Give a list on the page of an event's players, and take it as the preview shows it; return what follows."""
    browser.get(f"/events/{event}/players")
    browser.post(f"/events/{event}/enter/list", list=text)
    (form,) = (one for one in Page(browser.page.text).forms if one.action.endswith("/members/list/take"))
    return browser.post(form.action, **dict(form.fill(do="take")))


def joined(post: PostOffice, enter: Enter, name: str) -> Browser:
    """Return the browser of a person who has accepted the club's invitation and signed in."""
    browser = enter(name)
    link = post.link(f"{name}@example.org", "clubs/invitation")
    browser.get(link)
    browser.post(link, answer="accept")
    return browser


def prepared(alice: Browser, status: int = 200, **more: Any) -> int:
    """Make an event by the form; return its number."""
    form = {**FORM, **{name.replace("__", "."): value for name, value in more.items()}}
    alice.get(f"/clubs/vendee/events/new?title={form['title']}")
    alice.post("/clubs/vendee/events/new", status, **form)
    return int(alice.page.request.path.split("/")[2]) if status == 200 else 0


def running(alice: Browser, *players: Browser, **more: Any) -> int:
    """Start an event of one division with these players."""
    event = prepared(alice, **more)
    alice.post(f"/events/{event}/open")
    for player in players:
        player.get(f"/events/{event}")
        player.post(f"/events/{event}/sign-up")
    alice.get(f"/events/{event}/manage")
    alice.post(f"/events/{event}/start")
    return event


def draft(alice: Browser, server: Server, event: int) -> str:
    """Return the page of a new draft of the event's first division."""
    with server.database.read() as session:
        division = lifecycle.get(session, event).divisions[0].id
    alice.get(f"/events/{event}/manage")
    alice.post(f"/events/{event}/pair", division=str(division))
    return alice.page.request.path


def of_round(server: Server, path: str) -> CompetitionRound:
    with server.database.read() as session:
        event, _, place = path.removeprefix("/events/").partition("/")
        return round_rows.at(session, lifecycle.get(session, int(event)), place)[0]


def play_out(server: Server, path: str) -> None:
    """Let the second seat of each game of a round resign."""
    for match in of_round(server, path).matches:
        if match.game_id and not match.ended:
            results.resign(server.database, match.game_id, match.seats[-1].player_id, now=now())
