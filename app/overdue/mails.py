"""The mails about passed deadlines and mails that did not arrive: to the late seat, the others, the operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.base.speech import FORMER_PLAYER, Voice
from app.games import contest
from app.games.store import GameNow
from app.overdue import cases, rulings
from app.people.tables import PlayerRole
from app.play.mails import asking
from app.post.message import WrittenMail
from app.post.writing import QueuedMail, finish, game_of, reader_of
from app.time import pending
from app.time.case_words import ruling_in_words
from app.time.tables import Case
from app.time.time_log import stages_in_words

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.links import Links


def _case(session: Session, mail: QueuedMail) -> Case | None:
    try:
        return rulings.find(session, mail.details["case"])
    except rulings.NoSuchCase:
        return None


def _overdue(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """The late seat: its deadline has passed, and this comes next."""
    case = _case(session, mail)
    decision = pending.owed(session, mail.game_id or 0)
    if case is None or case.ended_at is not None or case.deadline_at is None or decision is None:
        return None

    def more(game: GameNow, voice: Voice) -> dict[str, Any]:
        coming = cases.stages_to_come(session, decision, case, game.pace)
        claimable = any("claim" in stage.do for stage in game.pace.stages[: case.stage])
        ruled = any("organiser" in stage.do for stage in game.pace.stages[: case.stage])
        in_event = contest.runner().has_organisers(session, game.id)
        # The time to answer by is over, so that it is not said once more.
        return {
            "deadline": None,
            "was_due": case.deadline_at,
            "coming": stages_in_words(coming, voice, in_event=in_event),
            "claimable": claimable,
            "ruled": ruled,
            "in_event": in_event,
        }

    return asking(session, links, mail, "overdue", "reminders", more)


def _late(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """The other seats: somebody is late or cannot be reached; who was put out of a game is told so, too."""
    reader, game, case = reader_of(session, mail), game_of(session, mail), _case(session, mail)
    if reader is None or game is None or case is None or mail.seat is None:
        return None
    what, link = mail.details["what"], f"{links.base_url}/games/{game.id}"
    if what != "out":
        if game.is_over or case.ended_at is not None or game.seated(mail.seat).player_id != mail.player_id:
            return None
        if what != "claim" and not reader.mail_news:
            return None
    if what == "claim":
        link = f"{links.base_url}/claim/{links.sign('claim', [case.id, mail.seat, mail.player_id])}"
    voice = Voice(reader.language, reader.zone, game.title)
    others = [s for s in game.others(case.seat) if s.seat != mail.seat]
    context = {
        "voice": voice,
        "title": voice.gettext(game.title.name),
        "what": what,
        "link": link,
        "late": voice.who(game.seated(case.seat)),
        "was_due": case.deadline_at,
        "alone": not others,
        "wins": len(game.seats) == 2,
        "in_event": contest.runner().has_organisers(session, game.id),
    }
    return finish("late", context, reader, links, mail, group=None if what in ("claim", "out") else "news")


def _desk(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """An operator: a case waits for a ruling."""
    reader, game, case = reader_of(session, mail), game_of(session, mail), _case(session, mail)
    if (
        reader is None
        or reader.role != PlayerRole.OPERATOR
        or game is None
        or case is None
        or case.ended_at is not None
    ):
        return None
    voice = Voice(reader.language, reader.zone, game.title)
    context = {
        "voice": voice,
        "title": voice.gettext(game.title.name),
        "number": game.id,
        "kind": case.kind,
        "late": voice.who(game.seated(case.seat)),
        "was_due": case.deadline_at,
        "link": f"{links.base_url}/cases/{case.id}",
    }
    return finish("case", context, reader, links, mail, group=None)


def _ruled(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Every player: what an operator has ruled, and why."""
    reader, game, case = reader_of(session, mail), game_of(session, mail), _case(session, mail)
    if reader is None or game is None or case is None or case.ruling is None:
        return None
    voice = Voice(reader.language, reader.zone, game.title)
    late = voice.who(game.seated(case.seat)) or voice.gettext(FORMER_PLAYER)
    context = {
        "voice": voice,
        "title": voice.gettext(game.title.name),
        "number": game.id,
        "ruling": ruling_in_words(voice, case.ruling, late, case.reason),
        "deadline": game.deadline_at if case.ruling == "extend" and game.number == case.number else None,
        "link": f"{links.base_url}/games/{game.id}",
    }
    return finish("ruled", context, reader, links, mail, group=None)


KINDS: dict[str, Callable[[Any, Any, QueuedMail], WrittenMail | None]] = {
    "overdue": _overdue,
    "late": _late,
    "case": _desk,
    "ruled": _ruled,
}
