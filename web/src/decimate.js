// SPDX-License-Identifier: Apache-2.0
// Long series as a screen can show them: per pixel the least and the greatest value, in the order in which they come.

import { lastAtOrBelow } from "./data.js";

const cell = (value) => (Number.isFinite(value) ? value : null);

function plain(time, columns, from, to) {
  const data = [new Array(to - from)];
  for (let i = from; i < to; i++) data[0][i - from] = time[i];
  for (const values of columns) {
    const series = new Array(to - from);
    for (let i = from; i < to; i++) series[i - from] = cell(values[i]);
    data.push(series);
  }
  return data;
}

/** Fills two places of series with the extremes of values[from..to). */
function extremes(values, from, to, series, at) {
  let low = Infinity,
    high = -Infinity,
    lowAt = from,
    highAt = from;
  for (let i = from; i < to; i++) {
    const value = values[i];
    if (value < low) {
      low = value;
      lowAt = i;
    }
    if (value > high) {
      high = value;
      highAt = i;
    }
  }
  const none = low > high;
  series[at] = none ? null : cell(lowAt <= highAt ? low : high);
  series[at + 1] = none ? null : cell(lowAt <= highAt ? high : low);
}

/** [times, series...] of the rows between t0 and t1 and one on either side, at most about two points per bucket. */
export function decimate(time, columns, t0, t1, buckets) {
  const rows = time.length;
  const from = Math.max(0, lastAtOrBelow(time, t0));
  const to = Math.min(rows, lastAtOrBelow(time, t1) + 2);
  const count = to - from;
  if (count <= 3 * buckets) return plain(time, columns, from, Math.max(from, to));
  const times = new Array(2 * buckets);
  const data = [times, ...columns.map(() => new Array(2 * buckets))];
  for (let b = 0; b < buckets; b++) {
    const start = from + Math.floor((b * count) / buckets);
    const end = from + Math.floor(((b + 1) * count) / buckets);
    times[2 * b] = time[start];
    times[2 * b + 1] = time[end - 1];
    columns.forEach((values, k) => extremes(values, start, end, data[k + 1], 2 * b));
  }
  return data;
}
