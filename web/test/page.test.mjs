// SPDX-License-Identifier: Apache-2.0
// The page in a real browser: it loads without error and without network, shows the robot, the plots, the events.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Bench, differing, pixelsAt } from "./browser.mjs";
import { armRun, jumpRun, shafeiRun } from "./fixtures.mjs";
import { meshRun, oddRuns, wallKinds, wallRun } from "./gallery.mjs";

// Software draws small pictures sooner.
const SMALL = { width: 480, height: 400 };
const MIDDLE = { width: 1060, height: 600 };

let bench;
const opened = new Map();
before(async () => (bench = await Bench.start()));
after(() => bench.stop());

async function withPage(run, options, check) {
  const page = await bench.open(run, options);
  try {
    await check(page);
    assert.deepEqual(page.said, []);
  } finally {
    await page.context().close();
  }
}

// Opening takes longest: tests that leave a page as it was share it.
async function withShared(make, check) {
  if (!opened.has(make)) opened.set(make, await bench.open(make(), MIDDLE));
  const page = opened.get(make);
  page.said.length = 0;
  await page.bringToFront();
  await page.evaluate(() => {
    const { clock, run, plots } = globalThis.appell;
    clock.pause();
    clock.setSpeed(1);
    clock.set(run.start);
    plots.reset();
    scrollTo(0, 0);
    document.activeElement?.blur();
  });
  await check(page);
  assert.deepEqual(page.said, []);
}

const arm = () => armRun({ rows: 301, events: 90 });

const timeOf = (page) => page.evaluate(() => globalThis.appell.clock.t);
const paused = (page) => page.evaluate(() => !globalThis.appell.clock.playing);
const near = (a, b, within = 1e-9) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);
const frames = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

test("the page says that it holds no run where it holds none", async () => {
  const file = bench.write(bench.built);
  const context = await bench.browser.newContext({ offline: true });
  const page = await context.newPage();
  await page.goto(`file://${file}`);
  assert.match(await page.locator(".remark").innerText(), /holds no run/);
  await context.close();
});

test("the robot is there, and moves with time", () =>
  withShared(shafeiRun, async (page) => {
    const [a, b, again] = [await pixelsAt(page, 0), await pixelsAt(page, 1), await pixelsAt(page, 0)];
    assert.ok(a.drawn > 300, `${a.drawn} pixels`);
    assert.ok(differing(a, b) > 300, `${differing(a, b)} values`);
    assert.equal(differing(a, again), 0);
    const links = await page.evaluate(() => globalThis.appell.view.robot.links.map((link) => link.position.toArray()));
    near(links[2][0], -1.3660254, 1e-6);
  }));

test("title, figures, facts and the scenario's text are shown", () =>
  withShared(shafeiRun, async (page) => {
    assert.equal(await page.locator("h1").innerText(), "shafei2018");
    assert.match(await page.locator(".figures").innerText(), /Degrees of freedom\s*12[^]*Impacts\s*8/);
    assert.match(await page.locator("#facts").innerText(), /Tolerances\s*1e\u221212/);
    assert.match(await page.locator("#scenario pre").innerText(), /<script> in a comment/);
    assert.match(await page.locator("#ledger").innerText(), /Kinetic[^]*Balance error/);
  }));

test("plots have the data", () =>
  withShared(shafeiRun, async (page) => {
    const panels = await page.evaluate(() =>
      globalThis.appell.plots
        .opened()
        .map((panel) => ({
          key: panel.key,
          series: panel.plot.data.map((list) => list.length),
          first: panel.plot.data.map((list) => list[0]),
        })),
    );
    assert.deepEqual(
      panels.map((panel) => panel.key),
      ["q", "q m", "v", "v m/s", "energy"],
    );
    assert.deepEqual(panels[0].series, Array(11).fill(301));
    assert.deepEqual(panels[1].series, Array(3).fill(301));
    near(panels[1].first[1], -1.3660254, 1e-6);
    const inked = await page.evaluate(() => {
      const canvas = document.querySelector("[data-panel=q] canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.reduce((count, byte, i) => count + (i % 4 === 3 && byte > 0 ? 1 : 0), 0);
    });
    assert.ok(inked > 2000, `${inked} pixels`);
  }));

test("a jump is upright, a counter is a step, and a joint at its stop is no place in the world", () =>
  withPage(jumpRun(), MIDDLE, async (page) => {
    await page.locator("[data-tab=count]").click();
    const { times, v, stairs, lines, marks } = await page.evaluate(() => {
      const { plots, view } = globalThis.appell;
      const of = (key) => plots.opened().find((panel) => panel.key === key);
      return {
        times: of("v").plot.data[0],
        v: of("v").plot.data[1],
        stairs: [of("energy"), of("count")].map((panel) => String(panel.plot.series[1].paths)),
        lines: String(of("v").plot.series[1].paths),
        marks: view.marks.markedEvents.map((event) => event.point),
      };
    });
    const at = times.indexOf(times.find((t, i) => t === times[i + 1]));
    near(v[at], -4.4294, 1e-4);
    near(v[at + 1], 2.2147, 1e-4);
    for (const paths of stairs) assert.notEqual(paths, lines);
    assert.deepEqual(marks, ["ball/ball", "ball/ball"]);
    const row = page.locator("#events .row", { hasText: "stop" });
    assert.match(await row.innerText(), /arm\s*stop\s*0.25 N m s\s*1 rad\/s\s*0 rad\/s/);
  }));

test("series and panels are chosen", () =>
  withShared(shafeiRun, async (page) => {
    const lengths = () => page.evaluate(() => globalThis.appell.plots.opened()[0].plot.data.map((list) => list.length));
    await page.locator("[data-panel=q] .chip").nth(1).click();
    assert.equal((await lengths())[2], 0);
    await page.locator("[data-panel=q] .chip").nth(1).click();
    assert.equal((await lengths())[2], 301);
    await page.locator("[data-tab=closing]").click();
    assert.equal(await page.locator("[data-panel=closing] canvas").count(), 1);
    await page.locator("[data-tab=closing]").click();
    assert.equal(await page.locator("[data-panel=closing]").count(), 0);
  }));

test("hovering names a link and lights up its curves, and a curve's name its link", () =>
  withShared(arm, async (page) => {
    const place = await page.evaluate(() => {
      const { view } = globalThis.appell;
      view.draw();
      const box = view.canvas.getBoundingClientRect();
      for (let y = 0.95; y > 0.05; y -= 0.02)
        for (let x = 0.3; x < 0.7; x += 0.02) {
          const at = [box.left + x * box.width, box.top + y * box.height];
          if (view.linkAt(...at) === 2) return at;
        }
      return null;
    });
    assert.ok(place, "link3 is in sight");
    await page.mouse.move(...place);
    await page.waitForSelector(".stage .tip:not([hidden])");
    assert.match(await page.locator(".stage .tip").innerText(), /link3[^]*turns at|link3[^]*turns/);
    const alphas = await page.evaluate(() => globalThis.appell.plots.opened()[0].plot.series.slice(1).map((s) => s.alpha));
    assert.deepEqual(alphas, [0.15, 0.15, 1, 0.15, 0.15, 0.15]);
    await page.mouse.move(2, 2);
    await page.waitForSelector(".stage .tip", { state: "hidden" });
    await page.locator("[data-panel=q] .chip").nth(1).hover();
    assert.equal(await page.evaluate(() => globalThis.appell.view.robot.lit), 1);
    await page.mouse.move(2, 2);
    assert.equal(await page.evaluate(() => globalThis.appell.view.robot.lit), -1);
  }));

test("series are found, chosen all and none, and saved; keys tell of themselves; Escape closes and shows all", () =>
  withShared(shafeiRun, async (page) => {
    const shown = () => page.evaluate(() => globalThis.appell.plots.opened()[0].plot.series.filter((s) => s.show).length - 1);
    await page.keyboard.press("/");
    await page.keyboard.type("q10");
    assert.equal(await shown(), 1);
    assert.equal(await page.locator("[data-panel='q m']").isVisible(), false);
    await page.keyboard.press("Escape");
    assert.equal(await shown(), 10);
    await page.locator("[data-panel=q]").getByText("none").click();
    assert.equal(await shown(), 0);
    await page.locator("[data-panel=q]").getByText("all", { exact: true }).click();
    assert.equal(await shown(), 10);
    const csv = await page.evaluate(() => globalThis.appell.plots.csv());
    const [names, first] = csv.split("\n");
    assert.equal(names.split(",")[1], "q.q1");
    assert.equal(first.split(",").length, names.split(",").length);
    assert.equal(csv.trim().split("\n").length, 302);
    await page.keyboard.press("?");
    assert.ok(await page.locator("dialog.help").isVisible());
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("dialog.help").isVisible(), false);
    await page.evaluate(() => globalThis.appell.plots.zoom(1, 2));
    await page.keyboard.press("Escape");
    assert.deepEqual(await page.evaluate(() => globalThis.appell.plots.range), [0, 3]);
  }));

test("two runs: a ghost, curves over each other, and what differs; warnings take one line", () => {
  const other = armRun({ rows: 151, step: 0.02 });
  other.made_from = "other.csv";
  const run = { ...arm(), others: [other], warnings: ["the first", "a second"] };
  return withPage(run, MIDDLE, async (page) => {
    assert.ok((await page.locator(".warnings").boundingBox()).height < 44);
    assert.match(await page.locator(".runs").innerText(), /other\.csv/);
    const looks = await page.evaluate(() => {
      const { plots, view } = globalThis.appell;
      const of = () => plots.opened()[0].plot;
      const count = (list) => list.filter((x) => x !== undefined && x !== null).length;
      const overlaid = of().data.slice(1).map(count);
      plots.differs = true;
      plots.refresh();
      const differences = of().data.slice(1).map((list) => Math.max(...list.map(Math.abs)));
      return { overlaid, differences, ghosts: view.ghosts.length };
    });
    assert.equal(looks.ghosts, 1);
    assert.deepEqual(looks.overlaid, [...Array(6).fill(301), ...Array(6).fill(151)]);
    // Half the rows of the same motion: straight lines between them are as far off as 0.02 s allow.
    for (const most of looks.differences.slice(6)) assert.ok(most > 0 && most < 1e-3, `${most}`);
    // The same motion: the ghost is where the robot is, so it is put aside.
    await page.evaluate(() => (globalThis.appell.view.ghosts[0].robot.group.position.x = 0.3));
    const both = await pixelsAt(page, 1);
    await page.evaluate(() => globalThis.appell.view.setLayer("ghosts", false));
    assert.ok(differing(both, await pixelsAt(page, 1)) > 0);
    const plain = await pixelsAt(page, 1);
    await page.evaluate(() => globalThis.appell.view.setShadows(true));
    assert.ok(differing(plain, await pixelsAt(page, 1)) > 20);
  });
});

test("dragging zooms every plot, a double click shows the whole run again, a click sets the time", () =>
  withShared(shafeiRun, async (page) => {
    const over = await page.locator("[data-panel=q] .u-over").boundingBox();
    const middle = over.y + over.height / 2;
    await page.mouse.move(over.x + over.width * 0.25, middle);
    await page.mouse.down();
    await page.mouse.move(over.x + over.width * 0.4, middle, { steps: 3 });
    await page.mouse.move(over.x + over.width * 0.5, middle, { steps: 3 });
    await page.mouse.up();
    const ranges = await page.evaluate(() =>
      globalThis.appell.plots.opened().map(({ plot }) => [plot.scales.x.min, plot.scales.x.max]),
    );
    for (const [from, to] of ranges) {
      near(from, 0.75, 0.02);
      near(to, 1.5, 0.02);
    }
    await page.mouse.click(over.x + over.width * 0.5, middle);
    near(await timeOf(page), 1.125, 0.02);
    await page.mouse.dblclick(over.x + over.width * 0.3, middle);
    const whole = await page.evaluate(() =>
      globalThis.appell.plots.opened().map(({ plot }) => [plot.scales.x.min, plot.scales.x.max]),
    );
    for (const range of whole) assert.deepEqual(range, [0, 3]);
    const head = await page.evaluate(() => {
      globalThis.appell.clock.set(1.5);
      return new Promise((done) =>
        requestAnimationFrame(() =>
          requestAnimationFrame(() =>
            done(document.querySelector("[data-panel=q] .playhead").getBoundingClientRect().x),
          ),
        ),
      );
    });
    near(head + 5.5, over.x + over.width / 2, 2);
    await page.mouse.move(head + 5, middle);
    await page.mouse.down();
    await page.mouse.move(over.x + over.width * 0.2, middle, { steps: 4 });
    await page.mouse.up();
    near(await timeOf(page), 0.6, 0.03);
  }));

test("the table of events jumps to their times", () =>
  withShared(shafeiRun, async (page) => {
    assert.equal(await page.locator(".event-table .rows .row").count(), 14);
    await page.locator(".event-table .rows .row").nth(2).click();
    near(await timeOf(page), 0.56973144867481607);
    await frames(page);
    assert.equal(await page.locator(".event-table .row.current").count(), 2);
    const arrows = await page.evaluate(
      () => globalThis.appell.view.marks.arrows.impulses.filter(({ group }) => group.visible).length,
    );
    assert.equal(arrows, 2);
  }));

test("ten thousand events: few rows in the document, the last is reached", () =>
  withPage(oddRuns()["many events"], {}, async (page) => {
    assert.ok((await page.locator(".event-table .rows .row").count()) < 60);
    assert.ok(await page.locator(".strip").isVisible());
    const grouped = await page.evaluate(() => globalThis.appell.events.kept.map(({ count = 1 }) => count));
    assert.ok(grouped.length < 100, `${grouped.length} lines`);
    assert.equal(grouped.reduce((sum, count) => sum + count), 10000);
    await page.getByRole("button", { name: "Each event" }).click();
    await page.evaluate(() => (document.querySelector(".event-table").scrollTop = 1e9));
    await page.waitForSelector(".row[data-index='9999']");
    await page.locator(".row[data-index='9999']").click();
    near(await timeOf(page), 5, 0.01);
    await page.locator("[data-kind=impact]").click();
    assert.equal(await page.evaluate(() => globalThis.appell.events.kept.length), 7500);
  }));

test("the bar scrubs, plays, pauses, jumps and changes speed", () =>
  withShared(shafeiRun, async (page) => {
    const bar = await page.locator(".scrub").boundingBox();
    await page.mouse.click(bar.x + bar.width / 2, bar.y + bar.height / 2);
    near(await timeOf(page), 1.5, 0.02);
    await page.mouse.move(bar.x + bar.width / 2, bar.y + 10);
    await page.mouse.down();
    await page.mouse.move(bar.x + bar.width / 4, bar.y + 10, { steps: 4 });
    await page.mouse.up();
    near(await timeOf(page), 0.75, 0.02);
    await page.getByRole("button", { name: "Next event" }).click();
    near(await timeOf(page), 1.0106204, 1e-6);
    await page.getByRole("button", { name: "Previous event" }).click();
    await page.getByRole("button", { name: "Previous event" }).click();
    near(await timeOf(page), 0.3851919, 1e-6);
    const start = await timeOf(page);
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.waitForFunction((t) => globalThis.appell.clock.t > t, start);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    assert.ok(await paused(page));
    await page.locator(".speed input").fill("-1");
    near(await page.evaluate(() => globalThis.appell.clock.speed), 0.1, 1e-9);
  }));

test("keys: space, arrows, events, ends", () =>
  withShared(shafeiRun, async (page) => {
    await page.keyboard.press("Shift+ArrowRight");
    near(await timeOf(page), 0.01);
    await page.keyboard.press("ArrowRight");
    near(await timeOf(page), 0.03, 1e-9);
    await page.keyboard.press("n");
    near(await timeOf(page), 0.3851919, 1e-6);
    await page.keyboard.press("End");
    near(await timeOf(page), 3);
    await page.keyboard.press("Home");
    await page.keyboard.press(" ");
    await page.waitForFunction(() => globalThis.appell.clock.t > 0);
    await page.keyboard.press(" ");
    assert.ok(await paused(page));
  }));

test("light and dark follow the system and the button", () =>
  withShared(shafeiRun, async (page) => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const becomes = (wanted, colour) =>
      page.waitForFunction(
        ([yes, x]) => (getComputedStyle(document.body).backgroundColor === x) === yes,
        [wanted, colour],
      );
    const light = await paper();
    await page.emulateMedia({ colorScheme: "dark" });
    await becomes(false, light);
    const dark = await paper();
    const before = await pixelsAt(page, 0);
    await page.getByRole("button", { name: "Light colours" }).click();
    await becomes(true, light);
    await frames(page);
    assert.ok(differing(before, await pixelsAt(page, 0)) > 100);
    await page.getByRole("button", { name: "Dark colours" }).click();
    await becomes(true, dark);
    await page.emulateMedia({ colorScheme: "light" });
  }));

test("a phone shows the page without scrolling sideways, and a finger scrubs", () =>
  withPage(shafeiRun(), { width: 390, height: 844, scale: 2, touch: true }, async (page) => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} pixels`);
    const stage = await page.locator(".stage").boundingBox();
    assert.ok(stage.width > 340 && stage.y + stage.height < 844);
    const bar = await page.locator(".scrub").boundingBox();
    await page.touchscreen.tap(bar.x + bar.width / 3, bar.y + bar.height / 2);
    near(await timeOf(page), 1, 0.05);
    for (const label of ["Play", "Previous event", "Next event"])
      assert.ok(await page.getByRole("button", { name: label }).isVisible());
  }));

test("views, follow, layers, traces and the picture", () =>
  withShared(arm, async (page) => {
    const seen = [];
    for (const side of ["oblique", "front", "side", "top"]) {
      await page.locator(".tools select").selectOption(side);
      seen.push(await pixelsAt(page, 2.9));
      assert.ok(seen.at(-1).drawn > 100, side);
    }
    for (let i = 1; i < seen.length; i++) assert.ok(differing(seen[i - 1], seen[i]) > 100);
    await page.getByRole("button", { name: "Follow the robot" }).click();
    await page.getByRole("button", { name: "What is shown" }).click();
    const before = await pixelsAt(page, 2.9);
    await page.getByLabel("Traces").uncheck();
    await page.getByLabel("Walls and ground").uncheck();
    assert.ok(differing(before, await pixelsAt(page, 2.9)) > 50);
    await page.getByLabel("centre of mass").check();
    const [picture] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as a picture" }).click(),
    ]);
    assert.equal(picture.suggestedFilename(), "arm of 6 joints.png");
  }));

test("meshes of every format are drawn in their size", () =>
  withPage(meshRun(), SMALL, async (page) => {
    assert.ok((await pixelsAt(page, 0)).drawn > 500);
    const boxes = await page.evaluate(() =>
      globalThis.appell.view.robot.links.map((link) => {
        const boxes = [];
        link.children[0].traverse((part) => {
          if (!part.geometry) return;
          part.geometry.computeBoundingBox();
          boxes.push(part.geometry.boundingBox.clone().applyMatrix4(part.matrixWorld));
        });
        const { min, max } = boxes.reduce((whole, box) => whole.union(box));
        return [...min.toArray(), ...max.toArray()];
      }),
    );
    assert.equal(boxes.length, 3);
    // Cubes of 1 m, 0.2 m off the axis, 2 m from one to the next.
    boxes.forEach((box, i) =>
      [-0.3, -0.5 + 2 * i, -0.5, 0.7, 0.5 + 2 * i, 0.5].forEach((x, k) => near(box[k], x, 1e-6)),
    );
  }));

test("walls of every kind are drawn", () =>
  withPage(wallRun(...wallKinds), SMALL, async (page) => {
    const alone = (index) =>
      page.evaluate((i) => globalThis.appell.view.walls.group.children.forEach((w, k) => (w.visible = k === i)), index);
    await alone(-1);
    const none = await pixelsAt(page, 0);
    for (const [i, kind] of wallKinds.entries()) {
      await alone(i);
      const shown = await pixelsAt(page, 0);
      assert.ok(shown.drawn > none.drawn + 100, `${kind}: ${shown.drawn} and ${none.drawn} pixels`);
    }
  }));

test("odd data break nothing", async (t) => {
  const page = await bench.tab({ width: 390, height: 500 });
  for (const [name, run] of Object.entries(oddRuns()))
    await t.test(name, async () => {
      await page.setViewportSize({ width: 390, height: 500 });
      await bench.show(page, run);
      if (name === "events without places") assert.equal(await page.locator("[role=columnheader]").count(), 2);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
      await page.evaluate(() => {
        const { clock } = globalThis.appell;
        for (const t of [0, 0.01, 0.3, 99, -1, NaN]) clock.set(t);
        clock.jump(1);
        clock.jump(-1);
        clock.stepRows(1);
        clock.play();
      });
      await frames(page);
      await page.evaluate(() => {
        globalThis.appell.clock.pause();
        for (const tab of document.querySelectorAll("[data-tab]")) tab.click();
      });
      await page.setViewportSize({ width: 1040, height: 400 });
      await frames(page);
      assert.deepEqual(page.said.splice(0), []);
    });
  await page.context().close();
});

test("without WebGL the page says so and shows the rest", async () => {
  const page = await bench.open(shafeiRun(), { gl: false });
  assert.match(await page.locator(".replay .remark").innerText(), /needs WebGL/);
  assert.equal(await page.locator("[data-panel=q] canvas").count(), 1);
  await page.locator(".event-table .rows .row").nth(2).click();
  near(await timeOf(page), 0.5697314, 1e-6);
  assert.deepEqual(
    page.said.filter((text) => !/WebGL/.test(text)),
    [],
  );
  await page.context().close();
});

test("on paper the table of events is whole, and nothing is wider than the paper", () =>
  withShared(arm, async (page) => {
    await page.setViewportSize({ width: 740, height: 1000 });
    await page.emulateMedia({ media: "print" });
    await page.waitForSelector(".row[data-index='89']");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 740);
    assert.equal(await page.locator(".transport").isVisible(), false);
    await page.emulateMedia({ media: "screen" });
    await page.waitForSelector(".row[data-index='89']", { state: "detached" });
    await page.setViewportSize(MIDDLE);
  }));

test("the page forbids itself the network", () =>
  withShared(shafeiRun, async (page) => {
    const policy = await page.locator("meta[http-equiv]").getAttribute("content");
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /script-src[^;]*unsafe/);
    const refused = await page.evaluate(() =>
      fetch("https://example.org/").then(
        () => false,
        () => true,
      ),
    );
    assert.ok(refused);
    page.said.length = 0;
  }));
