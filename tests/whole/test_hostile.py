"""A server with something of every kind: what everybody sees there, and what hostile values do anywhere.

No address of a member reaches another. No input causes a server error: a small crawl over all routes, as everybody, on
both databases; and a thousand inputs of all kinds to the functions that read them. The suite tries the same at every
run; `python -m bench.trials.crawl` and `python -m bench.trials.hostile_inputs` try any number.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner
from werkzeug.test import TestResponse

from app.server.cli import main as postroad
from bench.trials.crawl import Ground, crawl, ground, postgres_copies, report, sqlite_copies
from bench.trials.hostile_inputs import try_all
from tests.support import postgres
from tests.support.databases import BOTH
from tests.support.hostile import known_names
from tests.support.hostile_kinds import KINDS, on_database
from tests.support.often import often
from tests.support.people import Browser
from tests.support.settled import MEMBERS, PAGES
from tests.support.world import Mail, address, world_at

REQUESTS = {"sqlite": often(320), "postgres": often(160)}
ROUTES = {"sqlite": 200, "postgres": 100}
EVERYBODY = (*MEMBERS, "eve")
WALKERS = ("ann", "carl", "eve", "olga", "nobody")
TYPED = {("ann", "bea")}
"""Ann has asked Bea to a table by her address, and may read what she typed."""


@dataclass
class Seen:
    """A settled server, and all that was found on a walk through it: pages and mails, by their readers."""

    ground: Ground
    url: str
    environ: dict[str, str]
    mails: list[tuple[str, Mail]]
    kinds: set[tuple[str, str]] = field(default_factory=set)
    told: list[tuple[str, str, list[str]]] = field(default_factory=list)
    """Who was shown whose addresses, and where."""


def _others_in(who: str, text: str) -> list[str]:
    """Return the members whose address occurs in this reader's text."""
    others = [one for one in EVERYBODY if one != who and (who, one) not in TYPED]
    return [one for one in others if address(one).lower() in text.lower()]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Seen:
    folder = tmp_path_factory.mktemp("settled")
    file = Path(shutil.copy(sqlite_template, folder / "settled.db"))
    url = f"sqlite:///{file}"
    kinds, told = set[tuple[str, str]](), list[tuple[str, str, list[str]]]()

    def note(who: str, path: str, answer: TestResponse) -> None:
        kinds.add((who, answer.mimetype))
        if who in WALKERS and (others := _others_in(who, answer.text)):
            told.append((who, path, others))

    copy, drop = sqlite_copies(folder, file)
    with world_at(folder, url) as world:
        stranger = Browser(world.app)
        with ground(world, copy, drop, most=2, most_forms=1, seen=note) as found:
            found.samples.walk("nobody", stranger, *PAGES, "/sign-in")
            for kept in (found.samples.paths, found.samples.forms):
                for who, rule in [*kept]:
                    if who == "nobody":  # the crawl has one visitor, without a name
                        kept["", rule] += kept.pop((who, rule))
        world.app.extensions["postroad"].database.close()
        mails = [(to.partition("@")[0].partition(".")[0], mail) for to, all_ in world.mails.items() for mail in all_]
        return Seen(found, url, dict(world.environ), mails, kinds, told)


def test_no_address_of_a_member_reaches_another(seen: Seen) -> None:
    """By a page, a feed, a table or a mail; who runs a club keeps the list of its members."""
    found = [(who, mail.subject, _others_in(who, mail.text + str(mail.message))) for who, mail in seen.mails]
    found += [one for one in seen.told if one[0] != "olga"]
    assert [one for one in found if one[2]] == []
    assert any(who == "olga" and path.endswith("/members") for who, path, _ in seen.told), "such an address is seen"
    assert len(seen.mails) > 30 and {kind for who, kind in seen.kinds if who == "ann"} > {"text/html"}
    assert ("nobody", "text/html") in seen.kinds


@pytest.mark.parametrize("kind", BOTH)
def test_hostile_values_anywhere_are_no_error_of_the_server(
    kind: str, seen: Seen, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """On SQLite, and on a PostgreSQL to which the same server has moved."""
    there, count = seen.ground, REQUESTS[kind]
    if kind == "postgres":
        server = request.getfixturevalue("postgres_server")
        url = postgres.make_database(server)
        backup, environ = str(tmp_path / "old.zip"), {**seen.environ, "POSTROAD_DATABASE_URL": url}
        for line, env in ((["backup", backup], seen.environ), (["restore", "--jump", "0", backup], environ)):
            done = CliRunner().invoke(postroad, line, env=env)
            assert done.exit_code == 0, done.output
        there.copy, there.drop = postgres_copies(server, url)
    with world_at(tmp_path, f"sqlite:///{tmp_path / 'none.db'}") as world:
        posts = {rule.rule for rule in world.app.url_map.iter_rules() if "POST" in (rule.methods or set())}
        offered = {rule for _, rule in there.samples.forms}
        assert len(offered) > 60, sorted(posts - offered)
        assert len(known_names()) > 60
        done = crawl(world, there, count, "suite")
    assert not done.found, report(done, 0)
    assert done.asked == count and (done.mails > 0 or kind == "postgres"), report(done, 0)
    assert len(done.routes) > ROUTES[kind] and len(done.well) > 40, report(done, 0)


def test_hostile_inputs_of_all_kinds_are_read_or_refused_with_a_sentence(sqlite_url: str) -> None:
    with on_database(sqlite_url) as mails:
        tried = try_all([*KINDS, *mails], 1500, "suite")
    assert not tried.found, tried.report(0)
    assert tried.count >= 1499 and len(tried.read) == len(KINDS) + 1
