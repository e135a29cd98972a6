"""No input causes a server error: a small crawl over all routes, as everybody, on both databases; and a thousand inputs
of all kinds to the functions that read them.

The suite tries the same at every run; `python -m tests.support.crawl` and `python -m tests.support.hostile_inputs` try
any number.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import make_url

from tests.support.crawl import crawl, ground, postgres_copies, report, sqlite_copies
from tests.support.databases import BOTH
from tests.support.hostile import known_names
from tests.support.hostile_inputs import try_all
from tests.support.hostile_kinds import KINDS, on_database
from tests.support.world import world_at

REQUESTS = 320


@pytest.mark.parametrize("kind", BOTH)
def test_hostile_values_anywhere_are_no_error_of_the_server(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = request.getfixturevalue(f"{kind}_url")
    if kind == "sqlite":
        copy, drop = sqlite_copies(tmp_path, Path(make_url(url).database or ""))
    else:
        copy, drop = postgres_copies(request.getfixturevalue("postgres_server"), url)
    with world_at(tmp_path, url) as world, ground(world, copy, drop, most=2, most_forms=1) as there:
        posts = {rule.rule for rule in world.app.url_map.iter_rules() if "POST" in (rule.methods or set())}
        seen = {rule for _, rule in there.samples.forms}
        assert len(seen) > 60, sorted(posts - seen)
        assert len(known_names()) > 60
        done = crawl(world, there, REQUESTS, "suite")
    assert not done.found, report(done, 0)
    assert done.asked == REQUESTS and len(done.routes) > 200 and len(done.well) > 60 and done.mails > 0, report(done, 0)


def test_hostile_inputs_of_all_kinds_are_read_or_refused_with_a_sentence(sqlite_url: str) -> None:
    with on_database(sqlite_url) as mails:
        tried = try_all([*KINDS, *mails], 1500, "suite")
    assert not tried.found, tried.report(0)
    assert tried.count >= 1499 and len(tried.read) == len(KINDS) + 1
