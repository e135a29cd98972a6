"""Clubs and events over HTTP and mail: founding, inviting, roles, terms, sign-up, the round loop, who may see what."""

from __future__ import annotations

import io
import json
import re
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
from sqlmodel import col, select

from app.base.server import Server
from app.base.stored.mail_tables import OutboxMail
from app.games.tables import Game
from app.leagues.clubs import club_rights, members
from app.leagues.events import entries, lifecycle
from app.people import accounts
from app.web.visit import now
from tests.support.club_pages import (
    FORM,
    Enter,
    club_of,
    draft,
    enter_list,
    joined,
    of_round,
    play_out,
    prepared,
    running,
    take_list,
)
from tests.support.forms import Page
from tests.support.people import BASE, BOTH, Browser, PostOffice, everything, text_of

# -- clubs --------------------------------------------------------------------------------------------


def test_somebody_founds_a_club_and_others_come_by_mail(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = club_of(enter)
    alice.get("/clubs/vendee/members")
    assert "on its way" in alice.post("/clubs/vendee/members/invite", address="bob@example.org")
    mail = post.last("bob@example.org", "clubs/invitation")
    assert mail["Subject"] == "alice invites you to the club Vendée"
    with server.database.read() as session:
        there = accounts.find(session, "bob@example.org")
        assert there and (there.zone, there.zone_chosen) == ("Europe/Paris", None), "until a browser says more"
    assert "Since 1998" in text_of(mail)
    link, before = post.link("bob@example.org", "clubs/invitation"), everything(server)
    for _ in range(3):
        assert "you are invited to the club Vendée" in stranger.get(link)
    assert everything(server) == before, "looking at the link accepts nothing"
    assert "You belong to the club now" in stranger.post(link, answer="accept")
    assert "does not hold any more" in stranger.get(link, 410)
    page = stranger.get("/clubs/vendee")
    assert "Since 1998" in page and "2 members" in page and "@example.org" not in page
    bob = enter("bob")
    page = bob.get("/clubs/vendee")
    assert "alice" in page and "@example.org" not in page, "members see names, never addresses"
    assert "alice@example.org" in alice.get("/clubs/vendee/members")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("address,name\nb@example.org,Bob\nnonsense,Carol", "Line 3: “nonsense” is not an email address."),
        ("address\nb@example.org\nB@example.org", "Line 3: The address stands in line 2 already."),
        ("address,role\nb@example.org,king", "Line 2: The roles are"),
        ("", "The list has no lines"),
    ],
)
def test_a_wrong_list_invites_nobody_and_comes_back(server: Server, enter: Enter, text: str, said: str) -> None:
    alice = club_of(enter)
    alice.get("/clubs/vendee/members")
    before = everything(server)
    page = alice.post("/clubs/vendee/members/list", 200 if text else 422, list=text)
    assert said in page
    assert text or "<details open><summary>Invite</summary>" in page, "with what was written in sight"
    assert everything(server) == before


def test_a_list_can_be_a_file(enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter)
    alice.get("/clubs/vendee/members")
    latin = (io.BytesIO("address;name\ne@example.org;É".encode("latin-1")), "list.csv")
    assert "É" in alice.post("/clubs/vendee/members/list", list="", file=latin)
    good = (io.BytesIO("\ufeffaddress;name\ne@example.org;Étienne".encode()), "list.csv")
    page = alice.post("/clubs/vendee/members/list", list="", file=good)
    assert "1 person is invited" in page and not post.all("e@example.org")
    take_list(alice, "vendee", "\ufeffaddress;name\ne@example.org;Étienne")
    assert "Étienne" in text_of(post.last("e@example.org"))


def test_roles_are_given_by_owners_and_the_last_owner_stays(server: Server, enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter, "bob", "carol")
    bob, carol = joined(post, enter, "bob"), joined(post, enter, "carol")
    page = bob.get("/clubs/vendee/members", 403)
    assert "This needs the role “deputy” in the club" in page and "@example.org" not in page
    with server.database.read() as session:
        club = club_rights.find(session, "vendee").id
        number = {one.name: one.player_id for one in members.members(session, club)}
    alice.get("/clubs/vendee/members")
    alice.post("/clubs/vendee/members/role", player=str(number["Bob"]), role="organiser")
    bob.get("/clubs/vendee/members")
    assert "needs the role “owner”" in bob.post(
        "/clubs/vendee/members/role", 403, player=str(number["Carol"]), role="owner"
    )
    assert "Only an owner" in bob.post("/clubs/vendee/members/invite", 403, address="d@example.org", role="owner")
    assert "Give a reason" in bob.post("/clubs/vendee/members/remove", 422, player=str(number["Carol"]), reason=" ")
    bob.post("/clubs/vendee/members/remove", player=str(number["Carol"]), reason="moved away")
    assert "you: member" not in carol.get("/clubs/vendee")
    carol.get("/clubs/vendee/audit", 403)
    page = alice.get("/clubs/vendee/audit")
    assert "Bob took Carol out of the club." in page and "moved away" in page and "gave Bob another role" in page
    alice.get("/clubs/vendee")
    assert "Tick the box" in alice.post("/clubs/vendee/leave", 422)
    assert "keeps at least one owner" in alice.post("/clubs/vendee/leave", 422, sure="yes")


def test_what_is_not_there_is_404_and_forms_ask_for_a_login(enter: Enter, stranger: Browser) -> None:
    alice = club_of(enter)
    for path in ("/clubs/nowhere", "/events/7", "/events/7/manage", "/events/7/standings.csv"):
        assert "There is nothing at this address." in alice.get(path, 404), path
    assert "There is nothing at this address." in alice.get("/events/99999999999", 404), "no number of any event"
    for path in ("/clubs/vendee/members", "/clubs/vendee/audit", "/clubs/vendee/events/new"):
        assert "/sign-in" in (stranger.get(path, 303) and stranger.page.headers["Location"])
    for text in ("The address of a club", "There is a club at “vendee” already"):
        slug = "Not a slug" if text.startswith("The address") else "vendee"
        alice.get("/clubs")
        page = alice.post("/clubs", 422, slug=slug, name="Second", language="en", zone="UTC")
        assert text in page and 'value="Second"' in page
    for name, slug in (("Chess & Cards Lucca", "chess-cards-lucca"), ("Les Épées d’Ys", "les-epees-d-ys")):
        alice.post("/clubs", slug="", name=name, language="en", zone="UTC")
        assert "Invite members" in alice.get(f"/clubs/{slug}"), "its address is made of its name"
    assert "The address of a club" in alice.post("/clubs", 422, slug="", name="将棋", language="en", zone="UTC")


# -- events -------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_an_event_is_made_with_all_its_terms_and_changed_until_the_start(
    server: Server, enter: Enter, stranger: Browser
) -> None:
    alice = club_of(enter)
    event = prepared(
        alice, limit="8", withdrawal="annul", timeout="zero", share="both",
        division__name=["First", "Second", ""], division__promoted=["", "2", ""],
        division__relegated=["2", "", ""], pace__off=["sat", "sun"], pace__bank="10",
    )  # fmt: skip
    with server.database.read() as session:
        made = lifecycle.get(session, event)
    terms = made.terms
    assert (terms.rounds, terms.round_days, terms.limit) == (3, 30, 8)
    assert terms.worth == (1, Fraction(1, 2), 0, 1, Fraction(1, 2))
    assert (terms.withdrawal, terms.timeout, terms.share) == ("annul", "zero", "both")
    assert terms.tie_breaks == ("points", "wins", "lots") and made.pace.days_off == ("sat", "sun")
    assert [(d.name, d.promoted, d.relegated) for d in made.divisions] == [("First", 0, 2), ("Second", 2, 0)]
    stranger.get(f"/events/{event}", 404)
    page = alice.get(f"/events/{event}")
    for said in ("3 rounds are played.", "All games of a player who leaves are void.", "points, wins", "sat"):
        assert said.lower() in page.lower() or said == "sat"
    # The unchanged form changes nothing; the rows of divisions are renamed, removed and added.
    ids = [str(division.id) for division in made.divisions]
    alice.get(f"/events/{event}/manage")
    same = {
        **FORM,
        "limit": "9",
        "season": "2028",
        "division.id": [ids[0], "", ""],
        "division.name": ["Premier", "Third", ""],
    }
    alice.post(f"/events/{event}/terms", **same)
    with server.database.read() as session:
        changed = lifecycle.get(session, event)
    assert [division.name for division in changed.divisions] == ["Premier", "Third"]
    assert str(changed.divisions[0].id) == ids[0] and changed.terms.limit == 9
    page = alice.get("/clubs/vendee/audit")
    plain = re.sub(r"</?del>", "", page)
    assert "changed the terms of the event" in page and "Season: 2027 → 2028" in plain
    before, after = plain.partition("Terms: ")[2].partition("</li>")[0].split(" → ")
    assert "At most 8 play;" in before and "At most 9 play;" in after and "draw" not in before


def test_sign_up_says_which_check_fails(enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter, "bob")
    carol = enter("carol")
    event = prepared(alice, limit="2", own_byes="1")
    alice.post(f"/events/{event}/open")
    page = carol.get(f"/events/{event}")
    assert "This event is for members of the club" in page and "Sign up</button>" not in page
    carol.get("/clubs")
    assert "members of the club" in carol.post(f"/events/{event}/sign-up", 422)
    bob = joined(post, enter, "bob")
    bob.get(f"/events/{event}")
    assert "You are in." in bob.post(f"/events/{event}/sign-up")
    early = json.loads(carol.get(f"/events/{event}/standings.json"))
    assert early["lots"] is None and early["divisions"] == [], "they would tell the first pairing"
    assert "SHA-256" not in page, "and so would those of the page"
    assert "Only rounds that are not published" in bob.post(f"/events/{event}/rounds-off", 422, away="0")
    assert "whole numbers" in bob.post(f"/events/{event}/rounds-off", 422, away="two")
    assert 'value="2"' in bob.post(f"/events/{event}/rounds-off", away="2")
    assert 'name="byes" value="1"' in bob.post(f"/events/{event}/rounds-off", away="2", byes="1")
    assert "at most; ask an organiser" in bob.post(f"/events/{event}/rounds-off", 422, byes="1, 2")
    page = bob.get(f"/events/{event}/withdraw")
    assert "No game is touched" in page and "whoever has left can enter it again" in page
    assert "Tick the box" in bob.post(f"/events/{event}/withdraw", 422)
    assert "You have left the event." in bob.post(f"/events/{event}/withdraw", sure="yes")


def test_an_organiser_enters_divides_and_takes_out(server: Server, enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter, "bob")
    bob = joined(post, enter, "bob")
    event = prepared(
        alice, division__name=["A", "B"], division__promoted=["", ""], division__relegated=["", ""], rounds="1"
    )
    with server.database.read() as session:
        club = club_rights.find(session, "vendee").id
        number = {one.name: one.player_id for one in members.members(session, club)}
    alice.get(f"/events/{event}/manage")
    alice.post(f"/events/{event}/enter", 422, player="999")
    alice.post(f"/events/{event}/enter", 422)
    assert "Line 2" in alice.post("/clubs/vendee/members/list", list="carol@example.org\nCarol")
    page = alice.post(f"/events/{event}/enter/list", list="Bob\nCarol\nalice@example.org")
    assert "Not one member is called “Carol”" in page and "2 members are entered in Cup." in page
    (form,) = (one for one in Page(alice.page.text).forms if one.action.endswith("/members/list/take"))
    assert "Nothing was taken" in alice.post(form.action, 422, **dict(form.fill(do="take")))
    with server.database.read() as session:
        assert not entries.entrants(session, event), "a list with a fault enters nobody"

    page = enter_list(alice, event, "Bob, bob@example.org\n Zoe Alt <zoe@example.net>\n")
    assert "have an invitation to the club" in page and post.link("zoe@example.net", "clubs/invitation")
    assert "once they have joined it: Zoe Alt" in page
    assert "once they have accepted it" in enter_list(alice, event, "Zoe Alt\nBob bob@example.org")
    alice.get(f"/events/{event}/players")
    page = alice.post(f"/events/{event}/enter", player=str(number["Bob"]))
    assert f'name="players" value="{number["alice"]}"' in page and f'name="players" value="{number["Bob"]}"' not in page
    assert "Enter players</a>" in alice.post(f"/events/{event}/open"), "before it can be started"
    alice.post(f"/events/{event}/enter", everybody="1")
    assert "Start the event</button>" in alice.get(f"/events/{event}/manage")
    assert "Give everybody who plays a division first: " in alice.post(f"/events/{event}/start", 422)
    with server.database.read() as session:
        there = entries.entrants(session, event)
        divisions = lifecycle.get(session, event).divisions
    alice.post(f"/events/{event}/divisions", by="rating")
    with server.database.read() as session:
        assert {one.division_id for one in entries.entrants(session, event)} == {one.id for one in divisions}
    alice.post(f"/events/{event}/divisions", **{f"entry.{entrant.id}": str(divisions[0].id) for entrant in there})
    assert "B has 0 players; 2 are needed." in alice.post(f"/events/{event}/start", 422)
    bob.get(f"/events/{event}/manage", 403)
    bob.get(f"/events/{event}/withdraw?player={number['alice']}", 403)
    bob.post(f"/events/{event}/start", 403)
    bob.post(f"/events/{event}/pair", 403, division=str(divisions[0].id))
    path = f"/events/{event}/withdraw?player={number['Bob']}"
    alice.post(path, player=str(number["Bob"]), sure="yes", reason="by mistake")
    alice.post(f"/events/{event}/enter", player=str(number["Bob"]))
    with server.database.read() as session:
        back = entries.entrant_of(session, event, number["Bob"])
        assert back is not None and back.division_id == divisions[0].id, "out and back keeps the division"
    assert "Take Bob out of Cup?" in alice.get(path)
    assert "Give a reason" in alice.post(path, 422, player=str(number["Bob"]), sure="yes", reason="")
    alice.post(path, player=str(number["Bob"]), sure="yes", reason="asked for it")
    assert "An organiser has taken you out of this event" in bob.get(f"/events/{event}")
    page = alice.get(f"/events/{event}/cancel")
    assert "A mail with your reason goes to 1 player:" in page and "game still runs" not in page
    bob.get(f"/events/{event}/cancel", 403)
    assert "Give a reason" in alice.post(f"/events/{event}/cancel", 422, reason="")
    assert "The event is cancelled." in alice.post(f"/events/{event}/cancel", reason="too few")
    assert "too few" in alice.get("/clubs/vendee/audit")


@pytest.mark.quick
@BOTH
def test_a_round_is_paired_reviewed_published_played_and_closed(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = club_of(enter, "bob", "carol", "dora")
    bob, carol, dora = (joined(post, enter, name) for name in ("bob", "carol", "dora"))
    event = running(alice, alice, bob, carol, dora)
    path = draft(alice, server, event)
    assert "Draft of round 1" in alice.get(path) and "against number" in alice.get(path)
    for other in (bob, stranger):
        other.get(path, 404)
        assert "Round 1" not in other.get(f"/events/{event}")
    before = everything(server)
    page = alice.get(path)
    assert "2 games start." in page and everything(server) == before
    bob.get(path, 404)
    alice.get(path)
    assert 'type="datetime-local"' in page and "Europe/Paris" in page
    assert "is not a date with an hour" in alice.post(f"{path}/publish", 422, version="1", until="tomorrow")
    assert "lies in the future" in alice.post(f"{path}/publish", 422, version="1", until="2001-01-01T20:00")
    late = f"{now().year + 1}-01-15T20:00"
    assert "its mails are on their way" in alice.post(
        f"{path}/publish", version="1", until=late, club_zone="Europe/Paris"
    )
    ends = of_round(server, path).due_at
    assert ends and f"{ends:%m-%d %H:%M}" == "01-15 19:00", "an hour in the zone of the club"
    again = alice.post(f"{path}/publish", 409, version="1")
    assert "This has been done already." in again
    with server.database.read() as session:
        kinds = sorted(session.exec(select(OutboxMail.kind).where(col(OutboxMail.game_id).is_not(None))))
    assert kinds == ["event_round"] * 4 + ["turn"] * 2, "exactly these"
    told = [mail for mail in post.all("bob@example.org") if "round 1" in str(mail["Subject"])]
    assert len(told) == 1 and f"{BASE}/events/{event}" in text_of(told[0]) and "/t/" not in text_of(told[0])
    assert "Pace: 3 days for each move" in text_of(told[0])
    body = told[0].get_body(("html",))
    assert body is not None and "The round should be over by" in body.get_content()
    match = of_round(server, path).matches[0]
    page = alice.post(f"{path}/close", 422)
    assert "2 games still run" in page and f"{match.game_id}" in page
    play_out(server, path)
    assert "its results stand" in alice.post(f"{path}/close")
    page = stranger.get(path)
    assert "closed on" in page and "upper half against lower half" in page
    with server.database.write() as session:
        session.connection().exec_driver_sql("UPDATE player SET sign = 'star' WHERE name = 'Bob'")
        session.commit()
    for shown, often in ((path, 1), (f"/events/{event}", 1)):
        assert stranger.get(shown).count('class="own-sign"') == stranger.get(shown).count("</svg> Bob") == often
    second = draft(alice, server, event)
    assert "looked at before" in alice.get(second) and "They have met in round 1." in alice.get(second)
    assert "thrown away" in alice.post(f"{second}/discard", version="1")
    alice.post(f"{second}/discard", 404, version="1")


@BOTH
def test_of_two_organisers_who_press_at_once_one_publishes(server: Server, enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter, "bob", "carol", "dora")
    players = [joined(post, enter, name) for name in ("bob", "carol", "dora")]
    with server.database.read() as session:
        club = club_rights.find(session, "vendee").id
        bob = next(one.player_id for one in members.members(session, club) if one.name == "Bob")
    alice.get("/clubs/vendee/members")
    alice.post("/clubs/vendee/members/role", player=str(bob), role="deputy")
    event = running(alice, alice, *players)
    path = draft(alice, server, event)
    both = (alice, players[0])
    for browser in both:
        browser.get(path)

    def press(browser: Browser) -> int:
        form = {"csrf_token": browser.token, "version": "1"}
        return browser.client.post(f"{path}/publish", data=form, headers=browser.headers).status_code

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(press, both)) == [303, 409]
    games = [match.game_id for match in of_round(server, path).matches]
    with server.database.read() as session:
        assert sorted(games) == list(session.scalars(select(Game.id).order_by(Game.id))), "no game twice"
    assert alice.get("/clubs/vendee/audit").count("published round 1") == 1


def test_a_draft_is_seated_by_hand_with_a_reason(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = club_of(enter, "bob", "carol", "dora")
    event = running(alice, alice, *(joined(post, enter, name) for name in ("bob", "carol", "dora")))
    path = draft(alice, server, event)
    one, two = ([str(seat.entry_id) for seat in match.seats] for match in of_round(server, path).matches)

    def seats(first: list[str], second: list[str], **more: str) -> dict[str, str]:
        return {
            "seat.1.1": first[0], "seat.1.2": first[1], "seat.2.1": second[0], "seat.2.2": second[1], "seat.3.1": "",
            "seat.3.2": "", "version": "1", "reason": "they share a car", **more,
        }  # fmt: skip

    page = alice.post(f"{path}/edit", 422, **seats(one, one))
    assert "sits in one place, once" in page and "they share a car</textarea>" in page
    assert "Give a reason" in alice.post(f"{path}/edit", 422, **seats(one, two, reason=""))
    assert "The kinds of bye" in alice.post(f"{path}/edit", 422, **seats(one, two, **{"bye.1": "1", "kind.1": "x"}))
    alice.post(f"{path}/edit", **seats([one[0], two[0]], [one[1], two[1]]))
    assert [[str(seat.entry_id) for seat in match.seats] for match in of_round(server, path).matches] == [
        [one[0], two[0]], [one[1], two[1]]
    ]  # fmt: skip
    assert "This has been changed meanwhile" in alice.post(f"{path}/edit", 409, **seats(one, two))
    assert "This has been changed meanwhile" in alice.post(f"{path}/publish", 409, version="1")
    assert alice.get(path).count("alice seated this by hand. The reason: “they share a car”") == 2
    page = alice.get("/clubs/vendee/audit")
    assert "changed the draft of round 1 by hand" in page and "they share a car" in page and "Carol" in page
    bye = {"seat.1.1": one[0], "seat.1.2": one[1], "bye.1": two[0], "kind.1": "half_bye", "bye.2": two[1]}
    alice.post(f"{path}/edit", version="2", reason="ill", **bye, **{"kind.2": "zero_bye"})
    byes = [match for match in of_round(server, path).matches if match.is_bye]
    alice.post(f"{path}/publish", version="3")
    assert stranger.get(path).count("alice seated this by hand. The reason: “ill”") == 3
    assert [(match.ended, match.seats[0].points) for match in byes] == [("half_bye", Fraction(1, 2)), ("zero_bye", 0)]


def test_leaving_a_running_event_is_previewed(server: Server, enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter, "bob", "carol")
    bob, carol = joined(post, enter, "bob"), joined(post, enter, "carol")
    event = running(alice, alice, bob, carol, format="round_robin", withdrawal="walkover")
    for _ in range(3):
        path = draft(alice, server, event)
        alice.get(path)
        alice.post(f"{path}/publish", version="1")
    before = everything(server)
    page = bob.get(f"/events/{event}/withdraw")
    assert "These games are lost" in page and page.count("game ") == 2 and everything(server) == before
    bob.post(f"/events/{event}/withdraw", sure="yes")
    page = carol.get(f"/events/{event}")
    assert "won without playing" in page
    standings = page.partition("Standings of")[2].partition("</table>")[0]
    assert "games won without playing: 1" in standings, "a point without a game says where it comes from"
    assert "Nobody would be left to play against" in carol.post(f"/events/{event}/withdraw", 422, sure="yes")
    assert "This has been done already." in bob.get(f"/events/{event}/withdraw")
