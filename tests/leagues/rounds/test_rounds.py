"""Clubs, sign-up and the round loop as services, on SQLite and PostgreSQL."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted, NotAllowed
from app.base.words.speech import Voice
from app.games.store import GameStore
from app.games.tables import LogEntry
from app.leagues.changes import leaving
from app.leagues.clubs import audit, members
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.events.term_words import terms_in_words
from app.leagues.results import outcomes
from app.leagues.tables import Audit
from engine.kernel.refusals import Unreadable
from tests.support import pressed
from tests.support.at_once import codes_of
from tests.support.databases import ON_SQLITE
from tests.support.events import club, event, paired, people, planned, published, read, resign_all
from tests.support.mails import kept
from tests.support.season import season
from tests.support.tables import NOW, deliver


def test_players_take_as_many_byes_as_the_terms_let_them(database: Database) -> None:
    who = people(database, 3)
    now = event(database, who, "swiss", rounds=3, own_byes=1)
    me = who[1]

    def ask(byes: list[int], away: list[int], by: int = me) -> None:
        pressed.set_rounds_off(database, now.id, me, away=away, byes=byes, by_id=by, now=NOW)

    for byes, away, code in (([1, 2], [], "byes"), ([3], [], "last"), ([2], [2], "both")):
        with pytest.raises(NotAccepted, match=rf"entry\.{code}"):
            ask(byes, away)
    ask([2], [1])
    mine = read(database, lambda c: entries.entrant_of(c, now.id, me))
    assert mine and (mine.away, mine.byes) == ([1], [2])
    ask([1, 2], [], by=who[0])


def test_a_round_is_paired_published_played_and_closed(database: Database) -> None:
    who = people(database, 5)
    now = event(database, who, "swiss", rounds=3)
    draft = paired(database, now, who[0])
    assert draft.status == "draft" and len(draft.matches) == 3
    assert read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id)) == [], "nobody else sees a draft"
    assert pressed.publish(database, draft.id, who[0], draft.version, now=NOW) == 2
    with pytest.raises(NotAccepted, match=r"round\.published"):
        pressed.publish(database, draft.id, who[0], draft.version, now=NOW)
    with pytest.raises(NotAccepted, match=r"round\.games"):
        pressed.close(database, draft.id, who[0], now=NOW)
    with pytest.raises(NotAccepted, match=r"round\.running"):
        pressed.pair(database, now.divisions[0].id, who[0], now=NOW)
    round = read(database, lambda c: round_rows.get(c, draft.id))
    resign_all(database, round)
    pressed.close(database, draft.id, who[0], now=NOW)
    found = read(database, lambda c: outcomes.results_of(c, now.divisions[0].id))
    assert sorted(sum(result.points) for result in found) == [1, 1, 1], "two games and the bye"
    again = paired(database, now, who[0])
    met = {frozenset(seat.entry_id for seat in match.seats) for match in round.matches}
    assert not met & {frozenset(seat.entry_id for seat in match.seats) for match in again.matches}
    mails = read(
        database, lambda c: c.scalars(sa.select(OutboxMail.kind).where(OutboxMail.kind == "event_round")).all()
    )
    assert len(mails) == 5, "everybody is told of the round once"


def test_a_double_round_robin_can_have_all_its_rounds_at_once(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who, "round_robin", legs=2)
    sides: list[tuple[int, ...]] = []
    for _ in range(6):
        round = published(sqlite_database, now, who[0])
        sides += [tuple(seat.entry_id for seat in match.seats) for match in round.matches]
    assert len(set(sides)) == 12 and all((two, one) in sides for one, two in sides), "each pair on both sides"
    with pytest.raises(NotAccepted, match=r"round\.last"):
        pressed.pair(sqlite_database, now.divisions[0].id, who[0], now=NOW)


def test_tables_share_points_by_place(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who, "tables", "new-world", rounds=2)
    round = published(sqlite_database, now, who[0])
    resign_all(sqlite_database, round)
    found = read(sqlite_database, lambda c: outcomes.results_of(c, now.divisions[0].id))
    assert found[0].points == (1, Fraction(2, 3), Fraction(1, 3), 0), "who left first is last"


@pytest.mark.parametrize(
    ("winners", "scores", "left", "places"),
    [
        (["b"], {"a": 3, "b": 9, "c": 5}, [], [3, 1, 2]),
        (["b"], {"a": 5, "b": 9, "c": 5}, [], [2, 1, 2]),
        (["a", "b"], {"a": 9, "b": 9, "c": 5}, [], [1, 1, 3]),
        (["c"], {"a": 8, "b": 9, "c": 5}, ["a", "b"], [3, 2, 1]),
        ([], {}, ["a"], [3, 1, 1]),
    ],
)
def test_places_at_a_table(winners: list[str], scores: dict[str, int], left: list[str], places: list[int]) -> None:
    assert outcomes.ranked(["a", "b", "c"], winners, scores, left) == places


def test_a_draft_is_edited_with_a_reason_and_everybody_stays_in_it(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who, "swiss", rounds=3)
    draft = paired(sqlite_database, now, who[0])
    seats = [[seat.entry_id for seat in match.seats] for match in draft.matches]
    swapped = [[seats[0][0], seats[1][1]], [seats[1][0], seats[0][1]]]

    def edit(seated: list[list[int]], version: int = draft.version, reason: str = "they live together") -> None:
        pressed.edit(sqlite_database, draft.id, version, seated, [], ActRequest(who[0], reason), now=NOW)

    for wrong, code in (([seats[0]], "everybody"), ([seats[0], seats[0]], "everybody")):
        with pytest.raises(NotAccepted, match=rf"round\.{code}"):
            edit(wrong)
    with pytest.raises(NotAccepted, match=r"reason\.empty"):
        edit(swapped, reason=" ")
    edit(swapped)
    with pytest.raises(NotAccepted, match=r"round\.changed"):
        edit(swapped)
    after = read(sqlite_database, lambda c: round_rows.get(c, draft.id))
    assert [[seat.entry_id for seat in match.seats] for match in after.matches] == swapped
    acts = read(sqlite_database, lambda c: audit.trail(c, now.club_id, event_id=now.id))
    assert [[why.code for why in match.reasons] for match in after.matches] == [["pair.by_hand"]] * 2
    assert acts[0].act == "round.edited" and acts[0].reason == "they live together"


def test_what_nobody_changed_in_a_draft_keeps_its_reasons(sqlite_database: Database) -> None:
    who = people(sqlite_database, 5)
    now = event(sqlite_database, who, "swiss", rounds=3)
    draft = paired(sqlite_database, now, who[0])
    first, second, bye = draft.matches
    turned = [[seat.entry_id for seat in reversed(first.seats)], [seat.entry_id for seat in second.seats]]
    free = [(bye.seats[0].entry_id, bye.ended)]
    pressed.edit(sqlite_database, draft.id, draft.version, turned, free, ActRequest(who[0], "sides"), now=NOW)
    after = read(sqlite_database, lambda c: round_rows.get(c, draft.id)).matches
    assert [why.code for why in after[0].reasons] == ["pair.by_hand"]
    assert [(one.reasons, one.rejected) for one in after[1:]] == [(one.reasons, one.rejected) for one in (second, bye)]


def test_both_games_of_a_match_keep_their_place_in_it_when_seated_by_hand(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who, "knockout", legs=2)
    draft = paired(sqlite_database, now, who[0])
    one, other = ([seat.entry_id for seat in draft.matches[at].seats] for at in (0, 2))
    pairs = [[one[0], other[0]], [other[0], one[0]], [one[1], other[1]], [other[1], one[1]]]
    pressed.edit(sqlite_database, draft.id, draft.version, pairs, [], ActRequest(who[0], "lot"), now=NOW)
    assert [match.leg for match in read(sqlite_database, lambda c: round_rows.get(c, draft.id)).matches] == [1, 2, 1, 2]


def test_the_mail_of_a_round_comes_once_for_both_legs_and_links_to_its_games(sqlite_database: Database) -> None:
    """One mail a player, with the side of each game."""
    who = people(sqlite_database, 4)
    round = published(sqlite_database, event(sqlite_database, who, "knockout", legs=2), who[0])
    deliver(sqlite_database, NOW)
    mails = kept(sqlite_database, "event_round")
    assert len({mail.to for mail in mails}) == len(mails) == 4
    games = [match.game_id for match in round.matches]
    assert len(games) == 4 and None not in games
    for game in games:
        assert sum(f"/games/{game}\n" in mail.text for mail in mails) == 2, "both players of it"
    for mail in mails:
        assert mail.text.count(" · game ") == 2 and "None" not in mail.text


@pytest.mark.parametrize(
    ("format", "said"),
    [("knockout", "You go through to the next one without a game."), ("swiss", "which counts as much as 1.")],
)
def test_the_mail_of_a_bye_says_what_it_is_worth(sqlite_database: Database, format: str, said: str) -> None:
    """Club review, F16."""
    season(sqlite_database, 3, format=format)
    deliver(sqlite_database, NOW)
    [mail] = [mail for mail in kept(sqlite_database, "event_round") if "no game for you" in mail.subject]
    assert said in mail.words and "You have no game" not in mail.words


def test_two_organisers_publish_at_once_and_one_does(database: Database) -> None:
    who = people(database, 4)
    now = event(database, who, "swiss", rounds=3)
    draft = paired(database, now, who[0])
    answers = codes_of(*[lambda: pressed.publish(database, draft.id, who[0], draft.version, now=NOW)] * 2)
    assert answers == ["done", "round.published"]
    acts = read(database, lambda c: c.scalars(sa.select(Audit.act).where(Audit.act == "round.published")).all())
    assert len(acts) == 1


def test_sign_up_checks_and_reserves(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    club_id = club(sqlite_database, who[0])
    event_id = planned(sqlite_database, club_id, who[0], "swiss", rounds=3, limit=2)

    def sign_up(player: int, **more: Any) -> str:
        return pressed.sign_up(sqlite_database, event_id, player, now=NOW, **more)

    with pytest.raises(NotAccepted, match=r"event\.draft"):
        sign_up(who[1])
    pressed.open_sign_up(sqlite_database, event_id, who[0], now=NOW)
    with pytest.raises(NotAccepted, match=r"entry\.member"):
        sign_up(who[1])
    with pytest.raises(NotAccepted, match=r"entry\.address"):
        sign_up(who[0])
    assert [sign_up(player, by_id=who[0]) for player in who[:3]] == ["entered", "entered", "reserve"]
    assert sign_up(who[2]) == "reserve", "again changes nothing"
    with pytest.raises(NotAllowed):
        sign_up(who[3], by_id=who[1])


def test_a_list_of_members_is_taken_whole_or_not_at_all(sqlite_database: Database) -> None:
    who = people(sqlite_database, 1)
    club_id = club(sqlite_database, who[0])

    def take(text: str) -> int:
        return pressed.take_list(sqlite_database, club_id, who[0], text, now=NOW)

    bad = "address,name\na@example.org,Anna\nnobody,Ben\nA@example.org,Again\n"
    with pytest.raises(members.BadLines) as lines:
        take(bad)
    assert [line for line, _ in lines.value.complaints] == [3, 4]
    assert len(read(sqlite_database, lambda c: members.members(c, club_id))) == 1, "nothing half done"
    for wrong in ("seat;name\nx;Anna\n", "address\n", "", 'address\n"a@example.org\n'):
        with pytest.raises(NotAccepted):
            take(wrong)
    assert take("\ufeffaddress;name\r\na@example.org;Anna\r\n\r\nb@example.org;Ben\r\n") == 2
    assert take("address\na@example.org\n") == 0, "invited already"
    assert take('Cora Lind, c@example.org\n"Dov" <d@example.org>\n\ne@example.org\ta note\n') == 3
    spoken = "1. Finn Berg finn@example.org\n- gus@example.org Gus\nHal: hal@example.org\nIda – (ida@example.org)\n"
    assert take(spoken + "Joe <joe@example.org> Ray\n") == 5
    assert take("f@example.org\nkim@example.org lou@example.org\n") == 2, "one of two addresses of a line gets the mail"
    with pytest.raises(members.BadLines) as lines:
        take("f@example.org\nnobody\n")
    assert [line for line, _ in lines.value.complaints] == [2]
    names = {one.address: one.name for one in read(sqlite_database, lambda c: members.members(c, club_id))}
    assert {"Anna", "Cora Lind", "Dov", "a note"} <= {*names.values()}
    here = ("finn", "gus", "hal", "ida", "joe")
    assert [names[f"{one}@example.org"] for one in here] == ["Finn Berg", "Gus", "Hal", "Ida", "Joe Ray"]


def test_roles_and_the_last_owner(sqlite_database: Database) -> None:
    who = people(sqlite_database, 3)
    club_id = club(sqlite_database, who[0])
    for player in who[1:]:
        members.join_by_link(sqlite_database, club_id, player, 1, now=NOW)
    with pytest.raises(NotAllowed):
        members.give_role(sqlite_database, club_id, who[1], who[2], "deputy", now=NOW)
    with pytest.raises(NotAccepted, match=r"club\.last_owner"):
        members.give_role(sqlite_database, club_id, who[0], who[0], "member", now=NOW)
    with pytest.raises(NotAccepted, match=r"club\.last_owner"):
        leaving.leave_club(sqlite_database, club_id, who[0], who[0], reason="", now=NOW)
    members.give_role(sqlite_database, club_id, who[0], who[1], "owner", now=NOW)
    leaving.leave_club(sqlite_database, club_id, who[0], who[0], reason="", now=NOW)
    assert [one.player_id for one in read(sqlite_database, lambda c: members.members(c, club_id))] == who[1:]
    members.new_link(sqlite_database, club_id, who[1], now=NOW)
    with pytest.raises(NotAccepted, match=r"club\.old_link"):
        members.join_by_link(sqlite_database, club_id, who[0], 1, now=NOW)


def test_events_that_cannot_be(sqlite_database: Database) -> None:
    who = people(sqlite_database, 1)
    club_id = club(sqlite_database, who[0])

    def make(**given: Any) -> int:
        usual = {"name": "Cup", "title_id": "acres", "format": "swiss", "terms": {"rounds": 3}}
        return lifecycle.make(sqlite_database, club_id, who[0], lifecycle.NewEvent(**usual | given), now=NOW)

    for wrong in (
        {"title_id": "chess"}, {"format": "lottery"}, {"terms": {}}, {"format": "tables"}, {"name": " "},
        {"divisions": [{"name": "A"}, {"name": "a"}]},
    ):  # fmt: skip
        with pytest.raises(NotAccepted):
            make(**wrong)
    for wrong in ({"options": {"edition": "fourth"}}, {"terms": {"rounds": 0}}):
        with pytest.raises(Unreadable):
            make(**wrong)
    assert read(sqlite_database, lambda c: lifecycle.events_of(c, club_id, drafts=True)) == []


# -- leaving ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "walkovers", "void"), [("walkover", 3, 0), ("annul", 0, 3), ("half", 0, 3)])
@ON_SQLITE
def test_somebody_leaves_a_round_robin(database: Database, rule: str, walkovers: int, void: int) -> None:
    """Three rounds are published and nothing is played: fewer than half."""
    who = people(database, 4)
    now = event(database, who, "round_robin", withdrawal=rule)
    for _ in range(3):
        published(database, now, who[0])
    done = leaving.withdraw(database, now.id, who[3], who[3], reason="", now=NOW)
    assert done is not None and (len(done.walkovers), len(done.void)) == (walkovers, void)
    assert leaving.withdraw(database, now.id, who[3], who[3], reason="", now=NOW) is None, "pressed twice"
    found = read(database, lambda c: outcomes.results_of(c, now.divisions[0].id))
    assert sorted(result.ended for result in found) == ["walkover"] * walkovers + ["void"] * void
    games = [match.game_id for round in read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id))
             for match in round.matches if match.ended]  # fmt: skip
    assert all(read(database, lambda c, g=game: GameStore(c).load(g)).is_over for game in games)


def test_half_of_the_games_played_keeps_them(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who, "round_robin", withdrawal="half")
    made = [published(sqlite_database, now, who[0]) for _ in range(3)]
    for round in made[:2]:
        resign_all(sqlite_database, round)
    games = [{seat.player_id for seat in match.seats} for match in made[2].matches]
    n = next(n for n in (3, 2) if {who[0], who[n]} not in games)
    done = leaving.withdraw(sqlite_database, now.id, who[n], who[0], reason="moved away", now=NOW)
    assert done is not None and (len(done.walkovers), len(done.void)) == (1, 0)
    deliver(sqlite_database, NOW)
    told = {mail.to: mail.words for mail in kept(sqlite_database, "event_left")}
    assert (
        "have taken you out of Cup" in told[f"p{n}@example.org"]
        and "The reason: moved away" in told[f"p{n}@example.org"]
    )
    other = next(address for address in told if address != f"p{n}@example.org")
    assert "You win 1 running game without playing it out." in told[other], "the organiser did it, and is no opponent"
    last = next(one for one in made[2].matches if who[n] in {seat.player_id for seat in one.seats})
    left = read(sqlite_database, lambda c: GameStore(c).load(last.game_id))
    over = {mail.to for mail in kept(sqlite_database, "over") if f"#{left.id}" in mail.subject}
    assert f"Game #{left.id} is over: " in told[other] and f"Game #{left.id} is over: " in told[f"p{n}@example.org"]
    assert left.is_over and not over, "the mail of the leaving says it"
    causes = sa.select(LogEntry.cause).where(LogEntry.game_id == left.id)
    assert "ruling" in read(sqlite_database, lambda c: c.scalars(causes).all()), "who was taken out did not resign"


def test_whoever_leaves_between_rounds_and_those_concerned_are_told_once(database: Database) -> None:
    """Four players, one round played: opponents of the leaver keep their results, the others win their future games."""
    who = people(database, 4)
    now = event(database, who, "round_robin", withdrawal="walkover")
    round = published(database, now, who[0])
    resign_all(database, round)
    paired(database, now, who[0])
    deliver(database, NOW)
    met = next({s.player_id for s in one.seats} for one in round.matches if who[3] in {s.player_id for s in one.seats})
    for _ in range(2):
        leaving.withdraw(database, now.id, who[3], who[3], reason="", now=NOW)
    deliver(database, NOW)
    told = {mail.to: mail for mail in kept(database, "event_left")}
    assert len(told) == len(kept(database, "event_left"))
    address = {number: f"p{at}@example.org" for at, number in enumerate(who)}
    assert set(told) == {address[one] for one in who if one not in met or one in (who[0], who[3])}, "and the organiser"
    own = told[address[who[3]]]
    assert own.subject == "You have left Cup" and "2 games of rounds to come count as lost." in own.words
    winner = next(one for one in who if one not in met)
    words = told[address[winner]].words
    assert "p3 has left Cup." in words and "1 game of a round to come, won without playing" in words
    assert "Your points: " in words and ("/manage" in words) == (winner == who[0])
    assert "draft of the next round is thrown away" in told[address[who[0]]].words


def test_the_last_opponent_cannot_be_withdrawn_and_drafts_are_paired_anew(sqlite_database: Database) -> None:
    who = people(sqlite_database, 3)
    now = event(sqlite_database, who, "swiss", rounds=3)
    paired(sqlite_database, now, who[0])
    done = leaving.withdraw(sqlite_database, now.id, who[2], who[0], reason="ill", now=NOW)
    assert done is not None and len(done.drafts) == 1
    assert len(paired(sqlite_database, now, who[0]).matches) == 1
    with pytest.raises(NotAccepted, match=r"entry\.last"):
        leaving.withdraw(sqlite_database, now.id, who[1], who[0], reason="ill too", now=NOW)


def test_at_a_table_the_others_play_on(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who, "tables", "new-world", rounds=2)
    round = published(sqlite_database, now, who[0])
    leaving.withdraw(sqlite_database, now.id, who[0], who[0], reason="", now=NOW)
    assert not read(sqlite_database, lambda c: round_rows.get(c, round.id)).matches[0].ended
    resign_all(sqlite_database, round, (who[0],))
    mine = read(sqlite_database, lambda c: entries.entrant_of(c, now.id, who[0]))
    result = read(sqlite_database, lambda c: outcomes.results_of(c, now.divisions[0].id))[0]
    assert dict(zip(result.seats, result.points, strict=True))[mine.id] == 0


@pytest.mark.parametrize(
    ("format", "by_points", "half"),
    [
        ("round_robin", True, True), ("stages", True, True), ("swiss", True, False), ("knockout", False, False),
        ("ladder", False, False),
    ],
)  # fmt: skip
def test_the_terms_say_what_holds_in_their_format(
    sqlite_database: Database, format: str, by_points: bool, half: bool
) -> None:
    terms = {"swiss": {"rounds": 3}, "stages": {"groups": 2, "through": 1}}.get(format, {})
    now = event(sqlite_database, people(sqlite_database, 6), format, **terms)
    said = " ".join(terms_in_words(now, Voice()))
    assert ("Places are decided" in said) == by_points
    assert ("before half of the games" in said) == half, "the rule of half the games is one of round robins"
