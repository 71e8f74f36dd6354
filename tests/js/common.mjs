// SPDX-License-Identifier: Apache-2.0
// What the tests of the JavaScript package share. APPELL_JS is the folder of the package, APPELL the
// path of the command.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

export const root = new URL("../../", import.meta.url).pathname;
export const packageFolder = process.env.APPELL_JS ?? root + "build/js";
export const A = await import(pathToFileURL(packageFolder + "/index.js").href);

/** Equal to a part of the largest number. */
export function near(got, wanted, tolerance) {
  assert.equal(got.length, wanted.length);
  const scale = Math.max(...[...wanted].map(Math.abs), Number.MIN_VALUE);
  for (let i = 0; i < got.length; i++)
    assert.ok(Math.abs(got[i] - wanted[i]) <= tolerance * scale, `${i}: ${got[i]}, not ${wanted[i]}`);
}

export const read = (path) => readFileSync(root + path, "utf8");

/** What the command prints, whatever its status. */
export function command(...args) {
  try {
    return execFileSync(process.env.APPELL ?? root + "build/appell", args, { cwd: root, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    return error.stdout;
  }
}
