"""An erased account leaves its events by their terms and its clubs; no club is left without an owner."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.account import my_data
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted
from app.leagues.changes import reserves
from app.leagues.clubs import club_rights, members
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.pure.model import VOID, WALKOVER
from app.leagues.results import standings
from app.leagues.rounds import ladder
from app.leagues.seasons import next_season
from app.leagues.tables import About, Audit, Competition, CompetitionRound
from app.play.past.records import record_of
from app.play.turn import starting
from app.titles.registry import TITLES
from engine.kernel import records
from tests.support import pressed
from tests.support.at_once import codes_of
from tests.support.databases import ON_SQLITE
from tests.support.events import club, event, paired, people, planned, published, read, resign_all, started
from tests.support.mails import kept
from tests.support.season import DAY, season, token
from tests.support.tables import NOW, deliver, load, write


def acts(database: Database, act: str) -> list[Any]:
    return list(read(database, lambda c: c.scalars(sa.select(Audit).where(Audit.act == act).order_by(Audit.id)).all()))  # type: ignore[arg-type]


def status(database: Database, event_id: int, player: int) -> str:
    found = read(database, lambda c: entries.entrant_of(c, event_id, player))
    return str(found.status)


def seated(round: CompetitionRound) -> set[int]:
    return {seat.player_id for match in round.matches for seat in match.seats}


def verified(database: Database, game_id: int) -> None:
    for _ in records.replay(records.load(json.dumps(record_of(database, game_id)), TITLES)):
        pass
    assert starting.verify(database, game_id) == []


@pytest.mark.parametrize(("withdrawal", "ended"), [("walkover", WALKOVER), ("annul", VOID)])
@ON_SQLITE
def test_the_account_leaves_by_the_terms_and_is_paired_no_more(database: Database, withdrawal: str, ended: str) -> None:
    who = people(database, 5)
    now = event(database, who, "swiss", rounds=3, withdrawal=withdrawal)
    round = published(database, now, who[0])
    match = next(one for one in round.matches if one.game_id and who[0] not in {seat.player_id for seat in one.seats})
    gone, other = (seat.player_id for seat in match.seats)
    my_data.erase(database, gone, now=NOW)
    assert status(database, now.id, gone) == "withdrawn"
    after = read(database, lambda c: round_rows.get(c, round.id))
    its = next(one for one in after.matches if one.id == match.id)
    assert its.ended == ended and load(database, match.game_id or 0).is_over
    verified(database, match.game_id or 0)
    (act,) = acts(database, "entry.withdrawn")
    assert (act.by_id, act.about, act.about_number, act.event_id) == (gone, About.PLAYER, gone, now.id)
    resign_all(database, after)
    pressed.close(database, round.id, who[0], now=NOW)
    assert gone not in seated(paired(database, now, who[0])) and other in seated(paired(database, now, who[0]))
    mine = read(database, lambda c: entries.entrant_of(c, now.id, gone))
    table = read(database, lambda c: standings.standing_of(c, now, now.divisions[0]))
    assert mine.id in {place.entrant for place in table.places} and mine.name == ""
    deliver(database, NOW)
    told = {mail.to: mail.words for mail in kept(database, "event_left")}
    assert set(told) == {f"p{who.index(one)}@example.org" for one in (who[0], other)}, "the organiser and the opponent"
    assert f"The player with number {mine.seed} in Cup has erased the account" in told["p0@example.org"]


@ON_SQLITE
def test_drafts_with_the_account_are_cleared_and_unseen_events_lose_the_entry(database: Database) -> None:
    who = people(database, 4)
    now = event(database, who, "swiss", rounds=3)
    draft = paired(database, now, who[0])
    waiting = [planned(database, now.club_id, who[0], name=name) for name in ("Draft", "Open")]
    pressed.open_sign_up(database, waiting[1], who[0], now=NOW)
    for number in waiting:
        pressed.sign_up(database, number, who[2], by_id=who[0], now=NOW)
    end = read(database, lambda c: my_data.leaving(c, who[2]))
    assert [name for _, name in end.events] == ["Cup", "Open"], "of drafts only their organisers know"
    my_data.erase(database, who[2], now=NOW)
    with pytest.raises(round_rows.NoSuchRound):
        read(database, lambda c: round_rows.get(c, draft.id))
    assert [status(database, number, who[2]) for number in (now.id, *waiting)] == ["withdrawn"] * 3
    assert who[2] not in seated(paired(database, now, who[0]))


def test_an_organiser_cannot_enter_who_has_gone(database: Database) -> None:
    who = people(database, 4)
    now = event(database, who, "swiss", rounds=3)
    my_data.erase(database, who[2], now=NOW)
    with pytest.raises(NotAccepted, match=r"player\.unknown"):
        pressed.sign_up(database, now.id, who[2], by_id=who[0], now=NOW)
    assert status(database, now.id, who[2]) == "withdrawn"


def test_the_last_opponent_does_not_keep_anybody_from_erasing(sqlite_database: Database) -> None:
    who = people(sqlite_database, 3)
    now = event(sqlite_database, who[:2], "round_robin")
    members.join_by_link(sqlite_database, now.club_id, who[2], 1, now=NOW)
    my_data.erase(sqlite_database, who[1], now=NOW)
    assert status(sqlite_database, now.id, who[1]) == "withdrawn"


def test_challenges_on_a_ladder_end(database: Database) -> None:
    who = people(database, 5)
    now = event(database, who[:4], "ladder")
    there = read(database, lambda c: ladder.read(c, now, NOW))
    first, second, third, fourth = there.people
    player = {number: one.player_id for number, one in there.people.items()}
    asked = pressed.challenge(database, now.id, player[second], first, now=NOW)
    other = pressed.challenge(database, now.id, player[fourth], third, now=NOW)
    game = ladder.answer(database, other, ladder.stamp(NOW), player[third], accepts=True, now=NOW)
    members.join_by_link(database, now.club_id, who[4], 1, now=NOW)
    members.give_role(database, now.club_id, who[0], who[4], "owner", now=NOW)
    for gone in (second, third):
        my_data.erase(database, player[gone], now=NOW)
    after = read(database, lambda c: ladder.read(c, now, NOW))
    assert after.challenges == () and after.ladder.order == (first, fourth)
    with pytest.raises(round_rows.NoSuchRound):
        read(database, lambda c: round_rows.get(c, asked))
    assert load(database, game or 0).is_over
    verified(database, game or 0)


def test_a_call_of_an_erased_reserve_goes_to_the_next_and_one_for_the_own_seat_ends(database: Database) -> None:
    made = season(database, reserves=2)
    leaver = made.match(0).seats[0]
    first, second = made.reserves
    reserves.call(database, made.event, leaver.entry_id, ActRequest(made.organiser, "ill", token()), now=NOW)
    my_data.erase(database, first, now=NOW + DAY)
    calls = made.read(lambda c: reserves.of_event(c, made.event).calls)
    assert [(call.player_id, call.status) for call in calls] == [(first, "declined"), (second, "called")]
    assert made.entrant(first).status == "withdrawn"
    my_data.erase(database, leaver.player_id, now=NOW + DAY)
    calls = made.read(lambda c: reserves.of_event(c, made.event).calls)
    assert [call.status for call in calls] == ["declined", "withdrawn"]
    assert made.entrant(second).status == "reserve"
    told = made.read(
        lambda c: c.scalars(sa.select(OutboxMail.mail_key).where(OutboxMail.player_id == second)).all()  # type: ignore[call-overload]
    )
    assert f"reserve:{calls[1].id}:withdrawn:{second}" in told


def test_who_erased_the_account_after_the_end_is_not_in_the_next_season(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who, "round_robin")
    resign_all(sqlite_database, published(sqlite_database, now, who[0]))
    write(sqlite_database, sa.update(Competition).values(status="over", ended_at=NOW))
    my_data.erase(sqlite_database, who[3], now=NOW)
    assert status(sqlite_database, now.id, who[3]) == "entered", "what was played stays as it is"
    over = read(sqlite_database, lambda c: lifecycle.get(c, now.id))
    assert who[3] in read(sqlite_database, lambda c: next_season.usual(c, over)).leavers
    drawn = read(sqlite_database, lambda c: next_season.propose(c, over, next_season.Plan(), NOW)).draft
    assert {player for part in drawn.divisions for player in part.members} == set(who[:3])


# -- owners -------------------------------------------------------------------------------------------


def test_the_only_owner_of_a_club_with_members_has_to_name_another_first(database: Database) -> None:
    who = people(database, 3)
    club_id = club(database, who[0])
    members.join_by_link(database, club_id, who[1], 1, now=NOW)
    members.invite(database, club_id, who[0], "p2@example.org", role="owner", now=NOW)
    for refused in (my_data.ask_to_erase, my_data.erase):
        with pytest.raises(NotAccepted, match=r"erase\.last_owner") as no:
            refused(database, who[0], now=NOW)
        assert "Vendée" in str(no.value.why.values["clubs"]), "and an invitation that waits is no owner"
    assert [one.slug for one in read(database, lambda c: my_data.leaving(c, who[0])).ownerless] == ["vendee"]
    members.give_role(database, club_id, who[0], who[1], "owner", now=NOW)
    my_data.erase(database, who[0], now=NOW)
    assert read(database, lambda c: club_rights.role_of(c, club_id, who[1])) == "owner"
    assert [(act.by_id, act.before["role"]) for act in acts(database, "member.left")] == [(who[0], "owner")]


def test_of_two_owners_who_erase_at_once_one_stays(database: Database) -> None:
    who = people(database, 3)
    club_id = club(database, *who)
    members.give_role(database, club_id, who[0], who[1], "owner", now=NOW)
    answers = codes_of(*[lambda one=one: my_data.erase(database, one, now=NOW) for one in who[:2]])
    assert answers == ["done", "erase.last_owner"]
    there = read(database, lambda c: [one.role for one in members.members(c, club_id)])
    assert sorted(there) == ["member", "owner"]


def test_a_club_without_other_members_is_closed_and_stays_readable(database: Database) -> None:
    who = people(database, 4)
    club_id = club(database, who[0])
    made = planned(database, club_id, who[0], members_only=False)
    pressed.open_sign_up(database, made, who[0], now=NOW)
    now = started(database, made, who[0], who[:3])
    round = published(database, now, who[0])
    members.invite(database, club_id, who[0], "p3@example.org", now=NOW)
    end = read(database, lambda c: my_data.leaving(c, who[0]))
    assert [one.slug for one in end.closed] == ["vendee"] and end.ownerless == ()
    my_data.erase(database, who[0], now=NOW + timedelta(hours=1))
    assert read(database, lambda c: club_rights.find(c, "vendee")).members == 0
    assert read(database, lambda c: lifecycle.get(c, made)).status == "cancelled"
    assert read(database, lambda c: round_rows.get(c, round.id)).open_matches == []
    told = read(
        database,
        lambda c: c.execute(
            sa.select(OutboxMail.player_id, OutboxMail.details).where(OutboxMail.kind == "event_cancelled")  # type: ignore[call-overload]
        ).all(),
    )
    assert {row.player_id for row in told} == {who[1], who[2]}
    assert told[0].details["reason"] == "The club is closed: its only member has left the server."
    assert not pressed.answer_invitation(database, club_id, who[3], joins=True, now=NOW), "its invitations have ended"
    with pytest.raises(NotAccepted, match=r"club\.old_link"):
        members.join_by_link(database, club_id, who[3], 1, now=NOW)
