# SPDX-License-Identifier: Apache-2.0
"""Models: the same bits as the command, shapes, layouts, precisions, and what is refused."""

import subprocess
import threading

import numpy as np
import pytest

import appell
from common import COMMAND, MODELS, random_states

ROBOTS = ["puma600", "quadruped", str(MODELS / "two_link.urdf")]

# Functions of a model and what the command calls them.
EVALUATED = {
    "inverse_dynamics": ("inverse", 3),
    "forward_dynamics": ("forward", 3),
    "inertia": ("inertia", 1),
    "bias": ("bias", 2),
    "gravity": ("gravity", 1),
}


def evaluate(what, robot, rows):
    text = "\n".join(" ".join(f"{x:.17g}" for x in row) for row in rows)
    done = subprocess.run([COMMAND, "eval", what, robot, "-"], input=text, capture_output=True,
                          text=True, check=True)
    return np.array([[float(x) for x in line.split()] for line in done.stdout.splitlines()
                     if not line.startswith("#")])


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("function", EVALUATED)
def test_bits_of_the_command(robot, function):
    m = appell.load(robot)
    what, inputs = EVALUATED[function]
    arrays = random_states(m, 40)[:inputs]
    expected = evaluate(what, robot, np.hstack(arrays))
    many = getattr(m, function)(*arrays).reshape(len(expected), -1)
    assert np.array_equal(many, expected)
    for k in (0, 17):
        one = getattr(m, function)(*(x[k] for x in arrays))
        assert np.array_equal(one.reshape(-1), expected[k])


SHAPES = {
    "inverse_dynamics": ("qva", lambda m: [(m.nv,)]),
    "forward_dynamics": ("qva", lambda m: [(m.nv,)]),
    "bias": ("qv", lambda m: [(m.nv,)]),
    "gravity": ("q", lambda m: [(m.nv,)]),
    "inertia": ("q", lambda m: [(m.nv, m.nv)]),
    "inertia_inverse": ("q", lambda m: [(m.nv, m.nv)]),
    "coriolis": ("qv", lambda m: [(m.nv, m.nv)]),
    "kinetic_energy": ("qv", lambda m: [()]),
    "potential_energy": ("q", lambda m: [()]),
    "inverse_dynamics_derivatives": ("qva", lambda m: [(m.nv, m.nv)] * 3),
    "forward_dynamics_derivatives": ("qva", lambda m: [(m.nv, m.nv)] * 3),
    "regressor": ("qva", lambda m: [(m.nv, len(m.inertial_parameters()))]),
    "centre_of_mass": ("q", lambda m: [(3,)]),
    "centroidal_momentum": ("qv", lambda m: [(6,)]),
    "centroidal_matrix": ("q", lambda m: [(6, m.nv)]),
    "integrate": ("qv", lambda m: [(m.nq,)]),
    "difference": ("qq", lambda m: [(m.nv,)]),
    "normalize": ("q", lambda m: [(m.nq,)]),
}
FRAMED = {
    "pose": ("q", lambda m: [(3, 3), (3,)]),
    "jacobian": ("q", lambda m: [(6, m.nv)]),
    "velocity": ("qv", lambda m: [(6,)]),
    "acceleration": ("qva", lambda m: [(6,)]),
    "jacobian_dot_v": ("qv", lambda m: [(6,)]),
}


def parts(result):
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("function", {**SHAPES, **FRAMED})
def test_one_and_many_in_every_layout(robot, function, dtype):
    m = appell.load(robot)
    letters, shapes = {**SHAPES, **FRAMED}[function]
    q, v, a = (x.astype(dtype) for x in random_states(m, 21))
    arrays = [{"q": q, "v": v, "a": a}[letter] for letter in letters]
    frame = (m.frames[-1],) if function in FRAMED else ()
    call = getattr(m, function)
    rows = parts(call(*arrays, *frame))
    assert [x.shape for x in rows] == [(21, *s) for s in shapes(m)]
    assert all(x.dtype == dtype for x in rows)
    columns = parts(call(*(np.asfortranarray(x) for x in arrays), *frame))
    several = parts(call(*(x.reshape(3, 7, -1) for x in arrays), *frame))
    given = tuple(np.empty_like(x) for x in rows)
    out = call(*arrays, *frame, out=given if len(given) > 1 else given[0])
    assert all(x is y for x, y in zip(parts(out), given))
    for k in range(len(rows)):
        assert np.array_equal(rows[k], columns[k])
        assert np.array_equal(rows[k], several[k].reshape(rows[k].shape))
        assert np.array_equal(rows[k], given[k])
        one = parts(call(*(x[5] for x in arrays), *frame))[k]
        assert np.array_equal(np.asarray(one, dtype), rows[k][5])


def test_no_states():
    m = appell.load("puma600")
    assert m.gravity(np.empty((0, 6))).shape == (0, 6)
    assert m.inertia(np.empty((0, 6))).shape == (0, 6, 6)


def test_nothing_moves():
    m = appell.build([appell.Body("post", mass=1)])
    assert m.nq == 0 and m.gravity(np.empty((3, 0))).shape == (3, 0) and m.gravity(np.empty(0)).shape == (0,)
    assert m.potential_energy(np.empty((3, 0))).shape == (3,)


def test_lists_and_integers_are_converted():
    m = appell.load("puma600")
    assert np.array_equal(m.gravity([0, 1, 0, 0, 0, 0]), m.gravity(np.array([0.0, 1, 0, 0, 0, 0])))


def test_result_in_place_of_an_input():
    m = appell.load("puma600")
    q, v, a = random_states(m, 9)
    expected = m.inverse_dynamics(q, v, a)
    assert np.array_equal(m.inverse_dynamics(q, v, a, out=a), expected)


REFUSED = {
    "width": (lambda m, q: m.gravity(q[:, :5]), ValueError, r"\(4, 5\).*\(6,\) for one state, \(n, 6\)"),
    "states": (lambda m, q: m.bias(q, q[:3]), ValueError, "q has 4 states.*v has 3"),
    "one and many": (lambda m, q: m.bias(q, q[0]), ValueError, "q has 4 states, v is of one"),
    "dtypes": (lambda m, q: m.bias(q, q.astype(np.float32)), TypeError, "q is float64, v is float32"),
    "gaps": (lambda m, q: m.gravity(q[::2]), ValueError, "gaps"),
    "orders": (lambda m, q: m.bias(q, np.asfortranarray(q)), ValueError, "column by column"),
    "text": (lambda m, q: m.gravity("six numbers"), TypeError, "q must be numbers"),
    "object": (lambda m, q: m.gravity(object()), TypeError, "q must be numbers"),
    "out of float32": (lambda m, q: m.gravity(q, out=np.empty((4, 6), np.float32)), TypeError, "one dtype"),
    "out of integers": (lambda m, q: m.gravity(q, out=np.empty((4, 6), int)), TypeError, "writable"),
    "out of another shape": (lambda m, q: m.gravity(q, out=np.empty((4, 5))), ValueError, "shape"),
    "out that is read-only": (lambda m, q: m.gravity(q, out=np.broadcast_to(0.0, (4, 6))), TypeError, "writable"),
    "out over q": (lambda m, q: m.gravity(q, out=q), ValueError, "overlaps q"),
    "out for several": (lambda m, q: m.pose(q, 6, out=q), TypeError, "tuple of 2"),
    "no argument": (lambda m, q: m.gravity(), TypeError, "needs the argument 'q'"),
    "too many": (lambda m, q: m.gravity(q, q), TypeError, "at most 1"),
    "unknown": (lambda m, q: m.gravity(q, speed=3), TypeError, "no argument 'speed'"),
    "twice": (lambda m, q: m.gravity(q, q=q), TypeError, "twice"),
    "frame": (lambda m, q: m.pose(q, "nose"), KeyError, "no frame 'nose'"),
    "frame's number": (lambda m, q: m.pose(q, 99), IndexError, "99"),
    "reference": (lambda m, q: m.jacobian(q, 6, "upside down"), ValueError, "'local', 'world' or 'mixed'"),
    "wrench": (lambda m, q: m.inverse_dynamics(q, q, q, wrenches=[(6, 1)]), TypeError, "a wrench is"),
    "wrench of NaN": (lambda m, q: m.inverse_dynamics(q, q, q, wrenches=[(6, (0, 0, np.nan), (0, 0, 0))]), ValueError, "finite"),
    "joint": (lambda m, q: m.joints["nose"], KeyError, "there are joint1"),
    "payload": (lambda m, q: m.set_payload("link6", -1), appell.Error, "negative"),
    "payload of the ground": (lambda m, q: m.set_payload(0, 1), ValueError, "ground"),
    "gravity": (lambda m, q: setattr(m, "gravity_vector", (0, 0)), ValueError, "3 numbers"),
    "no gravity": (lambda m, q: delattr(m, "gravity_vector"), AttributeError, "deleted"),
    "a file that is not there": (lambda m, q: appell.load("nowhere.urdf"), appell.FileError, "nowhere.urdf"),
    "a class": (lambda m, q: appell.Model("puma600"), TypeError, "appell.load"),
    "closed chains": (lambda m, q: appell.load("delta"), appell.Error, "load_mechanism"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    call, kind, text = REFUSED[name]
    with pytest.raises(kind, match=text):
        call(appell.load("puma600"), np.zeros((4, 6)))


def test_errors_name_file_and_line(tmp_path):
    file = tmp_path / "bad.urdf"
    file.write_text('<robot name="r">\n <link name="a"/>\n <link name="a"/>\n</robot>\n')
    with pytest.raises(appell.Error) as caught:
        appell.load(file)
    assert caught.value.file == str(file)
    assert caught.value.line == 3
    assert str(caught.value).startswith(f"{file}:3: ")


def test_singular_states_are_counted():
    m = appell.build([appell.Body("a", joint="prismatic", mass=1),
                      appell.Body("b", parent="a", joint="prismatic")])
    with pytest.raises(appell.SingularError, match="state 0, the first of 4 such states among 4"):
        m.forward_dynamics(*(np.zeros((4, 2)) for _ in range(3)))


def test_settings():
    m = appell.load(str(MODELS / "two_link.urdf"))
    q = np.array([0.3, -1.2])
    plain = m.gravity(q)
    m.gravity_vector = (0, 0, -1.62)
    moon = m.gravity(q)
    assert np.allclose(moon, plain * 1.62 / 9.81, rtol=1e-12)
    m.gravity_vector = (0, 0, -9.81)
    link = m.joints["elbow"].link
    m.set_payload(link, 2.0, com=(0.1, 0, 0))
    loaded = m.gravity(np.tile(q, (700, 1)))
    assert np.array_equal(loaded[0], m.gravity(q)) and not np.allclose(loaded[0], plain)
    m.reset_inertia()
    assert np.array_equal(m.gravity(q), plain)


def test_what_is_set_is_not_lost(tmp_path):
    m = appell.load(str(MODELS / "two_link.urdf"))
    m.set_payload(m.joints["elbow"].link, 2.0)
    for use in (lambda: m.write(tmp_path / "m.urdf"), m.generate, lambda: appell.simulate({"robot": m, "duration": 1})):
        with pytest.raises(appell.Error, match="no part of its definition"):
            use()
    m.reset_inertia()
    m.write(tmp_path / "m.urdf")


def test_wrenches_are_jacobians_transposed():
    m = appell.load("puma600")
    q, v, a = (x[0] for x in random_states(m, 1))
    force, moment = np.array([3.0, -2, 1]), np.array([0.2, 0.1, -0.3])
    tau = m.inverse_dynamics(q, v, a, wrenches=[("link6", force, moment, "mixed")])
    J = m.jacobian(q, "link6", "mixed")
    assert np.allclose(tau, m.inverse_dynamics(q, v, a) - J.T @ np.hstack([force, moment]), atol=1e-12)


def test_threads_share_a_model():
    m = appell.load("puma600")
    q, v, a = random_states(m, 4000)
    expected = m.inverse_dynamics(q, v, a)
    wrong = []

    def work():
        for _ in range(20):
            if not np.array_equal(m.inverse_dynamics(q, v, a), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_joints():
    m = appell.load("quadruped")
    first = next(iter(m.joints.values()))
    assert first.type == "free" and first.q == slice(0, 7) and first.v == slice(0, 6)
    assert [j.q for j in m.joints.values()][1:] == list(range(7, m.nq))


def test_locked_joints():
    whole = appell.load("puma600")
    arm = appell.load("puma600", lock={"joint6": 0.3, "joint5": 0})
    assert arm.nv == 4
    q = np.array([0.1, -0.4, 0.7, 0.2])
    assert np.allclose(arm.gravity(q), whole.gravity(np.hstack([q, 0, 0.3]))[:4], atol=1e-12)


def test_build_and_write(tmp_path):
    m = appell.build([appell.Body("arm", joint="revolute", axis=(0, 1, 0), mass=2, com=(0.5, 0, 0),
                                  inertia=(0.01, 0, 0, 0.02, 0, 0.02))],
                     frames=[appell.Frame("tip", "arm", xyz=(1, 0, 0))])
    assert np.allclose(m.gravity([0.0]), [-2 * 9.81 * 0.5])
    assert np.allclose(m.pose([0.0], "tip")[1], [1, 0, 0])
    for name in ("arm.urdf", "arm.xml", "arm.yaml"):
        m.write(tmp_path / name)
        again = appell.load(tmp_path / name)
        assert np.array_equal(again.inertia([0.3]), m.inertia([0.3]))
    slow = appell.build([appell.Body("arm", joint="revolute", velocity_limit=1, mass=2, inertia=(1, 0, 0, 1, 0, 1))])
    with pytest.warns(UserWarning, match="MJCF has no velocity limits, as of joint \"arm\": left out"):
        slow.write(tmp_path / "slow.xml")


def test_inverse_kinematics():
    m = appell.load("puma600")
    q = np.linspace(0.2, 0.7, 6)
    R, p = m.pose(q, "link6")
    found = m.inverse_kinematics("link6", p, R, q + 0.1)
    assert found.reached and np.allclose(m.pose(found.q, "link6")[1], p, atol=1e-9)
    assert not m.inverse_kinematics("link6", (50, 0, 0)).reached


def test_inverse_kinematics_of_many_poses():
    m = appell.load("puma600")
    q = random_states(m, 700)[0] / 2
    R, p = m.pose(q, "link6")
    found = m.inverse_kinematics("link6", p, R, q + 0.05)
    assert found.q.shape == (700, 6) and found.reached.all() and found.iterations.dtype == np.int64
    assert np.max(np.abs(m.pose(found.q, "link6")[1] - p)) < 1e-9
    one = m.inverse_kinematics("link6", p[3], R[3], q[3] + 0.05)
    assert np.array_equal(one.q, found.q[3]) and one.iterations == found.iterations[3]
    p[5] = (50, 0, 0)
    same_start = m.inverse_kinematics("link6", p.reshape(7, 100, 3), q0=np.zeros(6))
    assert same_start.q.shape == (7, 100, 6) and not same_start.reached[0, 5]
    assert m.inverse_kinematics("link6", np.empty((0, 3))).q.shape == (0, 6)


def test_messages_of_states():
    m = appell.load("quadruped")
    q = np.tile(m.neutral(), (5, 1))
    assert np.array_equal(m.normalize(q), q)
    q[3, 3:7] = 0
    with pytest.raises(appell.Error, match="quaternion of joint 'base' in q is zero.*: state 3, the first of 1"):
        m.normalize(np.asfortranarray(q))
    arm, q = appell.load("puma600"), np.zeros(6)
    many = np.zeros((5, 6))
    many[2, 1] = np.nan
    with pytest.raises(appell.Error, match="q has numbers that are not finite: state 2, the first of 1"):
        arm.forward_dynamics(many, np.zeros((5, 6)), np.zeros((5, 6)))
    with pytest.raises(appell.Error, match="q has numbers that are not finite"):
        arm.inertia_inverse(many[2])
    for p, R, q0, message in (
        ((0, 0, np.nan), None, q, "p has numbers that are not finite"),
        ((0, 0, 1), None, q + np.inf, "q0 has numbers that are not finite"),
        ((0, 0, 1), np.ones((3, 3)), q, "R is no rotation matrix"),
        ([(0, 0, 1), (0, np.nan, 1)], None, q, "p has numbers that are not finite: pose 1 of 2"),
    ):
        with pytest.raises(appell.Error, match=message):
            arm.inverse_kinematics("link6", p, R, q0)
    with pytest.raises(ValueError, match="tolerance"):
        arm.inverse_kinematics("link6", q[:3], tolerance=0)
    with pytest.raises(ValueError, match="q0 must be"):
        arm.inverse_kinematics("link6", np.zeros((4, 3)), q0=np.zeros((3, 6)))


@pytest.mark.parametrize("field, value, message", [
    ("mass", "two", r"bodies\[1\].mass must be a number, not 'two'"),
    ("com", (1, 2), r"bodies\[1\].com must be 3 numbers"),
    ("parent", "c", r"bodies\[1\].parent must be the name of an earlier body, not 'c'"),
    ("joint", "hinge", r"bodies\[1\].joint must be one of 'fixed', 'revolute'"),
    ("lower", "low", r"bodies\[1\].lower must be a number"),
    ("name", 3, r"bodies\[1\].name must be a text, not 3"),
    ("inertia", (1, 0, 0, 1, 0, np.nan), r"bodies\[1\].inertia must be finite"),
])
def test_messages_of_bodies(field, value, message):
    bodies = [appell.Body("a", joint="revolute", mass=1), appell.Body(**{"name": "b", field: value})]
    with pytest.raises((ValueError, TypeError), match=message):
        appell.build(bodies)


def test_rollout_is_its_steps():
    m = appell.load("puma600")
    q, v, tau = random_states(m, 700)
    Q, V = m.rollout(q, v, dt=1e-3, steps=3, tau=tau)
    for _ in range(3):
        v = v + 1e-3 * m.forward_dynamics(q, v, tau)
        q = m.integrate(q, 1e-3 * v)
    assert np.allclose(Q, q, atol=1e-14) and np.allclose(V, v, atol=1e-12)
    with pytest.raises(ValueError, match="go together"):
        m.rollout(q, v, dt=1e-3, steps=1, target_q=q)
    record = m.rollout(q, v, dt=1e-3, steps=6, every=2)
    assert record[0].shape == (3, 700, 6)
    assert np.array_equal(record[0][-1], m.rollout(q, v, dt=1e-3, steps=6)[0])


def test_generated_and_compiled_code():
    m = appell.load("puma600")
    files = m.generate(functions=["gravity"])
    assert set(files) == {"puma600.c", "puma600.h"} and "puma600_gravity" in files["puma600.h"]
    q, v, a = random_states(m, 100)
    general = m.inverse_dynamics(q, v, a)
    m.compile()
    assert np.allclose(m.inverse_dynamics(q, v, a), general, rtol=1e-12, atol=1e-12)


def test_mjcf_and_closed_chains():
    file = MODELS / "gripper.xml"
    tree = appell.load(file, ignore_loops=True, ignore_mimic=True)
    assert tree.nv == 6 and any("closed chains are open" in text for _, text in tree.warnings)
    with pytest.raises(appell.Error, match="ignore_loops"):
        appell.load(file)
    gripper = appell.load_mechanism(file)
    assert gripper.coordinates == ["right_driver"] == gripper.actuators
    text = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    assert appell.parse(text, "mjcf").nv == 1


def test_springs_take_part_with_friction():
    ball = (0.0, 0.6, 0.0, 0.8)
    m = appell.build([
        appell.Body("arm", joint="revolute", axis=(0, 1, 0), mass=1.0, com=(0.3, 0, 0),
                    inertia=(0.1, 0, 0, 0.1, 0, 0.1),
                    stiffness=12.5, rest=2.0, gravity_compensation=0.25),
        appell.Body("hand", parent="arm", joint="spherical", mass=1.0, inertia=(0.1, 0, 0, 0.1, 0, 0.1),
                    stiffness=2.0, rest=ball)])
    assert m.joints["arm"].stiffness == 12.5 and m.joints["arm"].rest == 2.0 and m.joints["hand"].rest == ball
    q = np.array([0.5, 0, 0, 0, 1])
    turn = 2 * np.arctan2(0.6, 0.8)  # from the rest back to no turn
    weight = -9.81 * 0.3 * np.cos(0.5)
    np.testing.assert_allclose(m.gravity(q), [weight, 0, 0, 0], atol=1e-14)
    assert m.elastic_energy(q) == 0
    m.friction = True
    np.testing.assert_allclose(m.gravity(q), [0.75 * weight - 12.5 * 1.5, 0, -2 * turn, 0], atol=1e-13)
    np.testing.assert_allclose(m.elastic_energy(q), 12.5 / 2 * 1.5**2 + turn**2, rtol=1e-14)
