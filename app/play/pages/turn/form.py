"""The form of a turn page: what a person has entered, the mark that it carries, and why it came back."""

from __future__ import annotations

from dataclasses import dataclass, field

from flask import request
from itsdangerous import BadData

from app.base.links import BadLink
from app.base.server import Server
from app.base.words.speech import Voice
from app.play.turn.choosing import touches_in
from app.play.turn.playing import LineRefused


@dataclass
class FilledTurn:
    """The form as it was sent, or as it is first shown."""

    draft: list[str] = field(default_factory=list)
    orders: str = ""
    at: tuple[str, ...] = ()
    """What has been touched (`app.play.turn.choosing`), with the ticked items of a free choice."""
    opened: str = ""
    """The fold that was asked for."""
    end: bool | None = None
    """Whether the turn ends with what is sent; None if that was not asked."""
    say: str = ""
    note: str | None = None

    @classmethod
    def sent(cls) -> FilledTurn:
        """Return the form of this request."""
        form = request.form
        draft = lines_of(form.get("draft", ""))
        # `line:N` says the Nth line of the draft in another way.
        draft = [" ".join(form.get(f"line:{number}", line).split()) for number, line in enumerate(draft, 1)]
        return cls(
            draft=draft,
            orders=form.get("orders", ""),
            at=touches_in([form.get("at", ""), *form.getlist("touch")]),
            end="end" in form if "ends" in form else None,
            say=form.get("say", ""),
            note=form.get("note"),
        )


@dataclass(frozen=True, slots=True)
class Complaint:
    """Why the form came back: a sentence and, for a line of orders, the line split at the wrong word."""

    message: str
    number: int = 0
    line: str = ""
    word: tuple[int, int] | None = None
    rule: str | None = None
    kept: str = ""
    """What has been played all the same."""

    @property
    def parts(self) -> tuple[str, str, str]:
        """The line before the wrong word, the word, and the rest."""
        start, end = self.word or (0, len(self.line))
        return self.line[:start], self.line[start:end], self.line[end:]


def lines_of(text: str) -> list[str]:
    """Return the non-empty lines, each with single spaces."""
    return [line for line in (" ".join(raw.split()) for raw in text.splitlines()) if line]


def complaint_of(voice: Voice, refused: LineRefused) -> Complaint:
    """Return the refusal of a line in words."""
    refusal = refused.refusal
    return Complaint(voice.say(refusal.why), refused.number, refused.line, refusal.word, refusal.rule)


def form_token(server: Server, token: str) -> str:
    """Return what a form of this link's page carries, so that only a page that was really shown can be sent."""
    return server.links.sign("form", [token[-24:]])


def is_from_the_page(server: Server, token: str) -> bool:
    """Return whether the form of this request carries that mark."""
    try:
        return server.links.read("form", request.form.get("csrf_token", "")) == [token[-24:]]
    except (BadLink, BadData):
        return False
