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
import { panelsOf } from "../src/plots.js";
import { frameOf, isWhole, splineThrough, stairsOf, trianglesOf } from "../src/walls.js";
import { armRun, shafeiRun } from "./fixtures.mjs";

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
