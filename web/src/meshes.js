// SPDX-License-Identifier: Apache-2.0
// Mesh files of links. Every file is parsed once; nothing is ever fetched: textures become one white pixel.

import { Group, LoadingManager, Mesh, MeshStandardMaterial } from "three";
import { ColladaLoader } from "three/addons/loaders/ColladaLoader.js";
import { OBJLoader } from "three/addons/loaders/OBJLoader.js";
import { STLLoader } from "three/addons/loaders/STLLoader.js";
import { bytesOf } from "./data.js";
import { LARGEST } from "./extent.js";

const PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=";

function manager() {
  const loading = new LoadingManager();
  loading.setURLModifier(() => PIXEL);
  return loading;
}

function parse(format, bytes) {
  if (format === "stl") {
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const geometry = new STLLoader().parse(buffer);
    geometry.computeVertexNormals(); // those in the file are often zero
    return new Mesh(geometry, null);
  }
  const text = new TextDecoder().decode(bytes);
  if (format === "obj") return new OBJLoader().parse(text);
  if (new DOMParser().parseFromString(text, "application/xml").querySelector("parsererror")) return null;
  // Robot files place a mesh by its own axes, whichever of them the file calls up; its unit counts.
  return new ColladaLoader(manager()).parse(text.replace(/<up_axis>[^<]*<\/up_axis>/, ""), "").scene;
}

/** Objects for mesh files, one fresh copy per use; null where a file can't be read. */
export class Meshes {
  constructor(files) {
    this.files = Array.isArray(files) ? files : [];
    this.parsed = new Map();
    this.unread = [];
  }

  template(index) {
    if (this.parsed.has(index)) return this.parsed.get(index);
    const file = this.files[index];
    let object = null;
    try {
      object = file ? parse(file.format, bytesOf(file.data)) : null;
      let vertices = 0;
      object?.traverse((part) => {
        const position = part.isMesh ? part.geometry.getAttribute("position") : null;
        vertices += position?.count ?? 0;
        if (position && !position.array.every((x) => Math.abs(x) <= LARGEST)) throw new Error("a vertex is nowhere");
      });
      if (vertices === 0) object = null;
    } catch {
      object = null;
    }
    if (!object && file) this.unread.push(file.name ?? `mesh ${index}`);
    this.parsed.set(index, object);
    return object;
  }

  /** A copy in the colour given, else in the file's own, else in the fallback. */
  make(index, colour, fallback) {
    const template = this.template(index);
    if (!template) return null;
    const group = new Group();
    template.updateMatrixWorld(true);
    template.traverse((part) => {
      if (!part.isMesh) return;
      if (!part.geometry.getAttribute("normal")) part.geometry.computeVertexNormals();
      const own = (material) => {
        if (colour) return colour;
        if (!material?.color || part.geometry.hasAttribute?.("color")) return fallback;
        return new MeshStandardMaterial({
          color: material.color,
          roughness: 0.65,
          metalness: 0.05,
          transparent: material.opacity < 1,
          opacity: material.opacity,
        });
      };
      const named = template.isMesh ? fallback : null;
      const material = colour ?? named ?? (Array.isArray(part.material) ? part.material.map(own) : own(part.material));
      const copy = new Mesh(part.geometry, material);
      copy.matrix.copy(part.matrixWorld);
      copy.matrixAutoUpdate = false;
      copy.matrixWorldNeedsUpdate = true;
      group.add(copy);
    });
    return group;
  }
}
