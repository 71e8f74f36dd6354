# SPDX-License-Identifier: Apache-2.0
import os
import pathlib

import numpy as np

TREE = pathlib.Path(__file__).resolve().parents[3]
MODELS = TREE / "models"
EFFORT = int(os.environ.get("APPELL_TEST_EFFORT", "3"))  # as in the tests in C
COMMAND = os.environ.get("APPELL", str(TREE / "build" / "appell"))


def random_states(model, n, seed=1):
    """n states (q, v, a) within the limits, the same ones every time."""
    random = np.random.default_rng(seed)
    q = random.uniform(-1.5, 1.5, (n, model.nq))
    for joint in model.joints.values():
        if isinstance(joint.q, int):
            lower, upper = max(joint.lower, -3.0), min(joint.upper, 3.0)
            q[:, joint.q] = random.uniform(lower, upper, n)
    return model.normalize(q), *random.uniform(-2, 2, (2, n, model.nv))


def examples(count):
    """Settings of a test with hypothesis: so many examples, the same ones every time; fewer with less effort."""
    import hypothesis

    return hypothesis.settings(max_examples=max(count * EFFORT // 3, 1), deadline=None, derandomize=True,
                               suppress_health_check=list(hypothesis.HealthCheck))
