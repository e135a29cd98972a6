"""A silent player in two events, one of which lets leave be taken automatically: the fate of each game, and what
organisers read about it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.speech import Voice
from app.clocks.pace import DAY as DAY_SECONDS
from app.clocks.pace import Pace
from app.clocks.presets import course
from app.games.tables import Game
from app.leagues.desk import autopilot, people, weekly_mail
from app.leagues.events import round_rows
from app.leagues.pages.desk.desk_words import silence_in_words
from app.leagues.pure.terms import USUAL
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.agreed import results
from app.play.turn import starting
from app.time.tables import ClockNote, Outage
from tests.support.mails import kept
from tests.support.season import DAY, HOUR, Season, season
from tests.support.tables import NOW, deliver, load, random_line, say, write

MINUTE = timedelta(minutes=1)
STRICT = course("strict")
MONDAY = datetime.fromisoformat("2026-11-30T09:00+00:00")


def pace(days: int) -> Pace:
    """A game is lost an hour after its deadline."""
    assert STRICT is not None
    return Pace(decision=days * DAY_SECONDS, stages=STRICT.stages)


def waits_for(made: Season, player: int) -> int:
    """Play until the only game of an event waits for a player; return its number."""
    chooser = Random(1)
    while made.owes(0) != player:
        line = random_line(made.game(0), chooser)
        if line != "resign":
            say(made.database, made.game(0).id, line)
    number: int = made.game(0).id
    return number


def rows(database: Database, game_id: int) -> tuple[datetime | None, list[tuple[str, datetime]]]:
    """Return the deadline of a game, and its log of time."""
    with database.read() as session:
        asked = sa.select(ClockNote.kind, ClockNote.at).where(ClockNote.game_id == game_id)  # type: ignore[arg-type]
        told = [(row.kind, row.at) for row in session.execute(asked.order_by(ClockNote.id))]
    return load(database, game_id).deadline_at, told


def sweep(database: Database, until: datetime) -> None:
    """Run the sweep at each planned moment."""
    while True:
        with database.read() as session:
            planned = session.scalar(sa.select(sa.func.min(Game.check_at)))
        if planned is None or planned > until:
            return
        sweep_cases(database, planned)


def test_a_silent_player_in_two_events_of_which_one_forbids_automatic_leave(database: Database) -> None:
    """A day a move with automatic leave: 22, 23 and 24 November are taken, lost on Wed 25 at 21:00.

    Three days a move without: lost on Tue 24 at 21:00, as if nothing else were played. A game outside, at five days,
    takes its own leave.
    """
    takes = season(database, 2, pace=pace(1), auto_leave=True)
    forbids = season(database, 2, slug="angers", pace=pace(3))
    assert not USUAL.auto_leave and not forbids.now().terms.auto_leave, "an event takes none unless its terms say so"
    silent, other = takes.owes(0), next(one for one in takes.players if one != takes.owes(0))
    with database.write() as session:
        session.execute(sa.update(Player).where(Player.id == silent).values(auto_leave=True))  # type: ignore[arg-type]
        session.commit()
        names = {row.id: row.address for row in session.execute(sa.select(Player.id, Player.address))}
    quick, slow = waits_for(takes, silent), waits_for(forbids, silent)
    seats = [("red", names[silent]), ("blue", names[other])]
    outside = starting.new_game(database, "ferry", seats, now=NOW, pace=pace(5))
    swapped = [("red", names[other]), ("blue", names[silent])]
    theirs = starting.new_game(database, "ferry", swapped, now=NOW)
    deliver(database, NOW)
    calm = rows(database, theirs)

    sweep(database, NOW + 3 * DAY - MINUTE)
    assert rows(database, slow) == (NOW + 3 * DAY, []) and rows(database, theirs) == calm
    assert rows(database, outside) == (NOW + 5 * DAY, [])
    look = NOW + 2 * DAY + 12 * HOUR
    [late], [forbidden] = takes.desk(look), forbids.desk(look)
    assert late.silence is not None and forbidden.silence is not None
    assert (late.silence.days, late.silence.end.due) == (2, NOW + 4 * DAY)
    assert (forbidden.silence.days, forbidden.silence.end.due) == (0, NOW + 3 * DAY)
    assert silence_in_words(late.silence, Voice("en", "Europe/Paris"), look) == (
        "Silent for 2 days · 2 days of leave taken by themselves · out of time at the earliest: Wed 25 Nov, 21:00 (CET)"
    )
    assert silence_in_words(forbidden.silence, Voice("it"), look + DAY) == (
        "Nessuna attività da 4 giorni · nessun giorno di assenza usato automaticamente"
        " · tempo scaduto da mar 24 nov, 20:00 (UTC)"
    )
    assert forbidden.silence is not None and forbidden.silence.end.due == NOW + 3 * DAY

    sweep(database, NOW + 3 * DAY)
    assert rows(database, slow)[1] == [("warned", NOW + 3 * DAY)] and not load(database, slow).is_over
    sweep(database, NOW + 3 * DAY + HOUR)
    assert load(database, slow).is_over and not load(database, quick).is_over
    sweep(database, NOW + 4 * DAY + HOUR - MINUTE)
    assert not load(database, quick).is_over
    sweep(database, NOW + 4 * DAY + HOUR)
    assert load(database, quick).is_over
    assert rows(database, quick)[1][:4] == [("leave", NOW + n * DAY) for n in (1, 2, 3)] + [("warned", NOW + 4 * DAY)]
    assert rows(database, outside) == (NOW + 5 * DAY, []) and rows(database, theirs)[0] == calm[0]
    sweep(database, NOW + 8 * DAY)
    assert rows(database, outside) == (
        NOW + 8 * DAY,
        [*(("leave", NOW + n * DAY) for n in (5, 6, 7)), ("warned", NOW + 8 * DAY)],
    )

    with database.read() as session:
        asked = sa.select(OutboxMail.player_id, OutboxMail.game_id, OutboxMail.made_at)
        told = [
            tuple(row) for row in session.execute(asked.where(OutboxMail.kind == "auto_leave").order_by(OutboxMail.id))
        ]
        others = session.scalars(sa.select(OutboxMail.player_id).where(OutboxMail.kind == "leave")).all()
    assert told == [
        (silent, quick, NOW + DAY), (silent, quick, NOW + 3 * DAY),
        (silent, outside, NOW + 5 * DAY), (silent, outside, NOW + 7 * DAY),
    ]  # fmt: skip
    assert set(others) == {other}, "organisers get no mail of their own about it"
    assert weekly_mail.plan(database, MONDAY) == 1
    deliver(database, MONDAY)
    [monday] = kept(database, "club_week")
    name = names[silent].partition("@")[0]
    assert f"Last week: 2 days of leave of {name} were taken by themselves." in monday.words


def test_a_game_that_was_given_time_back_is_judged_by_the_end_of_its_round(sqlite_database: Database) -> None:
    """An outage of three hours does not permanently hide that a round ends."""
    made = season(sqlite_database, 2, round_days=7)
    made.start_clock(0, NOW)
    game = made.game(0)
    with sqlite_database.write() as session:
        note = {"game_id": game.id, "entry": game.entries, "number": game.number, "seat": game.decides}
        note |= {"kind": "credit", "cause": "outage", "seconds": 3 * 3600, "details": {}, "at": NOW + HOUR}
        session.execute(sa.insert(ClockNote).values(**note))
        session.commit()
    assert (made.problem(0, NOW + DAY).finding, made.problem(0, NOW + DAY).step) == ("credit", "wait")
    late = made.problem(0, NOW + 6 * DAY)
    assert (late.finding, late.step, late.credit) == ("unread", "nudge", 3 * 3600)
    assert late.silence is not None and late.silence.since == NOW


def test_silence_is_of_the_person_and_named_where_they_would_be_paired(sqlite_database: Database) -> None:
    """Club review, F5: the count does not begin again with a new game; the draft and its mail name who is silent for
    longer than the pace, and after two paces the autopilot leaves them out and says so."""
    database = sqlite_database
    made = season(database, 4, rounds=3, autopilot=24, pace=pace(2))
    silent = made.owes(0)
    made.start_clock(0, NOW)

    def passes(until: datetime) -> None:
        write(
            database,
            sa.update(Player).values(acted_at=until),
            sa.update(Player).where(Player.id == silent).values(acted_at=NOW - 10 * DAY),
        )
        autopilot.sweep(database, until)
        deliver(database, until)

    sweep(database, NOW + 2 * DAY + 2 * HOUR)
    assert made.match(0).ended, "lost by time"
    results.resign(database, made.game(1).id, made.owes(1), now=NOW)
    first = NOW + 5 * DAY
    passes(first)
    draft = made.read(lambda c: round_rows.rounds_of(c, made.first.id, drafts=True))[-1]
    found = made.read(lambda c: people.silent_before(c, made.now(), made.first.id, 2, first, draft))
    assert [(one.player_id, (first - quiet.since).days) for one, quiet in found] == [(silent, 15)]
    [mail] = kept(database, "event_draft")
    assert f"Silent: p{silent - 1} (silent for 15 days)" in mail.words and "Leave them out" in mail.words
    passes(first + DAY)  # published as it is
    sweep(database, first + 4 * DAY)
    assert made.read(lambda c: round_rows.get(c, draft.id)).open_matches == []
    passes(first + 5 * DAY)
    last = made.read(lambda c: round_rows.rounds_of(c, made.first.id, drafts=True))[-1]
    paired = {seat.player_id for one in last.matches if not one.is_bye for seat in one.seats}
    assert last.number == 3 and silent not in paired and made.entrant(silent).away == [3]
    mail = kept(database, "event_draft")[-1]
    assert f"Left out by itself: p{silent - 1} (silent for 20 days)" in mail.words


def test_who_could_not_move_while_the_server_was_down_is_not_silent(database: Database) -> None:
    """A secretary's first week, 4: the week named people whose clocks had been given all of it back."""
    made = season(database, 2, pace=pace(3))
    made.start_clock(0, NOW)
    seen = NOW + 5 * DAY

    def silent() -> list[int]:
        found = made.read(lambda c: people.of_events(c, [made.now()], seen))
        return [one.player_id for one, _ in found]

    assert silent() == [made.owes(0)]
    down = Outage(job="web", from_at=NOW + HOUR, to_at=seen - DAY, noted_at=seen - DAY)
    with database.write() as session:
        session.add(down)
        session.commit()
    assert silent() == []
