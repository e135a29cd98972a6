"""An event from FIDE's report file: who is who, rounds as they were, and the file written from it again."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from app.base.database import Database
from app.base.mail_tables import OutboxMail
from app.base.refusals import Conflict, NotAccepted, NotAllowed
from app.leagues.clubs import members
from app.leagues.events import entries, events, round_rows
from app.leagues.pure import trf
from app.leagues.pure.model import WALKOVER, Result
from app.leagues.pure.swiss import pair_round
from app.leagues.pure.swiss_weights import PAIRED_BY
from app.leagues.results import standings
from app.leagues.rounds import rounds
from app.leagues.seasons import reports, trf_events
from app.leagues.tables import Competition
from app.people.tables import Player
from tests.support.events import club, event, people, play_round, read
from tests.support.tables import NOW
from tests.support.tournaments import DRAW, LOSS, WIN, field_of, finished, played


def drafted(database: Database, count: int) -> tuple[int, list[int]]:
    """Make a draft of four rounds in a club of this many members, the first of whom runs it."""
    who = people(database, count)
    club_id = club(database, who[0])
    for player in who[1:]:
        members.join_by_link(database, club_id, player, 1, now=NOW)
    terms = {"rounds": 4, "pairing": "fide"}
    made = events.make(
        database,
        club_id,
        who[0],
        events.NewEvent(name="Cup", title_id="ferry", format="swiss", terms=terms, season="2027"),
        now=NOW,
    )
    return made, who


def file_of(count: int) -> str:
    """Two rounds of p0, p1 and so on: games won and drawn, a walkover, the bye, a bye on request, byes to come."""
    entrants = [replace(one, name=f"p{one.id - 1}", rating=2000.0 - one.id) for one in field_of(count)]
    entrants[2] = replace(entrants[2], byes=frozenset({2}), away=frozenset({4}))
    results: list[Result] = []
    for number in (1, 2):
        results += finished(pair_round(entrants, results, number, terms=PAIRED_BY["fide"]))
    results[0] = replace(results[0], points=(LOSS, WIN), ended=WALKOVER)
    results[1] = replace(results[1], points=(DRAW, DRAW))
    return trf.write(trf.report("Cup 2027", 4, entrants, results))


def test_a_file_becomes_an_event_and_is_written_again_equal(database: Database) -> None:
    event_id, who = drafted(database, 7)
    text = file_of(7)
    with database.read() as session:
        found = trf_events.read(session, events.get(session, event_id), text)
    assert dict(found.meant) == dict(enumerate(who, 1))
    assert trf_events.take(database, event_id, who[0], text, found.meant, now=NOW) == 2
    now = read(database, lambda s: events.get(s, event_id))
    assert read(database, lambda s: reports.text_of(s, now, now.divisions[0])) == text
    table = read(database, lambda s: standings.standing_of(s, now, now.divisions[0]))
    by_number = {one.id: one.seed for one in read(database, lambda s: entries.entrants(s, event_id))}
    won = dict.fromkeys(by_number.values(), LOSS)
    for result in found.made.results:
        for number, points in zip(result.seats, result.points, strict=True):
            won[number] += points
    assert {by_number[place.entrant]: place.points for place in table.places} == won
    round_id = rounds.pair(database, now.divisions[0].id, who[0], now=NOW)
    draft = read(database, lambda s: round_rows.get(s, round_id))
    pairs = {tuple(by_number[seat.entry_id] for seat in one.seats) for one in draft.matches if len(one.seats) == 2}
    fide = pair_round(found.made.entrants, found.made.results, 3, terms=PAIRED_BY["fide"])
    assert draft.number == 3 and pairs == {one.seats for one in fide.pairings}
    with database.read() as session:
        told = sa.select(sa.func.count()).where(col(OutboxMail.kind) == "event_entered")
        assert session.scalar(told) == 7
    with pytest.raises(Conflict):
        trf_events.take(database, event_id, who[0], text, found.meant, now=NOW)


def test_names_are_those_of_members_and_whoever_is_wrong_is_named(sqlite_database: Database) -> None:
    database = sqlite_database
    event_id, who = drafted(database, 4)
    with database.write() as session:
        for player, name in ((1, "Anna  Été"), (2, "Été Zoë"), (3, "p0")):
            session.execute(sa.update(Player).where(col(Player.id) == who[player]).values(name=name))
        session.commit()
    entrants = [replace(one, name=name) for one, name in zip(field_of(3), ("Été, Anna", "été, zoë", "p0"), strict=True)]
    text = trf.write(trf.report("Cup", 4, entrants, played(1, [(1, 2)], bye=3)))
    with database.read() as session:
        meant = dict(trf_events.read(session, events.get(session, event_id), text).meant)
    assert meant == {1: who[1], 2: who[2]}, "two members are called p0"
    entries.sign_up(database, event_id, who[0], by_id=who[0], now=NOW)
    for chosen, code, named in (
        (meant, "trf.player", "p0"),
        (meant | {3: who[1]}, "trf.twice", "Anna"),
        (meant | {3: who[3]}, "trf.left", "p0"),
        (meant | {3: 999}, "trf.player", "p0"),
    ):
        with pytest.raises(NotAccepted, match=code) as no:
            trf_events.take(database, event_id, who[0], text, chosen, now=NOW)
        assert named in str(no.value.why.values)
    with pytest.raises(NotAllowed):
        trf_events.take(database, event_id, who[1], text, meant, now=NOW)
    with pytest.raises(NotAccepted, match=r"trf\.people"):
        trf_events.take(database, event_id, who[0], "012 Cup", meant, now=NOW)
    long = trf.write(trf.report("Cup", 5, entrants, played(5, [(1, 2)], bye=3)))
    with pytest.raises(NotAccepted, match=r"trf\.rounds"):
        trf_events.take(database, event_id, who[0], long, meant, now=NOW)
    assert trf_events.take(database, event_id, who[0], text, meant | {3: who[0]}, now=NOW) == 1


def file_with(head: str, *cells: str) -> str:
    people = (f"001 {n:4}      {f'p{n - 1}':33}".ljust(91) + one for n, one in enumerate(cells, 1))
    return "\n".join([head, *people, ""])


def test_the_lot_of_the_file_is_kept_and_written_again(sqlite_database: Database) -> None:
    """C.04.3, 5.2.5; two who come late are paired by it, too."""
    database = sqlite_database
    event_id, who = drafted(database, 6)
    cells = ("   3 b =", "   4 w =", "   1 w =", "   2 b =", "0000 - Z", "0000 - Z")
    text = file_with("XXR 4\nXXC black1", *cells)
    trf_events.take(database, event_id, who[0], text, dict(enumerate(who, 1)), now=NOW)
    now = read(database, lambda s: events.get(s, event_id))
    assert now.terms.first_side == "second"
    written = read(database, lambda s: reports.text_of(s, now, now.divisions[0]))
    assert {"XXC black1", "152 B"} <= set(written.splitlines())
    round_id = rounds.pair(database, now.divisions[0].id, who[0], now=NOW)
    seeds = {one.id: one.seed for one in read(database, lambda s: entries.entrants(s, event_id))}
    draft = read(database, lambda s: round_rows.get(s, round_id))
    assert (6, 5) in {tuple(seeds[seat.entry_id] for seat in one.seats) for one in draft.matches}


def test_ranks_of_the_file_are_the_pairing_numbers(sqlite_database: Database) -> None:
    database = sqlite_database
    event_id, who = drafted(database, 2)
    lines = file_with("XXR 4\nXXC rank", "   2 b 1", "   1 w 0").splitlines()
    ranked = "\n".join(line[:85] + f"{6 - n:4}" + line[89:] if n > 1 else line for n, line in enumerate(lines))
    trf_events.take(database, event_id, who[0], ranked, {1: who[0], 2: who[1]}, now=NOW)
    seeds = {one.player_id: one.seed for one in read(database, lambda s: entries.entrants(s, event_id))}
    assert seeds == {who[0]: 2, who[1]: 1}


@pytest.mark.parametrize(
    ("head", "cells", "code"),
    [
        ("162  W 3.0    D 1.0", ("   2 w 1", "   1 b 0"), "trf.scoring"),
        ("250       1.0 001 002 0001 0001", ("   2 w 1", "   1 b 0"), "trf.accelerated"),
        ("013 Harbour                            1    2", ("   2 w 1", "   1 b 0"), trf.TEAMS),
        ("XXR 4", ("   2 w", "   1 b"), "trf.lost"),
        ("240 F 002 0001", ("   2 w 1", "   1 b 0"), "trf.lost"),
    ],
)
def test_what_an_event_cannot_keep_is_refused(
    sqlite_database: Database, head: str, cells: tuple[str, ...], code: str
) -> None:
    event_id, who = drafted(sqlite_database, 2)
    with pytest.raises(NotAccepted) as no:
        trf_events.take(sqlite_database, event_id, who[0], file_with(head, *cells), dict(enumerate(who, 1)), now=NOW)
    assert no.value.code == code
    with sqlite_database.write() as session:
        terms = replace(events.get(session, event_id).terms, win=Fraction(3), draw=Fraction(1))
        terms = replace(terms, bye=Fraction(3), half_bye=Fraction(1))
        session.execute(sa.update(Competition).where(col(Competition.id) == event_id).values(terms=terms))
        session.commit()
    if code == "trf.scoring":
        text = file_with(head, *cells)
        trf_events.take(sqlite_database, event_id, who[0], text, dict(enumerate(who, 1)), now=NOW)
        now = read(sqlite_database, lambda s: events.get(s, event_id))
        written = read(sqlite_database, lambda s: reports.text_of(s, now, now.divisions[0]))
        assert trf.read(written).results[0].points == (3, 0)


@pytest.mark.parametrize(
    ("format", "terms", "kind", "rounds_said"),
    [
        ("swiss", {"rounds": 5, "pairing": "fide"}, "Individual: Swiss-System", 5),
        ("round_robin", {}, "Individual: Round-Robin", 5),
        ("round_robin", {"legs": 2}, "Individual: Double-Round-Robin", 10),
        ("knockout", {}, "Individual: Knock-Out", 3),
        ("ladder", {}, "Individual: Ladder", None),
    ],
)
def test_a_file_says_how_the_event_is_played(
    sqlite_database: Database, format: str, terms: dict[str, Any], kind: str, rounds_said: int | None
) -> None:
    """Type (092), rounds (142, XXR), and the lot (152, XXC) where there is one."""
    database, who = sqlite_database, people(sqlite_database, 6)
    now = event(database, who, format, **terms)
    if format != "ladder":
        play_round(database, now.divisions[0].id, who[0])
    lines = read(database, lambda s: reports.text_of(s, now, now.divisions[0])).splitlines()
    assert f"092 {kind}" in lines
    said = [line for line in lines if line[:3] in ("142", "XXR")]
    assert said == ([f"XXR {rounds_said}", f"142 {rounds_said}"] if rounds_said else [])
    assert any(line[:3] in ("152", "XXC") for line in lines) == (format == "swiss")
    made = trf.read("\n".join(lines))
    assert bool(made.against) == (format != "swiss") and made.differing is None
