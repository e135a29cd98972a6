"""The settings of one server, read from a file and the environment and judged before anything starts.

Every setting is `POSTROAD_NAME` in the environment, or `name = "..."` in the file that `POSTROAD_CONFIG` names
(otherwise `postroad.toml` where the server is started, if there is one). The environment wins.
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from email.utils import parseaddr
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from app.base import mail_settings, private
from app.base.addresses import ascii_domain
from app.base.i18n import LANGUAGES
from app.base.mail_settings import MailIn
from app.base.numbers import whole
from app.base.settings import NAMES
from app.clocks.leave import DAYS_A_YEAR

PREFIX = "POSTROAD_"
DEFAULT_PORT = 8000
LEAST_KEY_LENGTH = 16
MOST_THINKERS, THINKING_HOURS = 16, 6
STRANGER_MAILS = 200
SEEDS, LEAST_SEEDS = 1 << 20, 1024
MAIL_CONNECTIONS, MOST_MAIL_CONNECTIONS = 4, 10
MAILS_KEPT_DAYS, LEAST_MAILS_KEPT_DAYS, MOST_MAILS_KEPT_DAYS = 365, 31, 36500
"""A mail can be resent for 30 days, so it is kept longer than that."""
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgresql+psycopg": "postgresql+psycopg"}
SECRETS = ("ALARM_URL", "BACKUP_COMMAND", "METRICS_TOKEN", "SECRET_KEY")
"""Settings of which nothing is shown."""

NO_SETTINGS = re.compile(r"CONFIG|ENV_FILE|TEST_\w+|REQUIRE_ALL|MAIL_SCALES|SERVICE_(HOST|PORT)\w*|PORT(_\w+)?")
"""What else may be in the environment: where the file is, settings of tests and benchmarks, and what container systems
set by themselves for a service called postroad."""

Network = IPv4Network | IPv6Network
USUAL_PROXIES: tuple[Network, ...] = (ip_network("127.0.0.0/8"), ip_network("::1"))


class BadSetting(Exception):
    """A setting that prevents the start: gives the variable, its value (never a secret) and what is accepted."""

    def __init__(self, name: str, value: str, accepted: str) -> None:
        super().__init__(f"{PREFIX}{name} is {value!r}; accepted is {accepted}.")
        self.name = name


class UnknownSetting(BadSetting):
    """A name that is not a setting: most likely misspelt, and so without effect."""

    def __init__(self, name: str, where: str = PREFIX, *, lower: bool = False) -> None:
        near = get_close_matches(name.upper(), NAMES, 1)
        right = PREFIX if where.upper() == PREFIX else where
        known = [f"{right}{one.lower() if lower else one}" for one in near or sorted(NAMES)]
        rest = f"did you mean {known[0]}?" if near else f"there are {', '.join(known)}."
        Exception.__init__(self, f"{where}{name} is not a setting; {rest}")
        self.name = name


@dataclass(frozen=True, slots=True)
class MailHost:
    """The mail host. `tls` is `always` (smtps), `required` or `offered` (STARTTLS)."""

    host: str
    port: int
    tls: str
    user: str | None = None
    password: str | None = None

    @property
    def route(self) -> str:
        """Name and port, which identify the route to this host."""
        return f"{self.host}:{self.port}"

    def __repr__(self) -> str:
        return f"MailHost({self.host}:{self.port}, tls={self.tls})"  # never the password


@dataclass(frozen=True, slots=True)
class Config:
    """What a server runs with."""

    data: Path
    database_url: str
    base_url: str
    secret_keys: tuple[str, ...]
    """All keys that verify; the last one signs."""
    mail_host: MailHost | None
    mail_from: str
    language: str
    """The language of people who have not chosen one."""
    base_url_is_given: bool = True
    webhook_private: bool = False
    """Webhooks may be plain http and in private networks: for tests, and for clubs with their own network."""
    push_hosts: tuple[str, ...] = ()
    """Push services besides the usual ones; one that begins with a dot stands for all names below it."""
    leave_days: int = DAYS_A_YEAR
    """Days of leave that a player has per calendar year."""
    mail_connections: int = MAIL_CONNECTIONS
    """Connections to the mail host at most, in each process that sends mails."""
    mail_pictures: bool = True
    """Whether turn mails show the board as a picture, which takes a third of a second of a core per position."""
    seeds: int = SEEDS
    """How many numbered seeds are made and committed to at once."""
    stranger_mails: int = STRANGER_MAILS
    """Mails a day to people who have never used the server."""
    mail_in: MailIn = field(default_factory=MailIn)
    proxies: tuple[Network, ...] = USUAL_PROXIES
    """Proxies whose X-Forwarded-For is trusted."""
    metrics_token: str | None = field(default=None, repr=False)
    """A client that sends it may read `/metrics`, as operators may."""
    alarm_url: str | None = field(default=None, repr=False)
    """Where alarms are posted, besides the mails to operators."""
    json_logs: bool = False
    backups: Path | None = None
    """The folder for scheduled backups."""
    backup_hours: int = 24
    backups_kept: int = 14
    backup_age: str = ""
    """The age recipient to whom scheduled backups are encrypted."""
    backup_command: str = ""
    """What each scheduled backup is handed to, in the place of `{}` or as its last argument."""
    mails_kept_days: int = MAILS_KEPT_DAYS
    """How long the fate of a mail stays known, apart from mails of running games."""
    thinkers: int = 1
    """How many processes think for the computer; 0: nobody can play against it."""
    thinking_hours: int = THINKING_HOURS
    """Hours of a core that it may search on a day; afterwards it plays by its rules of thumb."""
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
        return None if self.given.get("SECRET_KEY") else self.data / "secret_key"

    def shown(self) -> dict[str, str]:
        """Return the settings that were given, without secrets."""
        return {
            PREFIX + name: "***" if name in SECRETS else _without_password(self.given[name])
            for name in sorted(self.given)
        }

    def __repr__(self) -> str:
        return f"Config({self.base_url}, data={self.data})"  # keys and passwords stay out of logs

    def at_port(self, port: int) -> Config:
        """Return the same with links to the port actually served, unless the address was given."""
        return self if self.base_url_is_given else replace(self, base_url=local_url(port))


def local_url(port: int) -> str:
    """Return the address of a server for which none was given."""
    return f"http://localhost:{port}"


def load(environ: Mapping[str, str] | None = None, folder: Path | None = None) -> Config:
    """Load the settings of the environment (default: this process's) and of the file; raises BadSetting if one is
    wrong."""
    folder = folder or Path.cwd()
    given = _given(os.environ if environ is None else environ, folder)
    config = judged(given, folder)
    return replace(config, secret_keys=_secret_keys(given.get("SECRET_KEY"), config.data))


def judged(given: Mapping[str, str], folder: Path) -> Config:
    """Return the configuration that settings make, by their names without the prefix, but for the key; nothing is
    written. Raises BadSetting if one is wrong."""
    data = _data(given, folder)
    host = _mail_host(given["SMTP_URL"]) if given.get("SMTP_URL") else None
    base_url = _base_url(given["BASE_URL"]) if given.get("BASE_URL") else local_url(DEFAULT_PORT)
    language = given.get("LANGUAGE", "en")
    if language not in LANGUAGES:
        raise BadSetting("LANGUAGE", language, "one of " + ", ".join(LANGUAGES))
    mail_from = _mail_from(given.get("MAIL_FROM"), base_url)
    return Config(
        data=data,
        database_url=read_database_url(given.get("DATABASE_URL") or _embedded(data)),
        base_url=base_url,
        secret_keys=(),
        mail_host=host,
        mail_from=mail_from,
        language=language,
        base_url_is_given=bool(given.get("BASE_URL")),
        leave_days=_count(given, "LEAVE_DAYS", str(DAYS_A_YEAR), 0, 366),
        mail_connections=_count(given, "MAIL_CONNECTIONS", str(MAIL_CONNECTIONS), 1, MOST_MAIL_CONNECTIONS),
        mail_pictures=_choice(given, "MAIL_PICTURES", ("send", "none")) == "send",
        webhook_private=_choice(given, "WEBHOOK_PRIVATE", ("refuse", "allow")) == "allow",
        push_hosts=_push_hosts(given.get("PUSH_HOSTS", "")),
        seeds=_seeds(given.get("SEEDS", str(SEEDS))),
        stranger_mails=_count(given, "STRANGER_MAILS", str(STRANGER_MAILS), 0, 100_000),
        mail_in=_mail_in(given, mail_from),
        proxies=_proxies(given["PROXIES"]) if given.get("PROXIES") else USUAL_PROXIES,
        metrics_token=_token(given.get("METRICS_TOKEN")),
        alarm_url=_alarm_url(given.get("ALARM_URL")),
        json_logs=_choice(given, "LOGS", ("text", "json")) == "json",
        backups=_folder(given["BACKUPS"], folder) if given.get("BACKUPS") else None,
        backup_hours=_count(given, "BACKUP_HOURS", "24", 1, 24 * 31),
        backups_kept=_count(given, "BACKUPS_KEPT", "14", 1, 1000),
        backup_age=_recipient(given.get("BACKUP_AGE", "")),
        backup_command=_command(given.get("BACKUP_COMMAND", "")),
        mails_kept_days=_count(
            given, "MAILS_KEPT_DAYS", str(MAILS_KEPT_DAYS), LEAST_MAILS_KEPT_DAYS, MOST_MAILS_KEPT_DAYS
        ),
        thinkers=_count(given, "THINKERS", "1", 0, MOST_THINKERS),
        thinking_hours=_count(given, "THINKING_HOURS", str(THINKING_HOURS), 0, 24 * MOST_THINKERS),
        given=given,
    )


def _recipient(value: str) -> str:
    if value and not re.fullmatch(r"age1[02-9ac-hj-np-z]{58}", value):
        raise BadSetting("BACKUP_AGE", value, "a recipient of age, age1 and 58 characters, as `age-keygen` prints it")
    return value


def _command(value: str) -> str:
    try:
        line = shlex.split(value)
    except ValueError as error:
        raise BadSetting("BACKUP_COMMAND", value, f"a command with its arguments ({error})") from None
    if line and shutil.which(line[0]) is None:
        raise BadSetting("BACKUP_COMMAND", value, f"a command that this machine has; {line[0]} was not found")
    return value


def configured_database(environ: Mapping[str, str] | None = None, folder: Path | None = None) -> str:
    """Return the database alone, for a command that only reads: unlike `load` it makes no key. Raises BadSetting."""
    given = _given(os.environ if environ is None else environ, folder or Path.cwd())
    return read_database_url(given.get("DATABASE_URL") or _embedded(_data(given, folder or Path.cwd())))


def _data(given: Mapping[str, str], folder: Path) -> Path:
    return _folder(given.get("DATA", "var"), folder)


def _folder(value: str, start: Path) -> Path:
    path = Path(value).expanduser()
    return path if path.is_absolute() else start / path


def _embedded(data: Path) -> str:
    return f"sqlite:///{data / 'postroad.db'}"


def _given(environ: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return all settings that were given, by name without the prefix."""
    named = environ.get(PREFIX + "CONFIG")
    path = folder / named if named else folder / "postroad.toml"
    settings: dict[str, str] = {}
    if named or path.is_file():
        try:
            read = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise BadSetting("CONFIG", str(path), f"a readable TOML file ({error})") from None
        for key, value in read.items():
            if key.upper() not in NAMES:
                raise UnknownSetting(key, f"{path}: ", lower=True)
            if not isinstance(value, str):
                raise BadSetting("CONFIG", f"{path}: {key}", 'text, as in name = "..."')
            settings[key.upper()] = value
    for name in sorted(environ):
        where, said = name[: len(PREFIX)], name[len(PREFIX) :]
        if where == PREFIX and said not in NAMES and not NO_SETTINGS.fullmatch(said):
            raise UnknownSetting(said)
        if name.upper() != name and where.upper() == PREFIX and said.upper() in NAMES:
            raise UnknownSetting(said, where)
    settings.update({name: environ[PREFIX + name] for name in NAMES if environ.get(PREFIX + name)})
    return settings


def read_database_url(value: str) -> str:
    """Return the address of a database with the driver used for it; raises BadSetting."""
    accepted = "sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"
    try:
        url = make_url(value)
    except ArgumentError:
        raise BadSetting("DATABASE_URL", _without_password(value), accepted) from None
    if url.drivername not in DRIVERS or not url.database or url.database == ":memory:":
        raise BadSetting("DATABASE_URL", _without_password(value), accepted)
    return url.set(drivername=DRIVERS[url.drivername]).render_as_string(hide_password=False)


def _base_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        host, port = ascii_domain(parts.hostname or ""), f":{parts.port}" if parts.port else ""
        good = parts.scheme in ("http", "https") and parts.path in ("", "/") and parts.port != 0
    except ValueError:
        host, port, good = "", "", False
    if not good or not re.fullmatch(r"[\w.:-]+", host) or parts.query or parts.fragment or parts.username:
        raise BadSetting(
            "BASE_URL",
            _without_password(value),
            "http:// or https:// and a host without a path, such as https://games.example.org",
        )
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}"


def _secret_keys(value: str | None, data: Path) -> tuple[str, ...]:
    """Return keys separated by commas or spaces, the newest last; without any, the one stored in the data folder."""
    if value:
        keys = tuple(re.split(r"[\s,]+", value.strip(", \t\n")))
        if any(len(key) < LEAST_KEY_LENGTH for key in keys):
            raise BadSetting(
                "SECRET_KEY", "(hidden)", f"keys of {LEAST_KEY_LENGTH} characters or more, the newest last, with commas"
            )
        return keys
    path = data / "secret_key"
    try:
        private.make_folder(data)
        try:
            # Exclusive, so that two processes at their first start end up with one key.
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
                file.write(secrets.token_urlsafe(48))
        except FileExistsError:
            pass
        kept = path.read_text(encoding="ascii").strip()
    except OSError as error:
        raise BadSetting("DATA", str(data), f"a folder that can be written ({error.strerror})") from None
    return _secret_keys(kept, data) if kept else _refuse_empty(path)


def _refuse_empty(path: Path) -> tuple[str, ...]:
    raise BadSetting("SECRET_KEY", f"empty in {path}", "a key; delete the file to have a new one made")


def _mail_host(value: str) -> MailHost:
    bad = BadSetting(
        "SMTP_URL",
        _without_password(value),
        "smtp://HOST:PORT or smtps://USER:PASSWORD@HOST, smtp:// also with ?tls=required",
    )
    try:
        parts = urlsplit(value)
        query = parse_qs(parts.query, strict_parsing=bool(parts.query))
        port, host = parts.port, ascii_domain(parts.hostname or "")
    except ValueError:
        raise bad from None
    if parts.scheme not in ("smtp", "smtps") or not host or parts.path not in ("", "/") or port == 0:
        raise bad
    tls = query.pop("tls", ["offered"])
    if query or tls not in (["required"], ["offered"]) or bool(parts.username) != bool(parts.password):
        raise bad
    return MailHost(
        host=host,
        port=port or (465 if parts.scheme == "smtps" else 25),
        tls="always" if parts.scheme == "smtps" else tls[0],
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
    )


def _mail_from(value: str | None, base_url: str) -> str:
    if value is None:
        return f"Post Road <postroad@{urlsplit(base_url).hostname}>"
    name, address = parseaddr(value)
    local, _, domain = address.rpartition("@")
    try:
        address = f"{local}@{ascii_domain(domain)}"
    except ValueError:
        address = ""
    if not re.fullmatch(r"[^@\s<>]+@[^@\s<>]+", address) or not address.isascii() or any(ord(c) < 32 for c in value):
        raise BadSetting("MAIL_FROM", value, "an address such as Post Road <games@example.org>, in ASCII before the @")
    return f"{name} <{address}>" if name else address


def _mail_in(given: Mapping[str, str], mail_from: str) -> MailIn:
    try:
        return mail_settings.read(given, mail_from)
    except mail_settings.UnfitSetting as unfit:
        raise BadSetting(*unfit.args) from None


def _proxies(value: str) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(one) for one in re.split(r"[\s,]+", value.strip(", ")) if one != "none")
    except ValueError:
        raise BadSetting(
            "PROXIES", value, "addresses or networks with commas, such as 127.0.0.1, 10.0.0.0/8, or none"
        ) from None


def _push_hosts(value: str) -> tuple[str, ...]:
    hosts = tuple(re.split(r"[\s,]+", value.strip(", ").lower())) if value.strip(", ") else ()
    if not all(re.fullmatch(r"\.?[a-z0-9-]+(\.[a-z0-9-]+)+", host) for host in hosts):
        raise BadSetting("PUSH_HOSTS", value, "names with commas, such as push.example.org, .push.example.net")
    return hosts


def _count(given: Mapping[str, str], name: str, usual: str, least: int, most: int) -> int:
    value = given.get(name, usual)
    read = whole(value, least=least, most=most)
    if read is None:
        raise BadSetting(name, value, f"a whole number from {least} to {most}")
    return read


def _choice(given: Mapping[str, str], name: str, words: tuple[str, str]) -> str:
    """Return one of two words; the first one if none is given."""
    value = given.get(name, words[0])
    if value not in words:
        raise BadSetting(name, value, " or ".join(words))
    return value


def _seeds(value: str) -> int:
    number = whole(value, most=1 << 24)
    if number is None or number < LEAST_SEEDS or number & (number - 1):
        raise BadSetting("SEEDS", value, "a power of two from 1024 to 16777216")
    return number


def _token(value: str | None) -> str | None:
    if value is not None and not re.fullmatch(rf"[!-~]{{{LEAST_KEY_LENGTH},200}}", value):
        raise BadSetting("METRICS_TOKEN", "(hidden)", f"{LEAST_KEY_LENGTH} or more letters, digits and signs")
    return value


def _alarm_url(value: str | None) -> str | None:
    if value is not None and (urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).hostname):
        raise BadSetting("ALARM_URL", "(hidden)", "http:// or https:// and a host")
    return value


def _without_password(url: str) -> str:
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", url)
