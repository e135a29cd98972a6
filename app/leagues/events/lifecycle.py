"""Events of a club: made as data, opened for sign-up, started, ended."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import joinedload, selectinload
from sqlmodel import Session, col, select

from app.base.stored.database import Database
from app.base.words.refusals import Conflict, NoSuch, NotAccepted, TitleMissing, together
from app.clocks.pace import DEFAULT, Pace, write_pace
from app.games import seeds
from app.games.work import Work
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import Acting, ClubActing
from app.leagues.pure.formats import FORMATS, Format
from app.leagues.pure.terms import Terms, judge_terms, read_terms, write_terms
from app.leagues.tables import STILL_IN, Audit, Competition, CompetitionStatus, Division, Entrant, Member, Role, Season
from app.people import accounts
from app.people.accounts import read_label
from app.people.tables import Player
from app.play.turn import starting
from app.titles.registry import TITLES
from engine.kernel.text import N_, Counted, Text, quoted
from engine.kernel.title import Title

STATUS_NAMES: dict[str, str] = {
    CompetitionStatus.DRAFT: N_("sketch"),
    CompetitionStatus.SIGN_UP: N_("open for sign-up"),
    CompetitionStatus.RUNNING: N_("running"),
    CompetitionStatus.OVER: N_("over"),
    CompetitionStatus.CANCELLED: N_("cancelled"),
}
MOST_DIVISIONS = 20
LONGEST_SIGN_UP = timedelta(days=731)
_EVENTS = select(Competition).options(selectinload(Competition.divisions))
_ONE_EVENT = select(Competition).options(joinedload(Competition.divisions))


class NoSuchCompetition(NoSuch):
    """No event has this number."""

    sentence = club_rights.NoSuchClub.sentence


# -- reading ------------------------------------------------------------------------------------------


def get(session: Session, event_id: int, *, lock: bool = False) -> Competition:
    """Return an event; with `lock` nobody else changes it until the transaction ends.

    Raises NoSuchCompetition, TitleMissing.
    """
    if lock:
        # So that a request that ends a game of the event, holding the game's lock, can record its act of it.
        event = session.exec(_EVENTS.where(col(Competition.id) == event_id).with_for_update(key_share=True)).first()
    else:
        event = session.exec(_ONE_EVENT.where(col(Competition.id) == event_id)).unique().first()
    if event is None:
        raise NoSuchCompetition(event_id)
    if event.title_id not in TITLES:  # a title whose package is no longer installed
        raise TitleMissing(event.title_id)
    return event


def events_of(session: Session, club_id: int, *, drafts: bool = False, most: int = 100) -> Sequence[Competition]:
    """Return the events of a club, newest first; `drafts` for its organisers only."""
    asked = _EVENTS.where(of_club(club_id)).order_by(col(Competition.id).desc()).limit(most)
    if not drafts:
        asked = asked.where(col(Competition.status) != CompetitionStatus.DRAFT)
    return session.exec(asked).all()


def unfinished_of(session: Session, club_id: int) -> Sequence[Competition]:
    """Return the unfinished events of a club, drafts included, newest first; without those that are stalled because
    their title is not installed.
    """
    over = (CompetitionStatus.OVER, CompetitionStatus.CANCELLED)
    asked = _EVENTS.where(of_club(club_id), col(Competition.status).not_in(over))
    asked = asked.where(col(Competition.title_id).in_(list(TITLES)))
    return session.exec(asked.order_by(col(Competition.id).desc())).all()


# -- making -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDraft:
    """What is said of an event that is prepared or changed."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    pace: Pace = DEFAULT
    terms: Mapping[str, Any] = field(default_factory=dict)
    sign_up_from: datetime | None = None
    sign_up_until: datetime | None = None
    season: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent(EventDraft):
    """What is said of a new event beside that."""

    title_id: str
    format: str
    divisions: Sequence[Mapping[str, Any]] = ()
    """`{"name", "level", "promoted", "relegated"}`, the highest first; none makes one."""


def make(database: Database, club_id: int, by_id: int, draft: NewEvent, *, now: datetime, opens: bool = False) -> int:
    """Prepare an event, which nobody but the organisers sees yet; with `opens` sign-up is open at once. Its number.

    NotAllowed, NotAccepted with all that is wrong, `Unreadable` (options, terms).
    """
    values = _judged(draft, draft.title_id, draft.format)
    if wrong := list(_mistimed(draft, values["terms"], now)):
        raise together(wrong)
    parts = read_divisions(draft.divisions, values["name"])
    with Work(database) as work:
        club_rights.need(work.session, club_id, by_id, Role.ORGANISER)
        event = Competition(
            **values,
            club_id=club_id,
            season_id=_season(work.session, club_id, draft.season),
            lots=secrets.token_hex(16),
            made_by=by_id,
            made_at=now,
            sign_up_from=draft.sign_up_from,
            sign_up_until=draft.sign_up_until,
        )
        work.session.add(event)
        work.session.flush()
        work.session.add_all(Division(event_id=event.id, **part) for part in parts)
        work.session.flush()
        ClubActing(work, club_id, by_id, now, event.id).write("event.made", audit.named(event.name))
        if opens:
            set_status(Acting(work, event, by_id, now), CompetitionStatus.SIGN_UP)
    return event.id


def change(work: Work, event_id: int, by_id: int, draft: EventDraft, *, now: datetime) -> None:
    """Change an event that has not started, in the caller's transaction. NoSuchCompetition, NotAllowed, NotAccepted."""
    acting = allowed(work, event_id, by_id, Role.ORGANISER, now)
    event = acting.event
    if event.status not in (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP):
        raise Conflict("event.started", Text("The event has started; this stays as it is."))
    values: dict[str, Any] = _judged(draft, event.title.id, event.format)
    judge_parts(values["terms"], len(event.divisions))
    _judge_rated(work.session, event.id, values["terms"])
    sign_up_from = _as_it_stands(draft.sign_up_from, event.sign_up_from)
    sign_up_until = _as_it_stands(draft.sign_up_until, event.sign_up_until)
    wrong: list[NotAccepted] = []
    if sign_up_until != event.sign_up_until:  # a day that has come meanwhile may stay
        wrong += _wrong_sign_up(sign_up_until, now)
    if event.status == CompetitionStatus.DRAFT:
        come = sign_up_from == event.sign_up_from
        wrong += _wrong_opening(values["terms"], sign_up_from, sign_up_until, None if come else now)
    if wrong:
        raise together(wrong)
    values |= {
        "sign_up_from": sign_up_from,
        "sign_up_until": sign_up_until,
        "season_id": _season(work.session, event.club_id, draft.season),
    }
    _write_change(acting, values)


def _judge_rated(session: Session, event_id: int, terms: Terms) -> None:
    plays = select(Entrant.id).where(Entrant.event_id == event_id, col(Entrant.status).in_(STILL_IN), Entrant.computer)
    if terms.rated and session.exec(plays).first() is not None:
        raise NotAccepted(
            "entry.computer", Text("The computer plays only in events whose games do not count for ratings.")
        )


def _write_change(acting: Acting, values: Mapping[str, Any]) -> None:
    """Write what an event is from now on, and what of it is new into the trail."""
    session, event = acting.session, acting.event
    before: dict[str, Any] = {
        key: _plain(getattr(event, key)) for key, value in values.items() if getattr(event, key) != value
    }
    if not before:
        return
    session.exec(sa.update(Competition).where(col(Competition.id) == event.id).values(**values))
    after: dict[str, Any] = {key: _plain(values[key]) for key in before}
    if "season_id" in before:  # people know it by its name
        for said in (before, after):
            said["season"] = session.exec(select(Season.name).where(Season.id == said.pop("season_id"))).first()
    acting.write("event.changed", before=before, after=after)


def need(session: Session, event_id: int, player_id: int | None, role: Role, *, lock: bool = False) -> Competition:
    """The event, for a person with this role in its club, or in one of two. NoSuchCompetition, NotAllowed."""
    event = get(session, event_id, lock=lock)
    club_rights.judge(club_rights.role_in(session, event, player_id), role)
    return event


def allowed(work: Work, event_id: int, by_id: int, needed: Role | None, now: datetime) -> Acting:
    """A person with this role, or anybody if that is None, who does something in the event, which is locked.
    NoSuchCompetition, NotAllowed."""
    event = get(work.session, event_id, lock=True)
    if needed is not None:
        club_rights.judge(club_rights.role_in(work.session, event, by_id), needed)
    return Acting(work, event, by_id, now)


def of_club(club_id: int) -> sa.ColumnElement[bool]:
    """Return the condition that an event belongs to a club, also as the guest of another club."""
    return sa.or_(col(Competition.club_id) == club_id, Competition.guest_id == club_id)


def _judged(draft: EventDraft, title_id: str, format: str) -> dict[str, Any]:
    title = starting.find_title(title_id)
    read = read_terms(draft.terms)
    judge_terms(read)
    if wrong := list(_misfits(title, format, read)):
        raise together(wrong)
    return {
        "name": read_label(draft.name),
        "title_id": title_id,
        "options": title.keep_options(title.read_options(draft.options)),
        "pace": draft.pace,
        "format": Format(format),
        "terms": read,
    }


def faults(draft: NewEvent, terms: Terms, now: datetime) -> list[NotAccepted]:
    """Return all that is wrong with a new event with these terms, for a page that names it at once."""
    return [
        *_misfits(starting.find_title(draft.title_id), draft.format, terms),
        *_mistimed(draft, terms, now),
    ]


def _mistimed(draft: NewEvent, terms: Terms, now: datetime) -> Iterator[NotAccepted]:
    """Yield what is wrong with the divisions and the days of sign-up."""
    try:
        judge_parts(terms, len(read_divisions(draft.divisions, draft.name)))
    except NotAccepted as no:
        yield no
    yield from _wrong_sign_up(draft.sign_up_until, now)
    yield from _wrong_opening(terms, draft.sign_up_from, draft.sign_up_until, now)


def _misfits(title: Title, format: str, terms: Terms) -> Iterator[NotAccepted]:
    """Yield what of the terms does not fit the format, and of the format the title."""
    if format not in FORMATS:
        yield NotAccepted("event.format", Text("The formats are {known}.", known=quoted(tuple(FORMATS))))
        return
    plays = FORMATS[format]
    if plays.at_tables and title.most_seats < 3:
        yield NotAccepted("event.tables", Text("This game has two seats; choose another format."))
    if not plays.at_tables and title.least_seats > 2:
        yield NotAccepted("event.pairs", Text("This game needs more than two seats; choose tables."))
    if plays.by_challenge and terms.autopilot is not None:
        yield NotAccepted(
            "event.autopilot", Text("A ladder has no rounds for an autopilot to run; leave its hours empty here.")
        )
    if terms.boards and (not plays.for_teams or title.least_seats > 2):
        yield NotAccepted("event.boards", Text("Teams play a round robin or a Swiss event of games for two."))
    if plays.by_round and terms.rounds is None:
        yield NotAccepted("event.rounds", Text("Say how many rounds are played."))


def _wrong_sign_up(until: datetime | None, now: datetime) -> Iterator[NotAccepted]:
    if until is not None and not now < until <= now + LONGEST_SIGN_UP:
        yield NotAccepted(
            "event.sign_up", Text("Sign-up should end today at the earliest, and within the next two years.")
        )


def _wrong_opening(
    terms: Terms, opens: datetime | None, until: datetime | None, now: datetime | None
) -> Iterator[NotAccepted]:
    """Yield what is wrong with the opening hour; `now` is None for an hour set earlier, which may have passed."""
    if opens is None:
        return
    if terms.autopilot is None:
        why = Text("Sign-up opens by itself in an event with an autopilot only: give its hours, or no hour here.")
        yield NotAccepted("event.sign_up_from", why)
    elif now is not None and not now < opens <= now + LONGEST_SIGN_UP:
        why = Text("Sign-up should open later than now, and within the next two years.")
        yield NotAccepted("event.sign_up_from", why)
    elif until is None or until <= opens:
        yield NotAccepted("event.sign_up", Text("Sign-up that opens by itself should close later than it opens."))


def _as_it_stands(given: datetime | None, stood: datetime | None) -> datetime | None:
    """Return the stored moment if the given one is in the same minute: forms have no seconds."""
    if given is None or stood is None:
        return given
    return stood if given.replace(second=0) == stood.replace(second=0) else given


def judge_parts(terms: Terms, divisions: int) -> None:
    """Raise NotAccepted if the terms do not fit this many divisions."""
    if terms.boards and divisions > 1:
        raise NotAccepted("event.division_teams", Text("An event of teams has one division; make an event for each."))


def read_divisions(given: Sequence[Mapping[str, Any]], event_name: str) -> list[dict[str, Any]]:
    """Return the divisions as rows. Raises NotAccepted for equal names, too many, or inconsistent numbers."""
    if not given:
        return [{"name": event_name, "level": 1, "promoted": 0, "relegated": 0}]
    if len(given) > MOST_DIVISIONS:
        raise NotAccepted("event.divisions", Text("An event has at most {most} divisions.", most=MOST_DIVISIONS))
    made = []
    for place, division in enumerate(given, 1):
        numbers = {key: division.get(key, 0) for key in ("promoted", "relegated")}
        if any(not isinstance(n, int) or not 0 <= n <= 50 for n in numbers.values()):
            raise NotAccepted("event.moving", Text("How many go up and down are whole numbers from 0 to 50."))
        made.append(
            {"name": read_label(str(division.get("name", ""))), "level": division.get("level", place), **numbers}
        )
    if len({part["name"].lower() for part in made}) < len(made):
        raise NotAccepted("event.division_twice", Text("Each division needs a name of its own."))
    return made


def _season(session: Session, club_id: int, name: str) -> int | None:
    name = name.strip()
    if not name:
        return None
    here = sa.and_(col(Season.club_id) == club_id, col(Season.name) == read_label(name))
    found = session.exec(select(Season).where(here)).first()
    if found is None:
        found = Season(club_id=club_id, name=read_label(name))
        session.add(found)
        session.flush()
    return found.id


def _plain(value: object) -> object:
    """Return a value of an event as the audit trail stores it."""
    if isinstance(value, Terms):
        return write_terms(value)
    if isinstance(value, Pace):
        return write_pace(value)
    return value.isoformat() if isinstance(value, datetime) else value


def all_paired(rounds: int) -> Text:
    """Return why an event with so many rounds has no further one."""
    return Counted("The only round of this event is paired.", "All {n} rounds of this event are paired.", n=rounds)


# -- from one status to the next -----------------------------------------------------------------------

_STEPS = {
    CompetitionStatus.SIGN_UP: (CompetitionStatus.DRAFT,),
    CompetitionStatus.RUNNING: (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP),
    CompetitionStatus.OVER: (CompetitionStatus.RUNNING,),
    CompetitionStatus.CANCELLED: (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP, CompetitionStatus.RUNNING),
}


def set_status(acting: Acting, status: CompetitionStatus, *, reason: str = "") -> bool:
    """Bring an event to a status, in a transaction of the caller's; False when it is there already.

    Raises NotAccepted if the change is not possible.
    """
    work, event, now = acting.work, acting.event, acting.now
    if event.status == status:
        return False
    if event.status not in _STEPS[status]:
        raise Conflict(
            "event.status",
            Text(
                "The event is {now}, so it cannot become {wanted}.",
                now=Text(STATUS_NAMES[event.status]),
                wanted=Text(STATUS_NAMES[status]),
            ),
        )
    values: dict[str, Any] = {"status": status}
    if status == CompetitionStatus.RUNNING:
        values["started_at"] = now
    if status in (CompetitionStatus.OVER, CompetitionStatus.CANCELLED):
        values["ended_at"] = now
    here = sa.and_(col(Competition.id) == event.id, col(Competition.status) == event.status)
    if work.session.exec(sa.update(Competition).where(here).values(**values)).rowcount != 1:
        return False
    acting.write(f"event.{status}", reason=reason, before={"status": event.status}, after={"status": status})
    if event.status == CompetitionStatus.DRAFT and status != CompetitionStatus.CANCELLED:
        seeds.reserve(work.session, event.id, now)  # from here on the numbers of its games are fixed in advance
        _tell_entered(work, event.id, now)
    if status == CompetitionStatus.SIGN_UP:
        ask_members(acting)
    return True


def _tell_entered(work: Work, event_id: int, now: datetime) -> None:
    """Tell the players whom organisers entered in the draft, which only organisers had seen, now that it is final."""
    asked = select(Entrant.player_id).where(Entrant.event_id == event_id, col(Entrant.status).in_(STILL_IN))
    told = accounts.addresses(work.session, work.session.exec(asked).all())
    work.outbox.tell(told, "event_entered", f"event_entered:{event_id}", {"event": event_id}, now)


def ask_members(acting: Acting, *which: sa.ColumnElement[bool], again: bool = False) -> None:
    """Ask whether they play: one mail to each member, or each of these, who wants news, but to nobody who is in the
    event already or has said that they do not play, and not to the organiser who does it. `again`: they have had
    one."""
    event = acting.event
    entered = sa.select(col(Entrant.player_id)).where(
        col(Entrant.event_id) == event.id,
        col(Entrant.status).in_(STILL_IN),
        col(Entrant.player_id).is_not(None),
    )
    declined = sa.select(col(Audit.about_number)).where(
        col(Audit.event_id) == event.id, col(Audit.act) == "entry.declined", col(Audit.about_number).is_not(None)
    )
    wants = col(Player.mail_news).is_(True), col(Player.id).not_in(entered), col(Player.id).not_in(declined)
    asked = club_rights.addressed(col(Member.club_id).in_(event.club_ids), *wants, *which)
    told = [(row.id, row.address) for row in acting.session.execute(asked) if row.id != acting.by_id]
    key = f"sign_up_again:{event.id}" if again else f"sign_up_open:{event.id}"
    acting.work.outbox.tell(told, "sign_up_open", key, {"event": event.id, "again": again}, acting.now)
