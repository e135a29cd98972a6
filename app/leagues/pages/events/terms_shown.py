"""What the page of an event's terms shows: each sentence, its fields, and what was typed or stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import zip_longest
from typing import Any

from sqlmodel import Session

from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice, capital
from app.clocks.pace import DEFAULT, Pace, simple
from app.leagues.events import term_words as words
from app.leagues.events.lifecycle import LONGEST_SIGN_UP, MOST_DIVISIONS
from app.leagues.pages.common import end_of_day, moment_of
from app.leagues.pages.events import kinds, term_texts
from app.leagues.pages.events.terms_form import COLUMNS, CompetitionForm, TermsForm, end_of_sign_up
from app.leagues.pure import terms as pure
from app.leagues.pure.formats import FORMATS, Format
from app.leagues.pure.tie_break_names import TIE_BREAKS
from app.leagues.pure.tiebreaks import RECIPES, recipes_of, usual_tie_breaks
from app.leagues.rounds import length
from app.leagues.tables import Club, Competition
from app.lobby import options
from app.lobby.pages.open_games import option_field
from app.lobby.pages.pace_form import choices, filled
from app.time.pace_words import after_in_words, pace_in_words
from app.titles.pages import pages_of
from app.web import visit
from engine.kernel.refusals import Refusal
from engine.kernel.text import Counted
from engine.kernel.title import Title

FEWEST_ROWS, SPARE_ROWS = 4, 2
"""The minimum number of rows for divisions, and how many empty ones follow the existing rows."""
SPARE_DATES = 3
FEW_WEEKS = (1, 2, 3, 4, 6, 8, 10, 12, 16, 26, 52)
"""The lengths of a round that can be chosen at the beginning."""
PACE_FIELDS = ("pace", "days", "off", "bank", "increment", "cap", "free", "hour", "zone", "course")
ELSEWHERE = {
    **dict.fromkeys(PACE_FIELDS, "late"),
    **dict.fromkeys(("division_name", "promoted", "relegated", "parts"), "divisions"),
    **dict.fromkeys(("season", "sign_up_until"), "entry"),
    "sign_up_from": "itself",
    "option": "rules",
    **dict.fromkeys(("format",), "play"),
}
"""The sentences of fields that are not terms."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The answers to the three questions."""

    title: Title
    kind: str
    begins: date | None
    weeks: int
    days: int
    at_once: bool

    @property
    def terms(self) -> pure.Terms:
        """The terms that follow from them."""
        kind, scores = kinds.KINDS[self.kind], pages_of(self.title.id).scores
        breaks = usual_tie_breaks(kind.key, scores=scores)
        usual = replace(pure.USUAL, **kind.usual, tie_breaks=breaks)
        return replace(usual, at_once=self.at_once, round_days=self.weeks * 7 or None)

    def filled(self, voice: Voice, zone: str) -> dict[str, Any]:
        """Return the fields that follow from them."""
        year = (self.begins or visit.now().date()).year
        last = self.begins - timedelta(days=1) if self.begins else None
        return {
            "name": f"{voice.gettext(kinds.KINDS[self.kind].title)} {year}",
            "season": str(year),
            "format": kinds.KINDS[self.kind].key,
            "sign_up_until": moment_of(end_of_day(last, zone), zone),
            **filled(simple(timedelta(days=self.days))),
        }


def context(
    session: Session,
    voice: Voice,
    title: Title,
    stands: Competition | Asked,
    club: Club,
    *,
    like: bool = False,
) -> dict[str, Any]:
    """Return what `leagues/events/_terms.html` needs: what was typed, else the terms of the event, or those that
    follow from three answers. `like`: for another event like it, without dates, season and the rows of its divisions.
    """
    zone = club.zone
    terms, pace = stands.terms, simple(timedelta(days=stands.days)) if isinstance(stands, Asked) else stands.pace
    if like:
        terms = replace(terms, round_dates=())
    form = TermsForm.shown(**_standing(voice, stands, terms, zone, like=like))
    kind = stands.kind if isinstance(stands, Asked) else kinds.of(stands.format, teams=bool(terms.boards))
    refused = visit.refused()
    faults: Sequence[tuple[str, str]] = ()
    if refused is not None and refused.form is TermsForm:
        typed = TermsForm.read()
        kind, pace = typed.kind_of(), _readable_pace(typed, zone)
        terms, _ = typed.readable(None if isinstance(stands, Asked) or like else stands.terms)
        faults = refused.faults or ([(refused.field, refused.said)] if refused.said else [])
    fields = kinds.fields_of(kind, form.format or kinds.KINDS[kind].key)
    of_field = ELSEWHERE | {name: key for key, group in fields.items() for name in group}
    of_field |= {f"places_{size}": "points" for size in term_texts.SIZES}
    people = length.expected(session, [club.id], None if like or isinstance(stands, Asked) else stands)
    said = _said(voice, title, form, terms, zone, people)
    said["late"] = [*_pace_said(voice, pace), *said["late"]]
    by_place = pure.TERMS["places"]
    kept = str(form.do).partition("keep.")  # the sentence whose *Keep this* was pressed
    columns = (getattr(form, name) for name in COLUMNS)
    known = form.format if form.format in FORMATS else kinds.KINDS[kind].key
    offered = dict.fromkeys([*recipes_of(known), *filter(RECIPES.get, [form.recipe])])
    return {
        "title": title,
        "form": form,
        "kind": kind,
        "kinds": kinds.KINDS,
        "declared": pure.TERMS,
        "its_zone": zone,
        "most_divisions": MOST_DIVISIONS,
        "sentences": [(key, " ".join(said[key]), group) for key, group in fields.items() if said[key]],
        "open": {of_field.get(field, "") for field, _ in faults} | {kept[2]},
        "all_faults": [(_anchor(form, field), sentence) for field, sentence in faults],
        "too_short": too_short(voice, title, pace, terms, str(form.format)),
        "rows": [row[:4] for row in zip_longest(*columns, range(FEWEST_ROWS), fillvalue="")],
        "dates": [*filter(None, form.round_dates), *[""] * SPARE_DATES],
        "choices": {
            name: [(value, voice.gettext(word)) for value, word in one.kind.names.items()]
            for name, one in term_texts.TERMS.items()
        },
        "recipes": [
            *((key, voice.gettext(TIE_BREAKS[key].name)) for key in offered),
            (term_texts.OWN_ORDER, voice.gettext("own order")),
        ],
        "order": RECIPES.get(form.recipe, ()),
        "places": {size: voice.gettext(by_place.label, n=size) for size in term_texts.SIZES},
        "fields": [option_field(voice.about(title), field, form.option) for field in title.option_fields({})],
        "choose": choices(session, voice, zone),
        "team_formats": [(key, voice.gettext(one.about)) for key, one in FORMATS.items() if one.for_teams],
    }


def _anchor(form: Any, field: str) -> str:  # noqa: ANN401  a form as its page shows it
    if field in pure.TERMS and pure.TERMS[field].kind.name == "order":
        return f"{field}.1"
    if field in ("division_name", "promoted", "relegated"):
        return "divisions"
    if field in ("option", ""):
        return "rules" if field else ""
    return str(form.about(field)["key"])


def _readable_pace(typed: CompetitionForm, zone: str) -> Pace:
    try:
        return typed.described(zone)
    except Refusal:
        return DEFAULT


# -- sentences ------------------------------------------------------------------------------------------


def _sign_up_until(voice: Voice, typed: str, zone: str) -> str:
    """Return when sign-up closes as people say it, in the time of the club; what cannot be read as it was typed."""
    try:
        at = end_of_sign_up(typed, zone)
    except NotAccepted:
        return typed
    return "" if at is None else Voice(voice.lang, zone).moment(at)


def _said(
    voice: Voice,
    title: Title,
    form: Any,  # noqa: ANN401
    terms: pure.Terms,
    zone: str,
    people: int,
) -> dict[str, list[str]]:
    """Return each sentence but those of the pace."""
    format = str(form.format)
    named = [name for name in form.division_name if str(name).strip()]
    many = len(named) or int(form.parts if str(form.parts).isdigit() and len(str(form.parts)) < 3 else 1)
    said = words.by_group(format, terms, voice)
    said["play"] = [voice.gettext(kinds.KINDS[kinds.of(format, teams=bool(terms.boards))].about), *said["play"]]
    if format != Format.LADDER:  # which has no rounds
        by_hand = voice.gettext("Organisers start it, and close, pair and publish its rounds.")
        said["rounds"] = said["rounds"] or [voice.gettext("A round is over when its games are.")]
        said["itself"] = said["itself"] or [by_hand]
    if lasts := _lasts(voice, form, terms, zone, many, people):
        said["rounds"].append(lasts)
    until = _sign_up_until(voice, str(form.sign_up_until), zone)
    closes = (
        voice.gettext("Sign-up closes on {moment}.", moment=until)
        if until
        else voice.gettext("Sign-up closes when an organiser starts the event.")
    )
    said["entry"].append(closes)
    divisions = Counted("There is {n} division.", "There are {n} divisions.", n=many)
    said["divisions"] = [voice.say(divisions), *([f"{voice.join(list(map(str, named)))}."] if len(named) > 1 else [])]
    chosen = [
        voice.gettext("{label}: {value}", label=label, value=value)
        for label, value in _options_said(voice, title, form)
    ]
    said["rules"] = [
        voice.gettext("Rules of the game: {rules}.", rules=voice.clauses(chosen) or voice.gettext("usual"))
    ]
    return said


def _lasts(voice: Voice, form: Any, terms: pure.Terms, zone: str, divisions: int, people: int) -> str:  # noqa: ANN401
    """Return from when until when an event with these divisions is played."""
    try:
        begins = end_of_sign_up(str(form.sign_up_until), zone)
    except NotAccepted:
        return ""
    if begins is not None and begins > visit.now() + LONGEST_SIGN_UP:
        return ""
    return length.in_words(Voice(voice.lang, zone), str(form.format), terms, zone, begins, max(divisions, 1), people)


def _options_said(voice: Voice, title: Title, form: Any) -> list[tuple[str, str]]:  # noqa: ANN401
    try:
        return options.option_in_words(title, title.keep_options(title.read_options(options.read(title, form.option))),
                                       voice.about(title))  # fmt: skip
    except Refusal:
        return []


def _pace_said(voice: Voice, pace: Pace) -> list[str]:
    return [f"{pace_in_words(voice, pace)}.", *[f"{capital(one)}." for one in after_in_words(voice, pace)]]


# -- what stands ------------------------------------------------------------------------------------------


def _standing(voice: Voice, stands: Competition | Asked, terms: pure.Terms, zone: str, *, like: bool) -> dict[str, Any]:
    """Return the contents of the fields before anything was typed."""
    found: dict[str, Any] = term_texts.shown(terms) | {"days": 7}
    if isinstance(stands, Asked):
        return found | stands.filled(voice, zone) | {"kind": stands.kind, **_rows([])}
    found |= {
        "name": stands.name,
        "format": stands.format,
        "option": options.filled(stands.title, stands.options),
        **filled(stands.pace),
    }
    if like:
        divisions = stands.divisions
        return found | _rows(("", one.name, one.promoted, one.relegated) for one in divisions if len(divisions) > 1)
    return found | {
        "season": stands.season,
        "sign_up_from": moment_of(stands.sign_up_from, zone),
        "sign_up_until": moment_of(stands.sign_up_until, zone),
        **_rows((one.id, one.name, one.promoted, one.relegated) for one in stands.divisions),
    }


def _rows(divisions: Iterable[tuple[object, ...]]) -> dict[str, list[str]]:
    """Return the columns of the existing divisions, followed by some empty rows."""
    rows = [*divisions, *[("",) * len(COLUMNS)] * SPARE_ROWS]
    return {name: [str(row[at]) for row in rows] for at, name in enumerate(COLUMNS)}


# -- what the numbers mean -----------------------------------------------------------------------------------


def weeks_of_a_game(title: Title, days: float) -> tuple[int, int] | None:
    """Return how many weeks most games take, by turns and pace; None for a title that names no turns."""
    turns = pages_of(title.id).turns
    if not turns:
        return None
    low, high = (max(round(turns * min(share, days / part) / 7), 1) for share, part in ((0.4, 4), (0.7, 2)))
    return low, high


def too_short(voice: Voice, title: Title, pace: Pace, terms: pure.Terms, format: str) -> str:
    """Return what is to be said of a round in which most games will not end; empty if there is nothing."""
    weeks = weeks_of_a_game(title, (pace.decision or pace.increment) / 86_400)
    if weeks is None or terms.round_days is None or terms.round_days >= weeks[0] * 7:
        return ""
    low, high = weeks
    better = next((one for one in FEW_WEEKS if one >= (low + high) / 2), FEW_WEEKS[-1])
    given = {"low": low, "high": high, "days": terms.round_days, "better": better}
    if pure.TERMS["at_once"].fits(format, teams=bool(terms.boards)) and not terms.at_once:
        return voice.gettext(
            "A game takes {low} to {high} weeks at this pace: in a round of {days} days most will not end."
            " Give it {better} weeks, or begin all rounds at once.",
            **given,
        )
    return voice.gettext(
        "A game takes {low} to {high} weeks at this pace: in a round of {days} days most will not end."
        " Give it {better} weeks.",
        **given,
    )
