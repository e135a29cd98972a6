"""`postroad league`, as scripts call it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest

from app.games.work import Work
from app.leagues.clubs import clubs, joining
from app.leagues.events import entries, events
from app.leagues.pure import trf
from app.leagues.pure.model import Competitor, Result
from app.leagues.rounds import rounds
from app.leagues.tables import Member, MemberStatus, Role
from app.people.accounts import find_or_add
from app.play.agreed import results
from app.server.commands.common import open_server
from tests.support import past_results
from tests.support.commands import Run, data
from tests.support.events import resign_all
from tests.support.season import DAY, season
from tests.support.tables import NOW, load


def test_a_round_from_the_event_to_its_standings(run: Run) -> None:
    made = run(
        "event", "new", "vendee", "acres", "--name", "Cup", "--format", "swiss", "--terms", '{"rounds": 1}', "--pace",
        "3d", "--option", "edition=first", "--json",
    )  # fmt: skip
    number = str(data(made)["event"])
    assert run("event", "open", number).exit_code == 0
    with open_server() as server:
        for player in (1, 2):
            entries.sign_up(server.database, int(number), player, by_id=1, now=NOW)
    assert run("event", "start", number).output == "The event has started.\n"
    assert data(run("pair", number, "--json")) == [
        {"division": "Cup", "round": 1, "games": 1, "byes": 0, "warnings": 0}
    ]  # fmt: skip
    at = run("publish", number, "--at", "2099-01-31 20:00", "--json")
    assert data(at) == [{"division": "Cup", "round": 1, "published_at": "2099-01-31T20:00:00+00:00"}]
    assert "lies in the future" in run("publish", number, "--at", "2001-01-31 20:00").stderr
    assert [data(run("publish", number, "--not-at", "--json"))[0]["called_off"] for _ in "12"] == [True, False]
    assert run("publish", number, "--not-at", "--at", "2099-01-31 20:00").exit_code == 2
    assert data(run("publish", number, "--json")) == [{"division": "Cup", "round": 1, "games": 1}]
    refused = run("publish", number, "--json")
    assert refused.exit_code == 1 and json.loads(refused.stdout)[0]["refused"] == "round.no_draft"
    still = run("close", number)
    assert still.exit_code == 1 and "Cup: 1 game still runs: 1." in still.stderr and still.stdout == ""
    with open_server() as server:
        results.resign(server.database, 1, 2, now=NOW)
    assert run("close", number).output == "Cup: round 1, status closed\n"
    Path("cup.trf").write_text(run("trf", number).output, encoding="utf-8")
    assert "alice" in Path("cup.trf").read_text(encoding="utf-8")
    assert data(run("check-trf", "cup.trf", "--json")) == [{"round": 1, "equal": True, "file": [], "fide": []}]
    assert run("check-trf", "cup.trf").output == "Round 1: equal\n"
    nonsense = run("check-trf", "-", text="001 nobody")
    assert nonsense.exit_code == 1 and "Line 1 is not as TRF16 has it." in nonsense.stderr
    table = data(run("standings", number, "--json"))
    assert [(line["name"], line["points"]) for line in table[0]["standings"]] == [("alice", "1"), ("bob", "0")]
    assert "Points: alice has 1, bob 0." in run("standings", number).output
    assert run("event", "finish", number).exit_code == 0
    shown = data(run("event", "show", number, "--json"))
    assert shown["status"] == "over" and shown["options"]["edition"] == "first"
    assert shown["rounds"][0]["status"] == "closed" and "address" not in json.dumps(shown)
    assert data(run("event", "list", "vendee", "--json"))[0]["id"] == int(number)


def test_the_computer_fills_an_odd_seat(run: Run) -> None:
    terms = '{"rounds": 1, "rated": false}'
    made = run("event", "new", "vendee", "acres", "--name", "Cup", "--format", "swiss", "--terms", terms, "--json")
    number = str(data(made)["event"])
    assert run("event", "enter", number, "alice@example.org").exit_code == 0
    assert "Choose how strong" in run("event", "enter", number, "computer:fierce").stderr
    assert run("event", "enter", number, "computer:club").output == "computer:club: entered\n"
    assert run("event", "start", number).exit_code == run("pair", number).exit_code == 0
    assert data(run("publish", number, "--json")) == [{"division": "Cup", "round": 1, "games": 1}]
    assert run("event", "take-out", number, "computer:club", "--reason", "Bob comes.").exit_code == 1
    names = [line["name"] for line in data(run("standings", number, "--json"))[0]["standings"]]
    assert sorted(names) == ["Computer (club player)", "alice"]


def test_the_autopilot_of_an_event_is_told_and_paused(run: Run) -> None:
    with open_server() as server:
        made = season(server.database, 4, slug="rowers", rounds=2, autopilot=48)
        resign_all(server.database, made.round())
    asked = ("event", "autopilot", str(made.event), "--json")
    close = {"act": "close", "division": "Cup", "round": 1, "at": None, "asks": False}
    assert data(run(*asked)) == {"autopilot": "on", "next": [close]}
    assert data(run(*asked, "--pause")) == {"autopilot": "paused", "next": [close]}
    assert run(*asked[:3]).output == "autopilot: paused\nclose Cup 1\n"
    assert data(run(*asked, "--resume"))["autopilot"] == "on"


def test_the_week_of_a_club_is_told_and_done(run: Run) -> None:
    with open_server() as server:
        made = season(server.database, 4, slug="rowers")
        made.start_clock(0, datetime.now(UTC) - 5 * DAY)
    late = made.match(0).id
    told = data(run("week", "rowers", "--json"))
    assert told["done"] == [] and told["ready"] == [] and told["waiting"][0]["name"] == "Cup"
    assert late in [one["match"] for one in told["late"]] and "example.org" not in json.dumps(told)
    assert "example.org" not in run("week", "rowers").output
    assert "go together" in run("week", "rowers", "--late", "nudge").output
    assert "Give a reason" in run("week", "rowers", "--late", "nudge", "--match", str(late)).stderr
    nudge = ("week", "rowers", "--late", "nudge", "--match", str(late), "--match", "99", "--reason", "it is late")
    once = run(*nudge, "--json")
    assert once.exit_code == 1, "one of the two is no match of the week"
    assert [one.get("done") or one["refused"] for one in json.loads(once.stdout)["done"]] == [True, "week.match"]
    assert "This match needs nobody now." in run(*nudge).output, "it was nudged"
    assert run("week", "rowers", "--as", "p1@example.org").exit_code == 1, "members do not see it"
    with open_server() as server:
        resign_all(server.database, made.round())
    ready = [(one["act"], one["round"]) for one in data(run("week", "rowers", "--json"))["ready"]]
    assert ready == [("close", 1), ("pair", 2)]
    every = ("week", "rowers", "--do", "close", "--do", "pair", "--do", "publish")
    assert "close Cup, Cup, round 1: done\npair Cup, Cup, round 2: done\nready: publish round 2" in run(*every).output
    published = data(run(*every, "--until", "2099-01-31 20:00", "--json"))
    assert [(one["act"], one["done"]) for one in published["done"]] == [("publish", True)]
    assert published["ready"] == []


def test_members_are_listed_invited_and_imported(run: Run) -> None:
    taken = data(run("members", "import", "vendee", "-", "--json", text="address\nc@example.org\nbob@example.org"))
    assert taken == {"columns": {"address": "address"}, "taken": 2, "invited": 1, "wrong": []}
    look = run("members", "import", "vendee", "-", "--look", "--column", "x=note", text="x;Mail\nhi;e@example.org\n")
    assert look.exit_code == 0 and "x: note" in look.output and "0 taken" in look.output
    assert "bob@example.org" in run("members", "export", "vendee").output
    bad = run("members", "import", "vendee", "-", text="address\nc@example.org\nnobody\n")
    assert bad.exit_code == 1 and "line 3: “nobody” is not an email address." in bad.output
    assert run("members", "invite", "vendee", "d@example.org", "--role", "referee").exit_code == 0
    found = {one["address"]: (one["role"], one["status"]) for one in data(run("members", "list", "vendee", "--json"))}
    assert found["d@example.org"] == ("referee", "invited") and found["bob@example.org"] == ("member", "member")


def test_who_asks_to_join_is_listed_taken_in_and_declined(run: Run) -> None:
    with open_server() as server:
        with Work(server.database) as work:
            people = [find_or_add(work.session, f"{name}@example.org", now=NOW) for name in ("eve", "finn")]
            work.session.flush()
            numbers = [one.id for one in people if one.id is not None]
            work.commit()
        with server.database.read() as session:
            club = clubs.find(session, "vendee").id
        for number in numbers:
            joining.ask(server.database, club, number, "Hello", now=NOW)
    asked = data(run("members", "requests", "vendee", "--json"))
    assert [(one["player"], one["words"]) for one in asked] == [(number, "Hello") for number in numbers]
    eve, finn = map(str, numbers)
    assert run("members", "admit", "vendee", eve).output == "Taken in.\n"
    declined = data(run("members", "admit", "vendee", finn, "--decline", "--words", "Full", "--json"))
    assert declined == {"player": numbers[1], "admitted": False}
    assert "No request of this player waits" in run("members", "admit", "vendee", finn).stderr
    listed = [one["address"] for one in data(run("members", "list", "vendee", "--json"))]
    assert "eve@example.org" in listed and "finn@example.org" not in listed


def test_terms_are_kept_as_a_template_and_an_event_starts_from_them(run: Run) -> None:
    terms = '{"rounds": 4, "bye": "1/2"}'
    made = run("event", "new", "vendee", "acres", "--name", "Cup", "--format", "swiss", "--terms", terms, "--json")
    assert data(run("template", "keep", str(data(made)["event"]), "Cup terms", "--json")) == {"template": "Cup terms"}
    [one] = data(run("template", "list", "vendee", "--json"))
    assert (one["name"], one["title"], one["format"], one["terms"]["rounds"]) == ("Cup terms", "acres", "swiss", 4)
    second = data(run("template", "start", "vendee", "cup terms", "--name", "Cup 2", "--season", "2028", "--json"))
    shown = data(run("event", "show", str(second["event"]), "--json"))
    assert (shown["name"], shown["status"], shown["terms"]["bye"]) == ("Cup 2", "draft", "1/2")
    assert run("template", "forget", "vendee", "Cup terms").output == "Cup terms is thrown away.\n"
    assert "no template" in run("template", "start", "vendee", "Cup terms", "--name", "X").stderr


def test_the_memory_of_a_club_is_told_with_names_alone(run: Run) -> None:
    assert data(run("club", "history", "vendee", "--json"))["winners"] == []
    rows = ["2026,Cup,1,alice,bob,1,0", "2026,Cup,2,bob,alice,0,1", "2026,Cup,3,alice,bob,1,0"]
    text = "\n".join(["season,event,round,player1,player2,points1,points2", *rows])
    with open_server() as server:
        past_results.store(server.database, 1, 1, "acres", text, rated=False, now=NOW)
    told = data(run("club", "history", "vendee", "--json"))
    assert [(one["season"], one["event"], one["name"]) for one in told["winners"]] == [("2026", "Cup", "alice")]
    assert told["titles"] == {"alice": 1} and told["streaks"] == {"alice": 3}
    assert told["met_most"] == [{"names": ["alice", "bob"], "won": 3, "drawn": 0, "lost": 0}]
    assert "2026 · Cup · alice" in run("club", "history", "vendee").output and "@" not in json.dumps(told)


def test_a_club_announces_and_takes_down(run: Run) -> None:
    made = data(run("news", "write", "vendee", "Cup night", "-", "--public", "--json", text="On Friday."))
    assert made == {"announcement": 1, "mails": 1}
    [one] = data(run("news", "list", "vendee", "--json"))
    assert (one["subject"], one["text"], one["public"], one["mails"]) == ("Cup night", "On Friday.", True, 1)
    assert run("news", "down", "vendee", "1").output == "Taken down.\n"
    assert data(run("news", "list", "vendee", "--json")) == []
    assert "no such announcement" in run("news", "down", "vendee", "1").stderr


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("event", "show", "9"), 1, "There is no such event or round."),
        (("event", "list", "nowhere"), 1, "There is no such club."),
        (("event", "new", "vendee", "chess", "--name", "X", "--format", "swiss"), 1, "chess"),
        (("event", "new", "vendee", "acres", "--name", "X", "--format", "swiss"), 1, "Say how many rounds"),
        (("event", "new", "vendee", "acres", "--name", "X", "--format", "swiss", "--terms", "[1]"), 2, "JSON object"),
        (("event", "new", "vendee", "acres", "--name", "X", "--format", "ladder", "--division", "A:x"), 2, "NAME[:UP"),
        (("event", "new", "vendee", "acres", "--name", "X", "--format", "ladder", "--terms", '{"appeal_days": 99999}'),
         1, "The terms' “appeal_days” should be a whole number from 0 to 90."),
        (("event", "new", "vendee", "acres", "--name", "X", "--format", "ladder", "--terms", '{"win": 0}'),
         1, "The terms' “win” should be at least as much as a draw."),
        (("event", "new", "vendee", "acres", "--name", "X", "--format", "ladder", "--pace", "slowly"), 1, "“slowly”"),
        (("event", "new", "vendee", "acres", "--name", "x" * 61, "--format", "ladder"), 1, "at most 60 characters"),
        (("members", "invite", "vendee", "x@example.org", "--as", "bob@example.org"), 1, "needs the role “deputy”"),
        (("members", "invite", "vendee", "x@example.org", "--as", "z@example.org"), 1, "There is no player"),
    ],
)  # fmt: skip
def test_what_is_refused_says_why(run: Run, words: tuple[str, ...], status: int, said: str) -> None:
    result = run(*words)
    assert result.exit_code == status and said in result.output


def test_a_division_is_done_alone_and_a_wrong_one_is_named(run: Run) -> None:
    number = str(
        data(run("event", "new", "vendee", "acres", "--name", "Cup", "--format", "round_robin", "--division", "A:0:1",
                 "--division", "B:1:0", "--json"))["event"]
    )  # fmt: skip
    with open_server() as server:
        with server.database.read() as session:
            divisions = events.get(session, int(number)).divisions
        assert [(one.name, one.promoted, one.relegated) for one in divisions] == [("A", 0, 1), ("B", 1, 0)]
        with Work(server.database) as work:
            more = [find_or_add(work.session, f"{n}@example.org", now=NOW) for n in range(2)]
            work.session.flush()
            players = [1, 2, *(player.id or 0 for player in more)]
            work.commit()
        events.open_sign_up(server.database, int(number), 1, now=NOW)
        for player in players:
            entries.sign_up(server.database, int(number), player, by_id=1, now=NOW)
        with server.database.read() as session:
            there = entries.entrants(session, int(number))
        placed = {entrant.id: divisions[at % 2].id for at, entrant in enumerate(there)}
        rounds.put_into_divisions(server.database, int(number), 1, placed, now=NOW)
    run("event", "start", number)
    assert [one["division"] for one in data(run("pair", number, "--division", "B", "--json"))] == ["B"]
    assert "no division C" in run("pair", number, "--division", "C").output
    both = run("publish", number)
    assert both.exit_code == 1 and "B: round 1, games 1" in both.stdout and "A: There is no draft" in both.stderr
    assert run("event", "cancel", number, "--reason", "nobody came").exit_code == 0


def test_all_rounds_of_a_round_robin_begin_by_one_command(run: Run) -> None:
    terms = '{"legs": 2}'
    made = run(
        "event", "new", "vendee", "acres", "--name", "Cup", "--format", "round_robin", "--terms", terms, "--json"
    )
    number = str(data(made)["event"])
    run("event", "open", number)
    with open_server() as server:
        for player in (1, 2):
            entries.sign_up(server.database, int(number), player, by_id=1, now=NOW)
    assert "Cup: The event is not running." in run("all-rounds", number).stderr
    run("event", "start", number)
    ahead = {"division": "Cup", "rounds": 2, "games": 2, "mails_of_rounds": 2}
    assert data(run("all-rounds", number, "--preview", "--json")) == [ahead]
    assert run("all-rounds", number, "--until", "2099-01-31 20:00").output == "Cup: rounds 2, games 2\n"
    assert json.loads(run("all-rounds", number, "--json").stdout)[0]["refused"] == "round.last"


def test_somebody_comes_into_a_round_robin_late(run: Run) -> None:
    made = run("event", "new", "vendee", "acres", "--name", "Cup", "--format", "round_robin", "--json")
    number = str(data(made)["event"])
    run("event", "open", number)
    with open_server() as server:
        with Work(server.database) as work:
            third = find_or_add(work.session, "carl@example.org", now=NOW)
            work.session.flush()
            carl = third.id
            work.commit()
        assert carl
        for player in (1, carl):
            entries.sign_up(server.database, int(number), player, by_id=1, now=NOW)
    assert run("event", "start", number).exit_code == 0
    run("pair", number)
    run("publish", number)
    late = ("event", "late", number, "bob@example.org", "--json")
    seen = data(run(*late, "--preview"))
    assert (seen["done"], seen["published"], seen["rounds_before"], seen["rounds"]) == ("nothing", [1], 1, 3)
    assert [one["round"] for one in seen["games"]] == [2, 3] and seen["mails"] == 3
    refused = run(*late)
    assert refused.exit_code == 1 and "Give a reason" in refused.stderr
    done = data(run(*late, "--reason", "came late", "--token", "bob20261"))
    assert done == seen | {"done": "now"}
    assert data(run(*late, "--reason", "came late", "--token", "bob20261")) == {"done": "before"}
    assert run(*late, "--reason", "again").exit_code == 1
    assert "no division Z" in run(*late, "--reason", "x", "--division", "Z").stderr
    assert "no player" in run("event", "late", number, "x@example.org", "--reason", "x").stderr
    with open_server() as server:
        results.resign(server.database, 1, load(server.database, 1).seats[0].player_id, now=NOW)
    with open_server() as server, Work(server.database) as work:
        dora = find_or_add(work.session, "dora@example.org", now=NOW)
        work.session.flush()
        work.session.add(
            Member(club_id=1, player_id=dora.id or 0, role=Role.REFEREE, status=MemberStatus.MEMBER, since=NOW)
        )
        work.commit()
    by = ("--reason", "They wrote.", "--as", "dora@example.org", "--json")
    ruled = data(run("event", "correct", number, "1", "--points", "1", "--points", "0", *by))
    assert (ruled["status"], ruled["points"]) == ("decided", ["1", "0"]) and ruled["appeal_until"]
    [listed] = data(run("event", "rulings", number, "--as", "dora@example.org", "--json"))
    assert (listed["ruling"], listed["status"], listed["asked"]) == (ruled["ruling"], "decided", "claim")
    again = run("event", "rule", number, str(ruled["ruling"]), "--decision", "dismissed", *by)
    assert again.exit_code == 1 and "decided meanwhile" in again.stderr
    undone = ("event", "undo-ruling", number, str(ruled["ruling"]), *by)
    assert data(run(*undone)) == {"ruling": ruled["ruling"], "status": "open"}
    assert "cannot be undone" in run(*undone).stderr
    run("event", "rule", number, str(ruled["ruling"]), "--decision", "result", "--points", "1", "--points", "0", *by)
    assert "is not in this event" in run("event", "reserve", number, "dora@example.org", "--reason", "ill").stderr
    assert "no reserve" in run("event", "reserve", number, "bob@example.org", "--reason", "ill").stderr.lower()
    assert "no game 99" in run("event", "correct", number, "99", *by).stderr
    assert data(run("pair", number, "--json"))[0] == {
        "division": "Cup",
        "round": 2,
        "games": 1,
        "byes": 1,
        "warnings": 0,
    }


def test_pairing_numbers_are_told_taken_from_a_source_and_set_by_a_list(run: Run) -> None:
    made = run(
        "event", "new", "vendee", "acres", "--name", "Cup", "--format", "swiss", "--terms", '{"rounds": 1}', "--json"
    )
    number = str(data(made)["event"])
    run("event", "open", number)
    with open_server() as server:
        for player in (1, 2):
            entries.sign_up(server.database, int(number), player, by_id=1, now=NOW)
    run("event", "start", number)
    told = data(run("event", "seeds", number, "--json"))
    assert (told["changed"], told["sources"]) == (False, ["rating"]) and "example.org" not in json.dumps(told)
    turned = [one["name"] for one in reversed(told["numbers"])]
    order = "\n".join(f"{name}@example.org" for name in turned)
    listed = ("event", "seeds", number, "--order", "-", "--json")
    assert [one["name"] for one in data(run(*listed, "--preview", text=order))["numbers"]] == turned
    assert data(run("event", "seeds", number, "--json")) == told, "a preview changes nothing"
    assert data(run(*listed, text=order))["changed"]
    assert run("event", "seeds", number).output.startswith(f"1. {turned[0]}\n2. {turned[1]}\n--by rating\n--by before")
    assert data(run("event", "seeds", number, "--by", "before", "--json"))["numbers"] == told["numbers"]
    short = run("event", "seeds", number, "--order", "-", text="bob@example.org")
    assert short.exit_code == 1 and "everybody who plays" in short.stderr
    no_season = run("event", "seeds", number, "--by", "last-season")
    assert no_season.exit_code == 1 and "no season or list" in no_season.stderr


def test_an_event_is_filled_from_a_report_file_and_written_again(run: Run) -> None:
    made = run(
        "event", "new", "vendee", "acres", "--name", "Cup", "--format", "swiss", "--terms", '{"rounds": 2}', "--json"
    )
    number = str(data(made)["event"])
    entrants = [Competitor(1, "Bob", 1, 1900.0), Competitor(2, "Someone", 2)]
    text = trf.write(trf.report("Cup", 2, entrants, [Result(1, (2, 1), (Fraction(1), Fraction(0)))]))
    fill = ("event", "from-trf", number, "-", "--json")
    seen = data(run(*fill, "--look", text=text))
    assert (seen["taken"], [one["member"] for one in seen["players"]]) == (False, ["bob", None])
    refused = run(*fill, text=text)
    assert refused.exit_code == 1 and "Choose a member of the club for Someone." in refused.stderr
    done = data(run(*fill, "--player", "2=alice@example.org", text=text))
    assert (done["taken"], done["rounds"]) == (True, 1) and "example.org" not in json.dumps(done)
    assert run("trf", number).output == text.replace("Bob    ", "bob    ").replace("Someone", "alice  ")
