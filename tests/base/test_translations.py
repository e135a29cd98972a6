"""Every sentence for people exists in every language, whole and with the same placeholders."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message

from app.base.words import catalogues, i18n
from app.post.letters.plain import wrap

TRANSLATED = [language for language in i18n.LANGUAGES if language != i18n.SOURCE_LANGUAGE]


@pytest.fixture(scope="module")
def found() -> Catalog:
    """What the sources ask to be translated."""
    return catalogues.extract()


def keys(catalog: Catalog) -> set[tuple[object, str | None]]:
    return {(message.id, message.context) for message in catalog if message.id}


def forms(value: str | list[str] | tuple[str, ...] | None) -> list[str]:
    return [value or ""] if isinstance(value, str) or value is None else list(value)


def placeholders(sentence: str) -> set[str]:
    """Return `{card}` of the engine's sentences and `%(card)s` of the templates'."""
    braces = {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}
    return braces | set(re.findall(r"%\((\w+)\)", sentence))


def wrong_placeholders(message: Message) -> list[str]:
    """Return the forms of a translation whose placeholders are not those of the English."""
    english, translated = forms(message.id), forms(message.string)
    wrong = [form for form in translated[1:] or translated if placeholders(form) != placeholders(english[-1])]
    # The first of several forms may follow the English singular, which need not name the number.
    if len(translated) > 1 and placeholders(translated[0]) not in [placeholders(form) for form in english]:
        wrong.append(translated[0])
    return wrong


def marked_in(source: str) -> set[str]:
    """Return the sentences that a Python source marks, found without Babel, which does not look into f-strings."""
    found = set()
    for call in ast.walk(ast.parse(source)):
        name = getattr(call.func, "id", getattr(call.func, "attr", "")) if isinstance(call, ast.Call) else ""
        if isinstance(call, ast.Call) and name in catalogues.KEYWORDS:
            places = [place for place in catalogues.KEYWORDS[name] or (1,) if isinstance(place, int)]
            for said in (call.args[place - 1] for place in places if place <= len(call.args)):
                if isinstance(said, ast.Constant) and isinstance(said.value, str):
                    found.add(said.value)
    return found


def test_extraction_finds_every_marked_sentence(found: Catalog) -> None:
    marked: set[str] = set()
    for folder in ("app", "engine"):
        for path in (i18n.ROOT / folder).rglob("*.py"):
            marked |= marked_in(path.read_text(encoding="utf-8"))
    assert marked - {form for message in found for form in forms(message.id)} == set()


def test_a_sentence_is_looked_for_wherever_it_stands() -> None:
    source = """f"{voice.gettext('Sent.')} {n}", ngettext("day", "days", 2), pgettext("verb", "settle")"""
    assert marked_in(source) == {"Sent.", "day", "days", "settle"}


def test_extraction_knows_every_way_to_mark(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/sample.py").write_text(
        'Text("Play {card}.", card=card)\nCounted("{n} fort", "{n} forts", n)\nN_("noun")\n_("plain")\n'
        'pgettext("verb", "settle")\nngettext("day", "days", 2)\n'
    )
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/page.html").write_text("<p>{{ _('Hello %(name)s', name=name) }}</p>")
    (tmp_path / "app/lesson.toml").write_text('over = "The end."\n[[turns]]\nacts = [{ says = "Wait." }]\n')
    (tmp_path / "app/kinds.toml").write_text('[a]\nname = "Pass"\nnumber = "R3"\n[questions]\nby = "By what?"\n')
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/sample.py").write_text('_("not ours")')
    assert keys(catalogues.extract(tmp_path)) == {
        ("Play {card}.", None),
        (("{n} fort", "{n} forts"), None),
        ("noun", None),
        ("plain", None),
        ("settle", "verb"),
        (("day", "days"), None),
        ("Hello %(name)s", None),
        *[(said, None) for said in ("The end.", "Wait.", "Pass", "By what?")],
    }


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_holds_exactly_the_sentences_of_the_sources(language: str, found: Catalog) -> None:
    assert keys(i18n.read_catalogue(language)) == keys(found), "run: python -m app.base.words.catalogues update"


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_sentence_is_empty_or_guessed(language: str) -> None:
    assert catalogues.untranslated(i18n.read_catalogue(language)) == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_keep_the_placeholders(language: str) -> None:
    catalog = i18n.read_catalogue(language)
    assert [bad for message in catalog if message.id and message.string for bad in wrong_placeholders(message)] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_is_written_as_the_command_writes_it(language: str, found: Catalog) -> None:
    """So that a review shows changed sentences and nothing else."""
    assert catalogues.written(catalogues.merged(language, found)) == i18n.po_path(language).read_bytes()


@pytest.mark.parametrize(
    ("english", "translated", "wrong"),
    [
        ("Play {card}.", "Jouez {card}.", False),
        ("Play {card}.", "Jouez {carte}.", True),
        ("Play {card}.", "Jouez.", True),
        ("Hello %(name)s", "Bonjour", True),
        (("one fort", "{n} forts"), ("{n} fort", "{n} forts"), False),
        (("one fort", "{n} forts"), ("un fort", "les forts"), True),
        (("{n} fort", "{n} forts"), ("un fort", "{n} forts"), True),
    ],
)
def test_a_lost_placeholder_is_noticed(english: object, translated: object, wrong: bool) -> None:
    assert bool(wrong_placeholders(Message(english, translated))) is wrong


def test_empty_and_guessed_sentences_are_noticed() -> None:
    catalog = Catalog(locale="fr", fuzzy=False)
    catalog.add("whole", "entier")
    catalog.add("empty")
    catalog.add("guessed", "deviné", flags=["fuzzy"])
    catalog.add(("half", "halves"), ("moitié", ""))
    assert catalogues.untranslated(catalog) == ["empty", "guessed", "half"]


def test_a_changed_sentence_loses_its_translation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(i18n, "TRANSLATIONS", tmp_path)
    old = Catalog(locale="fr", fuzzy=False)
    old.add("Play {card}.", "Jouez {card}.")
    old.add(("{n} fort", "{n} forts"), ("{n} fort", "{n} forts"))
    old.add("gone", "parti")
    i18n.po_path("fr").parent.mkdir(parents=True)
    i18n.po_path("fr").write_bytes(catalogues.written(old))
    found = Catalog(fuzzy=False)
    found.add("Play {card}.")
    found.add("Play {card}")
    found.add(("{n} fort", "{n} forts in all"))
    new = catalogues.merged("fr", found)
    assert {forms(m.id)[0]: forms(m.string)[0] for m in new if m.id} == {
        "Play {card}.": "Jouez {card}.",
        "Play {card}": "",
        "{n} fort": "",
    }


def test_a_catalogue_translates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(i18n, "TRANSLATIONS", tmp_path)
    french = Catalog(locale="fr", fuzzy=False)
    french.add("fort", "fortin")
    french.add(("{n} day", "{n} days"), ("{n} jour", "{n} jours"))
    i18n.po_path("fr").parent.mkdir(parents=True)
    i18n.po_path("fr").write_bytes(catalogues.written(french))
    i18n.catalogue.cache_clear()
    try:
        french_words = i18n.catalogue("fr")
    finally:
        i18n.catalogue.cache_clear()
    assert french_words.gettext("fort") == "fortin"
    assert french_words.gettext("unknown") == "unknown"
    assert [french_words.ngettext("{n} day", "{n} days", n) for n in (0, 1, 2)] == ["{n} jour", "{n} jour", "{n} jours"]


def test_every_language_has_a_catalogue() -> None:
    assert [i18n.catalogue(language).gettext("{unknown}") for language in i18n.LANGUAGES] == ["{unknown}"] * 4
    assert i18n.catalogue("fr") is i18n.catalogue("fr")
    with pytest.raises(ValueError, match="'de' is not one of the languages en, fr, es, it"):
        i18n.catalogue("de")


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("*", "en"),
        ("de", "en"),
        ("fr", "fr"),
        ("fr-CH, en;q=0.8", "fr"),
        ("de, it;q=0.7, en;q=0.3", "it"),
        ("es;q=0.2, en;q=0.9", "en"),
        ("fr;q=0, es;q=0.1", "es"),
        ("no header at all;;q=,,\x00", "en"),
    ],
)
def test_the_reader_s_language_is_found(header: str | None, language: str) -> None:
    assert i18n.negotiate(header) == language


# -- French ------------------------------------------------------------------------------------------------

BARE = re.compile(r"[ \u202f][;:!?»]|«[^\u00a0]|[^\u00a0\s][;!?»](?=\s|$)|[\w)}] %%")
"""What French does not allow: a two-part sign without a no-break space (U+00A0) before it, quotes without one inside. A
colon may occur in text to type, such as `4: 3, 2, 1, 0`.
"""


def bare_signs(sentence: str) -> list[str]:
    """Return the places of a French sentence where a line could break before a sign, or the space is missing."""
    return [found.group() for found in BARE.finditer(re.sub(r"&\w+;", "&", sentence))]


def test_french_has_no_break_spaces_before_its_signs() -> None:
    catalog = i18n.read_catalogue("fr")
    said = [form for message in catalog if message.id for form in forms(message.string)]
    assert [(form, bare) for form in said if (bare := bare_signs(form))] == []


GLUED = re.compile(r"(?:\}\}|%\}|</\w+>)[;:!?](?=\s|$)", re.MULTILINE)
"""A sign right behind something filled in: its space would be the same in every language."""


def test_no_template_glues_with_a_sign_that_french_writes_otherwise() -> None:
    templates = [*Path("templates").rglob("*.html"), *Path("app").rglob("*.html")]
    assert len(templates) > 150
    assert [(path.name, found) for path in templates for found in GLUED.findall(path.read_text("utf-8"))] == []
    assert GLUED.search("<li>{{ what }}: {{ became }}</li>") and not GLUED.search('{{ _("%(label)s:", label=what) }}')


@pytest.mark.parametrize(
    ("sentence", "bare"),
    [
        ("Qui joue\u00a0?", 0),
        ("Qui joue ?", 1),
        ("Qui joue?", 1),
        ("Voici\u00a0: «\u00a0Boston\u00a0»\u00a0; puis rien.", 0),
        ("Voici : « Boston » ; puis rien.", 4),
        ("Un fuseau comme Europe/Paris, à 20:00.", 0),
        ("<b>A&nbsp;: B</b>", 0),
        ("42\u00a0%%", 0),
        ("%(n)s %%", 1),
    ],
)
def test_a_bare_sign_is_noticed(sentence: str, bare: int) -> None:
    assert len(bare_signs(sentence)) == bare


def test_no_line_of_a_mail_begins_with_a_sign() -> None:
    """The plain text of mails is filled to 72 columns; a no-break space must not be broken."""
    for length in range(60, 76):
        text = wrap(f"{'x' * length}\u00a0: «\u00a0la partie\u00a0» est terminée\u00a0; {'y' * 30}\u00a0?")
        assert not any(line[0] in ":;?»" or line[-1] == "«" for line in text.splitlines())


def test_every_sentence_that_code_asks_for_is_in_the_catalogues(found: Catalog) -> None:
    """T12: also where the call stands inside an f-string, which an extraction by tokens does not see."""
    calls = [
        (node.args[0].value, path.name)
        for top in ("app", "engine")
        for path in Path(top).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
        if (getattr(node.func, "attr", None) or getattr(node.func, "id", "")) in ("gettext", "ngettext", "N_")
    ]
    assert len(calls) > 1000 and [one for one in calls if one[0] and found.get(one[0]) is None] == []


# -- one word for one thing --------------------------------------------------------------------------------

OTHER_WORDS = {
    "fr": r"\b(e-)?mails?\b|\bpupitre\b|\bappel d’une décision|\bvacances\b|\béchiquiers?\b|\bcompétitions?\b"
    r"|\btournois?\b|\barpenteurs?\b|\bcarrefours?\b|\bblasons?\b|\binachev\w+|\braideurs?\b|\bliaisons?\b"
    r"|\bennemi\w*|\blocalisation|\bdécliné?e?r?\b|\brend\w* muet|\bactes?\b|\bnulles? et non avenue"
    r"|\bébauch\w+|\bréclam\w+ la partie|\bsalle d’attente|\bpartie classée|\bnon classée"
    r"|\bserveur de courrier|\brèglement\b|\bdépassements? de délai|\bchef indien|\bouvr\w+ une décision"
    r"|\ben route\b|\btoute? seule?\b|\bfaire recours|\brondes? sans jeu\b|\bveuillez\b",
    "es": r"\bpermisos?\b|\bret(o|os|a|ar|ado|ador|adora)\b|\bvacaciones\b|\bapelaci\w+|\beventos?\b"
    r"|clasificatori\w+|puntuación Elo|\bpueblos?\b|bajo asedio|\bbarcas\b|abandon\w+|competici\w+"
    r"|\bcharlas?\b|\bdespachos?\b|\bpapel(es)?\b|propietari\w+|\bsoci[oa]s?\b|\bsustitut\w+"
    r"|registro de actos|de mutuo acuerdo",
    "it": r"\bconged[oi]\b|\bappell[oi]\b|\bevent[oi]\b|\bferie\b|\bcircol[oi]\b|\bmembr[oi]\b|\bscacchier[ae]\b"
    r"|\bscrivani\w+|\breclam(are|a|at[oaie]|arl[ae])\b|\bverbal[ei]\b|\bmonet[ae]\b|\bnemic\w+"
    r"|\bbritannic\w+|\bincursion\w+|\bbattell[oi]\b|\bgratis\b|\bper (posta|mail|email)\b|\bemail\b"
    r"|(?<!e-)\bmail\b|\bpatt[ae]\b|\bcompeti\w+|\bprevedere\b|\bseguente stagione\b|\bstagione seguente\b",
}
"""Words that would name a second time what has its word already (see the table in docs/glossary.md)."""


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_thing_keeps_its_word(language: str) -> None:
    other = re.compile(OTHER_WORDS[language], re.IGNORECASE)
    said = [form for message in i18n.read_catalogue(language) if message.id for form in forms(message.string)]
    bare = (re.sub(r"\{\w+\}|%\(\w+\)s|<[^>]+>", "", form) for form in said)
    assert [(word[0], form) for form in bare if (word := other.search(form))] == [], "the glossary has another word"


def test_a_spanish_deadline_includes_its_day() -> None:
    """“by Saturday” is *hasta el sábado*; *antes del sábado* ends on Friday."""
    catalog = i18n.read_catalogue("es")
    said = [message for message in catalog if message.id and re.search(r"\b(by|until) [%{]", str(message.id))]
    assert [form for message in said for form in forms(message.string) if re.search(r"antes del? [%{]", form)] == []


TRANSLATED_TURNS = ("anew", "oftener", "the own", "are the most", "that is the most", "unwanted mails")
"""Turns of phrase that come from another language. `is no X` is one too, unless it follows `there`."""


def test_english_reads_like_english(found: Catalog) -> None:
    said = [text for message in found for text in (message.id if isinstance(message.id, tuple) else (message.id,))]
    assert not [text for text in said if any(f" {turn} " in f" {text.rstrip('.')} " for turn in TRANSLATED_TURNS)]


SHORT = re.compile(
    r'(?P<tag><\w+)[^<>]*>\s*\{\{-?\s*_\(\s*"(?P<said>[^"%{]+)"\s*\)|(?P<seal>seal)\(_\("(?P<sealed>[^"%{]+)"\)'
)
ACTS, FACTS = {"button", "seal"}, {"td", "th", "option", "em", "small", "dt", "dd", "li", "strong"}


def test_no_short_sentence_is_an_act_here_and_a_fact_there() -> None:
    """A button's verb and a cell's noun can be one word in English (`Place`, `Keep`); no other language has one for
    both."""
    stands: dict[str, set[str]] = {}
    for folder in ("templates", "app/titles"):
        for file in sorted((i18n.ROOT / folder).rglob("*.html")):
            for found in SHORT.finditer(file.read_text(encoding="utf-8")):
                said, where = found["said"] or found["sealed"], found["seal"] or found["tag"][1:]
                if len(said.split()) < 3:
                    stands.setdefault(said, set()).add(where)
    assert len([said for said, where in stands.items() if where & ACTS]) > 30
    assert [said for said, where in stands.items() if where & ACTS and where & FACTS] == []
