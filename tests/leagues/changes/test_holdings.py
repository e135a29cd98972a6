"""Leaving is complete: everything a person can hold in clubs and events, by every way of leaving."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import SQLModel

from app.account import my_data
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted, NotAllowed
from app.leagues import tables
from app.leagues.changes import holdings, leaving, reserves
from app.leagues.clubs import club_rights, joining, members
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.tables import ClubMatch, Entrant, MemberNote, Role
from app.leagues.teams import rosters
from app.people.tables import Player
from tests.support import pressed, two_clubs
from tests.support.events import people, planned, read
from tests.support.mails import kept
from tests.support.season import token
from tests.support.tables import NOW, deliver, load

LEAVES = ("event", "taken_out", "club", "put_out", "erased", "banned", "plays_on", "replaced", "team_out", "closed")
EXPECTED = """
                  event     taken_out club      put_out   erased    banned    plays_on  replaced  team_out  closed
member            organiser organiser -         -         -         -         organiser organiser organiser organiser
invitation        waits     waits     waits     waits     -         -         -         waits     waits     -
request           waits     waits     waits     waits     -         -         -         waits     waits     declined
note              kept      kept      kept      kept      -         kept      kept      kept      kept      kept
open_entry        withdrawn removed   entered   entered   withdrawn withdrawn entered   entered   entered   entered
members_entry     withdrawn removed   withdrawn removed   withdrawn withdrawn entered   entered   entered   entered
draft_entry       withdrawn removed   withdrawn removed   withdrawn withdrawn entered   entered   entered   entered
running_entry     withdrawn withdrawn entered   entered   withdrawn withdrawn entered   withdrawn entered   entered
running_game      over      over      runs      runs      over      over      runs      handed_on runs      runs
round_off         -         -         3         3         -         -         3         3         3         3
reserve           withdrawn removed   withdrawn removed   withdrawn withdrawn withdrawn reserve   reserve   reserve
call              next      next      next      next      next      next      next      waits     waits     waits
place_in_team     -         -         -         -         -         -         stays     stays     -         stays
captain_before    next      next      next      next      next      next      stays     stays     -         stays
captain_playing   next      next      stays     stays     next      next      stays     stays     stays     stays
captain_beside    stays     stays     next      next      next      next      stays     stays     stays     stays
last_of_team      nobody    nobody    stays     stays     nobody    nobody    stays     stays     stays     stays
referee           named     named     named     named     -         -         named     named     named     named
"""
"""What happens to it.

A banned player who plays on loses what waits. A player who leaves the club finishes running games.
"""
OF_LEAGUES = {model.__tablename__ for model in vars(tables).values() if hasattr(model, "__tablename__")}
COLUMNS = [line.split() for line in EXPECTED.strip().splitlines()]
TABLE = {line[0]: dict(zip(COLUMNS[0], line[1:], strict=True)) for line in COLUMNS[1:]}

RECORDS = frozenset(
    {
        "announcement.by_id",
        "audit_entry.by_id",
        "club.made_by",
        "club_match.answered_by",
        "club_match.asked_by",
        "event.made_by",
        "event_message.by_id",
        "pairing_job.asked_by",
        "past_place.player_id",
        "rating.player_id",
        "rating_change.player_id",
        "ruling.appealed_by",
        "ruling.decided_by",
        "ruling.final_by",
        "ruling.opened_by",
    }
)
"""Columns that record who did or achieved something; they stay."""


class World:
    """A player (p1) with everything that can be held, in clubs of p0 (the one that is left), p9, p10 and p11."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.who = people(database, 12)
        self.boss, self.x = self.who[:2]
        with database.write() as session:
            for at, number in enumerate(self.who):
                session.execute(sa.update(Player).where(Player.id == number).values(name=f"Player {at}"))  # type: ignore[arg-type]
            session.commit()
        self.club, self.asked, self.invited, *hosts = (
            self._club(slug, self.who[owner])
            for slug, owner in (("vendee", 0), ("asked", 11), ("invited", 11), ("host", 9), ("guest", 10))
        )
        for player in self.who[1:9]:
            members.join_by_link(database, self.club, player, 1, now=NOW)
        members.give_role(database, self.club, self.boss, self.x, "organiser", now=NOW)
        members.invite(database, self.invited, self.who[11], "p1@example.org", now=NOW)
        joining.ask(database, self.asked, self.x, "Please.", now=NOW)
        with database.write() as session:
            session.add(MemberNote(club_id=self.club, player_id=self.x, note="Pays late."))
            session.commit()
        self._events()
        self._teams()
        self._match(*hosts)

    def _club(self, slug: str, owner: int) -> int:
        club_rights.make(self.database, owner, slug=slug, name=slug.title(), now=NOW)
        return int(read(self.database, lambda c: club_rights.find(c, slug)).id)

    def _event(self, *players: int, opens: bool = True, runs: bool = False, **terms: Any) -> int:
        made = planned(self.database, self.club, self.boss, "swiss", **{"rounds": 3} | terms)
        if opens:
            pressed.open_sign_up(self.database, made, self.boss, now=NOW)
        for player in players:
            pressed.sign_up(self.database, made, player, by_id=self.boss, now=NOW)
        if runs:
            self._run(made)
        return made

    def _run(self, event: int) -> None:
        pressed.start(self.database, event, self.boss, now=NOW)
        division = read(self.database, lambda c: lifecycle.get(c, event)).divisions[0].id
        draft = pressed.pair(self.database, division, self.boss, now=NOW)
        pressed.publish(self.database, draft, self.boss, 1, now=NOW)

    def _events(self) -> None:
        some = self.who[1:5]
        self.open, self.members = self._event(*some, members_only=False), self._event(*some)
        self.draft = self._event(*some, opens=False)
        self.running = self._event(*some, runs=True)
        pressed.set_rounds_off(self.database, self.running, self.x, away=[3], byes=[], by_id=self.x, now=NOW)
        pressed.sign_up_as_reserve(self.database, self.running, self.who[7], now=NOW)
        self.game = self._game()
        self.reserves = self._event(*self.who[2:6], runs=True)
        for player in (self.x, self.who[6]):
            pressed.sign_up_as_reserve(self.database, self.reserves, player, now=NOW)
        self.call(self.reserves, self.who[2])

    def call(self, event: int, player: int) -> Any:
        entrant = read(self.database, lambda c: entries.entrant_of(c, event, player)).id
        return reserves.call(self.database, event, entrant, ActRequest(self.boss, "Silent.", token()), now=NOW)

    def _game(self) -> int:
        with self.database.read() as session:
            (round,) = round_rows.rounds_of(session, lifecycle.get(session, self.running).divisions[0].id)
        return next(one.game_id or 0 for one in round.matches if self.x in [seat.player_id for seat in one.seats])

    def _teams(self) -> None:
        w = self.who
        self.before, self.playing, self.beside, self.last = (self._event(boards=boards) for boards in (2, 2, 2, 1))
        self.teams = {
            event: self._enter(event, captain, *squads)
            for event, captain, squads in (
                (self.before, self.x, ([self.x, w[2], w[3]], [w[5], w[6]])),
                (self.playing, self.x, ([w[4], self.x, w[3]], [w[5], w[6]])),
                (self.beside, self.x, ([w[2], w[3]], [w[5], w[6]])),
                (self.last, self.x, ([self.x], [w[5]], [w[6]])),
            )
        }
        for event in (self.playing, self.beside, self.last):
            self._run(event)

    def _enter(self, event: int, captain: int, own: list[int], *others: list[int]) -> int:
        squads = [("Own", own, captain), *((f"Team {at}", one, one[0]) for at, one in enumerate(others))]
        given = [rosters.NewTeam(name, tuple(players), leader) for name, players, leader in squads]
        return pressed.enter_teams(self.database, event, self.boss, given, now=NOW)[0]

    def _match(self, host: int, guest: int) -> None:
        self.match = planned(self.database, host, self.who[9], name="Match", boards=1)
        two_clubs.agree(self.database, self.match, guest, referee=self.x)

    # -- leaving --------------------------------------------------------------------------------------

    def leave(self, how: str) -> None:
        database, x, boss = self.database, self.x, self.boss
        ban: dict[str, Any] = {"reason": "Shouts.", "until": None, "by_id": None, "now": NOW}
        own: dict[str, Callable[[], object]] = {
            "event": lambda: self._leave_events(x),
            "taken_out": lambda: self._leave_events(boss),
            "club": lambda: leaving.leave_club(database, self.club, x, x, reason="", now=NOW),
            "put_out": lambda: leaving.leave_club(database, self.club, boss, x, reason="Shouts.", now=NOW),
            "erased": lambda: my_data.erase(database, x, now=NOW),
            "banned": lambda: my_data.ban(database, x, leaves=True, **ban),
            "plays_on": lambda: my_data.ban(database, x, leaves=False, **ban),
            "replaced": self._replace,
            "team_out": lambda: pressed.take_team_out(database, self.before, self.teams[self.before], boss, now=NOW),
            "closed": lambda: my_data.erase(database, self.who[11], now=NOW),
        }
        own[how]()

    def _leave_events(self, by: int) -> None:
        for event in (self.open, self.members, self.draft, self.running, self.reserves, *self.teams):
            leaving.withdraw(self.database, event, self.x, by, reason="Ill.", now=NOW)
        with self.database.write() as session:  # no reserve takes the place in time
            session.execute(sa.text("UPDATE event_entry SET leaves_at = :now WHERE leaves_at > :now"), {"now": NOW})
            session.commit()
        leaving.sweep_holds(self.database, NOW)

    def _replace(self) -> None:
        made = self.call(self.running, self.x)
        pressed.answer_call(self.database, made.id, self.who[7], accepts=True, now=NOW)

    # -- what has become of it ------------------------------------------------------------------------

    def holds(self, what: str) -> str:
        with self.database.read() as session:
            return str(getattr(self, f"_{what}")(session))

    def _member(self, session: Any) -> str:
        return club_rights.role_of(session, self.club, self.x) or "-"

    def _invitation(self, session: Any) -> str:
        return "waits" if members.is_invited(session, self.invited, self.x) else "-"

    def _request(self, session: Any) -> str:
        there = joining.of_player(session, self.asked, self.x)
        return "-" if there is None else "declined" if there.declined_at else "waits"

    def _note(self, session: Any) -> str:
        return "kept" if session.scalar(sa.select(MemberNote.note)) else "-"

    def _entry(self, session: Any, event: int) -> Entrant:
        found = entries.entrant_of(session, event, self.x)
        assert found is not None
        return found

    def _open_entry(self, session: Any) -> str:
        return self._entry(session, self.open).status

    def _members_entry(self, session: Any) -> str:
        return self._entry(session, self.members).status

    def _draft_entry(self, session: Any) -> str:
        return self._entry(session, self.draft).status

    def _running_entry(self, session: Any) -> str:
        return self._entry(session, self.running).status

    def _running_game(self, session: Any) -> str:
        game = load(self.database, self.game)
        seated = self.x in [seat.player_id for seat in game.seats]
        return "over" if game.is_over else "runs" if seated else "handed_on"

    def _round_off(self, session: Any) -> str:
        there = self._entry(session, self.running)
        return "-" if there.status == "withdrawn" and not there.away else ",".join(map(str, there.away))

    def _reserve(self, session: Any) -> str:
        return self._entry(session, self.reserves).status

    def _call(self, session: Any) -> str:
        (waits,) = [one for one in reserves.of_event(session, self.reserves).calls if one.status == "called"]
        return "waits" if waits.player_id == self.x else "next"

    def _place_in_team(self, session: Any) -> str:
        its = [one.player_id for team in rosters.of_event(session, self.before) for one in team.players]
        return "stays" if self.x in its else "-"

    def _captain(self, session: Any, event: int, follows: int | None) -> str:
        team = next((one for one in rosters.of_event(session, event) if one.name == "Own"), None)
        if team is None:
            return "-"
        assert team.captain_id in (self.x, follows)
        return {self.x: "stays", None: "nobody"}.get(team.captain_id, "next")

    def _captain_before(self, session: Any) -> str:
        return self._captain(session, self.before, self.who[2])

    def _captain_playing(self, session: Any) -> str:
        return self._captain(session, self.playing, self.who[4])

    def _captain_beside(self, session: Any) -> str:
        return self._captain(session, self.beside, self.who[2])

    def _last_of_team(self, session: Any) -> str:
        return self._captain(session, self.last, None)

    def _referee(self, session: Any) -> str:
        match = session.scalars(sa.select(ClubMatch)).one()
        return {self.x: "named", None: "-"}[match.referee_id]


@pytest.fixture(scope="module")
def before(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Return the world before anybody has left; its file is copied."""
    path = tmp_path_factory.mktemp("world") / "postroad.db"
    shutil.copy(sqlite_template, path)
    database = Database(f"sqlite:///{path}")
    world = World(database)
    database.close()
    yield world


@pytest.fixture
def world(before: World, tmp_path: Path) -> Iterator[World]:
    for file in Path(str(before.database.engine.url.database)).parent.iterdir():
        shutil.copy(file, tmp_path)
    there = copy.copy(before)
    there.database = Database(f"sqlite:///{tmp_path / 'postroad.db'}")
    yield there
    there.database.close()


@pytest.mark.parametrize("how", LEAVES)
def test_what_somebody_holds_goes_to_who_follows(world: World, how: str) -> None:
    """All pairs. The successor is told by mail, and the organisers if nobody of a team is left."""
    world.leave(how)
    assert {what: world.holds(what) for what in TABLE} == {what: row[how] for what, row in TABLE.items()}
    deliver(world.database, NOW)
    told = kept(world.database, "follows")
    nobody = TABLE["last_of_team"][how] == "nobody"
    assert len(told) == nobody + sum(row[how] == "next" for what, row in TABLE.items() if what.startswith("captain"))
    warned = [mail.to for mail in told if "nobody of the team is there to follow" in mail.words]
    assert warned == ["p0@example.org"] * nobody


def test_every_column_that_names_a_person_is_in_the_list() -> None:
    """A new one fails here until it says what happens to it."""
    named = {
        f"{table.name}.{key.parent.name}"
        for table in SQLModel.metadata.tables.values()
        if table.name in OF_LEAGUES
        for key in table.foreign_keys
        if key.column.table.name in ("player", "event_entry")
    }
    held = holdings.HELD
    assert named == {*held, *RECORDS} and len(held) + len(RECORDS) == len(named)


def test_the_owner_who_is_banned_has_a_successor(database: Database) -> None:
    """A banned owner cannot be asked to name a successor: the highest role follows, of equals the longest-standing."""
    who = people(database, 4)
    club_rights.make(database, who[0], slug="vendee", name="Vendée", now=NOW)
    club = read(database, lambda c: club_rights.find(c, "vendee")).id
    for player in who[1:]:
        members.join_by_link(database, club, player, 1, now=NOW)
    members.give_role(database, club, who[0], who[2], "deputy", now=NOW)
    with pytest.raises(NotAccepted, match=r"club\.last_owner"):
        leaving.leave_club(database, club, who[0], who[0], reason="", now=NOW)
    my_data.ban(database, who[0], reason="Shouts.", until=None, leaves=True, by_id=None, now=NOW)
    assert read(database, lambda c: club_rights.role_of(c, club, who[2])) == Role.OWNER
    deliver(database, NOW)
    (mail,) = kept(database, "follows")
    assert mail.to == "p2@example.org" and "the last owner of Vendée has left" in mail.words


def test_organisers_name_a_captain_of_a_running_event(world: World) -> None:
    database = world.database
    event, team = world.playing, world.teams[world.playing]
    stranger, player = world.who[9], world.who[3]
    with pytest.raises(NotAllowed, match=r"team\.captain"):
        pressed.name_captain(database, event, team, stranger, player, now=NOW)
    with pytest.raises(NotAccepted, match=r"team\.able"):
        pressed.name_captain(database, event, team, world.boss, stranger, now=NOW)
    pressed.name_captain(database, event, team, world.boss, player, now=NOW)
    pressed.name_captain(database, event, team, world.boss, player, now=NOW)
    assert read(database, lambda c: rosters.get(c, event, team)).captain_id == player
    with pytest.raises(NotAllowed, match=r"team\.captain"):
        pressed.name_captain(database, event, team, world.who[4], world.x, now=NOW)
    deliver(database, NOW)
    assert sorted(mail.to for mail in kept(database, "follows")) == ["p1@example.org", "p3@example.org"]
