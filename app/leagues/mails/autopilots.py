"""The mails of the autopilot to organisers: an event waits for them, a draft goes out by itself, or its finals no
longer follow from its groups.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.base.words.speech import Voice
from app.leagues.desk import autopilot, people, week
from app.leagues.events import entries
from app.leagues.mails.of_events import EventMail, event_mail
from app.leagues.rounds import finals
from app.leagues.tables import Competition, Role
from engine.kernel.text import N_, Text


@event_mail("event_asks", words=N_("a mail about an event that waits for its organisers"))
def _event_asks(told: EventMail) -> dict[str, Any] | None:
    """Say what organisers must do before the event goes on; None once it is done or if the reader no longer runs the
    event.
    """
    event, given = told.event, told.given
    if not told.may(Role.DEPUTY):
        return None
    if given["act"] == finals.FINALS:
        behind = finals.behind(told.session, event)
        why = None if behind is None else finals.in_words(told.session, event, behind)
        return None if behind is None else _waits(told, finals.FINALS, "manage", 0, why)
    key = given["act"], given["division"], given["number"], given["version"]
    acts = autopilot.next_acts(told.session, event) if autopilot.runs_itself(event) else []
    found = next((act for act in acts if act.key == key), None)
    if found is None:
        return None
    page = found.round.place if found.kind == week.PUBLISH and found.round is not None else "manage"
    return _waits(told, found.kind, page, found.number, found.why)


def _waits(told: EventMail, act: str, page: str, number: int, why: Text | None) -> dict[str, Any]:
    return {"voice": told.voice, "act": act, "link": f"{told.page}/{page}", "number": number, "why": why}


@event_mail("event_draft", words=N_("a mail about a round that will be published"))
def _event_draft(told: EventMail) -> dict[str, Any] | None:
    """Show organisers the pairings that go out by themselves, with the hour, while they can still be held."""
    which = {(round, version) for round, version in told.given["rounds"]}
    assert told.mail.handed_over_at is not None
    drafts = drafts_in_words(told.session, told.event, told.voice, told.mail.handed_over_at, which)
    if not drafts or not told.may(Role.DEPUTY):
        return None
    page = f"{told.page}/{drafts[0]['place']}"
    silent = any(one["silent"] for one in drafts)
    hold = f"{told.asked_link}?answer=no"
    return {"at": min(one["at"] for one in drafts), "drafts": drafts, "link": hold, "page": page if silent else ""}


def drafts_in_words(
    session: Session,
    event: Competition,
    voice: Voice,
    now: datetime,
    which: Collection[tuple[int, int]] | None = None,
) -> list[dict[str, Any]]:
    """Return the drafts of an event that go out by themselves, or only those of these rounds and versions: `head`,
    `pairs`, the hour, who in it is silent, and who is left out because of that."""
    names = {one.id: voice.person(one.name) for one in entries.entrants(session, event.id)}
    found = []
    for act in autopilot.waiting_drafts(session, event):
        draft = act.round
        if draft is None or (which is not None and (draft.id, draft.version) not in which):
            continue
        at = voice.moment(act.at) if act.at else ""
        head = voice.gettext("Round {n}, published on {moment}", n=act.number, moment=at)
        once = [match for match in draft.matches if match.leg == 1]
        pairs = [" – ".join(names.get(seat.entry_id, "") for seat in match.seats) for match in once]
        silent = people.silent_before(session, event, draft.division_id, draft.number, now, draft)
        found.append(
            {
                "head": " · ".join(filter(None, (act.part, head))),
                "pairs": pairs,
                "at": act.at,
                "place": draft.place,
                "silent": people.named(voice, silent, now),
                "out": people.named(voice, people.left_out(session, event, draft, now), now),
            }
        )
    return found
