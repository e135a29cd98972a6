"""The description of the features outlined on the map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.base.words.speech import Voice
from app.titles.contract import View
from app.titles.new_world import outlines
from app.titles.pages import parts_of


def legend(view: View, voice: Voice, tokens: Sequence[str], kept: Sequence[str] = ()) -> str:
    """Return a line for each of them, links to what else was touched with them, and one that removes the outlines;
    nothing if none is outlined. `kept` are the touches that stay."""
    features = outlines.all_of(view)
    found = outlines.touched(features, tokens)
    if not found:
        return ""
    parts: Any = parts_of("new-world", voice.lang).among(dict(voice.people))
    laid = outlines.laid_in(view)
    beside = [
        (parts.feature_of_tile(one, laid, here), outlines.to([outlines.token(here)], kept))
        for one, here in outlines.beside(features, tokens)
    ]
    return str(parts.legend(found, beside, outlines.to((), kept)))
