// SPDX-License-Identifier: Apache-2.0
// The WebAssembly module: compiled once, instantiated again where an instance broke.

import { System } from "./system.js";

const embedded = null; // single.js has the module here, compressed, in base 64

const STATUS = ["ok", "argument", "memory", "model", "file", "syntax", "unsupported", "singular", "unreachable",
  "no-convergence", "not-found", "singular-serial", "singular-parallel", "singular-closures"];

/** What the library refuses, and why: `file:line: reason`. */
export class AppellError extends Error {
  constructor(reason, { status = "argument", file = null, line = 0, cause = undefined } = {}) {
    const place = file ? (line > 0 ? `${file}:${line}: ` : `${file}: `) : line > 0 ? `line ${line}: ` : "";
    super(place + reason, { cause });
    this.name = "AppellError";
    this.reason = reason;
    this.status = status;
    this.file = file;
    this.line = line;
  }
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Bytes of a text or of bytes. */
export function bytesOf(text) {
  if (typeof text === "string") return encoder.encode(text);
  if (text instanceof ArrayBuffer) return new Uint8Array(text);
  if (ArrayBuffer.isView(text)) return new Uint8Array(text.buffer, text.byteOffset, text.byteLength);
  throw new AppellError("expected a text or bytes");
}

/** A message without the folder that the files of a call are in: nobody else knows it. */
export const withoutFolder = (text) => text?.replaceAll(/"\/\d+\//g, '"');

/** An instance, with its own memory and files. What is made in it must not go to another one. */
export class Instance {
  constructor(module) {
    this.module = module;
    this.system = new System();
    this.broken = null; // what stopped it
    this.folders = 0;
    this.quantities = new Map();
  }

  async start() {
    const made = await WebAssembly.instantiate(this.module, { wasi_snapshot_preview1: this.system.imports });
    this.exports = made.exports;
    this.memory = this.system.memory = made.exports.memory;
    this.call("_initialize");
    return this;
  }

  /** Call a function of the module. A trap breaks the instance: its memory may be in any state. */
  call(name, ...args) {
    if (this.broken)
      throw new AppellError("the module has stopped before: load the robot again", { status: "stopped",
        cause: this.broken });
    try {
      return this.exports[name](...args);
    } catch (cause) {
      this.broken = cause;
      throw new AppellError(`the module has stopped (${cause.message}): load the robot again`, { status: "stopped",
        cause });
    }
  }

  /** Call one that returns a status; throw what it is not pleased with. */
  check(name, ...args) {
    if (this.call(name, ...args) !== 0) throw this.failure();
  }

  /** Call one that returns a handle, or 0. */
  open(name, file, ...args) {
    const handle = this.call(name, ...args);
    if (handle === 0) throw this.failure(file);
    return handle;
  }

  failure(file = null) {
    const status = STATUS[this.call("js_failure_status")] ?? "argument";
    const text = withoutFolder(this.string(this.call("js_failure_text")));
    return new AppellError(text, { status, file, line: this.call("js_failure_line") });
  }

  string(at) {
    const bytes = new Uint8Array(this.memory.buffer, at);
    return decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  /** What the last call wrote, a JSON document. */
  json() {
    const at = this.call("js_text"), length = this.call("js_text_length");
    return JSON.parse(decoder.decode(new Uint8Array(this.memory.buffer, at, length)));
  }

  alloc(size) {
    const at = this.call("js_alloc", size);
    if (at === 0) throw new AppellError("not enough memory", { status: "memory" });
    return at;
  }

  /** Doubles in the module's memory; the view ends when the memory grows. */
  doubles(at, n) {
    return new Float64Array(this.memory.buffer, at, n);
  }

  /** Run `use` with things in the module's memory: texts become their addresses, null stays 0. */
  withTexts(texts, use) {
    const held = [];
    try {
      for (const text of texts) {
        if (text === null || text === undefined) {
          held.push(0);
          continue;
        }
        if (text.includes("\0")) throw new AppellError("a name has a NUL in it");
        const bytes = encoder.encode(text), at = this.alloc(bytes.length + 1);
        held.push(at);
        const to = new Uint8Array(this.memory.buffer, at, bytes.length + 1);
        to.set(bytes);
        to[bytes.length] = 0;
      }
      return use(...held);
    } finally {
      if (!this.broken) for (const at of held) if (at) this.call("js_free", at);
    }
  }

  /** Put files into a folder of their own; returns its name. */
  addFiles(files) {
    const folder = `${++this.folders}`;
    for (const [name, content] of Object.entries(files)) {
      const parts = name.split("/").filter((part) => part !== "" && part !== ".");
      if (parts.length === 0 || parts.includes("..")) throw new AppellError(`"${name}" is no name of a file here`);
      this.system.files.set([folder, ...parts].join("/"), bytesOf(content));
    }
    return folder;
  }

  removeFiles(folder) {
    for (const name of [...this.system.files.keys()])
      if (name.startsWith(folder + "/")) this.system.files.delete(name);
    for (const name of [...this.system.numbers.keys()])
      if (name.startsWith(folder + "/")) this.system.numbers.delete(name);
  }
}

// ---- what lives in an instance ------------------------------------------------------------------

/** Frees what is in the module when nobody can reach the object any longer. */
const registry = new FinalizationRegistry(({ instance, close, handle, folder }) => release(instance, close, handle, folder));

function release(instance, close, handle, folder) {
  if (folder) instance.removeFiles(folder);
  if (!instance.broken) instance.call(close, handle);
}

/** Something in the module's memory: freed by free(), or when it cannot be reached. */
export class Owned {
  constructor(instance, close, handle, folder = null) {
    this._instance = instance;
    this._handle = handle;
    this._owned = { instance, close, handle, folder };
    registry.register(this, this._owned, this);
  }

  free() {
    if (this._handle === 0) return;
    registry.unregister(this);
    const { instance, close, handle, folder } = this._owned;
    this._handle = 0;
    release(instance, close, handle, folder);
  }

  get _alive() {
    if (this._handle === 0) throw new AppellError("it was freed");
    return this._handle;
  }
}

// ---- the module ---------------------------------------------------------------------------------

async function unpack(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source !== undefined && !(source instanceof URL) && typeof source !== "string")
    return WebAssembly.compile(bytesOf(source));
  if (embedded && source === undefined) return WebAssembly.compile(await unpack(embedded));
  const url = new URL(source ?? "./appell.wasm", import.meta.url);
  if (url.protocol === "file:" && typeof process !== "undefined") {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new AppellError(`cannot fetch ${url}: ${response.status}`, { status: "file" });
  return WebAssembly.compile(await response.arrayBuffer());
}

let compiled = null; // a promise of the module
let current = null; // a promise of the instance that is in use

/** Say where appell.wasm is, before anything else: an address, its bytes, or the module. */
export function init(source) {
  compiled = compile(source);
  current = null;
  return ready().then(() => undefined);
}

/** The instance in use, or a fresh one where it broke. */
export async function ready() {
  const was = current && (await current.catch(() => null));
  if (!was || was.broken) {
    compiled ??= compile();
    current = compiled.then((module) => new Instance(module).start());
    current.catch(() => {
      compiled = current = null; // the next call tries again
    });
  }
  return current;
}
