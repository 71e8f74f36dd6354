// SPDX-License-Identifier: Apache-2.0
// How large the robot and its motion are, and whether it all happens in one plane.

/** What is larger, in metres, is no robot's, and keeps some renderers busy for minutes. */
export const LARGEST = 1e6;

const axes = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const added = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const lengthOf = (a) => Math.hypot(a[0], a[1], a[2]);
export const unitOf = (a, otherwise = [0, 0, 1]) => {
  const length = lengthOf(a);
  return length > 0 && Number.isFinite(length) ? scaled(a, 1 / length) : otherwise;
};

export class Box {
  constructor() {
    this.low = [Infinity, Infinity, Infinity];
    this.high = [-Infinity, -Infinity, -Infinity];
  }
  add(p, margin = 0) {
    for (let i = 0; i < 3; i++) {
      if (!Number.isFinite(p[i])) return;
    }
    for (let i = 0; i < 3; i++) {
      this.low[i] = Math.min(this.low[i], p[i] - margin);
      this.high[i] = Math.max(this.high[i], p[i] + margin);
    }
  }
  get empty() {
    return !(this.high[0] >= this.low[0]);
  }
  get size() {
    return this.empty ? [0, 0, 0] : this.high.map((high, i) => high - this.low[i]);
  }
  get centre() {
    return this.empty ? [0, 0, 0] : this.high.map((high, i) => (high + this.low[i]) / 2);
  }
  get diagonal() {
    return lengthOf(this.size);
  }
}

/** Points of each body that show how far it reaches: its origin, its centre of mass, its contact points. */
export function trackedPoints(run, kin) {
  const tracked = [];
  for (const { index, given } of kin.bodies) {
    const massless = !(given.mass > 0) && !(given.shapes?.length > 0);
    if (massless && given.joint?.type === "prismatic") continue;
    tracked.push({ body: index, xyz: [0, 0, 0] });
    if (given.com && given.mass > 0) tracked.push({ body: index, xyz: given.com });
  }
  for (const point of run.points) {
    if (point.body >= 0) tracked.push({ body: point.body, xyz: point.xyz ?? [0, 0, 0] });
  }
  return tracked;
}

/** Boxes of the robot at the start and of its motion, which way is up, and the plane of the motion. */
export function measure(run, kin, samples = 240) {
  const tracked = trackedPoints(run, kin);
  const start = new Box();
  const motion = new Box();
  const travel = tracked.map(() => new Box());
  const rows = Math.max(1, run.rows);
  const step = Math.max(1, Math.floor(rows / samples));
  const p = [0, 0, 0];
  for (let row = 0; row < rows; row += step) {
    kin.atRow(Math.min(row, Math.max(0, run.rows - 1)));
    tracked.forEach(({ body, xyz }, i) => {
      kin.point(body, xyz, p);
      if (row === 0) start.add(p);
      motion.add(p);
      travel[i].add(p);
    });
  }
  const size = start.diagonal > 1e-9 ? start.diagonal : bodySize(kin) || motion.diagonal / 3 || 1;
  const up = unitOf(
    (run.model?.gravity ?? [0, 0, -1]).map((g) => -g),
    [0, 0, 1],
  );
  return { start, motion, size, up, normal: planeOf(travel, motion, up) };
}

// The size of a single body: of its ellipsoid or its shapes.
function bodySize(kin) {
  const sizes = [];
  for (const { given } of kin.bodies) {
    for (const shape of given.shapes ?? []) sizes.push(2 * (shape.radius ?? 0), shape.length ?? 0, ...(shape.size ?? []));
    for (const axis of given.ellipsoid?.half_axes ?? []) sizes.push(2 * axis);
  }
  return sizes.reduce((most, x) => (x <= LARGEST ? Math.max(most, x) : most), 0);
}

// The motion is planar where no point moves along one of the world's axes and the robot is flat along it.
function planeOf(travel, motion, up) {
  const most = Math.max(...motion.size, 1e-12);
  const candidates = axes
    .map((axis, i) => ({ axis, i, tilt: Math.abs(dot(axis, up)) }))
    // With z up prefer to look along y, with y up along z.
    .sort((a, b) => (Math.abs(a.tilt - b.tilt) > 0.5 ? a.tilt - b.tilt : b.i - a.i));
  for (const { axis, i } of candidates) {
    const moves = Math.max(0, ...travel.map((box) => box.size[i]));
    const others = Math.max(0, ...travel.map((box) => Math.max(...box.size.filter((_, k) => k !== i))));
    if (moves <= 1e-5 * others && others > 1e-9 * most && motion.size[i] <= 0.05 * most) {
      const right = cross(up, axis);
      const turned = Math.max(...right) >= -Math.min(...right) ? axis : scaled(axis, -1);
      return Math.abs(dot(axis, up)) > 0.9 ? axis : turned;
    }
  }
  return null;
}
