"""Compares what a club's events say in public, in mails and in files with the one plan of the next season, and who was
paired with who was silent: for `club_year`."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session

from app.base.process.config import load as load_config
from app.base.stored.database import Database
from app.leagues.events import entries, lifecycle
from app.leagues.results import standings
from app.leagues.seasons import next_season
from app.leagues.tables import Competition
from app.server.factory import create_app
from tests.support.mails import kept
from tests.support.tables import KEYS

ROW = re.compile(r'<tr class="([^"]*)">\s*<td>(\d+).*?<th scope="row" class="who">(?:<[^>]+>)*([^<]+?)\s*<', re.DOTALL)
NUMBER = re.compile(r".+ is over: number (\d+) of (\d+)")
MOVES = {"up": "You go up to ", "down": "You go down to "}


class Truth:
    """The pages of a server over the database of a year."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database = database
        environ = {
            "POSTROAD_DATABASE_URL": f"sqlite:///{folder}/postroad.db",
            "POSTROAD_BASE_URL": "http://127.0.0.1",
            "POSTROAD_SECRET_KEY": KEYS[0],
        }
        self.client = create_app(load_config(environ, folder)).test_client()
        self.compared = 0
        self.unreached: set[str] = set()
        """Names of people whom no mail reaches."""

    def differences(self, event_id: int, now: datetime) -> Iterator[str]:
        """Compare every public form of an event, its mails and its next season with its plan."""
        with self.database.read() as session:
            event = lifecycle.get(session, event_id)
        if event.ended_at:
            yield from self._places(event, now)
        if event.plays.by_points:
            yield from self._by_points(event, now)

    def _places(self, event: Competition, now: datetime) -> Iterator[str]:
        """Compare the places that mails of the end and the lists of other programs say with the final order."""
        with self.database.read() as session:
            people = {one.id: one for one in entries.entrants(session, event.id)}
            orders = [order for _, order in next_season.final_order(session, event, now)]
        plan = {
            people[who].name: (str(place), str(len(order)))
            for order in orders
            for place, who in enumerate(order, 1)
            if people[who].status == "entered"
        }
        said = {}
        for mail in kept(self.database, "event_over"):
            if (found := NUMBER.fullmatch(mail.subject)) and re.search(rf"/events/{event.id}\b", mail.text):
                said[mail.to.partition("@")[0]] = found.groups()
        told = {name: place for name, place in plan.items() if name not in self.unreached}
        yield from self._unlike(f"{event.name}, places in mails", said, told)
        if not event.plays.by_points:
            data = json.loads(self._get(f"/events/{event.id}/standings.json"))["divisions"]
            listed = [line["name"] for part in data for line in part["standings"]]
            sheet = list(csv.DictReader(io.StringIO(self._get(f"/events/{event.id}/standings.csv"))))
            wanted = [people[who].name for order in orders for who in order]
            yield from self._unlike(f"{event.name}, order in JSON", listed, wanted)
            yield from self._unlike(f"{event.name}, order in CSV", [row["name"] for row in sheet], wanted)

    def _by_points(self, event: Competition, now: datetime) -> Iterator[str]:
        event_id = event.id
        with self.database.read() as session:
            moves = next_season.moves(session, event, now)
            people = {one.player_id: one for one in entries.entrants(session, event_id)}
            plan = {people[one].name: move.kind for one, move in moves.items() if move.kind in MOVES}
            tables = [
                [(place.place, one.names[place.entrant]) for place in one.places]
                for one in standings.standings_of(session, event)
            ]
        places = [line for table in tables for line in table]
        for form in ("", "/embed", "/print"):
            page = self._get(f"/events/{event_id}{form}")
            rows = [(set(look.split()), int(place), name.strip()) for look, place, name in ROW.findall(page)]
            yield from self._unlike(f"{event.name}{form}, places", [(place, name) for _, place, name in rows], places)
            marked = {name: kind for look, _, name in rows for kind in MOVES if kind in look}
            yield from self._unlike(f"{event.name}{form}, who moves", marked, plan)
        sheet = list(csv.DictReader(io.StringIO(self._get(f"/events/{event_id}/standings.csv"))))
        listed = [(int(row["place"]), row["name"]) for row in sheet if row["points"]]
        yield from self._unlike(f"{event.name}, CSV", listed, places)
        data = json.loads(self._get(f"/events/{event_id}/standings.json"))["divisions"]
        listed = [(line["place"], line["name"]) for part in data for line in part["standings"] if "points" in line]
        yield from self._unlike(f"{event.name}, JSON", listed, places)
        yield from self._unlike(f"{event.name}, mails of the end", self._mailed(event, people), plan, event.ended_at)
        yield from self._next(event, moves)

    def _mailed(self, event: Competition, people: dict[int, Any]) -> dict[str, str]:
        """Return what the mails of the end said of who moves, by name."""
        addresses = {f"{one.name}@example.org": one.name for one in people.values()}
        return {
            addresses[mail.to]: kind
            for mail in kept(self.database, "event_over")
            if mail.subject.startswith(f"{event.name} is over") and mail.to in addresses
            for kind, words in MOVES.items()
            if words in mail.words
        }

    def _next(self, event: Competition, moves: dict[int, Any]) -> Iterator[str]:
        """Compare the divisions of the next season that was drafted with the plan."""
        with self.database.read() as session:
            after = _following(session, event)
            if after is None or not moves:
                return
            levels = {division.id: division.level for division in after.divisions}
            there = {one.player_id: levels.get(one.division_id or 0) for one in entries.entrants(session, after.id)}
        wanted = {player: move.after for player, move in moves.items() if move.after is not None}
        yield from self._unlike(f"{event.name}, next season", there, wanted)

    def _unlike(self, what: str, found: object, wanted: object, when: object = True) -> Iterator[str]:
        if when:
            self.compared += 1
            if found != wanted:
                yield f"{what}: {found} instead of {wanted}"

    def _get(self, path: str) -> str:
        answer = self.client.get(path)
        assert answer.status_code == 200, (path, answer.status_code)
        return answer.get_data(as_text=True)


def _following(session: Session, event: Competition) -> Competition | None:
    from app.leagues.seasons import again

    return again.next_event(session, event)
