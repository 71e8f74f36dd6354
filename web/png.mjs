// SPDX-License-Identifier: Apache-2.0
// Small PNG files: pictures of at most 256 colours, which for a page with drawings are nearly all that it has.

import { deflateSync } from "node:zlib";

/** Colours that fall together in their upper bits, most frequent first, each as the mean of its own. */
function bins(rgba, bits) {
  const found = new Map();
  const drop = 8 - bits;
  for (let i = 0; i < rgba.length; i += 4) {
    const key = ((rgba[i] >> drop) << (2 * bits)) | ((rgba[i + 1] >> drop) << bits) | (rgba[i + 2] >> drop);
    const bin = found.get(key) ?? [0, 0, 0, 0];
    bin[0]++;
    for (let c = 0; c < 3; c++) bin[c + 1] += rgba[i + c];
    found.set(key, bin);
  }
  const sorted = [...found].sort((a, b) => b[1][0] - a[1][0] || a[0] - b[0]);
  return sorted.map(([, [count, ...sums]]) => sums.map((sum) => Math.round(sum / count)));
}

// Half for the shades of backgrounds, which are many pixels, half for lines, which are many colours.
function palette(rgba) {
  const fine = bins(rgba, 7).slice(0, 128);
  return [...fine, ...bins(rgba, 4).slice(0, 256 - fine.length)];
}

function indexed(rgba, colours) {
  const known = new Map();
  const out = new Uint8Array(rgba.length / 4);
  for (let i = 0; i < out.length; i++) {
    const [r, g, b] = [rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2]];
    const key = (r << 16) | (g << 8) | b;
    let best = known.get(key);
    if (best === undefined) {
      let least = Infinity;
      colours.forEach(([cr, cg, cb], k) => {
        const distance = (r - cr) ** 2 + (g - cg) ** 2 + (b - cb) ** 2;
        if (distance < least) [least, best] = [distance, k];
      });
      known.set(key, best);
    }
    out[i] = best;
  }
  return out;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  let crc = 0xffffffff;
  for (const byte of body) crc = TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  check.writeUInt32BE((crc ^ 0xffffffff) >>> 0);
  return Buffer.concat([size, body, check]);
}

/** A PNG file of the pixels given. */
export function png(rgba, width, height) {
  const colours = palette(rgba);
  const pixels = indexed(rgba, colours);
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) Buffer.from(pixels.buffer, y * width, width).copy(lines, y * (width + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // 8 bits each, by palette
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(colours.flat())),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
