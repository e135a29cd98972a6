"""The desk, rulings, substitutes and messages over HTTP and mail."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from app.base.server import Server
from app.leagues.changes import reserves
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import lifecycle, round_rows
from app.leagues.tables import CompetitionMessage
from app.play.agreed import results
from tests.support import pressed
from tests.support import season as support
from tests.support.desks import NOW, act, begun, hidden, text_of_page, who
from tests.support.people import Browser, Enter, PostOffice, everything, text_of
from tests.support.season import DAY, HOUR, end_unreported, season
from tests.support.tables import hand, link_to, say


@pytest.fixture(autouse=True)
def _recently(monkeypatch: pytest.MonkeyPatch) -> None:
    """The event began two days ago, so that its moments fit the requests of now."""
    monkeypatch.setattr(support, "NOW", NOW)


def test_the_desk_is_for_those_who_run_the_event(server: Server, enter: Enter, stranger: Browser) -> None:
    made = begun(server)
    path, acts = f"/events/{made.event}/manage", f"/events/{made.event}/desk"
    assert stranger.client.get(path).status_code == 303, "sign in first"
    assert stranger.client.get(acts).location == path, "mails of 1.0 link it"
    player = enter(who(made.players[0]))
    assert "This needs the role" in player.get(path, 403)
    player.get(f"{acts}/{made.match(0).id}/nudge", 403)
    player.post(f"{acts}/{made.match(0).id}/nudge", 403, once="a" * 12, seen="0", reason="x")
    boss = enter("p0")
    page = boss.get(path)
    assert "2 games need somebody" in page and "has had the mail since" in page and ">Nudge</a>" in page
    boss.get(f"{acts}/{made.match(0).id}/explode", 404)
    boss.get(f"{acts}/999999/nudge", 410)


@pytest.mark.quick
def test_each_button_previews_asks_for_a_reason_and_acts_once(server: Server, enter: Enter, post: PostOffice) -> None:
    made = begun(server)
    boss, match = enter("p0"), made.match(0).id
    base = f"/events/{made.event}/desk/{match}"
    before = everything(server)
    page = boss.get(f"{base}/extend")
    assert "on top of the time that is left" in page and "Mails go to: " in page and "It can be undone" in page
    assert everything(server) == before, "looking changes nothing"
    due = made.game(0).deadline_at
    form = {"once": hidden(page, "once"), "seen": hidden(page, "seen"), "days": "3", "reason": "a funeral"}
    assert "Give a reason" in boss.post(f"{base}/extend", 422, **{**form, "reason": " "})
    assert "from 1 to 60" in boss.post(f"{base}/extend", 422, **{**form, "days": "99"})
    assert "This form is not complete" in boss.post(f"{base}/extend", 400, **{**form, "once": "<script>"})
    assert "The time is given" in boss.post(f"{base}/extend", **form)
    assert "This was done before" in boss.post(f"{base}/extend", **form)
    assert made.game(0).deadline_at == due + 3 * DAY
    assert "look at it again" in boss.post(f"{base}/extend", 409, **{**form, "once": "b" * 12})
    owes = who(made.owes(0))
    mail = post.last(f"{owes}@example.org")
    assert mail["Subject"].startswith("More time in Ferry")
    assert "a funeral" in text_of(mail) and "3 days more" in " ".join(text_of(mail).split())
    undo = re.search(rf'href="(/events/{made.event}/desk/undo/\d+)"', boss.get(f"/events/{made.event}/manage"))
    assert undo
    assert "is taken back" in boss.get(undo[1])
    assert "Undone" in act(boss, undo[1])
    assert made.game(0).deadline_at == due
    boss.get(undo[1], 410)


def test_a_nudge_and_leave_by_the_page(server: Server, enter: Enter, post: PostOffice) -> None:
    made = begun(server)
    boss, match = enter("p0"), made.match(0).id
    base = f"/events/{made.event}/desk/{match}"
    assert "The mail is on its way" in act(boss, f"{base}/nudge")
    assert "nudged today already" in act(boss, f"{base}/nudge", 422)
    assert "asks you to make your move" in " ".join(text_of(post.last(f"{who(made.owes(0))}@example.org")).split())
    assert "in 1 running game of this event" in boss.get(f"{base}/leave")
    assert "Leave is granted" in act(boss, f"{base}/leave", days="5")


def test_a_substitute_takes_the_seat_by_mail(server: Server, enter: Enter, post: PostOffice, stranger: Browser) -> None:
    made = begun(server, reserves=2)
    boss, leaver, old = enter("p0"), made.owes(0), link_to(made.game(0))
    base = f"/events/{made.event}/desk/{made.match(0).id}"
    first, second = (f"{who(one)}@example.org" for one in made.reserves)
    assert f"Mails go to: {first.partition('@')[0]}." in boss.get(f"{base}/reserve")
    assert "The reserve is asked by mail." in act(boss, f"{base}/reserve")
    link = post.link(first, "reserve")
    before = everything(server)
    for _ in range(3):
        assert f"Will you play on for {who(leaver)}?" in stranger.get(link)
    assert everything(server) == before, "looking changes nothing"
    assert "Choose one of" in stranger.post(link, 422)
    assert "Decide later" in stranger.post(link, answer="later"), "the first button changes nothing"
    assert "Somebody else is asked" in stranger.post(link, answer="decline")
    stranger.get(link, 410)
    stranger.get(link[:-2] + ("xx" if link[-2:] != "xx" else "yy"), 404)
    link = post.link(second, "reserve")
    assert "The seat is yours" in stranger.post(link, answer="accept")
    assert "have accepted already" in stranger.post(link, 410, answer="decline")
    assert made.game(0).seated(made.game(0).decides).player_id == made.reserves[1]
    assert "This link has ended" in stranger.get(f"/t/{server.links.turn_token(old)}")
    turn = post.link(second, "t")
    assert "What will you do" in stranger.get(turn) or made.game(0).decides
    assert f"They are asked in this order: {who(made.reserves[0])}" in boss.get(f"/events/{made.event}/manage"), (
        "who declined stays on the list"
    )
    page = stranger.get(f"/events/{made.event}")
    assert who(leaver) in page and who(made.reserves[1]) in page


def test_divided_points_are_explained_wherever_the_table_stands(
    server: Server, post: PostOffice, stranger: Browser
) -> None:
    """Rows add up on the page, on paper and in files, and a note says whose points those of the seat are."""
    made = begun(server, reserves=1)
    game = made.game(0)
    seat, leaver, base = game.decides, made.owes(0), f"/events/{made.event}"
    before = stranger.get(base)
    assert "changed hands" not in before and "½*" not in before
    say(server.database, game.id, f"keep {hand(game, seat)[0]}", NOW + HOUR)
    entrant, sub = made.entrant(leaver).id, made.reserves[0]
    asked = reserves.call(
        server.database, made.event, entrant, ActRequest(made.organiser, "ill", support.token()), now=NOW
    )
    assert asked is not None
    pressed.answer_call(server.database, asked.id, sub, accepts=True, now=NOW + 2 * HOUR)
    say(server.database, game.id, f"keep {hand(made.game(0), seat)[0]}", NOW + 3 * HOUR)
    loser = next(one.player_id for one in made.game(0).seats if one.seat != seat)
    results.resign(server.database, game.id, loser, now=NOW + 4 * HOUR)
    gap = "\N{NO-BREAK SPACE}"
    note = f"Round 1: a seat changed hands. Of its points (1): {who(leaver)}{gap}½, {who(sub)}{gap}½."
    for path in (base, f"{base}/print", f"{base}/embed"):
        page = text_of_page(stranger.get(path))
        assert page.count(note) == 1, path
        assert page.count("½*") == {base: 5, f"{base}/print": 5, f"{base}/embed": 2}[path], "totals, cells, legend"
    rows = list(csv.DictReader(io.StringIO(stranger.get(f"{base}/standings.csv"))))
    divided = {row["name"]: (row["points"], row["of_divided_seats"]) for row in rows if row["of_divided_seats"]}
    assert divided == {who(leaver): ("0.5", "0.5"), who(sub): ("0.5", "0.5")}
    assert sum(float(row["points"]) for row in rows) == 1
    (data,) = json.loads(stranger.get(f"{base}/standings.json"))["divisions"]
    gains = [{"entry": made.entrant(one).id, "name": who(one), "points": "1/2"} for one in (leaver, sub)]
    assert data["divided_seats"] == [{"round": 1, "points": "1", "gains": gains}]
    marked = [(seat["name"], seat["points"]) for one in data["rounds"][0]["matches"] for seat in one["seats"]
              if seat["divided"]]  # fmt: skip
    assert marked == [(who(sub), "1")]
    with server.database.read() as session:
        division = lifecycle.get(session, made.event).divisions[0].id
        place = round_rows.rounds_of(session, division)[0].place
    page = text_of_page(stranger.get(f"{base}/{place}"))
    assert page.count("1*") == 1 and "changed hands are divided" in page
    assert f"{who(sub)} 1*" in stranger.get(f"{base}/results.atom")


def test_a_message_is_looked_at_and_sent_once(server: Server, enter: Enter, post: PostOffice) -> None:
    made = begun(server, reserves=1)
    boss = enter("p0")
    path = f"/events/{made.event}/messages"
    page = boss.get(path)
    assert "everybody in the event, reserves too (5)" in page and "those whose deadline has passed (0)" in page
    form = {"to": "event", "subject": "Round two", "text": "It begins on Monday.\n\nPlay well."}
    assert "Nobody would get this" in boss.post(path, 422, **{**form, "to": "late"})
    assert "Write a subject" in boss.post(path, 422, **{**form, "text": " "})
    assert "Choose one of" in boss.post(path, 422, **{**form, "to": "division:99"})
    preview = boss.post(path, **form)
    assert "5 mails, to: p1, p2, p3, p4, p5." in preview and "@example.org" not in preview
    send = {**form, "step": "send", "once": hidden(preview, "once")}
    for _ in range(3):
        assert "The mail is on its way" in boss.post(path, **send)
    mails = [mail for mail in post.all() if "Round two" in str(mail["Subject"])]
    assert len(mails) == 5 and all(mail["Reply-To"] is None for mail in mails)
    assert all(str(mail["To"]).count("@") == 1 for mail in mails)
    assert "p0@example.org" not in text_of(mails[0]) and f"/events/{made.event}" in text_of(mails[0])
    preview = boss.post(path, **form, replies="yes")
    assert "Answers go to your own address" in preview
    boss.post(path, **{**send, "once": hidden(preview, "once"), "replies": "yes", "subject": "Round three"})
    mails = [mail for mail in post.all() if "Round three" in str(mail["Subject"])]
    assert [str(mail["Reply-To"]) for mail in mails] == ["p0 <p0@example.org>"] * 5
    with server.database.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(CompetitionMessage)) == 2
    assert "Round three" in boss.get(path)
    enter("p1").get(path, 403)


def test_those_who_are_silent_can_be_written_to(server: Server, enter: Enter, post: PostOffice) -> None:
    """On the desk, among the players, in the week, and as the recipients of a message of the event or of the club."""
    made = season(server.database, 8)
    for number in range(3):
        made.start_clock(number, NOW - 2 * DAY)
    boss = enter("p0")
    made.start_clock(3, datetime.now(UTC) - HOUR)
    silent = {who(made.owes(number)) for number in range(3)}
    base, week, news = f"/events/{made.event}", "/clubs/vendee/week", "/clubs/vendee/news"
    assert set(re.findall(r"<b>(p\d)</b>", boss.get(f"{base}/manage"))) == {*silent, who(made.owes(3))}
    for path in (f"{base}/manage", week):
        assert "Write to those who are silent (3)" in boss.get(path), path
    rows = re.findall(r'<th scope="row">(p\d)</th>', boss.get(f"{base}/players?show=silent"))
    assert set(rows) == silent and len(re.findall(r'<th scope="row">p\d', boss.get(f"{base}/players"))) == 8
    for path, named in ((f"{base}/messages", "those who are silent (3)"), (news, "silent in a running event (3)")):
        page = boss.get(f"{path}?to=silent")
        assert re.search(r'<option value="silent" selected>[^<]*' + re.escape(named), page), path
        form = {"to": "silent", "subject": f"Are you there, {named}", "text": "Please move."}
        preview = boss.post(path, **form)
        assert f"3 mails, to: {', '.join(sorted(silent))}." in preview
        for _ in range(2):
            assert "The mail is on its way" in boss.post(path, **form, step="send", once=hidden(preview, "once"))
        got = sorted(str(mail["To"]).partition(" ")[0] for mail in post.all() if named in str(mail["Subject"]))
        assert got == sorted(silent), path
    assert "wrote to the players who are silent" in boss.get("/clubs/vendee/audit")
    assert "Please move." not in boss.get(news), "a letter is no announcement"


def test_who_wants_no_news_gets_no_message(server: Server, enter: Enter, post: PostOffice) -> None:
    made = begun(server)
    with server.database.write() as session:
        session.execute(
            sa.text("UPDATE player SET mail_news = :no WHERE id = :who"), {"no": False, "who": made.players[0]}
        )
        session.commit()
    boss, path = enter("p0"), f"/events/{made.event}/messages"
    boss.get(path)
    form = {"to": "event", "subject": "News", "text": "Of the event."}
    preview = boss.post(path, **form)
    boss.post(path, **form, step="send", once=hidden(preview, "once"))
    got = sorted(str(mail["To"]).partition(" ")[0] for mail in post.all() if "Cup: News" in str(mail["Subject"]))
    assert len(got) == 3 and not any("p1@" in to for to in got)


def test_a_finished_game_is_taken_over_and_a_ruling_opened(server: Server, enter: Enter) -> None:
    made = begun(server)
    boss = enter("p0")
    end_unreported(made, 0, NOW + timedelta(hours=2))
    assert "its result is not in the table yet" in boss.get(f"/events/{made.event}/manage")
    assert "The result is in the table." in act(boss, f"/events/{made.event}/desk/{made.match(0).id}/report")
    assert made.match(0).ended == "void"
    assert "What is asked" in act(boss, f"/events/{made.event}/desk/{made.match(1).id}/ruling", reason="Who is right?")
    page = boss.get(f"/events/{made.event}/manage")
    assert "1 ruling waits for a decision." in page and ">Decide the ruling</a>" in page


@pytest.mark.parametrize("language", ["fr", "es", "it"])
def test_the_pages_speak_the_readers_language(server: Server, enter: Enter, language: str) -> None:
    made = begun(server, reserves=1)
    with server.database.write() as session:
        session.execute(sa.text("UPDATE player SET language = :lang"), {"lang": language})
        session.commit()
    boss, match = enter("p0", language=language), made.match(0).id
    for path in ("manage", f"desk/{match}/extend", f"desk/{match}/reserve", "rulings", "messages"):
        page = boss.get(f"/events/{made.event}/{path}")
        words = re.sub(r"<[^>]+>", " ", page)
        for english in ("What this does", "Run this event", "Give more time", "Nobody", "Subject", "Rulings", "days"):
            assert f" {english} " not in words, (path, english)
