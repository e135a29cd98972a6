"""From one season to the next: final standings recorded, and the next event drafted from this one.

A plan is what the organiser wants; `propose` says what follows from it and why, without changing anything, so "what if"
is answered by proposing again. `make` writes the draft of the next event.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import Acting, ClubActing
from app.leagues.events import entries, invited, round_rows, seat_changes
from app.leagues.pure import divisions
from app.leagues.pure.divisions import DivisionDraft, Final, Move, Numbers
from app.leagues.pure.standings import said_value
from app.leagues.results import outcomes, standings
from app.leagues.rounds import brackets, ladder
from app.leagues.seasons import again
from app.leagues.tables import (
    Competition,
    CompetitionStatus,
    Division,
    Entrant,
    EntrantStatus,
    Member,
    MemberStatus,
    Season,
)
from app.leagues.teams import rosters, team_standings
from app.people.accounts import read_label
from engine.kernel.text import Text

MOST_IN_A_DIVISION = 200


# -- final standings ----------------------------------------------------------------------------------


def final_order(session: Session, event: Competition, now: datetime) -> list[tuple[Division, list[int]]]:
    """Return the divisions of an event, highest first, each with its entrants in final order.

    A knock-out is ordered by the round in which players went out, then by seed. An event of groups and finals is one
    division: the players of the finals, then the others by their place in the group. A ladder has its own order.
    """
    if event.plays.by_challenge:
        there = ladder.read(session, event, now)
        order = list(there.ladder.order)
        return [(event.divisions[0], order + [entrant for entrant in there.people if entrant not in order])]
    if not event.plays.by_points:
        return [(division, _of_bracket(session, event, division)) for division in event.divisions]
    found = [(one.division, [place.entrant for place in one.places]) for one in standings.standings_of(session, event)]
    if event.finals is None:
        return found
    finals = _of_bracket(session, event, event.finals)
    groups = [order for _, order in found]
    by_place = [group[at] for at in range(max(map(len, groups), default=0)) for group in groups if at < len(group)]
    return [(event.finals, finals + [entrant for entrant in by_place if entrant not in finals])]


def _of_bracket(session: Session, event: Competition, division: Division) -> list[int]:
    drawn = brackets.bracket_of(session, event, division)
    return [who for _, who in drawn.ranked()] if drawn else []


def freeze(acting: Acting) -> None:
    """Keep the final standings in the audit trail, once for each end: the entrants of each division in order, with
    their points."""
    session, event = acting.session, acting.event
    after: dict[str, Any] = {}
    for division, order in final_order(session, event, acting.now):
        there = standings.standings_of(session, event)
        points = {place.entrant: said_value("points", place.points) for one in there for place in one.places}
        after[str(division.id)] = [[entrant, points.get(entrant, "")] for entrant in order]
    if event.boards:
        after[audit.TEAMS] = team_order(session, event)
    acting.write("event.standings", after=after, once=f"standings:{event.id}:{acting.now:%Y%m%d%H%M%S%f}")


def team_order(session: Session, event: Competition) -> list[list[Any]]:
    """Return the teams of an event in their final order: name, match points, the entrants of its players."""
    playing = {team.id: team for team in rosters.of_event(session, event.id)}
    there = round_rows.rounds_of(session, event.divisions[0].id)
    table = team_standings.of_event(session, event, there, tuple(playing.values()))
    order = [(playing[one.team], said_value("points", one.match_points)) for one in table.places]
    return [[team.name, points, [who.entry_id for who in team.players]] for team, points in order]


# -- what if ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Plan:
    """What the organiser wants for the next season. People are players."""

    leavers: frozenset[int] = frozenset()
    joiners: tuple[int, ...] = ()
    numbers: Numbers = field(default_factory=Numbers)
    moving: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """By level: how many go up and down, if it differs from the event's own numbers."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A player who could join: a reserve of the event, or a member of the club who did not play."""

    player_id: int
    name: str
    is_reserve: bool


@dataclass(frozen=True, slots=True)
class SeasonProposal:
    """The consequences of a plan."""

    event: Competition
    finals: tuple[Final, ...]
    draft: DivisionDraft
    names: Mapping[int, str]
    candidates: tuple[Candidate, ...]

    def moving(self, level: int) -> tuple[int, int]:
        """Return how many go up and down from a division of the next season."""
        final = next((final for final in self.finals if final.level == level), None)
        return (final.promoted, final.relegated) if final else (0, 0)


def usual(session: Session, event: Competition) -> Plan:
    """Return the default plan: who has withdrawn, said that they do not play again or does not belong to the club any
    more leaves, nobody joins, sizes stay about the same."""
    plan = _as_played(session, event)
    players = {one.player_id for one in entries.entrants(session, event.id) if one.seed}
    said = {player for player, plays in again.answers(session, event.id).items() if not plays}
    asked = sa.select(col(Member.player_id), col(Member.status)).where(col(Member.club_id).in_(event.club_ids))
    known = [(player, status == MemberStatus.MEMBER) for player, status in session.execute(asked)]
    outside = {player for player, inside in known if not inside} - {player for player, inside in known if inside}
    return replace(plan, leavers=plan.leavers | (players & (said | outside)))


def _as_played(session: Session, event: Competition) -> Plan:
    """Return the plan by the event alone, so that nothing said after its end changes it: who has withdrawn leaves."""
    people = [one for one in entries.entrants(session, event.id) if one.seed]
    sizes = [sum(one.division_id == division.id for one in people) for division in event.entry_divisions]
    gone = frozenset(
        one.player_id
        for one in people
        if one.status in (EntrantStatus.WITHDRAWN, EntrantStatus.REMOVED) or _is_nobody(one)
    )
    least = max(event.title.least_seats, min([4, *sizes]))
    return Plan(gone, (), Numbers(least=least, most=max([12, *sizes])))


def _is_nobody(entrant: Entrant) -> bool:
    return not entrant.name or entrant.computer


def propose(session: Session, event: Competition, plan: Plan, now: datetime) -> SeasonProposal:
    """Return the next season by a plan.

    Raises NotAccepted for an event that has not started, or a plan that names a player or a division that does not
    exist.
    """
    if event.started_at is None:
        raise NotAccepted("next.not_started", Text("An event that has not been played has no next season."))
    there = {one.id: one for one in entries.entrants(session, event.id)}
    replaced, finals = seat_changes.substitutes(session, event.id), []
    for level, (division, order) in enumerate(final_order(session, event, now), 1):
        up, down = plan.moving.get(level, (division.promoted, division.relegated))
        players = tuple(there[entrant].player_id for entrant in order if there[entrant].status != EntrantStatus.RESERVE)
        finals.append(Final(level, division.name, players, up, down, sum(entrant in replaced for entrant in order)))
    playing = {player for final in finals for player in final.order}
    candidates = _candidates(session, event, list(there.values()), playing)
    known = {one.player_id for one in candidates}
    _judge(plan, playing, known)
    names = {one.player_id: one.name for one in there.values()} | {one.player_id: one.name for one in candidates}
    leavers = plan.leavers | {one.player_id for one in there.values() if _is_nobody(one)}
    draft = divisions.next_season(finals, leavers & playing, plan.joiners, plan.numbers)
    return SeasonProposal(event, tuple(finals), draft, names, tuple(candidates))


def moves(session: Session, event: Competition, now: datetime) -> dict[int, Move]:
    """Return where each player goes by the final table, by number: what pages and mails say of the next season,
    whatever is answered later. Empty for a single division, and until something is won or lost."""
    if len(event.entry_divisions) < 2 or not outcomes.has_results(session, event.id):
        return {}
    return {one.player: one for one in propose(session, event, _as_played(session, event), now).draft.moves}


def _candidates(session: Session, event: Competition, there: Sequence[Entrant], playing: set[int]) -> list[Candidate]:
    reserves = {one.player_id: one.name for one in there if one.player_id not in playing and not _is_nobody(one)}
    found = [Candidate(player, name, True) for player, name in reserves.items()]
    found += [
        Candidate(one.player_id, one.name, False)
        for one in club_rights.members(session, event.club_id)
        if one.status == MemberStatus.MEMBER and one.player_id not in playing and one.player_id not in reserves
    ]
    return found


def _judge(plan: Plan, playing: set[int], known: set[int]) -> None:
    numbers = plan.numbers
    if not 2 <= numbers.least <= numbers.most <= MOST_IN_A_DIVISION:
        raise NotAccepted(
            "next.bounds", Text("The smallest division has 2 players or more, and the largest not fewer than it.")
        )
    if not set(plan.joiners) <= known or len(set(plan.joiners)) < len(plan.joiners):
        raise NotAccepted("next.joiners", Text("Only reserves and members of the club can join, each once."))
    if not set(numbers.placed) <= playing | set(plan.joiners):
        raise NotAccepted("next.placed", Text("Only somebody of the next season can be moved."))
    if any(level < 1 for level in numbers.placed.values()):
        raise NotAccepted("next.level", Text("Divisions are counted from 1."))
    if any(not 0 <= n <= 50 for pair in plan.moving.values() for n in pair):
        raise NotAccepted("event.moving", Text("How many go up and down are whole numbers from 0 to 50."))


def next_name(name: str) -> str:
    """Return the name of the next season, if this one ends with a number; else empty."""
    found = re.fullmatch(r"(.*?)(\d{1,6})(\D*)", name)
    return f"{found[1]}{int(found[2]) + 1:0{len(found[2])}d}{found[3]}" if found else ""


# -- writing it down ----------------------------------------------------------------------------------


class SeasonNames(NamedTuple):
    """What the next event and its season are called."""

    event: str
    season: str


def make(acting: Acting, plan: Plan, called: SeasonNames, *, token: str) -> int:
    """Make the draft of the event after this one, which is locked: same terms, divisions and players by the plan;
    return its number.

    `token` is that of the page (`audit.read_token`): pressed twice it makes one. Raises NotAccepted while this event
    runs.
    """
    called, once = SeasonNames(read_label(called.event), read_label(called.season)), audit.read_token(token)
    session, event = acting.session, acting.event
    if (made := _made_before(session, event, once)) is not None:
        return made
    if event.status != CompetitionStatus.OVER:
        raise NotAccepted("next.running", Text("End this event first: its final standings decide who moves."))
    proposal = propose(session, event, plan, acting.now)
    if not proposal.draft.divisions:
        raise NotAccepted("next.nobody", Text("Nobody is left for the next season."))
    return _write(acting, proposal, called, once)


def follow(acting: Acting, days: int) -> int | None:
    """Draft the next season of an event that is over by itself, as the page would propose it, in the transaction of the
    caller. Its sign-up opens after the hours in which organisers can look at it, and is open for so many days. None
    where nobody is left; where one is drafted already, that is it."""
    session, event, now, once = acting.session, acting.event, acting.now, f"next:{acting.event.id}"
    if any(act.act == "season.drafted" for act in audit.trail(session, event.club_id, event_id=event.id, most=200)):
        return None
    proposal = propose(session, event, usual(session, event), now)
    if not proposal.draft.divisions:
        return None
    opens = now + timedelta(hours=event.terms.autopilot or 0)
    season = (next_name(event.season) or f"{event.season} 2")[-60:] if event.season else ""
    name = (next_name(event.name) or f"{event.name} 2")[-60:]
    return _write(acting, proposal, SeasonNames(name, season), once, (opens, opens + timedelta(days=days)))


def _made_before(session: Session, event: Competition, once: str) -> int | None:
    if not audit.was_done(session, once):
        return None
    for act in audit.trail(session, event.club_id, event_id=event.id, most=200):
        if act.act == "season.drafted" and act.after:
            return int(act.after["event"])
    return None


def _write(
    acting: Acting,
    proposal: SeasonProposal,
    names: SeasonNames,
    once: str,
    sign_up: tuple[datetime | None, datetime | None] = (None, None),
) -> int:
    session, event, now = acting.session, acting.event, acting.now
    same = {name: getattr(event, name) for name in ("club_id", "title_id", "options", "pace", "calendar_id", "format")}
    after = Competition(
        **same,
        season_id=_next_season(session, event, names.season) if names.season else None,
        sign_up_from=sign_up[0],
        sign_up_until=sign_up[1],
        name=names.event,
        terms=replace(event.terms, round_dates=()),
        lots=secrets.token_hex(16),
        made_by=acting.by_id,
        made_at=now,
    )
    session.add(after)
    session.flush()
    made = after.id
    _write_divisions(acting, proposal, made)
    ClubActing(acting.work, event.club_id, acting.by_id, now, made).write("event.made", audit.named(names.event))
    for player, plays in again.answers(session, event.id).items():
        if not plays:
            invited.decline(Acting(acting.work, after, player, now), player)
    moved = {kind: sum(move.kind == kind for move in proposal.draft.moves) for kind in ("up", "down", "in", "out")}
    acting.write("season.drafted", audit.named(names.event), after={"event": made, **moved}, once=once)
    return made


def _write_divisions(acting: Acting, proposal: SeasonProposal, made: int) -> None:
    session, event = acting.session, acting.event
    club = club_rights.get(session, event.club_id)
    voice = Voice(club.language, club.zone)
    last = len(proposal.draft.divisions)
    taken = {final.name for final in proposal.finals}
    for part in proposal.draft.divisions:
        called = part.name or voice.gettext("Division {n}", n=part.level)
        while not part.name and called in taken:
            called += "*"
        taken.add(called)
        up, down = proposal.moving(part.level)
        moving = {"promoted": up if part.level > 1 else 0, "relegated": down if part.level < last else 0}
        division = Division(event_id=made, name=called, level=part.level, **moving)
        session.add(division)
        session.flush()
        _write_members(session, event, made, division.id, part.members, acting.now)


def _write_members(
    session: Session, before: Competition, event_id: int, division_id: int, players: Sequence[int], now: datetime
) -> None:
    """Enter these players into a division of the next event, with the ratings they have in the event `before`."""
    for player in players:
        rating = entries.rating_of(session, before, player)
        values = {"division_id": division_id, "rating": rating, "entered_at": now}
        entries.write_entry(session, event_id, player, None, values)


def _next_season(session: Session, event: Competition, name: str) -> int:
    here = sa.and_(col(Season.club_id) == event.club_id, col(Season.name) == name)
    found = session.scalar(sa.select(col(Season.id)).where(here))
    if found is None:
        season = Season(club_id=event.club_id, name=name, previous_id=event.season_id)
        session.add(season)
        session.flush()
        found = season.id
    return int(found)
