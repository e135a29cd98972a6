"""Whatever is typed, pasted, uploaded or mailed in has an end, which is found before it is understood."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from app.base.words.bounds import LONGEST_LIST
from app.leagues.clubs import sheets
from app.people.accounts import read_address, read_name
from app.post.inbound import reports
from app.post.inbound.incoming import MOST_BYTES, MOST_PARTS, Incoming
from app.time.paces import read_json
from app.titles.registry import TITLES
from app.upkeep.backups import restoring
from engine.kernel.records.form import load
from engine.kernel.refusals import Refusal

MOST_DOUBLINGS = 24
MOST_MEMORY = 96 * 1024 * 1024
LISTS: dict[str, Callable[[int], str]] = {
    "lines": lambda n: "name,address\n" + "a,a@b.example\n" * n,
    "empty lines": lambda n: "name,address\n" + "\n" * n,
    "cells": lambda n: "name,address\n" + "a" + ",a" * n,
    "empty cells": lambda n: "name,address\n" + "," * n,
    "columns": lambda n: ",".join(f"c{m}" for m in range(n + 1)) + "\na@b.example",
    "a cell": lambda n: "name,address\n" + "a" * n + ",a@b.example",
    "quotes": lambda n: "name,address\n" + '"' * (2 * n) + ",a@b.example",
    "lines in quotes": lambda n: 'name,address\n"' + "\n" * n + '",a@b.example',
    "addresses in a line": lambda n: "a@b.example " * n,
}
READERS: dict[str, Callable[[str], Any]] = {
    "a pasted sheet": sheets.read_text,
    "an uploaded sheet": lambda text: sheets.read(text.encode("utf-16")),
    "a list of people": sheets.read_people,
}


def open_backup(text: str) -> None:
    """Open a backup that says this about itself."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in (restoring.KEYS, restoring.SETTINGS, restoring.MANIFEST):
            archive.writestr(name, text)
    with restoring.opened(stream):
        pass


MANIFEST = f'{{"format": {restoring.FORMAT}, "made_at": "2026-11-28", "revision": "", "tables": {{}}}}'
OTHERS: dict[str, tuple[Callable[[int], str], Callable[[str], Any]]] = {
    "a name": (lambda n: "a" * n, read_name),
    "an address": (lambda n: "a" * n + "@b.example", read_address),
    "a host": (lambda n: "a@" + "b." * n + "example", read_address),
    "a record's bytes": (lambda n: "[" + "1," * n + "1]", lambda text: load(text, TITLES)),
    "a record's depth": (lambda n: "[" * n + "]" * n, lambda text: load(text, TITLES)),
    "what a backup says": (lambda n: " " * 16 * n + MANIFEST, open_backup),
    "a pace": (lambda n: '{"a": "' + "a" * n + '"}', read_json),
    "a pace's depth": (lambda n: "[" * n, read_json),
}


def refused_at(made: Callable[[int], str], read: Callable[[str], Any]) -> int:
    """Double a text until its reader refuses it; return its length then."""
    for doublings in range(4, MOST_DOUBLINGS, 2):
        text = made(2**doublings)
        try:
            read(text)
        except (Refusal, restoring.CannotRestore):
            return len(text)
    raise AssertionError("it has no end")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", LISTS)
def test_a_list_is_refused_before_it_is_large(kind: str, reader: str) -> None:
    tracemalloc.start()
    try:
        assert refused_at(LISTS[kind], READERS[reader]) <= 16 * LONGEST_LIST
        assert tracemalloc.get_traced_memory()[1] <= MOST_MEMORY
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", OTHERS)
def test_other_texts_have_an_end(kind: str) -> None:
    refused_at(*OTHERS[kind])


HEAD = "From: a@b.example\r\nTo: c@d.example\r\n"
MIXED = "Content-Type: multipart/mixed; boundary="
MAILS: dict[str, Callable[[int], str]] = {
    "headers": lambda n: HEAD + "X-A: b\r\n" * n + "\r\nx",
    "a header": lambda n: HEAD + "Subject: " + "a" * n + "\r\n\r\nx",
    "addresses": lambda n: HEAD + "Cc: " + "a@b.example, " * n + "\r\n\r\nx",
    "references": lambda n: HEAD + "References:" + " <a@b>" * n + "\r\n\r\nx",
    "parts": lambda n: HEAD + MIXED + "b\r\n\r\n" + "--b\r\n\r\nx\r\n" * n + "--b--\r\n",
    "depth": lambda n: HEAD + "".join(f'{MIXED}"b{m}"\r\n\r\n--b{m}\r\n' for m in range(n)),
    "a line": lambda n: HEAD + "\r\n" + "a" * n,
    "lines": lambda n: HEAD + "\r\n" + "> a\r\n" * n,
}


@pytest.mark.parametrize("kind", MAILS)
def test_a_mail_is_read_up_to_its_end(kind: str) -> None:
    for doublings in range(8, MOST_DOUBLINGS, 3):
        mail = Incoming(MAILS[kind](2**doublings).encode())
        if mail.size > MOST_BYTES:
            return  # the gate looks no further
        reports.read(mail)
        assert len(mail.parts) <= MOST_PARTS and len(mail.headers("X-A")) <= MOST_PARTS
    raise AssertionError("it has no end")
