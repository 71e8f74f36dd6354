// SPDX-License-Identifier: Apache-2.0
// Runs of scenarios, and simulations that go on from frame to frame.

import { AppellError, Owned } from "./module.js";

const ROWS = 256; // between two looks at the progress

/** A run that is over: columns by name, events. */
export class Run {
  constructor(about, rows, events) {
    const { columns, eventColumns } = about;
    this.kind = about.kind;
    this.columns = columns.map(({ name }) => name);
    this.units = Object.fromEntries(columns.map(({ name, unit }) => [name, unit ?? ""]));
    this.warnings = about.warnings;
    this.rows = rows;
    this.length = rows.length / columns.length;
    this.events = events.map(({ numbers, ...event }) => ({
      ...event,
      numbers: Object.fromEntries(numbers.map((number, i) => [eventColumns[i].name, number])),
    }));
  }

  column(name) {
    const k = this.columns.indexOf(name);
    if (k < 0) throw new AppellError(`the run has no column "${name}"`, { status: "not-found" });
    const n = this.columns.length;
    return Float64Array.from({ length: this.length }, (_, i) => this.rows[i * n + k]);
  }
}

/** Run a scenario to its end. */
export function runScenario(instance, text, { file = null, files = {}, end, step, onProgress } = {}) {
  const name = "scenario.yaml", folder = instance.addFiles({ ...files, [name]: text });
  let handle = 0;
  try {
    handle = instance.withTexts([`/${folder}/${name}`], (path) =>
      instance.open("js_run_open", file, path, end ?? NaN, step ?? NaN));
    instance.check("js_run_describe", handle);
    const about = instance.json();
    while (!instance.call("js_run_ended", handle)) {
      instance.check("js_run_go_on", handle, onProgress ? ROWS : 1 << 30);
      const rows = instance.call("js_run_rows", handle);
      if (onProgress?.(Math.min(1, (rows * about.step) / (about.end - about.start))) === false) break;
    }
    const rows = instance.doubles(instance.call("js_run_numbers", handle),
      instance.call("js_run_rows", handle) * about.columns.length).slice();
    instance.check("js_run_events", handle);
    return new Run(about, rows, instance.json());
  } finally {
    instance.removeFiles(folder);
    if (handle && !instance.broken) instance.call("js_run_close", handle);
  }
}

// ---- simulations -------------------------------------------------------------------------------

/** The scenario of a robot that stands alone, of the options of simulation(). */
export function scenarioOf(robot, file, options) {
  const { q, v, time = 0, walls, contacts, integrator, gravity, limits, jointFriction, joints, branch, ...unknown } = options;
  const odd = Object.keys(unknown)[0];
  if (odd) throw new AppellError(`unknown option "${odd}" of simulation()`);
  const start = {};
  const put = (name, qs, vs) => (start[name] = { q: qs.length === 1 ? qs[0] : qs, v: vs.length === 1 ? vs[0] : vs });
  const part = (vector, n, first, count) => {
    const numbers = vector === undefined ? new Float64Array(n) : robot._numbers("a vector of the start", vector, n);
    return [...numbers.subarray(first, first + count)];
  };
  if (robot.closed && (q || v))
    robot.coordinates.forEach((name, i) => put(name, part(q, robot.n, i, 1), part(v, robot.n, i, 1)));
  if (!robot.closed && (q || v))
    for (const joint of robot.joints)
      put(joint.name, part(q ?? robot.neutral(), robot.nq, joint.q, joint.nq), part(v, robot.nv, joint.v, joint.nv));
  const keys = { walls, contacts, integrator, gravity: gravity && [...gravity], limits, joint_friction: jointFriction, joints,
    branch, start_time: time, start: Object.keys(start).length ? start : undefined };
  let scenario = `appell-scenario: 1\nrobot: ${file}\nduration: 1\n`;
  for (const [key, value] of Object.entries(keys))
    if (value !== undefined) scenario += `${key}: ${JSON.stringify(value)}\n`;
  return { scenario: scenario + "...\n" };
}

/** A simulation that goes on when it is told to, and is pushed and driven in between. */
export class Simulation extends Owned {
  static open(instance, text, { file = null, files = {} } = {}) {
    const name = "scenario.yaml", folder = instance.addFiles({ ...files, [name]: text });
    try {
      const handle = instance.withTexts([`/${folder}/${name}`], (path) => instance.open("js_sim_open", file, path));
      return new Simulation(instance, handle);
    } finally {
      instance.removeFiles(folder);
    }
  }

  constructor(instance, handle) {
    super(instance, "js_sim_close", handle);
    this.nq = instance.call("js_sim_nq", handle);
    this.nv = instance.call("js_sim_nv", handle);
    this.n = instance.call("js_sim_n", handle);
    this._pulls = new Map();
    this._read();
  }

  _read() {
    const { _instance: instance, nq, nv, n } = this, size = 10 + nq + 3 * nv + 2 * n;
    const at = instance.alloc(8 * size);
    try {
      instance.check("js_sim_state", this._alive, at);
      const numbers = instance.doubles(at, size).slice();
      [this.time, this.kinetic, this.potential, this.elastic, this.work, this.dissipated, this.lost, this.balance,
        this.contacts, this.closure] = numbers;
      let from = 10;
      const next = (count) => numbers.subarray(from, (from += count));
      [this.q, this.v, this.a, this.tau] = [next(nq), next(nv), next(nv), next(nv)];
      [this.coordinates, this.rates] = [next(n), next(n)];
    } finally {
      if (!instance.broken) instance.call("js_free", at);
    }
  }

  /** Go on by so many seconds; returns what happened. */
  advance(seconds) {
    if (!(seconds > 0) || !Number.isFinite(seconds)) throw new AppellError(`${seconds} s (expected a time above zero)`);
    this._instance.check("js_sim_advance", this._alive, this.time + seconds);
    const events = this._instance.json();
    this._read();
    return events;
  }

  /** Start again from a state. */
  start(q, v, time = this.time) {
    const { _instance: instance, nq, nv } = this;
    if (q?.length !== nq || v?.length !== nv) throw new AppellError(`q and v have ${nq} and ${nv} numbers`);
    const at = instance.alloc(8 * (nq + nv) + 8);
    try {
      instance.doubles(at, nq).set(q);
      instance.doubles(at + 8 * nq, nv).set(v);
      instance.check("js_sim_start", this._alive, time, at, at + 8 * nq);
    } finally {
      if (!instance.broken) instance.call("js_free", at);
    }
    this._read();
  }

  /** Joint forces from now on. */
  drive(tau) {
    if (tau?.length !== this.nv || !Array.prototype.every.call(tau, Number.isFinite))
      throw new AppellError(`tau has ${this.nv} finite numbers`);
    this._instance.doubles(this._instance.call("js_sim_tau", this._alive), this.nv).set(tau);
  }

  /** A force on a point of a link from now on; null: none any longer. */
  push(link, force, at = [0, 0, 0]) {
    this._pull("push " + link, link, force && { at, force });
  }

  /** Pull a point of a link towards a place of the world; null: no longer. */
  pull(link, target, { at = [0, 0, 0], stiffness = 100, damping = 10 } = {}) {
    this._pull("pull " + link, link, target && { at, target, stiffness, damping });
  }

  _pull(key, link, how) {
    const { _instance: instance } = this;
    const body = instance.withTexts([link], (name) => instance.call("js_sim_find_body", this._alive, name));
    if (body <= 0) throw new AppellError(`no link "${link}" that could be pushed`, { status: "not-found" });
    let slot = this._pulls.get(key);
    if (slot === undefined) for (slot = 0; [...this._pulls.values()].includes(slot); ) slot++;
    const { at = [0, 0, 0], force = [0, 0, 0], target = [0, 0, 0], stiffness = 0, damping = 0 } = how ?? {};
    const numbers = [...at, ...force, ...target, stiffness, damping];
    if (numbers.length !== 11) throw new AppellError("a point, a force and a place have three numbers each");
    const room = instance.alloc(88);
    try {
      instance.doubles(room, 11).set(numbers);
      instance.check("js_sim_pull", this._alive, slot, how ? body : 0, room);
    } finally {
      if (!instance.broken) instance.call("js_free", room);
    }
    if (how) this._pulls.set(key, slot);
    else this._pulls.delete(key);
  }

  /** What is to be said of the run, "" if nothing. */
  get remark() {
    return this._instance.string(this._instance.call("js_sim_remark", this._alive));
  }
}
