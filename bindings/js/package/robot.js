// SPDX-License-Identifier: Apache-2.0
// Robots: trees and mechanisms, computed with.

import { AppellError, Owned, bytesOf, withoutFolder } from "./module.js";
import { Simulation, scenarioOf } from "./run.js";

const REFERENCES = { local: 0, world: 1, mixed: 2 };
const FLAGS = { floating: 1, ignoreMimic: 2, ignoreLoops: 4 };
const ENDINGS = { urdf: ".urdf", mjcf: ".xml", yaml: ".yaml" };
const SCRATCH = 512; // doubles that a robot keeps for arguments and results, as in js.h

// ---- texts -------------------------------------------------------------------------------------

function formatOf(text, format) {
  if (format !== undefined) {
    if (!(format in ENDINGS)) throw new AppellError(`unknown format "${format}" (expected urdf, mjcf or yaml)`);
    return ENDINGS[format];
  }
  const start = new TextDecoder().decode(text.subarray(0, 4096));
  return /^[\s\ufeff]*</.test(start) ? ".xml" : ".yaml";
}

/** Put a robot's text and the files that it names into the module: folder, path, and name for messages. */
export function placeText(instance, text, { format, file, files = {} } = {}) {
  const named = file?.match(/\.(urdf|xml|mjcf|yaml|yml)$/i);
  const bytes = bytesOf(text);
  const name = format === undefined && named ? file.split("/").pop() : "robot" + formatOf(bytes, format);
  const folder = instance.addFiles({ ...files, [name]: bytes });
  return { folder, path: `/${folder}/${name}`, file: file ?? null };
}

function locksOf(lock) {
  if (lock === undefined || lock === null) return [];
  if (typeof lock === "string") return [[lock, []]];
  if (Array.isArray(lock)) return lock.map((name) => [name, []]);
  return Object.entries(lock).map(([name, at]) => [name, typeof at === "number" ? [at] : [...at]]);
}

/** Read a robot, or take a built-in one: its handle. */
export function openRobot(instance, path, builtin, file, options = {}) {
  const locks = locksOf(options.lock);
  let flags = 0;
  for (const [name, bit] of Object.entries(FLAGS)) if (options[name]) flags |= bit;
  for (const [name, at] of locks)
    if (at.length > 7) throw new AppellError(`lock: ${name} has ${at.length} values (a joint has 7 at most)`);
  return instance.withTexts([path, options.root, options.tip, ...locks.map(([name]) => name)], (where, root, tip, ...names) => {
    // ap_reduction_def, then the array of ap_lock
    const at = instance.alloc(16 + 64 * locks.length);
    try {
      const view = new DataView(instance.memory.buffer);
      [at + 16, locks.length, root, tip].forEach((word, i) => view.setUint32(at + 4 * i, word, true));
      locks.forEach(([, values], k) => {
        const lock = at + 16 + 64 * k;
        view.setUint32(lock, names[k], true);
        view.setInt32(lock + 4, values.length, true);
        values.forEach((value, i) => view.setFloat64(lock + 8 + 8 * i, value, true));
      });
      return instance.open("js_open", file, where, builtin ? 1 : 0, flags, at);
    } finally {
      if (!instance.broken) instance.call("js_free", at);
    }
  });
}

// ---- what trees and mechanisms share -----------------------------------------------------------

class Robot extends Owned {
  constructor(instance, handle, folder, file) {
    super(instance, "js_close", handle, folder);
    this.file = file;
    this.nq = instance.call("js_nq", handle);
    this.nv = instance.call("js_nv", handle);
    this.nframe = instance.call("js_nframe", handle);
    this.nbody = instance.call("js_nbody", handle);
    this._friction = false;
    this._gravity = Float64Array.from(instance.doubles(instance.call("js_gravity", handle), 3));
    this._changed = false;
    this._sizes = new Map();
    this._scratch = instance.call("js_scratch", handle);
    instance.check("js_info", handle);
    this._info = instance.json();
    instance.check("js_frames", handle);
    this.frames = instance.json();
    this.name = this._info.name;
    this.joints = this._info.joints;
    this.warnings = this._info.warnings.map(({ line = 0, text }) => ({ line, text }));
  }

  info() {
    return structuredClone(this._info);
  }

  shapes() {
    this._instance.check("js_shapes", this._alive);
    return this._instance.json();
  }

  /** The robot as the page of a report draws it: bodies with joints, places and shapes. */
  drawing() {
    this._instance.check("js_drawing", this._alive);
    return this._instance.json();
  }

  /** Every link: mass, centre of mass and inertia in its own frame, and the number of the link that moves it. */
  links() {
    this._instance.check("js_links", this._alive);
    return this._instance.json().map(({ name, mover, own }) => ({ name, mover, ...own }));
  }

  // -- settings

  get friction() {
    return this._friction;
  }
  set friction(on) {
    this._friction = Boolean(on);
    this._instance.call("js_set_friction", this._alive, this._friction ? 1 : 0);
  }

  get gravityVector() {
    return Float64Array.from(this._gravity);
  }
  set gravityVector(value) {
    const numbers = this._numbers("gravity", value, 3);
    this._withNumbers(numbers, (at) => this._instance.call("js_set_gravity", this._alive, at));
    this._gravity = numbers;
    this._changed = true;
  }

  setPayload(link, mass, com = [0, 0, 0], inertia = [0, 0, 0, 0, 0, 0]) {
    this._setMass("js_set_payload", link, mass, com, inertia);
  }
  setInertia(link, mass, com = [0, 0, 0], inertia = [0, 0, 0, 0, 0, 0]) {
    this._setMass("js_set_inertia", link, mass, com, inertia);
  }
  resetInertia() {
    this._instance.call("js_reset_inertia", this._alive);
    this._changed = false;
  }

  _setMass(name, link, mass, com, inertia) {
    const body = this._frame(link);
    const numbers = [...this._numbers("mass", [mass], 1), ...this._numbers("com", com, 3),
      ...this._numbers("inertia", inertia, 6)];
    this._withNumbers(numbers, (at) => this._instance.check(name, this._alive, body, at));
    this._changed = true;
  }

  // -- other forms

  _unchanged(what) {
    if (this._changed)
      throw new AppellError(`${this.name} has a payload, other inertias or another gravity, which are no part of its ` +
        `definition: it cannot be ${what} with them`, { status: "unsupported" });
  }

  convert(format = "yaml") {
    this._unchanged("written");
    if (!(format in ENDINGS)) throw new AppellError(`unknown format "${format}" (expected urdf, mjcf or yaml)`);
    const { _instance: instance } = this;
    return instance.withTexts([format, "/robot" + ENDINGS[format]], (name, path) => {
      instance.check("js_convert", this._alive, name, path);
      return instance.json();
    });
  }

  text(format = "yaml") {
    return this.convert(format).text;
  }

  lint({ disable = [], quick = false } = {}) {
    return lintWith(this._instance, null, this._alive, disable, quick);
  }

  simulation(options = {}) {
    const file = "robot.yaml", { scenario } = scenarioOf(this, file, options);
    return Simulation.open(this._instance, scenario, { files: { [file]: this.text("yaml") } });
  }

  // -- numbers

  /** Zeros in the module's memory, which methods take and fill without a copy. */
  buffer(length) {
    const at = this._instance.alloc(8 * length);
    const numbers = this._instance.doubles(at, length).fill(0);
    buffers.register(numbers, { instance: this._instance, at });
    return numbers;
  }

  _frame(frame) {
    if (typeof frame === "number") {
      if (!Number.isInteger(frame) || frame < 0 || frame >= this.nframe)
        throw new AppellError(`${frame} is no frame (expected 0 to ${this.nframe - 1})`, { status: "not-found" });
      return frame;
    }
    const found = this.frames.indexOf(frame);
    if (found < 0) throw new AppellError(`no frame "${frame}" in ${this.name}`, { status: "not-found" });
    return found;
  }

  _numbers(name, value, n) {
    const numbers = value?.length === undefined ? null : Float64Array.from(value);
    if (!numbers || numbers.length !== n)
      throw new AppellError(`${name} has ${numbers?.length ?? "no"} numbers (expected ${n})`);
    return numbers;
  }

  _withNumbers(numbers, use) {
    const at = this._instance.alloc(8 * numbers.length + 8);
    try {
      this._instance.doubles(at, numbers.length).set(numbers);
      return use(at);
    } finally {
      if (!this._instance.broken) this._instance.call("js_free", at);
    }
  }

  _quantity(name) {
    let found = this._sizes.get(name);
    if (found) return found;
    const { _instance: instance } = this;
    const what = instance.withTexts([name], (at) => instance.call("js_quantity", at));
    const sizes = (first) => {
      const list = [];
      for (let k = first; k < first + 3; k++) {
        const size = instance.call("js_size", this._alive, what, k);
        if (size >= 0) list.push(size);
      }
      return list;
    };
    found = { what, in: sizes(0), out: sizes(3) };
    this._sizes.set(name, found);
    return found;
  }

  /** How many states the inputs are: as many as rows of q. */
  _states(names, inputs, sizes) {
    const n = sizes[0] > 0 ? inputs[0]?.length / sizes[0] : 1;
    inputs.forEach((input, k) => {
      if (input?.length === undefined || !Number.isInteger(n) || n < 1 || input.length !== n * sizes[k])
        throw new AppellError(`${names[k]} has ${input?.length ?? "no"} numbers (expected ${Number.isInteger(n) && n > 1 ? `${n} * ` : ""}` +
          `${sizes[k]})`);
    });
    return n;
  }

  /** Compute: arrays that are in the module's memory are used where they are, others are copied. */
  _compute(quantity, names, inputs, outs, frame = 0, reference = "local") {
    const { what, in: sizesIn, out: sizesOut } = this._quantity(quantity);
    const { _instance: instance } = this, axes = REFERENCES[reference], handle = this._alive;
    if (axes === undefined) throw new AppellError(`unknown reference "${reference}" (expected local, world or mixed)`);
    const n = this._states(names, inputs, sizesIn);
    const total = n * (sizesIn.reduce((a, b) => a + b, 0) + sizesOut.reduce((a, b) => a + b, 0));
    const room = total <= SCRATCH ? this._scratch : instance.alloc(8 * total);
    try {
      let at = room;
      const { buffer } = instance.memory;
      const inside = (array) => array instanceof Float64Array && array.buffer === buffer;
      const pointers = [0, 0, 0, 0, 0, 0];
      inputs.forEach((input, k) => {
        pointers[k] = inside(input) ? input.byteOffset : at;
        if (inside(input)) return;
        new Float64Array(buffer, at, n * sizesIn[k]).set(input);
        at += 8 * n * sizesIn[k];
      });
      const places = sizesOut.map((size, k) => {
        const out = outs[k], length = n * size;
        if (out && (!(out instanceof Float64Array) || out.length !== length))
          throw new AppellError(`out has ${out.length} numbers (expected a Float64Array of ${length})`);
        const place = out && inside(out) ? out.byteOffset : at;
        pointers[3 + k] = place;
        if (place === at) at += 8 * length;
        return place;
      });
      const done = instance.call("js_compute", handle, what, n, ...pointers, frame, axes);
      if (done < n) {
        const why = instance.failure();
        throw new AppellError(`${names.length ? this._why(why, inputs) : why.reason}${n > 1 ? ` (state ${done})` : ""}`, { status: why.status });
      }
      return sizesOut.map((size, k) => {
        if (outs[k] && inside(outs[k])) return outs[k];
        const result = new Float64Array(instance.memory.buffer, places[k], n * size);
        if (!outs[k]) return result.slice();
        outs[k].set(result);
        return outs[k];
      });
    } finally {
      if (room !== this._scratch && !instance.broken) instance.call("js_free", room);
    }
  }

  _why(failure, inputs) {
    if (failure.status !== "argument") return failure.reason;
    return inputs.every((input) => Array.prototype.every.call(input, Number.isFinite))
      ? "a quaternion of q has no length, or a number is too large"
      : "a number is not finite";
  }

  /** Set wrenches for the calls in `use`. */
  _withWrenches(wrenches, use) {
    if (!wrenches || wrenches.length === 0) return use();
    const { _instance: instance } = this, at = instance.alloc(56 * wrenches.length);
    try {
      const view = new DataView(instance.memory.buffer);
      wrenches.forEach(({ frame, force = [0, 0, 0], moment = [0, 0, 0], reference = "local" }, k) => {
        const to = at + 56 * k, axes = REFERENCES[reference];
        if (axes === undefined) throw new AppellError(`unknown reference "${reference}" (expected local, world or mixed)`);
        view.setInt32(to, this._frame(frame), true);
        view.setInt32(to + 4, axes, true);
        [...this._numbers("force", force, 3), ...this._numbers("moment", moment, 3)].forEach((number, i) => {
          if (!Number.isFinite(number)) throw new AppellError("a number of a wrench is not finite");
          view.setFloat64(to + 8 + 8 * i, number, true);
        });
      });
      instance.call("js_set_wrenches", this._alive, at, wrenches.length);
      return use();
    } finally {
      if (!instance.broken) {
        if (this._handle) instance.call("js_set_wrenches", this._handle, 0, 0);
        instance.call("js_free", at);
      }
    }
  }

  _one(quantity, names, inputs, out, frame, reference) {
    return this._compute(quantity, names, inputs, [out], frame, reference)[0];
  }

  _scalar(quantity, names, inputs, out) {
    const numbers = this._one(quantity, names, inputs, out);
    return numbers.length === 1 && !out ? numbers[0] : numbers;
  }
}

const buffers = new FinalizationRegistry(({ instance, at }) => {
  if (!instance.broken) instance.call("js_free", at);
});

// ---- trees -------------------------------------------------------------------------------------

const QVA = ["q", "v", "a"], QVT = ["q", "v", "tau"], QV = ["q", "v"], Q = ["q"];

export class Model extends Robot {
  get closed() {
    return false;
  }

  neutral() {
    return this._withNumbers(new Float64Array(this.nq), (at) => {
      this._instance.call("js_neutral", this._alive, at);
      return this._instance.doubles(at, this.nq).slice();
    });
  }

  inverseDynamics(q, v, a, { wrenches, out } = {}) {
    return this._withWrenches(wrenches, () => this._one("inverse_dynamics", QVA, [q, v, a], out));
  }
  forwardDynamics(q, v, tau, { wrenches, out } = {}) {
    return this._withWrenches(wrenches, () => this._one("forward_dynamics", QVT, [q, v, tau], out));
  }
  bias(q, v, { out } = {}) {
    return this._one("bias", QV, [q, v], out);
  }
  gravity(q, { out } = {}) {
    return this._one("gravity", Q, [q], out);
  }
  inertia(q, { out } = {}) {
    return this._one("inertia", Q, [q], out);
  }
  inertiaInverse(q, { out } = {}) {
    return this._one("inertia_inverse", Q, [q], out);
  }
  coriolis(q, v, { out } = {}) {
    return this._one("coriolis", QV, [q, v], out);
  }
  inverseDynamicsDerivatives(q, v, a, { wrenches } = {}) {
    const [dq, dv, da] = this._withWrenches(wrenches, () =>
      this._compute("inverse_dynamics_derivatives", QVA, [q, v, a], []));
    return { dq, dv, da };
  }
  forwardDynamicsDerivatives(q, v, tau, { wrenches } = {}) {
    const [dq, dv, dtau] = this._withWrenches(wrenches, () =>
      this._compute("forward_dynamics_derivatives", QVT, [q, v, tau], []));
    return { dq, dv, dtau };
  }
  regressor(q, v, a, { out } = {}) {
    return this._one("regressor", QVA, [q, v, a], out);
  }
  kineticEnergy(q, v, { out } = {}) {
    return this._scalar("kinetic_energy", QV, [q, v], out);
  }
  potentialEnergy(q, { out } = {}) {
    return this._scalar("potential_energy", Q, [q], out);
  }
  elasticEnergy(q, { out } = {}) {
    return this._scalar("elastic_energy", Q, [q], out);
  }
  pose(q, frame) {
    const [R, p] = this._compute("pose", Q, [q], [], this._frame(frame));
    return { R, p };
  }
  poses(q, { R: intoR, p: intoP } = {}) {
    const [R, p] = this._compute("poses", Q, [q], [intoR, intoP]);
    return { R, p };
  }
  jacobian(q, frame, { reference, out } = {}) {
    return this._one("jacobian", Q, [q], out, this._frame(frame), reference);
  }
  velocity(q, v, frame, { reference, out } = {}) {
    return this._one("velocity", QV, [q, v], out, this._frame(frame), reference);
  }
  acceleration(q, v, a, frame, { reference, out } = {}) {
    return this._one("acceleration", QVA, [q, v, a], out, this._frame(frame), reference);
  }
  jacobianDotV(q, v, frame, { reference, out } = {}) {
    return this._one("jacobian_dot_v", QV, [q, v], out, this._frame(frame), reference);
  }
  centreOfMass(q, { out } = {}) {
    return this._one("centre_of_mass", Q, [q], out);
  }
  centroidalMomentum(q, v, { out } = {}) {
    return this._one("centroidal_momentum", QV, [q, v], out);
  }
  centroidalMatrix(q, { out } = {}) {
    return this._one("centroidal_matrix", Q, [q], out);
  }
  integrate(q, v, { out } = {}) {
    return this._one("integrate", QV, [q, v], out);
  }
  difference(q0, q1, { out } = {}) {
    return this._one("difference", ["q0", "q1"], [q0, q1], out);
  }
  normalize(q, { out } = {}) {
    return this._one("normalize", Q, [q], out);
  }

  inverseKinematics(frame, p, { R, q0, tolerance = 1e-10, iterations = 200, respectLimits = true } = {}) {
    const { _instance: instance } = this, { nq } = this;
    const start = this._numbers("q0", q0 ?? this._start(), nq);
    const numbers = [...start, ...this._numbers("p", p, 3), ...(R ? this._numbers("R", R, 9) : []), 0, 0, 0];
    return this._withNumbers(numbers, (at) => {
      const place = at + 8 * nq, axes = R ? place + 24 : 0, result = place + 24 + (R ? 72 : 0);
      const status = instance.call("js_inverse_kinematics", this._alive, this._frame(frame), axes, place, tolerance,
        iterations, respectLimits ? 1 : 0, at, result);
      const why = status === 0 ? null : instance.failure();
      if (why && why.status !== "unreachable" && why.status !== "no-convergence") throw why;
      const [count, positionError, orientationError] = instance.doubles(result, 3);
      return { q: instance.doubles(at, nq).slice(), reached: status === 0, iterations: count, positionError,
        orientationError };
    });
  }

  /** neutral(), within the limits. */
  _start() {
    const q = this.neutral();
    for (const joint of this.joints)
      if (joint.nq === 1)
        q[joint.q] = Math.min(Math.max(q[joint.q], joint.lower ?? -Infinity), joint.upper ?? Infinity);
    return q;
  }

  generate({ name, functions, single = false, batch = true, friction = false, cuda = false } = {}) {
    this._unchanged("written as code");
    const flags = (single ? 1 : 0) | (batch ? 0 : 2) | (friction ? 4 : 0) | (cuda ? 8 : 0);
    return this._instance.withTexts([name, functions?.join(" ")], (prefix, list) => {
      this._instance.check("js_generate", this._alive, prefix, list, flags);
      return this._instance.json();
    });
  }
}

// ---- mechanisms --------------------------------------------------------------------------------

export class Mechanism extends Robot {
  constructor(instance, handle, folder, file) {
    super(instance, handle, folder, file);
    this.n = instance.call("js_n", handle);
    this.nact = instance.call("js_nact", handle);
    this.coordinates = this._info.coordinates.map(({ name }) => name);
    this.actuators = this._info.actuators;
    this.branches = this._info.branches;
  }

  get closed() {
    return true;
  }

  begin(branch, q) {
    this._withNumbers(this._numbers("q", q, this.n), (at) =>
      this._instance.withTexts([branch], (name) => this._instance.check("js_begin", this._alive, name, at)));
  }

  inverseDynamics(q, v, a, { wrenches, out } = {}) {
    return this._withWrenches(wrenches, () => this._one("loop_inverse_dynamics", QVA, [q, v, a], out));
  }
  forwardDynamics(q, v, tau, { wrenches, out } = {}) {
    return this._withWrenches(wrenches, () => this._one("loop_forward_dynamics", QVT, [q, v, tau], out));
  }
  forces(q, v, a, { out } = {}) {
    return this._one("loop_forces", QVA, [q, v, a], out);
  }
  inertia(q, { out } = {}) {
    return this._one("loop_inertia", Q, [q], out);
  }
  coriolis(q, v, { out } = {}) {
    return this._one("loop_coriolis", QV, [q, v], out);
  }
  gravity(q, { out } = {}) {
    return this._one("loop_gravity", Q, [q], out);
  }
  kineticEnergy(q, v, { out } = {}) {
    return this._scalar("loop_kinetic_energy", QV, [q, v], out);
  }
  potentialEnergy(q, { out } = {}) {
    return this._scalar("loop_potential_energy", Q, [q], out);
  }
  configuration(q, { out } = {}) {
    return this._one("loop_configuration", Q, [q], out);
  }
  treeVelocity(q, v, { out } = {}) {
    return this._one("loop_tree_velocity", QV, [q, v], out);
  }
  treeAcceleration(q, v, a, { out } = {}) {
    return this._one("loop_tree_acceleration", QVA, [q, v, a], out);
  }
  actuatorMap(q, { out } = {}) {
    return this._one("loop_actuator_map", Q, [q], out);
  }
  distances(q, { out } = {}) {
    return this._one("loop_distances", Q, [q], out);
  }
  /** Of the tree, at its configuration x. */
  treePoses(x) {
    const [R, p] = this._compute("poses", ["x"], [x], []);
    return { R, p };
  }
}

/** Findings on the file at path, or on a robot. */
export function lintWith(instance, path, handle, disable, quick) {
  return instance.withTexts([path, ...disable], (where, ...names) => {
    const at = instance.alloc(4 * names.length + 4);
    try {
      const view = new DataView(instance.memory.buffer);
      names.forEach((name, i) => view.setUint32(at + 4 * i, name, true));
      instance.check("js_lint", where, handle, at, names.length, quick ? 1 : 0);
      return instance.json().map((finding) => ({ joint: null, unit: null, difference: null, largest: null, ...finding,
        what: withoutFolder(finding.what), why: withoutFolder(finding.why) }));
    } finally {
      if (!instance.broken) instance.call("js_free", at);
    }
  });
}

/** What the shapes of a URDF file say of inertias that are missing or suspicious. */
export function weighWith(instance, path) {
  return instance.withTexts([path], (where) => {
    instance.check("js_weigh", where);
    return { text: null, ...instance.json() };
  });
}
