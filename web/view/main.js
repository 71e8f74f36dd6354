// SPDX-License-Identifier: Apache-2.0
// The live page: a robot, and everything about its dynamics as it is moved.

import { init } from "../appell/index.js";
import "../src/main.js";
import { bytesOf } from "../src/data.js";
import { onTheme, startTheme } from "../src/theme.js";
import { Doctor, serve } from "./doctor.js";
import { downloadsOf, reportOf } from "./downloads.js";
import { dropped, embedded, filesOf, sorted } from "./files.js";
import { FindingsPanel } from "./findings.js";
import { JointsPanel } from "./joints.js";
import { makeLayout } from "./layout.js";
import { MassesPanel } from "./masses.js";
import { Fall, Swing, follow } from "./motion.js";
import { runPage } from "./record.js";
import { Stage } from "./stage.js";
import { Subject } from "./subject.js";
import { WhyPanel } from "./why.js";

async function unpack(text) {
  const stream = new Blob([bytesOf(text.trim())]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

class App {
  constructor() {
    this.subject = this.other = this.stage = null;
    this.moving = null; // a Swing or a Fall
    this.chosen = -1;
    this.held = null; // what the pointer drags
    this.ease = 1; // how much slower than time a simulation goes
    this.layers = { torques: true, centre: false, ellipsoids: false, frames: false, manipulability: false };
    this.walls = "none";
    this.program = "";
    this.times = { compute: 0 };
    this.panels = {
      joints: new JointsPanel(this),
      why: new WhyPanel(this),
      masses: new MassesPanel(this),
      findings: new FindingsPanel(this),
    };
    this.layout = makeLayout(this);
  }

  get view() {
    return this.stage?.view;
  }

  // -- robots

  /** A robot; findings: what is known to be wrong with it, null: the page looks for that itself. */
  async show({ source, meshes, findings = null }) {
    const started = performance.now();
    this.stop();
    source.files = filesOf(source, meshes);
    let subject;
    try {
      subject = await Subject.open(source);
    } catch (error) {
      if (error.status === "stopped" || !source.bytes) throw error;
      return this.refuse({ source, meshes, findings }, error);
    }
    let stage;
    try {
      stage = this.makeStage(subject, meshes);
    } catch (error) {
      subject.free();
      if (!source.bytes || !/to be drawn/.test(error.message)) throw error;
      return this.refuse({ source, meshes, findings }, error);
    }
    this.compare(null);
    this.stage?.dispose();
    this.subject?.free();
    Object.assign(this, { subject, stage, meshes, source, chosen: -1, findings: null, failure: null, original: null, record: null });
    for (const panel of ["joints", "why", "masses"]) this.panels[panel].begin(subject);
    this.panels.findings.begin(subject, null, null);
    if (!this.layout.refusal.hidden) this.layout.tab = "joints"; // that of findings alone was there
    this.layout.begin(subject);
    this.setWalls("none");
    const heavy = subject.computeHeaviest();
    this.choose(heavy);
    this.frame(performance.now());
    this.stage.view.draw();
    this.times.shown = performance.now() - started;
    this.layout.say("");
    this.examine(subject, findings);
  }

  /** A file that is no robot: what is wrong with it, and fixes that may make it one. */
  refuse({ source, meshes, findings }, error) {
    this.compare(null);
    this.stage?.dispose();
    this.subject?.free();
    Object.assign(this, { subject: null, stage: null, meshes, source, findings: null, original: null });
    this.panels.findings.begin(null, null, null);
    this.layout.refused(source.file ?? "The file");
    this.fail(error);
    this.examine(null, findings);
  }

  /** The same robot of another text of its file: state and view stay. False: that is no robot. */
  async reread(text) {
    const original = this.original ?? this.source;
    const source = { ...original, bytes: new TextEncoder().encode(text) };
    const { subject: was, stage: seen } = this;
    this.stop();
    let subject = null;
    try {
      subject = await Subject.open(source);
      const stage = this.makeStage(subject, this.meshes);
      if (was) {
        subject.takeState(was);
        stage.view.lookAs(seen.view);
        stage.placed = true;
      }
      seen?.dispose();
      Object.assign(this, { subject, stage, source, original, failure: null, record: null });
    } catch (error) {
      subject?.free();
      this.layout.say(`With this fix the file is still refused: ${error.message}`);
      return false;
    }
    was?.free();
    for (const panel of ["joints", "why", "masses"]) this.panels[panel].begin(subject);
    this.layout.begin(subject);
    this.layout.say("");
    this.setWalls("none");
    this.choose(Math.min(this.chosen, subject.efforts.length - 1));
    this.stage.setGhost(this.other, this.meshes);
    this.showFindings();
    this.layout.examined();
    this.changed();
    return true;
  }

  // Counts and pins of what is found.
  showFindings() {
    this.layout.countFindings(this.findings, this.panels.findings.open);
    this.stage?.setPins(
      this.layout.pins,
      this.panels.findings.pins(this.stage.kin, () => this.layout.openTab("findings")),
    );
  }

  makeStage(subject, meshes) {
    const canvas = this.layout.newCanvas();
    let stage;
    try {
      stage = new Stage(canvas, subject, meshes);
    } catch (error) {
      if (!/webgl/i.test(error.message)) throw error;
      throw new Error(`This page needs WebGL, which this browser does not give (${error.message})`);
    }
    this.layout.useCanvas(canvas, stage);
    stage.view.controls.addEventListener("start", () => (this.turned = true));
    return stage;
  }

  // The doctor takes its time: the picture is there before. What the command has found it need not look for again.
  async examine(subject, given = null) {
    const { source, meshes } = this;
    this.weighed = null;
    if (meshes.missing.size > 0)
      this.layout.note(`${meshes.missing.size} mesh files are not here: drop them on the page, too.`);
    if (given) this.found(given, null);
    if (given || !subject) this.layout.openTab("findings");
    this.layout.ready();
    const found = await this.doctor.examine(source, Boolean(given)).catch(() => null);
    if (this.subject !== subject || this.source !== source) return;
    if (!given || found?.weighed) this.found(given ?? found?.findings ?? [], found?.weighed ?? null);
    this.layout.examined();
  }

  // weighed: what the shapes of links say of their inertias
  found(findings, weighed) {
    const { subject, source } = this;
    Object.assign(this, { findings, weighed });
    const text = source.bytes ? new TextDecoder().decode(source.bytes) : null;
    this.panels.findings.begin(subject, findings, weighed, text);
    this.showFindings();
    this.changed();
  }

  /** The file with all fixes that shapes give, or with those that are switched on; null: there are none. */
  fixedText() {
    if (this.original) return new TextDecoder().decode(this.source.bytes);
    return this.weighed?.text ?? null;
  }

  /** Files that a person gave: a robot, meshes of it, or a second robot. */
  async take(files) {
    try {
      const { robots, meshes } = await sorted(files);
      if (robots.length === 0) {
        if (!this.source) throw new Error("these are meshes: the robot file is missing");
        for (const file of this.meshes.files) meshes.add(file.name, file.format, file.data);
        return await this.show({ source: this.source, meshes });
      }
      await this.show({ source: robots[0], meshes });
      this.layout.offer(robots, meshes);
      if (robots.length === 2 && this.subject) await this.compareWith(robots[1]);
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error) {
    console.info(error.message);
    this.failure = error.message;
    this.layout.say(error.message);
    this.layout.ready();
  }

  // -- a second robot, for comparison

  async compareWith(source) {
    try {
      source.files = filesOf(source, this.meshes);
      this.compare(await Subject.open(source));
    } catch (error) {
      this.fail(error);
    }
  }

  compareFixed() {
    const text = this.fixedText();
    if (text) this.compareWith({ file: `fixed ${this.source.file}`, bytes: new TextEncoder().encode(text) });
  }

  compare(other) {
    this.other?.free();
    this.other = other;
    this.stage?.setGhost(other, this.meshes);
    this.layout.compared(other);
    this.changed();
  }

  // Efforts of the second robot in the same state, by joint name.
  otherEfforts() {
    const { other, subject } = this;
    if (!other) return null;
    other.takeMotion(subject);
    if (other.friction !== subject.friction) other.setFriction(subject.friction);
    other.poses().compute();
    return new Map(other.efforts.map(({ name }, i) => [name, other.tau[i]]));
  }

  // -- what the person does

  setFreedom(i, mode, x) {
    this.stop();
    if (mode === "q") this.subject.setValue(i, x);
    else this.subject[mode][i] = x;
    this.changed();
  }

  setFriction(on) {
    this.subject.setFriction(on);
    this.changed();
  }

  setPayload(link, mass, com) {
    this.subject.setPayload(link, mass, com);
    this.restartFall();
    this.changed();
  }

  setTip(frame) {
    this.subject.tip = frame;
    this.changed();
  }

  fix(link, mass) {
    this.subject.setFixed(link, mass);
    this.restartFall();
    this.changed();
  }

  setLayer(name, on) {
    this.layers[name] = on;
    if (name === "ellipsoids" || name === "frames") this.stage.view.setLayer(name, on);
    if (name === "torques" && !on) this.stage.arcs.hide();
    this.changed();
  }

  choose(i) {
    this.chosen = i;
    this.panels.joints.mark(i);
    const place = this.stage?.arcs.items[i]?.place;
    this.stage?.select(place ? place.body : -1);
    this.changed();
  }

  lookAt(link) {
    if (!this.stage) return;
    const body = this.stage.kin.bodies.findIndex(({ given }) => given.name === link);
    this.stage.select(body);
    const i = this.subject.efforts.findIndex(({ joint }) => joint?.body === link);
    if (i >= 0) this.choose(i);
  }

  home() {
    this.stop();
    const { subject } = this;
    if (subject.closed) subject.robot.begin(subject.robot.branches?.[0] ?? null, subject.home);
    subject.q = subject.home.slice();
    subject.v.fill(0);
    subject.a.fill(0);
    this.changed();
  }

  play() {
    if (this.moving instanceof Swing) return this.stop();
    this.stop();
    const swing = new Swing(this.subject);
    if (!swing.possible) return this.layout.say("There is no joint that a motion is known for: use the sliders.");
    this.moving = swing;
    this.last = performance.now();
    this.changed();
  }

  async letGo() {
    if (this.moving instanceof Fall) return this.stop();
    this.stop();
    try {
      this.moving = await Fall.start(this.subject, this.stage.run.walls);
      this.layout.say("");
    } catch (error) {
      return this.fail(error);
    }
    this.last = performance.now();
    this.changed();
  }

  async restartFall() {
    if (!(this.moving instanceof Fall)) return;
    this.stop();
    await this.letGo();
  }

  /** Walls for the simulation: "none", "floor", "room" (a floor and a wall before the robot). */
  setWalls(kind) {
    const { stage, subject } = this;
    this.walls = kind;
    subject.poses();
    stage.setWalls(kind === "none" ? [] : stage.wallsAround(kind === "room"));
    this.layout.walled(kind);
    this.restartFall();
    this.changed();
  }

  stop() {
    const was = this.moving;
    this.moving = null;
    if (was instanceof Fall) this.record = was.stop();
    if (was && this.subject) {
      this.subject.v.fill(0);
      this.subject.a.fill(0);
    }
    this.layout?.moved(null);
    this.changed();
  }

  // -- the pointer

  grab(event) {
    if (!this.stage || event.button !== 0 || event.shiftKey) return false;
    const hit = this.stage.pick(event);
    if (!hit) return false;
    this.held = { ...hit, target: hit.point, moved: false, x: event.clientX, y: event.clientY };
    return true;
  }

  drag(event) {
    const { held } = this;
    if (!held) return;
    if (Math.hypot(event.clientX - held.x, event.clientY - held.y) > 4 && !held.moved) {
      held.moved = true;
      if (this.moving instanceof Swing) this.stop();
    }
    if (!held.moved) return;
    held.target = this.stage.onPlane(event, held.point) ?? held.target;
    held.away = Infinity;
    this.changed();
  }

  drop() {
    const { held } = this;
    this.held = null;
    if (!held) return;
    this.stage.showBand(null, null);
    if (this.moving instanceof Fall && held.moved)
      this.moving.pull(this.stage.kin.bodies[held.body].given.name, held.local, null);
    if (!held.moved) this.chooseBody(held.body);
    this.changed();
  }

  // The joint that carries a link, or the one that carries what it is fixed to.
  chooseBody(body) {
    for (let at = body; at >= 0; at = this.stage.kin.bodies[at].parent) {
      const i = this.stage.arcs.items.findIndex((item) => item?.place.body === at);
      if (i < 0) continue;
      this.choose(i);
      this.panels.joints.show(i);
      return;
    }
  }

  pointOfHeld() {
    const { body, local } = this.held;
    return this.stage.kin.point(body, local, [0, 0, 0]);
  }

  // -- frames

  changed() {
    if (!this.waiting && this.subject) this.waiting = requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.waiting = 0;
    const { subject, stage } = this;
    if (!subject || subject !== stage?.subject) return;
    try {
      this.step(now);
    } catch (error) {
      this.moving = null;
      this.fail(error);
      if (error.status === "stopped") this.restart();
      return;
    }
    if (this.moving) this.changed();
  }

  step(now) {
    const { subject, stage } = this;
    if (this.moving) {
      const dt = Math.min(Math.max((now - this.last) / 1000, 0.001), 0.05) * this.layout.speed();
      this.last = now;
      if (this.held?.moved && this.moving instanceof Fall)
        this.moving.pull(stage.kin.bodies[this.held.body].given.name, this.held.local, this.held.target);
      const before = performance.now();
      const goesOn = this.moving.advance(dt * this.ease);
      // A simulation that takes long goes slower than time, so that the page does not.
      this.ease = Math.min(1, Math.max(0.02, (this.ease * 12) / Math.max(performance.now() - before, 1)));
      if (goesOn === false) {
        const why = this.moving.failure;
        this.stop();
        this.layout.say(`The motion cannot go on: ${why}`);
      }
    } else if (this.held?.moved) this.reach();
    const started = performance.now();
    subject.poses().compute();
    this.times.compute = performance.now() - started;
    this.draw();
  }

  // Steps towards the pointer, also where it no longer moves, as long as they get nearer.
  reach() {
    const { held, subject } = this;
    const away = follow(subject, held.body + 1, held.local, held.target);
    if (away > 1e-4 * subject.size && !(away > 0.99 * held.away)) this.changed();
    held.away = away;
  }

  draw() {
    const { subject, stage, layers } = this;
    this.panels.joints.update(this.otherEfforts());
    if (layers.torques) stage.showEfforts(subject.tau);
    stage.showCentre(layers.centre ? subject.centreOfMass() : null, layers.centre);
    const tab = this.layout.tab;
    // While it moves, tables that nobody can read that fast follow at a slower pace.
    const now = performance.now();
    const due = !(this.moving || this.held?.moved) || now - (this.tabled ?? 0) > 60;
    if (due) this.tabled = now;
    if ((tab === "masses" && due) || layers.manipulability) {
      const at = [...subject.p.subarray(3 * subject.tip, 3 * subject.tip + 3)];
      const JJ = this.panels.masses.manipulability(subject, subject.pointJacobian(subject.tip, at));
      stage.showManipulability(JJ, at, layers.manipulability);
    } else if (!layers.manipulability) stage.showManipulability(null, null, false);
    if (tab === "masses" && due) this.panels.masses.update(subject);
    if (tab === "why" && due) this.panels.why.update(subject, this.chosen);
    if (tab === "findings" && due) this.panels.findings.update(subject);
    stage.kin.at();
    if (this.held?.moved) stage.showBand(this.pointOfHeld(), this.held.target);
    this.layout.moved(this.moving);
    stage.view.renderer.shadowMap.needsUpdate = true;
    stage.view.request();
  }

  /** The module has stopped: read the robot again. */
  async restart() {
    const { source, meshes } = this;
    this.subject = null;
    try {
      await this.show({ source, meshes });
    } catch (error) {
      this.fail(error);
    }
  }

  picture() {
    this.stage.view.draw();
    return this.stage.canvas.toDataURL("image/png");
  }

  downloads() {
    return downloadsOf(this);
  }

  report() {
    return reportOf(this);
  }

  /** The last simulation as a page; null: there was none. */
  runReport() {
    const record = this.moving instanceof Fall ? this.moving.record : this.record;
    return record ? runPage(record.document(this), this.script) : null;
  }
}

async function start(script) {
  startTheme();
  const app = new App();
  app.script = script;
  globalThis.appell = app; // for tests and for whoever looks
  let given = null;
  try {
    given = JSON.parse(document.getElementById("robot").textContent || "null");
  } catch {
    // an empty page
  }
  app.program = given?.program ?? "appell";
  app.layout.start();
  onTheme(() => {
    app.stage?.recolour();
    app.changed();
  });
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && document.body.classList.remove("dropping"));
  addEventListener("drop", async (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    try {
      app.take(await dropped(event.dataTransfer));
    } catch (error) {
      app.fail(error);
    }
  });
  try {
    const module = await WebAssembly.compile(await unpack(document.getElementById("module").textContent));
    app.doctor = new Doctor(module, script);
    await init(module);
  } catch (error) {
    app.fail(new Error(`This page cannot compute here: ${error.message}`));
    return;
  }
  const first = embedded(given);
  if (!first) return app.layout.ready();
  try {
    await app.show(first);
  } catch (error) {
    app.fail(error);
  }
}

// The same script is the doctor's in a worker, and that of the reports which the page writes.
if (typeof document === "undefined") serve();
else if (!document.getElementById("run")) start(document.currentScript.textContent);
