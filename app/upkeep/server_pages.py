"""The operators' page on the server's condition, and the same for programs."""

from __future__ import annotations

import hmac
import platform
from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import version

import sqlalchemy
from babel.units import format_unit
from flask import Blueprint, Response, request

from app.base.process import failures, logs
from app.base.words.refusals import NotAllowed
from app.people import accounts
from app.people.tables import PlayerRole
from app.post.kept import mail_words
from app.upkeep import condition, metrics
from app.upkeep.alarm_words import STATUSES, WHAT
from app.upkeep.doctor.finding import Finding
from app.web import visit
from app.web.forms import answers
from app.web.reader import server
from engine.kernel.text import Text

blueprint = Blueprint("server", __name__)


def size_in(lang: str, number: int) -> str:
    """Return a number of bytes as the language writes it, on one line: `1.2 MB`, in French `1,2 Mo`."""
    unit = "megabyte" if number < 1 << 30 else "gigabyte"
    shown = number / (1 << (20 if unit == "megabyte" else 30))
    said = format_unit(shown, unit, "short", format="#,##0.0", locale=lang)
    return said.replace("\u202f", "\u00a0").replace(" ", "\u00a0")


def _look() -> condition.Condition:
    with server().database.read() as session:
        return condition.look(session, server().config, visit.now(), server().database.failures)


@blueprint.get("/server")
def show(examined: Sequence[Finding] = ()) -> Response:
    """Show jobs, mails, disk, versions, failed sign-ins, the last backup, the settings; and what the doctor found."""
    visit.need_operator()
    found = _look()
    versions = {
        "Post Road": version("postroad"),
        "Python": platform.python_version(),
        "SQLAlchemy": sqlalchemy.__version__,
        server().database.engine.dialect.name: found.health.revision,
    }
    return visit.show(
        "upkeep/server.html",
        found=found,
        versions=versions,
        what=WHAT,
        statuses=STATUSES,
        push_states=mail_words.push_states(visit.voice()),
        states=mail_words.mail_states(visit.voice()),
        folder=server().config.backups,
        size=lambda number: size_in(visit.voice().lang, number),
        settings=server().config.shown(),
        examined=examined,
        log=_log(found),
        ills=condition.ills(found, server().config, visit.now(), set()) | condition.troubles(found, visit.now()),
    )


def _log(found: condition.Condition) -> list[tuple[datetime, str]]:
    """Return the last warnings and errors of all processes, newest first."""
    theirs = [tuple(line) for one in found.others.values() for line in one.get("log", ())]
    lines = sorted([*logs.LAST.lines(), *theirs], reverse=True)[: logs.LINES_KEPT]
    return [(datetime.fromisoformat(at), said) for at, said in lines]


@blueprint.get("/server/people")
def who_is_here() -> Response:
    """Show the people whose name or address begins with what was typed, or the newest."""
    visit.need_operator()
    words = request.args.get("q", "")[:120]
    with server().database.read() as session:
        found = accounts.people(session, words)
    return visit.show("upkeep/people.html", q=words, people=found, most=accounts.MOST_LISTED)


@blueprint.post("/server/doctor")
@answers(again=show)
def examine() -> Response:
    """Show what `postroad doctor` finds; its test mail goes out, and is not waited for."""
    visit.need_operator()
    from app.upkeep.doctor import examination  # noqa: PLC0415  3 MiB, of DNS, that few ask for

    return show(tuple(examination.look(server(), visit.now(), wait=0)))


@blueprint.get("/metrics")
def scraped() -> Response:
    """Show the figures to Prometheus, with the token of the settings, or to an operator. With the token also while the
    database does not answer: that is a figure, too."""
    token = server().config.metrics_token
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    knows = token is not None and hmac.compare_digest(given.encode(), token.encode())
    me = None if knows else visit.person()
    if not knows and (me is None or me.role != PlayerRole.OPERATOR):
        raise NotAllowed("metrics.token", Text("The figures are for operators, and for programs with the token."))
    return Response(_written(), mimetype="text/plain")


def _written() -> bytes:
    met = server().database.failures
    try:
        return metrics.written(_look(), visit.now())
    except Exception as error:
        if not failures.is_of_the_database(error):
            raise
        met.meet(error, visit.now())
        return metrics.without_database(met, visit.now())
