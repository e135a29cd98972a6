"""The symbols of A Few Acres of Snow, drawn once in a page and shown by `<use>`: what is printed on cards, and how the
places stand that a card lists. Whatever shows one also says it in words."""

from __future__ import annotations

SHAPES = {
    "ship": '<path d="M.8 11.2h14.4l-2.3 3.6H3.1zM8.7.9c3.6 2 5 5.2 4.6 9.1H8.7zM7.3 2.9V10H1.9'
    'c.4-3.1 2.2-5.4 5.4-7.1z"/>',
    "bateaux": '<path d="M.4 8.3c2.2 1 4.6 1.3 7.6 1.3s5.4-.3 7.6-1.3c-.5 3.4-2.1 5.2-3.6 5.2H4'
    'c-1.5 0-3.1-1.8-3.6-5.2z"/>'
    '<path class="ay-line" stroke-linecap="round" d="M3.4 1.6l4.9 7M12.6 1.6l-4.9 7"/>',
    "wagon": '<path d="M1.4 8.2C.9 4.4 3 2 8 2s7.1 2.4 6.6 6.2zM.8 9.2h14.4v1.6H.8z"/>'
    '<g class="ay-line"><circle cx="4.4" cy="12.5" r="2.2"/><circle cx="11.6" cy="12.5" r="2.2"/></g>',
    "settler": '<path d="M5.9 3L6.5.8h3L10.1 3h1.9v1.2H4V3zM5.6 5h4.8c0 1.9-.9 3.1-2.4 3.1S5.6 6.9 5.6 5z'
    'M2 15.2c.2-4 2.2-6.3 6-6.3s5.8 2.3 6 6.3z"/>',
    "fur": '<path d="M8 .8l1.5 2.3 3.9-1.6-1.2 4.2.3 3.6 2.7 4.9-4.4-1.6L8 15.6l-2.8-3-4.4 1.6 2.7-4.9.3-3.6L2.6 1.5'
    'l3.9 1.6z"/>',
    "strength": '<path d="M.6 8.6L11.9 3.2l.9-1.7 2.3 4.6-1.9-.1L4 11.7C2.3 12.5.2 10.7.6 8.6z"/>'
    '<circle class="ay-line" cx="7.2" cy="11.6" r="3.2"/><circle cx="7.2" cy="11.6" r="1"/>',
    "coins": '<circle class="ay-line" cx="8" cy="8" r="6.7"/><circle class="ay-line" cx="8" cy="8" r="4" '
    'stroke-dasharray="1.1 1.2"/><circle cx="8" cy="8" r="1.5"/>',
}
MARKS = ("n", "bv", "bt", "fv", "ft")
"""How a place stands: neutral, or the side and its piece."""

SYMBOLS = "".join([f'<symbol id="ay-{name}" viewBox="0 0 16 16">{shape}</symbol>' for name, shape in SHAPES.items()])
DEFS = (
    SYMBOLS
    + "".join([f'<symbol id="ap-{mark}" viewBox="-10 -10 20 20"><use href="#am-{mark}"/></symbol>' for mark in MARKS])
    + "".join(
        [
            f'<symbol id="ap-{mark}s" viewBox="-10 -10 20 20"><use href="#am-{mark}" transform="scale(.68)"/>'
            '<circle class="ay-siege" r="8.8"/></symbol>'
            for mark in MARKS[1:]
        ]
    )
)


def symbol(name: str, said: str = "") -> str:
    """Return a symbol of cards; `said` are the words for screen readers, if they do not stand beside it."""
    return f'{_opening(said)}<use href="#ay-{name}"/></svg>'


def _opening(said: str) -> str:
    return f'<svg aria-label="{said}">' if said else "<svg>"


def mark(owner: str, piece: str, besieged: bool, said: str = "") -> str:
    """Return how a place stands, as on the map: `mark("french", "town", False)`; without a piece it is neutral. `said`
    are the words for screen readers, if they do not stand beside it."""
    key = "n" if not piece else owner[0] + piece[0] + ("s" if besieged else "")
    return f'{_opening(said)}<use href="#ap-{key}"/></svg>'
