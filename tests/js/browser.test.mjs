// SPDX-License-Identifier: Apache-2.0
// The package in a headless Chromium: in a page and in a worker, served with its module beside it, and
// as one file of a page from the disk under a strict policy. Pages send what they found to a server
// here; nothing else is on the network.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { A, packageFolder, read } from "./common.mjs";

const TYPES = { js: "text/javascript", html: "text/html", wasm: "application/wasm" };
const folder = mkdtempSync(join(tmpdir(), "appell-js-"));
const pages = {};
let server, port, browser, tell;

function findBrowser() {
  for (const name of ["chromium", "chromium-browser", "google-chrome", "chrome"])
    for (const place of (process.env.PATH ?? "").split(delimiter))
      try {
        accessSync(join(place, name), constants.X_OK);
        return join(place, name);
      } catch {
        // the next one
      }
  return null;
}

before(async () => {
  server = createServer((request, response) => {
    const name = request.url.slice(1);
    if (request.method === "POST") {
      let body = "";
      request.on("data", (piece) => (body += piece)).on("end", () => tell(JSON.parse(body)));
      return response.end();
    }
    try {
      const content = pages[name] ?? readFileSync(join(packageFolder, name));
      response.setHeader("Content-Type", TYPES[name.split(".").pop()] ?? "text/plain");
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  ({ port } = server.address());
});

after(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Open an address; what the page sends. */
async function show(url) {
  const answer = new Promise((done) => (tell = done));
  const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = spawn(findBrowser(), ["--headless=new", "--disable-gpu", "--no-first-run", `--user-data-dir=${join(folder, "profile")}`,
    ...root, url], { stdio: "ignore" });
  const late = setTimeout(() => tell({ error: "the page sent nothing within 60 s" }), 60000);
  const ended = new Promise((done) => browser.on("exit", done));
  const sent = await answer;
  clearTimeout(late);
  browser.kill();
  await ended;
  return sent;
}

const STATE = "[0.1, -0.4, 0.7, 0.2, 0.5, -0.3]";

// What a page and a worker do: numbers of a robot, a robot file, a simulation, a refusal.
const WORK = `
async function work(A) {
  const arm = await A.load("puma600"), q = ${STATE};
  const file = await A.load(${JSON.stringify(read("models/two_link.urdf"))}, { file: "two_link.urdf" });
  const simulation = file.simulation({ q: [0.5, 0], limits: false });
  simulation.advance(0.5);
  const refused = await A.load("<robot>", { file: "x.urdf" }).catch((error) => error.message);
  return { tau: [...arm.inverseDynamics(q, q, q)], inertia: [...arm.inertia(q)], forward: [...arm.forwardDynamics(q, q, q)],
    simulated: [...simulation.q], refused, findings: (await file.lint()).length };
}`;
const SEND = (where) => `(answer) => fetch("${where}", { method: "POST", mode: "no-cors", body: JSON.stringify(answer) })`;

/** The same here, in Node.js. */
async function wanted() {
  const work = new Function("A", `${WORK}; return work(A);`);
  return work(A);
}

const options = findBrowser() ? {} : { skip: "skipped: Chromium is missing (scripts/setup ci)" };

test("a page and a worker compute what Node.js computes, to the bit", options, async () => {
  pages["worker.js"] = `import * as A from "/index.js"; ${WORK} work(A).then(postMessage, (error) => postMessage({ error: error.stack }));`;
  pages["page.html"] = `<!doctype html><script type="module">
import * as A from "/index.js";
${WORK}
const send = ${SEND("/sent")};
try {
  const page = await work(A);
  const worker = await new Promise((done) => {
    new Worker("/worker.js", { type: "module" }).onmessage = ({ data }) => done(data);
  });
  await send({ page, worker });
} catch (error) {
  await send({ error: error.stack });
}
</script>`;
  const sent = await show(`http://127.0.0.1:${port}/page.html`), here = await wanted();
  assert.equal(sent.error, undefined);
  assert.deepEqual(sent.page, here);
  assert.deepEqual(sent.worker, here);
});

test("a page of one file works from the disk", options, async () => {
  const single = readFileSync(join(packageFolder, "single.js"), "utf8").replace(/^export \{.*$/m, "").replace(/^export /gm, "");
  const policy = `default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; connect-src http://127.0.0.1:${port}`;
  const file = join(folder, "page.html");
  writeFileSync(file, `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<script type="module">
${single}
${WORK}
const send = ${SEND(`http://127.0.0.1:${port}/sent`)};
work({ load }).then(send, (error) => send({ error: error.stack }));
</script>`);
  const sent = await show(pathToFileURL(file).href);
  assert.equal(sent.error, undefined);
  assert.deepEqual(sent, await wanted());
});
