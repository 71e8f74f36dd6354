# SPDX-License-Identifier: Apache-2.0
"""Runs: simulations, controllers, and their logs."""

from __future__ import annotations

import dataclasses
import html
import json
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
from .model import Model, _check_unchanged

_SIMULATION, _CONTROL = 1, 2

Path = str | os.PathLike[str]
Progress = Callable[[float], object]


@dataclasses.dataclass(frozen=True)
class Event:
    """Something that happened in a run."""

    t: float
    """s"""
    event: str
    """'impact', 'graze', 'stick', 'stop', ..."""
    point: str
    """The point, 'link/point', or the joint; '' where there is none."""
    wall: str
    """'' where there is none."""
    numbers: Mapping[str, float]
    """What its log has of it: the state before and after, energies."""


class Run(Mapping[str, npt.NDArray[np.float64]]):
    """A run that was recorded: its columns by name, ``run["q.knee"]``, and its events.

    In a notebook it shows itself as a page with plots and a 3D replay.
    """

    log: pathlib.Path
    """The log that it was read from."""
    units: dict[str, str]
    """Units of the columns; '' for pure numbers and where the log has none."""
    events: list[Event]
    warnings: list[tuple[int, str]]
    """Line (0 where there is none) and text."""
    rows: npt.NDArray[np.float64]
    """All numbers: a row for each time, a column for each name."""

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
        """Write the run as one page with plots and a 3D replay, for a browser without a network."""
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


def _write_scenario(scenario: Mapping[str, Any], kind: int, folder: pathlib.Path) -> pathlib.Path:
    """A scenario made in code as a file; JSON is YAML. A model in it becomes a file beside it."""

    def plain(value: Any) -> Any:
        if isinstance(value, Model):
            _check_unchanged(value, "simulated")
            file = folder / "robot.yaml"
            value.write(file)
            return file.name
        if isinstance(value, os.PathLike):
            return os.path.abspath(value)
        if isinstance(value, (np.ndarray, np.generic)):
            return value.tolist()
        if isinstance(value, Mapping):
            return {str(key): plain(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(item) for item in value]
        return value

    first = {"appell-scenario" if kind == _SIMULATION else "appell-control": 1}
    file = folder / "scenario.yaml"
    file.write_text(json.dumps({**first, **plain(scenario)}, allow_nan=False, indent=1) + "\n...\n")
    return file


def _record(scenario: Path | Mapping[str, Any], kind: int, log: Path | None, robot: str | None,
            reference: str | None, end: float | None, step: float | None,
            progress: Progress | None) -> Run:
    folder = tempfile.TemporaryDirectory(prefix="appell-")
    try:
        inside = pathlib.Path(folder.name)
        path = _write_scenario(scenario, kind, inside) if isinstance(scenario, Mapping) else scenario
        kept = pathlib.Path(log) if log is not None else inside / "run.csv"
        found = _core.record_run(os.fspath(path), os.fspath(kept), kind, robot, reference, end,
                                    step, progress)
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

    In a dictionary the robot may be a Model, and lists may be arrays. Friction of the robot acts, as
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
    """
    return _record(scenario, _CONTROL, log, None if robot is None else os.fspath(robot),
                   None if reference is None else os.fspath(reference), None, None, progress)


def open_run(log: Path) -> Run:
    """Open the log of a run, CSV or HDF5."""
    return Run(log)
