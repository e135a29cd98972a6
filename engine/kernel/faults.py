"""What is wrong with a title, and where its author finds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.kernel.title import Title


@dataclass(frozen=True, slots=True)
class Fault:
    """A broken law: what is wrong, where an author finds it, and when it first happened."""

    law: str
    why: str
    at: str
    """The method, with its file and line."""
    when: str

    def __str__(self) -> str:
        return f"{self.law}: {self.why}\n  in {self.at}; {self.when}"


def place_of(whose: object, method: str) -> str:
    """Return where a method of a title or of its pages is written."""
    name = method.partition(" ")[0]
    found: Any = getattr(type(whose), name, None)
    code = getattr(found, "__code__", None)
    return f"{name} ({code.co_filename}:{code.co_firstlineno})" if code is not None else name


def method_of(error: Exception, title: Title) -> str:
    """Return the method of a title in which an exception came up, as far as its traceback tells."""
    found, step = "unfold", error.__traceback__
    while step is not None:
        name = step.tb_frame.f_code.co_name
        if getattr(getattr(type(title), name, None), "__code__", None) is step.tb_frame.f_code:
            found = name
        step = step.tb_next
    return found


def last_line(error: Exception) -> str:
    """Return where an exception was raised."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return "" if step is None else f" (line {step.tb_lineno} of {step.tb_frame.f_code.co_filename})"
