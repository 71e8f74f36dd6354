// SPDX-License-Identifier: Apache-2.0
// A figure: its panels checked, laid out, drawn and written.

#include <appell/plot.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/text.h"
#include "plot/panel.h"

// Pixels.
#define MARGIN      14.0 // around everything
#define GAP         22.0 // between panels
#define RIGHT       16.0 // beside a box: half a label of a tick
#define TITLE       27.0 // the figure's
#define PANEL_TITLE 21.0
#define NOTE        15.0
#define TICKS       22.0 // below a box
#define NAME        19.0 // of an axis

// The palette is that of Okabe and Ito (2008), made for every kind of colour vision, in the order
// in which neighbours differ most. Its yellow is darker here, as it is drawn in thin lines on
// white. On dark pages its darker colours are lighter.
static const char STYLE[] =
    "<style>\n"
    ".ap-figure{max-width:100%;height:auto;font:12px Helvetica,Arial,'Liberation Sans',"
    "'DejaVu Sans',sans-serif}\n"
    ".ap-figure text{fill:#24292f}\n"
    ".ap-figure .page{fill:#fff}\n"
    ".ap-figure .head{font-size:16px;font-weight:bold}\n"
    ".ap-figure .name{font-size:13px;font-weight:bold}\n"
    ".ap-figure .tick,.ap-figure .tick text{font-size:11px;fill:#57606a}\n"
    ".ap-figure .up{font-size:8px}\n"
    ".ap-figure .mid{text-anchor:middle}\n"
    ".ap-figure .end{text-anchor:end}\n"
    ".ap-figure .fine{fill:none;stroke:#f1f3f5;stroke-width:.6}\n"
    ".ap-figure .grid{fill:none;stroke:#e1e4e8;stroke-width:.8}\n"
    ".ap-figure .axis{fill:none;stroke:#8c959f;stroke-width:1}\n"
    ".ap-figure .line{fill:none;stroke:currentColor;stroke-width:1.6;stroke-linejoin:round;"
    "stroke-linecap:round}\n"
    ".ap-figure .dash{stroke-dasharray:6 4;stroke-linecap:butt}\n"
    ".ap-figure .line.r{stroke-dasharray:9 3 2 3;stroke-linecap:butt}\n"
    ".ap-figure .dash.r{stroke-dasharray:2 3}\n"
    ".ap-figure .mark,.ap-figure .dot{fill:currentColor;stroke:none}\n"
    ".ap-figure .mark.r{fill:none;stroke:currentColor;stroke-width:1.2}\n"
    ".ap-figure .c1{color:#0072b2}.ap-figure .c2{color:#d55e00}\n"
    ".ap-figure .c3{color:#009e73}.ap-figure .c4{color:#cc79a7}\n"
    ".ap-figure .c5{color:#e69f00}.ap-figure .c6{color:#56b4e9}\n"
    ".ap-figure .c7{color:#4d4d4d}.ap-figure .c8{color:#a39100}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".ap-figure text{fill:#e6edf3}\n"
    ".ap-figure .page{fill:#0d1117}\n"
    ".ap-figure .tick,.ap-figure .tick text{fill:#9ea7b3}\n"
    ".ap-figure .fine{stroke:#161b22}\n"
    ".ap-figure .grid{stroke:#262c36}\n"
    ".ap-figure .axis{stroke:#6e7681}\n"
    ".ap-figure .c1{color:#3d9fe0}.ap-figure .c2{color:#f0783c}\n"
    ".ap-figure .c3{color:#1dbf92}.ap-figure .c4{color:#de94bd}\n"
    ".ap-figure .c5{color:#e9a820}.ap-figure .c6{color:#7cc8f4}\n"
    ".ap-figure .c7{color:#c9d1d9}.ap-figure .c8{color:#f0e442}\n"
    "}\n"
    "</style>\n";

// ---- check -------------------------------------------------------------------------------------

static ap_status refuse_panel(const ap_figure *f, int i, const char *what, ap_error *error) {
  const char *title = f->panel[i].title;
  if (!ap__shows(title)) return AP__REFUSE(error, AP_E_ARG, 0, "panel %d: %s", i + 1, what);
  return AP__REFUSE(error, AP_E_ARG, 0, "panel %d (%.*s): %s", i + 1, ap__shown(title), title,
                    what);
}

static ap_status refuse_curve(const ap_figure *f, int i, int k, const char *what, ap_error *error) {
  const char *label = f->panel[i].curve[k].label;
  if (!ap__shows(label))
    return AP__REFUSE(error, AP_E_ARG, 0, "panel %d, curve %d: %s", i + 1, k + 1, what);
  return AP__REFUSE(error, AP_E_ARG, 0, "panel %d, curve %d (%.*s): %s", i + 1, k + 1,
                    ap__shown(label), label, what);
}

static const char *fault_of_curve(const ap_curve *c) {
  if (c->n < 0) return "its number of points is negative (zero or more)";
  if (c->n > 0 && (!c->x || !c->y)) return "it has points, but x or y is NULL (n numbers each)";
  if (c->stroke != AP_SOLID && c->stroke != AP_DASHED && c->stroke != AP_POINTS)
    return "there is no such stroke (AP_SOLID, AP_DASHED or AP_POINTS)";
  if (c->colour < 0) return "its colour is negative (0, or a place in the palette from 1)";
  return NULL;
}

static const char *fault_of_names(const ap_panel *p) {
  if (p->nname < 0) return "its number of names is negative (zero or more)";
  if (p->nname == 0) return NULL;
  if (p->log_x || p->same_scale) return "names along a logarithmic x, or one with same_scale";
  if (!p->x_name) return "it has names, but x_name is NULL (an array of them)";
  for (int k = 0; k < p->nname; k++)
    if (!p->x_name[k]) return "a name of x is NULL (a text, which may be empty)";
  return NULL;
}

static ap_status check_panel(const ap_figure *f, int i, ap_error *error) {
  const ap_panel *p = &f->panel[i];
  if (fault_of_names(p)) return refuse_panel(f, i, fault_of_names(p), error);
  if (p->ncurve < 0)
    return refuse_panel(f, i, "its number of curves is negative (zero or more)", error);
  if (p->ncurve > 0 && !p->curve)
    return refuse_panel(f, i, "it has curves, but curve is NULL (an array of them)", error);
  if (p->same_scale && (p->log_x || p->log_y))
    return refuse_panel(
        f, i, "same_scale with a logarithmic axis (equal units exist on linear axes only)", error);
  if (!isfinite(p->y_low) || !isfinite(p->y_high) || p->y_low > p->y_high)
    return refuse_panel(
        f, i, "y_low and y_high are not a range (they must be finite, low below high)", error);
  if (p->log_y && p->y_low <= 0 && p->y_high != 0)
    return refuse_panel(f, i, "y_low is not positive with decades (or set both to 0)", error);
  for (int k = 0; k < p->ncurve; k++) {
    const char *fault = fault_of_curve(&p->curve[k]);
    if (fault) return refuse_curve(f, i, k, fault, error);
  }
  return AP_OK;
}

static ap_status check(const ap_figure *f, const char *path, ap_error *error) {
  const char *fault = NULL;
  if (!f)
    fault = "the figure is NULL";
  else if (!path || !path[0])
    fault = "the figure has no path (expected a file name such as \"figure.svg\")";
  else if (f->npanel <= 0 || !f->panel)
    fault = "the figure has no panel (it needs at least one)";
  else if (f->columns < 0)
    fault = "the figure's number of columns is negative (one or more, or 0 for one)";
  else if (f->width != 0 && !(f->width >= 320 && f->width <= 10000))
    fault = "the figure's width is not 320 to 10000 pixels (or 0 for the usual one)";
  if (fault) return AP__REFUSE(error, AP_E_ARG, 0, "%s", fault);
  ap_status status = AP_OK;
  for (int i = 0; i < f->npanel && !status; i++) status = check_panel(f, i, error);
  return status;
}

// ---- layout ------------------------------------------------------------------------------------

// A figure on its page.
typedef struct page {
  const ap_figure *figure;
  ap__plot *plot; // [npanel]
  int columns;
  double width, height, cell; // cell: the width of a panel with its labels
  bool one_legend;            // all panels have the same, and it stands above them
} page;

// Do two panels have the same legend, and one at all?
static bool same_legend(const ap_panel *a, const ap_panel *b) {
  int i = 0, k = 0, shown = 0;
  for (;; i++, k++, shown++) {
    while (i < a->ncurve && !ap__shows(a->curve[i].label)) i++;
    while (k < b->ncurve && !ap__shows(b->curve[k].label)) k++;
    if (i == a->ncurve || k == b->ncurve) return shown > 0 && i == a->ncurve && k == b->ncurve;
    if (strcmp(a->curve[i].label, b->curve[k].label) != 0 ||
        a->curve[i].stroke != b->curve[k].stroke || ap__colour(a, i) != ap__colour(b, k))
      return false;
  }
}

// The height of a box. Paths get one that suits their shape.
static double height_wanted(const page *g, const ap__plot *p, double width) {
  double usual = g->figure->npanel == 1 ? 320 : g->columns == 1 ? 200 : 220;
  if (!p->panel->same_scale) return usual;
  double shape = (p->y.high - p->y.low) / (p->x.high - p->x.low);
  return fmin(fmax(width * shape, usual), fmin(width, 540));
}

// Left edges and widths of the boxes: those of a column are aligned.
static void lay_out_column(page *g, int column) {
  double left = 0;
  for (int i = column; i < g->figure->npanel; i += g->columns) {
    double name = ap__shows(g->plot[i].panel->y_label) ? NAME : 0;
    left = fmax(left, fmax(g->plot[i].ticks_left, 30) + 8 + name);
  }
  for (int i = column; i < g->figure->npanel; i += g->columns) {
    g->plot[i].box.left = MARGIN + column * (g->cell + GAP) + left;
    g->plot[i].box.width = g->cell - left - RIGHT;
  }
}

// Tops of the boxes of the row that starts with the panel `first`. Returns where the row ends.
static double lay_out_row(page *g, int first, double top) {
  double title = 0, legend = 0, note = 0, below = TICKS, height = 0;
  int end = first + g->columns < g->figure->npanel ? first + g->columns : g->figure->npanel;
  for (int i = first; i < end; i++) {
    const ap__plot *p = &g->plot[i];
    int lines = g->one_legend ? 0 : ap__legend(NULL, p->panel, 0, 0, p->box.width);
    if (ap__shows(p->panel->title)) title = PANEL_TITLE;
    if (lines > 0) legend = fmax(legend, lines * AP__LEGEND_LINE + 4);
    if (p->y.note[0]) note = NOTE;
    if (ap__shows(p->panel->x_label) || p->x.note[0]) below = TICKS + NAME;
    height = fmax(height, p->box.height);
  }
  for (int i = first; i < end; i++) {
    ap__plot *p = &g->plot[i];
    p->title_top = top;
    p->legend_top = top + title;
    p->box.top = top + title + legend + note + 6;
    p->box.height = height;
    ap__plot_fit(p);
  }
  return top + title + legend + note + 6 + height + below;
}

static void lay_out(page *g) {
  const ap_figure *f = g->figure;
  g->columns = f->columns < 1 ? 1 : f->columns < f->npanel ? f->columns : f->npanel;
  g->width = g->columns == 1 ? 720 : g->columns == 2 ? 960 : 400.0 * g->columns;
  if (f->width > 0) g->width = f->width;
  g->cell = (g->width - 2 * MARGIN - (g->columns - 1) * GAP) / g->columns;
  g->one_legend = f->npanel > 1;
  for (int i = 0; i < f->npanel; i++) {
    ap__plot *p = &g->plot[i];
    ap__plot_measure(p, &f->panel[i]);
    p->box.width = g->cell - 70; // or nearly so; what is left of the box depends on the ticks
    p->box.height = height_wanted(g, p, p->box.width);
    ap__plot_fit(p);
    if (!same_legend(&f->panel[0], &f->panel[i])) g->one_legend = false;
  }
  for (int k = 0; k < g->columns; k++) lay_out_column(g, k);
  double top = MARGIN;
  if (ap__shows(f->title)) top += TITLE;
  if (g->one_legend)
    top += 8 + AP__LEGEND_LINE * ap__legend(NULL, &f->panel[0], 0, 0, g->width - 2 * MARGIN);
  for (int i = 0; i < f->npanel; i += g->columns)
    top = lay_out_row(g, i, top) + (i + g->columns < f->npanel ? GAP : 0);
  g->height = ceil(top + MARGIN);
}

// ---- drawing -----------------------------------------------------------------------------------

// What a reader who cannot see the figure is told that it is.
static const char *name_of(const ap_figure *f) {
  if (ap__shows(f->title)) return f->title;
  for (int i = 0; i < f->npanel; i++)
    if (ap__shows(f->panel[i].title)) return f->panel[i].title;
  return "Figure";
}

static void draw_panel(ap__text *s, const page *g, const ap__plot *p) {
  const ap_panel *panel = p->panel;
  ap__svg_put(s, "<g>\n");
  ap__plot_axes(s, p);
  if (!g->one_legend) ap__legend(s, panel, p->box.left, p->legend_top, p->box.width);
  if (ap__shows(panel->title)) {
    ap__svg_draw(s, "<text class='name' x='#' y='#'>", (double[]){p->box.left, p->title_top + 13});
    ap__svg_text(s, panel->title, AP__TITLE_SIZE, p->box.width + RIGHT);
    ap__svg_put(s, "</text>\n");
  }
  ap__plot_curves(s, p);
  ap__svg_put(s, "</g>\n");
}

static void draw(ap__text *s, const page *g) {
  const ap_figure *f = g->figure;
  double size[] = {g->width, g->height, g->width, g->height};
  ap__svg_draw(s,
               "<svg xmlns='http://www.w3.org/2000/svg' class='ap-figure' role='img' width='#' "
               "height='#' viewBox='0 0 # #'>\n<title>",
               size);
  ap__svg_text(s, name_of(f), 16, 0);
  ap__svg_put(s, "</title>\n");
  ap__svg_put(s, STYLE);
  ap__svg_draw(s, "<rect class='page' width='#' height='#' rx='6'/>\n", size);
  double top = MARGIN;
  if (ap__shows(f->title)) {
    ap__svg_draw(s, "<text class='head' x='#' y='#'>", (double[]){MARGIN, top + 14});
    ap__svg_text(s, f->title, 17, g->width - 2 * MARGIN); // 17: bold is wider
    ap__svg_put(s, "</text>\n");
    top += TITLE;
  }
  if (g->one_legend) ap__legend(s, &f->panel[0], MARGIN, top, g->width - 2 * MARGIN);
  for (int i = 0; i < f->npanel; i++) draw_panel(s, g, &g->plot[i]);
  ap__svg_put(s, "</svg>\n");
}

static ap_status write_page(const char *path, const ap__text *s, ap_error *error) {
  ap_error reason = {0};
  ap_status status = ap__write_file(path, s->text, s->length, &reason);
  if (status) ap__fail(error, status, 0, "%.*s: %s", ap__shown(path), path, reason.text);
  return status;
}

// Compose the text of a figure that was checked.
static ap_status compose(const ap_figure *figure, ap__text *s, ap_error *error) {
  page g = {.figure = figure, .plot = calloc((size_t)figure->npanel, sizeof(ap__plot))};
  s->failed = !g.plot;
  if (g.plot) {
    lay_out(&g);
    draw(s, &g);
  }
  free(g.plot);
  if (!s->failed) return AP_OK;
  ap__fail(error, AP_E_MEMORY, 0, "there is no memory to compose the figure");
  return AP_E_MEMORY;
}

ap_status ap_figure_write(const ap_figure *figure, const char *path, ap_error *error) {
  ap__text s = {0};
  ap_status status = check(figure, path, error);
  if (!status) status = compose(figure, &s, error);
  if (!status) status = write_page(path, &s, error);
  ap__text_free(&s);
  return status;
}

ap_status ap_figure_text(const ap_figure *figure, char **text, ap_error *error) {
  ap__text s = {0};
  *text = NULL;
  ap_status status = check(figure, "-", error);
  if (!status) status = compose(figure, &s, error);
  if (!status)
    *text = s.text;
  else
    ap__text_free(&s);
  return status;
}
