// SPDX-License-Identifier: Apache-2.0
// The robot that the page is about: its state, and everything that is computed of it. Trees and mechanisms with closed
// chains look the same from here: `freedoms` have sliders, `efforts` are what the joints or actuators must give.

import { loadAny } from "../appell/index.js";

const TURNS = new Set(["revolute", "continuous"]);
const PARTS = {
  free: ["x", "y", "z", "roll", "pitch", "yaw"],
  floating: ["x", "y", "z", "roll", "pitch", "yaw"],
  spherical: ["roll", "pitch", "yaw"],
  planar: ["x", "y", "angle"],
};
const isAngle = (part) => ["roll", "pitch", "yaw", "angle"].includes(part);

/** Roll, pitch and yaw of a quaternion x y z w, and the other way round. */
export function anglesOf([x, y, z, w]) {
  const s = Math.min(1, Math.max(-1, 2 * (w * y - z * x)));
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    Math.asin(s),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
}
export function quaternionOf([roll, pitch, yaw]) {
  const [a, b, c] = [roll / 2, pitch / 2, yaw / 2];
  const [sa, ca, sb, cb, sc, cc] = [Math.sin(a), Math.cos(a), Math.sin(b), Math.cos(b), Math.sin(c), Math.cos(c)];
  return [
    sa * cb * cc - ca * sb * sc,
    ca * sb * cc + sa * cb * sc,
    ca * cb * sc - sa * sb * cc,
    ca * cb * cc + sa * sb * sc,
  ];
}

// One row per velocity of a tree.
function freedomsOf(robot) {
  const rows = [];
  for (const joint of robot.joints) {
    const parts = PARTS[joint.type];
    for (let k = 0; k < joint.nv; k++) {
      const part = parts?.[k] ?? null;
      const turns = part ? isAngle(part) : TURNS.has(joint.type);
      rows.push({
        name: part ? `${joint.name} ${part}` : joint.name,
        joint,
        part,
        at: k,
        v: joint.v + k,
        turns,
        unit: turns ? "rad" : "m",
        lower: part ? null : joint.lower,
        upper: part ? null : joint.upper,
        velocity: part ? null : joint.velocity,
      });
    }
  }
  return rows;
}

const effortOf = (name, turns, limit, joint) => ({
  name,
  unit: turns ? "N m" : "N",
  turns,
  limit: limit > 0 ? limit : null,
  joint,
});

export class Subject {
  /** source: { file, bytes or builtin, options, files }. */
  static async open(source) {
    const { file = null, bytes = null, builtin = null, options = {}, files = {} } = source;
    const load = () => loadAny(builtin ?? bytes, { ...options, file: file ?? undefined, files });
    const subject = new Subject();
    subject.source = source;
    subject.robot = await load();
    subject.twin = await load(); // to take apart: nothing but the split of torques computes with it
    subject.begin();
    return subject;
  }

  begin() {
    const { robot } = this;
    this.closed = robot.closed;
    this.info = robot.info();
    this.name = robot.name || this.source.file || this.source.builtin || "robot";
    this.links = robot.links();
    this.fixed = new Map(); // links whose inertia is another one: name to mass properties
    this.payload = { link: null, mass: 0, com: [0, 0, 0] };
    this.friction = false;
    this.falls = false;
    this.yaml = null;
    const byJoint = new Map(robot.joints.map((joint) => [joint.name, joint]));
    if (this.closed) {
      this.freedoms = this.info.coordinates.map((given, i) => {
        const turns =
          !["position", "distance"].includes(given.type) && !(byJoint.get(given.name)?.type === "prismatic");
        return {
          name: given.name,
          joint: null,
          part: null,
          at: i,
          v: i,
          turns,
          unit: turns ? "rad" : "m",
          lower: null,
          upper: null,
        };
      });
      this.efforts = robot.actuators.map((name) => {
        const joint = byJoint.get(name) ?? null;
        return effortOf(name, joint?.type !== "prismatic", joint?.effort, joint);
      });
      this.n = robot.n;
      this.home = Float64Array.from(this.info.start?.closed ? this.info.start.q : new Array(this.n).fill(0));
      this.q = this.home.slice();
      if (this.info.start?.closed === false) throw new Error("its closed chains cannot be assembled");
      robot.begin(robot.branches?.[0] ?? null, this.q);
    } else {
      this.freedoms = freedomsOf(robot);
      this.efforts = this.freedoms.map((row) =>
        effortOf(row.name, row.turns, row.part ? null : row.joint.effort, row.part ? null : row.joint),
      );
      this.n = robot.nv;
      this.home = robot._start();
      this.q = this.home.slice();
    }
    this.v = new Float64Array(this.n);
    this.a = new Float64Array(this.n);
    this.tau = new Float64Array(this.efforts.length);
    this.gravityTau = new Float64Array(this.efforts.length);
    this.R = new Float64Array(9 * robot.nframe);
    this.p = new Float64Array(3 * robot.nframe);
    this.tip = this.endFrame();
  }

  /** Positions, velocities and accelerations of another robot, by the names of joints. */
  takeMotion(other) {
    this.freedoms.forEach((row, i) => {
      const k = other.freedoms.findIndex(({ name }) => name === row.name);
      if (k < 0) return;
      this.setValue(i, other.value(k));
      this.v[i] = other.v[k];
      this.a[i] = other.a[k];
    });
  }

  /** The same, and payload and inertias, of another reading of this robot. */
  takeState(other) {
    this.takeMotion(other);
    const names = new Set(this.links.map(({ name }) => name));
    this.fixed = new Map([...other.fixed].filter(([link]) => names.has(link)));
    if (names.has(other.payload.link)) this.payload = other.payload;
    this.applyMasses();
    this.setFriction(other.friction);
  }

  /** Text of the robot in our own format, for simulations. */
  text() {
    this.yaml ??= this.twinText();
    return this.yaml;
  }

  twinText() {
    this.robot.resetInertia();
    const text = this.robot.text("yaml");
    this.applyMasses();
    return text;
  }

  // -- coordinates

  value(i, q = this.q) {
    const row = this.freedoms[i];
    if (!row.joint) return q[row.at];
    const { q: first } = row.joint;
    if (!row.part) return q[first];
    if (row.joint.type === "planar" || (row.joint.nq === 7 && row.at < 3)) return q[first + row.at];
    const quaternion = row.joint.nq === 7 ? first + 3 : first;
    return anglesOf(q.subarray(quaternion, quaternion + 4))[row.joint.nq === 7 ? row.at - 3 : row.at];
  }

  setValue(i, x) {
    const row = this.freedoms[i];
    if (!Number.isFinite(x)) return;
    if (!row.joint) return void this.goTo(this.q.map((own, k) => (k === i ? x : own)));
    const { q: first, nq, type } = row.joint;
    if (!row.part) this.q[first] = x;
    else if (type === "planar" || (nq === 7 && row.at < 3)) this.q[first + row.at] = x;
    else {
      const at = nq === 7 ? first + 3 : first;
      const angles = anglesOf(this.q.subarray(at, at + 4));
      angles[nq === 7 ? row.at - 3 : row.at] = x;
      this.q.set(quaternionOf(angles), at);
    }
  }

  /** Other coordinates. A closed chain does not reach every place: it stays on the way, and this is false. It goes there
   *  in steps, as closures are solved from the last place. */
  goTo(q) {
    if (!this.closed) {
      this.q = q.slice();
      return true;
    }
    const from = this.q;
    const far = q.reduce((most, x, i) => Math.max(most, Math.abs(x - from[i])), 0);
    const steps = Math.min(50, Math.max(1, Math.ceil(far / 0.02)));
    for (let k = 1; k <= steps; k++)
      if (!this.closeAt(k === steps ? q.slice() : from.map((x, i) => x + ((q[i] - x) * k) / steps))) return false;
    return true;
  }

  closeAt(q) {
    try {
      this.robot.configuration(q);
    } catch (error) {
      if (error.status === "stopped") throw error;
      return false;
    }
    this.q = q;
    return true;
  }

  /** Where a slider goes from and to. */
  range(i) {
    const row = this.freedoms[i];
    if (row.lower !== null && row.upper !== null && row.upper > row.lower) return [row.lower, row.upper];
    const around = this.closed ? this.home[i] : row.part ? 0 : 0;
    const half = row.turns ? Math.PI : (this.size ?? 1);
    return [around - half, around + half];
  }

  /** q + v dt on the manifold of configurations, within limits. */
  move(dv) {
    if (this.closed) return this.closeAt(this.q.map((x, i) => x + dv[i]));
    const q = this.robot.integrate(this.q, dv);
    for (const { joint, part, lower, upper } of this.freedoms)
      if (joint && !part) q[joint.q] = Math.min(Math.max(q[joint.q], lower ?? -Infinity), upper ?? Infinity);
    this.q = q;
    return true;
  }

  // -- what is computed

  configuration(q = this.q) {
    return this.closed ? this.robot.configuration(q) : q;
  }

  /** Poses of all frames at the state: R, p. */
  poses() {
    if (this.closed) {
      const { R, p } = this.robot.treePoses(this.configuration());
      this.R.set(R);
      this.p.set(p);
    } else this.robot.poses(this.q, { R: this.R, p: this.p });
    return this;
  }

  /** Torques at the state: tau of the motion, gravityTau of rest. Nothing drives a robot that falls: what would hold it. */
  compute() {
    const { robot, q, v, a } = this;
    robot.inverseDynamics(q, this.zeros(), this.zeros(), { out: this.gravityTau });
    if (this.falls) this.tau.set(this.gravityTau);
    else robot.inverseDynamics(q, v, a, { out: this.tau });
    return this;
  }

  /** The effort with the largest share of its limit, or the largest. */
  computeHeaviest() {
    this.poses().compute();
    let best = -1;
    let most = -1;
    this.efforts.forEach(({ limit, joint }, i) => {
      const share = Math.abs(this.tau[i]) / (limit ?? 1e3);
      if (joint && share > most) [best, most] = [i, share];
    });
    return best;
  }

  zeros() {
    if (this._zeros?.length !== this.n) this._zeros = new Float64Array(this.n);
    return this._zeros;
  }

  inertia() {
    return this.robot.inertia(this.q);
  }

  centreOfMass() {
    if (!this.closed) return this.robot.centreOfMass(this.q);
    const { frames } = this.robot;
    const sum = [0, 0, 0];
    let whole = 0;
    const add = (name, mass, com) => {
      const body = frames.indexOf(name);
      if (body < 0 || !(mass > 0)) return;
      whole += mass;
      for (let i = 0; i < 3; i++) {
        sum[i] += mass * this.p[3 * body + i];
        for (let k = 0; k < 3; k++) sum[i] += mass * this.R[9 * body + 3 * i + k] * com[k];
      }
    };
    for (const link of this.links) add(link.name, this.massOf(link).mass, this.massOf(link).com);
    add(this.payload.link, this.payload.mass, this.payload.com);
    return whole > 0 ? sum.map((x) => x / whole) : null;
  }

  /** Jacobian of a point of a link (world coordinates), 3 * n, row-major. */
  pointJacobian(body, point) {
    if (this.closed) return this.differences(body, point);
    const J = this.robot.jacobian(this.q, body, { reference: "mixed" });
    const { n } = this,
      out = new Float64Array(3 * n);
    const r = [0, 1, 2].map((k) => point[k] - this.p[3 * body + k]);
    for (let j = 0; j < n; j++) {
      const w = [J[3 * n + j], J[4 * n + j], J[5 * n + j]];
      out[j] = J[j] + w[1] * r[2] - w[2] * r[1];
      out[n + j] = J[n + j] + w[2] * r[0] - w[0] * r[2];
      out[2 * n + j] = J[2 * n + j] + w[0] * r[1] - w[1] * r[0];
    }
    return out;
  }

  // Of closed chains, by differences of their poses.
  differences(body, point) {
    const { n } = this,
      h = 1e-6,
      out = new Float64Array(3 * n);
    const R = this.R.slice(9 * body, 9 * body + 9),
      p = this.p.slice(3 * body, 3 * body + 3);
    const local = [0, 1, 2].map((i) => [0, 1, 2].reduce((sum, k) => sum + R[3 * k + i] * (point[k] - p[k]), 0));
    for (let j = 0; j < n; j++) {
      const q = this.q.slice();
      q[j] += h;
      let poses;
      try {
        poses = this.robot.treePoses(this.robot.configuration(q));
      } catch (error) {
        if (error.status === "stopped") throw error;
        continue;
      }
      for (let i = 0; i < 3; i++) {
        let x = poses.p[3 * body + i];
        for (let k = 0; k < 3; k++) x += poses.R[9 * body + 3 * i + k] * local[k];
        out[i * n + j] = (x - point[i]) / h;
      }
    }
    this.robot.configuration(this.q);
    return out;
  }

  /** The last link of the longest chain: what manipulability is of, unless another is chosen. */
  endFrame() {
    const { bodies } = this.robot.drawing().model;
    const depth = bodies.map(() => 0);
    let best = bodies.length;
    bodies.forEach((body, i) => {
      const moving = body.joint.type !== "fixed" ? 1 : 0.001;
      depth[i] = (body.parent >= 0 ? depth[body.parent] : 0) + moving;
    });
    bodies.forEach((_, i) => {
      if (best === bodies.length || depth[i] > depth[best]) best = i;
    });
    return best + 1;
  }

  // -- masses

  setPayload(link, mass, com = [0, 0, 0]) {
    this.payload = { link, mass, com };
    this.applyMasses();
  }

  /** Give a link another inertia; null: its own. */
  setFixed(link, mass) {
    if (mass) this.fixed.set(link, mass);
    else this.fixed.delete(link);
    this.applyMasses();
  }

  applyMasses() {
    const { robot } = this;
    robot.resetInertia();
    for (const [link, { mass, com, inertia }] of this.fixed) robot.setInertia(link, mass, com, inertia);
    const { link, mass, com } = this.payload;
    if (link && mass > 0) robot.setPayload(link, mass, com);
  }

  setFriction(on) {
    this.friction = on;
    this.robot.friction = on;
  }

  massOf(link) {
    return this.fixed.get(link.name) ?? link;
  }

  // -- why

  /** The effort i, split by link and term: rows { name, gravity, acceleration, velocity }, and what belongs to the joint
   *  itself. Each link weighs alone while all others weigh nothing. */
  split(i) {
    const { twin, q } = this,
      zeros = this.zeros();
    const [v, a] = this.falls ? [zeros, zeros] : [this.v, this.a];
    if (!this.emptied) {
      if (this.closed) twin.begin(twin.branches?.[0] ?? null, this.q);
      for (const link of this.links) twin.setInertia(link.name, 0);
      this.emptied = true;
    }
    if (this.closed) twin.configuration(q);
    const one = (name, mass) => {
      twin.setInertia(name, mass.mass, mass.com, mass.inertia);
      const gravity = twin.inverseDynamics(q, zeros, zeros)[i];
      const velocity = twin.inverseDynamics(q, v, zeros)[i] - gravity;
      const acceleration = twin.inverseDynamics(q, zeros, a)[i] - gravity;
      twin.setInertia(name, 0);
      return { name, gravity, acceleration, velocity };
    };
    const rows = this.links
      .map((link) => ({ link, mass: this.massOf(link) }))
      .filter(({ mass }) => mass.mass > 0 || mass.inertia.some((x) => x !== 0))
      .map(({ link, mass }) => one(link.name, mass));
    const { link, mass, com } = this.payload;
    if (link && mass > 0)
      rows.push({
        ...one(link, { mass, com, inertia: [0, 0, 0, 0, 0, 0] }),
        name: `payload on ${link}`,
        payload: true,
      });
    return { rows, joint: this.jointTerms(i) };
  }

  // What friction, springs and rotors of the joints add: on less off.
  jointTerms(i) {
    if (!this.friction) return { friction: 0, rotor: 0, spring: 0 };
    const { robot, q } = this,
      zeros = this.zeros();
    const [v, a] = this.falls ? [zeros, zeros] : [this.v, this.a];
    const added = (vv, aa) => {
      robot.friction = true;
      const on = robot.inverseDynamics(q, vv, aa)[i];
      robot.friction = false;
      const off = robot.inverseDynamics(q, vv, aa)[i];
      robot.friction = true;
      return on - off;
    };
    const spring = added(zeros, zeros),
      moving = added(v, zeros),
      all = added(v, a);
    return { spring, friction: moving - spring, rotor: all - moving };
  }

  // -- simulation

  /** The robot's text with fixes and payload in it, as our writer writes it. */
  simulationText() {
    let lines = this.text().split("\n");
    for (const [link, { mass, com, inertia }] of this.fixed) {
      const start = lines.indexOf(`  - name: ${yamlName(link)}`);
      if (start < 0) continue;
      let end = start + 1;
      while (end < lines.length && lines[end].startsWith("    ")) end++;
      const own = lines.slice(start, end).filter((line) => !line.startsWith("    inertia:"));
      own.push(`    inertia: {mass: ${mass}, com: [${com.join(", ")}], tensor: [${inertia.join(", ")}]}`);
      lines.splice(start, end - start, ...own);
    }
    const { link, mass, com } = this.payload;
    if (link && mass > 0) {
      const from = lines.indexOf("bodies:");
      let end = from + 1;
      while (end < lines.length && lines[end].startsWith("  ")) end++;
      let name = "payload";
      while (this.robot.frames.includes(name)) name = `_${name}`;
      const body = [
        `  - name: ${name}`,
        `    parent: ${yamlName(link)}`,
        "    joint:",
        `      name: ${name}_mount`,
        "      type: fixed",
        `    inertia: {mass: ${mass}, com: [${com.join(", ")}], tensor: [0, 0, 0, 0, 0, 0]}`,
      ];
      lines.splice(end, 0, ...body);
    }
    return lines.join("\n");
  }

  free() {
    this.robot.free();
    this.twin.free();
  }
}

// A name as the writer has it: plain where it can be.
const yamlName = (name) => (/^[A-Za-z_][\w./-]*$/.test(name) && name !== "null" ? name : JSON.stringify(name));
