"""What alarms and the page of the server say."""

from __future__ import annotations

from engine.kernel.text import N_

WHAT = {
    "mail": N_("No mails go out."),
    "scheduler": N_("The timetable does not run: nobody is reminded, and no deadline is looked at."),
    "disk": N_("The disk is nearly full. When it is full, nobody can play until there is room."),
    "temporary": N_("The folder for temporary files is nearly full. When it is full, no files can be sent in."),
    "unreadable": N_("Mails that came in could not be read, and the clock of a bounced one runs on: see the log."),
    "strangers": N_("The mails of this day to people who have never used the server are used up."),
    "way_in": N_("No mails come in: the process that takes them is silent."),
    "computer": N_("The computer owes decisions: the processes that think are silent or have too much to do."),
    "broken": N_("The rules of a game have failed, and its clock stands until they are mended."),
    "ahead": N_("The clock of the machine was set back: a part that has ended may still look alive."),
    "settings": N_("The settings have changed, and what runs has old ones: restart it."),
    "backup": N_("The backup is late or has failed."),
    "database": N_("The database failed a short while ago."),
    "titles": N_("Games stand still, since their titles are not installed."),
    "log": N_("The log of the database does not become shorter: something has it open for long."),
    "pause": N_("The mail host takes no mails at the moment; one is tried now and then."),
    "set_aside": N_("Some of what is due cannot be done; it is tried again now and then."),
    "pushes": N_("A push service does not answer, so its devices are told later."),
    "zones": N_("This machine does not know some time zones; their hours count as those of UTC."),
    "behind": N_("Mails could not be delivered and wait for the next attempt."),
}
_FREE = N_("Free: {figures}.")
FIGURES = {
    "disk": _FREE,
    "temporary": _FREE,
    "strangers": N_("Mails: {figures} (POSTROAD_STRANGER_MAILS)."),
    "backup": N_("The last one: {figures}."),
}
FIGURE = N_("Known of it: {figures}.")
"""The measured figure, in a mail."""
STATUSES = {
    "open": N_("open tables"),
    "running": N_("games in play"),
    "over": N_("games that are over"),
    "cancelled": N_("games that were called off"),
}
