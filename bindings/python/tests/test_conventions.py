# SPDX-License-Identifier: Apache-2.0
"""What docs/python.md says of conventions, held against formulas written out here."""

import re

import numpy as np
import pytest

import appell
from common import TREE, random_states

H = 1e-6  # of central differences: errors of 1e-9 by rounding and by h^2


def rotation(x, y, z, w):
    """Euler-Rodrigues: p' = p + 2 w (u x p) + 2 u x (u x p)."""
    u = np.array([x, y, z])
    return np.array([p + 2 * w * np.cross(u, p) + 2 * np.cross(u, np.cross(u, p)) for p in np.eye(3)]).T


def cross(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def free_body():
    return appell.build([appell.Body("body", joint="free", mass=2, com=(0.1, -0.2, 0.05),
                                     inertia=(0.2, 0.01, 0.02, 0.3, -0.01, 0.25))])


@pytest.fixture
def state():
    m = free_body()
    return m, *(x[0] for x in random_states(m, 1, seed=7))


def test_quaternions_are_x_y_z_w(state):
    m, q, _, _ = state
    R, p = m.pose(q, "body")
    assert np.allclose(R, rotation(*q[3:7]), atol=1e-15) and np.array_equal(p, q[:3])
    quarter = np.sqrt(0.5)  # about z: x goes to y
    assert np.allclose(m.pose([0, 0, 0, 0, 0, quarter, quarter], "body")[0] @ [1, 0, 0], [0, 1, 0], atol=1e-15)


def test_velocity_of_a_free_base_is_the_bodys(state):
    """dp/dt = R v and dR/dt = R [w]x, by differences along integrate()."""
    m, q, v, _ = state
    (R1, p1), (R0, p0) = (m.pose(m.integrate(q, s * H * v), "body") for s in (1, -1))
    R, _ = m.pose(q, "body")
    assert np.allclose((p1 - p0) / (2 * H), R @ v[:3], atol=1e-8)
    assert np.allclose((R1 - R0) / (2 * H), R @ cross(v[3:]), atol=1e-8)
    assert np.allclose(m.velocity(q, v, "body"), v, atol=1e-15)
    assert np.allclose(m.velocity(q, v, "body", "mixed"), np.hstack([R @ v[:3], R @ v[3:]]), atol=1e-15)
    # Pinocchio's WORLD: the velocity of the point of the body that is at the ground's origin.
    w = R @ v[3:]
    assert np.allclose(m.velocity(q, v, "body", "world"), np.hstack([R @ v[:3] - np.cross(w, q[:3]), w]), atol=1e-14)


def test_jacobian_in_mujocos_rates(state):
    """Columns 0:3 times R^T: dp/dt of the body's origin is the rate itself."""
    m, q, _, _ = state
    R, _ = m.pose(q, "body")
    J = m.jacobian(q, "body", "mixed")
    assert np.allclose(J[:, :3] @ R.T, np.vstack([np.eye(3), np.zeros((3, 3))]), atol=1e-15)


def test_free_fall(state):
    """Without forces the centre of mass accelerates by gravity, however the body turns."""
    m, q, v, _ = state
    a = m.forward_dynamics(q, v, np.zeros(6))
    R, _ = m.pose(q, "body")
    w, c, dw = R @ v[3:], R @ [0.1, -0.2, 0.05], R @ a[3:]
    origin = R @ (a[:3] + np.cross(v[3:], v[:3]))  # d/dt (R v)
    assert np.allclose(origin + np.cross(dw, c) + np.cross(w, np.cross(w, c)), [0, 0, -9.81], atol=1e-12)


def from_mujoco():
    names = {"np": np}
    block = re.search(r"```python\n(def from_mujoco.*?)```", (TREE / "docs" / "python.md").read_text(), re.S)
    exec(block[1], names)
    return names["from_mujoco"]


def test_states_from_mujoco(state):
    """A motion p(t), R(t) with MuJoCo's rates: linear ones in the world, angular ones in the body."""
    m, _, _, _ = state
    random = np.random.default_rng(3)
    p0, p1, p2, turn, twist = random.uniform(-1, 1, (5, 3))
    w0 = random.uniform(-1, 1, 4)
    w0 /= np.linalg.norm(w0)

    def at(t):
        """qpos of the motion p0 + p1 t + p2 t^2, turned by `turn` t + `twist` t^2 from w0."""
        angle = turn * t + twist * t * t
        half = np.linalg.norm(angle) / 2
        u = np.append(angle / 2 * np.sinc(half / np.pi), np.cos(half))  # x y z w
        x = np.append(w0[3] * u[:3] + u[3] * w0[:3] + np.cross(w0[:3], u[:3]), w0[3] * u[3] - w0[:3] @ u[:3])
        return np.hstack([p0 + p1 * t + p2 * t * t, x[3], x[:3]])

    # At t = 0 the rates of the turn are `turn` and 2 `twist`, along the body's axes.
    q, v, a = from_mujoco()(at(0), np.hstack([p1, turn]), np.hstack([2 * p2, 2 * twist]))
    step = 1e-4  # second differences: errors of 1e-7
    before, after = (np.hstack([at(t)[:3], at(t)[[4, 5, 6, 3]]]) for t in (-step, step))
    ahead, back = m.difference(q, after), m.difference(q, before)
    assert np.allclose((ahead - back) / (2 * step), v, atol=1e-6)
    # velocity(t) = v + a t: the same point ahead, moved by v alone, is off by a step^2 / 2
    assert np.allclose((ahead + back) / step**2, a, atol=1e-5)


@pytest.mark.parametrize("robot", ["puma600", "quadruped"])
def test_jacobians_are_rates_of_poses(robot):
    """Linear rows, then angular, at the frame's origin along the ground's axes: 'mixed', as mj_jac and jacob0."""
    m = appell.load(robot)
    q = random_states(m, 1)[0][0]
    frame = m.frames[-1]
    R, _ = m.pose(q, frame)
    J = m.jacobian(q, frame, "mixed")
    for j, e in enumerate(np.eye(m.nv)):
        (R1, p1), (R0, p0) = (m.pose(m.integrate(q, s * H * e), frame) for s in (1, -1))
        W = (R1 - R0) / (2 * H) @ R.T
        assert np.allclose(J[:, j], np.hstack([(p1 - p0) / (2 * H), W[2, 1], W[0, 2], W[1, 0]]), atol=1e-8)


def test_what_the_table_calls_the_same():
    """rnea, nonLinearEffects, computeGeneralizedGravity, computeCoriolisMatrix as M, h, g, C."""
    m = appell.load("puma600")
    q, v, a = (x[0] for x in random_states(m, 1))
    M, h, g, C = m.inertia(q), m.bias(q, v), m.gravity(q), m.coriolis(q, v)
    assert np.allclose(m.inverse_dynamics(q, v, a), M @ a + h, atol=1e-11)
    assert np.allclose(h, C @ v + g, atol=1e-11) and np.allclose(h, m.inverse_dynamics(q, v, 0 * a), atol=1e-12)
    assert np.allclose(M, M.T) and np.allclose(m.kinetic_energy(q, v), v @ M @ v / 2)
    slope = [(m.potential_energy(q + H * e) - m.potential_energy(q - H * e)) / (2 * H) for e in np.eye(6)]
    assert np.allclose(g, slope, atol=1e-6)
