// SPDX-License-Identifier: Apache-2.0
// Files of strangers: whatever they are, the module answers with a result or an AppellError, and goes
// on. Memory that is freed is used again. An instance that has stopped is replaced.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { test } from "node:test";
import { A, read, root } from "./common.mjs";

function* corpus(folder = root + "tests/fuzz/corpus") {
  for (const name of readdirSync(folder)) {
    const path = `${folder}/${name}`;
    if (statSync(path).isDirectory()) yield* corpus(path);
    else yield path;
  }
}

/** Refusals are fine, traps are not. */
async function harmless(use) {
  try {
    return await use();
  } catch (error) {
    assert.ok(error instanceof A.AppellError && error.status !== "stopped", error.stack);
    return null;
  }
}

async function tryText(bytes) {
  for (const format of ["urdf", "mjcf", "yaml"]) {
    const robot = await harmless(() => A.loadAny(bytes, { format }));
    await harmless(() => A.lint(bytes, { format, quick: true }));
    if (!robot) continue;
    await harmless(() => (robot.closed ? robot.gravity(new Float64Array(robot.n)) : robot.gravity(robot.neutral())));
    await harmless(() => robot.convert("mjcf"));
    robot.free();
  }
  await harmless(() => A.simulate(bytes, { files: { "robot.urdf": bytes }, end: 0.02 }));
}

test("the fuzz corpus, and pieces of it", async () => {
  let files = 0;
  for (const path of corpus()) {
    const bytes = readFileSync(path);
    if (bytes.length > 20000) continue;
    await tryText(bytes);
    await tryText(bytes.subarray(0, bytes.length * 0.6));
    files++;
  }
  assert.ok(files > 50);
  await tryText(Buffer.from("<a>".repeat(100000)));
  await tryText(Buffer.from("[".repeat(100000)));
  await tryText(Buffer.from("a: &x [1]\nb: *x\n"));
});

test("memory is used again", async () => {
  const text = read("models/two_link.urdf");
  const memory = async () => (await A.load(text))._instance.memory.buffer.byteLength;
  for (let k = 0; k < 5; k++) (await A.load(text)).free();
  const before = await memory();
  for (let k = 0; k < 2000; k++) {
    const arm = await A.load(text);
    if (k % 20 === 0) arm.simulation({ limits: false }).free();
    arm.free();
  }
  assert.equal(await memory(), before);
});

test("an instance that has stopped is replaced", async () => {
  const arm = await A.load("puma600"), zero = new Float64Array(6);
  assert.throws(() => arm._instance.call("js_gravity", 0xfffffff0), { status: "stopped" });
  assert.throws(() => arm.gravity(zero), { status: "stopped" });
  arm.free();
  const again = await A.load("puma600");
  assert.equal(again.gravity(zero).length, 6);
});

test("what asks for too much memory is refused", async () => {
  const arm = await A.load("puma600");
  assert.throws(() => arm.buffer(2 ** 28), { status: "memory" });
  assert.equal(arm.gravity(new Float64Array(6)).length, 6);
});
