// SPDX-License-Identifier: Apache-2.0
// Compiled, never run: the types of the JavaScript package fit how it is used.
import { AppellError, lint, load, loadAny, simulate } from "appell";

export async function use(text: string): Promise<number> {
  const arm = await load(text, { format: "urdf", lock: { finger: 0.02 }, file: "arm.urdf" });
  const tau: Float64Array = arm.inverseDynamics([0, 0], arm.neutral(), new Float64Array(2), { wrenches: [{ frame: "tool" }] });
  const { R, p } = arm.poses(arm.neutral());
  const ik = arm.inverseKinematics("tool", [0, 0, 1], { R });
  arm.gravityVector = [0, 0, -1.6];
  const any = await loadAny(new Uint8Array(3));
  const first: number = any.closed ? any.configuration([0])[0] : any.jacobian([0], 1, { reference: "mixed" })[0];
  const findings = await lint(text, { quick: true });
  const run = await simulate(text, { files: { "arm.urdf": text }, onProgress: (part) => part < 0.5 });
  const simulation = arm.simulation({ q: [0, 0], walls: [{ kind: "plane" }] });
  simulation.push("tool", null);
  const failure = new AppellError("x");
  // @ts-expect-error: there is no such format
  arm.text("stl");
  // @ts-expect-error: the result of inverse kinematics is an object
  const wrong: Float64Array = ik;
  return tau[0] + p[0] + first + findings[0].line + run.column("t")[0] + failure.line + wrong.length;
}
