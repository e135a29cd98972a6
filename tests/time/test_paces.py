"""Paces as people say them, and as commands read them; holidays."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.base.stored.database import Database
from app.base.words.i18n import LANGUAGES
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.clocks.pace import DAY, HOUR, Pace
from app.clocks.presets import COURSES, PRESETS
from app.server.cli import main
from app.time import paces, pending
from app.time.pace_words import after_in_words, pace_in_words
from engine.kernel.refusals import Unreadable
from tests.support.holidays import add_calendar
from tests.support.tables import NOW, load, start

ONE_DAY = timedelta(days=1)


# -- paces ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "pace"),
    [
        ("7d", Pace(decision=7 * DAY)),
        (" 36H ", Pace(decision=36 * HOUR)),
        ("fischer", Pace(decision=0, bank=20 * DAY, increment=DAY, cap=30 * DAY)),
        ("A week, weekends free", Pace(decision=7 * DAY, days_off=("sat", "sun"))),
        (json.dumps({"decision": DAY, "hour": "20:00"}), Pace(decision=DAY, hour="20:00")),
    ],
)
def test_a_pace_is_a_time_a_name_or_json(given: str, pace: Pace) -> None:
    assert paces.parse_pace(given) == pace


@pytest.mark.parametrize("given", ["", "7", "7 days", "0d", "366d", "53w", "fast", "{", "{'decision': 1}", "[7]"])
def test_what_is_no_pace_is_refused(given: str) -> None:
    with pytest.raises(NotAccepted):
        paces.parse_pace(given)


@pytest.mark.parametrize("given", ['{"decision": "x"}', "{}" + " " * 10, '{"decision": 0}', '{"pace": 7}'])
def test_json_with_a_wrong_value_names_the_key(given: str) -> None:
    if given.strip() == "{}":
        assert paces.parse_pace(given) == Pace()
        return
    with pytest.raises(Unreadable):
        paces.parse_pace(given)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_preset_and_course_is_said_in_every_language(language: str) -> None:
    voice, english = Voice(language), Voice("en")
    for preset in PRESETS:
        assert pace_in_words(voice, preset.pace, "Club")
        assert (voice.gettext(preset.name) == preset.name) == (language == "en")
    for course in COURSES:
        said = after_in_words(voice, Pace(stages=course.stages))
        assert len(said) == len(course.stages)
        assert (said == after_in_words(english, Pace(stages=course.stages))) == (language == "en")


def test_a_pace_in_words_of_each_language() -> None:
    pace = Pace(decision=3 * DAY, days_off=("sat", "sun"), hour="20:00", zone="Europe/Paris")
    assert [pace_in_words(Voice(language), pace).replace("\xa0", " ") for language in LANGUAGES] == [
        "3 days for each move, Saturday and Sunday free, until 20:00 Europe/Paris",
        "3 jours par coup, jours libres : samedi et dimanche, jusqu’à 20:00 Europe/Paris",
        "3 días por jugada, libre: sábado y domingo, hasta las 20:00 Europe/Paris",
        "3 giorni per mossa, giorni liberi: sabato e domenica, fino alle 20:00 Europe/Paris",
    ]


# -- holidays -------------------------------------------------------------------------------------------


def test_games_that_have_a_calendar_stand_still_on_its_days(database: Database) -> None:
    """Saturday 21 November 2026, 20:00 UTC; three days for each move."""
    club, other = add_calendar(database, "Club", "2026-11-23"), add_calendar(database, "Other")
    games = [start(database, pace=Pace(decision=3 * DAY), calendar_id=one) for one in (club, other)]
    with database.write() as session:
        for game in games:
            pending.start_clock(session, game, 1, NOW)
        session.commit()
        assert [pending.calendar_of_game(session, game) for game in games] == ["Club", "Other"]
    assert [load(database, game).deadline_at for game in games] == [NOW + 4 * ONE_DAY, NOW + 3 * ONE_DAY]


# -- commands ------------------------------------------------------------------------------------------


def run(tmp_path: Path, line: str) -> Result:
    environ = {"POSTROAD_DATA": str(tmp_path / "var"), "POSTROAD_BASE_URL": "http://localhost:8000"}
    return CliRunner().invoke(main, line.split(), env=environ)


def test_paces_by_command(tmp_path: Path) -> None:
    seats = "--seat british=alice@example.org --seat french=bob@example.org"
    for pace in ("7d", "fischer", '{"decision":3600}'):
        made = run(tmp_path, f"game new acres {seats} --pace {pace}")
        assert made.exit_code == 0, made.output
    for wrong in ("--pace soon", "--pace pace.json", "--pace {}x"):
        refused = run(tmp_path, f"game new acres {seats} {wrong}")
        assert refused.exit_code == 1 and refused.output.startswith("Error: "), refused.output
