"""Substitutes: called in order, an answer once, the seat with its clock, points divided."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.links import TurnLink
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted, NotAllowed
from app.leagues.changes import leaving, reserves
from app.leagues.clubs.acting import ActRequest
from app.leagues.desk import desk_undoing
from app.leagues.events import round_rows, sharing
from app.leagues.pure.model import PLAYED, VOID
from app.leagues.pure.terms import Terms
from app.leagues.results import outcomes, standings
from app.leagues.rounds import stages
from app.leagues.tables import Audit, MatchSeat, Member, ReserveCall
from app.play.agreed import results
from app.play.turn import turns
from tests.support import pressed
from tests.support.at_once import at_once
from tests.support.databases import ON_SQLITE
from tests.support.mails import kept
from tests.support.season import DAY, HOUR, Season, season, token
from tests.support.tables import NOW, deliver, hand, link_to, load, say, write


def call(made: Season, player: int, now: Any = NOW + DAY, **more: Any) -> ReserveCall | None:
    asked = ActRequest(made.organiser, **{"reason": "ill", "token": token()} | more)
    return reserves.call(made.database, made.event, made.entrant(player).id, asked, now=now)


def states(made: Season) -> list[tuple[int, str]]:
    asked = sa.select(ReserveCall.entry_id, ReserveCall.status).order_by(ReserveCall.id)
    return [tuple(row) for row in made.read(lambda c: c.execute(asked).all())]


def test_reserves_are_called_in_order_and_one_at_a_time(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4, reserves=2)
    leaver = made.players[0]
    press = token()
    first = call(made, leaver, token=press)
    assert first is not None and first.player_id == made.reserves[0]
    assert first.answer_by == NOW + 4 * DAY, "three days, by the usual terms"
    assert call(made, leaver, token=press) is None, "pressed twice"
    with pytest.raises(NotAccepted, match=r"reserve\.asked"):
        call(made, leaver)
    pressed.answer_call(sqlite_database, first.id, first.player_id, accepts=False, now=NOW + 2 * DAY)
    second = made.entrant(made.reserves[1]).id
    assert states(made) == [(first.entry_id, "declined"), (second, "called")], "the next one is asked at once"
    with pytest.raises(reserves.CallEnded):
        pressed.answer_call(sqlite_database, first.id, first.player_id, accepts=True, now=NOW + 2 * DAY)
    with pytest.raises(reserves.CallEnded):
        pressed.answer_call(sqlite_database, first.id + 1, leaver, accepts=True, now=NOW + 2 * DAY)
    assert reserves.sweep_calls(sqlite_database, NOW + 5 * DAY) == 0, "still in time"
    assert reserves.sweep_calls(sqlite_database, NOW + 5 * DAY + HOUR) == 1
    assert states(made)[-1] == (second, "expired")
    deliver(sqlite_database, NOW + 6 * DAY)
    assert len(kept(sqlite_database, "reserve_call")) == 0, "both calls had ended before the mails went out"
    told = [mail for mail in kept(sqlite_database, "reserve") if "No reserve is left" in mail.subject]
    assert [mail.to for mail in told] == ["p0@example.org"], "the organiser is told that nobody is left"
    with pytest.raises(NotAccepted, match=r"reserve\.none"):
        call(made, leaver, NOW + 6 * DAY)


@ON_SQLITE
def test_a_reserve_is_called_between_rounds_and_plays_the_rounds_to_come(database: Database) -> None:
    made = season(database, 4, reserves=2)
    leaver, (declines, holder) = made.players[0], made.reserves
    for number in range(2):
        results.resign(database, made.game(number).id, made.match(number).seats[1].player_id, now=NOW)
    pressed.close(database, made.round().id, made.organiser, now=NOW)
    before = made.entrant(leaver)
    first = call(made, leaver)
    assert first is not None and first.player_id == declines
    deliver(database, NOW + DAY)
    (asked,) = kept(database, "reserve_call")
    assert "No game runs now: you would play Ferry in the rounds to come" in asked.words
    pressed.answer_call(database, first.id, declines, accepts=False, now=NOW + DAY)
    second = made.read(lambda c: reserves.of_event(c, made.event).open_call(before.id))
    assert second and pressed.answer_call(database, second.id, holder, accepts=True, now=NOW + DAY) == []
    place = made.entrant(holder)
    assert (place.status, place.seed, place.division_id) == ("entered", before.seed, before.division_id)
    assert made.entrant(leaver).status == "withdrawn"
    deliver(database, NOW + DAY)
    told = {mail.to: mail.words for mail in kept(database, "reserve")}
    assert set(told) == {"p0@example.org", f"p{leaver - 1}@example.org"}, "the organiser and who is replaced"
    assert all("plays the rounds to come" in words for words in told.values())
    draft = pressed.pair(database, made.first.id, made.organiser, now=NOW + DAY)
    seated = {s.player_id for one in made.read(lambda c: round_rows.get(c, draft)).matches for s in one.seats}
    assert holder in seated and leaver not in seated and len(seated) == 4
    with pytest.raises(NotAccepted, match=r"reserve\.games"):
        call(made, leaver)


@pytest.mark.parametrize("accepts", [True, False], ids=["taken", "nobody"])
def test_the_place_of_who_leaves_is_held_while_reserves_are_asked(database: Database, accepts: bool) -> None:
    """Club review, F9: the games go on in the hands of a reserve, or end after a day, or once nobody is left."""
    made = season(database, 4, reserves=1)
    leaver, holder = made.owes(0), made.reserves[0]
    for _ in range(2):
        assert leaving.withdraw(database, made.event, leaver, leaver, reason="", now=NOW) is None
    assert not made.match(0).ended and made.entrant(leaver).status == "entered"
    [call] = made.read(lambda c: c.scalars(sa.select(ReserveCall)).all())
    assert call.player_id == holder and call.answer_by == NOW + DAY, "not the three days of the terms"
    assert leaving.sweep_holds(database, NOW + HOUR) == 0
    pressed.answer_call(database, call.id, holder, accepts=accepts, now=NOW + HOUR)
    assert leaving.sweep_holds(database, NOW + HOUR) == (not accepts)
    assert made.entrant(leaver).status == "withdrawn" and bool(made.match(0).ended) is not accepts
    deliver(database, NOW + HOUR)
    left = [mail.to for mail in kept(database, "event_left")]
    assert left == [] if accepts else "p0@example.org" in left
    assert made.owes(0) == holder if accepts else True


def test_two_workers_end_a_call_once(database: Database) -> None:
    made = season(database, 4, reserves=2)
    assert call(made, made.players[0]) is not None
    assert sum(at_once(*[lambda: reserves.sweep_calls(database, NOW + 10 * DAY)] * 2)) == 1
    assert [state for _, state in states(made)] == ["expired", "called"]
    acts = made.read(lambda c: c.scalars(sa.select(Audit.act).where(Audit.act.like("reserve%"))).all())  # type: ignore[attr-defined]
    assert sorted(acts) == ["reserve.called", "reserve.called", "reserve.expired"]


def test_accepting_and_taking_back_at_once_is_one_of_them(database: Database) -> None:
    made = season(database, 4, reserves=1)
    asked = call(made, made.players[0])
    assert asked is not None
    theirs = 0 if made.players[0] in {seat.player_id for seat in made.match(0).seats} else 1
    back = ActRequest(made.organiser, "back", token())
    accepted, withdrawn = at_once(
        lambda: pressed.answer_call(database, asked.id, asked.player_id, accepts=True, now=NOW + DAY),
        lambda: reserves.withdraw_call(database, asked.id, back, now=NOW + DAY),
        but=(reserves.CallEnded, NotAccepted),
    )
    is_ended = isinstance(accepted, reserves.CallEnded)
    assert isinstance(withdrawn, NotAccepted) != is_ended
    assert (asked.player_id in {seat.player_id for seat in made.game(theirs).seats}) != is_ended


def test_a_call_is_taken_back_by_undo(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4, reserves=1)
    asked = call(made, made.players[0])
    assert asked is not None
    deliver(sqlite_database, NOW + DAY)
    (act,) = made.read(lambda c: desk_undoing.undoable(c, made.now(), NOW + DAY))
    assert act.act == "reserve.called"
    pairs = [{seat.player_id for seat in made.match(n).seats} for n in (0, 1)]
    (opponent,) = next(pair for pair in pairs if made.players[0] in pair) - {made.players[0]}
    with sqlite_database.write() as session:
        row = {"club_id": made.club, "player_id": opponent, "role": "deputy", "status": "member", "since": NOW}
        session.execute(sa.insert(Member).values(**row))
        session.commit()
    with pytest.raises(NotAllowed, match=r"desk\.own"):
        desk_undoing.undo(sqlite_database, made.event, act.id, made.form(0, by=opponent), now=NOW + DAY)
    assert desk_undoing.undo(sqlite_database, made.event, act.id, made.form(0), now=NOW + DAY)
    assert not desk_undoing.undo(sqlite_database, made.event, act.id, made.form(0), now=NOW + DAY)
    assert states(made) == [(asked.entry_id, "withdrawn")]
    deliver(sqlite_database, NOW + DAY)
    assert [mail.subject for mail in kept(sqlite_database, "reserve")] == ["You are not needed in Cup any more"]
    again = call(made, made.players[0])
    assert again is not None and again.entry_id == asked.entry_id, "who was spared can be asked again"


def taken_over(made: Season, number: int = 0, at: Any = NOW + 2 * DAY) -> tuple[int, int]:
    """Hand a match over; return who left it, and who plays on."""
    leaver = made.owes(number)
    asked = call(made, leaver)
    assert asked is not None
    pressed.answer_call(made.database, asked.id, asked.player_id, accepts=True, now=at)
    return leaver, asked.player_id


def test_the_seat_changes_hands_with_its_clock(database: Database) -> None:
    made = season(database, 4, reserves=1)
    deliver(database, NOW)
    before = made.game(0)
    old = link_to(before)
    leaver, sub = taken_over(made)
    after = made.game(0)
    assert after.seated(after.decides).player_id == sub and after.number == before.number
    assert after.mailed_at == before.mailed_at, "the clock runs on"
    assert after.deadline_at == before.deadline_at + DAY, "the day in which the reserve was asked is given back"
    with pytest.raises(turns.LinkEnded):
        turns.look(database, old)
    deliver(database, NOW + 2 * DAY)
    (mail,) = [one for one in kept(database, "turn") if one.to == "p5@example.org"]
    assert "/t/" in mail.text
    card = hand(after, after.decides)[0]
    link = TurnLink(after.id, after.decides, after.number, sub)
    assert turns.play_turn(database, link, f"keep {card}", now=NOW + 3 * DAY).game.number > after.number
    told = sorted(mail.to for mail in kept(database, "reserve"))
    other = next(s.player_id for s in made.match(0).seats if s.player_id != sub)
    assert told == sorted(f"p{player - 1}@example.org" for player in (leaver, other, made.organiser))
    assert made.entrant(leaver).status == "withdrawn" and made.entrant(sub).status == "entered"
    assert made.entrant(sub).seed < made.entrant(leaver).seed, "the place in the order goes with the seat"
    asked = sa.select(MatchSeat.played_by).where(MatchSeat.entry_id == made.entrant(sub).id)
    assert made.read(lambda c: c.scalars(asked).all()) == [[[made.entrant(leaver).id, before.number]]]


def test_a_substitute_has_a_day_at_least(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4, reserves=1)
    deliver(sqlite_database, NOW)
    leaver = made.owes(0)
    asked = call(made, leaver, NOW + 9 * DAY)
    assert asked is not None
    pressed.answer_call(sqlite_database, asked.id, asked.player_id, accepts=True, now=NOW + 10 * DAY)
    assert made.game(0).deadline_at == NOW + 11 * DAY, "the flag had fallen two days before anybody was asked"


def test_who_was_replaced_is_paired_no_more(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4, reserves=1)
    leaver, sub = taken_over(made)
    for match in made.round().matches:
        results.resign(sqlite_database, match.game_id or 0, match.seats[1].player_id, now=NOW + 3 * DAY)
    pressed.close(sqlite_database, made.round().id, made.organiser, now=NOW + 3 * DAY)
    draft = pressed.pair(sqlite_database, made.now().divisions[0].id, made.organiser, now=NOW + 3 * DAY)
    paired = made.read(lambda c: round_rows.get(c, draft))
    there = sorted(seat.player_id for match in paired.matches for seat in match.seats)
    assert there == sorted({*made.players, sub} - {leaver}) and all(not match.is_bye for match in paired.matches)


# -- sharing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "played_by", "numbers", "expected"),
    [
        ("seat", [[1, 5]], [1, 3, 5, 7], {9: Fraction(1)}),
        ("both", [[1, 5]], [1, 3, 5, 7], {1: Fraction(1), 9: Fraction(1)}),
        ("split", [[1, 5]], [1, 3, 5, 7], {1: Fraction(1, 2), 9: Fraction(1, 2)}),
        ("split", [[1, 5]], [1, 3, 4, 7], {1: Fraction(3, 4), 9: Fraction(1, 4)}),
        ("split", [[1, 3], [2, 5]], [1, 4, 6, 8], {1: Fraction(1, 4), 2: Fraction(1, 4), 9: Fraction(1, 2)}),
        ("split", [[1, 5]], [1, 3], {1: Fraction(1), 9: Fraction(0)}),
        ("split", [[1, 5]], [], {1: Fraction(0), 9: Fraction(1)}),
        ("both", [[1, 5]], [], {1: Fraction(0), 9: Fraction(1)}),
        ("both", [[1, 3], [2, 5]], [4], {1: Fraction(0), 2: Fraction(1), 9: Fraction(1)}),
        ("split", [[1, 3], [2, 5]], [4], {1: Fraction(0), 2: Fraction(1), 9: Fraction(0)}),
        ("split", [[1, 3], [2, 5]], [], {1: Fraction(0), 2: Fraction(0), 9: Fraction(1)}),
        ("split", [], [1, 2], {9: Fraction(1)}),
    ],
)
def test_points_are_divided_by_the_rule(
    share: str, played_by: list[list[int]], numbers: list[int], expected: dict[int, Fraction]
) -> None:
    assert sharing.shares(Terms(share=share), 9, played_by, numbers) == expected


@pytest.mark.parametrize("share", ["split", "both"])
def test_who_never_moved_has_no_points_but_for_those_of_a_game_that_was_over_before(
    database: Database, share: str
) -> None:
    """The substitute wins before anybody in the seat has moved. Points recorded before are not withdrawn."""
    made = season(database, 4, reserves=1, share=share)
    leaver, sub = taken_over(made)
    match = made.match(0)
    loser = next(seat.player_id for seat in match.seats if seat.player_id != sub)
    results.resign(database, match.game_id or 0, loser, now=NOW + 4 * DAY)

    def points() -> dict[int, Fraction]:
        return {place.entrant: place.points for place in table_of(made).places if place.points}

    both = {made.entrant(who).id for who in (leaver, sub)}
    assert points() == {made.entrant(sub).id: 1}
    write(database, sa.update(MatchSeat).where(MatchSeat.match_id == match.id).values(as_recorded=True))
    assert points() == dict.fromkeys(both, Fraction(1, 2) if share == "split" else Fraction(1))


def played_out_by_both(made: Season) -> tuple[int, int, int]:
    """Play the first game: a decision by its player and one by a substitute, who wins.

    Return the entrants of both and the loser.
    """
    game = made.game(0)
    seat = game.decides
    say(made.database, game.id, f"keep {hand(game, seat)[0]}", NOW + HOUR)
    leaver, sub = taken_over(made)
    game = made.game(0)
    assert game.decides == seat, "an action is left in the turn"
    say(made.database, game.id, f"keep {hand(game, seat)[0]}", NOW + 3 * DAY)
    game = load(made.database, game.id)
    other = next(s.player_id for s in game.seats if s.seat != seat)
    results.resign(made.database, game.id, other, now=NOW + 4 * DAY)
    return made.entrant(leaver).id, made.entrant(sub).id, made.entrant(other).id


def table_of(made: Season) -> standings.Standing:
    event = made.now()
    found: standings.Standing = made.read(lambda c: standings.standing_of(c, event, event.divisions[0]))
    return found


@pytest.mark.parametrize(
    ("share", "leaver_has", "sub_has"),
    [("split", Fraction(1, 2), Fraction(1, 2)), ("both", Fraction(1), Fraction(1)), ("seat", 0, 1)],
)
def test_the_standings_divide_the_points_of_a_seat_that_changed_hands(
    database: Database, share: str, leaver_has: Fraction, sub_has: Fraction
) -> None:
    made = season(database, 4, reserves=1, share=share)
    leaver, sub, loser = played_out_by_both(made)
    table = table_of(made)
    points = {place.entrant: place.points for place in table.places if place.points}
    assert points == {entrant: has for entrant, has in ((leaver, leaver_has), (sub, sub_has)) if has}
    for row in table.rows():
        cells = [cell for found in row.by_round.values() for cell in found]
        assert sum(cell.points for cell in cells) == row.place.points
    data = standings.as_data(table)["divided_seats"]
    if share == "seat":
        assert data == []
    else:
        gains = [(gain["entry"], Fraction(gain["points"])) for gain in data[0]["gains"]]
        assert (data[0]["round"], data[0]["points"], gains) == (1, "1", [(leaver, leaver_has), (sub, sub_has)])
    (result,) = table.results
    assert set(result.seats) == {sub, loser}, "the game is that of who holds the seat"


def test_a_game_that_was_annulled_divides_nothing(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4, reserves=1)
    leaver, _, _ = played_out_by_both(made)
    with sqlite_database.write() as session:
        outcomes.settle(session, made.match(0).id, VOID, "correction", [Fraction(0)] * 2, NOW + 5 * DAY)
        session.commit()
    table = table_of(made)
    assert all(place.points == 0 for place in table.places) and table.divided() == ()
    assert [result.parts for result in table.results] == [()] and leaver in table.names


def test_a_corrected_result_is_divided_anew(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4, reserves=1)
    leaver, sub, loser = played_out_by_both(made)
    with sqlite_database.write() as session:
        draw = [Fraction(1, 2)] * 2
        outcomes.settle(session, made.match(0).id, PLAYED, "correction", draw, NOW + 5 * DAY)
        session.commit()
    points = {place.entrant: place.points for place in table_of(made).places}
    assert (points[leaver], points[sub], points[loser]) == (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))


def test_results_cost_two_statements_more_however_many_seats_changed_hands(sqlite_database: Database) -> None:
    made = season(sqlite_database, 6, reserves=2)
    division = made.now().divisions[0].id

    def cost() -> int:
        asked: list[str] = []

        def note(*given: Any) -> None:
            asked.append(given[2])

        with sqlite_database.read() as session:
            sa.event.listen(session.connection(), "before_cursor_execute", note)
            outcomes.results_of(session, division)
        return len(asked)

    results.resign(sqlite_database, made.game(2).id, made.owes(2), now=NOW)
    before = cost()
    for number in (0, 1):
        _, sub = taken_over(made, number)
        results.resign(sqlite_database, made.game(number).id, sub, now=NOW + 3 * DAY)
    assert before == 1 and cost() == before + 2


def test_who_goes_through_from_a_group_has_the_points_of_the_place_they_took(sqlite_database: Database) -> None:
    """A group closes with its rounds though one more than it has places has played in it, and nobody wins a game
    without playing against the player who was replaced.
    """
    made = season(
        sqlite_database, 6, reserves=1, format="stages", groups=2, through=1, share="seat", withdrawal="annul",
    )  # fmt: skip
    leaver, sub = taken_over(made)
    held = made.entrant(sub).division_id
    event = made.now()
    for division in event.divisions[1:]:
        for _ in range(3):
            there = made.read(lambda c, d=division: round_rows.rounds_of(c, d.id, drafts=True))
            open_round = next((round for round in there if round.status != "closed"), None)
            if open_round is None:
                draft = pressed.pair(sqlite_database, division.id, made.organiser, now=NOW + 3 * DAY)
                version = made.read(lambda c, r=draft: round_rows.get(c, r).version)
                pressed.publish(sqlite_database, draft, made.organiser, version, now=NOW + 3 * DAY)
                open_round = made.read(lambda c, r=draft: round_rows.get(c, r))
            for match in open_round.matches:
                if match.game_id is None:
                    continue
                players = [seat.player_id for seat in match.seats]
                loser = next(player for player in players if player != sub)
                results.resign(sqlite_database, match.game_id, loser, now=NOW + 4 * DAY)
            pressed.close(sqlite_database, open_round.id, made.organiser, now=NOW + 4 * DAY)
    through = made.read(lambda c: stages.through(c, made.now()))
    assert made.entrant(sub).id in through and len(through) == 2
    group = next(division for division in event.divisions if division.id == held)
    table = made.read(lambda c: standings.standing_of(c, event, group))
    assert table.places[0].entrant == made.entrant(sub).id and table.places[0].points == 2
    assert not any(place.is_void for place in table.places) and leaver in table.players.values()


def test_the_table_of_a_group_counts_open_games_of_who_left_as_lost(sqlite_database: Database) -> None:
    """A group is a round robin (15.2 of C.07)."""
    made = season(sqlite_database, 6, format="stages", groups=2, through=1, withdrawal="walkover")
    gone = made.match(0).seats[0].player_id
    leaving.withdraw(sqlite_database, made.event, gone, made.organiser, reason="ill", now=NOW + DAY)
    event = made.now()
    table: standings.Standing = made.read(lambda c: standings.standing_of(c, event, made.first))
    points = {place.entrant: place.points for place in table.places}
    assert points.pop(made.entrant(gone).id) == 0
    assert list(points.values()) == [1, 1], "one open game was lost at once, the other before it was paired"


@pytest.mark.parametrize(("played", "void"), [(False, True), (True, False)])
def test_half_of_the_games_of_a_group_decides(sqlite_database: Database, played: bool, void: bool) -> None:
    """C.05: of two games none is less than half. The matches and the table say the same."""
    made = season(sqlite_database, 6, format="stages", groups=2, through=1, withdrawal="half")
    gone, other = (seat.player_id for seat in made.match(0).seats)
    if played:
        results.resign(sqlite_database, made.game(0).id, other, now=NOW)
    leaving.withdraw(sqlite_database, made.event, gone, made.organiser, reason="ill", now=NOW + DAY)
    event = made.now()
    table: standings.Standing = made.read(lambda c: standings.standing_of(c, event, made.first))
    place = next(place for place in table.places if place.entrant == made.entrant(gone).id)
    assert (place.is_void, place.points) == (void, int(played))
    assert (made.match(0).ended == VOID) == void
