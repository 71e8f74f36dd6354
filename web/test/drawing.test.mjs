// SPDX-License-Identifier: Apache-2.0
// What plots and walls are drawn from.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readRun, withoutNoise } from "../src/data.js";
import { decimate } from "../src/decimate.js";
import { typeset } from "../src/dom.js";
import { measure } from "../src/extent.js";
import { makeKinematics } from "../src/kinematics.js";
import { nextRatio } from "../src/resolution.js";
import { densityOf, intervalsOf } from "../src/events.js";
import { boxOf, carriersOf, fits, lightLinks, partsOf } from "../src/links.js";
import { traceable } from "../src/markers.js";
import { boundsOf, bodyOfColumn, limbsOf, panelsOf } from "../src/panels.js";
import { balanceOf } from "../src/summary.js";
import { frameOf, isWhole, motionAt, splineThrough, stairsOf, trianglesOf } from "../src/walls.js";
import { armRun, body, pack, shafeiRun } from "./fixtures.mjs";

test("decimated series keep every extreme", () => {
  const n = 60000;
  const time = Float64Array.from({ length: n }, (_, i) => i / 1000);
  const values = Float32Array.from({ length: n }, (_, i) => Math.sin(i / 500));
  values[12345] = 77;
  values[54321] = -88;
  const [times, series] = decimate(time, [values], 0, 60, 700);
  assert.ok(times.length <= 1400);
  assert.equal(times.length, series.length);
  assert.equal(Math.max(...series), 77);
  assert.equal(Math.min(...series), -88);
  assert.ok(Math.abs(times[series.indexOf(77)] - 12.345) < 0.1);
  for (let i = 1; i < times.length; i++) assert.ok(times[i] > times[i - 1]);
});

test("a short range is given as it is, with a row on either side and gaps for what is no number", () => {
  const time = Float64Array.from({ length: 10000 }, (_, i) => i);
  const values = Float32Array.from(time, (t) => (t === 502 ? NaN : t));
  const [times, series] = decimate(time, [values], 500.5, 503.5, 700);
  assert.deepEqual(times, [500, 501, 502, 503, 504]);
  assert.deepEqual(series, [500, 501, null, 503, 504]);
});

test("a decimated slope stays straight", () => {
  const n = 60000;
  const time = Float64Array.from({ length: n }, (_, i) => i / 1000);
  const [times, series] = decimate(time, [Float32Array.from(time)], 0, 60, 700);
  times.forEach((t, i) => assert.ok(Math.abs(series[i] - t) < 1e-5, `${series[i]} at ${t}`));
});

test("what rounding leaves is nothing, and numbers in facts have true signs", () => {
  assert.equal(withoutNoise(2.71e-31, 2.4), 0);
  assert.equal(withoutNoise(-1e-9, 2.4), -1e-9);
  assert.ok(Number.isNaN(withoutNoise(NaN, 1)));
  assert.equal(typeset("0 0 -9.81 m/s2"), "0 0 \u22129.81 m/s\u00b2");
  assert.equal(typeset("1e-05 s"), "1e\u22125 s");
  assert.equal(typeset("1e+06"), "1e6");
  assert.equal(typeset("run-1e-05.csv"), "run-1e-05.csv");
});

test("slow frames get coarser down to a limit, quick ones finer again", () => {
  let ratio = 2;
  for (let i = 0; i < 20; i++) ratio = nextRatio(ratio, 2, 200);
  assert.equal(ratio, 0.5);
  assert.equal(nextRatio(1, 1, 20), 1);
  for (let i = 0; i < 20; i++) ratio = nextRatio(ratio, 2, 5);
  assert.equal(ratio, 2);
});

test("decimating nothing gives nothing", () => {
  assert.deepEqual(decimate(new Float64Array(0), [new Float32Array(0)], 0, 1, 100), [[], []]);
});

test("every column has a panel, and energies have their total", () => {
  const run = readRun(shafeiRun());
  const panels = panelsOf(run);
  const shown = panels.flatMap((panel) => panel.columns.map((column) => column.name));
  for (const column of run.columns) assert.ok(shown.includes(column.name), column.name);
  const energies = panels.find((panel) => panel.key === "energy").columns;
  const total = energies.find((column) => column.name === "total");
  assert.ok(Math.abs(total.values[200] - 18.657872) < 1e-4);
});

test("a robot that moves in one plane is seen along its normal", () => {
  const flat = readRun(shafeiRun());
  assert.deepEqual(measure(flat, makeKinematics(flat)).normal, [0, 0, 1]);
  const arm = readRun(armRun());
  assert.equal(measure(arm, makeKinematics(arm)).normal, null);
});

test("a profile is the natural spline of its points, straight beyond", () => {
  // Through (0, 0), (1, 1), (2, 0): curvatures 0, -3, 0.
  const height = splineThrough([
    [0, 0],
    [1, 1],
    [2, 0],
  ]);
  for (const [x, y] of [
    [0, 0],
    [1, 1],
    [2, 0],
    [0.5, 0.6875],
    [1.5, 0.6875],
    [-1, -1.5],
    [3, -1.5],
  ])
    assert.ok(Math.abs(height(x) - y) < 1e-12, `${x}: ${height(x)} is not ${y}`);
});

test("a wall's axes are right-handed, whatever x is", () => {
  for (const wall of [
    { kind: "plane", normal: [0, 3, 0] },
    { kind: "circle" },
    { kind: "profile", axis: [0, -1, 0] },
    { kind: "ellipse", axis: [2, 0, 0], x: [1, 0, 0] },
  ]) {
    const { x, y, z } = frameOf(wall);
    const triple =
      x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) + x[2] * (y[0] * z[1] - y[1] * z[0]);
    assert.ok(Math.abs(triple - 1) < 1e-12);
  }
  assert.equal(frameOf({ kind: "profile", axis: [0, -1, 0] }).y[2], 1);
});

test("stairs rise step by step, and the last tread goes on", () => {
  assert.deepEqual(stairsOf({ steps: 2, rise: 0.5, run: 1 }, 3), [
    [0, 0],
    [0, 0.5],
    [1, 0.5],
    [1, 1],
    [3, 1],
  ]);
});

test("a height field has two triangles in each cell", () => {
  const field = { kind: "height_field", spacing: [1, 2], heights: [[0, 1, 2], [3, 4, 5]] };
  const { places, faces } = trianglesOf(field);
  assert.deepEqual(places.slice(9, 12), [0, 2, 3]);
  assert.deepEqual(faces, [0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4]);
  assert.ok(isWhole(field));
  assert.ok(!isWhole({ kind: "box", lengths: [1, 0, 1] }));
  assert.ok(isWhole({ kind: "cone", radius: 1, length: 2 }));
});

// ---- links without shapes ----------------------------------------------------------------------

const SIZE = 1;
const THICK = 0.014;
const at = (x, y, z) => ({ xyz: [x, y, z], quat: [0, 0, 0, 1] });
const ellipsoid = (...sides) => ({ half_axes: sides.map((s) => (s / 2) * Math.sqrt(5 / 3)), quat: [0, 0, 0, 1] });
function sceneOf(bodies, more = {}) {
  const run = readRun(pack({ time: [0], columns: [], model: { bodies }, ...more }));
  const kin = makeKinematics(run);
  return { bodies: kin.bodies, points: run.points, closures: run.closures, light: lightLinks(kin.bodies) };
}
const parts = (scene, i) => partsOf(scene.bodies[i], scene, SIZE, THICK);

test("a solid box comes back from its mass and inertia, from joint to joint and at an end", () => {
  const bar = { mass: 2, com: [0.25, 0, 0], ellipsoid: ellipsoid(0.5, 0.06, 0.04) };
  const scene = sceneOf([
    body("upper", -1, "revolute", [], bar),
    body("lower", 0, "revolute", [], { ...bar, origin: at(0.5, 0, 0) }),
  ]);
  for (const i of [0, 1]) {
    const [box] = parts(scene, i);
    assert.equal(box.kind, "box");
    [0.25, 0.03, 0.02].forEach((half, k) => assert.ok(Math.abs(box.half[k] - half) < 1e-12));
  }
});

test("an inertia that cannot be the link's gives no giant: foam, or a box far beyond its joints", () => {
  const camera = body("camera", -1, "revolute", [], { mass: 0.01, ellipsoid: ellipsoid(0.3, 0.3, 0.3) });
  const [ball] = parts(sceneOf([camera]), 0);
  assert.equal(ball.kind, "ball");
  assert.ok(ball.radius < 0.02);
  const scene = sceneOf([
    body("wrist", -1, "revolute", [], { mass: 1.2, ellipsoid: ellipsoid(1.3, 0.1, 0.1) }),
    body("hand", 0, "revolute", [], { origin: at(0, 0.1, 0) }),
  ]);
  assert.equal(boxOf(scene.bodies[0], [[0, 0.1, 0]], SIZE, THICK), null);
  assert.deepEqual(parts(scene, 0).map(({ kind, to }) => [kind, to]), [["bone", [0, 0.1, 0]]]);
});

test("a heavier link is thicker, as thick as water of its mass at most", () => {
  const radius = (mass) => {
    const scene = sceneOf([body("arm", -1, "revolute", [], { mass }), body("next", 0, "revolute", [], { origin: at(0.4, 0, 0) })]);
    return parts(scene, 0)[0].radius;
  };
  assert.ok(radius(4) > radius(1) && radius(1) > radius(0.1));
  assert.ok(Math.abs(radius(4) - Math.sqrt(4 / (1000 * Math.PI * 0.4))) < 1e-12);
});

test("near-massless fixed frames are not drawn, but a tool at the end shows how far the last link goes", () => {
  const scene = sceneOf([
    body("hand", -1, "revolute", [], { mass: 1 }),
    body("tool", 0, "fixed", [], { mass: 0, origin: at(0, 0, 0.2) }),
    body("camera_optical_frame", 0, "fixed", [], { mass: 0.001, origin: at(0.1, 0, 0) }),
  ]);
  assert.deepEqual(scene.light, [false, true, true]);
  assert.deepEqual(carriersOf(scene.bodies), [0, 0, 0]);
  assert.deepEqual(parts(scene, 1), []);
  assert.deepEqual(parts(scene, 0).map(({ kind, to }) => [kind, to]), [["bone", [0, 0, 0.2]]]);
});

test("links of a spherical wrist are arcs of the radius that their centre of mass tells", () => {
  const half = (40 * Math.PI) / 180;
  const away = (0.1 * Math.sin(half)) / half; // of an arc of 0.1 m over 80 degrees
  const com = [0, -away * Math.sin(half), away * Math.cos(half)];
  const quat = [Math.sin(half), 0, 0, Math.cos(half)];
  const scene = sceneOf([
    body("proximal", -1, "revolute", [], { mass: 0.19, com }),
    body("distal", 0, "revolute", [], { mass: 0.1, origin: { xyz: [0, 0, 0], quat } }),
  ]);
  const [arc] = parts(scene, 0);
  assert.equal(arc.kind, "arc");
  assert.ok(Math.abs(arc.radius - 0.1) < 1e-12);
});

test("a platform that closures hold is a plate", () => {
  const corners = [[0.1, 0, 0], [-0.05, 0.09, 0], [-0.05, -0.09, 0]];
  const closures = corners.map((xyz) => ({ kind: "point", body_a: 0, xyz_a: [0, 0, 0], body_b: 1, xyz_b: xyz }));
  const scene = sceneOf([body("arm", -1, "revolute", []), body("platform", -1, "free", [])], { closures });
  assert.deepEqual(parts(scene, 1)[0].points, corners);
});

test("a bound around a whole robot does not stand for one of its links", () => {
  assert.equal(fits({ kind: "cylinder", radius: 1, length: 2, collision: true }, 1.7), false);
  assert.equal(fits({ kind: "cylinder", radius: 1, length: 2 }, 1.7), true);
  assert.equal(fits({ kind: "box", size: [0.2, 0.2, 0.4], collision: true }, 1.7), true);
});

// ---- walls that move ----------------------------------------------------------------------------

test("a wall moves as the library moves it", () => {
  const none = { velocity: [0, 0, 0], amplitude: [0, 0, 0], axis: [0, 0, 0], pivot: [0, 0, 0], spin: 0, swing: 0, frequency: 0, phase: 0 };
  const lift = { kind: "plane", normal: [0, 0, 1], motion: { ...none, amplitude: [0, 0, 0.5], frequency: 0.25, phase: -Math.PI / 2, from: 1, to: 3 } };
  const height = (t) => motionAt(lift, t).shift[2];
  assert.deepEqual([0, 1, 2, 3, 9].map((t) => Math.round(1e12 * height(t)) / 1e12 + 0), [-0.5, -0.5, 0, 0.5, 0.5]);
  const door = { kind: "box", centre: [1, 0, 0], axis: [0, 0, 1], motion: { ...none, pivot: [-0.5, 0, 0], spin: 2 } };
  const { angle, axis, pivot } = motionAt(door, 0.25);
  assert.deepEqual([angle, axis, pivot], [0.5, [0, 0, 1], [0.5, 0, 0]]);
});

// ---- plots --------------------------------------------------------------------------------------

const floating = () => {
  const time = [0, 1];
  const column = (name, unit, group) => ({ name, unit, group, values: [0, 1] });
  const joints = ["l_hip", "l_knee", "r_hip", "r_knee"];
  return readRun(
    pack({
      time,
      columns: [
        ...["x", "y", "z"].map((c) => column(`q.base.${c}`, "m", "q")),
        ...["qx", "qy", "qz", "qw"].map((c) => column(`q.base.${c}`, "", "q")),
        ...joints.map((name) => column(`q.${name}`, "rad", "q")),
        ...joints.map((name) => column(`v.${name}`, "rad/s", "v")),
        column("force.l_foot.z", "N", "force"),
      ],
      model: {
        bodies: [
          body("base", -1, "free", ["x", "y", "z", "qx", "qy", "qz", "qw"].map((c) => `q.base.${c}`)),
          body("l_thigh", 0, "revolute", ["q.l_hip"]),
          body("l_shank", 1, "revolute", ["q.l_knee"]),
          body("r_thigh", 0, "revolute", ["q.r_hip"]),
          body("r_shank", 3, "revolute", ["q.r_knee"]),
        ].map((one, i) => (i === 2 ? { ...one, joint: { ...one.joint, limits: { lower: -1, upper: 2, velocity: 8 } } } : one)),
      },
      points: [{ name: "l_foot", body: 2, xyz: [0, 0, -0.3] }],
    }),
  );
};

test("every panel has one unit; joints come first, and quaternions are not shown at first", () => {
  const panels = panelsOf(floating());
  assert.deepEqual(
    panels.map(({ key, unit, first }) => [key, unit, first]),
    [["q", "rad", true], ["q m", "m", true], ["q 1", "", false], ["v", "rad/s", true], ["force", "N", false]],
  );
});

test("columns belong to links, links to limbs, and limits to the columns they bound", () => {
  const run = floating();
  const bodyOf = bodyOfColumn(run);
  const of = (name) => bodyOf(run.column(name));
  assert.deepEqual(["q.base.x", "q.l_knee", "v.r_hip", "force.l_foot.z"].map(of), [0, 2, 3, 2]);
  assert.deepEqual(limbsOf(makeKinematics(run).bodies), ["", "l_thigh", "l_thigh", "r_thigh", "r_thigh"]);
  const bounds = boundsOf(run);
  assert.deepEqual(bounds(run.column("q.l_knee")), [-1, 2]);
  assert.deepEqual(bounds(run.column("v.l_knee")), [-8, 8]);
  assert.equal(bounds(run.column("q.r_knee")), null);
});

test("curves of two runs on common times keep their own points, jumps included", async () => {
  const { merged } = await import("../src/panel.js");
  const [times, a, b] = merged([[[0, 1, 1, 2], [1, 2, 3, 4]], [[0.5, 1], [7, 8]]]);
  assert.deepEqual(times, [0, 0.5, 1, 1, 1, 2]);
  assert.deepEqual(a.filter((x) => x !== undefined), [1, 2, 3, 4]);
  assert.deepEqual(b.filter((x) => x !== undefined), [7, 8]);
});

// ---- events and energies ------------------------------------------------------------------------

test("thousands of like impacts are intervals, and none is lost", () => {
  const bounce = (t, index, point) => ({ t, index, event: "impact", point, wall: "ground", impulse: 1, lost: 0.5 });
  const events = [];
  for (let i = 0; i < 1000; i++) events.push(bounce(1 + i / 1000, i, "a"));
  events.push(bounce(5, 1000, "a"), bounce(1.5005, 1001, "b"));
  for (let i = 0; i < 500; i++) events.push(bounce(8 + i / 1000, 1002 + i, "a"));
  events.sort((a, b) => a.t - b.t);
  const lines = intervalsOf(events, 10);
  assert.deepEqual(
    lines.map(({ t, until, count, point }) => [t, until, count, point]),
    [[1, 1.999, 1000, "a"], [1.5005, undefined, undefined, "b"], [5, undefined, undefined, "a"], [8, 8.499, 500, "a"]],
  );
  assert.equal(lines[0].lost, 500);
  const density = densityOf({ start: 0, end: 10, events }, 10).get("impact");
  assert.deepEqual([...density], [0, 1001, 0, 0, 0, 1, 0, 0, 500, 0]);
});

test("a balance error of two per cent is flagged, that of rounding is not", () => {
  const run = (error) =>
    readRun(
      pack({
        time: [0, 1],
        columns: [
          { name: "kinetic", unit: "J", group: "energy", values: [0, 5] },
          { name: "potential", unit: "J", group: "energy", values: [1000, 995] },
          { name: "closing", unit: "J", group: "energy", values: [0, error] },
        ],
      }),
    );
  assert.equal(balanceOf(run(0.1)).flagged, true);
  assert.ok(Math.abs(balanceOf(run(0.1)).part - 0.02) < 1e-7);
  assert.equal(balanceOf(run(1e-6)).flagged, false);
});

test("paths at first: points that touched, else ends", () => {
  const run = (events) =>
    readRun(
      pack({
        time: [0],
        columns: [],
        events,
        model: { bodies: [body("arm", -1, "revolute", []), body("fore", 0, "revolute", [], { origin: at(1, 0, 0), com: [0.5, 0, 0] })] },
        points: [{ name: "elbow", body: 0, xyz: [1, 0, 0] }, { name: "tip", body: 1, xyz: [1, 0, 0] }],
      }),
    );
  const chosen = (events) => {
    const one = run(events);
    return traceable(one, makeKinematics(one)).filter(({ end }) => end).map(({ name }) => name);
  };
  assert.deepEqual(chosen([]), ["tip"]);
  assert.deepEqual(chosen([{ t: 0, event: "impact", point: "arm/elbow", position: [0, 0, 0] }]), ["elbow"]);
});
