# SPDX-License-Identifier: Apache-2.0
"""Parameters of a robot from its own motion (docs/identification.md)."""

from __future__ import annotations

import dataclasses
import math
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .model import Model

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class BaseParameters:
    """The combinations of standard parameters that joint forces depend on.

    names: standard parameters: 'forearm.mcx', 'forearm.Ixy', 'elbow.viscous'
    units: of the standard parameters: 'kg', 'kg m', 'kg m2', ...
    nominal: standard parameters as the model has them, in these units
    texts: the combinations in words: 'a.Izz + 0.1866 b.m - b.mcx'
    factors: base = factors @ standard
    gap: smallest relative pivot that counts, largest that does not: how sure the choice is
    """

    names: list[str]
    units: list[str]
    nominal: Floats
    texts: list[str]
    factors: Floats
    gap: tuple[float, float]

    def __len__(self) -> int:
        return len(self.texts)


@dataclasses.dataclass(frozen=True)
class Doubt:
    """Something in a log that the robot contradicts, or that should be looked at.

    kind: 'time', 'degrees', 'limits', 'rates', 'dead', 'sign', 'swapped', 'scale', 'delay', 'bandwidth',
        'residual' or 'mass'
    grave: the data are wrong, and so is every parameter
    value: what was found: a factor, a delay (s), a share, a mass (kg)
    bound: what it is compared with
    text: one line for people
    """

    kind: str
    grave: bool
    value: float
    bound: float
    text: str


@dataclasses.dataclass(frozen=True)
class DriveGains:
    """Joint forces for each unit of motor current.

    gain: N m or N for each unit, by joint force; nan where nothing fixes it
    deviation: standard deviations
    identifiable: whether a gain is known to a quarter of itself; currents of other joints are not used
    """

    gain: Floats
    deviation: Floats
    identifiable: npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True, repr=False)
class Fit:
    """Result of an identification: `value[k]` is the base parameter that `base.texts[k]` describes.

    base: what was identified
    method: the estimator
    value: the base parameters, in units of the first standard parameter of each
    deviation: their standard deviations
    parameter: standard parameters with these base parameters; those of 'consistent' are physical
    parameter_deviation: standard deviations of `parameter` ('consistent' only)
    determined: which part of a parameter the forces determine, the model the rest ('consistent' only);
        from 0.99 on it is identifiable
    prior: by which part the model's masses were taken to be off ('consistent' only)
    noise: standard deviation of each joint's force about the fit, N m or N
    residual_rms: root mean square of each joint's residual, N m or N
    force_rms: root mean square of each joint's measured force, N m or N
    error_rms: root mean square of the difference between prediction and measurement, N m or N
    condition: of the base parameters' regressor, its columns scaled to length one
    states: how many states were used
    spikes: how many numbers of the log were replaced as spikes
    physical: whether `parameter` are those of bodies that can exist
    doubts: what the log may have that the robot contradicts
    model: the robot with the parameters of the consistent fit, whatever the method; None where there is none
    gains: of currents, where these were given; None: the log had forces
    """

    base: BaseParameters
    method: str
    value: Floats
    deviation: Floats
    parameter: Floats
    parameter_deviation: Floats
    determined: Floats
    prior: float
    noise: Floats
    residual_rms: Floats
    force_rms: Floats
    error_rms: Floats
    condition: float
    states: int
    spikes: int
    physical: bool
    doubts: list[Doubt]
    model: Model | None
    gains: DriveGains | None = None

    def __repr__(self) -> str:
        worst = float(np.max(self.error_rms / np.maximum(self.force_rms, 1e-300)))
        return (f"<appell.Fit {self.method}: {len(self.value)} base parameters from {self.states} "
                f"states, error at most {100 * worst:.2g} % of a joint's force>")


@dataclasses.dataclass(frozen=True)
class Excitation:
    """A motion that excites the base parameters, sampled.

    t: times (n,), s
    q: configurations (n, nq), rad or m
    v: velocities (n, nv), rad/s or m/s
    a: accelerations (n, nv), rad/s2 or m/s2
    criterion: log10 of the determinant of the information for each sample: only differences mean something
    condition: of the base parameters' regressor, its columns scaled to length one
    torque_use: largest joint force relative to its limit; 0 where there is no limit
    spare: free part of the range at its ends, of velocity limits and of the acceleration, at all times
    distances: between links, above the floor, inside the box, m: lower bounds for all times; inf: not checked
    excited: base parameters that the motion shows: fewer than all where joints rest
    """

    t: Floats
    q: Floats
    v: Floats
    a: Floats
    criterion: float
    condition: float
    torque_use: float
    spare: tuple[float, float, float] = (1.0, 1.0, 1.0)
    distances: tuple[float, float, float] = (math.inf, math.inf, math.inf)
    excited: int = 0


def _flags(rotor: bool, viscous: bool, coulomb: bool, offset: bool, stiffness: bool) -> int:
    return rotor | viscous << 1 | coulomb << 2 | offset << 3 | stiffness << 4


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


def _finite(name: str, x: npt.ArrayLike | None) -> Floats | None:
    """Numbers that are all finite, in one block of memory."""
    if x is None:
        return None
    numbers: Floats = np.ascontiguousarray(x, dtype=np.float64)
    wrong = np.argwhere(~np.isfinite(numbers))
    if len(wrong):
        raise _core.Error(f"{name} has {len(wrong)} number(s) that are not finite, the first in row {wrong[0][0]}")
    return numbers


def base_parameters(model: Model, *, rotor: bool = False, viscous: bool = False,
                    coulomb: bool = False, offset: bool = False, stiffness: bool = False,
                    svd: bool = False) -> BaseParameters:
    """The parameters of a robot that can be identified from its motion.

    rotor, viscous, coulomb, offset, stiffness: look for these of every joint, besides the inertial parameters
    svd: by singular values instead of QR with pivoting
    """
    return _base(_core.base_parameters(model, _flags(rotor, viscous, coulomb, offset, stiffness), svd))


def _flags_of_fit(held_base: bool, partial: bool, asymmetric: bool, load: bool) -> int:
    return held_base << 5 | partial << 6 | asymmetric << 7 | load << 8


def _paths(log: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None) -> list[str] | None:
    if log is None:
        return None
    paths = [os.fspath(x) for x in ([log] if isinstance(log, (str, os.PathLike)) else log)]
    for path in paths:
        if path.endswith(".npy"):
            raise _core.Error(f"{path}: an .npy array has no names of columns: give its columns as "
                              "arrays, identify(model, t=..., q=..., tau=...), or a CSV or HDF5 log")
    return paths


def _load(load: Sequence[Any] | None) -> tuple[str | None, float, list[float] | None, list[float] | None]:
    """(link, mass), (link, mass, centre) or (link, mass, centre, inertia) as the core takes it."""
    if load is None:
        return None, 0.0, None, None
    if not 2 <= len(load) <= 4:
        raise ValueError("load is (link, mass), (link, mass, centre) or (link, mass, centre, inertia)")
    blocks: list[list[float] | None] = [None, None]
    for k, block in enumerate(load[2:]):
        if block is not None:
            blocks[k] = [float(x) for x in block]
    return str(load[0]), float(load[1]), blocks[0], blocks[1]


def _above_zero(**numbers: float | None) -> list[float]:
    """Numbers above zero; 0 for None, which the library takes for its own default."""
    for name, x in numbers.items():
        if x is not None and not 0 < x < math.inf:
            raise ValueError(f"{name} must be above 0, not {x!r}")
    return [0.0 if x is None else float(x) for x in numbers.values()]


def identify(model: Model, log: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None = None, *,
             t: npt.ArrayLike | None = None, q: npt.ArrayLike | None = None,
             v: npt.ArrayLike | None = None, a: npt.ArrayLike | None = None,
             tau: npt.ArrayLike | None = None, method: str = "weighted", rotor: bool = False,
             viscous: bool = False, coulomb: bool = False, offset: bool = False,
             stiffness: bool = False, asymmetric: bool = False, stribeck: float | None = None,
             load_friction: bool = False, payload: str | None = None, held_base: bool = False,
             columns: str | None = None, delay: float = 0.0, at_rest: bool = False,
             partial: bool = False, trust: bool = False, svd: bool = False,
             prior: float | None = None, total_mass: float | None = None,
             cutoff: float | None = None, order: int = 4, filter_always: bool = False,
             spikes: float = 8.0, reject: float = 5.0, gains: bool = False,
             load: Sequence[Any] | None = None,
             loaded: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None = None) -> Fit:
    """Estimate the parameters of a robot from logs, or from arrays, as 'appell identify' does.

    log: a CSV or HDF5 file, or several, with the columns t, q.JOINT, tau.JOINT and, where measured, v.JOINT, a.JOINT
    t, q, v, a, tau: the same as arrays, a row for each sample; v and a may be missing
    method: 'weighted', 'consistent' (bodies that can exist), 'qr', 'svd', 'pinv' or 'ridge'
    rotor, viscous, coulomb, offset, stiffness: identify these of every joint too
    asymmetric: and friction that depends on the direction; stribeck: that fades with this speed, rad/s or m/s;
        load_friction: that is in proportion to the load
    payload: identify only what this link carries: the robot is as the model says
    held_base: the log has the motion of the free base, not its forces
    columns: which column of a file is which: 't=time,q=pos_{1}*deg,tau=8-13'
    delay: the forces were measured so much later than the motion, s
    at_rest: every sample is a pose at rest: gravity alone
    partial: only some joints move or have forces (a column of tau that is all NaN has none)
    trust: go on although the log contradicts the robot (degrees, wrong signs, swapped columns, ...), which
        raises Error otherwise; other doubts are warnings
    svd: find the base parameters by singular values instead of QR with pivoting
    prior: by which part the model's masses may be off, 0.2 for 20 %; None: by the evidence of the log
    total_mass: of all moving links together, where it is known, kg
    cutoff, order: of the filter where v or a is missing, Hz; None: 10, or a quarter of the sampling rate if less
    filter_always: filter also where both are there
    spikes: robust deviations beyond which a number counts as a spike; 0: none does
    reject: robust deviations beyond which a force is left out; 0: none is
    gains: tau are motor currents: find the force for each unit of them too, which needs a known force
    load: that some logs carry: (link, mass), (link, mass, centre) or (link, mass, centre, inertia), as in
        Model.set_payload(); what is left out is looked for
    loaded: the logs that carry it; `log` is without it
    """
    if not gains and (load is not None or loaded is not None):
        raise ValueError("load and loaded need gains=True")
    if asymmetric and offset:
        raise ValueError("asymmetric or offset: asymmetric Coulomb friction is an offset")
    arrays = tuple(_finite(name, x) for name, x in (("t", t), ("q", q), ("v", v), ("a", a)))
    forces: Floats | None = None if tau is None else np.ascontiguousarray(tau, dtype=np.float64)
    if partial and forces is not None and forces.ndim == 2:
        _finite("tau", forces[:, ~np.all(np.isnan(forces), axis=0)])
    else:
        _finite("tau", forces)
    prior_, mass, fades, cutoff_ = _above_zero(prior=prior, total_mass=total_mass, stribeck=stribeck, cutoff=cutoff)
    found = _core.identify(model, _flags(rotor, viscous, coulomb, offset, stiffness) |
                           _flags_of_fit(held_base, partial, asymmetric, load_friction), method, svd,
                           _paths(log), columns, (*arrays, forces),
                           (cutoff_, order, filter_always, spikes, delay, at_rest),
                           (reject, prior_, mass, fades, payload), trust,
                           (gains, *_load(load), _paths(loaded)))
    numbers = ("value", "deviation", "parameter", "parameter_deviation", "determined", "noise",
               "residual_rms", "force_rms", "error_rms")
    doubts = [Doubt(*doubt) for doubt in found["doubts"]]
    for doubt in doubts:
        warnings.warn(doubt.text, stacklevel=2)
    robot = found["robot"]
    return Fit(
        base=_base(found),
        method=method,
        prior=found["prior"],
        condition=found["condition"],
        states=found["states"],
        spikes=found["spikes"],
        physical=found["physical"],
        doubts=doubts,
        model=None if robot is None else Model(robot),
        gains=None if found["gains"] is None else DriveGains(
            np.frombuffer(found["gains"][0]), np.frombuffer(found["gains"][1]),
            np.frombuffer(found["gains"][2], dtype=np.bool_)),
        **{name: np.frombuffer(found[name]) for name in numbers},
    )


def excite(model: Model, *, rotor: bool = False, viscous: bool = False, coulomb: bool = False,
           offset: bool = False, stiffness: bool = False, harmonics: int = 5,
           period: float = 10.0, velocity: float = 1.5, acceleration: float = math.inf,
           range: float = math.pi, margin: float = 0.05, evaluations: int = 6000, seed: int = 1,
           rate: float = 100.0, joints: Iterable[str] | None = None,
           ranges: Mapping[str, tuple[float, float]] | None = None,
           speed: Mapping[str, float] | None = None, floor: float | None = None,
           frame: str | None = None, box: Sequence[float] | None = None, clearance: float = 0.02,
           self_collision: bool = True, radius: float = 0.05,
           meshes: str | os.PathLike[str] | None = None) -> Excitation:
    """Find a motion from rest to rest that excites the base parameters best within the limits.

    rotor, viscous, coulomb, offset, stiffness: excite these of every joint too
    harmonics, period: of its Fourier series; s
    velocity: of joints without a limit of their own, rad/s or m/s
    acceleration: largest of every joint, rad/s2 or m/s2
    range: joints without limits stay within -range .. range, rad or m
    margin: part of every limit that is kept free at all times
    evaluations: motions that are tried
    seed: of the random numbers
    rate: samples per second
    joints: only these move; the others rest at 0, or as near to it as their limits allow
    ranges: smaller ranges of joints by name, (lower, upper); a joint rests where both are equal
    speed: share of the limits of velocity and acceleration, by joint
    floor: its height, m; None: there is none
    frame, box: the origin of this link or frame stays in (xmin, xmax, ymin, ymax, zmin, zmax), m
    clearance: least distance between links and above the floor, m
    self_collision: keep links clear of each other
    radius: of links without shapes, m
    meshes: folder in which meshes may lie besides the robot file's own
    """
    if not (0 < rate < math.inf and rate * period >= 1):
        raise ValueError(f"rate must give at least one sample in the period, not {rate!r}")
    if (frame is None) != (box is None) or (box is not None and len(box) != 6):
        raise ValueError("frame and box, of six numbers, need each other")
    lower, upper, scale = np.full(model.nv, -np.inf), np.full(model.nv, np.inf), np.ones(model.nv)
    if joints is not None:
        moving = {model.joints[name].v for name in joints}
        for joint in model.joints.values():
            if isinstance(joint.v, int) and joint.mimic is None and joint.v not in moving:
                rest = min(max(0.0, joint.lower), joint.upper)
                lower[joint.v] = upper[joint.v] = rest
    for name, (low, high) in (ranges or {}).items():
        lower[model.joints[name].v], upper[model.joints[name].v] = low, high
    for name, share in (speed or {}).items():
        scale[model.joints[name].v] = share
    data, rows, criterion, condition, torque_use, spare, distances, excited = _core.excite(
        model, _flags(rotor, viscous, coulomb, offset, stiffness), harmonics, period, velocity, acceleration,
        range, margin, evaluations, seed, rate, lower.tobytes(), upper.tobytes(), scale.tobytes(), scale.tobytes(),
        self_collision, -math.inf if floor is None else floor,
        -1 if frame is None else model._frame_names().index(frame), tuple(box or (0.0,) * 6), clearance, radius,
        None if meshes is None else os.fspath(meshes))
    x = np.frombuffer(data).reshape(rows, -1)
    n = (x.shape[1] - 1) // 3
    columns = (x[:, 0], x[:, 1:1 + n], x[:, 1 + n:1 + 2 * n], x[:, 1 + 2 * n:])
    t, q, v, a = (np.ascontiguousarray(c) for c in columns)
    return Excitation(t, q, v, a, criterion, condition, torque_use, spare, distances, excited)
