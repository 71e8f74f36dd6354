# SPDX-License-Identifier: Apache-2.0
"""docs/python.md runs as it stands, help() is complete, the stubs are those of the module."""

import dataclasses
import inspect
import os
import pathlib
import pydoc
import re
import subprocess
import sys

import pytest

import appell
from common import EFFORT, TREE


def test_the_page_runs(tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib", reason="Matplotlib is missing (scripts/setup ci)")
    matplotlib.use("Agg")
    (tmp_path / "models").symlink_to(TREE / "models")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (TREE / "docs" / "python.md").read_text(), re.S)
    assert len(blocks) >= 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)


PUBLIC = [(name, getattr(appell, name)) for name in appell.__all__ if not name.startswith("__")]
PUBLIC += [(f"research.{name}", getattr(appell.research, name)) for name in ("Method", "Count", "methods", "evaluate", "count")]
CLASSES = {name: thing for name, thing in PUBLIC if inspect.isclass(thing)}
# Arguments that the class describes for all of its methods.
COMMON = {"self", "q", "v", "a", "tau", "frame", "out", "q0", "q1", "link"}


def members(cls):
    """Public methods and properties, those of bases that are ours included."""
    for name in dir(cls):
        if not name.startswith("_"):
            owner = next((base for base in cls.__mro__ if name in vars(base)), None)
            if owner and owner.__module__.startswith("appell"):
                yield name, inspect.getattr_static(cls, name)


def missing_arguments(function, known):
    try:
        names = list(inspect.signature(function).parameters)
    except ValueError:
        return []
    return [name for name in names if name not in known and not re.search(rf"\b{name}\b", function.__doc__)]


@pytest.mark.parametrize("name, thing", PUBLIC)
def test_everything_has_a_docstring(name, thing):
    assert inspect.getdoc(thing), name
    if inspect.isfunction(thing):
        assert missing_arguments(thing, {"model"}) == [], name


@pytest.mark.parametrize("name", CLASSES)
def test_every_method_and_field_has_a_docstring(name):
    cls = CLASSES[name]
    fields = [f.name for f in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else getattr(cls, "_fields", ())
    for field in [*fields, *inspect.get_annotations(cls)]:
        if not field.startswith("_"):
            assert re.search(rf"^\s*{field}: \S", cls.__doc__, re.M), f"{name}.{field}"
    for member, thing in members(cls):
        if member in fields or name in ("Error", "SingularError", "UnreachableError", "FileError"):
            continue
        assert inspect.getdoc(thing), f"{name}.{member}"
        if callable(thing):
            assert missing_arguments(thing, COMMON) == [], f"{name}.{member}"


def test_help_shows_it():
    page = pydoc.render_doc(appell.Model, renderer=pydoc.plaintext)
    assert "inverse_dynamics(self, /, q, v, a, *, wrenches=None, out=None)" in page.replace("self, q", "self, /, q")
    assert "kg m2 or kg" in page and "centre of mass in the link frame, m" in pydoc.render_doc(appell.Body)
    assert "simulate, control, open_run, Run" in pydoc.render_doc(appell)


@pytest.mark.skipif(EFFORT < 3, reason="with all effort only: the same whatever the library is compiled with")
def test_stubs_are_the_runtime(tmp_path):
    pytest.importorskip("mypy.stubtest", reason="mypy is missing (scripts/setup ci)")
    folder = pathlib.Path(appell.__file__).parent.parent
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "appell._core", "--concise"], cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
