# SPDX-License-Identifier: Apache-2.0
"""Copies of models, and copies of arrays, of which there are none."""

import copy
import gc
import multiprocessing
import pickle
import threading
import tracemalloc

import numpy as np
import pytest

import appell
from common import MODELS, random_states


def load(name):
    try:
        return appell.load(name)
    except appell.Error:
        return appell.load_mechanism(name)


@pytest.mark.parametrize("robot", [*appell.builtins(), str(MODELS / "two_link.urdf")])
def test_copied_and_pickled(robot):
    m = load(robot)
    for again in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert again == m and hash(again) == hash(m) and type(again) is type(m) and again is not m
        m.set_payload(1, 0.5, com=(0.1, 0, 0))
        assert again != m  # changes of one are not the other's
        m.reset_inertia()
    m.friction, m.gravity_vector = True, (0, 0, -1.62)
    m.set_payload(1, 0.5, com=(0.1, 0, 0), inertia=(0.1, 0, 0, 0.1, 0, 0.1))
    again = pickle.loads(pickle.dumps(m))
    assert again == m and again.gravity_vector == m.gravity_vector and again.friction
    if isinstance(m, appell.Model):
        q, v, a = random_states(m, 5)
        assert np.array_equal(again.inverse_dynamics(q, v, a), m.inverse_dynamics(q, v, a))
        assert list(again.joints.items()) == list(m.joints.items())


def test_text():
    m = appell.load("puma600")
    assert appell.parse(m.text(), "yaml") == m != appell.load("stanford")
    urdf = appell.parse(m.text("urdf"), "urdf")
    q = random_states(m, 5)[0]
    assert np.allclose(urdf.inertia(q), m.inertia(q), atol=1e-12)
    with pytest.raises(appell.Error, match='"mjcf" or "yaml", not "pdf"'):
        m.text("pdf")
    assert m != "puma600"


def gravity(model, q):
    return model.gravity(q)


def test_a_model_travels_to_workers():
    m = appell.load("puma600")
    q = random_states(m, 8)[0]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.starmap(gravity, [(m, x) for x in q])
    assert np.array_equal(found, m.gravity(q))


# ---- arrays ----


def allocated(call):
    """Bytes that Python and NumPy allocate at most while it runs."""
    call()
    gc.collect()
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


MANY = 20000
LAYOUTS = {
    "rows": lambda x: np.ascontiguousarray(x),
    "columns": lambda x: np.asfortranarray(x),
    "rows of float32": lambda x: np.ascontiguousarray(x, np.float32),
    "columns of float32": lambda x: np.asfortranarray(x, np.float32),
    "one row": lambda x: np.ascontiguousarray(x[:1]),
    "one state": lambda x: np.ascontiguousarray(x[0]),
    "several axes": lambda x: np.ascontiguousarray(x).reshape(10, -1, x.shape[-1]),
}
FUNCTIONS = {"gravity": 1, "bias": 2, "inverse_dynamics": 3, "forward_dynamics": 3, "kinetic_energy": 2, "integrate": 2,
             "centre_of_mass": 1}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_hidden_copy(function, layout):
    """With out= next to nothing is allocated, without it the result and no more."""
    m = appell.load("puma600")
    arrays = [LAYOUTS[layout](x) for x in random_states(m, MANY)[:FUNCTIONS[function]]]
    call = getattr(m, function)
    result = call(*arrays)
    assert allocated(lambda: call(*arrays)) < np.asarray(result).nbytes + 6000
    if np.ndim(result):
        assert result.dtype == arrays[0].dtype
        out = np.empty_like(result)
        assert allocated(lambda: call(*arrays, out=out)) < 6000
        assert np.array_equal(out, result)


def test_no_copy_of_a_slice_of_rows():
    """Rows in the middle of an array have no gaps: they are read where they are."""
    m = appell.load("puma600")
    q = random_states(m, MANY)[0]
    out = np.empty((1000, 6))
    assert allocated(lambda: m.gravity(q[500:1500], out=out)) < 6000
    assert np.array_equal(out, m.gravity(q)[500:1500])


def test_threads_share_a_model_and_its_settings():
    """Each call sees the settings of before or after, never something between."""
    m = appell.load("puma600")
    q = random_states(m, 3000)[0]
    allowed = []
    for mass in (0.0, 2.0):
        m.set_payload("link6", mass, com=(0, 0, 0.1))
        allowed.append((m.gravity(q), m.gravity(q[0])))
    wrong, ended = [], threading.Event()

    def work():
        while not ended.is_set():
            many, one = m.gravity(q), m.gravity(q[0])
            if not any(np.array_equal(many, x) for x, _ in allowed) or not any(np.array_equal(one, x) for _, x in allowed):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for k in range(200):
        m.set_payload("link6", 2.0 * (k % 2), com=(0, 0, 0.1))
    ended.set()
    for t in threads:
        t.join()
    assert not wrong


def test_results_outlive_their_model():
    m = appell.load("puma600")
    tau, joints, bodies = m.gravity(np.ones((50, 6))), m.joints, m.robot
    expected = tau.copy()
    run = appell.simulate({"robot": m, "duration": 0.05})
    rows = run.rows
    del m, run
    gc.collect()
    assert np.array_equal(tau, expected) and joints["joint2"].q == 1 and len(bodies.bodies()) == 6
    assert np.all(np.isfinite(rows))
