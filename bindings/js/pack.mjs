// SPDX-License-Identifier: Apache-2.0
// Puts the npm package together: the JavaScript, the module, and single.js, which has both in one
// file.
//
//   node pack.mjs APPELL.WASM VERSION OUT LICENCE-OF-APPELL -OF-EXPAT -OF-LIBYAML -OF-WASI-LIBC

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const [wasm, version, out, ...licences] = process.argv.slice(2);
const from = join(dirname(fileURLToPath(import.meta.url)), "package");
const text = (name) => readFileSync(join(from, name), "utf8");
mkdirSync(out, { recursive: true });

const parts = ["system.js", "module.js", "run.js", "robot.js", "index.js"]; // none needs a later one
for (const name of [...parts, "index.d.ts", "README.md"]) copyFileSync(join(from, name), join(out, name));
writeFileSync(join(out, "package.json"), text("package.json").replace("@VERSION@", version));
copyFileSync(wasm, join(out, "appell.wasm"));

const packed = gzipSync(readFileSync(wasm), { level: 9 }).toString("base64");
const single = parts.map((name) => {
  const body = text(name)
    .replace(/^import .*;\n/gm, "")
    .replace("const embedded = null;", `const embedded = "${packed}";`);
  return name === "index.js" ? body : body.replace(/^export /gm, "");
});
writeFileSync(join(out, "single.js"), single.join("\n"));

const names = ["appell", "expat", "libyaml", "wasi-libc"];
const texts = licences.map((path, i) => `==== ${names[i]} ====\n\n${readFileSync(path, "utf8")}`);
writeFileSync(join(out, "LICENSES.txt"), texts.join("\n\n"));
