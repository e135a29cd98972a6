"""What a club remembers: winners and tables, and a player's card over the seasons."""

from __future__ import annotations

from flask import Response

from app.account import archive
from app.base.words.refusals import NoSuch
from app.base.words.speech import Voice
from app.games.rating_tables import RatingSystem
from app.leagues.clubs import club_rights
from app.leagues.pages.clubs.public import acting_at, blueprint, reading_club
from app.leagues.results import event_ratings, records
from app.leagues.results.records import FinalPlace
from app.leagues.seasons import earlier
from app.leagues.tables import Role
from app.titles.registry import TITLES
from app.web import visit
from app.web.forms import Form, Typed, answers, on_to

LAST_TROPHY = 3
"""Places up to this one earn a trophy, if another player finished behind."""


@blueprint.get("/clubs/<slug>/history")
def history_page(slug: str) -> Response:
    """Who won what, who has come first most often, and the tables of seasons that were played elsewhere."""
    with reading_club(slug, None) as (session, club, role):
        seasons = earlier.tables_of(session, club.id)
        winners, titles = records.memory_of(session, club.id)
    return visit.show(
        "leagues/clubs/history.html",
        club=club,
        seasons=seasons,
        winners=winners,
        titles=titles,
        may_run=club_rights.may(role, Role.ORGANISER),
        who=visit.voice().person,
    )


@blueprint.get("/clubs/<slug>/ratings")
def ratings_page(slug: str) -> Response:
    """The ratings of the members, best first, with what the newest games of the club have changed."""
    voice = visit.voice()
    with reading_club(slug, None) as (session, club, _):
        found = event_ratings.of_club(session, club.id)
        people = [one.player_id for _, _, rows, _ in found for one in rows]
        names = records.names_of(session, people + [one.player_id for _, _, _, new in found for one in new])
    return visit.show(
        "leagues/clubs/ratings.html",
        club=club,
        lists=[
            (_game(voice, title), system == RatingSystem.OPENSKILL, rows, changes)
            for title, system, rows, changes in found
        ],
        names=names,
        who=voice.person,
    )


@blueprint.get("/clubs/<slug>/players/<number:player_id>")
def card_page(slug: str, player_id: int) -> Response:
    """A player's card: titles, and places over the seasons."""
    with reading_club(slug, None) as (session, club, _):
        places: list[FinalPlace] = [one for one in records.finished(session, club.id) if one.player_id == player_id]
        names = records.names_of(session, [player_id])
        has_profile = archive.player(session, player_id) is not None
    if player_id not in names or not places:
        raise NoSuch(str(player_id))
    return visit.show(
        "leagues/clubs/card.html",
        club=club,
        whose=names[player_id],
        whose_id=player_id,
        has_profile=has_profile,
        places=places,
        trophies=sorted(
            (one for one in places if one.place <= LAST_TROPHY and one.place < one.of), key=lambda one: one.place
        ),
        won=sum(one.place == 1 for one in places),
    )


def _game(voice: Voice, title_id: str) -> str:
    return voice.gettext(TITLES[title_id].name) if title_id in TITLES else title_id


class SeasonForm(Form):
    """A season whose tables are to be taken out."""

    season: Typed


@blueprint.post("/clubs/<slug>/history/forget")
@answers(SeasonForm, again=history_page)
def forget_season(form: SeasonForm, slug: str) -> Response:
    """Take the tables of a season out that was played elsewhere."""
    earlier.forget_season(*acting_at(slug), form.season, now=visit.now())
    return on_to(".history_page", "removed", slug=slug)
