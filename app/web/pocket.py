"""Post Road on a home screen: the manifest, its icons, the worker, and which pages it may keep for when there is no
network.

The worker (`static/worker.js`) asks the network first, always. A page that it may keep says so in a header, with the
sentence that stands above it when there is no fresh one; it keeps nothing else, and nothing after a sign-out.
"""

from __future__ import annotations

import json
from email.utils import parseaddr
from functools import cache
from urllib.parse import quote

from flask import Blueprint, Response, abort, request

from app.base.words.speech import Voice
from app.web import reader
from app.web.pages import STATIC, static_address
from app.web.reader import WITH_SCRIPT, server, voice_of_request

blueprint = Blueprint("pocket", __name__)

KEEP, OFFLINE = "Postroad-Keep", "Postroad-Offline"
"""Headers: under which path the worker may keep a page, and what stands above it then."""
LIST = "/games"
TURNS_COOKIE = "postroad_turns"
"""Set in a browser that may keep turn pages."""
PAPER, DARK, WAX = "#fbf6ea", "#1d1a15", "#8c1d18"
A_DAY = 24 * 3600
_POLICY_OF_WORKER = "default-src 'none'; connect-src 'self'; img-src 'self'"


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """Say what is installed (W3C Web Application Manifest). Browsers fetch it without cookies, so its address names the
    language."""
    voice = voice_of_request()
    name = parseaddr(server().config.mail_from)[0] or "Post Road"
    said = {
        "id": "/",
        "name": name,
        "short_name": name[:12].strip() if len(name) > 12 else name,
        "description": voice.gettext("Board games by mail, a turn at a time."),
        "lang": voice.lang,
        "dir": "ltr",
        "start_url": LIST,
        "scope": "/",
        "display": "standalone",
        "background_color": PAPER,
        "theme_color": PAPER,
        "categories": ["games"],
        "icons": [
            {"src": static_address("seal.svg"), "sizes": "any", "type": "image/svg+xml", "purpose": "any"},
            *(_icon_entry(size, purpose) for size in (192, 512) for purpose in ("any", "maskable")),
        ],
        "shortcuts": [
            {"name": voice.gettext("Next game"), "url": "/games/next", "icons": [_icon_entry(192, "any")]},
            {"name": voice.gettext("My games"), "url": LIST, "icons": [_icon_entry(192, "any")]},
        ],
    }
    response = Response(json.dumps(said, ensure_ascii=False), mimetype="application/manifest+json")
    response.headers["Cache-Control"] = f"public, max-age={A_DAY}"
    return response


def _icon_entry(size: int, purpose: str) -> dict[str, str]:
    return {"src": f"/icons/{purpose}-{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}


# -- icons --------------------------------------------------------------------------------------------

SIZES = {"any": (192, 512), "maskable": (180, 192, 512), "sign": (96,)}


@blueprint.get("/icons/<purpose>-<number:size>.png")
def icon(purpose: str, size: int) -> Response:
    """Send our seal as PNG: alone, on paper to the edges (`maskable`), or its letter as a stencil (`sign`)."""
    if size not in SIZES.get(purpose, ()):
        abort(404)
    response = Response(_drawn(purpose, size), mimetype="image/png")
    response.headers["Cache-Control"] = f"public, max-age={A_DAY}"
    return response


@cache
def _drawn(purpose: str, size: int) -> bytes:
    import resvg_py  # noqa: PLC0415  three MiB: most processes never draw

    seal = (STATIC / "seal.svg").read_text(encoding="utf-8")
    if purpose == "maskable":  # what matters stays within the inner circle of 80 % (W3C manifest, "maskable")
        seal = seal.replace('viewBox="0 0 32 32">', f'viewBox="-8 -8 48 48"><path fill="{PAPER}" d="M-8-8h48v48H-8z"/>')
    elif purpose == "sign":
        seal = seal.replace(f'fill="{WAX}"', 'fill="none"')
    return bytes(resvg_py.svg_to_bytes(svg_string=seal, width=size, skip_system_fonts=True))


# -- the worker ---------------------------------------------------------------------------------------


@blueprint.get("/worker.js")
def worker() -> Response:
    """Send the worker, whose text changes with what it keeps of ours: browsers then take the new one."""
    response = Response(_worker(), mimetype="text/javascript")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Content-Security-Policy"] = _POLICY_OF_WORKER
    return response


@cache
def _worker() -> str:
    own = ["/offline", static_address("post.css"), static_address("seal.svg")]
    return f"const OWN = {json.dumps(own)};\n" + (STATIC / "worker.js").read_text(encoding="utf-8")


@blueprint.get("/offline")
def offline() -> Response:
    """The page for when there is no network and no page was kept; nobody's."""
    voice = voice_of_request()
    return reader.page("web/offline.html", voice)


# -- which pages are kept -----------------------------------------------------------------------------


def keep(response: Response, path: str, voice: Voice) -> None:
    """Let the worker keep a page under a path, until it fetches a newer one."""
    said = voice.gettext("No network: this page is as it was at {moment}.", moment="{moment}")
    response.headers[KEEP], response.headers[OFFLINE] = path, quote(said)


def keeps_turns() -> bool:
    """Return whether this browser may keep turn pages."""
    return TURNS_COOKIE in request.cookies


def keep_turns(response: Response, wanted: bool) -> Response:
    """Let this browser keep turn pages, or no longer."""
    if wanted:
        return reader.keep_choice(response, TURNS_COOKIE, "1", reader.A_YEAR)
    return reader.forget_choice(response, TURNS_COOKIE)


def with_worker(response: Response) -> Response:
    """Return a page that may run the program's own scripts, and its worker."""
    response.headers["Content-Security-Policy"] = WITH_SCRIPT
    return response


def forget_all(response: Response) -> Response:
    """Have the browser delete what it has kept of this server (W3C Clear Site Data): pages, worker and push
    subscription. Cookies stay: language and looks are nobody's secret, and the sign-in is deleted by itself. So does
    the HTTP cache, which has no page of ours, and which some browsers search for seconds."""
    response.headers["Clear-Site-Data"] = '"storage"'
    return keep_turns(response, False)


@blueprint.app_template_global()
def manifest_address(lang: str) -> str:
    """Return the address of the manifest in a language."""
    return f"/manifest.webmanifest?lang={lang}"


def is_possible() -> bool:
    """Return whether a browser can be told at all: only encrypted pages, and those of its own machine, may ask for
    it."""
    return server().config.is_https or request.host.partition(":")[0] in ("localhost", "127.0.0.1")
