"""No address of a member reaches another, by a page, a feed, a table or a mail."""

from __future__ import annotations

from werkzeug.test import TestResponse

from tests.support.people import Browser
from tests.support.settled import MEMBERS, PAGES, begun, walked
from tests.support.world import World, address, world

__all__ = ["world"]

EVERYBODY = (*MEMBERS, "eve")
WALKERS = ("ann", "carl", "eve", "olga")
TYPED = {("ann", "bea")}
"""Ann has asked Bea to a table by her address, and may read what she typed."""


def _others_in(who: str, text: str) -> list[str]:
    """Return the members whose address occurs in this reader's text."""
    others = [one for one in EVERYBODY if one != who and (who, one) not in TYPED]
    return [one for one in others if address(one).lower() in text.lower()]


def test_no_address_of_a_member_reaches_another(world: World) -> None:
    begun(world)
    found: list[tuple[str, str, list[str]]] = []
    told: set[str] = set()
    kinds: set[tuple[str, str]] = set()

    def seen(who: str, path: str, answer: TestResponse) -> None:
        others = _others_in(who, answer.text)
        kinds.add((who, answer.mimetype))
        if not who:
            return  # it also opens the links of everybody's mails, which are theirs
        if who == "olga":
            told.update(path for _ in others)  # who runs a club keeps the list of its members
        elif others:
            found.append((who, path, others))

    samples = walked(world, WALKERS, 0, 2, seen)
    samples.walk("nobody", Browser(world.app), *PAGES, "/sign-in")
    mails = [(to.partition("@")[0].partition(".")[0], mail) for to, all_ in world.mails.items() for mail in all_]
    for who, mail in mails:
        if others := _others_in(who, mail.text + str(mail.message)):
            found.append((who, mail.subject, others))
    assert found == []
    assert any(path.endswith("/members") for path in told), "such an address would be seen"
    assert len(mails) > 30 and {kind for who, kind in kinds if who == "ann"} > {"text/html"}
