# SPDX-License-Identifier: Apache-2.0
"""Studies of many trials: what the command computes, to the bit."""

import json
import subprocess

import numpy as np
import pytest

import appell
from common import COMMAND

TEXT = """appell-study: 1
name: torques
eval: {model: puma600, quantity: inverse}
trials: 1000
chunk: 100
design: sobol
parameters:
  - {name: shoulder, key: q.joint2, uniform: [-1, 1]}
  - {key: v.joint1, normal: [0, 1]}
outcomes:
  - {name: torque, column: tau.joint2, take: largest}
...
"""


@pytest.fixture
def study(tmp_path):
    file = tmp_path / "study.yaml"
    file.write_text(TEXT)
    return file


def test_what_a_study_says(study):
    s = appell.Study(study)
    assert (s.name, s.kind, s.trials) == ("torques", "eval", 1000)
    assert s.parameters == ["shoulder", "v.joint1"] and s.outcomes == ["torque"]


def test_a_trial_is_the_model(study):
    s, arm = appell.Study(study), appell.load("puma600")
    for trial in (0, 7, 999):
        q, v = np.zeros(6), np.zeros(6)
        q[1], v[0] = s.values(trial)
        tau = arm.inverse_dynamics(q, v, np.zeros(6))
        assert s.run_trial(trial) == pytest.approx([abs(tau[1])], rel=1e-12)


def test_sweeps_are_those_of_the_command(study, tmp_path):
    s, folder = appell.Study(study), tmp_path / "here"
    assert s.sweep(folder, part=2, parts=2, threads=1) == 500
    with pytest.raises(appell.FileError, match="chunks are not there"):
        appell.summarize_sweep(folder)
    assert s.sweep(folder) == 500 and s.sweep(folder) == 0
    subprocess.run([COMMAND, "sweep", study, "-o", tmp_path / "there", "--quiet"], check=True)
    told = json.loads(subprocess.run([COMMAND, "sweep", study, "-o", tmp_path / "there", "--json"], check=True,
                                     capture_output=True, text=True).stdout)
    (found,) = appell.summarize_sweep(folder)
    (wanted,) = told["outcomes"]
    assert found.count == 1000 and found.mean == wanted["mean"] and found.most == wanted["most"]
    assert found.worst[0] == wanted["worst"][0]["trial"]
    assert found.quantiles[0.5] <= found.quantiles[0.95] <= found.most
    assert found.influences["correlation"].shape == (2,)
    for name in ("here", "there"):
        for file in sorted((tmp_path / name).glob("chunk-*.bin")):
            assert file.read_bytes() == (tmp_path / "here" / file.name).read_bytes()


def test_wrong_studies(study, tmp_path):
    study.write_text(TEXT.replace("joint2, uniform", "jiont2, uniform"))
    with pytest.raises(appell.Error, match="joint2"):
        appell.Study(study)
    study.write_text(TEXT)
    s = appell.Study(study)
    with pytest.raises(appell.Error, match="trial"):
        s.values(1000)
    with pytest.raises(appell.Error, match="no trial|trial"):
        s.run_trial(-1)
    with pytest.raises(appell.Error, match="part 3 of 2"):
        s.sweep(tmp_path / "x", part=3, parts=2)
    with pytest.raises(appell.FileError):
        appell.merge_sweep(tmp_path / "none", tmp_path / "x.h5")
