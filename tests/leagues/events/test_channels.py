"""A club's channel is told of pairings, results, tables and winners, as a message that each program shows."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import sqlalchemy as sa

from app.base.server import Server
from app.leagues.desk import autopilot
from app.people.tables import Player, Webhook, WebhookDelivery
from app.post.webhooks import payloads
from app.post.webhooks.payloads import DueDelivery
from tests.support.events import event, people, play_round
from tests.support.people import Enter
from tests.support.tables import NOW

DISCORD = "https://discord.com/api/webhooks/1/abc_def"


def said(server: Server) -> list[dict[str, object]]:
    """Return the bodies of all calls that are owed, the first first."""
    found = []
    with server.database.read() as session:
        for call in session.scalars(sa.select(WebhookDelivery).order_by(WebhookDelivery.id)):  # type: ignore[arg-type]
            hook = session.get_one(Webhook, call.webhook_id)
            owed = DueDelivery(call, hook, session.get_one(Player, hook.player_id))
            made = payloads.written(session, "https://games.example.org", owed, NOW)
            if made is not None:
                found.append(json.loads(made[0]))
    return found


def test_rounds_closed_at_once_have_one_table(server: Server, enter: Enter) -> None:
    who = people(server.database, 4)
    now = event(server.database, who, "round_robin", autopilot=0)
    boss = enter("p0")
    boss.get("/clubs/vendee")
    boss.post("/clubs/vendee/channel", url="https://chat.example.org/hooks/abc")
    for _ in range(3):
        play_round(server.database, now.divisions[0].id, who[0])
    autopilot.sweep(server.database, NOW + timedelta(days=9))
    (closed,) = [one for one in said(server) if one["event"] == "round.closed"]
    assert closed["of"] == {"number": now.id, "name": "Cup"} and str(closed["text"]).count("1. ") == 1
    assert [line for line in str(closed["text"]).splitlines() if "Round" in line] == ["Round 1", "Round 2", "Round 3"]
    (over, *_) = [one for one in said(server) if one["event"] == "match.over"]
    assert over["game"]["address"] == f"https://games.example.org/games/{over['game']['number']}"


def test_a_channel_is_told_of_pairings_results_tables_and_the_winner(server: Server, enter: Enter) -> None:
    """6.4: chosen by its address; Mattermost and Matrix take the `text` of the plain form, which has all of it."""
    who = people(server.database, 2)
    now = event(server.database, who, "round_robin", autopilot=0)
    boss = enter("p0")
    boss.get("/clubs/vendee")
    assert "is in a private network" in boss.post("/clubs/vendee/channel", 422, url="https://localhost/hook")
    assert "begins with https://" in boss.post("/clubs/vendee/channel", 422, url="")
    page = boss.post("/clubs/vendee/channel", url=DISCORD)
    assert "abc_def" not in page and "discord.com" in page, "the address of a channel is a secret"
    other = enter("p1")
    other.get("/account")
    other.post("/clubs/vendee/channel", 403, url=DISCORD)
    play_round(server.database, now.divisions[0].id, who[0])
    autopilot.sweep(server.database, NOW + timedelta(days=1))
    texts = [str(one["content"]).replace("\\", "") for one in said(server)]
    first, second = re.findall("p[01]", texts[1])  # by lot
    at = "\nhttps://games.example.org/events/1"
    assert texts == [
        "Post Road: this webhook works.",
        f"Cup\nRound 1\n{first} – {second}{at}",
        f"Cup\n{first} 1 – {second} 0{at}",
        f"Cup\nRound 1\n1. {first} 1\n2. {second} 0{at}",
        f"Cup\n🏆 {first}{at}",
    ]
    assert all(one["allowed_mentions"] == {"parse": []} for one in said(server))
    boss.get("/clubs/vendee")
    page = boss.post("/clubs/vendee/channel", url="https://chat.example.org/hooks/abc")
    secret = re.search(r"The secret that signs</summary><p><code>([^<]+)<", page)
    with server.database.read() as session:
        assert secret and secret[1] == session.scalar(sa.select(Webhook.secret)), "who runs the club can check a call"  # type: ignore[call-overload]
    assert "The secret that signs" not in other.get("/clubs/vendee")
    gone = {"call_key": "x", "payload": {"event": "club", "act": 99}, "state": "waiting", "attempts": 0}
    with server.database.write() as session:
        hook = session.scalar(sa.select(sa.func.max(Webhook.id)))  # type: ignore[arg-type]
        session.execute(sa.insert(WebhookDelivery).values(webhook_id=hook, made_at=NOW, due_at=NOW, **gone))
        session.commit()
    assert [str(one["text"])[:9] for one in said(server)] == ["Post Road"], "an act that is gone is not told"
    assert "discord.com" not in boss.post("/clubs/vendee/channel", do="remove") and said(server) == []
