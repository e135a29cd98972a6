"""`postroad league news`: the announcements of a club."""

from __future__ import annotations

import secrets
from typing import TextIO

import click

from app.leagues.clubs import announcements, clubs
from app.leagues.commands.common import AS, JSON, club_and_actor, opened, right_now, tell
from app.leagues.desk import messages


@click.group()
def news() -> None:
    """Announcements of a club."""


@news.command(name="list")
@click.argument("club")
@JSON
def list_news(club: str, as_json: bool) -> None:
    """List the current announcements, newest first."""
    with opened() as server, server.database.read() as session:
        found = announcements.of_club(session, clubs.find(session, club).id, is_member=True)
        data = [
            {
                "announcement": row.id,
                "at": row.at.isoformat(),
                "by": by,
                "subject": row.subject,
                "text": row.text,
                "public": row.is_public,
                "mails": row.mails,
            }
            for row, by in found
        ]
    tell(as_json, data, (f"{one['announcement']}  {one['at']}  {one['subject']}" for one in data))


@news.command()
@click.argument("club")
@click.argument("subject")
@click.argument("text", type=click.File("r"))
@click.option("--public", "is_public", is_flag=True, help="Everybody can read it, not only members.")
@click.option("--no-mail", is_flag=True, help="On the page and in the feed alone.")
@AS
@JSON
def write(club: str, subject: str, text: TextIO, is_public: bool, no_mail: bool, address: str, as_json: bool) -> None:
    """Announce something; TEXT is a file, - for standard input."""
    with opened() as server:
        club_id, actor = club_and_actor(server, club, address)
        number, mails = announcements.announce(
            server.database,
            club_id,
            actor,
            subject=subject,
            text=text.read(),
            is_public=is_public,
            mails=not no_mail,
            token=secrets.token_hex(12),
            now=right_now(),
        )
    tell(as_json, {"announcement": number, "mails": mails}, [f"Announcement {number}, {mails} mails."])


@news.command()
@click.argument("club")
@click.argument("subject")
@click.argument("text", type=click.File("r"))
@AS
@JSON
def silent(club: str, subject: str, text: TextIO, address: str, as_json: bool) -> None:
    """Write to those who are silent in a running event, one mail each; TEXT is a file, - for standard input."""
    with opened() as server:
        club_id, actor = club_and_actor(server, club, address)
        mails = messages.send_to_silent(
            server.database, club_id, actor, subject, text.read(), token=secrets.token_hex(12), now=right_now()
        )
    tell(as_json, {"mails": mails}, [f"{mails} mails."])


@news.command()
@click.argument("club")
@click.argument("number", type=int)
@AS
@JSON
def down(club: str, number: int, address: str, as_json: bool) -> None:
    """Take an announcement down; waiting mails are not sent."""
    with opened() as server:
        club_id, actor = club_and_actor(server, club, address)
        try:
            announcements.take_down(server.database, club_id, actor, number, now=right_now())
        except announcements.NoSuchAnnouncement:
            raise click.ClickException("The club has no such announcement.") from None
    tell(as_json, {"announcement": number, "taken_down": True}, ["Taken down."])
