"""The result of a game is set in one step by somebody who does not play in the event."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted, NotAllowed
from app.base.words.speech import Voice
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import round_rows
from app.leagues.rulings import deciding
from app.leagues.tables import RulingStatus
from app.play.agreed import results
from tests.support import pressed
from tests.support.databases import ON_SQLITE
from tests.support.mails import kept
from tests.support.season import season, token
from tests.support.tables import NOW, deliver, load


@ON_SQLITE
def test_a_result_is_set_with_one_reason_and_one_mail_to_each(database: Database) -> None:
    now = season(database)
    match = now.match(0)
    loser = match.seats[-1].player_id
    results.resign(database, match.game_id or 0, loser, now=NOW)
    deliver(database, NOW)
    before = len(kept(database))
    asked = ActRequest(now.organiser, "Both say that it was a draw.", token())
    with pytest.raises(NotAllowed):
        deciding.set_result(database, now.event, match.id, ["½", "½"], ActRequest(loser, "I", token()), now=NOW)
    ruling = deciding.set_result(database, now.event, match.id, ["0.5", "0.5"], asked, now=NOW)
    assert ruling is not None
    assert deciding.set_result(database, now.event, match.id, ["0.5", "0.5"], asked, now=NOW) is None
    deliver(database, NOW)
    mails = kept(database)[before:]
    assert len({mail.to for mail in mails}) == len(mails) == 2
    assert all("the result is set" in mail.words and "it was a draw" in mail.words for mail in mails)
    row = now.read(lambda session: deciding.find(session, now.event, ruling))
    assert row.status == RulingStatus.DECIDED and [str(seat.points) for seat in now.match(0).seats] == ["1/2", "1/2"]


def test_a_game_that_runs_ends_with_the_result_that_is_set(database: Database) -> None:
    now = season(database)
    match = now.match(0)
    asked = ActRequest(now.organiser, "They played it in the bar.", token())
    assert deciding.set_result(database, now.event, match.id, ["½", "½"], asked, now=NOW) is not None
    assert [str(seat.points) for seat in now.match(0).seats] == ["1/2", "1/2"] and now.game(0).is_over


def test_a_correction_says_what_it_undoes_and_the_mail_says_who_did_it(sqlite_database: Database) -> None:
    """Club review, F6: the final that runs is called off since a semi-final is corrected; nobody has agreed to that."""
    now = season(sqlite_database, 4, format="knockout")
    for semi in now.round().matches:
        results.resign(sqlite_database, semi.game_id or 0, semi.seats[1].player_id, now=NOW)
    pressed.close(sqlite_database, now.round().id, now.organiser, now=NOW)
    draft = pressed.pair(sqlite_database, now.first.id, now.organiser, now=NOW)
    pressed.publish(sqlite_database, draft, now.organiser, 1, now=NOW)
    [final] = now.read(lambda c: round_rows.get(c, draft)).matches
    wins, loses = (seat.player_id for seat in now.match(0).seats)
    other = next(seat.player_id for seat in final.seats if seat.player_id != wins)
    with sqlite_database.write() as session:
        session.execute(sa.text("UPDATE player SET mail_news = :no"), {"no": False})
        session.commit()
    unsure = ActRequest(now.organiser, "It was the other way round.", token(), sure=False)
    points = ["0", "1"]
    with pytest.raises(NotAccepted, match=r"ruling\.undoes") as no:
        deciding.set_result(sqlite_database, now.event, now.match(0).id, points, unsure, now=NOW)
    assert all(seat.name in Voice().say(no.value.why) for seat in final.seats), "it names the game"
    assert not load(sqlite_database, final.game_id or 0).is_over and now.match(0).seats[0].points == 1
    asked = replace(unsure, sure=True)
    assert deciding.set_result(sqlite_database, now.event, now.match(0).id, points, asked, now=NOW)
    assert load(sqlite_database, final.game_id or 0).is_over
    deliver(sqlite_database, NOW)
    told = {mail.to: mail.words for mail in kept(sqlite_database, "cancelled")}
    assert set(told) == {f"p{player - 1}@example.org" for player in (wins, other)}, "also who takes no news"
    assert all("a result of Cup was corrected" in words and "agreed" not in words for words in told.values())
    games = now.read(lambda c: round_rows.get(c, draft)).open_matches
    assert [{seat.player_id for seat in one.seats} for one in games] == [{loses, other}]
