# SPDX-License-Identifier: Apache-2.0
"""Parameters from a log: what the data sheet says is not what the arm weighs.

A motion that shows the parameters, a log of it, the parameters that explain the log, and how well
they predict another motion. The robot is simulated here: its links are up to 30 % off the model.
"""

import numpy as np

import appell

model = appell.load("puma600")

# The robot: other masses than the model believes, which is what identification is for.
robot = appell.load("puma600")
random = np.random.default_rng(3)
for link in ("link2", "link3", "link4", "link5", "link6"):
    body = next(b for b in model.robot.bodies() if b["name"] == link)
    robot.set_inertia(link, body["mass"] * random.uniform(0.7, 1.3), body["com"],
                      [x * random.uniform(0.9, 1.1) if k in (0, 3, 5) else x
                       for k, x in enumerate(body["inertia"])])

# A motion that shows what can be known.
motion = appell.excite(model, evaluations=500, rate=200)
print(f"excitation: {len(motion.t)} samples, condition {motion.condition:.1f}")

# The log: positions and torques with noise; velocities and accelerations are not measured.
tau = robot.inverse_dynamics(motion.q, motion.v, motion.a)
noise = 0.02 * np.abs(tau).mean(axis=0)
fit = appell.identify(model, t=motion.t, q=motion.q + random.normal(0, 1e-5, motion.q.shape),
                      tau=tau + random.normal(0, 1, tau.shape) * noise)
print(fit)
for text, value, deviation in list(zip(fit.base.texts, fit.value, fit.deviation))[:4]:
    print(f"  {value:10.4f} +- {deviation:.4f}   {text}")

# Another motion, which the fit has not seen.
check = appell.excite(model, evaluations=200, seed=7, rate=50)
state = (check.q, check.v, check.a)
truth = robot.inverse_dynamics(*state)
assert fit.model is not None, "the parameters are those of no body"


def error(m: appell.Model) -> float:
    return float(np.sqrt(np.mean((m.inverse_dynamics(*state) - truth) ** 2) / np.mean(truth**2)))


print(f"prediction of another motion: data sheet {100 * error(model):.1f} % wrong, "
      f"identified {100 * error(fit.model):.2f} %")
assert error(fit.model) < 0.2 * error(model)
