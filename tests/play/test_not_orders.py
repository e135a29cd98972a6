"""Words among orders that no order understands are answered with where to do that instead."""

from __future__ import annotations

import pytest

from app.base.words.speech import Voice
from app.play.turn.playing import Play, play_lines
from engine.acres import ACRES
from engine.kernel.chance import SeededChance
from engine.kernel.title import Title
from engine.new_world import NEW_WORLD
from tests.support.acres import acres


def answered(title: Title, line: str, lang: str = "en") -> str:
    """Return the refusal of a line by the seat on turn."""
    play = Play(title, acres() if title is ACRES else None, 1, SeededChance(bytes(16)))
    if title is NEW_WORLD:
        play.open(title.read_options({}), ("red", "blue"))
    refused = play_lines(play, title.decision(play.state).seat, [line]).refused
    return Voice(lang, "UTC", title).say(refused.refusal.why) if refused else "played"


@pytest.mark.parametrize("line", ["concede", "Give up", "quit", "abandonner", "me rindo", "abbandono"])
@pytest.mark.parametrize("title", [ACRES, NEW_WORLD])
def test_who_gives_up_by_an_order_is_sent_to_the_page_of_the_game(title: Title, line: str) -> None:
    assert answered(title, line).endswith(" is not an order. You resign on the page of the game, which asks once more.")


def test_what_is_agreed_or_taken_back_has_its_place_too() -> None:
    for title in (ACRES, NEW_WORLD):
        assert "is proposed on the page of the game" in answered(title, "draw")
        assert "is taken out of the draft with its button" in answered(title, "undo please")


@pytest.mark.parametrize(
    ("lang", "where"),
    [("en", "on the page of the game"), ("fr", "sur la page de la partie"), ("es", "la página de la partida"),
     ("it", "dalla pagina della partita")],
)  # fmt: skip
def test_it_is_said_in_the_reader_s_language(lang: str, where: str) -> None:
    assert where in answered(ACRES, "resign", lang)


def test_an_order_of_the_title_is_an_order() -> None:
    assert answered(NEW_WORLD, "resign") == "played"
    assert answered(ACRES, "leave") == "Write it like this: leave PLACE"


def test_nobody_passes_in_new_world() -> None:
    assert answered(NEW_WORLD, "pass") == (
        "No order passes or ends a turn; lay the tile, for example “place A55 270 robber”."
    )
