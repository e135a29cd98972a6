"""The page of a player's webhooks."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from flask import Blueprint, Response, flash, redirect, request

from app.base.numbers import whole
from app.base.speech import Voice
from app.people import signin
from app.post.webhooks import settings
from app.web import session
from app.web.csrf import csrf
from app.web.reader import house
from engine.kernel.text import N_

blueprint = Blueprint("hooks", __name__)
csrf.exempt(blueprint)  # every form goes through `session.attempt`, which keeps what was typed

KIND_NAMES = {"json": N_("JSON, signed"), "discord": "Discord", "slack": "Slack"}
_WHY = {
    "host": N_("the host is not known"),
    "private": N_("the host is in a private network"),
    "connect": N_("no connection"),
    "tls": N_("no trusted encryption"),
    "timeout": N_("no answer in time"),
    "answer": N_("the answer is not HTTP"),
}


@blueprint.get("/account/webhooks")
def page() -> Response:
    """What there is, how the newest call went, and a form for another one."""
    return _page()


def _page(error: str = "", status: int = 200) -> Response:
    me = session.need_person()
    voice = session.voice()
    with house().database.read() as connection:
        mine = settings.of_player(connection, me.id)
    shown = [(hook, _short(hook.url), _state(hook, voice)) for hook in mine]
    kinds = [(kind, voice.gettext(name)) for kind, name in KIND_NAMES.items()]
    filled = {"kind": request.form.get("kind", ""), "url": request.form.get("url", "")}
    return session.show(
        "people/webhooks.html", status, hooks=shown, kinds=kinds, kind_names=dict(kinds), filled=filled, error=error,
        can_add=len(mine) < settings.MOST,
    )  # fmt: skip


def _short(url: str) -> str:
    """Host and end: the whole address of a channel is a secret, and the page may be seen by others."""
    end = url[-6:] if len(url) > 40 else urlsplit(url).path
    return f"{urlsplit(url).hostname}…{end}" if len(url) > 40 else f"{urlsplit(url).netloc}{end}"


def _state(hook: settings.Hook, voice: Voice) -> str:
    if hook.last_at is None:
        return voice.gettext("not called yet")
    when = voice.moment(hook.last_at)
    if hook.last_state == "sent":
        return voice.gettext("called {moment}", moment=when)
    if hook.last_error is None:
        return voice.gettext("not needed any more, {moment}", moment=when)
    why = voice.gettext(_WHY[hook.last_error]) if hook.last_error in _WHY else _status(hook.last_error, voice)
    return voice.gettext("failed: {why}, {moment}", why=why, moment=when)


def _status(code: str, voice: Voice) -> str:
    number = whole(code.removeprefix("status "))
    return voice.gettext("an error") if number is None else voice.gettext("the answer was {status}", status=str(number))


def _act(do: Callable[[signin.Person], object], said: str) -> Response:
    me = session.need_person()

    def act() -> Response:
        do(me)
        flash(said)
        return redirect("/account/webhooks", 303)  # type: ignore[return-value]

    return session.attempt(act, _page)


@blueprint.post("/account/webhooks")
def add() -> Response:
    """Another webhook."""
    kind, url = request.form.get("kind", ""), request.form.get("url", "")
    private = house().config.webhook_private
    return _act(
        lambda me: settings.add(house().database, me.id, kind, url, private=private, now=session.now()), "saved"
    )


@blueprint.post("/account/webhooks/<number:hook_id>/try")
def try_out(hook_id: int) -> Response:
    """A call that says that it works."""
    return _act(lambda me: settings.try_out(house().database, me.id, hook_id, now=session.now()), "called")


@blueprint.post("/account/webhooks/<number:hook_id>/on")
def switch_on(hook_id: int) -> Response:
    """Call it again."""
    return _act(lambda me: settings.switch_on(house().database, me.id, hook_id), "saved")


@blueprint.post("/account/webhooks/<number:hook_id>/remove")
def remove(hook_id: int) -> Response:
    """Take it away."""
    return _act(lambda me: settings.remove(house().database, me.id, hook_id), "removed")
