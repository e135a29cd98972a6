"""Another event like one of the club: its terms and divisions, without players, season and dates."""

from __future__ import annotations

import re

from app.base.server import Server
from app.leagues.events import lifecycle
from app.leagues.pure.terms import write_terms
from tests.support.club_pages import club_of, joined, prepared
from tests.support.forms import Page
from tests.support.people import Enter, PostOffice

NEW = "/clubs/vendee/events/new"
DIVIDED = {
    "division.name": ["Gold", "Silver"], "division.promoted": ["0", "2"], "division.relegated": ["1", "0"],
    "division.id": ["", ""],
}  # fmt: skip


def test_an_event_starts_from_the_terms_of_another(server: Server, enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter, "bob")
    bob = joined(post, enter, "bob")
    first = prepared(alice, name="Spring", days="9", rounds="5", season="2027", **DIVIDED)
    link = re.search(r'href="(/clubs/vendee/events/new\?like=\d+)"', alice.get(f"/events/{first}/manage"))
    assert link is not None
    alice.get(link[1])
    sent: dict[str, list[str]] = {}
    for name, value in Page(alice.page.get_data(as_text=True)).form("rounds").fill():
        sent.setdefault(name, []).append(value)
    kept = [sent[name] for name in ("name", "rounds", "days", "season", "sign_up_until")]
    assert kept == [["Spring"], ["5"], ["9"], [""], [""]]
    assert [name for name in sent["division.name"] if name] == ["Gold", "Silver"]
    alice.post(NEW, **{**sent, "name": "Autumn", "season": "2028"})
    second = int(alice.page.request.path.split("/")[2])
    assert second != first
    with server.database.read() as session:
        before, after = lifecycle.get(session, first), lifecycle.get(session, second)
        assert write_terms(after.terms) == write_terms(before.terms) and after.pace == before.pace
        assert [(one.name, one.promoted, one.relegated) for one in after.divisions] == [
            ("Gold", 0, 1),
            ("Silver", 2, 0),
        ]
        assert (after.season, after.format, after.options) == ("2028", before.format, before.options)
    alice.get(f"{NEW}?like=99", 404)
    bob.get(link[1], 403)
    bob.get("/clubs")
    bob.post("/clubs", slug="lantern", name="Lantern", about="", language="en", zone="Europe/Paris")
    bob.get(f"/clubs/lantern/events/new?like={first}", 404)
