// SPDX-License-Identifier: Apache-2.0
// Torques at the joints: an arc about the axis of a joint that turns, an arrow along that of one that slides. A full
// limit is three quarters of a turn; without limits the largest effort of all is.

import {
  BufferGeometry,
  ConeGeometry,
  DoubleSide,
  Float32BufferAttribute,
  Group,
  Mesh,
  MeshBasicMaterial,
  CylinderGeometry,
  Quaternion,
  Vector3,
} from "three";
import { isDark } from "../src/theme.js";

const SEGMENTS = 72;
const SIDES = 8;
const FULL = 1.5 * Math.PI;
const LEAST = 0.01; // share below which nothing is drawn: it would be an arrow's head alone
const RADIUS = 0.1; // of an arc, as a share of the robot's size
const SHORTEST = 0.3; // of an arrow, in radii, and what a full limit adds
const LONGEST = 1.6;
const Z = new Vector3(0, 0, 1);
const Y = new Vector3(0, 1, 0);

// A ring of radius 1 in the plane of x and y, by segments from angle 0: the range of what is drawn ends the arc.
function ringGeometry(thick) {
  const positions = [];
  const indices = [];
  for (let i = 0; i <= SEGMENTS; i++) {
    const angle = (FULL * i) / SEGMENTS;
    for (let k = 0; k < SIDES; k++) {
      const around = (2 * Math.PI * k) / SIDES;
      const r = 1 + thick * Math.cos(around);
      positions.push(r * Math.cos(angle), r * Math.sin(angle), thick * Math.sin(around));
    }
  }
  for (let i = 0; i < SEGMENTS; i++)
    for (let k = 0; k < SIDES; k++) {
      const a = i * SIDES + k;
      const b = i * SIDES + ((k + 1) % SIDES);
      indices.push(a, b, a + SIDES, b, b + SIDES, a + SIDES);
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
  geometry.setIndex(indices);
  return geometry;
}

/** The colour of a share of a limit: calm, near it, beyond it. */
export function loadColour(share, limited) {
  const dark = isDark();
  if (!limited) return dark ? "#6ea3ff" : "#2f6fde";
  if (share > 1) return dark ? "#ff7a61" : "#d8452e";
  if (share > 0.7) return dark ? "#f0bd45" : "#c98a00";
  return dark ? "#58cf9c" : "#2a9d6e";
}

/** How far from its joint an effort is drawn at most, as a share of the robot's size. */
export const reachOfArc = (turns) => RADIUS * (turns ? 1.3 : SHORTEST + LONGEST + 0.3);

export class Arcs {
  /** places: per effort, { body, axis } of its joint in the body's frame, or null. */
  constructor(places, size) {
    this.group = new Group();
    this.radius = RADIUS * size;
    const geometry = ringGeometry(0.075);
    this.items = places.map((place) => (place ? this.item(place, geometry) : null));
  }

  item(place, geometry) {
    const material = new MeshBasicMaterial({ side: DoubleSide, transparent: true, opacity: 0.92, depthTest: false });
    const group = new Group();
    const head = new Mesh(new ConeGeometry(0.24, 0.42, 20), material);
    const ring = new Mesh(
      place.turns ? geometry.clone() : new CylinderGeometry(0.09, 0.09, 1, 12).translate(0, 0.5, 0),
      material,
    );
    group.add(ring, head);
    group.renderOrder = 5;
    this.group.add(group);
    return { place, group, ring, head, material, spin: new Quaternion() };
  }

  /** One effort: share of its limit, with its sign. */
  set(i, kin, share, limited) {
    const item = this.items[i];
    if (!item) return;
    const { place, group, ring, head, material } = item;
    const size = Math.min(Math.abs(share), 1);
    group.visible = size > LEAST && Number.isFinite(share);
    if (!group.visible) return;
    const at = 7 * place.body;
    group.position.fromArray(kin.poses, at);
    item.spin.fromArray(kin.poses, at + 3);
    const axis = new Vector3(...place.axis).applyQuaternion(item.spin);
    if (share < 0) axis.negate();
    material.color.set(loadColour(Math.abs(share), limited));
    if (place.turns) {
      group.quaternion.setFromUnitVectors(Z, axis);
      group.scale.setScalar(this.radius);
      const sweep = FULL * size;
      const segments = Math.max(1, Math.round((SEGMENTS * sweep) / FULL));
      ring.geometry.setDrawRange(0, segments * SIDES * 6);
      head.scale.setScalar(Math.min(1, 0.35 + sweep / 0.9));
      const end = (FULL * segments) / SEGMENTS;
      head.position.set(Math.cos(end), Math.sin(end), 0);
      head.quaternion.setFromUnitVectors(Y, new Vector3(-Math.sin(end), Math.cos(end), 0));
    } else {
      group.quaternion.setFromUnitVectors(Y, axis);
      group.scale.setScalar(this.radius);
      const length = SHORTEST + LONGEST * size;
      ring.scale.set(1, length, 1);
      head.position.set(0, length, 0);
      head.quaternion.identity();
    }
  }

  hide() {
    for (const item of this.items) if (item) item.group.visible = false;
  }
}
