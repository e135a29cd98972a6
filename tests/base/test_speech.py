"""Lists in words, as each language joins them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from app.base.words.speech import Voice
from app.time.pace_words import number_of, short_number_of
from app.web.pages import time_left


@pytest.mark.parametrize(
    ("lang", "parts", "said"),
    [
        ("en", ["Boston"], "Boston"),
        ("en", ["Boston", "Infantry"], "Boston and Infantry"),
        ("es", ["Boston", "Colonos"], "Boston y Colonos"),
        ("es", ["Boston", "Infantería"], "Boston e Infantería"),
        ("es", ["Boston", "Colonos", "Infantería"], "Boston, Colonos e Infantería"),
        ("es", ["agua", "hielo"], "agua y hielo"),
        ("es", ["Ana", "Hilario"], "Ana e Hilario"),
        ("es", ["Ana", "Yves"], "Ana e Yves"),
        ("es", ["Ana", "Yolanda"], "Ana y Yolanda"),
        ("es", ["Ana", "hierba"], "Ana y hierba"),
        ("es", ["«Ana»", "«Irene»"], "«Ana» e «Irene»"),
        ("es", ["Ana", "Íñigo"], "Ana e Íñigo"),
        ("es", ["Irene", "Ana"], "Irene y Ana"),
        ("en", ["Boston", "Infantry", "Ships"], "Boston, Infantry, and Ships"),
        ("fr", ["Boston", "Infanterie", "Navires"], "Boston, Infanterie et Navires"),
        ("it", ["Boston", "Coloni", "Esploratori"], "Boston, Coloni ed Esploratori"),
        ("it", ["Anna", "«Elena»"], "Anna ed «Elena»"),
        ("it", ["Elena", "Anna"], "Elena e Anna"),
        ("it", ["Boston", "Coloni"], "Boston e Coloni"),
        ("it", ["Boston", "Esploratori"], "Boston ed Esploratori"),
        ("fr", ["Boston", "Infanterie"], "Boston et Infanterie"),
    ],
)
def test_the_last_two_of_a_list(lang: str, parts: list[str], said: str) -> None:
    assert Voice(lang).join(parts) == said


@pytest.mark.parametrize("lang", ["en", "fr", "es", "it"])
@pytest.mark.parametrize("unit", ["duration-day", "duration-hour", "duration-minute"])
def test_one_of_a_unit_is_not_several(lang: str, unit: str) -> None:
    """Babel's short Spanish hour is "1 horas"; in words one differs from two in each language."""
    assert not re.search(r"\b1\W+\w+(s|ni|ri|re)$", short_number_of(lang, 1, unit)), short_number_of(lang, 1, unit)
    one, two = number_of(lang, 1, unit), number_of(lang, 2, unit)
    assert one.removeprefix("1") != two.removeprefix("2")


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "1~day 1~hr"), ("fr", "1~j 1~h"), ("es", "1~d 1~h"), ("it", "1~giorno 1~h")]
)
def test_the_time_left_keeps_each_number_with_its_unit(lang: str, said: str) -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    assert time_left(Voice(lang), now + timedelta(hours=25), now) == said.replace("~", "\u00a0")
    days = [time_left(Voice(lang), now + timedelta(days=9 + n, hours=23), now) for n in (0, 1)]
    assert "23" in days[0] and "23" not in days[1], "N14: it cut the names beside it"


@pytest.mark.parametrize(("lang", "said"), [("en", "1 Dec 2026"), ("fr", "1er déc. 2026"), ("es", "1 dic 2026")])
def test_the_first_of_a_month_is_an_ordinal_number_in_french(lang: str, said: str) -> None:
    first = datetime(2026, 12, 1, 12, tzinfo=UTC)
    assert Voice(lang).date(first) == said
    assert Voice(lang).date(first + timedelta(days=1)) == said.replace("1er", "1").replace("1 ", "2 ", 1)
    assert said.removesuffix(" 2026") in Voice(lang).moment(first) and said.removesuffix(" 2026") in Voice(lang).day(
        first
    )
