// SPDX-License-Identifier: Apache-2.0
// The bar at the bottom: play, jump, scrub among the events, speed.

import { button, clockText, eachFrame, h, icon, shown } from "./dom.js";
import { eventColour, onTheme } from "./theme.js";

export function makeTransport(run, clock) {
  const span = run.end - run.start;
  const idle = !(span > 0);
  const play = button("play", "Play (space)", () => clock.toggle());
  play.classList.add("primary");
  const previous = button("previous", run.events.length ? "Previous event (p)" : "To the start", () => clock.jump(-1));
  const next = button("next", run.events.length ? "Next event (n)" : "To the end", () => clock.jump(1));
  const now = h("output.now", { "aria-live": "off" });
  const ticks = h("canvas", { "aria-hidden": "true" });
  const fill = h("div.fill");
  const thumb = h("div.thumb");
  const bar = h(
    "div.scrub",
    { role: "slider", tabindex: "0", "aria-label": "Time", "aria-valuemin": run.start, "aria-valuemax": run.end },
    h("div.rail", null, fill),
    ticks,
    thumb,
  );
  const speed = h("input", {
    type: "range",
    min: "-2",
    max: "1",
    step: "0.01",
    value: "0",
    "aria-label": "Speed of the replay",
    title: "Speed; double click: 1\u00d7",
  });
  const speedText = h("output.speed-text");
  const element = h(
    "footer.transport",
    { "aria-label": "Replay" },
    h("div.buttons", null, previous, play, next),
    now,
    bar,
    h("label.speed", null, speed, speedText),
  );
  for (const control of [play, previous, next]) control.disabled = idle;

  const timeAt = (event) => {
    const box = bar.getBoundingClientRect();
    const part = Math.min(Math.max((event.clientX - box.left) / Math.max(box.width, 1), 0), 1);
    return run.start + part * span;
  };
  bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId);
    bar.classList.add("held");
    clock.pause();
    clock.set(timeAt(event));
  });
  bar.addEventListener("pointermove", (event) => bar.classList.contains("held") && clock.set(timeAt(event)));
  for (const end of ["pointerup", "pointercancel"]) bar.addEventListener(end, () => bar.classList.remove("held"));
  // Near 1 the speed is 1.
  speed.addEventListener("input", () => clock.setSpeed(10 ** (Math.abs(speed.value) < 0.05 ? 0 : Number(speed.value))));
  speed.addEventListener("dblclick", () => clock.setSpeed(1));

  const drawTicks = () => {
    const wide = bar.clientWidth,
      high = bar.clientHeight;
    const ratio = globalThis.devicePixelRatio || 1;
    if (wide === 0) return;
    ticks.width = wide * ratio;
    ticks.height = high * ratio;
    const draw = ticks.getContext("2d");
    draw.scale(ratio, ratio);
    const drawn = new Set();
    for (const event of run.events) {
      const x = Math.round(((event.t - run.start) / (span || 1)) * wide);
      const key = `${x} ${event.event}`;
      if (drawn.has(key)) continue;
      drawn.add(key);
      draw.fillStyle = eventColour(event.event);
      draw.globalAlpha = 0.85;
      draw.fillRect(x - 0.75, event.event === "impact" ? 3 : 8, 1.5, event.event === "impact" ? high - 6 : high - 16);
    }
  };
  const show = () => {
    const part = span > 0 ? (clock.t - run.start) / span : 0;
    thumb.style.left = fill.style.width = `${100 * part}%`;
    now.textContent = `${clockText(clock.t, span)} s`;
    bar.setAttribute("aria-valuenow", clock.t);
    bar.setAttribute("aria-valuetext", `${clockText(clock.t, span)} seconds`);
    speed.value = Math.log10(clock.speed);
    speedText.textContent = `${shown(clock.speed, 2)}\u00d7`;
    if (play.dataset.playing !== String(clock.playing)) {
      play.dataset.playing = clock.playing;
      play.replaceChildren(icon(clock.playing ? "pause" : "play"));
      play.title = clock.playing ? "Pause (space)" : "Play (space)";
      play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    }
  };
  clock.on(eachFrame(show));
  onTheme(drawTicks);
  new ResizeObserver(drawTicks).observe(bar);
  show();
  return element;
}

const HELP = [
  ["Space", "play, pause"],
  ["\u2190 \u2192", "a two-hundredth of the run; with shift a row or an event"],
  ["n p", "next, previous event"],
  ["+ \u2212", "faster, slower"],
  ["Home End", "start, end"],
  ["f", "show the whole motion"],
  ["/", "find a series"],
  ["Esc", "close what is open, show the whole run"],
  ["?", "this list"],
];
const POINTER = [
  ["Plots", "drag zooms, a double click shows the whole run, a click sets the time; ctrl and wheel zoom"],
  ["Legend", "a click shows or hides a series, a double click shows it alone"],
  ["Robot", "drag turns, wheel zooms, right drag moves; hovering names a link and lights up its curves"],
];

/** What keys and pointer do, in a dialog. */
export function makeHelp() {
  const list = (lines) =>
    h("dl", null, lines.map(([key, does]) => h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, does))));
  const close = button("close", "Close", () => dialog.close());
  const dialog = h(
    "dialog.help",
    { "aria-label": "Keys" },
    h("div.card-head", null, h("h2", null, "Keys"), close),
    list(HELP),
    h("h3", null, "Pointer"),
    list(POINTER),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}

/** Keys that work wherever no field or menu has them. */
export function listenToKeys(clock, view, plots = null, help = null) {
  const keys = {
    " ": () => clock.toggle(),
    ArrowLeft: (event) => clock.stepRows(event.shiftKey ? -1 : -Math.max(1, Math.round(clock.run.rows / 200))),
    ArrowRight: (event) => clock.stepRows(event.shiftKey ? 1 : Math.max(1, Math.round(clock.run.rows / 200))),
    Home: () => clock.set(clock.run.start),
    End: () => clock.set(clock.run.end),
    n: () => clock.jump(1),
    p: () => clock.jump(-1),
    "+": () => clock.setSpeed(clock.speed * Math.SQRT2),
    "-": () => clock.setSpeed(clock.speed / Math.SQRT2),
    f: () => view?.fit(),
    "/": () => plots?.field.focus(),
    "?": () => help?.showModal(),
    Escape: () => plots?.reset(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help?.open) return;
    const { target } = event;
    if (event.key === "Escape" && target === plots?.field) {
      plots.field.value = "";
      plots.search("");
      plots.field.blur();
      return;
    }
    if (target.matches?.("input, select, textarea, [contenteditable]")) return;
    if (event.key === " " && target.matches?.("button, summary, a")) return;
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
