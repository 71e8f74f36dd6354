// SPDX-License-Identifier: Apache-2.0
// node web/build.mjs FOLDER: page.html, the page of 'appell report' in one file with an empty place for a run, and
// LICENSES.txt with the licences of the packages in it.

import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const PLACE = '<script id="run" type="application/json"></script>';

const [folder, ...more] = process.argv.slice(2);
if (!folder || more.length > 0) {
  console.error("usage: node web/build.mjs FOLDER");
  process.exit(2);
}

const packages = new Set();

/** ENTRY with all that it imports, as text; notes the packages that it takes from. */
async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome100", "firefox100", "safari15.4"],
    charset: "utf8",
    legalComments: "eof",
    logLevel: "warning",
    metafile: true,
    absWorkingDir: here,
  });
  for (const input of Object.keys(result.metafile.inputs)) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
    if (name) packages.add(name);
  }
  return result.outputFiles[0].text.trim();
}

/** Licences of what is bundled; uPlot's own file has no mark by which it would be kept. */
function licences() {
  return [...packages]
    .sort()
    .map((name) => {
      const { version } = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
      return `${name} ${version}\n\n${readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim()}`;
    })
    .join("\n\n");
}

/** Writes a file of FOLDER, which is never there in part. */
function write(name, text) {
  const path = join(folder, name);
  writeFileSync(`${path}.part`, text);
  renameSync(`${path}.part`, path);
}

// A function as replacement: no sign in the text has a meaning.
const put = (page, mark, text) => page.replace(mark, () => text);

const style = await bundle("src/style.css");
const script = await bundle("src/main.js");
const texts = licences();
const code = `/*! This page contains:\n\n${texts.replaceAll("*/", "* /")}\n*/\n${script}`;
const hash = createHash("sha256").update(code).digest("base64");
let page = readFileSync(join(here, "index.html"), "utf8");
page = put(page, "@SCRIPT_HASH@", `sha256-${hash}`);
page = put(page, "@STYLE@", style);
page = put(page, "@SCRIPT@", code);
if (page.split(PLACE).length !== 2) {
  console.error("web/build.mjs: the page must contain the place of the run exactly once");
  process.exit(1);
}
write("page.html", page);
write("LICENSES.txt", `page.html contains:\n\n${texts}\n`);
