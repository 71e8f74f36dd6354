// SPDX-License-Identifier: Apache-2.0
// node web/view/build.mjs FOLDER MODULE LICENCES [PAGE]: view.html, the live page in one file with an empty place for a
// robot. MODULE is appell.wasm with its licences in the file LICENCES; or a page that was built before, for both of it.
// If PAGE, built before, has the same module, its bytes stay: packing may differ between versions of Node.js. The
// JavaScript of bindings/js/package is expected beside this folder as appell/.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const web = dirname(here);
const [folder, from, licencesOfModule, earlier] = process.argv.slice(2);
if (!folder || !from) {
  console.error("usage: node web/view/build.mjs FOLDER MODULE LICENCES [PAGE] | FOLDER PAGE");
  process.exit(2);
}

const between = (text, id) => new RegExp(`<script id="${id}" type="text/plain">([^<]*)</script>`).exec(text)?.[1];

/** The module packed, as the page has it, and the licences of what is in it. */
function moduleOf() {
  const bytes = readFileSync(from);
  if (bytes.subarray(0, 4).toString("latin1") === "\0asm") {
    const known = earlier && existsSync(earlier) ? between(readFileSync(earlier, "utf8"), "module") : null;
    const same = known && gunzipSync(Buffer.from(known, "base64")).equals(bytes);
    const module = same ? known : gzipSync(bytes, { level: 9 }).toString("base64");
    return { module, licences: readFileSync(licencesOfModule, "utf8").trim() };
  }
  const page = bytes.toString("utf8");
  const module = between(page, "module");
  const licences = between(page, "licences");
  if (!module || !licences || gunzipSync(Buffer.from(module, "base64")).length === 0)
    throw new Error(`${from} is neither a module nor a page that has one`);
  return { module, licences: unescape(licences).split(MARK)[0].trim() };
}

const MARK = "==== three.js ====";
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const unescape = (text) => text.replaceAll("&lt;", "<").replaceAll("&amp;", "&");

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome111", "firefox113", "safari16.4"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    absWorkingDir: web,
    external: ["node:fs/promises"],
    define: { "import.meta.url": '""' },
  });
  return result.outputFiles[0].text.trim();
}

const put = (page, mark, text) => page.replace(mark, () => text);
const { module, licences } = moduleOf();
const licenceOf = (name) => readFileSync(join(web, "node_modules", name, "LICENSE"), "utf8").trim();
const packages = `${MARK}\n\n${licenceOf("three")}\n\n==== uPlot ====\n\n${licenceOf("uplot")}\n`;
const script = await bundle("main.js");
let page = readFileSync(join(here, "index.html"), "utf8");
page = put(page, "@SCRIPT_HASH@", `sha256-${createHash("sha256").update(script).digest("base64")}`);
page = put(page, "@STYLE@", await bundle("view.css"));
const reportStyle = await bundle("../src/style.css");
if (/<\/script/i.test(reportStyle)) throw new Error("a style must have no tag");
page = put(page, "@REPORT_STYLE@", reportStyle);
page = put(page, "@LICENCES@", escape(`${licences}\n\n${packages}`));
page = put(page, "@SCRIPT@", script);
page = put(page, "@MODULE@", module);
if (/<\/script/i.test(script) || page.split('<script id="robot" type="application/json"></script>').length !== 2)
  throw new Error("the page must have one place for the robot, and its script no tag");
writeFileSync(join(folder, "view.html.part"), page);
renameSync(join(folder, "view.html.part"), join(folder, "view.html"));
