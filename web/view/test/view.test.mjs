// SPDX-License-Identifier: Apache-2.0
// The live page in a headless Chromium, with real drops, drags and pixels, without a network. APPELL is the command,
// APPELL_SOURCE the folder of the sources.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Bench, differing, pixelsAt } from "../../test/browser.mjs";

const source = process.env.APPELL_SOURCE;
const command = process.env.APPELL;
const skip = source && command ? false : "APPELL and APPELL_SOURCE are not set";
const model = (name) => join(source, "models", name);
let bench, folder;

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), "appell-view-"));
  bench = await Bench.start({ page: join(source, "web/dist/view.html") });
});
after(async () => {
  await bench?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** The page of `appell view` with these arguments, in a tab. */
async function view(args, options) {
  const file = join(folder, `${bench.count++}.html`);
  execFileSync(command, ["view", ...args, "-o", file], { stdio: ["ignore", "ignore", "pipe"] });
  return bench.open(null, { file, width: 860, height: 560, ...options }); // small: pictures are drawn by software
}

/** Drop files on the middle of the page, as a hand does it. */
async function drop(page, ...files) {
  const ready = await page.evaluate(() => document.getElementById("page").dataset.ready);
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"])
    await client.send("Input.dispatchDragEvent", { type, x: 400, y: 300, data });
  await page.waitForFunction((was) => document.getElementById("page").dataset.ready !== was, ready);
}

const examined = (page) => page.waitForSelector("#page[data-examined]");
const frame = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
const state = (page) =>
  page.evaluate(() => {
    const { q, v, a, tau } = globalThis.appell.subject;
    return { q: [...q], v: [...v], a: [...a], tau: [...tau] };
  });
const silent = (page) => assert.deepEqual(page.said, []);

/** Joint forces by the command. */
function eval_(what, args, numbers) {
  const out = execFileSync(command, ["eval", what, ...args, "-"], {
    input: numbers.join(" ") + "\n",
    encoding: "utf8",
  });
  return out
    .trim()
    .split("\n")
    .pop()
    .trim()
    .split(/[\s,]+/)
    .map(Number);
}
function near(got, wanted, part) {
  const most = Math.max(...wanted.map(Math.abs));
  got.forEach((x, i) => assert.ok(Math.abs(x - wanted[i]) <= part * most, `${i}: ${x}, not ${wanted[i]}`));
}

/** Where a link is on the screen. */
const onScreen = (page, link) =>
  page.evaluate((name) => {
    const { stage } = globalThis.appell;
    stage.view.draw();
    const body = stage.kin.bodies.findIndex(({ given }) => given.name === name);
    const box = stage.canvas.getBoundingClientRect();
    // A place where the pointer meets the link: of those it covers, the one furthest from its edge is not needed.
    for (let i = 0; i < 60; i++)
      for (let k = 0; k < 60; k++) {
        const at = {
          clientX: box.left + ((k + 0.5) * box.width) / 60,
          clientY: box.top + ((i + 0.5) * box.height) / 60,
        };
        const hit = stage.pick(at);
        if (hit?.body === body && document.elementFromPoint(at.clientX, at.clientY) === stage.canvas)
          return { x: at.clientX, y: at.clientY };
      }
    return null;
  }, link);

test("an empty page takes a file that is dropped on it: picture, torques, sliders", { skip }, async () => {
  const page = await view([]);
  assert.match(await page.textContent(".empty h2"), /Drop a robot/);
  await drop(page, model("two_link.urdf"));
  assert.equal(await page.textContent("h1"), "two_link");
  const still = await pixelsAt(page);
  assert.ok(still.drawn > 200, `${still.drawn} pixels are drawn`);
  const slider = page.locator(".joint .slider").first();
  await slider.focus();
  for (let i = 0; i < 40; i++) await page.keyboard.press("ArrowRight");
  await frame(page);
  const { q, tau } = await state(page);
  assert.ok(q[0] > 0.05);
  near(tau, eval_("gravity", [model("two_link.urdf")], q), 1e-13);
  assert.ok(differing(still, await pixelsAt(page)) > 50);
  const shown = await page.locator(".joint .tau").first().textContent();
  assert.ok(Math.abs(parseFloat(shown.replace("\u2212", "-")) - tau[0]) < 2e-3 * Math.abs(tau[0]), shown);
  await page.getByRole("button", { name: "Velocity" }).click();
  await page.locator(".joint .value").nth(1).fill("1.5");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Acceleration" }).click();
  await page.locator(".joint .value").nth(0).fill("-2");
  await page.keyboard.press("Enter");
  await page.getByText("With friction").click();
  await frame(page);
  const moved = await state(page);
  assert.deepEqual([moved.v[1], moved.a[0]], [1.5, -2]);
  near(
    moved.tau,
    eval_("inverse", ["--friction", model("two_link.urdf")], [...moved.q, ...moved.v, ...moved.a]),
    1e-13,
  );
  silent(page);
  await page.context().close();
});

test("values in the page have the bits of a build without fused products", { skip }, async () => {
  const { fingerprint, recorded } = await import(pathToFileURL(join(source, "tests/js/bits.mjs")).href);
  const page = await view(["puma600"]);
  for (const [name, bits] of recorded(readFileSync(join(source, "tests/test_isa.c"), "utf8"))) {
    await page.evaluate((builtin) => globalThis.appell.layout.loadBuiltin(builtin), name);
    assert.equal(await page.evaluate(`(${fingerprint})(globalThis.appell.subject.robot)`), bits, name);
  }
  silent(page);
  await page.context().close();
});

test("why, payload, masses: the split adds up, a payload weighs", { skip }, async () => {
  const page = await view([model("two_link.urdf")]);
  await page.evaluate(() => {
    const { subject } = globalThis.appell;
    subject.v.set([1, -2]);
    subject.a.set([3, 1]);
    globalThis.appell.setFriction(true);
    globalThis.appell.choose(0);
  });
  await page.getByRole("tab", { name: "Why" }).click();
  await frame(page);
  const split = await page.evaluate(() => ({
    total: globalThis.appell.panels.why.total,
    tau: globalThis.appell.subject.tau[0],
    rows: globalThis.appell.panels.why.rowsShown,
  }));
  assert.ok(Math.abs(split.total - split.tau) < 1e-12 * Math.abs(split.tau), JSON.stringify(split));
  assert.deepEqual(
    split.rows.map(({ name }) => name),
    ["upper_arm", "forearm"],
  );
  assert.ok((await page.locator(".why-row").count()) >= 3);
  await page.getByRole("tab", { name: "Masses" }).click();
  const before = (await state(page)).tau;
  await page.getByLabel("Mass of the payload").fill("1");
  await page.getByLabel("Link that carries the payload").selectOption("tool");
  await frame(page);
  const { tau, q, v, a } = await state(page);
  assert.ok(Math.abs(tau[0] - before[0]) > 1);
  const loaded = readFileSync(model("two_link.urdf"), "utf8").replace(
    /<link name="tool"\s*\/>/,
    '<link name="tool"><inertial><mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>',
  );
  writeFileSync(join(folder, "loaded.urdf"), loaded);
  near(tau, eval_("inverse", ["--friction", join(folder, "loaded.urdf")], [...q, ...v, ...a]), 1e-12);
  assert.match(await page.getAttribute(".heat", "aria-label"), /2 by 2/);
  assert.match(await page.textContent(".values"), /manipulability/);
  const plain = await pixelsAt(page);
  await page.evaluate(() =>
    ["centre", "ellipsoids", "frames", "manipulability"].forEach((name) =>
      globalThis.appell.layout.setLayer(name, true),
    ),
  );
  await frame(page);
  assert.ok(differing(plain, await pixelsAt(page)) > 50);
  // A motion that is played: velocities and accelerations are those of its positions.
  const error = await page.evaluate(() => {
    const { appell } = globalThis;
    appell.play();
    const swing = appell.moving;
    appell.stop();
    const at = (t) => {
      swing.time = 0;
      swing.advance(t);
      return { q: [...appell.subject.q], v: [...appell.subject.v], a: [...appell.subject.a] };
    };
    let most = 0;
    for (const t of [0.2, 0.7, 1.4, 3]) {
      const [low, now, high] = [at(t - 1e-4), at(t), at(t + 1e-4)];
      now.q.forEach((_, i) => {
        most = Math.max(
          most,
          Math.abs((high.q[i] - low.q[i]) / 2e-4 - now.v[i]),
          Math.abs((high.v[i] - low.v[i]) / 2e-4 - now.a[i]),
        );
      });
    }
    return most;
  });
  assert.ok(error < 1e-4, `${error}`);
  silent(page);
  await page.context().close();
});

test("a link that is dragged follows the pointer; one that is clicked is chosen", { skip }, async () => {
  const page = await view(["puma600"]);
  await page.evaluate(() => {
    globalThis.appell.subject.q.set([0.4, -0.6, 0.5, 0.2, 0.4, 0]);
    globalThis.appell.changed();
  });
  await frame(page);
  const from = await onScreen(page, "link3");
  assert.ok(from, "link3 is not seen");
  const { q } = await state(page);
  await page.mouse.click(from.x, from.y);
  assert.equal(await page.textContent(".joint.chosen .name"), "joint3");
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 10, from.y - 10, { steps: 3 });
  await page.mouse.move(from.x + 30, from.y - 20, { steps: 6 }); // further away it would be out of reach
  const distance = () =>
    page.evaluate(() => {
      const { held, stage } = globalThis.appell;
      const at = globalThis.appell.pointOfHeld();
      return Math.hypot(...at.map((x, i) => x - held.target[i])) / stage.size;
    });
  // A step of inverse kinematics a frame, and a slow machine shows fewer of them.
  let off = await distance();
  for (let frames = 0; frames < 30 && off >= 0.02; frames++) {
    await frame(page);
    off = await distance();
  }
  await page.mouse.up();
  assert.ok(off < 0.02, `the link is ${off} of the robot's size away from the pointer`);
  const now = await state(page);
  assert.ok(now.q.some((x, i) => Math.abs(x - q[i]) > 0.02));
  near(now.tau, eval_("gravity", ["puma600"], now.q), 1e-13);
  const looked = await page.evaluate(() => globalThis.appell.stage.view.camera.position.toArray());
  await page.mouse.move(60, 140);
  await page.mouse.down();
  await page.mouse.move(160, 150, { steps: 3 });
  await page.mouse.up();
  assert.notDeepEqual(await page.evaluate(() => globalThis.appell.stage.view.camera.position.toArray()), looked);
  assert.deepEqual((await state(page)).q, now.q);
  silent(page);
  await page.context().close();
});

const WRONG = `<robot name="wrong"><link name="base"/>
<link name="arm"><inertial><mass value="2"/><inertia ixx="90" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<visual><origin xyz="0.25 0 0"/><geometry><box size="0.5 0.1 0.1"/></geometry></visual></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="50" velocity="2"/></joint></robot>
`;

test("findings stand at their links, and a fix is switched live", { skip }, async () => {
  writeFileSync(join(folder, "wrong.urdf"), WRONG);
  const page = await view([]);
  await drop(page, join(folder, "wrong.urdf"));
  await examined(page);
  assert.ok((await page.locator(".pin").count()) >= 1);
  await page.locator(".pin").first().click();
  assert.match(await page.textContent(".findings"), /inertia/);
  assert.match(await page.textContent(".findings"), /line 2/);
  await page.evaluate(() => globalThis.appell.setFreedom(0, "a", 3));
  await frame(page);
  const [before] = (await state(page)).tau;
  await page.locator(".fix input").first().check();
  await frame(page);
  const [fixed] = (await state(page)).tau;
  assert.ok(Math.abs(fixed - before) > 1, `${before} and ${fixed}`);
  await page.locator(".fix input").first().uncheck();
  await frame(page);
  assert.equal((await state(page)).tau[0], before);
  // The corrected file gives the torque of the switch.
  await page.evaluate(() => globalThis.appell.compareFixed());
  await page.waitForFunction(() => globalThis.appell.other);
  await frame(page);
  assert.match(await page.evaluate(() => globalThis.appell.panels.joints.element.textContent), /other/);
  const other = await page.evaluate(() => globalThis.appell.other.tau[0]);
  near([other], [fixed], 1e-12);
  // A simulation has the payload and the fixes, too.
  const [simulated, wanted] = await page.evaluate(async () => {
    const { appell } = globalThis;
    appell.fix("arm", appell.weighed.links[0].after);
    appell.setPayload("arm", 1, [0.3, 0, 0]);
    await appell.letGo();
    const { simulation } = appell.moving;
    const { robot, q } = appell.subject;
    const first = simulation.a[0];
    appell.stop();
    return [first, robot.forwardDynamics(q, [0], [0])[0]];
  });
  assert.ok(Math.abs(wanted) > 1);
  near([simulated], [wanted], 1e-9);
  silent(page);
  await page.context().close();
});

const REFUSED = `<robot name="bad">
<link name="base"/>
<link name="upper"><inertial><origin xyz="0 0 0.15"/><mass value="-3"/><inertia ixx="0.03" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.004"/></inertial></link>
<link name="lower"><visual><origin xyz="9 9 9"/></visual><inertial><origin xyz="0 0 0.12"/><mass value="1,5"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.002"/></inertial></link>
<link name="hand"><inertial><mass value="0.5"/><inertia ixx="0.0005" ixy="0" ixz="0" iyy="0.0005" iyz="0" izz="0.0005"/></inertial></link>
<joint name="shoulder" type="revolute"><origin xyz="0 0 0.05"/><parent link="base"/><child link="upper"/><axis xyz="0 2 0"/>
<limit lower="1.5" upper="-1.5" effort="5" velocity="120"/><dynamics damping="-0.4"/></joint>
<joint name="elbow" type="hinge"><origin xyz="0 0 0.3" rpy="0 45 0"/><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
<limit lower="-90" upper="90" effort="40" velocity="2"/></joint>
<joint name="wrist" type="revolute"><origin xyz="0 0 0.24"/><parent link="lowr"/><child link="hand"/><axis xyz="0 0 0"/>
<limit lower="-1" upper="1" effort="4" velocity="2"/><dynamic damping="0.1"/></joint>
</robot>
`;

/** Findings of the command. */
function lintOf(file) {
  try {
    return JSON.parse(execFileSync(command, ["lint", "--json", file], { encoding: "utf8" })).findings;
  } catch (error) {
    return JSON.parse(error.stdout).findings;
  }
}

test("fixes are written into the file at their lines, and what they fix is not found again", { skip }, async () => {
  const { mended } = await import(pathToFileURL(join(source, "web/view/fixes.js")).href);
  const file = join(folder, "refused.urdf");
  writeFileSync(file, REFUSED);
  const found = lintOf(file);
  let text = REFUSED;
  for (const finding of found) {
    const next = mended(text, finding);
    assert.ok(next, `${finding.rule}: ${finding.fix}`);
    assert.equal(next.split("\n").length, text.split("\n").length);
    text = next;
  }
  const rules = new Set(found.map(({ rule }) => rule));
  for (const rule of ["mass-negative", "bad-number", "axis", "limit-inverted", "friction-negative", "limit-unit"])
    assert.ok(rules.has(rule), rule);
  for (const rule of ["joint-type", "origin-unit", "unknown-link", "unknown-element", "effort-gravity"])
    assert.ok(rules.has(rule), rule);
  assert.ok(text.includes('<visual><origin xyz="9 9 9"/>'), "a shape is no mass");
  writeFileSync(file, text);
  assert.deepEqual(lintOf(file), []);
  // YAML, and one by one: each fix removes its own finding.
  const yaml = readFileSync(model("two_link.urdf"), "utf8");
  writeFileSync(join(folder, "two.urdf"), yaml);
  execFileSync(command, ["convert", join(folder, "two.urdf"), join(folder, "two.yaml")], { stdio: "ignore" });
  const wrong = readFileSync(join(folder, "two.yaml"), "utf8").replace(/mass: 1\.2/, "mass: -1.2");
  writeFileSync(join(folder, "two.yaml"), wrong);
  const [first] = lintOf(join(folder, "two.yaml")).filter(({ rule }) => rule === "mass-negative");
  assert.ok(mended(wrong, first).includes("mass: 1.2"));
  // Nothing that is no text of the file.
  assert.equal(mended(REFUSED, { line: 3, fix: "make both sides alike", what: "", subject: "upper" }), null);
  assert.equal(mended(REFUSED, { line: 99, fix: '<mass value="3"/>', what: "", subject: "upper" }), null);
});

test("lint --html: a refused file is a tree of links, and a robot with its fixes", { skip }, async () => {
  const file = join(folder, "map.urdf");
  const evil = '&lt;img src=x onerror="1"&gt;'.replaceAll('"', "&quot;");
  writeFileSync(file, REFUSED.replaceAll('"hand"', `"${evil}"`));
  const out = join(folder, "map.html");
  assert.throws(() => execFileSync(command, ["lint", "--html", file, "-o", out], { stdio: "ignore" }), { status: 1 });
  const page = await bench.open(null, { file: out, width: 860, height: 560 });
  await examined(page);
  assert.match(await page.textContent(".refusal h2"), /map.urdf/);
  assert.ok((await page.locator(".refusal .tree li").count()) >= 4);
  assert.equal(await page.locator("img").count(), 0);
  await page.getByRole("button", { name: "Use all fixes" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => globalThis.appell.subject);
  await frame(page);
  assert.ok((await pixelsAt(page)).drawn > 200);
  assert.equal(await page.locator(".pin").count(), 0, "what is fixed has no pin");
  assert.equal(await page.locator(".findings .fixed").count(), await page.locator(".finding .fix").count());
  // One of them off again: the limit's effort is the file's, the state stays.
  await page.evaluate(() => globalThis.appell.setFreedom(1, "q", 0.4));
  const effort = page.locator(".finding", { hasText: "effort-gravity" }).locator("input");
  await effort.uncheck();
  await page.waitForFunction(() => globalThis.appell.subject.efforts[0].limit === 5);
  assert.ok(Math.abs((await state(page)).q[1] - 0.4) < 1e-12);
  assert.equal(await page.locator(".pin").count(), 1);
  assert.ok(await page.evaluate(() => globalThis.appell.fixedText().includes('effort="5"')));
  silent(page);
  await page.context().close();
});

test("a simulation can be saved as a report", { skip }, async () => {
  const page = await view(["quadruped"]);
  const text = await page.evaluate(async () => {
    const { appell } = globalThis;
    appell.setWalls("floor");
    await appell.letGo();
    const fall = appell.moving;
    appell.moving = null; // by hand, not by the clock
    for (let i = 0; i < 30; i++) fall.advance(0.02);
    appell.moving = fall;
    appell.stop();
    return appell.runReport();
  });
  silent(page);
  await page.context().close();
  const file = join(folder, "run.html");
  writeFileSync(file, text);
  const report = await bench.open(null, { file, width: 860, height: 560 });
  const run = await report.evaluate(() => {
    const { run, kin } = globalThis.appell;
    kin.at(run.end);
    return { rows: run.rows, end: run.end, events: run.events.length, z: kin.poses[2], q: run.column("q.base.z").values.at(-1) };
  });
  assert.equal(run.rows, 31);
  assert.ok(Math.abs(run.end - 0.6) < 1e-9);
  assert.ok(run.events > 0, "it has met the floor");
  assert.ok(Math.abs(run.z - run.q) < 1e-6, "the replay is where the column says");
  assert.ok((await pixelsAt(report, 0.3)).drawn > 200);
  silent(report);
  await report.context().close();
});

test("let go: it falls as the command's simulation does, is pushed, and stays between walls", { skip }, async () => {
  const page = await view([model("two_link.urdf")]);
  await page.evaluate(() => globalThis.appell.setFreedom(0, "q", 1));
  await page.evaluate(async () => {
    const { appell } = globalThis;
    await appell.letGo();
    const fall = appell.moving;
    appell.moving = null; // by hand, not by the clock
    for (let i = 0; i < 50; i++) fall.advance(0.01);
    globalThis.fall = fall;
  });
  const { time, q } = await page.evaluate(() => ({
    time: globalThis.fall.simulation.time,
    q: [...globalThis.fall.simulation.q],
  }));
  assert.ok(Math.abs(time - 0.5) < 1e-12);
  writeFileSync(
    join(folder, "fall.yaml"),
    `appell-scenario: 1\nrobot: ${model("two_link.urdf")}\nstart: {shoulder: 1}\nduration: 0.5\noutput_step: 0.1\n...\n`,
  );
  execFileSync(command, ["simulate", join(folder, "fall.yaml"), "-o", join(folder, "fall.csv")], { stdio: "ignore" });
  const last = readFileSync(join(folder, "fall.csv"), "utf8").trim().split("\n").pop().split(",").map(Number);
  near(q, last.slice(1, 3), 1e-3);
  const pushed = await page.evaluate(async () => {
    const { appell, fall } = globalThis;
    fall.stop();
    appell.home();
    await appell.letGo();
    const one = appell.moving;
    appell.moving = null;
    one.pull("forearm", [0.1, 0, 0], [0, 0, 2]);
    for (let i = 0; i < 100; i++) one.advance(0.01);
    const high = one.simulation.q[0];
    one.stop();
    return high;
  });
  assert.ok(pushed > 0.5, `${pushed}`);
  await page.evaluate(() => globalThis.appell.home());
  await page.getByLabel("Walls of the simulation").selectOption("room");
  await page.getByRole("button", { name: "Let go" }).click();
  await page.waitForFunction(() => globalThis.appell.moving?.simulation?.time > 0.2);
  assert.ok(
    await page.evaluate(() => {
      const { subject, stage } = globalThis.appell;
      return (
        stage.run.walls.length === 2 &&
        stage.run.walls.every(({ centre, normal }) =>
          [...Array(subject.robot.nframe).keys()].every(
            (i) => normal.reduce((sum, n, k) => sum + n * (subject.p[3 * i + k] - centre[k]), 0) > -1e-3,
          ),
        )
      );
    }),
  );
  await page.getByRole("button", { name: "Hold" }).click();
  await page.keyboard.press("Escape");
  silent(page);
  await page.context().close();
});

test("two files side by side; what can be saved reads back", { skip }, async () => {
  const heavier = readFileSync(model("two_link.urdf"), "utf8")
    .replace('mass value="1.2"', 'mass value="2.4"')
    .replace('xyz="0.4 0 0"', 'xyz="0.5 0 0.05"');
  assert.ok(heavier.includes('"2.4"'));
  writeFileSync(join(folder, "heavier.urdf"), heavier);
  const page = await view([]);
  await drop(page, model("two_link.urdf"), join(folder, "heavier.urdf"));
  await page.waitForFunction(() => globalThis.appell.other);
  await page.evaluate(() => globalThis.appell.setFreedom(0, "q", 0.5));
  await frame(page);
  const { q } = await state(page);
  near(
    await page.evaluate(() => [...globalThis.appell.other.tau]),
    eval_("gravity", [join(folder, "heavier.urdf")], q),
    1e-13,
  );
  assert.equal(await page.locator(".effort .other:not([hidden])").count(), 2);
  const both = await pixelsAt(page);
  await page.evaluate(() => globalThis.appell.stage.setGhost(null));
  assert.ok(differing(both, await pixelsAt(page)) > 50, "the second robot is not seen");
  const saved = async (label, count = 1) => {
    await page.getByRole("button", { name: /Save/ }).click();
    const got = [];
    const all = new Promise((done) => page.on("download", (download) => got.push(download) === count && done()));
    await page.locator(".menu").getByRole("button", { name: label, exact: true }).click();
    await all;
    page.removeAllListeners("download");
    return Promise.all(
      got.map(async (download) => {
        const path = join(folder, download.suggestedFilename());
        await download.saveAs(path);
        return path;
      }),
    );
  };
  for (const format of ["URDF", "MJCF", "YAML"]) {
    const [path] = await saved(format);
    near(eval_("gravity", [path], q), eval_("gravity", [model("two_link.urdf")], q), 1e-12);
  }
  const code = await saved("Dynamics as C", 2);
  assert.ok(code.some((path) => /two_link_inverse_dynamics/.test(readFileSync(path, "utf8"))));
  const [report] = await saved("Report of this state (HTML)");
  assert.match(readFileSync(report, "utf8"), /shoulder/);
  silent(page);
  await page.context().close();
});

const TETRAHEDRON = [
  [0, 2, 1],
  [0, 1, 3],
  [0, 3, 2],
  [1, 2, 3],
]
  .map((corners) => corners.map((k) => `vertex ${[1, 2, 3].map((axis) => Number(axis === k)).join(" ")}`))
  .map((corners) => `facet normal 0 0 0\nouter loop\n${corners.join("\n")}\nendloop\nendfacet\n`)
  .join("");
const ARM = `<mujoco model="arm"><compiler meshdir="assets"/><asset><mesh name="t" file="t.stl"/></asset><worldbody>
<body name="arm"><joint name="hinge" axis="0 1 0"/><geom type="mesh" mesh="t"/><include file="parts/hand.xml"/></body>
</worldbody></mujoco>
`;
const HAND = `<mujoco><body name="hand" pos="1 0 0"><inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/></body></mujoco>`;

test("a robot in several files: parts, a mesh with its inertia, a scene; of many robots one is chosen", { skip }, async () => {
  const file = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const scene = file("scene.xml", '<mujoco><include file="arm.xml"/><worldbody><light pos="0 0 3"/></worldbody></mujoco>');
  const arm = file("arm.xml", ARM);
  const hand = file("hand.xml", HAND);
  const mesh = file("t.stl", `solid t\n${TETRAHEDRON}endsolid t\n`);
  const page = await view([]);
  await drop(page, arm, hand);
  await examined(page);
  assert.match(await page.textContent(".refusal p"), /mesh files/);
  assert.match(await page.textContent(".message"), /no file "assets\/t\.stl"/);
  await drop(page, mesh);
  assert.equal(await page.textContent("h1"), "arm");
  assert.equal(await page.getAttribute("#tab-joints", "aria-selected"), "true");
  const mass = () => page.evaluate(() => globalThis.appell.subject.info.mass);
  assert.ok(Math.abs((await mass()) - (1000 / 6 + 2)) < 1e-6, "density times volume, and the hand");
  await drop(page, scene, arm, hand, mesh);
  assert.equal(await page.textContent("h1"), "arm");
  assert.equal(await page.evaluate(() => globalThis.appell.other), null);
  assert.ok(await page.locator(".choice").isHidden());
  await examined(page);
  const three = ["one", "two", "three"].map((name) => file(`${name}.urdf`, WRONG.replace('"wrong"', `"${name}"`)));
  await drop(page, ...three);
  assert.equal(await page.textContent("h1"), "one");
  await page.getByLabel("Robot file").selectOption({ label: "three.urdf" });
  await page.waitForFunction(() => document.querySelector("h1").textContent === "three");
  // A bound for the whole robot, which some files give a link for collisions, does not hide it.
  const bound = '<collision><geometry><cylinder radius="4" length="4"/></geometry></collision></link>';
  const bounded = readFileSync(model("two_link.urdf"), "utf8").replace(/<link name="(\w+)"\s*\/>/, `<link name="$1">${bound}`);
  assert.ok(bounded.includes(bound));
  await drop(page, file("bound.urdf", bounded));
  assert.ok(await page.evaluate(() => globalThis.appell.stage.view.places.every((x) => Math.abs(x) < 2)));
  silent(page);
  await page.context().close();
});

test("closed chains and floating bases: every built-in robot is shown and moves", { skip }, async () => {
  const page = await view(["five-bar"]);
  for (const name of ["five-bar", "stewart", "quadruped", "shafei-tree"]) {
    await page.evaluate((builtin) => globalThis.appell.layout.loadBuiltin(builtin), name);
    assert.equal(await page.textContent("h1"), name);
    const still = await pixelsAt(page);
    assert.ok(still.drawn > 100, name);
    const was = (await state(page)).q;
    await page.evaluate(() => globalThis.appell.setFreedom(0, "q", globalThis.appell.subject.value(0) + 0.05));
    await frame(page);
    const now = await state(page);
    assert.notDeepEqual(now.q, was, name);
    assert.ok(now.tau.every(Number.isFinite), name);
    assert.equal(await page.evaluate(() => globalThis.appell.failure), null, name);
    // A motion of it, closed chains too: all of it can be reached, and velocities are those of the positions.
    const swung = await page.evaluate(() => {
      const { appell } = globalThis;
      appell.play();
      const swing = appell.moving;
      appell.stop();
      let reached = 0;
      while (reached < 100 && swing.advance(0.04) !== false) reached++;
      const { subject } = appell;
      const before = subject.freedoms.map((_, i) => subject.value(i));
      const v = [...subject.v];
      swing.advance(1e-5);
      const most = subject.freedoms.map((_, i) => Math.abs((subject.value(i) - before[i]) / 1e-5 - v[i]));
      const centre = subject.poses().centreOfMass();
      return { possible: swing.possible, reached, error: Math.max(...most), moves: v.some((x) => x !== 0), centre };
    });
    assert.ok(swung.possible && swung.reached === 100 && swung.moves && swung.error < 1e-3, JSON.stringify(swung));
    assert.ok(swung.centre.every(Number.isFinite), name);
  }
  silent(page);
  await page.context().close();
});

test("files of strangers stay harmless", { skip }, async () => {
  const page = await view([]);
  const evil = '<img src=x onerror="document.title=1">';
  writeFileSync(
    join(folder, "evil.urdf"),
    WRONG.replace('name="wrong"', `name='${evil.replaceAll("<", "&lt;")}'`).replaceAll(
      '"hinge"',
      `'${evil.replaceAll("<", "&lt;")}'`,
    ),
  );
  await drop(page, join(folder, "evil.urdf"));
  await examined(page);
  assert.equal(await page.locator("img").count(), 0);
  const report = await page.evaluate(() => globalThis.appell.report());
  assert.ok(!report.includes("<img src=x"));
  // The corpus of the fuzzers, as files that are given to the page.
  const files = ["urdf", "mjcf", "yaml", "lint"].flatMap((kind) => {
    const from = join(source, "tests/fuzz/corpus", kind);
    return readdirSync(from)
      .map((name) => join(from, name))
      .filter((path) => statSync(path).isFile() && statSync(path).size < 1 << 20);
  });
  assert.ok(files.length > 20);
  const outcome = await page.evaluate(
    async (texts) => {
      let shown = 0;
      for (const [text, ending] of texts) {
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        await globalThis.appell.take([new File([bytes], `stranger.${ending}`)]);
        if (!globalThis.appell.failure) shown++;
      }
      await globalThis.appell.take([new File([new Uint8Array((16 << 20) + 1)], "large.urdf")]);
      return { shown, failure: globalThis.appell.failure };
    },
    files.map((path) => [readFileSync(path).toString("base64"), /yaml/.test(path) ? "yaml" : "urdf"]),
  );
  assert.match(outcome.failure, /MiB/);
  assert.ok(outcome.shown >= 3, JSON.stringify(outcome));
  // Meshes of that corpus, some that are nowhere, and shapes that no renderer can draw, as one robot.
  const meshes = readdirSync(join(source, "tests/fuzz/corpus/mesh")).flatMap((name) => {
    const bytes = readFileSync(join(source, "tests/fuzz/corpus/mesh", name));
    const own = ["obj", "stl", "msh", "dae"][bytes[0] % 4];
    return ["stl", "dae", ...(own === "obj" ? ["obj"] : [])].map((ending) => [`${name}.${ending}`, bytes.subarray(1)]);
  });
  const nowhere = Buffer.alloc(84 + 50, 0xff); // one triangle, all numbers NaN
  nowhere.writeUInt32LE(1, 80);
  meshes.push(["nowhere.stl", nowhere], ["far.obj", Buffer.from("v 0 0 0\nv 1e30 0 0\nv 0 1e30 0\nf 1 2 3\n")]);
  const link = (name, shape) => `<link name="${name}"><visual><geometry>${shape}</geometry></visual></link>
    <joint name="to ${name}" type="fixed"><parent link="base"/><child link="${name}"/></joint>`;
  const links = [...meshes.map(([name]) => link(name, `<mesh filename="${name}"/>`)), link("box", '<box size="1e30 1 1"/>')];
  const shown = await page.evaluate(
    async ([text, files]) => {
      const bytes = (data) => Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      await globalThis.appell.take([
        new File([text], "meshes.urdf"),
        ...files.map(([name, data]) => new File([bytes(data)], name)),
      ]);
      const { failure, stage } = globalThis.appell;
      return { failure, largest: Math.max(...stage.view.places) };
    },
    [
      WRONG.replace("</robot>", `${links.join("")}</robot>`),
      meshes.map(([name, bytes]) => [name, bytes.toString("base64")]),
    ],
  );
  assert.equal(shown.failure, null);
  assert.ok(shown.largest < 1000, `${shown.largest}`);
  writeFileSync(join(folder, "far.urdf"), WRONG.replace("<axis", '<origin xyz="1e30 0 0"/><axis'));
  await drop(page, join(folder, "far.urdf"));
  assert.match(await page.textContent(".message"), /too large to be drawn/);
  await drop(page, model("two_link.urdf"));
  assert.equal(await page.textContent("h1"), "two_link");
  assert.equal(await page.locator("img").count(), 0);
  silent(page);
  await page.context().close();
});

test("keys, labels, phone, dark", { skip }, async () => {
  const page = await view([model("two_link.urdf")], { width: 390, height: 800, dark: true, touch: true });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it scrolls sideways");
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input:not([type=file]), select, canvas, [role]")]
      .filter((element) => {
        const label =
          element.getAttribute("aria-label") ||
          element.getAttribute("aria-labelledby") ||
          element.labels?.[0]?.textContent ||
          element.textContent ||
          element.title;
        return !label?.trim() && !["list", "alert"].includes(element.getAttribute("role"));
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  );
  assert.deepEqual(nameless, []);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("2");
  assert.equal(await page.getAttribute("#tab-why", "aria-selected"), "true");
  const { q } = await state(page);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => globalThis.appell.moving?.time > 0.05);
  await page.keyboard.press(" ");
  assert.notDeepEqual((await state(page)).q, q);
  await page.keyboard.press("h");
  await frame(page);
  assert.deepEqual((await state(page)).q, q);
  await page.keyboard.press("?");
  assert.ok(await page.locator("dialog[open]").count());
  assert.match(await page.textContent(".licences"), /expat/i);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  silent(page);
  await page.context().close();
});
