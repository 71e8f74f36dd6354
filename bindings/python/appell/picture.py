# SPDX-License-Identifier: Apache-2.0
"""A model in a notebook: its joints as a table, its links as a sketch."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .model import Model

_WIDTH, _HEIGHT, _MARGIN = 320, 260, 20


def _project(points: list[npt.NDArray[np.float64]]) -> list[tuple[float, float]]:
    """Seen from the front, a little from the side and from above, fitted to the picture."""
    side, above = math.radians(35), math.radians(20)
    flat = []
    for x, y, z in points:
        right = -math.sin(side) * x + math.cos(side) * y
        depth = math.cos(side) * x + math.sin(side) * y
        flat.append((right, math.cos(above) * z - math.sin(above) * depth))
    low = np.min(flat, axis=0)
    size = np.maximum(np.max(flat, axis=0) - low, 1e-9)
    scale = min((_WIDTH - 2 * _MARGIN) / size[0], (_HEIGHT - 2 * _MARGIN) / size[1])
    left = (_WIDTH - scale * size[0]) / 2
    bottom = (_HEIGHT - scale * size[1]) / 2
    return [(left + scale * (u - low[0]), _HEIGHT - bottom - scale * (w - low[1])) for u, w in flat]


def _sketch(model: Model) -> str:
    bodies = model.robot.bodies()
    number = {body["name"]: i + 1 for i, body in enumerate(bodies)}
    parent = [0] + [number.get(body["parent"], 0) for body in bodies]
    moves = [False] + [place[0] >= 0 for place in model._joint_places()[1:]]
    q = model.neutral()
    points = [np.asarray(model.pose(q, i)[1]) for i in range(model.nframe)]
    place = _project(points)
    lines = "".join(
        f'<line x1="{place[parent[i]][0]:.1f}" y1="{place[parent[i]][1]:.1f}" '
        f'x2="{place[i][0]:.1f}" y2="{place[i][1]:.1f}"/>' for i in range(1, len(parent)))
    dots = "".join(f'<circle cx="{place[i][0]:.1f}" cy="{place[i][1]:.1f}" r="4"/>'
                   for i in range(1, len(parent)) if moves[i])
    return (f'<svg role="img" aria-label="Sketch of {html.escape(model.name, quote=True)} at its '
            f'neutral configuration" width="{_WIDTH}" height="{_HEIGHT}" '
            f'viewBox="0 0 {_WIDTH} {_HEIGHT}"><g stroke="#2f6fb0" stroke-width="4" '
            f'stroke-linecap="round">{lines}</g><g fill="#d9822b">{dots}</g></svg>')


def _number(x: float) -> str:
    return f"{x:.4g}" if math.isfinite(x) else "&ndash;"


def html_of(model: Model) -> str:
    """A table of the joints, with a sketch of the links beside it."""
    rows = "".join(
        f"<tr><td>{html.escape(j.name)}</td><td>{j.type}</td><td>{html.escape(j.link)}</td>"
        f"<td>{_number(j.lower)}</td><td>{_number(j.upper)}</td>"
        f"<td>{_number(j.velocity_limit)}</td><td>{_number(j.effort_limit)}</td></tr>"
        for j in model.joints.values())
    heads = "".join(f"<th>{h}</th>" for h in (
        "joint", "type", "moves", "lower", "upper", "velocity limit", "effort limit"))
    name = html.escape(model.name)
    return (f'<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start">'
            f"<div>{_sketch(model)}</div><div><b>{name}</b>: {model.nq} coordinates, {model.nv} "
            f"degrees of freedom<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
            f"rad, m, s, N m, N</div></div>")
