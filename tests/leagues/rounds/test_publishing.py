"""A draft is published once at an hour set by an organiser, unless that is called off."""

from __future__ import annotations

import re

import pytest
import sqlalchemy as sa

from app.base.server import Server
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted, NotAllowed
from app.leagues.clubs.acting import Acting
from app.leagues.desk import autopilot, week, weekly_mail
from app.leagues.events import round_rows
from app.leagues.rounds import publishing, round_loop
from app.leagues.tables import Audit, CompetitionRound
from app.web import visit
from tests.support import pressed
from tests.support.events import league, people, read, resign_all
from tests.support.people import Enter
from tests.support.season import DAY, HOUR, Season, season
from tests.support.tables import NOW


def drafted(database: Database, **terms: int) -> tuple[Season, CompetitionRound]:
    made = season(database, 4, **terms)
    resign_all(database, made.round())
    pressed.close(database, made.round().id, made.organiser, now=NOW)
    round_id = pressed.pair(database, made.first.id, made.organiser, now=NOW)
    return made, made.read(lambda session: round_rows.get(session, round_id))


def test_a_draft_is_published_at_its_hour_unless_it_is_called_off_or_paired_again(database: Database) -> None:
    made, draft = drafted(database, round_days=5)
    boss = made.organiser

    def now_is() -> CompetitionRound:
        return made.read(lambda session: round_rows.get(session, draft.id))  # type: ignore[no-any-return]

    for at, until, code in ((NOW, None, "at"), (NOW + DAY, NOW + DAY, "until")):
        with pytest.raises(NotAccepted, match=rf"round\.{code}"):
            pressed.name_hour(database, draft.id, boss, draft.version, at, until=until, now=NOW)
    with pytest.raises(NotAllowed):
        pressed.name_hour(database, draft.id, made.players[0], draft.version, NOW + DAY, now=NOW)
    assert pressed.name_hour(database, draft.id, boss, draft.version, NOW + DAY, until=NOW + 9 * DAY, now=NOW)
    assert not pressed.name_hour(database, draft.id, boss, draft.version, NOW + DAY, until=NOW + 9 * DAY, now=NOW)
    assert pressed.call_off(database, draft.id, boss, draft.version, now=NOW)
    assert not pressed.call_off(database, draft.id, boss, draft.version, now=NOW)
    assert publishing.sweep(database, NOW + 2 * DAY) == 0 and now_is().due_at is None
    pressed.name_hour(database, draft.id, boss, draft.version, NOW + DAY, now=NOW)
    pressed.pair(database, made.first.id, boss, now=NOW)
    assert now_is().publish_at is None and publishing.sweep(database, NOW + 2 * DAY) == 0, "nobody has seen this one"
    with database.read() as session:
        assert [one.ready for one in weekly_mail.read(session, boss, NOW)] == [1]
    pressed.name_hour(database, draft.id, boss, now_is().version, NOW + DAY, now=NOW)
    with database.read() as session:
        assert weekly_mail.read(session, boss, NOW) == [], "it needs no hand any more"
        [there] = round_rows.of_event(session, made.event)[1]
        assert (there.id, there.publish_at) == (draft.id, NOW + DAY)
    assert publishing.sweep(database, NOW + DAY - HOUR) == 0
    assert not publishing._publish(database, made.event, draft.id, NOW + DAY - HOUR), "it has been put off meanwhile"
    assert (publishing.sweep(database, NOW + DAY), publishing.sweep(database, NOW + DAY)) == (1, 0)
    assert (now_is().status, now_is().published_at, now_is().due_at) == ("published", NOW + DAY, NOW + 6 * DAY)
    with database.read() as session:
        acts = session.execute(sa.select(Audit.act, Audit.by_id).order_by(Audit.id)).all()  # type: ignore[call-overload]
    assert [row.act for row in acts if "hour" in row.act] == [
        "round.hour",
        "round.hour_off",
        "round.hour",
        "round.hour",
    ]
    assert acts[-1] == ("round.published", None), "by the server"


def test_a_draft_that_cannot_be_published_holds_up_no_other(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = people(sqlite_database, 4)
    event = league(sqlite_database, who)
    drafts = []
    for division in event.divisions:
        drafts.append(pressed.pair(sqlite_database, division.id, who[0], now=NOW))
        version = read(sqlite_database, lambda session: round_rows.get(session, drafts[-1]).version)
        pressed.name_hour(sqlite_database, drafts[-1], who[0], version, NOW + DAY, now=NOW)
    put_out = round_loop.put_out

    def fails(acting: Acting, round: CompetitionRound) -> int:
        return put_out(acting, round) // (round.id != drafts[0])

    def statuses() -> list[str]:
        return [read(sqlite_database, lambda session, n=n: round_rows.get(session, n).status) for n in drafts]

    with monkeypatch.context() as broken:
        broken.setattr(round_loop, "put_out", fails)
        assert publishing.sweep(sqlite_database, NOW + DAY) == 1
    assert statuses() == ["draft", "published"]
    assert publishing.sweep(sqlite_database, NOW + 2 * DAY) == 1 and statuses() == ["published"] * 2, "tried again"


def test_an_hour_named_by_hand_goes_before_the_hours_of_the_autopilot(sqlite_database: Database) -> None:
    made, draft = drafted(sqlite_database, autopilot=24)
    until = NOW + 30 * DAY
    task = f"publish-{draft.id}-{draft.version}"
    at = NOW + 3 * DAY
    done = week.do_task(sqlite_database, made.club, task, made.organiser, how=week.TaskDetails(at, until), now=NOW)
    assert done and autopilot.sweep(sqlite_database, at - HOUR) == 0
    assert autopilot.sweep(sqlite_database, at) == 1
    assert made.read(lambda session: round_rows.get(session, draft.id)).due_at == until


def test_the_pages_name_the_hour_and_call_it_off(server: Server, enter: Enter) -> None:
    made, draft = drafted(server.database, round_days=5)
    boss, path, version = enter("p0"), f"/events/{made.event}/{draft.place}", str(draft.version)
    hour = f"{visit.now().year + 1}-01-15T20:00"
    boss.get(path)
    fields = {"version": version, "club_zone": "Europe/Paris", "until": "2099-01-01T10:00"}
    assert "is not a date with an hour" in boss.post(f"{path}/publish", 422, **fields, at="tomorrow")
    assert "in the future" in boss.post(f"{path}/publish", 422, **fields, at="2001-01-01T20:00")
    page = boss.post(f"{path}/publish", **fields, offered=fields["until"], at=hour)
    assert "published at that hour" in page and "Call this hour off" in page
    with server.database.read() as session:
        kept = round_rows.get(session, draft.id)
    assert kept.publish_at and f"{kept.publish_at:%m-%d %H:%M}" == "01-15 19:00", "an hour in the zone of the club"
    assert kept.due_at is None, "the end was left as it was offered: the days count from that hour"
    assert "draft: is published on" in boss.get(f"/events/{made.event}/manage")
    assert "by itself on" in boss.get("/clubs/vendee/week")
    assert f'value="{hour[:10]}T19:00' in boss.get(path)
    assert "the draft waits for you again" in boss.post(f"{path}/no-hour", version=version)
    assert "by itself on" not in boss.get("/clubs/vendee/week")
    by_week = {f"task.publish-{draft.id}-{version}": "1", "once": "x" * 24}
    for wrong, why in (("2001-01-01T20:00", "in the future"), ("tomorrow", "is not a date with an hour")):
        page = boss.post("/clubs/vendee/week", 422, **by_week, at=wrong)
        assert why in page and re.search(rf'name="at"[^>]*value="{wrong}"[^>]*aria-invalid', page)
    boss.post("/clubs/vendee/week", **by_week, at=hour)
    assert "by itself on" in boss.get("/clubs/vendee/week")
