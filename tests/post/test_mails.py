"""Mails: what they say, in every language, and that each is handed over once whatever happens. Played with Ferry."""

from __future__ import annotations

import dataclasses
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.utils import parseaddr
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import example, given
from hypothesis import strategies as st

from app.base.links import Links
from app.base.process.config import Config
from app.base.process.mail_settings import MailHost
from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.outbox import PlannedMail
from app.base.stored.upkeep_tables import Heartbeat
from app.base.words.i18n import LANGUAGES
from app.base.words.speech import Voice
from app.games.store import GameStore
from app.games.tables import Game
from app.games.work import Work
from app.people.tables import Player
from app.play import mails as play_mails
from app.play.turn import chat_and_notes, turns
from app.post.letters import picture_process
from app.post.letters.message import MailBody, WrittenMail, message_bytes
from app.post.letters.writing import QueuedMail
from app.post.out import carrier, mail_leases
from app.post.out.carrier import MOST_AT_ONCE
from app.post.out.mail_leases import LEASE
from app.post.out.sender import Sender
from app.post.route import host, mail_route
from app.titles.registry import TITLES
from engine.acres.state import Question
from tests.support.acres import acres
from tests.support.at_once import at_once
from tests.support.running import free_port
from tests.support.sink import Sink, text_of
from tests.support.tables import KEYS, NOW, hand, link_to, load, say, start, write

BASE = "https://post.example.org"
SNAPSHOT = Path(__file__).parent / "snapshots" / "turn_mail.txt"


def server_of(
    database: Database, sink: Sink | None = None, port: int = 0, tls: str = "offered", connections: int = 4
) -> Server:
    host = MailHost("127.0.0.1", port or sink.port, tls) if sink or port else None
    config = Config(Path("/nowhere"), database.url, BASE, KEYS, host, "Post Road <post@example.org>", "en")
    config = dataclasses.replace(config, mail_connections=connections)
    return Server(config, database, Links(BASE, KEYS))


def states(database: Database) -> list[str]:
    with database.read() as session:
        return list(session.scalars(sa.select(OutboxMail.state).order_by(OutboxMail.id)))


def kept_mails(database: Database) -> list[Any]:
    with database.read() as session:
        raw = session.scalars(sa.select(OutboxMail.message).where(OutboxMail.state == "kept").order_by(OutboxMail.id))
        return [message_from_bytes(each, policy=policy.default) for each in raw]


def claim(sender: Sender) -> list[QueuedMail]:
    """Lease mails and do nothing else."""
    with sender.server.database.write() as session:
        return mail_leases.take(session, sender.name, NOW, 50)


@pytest.fixture
def sink() -> Iterator[Sink]:
    with Sink() as sink:
        yield sink


@pytest.fixture
def fixed_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.games.seeds.seed_of", lambda session, number, now: "05" * 32)
    monkeypatch.setattr("app.games.seeds.new_secret", lambda: bytes(32))


def set_player(database: Database, **values: Any) -> None:
    write(database, sa.update(Player).values(**values))


@pytest.mark.quick
def test_the_turn_mail_reads_as_it_should(sqlite_database: Database, fixed_seed: None) -> None:
    """The whole mail, for a reviewer to read. To renew it after a wanted change, delete the snapshot and run twice."""
    picture_process.stop()  # a page that an earlier test asked for may have started it: the board is text here
    game_id = start(sqlite_database, seats=3)
    set_player(sqlite_database, zone="Europe/Paris")
    red = hand(load(sqlite_database, game_id), "red")
    say(sqlite_database, game_id, f"keep {red[0]}\npeek\ndrop {red[1]}, {red[2]}\nend")
    Sender(server_of(sqlite_database)).send_due(NOW)
    mail = kept_mails(sqlite_database)[0]
    shown = f"Subject: {mail['Subject']}\nTo: {mail['To']}\n\n{text_of(mail)}"
    if not SNAPSHOT.exists():
        SNAPSHOT.parent.mkdir(exist_ok=True)
        SNAPSHOT.write_text(shown, encoding="utf-8")
        pytest.fail("the snapshot was written; read it")
    assert shown == SNAPSHOT.read_text(encoding="utf-8")
    html = mail.get_body(("html",)).get_content()
    for said in (
        "Answer by Sat 28 Nov, 21:00 (CET).",
        f"; dropped {red[1]} and {red[2]}; drew 3 cards.",
        "Take your turn",
        "Pile: 6.",
    ):
        assert said in html
    assert load(sqlite_database, game_id).state.sides["red"].hand[0] not in html + shown


def test_however_much_the_others_chat_the_link_comes_before_gmail_cuts_and_words_break(
    sqlite_database: Database,
) -> None:
    """Gmail cuts after 102,400 bytes of HTML, and knows `word-break: break-word` alone."""
    game_id = start(sqlite_database)
    with Work(sqlite_database) as work:
        for line in range(30):
            chat_and_notes.put_message(work, game_id, "red", f"line {line} " + "&" * 1980, NOW)
        work.commit()
    say(sqlite_database, game_id, "rob blue")
    Sender(server_of(sqlite_database)).send_due(NOW + timedelta(minutes=5))
    html = kept_mails(sqlite_database)[-1].get_body(("html",)).get_content().encode()
    assert 0 < html.index(b"/t/") < 60_000 and b"line 29" in html and b"line 5" not in html
    assert re.search(rb'<td class="inside" style="[^"]*word-break: ?break-word', html)


@pytest.mark.parametrize(("longest", "listed"), [(68, True), (8, False)])
def test_answers_that_would_need_a_longer_line_are_left_to_the_page(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch, longest: int, listed: bool
) -> None:
    """Orders cannot be wrapped: besieging with one card and another for its force can take more than 72 columns."""
    monkeypatch.setattr(play_mails, "LONGEST_ANSWER", longest)
    game_id = start(sqlite_database)
    say(sqlite_database, game_id, "rob blue")
    Sender(server_of(sqlite_database)).send_due(NOW)
    asked = text_of(kept_mails(sqlite_database)[-1])
    assert ("You can answer" in asked) == ("    yield " in asked) == listed


def test_a_mail_asks_with_the_question_and_answers_with_their_results(sqlite_database: Database) -> None:
    """A raid: the question is headline and subject, what is at stake comes first and in the preview of the mail."""
    game_id = start(sqlite_database, "acres")
    places = ["boston", "new-york", "norfolk", "pemaquid", "philadelphia"]
    hand_held = ["boston", "militia", "pemaquid", "rangers", "settlers"]
    raided = acres("french", british_places=places, british_hand=hand_held)
    game, title = load(sqlite_database, game_id), TITLES["acres"]
    state = raided._replace(question=Question("raid", "british", "pemaquid"))
    due = title.decision(state)
    with sqlite_database.write() as session:
        GameStore(session).keep_state(game, state)
        now = {"decides": due.seat, "kind": due.kind, "on_turn": due.on_turn, "turn": due.turn, "number": 2}
        session.execute(sa.update(Game).values(**now))
        session.commit()
    turns.mail_current_link(sqlite_database, link_to(load(sqlite_database, game_id)), now=NOW)
    Sender(server_of(sqlite_database)).send_due(NOW)
    mail = kept_mails(sqlite_database)[-1]
    assert mail["Subject"].startswith("bob raids Pemaquid: your answer by Sat 28 Nov")
    text, html = text_of(mail), mail.get_body(("html",)).get_content()
    assert text.startswith("bob raids Pemaquid: do you block?")
    assert "- Let it happen: 14 to 12 points; bob 29 to 31\n    allow\n- Block it: Pemaquid: stays at 14 points" in text
    assert html.index("Let it happen: 14 to 12 points") < html.index("<h1") < html.index("?at=allow")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_game_of_mails_in_each_language(sqlite_database: Database, language: str) -> None:
    game_id = start(sqlite_database, language=language, options={"turns": 1})
    sender = Sender(server_of(sqlite_database))
    sender.send_due(NOW)
    mail = kept_mails(sqlite_database)[0]
    voice = Voice(language)
    subject = "Your turn, by %(day)s: %(title)s #%(number)s against %(others)s, turn %(turn)s"
    day = voice.day(NOW + timedelta(days=7))
    filled = {"title": "Ferry", "others": "bob", "turn": 1, "day": day, "number": game_id}
    assert mail["Subject"] == voice.gettext(subject) % filled
    assert voice.gettext("What happened") not in text_of(mail) and voice.gettext("The position") in text_of(mail)
    assert f'lang="{language}"' in mail.get_body(("html",)).get_content()
    assert all(len(line) <= 72 for line in text_of(mail).splitlines() if not line.startswith("http"))
    for _ in range(2):
        seat = load(sqlite_database, game_id).decides
        cards = hand(load(sqlite_database, game_id), seat or "")
        say(sqlite_database, game_id, f"peek\nkeep {cards[0]}\nkeep {cards[1]}\nend")
        sender.send_due(NOW)
    assert states(sqlite_database) == ["kept"] * 4


def test_headers_that_mail_programs_rely_on_are_never_encoded_or_cut() -> None:
    long = f"{BASE}/unsubscribe/" + "x" * 200
    letter = WrittenMail(
        "b@example.org", "Zoë", "Ça va: " + "très " * 30, lambda: MailBody("text\n", "<p>html</p>"), "game.7", long
    )
    at = datetime(2026, 11, 21, 20, tzinfo=UTC)
    raw = message_bytes(letter, sender="Post Road <p@example.org>", host="example.org", mail_id="7.abc", at=at)
    assert f"\r\nList-Unsubscribe: <{long}>\r\n".encode() in raw
    assert b"\r\nMessage-ID: <7.abc@example.org>\r\n" in raw and b"\r\nReferences: <game.7@example.org>\r\n" in raw
    assert all(len(line) <= 78 for line in raw.splitlines() if not line.startswith(b"List-Unsub")) and b"\n" in raw
    read = message_from_bytes(raw, policy=policy.default)
    assert read["Subject"].startswith("Ça va: très très") and str(read["To"]).startswith("Zoë")
    sneaky = dataclasses.replace(letter, to_name="A", subject="x\r\nBcc: c@example.org")
    raw = message_bytes(sneaky, sender="p@example.org", host="example.org", mail_id="8", at=at)
    assert message_from_bytes(raw, policy=policy.default)["Bcc"] is None


NAMES = st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp")), max_size=60)


@given(NAMES, NAMES, st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\r"), max_size=300))
def test_what_people_write_arrives_as_it_was_written(name: str, subject: str, text: str) -> None:
    """RFC 5322 lines, RFC 2047 words, quoted-printable parts: read by the standard library they give the same again"""
    name, subject, text = " ".join(name.split()), " ".join(subject.split()), f"x{text}"
    body = MailBody(f"{text}\n", f"<p>{text}</p>\n")
    letter = WrittenMail("b@example.org", name, subject, lambda: body, reply_to=(name, "c@example.org"))
    raw = message_bytes(letter, sender="Póst <p@example.org>", host="example.org", mail_id="7.a", at=NOW)
    head, _, body = raw.partition(b"\r\n\r\n")
    assert head.isascii() and body.isascii() and all(len(line) <= 78 for line in raw.split(b"\r\n"))
    read = message_from_bytes(raw, policy=policy.default)
    assert not read.defects and [read["From"].addresses[0].display_name, read["Date"].datetime] == ["Póst", NOW]
    for header, address in (("To", "b@example.org"), ("Reply-To", "c@example.org")):
        words, _, spec = message_from_bytes(raw)[header].rpartition("<")
        shown = str(make_header(decode_header(words.strip()))) if "=?" in words else parseaddr(f"{words}<{spec}")[0]
        assert (shown, spec.removesuffix(">") or words) == (name, address)
    assert str(read["Subject"]) == subject
    parts = [read.get_body((kind,)) for kind in ("plain", "html")]
    assert [part.get_content().replace("\r\n", "\n") for part in parts if part] == [f"{text}\n", f"<p>{text}</p>\n"]


WORDS = st.one_of(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20),
    st.sampled_from(
        ("Jean-Pierre", "=?utf-8?q?x?=", "=?", "a" * 90, "https://example.org/" + "x-" * 60, "\x07", "é", "W" * 1000)
    ),
)


@given(st.lists(WORDS, min_size=1, max_size=12).map(" ".join))
@example("Your turn, by Mon 11 Jan: Ferry #2 against Anne-Marie and Karl-Heinz Meyer-Landrut, turn 1")
def test_a_subject_that_is_folded_is_the_subject(subject: str) -> None:
    """Unfolded as RFC 5322, 2.2.3 says, and decoded as RFC 2047 does: it is shown as typed, whatever it looks like"""
    name = subject[:60].strip()
    letter = WrittenMail("b@example.org", name, subject, lambda: MailBody("t\n", "<p>t</p>"))
    raw = message_bytes(letter, sender="P <p@example.org>", host="example.org", mail_id="7.a", at=NOW)
    head = raw.partition(b"\r\n\r\n")[0].decode()
    assert all(line.strip() and len(line) <= 998 for line in head.split("\r\n"))
    headers = dict(line.split(": ", 1) for line in re.sub(r"\r\n(?=[ \t])", "", head).split("\r\n"))
    for value, meant in ((headers["Subject"], subject), (headers["To"].rpartition(" <")[0], name)):
        assert str(make_header(decode_header(value))) == meant or parseaddr(f"{value} <b@example.org>")[0] == meant


def test_headers_take_no_line_break() -> None:
    letter = WrittenMail("b@example.org", "A\r\nBcc: c@example.org", "s", lambda: MailBody("t\n", "<p>t</p>"))
    for bad in (
        letter,
        dataclasses.replace(letter, to_name="A", thread="x\r\nBcc: c@example.org"),
        dataclasses.replace(letter, to_name="A", to="b@example.org\r\nBcc: c"),
        dataclasses.replace(letter, to_name="A", unsubscribe="x y"),
    ):
        with pytest.raises(ValueError):
            message_bytes(bad, sender="p@example.org", host="example.org", mail_id="8", at=NOW)


def test_a_mail_whose_decision_is_made_is_dropped_even_when_it_was_written(sqlite_database: Database) -> None:
    game_id = start(sqlite_database)
    sender = Sender(server_of(sqlite_database))
    mail = claim(sender)[0]
    assert carrier.render(sender, mail, NOW)
    say(sqlite_database, game_id, "peek")
    assert sender.send_due(NOW + LEASE) == 1
    assert states(sqlite_database) == ["dropped"]


def test_the_moment_of_the_hand_over_is_kept_with_the_decision(sqlite_database: Database, sink: Sink) -> None:
    game_id = start(sqlite_database)
    sender = Sender(server_of(sqlite_database, sink))
    sender.send_due(NOW + timedelta(minutes=3))
    sender.close()
    assert load(sqlite_database, game_id).mailed_at == NOW + timedelta(minutes=3)


def test_a_refusal_for_now_is_tried_again_later_and_one_of_the_address_is_not(
    sqlite_database: Database, sink: Sink
) -> None:
    start(sqlite_database)
    sender, pauses, now = Sender(server_of(sqlite_database, sink)), [], NOW
    sink.answer = "451 later"
    for _ in range(7):
        assert sender.send_due(now) == 1
        with sqlite_database.read() as session:
            due = session.scalar(sa.select(OutboxMail.due_at))
        pauses.append((due - now).total_seconds())
        assert sender.send_due(due - timedelta(seconds=1)) == 0
        now = due
    assert pauses == [30, 60, 120, 240, 480, 600, 600]
    sink.answer = "550 5.1.1 no such mailbox"
    assert sender.send_due(now) == 1 and states(sqlite_database) == ["failed"]
    assert sender.send_due(now + timedelta(days=1)) == 0
    sender.close()


def test_a_dead_host_leaves_every_mail_as_it_was(sqlite_database: Database) -> None:
    start(sqlite_database)
    start(sqlite_database)
    sender = Sender(server_of(sqlite_database, port=free_port()))
    for day in range(20):
        sender.send_due(NOW + timedelta(days=day))
    with sqlite_database.read() as session:
        rows = session.execute(sa.select(OutboxMail.state, OutboxMail.attempts, OutboxMail.claimed_by)).all()
        paused = mail_route.pauses(session)
    assert [tuple(row) for row in rows] == [("waiting", 0, None)] * 2
    assert [(pause.paused_at, pause.stage) for pause in paused] == [(NOW, "connect")]


def test_mails_count_as_going_out_only_when_none_is_on_its_way(sqlite_database: Database, sink: Sink) -> None:
    def beats() -> list[str]:
        with sqlite_database.read() as session:
            return list(session.scalars(sa.select(Heartbeat.job)))

    sender, hands_over = Sender(server_of(sqlite_database, sink)), Sender(server_of(sqlite_database, sink))
    start(sqlite_database)
    mail = claim(hands_over)[0]
    sender._look(NOW)
    assert beats() == [], "its host has not answered yet"
    with sqlite_database.write() as session:
        mail_leases.done(session, hands_over.name, mail, "sent", NOW)
        session.commit()
    sender._look(NOW)
    assert beats() == ["mail"]


def test_without_encryption_nothing_is_sent_where_it_is_required(sqlite_database: Database, sink: Sink) -> None:
    start(sqlite_database)
    Sender(server_of(sqlite_database, sink, tls="required")).send_due(NOW)
    assert not sink.taken and states(sqlite_database) == ["waiting"]
    with sqlite_database.read() as session:
        assert "STARTTLS" in (mail_route.pauses(session)[0].reason or "")


def test_a_killed_sender_s_mails_come_up_again_and_differ_by_their_date_alone(
    sqlite_database: Database, sink: Sink
) -> None:
    start(sqlite_database)
    killed = Sender(server_of(sqlite_database, sink))
    written = carrier.render(killed, claim(killed)[0], NOW)
    other = Sender(server_of(sqlite_database, sink))
    assert other.send_due(NOW + LEASE - timedelta(seconds=1)) == 0
    assert other.send_due(NOW + LEASE) == 1
    other.close()
    date = re.compile(rb"\r\nDate: [^\r]+")
    assert written and [date.sub(b"", raw) for _, raw in sink.taken] == [date.sub(b"", written)]


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip rendering: only the hand-over matters."""
    monkeypatch.setattr(carrier, "render", lambda sender, mail, now: b"Subject: x\r\n\r\nready-made\r\n")


def test_senders_side_by_side_hand_each_mail_over_once(database: Database, sink: Sink, ready: None) -> None:
    with Work(database) as work:
        work.session.execute(
            sa.insert(Player).values(
                address="a@example.org", address_key="a@example.org", name="A", language="en", zone="UTC",
                role="player", mail_turns=True, mail_reminders=True, mail_news=True, created_at=NOW,
            )
        )  # fmt: skip
        work.outbox.add((PlannedMail(f"test:{n}", "turn", f"m{n}@example.org", 1) for n in range(120)), NOW)
        work.outbox.add((PlannedMail(f"test:{n}", "turn", f"m{n}@example.org", 1) for n in range(120)), NOW)
        work.commit()
    senders = [Sender(server_of(database, sink)) for _ in range(3)]

    def run(sender: Sender) -> None:
        while sender.send_due(NOW):
            pass
        sender.close()

    at_once(*[lambda one=one: run(one) for one in senders])
    assert sorted(address for address, _ in sink.taken) == sorted(f"m{n}@example.org" for n in range(120))
    assert states(database) == ["sent"] * 120


def put_in(database: Database, start: int, n: int) -> None:
    """Mails in the outbox."""
    now = datetime.now(UTC)
    with Work(database) as work:
        numbers = range(start, start + n)
        work.outbox.add((PlannedMail(f"test:{n}", "turn", f"m{n}@example.org", None) for n in numbers), now)
        work.commit()


def test_one_connection_is_for_many_mails_also_of_several_batches(
    sqlite_database: Database, sink: Sink, ready: None
) -> None:
    many = 3 * MOST_AT_ONCE
    put_in(sqlite_database, 0, many)
    stop = threading.Event()
    running = threading.Thread(target=Sender(server_of(sqlite_database, sink, connections=1)).run, args=(stop,))
    running.start()
    try:
        sink.wait(many)
        put_in(sqlite_database, 1000, 5)
        sink.wait(many + 5)
    finally:
        stop.set()
        running.join(60)
    assert sink.connections == 1 and len(sink.taken) == many + 5


def test_a_connection_that_the_host_has_dropped_meanwhile_is_opened_anew(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch, ready: None
) -> None:
    monkeypatch.setattr(host, "IDLE_SECONDS", 0)
    with Sink() as first:
        port = first.port
        put_in(sqlite_database, 0, 1)
        sender = Sender(server_of(sqlite_database, port=port))
        assert sender.send_due(datetime.now(UTC)) == 1
        dropped = sender._carriers[0].connection._smtp  # type: ignore[union-attr]
        dropped.sock.shutdown(2)  # type: ignore[union-attr]
        put_in(sqlite_database, 1, 1)
        assert sender.send_due(datetime.now(UTC)) == 1
        sender.close()
        assert first.connections == 2 and len(first.taken) == 2


def test_the_sender_finds_its_mails_by_the_small_index(sqlite_database: Database) -> None:
    from app.time.reminding.reminders import ANY_DUE as REMINDERS_DUE

    with sqlite_database.read() as session:
        for asked, index in (
            (mail_leases.ANY_DUE._statement, "ix_outbox_mail_due_at"),
            (REMINDERS_DUE, "ix_game_remind_at"),
        ):
            made = asked.compile(session.connection(), compile_kwargs={"render_postcompile": True})
            given = made.construct_params({"now": "2026-11-21"})
            values = tuple(given[name] for name in made.positiontup or ())
            plan = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {made}", values).fetchall()
            assert index in str(plan)


def test_there_is_a_reader_for_every_mail(sqlite_database: Database) -> None:
    """A game whose player is gone sends nothing and breaks nothing."""
    start(sqlite_database)
    write(sqlite_database, sa.delete(Player).where(Player.id == 1))
    assert Sender(server_of(sqlite_database)).send_due(NOW) == 0
    with sqlite_database.read() as session:
        assert session.scalar(sa.select(Game.status)) == "running"
