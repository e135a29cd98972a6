"""What commands print, read back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from click.testing import Result

Run = Callable[..., Result]


def data(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)
