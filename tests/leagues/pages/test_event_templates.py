"""Templates of events: the terms of one are saved under a name, and others start from them."""

from __future__ import annotations

from app.base.server import Server
from app.leagues.clubs import clubs
from app.leagues.events import event_templates, events
from app.leagues.pure.terms import write_terms
from tests.support.club_pages import club_of, joined, prepared
from tests.support.forms import Page
from tests.support.people import Enter, PostOffice, trail_lines

NEW = "/clubs/vendee/events/new"
DIVIDED = {
    "division.name": ["Gold", "Silver"], "division.promoted": ["0", "2"], "division.relegated": ["1", "0"],
    "division.id": ["", ""],
}  # fmt: skip


def test_terms_are_kept_and_an_event_starts_from_them(server: Server, enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter, "bob")
    bob = joined(post, enter, "bob")
    first = prepared(alice, name="Spring", days="9", rounds="5", **DIVIDED)
    assert "can keep its terms as a template" in alice.get(NEW)
    alice.get(f"/events/{first}/manage")
    assert "The terms are kept" in alice.post(f"/events/{first}/template", template="League terms")
    assert "has a template “league terms” already" in alice.post(
        f"/events/{first}/template", 422, template="league terms"
    )
    with server.database.read() as session:
        club = clubs.find(session, "vendee").id
        [kept] = event_templates.of_club(session, club)
    assert kept.parts == [["Gold", 0, 1], ["Silver", 2, 0]]
    page = alice.get(NEW)
    assert "League terms" in page and "2 divisions" in page
    alice.get(f"{NEW}?template={kept.id}")
    sent: dict[str, list[str]] = {}
    for name, value in Page(alice.page.get_data(as_text=True)).form("rounds").fill():
        sent.setdefault(name, []).append(value)
    assert [sent[name] for name in ("name", "rounds", "days", "sign_up_until")] == [
        ["League terms"],
        ["5"],
        ["9"],
        [""],
    ]
    assert [name for name in sent["division.name"] if name] == ["Gold", "Silver"]
    alice.post(NEW, **{**sent, "name": "Autumn", "season": "2028"})
    second = int(alice.page.request.path.split("/")[2])
    with server.database.read() as session:
        before, after = events.get(session, first), events.get(session, second)
        assert write_terms(after.terms) == write_terms(before.terms) and after.pace == before.pace
        assert [(one.name, one.promoted, one.relegated) for one in after.divisions] == [
            ("Gold", 0, 1),
            ("Silver", 2, 0),
        ]
        assert (after.season, after.format, after.options) == ("2028", before.format, before.options)
    alice.get(f"{NEW}?template=99", 404)
    bob.get(f"{NEW}?template={kept.id}", 403)
    bob.post(f"/events/{first}/template", 404, template="Mine")
    bob.post("/clubs/vendee/templates/forget", 403, forget=str(kept.id))
    alice.get(NEW)
    assert "thrown away" in alice.post("/clubs/vendee/templates/forget", forget=str(kept.id))
    alice.post("/clubs/vendee/templates/forget", 404, forget=str(kept.id))
    told = " ".join(trail_lines(alice.get("/clubs/vendee/audit")))
    assert "kept the terms as a template of the club: League terms" in told and "League terms” away" in told
