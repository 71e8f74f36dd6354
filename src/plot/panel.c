// SPDX-License-Identifier: Apache-2.0
#include "plot/panel.h"

#include <math.h>
#include <string.h>

// ---- ranges ------------------------------------------------------------------------------------

bool ap__point_shows(const ap_panel *panel, double x, double y) {
  const bool inside = panel->nname == 0 || (x >= 0.5 && x <= panel->nname + 0.5);
  return isfinite(x) && isfinite(y) && (!panel->log_x || x > 0) && (!panel->log_y || y > 0) &&
         inside;
}

static void widen(ap__plot *p, double x, double y) {
  p->x_low = p->empty ? x : fmin(p->x_low, x);
  p->x_high = p->empty ? x : fmax(p->x_high, x);
  p->y_low = p->empty ? y : fmin(p->y_low, y);
  p->y_high = p->empty ? y : fmax(p->y_high, y);
  p->empty = false;
}

// Lines may start on the axis; marks, and paths that are to be seen whole, keep off it.
static double padding_of_x(const ap_panel *panel) {
  for (int k = 0; k < panel->ncurve; k++)
    if (panel->curve[k].stroke == AP_POINTS) return 0.03;
  return panel->same_scale ? 0.05 : 0;
}

static void set_ranges(ap__plot *p) {
  const ap_panel *panel = p->panel;
  int x_shift = ap__axis_shift(p->x_low, p->x_high);
  int y_shift = ap__axis_shift(p->y_low, p->y_high);
  if (panel->same_scale)
    x_shift = y_shift = ap__axis_shift(fmin(p->x_low, p->y_low), fmax(p->x_high, p->y_high));
  if (panel->nname > 0)
    ap__axis_range(&p->x, false, 0, 0.5, panel->nname + 0.5, 0);
  else
    ap__axis_range(&p->x, panel->log_x, x_shift, p->x_low, p->x_high, padding_of_x(panel));
  ap__axis_range(&p->y, panel->log_y, y_shift, p->y_low, p->y_high, 0.05);
}

void ap__plot_measure(ap__plot *p, const ap_panel *panel) {
  *p = (ap__plot){.panel = panel, .empty = true};
  for (int k = 0; k < panel->ncurve; k++) {
    const ap_curve *c = &panel->curve[k];
    for (int i = 0; i < c->n; i++)
      if (ap__point_shows(panel, c->x[i], c->y[i])) widen(p, c->x[i], c->y[i]);
  }
  if (p->empty) {
    p->x_low = panel->log_x ? 1 : 0;
    p->x_high = panel->log_x ? 10 : 1;
    p->y_low = panel->log_y ? 1 : 0;
    p->y_high = panel->log_y ? 10 : 1;
  }
  if (panel->y_low != 0 || panel->y_high != 0) {
    p->y_low = p->empty ? panel->y_low : fmin(p->y_low, panel->y_low);
    p->y_high = p->empty ? panel->y_high : fmax(p->y_high, panel->y_high);
  }
  set_ranges(p);
}

static void stretch(ap__axis *a, double range) {
  double more = (range - (a->high - a->low)) / 2;
  a->low -= more;
  a->high += more;
}

void ap__plot_fit(ap__plot *p) {
  set_ranges(p);
  if (p->panel->same_scale) {
    double unit =
        fmax((p->x.high - p->x.low) / p->box.width, (p->y.high - p->y.low) / p->box.height);
    stretch(&p->x, unit * p->box.width);
    stretch(&p->y, unit * p->box.height);
  }
  if (p->panel->nname == 0) ap__axis_ticks(&p->x, (int)(p->box.width / 60));
  ap__axis_ticks(&p->y, p->box.height < 224 ? (int)(p->box.height / 28) : 8);
  p->ticks_left = 0;
  for (int i = 0; i < p->y.ntick; i++)
    p->ticks_left = fmax(p->ticks_left, ap__label_width(p->y.tick[i].label, AP__TICK_SIZE));
}

// ---- axes --------------------------------------------------------------------------------------

static double along(const ap__axis *a, double at) { return (at - a->low) / (a->high - a->low); }

static void x_line(ap__text *s, const ap__plot *p, double at) {
  double x = p->box.left + along(&p->x, at) * p->box.width;
  ap__svg_draw(s, "M#,#v#", (double[]){x, p->box.top, p->box.height});
}

static void y_line(ap__text *s, const ap__plot *p, double at) {
  double y = p->box.top + (1 - along(&p->y, at)) * p->box.height;
  ap__svg_draw(s, "M#,#h#", (double[]){p->box.left, y, p->box.width});
}

static void nine_lines(ap__text *s, const ap__plot *p, const ap__axis *a,
                       void (*line)(ap__text *s, const ap__plot *p, double at)) {
  if (!a->nine) return;
  ap__svg_put(s, "<path class=\"fine\" d=\"");
  for (int k = (int)floor(a->low); k <= (int)ceil(a->high); k++)
    for (int digit = 2; digit <= 9; digit++) {
      double at = k + log10(digit);
      if (at > a->low && at < a->high) line(s, p, at);
    }
  ap__svg_put(s, "\"/>\n");
}

static void draw_grid(ap__text *s, const ap__plot *p) {
  nine_lines(s, p, &p->x, x_line);
  nine_lines(s, p, &p->y, y_line);
  ap__svg_put(s, "<path class=\"grid\" d=\"");
  for (int i = 0; i < p->x.ntick; i++) x_line(s, p, p->x.tick[i].at);
  for (int i = 0; i < p->y.ntick; i++) y_line(s, p, p->y.tick[i].at);
  ap__svg_put(s, "\"/>\n<path class=\"axis\" d=\"");
  if (!p->y.log && p->y.low < 0 && p->y.high > 0) y_line(s, p, 0);
  ap__svg_draw(s, "M#,#v#h#'/>\n",
               (double[]){p->box.left, p->box.top, p->box.height, p->box.width});
}

static void draw_x_ticks(ap__text *s, const ap__plot *p) {
  double bottom = p->box.top + p->box.height;
  ap__svg_put(s, "<g class=\"tick mid\">\n");
  for (int i = 0; i < p->x.ntick; i++) {
    double x = p->box.left + along(&p->x, p->x.tick[i].at) * p->box.width;
    ap__svg_draw(s, "<text x='#' y='#'>", (double[]){x, bottom + 16});
    ap__svg_label(s, p->x.tick[i].label);
    ap__svg_put(s, "</text>\n");
  }
  ap__svg_put(s, "</g>\n");
}

static void draw_x_names(ap__text *s, const ap__plot *p) {
  const double room = p->box.width / p->panel->nname, bottom = p->box.top + p->box.height;
  ap__svg_put(s, "<g class=\"tick mid\">\n");
  for (int i = 0; i < p->panel->nname; i++) {
    ap__svg_draw(s, "<text x='#' y='#'>", (double[]){p->box.left + (i + 0.5) * room, bottom + 16});
    ap__svg_text(s, p->panel->x_name[i], AP__TICK_SIZE, room - 4);
    ap__svg_put(s, "</text>\n");
  }
  ap__svg_put(s, "</g>\n");
}

static void draw_y_ticks(ap__text *s, const ap__plot *p) {
  ap__svg_put(s, "<g class=\"tick end\">\n");
  for (int i = 0; i < p->y.ntick; i++) {
    double y = p->box.top + (1 - along(&p->y, p->y.tick[i].at)) * p->box.height;
    ap__svg_draw(s, "<text x='#' y='#'>", (double[]){p->box.left - 7, y + 4});
    ap__svg_label(s, p->y.tick[i].label);
    ap__svg_put(s, "</text>\n");
  }
  ap__svg_put(s, "</g>\n");
}

static void draw_notes(ap__text *s, const ap__plot *p) {
  double right = p->box.left + p->box.width, bottom = p->box.top + p->box.height;
  if (p->y.note[0]) {
    ap__svg_draw(s, "<text class='tick' x='#' y='#'>", (double[]){p->box.left, p->box.top - 6});
    ap__svg_label(s, p->y.note);
    ap__svg_put(s, "</text>\n");
  }
  if (p->x.note[0]) {
    ap__svg_draw(s, "<text class='tick end' x='#' y='#'>", (double[]){right, bottom + 33});
    ap__svg_label(s, p->x.note);
    ap__svg_put(s, "</text>\n");
  }
}

static void draw_names(ap__text *s, const ap__plot *p) {
  const ap__box *b = &p->box;
  double bottom = b->top + b->height;
  if (ap__shows(p->panel->x_label)) {
    double taken = 2 * ap__label_width(p->x.note, AP__TICK_SIZE); // centred text, note at the end
    ap__svg_draw(s, "<text class='mid' x='#' y='#'>",
                 (double[]){b->left + b->width / 2, bottom + 35});
    ap__svg_text(s, p->panel->x_label, AP__LABEL_SIZE, fmax(b->width - taken, b->width / 3));
    ap__svg_put(s, "</text>\n");
  }
  if (ap__shows(p->panel->y_label)) {
    double x = b->left - p->ticks_left - 16, y = b->top + b->height / 2;
    ap__svg_draw(s, "<text class='mid' transform='translate(# #) rotate(-90)'>", (double[]){x, y});
    ap__svg_text(s, p->panel->y_label, AP__LABEL_SIZE, b->height + 20);
    ap__svg_put(s, "</text>\n");
  }
}

void ap__plot_axes(ap__text *s, const ap__plot *p) {
  draw_grid(s, p);
  if (p->panel->nname > 0)
    draw_x_names(s, p);
  else
    draw_x_ticks(s, p);
  draw_y_ticks(s, p);
  draw_notes(s, p);
  draw_names(s, p);
}

void ap__plot_curves(ap__text *s, const ap__plot *p) {
  if (p->empty)
    ap__svg_draw(s, "<text class='tick mid' x='#' y='#'>no data</text>\n",
                 (double[]){p->box.left + p->box.width / 2, p->box.top + p->box.height / 2 - 6});
  for (int k = 0; k < p->panel->ncurve; k++)
    if (p->panel->curve[k].n > 0) ap__draw_curve(s, p, k);
}

// ---- curves in general -------------------------------------------------------------------------

int ap__colour(const ap_panel *panel, int k) {
  return panel->curve[k].colour > 0 ? panel->curve[k].colour : k + 1;
}

// c1 to c8 is the colour; a second round through the palette has another dash, r.
void ap__curve_class(ap__text *s, const ap_panel *panel, int k) {
  static const char *const stroke[] = {
      [AP_SOLID] = "line", [AP_DASHED] = "line dash", [AP_POINTS] = "mark"};
  int colour = ap__colour(panel, k) - 1;
  ap__svg_draw(s, " class='c# ", (double[]){colour % AP__COLOURS + 1});
  ap__svg_put(s, stroke[panel->curve[k].stroke]);
  ap__svg_put(s, colour / AP__COLOURS % 2 ? " r\"" : "\"");
}

static void draw_entry(ap__text *s, const ap_panel *panel, int k, double x, double y, double room) {
  const ap_curve *c = &panel->curve[k];
  ap__svg_put(s, "<g");
  ap__curve_class(s, panel, k);
  ap__svg_draw(s, c->stroke == AP_POINTS ? "><path d='M#,#" : "><path d='M#,#h24",
               (double[]){c->stroke == AP_POINTS ? x + 12 : x, y - 4});
  if (c->stroke == AP_POINTS) ap__svg_put(s, ap__mark(ap__colour(panel, k)));
  ap__svg_draw(s, "'/></g><text x='#' y='#'>", (double[]){x + 30, y});
  ap__svg_text(s, c->label, AP__LABEL_SIZE, room);
  ap__svg_put(s, "</text>\n");
}

int ap__legend(ap__text *s, const ap_panel *panel, double left, double top, double width) {
  double x = 0;
  int line = 0, shown = 0;
  for (int k = 0; k < panel->ncurve; k++) {
    const char *label = panel->curve[k].label;
    if (!ap__shows(label)) continue;
    double room = width - 30;
    double wide = fmin(ap__text_width(label, AP__LABEL_SIZE), room);
    if (x > 0 && x + 30 + wide > width) {
      x = 0;
      line++;
    }
    if (s) draw_entry(s, panel, k, left + x, top + 13 + line * AP__LEGEND_LINE, room);
    x += 30 + wide + 16;
    shown++;
  }
  return shown ? line + 1 : 0;
}
