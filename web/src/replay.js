// SPDX-License-Identifier: Apache-2.0
// The card with the 3D replay and the buttons about it. Without WebGL it says so and the rest of the page goes on.

import { button, eachFrame, h, save, shown } from "./dom.js";
import { View } from "./scene.js";
import { remark } from "./summary.js";
import { onTheme } from "./theme.js";

const LAYERS = [
  ["walls", "Walls and ground"],
  ["points", "Contact points"],
  ["closures", "Closures"],
  ["traces", "Traces"],
  ["events", "Marks of events"],
  ["impulses", "Impulses"],
  ["forces", "Contact forces"],
  ["shapes", "Contact shapes"],
  ["ellipsoids", "Ellipsoids of inertia"],
  ["frames", "Link frames"],
  ["ghosts", "Robots of the other runs"],
];

const SIDES = { oblique: "In space", plane: "In its plane", front: "Front", side: "Side", top: "Top" };

function checkbox(label, on, change) {
  const input = h("input", { type: "checkbox", checked: on, onchange: () => change(input.checked) });
  return h("label.check", null, input, label);
}

function layerMenu(run, view) {
  const has = {
    walls: run.walls.length > 0 || view.ground.group.children.length > 0,
    points: run.points.length > 0,
    closures: run.closures.length > 0,
    events: run.events.length > 0,
    impulses: view.marks.pushes.length > 0,
    forces: view.marks.held.length > 0,
    shapes: view.marks.shapes.shapes.length > 0,
    ellipsoids: view.robot.ellipsoids.length > 0,
    ghosts: view.ghosts.length > 0,
  };
  const layers = LAYERS.filter(([name]) => has[name] ?? true).map(([name, label]) => {
    const on = name !== "frames" && name !== "ellipsoids";
    return checkbox(label, on, (checked) => view.setLayer(name, checked));
  });
  const traces = view.marks.traceable.map((entry, i) =>
    checkbox(entry.name, entry.end, (checked) => {
      view.marks.setTrace(i, checked);
      view.marks.colour();
      view.request();
    }),
  );
  return h(
    "div.menu",
    { hidden: true },
    h("h3", null, "Show"),
    layers,
    traces.length > 0 && h("h3", null, "Paths of"),
    h("div.many", null, traces),
  );
}

function savePicture(run, view) {
  view.draw();
  view.canvas.toBlob((blob) => save(blob, `${run.title}.png`));
}

function toolbar(run, view) {
  const menu = layerMenu(run, view);
  const layers = button("layers", "What is shown", () => {
    menu.hidden = !menu.hidden;
    layers.setAttribute("aria-expanded", !menu.hidden);
  });
  layers.setAttribute("aria-expanded", "false");
  const follow = button("follow", "Follow the robot", () => {
    view.follow(!view.following);
    follow.setAttribute("aria-pressed", view.following);
  });
  follow.setAttribute("aria-pressed", "false");
  const names = Object.keys(SIDES).filter((name) => name !== "plane" || view.extent.normal);
  const side = h(
    "select",
    { "aria-label": "Side from which it is seen", onchange: () => view.look(side.value) },
    names.map((name) => h("option", { value: name, selected: name === view.looking }, SIDES[name])),
  );
  const close = () => {
    menu.hidden = true;
    layers.setAttribute("aria-expanded", "false");
  };
  document.addEventListener("pointerdown", (event) => {
    if (!menu.hidden && !menu.contains(event.target) && !layers.contains(event.target)) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || menu.hidden) return;
    event.stopImmediatePropagation();
    close();
    layers.focus();
  });
  return [
    h(
      "div.tools",
      { role: "toolbar", "aria-label": "View" },
      side,
      button("fit", "See the whole motion (f)", () => view.fit()),
      follow,
      layers,
      button("camera", "Save as a picture", () => savePicture(run, view)),
    ),
    menu,
  ];
}

const MOVED = { revolute: "turns", continuous: "turns", prismatic: "slides", fixed: "is fixed" };

// Names the link under the pointer, and tells who listens, which lights up its curves.
function watchPointer(run, view, stage, canvas, hovered) {
  const tip = h("div.tip", { role: "status", hidden: true });
  stage.append(tip);
  let over = -1;
  let at = null;
  const look = eachFrame(() => {
    const body = at && !at.pressed ? view.linkAt(at.x, at.y) : -1;
    if (at && body >= 0) {
      const box = stage.getBoundingClientRect();
      tip.style.left = `${Math.min(at.x - box.left + 14, box.width - 180)}px`;
      tip.style.top = `${Math.min(at.y - box.top + 16, box.height - 56)}px`;
    }
    if (body === over) return;
    over = body;
    tip.hidden = body < 0;
    if (body >= 0) {
      const { name, joint, mass } = run.model.bodies[body];
      const carrier = run.model.bodies[view.robot.carriers[body]];
      const moved = MOVED[joint?.type] ?? joint?.type ?? "";
      const about = joint?.name && joint.name !== name ? `${moved} at ${joint.name}` : moved;
      tip.replaceChildren(
        h("strong", null, String(name ?? "")),
        h("span", null, [about, mass > 0 && `${shown(mass, 4)} kg`].filter(Boolean).join(", ")),
        carrier?.name !== name && h("span", null, `part of ${carrier.name}`),
      );
    }
    view.light(body);
    hovered(body);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    at = { x: event.clientX, y: event.clientY, pressed: event.buttons !== 0 };
    look();
  });
  canvas.addEventListener("pointerleave", () => {
    at = null;
    look();
  });
}

/** The card and its view; the view is null where there is nothing to show or no WebGL to show it with. */
export function makeReplay(run, kin, clock, others = [], hovered = () => {}) {
  const canvas = h("canvas.view", {
    role: "img",
    tabindex: "0",
    "aria-label": `The robot ${run.model?.name ?? ""} in motion`,
  });
  const stage = h("div.stage", null, canvas);
  const element = h("section.card.replay", { "aria-label": "Replay in 3D" }, stage);
  if (!run.model) {
    stage.replaceChildren(remark("This run names no model, so there is nothing to show in 3D."));
    element.classList.add("without");
    return { element, view: null };
  }
  let view = null;
  const build = () => {
    try {
      view = new View(canvas, run, kin, others);
    } catch (error) {
      stage.replaceChildren(
        remark(
          `The replay in 3D needs WebGL, which this browser does not give (${error.message}). Everything else is here.`,
        ),
      );
      element.classList.add("without");
      return null;
    }
    stage.append(...toolbar(run, view));
    view.room = () => ({ above: stage.querySelector(".tools")?.offsetHeight ?? 0, below: 0 });
    watchPointer(run, view, stage, canvas, hovered);
    if (view.robot.meshes.unread.length > 0)
      stage.append(h("p.note", null, `Not readable as a mesh: ${view.robot.meshes.unread.join(", ")}.`));
    clock.on(() => view.setTime(clock.t, clock.speed, clock.playing));
    onTheme(() => view.recolour());
    new ResizeObserver(() => {
      if (view.whole && canvas.clientWidth > 0) view.fit();
      else view.resize();
    }).observe(canvas);
    addEventListener("beforeprint", () => view.draw());
    return view;
  };
  return { element, build };
}
