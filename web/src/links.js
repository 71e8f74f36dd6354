// SPDX-License-Identifier: Apache-2.0
// What a link without shapes looks like: parts made of its joints, contact points, closures, mass and inertia.
//
// Lengths come from the places where other links hang, thickness from the mass at the density of water, which is about
// that of robots. A solid box with the link's inertia is drawn where it can be the link: neither of foam nor larger than
// the link. All parts are plain records in the link's frame:
//   {kind: "box", half, at, quat}  {kind: "bone", from, to, radius}  {kind: "ball", at, radius}
//   {kind: "hull", points, normal}  {kind: "arc", from, to, radius, tube}

import { turn } from "./kinematics.js";
import { LARGEST, added, cross, dot, lengthOf, scaled, unitOf } from "./extent.js";

const DENSITY = 1000; // kg/m3
const LEAST_DENSITY = 60; // below it an inertia is no link's
const BOX = Math.sqrt(3 / 5); // half a box's side to half an axis of the ellipsoid with the same inertia
const clamp = (x, low, high) => Math.min(Math.max(x, low), Math.max(low, high));
const apart = (a, b) => lengthOf(added(a, scaled(b, -1)));

function turned(quat, v, back = false) {
  const q = back ? [-quat[0], -quat[1], -quat[2], quat[3]] : quat;
  const out = [0, 0, 0];
  turn(q, 0, v, 0, out, 0);
  return out;
}

/** Index of the link that each one is rigidly fixed to, itself where it has a joint; fixed roots are their own. */
export function carriersOf(bodies) {
  const carriers = [];
  for (const { index, parent, joint } of bodies)
    carriers.push(joint.type === "fixed" && parent >= 0 ? carriers[parent] : index);
  return carriers;
}

function distinct(points, least) {
  const kept = [];
  for (const point of points) {
    if (!point.every(Number.isFinite)) continue;
    if (!kept.some((other) => apart(point, other) < least)) kept.push(point);
  }
  return kept;
}

/** Places on a link where something else hangs or touches; near-massless fixed frames count where nothing else does. */
export function endsOf(body, { bodies, points, closures, light }, least) {
  const ends = [];
  const frames = [];
  for (const child of bodies) {
    if (child.parent !== body.index) continue;
    const at = [child.origin[0], child.origin[1], child.origin[2]];
    if (light[child.index]) frames.push(at);
    else ends.push(at);
  }
  for (const point of points) if (point.body === body.index && point.xyz) ends.push(point.xyz);
  for (const closure of closures) {
    if (closure.kind === "axis" || closure.kind === "gear") continue;
    if (closure.body_a === body.index && closure.xyz_a) ends.push(closure.xyz_a);
    if (closure.body_b === body.index && closure.xyz_b) ends.push(closure.xyz_b);
  }
  const far = (list) => distinct(list, least).filter((end) => lengthOf(end) > least);
  const found = far(ends);
  if (found.length > 0) return found;
  const longest = far(frames).sort((a, b) => lengthOf(b) - lengthOf(a));
  return longest.slice(0, 1);
}

/** Fixed links, and all that is fixed to them, that weigh next to nothing: frames of sensors and tools. */
export function lightLinks(bodies) {
  const carriers = carriersOf(bodies);
  const whole = bodies.reduce((sum, { given }) => sum + (given.mass > 0 ? given.mass : 0), 0);
  const of = new Map();
  for (const { index, given } of bodies)
    of.set(carriers[index], (of.get(carriers[index]) ?? 0) + (given.mass > 0 ? given.mass : 0));
  const light = bodies.map(({ index, given, joint, parent }) => {
    const mass = given.mass > 0 ? given.mass : 0;
    const little = mass <= Math.max(1e-4 * whole, 0.02 * of.get(carriers[index]));
    return joint.type === "fixed" && parent >= 0 && little && !(given.shapes?.length > 0);
  });
  // What carries a link that is drawn is part of the way to it.
  for (let i = bodies.length - 1; i >= 0; i--) {
    const { parent } = bodies[i];
    if (parent >= 0 && !light[i]) light[parent] = false;
  }
  return light;
}

/** The solid box of a link's mass and inertia, or null where no such thing can be the link. */
export function boxOf({ given, joint }, ends, size, thick) {
  const axes = given.ellipsoid?.half_axes;
  if (!axes?.every(Number.isFinite) || !(given.mass > 0)) return null;
  const half = axes.map((a) => Math.max(a * BOX, 0.25 * thick));
  const longest = Math.max(...half);
  const volume = 8 * half[0] * half[1] * half[2];
  const com = given.com ?? [0, 0, 0];
  const loose = joint.type === "free" || joint.type === "planar";
  const reach = Math.max(2.5 * lengthOf(com), ...ends.map((end) => 1.2 * Math.max(lengthOf(end), apart(end, com))));
  if (given.mass / volume < LEAST_DENSITY) return null;
  if (!loose && (longest > reach || longest > 1.2 * size)) return null;
  const thin = axes.some((a) => a * BOX < 0.25 * thick);
  return { kind: "box", half, at: com, quat: given.ellipsoid.quat ?? [0, 0, 0, 1], thin };
}

// A place moved into a box, some way below its faces.
function insideOf(box, place) {
  const own = turned(box.quat, added(place, scaled(box.at, -1)), true);
  const held = own.map((x, i) => clamp(x, -0.7 * box.half[i], 0.7 * box.half[i]));
  return added(box.at, turned(box.quat, held));
}

// Is the link a bar: does its box go from its joint to its end?
function isBar(box, end) {
  const length = lengthOf(end);
  const longest = Math.max(...box.half);
  const along = turned(box.quat, scaled(end, 1 / length), true);
  return (
    !box.thin &&
    Math.abs(2 * longest - length) < 0.2 * length &&
    apart(box.at, scaled(end, 0.5)) < 0.12 * length &&
    Math.abs(along[box.half.indexOf(longest)]) > 0.97
  );
}

/** A direction across the widest triangle of the points; null where they are in a line. */
export function acrossOf(points) {
  const from = points[0];
  let widest = [0, 0, 0];
  const differences = points.slice(1).map((p) => added(p, scaled(from, -1)));
  for (const a of differences) {
    for (const b of differences) {
      const normal = cross(a, b);
      if (lengthOf(normal) > lengthOf(widest)) widest = normal;
    }
  }
  const scale = Math.max(0, ...differences.map(lengthOf));
  return lengthOf(widest) > 0.02 * scale * scale ? unitOf(widest) : null;
}

// Links of a spherical wrist turn about axes through one place and bend from one axis to the next. Where the centre of
// mass of an even arc is says how large it is.
function arcOf(body, scene, thick) {
  const com = body.given.com ?? [0, 0, 0];
  const away = lengthOf(com);
  if (!(away > 2 * thick) || body.joint.type !== "revolute") return null;
  const nexts = [];
  for (const child of scene.bodies) {
    if (child.parent !== body.index || child.joint.type !== "revolute") continue;
    if (Math.hypot(child.origin[0], child.origin[1], child.origin[2]) < 0.1 * thick)
      nexts.push(turned(child.origin.slice(3, 7), child.joint.axis));
  }
  for (const { kind, body_a: a, body_b: b, axis_a: first, axis_b: second } of scene.closures) {
    if (kind !== "axis") continue;
    if (a === body.index && first) nexts.push(unitOf(first));
    if (b === body.index && second) nexts.push(unitOf(second));
  }
  for (const next of nexts) {
    for (const from of [body.joint.axis, scaled(body.joint.axis, -1)]) {
      for (const to of [next, scaled(next, -1)]) {
        const half = Math.acos(clamp(dot(from, to), -1, 1)) / 2;
        if (half < 0.1 || half > 1.3) continue;
        const middle = unitOf(added(from, to));
        if (dot(middle, com) < 0.97 * away) continue;
        const radius = (away * half) / Math.sin(half);
        const tube = clamp(Math.sqrt(body.given.mass / (DENSITY * Math.PI * 2 * half * radius)), 0.5 * thick, 3 * thick);
        return { kind: "arc", from, to, radius, tube };
      }
    }
  }
  return null;
}

// The platform of a wrist: pins from its mass to the ends of the arcs that hold it.
function pinsOf(body, scene, thick) {
  const com = body.given.com ?? [0, 0, 0];
  const pins = [];
  for (const { kind, body_a: a, body_b: b, axis_a: first, axis_b: second } of scene.closures) {
    if (kind !== "axis" || (a !== body.index && b !== body.index)) continue;
    const arc = scene.bodies[a === body.index ? b : a] && arcOf(scene.bodies[a === body.index ? b : a], scene, thick);
    if (!arc) continue;
    const own = unitOf(a === body.index ? first : second);
    const other = unitOf(a === body.index ? second : first);
    const side = dot(arc.to, other) > 0 ? 1 : -1; // axes are parallel, of either sense
    pins.push({ kind: "bone", from: com, to: scaled(own, side * arc.radius), radius: 0.6 * thick });
  }
  return pins;
}

function bonesOf(body, ends, box, thick) {
  const mass = body.given.mass > 0 ? body.given.mass : 0;
  const total = ends.reduce((sum, end) => sum + lengthOf(end), 0);
  const bones = [];
  const most = Math.min(5 * thick, box ? Math.min(...box.half) : Infinity);
  const add = (from, to, weight) => {
    const length = apart(from, to);
    const even = Math.sqrt(weight / (DENSITY * Math.PI * Math.max(length, 1e-9)));
    const radius = Math.min(clamp(even, 0.45 * thick, 0.2 * length), most);
    if (length > 0.5 * radius) bones.push({ kind: "bone", from, to, radius });
  };
  if (!box) {
    for (const end of ends) add([0, 0, 0], end, (mass * lengthOf(end)) / total);
    return bones;
  }
  const loose = body.joint.type === "free" || body.joint.type === "planar";
  const share = (0.3 * mass) / (ends.length + 1);
  for (const place of loose ? ends : [[0, 0, 0], ...ends]) add(insideOf(box, place), place, share);
  return bones;
}

// A link that nothing hangs on.
function leafOf(body, box, thick) {
  const { given } = body;
  const com = given.com ?? [0, 0, 0];
  const away = lengthOf(com);
  const volume = given.mass / DENSITY;
  if (box) return [box, ...(body.joint.type === "free" ? [] : bonesOf(body, [], box, thick))];
  const radius = clamp(Math.cbrt((3 * volume) / (4 * Math.PI)), 0.5 * thick, 5 * thick);
  if (away < 2 * radius) return [{ kind: "ball", at: com, radius }];
  const bone = clamp(Math.sqrt(volume / (Math.PI * 1.6 * away)), 0.5 * thick, 0.3 * away);
  return [{ kind: "bone", from: [0, 0, 0], to: scaled(com, 1.6), radius: bone }];
}

/** Whether a shape can be drawn. One that is not seen but collides must be no larger than the robot: some files give one
 *  bound for all of it. */
export function fits(shape, size) {
  const { kind, radius = 0, length = 0, collision, scale, xyz } = shape;
  const largest = (numbers) => (numbers ?? []).reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  if (!(Math.max(largest(scale), largest(xyz)) <= LARGEST)) return false;
  return kind === "mesh" || Math.max(2 * radius, length, largest(shape.size)) <= (collision ? size : LARGEST);
}

/** Parts of a link without shapes, and whether its joint is one that could be seen. */
export function partsOf(body, scene, size, thick) {
  const { given, index, joint } = body;
  if (scene.light[index]) return [];
  const ends = endsOf(body, scene, 0.5 * thick);
  const arc = arcOf(body, scene, thick);
  if (arc) return [arc];
  const pins = pinsOf(body, scene, thick);
  const box = boxOf(body, ends, size, thick);
  if (pins.length > 0) return [...leafOf(body, box, thick), ...pins];
  if (ends.length === 0) return given.mass > 0 ? leafOf(body, box, thick) : [];
  const held = scene.closures.filter(({ kind, body_a: a, body_b: b }) => kind !== "axis" && (a === index || b === index));
  const loose = ["free", "planar", "fixed"].includes(joint.type);
  const outline = loose ? ends : [...ends, [0, 0, 0]];
  const normal = outline.length >= 3 ? acrossOf(outline) : null;
  const plate = normal && (held.length >= 3 || !box);
  if (plate) return [{ kind: "hull", points: outline, normal }];
  if (box && ends.length === 1 && isBar(box, ends[0])) return [box];
  return box && ends.length > 1 ? [box, ...bonesOf(body, ends, box, thick)] : bonesOf(body, ends, null, thick);
}

/** Half the width of a joint's drum, by the mass that it moves. */
export function drumOf(body, thick) {
  const mass = body.given.mass > 0 ? body.given.mass : 0;
  return clamp(Math.cbrt(mass / (2 * Math.PI * DENSITY)), 0.7 * thick, 1.9 * thick);
}
