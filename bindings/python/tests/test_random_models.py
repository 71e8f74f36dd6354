# SPDX-License-Identifier: Apache-2.0
"""Random trees with all kinds of joints: every function has the bits of the command, in every layout."""

import pickle
import subprocess
import tempfile
import pathlib

import numpy as np
import pytest

import appell
from common import COMMAND, examples, random_states
from test_model import FRAMED, SHAPES, parts

hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is missing (scripts/setup ci)")
st = hypothesis.strategies

STATES = 11  # not a multiple of any number of lanes
# What the command computes: the function, its inputs, and its results side by side.
EVALUATED = {
    "inverse": lambda m, q, v, a: [m.inverse_dynamics(q, v, a)],
    "forward": lambda m, q, v, a: [m.forward_dynamics(q, v, a)],
    "inertia": lambda m, q, v, a: [m.inertia(q)],
    "bias": lambda m, q, v, a: [m.bias(q, v)],
    "gravity": lambda m, q, v, a: [m.gravity(q)],
    "energy": lambda m, q, v, a: [m.kinetic_energy(q, v), m.potential_energy(q)],
    "dinverse": lambda m, q, v, a: m.inverse_dynamics_derivatives(q, v, a),
    "dforward": lambda m, q, v, a: m.forward_dynamics_derivatives(q, v, a),
}
INPUTS = {"inverse": 3, "forward": 3, "inertia": 1, "bias": 2, "gravity": 1, "energy": 2, "dinverse": 3, "dforward": 3}

length = st.floats(-0.5, 0.5)
angle = st.floats(-3, 3)
vector = st.tuples(length, length, length)
angles = st.tuples(angle, angle, angle)
size = st.floats(0.01, 3)


@st.composite
def bodies(draw):
    """Bodies that can exist: moments of a box, turned; some massless links on fixed joints."""
    made = []
    for i in range(draw(st.integers(1, 7))):
        joint = draw(st.sampled_from(["revolute", "prismatic", "spherical", "planar", "free", "fixed"]))
        mass, (x, y, z) = draw(size), (draw(size), draw(size), draw(size))
        simple = joint in ("revolute", "prismatic")
        movers = [b for b in made if b.joint in ("revolute", "prismatic") and b.mimic is None]
        mimic = draw(st.sampled_from([None, *(b.name for b in movers)])) if simple and draw(st.integers(0, 4)) == 0 else None
        made.append(appell.Body(
            f"b{i}", draw(st.sampled_from([None, *(b.name for b in made)])), joint, xyz=draw(vector),
            rpy=draw(angles), axis=draw(st.sampled_from([(0, 0, 1), (1, 0, 0), (0, -1, 0), (0.6, 0, 0.8)])), mass=mass,
            com=draw(vector), inertia=(mass * (y * y + z * z) / 12, 0, 0, mass * (x * x + z * z) / 12, 0,
                                       mass * (x * x + y * y) / 12),
            inertia_rpy=draw(angles), viscous=draw(size) if simple else 0.0, coulomb=draw(size) if simple else 0.0,
            rotor_inertia=draw(size) / 100 if simple else 0.0, gear_ratio=draw(st.sampled_from([1.0, 50.0, -20.0])),
            stiffness=draw(st.sampled_from([0.0, 30.0])) if simple else 0.0, rest=draw(angle) if simple else 0.0,
            mimic=mimic, mimic_ratio=draw(st.sampled_from([1.0, -2.5])), mimic_offset=draw(length)))
    hypothesis.assume(any(b.joint != "fixed" for b in made))
    return made


@st.composite
def models(draw):
    made = draw(bodies())
    frames = [appell.Frame("tool", draw(st.sampled_from([b.name for b in made])), draw(vector), draw(angles))]
    m = appell.build(made, name="random", frames=frames, gravity=draw(st.tuples(length, length, st.just(-9.81))))
    m.friction = draw(st.booleans())
    return m


def evaluate(folder, what, model, arrays):
    np.save(folder / "states.npy", np.hstack(arrays))
    friction = ["--friction"] if model.friction else []
    subprocess.run([COMMAND, "eval", what, folder / "robot.yaml", folder / "states.npy", "-o", folder / "out.npy", *friction],
                   check=True, capture_output=True)
    return np.load(folder / "out.npy")


@examples(12)
@hypothesis.given(models())
def test_bits_of_the_command(m):
    states = random_states(m, STATES)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        m.write(folder / "robot.yaml")
        for what, function in EVALUATED.items():
            try:
                ours = np.hstack([np.reshape(x, (STATES, -1)) for x in function(m, *states)])
            except appell.SingularError:
                continue
            theirs = evaluate(folder, what, m, states[:INPUTS[what]])
            assert np.array_equal(ours, theirs), what


@examples(25)
@hypothesis.given(models(), st.sampled_from([np.float64, np.float32]))
def test_layouts_have_the_same_bits(m, dtype):
    q, v, a = (x.astype(dtype) for x in random_states(m, STATES))
    for name, (letters, shapes) in {**SHAPES, **FRAMED}.items():
        arrays = [{"q": q, "v": v, "a": a}[letter] for letter in letters]
        frame = ("tool",) if name in FRAMED else ()
        call = getattr(m, name)
        try:
            rows = parts(call(*arrays, *frame))
        except appell.SingularError:
            continue
        columns = parts(call(*(np.asfortranarray(x) for x in arrays), *frame))
        one = parts(call(*(x[4] for x in arrays), *frame))
        for k, shape in enumerate(shapes(m)):
            assert rows[k].shape == (STATES, *shape) and rows[k].dtype == dtype, name
            assert np.array_equal(rows[k], columns[k], equal_nan=True), name
            assert np.array_equal(rows[k][4], np.asarray(one[k], dtype), equal_nan=True), name


@examples(25)
@hypothesis.given(models())
def test_pickled_models_have_the_same_bits(m):
    again = pickle.loads(pickle.dumps(m))
    states = random_states(m, STATES)
    assert again == m
    for what, function in EVALUATED.items():
        try:
            ours = function(m, *states)
        except appell.SingularError:
            continue
        assert all(np.array_equal(x, y) for x, y in zip(ours, function(again, *states))), what


@examples(25)
@hypothesis.given(models())
def test_laws(m):
    """M is symmetric, tau = M a + h, integrate() undoes difference(), the regressor gives tau."""
    m.friction = False
    q, v, a = random_states(m, STATES)
    M, h, tau = m.inertia(q), m.bias(q, v), m.inverse_dynamics(q, v, a)
    scale = np.max(np.abs(M)) * 10 + np.max(np.abs(h)) + 1
    assert np.array_equal(M, np.swapaxes(M, 1, 2))
    assert np.allclose(tau, np.einsum("nij,nj->ni", M, a) + h, atol=1e-12 * scale)
    assert np.allclose(np.einsum("nij,nj->ni", m.coriolis(q, v), v) + m.gravity(q), h, atol=1e-12 * scale)
    assert np.allclose(m.kinetic_energy(q, v), np.einsum("ni,nij,nj->n", v, M, v) / 2, atol=1e-12 * scale)
    assert np.allclose(m.regressor(q, v, a) @ m.inertial_parameters(), tau, atol=1e-11 * scale)
    small = 0.1 * v
    assert np.allclose(m.difference(q, m.integrate(q, small)), small, atol=1e-12)
    J = m.jacobian(q, "tool", "mixed")
    assert np.allclose(np.einsum("nij,nj->ni", J, v), m.velocity(q, v, "tool", "mixed"), atol=1e-12)
