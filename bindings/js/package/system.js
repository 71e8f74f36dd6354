// SPDX-License-Identifier: Apache-2.0
// What the module asks of a system (WASI): files that it may read, a clock, random bytes. The files
// are in memory, and are read-only.

const OK = 0, BAD_FILE = 8, INVALID = 28, IS_FOLDER = 31, NONE = 44, NO_FOLDER = 54, READ_ONLY = 69;
const FOLDER = 3, FILE = 4, ROOT = 3; // types of files; the descriptor of "/"
const CREATE = 1, MUST_BE_FOLDER = 2, TRUNCATE = 8;

/** Thrown where the module ends itself, as abort() does. */
export class Exit extends Error {}

/** Files by their paths from "/", without that slash: bytes. */
export class System {
  constructor() {
    this.files = new Map();
    this.numbers = new Map(); // of paths, by which the library tells files apart
    this.number = 0n;
    this.open = new Map([[ROOT, { path: "" }]]);
    this.memory = null; // of the module, once it is there
    this.imports = {};
    for (const name of WASI) this.imports[name] = this[name].bind(this);
  }

  view() {
    return new DataView(this.memory.buffer);
  }

  bytes(at, length) {
    return new Uint8Array(this.memory.buffer, at, length);
  }

  /** The path of a name below a folder, "." and ".." taken out; null: above "/". */
  path(folder, at, length) {
    const parts = folder ? folder.split("/") : [];
    for (const part of new TextDecoder().decode(this.bytes(at, length)).split("/")) {
      if (part === "" || part === ".") continue;
      if (part !== "..") parts.push(part);
      else if (parts.pop() === undefined) return null;
    }
    return parts.join("/");
  }

  /** FILE, FOLDER, or 0 where there is nothing. */
  type(path) {
    if (path === null) return 0;
    if (path === "") return FOLDER;
    if (this.files.has(path)) return FILE;
    for (const name of this.files.keys()) if (name.startsWith(path + "/")) return FOLDER;
    return 0;
  }

  /** Names in a folder, with their types. */
  list(path) {
    const start = path === "" ? "" : path + "/";
    const names = new Map();
    for (const name of this.files.keys()) {
      if (!name.startsWith(start)) continue;
      const [first, ...rest] = name.slice(start.length).split("/");
      names.set(first, rest.length > 0 ? FOLDER : FILE);
    }
    return [...names];
  }

  writeStatus(at, path) {
    const view = this.view();
    this.bytes(at, 64).fill(0);
    if (!this.numbers.has(path)) this.numbers.set(path, ++this.number);
    view.setBigUint64(at + 8, this.numbers.get(path), true);
    view.setUint8(at + 16, this.type(path));
    view.setBigUint64(at + 24, 1n, true);
    view.setBigUint64(at + 32, BigInt(this.files.get(path)?.length ?? 0), true);
    return OK;
  }

  /** Read into the pieces of memory that a list names. */
  read(fd, list, count, done, from) {
    const file = this.open.get(fd);
    const bytes = file && this.files.get(file.path);
    if (!bytes) return file ? IS_FOLDER : BAD_FILE;
    const view = this.view();
    let at = from ?? file.at, total = 0;
    for (let i = 0; i < count; i++) {
      const to = view.getUint32(list + 8 * i, true), room = view.getUint32(list + 8 * i + 4, true);
      const piece = bytes.subarray(Math.min(at, bytes.length), Math.min(at + room, bytes.length));
      this.bytes(to, piece.length).set(piece);
      at += piece.length;
      total += piece.length;
    }
    if (from === undefined) file.at = at;
    view.setUint32(done, total, true);
    return OK;
  }

  environ_get() {
    return OK;
  }
  environ_sizes_get(count, size) {
    this.view().setUint32(count, 0, true);
    this.view().setUint32(size, 0, true);
    return OK;
  }
  clock_time_get(clock, precision, at) {
    const ms = clock === 0 ? Date.now() : performance.now();
    this.view().setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
    return OK;
  }
  random_get(at, length) {
    globalThis.crypto?.getRandomValues(this.bytes(at, length));
    return OK;
  }
  poll_oneoff() {
    return INVALID;
  }
  proc_exit() {
    throw new Exit("the module ended itself");
  }

  fd_prestat_get(fd, at) {
    if (fd !== ROOT) return BAD_FILE;
    this.view().setUint32(at, 0, true);
    this.view().setUint32(at + 4, 1, true);
    return OK;
  }
  fd_prestat_dir_name(fd, at) {
    this.bytes(at, 1)[0] = 0x2f; // "/"
    return OK;
  }
  fd_close(fd) {
    return fd !== ROOT && this.open.delete(fd) ? OK : BAD_FILE;
  }
  fd_fdstat_get(fd, at) {
    const file = this.open.get(fd);
    if (!file) return BAD_FILE;
    this.bytes(at, 24).fill(0);
    this.view().setUint8(at, this.type(file.path));
    this.bytes(at + 8, 16).fill(0xff); // every right
    return OK;
  }
  fd_fdstat_set_flags() {
    return OK;
  }
  fd_filestat_get(fd, at) {
    const file = this.open.get(fd);
    return file ? this.writeStatus(at, file.path) : BAD_FILE;
  }
  fd_filestat_set_size() {
    return READ_ONLY;
  }
  fd_read(fd, list, count, done) {
    return this.read(fd, list, count, done);
  }
  fd_pread(fd, list, count, from, done) {
    return this.read(fd, list, count, done, Number(from));
  }
  fd_readdir(fd, at, room, cookie, done) {
    const file = this.open.get(fd);
    if (!file || this.type(file.path) !== FOLDER) return file ? NO_FOLDER : BAD_FILE;
    const view = this.view();
    let used = 0;
    for (const [i, [name, type]] of this.list(file.path).entries()) {
      if (i < Number(cookie) || used === room) continue;
      const text = new TextEncoder().encode(name), entry = new Uint8Array(24 + text.length);
      const head = new DataView(entry.buffer);
      head.setBigUint64(0, BigInt(i + 1), true);
      head.setUint32(16, text.length, true);
      head.setUint8(20, type);
      entry.set(text, 24);
      const part = entry.subarray(0, room - used);
      this.bytes(at + used, part.length).set(part);
      used += part.length;
    }
    view.setUint32(done, used, true);
    return OK;
  }
  fd_seek(fd, by, whence, at) {
    const file = this.open.get(fd);
    const bytes = file && this.files.get(file.path);
    if (!bytes) return BAD_FILE;
    const from = [0, file.at, bytes.length][whence];
    if (from === undefined || from + Number(by) < 0) return INVALID;
    file.at = from + Number(by);
    this.view().setBigUint64(at, BigInt(file.at), true);
    return OK;
  }
  fd_tell(fd, at) {
    return this.fd_seek(fd, 0n, 1, at);
  }
  fd_sync() {
    return OK;
  }
  fd_write() {
    return BAD_FILE; // the library prints nothing
  }

  path_filestat_get(fd, flags, at, length, to) {
    const path = this.path(this.open.get(fd)?.path ?? "", at, length);
    return this.type(path) ? this.writeStatus(to, path) : NONE;
  }
  path_open(fd, follow, at, length, how, rights, inherited, flags, opened) {
    const path = this.path(this.open.get(fd)?.path ?? "", at, length);
    if (how & (CREATE | TRUNCATE)) return READ_ONLY;
    if (!this.type(path)) return NONE;
    if (how & MUST_BE_FOLDER && this.type(path) !== FOLDER) return NO_FOLDER;
    let free = ROOT + 1;
    while (this.open.has(free)) free++;
    this.open.set(free, { path, at: 0 });
    this.view().setUint32(opened, free, true);
    return OK;
  }
  path_readlink() {
    return INVALID; // there are no links
  }
  path_rename() {
    return READ_ONLY;
  }
  path_unlink_file() {
    return READ_ONLY;
  }
}

const WASI = Object.getOwnPropertyNames(System.prototype).filter((name) =>
  /^(fd|path|environ|clock|random|poll|proc)_/.test(name));
