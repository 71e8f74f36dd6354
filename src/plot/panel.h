// SPDX-License-Identifier: Apache-2.0
// A panel on the page: where its axes are, and how it is drawn.

#ifndef AP_PLOT_PANEL_H
#define AP_PLOT_PANEL_H

#include <appell/plot.h>

#include "plot/axis.h"
#include "plot/svg.h"

// Sizes of text, in pixels.
#define AP__TITLE_SIZE 13.0
#define AP__LABEL_SIZE 12.0
#define AP__TICK_SIZE  11.0

enum {
  AP__COLOURS = 8,
  AP__LEGEND_LINE = 19 // pixels
};

// Where the curves are drawn. y counts downwards, as on every page.
typedef struct ap__box {
  double left, top, width, height;
} ap__box;

// A panel with what is measured before it is drawn.
typedef struct ap__plot {
  const ap_panel *panel;
  bool empty; // no curve has a finite point
  double x_low, x_high, y_low, y_high;
  ap__axis x, y;
  ap__box box;
  double ticks_left; // room for the labels of the ticks left of the box
  double title_top, legend_top;
} ap__plot;

// Find the ranges; box.width and box.height are then asked for.
void ap__plot_measure(ap__plot *p, const ap_panel *panel);

// Fit the axes into the box.
void ap__plot_fit(ap__plot *p);

// Everything but title and legend.
void ap__plot_axes(ap__text *s, const ap__plot *p);
void ap__plot_curves(ap__text *s, const ap__plot *p);

// The colour of the panel's k-th curve, from 1; it may be beyond the palette.
int ap__colour(const ap_panel *panel, int k);

// class="..." of that curve.
void ap__curve_class(ap__text *s, const ap_panel *panel, int k);

// A point that the panel shows?
bool ap__point_shows(const ap_panel *panel, double x, double y);

// What follows "M x,y" in a path for a mark there.
const char *ap__mark(int colour);

// One curve, in the coordinates of the page.
void ap__draw_curve(ap__text *s, const ap__plot *p, int k);

// The legend of a panel, wrapped to a width; draws where s is not NULL. Returns the number of
// lines.
int ap__legend(ap__text *s, const ap_panel *panel, double left, double top, double width);

#endif
