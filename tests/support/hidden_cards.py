"""Looks for the hidden cards of a game on all pages of leagues, as a reader who may not see them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from flask import Flask
from werkzeug.routing import MapAdapter

from app.base.server import Server
from tests.support.people import Browser
from tests.support.tables import hand, load

FIRST = 7
"""How many numbers of each kind are tried in addresses that no page links to."""


def pages_without_them(app: Flask, server: Server, reader: Browser, game_id: int, starts: Iterable[str]) -> set[str]:
    """Return the rules of the addresses that this reader can open, none of which contains a card in a hand of this
    game.

    Follows links from `starts` on, and opens every address of clubs and events, whether a page links to it or not. The
    title's cards have names that occur nowhere else (Ferry's `oak-1`).
    """
    game = load(server.database, game_id)
    cards = "|".join({card for seat in game.seats for card in hand(game, seat.seat)})
    routes = app.url_map.bind("post.example.org")
    todo, seen, opened = [*_addresses(routes), *starts], set[str](), set[str]()
    while todo:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        answer = reader.client.get(at, headers=reader.headers)
        text = html.unescape(answer.get_data().decode(errors="replace"))  # of a picture, too
        assert "word for word" not in text and not re.search(rf"\b({cards})\b", text), at
        if answer.status_code == 200:
            opened.add(routes.match(answer.request.path, return_rule=True)[0].rule)
        found = re.findall(r'href="(/(?:events|clubs|games)/[^"#]*)', text)
        todo += [one for one in found if f"/games/{game_id}" in one or "/games/" not in one]
    return opened


def _addresses(routes: MapAdapter) -> Iterator[str]:
    """Return addresses of every kind, with the first numbers and the club of the tests."""
    for rule in routes.map.iter_rules():
        if "GET" not in (rule.methods or ()) or not rule.rule.startswith(("/clubs", "/events", "/players", "/seasons")):
            continue
        for n in range(1, FIRST + 1):
            words = {"slug": "vendee", "place": f"rounds/{n}", "kind": "csv"}
            values = {name: words.get(name, n) for name in rule.arguments}
            if not rule.arguments & {"token", "act"}:
                yield routes.build(rule.endpoint, values)
