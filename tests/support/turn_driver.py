"""A player at the turn page: what a browser would send from its forms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from app.base.server import Server
from app.games.store import GameNow, GameStore
from tests.support.acres import acres, siege
from tests.support.tables import link_to, load, start


class Form(HTMLParser):
    """What a browser would send from the form with a field, and what can be chosen in it."""

    def __init__(self, page: str, with_field: str = "orders") -> None:
        super().__init__()
        self.forms: list[dict[str, list[str]]] = []
        self.names: list[set[str]] = []
        self.values: list[dict[str, list[str]]] = []
        self._area: tuple[int, str] | None = None
        ids = re.findall(r"<form\b([^>]*)>", page)
        self._numbers = {found[1]: n for n, given in enumerate(ids) if (found := re.search(r'\bid="([^"]+)"', given))}
        self._number = -1
        for _ in ids:
            self.forms.append({})
            self.names.append(set())
            self.values.append({})
        self.feed(page)
        at = next(i for i, names in enumerate(self.names) if with_field in names)
        self.sent, self.offered = self.forms[at], self.values[at]

    @property
    def lines(self) -> list[str]:
        """Return the lines that can be added with a button."""
        return [value.removeprefix("add:") for value in self.offered.get("do", ()) if value.startswith("add:")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name, value = given.get("name"), given.get("value") or ""
        if tag == "form":
            self._number += 1
        elif name and tag in ("input", "textarea", "button", "select"):
            at = self._numbers[str(given["form"])] if given.get("form") else self._number
            self.names[at].add(name)
            self.values[at].setdefault(name, []).append(value)
            if tag == "textarea":
                self._area = at, name
                self.forms[at].setdefault(name, []).append("")
            elif tag == "input" and (given.get("type") not in ("radio", "checkbox") or "checked" in given):
                self.forms[at].setdefault(name, []).append(value)

    def handle_data(self, data: str) -> None:
        if self._area:
            kept = self.forms[self._area[0]][self._area[1]]
            kept[-1] = (kept[-1] + data).removeprefix("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = None


@dataclass
class TurnDriver:
    """A player at the page of one game."""

    client: FlaskClient
    server: Server
    game_id: int

    @property
    def game(self) -> GameNow:
        return load(self.server.database, self.game_id)

    @property
    def token(self) -> str:
        return self.server.links.turn_token(link_to(self.game))

    def page(self, opened: str = "all") -> str:
        """Return the page, with what folds up on it."""
        answer = self.client.get(f"/t/{self.token}", query_string={"open": opened} if opened else None)
        assert answer.status_code == 200
        return str(answer.text)

    def send(self, do: str = "send", token: str = "", with_field: str = "orders", **fields: Any) -> Any:
        """Fill the form of the page and press a button; return the answer, or the page that says it has been sent."""
        token = token or self.token
        data = Form(self.client.get(f"/t/{token}?open=all").text, with_field).sent
        data |= {name.replace("__", ":"): value for name, value in fields.items()}
        answer = self.client.post(f"/t/{token}", data=data | {"do": do})
        return self.client.get(answer.location) if "/sent/" in (answer.location or "") else answer

    def place(self, state: Any) -> None:
        """Continue from a position."""
        title, due = self.game.title, self.game.title.decision(state)
        with self.server.database.write() as session:
            GameStore(session).keep_state(self.game, state)
            session.connection().exec_driver_sql(
                "UPDATE game SET decides = ?, kind = ?, on_turn = ?, turn = ?, number = number + 1 WHERE id = ?",
                (due.seat, due.kind, due.on_turn, due.turn, self.game_id),
            )
            session.commit()
        assert title.decision(self.game.state) == due

    def speaks(self, language: str) -> None:
        with self.server.database.write() as session:
            session.connection().exec_driver_sql("UPDATE player SET language = ?", (language,))
            session.commit()


def turn_at(app: Flask, title: str, **kwargs: Any) -> TurnDriver:
    server = app.extensions["postroad"]
    game_id = start(server.database, title, now=datetime.now(UTC), **kwargs)
    return TurnDriver(app.test_client(), server, game_id)


def drafted(page: str) -> list[str]:
    return Form(page).sent["draft"][0].splitlines()


def besieged() -> Any:
    """Return a state in which the British will lose the siege of Halifax as the next French turn ends, unless something
    happens.
    """
    return acres(
        british_places=["boston", "halifax", "pemaquid"],
        british_hand=["boston"],
        sieges={"french": siege("halifax", 2, ["regular-infantry"], ["militia", "rangers"])},
    )
