"""The settings of a server: their names, what holds where one is not given, and what it means. The operators' reference
shows them as a table (`python -m tests.support.settings_table` writes it)."""

from __future__ import annotations

from typing import NamedTuple


class Setting(NamedTuple):
    """One setting, its words in Markdown."""

    name: str
    """Without the prefix."""
    default: str
    about: str


FILE = Setting("CONFIG", "`postroad.toml` where the server starts", "file with the other settings")
"""Where the others may stand; not a setting itself."""
SETTINGS = (
    Setting("DATA", "`./var`", "folder of database, key, mailbox, `pages` and kept `pictures`"),
    Setting("DATABASE_URL", "SQLite in the data folder", "`sqlite:///FILE` or `postgresql://USER:PASSWORD@HOST/NAME`"),
    Setting("BASE_URL", "`http://localhost:PORT`", "the address in links"),
    Setting("SECRET_KEY", "made at the first start, kept in the data folder", "signs links ([the key](#the-key))"),
    Setting("PROXIES", "`127.0.0.0/8, ::1`", "addresses or networks of the proxies, or `none`"),
    Setting("LANGUAGE", "`en`", "of people who have not chosen: `en`, `fr`, `es`, `it`"),
    Setting("LEAVE_DAYS", "`30`", "days of leave of a player in a calendar year, 0 to 366"),
    Setting(
        "SMTP_URL",
        "none: the embedded mailbox",
        "`smtp://HOST:PORT` (STARTTLS where offered), `smtp://USER:PASSWORD@HOST:587?tls=required`, "
        "`smtps://USER:PASSWORD@HOST`",
    ),
    Setting("MAIL_FROM", "`Post Road <postroad@HOST>`", "sender of all mails"),
    Setting("MAIL_CONNECTIONS", "`4`", "to the mail host at most, for each sending process, 1 to 10"),
    Setting("MAIL_PICTURES", "`send`", "`none` leaves out the board's picture, a third of a second of a core each"),
    Setting(
        "MAILS_KEPT_DAYS",
        "`365`",
        "how long it is known what became of a mail, 31 at least; mails of running games stay",
    ),
    Setting(
        "STRANGER_MAILS", "`200`", "a day at most to people who have never used the server: invitations, sign-in links"
    ),
    Setting("IMAP_URL", "none", "mailbox to read: `imaps://USER:PASSWORD@HOST/FOLDER`"),
    Setting(
        "LMTP",
        "none",
        "where `mail serve` listens: `127.0.0.1:PORT`, or the path of a socket, which a mail host has to "
        "reach (group, chroot)",
    ),
    Setting(
        "MAIL_TAGS",
        "`plus` with a way in, else `none`",
        "`none` for hosts without addresses like `games+TAG@HOST`: bounces are then known by the mail that "
        "they return, replies are not read",
    ),
    Setting("MAIL_AUTHSERV", "none", "the mail host's name in `Authentication-Results`"),
    Setting("RESOLVER", "the machine's", "name server for the doctor and DKIM, such as `192.0.2.53`"),
    Setting("BACKUPS", "none", "folder of the server's own backups"),
    Setting("BACKUP_HOURS", "`24`", "between two"),
    Setting("BACKUPS_KEPT", "`14`", "how many stay"),
    Setting(
        "BACKUP_AGE",
        "none",
        "a recipient of [age](https://age-encryption.org), for whom scheduled backups are encrypted",
    ),
    Setting("BACKUP_COMMAND", "none", "gets each scheduled backup, in the place of `{}` or as its last argument"),
    Setting("LOGS", "`text`", "`json`: one object a line"),
    Setting("METRICS_TOKEN", "none", "opens `/metrics`; 16 characters at least"),
    Setting("ALARM_URL", "none", "where alarms are posted"),
    Setting("SEEDS", "`1048576`", "[numbered seeds](provable-chance.md) made at once, a power of two"),
    Setting(
        "THINKERS",
        "`1`",
        "processes at most that think for the [computer](developers.md#a-computer-to-play-with), in all on this "
        "machine, at low priority: begun when a decision is owed, ended after five idle minutes; `0`: nobody can "
        "play it. `postroad think` runs one more, here or elsewhere",
    ),
    Setting(
        "THINKING_HOURS",
        "`6`",
        "hours of a core that it may search in 24 hours; beyond them it answers by its rules of thumb",
    ),
    Setting(
        "PUSH_HOSTS",
        "none",
        "push services besides those of Chrome, Firefox, Safari and Edge: `push.example.org, .example.net` (a"
        " dot: all below it)",
    ),
    Setting(
        "WEBHOOK_PRIVATE",
        "`refuse`",
        "`allow` lets [webhooks](webhooks.md#where-calls-go) be plain http and private, for a club inside one network",
    ),
)
NAMES = tuple(one.name for one in SETTINGS)
