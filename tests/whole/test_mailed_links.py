"""Some mail filters open every link of a mail in a browser and press the first button of each form that they find.

That has no permanent effect, and the recipient of the mail can still choose freely afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.support.forms import Form, Page
from tests.support.people import BASE, Browser, everything
from tests.support.settled import begun
from tests.support.tables import start
from tests.support.world import World, address, html_of

COUNTED = ("rate_count", "heartbeat", "process_figures", "inbound_mail", "note", "draft")
"""Tables that record a visit, and a seat's own notes, sent back unchanged."""
ANSWERED_BY_MAIL = ("/current", "/nudge")
"""A mail to the seat itself, and one a day to a player others wait for: not pressed here."""
KINDS = {
    "t", "proposal", "leave", "unsubscribe", "invitation", "clubs/invitation", "reserve", "claim", "sign-in", "address",
    "second-address", "erase", "challenge", "not-me",
}  # fmt: skip
"""Links that are a right of their own."""


def links(world: World) -> list[str]:
    """All links of all mails, those of their headers among them, once each."""
    found = dict.fromkeys(
        link.removeprefix(BASE)
        for mails in world.mails.values()
        for mail in mails
        for link in re.findall(rf"{BASE}/[^\s>\"]+", f"{mail.text}\n{mail.message['List-Unsubscribe']}")
    )
    return list(found)


def kind_of(link: str) -> str:
    return next((kind for kind in sorted(KINDS, key=len, reverse=True) if link.startswith(f"/{kind}/")), "")


def first_button(form: Form) -> list[tuple[str, str]]:
    """Return the unchanged form, sent by its first button."""
    pressed = [(one.name, one.value) for one in form.controls if one.kind == "submit"][:1]
    return [*form.fill(), *pressed]


def press(world: World, link: str) -> Iterator[tuple[str, TestResponse]]:
    """A program that knows nobody opens a link and presses the first button of each form."""
    program = Browser(world.app)
    page = program.client.get(link, headers=program.headers, follow_redirects=True)
    assert page.status_code < 500, (link, page.status_code)
    for form in Page(page.get_data(as_text=True)).forms:
        action = form.action or link
        if form.method != "post" or action.endswith(ANSWERED_BY_MAIL):
            continue
        data: dict[str, list[str]] = {}
        for name, value in first_button(form):
            data.setdefault(name, []).append(value)
        yield action, program.client.post(action, data=data, headers=program.headers)


def kept(world: World) -> dict[str, list[Any]]:
    found = everything(world.app.extensions["postroad"], but_seen=True)
    return {name: rows for name, rows in found.items() if name not in COUNTED}


@pytest.mark.slow
def test_a_program_that_presses_first_buttons_does_nothing_for_good(world: World) -> None:
    begun(world)
    ann = world.people["ann"]
    ann.get("/account/mails")
    ann.post("/account/second-address", address="ann.second@example.org")
    world.deliver()
    found = links(world)
    assert {kind_of(link) for link in found} >= KINDS - {"reserve", "challenge", "second-address", "not-me"}
    before, pressed, wrong = kept(world), 0, []
    for link in found:
        for action, answer in press(world, link):
            pressed += 1
            after = kept(world)
            changed = [name for name in before if before[name] != after[name]]
            if changed or answer.status_code >= 500:
                wrong.append((link[:12], action[:12], action.rpartition("/")[2][:9], answer.status_code, changed))
            before = after
    assert wrong == []
    assert pressed > 30


def test_who_asked_signs_in_at_once_and_twice_and_any_other_browser_by_digits(world: World) -> None:
    person, other, program = (Browser(world.app) for _ in range(3))
    person.get("/sign-in?then=/account")
    world.send(person, "/sign-in", address=address("ann"))
    link = world.link("ann", "sign-in")
    assert [answer.status_code for _, answer in press(world, link)] == [422]
    code = re.search(r"digits are needed, too: (\d{6})", world.mail("ann", "sign-in").text.replace("\n", " "))
    assert code
    assert "Another browser has asked for this link" in other.get(link)
    wrong = f"{(int(code[1]) + 1) % 10**6:06}"
    assert "not the digits" in world.send(other, "/sign-in/", 422, code=wrong)
    world.send(other, "/sign-in/", code=f"{code[1][:3]} {code[1][3:]}")
    assert "ann@example.org" in other.get("/account")
    person.get(link, 410)  # the other one was first
    person.get("/sign-in?then=/account")
    world.send(person, "/sign-in", address=address("ann"))
    again = world.link("ann", "sign-in")
    for _ in range(2):  # pressed twice, or reloaded
        person.get(again)
        assert "ann@example.org" in world.send(person, "/sign-in/")
    program.get(again, 410)
    world.pass_time(minutes=11)
    person.get(again, 410)


def test_digits_cannot_be_tried_out(world: World) -> None:
    person, thief = Browser(world.app), Browser(world.app)
    person.get("/sign-in")
    world.send(person, "/sign-in", address=address("ann"))
    link = world.link("ann", "sign-in")
    code = re.search(r"too: (\d{6})", world.mail("ann", "sign-in").text.replace("\n", " "))
    assert code
    thief.get(link)
    for n in range(1, 6):
        world.send(thief, "/sign-in/", 422, code=f"{(int(code[1]) + n) % 10**6:06}")
    assert "too often" in world.send(thief, "/sign-in/", 422, code=code[1])
    person.get(link)
    world.send(person, "/sign-in/")
    assert "ann@example.org" in person.get("/account")


def test_one_click_of_a_mail_program_stops_mails_and_the_button_of_the_page_asks(world: World) -> None:
    """RFC 8058, 3.1: the request holds List-Unsubscribe=One-Click."""
    browser = Browser(world.app)
    start(world.app.extensions["postroad"].database)
    mail = world.mail("alice", "t")
    assert mail.message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = re.search(r"<([^>]+/unsubscribe/[^>]+)>", mail.message["List-Unsubscribe"])
    assert link
    browser.get(link[1])
    assert "Nothing has been stopped yet" in world.send(browser, link[1].removeprefix(BASE), 422)
    assert "Nothing has been stopped" in html_of(browser)
    path = link[1].removeprefix(BASE)
    answer = world.app.test_client().post(path, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200 and "These mails stop" in answer.text
