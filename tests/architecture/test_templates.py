"""A line of a template can be read in one go, so a review shows what changes."""

from __future__ import annotations

import re

import pytest

from tests.architecture.graph import ROOT

LONGEST = 140
"""The most characters of a line."""
MOST_STATEMENTS = 3
"""The most `{% … %}` in a line: a choice between two words is `if`, `else` and `endif`."""


def overfull(text: str) -> list[int]:
    """Return the numbers of the lines that are too long or have too many statements."""
    lines = enumerate(text.splitlines(), 1)
    return [number for number, line in lines if len(line) > LONGEST or line.count("{%") > MOST_STATEMENTS]


def test_no_line_of_a_template_is_overfull() -> None:
    templates = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "app/titles").rglob("*.html")]
    assert len(templates) > 200
    found = {str(path.relative_to(ROOT)): overfull(path.read_text("utf-8")) for path in templates}
    assert {name: numbers for name, numbers in found.items() if numbers} == {}


@pytest.mark.parametrize("line", ["x" * (LONGEST + 1), "{% if a %}{% if b %}x{% endif %}{% endif %}"])
def test_an_overfull_line_is_noticed(line: str) -> None:
    assert overfull(f"fine\n{line}\n{'x' * LONGEST}\n{{% if a %}}x{{% else %}}y{{% endif %}}\n") == [2]


def test_every_form_that_sends_something_has_a_button() -> None:
    """What is sent by the enter key alone cannot be sent on a phone."""
    buttons = ("<button", "seal(", "press(", "choice(", "{% include")
    forms = {
        (path.name, form)
        for path in (ROOT / "templates").rglob("*.html")
        for form in re.findall(r'<form method="post".*?(?:</form>|\Z)', path.read_text("utf-8"), re.DOTALL)
    }
    assert len(forms) > 100
    assert [name for name, form in forms if not any(button in form for button in buttons)] == []
