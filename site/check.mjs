// SPDX-License-Identifier: Apache-2.0
// node site/check.mjs SITE WEB: every link of the site's own pages resolves, and pages open from disk without an error in
// the console, with typeset formulas, a search that finds, and a robot. WEB is a folder of scripts/web_packages.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [site, web] = process.argv.slice(2).map((path) => resolve(path));
let failures = 0;
const check = (holds, what) => {
  if (holds) return;
  failures++;
  console.log(`FAILED ${what}`);
};

const pages = readdirSync(site, { recursive: true }).filter(
  (name) => name.endsWith(".html") && !/^(runs|files|api)\//.test(name),
);
check(pages.length > 20, `${pages.length} pages`);
const texts = new Map();
const textOf = (file) => {
  if (!texts.has(file)) texts.set(file, readFileSync(file, "utf8"));
  return texts.get(file);
};
let links = 0;
for (const page of pages) {
  for (const [, link] of textOf(join(site, page)).matchAll(/(?:href|src)="([^"]+)"/g)) {
    check(!/^(\/|\/\/|https?:.*\.(js|css)$)/.test(link), `${page}: '${link}' is not relative`);
    if (/^[a-z]+:/.test(link) || link === "#") continue;
    const [path, anchor] = link.replaceAll("&amp;", "&").split("#");
    const file = path ? join(dirname(join(site, page)), decodeURIComponent(path.split("?")[0])) : join(site, page);
    links++;
    if (!existsSync(file)) check(false, `${page}: there is no '${link}'`);
    else if (anchor && file.endsWith(".html") && !file.includes("/api/"))
      check(textOf(file).includes(`id="${decodeURIComponent(anchor)}"`), `${page}: there is no anchor '${link}'`);
  }
}
check(links > 500, `${links} links`);

const { Bench } = await import(pathToFileURL(join(web, "test/browser.mjs")));
const bench = await Bench.start({ page: join(site, "runs/quadruped_drop.html") });
const page = await bench.tab({ width: 1200, height: 800 });
const problems = [];
page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
page.on("pageerror", (error) => problems.push(String(error)));
const open = (name) => page.goto(pathToFileURL(join(site, name)).href);
await open("docs/theory.html");
await page.waitForSelector(".katex", { state: "attached" });
check((await page.locator(".katex-error").count()) === 0, "docs/theory.html: formulas that KaTeX cannot read");
await page.goto(`${pathToFileURL(join(site, "search.html")).href}?q=restitution`);
await page.waitForSelector("ul.search li a");
await open("papers.html");
check((await page.locator("h2").count()) === 5, "papers.html: five papers");
check((await page.locator("table.agreement:visible").count()) === 5, "papers.html: one matrix a paper, all else folded");
check((await page.evaluate(() => document.documentElement.scrollHeight)) < 5000, "papers.html: a page to look through");
await page.emulateMedia({ colorScheme: "dark" });
const paper = () => page.evaluate(() => getComputedStyle(document.body).getPropertyValue("--color-background-primary").trim());
check((await paper()) === "#131416", `papers.html: dark where the system is, not ${await paper()}`);
await page.emulateMedia({ colorScheme: "light" });
check((await paper()) === "white", `papers.html: light where the system is, not ${await paper()}`);
await open("api/html/index.html");
check(/Appell in C/.test(await page.locator("body").innerText()), "the reference has a main page");
await open("index.html");
await page.locator("iframe.live").scrollIntoViewIfNeeded();
const live = page.frameLocator("iframe.live");
await live.locator("#page[data-ready]").waitFor({ state: "attached" });
const torque = await live.locator(".joint .tau").nth(8).textContent();
await live.locator(".joint .slider").nth(8).focus();
for (let i = 0; i < 30; i++) await page.keyboard.press("ArrowRight");
await live.locator(".joint .value").nth(8).evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
check((await live.locator(".joint .tau").nth(8).textContent()) !== torque, "the robot on the front page computes");
check(problems.length === 0, `console: ${problems.join("; ")}`);
await bench.stop();
console.log(`${pages.length} pages, ${links} links, ${failures} failures`);
process.exitCode = failures > 0 ? 1 : 0;
