"""`postroad league event`: single acts of the desk, rulings from the claim to the appeal, messages, who plays."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlmodel import col

from app.leagues.tables import Entrant
from app.people.tables import Player
from app.server.commands.common import open_server
from tests.support.commands import Run, data
from tests.support.season import DAY, season

WHY = ("--reason", "the round ends on Friday", "--json")


def test_single_acts_of_the_desk_and_their_undoing(run: Run) -> None:
    with open_server() as server:
        made = season(server.database, 4, slug="rowers")
        made.start_clock(0, datetime.now(UTC) - 5 * DAY)
        made.start_clock(1, datetime.now(UTC) - 5 * DAY)
    number, match = str(made.event), str(made.match(0).id)
    found = data(run("event", "desk", number, "--json"))
    assert {one["match"] for one in found["games"]} == {made.match(0).id, made.match(1).id}
    assert found["undoable"] == [] and "@" not in json.dumps(found)
    nudge = ("event", "act", number, match, "nudge", *WHY, "--token", "nudge001")
    assert [data(run(*nudge)) for _ in "12"] == [{"done": "now"}, {"done": "before"}]
    assert "nudged today already" in run("event", "act", number, match, "nudge", *WHY).stderr
    assert data(run("event", "act", number, match, "extend", *WHY, "--days", "3")) == {"done": "now"}
    assert "from 1 to 60" in run("event", "act", number, match, "extend", *WHY, "--days", "x").stderr
    assert "reserve" in run("event", "act", number, match, "reserve", *WHY).stderr
    [given] = data(run("event", "desk", number, "--json"))["undoable"]
    assert "can be undone: " in run("event", "desk", number).output
    undo = ("event", "undo", number, str(given["act"]), *WHY)
    assert [data(run(*undo)) for _ in "12"] == [{"done": "now"}, {"done": "before"}]
    assert run("event", "desk", number, "--as", "p1@example.org").exit_code == 1, "players do not see it"
    assert data(run("event", "act", number, match, "ruling", *WHY)) == {"ruling": 1}


def test_a_ruling_from_the_claim_to_the_appeal(run: Run) -> None:
    with open_server() as server:
        made = season(server.database, 4, slug="rowers")
        game, seats = made.game(0), made.match(0).seats
    number, plays = str(made.event), [f"p{made.players.index(seat.player_id) + 1}@example.org" for seat in seats]
    asked = ("event", "claim", number, str(game.id), "--reason", "He does not move", "--json")
    assert run(*asked).exit_code == 1, "not as somebody who does not play"
    assert data(run(*asked, "--as", plays[0])) == {"ruling": 1}
    words = ("event", "say", number, "1", "I was ill.", "--json")
    assert run(*words).exit_code == 1 and data(run(*words, "--as", plays[1])) == {"ruling": 1}
    told = data(run("event", "ruling", number, "1", "--json"))
    assert (told["status"], told["claim"], told["game"]) == ("open", "He does not move", game.id)
    assert [one["words"] for one in told["said"]] == ["I was ill."] and told["decision"] is None
    run("event", "rule", number, "1", "--decision", "dismissed", "--reason", "There is time left")
    appeal = ("event", "appeal", number, "1", "There is not.", "--json")
    assert data(run(*appeal, "--as", plays[0])) == {"ruling": 1, "status": "appealed"}
    said = run("event", "ruling", number, "1").output
    assert "There is time left" in said and "Appeal: There is not." in said and "I was ill." in said
    assert run("event", "ruling", number, "1", "--as", plays[0]).exit_code == 1
    assert "no ruling" in run("event", "appeal", number, "99", "x", "--as", plays[0]).stderr
    assert "no game 99" in run("event", "claim", number, "99", "--reason", "x").stderr


def test_messages_and_who_plays(run: Run) -> None:
    with open_server() as server:
        made = season(server.database, 5, slug="rowers")
    number = str(made.event)
    letter = ("event", "message", number, "The round", "-", "--json")
    seen = data(run(*letter, "--preview", text="Please move."))
    assert not seen["sent"] and len(seen["to"]) == 5 and "@" not in json.dumps(seen)
    assert data(run(*letter, text="Please move.")) == seen | {"sent": True}
    assert "Nobody would get" in run(*letter, "--to", "late", text="Please move.").stderr
    assert "Nobody would get" in run("news", "silent", "rowers", "Hello", "-", text="Please move.").stderr
    with open_server() as server:
        made.start_clock(0, datetime.now(UTC) - 4 * DAY)
        with server.database.read() as session:
            owes = session.scalar(sa.select(col(Player.name)).where(col(Player.id) == made.owes(0)))
    assert data(run(*letter, "--preview", "--to", "silent", text="Please move."))["to"] == [owes]
    assert data(run("news", "silent", "rowers", "Hello", "-", "--json", text="Please move.")) == {"mails": 1}
    for command in (("event", "desk", number), ("week", "rowers")):
        found = data(run(*command, "--state", "silent", "--json"))
        assert [one["owes"] for one in found.get("late", found.get("games"))] == [owes]
    assert data(run("event", "desk", number, "--state", "out", "--json"))["games"] == []
    assert "Choose whom" in run(*letter, "--to", "Second", text="Please move.").stderr
    assert data(run("event", "bye", number, "p1@example.org", "2", "--json")) == {"away": [2], "byes": []}
    assert data(run("event", "bye", number, "p1@example.org", "2", "--points", "--json")) == {"away": [], "byes": [2]}
    assert "not published" in run("event", "bye", number, "p1@example.org", "1").stderr
    with open_server() as server:
        past = sa.update(Entrant).where(col(Entrant.player_id) == made.players[0])
        with server.database.write() as session:
            session.execute(past.values(away=[1]))
            session.commit()
    assert data(run("event", "bye", number, "p1@example.org", "3", "--json")) == {"away": [1, 3], "byes": [2]}
    assert data(run("event", "bye", number, "p1@example.org", "--json")) == {"away": [1], "byes": [2]}
    out = ("event", "take-out", number, "p2@example.org", "--json")
    seen = data(run(*out, "--preview"))
    assert seen["done"] == "nothing" and len(seen["lost"] + seen["void"]) <= 1
    assert "Give a reason" in run(*out).stderr
    assert data(run(*out, "--reason", "He has moved")) == seen | {"done": "now"}
    assert data(run(*out, "--reason", "He has moved"))["done"] == "before"
    assert "Choose a member" in run("event", "enter", number, "p2@example.org").stderr
    assert data(run("event", "enter", number, "p0@example.org", "--json")) == {"status": "entered"}
    assert "is not in this event" in run("event", "bye", number, "alice@example.org", "2").stderr
