"""The engine remembers nothing between calls but values that a bounded cache may drop at any time."""

import ast
from importlib import import_module
from inspect import signature
from pathlib import Path

import engine

ROOT = Path(engine.__path__[0])
MODULES = sorted(ROOT.rglob("*.py"))


def caches_of(module):
    """The caches that a module makes itself, by name."""
    found = {name: each for name, each in vars(module).items() if hasattr(each, "cache_parameters")}
    return {name: each for name, each in found.items() if each.__wrapped__.__module__.startswith("engine.")}


def test_no_cache_grows_for_ever():
    """What a function without arguments gives is one value; every other cache has a bound."""
    seen = 0
    for path in MODULES:
        name = ".".join(("engine", *path.relative_to(ROOT).with_suffix("").parts))
        for cached, function in caches_of(import_module(name)).items():
            seen += 1
            bounded = function.cache_parameters()["maxsize"] is not None
            assert bounded or not signature(function).parameters, f"{name}.{cached}"
    assert seen > 20


def test_no_module_of_acres_or_the_kernel_keeps_what_it_saw_last():
    for path in MODULES:
        if "new_world" not in path.parts:
            assert not [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Global)], path
