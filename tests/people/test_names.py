"""The name of a new player: nothing of their address, until they have chosen it; once, by page or by mailed link."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from flask import Flask
from sqlmodel import select

from app.base.server import Server
from app.base.words.i18n import LANGUAGES, catalogue
from app.base.words.refusals import NotAccepted
from app.base.words.speech import COMPUTERS, FORMER_PLAYER
from app.people import accounts
from app.people.tables import Player
from app.play.turn import starting
from tests.support.people import BOTH, Browser, PostOffice, sign_in, text_of
from tests.support.tables import NOW

pytestmark = pytest.mark.usefixtures("nameless")
QUESTION = "How shall the others call you?"
ADDRESSES = ("j.doe1970@example.org", "e.roe1966@example.org")


def naming(page: str) -> tuple[str, str]:
    """Return where the form of a page leads, and the page to come back to."""
    form = r'action="([^"]*/name/[^"]+)".*?name="then" value="([^"]*)".*?id="called" name="name" maxlength'
    found = re.search(form, page, re.DOTALL)
    assert found, "no name is invented"
    return found[1], found[2]


def names(server: Server) -> list[str]:
    with server.database.read() as session:
        return list(session.exec(select(Player.name).order_by(Player.id)))  # type: ignore[arg-type]


@BOTH
def test_whoever_signs_in_is_asked_once(app: Flask, server: Server, post: PostOffice) -> None:
    browser = sign_in(app, post, ADDRESSES[0], then="/games")
    page = browser.get("/games")
    where, then = naming(page)
    assert then == "/games" and names(server) == ["New player 1"]
    answer = browser.client.post(where, data={"name": "  Jean   Doe ", "then": then})
    assert (answer.status_code, answer.location) == (303, "/games") and names(server) == ["Jean Doe"]
    assert QUESTION not in browser.get("/games") and "Jean Doe" in browser.get("/account")
    browser.client.post(where, data={"name": "Somebody Else"})
    assert names(server) == ["Jean Doe"], "from now on the account page changes it"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("bad", ["", " \u200b ", "x" * 61])
def test_a_bad_name_comes_back_on_a_page_of_its_own(
    app: Flask, server: Server, post: PostOffice, language: str, bad: str
) -> None:
    where, _ = naming(sign_in(app, post, ADDRESSES[0], language).get("/games"))
    by_link = Browser(app, language)  # nobody is signed in here
    answer = by_link.client.post(where, data={"name": bad, "then": "/watch"}, headers=by_link.headers)
    page = answer.get_data(as_text=True)
    assert answer.status_code == 422 and 'class="complaint"' in page and f'<html lang="{language}">' in page
    assert 'name="then" value="/watch"' in page and page.count('name="name"') == 1
    assert accounts.is_nameless(1, names(server)[0])
    assert by_link.client.get(where, headers=by_link.headers).status_code == 200


def test_a_turn_by_mail_asks_and_the_others_read_nothing_of_an_address(
    app: Flask, server: Server, post: PostOffice
) -> None:
    """`postroad game new --seat british=ADDRESS ...`: the turn is played all the same."""
    seats = list(zip(("british", "french"), ADDRESSES, strict=True))
    game = starting.new_game(server.database, "acres", seats, now=datetime.now(UTC))
    link = post.link(ADDRESSES[0], "t")
    british = Browser(app)
    page = british.get(link)
    assert QUESTION not in page, "N10: not above the map"
    for text in (page, Browser(app).get(f"/games/{game}")):
        assert "1970" not in text and "1966" not in text
    assert QUESTION in british.post(link, do="send", orders="pass\nend", decision="1"), "while the turn is held, too"
    where, then = naming(british.post(f"{link}/send-now"))
    assert then == british.page.request.path
    mail = text_of(post.last(ADDRESSES[1]))
    assert "New player 1" in mail and "New player 2" in mail and "1970" not in mail
    british.client.post(where, data={"name": "Jean Doe", "then": then})
    assert "Jean Doe" in Browser(app).get(f"/games/{game}")
    assert "1970" not in Browser(app).get(f"/games/{game}")


def test_the_host_sees_whom_they_invited_and_the_guest_is_asked_with_the_seat(
    app: Flask, server: Server, post: PostOffice
) -> None:
    host = sign_in(app, post, ADDRESSES[0])
    where, _ = naming(host.get("/games"))
    host.client.post(where, data={"name": "Jean"})
    host.get("/games/new/acres")
    table = host.post("/games/new/acres", sides="chosen", days="7", offer__british="me", offer__french="mail",
                      address__french=ADDRESSES[1])  # fmt: skip
    assert f"{ADDRESSES[1]} is invited" in table, "N10"
    assert "e.roe1966" not in Browser(app).get("/games/1")
    link = post.link(ADDRESSES[1], "invitation")
    guest = Browser(app)
    assert QUESTION not in guest.get(link) and "New player" not in guest.get(link)
    where, then = naming(guest.post(link, answer="accept"))
    seen = Browser(app).get("/games/1")
    assert then == "/games/1" and "A guest of Jean" in seen and "layer 2" not in seen, "N10"
    assert text_of(post.last(ADDRESSES[1])).startswith("Your game of "), "nobody is greeted by a name for now"
    guest.client.post(where, data={"name": "Erin", "then": then})
    assert names(server) == ["Jean", "Erin"]


def test_who_has_a_name_is_not_asked(app: Flask, server: Server, post: PostOffice) -> None:
    with server.database.write() as session:
        accounts.find_or_add(session, ADDRESSES[0], now=NOW, name="j.doe1970")
        session.commit()
    assert QUESTION not in sign_in(app, post, ADDRESSES[0]).get("/games")


def test_a_name_for_now_is_known_in_every_language(server: Server) -> None:
    with server.database.write() as session:
        for n, language in enumerate(LANGUAGES):
            player = accounts.find_or_add(session, f"p{n}@example.org", now=NOW, language=language)
            assert accounts.is_nameless(player.id, player.name) and not accounts.is_nameless(99, player.name)
            assert player.name_key and str(player.id) in player.name_key
            guests = [
                accounts.find_or_add(session, f"g{n}{m}@example.org", now=NOW, language=language, host="Zoë 100%")
                for m in "12"
            ]
            assert guests[0].name.endswith(" Zoë 100%") and guests[1].name == f"{guests[0].name} 2", "told apart"
            assert all(accounts.is_nameless(one.id or 0, one.name) for one in guests)
        accounts.forget_host(session, "Zoë 100%")
        assert not session.exec(select(Player).where(Player.name_key.contains("zo"))).first(), "erased with the host"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "given", ["Zoë", "漢字", "Анна-Мария", "Nuñez O’Neill", "Zoe\u0308", "שרה", "김철수", "J. R.", "7",
              "Nguyễn Thị Huệ", "李 Anna", "たろうタロウ太郎", "Anna דוד", "नीरज", "Ørsted",
              "Computerfreak", "The Servers", "Serena"],
)  # fmt: skip
def test_names_of_any_alphabet_are_taken_as_they_are(given: str) -> None:
    assert accounts.read_name(given) == given


@pytest.mark.parametrize(
    "given", ["\u3164", "\uffa0", "\u2800\u2800", "\u115f", "\u034f", "\u0301", "\ufe0f", "---", "☃",
              "a\u0301\u0302\u0303\u0304", "\u0336" * 9 + "a"],
)  # fmt: skip
def test_a_name_that_nobody_sees_or_that_runs_over_the_page_is_not_one(given: str) -> None:
    with pytest.raises(NotAccepted):
        accounts.read_name(given)


@pytest.mark.parametrize(
    ("given", "kept"), [("evil.example", "evil. example"), ("Dr.Meier", "Dr. Meier"), ("j.doe1970", "j.doe1970")]
)
def test_no_name_is_made_a_link(given: str, kept: str) -> None:
    assert accounts.read_name(given) == kept
    for address in ("https://evil.example", "me@evil.example"):
        with pytest.raises(NotAccepted, match=r"name\.leads"):
            accounts.read_name(address)


@pytest.mark.parametrize("given", ["Аlice", "Pаul", "Νick", "Alice Боб", "Αнна", "שараh", "Пαул", "Aꓡice", "Bօb"])
def test_alphabets_that_look_alike_are_not_mixed(given: str) -> None:
    with pytest.raises(NotAccepted, match=r"name\.mixed"):
        accounts.read_name(given)


@pytest.mark.parametrize(
    "given", ["Post Road", "post-road", "P0st Road", "Роѕт Гоаԁ", "ꓑꓳꓢꓔ ꓣꓳꓮꓓ", "ᴘᴏsᴛ ʀᴏᴀᴅ", "Ｐｏｓｔ Road",
              "Pöst Røad", "The server", "a former pIayer", "Computer (strong)", "Computer", "Computer 2",
              "C0mputer (club player) 3"],
)  # fmt: skip
def test_nobody_is_called_as_the_server_is_or_as_its_computer(given: str) -> None:
    with pytest.raises(NotAccepted, match=r"name\.ours"):
        accounts.read_name(given)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nor_in_another_language(language: str) -> None:
    for ours in (FORMER_PLAYER, *COMPUTERS.values()):
        with pytest.raises(NotAccepted, match=r"name\.ours"):
            accounts.read_name(catalogue(language).gettext(ours).upper())


def test_a_name_of_before_stays_valid() -> None:
    player = Player(address="a@example.org", address_key="a@example.org", name="Computer", created_at=NOW)
    accounts.settle(player, name="Computer", language="fr")
    assert (player.name, player.language) == ("Computer", "fr")
    with pytest.raises(NotAccepted):
        accounts.settle(player, name="Computer 2")
