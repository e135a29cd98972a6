"""Pages that were taken away say so, and what to use instead."""

from __future__ import annotations

import re

import pytest

from app.web.gone import GONE
from tests.support.world import CLUB, World


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (f"{CLUB}/import", "Earlier results and tables are no longer taken over"),
        ("/events/1/trf", "report files are no longer"),
        ("/events/1/clubs/answer", "enter two teams"),
        ("/events/1/file/take", "report files are no longer"),
        (f"{CLUB}/templates/forget", "another like it"),
        ("/calendars/1", "Choose free days of the week"),
    ],
)
def test_an_address_that_was_taken_away_is_answered_with_a_sentence(world: World, path: str, said: str) -> None:
    someone = world.sign_in("someone")
    for answer in (
        someone.client.get(path, headers=someone.headers),
        someone.client.post(path, data={"csrf_token": "old"}, headers=someone.headers),
    ):
        assert answer.status_code == 410 and said in answer.text


@pytest.mark.parametrize("act", ["rulings/2/undo", "rounds/2/publish"])
def test_the_page_of_an_act_leads_to_where_it_is_done(world: World, act: str) -> None:
    answer = world.app.test_client().get(f"/events/1/{act}")
    assert (answer.status_code, answer.location) == (301, f"/events/1/{act.rpartition('/')[0]}")


def test_no_page_stands_at_an_address_that_is_said_to_be_gone(world: World) -> None:
    """Else its pattern is dead, or answers what it should not."""
    stands = [rule.rule for rule in world.app.url_map.iter_rules()]
    for pattern, _ in GONE:
        assert not [rule for rule in stands if re.fullmatch(pattern, rule)]
