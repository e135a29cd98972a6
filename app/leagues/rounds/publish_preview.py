"""Previews the mails that publishing a round sends, from the draft and the wishes of its players."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session, col, select

from app.leagues.tables import Competition, CompetitionRound, Match, MatchSeat
from app.people.tables import Player
from app.play.turn.playing import Play
from engine.kernel.chance import SeededChance

TRIES = 4
"""How many openings are tried to see whether chance decides who moves first."""


@dataclass(frozen=True, slots=True)
class RoundMails:
    """What one player gets for one pairing, all its legs together."""

    seat: MatchSeat
    match: Match
    round: bool
    """The mail of the round; not for players who want no news."""
    turns: int
    """Turn mails for games in which the player moves first; not for players who want none."""
    drawn: bool
    """Chance decides who moves first, and so who gets a turn mail."""


def first_to_move(event: Competition, seats: int) -> int | None:
    """Return the place that gets the first turn of a game with this many seats; None if the opening decides it by
    chance.

    It is tried with seeds that no game uses.
    """
    title, found = event.title, set[str | None]()
    for number in range(TRIES):
        play = Play(title, None, 0, SeededChance(f"who moves first {number}".encode()))
        play.open(title.kept_options(event.options), list(title.seats[:seats]))
        play.answer_what_needs_no_asking()
        owed = title.decision(play.state)
        found.add(None if owed is None else owed.seat)
    seat = found.pop()
    return None if found or seat is None else title.seats.index(seat)


def of_round(session: Session, event: Competition, round: CompetitionRound) -> list[RoundMails]:
    """Return the mails that publishing this draft sends at once, in the order of its matches."""
    everybody = {seat.player_id for match in round.matches for seat in match.seats}
    asked = select(Player).where(col(Player.id).in_(everybody))
    people = {row.id: row for row in session.exec(asked)}
    first = {size: first_to_move(event, size) for size in {len(match.seats) for match in round.matches} - {1}}
    found: list[RoundMails] = []
    done: set[frozenset[int]] = set()
    for match in round.matches:
        together = frozenset(seat.player_id for seat in match.seats)
        if together in done:
            continue
        done.add(together)
        legs = [one for one in round.matches if {seat.player_id for seat in one.seats} == together]
        for seat in match.seats:
            who = people[seat.player_id]
            reached = bool(who.address) and who.erased_at is None
            opens = first.get(len(match.seats))
            begins = [one for one in legs if not one.is_bye and _place(one, seat.player_id) == opens]
            turns = len(begins) if reached and who.mail_turns else 0
            drawn = not match.is_bye and opens is None and reached and who.mail_turns
            found.append(RoundMails(seat, match, reached and who.mail_news, turns, drawn))
    return found


def _place(match: Match, player_id: int) -> int | None:
    return next((seat.place for seat in match.seats if seat.player_id == player_id), None)
