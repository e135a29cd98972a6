"""Sentences of a log continue as long as they are about one actor, and below a heading."""

from __future__ import annotations

import pytest

from app.base.words.speech import Voice
from app.play.turn.sentences import MOST, paragraph, run_on, sentence_of
from engine.acres import ACRES
from engine.acres import events as ev
from engine.kernel.title import Title
from engine.new_world import NEW_WORLD
from engine.new_world import events as nw

PEOPLE = (("british", "Ann"), ("french", "Ben"))
PASSED = ev.Passed("british")
DREW = ev.Drew("british", 2)


def told(lang: str, *events: object, title: Title = ACRES) -> list[str]:
    voice = Voice(lang, "UTC", title, PEOPLE)
    texts = [title.sentence(event) for event in events]
    return run_on([sentence_of(text, voice) for text in texts if text is not None], voice)


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "Ann passed; drew 2 cards."),
        ("fr", "Ann a passé\u00a0; a pioché 2 cartes."),
        ("es", "Ann pasó; robó 2 cartas."),
        ("it", "Ann ha passato; ha pescato 2 carte."),
    ],
)
def test_the_name_of_whoever_acts_again_stands_once(lang: str, said: str) -> None:
    assert told(lang, PASSED, DREW) == [said]


def test_another_actor_and_what_tells_of_nobody_begin_a_sentence() -> None:
    assert told("en", PASSED, ev.Passed("french"), PASSED) == ["Ann passed.", "Ben passed.", "Ann passed."]
    assert told("en", DREW, ev.TurnBegan("british", 7, 2)) == ["Ann drew 2 cards."], "a turn is no news"


def test_a_sentence_with_parts_stands_alone_and_none_grows_without_end() -> None:
    won = ev.SiegeWon("british", "halifax", "british", "militia")
    assert told("en", PASSED, won, PASSED)[1:] == ["Ann won the siege of Halifax; Militia is given up.", "Ann passed."]
    deeds = [ev.Drafted("british", card, 0) for card in ("militia", "rangers", "ships", "trader", "militia")]
    assert len(deeds) == MOST + 1
    assert told("en", *deeds)[1:] == ["Ann drafted Militia."]


@pytest.mark.parametrize(
    ("lang", "twice", "thrice"),
    [
        ("en", "Ann passed twice; drew 2 cards.", "Ann passed 3 times."),
        ("fr", "Ann a passé deux fois\u00a0; a pioché 2 cartes.", "Ann a passé 3 fois."),
        ("es", "Ann pasó dos veces; robó 2 cartas.", "Ann pasó 3 veces."),
        ("it", "Ann ha passato due volte; ha pescato 2 carte.", "Ann ha passato 3 volte."),
    ],
)
def test_what_was_done_again_is_told_once(lang: str, twice: str, thrice: str) -> None:
    assert told(lang, PASSED, PASSED, DREW) == [twice]
    assert told(lang, PASSED, PASSED, PASSED) == [thrice]
    assert told("en", *[ev.Drew("british", 1, ("militia",))] * 2) == ["Ann drew 1 card: Militia; drew 1 card: Militia."]


@pytest.mark.parametrize(
    ("lang", "heading", "line"),
    [
        ("en", "Final scoring:", "Unfinished road at A51: 3 points for Ann."),
        ("fr", "Décompte final\u00a0:", "Route incomplète en A51\u00a0: 3 points pour Ann."),
        ("es", "Puntuación final:", "Camino incompleto de A51: 3 puntos para Ann."),
        ("it", "Punteggio finale:", "Strada incompleta in A51: 3 punti per Ann."),
    ],
)
def test_the_final_scoring_is_a_heading_with_its_lines(lang: str, heading: str, line: str) -> None:
    road = nw.UnfinishedScored("1,1:r0", "road", 3, {"british": 3})
    moved = nw.SurveyorMoved("north", 2)
    said = told(lang, moved, road, road, moved, title=NEW_WORLD)
    assert said[1:-1] == [heading, line, line] and said[0] == said[-1]
    assert paragraph(said).split("<br>") == said
