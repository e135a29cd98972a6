"""Measures how tall the pages of a club of 60 are on a phone, before anything is opened.

    python -m bench.trials.heights [--most 3000]

Walks all pages of the demo club as its owner, with 46 more members in its next event. Prints each page's height in CSS
pixels at a width of 360; exits with 1 if one is taller.
"""

from __future__ import annotations

import argparse
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from app.base.process.config import load
from app.games.work import Work
from app.leagues.clubs import club_rights, members
from app.leagues.commands.demo_club import OWNER
from app.leagues.events import entries
from app.people import accounts
from app.server.registry import open_server
from bench.pictures.season_pictures import CLUB, signed_in
from tests.support.running import Install
from tests.support.served import browsing

MORE, NEXT_EVENT = 46, 2
OURS = re.compile(r"(/clubs/harbour|/events/\d+)(/[\w/.-]*)?")
FILES = re.compile(r"\.(atom|json|csv|ics|pdf)$|/(embed|print)$")


def enlarge(demo: Install) -> None:
    """Take 46 more members into the club and its next event."""
    now, server = datetime.now(UTC), open_server(load(demo.environ, demo.folder))
    with server.database.write() as session:
        club = club_rights.find(session, "harbour")
        olga = accounts.find(session, OWNER[0])
        assert olga is not None
        more = [(f"more{n}@example.org", f"Member {n} Lastname") for n in range(MORE)]
        people = [accounts.find_or_add(session, address, now=now, name=name).id for address, name in more]
        for person in people:
            members.take_in(session, club.id, person, now)
        session.commit()
        by_id = olga.id
    with Work(server.database) as work:
        entries.enter_many(work, NEXT_EVENT, people, by_id=by_id, now=now)
    server.database.close()


def main() -> int:
    """Walk and measure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--most", type=int, default=3000)
    most = options.parse_args().most
    found: dict[str, int] = {}
    with TemporaryDirectory() as folder, browsing() as browser:
        demo = Install(Path(folder))
        demo.command("demo", "--club")
        enlarge(demo)
        with demo.serving():
            page = signed_in(browser, demo.base_url)
            page.set_viewport_size({"width": 360, "height": 740})
            waiting, kinds = [CLUB], dict[str, int]()
            while waiting:
                path = waiting.pop(0)
                page.goto(demo.base_url + path)
                found[path] = int(page.evaluate("document.documentElement.scrollHeight"))
                for link in page.locator("a[href^='/']").evaluate_all("all => all.map(one => one.pathname)"):
                    kind = re.sub(r"\d+", "N", link)
                    is_new = link not in found and link not in waiting and kinds.get(kind, 0) < 3
                    if is_new and OURS.fullmatch(link) and not FILES.search(link):
                        kinds[kind] = kinds.get(kind, 0) + 1
                        waiting.append(link)
    for path, height in sorted(found.items(), key=lambda one: -one[1]):
        print(f"{height:6} {path}")
    return int(max(found.values()) > most)


if __name__ == "__main__":
    sys.exit(main())
