// SPDX-License-Identifier: Apache-2.0
// A page built once, and a real Chromium to open it in.

import { execFileSync } from "node:child_process";
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { fill, here } from "./fixtures.mjs";

/** Debian's Chromium or a relative, wherever PATH has it. */
function findBrowser() {
  for (const name of ["chromium", "chromium-browser", "google-chrome", "chrome"]) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // the next one
      }
    }
  }
  throw new Error("there is no chromium in PATH: install it (Debian: apt-get install chromium)");
}

// WebGL by software, as there is no graphics card to count on; the rest of the page is quicker without it.
const SOFTWARE_GL = [
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-gpu-compositing",
];

export class Bench {
  static async start({ page = null } = {}) {
    const bench = new Bench();
    bench.folder = mkdtempSync(join(tmpdir(), "appell-page-"));
    if (!page) execFileSync(process.execPath, [join(here, "../build.mjs"), bench.folder], { stdio: "inherit" });
    const built = page ?? join(bench.folder, "page.html");
    bench.built = readFileSync(built, "utf8");
    const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    bench.browser = await chromium.launch({
      executablePath: findBrowser(),
      args: [...SOFTWARE_GL, ...root],
    });
    bench.count = 0;
    return bench;
  }

  write(run) {
    const file = join(this.folder, `${this.count++}.html`);
    writeFileSync(file, typeof run === "string" ? run : fill(this.built, run));
    return file;
  }

  /** A tab without network, or without WebGL; `said` collects what must not be: errors, warnings, requests. */
  async tab({ width = 1280, height = 800, dark = false, scale = 1, touch = false, gl = true } = {}) {
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? "dark" : "light",
      deviceScaleFactor: scale,
      offline: true,
      hasTouch: touch,
    });
    const page = await context.newPage();
    page.said = [];
    if (!gl)
      await page.addInitScript(() => {
        const { getContext } = HTMLCanvasElement.prototype;
        HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
          return /webgl/.test(kind) ? null : getContext.call(this, kind, ...more);
        };
      });
    page.on(
      "console",
      (message) =>
        ["error", "warning"].includes(message.type()) &&
        !/GPU stall|GL Driver/.test(message.text()) &&
        page.said.push(`console: ${message.text()}`),
    );
    page.on("pageerror", (error) => page.said.push(`error: ${error.stack ?? error}`));
    page.on(
      "request",
      (request) =>
        request.url() !== page.shows &&
        !/^(data|blob):/.test(request.url()) &&
        page.said.push(`request: ${request.url()}`),
    );
    return page;
  }

  /** Shows a run, or a file of one, in a tab. */
  async show(page, run, file = null) {
    page.shows = pathToFileURL(file ?? this.write(run)).href;
    await page.goto(page.shows);
    await page.waitForSelector("#page[data-ready]");
  }

  /** A run, or a file of one, in a tab of its own. */
  async open(run, { file = null, ...options } = {}) {
    const page = await this.tab(options);
    await this.show(page, run, file);
    return page;
  }

  async stop() {
    await this.browser.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What the canvas of the replay shows at time t: how many pixels are drawn, and all of them as numbers. */
export async function pixelsAt(page, t) {
  const { drawn, text } = await page.evaluate((moment) => {
    const { clock, view } = globalThis.appell;
    if (moment !== null) clock.set(moment);
    view.draw();
    const copy = document.createElement("canvas");
    copy.width = 160;
    copy.height = 120;
    const draw = copy.getContext("2d", { willReadFrequently: true });
    draw.drawImage(view.canvas, 0, 0, 160, 120);
    const { data } = draw.getImageData(0, 0, 160, 120);
    let drawn = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] > 0) drawn++;
    return { drawn, text: Array.from(data, (byte) => String.fromCharCode(byte)).join("") }; // lists take long to pass
  }, t ?? null);
  return { drawn, bytes: Buffer.from(text, "latin1") };
}

export const differing = (a, b) =>
  a.bytes.reduce((count, byte, i) => count + (Math.abs(byte - b.bytes[i]) > 24 ? 1 : 0), 0);
