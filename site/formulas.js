// SPDX-License-Identifier: Apache-2.0
// Typesets what Sphinx has marked as mathematics.
addEventListener("DOMContentLoaded", () => {
  const delimiters = [
    { left: "\\[", right: "\\]", display: true },
    { left: "\\(", right: "\\)", display: false },
  ];
  for (const element of document.querySelectorAll(".math"))
    globalThis.renderMathInElement(element, { delimiters, throwOnError: false });
});
