"""Addresses are made by `url_for`, and none of them takes a form without the token of its page."""

from __future__ import annotations

import re
from pathlib import Path

from flask import Flask

from app.base.server import Server
from tests.support.people import Enter, everything

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
HOT = ("play/turn/show.html", "play/turn/head.html", "play/turn/aside.html", "web/_menu.html", "base.html")
"""Drawn for every turn: fixed addresses are typed out there."""


def test_no_address_takes_a_form_without_its_token_but_signed_links(app: Flask, server: Server, enter: Enter) -> None:
    alice = enter("alice")
    before, links = everything(server), []
    for rule in app.url_map.iter_rules():
        if "POST" not in (rule.methods or ()):
            continue
        path = re.sub(r"<[^>]+>", "1", re.sub(r"<any\((\w+)[^>]*>", r"\1", rule.rule))
        answer = alice.client.post(path, data={"do": "x"}, headers=alice.headers)
        if "by_link" in app.view_functions[rule.endpoint].__dict__:
            links.append(rule.rule)
            assert answer.status_code in (404, 410), rule
        else:
            assert answer.status_code in (400, 403, 404, 409, 410), (rule, answer.status_code)
    assert everything(server) == before
    assert len(links) > 8 and all("<token>" in rule for rule in links)


def test_templates_name_no_address() -> None:
    typed = {
        str(path.relative_to(TEMPLATES))
        for path in TEMPLATES.rglob("*.html")
        if re.search(r"""\b(?:href|action|src)="/""", path.read_text(encoding="utf-8"))
    }
    assert sorted(name for name in typed if not name.startswith(HOT)) == []
