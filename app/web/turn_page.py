"""A turn as a page for a person: what happened, the board, the hand, what can be done, the draft and the seal.

Nothing here knows a title: what a title shows of its cards and how it says its actions stands in
`templates/games/<title>/parts.html`, with `templates/games/_generic/parts.html` for titles without one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from flask import Response, make_response, redirect, request
from itsdangerous import BadData
from sqlalchemy import bindparam, case, select

from app.drawing import board_svg
from app.facts import facts_of
from app.links import BadLink, TurnLink
from app.models import Game, GameSeat, GameState, Player
from app.prepared import Prepared
from app.services import asides, drafts, turns
from app.services.people import NotAccepted
from app.services.playing import LONGEST_ORDERS, LineRefused
from app.services.standing import read_standing
from app.store import GameNow, GameStore, NoSuchGame, StaleTurn, replayed
from app.web.kept import Drawn, Kept, same_until
from app.web.pages import time_left
from app.web.reader import page, templates, voice_of, voice_of_request
from engine.kernel.refusals import IllegalAction, Refusal
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.house import House
    from app.speech import Voice
    from engine.kernel.title import Title

_kept = Kept(100)
EARLIER_ENTRIES = 6
"""So many entries of the log before the reader's last turn are on the page."""
SOON = timedelta(hours=24)
MOST_SINCE = 60
MOST_AHEAD = 20
_GAME, _STATE = Game.__table__, GameState.__table__  # type: ignore[attr-defined]
_SEAT, _PLAYER = GameSeat.__table__, Player.__table__  # type: ignore[attr-defined]
# All that the page of a decision is drawn from; the log goes with `entries`.
_SHOWN = Prepared(
    select(
        _GAME.c.number, _GAME.c.status, _GAME.c.decides, _GAME.c.entries, _GAME.c.deadline_at,
        case((_SEAT.c.place == 0, _STATE.c.state)), _SEAT.c.seat, _SEAT.c.player_id, _SEAT.c.standing,
        _PLAYER.c.name, _PLAYER.c.language, _PLAYER.c.zone,
        *asides.READ_BESIDE.selected_columns,
    )
    .join(_STATE, _STATE.c.game_id == _GAME.c.id)
    .join(_SEAT, _SEAT.c.game_id == _GAME.c.id)
    .outerjoin(_PLAYER, _PLAYER.c.id == _SEAT.c.player_id)
    .where(_GAME.c.id == bindparam("game_id"))
    .order_by(_SEAT.c.place)
)  # fmt: skip


# -- what a person has put in ------------------------------------------------------------------------


@dataclass
class Filled:
    """The form as it was sent, or as it is shown first."""

    draft: list[str] = field(default_factory=list)
    orders: str = ""
    pick: str = ""
    """The chosen line, or `choice:N` for the Nth action with a free subset."""
    items: dict[str, list[str]] = field(default_factory=dict)
    """What is ticked in each action with a free subset."""
    end: bool = False
    ahead: dict[str, str] = field(default_factory=dict)
    standing: str | None = None
    say: str = ""
    note: str | None = None

    @classmethod
    def sent(cls) -> Filled:
        """The form of this request."""
        form = request.form
        draft = _lines(form.get("draft", ""))
        # `line:N` says the Nth line of the draft in another way.
        draft = [" ".join(form.get(f"line:{number}", line).split()) for number, line in enumerate(draft, 1)]
        return cls(
            draft=draft,
            orders=form.get("orders", ""),
            pick=form.get("pick", ""),
            items={name: form.getlist(name) for name in form if name.startswith("choice:")},
            end="end" in form,
            ahead={name.removeprefix("ahead:"): form[name] for name in form if name.startswith("ahead:")},
            standing=form.get("standing"),
            say=form.get("say", ""),
            note=form.get("note"),
        )


@dataclass(frozen=True, slots=True)
class Complaint:
    """Why the form came back: a sentence and, for a line of orders, the line cut at the word that is wrong."""

    message: str
    number: int = 0
    line: str = ""
    word: tuple[int, int] | None = None
    rule: str | None = None
    kept: str = ""
    """What has been played all the same."""

    @property
    def parts(self) -> tuple[str, str, str]:
        start, end = self.word or (0, len(self.line))
        return self.line[:start], self.line[start:end], self.line[end:]


def _lines(text: str) -> list[str]:
    return [line for line in (" ".join(raw.split()) for raw in text.splitlines()) if line]


def _complaint(voice: Voice, refused: LineRefused, kept: str = "") -> Complaint:
    refusal = refused.refusal
    return Complaint(voice.say(refusal.why), refused.number, refused.line, refusal.word, refusal.rule, kept)


# -- showing -----------------------------------------------------------------------------------------


def kept(house: House, token: str) -> Response | None:
    """The page of this link as it was drawn before, if nothing has changed since."""
    drawn = _kept.find((house.config.database_url, token))
    if drawn is None or drawn.until <= datetime.now(UTC):
        return None
    if _SHOWN.glance(house.database, **drawn.about) != drawn.rows:
        return None
    return Response(drawn.page, mimetype="text/html")


def show(house: House, connection: Connection, token: str, game: GameNow, seat: str) -> Response:
    """The decision that is asked, with the draft kept for it. Drawn once for each decision, reader and draft."""
    now = datetime.now(UTC)
    about = {"game_id": game.id, "seat": seat, "number": game.number}
    rows = _SHOWN.glance_within(connection, **about)
    beside = asides.beside(connection, game.id, seat, game.number)
    response = _drawn(connection, house, token, game, seat, Filled(draft=list(beside.draft)), beside, now)
    drawn = Drawn(response.get_data(), rows, same_until(game.deadline_at, now), about)
    _kept.keep((house.config.database_url, token), drawn)
    return response


def shown_again(
    house: House, token: str, game: GameNow, seat: str, filled: Filled, complaint: Complaint | None, status: int
) -> Response:
    """The same page with the form as it was sent, and why it came back."""
    with house.database.read() as connection:
        beside = asides.beside(connection, game.id, seat, game.number)
        now = datetime.now(UTC)
        return _drawn(connection, house, token, game, seat, filled, beside, now, complaint, status)


def _drawn(
    connection: Connection, house: House, token: str, game: GameNow, seat: str, filled: Filled, beside: asides.Beside,
    now: datetime, complaint: Complaint | None = None, status: int = 200,
) -> Response:  # fmt: skip
    title = game.title
    voice = voice_of(game.seated(seat), title)
    happened, changed = _happened(connection, game, seat, voice)
    said = asides.talk(connection, game.id) if beside.newest else ()
    ahead = drafts.play_ahead(title, game.state, seat, filled.draft)
    view = title.view(ahead.state, seat)
    drafted = _drafted(title, game, seat, ahead)
    # What a line shows cannot be shown before; what can be known of it is.
    shown = next((one["preview"]["view"] for one in drafted if one["shows"] and one["preview"]), view)
    foreseen = _foreseen(title, ahead.state if ahead.shows_at is None else game.state, seat, game, filled)
    composing = ahead.shows_at is None and ahead.refused is None and not ahead.ends_by_itself
    kinds, impossible = _kinds(title, ahead.state, seat, filled, voice) if composing else ([], [])
    if ahead.refused is not None and complaint is None:
        complaint = _complaint(voice, ahead.refused)
    return page(
        "turn/show.html", voice, status,
        game=game, token=token, seat=seat, csrf=form_token(house, token), filled=filled, complaint=complaint,
        beside=beside, talk=said, happened=happened, ahead=ahead, view=view, shown=shown,
        facts=facts_of(title.id), parts=parts_of(title.id, voice.lang),
        drafted=drafted, kinds=kinds, impossible=impossible, composing=composing,
        foreseen=foreseen, own_turn=game.on_turn == seat,
        picture=picture(title, shown, voice, changed), text_board=title.board(shown, voice),
        example=_example(title, game.state),
        left=time_left(voice, game.deadline_at, now) if game.deadline_at else "",
        soon=game.deadline_at is not None and game.deadline_at - now < SOON,
        late=game.deadline_at is not None and game.deadline_at <= now,
    )  # fmt: skip


def parts_of(title_id: str, lang: str = "en") -> Any:
    """The macros with what a title shows in its own way."""
    names = [f"games/{title_id}/parts.html", "games/_generic/parts.html"]
    return templates(lang).select_template(names).module


def picture(title: Title, view: Mapping[str, Any], voice: Voice, changed: frozenset[str]) -> str:
    """The board as SVG; empty for a title without a drawing."""
    return board_svg(title.id, view, voice, changed=changed)


def _happened(
    connection: Connection, game: GameNow, seat: str, voice: Voice
) -> tuple[list[dict[str, Any]], frozenset[str]]:
    """The log as the seat saw it, a group each for what came before its last turn and since; the places it names.

    `new` is what came since the seat last answered.
    """
    store = GameStore(connection)
    rows = store.own_answers(game.id, seat, 20)
    seen = rows[0].last_entry if rows else 0
    since = next((row.last_entry for row in rows if row.turn < game.turn), 0)
    first = max(0, since - EARLIER_ENTRIES)
    said: list[dict[str, Any]] = []
    changed = set()
    for number, events in store.events(game.title, game.id, first):
        sentences = turns.said_of(game, events, seat, voice)
        said += [{"text": text, "new": number > seen, "earlier": number <= since} for text in sentences]
        if number > since:
            changed |= {event.place for event in events if isinstance(getattr(event, "place", None), str)}
    return said, frozenset(changed)


def _kinds(
    title: Title, state: Any, seat: str, filled: Filled, voice: Voice
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What can be done now, by kind of action, and which kinds cannot be done and why."""
    due = title.decision(state)
    if due is None or due.seat != seat:
        return [], []
    kinds: dict[str, dict[str, Any]] = {}
    for item in title.legal(state):
        if hasattr(item, "smallest"):
            kind = _kind(kinds, item.kind)
            name = f"choice:{sum(len(other['choices']) for other in kinds.values())}"
            kind["choices"].append(
                {
                    "name": name,
                    "items": item.items,
                    "about": item.describe(),
                    "least": item.least,
                    "most": item.most,
                    "ticked": list(filled.items.get(name, ())),
                }
            )
            kind["open"] = kind["open"] or filled.pick == name or bool(filled.items.get(name))
        else:
            line = title.write(state, item)
            kind = _kind(kinds, line.partition(" ")[0])
            kind["options"].append({"line": line, "data": title.action_to_json(item)})
            kind["open"] = kind["open"] or filled.pick == line
    for kind in kinds.values():
        kind["count"] = len(kind["options"]) + len(kind["choices"])
    reasons: dict[tuple[str, str | None], list[str]] = {}
    for name, refusal in title.impossible(state):
        if name not in kinds:
            reasons.setdefault((voice.say(refusal.why), refusal.rule), []).append(name)
    impossible = [{"names": names, "why": why, "rule": rule} for (why, rule), names in reasons.items()]
    return list(kinds.values()), impossible


def _kind(kinds: dict[str, dict[str, Any]], name: str) -> dict[str, Any]:
    return kinds.setdefault(name, {"name": name, "options": [], "choices": [], "open": False})


def _example(title: Title, state: Any) -> str:
    """A line that could be typed."""
    item = title.legal(state)[0]
    return title.write(state, item.smallest()[0] if hasattr(item, "smallest") else item)


def _drafted(title: Title, game: GameNow, seat: str, ahead: drafts.Ahead) -> list[dict[str, Any]]:
    """The draft's lines: what each means and would do, and whether it shows something."""
    told: list[dict[str, Any]] = []
    for n, (line, action) in enumerate(zip(ahead.lines, ahead.actions, strict=True)):
        before = drafts.play_ahead(title, game.state, seat, ahead.lines[:n]).state if n else game.state
        shows = ahead.shows_at == n + 1
        told.append(
            {
                "line": line, "kind": line.partition(" ")[0], "data": title.action_to_json(action), "shows": shows,
                "preview": title.preview(before, action),
            }
        )  # fmt: skip
    unknown = {"kind": "", "data": None, "shows": False, "preview": None}
    told += [{"line": line, **unknown} for line in ahead.rest]
    if ahead.refused is not None:
        told.append({"line": ahead.refused.line, **unknown, "refused": True})
    return told


def _foreseen(title: Title, state: Any, seat: str, game: GameNow, filled: Filled) -> list[dict[str, Any]]:
    """The questions that may come before the seat's next turn, with the answer given for each so far."""
    found = []
    standing = game.seated(seat).standing
    for question in title.foreseen(state, seat):
        head = question.answers[0].partition(":")[0]
        given = next((line for line in standing if line in question.answers), "")
        found.append(
            {
                "head": head,
                "kind": question.kind,
                "about": question.about,
                "answers": question.answers,
                "certain": question.certain,
                "given": filled.ahead.get(head, given),
            }
        )
    return found


# -- the form's token -----------------------------------------------------------------------------------


def form_token(house: House, token: str) -> str:
    """What a form of this link's page carries, so that only a page that was really shown can be sent."""
    return house.links.sign("form", [token[-24:]])


def _is_from_the_page(house: House, token: str) -> bool:
    try:
        return house.links.read("form", request.form.get("csrf_token", "")) == [token[-24:]]
    except (BadLink, BadData):
        return False


# -- sending -------------------------------------------------------------------------------------------


def submit(house: House, token: str, link: TurnLink) -> Response:
    """The form was sent: it plays, or changes the draft, or says something; or it comes back with the reason."""
    from app.web.turn_api import unknown

    filled = Filled.sent()
    did = request.form.get("do", "send")
    try:
        if not _is_from_the_page(house, token) or request.form.get("decision") != str(link.number):
            return _not_from_here(house, token, link, filled)
        if did in ("say", "note", "standing"):
            return _beside_the_game(house, token, link, filled, did)
        if did == "send":
            return _send(house, token, link, filled)
        return _compose(house, token, link, filled, did)
    except NoSuchGame:
        return unknown()
    except turns.LinkEnded as over:
        return ended(house, token, over)
    except StaleTurn:
        return ended(house, token, _as_ended(house, link), 409)
    except turns.AlreadyDecided as decided:
        return ended(house, token, turns.LinkEnded(decided.game, link.seat, decided.game.entries), 409)


def _as_ended(house: House, link: TurnLink) -> turns.LinkEnded:
    with house.database.read() as connection:
        game = GameStore(connection).load(link.game)
    return turns.LinkEnded(game, link.seat, game.entries)


def _not_from_here(house: House, token: str, link: TurnLink, filled: Filled) -> Response:
    game = turns.look(house.database, link)
    voice = voice_of(game.seated(link.seat))
    if _is_from_the_page(house, token):
        message = voice.gettext("The form was of another decision; look at this one and send it again.")
        return shown_again(house, token, game, link.seat, filled, Complaint(message), 409)
    message = voice.gettext(
        "The form came without the mark of this page, so nothing was sent. Look it over and send it again."
    )
    return shown_again(house, token, game, link.seat, filled, Complaint(message), 400)


def _back(token: str, anchor: str) -> Response:
    return make_response(redirect(f"/t/{token}#{anchor}", 303))


def _compose(house: House, token: str, link: TurnLink, filled: Filled, did: str) -> Response:
    """Change the draft: add what is chosen or typed, take lines back."""
    game = turns.look(house.database, link)
    voice = voice_of(game.seated(link.seat), game.title)
    verb, _, number = did.partition(":")
    if verb == "clear":
        lines: list[str] = []
    elif verb == "undo":
        lines = filled.draft[: max(0, int(number) - 1)] if number.isdigit() else filled.draft[:-1]
    else:
        if verb == "add" and number:
            filled.pick = number  # a button that names its line
        try:
            lines = _said(game, link.seat, filled, to_end=False)
            turns.split_orders("\n".join(lines))
        except Refusal as refusal:
            complaint = _complaint(voice, LineRefused(0, "", refusal))
            return shown_again(house, token, game, link.seat, filled, complaint, 422)
        ahead = drafts.play_ahead(game.title, game.state, link.seat, lines)
        if ahead.refused is not None:
            complaint = _complaint(voice, ahead.refused)
            return shown_again(house, token, game, link.seat, filled, complaint, 422)
        lines = [*ahead.lines, *ahead.rest]
    drafts.keep_draft(house.database, link, lines, now=datetime.now(UTC))
    return _back(token, "draft" if lines else "decide")


def _said(game: GameNow, seat: str, filled: Filled, *, to_end: bool) -> list[str]:
    """All lines of the form in their order: the draft, what is chosen, what is typed, the end of the turn."""
    lines = list(filled.draft)
    chosen = _chosen(game, seat, filled)
    if chosen:
        lines.append(chosen)
    lines += _lines(filled.orders)
    if to_end and filled.end and not chosen and not _lines(filled.orders):
        state = drafts.play_ahead(game.title, game.state, seat, lines).state
        end = game.title.end_of_steps(state)
        if end is not None:
            lines.append(game.title.write(state, end))
    return lines


def _chosen(game: GameNow, seat: str, filled: Filled) -> str:
    """The line of the radio that is set. Ticked cards alone are enough where they belong to one action only."""
    pick = filled.pick
    ticked = [name for name, items in filled.items.items() if items]
    if not pick and len(ticked) == 1:
        pick = ticked[0]
    if not pick.startswith("choice:"):
        return " ".join(pick.split())
    state = drafts.play_ahead(game.title, game.state, seat, filled.draft).state
    choices = [item for item in game.title.legal(state) if hasattr(item, "smallest")]
    number = pick.removeprefix("choice:")
    if not number.isdigit() or int(number) >= len(choices):
        return pick  # a line that cannot be read, so that the reader hears of it
    choice = choices[int(number)]
    picked = filled.items.get(pick, [])
    if not picked and len(choice.smallest()) == 1:
        return str(game.title.write(state, choice.smallest()[0]))
    if not picked:
        return str(choice.kind)
    return str(game.title.write(state, choice.action(picked)))


def _send(house: House, token: str, link: TurnLink, filled: Filled) -> Response:
    """Play the draft with what is chosen and typed, and keep the answers given ahead."""
    game = _as_asked(house, link)
    voice = voice_of(game.seated(link.seat), game.title)
    try:
        lines = _said(game, link.seat, filled, to_end=True)
        if lines != filled.draft and _leaves_a_choice(game, link.seat, lines):
            drafts.keep_draft(house.database, link, lines, now=datetime.now(UTC))
            return _back(token, "draft")
        answers = _answers_ahead(game, link.seat, filled)
        orders = "\n".join(lines) if len(filled.orders) <= LONGEST_ORDERS else filled.orders
        played = turns.play_turn(house.database, link, orders, now=datetime.now(UTC), ahead=answers)
    except turns.OrdersRefused as refused:
        complaint = _complaint(voice, refused.refused)
        return shown_again(house, token, refused.game, link.seat, filled, complaint, 422)
    except Refusal as refusal:
        turns.look(house.database, link)
        complaint = _complaint(voice, LineRefused(0, "", refusal))
        return shown_again(house, token, game, link.seat, filled, complaint, 422)
    return _after(house, played, lines)


def _leaves_a_choice(game: GameNow, seat: str, lines: Sequence[str]) -> bool:
    """Whether a line that its sender has not seen played ahead leaves something out that could be chosen with it."""
    ahead = drafts.play_ahead(game.title, game.state, seat, lines)
    told = _drafted(game.title, game, seat, ahead) if ahead.refused is None else []
    return any(one["preview"]["asks"] for one in told if one["preview"])


def _as_asked(house: House, link: TurnLink) -> GameNow:
    """The game as it stood when the link's decision was owed, so that the same form again means the same orders."""
    with house.database.read() as connection:
        store = GameStore(connection)
        game = store.load(link.game)
        turns.seat_of_link(game, link)
        if game.number <= link.number:
            return game
        steps = [step for _, _, step in store.log(game.title, game.id) if step.decision < link.number]
    state = replayed(game.title, steps)
    before = replace(game, number=link.number)
    before.__dict__["state"] = state
    return before


def _answers_ahead(game: GameNow, seat: str, filled: Filled) -> dict[str, str]:
    """The answers to foreseen questions that change the seat's standing orders. `Unreadable` for nonsense."""
    standing = set(game.seated(seat).standing)
    heads = {line.partition(":")[0] for line in standing}
    answers = {}
    for head, answer in list(filled.ahead.items())[:MOST_AHEAD]:
        if answer and (answer.partition(":")[0] != head or not read_standing(game.title, [answer])):
            raise IllegalAction("ahead.form", Text("This is no answer to the question about “{what}”.", what=head))
        if answer not in standing and (answer or head in heads):
            answers[head] = answer
    return answers


def _after(house: House, played: turns.TurnPlayed, lines: Sequence[str]) -> Response:
    """What the reader sees when orders were played: the next decision, the rest that was refused, or the farewell."""
    from app.web.turn_api import next_link

    game = played.game
    seated = game.seated(played.seat)
    voice = voice_of(seated, game.title)
    following = next_link(played)
    n = len(played.played)
    kept = voice.ngettext("{n} line was played and stays.", "{n} lines were played and stay.", n).format(n=n)
    if played.refused is None and following:
        return make_response(redirect(following.removeprefix(house.links.base_url), 303))
    complaint = None
    if played.refused is not None:
        number = played.refused["line"]
        line = lines[number - 1] if number <= len(lines) else ""
        complaint = Complaint(played.refused["message"], number, line, None, played.refused["rule"], kept)
        if following:
            filled = Filled(orders="\n".join(lines[len(played.played) :]))
            return shown_again(house, following.rpartition("/")[2], game, played.seat, filled, complaint, 422)
    return _done(house, played, complaint)


def _done(house: House, played: turns.TurnPlayed, complaint: Complaint | None) -> Response:
    """The orders are on their way: what they brought, and who decides now."""
    game, seat = played.game, played.seat
    voice = voice_of(game.seated(seat), game.title)
    with house.database.read() as connection:
        store = GameStore(connection)
        happened = turns.what_happened(store, game, seat, voice, store.entry_before_own(game.id, seat))
    view = game.title.view(game.state, seat)
    return page(
        "turn/done.html", voice, 200 if complaint is None else 422,
        game=game, complaint=complaint, happened=happened, decides=_who(game, voice, game.decides),
        picture=picture(game.title, view, voice, frozenset()), text_board=game.title.board(view, voice),
    )  # fmt: skip


def _who(game: GameNow, voice: Voice, seat: str | None) -> str:
    """The player in a seat by name, or the seat's name where nobody sits."""
    return "" if seat is None else game.seated(seat).name or voice.name("seat", seat)


def _beside_the_game(house: House, token: str, link: TurnLink, filled: Filled, did: str) -> Response:
    """Talk, notes and standing orders: nothing of it is a move."""
    now = datetime.now(UTC)
    try:
        if did == "say":
            asides.say(house.database, link, filled.say, now=now)
        elif did == "note":
            asides.keep_note(house.database, link, filled.note or "", now=now)
        else:
            asides.keep_standing(house.database, link, filled.standing or "")
    except (NotAccepted, Refusal) as refused:
        game = turns.look(house.database, link)
        voice = voice_of(game.seated(link.seat), game.title)
        complaint = Complaint(voice.say(refused.why), rule=getattr(refused, "rule", None))
        return shown_again(house, token, game, link.seat, filled, complaint, 422)
    return _back(token, {"say": "talk", "note": "notes", "standing": "standing"}[did])


# -- a link that has ended -------------------------------------------------------------------------------


def ended(house: House, token: str, over: turns.LinkEnded, status: int = 200) -> Response:
    """The link has ended: what a spectator may see, who moved since, and a button for the current link."""
    game = over.game
    voice = voice_of_request().about(game.title)
    since = []
    with house.database.read() as connection:
        for _, at, step in GameStore(connection).log(game.title, game.id, over.since):
            said = turns.said_of(game, step.events, None, voice)
            if said:
                since.append({"who": _who(game, voice, step.seat), "at": at, "said": said})
    view = game.title.view(game.state, None)
    return page(
        "turn/ended.html", voice, status,
        game=game, token=token, since=since[-MOST_SINCE:], decided=status == 409,
        decides=_who(game, voice, game.decides),
        picture=picture(game.title, view, voice, frozenset()), text_board=game.title.board(view, voice),
    )  # fmt: skip
