// SPDX-License-Identifier: Apache-2.0
// Contact shapes of a scenario, which need not be what a robot looks like, and where they touch.

import {
  BoxGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { valueAt } from "./data.js";

const SHARP = 20; // degrees between two faces whose edge is drawn

function geometryOf(shape) {
  if (shape.kind === "sphere") return new SphereGeometry(shape.radius, 32, 20);
  if (shape.kind === "capsule") return new CapsuleGeometry(shape.radius, shape.length, 12, 28).rotateX(Math.PI / 2);
  if (shape.kind === "cylinder")
    return new CylinderGeometry(shape.radius, shape.radius, shape.length, 48).rotateX(Math.PI / 2);
  if (shape.kind === "box") return new BoxGeometry(...shape.half.map((half) => 2 * half));
  if (shape.kind === "hull") return new ConvexGeometry(shape.corners.map((corner) => new Vector3(...corner)));
  return null;
}

/** Names in columns have no blanks and commas. */
export const columnName = (point) => String(point.name ?? "").replace(/[\s,]/g, "_");

/** The columns of a vector of a point; null where one is not there. */
export function vectorOf(run, quantity, point) {
  const columns = ["x", "y", "z"].map((axis) => run.column(`${quantity}.${columnName(point)}.${axis}`));
  return columns.every(Boolean) ? columns : null;
}

const at = (run, columns, t) => columns.map((column) => valueAt(run, column, t));

/** Where the force on a point acts: where its shape touches, or the point itself. */
export function placeOfForce(run, kin, held, t, out) {
  if (!held.place) return kin.point(held.point.body, held.point.xyz, out);
  at(run, held.place, t).forEach((x, i) => (out[i] = x));
  return out;
}

export class ContactShapes {
  constructor(run, kin) {
    this.kin = kin;
    this.group = new Group();
    this.fill = new MeshBasicMaterial({ transparent: true, opacity: 0.16, depthWrite: false });
    this.line = new LineBasicMaterial({ transparent: true, opacity: 0.45, depthTest: false });
    this.shapes = [];
    for (const point of run.points) {
      const geometry = point.shape && Array.isArray(point.xyz) ? geometryOf(point.shape) : null;
      if (!geometry || !(point.body >= 0 && point.body < kin.bodies.length)) continue;
      const object = new Group();
      object.add(new Mesh(geometry, this.fill), new LineSegments(new EdgesGeometry(geometry, SHARP), this.line));
      object.matrixAutoUpdate = false;
      this.group.add(object);
      const turn = new Quaternion(...(point.shape.orientation ?? [0, 0, 0, 1])).normalize();
      this.shapes.push({ point, object, own: new Matrix4().makeRotationFromQuaternion(turn) });
    }
  }

  // The pose of a link from the places of four of its points.
  update() {
    const { kin } = this;
    for (const { point, object, own } of this.shapes) {
      const origin = new Vector3(...kin.point(point.body, point.xyz, [0, 0, 0]));
      const axes = [0, 1, 2].map((i) => {
        const beside = point.xyz.map((x, k) => x + (k === i ? 1 : 0));
        return new Vector3(...kin.point(point.body, beside, [0, 0, 0])).sub(origin);
      });
      object.matrix
        .makeBasis(...axes)
        .setPosition(origin)
        .multiply(own);
    }
  }

  colour(colour) {
    this.fill.color.set(colour);
    this.line.color.set(colour);
  }
}
