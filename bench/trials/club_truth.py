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

    def differences(self, event_id: int, now: datetime) -> Iterator[str]:
        """Compare every public form of an event ordered by points, its mails and its next season with its plan."""
        with self.database.read() as session:
            event = lifecycle.get(session, event_id)
            if not event.plays.by_points or event.boards:
                return
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
