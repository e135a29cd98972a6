"""The languages of Post Road, with catalogues read from .po files.

No compiled catalogue is kept: a .po file is compiled in memory when its language is first asked for.
"""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations

LANGUAGES = ("en", "fr", "es", "it")
SOURCE_LANGUAGE = "en"  # the sentences in the code are English

ROOT = Path(__file__).resolve().parents[3]
TRANSLATIONS = Path(__file__).resolve().parents[2] / "translations"


def po_path(language: str, folder: Path | None = None) -> Path:
    """Return the .po file of a language other than English, ours or in the folder of another package."""
    return (folder or TRANSLATIONS) / language / "LC_MESSAGES" / "messages.po"


@cache
def catalogue(language: str) -> NullTranslations:
    """Return the translations of one of LANGUAGES, read once per process; ValueError for another language."""
    if language not in LANGUAGES:
        raise ValueError(f"{language!r} is not one of the languages {', '.join(LANGUAGES)}")
    if language == SOURCE_LANGUAGE:
        return NullTranslations()
    ours = _compiled(language, TRANSLATIONS)
    for folder in _added:
        _follow(ours, language, folder)
    return ours


_added: list[Path] = []


def add_translations(folder: Path) -> None:
    """Let the catalogues in another package's folder supply what ours lack."""
    if folder in (TRANSLATIONS, *_added):
        return
    for language in LANGUAGES:
        if po_path(language, folder).exists():
            _follow(catalogue(language), language, folder)
    _added.append(folder)


def _follow(ours: NullTranslations, language: str, folder: Path) -> None:
    if po_path(language, folder).exists():
        ours.add_fallback(_compiled(language, folder))


def _compiled(language: str, folder: Path) -> Translations:
    compiled = io.BytesIO()
    write_mo(compiled, read_catalogue(language, folder))
    compiled.seek(0)
    return Translations(compiled)


def read_catalogue(language: str, folder: Path | None = None) -> Catalog:
    """Return the .po file of a language with everything in it, for the command and the tests."""
    with po_path(language, folder).open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def negotiate(accept_language: str | None) -> str:
    """Return the language that best fits an Accept-Language header; English when none does."""
    from werkzeug.datastructures import LanguageAccept  # noqa: PLC0415  only pages need it
    from werkzeug.http import parse_accept_header  # noqa: PLC0415

    # Not werkzeug's best_match: for "fr-CH, en;q=0.8" it would choose English.
    for tag, quality in parse_accept_header(accept_language, LanguageAccept):
        language = tag.replace("_", "-").split("-")[0].lower()
        if quality > 0 and language in LANGUAGES:
            return language
    return SOURCE_LANGUAGE
