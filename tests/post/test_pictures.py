"""Mails with the position as a picture, as their readers' programs get them."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes, policy

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.people.tables import MailShows, Player
from app.post.letters import picture_process
from app.post.pages.mailbox import with_pictures
from app.time.reminding import digest
from app.titles.pages import PlainPages
from app.titles.registry import PAGES
from tests.support.tables import NOW, deliver, load, start, write

HTML_BYTES, PICTURE_BYTES, MAIL_BYTES = 102_000, 60_000, 200_000


@pytest.fixture
def painted() -> Iterator[None]:
    picture_process.start()
    yield
    picture_process.stop()


def turn_mail(database: Database, title: str, shows: MailShows = MailShows.HAND) -> tuple[bytes, str, str]:
    """The mail on the wire, its HTML part and its text part."""
    game_id = start(database, title)
    write(database, sa.update(Player).values(mail_shows=shows))
    deliver(database, NOW)
    asked = sa.select(OutboxMail.message).where(OutboxMail.game_id == game_id, OutboxMail.kind == "turn")
    with database.read() as session:
        raw = session.scalars(asked).one()
    assert raw is not None
    mail = message_from_bytes(raw, policy=policy.default)
    html, text = mail.get_body(("html",)), mail.get_body(("plain",))
    assert html is not None and text is not None
    return raw, html.get_content(), text.get_content()


@pytest.mark.parametrize(("title", "names"), [("acres", ["board"]), ("new-world", ["small", "board"])])
def test_the_position_is_a_picture_within_the_mail(
    sqlite_database: Database, painted: None, title: str, names: list[str]
) -> None:
    raw, html, _ = turn_mail(sqlite_database, title)
    mail = message_from_bytes(raw, policy=policy.default)
    pictures = {
        part["Content-ID"]: part.get_content() for part in mail.walk() if part.get_content_type() == "image/png"
    }
    this_mail = mail["Message-ID"].strip("<>")
    assert set(pictures) == {f"<{name}.{this_mail}>" for name in names}, "no other mail has a picture of that name"
    assert all(f'src="cid:{name}.{this_mail}"' in html for name in names) and "<pre" not in html
    assert all(png.startswith(b"\x89PNG") and len(png) <= PICTURE_BYTES for png in pictures.values())
    assert len(html.encode()) <= HTML_BYTES and len(raw) <= MAIL_BYTES
    assert mail.get_content_type() == "multipart/alternative" and not mail.defects
    assert "http://" not in html.replace("http://post.example.org", ""), "nothing is fetched from elsewhere"
    shown = with_pictures(mail)  # as the mailbox of a server without a mail host shows it
    assert "cid:" not in shown and shown.count('src="data:image/png;base64,') == len(names)


def test_each_line_of_a_digest_has_its_small_board(
    sqlite_database: Database, painted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that wait, unless they are so many that the mail would be too large; a title without boards has none."""
    monkeypatch.setitem(PAGES._loaded, "ferry", PlainPages())
    games = [start(sqlite_database, title) for title in ("acres", "new-world", "acres", "new-world", "acres", "ferry")]
    with sqlite_database.write() as session:
        digest.settle(session, 1, "8", True, NOW)
        session.commit()
    morning = NOW + timedelta(days=1)
    digest.send_due(sqlite_database, morning)
    deliver(sqlite_database, morning)
    with sqlite_database.read() as session:
        raw = session.scalars(sa.select(OutboxMail.message).where(OutboxMail.kind == "digest")).one()
    assert raw is not None
    parts = list(message_from_bytes(raw, policy=policy.default).walk())
    boards = {part["Content-ID"]: len(part.get_content()) for part in parts if part.get_content_type() == "image/png"}
    assert {one.partition(".")[0] for one in boards} == {f"<game{game}" for game in games[:-1]} and max(
        boards.values()
    ) < 5_000


def test_how_much_a_mail_shows_is_the_player_s_choice(sqlite_database: Database) -> None:
    _, all_of_it, text = turn_mail(sqlite_database, "acres")
    assert (
        "Your hand" in all_of_it and "On offer" in all_of_it and "What you can do" in all_of_it and "?at=" in all_of_it
    )
    _, table, text = turn_mail(sqlite_database, "acres", MailShows.TABLE)
    assert "Your hand" not in table and "On offer" in table and "Your hand" not in text
    _, link, text = turn_mail(sqlite_database, "acres", MailShows.LINK)
    assert "On offer" not in link and "The position" not in text and "/t/" in link and "/t/" in text


def test_where_the_painter_fails_a_mail_goes_out_without_pictures(
    sqlite_database: Database, painted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture_process.sys, "executable", "/bin/false")  # type: ignore[attr-defined]
    _, html, _ = turn_mail(sqlite_database, "acres")
    assert "cid:" not in html and "<pre" in html
    assert load(sqlite_database, 1).mailed_at is not None


def test_a_painter_with_nothing_to_draw_ends_and_the_next_picture_starts_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(picture_process, "IDLE_SECONDS", 0.5)
    painter = picture_process.Painter()
    for width in (100, 120):
        assert painter.paint('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', width)
        assert painter._process is not None and painter._process.wait(60) == 0
    painter.close()


@pytest.mark.parametrize(
    "asked", [b"\0\0", struct.pack(">?II", True, 120, 9) + b"<svg", struct.pack(">?II", False, 120, 6) + b"<svg/>"]
)
def test_a_painter_whose_server_was_killed_ends_without_a_word(asked: bytes) -> None:
    """In the middle of a question, and while it draws."""
    line = [sys.executable, "-m", "app.post.letters.picture_process", "60"]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe) as left:
        assert left.stdin and left.stdout and left.stderr
        left.stdout.close()
        left.stdin.write(asked)
        left.stdin.close()
        said = left.stderr.read().decode()
    assert "Traceback" not in said and "BrokenPipe" not in said and left.returncode == 0, said
