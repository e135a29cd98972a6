"""Requests that no browser sends: known addresses, forms and links with one or more hostile parts."""

from __future__ import annotations

import io
import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote

from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect
from werkzeug.test import TestResponse

from tests.support.forms import Form
from tests.support.hostile import ENDS, NUMBERS, TEXTS, VALUES, VERBS, Samples, known_names
from tests.support.people import Browser
from tests.support.watchful import MARKED

HEADERS = (
    "Accept", "Accept-Language", "Accept-Encoding", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Host",
    "Cookie", "Content-Type", "If-None-Match", "If-Modified-Since", "Range", "Referer", "Origin", "User-Agent",
    "Authorization", "Sec-Fetch-Site", "X-Requested-With",
)  # fmt: skip
HEADER_VALUES = (
    *(value for value in (*VALUES, *MARKED) if value.isprintable()), "text/html;q=zqb", "bytes=0-,5-", 'W/"',
    "multipart/form-data", "application/json; charset=zqb", "en;q=9e9", "*;q=-1",
)  # fmt: skip
METHODS = ("HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE")
JSON_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 10**30, 1e308, [], {}, [[[]]], {"a": {"b": [1]}}, *MARKED, "", "\0", "9" * 5000, "x" * 20_000,
)  # fmt: skip
JSON_KEYS = ("orders", "decision", "draft", "version", "message", "do", "preview", "answer", "salt", "seen", "number")


@dataclass
class Asked:
    """One request. `fields` are those of a form, `files` come with them; `json` is a body instead."""

    who: str
    method: str
    path: str
    fields: dict[str, Any] = field(default_factory=dict)
    files: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    json: Any = None
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    token: bool = True
    """Whether it includes the token of a form of this browser."""

    def send(self, browser: Browser) -> TestResponse:
        """Send it; return the answer."""
        more: dict[str, Any] = {}
        if self.body is not None:
            more["data"] = self.body
        elif self.json is not None:
            more["json"] = self.json
        elif self.method not in ("GET", "HEAD"):
            files = {name: (io.BytesIO(content), called) for name, (content, called) in self.files.items()}
            more["data"] = self.fields | ({"csrf_token": browser.token} if self.token else {}) | files
        return browser.client.open(self.path, method=self.method, headers={**browser.headers, **self.headers}, **more)

    def shown(self, roles: dict[str, str]) -> str:
        """Return who asks what, for a person."""
        parts = [f"as {roles[self.who]}: {self.method} {self.path[:300]}"]
        for name in ("fields", "files", "json", "body", "headers"):
            if value := getattr(self, name):
                parts.append(f"{name}={str(value)[:1500]}")
        return " ".join(parts)


class Asking:
    """Makes requests for a server from samples of what it shows. The first ones cover every route once."""

    def __init__(self, app: Flask, samples: Samples, chooser: random.Random, people: Sequence[str]) -> None:
        self._adapter = app.url_map.bind("post.example.org")
        self._chooser, self._people = chooser, people
        self._rules = sorted(
            (rule.rule, method)
            for rule in app.url_map.iter_rules()
            for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        )
        self._paths = sorted((who, path) for (who, _), paths in samples.paths.items() for path in paths)
        forms = sorted(((who, rule, n) for (who, rule), some in samples.forms.items() for n in range(len(some))))
        self._forms = [(who, samples.forms[who, rule][n]) for who, rule, n in forms]
        self._names = known_names()
        self._known: dict[str, list[str]] = defaultdict(list)
        self._tokens: dict[str, list[str]] = defaultdict(list)
        for path in sorted({path for _, path in self._paths} | {form.action for _, form in self._forms}):
            self._learn(path.partition("?")[0])
        ways: list[tuple[int, Callable[[], Asked]]] = [
            (24, self._arguments), (16, self._part), (8, self._route), (32, self._form), (10, self._json),
            (5, self._file), (5, self._header),
        ]  # fmt: skip
        self._ways = [way for often, way in ways for _ in range(often)]

    def next(self, number: int) -> Asked:
        """Return the request of this number; within a round, only the first number matters."""
        if number < len(self._rules):
            return self._anywhere(*self._rules[number])
        return self._chooser.choice(self._ways)()

    def rule_of(self, one: Asked) -> str:
        """Return the rule of its address, or nothing."""
        found = self._match(one.path.partition("?")[0], one.method)
        return found[0] if found else ""

    def _match(self, path: str, method: str) -> tuple[str, dict[str, Any]] | None:
        for way in (method, "GET", "POST"):
            try:
                rule, values = self._adapter.match(path, way, return_rule=True)
                return rule.rule, dict(values)
            except (HTTPException, RequestRedirect, ValueError):
                continue
        return None

    def _learn(self, path: str) -> None:
        found = self._match(path, "GET")
        if found is None:
            return
        rule, values = found
        for name, value in values.items():
            if name == "token":
                self._tokens[rule.split("/")[1]].append(str(value))
            else:
                self._known[name].append(str(value))

    # -- one of each kind -------------------------------------------------------------------------

    def _someone(self) -> str:
        return self._chooser.choice(self._people)

    def _value(self) -> str:
        return self._chooser.choice(MARKED if self._chooser.random() < 0.35 else TEXTS)

    def _filled(self, rule: str, hostile: str | None = None) -> str:
        """Return a rule filled with existing things, except for one place."""

        def known(found: re.Match[str]) -> str:
            part = found[0]
            if part == hostile:
                value = self._chooser.choice(MARKED if self._chooser.random() < 0.3 else VALUES)
                return quote(value, safe="/" if self._chooser.random() < 0.1 else "") or "%20"
            name = part.strip("<>").rpartition(":")[2]
            if part.startswith("<any("):
                return self._chooser.choice(re.findall(r"[\w-]+", part.partition("(")[2].partition(")")[0]))
            if name == "token":
                kept = self._tokens.get(rule.split("/")[1]) or [one for some in self._tokens.values() for one in some]
            else:
                kept = self._known.get(name, ["1"])
            return self._chooser.choice(kept)

        return re.sub(r"<[^>]+>", known, rule)

    def _anywhere(self, rule: str, method: str) -> Asked:
        """Return a request of a route, by anybody, for something that exists, with content that no page would send."""
        path = self._filled(rule)
        if method == "GET":
            return Asked(self._someone(), "GET", f"{path}?{self._query(3)}")
        return Asked(self._someone(), method, path, {name: self._value() for name in self._some_names(20)})

    def _some_names(self, most: int) -> list[str]:
        return self._chooser.sample(self._names, self._chooser.randint(1, most))

    def _query(self, most: int) -> str:
        return "&".join(f"{quote(name)}={quote(self._value())}" for name in self._some_names(most))

    def _route(self) -> Asked:
        rule, method = self._chooser.choice(self._rules)
        if self._chooser.random() < 0.1:
            method = self._chooser.choice(METHODS)
        return self._anywhere(rule, method)

    def _arguments(self) -> Asked:
        who, path = self._chooser.choice(self._paths)
        who = self._someone() if self._chooser.random() < 0.2 else who
        return Asked(who, "GET", f"{path.partition('?')[0]}?{self._query(6)}")

    def _part(self) -> Asked:
        rule, method = self._chooser.choice([one for one in self._rules if "<" in one[0]])
        path = self._filled(rule, self._chooser.choice(re.findall(r"<[^>]+>", rule)))
        return Asked(self._someone(), method, path)

    def _form(self) -> Asked:
        who, form = self._chooser.choice(self._forms)
        if form.action.rpartition("/")[2] in ENDS and self._chooser.random() < 0.8:
            who, form = self._chooser.choice(self._forms)
        filled = _as_sent(form)
        names = sorted({control.name for control in form.controls} - {"csrf_token"})
        for name in self._chooser.sample(names, min(len(names), self._chooser.choice((1, 1, 1, 2, 9)))):
            value = self._value()
            if self._chooser.random() < 0.15:
                value = self._chooser.choice(VERBS if name == "do" else NUMBERS)
            filled[name] = value if self._chooser.random() < 0.9 else [value, self._value()]
            if ("." in name or ":" in name) and self._chooser.random() < 0.3:
                stem = re.split(r"[.:]", name)[0]
                filled[f"{stem}{name[len(stem)]}{value[:200]}"] = value
        if self._chooser.random() < 0.1:
            filled |= {name: self._value() for name in self._some_names(20)}
        headers = {"Accept": "application/json"} if self._chooser.random() < 0.1 else {}
        who = self._someone() if self._chooser.random() < 0.15 else who
        return Asked(who, "POST", form.action, filled, headers=headers, token=self._chooser.random() < 0.97)

    def _json(self) -> Asked:
        turn = f"/t/{self._chooser.choice(self._tokens['t'])}"
        rule = self._chooser.choice([rule for rule, method in self._rules if method == "POST"])
        path = turn if self._chooser.random() < 0.6 else self._filled(rule)
        body: Any = {
            self._chooser.choice(JSON_KEYS): self._chooser.choice(JSON_VALUES)
            for _ in range(self._chooser.randint(0, 4))
        }
        if self._chooser.random() < 0.2:
            body = self._chooser.choice(JSON_VALUES)
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        if body is None or self._chooser.random() < 0.1:
            raw = self._chooser.choice(
                (b"[" * 50_000, b"{", b"\xff\xfe", b'{"orders":"\\ud800"}', b"1e999", b'"\\u0000"')
            )
            return Asked(self._someone(), "POST", path, body=raw, headers=headers)
        return Asked(self._someone(), "POST", path, json=body, headers=headers)

    def _file(self) -> Asked:
        who = "olga" if self._chooser.random() < 0.8 else self._someone()
        club = self._chooser.choice(self._known["slug"])
        path = f"/clubs/{club}/members/list"
        content = self._chooser.choice(hostile_files())
        if self._chooser.random() < 0.4:
            content = spoilt(content, self._chooser)
        called = self._chooser.choice(("list.csv", "list.xlsx", "", *MARKED, "../../x", "a\0b", "x" * 300))
        fields = {"list": self._chooser.choice(("", self._value()))}
        return Asked(who, "POST", path, fields, files={"file": (content, called)})

    def _header(self) -> Asked:
        who, path = self._chooser.choice(self._paths)
        headers = {name: self._chooser.choice(HEADER_VALUES).encode().decode("latin-1")
                   for name in self._chooser.sample(HEADERS, 3)}  # fmt: skip
        if not headers.get("Host", "").isascii() or self._chooser.random() < 0.7:  # the client cannot send it
            headers.pop("Host", None)
        if self._chooser.random() < 0.7:
            return Asked(who, "GET", path, headers=headers)
        who, form = self._chooser.choice(self._forms)
        return Asked(who, "POST", form.action, _as_sent(form), headers=headers)


def _as_sent(form: Form) -> dict[str, Any]:
    """Return what a browser would send, without the token."""
    filled: dict[str, Any] = {}
    for name, value in form.fill():
        filled[name] = [*filled.get(name, []), value]
    filled.pop("csrf_token", None)
    return filled


# -- files --------------------------------------------------------------------------------------------


@cache
def hostile_files() -> tuple[bytes, ...]:
    """Return files that claim to be lists of members or of places: with marks, broken, or not lists at all."""
    rows = "\n".join(f"m{n}@example.org,{mark!r},{n}" for n, mark in enumerate(MARKED))
    marked = f'address,name,rating\n{rows}\nx@example.org,"zqb<i>zqb""zqb\'",1e99\n'
    seasons = f"season;place;name;points\n2025;1;{MARKED[0]};½\n{MARKED[1]};²;=1+1;1/0\n"
    texts = [
        marked, seasons, "address\n" + "\n".join(TEXTS[:40]), "\0\0\0", 'address,name\n"a', "sep=\0\na\0b", "sep=",
        "address" + "," * 5000 + "\nx", "=cmd|' /C calc'!A0,@SUM(1)\n+1,-1", "\n" * 100_000,
        "address,address\na@b.c,d@e.f",
    ]  # fmt: skip
    coded = [text.encode(coding, "ignore") for text in texts[:2] for coding in ("utf-8-sig", "utf-16", "cp1252")]
    return (*[text.encode() for text in texts], *coded, b"PK\x03\x04", b"\xd0\xcf\x11\xe0x")


def spoilt(content: bytes, chooser: random.Random) -> bytes:
    """Return a file with some bytes changed, cut out or repeated."""
    given = bytearray(content[:200_000])
    for _ in range(chooser.randint(1, 8)):
        at = chooser.randrange(len(given) + 1)
        way = chooser.randrange(4)
        if way == 0:
            given[at:at] = bytes(chooser.randrange(256) for _ in range(chooser.randint(1, 4)))
        elif way == 1:
            del given[at : at + chooser.randint(1, 30)]
        elif way == 2 and at < len(given):
            given[at] = chooser.randrange(256)
        else:
            given[at:at] = given[at : at + chooser.randint(1, 200)]
    return bytes(given)
