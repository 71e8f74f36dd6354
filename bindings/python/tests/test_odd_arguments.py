# SPDX-License-Identifier: Apache-2.0
"""Odd arguments: whatever is given, a call returns numbers or raises an exception, and never crashes."""

import gc
import weakref

import numpy as np
import pytest

import appell
from common import examples

hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is missing (scripts/setup ci)")
st = hypothesis.strategies

MODELS = [appell.load("puma600"), appell.load("quadruped")]
FUNCTIONS = ["inverse_dynamics", "forward_dynamics", "gravity", "inertia", "coriolis", "kinetic_energy",
             "forward_dynamics_derivatives", "regressor", "pose", "jacobian", "acceleration",
             "integrate", "difference", "normalize", "rollout", "set_payload", "inertia_inverse"]

numbers = st.one_of(st.floats(), st.integers(), st.booleans(), st.none())
shapes = st.lists(st.integers(0, 8), max_size=4).map(tuple)
dtypes = st.sampled_from([np.float64, np.float32, np.int32, np.complex128, ">f8", object, "U3", bool])


@st.composite
def arrays(draw):
    x = np.zeros(draw(shapes), dtype=draw(dtypes))
    how = draw(st.integers(0, 5))
    if how == 1:
        x = np.asfortranarray(x)
    if how == 2 and x.ndim:
        x = x[::2]
    if how == 3 and x.ndim:
        x = x[..., ::-1]
    if how == 4:
        x = np.broadcast_to(x, (3, *x.shape))
    if how == 5 and x.dtype == np.float64:
        x = np.full(x.shape, draw(st.sampled_from([np.nan, np.inf, 1e308, 5e-324])))
    return x


def fitting(model):
    """Arrays of the right shape, of numbers that need not be right."""
    width = st.sampled_from([model.nq, model.nv])
    rows = st.sampled_from([(), (1,), (3,), (2, 2)])
    values = st.sampled_from([0.0, 1.0, np.nan, np.inf, -1e200])
    return st.builds(lambda w, r, x: np.full((*r, w), x), width, rows, values)


anything = st.one_of(numbers, st.text(max_size=5), arrays(), st.lists(numbers, max_size=8),
                     st.tuples(numbers, numbers), st.binary(max_size=64),
                     st.sampled_from(["link6", "mixed", 0, 3, -1, 10**20, object()]))


@examples(600)
@hypothesis.given(st.data())
def test_a_call_never_crashes(data):
    model = data.draw(st.sampled_from(MODELS))
    name = data.draw(st.sampled_from(FUNCTIONS))
    one = st.one_of(fitting(model), anything)
    args = data.draw(st.lists(one, max_size=4))
    keys = st.sampled_from(["out", "q", "v", "a", "tau", "frame", "reference", "wrenches", "dt", "steps",
                            "every", "link", "mass", "com", "inertia", "no such"])
    keywords = data.draw(st.dictionaries(keys, one, max_size=3))
    if "steps" in keywords and isinstance(keywords["steps"], int):
        keywords["steps"] %= 1000
    try:
        getattr(model, name)(*args, **keywords)
    except (appell.Error, TypeError, ValueError, KeyError, IndexError, OverflowError, MemoryError):
        pass
    model.reset_inertia()


@examples(200)
@hypothesis.given(st.dictionaries(st.sampled_from([f.name for f in __import__("dataclasses").fields(appell.Body)]),
                                  anything, max_size=5))
def test_building_never_crashes(fields):
    try:
        appell.build([appell.Body(**{"name": "a", "joint": "revolute", "mass": 1.0, **fields}),
                      appell.Body("b", "a", "prismatic", mass=1.0)]).gravity(np.zeros(2))
    except (appell.Error, TypeError, ValueError, KeyError, OverflowError):
        pass


@examples(200)
@hypothesis.given(st.text(max_size=200), st.sampled_from(["urdf", "yaml", "mjcf", ""]))
def test_parsing_never_crashes(text, format):
    try:
        appell.parse(text, format)
    except (appell.Error, ValueError):
        pass


def test_a_model_lives_as_long_as_it_is_used():
    model = appell.load("puma600")
    gravity = model.gravity
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gravity(np.zeros(6)).shape == (6,)
    del gravity
    gc.collect()
    assert gone() is None


def test_feed_forward_keeps_its_model():
    feed = appell.FeedForward(appell.load("puma600"))
    gc.collect()
    assert feed.torque(np.zeros(6), np.zeros(6)).shape == (6,)
