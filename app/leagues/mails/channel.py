"""What a club's channel is told of its events: pairings, results, tables, and who has won."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlmodel import Session, col, select

from app.base.words.speech import Voice
from app.leagues.clubs import acting, club_rights
from app.leagues.events import lifecycle, round_rows
from app.leagues.pure.model import VOID, said_points
from app.leagues.results import records, standings
from app.leagues.tables import Audit, Competition, Match
from app.post.webhooks import payloads
from app.post.webhooks.payloads import DueDelivery

MOST_PLACES = 10
"""How many lines of a table are told."""


@payloads.tells(acting.CHANNEL)
def told(session: Session, base_url: str, owed: DueDelivery) -> dict[str, Any] | None:
    """Return what an act is told as; None if there is nothing to tell any more."""
    act = session.get(Audit, owed.call.payload["act"])
    if act is None or act.event_id is None:
        return None
    event = lifecycle.get(session, act.event_id)
    club = club_rights.get(session, event.club_id)
    voice = Voice(club.language, club.zone, event.title)
    lines = list(_lines(session, event, act, voice))
    if not lines:
        return None
    text, about = "\n".join([f"{event.name}", *lines]), {"number": event.id, "name": event.name}
    said = {"event": act.act, "text": text, "address": f"{base_url}/events/{event.id}", "of": about}
    if act.act == acting.OVER:
        said["game"] = {"number": act.about_number, "address": f"{base_url}/games/{act.about_number}"}
    return said


def _lines(session: Session, event: Competition, act: Audit, voice: Voice) -> Iterator[str]:
    there = [one for rounds in round_rows.by_division(session, event).values() for one in rounds]
    if act.act == acting.ENDED:
        for one in records.winners_of(session, event):
            yield " ".join(filter(None, ("🏆", one.division, voice.person(one.name))))
    elif act.act == acting.OVER:
        for match in (match for round in there for match in round.matches if match.game_id == act.about_number):
            yield _result(match, voice)
    else:
        same = select(Audit).where(col(Audit.event_id) == event.id, col(Audit.act) == act.act, col(Audit.at) == act.at)
        found = {(one.about_division, one.about_number) for one in session.exec(same)}  # all acts of one moment
        rounds = [one for one in there if (one.division_id, one.number) in found]
        last = {round.division_id: round.number for round in rounds}
        for round in rounds:
            division = event.division(round.division_id)
            if len(event.divisions) > 1:
                yield voice.gettext("{division}, round {n}", division=division.name, n=round.number)
            else:
                yield voice.gettext("Round %(n)s", n=round.number)
            if act.act == acting.PUBLISHED:
                yield from (" – ".join(voice.person(seat.name) for seat in one.seats) for one in round.matches)
            elif event.plays.by_points and round.number == last[round.division_id]:
                table = standings.standing_of(session, event, division)
                for place in table.places[:MOST_PLACES]:
                    who = voice.person(table.names[place.entrant])
                    yield f"{place.place}. {who} {said_points(place.points)}"


def _result(match: Match, voice: Voice) -> str:
    points = ["" if seat.points is None or match.ended == VOID else said_points(seat.points) for seat in match.seats]
    return " – ".join(f"{voice.person(seat.name)} {one}".strip() for seat, one in zip(match.seats, points, strict=True))
