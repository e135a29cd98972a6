"""Compiled templates, once in a process: the four languages share them, and so do several apps."""

from __future__ import annotations

from types import CodeType

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class Compiled(BytecodeCache):
    """Keeps code in memory. Nothing is written to disk: the code follows its template and the program's version.

    A language is an environment of its own (`wording.environment_of`), and each would compile every template again. All
    of them have the same extensions and options, so that their code is the same.
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


COMPILED = Compiled()
