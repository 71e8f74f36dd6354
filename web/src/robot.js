// SPDX-License-Identifier: Apache-2.0
// The robot: links from their shapes; links without any from joint frames, contact points and ellipsoids of inertia.

import {
  BoxGeometry,
  CapsuleGeometry,
  Color,
  CylinderGeometry,
  Group,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
  AxesHelper,
} from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { added, cross, dot, lengthOf, scaled, unitOf } from "./extent.js";
import { Meshes } from "./meshes.js";

const UP = new Vector3(0, 1, 0);

export class Robot {
  constructor(run, kin, extent, colours) {
    this.run = run;
    this.kin = kin;
    this.colours = colours;
    this.size = extent.size;
    this.thick = extent.size * 0.014;
    this.group = new Group();
    this.ellipsoids = [];
    this.triads = [];
    this.themed = [];
    this.meshes = new Meshes(run.model?.meshes);
    this.materials = {
      link: this.material("link"),
      joint: this.material("joint"),
      hull: this.material("hull", 0.35),
      ellipsoid: this.material("ellipsoid", 0.2),
      rail: this.material("rail", 0.6),
    };
    this.rails = [];
    this.links = kin.bodies.map((body) => this.link(body));
    this.hasShapes = kin.bodies.some(({ given }) => given.shapes?.length > 0);
  }

  material(name, opacity = 1) {
    const material = new MeshStandardMaterial({
      roughness: 0.6,
      metalness: 0.05,
      transparent: opacity < 1,
      opacity,
      depthWrite: opacity === 1,
    });
    this.themed.push({ material, name });
    return material;
  }

  link(body) {
    const group = new Group();
    group.name = body.given.name ?? "";
    const shapes = body.given.shapes ?? [];
    for (const shape of shapes) {
      const object = this.shape(shape);
      if (object) group.add(object);
    }
    if (group.children.length === 0) this.skeleton(body, group);
    const ellipsoid = this.ellipsoid(body);
    if (ellipsoid) {
      // One that dwarfs the robot tells of an odd inertia, but hides everything else.
      const dwarfs = group.children.length > 0 && Math.max(...ellipsoid.scale.toArray()) > 0.4 * this.size;
      ellipsoid.visible = shapes.length === 0 && !group.userData.outlined && !dwarfs;
      this.ellipsoids.push(ellipsoid);
      group.add(ellipsoid);
    }
    const triad = new AxesHelper(this.thick * 9);
    triad.visible = false;
    this.triads.push(triad);
    group.add(triad);
    this.group.add(group);
    return group;
  }

  shape(shape) {
    const colour = Array.isArray(shape.color) ? this.coloured(shape.color) : null;
    const material = colour ?? this.materials.link;
    let object = null;
    if (shape.kind === "box") object = new Mesh(new BoxGeometry(...shape.size), material);
    if (shape.kind === "sphere") object = new Mesh(new SphereGeometry(shape.radius, 32, 20), material);
    if (shape.kind === "cylinder")
      object = new Mesh(
        new CylinderGeometry(shape.radius, shape.radius, shape.length, 40).rotateX(Math.PI / 2),
        material,
      );
    if (shape.kind === "mesh") {
      object = this.meshes.make(shape.mesh, colour, this.materials.link);
      if (object && shape.scale) object.scale.set(...shape.scale);
    }
    if (!object) return null;
    if (shape.xyz) object.position.set(...shape.xyz);
    if (shape.quat) object.quaternion.set(...shape.quat).normalize();
    return object;
  }

  coloured([r, g, b, a = 1]) {
    return new MeshStandardMaterial({
      color: new Color().setRGB(r, g, b, "srgb"),
      roughness: 0.6,
      metalness: 0.05,
      transparent: a < 1,
      opacity: a,
    });
  }

  // Where other things hang on a body: its children's joints, its contact points, its closures.
  ends(body) {
    const ends = [];
    for (const child of this.kin.bodies) {
      if (child.parent === body.index) ends.push([child.origin[0], child.origin[1], child.origin[2]]);
    }
    for (const point of this.run.points) if (point.body === body.index && point.xyz) ends.push(point.xyz);
    for (const closure of this.run.closures) {
      if (["axis", "gear"].includes(closure.kind)) continue;
      if (closure.body_a === body.index && closure.xyz_a) ends.push(closure.xyz_a);
      if (closure.body_b === body.index && closure.xyz_b) ends.push(closure.xyz_b);
    }
    return distinct(ends, this.thick * 0.5).filter((end) => lengthOf(end) > this.thick * 0.5);
  }

  skeleton(body, group) {
    const { given, joint } = body;
    const massless = !(given.mass > 0);
    const virtual = massless && body.parent < 0 && joint.type === "prismatic";
    const ends = this.ends(body);
    const hull = this.hull(body, ends);
    if (hull) {
      group.add(hull);
      group.userData.outlined = true;
    }
    const com = given.com ?? [0, 0, 0];
    // A leaf that nothing hangs on ends as far beyond its centre of mass as that is away.
    const known = ends.length > 0;
    if (!known && lengthOf(com) > this.thick) ends.push(scaled(com, 2));
    if (!hull) {
      for (const end of ends) {
        const bone = this.bone([0, 0, 0], end, this.thick, this.materials.link);
        if (!bone) continue;
        group.add(bone);
        group.userData.outlined = known; // the ellipsoid of a rod is longer than the rod
      }
      if (lengthOf(com) > this.thick * 2 && !ends.some((end) => near(com, end))) {
        const stub = this.bone([0, 0, 0], com, this.thick * 0.6, this.materials.link);
        if (stub) group.add(stub);
      }
    }
    if (!virtual && !hiddenJoint(body, this.kin.bodies)) group.add(this.jointMark(joint));
    if (ends.length === 0 && !hull && given.mass > 0 && !given.ellipsoid) {
      const ball = new Mesh(new SphereGeometry(this.thick * 6, 32, 20), this.materials.link);
      ball.position.set(...com);
      group.add(ball);
    }
    if (joint.type === "prismatic" && !massless) this.rails.push(this.rail(body));
  }

  // Three or more places that are not in a line outline a body: a plate where they are in one plane.
  hull(body, ends) {
    const loose = ["free", "planar", "fixed"].includes(body.joint.type);
    const origin =
      loose && !this.run.points.some(({ body: at, xyz }) => at === body.index && lengthOf(xyz ?? [1, 0, 0]) === 0);
    const points = origin ? ends : [...ends, [0, 0, 0]];
    const normal = points.length >= 3 ? acrossOf(points) : null;
    if (!normal) return null;
    const corners = spatial(points, normal)
      ? points
      : points.flatMap((p) => [1, -1].map((side) => added(p, scaled(normal, side * this.thick * 0.8))));
    try {
      return new Mesh(new ConvexGeometry(corners.map((p) => new Vector3(...p))), this.materials.hull);
    } catch {
      return null;
    }
  }

  bone(from, to, radius, material) {
    const a = new Vector3(...from),
      b = new Vector3(...to);
    const length = a.distanceTo(b);
    if (!(length > radius * 0.5)) return null;
    const mesh = new Mesh(new CapsuleGeometry(radius, length, 6, 20), material);
    mesh.position.copy(a).add(b).multiplyScalar(0.5);
    mesh.quaternion.setFromUnitVectors(UP, b.sub(a).normalize());
    return mesh;
  }

  jointMark(joint) {
    const r = this.thick * 1.7;
    let mesh;
    if (joint.type === "revolute" || joint.type === "continuous") {
      mesh = new Mesh(new CylinderGeometry(r, r, r * 2, 28), this.materials.joint);
    } else if (joint.type === "prismatic") {
      mesh = new Mesh(new BoxGeometry(r * 1.7, r * 2.6, r * 1.7), this.materials.joint);
    } else if (joint.type === "fixed") {
      mesh = new Mesh(new SphereGeometry(this.thick, 20, 14), this.materials.link);
    } else {
      mesh = new Mesh(new SphereGeometry(r, 28, 20), this.materials.joint);
    }
    mesh.quaternion.setFromUnitVectors(UP, new Vector3(...joint.axis));
    return mesh;
  }

  // From a prismatic joint's frame to where its body is.
  rail(body) {
    const mesh = new Mesh(new CylinderGeometry(1, 1, 1, 12), this.materials.rail);
    this.group.add(mesh);
    return { body, mesh };
  }

  ellipsoid({ given }) {
    const half = given.ellipsoid?.half_axes;
    if (!half || !half.every(Number.isFinite)) return null;
    const least = this.thick * 0.35;
    const mesh = new Mesh(new SphereGeometry(1, 40, 24), this.materials.ellipsoid);
    mesh.scale.set(...half.map((a) => Math.max(a, least)));
    mesh.position.set(...(given.com ?? [0, 0, 0]));
    if (given.ellipsoid.quat) mesh.quaternion.set(...given.ellipsoid.quat).normalize();
    mesh.renderOrder = 1;
    return mesh;
  }

  /** Puts the links where the last poses have them. */
  update() {
    const { poses, frames } = this.kin;
    this.links.forEach((link, i) => {
      const at = 7 * i;
      link.position.set(poses[at], poses[at + 1], poses[at + 2]);
      link.quaternion.set(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]);
    });
    for (const { body, mesh } of this.rails) {
      const at = 7 * body.index;
      const a = new Vector3(frames[at], frames[at + 1], frames[at + 2]);
      const b = new Vector3(poses[at], poses[at + 1], poses[at + 2]);
      const length = a.distanceTo(b);
      mesh.visible = length > this.thick;
      mesh.scale.set(this.thick * 0.45, Math.max(length, 1e-9), this.thick * 0.45);
      mesh.position.copy(a).add(b).multiplyScalar(0.5);
      if (mesh.visible) mesh.quaternion.copy(new Quaternion().setFromUnitVectors(UP, b.sub(a).normalize()));
    }
  }

  colour() {
    const colours = this.colours();
    for (const { material, name } of this.themed) material.color.set(colours[name]);
  }
}

const near = (a, b) => {
  const along = dot(a, b) / (lengthOf(b) ** 2 || 1);
  return along > 0 && along < 1.02 && lengthOf(cross(a, b)) < 0.05 * lengthOf(b) * lengthOf(a);
};

function distinct(points, least) {
  const kept = [];
  for (const point of points) {
    if (!point.every(Number.isFinite)) continue;
    if (!kept.some((other) => lengthOf(added(point, scaled(other, -1))) < least)) kept.push(point);
  }
  return kept;
}

// The first joint of a body that hangs on two massless slides, or moves freely, is no hinge one could see.
function hiddenJoint(body, bodies) {
  if (body.joint.type === "free" || body.joint.type === "planar") return true;
  const parent = bodies[body.parent];
  return (
    Boolean(parent) &&
    parent.joint.type === "prismatic" &&
    !(parent.given.mass > 0) &&
    parent.given.shapes?.length === 0
  );
}

// A direction across the widest triangle of the points; null where they are in a line.
function acrossOf(points) {
  const from = points[0];
  let widest = [0, 0, 0];
  const differences = points.slice(1).map((p) => added(p, scaled(from, -1)));
  for (const a of differences) {
    for (const b of differences) {
      const normal = cross(a, b);
      if (lengthOf(normal) > lengthOf(widest)) widest = normal;
    }
  }
  const scale = Math.max(...differences.map(lengthOf));
  return lengthOf(widest) > 0.02 * scale * scale ? unitOf(widest) : null;
}

function spatial(points, normal) {
  const heights = points.map((p) => dot(p, normal));
  const scale = Math.max(...points.map((p) => lengthOf(added(p, scaled(points[0], -1)))));
  return Math.max(...heights) - Math.min(...heights) > 0.03 * scale;
}
