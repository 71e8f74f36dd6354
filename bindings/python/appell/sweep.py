# SPDX-License-Identifier: Apache-2.0
"""Studies of many trials (docs/sweep.md)."""

from __future__ import annotations

import dataclasses
import os

import numpy as np
import numpy.typing as npt

from . import _core


@dataclasses.dataclass(frozen=True)
class OutcomeSummary:
    """One outcome over all trials of a sweep that gave a number.

    name: of the outcome
    count: trials that gave a number
    mean: of the numbers
    deviation: their standard deviation
    least: the smallest
    most: the largest
    quantiles: the exact quantiles, by their fractions: 0.001 to 0.999
    worst: numbers of the worst trials, the worst first
    influences: how strongly each parameter acts on the outcome: 'first order' and 'total' (Sobol's indices), 'mu*', 'mu' and
        'sigma' (Morris), or 'correlation', by the design of the study
    """

    name: str
    count: int
    mean: float
    deviation: float
    least: float
    most: float
    quantiles: dict[float, float]
    worst: list[int]
    influences: dict[str, npt.NDArray[np.float64]]


class Study:
    """A study of many trials, read from a file.

    path: of the study
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._study, self._name, self._kind, self._trials, self._parameters, self._outcomes = _core.study_read(
            os.fspath(path))

    @property
    def name(self) -> str:
        """The name of the study."""
        return self._name

    @property
    def kind(self) -> str:
        """What a trial is: 'run', 'eval', 'rollout' or 'identify'."""
        return self._kind

    @property
    def trials(self) -> int:
        """How many there are."""
        return self._trials

    @property
    def parameters(self) -> list[str]:
        """Names of what differs between trials."""
        return list(self._parameters)

    @property
    def outcomes(self) -> list[str]:
        """Names of the numbers that a trial gives."""
        return list(self._outcomes)

    def values(self, trial: int) -> npt.NDArray[np.float64]:
        """The parameters of a trial.

        trial: its number, from 0
        """
        return np.array(_core.study_values(self._study, trial))

    def run_trial(self, trial: int, record: str | os.PathLike[str] | None = None) -> npt.NDArray[np.float64]:
        """Run one trial; its outcomes.

        trial: its number, from 0
        record: the log of a run is written there
        """
        return np.array(_core.study_trial(self._study, trial, None if record is None else os.fspath(record)))

    def sweep(self, folder: str | os.PathLike[str], *, part: int = 1, parts: int = 1, threads: int = 0) -> int:
        """Compute the trials that a folder does not have yet; how many were computed.

        Whatever ends it, the same call continues it. Results do not depend on threads or parts.

        folder: of the results, made where it is missing
        part: which part of the study, from 1
        parts: how many parts there are
        threads: at most; 0: as many as there are processors
        """
        return _core.study_sweep(self._study, os.fspath(folder), part, parts, threads)


def merge_sweep(folder: str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    """Write all trials of a sweep to one HDF5 file.

    folder: of a complete sweep
    path: of the file, ending in .h5
    """
    _core.merge_sweep(os.fspath(folder), os.fspath(path))


def summarize_sweep(folder: str | os.PathLike[str]) -> list[OutcomeSummary]:
    """Statistics of every outcome of a complete sweep.

    folder: of the sweep
    """
    _, _, fractions, outcomes = _core.summarize_sweep(os.fspath(folder))
    return [OutcomeSummary(name, count, mean, deviation, least, most, dict(zip(fractions, quantiles)), worst,
                           {key: np.array(numbers) for key, numbers in influences.items()})
            for name, count, mean, deviation, least, most, quantiles, worst, influences in outcomes]
