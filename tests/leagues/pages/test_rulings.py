"""Rulings over the pages: claims, appeals, corrections, and what a page says about a result by ruling."""

from __future__ import annotations

import json
import re
import secrets
from fractions import Fraction

import pytest
import sqlalchemy as sa
from flask import Flask

from app.base.server import Server
from app.leagues.clubs.acting import ActRequest
from app.leagues.results import outcomes
from app.leagues.rulings import deciding, round_ends
from app.leagues.rulings.applying import Verdict
from app.leagues.tables import Member
from app.play.agreed import results
from tests.support import pressed
from tests.support import season as support
from tests.support.desks import NOW, act, begun, hidden, text_of_page, who
from tests.support.events import event, people, published, resign_all
from tests.support.hidden_cards import pages_without_them
from tests.support.mails import kept
from tests.support.people import Browser, Enter, PostOffice, everything, text_of
from tests.support.season import DAY, HOUR, season, token
from tests.support.tables import deliver, hand, say, start


@pytest.fixture(autouse=True)
def _recently(monkeypatch: pytest.MonkeyPatch) -> None:
    """The event began two days ago, so that its moments fit the requests of now."""
    monkeypatch.setattr(support, "NOW", NOW)


def typed(do: str, reason: str) -> dict[str, str]:
    """Return what the form of a player sends."""
    return {"once": secrets.token_hex(12), "do": do, "reason": reason}


def test_a_claim_is_decided_and_appealed_over_the_pages(server: Server, enter: Enter, post: PostOffice) -> None:
    made = begun(server)
    match = made.match(0)
    player, other = (enter(who(seat.player_id)) for seat in match.seats)
    path = f"/events/{made.event}/claim/{match.id}"
    assert f'href="{path}"' in player.get(f"/events/{made.event}")
    player.get(path)
    assert "Give a reason" in player.post(path, 422, reason="")
    assert "Your claim is on its way" in player.post(path, reason="He was late three times.")
    asked = post.link("p0@example.org", "asked/ruling")
    link = player.page.request.path
    # Club review, F18: by the mail alone, and the other side hears of it.
    claims, answers = (f"{who(seat.player_id)}@example.org" for seat in match.seats)
    theirs, anonymous = post.link(answers, "asked/ruling"), Browser(other.client.application)
    assert "He was late three times." in anonymous.get(theirs) and "Decide</h2>" not in anonymous.get(theirs)
    assert "stands beside the ruling" in anonymous.post(theirs, **typed("say", "I was not."))
    said = post.last(claims)
    assert "has answered about the game of round 1" in text_of(said) and "I was not." in text_of(said)
    assert "I was not." in text_of(post.last("p0@example.org")), "and who decides"
    assert "He was late three times." in other.get(link) and "Decide</h2>" not in other.get(link)
    outsider = enter(who(made.match(1).seats[0].player_id))
    outsider.get(link, 403)
    assert "Only the players of a game can ask" in outsider.get(path, 403)
    outsider.post(path, 403, reason="Me too.")
    other.get(link)
    assert "Give a reason" in other.post(link, 422, **typed("say", " "))
    assert "stands beside the ruling" in other.post(link, **typed("say", "My mail came back twice."))
    outsider.post(link, 403, **typed("say", "Me too."))
    boss = enter("p0")
    assert "<q>My mail came back twice.</q>" in boss.get(link)
    assert "waits for a decision" in boss.get(f"/events/{made.event}/rulings")
    assert "1 ruling waits for a decision." in boss.get(f"/events/{made.event}/{made.round().place}")
    page = boss.get(link)
    assert "The mails and what happened to them" in page and "@example.org" not in page
    form = {"once": hidden(page, "once"), "decision": "forfeit", "reason": "Three times is enough."}
    assert "Choose which side" in boss.post(link, 422, **form)
    by_mail, before = Browser(other.client.application), everything(server)
    page = by_mail.get(asked)
    assert "What everybody could see" in page and "Undo" not in page and everything(server) == before
    assert "Choose which side" in by_mail.post(asked, 422, **form)
    assert "The decision holds" in by_mail.post(asked, **form, place="1")
    assert "does not wait for your answer any more" in by_mail.get(asked, 410)
    by_mail.get(asked[:-1] + "!", 404)
    assert "This was done before" in boss.post(link, **form, place="1")
    assert made.match(0).seats[0].points == 1 and made.match(0).ended == "walkover"
    with server.database.write() as session:
        row = {"club_id": made.club, "player_id": made.match(1).seats[0].player_id, "role": "referee"}
        session.execute(sa.insert(Member).values(**row, status="member", since=NOW))
        session.commit()
    other.get(link)
    assert "Your appeal is on its way" in other.post(link, **typed("appeal", "Twice only."))
    assert "Somebody else than who decided" in boss.get(link)
    page = boss.page.get_data(as_text=True)
    boss.post(link, 403, once="c" * 12, decision="dismissed", reason="no")
    referee = enter(who(made.match(1).seats[0].player_id))
    page = referee.get(link)
    assert "You play in this event, so that what is hidden" in page and "word for word" not in page
    assert "The first decision" not in page and "Twice only." in page
    for shown in (page, referee.get(f"/events/{made.event}/rulings")):
        assert not any(f"{made.event}/{part}" in shown for part in ("desk", "manage", "messages")), "who may not see it"
    done = referee.post(link, once=hidden(page, "once"), decision="result", points=["0.5", "0.5"], reason="Shared.")
    assert "The decision holds" in done and "final" in done and "Three times is enough." in done
    found = made.read(lambda c: outcomes.results_of(c, made.now().divisions[0].id))
    assert [str(points) for points in found[0].points] == ["1/2", "1/2"]
    told = " ".join(text_of(post.last(f"{who(match.seats[1].player_id)}@example.org")).split())
    first, second = (seat.name for seat in match.seats)
    assert f"decided, for good: the result is set, {first} ½ – {second} ½." in told
    assert f"the result is set, {first}\xa0½ – {second}\xa0½" in done
    player.get(f"/events/{made.event}/rulings/99", 404)
    player.get(f"/events/{made.event}/claim/999999", 404)
    player.get(f"/events/{made.event}/rulings", 403)


def test_a_neutral_organiser_corrects_and_one_who_plays_sees_no_hidden_card(
    app: Flask, server: Server, enter: Enter
) -> None:
    """Both read every page linked from the event; the game between others has hidden cards."""
    made = season(server.database, 6)
    match, plays, running = made.match(0), made.match(1).seats[0].player_id, made.game(2)
    secret = hand(running, running.decides)[0]
    say(server.database, running.id, f"drop {secret}", NOW)
    results.resign(server.database, made.game(0).id, match.seats[0].player_id, now=NOW)
    slow = running.seats[0].player_id
    asked = deciding.claim(server.database, made.event, made.match(2).id, slow, "He is slow.", now=NOW)
    with server.database.write() as session:
        row = {"club_id": made.club, "player_id": plays, "role": "organiser", "status": "member", "since": NOW}
        session.execute(sa.insert(Member).values(**row))
        session.commit()
    path, listed = f"/events/{made.event}/claim/{match.id}", f"/events/{made.event}/rulings"
    boss, partial = enter("p0"), enter(who(plays))
    assert f"/events/{made.event}/claim/{made.match(1).id}" in boss.get(f"/events/{made.event}/manage")
    for page in (listed, f"/events/{made.event}/{made.round().place}", f"/games/{match.game_id}"):
        assert path in boss.get(page) and path not in partial.get(page), page
    assert "Only the players of a game" in partial.get(path, 403)
    assert "You play in this event" in partial.post(path, 403, reason="Let me.")
    assert "Correct the result" in boss.get(path)
    open_game = f"/games/{made.game(1).id}"
    assert "Set the result" in boss.get(open_game) and "claim/" in boss.page.text
    assert "1 for a win, ½ for a draw" in boss.get(f"/events/{made.event}/claim/{made.match(1).id}")
    assert f"/events/{made.event}/desk/{made.match(2).id}/ruling" in partial.get(f"/games/{running.id}")
    boss.get(path)
    ruling = boss.post(path, reason="They wrote to me.")
    assert "Your claim is on its way" in ruling and "Decide</h2>" in ruling
    link = boss.page.request.path
    form = {"once": hidden(ruling, "once"), "decision": "result", "points": ["1", "0"], "reason": "So it was."}
    assert "The decision holds" in boss.post(link, **form)
    shown = json.loads(boss.get(f"/events/{made.event}/standings.json"))["divisions"][0]
    assert shown["rounds"][0]["matches"][0]["source"] == "ruling"
    packet = f"{listed}/{asked}"
    assert f"drop {secret}" in boss.get(packet)
    starts = (f"/events/{made.event}", packet, link, f"/games/{running.id}")
    opened = pages_without_them(app, server, partial, running.id, starts)
    wanted = {"members", "week", "week/check", "news", "history", "audit"}
    assert {f"/clubs/<slug>/{page}" for page in wanted} <= opened
    wanted = {"rulings/<number:ruling_id>", "manage", "messages", "print", "standings.<any(csv, json):kind>"}
    assert {f"/events/<number:event_id>/{page}" for page in wanted} <= opened


def test_a_game_is_adjudicated_at_the_end_of_its_round(server: Server, enter: Enter, post: PostOffice) -> None:
    """The term, the mails before and after, both sides heard, the referee's page with the current points."""
    made = season(server.database, 4, title="acres", round_days=4, round_remind=1, round_end="adjudicate")
    at = NOW
    made.start_clock(0, at)
    assert "is adjudicated by a referee" in enter("p1").get(f"/events/{made.event}")
    round_ends.sweep(server.database, at + 3 * DAY)
    deliver(server.database, at + 3 * DAY)
    [told, *_] = kept(server.database, "round_end")
    assert "a referee adjudicates it by its position" in told.words
    round_ends.sweep(server.database, at + 4 * DAY)
    deliver(server.database, at + 4 * DAY + 12 * HOUR)
    asked = {mail.to: mail.words for mail in kept(server.database, "ruling_asked")}
    player = who(made.match(0).seats[0].player_id)
    assert "adjudicate it by its position" in asked["p0@example.org"]
    assert "What you have to say about it you can write there." in asked[f"{player}@example.org"]
    boss = enter("p0")
    found = boss.get(f"/events/{made.event}/rulings")
    assert "The round is over, and this game still runs" in found
    rows = made.read(lambda c: deciding.of_event(c, made.event))
    link = f"/events/{made.event}/rulings/{next(row.id for row in rows if row.match_id == made.match(0).id)}"
    side = enter(player)
    side.get(link)
    side.post(link, **typed("say", "I am two wharves ahead."))
    page = boss.get(link)
    assert "a referee adjudicates it by its position" in page and "I am two wharves ahead." in page
    assert "Points on the board now:" in page
    assert re.search(r'value="result" checked', page), "what adjudicating is for is chosen already"
    done = boss.post(link, once=hidden(page, "once"), decision="result", points=["1", "0"], reason="Ahead.")
    assert "The decision holds" in done and made.match(0).ended and not made.game(0).deadline_at
    assert "said something before the ruling" in boss.get(f"/clubs/vendee/audit?event={made.event}")


def test_a_ruling_is_asked_for_from_the_page_of_the_game(server: Server, enter: Enter, stranger: Browser) -> None:
    made = begun(server)
    game, match = made.game(0), made.match(0)
    player = enter(match.seats[0].name)
    page = player.get(f"/games/{game.id}")
    assert f'<a href="/events/{made.event}">Cup</a>' in page
    claim = f"/events/{made.event}/claim/{match.id}"
    assert f'href="{claim}"' in page
    player.get(claim)
    player.post(claim, reason="The board was wrong.")
    assert made.problem(0, NOW).finding == "claim"
    assert claim not in stranger.get(f"/games/{game.id}"), "only for who plays in it"
    outsider = start(server.database)
    assert "/claim/" not in player.get(f"/games/{outsider}") and "/events/" not in player.get(f"/games/{outsider}")


def test_a_game_of_a_knock_out_that_does_not_count_leads_to_the_next_step(server: Server, enter: Enter) -> None:
    people_of = people(server.database, 4)
    now = event(server.database, people_of, "knockout")
    round = published(server.database, now, people_of[0])
    match = next(one for one in round.matches if people_of[0] not in {seat.player_id for seat in one.seats})
    boss, base = enter("p0"), f"/events/{now.id}"
    boss.get(base)
    resign_all(server.database, round)
    number = deciding.claim(server.database, now.id, match.id, match.seats[0].player_id, "The wrong deal.", now=NOW)
    page = boss.get(f"{base}/rulings/{number}")
    assert "Somebody has to go through: who does, or a new game" in page and "leads on" not in page
    page = act(boss, f"{base}/rulings/{number}", decision="void")
    said = "This game was annulled, but somebody must advance"
    assert said in page and f"{base}/desk/{match.id}/ruling" in page
    assert "1 game does not count, so that nobody goes through yet" in boss.post(f"{base}/{round.place}/close", 422)
    desk = boss.get(f"{base}/manage")
    assert said in desk and "1 game needs somebody" in desk and "Open a ruling" in desk
    act(boss, f"{base}/desk/{match.id}/ruling")
    path = boss.page.request.path
    assert "Decide the ruling" in boss.get(f"{base}/manage")
    assert said not in act(boss, path, decision="replay")
    assert said not in boss.get(f"{base}/manage")


def test_in_a_cancelled_event_nobody_is_asked_for_a_ruling(server: Server, enter: Enter) -> None:
    """Its rulings are closed, with the reason on their pages, and its page offers none."""
    made = begun(server)
    player = made.match(0).seats[0].player_id
    mine, boss = enter(who(player)), enter(who(made.organiser))
    base = f"/events/{made.event}"
    assert "Ask for a ruling" in mine.get(base)
    number = deciding.claim(server.database, made.event, made.match(0).id, player, "Look at this.", now=NOW)
    assert "1 ruling that waits is closed without a decision" in boss.get(f"{base}/cancel")
    boss.post(f"{base}/cancel", reason="The hall is flooded.")
    assert "Ask for a ruling" not in mine.get(base)
    for page in (mine.get(f"{base}/rulings/{number}"), boss.get(f"{base}/rulings/{number}")):
        assert "closed with the event: no decision" in page and "The hall is flooded." in page
        assert 'name="decision"' not in page and "Open a ruling" not in page
    assert "ruling waits for a decision" not in boss.get(f"{base}/manage")
    assert "closed the ruling in the game" in boss.get("/clubs/vendee/audit")


def test_a_result_by_ruling_says_so_wherever_it_stands(server: Server, enter: Enter, stranger: Browser) -> None:
    """A running game is ended with half a point each; that is not a game won without playing."""
    made = begun(server)
    match, base = made.match(0), f"/events/{made.event}"
    number = deciding.claim(server.database, made.event, match.id, match.seats[0].player_id, "Which deal?", now=NOW)
    boss, (first, second) = enter("p0"), (seat.name for seat in match.seats)
    boss.get(f"{base}/rulings/{number}")
    page = text_of_page(act(boss, f"{base}/rulings/{number}", decision="result", points=["0.5", "0.5"]))
    assert "by ruling" in page and "(the game was ended by a ruling)" in page and "½" in page and "1/2" not in page
    page = text_of_page(stranger.get(f"{base}/{made.round().place}"))
    assert page.count("by ruling") == 1 and "without playing" not in page
    page = stranger.get(base)
    assert page.count(">½§<") == 2 and "½+" not in page and "½§ set by a ruling." in page
    assert "½§" in stranger.get(f"{base}/print")
    page = stranger.get(f"/games/{made.game(0).id}")
    assert f"This game was ended by a ruling of its event: {first}\xa0½ – {second}\xa0½." in page
    assert "It has no result" not in page and f'href="{base}/{made.round().place}#m{match.id}"' in page
    assert f"{first} ½ – {second} ½ (by ruling)" in stranger.get(f"{base}/results.atom")
    (data,) = json.loads(stranger.get(f"{base}/standings.json"))["divisions"]
    (found,) = (one for one in data["rounds"][0]["matches"] if one["game"] == made.game(0).id)
    assert (found["ended"], found["source"]) == ("played", "ruling")


def test_the_page_of_a_game_that_a_ruling_lets_not_count_or_corrects(server: Server, enter: Enter) -> None:
    made = begun(server)
    said = []
    for at, verdict in enumerate((Verdict("void"), Verdict("result", points=(Fraction(1, 2), Fraction(1, 2))))):
        match, game = made.match(at), made.game(at)
        if at:
            results.resign(server.database, game.id, match.seats[0].player_id, now=NOW)
        number = deciding.claim(server.database, made.event, match.id, match.seats[0].player_id, "Which?", now=NOW)
        pressed.decide(
            server.database, made.event, number, verdict, ActRequest(made.organiser, "so", token()), now=NOW
        )  # fmt: skip
        said.append(text_of_page(enter("p0").get(f"/games/{game.id}")))
    assert "By a ruling of its event this game does not count." in said[0] and "It has no result" not in said[0]
    assert "By a ruling of its event the result is:" in said[1] and " won" in said[1]
    assert "void, by ruling" in enter("p0").get(f"/events/{made.event}/{made.round().place}")
