// SPDX-License-Identifier: Apache-2.0
// The panel of joints: a slider for each freedom, and what its joint must give, against its limit.

import { h, shown, withUnit } from "../src/dom.js";
import { loadColour } from "./arcs.js";

const MODES = {
  q: { label: "Position", unit: "" },
  v: { label: "Velocity", unit: "/s" },
  a: { label: "Acceleration", unit: "/s\u00b2" },
};

function bar() {
  const fill = h("div.fill");
  const limit = h("div.mark");
  return { element: h("div.effort-bar", { "aria-hidden": "true" }, fill, limit), fill, limit };
}

export class JointsPanel {
  /** app: { subject, changed(), choose(i) }. */
  constructor(app) {
    this.app = app;
    this.mode = "q";
    this.rows = [];
    this.list = h("div.joint-list");
    this.tabs = Object.entries(MODES).map(([mode, { label }]) =>
      h(
        "button.tab",
        { type: "button", "aria-pressed": String(mode === "q"), onclick: () => this.setMode(mode) },
        label,
      ),
    );
    this.filter = h("input.filter", {
      type: "search",
      placeholder: "Find a joint",
      "aria-label": "Find a joint",
      oninput: () => this.applyFilter(),
    });
    this.friction = h("input", { type: "checkbox", onchange: () => app.setFriction(this.friction.checked) });
    this.element = h(
      "div.joints",
      null,
      h("div.tabs", { role: "group", "aria-label": "What the sliders set" }, this.tabs),
      h("label.check.friction", null, this.friction, "With friction, springs and rotor inertia"),
      this.filter,
      this.list,
    );
  }

  begin(subject) {
    this.subject = subject;
    this.friction.checked = false;
    this.filter.value = "";
    this.filter.hidden = subject.freedoms.length <= 12;
    const same = !subject.closed;
    this.rows = subject.freedoms.map((row, i) => this.row(row, i, same ? subject.efforts[i] : null));
    const extra = same ? [] : subject.efforts.map((effort, i) => this.actuator(effort, i));
    this.efforts = same ? this.rows : extra;
    this.list.replaceChildren(
      ...this.rows.map(({ element }) => element),
      ...(same ? [] : [h("h3.group", null, "Actuators"), ...extra.map(({ element }) => element)]),
    );
    this.setMode("q");
  }

  row(row, i, effort) {
    const slider = h("input.slider", {
      type: "range",
      "aria-label": row.name,
      oninput: () => this.app.setFreedom(i, this.mode, Number(slider.value)),
      onfocus: () => this.app.choose(i),
    });
    const value = h("input.value", {
      type: "text",
      inputmode: "decimal",
      "aria-label": `${row.name}, value`,
      onchange: () => {
        const x = Number(value.value.replace("\u2212", "-").replace(",", "."));
        if (Number.isFinite(x) && value.value.trim() !== "") this.app.setFreedom(i, this.mode, x);
        this.app.changed();
      },
    });
    const unit = h("span.unit");
    const name = h("button.name", { type: "button", title: row.name, onclick: () => this.app.choose(i) }, row.name);
    const parts = effort ? this.effortParts(effort) : {};
    const element = h("div.joint", null, name, h("span.number", null, value, unit), slider, effort && parts.element);
    return { ...parts, element, slider, value, unit, name: row.name };
  }

  effortParts(effort) {
    const bars = bar();
    const text = h("output.tau");
    const other = h("span.other");
    const limit = effort.limit
      ? h("span.hint.limit", null, ` of ${withUnit(shown(effort.limit, 3), effort.unit)}`)
      : null;
    return {
      bars,
      text,
      other,
      effort,
      limit,
      element: h("div.effort", null, bars.element, h("span.texts", null, text, limit, other)),
    };
  }

  actuator(effort, i) {
    const parts = this.effortParts(effort);
    const element = h(
      "div.joint",
      null,
      h("button.name", { type: "button", title: effort.name, onclick: () => this.app.choose(i) }, effort.name),
      parts.element,
    );
    return { ...parts, element, name: effort.name };
  }

  setMode(mode) {
    this.mode = mode;
    Object.keys(MODES).forEach((name, i) => this.tabs[i].setAttribute("aria-pressed", String(name === mode)));
    this.rows.forEach(({ slider, unit }, i) => {
      const { unit: base, velocity, turns } = this.subject.freedoms[i];
      const [low, high] =
        mode === "q"
          ? this.subject.range(i)
          : [-1, 1].map(
              (s) => s * (mode === "v" ? (velocity > 0 && velocity < 100 ? velocity : turns ? 3 : 1) : turns ? 10 : 5),
            );
      Object.assign(slider, { min: low, max: high, step: (high - low) / 2000 });
      unit.textContent = base + MODES[mode].unit;
    });
    this.update();
  }

  applyFilter() {
    const wanted = this.filter.value.trim().toLowerCase();
    for (const { element, name } of [...this.rows, ...this.efforts])
      element.hidden = wanted !== "" && !name.toLowerCase().includes(wanted);
  }

  /** Numbers as they are now; other: efforts of the second robot by name. */
  update(other = null) {
    const { subject, mode } = this;
    if (!subject) return;
    this.rows.forEach((row, i) => {
      const x = mode === "q" ? subject.value(i) : subject[mode][i];
      if (document.activeElement !== row.slider || Math.abs(Number(row.slider.value) - x) > 1e-9 * (1 + Math.abs(x)))
        row.slider.value = x;
      if (document.activeElement !== row.value) row.value.value = shown(Math.abs(x) < 5e-7 ? 0 : x, 4);
      row.slider.setAttribute("aria-valuetext", withUnit(shown(x, 4), row.unit.textContent));
    });
    const most = { true: 1e-12, false: 1e-12 };
    subject.efforts.forEach(({ turns }, i) => (most[turns] = Math.max(most[turns], Math.abs(subject.tau[i]))));
    this.efforts.forEach((row, i) => this.updateEffort(row, subject.tau[i], most[row.effort.turns], other));
  }

  updateEffort({ bars, text, effort, other: beside }, tau, most, other) {
    const reach = effort.limit ?? most * 1.3;
    const share = Math.abs(tau) / reach;
    const colour = loadColour(share, Boolean(effort.limit));
    const wide = 50 * Math.min(share, 1);
    bars.fill.style.cssText = `left:${tau < 0 ? 50 - wide : 50}%;width:${wide}%;background:${colour}`;
    text.textContent = withUnit(shown(Math.abs(tau) < 1e-11 * most ? 0 : tau, 4), effort.unit);
    text.classList.toggle("over", share > 1 && Boolean(effort.limit));
    const second = other?.get(effort.name);
    beside.hidden = second === undefined;
    if (second === undefined) return;
    const plain = (x) => (Math.abs(x) < 1e-11 * Math.max(most, Math.abs(second)) ? 0 : x);
    const more = plain(second - tau);
    beside.textContent = `other ${shown(plain(second), 4)} (${more >= 0 ? "+" : ""}${shown(more, 3)})`;
  }

  mark(i) {
    this.efforts.forEach(({ element }, k) => element.classList.toggle("chosen", k === i));
  }

  show(i) {
    this.efforts[i]?.element.scrollIntoView({ block: "nearest" });
  }
}
