"""Paces as people say them, calendars of holidays, and the commands for both."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from app.base.stored.database import Database
from app.base.words.i18n import LANGUAGES
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.clocks.pace import DAY, HOUR, Pace
from app.clocks.presets import COURSES, PRESETS
from app.games.tables import Game
from app.server.cli import main
from app.time import paces, pending
from app.time.away import calendars
from app.time.pace_words import after_in_words, pace_in_words
from app.time.tables import ClockNote
from engine.kernel.refusals import Unreadable
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
        "3 jours par coup, libre : samedi et dimanche, jusqu’à 20:00 Europe/Paris",
        "3 días por jugada, libre: sábado y domingo, hasta las 20:00 Europe/Paris",
        "3 giorni per mossa, giorni liberi: sabato e domenica, fino alle 20:00 Europe/Paris",
    ]


# -- calendars -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("", []),
        ("2026-12-25\r\n2026-12-24\n2026-12-25\n", ["2026-12-24", "2026-12-25"]),
        ("\ufeffDate;Name\n2026-12-25;Christmas, and more\n", ["2026-12-25"]),
        ('date,what\n2026-12-25,"Christmas, and more"\n\n# 2026-12-26\n2027-01-01 # x', ["2026-12-25", "2027-01-01"]),
        ('"2026-12-25', ["2026-12-25"]),
        ("2028-02-29\tleap day", ["2028-02-29"]),
    ],
)  # fmt: skip
def test_days_are_read_from_text_and_csv(text: str, days: list[str]) -> None:
    assert [day.isoformat() for day in calendars.read_days(text)] == days


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("25.12.2026", ["1 (“25.12.2026”)"]),
        ("2026-12-25\n2026-02-30\n2027-02-29", ["2 (“2026-02-30”)", "3 (“2027-02-29”)"]),
        ("2026-12-25\ndate\n20261225", ["2 (“date”)", "3 (“20261225”)"]),
        ("1999-12-31\n2200-01-01\n٢٠٢٦-12-25", ["1 (“1999-12-31”)", "2 (“2200-01-01”)", "3 (“٢٠٢٦-12-25”)"]),
        ("x\n" * 7, [f"{n} (“x”)" for n in range(1, 6)] + ["…"]),
    ],
)
def test_bad_lines_are_named(text: str, lines: list[str]) -> None:
    with pytest.raises(NotAccepted) as refused:
        calendars.read_days(text)
    assert list(refused.value.why.values["lines"]) == lines  # type: ignore[call-overload]


def test_too_much_is_refused() -> None:
    days = [str(date(2026, 1, 1) + n * ONE_DAY) for n in range(calendars.MOST_DAYS + 1)]
    for text in ("\n".join(days), "\n" * (calendars.LONGEST_TEXT + 1)):
        with pytest.raises(NotAccepted):
            calendars.read_days(text)
    assert len(calendars.read_days("\n".join(days[1:]))) == calendars.MOST_DAYS


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "7", "a\x00b"])
def test_a_calendar_has_a_name(sqlite_database: Database, name: str) -> None:
    with pytest.raises(NotAccepted) as refused:
        calendars.make(sqlite_database, None, name, "", now=NOW)
    assert refused.value.code == "calendar.name"


def test_changing_a_calendar_moves_deadlines_at_once_and_tells_it(database: Database) -> None:
    """Saturday 21 November 2026, 20:00 UTC; three days for each move."""
    club = calendars.make(database, None, "Club", "2026-11-23", now=NOW)
    other = calendars.make(database, None, "Other", "", now=NOW)
    mine = start(database, pace=Pace(decision=3 * DAY), calendar_id=club)
    sooner = start(database, pace=Pace(decision=2 * DAY), calendar_id=club)
    theirs = start(database, pace=Pace(decision=3 * DAY), calendar_id=other)
    with database.write() as session:
        for game in (mine, sooner, theirs):
            pending.start_clock(session, game, 1, NOW)
        session.commit()
    due = {game: load(database, game).deadline_at for game in (mine, sooner, theirs)}
    assert due == {mine: NOW + 4 * ONE_DAY, sooner: NOW + 3 * ONE_DAY, theirs: NOW + 3 * ONE_DAY}
    moved = calendars.change(database, None, club, None, "2026-11-24\n2026-11-25", now=NOW + ONE_DAY)
    assert load(database, mine).deadline_at == NOW + 5 * ONE_DAY
    assert load(database, sooner).deadline_at == NOW + 2 * ONE_DAY
    assert load(database, theirs).deadline_at == NOW + 3 * ONE_DAY
    assert moved == 2
    with database.read() as session:
        told = session.execute(sa.select(ClockNote.game_id, ClockNote.kind, ClockNote.details)).all()
        kept = session.execute(sa.select(Game.check_at).where(Game.id == mine)).scalar()
    assert kept == NOW + 5 * ONE_DAY
    assert [(game, kind) for game, kind, _ in told] == [(mine, "calendar"), (sooner, "calendar")]
    assert told[0].details == {"calendar": "Club", "to": (NOW + 5 * ONE_DAY).isoformat()}
    assert calendars.change(database, None, club, None, "2026-11-24\n2026-11-25\n2030-01-01", now=NOW + ONE_DAY) == 0


# -- commands ------------------------------------------------------------------------------------------


def run(tmp_path: Path, line: str) -> Result:
    environ = {"POSTROAD_DATA": str(tmp_path / "var"), "POSTROAD_BASE_URL": "http://localhost:8000"}
    return CliRunner().invoke(main, line.split(), env=environ)


def test_calendars_and_paces_by_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("days.csv").write_text("date,name\n2026-12-25,Christmas\n2027-01-01,New Year\n")
    Path("bad.csv").write_text("date,name\n25/12/2026,Christmas\n")
    Path("latin.csv").write_bytes(b"2026-12-25,No\xebl\n")
    Path("pace.json").write_text('{"decision": 86400, "days_off": ["sun"]}')
    assert run(tmp_path, "calendar import Club days.csv").output == "Club: made.\n"
    assert run(tmp_path, "calendar show Club").output == "2026-12-25\n2027-01-01\n"
    bad = run(tmp_path, "calendar import Club bad.csv")
    assert bad.exit_code == 1 and "2 (“25/12/2026”)" in bad.output
    assert "no text in UTF-8" in run(tmp_path, "calendar import Club latin.csv").output
    seats = "--seat british=alice@example.org --seat french=bob@example.org"
    for pace in ("7d", "fischer", "pace.json", '{"decision":3600}'):
        made = run(tmp_path, f"game new acres {seats} --calendar Club --pace {pace}")
        assert made.exit_code == 0, made.output
    assert run(tmp_path, "calendar list").output == "Club: 2 days, used in 4 games\n"
    assert run(tmp_path, "calendar import Club days.csv").output == "Club: changed, 0 deadlines moved.\n"
    for wrong in ("--pace soon", "--pace no.json", "--pace {}x", "--calendar Nobody"):
        refused = run(tmp_path, f"game new acres {seats} {wrong}")
        assert refused.exit_code == 1 and refused.output.startswith("Error: "), refused.output
