"""What the mails about an event or a club have in common: a reader, the event or club, and that none goes out when one
of them is gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from app.base.links import Links
from app.base.stored.mail_tables import MailGroup
from app.base.words.speech import Voice
from app.leagues.clubs import club_rights
from app.leagues.events import lifecycle, round_rows
from app.leagues.tables import (
    Club,
    Competition,
    CompetitionMessage,
    CompetitionRound,
    Match,
    ReserveCall,
    Role,
    Ruling,
)
from app.people.tables import Player
from app.post.letters.message import WrittenMail
from app.post.letters.writing import CanWait, QueuedMail, always, finish, mail, reader_of
from app.time import pending
from app.time.pace_words import pace_in_words

ROWS: dict[str, type[CompetitionRound | ReserveCall | Ruling | CompetitionMessage]] = {
    "round": CompetitionRound,
    "call": ReserveCall,
    "ruling": Ruling,
    "message": CompetitionMessage,
}
"""The rows of an event that a mail can be about, by the key of its details; others name the event itself."""


@dataclass(frozen=True, slots=True)
class Told:
    """A mail to a reader who is there."""

    session: Session
    links: Links
    mail: QueuedMail
    reader: Player
    voice: Voice
    """The reader's, about the title of the event."""

    @property
    def given(self) -> dict[str, Any]:
        """What was planned with the mail."""
        return self.mail.details

    def signed(self, path: str, purpose: str, *numbers: str | int) -> str:
        """Return the address of a page that this reader may open without signing in."""
        return f"{self.links.base_url}/{path}/{self.links.sign(purpose, [*numbers, self.reader.id])}"

    def who(self, player_id: int | None) -> str:
        """Return a player's name; an erased account has none."""
        name = self.session.scalar(select(col(Player.name)).where(col(Player.id) == player_id))
        return self.voice.person(name)


@dataclass(frozen=True, slots=True)
class ClubMail(Told):
    """A mail about a club that is there."""

    club: Club

    @property
    def page(self) -> str:
        """The address of the club."""
        return f"{self.links.base_url}/clubs/{self.club.slug}"


@dataclass(frozen=True, slots=True)
class EventMail(Told):
    """A mail about an event that is there."""

    event: Competition

    @property
    def page(self) -> str:
        """The address of the event."""
        return f"{self.links.base_url}/events/{self.event.id}"

    @property
    def title(self) -> str:
        """The name of the title that is played."""
        return self.voice.gettext(self.event.title.name)

    @property
    def asked_link(self) -> str:
        """Where one press answers what the mail asks about the event."""
        return self.signed(f"asked/{self.mail.kind}", self.mail.kind, self.event.id)

    def may(self, role: Role) -> bool:
        """Whether the reader has this role in the club of the event."""
        return club_rights.may(club_rights.role_in(self.session, self.event, self.reader.id), role)

    def division(self, division_id: int | None) -> str:
        """Return the name of a division; empty in an event that is not divided."""
        divided = len(self.event.divisions) > 1 and division_id is not None
        return self.event.division(division_id).name if divided else ""

    @property
    def pace(self) -> str:
        """The pace of the event in words, with the name of its calendar."""
        calendar = pending.name_of_calendar(self.session, self.event.calendar_id)
        return pace_in_words(self.voice, self.event.pace, calendar)

    @property
    def presented(self) -> dict[str, Any]:
        """What a mail that presents the event says about it."""
        club = club_rights.get(self.session, self.event.club_id)
        return {"club": club.name, "season": self.event.season, "title": self.title, "pace": self.pace}

    def match(self, match_id: int) -> tuple[CompetitionRound, Match] | None:
        """Return a match and its round; None if it has been seated again since."""
        match = self.session.get(Match, match_id)
        if match is None:
            return None
        round = round_rows.get(self.session, match.round_id)
        return round, next(one for one in round.matches if one.id == match_id)

    def finished(self, context: dict[str, Any], *, news: bool, name: str = "") -> WrittenMail:
        """Return the mail with what its template (`name`, else that of its kind) needs to know beside the event. News
        can be switched off by its reader."""
        about = {"event": self.event.name, "link": self.page}
        group = "news" if news else None
        return finish(name or self.mail.kind, about | context, self.reader, self.links, self.mail, group=group)


Tells = Callable[[EventMail], "dict[str, Any] | WrittenMail | None"]
"""Returns what the template of a mail needs, or None if the mail is obsolete."""


def about_event(session: Session, links: Links, mail: QueuedMail) -> EventMail | None:
    """Return a mail with its reader and its event; None if one no longer exists."""
    reader, event_id = reader_of(session, mail), mail.details.get("event")
    for key, model in ROWS.items():
        if event_id is None and key in mail.details:
            event_id = session.scalar(select(col(model.event_id)).where(col(model.id) == mail.details[key]))
    if reader is None or event_id is None:
        return None
    try:
        event = lifecycle.get(session, event_id)
    except lifecycle.NoSuchCompetition:
        return None
    return EventMail(session, links, mail, reader, Voice(reader.language, reader.zone, event.title), event)


def event_mail(
    kind: str,
    *,
    words: str,
    group: MailGroup = MailGroup.TURN,
    waits: CanWait = always,
    news: bool = False,
    template: str = "",
) -> Callable[[Tells], Tells]:
    """Declare a kind of mail about an event, as `mail` does, by the function that tells what is in it; `news` does not
    go to readers who want none. `template` is the name of its template if it is not the kind."""

    def declare(tells: Tells) -> Tells:
        @mail(kind, words=words, group=group, waits=waits)
        def write(session: Session, links: Links, queued: QueuedMail) -> WrittenMail | None:
            told = about_event(session, links, queued)
            if told is None or (news and not queued.is_wanted(told.reader)):
                return None
            context = tells(told)
            return told.finished(context, news=news, name=template) if isinstance(context, dict) else context

        return tells

    return declare


TellsOfClub = Callable[[ClubMail], "dict[str, Any] | None"]


def club_mail(kind: str, *, words: str, news: bool = False) -> Callable[[TellsOfClub], TellsOfClub]:
    """Declare a kind of mail about the club of its details, as `event_mail` does."""

    def declare(tells: TellsOfClub) -> TellsOfClub:
        @mail(kind, words=words)
        def write(session: Session, links: Links, queued: QueuedMail) -> WrittenMail | None:
            reader, club = reader_of(session, queued), session.get(Club, queued.details["club"])
            if reader is None or club is None or (news and not queued.is_wanted(reader)):
                return None
            told = ClubMail(session, links, queued, reader, Voice(reader.language, reader.zone), club)
            about = tells(told)
            if about is None:
                return None
            context = {"club": club.name, "link": told.page} | about
            return finish(kind, context, reader, links, queued, group="news" if news else None)

        return tells

    return declare
