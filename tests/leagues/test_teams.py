"""Teams: entered as lines, refused where they cannot play, paired board by board, walkovers of empty boards."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction

import pytest

from app.base.database import Database
from app.base.refusals import Conflict, NotAccepted, NotAllowed
from app.leagues import (
    captains,
    clubs,
    desk_acts,
    entries,
    events,
    line_ups,
    members,
    round_rows,
    rounds,
    team_rounds,
    teams,
)
from tests.support.events import club, paired, people, play_round, read
from tests.support.tables import NOW, deliver, load


def test_a_double_round_robin_of_teams(sqlite_database: Database) -> None:
    database = sqlite_database
    who = people(database, 13)
    boss = who[0]
    club_id = club(database, boss)
    version = read(database, lambda c: clubs.get(c, club_id)).join_version
    for player in who[1:]:
        members.join_by_link(database, club_id, player, version, now=NOW)
    event_id = events.make(
        database, club_id, boss, name="Team Cup", title_id="ferry", format="round_robin",
        terms={"boards": 2, "legs": 2}, now=NOW,
    )  # fmt: skip
    names = [f"p{n}@example.org" for n in range(1, 13)]
    lines = "\n".join(f"Team {at}: " + ", ".join(names[3 * at : 3 * at + 3]) for at in range(4))

    def enter(text: str) -> list[int]:
        given = read(database, lambda c: teams.read_lines(c, events.get(c, event_id), text, boss))
        return teams.enter(database, event_id, boss, given, now=NOW)

    for wrong, code in (
        ("Harbour Alice", "team.line"),
        ("Harbour: nobody at all", "team.unknown"),
        (f"Harbour: {names[0]}, {names[0]}", "team.twice"),
        (f"Harbour: {names[0]}\nLantern: {names[0]}", "team.elsewhere"),
    ):
        with pytest.raises(NotAccepted, match=code.replace(".", r"\.")):
            enter(wrong)
    made = enter(lines)
    extra = enter(f"Small: {names[0][:1]}0@example.org")
    with pytest.raises(NotAccepted, match=r"team\.small"):
        rounds.start(database, event_id, boss, now=NOW)
    teams.take_out(database, event_id, extra[0], boss, now=NOW)
    with pytest.raises(NotAccepted, match=r"team\.nobody"):
        rounds.start(database, event_id, boss, now=NOW)
    with database.write() as session:
        mine = entries.entry_of(session, event_id, boss)
        assert mine is not None
        session.delete(mine)
        session.commit()
    rounds.start(database, event_id, boss, now=NOW)
    now = read(database, lambda c: events.get(c, event_id))
    division = now.divisions[0].id
    first, captain = read(database, lambda c: teams.get(c, event_id, made[0])), who[1]
    squad = [one.entry_id for one in first.players]
    with pytest.raises(NotAllowed):
        captains.set_line_up(database, event_id, made[0], who[5], 1, squad[:1], now=NOW)
    draft = paired(database, now, boss)
    stays = captains.set_line_up(database, event_id, made[0], captain, 1, [squad[2], squad[0]], now=NOW)
    assert stays == (squad[0], squad[2]), "the boards follow the team's order"
    alone = captains.set_line_up(database, event_id, made[0], captain, 1, squad[1:2], now=NOW)
    assert alone == (squad[1], None)
    filled = read(database, lambda c: round_rows.get(c, draft.id))
    assert filled.version == draft.version + 2
    assert sorted(len(match.seats) for match in filled.matches) == [1, 2, 2, 2], "nobody sits at board 2"
    with pytest.raises(Conflict):
        rounds.publish(database, draft.id, boss, draft.version, now=NOW)
    captains.set_line_up(database, event_id, made[0], captain, 1, squad[:2], now=NOW)
    for number in range(1, 7):
        play_round(database, division, boss)
        there = read(database, lambda c: round_rows.rounds_of(c, division))
        found = read(database, lambda c, r=there: team_rounds.played(c, now, r, teams.of_event(c, event_id)))
        assert len(found) == 2 * number and all(one.is_over for one in found)
    met = sorted((one.result.first, one.result.second) for one in found)
    assert met == sorted((one, other) for one in made for other in made if one != other)
    assert all(one.score.board_points == (1, 1) for one in found), "the second side resigns: each team wins one board"
    assert all(one.score.match_points == (1, 1) for one in found)
    with pytest.raises(NotAccepted, match=r"round\.last"):
        rounds.pair(database, division, boss, now=NOW)
    assert line_ups.terms_of(now).board_win == Fraction(1)


def test_a_captain_reminds_players_of_the_own_team_only(sqlite_database: Database) -> None:
    database = sqlite_database
    who = people(database, 3)
    boss, captains_of = who[0], {who[1], who[2]}
    club_id = club(database, boss)
    version = read(database, lambda c: clubs.get(c, club_id)).join_version
    for player in who[1:]:
        members.join_by_link(database, club_id, player, version, now=NOW)
    event_id = events.make(
        database, club_id, boss, name="Cup", title_id="ferry", format="round_robin", terms={"boards": 1}, now=NOW
    )
    lines = "Harbour: p1@example.org\nLantern: p2@example.org"
    given = read(database, lambda c: teams.read_lines(c, events.get(c, event_id), lines, boss))
    teams.enter(database, event_id, boss, given, now=NOW)
    rounds.start(database, event_id, boss, now=NOW)
    draft = paired(database, read(database, lambda c: events.get(c, event_id)), boss)
    rounds.publish(database, draft.id, boss, draft.version, now=NOW)
    deliver(database, NOW)
    [match] = read(database, lambda c: round_rows.get(c, draft.id)).matches
    game = load(database, match.game_id or 0)
    owes = game.seated(game.decides or "").player_id or 0
    [other] = captains_of - {owes}
    ask = desk_acts.ActRequest(other, "please move", "a" * 16, 0)
    with pytest.raises(NotAllowed):
        desk_acts.nudge(database, event_id, match.id, ask, now=NOW + timedelta(days=1))
    mine = replace(ask, by_id=owes)
    assert desk_acts.nudge(database, event_id, match.id, mine, now=NOW + timedelta(days=1))
