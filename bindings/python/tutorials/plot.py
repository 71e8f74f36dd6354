# SPDX-License-Identifier: Apache-2.0
"""A first plot: torques against gravity of an arm along a line in its joints."""

import pathlib

import numpy as np

import appell

arm = appell.load("puma600")
angle = np.linspace(-1.5, 1.5, 200)
q = np.zeros((200, arm.nq))
q[:, arm.joints["joint2"].q] = angle
tau = arm.gravity(q)
print(f"shoulder: {tau[:, 1].min():.1f} to {tau[:, 1].max():.1f} N m")

try:
    import matplotlib  # type: ignore[import]

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt  # type: ignore[import]
except ImportError:
    print("no plot: Matplotlib is missing (apt-get install python3-matplotlib)")
else:
    plt.plot(angle, tau[:, 1:3], label=["shoulder", "elbow"])
    plt.xlabel("shoulder, rad")
    plt.ylabel("torque against gravity, N m")
    plt.legend()
    plt.savefig("gravity.png")
    print(f"plot: {pathlib.Path('gravity.png').resolve()}")
