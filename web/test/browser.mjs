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

// WebGL by software, as there is no graphics card to count on.
const SOFTWARE_GL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

export class Bench {
  static async start({ page = null, gl = true } = {}) {
    const bench = new Bench();
    bench.folder = mkdtempSync(join(tmpdir(), "appell-page-"));
    const built = page ?? join(bench.folder, "page.html");
    if (!page) execFileSync(process.execPath, [join(here, "../build.mjs"), built], { stdio: "inherit" });
    bench.built = readFileSync(built, "utf8");
    const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    bench.browser = await chromium.launch({
      executablePath: findBrowser(),
      args: [...(gl ? SOFTWARE_GL : ["--disable-gpu", "--disable-3d-apis"]), ...root],
    });
    bench.count = 0;
    return bench;
  }

  write(run) {
    const file = join(this.folder, `${this.count++}.html`);
    writeFileSync(file, typeof run === "string" ? run : fill(this.built, run));
    return file;
  }

  /** Opens a run (or a file of one) without network; `said` collects what must not be: errors, warnings, requests. */
  async open(run, { width = 1280, height = 800, dark = false, scale = 1, file = null, touch = false } = {}) {
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? "dark" : "light",
      deviceScaleFactor: scale,
      offline: true,
      hasTouch: touch,
    });
    const page = await context.newPage();
    page.said = [];
    const url = pathToFileURL(file ?? this.write(run)).href;
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
        request.url() !== url && !/^(data|blob):/.test(request.url()) && page.said.push(`request: ${request.url()}`),
    );
    await page.goto(url);
    await page.waitForSelector("#page[data-ready]");
    return page;
  }

  async stop() {
    await this.browser.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What the canvas of the replay shows at time t: how many pixels are drawn, and all of them as numbers. */
export const pixelsAt = (page, t) =>
  page.evaluate((moment) => {
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
    return { drawn, bytes: [...data] };
  }, t ?? null);

export const differing = (a, b) =>
  a.bytes.reduce((count, byte, i) => count + (Math.abs(byte - b.bytes[i]) > 24 ? 1 : 0), 0);
