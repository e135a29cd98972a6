"""Recognises the columns of a spreadsheet by their headings, in six languages, and by the addresses they contain."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_WORDS = {
    "address": "email emailaddress mail mailaddress address courriel mel adressemail adresseemail adressecourriel"
    " adresseelectronique correo correoelectronico direcciondecorreo posta postaelettronica indirizzoemail"
    " indirizzomail indirizzodiposta mailadresse emailadresse emailadres mailadres",
    "first": "first firstname givenname forename prenom prenoms vorname vornamen rufname vor voornaam voornamen voor"
    " roepnaam nombredepila",
    "middle": "middlename additionalname tussenvoegsel tussenvoegsels namenszusatz secondoname secondonome",
    "last": "last surname lastname familyname apellido apellidos primerapellido cognome nomdefamille nachname"
    " familienname zuname achternaam familienaam",
    "name": "name fullname playername nom nomprenom nombre nome nomecognome nomcomplet nombrecompleto nomecompleto"
    " vollstandigername naam volledigenaam spelernaam spielername",
    "person": "player member joueur joueuse membre adherent adherente licencie licenciee participant participante"
    " jugador jugadora socio socia miembro giocatore giocatrice speler lid spieler spielerin mitglied teilnehmer"
    " teilnehmerin",
    "rating": "rating elo cote eloclub puntuacionelo valoracion indice punteggioelo strength dwz wertung wertungszahl"
    " ratingzahl spielstarke spielstaerke speelsterkte",
    "division": "division div divisione group groupe grupo gruppo girone class classe league liga ligue lega gruppe"
    " klasse staffel divisie groep",
    "place": "place rank position lastplace lastseason classement rang placement dernieresaison derniereplace puesto"
    " posicion ultimopuesto posto posizione classifica ultimaposizione finish standing platz"
    " platzierung plaats positie",
    "season": "season saison temporada stagione year annee ano anno seizoen jahr jaar",
    "points": "points pts score puntos punti punkte punten",
    "language": "language langue idioma lingua sprache taal",
    "role": "role rol ruolo rolle",
    "note": "note notes remark remarks comment comments remarque remarques commentaire nota notas observaciones"
    " comentario commenti osservazioni bemerkung bemerkungen anmerkung notiz kommentar opmerking opmerkingen notitie",
}
_MEANS = {word: what for what, words in _WORDS.items() for word in words.split()}
_JOINTS = frozenset(
    [
        *("and", "et", "e", "y", "und", "en", "of", "du", "de", "des", "del", "della", "van", "der", "the"),
        *("fide", "value", "national", "standard", "rapid", "rapide", "current", "usage", "usuel"),
        *("what", "is", "your", "votre", "ton", "tu", "su", "tuo", "dein", "ihr"),
    ]
)
"""Words that do not tell what a column is."""
_NUMBERS = frozenset(["no", "nr", "n", "num", "numero", "number", "lfdnr", "pos", "line", "ligne", "linea", "riga"])
_CLUBS_FIRST = ("nombre", "nombres", "nome", "nom", "name", "naam")
"""Beside a column of family names, these are first names."""
_ADDRESS = re.compile(r"[^\s<>,;:\"“”„«»()\[\]|]+@[^\s<>,;:\"“”„«»()\[\]|/?#]+\.[^\s<>,;:\"“”„«»()\[\]|/?#]+")
_NAMED = re.compile(rf"(?<![^<>@])[^<>@]*<{_ADDRESS.pattern}>")

_NUMBER = re.compile(r"[0-9]+\.?")
_ORDINAL = re.compile(r"[0-9]+[^\W\d_]{0,3}")
_WORDY = re.compile(r"[^\W\d_][^\d@]*|")


def addresses(cell: str) -> list[str]:
    """Return the email addresses in a cell, as `Name <a@b>`, after `mailto:`, or several of them."""
    return [one.strip(".'’/") for one in _ADDRESS.findall(cell)]


def in_one_line(text: str) -> list[str]:
    """Return the people of one line of addresses as copied from a mail program (`Name <a@b>, Name <c@d>`, or addresses
    alone); empty for any other text.
    """
    if "\n" in text.strip():
        return []
    named = _NAMED.findall(text) if not _NAMED.sub("", text).strip(" ,;\n") else []
    plain = [one for one in re.split(r"[,;\s]+", text) if one]
    there = named or (plain if all(map(_ADDRESS.fullmatch, plain)) else [])
    return [one.strip(" ,;") for one in there] if len(there) > 1 else []


def named_beside(cell: str) -> str:
    """Return the name before an address, as in `Name <a@b>`."""
    before, bracket, _ = cell.partition("<")
    return before.strip(" \"'“”„«»,") if bracket and not addresses(before) else ""


def guess(heading: Sequence[str], rows: Sequence[Sequence[str]], possible: Sequence[str]) -> list[str]:
    """Return for each column what it probably is, out of `possible`; empty if nothing fits.

    A column of addresses is recognised by its content, whatever its heading, and one of names if there is no heading;
    nothing is guessed twice.
    """
    found = [_meaning(one) for one in heading]
    if {"first", "last", "name"} <= set(found):
        found = _one_way(found, rows)
    elif "last" in found and "first" not in found:
        found = [
            "first" if what == "name" and _plain(one) in _CLUBS_FIRST else what
            for one, what in zip(heading, found, strict=True)
        ]
    elif "first" not in found and not any(heading):
        found = _of_names(rows, len(heading))
    found = ["name" if what == "last" else what for what in found]
    for column in range(len(found)):
        cells = [cells[column] for cells in rows if cells[column]]
        if cells and 2 * sum(bool(addresses(cell)) for cell in cells) > len(cells):
            found = ["" if what == "address" else what for what in found]
            found[column] = "address"
            break
    seen: set[str] = set()
    for column, what in enumerate(found):
        if what not in possible or what in seen:
            found[column] = ""
        seen.add(found[column])
    return found


def _one_way(found: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Keep names in one column or in their parts, not both: whichever is filled in more lines."""
    filled = {what: sum(bool(cells[found.index(what)]) for cells in rows) for what in ("first", "last", "name")}
    whole = filled["name"] > max(filled["first"], filled["last"])
    dropped = ("first", "middle", "last") if whole else ("name",)
    return ["" if what in dropped else what for what in found]


def is_known(heading: str) -> bool:
    """Whether a heading tells what its column is."""
    return bool(_meaning(heading))


def is_heading(cells: Sequence[str]) -> bool:
    """Whether a line has two known headings, and no address."""
    return len({_meaning(cell) for cell in cells} - {""}) > 1 and not any(map(addresses, cells))


def is_numbering(heading: str, cells: Sequence[str]) -> bool:
    """Whether a column only numbers the lines."""
    return _plain(heading) in (*_NUMBERS, "") and all(_NUMBER.fullmatch(cell) for cell in cells)


def _of_names(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return the columns with words of a list without a heading: one of names, or first and family names."""
    wordy = [
        column
        for column in range(width)
        if all(_WORDY.fullmatch(cells[column]) for cells in rows) and any(cells[column] for cells in rows)
    ]
    found = [""] * width
    single = [column for column in wordy if all(" " not in cells[column] for cells in rows)]
    for column, what in zip(single[:2], ("first", "last"), strict=False):
        if len(single) > 1:
            found[column] = what
    if not any(found) and wordy:
        found[wordy[0]] = "name"
    return found


def _meaning(heading: str) -> str:
    """Return what a heading means: as one word, or by its words if all meaningful ones belong to a name, or if only one
    meaning occurs.
    """
    if (whole := _plain(heading)) in _MEANS:
        return "name" if _MEANS[whole] == "person" else _MEANS[whole]
    words = [_plain(word) for word in re.split(r"[\W_]+", heading.replace("-mail", "mail").replace("-Mail", "mail"))]
    words = [word for word in words if len(word) > 1 and word not in _JOINTS and not _ORDINAL.fullmatch(word)]
    # “First name” and “nom de famille” are two words.
    for at in range(len(words) - 1):
        if (both := words[at] + words[at + 1]) in _MEANS:
            words[at : at + 2] = [both, ""]
    means = [_MEANS.get(word, "?") for word in words if word]
    if set(means) <= {"first", "middle", "last", "name", "person"} and means:
        parts = set(means) - {"person"}  # “player’s first name”
        return parts.pop() if len(parts) == 1 else "name"
    if set(means) == {"rating", "place"}:
        return "rating"  # “classement Elo”
    return means[0] if len(set(means)) == 1 and means[0] != "?" else ""


def _plain(heading: str) -> str:
    """Return a heading in small letters, without accents, spaces and signs."""
    letters = unicodedata.normalize("NFKD", heading.lower())
    return "".join(c for c in letters if c.isalnum() and not unicodedata.combining(c))
