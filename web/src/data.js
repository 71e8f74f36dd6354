// SPDX-License-Identifier: Apache-2.0
// The run as the page has it: columns by name, rows by time, events in the order of time.

const CODES = (() => {
  const codes = new Uint8Array(128);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let i = 0; i < alphabet.length; i++) codes[alphabet.charCodeAt(i)] = i;
  return codes;
})();

/** Bytes of a base64 text. */
export function bytesOf(text) {
  if (!text) return new Uint8Array(0);
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  let length = text.length;
  while (length > 0 && text[length - 1] === "=") length--;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let out = 0;
  for (let i = 0; i < length; i += 4) {
    const word =
      (CODES[text.charCodeAt(i)] << 18) |
      (CODES[text.charCodeAt(i + 1)] << 12) |
      (i + 2 < length ? CODES[text.charCodeAt(i + 2)] << 6 : 0) |
      (i + 3 < length ? CODES[text.charCodeAt(i + 3)] : 0);
    bytes[out++] = word >> 16;
    if (out < bytes.length) bytes[out++] = word >> 8;
    if (out < bytes.length) bytes[out++] = word;
  }
  return bytes;
}

/** Numbers of a base64 text: a Float32Array or Float64Array of as many whole numbers as it holds. */
function numbersOf(Type, text) {
  const bytes = bytesOf(text);
  const size = Type.BYTES_PER_ELEMENT;
  const whole = bytes.length - (bytes.length % size);
  if (bytes.byteOffset % size === 0) return new Type(bytes.buffer, bytes.byteOffset, whole / size);
  return new Type(bytes.slice(0, whole).buffer);
}

const list = (value) => (Array.isArray(value) ? value : []);
const number = (value, otherwise) => (Number.isFinite(value) ? value : otherwise);

/** Index of the last of the first n sorted values that is <= x; -1 where all are above. */
export function lastAtOrBelow(values, x, n = values.length) {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// Events whose states are known have two samples of their own, just before and just after.
function isJump(time, rows, t) {
  const last = lastAtOrBelow(time, t, rows);
  return last > 0 && time[last] === t && time[last - 1] === t;
}

/** The document that stands in the page, with whatever is absent or cut off made good. Other runs, which it is compared
 *  with, are read likewise; the time shown goes from the first start to the last end of all. */
export function readRun(document) {
  const run = readOne(document);
  run.others = list(document?.others).map(readOne);
  for (const other of run.others) {
    if (other.title === run.title && other.madeFrom) other.title = other.madeFrom;
    if (other.rows === 0) continue;
    run.start = run.rows > 0 ? Math.min(run.start, other.start) : other.start;
    run.end = Math.max(run.end, other.end);
  }
  return run;
}

function readOne(document) {
  const given = document && typeof document === "object" ? document : {};
  const all = list(given.columns);
  const hasTime = all.length > 0 && all[0].group === "time";
  const named = hasTime ? all.slice(1) : all;
  const time = numbersOf(Float64Array, given.time);
  const data = numbersOf(Float32Array, given.data);
  let rows = Math.min(number(given.rows, time.length), time.length);
  if (named.length > 0) rows = Math.min(rows, Math.floor(data.length / named.length));

  const columns = named.map((column, i) => ({
    name: String(column.name ?? `column ${i + 1}`),
    unit: column.unit ?? "",
    group: column.group ?? "other",
    steps: column.steps === true,
    values: data.subarray(i * rows, (i + 1) * rows),
  }));
  const byName = new Map(columns.map((column) => [column.name, column]));
  const turns = ({ joint, point }) => joint >= 0 && byName.get(`v.${point}`)?.unit === "rad/s";
  const events = list(given.events)
    .map((event, index) => ({ ...event, t: number(event.t, 0), index, turns: turns(event) }))
    .sort((a, b) => a.t - b.t || a.index - b.index);
  const impactTimes = Float64Array.from(
    events.filter((event) => event.event === "impact"),
    (event) => event.t,
  );
  const start = rows > 0 ? time[0] : 0;
  const end = rows > 0 ? time[rows - 1] : 0;
  return {
    title: given.title ?? "A run",
    program: given.program ?? "appell",
    madeFrom: given.made_from ?? "",
    facts: list(given.facts),
    warnings: list(given.warnings),
    scenario: given.scenario ?? null,
    model: given.model && list(given.model.bodies).length > 0 ? given.model : null,
    walls: list(given.walls),
    points: list(given.points),
    closures: list(given.closures),
    others: [],
    following: Number.isFinite(given.following?.rms) ? given.following : null,
    time: time.subarray(0, rows),
    rows,
    start,
    end: end >= start ? end : start,
    columns,
    byName,
    events,
    eventTimes: Float64Array.from(events, (event) => event.t),
    impactTimes,
    bends: impactTimes.filter((t) => !isJump(time, rows, t)),
    column: (name) => byName.get(name) ?? null,
  };
}

/** Where t lies among the rows: the row before it and how far to the next, 0 to 1. */
export function placeOf(run, t) {
  if (run.rows === 0) return { row: 0, next: 0, part: 0 };
  const row = Math.min(Math.max(lastAtOrBelow(run.time, t), 0), run.rows - 1);
  const next = Math.min(row + 1, run.rows - 1);
  const step = run.time[next] - run.time[row];
  const part = step > 0 ? Math.min(Math.max((t - run.time[row]) / step, 0), 1) : 0;
  return { row, next, part };
}

/** A column's value at time t: on the straight line between two rows, of a counter that of the row before. */
export function valueAt(run, column, t) {
  if (run.rows === 0) return NaN;
  const { row, next, part } = placeOf(run, t);
  const a = column.values[row];
  return part === 0 || column.steps ? a : a + (column.values[next] - a) * part;
}

/** The largest magnitude in columns; 0 where they hold no number. */
export function largest(columns) {
  let most = 0;
  for (const { values } of columns)
    for (const value of values) if (Number.isFinite(value) && Math.abs(value) > most) most = Math.abs(value);
  return most;
}

/** What is left by rounding among values of such a size is nothing. */
export const withoutNoise = (value, size) => (Math.abs(value) < 1e-12 * size ? 0 : value);
