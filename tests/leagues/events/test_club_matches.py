"""A match that two clubs agreed on in an earlier version is played to its end; neither of them rules in it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from app.account import my_data
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import Conflict, NotAccepted, NotAllowed
from app.leagues.changes import leaving
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import ActRequest
from app.leagues.desk import desk_acts, week
from app.leagues.events import lifecycle, round_rows
from app.leagues.results import records
from app.leagues.rulings import deciding, opening
from app.leagues.rulings.applying import read_verdict
from app.leagues.tables import Competition, CompetitionStatus, Member, MemberStatus, Role, Team
from app.leagues.teams import rosters, team_rounds
from app.people.tables import Player, PlayerRole
from tests.support import pressed
from tests.support.events import club, people, planned, read, resign_all
from tests.support.tables import NOW, deliver, load, write
from tests.support.two_clubs import agree

LATER = NOW + timedelta(days=1)
TOKEN = "{:016d}".format


class Two:
    """Vendée of p0 with p1 to p3, and Lantern of p4 with p5 to p7; p8 is a referee and p9 an operator, of neither."""

    def __init__(self, database: Database, **terms: Any) -> None:
        self.database = database
        self.who = people(database, 10)
        self.host = club(database, self.who[0])
        club_rights.make(database, self.who[4], slug="lantern", name="Lantern", now=NOW)
        self.guest = read(database, lambda c: club_rights.find(c, "lantern")).id
        with database.write() as session:
            for at, number in enumerate(self.who):
                session.execute(sa.update(Player).where(col(Player.id) == number).values(name=f"Player {at}"))
            for club_id, there in ((self.host, self.who[1:4]), (self.guest, self.who[5:8])):
                session.add_all(
                    Member(club_id=club_id, player_id=one, role=Role.MEMBER, status=MemberStatus.MEMBER, since=NOW)
                    for one in there
                )
            operator = sa.update(Player).where(col(Player.id) == self.who[9])
            session.execute(operator.values(role=PlayerRole.OPERATOR))
            session.commit()
        self.id = planned(database, self.host, self.who[0], name="Match", boards=2, **terms)

    @property
    def event(self) -> Competition:
        found: Competition = read(self.database, lambda c: lifecycle.get(c, self.id))
        return found

    def accept(self) -> None:
        agree(self.database, self.id, self.guest)

    def both(self) -> tuple[int, int]:
        """The teams of both clubs, running; the guests press."""
        squads = {"Harbour": (1, 2, 3), "Light": (5, 6, 7)}
        lines = "\n".join(f"{name}: " + ", ".join(f"p{n}@example.org" for n in own) for name, own in squads.items())
        given = read(self.database, lambda c: rosters.read_lines(c, self.event, lines))
        made = pressed.enter_teams(self.database, self.id, self.who[4], given, now=NOW)
        with self.database.write() as session:
            for team, club_id in zip(made, (self.host, self.guest), strict=True):
                session.execute(sa.update(Team).where(col(Team.id) == team).values(club_id=club_id))
            session.commit()
        pressed.start(self.database, self.id, self.who[4], now=NOW)
        return made[0], made[1]


def refused(act: Callable[[], object], code: str = "") -> None:
    """Assert a refusal with this code, whether for lack of a role or by the rules."""
    with pytest.raises((NotAllowed, NotAccepted, Conflict)) as no:
        act()
    assert code in str(no.value), no.value


def test_two_clubs_play_their_match_to_its_end(database: Database) -> None:
    """From the acceptance to the last game; sides, rights and pages of both clubs, on each database."""
    two = Two(database, legs=2, round_days=9)
    two.accept()
    who = two.who
    host, guest, stranger = who[0], who[4], who[8]
    refused(lambda: pressed.sign_up(database, two.id, stranger, now=NOW), "entry.member")
    refused(lambda: pressed.sign_up(database, two.id, who[5], by_id=host, now=NOW), "club_match.ruling")
    harbour, light = two.both()
    assert two.event.status == CompetitionStatus.RUNNING
    refused(lambda: pressed.cancel(database, two.id, host, reason="No", now=NOW), "club_match.runs")
    for club_id in (two.host, two.guest):
        assert [one.id for one in read(database, lambda c, k=club_id: lifecycle.events_of(c, k))] == [two.id]
        [task] = read(database, lambda c, k=club_id: week.read(c, k, NOW)).tasks
        assert task.kind == week.PAIR
        acts = [act.act for act in read(database, lambda c, k=club_id: audit.trail(c, k))]
        assert "event.running" in acts

    # Either club pairs and publishes; captains choose for their own team.
    round_id = pressed.pair(database, two.event.divisions[0].id, guest, now=NOW)
    version = read(database, lambda c: round_rows.get(c, round_id)).version
    squads = {team: [one.entry_id for one in _team(database, two.id, team).players] for team in (harbour, light)}
    refused(lambda: pressed.set_line_up(database, two.id, light, host, 1, squads[light][:2], now=NOW), "team.captain")
    refused(lambda: pressed.set_line_up(database, two.id, harbour, who[5], 1, squads[harbour][:2], now=NOW))
    pressed.set_line_up(database, two.id, harbour, who[1], 1, squads[harbour][1:], now=NOW)
    pressed.set_line_up(database, two.id, light, guest, 1, squads[light][:2], now=NOW)
    assert pressed.publish(database, round_id, host, version + 2, now=NOW) == 2
    deliver(database, NOW)
    ends = [read(database, lambda c, k=club_id: records.dates(c, k)) for club_id in (two.host, two.guest)]
    said = [[(one.event.id, one.round and one.round.number, one.at, one.changed_at) for one in club] for club in ends]
    assert said[0] == said[1] and [number for _, number, _, _ in said[0]] == [1], "in both calendars"

    # What would favour a player takes a ruling, whichever club asks; organisers see no hidden cards.
    match = read(database, lambda c: round_rows.get(c, round_id)).matches[0]
    game = load(database, match.game_id or 0)
    owes = game.seated(game.decides or "").player_id or 0
    for by, token in ((host, 1), (guest, 2)):
        ask = desk_acts.DeskRequest(by, "please move", TOKEN(token), days="3")
        for act in (desk_acts.nudge, desk_acts.extend, desk_acts.grant_leave):
            refused(lambda a=act, b=ask: a(database, two.id, match.id, b, now=LATER), "club_match.ruling")
        refused(lambda b=by: leaving.withdraw(database, two.id, owes, b, reason="late", now=LATER), "club_match.ruling")
    for player in (host, guest, who[3]):
        assert not read(database, lambda c, p=player: opening.is_neutral(c, two.id, p))
    assert read(database, lambda c: opening.is_neutral(c, two.id, who[9])), "the operator rules"

    def play_out(of: int) -> None:
        resign_all(database, read(database, lambda c: round_rows.get(c, of)))
        pressed.close(database, of, guest, now=LATER)

    play_out(round_id)
    second = pressed.pair(database, two.event.divisions[0].id, host, now=LATER)
    version = read(database, lambda c: round_rows.get(c, second)).version
    assert pressed.publish(database, second, guest, version, now=LATER) == 2
    play_out(second)
    pressed.finish(database, two.id, guest, now=LATER)
    kept = [read(database, lambda c, k=club_id: records.finished(c, k)) for club_id in (two.host, two.guest)]
    assert kept[0] == kept[1] and len(kept[0]) == 2 + 6, "both clubs remember both teams, and who played in which"
    [first] = records.winners(kept[0])
    assert first.name in ("Harbour", "Light") and first.player_id is None
    won = {one.player_id for one in kept[0] if one.team == first.name}
    assert won in (set(who[1:4]), set(who[5:8]))
    assert dict(read(database, lambda c: records.memory_of(c, two.guest))[1]) == {
        (one, f"Player {who.index(one)}"): 1 for one in won
    }
    there = read(database, lambda c: round_rows.rounds_of(c, two.event.divisions[0].id))
    found = read(database, lambda c: team_rounds.played(c, two.event, there, rosters.of_event(c, two.id)))
    assert [one.is_over for one in found] == [True, True]
    assert {found[0].result.first, found[0].result.second} == {harbour, light}
    assert found[0].result.first == found[1].result.second, "with the sides the other way round"


@pytest.mark.parametrize("stage", ["accepted", "running"])
def test_the_other_club_is_closed(sqlite_database: Database, stage: str) -> None:
    """Its only member erases the account: the remaining club runs the match alone and may cancel it."""
    two = Two(sqlite_database)
    database, who = two.database, two.who
    two.accept()
    if stage == "running":
        two.both()
    for player in who[5:8]:
        leaving.leave_club(database, two.guest, player, player, reason="", now=NOW)
    my_data.erase(database, who[4], now=NOW)
    assert two.event.status == (CompetitionStatus.RUNNING if stage == "running" else CompetitionStatus.SIGN_UP)
    if stage == "running":
        round_id = pressed.pair(database, two.event.divisions[0].id, who[0], now=NOW)
        version = read(database, lambda c: round_rows.get(c, round_id)).version
        assert pressed.publish(database, round_id, who[0], version, now=NOW + timedelta(days=2)) == 2
    pressed.cancel(database, two.id, who[0], reason="Nobody is left", now=LATER)
    assert two.event.status == CompetitionStatus.CANCELLED


def _team(database: Database, event_id: int, team_id: int) -> Team:
    found: Team = read(database, lambda c: rosters.get(c, event_id, team_id))
    return found


def test_nobody_of_either_club_rules(database: Database) -> None:
    two = Two(database)
    two.accept()
    who = two.who
    referee, operator = who[8], who[9]
    two.both()
    assert two.event.status == CompetitionStatus.RUNNING

    def rulers() -> list[int]:
        return sorted(who.index(one) for one in read(database, lambda c: opening.rulers(c, two.id, ())))

    assert rulers() == [9], "an operator, as long as nobody is named"
    agree(database, two.id, two.guest, referee=referee)
    assert rulers() == [8]

    round_id = pressed.pair(database, two.event.divisions[0].id, who[0], now=NOW)
    waited = NOW + timedelta(days=2)
    version = read(database, lambda c: round_rows.get(c, round_id)).version
    pressed.publish(database, round_id, who[0], version, now=waited)
    match = read(database, lambda c: round_rows.get(c, round_id)).matches[0]
    player = match.seats[0].player_id
    ruling = deciding.claim(database, two.id, match.id, player, "He is late", now=waited)
    asked = sa.select(col(OutboxMail.player_id)).where(col(OutboxMail.kind) == "ruling")
    judged = set(read(database, lambda c: c.scalars(asked)))
    assert referee in judged and not judged & {who[0], who[4], operator}
    verdict = read_verdict("forfeit", "", "1", (), 2)

    def decide(by: int, token: int) -> bool:
        return pressed.decide(
            database, two.id, ruling, verdict, ActRequest(by, "It is only fair", TOKEN(token)), now=waited
        )

    for by in (who[0], who[4], operator, who[3]):
        refused(lambda b=by: decide(b, 3), "club_match.referee")
    # A referee who joins one of the clubs loses the office.
    with database.write() as session:
        row = Member(club_id=two.guest, player_id=referee, role=Role.MEMBER, status=MemberStatus.MEMBER, since=NOW)
        session.add(row)
        session.commit()
    assert rulers() == [9]
    refused(lambda: decide(referee, 4), "club_match.referee")
    write(database, sa.delete(Member).where(col(Member.player_id) == referee))
    assert decide(referee, 5)
    deciding.appeal(database, two.id, ruling, player, "Too much", now=waited)
    refused(lambda: decide(referee, 6), "club_match.referee")
    assert decide(operator, 7), "an appeal goes to somebody else of neither club"
    my_data.erase(database, referee, now=waited)
    assert rulers() == [9]
