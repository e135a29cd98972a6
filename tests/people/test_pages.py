"""Signing in by mail, sessions, the account, another address: by browser and mail, as people do it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from flask import Flask

from app.base.server import Server
from app.web import visit
from tests.support.people import BOTH, Browser, Enter, PostOffice, everything, make_table, sign_in, text_of


@pytest.mark.quick
def test_a_mailed_link_signs_in_once(app: Flask, stranger: Browser, post: PostOffice) -> None:
    stranger.get("/sign-in")
    assert "alice@example.org" in stranger.post("/sign-in", address="alice@example.org", then="/account")
    mail = post.last("alice@example.org")
    assert mail["Subject"] == "Sign in" and "/unsubscribe/" in mail["List-Unsubscribe"], "they may not have asked"
    link = post.link("alice@example.org", "sign-in")
    assert link.endswith("?then=%2Faccount")
    assert "Sign in as alice" in stranger.get(link)
    account = stranger.post(link.partition("?")[0], then="/account")
    assert "Your account" in account and "Firefox, Linux" in account
    again = Browser(app)
    assert "has been used" in again.get(link, 410)
    assert "Sign in" in again.post(link, 410)
    assert again.get("/account", 303)


def test_opening_the_link_does_not_spend_it(server: Server, stranger: Browser, post: PostOffice) -> None:
    stranger.get("/sign-in")
    stranger.post("/sign-in", address="alice@example.org")
    link, before = post.link("alice@example.org", "sign-in"), everything(server)
    for _ in range(50):
        stranger.get(link)
    assert everything(server) == before
    stranger.post(link)
    assert "alice" in stranger.get("/account")


def test_no_answer_tells_whether_an_address_is_known(enter: Enter, app: Flask, stranger: Browser) -> None:
    enter("alice")
    stranger.get("/sign-in")
    known = stranger.post("/sign-in", address="alice@example.org")
    stranger.get("/sign-in")
    unknown = stranger.post("/sign-in", address="nobody@example.org")
    assert known == unknown.replace("nobody@", "alice@")
    me = enter("carol")
    asked = []
    for address in ("alice@example.org", "new@example.org"):
        me.get("/account")
        asked.append(me.post("/account/address", address=address).replace(address, ""))
    assert asked[0] == asked[1]


def test_a_long_address_gives_a_name_that_fits(stranger: Browser, post: PostOffice, server: Server) -> None:
    address = f"{'n' * 64}@example.org"
    stranger.get("/sign-in")
    stranger.post("/sign-in", address=address)
    link = post.link(address, "sign-in")
    stranger.get(link)
    stranger.post(link)
    assert f'value="{"n" * 60}"' in stranger.get("/account")


def test_the_cookie_is_out_of_reach_and_changes_with_each_sign_in(app: Flask, post: PostOffice) -> None:
    browser = sign_in(app, post, "alice@example.org")
    first = browser.client.get_cookie(visit.COOKIE)
    assert first and first.http_only and first.same_site == "Lax"
    browser.get("/sign-in")
    browser.post("/sign-in", address="alice@example.org")
    link = post.link("alice@example.org", "sign-in")
    browser.get(link)
    browser.post(link)
    second = browser.client.get_cookie(visit.COOKIE)
    assert second and second.value != first.value
    old = Browser(app)
    old.client.set_cookie(visit.COOKIE, first.value)
    old.get("/account", 303)


def test_sessions_are_listed_and_ended(app: Flask, enter: Enter) -> None:
    here, there, bob = enter("alice"), enter("alice"), enter("bob")
    page = here.get("/account")
    assert page.count("Firefox, Linux") == 2 and "this one" in page
    other = page.partition('name="ends" value="')[2].partition('"')[0]
    bob.get("/account")
    bob.post("/account/sign-ins", ends=other)
    assert "Your account" in there.get("/account")  # not Bob's to end
    assert "Signed out there." in here.post("/account/sign-ins", ends=other)
    there.get("/account", 303)
    third = enter("alice")
    here.get("/account")
    here.post("/account/sign-ins", ends="others")
    third.get("/account", 303)
    here.get("/account")
    left = here.client.post("/sign-out", data={"csrf_token": here.token}, headers=here.headers)
    assert left.headers["Clear-Site-Data"] == '"storage"', "the cache has nothing of ours, and is slow to empty"
    here.get("/account", 303)


def test_a_sign_in_that_is_used_goes_on_by_forms_alone(server: Server, enter: Enter) -> None:
    alice = enter("alice")
    with time_machine.travel(datetime.now(UTC) + timedelta(days=60)):
        before = everything(server)
        alice.get("/account")
        assert everything(server) == before
        answer = alice.client.post("/account", data={"csrf_token": alice.token, "name": "Alice"}, headers=alice.headers)
        assert "Max-Age=7776000" in answer.headers["Set-Cookie"]
    with time_machine.travel(datetime.now(UTC) + timedelta(days=149)):
        assert "Your account" in alice.get("/account")
    with time_machine.travel(datetime.now(UTC) + timedelta(days=151)):
        alice.get("/account", 303)


def test_the_worker_may_load_what_its_notifications_show(stranger: Browser) -> None:
    answer = stranger.client.get("/worker.js")
    assert "img-src 'self'" in answer.headers["Content-Security-Policy"] and "/icons/any-192.png" in answer.text


@pytest.mark.quick
def test_the_account_is_kept_or_comes_back_filled(server: Server, enter: Enter) -> None:
    alice = enter("alice")
    page = alice.get("/account")
    assert 'value="alice"' in page
    form = {"name": "Alice Ó", "language": "fr", "zone": "Europe/Paris", "reminders": "on"}
    page = alice.post("/account", **form)
    assert '<html lang="fr">' in page and "Alice Ó" in page and "Europe/Paris" in page
    before = everything(server)
    page = alice.post("/account", 422, **{**form, "name": "x" * 61})
    assert "un nom a au plus 60 caractères" in page and f'value="{"x" * 61}"' in page
    page = alice.post("/account", 422, **{**form, "name": "  ", "zone": "Mars/Base"})
    assert 'role="alert"' in page and "Mars/Base" in page
    alice.post("/account", 422, **{**form, "language": "de"})
    assert everything(server) == before


def test_a_sign_stands_beside_the_name_and_looks_come_along(app: Flask, enter: Enter, post: PostOffice) -> None:
    alice = enter("alice")
    alice.get("/account")
    form = {"name": "alice", "language": "en", "zone": "UTC"}
    page = alice.post("/account", **form, sign="anchor", theme="dark", size="larger")
    assert 'value="anchor" checked' in page and 'data-theme="dark" data-size="larger"' in page
    table = make_table(alice, offer__red="me", offer__blue="open")
    bob = enter("bob")
    assert '<h1><svg class="own-sign"' in alice.get("/players/1")
    assert '<svg class="own-sign"' in bob.get(f"/games/{table}") and "data-theme" not in bob.get("/games")
    elsewhere = sign_in(app, post, "alice@example.org")
    assert 'data-theme="dark" data-size="larger"' in elsewhere.get("/account")
    elsewhere.post("/account", **form, sign="<b>", theme="purple")
    assert 'value="" checked' in elsewhere.get("/account") and "data-theme" not in elsewhere.get("/account")


@BOTH
def test_an_address_changes_when_both_have_confirmed(
    app: Flask, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = enter("alice")
    alice.get("/account")
    alice.post("/account/address", address="alice@new.example")
    old, new = post.link("alice@example.org", "address"), post.link("alice@new.example", "address")
    assert "alice@new.example" in stranger.get(new)
    assert "One address has confirmed" in stranger.post(new, sure="yes")
    assert "alice@example.org" in alice.get("/account")
    assert "One address has confirmed" in stranger.post(new, sure="yes"), "pressed twice"
    Browser(app).get(new, 410)
    assert "Your address is changed" in stranger.post(old, sure="yes")
    alice.get("/account", 303)  # all sessions end with the change
    stranger.get("/sign-in")
    stranger.post("/sign-in", address="alice@new.example")
    link = post.link("alice@new.example", "sign-in")
    assert "Sign in as alice" in stranger.get(link)


def test_an_address_of_somebody_else_is_refused_only_after_both_confirmed(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    enter("bob")
    alice = enter("alice")
    alice.get("/account")
    alice.post("/account/address", address="bob@example.org")
    stranger.post(post.link("bob@example.org", "address"), sure="yes")
    before = everything(server)
    page = stranger.post(post.link("alice@example.org", "address"), 422, sure="yes")
    assert "Another player has the address" in page
    assert everything(server) == before


def test_too_many_requests_are_refused_for_the_address_and_for_the_place(app: Flask, stranger: Browser) -> None:
    stranger.get("/sign-in")
    for _ in range(6):
        stranger.post("/sign-in", address="alice@example.org")
    page = stranger.post("/sign-in", 429, address="Alice@example.org")
    assert "Too many attempts" in page and 'value="Alice@example.org"' in page
    for n in range(33):
        stranger.post("/sign-in", address=f"player{n}@example.org")
    stranger.post("/sign-in", 429, address="one-more@example.org")
    elsewhere = Browser(app)
    elsewhere.headers["X-Forwarded-For"] = "203.0.113.9, 198.51.100.7"
    elsewhere.get("/sign-in")
    elsewhere.post("/sign-in", address="one-more@example.org")
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=2), tick=False):
        stranger.post("/sign-in", address="alice@example.org")


def test_posted_links_that_are_none_are_counted(stranger: Browser) -> None:
    stranger.get("/sign-in")
    for n in range(60):
        stranger.post(f"/sign-in/made-up-{n}", 410)
    stranger.post("/sign-in/made-up", 429)


def test_links_and_sessions_run_out(app: Flask, enter: Enter, post: PostOffice, stranger: Browser) -> None:
    alice = enter("alice")
    stranger.get("/sign-in")
    stranger.post("/sign-in", address="alice@example.org")
    link = post.link("alice@example.org", "sign-in")
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=7), tick=False):
        stranger.get(link, 410)
        assert "Your account" in alice.get("/account")
    with time_machine.travel(datetime.now(UTC) + timedelta(days=91), tick=False):
        alice.get("/account", 303)


@pytest.mark.parametrize("then", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:1", "\n/x"])
def test_signing_in_leads_nowhere_else(then: str, app: Flask, post: PostOffice) -> None:
    browser = Browser(app)
    browser.get("/sign-in")
    browser.post("/sign-in", address="alice@example.org", then=then)
    link = post.link("alice@example.org", "sign-in")
    browser.get(link)
    browser.post(link.partition("?")[0], 303, follow=False, then=then)
    assert browser.page.headers["Location"] == "/games"


def test_a_domain_with_other_letters_is_written_as_mail_hosts_take_it(post: PostOffice, stranger: Browser) -> None:
    stranger.get("/sign-in")
    stranger.post("/sign-in", address="alice@Bücher.example")
    assert [str(mail["To"]) for mail in post.all("xn--bcher-kva.example")]


@pytest.mark.parametrize(
    "address",
    [
        "",
        "alice",
        "a@b@c",
        "alice@example.org\r\nBcc: x@example.org",
        "x" * 300 + "@e.org",
        "älice@example.org",
        "alice.@example.org",
        "a..b@example.org",
        "alice@example..org",  # mails could not be written
    ],
)
def test_what_is_no_address_comes_back_with_the_form(address: str, server: Server, stranger: Browser) -> None:
    stranger.get("/sign-in")
    before = everything(server)
    said = "is not an email address" if address.strip() else "An email address is missing here"
    assert said in stranger.post("/sign-in", 422, address=address)
    assert everything(server) == before


@pytest.mark.parametrize("language", ["en", "fr", "es", "it"])
def test_the_mail_and_the_pages_are_in_the_browser_s_language(language: str, app: Flask, post: PostOffice) -> None:
    browser = sign_in(app, post, "alice@example.org", language)
    mail = text_of(post.last("alice@example.org"))
    assert f'<html lang="{language}">' in browser.get("/games")
    assert ("signs you in" in mail) == (language == "en")
