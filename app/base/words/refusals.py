"""Why a person's request is refused: one family with the engine's refusals.

A page answers each with the status of its class, a command ends with its sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from engine.kernel.refusals import Refusal
from engine.kernel.text import N_, Text


class NotAccepted(Refusal):
    """The request is not possible as it was filled in, or as things stand."""

    status: ClassVar[int] = 422
    heading: ClassVar[str] = N_("Not possible")
    """The heading over the sentence, if it has a page of its own."""
    field: str = ""
    """The form field that it is about, if known."""
    game_id: int | None = None
    """The game to look at instead, if there is one."""
    others: Sequence[NotAccepted] = ()
    """What else is wrong in the same form."""


def together(faults: Sequence[NotAccepted]) -> NotAccepted:
    """Return several refusals of one form as one: the first, which brings the others along."""
    first, *others = faults
    first.others = others
    return first


class Conflict(NotAccepted):
    """Another person did something meanwhile; the request was based on an older page."""

    status = 409


class FormExpired(NotAccepted):
    """The form's token is missing, from another session, or not ours."""

    status = 400


class NotAllowed(NotAccepted):
    """Only a person with another role may do this."""

    status = 403
    heading = N_("Not allowed")


class TooOften(NotAccepted):
    """A limit is reached; `again_at` is when its window ends, `why` says more if it is given."""

    status = 429

    def __init__(self, limit: str, again_at: datetime, why: Text | None = None) -> None:
        super().__init__(f"limit.{limit}", why or Text("That was too often; wait a while and try again."))
        self.again_at = again_at
        self.is_explained = why is not None


class NoSuch(NotAccepted):
    """The thing that an address or a form names does not exist, or not for this person. `which` is its name."""

    status = 404
    heading = N_("Not found")
    sentence: ClassVar[str] = N_("There is nothing at this address.")

    def __init__(self, which: object = "") -> None:
        super().__init__("address.unknown", Text(self.sentence))
        self.which = which


class TitleMissing(NotAccepted, KeyError):
    """The title `which` is not installed, so its games are suspended."""

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
    """The link was valid, but what it was for is over."""

    status = 410
    heading = N_("This link has ended")
