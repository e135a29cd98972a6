"""Signing in by a mailed link, the browsers that are signed in, and a change of address.

No answer reveals whether an address is known: a link is mailed to every address that is given. Only hashes of links and
sessions are kept.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from app.base.process.jobs import job, tidies
from app.base.process.logs import access
from app.base.stored import failing
from app.base.stored.columns import named
from app.base.stored.database import Database
from app.base.stored.mail_tables import BouncedAddress
from app.base.stored.outbox import PlannedMail
from app.base.stored.prepared import PreparedGlance
from app.base.words.refusals import LinkExpired, NotAccepted
from app.games.work import Work
from app.people import life, sanctions, unasked
from app.people.accounts import find, find_or_add, read_address
from app.people.tables import AddressChange, LinkPurpose, LoginToken, Player, SanctionKind, SignIn
from engine.kernel.text import Text

LINK_LASTS = timedelta(hours=6)
CHANGE_LASTS = timedelta(days=3)
SIGNED_IN_FOR = timedelta(days=90)
"""Since it was last used, to a day."""
LINKS_KEPT = timedelta(days=1)
AGAIN = timedelta(minutes=10)
"""How long the browser that used a link can use it again: a button is pressed twice, a page reloaded."""
MOST_TRIES = 5
"""How many times wrong digits can be typed."""


class BadToken(LinkExpired):
    """The link was not made here, has been used, or is too old."""

    def __init__(self) -> None:
        text = Text("This link has been used, is too old, or is not complete. Ask for a new one.")
        super().__init__("sign_in.link", text)


class NeedsDigits(NotAccepted):
    """Not the browser that asked: programs that open links press buttons, but read no digits."""

    def __init__(self, why: Text) -> None:
        super().__init__("code.digits", why)


class BadChange(LinkExpired):
    """The same for a link that confirms another address."""

    def __init__(self) -> None:
        text = Text("This link has been used, is too old, or is not complete. The address stays as it is.")
        super().__init__("address.link", text)


@dataclass(frozen=True, slots=True)
class Person:
    """A signed-in person: the player, and which of their sign-ins this is."""

    id: int
    sign_in: int
    address: str
    name: str
    language: str
    zone: str
    zone_chosen: bool | None
    """None: the zone is not even a browser's."""
    role: str
    wants_turns: bool
    """Whether the player wants mails about their turns."""
    takes_no_mails: bool
    """Whether mails to the address bounce."""
    told: bool | None
    """Whether this browser is told of turns (`SignIn.told`)."""
    until: datetime
    """When this sign-in ends if it is not used any more."""


def needs_digits(link: LoginToken, browser: str) -> bool:
    """Return whether this browser must type the digits in the mail: another one has asked for the link."""
    return link.asked_by is not None and not secrets.compare_digest(link.asked_by, hashed(browser))


def hashed(token: str) -> str:
    """Return the stored form of a secret."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _new_token(session: Session, purpose: str, player_id: int, lasts: timedelta, now: datetime, **also: object) -> str:
    token = secrets.token_urlsafe(32)
    row: dict[str, Any] = {"token_hash": hashed(token), "purpose": purpose, "player_id": player_id, **also}
    session.exec(sa.insert(LoginToken).values(**row, created_at=now, expires_at=now + lasts))
    return token


# -- signing in ---------------------------------------------------------------------------------------


def request_link(database: Database, given: str, *, language: str, then: str, now: datetime, browser: str = "") -> None:
    """Mail a link that signs in once; a new address becomes a player. NotAccepted for an invalid address.

    `then` is where the browser goes afterwards, a path of this server. `browser` is the secret of the browser that
    asks, which signs in at once; any other needs six digits from the mail. (Without it any browser signs in at once.)
    """
    address = read_address(given)
    with Work(database) as work:
        is_wanted = unasked.count_link(work.session, address, now)
        player = find_or_add(work.session, address, now=now, language=language)
        assert player.id is not None
        code = f"{secrets.randbelow(10**6):06}"
        known = {"asked_by": hashed(browser), "code_hash": hashed(f"{player.id}:{code}")} if browser else {}
        token = _new_token(work.session, "sign_in", player.id, LINK_LASTS, now, **known)
        details = {"token": token, "then": then, "code": code if browser else ""}
        key = f"sign_in:{hashed(token)[:40]}"
        if is_wanted:
            work.outbox.add([PlannedMail(key, "sign_in", player.address, player.id, details=details)], now)


def _may_use(browser: str, now: datetime) -> sa.ColumnElement[bool]:
    """Return the condition that a link has not been used, or only a moment ago by this browser."""
    by_it = sa.and_(col(LoginToken.asked_by) == hashed(browser), col(LoginToken.used_at) > now - AGAIN)
    return sa.or_(col(LoginToken.used_at).is_(None), by_it)


def read_link(
    session: Session, token: str, now: datetime, *, browser: str = "", bad: type[LinkExpired] = BadToken
) -> tuple[LoginToken, Player]:
    """Return a mailed link and whom it is for, or raise `bad`. Changes nothing."""
    asked = (
        select(LoginToken, Player)
        .join(Player, col(Player.id) == col(LoginToken.player_id))
        .where(LoginToken.token_hash == hashed(token), _may_use(browser, now), col(LoginToken.expires_at) > now)
    )
    found = session.exec(asked).first()
    if found is None:
        raise bad
    return found


def _use(
    session: Session,
    token: str,
    purposes: tuple[str, ...],
    now: datetime,
    bad: type[LinkExpired] = BadToken,
    browser: str = "",
) -> tuple[LoginToken, Player]:
    """Use up a link: of two simultaneous attempts, one wins and the other gets `bad`."""
    link, player = read_link(session, token, now, browser=browser, bad=bad)
    spend = sa.update(LoginToken).where(
        col(LoginToken.id) == link.id, _may_use(browser, now), col(LoginToken.purpose).in_(purposes)
    )
    by = hashed(browser) if browser else link.asked_by
    if session.exec(spend.values(used_at=now, asked_by=by)).rowcount != 1:
        raise bad
    return link, player


def _check_digits(database: Database, token: str, browser: str, typed: str, now: datetime) -> None:
    """Raise NeedsDigits unless this is the browser that asked, or the digits in the mail were typed. Raises
    BadToken."""
    digits = "".join(typed.replace("-", " ").split())
    with database.write() as session:
        link, _ = read_link(session, token, now, browser=browser)
        if not needs_digits(link, browser):
            return
        if not digits:
            raise NeedsDigits(Text("Type the six digits of the mail: another browser has asked for this link."))
        this = sa.update(LoginToken).where(col(LoginToken.token_hash) == hashed(token))
        counted = this.values(tries=LoginToken.tries + 1).returning(col(LoginToken.tries), col(LoginToken.code_hash))
        tries, wanted = session.execute(counted).one()
    if tries > MOST_TRIES:
        raise NeedsDigits(Text("Other digits were typed too often. Ask for a new link on this device."))
    if not secrets.compare_digest(wanted or "", hashed(f"{link.player_id}:{digits}")):
        access.warning("wrong digits for a sign-in of player %s", link.player_id)
        raise NeedsDigits(Text("These are not the digits of the mail with this link."))


def sign_in(
    database: Database,
    token: str,
    *,
    device: str,
    instead_of: str | None,
    now: datetime,
    browser: str = "",
    digits: str = "",
) -> tuple[str, Player]:
    """Use up a link; return the secret for the browser's cookie, always a new one, and who it is. `instead_of` is the
    browser's last one, `browser` distinguishes it from others, `digits` are those that were typed. Raises BadToken,
    NeedsDigits, and NotAllowed, with the reason, for banned players."""
    _check_digits(database, token, browser, digits, now)
    with database.write() as session:
        _, player = _use(session, token, ("sign_in",), now, browser=browser)
        secret = begin(session, player.id, device=device, instead_of=instead_of, now=now)
    return secret, player


def begin(session: Session, player_id: int, *, device: str, instead_of: str | None, now: datetime) -> str:
    """Sign a player in whose link has just been used up, also by what else it asks; return the secret for the cookie.
    Raises NotAllowed for banned players."""
    # Held until the end: a simultaneous ban signs the player out again, or is refused here.
    address = session.scalar(sa.select(col(Player.address_key)).where(col(Player.id) == player_id).with_for_update())
    sanctions.need_none(session, player_id, SanctionKind.BAN, now)
    secret = secrets.token_urlsafe(32)
    # The link came by mail, so that the address takes mails.
    session.exec(sa.delete(BouncedAddress).where(col(BouncedAddress.address_key) == address))
    life.note(session, player_id, now)
    access.info("player %s signs in", player_id)
    row = {"token_hash": hashed(secret), "player_id": player_id, "device": device[:120]}
    row |= {"created_at": now, "expires_at": now + SIGNED_IN_FOR}
    if instead_of:
        before = col(SignIn.token_hash) == hashed(instead_of)
        same = sa.update(SignIn).where(before, col(SignIn.player_id) == player_id)
        if session.exec(same.values(**row)).rowcount == 1:  # the browser that is told of turns goes on being told
            return secret
        session.exec(sa.delete(SignIn).where(before))
    session.exec(sa.insert(SignIn).values(**row))
    return secret


_WHO: sa.Select[*tuple[Any, ...]] = (
    sa.select(
        col(Player.id),
        col(SignIn.id).label("sign_in"),
        col(Player.address),
        col(Player.name),
        col(Player.language),
        col(Player.zone),
        col(Player.zone_chosen),
        col(Player.role),
        col(Player.mail_turns).label("wants_turns"),
        col(BouncedAddress.address_key).is_not(None).label("takes_no_mails"),
        col(SignIn.told),
        col(SignIn.expires_at).label("until"),
    )
    .join(Player, col(Player.id) == col(SignIn.player_id))
    .outerjoin(BouncedAddress, col(BouncedAddress.address_key) == col(Player.address_key))
    .where(col(SignIn.token_hash) == sa.bindparam("hash"), col(SignIn.expires_at) > sa.bindparam("now"))
)


def who(session: Session, secret: str, now: datetime) -> Person | None:
    """Return who is signed in with this secret; one statement, nothing is written."""
    row = session.execute(_WHO, {"hash": hashed(secret), "now": now}).first()
    return None if row is None else named(Person, row)


def go_on(database: Database, person: Person, now: datetime) -> bool:
    """Let a sign-in that is used last longer; whether it does: at most once a day."""
    if person.until > now + SIGNED_IN_FOR - timedelta(days=1):
        return False
    with database.write() as session:
        this = sa.update(SignIn).where(col(SignIn.id) == person.sign_in).values(expires_at=now + SIGNED_IN_FOR)
        is_there = session.exec(this).rowcount == 1
    return is_there


WHO = PreparedGlance(_WHO)
"""The row of `who` as it is, for `hash` and `now`: to see whether anything has changed."""


# -- the browsers that are signed in ------------------------------------------------------------------


def browsers(session: Session, player_id: int, now: datetime) -> list[SignIn]:
    """All sign-ins of a player, the newest first."""
    asked = select(SignIn).where(col(SignIn.player_id) == player_id, col(SignIn.expires_at) > now)
    return list(session.exec(asked.order_by(col(SignIn.created_at).desc(), col(SignIn.id).desc())))


def end(database: Database, player_id: int, sign_in_id: int, *, others: bool = False) -> None:
    """End one sign-in of a player; with `others`, all but that one."""
    one = col(SignIn.id) != sign_in_id if others else col(SignIn.id) == sign_in_id
    with database.write() as session:
        session.exec(sa.delete(SignIn).where(col(SignIn.player_id) == player_id, one))


def end_all(session: Session, player_id: int) -> None:
    """End all of a player's sign-ins, and the links that would make more."""
    for model in (SignIn, LoginToken):
        session.exec(sa.delete(model).where(col(model.player_id) == player_id))
    access.info("all sign-ins of player %s are ended", player_id)


# -- another address ----------------------------------------------------------------------------------


def ask_change(database: Database, player_id: int, given: str, *, now: datetime) -> None:
    """Mail both addresses a link; the address changes when both have confirmed. An earlier request ends.

    Raises NotAccepted for an invalid address, or the player's current one. Nothing here reveals whether another player
    has it.
    """
    with Work(database) as work:
        _mail_both(work, player_id, read_address(given), now)


def move(database: Database, player_id: int, given: str, *, by: str, now: datetime) -> datetime:
    """Have the address change in three days, unless one of the two objects, which both are told: `by` says that the old
    mailbox is gone. Return when. Raises NotAccepted also if another player has the address."""
    address, due = read_address(given), now + CHANGE_LASTS
    with Work(database) as work:
        if find(work.session, address) is not None:
            raise _taken(address)
        _mail_both(work, player_id, address, now, due, by)
    access.warning("the address of player %s is to change", player_id)
    return due


def _mail_both(
    work: Work, player_id: int, address: str, now: datetime, due: datetime | None = None, by: str = ""
) -> None:
    player = work.session.get_one(Player, player_id)
    if player.address == address:
        raise NotAccepted("address.same", Text("This is your address already."))
    open_wish = sa.and_(col(AddressChange.player_id) == player_id, col(AddressChange.done_at).is_(None))
    work.session.exec(sa.delete(AddressChange).where(open_wish))
    wish = AddressChange(
        player_id=player_id, address=address, created_at=now, expires_at=now + CHANGE_LASTS, due_at=due
    )
    work.session.add(wish)
    work.session.flush()
    is_wanted = due is not None or unasked.count_link(work.session, address, now)
    mails = []
    for purpose, to in (("old_address", player.address), ("new_address", address)):
        token = _new_token(work.session, purpose, player_id, CHANGE_LASTS, now, change_id=wish.id)
        details = {"token": token, "old": player.address, "new": address}
        details |= {"due": due.isoformat(), "by": by} if due else {}
        mails.append(PlannedMail(f"{purpose}:{hashed(token)[:40]}", purpose, to, player_id, details=details))
    work.outbox.add(mails if is_wanted else mails[:1], now)


def confirm_change(database: Database, token: str, *, now: datetime, browser: str = "") -> bool | None:
    """Confirm for one of the two addresses; return whether the address has now changed. All sign-ins end with the
    change. One that comes by itself is objected to instead: None. Raises BadChange for a used link, and NotAccepted
    when another player has the address."""
    with database.write() as session:
        link, _ = _use(session, token, ("old_address", "new_address"), now, BadChange, browser)
        wish = session.get_one(AddressChange, link.change_id, with_for_update=True)
        if wish.due_at is not None and wish.done_at is None:
            session.delete(wish)
            return None
        if link.purpose == LinkPurpose.OLD_ADDRESS:
            wish.confirmed_old_at = now
        else:
            wish.confirmed_new_at = now
        if wish.done_at is not None:  # the same button again
            session.rollback()
            return True
        if wish.confirmed_old_at is None or wish.confirmed_new_at is None:
            return False
        _change(session, wish, now)
        return True


def _change(session: Session, wish: AddressChange, now: datetime) -> None:
    values: dict[str, Any] = {"address": wish.address, "address_key": wish.address.lower()}
    values["feed_version"] = col(Player.feed_version) + 1  # the old mailbox has the addresses of the feeds
    try:
        session.exec(sa.update(Player).where(col(Player.id) == wish.player_id).values(**values))
    except IntegrityError:  # nothing is committed: the link is not used up and can be tried again
        raise _taken(wish.address) from None
    wish.done_at = now
    session.exec(sa.delete(SignIn).where(col(SignIn.player_id) == wish.player_id))
    unused = sa.and_(col(LoginToken.player_id) == wish.player_id, col(LoginToken.used_at).is_(None))
    session.exec(sa.update(LoginToken).where(unused).values(used_at=now))


def _taken(address: str) -> NotAccepted:
    return NotAccepted("address.taken", Text("Another player has the address {address}.", address=address))


@job("addresses", every=60)
def change_due(database: Database, now: datetime) -> int:
    """Change the addresses to which nobody has objected; return how many."""
    due = sa.select(col(AddressChange.id)).where(col(AddressChange.due_at) <= now, col(AddressChange.done_at).is_(None))
    with database.read() as session:
        found = session.scalars(due).all()

    def do(wish_id: int) -> bool:
        with database.write() as session:
            wish = session.get(AddressChange, wish_id, with_for_update=True)
            if wish is None or wish.done_at is not None:
                return False
            _change(session, wish, now)
            return True

    return sum(failing.over(database, "addresses", found, lambda one: f"change {one}", do, now))


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete the links and the browsers whose time is over; how many."""
    links = sa.delete(LoginToken).where(col(LoginToken.expires_at) < now - LINKS_KEPT)
    browsers = sa.delete(SignIn).where(col(SignIn.expires_at) < now)
    return session.exec(links).rowcount + session.exec(browsers).rowcount
