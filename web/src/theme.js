// SPDX-License-Identifier: Apache-2.0
// Light and dark, and the colours that drawings take from them.

const root = globalThis.document?.documentElement;
const system = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
const listeners = [];
let chosen = null;

try {
  chosen = localStorage.getItem("appell-theme");
} catch {
  // A page from a file may have no storage.
}

export const isDark = () => (chosen ? chosen === "dark" : Boolean(system?.matches));

function apply() {
  root.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function startTheme() {
  apply();
  system?.addEventListener?.("change", apply);
}

export function toggleTheme() {
  chosen = isDark() ? "light" : "dark";
  try {
    localStorage.setItem("appell-theme", chosen);
  } catch {
    // It then lasts as long as the page.
  }
  apply();
}

export const onTheme = (listener) => listeners.push(listener);

const SERIES = {
  light: [
    "#2f6fde",
    "#d9622b",
    "#2a9d6e",
    "#8a56c9",
    "#c43d6b",
    "#b08a00",
    "#1592a5",
    "#7a6a5d",
    "#5a7d1f",
    "#3b4cc0",
    "#b5532a",
    "#5d6b7a",
  ],
  dark: [
    "#6ea3ff",
    "#ff9a62",
    "#58cf9c",
    "#bd93f4",
    "#ff7da3",
    "#e3bd3d",
    "#4fc8dc",
    "#c0ae9f",
    "#a5cf5a",
    "#929eff",
    "#eb956c",
    "#a3b1c2",
  ],
};
const EVENTS = {
  light: {
    impact: "#d8452e",
    contact: "#c98a00",
    graze: "#8a56c9",
    liftoff: "#1592a5",
    slip: "#5a7d1f",
    stick: "#5d6b7a",
  },
  dark: {
    impact: "#ff7a61",
    contact: "#f0bd45",
    graze: "#bd93f4",
    liftoff: "#4fc8dc",
    slip: "#a5cf5a",
    stick: "#a3b1c2",
  },
};
const SCENE = {
  light: {
    link: "#8fa3bd",
    joint: "#3d4c61",
    ellipsoid: "#5d86c4",
    rail: "#8d99a8",
    wall: "#7d8fa8",
    wallLine: "#5a6a80",
    point: "#1c2430",
    closure: "#2a9d6e",
    impulse: "#d8452e",
    force: "#2a9d6e",
    grid: "#b9c3d0",
    ghost: "#d9622b",
    lit: "#2f6fde",
    shadow: "#26344a",
    text: "#5f6b7a",
  },
  dark: {
    link: "#8ea5c4",
    joint: "#c3cfdf",
    ellipsoid: "#6d9be6",
    rail: "#8894a5",
    wall: "#8ba0bd",
    wallLine: "#93a4ba",
    point: "#f2f5f9",
    closure: "#58cf9c",
    impulse: "#ff7a61",
    force: "#58cf9c",
    grid: "#3a4655",
    ghost: "#ff9a62",
    lit: "#6ea3ff",
    shadow: "#000000",
    text: "#97a3b3",
  },
};
const of = (table) => table[isDark() ? "dark" : "light"];

export const seriesColour = (i) => of(SERIES)[i % SERIES.light.length];
/** From the second round of colours on, lines are dashed. */
export const seriesDash = (i) => [[], [7, 4], [2, 3], [10, 3, 2, 3]][Math.floor(i / SERIES.light.length) % 4];
export const eventColour = (kind) => of(EVENTS)[kind] ?? of(EVENTS).stick;
export const sceneColours = () => of(SCENE);
export const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
