"""Atom (RFC 4287): feeds of this server, where each entry has a page of its own."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import urlsplit
from xml.etree import ElementTree

from app.base.words.speech import Voice
from app.web.reader import server

ATOM = "http://www.w3.org/2005/Atom"
ElementTree.register_namespace("", ATOM)
EPOCH_OF_IDS = 2026
"""The year in the ids of entries (RFC 4151): they must never change."""


class Feed:
    """A feed being written. Paths are those of pages here; `key` is the permanent name of the feed's subject."""

    def __init__(
        self, voice: Voice, key: str, title: str, *, updated: datetime | None, self_address: str, page: str
    ) -> None:
        self._base = server().config.base_url
        self._host = urlsplit(self._base).hostname or "localhost"
        self._root = ElementTree.Element(f"{{{ATOM}}}feed", {"{http://www.w3.org/XML/1998/namespace}lang": voice.lang})
        self._put(self._root, "id", self._id(key))
        self._put(self._root, "title", title)
        self._put(self._root, "updated", f"{EPOCH_OF_IDS}-01-01T00:00:00Z" if updated is None else _stamp(updated))
        self._put(self._root, "link", rel="self", type="application/atom+xml", href=self_address)
        self._put(self._root, "link", rel="alternate", type="text/html", href=self._base + page)
        self._put(self._put(self._root, "author"), "name", "Post Road")

    def entry(self, key: str, at: datetime, title: str, summary: str, page: str) -> None:
        """Add an entry after the others."""
        one = self._put(self._root, "entry")
        self._put(one, "id", self._id(key))
        self._put(one, "title", title)
        self._put(one, "updated", _stamp(at))
        self._put(one, "link", rel="alternate", type="text/html", href=self._base + page)
        self._put(one, "summary", summary)

    def written(self) -> bytes:
        """Return the whole feed."""
        written: bytes = ElementTree.tostring(self._root, encoding="utf-8", xml_declaration=True)
        return written

    def _id(self, key: str) -> str:
        return f"tag:{self._host},{EPOCH_OF_IDS}:{key}"

    def _put(self, parent: ElementTree.Element, name: str, text: str = "", **attributes: str) -> ElementTree.Element:
        child = ElementTree.SubElement(parent, f"{{{ATOM}}}{name}", attributes)
        child.text = text or None
        return child


def _stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
