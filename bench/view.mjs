// SPDX-License-Identifier: Apache-2.0
// The live page: its size, the time to the first picture, and what a frame of a robot with 40 joints costs: kinematics
// and dynamics alone, and with all that the panels show. In a headless Chromium that draws by software; on a machine
// with graphics pictures take less.
//
//   node bench/view.mjs [APPELL]      the command: build/appell

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const appell = process.argv[2] ?? join(root, "build/appell");
execFileSync(join(root, "scripts/web_packages"), [join(root, "build/web")], { stdio: ["ignore", "ignore", "inherit"] });
const { Bench } = await import(pathToFileURL(join(root, "build/web/test/browser.mjs")).href);

/** A chain of n links, each about another axis than the one before. */
function chain(n) {
  const axes = ["0 0 1", "0 1 0", "1 0 0"];
  let text = '<robot name="chain"><link name="l0"/>';
  for (let i = 1; i <= n; i++)
    text +=
      `<link name="l${i}"><inertial><origin xyz="0 0 0.05"/><mass value="${1 / i}"/>` +
      `<inertia ixx="${1e-3 / i}" ixy="0" ixz="0" iyy="${1e-3 / i}" iyz="0" izz="${2e-4 / i}"/></inertial>` +
      `<visual><origin xyz="0 0 0.05"/><geometry><cylinder radius="0.02" length="0.1"/></geometry></visual></link>` +
      `<joint name="j${i}" type="revolute"><origin xyz="0 0 ${i > 1 ? 0.1 : 0}"/><parent link="l${i - 1}"/><child link="l${i}"/>` +
      `<axis xyz="${axes[i % 3]}"/><limit lower="-2" upper="2" effort="100" velocity="3"/></joint>`;
  return text + "</robot>\n";
}

const folder = mkdtempSync(join(tmpdir(), "appell-view-"));
writeFileSync(join(folder, "chain.urdf"), chain(40));
execFileSync(appell, ["view", join(folder, "chain.urdf"), "-o", join(folder, "chain.html")]);
const html = readFileSync(join(root, "web/dist/view.html"));
const ms = (x) => `${x.toPrecision(3)} ms`;
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const bench = await Bench.start({ page: join(root, "web/dist/view.html") });
try {
  const page = await bench.open(null, { file: join(folder, "chain.html") });
  const pictures = [];
  for (let i = 0; i < 5; i++) {
    await page.reload();
    await page.waitForSelector("#page[data-ready]");
    pictures.push(await page.evaluate(() => performance.now()));
  }
  await page.waitForSelector("#page[data-examined]");
  const times = await page.evaluate(() => {
    const { appell } = globalThis,
      { subject } = appell;
    const time = (use, n, times = 10) => {
      const list = [];
      for (let i = 0; i < n; i++) {
        subject.q.fill(0.3 * Math.sin(i));
        const started = performance.now();
        for (let k = 0; k < times; k++) use(); // the clock of a page is coarse
        list.push((performance.now() - started) / times);
      }
      return list.sort((a, b) => a - b)[n >> 1];
    };
    const dynamics = time(() => subject.poses().compute(), 40, 200);
    const all = {};
    for (const tab of ["joints", "why", "masses"]) {
      appell.layout.openTab(tab);
      all[tab] = time(() => (subject.poses().compute(), appell.draw()), 20);
    }
    return { dynamics, ...all };
  });
  console.log(`page: ${(html.length / 1000).toFixed(0)} kB, ${(gzipSync(html).length / 1000).toFixed(0)} kB gzipped`);
  console.log(`first picture, 40 joints: ${median(pictures).toFixed(0)} ms after the page was opened`);
  console.log(
    `per frame, 40 joints: kinematics and dynamics ${ms(times.dynamics)}; with the panel of joints ${ms(times.joints)}, ` +
      `with why ${ms(times.why)}, with masses ${ms(times.masses)} (a frame of 60 per second: 16.67 ms; without drawing)`,
  );
} finally {
  await bench.stop();
  rmSync(folder, { recursive: true, force: true });
}
