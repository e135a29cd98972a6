"""All rounds of a round robin at once: one press, one mail per player, all games, clocks and ends of their own."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted, NotAllowed
from app.base.words.speech import Voice
from app.leagues.changes import leaving
from app.leagues.desk import autopilot
from app.leagues.events import round_rows
from app.leagues.rounds import all_rounds, length
from app.leagues.tables import Audit, Club, Competition, CompetitionRound
from tests.support import pressed
from tests.support.club_pages import club_of, joined, running
from tests.support.events import event, paired, people, read, resign_all
from tests.support.mails import kept
from tests.support.people import Enter, PostOffice, everything
from tests.support.season import DAY, HOUR
from tests.support.tables import NOW, deliver, write


def foreseen(database: Database, now: Competition) -> tuple[int, datetime | None]:
    return read(database, lambda session: all_rounds.foresee(session, now, NOW))  # type: ignore[no-any-return]


def there(database: Database, now: Competition) -> list[CompetitionRound]:
    return list(read(database, lambda session: round_rows.rounds_of(session, now.divisions[0].id, drafts=True)))


def test_all_rounds_begin_at_once_with_one_mail_a_player_as_was_foreseen(database: Database) -> None:
    who = people(database, 3)
    now = event(database, who, "round_robin", legs=2, round_days=7, autopilot=24)
    paired(database, now, who[0])  # the draft of the autopilot is replaced
    ahead, division = foreseen(database, now), now.id
    assert ahead == (6, NOW + 7 * DAY), "F10: they have one round's days"
    with pytest.raises(NotAllowed):
        pressed.begin_all(database, division, who[1], now=NOW)
    with pytest.raises(NotAccepted, match=r"round\.until"):
        pressed.begin_all(database, division, who[0], until=NOW, now=NOW)
    assert [one.status for one in there(database, now)] == ["draft"]
    assert pressed.begin_all(database, division, who[0], now=NOW) == 6
    with pytest.raises(NotAccepted, match=r"round\.last"):
        pressed.begin_all(database, division, who[0], now=NOW)
    begun = there(database, now)
    assert {(one.status, one.due_at) for one in begun} == {("published", NOW + 7 * DAY)}
    games = {match.game_id for one in begun for match in one.matches if not match.is_bye}
    assert len(games) == 6 and None not in games
    asked = sa.select(OutboxMail.kind, sa.func.count()).group_by(OutboxMail.kind)  # type: ignore[call-overload, arg-type]
    planned = dict(read(database, lambda session: session.execute(asked).all()))
    assert planned["event_round"] == 3
    assert planned["turn"] == 6
    acts = Counter(read(database, lambda session: session.scalars(sa.select(Audit.act)).all()))  # type: ignore[call-overload]
    assert acts["round.published"] == 6
    deliver(database, NOW)
    for mail in kept(database, "event_round"):
        assert mail.subject == "Cup: your 4 games have begun" and mail.text.count(" · game ") == 4
        assert (
            sum(f"/games/{game}\n" in mail.text for game in games) == 4 and "All games should be over by" in mail.text
        )
    for one in begun:
        resign_all(database, one)
    assert autopilot.sweep(database, NOW) == 6, "each round is closed, in whatever order they end, and none is paired"
    assert autopilot.sweep(database, NOW + DAY) == 1, "and the event ends"


def test_what_is_left_begins_at_once_and_whoever_leaves_leaves_all_of_it(sqlite_database: Database) -> None:
    database = sqlite_database
    who = people(database, 4)
    now = event(database, who, "round_robin", withdrawal="walkover")
    first = paired(database, now, who[0])
    pressed.publish(database, first.id, who[0], first.version, now=NOW)
    assert foreseen(database, now)[0] == 4
    assert pressed.begin_all(database, now.id, who[0], until=NOW + DAY, now=NOW) == 4
    assert [one.due_at for one in there(database, now)] == [None, NOW + DAY, NOW + DAY]
    leaving.withdraw(database, now.id, who[3], who[3], reason="", now=NOW)
    open_ones = [match for one in there(database, now) for match in one.open_matches]
    assert len(open_ones) == 3 and all(who[3] != seat.player_id for match in open_ones for seat in match.seats)


def test_only_a_round_robin_of_single_players_begins_all_its_rounds(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who, "swiss", rounds=3)
    with pytest.raises(NotAccepted, match=r"rounds\.format"):
        pressed.begin_all(sqlite_database, now.id, who[0], now=NOW)


def test_all_groups_begin_at_once_and_end_on_the_date_of_the_last(sqlite_database: Database) -> None:
    """F10: both groups in one act. Rounds that begin one by one end each on its own date, and after the days where that
    is over."""
    who, zone = people(sqlite_database, 6), ZoneInfo("Europe/Paris")
    dates = [f"{NOW.astimezone(zone) + n * DAY:%Y-%m-%d 20:00}" for n in (10, 20, 30)]
    now = event(sqlite_database, who, "stages", groups=2, through=1, round_days=5, round_dates=dates)
    write(sqlite_database, sa.update(Club).values(zone=zone.key))
    _final, one, other = now.divisions
    ends = [datetime.fromisoformat(at).replace(tzinfo=zone) for at in dates]
    late = NOW + 15 * DAY
    for at in (NOW, late):
        draft = pressed.pair(sqlite_database, other.id, who[0], now=at)
        pressed.publish(sqlite_database, draft, who[0], 1, now=at)
    assert foreseen(sqlite_database, now) == (4, ends[2])
    assert pressed.begin_all(sqlite_database, now.id, who[0], now=NOW) == 4

    def due(division: int) -> list[datetime | None]:
        return [row.due_at for row in read(sqlite_database, lambda session: round_rows.rounds_of(session, division))]

    assert due(one.id) == [ends[2]] * 3
    assert due(other.id) == [ends[0], ends[1], ends[2]]


def test_an_event_whose_rounds_begin_at_once_says_when_it_ends_and_begins_by_itself(sqlite_database: Database) -> None:
    """F10, 6.2, 6.3: at once is a term, which the autopilot keeps."""
    database = sqlite_database
    who = people(database, 4)
    now = event(database, who, "round_robin", at_once=True, round_days=30, autopilot=24)
    lasts = "3 rounds, all at once, from about {begins} to about {ends}."
    begins, ends = (Voice().date(at) for at in (NOW, NOW + 30 * DAY))
    said = read(database, lambda session: length.of_event(session, now, Voice()))
    assert said == lasts.format(begins=begins, ends=ends)
    assert autopilot.sweep(database, NOW + 23 * HOUR) == 0 and there(database, now) == []
    assert autopilot.sweep(database, NOW + DAY) == 1
    assert [one.due_at for one in there(database, now)] == [NOW + 31 * DAY] * 3
    said = read(database, lambda session: length.of_event(session, now, Voice()))
    assert said.endswith(f"to about {Voice().date(NOW + 31 * DAY)}."), "as its rounds end, not as was planned"


def test_how_long_it_takes_counts_who_is_expected(sqlite_database: Database) -> None:
    """Before the start by all who belong to the club or are invited, then by the largest division."""
    database = sqlite_database
    now = event(database, people(database, 14), "round_robin", round_days=30)
    with database.read() as session:
        assert length.expected(session, now.club_ids, now) == 14
        said = length.in_words(Voice(), now.format, now.terms, "UTC", NOW, 2, 24)
        assert "division of 12: 11 rounds, one after another, from about" in said
        assert "division of 12: 11 rounds, one after another." in length.in_words(
            Voice(), now.format, now.terms, "UTC", None, 2, 24
        )
        teams = replace(now.terms, boards=2)
        assert not length.in_words(Voice(), now.format, teams, "UTC", None, 2, 24), "players are no teams"


def test_the_page_counts_what_would_begin_and_one_press_does_it(server: Server, enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter, "bob", "carol", "dora")
    bob, carol, dora = (joined(post, enter, name) for name in ("bob", "carol", "dora"))
    number = running(alice, alice, bob, carol, dora, format="round_robin", rounds="", legs="1")
    path = f"/events/{number}/all-rounds"
    assert path in alice.get(f"/events/{number}/manage")
    bob.get(path, 403)
    before = everything(server)
    page = " ".join(alice.get(path).split())
    assert "6 games start. One mail names all games to each player." in page and everything(server) == before
    fields = {"club_zone": "Europe/Paris"}
    assert "is not a date with an hour" in alice.post(path, 422, until="soon", **fields)
    bob.get(f"/events/{number}")
    bob.post(path, 403, **fields)
    alice.get(path)
    assert "All its rounds have begun" in alice.post(path, **fields)
    assert "All 3 rounds of this event are paired." in alice.post(path, 422, **fields)
    assert path not in alice.get(f"/events/{number}/manage")
