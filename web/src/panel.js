// SPDX-License-Identifier: Apache-2.0
// One plot over time: series of one unit, those of other runs beside them, bounds, events, the playhead.

import uPlot from "uplot";
import { largest, lastAtOrBelow, valueAt, withoutNoise } from "./data.js";
import { decimate } from "./decimate.js";
import { clockText, eachFrame, h, shown, withUnit } from "./dom.js";
import { shortName } from "./panels.js";
import { css, eventColour, seriesColour, seriesDash } from "./theme.js";

const FIRST_SHOWN = 12;
const MOST_LINES = 120; // events in sight that are drawn as lines; more become a strip
const STRIP = 7; // pixels
const NEAR = 24; // pixels from a curve within which it is named

const varies = ({ values }) => {
  for (let i = 1; i < values.length; i++) if (values[i] !== values[0]) return true;
  return false;
};

/** Series with times of their own on common times; what a series has no value for is undefined, which is no gap. */
export function merged(parts) {
  const total = parts.reduce((sum, [times]) => sum + times.length, 0);
  const at = parts.map(() => 0);
  const times = new Array(total);
  const series = parts.map(([, ...lists]) => lists.map((list) => (list.length > 0 ? new Array(total) : [])));
  for (let n = 0; n < total; n++) {
    let next = -1;
    parts.forEach(([own], k) => {
      if (at[k] < own.length && (next < 0 || own[at[k]] < parts[next][0][at[next]])) next = k;
    });
    const i = at[next]++;
    times[n] = parts[next][0][i];
    series[next].forEach((list, k) => list.length > 0 && (list[n] = parts[next][k + 1][i]));
  }
  return [times, ...series.flat()];
}

export class Panel {
  constructor(plots, { key, title, unit, columns, several, first: open }) {
    Object.assign(this, { plots, key, title, unit, columns, several, first: open });
    const lively = columns.filter(varies);
    const first = new Set((lively.length > 0 ? lively : columns).slice(0, FIRST_SHOWN));
    if (columns.length <= FIRST_SHOWN) for (const column of columns) first.add(column);
    this.shown = columns.map((column) => first.has(column));
    this.matches = columns.map(() => true);
    this.bounds = columns.map((column) => plots.boundsOf(column));
    this.twins = columns.map((column) => plots.others.map((other) => other.find(column.name)));
    this.size = largest([...columns, ...this.twins.flat().filter(Boolean)]);
    this.hover = null;
    this.pressed = null; // where the pointer went down
    this.lit = null; // columns that stand out; null: all alike
    this.frame = h("div.frame");
    this.tip = h("div.tip.curve", { hidden: true, "aria-hidden": "true" });
    this.legend = h("div.legend", { role: "group", "aria-label": `Series of ${title}` });
    const set = (label, on) =>
      h("button.text", { type: "button", onclick: () => this.setAll(on) }, label);
    this.element = h(
      "section.panel",
      { "aria-label": several ? `${title}, ${unit || "without unit"}` : title, "data-panel": key },
      h(
        "h3",
        null,
        title,
        h("span.units", null, unit || (several ? "without unit" : "")),
        columns.length > 1 && h("span.choose", null, set("all", true), set("none", false)),
      ),
      this.frame,
      this.legend,
    );
    this.makeLegend();
  }

  /** Columns by limb, where there are several limbs and enough columns to be lost among; one group otherwise. */
  groups() {
    const limbs = this.columns.map((column) => this.plots.limbOf(column));
    const names = [...new Set(limbs)];
    const all = this.columns.map((_, i) => i);
    if (names.length < 2 || this.columns.length < 8) return [["", all]];
    return names.map((name) => [name, all.filter((i) => limbs[i] === name)]);
  }

  beyond(i) {
    const bounds = this.bounds[i];
    if (!bounds) return false;
    const slack = 1e-6 * Math.max(...bounds.filter(Number.isFinite).map(Math.abs), 1e-9);
    return this.columns[i].values.some((x) => x < bounds[0] - slack || x > bounds[1] + slack);
  }

  makeLegend() {
    this.values = [];
    this.chips = this.columns.map((column, i) => {
      const value = h("span.value");
      this.values.push(value);
      const bounds = this.bounds[i];
      const limits = bounds ? `, limits ${shown(bounds[0], 4)} to ${shown(bounds[1], 4)} ${this.unit}` : "";
      const beyond = this.beyond(i);
      return h(
        `button.chip${beyond ? ".beyond" : ""}`,
        {
          type: "button",
          "aria-pressed": this.shown[i],
          title: `${column.name}${limits}${beyond ? " (exceeded)" : ""}: click shows or hides, double click shows it alone`,
          onclick: () => this.toggle(i),
          ondblclick: () => this.alone(i),
          onpointerenter: () => this.plots.hoverColumn(column),
          onpointerleave: () => this.plots.hoverColumn(null),
        },
        h("span.swatch"),
        h("span.name", null, shortName(column.name)),
        value,
      );
    });
    for (const [name, list] of this.groups()) {
      const label =
        name &&
        h(
          "button.limb",
          { type: "button", title: "Shows or hides all of this limb", onclick: () => this.toggleMany(list) },
          name,
        );
      if (!name && list.length === this.columns.length) this.legend.append(...list.map((i) => this.chips[i]));
      else this.legend.append(h("div.limbs", null, label || h("span.limb", null, "body"), list.map((i) => this.chips[i])));
    }
    this.paintLegend();
  }

  setAll(on) {
    this.shown = this.shown.map((was, i) => (this.matches[i] ? on : was));
    this.apply();
  }

  toggleMany(list) {
    const on = !list.every((i) => this.shown[i]);
    for (const i of list) this.shown[i] = on;
    this.apply();
  }

  /** Keeps the series whose names have a text in them. */
  search(text) {
    this.matches = this.columns.map(({ name }) => name.toLowerCase().includes(text));
    this.element.hidden = text !== "" && !this.matches.some(Boolean);
    this.chips.forEach((chip, i) => (chip.hidden = !this.matches[i]));
    this.apply();
  }

  visible(i) {
    return this.shown[i] && this.matches[i];
  }

  /** Makes some columns stand out; null: none. */
  light(lit) {
    this.lit = lit;
    this.chips.forEach((chip, i) => chip.classList.toggle("lit", Boolean(lit?.has(this.columns[i]))));
    if (!this.plot) return;
    const any = lit && this.columns.some((column) => lit.has(column));
    this.plot.series.forEach((series, k) => {
      if (k > 0) series.alpha = any && !lit.has(this.columns[(k - 1) % this.columns.length]) ? 0.15 : 1;
    });
    this.plot.redraw(false);
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
    this.frame.append(this.tip);
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

  buckets() {
    const width = Math.max(60, this.frame.clientWidth - 60);
    return Math.round(width * Math.min(2, globalThis.devicePixelRatio || 1));
  }

  // Series of one run; those that are not shown are empty.
  seriesOf(run, columns) {
    const visible = columns.filter(Boolean);
    const [times, ...series] = decimate(run.time, visible.map(({ values }) => values), ...this.plots.range, this.buckets());
    let next = 0;
    return [times, ...columns.map((column) => (column ? series[next++] : []))];
  }

  data() {
    const { run, others, differs } = this.plots;
    const own = this.columns.map((column, i) => (this.visible(i) ? column : null));
    if (others.length === 0) return this.seriesOf(run, own);
    const twins = others.map((_, k) => this.columns.map((_c, i) => (this.visible(i) ? this.twins[i][k] : null)));
    if (!differs) return merged([this.seriesOf(run, own), ...others.map((other, k) => this.seriesOf(other.run, twins[k]))]);
    const [times, ...series] = this.seriesOf(run, own);
    const rest = others.flatMap((other, k) =>
      twins[k].map((twin, i) =>
        twin ? times.map((t, n) => (other.has(t) ? valueAt(other.run, twin, t) - series[i][n] : null)) : [],
      ),
    );
    return [times, ...series.map(() => []), ...rest];
  }

  shows(k) {
    const n = this.columns.length;
    const own = k < n;
    if (!this.visible(k % n)) return false;
    return own ? !this.plots.differs : Boolean(this.twins[k % n][Math.floor(k / n) - 1]);
  }

  fill() {
    if (!this.plot) return;
    this.plot.batch(() => {
      this.plot.series.forEach((series, k) => {
        if (k > 0 && series.show !== this.shows(k - 1)) this.plot.setSeries(k, { show: this.shows(k - 1) }, false);
      });
      this.plot.setData(this.data());
    });
    this.moveHead();
  }

  seriesOptions(column, i, other) {
    return {
      label: other ? `${column.name}, ${other.run.title}` : column.name,
      scale: "y",
      show: this.shows(other ? (other.index + 1) * this.columns.length + i : i),
      stroke: () => seriesColour(i),
      dash: other ? [[5, 4], [2, 3], [9, 3, 2, 3]][other.index % 3] : seriesDash(i),
      width: other ? 1.2 : 1.6,
      ...(column.steps && { paths: uPlot.paths.stepped({ align: 1 }) }),
      pxAlign: 0, // lines go where the values are, not from pixel to pixel
      points: { show: this.plots.run.rows < 3 },
    };
  }

  options() {
    const axis = {
      stroke: () => css("--muted"),
      font: "11px system-ui, sans-serif",
      grid: { stroke: () => css("--line"), width: 1 },
      ticks: { stroke: () => css("--line"), size: 4, width: 1 },
    };
    const range = (_u, low, high) => (low === null || low === undefined ? [0, 1] : uPlot.rangeNum(low, high, 0.08, true));
    return {
      width: this.frame.clientWidth,
      height: this.height(),
      padding: [8, 12, 0, 0],
      legend: { show: false },
      scales: { x: { time: false, range: () => this.plots.range }, y: { auto: true, range } },
      axes: [
        { ...axis, size: 28, space: 60, values: (_, ticks) => ticks.map((t) => shown(t, 6)) },
        { ...axis, scale: "y", size: 54, space: 34, gap: 4, values: (_, ticks) => ticks.map((y) => shown(y, 5)) },
      ],
      series: [
        {},
        ...this.columns.map((column, i) => this.seriesOptions(column, i, null)),
        ...this.plots.others.flatMap((other) => this.columns.map((column, i) => this.seriesOptions(column, i, other))),
      ],
      cursor: {
        y: false,
        points: { size: 6, fill: (_, i) => seriesColour((i - 1) % this.columns.length) },
        drag: { x: true, y: false, setScale: false, dist: 4 },
        sync: { key: "run", setSeries: false, scales: ["x", null] },
        bind: { dblclick: () => () => (this.plots.reset(), null) },
      },
      hooks: {
        setSelect: [(plot) => this.select(plot)],
        setCursor: [(plot) => this.hovered(plot)],
        drawAxes: [(plot) => (this.drawBounds(plot), this.drawEvents(plot))],
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
    if (this.hover === null) this.tip.hidden = true;
  }

  // Names the curve nearest to the pointer.
  nameCurve(x, y) {
    const { run, clock } = this.plots;
    const t = this.plot.posToVal(x, "x");
    let best = null;
    this.columns.forEach((column, i) => {
      if (!this.shows(i)) return;
      const value = valueAt(run, column, t);
      const away = Math.abs(this.plot.valToPos(value, "y") - y);
      if (away < NEAR && (!best || away < best.away)) best = { column, i, value, away };
    });
    this.tip.hidden = !best;
    if (!best) return;
    const { column, i, value } = best;
    const twins = this.twins[i].map(
      (twin, k) => twin && `${this.plots.others[k].run.title}: ${shown(valueAt(this.plots.others[k].run, twin, t), 4)}`,
    );
    const bounds = this.bounds[i];
    this.tip.replaceChildren(
      h("strong", null, column.name),
      h("span", null, `${withUnit(shown(withoutNoise(value, this.size), 5), this.unit)} at ${clockText(t, clock.run.end - clock.run.start)} s`),
      ...twins.filter(Boolean).map((text) => h("span", null, text)),
      bounds && h("span", null, `limits ${shown(bounds[0], 4)} to ${shown(bounds[1], 4)}`),
    );
    this.tip.style.left = `${Math.min(x + 66, this.frame.clientWidth - 190)}px`;
    this.tip.style.top = `${Math.max(y - 44, 2)}px`;
  }

  // Where joints must not go: shaded where all that is shown have the same limits, else a line for each.
  drawBounds(plot) {
    if (this.plots.differs) return;
    const { ctx, bbox } = plot;
    const found = this.bounds.map((bounds, i) => ({ bounds, i })).filter(({ bounds, i }) => bounds && this.visible(i));
    const alike = found.every(({ bounds }) => bounds.every((x, k) => x === found[0].bounds[k]));
    ctx.save();
    ctx.lineWidth = globalThis.devicePixelRatio || 1;
    for (const { bounds, i } of alike ? found.slice(0, 1) : found) {
      bounds.forEach((bound, side) => {
        const y = Number.isFinite(bound) ? plot.valToPos(bound, "y", true) : NaN;
        if (!(y > bbox.top && y < bbox.top + bbox.height)) return;
        ctx.strokeStyle = alike ? css("--impact") : seriesColour(i);
        ctx.setLineDash([6, 4]);
        ctx.globalAlpha = 0.7;
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
        if (!alike) return;
        ctx.globalAlpha = 0.1;
        ctx.fillStyle = css("--impact");
        if (side === 0) ctx.fillRect(bbox.left, y, bbox.width, bbox.top + bbox.height - y);
        else ctx.fillRect(bbox.left, bbox.top, bbox.width, y - bbox.top);
      });
    }
    ctx.restore();
  }

  // Faint lines where something happens; where that is all the time, a strip as dense as the events.
  drawEvents(plot) {
    const { run, range } = this.plots;
    const { ctx, bbox } = plot;
    const from = Math.max(0, lastAtOrBelow(run.eventTimes, range[0]));
    const to = lastAtOrBelow(run.eventTimes, range[1]) + 1;
    const ratio = globalThis.devicePixelRatio || 1;
    const strip = to - from > MOST_LINES;
    const high = strip ? STRIP * ratio : bbox.height;
    ctx.save();
    ctx.lineWidth = ratio;
    for (let i = from; i < to; ) {
      const x = Math.round(plot.valToPos(run.eventTimes[i], "x", true));
      const kind = run.events[i].event;
      let count = 0;
      for (; i < to && Math.round(plot.valToPos(run.eventTimes[i], "x", true)) <= x; i++) count++;
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.globalAlpha = strip ? Math.min(1, 0.25 + 0.15 * count) : 0.28;
      ctx.strokeStyle = eventColour(kind);
      ctx.beginPath();
      ctx.moveTo(x + 0.5, bbox.top + bbox.height - high);
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
    over.addEventListener("mousemove", (event) => {
      const box = over.getBoundingClientRect();
      this.nameCurve(event.clientX - box.left, event.clientY - box.top);
    });
    over.addEventListener("mouseleave", () => (this.tip.hidden = true));
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
      const text = this.shown[i] ? shown(withoutNoise(valueAt(run, column, t), this.size), 4) : "";
      if (this.values[i].textContent !== text) this.values[i].textContent = text;
    });
    this.legend.classList.toggle("hovering", this.hover !== null);
  }
}
