"""`postroad league club new`: a club is founded with its owner."""

from __future__ import annotations

import pytest

from app.leagues.clubs import club_rights, members
from app.server.commands.common import open_server
from tests.support.commands import Run, data
from tests.support.people import everything


def test_a_club_is_founded_with_its_owner(run: Run) -> None:
    made = data(run("club", "new", "nantes", "--name", "Nantes", "--owner", "New@example.org", "--zone", "Europe/Paris",
                    "--json"))  # fmt: skip
    assert made == {"club": "nantes", "page": "/clubs/nantes"}
    with open_server() as server, server.database.read() as session:
        listed = club_rights.all_clubs(session)
        (owner,) = members.members(session, club_rights.find(session, "nantes").id)
    assert [(one.slug, one.zone) for one in listed] == [("nantes", "Europe/Paris"), ("vendee", "UTC")]
    assert (owner.address.lower(), owner.role, owner.status) == ("new@example.org", "owner", "member")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("vendee", "--name", "X", "--owner", "a@example.org"), "There is a club at"),
        (("Not a slug", "--name", "X", "--owner", "a@example.org"), "small letters"),
        (("x", "--name", "X", "--owner", "nobody"), "is not an email address"),
        (("x", "--name", "X", "--owner", "a@example.org", "--language", "tlh"), "The languages are"),
    ],
)
def test_a_club_that_cannot_be(run: Run, words: tuple[str, ...], said: str) -> None:
    with open_server() as server:
        before = everything(server)
    result = run("club", "new", *words)
    assert result.exit_code == 1 and said in result.output
    with open_server() as server:
        assert everything(server) == before, "no owner without a club"
