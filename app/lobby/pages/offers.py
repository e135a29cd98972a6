"""Standing offers: the player's own and what can be done with them, a form for another one, and others' offers."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint, Response, request

from app.base.words.refusals import NoSuch, NotAccepted
from app.lobby import offers
from app.lobby.pages import finding
from app.lobby.tables import StandingOffer
from app.time.pace_words import presets_in_words
from app.titles.registry import TITLES
from app.web import visit
from app.web.forms import Count, Field, Form, Tick, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_, Text

blueprint = Blueprint("offers", __name__)

Strength = Annotated[int, Count(100, 4000)]


class StandingOfferForm(Form):
    """What the player wants to play, how fast, against whom, and how many games."""

    players: Annotated[int, Count(2, 9)] = Field(2, title=N_("Players"))
    edition: Typed = Field("", title=N_("Edition of the rules"))
    pace: Typed = Field("", title=N_("Pace"))
    weakest: Strength | None = Field(None, title=N_("The others are at least this strong"))
    strongest: Strength | None = Field(None, title=N_("and at most this strong"))
    rated: Tick = Field(title=N_("rated: the games count for the ratings of casual play of all who play"))
    at_once: Annotated[int, Count(1, offers.MOST_AT_ONCE)] = Field(1, title=N_("Games at once, at most"))


@blueprint.get("/offers")
def index() -> Response:
    """Show others' offers, the player's own, and the form for the title that the address names."""
    asked = request.args.get("title", "")
    return _page(asked if asked in TITLES else next(iter(TITLES)))


def _page(title_id: str) -> Response:
    voice = visit.voice()
    with server().database.read() as session:
        me = visit.person(session)
        mine = offers.of_player(session, me.id) if me else []
        others = offers.listed(session, me.id if me else None)
    title, like = TITLES[title_id], finding.wanted()  # the address can ask for the same as an offer
    counts = range(title.least_seats, title.most_seats + 1)
    anything = ("", voice.gettext("any"))
    return visit.show(
        "lobby/offers.html",
        mine=[finding.about_offer(one, voice) for one in mine],
        others=[finding.about_offer(one, voice) for one in others],
        title=title,
        titles=[(one.id, voice.gettext(one.name)) for one in TITLES.values()],
        form=StandingOfferForm.shown(
            players=like.players if like.players in counts else title.least_seats,
            edition=like.edition,
            pace=like.pace,
            rated=like.rated is True,
        ),
        counts=[(str(n), str(n)) for n in counts],
        editions=[anything, *finding.editions(title.id, voice)],
        paces=[anything, *presets_in_words(voice)],
    )


def _again(title_id: str) -> Response:
    if title_id not in TITLES:
        raise NoSuch
    return _page(title_id)


@blueprint.post("/offers/<title_id>")
@answers(StandingOfferForm, again=_again)
def make(form: StandingOfferForm, title_id: str) -> Response:
    """Store an offer; it may become a game at once."""
    if title_id not in TITLES:
        raise NoSuch
    if form.edition not in ["", *(value for value, _ in finding.editions(title_id))]:
        raise NotAccepted("edition.unknown", Text("Choose an edition of the list."))
    terms = StandingOffer(
        player_id=visit.need_person().id,
        title=title_id,
        players=form.players,
        options=offers.options_of(TITLES[title_id], form.edition),
        pace=form.pace,
        weakest=form.weakest,
        strongest=form.strongest,
        is_rated=form.rated,
        at_once=form.at_once,
        since=visit.now(),
    )
    offers.make(server().database, terms)
    return on_to(".index", "offer-made")


@blueprint.post("/offers/<number:offer_id>/pause")
@answers(again=index)
def pause(offer_id: int) -> Response:
    """Pause an offer."""
    offers.pause(server().database, visit.need_person().id, offer_id, paused=True, now=visit.now())
    return on_to(".index", "saved")


@blueprint.post("/offers/<number:offer_id>/resume")
@answers(again=index)
def resume(offer_id: int) -> Response:
    """Resume an offer."""
    offers.pause(server().database, visit.need_person().id, offer_id, paused=False, now=visit.now())
    return on_to(".index", "saved")


@blueprint.post("/offers/<number:offer_id>/end")
@answers(again=index)
def end(offer_id: int) -> Response:
    """Delete an offer."""
    offers.end(server().database, visit.need_person().id, offer_id)
    return on_to(".index", "saved")
