# SPDX-License-Identifier: Apache-2.0
"""Parameters of a robot from its own motion (docs/identification.md)."""

from __future__ import annotations

import dataclasses
import math
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .model import Model

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class BaseParameters:
    """The combinations of standard parameters that joint forces depend on."""

    names: list[str]
    """Standard parameters: 'forearm.mcx', 'forearm.Ixy', 'elbow.viscous'."""
    units: list[str]
    """Of the standard parameters."""
    nominal: Floats
    """Standard parameters as the model has them."""
    texts: list[str]
    """The combinations in words: 'a.Izz + 0.1866 b.m - b.mcx'."""
    factors: Floats
    """base = factors @ standard"""
    gap: tuple[float, float]
    """Smallest relative pivot that counts, largest that does not: how sure the choice is."""

    def __len__(self) -> int:
        return len(self.texts)


@dataclasses.dataclass(frozen=True)
class Fit:
    """Result of an identification: `value[k]` is the base parameter that `base.texts[k]` describes."""

    base: BaseParameters
    method: str
    value: Floats
    """The base parameters."""
    deviation: Floats
    """Their standard deviations."""
    parameter: Floats
    """Standard parameters with these base parameters; those of 'consistent' are physical."""
    noise: Floats
    """Standard deviation of each joint's force about the fit."""
    residual_rms: Floats
    """Root mean square of each joint's residual."""
    force_rms: Floats
    """Root mean square of each joint's measured force."""
    error_rms: Floats
    """Root mean square of the difference between prediction and measurement."""
    condition: float
    """Of the base parameters' regressor, its columns scaled to length one."""
    states: int
    """States that were used."""
    spikes: int
    """Numbers of the log that were replaced as spikes."""
    physical: bool
    """Whether `parameter` are those of bodies."""
    model: Model | None
    """The robot with these parameters, where they are physical."""

    def __repr__(self) -> str:
        worst = float(np.max(self.error_rms / np.maximum(self.force_rms, 1e-300)))
        return (f"<appell.Fit {self.method}: {len(self.value)} base parameters from {self.states} "
                f"states, error at most {100 * worst:.2g} % of a joint's force>")


@dataclasses.dataclass(frozen=True)
class Excitation:
    """A motion that excites the base parameters, sampled."""

    t: Floats
    q: Floats
    v: Floats
    a: Floats
    criterion: float
    """log10 of the determinant of the information for each sample: only differences mean something"""
    condition: float
    torque_use: float
    """Largest joint force relative to its limit; 0 where there is no limit."""


def _flags(rotor: bool, viscous: bool, coulomb: bool, offset: bool) -> int:
    return rotor | viscous << 1 | coulomb << 2 | offset << 3


def _base(found: dict[str, Any]) -> BaseParameters:
    names = found["names"]
    return BaseParameters(
        names=names,
        units=found["units"],
        nominal=np.frombuffer(found["nominal"]),
        texts=found["texts"],
        factors=np.frombuffer(found["factors"]).reshape(-1, len(names)),
        gap=found["gap"],
    )


def base_parameters(model: Model, *, rotor: bool = False, viscous: bool = False,
                    coulomb: bool = False, offset: bool = False, svd: bool = False) -> BaseParameters:
    """The parameters of a robot that can be identified from its motion.

    rotor, viscous, coulomb, offset: look for these of every joint, besides the inertial parameters
    svd: by singular values instead of QR with pivoting
    """
    return _base(_core.base_parameters(model, _flags(rotor, viscous, coulomb, offset), svd))


def identify(model: Model, log: str | os.PathLike[str] | None = None, *,
             t: npt.ArrayLike | None = None, q: npt.ArrayLike | None = None,
             v: npt.ArrayLike | None = None, a: npt.ArrayLike | None = None,
             tau: npt.ArrayLike | None = None, method: str = "consistent", rotor: bool = False,
             viscous: bool = False, coulomb: bool = False, offset: bool = False,
             cutoff: float = 10.0, order: int = 4, filter_always: bool = False,
             spikes: float = 8.0, reject: float = 0.0) -> Fit:
    """Estimate the parameters of a robot from a log, or from arrays.

    log: a CSV or HDF5 file with the columns t, q.JOINT, tau.JOINT and, where measured, v.JOINT, a.JOINT
    t, q, v, a, tau: the same as arrays, a row for each sample; v and a may be missing
    method: 'consistent' (bodies that can exist), 'weighted', 'qr', 'svd', 'pinv' or 'ridge'
    cutoff, order: of the filter where v or a is missing, Hz
    spikes: robust deviations beyond which a number counts as a spike; 0: none does
    reject: robust deviations beyond which a force is left out; 0: none is
    """
    arrays = [None if x is None else np.ascontiguousarray(x, dtype=np.float64)
              for x in (t, q, v, a, tau)]
    found = _core.identify(model, _flags(rotor, viscous, coulomb, offset), method,
                           None if log is None else os.fspath(log), *arrays, cutoff, order,
                           filter_always, spikes, reject)
    numbers = ("value", "deviation", "parameter", "noise", "residual_rms", "force_rms", "error_rms")
    robot = found["robot"]
    return Fit(
        base=_base(found),
        method=method,
        condition=found["condition"],
        states=found["states"],
        spikes=found["spikes"],
        physical=found["physical"],
        model=None if robot is None else Model(robot),
        **{name: np.frombuffer(found[name]) for name in numbers},
    )


def excite(model: Model, *, rotor: bool = False, viscous: bool = False, coulomb: bool = False,
           offset: bool = False, harmonics: int = 5, period: float = 10.0, velocity: float = 1.5,
           acceleration: float = math.inf, range: float = math.pi, margin: float = 0.05,
           evaluations: int = 6000, seed: int = 1, rate: float = 100.0) -> Excitation:
    """Find a motion from rest to rest that excites the base parameters best within the limits.

    harmonics, period: of its Fourier series, s
    velocity: of joints without a limit of their own
    acceleration: largest of every joint
    range: joints without limits stay within -range .. range
    margin: part of every limit that is kept free
    rate: samples per second
    """
    if not (0 < rate < math.inf and rate * period >= 1):
        raise ValueError(f"rate must give at least one sample in the period, not {rate!r}")
    data, rows, criterion, condition, torque_use = _core.excite(
        model, _flags(rotor, viscous, coulomb, offset), harmonics, period, velocity, acceleration,
        range, margin, evaluations, seed, rate)
    x = np.frombuffer(data).reshape(rows, -1)
    n = (x.shape[1] - 1) // 3
    columns = (x[:, 0], x[:, 1:1 + n], x[:, 1 + n:1 + 2 * n], x[:, 1 + 2 * n:])
    t, q, v, a = (np.ascontiguousarray(c) for c in columns)
    return Excitation(t, q, v, a, criterion, condition, torque_use)
