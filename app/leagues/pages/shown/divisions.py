"""What the pages of an event show about its divisions: standings, crosstable, rounds."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from sqlmodel import Session

from app.base.words.speech import Voice
from app.leagues.events.term_words import ENDING_NAMES
from app.leagues.pages.common import withdrawn_in_words
from app.leagues.pure.crosstable import Cell, DividedSeat
from app.leagues.pure.divisions import DOWN, UP, Move
from app.leagues.pure.model import BYES, DOUBLE_FORFEIT, NOTHING, PLAYED, VOID, WALKOVER, Points
from app.leagues.pure.standings import said_value
from app.leagues.pure.tie_break_names import TIE_BREAKS
from app.leagues.pure.why import sentence
from app.leagues.results.standings import Standing, counted_as
from app.leagues.rounds import final_places
from app.leagues.seasons import next_season
from app.leagues.tables import Competition, CompetitionRound, Match, MatchSeat, Source
from app.web import visit
from engine.kernel.title import Title

MOST_COLUMNS = 32
"""A crosstable with more opponents has a column for each round instead."""
RULED = "§"
"""The mark for points in a crosstable that a ruling has set."""
DIVIDED = "*"
"""The mark for points that include a share of a seat that changed hands."""


def all_shown(session: Session, event: Competition, voice: Voice, own: int | None = None) -> list[dict[str, Any]]:
    """Return `shown` of all divisions of an event that is ordered by points."""
    moves = next_season.moves(session, event, visit.now()) if event.plays.by_points else {}
    return [shown(one, voice, own, moves=moves) for one in final_places.by_points(session, event)]


def shown(standing: Standing, voice: Voice, own: int | None = None, *, moves: Mapping[int, Move]) -> dict[str, Any]:
    """Return a division for the template: its table with tie-breaks and reasons, who goes up and down (`moves`), its
    crosstable."""
    who = {entrant: voice.person(name) for entrant, name in standing.names.items()}
    say, division = voice.gettext, standing.division
    gone = {entrant: withdrawn_in_words(voice, after) for entrant, after in standing.withdrawn.items()}
    divided = standing.divided()
    partial = {entrant for seat in divided for entrant, _ in seat.gains}
    names = _telling(standing)
    return {
        "id": division.id,
        "name": division.name,
        "lines": _lines(standing, names, who, gone, partial, own, moves),
        "why": standing.reasons(voice),
        "columns": [
            (say(TIE_BREAKS[name].short), say(TIE_BREAKS[name].name), say(TIE_BREAKS[name].help)) for name in names
        ],
        "played": bool(standing.results),
        "several": standing.event.plays.at_tables,
        "divided": [_divided(voice, seat, who) for seat in divided],
        "ahead": _ahead(voice, standing, who),
        "cross": _cross(standing, who, gone),
    }


def _telling(standing: Standing) -> list[str]:
    """Return the tie-breaks with a column: those in which entrants differ, and lots only where they decided a place."""
    decided = {place.decided for place in standing.places}
    return [
        name
        for name in standing.tie_breaks
        if name in decided or (name != "lots" and len({place.values[name] for place in standing.places} - {None}) > 1)
    ]


def _lines(
    standing: Standing,
    names: Sequence[str],
    who: Mapping[int, str],
    gone: Mapping[int, str],
    partial: Container[int],
    own: int | None,
    moves: Mapping[int, Move],
) -> list[dict[str, Any]]:
    """The table. `gone` says of entrants that they have left, `partial` are those with points of a divided game."""
    tally = standing.tallies()
    kinds = {entrant: moves[player].kind for entrant, player in standing.players.items() if player in moves}
    return [
        {
            "place": place.place,
            "name": who[place.entrant],
            "entry": place.entrant,
            "own": place.entrant == own,
            "void": place.is_void,
            "player": standing.players[place.entrant],
            "withdrawn": gone.get(place.entrant, ""),
            "tally": tally[place.entrant],
            "points": said_value("points", place.points) + DIVIDED * (place.entrant in partial),
            "values": [said_value(name, place.values[name]) for name in names],
            "up": kinds.get(place.entrant) == UP,
            "down": kinds.get(place.entrant) == DOWN,
        }
        for place in standing.places
    ]


def _divided(voice: Voice, seat: DividedSeat, who: Mapping[int, str]) -> str:
    """Return, as a sentence, how the points of a seat that changed hands are shared."""
    has = [(who[entrant], said_value("points", points)) for entrant, points in seat.gains if entrant in who]
    parts = ", ".join(f"{name}\N{NO-BREAK SPACE}{points}" for name, points in has)
    said = said_value("points", seat.points)
    return voice.gettext(
        "Round {n}: a seat changed hands. Of its points ({points}): {parts}.", n=seat.round, points=said, parts=parts
    )


def _ahead(voice: Voice, standing: Standing, who: Mapping[int, str]) -> str:
    """Return, as a sentence, who already has points for games to come against leavers; empty for nobody."""
    won: dict[int, Points] = {}
    for result in standing.ahead():
        for entrant, points in zip(result.seats, result.points, strict=True):
            won[entrant] = won.get(entrant, NOTHING) + points
    parts = [
        f"{who[entrant]}\N{NO-BREAK SPACE}{said_value('points', won[entrant])}" for entrant in who if won.get(entrant)
    ]
    if not parts:
        return ""
    return voice.gettext(
        "Counted already, though no round has them: games won without playing against who has left. {parts}.",
        parts=", ".join(parts),
    )


def _cross(standing: Standing, who: Mapping[int, str], gone: Mapping[int, str]) -> dict[str, Any]:
    rows = standing.rows()
    place = {row.place.entrant: row.place.place for row in rows}
    by_round = counted_as(standing.event).by_round or len(rows) > MOST_COLUMNS
    if not by_round:
        columns: list[int] = [row.place.entrant for row in rows]
        heads = [str(place[entrant]) for entrant in columns]
        cells = [
            [
                None if column == row.place.entrant else [(sign(cell), "") for cell in row.by_opponent.get(column, ())]
                for column in columns
            ]
            for row in rows
        ]
    else:
        columns = sorted({number for row in rows for number in row.by_round})
        heads = [str(number) for number in columns]
        cells = [
            [
                [
                    (sign(cell), ",".join(str(place[other]) for other in cell.opponents if other in place))
                    for cell in row.by_round.get(number, ())
                ]
                for number in columns
            ]
            for row in rows
        ]
    lines = [
        {
            "place": row.place.place,
            "name": who[row.place.entrant],
            "cells": cells[at],
            "points": said_value("points", row.place.points),
            "withdrawn": gone.get(row.place.entrant, ""),
        }
        for at, row in enumerate(rows)
    ]
    ruled = any(cell.is_ruled for row in rows for there in row.by_round.values() for cell in there)
    return {"heads": heads, "lines": lines, "by_round": by_round, "ruled": ruled}


def sign(cell: Cell) -> str:
    """Return what a crosstable shows for a game: its points, with a mark if it was not played."""
    points = said_value("points", cell.points)
    if cell.ended in BYES:
        return f"({points})"
    if cell.ended in (WALKOVER, DOUBLE_FORFEIT):
        points += "+" if cell.points > 0 else "−"
    points += RULED * cell.is_ruled
    return points + (DIVIDED if cell.is_divided else "")


def seat_points(seat: MatchSeat) -> str:
    """Return the points of a seat, with a mark if they are divided among its holders; empty for none."""
    return "" if seat.points is None else said_value("points", seat.points) + DIVIDED * seat.is_divided


def ended_in_words(voice: Voice, match: Match) -> str:
    """Return how a match ended, if that is unusual; empty for an open or a played one."""
    what = "" if match.ended in ("", PLAYED) else voice.gettext(ENDING_NAMES[match.ended])
    if not match.ended or match.source != Source.RULING:
        return what
    return voice.gettext("{what}, by ruling", what=what) if what else voice.gettext("by ruling")


def round_shown(
    round: CompetitionRound,
    voice: Voice,
    everybody: Mapping[int, str],
    *,
    title: Title,
    full: bool,
    actors: Mapping[int, str] | None = None,
) -> dict[str, Any]:
    """Return a round for the template; `full` adds the reasons of its pairings.

    `everybody` are names by entrant, `actors` those of organisers by player, which reasons need.
    """
    who = {entrant: voice.person(name) for entrant, name in everybody.items()}
    by = {player: voice.person(name) for player, name in (actors or {}).items()}
    sides = [voice.about(title).name("seat", seat) for seat in title.seats]
    matches = [
        _match_shown(match, voice, sides, who)
        | {
            "why": [voice.say(sentence(reason, who, by)) for reason in match.reasons] if full else [],
            "rejected": [(who.get(other, ""), voice.say(sentence(reason, who))) for other, reason in match.rejected]
            if full
            else [],
        }
        for match in round.matches
    ]
    return {
        "now": round,
        "matches": matches,
        "divided": any(seat.is_divided for match in round.matches for seat in match.seats),
        "warnings": [voice.say(sentence(reason, who)) for reason in round.warnings],
    }


def _match_shown(match: Match, voice: Voice, sides: Sequence[str], who: Mapping[int, str]) -> dict[str, Any]:
    seats = [
        {
            "now": seat,
            "name": who[seat.entry_id],
            "side": "" if match.is_bye else sides[seat.place],
            "points": "" if match.ended == VOID else seat_points(seat),
        }
        for seat in match.seats
    ]
    return {"now": match, "seats": seats, "ended": ended_in_words(voice, match)}
