// SPDX-License-Identifier: Apache-2.0
// Files that come into the page: with it, by a drop, by a dialogue. None may be larger than a robot needs.

import { bytesOf } from "../src/data.js";
import { MeshFiles, baseName } from "./stage.js";

export const MOST_ROBOT = 16 << 20; // bytes of a robot file
export const MOST_MESHES = 256 << 20; // of all meshes together
const MOST_FILES = 2000;

const endingOf = (name) => /\.([a-z0-9]+)$/i.exec(name)?.[1].toLowerCase() ?? "";
const ROBOTS = ["urdf", "xml", "mjcf", "yaml", "yml"];
const MESHES = ["stl", "obj", "dae"];

// A finding as `appell lint --json` writes it, in the words of the JavaScript library.
const findingOf = ({ effect, ...finding }) => ({
  line: 0,
  ...finding,
  severity: ["error", "warning"].includes(finding.severity) ? finding.severity : "note",
  ...(effect ?? { joint: null }),
});

/** What is to be shown of the document in the page; null: nothing. */
export function embedded(given) {
  if (!given || typeof given !== "object") return null;
  const meshes = new MeshFiles();
  for (const { name, format, data } of Array.isArray(given.meshes) ? given.meshes : [])
    meshes.add(String(name), format, data);
  const options = {
    floating: given.floating === true,
    ignoreMimic: given.ignore_mimic === true,
    ignoreLoops: given.ignore_loops === true,
  };
  const findings = Array.isArray(given.findings) ? given.findings.map(findingOf) : null;
  if (given.builtin) return { source: { builtin: String(given.builtin), options }, meshes, findings };
  if (typeof given.text !== "string") return null;
  return {
    source: { file: String(given.file ?? "robot.urdf"), bytes: bytesOf(given.text), options },
    meshes,
    findings,
  };
}

// Files of a folder that was dropped.
async function within(entry, found) {
  if (found.length >= MOST_FILES) return;
  if (entry.isFile) found.push(await new Promise((done, fail) => entry.file(done, fail)));
  if (!entry.isDirectory) return;
  const reader = entry.createReader();
  for (;;) {
    const part = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (part.length === 0) return;
    for (const inner of part) await within(inner, found);
  }
}

/** The files of a drop, those in its folders, too. */
export async function dropped(transfer) {
  // Both must be asked for before anything is waited for.
  const files = [...transfer.files];
  const folders = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry?.isDirectory);
  if (folders.length === 0) return files;
  const names = new Set(folders.map(({ name }) => name));
  const found = files.filter(({ name }) => !names.has(name));
  for (const folder of folders) await within(folder, found);
  return found;
}

const base64 = async (file) => {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
};

// What these look for is bounded: a file of a stranger must not keep the page busy.
const textOf = (bytes) => new TextDecoder().decode(bytes);
const matches = (text, pattern) => [...text.matchAll(pattern)].map(([, found]) => found);
const includedIn = (text) => matches(text, /<include\s[^>]{0,200}?\bfile\s{0,9}=\s{0,9}["']([^"']{1,300})["']/g);

/** The robots among files of one folder. A scene in MJCF, which adds nothing but lights and a floor to a robot, stands
 *  back behind it, parts that another file includes behind that file. */
function robotsAmong(sources) {
  const all = sources.map((source) => ({ source, text: textOf(source.bytes), behind: false }));
  for (const whole of all) {
    const parts = includedIn(whole.text).flatMap((name) =>
      all.filter((part) => part !== whole && baseName(part.source.file) === baseName(name)),
    );
    const robots = parts.filter(({ text }) => text.includes("<worldbody"));
    if (robots.length > 0 && !/<body[\s>]/.test(whole.text)) whole.behind = true;
    else for (const part of parts) part.behind = true;
  }
  const robots = all.filter(({ behind }) => !behind);
  return (robots.length > 0 ? robots : all).map(({ source }) => source);
}

/** The files that a robot in MJCF names, by their paths: what it includes, and meshes, which can give inertias. Each is
 *  found by its name alone, as a drop has no folders. */
export function filesOf({ file = "", bytes = null, beside = [] }, meshes) {
  const files = {};
  const texts = bytes ? [textOf(bytes)] : [];
  if (!texts[0]?.includes("<mujoco")) return files;
  for (let k = 0; k < texts.length && k < MOST_FILES; k++)
    for (const name of includedIn(texts[k])) {
      const part = beside.find((other) => other.file !== file && baseName(other.file) === baseName(name));
      if (!part || name in files || !isInside(name)) continue;
      if (!Object.values(files).includes(part.bytes)) texts.push(textOf(part.bytes));
      files[name] = part.bytes;
    }
  const whole = texts.join("\n");
  const named = (key) => matches(whole, new RegExp(`\\b${key}\\s{0,9}=\\s{0,9}["']([^"']{0,300})["']`, "g"));
  const [folder = ""] = [...named("meshdir"), ...named("assetdir")];
  const meshNames = new Set(matches(whole, /\bfile\s{0,9}=\s{0,9}["']([^"']{1,300}\.(?:stl|obj|dae))["']/gi));
  for (const name of [...meshNames].slice(0, MOST_FILES)) {
    const path = folder ? `${folder}/${name}` : name;
    const mesh = meshes.files.find((own) => baseName(own.name) === baseName(name));
    if (mesh && isInside(path)) files[path] = bytesOf(mesh.data);
  }
  return files;
}

// Is it a path below the robot's folder?
const isInside = (path) => !path.startsWith("/") && !path.split("/").includes("..");

/** Robots and meshes among files. Throws what is wrong with them. */
export async function sorted(files, meshes = new MeshFiles()) {
  const robots = [];
  let total = meshes.files.reduce((sum, { data }) => sum + (data.length * 3) / 4, 0);
  for (const file of files.slice(0, MOST_FILES)) {
    const ending = endingOf(file.name);
    if (ROBOTS.includes(ending) && file.name !== "package.xml") {
      if (file.size > MOST_ROBOT)
        throw new Error(
          `${file.name} has ${(file.size / 2 ** 20).toFixed(1)} MiB (robot files have at most ${MOST_ROBOT >> 20})`,
        );
      robots.push({ file: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
    } else if (MESHES.includes(ending)) {
      total += file.size;
      if (total > MOST_MESHES) throw new Error(`there are more than ${MOST_MESHES >> 20} MiB of meshes`);
      meshes.add(file.name, ending, await base64(file));
    }
  }
  if (robots.length === 0 && meshes.files.length === 0)
    throw new Error(
      `${files[0]?.name ?? "nothing"} is no robot file (.urdf, .xml, .mjcf, .yaml) and no mesh (.stl, .obj, .dae)`,
    );
  for (const robot of robots) robot.beside = robots;
  return { robots: robotsAmong(robots), meshes };
}

/** Hand a text to the person as a file. */
export function save(name, text, type = "text/plain") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
