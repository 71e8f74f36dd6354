# SPDX-License-Identifier: Apache-2.0
"""Simulations, controllers, logs, reports."""

import subprocess

import numpy as np
import pytest

import appell
from common import COMMAND, MODELS


def test_same_as_the_command(tmp_path):
    run = appell.simulate(MODELS / "bouncing_rod.yaml")
    subprocess.run([COMMAND, "simulate", MODELS / "bouncing_rod.yaml", "-o", tmp_path / "rod.csv"],
                   check=True, capture_output=True)
    other = appell.open_run(tmp_path / "rod.csv")
    assert list(run) == list(other)
    assert np.array_equal(run.rows, other.rows)
    assert run.events == other.events and len(run.events) > 0


def test_columns_and_events():
    run = appell.simulate(MODELS / "ball.yaml", end=2)
    assert run.t[0] == 0 and run.t[-1] == 2
    assert run.units["t"] in ("s", "")
    first = run.events[0]
    assert first.event == "impact" and abs(first.t - np.sqrt(2 / 9.81)) < 1e-9
    with pytest.raises(KeyError, match="there are t, "):
        run["nothing"]


def test_scenario_in_code():
    pendulum = appell.build([appell.Body("rod", joint="revolute", axis=(0, 1, 0), mass=1,
                                         com=(0, 0, -0.5), inertia=(0.01, 0, 0, 0.01, 0, 0.01))])
    run = appell.simulate({"robot": pendulum, "start": {"rod": 0.1}, "duration": 1.0,
                           "output_step": 0.01})
    assert len(run.t) == 101
    q, v = run["q.rod"].reshape(-1, 1).copy(), run["v.rod"].reshape(-1, 1).copy()
    assert np.ptp(pendulum.kinetic_energy(q, v) + pendulum.potential_energy(q)) < 1e-8


def test_progress_and_interruption():
    parts = []
    appell.simulate(MODELS / "quadruped_drop.yaml", progress=parts.append)
    assert parts and parts == sorted(parts)

    def stop(part):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        appell.simulate(MODELS / "quadruped_drop.yaml", progress=stop)


def test_pages(tmp_path):
    run = appell.simulate(MODELS / "ball.yaml", end=1)
    run.report(tmp_path / "ball.html", title="A ball")
    assert "A ball" in (tmp_path / "ball.html").read_text()
    assert run._repr_html_().startswith("<iframe")
    run.save(tmp_path / "ball.csv")
    assert np.array_equal(appell.open_run(tmp_path / "ball.csv").rows, run.rows)


def test_refused(tmp_path):
    with pytest.raises(appell.Error, match="scenario.yaml"):
        appell.simulate({"robot": "puma600", "walls": 3})
    with pytest.raises(appell.FileError):
        appell.simulate(tmp_path / "nothing.yaml")
    with pytest.raises(appell.Error):
        appell.simulate(MODELS / "ball.yaml", end=-1)
