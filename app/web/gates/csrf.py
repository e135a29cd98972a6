"""The protection of forms against other sites; `factory` switches it on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from flask import Response, request
from flask_wtf.csrf import CSRFError as CSRFError
from flask_wtf.csrf import CSRFProtect

View = TypeVar("View", bound=Callable[..., Response])


class _Protect(CSRFProtect):  # type: ignore[misc]  # Flask-WTF has no types
    def protect(self, apply_exemptions: bool = False) -> None:
        """Protect as usual, but let requests that change nothing through before anything is looked up."""
        if request.method not in ("GET", "HEAD"):
            super().protect(apply_exemptions)


csrf = _Protect()


def by_link(view: View) -> View:
    """Exempt a view whose address contains a signed link, which is the right to act: there is no cookie to exploit, and
    mail programs and scripts post to it without having seen a page. If it shows who is signed in, that only adds the
    way on to their pages. Everything else needs the token of its form."""
    csrf.exempt(view)
    view.__dict__["by_link"] = True
    return view
