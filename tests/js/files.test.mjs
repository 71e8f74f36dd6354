// SPDX-License-Identifier: Apache-2.0
// Files: what is read, found, written, run; and what is refused.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { A, command, near, read, root } from "./common.mjs";

const robots = readdirSync(root + "models").filter((name) => /\.(urdf|xml|yaml)$/.test(name) &&
  !/^appell-scenario/m.test(read("models/" + name)));

test("robots are what the command says they are", async () => {
  assert.ok(robots.length > 8);
  for (const name of robots) {
    const robot = await A.loadAny(read("models/" + name), { file: name });
    const info = robot.info(), wanted = JSON.parse(command("info", "models/" + name, "--json"));
    if (info.start) delete info.start, delete wanted.start; // a search: its last digits are the build's
    assert.deepEqual(info, wanted, name);
    robot.free();
  }
});

test("the doctor finds what the command finds", async () => {
  const files = [...robots.map((name) => "models/" + name),
    ...readdirSync(root + "tests/fuzz/corpus/lint").map((name) => "tests/fuzz/corpus/lint/" + name)];
  const short = ({ rule, line, severity, subject }) => `${line} ${rule} ${severity} ${subject}`;
  let findings = 0;
  for (const path of files) {
    const found = await A.lint(read(path), { file: path, disable: ["mesh-missing"] });
    const wanted = JSON.parse(command("lint", path, "--json", "--disable", "mesh-missing"));
    assert.deepEqual(found.map(short), wanted.findings.map(short), path);
    findings += found.length;
  }
  assert.ok(findings > 20);
});

test("robots come back from every format", async () => {
  const arm = await A.load(read("models/two_link.urdf")), q = [0.3, -0.2], v = [1, 2], a = [3, 4];
  for (const format of ["urdf", "mjcf", "yaml"]) {
    const again = await A.load(arm.text(format), { format });
    near(again.inverseDynamics(q, v, a), arm.inverseDynamics(q, v, a), 1e-12);
    again.free();
  }
  const bytes = await A.load(readFileSync(root + "models/two_link.urdf"));
  assert.deepEqual(bytes.gravity(q), arm.gravity(q));
  const locked = await A.load(read("models/two_link.urdf"), { lock: { elbow: 0.5 } });
  assert.equal(locked.nv, 1);
  near(locked.gravity([0.1]), [arm.gravity([0.1, 0.5])[0]], 1e-13);
  assert.equal((await A.load(read("models/two_link.urdf"), { floating: true })).nq, 9);
});

test("files that a robot includes are given beside it", async () => {
  const part = '<mujoco><worldbody><body name="b"><joint axis="0 1 0"/><geom size="0.1" mass="1" pos="0.5 0 0"/></body></worldbody></mujoco>';
  const whole = '<mujoco><include file="parts/arm.xml"/></mujoco>';
  const robot = await A.load(whole, { files: { "parts/arm.xml": part } });
  near(robot.gravity([0]), [-0.5 * 9.81], 1e-12);
  await assert.rejects(A.load(whole, { file: "whole.xml" }), /whole\.xml:1: .*arm\.xml/);
  await assert.rejects(A.load(whole, { files: { "../x": part } }), /no name of a file/);
});

test("messages name files as they were given, not where the module keeps them", async () => {
  const text = `<mujoco><compiler meshdir="assets"/><asset><mesh name="m" file="m.stl"/></asset><worldbody><body name="b">
    <joint name="j"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>`;
  await assert.rejects(A.load(text, { file: "r.xml" }), (error) => error.message.includes('"assets/m.stl"'));
  assert.ok((await A.lint(text, { file: "r.xml" })).some(({ what }) => what.includes('"assets/m.stl"')));
});

test("errors have file, line and reason", async () => {
  await assert.rejects(A.load('<robot name="x">\n<link name="a"/>\n<joint/></robot>', { file: "x.urdf" }),
    (error) => error instanceof A.AppellError && error.line === 3 && error.file === "x.urdf" && /^x\.urdf:3: /.test(error.message));
  await assert.rejects(A.load("appell: 1\nname: x\n"), { status: "syntax" });
  await assert.rejects(A.load("nothing"), { status: "not-found" });
  await assert.rejects(A.load("delta"), /loadMechanism/);
  await assert.rejects(A.loadMechanism("puma600"), /load\(\)/);
  await assert.rejects(A.load(""), A.AppellError);
  await assert.rejects(A.load(null), A.AppellError);
  await assert.rejects(A.load("<robot/>", { format: "stl" }), /unknown format/);
  await assert.rejects(A.lint("<robot/>", { disable: ["no-rule"] }), A.AppellError);
  const arm = await A.load("puma600"), zero = new Float64Array(6);
  for (const bad of [() => arm.gravity([1]), () => arm.gravity(), () => arm.gravity([NaN, 0, 0, 0, 0, 0]),
    () => arm.bias(zero, [Infinity, 0, 0, 0, 0, 0]), () => arm.pose(zero, "nowhere"), () => arm.pose(zero, 99),
    () => arm.jacobian(zero, 1, { reference: "odd" }), () => arm.gravity(zero, { out: [] }), () => arm.text("stl"),
    () => arm.generate({ functions: ["nothing"] }), () => arm.setPayload(1, -1), () => arm.simulation({ wals: [] }),
    () => arm.inverseDynamics(zero, zero, zero, { wrenches: [{ frame: "nowhere" }] })])
    assert.throws(bad, A.AppellError, bad.toString());
  const free = await A.load("quadruped");
  assert.throws(() => free.gravity(new Float64Array(free.nq)), /quaternion/);
  arm.free();
  arm.free();
  assert.throws(() => arm.gravity(zero), /freed/);
});

test("C is generated", async () => {
  const arm = await A.load("scara");
  const files = arm.generate();
  assert.deepEqual(Object.keys(files), ["scara.c", "scara.h"]);
  assert.match(files["scara.c"], /scara_inverse_dynamics/);
});

test("a run is what the command simulates", async () => {
  const files = { "two_link.urdf": read("models/two_link.urdf") };
  const run = await A.simulate(read("models/pendulum_at_walls.yaml"), { files });
  assert.equal(run.length, 201);
  assert.deepEqual([run.column("t")[0], run.column("t")[200]], [0, 2]);
  assert.ok(run.events.some(({ kind, wall }) => kind === "impact" && wall === "left"));
  assert.ok(Math.max(...run.column("closing").map(Math.abs)) < 1e-7);
  assert.equal(run.units["q.shoulder"], "rad");
  const half = await A.simulate(read("models/pendulum_at_walls.yaml"), { files, end: 0.5, step: 0.1 });
  assert.equal(half.length, 6);
  near(half.column("q.elbow"), run.column("q.elbow").filter((_, i) => i % 10 === 0 && i <= 50), 1e-8);
  let calls = 0;
  const ended = await A.simulate(read("models/pendulum_at_walls.yaml"), { files, step: 1e-3, onProgress: () => ++calls < 2 });
  assert.ok(calls === 2 && ended.length < 2001);
  await assert.rejects(A.simulate(read("models/pendulum_at_walls.yaml"), { file: "run.yaml" }), /^AppellError: run\.yaml:\d+: .*two_link/);
});

test("closed chains run too", async () => {
  const chain = await A.simulate(read("models/delta_driven.yaml"), { files: { "delta.yaml": read("models/delta.yaml") }, end: 0.05 });
  assert.ok(Math.max(...chain.column("closure")) < 1e-9);
});

test("a simulation goes on, is pushed, driven and started again", async () => {
  const arm = await A.load(read("models/two_link.urdf"));
  const simulation = arm.simulation({ q: [0.5, 0], limits: false, jointFriction: false,
    walls: [{ name: "floor", kind: "plane", centre: [0, 0, -0.65] }] });
  near(simulation.q, [0.5, 0], 0);
  const free = arm.forwardDynamics(simulation.q, simulation.v, [0, 0]);
  near(simulation.a, free, 1e-12);
  const events = [];
  for (let frame = 0; frame < 60; frame++) events.push(...simulation.advance(1 / 60));
  assert.ok(Math.abs(simulation.time - 1) < 1e-12 && Math.abs(simulation.balance) < 1e-7);
  assert.ok(events.some(({ wall }) => wall === "floor"));
  // A force is J^T f; torques that hold the arm keep it where it is.
  simulation.start([0.5, 0.2], [0, 0], 0);
  simulation.drive(arm.gravity([0.5, 0.2]));
  simulation.advance(0.1);
  near(simulation.q, [0.5, 0.2], 1e-9);
  simulation.push("forearm", [0, 0, 7], [0.3, 0, 0]);
  simulation.advance(1e-9);
  const pushed = arm.forwardDynamics(simulation.q, simulation.v, arm.gravity([0.5, 0.2]),
    { wrenches: [{ frame: "tool", force: [0, 0, 7], reference: "mixed" }] });
  near(simulation.a, pushed, 1e-5);
  simulation.push("forearm", null);
  // Where nothing weighs, a spring takes the tool to a place.
  const target = arm.pose([0.7, 0.4], "tool").p;
  const weightless = arm.simulation({ q: [0.5, 0.2], limits: false, jointFriction: false, gravity: [0, 0, 0] });
  weightless.pull("forearm", target, { at: [0.3, 0, 0], stiffness: 200, damping: 30 });
  for (let frame = 0; frame < 300; frame++) weightless.advance(1 / 60);
  near(arm.pose(weightless.q, "tool").p, target, 1e-3);
  assert.throws(() => simulation.push("nowhere", [0, 0, 1]), { status: "not-found" });
  assert.throws(() => simulation.advance(-1), A.AppellError);
  assert.throws(() => simulation.push("forearm", [NaN, 0, 0]), A.AppellError);
  simulation.free();
  assert.throws(() => simulation.advance(0.1), /freed/);
  const stewart = await A.loadMechanism("stewart");
  const closed = stewart.simulation({ q: stewart.info().start.q });
  closed.advance(0.02);
  assert.ok(closed.closure < 1e-9 && closed.coordinates.length === stewart.n);
});
