// SPDX-License-Identifier: Apache-2.0
// What is said in words and figures: title, key figures, warnings, the energy ledger, facts, the scenario's text.

import { largest, valueAt, withoutNoise } from "./data.js";
import { eachFrame, h, icon, shown, typeset } from "./dom.js";
import { isDark, onTheme, toggleTheme } from "./theme.js";

export function makeHeader(run) {
  const made = [run.program, run.madeFrom && `from ${run.madeFrom}`].filter(Boolean).join(", ");
  const toggle = h("button.tool", { type: "button", onclick: toggleTheme }, icon("sun"));
  const label = () => {
    const text = isDark() ? "Light colours" : "Dark colours";
    toggle.title = text;
    toggle.setAttribute("aria-label", text);
  };
  onTheme(label);
  label();
  const keys = h("button.tool.keys", { type: "button", title: "Keys (?)", "aria-label": "Keys" }, icon("help"));
  const tools = h("div.buttons", null, keys, toggle);
  return h("header.top", null, h("div", null, h("h1", null, run.title), h("p.made", null, made)), tools);
}

/** A few figures that say what kind of run it is. */
export function makeFigures(run) {
  const figures = [];
  const add = (name, value, unit = "", bad = false) => value !== null && figures.push({ name, value, unit, bad });
  add("Duration", shown(run.end - run.start, 6), "s");
  const bodies = run.model?.bodies ?? [];
  if (bodies.length > 0) add("Links", String(bodies.length));
  const coordinates = new Set(bodies.flatMap((body) => body.joint?.columns ?? [])).size;
  if (run.model?.freedom > 0) add("Degrees of freedom", String(run.model.freedom));
  else if (coordinates > 0) add("Coordinates", String(coordinates));
  if (run.following) {
    add("Following error", shown(1e3 * run.following.rms, 3), "mrad rms");
    add("Largest following error", shown(1e3 * run.following.largest, 3), "mrad");
  }
  // Points that hit at the same time are one impact, and an event each.
  const hits = run.events.filter((event) => event.event === "impact");
  const impacts = new Set(hits.map((event) => event.number ?? event.t)).size;
  const points = hits.length > impacts ? `at ${hits.length} points` : "";
  if (run.walls.length > 0 || impacts > 0) add("Impacts", String(impacts), points);
  const lost = run.column("lost");
  if (lost && run.rows > 0 && impacts > 0) {
    // What rounding leaves of energies so large is no loss, nor is what is less than their error.
    const size = largest(["kinetic", "potential"].map((name) => run.column(name)).filter(Boolean));
    const energy = lost.values[run.rows - 1];
    const noise = Math.max(1e-12 * size, Math.min(balanceOf(run)?.error ?? 0, 1e-9 * size));
    add("Lost in impacts", shown(Math.abs(energy) > noise ? energy : 0, 4), "J");
  }
  const balance = balanceOf(run);
  if (balance) {
    const part = balance.flagged ? `, ${shown(100 * balance.part, 2)} % of the energy` : "";
    add("Balance error", shown(balance.error, 2), `J${part}`, balance.flagged);
  }
  return h(
    "dl.figures",
    null,
    figures.map(({ name, value, unit, bad }) =>
      h(bad ? "div.bad" : "div", null, h("dt", null, name), h("dd", null, value, unit && h("span.unit", null, unit))),
    ),
  );
}

/** All warnings in one line, to be unfolded. */
export function makeWarnings(warnings) {
  if (warnings.length === 0) return null;
  const [first] = warnings.map(String);
  return h(
    "details.warnings",
    { role: "note", "aria-label": "Warnings" },
    h(
      "summary",
      null,
      h("h2", null, warnings.length === 1 ? "Warning" : `${warnings.length} warnings`),
      h("span.first", null, first),
    ),
    h(
      "ul",
      null,
      warnings.map((text) => h("li", null, String(text))),
    ),
  );
}

/** Which runs there are, with the strokes that show them; null for a single one. */
export function makeRuns(run) {
  if (run.others.length === 0) return null;
  const strokes = ["solid", "dashed", "dotted", "dashed"];
  return h(
    "ul.runs",
    { "aria-label": "Runs" },
    [run, ...run.others].map((one, k) =>
      h(
        "li",
        null,
        h(`span.stroke.${strokes[Math.min(k, 3)]}`),
        one.title,
        one.title !== one.madeFrom && h("span.unit", null, one.madeFrom),
      ),
    ),
  );
}

const FLAGGED = 0.01; // part of the energies' size above which an error of their balance is flagged

/** The largest error of the energy balance, in joules and as a part of the largest energy; null where it is not logged. */
export function balanceOf(run) {
  const closing = run.column("closing");
  if (!closing || run.rows === 0) return null;
  const error = largest([closing]);
  const names = ["kinetic", "potential", "elastic", "work", "dissipated", "lost"];
  // Potential energy counts from anywhere: what it changes by is what matters.
  const size = Math.max(...names.map((name) => run.column(name)).filter(Boolean).map(spanOf), 0);
  const part = size > 0 ? error / size : error > 0 ? Infinity : 0;
  return { error, part, flagged: part >= FLAGGED };
}

function spanOf({ values }) {
  let low = Infinity;
  let high = -Infinity;
  for (const x of values) {
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return high - low;
}

const LEDGER = [
  ["kinetic", "Kinetic", "of motion", 1],
  ["potential", "Potential", "of gravity", 1],
  ["elastic", "Elastic", "in springs", 1],
  ["dissipated", "Dissipated", "damping, friction, sliding", 1],
  ["lost", "Lost", "in impacts", 1],
  ["work", "Work", "of forces and loads; counts negative", -1],
];

/** Where the energy is and went: at the start, now, at the end; what is held or gone less the work stays the same. */
export function makeLedger(run, clock) {
  const lines = LEDGER.map(([name, title, hint, sign]) => ({ title, hint, sign, column: run.column(name) })).filter(
    ({ column }) => column,
  );
  if (lines.length === 0 || run.rows === 0) return null;
  const scale = Math.max(1e-300, largest(lines.map(({ column }) => column)));
  const cells = [];
  const row = (title, hint, at, kind = "") => {
    const now = h("td.now");
    const bar = h("span.bar");
    cells.push({ now, bar, at, plain: kind !== "" });
    return h(
      `tr${kind}`,
      null,
      h("th", { scope: "row" }, title, h("span.hint", null, hint)),
      h("td", null, shown(at(run.start), 5)),
      now,
      h("td", null, shown(at(run.end), 5)),
      h("td.bars", null, bar),
    );
  };
  const energyAt = (column, t) => withoutNoise(valueAt(run, column, t), 10 * scale);
  const body = lines.map(({ title, hint, column }) => row(title, hint, (t) => energyAt(column, t)));
  const sum = (t) => lines.reduce((total, { column, sign }) => total + sign * energyAt(column, t), 0);
  body.push(row("Sum", "constant but for errors", sum, ".sum"));
  const closing = run.column("closing");
  if (closing)
    body.push(
      row(
        "Balance error",
        balanceOf(run).flagged ? "large: a smaller step or tolerance would help" : "sum less sum at the start",
        (t) => valueAt(run, closing, t),
        balanceOf(run).flagged ? ".closing.bad" : ".closing",
      ),
    );
  const update = () => {
    for (const { now, bar, at, plain } of cells) {
      const value = at(clock.t);
      now.textContent = shown(value, 5);
      if (plain || !Number.isFinite(value)) continue;
      const part = Math.min(50, (50 * Math.abs(value)) / scale);
      bar.style.left = `${value < 0 ? 50 - part : 50}%`;
      bar.style.width = `${part}%`;
      bar.classList.toggle("negative", value < 0);
    }
  };
  clock.on(eachFrame(update));
  update();
  return h(
    "section.card",
    { "aria-label": "Energy balance", id: "ledger" },
    h("div.card-head", null, h("h2", null, "Energy balance"), h("span.unit", null, "J")),
    h(
      "div.scroll",
      null,
      h(
        "table.ledger",
        null,
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            h("th", { scope: "col" }, "Energy"),
            ...["Start", "Now", "End"].map((name) => h("th", { scope: "col" }, name)),
            h("th.bars", { scope: "col", "aria-label": "Bar" }),
          ),
        ),
        h("tbody", null, body),
      ),
    ),
  );
}

export function makeFacts(facts) {
  const groups = new Map();
  for (const fact of facts) {
    const group = fact.group ?? "Run";
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(fact);
  }
  if (groups.size === 0) return null;
  return h(
    "section.card",
    { "aria-label": "Facts", id: "facts" },
    h("div.card-head", null, h("h2", null, "Facts")),
    h(
      "div.facts",
      null,
      [...groups].map(([group, list]) =>
        h(
          "div.group",
          null,
          h("h3", null, group),
          h(
            "dl",
            null,
            list.map(({ name, value }) => h("div", null, h("dt", null, name), h("dd", null, typeset(String(value ?? ""))))),
          ),
        ),
      ),
    ),
  );
}

export function makeScenario(text) {
  if (!text) return null;
  return h(
    "section.card",
    { "aria-label": "Scenario", id: "scenario" },
    h(
      "details",
      { open: text.length < 4000 },
      h("summary", null, h("h2", null, "Scenario")),
      h("pre", { tabindex: "0" }, text),
    ),
  );
}

export const remark = (text) => h("p.remark", { role: "status" }, text);
