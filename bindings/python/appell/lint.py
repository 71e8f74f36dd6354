# SPDX-License-Identifier: Apache-2.0
"""The model doctor: mistakes in robot files (docs/lint.md)."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence

from . import _core
from .model import Mechanism, Model


@dataclasses.dataclass(frozen=True)
class Finding:
    """Something wrong or suspicious in a robot file.

    severity: 'note', 'warning' or 'error'
    rule: the rule's id, such as 'inertia-triangle'
    line: of the file, from 1; 0 where there is none
    subject: the link, joint or element; '' where that is the file
    what: what is wrong
    why: why it matters
    fix: what would be right; '' where none can be computed
    joint: the joint whose force it affects most; None: none
    difference: largest change of that force, N m or N
    largest: largest force of that joint, the file being as it is, N m or N
    unit: of both, 'N m' or 'N'; None where there is no joint
    """

    severity: str
    rule: str
    line: int
    subject: str
    what: str
    why: str
    fix: str
    joint: str | None
    difference: float
    largest: float
    unit: str | None

    def __str__(self) -> str:
        place = f"{self.line}: " if self.line else ""
        return f"{place}{self.severity}: {self.subject}: {self.what} [{self.rule}]"


def lint(robot: str | os.PathLike[str] | Model | Mechanism, *, disable: Sequence[str] = (),
         quick: bool = False) -> list[Finding]:
    """Examine a robot file, or a robot without one.

    disable: ids of rules that are to be silent
    quick: leave out what samples the motion: effects on forces, single precision
    """
    if isinstance(robot, (Model, Mechanism)):
        found = _core.lint(None, robot.robot, tuple(disable), quick)
    else:
        found = _core.lint(os.fspath(robot), None, tuple(disable), quick)
    return [Finding(*finding) for finding in found]
