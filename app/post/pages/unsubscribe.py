"""Stopping a group of mails with one click in the mail program (RFC 8058), and resuming those about turns, without a
login."""

from __future__ import annotations

from typing import Literal

from flask import Blueprint, Response

from app.base.words.refusals import NotAccepted
from app.people import accounts, unasked
from app.people.accounts import DIGEST
from app.people.tables import Player
from app.time.reminding import digest
from app.web import errors, visit
from app.web.forms import Field, Form, SureForm, Typed, answers
from app.web.gates.csrf import by_link
from app.web.reader import page, server, without_turns
from engine.kernel.text import N_, Text

blueprint = Blueprint("unsubscribe", __name__)

STOPS = {
    "turns": N_("These mails stop: that it is your turn, that a game is over, that you were given time."),
    "reminders": N_("These mails stop: reminders, and what follows when your time is over."),
    "news": N_("These mails stop: what happens around your games, such as late opponents, leave and invitations."),
    DIGEST: N_("These mails stop: the one with all games that wait for you, at your hours."),
}
"""What stopping each group of mails means."""
BEGINS = N_(
    "Each day at {hour}:00 one mail names all games that wait for you, as long as there are any. The hours stand on"
    " your account page."
)


@blueprint.get("/unsubscribe/<token>")
def ask(token: str) -> Response:
    """Show a choice: a program that opens links and presses buttons must not stop anything."""
    player_id, group = server().links.read_unsubscribe(token)
    visit.follow(player_id)
    voice = visit.voice()
    stops = voice.gettext(STOPS[group]) if group in STOPS else ""
    return page("post/unsubscribe.html", voice, token=token, group=group, stops=stops, error=_refused())


class StopForm(Form):
    """What a person chooses, or what a mail program says in one click (RFC 8058, 3.1)."""

    do: Literal["stop", "digest", ""] = ""
    one_click: Typed = Field("", alias="List-Unsubscribe")


@blueprint.post("/unsubscribe/<token>")
@by_link
@answers(StopForm, again=ask)
def stop(form: StopForm, token: str) -> Response:
    """Stop the mails. The answer says what that does not stop: the clocks."""
    if form.do == "digest":
        return _one_a_day(token)
    if form.do != "stop" and form.one_click != "One-Click":
        raise NotAccepted("mails.choice", Text("Nothing has been stopped yet: choose, and press the button again."))
    return _stopped(token)


def _stopped(token: str) -> Response:
    player_id, group = server().links.read_unsubscribe(token)
    with server().database.write() as session:
        accounts.stop_mails(session, player_id, group)
        unasked.refused(session, player_id, visit.now())
        is_stranger = group == "news" and session.get_one(Player, player_id).acted_at is None
    visit.follow(player_id)
    again = without_turns(player_id, wants=group != "turns" and not is_stranger)
    return page("post/unsubscribed.html", visit.voice(), again=again, token=token, is_stranger=is_stranger)


def _one_a_day(token: str) -> Response:
    """Send one mail a day with all waiting games, instead of one for each turn."""
    player_id, _ = server().links.read_unsubscribe(token)
    visit.follow(player_id)
    with server().database.write() as session:
        accounts.want_turns(session, player_id)
        digest.settle(session, player_id, str(digest.USUAL_HOUR), True, visit.now())
    voice = visit.voice()
    return errors.page(200, voice, voice.gettext("Done"), voice.gettext(BEGINS, hour=digest.USUAL_HOUR))


@blueprint.get("/mails-again/<token>")
def ask_again(token: str) -> Response:
    """Show a box to tick, as above."""
    visit.follow(server().links.read_turns_again(token))
    return page("post/mails_again.html", visit.voice(), token=token, error=_refused())


def _refused() -> str:
    no = visit.refused()
    return "" if no is None else no.said


@blueprint.post("/mails-again/<token>")
@by_link
@answers(SureForm, again=ask_again)
def begin_again(form: SureForm, token: str) -> Response:
    """Resume mails about turns."""
    player_id = server().links.read_turns_again(token)
    with server().database.write() as session:
        accounts.want_turns(session, player_id)
    visit.follow(player_id)
    voice = visit.voice()
    message = voice.gettext("From now on a mail comes again when it is your turn.")
    return errors.page(200, voice, voice.gettext("Done"), message)
