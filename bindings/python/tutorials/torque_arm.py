# SPDX-License-Identifier: Apache-2.0
"""Gravity and friction compensation of a low-cost torque arm.

An arm of hobby servos in torque mode sinks under its own weight, and sticks where a person leads it
by hand. Both are cured by feed-forward: the torque that its model needs, and most of its friction.
The robot here is simulated; on a real one Plant.step() sends tau to the servos and reads q and v.
"""

import numpy as np
import numpy.typing as npt

import appell

Vector = npt.NDArray[np.float64]
PERIOD = 1e-3


def link(name: str, parent: str | None, length: float, axis: tuple[float, float, float],
         height: float) -> appell.Body:
    """A printed link with a servo of 60 g in it, and the friction that such gears have."""
    return appell.Body(name, parent, "revolute", xyz=(0, 0, height), axis=axis, mass=0.18,
                       com=(0, 0, length / 2), inertia=(5e-4, 0, 0, 5e-4, 0, 1e-4), viscous=0.02,
                       coulomb=0.08, rotor_inertia=1e-7, gear_ratio=250)


arm = appell.build([
    link("turret", None, 0.05, (0, 0, 1), 0.06),
    link("upper", "turret", 0.16, (0, 1, 0), 0.05),
    link("forearm", "upper", 0.15, (0, 1, 0), 0.16),
    link("hand", "forearm", 0.06, (0, 1, 0), 0.15),
], name="torque arm")


class Plant:
    """The robot, simulated with its friction: a smooth sign, and steps small enough for it."""

    def __init__(self, q: Vector) -> None:
        self.q, self.v = q.copy(), np.zeros_like(q)
        self.viscous = np.array([j.viscous for j in arm.joints.values()])
        self.coulomb = np.array([j.coulomb for j in arm.joints.values()])
        self.rotor = np.array([j.gear_ratio**2 * j.rotor_inertia for j in arm.joints.values()])

    def step(self, tau: Vector, push: Vector) -> None:
        for _ in range(10):
            rub = self.viscous * self.v + self.coulomb * np.tanh(self.v / 0.01)
            inertia = arm.inertia(self.q) + np.diag(self.rotor)
            a = np.linalg.solve(inertia, tau + push - rub - arm.bias(self.q, self.v))
            self.v += PERIOD / 10 * a
            self.q += PERIOD / 10 * self.v


def float_for(seconds: float, feed: appell.FeedForward | None, push: Vector) -> tuple[Vector, Vector]:
    """Let go of the arm, push it during the second half, and see where it ends and what was felt."""
    plant = Plant(np.array([0.0, 0.6, 0.5, 0.3]))
    felt = np.zeros(arm.nv)
    steps = round(seconds / PERIOD)
    for k in range(steps):
        tau = feed.torque(plant.q, plant.v) if feed else np.zeros(arm.nv)
        plant.step(tau, push if k > steps / 2 else np.zeros(arm.nv))
        if feed:
            felt = feed.observe(plant.q, plant.v, tau)
    return plant.q, felt


nothing = np.zeros(arm.nv)
start = np.array([0.0, 0.6, 0.5, 0.3])

# 1. Without torques the arm falls.
fallen, _ = float_for(0.5, None, nothing)
print(f"no torque:           moved by {np.abs(fallen - start).max():.3f} rad in 0.5 s")

# 2. Gravity compensated, it stays where it is left.
gravity_only = appell.FeedForward(arm, friction=False, period=PERIOD)
floating, _ = float_for(0.5, gravity_only, nothing)
print(f"gravity compensated: moved by {np.abs(floating - start).max():.3f} rad in 0.5 s")

# 3. But it is stiff: 0.05 N m at the shoulder do not overcome friction of 0.08 N m.
push = np.array([0, 0.05, 0, 0])
stuck, _ = float_for(0.5, gravity_only, push)

# 4. With 80 % of its friction compensated it follows the hand, and the observer feels the push.
lighter = {name: (0.8 * j.viscous, 0.8 * j.coulomb) for name, j in arm.joints.items()}
light = appell.FeedForward(arm, friction=lighter, period=PERIOD)
led, felt = float_for(0.5, light, push)
print(f"pushed by 0.05 N m:  moved by {abs(stuck[1] - start[1]):.3f} rad without, "
      f"{abs(led[1] - start[1]):.3f} rad with friction compensated")
print(f"observed at the shoulder: {felt[1]:.3f} N m (the rest is held by the remaining friction)")

assert np.abs(fallen - start).max() > 0.3
assert np.abs(floating - start).max() < 0.02
assert abs(led[1] - start[1]) > 3 * abs(stuck[1] - start[1])
