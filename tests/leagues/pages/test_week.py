"""One desk for the week: what is ready and who is late in all divisions, previewed and done with few clicks."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape

import pytest
import sqlalchemy as sa

from app.base.server import Server
from app.base.stored.mail_tables import BouncedAddress
from app.leagues.clubs import members
from app.leagues.events import lifecycle, round_rows
from app.leagues.tables import Audit, Role
from app.people.tables import Player
from tests.support import pressed
from tests.support import season as support
from tests.support.events import planned, resign_all
from tests.support.mails import kept
from tests.support.people import Browser, Enter
from tests.support.season import DAY, Season, season
from tests.support.tables import deliver


@pytest.fixture(autouse=True)
def _recently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "NOW", datetime.now(UTC).replace(microsecond=0) - 2 * DAY)


def ticked(page: str) -> dict[str, str]:
    """Return the ticked boxes and the hidden fields of the forms of a page, as a browser sends them."""
    found = {}
    for tag in re.findall(r"<input [^>]+>", page):
        values = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if values.get("type") == "hidden" or " checked" in tag:
            found[values["name"]] = unescape(values["value"])
    return found


def rounds_of(server: Server, made: Season) -> list[tuple[int, str]]:
    with server.database.read() as session:
        division = lifecycle.get(session, made.event).divisions[0].id
        return [(one.number, one.status) for one in round_rows.rounds_of(session, division, drafts=True)]


def address(boss: Browser, path: str, fields: dict[str, str]) -> str:
    """Press the button of a form that changes nothing."""
    return boss.get(path + "?" + "&".join(f"{name}={value}" for name, value in fields.items() if name != "csrf_token"))


def test_a_round_is_closed_paired_and_published_with_four_clicks(server: Server, enter: Enter) -> None:
    made = season(server.database, 4)
    boss, path = enter("p0"), "/clubs/vendee/week"
    resign_all(server.database, made.round())
    clicks = 0
    for done in ([(1, "closed"), (2, "draft")], [(1, "closed"), (2, "published")]):
        before = rounds_of(server, made)
        page = address(boss, f"{path}/check", {**ticked(boss.get(path)), "act": "ready"})
        assert rounds_of(server, made) == before, "a look changes nothing"
        fields = ticked(page)
        told = boss.post(path, **fields)
        assert "Cup: done" in told
        clicks += 2
        assert rounds_of(server, made) == done
        again = boss.post(path, **fields)
        assert "was done before" in again and ": done" not in again, "in the second tab (club review, Minor)"
        assert rounds_of(server, made) == done, "pressed twice"
    assert clicks + 2 <= 6, "and two for who is late"


def test_several_late_ones_are_nudged_with_one_reason_and_one_refusal_stops_no_other(
    server: Server, enter: Enter
) -> None:
    made = season(server.database, 6, round_days=4)
    for number in range(3):
        made.start_clock(number, support.NOW - 2 * DAY)
    boss, path = enter("p0"), "/clubs/vendee/week"
    page = " ".join(boss.get(path).split())
    assert "3 games need somebody · 0 games run well" in page and "3 games are open" in page
    assert re.search(r'<th scope="rowgroup" colspan="6">Silent 3 <small>', page), "nobody is out of time yet"
    assert re.search(r"<b>p\d</b>", page), "who is on turn"
    late = {name: value for name, value in ticked(boss.get(path)).items() if name.startswith("late.")}
    assert len(late) == 3
    fields = ticked(address(boss, f"{path}/check", {**late, "act": "nudge"}))
    assert "Give a reason" in boss.post(path, 422, **fields), "nothing is done without a reason"
    first = next(iter(late))
    fields[first] = fields[first].partition("-")[0] + "-999"
    told = boss.post(path, **{**fields, "reason": "the round ends on Friday"})
    assert told.count(": done") == 2 and "This has been changed meanwhile" in told
    deliver(server.database, datetime.now(UTC))
    assert len(kept(server.database, "desk_act")) == 2
    told = boss.post(path, **{**fields, "reason": "the round ends on Friday"})
    assert told.count("was done before") == 2
    with server.database.read() as session:
        nudged = session.scalar(sa.select(sa.func.count()).where(Audit.act == "desk.nudged"))  # type: ignore[arg-type]
    assert nudged == 2
    enter("p1").get(path, 403)


def test_reserves_are_called_for_several_at_once(server: Server, enter: Enter) -> None:
    made = season(server.database, 6, reserves=1)
    for number in range(3):
        made.start_clock(number, support.NOW - 2 * DAY)
    boss, path = enter("p0"), "/clubs/vendee/week"
    late = {name: value for name, value in ticked(boss.get(path)).items() if name.startswith("late.")}
    assert len(late) == 3
    fields = {**ticked(address(boss, f"{path}/check", {**late, "act": "reserve"})), "reason": "they do not answer"}
    told = boss.post(path, **fields)
    assert told.count(": done") == 1 and told.count("No reserve is left") == 2
    deliver(server.database, datetime.now(UTC))
    assert [mail.to for mail in kept(server.database, "reserve_call")] == ["p7@example.org"]
    assert "Call a reserve</button>" not in boss.get(path), "nobody is left who could be called"


def test_a_silent_person_is_out_of_everything_with_two_clicks_and_back_with_one(server: Server, enter: Enter) -> None:
    """Club review, F5, F8 and 6.1: the week names the person, whose page has everything."""
    made = season(server.database, 4, round_days=30)
    silent, now = made.owes(0), datetime.now(UTC)
    for player in made.players:
        members.join_by_link(server.database, made.club, player, 1, now=now)
    other = planned(server.database, made.club, made.organiser, name="Cup 2")
    pressed.open_sign_up(server.database, other, made.organiser, now=now)
    pressed.sign_up(server.database, other, silent, by_id=made.organiser, now=now)
    made.start_clock(0, now - 9 * DAY)
    with server.database.write() as session:
        session.execute(sa.update(Player).values(acted_at=now))
        session.execute(sa.update(Player).where(Player.id == silent).values(acted_at=now - 33 * DAY))  # type: ignore[arg-type]
        session.add(BouncedAddress(address_key=f"p{silent - 1}@example.org", at=now, reason="550 5.1.1"))
        session.commit()
    boss = enter("p0")
    person = f"/clubs/vendee/members/{silent}"
    page = boss.get("/clubs/vendee/week")
    assert f'href="{person}"' in page and "silent for 33 days" in page
    page = boss.get(person)
    for words in ("silent for 33 days", "Mails do not reach", "Cup 2", f"game {made.game(0).id}", "Out of everything"):
        assert words in page
    assert "mails do not arrive" in boss.get("/clubs/vendee/members")
    boss.get(person)
    assert "Give a reason" in boss.post("/clubs/vendee/members/out", 422, player=str(silent))
    assert "These games are lost:" in page
    rival = next(seat.player_id for seat in made.game(0).seats if seat.player_id != silent)
    members.give_role(server.database, made.club, made.organiser, rival, Role.ORGANISER, now=now)
    theirs = enter(f"p{rival - 1}")
    theirs.get(person)
    own = theirs.post("/clubs/vendee/members/out", 403, player=str(silent), reason="does not answer")
    assert "another organiser has to do this" in own and made.entrant(silent).status == "entered"
    page = boss.post("/clubs/vendee/members/out", player=str(silent), reason="does not answer")
    assert "does not answer" in page and "Back into the events" in page
    assert made.entrant(silent).status == "withdrawn" and made.match(0).ended
    said = boss.post("/clubs/vendee/members/back", player=str(silent))
    assert "Entered again: Cup, Cup 2" in said
    assert made.entrant(silent).status == "entered" and "Back into the events" not in boss.get(person)
    nobody = next(one for one in made.players if one not in (silent, rival))
    enter(f"p{nobody - 1}").get(person, 403)


def test_back_into_an_event_that_takes_late_entries_by_hand_leads_there(server: Server, enter: Enter) -> None:
    """A secretary's first week, 1: the button said that the event takes nobody, and was gone."""
    made = season(server.database, 4, format="round_robin")
    gone, boss = made.owes(0), enter("p0")
    members.join_by_link(server.database, made.club, gone, 1, now=datetime.now(UTC))
    person = f"/clubs/vendee/members/{gone}"
    page = boss.get(person)
    assert "These games become void:" in page and f"/games/{made.game(0).id}" in page
    boss.post("/clubs/vendee/members/out", player=str(gone), reason="does not answer")
    said = boss.post("/clubs/vendee/members/back", player=str(gone))
    assert "Take somebody in late: Cup" in said and "Takes nobody" not in said
    assert "Back into the events" in boss.get(person), "nobody is back"
    link = unescape(re.findall(r'href="([^"]+)">Take somebody in late', said)[0])
    assert f"player={gone}" in link and "What would change" in boss.get(link)
    fields = {**ticked(boss.get(link)), "reason": "is back"}
    boss.post(f"/events/{made.event}/late", **fields)
    assert made.entrant(gone).status == "entered" and "Back into the events" not in boss.get(person)
