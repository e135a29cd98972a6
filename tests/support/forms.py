"""The forms of a page as a browser has them, and people who fill them in over HTTP and read their mail."""

from __future__ import annotations

import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookiejar import CookieJar

TICKED = ("radio", "checkbox")
_OTHER_TAGS = re.compile(r"</?(?!/|(?:a|form|input|button|textarea|select|option)\b)[^<>]*>")
"""Those of a board are some thousand."""


@dataclass
class Control:
    """An element that can be filled in, ticked or pressed."""

    name: str
    kind: str
    value: str = ""
    on: bool = False
    """Ticked or chosen."""
    options: list[str] = field(default_factory=list)


@dataclass
class Form:
    """A form of a page in its initial state."""

    action: str
    method: str
    controls: list[Control] = field(default_factory=list)

    def named(self, name: str) -> list[Control]:
        return [control for control in self.controls if control.name == name]

    def offers(self, name: str) -> list[str]:
        """Return the values that can be chosen."""
        return [value for control in self.named(name) for value in control.options or [control.value]]

    def fill(self, **values: str | Sequence[str]) -> list[tuple[str, str]]:
        """Return what a browser sends; `values` by the control's name, with `__` for a point and `_at_` for a colon.

        Only what the form offers can be chosen, ticked and pressed.
        """
        given = {name.replace("__", ".").replace("_at_", ":"): value for name, value in values.items()}
        assert given.keys() <= {control.name for control in self.controls}, given.keys()
        sent = []
        for control in self.controls:
            wanted = given.get(control.name)
            wanted_here = [wanted] if isinstance(wanted, str) else wanted
            if control.kind in (*TICKED, "submit"):
                on = control.on if wanted_here is None else control.value in wanted_here
                if on:
                    sent.append((control.name, control.value))
            elif control.kind == "select":
                value = control.value if wanted_here is None else wanted_here[0]
                assert value in control.options, (control.name, value)
                sent.append((control.name, value))
            else:
                sent.append((control.name, control.value if wanted_here is None else wanted_here[0]))
        for name, wanted in given.items():
            kinds = {control.kind for control in self.named(name)}
            if kinds & {*TICKED, "submit"}:
                wanted_here = [wanted] if isinstance(wanted, str) else wanted
                assert set(wanted_here) <= set(self.offers(name)), (name, wanted)
        return sent


class Page(HTMLParser):
    """The forms and links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.forms: list[Form] = []
        self.links: list[str] = []
        self.alerts = text.count('role="alert"')
        self._form: Form | None = None
        self._area: Control | None = None
        self._select: Control | None = None
        self._ids: dict[str, Form] = {}
        self._elsewhere: list[tuple[str, Control]] = []
        self.feed(_OTHER_TAGS.sub("", text))
        for form_id, control in self._elsewhere:
            self._ids[form_id].controls.append(control)

    @property
    def complaint(self) -> str:
        """Return the first error that the page shows."""
        said = self.text.partition('role="alert"')[2].partition("</div>")[0]
        return " ".join(re.sub(r"<[^>]*>", " ", said.partition(">")[2]).split())

    def form(self, with_field: str) -> Form:
        """Return the form that contains a field."""
        return next(form for form in self.forms if form.named(with_field))

    def asks(self, field_name: str) -> bool:
        return any(form.named(field_name) for form in self.forms)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "form":
            self._form = Form(given.get("action", ""), given.get("method", "get"))
            self.forms.append(self._form)
            self._ids[given.get("id", "")] = self._form
        self._other = given.get("form", "")
        if self._form is None and not self._other and self._select is None:
            return
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "input" and name:
            kind = given.get("type", "text")
            usual = "on" if kind in TICKED else ""
            self._add(Control(name, kind, given.get("value", usual), "checked" in given))
        elif tag == "button" and name:
            self._add(Control(name, "submit", value))
        elif tag == "textarea" and name:
            self._area = self._add(Control(name, "textarea"))
        elif tag == "select" and name:
            self._select = self._add(Control(name, "select"))
        elif tag == "option" and self._select is not None:
            self._select.options.append(value)
            if "selected" in given or len(self._select.options) == 1:
                self._select.value = value

    def _add(self, control: Control) -> Control:
        if self._other:  # it belongs to a form that may come later
            self._elsewhere.append((self._other, control))
            return control
        assert self._form is not None
        self._form.controls.append(control)
        return control

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._area.value = (self._area.value + data).removeprefix("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "textarea":
            self._area = None
        elif tag == "select":
            self._select = None


class Person:
    """A person with a browser: keeps cookies, follows links, fills forms in. No scripts."""

    def __init__(self, address: str, language: str = "en") -> None:
        self.address = address
        self.url = ""
        self.status = 0
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self._open.addheaders = [("User-Agent", "Mozilla/5.0"), ("Accept-Language", language), ("Accept", "text/html")]

    def get(self, url: str) -> Page:
        """Open an address, whatever the status of its answer."""
        return self._look(urllib.request.Request(urllib.parse.urljoin(self.url, url)))

    def send(self, form: Form, filled: Iterable[tuple[str, str]]) -> Page:
        """Submit a form of the current page; a turn that is held for its minute is sent now."""
        assert form.method == "post"
        data = urllib.parse.urlencode(list(filled)).encode()
        page = self._look(urllib.request.Request(urllib.parse.urljoin(self.url, form.action), data=data))
        held = re.search(r'action="([^"]+/send-now)"', page.text)
        if held:
            return self._look(urllib.request.Request(urllib.parse.urljoin(self.url, held[1]), data=b""))
        return page

    def _look(self, request: urllib.request.Request) -> Page:
        try:
            answer = self._open.open(request, timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            self.url, self.status = answer.url, answer.status
            return Page(answer.read().decode())
