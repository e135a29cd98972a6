"""`postroad league club` and `postroad league season`: founding a club, and the season after this one."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click
import sqlalchemy as sa
from sqlmodel import col

from app.base.addresses import key_of
from app.base.numbers import whole
from app.base.speech import Voice
from app.games.work import Work
from app.leagues.clubs import clubs
from app.leagues.commands.common import AS, JSON, opened, right_now, tell, who_acts
from app.leagues.events import events
from app.leagues.pure.divisions import BOTTOM, BY_RATING, PROMOTE, STAY
from app.leagues.pure.why import sentence
from app.leagues.results import records
from app.leagues.seasons import seasons
from app.leagues.tables import Competition, Entrant, Member, MemberStatus
from app.people.tables import Player

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.leagues.seasons.seasons import Plan, SeasonProposal

# -- clubs --------------------------------------------------------------------------------------------


@click.group()
def club() -> None:
    """Clubs: found one, list them."""


@club.command(name="new")
@click.argument("slug")
@click.option("--name", required=True)
@click.option("--owner", required=True, metavar="ADDRESS", help="Who owns it; no mail goes out.")
@click.option("--about", default="", help="What the club says of itself.")
@click.option("--language", default="en", show_default=True, help="Of what the server writes in its name.")
@click.option("--zone", default="", help="Of its days; else that of its owner.")
@JSON
def new_club(slug: str, name: str, owner: str, about: str, language: str, zone: str, as_json: bool) -> None:
    """Found a club with the page /clubs/SLUG."""
    with opened() as server, Work(server.database) as work:
        made = clubs.make_for(
            work, owner, slug=slug, name=name, about=about, language=language, zone=zone, now=right_now()
        )
        work.commit()
    tell(as_json, {"club": made, "page": f"/clubs/{made}"}, [f"The club has the page /clubs/{made}."])


@club.command(name="list")
@JSON
def list_clubs(as_json: bool) -> None:
    """The clubs of this server, by name."""
    with opened() as server, server.database.read() as session:
        found = clubs.all_clubs(session)
    data = [{"club": one.slug, "name": one.name, "language": one.language, "zone": one.zone} for one in found]
    tell(as_json, data, (f"{one.slug}  {one.name}" for one in found))


@club.command()
@click.argument("slug", metavar="CLUB")
@JSON
def history(slug: str, as_json: bool) -> None:
    """Who won what, trophies and records; names that everybody can read."""
    with opened() as server, server.database.read() as session:
        told = records.memory_of(session, clubs.find(session, slug).id)
    data = {
        "winners": [
            {"season": one.season, "event": one.event, "division": one.division, "name": one.name, "of": one.of}
            for first in told.winners.values()
            for one in first
        ],
        "titles": {name: n for (_, name), n in told.titles},
        "streaks": {name: n for (_, name), n in told.streaks},
        "games": {name: asdict(score) for (_, name), score in told.played},
        "best_by_side": [
            {"title": title, "side": place, "name": name, **asdict(score)}
            for (title, place), best in told.sides.items()
            for (_, name), score in best
        ],
        "best_at_tables": [
            {"title": title, "name": name, "games": there.games, "first": there.first, "share": float(there.share)}
            for title, best in told.tables.items()
            for (_, name), there in best
        ],
        "met_most": [{"names": [name, other], **asdict(score)} for (_, name), (_, other), score in told.pairs],
    }
    lines = [
        " · ".join(filter(None, (one.season, one.event, one.division, one.name)))
        for first in told.winners.values()
        for one in first
    ]
    lines += [f"{name}: {n} titles" for (_, name), n in told.titles]
    lines += [f"{name}: {n} games won one after the other" for (_, name), n in told.streaks]
    tell(as_json, data, lines)


# -- seasons ------------------------------------------------------------------------------------------


@click.group()
def season() -> None:
    """Plan the next season and make its draft.

    PLAYER is an address or the number that `season plan --json` names.
    """


def _planned(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a season's plan to a command."""
    options = (
        click.option("--leave", "leavers", multiple=True, metavar="PLAYER", help="Does not play on."),
        click.option("--stay", "stayers", multiple=True, metavar="PLAYER", help="Plays on, although withdrawn."),
        click.option("--join", "joiners", multiple=True, metavar="PLAYER", help="A reserve or member who is new."),
        click.option("--to", "placed", multiple=True, metavar="PLAYER:LEVEL", help="Into a division by hand."),
        click.option("--moving", multiple=True, metavar="LEVEL:UP:DOWN", help="How many go up and down."),
        click.option("--sizes", default="", metavar="N,N,..", help="Sizes of the divisions, from the top."),
        click.option("--least", type=int, help="The smallest division."),
        click.option("--most", type=int, help="The largest division."),
        click.option("--holes", type=click.Choice(["stay", "promote"]), help="How free places are filled."),
        click.option("--joining", type=click.Choice(["bottom", "rating"]), help="Where joiners begin."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@season.command(name="plan")
@click.argument("number", type=int)
@_planned
@JSON
def plan_season(number: int, as_json: bool, **given: object) -> None:
    """Show who would move from event NUMBER to the next one, and why. Writes nothing."""
    with opened() as server, server.database.read() as session:
        event = events.get(session, number)
        proposal = seasons.propose(session, event, _plan(session, event, given), right_now())
    tell(as_json, _data(proposal), _lines(proposal))


@season.command(name="make")
@click.argument("number", type=int)
@click.option("--season", "called", required=True, help="The name of the next season.")
@click.option("--name", default="", help="Of the next event; else that of this one.")
@click.option("--token", default="", help="8 to 40 letters and digits: given twice, it makes one draft.")
@_planned
@AS
@JSON
def make_season(number: int, called: str, name: str, token: str, address: str, as_json: bool, **given: object) -> None:
    """Make the draft of the next event; NUMBER has to be over. Nobody is told before the draft is opened."""
    with opened() as server:
        with server.database.read() as session:
            event = events.get(session, number)
            actor, plan = who_acts(session, event.club_id, address), _plan(session, event, given)
        made = seasons.make(
            server.database,
            number,
            actor,
            plan,
            seasons.SeasonNames(name or event.name, called),
            token=token or secrets.token_hex(12),
            now=right_now(),
        )
    tell(as_json, {"event": made}, [f"The draft is event {made}."])


def _plan(session: Session, event: Competition, given: dict[str, Any]) -> Plan:
    usual = seasons.usual(session, event)
    known = _addresses(session, event)

    def players(names: tuple[str, ...]) -> list[int]:
        return [_player(known, one) for one in names]

    numbers = replace(
        usual.numbers,
        least=given["least"] or usual.numbers.least,
        most=given["most"] or usual.numbers.most,
        sizes=_whole(given["sizes"].replace(",", " ").split(), "--sizes") or None,
        holes=PROMOTE if given["holes"] == "promote" else STAY,
        joining=BY_RATING if given["joining"] == "rating" else BOTTOM,
        placed={
            _player(known, one.rpartition(":")[0]): _whole([one.rpartition(":")[2]], "--to")[0]
            for one in given["placed"]
        },
    )
    moving = {}
    for one in given["moving"]:
        parts = _whole(one.split(":"), "--moving")
        if len(parts) != 3:
            raise click.BadParameter(f"“{one}” is not of the form LEVEL:UP:DOWN.")
        moving[parts[0]] = (parts[1], parts[2])
    leavers = (usual.leavers | frozenset(players(given["leavers"]))) - frozenset(players(given["stayers"]))
    return replace(usual, leavers=leavers, joiners=tuple(players(given["joiners"])), numbers=numbers, moving=moving)


def _whole(parts: list[str], option: str) -> tuple[int, ...]:
    numbers = tuple(number for part in parts if (number := whole(part, most=99_999)) is not None)
    if len(numbers) < len(parts):
        raise click.BadParameter(f"{option} wants whole numbers, not “{' '.join(parts)}”.")
    return numbers


def _addresses(session: Session, event: Competition) -> dict[str, int]:
    """Return the players a plan can name: everybody in the event and in the club, by address and by number."""
    concerned = sa.union(
        sa.select(col(Entrant.player_id)).where(col(Entrant.event_id) == event.id),
        sa.select(col(Member.player_id)).where(
            col(Member.club_id) == event.club_id, col(Member.status) == MemberStatus.MEMBER
        ),
    )
    rows = session.execute(
        sa.select(col(Player.id), col(Player.address_key)).where(col(Player.id).in_(concerned))
    ).all()
    return {row.address_key: row.id for row in rows} | {str(row.id): row.id for row in rows}


def _player(known: dict[str, int], given: str) -> int:
    found = known.get(key_of(given))
    if found is None:
        raise click.ClickException(f"Nobody of the event or the club is “{given}”.")
    return found


def _data(proposal: SeasonProposal) -> dict[str, Any]:
    voice = Voice()
    names = {player: voice.person(name) for player, name in proposal.names.items()}
    moves = {move.player: move for move in proposal.draft.moves}

    def line(player: int) -> dict[str, Any]:
        move = moves[player]
        return {
            "player": player,
            "name": names[player],
            "move": move.kind,
            "from": move.before,
            "to": move.after,
            "why": voice.say(sentence(move.why, names)),
        }

    return {
        "event": proposal.event.id,
        "divisions": [
            {"level": part.level, "name": part.name or None, "players": [line(player) for player in part.members]}
            for part in proposal.draft.divisions
        ],
        "leaving": [line(player) for player, move in moves.items() if move.after is None],
        "could_join": [
            {"player": one.player_id, "name": names[one.player_id], "reserve": one.is_reserve}
            for one in proposal.candidates
        ],
        "warnings": [voice.say(sentence(why, names)) for why in proposal.draft.warnings],
    }


def _lines(proposal: SeasonProposal) -> list[str]:
    data = _data(proposal)
    lines: list[str] = []
    for part in data["divisions"]:
        lines.append(part["name"] or f"Division {part['level']}")
        lines += [f"  {one['name']:<30} {one['move']:<5} {one['why']}" for one in part["players"]]
    lines += [f"leaves: {one['name']}  {one['why']}" for one in data["leaving"]]
    return [*lines, *data["warnings"]]
