"""Light or dark and the size of the text, as chosen in a browser."""

from __future__ import annotations

import re

import pytest

from app.base.process.places import folder
from tests.support.people import Browser, Enter


def test_a_choice_is_kept_in_the_browser_and_shown_on_every_page(stranger: Browser) -> None:
    assert "data-theme" not in stranger.get("/")
    stranger.get("/looks?theme=dark&back=/sign-in", 303)
    stranger.get("/looks?size=large&back=/sign-in", 303)
    page = stranger.get("/sign-in")
    assert '<html lang="en" data-theme="dark" data-size="large">' in page and "looks.css" in page
    stranger.get("/looks?theme=&back=//elsewhere.example", 303)
    assert stranger.page.headers["Location"] == "/"
    assert '<html lang="en" data-size="large">' in stranger.get("/")
    stranger.get("/looks?theme=purple&size=vast", 303)
    assert '<html lang="en">' in stranger.get("/")


def test_a_kept_list_of_games_is_not_shown_as_another_browser_looks(enter: Enter) -> None:
    alice = enter("alice")
    assert "data-theme" not in alice.get("/games")
    alice.get("/looks?theme=light", 303)
    assert 'data-theme="light"' in alice.get("/games")


@pytest.mark.parametrize(
    ("theme", "within"), [("light", r"^:root \{(.*?)^\}"), ("dark", r"dark\) \{\s*:root \{(.*?)\}")]
)
def test_the_chosen_colours_are_those_of_the_system(theme: str, within: str) -> None:
    static = folder("static")
    colours = re.compile(r"(--[\w-]+): (#[0-9a-f]+)")
    looks = (static / "looks.css").read_text(encoding="utf-8")
    chosen = re.search(rf'data-theme="{theme}"\] \{{(.*?)^\}}', looks, re.S | re.M)
    system = re.search(within, (static / "post.css").read_text(encoding="utf-8"), re.S | re.M)
    assert chosen and system
    of_system = dict(colours.findall(system[1]))
    assert of_system and of_system.items() <= dict(colours.findall(chosen[1])).items()
