"""Pairing numbers: by rating, by the last season, by hand, until the first round is published."""

from __future__ import annotations

from typing import Any

import pytest

from app.base.stored.database import Database
from app.base.words.refusals import Conflict, NotAccepted, NotAllowed
from app.leagues.clubs import audit, notes
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.results import records
from app.leagues.rounds import pairing_numbers, seeding
from app.leagues.tables import Competition, PastPlace
from tests.support import pressed
from tests.support.events import event, paired, people, play, published, read
from tests.support.tables import NOW


def numbers(database: Database, event_id: int) -> list[int]:
    """Return the players in the order of their numbers."""
    return [one.player_id for one in read(database, lambda s: entries.entrants(s, event_id)) if one.seed]


def another(database: Database, before: Competition, who: list[int], **terms: Any) -> int:
    """Start the next event of the club."""
    event_id = lifecycle.make(
        database,
        before.club_id,
        who[0],
        lifecycle.NewEvent(name="Cup 2", title_id=before.title_id, format="swiss", terms={"rounds": 3} | terms),
        now=NOW,
    )
    pressed.open_sign_up(database, event_id, who[0], now=NOW)
    for player in who:
        pressed.sign_up(database, event_id, player, by_id=who[0], now=NOW)
    pressed.start(database, event_id, who[0], now=NOW)
    return event_id


def put(database: Database, event_id: int, by: int, players: list[int]) -> bool:
    there = {one.player_id: one.id for one in read(database, lambda s: entries.entrants(s, event_id))}
    return pressed.number(database, event_id, by, [there[player] for player in players], now=NOW)


def proposed(database: Database, event_id: int, key: str) -> list[int]:
    with database.read() as session:
        seen = pairing_numbers.propose(session, lifecycle.get(session, event_id), key)
        return [one.player_id for one in seen.order]


def test_the_last_season_gives_numbers_by_the_terms_and_whoever_is_new_comes_behind(sqlite_database: Database) -> None:
    database = sqlite_database
    who = people(database, 5)
    last = event(database, who[:4], "round_robin")
    play(database, last, who[0])
    pressed.finish(database, last.id, who[0], now=NOW)
    table = [one.player_id for one in read(database, lambda s: records.finished(s, last.club_id))]
    assert sorted(filter(None, table)) == who[:4]
    here = another(database, last, who, seeding="last_season")
    assert numbers(database, here) == [*table, who[4]]
    keys = [one.key for one in read(database, lambda s: seeding.sources(s, lifecycle.get(s, here)))]
    assert keys == ["rating", f"event-{last.id}"]
    assert proposed(database, here, "last-season") == [*table, who[4]]


def test_a_list_of_members_and_tables_from_before_stand_for_a_last_season(sqlite_database: Database) -> None:
    database = sqlite_database
    who = people(database, 4)
    now = event(database, who, "swiss", rounds=3)
    with pytest.raises(NotAccepted, match=r"numbers\.source"):
        proposed(database, now.id, "last-season")
    with database.write() as session:
        for player, division, place in ((0, "B", 1), (1, "A", 2), (2, "A", 1)):
            notes.write(session, now.club_id, who[player], {"division": division, "place": place})
        session.commit()
    assert proposed(database, now.id, "last-season") == [who[2], who[1], who[0], who[3]]
    with database.write() as session:
        for season, order in (("2024", (0, 1)), ("2025", (3, 0))):
            session.add_all(
                PastPlace(club_id=now.club_id, season=season, place=place, player_id=who[n], taken_at=NOW)
                for place, n in enumerate(order, 1)
            )
        session.commit()
    assert proposed(database, now.id, "last-season")[:2] == [who[3], who[0]]
    assert proposed(database, now.id, "season-2024")[:2] == [who[0], who[1]]
    assert proposed(database, now.id, "members")[:2] == [who[2], who[1]]


def test_numbers_set_by_hand_throw_the_draft_away_and_go_back_as_they_were(database: Database) -> None:
    who = people(database, 4)
    now = event(database, who, "swiss", rounds=3)
    before = numbers(database, now.id)
    paired(database, now, who[0])
    assert put(database, now.id, who[0], before[::-1])
    assert numbers(database, now.id) == before[::-1]
    assert not put(database, now.id, who[0], before[::-1])
    assert read(database, lambda s: round_rows.rounds_of(s, now.divisions[0].id, drafts=True)) == []
    assert proposed(database, now.id, "before") == before
    assert put(database, now.id, who[0], before)
    acts = [one for one in read(database, lambda s: audit.trail(s, now.club_id)) if one.act == "event.numbers"]
    assert [(one.undone_by is not None, (one.after or {}).get("drafts")) for one in acts] == [(False, None), (True, 1)]
    published(database, now, who[0])
    with pytest.raises(NotAccepted, match=r"numbers\.fixed"):
        put(database, now.id, who[0], before[::-1])


def test_whoever_may_not_or_leaves_somebody_out_changes_nothing(sqlite_database: Database) -> None:
    database = sqlite_database
    who = people(database, 4)
    now = event(database, who, "stages", groups=2, through=1)
    before = numbers(database, now.id)
    with pytest.raises(NotAllowed):
        put(database, now.id, who[1], before[::-1])
    with pytest.raises(Conflict, match=r"numbers\.changed"):
        put(database, now.id, who[0], before[1:])
    assert numbers(database, now.id) == before
    assert put(database, now.id, who[0], [before[0], before[2], before[1], before[3]])
    groups: dict[int | None, set[int]] = {}
    for one in read(database, lambda s: entries.entrants(s, now.id)):
        groups.setdefault(one.division_id, set()).add(one.player_id)
    assert sorted(map(sorted, groups.values())) == sorted(map(sorted, [[before[0], before[3]], [before[2], before[1]]]))
    drafted = lifecycle.make(
        database,
        now.club_id,
        who[0],
        lifecycle.NewEvent(name="Next", title_id="ferry", format="swiss", terms={"rounds": 3}),
        now=NOW,
    )
    with pytest.raises(NotAccepted, match=r"numbers\.fixed"):
        put(database, drafted, who[0], [])


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        (("1", "2", "x"), "numbers.number", ["x", "3"]),
        (("1", "", "2"), "numbers.number", ["3"]),
        (("1", "2", "4"), "numbers.number", ["4"]),
        (("2", "2", "1"), "numbers.twice", ["2", "3"]),
    ],
)
def test_what_is_wrong_with_typed_numbers_is_named(
    sqlite_database: Database, typed: tuple[str, ...], code: str, said: list[str]
) -> None:
    database = sqlite_database
    who = people(database, 3)
    now = event(database, who, "swiss", rounds=2)
    there = read(database, lambda s: pairing_numbers.numbered(s, lifecycle.get(s, now.id)))
    with pytest.raises(NotAccepted) as no:
        pairing_numbers.read(there, dict(zip([one.id for one in there], typed, strict=True)))
    assert no.value.code == code
    assert all(any(part in str(value) for value in no.value.why.values.values()) for part in said)
