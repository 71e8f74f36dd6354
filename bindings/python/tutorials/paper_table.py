# SPDX-License-Identifier: Apache-2.0
"""A paper's table in ten lines: operations of inverse dynamics, Mata et al. (2002), Table 1.

The paper counts multiplications and additions of four formulations for a robot of n revolute joints
whose geometry has no zeros. Here the formulations themselves are run on such a robot, in an
arithmetic that counts. Where the numbers differ, the method as published leaves room: docs/reproduce.md.
"""

import appell
from appell import research

printed = {"newton-euler": (852, 738), "kane": (521, 435), "newton-euler-tensor": (489, 420),
           "gibbs-tensor": (475, 404)}

links = [appell.Body(f"link{i}", f"link{i - 1}" if i > 1 else None, "revolute", place="dh-modified",
                     alpha=0.3 * i + 0.2, a=0.1 * i, d=0.2 + 0.05 * i, mass=1.0 + i,
                     com=(0.1, 0.02 * i, 0.3), inertia=(0.5, 0.01, 0.02, 0.6, 0.03, 0.7))
         for i in range(1, 7)]
robot = appell.build(links)

print(f"{'n = 6':22}{'multiplications':>26}{'additions':>20}")
for method, (mul, add) in printed.items():
    ours = research.count(robot, "inverse", method)
    print(f"{method:22}{ours.mul:12} (printed {mul}){ours.add:10} (printed {add})")
