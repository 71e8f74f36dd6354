// SPDX-License-Identifier: Apache-2.0
// The table of events. Only the rows in sight are in the document, so that ten thousand are as quick as ten.

import { largest, lastAtOrBelow, withoutNoise } from "./data.js";
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

const MOST_SINGLE = 200; // events above which like ones that follow each other closely are one line
const LEAST_GROUP = 5;

/** Like events (same kind, point and wall) that follow each other closely, as one line for each such interval; those that
 *  stand alone as they are. Closely: within a hundredth of the run, or three times the last gap. */
export function intervalsOf(events, span) {
  const open = new Map();
  const groups = [];
  for (const event of events) {
    const key = `${event.event}\0${event.point}\0${event.wall}`;
    const last = open.get(key);
    const gap = last ? event.t - last[last.length - 1].t : Infinity;
    if (last && gap <= 0.01 * span) last.push(event);
    else {
      const group = [event];
      open.set(key, group);
      groups.push(group);
    }
  }
  const lines = groups.flatMap((group) => (group.length < LEAST_GROUP ? group : [intervalOf(group)]));
  return lines.sort((a, b) => a.t - b.t || a.index - b.index);
}

function intervalOf(group) {
  const [first] = group;
  const sum = (key) => group.reduce((total, event) => total + (Number.isFinite(event[key]) ? event[key] : 0), 0);
  return { ...first, until: group[group.length - 1].t, count: group.length, impulse: sum("impulse"), lost: sum("lost") };
}

/** Numbers of events by kind in so many equal parts of the run. */
export function densityOf(run, parts) {
  const kinds = new Map();
  const span = run.end - run.start || 1;
  for (const { event = "event", t } of run.events) {
    if (!kinds.has(event)) kinds.set(event, new Float64Array(parts));
    kinds.get(event)[Math.min(parts - 1, Math.max(0, Math.floor(((t - run.start) / span) * parts)))]++;
  }
  return kinds;
}

export class EventTable {
  constructor(run, clock) {
    Object.assign(this, { run, clock });
    this.grouped = run.events.length > MOST_SINGLE;
    this.lines = this.grouped ? intervalsOf(run.events, run.end - run.start) : run.events;
    this.kept = this.lines;
    const kinds = new Map();
    for (const event of run.events) kinds.set(event.event ?? "event", (kinds.get(event.event ?? "event") ?? 0) + 1);
    this.hidden = new Set();
    this.most = sizesOf(run.events);
    // What is lost is measured by the energies there are.
    this.most.lost = Math.max(this.most.lost, 10 * largest([run.column("kinetic")].filter(Boolean)));
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
    const wide = run.events.length > MOST_SINGLE ? { time: "180px", kind: "130px" } : {};
    const widths = this.columns.map(([, , kind]) => wide[kind] ?? `var(--${kind})`);
    this.pane.style.setProperty("--columns", [...widths, ...(widths.length < 5 ? ["1fr"] : [])].join(" "));
    this.pane.style.setProperty("--least", `${90 * widths.length}px`);
    this.element = h(
      "section.card",
      { "aria-label": "Events", id: "events" },
      h("div.card-head", null, h("h2", null, "Events")),
      run.events.length > 0
        ? [...this.head(), this.pane]
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

  // Kinds to choose; with many events a strip of their density, and whether like ones are one line.
  head() {
    if (!this.grouped) return [this.filters];
    const label = () => (this.grouped ? "Each event" : "Intervals");
    const toggle = h(
      "button.text",
      {
        type: "button",
        onclick: () => {
          this.grouped = !this.grouped;
          const { run } = this;
          this.lines = this.grouped ? intervalsOf(run.events, run.end - run.start) : run.events;
          toggle.textContent = label();
          this.refilter();
        },
      },
      label(),
    );
    this.filters.append(toggle);
    this.strip = h("canvas.strip", { role: "img", "aria-label": "How many events there are over time" });
    this.strip.addEventListener("click", (event) => {
      const { start, end } = this.run;
      this.clock.pause();
      this.clock.set(start + ((end - start) * event.offsetX) / Math.max(1, this.strip.clientWidth));
    });
    new ResizeObserver(() => this.drawStrip()).observe(this.strip);
    return [this.filters, this.strip];
  }

  drawStrip() {
    const { strip } = this;
    if (!strip?.clientWidth) return;
    const ratio = globalThis.devicePixelRatio || 1;
    const wide = strip.clientWidth;
    const high = strip.clientHeight;
    strip.width = wide * ratio;
    strip.height = high * ratio;
    const draw = strip.getContext("2d");
    draw.scale(ratio, ratio);
    const parts = Math.max(1, Math.floor(wide / 3));
    const kinds = [...densityOf(this.run, parts)].filter(([kind]) => !this.hidden.has(kind));
    const totals = Array.from({ length: parts }, (_, i) => kinds.reduce((sum, [, counts]) => sum + counts[i], 0));
    const most = Math.max(1, ...totals);
    // Roots, so that one event beside thousands is seen.
    totals.forEach((total, i) => {
      let top = high;
      for (const [kind, counts] of kinds) {
        const part = total > 0 ? (Math.sqrt(total / most) * high * counts[i]) / total : 0;
        draw.fillStyle = eventColour(kind);
        draw.fillRect((i * wide) / parts, top - part, wide / parts - 0.5, part);
        top -= part;
      }
    });
  }

  // On paper there is no scrolling: all rows, up to some pages of them.
  print(on) {
    this.printing = on;
    this.setHeight();
    this.draw(true);
  }

  paint() {
    this.drawStrip();
    for (const tab of this.filters.children) if (tab.dataset.kind) tab.style.setProperty("--series", eventColour(tab.dataset.kind));
  }

  filter(kind, tab) {
    if (this.hidden.has(kind)) this.hidden.delete(kind);
    else this.hidden.add(kind);
    tab.setAttribute("aria-pressed", !this.hidden.has(kind));
    this.drawStrip();
    this.refilter();
  }

  refilter() {
    this.kept = this.lines.filter((event) => !this.hidden.has(event.event ?? "event"));
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
          event.count > 1 && h("span.until", null, ` to ${event.until.toFixed(6)}`),
        );
      if (name === "Event")
        return h(
          "div.cell.kind",
          { role: "cell" },
          h("span.dot", { style: `--series:${eventColour(event.event)}` }),
          event.event ?? "event",
          event.count > 1 && h("span.count", null, `\u00d7 ${event.count}`),
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
