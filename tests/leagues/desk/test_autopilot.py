"""An event that runs itself: it starts, pairs, publishes, closes and ends; it asks if something is unusual."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from sqlmodel import col

from app.base.server import Server
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted, NotAllowed
from app.leagues.changes import leaving
from app.leagues.desk import autopilot
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.pure.term_kinds import WrongTerm
from app.leagues.rulings import deciding
from app.leagues.tables import Audit, CompetitionRound, Ruling
from app.play.agreed import results
from bench.trials import falling_silent
from tests.support import pressed
from tests.support.club_pages import FORM, club_of, prepared
from tests.support.club_pages import now as today
from tests.support.databases import ON_SQLITE
from tests.support.events import club, people, planned, read, resign_all
from tests.support.events import event as event_of
from tests.support.mails import kept
from tests.support.people import Enter
from tests.support.season import DAY, HOUR, season
from tests.support.tables import NOW, deliver


def shown(database: Database, event_id: int) -> list[tuple[str, int, bool]]:
    found = read(database, lambda session: autopilot.next_acts(session, lifecycle.get(session, event_id)))
    return [(act.kind, act.number, act.asks) for act in found]


def acts_of(database: Database) -> list[str]:
    """Return the server's acts in the trail, the first first."""
    with database.read() as session:
        asked = sa.select(col(Audit.act)).where(col(Audit.by_id).is_(None)).order_by(col(Audit.id))
        return list(session.scalars(asked))


def rounds_of(database: Database, event_id: int) -> list[CompetitionRound]:
    [division] = read(database, lambda session: lifecycle.get(session, event_id)).divisions
    found: list[CompetitionRound] = read(
        database, lambda session: round_rows.rounds_of(session, division.id, drafts=True)
    )
    return found


def test_a_season_with_somebody_silent_needs_one_act_and_one_without_trouble_none(sqlite_database: Database) -> None:
    found = falling_silent.run(sqlite_database, 6, 2, 1)
    assert (found.rounds, sorted(found.acts.values()), found.others) == (2, [1], 0)
    assert found.longest <= falling_silent.ROUND_DAYS * DAY
    with sqlite_database.read() as session:
        rulings = session.scalars(sa.select(Ruling.status)).all()  # type: ignore[call-overload]
    assert set(rulings) == {"withdrawn"}, "leaving closes what the end of the round has asked for"


def test_an_event_starts_pairs_publishes_and_ends_by_itself(database: Database) -> None:
    """Each act once, even if two workers look at the same time; nothing before its hour, nothing while it is paused."""
    boss, *players = people(database, 4)
    times = {"sign_up_from": NOW + HOUR, "sign_up_until": NOW + 7 * DAY}
    event = planned(database, club(database, boss), boss, **times, members_only=False, autopilot=24)
    assert autopilot.sweep(database, NOW) == 0 and shown(database, event) == [("open", 0, False)]
    assert autopilot.sweep(database, NOW + HOUR) == 1 and autopilot.sweep(database, NOW + 4 * DAY - HOUR) == 0
    assert shown(database, event) == [("remind", 0, False), ("close_sign_up", 0, False), ("start", 0, False)]
    assert autopilot.sweep(database, NOW + 4 * DAY) == 1 and autopilot.sweep(database, NOW + 7 * DAY - HOUR) == 0
    assert shown(database, event) == [("close_sign_up", 0, False), ("start", 0, False)]
    assert autopilot.sweep(database, NOW + 7 * DAY) == 2, "sign-up is closed; nobody has come: the organisers are asked"
    assert autopilot.sweep(database, NOW + 7 * DAY) == 0
    deliver(database, NOW + 7 * DAY)
    told, again = kept(database, "sign_up_open")
    assert told.to == again.to == "p0@example.org", "the server has opened it, so its organiser hears of it, too"
    expected = ["event.sign_up", "event.reminded", "autopilot.sign_up_closed", "autopilot.asks"]
    assert acts_of(database)[:4] == expected
    [mail] = kept(database, "event_asks")
    assert mail.subject == "Cup waits for you" and "the server cannot start it" in mail.words
    for player in players:
        pressed.sign_up(database, event, player, by_id=boss, now=NOW + 7 * DAY)
    now = NOW + 8 * DAY
    assert pressed.pause(database, event, boss, paused=True, now=now)
    assert autopilot.sweep(database, now) == 0
    with pytest.raises(NotAllowed):
        pressed.pause(database, event, players[0], paused=False, now=now)
    assert pressed.pause(database, event, boss, paused=False, now=now)
    assert not pressed.pause(database, event, boss, paused=False, now=now)
    assert autopilot.sweep(database, now) == 2 and shown(database, event) == [("publish", 1, False)]
    for number in (1, 2, 3):
        assert autopilot.sweep(database, now + DAY - HOUR) == 0
        now += DAY
        assert autopilot.sweep(database, now) == 1
        [running] = [one for one in rounds_of(database, event) if one.status == "published"]
        assert running.number == number
        resign_all(database, running)
        assert autopilot.sweep(database, now) == (2 if number < 3 else 1)
    assert shown(database, event) == [("finish", 0, False)]
    assert autopilot.sweep(database, now + DAY) == 1 and autopilot.sweep(database, now + DAY) == 0
    assert read(database, lambda session: lifecycle.get(session, event)).status == "over"


@pytest.mark.parametrize(
    ("format", "players", "terms", "said"),
    [
        ("swiss", 4, {"rounds": 4}, "4 take part, too few to meet somebody new in each of 4 rounds."),
        ("round_robin", 6, {}, "the divisions are uneven: one has 4 players, another 2."),
    ],
)
def test_an_event_whose_players_are_unusual_is_started_by_hand(
    sqlite_database: Database, format: str, players: int, terms: dict[str, int], said: str
) -> None:
    database = sqlite_database
    boss, *others = people(database, players)
    divisions = [{"name": "A"}, {"name": "B"}] if not terms else []
    event = planned(
        database,
        club(database, boss),
        boss,
        format,
        divisions=divisions,
        sign_up_from=NOW + HOUR,
        sign_up_until=NOW + DAY,
        members_only=False,
        autopilot=0,
        **terms,
    )
    autopilot.sweep(database, NOW + HOUR)
    for player in (boss, *others):
        pressed.sign_up(database, event, player, by_id=boss, now=NOW + HOUR)
    if divisions:
        first, second = (one.id for one in read(database, lambda session: lifecycle.get(session, event)).divisions)
        there = read(database, lambda session: entries.entrants(session, event))
        into = {one.id: first if at < 4 else second for at, one in enumerate(there)}
        pressed.put_into_divisions(database, event, boss, into, now=NOW + HOUR)
    assert autopilot.sweep(database, NOW + DAY) == 2 and shown(database, event) == [("start", 0, True)]
    deliver(database, NOW + DAY)
    [mail] = kept(database, "event_asks")
    assert f"something is unusual: {said} Start it yourself" in mail.words
    pressed.start(database, event, boss, now=NOW + DAY)
    assert autopilot.sweep(database, NOW + DAY) > 0, "from there it goes on by itself"


def test_the_hours_of_sign_up_stand_on_the_form_and_in_the_week(server: Server, enter: Enter) -> None:
    """In the zone of the club, which the form names; without an autopilot nothing opens automatically."""
    alice = club_of(enter)
    alice.get("/clubs/vendee/events/new?title=acres")
    year = today().year + 1
    dates = {"sign_up_from": f"{year}-03-02T20:00", "sign_up_until": f"{year}-03-05T20:00"}
    page = alice.post("/clubs/vendee/events/new", 422, **FORM | dates)
    assert "Sign-up opens by itself in an event with an autopilot only" in page
    late = FORM | {"autopilot": "24", **dates, "sign_up_until": dates["sign_up_from"]}
    assert "should close later than it opens" in alice.post("/clubs/vendee/events/new", 422, **late)
    event = prepared(alice, autopilot="24", **dates)
    now = read(server.database, lambda session: lifecycle.get(session, event))
    assert now.sign_up_from == datetime(year, 3, 2, 19, tzinfo=UTC), "Europe/Paris"
    page = alice.get(f"/events/{event}/manage")
    assert "Sign-up opens. on" in text_of(page) and "Pause the autopilot" in page
    page = alice.get(f"/events/{event}/terms")
    assert "Europe/Paris" in page and f'value="{year}-03-02T20:00"' in page and f'value="{year}-03-05T20:00"' in page
    assert "Saved." in alice.post(f"/events/{event}/terms", **FORM | {"autopilot": "24", "limit": "9", **dates})
    assert "Sign-up opens. on" in text_of(alice.get("/clubs/vendee/week"))
    alice.get(f"/events/{event}/manage")
    alice.post(f"/events/{event}/open")
    opened = text_of(alice.get(f"/events/{event}/manage"))
    assert "Sign-up closes. on" in opened and "The event starts. on" in opened


def play_on(database: Database, event_id: int) -> list[str]:
    """End everybody's games until the event waits for nothing else; return the names of its rounds."""
    for _ in range(20):
        autopilot.sweep(database, NOW)
        with database.read() as session:
            event = lifecycle.get(session, event_id)
            there = [one for part in event.divisions for one in round_rows.rounds_of(session, part.id, drafts=True)]
        for one in there:
            resign_all(database, one)
        if event.status != "running":
            break
    names = {part.id: part.name for part in event.divisions}
    return [f"{names[one.division_id]} {one.number} {one.status}" for one in there]


@ON_SQLITE
def test_finals_begin_when_the_groups_are_over_and_the_next_season_is_drafted(database: Database) -> None:
    """Deciding games start, too; none of it needs an act, and the next season continues like this one."""
    boss, *_ = who = people(database, 8)
    now = event_of(database, who, "stages", groups=2, autopilot=0, next_season=14, drawn=["extra", "seed"])
    done = play_on(database, now.id)
    assert done == [
        "Cup 1 closed", "Cup 2 closed", *(f"Group {group} {n} closed" for group in "AB" for n in (1, 2, 3)),
    ]  # fmt: skip
    with database.read() as session:
        [after] = [one for one in lifecycle.unfinished_of(session, now.club_id)]
        assert lifecycle.get(session, now.id).status == "over"
        assert len(entries.entrants(session, after.id)) == 8
    assert (after.name, after.status, after.terms) == ("Cup 2", "draft", now.terms)
    assert (after.sign_up_from, after.sign_up_until) == (NOW, NOW + 14 * DAY)
    autopilot.sweep(database, NOW)
    assert shown(database, after.id) == [("close_sign_up", 0, False), ("start", 0, False)]
    assert acts_of(database)[-1] == "event.sign_up"
    autopilot.sweep(database, NOW + 14 * DAY)
    assert read(database, lambda session: lifecycle.get(session, after.id)).status == "running"
    with pytest.raises(WrongTerm):
        planned(database, now.club_id, boss, "knockout", name="X", next_season=3)


def test_a_drawn_match_gets_its_deciding_game_by_itself(sqlite_database: Database) -> None:
    who = people(sqlite_database, 2)
    now = event_of(sqlite_database, who, "knockout", legs=2, drawn=["extra", "seed"], autopilot=0)
    autopilot.sweep(sqlite_database, NOW)
    [first] = rounds_of(sqlite_database, now.id)
    for match in first.matches:
        results.resign(sqlite_database, match.game_id or 0, match.seats[1].player_id, now=NOW)
    assert shown(sqlite_database, now.id) == [("extra", 1, False)]
    assert autopilot.sweep(sqlite_database, NOW) == 1 and shown(sqlite_database, now.id) == []
    [first] = rounds_of(sqlite_database, now.id)
    assert [match.leg for match in first.open_matches] == [3] and acts_of(sqlite_database)[-1] == "round.extra"
    assert play_on(sqlite_database, now.id) == ["Cup 1 closed"]


def test_finals_that_cannot_begin_wait_for_the_organisers(sqlite_database: Database) -> None:
    who = people(sqlite_database, 6)
    now = event_of(sqlite_database, who, "stages", groups=2, through=3, autopilot=0)
    autopilot.sweep(sqlite_database, NOW)
    leaving.withdraw(sqlite_database, now.id, who[-1], who[-1], reason="gone", now=NOW)
    assert not any("Cup" in one for one in play_on(sqlite_database, now.id))
    assert shown(sqlite_database, now.id) == [("pair", 1, True)]
    deliver(sqlite_database, NOW)
    [mail] = kept(sqlite_database, "event_asks")
    assert "the finals cannot begin: Too many have left a group; nobody is there to go through." in mail.words


def test_what_is_unusual_waits_for_the_organisers_who_are_asked_once(sqlite_database: Database) -> None:
    made = season(sqlite_database, 2, rounds=2, autopilot=0)
    database, event = made.database, made.event
    resign_all(database, made.round())
    assert autopilot.sweep(database, NOW) == 3, "closed, paired, asked"
    assert shown(database, event) == [("publish", 2, True)], "the two meet again"
    assert autopilot.sweep(database, NOW + DAY) == 0
    deliver(database, NOW + DAY)
    [mail] = kept(database, "event_asks")
    draft = rounds_of(database, event)[-1]
    assert autopilot.publishes(made.now(), draft) is None
    assert mail.to == "p0@example.org" and f"/events/{event}/{draft.place}" in mail.text
    assert mail.subject == "Cup waits for you: round 2" and "something in it is unusual" in mail.words
    pressed.publish(database, draft.id, made.organiser, draft.version, now=NOW + DAY)
    resign_all(database, rounds_of(database, event)[-1])
    assert autopilot.sweep(database, NOW + DAY) == 2 and made.now().status == "over"


def test_the_page_says_what_comes_next_and_pauses_it(server: Server, enter: Enter) -> None:
    """Club review, F14: while a ruling waits for the organisers, it does not wait for the players."""
    made = season(server.database, 4, rounds=2, autopilot=48)
    boss, path = enter("p0"), f"/events/{made.event}/manage"
    assert "It waits for the players." in text_of(boss.get(path))
    deciding.claim(server.database, made.event, made.match(0).id, made.owes(0), "He cheats.", now=NOW)
    for page in (boss.get(path), boss.get("/clubs/vendee/week")):
        assert "It waits for the players." not in page and "1 game needs somebody" in text_of(page)
    resign_all(server.database, made.round())
    assert "Round 1 is closed. within a minute" in text_of(boss.get(path))
    autopilot.sweep(server.database, NOW)
    page = text_of(boss.get(path))
    assert "Round 2 is published. on Mon" in page and "Pause the autopilot" in page
    assert "Autopilot Round 2 is published. on Mon" in text_of(boss.get("/clubs/vendee/week"))
    draft = text_of(boss.get(f"/events/{made.event}/{rounds_of(server.database, made.event)[-1].place}"))
    assert "The autopilot publishes it on Mon" in draft
    assert "It is paused" in text_of(boss.post(f"/events/{made.event}/autopilot", paused="1"))
    assert "Autopilot: It is paused" in text_of(boss.get("/clubs/vendee/week"))
    assert made.now().paused_at is not None
    assert "It is paused" not in text_of(boss.post(f"/events/{made.event}/autopilot", paused=""))
    with pytest.raises(NotAccepted, match=r"event\.autopilot"):
        planned(server.database, made.club, made.organiser, "ladder", name="Ladder", autopilot=1)


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())
