// SPDX-License-Identifier: Apache-2.0
// A finding's fix, done in the text of the robot file. Fixes are written in the file's own syntax, with the line that
// they are about: what they name is changed there and nothing else, so that lines keep their numbers.

const TAG = /<!--[\s\S]*?-->|<(\/?)([A-Za-z_][\w:.-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>/g;
const ATTRIBUTES = '(?:[A-Za-z_]\\w*="[^"<>]*"\\s*)+';
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const inXml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const replaced = (text, from, to, by) => text.slice(0, from) + by + text.slice(to);

/** Where a line begins and ends, counted from 1. */
function lineAt(text, number) {
  let from = 0;
  for (let i = 1; i < number; i++) {
    from = text.indexOf("\n", from) + 1;
    if (from === 0) return null;
  }
  const to = text.indexOf("\n", from);
  return { from, to: to < 0 ? text.length : to };
}

/** The tags on a line and after them those that enclose it, the nearest first. */
function tagsAt(text, line) {
  const on = [];
  const open = [];
  for (const match of text.matchAll(TAG)) {
    if (match.index > line.to) break;
    if (!match[2]) continue;
    const tag = { name: match[2], from: match.index, to: match.index + match[0].length, closed: /\/\s*$/.test(match[3]) };
    if (match[1]) {
      if (tag.to <= line.from) open.pop();
      continue;
    }
    if (tag.to > line.from) on.push(tag);
    else if (!tag.closed) open.push(tag);
  }
  return [...on, ...open.reverse()];
}

// Of several tags on a line, first those of the link or joint that the finding is about, and of a link those of its
// mass before those of its shapes.
function nearestFirst(text, tags, subject) {
  const name = `["']${escaped(inXml(subject))}["']`;
  const start = subject ? new RegExp(`<(link|joint|body)\\b[^>]*\\sname\\s*=\\s*${name}[^>]*>`).exec(text) : null;
  if (!start) return tags;
  const end = text.indexOf(`</${start[1]}>`, start.index);
  const from = text.indexOf("<inertial", start.index);
  const to = text.indexOf("</inertial>", start.index);
  const distance = (tag) =>
    tag.from < start.index || (end >= 0 && tag.from > end) ? 2 : from <= tag.from && tag.from < to ? 0 : 1;
  return tags.map((tag, i) => ({ tag, i })).sort((a, b) => distance(a.tag) - distance(b.tag) || a.i - b.i).map(({ tag }) => tag);
}

const attributeOf = (text, tag, name) => {
  const own = new RegExp(`(\\s${escaped(name)}\\s*=\\s*)("[^"]*"|'[^']*')`).exec(text.slice(tag.from, tag.to));
  if (!own) return null;
  const from = tag.from + own.index + own[1].length;
  return { from, to: from + own[2].length, value: own[2].slice(1, -1), name: tag.from + own.index + 1 };
};

/** Gives the first of the tags that fits these attributes, each as it is or added at its end. */
function withAttributes(text, tags, name, wanted) {
  const has = (tag) => wanted.some(([key]) => attributeOf(text, tag, key));
  const tag = name ? tags.find((one) => one.name === name) : tags.find(has);
  if (!tag) return null;
  let out = text;
  let end = tag.to;
  for (const [key, value] of wanted) {
    const own = attributeOf(out, { ...tag, to: end }, key);
    const at = own ?? { from: end - (tag.closed ? 2 : 1), to: end - (tag.closed ? 2 : 1) };
    const next = replaced(out, at.from, at.to, own ? `"${value}"` : ` ${key}="${value}"`);
    end += next.length - out.length;
    out = next;
  }
  return out;
}

const pairsOf = (text) => [...text.matchAll(/([A-Za-z_]\w*)="([^"]*)"/g)].map(([, key, value]) => [key, value]);

// The value that the finding quotes becomes another one: a name that exists, a number with a point.
function withValue(text, tags, what, value) {
  for (const [, old] of what.matchAll(/"([^"]+)"/g))
    for (const tag of tags)
      for (const match of text.slice(tag.from, tag.to).matchAll(/=\s*("[^"]*"|'[^']*')/g)) {
        if (match[1].slice(1, -1) !== inXml(old)) continue;
        const to = tag.from + match.index + match[0].length;
        return replaced(text, to - match[1].length, to, `"${inXml(value)}"`);
      }
  return null;
}

function withElement(text, tags, what, name) {
  const old = /^<([^>]+)> does not exist/.exec(what)?.[1];
  const tag = tags.find((one) => one.name === old);
  if (!tag) return null;
  let out = text;
  if (!tag.closed) {
    const end = text.indexOf(`</${old}>`, tag.to);
    if (end < 0) return null;
    out = replaced(out, end + 2, end + 2 + old.length, name);
  }
  return replaced(out, tag.from + 1, tag.from + 1 + old.length, name);
}

function withAttributeName(text, tags, what, name) {
  const [, element, old] = /^<([^>]+)> has no attribute (\S+)/.exec(what) ?? [];
  const tag = tags.find((one) => one.name === element);
  const own = tag && old && attributeOf(text, tag, old.replace(/;$/, ""));
  return own ? replaced(text, own.name, own.name + old.replace(/;$/, "").length, name) : null;
}

function inXmlFile(text, line, { subject, what, fix }) {
  const tags = nearestFirst(text, tagsAt(text, line), subject ?? "");
  let match;
  if ((match = new RegExp(`^<(\\w+)\\s+(${ATTRIBUTES})/?>`).exec(fix)))
    return withAttributes(text, tags, match[1], pairsOf(match[2]));
  if ((match = /^<(\w+)>([^<>]*)<\/\1>$/.exec(fix))) {
    const tag = tags.find(({ name }) => name === match[1]);
    const end = tag && !tag.closed ? text.indexOf("<", tag.to) : -1;
    return end < 0 ? null : replaced(text, tag.to, end, match[2]);
  }
  if ((match = /^<(\w+)>$/.exec(fix))) return withElement(text, tags, what, match[1]);
  if ((match = /^(\w+)="\.\.\."/.exec(fix))) return withAttributeName(text, tags, what, match[1]);
  if ((match = new RegExp(`^${ATTRIBUTES}`).exec(fix))) return withAttributes(text, tags, null, pairsOf(match[0]));
  if ((match = /^(?:write )?"([^"]+)"$/.exec(fix))) return withValue(text, tags, what, match[1]);
  return null;
}

// Keys of one mapping, on the line or on those below it.
function inYamlFile(text, line, { fix }) {
  const pairs = [...fix.matchAll(/(?:^|, )([a-z_]+): (\[[^\]]*\]|[^,;\s]+)/g)];
  if (pairs.length === 0 || pairs[0].index !== 0 || pairs.some(([, , value]) => value === "...")) return null;
  let out = text;
  for (const [, key, value] of pairs) {
    let to = line.from;
    for (let i = 0; i < 8 && to >= 0; i++) to = out.indexOf("\n", to + 1);
    const part = out.slice(line.from, to < 0 ? out.length : to);
    const own = new RegExp(`(^|[\\s{,])(${key}:\\s*)(\\[[^\\]]*\\]|[^,}\\]\\s#]+)`).exec(part);
    if (!own) return null;
    const from = line.from + own.index + own[1].length + own[2].length;
    out = replaced(out, from, from + own[3].length, value);
  }
  return out;
}

/** The text with what a finding proposes; null where it proposes nothing that can be written. */
export function mended(text, finding) {
  const line = finding.line > 0 ? lineAt(text, finding.line) : null;
  if (!line || !finding.fix) return null;
  const out = (/^\s*</.test(text) ? inXmlFile : inYamlFile)(text, line, finding);
  return out === text ? null : out;
}
