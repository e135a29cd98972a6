"""What the log says about a seat taken out of a game: on time, by a ruling; stored and recorded games stay."""

from __future__ import annotations

import pytest

from app.base.stored.database import Database
from app.base.words.speech import Voice
from app.games.work import Work
from app.play.agreed import results
from app.play.past.records import record_of
from app.play.turn import starting
from app.play.turn.turns import play_of, what_happened
from tests.support.tables import NOW

SEATS = {"new-world": ("red", "blue", "green"), "acres": ("british", "french")}
KEYS = (("new-world", "time"), ("new-world", "ruling"), ("acres", "ruling"))
SAID = {
    "en": ("has lost on time and is out", "was taken out of the game by a ruling", "won by a ruling"),
    "fr": ("a perdu au temps et quitte", "quitte la partie par décision", "gagné par décision"),
    "es": ("perdió por tiempo y sale", "quedó fuera de la partida por resolución", "ganó por resolución"),
    "it": ("ha perso per tempo scaduto ed esce", "è fuori dalla partita per decisione", "vinto per decisione"),
}


@pytest.mark.parametrize(
    ("title", "cause"),
    [("new-world", "resign"), ("new-world", "time"), ("new-world", "ruling"), ("acres", "resign"), ("acres", "ruling")],
)
def test_the_log_says_why_a_seat_is_out(sqlite_database: Database, title: str, cause: str) -> None:
    seats = SEATS[title]
    people = [(seat, f"{seat}@example.org") for seat in seats]
    made = starting.new_game(sqlite_database, title, people, now=NOW)
    with Work(sqlite_database) as work:
        game = work.store.load(made, for_writing=True)
        play = play_of(game)
        play.resign(seats[0], cause)
        after = results.end_or_go_on(work, game, play, None, NOW)
        work.commit()
    with Work(sqlite_database) as work:
        told = {
            language: " ".join(what_happened(work.store, after, None, Voice(language, "UTC", game.title), game.entries))
            for language in SAID
        }
    for language, words in SAID.items():
        expected = [words[KEYS.index((title, cause))]] if cause != "resign" else []
        assert [one for one in words if one in told[language]] == expected, told[language]
    assert ("resign" in told["en"]) == (cause == "resign")
    record = record_of(sqlite_database, made)
    if title == "new-world":
        assert record["turns"][-1] == {"seat": "red", "steps": [{"do": "resign"}]}
    else:
        assert record["result"]["reason"] == "resignation"
