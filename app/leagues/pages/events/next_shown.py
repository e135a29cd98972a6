"""What an event with an autopilot does next, in words."""

from __future__ import annotations

from sqlmodel import Session

from app.leagues.desk import autopilot, week
from app.leagues.desk.week import EventTask
from app.leagues.tables import Competition
from engine.kernel.text import N_, Text

ACTS = {
    autopilot.OPEN: N_("Sign-up opens."),
    autopilot.REMIND: N_("Members who have not answered are asked again."),
    autopilot.CLOSE_SIGN_UP: N_("Sign-up closes."),
    autopilot.START: N_("The event starts."),
    autopilot.BEGIN_ALL: N_("All rounds begin at once."),
    week.EXTRA: N_("Deciding games of round {n} start."),
    week.CLOSE: N_("Round {n} is closed."),
    week.PAIR: N_("Round {n} is paired."),
    week.PUBLISH: N_("Round {n} is published."),
    autopilot.FINISH: N_("The event ends."),
}


def next_shown(session: Session, event: Competition) -> list[tuple[EventTask, Text]]:
    """Return the automatic steps an event does next, each with its sentence, also while it is paused; empty while it
    waits for its players."""
    return [(act, Text(ACTS[act.kind], n=act.number)) for act in autopilot.next_acts(session, event)]
