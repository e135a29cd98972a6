"""Values that no browser sends, put into every address, query and form of a server."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import get_origin

from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect, Rule
from werkzeug.test import TestResponse

from app.web.forms import Form as FormClass
from tests.support.forms import Form, Page
from tests.support.people import BASE, Browser

SOURCES = Path(__file__).resolve().parents[2] / "app"
VALUES = (
    "", " ", "0", "-1", "²", "٣", "½", "9" * 10, "9" * 20, "9" * 5000, "1e9999999", "NaN", "1/0", "1_000",
    "\0", "a\0b", "x" * 300, "x" * 20_000, "😀" * 300, "\u202e\ufeff\u2028", "\ufffe", "\r\nX: y", "'\"><b>&amp;",
    "%s%d{0}{x}", "../../x", "[" * 3000, "{}", "null", "*", "a@b", "a" * 300 + "@example.org", "/etc/localtime",
    "9999-12-31", "0001-01-01", "2026-02-30", "24:00", "Europe/Atlantis", "http://[", "https://example.org:99999/",
    "choice:²", "undo:²", "undo:" + "9" * 5000, "add:", "say", "division:²", "place 9,9 ²",
)  # fmt: skip
NUMBERS = ("-1", "²", "٣", "9" * 10, "9" * 20, "9" * 5000, "1e9999999")
VERBS = ("undo:²", "undo:" + "9" * 5000, "add:choice:²", "copy:²")
TEXTS = tuple(value for value in VALUES if "\0" not in value)
ENDS = (
    "cancel",
    "finish",
    "resign",
    "withdraw",
    "remove",
    "leave",
    "discard",
    "end-others",
    "sign-out",
    "erase",
    "end",
)
"""Forms that end what others need; they come last."""


Seen = Callable[[str, str, TestResponse], None]
"""Called with each answer: whose, and to which address."""


@dataclass
class Samples:
    """What a server shows to some people: addresses of every kind that they can open, and the forms on the pages."""

    app: Flask
    most: int = 4
    """Addresses of a kind for each visitor."""
    most_forms: int = 2
    """Forms of a kind for each visitor."""
    paths: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    """By visitor and rule."""
    seen: Seen | None = None
    forms: dict[tuple[str, str], list[Form]] = field(default_factory=lambda: defaultdict(list))

    def rule_of(self, path: str, method: str) -> Rule | None:
        """Return the rule of an address."""
        try:
            rule, _ = self.app.url_map.bind("post.example.org").match(path.partition("?")[0], method, return_rule=True)
        except (HTTPException, RequestRedirect):
            return None
        return rule

    def walk(self, who: str, browser: Browser, *starts: str) -> None:
        """Follow links from some pages on."""
        queue = list(starts)
        while queue:
            path = queue.pop(0).removeprefix(BASE).partition("#")[0]
            rule = self.rule_of(path, "GET") if path.startswith("/") else None
            if rule is None or rule.endpoint == "pages.static":
                continue
            known = self.paths[who, rule.rule]
            if path in known or len(known) >= self.most:
                continue
            known.append(path)
            answer = browser.client.get(path, headers=browser.headers)
            assert answer.status_code < 500, path
            if self.seen is not None:
                self.seen(who, path, answer)
            if not answer.mimetype.startswith("text/html"):
                continue
            page = Page(answer.text)
            queue += page.links
            for form in page.forms:
                action = form.action or path
                target = self.rule_of(action, form.method.upper())
                if target is not None and form.method == "post":
                    kept = self.forms[who, target.rule]
                    if len(kept) < self.most_forms and action not in {one.action for one in kept[1:]}:
                        kept.append(Form(action, "post", form.controls))


@cache
def known_names() -> list[str]:
    """Return every name of a field or an argument that the sources of the pages read."""
    found: set[str] = set()
    for path in SOURCES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r"""(?:form|args|values)\.get(?:list)?\(\s*"([^"]+)""", text))
        found |= set(re.findall(r"""\b(?:number|typed|_number|_whole|_chosen|_one_of)\("([^"]+)""", text))
    for form in all_forms():
        for name, about in form.model_fields.items():
            key = about.alias or name
            found.add(f"{key}.1" if get_origin(about.annotation) is dict else key)
    return sorted(found)


def all_forms(form: type[FormClass] = FormClass) -> Iterator[type[FormClass]]:
    """Return every class of a form in the loaded pages."""
    for one in form.__subclasses__():
        if one.__module__.startswith("app."):
            yield one
        yield from all_forms(one)
