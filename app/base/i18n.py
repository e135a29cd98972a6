"""The languages of Post Road: catalogues read from .po files, and the command that keeps them complete.

No compiled catalogue is kept: a .po file is compiled in memory when its language is first needed. After changing a
sentence run `python -m app.base.i18n update` and translate what is empty.
"""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from babel.support import NullTranslations, Translations

if TYPE_CHECKING:
    from collections.abc import Iterable

LANGUAGES = ("en", "fr", "es", "it")
SOURCE_LANGUAGE = "en"  # the sentences in the code are English

ROOT = Path(__file__).resolve().parents[2]
TRANSLATIONS = Path(__file__).resolve().parents[1] / "translations"

# Which calls mark a sentence; the numbers are its arguments, `c` the one that is a context.
KEYWORDS: dict[str, tuple[int | tuple[int, str], ...] | None] = {
    "_": None,
    "N_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "Text": (1,),
    "Counted": (1, 2),
}
FOLDERS = ("app", "engine", "templates")

# Header lines of a .po file that differ from run to run or carry no information.
DROPPED_HEADERS = (
    b'"Project-Id-Version:',
    b'"POT-Creation-Date:',
    b'"PO-Revision-Date:',
    b'"Last-Translator:',
    b'"Report-Msgid-Bugs-To:',
    b'"Generated-By:',
)


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


def extract(root: Path = ROOT, folders: tuple[str, ...] = FOLDERS) -> Catalog:
    """Return all marked sentences in some folders of `root`, as an empty catalogue."""
    # Slow to load, and only for developers.
    from babel.messages.extract import extract_from_dir  # noqa: PLC0415
    from babel.messages.frontend import parse_mapping_cfg  # noqa: PLC0415

    with (ROOT / "babel.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file, "babel.cfg")

    def is_ours(folder: str | Path) -> bool:
        parts = Path(folder).relative_to(root).parts
        return parts[0] in folders and not parts[-1].startswith((".", "__"))

    found = Catalog(fuzzy=False)
    for name, _line, ids, comments, context in extract_from_dir(
        root, methods, options, KEYWORDS, comment_tags=("For translators:",), directory_filter=is_ours
    ):
        # The line number is left out: it would change with every edit of the file.
        found.add(ids, None, [(Path(name).as_posix(), 0)], auto_comments=comments, context=context)
    return found


def written(catalog: Catalog) -> bytes:
    """Return the text of a .po file; the same catalogue always gives the same bytes."""
    out = io.BytesIO()
    write_po(out, catalog, width=0, include_lineno=False, sort_by_file=True, ignore_obsolete=True)
    return b"".join(line for line in out.getvalue().splitlines(True) if not line.startswith(DROPPED_HEADERS))


def merged(language: str, found: Catalog, folder: Path | None = None) -> Catalog:
    """Return the catalogue of a language with exactly the sentences in `found`; new ones are empty, none is guessed.

    `folder` is that of another package, whose sentences that ours has are left out.
    """
    old = read_catalogue(language, folder) if po_path(language, folder).exists() else Catalog(locale=language)
    ours = read_catalogue(language) if folder else ()
    new = Catalog(
        locale=language,
        header_comment="# Post Road",
        language_team=language,
        fuzzy=False,
    )
    left_out = {message.id for message in ours}
    for message in found:
        if message.id and message.id not in left_out:
            known = old.get(message.id, message.context)
            # Equal singulars are not enough: a changed plural needs a new translation.
            string = known.string if known and known.id == message.id else None
            new.add(
                message.id,
                string,
                message.locations,
                flags=known.flags if known and string else (),
                auto_comments=message.auto_comments,
                user_comments=known.user_comments if known else (),
                context=message.context,
            )
    return new


def untranslated(catalog: Catalog) -> list[str]:
    """Return the English of the sentences without a full translation, or with one marked as a guess."""

    def is_full(string: str | Iterable[str] | None) -> bool:
        return bool(string) and (isinstance(string, str) or all(string or ()))

    first = [(m.id if isinstance(m.id, str) else m.id[0], m) for m in catalog if m.id]
    return [english for english, message in first if message.fuzzy or not is_full(message.string)]


@click.group()
def main() -> None:
    """Look after the translations."""


@main.command()
@click.argument("package", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
def update(package: Path | None) -> None:
    """Bring every .po file in step with the sentences in the sources; guess nothing.

    PACKAGE is the folder of a package that brings a title; its catalogues stand in its folder `translations`.
    """
    folder = package.resolve() / "translations" if package else None
    found = extract(folder.parent.parent, (folder.parent.name,)) if folder else extract()
    for language in LANGUAGES:
        if language == SOURCE_LANGUAGE:
            continue
        catalog = merged(language, found, folder)
        path = po_path(language, folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(written(catalog))
        click.echo(f"{language}: {len(catalog)} sentences, {len(untranslated(catalog))} to translate")


if __name__ == "__main__":
    main()
