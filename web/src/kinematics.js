// SPDX-License-Identifier: Apache-2.0
// Where the links are. Poses are [x y z, qx qy qz qw] in one flat array, bodies in the file's order.
//
//   pose(body) = pose(parent) * origin * motion(q) * link
//
// with the joint's axis given in the joint frame (docs/conventions.md).

import { lastAtOrBelow, placeOf } from "./data.js";

/** Turns vector v by unit quaternion q into out, q and v at offsets. */
export function turn(q, qi, v, vi, out, oi) {
  const x = q[qi],
    y = q[qi + 1],
    z = q[qi + 2],
    w = q[qi + 3];
  const a = v[vi],
    b = v[vi + 1],
    c = v[vi + 2];
  const tx = 2 * (y * c - z * b),
    ty = 2 * (z * a - x * c),
    tz = 2 * (x * b - y * a);
  out[oi] = a + w * tx + y * tz - z * ty;
  out[oi + 1] = b + w * ty + z * tx - x * tz;
  out[oi + 2] = c + w * tz + x * ty - y * tx;
}

function multiply(a, ai, b, bi, out, oi) {
  const ax = a[ai],
    ay = a[ai + 1],
    az = a[ai + 2],
    aw = a[ai + 3];
  const bx = b[bi],
    by = b[bi + 1],
    bz = b[bi + 2],
    bw = b[bi + 3];
  out[oi] = aw * bx + ax * bw + ay * bz - az * by;
  out[oi + 1] = aw * by - ax * bz + ay * bw + az * bx;
  out[oi + 2] = aw * bz + ax * by - ay * bx + az * bw;
  out[oi + 3] = aw * bw - ax * bx - ay * by - az * bz;
}

/** out = a * b, poses of 7 numbers at offsets; out may be a. */
export function compose(a, ai, b, bi, out, oi) {
  const p = compose.point;
  turn(a, ai + 3, b, bi, p, 0);
  const x = a[ai] + p[0],
    y = a[ai + 1] + p[1],
    z = a[ai + 2] + p[2];
  multiply(a, ai + 3, b, bi + 3, out, oi + 3);
  out[oi] = x;
  out[oi + 1] = y;
  out[oi + 2] = z;
}
compose.point = new Float64Array(3);

function unit(values, otherwise) {
  const length = Math.hypot(...values);
  return length > 0 && Number.isFinite(length) ? values.map((x) => x / length) : otherwise;
}

const vector = (given, otherwise) =>
  Array.isArray(given) && given.length === otherwise.length ? given.map(Number) : otherwise;

export function poseOf(frame) {
  const xyz = vector(frame?.xyz, [0, 0, 0]);
  return Float64Array.from([...xyz, ...unit(vector(frame?.quat, [0, 0, 0, 1]), [0, 0, 0, 1])]);
}

/** The smallest rotation that takes z to the axis. */
function fromZ([x, y, z]) {
  if (z < -1 + 1e-12) return [1, 0, 0, 0];
  return unit([-y, x, 0, 1 + z], [0, 0, 0, 1]);
}

const WIDTH = { fixed: 0, revolute: 1, continuous: 1, prismatic: 1, planar: 3, spherical: 4, free: 7 };

// The velocities that belong to a joint's coordinates, as logs name them.
function rateColumns(run, joint) {
  return joint.columns.map((name) => {
    const base = name.replace(/^q\./, "v.");
    if (joint.type === "planar")
      return run.column(
        base
          .replace(/\.x$/, ".vx")
          .replace(/\.y$/, ".vy")
          .replace(/\.angle$/, ".w"),
      );
    if (joint.type === "free") return run.column(base.replace(/\.([xyz])$/, ".v$1"));
    return run.column(base);
  });
}

// The angular velocity of a joint with a quaternion, in the body's axes; null where it is not logged.
function spinColumns(run, joint) {
  if (joint.type !== "spherical" && joint.type !== "free") return null;
  const base = (joint.columns[joint.columns.length - 1] ?? "").replace(/^q\./, "v.").replace(/\.qw$/, "");
  const columns = ["x", "y", "z"].map((axis) => run.column(`${base}.w${axis}`));
  return columns.every(Boolean) ? columns : null;
}

function jointOf(run, body) {
  const given = body.joint ?? {};
  const type = given.type in WIDTH ? given.type : "fixed";
  const names = Array.isArray(given.columns) ? given.columns : [];
  const joint = { type, name: given.name ?? "", columns: names, width: WIDTH[type] };
  joint.axis = unit(vector(given.axis, [0, 0, 1]), [0, 0, 1]);
  joint.plane = Float64Array.from(fromZ(joint.axis));
  joint.scale = given.mimic ? Number(given.mimic.multiplier ?? 1) : 1;
  joint.offset = given.mimic ? Number(given.mimic.offset ?? 0) : 0;
  joint.q = names.slice(0, joint.width).map((name) => run.column(name));
  while (joint.q.length < joint.width) joint.q.push(null);
  joint.v = rateColumns(run, joint);
  joint.w = spinColumns(run, joint);
  return joint;
}

// A quaternion's length of zero or NaN is taken for no turn.
function normalise(q, at) {
  const length = Math.hypot(q[at], q[at + 1], q[at + 2], q[at + 3]);
  if (length > 0 && Number.isFinite(length)) {
    for (let i = 0; i < 4; i++) q[at + i] /= length;
  } else {
    q[at] = q[at + 1] = q[at + 2] = 0;
    q[at + 3] = 1;
  }
}

function slerp(a, b, part, out, at) {
  let cosine = 0;
  for (let i = 0; i < 4; i++) cosine += a[i] * b[i];
  const sign = cosine < 0 ? -1 : 1;
  cosine = Math.min(Math.abs(cosine), 1);
  const angle = Math.acos(cosine);
  const sine = Math.sin(angle);
  const from = sine > 1e-6 ? Math.sin((1 - part) * angle) / sine : 1 - part;
  const to = (sine > 1e-6 ? Math.sin(part * angle) / sine : part) * sign;
  for (let i = 0; i < 4; i++) out[at + i] = from * a[i] + to * b[i];
  normalise(out, at);
}

/** Between two rows: a cubic with both rates where they agree with the rows, else a straight line.
 *  With impacts inside, straight up to the first, between, and after the last. */
export function between(q0, q1, v0, v1, step, part, first, last) {
  if (part <= 0) return q0;
  if (part >= 1) return q1;
  const line = q0 + (q1 - q0) * part;
  if (!(Number.isFinite(v0) && Number.isFinite(v1))) return line;
  const rise = q1 - q0;
  if (first >= 0) {
    const a = q0 + v0 * first * step;
    const b = q1 - v1 * (1 - last) * step;
    if (Math.abs(a - q0) + Math.abs(b - q1) > 4 * (Math.abs(v0) + Math.abs(v1)) * step) return line;
    if (last - first < 1e-12) {
      const kink = (a * (1 - last) + b * first) / (1 - last + first || 1);
      if (part < first) return q0 + (kink - q0) * (part / first);
      return last < 1 ? kink + (q1 - kink) * ((part - last) / (1 - last)) : kink;
    }
    if (part < first) return q0 + (a - q0) * (part / first);
    if (part > last) return b + (q1 - b) * ((part - last) / (1 - last));
    return a + (b - a) * ((part - first) / (last - first));
  }
  const m0 = v0 * step,
    m1 = v1 * step;
  if (Math.abs(rise - 0.5 * (m0 + m1)) > 0.2 * (Math.abs(m0) + Math.abs(m1)) + 1e-12) return line;
  const s = part,
    r = 1 - part;
  return q0 * (1 + 2 * s) * r * r + m0 * s * r * r + q1 * s * s * (3 - 2 * s) - m1 * s * s * r;
}

/** Forward kinematics of a run's model. poses(t) and at(row) fill and return `poses`. */
export function makeKinematics(run) {
  const bodies = (run.model?.bodies ?? []).map((body, index) => ({
    index,
    given: body,
    parent: Number.isInteger(body.parent) && body.parent < index ? body.parent : -1,
    joint: jointOf(run, body),
    origin: poseOf(body.origin),
    link: body.link ? poseOf(body.link) : null,
  }));
  const count = bodies.length;
  const poses = new Float64Array(7 * count);
  const frames = new Float64Array(7 * count); // joint frames before the motion, in the world
  const motion = new Float64Array(7);
  const q = new Float64Array(7);
  const qa = new Float64Array(4),
    qb = new Float64Array(4);
  const ka = new Float64Array(4),
    kb = new Float64Array(4),
    turnBy = new Float64Array(4); // at impacts between rows
  const world = Float64Array.of(0, 0, 0, 0, 0, 0, 1);
  const va = new Float64Array(3),
    vb = new Float64Array(3);

  const read = (column, row) => {
    const value = column ? column.values[row] : 0;
    return Number.isFinite(value) ? value : 0;
  };
  const rate = (column, row) => (column ? column.values[row] : NaN);

  function quaternionAt(joint, from, place) {
    for (let i = 0; i < 4; i++) {
      qa[i] = joint.q[from + i] ? read(joint.q[from + i], place.row) : i === 3 ? 1 : 0;
      qb[i] = joint.q[from + i] ? read(joint.q[from + i], place.next) : i === 3 ? 1 : 0;
    }
    normalise(qa, 0);
    normalise(qb, 0);
    if (place.first < 0 || !joint.w) return slerp(qa, qb, place.part, q, from);
    // Up to the first impact with the rate of the row before, after the last with that of the row behind.
    spun(joint.w, place.row, qa, place.first * place.step, ka);
    spun(joint.w, place.next, qb, (place.last - 1) * place.step, kb);
    if (place.last - place.first < 1e-12) {
      slerp(ka, kb, place.first / (1 - place.last + place.first || 1), ka, 0);
      kb.set(ka);
    }
    if (place.part < place.first) slerp(qa, ka, place.part / place.first, q, from);
    else if (place.part > place.last) slerp(kb, qb, (place.part - place.last) / (1 - place.last), q, from);
    else slerp(ka, kb, place.last > place.first ? (place.part - place.first) / (place.last - place.first) : 0, q, from);
  }

  // out = start * exp(w t), w in the body's axes.
  function spun(w, row, start, t, out) {
    for (let i = 0; i < 3; i++) va[i] = read(w[i], row);
    const rate = Math.hypot(va[0], va[1], va[2]);
    const s = rate > 0 ? Math.sin((rate * t) / 2) / rate : 0;
    for (let i = 0; i < 3; i++) turnBy[i] = va[i] * s;
    turnBy[3] = Math.cos((rate * t) / 2);
    multiply(start, 0, turnBy, 0, out, 0);
  }

  // The position of a free joint; its rates are in the body's axes.
  function freePosition(joint, place) {
    for (let i = 0; i < 3; i++) {
      va[i] = rate(joint.v[i], place.row);
      vb[i] = rate(joint.v[i], place.next);
    }
    turn(qa, 0, va, 0, va, 0);
    turn(qb, 0, vb, 0, vb, 0);
    for (let i = 0; i < 3; i++) {
      const a = read(joint.q[i], place.row),
        b = read(joint.q[i], place.next);
      q[i] = between(a, b, va[i], vb[i], place.step, place.part, place.first, place.last);
    }
  }

  function coordinates(joint, place) {
    if (joint.type === "spherical") return quaternionAt(joint, 0, place);
    if (joint.type === "free") {
      quaternionAt(joint, 3, place);
      return freePosition(joint, place);
    }
    for (let i = 0; i < joint.width; i++) {
      const a = read(joint.q[i], place.row),
        b = read(joint.q[i], place.next);
      const v0 = rate(joint.v[i], place.row),
        v1 = rate(joint.v[i], place.next);
      q[i] = joint.scale * between(a, b, v0, v1, place.step, place.part, place.first, place.last) + joint.offset;
    }
  }

  function move(joint) {
    motion.fill(0);
    motion[6] = 1;
    const axis = joint.axis;
    if (joint.type === "revolute" || joint.type === "continuous") {
      const sine = Math.sin(q[0] / 2);
      for (let i = 0; i < 3; i++) motion[3 + i] = axis[i] * sine;
      motion[6] = Math.cos(q[0] / 2);
    } else if (joint.type === "prismatic") {
      for (let i = 0; i < 3; i++) motion[i] = axis[i] * q[0];
    } else if (joint.type === "planar") {
      va[0] = q[0];
      va[1] = q[1];
      va[2] = 0;
      turn(joint.plane, 0, va, 0, motion, 0);
      const sine = Math.sin(q[2] / 2);
      for (let i = 0; i < 3; i++) motion[3 + i] = axis[i] * sine;
      motion[6] = Math.cos(q[2] / 2);
    } else if (joint.type === "spherical") {
      for (let i = 0; i < 4; i++) motion[3 + i] = q[i];
    } else if (joint.type === "free") {
      for (let i = 0; i < 7; i++) motion[i] = q[i];
    }
  }

  function fill(place) {
    for (const body of bodies) {
      const at = 7 * body.index;
      if (body.parent < 0) compose(world, 0, body.origin, 0, frames, at);
      else compose(poses, 7 * body.parent, body.origin, 0, frames, at);
      if (body.joint.width > 0) {
        coordinates(body.joint, place);
        move(body.joint);
        compose(frames, at, motion, 0, poses, at);
      } else {
        for (let i = 0; i < 7; i++) poses[at + i] = frames[at + i];
      }
      if (body.link) compose(poses, at, body.link, 0, poses, at);
      normalise(poses, at + 3);
    }
    return poses;
  }

  // Impacts inside the interval of two rows, without samples of their own, bend the path between them.
  function placed(t) {
    const place = placeOf(run, t);
    place.step = run.rows > 0 ? run.time[place.next] - run.time[place.row] : 0;
    place.first = place.last = -1;
    if (place.step > 0 && place.part > 0) {
      const from = lastAtOrBelow(run.bends, run.time[place.row]) + 1;
      const to = lastAtOrBelow(run.bends, run.time[place.next]);
      if (to >= from) {
        place.first = (run.bends[from] - run.time[place.row]) / place.step;
        place.last = (run.bends[to] - run.time[place.row]) / place.step;
      }
    }
    return place;
  }

  return {
    bodies,
    poses,
    frames,
    at: (t) => fill(placed(t)),
    atRow: (row) => fill({ row, next: row, part: 0, step: 0, first: -1, last: -1 }),
    /** World position of a point of a body (or of the ground, index -1) in the last poses. */
    point(body, xyz, out = [0, 0, 0]) {
      if (body < 0 || body >= count) {
        out[0] = xyz[0];
        out[1] = xyz[1];
        out[2] = xyz[2];
        return out;
      }
      turn(poses, 7 * body + 3, xyz, 0, out, 0);
      for (let i = 0; i < 3; i++) out[i] += poses[7 * body + i];
      return out;
    },
  };
}
