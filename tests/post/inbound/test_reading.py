"""The text above our own words in a mail, however a program quotes them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage, Message
from email.utils import parseaddr
from functools import cache

import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from app.base.stored.database import Database
from app.people.tables import Player
from app.play.replies import words
from app.post.inbound import reading
from app.post.inbound.above import TOKEN, OurMarkers
from app.post.letters.reply_addresses import Tags
from app.post.letters.writing import markers
from tests.support.inbound import way_in
from tests.support.other_programs import HEADERS, RULES, SENTENCES, SIGNATURES, html, texts
from tests.support.quoting import LANGUAGES, STYLES, Quoted, composed
from tests.support.replies import Correspondence
from tests.support.sink import text_of
from tests.support.tables import KEYS, start, write

TAGS = Tags("Post Road <post@example.org>", KEYS)


def is_order(line: str) -> bool:
    """Return whether Ferry would read a line, without its state."""
    return words.is_one(line) or bool(re.fullmatch(r"drop elm-\d|rob \w+", words.without_bullet(line)))


OURS = OurMarkers(TAGS.is_ours, "Post Road", markers(), "Your turn in Ferry", is_order, "Smith, Alice")
SAID = "settle quebec from montreal with settlers\n\nbesiege B5\nend"
ANSWERS = (SAID, "pass", "drop elm-1\nend\nyes", "oui", "chat: well played, Post Road\nend")


def read(mail: Message) -> words.SaidByMail:
    return words.read(reading.read(mail, OURS), "A name at the table")


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
            write(database, sa.update(Player).values(language=lang))
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


# -- programs, languages and shapes -------------------------------------------------------------------

ORDERS = "drop elm-1\nrob blue\nend"
BODY = (
    "alice, it is your turn against bob.\n\nYou can answer\n\n    drop elm-9\n    rob red\n    end\n\n-- \nPost Road\n"
)
OF_HTML = "<h1>alice, it is your turn.</h1><pre>drop elm-9</pre><p>end</p>"


def quoted(line: str) -> Quoted:
    """Return our mail with what is left of the line above which the answer is written."""
    return Quoted(f"{line}\n\n{BODY}" if line else BODY, f"<p>{line}</p>{OF_HTML}", TAGS.address("r", 1), "en")


WHOLE, UNSIGNED, GONE = quoted(TOKEN + markers()[0]), quoted(markers()[0]), quoted("")


def is_played(said: words.SaidByMail) -> bool:
    return bool(said.orders) and all(line == "end" or is_order(line) for line in said.orders)


def test_answers_of_many_programs_are_their_orders_or_nothing() -> None:
    """The orders exactly in 95 of 100; otherwise the whole answer is refused."""
    exact, others = 0, []
    for ours in (WHOLE, UNSIGNED, GONE):
        for what, parts in (*texts(ORDERS, ours), *html(ORDERS, ours)):
            said = read(composed(parts))
            exact += said == as_written(ORDERS)
            if said != as_written(ORDERS):
                others.append((what, ours is GONE, is_played(said)))
    assert exact >= 900 and len(others) <= exact / 20
    # A short rule can be the author's own, so that nobody knows whose the orders below it are.
    assert all(what.startswith("rule") and is_gone and not plays for what, is_gone, plays in others), others


OWN = {
    "chat: this is what bob wrote:\n> hello": (("drop elm-1",), ("this is what bob wrote:",)),
    "\nSent from my iPhone": (("drop elm-1",), ()),
    "\n\nCheers,\nAlice Smith\nSent from my Pixel 8": (("drop elm-1",), ()),
    "\n\nSent from my iPhone\nPlease excuse typos": (("drop elm-1",), ()),
    "\n\nLG\nAlice\n\nOdoslané z iPhonu": (("drop elm-1",), ()),
    "\n\nAlice Smith\nA street, 5\n+44 20 5550 1234\n\nSent via Superhuman (https://example.com/?vip=a)": (
        ("drop elm-1",),
        (),
    ),
    "\n\nThis message may be confidential. If you are not the\nintended recipient, please delete it at once.": (
        ("drop elm-1",),
        (),
    ),
    "chat: a sentence that was broken by a program in its seventieth\ncolumn, on my iPhone": (
        ("drop elm-1",),
        ("a sentence that was broken by a program in its seventieth column, on my iPhone",),
    ),
    "\nOn Nov 21, 2026, Bob <b@example.net> wrote:\n> hello": (("drop elm-1",), ()),
    "\n> hello\n> you\n\n____\nA list\nhttps://example.net": (("drop elm-1",), ()),
}
NOT_UNDERSTOOD = (
    "\n> quote\npreview", "\n> quote\n\nactually, leave it", "\n-----\npreview", "\n-- \npreview",
    "\nplease hold it until 20:00:\n> hello", "\n\nSent from my iPhone\n\ndrop elm-2", "\n--- preview ---\nx",
    "\n*** only a preview ***",
    "\n\nno, wait\nAlice", "\ndrpo elm-2\n\nAlice", "\n\nBob", "\nAlice\ndrpo elm-2",
    "\n\nBefore you play this look at my next mail, because it is confidential what is planned with it.",
    "\n\nNot from my phone, wait until I am home", "\ndrpo elm-2\n\nSent from my iPhone",
    "\ndrpo elm-2\n\nOn 21/11/2026, Post Road wrote:\n> hello", "\nPlan: a\nNote: b\nEnd: c",
)  # fmt: skip


def test_the_author_s_own_words_are_never_cut() -> None:
    """Readable lines that look like a quote or a signature are kept; anything else refuses the whole answer."""
    for below, (orders, chat) in OWN.items():
        said = read(composed((f"drop elm-1\n{below}", "")))
        assert (said.orders, said.chat) == (orders, chat), below
    for below in NOT_UNDERSTOOD:
        said = read(composed((f"drop elm-1{below}", "")))
        assert said.preview or not is_played(said), below


def test_html_is_read_as_it_is_shown() -> None:
    struck = "<p><s>drop elm-1</s></p><p>drop elm-2</p>"
    for text in ("", "drop elm-1\ndrop elm-2\n"):
        assert read(composed((text, struck))).orders == ("drop elm-2",)
    assert read(composed(("", "<head><meta charset='utf-8'><body><p>drop elm-2</p>"))).orders == ("drop elm-2",)
    for style in ("display: none", "visibility:hidden", "font-size:0", "text-decoration: underline line-through"):
        assert read(composed(("", f"<p>drop elm-2</p><p style='{style}'>end</p>"))).orders == ("drop elm-2",), style
    for below in ("preview", "no, wait"):
        said = read(composed(("", f"<p>drop elm-1</p><blockquote>hello</blockquote><p>{below}</p>")))
        assert not is_played(said), below


def test_all_texts_of_a_mail_are_read_in_their_order() -> None:
    """A picture set between words makes three parts of them."""
    mail = EmailMessage()
    mail.set_content("drop elm-1\n")
    mail.make_mixed()
    mail.add_attachment(b"\x89PNG", "image", "png", disposition="inline", filename="a.png")
    for more in ("drop elm-2\n", "preview\n"):
        part = EmailMessage()
        part.set_content(more)
        mail.attach(part)
    said = read(mail)
    assert said.orders == ("drop elm-1", "drop elm-2") and said.preview


LINES = st.sampled_from(("drop elm-1", "drop elm-2", "rob blue", "end"))
BETWEEN = st.sampled_from(("\n", "\n\n", "\n \n\n"))
SIGNS = st.sampled_from(("", *SIGNATURES, "-- \nAlice\nA street, 5"))
HEADS = st.sampled_from((
    *(one.format(us=us) for one in SENTENCES for us in ("Post Road", f"Post Road <{WHOLE.address}>")),
    *("\n".join(f"{word}: {said}" for word, said in zip(words_of, ("Post Road", "21.11.2026", "a", "x"), strict=True))
      for words_of in HEADERS), *RULES, "",
))  # fmt: skip


def test_who_has_no_name_here_may_sign_with_the_name_of_their_program() -> None:
    said = words.read("pass\n\nBye\nAnna", "New player 1", "Anna Smith")
    assert said == words.read("pass") != words.read("pass\n\nBye\nAnna", "New player 1")


@given(st.lists(LINES, min_size=1, max_size=4), SIGNS, HEADS, st.sampled_from((WHOLE, UNSIGNED, GONE)),
       st.sampled_from(("> ", ">", "| ", "")), BETWEEN, BETWEEN)  # fmt: skip
def test_whatever_stands_below_the_orders_are_played_or_nothing(
    lines: list[str], sign: str, head: str, ours: Quoted, mark: str, first: str, second: str
) -> None:
    quote = "\n".join(mark + line for line in ours.text.splitlines())
    text = first.join([*lines, ""]) + first + sign + second + head + second + quote
    said = read(composed((text, "")))
    assert said == as_written("\n".join(lines)) or not is_played(said)
    if mark and head not in RULES and ours is not GONE:
        assert is_played(said)
