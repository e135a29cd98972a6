"""The desk: ten games that hold a round up, each with its next step, and what the buttons do."""

from __future__ import annotations

from email import message_from_bytes, policy
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import MailState, OutboxMail
from app.base.words.refusals import NotAccepted, NotAllowed
from app.games.tables import GameSeat
from app.games.work import Work
from app.leagues.changes import leaving, reserves
from app.leagues.clubs.acting import ActRequest
from app.leagues.desk import desk_acts, desk_undoing
from app.leagues.rulings import deciding
from app.leagues.rulings.applying import Verdict
from app.leagues.tables import Audit, Entrant, Member
from app.overdue import late_seat
from app.post.inbound import bounces
from app.post.inbound.reports import Report
from app.post.route.faults import Fault
from app.time import outages, pending
from app.time.away import leave
from app.time.tables import ClockNote, Outage
from tests.support import pressed, tables
from tests.support.at_once import at_once, codes_of
from tests.support.mails import kept
from tests.support.season import DAY, HOUR, LOOK, Season, end_unreported, ready, season, token
from tests.support.tables import NOW, deliver, hand, load, say, write


def withdraw(made: Season, player: int) -> None:
    """Withdraw a player whose game still runs."""
    with made.database.write() as session:
        gone = sa.update(Entrant).where(Entrant.event_id == made.event, Entrant.player_id == player)  # type: ignore[arg-type]
        session.execute(gone.values(status="withdrawn"))
        session.commit()


def refuse_mail(made: Season, number: int) -> None:
    """Let the mail host refuse the turn mail of a match permanently."""
    game = made.game(number)
    with made.database.write() as session:
        mail = sa.and_(OutboxMail.game_id == game.id, OutboxMail.kind == "turn")  # type: ignore[arg-type]
        session.execute(sa.update(OutboxMail).where(mail).values(state="failed", last_error="550 no such mailbox"))
        pending.mail_failed(session, game.id, game.number, NOW + HOUR)
        session.commit()


def test_ten_problem_games_stand_on_the_desk_with_the_right_next_step(database: Database) -> None:
    made = season(database, 22, reserves=1)
    bounced, unread, away, credited, flag, gone, claimed, asked, alone, over, fine = range(11)
    refuse_mail(made, bounced)
    made.start_clock(credited, NOW + HOUR)
    with database.write() as session:
        down = Outage(job="web", from_at=NOW + 2 * HOUR, to_at=NOW + 5 * HOUR, noted_at=NOW + 5 * HOUR)
        session.execute(
            sa.insert(Outage).values(
                **down.model_dump(exclude={"id"}),
            )
        )
        session.commit()
    outages.credit(database, NOW + 5 * HOUR)
    made.start_clock(unread, NOW - 3 * DAY)
    for number in (away, gone, claimed, asked, alone, over):
        made.start_clock(number, NOW + 6 * HOUR)
    made.start_clock(flag, NOW - 9 * DAY)
    made.start_clock(fine, LOOK - HOUR)
    first = (NOW + 4 * DAY).date()
    leave.plan(database, made.owes(away), first, first + DAY, now=NOW + 7 * HOUR, allowance=30)
    say(database, made.game(asked).id, "rob blue", NOW + 8 * HOUR)
    made.start_clock(asked, NOW + 9 * HOUR)
    one = made.match(claimed)
    deciding.claim(database, made.event, one.id, one.seats[1].player_id, "He looked at my cards.", now=NOW + DAY)
    withdraw(made, made.owes(alone))
    lost = made.problem(alone, NOW + DAY)
    call = reserves.call(
        database,
        made.event,
        lost.owes.entry_id if lost.owes else 0,
        ActRequest(made.organiser, "gone", token()),
        now=NOW + DAY,
    )
    assert call is not None
    pressed.answer_call(database, call.id, made.reserves[0], accepts=False, now=NOW + DAY)
    withdraw(made, made.owes(gone))
    end_unreported(made, over, NOW + DAY)

    found = {made.round().matches.index(made.match(n)): made.problem(n, LOOK) for n in range(11)}
    steps = {number: (one.finding, one.step) for number, one in found.items()}
    assert steps == {
        bounced: ("bounced", "again"), unread: ("unread", "nudge"), away: ("leave", "wait"),
        credited: ("credit", "wait"), flag: ("flag", "ruling"), gone: ("withdrawn", "reserve"),
        claimed: ("claim", "rule"), asked: ("question", "nudge"), alone: ("no_reserve", "ruling"),
        over: ("unreported", "report"), fine: ("running", "wait"),
    }  # fmt: skip
    assert found[bounced].mail is not None and found[bounced].mail.last_error == "550 no such mailbox"
    assert not found[bounced].started
    assert found[credited].credit == 3 * 3600
    assert found[flag].left is not None and found[flag].left < 0
    assert found[away].leave is not None and found[away].leave.from_at.date() == first
    answers = found[asked].owes
    assert found[asked].asked_by == "red" and answers is not None
    assert answers.player_id == made.game(asked).seated("blue").player_id
    assert found[gone].mover == found[gone].owes
    assert found[gone].reserves == 1 and found[alone].reserves == 0
    findings = [one.finding for one in made.desk(LOOK)]
    assert findings[0] == "unreported" and findings[-1] == "running", "the most urgent come first"


def test_the_desk_asks_no_statement_for_each_game(sqlite_database: Database) -> None:
    counts = []
    for players in (4, 12):
        if counts:
            write(sqlite_database, sa.text("UPDATE club SET slug = 'old', name = 'Old'"))
        made = season(sqlite_database, players)
        for number in range(players // 2):
            made.start_clock(number, NOW)
        seen: list[str] = []
        with sqlite_database.read() as session:
            event = made.now()

            @sa.event.listens_for(session.connection(), "before_cursor_execute")
            def note(_c: Any, _cursor: Any, statement: str, *_: Any, into: list[str] = seen) -> None:
                into.append(statement)

            from app.leagues.desk import trouble

            assert len(trouble.blocking(session, event, NOW + HOUR)) == players // 2
        counts.append(len(seen))
    assert counts[0] == counts[1]


# -- the buttons ----------------------------------------------------------------------------------------


def test_a_nudge_is_one_mail_with_its_reason(sqlite_database: Database) -> None:
    made = ready(sqlite_database)
    match, form = made.match(0).id, made.form(0, reason="the round ends on Friday")
    assert desk_acts.nudge(sqlite_database, made.event, match, form, now=LOOK)
    assert not desk_acts.nudge(sqlite_database, made.event, match, form, now=LOOK), "pressed twice"
    with pytest.raises(NotAccepted, match=r"nudge\.today"):
        desk_acts.nudge(sqlite_database, made.event, match, made.form(0), now=LOOK)
    deliver(sqlite_database, LOOK)
    (mail,) = kept(sqlite_database, "desk_act")
    assert "who runs Cup, asks you to make your move" in mail.words and "the round ends on Friday" in mail.words
    assert "/t/" in mail.words and "You have until" in mail.words
    assert made.problem(0, LOOK).step == "wait"
    late = made.game(0).deadline_at + DAY
    assert desk_acts.nudge(sqlite_database, made.event, match, made.form(0), now=late)
    deliver(sqlite_database, late)
    told = kept(sqlite_database, "desk_act")[-1].words
    assert "Your time was over at" in told and "You have until" not in told, (
        "a moment that is past is not named as one to come"
    )


def test_extending_moves_the_deadline_once_and_is_undone_once(database: Database) -> None:
    made = ready(database)
    match, form = made.match(0).id, made.form(0, days="3")
    before = made.game(0).deadline_at
    answers = at_once(*[lambda: desk_acts.extend(database, made.event, match, form, now=LOOK)] * 2)
    assert sorted(answers) == [False, True]
    assert made.game(0).deadline_at == before + 3 * DAY
    deliver(database, LOOK)
    assert len(kept(database, "desk_act")) == 2, "both sides are told"
    (act,) = made.read(lambda c: desk_undoing.undoable(c, made.now(), LOOK))
    assert act.act == "desk.extended" and act.reason == "so it has to be"
    assert desk_undoing.undo(database, made.event, act.id, made.form(0, reason="a mistake"), now=LOOK)
    assert not desk_undoing.undo(database, made.event, act.id, made.form(0), now=LOOK)
    assert made.game(0).deadline_at == before
    assert made.read(lambda c: desk_undoing.undoable(c, made.now(), LOOK)) == []
    trail = made.read(lambda c: c.scalars(sa.select(Audit.undone_by).where(Audit.id == act.id)).one())
    assert trail is not None


def test_time_that_is_used_is_not_taken_back(sqlite_database: Database) -> None:
    made = ready(sqlite_database)
    late = NOW + 8 * DAY
    assert made.problem(0, late).finding == "flag"
    assert desk_acts.extend(sqlite_database, made.event, made.match(0).id, made.form(0, days="2"), now=late)
    assert made.game(0).deadline_at == late + 2 * DAY, "from now on, since the deadline had passed"
    (act,) = made.read(lambda c: desk_undoing.undoable(c, made.now(), late))
    with pytest.raises(NotAccepted, match=r"undo\.used"):
        desk_undoing.undo(sqlite_database, made.event, act.id, made.form(0), now=late)
    game = made.game(0)
    say(sqlite_database, game.id, f"keep {hand(game, game.decides)[0]}", late)
    assert made.read(lambda c: desk_undoing.undoable(c, made.now(), late)) == [], "the decision has been made"
    with pytest.raises(NotAccepted, match=r"undo\.late"):
        desk_undoing.undo(sqlite_database, made.event, act.id, made.form(0), now=late)


def test_two_organisers_at_the_same_page_one_acts_and_one_looks_again(database: Database) -> None:
    made = ready(database)
    other = made.players[3]
    with database.write() as session:
        row = {"club_id": made.club, "player_id": other, "role": "deputy", "status": "member", "since": NOW}
        session.execute(sa.insert(Member).values(**row))
        session.commit()
    free = next(n for n in (0, 1) if other not in {s.player_id for s in made.match(n).seats})
    before, match = made.game(free).deadline_at, made.match(free).id
    forms = [made.form(free, days="3"), made.form(free, by=other, days="3")]
    press = [lambda form=form: desk_acts.extend(database, made.event, match, form, now=LOOK) for form in forms]
    assert codes_of(*press) == ["desk.changed", "done"]
    assert made.game(free).deadline_at == before + 3 * DAY


def test_who_plays_in_a_game_gives_no_time_in_it(sqlite_database: Database) -> None:
    made = ready(sqlite_database)
    mine = made.match(0).seats[0].player_id
    with pytest.raises(NotAllowed, match=r"club\.role"):
        desk_acts.nudge(sqlite_database, made.event, made.match(0).id, made.form(0, by=mine), now=LOOK)
    with sqlite_database.write() as session:
        row = {"club_id": made.club, "player_id": mine, "role": "organiser", "status": "member", "since": NOW}
        session.execute(sa.insert(Member).values(**row))
        session.commit()
    with pytest.raises(NotAllowed, match=r"desk\.own"):
        desk_acts.extend(sqlite_database, made.event, made.match(0).id, made.form(0, by=mine, days="3"), now=LOOK)
    assert desk_acts.extend(sqlite_database, made.event, made.match(1).id, made.form(1, by=mine, days="3"), now=LOOK)


def test_who_plays_in_a_game_takes_nothing_back_in_it(sqlite_database: Database) -> None:
    made = ready(sqlite_database)
    match, late = made.match(0), made.owes(0)
    opponent = next(seat.player_id for seat in match.seats if seat.player_id != late)
    with sqlite_database.write() as session:
        for player in (opponent, late):
            row = {"club_id": made.club, "player_id": player, "role": "organiser", "status": "member", "since": NOW}
            session.execute(sa.insert(Member).values(**row))
        session.commit()
    assert desk_acts.extend(sqlite_database, made.event, match.id, made.form(0, days="3"), now=LOOK)
    assert desk_acts.grant_leave(sqlite_database, made.event, match.id, made.form(0, days="5"), now=LOOK)
    given = made.game(0).deadline_at
    acts = made.read(lambda c: desk_undoing.undoable(c, made.now(), LOOK))
    assert {act.act for act in acts} == {"desk.extended", "desk.leave"}
    for act in acts:
        for player in (opponent, late):
            with pytest.raises(NotAllowed, match=r"desk\.own"):
                desk_undoing.undo(sqlite_database, made.event, act.id, made.form(0, by=player), now=LOOK)
    with pytest.raises(NotAllowed, match=r"desk\.own"):
        leaving.withdraw(sqlite_database, made.event, late, opponent, reason="Gone.", now=LOOK)
    assert made.game(0).deadline_at == given
    assert all(desk_undoing.undo(sqlite_database, made.event, act.id, made.form(0), now=LOOK) for act in acts)


def test_leave_is_granted_in_the_event_alone_and_taken_back(database: Database) -> None:
    made = ready(database)
    before, player = made.game(0).deadline_at, made.owes(0)
    other = tables.start(database)  # outside the event
    with database.write() as session:
        seat = sa.update(GameSeat).where(GameSeat.game_id == other, GameSeat.seat == load(database, other).decides)  # type: ignore[arg-type]
        session.execute(seat.values(player_id=player))
        session.commit()
    deliver(database, NOW)
    elsewhere = load(database, other).deadline_at
    form = made.form(0, reason="ill", days="5")
    assert desk_acts.grant_leave(database, made.event, made.match(0).id, form, now=LOOK)
    assert not desk_acts.grant_leave(database, made.event, made.match(0).id, form, now=LOOK), "pressed twice"
    assert made.game(0).deadline_at == before + 5 * DAY
    assert load(database, other).deadline_at == elsewhere, "their other games go on"
    assert made.read(lambda c: leave.of_player(c, player)) == [], "the player's own allowance is not touched"
    overview = made.read(lambda c: leave.overview(c, player, "UTC", LOOK, 30))
    assert overview.left == {2026: 30, 2027: 30} and overview.now is None
    ((granted, event),) = overview.granted
    assert (granted.from_at, granted.to_at, event) == (LOOK, LOOK + 5 * DAY, "Cup")
    game = made.game(0)
    everybody = [seat.player_id for seat in game.seats]
    assert made.read(lambda c: leave.away(c, game.id, everybody, LOOK)) == {player: LOOK + 5 * DAY}
    assert made.read(lambda c: leave.away(c, other, everybody, LOOK)) == {}
    assert made.problem(0, LOOK).finding == "leave"
    kinds = made.read(lambda c: c.execute(sa.select(ClockNote.kind, ClockNote.cause, ClockNote.by_id)).all())
    assert ("leave", "organiser", made.organiser) in [tuple(row) for row in kinds]
    deliver(database, LOOK)
    told = kept(database, "leave")
    assert sorted(mail.to for mail in told) == sorted(seat.address for seat in game.seats)
    assert all("p0, who runs Cup, has given" in mail.words and "ill" in mail.words for mail in told)
    assert desk_acts.grant_leave(database, made.event, made.match(0).id, made.form(0, days="2"), now=LOOK + DAY)
    assert made.game(0).deadline_at == before + 7 * DAY, "after the leave that runs"
    second, first = made.read(lambda c: desk_undoing.undoable(c, made.now(), LOOK + DAY))
    assert desk_undoing.undo(database, made.event, second.id, made.form(0), now=LOOK + DAY)
    assert desk_undoing.undo(database, made.event, first.id, made.form(0, reason="is back"), now=LOOK + DAY)
    assert not desk_undoing.undo(database, made.event, first.id, made.form(0), now=LOOK + DAY)
    assert made.game(0).deadline_at == before + DAY, "what the clock stood still stays so"
    assert made.read(lambda c: desk_undoing.undoable(c, made.now(), LOOK + DAY)) == []
    deliver(database, LOOK + DAY)
    back = [mail for mail in kept(database, "leave") if "taken back the leave" in mail.words]
    assert len(back) == 4, "two acts, both sides"


def test_leave_that_is_granted_is_ended_by_its_player_and_does_not_help_who_is_late(sqlite_database: Database) -> None:
    made = ready(sqlite_database)
    before, player = made.game(0).deadline_at, made.owes(0)
    assert desk_acts.grant_leave(sqlite_database, made.event, made.match(0).id, made.form(0, days="5"), now=LOOK)
    ((granted, _),) = made.read(lambda c: leave.overview(c, player, "UTC", LOOK, 30)).granted
    with Work(sqlite_database) as work:
        leave.end(work, player, granted.id, player, LOOK + DAY)
    assert made.game(0).deadline_at == before + DAY
    assert made.read(lambda c: desk_undoing.undoable(c, made.now(), LOOK + DAY)) == []
    late = NOW + 30 * DAY
    with pytest.raises(NotAccepted, match=r"desk\.late"):
        desk_acts.grant_leave(sqlite_database, made.event, made.match(0).id, made.form(0, days="5"), now=late)


def test_a_refused_mail_is_sent_again_and_starts_the_clock(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4)
    refuse_mail(made, 0)
    assert made.problem(0, NOW + DAY).step == "again"
    form = made.form(0)
    assert desk_acts.send_again(sqlite_database, made.event, made.match(0).id, form, now=NOW + DAY)
    assert not desk_acts.send_again(sqlite_database, made.event, made.match(0).id, form, now=NOW + DAY)
    assert made.problem(0, NOW + DAY).finding == "unmailed"
    deliver(sqlite_database, NOW + DAY)
    assert made.problem(0, NOW + DAY + HOUR).finding == "running"
    assert made.game(0).mailed_at == NOW + DAY
    with pytest.raises(NotAccepted, match=r"again\.arrived"):
        desk_acts.send_again(sqlite_database, made.event, made.match(0).id, made.form(0), now=NOW + DAY)


def test_organisers_read_whose_mail_came_back_and_what_to_do(sqlite_database: Database) -> None:
    """By name and with a link to the game; the address is for operators only."""
    made = season(sqlite_database, 4)
    with Work(sqlite_database) as work:
        asked = sa.select(OutboxMail).where(OutboxMail.kind == "turn", OutboxMail.game_id == made.game(0).id)  # type: ignore[arg-type]
        mail = work.session.scalars(asked).one()
        mail.state = MailState.SENT
        work.session.flush()
        bounces.happened(work, mail, Report(Fault.ADDRESS, "5.1.1", "no such user"), NOW)
        work.commit()
    deliver(sqlite_database, NOW + HOUR)
    (told,) = kept(sqlite_database, "bounces")
    assert mail.address not in told.text and f"game {mail.game_id}: 5.1.1 no such user" in told.words
    assert "tell them another way" in told.words and f"/games/{mail.game_id}\n" in told.text


def test_a_game_that_is_over_is_taken_into_its_match(sqlite_database: Database) -> None:
    made = ready(sqlite_database)
    game = made.game(0)
    with pytest.raises(NotAccepted, match=r"desk\.running"):
        desk_acts.report(sqlite_database, made.event, made.match(0).id, made.form(0), now=LOOK)
    end_unreported(made, 0, LOOK)
    assert load(sqlite_database, game.id).is_over and made.problem(0, LOOK).finding == "unreported"
    form = made.form(0)
    assert desk_acts.report(sqlite_database, made.event, made.match(0).id, form, now=LOOK)
    assert not desk_acts.report(sqlite_database, made.event, made.match(0).id, form, now=LOOK)
    assert made.match(0).ended == "void"


@pytest.mark.parametrize("days", ["", "0", "61", "three", "-1", "1.5", "²"])
def test_days_are_whole_numbers(days: str) -> None:
    with pytest.raises(NotAccepted, match=r"case\.days"):
        late_seat.read_days(days)


def test_an_act_needs_a_reason(sqlite_database: Database) -> None:
    made = ready(sqlite_database)
    with pytest.raises(NotAccepted, match=r"reason\.empty"):
        desk_acts.nudge(sqlite_database, made.event, made.match(0).id, made.form(0, reason="  "), now=LOOK)
    assert made.problem(0, LOOK).reminders == ()


@pytest.mark.parametrize("language", ["en", "fr", "es", "it"])
def test_the_mails_of_the_desk_are_said_in_every_language_and_escape_what_people_write(
    sqlite_database: Database, language: str
) -> None:
    made = season(sqlite_database, 6, reserves=1)
    with sqlite_database.write() as session:
        session.execute(sa.text("UPDATE player SET language = :lang, name = '<b>' || name"), {"lang": language})
        session.commit()
    deliver(sqlite_database, NOW)
    nasty = "late & <i>rude</i>"
    for act, number in ((desk_acts.nudge, 0), (desk_acts.nudge, 1)):
        act(sqlite_database, made.event, made.match(number).id, made.form(number, reason=nasty), now=LOOK)
    desk_acts.extend(sqlite_database, made.event, made.match(0).id, made.form(0, reason=nasty, days="2"), now=LOOK)
    desk_acts.grant_leave(sqlite_database, made.event, made.match(1).id, made.form(1, reason=nasty, days="2"), now=LOOK)
    deliver(sqlite_database, LOOK)
    (act, *_) = made.read(lambda c: desk_undoing.undoable(c, made.now(), LOOK))
    desk_undoing.undo(sqlite_database, made.event, act.id, made.form(0, reason=nasty), now=LOOK)
    one = made.match(2)
    ruling = deciding.claim(sqlite_database, made.event, one.id, one.seats[1].player_id, nasty, now=LOOK)
    deliver(sqlite_database, LOOK)
    pressed.decide(
        sqlite_database, made.event, ruling, Verdict("dismissed"), ActRequest(made.organiser, nasty, token()), now=LOOK
    )
    deliver(sqlite_database, LOOK)
    deciding.appeal(sqlite_database, made.event, ruling, one.seats[0].player_id, nasty, now=LOOK)
    entrant = made.entrant(made.players[0]).id
    call = reserves.call(sqlite_database, made.event, entrant, ActRequest(made.organiser, nasty, token()), now=LOOK)
    assert call is not None
    deliver(sqlite_database, LOOK)
    pressed.answer_call(sqlite_database, call.id, call.player_id, accepts=True, now=LOOK)
    deliver(sqlite_database, LOOK)
    with sqlite_database.read() as session:
        kinds = ("desk_act", "leave", "ruling", "reserve_call", "reserve")
        asked = sa.select(OutboxMail.kind, OutboxMail.state, OutboxMail.message).where(OutboxMail.kind.in_(kinds))  # type: ignore[attr-defined]
        rows = session.execute(asked).all()
    assert {row.kind for row in rows} == set(kinds) and {row.state for row in rows} == {"kept"}
    for row in rows:
        html = message_from_bytes(row.message, policy=policy.default).get_body(("html",)).get_content()  # type: ignore[union-attr]
        assert "<b>" not in html and "<i>" not in html and "&lt;b&gt;" in html
        assert "&amp;lt;" not in html, "escaped once"
