# SPDX-License-Identifier: Apache-2.0
"""Models: read from files, built in, or built in code."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core

Vector3 = Sequence[float]


@dataclasses.dataclass
class Body:
    """A body and the joint that carries it, for :func:`build`."""

    name: str
    parent: str | None = None
    """Name of an earlier body; None: the ground."""
    joint: str = "fixed"
    """'fixed', 'revolute', 'prismatic', 'spherical', 'planar' or 'free'."""
    joint_name: str | None = None
    """None: the body's name."""
    xyz: Vector3 = (0.0, 0.0, 0.0)
    """The joint's origin in the parent's link frame, m."""
    rpy: Vector3 = (0.0, 0.0, 0.0)
    """Roll, pitch, yaw of the joint's axes there, rad."""
    axis: Vector3 = (0.0, 0.0, 1.0)
    """Of the joint, in its own frame."""
    place: str = "rpy"
    """'rpy' reads xyz and rpy; 'dh-modified' (Craig) and 'dh-standard' read alpha, a, d, theta."""
    alpha: float = 0.0
    a: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    mass: float = 0.0
    """kg"""
    com: Vector3 = (0.0, 0.0, 0.0)
    """Centre of mass in the link frame, m."""
    inertia: Sequence[float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """xx xy xz yy yz zz about the centre of mass, kg m2."""
    inertia_rpy: Vector3 = (0.0, 0.0, 0.0)
    """Axes of that tensor relative to the link frame, rad."""
    viscous: float = 0.0
    """Viscous friction, N m s/rad or N s/m."""
    coulomb: float = 0.0
    """Coulomb friction, N m or N."""
    stiction: float = 0.0
    """Static friction, N m or N."""
    rotor_inertia: float = 0.0
    """Of the motor about its own axis, kg m2."""
    gear_ratio: float = 1.0
    """Motor turns per joint turn."""
    lower: float = -math.inf
    """Least q, rad or m."""
    upper: float = math.inf
    """Largest q."""
    velocity_limit: float = math.inf
    effort_limit: float = math.inf
    mimic: str | None = None
    """The body whose joint this one follows."""
    mimic_ratio: float = 1.0
    mimic_offset: float = 0.0


@dataclasses.dataclass
class Frame:
    """A named frame on a body, for :func:`build`."""

    name: str
    body: str | None = None
    """None: the ground."""
    xyz: Vector3 = (0.0, 0.0, 0.0)
    rpy: Vector3 = (0.0, 0.0, 0.0)


@dataclasses.dataclass(frozen=True)
class Joint:
    """A joint of a model and where it is in q and v."""

    name: str
    type: str
    """'revolute', 'prismatic', 'spherical', 'planar' or 'free'."""
    parent: str | None
    """The link that it hangs on; None: the ground."""
    link: str
    """The link that it moves."""
    q: int | slice
    """Its place in q: an index, or a slice where it has several coordinates."""
    v: int | slice
    """Its place in v, a and tau."""
    lower: float
    upper: float
    velocity_limit: float
    effort_limit: float
    viscous: float
    coulomb: float
    stiction: float
    rotor_inertia: float
    gear_ratio: float
    mimic: str | None
    """The joint that it follows, whose places in q and v it then has."""


class InverseKinematics(NamedTuple):
    """Result of an inverse kinematics; `reached` says whether the pose was found."""

    q: npt.NDArray[np.float64]
    """The configuration, or the best that was found."""
    reached: bool
    iterations: int
    position_error: float
    """m"""
    orientation_error: float
    """rad"""


class Joints(Mapping[str, Joint]):
    """Joints by name, in the order of q."""

    def __init__(self, joints: Iterable[Joint]) -> None:
        self._by_name = {joint.name: joint for joint in joints}

    def __getitem__(self, name: str) -> Joint:
        try:
            return self._by_name[name]
        except KeyError:
            raise KeyError(f"no joint {name!r}; there are {', '.join(self._by_name)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"Joints({', '.join(self._by_name)})"


def _place(first: int, count: int) -> int | slice:
    return first if count <= 1 else slice(first, first + count)


def _check_unchanged(model: _core.Model | _core.Mechanism, what: str) -> None:
    if model._is_changed:
        raise _core.Error(f"{model.name} has a payload, other inertias or another gravity, which are no "
                          f"part of its definition: it cannot be {what} with them (reset_inertia(), "
                          "gravity_vector, or build the robot with them)")


class Model(_core.Model):
    """A robot, ready to compute with; any number of threads may share it."""

    _joints: Joints | None = None

    @property
    def joints(self) -> Joints:
        """The joints that move, by name: ``arm.joints["elbow"].q`` is a place in q."""
        if self._joints is None:
            self._joints = Joints(self._list_joints())
        return self._joints

    def _list_joints(self) -> Iterator[Joint]:
        bodies = self.robot.bodies()
        joint_of = {body["name"]: body["joint_name"] for body in bodies}
        for body, (q, nq, v, nv) in zip(bodies, self._joint_places()[1:]):
            if q < 0:
                continue
            same = {
                field.name: body[field.name]
                for field in dataclasses.fields(Joint)
                if field.name in body and field.name not in ("name", "parent", "mimic")
            }
            yield Joint(
                name=body["joint_name"],
                type=body["joint"],
                parent=body["parent"],
                link=body["name"],
                q=_place(q, nq),
                v=_place(v, nv),
                mimic=joint_of.get(body["mimic"]),
                **same,
            )

    @property
    def frames(self) -> list[str]:
        """Names of frames: the links first, the ground before them."""
        return self._frame_names()

    @property
    def warnings(self) -> list[tuple[int, str]]:
        """What is odd in its file: line (0 where there is none) and text."""
        return self.robot.warnings()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the robot as URDF or YAML, by the file's ending."""
        _check_unchanged(self, "written")
        self.robot.write(path)

    def inverse_kinematics(
        self,
        frame: str | int,
        p: npt.ArrayLike,
        R: npt.ArrayLike | None = None,
        q0: npt.ArrayLike | None = None,
        *,
        tolerance: float = 1e-10,
        iterations: int = 200,
        respect_limits: bool = True,
    ) -> InverseKinematics:
        """The configuration that puts a frame at position p and, where given, orientation R.

        q0: where the search starts; None: neutral(), within the limits
        tolerance: of position (m) and orientation (rad) together
        """
        return InverseKinematics(*self._inverse_kinematics(
            frame, p, R, q0, tolerance=tolerance, iterations=iterations,
            respect_limits=respect_limits))

    def generate(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        name: str | None = None,
        functions: Sequence[str] | None = None,
        single: bool = False,
        batch: bool = True,
        friction: bool = False,
        cuda: bool = False,
    ) -> dict[str, str]:
        """The robot's dynamics as C (or CUDA) that needs nothing but libm: texts by file name.

        folder: write the files there, too
        functions: 'inverse_dynamics', 'forward_dynamics', ...; None: all (docs/generate.md)
        single: in float
        """
        _check_unchanged(self, "written as code")
        files = self._generate(name, single, functions, batch, friction, cuda)
        if folder is not None:
            os.makedirs(folder, exist_ok=True)
            for file, text in files.items():
                with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                    out.write(text)
        return files

    def compile(self, *, single: bool = False, friction: bool = False,
                compiler: str | None = None, flags: str | None = None) -> None:
        """Compute with code compiled for this robot from now on: two to four times as fast.

        The compiler runs once for a robot; its result is cached. With a payload, other inertias or
        another gravity the general functions compute. Raises Error where there is no compiler; then
        nothing changes.
        """
        self._compile(single, friction, compiler, flags)

    def _repr_html_(self) -> str:
        from .picture import html_of

        return html_of(self)

    def __repr__(self) -> str:
        return f"<appell.Model {self.name}: {self.nq} coordinates, {self.nv} degrees of freedom>"


class Mechanism(_core.Mechanism):
    """A robot with closed chains, in its independent coordinates (docs/loops.md)."""

    @property
    def warnings(self) -> list[tuple[int, str]]:
        """What is odd in its file: line (0 where there is none) and text."""
        return self.robot.warnings()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the mechanism as YAML."""
        self.robot.write(path)

    def __repr__(self) -> str:
        return f"<appell.Mechanism {self.name}: {self.n} coordinates, {self.nact} actuators>"


def builtins() -> dict[str, str]:
    """Built-in robots and mechanisms, with a line about each."""
    return _core.builtin_names()


Lock = Iterable[str] | Mapping[str, float | Sequence[float]]


def _locks(lock: Lock) -> list[tuple[str, tuple[float, ...]]]:
    if isinstance(lock, str):
        lock = [lock]
    if not isinstance(lock, Mapping):
        return [(name, ()) for name in lock]
    return [
        (name, tuple(at) if isinstance(at, Sequence) else (float(at),)) for name, at in lock.items()
    ]


def _read(model: str | os.PathLike[str], lock: Lock, root: str | None, tip: str | None,
          floating: bool, ignore_mimic: bool) -> _core.Robot:
    name = os.fspath(model)
    if name in builtins():
        robot = _core.Robot.builtin(name, floating, ignore_mimic)
    elif "." not in name and not os.path.exists(name):
        raise _core.Error(f"{name!r} is neither a file nor a built-in robot ({', '.join(builtins())})")
    else:
        robot = _core.Robot.read(name, floating, ignore_mimic)
    if lock or root or tip:
        robot.reduce(_locks(lock), root, tip)
    return robot


def load(
    model: str | os.PathLike[str],
    *,
    lock: Lock = (),
    root: str | None = None,
    tip: str | None = None,
    floating: bool = False,
    ignore_mimic: bool = False,
) -> Model:
    """Load a robot: a URDF or YAML file, or a built-in name (see :func:`builtins`).

    lock: joints that stand still, at zero or at given values: ``["finger"]``, ``{"finger": 0.02}``
    root, tip: keep only the joints between these links
    floating: hang the root link on a free joint instead of the ground
    ignore_mimic: make mimic joints independent

    Raises Error with file, line and reason where the file is not right.
    """
    robot = _read(model, lock, root, tip, floating, ignore_mimic)
    if robot.closed:
        raise _core.Error(f"{os.fspath(model)} has closed chains: appell.load_mechanism() loads it")
    return Model(robot)


def load_mechanism(
    model: str | os.PathLike[str],
    *,
    lock: Lock = (),
    root: str | None = None,
    tip: str | None = None,
) -> Mechanism:
    """Load a robot with closed chains: a YAML file, or a built-in name such as 'delta'."""
    return Mechanism(_read(model, lock, root, tip, False, False))


def parse(
    text: str,
    format: str = "urdf",
    *,
    lock: Lock = (),
    root: str | None = None,
    tip: str | None = None,
    floating: bool = False,
    ignore_mimic: bool = False,
) -> Model:
    """Load a robot from a text; format is 'urdf' or 'yaml'."""
    robot = _core.Robot.parse(text, format, floating, ignore_mimic)
    if lock or root or tip:
        robot.reduce(_locks(lock), root, tip)
    return Model(robot)


def build(
    bodies: Sequence[Body],
    *,
    name: str = "robot",
    frames: Sequence[Frame] = (),
    gravity: Vector3 = (0.0, 0.0, -9.81),
) -> Model:
    """Build a robot from its bodies, parents before children."""
    robot = _core.Robot.define(
        name,
        [{f.name: getattr(body, f.name) for f in dataclasses.fields(body)} for body in bodies],
        [(f.name, f.body, tuple(f.xyz), tuple(f.rpy)) for f in frames],
        tuple(gravity),
    )
    return Model(robot)
