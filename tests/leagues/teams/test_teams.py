"""Teams: entered as lines, refused if they cannot play, paired board by board, walkovers of empty boards."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from sqlmodel import col

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import Conflict, NotAccepted, NotAllowed
from app.leagues.changes import substitutes
from app.leagues.clubs.acting import ActRequest
from app.leagues.desk import autopilot, desk_acts
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.tables import Competition
from app.leagues.teams import captains, line_ups, rosters, team_rounds, team_standings
from tests.support import pressed
from tests.support.events import club, entered_teams, paired, people, planned, play_round, published, read, resign_all
from tests.support.mails import kept
from tests.support.tables import NOW, deliver, load, write


def test_a_double_round_robin_of_teams(sqlite_database: Database) -> None:
    database = sqlite_database
    who = people(database, 13)
    boss = who[0]
    event_id = planned(database, club(database, *who), boss, name="Team Cup", boards=2, legs=2)
    names = [f"p{n}@example.org" for n in range(1, 13)]
    lines = "\n".join(f"Team {at}: " + ", ".join(names[3 * at : 3 * at + 3]) for at in range(4))

    for wrong, code in (
        ("Harbour Alice", "team.line"),
        ("Harbour: nobody at all", "team.unknown"),
        (f"Harbour: {names[0]}, {names[0]}", "team.twice"),
        (f"Harbour: {names[0]}\nLantern: {names[0]}", "team.elsewhere"),
    ):
        with pytest.raises(NotAccepted, match=code.replace(".", r"\.")):
            entered_teams(database, event_id, boss, wrong)
    made = entered_teams(database, event_id, boss, lines)
    extra = entered_teams(database, event_id, boss, f"Small: {names[0][:1]}0@example.org")
    with pytest.raises(NotAccepted, match=r"team\.small"):
        pressed.start(database, event_id, boss, now=NOW)
    pressed.take_team_out(database, event_id, extra[0], boss, now=NOW)
    with pytest.raises(NotAccepted, match=r"team\.nobody"):
        pressed.start(database, event_id, boss, now=NOW)
    with database.write() as session:
        mine = entries.entrant_of(session, event_id, boss)
        assert mine is not None
        session.delete(mine)
        session.commit()
    pressed.start(database, event_id, boss, now=NOW)
    now = read(database, lambda c: lifecycle.get(c, event_id))
    division = now.divisions[0].id
    first, captain = read(database, lambda c: rosters.get(c, event_id, made[0])), who[1]
    squad = [one.entry_id for one in first.players]
    with pytest.raises(NotAllowed):
        pressed.set_line_up(database, event_id, made[0], who[5], 1, squad[:1], now=NOW)
    draft = paired(database, now, boss)
    stays = pressed.set_line_up(database, event_id, made[0], captain, 1, [squad[2], squad[0]], now=NOW)
    assert stays == (squad[0], squad[2]), "the boards follow the team's order"
    alone = pressed.set_line_up(database, event_id, made[0], captain, 1, squad[1:2], now=NOW)
    assert alone == (squad[1], None)
    filled = read(database, lambda c: round_rows.get(c, draft.id))
    assert filled.version == draft.version + 2
    assert sorted(len(match.seats) for match in filled.matches) == [1, 2, 2, 2], "nobody sits at board 2"
    with pytest.raises(Conflict):
        pressed.publish(database, draft.id, boss, draft.version, now=NOW)
    pressed.set_line_up(database, event_id, made[0], captain, 1, squad[:2], now=NOW)
    version = read(database, lambda c: round_rows.get(c, draft.id)).version
    pressed.publish(database, draft.id, boss, version, now=NOW)
    deliver(database, NOW)
    mails = [mail.words for mail in kept(database, "event_round")]  # club review, F16
    assert len(mails) == 8 and sum(bool(re.search(r"Board 2: Team \d – Team \d", words)) for words in mails) == 4
    resign_all(database, read(database, lambda c: round_rows.get(c, draft.id)))
    pressed.close(database, draft.id, boss, now=NOW)
    for number in range(1, 7):
        if number > 1:
            play_round(database, division, boss)
        there = read(database, lambda c: round_rows.rounds_of(c, division))
        found = read(database, lambda c, r=there: team_rounds.played(c, now, r, rosters.of_event(c, event_id)))
        assert len(found) == 2 * number and all(one.is_over for one in found)
    met = sorted((one.result.first, one.result.second) for one in found)
    assert met == sorted((one, other) for one in made for other in made if one != other)
    assert all(one.score.board_points == (1, 1) for one in found), "the second side resigns: each team wins one board"
    assert all(one.score.match_points == (1, 1) for one in found)
    with pytest.raises(NotAccepted, match=r"round\.last"):
        pressed.pair(database, division, boss, now=NOW)


def test_boards_follow_the_order_of_the_team() -> None:
    there = ((11, "entered"), (12, "entered"), (13, "entered"), (14, "withdrawn"))
    team = SimpleNamespace(players=[SimpleNamespace(entry_id=entrant, status=status) for entrant, status in there])
    assert line_ups.line_up(SimpleNamespace(boards=4), team, None) == (11, 12, 13, None)  # type: ignore[arg-type]


def test_a_captain_reminds_players_of_the_own_team_only(sqlite_database: Database) -> None:
    database = sqlite_database
    who = people(database, 3)
    boss, captains_of = who[0], {who[1], who[2]}
    event_id = planned(database, club(database, *who), boss, boards=1, autopilot=24)
    lines = "Harbour: p1@example.org\nLantern: p2@example.org"
    entered_teams(database, event_id, boss, lines)
    pressed.start(database, event_id, boss, now=NOW)
    now = read(database, lambda c: lifecycle.get(c, event_id))
    draft = paired(database, now, boss)
    deliver(database, NOW)
    assert len(kept(database, "team_line_up")) == 2
    acts = read(database, lambda c: autopilot.next_acts(c, now))
    assert [(act.kind, act.at) for act in acts] == [("publish", NOW + timedelta(days=1))]
    for team in read(database, lambda c: rosters.of_event(c, event_id)):
        chosen = [team.players[0].entry_id]
        pressed.set_line_up(database, event_id, team.id, team.players[0].player_id, 1, chosen, now=NOW)
    draft = read(database, lambda c: round_rows.get(c, draft.id))
    pressed.publish(database, draft.id, boss, draft.version, now=NOW)
    deliver(database, NOW)
    [match] = read(database, lambda c: round_rows.get(c, draft.id)).matches
    game = load(database, match.game_id or 0)
    owes = game.seated(game.decides or "").player_id or 0
    [other] = captains_of - {owes}
    ask = desk_acts.DeskRequest(other, "please move", "a" * 16, 0)
    with pytest.raises(NotAllowed):
        desk_acts.nudge(database, event_id, match.id, ask, now=NOW + timedelta(days=1))
    mine = replace(ask, by_id=owes)
    assert desk_acts.nudge(database, event_id, match.id, mine, now=NOW + timedelta(days=1))


def test_a_swiss_event_of_five_teams(database: Database) -> None:
    boss, event, made = _swiss(database, 5)
    division = event.divisions[0].id
    with pytest.raises(NotAccepted, match=r"entry\.line_up"):
        player = read(database, lambda c: rosters.get(c, event.id, made[0])).players[0].player_id
        pressed.set_rounds_off(database, event.id, player, away=[2], byes=[], by_id=player, now=NOW)
    assert not event.takes_late_entries, "nobody comes into a team after the start"
    for number in range(1, 4):
        draft = paired(database, event, boss)
        met = read(database, lambda c, r=draft: [(one.first_id, one.second_id) for one in team_rounds.dealt(c, [r])])
        assert len(draft.matches[0].reasons) > 1, "why the teams meet stands at their first board"
        # A line-up fills the boards again: the pairing of teams, its reasons and the bye stay.
        squad = [one.entry_id for one in read(database, lambda c, t=met[0][0]: rosters.get(c, event.id, t)).players]
        pressed.set_line_up(database, event.id, met[0][0], boss, number, squad, now=NOW)
        again = read(database, lambda c, r=draft.id: round_rows.get(c, r))
        assert [one.reasons for one in again.matches] == [one.reasons for one in draft.matches]
        dealt = read(database, lambda c, r=draft: [(one.first_id, one.second_id) for one in team_rounds.dealt(c, [r])])
        assert dealt == met
        free = next(first for first, second in met if second is None)
        team = read(database, lambda c, t=free: rosters.get(c, event.id, t))
        against = read(database, lambda c, t=team, n=number, r=again: captains.opponents(c, event, t, n, r))
        assert against == []
        pressed.publish(database, again.id, boss, again.version, now=NOW)
        with pytest.raises(NotAccepted, match=r"round\.running"):
            pressed.pair(database, division, boss, now=NOW)
        resign_all(database, read(database, lambda c, r=draft.id: round_rows.get(c, r)))
        pressed.close(database, draft.id, boss, now=NOW)
    there = read(database, lambda c: round_rows.rounds_of(c, division))
    table = read(database, lambda c: team_standings.of_event(c, event, there, rosters.of_event(c, event.id)))
    pairs = [frozenset(team.id for team in one.teams) for one in table.matches if one.result.second]
    assert len(set(pairs)) == len(pairs) == 6, "nobody meets twice"
    assert len({one.teams[0].id for one in table.matches if not one.result.second}) == 3
    # The second seat of each game resigns, so each match is drawn 1 to 1, and a bye is worth the same.
    assert [(place.match_points, place.board_points) for place in table.places] == [(3, 3)] * 5
    told = read(database, lambda c: c.scalars(sa.select(col(OutboxMail.kind))).all())
    assert told.count("team_match") == 2 * 6 + 3, "both captains of each match, and the one of the team that is free"
    with pytest.raises(NotAccepted, match=r"round\.last"):
        pressed.pair(database, division, boss, now=NOW)
    pressed.finish(database, event.id, boss, now=NOW)
    write(database, sa.update(Competition).values(lots="others"))
    over = read(database, lambda c: lifecycle.get(c, event.id))
    final = read(database, lambda c: team_standings.of_event(c, over, there, rosters.of_event(c, event.id)))
    assert final.places == table.places, "what decided then may be asked no longer, as some that 1.0 asked"


def test_a_captain_sends_a_substitute_into_a_running_game(database: Database) -> None:
    who = people(database, 6)
    boss, captain, sub, rival = who[0], who[1], who[3], who[4]
    event_id = planned(database, club(database, *who), boss, boards=2)
    lines = "Harbour: p1@example.org, p2@example.org, p3@example.org\nLantern: p4@example.org, p5@example.org"
    harbour, lantern = entered_teams(database, event_id, boss, lines)
    pressed.start(database, event_id, boss, now=NOW)
    event = read(database, lambda c: lifecycle.get(c, event_id))
    published(database, event, boss)
    deliver(database, NOW)

    def boards(team: int) -> list[substitutes.RunningBoard]:
        found = read(database, lambda c: substitutes.running_boards(c, event, rosters.get(c, event_id, team)))
        return list(found)

    first, second = boards(harbour)
    [free] = second.bench
    assert free.player_id == sub and not boards(lantern)[0].bench, "nobody is left there"

    def send(by: int, team: int, match: int, entrant: int) -> int:
        at = NOW + timedelta(days=1)
        return substitutes.send_in(database, event_id, team, match, entrant, ActRequest(by, "p2 is ill"), now=at)

    with pytest.raises(NotAllowed):
        send(rival, harbour, second.match_id, free.entry_id)
    with pytest.raises(Conflict, match=r"substitute\.over"):
        send(rival, lantern, 0, free.entry_id)
    for entrant in (first.player.entry_id, boards(lantern)[0].player.entry_id):
        with pytest.raises(NotAccepted, match=r"substitute\.bench"):
            send(captain, harbour, second.match_id, entrant)
    game_id = send(captain, harbour, second.match_id, free.entry_id)
    assert sub in {seat.player_id for seat in load(database, game_id).seats}
    assert [one.player.player_id for one in boards(harbour)] == [captain, sub]
    assert not boards(harbour)[1].bench, "who was taken out of a game does not come back to it"
    with pytest.raises(NotAccepted, match=r"substitute\.bench"):
        send(captain, harbour, second.match_id, second.player.entry_id)
    gone = read(database, lambda c: rosters.get(c, event_id, harbour)).players[1]
    assert gone.entry_id in {one.entry_id for one in boards(harbour)[0].bench}, "and stays in the team"
    asked = sa.select(col(OutboxMail.player_id)).where(col(OutboxMail.kind) == "team_substitute")
    told = read(database, lambda c: sorted(c.scalars(asked)))
    assert told == sorted([boss, captain, who[2], sub, who[5]]), "organiser, captain, both players, the opponent"
    there = read(database, lambda c: round_rows.rounds_of(c, event.divisions[0].id))
    resign_all(database, there[0])
    after = read(database, lambda c: round_rows.rounds_of(c, event.divisions[0].id))
    [met] = read(database, lambda c: team_rounds.played(c, event, after, rosters.of_event(c, event_id)))
    assert met.is_over and met.boards[1].result.players[met.teams[0].id != harbour] == free.entry_id


def _swiss(database: Database, count: int) -> tuple[int, Competition, list[int]]:
    """Return a running Swiss event of three rounds for teams of two, its non-playing organiser, and the teams."""
    who = people(database, 2 * count + 1)
    event_id = planned(database, club(database, *who), who[0], "swiss", name="Team Swiss", boards=2, rounds=3)
    lines = "\n".join(f"Team {at}: p{2 * at + 1}@example.org, p{2 * at + 2}@example.org" for at in range(count))
    made = entered_teams(database, event_id, who[0], lines)
    pressed.start(database, event_id, who[0], now=NOW)
    return who[0], read(database, lambda c: lifecycle.get(c, event_id)), made
