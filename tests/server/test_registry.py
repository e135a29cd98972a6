"""What a server knows of its rooms when it starts."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

from app.account import memberships
from app.base import jobs, outbox
from app.base.config import load
from app.games import competitions
from app.post import mail_words, writing
from app.post.inbound import port
from app.post.webhooks import owed
from app.server import registry
from app.server.factory import create_app

APP = Path(writing.__file__).parents[1]
SOURCES = {".".join(path.relative_to(APP.parent).with_suffix("").parts): path for path in APP.rglob("*.py")}
DECLARING = {"job", "begun_job", "tidies", "worker"}


def declares(path: Path) -> bool:
    """Whether a module declares something that happens without anybody asking for it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for decorator in getattr(node, "decorator_list", ()):
            names.add(getattr(getattr(decorator, "func", decorator), "id", ""))
    return bool(names & DECLARING)


def test_every_room_says_what_it_brings_and_is_in_the_list() -> None:
    there = {path.parent.name for path in APP.glob("*/register.py")}
    assert [room.package for room in registry.ROOMS if room.package.removeprefix("app.") not in there] == []
    assert len(registry.ROOMS) == len(there)


def test_whatever_declares_a_job_is_named_by_its_room() -> None:
    registry.register()
    found = {module for module, path in SOURCES.items() if declares(path)}
    assert len(found) > 15 and found == jobs._registered.keys()


def test_every_page_is_served(tmp_path: Path) -> None:
    app = create_app(load({"POSTROAD_DATABASE_URL": f"sqlite:///{tmp_path}/none.db"}, tmp_path))
    served = {blueprint.import_name for blueprint in app.blueprints.values()}
    own = {module for module, path in SOURCES.items() if "\nblueprint = Blueprint(" in path.read_text(encoding="utf-8")}
    assert len(own) > 30 and own == served


def test_every_kind_of_mail_has_its_letter() -> None:
    """A module of letters that nobody registers would leave its mails unwritten."""
    registry.register()
    found = [*APP.glob("*/mails.py"), *APP.glob("*/mails/[!_]*.py")]
    modules = [import_module(".".join(path.relative_to(APP.parent).with_suffix("").parts)) for path in sorted(found)]
    assert len(modules) > 5
    for module in modules:
        assert {kind: writing._KINDS.get(kind) for kind in module.KINDS} == module.KINDS


def test_every_kind_of_mail_has_words_in_the_lists_of_mails() -> None:
    """The outbox and everybody's own mails say what a mail is about; none is just "another mail"."""
    registry.register()
    assert set(writing._KINDS) == set(mail_words.MAIL_KINDS)


def test_registering_again_changes_nothing() -> None:
    def known() -> list[object]:
        ports = competitions.runner(), memberships.there(), port.taker()
        return [*ports, dict(writing._KINDS), list(outbox._followers), jobs.jobs()]

    registry.register()
    before = known()
    registry.register.__wrapped__()
    assert known() == before and outbox._followers == [owed.plan]
