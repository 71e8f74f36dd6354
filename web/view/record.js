// SPDX-License-Identifier: Apache-2.0
// A simulation in the page as a run: what the frames showed, in the document of reports (docs/report.md), and the page
// around it. That is this page's own script once more, which is the report's where there is a run.

const MOST_ROWS = 20000; // then every second one is left out
const MOST_EVENTS = 5000;
const RATES = {
  free: ["vx", "vy", "vz", "wx", "wy", "wz"],
  spherical: ["wx", "wy", "wz"],
  planar: ["vx", "vy", "w"],
};
const PLACES = {
  free: ["x", "y", "z", "qx", "qy", "qz", "qw"],
  spherical: ["qx", "qy", "qz", "qw"],
  planar: ["x", "y", "angle"],
};
const ENERGIES = ["kinetic", "potential", "elastic", "work", "dissipated", "lost"];

const base64 = (numbers) => {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
};

// Names of the positions of a joint, as logs have them.
function positionsOf({ name, type, mimic }) {
  if (mimic || type === "fixed") return [];
  return PLACES[type] ? PLACES[type].map((part) => `q.${name}.${part}`) : [`q.${name}`];
}

function columnsOf(bodies) {
  const q = [];
  const v = [];
  for (const { joint } of bodies) {
    const parts = RATES[joint.type];
    const slides = joint.type === "prismatic";
    const unitOf = (name) =>
      !parts ? (slides ? "m" : "rad") : /\.q[xyzw]$/.test(name) ? "" : /angle$/.test(name) ? "rad" : "m";
    for (const name of joint.columns) q.push({ name, unit: unitOf(name), group: "q" });
    if (joint.columns.length === 0) continue;
    for (const part of parts ?? [slides ? "v" : "w"])
      v.push({
        name: parts ? `v.${joint.name}.${part}` : `v.${joint.name}`,
        unit: part.startsWith("v") ? "m/s" : "rad/s",
        group: "v",
      });
  }
  return [...q, ...v, ...ENERGIES.map((name) => ({ name, unit: "J", group: "energy", steps: name === "lost" }))];
}

export class Record {
  constructor(simulation) {
    this.rows = [];
    this.events = [];
    this.every = 1;
    this.count = 0;
    this.add(simulation, []);
  }

  /** What a frame came to: a row, and events. */
  add(simulation, events) {
    for (const { time, kind, impulse, ...event } of events)
      if (this.events.length < MOST_EVENTS)
        this.events.push({
          ...event,
          t: time,
          event: kind,
          number: this.events.length + 1,
          impulse: Math.hypot(...(impulse ?? [])),
          impulse_vector: impulse,
        });
    const { time, q, v } = simulation;
    this.last = Float64Array.of(time, ...q, ...v, ...ENERGIES.map((name) => simulation[name]));
    if (this.count++ % this.every !== 0) return;
    this.rows.push(this.last);
    if (this.rows.length < MOST_ROWS) return;
    this.rows = this.rows.filter((_, i) => i % 2 === 0);
    this.every *= 2;
  }

  /** The run as a document of reports. */
  document(app) {
    const { subject, stage } = app;
    const { model, points, closures } = stage.run;
    const bodies = model.bodies.map((body) => ({
      ...body,
      joint: { ...body.joint, columns: positionsOf(body.joint) },
    }));
    const columns = columnsOf(bodies);
    const rows = this.rows.at(-1) === this.last ? this.rows : [...this.rows, this.last];
    const wide = columns.length;
    if (rows[0].length !== wide + 1) throw new Error(`the run has ${rows[0].length - 1} numbers in a row, not ${wide}`);
    const data = new Float32Array(rows.length * wide);
    rows.forEach((row, i) => {
      for (let k = 0; k < wide; k++) data[k * rows.length + i] = row[k + 1];
    });
    const fact = (group, name, value) => ({ group, name, value });
    return {
      title: `${subject.name}, let go`,
      program: app.program,
      made_from: subject.source.file ?? subject.source.builtin ?? "",
      model: { ...model, bodies, freedom: subject.n },
      walls: stage.run.walls,
      points,
      closures,
      columns: [{ name: "t", unit: "s", group: "time" }, ...columns],
      rows: rows.length,
      time: base64(Float64Array.from(rows, (row) => row[0])),
      data: base64(data),
      events: this.events,
      warnings: ["Simulated in the live page with a relative tolerance of 1e-5; pulls of the pointer are part of the run"],
      facts: [
        fact("Run", "Duration", `${(this.last[0] - rows[0][0]).toFixed(3)} s`),
        fact("Run", "Rows", String(rows.length)),
        fact("Run", "Payload", subject.payload.mass > 0 ? `${subject.payload.mass} kg on ${subject.payload.link}` : "none"),
      ],
    };
  }
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const textOf = (id) => document.getElementById(id)?.textContent ?? "";

/** The page of a run. */
export function runPage(run, script) {
  const policy = document.querySelector("meta[http-equiv]").content;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>A run of Appell</title>
<link rel="icon" href="data:,">
<style>${textOf("report-style")}</style>
</head>
<body>
<main id="page"><noscript>This page needs JavaScript, which it carries within itself.</noscript></main>
<script id="run" type="application/json">${JSON.stringify(run).replaceAll("<", "\\u003c")}</script>
<script id="licences" type="text/plain">${escaped(textOf("licences"))}</script>
<script>${script}</script>
</body>
</html>
`;
}
