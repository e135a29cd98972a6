"""The command that keeps the catalogues complete, for developers.

After changing a sentence run `python -m app.base.words.catalogues update` and translate what is empty.
"""

from __future__ import annotations

import io
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import click
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.pofile import write_po

from app.base.words.i18n import LANGUAGES, ROOT, SOURCE_LANGUAGE, po_path, read_catalogue

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
    "Plural": (1, 2),
}
FOLDERS = ("app", "engine", "templates")

# Header lines of a .po file that differ from run to run or say nothing.
DROPPED_HEADERS = (
    b'"Project-Id-Version:',
    b'"POT-Creation-Date:',
    b'"PO-Revision-Date:',
    b'"Last-Translator:',
    b'"Report-Msgid-Bugs-To:',
    b'"Generated-By:',
)


def extract(root: Path = ROOT, folders: tuple[str, ...] = FOLDERS) -> Catalog:
    """All marked sentences in some folders of `root`, as an empty catalogue."""
    with (ROOT / "babel.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file, "babel.cfg")

    def is_ours(folder: str | Path) -> bool:
        parts = Path(folder).relative_to(root).parts
        return parts[0] in folders and not parts[-1].startswith((".", "__"))

    found = Catalog(fuzzy=False)
    for name, _line, ids, comments, context in extract_from_dir(
        root, methods, options, KEYWORDS, comment_tags=("For translators:",), directory_filter=is_ours
    ):
        # The line is left away: it would change with every edit of the file.
        found.add(ids, None, [(Path(name).as_posix(), 0)], auto_comments=comments, context=context)
    return found


def sentences_of_data(
    file: BinaryIO, _keywords: object, _tags: object, options: Mapping[str, str]
) -> Iterator[tuple[int, None, str, list[str]]]:
    """Yield the sentences of a TOML file for Babel: the texts under the keys that its section of `babel.cfg` names."""

    def within(value: object, is_said: bool) -> Iterator[str]:
        if isinstance(value, dict):
            for key, one in value.items():
                yield from within(one, is_said or key in options["sentences"].split())
        elif isinstance(value, list):
            for one in value:
                yield from within(one, is_said)
        elif is_said:
            yield str(value)

    return ((0, None, said, []) for said in within(tomllib.load(file), False))


def written(catalog: Catalog) -> bytes:
    """The text of a .po file; the same catalogue always gives the same bytes."""
    out = io.BytesIO()
    write_po(out, catalog, width=0, include_lineno=False, sort_by_file=True, ignore_obsolete=True)
    return b"".join(line for line in out.getvalue().splitlines(True) if not line.startswith(DROPPED_HEADERS))


def merged(language: str, found: Catalog, folder: Path | None = None) -> Catalog:
    """The catalogue of a language with exactly the sentences in `found`; new ones are empty, none is guessed.

    `folder` is that of another package, in which sentences that ours has are left out.
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
            # Equal first halves are not enough: a changed plural needs a new translation.
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
    """The English of the sentences without a full translation, or with one marked as a guess."""

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
    for language in (one for one in LANGUAGES if one != SOURCE_LANGUAGE):
        catalog = merged(language, found, folder)
        path = po_path(language, folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(written(catalog))
        empty = untranslated(catalog)
        click.echo("\n  ".join([f"{language}: {len(catalog)} sentences, {len(empty)} to translate", *empty]))


if __name__ == "__main__":
    main()
