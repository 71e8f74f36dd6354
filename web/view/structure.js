// SPDX-License-Identifier: Apache-2.0
// Which link hangs on which, and which joint carries it: of a robot, or of the text of a file that is none.

const attribute = (tag, name) => new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(tag)?.[1] ?? null;

const plain = (text) =>
  text?.replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => ({ lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" })[name]);

// Links and joints of a URDF, whatever is wrong with the rest.
function pairsOf(text) {
  const bare = text.replace(/<!--[\s\S]*?-->/g, "");
  const links = [...bare.matchAll(/<link\b[^>]*>/g)].map(([tag]) => plain(attribute(tag, "name"))).filter(Boolean);
  const joints = bare
    .split(/<joint\b/)
    .slice(1)
    .map((part) => ({
      name: plain(attribute(` ${part.slice(0, part.indexOf(">"))}`, "name")),
      parent: plain(attribute(/<parent\b[^>]*>/.exec(part)?.[0] ?? "", "link")),
      child: plain(attribute(/<child\b[^>]*>/.exec(part)?.[0] ?? "", "link")),
    }))
    .filter(({ child }) => child);
  return { links, joints };
}

/** { roots, links by name, linkOfJoint }; each link is { name, joint, children }. */
export function structureOf(subject, text) {
  let { links, joints } = { links: [], joints: [] };
  if (subject) {
    const { bodies } = subject.robot.drawing().model;
    links = bodies.map(({ name }) => name);
    joints = bodies.map(({ name, parent, joint }) => ({
      name: joint.name,
      parent: parent >= 0 ? bodies[parent].name : null,
      child: name,
    }));
  } else if (text && /<robot[\s>]/.test(text)) ({ links, joints } = pairsOf(text));
  const byName = new Map(links.map((name) => [name, { name, joint: null, parent: null, children: [] }]));
  const linkOfJoint = new Map();
  const isAbove = (link, other) => {
    for (let at = other; at; at = at.parent) if (at === link) return true;
    return false;
  };
  for (const { name, parent, child } of joints) {
    const own = byName.get(child);
    const above = byName.get(parent);
    if (name) linkOfJoint.set(name, child);
    if (!own || own.parent || !above || isAbove(own, above)) continue;
    Object.assign(own, { parent: above, joint: name });
    above.children.push(own);
  }
  return { roots: [...byName.values()].filter(({ parent }) => !parent), byName, linkOfJoint };
}
