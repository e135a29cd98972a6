"""Pages of the account: the player's data as one file, erasing it, and people to block or mute."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint, Response

from app.account import export, my_data
from app.base.links import BadLink
from app.base.words.refusals import LinkExpired, NotAccepted
from app.people import accounts, blocks
from app.people.tables import Player
from app.web import visit
from app.web.forms import Count, Field, Form, LocalPath, Says, Tick, answers, on_to
from app.web.gates.csrf import by_link
from app.web.local_mailbox import has_mailbox
from app.web.reader import server
from engine.kernel.text import N_, Text

blueprint = Blueprint("my_data", __name__)


class ProfileForm(Form):
    """Whether everybody may see the profile."""

    public: Tick = Field(title=N_("everybody may see my profile"))


# -- the file -----------------------------------------------------------------------------------------


@blueprint.get("/account/data")
def data() -> Response:
    """Show what is kept, the button for the file, whether the profile is public, and how to erase everything."""
    me = visit.need_person()
    with server().database.read() as session:
        leaving = my_data.leaving(session, me.id)
        form = ProfileForm.shown(public=session.get_one(Player, me.id).profile_is_public)
    return visit.show("account/data.html", leaving=leaving, games=_named(leaving), form=form)


def _named(leaving: my_data.Erasure) -> list[tuple[int, str]]:
    """Number and words of the games that would be resigned."""
    voice, me = visit.voice(), visit.person()
    named = []
    for game in leaving.games:
        about = voice.about(game.title)
        others = [about.who(seated) for seated in game.seats if me is None or seated.player_id != me.id]
        named.append((game.id, f"{voice.gettext(game.title.name)} · {voice.join(others)}"))
    return named


@blueprint.post("/account/data")
@answers(again=data, where="file")
def file() -> Response:
    """Send everything as one file."""
    packed = export.export(server().database, visit.need_person().id, now=visit.now())
    response = Response(packed, mimetype="application/zip")
    response.headers["Content-Disposition"] = 'attachment; filename="post-road-my-data.zip"'
    return response


@blueprint.post("/account/data/profile")
@answers(ProfileForm, again=data, where="profile")
def profile(form: ProfileForm) -> Response:
    """Show the profile to everybody, or to nobody."""
    accounts.keep(server().database, visit.need_person().id, profile_is_public=form.public)
    return on_to(".data", "saved")


# -- erasing ------------------------------------------------------------------------------------------


@blueprint.post("/account/erase")
@answers(again=data, where="erase")
def ask() -> Response:
    """Mail the link that erases the account."""
    me = visit.need_person()
    my_data.ask_to_erase(server().database, me.id, now=visit.now())
    return visit.show("account/erase_asked.html", address=me.address, mailbox=has_mailbox())


class EraseForm(Form):
    """Confirms that the account is to be erased."""

    sure: Tick = Field(title=N_("I want this, and I know that it cannot be taken back"))

    def need(self) -> None:
        """NotAccepted without the tick."""
        if not self.sure:
            raise NotAccepted("erase.sure", Text("Tick that you want this: it cannot be taken back."))


def _of_link(token: str) -> int:
    """Return whose account a link erases; LinkExpired if it is too old or not ours."""
    try:
        player_id, until = server().links.read_asked("erase", token)
    except BadLink:
        raise my_data.Gone from None
    visit.follow(player_id)
    if visit.now().timestamp() > until:
        raise LinkExpired("erase.late", Text("This link is too old; ask for another one on your account page."))
    return player_id


@blueprint.get("/erase/<token>")
def confirm(token: str) -> Response:
    """Show what will be erased, and a button: opening a link must not erase anything."""
    player_id = _of_link(token)
    with server().database.read() as session:
        leaving = my_data.leaving(session, player_id)
        name = session.get_one(Player, player_id).name
    return visit.show("account/erase.html", link=token, leaving=leaving, who=name, form=EraseForm.shown())


@blueprint.post("/erase/<token>")
@by_link
@answers(EraseForm, again=confirm)
def erase(form: EraseForm, token: str) -> Response:
    """Erase the account: the link is the authorisation."""
    voice, player_id = visit.voice(), _of_link(token)
    form.need()
    my_data.erase(server().database, player_id, now=visit.now())
    visit.nobody()
    text = voice.gettext("Your account is erased. Thank you for the games.")
    return visit.forget(visit.message(200, voice.gettext("Done"), text, voice=voice))


# -- people -------------------------------------------------------------------------------------------


class PersonForm(Form):
    """Whether a person is blocked or muted, and the page to return to."""

    player: Annotated[int, Count(), Says("player.unknown", Text("There is no such player."))]
    block: Tick
    mute: Tick
    then: LocalPath | None = None


@blueprint.get("/account/people")
def met() -> Response:
    """Show the people of the player's games and tables, and which are blocked or muted."""
    me = visit.need_person()
    with server().database.read() as session:
        people = blocks.met(session, me.id)
    return visit.show("account/met.html", people=people)


@blueprint.post("/account/people")
@answers(PersonForm, again=met)
def settle(form: PersonForm) -> Response:
    """Block or mute a person, or stop doing so."""
    kinds = [kind for kind in blocks.KINDS if getattr(form, kind)]
    blocks.settle(server().database, visit.need_person().id, form.player, kinds, now=visit.now())
    back = on_to(".met", "saved")
    if form.then:
        back.location = form.then
    return back
