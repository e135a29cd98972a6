"""Lists in words, as each language joins them."""

from __future__ import annotations

import pytest

from app.speech import Voice


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
        ("it", ["Boston", "Coloni"], "Boston e Coloni"),
        ("it", ["Boston", "Esploratori"], "Boston ed Esploratori"),
        ("fr", ["Boston", "Infanterie"], "Boston et Infanterie"),
    ],
)
def test_the_last_two_of_a_list(lang: str, parts: list[str], said: str) -> None:
    assert Voice(lang).join(parts) == said
