"""The mails about the post itself: the mail host accepted none, some bounced, and the reply to a person who answers a
mail."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlmodel import Session

from app.base.links import Links, TurnLink
from app.base.words.speech import Voice
from app.people.tables import PlayerRole
from app.post.inbound import bounces
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, finish, game_of, mail, reader_of
from app.post.route import mail_route
from engine.kernel.text import N_


@mail("mail_pause", words=N_("a mail about the mail host"))
def _mail_pause(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell an operator since when no mails went out and what the host said. Dropped if that was over at once."""
    reader = reader_of(session, mail)
    since = datetime.fromisoformat(mail.details["since"])
    ended = mail_route.ended(session, mail.details["host"], since)
    if (
        reader is None
        or reader.role != PlayerRole.OPERATOR
        or (ended is not None and ended - since < mail_route.TELL_AFTER)
    ):
        return None
    voice = Voice(reader.language, reader.zone)
    context = {
        "host": mail.details["host"],
        "since": voice.moment(since),
        "until": voice.moment(ended) if ended else None,
        "reason": mail.details["reason"][:300],
    }
    return finish("mail_pause", context, reader, links, mail, group=None)


@mail("mail_answer", words=N_("an answer to a mail"))
def _mail_answer(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell a person who answered a mail of ours where the answer can be given."""
    reader = reader_of(session, mail)
    if reader is None:
        return None
    game = game_of(session, mail) if mail.game_id is not None else None
    author = mail.details.get("author")
    link, title, is_owed, is_of_before = f"{links.base_url}/games", "", False, False
    voice = Voice(reader.language, reader.zone, game.title if game else None)
    if "page" in mail.details:
        link = links.base_url + mail.details["page"]
    if game is not None:
        link, title = f"{links.base_url}/games/{game.id}", voice.gettext(game.title.name)
        seat, number = mail.seat, mail.details.get("number")
        is_owed = seat is not None and game.decides == seat and game.seated(seat).player_id == mail.player_id
        is_of_before = is_owed and number != game.number
        if is_owed and seat is not None and number is not None:
            link = links.turn(TurnLink(game.id, seat, game.number, mail.player_id))
    context = {
        "title": title,
        "number": game.id if game else None,
        "owed": is_owed,
        "of_before": is_of_before,
        "author": author,
        "result": mail.details.get("result", ""),
        "link": link,
    }
    written = finish("mail_answer", context, reader, links, mail, group=None)
    return written if author is None else replace(written, to_name="")


@mail("bounces", words=N_("a mail about mails that came back"))
def _bounces(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell an operator, or the organiser of an event, that mails bounced. Organisers see names, operators addresses."""
    reader = reader_of(session, mail)
    if reader is None:
        return None
    is_operator = reader.role == PlayerRole.OPERATOR
    since = datetime.fromisoformat(mail.details["since"])
    count, rows = bounces.of_reader(session, reader.id, all_of_them=is_operator, since=since)
    if not count:
        return None
    context = {
        "is_operator": is_operator,
        "count": count,
        "more": count - len(rows),
        "lines": list(
            dict.fromkeys((row.address if is_operator else row.name, row.game_id, row.last_error or "") for row in rows)
        ),
    }
    if is_operator:
        context["link"] = f"{links.base_url}/outbox"
    elif rows[0].game_id is not None:
        context["link"] = f"{links.base_url}/games/{rows[0].game_id}"
    return finish("bounces", context, reader, links, mail, group=None)
