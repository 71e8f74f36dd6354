// SPDX-License-Identifier: Apache-2.0
// The 3D replay: a view on the robot, its walls and marks at one moment. Draws only when something has changed.

import {
  Box3,
  MOUSE,
  NeutralToneMapping,
  OrthographicCamera,
  PCFShadowMap,
  PerspectiveCamera,
  Raycaster,
  Scene,
  TOUCH,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Box, added, cross, dot, measure, scaled, unitOf } from "./extent.js";
import { Ground } from "./ground.js";
import { Markers } from "./markers.js";
import { Resolution } from "./resolution.js";
import { Robot } from "./robot.js";
import { sceneColours } from "./theme.js";
import { Walls, frameOf, isWhole } from "./walls.js";

const ANGLE = 32; // degrees of the perspective view, as of a short telephoto lens
const MARGIN = 1.08;

const cornersOf = (low, high) =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [0, 1, 2].map((k) => (i & (1 << k) ? high[k] : low[k])));

// Middle of what is seen of places (x, y, z one after the other), across the view at the target's distance.
function boundsOf(places, target, right, top, back, distance) {
  const low = [Infinity, Infinity];
  const high = [-Infinity, -Infinity];
  const p = new Vector3();
  for (let i = 0; i < places.length; i += 3) {
    p.fromArray(places, i).sub(target);
    const nearer = distance === Infinity ? 1 : distance / Math.max(distance - p.dot(back), 1e-3 * distance);
    [p.dot(right) * nearer, p.dot(top) * nearer].forEach((x, k) => {
      low[k] = Math.min(low[k], x);
      high[k] = Math.max(high[k], x);
    });
  }
  return { x: (low[0] + high[0]) / 2, y: (low[1] + high[1]) / 2 };
}

// How far from the target a camera of such a slope sees all places; without one, half the height of the picture.
function reachOf(places, target, right, top, back, aspect, slope) {
  let need = 0;
  const p = new Vector3();
  for (let i = 0; i < places.length; i += 3) {
    p.fromArray(places, i).sub(target);
    const half = Math.max(Math.abs(p.dot(top)), Math.abs(p.dot(right)) / aspect);
    need = Math.max(need, slope > 0 ? p.dot(back) + half / slope : half);
  }
  return need;
}

// Is the picture computed by the processor? It has no time for shadows.
function isSoftware(gl) {
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class View {
  constructor(canvas, run, kin, others = []) {
    Object.assign(this, { canvas, run, kin });
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.pace = new Resolution(this.renderer.getContext(), () => this.draw());
    this.extent = measure(run, kin);
    this.scene = new Scene();
    this.robot = new Robot(run, kin, this.extent, sceneColours);
    this.measureShapes();
    this.ghosts = others
      .filter((other) => other.run.model)
      .map((other) => ({ kin: other.kin, robot: new Robot(other.run, other.kin, this.extent, sceneColours, true) }));
    this.marks = new Markers(run, kin, this.extent, sceneColours);
    this.walls = new Walls(run.walls, this.extent, sceneColours);
    this.ground = new Ground(run, kin, this.extent, this.robot, this.places);
    this.scene.add(this.robot.group, this.marks.group, this.walls.group, this.ground.group, ...this.ground.lights);
    for (const { robot } of this.ghosts) this.scene.add(robot.group);
    for (const plane of this.walls.planes) plane.group.add(this.ground.shadowOn([0, 0, 0], [0, 0, 1], plane.wide));
    this.castShadows();
    this.fitted = this.fitBox();
    this.following = false;
    this.room = () => ({ above: 0, below: 0 }); // pixels of the picture that are covered
    this.shift = 0;
    this.time = run.start;
    this.speed = 1;
    this.playing = false;
    this.frame = 0;
    this.cameras();
    this.look(this.extent.normal ? "plane" : "oblique");
    this.marks.traceable.forEach((entry, i) => entry.end && this.marks.setTrace(i, true));
    this.recolour();
  }

  // Shadows cost a second drawing of the robot: only where it moves is it made.
  castShadows() {
    const { renderer } = this;
    renderer.toneMapping = NeutralToneMapping;
    renderer.shadowMap.enabled = !this.extent.normal && !isSoftware(renderer.getContext());
    renderer.shadowMap.type = PCFShadowMap;
    renderer.shadowMap.autoUpdate = false;
    this.caster = new Raycaster();
  }

  /** Casts shadows or not, whatever draws the picture. */
  setShadows(on) {
    this.renderer.shadowMap.enabled = on;
    this.scene.traverse(({ material }) => material && [material].flat().forEach((one) => (one.needsUpdate = true)));
    this.draw();
  }

  /** The link under a place of the canvas, in pixels of the page; -1: none. */
  linkAt(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    this.caster.setFromCamera(at, this.camera);
    return this.robot.pick(this.caster);
  }

  light(body) {
    this.robot.light(body);
    this.request();
  }

  // Shapes reach further than joints: the box of the motion is widened by the corners of every link's own box.
  measureShapes() {
    const { run, kin, robot, extent } = this;
    const corners = robot.links.map((link) => {
      const box = new Box3();
      link.updateMatrixWorld(true);
      for (const part of link.children) if (part.visible && !robot.triads.includes(part)) box.expandByObject(part);
      return box.isEmpty() ? [] : cornersOf(box.min.toArray(), box.max.toArray());
    });
    const step = Math.max(1, Math.floor(run.rows / 120));
    const p = [0, 0, 0];
    const places = [];
    for (let row = 0; row < Math.max(1, run.rows); row += step) {
      kin.atRow(row);
      corners.forEach((list, body) =>
        list.forEach((corner) => {
          kin.point(body, corner, p);
          if (!p.every(Number.isFinite)) return;
          extent.motion.add(p);
          places.push(...p);
        }),
      );
    }
    this.places = places;
  }

  // The motion and every wall that ends somewhere and is not much larger.
  fitBox() {
    const { motion, size } = this.extent;
    const box = new Box();
    const include = (p) => {
      if (!p.every(Number.isFinite)) return;
      box.add(p);
      this.places.push(...p);
    };
    box.add(motion.low, size * 0.04);
    box.add(motion.high, size * 0.04);
    if (box.empty) box.add([0, 0, 0], 1);
    const most = Math.max(motion.diagonal, size) * 4;
    // Of a plane, which is endless, the place nearest to the motion.
    for (const wall of this.run.walls.filter(({ kind }) => kind === "plane")) {
      const { centre, z } = frameOf(wall);
      const height = dot(added(motion.centre, scaled(centre, -1)), z);
      if (Math.abs(height) < most / 3) include(added(motion.centre, scaled(z, -height)));
    }
    for (const wall of this.run.walls.filter(isWhole)) {
      const reach = wall.radius ?? (wall.ring ? wall.ring + wall.tube : Math.max(...(wall.semi_axes ?? [Infinity])));
      if (!(reach < most)) continue;
      const { centre, x, y, z } = frameOf(wall);
      const endless = ["circle", "ellipse", "cylinder"].includes(wall.kind);
      const depth = dot(added(motion.centre, scaled(centre, -1)), z);
      const middle = endless ? added(centre, scaled(z, depth)) : centre;
      const [a, b, c] = wall.kind === "torus" ? [reach, reach, wall.tube] : (wall.semi_axes ?? [reach, reach, reach]);
      const half = [0, 1, 2].map((i) => Math.hypot(a * x[i], b * y[i], endless ? 0 : (c ?? 0) * z[i]));
      for (const corner of cornersOf(added(middle, scaled(half, -1)), added(middle, half))) include(corner);
    }
    return box;
  }

  cameras() {
    const up = new Vector3(...this.extent.up);
    this.perspective = new PerspectiveCamera(ANGLE, 1, 0.01, 100);
    this.orthographic = new OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
    for (const camera of [this.perspective, this.orthographic]) camera.up.copy(up);
    this.camera = this.perspective;
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.request());
    this.controls.addEventListener("start", () => (this.whole = false));
  }

  /** Looks from a named side: oblique, front, side, top, plane (that of a planar robot). */
  look(name) {
    const { up, normal } = this.extent;
    const front = unitOf(cross(up, Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]));
    // With z up: front is seen along +y, side along -x.
    const toFront = scaled(front, up[2] > 0.5 ? -1 : up[1] > 0.5 ? -1 : 1);
    const toSide = cross(up, toFront);
    const from = {
      front: toFront,
      side: toSide,
      top: added(up, scaled(toFront, 1e-4)),
      plane: normal ? (Math.abs(dot(normal, up)) > 0.9 ? added(normal, scaled(toFront, 1e-4)) : normal) : toFront,
      oblique: unitOf(added(added(scaled(toFront, 1), scaled(toSide, 0.62)), scaled(up, 0.46))),
    }[name];
    this.looking = name;
    this.direction = unitOf(from);
    this.setCamera(name === "oblique" ? this.perspective : this.orthographic);
    this.controls.enableRotate = name !== "plane";
    this.controls.mouseButtons.LEFT = name === "plane" ? MOUSE.PAN : MOUSE.ROTATE;
    this.controls.touches.ONE = name === "plane" ? TOUCH.PAN : TOUCH.ROTATE;
    this.fit();
  }

  setCamera(camera) {
    this.camera = camera;
    this.controls.object = camera;
  }

  /** Shows the whole motion from where the view looks, whatever the size of the picture, until the view is moved. */
  fit() {
    this.whole = true;
    const box = this.following ? this.boxNow() : this.fitted;
    const target = new Vector3(...box.centre);
    const back = new Vector3(...this.direction);
    const right = new Vector3().crossVectors(this.camera.up, back).normalize();
    const top = new Vector3().crossVectors(back, right);
    const high = Math.max(this.canvas.clientHeight, 1);
    const { above, below } = this.room();
    const free = Math.max(high - above - below, high / 2);
    const aspect = Math.max(this.canvas.clientWidth, 1) / free;
    this.shift = (below - above) / 2;
    const radius = Math.max(this.fitted.diagonal, box.diagonal) * 2;
    let places = this.following ? [] : this.places;
    if (places.length === 0) places = cornersOf(box.low, box.high).flat();
    // From further away than all of it, then as near as the picture has room for, twice, as the middle shifts.
    let distance = 4 * radius;
    for (let pass = 0; pass < 3; pass++) {
      const flat = this.camera === this.orthographic;
      const seen = boundsOf(places, target, right, top, back, flat ? Infinity : distance);
      target.addScaledVector(right, seen.x).addScaledVector(top, seen.y);
      const slope = flat ? 0 : (free / high) * Math.tan((ANGLE * Math.PI) / 360);
      const need = reachOf(places, target, right, top, back, aspect, slope);
      if (flat) this.span = (MARGIN * need * high) / free || 1e-3;
      distance = flat ? radius : MARGIN * need || radius;
    }
    if (this.camera === this.orthographic) {
      this.camera.zoom = 1;
      this.camera.near = -10 * radius;
      this.camera.far = 20 * radius;
    } else {
      this.camera.near = distance / 500;
      this.camera.far = distance + 20 * radius;
    }
    this.camera.position.copy(target).addScaledVector(back, distance);
    this.controls.target.copy(target);
    this.resize();
    this.controls.update();
    this.request();
  }

  /** Looks from where another view does. */
  lookAs(other) {
    this.whole = false;
    this.camera.position.copy(other.camera.position);
    this.camera.zoom = other.camera.zoom;
    this.controls.target.copy(other.controls.target);
    this.controls.update();
    this.request();
  }

  boxNow() {
    const box = new Box();
    const p = [0, 0, 0];
    this.kin.at(this.time);
    for (const { index } of this.kin.bodies) box.add(this.kin.point(index, [0, 0, 0], p), this.extent.size * 0.5);
    return box;
  }

  centreOfMass() {
    const sum = [0, 0, 0];
    const p = [0, 0, 0];
    let mass = 0;
    for (const { index, given } of this.kin.bodies) {
      const m = given.mass > 0 ? given.mass : 0;
      this.kin.point(index, given.com ?? [0, 0, 0], p);
      for (let i = 0; i < 3; i++) sum[i] += m * p[i];
      mass += m;
    }
    return mass > 0 ? scaled(sum, 1 / mass) : this.kin.point(0, [0, 0, 0], p);
  }

  follow(on) {
    this.following = on;
    this.kin.at(this.time);
    this.followed = this.centreOfMass();
    if (on) this.fit();
  }

  setTime(t, speed, playing) {
    Object.assign(this, { time: t, speed, playing });
    this.request();
  }

  setLayer(name, on) {
    if (name === "walls") this.walls.group.visible = this.ground.group.visible = on;
    else if (name === "ellipsoids") for (const mesh of this.robot.ellipsoids) mesh.visible = on;
    else if (name === "ghosts") for (const { robot } of this.ghosts) robot.group.visible = on;
    else if (name === "frames") for (const triad of this.robot.triads) triad.visible = on;
    else this.marks.layers[name].visible = on;
    this.request();
  }

  resize() {
    const { clientWidth: wide, clientHeight: high } = this.canvas;
    if (wide === 0 || high === 0) return;
    this.renderer.setPixelRatio(this.pace.full());
    this.renderer.setSize(wide, high, false);
    this.perspective.aspect = wide / high;
    const span = this.span ?? 1;
    Object.assign(this.orthographic, {
      left: (-span * wide) / high,
      right: (span * wide) / high,
      top: span,
      bottom: -span,
    });
    // The middle of what is not covered is the middle of the view.
    for (const camera of [this.perspective, this.orthographic]) {
      if (this.shift) camera.setViewOffset(wide, high, 0, this.shift, wide, high);
      else camera.clearViewOffset();
    }
    this.request();
  }

  recolour() {
    for (const part of [this.robot, this.marks, this.walls, ...this.ghosts.map(({ robot }) => robot)]) part.colour();
    this.ground.colour(sceneColours());
    this.request();
  }

  request() {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.draw(false));
  }

  /** Draws now; sharp: in full, however long it takes. */
  draw(sharp = true) {
    if (this.frame !== 0) cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.kin.at(this.time);
    this.robot.update();
    for (const { kin, robot } of this.ghosts) {
      kin.at(this.time);
      robot.update();
    }
    if (this.following) {
      const now = this.centreOfMass();
      const shift = new Vector3(...now).sub(new Vector3(...this.followed));
      this.camera.position.add(shift);
      this.controls.target.add(shift);
      this.followed = now;
    }
    this.marks.update(this.time, this.speed, this.playing);
    this.walls.update(this.time);
    this.ground.scaleLabels(this.camera, this.span ?? 1);
    this.ground.shine(this.camera, this.following ? this.boxNow() : this.fitted);
    this.renderer.shadowMap.needsUpdate = this.renderer.shadowMap.enabled;
    const ratio = this.pace.ratio(sharp);
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    this.renderer.render(this.scene, this.camera);
    this.pace.drawn(ratio, sharp);
  }
}
