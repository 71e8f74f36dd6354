# SPDX-License-Identifier: Apache-2.0
"""Formulations side by side: every method in every arithmetic, and what it costs.

    from appell import research
    research.count(arm, "inverse", "newton-euler")       # Count(mul=..., add=..., ...)
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core
from .model import Model


@dataclasses.dataclass(frozen=True)
class Method:
    """A method that computes one quantity.

    what: the quantity: 'inverse', 'forward', 'inertia', 'bias', 'gravity', 'energy', ...
    name: the method's name
    about: one line with its source
    needs: what a model must be for it; None: any will do
    """

    what: str
    name: str
    about: str
    needs: str | None


class Count(NamedTuple):
    """Operations, counted by running the code; structural zeros and ones are free.

    mul: multiplications
    add: additions and subtractions
    div: divisions
    sqrt: square roots
    sincos: pairs of sine and cosine
    """

    mul: int
    add: int
    div: int
    sqrt: int
    sincos: int


def methods(what: str | None = None) -> list[Method]:
    """All methods, or those of a quantity; the first of each is the library's own choice.

    what: the quantity, 'inverse', 'forward', ...; None: all
    """
    return [Method(*m) for m in _core.methods() if what in (None, m[0])]


def evaluate(model: Model, what: str, states: npt.ArrayLike, method: str | None = None,
             arithmetic: str = "f64") -> npt.NDArray[np.float64]:
    """A quantity of states by a method.

    what: the quantity, 'inverse', 'forward', ... (methods() lists them); SI units
    method: its name; None: the library's own choice
    arithmetic: 'f64', 'f32' or 'f128' (binary128)
    states: rows of q, then v, then a or tau, as far as the quantity reads them
    """
    rows = np.ascontiguousarray(states, dtype=np.float64)
    return _core.evaluate(model, what, method, arithmetic, rows)[0]


def count(model: Model, what: str, method: str | None = None) -> Count:
    """What a method costs for this robot, in a state without zeros.

    what, method: as in evaluate()
    """
    inputs = {"inverse": 2, "forward": 2, "bias": 1, "energy": 1, "dinverse": 2, "dforward": 2}
    width = model.nq + model.nv * inputs.get(what, 0)
    q = np.linspace(0.3, 1.1, width)
    q[: model.nq] = model.normalize(q[: model.nq])
    return Count(*_core.evaluate(model, what, method, "count", q)[1])
