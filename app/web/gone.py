"""Addresses of pages that were taken away, answered with 410 and a sentence for a year from the release; and of those
that have moved."""

from __future__ import annotations

import re

from engine.kernel.text import N_

GONE: tuple[tuple[str, str], ...] = (
    # 1.1.0
    (
        r"/calendars(/.*)?",
        N_("Calendars of holidays are gone; games that have one keep it. Choose free days of the week, or take leave."),
    ),
    (
        r"/account/time/reminders|/games/[0-9]+/mailed",
        N_("Reminders come as each game says, and mails of turns as your account page says."),
    ),
    (
        r"/clubs/[^/]+/import",
        N_("Earlier results and tables are no longer taken over; those that were stay in the club’s history."),
    ),
    (
        r"/clubs/[^/]+/(spreadsheet(/.*)?|members/import)",
        N_("A list of members, a spreadsheet too, is pasted on the page of the members."),
    ),
    (r"/events/[0-9]+/(trf|file|file/take)", N_("FIDE’s report files are no longer read or written.")),
    (
        r"/events/[0-9]+/clubs(/.*)?",
        N_("Clubs no longer invite each other: enter two teams. A match that was agreed is played to its end."),
    ),
    (
        r"/events/[0-9]+/template|/clubs/[^/]+/templates/forget",
        N_("Templates of events are gone. The page that runs an event offers another like it."),
    ),
    (
        r"/events/[0-9]+/numbers",
        N_("Pairing numbers go by rating or the last season, as the terms say. A draft can be changed by hand."),
    ),
    (r"/offers(/.*)?", N_("Standing offers are gone. Open a table, or take a seat at one that is open.")),
)
"""Patterns of whole paths, and what to say there."""
MOVED = (
    # 1.1.0
    (r"/events/([0-9]+)/desk", r"/events/\1/manage"),
    (r"(/events/[0-9]+/.+)/(publish|undo)", r"\1"),
    (r"/clubs/([^/]+)/requests", r"/clubs/\1/members"),
    (r"(/clubs/[^/]+)/news/[^/]+/news.atom", r"\1/news.atom"),
    (r"/learn/[^/]+|/t/[^/]+/since", r"\g<0>/1"),
)
"""Addresses in mails and readers of earlier versions, and where those pages are now."""


def sentence(path: str) -> str | None:
    """Return what to say of a path that leads nowhere any more; None if it never led anywhere."""
    return next((said for pattern, said in GONE if re.fullmatch(pattern, path)), None)


def moved(path: str) -> str | None:
    """Return the present address of a page that a path led to; None if it never did."""
    return next((re.sub(old, new, path) for old, new in MOVED if re.fullmatch(old, path)), None)
