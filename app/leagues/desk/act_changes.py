"""What an act of the audit trail changed, in words: before and after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

import sqlalchemy as sa
from babel import Locale
from sqlalchemy.orm import selectinload
from sqlmodel import Session, col, select

from app.base.words.speech import Voice, capital
from app.clocks.pace import read_pace
from app.leagues.clubs.audit import TEAMS
from app.leagues.clubs.club_rights import ROLE_NAMES
from app.leagues.events.lifecycle import STATUS_NAMES
from app.leagues.events.term_words import ENDING_NAMES, said_terms
from app.leagues.pure.formats import FORMATS
from app.leagues.pure.standings import said_value
from app.leagues.pure.terms import read_stored
from app.leagues.rulings.applying import DECISION_NAMES
from app.leagues.tables import About, Audit, Competition, Entrant, Match, MatchSeat
from app.lobby.options import option_in_words
from app.people.tables import Player
from app.time.pace_words import after_in_words, pace_in_words
from engine.kernel.text import N_

Change = tuple[str, str, str]
"""What, before, after; an empty string for nothing."""

LABELS = {
    "role": N_("Role"),
    "status": N_("status"),
    "name": N_("Name"),
    "about": N_("About the club"),
    "language": N_("Language"),
    "zone": N_("Time zone"),
    "takes_requests": N_("Requests to join"),
    "points": N_("points"),
    "scores": N_("victory points"),
    "ended": N_("result"),
    "decision": N_("decision"),
    "games": N_("games"),
    "matches": N_("games"),
    "byes": N_("byes"),
    "away": N_("rounds off"),
    "asked": N_("byes on request"),
    "seats": N_("Seats"),
    "void": N_("void games"),
    "walkovers": N_("games won without playing"),
    "divisions": N_("divisions"),
    "division": N_("Division"),
    "rounds": N_("Rounds"),
    "begins": N_("first round"),
    "season": N_("Season"),
    "calendar": N_("calendar"),
    "sign_up_from": N_("sign-up opens"),
    "sign_up_until": N_("sign-up until"),
    "publish_at": N_("is published on"),
    "format": N_("Format"),
    "options": N_("options"),
    "pace": N_("Pace"),
    "terms": N_("terms"),
    "days": N_("days"),
    "drafts": N_("drafts thrown away"),
    "reserve": N_("reserve"),
    "subject": N_("Subject"),
    "recipients": N_("recipients"),
    "up": N_("promoted"),
    "down": N_("relegated"),
    "in": N_("newcomers"),
    "out": N_("leaving"),
    "players": N_("Players"),
    "squad": N_("Players"),
    "line_up": N_("line-up"),
    "round": N_("Round"),
    "invited": N_("invited"),
}
"""The keys that are shown; others are for undoing or for programs."""
ENTRANT_STATUSES = {
    "entered": N_("plays"),
    "reserve": N_("in reserve"),
    "withdrawn": N_("withdrawn"),
    "removed": N_("taken out"),
}
"""The states of an entrant, in the order in which a page lists them."""
STATUSES = (
    STATUS_NAMES
    | ENTRANT_STATUSES
    | {
        "invited": N_("invited"),
        "member": N_("member"),
        "left": N_("left"),
    }
)
_WORDS: Mapping[str, Mapping[str, str]] = {
    "role": ROLE_NAMES,
    "status": STATUSES,
    "format": {key: one.name for key, one in FORMATS.items()},
    "ended": ENDING_NAMES,
    "decision": DECISION_NAMES,
}


NUMBERED = ("games", "matches", "void", "walkovers")
"""Lists of which people read how long they are."""


class NamesOfActs:
    """The names behind the numbers that some acts store, read at once."""

    def __init__(self, session: Session, acts: Sequence[Audit], voice: Voice) -> None:
        self.voice = voice
        self.events: dict[int, Competition] = {}
        self.divisions: dict[int, str] = {}
        self.entrants: dict[int, tuple[int, str]] = {}
        """The player of each entrant, by number and name."""
        self.players: dict[int | None, str] = {}
        self.seats: dict[tuple[About | None, int], list[int]] = {}
        """The entrants at a game, by an act's kind and number."""
        if acts:
            self._read(session, acts)

    def _read(self, session: Session, acts: Sequence[Audit]) -> None:
        numbers: dict[About | None, set[int]] = {}
        for act in acts:
            numbers.setdefault(act.about, set()).add(act.about_number or 0)
            numbers.setdefault(About.PLAYER, set()).update(invited_by(act))
        its = {act.event_id for act in acts}
        events = select(Competition).options(selectinload(Competition.divisions)).where(col(Competition.id).in_(its))
        self.events = {one.id: one for one in session.exec(events)}
        self.divisions = {one.id: one.name for event in self.events.values() for one in event.divisions}
        entrants = select(Entrant.id, Entrant.player_id, Entrant.name).where(col(Entrant.event_id).in_(its))
        self.entrants = {entrant: (player, name) for entrant, player, name in session.exec(entrants)}
        players = select(Player.id, Player.name).where(col(Player.id).in_(numbers.get(About.PLAYER, ())))
        self.players = dict(session.exec(players).all())
        matches, games = numbers.get(About.MATCH, ()), numbers.get(About.GAME, ())
        seats = (
            select(Match.id, Match.game_id, MatchSeat.entry_id)
            .join(MatchSeat, col(MatchSeat.match_id) == col(Match.id))
            .where(sa.or_(col(Match.id).in_(matches), col(Match.game_id).in_(games)))
            .order_by(col(Match.id), col(MatchSeat.place))
        )
        for match, game, entrant in session.exec(seats):
            self.seats.setdefault((About.MATCH, match), []).append(entrant)
            self.seats.setdefault((About.GAME, game or 0), []).append(entrant)

    def person(self, act: Audit) -> tuple[int, str]:
        """Return the player an act is about, by number and name; 0 and an empty name if it is about nobody."""
        number = act.about_number or 0
        if act.about == About.PLAYER:
            return number, self.player(number)
        if act.about == About.ENTRY:
            return self.entrants.get(number, (0, ""))[0], self.entrant(number)
        return 0, ""

    def player(self, number: int) -> str:
        """Return the name of a player."""
        return self.voice.person(self.players.get(number))

    def entrant(self, number: int) -> str:
        """Return the name of an entrant."""
        return self.voice.person(self.entrants.get(number, (0, ""))[1])

    def at(self, act: Audit) -> Sequence[int]:
        """Return the entrants at the game that an act is about."""
        return self.seats.get((act.about, act.about_number or 0), ())

    def game(self, act: Audit) -> str:
        """Return a game by its players, or by its number if it no longer exists."""
        return " – ".join(map(self.entrant, self.at(act))) or str(act.about_number or 0)

    def round(self, act: Audit) -> str:
        """Return the round an act was done to, with its division if the event has several."""
        number, division = act.about_number or 0, self.divisions.get(act.about_division or 0, "")
        event = self.events.get(act.event_id or 0)
        return f"{number} ({division})" if division and event and len(event.divisions) > 1 else str(number)


def changes(act: Audit, known: NamesOfActs) -> Iterable[Change]:
    """Return what an act changed, a line each."""
    before, after = act.before or {}, act.after or {}
    if act.act in _LISTED:
        yield from _LISTED[act.act](after, known)
        return
    if act.act == "entry.rounds_off":  # there the byes are requested ones
        before, after = _renamed(before), _renamed(after)
    for key in dict.fromkeys([*before, *after]):
        if key not in LABELS or (key in before and key in after and before[key] == after[key]):
            continue
        were, are = _said(key, before, act, known), _said(key, after, act, known)
        was, now = (" ".join(one for one in said if one not in others) for said, others in ((were, are), (are, were)))
        if was or now:
            yield capital(known.voice.gettext(LABELS[key])), was, now


def _imported(after: Mapping[str, Any], known: NamesOfActs) -> Iterable[Change]:
    for role, there in after["invited"].items():
        yield known.voice.gettext(ROLE_NAMES[role]), "", known.voice.join([known.player(number) for number in there])


def _divided(after: Mapping[str, Any], known: NamesOfActs) -> Iterable[Change]:
    for entrant, division in after.items():
        yield known.entrant(int(entrant)), "", known.divisions.get(division, "")


def _standings(after: Mapping[str, Any], known: NamesOfActs) -> Iterable[Change]:
    for part, order in after.items():
        if part == TEAMS:
            what, lines = known.voice.gettext("Teams"), [(name, points) for name, points, _ in order]
        else:
            what = known.divisions.get(int(part), "")
            lines = [(known.entrant(entrant), points) for entrant, points in order]
        yield what, "", ", ".join(f"{at}. {name} {points}".rstrip() for at, (name, points) in enumerate(lines, 1))


_LISTED: dict[str, Callable[[Mapping[str, Any], NamesOfActs], Iterable[Change]]] = {
    "member.imported": _imported,
    "event.divided": _divided,
    "event.standings": _standings,
}
"""Acts whose record lists the people concerned, each shown in its own way."""


def _renamed(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"asked" if key == "byes" else key: value for key, value in values.items()}


def _said(key: str, values: Mapping[str, Any], act: Audit, known: NamesOfActs) -> list[str]:
    """Return a value in words; as sentences, of which only those that differ are shown, for long ones."""
    value, voice, event = values.get(key), known.voice, known.events.get(act.event_id or 0)
    if key in _WORDS and value is not None:
        return [voice.gettext(_WORDS[key][str(value)])]
    if value in (None, "", []):
        return []
    if key == "terms":
        return said_terms("" if event is None else event.format, read_stored(value), voice)
    if key == "pace":
        pace = read_pace(value)
        said = [pace_in_words(voice, pace), *after_in_words(voice, pace)]
        return [f"{capital(one)}." for one in said if one]
    if key == "options":
        options = [] if event is None else option_in_words(event.title, value, voice.about(event.title))
        return [voice.gettext("{label}: {value}.", label=label, value=said) for label, said in options]
    return [_in_words(key, values, act, known)]


def _in_words(key: str, values: Mapping[str, Any], act: Audit, known: NamesOfActs) -> str:
    value, voice = values[key], known.voice
    if isinstance(value, bool):
        return voice.gettext(N_("yes")) if value else voice.gettext(N_("no"))
    if key == "language":
        return str(Locale.parse(value).get_display_name(voice.lang))
    if key in ("sign_up_from", "sign_up_until", "publish_at"):
        return voice.moment(datetime.fromisoformat(value))
    if key == "reserve":
        return known.entrant(value)
    if key in ("line_up", "squad"):
        return voice.clauses([known.entrant(entrant) for entrant in value])
    if key == "seats":
        return voice.clauses([" – ".join(map(known.entrant, seats)) for seats in value])
    if key in ("points", "scores") and isinstance(value, list):
        return _by_seat(value, act, known)
    if isinstance(value, list):
        return str(len(value)) if key in NUMBERED else ", ".join(map(str, value))
    return str(value)


def _by_seat(value: Sequence[Any], act: Audit, known: NamesOfActs) -> str:
    """Return points or victory points with their owners."""
    there = known.at(act)
    said = ["" if one is None else said_value("points", Fraction(one)) for one in value]
    if len(there) != len(said):
        return " – ".join(said) if any(said) else ""
    return ", ".join(f"{known.entrant(who)} {each}" for who, each in zip(there, said, strict=True) if each)


def invited_by(act: Audit) -> list[int]:
    """Return the players whom an act has invited from a list."""
    return [number for there in (act.after or {}).get("invited", {}).values() for number in there]
