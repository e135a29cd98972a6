"""Games of an event that end without a result: by agreement of their players, or because their event is cancelled."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted
from app.games.work import Work
from app.leagues.changes import reserves
from app.leagues.clubs import audit
from app.leagues.clubs.acting import ActRequest
from app.leagues.desk import desk_acts, trouble
from app.leagues.events import lifecycle, round_rows
from app.leagues.results import outcomes
from app.leagues.rounds import brackets
from app.leagues.rulings import deciding, opening
from app.leagues.rulings.applying import Verdict
from app.leagues.seasons import endings
from app.leagues.tables import Audit, Entrant, Ruling
from app.overdue import rulings
from app.play.agreed import results
from app.time.tables import Case
from tests.support import pressed
from tests.support.events import event, people, published, read
from tests.support.ladder import challenge, ladder_game, order
from tests.support.mails import kept
from tests.support.season import DAY, LOOK, ready, season, token
from tests.support.tables import NOW, deliver, load


def agree_to_cancel(database: Database, game_id: int) -> None:
    """Propose to cancel the game, and let all others agree."""
    game = load(database, game_id)
    results.propose(database, game_id, game.seats[0].player_id or 0, "cancel", now=LOOK)
    made = read(database, lambda c: results.waiting(c, game))
    for seated in game.seats[1:]:
        results.answer(database, made.id, seated.seat, seated.player_id, True, now=LOOK)


def test_a_cancelled_game_is_void_and_the_round_can_close(database: Database) -> None:
    made = ready(database)
    agree_to_cancel(database, made.game(0).id)
    one = made.match(0)
    assert (one.ended, one.source, [seat.points for seat in one.seats]) == ("void", "game", [0, 0])
    assert [problem.match_id for problem in made.desk(LOOK)] == [made.match(1).id], "off the desk"
    acts = made.read(lambda c: c.scalars(sa.select(Audit.act).where(Audit.event_id == made.event)).all())
    assert acts.count("match.void") == 1
    results.resign(database, made.game(1).id, made.owes(1), now=LOOK)
    pressed.close(database, made.round().id, made.organiser, now=LOOK)
    found = made.read(lambda c: outcomes.results_of(c, made.now().divisions[0].id))
    assert sorted(sum(result.points) for result in found) == [0, 1]
    again = pressed.pair(database, made.now().divisions[0].id, made.organiser, now=LOOK)
    assert again, "what was not played stands in nobody's way"


def test_a_table_of_four_that_is_cancelled_is_void(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who, "tables", "new-world", rounds=2)
    round = published(sqlite_database, now, who[0])
    agree_to_cancel(sqlite_database, round.matches[0].game_id or 0)
    pressed.close(sqlite_database, round.id, who[0], now=LOOK)
    assert [match.ended for match in read(sqlite_database, lambda c: round_rows.get(c, round.id)).matches] == ["void"]


def test_in_a_knock_out_somebody_has_to_go_through(database: Database) -> None:
    who = people(database, 4)
    boss, now = who[0], event(database, who, "knockout")
    round = published(database, now, boss)
    other = [match for match in round.matches if boss in {seat.player_id for seat in match.seats}]
    results.resign(database, other[0].game_id or 0, boss, now=NOW)
    game = next(match.game_id for match in round.matches if match not in other) or 0
    agree_to_cancel(database, game)
    drawn = read(database, lambda c: round_rows.get(c, round.id))
    one = next(match for match in drawn.matches if match.game_id == game)
    assert not one.ended
    with pytest.raises(NotAccepted, match=r"round\.games"):
        pressed.close(database, round.id, boss, now=LOOK)
    (ruling,) = read(database, lambda c: c.execute(sa.select(Ruling.id, Ruling.match_id, Ruling.opened_by)).all())
    assert (ruling.match_id, ruling.opened_by) == (one.id, None)
    deliver(database, LOOK)
    mails = kept(database, "ruling")
    assert mails and all("was cancelled; somebody has to go through" in mail.words for mail in mails)
    verdict = Verdict("forfeit", place=1)
    pressed.decide(database, now.id, ruling.id, verdict, ActRequest(boss, "came too late", token()), now=LOOK)
    pressed.close(database, round.id, boss, now=LOOK)
    drawn = read(database, lambda c: brackets.bracket_of(c, now, now.divisions[0]))
    winners = [slot.decision.winner for slot in brackets.slots(drawn)[0]]
    assert one.seats[0].entry_id in winners and None not in winners


def test_a_game_of_a_knock_out_that_does_not_count_is_followed_up(database: Database) -> None:
    """Void by a ruling: the round stays open, the desk says what comes next, and a new game or a walkover ends it."""
    who = people(database, 3)
    now = event(database, who, "knockout")
    round = published(database, now, who[0])
    (match,) = [match for match in round.matches if not match.is_bye]
    (bye,) = [one for one in round.matches if one.is_bye]
    boss = bye.seats[0].player_id  # nobody rules in their own game
    with database.write() as session:
        session.execute(sa.text("UPDATE club_member SET player_id = :who"), {"who": boss})
        session.commit()
    results.resign(database, match.game_id or 0, match.seats[0].player_id, now=NOW)

    def rule(verdict: Verdict) -> None:
        seen = read(database, lambda c: desk_acts.last_act(c, match.id))
        form = desk_acts.DeskRequest(boss, "The wrong edition was dealt.", token(), seen)
        number = desk_acts.open_ruling(database, now.id, match.id, form, now=LOOK)
        pressed.decide(database, now.id, number, verdict, ActRequest(boss, "So it is.", token()), now=LOOK)

    def on_desk() -> list[tuple[str, str]]:
        found = read(database, lambda c: trouble.blocking(c, lifecycle.get(c, now.id), LOOK))
        return [(one.finding, one.step) for one in found]

    def winner() -> int | None:
        drawn = read(database, lambda c: brackets.bracket_of(c, now, now.divisions[0]))
        decided = [slot.decision for slot in brackets.slots(drawn)[0]]
        found: int | None = next(one for one in decided if None not in one.players).winner
        return found

    assert winner() == match.seats[1].entry_id and on_desk() == []
    rule(Verdict("void"))
    assert winner() is None and on_desk() == [("undecided", "ruling")]
    with pytest.raises(NotAccepted, match=r"round\.undecided"):
        pressed.close(database, round.id, boss, now=LOOK)
    rule(Verdict("replay"))
    assert [step for _, step in on_desk()] == ["wait"], "a new game runs"
    again = read(database, lambda c: round_rows.get(c, round.id)).matches
    anew = next(one for one in again if one.id == match.id)
    assert anew.game_id != match.game_id and not anew.ended
    results.resign(database, anew.game_id or 0, anew.seats[1].player_id, now=LOOK)
    pressed.close(database, round.id, boss, now=LOOK)
    assert winner() == match.seats[0].entry_id
    rule(Verdict("void"))
    assert on_desk() == [("undecided", "ruling")], "a closed round too"
    with pytest.raises(NotAccepted, match=r"round\.undecided"):
        pressed.finish(database, now.id, boss, now=LOOK, sure=True)
    rule(Verdict("forfeit", place=0))
    assert winner() == match.seats[1].entry_id and on_desk() == []


def test_a_ruling_of_an_operator_that_cancels_a_game_ends_its_match(sqlite_database: Database) -> None:
    made = ready(sqlite_database)
    game = made.game(0)
    operator = made.organiser
    with sqlite_database.write() as session:
        session.execute(sa.text("UPDATE player SET role = 'operator' WHERE id = :id"), {"id": operator})
        row = {
            "game_id": game.id, "number": game.number, "seat": game.decides, "player_id": made.owes(0), "kind": "time",
            "cause": "player", "state": "flagged", "stage": 0, "opened_at": LOOK, "reason": "",
        }  # fmt: skip
        case = session.execute(sa.insert(Case).values(**row).returning(Case.id)).scalar_one()
        session.commit()
    rulings.rule(sqlite_database, case, operator, "void", "Neither of them is here any more.", now=LOOK + DAY)
    assert made.match(0).ended == "void"


def test_a_ladder_challenge_that_is_cancelled_is_over(sqlite_database: Database) -> None:
    who = people(sqlite_database, 3)
    now = event(sqlite_database, who, "ladder")
    before = order(sqlite_database, now.id)
    low, high = before[1], before[0]
    game = ladder_game(sqlite_database, now.id, low, high)
    agree_to_cancel(sqlite_database, game)
    assert order(sqlite_database, now.id) == before, "nobody has moved"
    (round,) = read(sqlite_database, lambda c: round_rows.rounds_of(c, now.divisions[0].id))
    assert (round.status, round.matches[0].ended) == ("closed", "void")
    assert challenge(sqlite_database, now.id, low, high, at=NOW + 3 * DAY), "another challenge is possible"


# -- an event that is cancelled -----------------------------------------------------------------------


def test_everybody_in_a_cancelled_event_is_told_why_once(database: Database) -> None:
    made = season(database, 5, reserves=1)
    gone, erased = made.players[3], made.players[4]
    with database.write() as session:
        out = sa.update(Entrant).where(Entrant.event_id == made.event, Entrant.player_id == gone)  # type: ignore[arg-type]
        session.execute(out.values(status="withdrawn"))
        session.execute(sa.text("UPDATE player SET erased_at = :at WHERE id = :who"), {"at": NOW, "who": erased})
        session.execute(sa.text("UPDATE player SET mail_news = :no"), {"no": False})
        session.execute(sa.text("UPDATE player SET language = 'fr' WHERE id = :who"), {"who": made.players[0]})
        session.commit()
    concerned = [*made.players[:3], *made.reserves]
    foreseen = made.read(lambda c: endings.foresee(c, made.now()))
    assert sorted(number for number, _, _ in foreseen.told) == sorted(concerned)
    assert (foreseen.running, foreseen.drafts, foreseen.rulings) == (2, 0, 0)
    with pytest.raises(NotAccepted, match=r"reason\.empty"):
        pressed.cancel(database, made.event, made.organiser, reason=" ", now=LOOK)
    assert made.now().status == "running"
    for _ in range(2):
        pressed.cancel(database, made.event, made.organiser, reason="The <hall> is flooded.", now=LOOK)
    rows = made.read(
        lambda c: c.scalars(sa.select(OutboxMail.player_id).where(OutboxMail.kind == "event_cancelled")).all()
    )
    assert sorted(rows) == sorted(concerned)
    deliver(database, LOOK)
    mails = {mail.to: mail for mail in kept(database, "event_cancelled")}
    assert len(mails) == len(concerned)
    assert all("The <hall> is flooded." in mail.words for mail in mails.values())
    (french,) = [mail for mail in mails.values() if "Le motif" in mail.words]
    assert "who runs" not in french.words
    addresses = dict(made.read(lambda c: [tuple(row) for row in c.execute(sa.text("SELECT id, address FROM player"))]))
    plays = {addresses[seat.player_id] for n in range(2) for seat in made.match(n).seats}
    for mail in mails.values():
        if mail is not french:
            assert ("running game goes on" in mail.words) == (mail.to in plays)
    assert not made.game(0).is_over and made.match(0).ended == "void"
    assert made.desk(LOOK) == []


def test_a_reserve_who_is_asked_takes_no_seat_of_a_cancelled_event(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4, reserves=1)
    entrant = made.entrant(made.players[0]).id
    call = reserves.call(sqlite_database, made.event, entrant, ActRequest(made.organiser, "gone", token()), now=LOOK)
    assert call is not None
    pressed.cancel(sqlite_database, made.event, made.organiser, reason="too few", now=LOOK)
    with pytest.raises(reserves.CallEnded):
        pressed.answer_call(sqlite_database, call.id, made.reserves[0], accepts=True, now=LOOK)


def test_rulings_that_wait_are_closed_with_a_cancelled_event(database: Database) -> None:
    """One that is open and one that is appealed against: closed with the reason; its players and those who can rule get
    a mail; nothing can be decided any more; the effect of the first decision stands.
    """
    made = season(database, 4)
    first, other = made.match(0), made.match(1)
    claims = [
        deciding.claim(database, made.event, match.id, match.seats[0].player_id, "Look at this.", now=LOOK)
        for match in (first, other)
    ]
    verdict = Verdict("result", points=(Fraction(1), Fraction(0)))

    def asked() -> ActRequest:
        return ActRequest(made.organiser, "It is so.", token())

    pressed.decide(database, made.event, claims[1], verdict, asked(), now=LOOK)
    deciding.appeal(database, made.event, claims[1], other.seats[1].player_id, "It is not.", now=LOOK)
    assert made.read(lambda c: endings.foresee(c, made.now())).rulings == 2
    pressed.cancel(database, made.event, made.organiser, reason="The hall is flooded.", now=LOOK)
    rows = [made.read(lambda c, n=number: deciding.find(c, made.event, n)) for number in claims]
    assert {(row.status, row.final_by, row.details["note"]) for row in rows} == {
        ("withdrawn", made.organiser, "The hall is flooded.")
    }
    assert [row.decision for row in rows] == [None, "result"]
    assert made.match(0).ended == "void" and [seat.points for seat in made.match(1).seats] == [1, 0]
    deliver(database, LOOK)
    mails = [mail for mail in kept(database, "ruling") if "is cancelled" in mail.words]
    addresses = dict(made.read(lambda c: [tuple(row) for row in c.execute(sa.text("SELECT id, address FROM player"))]))
    plays = [addresses[seat.player_id] for match in (first, other) for seat in match.seats]
    assert sorted(mail.to for mail in mails) == sorted(plays), "who cancels, and who decided, knows"
    assert all("The hall is flooded." in mail.words for mail in mails)
    stands = [mail for mail in mails if "the ruling stands" in mail.words]
    assert sorted(mail.to for mail in stands) == sorted(plays[2:])
    with pytest.raises(NotAccepted, match=r"ruling\.decided"):
        pressed.decide(database, made.event, claims[0], verdict, asked(), now=LOOK)
    with pytest.raises(NotAccepted, match=r"event\.not_running"):
        form = desk_acts.DeskRequest(made.organiser, "again", token(), 0)
        desk_acts.open_ruling(database, made.event, first.id, form, now=LOOK)
    with Work(database) as work:
        assert opening.open_for_case(work, made.game(0).id, 0, LOOK) == 0, "operators rule there from now on"


def test_of_a_draft_nobody_has_heard(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4)
    with sqlite_database.write() as session:
        session.execute(sa.text("UPDATE event SET status = 'draft' WHERE id = :id"), {"id": made.event})
        session.commit()
    assert made.read(lambda c: endings.foresee(c, made.now())).told == ()
    pressed.cancel(sqlite_database, made.event, made.organiser, reason="a mistake", now=LOOK)
    kinds = made.read(lambda c: c.scalars(sa.select(OutboxMail.kind)).all())
    assert "event_cancelled" not in kinds
    with pytest.raises(lifecycle.NoSuchCompetition):  # with all its names (club review, F3)
        made.now()
    [act] = made.read(lambda c: audit.trail(c, made.club, most=1))
    assert (act.act, act.subject) == ("event.thrown_away", "Cup")


def test_a_cancelled_event_can_end_its_games(sqlite_database: Database) -> None:
    """Club review, F22."""
    made = season(sqlite_database, 4)
    deliver(sqlite_database, NOW)
    pressed.cancel(sqlite_database, made.event, made.organiser, reason="too few", ends=True, now=LOOK)
    assert [made.game(n).is_over for n in range(2)] == [True, True]
    deliver(sqlite_database, LOOK)
    mails = kept(sqlite_database, "event_cancelled")
    assert len(mails) == 4 and all("end without a result" in mail.words for mail in mails)
    assert kept(sqlite_database, "cancelled") == [], "one mail says it"
