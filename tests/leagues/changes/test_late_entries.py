"""Late entries to a running round robin, group, Swiss event and event of tables, on SQLite and PostgreSQL."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted, NotAllowed
from app.base.words.speech import Voice
from app.leagues.changes import late, leaving
from app.leagues.clubs import members
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.results import standings
from app.leagues.rounds import length
from app.leagues.tables import Audit, Competition, CompetitionRound
from tests.support import pressed
from tests.support.at_once import codes_of
from tests.support.databases import ON_SQLITE
from tests.support.events import club, event, paired, people, planned, play_round, published, read, resign_all
from tests.support.tables import NOW, write

TOKEN = "late0001"


def begun(
    database: Database, count: int, done: int, more: int = 1, format: str = "round_robin", **terms: Any
) -> tuple[Competition, list[int]]:
    """Start an event with `done` rounds published, and `more` members of the club who do not play."""
    who = people(database, count + more)
    now = event(database, who[:count], format, **terms)
    for one in who[count:]:
        members.join_by_link(database, now.club_id, one, 1, now=NOW)
    for _ in range(done):
        published(database, now, who[0])
    return now, who


def take(database: Database, now: Competition, player: int, by: int, token: str = TOKEN, **given: Any) -> Any:
    division = given.pop("division", now.divisions[0].id)
    return late.take_in(database, now.id, division, player, ActRequest(by, "came late", token), now=NOW, **given)


def foreseen(database: Database, now: Competition, player: int) -> late.LateArrival:
    return read(database, lambda c: late.foresee(c, now, now.divisions[0], player))


def test_the_event_says_as_many_rounds_as_the_late_page(sqlite_database: Database) -> None:
    now, who = begun(sqlite_database, 5, 1, round_days=30)
    after = foreseen(sqlite_database, now, who[5]).after
    take(sqlite_database, now, who[5], who[0])
    said = read(sqlite_database, lambda c: length.of_event(c, lifecycle.get(c, now.id), Voice()))
    assert after == 6 and said.startswith("6 rounds, ")


def publish_all(database: Database, now: Competition, by: int) -> None:
    with pytest.raises(NotAccepted, match=r"round\.last"):
        for _ in range(60):
            published(database, now, by)


def sides(database: Database, now: Competition) -> list[tuple[int, int]]:
    """Return the players of all games, the first side first."""
    there = read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id))
    return [
        (match.seats[0].player_id, match.seats[1].player_id)
        for round in there
        for match in round.matches
        if not match.is_bye
    ]


@pytest.mark.parametrize(("count", "done", "legs"), [(4, 1, 1), (4, 2, 2), (5, 2, 1), (6, 5, 1)])
@ON_SQLITE
def test_everybody_meets_everybody_as_the_preview_said(database: Database, count: int, done: int, legs: int) -> None:
    now, who = begun(database, count, done, legs=legs)
    before = read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id))
    coming = foreseen(database, now, who[-1])
    assert read(database, lambda c: entries.entrant_of(c, now.id, who[-1])) is None, "looking changes nothing"
    assert coming.stay == tuple(range(1, done + 1)) and coming.draft is None
    assert coming.after - done == legs * count, "the late entry has a game in each round that is left"
    take(database, now, who[-1], who[0], seen=coming.seen)
    assert read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id)) == before, "nothing published changes"
    publish_all(database, now, who[0])
    after = read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id))
    assert len(after) == coming.after
    met = Counter(frozenset(pair) for pair in sides(database, now))
    assert met == {frozenset(pair): legs for pair in combinations(who, 2)}
    games = Counter(sides(database, now))
    lead = Counter[int]()
    for first, second in games.elements():
        lead[first] += 1
        lead[second] -= 1
    assert max(abs(lead[one]) for one in who) <= (0 if legs == 2 else 1)
    if legs == 2:
        assert set(games.values()) == {1}, "each pair on both sides"
    for round in after[done:]:
        seated = [seat.player_id for match in round.matches for seat in match.seats]
        assert sorted(seated) == sorted(who), "everybody has one game or is free"
    mine = [match for round in after for match in round.matches if any(s.player_id == who[-1] for s in match.seats)]
    assert sum(not match.is_bye for match in mine) == coming.games


def test_a_draft_is_thrown_away_and_everybody_is_told(database: Database) -> None:
    now, who = begun(database, 4, 1)
    paired(database, now, who[0])
    coming = foreseen(database, now, who[4])
    assert coming.draft == 2 and coming.starts == 2
    take(database, now, who[4], who[0], seen=coming.seen)
    left = read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id, drafts=True))
    assert [round.number for round in left] == [1]
    told = read(
        database, lambda c: c.scalars(sa.select(OutboxMail.player_id).where(OutboxMail.kind == "event_late")).all()
    )
    assert sorted(told) == sorted(who)
    act = read(database, lambda c: c.scalars(sa.select(Audit).where(Audit.act == "entry.late")).one())
    assert act.reason == "came late" and act.before == {"status": None, "rounds": 3}
    assert act.after == {"status": "entered", "rounds": 5, "begins": 2}
    entrant = read(database, lambda c: entries.entrant_of(c, now.id, who[4]))
    assert (entrant.joined_round, entrant.seed, entrant.status) == (2, 5, "entered")


@ON_SQLITE
def test_before_the_first_round_the_table_is_made_for_everybody(database: Database) -> None:
    now, who = begun(database, 4, 0, more=2)
    take(database, now, who[4], who[0], "late0001")
    take(database, now, who[5], who[0], "late0002")
    assert foreseen_rest(database, now) == 5
    publish_all(database, now, who[0])
    reasons = {
        match.reasons[0].code
        for round in read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id))
        for match in round.matches
    }
    assert reasons == {"berger.row"}


def foreseen_rest(database: Database, now: Competition) -> int:
    from app.leagues.rounds import schedule

    def ask(c: Any) -> int:
        order = [one.as_competitor() for one in schedule.people(c, now, now.divisions[0])]
        return len(schedule.rest(c, now, order, round_rows.rounds_of(c, now.divisions[0].id, drafts=True)))

    return read(database, ask)


def test_pressed_twice_it_acts_once(database: Database) -> None:
    now, who = begun(database, 4, 1)
    assert take(database, now, who[4], who[0]) is not None
    assert take(database, now, who[4], who[0]) is None
    with pytest.raises(NotAccepted, match=r"late\.there"):
        take(database, now, who[4], who[0], "late0002")
    assert read(database, lambda c: c.scalar(sa.select(sa.func.count()).where(Audit.act == "entry.late"))) == 1


def test_two_organisers_at_once(database: Database) -> None:
    now, who = begun(database, 4, 1)
    both = [lambda n=n: take(database, now, who[4], who[0], f"late000{n}") for n in (1, 2)]
    assert codes_of(*both) == ["done", "late.there"]


def test_what_was_looked_at_must_still_stand(database: Database) -> None:
    now, who = begun(database, 4, 1, more=2)
    seen = foreseen(database, now, who[4]).seen
    take(database, now, who[5], who[0])
    with pytest.raises(NotAccepted, match=r"late\.changed"):
        take(database, now, who[4], who[0], "late0002", seen=seen)


@pytest.mark.parametrize(
    ("terms", "code"),
    [({"late_entries": 0}, "event.late"), ({"late_entries": 1}, "event.late"), ({"limit": 4}, "late.full")],
)
def test_the_terms_can_forbid_it(sqlite_database: Database, terms: dict[str, Any], code: str) -> None:
    now, who = begun(sqlite_database, 4, 1, **terms)
    with pytest.raises(NotAccepted, match=code):
        take(sqlite_database, now, who[4], who[0])
    assert read(sqlite_database, lambda c: late.why_not(c, now, now.divisions[0])) is not None


def test_a_term_that_names_a_round_takes_somebody_until_then(sqlite_database: Database) -> None:
    now, who = begun(sqlite_database, 4, 1, late_entries=2)
    assert take(sqlite_database, now, who[4], who[0]) is not None


def test_who_cannot_come_in(database: Database) -> None:
    now, who = begun(database, 4, 1)
    stranger = people(database, 6)[5]
    with pytest.raises(NotAccepted, match=r"entry\.member_only"):
        take(database, now, stranger, who[0])
    with pytest.raises(NotAccepted, match=r"late\.there"):
        take(database, now, who[1], who[0])
    with pytest.raises(NotAccepted, match=r"reason\.empty"):
        late.take_in(database, now.id, now.divisions[0].id, who[4], ActRequest(who[0], " ", TOKEN), now=NOW)
    with pytest.raises(NotAccepted, match=r"event\.division"):
        take(database, now, who[4], who[0], division=0)
    with pytest.raises(NotAllowed):
        take(database, now, who[4], who[4])
    write(database, sa.text("UPDATE event SET status = 'over'"))
    with pytest.raises(NotAccepted, match=r"event\.closed"):
        take(database, now, who[4], who[0])


def test_nobody_is_taken_into_a_bracket(sqlite_database: Database) -> None:
    now, who = begun(sqlite_database, 4, 0, format="knockout")
    with pytest.raises(NotAccepted, match=r"late\.format"):
        take(sqlite_database, now, who[4], who[0])


def test_swiss_rounds_are_paired_with_the_late_entry(database: Database) -> None:
    """A round is lost, and a draft is thrown away and paired with them."""
    now, who = begun(database, 6, 1, format="swiss", rounds=4)
    first = read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id))[0]
    resign_all(database, first)
    pressed.close(database, first.id, who[0], now=NOW)
    paired(database, now, who[0])
    coming = foreseen(database, now, who[6])
    assert (coming.stay, coming.draft, coming.starts, coming.before, coming.after) == ((1,), 2, 2, 4, 4)
    assert coming.games is None, "nobody knows them yet"
    assert coming.size == 7 and [one[1] for one in coming.told] == ["p6"], "the others have seen no draft"
    pressed.sign_up(database, now.id, (out := people(database, 8)[7]), by_id=who[0], now=NOW)
    other = read(database, lambda c: entries.entrant_of(c, now.id, out))
    assert other.joined_round == 3, "a draft that organisers look at stays as it is"
    with pytest.raises(NotAccepted, match=r"late\.changed"):
        take(database, now, who[6], who[0], seen=coming.seen)
    leaving.withdraw(database, now.id, out, who[0], reason="wrong", now=NOW)
    take(database, now, who[6], who[0], seen=foreseen(database, now, who[6]).seen)
    again = paired(database, now, who[0])
    assert sum(len(match.seats) for match in again.matches) == 7
    entrant = read(database, lambda c: entries.entrant_of(c, now.id, who[6]))
    assert (entrant.joined_round, entrant.status, entrant.byes) == (2, "entered", [])


def test_tables_and_rounds_that_are_all_paired(sqlite_database: Database) -> None:
    now, who = begun(sqlite_database, 7, 0, title="new-world", format="tables", rounds=1, sizes=[3, 4])
    assert foreseen(sqlite_database, now, who[7]).size == 8
    published(sqlite_database, now, who[0])
    with pytest.raises(NotAccepted, match=r"round\.last"):
        take(sqlite_database, now, who[7], who[0])


@ON_SQLITE
def test_somebody_comes_into_a_group(database: Database) -> None:
    """Its rounds are laid out again; the other group and the finals stay. Not once the finals are paired."""
    now, who = begun(database, 6, 0, more=2, format="stages", groups=2, through=1)
    group, second = now.divisions[1:]
    play_round(database, group.id, who[0])
    with pytest.raises(NotAccepted, match=r"late\.finals"):
        take(database, now, who[6], who[0])
    coming = read(database, lambda c: late.foresee(c, now, group, who[6]))
    assert (coming.stay, coming.size) == ((1,), 4)
    assert (coming.before, coming.after, len(coming.told)) == (3, 4, 4) and coming.games == 3
    take(database, now, who[6], who[0], division=group.id, seen=coming.seen)
    for _ in range(3):
        play_round(database, group.id, who[0])
    for _ in range(3):
        play_round(database, second.id, who[0])
    table = read(database, lambda c: standings.standing_of(c, now, group))
    assert len(table.places) == 4 and all(one.played == 3 for one in table.tallies().values())
    pressed.pair(database, now.divisions[0].id, who[0], now=NOW)
    with pytest.raises(NotAccepted, match=r"late\.finals"):
        take(database, now, who[7], who[0], "late0002", division=group.id)


def test_a_reserve_and_somebody_who_left_can_come_in(database: Database) -> None:
    now, who = begun(database, 5, 1)
    pressed.sign_up_as_reserve(database, now.id, who[5], now=NOW)
    take(database, now, who[5], who[0])
    leaving.withdraw(database, now.id, who[1], who[1], reason="ill", now=NOW)
    published(database, now, who[0])
    names = {one.player_id: one.status for one in read(database, lambda c: late.candidates(c, now))}
    assert names == {who[1]: "withdrawn"}
    take(database, now, who[1], who[0], "late0002")
    publish_all(database, now, who[0])
    there = read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id))
    met = Counter(
        frozenset(seat.player_id for seat in match.seats)
        for round in there
        for match in round.matches
        if not match.is_bye and not (match.ended == "void" and match.source == "withdrawal")
    )
    assert met == {frozenset(pair): 1 for pair in combinations(who, 2)}, "void games are played after all"


@ON_SQLITE
def test_a_drop_out_after_a_late_entry(database: Database) -> None:
    """The late entry counts among the due games of a player who leaves later, not of one who left before."""
    now, who = begun(database, 5, 0, more=1)
    for _ in range(3):
        resign_all(database, published(database, now, who[0]))
    there = read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id))
    played = Counter(
        seat.player_id for round in there for match in round.matches for seat in match.seats if not match.is_bye
    )
    half = next(one for one in who[1:5] if played[one] == 2)
    leaving.withdraw(database, now.id, half, who[0], reason="moved", now=NOW)

    def voided(c: Any) -> set[int]:
        table = standings.standing_of(c, now, now.divisions[0])
        return {table.players[place.entrant] for place in table.places if place.is_void}

    assert read(database, voided) == set(), "two of four games: half"
    take(database, now, who[5], who[0])
    assert read(database, voided) == set(), "what was judged then stays"
    publish_all(database, now, who[0])
    stay = [one for one in who if one != half]
    met = Counter(frozenset(pair) for pair in sides(database, now) if half not in pair)
    assert met == {frozenset(pair): 1 for pair in combinations(stay, 2)}


@ON_SQLITE
def test_a_round_seated_by_hand_is_made_up_for(database: Database) -> None:
    """Two games of a draft swap their opponents: the rest is laid out so that everybody still meets everybody."""
    now, who = begun(database, 6, 1, more=0)
    draft = paired(database, now, who[0])
    before = read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id))[0]
    met = [{seat.entry_id for seat in match.seats} for match in before.matches]
    one, two, three = [[seat.entry_id for seat in match.seats] for match in draft.matches]
    if {one[0], two[0]} in met or {one[1], two[1]} in met:
        two.reverse()
    seats = [[one[0], two[0]], [one[1], two[1]], three]
    pressed.edit(database, draft.id, draft.version, seats, [], ActRequest(who[0], "a wish"), now=NOW)
    draft = read(database, lambda c: round_rows.get(c, draft.id))
    pressed.publish(database, draft.id, who[0], draft.version, now=NOW)
    publish_all(database, now, who[0])
    assert Counter(map(frozenset, sides(database, now))) == {frozenset(pair): 1 for pair in combinations(who, 2)}


def test_an_entry_to_a_divided_swiss_begins_with_its_own_division(sqlite_database: Database) -> None:
    """The first division is a round ahead; the newcomer plays the next round of the last one."""
    who = people(sqlite_database, 9)
    event_id = planned(
        sqlite_database,
        club(sqlite_database, who[0]),
        who[0],
        "swiss",
        divisions=[{"name": "A"}, {"name": "B"}],
        rounds=3,
    )
    for player in who[:8]:
        pressed.sign_up(sqlite_database, event_id, player, by_id=who[0], now=NOW)
    now = read(sqlite_database, lambda c: lifecycle.get(c, event_id))
    playing = read(sqlite_database, lambda c: entries.entrants(c, event_id))
    placed = {one.id: now.divisions[at % 2].id for at, one in enumerate(playing)}
    pressed.put_into_divisions(sqlite_database, event_id, who[0], placed, now=NOW)
    pressed.start(sqlite_database, event_id, who[0], now=NOW)
    now = read(sqlite_database, lambda c: lifecycle.get(c, event_id))
    published(sqlite_database, now, who[0])
    pressed.sign_up(sqlite_database, event_id, who[8], by_id=who[0], now=NOW)
    entrant = read(sqlite_database, lambda c: entries.entrant_of(c, event_id, who[8]))
    assert (entrant.division_id, entrant.joined_round) == (now.divisions[1].id, 1)


def test_no_round_is_left_open_by_it(sqlite_database: Database) -> None:
    now, who = begun(sqlite_database, 4, 3)
    take(sqlite_database, now, who[4], who[0])
    count = sa.select(sa.func.count()).select_from(CompetitionRound)
    assert read(sqlite_database, lambda c: c.scalar(count)) == 3
    publish_all(sqlite_database, now, who[0])
    assert read(sqlite_database, lambda c: c.scalar(count)) == 7, "four rounds of one game each, against the late entry"
