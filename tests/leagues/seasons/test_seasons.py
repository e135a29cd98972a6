"""The end of an event and the draft of the next one, as services."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import Session, col

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.leagues.changes import leaving, reserves
from app.leagues.clubs import audit, club_rights, members
from app.leagues.clubs.acting import ActRequest
from app.leagues.desk import act_words
from app.leagues.events import lifecycle
from app.leagues.pages.shown.divisions import shown
from app.leagues.pure.divisions import Numbers
from app.leagues.results.standings import standings_of
from app.leagues.seasons import next_season, verdicts
from app.leagues.seasons.next_season import Plan
from app.leagues.tables import Member, MemberStatus, Season
from tests.support import pressed
from tests.support.events import club, league, names, people, planned, play, play_round, read, started
from tests.support.mails import Kept, kept
from tests.support.tables import NOW, deliver

_SEASON = Season.__table__  # type: ignore[attr-defined]
TOKEN = "press" * 4


def test_an_event_ends_with_its_standings_kept_and_the_next_one_is_drafted(database: Database) -> None:
    who = people(database, 8)
    now = league(database, who)
    with pytest.raises(NotAccepted, match=r"next\.running"):
        pressed.make_next(database, now.id, who[0], Plan(), next_season.SeasonNames("L", "S"), token=TOKEN, now=NOW)
    play(database, now, who[0])
    pressed.finish(database, now.id, who[0], now=NOW)
    pressed.finish(database, now.id, who[0], now=NOW)
    acts = read(database, lambda c: audit.trail(c, now.club_id, event_id=now.id))
    kept = [act for act in acts if act.act == "event.standings"]
    assert len(kept) == 1 and kept[0].after is not None
    order = read(database, lambda c: next_season.final_order(c, now, NOW))
    assert {int(key): [entrant for entrant, _ in rows] for key, rows in kept[0].after.items()} == {
        division.id: entry_ids for division, entry_ids in order
    }
    with database.read() as session:
        said = act_words.AuditSentences(session, acts, Voice("en", "UTC")).say(kept[0])
    assert said.changes[0][0] == "First" and said.changes[0][2].startswith("1. p")

    plan = read(database, lambda c: next_season.usual(c, now))
    proposal = read(database, lambda c: next_season.propose(c, now, plan, NOW))
    up, down = proposal.finals[1].order[0], proposal.finals[0].order[-1]
    kinds = {move.player: move.kind for move in proposal.draft.moves}
    assert kinds[up] == "up" and kinds[down] == "down" and len(kinds) == 8

    def make() -> int:
        return pressed.make_next(
            database,
            now.id,
            who[0],
            plan,
            next_season.SeasonNames("League", next_season.next_name("Spring 2026")),
            token=TOKEN,
            now=NOW,
        )

    made = make()
    assert make() == made, "pressed twice makes one"
    drafted = read(database, lambda c: lifecycle.get(c, made))
    assert (drafted.status, drafted.season, drafted.format) == ("draft", "Spring 2027", "round_robin")
    assert [(d.name, d.promoted, d.relegated) for d in drafted.divisions] == [("First", 0, 1), ("Second", 1, 0)]
    after = dict(names(database, made))
    assert up in after["First"] and down in after["Second"]
    assert sorted(after["First"] + after["Second"]) == sorted(who), "everybody is in it once"
    previous = read(
        database, lambda c: c.scalar(sa.select(_SEASON.c.previous_id).where(_SEASON.c.name == "Spring 2027"))
    )
    assert previous == now.season_id
    pressed.start(database, made, who[0], now=NOW)


def test_what_if(sqlite_database: Database) -> None:
    """A player leaves, one joins, one is moved by hand; asking writes nothing."""
    who = people(sqlite_database, 9)
    now = league(sqlite_database, who[:8])
    version = read(sqlite_database, lambda c: club_rights.get(c, now.club_id).join_version)
    members.join_by_link(sqlite_database, now.club_id, who[8], version, now=NOW)
    play(sqlite_database, now, who[0])
    pressed.finish(sqlite_database, now.id, who[0], now=NOW)
    usual = read(sqlite_database, lambda c: next_season.usual(c, now))

    def ask(plan: Plan) -> next_season.SeasonProposal:
        asked: next_season.SeasonProposal = read(sqlite_database, lambda c: next_season.propose(c, now, plan, NOW))
        return asked

    first = ask(usual)
    assert [(one.player_id, one.is_reserve) for one in first.candidates] == [(who[8], False)]
    best, last = first.finals[0].order[0], first.finals[1].order[-1]
    moved = ask(
        replace(usual, leavers=frozenset({best}), joiners=(who[8],), numbers=replace(usual.numbers, placed={last: 1}))
    )
    by = {move.player: move for move in moved.draft.moves}
    assert len(by) == 9 and (by[best].kind, by[last].kind, by[who[8]].kind) == ("out", "up", "in")
    assert by[last].why.code == "division.placed"
    none_move = ask(replace(usual, moving={1: (0, 0), 2: (0, 0)}))
    assert {move.kind for move in none_move.draft.moves} == {"same"}
    for wrong, code in (
        (replace(usual, joiners=(best,)), "joiners"), (replace(usual, numbers=Numbers(least=9, most=4)), "bounds"),
        (replace(usual, numbers=replace(usual.numbers, placed={10**6: 1})), "placed"),
    ):  # fmt: skip
        with pytest.raises(NotAccepted, match=rf"next\.{code}"):
            ask(wrong)
    assert len(read(sqlite_database, lambda c: lifecycle.events_of(c, now.club_id, drafts=True))) == 1


def test_who_withdrew_leaves_unless_the_organiser_says_otherwise(sqlite_database: Database) -> None:
    who = people(sqlite_database, 8)
    now = league(sqlite_database, who)
    leaving.withdraw(sqlite_database, now.id, who[1], who[0], reason="moved", now=NOW)
    plan = read(sqlite_database, lambda c: next_season.usual(c, now))
    assert plan.leavers == {who[1]}
    stays = read(sqlite_database, lambda c: next_season.propose(c, now, replace(plan, leavers=frozenset()), NOW))
    assert {move.player for move in stays.draft.moves if move.after is not None} == set(who)


def test_who_was_banned_and_has_not_accepted_a_new_invitation_is_not_drafted(sqlite_database: Database) -> None:
    who = people(sqlite_database, 8)
    now = league(sqlite_database, who)
    here = (col(Member.club_id) == now.club_id, col(Member.player_id) == who[1])
    for status in (MemberStatus.LEFT, MemberStatus.INVITED, MemberStatus.MEMBER):
        with sqlite_database.write() as session:
            session.execute(sa.update(Member).where(*here).values(status=status))
        plan = read(sqlite_database, lambda c: next_season.usual(c, now))
        assert (who[1] in plan.leavers) == (status != MemberStatus.MEMBER)


def test_the_marks_of_the_table_are_the_moves_of_the_next_season(sqlite_database: Database) -> None:
    """Club review, F1. Nobody is marked before the first result; then the last of the upper division is replaced by a
    reserve and the first of the lower one leaves: public table, mails and draft name the same people."""
    who = people(sqlite_database, 9)
    now = league(sqlite_database, who[:8])
    members.join_by_link(sqlite_database, now.club_id, who[8], 1, now=NOW)
    pressed.sign_up_as_reserve(sqlite_database, now.id, who[8], now=NOW)

    def moving() -> list[dict[int, str]]:
        def ask(session: Session) -> list[dict[int, str]]:
            moves = next_season.moves(session, now, NOW)
            lines = [line for one in standings_of(session, now) for line in shown(one, Voice(), moves=moves)["lines"]]
            draft = next_season.propose(session, now, next_season.usual(session, now), NOW).draft.moves
            return [
                {line["player"]: "up" if line["up"] else "down" for line in lines if line["up"] or line["down"]},
                {one.player_id: one.move for one in verdicts.of_event(session, now, NOW) if one.move},
                {one.player: one.kind for one in draft if one.kind in ("up", "down")},
            ]

        found: list[dict[int, str]] = read(sqlite_database, ask)
        return found

    assert moving()[0] == {}, "by lot alone nobody moves"
    last = read(sqlite_database, lambda c: next_season.final_order(c, now, NOW))[0][1][-1]
    call = reserves.call(sqlite_database, now.id, last, ActRequest(who[0], "silent", TOKEN), now=NOW)
    assert call is not None
    pressed.answer_call(sqlite_database, call.id, who[8], accepts=True, now=NOW)
    for division in now.divisions:
        for _ in range(3):
            play_round(sqlite_database, division.id, who[0])
    first = read(sqlite_database, lambda c: standings_of(c, now))[1]
    best = first.players[first.places[0].entrant]
    leaving.withdraw(sqlite_database, now.id, best, who[0], reason="moved", now=NOW)
    public, mails, draft = moving()
    assert public == mails == draft and public


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Any:
    """An event that runs, and three members of its club who do not play in it."""
    database = Database(f"sqlite:///{shutil.copy(sqlite_template, tmp_path_factory.mktemp('seasons'))}")
    who = people(database, 11)
    now = league(database, who[:8])
    version = read(database, lambda c: club_rights.get(c, now.club_id).join_version)
    for player in who[8:]:
        members.join_by_link(database, now.club_id, player, version, now=NOW)
    yield database, now, who
    database.close()


@given(data=st.data())
def test_people_are_conserved_by_every_plan(played: Any, data: st.DataObject) -> None:
    database, now, who = played
    usual = read(database, lambda c: next_season.usual(c, now))
    leavers = data.draw(st.frozensets(st.sampled_from(who[:8]), max_size=5))
    joiners = data.draw(st.lists(st.sampled_from(who[8:]), unique=True).map(tuple))
    stay = sorted({*who[:8], *joiners} - leavers)
    placed = data.draw(st.dictionaries(st.sampled_from(stay), st.integers(1, 3), max_size=4))
    numbers = replace(usual.numbers, placed=placed)
    plan = replace(usual, leavers=leavers, joiners=joiners, numbers=numbers)
    draft = read(database, lambda c: next_season.propose(c, now, plan, NOW)).draft
    assert sorted(player for part in draft.divisions for player in part.members) == stay
    assert sorted(move.player for move in draft.moves) == sorted({*who[:8], *joiners}), "one reason for everybody"
    assert all(next(m.after for m in draft.moves if m.player == player) == level for player, level in placed.items()
               if level <= len(draft.divisions))  # fmt: skip


@pytest.mark.parametrize(
    ("name", "after"),
    [("2026", "2027"), ("Season 9", "Season 10"), ("S09", "S10"), ("2026/II", "2027/II"), ("Old", "")],
)
def test_the_name_of_the_next_season(name: str, after: str) -> None:
    assert next_season.next_name(name) == after


# -- when the draft is final ----------------------------------------------------------------------------


def test_who_is_in_the_draft_is_told_when_it_is_opened_once(database: Database) -> None:
    who = people(database, 8)
    now = league(database, who)
    play(database, now, who[0])
    pressed.finish(database, now.id, who[0], now=NOW)
    plan = read(database, lambda c: next_season.usual(c, now))
    made = pressed.make_next(
        database, now.id, who[0], plan, next_season.SeasonNames("Cup", "Spring 2027"), token=TOKEN, now=NOW
    )
    deliver(database, NOW)
    assert told_of(database, made) == [], "a draft is nobody's business"
    gone = names(database, made)[1][1][0]
    leaving.withdraw(database, made, gone, who[0], reason="does not want to", now=NOW)
    with database.write() as session:
        session.execute(sa.text("UPDATE player SET mail_news = :no"), {"no": False})
        session.commit()
    for _ in range(2):
        pressed.open_sign_up(database, made, who[0], now=NOW)
    deliver(database, NOW)
    mails = told_of(database, made)
    assert len(mails) == 7 and len({mail.to for mail in mails}) == 7
    plays_in = {f"p{who.index(player)}@example.org": name for name, group in names(database, made) for player in group}
    for mail in mails:
        assert f"Division: {plays_in[mail.to]}" in mail.words and "Season: Spring 2027" in mail.words


def test_an_event_that_starts_as_a_draft_tells_too(sqlite_database: Database) -> None:
    who = people(sqlite_database, 3)
    made = planned(sqlite_database, club(sqlite_database, who[0]), who[0])
    started(sqlite_database, made, who[0], who)
    deliver(sqlite_database, NOW)
    assert sorted(mail.to for mail in told_of(sqlite_database, made)) == [f"p{n}@example.org" for n in range(3)]


def test_members_who_want_news_hear_once_that_sign_up_is_open(sqlite_database: Database) -> None:
    who = people(sqlite_database, 6)  # the owner, a member, in already, without news, in since then, and a stranger
    club_id = club(sqlite_database, *who[:5])
    with sqlite_database.write() as session:
        session.execute(sa.text("UPDATE player SET mail_news = :no WHERE id = :id"), {"no": False, "id": who[3]})
        session.commit()
    until = NOW + timedelta(days=9)
    made = planned(sqlite_database, club_id, who[0], sign_up_until=until)
    pressed.sign_up(sqlite_database, made, who[2], by_id=who[0], now=NOW)
    for _ in range(2):
        pressed.open_sign_up(sqlite_database, made, who[0], now=NOW)
    pressed.sign_up(sqlite_database, made, who[4], by_id=who[0], now=NOW)
    deliver(sqlite_database, NOW)
    (mail,) = kept(sqlite_database, "sign_up_open")
    assert (mail.to, mail.subject) == ("p1@example.org", "Do you play in Cup?")
    assert "p1, do you play in Cup, where Vendée plays" in mail.words and "/asked/sign_up_open/" in mail.text
    assert "Sign-up until" in mail.words and "List-Unsubscribe" in mail.headers


def told_of(database: Database, event_id: int) -> list[Kept]:
    return [mail for mail in kept(database, "event_entered") if re.search(rf"/events/{event_id}\b", mail.text)]
