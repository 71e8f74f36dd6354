// SPDX-License-Identifier: Apache-2.0
// What can be taken out of the page: the robot in another format, its dynamics as C, a report of the state or of a
// simulation.

import { h, shown } from "../src/dom.js";
import { save } from "./files.js";

const stem = (subject) => (subject.name || "robot").replace(/[^\w.-]+/g, "_").slice(0, 60) || "robot";

// As the file has it: what payload and fixes change is no part of the definition.
function unchanged(subject, use) {
  subject.robot.resetInertia();
  try {
    return use(subject.robot);
  } finally {
    subject.applyMasses();
  }
}

const table = (headings, rows) =>
  h(
    "table",
    null,
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        headings.map((text) => h("th", null, text)),
      ),
    ),
    h(
      "tbody",
      null,
      rows.map((row) =>
        h(
          "tr",
          null,
          row.map((text) => h("td", null, String(text))),
        ),
      ),
    ),
  );

/** The state, its torques and where they come from, and the findings, as one page without scripts. */
export function reportOf(app) {
  const { subject, findings } = app;
  const picture = app.picture();
  const rows = subject.efforts.map(({ name, unit, limit }, i) => [
    name,
    shown(subject.tau[i], 6),
    shown(subject.gravityTau[i], 6),
    limit ? shown(limit, 4) : "",
    unit,
  ]);
  const state = subject.freedoms.map(({ name, unit }, i) => [
    name,
    shown(subject.value(i), 6),
    shown(subject.v[i], 6),
    shown(subject.a[i], 6),
    unit,
  ]);
  const why = app.chosen >= 0 && app.chosen < subject.efforts.length ? subject.split(app.chosen) : null;
  const { payload } = subject;
  const body = h(
    "body",
    null,
    h("h1", null, subject.name),
    h(
      "p",
      null,
      `${subject.source.file ?? subject.source.builtin ?? ""}, ${subject.n} degrees of freedom, ${shown(subject.info.mass, 6)} kg. ${app.program}`,
    ),
    picture && h("img", { src: picture, alt: "The robot in this state" }),
    h("h2", null, "State"),
    table(["joint", "q", "v", "a", "unit of q"], state),
    payload.mass > 0 && h("p", null, `Payload of ${shown(payload.mass, 4)} kg on ${payload.link}.`),
    subject.fixed.size > 0 &&
      h("p", null, `Inertias of shapes instead of the file's: ${[...subject.fixed.keys()].join(", ")}.`),
    h("h2", null, subject.friction ? "Torques, with friction" : "Torques"),
    table(["joint", "torque", "at rest", "limit", "unit"], rows),
    why && h("h2", null, `Why: ${subject.efforts[app.chosen].name}`),
    why &&
      table(
        ["link", "gravity", "acceleration", "velocity"],
        why.rows.map((row) => [row.name, shown(row.gravity, 5), shown(row.acceleration, 5), shown(row.velocity, 5)]),
      ),
    h("h2", null, "Findings"),
    (findings ?? []).length === 0
      ? h("p", null, "none")
      : table(
          ["", "line", "rule", "what", "fix"],
          findings.map((f) => [f.severity, f.line || "", f.rule, f.what, f.fix]),
        ),
  );
  const head = h(
    "head",
    null,
    h("meta", { charset: "utf-8" }),
    h("title", null, `${subject.name}: report`),
    h("meta", {
      "http-equiv": "Content-Security-Policy",
      content: "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
    }),
    h(
      "style",
      null,
      "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c2430}table{border-collapse:collapse;width:100%;font-size:.9em}td,th{border-bottom:1px solid #dde3ea;padding:3px 8px;text-align:left}img{max-width:100%;border-radius:10px}",
    ),
  );
  return `<!DOCTYPE html>\n${h("html", { lang: "en" }, head, body).outerHTML}\n`;
}

/** Items of the menu: a name and what it saves. */
export function downloadsOf(app) {
  const { subject } = app;
  const name = stem(subject);
  const convert = (format, ending) =>
    save(`${name}.${ending}`, unchanged(subject, (robot) => robot.convert(format)).text);
  const items = [
    ["Report of this state (HTML)", () => save(`${name}_report.html`, reportOf(app), "text/html")],
  ];
  if (app.record || app.moving?.record)
    items.push(["Report of the simulation (HTML)", () => save(`${name}_run.html`, app.runReport(), "text/html")]);
  items.push(["YAML", () => convert("yaml", "yaml")]);
  if (!subject.closed) {
    items.push(["URDF", () => convert("urdf", "urdf")], ["MJCF", () => convert("mjcf", "xml")]);
    items.push([
      "Dynamics as C",
      () => {
        for (const [file, text] of Object.entries(unchanged(subject, (robot) => robot.generate()))) save(file, text);
      },
    ]);
  } else items.push(["MJCF", () => convert("mjcf", "xml")]);
  const ending = /\.\w+$/.exec(subject.source.file ?? "")?.[0] ?? ".urdf";
  if (app.fixedText())
    items.push([
      app.original ? "The file with these fixes" : "URDF with fixed inertias",
      () => save(`${name}_fixed${ending}`, app.fixedText()),
    ]);
  return items;
}
