"""`postroad league trf`, `check-trf` and `event from-trf`: writing an event as FIDE's report file, checking the rounds
of such a file against FIDE's rules, and making an event from one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import click

from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.base.speech import Voice
from app.leagues.commands.common import AS, JSON, find_player, opened, right_now, tell, who_acts
from app.leagues.events import events
from app.leagues.pure import trf as files
from app.leagues.seasons import reports, sheets, trf_events
from app.leagues.tables import Competition, Division, Role
from app.server.commands.common import pairs
from engine.kernel.refusals import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable


@click.command()
@click.argument("number", type=int)
@click.option("--division", default="", help="Name or number; needed where the event has several.")
def trf(number: int, division: str) -> None:
    """Write an event, or a division of it, as a TRF file for pairing programs."""
    with opened() as server, server.database.read() as session:
        event = events.get(session, number)
        wanted = _division(event, division)
        try:
            text = reports.text_of(session, event, wanted)
        except Unreadable as no:
            raise click.ClickException(Voice().say(no.why)) from None
    click.echo(text, nl=False)


def _division(event: Competition, given: str) -> Division:
    found = [one for one in event.divisions if given in (one.name, str(one.id)) or not given]
    if len(found) != 1:
        raise click.ClickException("Say which division with --division: a TRF file holds one.")
    return found[0]


@click.command(name="check-trf")
@click.argument("file", type=click.File("rb"))
@JSON
def check_trf(file: BinaryIO, as_json: bool) -> None:
    """Pair the rounds of a TRF file by FIDE's Dutch system of 2026 and list the differences (exit status 1)."""
    try:
        checked = files.check(files.read(sheets.decoded(file.read())))
    except (NotAccepted, Unreadable) as no:
        raise click.ClickException(Voice().say(no.why)) from None
    data = [
        {
            "round": one.number,
            "equal": one.here == one.fide,
            "file": sorted(map(list, one.here - one.fide)),
            "fide": sorted(map(list, one.fide - one.here)),
        }
        for one in checked
    ]
    lines = (
        f"Round {one.number}: "
        + ("equal" if one.here == one.fide else f"{_said(one.here - one.fide)}; FIDE: {_said(one.fide - one.here)}")
        for one in checked
    )
    tell(as_json, data, lines)
    if any(one.here != one.fide for one in checked):
        raise SystemExit(1)


def _said(pairs: Iterable[tuple[int, ...]]) -> str:
    return ", ".join("-".join(map(str, pair)) if len(pair) > 1 else f"{pair[0]} bye" for pair in sorted(pairs))


@click.command(name="from-trf")
@click.argument("number", type=int)
@click.argument("file", type=click.File("rb"))
@click.option("--player", "players", multiple=True, metavar="NUMBER=ADDRESS", help="Instead of who has the name.")
@click.option("--look", "only_look", is_flag=True, help="Show who is who; write nothing.")
@AS
@JSON
def from_trf(
    number: int, file: BinaryIO, players: tuple[str, ...], only_look: bool, address: str, as_json: bool
) -> None:
    """Fill a draft of a Swiss event from a TRF file (- for standard input): its players become members of the club, its
    rounds are closed ones, and the event starts.
    """
    with opened() as server:
        text = sheets.decoded(file.read())
        with server.database.read() as session:
            event = events.get(session, number)
            actor = who_acts(session, event.club_id, address)
            events.need(session, number, actor, Role.ORGANISER)
            found = trf_events.read(session, event, text)
            given = {whole(at): find_player(session, who) for at, who in pairs(players, "NUMBER=ADDRESS")}
            chosen = dict(found.meant) | {at: who for at, who in given.items() if at is not None}
            names = dict(trf_events.choices(session, event))
        if not only_look:
            trf_events.take(server.database, number, actor, text, chosen, now=right_now())
    people = [
        {"number": one.id, "name": one.name, "member": names.get(chosen.get(one.id, 0))} for one in found.made.entrants
    ]
    said = [Voice().say(found.made.differing)] if found.made.differing else []
    if found.made.apart:
        said.append("The file keeps players apart; the event keeps those apart who block each other.")
    data = {"taken": not only_look, "rounds": found.made.played, "players": people} | ({"notes": said} if said else {})
    lines = [*said, *(f"{one['number']}. {one['name']}: {one['member'] or 'nobody'}" for one in people)]
    tell(as_json, data, [*lines, f"{found.made.played} rounds" + ("." if only_look else " taken; the event runs.")])
