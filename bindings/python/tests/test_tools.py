# SPDX-License-Identifier: Apache-2.0
"""Mechanisms, identification, the model doctor."""

import json
import re
import subprocess
import warnings

import numpy as np
import pytest

import appell
from common import COMMAND, EFFORT, MODELS


def test_mechanism():
    m = appell.load_mechanism("delta")
    assert m.n == 3 and m.nact == 3 and m.coordinates == ["x", "y", "z"]
    q, zero = np.array([[0.02, -0.01, -0.72], [0.0, 0.03, -0.72]]), np.zeros((2, 3))
    tau = m.inverse_dynamics(q, zero, zero)
    assert np.allclose(m.forward_dynamics(q, zero, tau), 0, atol=1e-9)
    assert np.allclose(m.inertia(q), np.swapaxes(m.inertia(q), 1, 2), atol=1e-12)
    by_q, by_v, by_a = m.inverse_dynamics_derivatives(q, zero, zero)
    assert by_q.shape == (2, 3, 3) and np.allclose(by_v, 0, atol=1e-9)
    step = np.array([1e-6, 0, 0])
    slope = (m.inverse_dynamics(q + step, zero, zero) - m.inverse_dynamics(q - step, zero, zero)) / 2e-6
    assert np.allclose(by_q[:, :, 0], slope, atol=1e-5)
    _, _, by_tau = m.forward_dynamics_derivatives(q, zero, tau)
    assert np.allclose(by_a @ by_tau, np.eye(3), atol=1e-9)
    with pytest.raises(appell.UnreachableError):
        m.gravity(np.array([0, 0, 99.0]))
    with pytest.raises(KeyError, match="no branch"):
        m.branch = "sideways"


def test_identification_of_perfect_data():
    arm = appell.load("puma600")
    motion = appell.excite(arm, evaluations=200, rate=50)
    tau = arm.inverse_dynamics(motion.q, motion.v, motion.a)
    fit = appell.identify(arm, t=motion.t, q=motion.q, v=motion.v, a=motion.a, tau=tau)
    assert fit.model is not None and np.allclose(fit.model.inverse_dynamics(motion.q, motion.v, motion.a), tau, atol=1e-3)
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


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """The first six seconds of a log."""
    file = tmp_path_factory.mktemp("log") / "log.csv"
    file.write_text("".join((MODELS / "puma600_log.csv").read_text().splitlines(True)[:302]))
    return file


# Arguments of identify() and of the command; both must find the same, without any, too.
SAME = {
    "defaults": ({}, []),
    "friction": ({"viscous": True, "coulomb": True, "rotor": True}, ["--friction", "--rotor"]),
    "method": ({"method": "ridge", "reject": 3, "svd": True}, ["--method", "ridge", "--reject", "3", "--base", "svd"]),
    "more": ({"asymmetric": True, "stribeck": 0.1, "load_friction": True, "delay": 0.002, "cutoff": 5},
             ["--asymmetric", "--stribeck", "0.1", "--load-friction", "--delay", "0.002", "--cutoff", "5"]),
    "consistent": ({"method": "consistent", "prior": 0.1, "total_mass": 60, "viscous": True, "coulomb": True},
                   ["--method", "consistent", "--prior", "0.1", "--total-mass", "60", "--friction"]),
    "payload": ({"payload": "link6", "viscous": True, "coulomb": True, "rotor": True},
                ["--payload", "link6", "--friction", "--rotor"]),
    "partial": ({"partial": True}, ["--partial"]),
}


def columns_of(log):
    rows = np.loadtxt(log, delimiter=",", skiprows=1)
    return {"t": rows[:, 0], "q": rows[:, 1:7], "tau": rows[:, 7:13]}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", SAME if EFFORT >= 3 else ["friction", "partial"])
def test_identification_is_the_commands(name, log, tmp_path):
    """The same bits, whether from the log or from its columns, and the same model as -o writes."""
    keywords, options = SAME[name]
    done = subprocess.run([COMMAND, "identify", "puma600", log, "--json", "-o", tmp_path / "found.yaml", *options],
                          capture_output=True, text=True)
    expected = json.loads(done.stdout)
    arm = appell.load("puma600")
    for fit in (appell.identify(arm, log, **keywords), appell.identify(arm, **columns_of(log), **keywords)):
        assert fit.method == expected["method"] and fit.states == expected["states"]
        assert fit.value.tolist() == [p["value"] for p in expected["parameters"]]
        assert fit.deviation.tolist() == [p["standard_deviation"] for p in expected["parameters"]]
        assert fit.error_rms.tolist() == list(expected["residual_rms"].values())
        assert fit.condition == expected["condition"] and fit.spikes == expected["spikes"]
        assert [(d.kind, d.grave, d.text) for d in fit.doubts] == [
            (d["kind"], d["grave"], d["text"]) for d in expected["doubts"]]
        assert fit.model is not None
        assert np.array_equal(fit.model.inertial_parameters(), appell.load(tmp_path / "found.yaml").inertial_parameters())


def test_identification_doubts(log):
    """A log that contradicts the robot is refused; what is only odd is a warning."""
    arm, columns = appell.load("puma600"), columns_of(log)
    degrees = {**columns, "q": np.rad2deg(columns["q"])}
    with pytest.raises(appell.Error, match="the log contradicts the robot: .*degrees.*trust=True"):
        appell.identify(arm, **degrees)
    with pytest.warns(UserWarning, match="degrees"):
        fit = appell.identify(arm, **degrees, trust=True)
    assert any(d.grave and d.kind == "degrees" for d in fit.doubts)
    swapped = {**columns, "tau": columns["tau"][:, [0, 2, 1, 3, 4, 5]]}
    with pytest.raises(appell.Error, match="the log contradicts the robot"):
        appell.identify(arm, **swapped)


def test_identification_of_several_logs(log, tmp_path):
    """The halves of a log, read with other names of columns, are two logs; a joint may be without forces."""
    arm = appell.load("puma600")
    rows = np.loadtxt(log, delimiter=",", skiprows=1)
    halves = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for file, part in zip(halves, np.array_split(rows, 2)):
        np.savetxt(file, part, delimiter=",")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = appell.identify(arm, halves, columns="t=1,q=2-7,tau=8-13", viscous=True, coulomb=True)
        assert fit.states > appell.identify(arm, halves[:1], columns="t=1,q=2-7,tau=8-13").states
        columns = columns_of(log)
        columns["tau"][:, 2] = np.nan
        with pytest.raises(appell.Error, match="not finite"):
            appell.identify(arm, **columns)
        some = appell.identify(arm, **columns, partial=True, viscous=True, coulomb=True)
    assert len(some.value) < len(fit.value) and some.error_rms[2] == 0
    with pytest.raises(appell.FileError, match="no.csv"):
        appell.identify(arm, [*halves, tmp_path / "no.csv"], columns="t=1,q=2-7,tau=8-13")
    with pytest.raises(ValueError, match="names no file"):
        appell.identify(arm, [])


def test_gains_of_currents(tmp_path):
    """Gains as the command finds them, with what is known of the load in three forms; refused where nothing is."""
    arm, loaded = appell.load(MODELS / "puma600_drives.yaml"), appell.load(MODELS / "puma600_drives.yaml")
    for model in (arm, loaded):
        model.friction = True
    centre, inertia = [0.02, 0, 0.1], [0.01, 0, 0, 0.01, 0, 0.008]
    loaded.set_payload("link6", 4, centre, inertia)
    gain = np.array([80, -60, 50, 30, 25, 20])
    files = [tmp_path / "bare.csv", tmp_path / "loaded.csv"]
    names = ",".join(["t", *(f"{x}.joint{j + 1}" for x in ("q", "v", "a", "tau") for j in range(6))])
    for seed, (model, file) in enumerate(zip((arm, loaded), files)):
        motion = appell.excite(arm, rotor=True, viscous=True, coulomb=True, evaluations=60, rate=30, seed=seed)
        amperes = model.inverse_dynamics(motion.q, motion.v, motion.a) / gain
        rows = np.column_stack([motion.t, motion.q, motion.v, motion.a, amperes])
        np.savetxt(file, rows, delimiter=",", header=names, comments="", fmt="%.17g")
    look_for = {"rotor": True, "viscous": True, "coulomb": True, "gains": True}
    for known in ([], [centre], [centre, inertia]):
        fit = appell.identify(arm, files[0], load=("link6", 4, *known), loaded=files[1], **look_for)
        assert fit.gains is not None and fit.gains.identifiable.all()
        assert np.allclose(fit.gains.gain, gain, rtol=1e-6)
    done = subprocess.run([COMMAND, "identify", MODELS / "puma600_drives.yaml", files[0], "--friction", "--rotor", "--gains",
                           "--load", "link6=4,0.02,0,0.1,0.01,0,0,0.01,0,0.008", "--loaded", files[1], "--json"],
                          capture_output=True, text=True)
    expected = json.loads(done.stdout)
    assert fit.gains.gain.tolist() == [g["gain"] for g in expected["gains"].values()]
    assert fit.value.tolist() == [p["value"] for p in expected["parameters"]]
    assert fit.deviation.tolist() == [p["standard_deviation"] for p in expected["parameters"]]
    with pytest.raises(appell.Error, match="nothing known fixes the scale"):
        appell.identify(arm, files[0], **look_for)
    with pytest.raises(ValueError, match="gains=True"):
        appell.identify(arm, files[0], load=("link6", 4))
    with pytest.raises(ValueError, match="centre must be 3 numbers"):
        appell.identify(arm, files[0], load=("link6", 4, [1, 2]), loaded=files[1], gains=True)


def test_identification_refuses(log):
    arm = appell.load("puma600")
    with pytest.raises(ValueError, match="no method"):
        appell.identify(arm, t=[0], q=[[0] * 6], tau=[[0] * 6], method="guess")
    with pytest.raises(TypeError, match="needed"):
        appell.identify(arm, t=[0])
    with pytest.raises(ValueError, match="cutoff must be above 0"):
        appell.identify(arm, log, cutoff=0)
    with pytest.raises(ValueError, match="asymmetric or offset"):
        appell.identify(arm, log, offset=True, asymmetric=True)
    with pytest.raises(appell.Error, match="no such"):
        appell.identify(arm, log, payload="no such")
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
