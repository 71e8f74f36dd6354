// SPDX-License-Identifier: Apache-2.0
// Where links are, against the positions that the simulation itself has logged, and against products of matrices.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Clock } from "../src/clock.js";
import { bytesOf, lastAtOrBelow, readRun, valueAt } from "../src/data.js";
import { makeKinematics } from "../src/kinematics.js";
import { body, here, jumpRun, pack } from "./fixtures.mjs";

const logs = JSON.parse(readFileSync(join(here, "data/impacts.json"), "utf8"));

function runOf(log) {
  const columns = log.columns.map((name, i) => ({
    name,
    unit: "",
    group: name[0],
    values: log.rows.map((row) => row[i]),
  }));
  return readRun(
    pack({ time: log.time, columns, model: { bodies: log.bodies }, points: log.points, events: log.events }),
  );
}

// Columns are floats: 6e-8 of values of a few units, added along a chain. Rows are 1e-5 s apart, and an impact between two
// of them bends the path, which is straight before and after to a t^2 / 8: 1e-8 m for 1000 m/s^2.
for (const log of logs) {
  test(`points are where the log of ${log.scenario} has its impacts`, () => {
    const run = runOf(log);
    const kin = makeKinematics(run);
    assert.ok(log.events.length >= 4);
    for (const event of log.events) {
      const point = run.points.find(({ name }) => event.point.endsWith(`/${name}`));
      kin.at(event.t);
      const found = kin.point(point.body, point.xyz);
      for (let i = 0; i < 3; i++)
        assert.ok(
          Math.abs(found[i] - event.position[i]) < 1e-6,
          `${event.point} at ${event.t}: ${found} is not ${event.position}`,
        );
    }
  });
}

// ---- matrices, the plain way ---------------------------------------------------------------------

const product = (a, b) => a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));

function rotation([x, y, z], angle) {
  const c = Math.cos(angle),
    s = Math.sin(angle),
    d = 1 - c;
  return [
    [c + x * x * d, x * y * d - z * s, x * z * d + y * s, 0],
    [y * x * d + z * s, c + y * y * d, y * z * d - x * s, 0],
    [z * x * d - y * s, z * y * d + x * s, c + z * z * d, 0],
    [0, 0, 0, 1],
  ];
}

const shift = ([x, y, z]) => [
  [1, 0, 0, x],
  [0, 1, 0, y],
  [0, 0, 1, z],
  [0, 0, 0, 1],
];

function ofQuaternion([x, y, z, w]) {
  const angle = 2 * Math.atan2(Math.hypot(x, y, z), w);
  const length = Math.hypot(x, y, z) || 1;
  return rotation([x / length, y / length, z / length], angle);
}

const unit = (v) => v.map((x) => x / Math.hypot(...v));
const frame = { xyz: [0.3, -0.2, 0.5], quat: unit([0.1, -0.4, 0.3, 0.8]) };
const placed = product(shift(frame.xyz), ofQuaternion(frame.quat));

function onlyPoseOf(joint, values, more = {}) {
  const columns = values.map((value, i) => ({ name: `q.j.${i}`, unit: "", group: "q", values: [value] }));
  const names = columns.map(({ name }) => name);
  const run = readRun(
    pack({
      time: [0],
      columns,
      model: { bodies: [body("a", -1, joint.type, names, { axis: joint.axis, origin: frame, ...more })] },
    }),
  );
  const kin = makeKinematics(run);
  kin.at(0);
  return kin;
}

function assertPose(kin, expected) {
  for (const p of [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]) {
    const found = kin.point(0, p);
    const wanted = product(expected, [[p[0]], [p[1]], [p[2]], [1]]);
    for (let i = 0; i < 3; i++) assert.ok(Math.abs(found[i] - wanted[i][0]) < 1e-6, `${found} is not ${wanted}`);
  }
}

const slanted = unit([0.3, -0.5, 0.7]);

test("a revolute joint turns about its axis", () => {
  assertPose(onlyPoseOf({ type: "revolute", axis: slanted }, [0.8]), product(placed, rotation(slanted, 0.8)));
});

test("a prismatic joint moves along its axis", () => {
  assertPose(
    onlyPoseOf({ type: "prismatic", axis: slanted }, [0.8]),
    product(placed, shift(slanted.map((x) => 0.8 * x))),
  );
});

test("a spherical joint's quaternion takes the body to the joint frame, whatever its length", () => {
  const q = [0.2, 0.3, -0.5, 0.6];
  assertPose(
    onlyPoseOf(
      { type: "spherical" },
      q.map((x) => 1.5 * x),
    ),
    product(placed, ofQuaternion(unit(q))),
  );
});

test("a free joint is a position and a quaternion", () => {
  const q = unit([0.2, 0.3, -0.5, 0.6]);
  assertPose(
    onlyPoseOf({ type: "free" }, [1, 2, 3, ...q]),
    product(placed, product(shift([1, 2, 3]), ofQuaternion(q))),
  );
});

test("a planar joint moves in the plane across its axis", () => {
  const [x, y, angle] = [0.4, -0.7, 1.1];
  assertPose(
    onlyPoseOf({ type: "planar", axis: [0, 0, 1] }, [x, y, angle]),
    product(placed, product(shift([x, y, 0]), rotation([0, 0, 1], angle))),
  );
  // The smallest rotation that takes z to the axis turns about z x axis.
  const about = unit([-slanted[1], slanted[0], 0]);
  const turned = product(rotation(about, Math.acos(slanted[2])), [[x], [y], [0], [1]])
    .slice(0, 3)
    .map(([c]) => c);
  assertPose(
    onlyPoseOf({ type: "planar", axis: slanted }, [x, y, angle]),
    product(placed, product(shift(turned), rotation(slanted, angle))),
  );
});

test("a link's frame may be off the joint frame, as with standard Denavit-Hartenberg parameters", () => {
  const link = { xyz: [0.4, 0, 0.1], quat: unit([0.7, 0, 0, 0.7]) };
  assertPose(
    onlyPoseOf({ type: "revolute", axis: [0, 0, 1] }, [0.8], { link }),
    product(placed, product(rotation([0, 0, 1], 0.8), product(shift(link.xyz), ofQuaternion(link.quat)))),
  );
});

test("a mimic follower moves by its ratio and offset", () => {
  assertPose(
    onlyPoseOf({ type: "revolute", axis: slanted }, [0.8], { mimic: { multiplier: -2, offset: 0.3 } }),
    product(placed, rotation(slanted, -1.3)),
  );
});

test("between rows a motion follows its rates, and quaternions the shortest way", () => {
  const time = [0, 0.1, 0.2];
  const columns = [
    { name: "q.a", unit: "rad", group: "q", values: time.map((t) => Math.sin(5 * t)) },
    { name: "v.a", unit: "rad/s", group: "v", values: time.map((t) => 5 * Math.cos(5 * t)) },
    ...["x", "y", "z", "w"].map((c, i) => ({
      name: `q.b.q${c}`,
      unit: "",
      group: "q",
      values: time.map((t) => [0, 0, Math.sin(2 * t), Math.cos(2 * t)][i] * (t === 0.1 ? -1 : 1)),
    })),
  ];
  const bodies = [
    body("a", -1, "revolute", ["q.a"]),
    body("b", -1, "spherical", ["q.b.qx", "q.b.qy", "q.b.qz", "q.b.qw"]),
  ];
  const kin = makeKinematics(readRun(pack({ time, columns, model: { bodies } })));
  for (const t of [0.03, 0.05, 0.12, 0.19]) {
    kin.at(t);
    const a = kin.point(0, [1, 0, 0]),
      b = kin.point(1, [1, 0, 0]);
    // A cubic with the right rates: (5 h)^4 / 384 = 1.6e-4; a straight line would be off by (5 h)^2 / 8 = 0.03.
    assert.ok(Math.abs(Math.atan2(a[1], a[0]) - Math.sin(5 * t)) < 2e-4);
    assert.ok(Math.abs(Math.atan2(b[1], b[0]) - 4 * t) < 1e-6);
  }
});

test("rates that do not belong to the rows are not followed", () => {
  const columns = [
    { name: "q.a", unit: "", group: "q", values: [0, 1] },
    { name: "v.a", unit: "", group: "v", values: [900, 800] },
  ];
  const kin = makeKinematics(
    readRun(
      pack({ time: [0, 1], columns, model: { bodies: [body("a", -1, "prismatic", ["q.a"], { axis: [1, 0, 0] })] } }),
    ),
  );
  kin.at(0.25);
  assert.ok(Math.abs(kin.point(0, [0, 0, 0])[0] - 0.25) < 1e-6);
});

test("base64 reads back, with the browser's own reader and without", () => {
  const native = Uint8Array.fromBase64;
  Uint8Array.fromBase64 = undefined;
  try {
    for (const n of [0, 1, 2, 3, 4, 5, 255, 1000]) {
      const bytes = Uint8Array.from({ length: n }, (_, i) => (i * 37 + n) % 256);
      assert.deepEqual([...bytesOf(Buffer.from(bytes).toString("base64"))], [...bytes]);
    }
  } finally {
    if (native) Uint8Array.fromBase64 = native;
    else delete Uint8Array.fromBase64;
  }
});

test("rows are found by time", () => {
  assert.equal(lastAtOrBelow([1, 2, 2, 3], 2), 2);
  assert.equal(lastAtOrBelow([1, 2, 2, 3], 0.5), -1);
  assert.equal(lastAtOrBelow([1, 2, 2, 3], 9), 3);
  const run = readRun(
    pack({ time: [0, 1, 3], columns: [{ name: "x", unit: "", group: "other", values: [0, 10, 30] }] }),
  );
  assert.equal(valueAt(run, run.column("x"), 2), 20);
  assert.equal(valueAt(run, run.column("x"), -5), 0);
  assert.equal(valueAt(run, run.column("x"), 99), 30);
});

// ---- jumps -----------------------------------------------------------------------------------------

test("between two events the path is that of the flight, however far apart rows are", () => {
  const run = readRun(jumpRun());
  const kin = makeKinematics(run);
  const [first] = run.impactTimes;
  assert.equal(run.bends.length, 0);
  // Half a flight of 0.5 m/s from the first impact on lies in no row.
  for (const s of [-0.04, -0.01, 0, 0.01, 0.04]) {
    const v = s < 0 ? -9.81 * first : 0.5 * 9.81 * first;
    kin.at(first + s);
    const [, , height] = kin.point(0, [0, 0, 0]);
    assert.ok(Math.abs(height - (v * s - (9.81 * s * s) / 2)) < 1e-6, `${height} at ${s} s from the impact`);
  }
});

test("impacts without states of their own bend the path between rows", () => {
  const log = logs[0];
  assert.equal(runOf(log).bends.length, runOf(log).impactTimes.length);
});

test("a velocity jumps at an impact, and a counter is a step", () => {
  const run = readRun(jumpRun());
  const [first, second] = run.impactTimes.filter((t) => t !== 0.7);
  const [v, lost, impacts] = ["v.height", "lost", "impacts"].map((name) => run.column(name));
  const speed = 9.81 * first;
  assert.ok(Math.abs(valueAt(run, v, first - 1e-9) + speed) < 1e-5);
  assert.ok(Math.abs(valueAt(run, v, first) - 0.5 * speed) < 1e-5);
  for (const t of [0, 0.45, first - 1e-9]) assert.equal(valueAt(run, lost, t), 0);
  for (const t of [first, 0.47, second - 1e-9]) {
    assert.ok(Math.abs(valueAt(run, lost, t) - 0.75 * 9.81) < 1e-5);
    assert.equal(valueAt(run, impacts, t), 1);
  }
});

test("both sides of a jump are one moment for whoever steps through the rows", () => {
  const run = readRun(jumpRun());
  const moments = [...new Set(run.time)];
  const clock = new Clock(run);
  const seen = (step) => moments.map(() => (clock.stepRows(step), clock.t));
  clock.set(run.end);
  assert.deepEqual([run.end, ...seen(-1)].slice(0, moments.length), [...moments].reverse());
});
