"""Why something that a person asked for is not done: one family with the engine's refusals.

A page answers each with the status of its class, a command ends with its sentence.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from engine.kernel.refusals import Refusal
from engine.kernel.text import N_, Text


class NotAccepted(Refusal):
    """What was asked for is not possible as it was filled in, or as things stand."""

    status: ClassVar[int] = 422
    heading: ClassVar[str] = N_("Not possible")
    """Over the sentence, where it has a page of its own."""
    field: str = ""
    """The field of a form that it is about, where that is known."""
    game_id: int | None = None
    """The game to look at instead, where there is one."""


class Conflict(NotAccepted):
    """Another person did something meanwhile; what was asked for was judged by an older page."""

    status = 409


class FormExpired(NotAccepted):
    """The token of a form is missing, of another session, or none of ours."""

    status = 400


class NotAllowed(NotAccepted):
    """Only a person with another role may do this."""

    status = 403
    heading = N_("Not allowed")


class TooOften(NotAccepted):
    """A limit is reached; `again_at` is when its window ends."""

    status = 429

    def __init__(self, limit: str, again_at: datetime) -> None:
        super().__init__(f"limit.{limit}", Text("That was too often; wait a while and try again."))
        self.again_at = again_at


class NoSuch(NotAccepted):
    """The thing that an address or a form names is not there, or not for this person. `which` is the name."""

    status = 404
    heading = N_("Not found")
    sentence: ClassVar[str] = N_("There is nothing at this address.")

    def __init__(self, which: object = "") -> None:
        super().__init__("address.unknown", Text(self.sentence))
        self.which = which


class TitleMissing(NotAccepted, KeyError):
    """The title `which` is not installed, so that its games stand still."""

    status = 503
    heading = N_("The rules are missing")

    def __init__(self, which: str) -> None:
        said = Text(
            "The rules of “{title}” are not installed on this server at the moment. Its games stand still until they "
            "are back, and nobody loses time.",
            title=which,
        )
        super().__init__("title.missing", said)
        self.which = which


class LinkExpired(NotAccepted):
    """The link was good, and what it was made for is over."""

    status = 410
    heading = N_("This link has ended")
