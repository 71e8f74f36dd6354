// SPDX-License-Identifier: Apache-2.0
// What the robot stands on and the light that it stands in: a grid with its lengths, a post, a soft shadow.

import {
  CanvasTexture,
  CylinderGeometry,
  DirectionalLight,
  GridHelper,
  Group,
  HemisphereLight,
  Mesh,
  PlaneGeometry,
  Quaternion,
  ShadowMaterial,
  Sprite,
  SpriteMaterial,
  Vector3,
} from "three";
import { added, cross, dot, scaled, unitOf } from "./extent.js";
import { triadOf } from "./robot.js";
import { shown } from "./dom.js";

const SHADOW_PIXELS = 1024;
const MOST_LABELS = 9; // along a side of the grid
const LABEL_SHARE = 0.04; // of the height of the picture, at most

/** A text that faces the viewer, so high in metres. */
function labelOf(text, height) {
  const canvas = document.createElement("canvas");
  canvas.width = 256;
  canvas.height = 64;
  const draw = canvas.getContext("2d");
  draw.font = "44px system-ui, sans-serif";
  draw.textAlign = "center";
  draw.textBaseline = "middle";
  draw.fillStyle = "#fff";
  draw.fillText(text, 128, 34);
  const material = new SpriteMaterial({ map: new CanvasTexture(canvas), transparent: true, depthWrite: false });
  const sprite = new Sprite(material);
  sprite.scale.set(4 * height, height, 1);
  sprite.center.set(0.5, 0); // it stands on the ground
  return sprite;
}

/** Length of a cell of a grid so wide: 1, 2 or 5 of some power of ten. */
export function cellOf(wide) {
  const power = 10 ** Math.floor(Math.log10(wide / 8));
  return [1, 2, 5, 10].map((n) => n * power).find((cell) => wide / cell <= 16);
}

export class Ground {
  /** places: where the fit of the view has to reach, extended here. */
  constructor(run, kin, extent, robot, places) {
    Object.assign(this, { run, kin, extent, robot, places });
    this.group = new Group(); // what the layer of walls and ground hides
    this.labels = [];
    this.lights = this.makeLights();
    this.makeGrid();
  }

  makeLights() {
    const { up } = this.extent;
    const sky = new HemisphereLight(0xffffff, 0x8790a0, 2.2);
    sky.position.set(...up);
    const sun = new DirectionalLight(0xffffff, 2.2);
    sun.castShadow = true;
    sun.shadow.mapSize.set(SHADOW_PIXELS, SHADOW_PIXELS);
    sun.shadow.radius = 5;
    sun.shadow.normalBias = 0.4 * this.robot.thick;
    sun.shadow.intensity = 0.85;
    this.sun = sun;
    return [sky, sun, sun.target];
  }

  /** Light from above, a little from the left of the viewer, about what is in the box. */
  shine(camera, box) {
    const { up } = this.extent;
    const radius = Math.max(box.diagonal / 2, this.extent.size / 2, 1e-6);
    const target = new Vector3(...box.centre);
    const above = new Vector3(...up);
    const back = new Vector3().subVectors(camera.position, target);
    back.addScaledVector(above, -back.dot(above));
    if (back.lengthSq() < 1e-12) back.set(...unitOf(cross(up, Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0])));
    back.normalize();
    const side = new Vector3().crossVectors(back, above);
    const from = above.clone().addScaledVector(back, 0.45).addScaledVector(side, 0.4).normalize();
    this.sun.position.copy(target).addScaledVector(from, 4 * radius);
    this.sun.target.position.copy(target);
    const shadow = this.sun.shadow.camera;
    Object.assign(shadow, { left: -radius, right: radius, top: radius, bottom: -radius, near: radius, far: 8 * radius });
    shadow.updateProjectionMatrix();
  }

  // A ground to see depth by, where there is no wall to see it by.
  makeGrid() {
    const { motion, size, up, normal } = this.extent;
    const wide = Math.max(motion.diagonal, size) * 1.6;
    if (this.run.walls.length > 0 || normal || !Number.isFinite(wide)) return;
    const cell = cellOf(wide);
    const cells = 2 * Math.ceil(wide / cell / 2);
    const low = dot(motion.centre, up) - dot(motion.size, up.map(Math.abs)) / 2;
    const height = Math.min(0, low);
    const middle = motion.centre.map((x) => Math.round(x / cell) * cell);
    const centre = added(middle, scaled(up, height - dot(middle, up)));
    const grid = new GridHelper(cells * cell, cells);
    grid.material.transparent = true;
    grid.material.opacity = 0.5;
    grid.material.vertexColors = false;
    grid.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(...up)));
    grid.position.set(...centre);
    this.gridMaterial = grid.material;
    this.axes(centre, cell);
    this.group.add(grid, this.shadowOn(centre, up, cells * cell), ...this.stand(height));
    this.label(centre, cell, cells);
  }

  // The world's axes, where its origin is on the grid or above it; at the origin itself where the robot comes to that
  // place, as the platform of a robot that hangs does: they would hide it.
  axes(centre, cell) {
    const { up } = this.extent;
    const triad = triadOf(cell);
    const below = scaled(up, dot(centre, up));
    if (!this.comesTo(below, cell)) triad.position.set(...below);
    this.group.add(triad);
  }

  comesTo(place, near) {
    for (let i = 0; i < this.places.length; i += 3)
      if (place.reduce((sum, x, k) => sum + (x - this.places[i + k]) ** 2, 0) < near * near) return true;
    return false;
  }

  /** A plane that shows shadows and nothing else. */
  shadowOn(centre, normal, wide) {
    const material = new ShadowMaterial({ opacity: 0.22 });
    const plane = new Mesh(new PlaneGeometry(wide, wide), material);
    plane.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...normal));
    plane.position.set(...centre);
    plane.receiveShadow = true;
    plane.renderOrder = -1;
    this.shadows ??= [];
    this.shadows.push(material);
    return plane;
  }

  // Coordinates along two lines of the grid beside the motion, where these lie along axes of the world.
  label(centre, cell, cells) {
    const { up, motion } = this.extent;
    this.cell = cell;
    const along = [0, 1, 2].filter((i) => Math.abs(up[i]) < 1e-6);
    if (along.length !== 2) return;
    const low = motion.low.map((x) => Math.floor(x / cell) - 1);
    const high = motion.high.map((x) => Math.ceil(x / cell) + 1);
    along.forEach((axis, k) => {
      const other = along[1 - k];
      const every = Math.ceil((high[axis] - low[axis]) / MOST_LABELS);
      for (let i = low[axis] + k; i <= high[axis]; i++) { // both rows end in one corner: one label there
        if (i % every !== 0 || Math.abs(i * cell - centre[axis]) > (cells / 2) * cell) continue;
        const text = i + every > high[axis] ? `${"xyz"[axis]} ${shown(i * cell, 4)} m` : shown(i * cell, 4);
        const sprite = labelOf(text, 0.5 * cell);
        const at = [...centre];
        at[axis] = i * cell;
        at[other] = (k === 0 ? low[other] - 0.1 : high[other] + 0.1) * cell;
        sprite.position.set(...at);
        this.labels.push(sprite);
      }
    });
    for (const label of this.labels) this.group.add(label);
  }

  /** Labels near the viewer are no higher than a share of the picture; span: half the height of a flat view. */
  scaleLabels(camera, span) {
    const place = new Vector3();
    for (const label of this.labels) {
      const far = camera.isPerspectiveCamera ? place.subVectors(label.position, camera.position).length() : 0;
      const seen = camera.isPerspectiveCamera ? far * Math.tan((camera.fov * Math.PI) / 360) : span / camera.zoom;
      const height = Math.min(0.5 * this.cell, 2 * LABEL_SHARE * seen);
      label.scale.set(4 * height, height, 1);
    }
  }

  // A robot that hangs on one place above the ground stands on a post.
  stand(ground) {
    const { up, size } = this.extent;
    const roots = this.kin.bodies.filter(({ parent, joint }) => parent < 0 && !["free", "planar"].includes(joint.type));
    const post = new Vector3(...up);
    const foot = roots.length === 1 ? new Vector3(...roots[0].origin.slice(0, 3)) : null;
    const high = foot ? foot.dot(post) - ground : 0;
    if (!(high > 0.05 * size)) return [];
    const { thick, materials } = this.robot;
    const turned = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), post);
    const part = (radius, length, height) => {
      const mesh = new Mesh(new CylinderGeometry(radius, radius, length, 32), materials.rail);
      mesh.quaternion.copy(turned);
      mesh.position.copy(foot).addScaledVector(post, height + length / 2 - high);
      return mesh;
    };
    for (const side of [-1, 1])
      for (const axis of [0, 1, 2]) {
        const corner = foot.clone().addScaledVector(post, -high);
        corner.setComponent(axis, corner.getComponent(axis) + side * 4 * thick);
        this.places.push(...corner.toArray());
      }
    return [part(1.3 * thick, high, 0), part(4 * thick, 0.6 * thick, 0)];
  }

  colour(colours) {
    this.gridMaterial?.color.set(colours.grid);
    for (const { material } of this.labels) material.color.set(colours.text);
    for (const material of this.shadows ?? []) material.color.set(colours.shadow);
  }
}
