"""What is asked at the set-up, and how an answer becomes settings: judged as the start of a server judges them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parseaddr
from pathlib import Path
from urllib.parse import quote, urlsplit

from app.base.process import config as settings
from app.base.process.config import Config
from app.base.process.mail_settings import MailHost
from app.base.process.settings import BadSetting
from app.base.words.refusals import NotAccepted
from app.people.accounts import read_address
from app.people.tables import searchable

NONE = "none"
ROOT_DATA = "/var/lib/postroad"


class Unfit(Exception):
    """An answer that cannot be used: one sentence. `wrong` is the question that has to be answered otherwise, where it
    is not the last one."""

    def __init__(self, why: str, wrong: str = "") -> None:
        super().__init__(why)
        self.wrong = wrong


@dataclass(frozen=True, slots=True)
class Present:
    """The settings that are there, without the prefix. Those of a container's environment do not make it a server that
    has been set up: only the `file` does."""

    settings: Mapping[str, str]
    is_set_up: bool


@dataclass(frozen=True, slots=True)
class Question:
    """One question, and the option of the same name."""

    name: str
    ask: str
    setting: str = ""
    """What it sets, without the prefix; empty for what is not a setting."""
    usual: str = ""
    may_be_none: bool = False
    if_refused: bool = False
    """Whether it is asked only where what is usual cannot be used."""


QUESTIONS = (
    Question("address", "The address that people will use, such as https://games.example.org", "BASE_URL"),
    Question("data", "The folder for the database and the key", "DATA"),
    Question(
        "listen",
        "Where pages are served for the proxy, HOST:PORT or the path of a socket",
        "LISTEN",
        "127.0.0.1:8000",
        if_refused=True,
    ),
    Question(
        "mail-host", "The mail host that takes our mails, HOST or HOST:PORT (587 and 465 are encrypted)", "SMTP_URL"
    ),
    Question("mail-user", "The user there", usual=NONE, may_be_none=True),
    Question("mail-password", "The password of that user", usual=NONE, may_be_none=True),
    Question("mail-from", "The sender of all mails, such as Post Road <games@example.org>", "MAIL_FROM"),
    Question(
        "mail-in",
        "The way in for replies and bounces: 127.0.0.1:PORT for the LMTP of your mail host, imaps://USER@HOST",
        usual=NONE,
        may_be_none=True,
    ),
    Question("backups", "The folder for a backup each day", "BACKUPS", may_be_none=True),
    Question("language", "The language of people who have not chosen: en, fr, es or it", "LANGUAGE", "en"),
    Question("operator", "Your own address, which gets a mail now and runs the server from then on"),
    Question("club", "The name of a first club, which you will own", usual=NONE, may_be_none=True),
)


def usual(question: Question, there: Present, said: Mapping[str, str]) -> str:
    """Return what an empty answer means: what is set already, else what most need; empty if nothing does."""
    given = there.settings
    host = _mail_host_of(given)
    present = {
        "mail-host": host and host.route,
        "mail-user": host and (host.user or NONE),
        "mail-password": host and (host.password or NONE),
        "mail-in": given.get("LMTP") or given.get("IMAP_URL"),
    }.get(question.name) or given.get(question.setting)
    if present:
        return present
    if question.name == "data":
        return ROOT_DATA
    if question.name == "backups":
        return NONE if there.is_set_up else str(Path(said["data"]) / "backups")
    if question.name == "operator" and there.is_set_up:
        return NONE
    if question.name == "mail-from" and (name := urlsplit(said["address"]).hostname):
        return f"Post Road <games@{name}>"
    if question.name == "mail-password" and said["mail-user"] != NONE:
        return ""
    return question.usual


def _mail_host_of(given: Mapping[str, str]) -> MailHost | None:
    try:
        return settings.judged(given, Path("/")).mail_host
    except BadSetting:
        return None


def settings_of(said: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that answers make, upon those that are there. Raises Unfit."""
    made = dict(given)
    for question in QUESTIONS:
        value = said.get(question.name)
        if value is None or not question.setting or question.name == "mail-host":
            continue
        if value == NONE and question.may_be_none:
            made.pop(question.setting, None)
        else:
            made[question.setting] = value
    if "mail-host" in said:
        made["SMTP_URL"] = _smtp_url(said)
    if "mail-in" in said:
        made.pop("LMTP", None)
        made.pop("IMAP_URL", None)
        if said["mail-in"] != NONE:
            made["IMAP_URL" if "://" in said["mail-in"] else "LMTP"] = said["mail-in"]
    return made


def _smtp_url(said: Mapping[str, str]) -> str:
    host = said["mail-host"]
    if "://" in host:
        return host
    user, password = said.get("mail-user", NONE), said.get("mail-password", NONE)
    login = "" if user == NONE or password == NONE else f"{quote(user, safe='')}:{quote(password, safe='')}@"
    if host.endswith(":465"):
        return f"smtps://{login}{host}"
    return f"smtp://{login}{host}" + ("?tls=required" if host.endswith(":587") else "")


def judge(question: Question, said: Mapping[str, str], there: Present) -> Config:
    """Return the configuration that the answers so far make. Raises Unfit with one sentence about the last one."""
    value, given = said[question.name], there.settings
    if not value or value != value.strip() or any(ord(sign) < 32 or ord(sign) == 127 for sign in value):
        raise Unfit(f"--{question.name} has to be one line of text.")
    if question.name == "operator" and value == NONE and there.is_set_up:
        return settings.judged(settings_of(said, given), Path("/"))  # it has one
    if value == NONE and not question.may_be_none:
        raise Unfit(f"--{question.name} cannot be none.")
    _JUDGES.get(question.name, lambda said: None)(said)
    try:
        return settings.judged(settings_of(said, given), Path("/"))
    except BadSetting as wrong:
        raise Unfit(str(wrong)) from None


def password_in(value: str) -> bool:
    """Return whether an answer is an address with a password."""
    return bool(re.match(r"\w+://[^/@]*:[^/@]*@", value))


def lacks_password(value: str) -> bool:
    """Return whether an answer is a mailbox whose password is still to be asked for."""
    return bool(re.match(r"imaps?://[^/@:]+@", value))


def with_password(value: str, password: str) -> str:
    """Return the address of a mailbox with its password."""
    return value.replace("@", f":{quote(password, safe='')}@", 1)


def _folder(name: str, said: Mapping[str, str]) -> None:
    value = said[name]
    if value != NONE and (not value.startswith("/") or Path(value) == Path("/") or ".." in Path(value).parts):
        raise Unfit(f"--{name} has to be the full path of a folder, such as {ROOT_DATA}.")


def _host(said: Mapping[str, str]) -> None:
    value = said["mail-host"]
    if "://" not in value and not re.fullmatch(r"([A-Za-z0-9._-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?", value):
        raise Unfit("--mail-host has to be HOST or HOST:PORT, such as mail.example.org:587.")
    if "://" in value and not value.startswith(("smtp://", "smtps://")):
        raise Unfit("--mail-host has to be HOST or HOST:PORT, or begin with smtp:// or smtps://.")


def _password(said: Mapping[str, str]) -> None:
    if (said["mail-user"] == NONE) != (said["mail-password"] == NONE) and "://" not in said["mail-host"]:
        raise Unfit("--mail-user and --mail-password belong together: give both, or none for both.", "mail-user")


def _sender(said: Mapping[str, str]) -> None:
    value, address = said["mail-from"], parseaddr(said["mail-from"])[1]
    try:
        if value != address and not value.endswith(f" <{address}>"):
            address = ""
        read_address(address)
    except NotAccepted:
        raise Unfit("--mail-from has to hold an address, as in Post Road <games@example.org>.") from None


def _operator(said: Mapping[str, str]) -> None:
    try:
        read_address(said["operator"])
    except NotAccepted:
        raise Unfit(f"--operator has to be an address; “{said['operator'][:80]}” is not one.") from None


def _club(said: Mapping[str, str]) -> None:
    if said["club"] != NONE and said["operator"] == NONE:
        raise Unfit("--club needs --operator, who will own it.")
    if said["club"] != NONE and not (slug_of(said["club"]) and len(said["club"]) <= 60):
        raise Unfit("--club has to be a name of at most 60 characters with some letters of the Latin alphabet.")


def slug_of(name: str) -> str:
    """Return the address of a club after `/clubs/`, made of its name."""
    slug = re.sub(r"[^a-z0-9]+", "-", searchable(name)).strip("-")[:30].strip("-")
    return "club-new" if slug == "new" else slug  # where a page stands


_JUDGES = {
    "data": lambda said: _folder("data", said),
    "backups": lambda said: _folder("backups", said),
    "mail-host": _host,
    "mail-password": _password,
    "mail-from": _sender,
    "operator": _operator,
    "club": _club,
}
