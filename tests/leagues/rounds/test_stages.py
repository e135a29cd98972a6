"""Groups and finals, knock-outs and their deciding games, as services."""

from __future__ import annotations

import pytest

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.games.store import GameStore
from app.leagues.changes import leaving
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.results import outcomes
from app.leagues.rounds import brackets
from app.leagues.tables import CompetitionRound
from app.play.agreed import results
from tests.support import pressed
from tests.support.events import event, people, play_round, read
from tests.support.tables import NOW


def test_groups_are_dealt_in_a_snake_and_the_first_two_of_each_play_the_finals(database: Database) -> None:
    who = people(database, 8)
    now = event(database, who, "stages", groups=2)
    groups = now.entry_divisions
    assert [division.name for division in now.divisions] == ["Cup", "Group A", "Group B"]
    seeds = read(database, lambda c: {d.id: [e.seed for e in entries.entrants(c, now.id, division_id=d.id)]
                                      for d in now.divisions})  # fmt: skip
    assert list(seeds.values()) == [[], [1, 4, 5, 8], [2, 3, 6, 7]]
    finals = now.divisions[0]
    with pytest.raises(NotAccepted, match=r"stages\.playing"):
        pressed.pair(database, finals.id, who[0], now=NOW)
    for group in groups:
        for _ in range(3):
            play_round(database, group.id, who[0])
    with pytest.raises(NotAccepted, match=r"round\.last"):
        pressed.pair(database, groups[0].id, who[0], now=NOW)
    first = play_round(database, finals.id, who[0])
    of_group = {
        entrant: at
        for at, group in enumerate(groups)
        for entrant in read(database, lambda c, g=group: [e.id for e in entries.entrants(c, now.id, division_id=g.id)])
    }
    assert len(first.matches) == 2
    assert all(len({of_group[seat.entry_id] for seat in match.seats}) == 2 for match in first.matches), "other groups"
    last = play_round(database, finals.id, who[0])
    assert len(last.matches) == 1
    with pytest.raises(NotAccepted, match=r"round\.last"):
        pressed.pair(database, finals.id, who[0], now=NOW)
    drawn = read(database, lambda c: brackets.bracket_of(c, now, finals))
    assert drawn.places()[0] == (1, last.matches[0].seats[0].entry_id)
    pressed.finish(database, now.id, who[0], now=NOW)
    assert read(database, lambda c: lifecycle.get(c, now.id)).status == "over"


@pytest.mark.parametrize("count", [4, 5])
def test_too_few_for_the_groups_do_not_start(sqlite_database: Database, count: int) -> None:
    who = people(sqlite_database, count)
    with pytest.raises(NotAccepted, match=r"stages\.few"):
        event(sqlite_database, who, "stages", groups=3)


def test_a_drawn_match_gets_one_more_game(database: Database) -> None:
    """Each wins one leg by resignation, so the match is drawn until a third game decides."""
    who = people(database, 2)
    now = event(database, who, "knockout", legs=2, drawn=["extra", "seed"])
    round_id = pressed.pair(database, now.divisions[0].id, who[0], now=NOW)
    pressed.publish(database, round_id, who[0], 1, now=NOW)

    def here() -> CompetitionRound:
        found: CompetitionRound = read(database, lambda c: round_rows.get(c, round_id))
        return found

    for match in here().matches:
        assert match.game_id is not None
        results.resign(database, match.game_id, match.seats[1].player_id, now=NOW)
    with pytest.raises(NotAccepted, match=r"round\.drawn"):
        pressed.close(database, round_id, who[0], now=NOW)
    assert pressed.add_extra(database, round_id, who[0], now=NOW) == 1
    assert pressed.add_extra(database, round_id, who[0], now=NOW) == 0, "pressed twice"
    extra = here().matches[-1]
    assert extra.leg == 3 and not read(database, lambda c: GameStore(c).load(extra.game_id or 0)).is_over
    with pytest.raises(NotAccepted, match=r"round\.games"):
        pressed.close(database, round_id, who[0], now=NOW)
    results.resign(database, extra.game_id or 0, extra.seats[0].player_id, now=NOW)
    pressed.close(database, round_id, who[0], now=NOW)
    drawn = read(database, lambda c: brackets.bracket_of(c, now, now.divisions[0]))
    (slot,) = brackets.slots(drawn)[0]
    assert (slot.decision.winner, len(slot.games)) == (extra.seats[1].entry_id, 3)
    assert len(read(database, lambda c: outcomes.results_of(c, now.divisions[0].id))) == 3


def test_who_leaves_in_the_finals_loses_the_open_match_there(sqlite_database: Database) -> None:
    who = people(sqlite_database, 8)
    now = event(sqlite_database, who, "stages", groups=2, withdrawal="annul")
    for group in now.entry_divisions:
        for _ in range(3):
            play_round(sqlite_database, group.id, who[0])
    finals = now.divisions[0]
    round_id = pressed.pair(sqlite_database, finals.id, who[0], now=NOW)
    pressed.publish(sqlite_database, round_id, who[0], 1, now=NOW)
    match = read(sqlite_database, lambda c: round_rows.get(c, round_id)).matches[0]
    gone, other = match.seats
    done = leaving.withdraw(sqlite_database, now.id, gone.player_id, gone.player_id, reason="", now=NOW)
    assert done is not None and done.walkovers == (match.id,) and not done.void, "the groups stand"
    after = read(sqlite_database, lambda c: round_rows.get(c, round_id))
    assert after.matches[0].ended == "walkover" and len(after.open_matches) == 1
    drawn = read(sqlite_database, lambda c: brackets.bracket_of(c, now, finals))
    assert drawn.decisions[1].winner == other.entry_id or drawn.decisions[2].winner == other.entry_id
