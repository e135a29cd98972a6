"""What a server registers when it starts."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from app.account import memberships
from app.base import outbox
from app.games import competitions
from app.leagues import register as leagues
from app.post import mail_words, writing
from app.post.webhooks import owed
from app.server.registry import register

APP = Path(writing.__file__).parents[1]


def test_every_kind_of_mail_has_its_letter() -> None:
    """A module of letters that nobody registers would leave its mails unwritten."""
    register()
    found = [*APP.glob("*/mails.py"), *APP.glob("*/mails/[!_]*.py")]
    modules = [import_module(".".join(path.relative_to(APP.parent).with_suffix("").parts)) for path in sorted(found)]
    assert len(modules) > 5
    for module in modules:
        assert {kind: writing._KINDS.get(kind) for kind in module.KINDS} == module.KINDS


def test_every_kind_of_mail_has_words_in_the_lists_of_mails() -> None:
    """The outbox and players' own mails say what a mail is about; none is just "another mail"."""
    register()
    assert set(writing._KINDS) == set(mail_words.MAIL_KINDS)


def test_registering_again_changes_nothing() -> None:
    register()
    before = competitions.runner(), memberships.there(), dict(writing._KINDS), list(outbox._followers)
    leagues.register()
    outbox.follow(owed.plan)
    assert (competitions.runner(), memberships.there(), dict(writing._KINDS), list(outbox._followers)) == before
    assert outbox._followers == [owed.plan]
