"""The bars on each page of a club and of an event: where one is, and how many things need a hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from flask import request, url_for
from sqlmodel import Session, col

from app.leagues.clubs import club_rights, joining
from app.leagues.events import lifecycle
from app.leagues.pages.clubs.public import blueprint
from app.leagues.rulings.opening import WAITING
from app.leagues.tables import (
    Club,
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Division,
    Role,
    RoundStatus,
    Ruling,
)
from app.web import visit
from app.web.reader import server
from engine.kernel.text import N_

Tab = tuple[str, str, int, bool]
"""An address, its name, how many things need a hand there, and whether the reader is there."""
WEEK, MEMBERS, EVENTS, NEWS = N_("Week"), N_("Members"), N_("Events"), N_("News")
TABLE, ROUNDS, PLAYERS, RUN = N_("Table"), N_("Rounds"), N_("Players"), N_("Run it")
AT_PLAYERS = ("/enter", "/divisions", "/withdraw", "/late", "/computer")
"""Pages of an event that are reached from that of its players."""


@blueprint.app_context_processor
def _bars() -> dict[str, Callable[..., Any]]:
    return {"bars": bars}


def bars(club: Club, event: Competition | None = None) -> list[tuple[str, list[Tab]]]:
    """Return the bars of a club and of one of its events, each with its label, read in one transaction."""
    with server().database.read() as session:
        found = [(club.name, _club_bar(session, club))]
        if event is not None:
            found.append((event.name, _event_bar(session, event)))
    return [(label, tabs) for label, tabs in found if tabs]


def _club_bar(session: Session, club: Club) -> list[Tab]:
    """Return the tabs of a club for its members; none for others."""
    me, path = visit.person(), request.path
    role = None if me is None else club_rights.role_of(session, club.id, me.id)
    if role is None:
        return []
    runs = club_rights.may(role, Role.DEPUTY)
    asking = joining.how_many(session, club.id) if club_rights.may(role, joining.NEEDED) else 0
    waiting = _waiting(session, lifecycle.of_club(club.id)) if runs else 0
    home = url_for("clubs.club_page", slug=club.slug)
    places = [
        *([(url_for("clubs.week_page", slug=club.slug), WEEK, waiting)] if runs else []),
        (url_for("clubs.members_page", slug=club.slug), MEMBERS, asking),
        (home, EVENTS, 0),
        (url_for("clubs.news_page", slug=club.slug), NEWS, 0),
    ]
    here = next((one for one in (p for p, _, _ in places) if one != home and path.startswith(one)), home)
    return [(address, name, number, address == here) for address, name, number in places]


def _event_bar(session: Session, event: Competition) -> list[Tab]:
    """Return the tabs of an event: what everybody sees of it, and for those who run it their pages."""
    me, page = visit.person(), url_for("events.event_page", event_id=event.id)
    runs = club_rights.may(club_rights.role_in(session, event, me.id if me else None), Role.DEPUTY)
    waiting = _waiting(session, col(Competition.id) == event.id) if runs else 0
    players = url_for("events.players_page", event_id=event.id) if runs else f"{page}#players"
    rounds = [] if event.started_at is None or event.boards else [(f"{page}#rounds", ROUNDS, 0)]
    places = [(page, TABLE, 0), *rounds, (players, PLAYERS, 0)]
    if runs:
        places.append((url_for("events.manage_page", event_id=event.id), RUN, waiting))
    path = request.path
    if runs and path not in (page, players):
        around = players if path.removeprefix(page).startswith(AT_PLAYERS) else places[-1][0]
        path = f"{page}#rounds" if "/rounds/" in path else around
    return [(address, name, number, address == path) for address, name, number in places]


def _waiting(session: Session, which: sa.ColumnElement[bool]) -> int:
    """Return how many rulings wait to be decided and drafts to be published in these events."""
    running = sa.select(col(Competition.id)).where(which, col(Competition.status) == CompetitionStatus.RUNNING)
    divisions = sa.select(col(Division.id)).where(col(Division.event_id).in_(running))
    rulings = (
        sa.select(sa.func.count())
        .select_from(Ruling)
        .where(col(Ruling.event_id).in_(running), col(Ruling.status).in_(WAITING))
    )
    drafts = (
        sa.select(sa.func.count())
        .select_from(CompetitionRound)
        .where(
            col(CompetitionRound.division_id).in_(divisions),
            col(CompetitionRound.status) == RoundStatus.DRAFT,
            col(CompetitionRound.publish_at).is_(None),
        )
    )
    return int(session.scalar(sa.select(rulings.scalar_subquery() + drafts.scalar_subquery())) or 0)
