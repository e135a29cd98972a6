"""Earlier results from a list: ended events with standings, bad lines by number, nothing half done."""

from __future__ import annotations

from datetime import date

import pytest
import sqlalchemy as sa

from app.base.database import Database
from app.base.refusals import NotAccepted, NotAllowed
from app.leagues.clubs import members
from app.leagues.events import events
from app.leagues.results import event_ratings, standings
from app.leagues.seasons import past_results
from app.people.tables import Player
from tests.support.events import club, people, read
from tests.support.tables import NOW

_PLAYER = Player.__table__  # type: ignore[attr-defined]
GOOD = """season,event,round,date,player1,player2,points1,points2
2025,Cup,1,2025-03-01,p0@example.org,Ben,1,0
2025,Cup,2,2025-04-01,BEN,p2@example.org,1/2,0.5
2025,Shield,1,2025-05-01,p0@example.org,p2@example.org,0,1
"""


def home(database: Database) -> tuple[int, list[int]]:
    who = people(database, 3)
    club_id = club(database, who[0])
    for player in who[1:]:
        members.join_by_link(database, club_id, player, 1, now=NOW)
    with database.write() as session:
        session.execute(sa.update(_PLAYER).where(_PLAYER.c.id == who[1]).values(name="Ben"))
        session.commit()
    return club_id, who


def take(database: Database, club_id: int, by: int, text: str = GOOD, *, rated: bool = True) -> list[int]:
    return past_results.import_results(database, club_id, by, "ferry", text, rated=rated, now=NOW)


@pytest.mark.parametrize("rated", [True, False])
def test_results_make_ended_events_with_standings_and_ratings(database: Database, rated: bool) -> None:
    club_id, who = home(database)
    made = take(database, club_id, who[0], rated=rated)
    cup = read(database, lambda c: events.get(c, made[0]))
    assert (cup.status, cup.season, cup.name, len(made)) == ("over", "2025", "Cup", 2)
    table = read(database, lambda c: standings.standings_of(c, cup))[0]
    points = [(table.players[place.entrant], str(place.points)) for place in table.places]
    assert points[0] == (who[0], "1") and sorted(points[1:]) == sorted((player, "1/2") for player in who[1:])
    event_ratings.recompute(database, "ferry")
    found = read(database, lambda c: event_ratings.table(c, "ferry", "glicko2"))
    assert sum(one.games for one in found) == (6 if rated else 0)
    if rated:
        assert max(one.changed_at for one in found).date() == date(2025, 5, 1)
        for one in found:
            (own,) = read(database, lambda c, who=one.player_id: event_ratings.ratings_of(c, who))
            assert len(own.steps) == own.games and own.steps[-1].after == own.rating
            assert all(step.game_id is None and step.event_id in made for step in own.steps)
            assert [step.at for step in own.steps] == sorted(step.at for step in own.steps)
        assert event_ratings.recompute(database, "ferry") == 0, "nothing is written where nothing is different"
    with pytest.raises(NotAccepted, match=r"past\.there"):
        take(database, club_id, who[0])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("2025,Cup,0,,p0@example.org,Ben,1,0", "whole number from 1"),
        ("2025,Cup,x,,p0@example.org,Ben,1,0", "whole number from 1"),
        ("2025,Cup,1,,p0@example.org,Nobody,1,0", "Nobody in the club"),
        ("2025,Cup,1,,p0@example.org,,1,0", "Each player needs points"),
        ("2025,Cup,1,,Ben,Ben,1,0", "two seats"),
        ("2025,Cup,1,,Ben,p2@example.org,one,0", "points such as"),
        ("2025,Cup,1,1.3.2025,Ben,p2@example.org,1,0", "not a date"),
        ("2025,Cup,1,2030-01-01,Ben,p2@example.org,1,0", "not come yet"),
        ("2025,,1,,Ben,p2@example.org,1,0", ""),
    ],
)
def test_bad_lines_are_named_and_nothing_is_taken(sqlite_database: Database, line: str, said: str) -> None:
    club_id, who = home(sqlite_database)
    with pytest.raises(members.BadLines) as bad:
        take(sqlite_database, club_id, who[0], GOOD + line + "\n")
    (number, why), *others = bad.value.complaints
    assert number == 5 and not others and said in str(why)
    assert read(sqlite_database, lambda c: events.events_of(c, club_id, drafts=True)) == []


def test_who_may_and_what_else_is_refused(sqlite_database: Database) -> None:
    club_id, who = home(sqlite_database)
    with pytest.raises(NotAllowed):
        take(sqlite_database, club_id, who[1])
    thrice = GOOD + "2025,Cup,1,2025-03-01,Ben,p0@example.org,1,0\n" * 2
    with pytest.raises(members.BadLines) as bad:
        take(sqlite_database, club_id, who[0], thrice)
    assert [line for line, _ in bad.value.complaints] == [6]
    with sqlite_database.write() as session:
        session.execute(sa.update(_PLAYER).where(_PLAYER.c.id == who[2]).values(name="Ben"))
        session.commit()
    with pytest.raises(members.BadLines) as bad:
        take(sqlite_database, club_id, who[0])
    assert "write the address" in str(bad.value.complaints[0][1])
    for wrong in ("event,round\nCup,1\n", GOOD.replace("points2", "points9"), "season\n"):
        with pytest.raises(NotAccepted, match=r"list\.heading"):
            take(sqlite_database, club_id, who[0], wrong)
