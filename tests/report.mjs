// SPDX-License-Identifier: Apache-2.0
// node tests/report.mjs APPELL WEB: the documents of reports against the runs that they were made of. The page's own
// kinematics must put contact points where the library found their events, and close what closures close.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [appell, web] = process.argv.slice(2).map((path) => resolve(path));
const load = (name) => import(pathToFileURL(join(web, "src", name)));
const { readRun } = await load("data.js");
const { makeKinematics, turn } = await load("kinematics.js");
const folder = mkdtempSync(join(tmpdir(), "appell-report-"));
const PHASE_RUN = 2; // of enum ap_phase
let failures = 0;

function check(holds, what) {
  if (holds) return true;
  failures++;
  console.log(`FAILED ${what}`);
  return false;
}

function report(scenario, verb = "simulate", ending = "csv", options = []) {
  const log = join(folder, `run.${ending}`);
  execFileSync(appell, [verb, scenario, "-o", log, "--quiet", ...options], { stdio: ["ignore", "ignore", "inherit"] });
  const text = execFileSync(appell, ["report", log, "--data"], { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });
  return { log, run: readRun(JSON.parse(text)), document: JSON.parse(text) };
}

/** A point of a body in the world; body -1 is the ground. */
function place(poses, body, xyz) {
  if (body < 0) return xyz;
  const out = [0, 0, 0];
  turn(poses, 7 * body + 3, xyz, 0, out, 0);
  return out.map((x, i) => x + poses[7 * body + i]);
}

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** The lines of a CSV file by the names of their columns, as texts. */
function linesOf(path) {
  const [names, ...lines] = readFileSync(path, "utf8").trim().split("\n").map((line) => line.split(","));
  return { names, lines: lines.map((line) => Object.fromEntries(names.map((name, i) => [name, line[i]]))) };
}

/** One line of the events for each number: touches of one event share it. */
function eventsOf(log) {
  const { lines } = linesOf(log.replace(/csv$/, "events.csv"));
  return [...new Map(lines.map((line) => [line.number, line])).values()];
}

// Columns come back as the floats nearest to the log's doubles, times to the last bit; among them are two samples for
// each event, which come before a row of the same time.
function columnsComeBack(name) {
  const { log, run } = report(`models/${name}.yaml`);
  const { names, lines } = linesOf(log);
  const events = eventsOf(log).filter(({ t }) => Number(t) <= run.end);
  check(run.rows === lines.length + 2 * events.length, `${name}: ${run.rows} samples of ${lines.length} rows`);
  let differing = 0;
  let k = 0;
  for (const line of lines) {
    while (k < run.rows && events.some(({ t }) => Number(t) === run.time[k]) && run.time[k] === run.time[k + 1]) k += 2;
    if (!Object.is(run.time[k], Number(line.t))) differing++;
    for (let c = 1; c < names.length; c++)
      if (!Object.is(run.columns[c - 1].values[k], Math.fround(Number(line[names[c]])))) differing++;
    k++;
  }
  check(names.slice(1).every((column, c) => run.columns[c].name === column), `${name}: names of columns`);
  check(differing === 0, `${name}: ${differing} numbers differ from the log`);
}

// At an event every coordinate and velocity has two samples at the same time, as the log tells them; losses and the number
// of impacts are steps there, and the energies add up on both sides.
function jumpsAreJumps(name, ending) {
  report(`models/${name}.yaml`); // its events as CSV
  const events = eventsOf(join(folder, "run.csv"));
  const { run } = report(`models/${name}.yaml`, "simulate", ending);
  const [kinetic, lost, impacts] = ["kinetic", "lost", "impacts"].map((column) => run.column(column));
  check(impacts?.steps && lost.steps && !kinetic.steps, `${name}: counters are steps`);
  let checked = 0;
  let count = 0;
  for (const event of events.filter(({ event }) => event === "impact")) {
    const k = run.time.indexOf(Number(event.t));
    const same = (column, at, value) => Object.is(column.values[at], Math.fround(Number(value)));
    if (!check(k >= 0 && run.time[k + 1] === run.time[k], `${name}: two samples at ${event.t} s`)) continue;
    for (const column of run.columns.filter(({ group }) => group === "q" || group === "v")) {
      const after = event[column.name.replace(/^v\./, "v_after.")];
      check(same(column, k, event[column.name]) && same(column, k + 1, after), `${name}: ${column.name} at ${event.t} s`);
      checked++;
    }
    const loss = lost.values[k + 1] - lost.values[k];
    const size = lost.values[run.rows - 1] + kinetic.values[k];
    check(Math.abs(loss - event.lost) < 1e-6 * size, `${name}: the loss at ${event.t} s`);
    check(Math.abs(kinetic.values[k] - kinetic.values[k + 1] - loss) < 1e-6 * size, `${name}: energies at ${event.t} s`);
    check(impacts.values[k] === count && impacts.values[k + 1] === ++count, `${name}: impacts at ${event.t} s`);
  }
  check(checked > 0, `${name}: no jump was checked`);
  check(run.bends.length === 0, `${name}: all impacts have their states`);
}

// A ball keeps half of its speed at every impact, to the rounding of its impulse.
function ballBounces() {
  const { log } = report("models/ball.yaml");
  const impacts = eventsOf(log).filter(({ event }) => event === "impact");
  check(impacts.length > 10, "the ball bounces");
  for (const { t, "v.height": before, "v_after.height": after } of impacts)
    check(before < 0 && Math.abs(Number(after) + 0.5 * before) < -1e-15 * before, `the ball at ${t} s: ${after} of ${before}`);
}

// Contact points are where the library says they were when they touched. The page interpolates between rows, with an error
// of the order of acceleration times the square of the step: some 1e3 m/s2 times 2.5e-7 s2.
function eventsAreWhereTheyWere(name, tolerance) {
  const { run } = report(`models/${name}.yaml`, "simulate", "csv", ["--step", "0.0005"]);
  const kinematics = makeKinematics(run);
  let most = 0;
  let checked = 0;
  for (const event of run.events) {
    const [link, point] = event.point.split("/");
    const known = run.points.find((p) => p.name === point && run.model.bodies[p.body].name === link);
    if (!known || event.event !== "impact" || event.t > run.end) continue;
    most = Math.max(most, distance(place(kinematics.at(event.t), known.body, known.xyz), event.position));
    checked++;
  }
  check(checked > 0, `${name}: no event was checked`);
  check(most < tolerance, `${name}: a point is ${most} m from where it touched`);
}

// The two ends of closures meet at every row.
function chainsAreClosed(name, freedom) {
  const { run } = report(`models/${name}.yaml`);
  const kinematics = makeKinematics(run);
  let most = 0;
  let checked = 0;
  for (let k = 0; k < run.rows; k += 7) {
    const poses = kinematics.atRow(k);
    for (const c of run.closures) {
      if (c.kind !== "point" && c.kind !== "frame") continue;
      most = Math.max(most, distance(place(poses, c.body_a, c.xyz_a), place(poses, c.body_b, c.xyz_b)));
      checked++;
    }
  }
  check(checked > 0, `${name}: no closure was checked`);
  check(most < 1e-5, `${name}: closures are open by ${most} m (floats keep 1e-6)`);
  check(run.model.freedom === freedom, `${name}: ${run.model.freedom} degrees of freedom, not ${freedom}`);
}

// A follower, standard DH, a fixed link, a mesh, and a floating base, against numbers worked out by hand.
function robotsAreDrawnAsTheyAre() {
  const robot = join(folder, "robot.yaml");
  writeFileSync(join(folder, "tip.stl"), "solid tip\nendsolid tip\n");
  writeFileSync(robot, `appell: 1
bodies:
- name: a
  joint: {name: ja, type: revolute, dh: {convention: standard, a: 2, d: 0.5}}
  inertia: {mass: 1, com: [-1, 0, 0], tensor: [0.1, 0, 0, 0.2, 0, 0.25]}
- name: b
  parent: a
  joint: {name: jb, type: revolute, axis: [0, 0, 2], place: {xyz: [1, 0, 0]}, mimic: {joint: ja, ratio: -2, offset: 0.5}}
  inertia: {mass: 1, tensor: [0.1, 0, 0, 0.1, 0, 0.1]}
- name: tip
  parent: b
  joint: {type: fixed, place: {xyz: [0, 3, 0]}}
  shapes:
  - {type: mesh, file: tip.stl, color: [1, 0, 0, 1]}
  - {type: box, size: [1, 2, 3], rpy: [0, 0, 1.5707963267948966]}
...
`);
  const scenario = join(folder, "scenario.yaml");
  writeFileSync(scenario, `appell-scenario: 1
name: </script><b>drawn</b>
robot: robot.yaml
gravity: [0, 0, 0]
start: {ja: {q: 0.3, v: 1}}
duration: 0.1
...
`);
  for (const ending of ["csv", "h5"]) {
    const { run, document } = report(scenario, "simulate", ending);
    const poses = makeKinematics(run).atRow(0);
    const q = 0.3;
    const angle = q + (-2 * q + 0.5);
    const b = [3 * Math.cos(q), 3 * Math.sin(q), 0.5];
    const tip = [b[0] - 3 * Math.sin(angle), b[1] + 3 * Math.cos(angle), 0.5];
    check(distance(place(poses, 1, [0, 0, 0]), b) < 1e-6, "standard DH and a joint behind it");
    check(distance(place(poses, 2, [0, 0, 0]), tip) < 1e-6, "a follower with an offset, and a fixed link");
    const shapes = document.model.bodies[2].shapes;
    check(shapes.length === 2 && shapes[0].kind === "mesh" && shapes[0].mesh === 0, "the mesh is there");
    check(Buffer.from(document.model.meshes[0].data, "base64").toString() === "solid tip\nendsolid tip\n", "its bytes");
    check(Math.abs(shapes[1].quat[2] - Math.SQRT1_2) < 1e-12 && shapes[1].color === null, "the box is turned");
    const { half_axes } = document.model.bodies[0].ellipsoid ?? { half_axes: [] };
    const want = [0.35, 0.15, 0.05].map((x) => Math.sqrt(2.5 * x));
    check([...half_axes].sort().join() !== "" && want.every((x) => half_axes.some((h) => Math.abs(h - x) < 1e-9)), "the ellipsoid");
    check(document.title === "</script><b>drawn</b>", "the title");
    check(document.columns[1].unit === "rad" && document.columns[0].group === "time", "units and groups");
    if (ending === "csv") {
      const page = join(folder, "page.html");
      execFileSync(appell, ["report", join(folder, "run.csv"), "-o", page], { stdio: "inherit" });
      const html = readFileSync(page, "utf8");
      check(!html.includes("</script><b>"), "a name ends the script");
      const [, inside] = html.match(/<script id="run" type="application\/json">([^<]*)<\/script>/) ?? [];
      check(inside && JSON.parse(inside).title === document.title, "the page has the document");
    }
  }
}

function controlRunsShowErrors() {
  const { run } = report("models/control/puma_spline.yaml", "control");
  const [q, qd, error] = ["q.joint1", "qd.joint1", "error.joint1"].map((name) => run.column(name));
  check(q && qd && error, "a control run has errors");
  let most = 0;
  const phase = run.column("phase").values;
  for (let k = 0; k < run.rows; k++) {
    const followed = phase[k] === PHASE_RUN;
    if (followed) most = Math.max(most, Math.abs(q.values[k] - qd.values[k] - error.values[k]));
    else if (!Number.isNaN(error.values[k])) most = Infinity;
  }
  check(most < 1e-6, `errors differ from q - qd by ${most}`);
  check(run.facts.some(({ group }) => group === "Following errors"), "facts of errors");
  const errors = run.columns.filter(({ name }) => name.startsWith("error."));
  const followed = errors.map(({ values }) => values.filter((_, k) => phase[k] === PHASE_RUN));
  const largest = Math.max(...followed.map((values) => values.reduce((a, e) => Math.max(a, Math.abs(e)), 0)));
  const squares = followed.map((values) => values.reduce((sum, e) => sum + e * e, 0) / values.length);
  const rms = Math.sqrt(squares.reduce((a, b) => a + b) / errors.length);
  const { following } = run;
  check(Math.abs(following.largest - largest) < 1e-6, `the largest error is ${largest}, not ${following.largest}`);
  check(Math.abs(following.rms - rms) < 1e-6, `the errors are ${rms}, not ${following.rms}`);
}

function longRunsAreThinned() {
  report("models/ball.yaml");
  const text = execFileSync(appell, ["report", join(folder, "run.csv"), "--data", "--rows", "100"], { stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 });
  const run = readRun(JSON.parse(text));
  const rows = run.rows - 2 * new Set(run.events.map(({ number }) => number)).size;
  check(rows > 50 && rows <= 102, `${rows} rows, not about 100`);
  check(run.time[0] === 0 && run.end === 102, "the first and the last row stay");
}

try {
  columnsComeBack("shafei2018");
  columnsComeBack("pendulum_at_walls");
  ballBounces();
  for (const name of ["ball", "shafei2018", "four_bar_at_wall", "stewart_drop"])
    for (const ending of ["csv", "h5"]) jumpsAreJumps(name, ending);
  eventsAreWhereTheyWere("shafei2018", 1e-3);
  eventsAreWhereTheyWere("quadruped_drop", 1e-3);
  const closed = { delta_driven: 3, five_bar_at_wall: 2, agile_wrist_swing: 3, stewart_drop: 6 };
  for (const [name, freedom] of Object.entries(closed)) chainsAreClosed(name, freedom);
  robotsAreDrawnAsTheyAre();
  controlRunsShowErrors();
  longRunsAreThinned();
} finally {
  rmSync(folder, { recursive: true });
}
console.log(failures ? `${failures} failed` : "passed");
process.exit(failures ? 1 : 0);
