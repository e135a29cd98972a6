"""What a server knows of its rooms when it starts."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from app.account import memberships
from app.base.process import jobs
from app.base.process.config import load
from app.base.stored import outbox
from app.base.stored.mail_tables import MailGroup
from app.games import competitions
from app.post import owed
from app.post.inbound import port
from app.post.letters import writing
from app.server import registry
from app.server.factory import create_app

APP = Path(writing.__file__).parents[2]
SOURCES = {".".join(path.relative_to(APP.parent).with_suffix("").parts): path for path in APP.rglob("*.py")}
DECLARING = {"job", "begun", "tidies", "worker"}


def declares(path: Path) -> bool:
    """Whether a module declares something that happens without anybody asking for it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for decorator in getattr(node, "decorator_list", ()):
            named = getattr(decorator, "func", decorator)
            names.add(getattr(named, "id", getattr(named, "attr", "")))
    return bool(names & DECLARING)


def test_every_room_says_what_it_brings_and_is_in_the_list() -> None:
    there = {path.parent.name for path in APP.glob("*/register.py")}
    assert [room.package for room in registry.ROOMS if room.package.removeprefix("app.") not in there] == []
    assert len(registry.ROOMS) == len(there)


def test_whatever_declares_a_job_is_named_by_its_room() -> None:
    registry.register()
    found = {module for module, path in SOURCES.items() if declares(path)}
    assert len(found) > 15 and found == {one.__name__ for room in registry.ROOMS for one in room.load(room.jobs)}


def test_every_page_is_served(tmp_path: Path) -> None:
    app = create_app(load({"POSTROAD_DATABASE_URL": f"sqlite:///{tmp_path}/none.db"}, tmp_path))
    served = {blueprint.import_name for blueprint in app.blueprints.values()}
    own = {module for module, path in SOURCES.items() if "\nblueprint = Blueprint(" in path.read_text(encoding="utf-8")}
    assert len(own) > 30 and own == served


def test_every_kind_of_mail_is_known_with_its_words() -> None:
    registry.register()
    declares = re.compile(r"^@(event_|club_)?mail\(", re.MULTILINE)
    declared = sum(len(declares.findall(path.read_text(encoding="utf-8"))) for path in SOURCES.values())
    assert declared == len(writing.kinds()) > 50
    assert all(writing.words_of(kind) for kind in writing.kinds())


def test_only_mails_of_the_clock_go_out_together_and_only_news_may_not_wait() -> None:
    registry.register()
    assert {outbox.group_of(kind) for kind in writing.together} == {MailGroup.CLOCK}
    held = {kind for kind, one in writing._KINDS.items() if one.can_wait is not writing.always}
    assert {outbox.group_of(kind) for kind in held} == {MailGroup.NEWS}


def test_a_kind_of_mail_has_one_writer() -> None:
    with pytest.raises(RuntimeError, match="two functions write mails of the kind turn"):
        writing.mail("turn", words="a turn")(lambda session, links, mail: None)


def test_registering_again_changes_nothing() -> None:
    def known() -> list[object]:
        ports = competitions.runner(), memberships.there(), port.taker()
        return [*ports, dict(writing._KINDS), list(outbox._followers), list(jobs.JOBS)]

    registry.register()
    before = known()
    registry.register.__wrapped__()
    assert known() == before and outbox._followers == [owed.plan_calls, owed.plan_pushes]
