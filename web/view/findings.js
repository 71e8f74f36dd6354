// SPDX-License-Identifier: Apache-2.0
// What is wrong with the file: findings with their fixes, and pins at the links that they are about.

import { h, shown, withUnit } from "../src/dom.js";

const ORDER = { error: 0, warning: 1, note: 2 };
const MOST = 200;

// Inertias that shapes give a link can stand in for those of the file.
const isInertial = (rule) => /^(mass|massless|inertia|com|decimal|density)/.test(rule);

export class FindingsPanel {
  constructor(app) {
    this.app = app;
    this.head = h("p.sum");
    this.all = h("button.wide", { type: "button", hidden: true, onclick: () => this.fixAll() }, "Use all fixes");
    this.list = h("ul.findings");
    this.element = h("div", null, this.head, this.all, this.list);
    this.switches = new Map();
  }

  /** findings of the doctor; weighed: what shapes say of links. */
  begin(subject, findings, weighed) {
    const known = findings ?? [];
    this.findings = [...known].sort((a, b) => ORDER[a.severity] - ORDER[b.severity] || a.line - b.line);
    this.weighed = new Map((weighed?.links ?? []).filter(({ done }) => done).map((entry) => [entry.link, entry]));
    this.fixedText = weighed?.text ?? null;
    this.switches.clear();
    const count = (severity) => known.filter((f) => f.severity === severity).length;
    const say = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
    this.head.textContent =
      findings === null
        ? "The file is being examined \u2026"
        : findings.length === 0
          ? "Nothing wrong was found."
          : `${say(count("error"), "error")}, ${say(count("warning"), "warning")}, ${say(count("note"), "note")}`;
    this.items = this.findings.slice(0, MOST).map((finding) => this.item(subject, finding));
    this.list.replaceChildren(...this.items.map(({ element }) => element));
    if (known.length > MOST) this.list.append(h("li.hint", null, `and ${known.length - MOST} more`));
    this.all.hidden = this.switches.size === 0;
  }

  // The link that a finding is about: by its name, or that which its joint carries.
  linkOf(subject, { subject: about }) {
    if (subject.links.some(({ name }) => name === about)) return about;
    const joint = subject.robot.joints.find(({ name }) => name === about);
    return joint?.body ?? null;
  }

  item(subject, finding) {
    const { severity, rule, line, what, why, fix, joint, difference, largest, unit } = finding;
    const link = this.linkOf(subject, finding);
    const entry = link && isInertial(rule) ? this.weighed.get(link) : null;
    const effect =
      joint && Number.isFinite(difference)
        ? h(
            "p.effect",
            null,
            `changes ${joint} by ${withUnit(shown(difference, 3), unit)} (its largest is ${withUnit(shown(largest, 3), unit)})`,
          )
        : null;
    let toggle = null;
    if (entry) {
      const box = h("input", {
        type: "checkbox",
        onchange: () => this.app.fix(link, box.checked ? entry.after : null),
      });
      if (!this.switches.has(link)) this.switches.set(link, []);
      this.switches.get(link).push(box);
      toggle = h("label.check.fix", null, box, `Use the inertia of its shapes: ${shown(entry.after.mass, 3)} kg`);
    }
    const element = h(
      `li.finding.is-${severity}`,
      { tabindex: "-1" },
      h("p.rule", null, h("span.badge", null, severity), line > 0 ? `line ${line}` : "", h("code", null, rule)),
      h("p.what", null, what),
      why && h("p.reason", null, why),
      effect,
      fix && h("p.mend", null, `Fix: ${fix}`),
      toggle,
      link && h("button.text", { type: "button", onclick: () => this.app.lookAt(link) }, `Show ${link}`),
    );
    return { element, link, severity, finding };
  }

  fixAll() {
    const on = [...this.switches.values()].some(([box]) => !box.checked);
    for (const [link, boxes] of this.switches) {
      for (const box of boxes) box.checked = on;
      this.app.fix(link, on ? this.weighed.get(link).after : null);
    }
  }

  /** Switches as the robot is. */
  update(subject) {
    let on = 0;
    for (const [link, boxes] of this.switches) {
      if (subject.fixed.has(link)) on++;
      for (const box of boxes) box.checked = subject.fixed.has(link);
    }
    this.all.textContent = on === this.switches.size && on > 0 ? "Use the file's own inertias" : "Use all fixes";
  }

  /** A pin for every link with findings. */
  pins(kin, choose) {
    const byLink = new Map();
    for (const item of this.items ?? []) {
      if (!item.link || item.severity === "note") continue;
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
