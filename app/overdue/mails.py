"""The mails about passed deadlines and mails that did not arrive: to the late seat, the others, the operators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlmodel import Session

from app.base.links import Links, TurnLink
from app.base.stored.mail_tables import MailGroup
from app.base.words.speech import FORMER_PLAYER, Voice
from app.games import competitions
from app.games.store import GameNow
from app.overdue import stages
from app.people.tables import Player, PlayerRole
from app.play.mails import against, asking
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, finish, game_of, mail, reader_of, still_owed
from app.post.out.bundles import Line, line
from app.time import pending
from app.time.case_words import ruling_in_words
from app.time.decisions import PendingDecision
from app.time.tables import Case, CaseKind, CaseRuling
from app.time.time_log import credits_of, stages_in_words
from engine.kernel.text import N_


@dataclass(frozen=True, slots=True)
class Matter:
    """What a mail about a case has to do with."""

    reader: Player
    game: GameNow
    case: Case
    voice: Voice
    said: dict[str, Any]
    """What all these mails say."""


def _matter(session: Session, links: Links, mail: QueuedMail) -> Matter | None:
    """Return the matter; None if its reader, the game or the case is gone."""
    reader, game, case = reader_of(session, mail), game_of(session, mail), _case(session, mail)
    if reader is None or game is None or case is None:
        return None
    voice = Voice(reader.language, reader.zone, game.title)
    said = {
        "title": voice.gettext(game.title.name),
        "number": game.id,
        "late": voice.who(game.seated(case.seat)),
        "was_due": case.deadline_at,
        "link": f"{links.base_url}/games/{game.id}",
    }
    return Matter(reader, game, case, voice, said)


def _case(session: Session, mail: QueuedMail) -> Case | None:
    return session.get(Case, mail.details["case"])


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
    matter, decision = _matter(session, links, mail), pending.owed(session, mail.game_id or 0)
    if matter is None or matter.case.ended_at is not None or matter.case.deadline_at is None or decision is None:
        return None
    reader, game, case, voice = matter.reader, matter.game, matter.case, matter.voice
    if not mail.is_wanted(reader, "reminders") or not still_owed(game, mail):
        return None
    assert mail.seat is not None and mail.number is not None
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
    reader, _, context = told
    group = None if context["what"] in ("claim", "out") else "news"
    return finish("late", context, reader, links, mail, group=group)


@line("late")
def _late_line(session: Session, links: Links, mail: QueuedMail) -> Line | None:
    told = _told_of_late(session, links, mail)
    if told is None:
        return None
    _, voice, about = told
    what, values = about["what"], {"late": about["late"], "title": about["title"]}
    if what == "claim":
        text = voice.gettext("{title} against {others}", title=about["title"], others=about["late"])
        return Line("claim", text, about["link"], about["was_due"], mail.game_id)
    if what == "out":
        text = N_("{title}: your time is over. You have left the game, and the others go on.")
    elif what == "left" and about["by_time"]:
        text = N_("{title}: {late} is out on time, and you others go on.")
    elif what == "left":
        text = N_("{title}: {late} has given up, and you others go on.")
    elif what == "mail":
        text = _NOT_ARRIVED
    elif what == "late":
        text = N_("{title}: {late} is late.")
    elif about["in_event"]:
        text = N_("{title}: {late} is late, and those who run the event decide how it goes on.")
    else:
        text = N_("{title}: {late} is late, and an operator decides how it goes on.")
    return Line("news", voice.gettext(text, **values), about["link"], about["was_due"], mail.game_id, group="news")


_NOT_ARRIVED = N_("{title}: the mail to {late} did not arrive, and the clock stands.")


def _told_of_late(session: Session, links: Links, mail: QueuedMail) -> tuple[Player, Voice, dict[str, Any]] | None:
    """Return the reader, and what to say about the late seat; None if it is no longer true, or not wanted."""
    what = mail.details["what"]
    if what == "left":
        return _who_left(session, links, mail)
    matter = _matter(session, links, mail)
    if matter is None or mail.seat is None:
        return None
    game, case = matter.game, matter.case
    if what != "out":
        if game.is_over or case.ended_at is not None or game.seated(mail.seat).player_id != mail.player_id:
            return None
        if what != "claim" and not mail.is_wanted(matter.reader):
            return None
    in_event = competitions.runner().has_organisers(session, game.id)
    context = {**matter.said, "what": what, "wins": len(game.seats) == 2, "in_event": in_event}
    if what == "claim":
        context["link"] = f"{links.base_url}/claim/{links.sign('claim', [case.id, mail.seat, mail.player_id])}"
    return matter.reader, matter.voice, context


def _who_left(session: Session, links: Links, mail: QueuedMail) -> tuple[Player, Voice, dict[str, Any]] | None:
    """Tell that a player has left a game of three or more, and the others go on."""
    reader, game = reader_of(session, mail), game_of(session, mail)
    if reader is None or not mail.is_wanted(reader) or game is None or game.is_over or mail.seat is None:
        return None
    voice = Voice(reader.language, reader.zone, game.title)
    context = {
        "title": voice.gettext(game.title.name),
        "what": "left",
        "by_time": mail.details["by_time"],
        "link": f"{links.base_url}/games/{game.id}",
        "late": voice.who(game.seated(mail.details["seat"])),
        "was_due": None,
    }
    return reader, voice, context


@line("case")
def _desk_line(session: Session, links: Links, mail: QueuedMail) -> Line | None:
    matter = _to_judge(session, links, mail)
    if matter is None:
        return None
    said = matter.said
    text = _NOT_ARRIVED if said["kind"] == CaseKind.MAIL else N_("{title}: the time of {late} is over")
    text = matter.voice.gettext(text, title=said["title"], late=said["late"])
    return Line("judge", text, said["link"], said["was_due"], matter.game.id)


def _to_judge(session: Session, links: Links, mail: QueuedMail) -> Matter | None:
    matter = _matter(session, links, mail)
    if matter is None or matter.reader.role != PlayerRole.OPERATOR or matter.case.ended_at is not None:
        return None
    matter.said.update(kind=matter.case.kind, link=f"{links.base_url}/cases/{matter.case.id}")
    return matter


@line("ruled")
def _ruled_line(session: Session, links: Links, mail: QueuedMail) -> Line | None:
    matter = _decided(session, links, mail)
    if matter is None:
        return None
    said = matter.said
    text = matter.voice.gettext("{label}: {value}", label=said["title"], value=said["ruling"])
    return Line("news", text, said["link"], None, matter.game.id)


def _decided(session: Session, links: Links, mail: QueuedMail) -> Matter | None:
    matter = _matter(session, links, mail)
    if matter is None or matter.case.ruling is None:
        return None
    game, case, voice = matter.game, matter.case, matter.voice
    late = matter.said["late"] or voice.gettext(FORMER_PLAYER)
    has_more_time = case.ruling == CaseRuling.EXTEND and game.number == case.number
    matter.said.update(
        ruling=ruling_in_words(voice, case.ruling, late, case.reason),
        deadline=game.deadline_at if has_more_time else None,
    )
    return matter


@mail("case", words=N_("a mail about a case"), group=MailGroup.CLOCK)
def _desk(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    return _written(links, mail, _to_judge(session, links, mail))


@mail("ruled", words=N_("a mail about a ruling"), group=MailGroup.CLOCK)
def _ruled(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    return _written(links, mail, _decided(session, links, mail))


def _written(links: Links, mail: QueuedMail, matter: Matter | None) -> WrittenMail | None:
    return None if matter is None else finish(mail.kind, matter.said, matter.reader, links, mail, group=None)
