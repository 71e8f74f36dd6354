# SPDX-License-Identifier: Apache-2.0
"""Models: read from files, built in, or built in code."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core

Vector3 = Sequence[float]

_AnyModel = TypeVar("_AnyModel", "Model", "Mechanism")
# Friction, gravity, and what _changes() lists.
_Settings = tuple[bool, tuple[float, float, float], list[tuple[Any, ...]]]


@dataclasses.dataclass
class Body:
    """A body and the joint that carries it, for :func:`build`.

    name: the body's name, which its link frame has too
    parent: name of an earlier body; None: the ground
    joint: 'fixed', 'revolute', 'prismatic', 'spherical', 'planar' or 'free'
    joint_name: name of the joint; None: the body's name
    xyz: the joint's origin in the parent's link frame, m
    rpy: roll, pitch, yaw of the joint's axes there, rad
    axis: of the joint, in its own frame; its length does not matter
    place: 'rpy' reads xyz and rpy; 'dh-modified' (Craig) and 'dh-standard' read alpha, a, d, theta
    alpha: Denavit-Hartenberg angle between the joint axes, rad
    a: Denavit-Hartenberg distance between the joint axes, m
    d: Denavit-Hartenberg offset along the joint axis, m
    theta: Denavit-Hartenberg angle about the joint axis, rad
    mass: kg
    com: centre of mass in the link frame, m
    inertia: xx xy xz yy yz zz about the centre of mass, kg m2
    inertia_rpy: axes of that tensor relative to the link frame, rad
    viscous: viscous friction, N m s/rad or N s/m
    coulomb: Coulomb friction, N m or N
    stiction: static friction, N m or N
    stiffness: of a spring in the joint, N m/rad or N/m
    rest: q where the spring is relaxed; a number for each coordinate where the joint has several
    gravity_compensation: fraction of the body's own weight that a force holds up
    rotor_inertia: of the motor about its own axis, kg m2
    gear_ratio: motor turns per joint turn
    lower: least q, rad or m
    upper: largest q, rad or m
    velocity_limit: largest absolute velocity, rad/s or m/s
    effort_limit: largest absolute joint force, N m or N
    mimic: name of an earlier body whose joint this one follows; None: it moves by itself
    mimic_ratio: q = mimic_ratio q of that joint + mimic_offset
    mimic_offset: rad or m
    """

    name: str
    parent: str | None = None
    joint: str = "fixed"
    joint_name: str | None = None
    xyz: Vector3 = (0.0, 0.0, 0.0)
    rpy: Vector3 = (0.0, 0.0, 0.0)
    axis: Vector3 = (0.0, 0.0, 1.0)
    place: str = "rpy"
    alpha: float = 0.0
    a: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    mass: float = 0.0
    com: Vector3 = (0.0, 0.0, 0.0)
    inertia: Sequence[float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    inertia_rpy: Vector3 = (0.0, 0.0, 0.0)
    viscous: float = 0.0
    coulomb: float = 0.0
    stiction: float = 0.0
    stiffness: float = 0.0
    rest: float | Sequence[float] = 0.0
    gravity_compensation: float = 0.0
    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0
    lower: float = -math.inf
    upper: float = math.inf
    velocity_limit: float = math.inf
    effort_limit: float = math.inf
    mimic: str | None = None
    mimic_ratio: float = 1.0
    mimic_offset: float = 0.0


@dataclasses.dataclass
class Frame:
    """A named frame on a body, for :func:`build`.

    name: the frame's name
    body: name of the body that carries it; None: the ground
    xyz: its origin in the link frame, m
    rpy: roll, pitch, yaw of its axes there, rad
    """

    name: str
    body: str | None = None
    xyz: Vector3 = (0.0, 0.0, 0.0)
    rpy: Vector3 = (0.0, 0.0, 0.0)


@dataclasses.dataclass(frozen=True)
class Joint:
    """A joint of a model and where it is in q and v.

    name: the joint's name
    type: 'revolute', 'prismatic', 'spherical', 'planar' or 'free'
    parent: the link that it hangs on; None: the ground
    link: the link that it moves
    q: its place in q: an index, or a slice where it has several coordinates
    v: its place in v, a and tau, likewise
    lower: least q, rad or m
    upper: largest q, rad or m
    velocity_limit: largest absolute velocity, rad/s or m/s
    effort_limit: largest absolute joint force, N m or N
    viscous: viscous friction, N m s/rad or N s/m
    coulomb: Coulomb friction, N m or N
    stiction: static friction, N m or N
    stiffness: of a spring in the joint, N m/rad or N/m
    rest: q where the spring is relaxed; a number for each coordinate where the joint has several
    rotor_inertia: of the motor about its own axis, kg m2
    gear_ratio: motor turns per joint turn
    mimic: the joint that it follows, whose places in q and v it then has; None: it moves by itself
    """

    name: str
    type: str
    parent: str | None
    link: str
    q: int | slice
    v: int | slice
    lower: float
    upper: float
    velocity_limit: float
    effort_limit: float
    viscous: float
    coulomb: float
    stiction: float
    stiffness: float
    rest: float | tuple[float, ...]
    rotor_inertia: float
    gear_ratio: float
    mimic: str | None


class InverseKinematics(NamedTuple):
    """Result of an inverse kinematics: of one pose, or arrays with an entry for each of many.

    q: the configuration (nq,) or (n, nq), or the best that was found, rad or m
    reached: whether the pose was found
    iterations: how many it took
    position_error: distance that is left, m
    orientation_error: angle that is left, rad
    """

    q: npt.NDArray[np.float64]
    reached: bool | npt.NDArray[np.bool_]
    iterations: int | npt.NDArray[np.int64]
    position_error: float | npt.NDArray[np.float64]
    orientation_error: float | npt.NDArray[np.float64]


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


def _restore(cls: type[_AnyModel], text: str, settings: _Settings) -> _AnyModel:
    """A model from its text; what pickle calls."""
    return _with_settings(cls(_core.Robot.parse(text, "yaml", False, False, False)), settings)


def _with_settings(model: _AnyModel, settings: _Settings) -> _AnyModel:
    model.friction, model.gravity_vector, changes = settings
    for payload, *change in changes:
        (model.set_payload if payload else model.set_inertia)(*change)
    return model


class _Copied:
    """Copies, comparison and pickling of models: definition and settings."""

    def _settings(self: Any) -> _Settings:
        return self.friction, self.gravity_vector, self._changes()

    def text(self: Any, format: str = "yaml") -> str:
        """The robot as the text of a file, from which parse() makes it again, to the bit.

        format: 'yaml' or 'urdf'
        """
        _check_unchanged(self, "written")
        return self.robot.text(format)  # type: ignore[no-any-return]

    def __copy__(self: Any) -> Any:
        return _with_settings(type(self)(self.robot), self._settings())

    def __deepcopy__(self: Any, memo: object) -> Any:
        return self.__copy__()

    def __reduce__(self: Any) -> tuple[Any, ...]:
        return _restore, (type(self), self.robot.text("yaml"), self._settings())

    def __eq__(self: Any, other: object) -> bool:
        return type(self) is type(other) and self.__reduce__()[1] == other.__reduce__()[1]

    def __hash__(self: Any) -> int:
        return hash((type(self), self.robot.text("yaml")))


class Model(_Copied, _core.Model):
    """A robot, ready to compute with; any number of threads may share it.

    Arguments of its methods, for one state or for n states:
    q: configuration, (nq,) or (n, nq), rad or m; a free joint has x y z qx qy qz qw, a spherical one
        qx qy qz qw, a planar one x y and an angle
    v, a: velocity and acceleration, (nv,) or (n, nv), rad/s or m/s and rad/s2 or m/s2; of a free joint
        linear, then angular, both along the axes of its link
    tau: joint forces, (nv,) or (n, nv), N m or N
    frame: name or number of a frame, links included (frames)
    out: array for the result, or tuple of arrays where there are several, of its shape and dtype

    Models are equal where definition and settings (payloads, inertias, gravity, friction) are. Copies
    and pickles have both; code of compile() stays behind.
    """

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
        """Write the robot to the file path as URDF, MJCF (.xml) or YAML, by its ending.

        What the format has no place for, and what MuJoCo refuses, is a warning.
        """
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

        frame: name or number of the frame
        p: (3,), or (n, 3) for n poses, which threads share, m
        R: rotation matrices (3, 3) or (n, 3, 3); None: any orientation will do
        q0: where the search starts, (nq,) for all or (n, nq); None: neutral(), within the limits
        tolerance: of position (m) and orientation (rad) together
        iterations: at most so many
        respect_limits: keep every joint within its limits
        """
        q, found = self._inverse_kinematics(frame, p, R, q0, tolerance=tolerance, iterations=iterations,
                                            respect_limits=respect_limits)
        reached, count, position, orientation = np.moveaxis(found, -1, 0)
        if found.ndim == 1:
            return InverseKinematics(q, bool(reached), int(count), float(position), float(orientation))
        return InverseKinematics(q, reached != 0, count.astype(np.int64), position, orientation)

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
        name: what file and functions begin with; None: the robot's name
        functions: 'inverse_dynamics', 'forward_dynamics', ...; None: all (docs/generate.md)
        single: in float
        batch: also functions of many states
        friction: with joint friction and rotor inertia
        cuda: CUDA instead of C
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

        single: the functions of float32 instead of those of float64
        friction: with joint friction and rotor inertia, for Model.friction = True
        compiler, flags: other than 'cc' and its default flags

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


class Mechanism(_Copied, _core.Mechanism):
    """A robot with closed chains, in its independent coordinates (docs/loops.md).

    q, v, a are the independent coordinates (n,) or (many, n), rad or m, and their rates; tau the forces
    of the actuators (nact,), N m or N. All arrays are float64, row by row.
    """

    @property
    def warnings(self) -> list[tuple[int, str]]:
        """What is odd in its file: line (0 where there is none) and text."""
        return self.robot.warnings()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the mechanism to the file path as YAML or MJCF (.xml), by its ending."""
        _check_unchanged(self, "written")
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
          floating: bool, ignore_mimic: bool, ignore_loops: bool) -> _core.Robot:
    name = os.fspath(model)
    if name in builtins():
        robot = _core.Robot.builtin(name, floating, ignore_mimic, ignore_loops)
    elif "." not in name and not os.path.exists(name):
        raise _core.Error(f"{name!r} is neither a file nor a built-in robot ({', '.join(builtins())})")
    else:
        robot = _core.Robot.read(name, floating, ignore_mimic, ignore_loops)
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
    ignore_loops: bool = False,
) -> Model:
    """Load a robot: a URDF, MJCF or YAML file, or a built-in name (see :func:`builtins`).

    lock: joints that stand still, at zero or at given values: ``["finger"]``, ``{"finger": 0.02}``
    root, tip: keep only the joints between these links
    floating: hang the root link on a free joint instead of the ground
    ignore_mimic: make mimic joints independent
    ignore_loops: leave closed chains open

    Raises Error with file, line and reason where the file is not right.
    """
    robot = _read(model, lock, root, tip, floating, ignore_mimic, ignore_loops)
    if robot.closed:
        raise _core.Error(f"{os.fspath(model)} has closed chains: appell.load_mechanism() loads it, "
                          "ignore_loops=True opens them")
    return Model(robot)


def load_mechanism(
    model: str | os.PathLike[str],
    *,
    lock: Lock = (),
    root: str | None = None,
    tip: str | None = None,
) -> Mechanism:
    """Load a robot with closed chains: a YAML, MJCF or URDF file, or a built-in name such as 'delta'.

    lock, root, tip: as in :func:`load`
    """
    return Mechanism(_read(model, lock, root, tip, False, False, False))


def parse(
    text: str,
    format: str = "urdf",
    *,
    lock: Lock = (),
    root: str | None = None,
    tip: str | None = None,
    floating: bool = False,
    ignore_mimic: bool = False,
    ignore_loops: bool = False,
) -> Model:
    """Load a robot from a text.

    format: 'urdf', 'mjcf' or 'yaml'
    lock, root, tip, floating, ignore_mimic, ignore_loops: as in :func:`load`
    """
    robot = _core.Robot.parse(text, format, floating, ignore_mimic, ignore_loops)
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
    """Build a robot from its bodies, parents before children.

    name: the robot's name
    frames: named frames on its bodies
    gravity: in the ground frame, m/s2
    """
    robot = _core.Robot.define(
        name,
        [{f.name: getattr(body, f.name) for f in dataclasses.fields(body)} for body in bodies],
        [(f.name, f.body, tuple(f.xyz), tuple(f.rpy)) for f in frames],
        tuple(gravity),
    )
    return Model(robot)
