"""What the recipes of `docs/recipes.md` add, used: `test_recipes` runs this in a copy of the program that has it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import sqlalchemy as sa

from app.base.process import jobs
from app.base.server import Server
from app.base.stored.mail_tables import MailGroup, OutboxMail
from app.leagues.events import lifecycle
from app.leagues.pure.standings import standings
from app.leagues.pure.terms import USUAL
from app.people.tables import Player
from app.post.letters.writing import words_of
from app.upkeep.jobs import timetable
from tests.support.club_pages import FORM, club_of, prepared
from tests.support.people import Enter, PostOffice
from tests.support.season import season
from tests.support.tournaments import DRAW, field_of, played


def do(server: Server, name: str) -> int:
    """Do a job once."""
    [job] = [job for job in jobs.JOBS if job.name == name]
    return job.begin(server.config)(server.database, datetime.now(UTC))


def test_the_mail_goes_out_once(server: Server, enter: Enter, post: PostOffice) -> None:
    enter("alice")
    assert do(server, "welcomes") == do(server, "welcomes") == 1
    assert post.subjects("alice@example.org").count("Welcome, alice") == 1
    with server.database.read() as session:
        asked = sa.select(OutboxMail.mail_group).where(OutboxMail.kind == "welcome")
        assert session.scalars(asked).all() == [MailGroup.TURN]
    assert words_of("welcome") == "a welcome"


def test_the_job_is_in_the_timetable(server: Server) -> None:
    assert "welcomes" in {job.name for job in timetable(server)}


def test_the_page_is_there_for_those_who_run_the_event(server: Server, enter: Enter) -> None:
    made = season(server.database)
    with server.database.read() as session:
        boss, player = (session.get(Player, number).name for number in (made.organiser, made.players[0]))
    assert "Newest in Cup" in enter(boss).get(f"/events/{made.event}/newest")
    enter(player).get(f"/events/{made.event}/newest", 403)


def test_the_tie_break_decides(server: Server) -> None:
    terms = replace(USUAL, tie_breaks=("points", "played"))
    drawn = [one for other in (2, 4) for one in played(other, [(3, other)], by=lambda *_: DRAW)]
    first, second, *_ = standings(field_of(4), [*played(1, [(1, 2)]), *drawn], terms, "lot")
    assert (first.entrant, first.decided, first.values["played"], second.values["played"]) == (3, "played", 2, 1)


def test_the_term_has_a_field_bounds_a_refusal_and_a_sentence(server: Server, enter: Enter) -> None:
    alice = club_of(enter)
    event = prepared(alice, finished="3")
    with server.database.read() as session:
        assert lifecycle.get(session, event).terms == replace(lifecycle.get(session, event).terms, finished=3)  # type: ignore[call-arg]
    assert "Players have finished 3 games." in alice.get(f"/events/{event}")
    page = alice.get(f"/events/{event}/terms")
    assert 'name="finished" autocomplete="off" min="1" max="100" value="3"' in page
    refused = alice.post("/clubs/vendee/events/new", 422, **{**FORM, "finished": "101"})
    assert "“Games a player needs to have finished” should be a whole number from 1 to 100." in refused
