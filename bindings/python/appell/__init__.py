# SPDX-License-Identifier: Apache-2.0
"""Robot dynamics by the Gibbs-Appell equations.

    import appell
    arm = appell.load("panda.urdf", lock=["panda_finger_joint1"])
    tau = arm.gravity(q)                    # (7,) -> (7,)
    TAU = arm.inverse_dynamics(Q, V, A)     # (100000, 7): SIMD lanes and threads, no copy

Units are SI: m, rad, kg, s, N, N m. Arrays are NumPy arrays (or anything with the buffer protocol)
of float64 or float32; the precision of a call is that of its arrays. A call takes one state, (nq,),
or many, (n, nq), row by row or column by column in memory, and never copies many states.

    load, parse, build, builtins        models: from files, texts, code, built in
    Model                               dynamics, kinematics, rollouts, generated code: help(appell.Model)
    load_mechanism, Mechanism           robots with closed chains
    simulate, control, open_run, Run    runs with events, logs, pages
    base_parameters, excite, identify   parameters from measured motion
    FeedForward                         compensation for torque-controlled arms, external torques
    lint                                mistakes in robot files
    Study, merge_sweep, summarize_sweep studies of many trials
    research                            formulations compared, operations counted
    get_threads, set_threads            threads of calls on many states
"""

try:
    from . import _core
except ImportError as _error:
    import pathlib as _pathlib

    if any(_pathlib.Path(__file__).parent.glob("_core.*so")):
        raise
    raise ImportError("this folder has the sources of appell, whose compiled part is missing: run 'make python', "
                      "and use the package from another folder") from _error
from . import research
from ._core import (
    Error,
    FileError,
    SingularError,
    UnreachableError,
    __version__,
    get_threads,
    set_threads,
)
from .feed_forward import FeedForward
from .ident import BaseParameters, Doubt, DriveGains, Excitation, Fit, base_parameters, excite, identify
from .lint import Finding, lint
from .model import Body, Frame, InverseKinematics, Joint, Mechanism, Model, build, builtins, load, load_mechanism, parse
from .run import Event, Run, control, open_run, simulate
from .sweep import OutcomeSummary, Study, merge_sweep, summarize_sweep

__all__ = [
    "BaseParameters",
    "Body",
    "Doubt",
    "DriveGains",
    "Error",
    "Event",
    "Excitation",
    "FeedForward",
    "FileError",
    "Finding",
    "Fit",
    "Frame",
    "InverseKinematics",
    "Joint",
    "Mechanism",
    "Model",
    "OutcomeSummary",
    "Run",
    "SingularError",
    "Study",
    "UnreachableError",
    "__version__",
    "base_parameters",
    "build",
    "builtins",
    "control",
    "excite",
    "get_threads",
    "identify",
    "lint",
    "load",
    "load_mechanism",
    "merge_sweep",
    "open_run",
    "parse",
    "research",
    "set_threads",
    "simulate",
    "summarize_sweep",
]


def _use_all_cores() -> None:
    import os

    set_threads(max(1, len(os.sched_getaffinity(0))))


_use_all_cores()
