// SPDX-License-Identifier: Apache-2.0
// A picture of the live page for README.md: a robot in motion, and why a joint needs its torque. In a copy of web/ with
// its packages (scripts/web_packages build/web):
//
//   node build/web/view/picture.mjs PAGE.html OUT.png [dark]

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { png } from "../png.mjs";
import { Bench } from "../test/browser.mjs";

const [file, out, dark] = process.argv.slice(2);
if (!file || !out) {
  console.error("usage: node web/view/picture.mjs PAGE.html OUT.png [dark]");
  process.exit(2);
}
const bench = await Bench.start({ page: resolve(file) });
try {
  const page = await bench.open(null, {
    file: resolve(file),
    width: 1120,
    height: 700,
    scale: 0.75,
    dark: dark === "dark",
  });
  await page.waitForSelector("#page[data-examined]");
  await page.evaluate(async () => {
    const { appell } = globalThis;
    appell.play();
    const swing = appell.moving;
    appell.stop();
    for (let i = 0; i < 130; i++) swing.advance(0.01);
    appell.choose(appell.subject.computeHeaviest());
    appell.layout.openTab("why");
    appell.stage.fit();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    appell.stage.view.draw();
  });
  const picture = await page.screenshot({ animations: "disabled" });
  // The browser reads the picture, so that it can be written with few colours.
  const { width, height, data } = await page.evaluate(
    async (source) => {
      const image = Object.assign(new Image(), { src: source });
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      const draw = canvas.getContext("2d");
      draw.drawImage(image, 0, 0);
      const pixels = draw.getImageData(0, 0, image.width, image.height).data;
      let text = "";
      for (let i = 0; i < pixels.length; i += 8192) text += String.fromCharCode(...pixels.subarray(i, i + 8192));
      return { width: image.width, height: image.height, data: btoa(text) };
    },
    `data:image/png;base64,${picture.toString("base64")}`,
  );
  writeFileSync(out, png(Buffer.from(data, "base64"), width, height));
} finally {
  await bench.stop();
}
