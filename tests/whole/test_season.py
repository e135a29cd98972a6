"""Whole seasons of a club over HTTP and mail alone: nobody touches the database, nobody calls a service.

People found a club, join it, sign up, read their mails and follow the links in them; organisers press buttons.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from app.titles.registry import TITLES
from engine.kernel import records
from tests.support.club_pages import take_list
from tests.support.forms import Page
from tests.support.people import BASE, Browser
from tests.support.world import JSON, Pairing, World, address, html_of, number_in, pairings, world_at


@pytest.fixture
def world(tmp_path: Path, sqlite_url: str) -> Iterator[World]:
    with world_at(tmp_path, sqlite_url) as made:
        yield made


def found_club(world: World, slug: str, name: str) -> Browser:
    """Olga founds a club."""
    olga = world.sign_in("olga")
    olga.get("/clubs")
    assert "The club is founded" in world.send(olga, "/clubs", slug=slug, name=name)
    return olga


def gather(world: World, olga: Browser, slug: str, by_link: list[str], by_list: list[str]) -> None:
    """Let some join by the club's link; the others are invited by a list and answer their mail."""
    page = olga.get(f"/clubs/{slug}/members")
    join = page[page.index(f"{BASE}/clubs/join/") :].split('"')[0].removeprefix(BASE)
    for who in by_link:
        browser = world.sign_in(who)
        browser.get(join)
        assert "You belong to the club now" in world.send(browser, join)
    table = "address;name\n" + "".join(f"{address(who)};{who}\n" for who in by_list)
    take_list(olga, slug, table)
    for who in by_list:
        world.by_link(who, "clubs/invitation", "accept")
        world.sign_in(who)


def everybody_enters(world: World, event: int, names: list[str]) -> None:
    for who in names:
        browser = world.people[who]
        browser.get(f"/events/{event}")
        assert "You are in." in world.send(browser, f"/events/{event}/sign-up")


def pair_and_publish(world: World, olga: Browser, event: int, division: int) -> str:
    """Pair the next round of a division, look at the draft, publish it; the address of the round."""
    world.deliver()
    olga.get(f"/events/{event}/manage")
    draft = world.send(olga, f"/events/{event}/pair", among={"division": str(division)})
    assert "only organisers see it" in draft
    round_at = olga.page.request.path
    Browser(world.app).get(round_at, 404)
    assert world.deliver() == [], "nobody is told of a draft"
    olga.get(round_at)
    assert "The round is published" in world.send(olga, f"{round_at}/publish")
    return round_at


# -- tables of three to five ------------------------------------------------------------------------------

SETTLERS = ["ada", "ben", "cora", "dan", "eva", "finn", "gita", "hal", "ida", "jan", "kay"]


def test_eleven_play_new_world_at_tables_over_three_rounds(world: World) -> None:
    olga = found_club(world, "settlers", "The Settlers")
    gather(world, olga, "settlers", SETTLERS[:6], SETTLERS[6:])
    olga.get("/clubs/settlers/events/new?title=new-world&kind=tables")
    made = world.send(
        olga, "/clubs/settlers/events/new", name="Three Rounds", season="2027", format="tables", rounds="3",
        sizes="4 3 5", round_days="30",
    )  # fmt: skip
    event = number_in(made, r"/events/(\d+)/open")
    world.sign_in("ada").get(f"/events/{event}", 404)
    world.send(olga, f"/events/{event}/open")
    everybody_enters(world, event, SETTLERS)
    olga.get(f"/events/{event}/manage")
    started = world.send(olga, f"/events/{event}/start")
    division = number_in(html_of(olga), r'name="division" value="(\d+)"')
    assert "The event has started" in started

    chooser = random.Random(19)
    met: Counter[frozenset[str]] = Counter()
    for number in range(1, 4):
        round_at = pair_and_publish(world, olga, event, division)
        tables = pairings(olga)
        assert sorted(len(table.seats) for table in tables) == [3, 4, 4]
        assert sorted(who for table in tables for who in table.seats) == SETTLERS
        met.update(frozenset(pair) for table in tables for pair in combinations(table.seats, 2))
        world.read_mail()
        play_round(world, number, [(table.game, list(table.seats)) for table in tables], chooser)
        assert "The round is closed" in close(world, olga, round_at)
        world.pass_time(days=2)
    assert sum(met.values()) == 3 * (2 * 6 + 3) and max(met.values()) <= 2
    assert sum(times == 2 for times in met.values()) <= 6, "nearly everybody meets somebody new"
    olga.get(f"/events/{event}/finish")
    assert "The event is over" in world.send(olga, f"/events/{event}/finish")
    final_places(world, event)


def play_round(world: World, number: int, tables: list[tuple[int | None, list[str]]], chooser: random.Random) -> None:
    """Play one table of the first round to its end by turn links; at the others a turn or two, then all but one give
    up.
    """
    for _, seats in tables:
        for who in seats:
            mail = world.mail(who, subject=f"round {number}")
            assert all(name in mail.text for name in seats) and "@example.org" not in mail.text.partition("\n--")[0]
    others = list(tables)
    if number == 1:
        whole, _ = others.pop(0)
        assert whole is not None
        world.play_out(whole, lambda asked: settle(asked, chooser))
    for game, seats in others:
        assert game is not None
        for _ in range(2):
            assert not world.answer(game, lambda asked: settle(asked, chooser))
            world.read_mail()
        for who in seats[1:]:
            world.resign(who, game)
        world.read_mail()
    for game, seats in tables:
        page = Browser(world.app).get(f"/games/{game}")
        assert "over" in page
        assert "won. Carcassonne" in world.mail(seats[0]).subject


def settle(asked: dict[str, Any], chooser: random.Random) -> str:
    """A legal line, with a settler where one can be put."""
    lines: list[str] = asked["legal"]
    return chooser.choice([line for line in lines if " settle " in line] or lines)


def close(world: World, olga: Browser, round_at: str) -> str:
    olga.get(round_at)
    return world.send(olga, f"{round_at}/close")


def shown(browser: Browser) -> Any:
    """The data of the address that is open."""
    return json.loads(browser.page.data)


def final_places(world: World, event: int) -> None:
    """Check that the standings in all their forms contain everybody, and the points of all tables."""
    reader = Browser(world.app)
    reader.get(f"/events/{event}/standings.json")
    [standing] = shown(reader)["divisions"]
    lines = standing["standings"]
    assert [line["name"] for line in lines] and len(lines) == 11
    points = [Fraction(line["points"]) for line in lines]
    assert points == sorted(points, reverse=True)
    assert sum(points) == 3 * (2 * 2 + Fraction(3, 2)), "1, 2/3, 1/3, 0 at four seats, 1, 1/2, 0 at three"


# -- three divisions ---------------------------------------------------------------------------------------

DIVISIONS = {
    "First": ["ann", "bea", "carl", "dora", "emil", "fay"],
    "Second": ["iris", "jack", "kim", "lena", "max", "nora"],
    "Third": ["rita", "tom", "uma", "vera", "will", "xena"],
}
EVERYBODY = [who for members in DIVISIONS.values() for who in members]
ROUNDS = 5
LIKED = ("settle", "develop", "besiege", "reinforce", "raid")
"""What brings a game of Acres to its end."""


class AcresSeason:
    """A season of three divisions of six, each a round robin, with everything that goes wrong in one."""

    def __init__(self, world: World) -> None:
        self.place = world
        self.chooser = random.Random(24)
        self.olga = found_club(world, "acres", "Friends of Acres")
        self.gone: set[str] = set()
        self.met: Counter[frozenset[str]] = Counter()
        """How often two players met."""

    def begin(self) -> None:
        """Everybody joins, signs up, and is put into a division."""
        world, olga = self.place, self.olga
        gather(world, olga, "acres", EVERYBODY[:9], [*EVERYBODY[9:], "rhea", "sven"])
        olga.get("/clubs/acres/members")
        rhea = number_in(html_of(olga), r'/members/(\d+)"(?:(?!</tr>).)*rhea@example.org')
        olga.get(f"/clubs/acres/members/{rhea}")
        world.send(olga, "/clubs/acres/members/role", among={"player": str(rhea)}, role="referee")
        olga.get("/clubs/acres/events/new?title=acres")
        world.send(
            olga, "/clubs/acres/events/new", name="League", season="2027", format="round_robin",
            withdrawal="half", rows={
                "division.name": list(DIVISIONS), "division.promoted": ["0", "2", "2"],
                "division.relegated": ["2", "2", "0"],
            },
        )  # fmt: skip
        self.event = number_in(html_of(olga), r"/events/(\d+)/open")
        self.page = f"/events/{self.event}"
        world.send(olga, f"{self.page}/open")
        everybody_enters(world, self.event, EVERYBODY)
        olga.get(f"{self.page}/players")
        number = dict(re.findall(r'for="(entry\.\d+)">(\w+)<', html_of(olga)))
        division = {name: value for value, name in re.findall(r'<option value="(\d+)">(\w+)<', html_of(olga))}
        level = {who: division[name] for name, members in DIVISIONS.items() for who in members}
        chosen = {key.replace(".", "__"): level[who] for key, who in number.items()}
        world.send(olga, f"{self.page}/divisions", among={key: level[who] for key, who in number.items()}, **chosen)
        olga.get(f"{self.page}/manage")
        assert "The event has started" in world.send(olga, f"{self.page}/start")
        self.divisions = {name: int(division[name]) for name in DIVISIONS}

    def play_round(self, number: int) -> None:
        """All divisions pair, publish, play and close a round."""
        self.round_at = {
            name: pair_and_publish(self.place, self.olga, self.event, division)
            for name, division in self.divisions.items()
        }
        self.games = {name: self.look(name) for name in DIVISIONS}
        for games in self.games.values():
            self.met.update(frozenset(pairing.players) for pairing in games)
        self.place.read_mail()
        planned = []
        for name, games in self.games.items():
            for table, pairing in enumerate(games):
                what = PLANNED.get((number, name), {}).get(table)
                if what is not None:
                    planned.append((what, pairing))
                else:
                    self.play(pairing)
        for what, pairing in planned:  # last, since days may pass
            what(self, pairing)
        for name, round_at in self.round_at.items():
            assert "The round is closed" in close(self.place, self.olga, round_at), name
        self.place.pass_time(days=1)

    def look(self, name: str) -> list[Pairing]:
        """Return the games of the round of a division that are to be played."""
        self.olga.get(self.round_at[name])
        return [pairing for pairing in pairings(self.olga) if pairing.game and not self.gone & set(pairing.players)]

    def play(self, pairing: Pairing) -> None:
        """Some play a turn first; then usually the one lower on the list resigns, and some agree on a draw."""
        game = number_of(pairing)
        better, worse = sorted(pairing.players, key=strength)
        lot = self.chooser.random()
        if lot < 0.3:
            assert not self.place.answer(game, self.choose)
            self.place.read_mail()
        if lot < 0.1:
            assert "over" in self.place.agree(worse, better, game)
        else:
            self.place.resign(worse if lot < 0.8 else better, game)

    def to_the_end(self, pairing: Pairing) -> None:
        """Play every turn of the game, by mail and link, until its rules say that it is over."""
        game = number_of(pairing)
        assert self.place.play_out(game, self.choose) > 10
        record = self.place.app.test_client().get(f"/games/{game}/record.json")
        reason = json.loads(record.data)["result"]["reason"]
        assert reason not in ("resignation", "agreed", "time")
        records.verify(records.load(record.data, TITLES))

    def choose(self, asked: dict[str, Any]) -> str:
        lines: list[str] = asked["legal"]
        liked = [line for line in lines if line.startswith(LIKED)]
        return self.chooser.choice(liked if liked and self.chooser.random() < 0.7 else lines)

    # -- what goes wrong --------------------------------------------------------------------------

    def time_out(self, pairing: Pairing) -> None:
        """Let the player who is asked never answer; after the warning the other claims the game by the mailed link."""
        game = number_of(pairing)
        late = self.owes(game)
        [other] = set(pairing.players) - {late}
        browser = self.place.people[late]
        browser.get("/account/time")
        self.place.send(browser, "/account/time/automatic", auto_leave=[])
        for _ in range(12):
            self.place.pass_time(days=1)
            self.place.sweep()
        del self.place.waiting[game]
        assert "you have won on time" in self.place.by_link(other, "claim", "claim")
        page = self.olga.get(self.round_of(pairing))
        assert "by time" in page

    def substitute(self, pairing: Pairing) -> None:
        """Let a player fall silent; the organiser calls the reserve from the desk, who accepts by mail and plays on."""
        world, game, olga = self.place, number_of(pairing), self.olga
        silent = self.owes(game)
        sven = world.people["sven"]
        sven.get(self.page)
        world.send(sven, f"{self.page}/sign-up", among={"as": "reserve"})
        world.pass_time(days=4)
        world.sweep()
        desk = olga.get(f"{self.page}/manage")
        assert silent in desk and f"{self.page}/desk/{pairing.match}/nudge" in html_of(olga)
        call = f"{self.page}/desk/{pairing.match}/reserve"
        assert "sven" in olga.get(call), "the preview says who is mailed"
        assert "The reserve is asked by mail" in world.send(olga, call, reason="Silent since Monday.")
        old, _ = world.waiting[game]
        assert "The seat is yours" in world.by_link("sven", "reserve", "accept")
        assert world.app.test_client().get(old, headers=JSON).status_code == 410, "the old link is dead"
        world.read_mail()
        assert world.mail("sven", "t").link("t") == world.waiting[game][0]
        assert not world.answer(game, self.choose)
        world.read_mail()
        [other] = set(pairing.players) - {silent}
        world.resign(other, game)
        self.gone.add(silent)

    def appeal(self, pairing: Pairing) -> None:
        """Resign in the wrong game: the claim is dismissed by the referee, and the appeal is heard by Olga."""
        world, rhea, olga = self.place, self.place.sign_in("rhea"), self.olga
        better, worse = sorted(pairing.players, key=strength)
        world.resign(worse, number_of(pairing))
        player = world.people[worse]
        claim = f"{self.page}/claim/{pairing.match}"
        player.get(claim)
        world.send(player, claim, reason="I meant another game.")
        ruling = player.page.request.path
        assert "/asked/ruling/" in world.mail("rhea", subject="uling").text
        rhea.get(ruling)
        world.send(rhea, ruling, decision="dismissed", reason="A resignation stands.")
        assert "A resignation stands." in " ".join(world.mail(better, subject="uling").text.split())
        player.get(ruling)
        world.send(player, ruling, do="appeal", reason="It was my first week here.")
        rhea.get(ruling)
        assert not any(form.action == ruling for form in Page(html_of(rhea)).forms), "not by the same person again"
        olga.get(ruling)
        final = world.send(olga, ruling, decision="result", points=["1/2", "1/2"], reason="Both may learn.")
        assert "final: the result is set" in final
        for who in (better, worse):
            assert "Both may learn." in " ".join(world.mail(who, subject="uling").text.split())

    def drop_out(self, who: str) -> None:
        """Leave on the page of the event."""
        browser = self.place.people[who]
        browser.get(f"{self.page}/withdraw")
        assert "You have left the event" in self.place.send(browser, f"{self.page}/withdraw", sure="yes")
        self.gone.add(who)

    def owes(self, game: int) -> str:
        """Return whose mail has the link of the turn."""
        link, _ = self.place.waiting[game]
        return next(who for who in self.place.people if any(m.link("t") == link for m in self.mails_of(who)))

    def mails_of(self, who: str) -> list[Any]:
        return self.place.mails.get(address(who), [])[::-1]

    def round_of(self, pairing: Pairing) -> str:
        name = next(name for name, games in self.games.items() if pairing in games)
        return self.round_at[name]


def number_of(pairing: Pairing) -> int:
    assert pairing.game is not None
    return pairing.game


def strength(who: str) -> int:
    return EVERYBODY.index(who) if who in EVERYBODY else 0


PLANNED: dict[tuple[int, str], dict[int, Callable[[AcresSeason, Pairing], None]]] = {
    (1, "First"): {0: AcresSeason.to_the_end},
    (2, "Second"): {0: AcresSeason.appeal},
    (3, "Third"): {2: AcresSeason.time_out},
    (5, "Second"): {1: AcresSeason.time_out},
    (3, "First"): {2: AcresSeason.substitute},
}
"""What happens at a table of a round, by its number from 0."""
LEAVING = {3: ("nora",), 4: DIVISIONS["First"]}
"""Before the round the first of these who is still there leaves: the one with less than half of the games played, the
other with more.
"""


def test_a_season_of_three_divisions_of_acres_and_the_draft_of_the_next(world: World) -> None:
    season = AcresSeason(world)
    season.begin()
    for number in range(1, ROUNDS + 1):
        if number in LEAVING:
            season.drop_out(next(who for who in LEAVING[number] if who not in season.gone))
        season.play_round(number)
    season.olga.get(f"{season.page}/finish")
    assert "The event is over" in world.send(season.olga, f"{season.page}/finish")
    assert max(season.met.values()) == 1, "nobody meets twice"
    tables = standings_of(world, season)
    the_next_season(world, season, tables)


def standings_of(world: World, season: AcresSeason) -> dict[str, list[dict[str, Any]]]:
    """Return the divisions in their final order; those who left where the rule puts them."""
    reader = Browser(world.app)
    reader.get(f"{season.page}/standings.json")
    divisions = shown(reader)["divisions"]
    tables = {one["division"]: one["standings"] for one in divisions}
    assert [len(one["rounds"]) for one in divisions] == [ROUNDS] * 3
    matches = [match for one in divisions for each in one["rounds"] for match in each["matches"]]
    assert all(match["ended"] for match in matches)
    points = {name: sum(Fraction(line["points"]) for line in lines) for name, lines in tables.items()}
    assert points == {"First": 15, "Second": 10, "Third": 15}, "a point a game; those against nora count for nobody"
    late = {line["name"]: line["values"]["timeouts"] for lines in tables.values() for line in lines}
    assert sorted(late.values())[-3:] == ["0", "1", "1"]
    void = {line["name"]: line["void"] for lines in tables.values() for line in lines}
    assert {who for who, is_void in void.items() if is_void} == {"nora"}
    names = {name: {line["name"] for line in lines} for name, lines in tables.items()}
    assert names["Second"] >= set(DIVISIONS["Second"]) and names["Third"] == set(DIVISIONS["Third"])
    assert "sven" in names["First"]
    return tables


def the_next_season(world: World, season: AcresSeason, tables: dict[str, list[dict[str, Any]]]) -> None:
    """Check the plan if nobody moved; then the draft by the rules: two up, two down, nobody lost."""
    olga = season.olga
    before = olga.get("/clubs/acres")
    usual = olga.get(f"{season.page}/next")
    # Each is in its division and in the table of moves.
    assert usual.count("▲") == 8 and 0 < usual.count("▼") < 8, "two up twice; for the two who left fewer go down"
    looked = world.send(olga, f"{season.page}/next", act="look", up__2="1", down__1="1")
    assert looked.count("▲") == 6
    assert olga.get("/clubs/acres") == before, "looking makes nothing"
    olga.get(f"{season.page}/next")
    world.send(olga, f"{season.page}/next", act="make", name="League", season="2028")
    made = number_in(olga.page.request.path, r"/events/(\d+)/manage")
    assert made != season.event
    Browser(world.app).get(f"/events/{made}", 404)
    world.send(olga, f"/events/{made}/open")
    page = olga.get(f"/events/{made}/players")
    drafted: dict[str, set[str]] = {}
    for who, options in re.findall(r'for="entry\.\d+">(\w+)<.*?<select[^>]*>(.*?)</select>', page, re.DOTALL):
        [chosen] = re.findall(r" selected>(\w+)<", options)
        drafted.setdefault(chosen, set()).add(who)
    playing = {name: [one["name"] for one in lines if one["name"] not in season.gone] for name, lines in tables.items()}
    assert set().union(*drafted.values()) == {who for names in playing.values() for who in names}
    assert set(playing["Second"][:2]) <= drafted["First"] and set(playing["Third"][:2]) <= drafted["Second"]
    order = list(DIVISIONS)
    before_and_after = [
        (order.index(old), order.index(new)) for old, names in playing.items() for new in order
        for who in names if who in drafted[new]
    ]  # fmt: skip
    assert max(abs(old - new) for old, new in before_and_after) == 1
    assert sum(new > old for old, new in before_and_after) == usual.count("▼") / 2
    assert playing["First"][0] in drafted["First"]
    trail = olga.get(f"/clubs/acres/audit?event={season.event}")
    assert "League" in trail
