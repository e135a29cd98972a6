"""A club's own spreadsheet: any usual file is read, its columns guessed, the list previewed, and only then imported."""

from __future__ import annotations

import csv
import io
import random
from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.base.server import Server
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted, NotAllowed
from app.games.work import Work
from app.leagues.clubs import club_rights, lists, members, notes, sheets
from app.leagues.events import entries, lifecycle
from app.leagues.results import records
from app.leagues.rounds import seeding
from app.leagues.seasons import earlier
from app.leagues.tables import MemberNote, PastPlace
from tests.support import pressed
from tests.support.club_pages import club_of, joined, prepared
from tests.support.events import club, people, planned, read
from tests.support.forms import Page
from tests.support.people import Enter, PostOffice, everything
from tests.support.tables import NOW
from tests.support.world import CLUB, World, html_of, join

TABLE = [["Adresse électronique", "Prénom", "Nom"], ["renee@example.org", "Renée", "L’Été"]]


def csv_of(table: list[list[str]], mark: str) -> str:
    return "".join(mark.join(line) + "\r\n" for line in table)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_every_usual_file_is_read_as_it_is(coding: str, mark: str) -> None:
    sheet = sheets.read(csv_of(TABLE, mark).encode(coding))
    assert sheet.heading == tuple(TABLE[0]) and sheet.rows == ((2, tuple(TABLE[1])),)
    assert lists.guessed(sheet).columns == ["address", "first", "name"]
    assert sheets.read_text(sheet.text) == sheet


def test_titles_above_the_heading_and_separators_named() -> None:
    titled = sheets.read(b"Our\x07 club\n\nMail,Elo,Joined\na@example.org,1643.5,2026-09-01\n")
    assert titled.heading == ("Mail", "Elo", "Joined") and titled.text.startswith("Our club\n")
    assert titled.rows == ((4, ("a@example.org", "1643.5", "2026-09-01")),)
    assert sheets.read(b"sep=|\nmail|name\na@example.org|A, B\n").rows == ((3, ("a@example.org", "A, B")),)
    several = sheets.read(b'mail,name\n"a@example.org","A\nB"\nb@example.org,C\n')
    assert [line for line, _ in several.rows] == [2, 4]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "list.empty"),
        (b"mail,name\n", "list.empty"),
        (b"PK\x03\x04 of today", "sheet.workbook"),
        (b"\xd0\xcf\x11\xe0 Excel 97", "sheet.workbook"),
        (b"mail,name\na@example.org,\x81\n", "sheet.coding"),
        (b"\xff\xfea", "sheet.coding"),
        (b"<table>\n<tr><td>mail, name\n<tr><td>a@example.org, A", "sheet.coding"),
        (b'mail,name\na@example.org,"A\n', "sheet.quotes"),
        (",".join("x" * 41).encode() + b"\n" + b"1," * 41, "sheet.wide"),
    ],
)
def test_what_is_no_table_is_refused_with_the_reason(content: bytes, code: str) -> None:
    with pytest.raises(NotAccepted) as no:
        sheets.read(content)
    assert no.value.code == code


def test_sixty_members_stand_seeded_without_editing_the_file(sqlite_database: Database) -> None:
    """In Windows-1252 with headings of its own."""
    database = sqlite_database
    (olga, *_) = people(database, 1)
    club_id = club(database, olga)
    lines = [
        [f"joueur{n}@exemple.fr", f"Élodie N°{n}", f"1 {500 + n},5", "Élite", f"{n + 1}e", "payé" if n % 2 else ""]
        for n in range(60)
    ]  # fmt: skip
    heading = ["Courriel", "Joueuse", "Cote", "Division", "Dernière place", "Cotisation"]
    content = csv_of([["Club de l’Été", *[""] * 5], heading, *lines], ";").encode("cp1252")
    sheet = sheets.read(content)
    given = lists.guessed(sheet)
    assert given.columns == ["address", "name", "rating", "division", "place", "own1"]
    found = lists.look(database, club_id, olga, given)
    assert len(found.people) == 60 and not found.complaints and not found.known
    assert read(database, lambda s: len(members.members(s, club_id))) == 1, "looking writes nothing"
    assert pressed.take(database, club_id, olga, given, now=NOW) == (60, 60)
    kept = read(database, lambda s: notes.of_members(s, club_id, search="n°7", sort="rating"))
    assert [(one.member.name, one.note.rating, one.note.place, one.note.own1) for one in kept] == [
        ("Élodie N°7", 1507.5, 8, "payé")
    ]
    assert pressed.take(database, club_id, olga, given, now=NOW) == (60, 0), "nobody twice"

    there = {one.name: one.player_id for one in read(database, lambda s: members.members(s, club_id))}
    with Work(database) as work:  # tables that were once taken over from a list
        for year, step in ((2024, 1), (2025, 7)):
            for n in range(60):
                player = there[f"Élodie N°{(n * step) % 60}"] if n else None
                work.session.add(PastPlace(
                    club_id=club_id, season=str(year), division="AB"[n // 30], level=n // 30 + 1, place=n % 30 + 1,
                    name="" if player else "Someone Gone", player_id=player, points=str(30.5 - n % 30),
                    taken_at=NOW,
                ))  # fmt: skip
    tables = read(database, lambda s: earlier.tables_of(s, club_id))
    assert [(year, [len(lines) for lines in parts.values()]) for year, parts in tables.items()] == [
        ("2025", [30, 30]), ("2024", [30, 30]),
    ]  # fmt: skip
    first = [(line.place, name, line.points, line.player_id is None) for line, name in tables["2025"]["A"][:2]]
    assert first == [(1, "Someone Gone", "30.5", True), (2, "Élodie N°7", "29.5", False)]

    event_id = planned(database, club_id, olga, "swiss", rounds=3)
    pressed.open_sign_up(database, event_id, olga, now=NOW)
    for n in range(60):
        pressed.answer_invitation(database, club_id, there[f"Élodie N°{n}"], joins=True, now=NOW)
        pressed.sign_up(database, event_id, there[f"Élodie N°{n}"], by_id=olga, now=NOW)
    pressed.start(database, event_id, olga, now=NOW)

    def order(by: str) -> list[str]:
        with database.read() as session:
            event, people = lifecycle.get(session, event_id), entries.entrants(session, event_id)
            source = seeding.find(session, event, by) if by else seeding.sources(session, event)[0]
            return [one.name.removeprefix("Élodie N°") for one in seeding.order_of(session, event, people, source)]

    assert order("rating") == [str(n) for n in reversed(range(60))], "by rating"
    assert read(database, lambda s: {one.rating for one in entries.entrants(s, event_id)}) == {
        1500.5 + n for n in range(60)
    }
    assert order("") == [str(n * 7 % 60) for n in range(1, 60)] + ["0"], "who was not there comes last"
    assert order("season-2024") == [str(n) for n in range(1, 60)] + ["0"]
    assert order("members") == [str(n) for n in range(60)], "by the column “Dernière place”"
    past = read(database, lambda s: records.finished(s, club_id))
    assert [(one.season, one.division, one.place, one.of) for one in past if one.name == "Élodie N°7"] == [
        ("2025", "A", 2, 30), ("2024", "A", 8, 30),
    ]  # fmt: skip
    winners, _ = read(database, lambda s: records.memory_of(s, club_id))
    assert list(winners) == ["2025", "2024"] and len(winners["2025"]) == 2


def test_each_bad_line_is_named_and_can_be_left_out(sqlite_database: Database) -> None:
    database = sqlite_database
    olga, other = people(database, 2)
    club_id = club(database, olga)
    sheet = sheets.read_text(
        "mail,name,elo,place\na@example.org,A,x,1\nnobody,B,1500,2\nc@example.org,C,1500,last\nd@example.org,D,1500,=3\n"
        "D@example.org,D,1500,4\n"
    )
    given = lists.guessed(sheet)
    with pytest.raises(members.BadLines) as bad:
        pressed.take(database, club_id, olga, given, now=NOW)
    assert [line for line, _ in bad.value.complaints] == [2, 3, 4, 6]
    assert read(database, lambda s: s.scalar(sa.select(sa.func.count(MemberNote.id)))) == 0
    assert pressed.take(database, club_id, olga, given, skip=True, now=NOW) == (
        1,
        1,
    )
    for wrong, code in (
        (["address", "address", "", ""], "sheet.twice"),
        (["", "", "rating", ""], "sheet.missing"),
        (["address", "king", "", ""], "sheet.columns"),
    ):
        with pytest.raises(NotAccepted, match=code):
            lists.look(database, club_id, olga, lists.GivenList(sheet, wrong))
    with pytest.raises(NotAllowed):
        lists.look(database, club_id, other, given)


def test_on_the_pages_nothing_is_written_before_the_preview_is_confirmed(world: World, olga: object) -> None:
    join(world, olga, "ann")  # type: ignore[arg-type]
    browser = world.people["olga"]
    world.deliver()
    before = everything(world.app.extensions["postroad"], but_seen=True)
    browser.get(f"{CLUB}/members")
    content = (
        "E-Mail\tName\tElo\tPhone\nann@example.org\tAnn\t1700\t0123\nbea@example.org\tBea\t1600\t=4567\nno\t\t1\t\n"
    )
    form = {"csrf_token": browser.token, "list": "",
            "file": (io.BytesIO(content.encode("utf-16")), "members.csv")}  # fmt: skip
    page = browser.client.post(f"{CLUB}/members/list", data=form, headers=browser.headers)
    assert page.status_code == 200 and "Line 4" in page.text and "1 person is invited by mail" in page.text

    def post(status: int, **values: str) -> str:
        data = {"csrf_token": browser.token, **values}
        answer = browser.client.post(f"{CLUB}/members/list/take", data=data, headers=browser.headers)
        assert answer.status_code == status, answer.text
        return str(answer.text)

    kept = sheets.read(content.encode("utf-16")).text
    columns = {"column.0": "address", "column.1": "name", "column.2": "rating", "column.3": "own1"}
    send = {"rows": kept, "do": "take", **columns}
    seen = lists.seen(lists.GivenList(sheets.read_text(kept), list(columns.values())))
    for wrong in ({"previewed": "other"}, {"rows": kept.replace("Bea", "Eve"), "previewed": seen}, {"previewed": seen}):
        page = post(422, **send | wrong)
    assert "Nothing was taken: 1 line of the list is wrong." in page
    assert everything(world.app.extensions["postroad"], but_seen=True) == before and world.deliver() == []
    post(303, **send, skip="yes", previewed=seen)
    assert [mail.to for mail in world.deliver()] == ["bea@example.org"]
    assert "own list</a></th>" in browser.get(f"{CLUB}/members?sort=rating&search=example"), (
        "not the rating of games here"
    )
    page = html_of(browser)
    assert "Phone" in page and page.index("ann@") < page.index("bea@") and "0123" in page
    table = browser.client.get(f"{CLUB}/members.csv?role=member&status=invited", headers=browser.headers)
    assert "bea@example.org" in table.text and "ann@" not in table.text and "'=4567" in table.text
    assert "This has been done already." in browser.post(f"{CLUB}/history/forget", 409, season="2020")
    ann = world.people["ann"]
    for path in ("", "/history", "/audit"):
        ann.get(f"{CLUB}{path}")
        assert "0123" not in html_of(ann) and "bea@" not in html_of(ann)
    for path in ("/members", "/members.csv"):
        assert ann.client.get(f"{CLUB}{path}", headers=ann.headers).status_code == 403
    sent = {"csrf_token": ann.token, "list": "", "file": (io.BytesIO(b"PK\x03\x04"), "a.xlsx")}
    answer = ann.client.post(f"{CLUB}/members/list", data=sent, headers=ann.headers)
    assert answer.status_code == 403, "the role is read before the file"


def test_empty_lines_count_only_as_numbers_and_too_many_lines_are_said_at_once() -> None:
    found = sheets.read(b"\n" * 5000 + b"Name;Mail\n" + b" ; \n" * 3000 + b"Ann;a@example.org\n")
    assert (found.heading, found.rows) == (("Name", "Mail"), ((8002, ("Ann", "a@example.org")),))
    with pytest.raises(NotAccepted, match=r"list\.long.*19999"):
        sheets.read(b"a;b\n" * 20_000)


def test_members_are_searched_filtered_and_sorted(sqlite_database: Database) -> None:
    database = sqlite_database
    who = people(database, 5)
    club_id = club(database, who[0])
    for n, player in enumerate(who[1:4], 1):
        members.join_by_link(database, club_id, player, 1, now=NOW + timedelta(days=n))
    members.invite(database, club_id, who[0], "p4@example.org", now=NOW)
    members.give_role(database, club_id, who[0], who[2], "referee", now=NOW)
    kept: tuple[tuple[int, dict[str, object]], ...] = (
        (1, {"rating": 1500.0, "division": "B", "place": 1, "note": "Plays by post", "own1": "paid"}),
        (2, {"rating": 1700.0, "division": "A", "place": 2, "own1": "Away"}),
        (3, {"division": "A", "place": 1, "note": "by phone"}),
    )
    with database.write() as session:
        for n, values in kept:
            notes.write(session, club_id, who[n], values)
        session.commit()

    def found(**asked: str) -> list[int]:
        with database.read() as session:
            return [who.index(one.member.player_id) for one in notes.of_members(session, club_id, **asked)]

    assert found() == [0, 1, 2, 3, 4] and found(sort="since")[:3] == [3, 2, 1]
    assert found(sort="rating")[:2] == [2, 1] and found(sort="place")[:3] == [3, 2, 1]
    assert found(sort="own1")[:2] == [2, 1], "in order of letters, small or large; those without come last"
    assert found(search="P2@") == [2] and found(search="BY plays") == [1] and found(search="by") == [1, 3]
    assert found(search="paid phone") == []
    assert found(role="referee") == [2] and found(status="invited") == [4]
    assert found(role="member", status="member", sort="place") == [3, 1]
    assert found(search="example", role="member", status="member", sort="rating") == [1, 3]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("ann@example.org;Ann Lee\nbea@example.org;Bea\n", ["address", "name"]),
        ("Ann;Lee;ann@example.org\nBea;Roe;bea@example.org\n", ["first", "name", "address"]),
        ("ann@example.org\nbea@example.org\n", ["address"]),
        ("ann@example.org, bea@example.org", ["address"]),
        ("Lee, Ann <ann@example.org>; Bea <bea@example.org>\n", ["address"]),
        ("Ann <ann@example.org>\nbea@example.org\tBea\tRoe\t1710\n", ["address", "first", "name", ""]),
    ],
)
def test_a_list_without_a_heading_loses_nobody(text: str, columns: list[str]) -> None:
    sheet = sheets.read_text(text)
    assert len(sheet.rows) == 2 and not any(sheet.heading) and len(sheet.notes) == 1
    assert lists.guessed(sheet).columns == columns
    assert sheets.read_text(sheet.text) == sheet


def test_what_stands_above_the_heading_is_no_heading() -> None:
    sheet = sheets.read_text("Contact;info@example.org;\nClub;Season;2026\nName;Mail;Elo\nAnn;a@example.org;1500\n")
    assert (sheet.heading, len(sheet.rows), sheet.notes) == (("Name", "Mail", "Elo"), 1, ())


@pytest.mark.parametrize(
    ("heading", "columns"),
    [
        ("Nom et Prénom;Adresse e-mail;Classement Elo", ["name", "address", "rating"]),
        ("Cognome e Nome;Indirizzo e-mail;Elo FIDE", ["name", "address", "rating"]),
        ("Apellido(s) y nombre;Correo;Elo", ["name", "address", "rating"]),
        ("Nachname, Vorname;E-Mail-Adresse;DWZ;Liga", ["name", "address", "rating", "division"]),
        ("Vorname;Name;E-Mail;Spielstärke", ["first", "name", "address", "rating"]),
        ("Voornaam;Tussenvoegsel;Achternaam;E-mailadres;Groep", ["first", "middle", "name", "address", "division"]),
        ("Last name;First name;E-mail 1 - Value;Div.;Home Address", ["name", "first", "address", "division", "own1"]),
        ("Nom adhérent;Prénom adhérent;Nom payeur;Email payeur", ["name", "first", "own1", "address"]),
        ("Player’s first name;Player’s last name;Email", ["first", "name", "address"]),
        ("1er Apellido;Nombre;Correo-e", ["name", "first", "address"]),
        ("What is your full name?;Your email address;MEMBER_RATING", ["name", "address", "own1"]),
        ("Name;Given Name;Family Name;E-mail 1 - Value", ["own1", "first", "name", "address"]),
        ("No.;Name;Mail;Phone;Team;Paid;Shirt", ["", "name", "address", "own1", "own2", "own3", ""]),
    ],
)
def test_usual_headings_are_known(heading: str, columns: list[str]) -> None:
    cells = ["1" if what == "" else "x@example.org" if what == "address" else "Lee" for what in columns]
    sheet = sheets.read_text(f"{heading}\n{';'.join(cells)}\n")
    assert lists.guessed(sheet).columns == columns


def test_names_and_addresses_in_any_usual_form(sqlite_database: Database) -> None:
    (olga,) = people(sqlite_database, 1)
    club_id = club(sqlite_database, olga)
    sheet = sheets.read_text(
        "Voornaam\tTussenvoegsel\tAchternaam\tMail\tElo\n"
        "Ann\tvan der\tLee\tmailto:ann@example.org?subject=hi\t1820 F\n"
        '\t\t\t"""Bea Roe"" <bea@example.org>"\tNC\n'
        "Cy\t\tPim\tcy@example.org.;\u00a0\t1643/12\n"
        "Di\t\tKay\tdi@example.org, kay@example.org\t0\n"
        "Ed\t\tMay\ted\u200b@example.org\t1500 or 1600\n"
        "Fi\t\tNye\tfi at example.org\t1500\n"
    )
    given = lists.guessed(sheet)
    found = lists.look(sqlite_database, club_id, olga, given)
    kept = [(one.name, one.address.partition("@")[0], found.kept[one.line]["rating"]) for one in found.people]
    assert kept == [
        ("Ann van der Lee", "ann", 1820),
        ("Bea Roe", "bea", None),
        ("Cy Pim", "cy", 1643),
        ("Di Kay", "di", None),
    ]
    assert [line for line, _ in found.complaints] == [6, 7]
    assert ["kay@example.org" in str(one.values) for one in found.notes] == [True]
    wide = sheets.read_text("Phone\tCity\tPaid\tShirt\tMail\n1\tA\tx\tL\ta@example.org\n")
    (said,) = lists.look(sqlite_database, club_id, olga, lists.guessed(wide)).notes
    assert said.values["names"] == ("Shirt",), "a fourth column of the club's own is named"


CLUB_OF_24 = [
    (name, f"{name.split()[0].lower()}@club.example", 1900 - 25 * n, f"{1 + n // 6}", f"0431 55{n:02}")
    for n, name in enumerate(
        ["Anna Becker", "Ben Carter", "Clara Dietz", "David Evans", "Eva Fischer", "Frank Gruber", "Greta Hahn",
         "Henry Irving", "Ines Jung", "Jakob Kern", "Karin Lang", "Lukas Maier", "Maria Nowak", "Nils Otto",
         "Ottilie Pohl", "Paul Quast", "Rosa Richter", "Stefan Sauer", "Tina Thoma", "Uwe Vogel", "Vera Weiss",
         "Walter Xaver", "Yara Young", "Zoe Zimmer"]
    )
]  # fmt: skip
AS_PASTED = "No.\tName\tE-Mail\tElo\tLiga\tPhone\n" + "".join(
    f"{n}\t{name}\t{address}\t{rating}\t{part}\t{phone}\n"
    for n, (name, address, rating, part, phone) in enumerate(CLUB_OF_24, 1)
)


def understood(database: Database, club_id: int, by_id: int, text: str) -> list[tuple[str, str, float | None]]:
    found = lists.look(database, club_id, by_id, lists.guessed(sheets.read_text(text)))
    assert not found.complaints
    return [(one.name, one.address, found.kept[one.line].get("rating")) for one in found.people]


def test_a_pasted_sheet_is_understood_in_any_box_and_can_be_corrected(
    server: Server, enter: Enter, post: PostOffice
) -> None:
    """F4: on *Members* and on *Players*, with its own headings; without them no name swallows the other columns."""
    alice = club_of(enter, "bob")
    bob = joined(post, enter, "bob")
    event = prepared(alice)
    for path, box in (("/clubs/vendee/members", "/members/list"), (f"/events/{event}/players", "/enter/list")):
        alice.get(path)
        page = alice.post(next(f.action for f in Page(alice.page.text).forms if f.action.endswith(box)), list=AS_PASTED)
        assert "24 people are invited by mail." in page and "Anna Becker" in page and "1900" in page
    (form,) = (one for one in Page(alice.page.text).forms if one.action.endswith("/members/list/take"))
    sent = dict(form.fill(do="look"))
    rows = sent["rows"].replace("Anna Becker", "Anna Bäcker")
    page = alice.post(form.action, 422, **sent | {"rows": rows, "do": "take"})
    assert "look at it as it would be taken now" in page
    (form,) = (one for one in Page(alice.page.text).forms if one.action.endswith("/members/list/take"))
    assert "have an invitation" in alice.post(form.action, **dict(form.fill(do="take")))
    with server.database.read() as session:
        kept = notes.of_members(session, club_rights.find(session, "vendee").id, status="invited")
    names = {(one.member.name, one.member.address, one.note.rating) for one in kept}
    assert names == {(n.replace("Becker", "Bäcker"), address, rating) for n, address, rating, _, _ in CLUB_OF_24}
    headless = AS_PASTED.partition("\n")[2]
    with server.database.read() as session:
        club_id, me = club_rights.find(session, "vendee").id, lifecycle.get(session, event).made_by
    found = understood(server.database, club_id, me or 0, headless)
    assert [one[0] for one in found] == [one[0] for one in CLUB_OF_24], "no name swallows the other cells"
    bob.get("/clubs/vendee")
    bob.post(f"/events/{event}/enter/list", 404, list="Bob")


def test_a_hundred_sheets_drawn_at_random_are_understood(sqlite_database: Database) -> None:
    """F4: headings in four languages, any order, separator and quotes, titles in names."""
    (olga,) = people(sqlite_database, 1)
    club_id, draw = club(sqlite_database, olga), random.Random(4)
    headings = [
        {"name": "Name", "address": "Email", "rating": "Rating", "part": "Division", "phone": "Phone"},
        {"name": "Nom et prénom", "address": "Adresse e-mail", "rating": "Elo", "part": "Division", "phone": "Tél."},
        {"name": "Apellidos y nombre", "address": "Correo", "rating": "Elo", "part": "Grupo", "phone": "Tfno."},
        {"name": "Cognome e nome", "address": "Indirizzo e-mail", "rating": "Elo", "part": "Girone", "phone": "Cell."},
    ]  # fmt: skip
    for n in range(100):
        mark, words, order = draw.choice("\t;,|"), draw.choice(headings), list(headings[0])
        draw.shuffle(order)
        expected, into = [], io.StringIO()
        quoting = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
        sheet = csv.writer(into, delimiter=mark, quoting=quoting, lineterminator=draw.choice(["\n", "\r\n"]))
        if numbered := draw.random() < 0.5:
            order.insert(0, "number")
        sheet.writerow([{"number": "No.", **words}[what] for what in order])
        for at, (name, address, rating, part, phone) in enumerate(draw.sample(CLUB_OF_24, draw.randint(2, 24)), 1):
            titled = draw.choice(["", "", "Dr. ", "Prof. Dr. ", "Ing. ", "Mª ", "M. "]) + name
            titled = draw.choice([titled, titled, f"{name.split()[1]}, {name.split()[0]}", f"{name} (jun.)"])
            cells = {"name": titled, "address": address, "rating": str(rating), "part": part, "phone": phone}
            sheet.writerow([{"number": f"{at}" + "." * draw.randint(0, 1), **cells}[what] for what in order])
            expected.append((titled, address, rating))
        assert understood(sqlite_database, club_id, olga, into.getvalue()) == expected, (n, numbered, into.getvalue())


@pytest.mark.parametrize(
    ("given", "rating"),
    [("1501P7", 1501), ("1643-45", 1643), ("1.643", 1643), ("1399 E", 1399), ("Elo 1500", 1500), ("1500?", 1500),
     ("1643,5", 1643.5), ("UNR", None), ("-", None), ("n/a", None), ("0P0", None), ("", None)],
)  # fmt: skip
def test_ratings_as_federations_write_them(given: str, rating: float | None) -> None:
    assert notes.read_rating(given) == rating


@pytest.mark.parametrize("given", ["x", "1500 or 1600", "15000", "12/03/2020", "1500/1480", "-5"])
def test_what_may_be_another_rating_is_refused(given: str) -> None:
    with pytest.raises(NotAccepted, match="rating"):
        notes.read_rating(given)


def test_empty_columns_do_not_count() -> None:
    """As an address book is exported with 92 of them."""
    heading = [f"Field {n}" for n in range(90)] + ["Name", "Mail"]
    sheet = sheets.read_text(csv_of([heading, [*[""] * 90, "Ann", "a@example.org"]], ","))
    assert (sheet.heading, sheet.rows) == (("Name", "Mail"), ((2, ("Ann", "a@example.org")),))
