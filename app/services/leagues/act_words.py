"""The audit trail in sentences: who did what to whom, and what it was before and after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from app.models import Division, Entry, Player
from app.services.leagues.clubs import ROLE_NAMES
from app.services.leagues.events import FORMAT_NAMES, STATUS_NAMES
from app.speech import FORMER_PLAYER
from engine.kernel.text import N_

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.services.leagues.audit import Act
    from app.speech import Voice

_PLAYER, _ENTRY, _DIVISION = Player.__table__, Entry.__table__, Division.__table__  # type: ignore[attr-defined]

ACTS = {
    "club.made": N_("{by} founded the club."),
    "club.changed": N_("{by} changed what the club says of itself."),
    "club.new_link": N_("{by} made a new joining link; older ones are dead."),
    "member.invited": N_("{by} invited {subject}."),
    "member.joined": N_("{subject} joined the club."),
    "member.declined": N_("{subject} declined the invitation."),
    "member.role": N_("{by} gave {subject} another role."),
    "member.left": N_("{subject} left the club, by {by}."),
    "event.made": N_("{by} prepared the event."),
    "event.changed": N_("{by} changed the terms of the event."),
    "event.sign_up": N_("{by} opened sign-up."),
    "event.running": N_("{by} started the event."),
    "event.over": N_("{by} ended the event."),
    "event.standings": N_("The final standings."),
    "season.drafted": N_("{by} drafted the next season: {subject}."),
    "round.extra": N_("{by} started deciding games in {subject}."),
    "ladder.challenged": N_("{by} challenged {subject}."),
    "ladder.declined": N_("{by} declined the challenge of {subject}."),
    "ladder.taken_back": N_("{by} took the challenge of {subject} back."),
    "results.imported": N_("{by} took earlier results from a list."),
    "event.cancelled": N_("{by} cancelled the event."),
    "event.divided": N_("{by} put players into divisions."),
    "event.divisions": N_("{by} changed the divisions."),
    "entry.made": N_("{by} entered {subject}."),
    "entry.reserve": N_("{subject} came as a reserve."),
    "entry.rounds_off": N_("{by} changed the rounds off of {subject}."),
    "entry.withdrawn": N_("{subject} left the event, by {by}."),
    "round.paired": N_("{by} paired {subject} as a draft."),
    "round.edited": N_("{by} seated {subject} by hand."),
    "round.discarded": N_("{by} threw the draft of {subject} away."),
    "round.published": N_("{by} published {subject}."),
    "round.closed": N_("{by} closed {subject}."),
    "match.over": N_("{subject} is over."),
    "event.message": N_("{by} wrote to {subject}."),
    "ruling.opened": N_("A ruling was asked for about {subject}, by {by}."),
    "ruling.decided": N_("{by} ruled about {subject}."),
    "ruling.appealed": N_("{by} appealed against the ruling about {subject}."),
    "ruling.final": N_("{by} decided the appeal about {subject}."),
    "ruling.undone": N_("{by} took the ruling about {subject} back."),
    "desk.nudged": N_("{by} sent a reminder in {subject}."),
    "desk.extended": N_("{by} gave more time in {subject}."),
    "desk.leave": N_("{by} granted leave in {subject}."),
    "desk.sent_again": N_("{by} had the mail of {subject} sent once more."),
    "desk.reported": N_("{by} had the result of {subject} written down."),
    "desk.undone": N_("{by} took an act back in {subject}."),
    "reserve.called": N_("{by} called a reserve for the seats of {subject}."),
    "reserve.accepted": N_("A reserve, {by}, took the seats of {subject} over."),
    "reserve.declined": N_("A reserve declined the seats of {subject}."),
    "reserve.expired": N_("A reserve did not answer in time about the seats of {subject}."),
    "reserve.withdrawn": N_("{by} took the call of a reserve for {subject} back."),
}
LABELS = {
    "role": N_("role"),
    "status": N_("status"),
    "name": N_("name"),
    "about": N_("about the club"),
    "language": N_("language"),
    "zone": N_("time zone"),
    "points": N_("points"),
    "games": N_("games"),
    "matches": N_("games"),
    "byes": N_("byes"),
    "away": N_("rounds off"),
    "seats": N_("seats"),
    "void": N_("void games"),
    "walkovers": N_("games won without playing"),
    "season": N_("season"),
    "calendar": N_("calendar"),
    "sign_up_until": N_("sign-up until"),
    "format": N_("format"),
    "options": N_("options"),
    "pace": N_("pace"),
    "terms": N_("terms"),
    "reason": N_("reason"),
    "up": N_("promoted"),
    "down": N_("relegated"),
    "in": N_("new"),
    "out": N_("leaving"),
    "event": N_("number of the event"),
    "players": N_("players"),
}
_STATUSES = STATUS_NAMES | {
    "entered": N_("plays"),
    "reserve": N_("in reserve"),
    "withdrawn": N_("withdrawn"),
    "removed": N_("taken out"),
    "invited": N_("invited"),
    "member": N_("member"),
    "left": N_("left"),
}


@dataclass(frozen=True, slots=True)
class Said:
    """An act as people read it; `changes` are (what, before, after), with an empty string for nothing."""

    what: str
    changes: tuple[tuple[str, str, str], ...]


class Teller:
    """Says acts. Looks the people up once for all of them."""

    def __init__(self, connection: Connection, acts: Sequence[Act], voice: Voice) -> None:
        self.voice = voice
        self._players = _names(connection, sa.select(_PLAYER.c.id, _PLAYER.c.name), _PLAYER.c.id, _of(acts, "player"))
        seated = _entries_in(acts) | _of(acts, "entry")
        by_entry = sa.select(_ENTRY.c.id, _PLAYER.c.name).join(_PLAYER, _PLAYER.c.id == _ENTRY.c.player_id)
        self._entries = _names(connection, by_entry, _ENTRY.c.id, seated)
        divisions = {value for act in acts if act.act == "event.divided" for value in (act.after or {}).values()}
        divisions |= {int(division) for act in acts if act.act == "event.standings" for division in act.after or {}}
        asked = sa.select(_DIVISION.c.id, _DIVISION.c.name)
        self._divisions = _names(connection, asked, _DIVISION.c.id, {n for n in divisions if isinstance(n, int)})

    def say(self, act: Act) -> Said:
        """The sentence of an act, and what it changed."""
        voice = self.voice
        by = act.by or (voice.gettext("the server") if act.by_id is None else voice.gettext(FORMER_PLAYER))
        subject = self.subject(act)
        if act.act in ACTS:
            what = voice.gettext(ACTS[act.act], by=by, subject=subject)
        else:
            plain = act.act.partition(".")[2].replace("_", " ") or act.act
            what = voice.gettext("{by}: {act} {subject}", by=by, act=plain, subject=subject).strip()
        return Said(what[:1].upper() + what[1:], tuple(self._changes(act)))

    def subject(self, act: Act) -> str:
        """What it was done to: a person, a round, a game."""
        kind, _, value = act.subject.partition(":")
        if not value.isdigit():
            return act.subject
        voice, number = self.voice, int(value)
        if kind == "player":
            return self._players.get(number) or voice.gettext(FORMER_PLAYER)
        if kind == "entry":
            return self._entries.get(number) or voice.gettext(FORMER_PLAYER)
        if kind == "round":
            return voice.gettext("round {n}", n=number)
        if kind == "match":
            return voice.gettext("match {n}", n=number)
        if kind == "game":
            return voice.gettext("game {n}", n=number)
        return f"{kind} {number}"

    def _changes(self, act: Act) -> Iterable[tuple[str, str, str]]:
        before, after = act.before or {}, act.after or {}
        if act.act == "event.divided":
            for entry, division in after.items():
                yield self._entries.get(int(entry), ""), "", self._divisions.get(division, "")
            return
        if act.act == "event.standings":
            for division, order in after.items():
                said = [
                    f"{at}. {self._entries.get(entry, '')} {points}".rstrip()
                    for at, (entry, points) in enumerate(order, 1)
                ]
                yield self._divisions.get(int(division), ""), "", ", ".join(said)
            return
        for key in dict.fromkeys([*before, *after]):
            old, new = before.get(key), after.get(key)
            if isinstance(old, Mapping) and isinstance(new, Mapping):  # terms: only what differs
                for part in dict.fromkeys([*old, *new]):
                    if old.get(part) != new.get(part):
                        yield self._label(part), self._value(part, old.get(part)), self._value(part, new.get(part))
                continue
            yield self._label(key), self._value(key, old), self._value(key, new)

    def _label(self, key: str) -> str:
        return self.voice.gettext(LABELS[key]) if key in LABELS else key.replace("_", " ")

    def _value(self, key: str, value: Any) -> str:
        voice = self.voice
        if value is None or value == "" or value == []:
            return ""
        if isinstance(value, bool):
            return voice.gettext("yes") if value else voice.gettext("no")
        if key == "role" and value in ROLE_NAMES:
            return voice.gettext(ROLE_NAMES[value])
        if key == "status" and value in _STATUSES:
            return voice.gettext(_STATUSES[value])
        if key == "format" and value in FORMAT_NAMES:
            return voice.gettext(FORMAT_NAMES[value])
        if key == "seats" and isinstance(value, list):
            tables = [" – ".join(self._entries.get(entry, str(entry)) for entry in seats) for seats in value]
            return "; ".join(tables)
        if isinstance(value, list):
            return ", ".join(str(part) for part in value)
        if isinstance(value, Mapping):
            return ", ".join(
                f"{self._label(str(part))}: {self._value(str(part), each)}" for part, each in value.items()
            )
        return str(value)


def _of(acts: Sequence[Act], kind: str) -> set[int]:
    parts = [act.subject.partition(":") for act in acts]
    return {int(value) for name, _, value in parts if name == kind and value.isdigit()}


def _entries_in(acts: Sequence[Act]) -> set[int]:
    found: set[int] = set()
    for act in acts:
        if act.act == "event.divided":
            found |= {int(entry) for entry in act.after or {}}
        if act.act == "event.standings":
            found |= {entry for order in (act.after or {}).values() for entry, _ in order}
            continue
        for data in (act.before or {}, act.after or {}):
            seats = data.get("seats")
            if isinstance(seats, list):
                found |= {entry for table in seats if isinstance(table, list) for entry in table}
    return found


def _names(connection: Connection, asked: Any, column: Any, numbers: set[int]) -> dict[int, str]:
    if not numbers:
        return {}
    return {number: name for number, name in connection.execute(asked.where(column.in_(numbers)))}
