"""The collector of events, typed for this title; `collect` makes one."""

from __future__ import annotations

from typing import Any, TypeAlias

from engine.acres.state import State
from engine.kernel import happenings

Happenings: TypeAlias = happenings.Happenings[State, Any]
collect = happenings.Happenings
