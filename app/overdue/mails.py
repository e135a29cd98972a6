"""The mails about passed deadlines and mails that did not arrive: to the late seat, the others, the operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.base.links import TurnLink
from app.base.mail_tables import MailGroup
from app.base.speech import FORMER_PLAYER, Voice
from app.games import competitions
from app.games.store import GameNow
from app.overdue import rulings, stages
from app.people.tables import PlayerRole
from app.play.mails import against, asking
from app.post.bundles import Line, line
from app.post.message import WrittenMail
from app.post.writing import QueuedMail, finish, game_of, mail, reader_of, still_owed
from app.time import pending
from app.time.case_words import ruling_in_words
from app.time.tables import Case, CaseRuling
from app.time.time_log import credits_of, stages_in_words
from engine.kernel.text import N_

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.links import Links
    from app.time.decisions import PendingDecision


def _case(session: Session, mail: QueuedMail) -> Case | None:
    try:
        return rulings.find(session, mail.details["case"])
    except rulings.NoSuchCase:
        return None


@mail("overdue", words=N_("a mail about the passed deadline"), group=MailGroup.CLOCK)
def _overdue(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell the late seat that its deadline has passed, and what comes next."""
    case = _case(session, mail)
    decision = pending.owed(session, mail.game_id or 0)
    if case is None or case.ended_at is not None or case.deadline_at is None or decision is None:
        return None

    def more(game: GameNow, voice: Voice) -> dict[str, Any]:
        # The time to answer by is over, so it is not repeated.
        return {"deadline": None, "was_due": case.deadline_at, **_stands(session, decision, case, game, voice)}

    return asking(session, links, mail, "overdue", "reminders", more)


def _stands(session: Session, decision: PendingDecision, case: Case, game: GameNow, voice: Voice) -> dict[str, Any]:
    """Say how things stand for a late seat: what others can do now, and what comes next."""
    coming = stages.stages_to_come(session, decision, case, game.pace)
    in_event = competitions.runner().has_organisers(session, game.id)
    return {
        "coming": stages_in_words(coming, voice, in_event=in_event),
        "claimable": any("claim" in stage.do for stage in game.pace.stages[: case.stage]),
        "ruled": any("organiser" in stage.do for stage in game.pace.stages[: case.stage]),
        "in_event": in_event,
    }


@line("overdue")
def _overdue_line(session: Session, links: Links, mail: QueuedMail) -> Line | None:
    case, reader, game = _case(session, mail), reader_of(session, mail), game_of(session, mail)
    decision = pending.owed(session, mail.game_id or 0)
    if case is None or case.ended_at is not None or case.deadline_at is None or decision is None:
        return None
    if reader is None or not mail.is_wanted(reader, "reminders") or game is None or not still_owed(game, mail):
        return None
    assert mail.seat is not None and mail.number is not None
    voice = Voice(reader.language, reader.zone, game.title)
    stands = _stands(session, decision, case, game, voice)
    legend = []
    if stands["claimable"]:
        legend.append(voice.gettext("The others may claim the game now."))
    if stands["ruled"] and stands["in_event"]:
        legend.append(voice.gettext("Those who run the event decide now how the game goes on."))
    elif stands["ruled"]:
        legend.append(voice.gettext("An operator of this server decides now how the game goes on."))
    return Line(
        "yours",
        against(game, mail.seat, voice),
        links.turn(TurnLink(game.id, mail.seat, mail.number, reader.id)),
        case.deadline_at,
        game.id,
        " ".join(credits_of(session, game, voice)),
        (*legend, *stands["coming"]),
        "reminders",
    )


@mail("late", words=N_("a mail about a player who is late"), group=MailGroup.CLOCK)
def _late(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell the other seats that a player is late or cannot be reached; a player put out of a game is told so, too."""
    told = _told_of_late(session, links, mail)
    if told is None:
        return None
    reader, context = told
    group = None if context["what"] in ("claim", "out") else "news"
    return finish("late", context, reader, links, mail, group=group)


@line("late")
def _late_line(session: Session, links: Links, mail: QueuedMail) -> Line | None:
    told = _told_of_late(session, links, mail)
    if told is None:
        return None
    _, about = told
    voice, late, game_id = about["voice"], about["late"], mail.game_id
    values = {"late": late, "title": about["title"]}
    if about["what"] == "claim":
        text = voice.gettext("{title} against {others}", title=about["title"], others=late)
        return Line("claim", text, about["link"], about["was_due"], game_id)
    if about["what"] == "out":
        text = voice.gettext("{title}: your time is over. You have left the game, and the others go on.", **values)
    elif about["what"] == "left" and about["by_time"]:
        text = voice.gettext("{title}: {late} is out on time, and you others go on.", **values)
    elif about["what"] == "left":
        text = voice.gettext("{title}: {late} has given up, and you others go on.", **values)
    elif about["what"] == "mail":
        text = voice.gettext("{title}: the mail to {late} did not arrive, and the clock stands.", **values)
    elif about["what"] == "late":
        text = voice.gettext("{title}: {late} is late.", **values)
    elif about["in_event"]:
        text = voice.gettext("{title}: {late} is late, and those who run the event decide how it goes on.", **values)
    else:
        text = voice.gettext("{title}: {late} is late, and an operator decides how it goes on.", **values)
    return Line("news", text, about["link"], about["was_due"], game_id, group="news")


def _told_of_late(session: Session, links: Links, mail: QueuedMail) -> tuple[Any, dict[str, Any]] | None:
    """Return the reader, and what to say about the late seat; None if it is no longer true, or not wanted."""
    if mail.details["what"] == "left":
        return _who_left(session, links, mail)
    reader, game, case = reader_of(session, mail), game_of(session, mail), _case(session, mail)
    if reader is None or game is None or case is None or mail.seat is None:
        return None
    what, link = mail.details["what"], f"{links.base_url}/games/{game.id}"
    if what != "out":
        if game.is_over or case.ended_at is not None or game.seated(mail.seat).player_id != mail.player_id:
            return None
        if what != "claim" and not mail.is_wanted(reader):
            return None
    if what == "claim":
        link = f"{links.base_url}/claim/{links.sign('claim', [case.id, mail.seat, mail.player_id])}"
    voice = Voice(reader.language, reader.zone, game.title)
    context = {
        "voice": voice,
        "title": voice.gettext(game.title.name),
        "what": what,
        "link": link,
        "late": voice.who(game.seated(case.seat)),
        "was_due": case.deadline_at,
        "wins": len(game.seats) == 2,
        "in_event": competitions.runner().has_organisers(session, game.id),
    }
    return reader, context


def _who_left(session: Session, links: Links, mail: QueuedMail) -> tuple[Any, dict[str, Any]] | None:
    """Tell that a player has left a game of three or more, and the others go on."""
    reader, game = reader_of(session, mail), game_of(session, mail)
    if reader is None or not mail.is_wanted(reader) or game is None or game.is_over or mail.seat is None:
        return None
    voice, gone = Voice(reader.language, reader.zone, game.title), game.seated(mail.details["seat"])
    return reader, {
        "voice": voice,
        "title": voice.gettext(game.title.name),
        "what": "left",
        "by_time": mail.details["by_time"],
        "link": f"{links.base_url}/games/{game.id}",
        "late": voice.who(gone),
        "was_due": None,
        "wins": False,
        "in_event": False,
    }


@mail("case", words=N_("a mail about a case"), group=MailGroup.CLOCK)
def _desk(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell an operator that a case waits for a ruling."""
    told = _to_judge(session, links, mail)
    return None if told is None else finish("case", told[1], told[0], links, mail, group=None)


@line("case")
def _desk_line(session: Session, links: Links, mail: QueuedMail) -> Line | None:
    told = _to_judge(session, links, mail)
    if told is None:
        return None
    about = told[1]
    values = {"title": about["title"], "late": about["late"]}
    if about["kind"] == "mail":
        text = about["voice"].gettext("{title}: the mail to {late} did not arrive, and the clock stands.", **values)
    else:
        text = about["voice"].gettext("{title}: the time of {late} is over", **values)
    return Line("judge", text, about["link"], about["was_due"], about["number"])


def _to_judge(session: Session, links: Links, mail: QueuedMail) -> tuple[Any, dict[str, Any]] | None:
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
    return reader, context


@mail("ruled", words=N_("a mail about a ruling"), group=MailGroup.CLOCK)
def _ruled(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell every player what an operator has ruled, and why."""
    told = _decided(session, links, mail)
    return None if told is None else finish("ruled", told[1], told[0], links, mail, group=None)


@line("ruled")
def _ruled_line(session: Session, links: Links, mail: QueuedMail) -> Line | None:
    told = _decided(session, links, mail)
    if told is None:
        return None
    about = told[1]
    text = about["voice"].gettext("{title}: {ruling}", title=about["title"], ruling=about["ruling"])
    return Line("news", text, about["link"], None, about["number"])


def _decided(session: Session, links: Links, mail: QueuedMail) -> tuple[Any, dict[str, Any]] | None:
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
        "deadline": game.deadline_at if case.ruling == CaseRuling.EXTEND and game.number == case.number else None,
        "link": f"{links.base_url}/games/{game.id}",
    }
    return reader, context
