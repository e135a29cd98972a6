"""Ladders and brackets: what the page of an event shows of them."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session

from app.base.words.speech import Voice
from app.leagues.pages.common import withdrawn_in_words
from app.leagues.pages.shown.divisions import RULED
from app.leagues.pure.pairing.knockout import Bracket, FilledBy
from app.leagues.pure.standings import said_value
from app.leagues.pure.why import sentence
from app.leagues.rounds import brackets, final_places, ladder
from app.leagues.rounds.ladder import CompetitionLadder
from app.leagues.tables import Competition, CompetitionStatus
from app.web import visit
from engine.kernel.text import Text

NEWEST = 12
"""How many changes of the order are listed."""


def by_position(session: Session, event: Competition, voice: Voice, own: int | None) -> dict[str, Any]:
    """Return the ladder and the brackets of an event for its page; `own` is the reader's entrant."""
    if event.plays.by_challenge:
        there = None if event.started_at is None else ladder.read(session, event, visit.now())
        return {"ladder": there and _ladder(there, voice, own), "orders": []}
    return {"ladder": None, "orders": reached_shown(session, event, voice, own)}


def reached_shown(session: Session, event: Competition, voice: Voice, own: int | None = None) -> list[dict[str, Any]]:
    """Return the order of a ladder, or of each bracket with its matches, without buttons."""
    by_round = event.plays.has_bracket and not event.finals  # finals number their rounds from 1
    return [
        {
            "id": one.division.id,
            "name": one.division.name,
            "lines": [
                {
                    "place": place,
                    "name": voice.person(who.name),
                    "entry": who.id,
                    "own": who.id == own,
                    "withdrawn": withdrawn_in_words(voice, who.withdrawn_after, by_round=by_round),
                }
                for place, who in one.lines
            ],
            "bracket": None
            if one.bracket is None
            else _bracket(one.bracket, {who.id: voice.person(who.name) for _, who in one.lines}, voice),
        }
        for one in final_places.tables(session, event, visit.now())
    ]


# -- brackets -----------------------------------------------------------------------------------------


def _bracket(drawn: Bracket, who: dict[int, str], voice: Voice) -> list[dict[str, Any]]:
    rounds = brackets.slots(drawn)
    return [
        {"name": _stage(len(rounds) - at, voice), "slots": [_slot(slot, who, voice) for slot in row]}
        for at, row in enumerate(rounds)
    ]


_STAGES = {
    1: Text("Final"),
    2: Text("Semi-finals"),
    3: Text("Quarter-finals"),
    4: Text("Round of 16"),
    5: Text("Round of 32"),
}


def _stage(left: int, voice: Voice) -> str:
    """Return the name of a round with so many rounds to go, itself included."""
    return voice.say(_STAGES[left]) if left in _STAGES else voice.gettext("Round of {n}", n=2**left)


def _slot(slot: brackets.Slot, who: dict[int, str], voice: Voice) -> dict[str, Any]:
    sides, match, decision = [], slot.match, slot.decision
    ruled = any(game.is_ruled for game in slot.games)
    for player, source in zip(decision.players, (match.first, match.second), strict=True):
        if player is None:
            words = {
                "seed": voice.gettext("no opponent"),
                "winner": voice.gettext("winner of match {n}", n=source),
                "loser": voice.gettext("loser of match {n}", n=source),
            }
            sides.append({"name": words[match.source], "open": True, "won": False, "points": ""})
            continue
        points = sum((game.points[game.seats.index(player)] for game in slot.games), start=0)
        sides.append(
            {
                "name": who[player],
                "open": False,
                "won": decision.over and decision.winner == player,
                "points": said_value("points", points) + RULED * ruled if slot.games else "",
            }
        )
    return {
        "number": match.number,
        "sides": sides,
        "ruled": ruled,
        "third": match.source == FilledBy.LOSER,
        "why": voice.say(sentence(decision.why, who)) if decision.why is not None else "",
    }


# -- ladders ------------------------------------------------------------------------------------------


def _ladder(there: CompetitionLadder, voice: Voice, own: int | None) -> dict[str, Any]:
    who = {entrant: voice.person(one.name) for entrant, one in there.people.items()}
    plays = own in there.ladder.order and there.event.status == CompetitionStatus.RUNNING
    lines = []
    for place, entrant in enumerate(there.ladder.order, 1):
        asked = plays and own is not None and entrant != own
        why_not = there.why_not(own, entrant) if asked and own is not None else None
        below = asked and own is not None and there.ladder.place(own) < place  # the heading says it once for all
        lines.append(
            {
                "place": place,
                "entry": entrant,
                "name": who[entrant],
                "player": there.people[entrant].player_id,
                "own": entrant == own,
                "may": plays and entrant != own and why_not is None,
                "why_not": "" if why_not is None or below else voice.say(why_not),
            }
        )
    changes = [
        (change.challenge.match.ended_at, change.challenge.match.game_id, voice.say(sentence(change.why, who)))
        for change in there.changes[:NEWEST]
    ]
    return {
        "lines": lines,
        "who": who,
        "own": own,
        "challenges": sorted(there.challenges, key=lambda one: one.opponent != own),
        "changes": changes,
        "terms": there.event.terms,
    }
