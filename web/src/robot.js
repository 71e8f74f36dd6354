// SPDX-License-Identifier: Apache-2.0
// The robot: links from their shapes; those without any from what links.js makes of joints, points, mass and inertia.

import {
  BoxGeometry,
  CapsuleGeometry,
  CatmullRomCurve3,
  Color,
  ConeGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  TubeGeometry,
  Vector3,
} from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { added, dot, lengthOf, scaled, unitOf } from "./extent.js";
import { acrossOf, carriersOf, drumOf, fits, lightLinks, partsOf } from "./links.js";
import { Meshes } from "./meshes.js";

const UP = new Vector3(0, 1, 0);
const AXES = [
  [0xd8452e, [1, 0, 0]],
  [0x2a9d6e, [0, 1, 0]],
  [0x2f6fde, [0, 0, 1]],
];

/** Three thick arrows along x (red), y (green), z (blue). */
export function triadOf(length) {
  const group = new Group();
  const radius = 0.035 * length;
  for (const [colour, axis] of AXES) {
    const material = new MeshBasicMaterial({ color: colour });
    const shaft = new Mesh(new CylinderGeometry(radius, radius, 0.8 * length, 12).translate(0, 0.4 * length, 0), material);
    const head = new Mesh(new ConeGeometry(2.4 * radius, 0.2 * length, 16).translate(0, 0.9 * length, 0), material);
    for (const mesh of [shaft, head]) mesh.quaternion.setFromUnitVectors(UP, new Vector3(...axis));
    group.add(shaft, head);
  }
  return group;
}

export class Robot {
  /** `ghost`: a second robot beside the first, translucent and of one colour. */
  constructor(run, kin, extent, colours, ghost = false) {
    this.run = run;
    this.kin = kin;
    this.colours = colours;
    this.ghost = ghost;
    this.size = extent.size;
    this.thick = extent.size * 0.014;
    this.group = new Group();
    this.ellipsoids = [];
    this.triads = [];
    this.themed = [];
    this.meshes = new Meshes(run.model?.meshes);
    const opaque = ghost ? 0.28 : 1;
    this.materials = {
      link: this.material(ghost ? "ghost" : "link", opaque),
      joint: this.material(ghost ? "ghost" : "joint", opaque),
      ellipsoid: this.material("ellipsoid", 0.2),
      rail: this.material("rail", ghost ? 0.2 : 0.6),
    };
    this.rails = [];
    this.scene = { bodies: kin.bodies, points: run.points, closures: run.closures, light: lightLinks(kin.bodies) };
    this.carriers = carriersOf(kin.bodies);
    this.links = kin.bodies.map((body) => this.link(body));
    this.hasShapes = kin.bodies.some(({ given }) => given.shapes?.length > 0);
    this.base();
    this.group.traverse((part) => {
      if (!part.isMesh) return;
      part.castShadow = !ghost && !part.material.transparent;
      part.receiveShadow = !ghost;
    });
  }

  material(name, opacity = 1) {
    const material = new MeshStandardMaterial({
      roughness: 0.55,
      metalness: 0.08,
      transparent: opacity < 1,
      opacity,
      depthWrite: opacity === 1,
      polygonOffset: this.ghost, // behind the robot itself where both are in one place
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 4,
    });
    this.themed.push({ material, name });
    return material;
  }

  link(body) {
    const group = new Group();
    group.name = body.given.name ?? "";
    group.userData.body = body.index;
    for (const shape of body.given.shapes ?? []) {
      const object = fits(shape, this.size) ? this.shape(shape) : null;
      if (object) group.add(object);
    }
    if (group.children.length === 0) this.skeleton(body, group);
    const ellipsoid = this.ellipsoid(body);
    if (ellipsoid) {
      ellipsoid.visible = false;
      this.ellipsoids.push(ellipsoid);
      group.add(ellipsoid);
    }
    const triad = triadOf(this.thick * 9);
    triad.visible = false;
    this.triads.push(triad);
    group.add(triad);
    this.group.add(group);
    return group;
  }

  shape(shape) {
    const own = Array.isArray(shape.color) && !this.ghost && !shape.collision;
    const colour = own ? this.coloured(shape.color) : this.ghost ? this.materials.link : null;
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
      roughness: 0.55,
      metalness: 0.08,
      transparent: a < 1,
      opacity: a,
    });
  }

  skeleton(body, group) {
    const { given, joint } = body;
    const massless = !(given.mass > 0);
    const parts = partsOf(body, this.scene, this.size, this.thick).map((part) => this.part(part)).filter(Boolean);
    for (const part of parts) group.add(part);
    const seen = parts.length > 0 || this.kin.bodies.some(({ parent }) => parent === body.index);
    if (seen && !this.scene.light[body.index] && !hiddenJoint(body, this.kin.bodies)) group.add(this.jointMark(body));
    if (joint.type === "prismatic" && !massless) this.rails.push(this.rail(body));
  }

  part({ kind, ...part }) {
    const { link } = this.materials;
    if (kind === "bone") return this.bone(part.from, part.to, part.radius, link);
    if (kind === "hull") return this.plate(part.points, part.normal);
    if (kind === "arc") return this.arc(part);
    if (kind === "ball") {
      const ball = new Mesh(new SphereGeometry(part.radius, 32, 20), link);
      ball.position.set(...part.at);
      return ball;
    }
    const sides = part.half.map((x) => 2 * x);
    const round = 0.22 * Math.min(...sides);
    const box = new Mesh(new RoundedBoxGeometry(...sides, 3, round), link);
    box.position.set(...part.at);
    box.quaternion.set(...part.quat).normalize();
    return box;
  }

  // Corners with the solid between them; a plate where they are in one plane.
  plate(points, normal) {
    const deep = Math.min(this.thick * 0.8, 0.12 * Math.max(...points.map((p) => lengthOf(added(p, scaled(points[0], -1))))));
    const corners = spatial(points, normal)
      ? points
      : points.flatMap((p) => [1, -1].map((side) => added(p, scaled(normal, side * deep))));
    try {
      return new Mesh(new ConvexGeometry(corners.map((p) => new Vector3(...p))), this.materials.link);
    } catch {
      return null;
    }
  }

  // A bent bar about the origin, from one direction to another, a little beyond both.
  arc({ from, to, radius, tube }) {
    const angle = Math.acos(Math.min(Math.max(dot(from, to), -1), 1));
    const across = unitOf(added(to, scaled(from, -dot(from, to))));
    const places = [];
    for (let i = 0; i <= 24; i++) {
      const a = (angle * i) / 24;
      places.push(new Vector3(...added(scaled(from, radius * Math.cos(a)), scaled(across, radius * Math.sin(a)))));
    }
    const group = new Group();
    const bar = new Mesh(new TubeGeometry(new CatmullRomCurve3(places), 40, tube, 16), this.materials.link);
    for (const [axis, at] of [[from, places[0]], [to, places[24]]]) {
      const pin = new Mesh(new CylinderGeometry(1.5 * tube, 1.5 * tube, 3 * tube, 28), this.materials.joint);
      pin.position.copy(at);
      pin.quaternion.setFromUnitVectors(UP, new Vector3(...axis));
      group.add(pin);
    }
    group.add(bar);
    return group;
  }

  // Three or more joints on the ground that are not in a line are held by a plate: the base of a parallel robot.
  base() {
    const roots = this.kin.bodies.filter(
      ({ parent, joint, given }) =>
        parent < 0 &&
        !["free", "planar", "fixed"].includes(joint.type) &&
        (this.run.closures.length > 0 || !(given.shapes?.length > 0)),
    );
    const points = roots.map(({ origin }) => [origin[0], origin[1], origin[2]]);
    const normal = points.length >= 3 ? acrossOf(points) : null;
    const plate = normal && !this.ghost ? this.plate(points, normal) : null;
    if (!plate) return;
    plate.material = this.materials.joint;
    this.group.add(plate);
    this.basePlate = plate;
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

  jointMark(body) {
    const { joint } = body;
    const r = drumOf(body, this.thick);
    let mesh;
    if (joint.type === "revolute" || joint.type === "continuous") {
      mesh = new Mesh(new CylinderGeometry(r, r, r * 2, 28), this.materials.joint);
    } else if (joint.type === "prismatic") {
      mesh = new Mesh(new BoxGeometry(r * 1.7, r * 2.6, r * 1.7), this.materials.joint);
    } else if (joint.type === "fixed") {
      return new Group();
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

  /** The link whose surface a ray meets first; -1: none. */
  pick(caster) {
    for (const { object } of caster.intersectObjects(this.links, true)) {
      if (!seen(object)) continue;
      for (let at = object; at; at = at.parent) if (at.userData.body !== undefined) return at.userData.body;
    }
    return -1;
  }

  /** Lights up the links that move as one with this one; none for -1. */
  light(body) {
    const carrier = body >= 0 ? this.carriers[body] : -1;
    if (carrier === this.lit) return;
    this.lit = carrier;
    this.links.forEach((link, i) => {
      const on = carrier >= 0 && this.carriers[i] === carrier;
      link.traverse((part) => {
        if (!part.isMesh || part.material.isMeshBasicMaterial) return;
        part.userData.plain ??= part.material;
        part.material = on ? this.lightOf(part.userData.plain) : part.userData.plain;
      });
    });
  }

  lightOf(material) {
    if (Array.isArray(material)) return material.map((one) => this.lightOf(one));
    material.userData.lit ??= material.clone();
    material.userData.lit.color.copy(material.color);
    material.userData.lit.emissive.set(this.colours().lit);
    material.userData.lit.emissiveIntensity = 0.55;
    return material.userData.lit;
  }

  colour() {
    const colours = this.colours();
    for (const { material, name } of this.themed) material.color.set(colours[name]);
  }
}

function seen(object) {
  for (let at = object; at; at = at.parent) if (!at.visible) return false;
  return true;
}

// The first joint of a body that hangs on two massless slides, or moves freely, is no hinge one could see; nor is a
// massless slide of the ground.
function hiddenJoint(body, bodies) {
  if (body.joint.type === "free" || body.joint.type === "planar") return true;
  const slides = ({ joint, given }) => joint.type === "prismatic" && !(given.mass > 0) && !(given.shapes?.length > 0);
  if (slides(body) && body.parent < 0) return true;
  const parent = bodies[body.parent];
  return Boolean(parent) && slides(parent);
}

function spatial(points, normal) {
  const heights = points.map((p) => dot(p, normal));
  const scale = Math.max(...points.map((p) => lengthOf(added(p, scaled(points[0], -1)))));
  return Math.max(...heights) - Math.min(...heights) > 0.03 * scale;
}
