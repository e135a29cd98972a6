"""The audit trail: every act that a service writes is described, in every language, on its page."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.server import Server
from app.base.words import i18n
from app.games.work import Work
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting
from app.leagues.desk import act_changes, act_words
from app.leagues.events import lifecycle
from app.leagues.tables import About, CompetitionStatus, Match
from app.web.visit import now
from tests.support.club_pages import club_of, draft, joined, running
from tests.support.events import league, people, play_round
from tests.support.people import Browser, Enter, PostOffice, trail_lines

APP = i18n.ROOT / "app"
_MATCH = Match.__table__  # type: ignore[attr-defined]

SNAPSHOT = {
    "ended": "", "source": "", "game": 1, "points": [None, None], "scores": [None, None], "by_time": [False, False],
}  # fmt: skip
DECIDED = {
    "ruling": 1, "decision": "result", "undoable": True, "ended": "played", "source": "ruling", "game": 1,
    "points": ["1", "0"], "scores": [12, 9], "by_time": [False, True],
}  # fmt: skip
GIVEN = {"days": 3, "games": [{"game": 1, "number": 4, "extra": 259200, "kind": "extension"}]}
NOT_SAID = frozenset(
    {"act", "call", "ruling", "message", "event", "game", "number", "source", "undoable", "by_time", "title", "leave"}
    | {"captain", "events"}
) | {"order"}
"""What acts store for undoing or for programs: numbers of rows that say nothing to people, and what cannot change."""
OLD_ACTS = {
    "season.imported",
    "event.from_file", "event.numbers", "results.imported", "template.kept", "template.forgotten", "club_match.invited",
    "club_match.accepted", "club_match.declined", "club_match.withdrawn", "club_match.referee",
    "club_match.no_referee", "club_match.laid_down", "club_match.ready",
}  # fmt: skip
"""What earlier versions wrote: their trails are shown in the same words."""
SAMPLES: dict[str, tuple[str, Any, Any]] = {
    "club.made": ("", None, {"name": "Vendée"}),
    "club.changed": (
        "", {"about": "", "language": "en", "zone": "UTC"},
        {"about": "Since 1998", "language": "fr", "zone": "Europe/Paris"},
    ),
    "club.columns": ("", None, None),
    "club.new_link": ("", None, None),
    "member.invited": ("player:2", None, {"role": "deputy"}),
    "member.imported": ("", None, {"invited": {"member": [2, 3], "deputy": [1]}}),
    "member.joined": ("player:2", None, None),
    "member.declined": ("player:2", None, None),
    "template.kept": ("Cup terms", None, None),
    "template.forgotten": ("Cup terms", None, None),
    "club.announced": ("", None, {"subject": "Cup night", "recipients": 3}),
    "club_match.invited": ("Harbour", None, None),
    "club_match.accepted": ("Harbour", None, None),
    "club_match.declined": ("Harbour", None, None),
    "club_match.withdrawn": ("Harbour", None, None),
    "club_match.referee": ("Gina", None, None),
    "club_match.no_referee": ("", None, None),
    "club_match.laid_down": ("", None, None),
    "club_match.ready": ("Harbour", None, None),
    "club.announcement_down": ("", {"subject": "Cup night"}, None),
    "member.asked": ("player:2", None, None),
    "member.took_back": ("player:2", None, None),
    "member.admitted": ("player:2", None, None),
    "member.not_admitted": ("player:2", None, None),
    "member.role": ("player:2", {"role": "member"}, {"role": "referee"}),
    "member.banned": ("player:2", None, None),
    "member.unbanned": ("player:2", None, None),
    "member.renamed": ("player:2", None, None),
    "member.left": ("player:2", {"role": "member", "status": "member"}, None),
    "event.made": ("Cup", None, None),
    "event.changed": (
        "",
        {
            "name": "Cup", "terms": {"rounds": 3}, "pace": {"decision": 259200}, "options": {}, "season": "2027",
            "sign_up_from": None, "sign_up_until": None, "calendar": "",
        },
        {
            "name": "Cup 2", "pace": {"decision": 604800, "days_off": ["sat", "sun"]}, "season": "2028",
            "terms": {"rounds": 4, "tie_breaks": ["points", "sonneborn_berger"], "timeout": "zero", "rated": False},
            "options": {"turns": 6}, "sign_up_until": "2099-12-24T00:00:00+00:00", "calendar": "Québec",
            "sign_up_from": "2099-12-01T00:00:00+00:00",
        },
    ),
    "event.sign_up": ("", {"status": "draft"}, {"status": "sign_up"}),
    "event.running": ("", {"status": "sign_up"}, {"status": "running"}),
    "event.over": ("", {"status": "running"}, {"status": "over"}),
    "event.thrown_away": ("Cup", None, None),
    "entry.held": ("", None, None),
    "event.back": ("", {"status": "over"}, {"status": "running"}),
    "round.unpublished": ("round:1/1", None, None),
    "member.out": ("", None, {"events": [1, 2]}),
    "member.back": ("", None, None),
    "event.cancelled": ("", {"status": "running"}, {"status": "cancelled"}),
    "event.standings": ("", None, {"1": [[1, "3½"], [2, "1"]], "teams": [["Harbour", "4", [1]], ["Light", "0", [2]]]}),
    "event.from_file": ("", None, {"players": 12, "rounds": 3}),
    "event.numbers": ("", {"order": [1, 2]}, {"order": [2, 1], "drafts": 1}),
    "event.divided": ("", None, {"1": 1, "2": 1}),
    "event.divisions": ("", {"divisions": ["Cup (+0/-0)"]}, {"divisions": ["First (+0/-1)", "Second (+1/-0)"]}),
    "event.message": ("late", None, {"message": 1, "subject": "Please move", "recipients": 2}),
    "season.drafted": ("Cup 2028", None, {"event": 2, "up": 1, "down": 1, "in": 0, "out": 2}),
    "results.imported": ("Winter 2019", None, {"games": 12, "players": 4}),
    "season.again": ("player:2", None, None),
    "season.not_again": ("player:2", None, None),
    "season.imported": ("2025", None, {"players": 12}),
    "season.forgotten": ("2025", None, None),
    "ladder.challenged": ("entry:1", None, None),
    "ladder.declined": ("entry:1", None, None),
    "ladder.taken_back": ("entry:1", None, None),
    "entry.made": ("player:2", None, {"status": "reserve"}),
    "entry.late": (
        "player:1", {"status": None, "rounds": 3}, {"status": "entered", "rounds": 5, "begins": 2, "division": "First"},
    ),
    "event.reminded": ("", None, None),
    "entry.declined": ("player:2", None, None),
    "entry.reserve": ("player:2", None, None),
    "entry.rounds_off": ("player:2", {"away": [], "byes": []}, {"away": [2, 3], "byes": [4]}),
    "entry.withdrawn": ("player:2", {"status": "entered"}, {"walkovers": [11, 12], "void": []}),
    "team.entered": ("Harbour", None, {"squad": [1, 2]}),
    "team.changed": ("Harbour", {"squad": [1]}, {"squad": [2, 1]}),
    "team.removed": ("Harbour", None, None),
    "team.captain": ("Harbour", {"captain": 1}, {"captain": 2}),
    "team.captain_follows": ("Harbour", {"captain": 1}, {"captain": None}),
    "team.line_up": ("Harbour", {"round": 1, "line_up": [1]}, {"round": 2, "line_up": [2, 1]}),
    "team.substituted": ("Harbour", {"line_up": [1]}, {"line_up": [2], "round": 1}),
    "round.pairing_asked": ("round:1/1", None, None),
    "round.pairing_stopped": ("round:1/1", None, None),
    "round.pairing_failed": ("round:1/1", None, None),
    "round.paired": ("round:1/1", None, {"matches": 1, "byes": 0}),
    "round.edited": ("round:1/1", {"seats": [[1, 2]]}, {"seats": [[2, 1]]}),
    "round.discarded": ("round:1/1", None, None),
    "round.published": ("round:1/1", None, {"games": 1}),
    "round.hour": ("round:1/1", None, {"publish_at": "2099-12-24T20:00:00+00:00"}),
    "round.hour_off": ("round:1/1", {"publish_at": "2099-12-24T20:00:00+00:00"}, None),
    "round.closed": ("round:1/1", None, None),
    "round.reminded": ("round:1/1", None, {"days": 2}),
    "round.longer": ("round:1/1", None, {"days": 3}),
    "round.end": ("match:1", None, {"ruling": 1}),
    "finals.stay": ("round:1", None, {"games": 1}),
    "round.followed": ("round:2", None, {"games": 1}),
    "round.extra": ("round:1/1", None, {"games": 1}),
    "autopilot.paused": ("", None, None),
    "autopilot.resumed": ("", None, None),
    "autopilot.sign_up_closed": ("", None, None),
    "autopilot.drafted": ("round:1/1", None, None),
    "autopilot.asks": ("round:1/1", None, None),
    "match.over": ("game:1", None, {"points": ["1/2", "1/2"]}),
    "match.void": ("game:1", None, None),
    "ruling.opened": ("match:1", None, {"ruling": 1}),
    "ruling.decided": ("match:1", SNAPSHOT, DECIDED),
    "ruling.appealed": ("match:1", None, {"ruling": 1}),
    "ruling.final": ("match:1", DECIDED, {**DECIDED, "decision": "void", "ended": "void", "points": ["0", "0"]}),
    "ruling.closed": ("match:1", None, {"ruling": 1}),
    "ruling.answered": ("match:1", None, {"ruling": 1}),
    "ruling.said": ("match:1", None, None),
    "ruling.undone": ("match:1", {"act": 9}, {"ruling": 1}),
    "desk.nudged": ("match:1", None, {"game": 1, "number": 4}),
    "desk.extended": ("match:1", None, GIVEN),
    "desk.leave": ("match:1", None, {"days": 3, "leave": 9, "games": [{"game": 1}]}),
    "desk.sent_again": ("match:1", None, {"game": 1, "number": 4}),
    "desk.reported": ("match:1", None, {"game": 1}),
    "desk.undone": ("match:1", {"act": 9}, None),
    "reserve.called": ("entry:1", None, {"call": 1, "reserve": 2}),
    "reserve.accepted": ("entry:1", None, {"reserve": 2, "games": 3}),
    "reserve.declined": ("entry:1", None, {"call": 1, "reserve": 2}),
    "reserve.expired": ("entry:1", None, {"call": 1, "reserve": 2}),
    "reserve.withdrawn": ("entry:1", {"call": 1}, None),
}  # fmt: skip
"""For each act a subject (its kind and number, or a name), before and after as its service writes them."""


def subject_of(text: str) -> audit.Subject:
    """Return a subject of the samples."""
    kind, _, number = text.partition(":")
    number, _, division = number.partition("/")
    if kind not in set(About):
        return audit.named(text) if text else audit.NOTHING
    return audit.Subject(About(kind), int(number or 0), int(division or 0))


# -- which acts the services write ----------------------------------------------------------------------


@cache
def sources() -> list[str]:
    """Return the text of each module of the app."""
    return [path.read_text(encoding="utf-8") for path in APP.rglob("*.py")]


parsed = cache(ast.parse)


def trees_with(words: str) -> list[ast.Module]:
    """Return the modules that contain these words: most need not be parsed."""
    return [parsed(source) for source in sources() if words in source]


WRITES = re.compile(r"(acting|(Club)?Acting\(.*\)|replace\(acting\b.*\))\.write$")


def name_of(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


@cache
def writes() -> list[tuple[ast.FunctionDef, ast.Call]]:
    """Every call of `Acting.write` and `ClubActing.write` with the function that it stands in."""
    return [
        (function, node)
        for tree in trees_with("acting")
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and WRITES.match(ast.unparse(node.func))
    ]


def values_of(node: ast.expr, function: ast.FunctionDef) -> set[str]:
    """Return all strings that an expression can be: constants, choices, the value of a name, arguments of callers, the
    first field of a tuple that is handed over.
    """
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.IfExp):
        return values_of(node.body, function) | values_of(node.orelse, function)
    if isinstance(node, ast.JoinedStr):
        found = {""}
        for part in node.values:
            more = values_of(part.value if isinstance(part, ast.FormattedValue) else part, function)
            found = {start + end for start in found for end in more}
        return found
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return firsts(node, function)
    assert isinstance(node, ast.Name), f"{ast.unparse(node)} in {function.name}: teach this test to follow it"
    given = [
        one.value
        for one in ast.walk(function)
        if isinstance(one, ast.Assign) and any(isinstance(t, ast.Name) and t.id == node.id for t in one.targets)
    ]
    if given:
        return set().union(*(values_of(one, function) for one in given))
    at = [one.arg for one in function.args.args].index(node.id)
    handed = []
    for tree in trees_with(function.name):
        own = function in tree.body
        for call in ast.walk(tree) if own or not function.name.startswith("_") else ():
            if isinstance(call, ast.Call) and name_of(call) == function.name:
                handed += [word.value for word in call.keywords if word.arg == node.id] or call.args[at : at + 1]
    return {one.value for one in handed if isinstance(one, ast.Constant) and isinstance(one.value, str)} | {
        str(getattr(CompetitionStatus, one.attr))
        for one in handed
        if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "CompetitionStatus"
    }


def firsts(node: ast.Attribute, function: ast.FunctionDef) -> set[str]:
    """Return the constants of the first field of a named tuple, which an argument of a function has."""
    kinds = {one.arg: ast.unparse(one.annotation) for one in function.args.args if one.annotation}
    kind = kinds[ast.unparse(node.value)]
    tree = next(tree for tree in trees_with(f"class {kind}(NamedTuple)") if function in tree.body)
    [fields] = [one.body for one in tree.body if isinstance(one, ast.ClassDef) and one.name == kind]
    first = next(one for one in fields if isinstance(one, ast.AnnAssign))
    assert ast.unparse(first.target) == node.attr
    made = [one.args[0] for one in ast.walk(tree) if isinstance(one, ast.Call) and name_of(one) == kind]
    return {one.value for one in made if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def written() -> set[str]:
    """The codes of all acts that the services write."""
    return {act for function, call in writes() for act in values_of(call.args[0], function)}


def test_acts_are_found_however_a_service_names_them() -> None:
    found = written()
    assert {"club.made", "event.running", "ruling.final", "member.declined", "reserve.expired", "desk.leave"} <= found


def test_every_act_of_a_service_has_a_sentence_and_a_sample_here() -> None:
    assert not written() & OLD_ACTS
    assert written() | OLD_ACTS == set(act_words.ACTS) == set(SAMPLES)


def test_whatever_acts_keep_has_a_name_or_is_not_shown() -> None:
    """If a service writes before and after as a table, its keys are known here."""
    for function, call in writes():
        for word in call.keywords:
            if word.arg in ("before", "after") and isinstance(word.value, ast.Dict):
                keys = {key.value for key in word.value.keys if isinstance(key, ast.Constant)}
                assert keys <= set(act_changes.LABELS) | NOT_SAID, f"{function.name}: {keys}"


def test_what_the_samples_keep_has_a_name_or_is_not_shown() -> None:
    for _, before, after in SAMPLES.values():
        keys = {*(before or {}), *(after or {})}
        keys -= {audit.TEAMS}
        assert all(key.isdigit() for key in keys) or keys <= set(act_changes.LABELS) | NOT_SAID


# -- what people read ------------------------------------------------------------------------------------


def trail_of(
    server: Server, enter: Enter, post: PostOffice, lang: str, acts: list[tuple[str, str, Any, Any]]
) -> list[str]:
    """Return what a member reads of these acts in this language, done by the server, by Alice and by Bob in turn."""

    def at_home(who: str) -> Browser:
        return enter(who, language=lang)

    alice = club_of(at_home, "bob", "carol")
    event = running(alice, joined(post, at_home, "bob"), joined(post, at_home, "carol"))
    alice.post(f"{draft(alice, server, event)}/publish", version="1", sure="yes")
    with Work(server.database) as work:
        its = lifecycle.get(work.session, event)
        for act, subject, before, after in acts:
            for by in (None, 1, 2):
                Acting(work, its, by, now()).write(act, subject_of(subject), before=before, after=after)
        match = work.session.execute(sa.select(_MATCH)).one()
        assert (match.id, match.game_id) == (1, 1), "the samples speak of this game"
        work.commit()
    told: list[str] = []
    path = "/clubs/vendee/audit"
    while path:
        alice.get(path)
        page = alice.page.get_data(as_text=True)
        told += trail_lines(page)
        older = re.search(r'rel="next" href="([^"]+)"', page)
        path = f"/clubs/vendee/audit{older[1]}" if older else ""
    return told[: 3 * len(acts)][::-1]


@pytest.mark.parametrize("lang", i18n.LANGUAGES)
def test_no_page_of_the_trail_shows_a_code(server: Server, enter: Enter, post: PostOffice, lang: str) -> None:
    acts = [(act, *sample) for act, sample in SAMPLES.items()]
    told = trail_of(server, enter, post, lang, acts)
    code = re.compile(r"\b[a-z]+:\d|\w_\w|[{}\[\]]|\bNone\b|\bTrue\b|\bFalse\b|\bWed, |: –")
    for line, act in zip(told, (act for act in acts for _ in range(3)), strict=True):
        assert act[0] not in line and not code.search(line), f"{act[0]}: {line}"


def test_the_round_of_an_act_is_named_with_its_division(server: Server, enter: Enter) -> None:
    """If the event has several; older acts without a division have their round alone."""
    who = people(server.database, 8)
    now_ = league(server.database, who)
    for division in now_.divisions:
        play_round(server.database, division.id, who[0])
    with Work(server.database) as work:
        Acting(work, lifecycle.get(work.session, now_.id), who[0], now()).write("round.closed", subject_of("round:7"))
        work.commit()
    told = trail_lines(enter("p0").get("/clubs/vendee/audit"))
    for division in ("First", "Second"):
        for what in (f"paired round 1 ({division}) as a draft", f"published round 1 ({division})."):
            assert sum(what in line for line in told) == 1, what
        assert any(f"closed round 1 ({division})." in line for line in told)
    assert any("closed round 7." in line for line in told)


@pytest.mark.parametrize("lang", [lang for lang in i18n.LANGUAGES if lang != "en"])
def test_acts_are_told_in_the_language_of_the_reader(lang: str) -> None:
    words = i18n.catalogue(lang)
    sentences = [*act_words.ACTS.values(), *act_words.OF_THEIR_OWN.values(), *act_words.WRITTEN_TO.values()]
    assert [one for one in sentences if words.gettext(one) == one] == []


def test_who_was_written_to_is_said(server: Server, enter: Enter, post: PostOffice) -> None:
    told = trail_of(
        server, enter, post, "en",
        [("event.message", to, None, {"subject": "Hello", "recipients": 2}) for to in ("event", "late", "division:1")]
        + [("event.message", "division:99", None, None)],
    )  # fmt: skip
    assert "The server wrote to everybody in the event." in told[0] and "Subject: Hello" in told[0]
    assert "Alice wrote to the players who are late." in told[4]
    assert "Bob wrote to the division “Cup”." in told[8] and "“now gone”" in told[9]


def test_people_do_to_themselves_what_organisers_do_to_them(server: Server, enter: Enter, post: PostOffice) -> None:
    told = trail_of(
        server, enter, post, "en",
        [(act, *SAMPLES[act]) for act in ("member.left", "entry.made", "entry.rounds_off", "entry.withdrawn")],
    )  # fmt: skip
    assert "Alice took Bob out of the club." in told[1] and "Bob left the club." in told[2]
    assert "The server entered Bob." in told[3] and "Bob signed up." in told[5]
    assert "Rounds off: 2, 3" in told[7] and "Byes on request: 4" in told[7]
    assert "Games won without playing: 2" in told[10] and "Bob left the event." in told[11]


def test_what_changed_is_told_with_the_names_of_people(server: Server, enter: Enter, post: PostOffice) -> None:
    told = trail_of(
        server, enter, post, "en",
        [(act, *SAMPLES[act]) for act in ("ruling.decided", "event.changed", "event.standings", "reserve.called")],
    )  # fmt: skip
    players = r"(Bob – Carol|Carol – Bob)"
    assert re.search(rf"Alice ruled in the game {players}\.", told[1])
    assert re.search(r"Result: open → played.*Points: \w+ 1, \w+ 0.*Decision: the result is set", told[1], re.DOTALL)
    assert "Terms: 3 rounds are played." in told[4] and "The games do not count for ratings." in told[4]
    assert "3 days for each move." in told[4] and "Language" not in told[4] and "Name: Cup → Cup 2" in told[4]
    assert "Cup: 1. Bob 3½, 2. Carol 1" in told[7] and "Reserve: Carol" in told[10]
