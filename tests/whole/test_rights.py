"""Who may do what: every address with something in it, asked by ten people, with all that `rights.txt` says."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from werkzeug.test import TestResponse

from app.leagues.clubs import club_rights
from app.leagues.rulings import deciding
from app.leagues.tables import Member, MemberStatus, Role
from app.people import accounts
from app.people.tables import Player, PlayerRole
from tests.support.people import Browser, everything, signed_in
from tests.support.season import season

TABLE = Path(__file__).with_name("rights.txt")
PEOPLE = (
    "stranger", "player", "other", "removed", "member", "referee", "deputy", "organiser", "owner", "operator",
)  # fmt: skip
"""A visitor; a player of the event; the owner of another club; a removed member; those of the club; of the server."""
SETS = {
    "everyone": set(PEOPLE),
    "signed-in": {*PEOPLE} - {"stranger"},
    "players": {"player"},
    "members": {"member", "referee", "deputy", "organiser", "owner"},
    "referees": {"referee", "organiser", "owner"},
    "deputies": {"deputy", "organiser", "owner"},
    "organisers": {"organiser", "owner"},
    "owners": {"owner"},
    "operators": {"operator"},
    "nobody": set(),
    "kept": set(),
}
BOOKKEEPING = ("rate_count", "server_fact", "heartbeat")
"""Tables in which a refused request may be counted."""
LASTS = re.compile(
    rf"(INSERT INTO|UPDATE|DELETE FROM) ({'|'.join(BOOKKEEPING)})\b"
    r"|UPDATE player SET acted_at|UPDATE sign_in SET expires_at|UPDATE outbox_mail SET seen_at"
)
"""What is committed apart from what a request does, because it lasts whatever follows: counts, and signs of life."""
CHANGES = re.compile(r"INSERT|UPDATE|DELETE")
KEPT_OUT = {400, 401, 403, 404, 405, 409, 410, 422, 429}


class World:
    """A club with a running event and a game in it, seen by everybody in turn."""

    def __init__(self, app: Flask) -> None:
        self.app, self.server = app, app.extensions["postroad"]
        database, now = self.server.database, datetime.now(UTC)
        self.made = made = season(database, 4)
        match = made.match(0)
        ruling = deciding.claim(database, made.event, match.id, match.seats[0].player_id, "Please.", now=now)
        roles = {"member": "member", "referee": "referee", "deputy": "deputy", "organiser": "organiser"}
        self.people: dict[str, Browser] = {"stranger": Browser(self.app)}
        for name in PEOPLE[2:]:
            if name != "owner":
                self.people[name] = signed_in(self.app, f"{name}@example.org")
        self.people["owner"] = signed_in(self.app, "p0@example.org")
        addresses = {seat.player_id: seat.address for seat in made.game(0).seats}
        self.people["player"] = signed_in(self.app, addresses[match.seats[0].player_id])
        with database.write() as session:
            number = {row.address: row.id for row in session.execute(sa.select(Player.address, Player.id))}  # type: ignore[call-overload]
            for name, role in roles.items():
                row = {"club_id": made.club, "player_id": number[f"{name}@example.org"], "role": role}
                session.execute(sa.insert(Member).values(**row, status=MemberStatus.MEMBER, since=now))
            gone = {"club_id": made.club, "player_id": number["removed@example.org"], "role": Role.MEMBER}
            session.execute(sa.insert(Member).values(**gone, status=MemberStatus.LEFT, since=now))
            accounts.find(session, "operator@example.org").role = PlayerRole.OPERATOR  # type: ignore[union-attr]
            session.commit()
        club_rights.make(database, number["other@example.org"], slug="other", name="Other", now=now)
        self.ids = {
            "slug": "vendee", "event_id": made.event, "match_id": match.id, "game_id": made.game(0).id,
            "ruling_id": ruling, "player_id": number["member@example.org"], "place": "rounds/1", "title_id": "ferry",
            "name": "imprint", "path": "post.css", "kind": "sign_up_open", "purpose": "any",
        }  # fmt: skip
        for browser in self.people.values():
            browser.get("/" if browser is self.people["stranger"] else "/account")
        self.people["stranger"].get("/sign-in")
        self.commits = 0
        """How many transactions have changed something."""
        self.server.database.close()
        sa.event.listen(self.server.database.engine, "connect", self._watch)
        self._kept = sqlite3.connect(":memory:", check_same_thread=False)
        self._live = sqlite3.connect(self.server.database.url.removeprefix("sqlite:///"), check_same_thread=False)
        self._live.backup(self._kept)
        self._before = self._rows()
        self._version = self._commits()

    def _commits(self) -> int:
        """Return a number that is another one once anybody else has committed something."""
        return int(self._live.execute("pragma data_version").fetchone()[0])

    def _rows(self) -> dict[str, Any]:
        rows = everything(self.server, but_seen=True)
        return {name: there for name, there in rows.items() if name not in BOOKKEEPING}

    def is_changed(self) -> bool:
        """Return whether something is not as it was at the beginning; it is again afterwards."""
        if self._commits() == self._version:
            return False
        changed = self._rows() != self._before
        self._kept.backup(self._live)
        self._version = self._commits()
        return changed

    def _watch(self, connection: Any, _: object) -> None:
        changes = []

        def saw(statement: str) -> None:
            if CHANGES.match(statement) and not LASTS.match(statement):
                changes.append(statement)
            elif statement.startswith(("BEGIN", "ROLLBACK")):
                changes.clear()
            elif statement.startswith("COMMIT"):
                self.commits += bool(changes)
                changes.clear()

        connection.set_trace_callback(saw)

    def addresses(self, rule: Any) -> list[str]:
        """Return the addresses of a rule, with our things in it, and made-up links: one for each act that it knows."""
        known = {"token": "a" * 43} | self.ids
        acts = re.search(r"<any\((.*)\):", str(rule.rule))
        forms = (
            [re.sub(r"<any[^>]*>", act, str(rule.rule)) for act in re.findall(r"[\w-]+", acts[1])]
            if acts
            else [rule.rule]
        )
        return [re.sub(r"<(?:[^:<>]*:)?(\w+)>", lambda found: str(known.get(found[1], 1)), one) for one in forms]

    def ask(self, who: str, method: str, path: str) -> TestResponse:
        """Send a request of this person's, with the token of their forms."""
        browser = self.people[who]
        data = {"csrf_token": browser.token, "sure": "yes", "reason": "So it has to be.", "days": "3", "why": "So."}
        return browser.client.open(
            path, method=method, data=data if method == "POST" else None, headers=browser.headers
        )

    def close(self) -> None:
        self._live.close()
        self._kept.close()


def rules_of(app: Flask, method: str) -> list[Any]:
    """Return the rules with something in their address that answer a method, by their names."""
    there = app.url_map.iter_rules()
    found = [rule for rule in there if rule.arguments and method in rule.methods and not rule.alias]
    return sorted(found, key=lambda rule: str(rule.endpoint))


def is_kept_out(answer: TestResponse) -> bool:
    """Return whether an answer leads to the sign-in, or says that a person may not, or that there is nothing."""
    to_sign_in = answer.status_code == 303 and answer.headers.get("Location", "").startswith("/sign-in")
    return to_sign_in or answer.status_code in (401, 403)


def read_table() -> dict[tuple[str, str], set[str]]:
    """Return who may do what, by method and name."""
    found = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            method, name, *who = line.split()
            found[method, name] = set().union(*(SETS.get(one, {one}) for one in who))
    return found


def read_kept() -> set[str]:
    """Return the names of what is sent so that anybody may keep it, and other sites may read it."""
    lines = (line.split() for line in TABLE.read_text(encoding="utf-8").splitlines())
    return {cells[1] for cells in lines if cells[-1:] == ["kept"]}


def is_for_all(answer: TestResponse) -> bool:
    """Return whether an answer may be read by other sites, or is kept by others than its reader (but our own files)."""
    kept = answer.headers.get("Cache-Control", "")
    return "Access-Control-Allow-Origin" in answer.headers or ("public" in kept and "immutable" not in kept)


def faults(world: World, method: str, table: dict[tuple[str, str], set[str]]) -> Iterator[str]:
    """Ask every address as everybody; yield each answer that the table does not allow. What anybody may keep (A8, A19)
    is marked there, and is sent so only to those who are not signed in; other sites also learn that it is not there."""
    kept = read_kept() if method == "GET" else set()
    for rule, path in ((one, path) for one in rules_of(world.app, method) for path in world.addresses(one)):
        may = table.get((method, rule.endpoint))
        if may is None:
            yield f"{method} {rule.endpoint}: no row in {TABLE.name}; who may?"
            continue
        for who in PEOPLE:
            world.commits = 0
            answer = world.ask(who, method, path)
            if world.commits > 1:
                yield f"{method} {path} ({rule.endpoint}): what {who} does is committed in {world.commits} parts"
            changed = world.is_changed()
            if who in may and is_kept_out(answer):
                yield f"{method} {path} ({rule.endpoint}): {who} is kept out ({answer.status_code})"
            elif who not in may and (changed or not (is_kept_out(answer) or answer.status_code in KEPT_OUT)):
                yield f"{method} {path} ({rule.endpoint}): {who} is let in ({answer.status_code}, changed: {changed})"
            elif is_for_all(answer) != (
                rule.endpoint in kept and who == "stranger" and answer.status_code in (200, 404)
            ):
                yield f"{method} {path} ({rule.endpoint}): {dict(answer.headers)} for {who}"
            elif changed and method == "GET":
                yield f"GET {path} ({rule.endpoint}): a page has changed something for {who}"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_everybody_may_what_the_table_says_and_nothing_else(method: str, app: Flask) -> None:
    world, table = World(app), read_table()
    try:
        assert list(faults(world, method, table)) == []
    finally:
        world.close()
    known = {(method, str(rule.endpoint)) for rule in rules_of(world.app, method)}
    assert {key for key in table if key[0] == method} <= known, "rows of addresses that are gone"
