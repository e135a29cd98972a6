"""Steps of an event that can be taken back: publishing, starting, ending (club review, 6.8 and section 7)."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

from app.base.server import Server
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.results import records
from app.leagues.tables import CompetitionStatus
from tests.support import pressed
from tests.support.events import event, people, play_round, read
from tests.support.mails import kept
from tests.support.people import BOTH, Enter
from tests.support.season import season
from tests.support.tables import deliver, load, random_line, say


@BOTH
def test_a_round_is_taken_back_until_somebody_moves(server: Server, enter: Enter) -> None:
    made = season(server.database, 3)
    deliver(server.database, datetime.now(UTC))
    boss, games = enter("p0"), [match.game_id for match in made.round().matches if match.game_id]
    path = f"/events/{made.event}/{made.round().place}"
    assert "Take the round back" in boss.get(path) and "a mail tells its players" in boss.get(path)
    told, names = boss.get(path).partition("Mails go to:")[2], made.read(lambda c: entries.entrants(c, made.event))
    assert all(one.name in told for one in names), "it says whom it mails"
    assert "tick the box" in boss.post(f"{path}/unpublish", 422), "it asks first"
    assert "a mail tells its players" in boss.post(f"{path}/unpublish", sure="yes")
    [draft] = made.read(lambda c: round_rows.rounds_of(c, made.first.id, drafts=True))
    assert draft.status == "draft" and all(load(server.database, one).is_over for one in games)
    deliver(server.database, datetime.now(UTC))
    told = kept(server.database, "event_back")
    assert len(told) == 3 and all("before anybody moved" in mail.words for mail in told)
    assert kept(server.database, "cancelled") == [], "one mail says it"
    pressed.publish(server.database, draft.id, made.organiser, draft.version, now=datetime.now(UTC))
    deliver(server.database, datetime.now(UTC))
    assert len(kept(server.database, "event_round")) == 3 + 2, "who has the bye knows of it"
    game = made.game(0)
    assert game.id not in games
    say(server.database, game.id, random_line(game, Random(1)))
    assert "Take the round back" not in boss.get(path)
    assert "Somebody has moved in this round" in boss.post(f"{path}/unpublish", 409, sure="yes")


def test_sign_up_opens_again_and_an_event_that_was_over_goes_on(server: Server, enter: Enter) -> None:
    who = people(server.database, 3)
    now = event(server.database, who, "round_robin")
    boss, manage = enter("p0"), f"/events/{now.id}/manage"

    def status() -> CompetitionStatus:
        return read(server.database, lambda c: lifecycle.get(c, now.id)).status  # type: ignore[no-any-return]

    pressed.pair(server.database, now.divisions[0].id, who[0], now=datetime.now(UTC))
    boss.get(manage)
    boss.post(f"/events/{now.id}/back", to="sign_up")
    assert status() == "sign_up" and "Back to sign-up" not in boss.get(manage)
    pressed.start(server.database, now.id, who[0], now=datetime.now(UTC))
    for _ in range(3):
        play_round(server.database, now.divisions[0].id, who[0])
    assert "Back to sign-up" not in boss.get(manage)
    boss.post(f"/events/{now.id}/back", 422, to="sign_up")
    for ends in (1, 2):
        boss.post(f"/events/{now.id}/finish")
        assert status() == "over"
        deliver(server.database, datetime.now(UTC))
        assert len(kept(server.database, "event_over")) == 3 * ends
        places = read(server.database, lambda c: records.finished(c, now.club_id))
        assert len(places) == 3, "each place once"
        if ends == 1:
            assert "a mail tells its players that it goes on" in boss.get(manage)
            boss.post(f"/events/{now.id}/back", to="running")
            assert status() == "running"
            deliver(server.database, datetime.now(UTC))
            assert len(kept(server.database, "event_back")) == 3
