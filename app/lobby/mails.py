"""The mails around a game: invitations, the start, proposals, a cancelled game."""

from __future__ import annotations

from functools import partial

from sqlmodel import Session, select

from app.base.links import Links
from app.base.words.speech import FORMER_PLAYER, Voice
from app.games.store import GameStore, NoSuchGame
from app.games.tables import Game
from app.lobby import invitations
from app.lobby.options import option_in_words
from app.people import unasked
from app.people.tables import Player
from app.play.agreed import results
from app.play.fairness.proof import committed
from app.play.pages.lessons import lesson_course
from app.play.turn.turns import what_happened
from app.post.letters import picture_process
from app.post.letters.message import WrittenMail
from app.post.letters.writing import Picture, QueuedMail, finish, game_of, mail, proof_link, reader_of
from app.time.pace_words import after_in_words, pace_in_words
from app.titles.boards import standalone_small_svg
from app.titles.pages import pages_of, parts_of
from app.titles.registry import TITLES
from engine.kernel.text import N_
from engine.kernel.title import Title

GLIMPSE = 320
"""Pixels of the picture in an invitation, shown at half its size."""


# -- tables -------------------------------------------------------------------------------------------


@mail("invitation", words=N_("an invitation to a game"))
def _invitation(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Ask a player to take a seat."""
    reader = reader_of(session, mail)
    if reader is None or not mail.is_wanted(reader) or not unasked.may_go_out(session, reader, mail):
        return None
    try:
        offered = invitations.find(session, mail.details["invitation"], reader.id)
    except invitations.InvitationOver:
        return None
    table, voice = offered.table, Voice(reader.language, reader.zone, offered.table.title)
    others = [seat.name for seat in table.seats if seat.name and seat.place != offered.seat.place]
    context = {
        "title": voice.gettext(table.title.name),
        "host": unasked.said_to(reader, table.host),
        "seat": "" if table.row.drawn else voice.name("seat", offered.seat.seat),
        "seats": len(table.seats),
        "others": unasked.said_to(reader, voice.join(others)),
        "pace": pace_in_words(voice, table.pace, table.calendar),
        "after": after_in_words(voice, table.pace),
        "options": option_in_words(table.title, table.row.options, voice),
        "about": parts_of(table.title.id, voice.lang).in_short(),
        "learn": f"{links.base_url}/learn/{table.title.id}/1" if pages_of(table.title.id).lesson is not None else "",
        "note": unasked.said_to(reader, table.row.note),
        "is_rated": table.row.is_rated,
        "commitment": table.commitment,
        "seed_number": table.row.seed_number,
        "proof_link": proof_link(links, table.id),
        "link": f"{links.base_url}/invitation/{links.sign('invitation', [offered.id, reader.id])}",
    }
    picture = partial(_picture, table.title, voice)
    return finish("invitation", context, reader, links, mail, group="news", later=picture)


def _picture(title: Title, voice: Voice) -> dict[str, dict[str, Picture]]:
    """Return a small board of a title that its lesson leads to, if there is one; the words beside it say what it is."""
    taught = lesson_course.course(title.id)
    if taught is None:
        return {"pictures": {}}
    drawn = standalone_small_svg(title.id, title.view(taught.end.state, None), voice)
    return {"pictures": {"game": Picture(partial(picture_process.paint, drawn, GLIMPSE), "", GLIMPSE // 2)}}


@mail("invitation_answer", words=N_("the answer to an invitation"))
def _invitation_answer(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell the host an invited player's answer."""
    reader, table = reader_of(session, mail), _game(session, mail)
    guest = session.exec(select(Player.name).where(Player.id == mail.details["guest"])).first()
    if reader is None or not mail.is_wanted(reader) or table is None or not guest:
        return None
    voice = Voice(reader.language, reader.zone)
    context = {
        "title": voice.gettext(TITLES[table.title].name),
        "guest": guest,
        "accepted": mail.details["answer"] == "accepted",
        "link": f"{links.base_url}/games/{table.id}",
    }
    return finish("invitation_answer", context, reader, links, mail, group="news")


@mail("begun", words=N_("the mail at the start of the game"))
def _begun(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell that the game has started, and another player decides first."""
    reader, game = reader_of(session, mail), game_of(session, mail)
    if reader is None or not mail.is_wanted(reader) or game is None or game.is_over or mail.seat is None:
        return None
    voice = Voice(reader.language, reader.zone, game.title)
    context = {
        "title": voice.gettext(game.title.name),
        "seat": voice.name("seat", mail.seat),
        "others": voice.join([voice.who(s) for s in game.others(mail.seat)]),
        "order": [(voice.name("seat", s.seat), s.name) for s in game.seats],
        "link": f"{links.base_url}/games/{game.id}",
        "commitment": committed(game.seed),
        "seed_number": game.seed_number,
        "proof_link": proof_link(links, game.id),
    }
    return finish("begun", context, reader, links, mail, group="news")


@mail("cancelled", words=N_("a mail about a cancelled game"))
def _cancelled(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell that a table or a running game has been cancelled, also who wants no news if others did it."""
    reader, game = reader_of(session, mail), _game(session, mail)
    corrects = mail.details.get("corrects", "")
    if reader is None or game is None or not (corrects or mail.is_wanted(reader)):
        return None
    voice = Voice(reader.language, reader.zone)
    host = session.exec(select(Player.name).where(Player.id == game.made_by)).first() or voice.gettext(FORMER_PLAYER)
    context = {
        "title": voice.gettext(TITLES[game.title].name),
        "by_all": game.started_at is not None,
        "corrects": corrects,
        "host": host,
        "number": game.id,
    }
    return finish("cancelled", context, reader, links, mail, group=None if corrects else "news")


def _game(session: Session, mail: QueuedMail) -> Game | None:
    game = session.exec(select(Game).where(Game.id == mail.game_id)).first()
    return game if game is not None and game.title in TITLES else None


# -- proposals ----------------------------------------------------------------------------------------


@mail("proposal", words=N_("a proposal"))
def _proposal(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Ask a seat to agree. Always sent: without an answer nothing happens."""
    reader = reader_of(session, mail)
    if reader is None or mail.seat is None:
        return None
    try:
        store = GameStore(session)
        game, made = results.find(session, store, mail.details["proposal"], mail.seat, mail.player_id)
    except (results.ProposalOver, NoSuchGame):
        return None
    voice = Voice(reader.language, reader.zone, game.title)
    by = game.seated(made.seat)
    context = {
        "title": voice.gettext(game.title.name),
        "by": voice.who(by),
        "kind": made.kind,
        "winners": voice.join([voice.who(game.seated(seat)) for seat in made.winners]),
        "gone": what_happened(store, game, mail.seat, voice, made.back_to) if made.back_to else [],
        "link": f"{links.base_url}/proposal/{links.sign('proposal', [made.id, mail.seat, mail.player_id])}",
    }
    return finish("proposal", context, reader, links, mail, group=None)


@mail("proposal_declined", words=N_("the answer to a proposal"))
def _proposal_declined(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell the proposer that another player does not agree."""
    reader, game = reader_of(session, mail), game_of(session, mail)
    if reader is None or not mail.is_wanted(reader) or game is None or mail.seat is None:
        return None
    voice = Voice(reader.language, reader.zone, game.title)
    by = game.seated(mail.details["seat"])
    context = {
        "title": voice.gettext(game.title.name),
        "kind": mail.details["kind"],
        "by": voice.who(by),
        "link": f"{links.base_url}/games/{game.id}",
    }
    return finish("proposal_declined", context, reader, links, mail, group="news")
