"""The signs that players can have beside their names: drawn here, none is uploaded."""

from __future__ import annotations

from markupsafe import Markup

from engine.kernel.text import N_

NAMES = {
    "star": N_("star"),
    "sun": N_("sun"),
    "moon": N_("moon"),
    "fir": N_("fir"),
    "leaf": N_("leaf"),
    "heart": N_("heart"),
    "bell": N_("bell"),
    "tower": N_("tower"),
    "crown": N_("crown"),
    "anchor": N_("anchor"),
}
_PATHS = {
    "star": "M8 1l2.1 4.6 5 .5-3.8 3.3 1.1 4.9L8 11.8l-4.4 2.5 1.1-4.9L.9 6.1l5-.5z",
    "sun": "M8 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM7.3.6h1.4v2.6H7.3zm0 12.2h1.4v2.6H7.3zM.6 7.3h2.6v1.4H.6z"
    "m12.2 0h2.6v1.4h-2.6zM2.3 3.3l1-1L5.1 4l-1 1zM10.9 12l1-1 1.8 1.8-1 1zm0-8l1.8-1.7 1 1L11.9 5zM2.3 12.8L4.1 11l1"
    " 1-1.8 1.8z",
    "moon": "M10.5 1.5A6.8 6.8 0 1 0 14.8 11a5.8 5.8 0 0 1-4.3-9.5z",
    "fir": "M8 .8l4.2 5H10l3.8 4.6H9v4.8H7v-4.8H2.2L6 5.8H3.8z",
    "leaf": "M14.5 1.5C6 1.5 2.2 5 2.2 9.4c0 1 .2 1.9.6 2.7L1 15h1.6l1.2-1.9c4.9 1.6 10.1-1 10.7-11.6z",
    "heart": "M8 14.2C3 10.4 1 8 1 5.2A3.6 3.6 0 0 1 8 4a3.6 3.6 0 0 1 7 1.2c0 2.8-2 5.2-7 9z",
    "bell": "M8 1c2.8 0 4.3 2 4.3 4.8 0 3 .9 4.4 2.2 5.7h-13c1.3-1.3 2.2-2.7 2.2-5.7C3.7 3 5.2 1 8 1z"
    "M6 12.7h4a2 2 0 0 1-4 0z",
    "tower": "M2.5 1h2.2v2h2.2V1h2.2v2h2.2V1h2.2v4.5L12 7v6h1.5v2h-11v-2H4V7L2.5 5.5z",
    "crown": "M1 3.5l3.6 3.2L8 2l3.4 4.7L15 3.5 13.6 13H2.4z",
    "anchor": "M8 .8a2 2 0 0 1 .9 3.8V6h2.6v1.5H8.9v5.3c1.8-.3 3-1.4 3.5-3l-1.3.6 1.9-3 1.9 3-1.2-.3C13.1 13.1 10.8 15"
    " 8 15s-5.1-1.9-5.7-4.9l-1.2.3 1.9-3 1.9 3-1.3-.6c.5 1.6 1.7 2.7 3.5 3V7.5H4.5V6h2.6V4.6A2 2 0 0 1 8 .8z",
}


def drawn(sign: str) -> Markup:
    """Return a sign as a picture that readers pass over, for it stands beside a name; nothing for ""."""
    path = _PATHS.get(sign)
    if path is None:
        return Markup("")
    return Markup(f'<svg class="own-sign" viewBox="0 0 16 16" aria-hidden="true"><path d="{path}"/></svg> ')
