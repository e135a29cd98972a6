"""Turns that a native would not write (docs/house-style.md): in no sentence for people, in no text of the rules, in no
docstring or comment, in no document."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from app.base.words import i18n

ROOT = Path(__file__).resolve().parents[2]
_NAMES = "name|by|subject|entrant|opponent|who|seat|guest|one|other"
_PERSON = rf"(?<!équipe )(?<!squadra )(?<!d[ei] )(?<![àa] )[{{%]\(?({_NAMES})(\}}|\)s)"
_MOMENT = r"[{%]\(?(moment|day|date|start|end|until|since)(\}|\)s)"
BANNED = {
    "en": (
        r"(?<!here )\b(is|are) no\b(?! longer| more\b)",  # "there is no" is fine
        r"\bThe most \w+s\b",
        r"\bthe own\b",
        r"\banew\b",
        r"\b[Ss]omebody who\b",
        r"\bthereby\b",
        r"\b(informations|feedbacks|advices)\b",
        r"\w'\w",  # a straight apostrophe
    ),
    "fr": (
        r"\w'\w",
        r"\b[Vv]ous (êtes|avez|pouvez|devez)\b",
        r"\b[Vv]euillez\b",
        r"\beffectu(er|é|ée)\b",
        r"\bau niveau de\b",
        r"[“”]",
        rf"{_PERSON} (est|a été|s’est) (?!parmi|oui)\w+(é|i|u)\b",  # agrees with a person whom nobody knows yet
    ),
    "es": (
        r"\b[Uu]sted(es)?\b",
        r"\ba nivel de\b",
        r"\brealizar\b",
        r"[“”]",
        r"\btodos los [{%]",  # of two it is *ambos*
        rf"{_PERSON} (es|está|fue|ha sido) \w+[aiu]do\b",
    ),
    "it": (
        r"\w'\w",
        r"\bLei\b",
        r"\beffettuare\b",
        r"\ba livello di\b",
        r"\bsuddett[oaie]\b",
        r"[“”]",
        r"\btutt[ie] (i|gli|le) [{%]",  # tutti e due
        rf"\b(il|dal|al|del|nel) {_MOMENT}",  # a day of the week follows: *dom 29 nov*
        r"\b[aA] [{%]\(?title",  # *ad* before A Few Acres of Snow
        rf"{_PERSON} (è|era|si è|è stato) \w+to\b",
    ),
}
"""What each language forbids in a sentence, whoever or whatever its values name."""


# What betrays a translation where engineers read: docstrings, comments and documents.
TRANSLATED = (
    r"\b(for|by|to) who (is|are|has|have|was|does|plays|sits|owes|knows|asks)\b",
    r"(?<!there )(?<!There )\b(is|are|was|were) none\b",
    r"(?<!here )\b(is|are) no\b(?! longer| more\b)",
    r"\bthe own\b",
    r"\banew\b",
    r"\bfor ever\b",
    r"\bthereby\b",
    r"\bheld to be\b",
    r"\b(try|tries|tried) in vain\b",
    r"\bwhat (has |had )?(came|come|comes) of\b",
    r"\bof (which|whom) [^.;:]{0,60}\b(is|are) told\b",
    r"\b[Ss]o long (it|a|an|the|no|is|may|can)\b",
    r"\bSo (many|much)\b",
    r"\. Its \w+\.(\"|$)",  # a riddle: "Found a club. Its slug."
)
ANY_TRANSLATED = re.compile("|".join(TRANSLATED))
NOBODY_NAMED = (r"\b[Ww]hoever\b", r"\b[Ss]omebody\b")  # ordinary for players; engineers name who it is
CODE = ("engine", "app")
DOCUMENTS = ("docs",)
CATALOGUES = ("app/translations/fr",)  # that of any language has the English of all
EXEMPT = ("docs/house-style.md",)  # it quotes them


def sentences(language: str) -> Iterator[str]:
    """All that is said in a language: the catalogue (English by its keys), and the rules, a line each."""
    for message in i18n.read_catalogue("fr" if language == "en" else language):
        said = message.id if language == "en" else message.string
        yield from [said] if isinstance(said, str) else said or ()
    for text in sorted((ROOT / "app" / "titles").glob(f"*/rules/{language}.md")):
        yield from text.read_text(encoding="utf-8").splitlines()


def turns_in(sentence: str, language: str) -> list[str]:
    return [turn for turn in BANNED[language] if re.search(turn, sentence)]


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_no_sentence_has_a_turn_that_a_native_would_not_write(language: str) -> None:
    said = list(sentences(language))
    assert len(said) > 2500
    assert [sentence for sentence in said if turns_in(sentence, language)] == []


@pytest.mark.parametrize(
    ("language", "sentence", "is_bad"),
    [
        ("en", "“{word}” is no step.", True),
        ("en", "There is no step.", False),
        ("en", "There are no mails yet.", False),
        ("en", "The game is no longer open.", False),
        ("en", "The most players", True),
        ("en", "Whoever has the most points wins.", False),
        ("en", "The tiles are dealt anew.", True),
        ("en", "The pace's days", True),
        ("fr", "{name} est parti.", True),
        ("fr", "Le temps de {name} est écoulé.", False),
        ("es", "Son todos los {n} fuertes.", True),
        ("it", "Le iscrizioni chiudono il %(moment)s.", True),
        ("it", "{by} si è iscritto.", True),
        ("it", "Il messaggio a {name} è partito.", False),
    ],
)
def test_the_list_knows_bad_from_good(language: str, sentence: str, is_bad: bool) -> None:
    assert bool(turns_in(sentence, language)) is is_bad


def remarks(source: str) -> Iterator[str]:
    """Docstrings, those of attributes too, and comments, each on one line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield " ".join(node.value.value.split())
    comment: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comment.append(token.string.strip("# "))
        elif token.type != tokenize.NL and comment:
            yield " ".join(comment)
            comment = []


def paragraphs(document: str) -> Iterator[str]:
    """The paragraphs of a Markdown file without its examples, each on one line."""
    for paragraph in re.sub(r"```.*?```", "", document, flags=re.DOTALL).split("\n\n"):
        yield " ".join(paragraph.split())


def msgids(catalogue: str) -> Iterator[str]:
    """The English sentences of a catalogue."""
    for message in read_po(io.StringIO(catalogue)):
        if message.id:  # that of the header is empty
            yield from [message.id] if isinstance(message.id, str) else message.id


READERS: tuple[tuple[tuple[str, ...], str, Callable[[str], Iterator[str]]], ...] = (
    (CODE, "*.py", remarks),
    (DOCUMENTS, "*.md", paragraphs),
    (CATALOGUES, "*.po", msgids),
)


def test_no_docstring_comment_or_document_reads_like_a_translation() -> None:
    found, count = [], 0
    for folders, files, read in READERS:
        for file in (file for folder in folders for file in sorted((ROOT / folder).rglob(files))):
            path = file.relative_to(ROOT).as_posix()
            if path.startswith(EXEMPT):
                continue
            text = file.read_text(encoding="utf-8")
            count += 1
            turns = re.compile("|".join(TRANSLATED + NOBODY_NAMED)) if read is remarks else ANY_TRANSLATED
            if turns.search(" ".join(text.split()).replace(" # ", " ")):  # most need not be taken apart
                found += [f"{path}: {said}" for said in read(text) if turns.search(said)]
    assert count > 400
    assert found == []


@pytest.mark.parametrize(
    ("said", "is_bad"),
    [
        ("None for a mail that is none.", True),
        ("None if there is none.", False),
        ("`seat` is None for a spectator.", False),
        ("Found a club. Its slug.", True),
        ("Found a club and return its slug.", False),
        ("So many games are shown.", True),
        ("A pause of which operators are told once.", True),
        ("So long it is known what became of a mail.", True),
        ("Kept so long as the game is running.", False),
        ("A mail of its own.", False),
    ],
)
def test_the_list_knows_a_translation(said: str, is_bad: bool) -> None:
    assert bool(ANY_TRANSLATED.search(said)) is is_bad


def test_docstrings_comments_documents_and_sentences_are_read() -> None:
    source = '"""Of a module."""\nx = 1  # beside\n"""Of an\nattribute."""\n# on two\n# lines\ny = "no remark"\n'
    assert sorted(remarks(source)) == ["Of a module.", "Of an attribute.", "beside", "on two lines"]
    assert list(paragraphs("# One\n\nTwo\nlines\n```\nno\n```")) == ["# One", "Two lines"]
    assert list(msgids('msgid "One"\nmsgstr ""\n\nmsgid "A"\nmsgid_plural "B"\nmsgstr[0] ""\n')) == ["One", "A", "B"]
