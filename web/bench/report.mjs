// SPDX-License-Identifier: Apache-2.0
// How large the report of a long run is, how soon it is there, and how long a picture takes while scrubbing: a run of 60 s at
// 1 kHz with 12 joints, 60 001 rows of 43 columns, in a headless Chromium with graphics by software.
//
//   node web/bench/report.mjs [REPORT.html]     measures that report instead

import { statSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { Bench } from "../test/browser.mjs";
import { armRun } from "../test/fixtures.mjs";

const given = process.argv[2] ?? null;
const bench = await Bench.start();
const file = given ?? bench.write(armRun({ joints: 12, rows: 60001, step: 0.001, events: 200 }));
const print = (name, value, unit) => console.log(`${name.padEnd(46)} ${String(value).padStart(9)} ${unit}`);
const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

const loads = [];
let page;
for (let i = 0; i < 3; i++) {
  await page?.context().close();
  const began = performance.now();
  page = await bench.open(null, { file });
  loads.push({ whole: performance.now() - began, own: Number(await page.locator("#page").getAttribute("data-ready")) });
}
const { rows, columns } = await page.evaluate(() => ({
  rows: globalThis.appell.run.rows,
  columns: globalThis.appell.run.columns.length,
}));

const scrub = await page.evaluate(async () => {
  const { clock, run, view } = globalThis.appell;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const work = [];
  const frames = [];
  for (let i = 0; i < 60; i++) {
    const t = run.start + (((i * 37) % 60) / 60) * (run.end - run.start);
    const before = performance.now();
    clock.set(t);
    const set = performance.now();
    view?.draw(false);
    work.push(performance.now() - set + (set - before));
    await frame();
    await frame();
    frames.push((performance.now() - before) / 2);
  }
  return { work, frames };
});
const zoom = await page.evaluate(async () => {
  const { plots } = globalThis.appell;
  const times = [];
  for (let i = 0; i < 20; i++) {
    const before = performance.now();
    plots.zoom(i, 60 - i);
    plots.opened().forEach(({ plot }) => plot.redraw());
    times.push(performance.now() - before);
    await new Promise((done) => requestAnimationFrame(done));
  }
  return times;
});

print("rows", rows, "");
print("columns", columns, "");
print("file", (statSync(file).size / 1e6).toFixed(1), "MB");
print("the page with an empty place", (bench.built.length / 1e6).toFixed(2), "MB");
print("from opening to ready, best of 3", Math.min(...loads.map(({ whole }) => whole)).toFixed(0), "ms");
print("  of which reading data and drawing", Math.min(...loads.map(({ own }) => own)).toFixed(0), "ms");
print("a step of scrubbing: poses and picture, median", middle(scrub.work).toFixed(1), "ms");
print("a frame while scrubbing, median", middle(scrub.frames).toFixed(1), "ms");
print("zooming all open plots, median", middle(zoom).toFixed(1), "ms");
await bench.stop();
