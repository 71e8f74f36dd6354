// SPDX-License-Identifier: Apache-2.0
// Every kind of wall, shape, mesh and joint, and data that a page may meet but nobody wants.

import { armRun, body, pack, shafeiRun } from "./fixtures.mjs";

const range = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const at = (xyz, quat = [0, 0, 0, 1]) => ({ xyz, quat });
const times = (rows, step = 0.02) => range(rows, (i) => i * step);
const column = (name, unit, group, time, f) => ({ name, unit, group, values: time.map(f) });

// Triangles of a box, corners at +-1/2.
const CORNERS = range(8, (i) => [(i & 1) - 0.5, ((i >> 1) & 1) - 0.5, (i >> 2) - 0.5]);
const FACES = [
  [0, 2, 3],
  [0, 3, 1],
  [4, 5, 7],
  [4, 7, 6],
  [0, 1, 5],
  [0, 5, 4],
  [2, 6, 7],
  [2, 7, 3],
  [0, 4, 6],
  [0, 6, 2],
  [1, 3, 7],
  [1, 7, 5],
];

export function stlBox() {
  const bytes = Buffer.alloc(84 + 50 * FACES.length);
  bytes.writeUInt32LE(FACES.length, 80);
  FACES.forEach((face, i) =>
    face.forEach((corner, k) =>
      CORNERS[corner].forEach((x, c) => bytes.writeFloatLE(x, 84 + 50 * i + 12 + 12 * k + 4 * c)),
    ),
  );
  return bytes.toString("base64");
}

export const objBox = () =>
  Buffer.from(
    [
      "mtllib box.mtl",
      "o box",
      ...CORNERS.map((p) => `v ${p.join(" ")}`),
      "usemtl red",
      ...FACES.map((f) => `f ${f.map((i) => i + 1).join(" ")}`),
    ].join("\n"),
  ).toString("base64");

/** In centimetres, z up, with a texture that is not there. */
export function daeBox() {
  const positions = CORNERS.flat()
    .map((x) => 100 * x)
    .join(" ");
  return Buffer.from(
    `<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_images><image id="paint"><init_from>paint.png</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON>
<newparam sid="s"><surface type="2D"><init_from>paint</init_from></surface></newparam><newparam sid="m"><sampler2D><source>s</source></sampler2D></newparam>
<technique sid="c"><lambert><diffuse><texture texture="m" texcoord="UV"/></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="mat"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="24">${positions}</float_array><technique_common><accessor source="#pa" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="12" material="mat"><input semantic="VERTEX" source="#v" offset="0"/><p>${FACES.flat().join(" ")}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene"><node><instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="mat" target="#mat"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>`,
  ).toString("base64");
}

const MESHES = () => [
  { name: "box.stl", format: "stl", data: stlBox() },
  { name: "box.obj", format: "obj", data: objBox() },
  { name: "box.dae", format: "dae", data: daeBox() },
];

/** A turntable that carries the shapes given, a column apart from the next. */
export function shapesRun(shapes, meshes = []) {
  const time = times(101);
  return pack({
    title: "shapes",
    time,
    columns: [column("q.turn", "rad", "q", time, (t) => 2 * t), column("v.turn", "rad/s", "v", time, () => 2)],
    model: {
      name: "shapes",
      gravity: [0, 0, -9.81],
      meshes,
      bodies: [body("table", -1, "revolute", ["q.turn"], { shapes })],
    },
  });
}

const SHAPES = [
  { kind: "box", size: [0.4, 0.3, 0.2], ...at([-0.8, 0, 0]), color: [0.8, 0.3, 0.2, 1] },
  { kind: "cylinder", radius: 0.15, length: 0.5, ...at([0, 0, 0]), color: null },
  { kind: "sphere", radius: 0.2, ...at([0.8, 0, 0]), color: [0.2, 0.6, 0.9, 0.6] },
  { kind: "mesh", mesh: 0, scale: [0.3, 0.3, 0.3], ...at([-0.8, 0.8, 0]), color: null },
  { kind: "mesh", mesh: 1, scale: [0.3, 0.3, 0.3], ...at([0, 0.8, 0]), color: [0.2, 0.7, 0.4, 1] },
  { kind: "mesh", mesh: 2, scale: [0.3, 0.3, 0.3], ...at([0.8, 0.8, 0]), color: null },
];

/** A cube of every format, each on a turntable of its own. */
export function meshRun() {
  const run = shapesRun([], MESHES());
  run.model.bodies = run.model.meshes.map(({ format }, mesh) =>
    body(format, -1, "revolute", ["q.turn"], {
      origin: at([0, 2 * mesh, 0]),
      shapes: [{ kind: "mesh", mesh, scale: [1, 1, 1], ...at([0.2, 0, 0]), color: null }],
    }),
  );
  return run;
}

const WALLS = {
  plane: { normal: [0.2, 0, 1], centre: [0, 0, -1] },
  circle: { radius: 1.6, axis: [0, 1, 0], inside: true },
  ellipse: { semi_axes: [1.8, 1.2], axis: [0, 1, 0], x: [1, 0, 0.3], inside: true },
  cylinder: { radius: 0.5, centre: [0, 0, -1.5], axis: [0, 1, 0] },
  sphere: { radius: 1.6, inside: true },
  ellipsoid: { semi_axes: [0.9, 0.5, 0.3], centre: [0, 0, -1.4], axis: [0, 0.2, 1] },
  torus: { ring: 1.2, tube: 0.35, centre: [0, 0, -1] },
  profile: {
    points: [
      [-2, 0.2],
      [-1, -0.1],
      [0, 0.15],
      [1, -0.1],
      [2, 0.4],
    ],
    centre: [0, 0, -1.4],
    axis: [0, -1, 0],
  },
};

/** A spatial pendulum near walls of some kinds. */
export function wallRun(...kinds) {
  const time = times(151);
  const turn = (t) => 0.7 * Math.sin(3 * t);
  return pack({
    title: `walls: ${kinds.join(", ")}`,
    time,
    columns: ["x", "y", "z", "w"].map((name, i) =>
      column(
        `q.ball.q${name}`,
        "",
        "q",
        time,
        (t) => [Math.sin(turn(t) / 2) * 0.6, Math.sin(turn(t) / 2) * 0.8, 0, Math.cos(turn(t) / 2)][i],
      ),
    ),
    model: {
      name: "pendulum",
      gravity: [0, 0, -9.81],
      meshes: [],
      bodies: [
        body("bob", -1, "spherical", ["q.ball.qx", "q.ball.qy", "q.ball.qz", "q.ball.qw"], {
          com: [0, 0, -0.9],
          ellipsoid: { half_axes: [0.1, 0.1, 0.1], quat: [0, 0, 0, 1] },
        }),
      ],
    },
    points: [{ name: "bob", body: 0, xyz: [0, 0, -1] }],
    walls: kinds.map((kind) => ({ name: kind, kind, ...WALLS[kind] })),
    events: [
      {
        t: 1,
        event: "impact",
        point: "bob/bob",
        wall: kinds[0],
        number: 1,
        impulse: 2,
        impulse_vector: [0, 0, 2],
        position: [0, 0, -1],
        normal: [0, 0, 1],
        before: [0, 0, -1],
        after: [0, 0, 1],
        angle: 0,
        lost: 0,
      },
    ],
  });
}

export const wallKinds = Object.keys(WALLS);

/** Data that break pages: nothing may throw. */
export function oddRuns() {
  const arm = armRun({ joints: 3, rows: 51, events: 5 });
  const nan = armRun({ joints: 2, rows: 40 });
  const spoiled = new Float32Array(Uint8Array.from(Buffer.from(nan.data, "base64")).buffer);
  for (let i = 0; i < spoiled.length; i += 7) spoiled[i] = NaN;
  for (let i = 3; i < spoiled.length; i += 31) spoiled[i] = Infinity;
  const hostile = "</script><script>throw new Error('let in')</script><!--";
  return {
    "no rows": pack({
      title: "no rows",
      time: [],
      columns: [{ name: "q.joint1", unit: "rad", group: "q", values: [] }],
      model: arm.model,
      walls: arm.walls,
    }),
    "one row": armRun({ joints: 3, rows: 1 }),
    "not numbers": { ...nan, data: Buffer.from(spoiled.buffer).toString("base64") },
    "no model": { ...arm, model: null, points: [], walls: [] },
    "no events": { ...arm, events: [] },
    "no walls": { ...arm, walls: undefined, points: undefined, closures: undefined, events: undefined },
    "many events": armRun({ joints: 3, rows: 501, events: 10000 }),
    "an empty document": {},
    "columns that are not there": {
      ...arm,
      model: {
        ...arm.model,
        bodies: arm.model.bodies.map((b) => ({ ...b, joint: { ...b.joint, columns: ["q.absent"] } })),
      },
    },
    "events without places": { ...arm, events: [{ t: 0.1, event: "impact" }, { t: 0.2 }, {}] },
    "walls without sizes": { ...arm, walls: wallKinds.map((kind) => ({ name: kind, kind })) },
    "a broken mesh": shapesRun(
      [{ kind: "mesh", mesh: 0, scale: [1, 1, 1], ...at([0, 0, 0]), color: null }],
      [{ name: "broken.stl", format: "stl", data: "AAAA" }],
    ),
    "a broken dae": shapesRun(
      [{ kind: "mesh", mesh: 0, scale: [1, 1, 1], ...at([0, 0, 0]), color: null }],
      [{ name: "broken.dae", format: "dae", data: Buffer.from("<COLLADA><").toString("base64") }],
    ),
    "words that look like tags": {
      ...arm,
      title: hostile,
      scenario: hostile,
      warnings: [hostile],
      facts: [{ group: hostile, name: hostile, value: hostile }],
    },
    "many words": {
      ...arm,
      title: "a very long title without end ".repeat(12),
      warnings: range(40, (i) => `warning ${i}: ${"word".repeat(60)}`),
    },
  };
}

export function gallery() {
  const pages = { shafei2018: shafeiRun(), arm: armRun({ events: 40 }), shapes: shapesRun(SHAPES, MESHES()) };
  for (const kind of wallKinds) pages[`wall-${kind}`] = wallRun(kind);
  return pages;
}
