"""Compiled templates: once per process, since the four languages share them and so do several apps."""

from __future__ import annotations

import re
from types import CodeType
from typing import TYPE_CHECKING, Any

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator
from jinja2.nodes import Call, Const, Name
from markupsafe import Markup, escape

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.compiler import Frame
    from jinja2.nodes import Expr


class CodeCache(BytecodeCache):
    """Keeps code in memory. Nothing is written to disk: the code follows its template and the program's version.

    Each language has its own environment (`wording.environment_of`), and each would compile every template again. All
    have the same extensions and options, so that their code is the same.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._kept[bucket.key, bucket.checksum] = bucket.code

    def clear(self) -> None:
        self._kept.clear()


COMPILED = CodeCache()


class Output(CodeGenerator):
    """Passes existing markup through unchanged: 120 of the 200 values on a turn page are markup, and `escape` copies
    each of them, which takes ten times as long. If a later Jinja no longer calls this method, it is only slower."""

    def _output_child_pre(self, node: Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape or finalize.src is not None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.put(")

    def visit_Call(self, node: Call, frame: Frame, forward_caller: bool = False) -> None:
        if sentence := _sentence(node):
            self.write(f"environment.said({sentence!r})")
        else:
            super().visit_Call(node, frame, forward_caller=forward_caller)


def _sentence(node: Call) -> str | None:
    """Return the sentence if the call is `_("a sentence")`: a page has a hundred, which do not need the context."""
    match node:
        case Call(node=Name(name="_"), args=[Const(value=str(said))], kwargs=[], dyn_args=None, dyn_kwargs=None):
            return said
    return None


_needs_escaping = re.compile("[&<>\"']").search


def put(value: Any) -> str:  # noqa: ANN401  its type is asked once below: 200 times a page
    """Return a value for the page: escaped, unless it is markup, a number, or a text without anything to escape."""
    kind = type(value)
    if kind is Markup or (kind is str and _needs_escaping(value) is None):
        return value  # type: ignore[no-any-return]
    return str(value) if kind is int else escape(value)


def compile_into(environment: Environment) -> None:
    """Have templates of this environment compiled in this way."""
    environment.bytecode_cache = COMPILED
    environment.code_generator_class = Output
    environment.put = put  # type: ignore[attr-defined]
