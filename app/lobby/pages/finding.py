"""The filter of the lobby, as stored in the page's address."""

from __future__ import annotations

from typing import Any

from flask import request

from app.base.words.numbers import whole
from app.base.words.speech import Voice
from app.clocks.presets import preset
from app.lobby import options
from app.lobby.listing import LobbyWish
from app.time.pace_words import presets_in_words
from app.titles.registry import TITLES


def wanted() -> LobbyWish:
    """Return the filter in the address; unknown values are left open."""
    args = request.args
    title = args.get("title", "") if args.get("title", "") in TITLES else ""
    edition, pace = args.get("edition", ""), args.get("pace", "")
    return LobbyWish(
        title,
        edition if edition in [value for value, _ in editions(title)] else "",
        pace if preset(pace) else "",
        whole(args.get("players", ""), least=2, most=9),
        {"yes": True, "no": False}.get(args.get("rated", "")),
    )


def editions(title_id: str, voice: Voice | None = None) -> list[tuple[str, str]]:
    """Return what a title's first option can be, if there is a choice: values and, given a voice, their words."""
    fields = TITLES[title_id].option_fields({}) if title_id else ()
    if not fields or len(fields[0].values) < 2:
        return []
    about = voice.about(TITLES[title_id]) if voice else None
    return [(options.form_value(one), options.value_in_words(about, one) if about else "") for one in fields[0].values]


def choices(wish: LobbyWish, voice: Voice) -> dict[str, Any]:
    """Return the fields of the filter for `lobby/_finder.html`: name, label, choices, and the current one."""
    title = TITLES.get(wish.title)
    least = title.least_seats if title else min(one.least_seats for one in TITLES.values())
    most = title.most_seats if title else max(one.most_seats for one in TITLES.values())
    label = voice.gettext(title.option_fields({})[0].label) if title else ""
    fields = [
        ("title", voice.gettext("Game"), [(one.id, voice.gettext(one.name)) for one in TITLES.values()], wish.title),
        ("edition", label, editions(wish.title, voice), wish.edition),
        ("pace", voice.gettext("Pace"), presets_in_words(voice), wish.pace),
        ("players", voice.gettext("Players"), [(str(n), str(n)) for n in range(least, most + 1)], wish.players),
        (
            "rated",
            voice.gettext("Rated"),
            [("yes", voice.gettext("yes")), ("no", voice.gettext("no"))],
            {True: "yes", False: "no"}.get(wish.rated),  # type: ignore[arg-type]
        ),
    ]
    shown = [(name, label, values, str(chosen or "")) for name, label, values, chosen in fields if len(values) > 1]
    return {"fields": shown, "is_narrow": wish != LobbyWish()}
