"""`postroad league event desk`, `act`, `undo` and `message`: the desk of an event and its single acts."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from app.base.speech import Voice
from app.leagues.commands.common import AS, JSON, REASON, TOKEN, acting, opened, right_now, tell, who_acts, who_acts_in
from app.leagues.commands.week import late_data
from app.leagues.desk import desk as service
from app.leagues.desk import desk_acts, desk_undoing, messages, week
from app.leagues.desk.act_words import AuditSentences
from app.leagues.events import events
from app.leagues.tables import Role

if TYPE_CHECKING:
    from typing import TextIO

    from app.leagues.tables import Competition

ACTS = ("nudge", "again", "extend", "leave", "reserve", "report", "ruling")


@click.command()
@click.argument("number", type=int)
@click.option("--state", type=click.Choice([one.value for one in service.State]), help="Only the games that stand so.")
@AS
@JSON
def desk(number: int, state: str | None, address: str, as_json: bool) -> None:
    """What holds the rounds of an event up, the most urgent first, and what can be undone."""
    with opened() as server, server.database.read() as session:
        event = events.get(session, number)
        events.need(session, number, who_acts(session, event.club_id, address), Role.DEPUTY)
        problems = service.blocking(session, event, right_now(), allowance=server.config.leave_days)
        acts = desk_undoing.undoable(session, event, right_now())
        teller = AuditSentences(session, acts, Voice())
        undo = [{"act": one.id, "at": one.at.isoformat(), "what": teller.say(one).what} for one in acts]
    found = [late_data(event, one) for one in problems if state in (None, one.state)]
    lines = [f"match {one['match']}: {' – '.join(one['players'])}, {one['finding']}; {one['next']}" for one in found]
    lines += [f"can be undone: {one['act']}, {one['what']}" for one in undo]
    tell(as_json, {"games": found, "undoable": undo}, lines)


@click.command()
@click.argument("number", type=int)
@click.argument("match", type=int)
@click.argument("what", type=click.Choice(ACTS))
@REASON
@click.option("--days", default="", help="To give with extend and leave.")
@TOKEN
@AS
@JSON
def act(number: int, match: int, what: str, reason: str, days: str, token: str, address: str, as_json: bool) -> None:
    """One act of the desk about a MATCH, as `event desk` numbers it: nudge, send the mail again, give time or leave,
    call a reserve, take the result over, or open a ruling."""
    with opened() as server:
        with server.database.read() as session:
            actor = who_acts_in(session, number, address)
            seen = desk_acts.last_act(session, number, match)
        form = desk_acts.DeskRequest(actor, reason, token or secrets.token_hex(12), seen, days)
        if what == "ruling":
            ruling = desk_acts.open_ruling(server.database, number, match, form, now=right_now())
            tell(as_json, {"ruling": ruling}, [f"Ruling {ruling} waits for a decision."])
            return
        done = week.do_act(server.database, number, match, what, form, now=right_now())
    tell(as_json, {"done": "now" if done else "before"}, ["Done." if done else "This has been done before."])


@click.command()
@click.argument("number", type=int)
@click.argument("act", type=int)
@REASON
@TOKEN
@AS
@JSON
def undo(number: int, act: int, reason: str, token: str, address: str, as_json: bool) -> None:
    """Take an ACT of the desk back, as `event desk` numbers it."""
    with acting(number, address) as (server, actor):
        form = desk_acts.DeskRequest(actor, reason, token or secrets.token_hex(12))
        done = desk_undoing.undo(server.database, number, act, form, now=right_now())
    tell(as_json, {"done": "now" if done else "before"}, ["Undone." if done else "This has been undone before."])


class _MessageOptions(TypedDict):
    subject: str
    text: TextIO
    whom: str
    replies: bool
    preview: bool
    token: str


@click.command()
@click.argument("number", type=int)
@click.argument("subject")
@click.argument("text", type=click.File("r", encoding="utf-8"))
@click.option("--to", "whom", default="event", help="`event` (everybody), `silent`, `late`, or the name of a division.")
@click.option("--replies", is_flag=True, help="Answers go to the address of who sends it.")
@click.option("--preview", is_flag=True, help="Only say who would get it.")
@TOKEN
@AS
@JSON
def message(number: int, address: str, as_json: bool, **said: Unpack[_MessageOptions]) -> None:
    """Write to the players of an event: TEXT is a file, `-` standard input. Nobody sees an address."""
    now = right_now()
    with opened() as server:
        with server.database.read() as session:
            event = events.get(session, number)
            actor = who_acts(session, event.club_id, address)
            whom, subject, text = _to(event, said["whom"]), said["subject"], said["text"].read()
            given: messages.MessageDraft = {"to": whom, "subject": subject, "text": text}
            names = [one.name for one in messages.prepare(session, number, actor, now=now, **given).recipients]
        if not said["preview"]:
            token, replies = said["token"] or secrets.token_hex(12), said["replies"]
            messages.send(server.database, number, actor, replies=replies, token=token, now=now, **given)
    sums = f"{len(names)} mails {'would go' if said['preview'] else 'go'} to: {', '.join(names)}"
    tell(as_json, {"sent": not said["preview"], "to": names}, [sums])


def _to(event: Competition, whom: str) -> str:
    return next((f"division:{one.id}" for one in event.divisions if one.name == whom), whom)
