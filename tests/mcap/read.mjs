// SPDX-License-Identifier: Apache-2.0
// An MCAP log, read by the reader of the format's authors, as CSV: the
// numbers of /run in their order, checked on the way against index, checksums and the other topics.
//
//   node read.mjs RUN.mcap [part]      part: a log that was not finished

import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import fs from "node:fs";

const bytes = fs.readFileSync(process.argv[2]);
const part = process.argv[3] === "part";
const check = (good, what) => {
  if (!good) throw new Error(what);
};
const decode = (message) => JSON.parse(new TextDecoder().decode(message.data));

// ---- as a stream -------------------------------------------------------------------------------

const stream = new McapStreamReader({ validateCrcs: true });
stream.append(bytes);
const topics = new Map();
const count = new Map();
const rows = [];
const seen = { Attachment: 0, Metadata: 0 };
for (let record; (record = stream.nextRecord()); ) {
  if (record.type in seen) seen[record.type]++;
  if (record.type === "Channel") topics.set(record.id, record.topic);
  if (record.type !== "Message") continue;
  const topic = topics.get(record.channelId);
  count.set(topic, (count.get(topic) ?? 0) + 1);
  const message = decode(record);
  if (topic === "/run") rows.push(message);
  if (topic === "/run" || topic === "/events")
    check(Number(record.logTime) === Math.max(0, Math.round(message.t * 1e9)), "a time");
  if (topic === "/joint_states") {
    const q = rows[rows.length - 1].q;
    message.name.forEach((name, k) => check(q[name] === message.position[k], `position of ${name}`));
  }
  if (topic === "/tf")
    for (const { rotation: r } of message.transforms)
      check(Math.abs(Math.hypot(r.x, r.y, r.z, r.w) - 1) < 1e-12, "a unit quaternion");
}
check(rows.length > 0, "rows");
check(count.get("/tf") === rows.length, "a pose for each row");

// ---- by its index ------------------------------------------------------------------------------

if (!part) {
  check(stream.done() && stream.bytesRemaining() === 0, "the end");
  const readable = {
    size: async () => BigInt(bytes.length),
    read: async (offset, length) => bytes.subarray(Number(offset), Number(offset + length)),
  };
  const file = await McapIndexedReader.Initialize({ readable });
  const indexed = new Map();
  for await (const message of file.readMessages({ validateCrcs: true })) {
    const topic = file.channelsById.get(message.channelId).topic;
    indexed.set(topic, (indexed.get(topic) ?? 0) + 1);
  }
  let all = 0;
  for (const [topic, n] of count) {
    check(indexed.get(topic) === n, `messages of ${topic}`);
    all += n;
  }
  const s = file.statistics;
  check(Number(s.messageCount) === all, "the statistics");
  check(s.attachmentCount === seen.Attachment && s.metadataCount === seen.Metadata, "attachments");
}

// ---- the rows ----------------------------------------------------------------------------------

const flat = (object, name) =>
  Object.entries(object).flatMap(([key, value]) =>
    value !== null && typeof value === "object" ? flat(value, `${name}${key}.`) : [[name + key, value]],
  );
for (const row of rows) console.log(flat(row, "").map(([, value]) => value).join(","));
