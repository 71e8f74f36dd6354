// SPDX-License-Identifier: Apache-2.0
// Plots over time, a panel for each kind of quantity and unit, all with the same times and the same playhead.

import { lastAtOrBelow } from "./data.js";
import { eachFrame, h, save } from "./dom.js";
import { Panel } from "./panel.js";
import { bodyOfColumn, boundsOf, limbsOf, panelsOf } from "./panels.js";
import { onTheme } from "./theme.js";

const MOST_CSV = 4e6; // numbers of an export

// Another run beside the first: its columns by the names of the first one's, the energies' sum included.
function otherOf(run, index) {
  panelsOf(run); // adds what is derived
  const find = (name) => run.column(name) ?? run.derived?.find((column) => column.name === name) ?? null;
  return { run, index, find, has: (t) => run.rows > 0 && t >= run.time[0] && t <= run.time[run.rows - 1] };
}

export class Plots {
  constructor(run, clock, kin = null) {
    Object.assign(this, { run, clock });
    this.bodyOf = bodyOfColumn(run);
    this.boundsOf = boundsOf(run);
    this.limbs = limbsOf(kin?.bodies ?? []);
    this.others = run.others.map(otherOf);
    this.differs = false;
    this.onColumn = () => {}; // told the body of the column under the pointer, -1 for none
    this.whole = run.end > run.start ? [run.start, run.end] : [run.start - 0.5, run.start + 0.5];
    this.range = this.whole;
    this.panels = panelsOf(run).map((panel) => new Panel(this, panel));
    this.body = h("div.panels");
    this.resetButton = h("button.text", { type: "button", onclick: () => this.reset(), hidden: true }, "Whole run");
    this.tabs = h("div.tabs", { role: "group", "aria-label": "Quantities to plot" });
    this.element = h(
      "section.card.plots",
      { "aria-label": "Plots over time" },
      h("div.card-head", null, h("h2", null, "Over time"), this.compare(), this.resetButton),
      this.tabs,
      this.finder(),
      this.body,
      h("p.hint", null, "Drag to zoom, double click to see the whole run, click to go to a moment."),
    );
    this.makeTabs();
    clock.on(eachFrame(() => this.opened().forEach((panel) => panel.moveHead())));
    onTheme(() => {
      for (const panel of this.panels) panel.paintLegend();
      for (const panel of this.opened()) panel.plot?.redraw(false);
    });
  }

  limbOf(column) {
    const body = this.bodyOf(column);
    return body >= 0 ? (this.limbs[body] ?? "") : "";
  }

  // With other runs: their curves over the first one's, or what differs.
  compare() {
    if (this.others.length === 0) return null;
    const choice = h(
      "select",
      {
        "aria-label": "How runs are compared",
        onchange: () => {
          this.differs = choice.value === "difference";
          this.refresh();
        },
      },
      h("option", { value: "overlaid" }, "Runs overlaid"),
      h("option", { value: "difference" }, "Difference to the first"),
    );
    return choice;
  }

  finder() {
    this.field = h("input.search", {
      type: "search",
      placeholder: "Find a series",
      "aria-label": "Find a series",
      oninput: () => this.search(this.field.value),
    });
    const csv = h(
      "button.text",
      { type: "button", title: "Saves the series shown, in the time shown, as CSV", onclick: () => this.saveCsv() },
      "CSV",
    );
    return h("div.finder", null, this.field, csv);
  }

  search(text) {
    const wanted = text.trim().toLowerCase();
    for (const panel of this.panels) panel.search(wanted);
  }

  /** Lets the curves of a link, and of all that moves as one with it, stand out; -1: none. */
  light(body, carriers) {
    const same = (column) => {
      const own = this.bodyOf(column);
      return own >= 0 && carriers[own] === carriers[body];
    };
    const lit = body >= 0 ? new Set(this.panels.flatMap(({ columns }) => columns.filter(same))) : null;
    for (const panel of this.opened()) panel.light(lit);
  }

  hoverColumn(column) {
    for (const panel of this.opened()) if (!column || panel.columns.includes(column)) panel.light(column && new Set([column]));
    this.onColumn(column ? this.bodyOf(column) : -1);
  }

  /** The series shown as CSV: rows of the first run in the time shown. */
  csv() {
    const { run, range } = this;
    const columns = this.opened().flatMap((panel) => panel.columns.filter((_, i) => panel.visible(i)));
    const from = Math.max(0, lastAtOrBelow(run.time, range[0] - 1e-12));
    const to = lastAtOrBelow(run.time, range[1]) + 1;
    const every = Math.max(1, Math.ceil(((to - from) * (columns.length + 1)) / MOST_CSV));
    const quoted = (name) => (/[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
    const lines = [["t", ...columns.map(({ name }) => name)].map(quoted).join(",")];
    for (let i = from; i < to; i += every)
      lines.push([run.time[i], ...columns.map(({ values }) => Number(values[i].toPrecision(9)))].join(","));
    return `${lines.join("\n")}\n`;
  }

  saveCsv() {
    save(new Blob([this.csv()], { type: "text/csv" }), `${this.run.title}.csv`);
  }

  opened() {
    return this.panels.filter((panel) => panel.element.isConnected);
  }

  makeTabs() {
    const first = this.panels.filter((panel) => panel.first).map((panel) => panel.key);
    const open = new Set(first.length > 0 ? first : this.panels.slice(0, 2).map((panel) => panel.key));
    for (const panel of this.panels) {
      const tab = h(
        "button.tab",
        {
          type: "button",
          "data-tab": panel.key,
          "aria-pressed": open.has(panel.key),
          onclick: () => this.toggle(panel),
        },
        panel.several ? [panel.title, h("span.units", null, panel.unit || "1")] : panel.title,
      );
      panel.tab = tab;
      this.tabs.append(tab);
      if (open.has(panel.key)) this.body.append(panel.element);
    }
    if (this.panels.length === 0 || this.run.rows === 0)
      this.body.append(h("p.empty", null, "This run has no rows to plot."));
  }

  toggle(panel) {
    const on = !panel.element.isConnected;
    panel.tab.setAttribute("aria-pressed", on);
    if (!on) {
      panel.close();
      panel.element.remove();
      return;
    }
    const after = this.panels.slice(this.panels.indexOf(panel) + 1).find((other) => other.element.isConnected);
    this.body.insertBefore(panel.element, after?.element ?? null);
    panel.open();
    if (panel.plot) panel.fill();
  }

  /** Builds the plots of the panels that are open; the page must be laid out. */
  start() {
    if (this.run.rows === 0) return;
    for (const panel of this.opened()) panel.open();
  }

  zoom(from, to) {
    const [low, high] = this.whole;
    const least = Math.max((high - low) * 1e-7, 1e-12);
    const start = Math.max(low, Math.min(from, to)),
      end = Math.min(high, Math.max(from, to));
    if (!(end - start > least)) return;
    this.range = [start, end];
    this.refresh();
  }

  reset() {
    this.range = this.whole;
    this.refresh();
  }

  refresh() {
    this.resetButton.hidden =
      this.range === this.whole || (this.range[0] === this.whole[0] && this.range[1] === this.whole[1]);
    for (const panel of this.opened()) panel.fill();
  }
}
