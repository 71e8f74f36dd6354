// SPDX-License-Identifier: Apache-2.0
// What moves the robot but sliders: a motion that is played, a fall that is simulated, a pointer that drags a link.

import { openSimulation } from "../appell/index.js";
import { scenarioOf } from "../appell/run.js";
import { solve3 } from "./matrix.js";
import { Record } from "./record.js";

const SWING = { turns: 0.8, slides: 0.25 }; // half of the largest swing: rad, and of the robot's size
const CLOSED = 0.5; // of that in closed chains, which lock beyond some places

/** Every joint swings about its middle, each at its own pace: q, v and a at time t. Coordinates of closed chains swing
 *  about where they are. */
export class Swing {
  constructor(subject) {
    this.subject = subject;
    this.time = 0;
    this.base = subject.q.slice();
    this.parts = subject.freedoms.map((row, i) => {
      if (row.part) return null;
      const [low, high] = subject.range(i);
      const limited = row.lower !== null && row.upper !== null;
      const middle = limited ? (low + high) / 2 : subject.value(i);
      const most = row.turns ? SWING.turns : SWING.slides * (subject.size ?? 1);
      const half = Math.min((high - low) / 2, most * (subject.closed ? CLOSED : 1)) * 0.9;
      let w = 2 * Math.PI * (0.16 + 0.05 * ((i * 0.618) % 1));
      if (row.velocity > 0) w = Math.min(w, (0.6 * row.velocity) / half);
      return { at: row.joint ? row.joint.q : row.at, v: row.v, middle, half, w, phase: i * 0.9, from: subject.value(i) };
    });
    if (subject.closed) this.shrink();
  }

  // Closed chains swing as far as they stay closed, and no actuator needs many times what it needs at rest: next to a
  // singular place it would.
  shrink() {
    const { subject, base, parts } = this;
    const calm = largestOf(subject.compute().tau);
    const reaches = (signs) => {
      const q = base.slice();
      parts.forEach(({ at, half }, i) => (q[at] += (signs >> i) & 1 ? half : -half));
      const there = subject.goTo(q) && largestOf(subject.compute().tau) <= 10 * calm + 1e-9;
      return subject.goTo(base) && there;
    };
    const corners = 2 ** Math.min(parts.length, 6);
    for (let tries = 0; tries < 8; tries++) {
      if ([...Array(corners).keys()].every(reaches)) return;
      for (const part of parts) part.half *= 0.6;
    }
    this.parts = [];
  }

  get possible() {
    return this.parts.some(Boolean);
  }

  /** Go on; false: a closed chain cannot. The first second leads from where the robot is into the swing, with the velocities that go with it. */
  advance(dt) {
    this.time += dt;
    const { subject, time: t } = this;
    const s = Math.min(t, 1);
    // 1 - blend falls from 1 to 0: a quintic, so that velocities and accelerations have no steps.
    const blend = s * s * s * (10 + s * (6 * s - 15));
    const rate = t < 1 ? 30 * s * s * (1 - s) * (1 - s) : 0;
    const bend = t < 1 ? 60 * s * (1 - s) * (1 - 2 * s) : 0;
    const q = subject.q.slice();
    for (const part of this.parts) {
      if (!part) continue;
      const { at, v, middle, half, w, phase, from } = part;
      const x = middle + half * Math.sin(w * t + phase);
      const dx = half * w * Math.cos(w * t + phase);
      const ddx = -half * w * w * Math.sin(w * t + phase);
      q[at] = from + blend * (x - from);
      subject.v[v] = blend * dx + rate * (x - from);
      subject.a[v] = blend * ddx + 2 * rate * dx + bend * (x - from);
    }
    return subject.goTo(q);
  }

  get failure() {
    return "the closed chains do not reach the next place";
  }
}

const largestOf = (numbers) => numbers.reduce((most, x) => Math.max(most, Math.abs(x)), 0);

/** The robot left to itself: gravity, friction, stops, walls, and a pointer that pulls. */
export class Fall {
  static async start(subject, walls) {
    const fall = new Fall();
    fall.subject = subject;
    const file = "robot.yaml";
    const q = subject.closed ? subject.q : insideLimits(subject);
    // Fast enough for frames, and stable: what a person sees does not need nine digits.
    const { scenario } = scenarioOf(subject.robot, file, {
      q,
      walls: walls.length > 0 ? walls : undefined,
      integrator: { relative: 1e-5, absolute: 1e-6 },
    });
    fall.simulation = await openSimulation(scenario, { files: { [file]: subject.simulationText() } });
    fall.pulled = null;
    fall.record = new Record(fall.simulation);
    subject.falls = true;
    return fall;
  }

  /** Go on by a frame; false: it cannot. */
  advance(dt) {
    const { simulation, subject } = this;
    try {
      this.record.add(simulation, simulation.advance(dt));
    } catch (error) {
      this.failure = error.message;
      if (error.status === "stopped") throw error;
      return false;
    }
    if (subject.closed) {
      subject.q = simulation.coordinates.slice();
      subject.v.set(simulation.rates);
      subject.a.fill(0);
    } else {
      subject.q = simulation.q.slice(0, subject.robot.nq);
      subject.v.set(simulation.v.subarray(0, subject.n));
      subject.a.set(simulation.a.subarray(0, subject.n));
    }
    return true;
  }

  /** Pull a point of a link to a place; null: let it go. */
  pull(link, local, target) {
    const mass = Math.max(this.subject.info.moving_mass || 1, 0.1);
    const stiffness = 60 * mass;
    if (this.pulled && this.pulled !== link) this.simulation.pull(this.pulled, null);
    this.simulation.pull(link, target, { at: local, stiffness, damping: 0.6 * Math.sqrt(stiffness * mass) });
    this.pulled = target ? link : null;
  }

  /** What it came to. */
  stop() {
    this.subject.falls = false;
    this.simulation.free();
    return this.record;
  }
}

function insideLimits(subject) {
  const q = subject.q.slice();
  for (const { joint, part, lower, upper } of subject.freedoms) {
    if (!joint || part) continue;
    q[joint.q] = Math.min(Math.max(q[joint.q], lower ?? -Infinity), upper ?? Infinity);
  }
  return q;
}

/** A step of damped least squares that brings a point of a link towards a place; returns how far it still is. */
export function follow(subject, body, local, target) {
  const { n } = subject;
  let distance = Infinity;
  for (let pass = 0; pass < 6; pass++) {
    subject.poses();
    const R = subject.R.subarray(9 * body, 9 * body + 9);
    const point = [0, 1, 2].map(
      (i) => subject.p[3 * body + i] + R[3 * i] * local[0] + R[3 * i + 1] * local[1] + R[3 * i + 2] * local[2],
    );
    const error = [0, 1, 2].map((i) => target[i] - point[i]);
    distance = Math.hypot(...error);
    if (distance < 1e-6 * (subject.size ?? 1)) break;
    const most = 0.15 * (subject.size ?? 1);
    const cut = distance > most ? most / distance : 1;
    const J = subject.pointJacobian(body, point);
    // A floating base stays: the limbs are what is dragged.
    subject.freedoms.forEach((row, j) => {
      if (row.part && row.joint.parent === "ground") for (let i = 0; i < 3; i++) J[i * n + j] = 0;
    });
    const A = new Float64Array(9);
    for (let i = 0; i < 3; i++)
      for (let k = 0; k < 3; k++) for (let j = 0; j < n; j++) A[3 * i + k] += J[i * n + j] * J[k * n + j];
    const damping = 1e-4 * (A[0] + A[4] + A[8]) + 1e-12;
    for (let i = 0; i < 3; i++) A[4 * i] += damping;
    const x = solve3(
      A,
      error.map((e) => e * cut),
    );
    const dv = new Float64Array(n);
    for (let j = 0; j < n; j++) dv[j] = J[j] * x[0] + J[n + j] * x[1] + J[2 * n + j] * x[2];
    const largest = dv.reduce((a, d) => Math.max(a, Math.abs(d)), 0);
    if (largest > 0.3) for (let j = 0; j < n; j++) dv[j] *= 0.3 / largest;
    if (!subject.move(dv)) break;
  }
  subject.poses();
  return distance;
}
