"""People, identified by their addresses."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import object_session
from sqlmodel import Session, col, select, update

from app.base.links import BadLink
from app.base.stored import reserved_ids
from app.base.stored.database import Database
from app.base.words.addresses import ascii_domain, key_of, key_of_2003
from app.base.words.i18n import LANGUAGES, catalogue
from app.base.words.refusals import NotAccepted
from app.base.words.speech import computer_named
from app.base.words.texts import leads_elsewhere
from app.clocks.zones import present_name
from app.games import competitions
from app.games.tables import Game, GameSeat, GameStatus
from app.people import names
from app.people.tables import COMPUTER_KEY, IS_COMPUTER, Player, PlayerRole, SignIn, searchable
from engine.kernel.text import N_, Text, quoted

ROLE_NAMES = {"player": N_("player"), "operator": N_("operator of the server")}
MAIL_GROUPS = ("turns", "reminders", "news")
DIGEST = "digest"
"""The mail with all games that wait, sent at hours of its reader's day."""
LONGEST_NAME = 60
MOST_LISTED = 50
PROGRAM = " (bot)"
"""Stands behind the name of a program: a word of all our languages, since a name is the same for all who read it."""
NEW_PLAYER = N_("New player {n}")
GUEST = N_("A guest of {host}")
"""Ends with the host in every language (`is_nameless`)."""
OPERATORS = sa.select(col(Player.id), col(Player.address)).where(
    col(Player.role) == PlayerRole.OPERATOR, col(Player.erased_at).is_(None)
)
"""The operators of the server, with their addresses."""
_ADDRESS = re.compile(r"[^@\s<>(),;:\"\\]{1,64}@[^@\s<>(),;:\"\\]{1,190}")


def read_address(given: str) -> str:
    """Return an address in its stored form: without surrounding spaces, its domain in lower case and in ASCII. Raises
    NotAccepted if it is invalid, or not accepted by every mail host."""
    text = given.strip()
    if not text:
        raise NotAccepted("address.form", Text("An email address is missing here; it looks like name@example.org."))
    local, _, domain = text.rpartition("@")
    try:
        domain = ascii_domain(domain)
    except ValueError:
        domain = ""
    dots = any(not part for side in (local, domain) for part in side.split("."))
    address = f"{local}@{domain}"
    if dots or not address.isascii() or not address.isprintable() or not _ADDRESS.fullmatch(address):
        raise NotAccepted("address.form", Text("“{address}” is not an email address.", address=text[:80]))
    return address


def find(session: Session, address: str) -> Player | None:
    """Return the player with this address, however it is spelled. Mails go to the stored address, which can be the one
    that IDNA 2003 made of the given one."""
    key = key_of(address)
    player = session.exec(select(Player).where(Player.address_key == key)).first()
    if player is None and (before := key_of_2003(key)) is not None:
        player = session.exec(select(Player).where(Player.address_key == before)).first()
    return player


def find_or_add(
    session: Session,
    address: str,
    *,
    now: datetime,
    language: str = "en",
    name: str = "",
    host: str = "",
    zone: str = "UTC",
) -> Player:
    """Return the player with this address, created now if there is none; without a name, as the guest of a host or with
    one that reveals nothing. The zone is that of their mails until their browser says one."""
    address = read_address(address)
    player = find(session, address)
    if player is None:
        player = Player(
            id=reserved_ids.number_of_next(session, Player),
            address=address,
            address_key=key_of(address),
            name=read_name(name) if name else NEW_PLAYER,
            language=language,
            zone=zone,
            created_at=now,
        )
        if not add(session, player):
            there = find(session, address)
            assert there is not None  # another request was faster by a moment
            return there
        if not name:
            player.name = _name_for_now(player, host)
            if host:
                tell_apart(player, everywhere=True)
            session.flush()
    return player


def add(session: Session, player: Player) -> bool:
    """Write a new player; return False if there is one with this address by now."""
    try:
        with session.begin_nested():
            session.add(player)
            session.flush()
    except IntegrityError:
        return False
    return True


def with_profile(session: Session, people: Collection[int | None]) -> dict[int, str]:
    """Return the names of those of these players who have a profile that all can see, by number."""
    here = col(Player.id).in_(people), col(Player.profile_is_public).is_(True), col(Player.erased_at).is_(None)
    return dict(session.exec(select(Player.id, Player.name).where(*here)).all())


def keep(database: Database, player_id: int, **values: object) -> None:
    """Set columns of a player from which nothing else follows."""
    with database.write() as session:
        session.exec(update(Player).where(col(Player.id) == player_id).values(**values))


def _name_for_now(player: Player, host: str = "") -> str:
    """Return what others read until the player has chosen a name: nothing of the address."""
    say = catalogue(player.language).gettext
    return say(GUEST).format(host=host[:40]) if host else say(NEW_PLAYER).format(n=player.id)


def forget_host(session: Session, name: str) -> None:
    """Call who still is the guest of a host by their numbers: the host's account ends."""
    for guest in session.scalars(select(Player).where(col(Player.name).contains(name[:40], autoescape=True))):
        if is_nameless(guest.id or 0, guest.name):
            guest.name = _name_for_now(guest)


def is_nameless(player_id: int, name: str) -> bool:
    """Return whether a player still has the provisional name, in whatever language it was given."""
    said = [catalogue(lang).gettext for lang in LANGUAGES]
    return any(
        name == say(NEW_PLAYER).format(n=player_id) or name.startswith(say(GUEST).format(host="")) for say in said
    )


def program_named(name: str) -> str:
    """Return the name of a program, which says that it is one."""
    return f"{name.removesuffix(PROGRAM)[: LONGEST_NAME - len(PROGRAM)]}{PROGRAM}"


def choose_name(database: Database, player_id: int, given: str) -> None:
    """Set the player's name for the first time; an existing name is kept. Raises NotAccepted for a bad one."""
    with database.write() as session:
        player = session.get_one(Player, player_id)
        if is_nameless(player_id, player.name):
            settle(player, name=given)
            session.add(player)


def addresses(session: Session, people: Collection[int | None]) -> list[tuple[int, str]]:
    """Return the addresses of these players by their numbers; erased ones and None have none."""
    asked = select(Player.id, Player.address).where(
        col(Player.id).in_({who for who in people if who is not None}), col(Player.erased_at).is_(None)
    )
    return [(who, address) for who, address in session.exec(asked.order_by(col(Player.id))) if who is not None]


def read_label(given: str) -> str:
    """Return the name of anything on one line, at most 60 characters. NotAccepted for a longer one, or when no letter
    or digit is left."""
    name = names.seen(given)
    if not name:
        raise NotAccepted("name.empty", Text("A name is needed."))
    if not names.is_legible(name):
        text = Text(
            "“{name}” is not a name: it needs a letter or a digit, with at most two marks on each.", name=name[:20]
        )
        raise NotAccepted("name.signs", text)
    if len(name) > LONGEST_NAME:
        raise NotAccepted(
            "name.long",
            Text(
                "“{name}” is too long: a name has at most {most} characters.", name=f"{name[:20]}…", most=LONGEST_NAME
            ),
        )
    return name


def read_name(given: str) -> str:
    """Return the same for a player: others must not take it for another alphabet's, for the server, or for an address.
    NotAccepted."""
    name = read_label(given)
    if "://" in name or "@" in name:
        raise NotAccepted("name.leads", Text("“{name}” holds an address; a name does not.", name=name))
    if leads_elsewhere(name):  # programs make a link of what has no blank after its dots
        name = re.sub(r"[.。．｡]\b", ". ", name)
    if names.is_mixed(name):
        raise NotAccepted("name.mixed", Text("“{name}” mixes letters of several alphabets.", name=name))
    if names.is_ours(name):
        raise NotAccepted("name.ours", Text("“{name}” looks like a name of this server’s own.", name=name))
    return name


def tell_apart(player: Player, *, everywhere: bool = False) -> None:
    """Put a number after a player’s name that looks like another one in their clubs, or that anybody here has already
    (`everywhere`)."""
    session, name, n = object_session(player), player.name, 1
    if not isinstance(session, Session):
        return  # not stored yet
    others = list(competitions.runner().names_beside(session, player.id))
    if everywhere:
        with session.no_autoflush:
            begins = col(Player.name_key).startswith(searchable(name), autoescape=True)
            others += session.scalars(sa.select(col(Player.name)).where(begins, col(Player.id) != player.id)).all()
    taken = {names.drawn(one) for one in others}
    while names.drawn(player.name) in taken:
        n += 1
        player.name = f"{name[: LONGEST_NAME - 5]} {n}"


def read_zone(given: str) -> str:
    """Return a time zone by its present name. NotAccepted for an unknown one."""
    zone = present_name(given.strip())
    if zone is None:
        raise NotAccepted(
            "zone.unknown", Text("“{zone}” is not a time zone. Use a name such as Europe/Paris.", zone=given[:60])
        )
    return zone


def stop_mails(session: Session, player_id: int, group: str) -> None:
    """Switch one group of a player's mails off. BadLink for an unknown group."""
    if group not in (*MAIL_GROUPS, DIGEST):
        raise BadLink("unsubscribe")
    off: dict[str, Any] = {f"mail_{group}": False}
    if group == DIGEST:
        off = {"digest_hours": "", "digest_instead": False, "digest_at": None}
    session.exec(update(Player).where(col(Player.id) == player_id).values(off))


def want_turns(session: Session, player_id: int) -> None:
    """Switch the mails about a player's turns on again; for a person who has never used the server, all mails.
    BadLink if the player no longer exists."""
    player = session.get(Player, player_id)
    if player is None or player.erased_at is not None:
        raise BadLink("turns-again")
    player.mail_turns = True
    player.mail_news = player.mail_news or player.acted_at is None
    session.flush()


def keep_zone(session: Session, player_id: int, zone: str, *, guessed: bool = False) -> None:
    """Set a player's zone; a `guessed` one only if none is known. Raises NotAccepted."""
    player = session.get_one(Player, player_id)
    if not (guessed and player.zone_chosen is not None):
        settle(player, zone=zone)
        player.zone_chosen = not guessed
    session.flush()


def settle(
    player: Player,
    *,
    name: str | None = None,
    language: str | None = None,
    zone: str | None = None,
    role: str | None = None,
    mails: dict[str, bool] | None = None,
) -> None:
    """Change a player's settings. NotAccepted for an unknown value."""
    if name is not None and name != player.name:  # what a player is called already stays valid
        player.name = read_name(name)
        if player.program_of is not None:
            player.name = program_named(player.name)
        tell_apart(player, everywhere=True)
    if language is not None:
        if language not in LANGUAGES:
            raise NotAccepted("language.unknown", Text("The languages are {known}.", known=quoted(LANGUAGES)))
        player.language = language
    if zone is not None:
        player.zone, player.zone_chosen = read_zone(zone), True
    if role is not None:
        if role not in ROLE_NAMES:
            raise NotAccepted("role.unknown", Text("The roles are {known}.", known=quoted(ROLE_NAMES)))
        player.role = PlayerRole(role)
    for group, wanted in (mails or {}).items():
        setattr(player, f"mail_{group}", wanted)


# -- the computer -------------------------------------------------------------------------------------


def find_or_add_computer(session: Session, level: str, now: datetime) -> int:
    """Return the number of the computer of this level, a player of events, made now if there is none. Nobody can sign
    in as one: it counts as erased, so that it gets no mail and has no profile; but its name says what it is."""
    asked = select(Player.id).where(Player.address_key == COMPUTER_KEY + level)
    found = session.exec(asked).first()
    if found is None:
        player = Player(
            id=reserved_ids.number_of_next(session, Player),
            address="",
            address_key=COMPUTER_KEY + level,
            name=computer_named(level),
            mail_turns=False,
            mail_reminders=False,
            mail_news=False,
            auto_leave=False,
            profile_is_public=False,
            erased_at=now,
            created_at=now,
        )
        found = player.id if add(session, player) else session.exec(asked).one()
    return found


def levels_among(session: Session, people: Collection[int]) -> dict[int, str]:
    """Return the levels of those of these players who are a computer."""
    rows = session.exec(select(Player.id, Player.address_key).where(col(Player.id).in_(people), IS_COMPUTER))
    return {player: key.removeprefix(COMPUTER_KEY) for player, key in rows}


# -- for operators ------------------------------------------------------------------------------------


def people(session: Session, words: str) -> Sequence[sa.Row[*tuple[Any, ...]]]:
    """Return at most `MOST_LISTED` people whose name or address begins with the words, newest first: with the newest
    sign-in that lasts (`seen`), and how many of their games run (`games`)."""
    running = (
        sa.select(sa.func.count())
        .select_from(GameSeat)
        .join(Game, col(Game.id) == col(GameSeat.game_id))
        .where(col(GameSeat.player_id) == col(Player.id), col(Game.status) == GameStatus.RUNNING)
        .scalar_subquery()
    )
    seen = sa.select(sa.func.max(col(SignIn.created_at))).where(col(SignIn.player_id) == col(Player.id))
    asked: sa.Select[*tuple[Any, ...]] = sa.select(
        col(Player.id),
        col(Player.name),
        col(Player.address),
        col(Player.role),
        seen.scalar_subquery().label("seen"),
        running.label("games"),
    )
    if words.strip():
        asked = asked.where(
            sa.or_(
                col(Player.name_key).startswith(searchable(words), autoescape=True),
                col(Player.address_key).startswith(words.strip().lower(), autoescape=True),
            )
        )
    return session.execute(asked.order_by(col(Player.id).desc()).limit(MOST_LISTED)).all()
