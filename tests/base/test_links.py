"""Tokens are those of itsdangerous, however the signer is cached: a key can be changed, and purposes are distinct."""

from __future__ import annotations

import hashlib

import pytest
from itsdangerous import URLSafeSerializer

from app.base.links import BadLink, Links, TurnLink

LINK = TurnLink(12, "british", 34, 56)


def test_a_token_is_what_the_library_makes() -> None:
    token = Links("http://x", ["old", "new"]).turn_token(LINK)
    library = URLSafeSerializer("new", salt="postroad.turn", signer_kwargs={"digest_method": hashlib.sha256})
    assert library.loads(token) == ["turn", 12, "british", 34, 56]
    assert token.rpartition(".")[2] == library.dumps(["turn", 12, "british", 34, 56]).rpartition(".")[2]


def test_links_signed_with_an_older_key_work_and_those_of_another_server_do_not() -> None:
    links = Links("http://x", ["old", "new"])
    for _ in range(2):
        assert links.read_turn(Links("http://x", ["old"]).turn_token(LINK)) == LINK
        assert links.read_turn(links.turn_token(LINK)) == LINK
        with pytest.raises(BadLink):
            links.read_turn(Links("http://x", ["other"]).turn_token(LINK))
    with pytest.raises(BadLink):
        Links("http://x", ["old"]).read_turn(links.turn_token(LINK))


def test_a_token_serves_one_purpose() -> None:
    links = Links("http://x", ["key"])
    with pytest.raises(BadLink):
        links.read("turn", links.sign("form", [12, "british", 34, 56]))


@pytest.mark.parametrize("at", range(0, 60, 7))
def test_a_changed_letter_ends_it(at: int) -> None:
    links = Links("http://x", ["key"])
    token = links.turn_token(LINK)
    changed = token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :]
    with pytest.raises(BadLink):
        links.read_turn(changed)
