// SPDX-License-Identifier: Apache-2.0
// What there is to plot: a panel for each kind of quantity and unit, the limb that a column belongs to, its bounds.

import { carriersOf } from "./links.js";

const PANELS = [
  ["q", "Positions"],
  ["v", "Velocities"],
  ["a", "Accelerations"],
  ["error", "Following errors"],
  ["tau", "Joint forces"],
  ["energy", "Energies"],
  ["closing", "Error of the energy balance"],
  ["force", "Contact forces"],
  ["margin", "Margins of friction"],
  ["place", "Places of contact"],
  ["coordinate", "Coordinates"],
  ["rate", "Rates of coordinates"],
  ["work", "Work of joints"],
  ["closure", "Errors of closures"],
  ["contact", "Points at rest on walls"],
  ["reference", "Reference"],
  ["reference_rate", "Rates of the reference"],
  ["signal", "Signals"],
  ["count", "Counters"],
  ["timing", "Times of computing"],
  ["other", "Others"],
];
const FIRST = ["q", "v", "error", "energy"]; // kinds that are open at first
const KIND = /^(q|v|a|error|qd|vd|ad|tau|force|margin|place|coordinate|rate|work_of)\./;

export const shortName = (name) => name.replace(KIND, "");

function kindOf({ name, group }) {
  if (name === "closing") return "closing";
  if (name === "closure" || name === "drift") return "closure";
  if (name === "contacts") return "contact";
  const [kind] = name.split(".");
  if (kind === "work_of") return "work";
  if (kind === "rate") return "rate";
  return PANELS.some(([key]) => key === group) ? group : "other";
}

// Kinetic, potential and elastic energy together.
function totalEnergy(run) {
  const parts = ["kinetic", "potential", "elastic"].map((name) => run.column(name)).filter(Boolean);
  if (parts.length < 2) return null;
  const values = new Float32Array(run.rows);
  for (const part of parts) for (let i = 0; i < run.rows; i++) values[i] += part.values[i];
  return { name: "total", unit: "J", group: "energy", values };
}

function byUnit(columns) {
  const units = new Map();
  for (const column of columns) {
    if (!units.has(column.unit)) units.set(column.unit, []);
    units.get(column.unit).push(column);
  }
  // The unit of most columns first: joints before a floating base; what has no unit, as quaternions, last.
  return [...units].sort(([a, x], [b, y]) => (a === "") - (b === "") || y.length - x.length);
}

/** Panels with their columns, in order, one for each unit: two scales with different zeros mislead. */
export function panelsOf(run) {
  const found = new Map();
  for (const column of run.columns) {
    const kind = kindOf(column);
    if (!found.has(kind)) found.set(kind, []);
    found.get(kind).push(column);
  }
  const total = found.has("energy") ? totalEnergy(run) : null;
  if (total) {
    found.get("energy").splice(3, 0, total);
    run.derived = [total];
  }
  return PANELS.filter(([kind]) => found.has(kind)).flatMap(([kind, title]) =>
    byUnit(found.get(kind)).map(([unit, columns], i, all) => ({
      key: i === 0 ? kind : `${kind} ${unit || "1"}`,
      kind,
      title,
      unit,
      columns,
      several: all.length > 1,
      // Quaternions say little to people.
      first: FIRST.includes(kind) && (i === 0 || unit !== ""),
    })),
  );
}

/** By the name of a column without its kind: the body that its joint or point carries. */
function bodiesByName(run) {
  const found = new Map();
  (run.model?.bodies ?? []).forEach((body, index) => {
    for (const name of body.joint?.columns ?? []) found.set(shortName(name), index);
    for (const name of [body.joint?.name, body.name]) if (name && !found.has(name)) found.set(name, index);
  });
  for (const { name, body } of run.points) if (name && body >= 0 && !found.has(name)) found.set(name, body);
  return found;
}

/** The body that a column is about; -1: none. */
export function bodyOfColumn(run) {
  const found = bodiesByName(run);
  return ({ name }) => {
    const short = shortName(name);
    if (short === name && !found.has(short)) return -1;
    const parts = short.split(".");
    for (let n = parts.length; n > 0; n--) {
      const body = found.get(parts.slice(0, n).join("."));
      if (body !== undefined) return body;
    }
    return -1;
  };
}

/** Limbs by body: the chain from a link where the robot branches on, named after its first link; "" before that. */
export function limbsOf(bodies) {
  const carriers = carriersOf(bodies);
  const moving = bodies.map(({ joint }) => joint.type !== "fixed");
  const children = new Map();
  for (const { index, parent } of bodies) {
    if (!moving[index]) continue;
    const on = parent >= 0 ? carriers[parent] : -1;
    children.set(on, (children.get(on) ?? 0) + 1);
  }
  const limbs = [];
  for (const { index, parent, given } of bodies) {
    const on = parent >= 0 ? carriers[parent] : -1;
    const carried = parent >= 0 ? limbs[parent] : "";
    const branches = moving[index] && (children.get(on) ?? 0) > 1;
    limbs.push(branches ? String(given.name ?? index) : carried);
  }
  return limbs;
}

/** Bounds of a column from its joint's limits: [low, high], infinite where there is none; null: no bounds at all. */
export function boundsOf(run) {
  const bodyOf = bodyOfColumn(run);
  return (column) => {
    const body = bodyOf(column);
    const limits = body >= 0 ? run.model?.bodies?.[body]?.joint?.limits : null;
    if (!limits) return null;
    const [kind] = column.name.split(".");
    const { lower = -Infinity, upper = Infinity, velocity = Infinity, effort = Infinity } = limits;
    const bounds = { q: [lower, upper], qd: [lower, upper], v: [-velocity, velocity], tau: [-effort, effort] }[kind];
    return bounds?.some(Number.isFinite) ? bounds : null;
  };
}
