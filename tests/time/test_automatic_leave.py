"""Days of leave taken automatically: for one game alone, three in a row at most, until a sign of life."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted
from app.clocks.leave import IN_A_ROW, a_year
from app.clocks.pace import Pace
from app.games.tables import Game
from app.overdue.cases import sweep_cases
from app.people import life
from app.people.tables import Player
from app.time import pending
from app.time.away import automatic, leave
from app.time.tables import ClockNote, Leave
from tests.support.inbound import way_in
from tests.support.mails import kept
from tests.support.people import BOTH, Browser, Enter
from tests.support.replies import Correspondence
from tests.support.tables import LINKS, NOW, deliver, link_to, load, say, start, write

HOUR, DAY, MINUTE = timedelta(hours=1), timedelta(days=1), timedelta(minutes=1)
ALICE, BOB = 1, 2


def begin(database: Database, *paces: Pace | timedelta) -> list[int]:
    """Start games of Alice and Bob that wait for Alice; their clocks run from NOW."""
    games = [start(database, pace=pace) for pace in paces]
    deliver(database, NOW)
    return games


def due(database: Database, game_id: int) -> datetime:
    """Return the deadline, computed from the rows; the stored one is the same."""
    with database.read() as session:
        decision = pending.owed(session, game_id)
        assert decision is not None
        found = pending.times(session, decision, NOW).deadline
        assert found == decision.deadline_at
    return found


def sweep(database: Database, until: datetime, allowance: int = 30) -> None:
    """Run the sweep at each planned moment."""
    while True:
        with database.read() as session:
            planned = session.scalar(sa.select(sa.func.min(Game.check_at)))
        if planned is None or planned > until:
            return
        sweep_cases(database, planned, allowance=allowance)


def notes(database: Database, game_id: int) -> list[tuple[str, datetime]]:
    with database.read() as session:
        asked = sa.select(ClockNote.kind, ClockNote.at).where(ClockNote.game_id == game_id)  # type: ignore[arg-type]
        return [(row.kind, row.at) for row in session.execute(asked.order_by(ClockNote.id))]


def mails(database: Database, until: datetime, *kinds: str) -> list[tuple[str, str, datetime]]:
    """Kind, reader and moment of those that have been planned and, by then, written."""
    deliver(database, until)
    with database.read() as session:
        asked = sa.select(OutboxMail).where(OutboxMail.kind.in_(kinds), OutboxMail.state == "kept")  # type: ignore[attr-defined, arg-type]
        found = session.scalars(asked.order_by(OutboxMail.made_at, OutboxMail.id))  # type: ignore[arg-type]
        return [(one.kind, one.address.partition("@")[0], one.made_at) for one in found]


def signs_at(database: Database, at: datetime, player: int = ALICE) -> None:
    with database.write() as session:
        life.note(session, player, at)
        session.commit()


def test_three_days_in_a_row_are_taken_and_then_the_deadline_counts(database: Database) -> None:
    """A day at a time: 22, 23 and 24 November are taken, and from the 25th, 20:00 on Alice is out of time."""
    [game] = begin(database, DAY)
    sweep(database, NOW + 4 * DAY - MINUTE)
    assert due(database, game) == NOW + 4 * DAY
    assert notes(database, game) == [("leave", NOW + n * DAY) for n in (1, 2, 3)]
    sweep(database, NOW + 4 * DAY)
    assert notes(database, game)[3:] == [("warned", NOW + 4 * DAY)]
    assert mails(database, NOW + 5 * DAY, "auto_leave", "leave") == [
        ("auto_leave", "alice", NOW + DAY), ("leave", "bob", NOW + DAY), ("auto_leave", "alice", NOW + 3 * DAY),
    ]  # fmt: skip
    first, last = kept(database, "auto_leave")
    assert "29 days are left this year" in first.words and "At most three days in a row" in first.words
    assert "27 days are left this year" in last.words and "No further day is taken by itself" in last.words
    [other] = kept(database, "leave")
    assert f"alice was out of time in game {game}" in other.words and f"/games/{game}" in other.text


def test_a_sign_of_life_of_any_kind_starts_the_count_again(sqlite_database: Database) -> None:
    [game] = begin(sqlite_database, DAY)
    sweep(sqlite_database, NOW + 3 * DAY)
    signs_at(sqlite_database, NOW + 3 * DAY + HOUR)
    sweep(sqlite_database, NOW + 7 * DAY)
    assert [at for kind, at in notes(sqlite_database, game) if kind == "leave"] == [NOW + n * DAY for n in range(1, 7)]
    assert notes(sqlite_database, game)[-1] == ("warned", NOW + 7 * DAY)
    told = mails(sqlite_database, NOW + 8 * DAY, "auto_leave", "leave")
    assert [at for kind, _, at in told if kind == "auto_leave"] == [NOW + n * DAY for n in (1, 3, 4, 6)]
    assert [who for kind, who, _ in told if kind == "leave"] == ["bob"], "the others are told once in a week"


def test_a_move_in_another_game_is_a_sign_of_life(sqlite_database: Database) -> None:
    slow, other = begin(sqlite_database, DAY, 9 * DAY)
    sweep(sqlite_database, NOW + 3 * DAY)
    say(sqlite_database, other, "rob blue", NOW + 3 * DAY + HOUR)
    sweep(sqlite_database, NOW + 4 * DAY)
    assert due(sqlite_database, slow) == NOW + 5 * DAY


def test_the_last_day_of_the_year_is_told_and_a_date_counts_once_for_all_games(sqlite_database: Database) -> None:
    """Two games take the 22nd and the 23rd, each on its own: two days of the allowance, not four."""
    first, second = begin(sqlite_database, DAY, DAY + HOUR)
    sweep(sqlite_database, NOW + 3 * DAY + HOUR, allowance=2)
    assert (due(sqlite_database, first), due(sqlite_database, second)) == (NOW + 3 * DAY, NOW + 3 * DAY + HOUR)
    with sqlite_database.read() as session:
        mine = leave.of_player(session, ALICE)
    assert [one.game_id for one in mine] == [first, second] * 2 and sum(a_year(one.away for one in mine).values()) == 2
    told = [one for one in mails(sqlite_database, NOW + 4 * DAY, "auto_leave") if one[2] >= NOW + 2 * DAY]
    assert [at for *_, at in told] == [NOW + 2 * DAY, NOW + 2 * DAY + HOUR], "the last of the year"


def test_days_of_earlier_versions_stop_all_clocks_as_they_did(database: Database) -> None:
    """They have no game; none of the three is one of them, since nobody was told then."""
    first, second = begin(database, DAY, 5 * DAY)
    zone_day = NOW.replace(hour=0) + DAY
    with database.write() as session:
        for n in range(20):
            old = {"kind": "automatic", "zone": "UTC", "days": 1, "made_at": NOW + (n + 1) * DAY}
            old |= {"from_at": zone_day + n * DAY, "to_at": zone_day + (n + 1) * DAY}
            session.execute(sa.insert(Leave).values(player_id=ALICE, **old))
        pending.refresh_player(session, ALICE, NOW)
        session.commit()
    assert (due(database, first), due(database, second)) == (NOW + 21 * DAY, NOW + 25 * DAY)
    sweep(database, NOW + 24 * DAY)
    assert due(database, first) == NOW + 24 * DAY and notes(database, first)[-1] == ("warned", NOW + 24 * DAY)
    assert due(database, second) == NOW + 25 * DAY


def test_own_leave_goes_on_in_all_games_beside_a_day_of_one(sqlite_database: Database) -> None:
    """A day taken automatically in one game neither prevents leave that is started now, nor costs it twice."""
    quick, slow = begin(sqlite_database, DAY, 5 * DAY)
    sweep(sqlite_database, NOW + DAY)
    now = NOW + DAY + HOUR
    leave.start_now(sqlite_database, ALICE, 2, now=now, allowance=2)
    with sqlite_database.read() as session:
        assert sum(a_year(one.away for one in leave.of_player(session, ALICE)).values()) == 2
        seen = leave.overview(session, ALICE, "UTC", now, 2)
        assert seen.now is not None and seen.now.kind == "now" and [one.game_id for one in seen.past] == [quick]
    until = NOW.replace(hour=0) + 3 * DAY
    assert due(sqlite_database, slow) == NOW + 5 * DAY + (until - now)
    assert due(sqlite_database, quick) == until + 20 * HOUR
    assert [who for kind, who, at in mails(sqlite_database, now, "leave") if at == now] == ["bob"]


# -- property -----------------------------------------------------------------------------------------

acts = st.one_of(
    st.tuples(st.just("wait"), st.integers(1, 60)),
    st.tuples(st.just("sign"), st.just(0)),
    st.tuples(st.just("leave"), st.integers(1, 3)),
)
paces = st.builds(
    Pace,
    decision=st.integers(6, 100).map(lambda hours: hours * 3600),
    leave_days=st.sampled_from((0, 2, 30)),
    auto_leave=st.booleans(),
    hour=st.sampled_from((None, "20:00")),
    days_off=st.sampled_from(((), ("sat", "sun"))),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(paces, min_size=2, max_size=3), st.lists(acts, max_size=12))
def test_leave_of_one_game_moves_the_deadline_of_no_other(
    sqlite_database: Database, given_paces: list[Pace], asked: list[tuple[str, int]]
) -> None:
    """Whatever is taken automatically, at any paces: only what the player takes moves the others, the allowance holds,
    and the end foreseen is correct.
    """
    write(
        sqlite_database,
        sa.delete(Leave),
        sa.update(Player).values(acted_at=None),
        sa.update(Game).values(check_at=None),
    )
    games = begin(sqlite_database, *given_paces)
    now, allowance = NOW, 8
    for what, n in asked:
        if what == "sign":
            signs_at(sqlite_database, now)
        elif what == "leave":
            with suppress(NotAccepted):
                leave.start_now(sqlite_database, ALICE, n, now=now, allowance=allowance)
        until = now + (n * HOUR if what == "wait" else MINUTE)
        foreseen = _foreseen(sqlite_database, games, allowance)
        while (planned := _next(sqlite_database, games, until)) is not None:
            before = {one: due(sqlite_database, one) for one in games}
            sweep_cases(sqlite_database, planned, allowance=allowance)
            moved = {one for one in games if due(sqlite_database, one) != before[one]}
            assert moved <= {one for one in games if before[one] <= planned}
        now = until
        for one in games:
            assert due(sqlite_database, one) <= foreseen[one], "never later than foreseen while nothing is done"
        with sqlite_database.read() as session:
            mine = leave.of_player(session, ALICE)
        assert max(a_year(one.away for one in mine).values(), default=0) <= allowance
        for game, pace in zip(games, given_paces, strict=True):
            days = [one for one in mine if one.game_id == game]
            assert len(days) <= IN_A_ROW * (1 + sum(kind == "sign" for kind, _ in asked))
            assert not days or (pace.auto_leave and pace.leave_days)


def _next(database: Database, games: list[int], until: datetime) -> datetime | None:
    with database.read() as session:
        asked = sa.select(sa.func.min(Game.check_at)).where(Game.id.in_(games), Game.check_at <= until)  # type: ignore[attr-defined, operator]
        found: datetime | None = session.scalar(asked)
    return found


def _foreseen(database: Database, games: list[int], allowance: int) -> dict[int, datetime]:
    with database.read() as session:
        owed = pending.owed_by_game(session, games)
        there = automatic.silences(session, owed.values(), allowance=allowance)
        return {game: one.end.due for game, one in there.items()}


# -- signs of life ------------------------------------------------------------------------------------


def acted_at(server: Server, player: int = ALICE) -> datetime | None:
    with server.database.read() as session:
        found: datetime | None = session.scalar(sa.select(Player.acted_at).where(Player.id == player))  # type: ignore[arg-type]
    return found


def forget(server: Server) -> None:
    write(server.database, sa.update(Player).values(acted_at=None))
    life.NOTED.clear()


@BOTH
def test_what_is_sent_on_a_page_is_a_sign_and_looking_is_none(server: Server, enter: Enter, stranger: Browser) -> None:
    game_id = start(server.database, now=datetime.now(UTC))
    alice = enter("alice")
    assert acted_at(server) is not None, "signing in is one"
    forget(server)
    alice.get("/account/time")
    assert acted_at(server) is None
    alice.post("/account/time/automatic", auto_leave="yes")
    assert acted_at(server) is not None
    forget(server)
    path = f"/t/{LINKS.turn(link_to(load(server.database, game_id))).rpartition('/')[2]}"
    stranger.get(path)
    assert acted_at(server) is None
    stranger.post(path, 422, do="send", orders="fly away", decision="1", draft="")
    assert acted_at(server) is not None, "by the link of a turn, and though it was refused"


def test_an_answer_by_mail_is_a_sign_whatever_it_says(database: Database) -> None:
    start(database)
    with way_in(database) as way:
        post = Correspondence(way)
        assert post.says("alice", "Sorry, I am still thinking.") == "reply"
    with database.read() as session:
        assert session.scalar(sa.select(Player.acted_at).where(Player.id == ALICE)) == post.now  # type: ignore[arg-type]
