// SPDX-License-Identifier: Apache-2.0
// Elements in few words, numbers as people read them, symbols for buttons.

/** h("button.round", { title, onclick }, children...) */
export function h(tag, attributes, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name || "div");
  if (classes.length > 0) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || (value === false && !key.startsWith("aria-"))) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") element.style.cssText = value;
    else element.setAttribute(key, value === true && !key.startsWith("aria-") ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const MINUS = "\u2212";

/** A number with so many significant digits, with a true minus sign. */
export function shown(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "\u2013";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text;
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = size.toExponential(Math.max(0, digits - 2)).split("e");
    text = `${Number(mantissa)}e${exponent.replace("+", "").replace("-", MINUS)}`;
  } else {
    text = String(Number(size.toPrecision(digits)));
  }
  return value < 0 ? MINUS + text : text;
}

/** A text with its numbers as they are shown elsewhere: true minus signs, short exponents. */
export const typeset = (text) =>
  text
    .split(" ")
    .map((word) =>
      /^-?\d+(\.\d+)?(e[-+]?\d+)?,?$/.test(word)
        ? word.replace(/e\+?(-?)0*(?=\d)/, "e$1").replaceAll("-", MINUS)
        : word.replace(/^m\/s2$/, "m/s\u00b2"),
    )
    .join(" ");

/** A time with as many decimals as the run's length asks for. */
export function clockText(t, span) {
  const decimals = span >= 1000 ? 2 : span >= 1 ? 3 : Math.min(9, 3 - Math.floor(Math.log10(span || 1)));
  return t.toFixed(decimals).replace("-", MINUS);
}

export const withUnit = (text, unit) => (unit ? `${text}\u202f${unit}` : text);

const PATHS = {
  play: "M8 5.2v13.6a.8.8 0 0 0 1.22.68l10.9-6.8a.8.8 0 0 0 0-1.36L9.22 4.52A.8.8 0 0 0 8 5.2z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  next: "M6 6.2v11.6l8-5.8zM15.5 6h2.5v12h-2.5z",
  previous: "M18 6.2v11.6l-8-5.8zM6 6h2.5v12H6z",
  fit: "M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z",
  follow: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zm-1-6h2v4h-2zm0 16h2v4h-2zM2 11h4v2H2zm16 0h4v2h-4z",
  layers: "M12 3l10 5.5L12 14 2 8.5zM4.6 12L2 13.5 12 19l10-5.5-2.6-1.5L12 16.2z",
  sun: "M12 7.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM11 1.8h2v3.4h-2zm0 17h2v3.4h-2zM1.8 11h3.4v2H1.8zm17 0h3.4v2h-3.4zM4.1 5.5l1.4-1.4 2.4 2.4-1.4 1.4zm12 12l1.4-1.4 2.4 2.4-1.4 1.4zM5.5 19.9l-1.4-1.4 2.4-2.4 1.4 1.4zm12-12l-1.4-1.4 2.4-2.4 1.4 1.4z",
  camera:
    "M9 4l-1.6 2H4a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h16a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-3.4L15 4zm3 4.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zm0 2a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  help: "M11 16.5h2.2v2.2H11zM12 5a4.2 4.2 0 0 1 1.3 8.2c-.3.1-.3.3-.3.8v.7h-2v-1c0-1.4.6-2 1.6-2.4A2.2 2.2 0 1 0 9.8 9.2h-2A4.2 4.2 0 0 1 12 5z",
  close: "M6.4 5L12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6l5.6-5.6L5 6.4z",
};

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

export const button = (name, label, onclick) =>
  h("button.tool", { type: "button", title: label, "aria-label": label, onclick }, icon(name));

/** Lets the browser save a blob under a name. */
export function save(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Calls once per animation frame at most. */
export function eachFrame(call) {
  let waiting = 0;
  return () => {
    if (waiting === 0) {
      waiting = requestAnimationFrame(() => {
        waiting = 0;
        call();
      });
    }
  };
}
