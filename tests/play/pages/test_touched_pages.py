"""Actions are put together on the pages of a turn by touches, and nothing else is."""

from __future__ import annotations

import random

import pytest
from flask import Flask

from bench.trials.touched_pages import Desks, by_requests
from bench.trials.touches import acres_positions, answer_positions, new_world_positions


@pytest.mark.parametrize("positions_of", [acres_positions, answer_positions, new_world_positions])
def test_every_action_can_be_touched_by_requests(app: Flask, positions_of: object) -> None:
    """`python -m bench.trials.touches 1000 --http 50 --chromium 10` asks more positions, in Chromium, too"""
    found = list(positions_of(2))  # type: ignore[operator]
    title, state = found[12]
    assert by_requests(Desks(app).at(title, state), title, state, random.Random(13)) > 0
