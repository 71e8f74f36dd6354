# SPDX-License-Identifier: Apache-2.0
"""Runs: simulations, controllers, and their logs."""

from __future__ import annotations

import dataclasses
import html
import json
import math
import os
import pathlib
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .model import Mechanism, Model, _check_unchanged

_SIMULATION, _CONTROL = 1, 2

Path = str | os.PathLike[str]
Progress = Callable[[float], object]


@dataclasses.dataclass(frozen=True, repr=False)
class Event:
    """Something that happened in a run.

    time: s
    kind: 'impact', 'graze', 'stick', 'stop', ...
    point: the point, 'link/point', or the joint; '' where there is none
    wall: '' where there is none
    numbers: what its log has of it by the names of columns: ``event.numbers["v_after.knee"]``
    """

    time: float
    kind: str
    point: str
    wall: str
    numbers: Mapping[str, float]

    @property
    def impulse(self) -> float:
        """Size of the impulse, N s or N m s; nan where there is none."""
        return self.numbers.get("impulse", math.nan)

    @property
    def lost(self) -> float:
        """Kinetic energy lost, J; nan where that is not known."""
        return self.numbers.get("lost", math.nan)

    def _vector(self, name: str) -> npt.NDArray[np.float64]:
        return np.array([self.numbers.get(f"{name}.{axis}", math.nan) for axis in "xyz"])

    @property
    def impulse_vector(self) -> npt.NDArray[np.float64]:
        """The impulse on the point in the world, (3,), N s."""
        return self._vector("impulse_vector")

    @property
    def position(self) -> npt.NDArray[np.float64]:
        """Where the point was in the world, (3,), m."""
        return self._vector("position")

    @property
    def normal(self) -> npt.NDArray[np.float64]:
        """Normal of the wall there, out of it, (3,)."""
        return self._vector("normal")

    @property
    def before(self) -> npt.NDArray[np.float64]:
        """Velocity of the point before the event, in the world, (3,), m/s."""
        return self._vector("before")

    @property
    def after(self) -> npt.NDArray[np.float64]:
        """Velocity of the point after it, in the world, (3,), m/s."""
        return self._vector("after")

    def __repr__(self) -> str:
        of = f" of {self.point}" if self.point else ""
        at = f" at {self.wall}" if self.wall else ""
        return f"<appell.Event {self.time:.9g} s: {self.kind}{of}{at}>"


class Run(Mapping[str, npt.NDArray[np.float64]]):
    """A run that was recorded: its columns by name, ``run["q.knee"]``, and its events.

    In a notebook it shows itself as a page with plots and a 3D replay.

    log: the file that it was read from
    units: units of the columns by their names; '' for pure numbers and where the log has none
    events: what happened, in order of time
    warnings: line (0 where there is none) and text
    rows: all numbers: a row for each time, a column for each name
    """

    log: pathlib.Path
    units: dict[str, str]
    events: list[Event]
    warnings: list[tuple[int, str]]
    rows: npt.NDArray[np.float64]

    def __init__(self, log: Path) -> None:
        self.log = pathlib.Path(log)
        columns, data, events, self.warnings = _core.read_run(os.fspath(log))
        self.units = dict(columns)
        self.rows = np.frombuffer(data, dtype=np.float64).reshape(-1, len(columns))
        self.events = [Event(*event) for event in events]
        self._column = {name: i for i, (name, _) in enumerate(columns)}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def t(self) -> npt.NDArray[np.float64]:
        """Times of the rows, s."""
        return self["t"]

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        try:
            return self.rows[:, self._column[name]]
        except KeyError:
            raise KeyError(f"no column {name!r}; there are {', '.join(self._column)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._column)

    def __len__(self) -> int:
        return len(self._column)

    def report(self, page: Path, title: str | None = None) -> None:
        """Write the run as one page with plots and a 3D replay, for a browser without a network.

        page: the file, .html
        title: of the page; None: the robot's name
        """
        _core.report_run(os.fspath(self.log), os.fspath(page), title)

    def save(self, log: Path) -> None:
        """Keep the log, in the format in which it was recorded: CSV unless simulate(log=...) said HDF5."""
        to = pathlib.Path(log)
        if to.suffix != self.log.suffix:
            raise ValueError(f"the run was recorded as {self.log.suffix}, not {to.suffix}: "
                             "name the file when it is run, simulate(..., log=...)")
        for ending in (to.suffix, ".events.csv", ".scenario.yaml"):
            beside = self.log.with_suffix(ending)
            if beside.exists():
                shutil.copyfile(beside, to.with_suffix(ending))

    def __repr__(self) -> str:
        last = f" to t = {self.t[-1]:g} s" if len(self.rows) else ""
        return f"<appell.Run{last}: {len(self.rows)} rows of {len(self)}, {len(self.events)} events>"

    def _repr_html_(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "run.html"
            self.report(page)
            text = page.read_text(encoding="utf-8")
        return (f'<iframe srcdoc="{html.escape(text)}" style="width:100%;height:720px;border:0" '
                'sandbox="allow-scripts allow-downloads"></iframe>')


_FILES = (".urdf", ".xml", ".mjcf", ".yaml", ".yml", ".csv", ".h5")


class _Scenario:
    """A scenario made in code as a file beside which its model lies; it knows what its lines came of."""

    def __init__(self, scenario: Mapping[str, Any], kind: int, folder: pathlib.Path) -> None:
        self.file = folder / "scenario.yaml"
        self.lines: list[str] = []
        self.keys: list[str] = []
        first = {"appell-scenario" if kind == _SIMULATION else "appell-control": 1}
        self._put({**first, **scenario}, "scenario", "", "")
        self.file.write_text("\n".join([*self.lines, "...", ""]))

    def _line(self, text: str, key: str) -> None:
        self.lines.append(text)
        self.keys.append(key)

    def _put(self, value: Any, key: str, before: str, after: str) -> None:
        """A value in lines of its own, as JSON, which is YAML."""
        if isinstance(value, (np.ndarray, np.generic)):
            value = value.tolist()
        if isinstance(value, Mapping):
            inside = [(f"{key}[{json.dumps(str(k))}]", f"{json.dumps(str(k))}: ", x) for k, x in value.items()]
            self._put_all(inside, key, before + "{", "}" + after)
        elif isinstance(value, (list, tuple)):
            self._put_all([(f"{key}[{i}]", "", x) for i, x in enumerate(value)], key, before + "[", "]" + after)
        else:
            self._line(before + self._scalar(value, key) + after, key)

    def _put_all(self, inside: list[tuple[str, str, Any]], key: str, before: str, after: str) -> None:
        self._line(before, key)
        for i, (name, label, value) in enumerate(inside, 1):
            self._put(value, name, label, "," if i < len(inside) else "")
        self._line(after, key)

    def _scalar(self, value: Any, key: str) -> str:
        if isinstance(value, (Model, Mechanism)):
            _check_unchanged(value, "simulated")
            value.write(self.file.with_name("robot.yaml"))
            return '"robot.yaml"'
        if isinstance(value, os.PathLike) or (isinstance(value, str) and value.endswith(_FILES)):
            return json.dumps(os.path.abspath(value))
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{key}: a number must be finite, not {value!r}")
        if value is None or not isinstance(value, (str, bool, int, float)):
            raise TypeError(f"{key}: expected a number, a text, a list, a dictionary, a model or a path, "
                            f"not {value!r}")
        return json.dumps(value)

    def key_of(self, line: int) -> str:
        """What the line of a message stands for."""
        return self.keys[line - 1] if 0 < line <= len(self.keys) else "scenario"

    def explain(self, error: _core.Error) -> _core.Error:
        """The error of a key instead of a line."""
        place = f"{error.file}:{error.line}: " if error.line else f"{error.file}: "
        same = type(error)(f"{self.key_of(error.line)}: {str(error).removeprefix(place)}")
        same.status, same.file, same.line = error.status, None, 0
        return same


def _record(scenario: Path | Mapping[str, Any], kind: int, log: Path | None, robot: str | None,
            reference: str | None, end: float | None, step: float | None,
            progress: Progress | None) -> Run:
    folder = tempfile.TemporaryDirectory(prefix="appell-")
    try:
        inside = pathlib.Path(folder.name)
        made = _Scenario(scenario, kind, inside) if isinstance(scenario, Mapping) else None
        path = os.fspath(made.file if made else scenario)  # type: ignore[arg-type]
        if path.endswith((".npy", ".csv", ".h5")):
            raise _core.Error(f"{path}: this is data, not a scenario (open_run() opens a log)")
        kept = pathlib.Path(log) if log is not None else inside / "run.csv"
        try:
            found = _core.record_run(path, os.fspath(kept), kind, robot, reference, end, step, progress)
        except _core.Error as error:
            if made is None or error.file != path:
                raise
            raise made.explain(error) from None
        if made is not None:
            found = [(0, f"{made.key_of(line)}: {text}") for line, text in found]
        run = Run(kept)
    except BaseException:
        folder.cleanup()
        raise
    run.warnings = found
    run._folder = folder
    for _, text in found:
        warnings.warn(text, stacklevel=3)
    return run


def simulate(scenario: Path | Mapping[str, Any], *, end: float | None = None, step: float | None = None,
             log: Path | None = None, progress: Progress | None = None) -> Run:
    """Simulate a scenario: a file, or a dictionary with the same keys (docs/scenarios.md).

    In a dictionary the robot may be a Model or Mechanism, lists may be arrays, and names of files are
    those of the current folder; messages name the key: ``scenario["walls"][0]["mu"]: ...``. Friction of the robot acts, as
    its file or its bodies say, whatever Model.friction is. Warnings of robot and scenario are Python
    warnings, and in run.warnings.
    end, step: other times than the scenario's, s; step is the time between rows
    log: keep the log here (.csv or .h5)
    progress: called now and then with the part that is done, 0 to 1
    """
    return _record(scenario, _SIMULATION, log, None, None, end, step, progress)


def control(scenario: Path | Mapping[str, Any], *, robot: Path | None = None,
            reference: Path | None = None, log: Path | None = None,
            progress: Progress | None = None) -> Run:
    """Run a control scenario: a file, or a dictionary with the same keys (docs/control.md).

    robot: what the controller believes the robot to be, a file or built-in name
    reference: a CSV or HDF5 file with the motion to follow
    log, progress: as in :func:`simulate`
    """
    return _record(scenario, _CONTROL, log, None if robot is None else os.fspath(robot),
                   None if reference is None else os.fspath(reference), None, None, progress)


def open_run(log: Path) -> Run:
    """Open the log of a run, CSV or HDF5."""
    return Run(log)
