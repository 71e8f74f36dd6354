// SPDX-License-Identifier: Apache-2.0
// A robot that appell writes to MJCF has the same inverse dynamics in MuJoCo.
//
//   node check.mjs APPELL MODEL MJCF [OPTION...]
//
// OPTIONs are for all calls of appell. Fails where a joint's force differs by more than 1e-12 of the
// largest force of that joint over the states. Rounding counts against the largest force of all: a
// joint that carries next to nothing has that of the others in it.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Robot } from './oracle.mjs';

const [, , appell, model, mjcf, ...options] = process.argv;
const run = (args, input) =>
  execFileSync(appell, [...args, ...options], { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 1 << 28 });

const info = JSON.parse(run(['info', '--json', model]));

// Numbers in [-1, 1) that are always the same ones (Knuth's MMIX generator).
let seed = 1n;
function random() {
  seed = (seed * 6364136223846793005n + 1442695040888963407n) % (1n << 64n);
  return Number(seed >> 11n) / 2 ** 52 - 1;
}

function state() {
  const x = Array.from({ length: info.nq + 2 * info.nv }, () => 2 * random());
  for (const joint of info.joints) {
    if (joint.nq !== 4 && joint.nq !== 7) continue;
    const at = joint.q + joint.nq - 4, length = Math.hypot(...x.slice(at, at + 4));
    for (let k = at; k < at + 4; k++) x[k] /= length;
  }
  return x;
}

const robot = new Robot(readFileSync(mjcf, 'utf8'), info);
const states = Array.from({ length: 20 }, state);
let worst = 0;
for (const passive of [false, true]) {
  const flags = passive ? ['--friction'] : [];
  const lines = run(['eval', 'inverse', ...flags, model, '-'], states.map((x) => x.join(' ')).join('\n') + '\n');
  const ours = lines.split('\n').filter((line) => line && line[0] !== '#').map((line) => line.split(' ').map(Number));
  const theirs = states.map((x) => robot.inverse(x, passive));
  const largest = Array.from({ length: info.nv }, (_, k) => Math.max(...ours.map((tau) => Math.abs(tau[k]))));
  for (let k = 0; k < info.nv; k++) {
    const scale = largest[k] + 1e-2 * Math.max(...largest);
    ours.forEach((tau, i) => {
      const error = Math.abs(tau[k] - theirs[i][k]);
      if (!(error <= 0)) worst = Math.max(worst, Number.isNaN(error) ? Infinity : error / scale);
    });
  }
}
console.log(`${model}: largest difference ${worst.toExponential(1)}`);
process.exit(worst < 1e-12 ? 0 : 1);
