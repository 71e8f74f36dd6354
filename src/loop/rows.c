// SPDX-License-Identifier: Apache-2.0
// Closures Phi(x), coordinates s(x), their Jacobian K and its rate.
//
// With r the vector from a link's origin to a point of it, a rate of a joint below gives the point
//     lin = u + e x (p - o),       lin' = u' + e' x (p - o) + e x (p' - o'),
// where e and u are the joint's angular velocity and the velocity of its own link's origin o per
// unit rate. Both are fixed in the joint's link, so e' = w x e, u' = w x u; a planar joint's x and
// y are fixed in its parent, so there w is the parent's.

#include <math.h>
#include <string.h>

#include "loop/work.h"
#include "num/vec3.h"

typedef struct spot {
  int body;
  double p[3], v[3], a[3]; // a point seen from the ground: place, velocity, acceleration at xdd = 0
  const ap_seen *link;
} spot;

// A search begins where the last call ended, and the map is made where the search ended: the links
// are seen there already.
static void set_tree_state(const ap_mechanism *m, ap_loop *l, const double *x, const double *xd) {
  const size_t size = sizeof(double) * (size_t)m->nx;
  if (!xd && l->seeing && !memcmp(l->seen_x, x, size)) return;
  memcpy(l->seen_x, x, size);
  l->seeing = true;
  ap_kinematics(m->tree, l->work, x, xd, NULL);
  int nbody = ap_nbody(m->tree);
  for (int b = 0; b < nbody; b++) {
    ap_seen *s = &l->seen[b];
    ap_frame_pose(m->tree, l->work, b, s->R, s->p);
    if (!xd) continue;
    double six[6];
    ap_frame_velocity(m->tree, l->work, b, AP_MIXED, six);
    memcpy(s->v, six, sizeof s->v), memcpy(s->w, six + 3, sizeof s->w);
    ap_frame_jacobian_dot_v(m->tree, l->work, b, AP_MIXED, six);
    memcpy(s->a, six, sizeof s->a), memcpy(s->dw, six + 3, sizeof s->dw);
  }
}

static spot spot_at(const ap_loop *l, int body, const double at[3], bool moving) {
  spot s = {.body = body, .link = &l->seen[body]};
  double r[3], wr[3], wwr[3], ar[3];
  turn3(s.link->R, at, r);
  for (int i = 0; i < 3; i++) s.p[i] = s.link->p[i] + r[i];
  if (!moving) return s;
  cross3(s.link->w, r, wr), cross3(s.link->w, wr, wwr), cross3(s.link->dw, r, ar);
  for (int i = 0; i < 3; i++) s.v[i] = s.link->v[i] + wr[i];
  for (int i = 0; i < 3; i++) s.a[i] = s.link->a[i] + ar[i] + wwr[i];
  return s;
}

// ---- a row from its forms ----------------------------------------------------------------------

typedef struct place {
  const ap_mechanism *m;
  ap_loop *l;
  const double *x;
  int what;
} place;

// The joint's motion per unit rate, and its rate, seen from the ground.
static void see_screw(const place *c, const ap_screw *s, int body, double u[3], double e[3],
                      double du[3], double de[3]) {
  const ap_seen *link = &c->l->seen[body];
  const double *w = link->w;
  double turned[3] = {s->u[0], s->u[1], s->u[2]}, side[3];
  if (s->angle >= 0) { // back by the angle about the axis, across which u lies
    double cosine = cos(c->x[s->angle]), sine = sin(c->x[s->angle]);
    cross3(s->axis, s->u, side);
    for (int i = 0; i < 3; i++) turned[i] = cosine * s->u[i] - sine * side[i];
    w = c->l->seen[c->m->way[body].parent].w;
  }
  turn3(link->R, turned, u), turn3(link->R, s->e, e);
  if (c->what == AP_ROWS_RATES) cross3(w, u, du), cross3(link->w, e, de);
}

// Add to `count` rows from `row` on what the forms ask of a point, in every column that moves it.
static void add_forms(const place *c, const spot *s, const ap_form *form, int count, int row) {
  int nv = c->m->nv;
  if (c->what == AP_ROWS_BIAS || c->what == AP_ROWS_RATES)
    for (int k = 0; k < count; k++) {
      const ap_form *f = &form[k];
      c->l->bias[row + k] += dot3(f->lin, s->a) + dot3(f->dlin, s->v) + dot3(f->ang, s->link->dw) +
                             dot3(f->dang, s->link->w);
    }
  if (c->what == AP_ROWS_BIAS) return;
  for (int b = s->body; b > 0; b = c->m->way[b].next) {
    const ap_way *way = &c->m->way[b];
    const ap_seen *link = &c->l->seen[b];
    for (int i = way->first; i < way->first + way->count; i++) {
      const ap_screw *screw = &c->m->screw[i];
      double u[3], e[3], du[3] = {0}, de[3] = {0}, arm[3], lin[3];
      see_screw(c, screw, b, u, e, du, de);
      for (int j = 0; j < 3; j++) arm[j] = s->p[j] - link->p[j];
      cross3(e, arm, lin);
      for (int j = 0; j < 3; j++) lin[j] += u[j];
      double *to = c->l->K + row * nv + screw->column;
      for (int k = 0; k < count; k++) to[k * nv] += dot3(form[k].lin, lin) + dot3(form[k].ang, e);
      if (c->what != AP_ROWS_RATES) continue;
      double dlin[3], part[3], rel[3];
      for (int j = 0; j < 3; j++) rel[j] = s->v[j] - link->v[j];
      cross3(de, arm, dlin), cross3(e, rel, part);
      for (int j = 0; j < 3; j++) dlin[j] += du[j] + part[j];
      to = c->l->Kd + row * nv + screw->column;
      for (int k = 0; k < count; k++)
        to[k * nv] += dot3(form[k].dlin, lin) + dot3(form[k].lin, dlin) + dot3(form[k].dang, e) +
                      dot3(form[k].ang, de);
    }
  }
}

// ---- closures ----------------------------------------------------------------------------------

static void axis_of(const ap_seen *link, const double frame[9], int column, double d[3]) {
  double local[3] = {frame[column], frame[3 + column], frame[6 + column]};
  turn3(link->R, local, d);
}

static void point_rows(const place *c, const ap_closing *k, const spot s[2], double *F) {
  for (int i = 0; i < 3; i++) F[i] = s[0].p[i] - s[1].p[i];
  if (c->what == AP_ROWS_VALUES) return;
  for (int side = 0; side < 2; side++) {
    ap_form form[3] = {{{0}, {0}, {0}, {0}}};
    for (int i = 0; i < 3; i++) form[i].lin[i] = side ? -1 : 1;
    add_forms(c, &s[side], form, 3, k->row);
  }
}

// d_0 - d_1 for a column of the two frames; rate of d is w x d, so row i is w . (d x unit i).
static void axis_rows(const place *c, const ap_closing *k, const spot s[2], int column, int offset,
                      double *F) {
  double d[2][3];
  for (int side = 0; side < 2; side++) axis_of(s[side].link, k->frame[side], column, d[side]);
  for (int i = 0; i < 3; i++) F[offset + i] = d[0][i] - d[1][i];
  if (c->what == AP_ROWS_VALUES) return;
  for (int side = 0; side < 2; side++) {
    ap_form form[3] = {{{0}, {0}, {0}, {0}}};
    double dd[3], sign = side ? -1 : 1;
    cross3(s[side].link->w, d[side], dd);
    for (int i = 0; i < 3; i++) {
      double unit[3] = {0, 0, 0};
      unit[i] = sign;
      cross3(d[side], unit, form[i].ang), cross3(dd, unit, form[i].dang);
    }
    add_forms(c, &s[side], form, 3, k->row + offset);
  }
}

// t . (p_0 - p_1) for two t across the line: t' = w x t gives  w . (t x (p_0 - p_1)).
static void line_rows(const place *c, const ap_closing *k, const spot s[2], double *F) {
  ap_form form[2][2];
  double apart[3], rate[3];
  for (int i = 0; i < 3; i++) apart[i] = s[0].p[i] - s[1].p[i], rate[i] = s[0].v[i] - s[1].v[i];
  memset(form, 0, sizeof form);
  for (int r = 0; r < 2; r++) {
    double t[3], dt[3], part[3];
    axis_of(s[1].link, k->frame[1], r + 1, t);
    F[r] = dot3(t, apart);
    cross3(s[1].link->w, t, dt);
    for (int i = 0; i < 3; i++) {
      form[0][r].lin[i] = t[i], form[1][r].lin[i] = -t[i];
      form[0][r].dlin[i] = dt[i], form[1][r].dlin[i] = -dt[i];
    }
    cross3(t, apart, form[1][r].ang);
    cross3(dt, apart, form[1][r].dang), cross3(t, rate, part);
    for (int i = 0; i < 3; i++) form[1][r].dang[i] += part[i];
  }
  if (c->what == AP_ROWS_VALUES) return;
  for (int side = 0; side < 2; side++) add_forms(c, &s[side], form[side], 2, k->row);
}

// (|p_0 - p_1|^2 - d^2) / (2 d): near the distance its excess, and smooth everywhere.
static void distance_row(const place *c, const ap_closing *k, const spot s[2], double *F) {
  double apart[3], length = k->def.distance;
  for (int i = 0; i < 3; i++) apart[i] = s[0].p[i] - s[1].p[i];
  F[0] = (dot3(apart, apart) - length * length) / (2 * length);
  if (c->what == AP_ROWS_VALUES) return;
  for (int side = 0; side < 2; side++) {
    ap_form form = {{0}, {0}, {0}, {0}};
    double by = (side ? -1 : 1) / length;
    for (int i = 0; i < 3; i++) {
      form.lin[i] = by * apart[i];
      form.dlin[i] = by * (s[0].v[i] - s[1].v[i]);
    }
    add_forms(c, &s[side], &form, 1, k->row);
  }
}

static void closure_rows(const place *c, const ap_closing *k, double *F) {
  const ap_closure_def *d = &k->def;
  if (d->kind == AP_CLOSE_GEAR) {
    F[0] = c->x[k->entry[1]] - d->ratio * c->x[k->entry[0]] - d->offset;
    if (c->what == AP_ROWS_VALUES || c->what == AP_ROWS_BIAS) return;
    c->l->K[k->row * c->m->nv + k->column[1]] += 1;
    c->l->K[k->row * c->m->nv + k->column[0]] -= d->ratio;
    return;
  }
  bool moving = c->what >= AP_ROWS_BIAS;
  spot s[2];
  for (int i = 0; i < 2; i++) s[i] = spot_at(c->l, d->body[i], d->at[i], moving);
  switch (d->kind) {
    case AP_CLOSE_POINT: point_rows(c, k, s, F); break;
    case AP_CLOSE_AXIS: axis_rows(c, k, s, 0, 0, F); break;
    case AP_CLOSE_POINT_ON_LINE: line_rows(c, k, s, F); break;
    case AP_CLOSE_FRAME:
      point_rows(c, k, s, F);
      axis_rows(c, k, s, 0, 3, F), axis_rows(c, k, s, 1, 6, F);
      break;
    case AP_CLOSE_DISTANCE: distance_row(c, k, s, F); break;
    case AP_CLOSE_GEAR: break;
  }
}

// ---- coordinates -------------------------------------------------------------------------------

// Yaw, pitch, roll and what they ask of the angular velocity:
//   yaw'   = w_z + c tan(pitch),  pitch' = w_y cos(yaw) - w_x sin(yaw),  roll' = c / cos(pitch)
// with c = w_x cos(yaw) + w_y sin(yaw). At pitch = +-pi/2 the cosine is kept from zero: the rows
// grow so large there that the matrix counts as singular.
static void angle_row(const place *c, const ap_measure *k, int row, double *F) {
  const ap_seen *link = &c->l->seen[k->def.body];
  const double *R = link->R;
  double level = hypot(R[0], R[3]), cp = fmax(level, 1e-15), sp = -R[6];
  double yaw = atan2(R[3], R[0]), cy = cos(yaw), sy = sin(yaw);
  ap_form form = {{0}, {0}, {0}, {0}};
  double along = cy * link->w[0] + sy * link->w[1], across = cy * link->w[1] - sy * link->w[0];
  double yaw_rate = link->w[2] + along * sp / cp, pitch_rate = across;
  double f = 0, df = 0; // of cos(yaw), sin(yaw) in x and y
  switch (k->def.kind) {
    case AP_COORDINATE_YAW:
      *F = yaw, f = sp / cp, df = pitch_rate / (cp * cp), form.ang[2] = 1;
      break;
    case AP_COORDINATE_ROLL:
      *F = atan2(R[7], R[8]), f = 1 / cp, df = pitch_rate * sp / (cp * cp);
      break;
    default: *F = atan2(sp, level); break;
  }
  if (c->what == AP_ROWS_VALUES) return;
  if (k->def.kind == AP_COORDINATE_PITCH) {
    form.ang[0] = -sy, form.ang[1] = cy;
    form.dang[0] = -cy * yaw_rate, form.dang[1] = -sy * yaw_rate;
  } else {
    form.ang[0] = f * cy, form.ang[1] = f * sy;
    form.dang[0] = df * cy - f * sy * yaw_rate, form.dang[1] = df * sy + f * cy * yaw_rate;
  }
  spot s = spot_at(c->l, k->def.body, (double[3]){0, 0, 0}, c->what >= AP_ROWS_BIAS);
  add_forms(c, &s, &form, 1, row);
}

static void coordinate_row(const place *c, const ap_measure *k, int row, double *F) {
  if (k->def.kind == AP_COORDINATE_JOINT) {
    *F = c->x[k->entry];
    if (c->what != AP_ROWS_VALUES && c->what != AP_ROWS_BIAS)
      c->l->K[row * c->m->nv + k->column] += 1;
  } else if (k->def.kind == AP_COORDINATE_POSITION) {
    spot s = spot_at(c->l, k->def.body, k->def.at, c->what >= AP_ROWS_BIAS);
    ap_form form = {{0}, {0}, {0}, {0}};
    memcpy(form.lin, k->def.along, sizeof form.lin);
    *F = dot3(form.lin, s.p);
    if (c->what != AP_ROWS_VALUES) add_forms(c, &s, &form, 1, row);
  } else {
    angle_row(c, k, row, F);
  }
}

void ap__rows(const ap_mechanism *m, ap_loop *l, const double *x, const double *xd, int what,
              double *F) {
  size_t rows = (size_t)m->nrow + (size_t)m->n, nv = (size_t)m->nv;
  place c = {m, l, x, what};
  set_tree_state(m, l, x, xd);
  if (what == AP_ROWS_JACOBIAN || what == AP_ROWS_RATES)
    memset(l->K, 0, rows * nv * sizeof(double));
  if (what >= AP_ROWS_BIAS) memset(l->bias, 0, rows * sizeof(double));
  if (what >= AP_ROWS_RATES) memset(l->Kd, 0, rows * nv * sizeof(double));
  for (int i = 0; i < m->nclosing; i++) closure_rows(&c, &m->closing[i], F + m->closing[i].row);
  for (int i = 0; i < m->n; i++) coordinate_row(&c, &m->measure[i], m->nrow + i, F + m->nrow + i);
}
