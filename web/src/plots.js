// SPDX-License-Identifier: Apache-2.0
// Plots over time, a panel for each kind of quantity, all with the same times and the same playhead.

import uPlot from "uplot";
import { largest, lastAtOrBelow, valueAt, withoutNoise } from "./data.js";
import { decimate } from "./decimate.js";
import { eachFrame, h, shown } from "./dom.js";
import { css, eventColour, onTheme, seriesColour, seriesDash } from "./theme.js";

const PANELS = [
  ["q", "Positions"],
  ["v", "Velocities"],
  ["a", "Accelerations"],
  ["error", "Following errors"],
  ["tau", "Joint forces"],
  ["energy", "Energies"],
  ["closing", "Error of the energy balance"],
  ["force", "Contact forces"],
  ["coordinate", "Coordinates"],
  ["rate", "Rates of coordinates"],
  ["work", "Work of joints"],
  ["closure", "Errors of closures"],
  ["contact", "Points at rest on walls"],
  ["reference", "Reference"],
  ["reference_rate", "Rates of the reference"],
  ["signal", "Signals"],
  ["count", "Counters"],
  ["timing", "Times of computing"],
  ["other", "Others"],
];
const FIRST_SHOWN = 12;

function panelOf({ name, group }) {
  if (name === "closing") return "closing";
  if (name === "closure" || name === "drift") return "closure";
  if (name === "contacts") return "contact";
  const [kind] = name.split(".");
  if (kind === "work_of") return "work";
  if (kind === "rate") return "rate";
  return PANELS.some(([key]) => key === group) ? group : "other";
}

// Kinetic, potential and elastic energy together.
function totalEnergy(run) {
  const parts = ["kinetic", "potential", "elastic"].map((name) => run.column(name)).filter(Boolean);
  if (parts.length < 2) return null;
  const values = new Float32Array(run.rows);
  for (const part of parts) for (let i = 0; i < run.rows; i++) values[i] += part.values[i];
  return { name: "total", unit: "J", group: "energy", values };
}

const varies = ({ values }) => {
  for (let i = 1; i < values.length; i++) if (values[i] !== values[0]) return true;
  return false;
};

/** What there is to plot: panels with their columns, in order. */
export function panelsOf(run) {
  const found = new Map();
  for (const column of run.columns) {
    const key = panelOf(column);
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(column);
  }
  const total = found.has("energy") ? totalEnergy(run) : null;
  if (total) found.get("energy").splice(3, 0, total);
  return PANELS.filter(([key]) => found.has(key)).map(([key, title]) => ({ key, title, columns: found.get(key) }));
}

const shortName = (name) => name.replace(/^(q|v|a|error|qd|tau|force|coordinate|rate|work_of)\./, "");

class Panel {
  constructor(plots, { key, title, columns }) {
    Object.assign(this, { plots, key, title, columns });
    const lively = columns.filter(varies);
    const first = new Set((lively.length > 0 ? lively : columns).slice(0, FIRST_SHOWN));
    if (columns.length <= FIRST_SHOWN) for (const column of columns) first.add(column);
    this.shown = columns.map((column) => first.has(column));
    this.units = [...new Set(columns.map((column) => column.unit))];
    this.sizes = this.units.map((unit) => largest(columns.filter((column) => column.unit === unit)));
    this.hover = null;
    this.pressed = null; // where the pointer went down
    this.frame = h("div.frame");
    this.legend = h("div.legend", { role: "group", "aria-label": `Series of ${title}` });
    this.element = h(
      "section.panel",
      { "aria-label": title, "data-panel": key },
      h("h3", null, title, h("span.units", null, this.units.filter(Boolean).join(", "))),
      this.frame,
      this.legend,
    );
    this.makeLegend();
  }

  makeLegend() {
    this.values = [];
    this.chips = this.columns.map((column, i) => {
      const value = h("span.value");
      this.values.push(value);
      const chip = h(
        "button.chip",
        {
          type: "button",
          "aria-pressed": this.shown[i],
          title: `${column.name}: click shows or hides, double click shows it alone`,
          onclick: () => this.toggle(i),
          ondblclick: () => this.alone(i),
        },
        h("span.swatch"),
        h("span.name", null, shortName(column.name)),
        value,
      );
      return chip;
    });
    this.legend.append(...this.chips);
    this.paintLegend();
  }

  paintLegend() {
    this.chips.forEach((chip, i) => {
      chip.setAttribute("aria-pressed", this.shown[i]);
      chip.style.setProperty("--series", seriesColour(i));
      chip.classList.toggle("dashed", seriesDash(i).length > 0);
    });
  }

  toggle(i) {
    this.shown[i] = !this.shown[i];
    this.apply();
  }

  alone(i) {
    const only = this.shown.every((on, k) => on === (k === i));
    this.shown = this.shown.map((_, k) => only || k === i);
    this.apply();
  }

  apply() {
    this.paintLegend();
    this.fill();
  }

  open() {
    if (this.plot || !this.frame.clientWidth) return;
    this.plot = new uPlot(this.options(), this.data(), this.frame);
    this.playhead = h("div.playhead", { "aria-hidden": "true" }, h("div.grip"));
    this.plot.over.append(this.playhead);
    this.listen(this.plot.over);
    this.observer = new ResizeObserver(eachFrame(() => this.resize()));
    this.observer.observe(this.frame);
    this.moveHead();
  }

  close() {
    this.observer?.disconnect();
    this.plot?.destroy();
    this.plot = null;
  }

  resize() {
    if (!this.plot || !this.frame.clientWidth) return;
    this.plot.setSize({ width: this.frame.clientWidth, height: this.height() });
    this.fill();
    this.moveHead();
  }

  height() {
    return this.frame.clientHeight || 200;
  }

  data() {
    const { run, range } = this.plots;
    const columns = this.columns.map((column, i) => (this.shown[i] ? column.values : null));
    const visible = columns.filter(Boolean);
    const width = Math.max(60, this.frame.clientWidth - 60);
    const [times, ...series] = decimate(
      run.time,
      visible,
      ...range,
      Math.round(width * Math.min(2, globalThis.devicePixelRatio || 1)),
    );
    let next = 0;
    return [times, ...columns.map((column) => (column ? series[next++] : []))];
  }

  fill() {
    if (!this.plot) return;
    this.plot.batch(() => {
      this.shown.forEach((on, i) => {
        if (this.plot.series[i + 1].show !== on) this.plot.setSeries(i + 1, { show: on }, false);
      });
      this.plot.setData(this.data());
    });
    this.moveHead();
  }

  options() {
    const axis = {
      stroke: () => css("--muted"),
      font: "11px system-ui, sans-serif",
      grid: { stroke: () => css("--line"), width: 1 },
      ticks: { stroke: () => css("--line"), size: 4, width: 1 },
    };
    const scales = { x: { time: false, range: () => this.plots.range } };
    const axes = [{ ...axis, size: 28, space: 60, values: (_, ticks) => ticks.map((t) => shown(t, 6)) }];
    this.units.slice(0, 2).forEach((unit, i) => {
      axes.push({
        ...axis,
        scale: `y${i}`,
        side: i === 0 ? 3 : 1,
        size: 54,
        space: 34,
        gap: 4,
        grid: i === 0 ? axis.grid : { show: false },
        values: (_, ticks) => ticks.map((y) => withSuffix(y, unit, ticks, this.units.length > 1)),
      });
    });
    this.units.forEach((_, i) => {
      scales[`y${i}`] = {
        auto: true,
        range: (_u, low, high) => (low === null || low === undefined ? [0, 1] : uPlot.rangeNum(low, high, 0.08, true)),
      };
    });
    return {
      width: this.frame.clientWidth,
      height: this.height(),
      padding: [8, this.units.length > 1 ? 0 : 12, 0, 0],
      legend: { show: false },
      scales,
      axes,
      series: [
        {},
        ...this.columns.map((column, i) => ({
          label: column.name,
          scale: `y${this.units.indexOf(column.unit)}`,
          show: this.shown[i],
          stroke: () => seriesColour(i),
          dash: seriesDash(i),
          width: 1.5,
          ...(column.steps && { paths: uPlot.paths.stepped({ align: 1 }) }),
          pxAlign: 0, // lines go where the values are, not from pixel to pixel
          points: { show: this.plots.run.rows < 3 },
        })),
      ],
      cursor: {
        y: false,
        points: { size: 6, fill: (_, i) => seriesColour(i - 1) },
        drag: { x: true, y: false, setScale: false, dist: 4 },
        sync: { key: "run", setSeries: false, scales: ["x", null] },
        bind: { dblclick: () => () => (this.plots.reset(), null) },
      },
      hooks: {
        setSelect: [(plot) => this.select(plot)],
        setCursor: [(plot) => this.hovered(plot)],
        drawAxes: [(plot) => this.drawEvents(plot)],
      },
    };
  }

  select(plot) {
    const { left, width } = plot.select;
    if (width < 4) return;
    // The other plots mirror the selection; the one under the pointer counts.
    if (this.pressed === null) return plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    const from = plot.posToVal(left, "x"),
      to = plot.posToVal(left + width, "x");
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.plots.zoom(from, to);
  }

  hovered(plot) {
    const { left } = plot.cursor;
    this.hover = left !== undefined && left !== null && left >= 0 ? plot.posToVal(left, "x") : null;
    this.showValues();
  }

  // Faint lines where something happens, one per pixel.
  drawEvents(plot) {
    const { run, range } = this.plots;
    const { ctx, bbox } = plot;
    let last = -Infinity;
    ctx.save();
    ctx.globalAlpha = 0.28;
    ctx.lineWidth = globalThis.devicePixelRatio || 1;
    for (
      let i = Math.max(0, lastAtOrBelow(run.eventTimes, range[0]));
      i < run.events.length && run.eventTimes[i] <= range[1];
      i++
    ) {
      const x = Math.round(plot.valToPos(run.eventTimes[i], "x", true));
      if (x <= last + 1 || x < bbox.left || x > bbox.left + bbox.width) continue;
      last = x;
      ctx.strokeStyle = eventColour(run.events[i].event);
      ctx.beginPath();
      ctx.moveTo(x + 0.5, bbox.top);
      ctx.lineTo(x + 0.5, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  // A click sets the time, the grip moves it; one finger moves it, two zoom.
  listen(over) {
    const { clock } = this.plots;
    const timeAt = (x) => this.plot.posToVal(x - over.getBoundingClientRect().left, "x");
    over.addEventListener("mousedown", (event) => (this.pressed = event.clientX));
    over.addEventListener("click", (event) => {
      if (this.pressed !== null && Math.abs(event.clientX - this.pressed) < 4) clock.set(timeAt(event.clientX));
      this.pressed = null;
    });
    const grip = this.playhead;
    grip.addEventListener("mousedown", (event) => event.stopPropagation());
    grip.addEventListener("pointerdown", (event) => {
      grip.setPointerCapture(event.pointerId);
      clock.pause();
    });
    grip.addEventListener(
      "pointermove",
      (event) => grip.hasPointerCapture(event.pointerId) && clock.set(timeAt(event.clientX)),
    );
    over.addEventListener("wheel", (event) => this.wheel(event, timeAt(event.clientX)), { passive: false });
    this.listenToTouch(over, timeAt);
  }

  wheel(event, t) {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const factor = Math.exp((event.deltaY || event.deltaX) * 0.002);
    const [from, to] = this.plots.range;
    this.plots.zoom(t - (t - from) * factor, t + (to - t) * factor);
  }

  listenToTouch(over, timeAt) {
    const { clock } = this.plots;
    let pinch = null;
    over.addEventListener(
      "touchstart",
      (event) => {
        pinch =
          event.touches.length === 2
            ? { range: this.plots.range, at: [...event.touches].map((touch) => timeAt(touch.clientX)) }
            : null;
      },
      { passive: true },
    );
    over.addEventListener(
      "touchmove",
      (event) => {
        if (event.touches.length === 1) {
          clock.pause();
          clock.set(timeAt(event.touches[0].clientX));
        } else if (pinch && event.touches.length === 2) {
          const box = over.getBoundingClientRect();
          const [a, b] = [...event.touches].map((touch) => (touch.clientX - box.left) / box.width);
          const scale = (pinch.at[1] - pinch.at[0]) / (b - a);
          if (Number.isFinite(scale) && scale > 0)
            this.plots.zoom(pinch.at[0] - a * scale, pinch.at[0] + (1 - a) * scale);
        }
      },
      { passive: true },
    );
  }

  moveHead() {
    if (!this.plot) return;
    const { clock, range } = this.plots;
    const inside = clock.t >= range[0] && clock.t <= range[1];
    this.playhead.style.display = inside ? "" : "none";
    if (inside) this.playhead.style.transform = `translateX(${this.plot.valToPos(clock.t, "x")}px)`;
    this.showValues();
  }

  showValues() {
    const { run, clock } = this.plots;
    const t = this.hover ?? clock.t;
    this.columns.forEach((column, i) => {
      const size = this.sizes[this.units.indexOf(column.unit)];
      const text = this.shown[i] ? shown(withoutNoise(valueAt(run, column, t), size), 4) : "";
      if (this.values[i].textContent !== text) this.values[i].textContent = text;
    });
    this.legend.classList.toggle("hovering", this.hover !== null);
  }
}

function withSuffix(value, unit, ticks, several) {
  const text = shown(value, 5);
  return several && unit && value === ticks[ticks.length - 1] ? `${text} ${unit}` : text;
}

export class Plots {
  constructor(run, clock) {
    Object.assign(this, { run, clock });
    this.whole = run.end > run.start ? [run.start, run.end] : [run.start - 0.5, run.start + 0.5];
    this.range = this.whole;
    this.panels = panelsOf(run).map((panel) => new Panel(this, panel));
    this.body = h("div.panels");
    this.resetButton = h("button.text", { type: "button", onclick: () => this.reset(), hidden: true }, "Whole run");
    this.tabs = h("div.tabs", { role: "group", "aria-label": "Quantities to plot" });
    this.element = h(
      "section.card.plots",
      { "aria-label": "Plots over time" },
      h("div.card-head", null, h("h2", null, "Over time"), this.resetButton),
      this.tabs,
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

  opened() {
    return this.panels.filter((panel) => panel.element.isConnected);
  }

  makeTabs() {
    const first = ["q", "v", "error", "energy"].filter((key) => this.panels.some((panel) => panel.key === key));
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
        panel.title,
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
