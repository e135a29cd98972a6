"""What stands above our own words in a mail, however a program quotes them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage, Message
from email.utils import parseaddr
from functools import cache

import sqlalchemy as sa

from app.base.database import Database
from app.people.tables import Player
from app.play.replies import words
from app.post.inbound import reading
from app.post.inbound.above import Ours
from app.post.tags import Tags
from app.post.writing import markers
from tests.support.inbound import way_in
from tests.support.quoting import LANGUAGES, STYLES, Quoted, composed
from tests.support.replies import Correspondence
from tests.support.sink import text_of
from tests.support.tables import KEYS, start

OURS = Ours(Tags("Post Road <post@example.org>", KEYS).is_ours, "Post Road", markers(), says=words.is_one)
SAID = "settle quebec from montreal with settlers\n\nbesiege B5\nend"
ANSWERS = (SAID, "pass", "drop elm-1\nend\nyes", "oui", "chat: well played, Post Road\nend")


def read(mail: Message) -> words.SaidByMail:
    return words.read(reading.read(mail, OURS), "Alice Smith")


@cache
def as_written(said: str) -> words.SaidByMail:
    return words.read(said)


def html_of(mail: EmailMessage) -> str:
    part = mail.get_body(("html",))
    assert part is not None
    return str(part.get_content())


def our_mails(database: Database) -> list[Quoted]:
    """Mails that ask something: turns of three titles, and answers to answers in every language."""
    found = []
    for title in ("ferry", "acres", "new-world"):
        start(database, title, pace=timedelta(days=3))
    with way_in(database) as way:
        post = Correspondence(way)
        turns = way.sink.mails()
        for lang in LANGUAGES:
            with database.write() as session:
                session.execute(sa.update(Player).values(language=lang))
                session.commit()
            way.sink.taken.clear()
            for mail in turns:
                post.says("alice", "help", to=parseaddr(str(mail["Reply-To"]))[1])
            for mail in [*(turns if lang == "en" else []), *way.sink.mails()]:
                found.append(Quoted(text_of(mail), html_of(mail), parseaddr(str(mail["Reply-To"]))[1], lang))
    return found


def test_our_own_mails_below_an_answer_change_nothing_of_it(sqlite_database: Database) -> None:
    ours = our_mails(sqlite_database)
    assert len(ours) >= 15 and {quoted.lang for quoted in ours} == set(LANGUAGES)
    wrong = []
    for n, quoted in enumerate(ours):
        for style in STYLES:
            for lang in LANGUAGES if n % 5 == 0 else (quoted.lang,):
                said = ANSWERS[(n + len(style.__name__)) % len(ANSWERS)]
                got = read(composed(style(said, replace(quoted, lang=lang))))
                if got != as_written(said):
                    wrong.append((style.__name__, lang, said, got))
    assert wrong == []
