// SPDX-License-Identifier: Apache-2.0
// Numbers: golden values, and the bits of a native build without fused products.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fingerprint, recorded } from "./bits.mjs";
import { A, near, root } from "./common.mjs";

// ---- golden values -----------------------------------------------------------------------------

/** The initializer of an array of a golden header, as nested lists. */
function golden(header, name) {
  const text = readFileSync(root + "tests/golden/" + header, "utf8");
  const start = text.indexOf("{", text.indexOf(` ${name}[`));
  const list = text.slice(start, text.indexOf("};", start) + 1);
  return JSON.parse(list.replaceAll("{", "[").replaceAll("}", "]").replace(/'(.)'/g, '"$1"'));
}

test("golden values of the PUMA", async () => {
  const arm = await A.load("puma600");
  for (const [q, v, a, tau, bias, gravity, tauIn, forward, lower] of golden("serial.h", "golden_puma")) {
    const inertia = new Float64Array(36);
    let k = 0;
    for (let i = 0; i < 6; i++) for (let j = 0; j <= i; j++) inertia[6 * i + j] = inertia[6 * j + i] = lower[k++];
    near(arm.inverseDynamics(q, v, a), tau, 1e-13);
    near(arm.bias(q, v), bias, 1e-13);
    near(arm.gravity(q), gravity, 1e-13);
    near(arm.inertia(q), inertia, 1e-13);
    near(arm.forwardDynamics(q, v, tauIn), forward, 1e-13);
  }
  arm.free();
});

// ---- bits --------------------------------------------------------------------------------------

const mask = (1n << 64n) - 1n;

/** tests/rng.h. */
function random(seed) {
  let state = BigInt(seed);
  return (low, high) => {
    let z = (state = (state + 0x9e3779b97f4a7c15n) & mask);
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return low + (high - low) * (Number((z ^ (z >> 31n)) >> 11n) * 2 ** -53);
  };
}

test("bits of a native build without fused products", async () => {
  const wanted = recorded(readFileSync(root + "tests/test_isa.c", "utf8"));
  assert.ok(wanted.length >= 3);
  for (const [name, bits] of wanted) {
    const arm = await A.load(name);
    assert.equal(fingerprint(arm), bits, name);
    arm.free();
  }
});

// ---- laws --------------------------------------------------------------------------------------

test("many states at once give what one at a time gives", async () => {
  const arm = await A.load("quadruped"), uniform = random(1), n = 37;
  const numbers = (count) => Float64Array.from({ length: count }, () => uniform(-1, 1));
  const q = numbers(n * arm.nq), v = numbers(n * arm.nv), a = numbers(n * arm.nv);
  const tau = arm.inverseDynamics(q, v, a), energy = arm.kineticEnergy(q, v);
  for (let k = 0; k < n; k++) {
    const own = [q.subarray(k * arm.nq, (k + 1) * arm.nq), v.subarray(k * arm.nv, (k + 1) * arm.nv)];
    const one = arm.inverseDynamics(...own, a.subarray(k * arm.nv, (k + 1) * arm.nv));
    assert.deepEqual(tau.subarray(k * arm.nv, (k + 1) * arm.nv), one);
    assert.equal(energy[k], arm.kineticEnergy(...own));
  }
  arm.free();
});

test("arrays in the module's memory are used where they are", async () => {
  const arm = await A.load("puma600");
  const [q, v, a, out] = [6, 6, 6, 6].map((n) => arm.buffer(n));
  q.fill(0.3), v.fill(0.2), a.fill(0.1);
  assert.equal(arm.inverseDynamics(q, v, a, { out }), out);
  assert.deepEqual([...out], [...arm.inverseDynamics([...q], [...v], [...a])]);
  const own = new Float64Array(6);
  assert.equal(arm.gravity(q, { out: own }), own);
  assert.deepEqual(own, arm.gravity([...q]));
  arm.free();
});

test("wrenches, payloads and gravity take part", async () => {
  const arm = await A.load("puma600"), q = [0.1, -0.4, 0.7, 0.2, 0.5, -0.3], zero = new Float64Array(6);
  const frame = arm.frames.at(-1), force = [3, -2, 5], moment = [0.5, 0.1, -0.2];
  const J = arm.jacobian(q, frame, { reference: "mixed" }), held = arm.inverseDynamics(q, zero, zero);
  const with_ = arm.inverseDynamics(q, zero, zero, { wrenches: [{ frame, force, moment, reference: "mixed" }] });
  const wanted = held.map((x, j) => x - [...force, ...moment].reduce((sum, f, i) => sum + J[6 * i + j] * f, 0));
  near(with_, wanted, 1e-13);
  assert.deepEqual(arm.inverseDynamics(q, zero, zero), held);
  arm.setPayload(frame, 2, [0, 0, 0.1]);
  assert.notDeepEqual(arm.gravity(q), held);
  assert.throws(() => arm.text(), /payload/);
  arm.resetInertia();
  assert.deepEqual(arm.gravity(q), held);
  arm.gravityVector = [0, 0, 0];
  near(arm.gravity(q), zero, 0);
  arm.free();
});

test("inverse kinematics puts a frame where it is wanted", async () => {
  const arm = await A.load("puma600"), q = [0.1, -0.4, 0.7, 0.2, 0.5, -0.3], frame = arm.frames.at(-1);
  const { R, p } = arm.pose(q, frame);
  const found = arm.inverseKinematics(frame, p, { R, q0: q.map((x) => x + 0.1) });
  assert.ok(found.reached);
  const there = arm.pose(found.q, frame);
  near(there.p, p, 1e-8);
  near(there.R, R, 1e-8);
  const all = arm.poses(q);
  assert.deepEqual(all.p.subarray(3 * (arm.nframe - 1)), p);
  assert.equal(arm.inverseKinematics(frame, [100, 0, 0]).reached, false);
  near(arm.difference(q, arm.integrate(q, [1, 2, 3, 4, 5, 6])), [1, 2, 3, 4, 5, 6], 1e-14);
  arm.free();
});

test("a mechanism: inverse undoes forward dynamics, closures hold", async () => {
  const delta = await A.loadMechanism("delta");
  const q = delta.info().start.q, v = [0.1, -0.2, 0.3], tau = [1, 2, 3];
  const a = delta.forwardDynamics(q, v, tau);
  near(delta.inverseDynamics(q, v, a), tau, 1e-10);
  assert.equal(delta.configuration(q).length, delta.nq);
  assert.ok(delta.distances(q)[0] > 0);
  assert.throws(() => delta.gravity([10, 0, 0]), { status: "unreachable" });
  delta.free();
});
