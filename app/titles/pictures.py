"""Boards as separate pictures: an SVG document, and the same as a bitmap for programs that do not accept SVG."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from app.base.process.lent import nothing_open
from app.base.words.i18n import LANGUAGES
from app.base.words.speech import Voice
from app.titles.boards import small_svg, standalone_svg
from app.titles.style import fixed_style, twofold_style, with_style
from engine.kernel.title import Title

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH = 1000
"""Pixels of a picture; link previews are about that wide."""
PAPER = "#fbf6ea"
FONTS = [str(path) for path in sorted((Path(__file__).parent / "fonts").glob("*.ttf"))]
"""The typefaces of the pages, unpacked: resvg cannot read WOFF2, and omits words whose font it does not find."""

COLOURS = 64
MOST_BYTES = 60_000
NARROWEST = 200
"""For a picture in a mail: its colours, the size of its file, and the width in pixels below which it is not narrowed
further."""
FREQUENT, LEAST_APART = 600, 14
"""How many of its colours are considered for the palette, and how far apart in one of red, green and blue they must
be."""
_NAMED = re.compile(r"#(?:[0-9a-f]{3}){1,2}\b")
Rgb: TypeAlias = tuple[int, int, int]


def document(
    title: Title, view: Mapping[str, Any], voice: Voice, changed: Iterable[str], *, small: bool = False
) -> str:
    """Return the board of a view as an SVG document, or the small board of what is newest, which is light or dark as
    its reader wishes; empty for a title without a drawing.

    Nothing in it links to a form: nothing can be decided from a picture.
    """
    if small:
        drawn = small_svg(title.id, {**view, "decision": None}, voice, changed=changed)
        return with_style(drawn, twofold_style(title.id)) if drawn else ""
    return standalone_svg(title.id, {**view, "decision": None}, voice, changed=changed)


def png(svg: str, width: int) -> bytes:
    """Return the document as a bitmap on the colour of paper. Takes a fifth of a second or more, in which no other
    thread of the process runs."""
    nothing_open("a picture is drawn")
    import resvg_py  # noqa: PLC0415  three MiB, with Pillow: most processes never draw

    # None of the machine's fonts: the same position gives the same pixels on every machine.
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            background=PAPER,
            skip_system_fonts=True,
            font_files=FONTS,
            serif_family="EB Garamond 12",
            sans_serif_family="Source Sans 3 ExtraLight",  # the font's own name for its family, whatever its weight
        )
    )


def small(svg: str, width: int) -> bytes:
    """Return the document as a small file for a mail: few colours, and narrower if it would be too large for a mail.
    Takes a tenth of a second in which no other thread of the process runs."""
    from PIL import Image  # noqa: PLC0415

    while True:
        image = Image.open(io.BytesIO(png(svg, width))).convert("RGB")
        palette = Image.new("P", (1, 1))
        palette.putpalette([part for colour in _palette(svg, image) for part in colour])
        out = io.BytesIO()
        image.quantize(palette=palette, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
        if out.tell() <= MOST_BYTES or width < NARROWEST:
            return out.getvalue()
        width = width * 4 // 5


def _palette(svg: str, image: Image) -> list[Rgb]:
    """Return the colours of a small picture: those that the document names, so that sides and marks keep theirs even
    with few pixels, and the most frequent of the others that are not too similar to an earlier one."""
    found = cast("list[tuple[int, Rgb]]", image.getcolors(image.width * image.height))
    count = {colour: n for n, colour in found}
    named = [colour for colour in map(_rgb, sorted(set(_NAMED.findall(svg)))) if colour in count]
    palette = named[:COLOURS]
    for colour in sorted(count, key=lambda one: (-count[one], one))[:FREQUENT]:
        if len(palette) < COLOURS and all(_apart(colour, one) >= LEAST_APART for one in palette):
            palette.append(colour)
    return palette


def _rgb(named: str) -> Rgb:
    digits = named[1:] if len(named) == 7 else "".join(digit * 2 for digit in named[1:])
    red, green, blue = bytes.fromhex(digits)
    return red, green, blue


def _apart(one: Rgb, other: Rgb) -> int:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


@cache
def policy(title_id: str, *, small: bool = False) -> str:
    """Return the content security policy of a document: its own style and nothing else."""
    style = twofold_style(title_id) if small else fixed_style(title_id)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; frame-ancestors 'none'"


def voice_for(lang: str | None, otherwise: Voice) -> Voice:
    """Return the voice for the language that an address asks for, else the reader's."""
    return Voice(lang) if lang in LANGUAGES else otherwise
