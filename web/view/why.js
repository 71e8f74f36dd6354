// SPDX-License-Identifier: Apache-2.0
// Why a joint needs its torque: what each link adds, by term, stacked.

import { h, shown, withUnit } from "../src/dom.js";
import { isDark } from "../src/theme.js";

const TERMS = [
  ["gravity", "gravity", ["#2f6fde", "#6ea3ff"]],
  ["acceleration", "acceleration", ["#d9622b", "#ff9a62"]],
  ["velocity", "velocity", ["#2a9d6e", "#58cf9c"]],
  ["friction", "friction", ["#8a56c9", "#bd93f4"]],
  ["rotor", "rotor inertia", ["#7a6a5d", "#c0ae9f"]],
  ["spring", "springs, compensation", ["#b08a00", "#e3bd3d"]],
];
const colourOf = (term) => TERMS.find(([name]) => name === term)[2][isDark() ? 1 : 0];

// Parts to the left and to the right of zero, one behind another; reach is what half the width is.
function stack(parts, reach) {
  const bar = h("div.stack", { "aria-hidden": "true" });
  const at = { plus: 50, minus: 50 };
  for (const { term, value, name } of parts) {
    const wide = (50 * Math.abs(value)) / reach;
    if (!(wide > 0.02)) continue;
    const left = value >= 0 ? at.plus : at.minus - wide;
    if (value >= 0) at.plus += wide;
    else at.minus -= wide;
    const piece = h("span.piece", { title: `${name}: ${shown(value, 4)}` });
    piece.style.cssText = `left:${left}%;width:${wide}%;background:${colourOf(term)}`;
    bar.append(piece);
  }
  return bar;
}

const reachOf = (parts) =>
  Math.max(
    parts.reduce((sum, { value }) => sum + Math.max(value, 0), 0),
    -parts.reduce((sum, { value }) => sum + Math.min(value, 0), 0),
  );

export class WhyPanel {
  constructor(app) {
    this.app = app;
    this.joint = h("select", { "aria-label": "Joint", onchange: () => app.choose(Number(this.joint.value)) });
    this.title = h("p.sum");
    this.legend = h("div.legend");
    this.whole = h("div.whole");
    this.table = h("div.why-rows", { role: "list" });
    this.element = h(
      "div.why",
      null,
      h("label.field", null, "Joint", this.joint),
      this.title,
      this.whole,
      this.legend,
      this.table,
      h("p.hint", null, "Each row is what the link alone would ask of the joint; all rows together are its torque."),
    );
  }

  begin(subject) {
    this.joint.replaceChildren(...subject.efforts.map(({ name }, i) => h("option", { value: i }, name)));
    this.table.replaceChildren();
  }

  update(subject, i) {
    if (i < 0 || i >= subject.efforts.length) return;
    this.joint.value = i;
    const { rows, joint } = subject.split(i);
    const { name, unit, limit } = subject.efforts[i];
    const own = ["friction", "rotor", "spring"].map((term) => ({
      term,
      value: joint[term],
      name: TERMS.find(([t]) => t === term)[1],
    }));
    const terms = ["gravity", "acceleration", "velocity"]
      .map((term) => ({
        term,
        name: term,
        value: rows.reduce((sum, row) => sum + row[term], 0),
      }))
      .concat(own);
    const total = terms.reduce((sum, { value }) => sum + value, 0);
    this.total = total;
    this.rowsShown = rows;
    this.title.textContent = `${name}: ${withUnit(shown(total, 5), unit)}${limit ? ` of ${withUnit(shown(limit, 3), unit)}` : ""}`;
    this.whole.replaceChildren(stack(terms, reachOf(terms) || 1));
    this.legend.replaceChildren(
      ...terms
        .filter(({ value }) => Math.abs(value) > 1e-12)
        .map(({ term, value, name: label }) => {
          const swatch = h("span.swatch");
          swatch.style.background = colourOf(term);
          return h("span.item", null, swatch, `${label} ${shown(value, 4)}`);
        }),
    );
    const lines = rows.map((row) => {
      const parts = ["gravity", "acceleration", "velocity"].map((term) => ({ term, value: row[term], name: term }));
      return { row, parts, value: row.gravity + row.acceleration + row.velocity };
    });
    for (const part of own)
      if (Math.abs(part.value) > 1e-12) lines.push({ row: { name: part.name }, parts: [part], value: part.value });
    const reach = Math.max(...lines.map(({ parts }) => reachOf(parts)), 1e-12);
    const shownLines = lines
      .filter(({ parts }) => parts.some(({ value }) => Math.abs(value) > 1e-9 * reach))
      .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    this.table.replaceChildren(
      ...shownLines
        .slice(0, 60)
        .map(({ row, parts, value }) =>
          h(
            "div.why-row",
            { role: "listitem", "aria-label": `${row.name}: ${shown(value, 4)} ${unit}` },
            h("span.name", { title: row.name }, row.name),
            stack(parts, reach),
            h("span.number", null, shown(value, 4)),
          ),
        ),
    );
  }
}
