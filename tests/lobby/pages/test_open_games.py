"""Tables over HTTP and mail: made, offered, joined, declined, cancelled, started."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask
from sqlalchemy import select

from app.base.server import Server
from app.base.words.refusals import NotAccepted
from app.games.tables import GameSeat
from app.lobby import listing, open_games
from app.people.tables import Player
from tests.support.people import BASE, BOTH, Browser, Enter, PostOffice, everything, make_table, text_of
from tests.support.tables import NOW

FERRY = "/games/new/ferry"


def seats_of(server: Server, game_id: int) -> dict[str, str | None]:
    """Who sits where."""
    with server.database.read() as session:
        asked = (
            select(GameSeat.seat, Player.name)
            .outerjoin(Player, Player.id == GameSeat.player_id)
            .where(GameSeat.game_id == game_id)
            .order_by(GameSeat.place)
        )
        return {row.seat: row.name for row in session.execute(asked)}


@pytest.mark.quick
def test_an_invited_player_accepts_from_the_mail_and_the_game_starts(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = enter("alice")
    game = make_table(alice, "acres", offer__british="me", offer__french="mail", address__french="bob@example.org")
    assert "waiting for players" in alice.get(f"/games/{game}")
    mail = post.last("bob@example.org", "invitation")
    assert mail["Subject"] == "alice invites you to A Few Acres of Snow · #1"
    assert "unsubscribe" in mail["List-Unsubscribe"] and "You would play: French" in text_of(mail)
    link, before = post.link("bob@example.org", "invitation"), everything(server)
    for _ in range(50):
        assert "this seat is offered to you" in stranger.get(link)
    assert everything(server) == before
    assert "the game has begun" in stranger.post(link, answer="accept")
    assert seats_of(server, game) == {"british": "alice", "french": "bob"}
    assert "accepted already" in stranger.get(link, 410)
    stranger.post(link, 410, answer="decline")
    assert "Your turn" in post.subjects("alice@example.org")[-1]
    assert "has begun" in post.subjects("bob@example.org")[-1]
    assert f"{BASE}/games/{game}" in text_of(post.all("bob@example.org")[-1])


@BOTH
def test_five_seats_fill_in_every_way(server: Server, enter: Enter, post: PostOffice) -> None:
    alice, carol = enter("alice"), enter("carol")
    seats = {"offer__red": "me", "offer__blue": "mail", "address__blue": "bob@example.org"}
    game = make_table(alice, "ferry", **seats, offer__green="open", offer__gold="link")
    page = carol.get("/tables")
    assert f"/games/{game}" in page and "Free: Green" in page
    carol.get(f"/games/{game}")
    assert "You have a seat" in carol.post(f"/games/{game}/join", place="2")
    assert "You sit at this table already." in carol.post(f"/games/{game}/join", 422, place="2")
    private = re.search(rf"{BASE}(/join/\S+?)<", alice.get(f"/games/{game}"))
    assert private
    assert "/join/" not in carol.get(f"/games/{game}")
    dora = Browser(carol.client.application)
    assert "alice offers you a seat" in dora.get(private[1])
    dora.post("/sign-in", address="dora@example.org", then=private[1])
    link = post.link("dora@example.org", "sign-in")
    dora.get(link)
    dora.post(link.partition("?")[0], then=private[1])
    assert "the game starts when all seats are taken" in dora.post(private[1]).lower()
    alice.post(post.link("bob@example.org", "invitation"), answer="accept")
    assert seats_of(server, game) == {"red": "alice", "blue": "bob", "green": "carol", "gold": "dora"}
    assert [s for s in post.subjects("alice@example.org") if "Your turn" in s]
    for who in ("bob", "carol", "dora"):
        assert len([s for s in post.subjects(f"{who}@example.org") if "has begun" in s]) == 1
    carol.get(private[1], 410)


def test_declining_tells_the_host_who_offers_the_seat_anew(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = enter("alice")
    game = make_table(alice, offer__red="me", offer__blue="mail", address__blue="bob@example.org")
    link = post.link("bob@example.org", "invitation")
    assert "Declined" in stranger.post(link, answer="decline")
    assert "bob does not play Ferry" in post.subjects("alice@example.org")[-1]
    assert f"/games/{game}" not in stranger.get("/tables")  # not open to all because one player declined
    alice.get(f"/games/{game}")
    assert "The seat is offered." in alice.post(f"/games/{game}/offer", place="1", how="open")
    assert f"/games/{game}" in stranger.get("/tables")
    assert "The seat is offered." in alice.post(
        f"/games/{game}/offer", place="1", how="mail", address="bob@example.org"
    )
    stranger.post(post.link("bob@example.org", "invitation"), answer="accept")
    assert seats_of(server, game) == {"red": "alice", "blue": "bob"}


def test_another_offer_ends_the_link_before(enter: Enter, post: PostOffice, stranger: Browser) -> None:
    alice = enter("alice")
    game = make_table(alice, offer__red="me", offer__blue="link")
    first = re.search(rf"{BASE}(/join/\S+?)<", alice.get(f"/games/{game}"))
    alice.post(f"/games/{game}/offer", place="1", how="mail", address="bob@example.org")
    second = post.link("bob@example.org", "invitation")
    alice.post(f"/games/{game}/offer", place="1", how="mail", address="carol@example.org")
    assert first
    stranger.get(first[1], 410)
    assert "does not wait for your answer any more" in stranger.post(second, 410, answer="accept")


def test_sides_are_drawn_when_the_game_starts(server: Server, enter: Enter, post: PostOffice) -> None:
    alice, seen = enter("alice"), set()
    enter("bob")
    for _ in range(12):
        form = {"offer__red": "me", "offer__blue": "mail", "address__blue": "bob@example.org", "sides": "drawn"}
        game = make_table(alice, **form)
        assert "The sides are drawn" in text_of(post.last("bob@example.org", "invitation"))
        alice.post(post.link("bob@example.org", "invitation"), answer="accept")
        seen.add(seats_of(server, game)["red"])
    assert seen == {"alice", "bob"}


def test_options_reach_the_game(server: Server, enter: Enter, post: PostOffice) -> None:
    alice = enter("alice")
    seats = {"offer__british": "me", "offer__french": "open"}
    options = {"option.edition": "first", "option.reserve_limit.number": "3", "option.raid_siege_limits": "yes"}
    alice.get("/games/new/acres")
    page = alice.post("/games/new/acres", days="3", **seats, **options)
    assert "First edition" in page and "Most cards in the reserve: 3" in page
    with server.database.read() as session:
        table = listing.open_tables(session)[0]
    options = {"edition": "first", "raid_siege_limits": True, "reserve_limit": 3}
    assert table.title.write_options(table.title.kept_options(table.row.options)) == options
    assert table.pace.decision == 3 * 86400


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"offer__red": "me"}, "2 to 4 of"),
        ({"offer__red": "me", "offer__blue": "me"}, "one seat yourself"),
        ({"offer__red": "me", "offer__blue": "mail", "address__blue": "bob"}, "is not an email address"),
        ({"offer__red": "me", "offer__blue": "mail", "address__blue": " "}, "An email address is missing here"),
        ({"offer__red": "me", "offer__blue": "mail", "address__blue": "ALICE@example.org"}, "your own address"),
        (
            {
                "offer__red": "mail", "address__red": "bob@example.org", "offer__blue": "mail",
                "address__blue": "Bob@example.org",
            },
            "one seat only",
        ),
        ({"offer__red": "me", "offer__blue": "open", "days": "0"}, "from 1 to 60"),
        ({"offer__red": "me", "offer__blue": "open", "days": "²"}, "from 1 to 60"),
        ({"offer__red": "me", "offer__blue": "open", "option__turns__number": "x"}, "not a whole number"),
        ({"offer__red": "me", "offer__blue": "open", "option__turns__number": "500"}, "1 to 100"),
    ],
)  # fmt: skip
def test_a_wrong_form_comes_back_filled_and_makes_nothing(
    form: dict[str, str], reason: str, server: Server, enter: Enter
) -> None:
    alice = enter("alice")
    alice.get(FERRY)
    before = everything(server, but="rate_count")
    page = alice.post(FERRY, 422, **{"days": "9", **form})
    assert reason in page and 'role="alert"' in page
    assert f'value="{form.get("days", "9")}"' in page
    for name, value in form.items():
        if name.startswith("address"):
            assert f'value="{value}"' in page
    assert everything(server, but="rate_count") == before


def test_only_the_host_offers_and_cancels(server: Server, enter: Enter, post: PostOffice) -> None:
    alice, bob = enter("alice"), enter("bob")
    game = make_table(
        alice, offer__red="me", offer__blue="open", offer__green="mail", address__green="carol@example.org"
    )
    bob.get(f"/games/{game}")
    bob.post(f"/games/{game}/join", place="1")
    invitation = post.link("carol@example.org", "invitation")
    before = everything(server)
    assert "Only the host" in bob.post(f"/games/{game}/cancel", 422)
    assert "Only the host" in bob.post(f"/games/{game}/offer", 422, place="2", how="open")
    assert "You are the host" in alice.post(f"/games/{game}/leave", 422)
    assert everything(server) == before
    alice.post(f"/games/{game}/cancel")
    assert "cancelled" in alice.get(f"/games/{game}")
    for who in ("bob", "carol"):
        assert "is cancelled" in post.subjects(f"{who}@example.org")[-1]
    assert "not open any more" in bob.post(f"/games/{game}/join", 409, place="1")
    bob.get(invitation, 410)


def test_whoever_leaves_frees_the_seat(server: Server, enter: Enter) -> None:
    alice, bob = enter("alice"), enter("bob")
    game = make_table(alice, offer__red="me", offer__blue="open", offer__green="open")
    bob.get(f"/games/{game}")
    bob.post(f"/games/{game}/join", place="1")
    bob.get(f"/games/{game}")
    assert "You have left the table." in bob.post(f"/games/{game}/leave")
    assert seats_of(server, game) == {"red": "alice", "blue": None, "green": None}
    bob.post(f"/games/{game}/join", place="1")


def test_a_stranger_s_mailed_link_takes_the_seat(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = enter("alice")
    game = make_table(alice, "ferry", offer__red="me", offer__blue="open")
    page = stranger.get(f"/games/{game}")
    assert page.index("Sit down") < page.index("Pace:")
    stranger.post(f"/games/{game}/ask-seat", place="1", address="newcomer@example.org")
    assert seats_of(server, game)["blue"] is None
    link = post.link("newcomer@example.org", "sign-in")
    confirm = stranger.get(link)
    assert "Sign in and sit down" in confirm and seats_of(server, game)["blue"] is None
    then = re.search(r'name="then" value="([^"]+)"', confirm)
    assert then
    assert "begun" in stranger.post(link, then=then[1])
    assert seats_of(server, game)["blue"] == "newcomer"
    assert stranger.get(then[1], 303) is not None  # a scanner that follows it takes nothing
    assert Browser(stranger.client.application).post(then[1], follow=False, status=303) is not None


def test_a_table_tells_strangers_no_invited_names(enter: Enter, stranger: Browser) -> None:
    alice = enter("alice")
    game = make_table(alice, offer__red="me", offer__blue="mail", address__blue="secret.bob@example.org")
    assert "secret.bob is invited" in alice.get(f"/games/{game}")
    assert "secret.bob" not in stranger.get(f"/games/{game}")


def test_invitations_are_limited(enter: Enter, post: PostOffice) -> None:
    alice, _ = enter("alice"), enter("bob")
    for _ in range(20):
        make_table(alice, offer__red="me", offer__blue="mail", address__blue="bob@example.org")
    alice.get(FERRY)
    form = {"offer__red": "me", "offer__blue": "mail", "address__blue": "bob@example.org"}
    assert "This address has had enough mails from here today" in alice.post(FERRY, 429, days="7", **form)


def test_an_invitation_is_not_mailed_to_whoever_wants_none(enter: Enter, post: PostOffice) -> None:
    bob = enter("bob")
    bob.get("/account")
    bob.post("/account", name="bob", language="en", zone="UTC", turns="on")
    make_table(enter("alice"), offer__red="me", offer__blue="mail", address__blue="bob@example.org")
    assert not [s for s in post.subjects("bob@example.org") if "invites" in s]
    assert "you are invited" in bob.get("/games")


@BOTH
def test_one_of_two_who_sit_down_at_once_wins(app: Flask, server: Server, enter: Enter) -> None:
    alice, bob, carol = enter("alice"), enter("bob"), enter("carol")
    game = make_table(alice, offer__red="me", offer__blue="open")
    with server.database.read() as session:
        ids = [session.scalar(select(Player.id).where(Player.name == who)) for who in ("bob", "carol")]
    del bob, carol

    def sit(player_id: int) -> str:
        try:
            return "started" if open_games.join(server.database, game, 1, player_id, now=NOW) else "joined"
        except (NotAccepted, listing.NoSuchTable):
            return "refused"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(sit, ids)) == ["refused", "started"]


@pytest.mark.parametrize("link", ["/invitation/", "/join/", "/proposal/"])
def test_changed_links_open_nothing(link: str, server: Server, stranger: Browser) -> None:
    purpose = link.strip("/")
    good = server.links.sign(purpose, [1])
    foreign = server.links.sign("turn", [1, "red", 1, 1])
    for token in ("x", good[:-2], foreign, "x" * 5000, server.links.sign(purpose, ["a", "b", "c", "d"])):
        stranger.get(f"{link}{token}", 404)
    for token in (server.links.sign("invitation", [999, 1]),):
        stranger.get(f"/invitation/{token}", 410)
