# SPDX-License-Identifier: Apache-2.0
"""Simulations, controllers, logs, reports."""

import re
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
    assert first.kind == "impact" and abs(first.time - np.sqrt(2 / 9.81)) < 1e-9
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
    """Progress is told every 50 ms: of runs that take longer on any machine."""
    parts = []
    appell.simulate({"robot": ROD, "start": {"rod": 1}, "duration": 2e4, "output_step": 10}, progress=parts.append)
    assert parts and parts == sorted(parts)

    def stop(part):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        appell.simulate({"robot": ROD, "start": {"rod": 1}, "duration": 1e6, "output_step": 1}, progress=stop)


def test_pages(tmp_path):
    run = appell.simulate(MODELS / "ball.yaml", end=1)
    run.report(tmp_path / "ball.html", title="A ball")
    assert "A ball" in (tmp_path / "ball.html").read_text()
    assert run._repr_html_().startswith("<iframe")
    run.save(tmp_path / "ball.csv")
    assert np.array_equal(appell.open_run(tmp_path / "ball.csv").rows, run.rows)


ROD = appell.build([appell.Body("rod", joint="revolute", axis=(0, 1, 0), mass=1, com=(0, 0, -0.5))])
WALL = {"name": "floor", "kind": "plane", "normal": [0, 0, 1]}
KEYS = {
    'scenario["walls"]: ': {"walls": 3},
    'scenario["walls"][0]["friction"]: ': {"walls": [{**WALL, "friction": -1}]},
    'scenario["walls"][1]["normal"]: ': {"walls": [WALL, {**WALL, "name": "b", "normal": [0, 0]}]},
    'scenario["start"]["rod"]: a number must be finite': {"start": {"rod": np.array([np.nan])[0]}},
    'scenario["start"]["rot"]: ': {"start": {"rot": 1}},
    'scenario["colour"]: ': {"colour": "red"},
    'scenario["duration"]: ': {"duration": -1},
    'scenario["walls"][0]["name"]: expected a number, a text': {"walls": [{**WALL, "name": object()}]},
    'scenario["robot"]: .*nowhere.urdf: cannot open': {"robot": "nowhere.urdf"},
}


@pytest.mark.parametrize("message", KEYS)
def test_messages_name_the_key(message):
    with pytest.raises((appell.Error, ValueError, TypeError)) as caught:
        appell.simulate({"robot": ROD, "duration": 1, **KEYS[message]})
    pattern = re.escape(message).replace(re.escape(".*"), ".*")
    assert re.match(pattern, str(caught.value)), caught.value
    assert "/appell-" not in str(caught.value)


def test_files_of_a_scenario_in_code_are_those_of_the_folder(monkeypatch):
    monkeypatch.chdir(MODELS)
    assert appell.simulate({"robot": "two_link.urdf", "duration": 0.1}).t[-1] == 0.1


def test_event_attributes():
    event = appell.simulate(MODELS / "ball.yaml", end=1).events[0]
    assert event.point == "ball/ball" and event.wall == "floor"
    assert abs(event.impulse - np.linalg.norm(event.impulse_vector)) < 1e-12
    assert np.array_equal(event.normal, [0, 0, 1]) and abs(event.position[2]) < 1e-12
    assert event.before[2] < 0 < event.after[2] and event.lost > 0


def test_tiny_start():
    run = appell.simulate({"robot": ROD, "start": {"rod": 1e-160}, "duration": 0.1, "output_step": 0.01})
    assert np.all(np.abs(run["q.rod"]) < 1e-9)


def test_mechanism_in_a_scenario():
    crank = appell.load_mechanism("five-bar")
    assert len(appell.simulate({"robot": crank, "duration": 0.01}).t) > 1


def test_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((3, 6)))
    for call, message in ((appell.simulate, "data, not a scenario"), (appell.open_run, "no names of columns"),
                          (appell.load, "data, not a robot"),
                          (lambda log: appell.identify(appell.load("puma600"), log), "give its columns as arrays")):
        with pytest.raises(appell.Error, match=f"a.npy: .*{message}"):
            call(tmp_path / "a.npy")
    with pytest.raises(appell.Error, match="run.txt: unknown format"):
        appell.simulate(MODELS / "ball.yaml", log=tmp_path / "run.txt")
    with pytest.raises(appell.FileError):
        appell.simulate(tmp_path / "nothing.yaml")
    with pytest.raises(appell.Error):
        appell.simulate(MODELS / "ball.yaml", end=-1)
