// SPDX-License-Identifier: Apache-2.0
// Walls: the surface, translucent, with lines on it, and where it can be seen as a curve, that curve with hatching
// on its solid side, as in a drawing.

import {
  BackSide,
  BoxGeometry,
  BufferGeometry,
  CircleGeometry,
  CylinderGeometry,
  DoubleSide,
  EdgesGeometry,
  Float32BufferAttribute,
  FrontSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  SphereGeometry,
  TorusGeometry,
  Vector3,
} from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { added, cross, dot, scaled, unitOf } from "./extent.js";

/** Unit vectors of a wall: x (first semi-axis), y across, z the axis. */
export function frameOf(wall) {
  const z = unitOf(wall.normal ?? wall.axis ?? [0, 0, 1]);
  const given = wall.x ?? [1, 0, 0];
  let x = added(given, scaled(z, -dot(given, z)));
  if (Math.hypot(...x) < 1e-6) x = cross(z, Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]);
  x = unitOf(x);
  return { centre: wall.centre ?? [0, 0, 0], x, y: cross(z, x), z };
}

/** How a wall that moves lies at time t: turned by an angle about an axis through the pivot, then shifted. */
export function motionAt(wall, t) {
  const { velocity, amplitude, axis, pivot, spin, swing, frequency, phase, from = 0, to = Infinity } = wall.motion;
  const { centre, z } = frameOf(wall);
  const s = Math.min(Math.max(t, from), to) - from;
  const wave = Math.sin(2 * Math.PI * frequency * s + phase);
  return {
    angle: spin * s + swing * wave,
    axis: unitOf(axis, z),
    pivot: added(centre, pivot),
    shift: added(scaled(velocity, s), scaled(amplitude, wave)),
  };
}

/** The natural cubic spline through points, straight beyond its ends. */
export function splineThrough(points) {
  const n = points.length;
  const second = new Float64Array(n);
  const ratio = new Float64Array(n);
  const slope = (i) => (points[i + 1][1] - points[i][1]) / (points[i + 1][0] - points[i][0]);
  for (let i = 1; i + 1 < n; i++) {
    const before = points[i][0] - points[i - 1][0],
      after = points[i + 1][0] - points[i][0];
    const pivot = 2 * (before + after) - before * ratio[i - 1];
    ratio[i] = after / pivot;
    second[i] = (6 * (slope(i) - slope(i - 1)) - before * second[i - 1]) / pivot;
  }
  for (let i = n - 2; i > 0; i--) second[i] -= ratio[i] * second[i + 1];
  const endSlope = (i, sign, h) =>
    slope(i) + (sign * h * (sign > 0 ? second[i] + 2 * second[i + 1] : 2 * second[i] + second[i + 1])) / 6;
  return (x) => {
    if (n === 0) return 0;
    if (n === 1) return points[0][1];
    if (x <= points[0][0]) return points[0][1] + (x - points[0][0]) * endSlope(0, -1, points[1][0] - points[0][0]);
    if (x >= points[n - 1][0]) {
      return points[n - 1][1] + (x - points[n - 1][0]) * endSlope(n - 2, 1, points[n - 1][0] - points[n - 2][0]);
    }
    let i = 0;
    while (i < n - 2 && x > points[i + 1][0]) i++;
    const h = points[i + 1][0] - points[i][0];
    const a = (points[i + 1][0] - x) / h,
      b = 1 - a;
    return (
      a * points[i][1] +
      b * points[i + 1][1] +
      (((a * a * a - a) * second[i] + (b * b * b - b) * second[i + 1]) * h * h) / 6
    );
  };
}

/** Stairs as a line in their own x y plane, the last tread on to x = `to` at least. */
export function stairsOf({ steps, rise, run }, to) {
  const points = [[0, 0]];
  for (let i = 0; i < steps; i++) {
    points.push([i * run, (i + 1) * rise]);
    points.push([i + 1 < steps ? (i + 1) * run : Math.max(to, steps * run), (i + 1) * rise]);
  }
  return points;
}

/** A height field as triangles: places, and three indices of each; a cell is cut from its first corner to the last. */
export function trianglesOf({ heights, spacing }) {
  const columns = heights[0].length;
  const places = heights.flatMap((row, j) => row.flatMap((z, i) => [i * spacing[0], j * spacing[1], z]));
  const faces = [];
  for (let j = 0; j + 1 < heights.length; j++) {
    for (let i = 0; i + 1 < columns; i++) {
      const a = j * columns + i;
      faces.push(a, a + 1, a + columns + 1, a, a + columns + 1, a + columns);
    }
  }
  return { places, faces };
}

// Where a wall in its own x y plane is a curve: points, the direction into the solid, closed or not.
function curveOf(wall, around) {
  if (wall.kind === "profile") {
    const height = splineThrough(wall.points ?? []);
    const points = [];
    const [from, to] = around;
    const count = 240;
    for (let i = 0; i <= count; i++) {
      const x = from + ((to - from) * i) / count;
      points.push([x, height(x)]);
    }
    return { points, solid: 1 };
  }
  if (wall.kind === "stairs") return { points: stairsOf(wall, around[1]), solid: 1 };
  const a = wall.kind === "ellipse" ? wall.semi_axes?.[0] : wall.radius;
  const b = wall.kind === "ellipse" ? wall.semi_axes?.[1] : wall.radius;
  const points = [];
  for (let i = 0; i <= 180; i++) points.push([a * Math.cos((i * Math.PI) / 90), b * Math.sin((i * Math.PI) / 90)]);
  return { points, solid: wall.inside ? 1 : -1 };
}

const NEEDS = {
  plane: [],
  circle: ["radius"],
  cylinder: ["radius"],
  sphere: ["radius"],
  torus: ["ring", "tube"],
  ellipse: ["semi_axes"],
  ellipsoid: ["semi_axes"],
  profile: ["points"],
  disc: ["radius"],
  rectangle: ["lengths"],
  box: ["lengths"],
  capped_cylinder: ["radius", "length"],
  cone: ["radius", "length"],
  stairs: ["steps", "rise", "run"],
  height_field: ["heights", "spacing"],
};
const LENGTHS = { ellipse: 2, ellipsoid: 3, profile: 1, rectangle: 2, box: 3, height_field: 2 };
const LISTS = { profile: "points", height_field: "heights" };

/** Whether a wall is of a kind that this page knows and has its sizes: one that has not is left out. */
export function isWhole(wall) {
  const positive = (x) => Number.isFinite(x) && x > 0;
  return (
    wall.kind in NEEDS &&
    NEEDS[wall.kind].every((key) => {
      const value = wall[key];
      if (!Array.isArray(value)) return positive(value);
      return (
        value.length >= LENGTHS[wall.kind] &&
        (LISTS[wall.kind] === key ? value.every((p) => p.every(Number.isFinite)) : value.every(positive))
      );
    })
  );
}

// Round ones have their axis along y in three.js and along z here.
const SHAPES = {
  disc: (wall) => new CircleGeometry(wall.radius, 96),
  rectangle: (wall) => new PlaneGeometry(...wall.lengths),
  box: (wall) => new BoxGeometry(...wall.lengths),
  capped_cylinder: (wall) =>
    new CylinderGeometry(wall.radius, wall.radius, wall.length, 96).rotateX(Math.PI / 2),
  cone: (wall) =>
    new CylinderGeometry(wall.top_radius ?? 0, wall.radius, wall.length, 96)
      .rotateX(Math.PI / 2)
      .translate(0, 0, wall.length / 2),
  height_field: (wall) => {
    const { places, faces } = trianglesOf(wall);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(places, 3));
    geometry.setIndex(faces);
    geometry.computeVertexNormals();
    return geometry;
  },
};

export class Walls {
  constructor(walls, extent, colours) {
    this.group = new Group();
    this.extent = extent;
    this.colours = colours;
    this.lines = [];
    this.surfaces = [];
    this.fat = [];
    this.planes = []; // groups with z as normal, and how wide they are
    this.moving = [];
    for (const wall of walls) {
      if (!isWhole(wall)) continue;
      const drawn = this.draw(wall);
      this.group.add(drawn);
      if (wall.motion) this.moving.push({ wall, drawn, rest: drawn.matrix.clone() });
    }
  }

  /** Puts the walls that move where they are at time t. */
  update(t) {
    for (const { wall, drawn, rest } of this.moving) {
      const { angle, axis, pivot, shift } = motionAt(wall, t);
      drawn.matrix
        .makeTranslation(pivot[0] + shift[0], pivot[1] + shift[1], pivot[2] + shift[2])
        .multiply(new Matrix4().makeRotationAxis(new Vector3(...axis), angle))
        .multiply(new Matrix4().makeTranslation(-pivot[0], -pivot[1], -pivot[2]))
        .multiply(rest);
      drawn.matrixWorldNeedsUpdate = true;
    }
  }

  surface(geometry, inside) {
    const material = new MeshStandardMaterial({
      transparent: true,
      opacity: 0.13,
      roughness: 0.9,
      side: inside ? BackSide : FrontSide,
      depthWrite: false,
    });
    this.surfaces.push(material);
    return new Mesh(geometry, material);
  }

  segments(positions, opacity = 0.45) {
    const material = new LineBasicMaterial({ transparent: true, opacity });
    this.lines.push(material);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
    return new LineSegments(geometry, material);
  }

  curve(points, width = 2.4) {
    const material = new LineMaterial({ linewidth: width });
    this.fat.push(material);
    return new Line2(new LineGeometry().setPositions(points.flat()), material);
  }

  // Short strokes from a curve into the solid, spaced evenly along it.
  hatching(points, solid, spacing) {
    const strokes = [];
    let rest = spacing / 2;
    for (let i = 0; i + 1 < points.length; i++) {
      const [ax, ay] = points[i],
        [bx, by] = points[i + 1];
      const length = Math.hypot(bx - ax, by - ay);
      if (!(length > 0)) continue;
      const tx = (bx - ax) / length,
        ty = (by - ay) / length;
      for (; rest < length; rest += spacing) {
        const x = ax + tx * rest,
          y = ay + ty * rest;
        // To the right of the way along the curve, leaning back.
        strokes.push(
          x,
          y,
          0,
          x + spacing * 0.9 * (solid * ty - tx * 0.8),
          y + spacing * 0.9 * (-solid * tx - ty * 0.8),
          0,
        );
      }
      rest -= length;
    }
    return this.segments(strokes, 0.6);
  }

  place(object, { centre, x, y, z }) {
    object.matrix = new Matrix4()
      .makeBasis(new Vector3(...x), new Vector3(...y), new Vector3(...z))
      .setPosition(...centre);
    object.matrixAutoUpdate = false;
    return object;
  }

  draw(wall) {
    if (wall.kind === "plane") return this.plane(wall);
    const frame = frameOf(wall);
    const group = this.place(new Group(), frame);
    group.name = wall.name ?? "";
    if (wall.kind === "sphere") {
      group.add(...this.ellipsoid([wall.radius, wall.radius, wall.radius], wall.inside));
    } else if (wall.kind === "ellipsoid") {
      group.add(...this.ellipsoid(wall.semi_axes, wall.inside));
    } else if (wall.kind === "torus") {
      group.add(
        this.surface(new TorusGeometry(wall.ring, wall.tube, 32, 96), wall.inside),
        this.segments(torusLines(wall.ring, wall.tube), 0.25),
      );
    } else if (wall.kind in SHAPES) {
      group.add(...this.shape(SHAPES[wall.kind](wall), wall));
    } else {
      this.extruded(group, wall, frame);
    }
    return group;
  }

  // A surface that ends, with its edges.
  shape(geometry, wall) {
    const mesh = this.surface(geometry, wall.inside);
    if (wall.kind !== "box" && !wall.inside) mesh.material.side = DoubleSide;
    const lines = this.segments(new EdgesGeometry(geometry, 20).getAttribute("position").array, 0.45);
    return [mesh, lines];
  }

  // What reaches along its axis without end: drawn about as deep as the motion, at its depth.
  extruded(group, wall, frame) {
    const { motion, size, normal } = this.extent;
    const relative = added(motion.centre, scaled(frame.centre, -1));
    const middle = dot(relative, frame.z);
    const reach = Math.max(motion.diagonal, size) * 0.9;
    const along = dot(relative, frame.x);
    const points = (wall.points ?? []).map((p) => p[0]);
    const around = [Math.min(along - reach, ...points), Math.max(along + reach, ...points)];
    const { points: curve, solid } = curveOf(wall, around);
    const planar = normal && Math.abs(dot(normal, frame.z)) > 0.999;
    const deep =
      Math.max(dot(motion.size.map(Math.abs), frame.z.map(Math.abs)), planar ? size * 0.25 : motion.diagonal) *
      (planar ? 1 : 0.6);
    const front = middle + deep / 2,
      back = middle - deep / 2;
    const inward = wall.kind === "profile" || wall.kind === "stairs" ? true : wall.inside;
    const sheet = this.surface(ribbon(curve, back, front), inward);
    sheet.material.side = DoubleSide;
    group.add(sheet);
    const edges = [];
    for (const z of planar ? [back, front] : [back, (back + front) / 2, front]) {
      for (let i = 0; i + 1 < curve.length; i++) edges.push(...curve[i], z, ...curve[i + 1], z);
    }
    for (let i = 0; i < curve.length; i += wall.kind === "stairs" ? 1 : 15) edges.push(...curve[i], back, ...curve[i], front);
    group.add(this.segments(edges, 0.22));
    const line = this.curve(curve.map((p) => [...p, middle]));
    const hatch = this.hatching(curve, solid, Math.max(motion.diagonal, size) / 70);
    hatch.position.z = middle;
    group.add(line, hatch);
  }

  ellipsoid([a, b, c], inside) {
    const mesh = this.surface(new SphereGeometry(1, 64, 32).rotateX(Math.PI / 2), inside);
    const lines = this.segments(sphereLines(), 0.3);
    for (const object of [mesh, lines]) object.scale.set(a, b, c);
    return [mesh, lines];
  }

  // A plane about as wide as the motion, below its middle.
  plane(wall) {
    const frame = frameOf(wall);
    const { motion, size, normal } = this.extent;
    const half = Math.max(motion.diagonal, size) * 0.85;
    const away = dot(added(motion.centre, scaled(frame.centre, -1)), frame.z);
    const foot = added(motion.centre, scaled(frame.z, -away));
    // Axes of the grid along the robot's plane, so that its trace lies on a line.
    if (normal) {
      const along = cross(normal, frame.z);
      if (Math.hypot(...along) > 1e-6) {
        frame.x = unitOf(along);
        frame.y = cross(frame.z, frame.x);
      }
    }
    const group = this.place(new Group(), { ...frame, centre: foot });
    group.name = wall.name ?? "";
    const sheet = this.surface(new PlaneGeometry(2 * half, 2 * half), false);
    sheet.material.side = DoubleSide;
    this.planes.push({ group, wide: 2 * half });
    const grid = [];
    const cells = 16;
    for (let i = 0; i <= cells; i++) {
      const u = -half + (2 * half * i) / cells;
      grid.push(u, -half, 0, u, half, 0, -half, u, 0, half, u, 0);
    }
    group.add(sheet, this.segments(grid, 0.3));
    if (normal && Math.abs(dot(normal, frame.z)) < 0.95) {
      const ends = [
        [-half, 0],
        [half, 0],
      ];
      const trace = new Group();
      trace.add(this.curve(ends.map((p) => [...p, 0])), this.hatching(ends, 1, Math.max(motion.diagonal, size) / 70));
      // Hatching is drawn in x y; a plane's curve lies along x with the solid against z.
      trace.rotation.x = Math.PI / 2;
      group.add(trace);
    }
    return group;
  }

  colour() {
    const { wall, wallLine } = this.colours();
    for (const material of this.surfaces) material.color.set(wall);
    for (const material of [...this.lines, ...this.fat]) material.color.set(wallLine);
  }
}

function ribbon(curve, back, front) {
  const positions = [];
  const faces = [];
  curve.forEach(([x, y], i) => {
    positions.push(x, y, back, x, y, front);
    if (i > 0) faces.push(2 * i - 2, 2 * i, 2 * i - 1, 2 * i - 1, 2 * i, 2 * i + 1);
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
  geometry.setIndex(faces);
  geometry.computeVertexNormals();
  return geometry;
}

function sphereLines() {
  const lines = [];
  const at = (i, j) => {
    const u = (i * Math.PI) / 6,
      v = (j * Math.PI) / 24 - Math.PI / 2;
    lines.push(Math.cos(u) * Math.cos(v), Math.sin(u) * Math.cos(v), Math.sin(v));
  };
  for (let i = 0; i < 12; i++) for (let j = 0; j < 24; j++) (at(i, j), at(i, j + 1));
  for (let k = -2; k <= 2; k++) {
    const v = (k * Math.PI) / 6;
    for (let i = 0; i < 72; i++) {
      for (const u of [(i * Math.PI) / 36, ((i + 1) * Math.PI) / 36])
        lines.push(Math.cos(u) * Math.cos(v), Math.sin(u) * Math.cos(v), Math.sin(v));
    }
  }
  return lines;
}

function torusLines(ring, tube) {
  const lines = [];
  const at = (u, v) =>
    lines.push(
      (ring + tube * Math.cos(v)) * Math.cos(u),
      (ring + tube * Math.cos(v)) * Math.sin(u),
      tube * Math.sin(v),
    );
  for (let i = 0; i < 24; i++)
    for (let j = 0; j < 24; j++)
      (at((i * Math.PI) / 12, (j * Math.PI) / 12), at((i * Math.PI) / 12, ((j + 1) * Math.PI) / 12));
  for (let j = 0; j < 8; j++)
    for (let i = 0; i < 96; i++)
      (at((i * Math.PI) / 48, (j * Math.PI) / 4), at(((i + 1) * Math.PI) / 48, (j * Math.PI) / 4));
  return lines;
}
