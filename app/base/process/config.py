"""The settings of one server, read from a file and the environment and judged before anything starts.

Every setting is `POSTROAD_NAME` in the environment, into which `app.server.own_settings` reads the file of a server. A
setting is declared once, as a field of `Config` or `MailIn`.
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import parseaddr
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from app.base.process import private
from app.base.process.mail_settings import MailHost, MailIn, mail_in, place_of, read_host, read_place
from app.base.process.settings import (
    PREFIX,
    BadSetting,
    Unaccepted,
    UnknownSetting,
    declared,
    listed,
    matching,
    may_be_missing,
    needed,
    number,
    one_of,
    setting,
    switch,
    values_of,
    without_password,
)
from app.base.words.addresses import ascii_domain
from app.base.words.i18n import LANGUAGES
from app.base.words.numbers import whole
from app.clocks.leave import DAYS_A_YEAR

LEAST_KEY_LENGTH = 16
KEY_FILE = "secret_key"
MOST_THINKERS = 16
STRANGER_MAILS, LEAST_SEEDS = 200, 1024
MAILS_KEPT_DAYS, LEAST_MAILS_KEPT_DAYS = 365, 31
"""A mail can be resent for 30 days, so it is kept longer than that."""
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgresql+psycopg": "postgresql+psycopg"}

NO_SETTINGS = re.compile(
    r"ENV_FILE|TEST_\w+|REQUIRE_ALL|MAIL_SCALES|SERVICE_(HOST|PORT)\w*|PORT(_\w+)?|BACKUP_HOURS|MAIL_CONNECTIONS|LOGS"
)
"""What else may be in the environment: where the file is, settings of tests and benchmarks, what container systems set
by themselves for a service called postroad, and what version 1.0.0 had."""

Network = IPv4Network | IPv6Network


# -- reading ------------------------------------------------------------------------------------------


def _folder(value: str) -> Path:
    return Path(value).expanduser()


def _database_url(value: str) -> str:
    """Return the address of a database with the driver used for it."""
    accepted = Unaccepted("sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME")
    try:
        url = make_url(value)
    except ArgumentError:
        raise accepted from None
    if url.drivername not in DRIVERS or not url.database or url.database == ":memory:":
        raise accepted
    return url.set(drivername=DRIVERS[url.drivername]).render_as_string(hide_password=False)


def _base_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        host, port = ascii_domain(parts.hostname or ""), f":{parts.port}" if parts.port else ""
        good = parts.scheme in ("http", "https") and parts.path in ("", "/") and parts.port != 0
    except ValueError:
        host, port, good = "", "", False
    if not good or not re.fullmatch(r"[\w.:-]+", host) or parts.query or parts.fragment or parts.username:
        raise Unaccepted("http:// or https:// and a host without a path, such as https://games.example.org")
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}"


def _secret_keys(value: str) -> tuple[str, ...]:
    """Return keys, the newest last."""
    keys = tuple(listed(value))
    if any(len(key) < LEAST_KEY_LENGTH for key in keys):
        raise Unaccepted(f"keys of {LEAST_KEY_LENGTH} characters or more, the newest last, with commas")
    return keys


def _mail_from(value: str) -> str:
    name, address = parseaddr(value)
    local, _, domain = address.rpartition("@")
    try:
        address = f"{local}@{ascii_domain(domain)}"
    except ValueError:
        address = ""
    if not re.fullmatch(r"[^@\s<>]+@[^@\s<>]+", address) or not address.isascii() or any(ord(c) < 32 for c in value):
        raise Unaccepted("an address such as Post Road <games@example.org>, in ASCII before the @")
    return f"{name} <{address}>" if name else address


def _proxies(value: str) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(one) for one in listed(value) if one != "none")
    except ValueError:
        raise Unaccepted("addresses or networks with commas, such as 127.0.0.1, 10.0.0.0/8, or none") from None


def _push_hosts(value: str) -> tuple[str, ...]:
    hosts = tuple(listed(value.lower()))
    if not all(re.fullmatch(r"\.?[a-z0-9-]+(\.[a-z0-9-]+)+", host) for host in hosts):
        raise Unaccepted("names with commas, such as push.example.org, .push.example.net")
    return hosts


def _seeds(value: str) -> int:
    found = whole(value, least=LEAST_SEEDS, most=1 << 24)
    if found is None or found & (found - 1):
        raise Unaccepted("a power of two from 1024 to 16777216")
    return found


def _alarm_url(value: str) -> str:
    if urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).hostname:
        raise Unaccepted("http:// or https:// and a host")
    return value


def _command(value: str) -> str:
    try:
        line = shlex.split(value)
    except ValueError as error:
        raise Unaccepted(f"a command with its arguments ({error})") from None
    if line and shutil.which(line[0]) is None:
        raise Unaccepted(f"a command that this machine has; {line[0]} was not found")
    return value


_token = matching(rf"[!-~]{{{LEAST_KEY_LENGTH},200}}", f"{LEAST_KEY_LENGTH} or more letters, digits and signs")
_recipient = matching(
    r"age1[02-9ac-hj-np-z]{58}", "a recipient of age, age1 and 58 characters, as `age-keygen` prints it"
)

# -- the settings -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Config:
    """What a server runs with."""

    data: Path = field(metadata=needed("DATA", _folder, "`./var`"))
    """folder of database, key, mailbox, `pages` and kept `pictures`"""
    database_url: str = field(metadata=needed("DATABASE_URL", _database_url, "SQLite in the data folder"))
    """`sqlite:///FILE` or `postgresql://USER:PASSWORD@HOST/NAME`"""
    base_url: str = field(metadata=needed("BASE_URL", _base_url, "`http://localhost:PORT`"))
    """the address in links"""
    secret_keys: tuple[str, ...] = field(
        metadata=needed("SECRET_KEY", _secret_keys, "made at the first start, kept in the data folder", is_secret=True)
    )
    """signs links ([the key](#the-key))"""
    mail_host: MailHost | None = field(metadata=needed("SMTP_URL", read_host, "none: the embedded mailbox"))
    """`smtp://HOST:PORT` (STARTTLS where offered), `smtp://USER:PASSWORD@HOST:587?tls=required`,
    `smtps://USER:PASSWORD@HOST`"""
    mail_from: str = field(metadata=needed("MAIL_FROM", _mail_from, "`Post Road <postroad@HOST>`"))
    """sender of all mails"""
    language: str = field(metadata=needed("LANGUAGE", one_of(*LANGUAGES), "`en`"))
    """of people who have not chosen: `en`, `fr`, `es`, `it`"""
    listen: str = setting("LISTEN", read_place, "127.0.0.1:8000")
    """where pages are served: `HOST:PORT`, or the path of a socket"""
    proxies: tuple[Network, ...] = setting("PROXIES", _proxies, "127.0.0.0/8, ::1")
    """addresses or networks of the proxies, or `none`"""
    leave_days: int = setting("LEAVE_DAYS", number(0, 366), str(DAYS_A_YEAR))
    """days of leave of a player in a calendar year, 0 to 366"""
    mail_pictures: bool = setting("MAIL_PICTURES", switch("send", "none"), "send")
    """`none` leaves out the board's picture, a third of a second of a core each"""
    mails_kept_days: int = setting("MAILS_KEPT_DAYS", number(LEAST_MAILS_KEPT_DAYS, 36500), str(MAILS_KEPT_DAYS))
    """how long it is known what became of a mail, 31 at least; mails of running games stay"""
    stranger_mails: int = setting("STRANGER_MAILS", number(0, 100_000), str(STRANGER_MAILS))
    """a day at most to people who have never used the server: invitations, sign-in links"""
    mail_in: MailIn = field(default_factory=MailIn)
    backups: Path | None = may_be_missing("BACKUPS", _folder, None)
    """folder of the server's own backups, one a day"""
    backups_kept: int = setting("BACKUPS_KEPT", number(1, 1000), "14")
    """how many stay"""
    backup_age: str = may_be_missing("BACKUP_AGE", _recipient, "")
    """a recipient of [age](https://age-encryption.org), for whom scheduled backups are encrypted"""
    backup_command: str = may_be_missing("BACKUP_COMMAND", _command, "", is_secret=True)
    """gets each scheduled backup, in the place of `{}` or as its last argument"""
    metrics_token: str | None = may_be_missing("METRICS_TOKEN", _token, None, is_secret=True)
    """opens `/metrics`; 16 characters at least"""
    alarm_url: str | None = may_be_missing("ALARM_URL", _alarm_url, None, is_secret=True)
    """where alarms are posted"""
    seeds: int = setting("SEEDS", _seeds, str(1 << 20))
    """[numbered seeds](provable-chance.md) made at once, a power of two"""
    thinkers: int = setting("THINKERS", number(0, MOST_THINKERS), "1")
    """processes at most that think for the [computer](developers.md#a-computer-to-play-with), on all machines together,
    at low priority: begun when a decision is owed, ended after five idle minutes; `0`: nobody can play it. `postroad
    think` runs one more, here or elsewhere"""
    thinking_hours: int = setting("THINKING_HOURS", number(0, 24 * MOST_THINKERS), "6")
    """hours of a core that it may search in 24 hours; beyond them it answers by its rules of thumb"""
    push_hosts: tuple[str, ...] = may_be_missing("PUSH_HOSTS", _push_hosts, ())
    """push services besides those of Chrome, Firefox, Safari and Edge: `push.example.org, .example.net` (a dot: all
    below it)"""
    webhook_private: bool = setting("WEBHOOK_PRIVATE", switch("allow", "refuse"), "refuse")
    """`allow` lets [webhooks](webhooks.md#where-calls-go) be plain http and private, for a club inside one network"""
    mail_connections: int = 4
    """to the mail host at most, for each sending process; not a setting"""
    base_url_is_given: bool = True
    given: Mapping[str, str] = field(default_factory=dict)
    """All settings that were given, by name without the prefix, for backups. Contains passwords."""

    @property
    def is_https(self) -> bool:
        """Whether everybody uses https."""
        return self.base_url.startswith("https:")

    @property
    def host(self) -> str:
        """The name of the server in its addresses."""
        return urlsplit(self.base_url).hostname or "localhost"

    @property
    def key_file(self) -> Path | None:
        """Where the key is stored, unless it was given as a setting."""
        return None if self.given.get("SECRET_KEY") else self.data / KEY_FILE

    def shown(self) -> dict[str, str]:
        """Return the settings that were given, without secrets."""
        return {
            PREFIX + one.name: "***" if one.is_secret else without_password(self.given[one.name])
            for one in sorted(SETTINGS, key=lambda one: one.name)
            if one.name in self.given
        }

    def __repr__(self) -> str:
        return f"Config({self.base_url}, data={self.data})"  # keys and passwords stay out of logs

    def at_port(self, port: int) -> Config:
        """Return the same with links to the port actually served, unless the address was given."""
        return self if self.base_url_is_given else replace(self, base_url=local_url(port))


SETTINGS = tuple(one for kind in (Config, MailIn) for _, one in declared(kind))
NAMES = tuple(one.name for one in SETTINGS)


def local_url(port: int) -> str:
    """Return the address of a server for which none was given."""
    return f"http://localhost:{port}"


def load(environ: Mapping[str, str] | None = None, folder: Path | None = None) -> Config:
    """Load the settings of the environment (default: this process's); raises BadSetting if one is wrong."""
    folder = folder or Path.cwd()
    config = judged(_given(os.environ if environ is None else environ, folder), folder)
    return config if config.secret_keys else replace(config, secret_keys=_kept_keys(config.data))


def judged(given: Mapping[str, str], folder: Path) -> Config:
    """Return the configuration that settings make, by their names without the prefix; without `SECRET_KEY` it has no
    key. Nothing is written. Raises BadSetting if one is wrong."""
    made = {"mail_host": None, "language": "en", "secret_keys": ()} | values_of(Config, given)
    made["data"] = folder / made.get("data", "var")
    if "backups" in made:
        made["backups"] = folder / made["backups"]
    made.setdefault("database_url", _embedded(made["data"]))
    base_url = made.setdefault("base_url", local_url(place_of(made.get("listen", "127.0.0.1:8000"))[1] or 80))
    mail_from = made.setdefault("mail_from", f"Post Road <postroad@{urlsplit(base_url).hostname}>")
    return Config(**made, base_url_is_given=bool(given.get("BASE_URL")), mail_in=mail_in(given, mail_from), given=given)


def configured_database(environ: Mapping[str, str] | None = None, folder: Path | None = None) -> str:
    """Return the database alone, for a command that only reads: unlike `load` it makes no key. Raises BadSetting."""
    folder = folder or Path.cwd()
    given = _given(os.environ if environ is None else environ, folder)
    made = values_of(Config, {name: given.get(name, "") for name in ("DATA", "DATABASE_URL")})
    return str(made.get("database_url") or _embedded(folder / made.get("data", "var")))


def _embedded(data: Path) -> str:
    return f"sqlite:///{data / 'postroad.db'}"


def _given(environ: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return all settings that were given, by name without the prefix."""
    if environ.get(f"{PREFIX}CONFIG") or (folder / "postroad.toml").exists():
        raise BadSetting("CONFIG", "postroad.toml", "POSTROAD_NAME=value for each of its lines, in /etc/postroad.env")
    for name in sorted(environ):
        where, said = name[: len(PREFIX)], name[len(PREFIX) :]
        if where == PREFIX and said.removesuffix("_FILE") not in NAMES and not NO_SETTINGS.fullmatch(said):
            raise UnknownSetting(said, NAMES)
        if name.upper() != name and where.upper() == PREFIX and said.upper() in NAMES:
            raise UnknownSetting(said, NAMES, where)
    given = {name: environ[PREFIX + name] for name in NAMES if environ.get(PREFIX + name)}
    return given | in_files(environ)


def in_files(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the settings whose values are in files, as containers and systemd's LoadCredential hand secrets over.
    Raises BadSetting for a file that cannot be read."""
    found = {}
    for name in NAMES:
        if file := environ.get(f"{PREFIX}{name}_FILE"):
            try:
                found[name] = Path(file).read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise BadSetting(f"{name}_FILE", file, f"a file that can be read ({error})") from None
    return found


def _kept_keys(data: Path) -> tuple[str, ...]:
    """Return the keys stored in the data folder, where the first start makes one."""
    path = data / KEY_FILE
    try:
        private.make_folder(data)
        try:
            # Exclusive, so that two processes at their first start end up with one key.
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
                file.write(secrets.token_urlsafe(48))
        except FileExistsError:
            pass
        kept = path.read_text(encoding="ascii").strip()
    except PermissionError as error:
        right = f"a file of the server's user; as root: chown --reference={data} {path}" if path.exists() else ""
        raise BadSetting("SECRET_KEY", f"in {path}", right or f"a folder of the server's user ({error})") from None
    except OSError as error:
        raise BadSetting("DATA", str(data), f"a folder that can be written ({error.strerror})") from None
    if not kept:
        raise BadSetting("SECRET_KEY", f"empty in {path}", "a key; delete the file to have a new one made")
    return _secret_keys(kept)
