"""What the pages of clubs and events share: the reader, their rights, and common form fields."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time
from typing import Annotated, Literal

from flask import Response, request
from sqlmodel import Session, col, select

from app.base.words.numbers import whole
from app.base.words.refusals import NoSuch, NotAccepted
from app.base.words.speech import Voice
from app.base.words.texts import read_date
from app.clocks import zones
from app.games.work import Work
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import Acting
from app.leagues.events import lifecycle
from app.leagues.tables import Club, Competition, CompetitionStatus, Role, Ruling, Team
from app.web import visit
from app.web.forms import Field, Form, Reads, Says, Typed, read_count, sent
from app.web.reader import server
from engine.kernel.text import N_, Text

LARGEST_LIST = 400_000
"""The maximum bytes of an uploaded file: a list, a spreadsheet, an event."""


def person_id() -> int | None:
    """Return the number of the signed-in player."""
    me = visit.person()
    return me.id if me else None


def uploaded() -> bytes | None:
    """Return the file sent with a form; None if there is none. Raises NotAccepted if it is too large."""
    file = request.files.get("file")
    if file is None or not file.filename:
        return None
    file.stream.seek(0)
    content = file.stream.read(LARGEST_LIST + 1)
    if len(content) > LARGEST_LIST:
        raise NotAccepted("list.large", Text("The file is too large."))
    return content


def withdrawn_in_words(voice: Voice, after: int | None, *, by_round: bool = True) -> str:
    """Return that a player has left the event, and after which round if rounds are meaningful; empty for None."""
    if after is None:
        return ""
    if not by_round:
        return voice.gettext("withdrawn")
    return voice.gettext("withdrawn after round {n}", n=after) if after else voice.gettext("withdrawn before round 1")


def event_as(session: Session, event_id: int, player_id: int | None) -> tuple[Competition, Club, Role | None]:
    """Return an event, its club (of two the player's own), and the player's role there.

    Only its deputies can see a draft. Raises NoSuchCompetition.
    """
    event = lifecycle.get(session, event_id)
    club, mine = club_rights.with_role(session, event.club_id, player_id)
    if event.guest_id is not None:
        guest, there = club_rights.with_role(session, event.guest_id, player_id)
        club = guest if mine is None and there is not None else club
        mine = club_rights.role_in(session, event, player_id)
    if event.status == CompetitionStatus.DRAFT and not club_rights.may(mine, Role.DEPUTY):
        raise lifecycle.NoSuchCompetition(event_id)
    return event, club, mine


def event_for(session: Session, event_id: int, role: Role | None) -> tuple[Competition, Club, Role | None]:
    """Return `event_as` for the reader, who needs this role and is asked to sign in, if one is given. Raises
    NoSuchCompetition, NotAllowed."""
    me = visit.person(session) if role is None else visit.need_person(session)
    event, club, mine = event_as(session, event_id, me.id if me else None)
    if role is not None:
        club_rights.judge(mine, role)
    visit.is_in(club.zone)
    return event, club, mine


@contextmanager
def reading(event_id: int, role: Role | None) -> Iterator[tuple[Session, Competition, Club, Role | None]]:
    """A session in which the reader looks at an event, with `event_for`. NoSuchCompetition, NotAllowed."""
    with server().database.read() as session:
        yield session, *event_for(session, event_id, role)


def reader_of(event_id: int, role: Role | None = Role.DEPUTY) -> int:
    """Who acts in an event, by number, and has this role in its club. NoSuchCompetition, NotAllowed."""
    me = visit.need_person()
    with server().database.read() as session:
        event_for(session, event_id, role)
    return me.id


@contextmanager
def acting_in(event_id: int, role: Role | None = Role.ORGANISER) -> Iterator[Acting]:
    """One transaction in which the reader acts in an event, which is locked. NoSuchCompetition, NotAllowed."""
    me = reader_of(event_id, None if role is None else Role.DEPUTY)
    with Work(server().database) as work:
        yield lifecycle.allowed(work, event_id, me, role, visit.now())


def asked_row(kind: str, token: str, model: type[Ruling | Team]) -> tuple[int, int, int]:
    """Return the event and the row that a mailed link is about, and whom it asks. Raises BadLink, NoSuch."""
    number, player_id = visit.asked(kind, token)
    with server().database.read() as session:
        event_id = session.scalar(select(model.event_id).where(col(model.id) == number))
    if event_id is None:
        raise NoSuch(str(number))
    return event_id, number, player_id


def thanked(said: str, page: str) -> Response:
    """Thank the reader for an answer by the link of a mail, with the way on to `page`."""
    return visit.message(200, visit.voice().gettext("Thank you"), said, back=page)


# -- fields of forms ----------------------------------------------------------------------------------


ChosenId = Annotated[int | None, Reads(whole)]
"""The number of a row; None for anything else."""
Moving = Annotated[int, Reads(lambda given: read_count(given.strip() or "0", most=99_999))]
"""How many go up or down; an empty field is 0."""
Once = Annotated[str, Reads(audit.read_token)]
"""The one-time token of a form whose button acts once."""
NO_ANSWER = Says("answer.none", Text("Choose one of what is offered."))


def once() -> str:
    """Return the token for a form that is drawn: a new one, or that of a refused form."""
    given = sent().get("once", "")
    try:
        audit.read_token(given)
    except NotAccepted:
        return secrets.token_hex(12)
    return given


Sure = Annotated[Literal["yes"], Says("entry.sure", Text("Tick the box first: this cannot be undone."))]
"""The tick without which nobody leaves an event."""


class ReasonForm(Form):
    """The reason for the audit trail."""

    reason: Typed = Field("", title=N_("Why; everybody in the club can read it"))


HOURS = {"form.moment": "until", "round.until": "until", "round.at_moment": "at", "round.at": "at"}
"""The fields of forms that name when a round is published and ends, by the code of their error."""


class PressForm(Form):
    """The buttons of a page that a mail leads to; `later` changes nothing."""

    answer: Annotated[Literal["accept", "decline", "later"], NO_ANSWER]


class AnswerForm(Form):
    """The two buttons of a page opened from a link in a mail."""

    answer: Annotated[Literal["accept", "decline"], NO_ANSWER]


def end_of_day(day: date | None, zone: str) -> datetime | None:
    """Return the last moment of a day in a zone; None without a day.

    Raises NotAccepted for the last days of the calendar.
    """
    if day is None:
        return None
    try:
        return datetime.combine(day, time(23, 59, 59), zones.zone_of(zone)).astimezone(UTC)
    except OverflowError:
        raise NotAccepted("form.day", Text("“{given}” is not a date such as 2026-12-24.", given=str(day))) from None


def read_moment(given: str, zone: str, *, code: str = "form.moment") -> datetime | None:
    """Read a date with an hour as browsers send it; None for an empty field.

    It is in this zone (UTC if that is unknown, as on the page). Raises NotAccepted; `code` tells the fields of a form
    apart.
    """
    if not given.strip():
        return None
    read = read_date(given)
    there = datetime.min if read is None or read[1] is None else datetime.combine(read[0], read[1])
    if not 2000 < there.year < 9000:
        why = Text("“{given}” is not a date with an hour such as 2026-12-24 20:00.", given=given[:40])
        raise NotAccepted(code, why)
    return there.replace(tzinfo=zones.known(zone) or UTC).astimezone(UTC)


def moment_of(at: datetime | None, zone: str) -> str:
    """Return a moment as a form field has it."""
    return "" if at is None else at.astimezone(zones.zone_of(zone)).strftime("%Y-%m-%dT%H:%M")
