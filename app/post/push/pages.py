"""The page of a player's devices: which are told, of what, and what this one keeps for when there is no network."""

from __future__ import annotations

from flask import Blueprint, Response

from app.people import accounts
from app.people.accounts import MAIL_GROUPS
from app.people.pages import device_of_request
from app.people.push_tables import PushDevice
from app.post.push import devices
from app.web import pocket, visit
from app.web.forms import Field, Form, Tick, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_

blueprint = Blueprint("devices", __name__)


class DeviceForm(Form):
    """What the browser gives when it may be told (`pocket.js`)."""

    endpoint: Typed = ""
    public_key: Typed = ""
    auth: Typed = ""
    server_key: Typed = ""


class ToldForm(Form):
    """What the devices are told; the same groups as of mails."""

    turns: Tick = Field(title=N_("when it is my turn, when my deadline moves, and when a game is over"))
    reminders: Tick = Field(title=N_("reminders before a deadline"))
    news: Tick = Field(title=N_("invitations and news of my tables"))


class KeptForm(Form):
    """What this browser keeps."""

    pages: Tick = Field(title=N_("Keep the turn pages that I have seen here, until I have moved or sign out"))


@blueprint.get("/account/devices")
def page() -> Response:
    """Show the devices, what they are told, and how to add this one."""
    from app.post.push.sealing import ServerKeys  # noqa: PLC0415  most servers have no device, and save its 5 MB

    me = visit.need_person()
    with server().database.read() as session:
        mine = devices.of_player(session, me.id)
        wanted = devices.wanted(session, me.id)
    shown = visit.show(
        "post/devices.html",
        devices=mine,
        told=ToldForm.shown(**wanted),
        kept=KeptForm.shown(pages=pocket.keeps_turns()),
        server_key=ServerKeys(server().config.secret_keys).newest,
        can_add=pocket.is_possible() and all(device.sign_in_id != me.sign_in for device in mine),
        host=server().config.host,
    )
    return pocket.with_worker(shown)


@blueprint.post("/account/devices")
@answers(DeviceForm, again=page, where="device")
def add(form: DeviceForm) -> Response:
    """Tell this device from now on."""
    me, name = visit.need_person(), device_of_request()[:120]
    given = PushDevice(player_id=me.id, sign_in_id=me.sign_in, **form.model_dump(), name=name, made_at=visit.now())
    devices.add(server().database, server().config, given)
    return on_to(".page", "device-told")


@blueprint.post("/account/devices/told")
@answers(ToldForm, again=page, where="told")
def settle(form: ToldForm) -> Response:
    """Store what the devices are told."""
    wanted = {f"push_{group}": getattr(form, group) for group in MAIL_GROUPS}
    accounts.keep(server().database, visit.need_person().id, **wanted)
    return on_to(".page", "saved")


@blueprint.post("/account/devices/kept")
@answers(KeptForm, again=page, where="kept")
def keep(form: KeptForm) -> Response:
    """Let this browser keep turn pages, or no longer."""
    visit.need_person()
    return pocket.keep_turns(on_to(".page", "saved"), form.pages)


@blueprint.post("/account/devices/<number:device_id>/remove")
@answers(again=page)
def remove(device_id: int) -> Response:
    """Tell a device nothing any more."""
    devices.remove(server().database, visit.need_person().id, device_id, visit.now())
    return on_to(".page", "removed")
