# SPDX-License-Identifier: Apache-2.0
"""Mechanisms, identification, the model doctor."""

import re

import numpy as np
import pytest

import appell
from common import MODELS


def test_mechanism():
    m = appell.load_mechanism("delta")
    assert m.n == 3 and m.nact == 3 and m.coordinates == ["x", "y", "z"]
    q, zero = np.array([[0.02, -0.01, m_z(m)], [0.0, 0.03, m_z(m)]]), np.zeros((2, 3))
    tau = m.inverse_dynamics(q, zero, zero)
    assert np.allclose(m.forward_dynamics(q, zero, tau), 0, atol=1e-9)
    assert np.allclose(m.inertia(q), np.swapaxes(m.inertia(q), 1, 2), atol=1e-12)
    with pytest.raises(appell.UnreachableError):
        m.gravity(np.array([0, 0, 99.0]))
    with pytest.raises(KeyError, match="no branch"):
        m.branch = "sideways"


def m_z(m):
    """A height that the mechanism reaches."""
    for z in np.linspace(-0.2, -1.5, 200):
        try:
            m.gravity(np.array([0.0, 0.0, z]))
            m.gravity(np.array([0.02, -0.01, z]))
            m.gravity(np.array([0.0, 0.03, z]))
            return z
        except appell.Error:
            pass
        try:
            m.gravity(np.array([0.0, 0.0, -z]))
            return -z
        except appell.Error:
            pass
    raise AssertionError("the mechanism reaches no height")


def test_identification_of_perfect_data():
    arm = appell.load("puma600")
    motion = appell.excite(arm, evaluations=200, rate=50)
    tau = arm.inverse_dynamics(motion.q, motion.v, motion.a)
    fit = appell.identify(arm, t=motion.t, q=motion.q, v=motion.v, a=motion.a, tau=tau)
    assert fit.physical and fit.model is not None
    assert np.all(fit.error_rms < 1e-6 * fit.force_rms.max())
    base = appell.base_parameters(arm)
    assert len(base) == len(fit.value) and base.factors.shape == (len(base), len(base.names))
    assert np.allclose(base.factors @ base.nominal, fit.value, atol=1e-6)


def test_excitation_among_obstacles():
    arm = appell.load("puma600")
    motion = appell.excite(arm, evaluations=100, rate=20, joints=["joint2", "joint3"],
                           ranges={"joint2": (-1.0, 0.2)}, speed={"joint3": 0.5}, floor=-1.5,
                           frame="link6", box=(-2, 2, -2, 2, -2, 2))
    assert np.all(motion.v[:, [0, 3, 4, 5]] == 0) and np.abs(motion.v[:, 2]).max() <= 0.95 * 0.75
    assert motion.q[:, 1].min() >= -1 + 0.05 * 1.2 and motion.q[:, 1].max() <= 0.2 - 0.05 * 1.2
    assert min(motion.spare) >= 0.05 and min(motion.distances) >= 0 and motion.distances[1] >= 0.02
    assert 0 < motion.excited < len(appell.base_parameters(arm))
    assert appell.excite(arm, evaluations=50, self_collision=False).distances == (np.inf,) * 3
    with pytest.raises(appell.Error, match="above the floor"):
        appell.excite(arm, evaluations=30, floor=3.0)
    with pytest.raises(ValueError, match="need each other"):
        appell.excite(arm, frame="link6")


def test_identification_refuses():
    arm = appell.load("puma600")
    with pytest.raises(ValueError, match="no method"):
        appell.identify(arm, t=[0], q=[[0] * 6], tau=[[0] * 6], method="guess")
    with pytest.raises(TypeError, match="needed"):
        appell.identify(arm, t=[0])
    with pytest.raises(ValueError, match="3 rows"):
        appell.identify(arm, t=[0, 1, 2], q=np.zeros((2, 6)), tau=np.zeros((3, 6)))


def test_lint(tmp_path):
    text = (MODELS / "two_link.urdf").read_text()
    assert appell.lint(MODELS / "two_link.urdf") == []
    file = tmp_path / "bad.urdf"
    file.write_text(re.sub(r'<mass value="', '<mass value="-', text, count=1))
    found = appell.lint(file)
    assert found and found[0].severity == "error" and found[0].line > 0
    with pytest.raises(appell.Error):
        appell.lint(file, disable=["no-such-rule"])
