# SPDX-License-Identifier: Apache-2.0
"""fmpy_run.py FMU STOP STEPS: the FMU run by FMPy in the kinds it has; the last line of each, names first.

FMPy's own integrator for model exchange is a compiled CVODE; here it is a step of Runge and Kutta's
in the place of its Euler step, so that FMPy's Python is all that is needed.
"""

import sys

import numpy as np
from fmpy import read_model_description, simulate_fmu, simulation
from fmpy.validation import validate_fmu


class RungeKutta(simulation.ForwardEuler):
    def step(self, t, tNext):
        h, k = tNext - t, []
        self.get_x(self._px, self.x.size)
        start = self.x.copy()
        for part in (0, 0.5, 0.5, 1):
            self.x[:] = start + (h * part * k[-1] if k else 0)
            self.set_x(self._px, self.x.size)
            self.get_dx(self._pdx, self.dx.size)
            k.append(self.dx.copy())
        self.x[:] = start + h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])
        self.set_x(self._px, self.x.size)
        return False, np.zeros(0, dtype=np.int32), tNext


simulation.ForwardEuler = RungeKutta
fmu, stop, steps = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
problems = validate_fmu(fmu)
if problems:
    sys.exit("\n".join(problems))
description = read_model_description(fmu)
names = [v.name for v in description.modelVariables if v.causality == "output"]
print(*names)
for kind, found in (("CoSimulation", description.coSimulation), ("ModelExchange", description.modelExchange)):
    if not found:
        continue
    step = stop / steps if kind == "ModelExchange" else None
    run = simulate_fmu(
        fmu, fmi_type=kind, stop_time=stop, output_interval=stop / steps, output=names,
        relative_tolerance=1e-11, solver="Euler", step_size=step,
    )
    print(*(repr(float(run[name][-1])) for name in names))
