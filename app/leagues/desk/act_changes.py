"""What an act of the audit trail changed, in words: before and after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from babel import Locale
from sqlmodel import col

from app.clocks.pace import read_pace
from app.leagues.clubs import audit
from app.leagues.clubs.audit import TEAMS
from app.leagues.clubs.clubs import ROLE_NAMES
from app.leagues.events.events import STATUS_NAMES
from app.leagues.events.term_words import ENDING_NAMES, said_terms
from app.leagues.pure.formats import FORMATS
from app.leagues.pure.standings import said_value
from app.leagues.pure.terms import read_stored
from app.leagues.rulings.applying import DECISION_NAMES
from app.leagues.tables import About, Competition, Division, Entrant, Match, MatchSeat
from app.lobby.options import option_in_words
from app.people.tables import Player
from app.time.pace_words import after_in_words, pace_in_words
from app.titles.registry import TITLES
from engine.kernel.text import N_

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.speech import Voice
    from app.leagues.tables import Audit

Change = tuple[str, str, str]
"""What, before, after; an empty string for nothing."""

LABELS = {
    "role": N_("role"),
    "status": N_("status"),
    "name": N_("name"),
    "about": N_("about the club"),
    "language": N_("language"),
    "zone": N_("time zone"),
    "takes_requests": N_("requests to join"),
    "points": N_("points"),
    "scores": N_("victory points"),
    "ended": N_("result"),
    "decision": N_("decision"),
    "games": N_("games"),
    "matches": N_("games"),
    "byes": N_("byes"),
    "away": N_("rounds off"),
    "asked": N_("byes on request"),
    "seats": N_("seats"),
    "void": N_("void games"),
    "walkovers": N_("games won without playing"),
    "divisions": N_("divisions"),
    "division": N_("division"),
    "rounds": N_("rounds"),
    "begins": N_("first round"),
    "season": N_("season"),
    "calendar": N_("calendar"),
    "sign_up_from": N_("sign-up opens"),
    "sign_up_until": N_("sign-up until"),
    "publish_at": N_("is published on"),
    "format": N_("format"),
    "options": N_("options"),
    "pace": N_("pace"),
    "terms": N_("terms"),
    "days": N_("days"),
    "drafts": N_("drafts thrown away"),
    "reserve": N_("reserve"),
    "subject": N_("subject"),
    "recipients": N_("recipients"),
    "up": N_("promoted"),
    "down": N_("relegated"),
    "in": N_("new"),
    "out": N_("leaving"),
    "players": N_("players"),
    "squad": N_("players"),
    "line_up": N_("line-up"),
    "round": N_("round"),
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


@dataclass(frozen=True, slots=True)
class PersonNamed:
    """The person an act is about, with the number of the player (0 if it is about nobody)."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class NamesOfActs:
    """The names behind the numbers that acts store."""

    voice: Voice
    players: Mapping[int, str]
    entrants: Mapping[int, PersonNamed]
    divisions: Mapping[int, str]
    events: Mapping[int, Any]
    seats: Mapping[tuple[About | None, int], Sequence[int]]
    """The entrants at a game, by an act's kind and number."""

    @classmethod
    def of(cls, session: Session, acts: Sequence[Audit], voice: Voice) -> NamesOfActs:
        """Look up everything these acts need."""
        if not acts:
            return cls(voice, {}, {}, {}, {}, {})
        numbers: dict[About | None, set[int]] = {}
        for act in acts:
            numbers.setdefault(audit.subject_of(act).kind, set()).add(audit.subject_of(act).number)
            numbers.setdefault(About.EVENT, set()).add(act.event_id or 0)
            numbers.setdefault(About.PLAYER, set()).update(invited_by(act))
        seats = _seats(session, numbers.get(About.MATCH, set()), numbers.get(About.GAME, set()))
        seated = (
            _entrants_in(acts) | numbers.get(About.ENTRY, set()) | {who for there in seats.values() for who in there}
        )
        divisions = (
            _divisions_in(acts) | numbers.get(About.DIVISION, set()) | {audit.subject_of(act).division for act in acts}
        )
        entrants = sa.select(col(Entrant.id), col(Player.id), col(Player.name)).join(
            Player, col(Player.id) == col(Entrant.player_id)
        )
        parts = sa.select(sa.func.count()).where(col(Division.event_id) == col(Competition.id)).scalar_subquery()
        found = session.execute(entrants.where(col(Entrant.id).in_(seated))).all()
        return cls(
            voice,
            _names(session, Player, numbers.get(About.PLAYER, set())),
            {entrant: PersonNamed(player, name) for entrant, player, name in found},
            _names(session, Division, divisions),
            {
                row.id: row
                for row in session.execute(
                    sa.select(
                        col(Competition.id),
                        col(Competition.title_id),
                        col(Competition.format),
                        parts.label("divisions"),
                    ).where(col(Competition.id).in_(numbers[About.EVENT]))
                )
            },
            seats,
        )

    def person(self, kind: About | None, number: int) -> PersonNamed:
        """Return the person an act is about, if any."""
        if kind == About.PLAYER:
            return PersonNamed(number, self.voice.person(self.players.get(number)))
        if kind == About.ENTRY:
            return PersonNamed(self.entrants[number].id if number in self.entrants else 0, self.entrant(number))
        return PersonNamed(0, "")

    def entrant(self, number: int) -> str:
        """Return the name of an entrant."""
        person = self.entrants.get(number)
        return self.voice.person(person.name if person else "")

    def game(self, kind: About | None, number: int) -> str:
        """Return a game by its players, or by its number if it no longer exists."""
        return " – ".join(map(self.entrant, self.seats.get((kind, number), ()))) or str(number)

    def round(self, act: Audit) -> str:
        """Return the round an act was done to, with its division if the event has several."""
        number = audit.subject_of(act).number
        event, division = self.events.get(act.event_id or 0), self.divisions.get(audit.subject_of(act).division, "")
        return f"{number} ({division})" if division and event is not None and event.divisions > 1 else str(number)


def changes(act: Audit, known: NamesOfActs) -> Iterable[Change]:
    """Return what an act changed, a line each."""
    before, after = act.before or {}, act.after or {}
    if act.act in _LISTED:
        yield from _LISTED[act.act](before, after, known)
        return
    if act.act == "event.numbers":
        yield from _numbers(before["order"], after["order"], known)
        before, after = {}, {key: value for key, value in after.items() if key != "order"}
    if act.act == "entry.rounds_off":  # there the byes are requested ones
        before, after = _renamed(before), _renamed(after)
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        if key not in LABELS or (old == new and key in before and key in after):
            continue
        if key in _SENTENCES:
            were, are = ([] if value is None else _SENTENCES[key](value, act, known) for value in (old, new))
            was, now = (
                " ".join(one for one in said if one not in others) for said, others in ((were, are), (are, were))
            )
        else:
            was, now = _value(key, old, act, known), _value(key, new, act, known)
        if was or now:
            yield known.voice.gettext(LABELS[key]), was, now


def _imported(_: Mapping[str, Any], after: Mapping[str, Any], known: NamesOfActs) -> Iterable[Change]:
    for role, there in after["invited"].items():
        names = [known.person(About.PLAYER, number).name for number in there]
        yield known.voice.gettext(ROLE_NAMES[role]), "", known.voice.join(names)


def _divided(_: Mapping[str, Any], after: Mapping[str, Any], known: NamesOfActs) -> Iterable[Change]:
    for entrant, division in after.items():
        yield known.entrant(int(entrant)), "", known.divisions.get(division, "")


def _standings(_: Mapping[str, Any], after: Mapping[str, Any], known: NamesOfActs) -> Iterable[Change]:
    if TEAMS in after:
        in_order = [f"{at}. {name} {points}" for at, (name, points, _) in enumerate(after[TEAMS], 1)]
        yield known.voice.gettext("Teams"), "", ", ".join(in_order)
    for division, order in _by_division(after).items():
        said = [f"{at}. {known.entrant(entrant)} {points}".rstrip() for at, (entrant, points) in enumerate(order, 1)]
        yield known.divisions.get(int(division), ""), "", ", ".join(said)


_LISTED: dict[str, Callable[[Mapping[str, Any], Mapping[str, Any], NamesOfActs], Iterable[Change]]] = {
    "member.imported": _imported,
    "event.divided": _divided,
    "event.standings": _standings,
}
"""Acts whose record lists the people concerned, each shown in its own way."""


def _numbers(before: Sequence[int], after: Sequence[int], known: NamesOfActs) -> Iterable[Change]:
    """Return whose pairing number changed."""
    stood = {entrant: str(number) for number, entrant in enumerate(before, 1)}
    for number, entrant in enumerate(after, 1):
        if stood.get(entrant) != str(number):
            yield known.entrant(entrant), stood.get(entrant, ""), str(number)


def _renamed(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"asked" if key == "byes" else key: value for key, value in values.items()}


def _value(key: str, value: object, act: Audit, known: NamesOfActs) -> str:
    voice = known.voice
    if key in _WORDS and value is not None:
        return voice.gettext(_WORDS[key][str(value)])
    if value is None or value == "" or value == []:
        return ""
    if isinstance(value, bool):
        return voice.gettext(N_("yes")) if value else voice.gettext(N_("no"))
    if key in _SAID:
        return _SAID[key](value, act, known)
    if isinstance(value, list):
        return str(len(value)) if key == "games" else ", ".join(map(str, value))
    return str(value)


def _by_seat(value: Sequence[Any], act: Audit, known: NamesOfActs) -> str:
    """Return points or victory points with their owners."""
    there = known.seats.get(audit.subject_of(act)[:2], ())
    said = ["" if one is None else said_value("points", Fraction(one)) for one in value]
    if len(there) != len(said):
        return " – ".join(said) if any(said) else ""
    return ", ".join(f"{known.entrant(who)} {each}" for who, each in zip(there, said, strict=True) if each)


def _moment(value: str, _: Audit, known: NamesOfActs) -> str:
    return known.voice.moment(datetime.fromisoformat(value))


def _entries(value: Sequence[int], _: Audit, known: NamesOfActs) -> str:
    return known.voice.clauses([known.entrant(entrant) for entrant in value])


def _count(value: Sequence[object], _: Audit, known: NamesOfActs) -> str:
    return str(len(value))


_SAID: dict[str, Callable[[Any, Audit, NamesOfActs], str]] = {
    "language": lambda value, _, known: str(Locale.parse(value).get_display_name(known.voice.lang)),
    "sign_up_from": _moment,
    "sign_up_until": _moment,
    "publish_at": _moment,
    "reserve": lambda value, _, known: known.entrant(value),
    "line_up": _entries,
    "squad": _entries,
    "seats": lambda value, _, known: known.voice.clauses([" – ".join(map(known.entrant, seats)) for seats in value]),
    "points": _by_seat,
    "scores": _by_seat,
    "void": _count,
    "walkovers": _count,
}
"""How the value of a key is shown if its data always have the same form."""


def _said_terms(value: Mapping[str, Any], act: Audit, known: NamesOfActs) -> list[str]:
    event = known.events.get(act.event_id or 0)
    return said_terms("" if event is None else event.format, read_stored(value), known.voice)


def _said_pace(value: Mapping[str, Any], act: Audit, known: NamesOfActs) -> list[str]:
    pace = read_pace(value)
    said = [pace_in_words(known.voice, pace), *after_in_words(known.voice, pace)]
    return [f"{one[:1].upper()}{one[1:]}." for one in said if one]


def _said_options(value: Mapping[str, Any], act: Audit, known: NamesOfActs) -> list[str]:
    event = known.events.get(act.event_id or 0)
    if event is None:
        return []
    title = TITLES[event.title_id]
    return [
        known.voice.gettext("{label}: {value}.", label=label, value=said)
        for label, said in option_in_words(title, value, known.voice.about(title))
    ]


_SENTENCES = {"terms": _said_terms, "pace": _said_pace, "options": _said_options}
"""Values shown as sentences, of which only those that differ appear."""


def invited_by(act: Audit) -> list[int]:
    """Return the players whom an act has invited from a list."""
    return [number for there in (act.after or {}).get("invited", {}).values() for number in there]


def _entrants_in(acts: Sequence[Audit]) -> set[int]:
    found: set[int] = set()
    for act in acts:
        after = act.after or {}
        if act.act == "event.divided":
            found |= {int(entrant) for entrant in after}
        elif act.act == "event.numbers":
            found |= set(after["order"])
        elif act.act == "event.standings":
            found |= {entrant for order in _by_division(after).values() for entrant, _ in order}
        else:
            found |= {after["reserve"]} if "reserve" in after else set()
            for data in (act.before or {}, after):
                found |= {who for seats in data.get("seats", ()) for who in seats}
                found |= {*data.get("line_up", ()), *data.get("squad", ())}
    return found


def _divisions_in(acts: Sequence[Audit]) -> set[int]:
    found: set[int] = set()
    for act in acts:
        if act.act == "event.divided":
            found |= set((act.after or {}).values())
        elif act.act == "event.standings":
            found |= {int(division) for division in _by_division(act.after or {})}
    return found


def _by_division(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return the final standings of the divisions alone."""
    return {division: order for division, order in kept.items() if division != TEAMS}


def _seats(session: Session, matches: set[int], games: set[int]) -> dict[tuple[About | None, int], list[int]]:
    found: dict[tuple[About | None, int], list[int]] = {}
    asked = (
        sa.select(col(Match.id), col(Match.game_id), col(MatchSeat.entry_id))
        .join(MatchSeat, col(MatchSeat.match_id) == col(Match.id))
        .where(sa.or_(col(Match.id).in_(matches), col(Match.game_id).in_(games)))
        .order_by(col(Match.id), col(MatchSeat.place))
    )
    for match, game, entrant in session.execute(asked):
        found.setdefault((About.MATCH, match), []).append(entrant)
        if game is not None:
            found.setdefault((About.GAME, game), []).append(entrant)
    return found


def _names(session: Session, model: type[Player] | type[Division], numbers: set[int]) -> dict[int, str]:
    asked = sa.select(col(model.id), col(model.name)).where(col(model.id).in_(numbers))
    return {number: name for number, name in session.execute(asked)}
