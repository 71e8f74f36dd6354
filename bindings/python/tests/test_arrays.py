# SPDX-License-Identifier: Apache-2.0
"""Arrays of one state, which are read where they lie: whatever array it is, the same bits, or an exception."""

import array
import sys

import numpy as np
import pytest

import appell
from common import random_states

ARM = appell.load("puma600")
STATE = [np.ascontiguousarray(x[0]) for x in random_states(ARM, 1)]
TAU = ARM.inverse_dynamics(*STATE)


class Subclass(np.ndarray):
    pass


def in_file(x, tmp_path):
    written = np.memmap(tmp_path / str(id(x)), np.float64, "w+", shape=x.shape)
    written[:] = x
    return written


def unaligned(x, tmp_path=None):
    y = np.frombuffer(bytearray(x.nbytes + 1), offset=1)
    y[:] = x
    assert not y.flags.aligned
    return y


# The same numbers, as NumPy and others have them; those whose memory is not NumPy's come through buffers.
FORMS = {
    "subclass": lambda x, tmp_path: x.view(Subclass),
    "masked": lambda x, tmp_path: np.ma.array(x),
    "in a file": in_file,
    "read-only": lambda x, tmp_path: np.frombuffer(x.tobytes()),
    "unaligned": unaligned,
    "with gaps": lambda x, tmp_path: np.repeat(x, 3)[::3],
    "backwards": lambda x, tmp_path: x[::-1].copy()[::-1],
    "column": lambda x, tmp_path: np.ascontiguousarray(np.stack([x, x], 1))[:, 1],
    "other byte order": lambda x, tmp_path: x.astype(">f8"),
    "dtype with metadata": lambda x, tmp_path: x.astype(np.dtype("f8", metadata={"unit": "rad"})),
    "long double": lambda x, tmp_path: x.astype(np.longdouble),
    "objects": lambda x, tmp_path: x.astype(object),
    "memoryview": lambda x, tmp_path: memoryview(x),
    "array.array": lambda x, tmp_path: array.array("d", x),
    "list": lambda x, tmp_path: x.tolist(),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_state(form, tmp_path):
    given = [FORMS[form](x, tmp_path) for x in STATE]
    assert np.array_equal(ARM.inverse_dynamics(*given), TAU)
    for i in range(3):  # beside plain ones
        mixed = [given[k] if k == i else STATE[k] for k in range(3)]
        assert np.array_equal(ARM.inverse_dynamics(*mixed), TAU)


@pytest.mark.parametrize("form", ["subclass", "in a file", "array.array", "memoryview"])
def test_every_form_of_out(form, tmp_path):
    out = FORMS[form](np.zeros(6), tmp_path)
    assert ARM.inverse_dynamics(*STATE, out=out) is out
    assert np.array_equal(np.asarray(out), TAU)


@pytest.mark.parametrize("form", ["read-only", "unaligned", "with gaps", "backwards", "other byte order", "long double",
                                  "objects", "list"])
def test_out_that_is_refused(form, tmp_path):
    with pytest.raises((TypeError, ValueError), match="out "):
        ARM.inverse_dynamics(*STATE, out=FORMS[form](np.zeros(6), tmp_path))


def test_shapes_dtypes_and_overlaps():
    q, v, a = STATE
    for wrong in (np.zeros(5), np.zeros(7), np.zeros(()), np.zeros((6, 2)), np.zeros(0)):
        with pytest.raises(ValueError, match="shape"):
            ARM.inverse_dynamics(q, wrong, a)
        with pytest.raises(ValueError, match="shape"):
            ARM.inverse_dynamics(q, v, a, out=wrong)
    with pytest.raises(ValueError, match="states"):
        ARM.inverse_dynamics(q, v, a, out=np.zeros((1, 6)))
    with pytest.raises(TypeError, match="one dtype"):
        ARM.inverse_dynamics(q, v, a.astype(np.float32))
    with pytest.raises(TypeError, match="one dtype"):
        ARM.inverse_dynamics(q, v, a, out=np.zeros(6, np.float32))
    with pytest.raises(ValueError, match="overlaps q"):
        ARM.inverse_dynamics(q, v, a, out=q)
    memory = np.zeros(9)
    with pytest.raises(ValueError, match="overlaps v"):
        ARM.inverse_dynamics(q, memory[:6], a, out=memory[3:])
    last = a.copy()
    assert np.array_equal(ARM.inverse_dynamics(q, v, last, out=last), TAU)  # which is allowed
    frozen = np.zeros(6)
    frozen.setflags(write=False)
    with pytest.raises(TypeError, match="writable"):
        ARM.inverse_dynamics(q, v, a, out=frozen)


def test_unaligned_states_are_not_copied():
    q = unaligned(np.zeros(12)).reshape(2, 6)
    with pytest.raises(ValueError, match="q does not begin at a multiple"):
        ARM.gravity(q)


def test_keywords_in_any_form():
    q, v, a = STATE
    out = np.zeros(6)
    made = "".join(["o", "ut"])  # equal to 'out', another object
    assert ARM.inverse_dynamics(a=a, v=v, q=q, **{made: out}) is out
    with pytest.raises(TypeError, match="no argument 'ou'"):
        ARM.inverse_dynamics(q, v, a, ou=out)
    with pytest.raises(TypeError, match="'q' twice"):
        ARM.inverse_dynamics(q, v, a, q=q)


def test_arrays_are_given_back():
    """References and buffers: none is kept, whatever a call comes to."""
    q, v, a = (x.copy() for x in STATE)
    out = np.zeros(6)
    before = [sys.getrefcount(x) for x in (q, v, a, out)]
    for _ in range(10):
        ARM.inverse_dynamics(q, v, a, out=out)
        ARM.inverse_dynamics(q, v, a)
        with pytest.raises(ValueError):
            ARM.inverse_dynamics(q, v, a, out=q)
        with pytest.raises(ValueError):
            ARM.inverse_dynamics(q, v, a[:3], out=out)
    assert [sys.getrefcount(x) for x in (q, v, a, out)] == before


def test_shapes_that_change_between_calls():
    """An array is looked at anew in every call."""
    q = np.zeros(12)
    assert ARM.gravity(q[:6]).shape == (6,)
    q.shape = (2, 6)
    assert ARM.gravity(q).shape == (2, 6)
    q.shape = (12,)
    with pytest.raises(ValueError, match="shape"):
        ARM.gravity(q)
