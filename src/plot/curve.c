// SPDX-License-Identifier: Apache-2.0
// Curves as polylines that are no longer than the eye can tell.
//
// A run of points in one column of the page, half a pixel wide, is reduced to its first, lowest,
// highest and last point; what is left passes through a sleeve that drops points which lie on the
// line between those kept, to a twentieth of a pixel (a tenth near the kept ones). Both look at
// each point once. So a noisy curve of a million points costs as much as the page is wide, and a
// smooth one a few hundred numbers.

#include <math.h>

#include "plot/panel.h"

static const double TOLERANCE = 0.05; // pixels
static const double COLUMNS = 2;      // per pixel

typedef struct point {
  double x, y;
} point;

typedef struct polyline {
  ap__text *s;

  // What was written.
  int written;
  point first;              // held back until a second one makes it a line
  long long last_x, last_y; // in hundredths of a pixel

  // The sleeve: points from the anchor on lie in directions between right and left.
  bool anchored, pending, open;
  point anchor, next, right, left;

  // The column.
  int incolumn;
  double column;
  point run_first, run_low, run_high, run_last;
  bool low_is_earlier;
} polyline;

// ---- writing -----------------------------------------------------------------------------------

static void put_point(ap__text *s, point p, int place) {
  enum { A_LINE = 10 }; // points
  ap__svg_draw(s,
               place == 0            ? "#,#"
               : place % A_LINE == 0 ? "\n#,#"
                                     : " #,#",
               (double[]){p.x, p.y});
}

static void write_point(polyline *l, point p) {
  long long x = llround(p.x * 100), y = llround(p.y * 100);
  if (l->written > 0 && x == l->last_x && y == l->last_y) return;
  l->last_x = x;
  l->last_y = y;
  if (l->written == 0) l->first = p;
  if (l->written == 1) {
    ap__svg_put(l->s, "<polyline points=\"");
    put_point(l->s, l->first, 0);
  }
  if (l->written > 0) put_point(l->s, p, l->written);
  l->written++;
}

static void write_end(polyline *l) {
  if (l->written > 1) ap__svg_put(l->s, "\"/>\n");
  if (l->written == 1)
    ap__svg_draw(l->s, "<circle class='dot' cx='#' cy='#' r='1.75'/>\n",
                 (double[]){l->first.x, l->first.y});
  l->written = 0;
}

// ---- the sleeve --------------------------------------------------------------------------------

static double cross(point a, point b) { return a.x * b.y - a.y * b.x; }

static void anchor_at(polyline *l, point p) {
  write_point(l, p);
  l->anchor = p;
  l->anchored = true;
  l->pending = l->open = false;
}

// May the line from the anchor go on to p, at d from it, without leaving the sleeve or turning
// back?
static bool goes_on(const polyline *l, point d) {
  if (!l->pending || !l->open) return true;
  point before = {l->next.x - l->anchor.x, l->next.y - l->anchor.y};
  if (d.x * d.x + d.y * d.y < before.x * before.x + before.y * before.y) return false;
  return cross(l->right, d) >= 0 && cross(d, l->left) >= 0;
}

static void narrow(polyline *l, point d) {
  double length = hypot(d.x, d.y);
  if (length <= 2 * TOLERANCE) return; // no direction yet
  double s = TOLERANCE / length, c = sqrt(1 - s * s);
  point u = {d.x / length, d.y / length};
  point right = {c * u.x + s * u.y, c * u.y - s * u.x};
  point left = {c * u.x - s * u.y, c * u.y + s * u.x};
  if (!l->open || cross(l->right, right) > 0) l->right = right;
  if (!l->open || cross(left, l->left) > 0) l->left = left;
  l->open = true;
}

static void sleeve_point(polyline *l, point p) {
  if (!l->anchored) {
    anchor_at(l, p);
    return;
  }
  point d = {p.x - l->anchor.x, p.y - l->anchor.y};
  if (!goes_on(l, d)) {
    anchor_at(l, l->next);
    d = (point){p.x - l->anchor.x, p.y - l->anchor.y};
  }
  narrow(l, d);
  l->next = p;
  l->pending = true;
}

static void sleeve_end(polyline *l) {
  if (l->pending) write_point(l, l->next);
  l->anchored = l->pending = l->open = false;
}

// ---- columns -----------------------------------------------------------------------------------

static void column_end(polyline *l) {
  if (l->incolumn == 0) return;
  sleeve_point(l, l->run_first);
  if (l->incolumn > 2) {
    sleeve_point(l, l->low_is_earlier ? l->run_low : l->run_high);
    sleeve_point(l, l->low_is_earlier ? l->run_high : l->run_low);
  }
  if (l->incolumn > 1) sleeve_point(l, l->run_last);
  l->incolumn = 0;
}

static void column_point(polyline *l, point p) {
  double column = floor(p.x * COLUMNS);
  if (l->incolumn > 0 && column != l->column) column_end(l);
  if (l->incolumn == 0) {
    l->column = column;
    l->run_first = l->run_low = l->run_high = p;
    l->low_is_earlier = true;
  } else if (p.y < l->run_low.y) {
    l->run_low = p;
    l->low_is_earlier = false;
  } else if (p.y > l->run_high.y) {
    l->run_high = p;
    l->low_is_earlier = true;
  }
  l->run_last = p;
  if (l->incolumn < 3) l->incolumn++;
}

static void end_line(polyline *l) {
  column_end(l);
  sleeve_end(l);
  write_end(l);
}

// ---- curves ------------------------------------------------------------------------------------

static point on_page(const ap__plot *p, double x, double y) {
  double u = (ap__axis_position(&p->x, x) - p->x.low) / (p->x.high - p->x.low);
  double v = (ap__axis_position(&p->y, y) - p->y.low) / (p->y.high - p->y.low);
  return (point){p->box.left + u * p->box.width, p->box.top + (1 - v) * p->box.height};
}

static void draw_line(ap__text *s, const ap__plot *p, const ap_curve *c) {
  polyline l = {.s = s};
  for (int i = 0; i < c->n; i++) {
    if (ap__point_shows(p->panel, c->x[i], c->y[i]))
      column_point(&l, on_page(p, c->x[i], c->y[i]));
    else
      end_line(&l);
  }
  end_line(&l);
}

const char *ap__mark(int colour) {
  static const char *const mark[] = {
      "m-2.6,0a2.6,2.6 0 1 0 5.2,0a2.6,2.6 0 1 0-5.2,0z", // disc
      "m-2.3-2.3h4.6v4.6h-4.6z",                          // square
      "m0-3.4l3.4,3.4l-3.4,3.4l-3.4-3.4z",                // diamond
      "m0-3.2l3.2,5.5h-6.4z",                             // triangle
  };
  return mark[(colour - 1) % 4];
}

static void draw_marks(ap__text *s, const ap__plot *p, const ap_curve *c, int colour) {
  enum { A_LINE = 4 };
  long long last_x = 0, last_y = 0;
  int written = 0;
  for (int i = 0; i < c->n; i++) {
    if (!ap__point_shows(p->panel, c->x[i], c->y[i])) continue;
    point at = on_page(p, c->x[i], c->y[i]);
    long long x = llround(at.x * 100), y = llround(at.y * 100);
    if (written > 0 && x == last_x && y == last_y) continue;
    ap__svg_put(s, written == 0 ? "<path d=\"" : written % A_LINE == 0 ? "\n" : "");
    ap__svg_draw(s, "M#,#", (double[]){at.x, at.y});
    ap__svg_put(s, ap__mark(colour));
    last_x = x;
    last_y = y;
    written++;
  }
  if (written > 0) ap__svg_put(s, "\"/>\n");
}

void ap__draw_curve(ap__text *s, const ap__plot *p, int k) {
  const ap_curve *c = &p->panel->curve[k];
  ap__svg_put(s, "<g");
  ap__curve_class(s, p->panel, k);
  ap__svg_put(s, ">\n");
  if (ap__shows(c->label)) {
    ap__svg_put(s, "<title>");
    ap__svg_text(s, c->label, AP__LABEL_SIZE, 0);
    ap__svg_put(s, "</title>\n");
  }
  if (c->stroke == AP_POINTS)
    draw_marks(s, p, c, ap__colour(p->panel, k));
  else
    draw_line(s, p, c);
  ap__svg_put(s, "</g>\n");
}
