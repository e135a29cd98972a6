"""The form of an event's terms: what it sends is what it shows, and what it refuses is marked, explained and not
stored.
"""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import update

from app.base.server import Server
from app.leagues.events import lifecycle
from app.leagues.pure.term_kinds import WrongTerm
from app.leagues.pure.terms import TERMS, read_terms
from app.leagues.pure.tiebreaks import RECIPES
from app.leagues.tables import Competition
from app.titles.pages import pages_of
from tests.support.club_pages import FORM, Enter, club_of, prepared
from tests.support.forms import Page
from tests.support.people import everything
from tests.support.tables import write


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"rounds": ""}, "Say how many rounds are played."),
        ({"rounds": "abc"}, "tables)” should be a whole number from 1 to 99."),
        ({"worth": "much"}, "where they differ)” should be three or five points such as 1, 0.5 or 1/3."),
        ({"format": "chess"}, "The formats are"),
        ({"tie_breaks.2": "points"}, "each once"),
        ({"format": "knockout", "drawn.1": "seed", "drawn.2": "seed"}, "each once"),
        ({"drawn.1": "coin"}, "should be some of the list"),
        ({"name": " "}, "A name is needed."),
        ({"sign_up_until": "tomorrow"}, "“tomorrow” is not a date"),
        ({"days": "0"}, "from 1 to 60"),
        ({"pace.zone": "Mars/Base"}, "“Time zone of these days and of this hour” should be a time zone such as"),
        ({"pace.hour": "25:00"}, "such as 20:00” should be a time of day such as 20:00."),
        ({"pace.bank": "3", "pace.cap": "1"}, "“Limit of a bank, in days” should be at least as much"),
        ({"pace.course": "gently"}, "Choose one of what is offered."),
        ({"division.name": ["A", "a"], "division.promoted": ["", ""], "division.relegated": ["", ""]}, "of its own"),
    ],
)
def test_wrong_terms_come_back_filled(server: Server, enter: Enter, wrong: dict[str, Any], said: str) -> None:
    alice = club_of(enter)
    alice.get("/clubs/vendee/events/new?title=ferry")
    before = everything(server)
    page = alice.post("/clubs/vendee/events/new", 422, **{**FORM, **wrong})
    assert said in page and ('value="2027"' in page)
    assert everything(server) == before


@pytest.mark.parametrize(
    ("wrong", "field", "said"),
    [
        ({"own_byes": "99999"}, "own_byes", "without asking (0: none)” should be a whole number from 0 to 9."),
        ({"own_byes": "²"}, "own_byes", "should be a whole number from 0 to 9."),
        ({"late_entries": "9" * 5000}, "late_entries", "late entries)” should be a whole number from 0 to 99."),
        ({"worth": "0 ½ 0"}, "worth", "should be points that do not rise from a win to a loss"),
        ({"worth": "1 1"}, "worth", "should be three or five points"),
        ({"withdrawal": "forget"}, "withdrawal", "“When somebody leaves” should be one of the list."),
        ({"tie_breaks.2": "points"}, "tie_breaks.1", "in this order” should be some of the list, each once,"),
        ({"sign_up_until": "2001-01-01"}, "sign_up_until", "Sign-up should end today at the earliest"),
        ({"sign_up_until": "9999-12-31"}, "sign_up_until", "within the next two years"),
        ({"pace": "yesterday"}, "pace", "There is no pace “yesterday”; choose one of the list."),
        ({"days": "61"}, "days", "from 1 to 60"),
        ({"season": "x" * 61}, "season", "a name has at most 60 characters"),
        ({"name": ""}, "name", "A name is needed."),
        ({"rounds": ""}, "rounds", "Say how many rounds are played."),
        ({"round_dates": "2027-02-01 20:00, 2027-01-01 20:00"}, "round_dates", "one after the other"),
        ({"round_dates": "2027-02-29 20:00"}, "round_dates", "one after the other"),
    ],
)  # fmt: skip
def test_a_refused_term_is_marked_with_its_reason_beside_it(
    server: Server, enter: Enter, wrong: dict[str, str], field: str, said: str
) -> None:
    """On the form of a new event and on that of an existing one, with everything else as it was typed."""
    alice = club_of(enter)
    event = prepared(alice)
    sent = {**FORM, "limit": "17", **wrong}
    for form, at in ((f"/clubs/vendee/events/new?title={FORM['title']}", "/clubs/vendee/events/new"),
                     (f"/events/{event}/terms", f"/events/{event}/terms")):  # fmt: skip
        alice.get(form)
        before = everything(server)
        page = alice.post(at, 422, **sent)
        assert said in " ".join(Page(page).complaint.split())
        beside = re.search(rf'<span class="wrong" id="{field.partition(".")[0]}-wrong">([^<]*)</span>', page)
        assert beside is not None and said in " ".join(html.unescape(beside[1]).split())
        marked = re.findall(
            r'<(?:input|select)[^>]* name="([^"]*)"[^>]* aria-invalid="true" aria-describedby="[^"]*-wrong">', page
        )
        assert marked[0] == field and {name.partition(".")[0] for name in marked} == {field.partition(".")[0]}
        assert "terms" not in said and re.search(r'name="limit"[^>]* value="17"', page)
        assert everything(server) == before


def test_the_end_of_sign_up_is_said_in_the_time_of_the_club(enter: Enter) -> None:
    new = f"/clubs/vendee/events/new?title={FORM['title']}&kind=swiss&weeks=8&days=5"
    new += f"&begins={datetime.now(UTC).date() + timedelta(days=30)}"
    page = club_of(enter).get(new)
    assert re.search(r"Sign-up closes on [A-Z][a-z]{2} \d+ [A-Z][a-z]{2}, 23:59 \(CES?T\)\.", page)


def test_points_by_place_are_refused_under_their_size(server: Server, enter: Enter) -> None:
    alice = club_of(enter)
    form = {**FORM, "title": "new-world", "format": "tables", "sizes": "4 3", "places.3": "2 1 0"}
    alice.get("/clubs/vendee/events/new?title=new-world")
    before = everything(server)
    for points, said in (
        ("3 1 2 0", "“Points by place at a table of 4” should be points that do not rise"),
        ("3 2 1", "“Points by place at a table of 4” should be the points of its 4 places"),
        ("3 2 1 x", "“Points by place at a table of 4” should be points such as 1, 0.5 or 1/3."),
    ):
        page = alice.post("/clubs/vendee/events/new", 422, **{**form, "places.4": points})
        assert said in page and re.search(r'name="places.4"[^>]* aria-invalid="true"', page), page
        assert page.count('aria-invalid="true"') == 1 and f'value="{points}"' in page
    assert everything(server) == before


def test_a_day_of_sign_up_that_has_come_does_not_hold_other_changes_up(server: Server, enter: Enter) -> None:
    alice = club_of(enter)
    event = prepared(alice)
    write(server.database, update(Competition).values(sign_up_until=datetime(2025, 5, 1, 21, 59, 59, tzinfo=UTC)))
    alice.get(f"/events/{event}/manage")
    changed = {**FORM, "limit": "17", "sign_up_until": "2025-05-01"}
    assert "Saved." in alice.post(f"/events/{event}/terms", **changed)
    assert "Sign-up should end" in alice.post(
        f"/events/{event}/terms", 422, **{**changed, "sign_up_until": "2025-05-02"}
    )


@pytest.mark.quick
def test_the_terms_that_the_form_shows_are_those_that_it_sends(server: Server, enter: Enter) -> None:
    """Saving the form untouched changes nothing, for every field."""
    alice = club_of(enter)
    event = prepared(alice, title="acres", division__name=["A", "B"], division__promoted=["", "1"],
                     division__relegated=["1", ""], pace="fischer", option__edition="first",
                     round_dates="2099-01-31 20:00, 2099-02-28T20:00")  # fmt: skip
    page = Page(alice.get(f"/events/{event}/terms"))
    form = next(form for form in page.forms if form.action.endswith("/terms"))
    sent: dict[str, list[str]] = {}
    for control in form.controls:
        if control.kind in ("radio", "checkbox") and not control.on:
            continue
        if control.name:
            sent.setdefault(control.name, []).append(control.value)
    before = everything(server)
    alice.post(f"/events/{event}/terms", **sent)
    assert everything(server) == before


def test_what_decides_a_drawn_match_is_chosen_by_name(server: Server, enter: Enter) -> None:
    """In the order of the fields; empty ones are left out, and a form that is refused keeps what was chosen."""
    alice = club_of(enter)
    chosen = {"drawn.2": "extra", "drawn.4": "lot"}
    refused = alice.post("/clubs/vendee/events/new", 422, **{**FORM, **chosen, "format": "knockout", "name": " "})
    field = refused.partition('name="drawn.2">')[2].partition("</select>")[0]
    assert '<option value="extra" selected>one more game</option>' in field and "second_side<" not in refused
    event = prepared(alice, format="knockout", **{name.replace(".", "__"): each for name, each in chosen.items()})
    with server.database.read() as session:
        assert lifecycle.get(session, event).terms.drawn == ("extra", "lot")
    said = "A drawn match of the knock-out is decided, in this order, by one more game and drawing of lots."
    assert said in alice.get(f"/events/{event}")


def test_names_that_are_too_long_are_refused_and_not_cut(server: Server, enter: Enter) -> None:
    alice, long = club_of(enter), "x" * 61
    before = everything(server)
    said = "is too long: a name has at most 60 characters."
    alice.get("/clubs")
    page = alice.post("/clubs", 422, slug="other", name=long, about="", language="en", zone="UTC")
    assert said in page and f'value="{long}"' in page
    alice.get("/clubs/vendee/events/new?title=ferry")
    for wrong in ({"name": long}, {"season": long}, {"division.name": [long, "B"]}):
        page = alice.post("/clubs/vendee/events/new", 422, **{**FORM, **wrong})
        assert said in page and f'value="{long}"' in page
    alice.get("/clubs/vendee/members")
    page = alice.post("/clubs/vendee/members/list", list=f"address,name\nb@example.org,B\na@example.org,{long}\n")
    assert "Line 3" in page and said in page
    assert everything(server) == before
    assert prepared(alice, name="x" * 60)


@pytest.mark.parametrize(
    ("title", "kind", "scores", "order"),
    [
        ("new-world", "league", True, "points, direct encounter, wins, difference of victory points"),
        ("new-world", "tables", True, "points, wins, share of the victory points"),
        ("ferry", "swiss", True, "points, direct encounter, wins, difference of victory points"),
        ("ferry", "swiss", False, "points, Buchholz without the lowest, Buchholz, Sonneborn-Berger, wins"),
        ("ferry", "league", False, "points, direct encounter, Sonneborn-Berger, wins"),
    ],
)
def test_ties_are_broken_as_kind_and_title_have_it(
    enter: Enter, monkeypatch: pytest.MonkeyPatch, title: str, kind: str, scores: bool, order: str
) -> None:
    alice = club_of(enter)
    monkeypatch.setattr(type(pages_of(title)), "scores", scores)
    page = " ".join(alice.get(f"/clubs/vendee/events/new?title={title}&kind={kind}&weeks=8&days=5").split())
    assert f"Places are decided, in this order, by {order}, " in page


def test_a_number_of_the_form_has_the_bounds_of_its_term(enter: Enter) -> None:
    alice, seen = club_of(enter), set()
    for kind in ("league", "swiss", "ladder", "teams", "stages", "tables"):
        title = "new-world" if kind == "tables" else "ferry"
        page = alice.get(f"/clubs/vendee/events/new?title={title}&kind={kind}&weeks=8&days=5")
        has_rounds = "A round" in page, "publish its rounds" in page, "a bye on request" in page
        assert any(has_rounds) == (kind != "ladder"), "club review, Minor"
        for name, least, most in re.findall(r'type="number" id="(\w+)"[^>]* min="(-?\d+)" max="(\d+)"', page):
            if name not in TERMS:
                continue
            seen.add(name)
            for value in (int(least), int(most)):
                assert getattr(read_terms({name: value}), name) == value
            for value in (int(least) - 1, int(most) + 1):
                with pytest.raises(WrongTerm):
                    read_terms({name: value})
    numbers = {name for name, term in TERMS.items() if term.kind.name == "number"}
    assert seen == numbers - {"legs"}, "which is chosen from a list"


def test_terms_that_are_refused_are_not_half_saved(server: Server, enter: Enter) -> None:
    alice = club_of(enter)
    event = prepared(alice, format="round_robin", rounds="")
    alice.get(f"/events/{event}/terms")
    with server.database.read() as session:
        before = lifecycle.get(session, event)
        rows = {"division.id": [str(before.divisions[0].id), "999999"], "division.name": ["A", "B"]}
    rows |= {"division.promoted": ["0", "0"], "division.relegated": ["0", "0"]}
    given = {"name": "Renamed", "format": "round_robin", "kind": "league", "pace": "", "days": "9"} | rows
    page = alice.post(f"/events/{event}/terms", 422, **given)
    assert "not there any more" in page
    with server.database.read() as session:
        after = lifecycle.get(session, event)
    assert (after.name, after.pace, after.terms) == (before.name, before.pace, before.terms)


def test_organisers_read_which_terms_of_an_earlier_version_are_gone(server: Server, enter: Enter) -> None:
    alice = club_of(enter)
    event = prepared(alice)
    with server.database.write() as session:
        session.execute(
            sa.text("UPDATE event SET terms = :terms"), {"terms": '{"rounds": 3, "floor": 1400, "win": "3"}'}
        )
        session.commit()
    alice.get("/clubs")
    said = "Nothing asks for a least rating at sign-up any more."
    assert said in alice.get(f"/events/{event}/manage") and said not in alice.get(f"/events/{event}")
    assert "A win is worth 3, a draw ½, a loss 0, a bye 1, a bye on request ½." in alice.get(f"/events/{event}")
    alice.get(f"/events/{event}/manage")
    alice.post(f"/events/{event}/terms", **FORM)
    assert said not in alice.get(f"/events/{event}/manage"), "the terms are new"


def test_tie_breaks_are_a_recipe_or_an_order_of_ones_own(server: Server, enter: Enter) -> None:
    alice = club_of(enter)
    page = alice.get(f"/clubs/vendee/events/new?title={FORM['title']}&kind=swiss&weeks=8&days=5")
    recipes = re.findall(r'<option value="(\w+)"', page.split('name="recipe"')[1].partition("</select>")[0])
    assert recipes == ["difference", "sonneborn_berger", "buchholz", "own"] and 'id="tie_breaks.1"' not in page
    event = prepared(alice, recipe="buchholz")
    with server.database.read() as session:
        assert lifecycle.get(session, event).terms.tie_breaks == RECIPES["buchholz"]
    alice.get(f"/events/{event}/terms")
    orders = {f"tie_breaks.{n}": name for n, name in enumerate(RECIPES["buchholz"], 1)}
    page = alice.post(f"/events/{event}/terms", **FORM | orders, recipe="own", do="keep.points")
    second = page.partition('name="tie_breaks.2"')[2].partition("</select>")[0]
    assert '<option value="buchholz_cut1" selected' in second
