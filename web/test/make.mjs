// SPDX-License-Identifier: Apache-2.0
// node web/test/make.mjs PAGE.html FOLDER: fixture pages, to be looked at.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fill } from "./fixtures.mjs";
import { gallery } from "./gallery.mjs";

const [page, folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node web/test/make.mjs PAGE.html FOLDER");
  process.exit(2);
}
const built = readFileSync(page, "utf8");
mkdirSync(folder, { recursive: true });
for (const [name, run] of Object.entries(gallery())) writeFileSync(join(folder, `${name}.html`), fill(built, run));
