// SPDX-License-Identifier: Apache-2.0
// The text of an SVG file while it is composed: markup, numbers, text for people.

#ifndef AP_PLOT_SVG_H
#define AP_PLOT_SVG_H

#include "file/text.h"

// Markup as it is.
void ap__svg_put(ap__text *s, const char *markup);

// Markup in which each # stands for the next of the numbers, and ' for a double quote.
void ap__svg_draw(ap__text *s, const char *markup, const double *number);

// Text for a person, escaped. What XML cannot carry (control characters, bytes that are not UTF-8)
// becomes the replacement character, line breaks and tabs become blanks. Text wider than `room`
// ends with an ellipsis, and the whole of it is in a <title>; room 0: as wide as it is.
void ap__svg_text(ap__text *s, const char *text, double size, double room);

// Markup of our own labels: "10^-6 a" raises what follows ^ up to a blank.
void ap__svg_label(ap__text *s, const char *label);

// The estimated width of text set in a sans-serif font of that size, on the generous side.
double ap__text_width(const char *text, double size);
double ap__label_width(const char *label, double size);

// Is there a text to show?
static inline bool ap__shows(const char *text) { return text && text[0] != 0; }

#endif
