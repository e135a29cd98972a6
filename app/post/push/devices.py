"""The devices of a player: added by their browser, listed, removed; and what all of them are told."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process.config import Config
from app.base.process.jobs import job
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.stored.outbox import PlannedMail
from app.base.stored.prepared import PreparedGlance
from app.base.stored.upkeep_tables import FailingRow
from app.base.words.refusals import NotAccepted
from app.games.work import Work
from app.people.accounts import MAIL_GROUPS
from app.people.push_tables import Push, PushDevice
from app.people.tables import Player, SignIn
from app.post.webhooks.wire import BadUrl, is_inside, read_url
from engine.kernel.text import Text

USUAL_HOSTS = (
    "fcm.googleapis.com",
    ".push.services.mozilla.com",
    ".push.apple.com",
    ".notify.windows.com",
)
"""The push services of Chromium, Firefox, Safari and Edge; a dot at the beginning stands for all names below it."""
MOST = 10


def of_player(session: Session, player_id: int) -> list[PushDevice]:
    """Return the devices of a player, the newest first."""
    asked = select(PushDevice).where(col(PushDevice.player_id) == player_id)
    return list(session.exec(asked.order_by(col(PushDevice.id).desc())))


def has_any(session: Session, player_id: int) -> bool:
    """Return whether a player has a device that is told."""
    return bool(_ANY.glance_within(session, player=player_id))


_ANY = PreparedGlance(sa.select(col(PushDevice.id)).where(col(PushDevice.player_id) == sa.bindparam("player")).limit(1))


def add(database: Database, config: Config, given: PushDevice) -> None:
    """Add the device of a sign-in, a row without its host, in place of the one that it had and of the one that this
    browser was before. Raises NotAccepted for an address of anything but a push service, or for too many."""
    given.host = _judged(config, given)
    player_id, sign_in = given.player_id, given.sign_in_id
    with database.write() as session:
        # The player's row is locked, so that two at once do not add one too many.
        session.execute(sa.select(col(Player.id)).where(col(Player.id) == player_id).with_for_update())
        before = sa.or_(col(PushDevice.endpoint) == given.endpoint, col(PushDevice.sign_in_id) == sign_in)
        session.exec(sa.delete(PushDevice).where(before))
        count = sa.select(sa.func.count()).select_from(PushDevice).where(col(PushDevice.player_id) == player_id)
        if (session.scalar(count) or 0) >= MOST:
            raise NotAccepted("push.many", Text("{most} devices are told already; remove one first.", most=MOST))
        session.add(given)
        session.exec(sa.update(Player).where(col(Player.id) == player_id).values(has_device=True))
        session.exec(sa.update(SignIn).where(col(SignIn.id) == sign_in).values(told=True))


def _judged(config: Config, given: PushDevice) -> str:
    """Return the host of a push service, which is judged as those of webhooks are. Raises NotAccepted."""
    from app.post.push import sealing  # noqa: PLC0415  most servers have no device, and save its 5 MB

    private = config.webhook_private
    try:
        sealing.device_keys(given.public_key, given.auth)
        sealing.device_keys(given.server_key, given.auth)
        target = read_url(given.endpoint, private=private)
    except (sealing.BadKey, BadUrl):
        raise NotAccepted("push.form", Text("The browser gave no address at which it can be told.")) from None
    host = target.host.lower().rstrip(".")
    known = (*USUAL_HOSTS, *config.push_hosts)
    if not private and (is_inside(host) or target.port != 443 or not any(_fits(host, one) for one in known)):
        raise NotAccepted("push.host", Text("This server sends nothing to the push service {host}.", host=host[:80]))
    return host


def _fits(host: str, known: str) -> bool:
    return host == known or (known.startswith(".") and host.endswith(known))


def remove(database: Database, player_id: int, device_id: int, now: datetime, *, told: bool | None = None) -> None:
    """Remove a device, and mail its player if it was the last one; one that is not the player's, or does not exist, is
    left alone. `told` is what its browser knows then (`SignIn.told`)."""
    with Work(database) as work:
        work.session.execute(sa.select(col(Player.id)).where(col(Player.id) == player_id).with_for_update())
        mine = sa.and_(col(PushDevice.id) == device_id, col(PushDevice.player_id) == player_id)
        its = sa.select(col(PushDevice.sign_in_id)).where(mine).scalar_subquery()
        work.session.exec(sa.update(SignIn).where(col(SignIn.id) == its).values(told=told))
        work.session.exec(sa.delete(PushDevice).where(mine))
        _make_good(work, now, col(Player.id) == player_id)


@job("devices that were lost", every=600)
def make_good(database: Database, now: datetime) -> int:
    """Mail the players whose last device has gone with its sign-in, whatever ended that; how many."""
    with database.read() as session:
        if session.scalar(sa.select(col(Player.id)).where(_LOST).limit(1)) is None:
            return 0
    with Work(database) as work:
        return _make_good(work, now)


_LOST = sa.and_(
    col(Player.has_device),
    col(Player.erased_at).is_(None),
    ~sa.exists().where(col(PushDevice.player_id) == col(Player.id)),
)


def _make_good(work: Work, now: datetime, *which: sa.ColumnElement[bool]) -> int:
    """Begin mails about turns again for players without a device who had stopped them, with a mail that says so; return
    how many."""
    asked = sa.select(col(Player.id), col(Player.address), col(Player.mail_turns)).where(_LOST, *which)
    lost = work.session.execute(asked.with_for_update()).all()
    those = col(Player.id).in_([one.id for one in lost])
    work.session.exec(sa.update(Player).where(those).values(has_device=False, mail_turns=True))
    silent = [one for one in lost if not one.mail_turns]
    work.outbox.add(
        (PlannedMail(f"device_off:{one.id}:{now:%Y%m%dT%H%M%S}", "device_off", one.address, one.id) for one in silent),
        now,
    )
    return len(silent)


def wanted(session: Session, player_id: int) -> dict[str, bool]:
    """Return what a player's devices are told, by the groups of mails."""
    player = session.get_one(Player, player_id)
    return {group: getattr(player, f"push_{group}") for group in MAIL_GROUPS}


# -- for operators ------------------------------------------------------------------------------------


class Service(NamedTuple):
    """A push service that devices have, when it last took something for one of them, and its rest, if it fails."""

    host: str
    taken_at: datetime | None
    last_error: str | None
    rests_until: datetime | None


class Figures(NamedTuple):
    """How pushes are on this server."""

    devices: int
    states: dict[str, int]
    """Notifications of the last 30 days by what became of them."""
    services: Sequence[Service]

    def resting(self, now: datetime) -> list[Service]:
        """Return the services that do not answer."""
        return [one for one in self.services if one.rests_until is not None and one.rests_until > now]


def figures(session: Session) -> Figures:
    """Return the figures."""
    counted = sa.func.count()
    states = session.execute(sa.select(col(Push.state), counted).group_by(col(Push.state))).all()
    host, rest = col(PushDevice.host), (col(FailingRow.error), col(FailingRow.again_at))
    rests = sa.and_(col(FailingRow.job) == failing.PUSHES, col(FailingRow.row) == sa.func.substr(host, 1, 80))
    services = sa.select(host, sa.func.max(col(PushDevice.used_at)), *rest).outerjoin(FailingRow, rests)
    return Figures(
        session.scalar(sa.select(counted).select_from(PushDevice)) or 0,
        {str(state): number for state, number in states},
        [Service(*row) for row in session.execute(services.group_by(host, *rest).order_by(host))],
    )
