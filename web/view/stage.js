// SPDX-License-Identifier: Apache-2.0
// The robot in space: the view of reports on a robot that is computed now, with what belongs to its dynamics drawn on
// it, and a pointer that takes hold of links.

import {
  BufferGeometry,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Plane,
  Quaternion,
  Raycaster,
  SphereGeometry,
  Vector2,
  Vector3,
} from "three";
import { readRun } from "../src/data.js";
import { Box, LARGEST, cross, dot, measure, unitOf } from "../src/extent.js";
import { compose, makeKinematics } from "../src/kinematics.js";
import { Robot } from "../src/robot.js";
import { View } from "../src/scene.js";
import { isDark, sceneColours } from "../src/theme.js";
import { Walls } from "../src/walls.js";
import { Arcs, reachOfArc } from "./arcs.js";
import { eigen3 } from "./matrix.js";
import { Swing } from "./motion.js";
import { quaternionOf } from "./subject.js";

const FORMATS = ["stl", "obj", "dae"];
const MOST_MESH_SHAPES = 4000;

// The name of a mesh file behind its folders.
export const baseName = (name) => name.split(/[\\/]/).pop().toLowerCase();

function shapeOf(shape, meshes) {
  const { kind, size, xyz, rpy, color, collision } = shape;
  const common = { kind, xyz, quat: quaternionOf(rpy), color: color ?? null, ...(collision ? { collision } : {}) };
  if (kind === "box") return { ...common, size };
  if (kind === "cylinder") return { ...common, radius: size[0], length: size[1] };
  if (kind === "sphere") return { ...common, radius: size[0] };
  const mesh = kind === "mesh" ? meshes.find(shape.file) : -1;
  return mesh >= 0 ? { ...common, mesh, scale: size } : null;
}

/** The mesh files that the page has: those that came with the robot and those that were dropped. */
export class MeshFiles {
  constructor() {
    this.files = [];
    this.missing = new Set();
  }
  add(name, format, data) {
    if (FORMATS.includes(format)) this.files.push({ name, format, data });
  }
  find(name) {
    const exact = this.files.findIndex((file) => file.name === name);
    const found = exact >= 0 ? exact : this.files.findIndex((file) => baseName(file.name) === baseName(name));
    if (found < 0) this.missing.add(name);
    return found;
  }
}

// An ellipsoid that dwarfs the shapes of its link tells of a wrong inertia, and would be all that is seen.
function isOdd({ mass, ellipsoid, shapes }) {
  const sizes = shapes.flatMap(({ kind, size, radius, length }) =>
    kind === "mesh" ? [Infinity] : [radius, length, ...(size ?? [])],
  );
  const largest = Math.max(...sizes.filter((x) => x !== undefined));
  return !(mass > 0) || Math.max(...(ellipsoid?.half_axes ?? [0])) > 5 * largest;
}

// Links are drawn from their visual shapes, else from those for collision.
function documentOf(subject, meshes) {
  const drawing = subject.robot.drawing();
  const byBody = new Map();
  for (const shape of subject.robot.shapes().slice(0, MOST_MESH_SHAPES)) {
    if (!byBody.has(shape.body)) byBody.set(shape.body, { visual: [], collision: [] });
    const drawn = shapeOf(shape, meshes);
    if (drawn) byBody.get(shape.body)[shape.collision ? "collision" : "visual"].push(drawn);
  }
  drawing.model.bodies.forEach((body, i) => {
    const own = byBody.get(i + 1);
    body.shapes = own ? (own.visual.length > 0 ? own.visual : own.collision) : [];
    if (body.shapes.length > 0 && isOdd(body)) body.ellipsoid = null;
  });
  drawing.model.meshes = meshes.files;
  return drawing;
}

function quaternionOfMatrix(R, at, out, to) {
  const m = R.subarray(at, at + 9);
  const four = [1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8], 1 - m[0] - m[4] + m[8], 1 + m[0] + m[4] + m[8]];
  let k = 3;
  for (let i = 0; i < 3; i++) if (four[i] > four[k]) k = i;
  const s = 0.5 / Math.sqrt(four[k]);
  const rows = [
    [four[0], m[1] + m[3], m[2] + m[6], m[7] - m[5]],
    [m[1] + m[3], four[1], m[5] + m[7], m[2] - m[6]],
    [m[2] + m[6], m[5] + m[7], four[2], m[3] - m[1]],
    [m[7] - m[5], m[2] - m[6], m[3] - m[1], four[3]],
  ];
  for (let i = 0; i < 4; i++) out[to + i] = s * rows[k][i];
}

// A place of a motion, or the nearest to it that is not far from these: a robot that can reach far is not drawn tiny.
function nearOf(places) {
  const box = new Box();
  for (let i = 0; i < places.length; i += 3) box.add(places.slice(i, i + 3));
  const more = 0.45 * box.diagonal;
  return (x, k) => Math.min(Math.max(x, box.low[k] - more), box.high[k] + more);
}

// Kinematics whose poses the library computes: those of the subject, as it is now.
function liveKinematics(run, subject) {
  const kin = makeKinematics(run);
  const world = Float64Array.of(0, 0, 0, 0, 0, 0, 1);
  const fill = () => {
    const { poses, frames, bodies } = kin;
    for (const { index, parent, origin } of bodies) {
      const at = 7 * index;
      poses.set(subject.p.subarray(3 * (index + 1), 3 * (index + 1) + 3), at);
      quaternionOfMatrix(subject.R, 9 * (index + 1), poses, at + 3);
      compose(parent < 0 ? world : poses, parent < 0 ? 0 : 7 * parent, origin, 0, frames, at);
    }
    return poses;
  };
  return Object.assign(kin, { at: fill, atRow: fill });
}

export class Stage {
  constructor(canvas, subject, meshes) {
    this.canvas = canvas;
    this.subject = subject;
    subject.poses();
    this.run = readRun({ ...documentOf(subject, meshes), title: subject.name });
    if (!this.run.model) throw new Error("it has no links");
    this.kin = liveKinematics(this.run, subject);
    const { diagonal } = measure(this.run, this.kin).motion;
    if (!(diagonal <= LARGEST)) throw new Error(`the robot is ${diagonal.toPrecision(3)} m large, too large to be drawn`);
    this.view = new View(canvas, this.run, this.kin);
    this.view.room = () => this.covered();
    const { size, up } = this.view.extent;
    this.size = size;
    this.up = up;
    subject.size = size;
    const { motion } = this.view.extent;
    this.low = Math.min(0, dot(motion.centre, up) - dot(motion.size, up.map(Math.abs)) / 2); // of the ground
    this.survey();
    this.arcs = new Arcs(this.arcPlaces(), size);
    this.extra = new Group();
    this.view.scene.add(this.arcs.group, this.extra);
    this.makeMarks();
    this.ray = new Raycaster();
    this.pins = [];
    this.selected = -1;
    const draw = this.view.draw.bind(this.view);
    this.view.draw = (sharp) => {
      this.ghost?.kin.at();
      this.ghost?.robot.update();
      draw(sharp);
      this.placePins();
    };
  }

  // The buttons below and the note above cover a part of the picture.
  covered() {
    const box = this.canvas.closest(".stage");
    const high = (selector) => box?.querySelector(selector)?.offsetHeight ?? 0;
    return { above: high(".note"), below: high(".motion") };
  }

  // The first view has room for the robot where a motion takes it, not only for how it is now.
  survey() {
    const { subject, view } = this;
    const swing = new Swing(subject);
    const q = subject.q.slice();
    const places = [...view.places, ...this.placesOfArcs()];
    const near = nearOf(places);
    for (let i = 0; swing.possible && i < 6; i++) {
      if (swing.advance(i === 0 ? 1.3 : 1.1) === false) break;
      subject.poses();
      view.measureShapes(); // links are not placed yet: their shapes are in their own frames
      view.places.forEach((x, k) => places.push(near(x, k % 3)));
    }
    subject.goTo(q);
    subject.v.fill(0);
    subject.a.fill(0);
    subject.poses();
    view.places = places;
    view.fitted = view.fitBox();
    view.fit();
  }

  // How far arcs and arrows of torques reach about their joints.
  placesOfArcs() {
    const places = [];
    this.kin.at();
    for (const place of this.arcPlaces()) {
      if (!place) continue;
      const at = this.kin.poses.subarray(7 * place.body, 7 * place.body + 3);
      const reach = reachOfArc(place.turns) * this.size;
      for (let k = 0; k < 3; k++)
        for (const side of [-reach, reach]) places.push(...at.map((x, i) => (i === k ? x + side : x)));
    }
    return places.every(Number.isFinite) ? places : [];
  }

  // Where the axis of each effort is; those of free joints have no arc.
  arcPlaces() {
    return this.subject.efforts.map(({ joint }) => {
      const body = joint ? this.kin.bodies.find(({ joint: own }) => own.name === joint.name) : null;
      if (!body || !["revolute", "continuous", "prismatic"].includes(body.joint.type)) return null;
      return { body: body.index, axis: body.joint.axis, turns: body.joint.type !== "prismatic" };
    });
  }

  makeMarks() {
    const { size } = this;
    this.com = new Group();
    this.comBall = new Mesh(
      new SphereGeometry(0.018 * size, 24, 16),
      new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }),
    );
    this.comBall.renderOrder = 6;
    this.comLine = this.line(2);
    this.com.add(this.comBall, this.comLine);
    this.com.visible = false;
    this.ellipsoid = new Mesh(
      new SphereGeometry(1, 40, 24),
      new MeshStandardMaterial({ transparent: true, opacity: 0.28, depthWrite: false, roughness: 0.7 }),
    );
    this.ellipsoid.visible = false;
    this.band = this.line(2);
    this.band.visible = false;
    this.grip = new Mesh(
      new SphereGeometry(0.012 * size, 20, 14),
      new MeshBasicMaterial({ depthTest: false, transparent: true }),
    );
    this.grip.renderOrder = 7;
    this.grip.visible = false;
    this.glow = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.05 });
    // Behind the robot itself where both are in one place.
    const behind = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 };
    this.haze = new MeshStandardMaterial({ transparent: true, opacity: 0.3, depthWrite: false, ...behind });
    this.extra.add(this.com, this.ellipsoid, this.band, this.grip);
    this.recolourMarks();
  }

  line(points) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(new Float32Array(3 * points), 3));
    const line = new Line(geometry, new LineBasicMaterial({ depthTest: false, transparent: true }));
    line.frustumCulled = false;
    line.renderOrder = 6;
    return line;
  }

  setLine(line, a, b) {
    const position = line.geometry.getAttribute("position");
    position.setXYZ(0, ...a);
    position.setXYZ(1, ...b);
    position.needsUpdate = true;
  }

  recolourMarks() {
    const dark = isDark();
    this.comBall.material.color.set(dark ? "#e3bd3d" : "#b08a00");
    this.comLine.material.color.set(dark ? "#e3bd3d" : "#b08a00");
    this.ellipsoid.material.color.set(dark ? "#bd93f4" : "#8a56c9");
    for (const part of [this.band, this.grip]) part.material.color.set(dark ? "#ff9a62" : "#d9622b");
    this.haze.color.set(dark ? "#58cf9c" : "#2a9d6e");
    this.glow.color.set(dark ? "#ffb37d" : "#e9834f");
  }

  recolour() {
    this.view.recolour();
    this.recolourMarks();
  }

  /** Torques: shares of their limits, or of the largest. */
  showEfforts(tau) {
    const { efforts } = this.subject;
    const most = { true: 1e-9, false: 1e-9 };
    efforts.forEach(({ turns, limit }, i) => {
      if (!limit) most[turns] = Math.max(most[turns], Math.abs(tau[i]));
    });
    this.kin.at();
    efforts.forEach(({ turns, limit }, i) =>
      this.arcs.set(i, this.kin, tau[i] / (limit ?? 1.3 * most[turns]), Boolean(limit)),
    );
  }

  showCentre(centre, on) {
    this.com.visible = on && Boolean(centre);
    if (!this.com.visible) return;
    this.comBall.position.set(...centre);
    const drop = dot(centre, this.up) - this.low;
    this.setLine(
      this.comLine,
      centre,
      centre.map((x, i) => x - drop * this.up[i]),
    );
  }

  /** The ellipsoid of the velocities that a frame can have: J J^T of its position. */
  showManipulability(JJ, at, on) {
    this.ellipsoid.visible = on && Boolean(JJ);
    if (!this.ellipsoid.visible) return;
    const { values, vectors } = eigen3(JJ);
    const half = values.map((x) => Math.sqrt(Math.max(x, 0)));
    const scale = (0.22 * this.size) / Math.max(...half, 1e-12);
    const m = new Matrix4().makeBasis(...[0, 1, 2].map((k) => new Vector3(vectors[k], vectors[3 + k], vectors[6 + k])));
    if (m.determinant() < 0)
      m.makeBasis(
        ...[0, 1, 2].map((k) => new Vector3(vectors[k], vectors[3 + k], vectors[6 + k]).multiplyScalar(k ? 1 : -1)),
      );
    this.ellipsoid.quaternion.copy(new Quaternion().setFromRotationMatrix(m));
    this.ellipsoid.scale.set(...half.map((x) => Math.max(x * scale, 0.002 * this.size)));
    this.ellipsoid.position.set(...at);
  }

  /** A second robot, translucent, where the first is; null: none. */
  setGhost(other, meshes) {
    if (this.ghost) this.view.scene.remove(this.ghost.robot.group);
    this.ghost = null;
    if (other) {
      other.poses();
      const run = readRun(documentOf(other, meshes));
      const kin = liveKinematics(run, other);
      const robot = new Robot(run, kin, this.view.extent, sceneColours);
      robot.group.traverse((part) => {
        if (part.isMesh) part.material = this.haze;
      });
      for (const part of robot.ellipsoids) part.visible = false;
      this.view.scene.add(robot.group);
      this.ghost = { other, kin, robot };
    }
    this.view.request();
  }

  setWalls(walls) {
    const { view } = this;
    view.scene.remove(view.walls.group);
    this.run.walls = walls;
    view.walls = new Walls(walls, view.extent, sceneColours);
    view.scene.add(view.walls.group);
    view.walls.colour();
    (view.ground?.group ?? view.grid).visible = walls.length === 0;
  }

  /** Shows the whole robot, as it is now. */
  fit() {
    const { view, run, kin } = this;
    this.subject.poses();
    view.extent.motion = measure(run, kin).motion;
    for (const link of view.robot.links) {
      link.position.set(0, 0, 0); // shapes are measured in the frames of their links
      link.quaternion.identity();
    }
    view.measureShapes();
    view.fitted = view.fitBox();
    view.fit();
  }

  /** A floor below the robot as it is now and, if wanted, a wall before it. */
  wallsAround(withWall) {
    const { up, size } = this;
    const ahead = unitOf(cross(up, Math.abs(up[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0])).map((x) => -x);
    const plane = (name, normal, reach) => {
      const at = -reach - 0.02 * size;
      return {
        name,
        kind: "plane",
        centre: normal.map((x) => x * at),
        normal: [...normal],
        restitution: 0.3,
        friction: 0.6,
      };
    };
    const floor = plane("floor", up, this.reach(up.map((x) => -x)));
    return withWall ? [floor, plane("wall", ahead, this.reach(ahead.map((x) => -x)))] : [floor];
  }

  /** How far the robot reaches along a direction now. */
  reach(direction) {
    const along = new Vector3(...direction);
    const p = new Vector3();
    let most = -Infinity;
    this.view.draw();
    for (const link of this.view.robot.links)
      link.traverse((part) => {
        const position = part.isMesh && part.visible ? part.geometry.getAttribute("position") : null;
        if (!position || position.count > 200000) return;
        const step = Math.max(1, Math.floor(position.count / 3000));
        for (let i = 0; i < position.count; i += step)
          most = Math.max(most, p.fromBufferAttribute(position, i).applyMatrix4(part.matrixWorld).dot(along));
      });
    return Number.isFinite(most) ? most : 0;
  }

  // -- pointer

  aim(event) {
    const box = this.canvas.getBoundingClientRect();
    const point = new Vector2(
      ((event.clientX - box.left) / box.width) * 2 - 1,
      1 - ((event.clientY - box.top) / box.height) * 2,
    );
    this.view.camera.updateMatrixWorld();
    this.ray.setFromCamera(point, this.view.camera);
    return this.ray;
  }

  /** The link under the pointer: index of its body, the place, the same in the link's frame. */
  pick(event) {
    this.aim(event);
    const { robot } = this.view;
    const solid = [];
    robot.links.forEach((link, body) =>
      link.children.forEach((part) => {
        if (
          part.visible &&
          !robot.triads.includes(part) &&
          !(robot.ellipsoids.includes(part) && link.children.length > 2)
        )
          solid.push({ part, body });
      }),
    );
    let best = null;
    for (const { part, body } of solid) {
      const [hit] = this.ray.intersectObject(part, true);
      if (hit && (!best || hit.distance < best.distance))
        best = { distance: hit.distance, body, point: hit.point.toArray() };
    }
    if (!best) return null;
    const link = robot.links[best.body];
    best.local = link.worldToLocal(new Vector3(...best.point)).toArray();
    return best;
  }

  /** Where the pointer is in the plane through a point that faces the camera. */
  onPlane(event, through) {
    const normal = this.view.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, new Vector3(...through));
    const hit = this.aim(event).ray.intersectPlane(plane, new Vector3());
    return hit ? hit.toArray() : null;
  }

  showBand(from, to) {
    const on = Boolean(from && to);
    this.band.visible = this.grip.visible = on;
    if (!on) return;
    this.setLine(this.band, from, to);
    this.grip.position.set(...to);
  }

  /** Lights up a link. */
  select(body) {
    if (body === this.selected) return;
    this.selected = body;
    this.view.robot.links.forEach((link, i) =>
      link.traverse((part) => {
        if (!part.isMesh || this.view.robot.ellipsoids.includes(part)) return;
        part.userData.own ??= part.material;
        part.material = i === body ? this.glow : part.userData.own;
      }),
    );
    this.view.request();
  }

  // -- pins: buttons that stand at links

  setPins(holder, pins) {
    this.pins = pins;
    holder.replaceChildren(...pins.map(({ element }) => element));
    this.placePins();
  }

  placePins() {
    const { clientWidth: wide, clientHeight: high } = this.canvas;
    const p = new Vector3();
    const out = [0, 0, 0];
    for (const { body, element } of this.pins) {
      const { given } = this.kin.bodies[body];
      p.set(...this.kin.point(body, given.mass > 0 ? (given.com ?? [0, 0, 0]) : [0, 0, 0], out)).project(
        this.view.camera,
      );
      const on = p.z < 1 && Math.abs(p.x) <= 1 && Math.abs(p.y) <= 1;
      element.style.display = on ? "" : "none";
      if (on) element.style.transform = `translate(${((p.x + 1) / 2) * wide}px, ${((1 - p.y) / 2) * high}px)`;
    }
  }

  dispose() {
    this.view.controls.dispose();
    this.view.renderer.dispose();
    this.view.renderer.forceContextLoss();
    if (this.view.frame) cancelAnimationFrame(this.view.frame);
  }
}
