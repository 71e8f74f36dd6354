// SPDX-License-Identifier: Apache-2.0
// The page around the robot: header, tools, tabs, keys.

import { builtins } from "../appell/index.js";
import { button, h, shown, withUnit } from "../src/dom.js";
import { toggleTheme } from "../src/theme.js";
import { Fall, Swing } from "./motion.js";
import { MeshFiles } from "./stage.js";

const TABS = [
  ["joints", "Joints"],
  ["why", "Why"],
  ["masses", "Masses"],
  ["findings", "Findings"],
];
const LAYERS = [
  ["torques", "Torques"],
  ["centre", "Centre of mass"],
  ["ellipsoids", "Ellipsoids of inertia"],
  ["frames", "Link frames"],
  ["manipulability", "Manipulability"],
];
const SIDES = { oblique: "In space", front: "Front", side: "Side", top: "Top" };
const WALLS = { none: "No walls", floor: "Floor", room: "Floor and wall" };
const KEYS = [
  ["space", "plays a motion, or stops it"],
  ["l", "lets the robot go, or holds it"],
  ["h", "home"],
  ["f", "shows the whole robot"],
  ["[ ]", "previous, next joint"],
  ["\u2190 \u2192 on a slider", "moves its joint"],
  ["1 2 3 4", "joints, why, masses, findings"],
  ["t", "torques on or off"],
  ["d", "dark or light"],
  ["?", "this list"],
  ["Esc", "closes it"],
];

class Layout {
  constructor(app) {
    this.app = app;
    this.tab = "joints";
    this.title = h("h1", null, "Appell");
    this.chips = h("p.made", null, "the dynamics of a robot, live");
    this.choice = h("select.choice", { "aria-label": "Robot file", hidden: true });
    this.message = h("div.message", { role: "alert", hidden: true });
    this.noteText = h("p.note");
    this.stageBox = h("div.stage", { tabindex: "-1" });
    this.pins = h("div.pins");
    this.status = h("div.status", { "aria-live": "polite" });
    this.empty = this.makeEmpty();
    this.makeMotion();
    this.makeTabs();
    this.makeHeader();
    this.makeHelp();
    this.refusal = h("div.refusal", { hidden: true });
    this.refusalText = h("p");
    this.stageBox.append(this.pins, this.empty, this.refusal, this.noteText, this.status, this.bar);
    this.listen();
  }

  start() {
    this.page = document.getElementById("page");
    this.page.replaceChildren(this.header, this.message, h("main.work", null, this.stageBox, this.side));
    document.body.append(this.help);
    this.page.dataset.started = "";
  }

  // -- parts

  makeEmpty() {
    this.picker = h("input", {
      type: "file",
      multiple: true,
      hidden: true,
      accept: ".urdf,.xml,.mjcf,.yaml,.yml,.stl,.obj,.dae",
      onchange: () => {
        this.app.take([...this.picker.files]);
        this.picker.value = "";
      },
    });
    this.samples = h("div.samples");
    return h(
      "div.empty",
      null,
      h("h2", null, "Drop a robot file here"),
      h(
        "p",
        null,
        "URDF, MJCF or YAML, with its meshes if it has any. It stays on this computer: the page computes, and sends nothing.",
      ),
      h("button.wide.primary", { type: "button", onclick: () => this.picker.click() }, "Open a file"),
      this.samples,
      this.picker,
    );
  }

  // Built-in robots, as something to begin with.
  async offerSamples() {
    const known = await builtins();
    const names = ["puma600", "scara", "quadruped", "stewart", "five-bar", "shafei-tree"].filter(
      (name) => name in known,
    );
    this.samples.replaceChildren(
      h("p.hint", null, "or begin with"),
      ...names.map((name) =>
        h("button.tab", { type: "button", title: known[name], onclick: () => this.loadBuiltin(name) }, name),
      ),
    );
  }

  async loadBuiltin(name) {
    this.choice.hidden = true;
    try {
      await this.app.show({ source: { builtin: name }, meshes: new MeshFiles() });
    } catch (error) {
      this.app.fail(error);
    }
  }

  /** Of more than two robots that came together, the person chooses. */
  offer(robots, meshes) {
    this.choice.hidden = robots.length <= 2;
    this.choice.replaceChildren(...robots.map(({ file }, i) => h("option", { value: i }, file)));
    this.choice.onchange = () =>
      this.app.show({ source: robots[this.choice.value], meshes }).catch((error) => this.app.fail(error));
  }

  makeHeader() {
    const tools = h("div.tools-row", { role: "toolbar", "aria-label": "Page" });
    this.menu = h("div.menu", { hidden: true });
    this.other = h("input", {
      type: "file",
      hidden: true,
      accept: ".urdf,.xml,.mjcf,.yaml,.yml",
      onchange: async () => {
        const [file] = this.other.files;
        this.other.value = "";
        if (file) this.app.compareWith({ file: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
      },
    });
    this.open = h("button.wide", { type: "button", onclick: () => this.picker.click() }, "Open");
    this.menuButton = h(
      "button.wide",
      { type: "button", "aria-expanded": "false", onclick: () => this.toggleMenu() },
      "Save \u2026",
    );
    this.compareButton = h(
      "button.wide",
      { type: "button", onclick: () => (this.app.other ? this.app.compare(null) : this.other.click()) },
      "Compare",
    );
    tools.append(
      this.open,
      this.compareButton,
      this.menuButton,
      this.other,
      button("sun", "Dark or light (d)", toggleTheme),
      h(
        "button.tool",
        { type: "button", title: "Keys (?)", "aria-label": "Keys", onclick: () => this.toggleHelp() },
        "?",
      ),
    );
    this.header = h("header.top", null, h("div", null, this.title, this.chips), this.choice, tools, this.menu);
  }

  makeMotion() {
    const wide = (label, title, onclick) => h("button.wide", { type: "button", title, onclick }, label);
    this.homeButton = wide("Home", "Home position (h)", () => this.app.home());
    this.playButton = wide("Play a motion", "A motion of all joints (space)", () => this.app.play());
    this.fallButton = wide("Let go", "Simulate: gravity, friction, stops; drag a link to push it (l)", () =>
      this.app.letGo(),
    );
    this.wallsOf = h(
      "select",
      { "aria-label": "Walls of the simulation", onchange: () => this.app.setWalls(this.wallsOf.value) },
      Object.entries(WALLS).map(([name, label]) => h("option", { value: name }, label)),
    );
    this.pace = h(
      "select",
      { "aria-label": "Speed" },
      [0.1, 0.25, 0.5, 1, 2].map((x) => h("option", { value: x, selected: x === 1 }, `${x}\u00d7`)),
    );
    this.look = h(
      "select",
      { "aria-label": "Side from which it is seen", onchange: () => this.app.stage.view.look(this.look.value) },
      Object.entries(SIDES).map(([name, label]) => h("option", { value: name }, label)),
    );
    this.layerBoxes = LAYERS.map(([name, label]) => {
      const box = h("input", {
        type: "checkbox",
        checked: name === "torques",
        onchange: () => this.app.setLayer(name, box.checked),
      });
      return { name, box, element: h("label.check", null, box, label) };
    });
    this.layers = h(
      "details.layers",
      null,
      h("summary", null, "Show"),
      h(
        "div.layer-list",
        null,
        this.layerBoxes.map(({ element }) => element),
      ),
    );
    this.bar = h(
      "div.motion",
      { role: "toolbar", "aria-label": "Motion", hidden: true },
      this.homeButton,
      this.playButton,
      this.fallButton,
      this.wallsOf,
      this.pace,
      this.look,
      button("fit", "See the whole robot (f)", () => this.app.stage.fit()),
      this.layers,
    );
  }

  makeTabs() {
    this.tabButtons = TABS.map(([name, label], i) =>
      h(
        "button.tab",
        {
          type: "button",
          role: "tab",
          id: `tab-${name}`,
          "aria-controls": "panel",
          "aria-selected": String(i === 0),
          tabindex: i === 0 ? "0" : "-1",
          onclick: () => this.openTab(name),
        },
        label,
      ),
    );
    const list = h(
      "div.tabs",
      {
        role: "tablist",
        "aria-label": "Panels",
        onkeydown: (event) => {
          const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (!by) return;
          const at = TABS.findIndex(([name]) => name === this.tab);
          const next = (at + by + TABS.length) % TABS.length;
          this.openTab(TABS[next][0]);
          this.tabButtons[next].focus();
          event.stopPropagation();
        },
      },
      this.tabButtons,
    );
    this.panel = h(
      "div.panel",
      { id: "panel", role: "tabpanel", "aria-labelledby": "tab-joints" },
      this.app.panels.joints.element,
    );
    this.side = h("aside.side", { "aria-label": "Numbers", hidden: true }, list, this.panel);
  }

  makeHelp() {
    this.help = h(
      "dialog.help",
      { "aria-label": "Keys" },
      h("h2", null, "Keys and pointer"),
      h(
        "dl",
        null,
        KEYS.map(([key, what]) => h("div", null, h("dt", null, key), h("dd", null, what))),
      ),
      h(
        "p",
        null,
        "Drag a link: the joints follow. While it falls, a drag pulls it. Drag beside the robot to turn the view; the wheel or two fingers zoom; shift and drag turns the view on the robot, too.",
      ),
      h(
        "details",
        null,
        h("summary", null, "Licences"),
        h("pre.licences", null, document.getElementById("licences")?.textContent ?? ""),
      ),
      h("button.wide", { type: "button", onclick: () => this.help.close() }, "Close"),
    );
  }

  // -- events

  listen() {
    // Before the view's own controls see it: a pointer on a link holds the link.
    this.stageBox.addEventListener(
      "pointerdown",
      (event) => {
        if (event.target !== this.canvas || this.pointer !== undefined) return;
        if (!this.app.grab(event)) return;
        this.pointer = event.pointerId;
        this.app.stage.view.controls.enabled = false;
        this.canvas.setPointerCapture?.(event.pointerId);
      },
      { capture: true },
    );
    this.stageBox.addEventListener("pointermove", (event) => {
      if (this.pointer === event.pointerId) this.app.drag(event);
      else if (
        event.target === this.canvas &&
        this.pointer === undefined &&
        event.pointerType === "mouse" &&
        event.buttons === 0
      )
        this.hover(event);
    });
    const end = (event) => {
      if (this.pointer !== event.pointerId) return;
      this.pointer = undefined;
      this.app.stage.view.controls.enabled = true;
      this.app.drop();
    };
    this.stageBox.addEventListener("pointerup", end);
    this.stageBox.addEventListener("pointercancel", end);
    addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("pointerdown", (event) => {
      if (!this.menu.hidden && !this.menu.contains(event.target) && event.target !== this.menuButton)
        this.toggleMenu(false);
    });
  }

  hover(event) {
    const now = performance.now();
    if (now - (this.hovered ?? 0) < 60) return;
    this.hovered = now;
    const hit = this.app.stage.pick(event);
    this.canvas.style.cursor = hit ? "grab" : "";
    this.canvas.title = hit ? this.app.stage.kin.bodies[hit.body].given.name : "";
  }

  key(event) {
    const { app } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inText = event.target.matches?.("input[type=text], input[type=search], input[type=number], select, textarea");
    if (event.key === "Escape") return void (this.toggleMenu(false), (this.layers.open = false));
    if (inText || this.help.open) return;
    if (event.key === "?") return this.toggleHelp();
    if (event.key === "d") return toggleTheme();
    if (!app.subject) return;
    const onButton = event.target.matches?.("button, summary, input[type=checkbox]");
    const actions = {
      " ": () => !onButton && app.play(),
      l: () => app.letGo(),
      h: () => app.home(),
      f: () => app.stage.fit(),
      t: () => this.setLayer("torques", !app.layers.torques),
      "[": () => this.nextJoint(-1),
      "]": () => this.nextJoint(1),
      1: () => this.openTab("joints"),
      2: () => this.openTab("why"),
      3: () => this.openTab("masses"),
      4: () => this.openTab("findings"),
    };
    const action = actions[event.key];
    if (!action || action() === false) return;
    event.preventDefault();
  }

  nextJoint(by) {
    const n = this.app.subject.efforts.length;
    const next = (this.app.chosen + by + n) % n;
    this.app.choose(next);
    this.app.panels.joints.show(next);
  }

  setLayer(name, on) {
    this.layerBoxes.find((layer) => layer.name === name).box.checked = on;
    this.app.setLayer(name, on);
  }

  // -- what the page says

  begin(subject) {
    const { info } = subject;
    if (!this.refusal.hidden) this.app.panels.findings.takeMap();
    this.empty.hidden = this.refusal.hidden = true;
    this.side.hidden = this.bar.hidden = false;
    this.title.textContent = subject.name;
    document.title = `${subject.name}: Appell`;
    const parts = [
      subject.source.file ?? "built-in",
      `${subject.n} degree${subject.n === 1 ? "" : "s"} of freedom`,
      withUnit(shown(info.mass, 4), "kg"),
    ];
    if (subject.closed) parts.push("closed chains");
    this.chips.textContent = parts.join(" \u00b7 ");
    this.noteText.textContent = "";
    this.countFindings(null);
    delete this.page.dataset.examined;
    this.look.value = "oblique";
    for (const { name, box } of this.layerBoxes) {
      box.checked = name === "torques";
      this.app.layers[name] = name === "torques";
    }
    this.tabButtons.forEach((tab) => (tab.hidden = false));
    this.openTab(this.tab);
  }

  /** What there is to do about a file that is no robot. */
  advise(hasLinks, needsMesh) {
    this.refusalText.textContent = needsMesh
      ? "Drop its mesh files on the page, too: an inertia is computed from them."
      : hasLinks
        ? "What is wrong stands beside each link. Switch fixes on until it can be drawn."
        : "What is wrong stands among the findings.";
  }

  /** A file that is no robot: nothing to move, but findings to read. */
  refused(file) {
    this.title.textContent = file;
    document.title = `${file}: Appell`;
    this.chips.textContent = "no robot as it is";
    this.canvas?.remove();
    this.pins.replaceChildren();
    this.noteText.textContent = "";
    this.empty.hidden = true;
    this.refusal.hidden = this.side.hidden = false;
    this.bar.hidden = true;
    this.refusal.replaceChildren(
      h("h2", null, `${file} is no robot as it is`),
      this.refusalText,
      this.app.panels.findings.map,
    );
    this.tabButtons.forEach((tab, i) => (tab.hidden = TABS[i][0] !== "findings"));
    delete this.page.dataset.examined;
    this.openTab("findings");
  }

  newCanvas() {
    return h("canvas.view", { role: "img", tabindex: "0", "aria-label": "The robot in space: drag a link to move it" });
  }

  useCanvas(canvas, stage) {
    this.canvas?.remove();
    this.canvas = canvas;
    this.stageBox.prepend(canvas);
    canvas.setAttribute("aria-label", `The robot ${stage.subject.name} in space: drag a link to move it`);
    let measured = false;
    this.observer?.disconnect();
    this.observer = new ResizeObserver(() => {
      stage.view.resize();
      if (measured || canvas.clientWidth === 0) return;
      measured = true;
      if (!stage.placed) stage.view.fit(); // one that stands for another looks from where that did
    });
    this.observer.observe(canvas);
  }

  openTab(name) {
    this.tab = name;
    TABS.forEach(([tab], i) => {
      this.tabButtons[i].setAttribute("aria-selected", String(tab === name));
      this.tabButtons[i].tabIndex = tab === name ? 0 : -1;
    });
    this.panel.setAttribute("aria-labelledby", `tab-${name}`);
    if (this.panel.firstChild !== this.app.panels[name].element) {
      this.panel.replaceChildren(this.app.panels[name].element);
      this.panel.scrollTop = 0;
    }
    this.app.changed();
  }

  /** bad: how many are more than notes and not fixed. */
  countFindings(findings, bad = 0) {
    this.tabButtons[3].replaceChildren(
      "Findings",
      ...(findings ? [h("span.count", null, String(bad || findings.length))] : []),
    );
    this.tabButtons[3].classList.toggle("bad", bad > 0);
  }

  compared(other) {
    this.compareButton.textContent = other ? "End comparison" : "Compare";
    this.note(other ? `Torques beside: ${other.source.file ?? other.name}` : "");
  }

  note(text) {
    this.noteText.textContent = text;
  }

  say(text) {
    this.message.textContent = text;
    this.message.hidden = text === "";
  }

  moved(moving) {
    const swing = moving instanceof Swing,
      fall = moving instanceof Fall;
    this.playButton.textContent = swing ? "Stop" : "Play a motion";
    this.fallButton.textContent = fall ? "Hold" : "Let go";
    this.playButton.classList.toggle("on", swing);
    this.fallButton.classList.toggle("on", fall);
    const text = fall
      ? `t = ${moving.simulation.time.toFixed(1)} s; torques would hold it here; energy ${withUnit(shown(moving.simulation.kinetic + moving.simulation.potential, 4), "J")}`
      : "";
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  walled(kind) {
    this.wallsOf.value = kind;
  }

  speed() {
    return Number(this.pace.value);
  }

  ready() {
    this.page.dataset.ready = String(Number(this.page.dataset.ready ?? 0) + 1);
    if (!this.app.subject && this.samples.childElementCount === 0) this.offerSamples().catch(() => {});
  }

  examined() {
    this.page.dataset.examined = this.page.dataset.ready;
  }

  toggleMenu(on = this.menu.hidden) {
    this.menu.hidden = !on;
    this.menuButton.setAttribute("aria-expanded", String(on));
    if (!on) return;
    const { app } = this;
    const items = app.subject ? app.downloads() : [];
    if (app.subject && app.fixedText()) items.push(["Compare with fixed inertias", () => app.compareFixed()]);
    this.menu.replaceChildren(
      ...items.map(([label, run]) =>
        h(
          "button.item",
          {
            type: "button",
            onclick: () => {
              this.toggleMenu(false);
              try {
                run();
              } catch (error) {
                app.fail(error);
              }
            },
          },
          label,
        ),
      ),
    );
    if (items.length === 0) this.menu.append(h("p.hint", null, "There is no robot yet."));
    this.menu.querySelector("button")?.focus();
  }

  toggleHelp() {
    if (this.help.open) this.help.close();
    else this.help.showModal();
  }
}

export const makeLayout = (app) => new Layout(app);
