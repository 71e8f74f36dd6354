// SPDX-License-Identifier: Apache-2.0
// The table of events. Only the rows in sight are in the document, so that ten thousand are as quick as ten.

import { lastAtOrBelow, withoutNoise } from "./data.js";
import { clockText, eachFrame, h, shown } from "./dom.js";
import { eventColour, onTheme } from "./theme.js";

const ROW = 34; // height of a row in pixels, as in the style sheet
const MOST_HEIGHT = 12;
const MOST_PRINTED = 500;

const speedOf = (v) => (Array.isArray(v) ? Math.hypot(...v) : NaN);
// What does not move has no direction, nor has a joint.
const angleOf = ({ angle, before, joint }, most) =>
  Number.isFinite(angle) && !(joint >= 0) && withoutNoise(speedOf(before), most) !== 0 ? (angle * 180) / Math.PI : NaN;

// With a unit where it is not the column's: of a joint that turns.
const ofTouch = (event, value, size, digits, angular) =>
  shown(withoutNoise(value, size), digits) + (event.turns ? ` ${angular}` : "");
const speed = (event, v, most) => ofTouch(event, speedOf(v), most.speed, 4, "rad/s");

// Name, unit, class of a column, which says its width, and what stands in it.
const COLUMNS = [
  ["Time", "s", "time", null],
  ["Event", "", "kind", null],
  ["Point", "", "point", (event) => event.point ?? ""],
  ["Wall", "", "wall", (event) => event.wall ?? ""],
  ["Impulse", "N s", "number", (event, most) => ofTouch(event, event.impulse, most.impulse, 5, "N m s")],
  ["Speed before", "m/s", "number", (event, most) => speed(event, event.before, most)],
  ["Speed after", "m/s", "number", (event, most) => speed(event, event.after, most)],
  ["Angle", "\u00b0", "number", (event, most) => shown(angleOf(event, most.speed), 4)],
  ["Energy lost", "J", "number", (event, most) => shown(withoutNoise(event.lost, most.lost), 4)],
];

/** The columns that say something about at least one of the events. */
function columnsOf(events, most) {
  const empty = ["", shown(NaN)];
  return COLUMNS.filter(([, , , text]) => !text || events.some((event) => !empty.includes(text(event, most))));
}

/** Sizes among which rounding is told from what happened. */
function sizesOf(events) {
  const most = { impulse: 0, speed: 0, lost: 0 };
  const note = (key, value) => value > most[key] && (most[key] = value);
  for (const event of events) {
    note("impulse", Math.abs(event.impulse));
    note("speed", Math.max(speedOf(event.before) || 0, speedOf(event.after) || 0));
    note("lost", Math.abs(event.lost));
  }
  return most;
}

export class EventTable {
  constructor(run, clock) {
    Object.assign(this, { run, clock, kept: run.events });
    const kinds = new Map();
    for (const event of run.events) kinds.set(event.event ?? "event", (kinds.get(event.event ?? "event") ?? 0) + 1);
    this.hidden = new Set();
    this.most = sizesOf(run.events);
    this.columns = columnsOf(run.events, this.most);
    this.filters = h(
      "div.tabs",
      { role: "group", "aria-label": "Kinds of events" },
      [...kinds].map(([kind, count]) =>
        h(
          "button.tab.kind",
          {
            type: "button",
            "aria-pressed": "true",
            "data-kind": kind,
            onclick: (event) => this.filter(kind, event.currentTarget),
          },
          h("span.dot"),
          kind,
          h("span.count", null, String(count)),
        ),
      ),
    );
    const head = h(
      "div.row.head",
      { role: "row" },
      this.columns.map(([name, unit, kind]) =>
        h(`div.cell.${kind}`, { role: "columnheader" }, name, unit && h("span.unit", null, unit)),
      ),
    );
    this.body = h("div.rows", { role: "rowgroup" });
    this.pane = h(
      "div.event-table",
      { role: "table", "aria-label": "Events", "aria-rowcount": run.events.length, tabindex: "0" },
      head,
      this.body,
    );
    // Few columns stay on the left.
    const widths = this.columns.map(([, , kind]) => `var(--${kind})`);
    this.pane.style.setProperty("--columns", [...widths, ...(widths.length < 5 ? ["1fr"] : [])].join(" "));
    this.pane.style.setProperty("--least", `${90 * widths.length}px`);
    this.element = h(
      "section.card",
      { "aria-label": "Events", id: "events" },
      h("div.card-head", null, h("h2", null, "Events")),
      run.events.length > 0
        ? [this.filters, this.pane]
        : h("p.empty", null, "Nothing happened: no impact, no contact."),
    );
    this.pane.addEventListener(
      "scroll",
      eachFrame(() => this.draw()),
      { passive: true },
    );
    clock.on(eachFrame(() => this.markCurrent()));
    onTheme(() => (this.paint(), this.draw(true)));
    matchMedia("print").addEventListener("change", ({ matches }) => this.print(matches));
    this.paint();
    this.setHeight();
  }

  // On paper there is no scrolling: all rows, up to some pages of them.
  print(on) {
    this.printing = on;
    this.setHeight();
    this.draw(true);
  }

  paint() {
    for (const tab of this.filters.children) tab.style.setProperty("--series", eventColour(tab.dataset.kind));
  }

  filter(kind, tab) {
    if (this.hidden.has(kind)) this.hidden.delete(kind);
    else this.hidden.add(kind);
    tab.setAttribute("aria-pressed", !this.hidden.has(kind));
    this.kept = this.run.events.filter((event) => !this.hidden.has(event.event ?? "event"));
    this.keptTimes = null;
    this.setHeight();
    this.draw(true);
  }

  setHeight() {
    const rows = this.printing ? Math.min(this.kept.length, MOST_PRINTED) : this.kept.length;
    this.body.style.height = `${rows * ROW}px`;
    this.pane.style.maxHeight = `${(MOST_HEIGHT + 1.4) * ROW}px`;
  }

  rowOf(event, index) {
    const go = () => {
      this.clock.pause();
      this.clock.set(event.t);
    };
    const cells = this.columns.map(([name, , kind, text]) => {
      if (name === "Time")
        return h(
          "div.cell.time",
          { role: "cell" },
          h("button.jump", { type: "button", title: "Go to this moment" }, event.t.toFixed(6)),
        );
      if (name === "Event")
        return h(
          "div.cell.kind",
          { role: "cell" },
          h("span.dot", { style: `--series:${eventColour(event.event)}` }),
          event.event ?? "event",
        );
      return h(`div.cell.${kind}`, { role: "cell" }, text(event, this.most));
    });
    return h(
      "div.row",
      { role: "row", "aria-rowindex": index + 1, "data-index": index, style: `top:${index * ROW}px`, onclick: go },
      cells,
    );
  }

  draw(all = false) {
    const from = this.printing ? 0 : Math.max(0, Math.floor(this.pane.scrollTop / ROW) - 4);
    const to = Math.min(this.kept.length, this.printing ? MOST_PRINTED : from + MOST_HEIGHT + 12);
    if (!all && this.from === from && this.to === to) return;
    Object.assign(this, { from, to });
    this.body.replaceChildren(...this.kept.slice(from, to).map((event, i) => this.rowOf(event, from + i)));
    this.current = undefined;
    this.markCurrent();
  }

  // The last event before now is marked, and kept in sight while time goes on.
  markCurrent() {
    if (this.kept.length === 0) return;
    this.keptTimes ??= Float64Array.from(this.kept, (event) => event.t);
    const current = lastAtOrBelow(this.keptTimes, this.clock.t + 1e-12);
    if (current === this.current) return;
    const moved = this.current !== undefined;
    this.current = current;
    if (moved && this.clock.playing && current >= 0) {
      const top = current * ROW;
      const room = this.pane.clientHeight - 2 * ROW;
      if (top < this.pane.scrollTop || top > this.pane.scrollTop + room)
        this.pane.scrollTop = Math.max(0, top - room / 2);
    }
    const t = current >= 0 ? this.keptTimes[current] : NaN;
    for (const row of this.body.children) row.classList.toggle("current", this.keptTimes[row.dataset.index] === t);
  }
}
