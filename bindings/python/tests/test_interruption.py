# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends what takes long; the model works on afterwards."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import appell
from common import MODELS

ARM = appell.load("puma600")
ROD = appell.build([appell.Body("rod", joint="revolute", axis=(0, 1, 0), mass=1, com=(0, 0, -0.5))])
DELTA = appell.load_mechanism("delta")
MANY = np.zeros((100000, 6))
SAMPLES = np.random.default_rng(1).uniform(-1, 1, (200000, 6))
POSES = np.tile([0.0, 0.0, 50.0], (300000, 1))


def again(call):
    """A call that takes less than minutes on a fast machine, so often that it does."""

    def calls():
        for _ in range(10**4):
            call()

    return calls


# Calls that would take minutes; rollouts in steps so short that nothing diverges meanwhile.
LONG = {
    "rollout of many": lambda: ARM.rollout(MANY[:3000], MANY[:3000], dt=1e-9, steps=10**7),
    "rollout of one": lambda: ARM.rollout(MANY[0], MANY[0], dt=1e-9, steps=10**9),
    "rollout with records": lambda: ARM.rollout(MANY[0], MANY[0], dt=1e-9, steps=10**9, every=10**7),
    "excite": lambda: appell.excite(ARM, evaluations=10**8),
    "identify": again(lambda: appell.identify(ARM, t=1e-3 * np.arange(len(SAMPLES)), q=SAMPLES, v=SAMPLES, a=SAMPLES,
                                              tau=SAMPLES, trust=True)),
    "simulate": lambda: appell.simulate({"robot": ROD, "start": {"rod": 1}, "duration": 1e6, "output_step": 1}),
    "simulate in two rows": again(lambda: appell.simulate({"robot": ROD, "start": {"rod": 1}, "duration": 3e4,
                                                           "output_step": 3e4})),
    "inverse kinematics of many": again(lambda: ARM.inverse_kinematics("link6", POSES)),
    "mechanism": again(lambda: DELTA.inertia(np.tile([0.0, 0.0, -0.9], (10**5, 1)))),
    "in binary128": again(lambda: appell.research.evaluate(ARM, "dforward", np.zeros((10**6, 18)), arithmetic="f128")),
    "many states": again(lambda: ARM.forward_dynamics_derivatives(MANY, MANY, MANY)),
}


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c(name):
    """The alarm's handler raises what Ctrl-C raises; an alarm that nobody hears fails by itself."""

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.15)
            LONG[name]()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert np.all(np.isfinite(ARM.gravity(MANY[:10])))


def test_sigint_of_a_process():
    # The handler is set again: what a shell starts in the background ignores the signal.
    program = "import appell, signal; signal.signal(signal.SIGINT, signal.default_int_handler); " \
              "print('ready', flush=True); arm = appell.load('puma600'); " \
              "arm.rollout([0.0] * 6, [0.0] * 6, dt=1e-9, steps=10**9)"
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0 and b"KeyboardInterrupt" in said


def test_other_threads_are_not_interrupted():
    """Signals are the main thread's: a call elsewhere ends with its result."""
    results = []
    call = threading.Thread(target=lambda: results.append(ARM.rollout(MANY[0], MANY[0], dt=1e-6, steps=10**6)))
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    call.start()
    call.join()
    signal.setitimer(signal.ITIMER_REAL, 0)  # where the call took less, it would end this process
    signal.signal(signal.SIGALRM, before)
    assert np.array_equal(results[0][0], ARM.rollout(MANY[0], MANY[0], dt=1e-6, steps=10**6)[0])


@pytest.mark.parametrize("robot", ["puma600", "quadruped"])
@pytest.mark.parametrize("integrator", ["euler", "rk4"])
def test_rollouts_in_pieces_have_the_same_bits(robot, integrator):
    """Between two looks for signals a rollout stops and goes on: that must not show."""
    m = appell.load(robot)
    q = np.tile(m.neutral(), (3, 1))
    v = np.random.default_rng(1).uniform(-1, 1, (3, m.nv))
    Q, V = m.rollout(q, v, dt=1e-5, steps=9000, integrator=integrator)
    records = m.rollout(q, v, dt=1e-5, steps=9000, integrator=integrator, every=4500)
    for k in range(9):
        q, v = m.rollout(q, v, dt=1e-5, steps=1000, integrator=integrator)
    assert np.array_equal(q, Q) and np.array_equal(v, V)
    assert np.array_equal(records[0][-1], Q) and np.array_equal(records[1][-1], V)
