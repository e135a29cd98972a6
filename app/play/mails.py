"""The mails of a game: a decision is owed, the game is over, and a player or a line was reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlmodel import Session, col

from app.base.links import Links, TurnLink
from app.base.stored.mail_tables import MailGroup, MailState, OutboxMail
from app.base.words.refusals import NoSuch
from app.base.words.speech import Voice
from app.games.steps import in_force
from app.games.store import GameNow, GameStore
from app.people.tables import MailShows, PlayerRole
from app.play.agreed import reports
from app.play.fairness.proof import committed, end_of
from app.play.lists import ends
from app.play.lists.scores import is_broken_tie, points
from app.play.pages.turn.asked import line_now, line_of
from app.play.past.replay import newest_places, places_of
from app.play.turn import chat_and_notes, holding
from app.play.turn.sentences import run_on
from app.play.turn.turns import newest_link, said_of, what_happened
from app.post.letters import picture_process
from app.post.letters.message import WrittenMail
from app.post.letters.writing import Picture, QueuedMail, finish, game_of, mail, proof_link, reader_of, still_owed
from app.post.out.bundles import Line, line
from app.time.reminding import digest
from app.time.time_log import credits_of
from app.titles.boards import standalone_small_svg, standalone_svg
from app.titles.pages import pages_of, parts_of
from app.titles.parts import PlainParts
from engine.kernel.text import N_
from engine.kernel.title import Choice

MOST_ANSWERS = 12
"""The number of possible answers listed in a mail; more are on the page."""
LONGEST_ANSWER = 68
"""Characters. A line of orders cannot be wrapped, and no line of a mail is longer than 72 with its indent."""
BOARD_WIDTH, SMALL_WIDTH, THUMBNAIL_WIDTH, SHOWN_WIDTH = 480, 176, 120, 360
"""Pixels of the pictures (a wider board takes more than 60 KB), and the room for a board, less on small screens."""
NOTHING_CHANGED = frozenset({"-"})
"""No place at all: nothing is marked."""


def _about(game: GameNow, seat: str, voice: Voice) -> dict[str, Any]:
    """Return what every mail about a game shows."""
    return {
        "title": voice.gettext(game.title.name),
        "seat": voice.name("seat", seat),
        "others": voice.join([voice.who(s) for s in game.others(seat)]),
        "turn": game.turn,
        "number": game.id,
        "game": game,
        "deadline": game.deadline_at,
    }


def position_of(game: GameNow, seat: str, voice: Voice, changed: frozenset[str], shows: str) -> dict[str, Any]:
    """Return the position in a mail, built from the pages' parts: everything, without what only the seat sees, or
    nothing."""
    if shows == MailShows.LINK:
        return {"board": "", "sheets": (), "pictures": {}, "small": ""}
    title, parts = game.title, parts_of(game.title.id, voice.lang)
    own = game.view(seat)
    view = own if shows == MailShows.HAND else game.view(None)
    names = {seated.seat: voice.who(seated) for seated in game.seats if seated.player_id is not None}
    drawn = standalone_svg(title.id, {**view, "decision": None}, voice, changed=changed or NOTHING_CHANGED)
    small = parts.small_picture(view)
    told = voice.gettext("The board of turn {turn}.", turn=game.turn)
    words = " ".join([told, *parts.board_words(view, names)])
    pictures = {"board": Picture(partial(picture_process.paint, drawn, BOARD_WIDTH), words, SHOWN_WIDTH)}
    if small is not None:
        paint = partial(picture_process.paint, small[0], SMALL_WIDTH)
        pictures["small"] = Picture(paint, str(small[1]), SMALL_WIDTH // 2)
    sheets = [one for one in parts.in_mail(own, seat, names) if shows == MailShows.HAND or not one.is_own]
    return {
        "board": title.board(view, voice.among(game.seats), faces=True),
        "sheets": sheets,
        "pictures": pictures,
        "small": small[1] if small else "",
    }


def thumbnail(session: Session, game: GameNow, voice: Voice) -> Picture:
    """Return the small board from lists of games, cut to what is newest: public information, with the words beside
    it."""
    view = {**game.view(None), "decision": None}
    newest = newest_places(GameStore(session), game)
    drawn = standalone_small_svg(game.title.id, view, voice, changed=newest)
    return Picture(partial(picture_process.paint, drawn, THUMBNAIL_WIDTH), "", THUMBNAIL_WIDTH // 2)


def ways_of(game: GameNow, voice: Voice, link: str) -> list[tuple[Any, str]]:
    """Return the kinds of action that are possible, each with the address of the page on which it is chosen."""
    pages, parts = pages_of(game.title.id), parts_of(game.title.id, voice.lang)
    if game.on_turn != game.decides:
        return []
    kinds = [pages.touches(game.title, game.state, item)[0].value for item in game.title.legal(game.state)]
    return [(parts.kind_name(kind), f"{link}?at={kind}#tray") for kind in dict.fromkeys(kinds)]


_LAST_MAIL = select(func.max(col(OutboxMail.sent_at))).where(
    col(OutboxMail.game_id) == bindparam("game"),
    col(OutboxMail.player_id) == bindparam("player"),
    col(OutboxMail.id) < bindparam("mail"),
    col(OutboxMail.state).in_((MailState.SENT, MailState.KEPT)),
)


LONGEST_SAID, MOST_SAID = 300, 20
"""Characters of a line of chat, and lines, in a mail: Gmail cuts a mail after 102 KB, and the button comes later."""


def chat_since(session: Session, mail: QueuedMail, game: GameNow, voice: Voice) -> list[tuple[str, str]]:
    """Return what the others have said since the last mail about the game: names and the beginnings of their words,
    except of those whom the seat has muted."""
    assert mail.seat is not None
    said = [one for one in chat_and_notes.chat(session, game.id) if one.seat != mail.seat]
    if not said:
        return []
    muted = chat_and_notes.muted_for(session, game.id, mail.seat)
    since = session.scalar(_LAST_MAIL, {"game": game.id, "player": mail.player_id, "mail": mail.id})
    new = [one for one in said if one.seat not in muted and (since is None or one.at > since)]
    return [
        (
            voice.who(game.seated(one.seat)),
            one.text if len(one.text) <= LONGEST_SAID else f"{one.text[:LONGEST_SAID].rstrip()}…",
        )
        for one in new[-MOST_SAID:]
    ]


@mail("turn", words=N_("the mail that asks for the move"))
def _turn(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell a seat that it owes a decision. Nothing is sent while its sealed turn waits to be played."""
    assert mail.game_id is not None and mail.seat is not None
    if holding.is_held(session, mail.game_id, mail.seat, mail.number):
        return None
    return asking(session, links, mail, "turn", "turns")


def asking(
    session: Session,
    links: Links,
    mail: QueuedMail,
    name: str,
    group: str,
    more: Callable[[GameNow, Voice], dict[str, Any]] | None = None,
) -> WrittenMail | None:
    """Return a mail that asks for a decision, with the position; `more` gives the rest that its templates need."""
    reader, game = reader_of(session, mail), game_of(session, mail)
    if reader is None or game is None or not still_owed(game, mail):
        return None
    is_wanted = mail.is_wanted(reader, group)
    if name == "turn" and is_wanted:
        is_wanted = not digest.covers(reader, game.deadline_at)
    if not is_wanted and not mail.details.get("again"):
        return None  # unless just asked for
    assert mail.seat is not None and mail.number is not None
    voice = Voice(reader.language, reader.zone, game.title)
    store = GameStore(session)
    since = store.last_own_entry(game.id, mail.seat)
    link = links.turn(TurnLink(game.id, mail.seat, mail.number, reader.id))
    shows = reader.mail_shows
    events = [event for _, told in store.events(game.title, game.id, since) for event in told]
    happened = what_happened(store, game, mail.seat if shows == MailShows.HAND else None, voice, since)
    changed = places_of(events)
    asked = line_now(store, game, mail.seat, voice, reads="" if shows == MailShows.HAND else None)
    context = _about(game, mail.seat, voice) | {
        "link": link,
        "asked": asked,
        "goes_on": asked.goes_on,
        "credits": credits_of(session, game, voice),
        "away": links.leave(reader.id, mail.made_at, mail.game_id, mail.number),
        "happened": happened,
        "gist": asked.happened,
        "news": line_of(game, mail.seat, voice, events, reads=None).happened,
        "is_first": since == 0,
        "own_turn": game.on_turn == mail.seat,
        "owes_end": game.title.end_of_steps(game.state) is not None,
        "ahead": f"{link}/ahead" if _can_be_asked_again(game, mail.seat) else "",
        "chat": chat_since(session, mail, game, voice),
        "commitment": committed(game.seed) if since == 0 else "",
        "seed_number": game.seed_number if since == 0 else None,
        "proof_link": proof_link(links, game.id),
    }
    if more is not None:
        context |= more(game, voice)
    later = partial(_position_and_answers, game, mail.seat, voice, changed, shows, link, asked.happened)
    return finish(name, context, reader, links, mail, group=group, later=later)


def _position_and_answers(
    game: GameNow, seat: str, voice: Voice, changed: frozenset[str], shows: str, link: str, gist: str
) -> dict[str, Any]:
    """Return what takes long to work out and needs no database."""
    answers = _answers(game) if shows != MailShows.LINK else {}
    rows = _answer_rows(game, seat, voice, answers, link)
    return position_of(game, seat, voice, changed, shows) | {
        "answers": rows,
        "gist": next((f"{_labelled(voice, one.said or one.line, one.result)}." for one in rows if one.counts), gist),
        "ways": [] if answers or shows == MailShows.LINK else ways_of(game, voice, link),
    }


def _can_be_asked_again(game: GameNow, seat: str) -> bool:
    """Return whether a seat that answers in another's turn may be asked once more in it, and can answer that in
    advance."""
    return game.on_turn != seat and bool(game.title.foreseen(game.state, seat))


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """A possible answer in a mail."""

    said: str
    """In words, such as `Block it: Fortification`; "" if only its line says it."""
    result: str
    """What would come of it: `32 to 29 points; Gwen 27 to 31`, `stays at 32 points`; "" if that cannot be known."""
    whole: str
    """Both in one line."""
    counts: bool
    """Whether points change by it."""
    line: str
    """What can be typed for it in a reply."""
    link: str
    """The page on which it is already chosen; "" if it cannot be chosen by touch."""


def _answer_rows(
    game: GameNow, seat: str, voice: Voice, answers: Mapping[str, tuple[Any, Any]], link: str
) -> list[AnswerRow]:
    """Return answers in words with their results, each with the page on which it is chosen; what changes points comes
    first."""
    title, pages = game.title, pages_of(game.title.id)
    parts = parts_of(title.id, voice.lang).among(voice.names_of(game.seats))
    view = game.view(seat)
    at_once = game.on_turn != game.decides or title.actions_left(game.state) is None
    rows = []
    for each, (item, action) in answers.items():
        touched = at_once and not isinstance(item, Choice)
        at = ",".join([touch.token for touch in pages.touches(title, game.state, item)]) if touched else ""
        what = str(parts.option(title.action_to_json(action), each, view, seat).striptags())
        result, counts = _result(game, seat, voice, view, title.preview(game.state, action))
        said = _in_words(voice, parts, each, what)
        whole = _labelled(voice, said, result)
        rows.append(AnswerRow(said, result, whole, counts, each, f"{link}?at={at}#tray" if at else ""))
    return sorted(rows, key=lambda row: not row.counts)


def _labelled(voice: Voice, label: str, value: str) -> str:
    """Return both with the language's colon between them, or what there is of them."""
    return voice.gettext("{label}: {value}", label=label, value=value) if label and value else label or value


def _in_words(voice: Voice, parts: PlainParts, line: str, what: str) -> str:
    """Return an answer as `Block it: Fortification`; "" if only its line says what it is."""
    kind = str(parts.kind_name(line.partition(" ")[0]).striptags())
    if what == line:  # a title without words of its own
        return ""
    return _labelled(voice, kind, what) if " " in line else kind


def _result(
    game: GameNow, seat: str, voice: Voice, view: Mapping[str, Any], preview: Mapping[str, Any] | None
) -> tuple[str, bool]:
    """Return what an answer does to everybody's points in words, and whether it changes any."""
    before, after = points(view), points((preview or {}).get("view"))
    if seat not in before or seat not in after:
        return "", False
    own = voice.gettext("stays at {points} points", points=before[seat])
    if after[seat] != before[seat]:
        own = voice.gettext("{before} to {after} points", before=before[seat], after=after[seat])
    others = [
        voice.gettext(
            "{name} {before} to {after}", name=voice.who(other), before=before[other.seat], after=after[other.seat]
        )
        for other in game.others(seat)
        if after.get(other.seat) != before.get(other.seat)
    ]
    said = reduce(lambda one, more: voice.gettext("{first}; {second}", first=one, second=more), others, own)
    return said, before != after


def _answers(game: GameNow) -> dict[str, tuple[Any, Any]]:
    """Return the possible answers, if few enough to be listed: by line of the notation the entry of the legal list, and
    the action."""
    found: dict[str, tuple[Any, Any]] = {}
    for item in game.title.legal(game.state):
        for action in item.smallest() if isinstance(item, Choice) else [item]:
            each = game.title.write(game.state, action)
            found[each] = item, action
            if len(found) > MOST_ANSWERS or len(each) > LONGEST_ANSWER:
                return {}
    return found


@mail("over", words=N_("the mail at the end of the game"))
@mail("time_out", words=N_("the mail at the end of the game"), group=MailGroup.CLOCK)
def _over(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell that the game has ended."""
    reader, game = reader_of(session, mail), game_of(session, mail)
    if reader is None or game is None or not mail.is_wanted(reader, "turns"):
        return None
    assert mail.seat is not None
    voice = Voice(reader.language, reader.zone, game.title)
    store = GameStore(session)
    log = [step for _, _, step in store.log(game.title, game.id)]
    happened = what_happened(store, game, mail.seat, voice, store.last_own_entry(game.id, mail.seat))
    if not happened:  # the reader's own move ended it
        happened = run_on(said_of(game, log[-1].told(game.title), mail.seat, voice), voice)
    events = [event for _, step in in_force(log) for event in step.events]
    parts, view = parts_of(game.title.id, voice.lang), game.view(None)
    position = position_of(game, mail.seat, voice, NOTHING_CHANGED, reader.mail_shows)
    context = (
        _about(game, mail.seat, voice)
        | position
        | {
            "happened": happened,
            "against": against(game, mail.seat, voice),
            "result": ends.of_game(game, mail.seat, voice),
            "why": ends.why(game, mail.seat, voice),
            "tie": parts.tie() if is_broken_tie(game) else "",
            "table": ends.table(game, parts.reckoned(events, view), voice),
            "rematch": _rematch(session, links, game, mail),
            "record": f"{links.base_url}/games/{game.id}/record.json",
            "proof_link": proof_link(links, game.id) if game.seed else "",
            "end": end_of(game, log) if game.seed else "",
        }
    )
    return finish("over", context, reader, links, mail, group="turns")


def _rematch(session: Session, links: Links, game: GameNow, mail: QueuedMail) -> str:
    """Return where the reader offers a rematch by this mail alone; "" if a seat of the game is empty."""
    if mail.seat is None or mail.player_id is None or any(one.player_id is None for one in game.seats):
        return ""
    return f"{links.turn(replace(newest_link(session, game, mail.seat), player=mail.player_id))}/rematch"


def against(game: GameNow, seat: str, voice: Voice) -> str:
    """Return the name of a seat's game in a list."""
    others = voice.join([voice.who(s) for s in game.others(seat)])
    return voice.gettext("{title} against {others}", title=voice.gettext(game.title.name), others=others)


@line("time_out")
def _over_line(session: Session, links: Links, mail: QueuedMail) -> Line | None:
    """Tell the end of a game that ended on time, if there is more to say."""
    reader, game = reader_of(session, mail), game_of(session, mail)
    if reader is None or game is None or not mail.is_wanted(reader, "turns") or mail.seat is None:
        return None
    voice = Voice(reader.language, reader.zone, game.title)
    link, what = f"{links.base_url}/games/{game.id}", ends.of_game(game, mail.seat, voice)
    return Line("over", against(game, mail.seat, voice), link, None, game.id, what, group="turns")


@mail(reports.KIND, words=N_("a report of chat or of a player"))
def _talk_report(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell an operator which line or player was reported, by whom, in which game."""
    reader = reader_of(session, mail)
    if reader is None or reader.role != PlayerRole.OPERATOR:
        return None
    try:
        found = reports.look(session, mail.details["report"])
    except NoSuch:
        return None
    voice = Voice(reader.language, reader.zone, found.game.title if found.game else None)
    context = {
        "number": found.game.id if found.game else None,
        "by": found.by,
        "whose": voice.who(found.game.seated(found.said.seat)) if found.game and found.said else found.about,
        "text": found.said.text if found.said else "",
        "why": found.why,
        "link": f"{links.base_url}/moderation",
    }
    return finish(reports.KIND, context, reader, links, mail, group=None)
