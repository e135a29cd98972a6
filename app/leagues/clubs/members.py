"""Members of a club: invitations by mail and by link, roles, leaving, and the people of a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process.logs import access
from app.base.stored.database import Database
from app.base.stored.outbox import PlannedMail
from app.base.words.refusals import NotAccepted, NotAllowed, TooOften
from app.games.work import Work
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import ClubActing
from app.leagues.tables import Club, Competition, CompetitionStatus, JoinRequest, Member, MemberStatus, Role
from app.people import sanctions, unasked
from app.people.accounts import find_or_add, read_address, read_name, tell_apart
from app.people.tables import Player
from engine.kernel.text import Counted, Text, quoted

REMIND_AFTER = timedelta(days=2)
"""How long an invitation waits before it can be mailed again."""
MOST_COMPLAINTS = 20
BANNED = Text("This club has banned you; those who run it can lift that.")


class BadLines(NotAccepted):
    """A list that was refused: `complaints` are the numbers of its bad lines, each with what is wrong there."""

    def __init__(self, complaints: Sequence[tuple[int, Text]]) -> None:
        why = Counted(
            "Nothing was taken: {n} line of the list is wrong.",
            "Nothing was taken: {n} lines of the list are wrong.",
            n=len(complaints),
        )
        super().__init__("list.lines", why)
        self.complaints = tuple(complaints[:MOST_COMPLAINTS])


members = club_rights.members


def is_invited(session: Session, club_id: int, player_id: int, *, since: datetime | None = None) -> bool:
    """Whether an invitation of the player waits for an answer, if given one that went out since then."""
    there = _row(session, club_id, player_id)
    if there is None or there.status != MemberStatus.INVITED:
        return False
    return since is None or there.since >= since


# -- coming -------------------------------------------------------------------------------------------


def read_role(given: str) -> Role:
    """The role with this name. NotAccepted when there is no such role."""
    if given not in club_rights.ROLES:
        raise NotAccepted("role.unknown", Text("The roles are {known}.", known=quoted(club_rights.ROLE_NAMES)))
    return Role(given)


def invite(
    database: Database, club_id: int, by_id: int, address: str, *, role: Role = Role.MEMBER, now: datetime
) -> None:
    """Invite a person by mail; members and those invited already get no second mail. NotAllowed,
    NotAccepted, TooOften."""
    address = read_address(address)
    with Work(database) as work:
        _may_give(club_rights.need(work.session, club_id, by_id, Role.DEPUTY), role)
        acting = ClubActing(work, club_id, by_id, now)
        invited = _invite(acting, club_rights.get(work.session, club_id), WantedMember(0, address, role))
        if invited is not None:
            _note_invited(acting, invited, role)


def _may_give(mine: Role, role: Role) -> None:
    if role != Role.MEMBER and mine != Role.OWNER:
        raise NotAllowed("club.owner", Text("Only an owner of the club gives roles."))


def _invite(acting: ClubActing, club: Club, one: WantedMember) -> int | None:
    """Invite a person, without a word in the audit trail; their number, or None where they belong to the club or are
    invited already."""
    session, now = acting.session, acting.now
    language = one.language or club.language
    player = find_or_add(session, one.address, now=now, language=language, name=one.name, zone=club.zone)
    session.flush()
    assert player.id is not None
    there = _row(session, club.id, player.id)
    if there is not None and there.status != MemberStatus.LEFT:
        return None
    if there is not None and there.banned_at is not None:
        raise NotAccepted("club.banned", Text("{name} is banned from the club; lift the ban first.", name=player.name))
    if there is None:
        invited = {"role": one.role, "status": MemberStatus.INVITED, "since": now}
        session.exec(sa.insert(Member).values(club_id=club.id, player_id=player.id, **invited))
    else:
        _set(session, club.id, player.id, status=MemberStatus.INVITED, role=one.role, since=now)
    _mail_invitation(acting, player.address, player.id)
    return player.id


def remind(database: Database, club_id: int, by_id: int, *, now: datetime) -> int:
    """Mail their invitation again to those who have not answered for some days; return to how many. Raises NotAllowed,
    TooOften."""
    with Work(database) as work:
        club_rights.need(work.session, club_id, by_id, Role.ORGANISER)
        waiting = [
            one
            for one in club_rights.members(work.session, club_id)
            if one.status == MemberStatus.INVITED and one.since <= now - REMIND_AFTER
        ]
        acting = ClubActing(work, club_id, by_id, now)
        for one in waiting:
            _set(work.session, club_id, one.player_id, since=now)
            _mail_invitation(acting, one.address, one.player_id)
            _note_invited(acting, one.player_id, one.role)
    return len(waiting)


def _mail_invitation(acting: ClubActing, address: str, player_id: int) -> None:
    wait = unasked.wait_of_invitation(acting.session, address, acting.by_id, acting.now)
    key = f"{_invitation_key(acting.club_id, player_id)}{acting.by_id}:{acting.now:%Y%m%dT%H%M%S}"
    details = {"club": acting.club_id, "by": acting.by_id}
    mail = PlannedMail(key, "club_invitation", address, player_id, details=details, wait=wait)
    acting.work.outbox.add([mail], acting.now)


def _invitation_key(club_id: int, player_id: int) -> str:
    return f"club_invitation:{club_id}:{player_id}:"


def _note_invited(acting: ClubActing, player_id: int, role: str) -> None:
    acting.write("member.invited", audit.player(player_id), after={"role": role})


def answer(work: Work, club_id: int, player_id: int, *, joins: bool, now: datetime) -> bool:
    """Accept or decline an invitation; return False if it no longer exists. Answering again changes nothing."""
    club_rights.lock(work.session, club_id)
    there = _row(work.session, club_id, player_id, lock=True)
    if there is None or there.status == MemberStatus.LEFT:
        return False
    if there.status == MemberStatus.INVITED:
        status, role = (MemberStatus.MEMBER, there.role) if joins else (MemberStatus.LEFT, Role.MEMBER)
        _set(work.session, club_id, player_id, status=status, role=role, since=now)
        _forget_request(work.session, club_id, player_id)
        if not joins:
            unasked.refused(work.session, player_id, now, _invitation_key(club_id, player_id))
        if role != Role.MEMBER:
            access.info("player %s is %s of club %s now, by an invitation", player_id, role, club_id)
        act = "member.joined" if joins else "member.declined"
        ClubActing(work, club_id, player_id, now).write(act, audit.player(player_id))
        if joins:
            tell_apart(work.session.get_one(Player, player_id))
            ask_to_play(work, club_id, player_id, now)
    return True


def join_by_link(database: Database, club_id: int, player_id: int, version: int, *, now: datetime) -> None:
    """Become a member by the club's link. Raises NotAccepted if the club has replaced it since."""
    with Work(database) as work:
        club_rights.lock(work.session, club_id)
        club = club_rights.get(work.session, club_id)
        if club.join_version != version:
            raise NotAccepted("club.old_link", Text("This link has been replaced; ask the club for the new one."))
        if take_in(work.session, club_id, player_id, now):
            subject = audit.player(player_id)
            ClubActing(work, club_id, player_id, now).write("member.joined", subject)
            ask_to_play(work, club_id, player_id, now)


def ask_to_play(work: Work, club_id: int, player_id: int, now: datetime) -> None:
    """Ask a new member by mail whether they play in the events of the club whose sign-up is open, as the others were
    asked."""
    here = sa.or_(col(Competition.club_id) == club_id, col(Competition.guest_id) == club_id)
    open_ones = sa.select(col(Competition.id)).where(here, col(Competition.status) == CompetitionStatus.SIGN_UP)
    wants = sa.select(col(Player.address)).where(col(Player.id) == player_id, col(Player.mail_news).is_(True))
    found = work.session.scalars(open_ones.order_by(col(Competition.id))).all()
    address = work.session.scalar(wants) if found else None
    for event in found:
        told = [(player_id, address or "")]
        work.outbox.tell(told, "sign_up_open", f"sign_up_open:{event}", {"event": event}, now)


def take_in(session: Session, club_id: int, player_id: int, now: datetime) -> bool:
    """Make a player a member of a locked club without a line in the audit trail, with the role of an invitation if
    there is one.

    Returns False if they already belong to it.
    """
    there = _row(session, club_id, player_id, lock=True)
    if there is not None and there.status == MemberStatus.MEMBER:
        return False
    sanctions.need_free(session, player_id, now)
    if there is not None and there.banned_at is not None:
        raise NotAccepted("club.banned", BANNED)
    if there is None:
        belongs = {"role": Role.MEMBER, "status": MemberStatus.MEMBER, "since": now}
        session.exec(sa.insert(Member).values(club_id=club_id, player_id=player_id, **belongs))
    else:
        role = there.role if there.status == MemberStatus.INVITED else Role.MEMBER
        _set(session, club_id, player_id, status=MemberStatus.MEMBER, role=role, since=now)
    tell_apart(session.get_one(Player, player_id))
    _forget_request(session, club_id, player_id)
    return True


def _forget_request(session: Session, club_id: int, player_id: int) -> None:
    here = sa.and_(col(JoinRequest.club_id) == club_id, col(JoinRequest.player_id) == player_id)
    session.exec(sa.delete(JoinRequest).where(here))


def new_link(database: Database, club_id: int, by_id: int, *, now: datetime) -> None:
    """Replace the joining link; the old one stops working. Raises NotAllowed."""
    with Work(database) as work:
        acting = club_rights.allowed(work, club_id, by_id, Role.ORGANISER, now)
        more = sa.update(Club).where(col(Club.id) == club_id).values(join_version=col(Club.join_version) + 1)
        work.session.execute(more)
        acting.write("club.new_link")


# -- roles and leaving --------------------------------------------------------------------------------


def give_role(database: Database, club_id: int, by_id: int, player_id: int, role: Role, *, now: datetime) -> None:
    """Give a member another role. A club keeps at least one owner. NotAllowed, NotAccepted."""
    with Work(database) as work:
        club_rights.lock(work.session, club_id)
        _may_give(club_rights.need(work.session, club_id, by_id, Role.OWNER), role)
        there = member_of(work.session, club_id, player_id)
        if there.role == role:
            return
        if there.role == Role.OWNER:
            keep_an_owner(work.session, club_id, player_id)
        _set(work.session, club_id, player_id, role=role)
        ClubActing(work, club_id, by_id, now).write(
            "member.role", audit.player(player_id), before={"role": there.role}, after={"role": role}
        )
        access.info("player %s is %s of club %s now, by player %s", player_id, role, club_id, by_id)


def banned(session: Session, club_id: int) -> Sequence[Member]:
    """Return who is banned from a club, by name."""
    asked = select(Member).where(col(Member.club_id) == club_id, col(Member.banned_at).is_not(None))
    return session.exec(asked.order_by(col(Member.name), col(Member.player_id))).all()


def is_banned(session: Session, club_id: int, player_id: int) -> bool:
    """Whether a player is banned from a club."""
    there = _row(session, club_id, player_id)
    return there is not None and there.banned_at is not None


def ban(acting: ClubActing, player_id: int, reason: str) -> None:
    """Keep out a player who has just left the club, whatever the way."""
    _set(acting.session, acting.club_id, player_id, banned_at=acting.now)
    _forget_request(acting.session, acting.club_id, player_id)
    acting.write("member.banned", audit.player(player_id), reason=reason)


def lift_ban(work: Work, club_id: int, by_id: int, player_id: int, now: datetime) -> None:
    """Let a banned player come back. Raises NotAllowed."""
    acting = club_rights.allowed(work, club_id, by_id, Role.ORGANISER, now)
    if is_banned(work.session, club_id, player_id):
        _set(work.session, club_id, player_id, banned_at=None)
        acting.write("member.unbanned", audit.player(player_id))


def rename(work: Work, club_id: int, by_id: int, player_id: int, name: str, now: datetime) -> None:
    """Correct the name of an invited person who has never been here. Raises NotAllowed, NotAccepted."""
    acting = club_rights.allowed(work, club_id, by_id, Role.ORGANISER, now)
    player = work.session.get_one(Player, player_id)
    if member_of(work.session, club_id, player_id).status != MemberStatus.INVITED or player.acted_at is not None:
        raise NotAccepted("club.renamed", Text("Whoever has been here chooses their own name."))
    player.name = read_name(name)
    work.session.add(player)
    acting.write("member.renamed", audit.player(player_id))


def keep_an_owner(session: Session, club_id: int, leaver: int) -> None:
    owners = sa.select(col(Member.player_id)).where(
        col(Member.club_id) == club_id, col(Member.role) == Role.OWNER, col(Member.status) == MemberStatus.MEMBER
    )
    if set(session.scalars(owners.with_for_update())) <= {leaver}:
        raise NotAccepted("club.last_owner", Text("A club keeps at least one owner; make somebody else owner first."))


def _row(session: Session, club_id: int, player_id: int, *, lock: bool = False) -> Member | None:
    asked = select(Member).where(col(Member.club_id) == club_id, col(Member.player_id) == player_id)
    return session.exec(asked.with_for_update() if lock else asked).first()


def member_of(session: Session, club_id: int, player_id: int) -> Member:
    row = _row(session, club_id, player_id, lock=True)
    if row is None or row.status == MemberStatus.LEFT:
        raise NotAccepted("club.no_member", Text("This player does not belong to the club."))
    return row


def _set(session: Session, club_id: int, player_id: int, **values: object) -> None:
    here = sa.and_(col(Member.club_id) == club_id, col(Member.player_id) == player_id)
    session.exec(sa.update(Member).where(here).values(**values))


# -- a list -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WantedMember:
    """A person on a list; an empty `language` means that of the club."""

    line: int
    address: str
    role: Role
    name: str = ""
    language: str = ""


def read_wanted(rows: Sequence[tuple[int, Mapping[str, str]]]) -> tuple[list[WantedMember], list[tuple[int, Text]]]:
    """Return the people on a list, and its errors with their line numbers."""
    complaints: list[tuple[int, Text]] = []
    seen: dict[str, int] = {}
    wanted = []
    for line, row in rows:
        try:
            address = read_address(row["address"])
            role = read_role(row.get("role") or Role.MEMBER)
            club_rights.judge_language(row.get("language") or "en")
            name = read_name(row["name"]) if row.get("name") else ""
        except NotAccepted as no:
            complaints.append((line, no.why))
            continue
        if address.lower() in seen:
            again = Text("The address stands in line {line} already.", line=seen[address.lower()])
            complaints.append((line, again))
            continue
        seen[address.lower()] = line
        wanted.append(WantedMember(line, address, role, name, row.get("language") or ""))
    return wanted, complaints


def invite_all(acting: ClubActing, wanted: Sequence[WantedMember]) -> int:
    """Invite everybody who does not belong to the club, in a transaction of the caller's; how many. NotAllowed;
    BadLines for the first that is one too many for this day."""
    mine = club_rights.need(acting.session, acting.club_id, acting.by_id, Role.ORGANISER)
    for role in {one.role for one in wanted}:
        _may_give(mine, role)
    club = club_rights.get(acting.session, acting.club_id)
    invited: dict[str, list[int]] = {}
    for one in wanted:
        try:
            player_id = _invite(acting, club, one)
        except (TooOften, NotAccepted) as no:
            raise BadLines([(one.line, no.why)]) from None
        if player_id is None:
            continue
        invited.setdefault(one.role.value, []).append(player_id)
    _note_list(acting, invited)
    return sum(map(len, invited.values()))


def _note_list(acting: ClubActing, invited: Mapping[str, list[int]]) -> None:
    """One act for a whole list, with everybody behind it; by their numbers, so that an erased name is gone here too."""
    people = [(role, player_id) for role, there in invited.items() for player_id in there]
    if len(people) == 1:
        _note_invited(acting, people[0][1], people[0][0])
    elif people:
        acting.write("member.imported", after={"invited": dict(invited)})
