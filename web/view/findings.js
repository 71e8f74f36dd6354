// SPDX-License-Identifier: Apache-2.0
// What is wrong with the file: findings with their fixes, and pins at the links that they are about.

import { h, shown, withUnit } from "../src/dom.js";
import { mended } from "./fixes.js";
import { structureOf } from "./structure.js";

const ORDER = { error: 0, warning: 1, note: 2 };
const MOST = 200;
const MOST_LINKS = 60; // of a tree that is shown whole

// Inertias that shapes give a link can stand in for those of the file.
const isInertial = (rule) => /^(mass|massless|inertia|com|decimal|density)/.test(rule);
const counted = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

export class FindingsPanel {
  constructor(app) {
    this.app = app;
    this.head = h("p.sum");
    this.all = h("button.wide", { type: "button", hidden: true, onclick: () => this.fixAll() }, "Use all fixes");
    this.list = h("ul.findings");
    this.map = h("details.map");
    this.element = h("div", null, this.head, this.all, this.map, this.list);
    this.switches = new Map();
    this.mends = [];
  }

  /** findings of the doctor, null: not yet; weighed: what shapes say of links; text: of the file, null: it has none. */
  begin(subject, findings, weighed, text = null) {
    const known = findings ?? [];
    this.findings = [...known].sort((a, b) => ORDER[a.severity] - ORDER[b.severity] || a.line - b.line);
    this.weighed = new Map((weighed?.links ?? []).filter(({ done }) => done).map((entry) => [entry.link, entry]));
    this.text = text;
    this.structure = structureOf(subject, text);
    this.app.layout?.advise(this.structure.byName.size > 0, known.some(({ what }) => /needs the mesh/.test(what)));
    this.switches.clear();
    this.mends = [];
    this.used = null;
    this.open = known.filter(({ severity }) => severity !== "note").length;
    const count = (severity) => known.filter((f) => f.severity === severity).length;
    this.head.textContent =
      findings === null
        ? "The file is being examined \u2026"
        : findings.length === 0
          ? "Nothing wrong was found."
          : `${counted(count("error"), "error")}, ${counted(count("warning"), "warning")}, ${counted(count("note"), "note")}`;
    this.items = this.findings.slice(0, MOST).map((finding) => this.item(finding));
    this.list.replaceChildren(...this.items.map(({ element }) => element));
    if (known.length > MOST) this.list.append(h("li.hint", null, `and ${known.length - MOST} more`));
    this.all.hidden = this.switches.size + this.mends.length === 0;
    this.drawMap();
  }

  // The link that a finding is about: by its name, or that which its joint carries.
  linkOf({ subject: about }) {
    const { byName, linkOfJoint } = this.structure;
    return byName.has(about) ? about : (linkOfJoint.get(about) ?? null);
  }

  item(finding) {
    const { severity, rule, line, what, why, fix, joint, difference, largest, unit } = finding;
    const link = this.linkOf(finding);
    const effect =
      joint && Number.isFinite(difference) && !why.includes("changes by")
        ? h(
            "p.effect",
            null,
            `changes ${joint} by ${withUnit(shown(difference, 3), unit)} (its largest is ${withUnit(shown(largest, 3), unit)})`,
          )
        : null;
    const element = h(
      `li.finding.is-${severity}`,
      { tabindex: "-1" },
      h("p.rule", null, h("span.badge", null, severity), line > 0 ? `line ${line}` : "", h("code", null, rule)),
      h("p.what", null, what),
      why && h("p.reason", null, why),
      effect,
      fix && h("p.mend", null, `Fix: ${fix}`),
      this.toggle(finding, link),
      link && h("button.text", { type: "button", onclick: () => this.app.lookAt(link) }, `Show ${link}`),
    );
    return { element, link, severity, finding, switch: this.lastSwitch };
  }

  // What switches a fix: the inertia of the link's shapes, or what the fix writes into the file.
  toggle(finding, link) {
    const entry = link && isInertial(finding.rule) ? this.weighed.get(link) : null;
    const box = h("input", { type: "checkbox" });
    this.lastSwitch = null;
    if (entry) {
      this.lastSwitch = box;
      box.addEventListener("change", () => this.app.fix(link, box.checked ? entry.after : null));
      if (!this.switches.has(link)) this.switches.set(link, []);
      this.switches.get(link).push(box);
      return h("label.check.fix", null, box, `Use the inertia of its shapes: ${shown(entry.after.mass, 3)} kg`);
    }
    if (this.text === null || mended(this.text, finding) === null) return null;
    this.lastSwitch = box;
    this.mends.push({ box, finding });
    box.addEventListener("change", () => this.rewrite());
    return h("label.check.fix", null, box, "Use this fix");
  }

  /** The text with the fixes that are on. A fix that no longer applies after another one is left out. */
  textWithFixes() {
    return this.mends
      .filter(({ box }) => box.checked)
      .reduce((text, { finding }) => mended(text, finding) ?? text, this.text);
  }

  // The page reads the robot again, from a text with these fixes; where that is no robot, switches go back.
  async rewrite() {
    const on = this.mends.map(({ box }) => box.checked);
    if (await this.app.reread(this.textWithFixes())) this.used = on;
    else this.mends.forEach(({ box }, i) => (box.checked = this.used?.[i] ?? false));
    this.structure = structureOf(this.app.subject, this.text);
    this.drawMap();
    this.update(this.app.subject);
  }

  /** The map back in its panel. */
  takeMap() {
    this.list.before(this.map);
    this.map.open = false;
  }

  // -- the map: links as they hang on each other, with what is found on them

  drawMap() {
    const byLink = new Map();
    for (const item of this.items) {
      if (!item.link) continue;
      if (!byLink.has(item.link)) byLink.set(item.link, []);
      byLink.get(item.link).push(item);
    }
    const { roots, byName } = this.structure;
    if (!this.app.subject) this.map.open = true;
    this.map.hidden = byLink.size === 0;
    if (this.map.hidden) return;
    const has = (link) => byLink.has(link.name) || link.children.some(has);
    const whole = byName.size <= MOST_LINKS;
    const rows = [];
    const visit = (link, depth) => {
      if (!whole && !has(link)) return;
      rows.push(this.mapRow(link, depth, byLink.get(link.name) ?? []));
      for (const child of link.children) visit(child, depth + 1);
    };
    for (const root of roots) visit(root, 0);
    this.map.replaceChildren(
      h("summary", null, `${counted(byLink.size, "link")} of ${byName.size} with findings`),
      h("ul.tree", { "aria-label": "Links of the robot" }, rows),
    );
  }

  mapRow({ name, joint }, depth, items) {
    const worst = items.reduce((best, { severity }) => (ORDER[severity] < ORDER[best] ? severity : best), "note");
    const open = () => {
      this.app.lookAt(name);
      items[0].element.scrollIntoView({ block: "center" });
      items[0].element.focus();
    };
    return h(
      "li",
      { style: `--depth:${Math.min(depth, 12)}`, title: joint ? `joint ${joint}` : null },
      items.length > 0
        ? h(
            `button.text.at-${worst}`,
            { type: "button", onclick: open, "aria-label": `${name}: ${counted(items.length, "finding")}, ${worst}` },
            h("span.tally", null, String(items.length)),
            name,
          )
        : h("span", null, name),
    );
  }

  async fixAll() {
    const on = this.boxes().some((box) => !box.checked);
    for (const { box } of this.mends) box.checked = on;
    if (this.mends.length > 0) await this.rewrite();
    if (!this.app.subject) return;
    for (const [link, boxes] of this.switches) {
      for (const box of boxes) box.checked = on;
      this.app.fix(link, on ? this.weighed.get(link).after : null);
    }
  }

  boxes() {
    return [...[...this.switches.values()].map(([box]) => box), ...this.mends.map(({ box }) => box)];
  }

  /** Switches as the robot is. */
  update(subject) {
    for (const [link, boxes] of this.switches)
      for (const box of boxes) box.checked = Boolean(subject?.fixed.has(link));
    let open = 0;
    for (const { element, switch: box, severity } of this.items) {
      element.classList.toggle("fixed", Boolean(box?.checked));
      if (severity !== "note" && !box?.checked) open++;
    }
    if (open !== this.open) {
      this.open = open;
      this.app.showFindings();
    }
    const all = this.boxes();
    const on = all.length > 0 && all.every((box) => box.checked);
    this.all.textContent = on ? "Use the file as it is" : "Use all fixes";
  }

  /** A pin for every link with findings. */
  pins(kin, choose) {
    const byLink = new Map();
    for (const item of this.items ?? []) {
      if (!item.link || item.severity === "note" || item.switch?.checked) continue;
      if (!byLink.has(item.link)) byLink.set(item.link, []);
      byLink.get(item.link).push(item);
    }
    return [...byLink]
      .map(([link, items]) => {
        const body = kin.bodies.findIndex(({ given }) => given.name === link);
        const worst = items.some(({ severity }) => severity === "error") ? "error" : "warning";
        const element = h(
          `button.pin.${worst}`,
          {
            type: "button",
            title: `${link}: ${items[0].finding.what}`,
            "aria-label": `${items.length} findings on ${link}`,
            onclick: () => {
              choose();
              items[0].element.scrollIntoView({ block: "center" });
              items[0].element.focus();
            },
          },
          String(items.length),
        );
        return { body, element };
      })
      .filter(({ body }) => body >= 0);
  }
}
