// SPDX-License-Identifier: Apache-2.0
// What a call costs in JavaScript: size of the package, inverse dynamics of the PUMA from JavaScript
// and inside the module, poses and dynamics of a frame of a page, against the native library.
//
//   node bench/js_calls.mjs [PACKAGE [APPELL]]      build/js, build/appell by default

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const folder = resolve(process.argv[2] ?? "build/js"), command = resolve(process.argv[3] ?? "build/appell");
const A = await import(pathToFileURL(folder + "/index.js").href);

/** ns of a call: the best round of a second, in which the engine also optimises the code. */
function time(call, n) {
  let best = Infinity;
  const end = performance.now() + 1000;
  while (performance.now() < end) {
    const start = performance.now();
    call(n);
    best = Math.min(best, ((performance.now() - start) * 1e6) / n);
  }
  return best;
}
const repeat = (call) => (n) => {
  for (let k = 0; k < n; k++) call();
};
const row = (what, value, unit) => console.log(`${what.padEnd(58)} ${value.toFixed(value < 100 ? 1 : 0).padStart(8)} ${unit}`);

for (const name of ["appell.wasm", "single.js"]) {
  const bytes = readFileSync(`${folder}/${name}`);
  row(name, bytes.length / 1000, "kB");
  row(`${name}, gzipped`, gzipSync(bytes, { level: 9 }).length / 1000, "kB");
}
const began = performance.now();
const arm = await A.load("puma600");
row("first robot: module compiled, PUMA loaded", performance.now() - began, "ms");

const state = Float64Array.from([0.1, -0.4, 0.7, 0.2, 0.5, -0.3]);
const [q, v, a, out] = [6, 6, 6, 6].map((n) => arm.buffer(n));
for (const array of [q, v, a]) array.set(state);
const own = new Float64Array(6), { _instance: instance, _handle: handle } = arm;
row("inverse dynamics, PUMA, inside the module", time((n) =>
  instance.call("js_repeat_inverse", handle, n, q.byteOffset, v.byteOffset, a.byteOffset, out.byteOffset), 20000), "ns");
row("from JavaScript, arrays in the module", time(repeat(() => arm.inverseDynamics(q, v, a, { out })), 5000), "ns");
row("from JavaScript, own arrays, own result", time(repeat(() => arm.inverseDynamics(state, state, state, { out: own })), 5000), "ns");
row("from JavaScript, own arrays, new result", time(repeat(() => arm.inverseDynamics(state, state, state)), 5000), "ns");
const many = new Float64Array(6000).map((_, i) => state[i % 6]), result = new Float64Array(6000);
row("from JavaScript, 1000 states at once, each", time((n) => {
  for (let k = 0; k < n; k += 1000) arm.inverseDynamics(many, many, many, { out: result });
}, 10000), "ns");

const legged = await A.load("quadruped"), x = legged.neutral(), rates = new Float64Array(legged.nv);
row("a frame of a page, quadruped: poses, M, gravity, inverse", time(repeat(() => {
  legged.poses(x), legged.inertia(x), legged.gravity(x), legged.inverseDynamics(x, rates, rates);
}), 2000) / 1000, "us");
const simulation = arm.simulation({ q: state, limits: false });
row("1/60 s of the PUMA falling, adaptive", time(repeat(() => simulation.advance(1 / 60)), 60) / 1000, "us");

try {
  const text = execFileSync(command, ["bench", "puma600", "--json"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const native = JSON.stringify(JSON.parse(text)).match(/"inverse[^}]*?"ns":([\d.]+)/);
  if (native) row("native, inverse dynamics, PUMA (appell bench)", Number(native[1]), "ns");
} catch {
  console.log("(no native numbers: build/appell is missing)");
}
