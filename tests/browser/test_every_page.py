"""Every page of the app in Chromium: light and dark, each kind in one language, in rotation; nothing overflows.

`python -m bench.trials.axe_everywhere` checks all of them in all languages.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from bench.trials.axe_everywhere import Onlooker, look_over
from tests.support.every_page import LANGUAGES, one_of_each, rules, sights
from tests.support.world import World, world

pytestmark = pytest.mark.browser
__all__ = ["world"]


def test_axe_finds_nothing_on_any_page_and_nothing_sticks_out(world: World, browser: Browser) -> None:
    found = sights(world, seen_by=("ann", "olga", "otto", ""))
    assert rules(world) == {one.rule for one in found} - {"404"}, "each kind of address has a page to look at"
    shown = sorted(((one, LANGUAGES[n % 4]) for n, one in enumerate(one_of_each(found))), key=lambda each: each[1])
    assert list(look_over(Onlooker(world, browser, few=True), shown)) == []
