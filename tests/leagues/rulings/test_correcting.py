"""The result of a game is set in one step by somebody who does not play in the event."""

from __future__ import annotations

import pytest

from app.base.stored.database import Database
from app.base.words.refusals import NotAllowed
from app.leagues.clubs.acting import ActRequest
from app.leagues.rulings import deciding
from app.leagues.tables import RulingStatus
from app.play.agreed import results
from tests.support.mails import kept
from tests.support.season import season, token
from tests.support.tables import NOW, deliver


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
