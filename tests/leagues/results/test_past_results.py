"""Results that earlier versions took from a list: their events keep standings and ratings."""

from __future__ import annotations

from datetime import date

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.leagues.clubs import members
from app.leagues.events import lifecycle
from app.leagues.results import event_ratings, standings
from app.people.tables import Player
from tests.support import past_results
from tests.support.events import club, people, read
from tests.support.tables import NOW, write

_PLAYER = Player.__table__  # type: ignore[attr-defined]
GOOD = """season,event,round,date,player1,player2,points1,points2
2025,Cup,1,2025-03-01,p0@example.org,Ben,1,0
2025,Cup,2,2025-04-01,Ben,p2@example.org,1/2,1/2
2025,Shield,1,2025-05-01,p0@example.org,p2@example.org,0,1
"""


def home(database: Database) -> tuple[int, list[int]]:
    who = people(database, 3)
    club_id = club(database, who[0])
    for player in who[1:]:
        members.join_by_link(database, club_id, player, 1, now=NOW)
    write(database, sa.update(_PLAYER).where(_PLAYER.c.id == who[1]).values(name="Ben"))
    return club_id, who


@pytest.mark.parametrize("rated", [True, False])
def test_results_of_a_list_have_standings_and_ratings(database: Database, rated: bool) -> None:
    club_id, who = home(database)
    made = past_results.store(database, club_id, who[0], "ferry", GOOD, rated=rated, now=NOW)
    cup = read(database, lambda c: lifecycle.get(c, made[0]))
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
            [(own, steps)] = read(database, lambda c, who=one.player_id: event_ratings.ratings_of(c, who))
            assert len(steps) == own.games and steps[-1][0].after == own.rating
            assert all(step.game_id is None and event in made for step, event, _ in steps)
            assert [step.at for step, _, _ in steps] == sorted(step.at for step, _, _ in steps)
        assert event_ratings.recompute(database, "ferry") == 0, "nothing is written where nothing is different"
