// The 3D replay: a view on the robot, its walls and marks at one moment. Draws only when something has changed.

import {
  Box3,
  DirectionalLight,
  GridHelper,
  Group,
  HemisphereLight,
  MOUSE,
  OrthographicCamera,
  PerspectiveCamera,
  Quaternion,
  Scene,
  TOUCH,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Box, added, cross, dot, measure, scaled, unitOf } from "./extent.js";
import { Marks } from "./marks.js";
import { Robot } from "./robot.js";
import { sceneColours } from "./theme.js";
import { Walls, frameOf, isWhole } from "./walls.js";

const ANGLE = 32; // degrees of the perspective view, as of a short telephoto lens

export class View {
  constructor(canvas, run, kin) {
    Object.assign(this, { canvas, run, kin });
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.extent = measure(run, kin);
    this.scene = new Scene();
    this.robot = new Robot(run, kin, this.extent, sceneColours);
    this.measureShapes();
    this.marks = new Marks(run, kin, this.extent, sceneColours);
    this.walls = new Walls(run.walls, this.extent, sceneColours);
    this.scene.add(this.robot.group, this.marks.group, this.walls.group, this.makeGrid());
    this.lights();
    this.fitted = this.fitBox();
    this.following = false;
    this.time = run.start;
    this.speed = 1;
    this.playing = false;
    this.frame = 0;
    this.cameras();
    this.look(this.extent.normal ? "plane" : "oblique");
    this.marks.traceable.forEach((entry, i) => entry.end && this.marks.setTrace(i, true));
    this.recolour();
  }

  // Shapes reach further than joints: the box of the motion is widened by the corners of every link's own box.
  measureShapes() {
    const { run, kin, robot, extent } = this;
    const corners = robot.links.map((link) => {
      const box = new Box3();
      link.updateMatrixWorld(true);
      for (const part of link.children) if (part.visible && !robot.triads.includes(part)) box.expandByObject(part);
      return box.isEmpty()
        ? []
        : [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [
            i & 1 ? box.max.x : box.min.x,
            i & 2 ? box.max.y : box.min.y,
            i & 4 ? box.max.z : box.min.z,
          ]);
    });
    const step = Math.max(1, Math.floor(run.rows / 120));
    const p = [0, 0, 0];
    for (let row = 0; row < Math.max(1, run.rows); row += step) {
      kin.atRow(row);
      corners.forEach((list, body) => list.forEach((corner) => extent.motion.add(kin.point(body, corner, p))));
    }
  }

  lights() {
    const { up } = this.extent;
    const sky = new HemisphereLight(0xffffff, 0x9aa1ad, 2.3);
    sky.position.set(...up);
    const sun = new DirectionalLight(0xffffff, 1.9);
    this.sun = sun;
    this.scene.add(sky, sun, sun.target);
  }

  // A ground to see depth by, where there is no plane below.
  makeGrid() {
    const { motion, size, up } = this.extent;
    const wide = Math.max(motion.diagonal, size) * 1.6;
    const cell = 10 ** Math.floor(Math.log10(wide / 4));
    const cells = 2 * Math.ceil(wide / cell / 2);
    this.grid = new Group();
    if (this.run.walls.length > 0 || this.extent.normal || !Number.isFinite(wide)) return this.grid;
    const grid = new GridHelper(cells * cell, cells);
    grid.material.transparent = true;
    grid.material.opacity = 0.5;
    grid.material.vertexColors = false;
    grid.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(...up)));
    const low = dot(motion.centre, up) - dot(motion.size, up.map(Math.abs)) / 2;
    const middle = motion.centre.map((x) => Math.round(x / cell) * cell);
    grid.position.set(...added(middle, scaled(up, Math.min(0, low) - dot(middle, up))));
    this.grid.add(grid);
    this.gridMaterial = grid.material;
    return this.grid;
  }

  // The motion and every wall that ends somewhere and is not much larger.
  fitBox() {
    const { motion, size } = this.extent;
    const box = new Box();
    box.add(motion.low, size * 0.04);
    box.add(motion.high, size * 0.04);
    if (box.empty) box.add([0, 0, 0], 1);
    const most = Math.max(motion.diagonal, size) * 4;
    for (const wall of this.run.walls.filter(isWhole)) {
      const reach = wall.radius ?? (wall.ring ? wall.ring + wall.tube : Math.max(...(wall.semi_axes ?? [Infinity])));
      if (!(reach < most)) continue;
      const { centre, x, y, z } = frameOf(wall);
      const endless = ["circle", "ellipse", "cylinder"].includes(wall.kind);
      const depth = dot(added(motion.centre, scaled(centre, -1)), z);
      const middle = endless ? added(centre, scaled(z, depth)) : centre;
      const [a, b, c] = wall.kind === "torus" ? [reach, reach, wall.tube] : (wall.semi_axes ?? [reach, reach, reach]);
      const half = [0, 1, 2].map((i) => Math.hypot(a * x[i], b * y[i], endless ? 0 : (c ?? 0) * z[i]));
      box.add(added(middle, half));
      box.add(added(middle, scaled(half, -1)));
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

  /** Shows the whole motion from where the view looks. */
  fit() {
    const box = this.following ? this.boxNow() : this.fitted;
    const target = new Vector3(...box.centre);
    const back = new Vector3(...this.direction);
    const right = new Vector3().crossVectors(this.camera.up, back).normalize();
    const top = new Vector3().crossVectors(back, right);
    const aspect = Math.max(this.canvas.clientWidth, 1) / Math.max(this.canvas.clientHeight, 1);
    const half = (v) => box.size.reduce((sum, size, i) => sum + (Math.abs(v.getComponent(i)) * size) / 2, 0) || 1e-3;
    const [wide, high, deep] = [half(right), half(top), half(back)];
    const margin = 1.1;
    const radius = Math.max(this.fitted.diagonal, box.diagonal) * 2;
    let distance;
    if (this.camera === this.orthographic) {
      this.span = margin * Math.max(high, wide / aspect);
      this.camera.zoom = 1;
      distance = radius;
      this.camera.near = -10 * radius;
      this.camera.far = 20 * radius;
    } else {
      const slope = Math.tan((ANGLE * Math.PI) / 360);
      distance = 0.55 * deep + (margin * Math.max(high, wide / aspect)) / slope;
      this.camera.near = distance / 500;
      this.camera.far = distance + 20 * radius;
    }
    this.camera.position.copy(target).addScaledVector(back, distance);
    this.controls.target.copy(target);
    this.resize();
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
    if (name === "walls") this.walls.group.visible = this.grid.visible = on;
    else if (name === "ellipsoids") for (const mesh of this.robot.ellipsoids) mesh.visible = on;
    else if (name === "frames") for (const triad of this.robot.triads) triad.visible = on;
    else this.marks.layers[name].visible = on;
    this.request();
  }

  resize() {
    const { clientWidth: wide, clientHeight: high } = this.canvas;
    if (wide === 0 || high === 0) return;
    this.renderer.setPixelRatio(Math.min(globalThis.devicePixelRatio || 1, 2));
    this.renderer.setSize(wide, high, false);
    this.perspective.aspect = wide / high;
    this.perspective.updateProjectionMatrix();
    const span = this.span ?? 1;
    Object.assign(this.orthographic, {
      left: (-span * wide) / high,
      right: (span * wide) / high,
      top: span,
      bottom: -span,
    });
    this.orthographic.updateProjectionMatrix();
    this.request();
  }

  recolour() {
    for (const part of [this.robot, this.marks, this.walls]) part.colour();
    this.gridMaterial?.color.set(sceneColours().grid);
    this.request();
  }

  request() {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    if (this.frame !== 0) cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.kin.at(this.time);
    this.robot.update();
    if (this.following) {
      const now = this.centreOfMass();
      const shift = new Vector3(...now).sub(new Vector3(...this.followed));
      this.camera.position.add(shift);
      this.controls.target.add(shift);
      this.followed = now;
    }
    this.marks.update(this.time, this.speed, this.playing);
    this.sun.position.copy(this.camera.position);
    this.sun.position.addScaledVector(this.camera.up, this.sun.position.distanceTo(this.controls.target) * 0.6);
    this.sun.target.position.copy(this.controls.target);
    this.renderer.render(this.scene, this.camera);
  }
}
