// SPDX-License-Identifier: Apache-2.0
// Runs made up for tests, in the form that 'appell report' writes into the page.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const here = dirname(fileURLToPath(import.meta.url));
const base64 = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");

/** Columns given as {name, unit, group, values} become the arrays of the document. */
export function pack({ time, columns = [], ...rest }) {
  const data = new Float32Array(time.length * columns.length);
  columns.forEach((column, i) => data.set(column.values, i * time.length));
  return {
    format: 1,
    program: "appell 0.1.0",
    made_from: "run.csv",
    rows: time.length,
    columns: [
      { name: "t", unit: "s", group: "time" },
      ...columns.map(({ name, unit, group, steps }) => ({ name, unit, group, steps })),
    ],
    time: base64(Float64Array.from(time)),
    data: base64(data),
    ...rest,
  };
}

/** The built page with a run in it. */
export function fill(page, run) {
  const place = '<script id="run" type="application/json">';
  const text = JSON.stringify(run).replaceAll("<", "\\u003c");
  return page.replace(place, () => place + text);
}

const NONE = { xyz: [0, 0, 0], quat: [0, 0, 0, 1] };

/** A body with what most have in common. */
export function body(name, parent, type, columns, more = {}) {
  const { axis = [0, 0, 1], mimic = null, origin = NONE, ...rest } = more;
  return {
    name,
    parent,
    joint: { name, type, axis, columns, mimic },
    origin,
    mass: 1,
    com: [0, 0, 0],
    ellipsoid: null,
    shapes: [],
    ...rest,
  };
}

/** The tree of models/shafei-tree.yaml. */
export function shafeiTree() {
  const rod = { com: [0.5, 0, 0], ellipsoid: { half_axes: [0.6455, 0.017, 0.017], quat: [0, 0, 0, 1] } };
  const next = { xyz: [1, 0, 0], quat: [0, 0, 0, 1] };
  const slides = [
    body("slide1", -1, "prismatic", ["q.X1"], { axis: [1, 0, 0], mass: 0 }),
    body("slide2", 0, "prismatic", ["q.X2"], { axis: [0, 1, 0], mass: 0 }),
  ];
  const parents = [1, 2, 3, 4, 3, 6, 7, 6, 6, 10];
  const rods = parents.map((parent, i) =>
    body(`rod${i + 1}`, parent, "revolute", [`q.q${i + 1}`], i === 0 ? rod : { ...rod, origin: next }),
  );
  const points = [{ name: "O1", body: 2, xyz: [0, 0, 0] }];
  for (let i = 1; i <= 10; i++) points.push({ name: `O${i + 1}`, body: i + 1, xyz: [1, 0, 0] });
  const bodies = [...slides, ...rods];
  return { model: { name: "shafei-tree", freedom: 12, gravity: [0, -9.81, 0], meshes: [], bodies }, points };
}

const UNITS = { energy: "J" };
const ENERGIES = ["kinetic", "potential", "elastic", "work", "dissipated", "lost", "closing"];

/** Rows and events as 'appell simulate' has written them, cut to a few digits. */
export function shafeiRun() {
  const { time, names, rows, events } = JSON.parse(readFileSync(join(here, "data/shafei2018.json"), "utf8"));
  const columns = names.map((name, i) => {
    const [kind] = name.split(".");
    const group = ENERGIES.includes(name) ? "energy" : ["q", "v", "tau", "force"].includes(kind) ? kind : "other";
    return {
      name,
      unit: UNITS[group] ?? (name.includes("X") ? { q: "m", v: "m/s" } : { q: "rad", v: "rad/s" })[kind] ?? "",
      group,
      values: rows.map((row) => row[i]),
    };
  });
  return pack({
    title: "shafei2018",
    time,
    columns,
    events,
    ...shafeiTree(),
    walls: [{ name: "circle", kind: "circle", radius: 2.5, inside: true, restitution: 1 }],
    facts: [
      { group: "Run", name: "Duration", value: "3 s" },
      { group: "Run", name: "Output step", value: "0.01 s" },
      { group: "Model", name: "Robot", value: "shafei-tree" },
      { group: "Model", name: "Mass", value: "10 kg" },
      { group: "Model", name: "Degrees of freedom", value: "12" },
      { group: "Integrator", name: "Method", value: "Dormand-Prince 8(5,3), adaptive" },
      { group: "Integrator", name: "Tolerances", value: "1e-12, 1e-12" },
    ],
    scenario: "appell-scenario: 1\nname: shafei2018\nrobot: shafei-tree\n# <script> in a comment does no harm\n...\n",
  });
}

const wave = (time, amplitude, frequency, phase = 0) =>
  time.map((t) => amplitude * Math.sin(2 * Math.PI * frequency * t + phase));

/** An arm of n joints that swings, with every column of a log: what benchmarks and tests of size use. */
export function armRun({ joints = 6, rows = 601, step = 0.01, events = 0 } = {}) {
  const time = Array.from({ length: rows }, (_, i) => i * step);
  const span = Math.max(step, rows * step);
  const columns = [];
  for (const [kind, unit] of [
    ["q", "rad"],
    ["v", "rad/s"],
    ["tau", "N m"],
  ]) {
    for (let i = 1; i <= joints; i++) {
      const frequency = 0.2 + 0.07 * i;
      const size = kind === "v" ? 2 * Math.PI * frequency * 0.5 : 0.5;
      columns.push({
        name: `${kind}.joint${i}`,
        unit,
        group: kind,
        values: wave(time, kind === "tau" ? 10 : size, frequency, kind === "v" ? Math.PI / 2 + i : i),
      });
    }
  }
  for (const name of ENERGIES)
    columns.push({ name, unit: "J", group: "energy", values: wave(time, name === "closing" ? 1e-9 : 5, 0.3) });
  const bodies = Array.from({ length: joints }, (_, i) =>
    body(`link${i + 1}`, i - 1, "revolute", [`q.joint${i + 1}`], {
      axis: i % 3 === 0 ? [0, 0, 1] : [0, 1, 0],
      origin: { xyz: [0, 0, i === 0 ? 0.1 : 0.25], quat: [0, 0, 0, 1] },
      com: [0, 0, 0.12],
      ellipsoid: { half_axes: [0.05, 0.05, 0.15], quat: [0, 0, 0, 1] },
    }),
  );
  const list = Array.from({ length: events }, (_, i) => ({
    t: (span * (i + 0.5)) / events,
    event: ["impact", "contact", "liftoff", "slip"][i % 4],
    point: `link${joints}/tip`,
    wall: "floor",
    number: i + 1,
    impulse: 1 + Math.sin(i),
    impulse_vector: [0, 0, 1 + Math.sin(i)],
    position: [0.3 * Math.cos(i), 0.3 * Math.sin(i), 0],
    normal: [0, 0, 1],
    before: [0, 0, -1],
    after: [0, 0, 0.5],
    angle: 0.2,
    lost: 0.1,
  }));
  return pack({
    title: `arm of ${joints} joints`,
    time,
    columns,
    events: list,
    model: { name: "arm", gravity: [0, 0, -9.81], meshes: [], bodies },
    points: [{ name: "tip", body: joints - 1, xyz: [0, 0, 0.25] }],
    walls: [{ name: "floor", kind: "plane", normal: [0, 0, 1] }],
  });
}

/** A ball that falls from 1 m and keeps half its speed at each impact, an arm that meets its stop: rows each 0.1 s,
 *  and two samples at each event, as 'appell report' merges them. */
export function jumpRun() {
  const g = 9.81;
  const speed = Math.sqrt(2 * g);
  const hits = [speed / g, (2 * speed) / g]; // the second flight has half the speed
  const stop = 0.7;
  const ball = (t, after) => {
    const n = hits.filter((hit) => (after ? hit <= t : hit < t)).length;
    const v0 = n === 0 ? 0 : speed * 0.5 ** n;
    const s = t - (n === 0 ? 0 : hits[n - 1]);
    return [(n === 0 ? 1 : 0) + v0 * s - (g * s * s) / 2, v0 - g * s, n];
  };
  const sampleAt = (t, after) => {
    const [height, v, n] = ball(t, after);
    const stopped = after ? t >= stop : t > stop;
    return { t, values: [height, stopped ? stop : t, v, stopped ? 0 : 1, g * (1 - 0.25 ** n), n] };
  };
  const rows = Array.from({ length: 12 }, (_, i) => sampleAt(i / 10, true));
  const jumps = [...hits, stop].flatMap((t) => [sampleAt(t, false), sampleAt(t, true)]);
  const samples = [...rows.filter(({ t }) => t !== stop), ...jumps, sampleAt(stop, true)].sort((a, b) => a.t - b.t);
  const named = [
    ["q.height", "m", "q"],
    ["q.arm", "rad", "q"],
    ["v.height", "m/s", "v"],
    ["v.arm", "rad/s", "v"],
    ["lost", "J", "energy", true],
    ["impacts", "", "count", true],
  ];
  const hit = (t, number, e) => ({ t, number, event: "impact", joint: -1, ...e });
  return pack({
    title: "jumps",
    time: samples.map(({ t }) => t),
    columns: named.map(([name, unit, group, steps], i) => ({
      name,
      unit,
      group,
      steps,
      values: samples.map(({ values }) => values[i]),
    })),
    events: [
      ...hits.map((t, i) =>
        hit(t, i + 1, {
          point: "ball/ball",
          wall: "floor",
          impulse: 1.5 * speed * 0.5 ** i,
          impulse_vector: [0, 0, 1.5 * speed * 0.5 ** i],
          position: [0, 0, 0],
          before: [0, 0, -speed * 0.5 ** i],
          after: [0, 0, speed * 0.5 ** (i + 1)],
          angle: 0,
        }),
      ),
      hit(stop, 3, {
        joint: 1,
        point: "arm",
        wall: "stop",
        impulse: 0.25,
        impulse_vector: [-0.25, 0, 0],
        position: [stop, 0, 0],
        before: [1, 0, 0],
        after: [0, 0, 0],
        angle: 0,
      }),
    ],
    model: {
      name: "ball and arm",
      freedom: 2,
      gravity: [0, 0, -g],
      meshes: [],
      bodies: [
        body("ball", -1, "prismatic", ["q.height"]),
        body("arm", -1, "revolute", ["q.arm"], { com: [0.2, 0, 0], origin: { xyz: [1, 0, 0], quat: [0, 0, 0, 1] } }),
      ],
    },
    points: [{ name: "ball", body: 0, xyz: [0, 0, 0] }],
    walls: [{ name: "floor", kind: "plane", normal: [0, 0, 1] }],
  });
}
