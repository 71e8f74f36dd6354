// SPDX-License-Identifier: Apache-2.0
// What is drawn about the robot: contact points, closures, traces, marks of events, arrows of impulses and forces.

import {
  BufferGeometry,
  CanvasTexture,
  Color,
  ConeGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  LineDashedMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  Points,
  PointsMaterial,
  SphereGeometry,
  Sprite,
  SpriteMaterial,
  Vector3,
} from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { ContactShapes, placeOfForce, vectorOf } from "./contacts.js";
import { lastAtOrBelow, valueAt } from "./data.js";
import { lengthOf, scaled } from "./extent.js";
import { eventColour, seriesColour } from "./theme.js";

const UP = new Vector3(0, 1, 0);
const MOST_ARROWS = 48;
const MOST_SAMPLES = 3000; // of a path, each a piece of a thick line, which is slow to draw

// Of a point, not of a joint: it has a place in the world.
const isAtPoint = (event) => Array.isArray(event.position) && !(event.joint >= 0);

function disc(ring) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const draw = canvas.getContext("2d");
  draw.beginPath();
  draw.arc(32, 32, ring ? 27 : 22, 0, 2 * Math.PI);
  draw.lineWidth = ring ? 5 : 7;
  draw.strokeStyle = "#fff";
  if (!ring) {
    draw.fillStyle = "rgba(255,255,255,0.35)";
    draw.fill();
  }
  draw.stroke();
  return new CanvasTexture(canvas);
}

// A point where no other link hangs, nor this one on a link that could be seen.
function isEnd(kin, body, children, xyz) {
  const apart = (other) => Math.hypot(xyz[0] - other[0], xyz[1] - other[1], xyz[2] - other[2]) > 1e-9;
  const carrier = kin.bodies[body.parent];
  const loose =
    body.joint.type === "free" ||
    body.joint.type === "planar" ||
    (carrier && carrier.joint.type === "prismatic" && !(carrier.given.mass > 0));
  return children.every((child) => apart(child.origin)) && (loose || apart([0, 0, 0]));
}

/** Points whose paths can be shown: contact points, ends of the last links, the common centre of mass. */
export function traceable(run, kin) {
  const found = run.points
    .filter((point) => point.body >= 0 && Array.isArray(point.xyz))
    .map((point) => ({
      name: point.name ?? "point",
      point,
      parts: [{ body: point.body, xyz: point.xyz, weight: 1 }],
      end: false,
    }));
  let chosen = 0;
  for (const body of kin.bodies) {
    const children = kin.bodies.filter((other) => other.parent === body.index);
    const own = found.filter(({ parts: [part] }) => part.body === body.index && isEnd(kin, body, children, part.xyz));
    if (own.length > 0 && own.length <= 2) {
      for (const entry of own) entry.end = chosen++ < 8;
    } else if (children.length === 0) {
      const closed = run.closures.filter(({ body_a: a, body_b: b }) => a === body.index || b === body.index).length;
      // The centre of a body with many points, else as far beyond the centre of mass as that is away.
      const com = body.given.com ?? [0, 0, 0];
      const tip = own.length > 2 || closed > 2 ? com : scaled(com, 2);
      // What a closure holds goes on in another link.
      const end = (closed === 0 || closed > 2) && chosen++ < 8;
      found.push({
        name: body.given.name ?? `link ${body.index + 1}`,
        parts: [{ body: body.index, xyz: tip, weight: 1 }],
        end,
      });
    }
  }
  chooseTouched(run, kin, found);
  const masses = kin.bodies.filter(({ given }) => given.mass > 0);
  const whole = masses.reduce((sum, { given }) => sum + given.mass, 0);
  if (masses.length > 1) {
    const parts = masses.map(({ index, given }) => ({
      body: index,
      xyz: given.com ?? [0, 0, 0],
      weight: given.mass / whole,
    }));
    found.push({ name: "centre of mass", parts, end: false });
  }
  return found;
}

const MOST_TRACES = 8;

// Where points have touched a wall, their paths are what one looks for; otherwise those of the ends.
function chooseTouched(run, kin, found) {
  const touched = new Set(run.events.filter(isAtPoint).map((event) => event.point));
  const names = run.points.map(({ body, name }) => `${kin.bodies[body]?.given.name ?? ""}/${name}`);
  const hit = run.points
    .map((point, i) => touched.has(names[i]) && found.find(({ point: own }) => own === point))
    .filter(Boolean);
  if (hit.length === 0) return;
  for (const entry of found) entry.end = false;
  for (const entry of hit.slice(0, MOST_TRACES)) entry.end = true;
}

export function placeOfTrace(kin, entry, out) {
  const p = placeOfTrace.p;
  out[0] = out[1] = out[2] = 0;
  for (const { body, xyz, weight } of entry.parts) {
    kin.point(body, xyz, p);
    for (let i = 0; i < 3; i++) out[i] += weight * p[i];
  }
  return out;
}
placeOfTrace.p = [0, 0, 0];

// Times at which paths are sampled: rows, thinned where there are many, with moments between where there are few, and
// impacts, where paths bend.
function sampleTimes(run) {
  const stride = Math.max(1, Math.ceil(run.rows / MOST_SAMPLES));
  const parts = Math.min(8, Math.max(1, Math.floor(MOST_SAMPLES / 4 / run.rows)));
  const times = [];
  for (let row = 0; row < run.rows; row += stride) {
    times.push(run.time[row]);
    const step = row + 1 < run.rows ? run.time[row + 1] - run.time[row] : 0;
    for (let k = 1; k < parts && step > 0; k++) times.push(run.time[row] + (k * step) / parts);
  }
  if (run.rows > 0 && (run.rows - 1) % stride !== 0) times.push(run.time[run.rows - 1]);
  if (run.impactTimes.length <= 2000) for (const t of run.impactTimes) if (t > run.start && t < run.end) times.push(t);
  return Float64Array.from(times).sort();
}

export class Markers {
  constructor(run, kin, extent, colours) {
    Object.assign(this, { run, kin, extent, colours });
    this.group = new Group();
    this.layers = {};
    for (const name of ["points", "closures", "traces", "events", "impulses", "forces", "shapes"]) {
      this.layers[name] = new Group();
      this.group.add(this.layers[name]);
    }
    this.traceable = traceable(run, kin);
    this.traces = new Map();
    this.times = null;
    this.contactPoints();
    this.shapes = new ContactShapes(run, kin);
    this.layers.shapes.add(this.shapes.group);
    this.closureLines();
    this.eventMarks();
    this.arrows = { impulses: [], forces: [] };
    this.prepareImpulses();
    this.prepareForces();
  }

  contactPoints() {
    this.pointMaterial = new MeshBasicMaterial();
    const geometry = new SphereGeometry(this.extent.size * 0.009, 16, 12);
    this.points = this.run.points
      .filter((point) => point.body >= 0 && point.body < this.kin.bodies.length && Array.isArray(point.xyz))
      .map((point) => {
        const mesh = new Mesh(geometry, this.pointMaterial);
        this.layers.points.add(mesh);
        return { point, mesh };
      });
  }

  // The mark of a shape is where it touches.
  mark(point, place) {
    if (point.shape) this.points.find((entry) => entry.point === point)?.mesh.position.set(...place);
  }

  closureLines() {
    // Closures of directions and of gears have no place.
    this.joined = this.run.closures.filter(({ kind }) => !["axis", "gear"].includes(kind));
    const count = this.joined.length;
    this.closureMaterial = new LineDashedMaterial({
      dashSize: this.extent.size * 0.02,
      gapSize: this.extent.size * 0.012,
      depthTest: false,
    });
    this.closureDots = new PointsMaterial({
      size: 9,
      sizeAttenuation: false,
      map: disc(true),
      transparent: true,
      depthTest: false,
    });
    this.closureGeometry = new BufferGeometry();
    this.closureGeometry.setAttribute("position", new Float32BufferAttribute(new Float32Array(6 * count), 3));
    this.closureLine = new LineSegments(this.closureGeometry, this.closureMaterial);
    const dots = new Points(this.closureGeometry, this.closureDots);
    for (const object of [this.closureLine, dots]) {
      object.frustumCulled = false;
      if (count > 0) this.layers.closures.add(object);
    }
  }

  eventMarks() {
    const shown = this.run.events.filter(
      (event) => isAtPoint(event) && event.position.every(Number.isFinite),
    );
    this.marked = Float64Array.from(shown, (event) => event.t);
    this.markedEvents = shown;
    const geometry = new BufferGeometry();
    geometry.setAttribute(
      "position",
      new Float32BufferAttribute(
        shown.flatMap((event) => event.position),
        3,
      ),
    );
    geometry.setAttribute("color", new Float32BufferAttribute(new Float32Array(3 * shown.length), 3));
    const material = new PointsMaterial({
      size: 11,
      sizeAttenuation: false,
      map: disc(false),
      vertexColors: true,
      transparent: true,
      depthTest: false,
    });
    this.markPoints = new Points(geometry, material);
    this.markPoints.frustumCulled = false;
    this.markPoints.renderOrder = 3;
    this.flash = new Sprite(
      new SpriteMaterial({ map: disc(true), transparent: true, depthTest: false, sizeAttenuation: false }),
    );
    this.flash.renderOrder = 4;
    this.flash.visible = false;
    this.layers.events.add(this.markPoints, this.flash);
  }

  prepareImpulses() {
    this.pushes = this.run.events.filter(
      (event) => isAtPoint(event) && event.impulse > 0 && Array.isArray(event.impulse_vector),
    );
    this.pushTimes = Float64Array.from(this.pushes, (event) => event.t);
    this.mostImpulse = this.pushes.reduce((most, event) => Math.max(most, event.impulse), 0);
  }

  prepareForces() {
    const { run } = this;
    this.held = [];
    this.mostForce = 0;
    for (const { point } of this.points) {
      const columns = vectorOf(run, "force", point);
      if (!columns) continue;
      this.held.push({ point, columns, place: vectorOf(run, "place", point) });
      for (let row = 0; row < run.rows; row += Math.max(1, Math.floor(run.rows / 2000))) {
        const size = Math.hypot(...columns.map((column) => column.values[row]));
        if (size > this.mostForce) this.mostForce = size;
      }
    }
  }

  arrow(layer, index) {
    const pool = this.arrows[layer];
    while (pool.length <= index) {
      // A force acts on the surface of a shape, and its arrow is inside: it is seen through that.
      const material = new MeshBasicMaterial({ transparent: true, depthTest: layer !== "forces" });
      const r = this.extent.size * 0.006;
      const shaft = new Mesh(new CylinderGeometry(r, r, 1, 12).translate(0, 0.5, 0), material);
      const head = new Mesh(new ConeGeometry(r * 3, r * 8, 18).translate(0, r * 4, 0), material);
      const group = new Group();
      group.add(shaft, head);
      group.renderOrder = 2;
      this.layers[layer].add(group);
      pool.push({ group, shaft, head, material, tip: r * 8 });
    }
    return pool[index];
  }

  setArrow(layer, index, from, vector, length, colour, opacity) {
    const { group, shaft, head, material, tip } = this.arrow(layer, index);
    group.visible = true;
    group.position.set(...from);
    group.quaternion.setFromUnitVectors(UP, new Vector3(...vector).normalize());
    shaft.scale.set(1, Math.max(length - tip, 1e-6), 1);
    head.position.set(0, Math.max(length - tip, 0), 0);
    material.color.set(colour);
    material.opacity = opacity;
  }

  hideArrows(layer, from) {
    for (let i = from; i < this.arrows[layer].length; i++) this.arrows[layer][i].group.visible = false;
  }

  /** Shows or hides the path of a traceable point. */
  setTrace(index, on) {
    const known = this.traces.get(index);
    if (known) known.group.visible = on;
    else if (on && this.run.rows > 1) this.makeTrace(index);
  }

  makeTrace(index) {
    this.times ??= sampleTimes(this.run);
    const { times } = this;
    const positions = new Float32Array(3 * times.length);
    const p = [0, 0, 0];
    for (let i = 0; i < times.length; i++) {
      this.kin.at(times[i]);
      positions.set(placeOfTrace(this.kin, this.traceable[index], p), 3 * i);
    }
    const group = new Group();
    const colour = seriesColour(index);
    const faint = new LineBasicMaterial({ color: colour, transparent: true, opacity: 0.25 });
    const whole = new Line(
      new BufferGeometry().setAttribute("position", new Float32BufferAttribute(positions, 3)),
      faint,
    );
    const material = new LineMaterial({ linewidth: 1.8, color: colour, transparent: true, opacity: 0.9 });
    const past = new Line2(new LineGeometry().setPositions(positions), material);
    // From the last sample to where the point is.
    const tip = new Line2(new LineGeometry().setPositions([0, 0, 0, 0, 0, 0]), material);
    for (const line of [whole, past, tip]) line.frustumCulled = false;
    group.add(whole, past, tip);
    this.layers.traces.add(group);
    this.traces.set(index, { group, past, tip, positions, materials: [faint, material] });
  }

  update(t, speed, playing) {
    const { kin } = this;
    const p = [0, 0, 0];
    for (const { point, mesh } of this.points) mesh.position.set(...kin.point(point.body, point.xyz, p));
    this.shapes.update();
    this.updateClosures(p);
    const shown = lastAtOrBelow(this.marked, t + 1e-12) + 1;
    this.markPoints.geometry.setDrawRange(0, shown);
    this.updateFlash(t, speed, playing, shown);
    this.updateImpulses(t, speed, playing);
    this.updateForces(t, p);
    if (this.times) {
      const passed = Math.max(0, lastAtOrBelow(this.times, t));
      for (const [index, { group, past, tip, positions }] of this.traces) {
        if (!group.visible) continue;
        past.geometry.instanceCount = passed;
        placeOfTrace(kin, this.traceable[index], p);
        const start = tip.geometry.getAttribute("instanceStart");
        start.data.array.set([
          positions[3 * passed],
          positions[3 * passed + 1],
          positions[3 * passed + 2],
          p[0],
          p[1],
          p[2],
        ]);
        start.data.needsUpdate = true;
      }
    }
  }

  updateClosures(p) {
    if (this.joined.length === 0) return;
    const position = this.closureGeometry.getAttribute("position");
    this.joined.forEach((closure, i) => {
      this.kin.point(closure.body_a ?? -1, closure.xyz_a ?? [0, 0, 0], p);
      position.setXYZ(2 * i, ...p);
      this.kin.point(closure.body_b ?? -1, closure.xyz_b ?? [0, 0, 0], p);
      position.setXYZ(2 * i + 1, ...p);
    });
    position.needsUpdate = true;
    this.closureLine.computeLineDistances();
  }

  // A ring that opens when time passes an event.
  updateFlash(t, speed, playing, shown) {
    const event = this.markedEvents[shown - 1];
    const lasts = 0.45 * speed;
    const age = event ? (t - event.t) / lasts : 2;
    this.flash.visible = playing && age >= 0 && age < 1;
    if (!this.flash.visible) return;
    this.flash.position.set(...event.position);
    this.flash.scale.setScalar(0.02 + 0.08 * Math.sqrt(age));
    this.flash.material.opacity = 1 - age;
    this.flash.material.color.set(eventColour(event.event));
  }

  updateImpulses(t, speed, playing) {
    const step = this.run.rows > 1 ? (this.run.end - this.run.start) / (this.run.rows - 1) : 0;
    const lasts = playing ? Math.max(0.7 * speed, step) : Math.max(0.012 * (this.run.end - this.run.start), 1.5 * step);
    const last = lastAtOrBelow(this.pushTimes, t + 1e-12);
    let used = 0;
    for (let i = last; i >= 0 && used < MOST_ARROWS && t - this.pushTimes[i] < lasts; i--) {
      const event = this.pushes[i];
      const length = this.extent.size * 0.42 * Math.sqrt(event.impulse / this.mostImpulse);
      const fade = 1 - Math.max(0, t - event.t) / lasts;
      this.setArrow(
        "impulses",
        used++,
        event.position,
        event.impulse_vector,
        length,
        this.colours().impulse,
        0.25 + 0.75 * fade,
      );
    }
    this.hideArrows("impulses", used);
  }

  updateForces(t, p) {
    let used = 0;
    for (const held of this.held) {
      const force = held.columns.map((column) => valueAt(this.run, column, t));
      const size = lengthOf(force);
      if (!(size > 1e-4 * this.mostForce) || used >= MOST_ARROWS) continue;
      placeOfForce(this.run, this.kin, held, t, p);
      this.mark(held.point, p);
      this.setArrow(
        "forces",
        used++,
        p,
        force,
        this.extent.size * 0.3 * Math.sqrt(size / this.mostForce),
        this.colours().force,
        0.95,
      );
    }
    this.hideArrows("forces", used);
  }

  colour() {
    const colours = this.colours();
    this.pointMaterial.color.set(colours.point);
    this.shapes.colour(colours.point);
    this.closureMaterial.color.set(colours.closure);
    this.closureDots.color.set(colours.closure);
    for (const [index, { materials }] of this.traces)
      for (const material of materials) material.color.set(seriesColour(index));
    const attribute = this.markPoints.geometry.getAttribute("color");
    const colour = new Color();
    this.markedEvents.forEach((event, i) => {
      colour.set(eventColour(event.event));
      attribute.setXYZ(i, colour.r, colour.g, colour.b);
    });
    attribute.needsUpdate = true;
  }
}
