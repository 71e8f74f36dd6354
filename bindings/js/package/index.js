// SPDX-License-Identifier: Apache-2.0
// Appell: the dynamics of robots, in WebAssembly. docs/js.md is the manual, index.d.ts has the types.

import { AppellError, init, ready } from "./module.js";
import { Mechanism, Model, lintWith, openRobot, placeText, weighWith } from "./robot.js";
import { Run, Simulation, runScenario } from "./run.js";

export { AppellError, Mechanism, Model, Run, Simulation, init };

async function builtinsOf(instance) {
  instance.check("js_builtins");
  return instance.json();
}

/** Built-in robots and mechanisms, with a line about each. */
export async function builtins() {
  return builtinsOf(await ready());
}

/** The version of the library. */
export async function version() {
  const instance = await ready();
  return instance.string(instance.call("js_version"));
}

/** Load a robot, with closed chains or without. */
export async function loadAny(text, options = {}) {
  const instance = await ready();
  const builtin = typeof text === "string" && /^[\w-]+$/.test(text) && text in (await builtinsOf(instance));
  if (typeof text === "string" && !builtin && /^[\w-]+$/.test(text))
    throw new AppellError(`"${text}" is no built-in robot, and no robot file: ${Object.keys(await builtinsOf(instance)).join(", ")}`,
      { status: "not-found" });
  const placed = builtin ? { folder: null, path: text, file: null } : placeText(instance, text, options);
  try {
    const handle = openRobot(instance, placed.path, builtin, placed.file, options);
    const Kind = instance.call("js_is_closed", handle) ? Mechanism : Model;
    return new Kind(instance, handle, placed.folder, placed.file);
  } catch (error) {
    if (placed.folder) instance.removeFiles(placed.folder);
    throw error;
  }
}

/** Load a robot without closed chains. */
export async function load(text, options = {}) {
  const robot = await loadAny(text, options);
  if (!robot.closed) return robot;
  const { name } = robot;
  robot.free();
  throw new AppellError(`${name} has closed chains: loadMechanism() loads it, ignoreLoops opens them`, { status: "unsupported",
    file: options.file ?? null });
}

/** Load a robot with closed chains. */
export async function loadMechanism(text, options = {}) {
  const robot = await loadAny(text, options);
  if (robot.closed) return robot;
  const { name } = robot;
  robot.free();
  throw new AppellError(`${name} has no closed chains: load() loads it`, { status: "model", file: options.file ?? null });
}

/** Examine a robot file. */
export async function lint(text, { disable = [], quick = false, ...options } = {}) {
  const instance = await ready();
  const { folder, path } = placeText(instance, text, options);
  try {
    return lintWith(instance, path, 0, disable, quick);
  } finally {
    instance.removeFiles(folder);
  }
}

/** Inertias from the shapes of a URDF file, for links whose own are missing or suspicious. */
export async function weigh(text, options = {}) {
  const instance = await ready();
  const { folder, path } = placeText(instance, text, options);
  try {
    return weighWith(instance, path);
  } finally {
    instance.removeFiles(folder);
  }
}

/** Run a scenario, or a controller on a simulated robot, to its end. */
export async function simulate(scenario, options = {}) {
  return runScenario(await ready(), scenario, options);
}

/** A scenario to step through. */
export async function openSimulation(scenario, options = {}) {
  return Simulation.open(await ready(), scenario, options);
}
