"""Answers in the turn of the other side: chosen by touch, on the page with something touched (`?at=`)."""

from __future__ import annotations

import html
import random
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask

from app.play.pages.turn.tray import Tray
from app.titles.pages import pages_of, parts_of
from engine.acres import ACRES
from engine.acres.editions import EDITIONS
from engine.acres.state import Question
from engine.kernel.title import Title
from engine.new_world import NEW_WORLD
from engine.new_world.actions import ScoreOrder
from tests.support import acres_games
from tests.support.acres import acres, siege
from tests.support.new_world import play, three_completed
from tests.support.new_world_games import random_game as new_world_game
from tests.support.often import often
from tests.support.people import BASE, PostOffice, text_of
from tests.support.tables import rows_of_games, say
from tests.support.turn_driver import Form, TurnDriver, turn_at
from tests.support.twins import acres_twin

HAND = ["boston", "militia", "pemaquid", "rangers", "settlers"]
RAIDERS = ["coureurs-de-bois", "french-native-americans"]
PLACES = ["boston", "new-york", "norfolk", "pemaquid", "philadelphia"]


def asked(kind: str, place: str = "", **zones: Any) -> Any:
    """Return a position in which the British are asked something in a turn of the French."""
    zones = {"british_hand": HAND, "british_places": PLACES} | zones
    return acres("french", **zones)._replace(question=Question(kind, "british", place))


def lost() -> Any:
    """Return a position in which the British have lost the siege of Louisbourg, with two empire cards in it."""
    sieges = {"british": siege("louisbourg", -1, ["militia", "regular-infantry"])}
    return acres("french", british_hand=["boston"], sieges=sieges)._replace(due=("british",))


@pytest.fixture
def snow(app: Flask) -> TurnDriver:
    return turn_at(app, "acres")


def page(desk: TurnDriver, at: str = "") -> str:
    answer = desk.client.get(f"/t/{desk.token}?at={at}")
    assert answer.status_code == 200
    return str(answer.text)


def tray(desk: TurnDriver, at: str) -> str:
    found = re.search(r'<section id="tray".*?</section>', page(desk, at), re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", found[0])).split()) if found else ""


def cards(shown: str, having: str = "") -> dict[str, str]:
    """Return the cards that can be touched, by name, each with its link; with a class only those that have it."""
    found = re.findall(r'<li class="(card [^"]*)"><a href="([^"]*)"[^>]*><p><b>([^<]*)', shown)
    return {html.unescape(name): to for classes, to, name in found if having in classes}


def random_positions(edition: str, seed: int) -> tuple[Title, list[Any]]:
    """Return the positions of a random game, of New World if it is no edition of Acres."""
    found: list[Any] = []
    if edition not in EDITIONS:
        new_world_game(seed, 2 + seed % 4, look=found.append)
        return NEW_WORLD, [*found, play(three_completed(), "place 2,4 90 settle t1")]
    acres_games.random_game(seed, look=lambda state, _: found.append(state), edition=edition)
    return ACRES, found


@pytest.mark.parametrize(
    ("edition", "lang"), [*zip(EDITIONS, ("fr", "es", "it"), strict=True), ("second", "en"), ("", "en")]
)
def test_every_answer_has_its_verb(edition: str, lang: str) -> None:
    """N5: in random games each row below a question begins with what the engine makes of its line; rows that do the
    same begin alike, others do not, and no two are alike. New World asks only who is on turn; its orders of scoring are
    a verb of their own, each another. `POSTROAD_TIMES=20` makes it 2,000 turns of each edition."""
    verbs: dict[str, str] = {}
    turns = set()
    for seed in range(often(3)):
        title, states = random_positions(edition, seed)
        parts = parts_of(title.id, lang)
        for state in states:
            due = title.decision(state)
            if due is None:
                continue
            turns.add((seed, due.turn))
            view, answers = title.view(state, due.seat), due.seat != due.on_turn
            tray = Tray(title, pages_of(title.id), parts, state, view, due.seat, "", "", (), answers)
            rows = tray.answer_rows
            if not edition:
                assert not answers and not rows
                orders = parts._order_rows(tray, view, due.seat) if due.kind == "score" else []
                read = [title.read(state, due.seat, line) for _, _, line in orders]
                assert all(isinstance(one, ScoreOrder) for one in read) and len({*read}) == len(read)
                assert len({name for name, _, _ in orders}) == len(orders)
                verbs |= {str(name): "score" for name, _, _ in orders}
            for row in rows:
                action = title.read(state, due.seat, row.line)
                verb = title.write(state, action).partition(" ")[0]
                assert row.name == parts.kind_name(verb) and row.name != row.detail
                assert verbs.setdefault(str(row.name), verb) == verb, f"{row.name} is said of two kinds of action"
            assert len({(row.name, row.detail) for row in rows}) == len(rows)
            if rows and view["decision"]["kind"] == "ambush" and not any(row.line.startswith("block") for row in rows):
                assert parts.asked(view, False).question != parts.asked(title.view(state, None), False).question
    print(edition or "new-world", lang, len(turns), sorted(verbs))
    assert len(turns) > 60 and ({"allow", "block", "lose"} if edition else {"score"}) <= {*verbs.values()}


def test_a_raid_is_blocked_by_touching_a_card_of_the_hand(snow: TurnDriver) -> None:
    """R10.9: the map shows the place, cards that can block are lit, the others say why they cannot."""
    snow.place(asked("raid", "pemaquid"))
    first = page(snow)
    assert 'class="aim ' in first and re.search(r'<g class="[^"]*chosen[^"]*" id="at-pemaquid"|id="at-pemaquid"', first)
    assert Form(first).offered.get("pick") is None, "no list of whole answers"
    assert cards(first, "fits").keys() == {"Pemaquid", "Rangers"} and cards(first).keys() >= {"Boston", "Militia"}
    assert "cannot block this raid" in tray(snow, "card.boston") and "Send this answer" not in tray(snow, "card.boston")
    assert "Québec" in tray(snow, "place.quebec"), "what lies elsewhere is told, too"
    chosen = page(snow, cards(first)["Rangers"].partition("at=")[2].partition("#")[0])
    assert Form(chosen).offered["do"].count("play:block rangers") == 2, "a button below it, and the seal"
    assert snow.send("play:block rangers").status_code == 200 and snow.game.decides == "french"


def test_the_seal_sends_no_answer_that_is_not_chosen(snow: TurnDriver) -> None:
    snow.place(asked("raid", "pemaquid"))
    refused = snow.send("send")
    assert refused.status_code == 422 and "No answer is chosen yet, so nothing was sent." in html.unescape(refused.text)
    assert 'value="play:allow"' in page(snow, "allow")


def test_the_only_answer_there_is_lies_ready(snow: TurnDriver) -> None:
    snow.place(asked("raid", "pemaquid", british_hand=["boston"]))
    first = page(snow)
    assert Form(first).offered["do"].count("play:allow") == 2, "a button below it, and the seal"
    assert "Boston" in tray(snow, "card.boston"), "and the rest can be looked at"
    assert snow.send("play:allow").status_code == 200 and snow.game.decides == "french"


def test_the_only_answer_in_the_own_turn_lies_ready_too(snow: TurnDriver) -> None:
    """R9.3: nobody in the hand could settle Louisbourg; it is left, and the turn goes on."""
    won = acres(british_hand=["militia", "rangers"], british_places=PLACES)
    snow.place(won._replace(question=Question("conquest", "british", "louisbourg")))
    first = page(snow)
    assert Form(first).offered["do"].count("add:leave louisbourg") == 1 and "leave louisbourg" in tray(snow, "")
    assert "Rangers" in tray(snow, "card.rangers"), "and the rest can be looked at"
    snow.send("add:leave louisbourg")
    added = page(snow)
    assert Form(added).sent["draft"] == ["leave louisbourg"] and '<section id="tray"' not in added
    assert "Louisbourg is conquered: do you occupy it?" in first
    assert "is conquered" not in added and "What can I do?" in added
    assert Form(page(snow, "pass")).offered["do"].count("add:pass") == 1


def test_a_conquest_in_the_own_turn_is_answered_by_a_row(snow: TurnDriver) -> None:
    """R9.3: each answer below the question, one touch adds it; then the turn goes on."""
    won = acres(british_hand=["boston", "new-york", "militia"], british_places=PLACES)
    snow.place(won._replace(question=Question("conquest", "british", "louisbourg")))
    first = page(snow)
    rows = {one for one in Form(first).offered["do"] if one.startswith("add:")}
    legal = {snow.game.title.write(snow.game.state, item) for item in snow.game.title.legal(snow.game.state)}
    assert (
        rows == {f"add:{line}" for line in legal}
        and len(rows) > 1
        and "What can I do?" not in re.findall("<h2[^>]*>([^<]*)", first)
    )
    snow.send(min(rows))
    assert len(Form(page(snow)).sent["draft"]) == 1 and "What can I do?" in page(snow)


def test_what_is_given_up_is_touched_where_it_lies(snow: TurnDriver) -> None:
    """R10.14, R10.16, R9.6: in the hand, in the reserve, in the siege."""
    snow.place(asked("ambush", british_reserve=["regular-infantry"]))
    lit = cards(page(snow), "fits")
    assert lit.keys() == {"Militia", "Rangers", "Regular Infantry"}
    assert "lose regular-infantry from reserve" in tray(snow, "lost.regular-infantry")
    assert "has no ambush symbol" in tray(snow, "card.boston")
    snow.place(asked("convert", british_hand=["boston", "native-americans"], british_reserve=["native-americans"]))
    assert "Where from?" in tray(snow, "card.native-americans")
    assert "Only a Native Americans card is handed over" in tray(snow, "card.boston")
    snow.place(lost())
    assert cards(page(snow), "fits").keys() == {"Militia", "Regular Infantry"}
    assert "is not in the siege of Louisbourg" in tray(snow, "card.boston")
    (send,) = {do for do in Form(page(snow, "lost.militia")).offered["do"] if do.startswith("play:")}
    assert snow.send(send).status_code in (200, 303) and snow.game.kind != "siege-loss"


def test_an_answer_is_the_same_page_whatever_is_hidden(snow: TurnDriver) -> None:
    """Every selection, over positions and their twins."""

    def pages(state: Any) -> list[str]:
        snow.place(state)
        shown = [page(snow, at) for at in ("", "card.boston", "card.rangers", "block", "allow", "lose", "place.quebec")]
        return [re.sub(r'(name="decision" value=")\d+|/t/[^"]+|csrf_token" value="[^"]+', "", one) for one in shown]

    for state in (asked("raid", "pemaquid"), asked("ambush"), lost()):
        first = pages(state)
        assert pages(acres_twin(state, "british", random.Random(1))) == first


def test_each_link_of_the_mail_that_asks_offers_what_it_says(snow: TurnDriver, post: PostOffice) -> None:
    """The answers one by one, the page, the answers ahead; nothing changes until something is sent"""
    snow.place(acres("french", british_hand=HAND, british_places=PLACES, french_hand=[*RAIDERS, "native-americans"]))
    say(snow.server.database, snow.game_id, f"raid pemaquid with {', '.join(RAIDERS)}", now=datetime.now(UTC))
    mail = post.last("alice@example.org", "t")
    sheet = mail.get_body(("html",)).get_content()  # type: ignore[union-attr]
    links = {html.unescape(to) for to in re.findall(rf'<a[^>]* href="{BASE}(/t/[^"]*)"', sheet)}
    chosen = {to for to in links if "?at=" in to}
    legal = {snow.game.title.write(snow.game.state, item) for item in snow.game.title.legal(snow.game.state)}
    written = set(re.findall(rf"^{BASE}(/t/\S+)$", text_of(mail), re.MULTILINE))
    assert written == {f"/t/{snow.token}", f"/t/{snow.token}/ahead"} and links - chosen <= written
    before, answers = rows_of_games(snow.server.database), []
    for to in links:
        shown = snow.client.get(to.partition("#")[0])
        assert shown.status_code == 200 and snow.client.head(to.partition("#")[0]).status_code == 200
        if to in chosen:
            answers += {one.partition(":")[2] for one in Form(shown.text).offered["do"] if one.startswith("play:")}
    assert sorted(answers) == sorted(legal) and legal >= {"allow", "block rangers"}, "each answer has its link"
    assert rows_of_games(snow.server.database) == before and snow.game.decides == "british"
    lists = re.findall(
        r'<select[^>]* name="ahead:([^"]*)">(.*?)</select>', snow.client.get(f"/t/{snow.token}/ahead").text, re.S
    )
    assert [name for name, _ in lists] == ["ambush"] and 'value="lose militia"' in lists[0][1]
    saved = snow.client.post(f"/t/{snow.token}/ahead", data={"ahead:ambush": "lose militia"})
    assert saved.status_code == 303 and snow.game.seated("british").standing == ("ambush: lose militia",)
    assert snow.game.decides == "british", "the question that waits is another one"
    assert snow.send("play:block rangers").status_code == 200 and snow.game.decides == "french"
