// SPDX-License-Identifier: Apache-2.0
// node web/screenshots.mjs FOLDER REPORT.html[@TIME][:dark|:phone|:robot]...: FOLDER/REPORT[-dark|-phone|-robot].png of each.

import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { png } from "./png.mjs";
import { Bench } from "./test/browser.mjs";

const KINDS = {
  "": { width: 1280, height: 800, wide: 800 },
  dark: { width: 1280, height: 800, wide: 800, dark: true },
  phone: { width: 390, height: 844, wide: 300, scale: 2 },
  robot: { width: 1280, height: 800, wide: 480, only: ".stage" },
};

function parse(argument) {
  const [, file, time, kind] = /^(.*?\.html)(?:@([-\d.e]+))?(?::(\w+))?$/.exec(argument) ?? [];
  if (!file || !(kind === undefined || kind in KINDS))
    throw new Error(`'${argument}' is no REPORT.html[@TIME][:dark|:phone|:robot]`);
  if (!existsSync(file)) throw new Error(`there is no ${file}`);
  return { file: resolve(file), time: time === undefined ? null : Number(time), kind: kind ?? "" };
}

/** The picture made smaller by the browser itself, as pixels. */
const shrink = (page, picture, wide) =>
  page.evaluate(
    async ([source, width]) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const height = Math.round((image.height * width) / image.width);
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      const draw = canvas.getContext("2d");
      draw.imageSmoothingQuality = "high";
      draw.drawImage(image, 0, 0, width, height);
      const { data } = draw.getImageData(0, 0, width, height);
      let text = "";
      for (let i = 0; i < data.length; i += 8192) text += String.fromCharCode(...data.subarray(i, i + 8192));
      return { width, height, data: btoa(text) };
    },
    [`data:image/png;base64,${picture.toString("base64")}`, wide],
  );

async function shoot(bench, folder, { file, time, kind }) {
  const { wide, only, ...options } = KINDS[kind];
  const page = await bench.open(null, { file, ...options });
  await page.evaluate((t) => {
    const { clock, run, view } = globalThis.appell;
    clock.set(t ?? run.start + 0.4 * (run.end - run.start));
    view?.setShadows(!view.extent.normal);
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, time);
  if (only) await page.addStyleTag({ content: ".tools, .menu { display: none !important }" });
  const picture = await (only ? page.locator(only) : page).screenshot({ animations: "disabled" });
  const { width, height, data } = await shrink(page, picture, wide);
  const out = join(folder, `${basename(file, ".html")}${kind && `-${kind}`}.png`);
  writeFileSync(out, png(Buffer.from(data, "base64"), width, height));
  console.log(`${out}  ${width} x ${height}, ${(statSync(out).size / 1000).toFixed(0)} kB`);
  await page.context().close();
}

const [folder, ...reports] = process.argv.slice(2);
if (reports.length === 0) {
  console.error("usage: scripts/screenshots FOLDER REPORT.html[@TIME][:dark|:phone|:robot]...");
  process.exit(2);
}
let bench = null;
try {
  const wanted = reports.map(parse);
  mkdirSync(folder, { recursive: true });
  bench = await Bench.start({ page: wanted[0].file });
  for (const report of wanted) await shoot(bench, folder, report);
} catch (error) {
  console.error(`scripts/screenshots: ${error.message}`);
  process.exitCode = 1;
} finally {
  await bench?.stop();
}
