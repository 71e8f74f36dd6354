// SPDX-License-Identifier: Apache-2.0
// The closures of an MJCF file hold in its keyframes, which are given with a few digits.
//
//   node closes.mjs MJCF KEYFRAMES

import { readFileSync } from 'node:fs';
import { Robot } from './oracle.mjs';

const [, , mjcf, keyframes] = process.argv;
const robot = new Robot(readFileSync(mjcf, 'utf8'), { joints: [] });
const found = Array.from({ length: robot.m.nkey }, (_, k) => robot.violation(k));
console.log(`${mjcf}: ${found.length} keyframes, violations up to ${Math.max(...found).toExponential(1)}`);
process.exit(found.length === Number(keyframes) && found.every((x) => x < 1e-3) ? 0 : 1);
