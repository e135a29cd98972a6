"""The page of a player's webhooks."""

from __future__ import annotations

from typing import ClassVar
from urllib.parse import urlsplit

from flask import Blueprint, Response

from app.base.words.numbers import whole
from app.base.words.speech import Voice
from app.people.tables import DeliveryState, WebhookDelivery
from app.post.webhooks import settings
from app.web import visit
from app.web.forms import Field, Form, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_

blueprint = Blueprint("hooks", __name__)

KIND_NAMES = {"json": N_("JSON, signed"), "discord": "Discord", "slack": "Slack"}
_WHY = {
    "host": N_("the host is not known"),
    "private": N_("the host is in a private network"),
    "connect": N_("no connection"),
    "tls": N_("no trusted encryption"),
    "timeout": N_("no answer in time"),
    "answer": N_("the answer is not HTTP"),
}


class HookForm(Form):
    """The data for a new webhook; the service judges it."""

    marks: ClassVar = {"hook": "url", "hook.many": ""}

    url: Typed = Field(
        "",
        title=N_("Address"),
        description=N_("It has to begin with https:// and be reachable from the internet."),
    )


@blueprint.get("/account/webhooks")
def page() -> Response:
    """Show the webhooks, how the newest call went, and a form for another one."""
    me = visit.need_person()
    voice = visit.voice()
    with server().database.read() as session:
        mine = settings.of_player(session, me.id)
    shown = [(hook, short(hook.url), state(last, voice)) for hook, last in mine]
    return visit.show(
        "post/webhooks.html",
        hooks=shown,
        kind_names=KIND_NAMES,
        form=HookForm.shown(),
        can_add=len(mine) < settings.MOST,
    )


def short(url: str) -> str:
    """Return host and end: the whole address of a channel is a secret, and others may see the page."""
    end = url[-6:] if len(url) > 40 else urlsplit(url).path
    return f"{urlsplit(url).hostname}…{end}" if len(url) > 40 else f"{urlsplit(url).netloc}{end}"


def state(last: WebhookDelivery | None, voice: Voice) -> str:
    if last is None:
        return voice.gettext("not called yet")
    when = voice.moment(last.sent_at or last.made_at)
    if last.state == DeliveryState.SENT:
        return voice.gettext("called {moment}", moment=when)
    if last.last_error is None:
        return voice.gettext("not needed any more, {moment}", moment=when)
    why = voice.gettext(_WHY[last.last_error]) if last.last_error in _WHY else _status(last.last_error, voice)
    return voice.gettext("failed: {why}, {moment}", why=why, moment=when)


def _status(code: str, voice: Voice) -> str:
    number = whole(code.removeprefix("status "))
    return voice.gettext("an error") if number is None else voice.gettext("the answer was {status}", status=str(number))


@blueprint.post("/account/webhooks")
@answers(HookForm, again=page)
def add(form: HookForm) -> Response:
    """Add a webhook."""
    me, private = visit.need_person(), server().config.webhook_private
    settings.add(server().database, me.id, form.url, private=private, now=visit.now())
    return on_to(".page", "saved")


@blueprint.post("/account/webhooks/<number:hook_id>/<any(try, on, remove):act>")
@answers(again=page)
def change(hook_id: int, act: str) -> Response:
    """Make a test call, or switch a webhook on again, or remove it."""
    mine = server().database, visit.need_person().id, hook_id
    if act == "try":
        settings.try_out(*mine, now=visit.now())
    elif act == "on":
        settings.switch_on(*mine)
    else:
        settings.remove(*mine)
    return on_to(".page", {"try": "called", "on": "saved", "remove": "removed"}[act])
