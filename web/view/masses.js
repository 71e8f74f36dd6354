// SPDX-License-Identifier: Apache-2.0
// The panel of masses: payload, inertia matrix as a heat map, manipulability.

import { h, shown, withUnit } from "../src/dom.js";
import { isDark } from "../src/theme.js";
import { eigen, outer } from "./matrix.js";

const heatColours = () =>
  isDark()
    ? { none: [23, 28, 36], plus: [255, 140, 90], minus: [110, 163, 255] }
    : { none: [255, 255, 255], plus: [205, 70, 25], minus: [40, 90, 200] };

// Blue or red, by the logarithm of the size over five decades, into a picture.
function heat(value, most, { none, plus, minus }, to, at) {
  const share = value !== 0 && most > 0 ? Math.max(0, 1 + Math.log10(Math.abs(value) / most) / 5) : 0;
  const top = value >= 0 ? plus : minus;
  for (let i = 0; i < 3; i++) to[at + i] = none[i] + share * (top[i] - none[i]);
  to[at + 3] = 255;
}

export class MassesPanel {
  constructor(app) {
    this.app = app;
    this.link = h("select", { "aria-label": "Link that carries the payload", onchange: () => this.pay() });
    this.mass = h("input.slider", {
      type: "range",
      min: 0,
      max: 20,
      step: 0.05,
      value: 0,
      "aria-label": "Mass of the payload",
      oninput: () => this.pay(),
    });
    this.massText = h("output");
    this.offset = ["x", "y", "z"].map((axis) =>
      h("input.short", {
        type: "number",
        step: 0.01,
        value: 0,
        "aria-label": `${axis} of the payload's centre in the link's frame, m`,
        oninput: () => this.pay(),
      }),
    );
    this.canvas = h("canvas.heat", {
      role: "img",
      onpointermove: (event) => this.point(event),
      onpointerleave: () => (this.cell.textContent = this.hint),
    });
    this.cell = h("p.hint");
    this.tip = h("select", {
      "aria-label": "Frame of the manipulability",
      onchange: () => app.setTip(Number(this.tip.value)),
    });
    this.values = h("dl.values");
    this.element = h(
      "div.masses",
      null,
      h("h3", null, "Payload"),
      h("label.field", null, "On link", this.link),
      h("div.pay", null, this.mass, this.massText),
      h("div.pay", null, h("span.hint", null, "centre in its frame, m"), this.offset),
      h("h3", null, "Inertia matrix"),
      this.canvas,
      this.cell,
      h("h3", null, "Manipulability"),
      h("label.field", null, "Of frame", this.tip),
      this.values,
    );
  }

  begin(subject) {
    const links = subject.links.map(({ name }) => name);
    this.link.replaceChildren(...links.map((name) => h("option", null, name)));
    this.link.value = links[subject.tip - 1] ?? links[0];
    const whole = subject.info.moving_mass || 1;
    this.mass.max = Math.max(1, Math.ceil(whole / 2));
    this.mass.step = this.mass.max / 400;
    this.mass.value = 0;
    for (const input of this.offset) input.value = 0;
    this.massText.textContent = "0 kg";
    this.tip.replaceChildren(...subject.robot.frames.map((name, i) => h("option", { value: i }, name)).slice(1));
    this.tip.value = subject.tip;
    this.tip.disabled = subject.closed;
    this.hint = `${subject.n} \u00d7 ${subject.n}, kg m\u00b2, kg m, kg; shades are logarithmic, blue is negative`;
    this.cell.textContent = this.hint;
  }

  pay() {
    const mass = Number(this.mass.value);
    this.massText.textContent = withUnit(shown(mass, 3), "kg");
    this.app.setPayload(
      this.link.value,
      mass,
      this.offset.map((input) => Number(input.value) || 0),
    );
  }

  update(subject) {
    this.subject = subject;
    let M;
    try {
      M = subject.inertia();
    } catch (error) {
      if (error.status === "stopped") throw error;
      return;
    }
    this.M = M;
    const { n } = subject;
    if (this.canvas.width !== n) this.canvas.width = this.canvas.height = n; // a pixel each, which the style enlarges
    const draw = this.canvas.getContext("2d");
    const picture = draw.createImageData(n, n);
    const most = M.reduce((a, x) => Math.max(a, Math.abs(x)), 0);
    const colour = heatColours();
    for (let k = 0; k < n * n; k++) heat(M[k], most, colour, picture.data, 4 * k);
    draw.putImageData(picture, 0, 0);
    const diagonal = subject.freedoms.map(({ name }, i) => `${name} ${shown(M[i * n + i], 3)}`).slice(0, 12);
    this.canvas.setAttribute("aria-label", `Inertia matrix, ${n} by ${n}. Diagonal: ${diagonal.join(", ")}`);
  }

  point(event) {
    const { n, freedoms } = this.subject;
    const box = this.canvas.getBoundingClientRect();
    const k = Math.min(n - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * n)));
    const i = Math.min(n - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * n)));
    this.cell.textContent = `${freedoms[i].name}, ${freedoms[k].name}: ${shown(this.M[i * n + k], 5)}`;
  }

  /** w = sqrt det(J J^T) of position, and the longest and shortest axis of the ellipsoid. */
  manipulability(subject, J3) {
    const JJ = outer(J3, 3);
    const { values } = eigen(JJ, 3);
    const s = values.map((x) => Math.sqrt(Math.max(x, 0)));
    const flat = subject.n < 3 ? s.slice(0, subject.n) : s;
    const w = flat.reduce((product, x) => product * x, 1);
    const row = (name, text) => h("div", null, h("dt", null, name), h("dd", null, text));
    this.values.replaceChildren(
      row("manipulability (position)", shown(w, 4)),
      row("axes of the ellipsoid", s.map((x) => shown(x < 1e-12 ? 0 : x, 3)).join(", ")),
      row(
        "ratio of longest and shortest",
        s[flat.length - 1] > 1e-9 * s[0] ? shown(s[0] / s[flat.length - 1], 4) : "singular",
      ),
    );
    return JJ;
  }
}
