"""The faces of location cards agree with the data and the rules, for every reader."""

from __future__ import annotations

import pytest

from bench.trials.acres_previews import Looker
from engine.acres import ACRES
from engine.acres.data import CARDS, SEATS
from engine.acres.faces import Faces, where_it_leads, why_not
from engine.acres.state import State
from engine.kernel.text import say
from tests.support.acres import ENGLISH, acres, siege


def test_faces_equal_the_data_and_drafted_boards_what_is_played() -> None:
    """R4.1; `python -m bench.trials.acres_previews` looks at 1,000 positions."""
    looker = Looker(seed=4)
    looker.run(40)
    assert looker.wrong == []
    assert looker.counts["positions"] == 40 and looker.counts["faces"] > 40 * 100 and looker.counts["twins"] > 1_000
    assert looker.counts["drawn"] and looker.counts["asked"] and looker.counts["ends"]


@pytest.mark.slow
def test_a_preview_that_tells_what_is_drawn_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.acres.preview._in_order", lambda state, seat: state)
    monkeypatch.setattr("engine.acres.preview._is_known", lambda state, event, seat: True)
    looker = Looker(seed=4)
    looker.run(120)
    assert any("tells what is hidden" in one for one in looker.wrong)


def text_of(state: State, side: str, card: str, reader: str | None) -> list[str]:
    face = Faces(ACRES.view(state, reader)).of(side, card)
    return [say(text, ENGLISH) for text in (why_not(face, reader), *where_it_leads(face, reader)) if text is not None]


def test_a_face_in_words() -> None:
    """R4.1, for the owner, the other side and a spectator."""
    state = acres(
        british_places=["boston", "new-york", "new-haven", "pemaquid", "halifax"],
        french_places=["quebec", "port-royal", "albany town"],
        sieges={"french": siege("halifax", 1, ["regular-infantry"], ["militia"])},
    )
    assert text_of(state, "british", "boston", "british") == [
        "ship: Halifax (your village, besieged) · New Haven, Pemaquid (your villages) · New York (your town)"
        " · Port Royal (French village)"
    ]
    assert text_of(state, "british", "halifax", "british")[0] == "not usable: besieged (R4.1)"
    assert text_of(state, "british", "deerfield", "british")[0] == "not usable: neutral (R4.1)"
    assert text_of(state, "french", "albany", "french")[0] == "not usable: cut off from supply (R4.1)"
    assert text_of(state, "british", "albany", "british")[0] == "not usable: French town (R4.1)"
    assert (
        text_of(state, "british", "new-haven", None)[-1]
        == "ship: Boston, New York (British towns) · Pemaquid (British village)"
    )


def test_the_text_board_of_a_mail_says_where_each_location_card_leads() -> None:
    state = acres(british_hand=["boston", "norfolk"], british_discard=["pemaquid"])
    for reader in (*SEATS, None):
        view = ACRES.view(state, reader)
        said = ACRES.board(view, ENGLISH, faces=True)
        assert max(map(len, said.splitlines())) <= 72
        flat = " ".join(said.split())
        faces = Faces(view)
        for side in SEATS:
            player = state.players[side]
            for card in {*player.hand, *player.draw, *player.discard, *player.reserve}:
                if CARDS[side][card].location:
                    for line in where_it_leads(faces.of(side, card), reader):
                        assert say(line, ENGLISH) in flat, (side, card)
        assert "Location cards (" not in ACRES.board(view, ENGLISH)
