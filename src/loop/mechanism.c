// SPDX-License-Identifier: Apache-2.0
// Mechanisms: check and freeze.

#include "loop/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "num/rpy.h"
#include "num/vec3.h"

#define LARGEST 1e9    // m, rad or a ratio; its inverse is the least: squares keep their digits
enum { MOST = 10000 }; // closures, coordinates, actuators: against counts that are nonsense

static const char *const kind_text[] = {"point", "axis",     "point on a line",
                                        "frame", "distance", "gear"};
static const int kind_rows[] = {3, 3, 2, 9, 1, 1};

// ---- layout ------------------------------------------------------------------------------------

static bool counts_are_right(const ap_mechanism_def *d) {
  return d && d->robot && d->nclosure >= 0 && d->nclosure <= MOST && d->ncoordinate >= 1 &&
         d->ncoordinate <= MOST && d->nactuated >= 0 && d->nactuated <= MOST && d->nbranch >= 0 &&
         d->nbranch <= MOST && (d->nclosure == 0 || d->closures) && d->coordinates &&
         (d->nactuated == 0 || d->actuated) && (d->nbranch == 0 || d->branches);
}

static size_t text_size(const char *s) { return s ? strlen(s) + 1 : 1; }

static size_t names_size(const ap_mechanism_def *d) {
  size_t size = text_size(d->name);
  for (int i = 0; i < d->nclosure; i++) size += text_size(d->closures[i].name);
  for (int i = 0; i < d->ncoordinate; i++) size += text_size(d->coordinates[i].name);
  for (int i = 0; i < d->nbranch; i++) size += text_size(d->branches[i].name);
  return size;
}

typedef struct parts {
  ap_mechanism *m;
  void *tree;
  char *names;
} parts;

// Six rates, seven coordinates at most per body; the sizes of the tree are not yet known.
static size_t lay_out(const ap_mechanism_def *d, void *mem, parts *p) {
  ap_arena arena = ap__arena(mem);
  size_t bodies = (size_t)(d->robot->nbody < 0 ? 0 : d->robot->nbody) + 1;
  p->m = AP_TAKE(&arena, ap_mechanism, 1);
  p->tree = AP_TAKE_ALIGNED(&arena, unsigned char, ap_model_size(d->robot));
  p->names = AP_TAKE(&arena, char, names_size(d));
  ap_mechanism none, *m = p->m ? p->m : &none;
  m->closing = AP_TAKE(&arena, ap_closing, d->nclosure);
  m->measure = AP_TAKE(&arena, ap_measure, d->ncoordinate);
  m->actuated = AP_TAKE(&arena, int, d->nactuated);
  m->actuated_column = AP_TAKE(&arena, int, d->nactuated);
  m->way = AP_TAKE(&arena, ap_way, bodies);
  m->screw = AP_TAKE(&arena, ap_screw, 6 * bodies);
  m->guess = AP_TAKE(&arena, double, 7 * bodies);
  m->branch = AP_TAKE(&arena, ap_branch_def, d->nbranch);
  m->branch_guess = AP_TAKE(&arena, double, 7 * bodies * (size_t)d->nbranch);
  return ap__arena_size(&arena);
}

size_t ap_mechanism_size(const ap_mechanism_def *def) {
  parts p;
  if (!counts_are_right(def)) return 0;
  return ap_model_size(def->robot) == 0 ? 0 : lay_out(def, NULL, &p);
}

// ---- check -------------------------------------------------------------------------------------

static bool finite_all(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

static bool within(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= LARGEST)) return false;
  return true;
}

static bool make_unit(double d[3]) {
  double size = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
  if (!(size > 0 && isfinite(size))) return false;
  for (int i = 0; i < 3; i++) d[i] /= size;
  double length = norm3(d);
  for (int i = 0; i < 3; i++) d[i] /= length;
  return true;
}

// What the messages call the thing that is wrong.
typedef struct subject {
  const char *what, *name; // "closure", its name
  ap_error *error;
} subject;

#define REFUSE(s, format, ...)                                                  \
  return ap__fail((s)->error, AP_E_MODEL, 0, "%s \"%.*s\": " format, (s)->what, \
                  ap__shown((s)->name), (s)->name, __VA_ARGS__),                \
         false
#define REFUSE_TEXT(s, text) REFUSE(s, "%s", text)

static bool is_link(const subject *s, const ap_model *m, int body) {
  if (body >= 0 && body < ap_nbody(m)) return true;
  REFUSE(s, "there is no link %d; links are 0 (the ground) to %d", body, ap_nbody(m) - 1);
}

// A joint with one coordinate of its own.
static bool is_simple_joint(const subject *s, const ap_model *m, int body) {
  if (!is_link(s, m, body)) return false;
  const char *name = ap_frame_name(m, body);
  if (body > 0 && ap_body(m, body)->mimic > 0)
    REFUSE(s, "the joint of link \"%.*s\" is a follower; name its leader", ap__shown(name), name);
  if (body > 0 && ap_joint_nq(m, body) == 1 && ap_joint_nv(m, body) == 1) return true;
  REFUSE(s, "the joint of link \"%.*s\" must be revolute or prismatic", ap__shown(name), name);
}

// Columns: d and two directions across it.
static void frame_across(const double d[3], double R[9]) {
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(d[i]) < fabs(d[least])) least = i;
  double s[3];
  for (int i = 0; i < 3; i++) s[i] = (i == least) - d[least] * d[i];
  make_unit(s);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    R[3 * i] = d[i], R[3 * i + 1] = s[i], R[3 * i + 2] = d[j] * s[k] - d[k] * s[j];
  }
}

static bool joint_pair(const subject *s, const ap_model *m, ap_closing *c) {
  for (int i = 0; i < 2; i++) {
    if (!is_simple_joint(s, m, c->def.body[i])) return false;
    c->column[i] = ap_joint_v(m, c->def.body[i]);
    c->entry[i] = ap_joint_q(m, c->def.body[i]);
  }
  double ratio = fabs(c->def.ratio);
  if (ratio == 0) REFUSE_TEXT(s, "a gear's ratio must not be zero");
  if (!(ratio >= 1 / LARGEST && ratio <= LARGEST && fabs(c->def.offset) <= LARGEST))
    REFUSE_TEXT(s, "ratio and offset must be finite numbers, in size 1e-9 to 1e9 and up to 1e9");
  if (c->column[0] == c->column[1]) REFUSE_TEXT(s, "a gear needs two different joints");
  return true;
}

static bool check_closure(const subject *s, const ap_model *m, ap_closing *c) {
  ap_closure_def *d = &c->def;
  if ((int)d->kind < 0 || d->kind > AP_CLOSE_GEAR) REFUSE(s, "kind %d does not exist", d->kind);
  c->rows = kind_rows[d->kind];
  if (d->kind == AP_CLOSE_GEAR) return joint_pair(s, m, c);
  bool points = d->kind != AP_CLOSE_AXIS;
  for (int i = 0; i < 2; i++) {
    bool axis = d->kind == AP_CLOSE_AXIS || (d->kind == AP_CLOSE_POINT_ON_LINE && i == 1);
    if (!is_link(s, m, d->body[i])) return false;
    if (points && !within(3, d->at[i]))
      REFUSE(s, "at[%d] must be three finite numbers, up to 1e9 m", i);
    if (axis && !make_unit(d->axis[i]))
      REFUSE(s, "axis[%d] must be a finite direction that is not zero", i);
    if (d->kind == AP_CLOSE_FRAME && !finite_all(3, d->rpy[i]))
      REFUSE(s, "rpy[%d] must be three finite numbers", i);
    if (d->kind == AP_CLOSE_FRAME) ap__matrix_of_rpy(d->rpy[i], c->frame[i]);
    if (axis) frame_across(d->axis[i], c->frame[i]);
  }
  if (ap_body_mover(m, d->body[0]) == ap_body_mover(m, d->body[1]))
    REFUSE(s, "a %s between links that do not move relative to each other has no effect",
           kind_text[d->kind]);
  if (d->kind == AP_CLOSE_DISTANCE && !(d->distance > 0))
    REFUSE_TEXT(s, "distance must be above zero; to make points coincide use a point closure");
  if (d->kind == AP_CLOSE_DISTANCE && !(d->distance >= 1 / LARGEST && d->distance <= LARGEST))
    REFUSE(s, "distance is %g m, and must be between 1e-9 and 1e9 m", d->distance);
  return true;
}

static bool check_coordinate(const subject *s, const ap_model *m, ap_measure *c) {
  ap_coordinate_def *d = &c->def;
  if ((int)d->kind < 0 || d->kind > AP_COORDINATE_ROLL)
    REFUSE(s, "kind %d does not exist", d->kind);
  if (d->kind == AP_COORDINATE_JOINT) {
    if (!is_simple_joint(s, m, d->body)) return false;
    c->column = ap_joint_v(m, d->body);
    c->entry = ap_joint_q(m, d->body);
    return true;
  }
  if (!is_link(s, m, d->body)) return false;
  if (ap_body_mover(m, d->body) == 0) REFUSE_TEXT(s, "its link does not move");
  if (d->kind != AP_COORDINATE_POSITION) return true;
  if (!within(3, d->at)) REFUSE_TEXT(s, "at must be three finite numbers, up to 1e9 m");
  if (!make_unit(d->along)) REFUSE_TEXT(s, "along must be a finite direction that is not zero");
  return true;
}

static bool name_is_right(const subject *s, int number) {
  if (s->name && s->name[0]) return true;
  ap__fail(s->error, AP_E_MODEL, 0, "%s %d has no name", s->what, number);
  return false;
}

static const char *keep(char **names, const char *s) {
  char *to = *names;
  size_t size = text_size(s);
  if (s)
    memcpy(to, s, size);
  else
    *to = '\0';
  *names += size;
  return to;
}

static bool take_closures(ap_mechanism *m, const ap_mechanism_def *d, char **names, ap_error *e) {
  m->nrow = 0;
  for (int i = 0; i < d->nclosure; i++) {
    ap_closing *c = &m->closing[i];
    *c = (ap_closing){.def = d->closures[i], .row = m->nrow};
    c->def.name = keep(names, c->def.name);
    subject s = {"closure", c->def.name, e};
    if (!AP_STARTS_FROM(ap_default_closure, &c->def, e)) return false;
    if (!name_is_right(&s, i) || !check_closure(&s, m->tree, c)) return false;
    for (int k = 0; k < i; k++)
      if (!strcmp(m->closing[k].def.name, s.name))
        REFUSE(&s, "duplicate name (closures %d and %d)", k, i);
    m->nrow += c->rows;
  }
  return true;
}

static bool take_coordinates(ap_mechanism *m, const ap_mechanism_def *d, char **names,
                             ap_error *e) {
  for (int i = 0; i < d->ncoordinate; i++) {
    ap_measure *c = &m->measure[i];
    *c = (ap_measure){.def = d->coordinates[i]};
    c->def.name = keep(names, c->def.name);
    subject s = {"coordinate", c->def.name, e};
    if (!name_is_right(&s, i) || !check_coordinate(&s, m->tree, c)) return false;
    for (int k = 0; k < i; k++)
      if (!strcmp(m->measure[k].def.name, s.name))
        REFUSE(&s, "duplicate name (coordinates %d and %d)", k, i);
  }
  return true;
}

static bool take_actuators(ap_mechanism *m, const ap_mechanism_def *d, ap_error *e) {
  for (int i = 0; i < d->nactuated; i++) {
    char number[16];
    snprintf(number, sizeof number, "%d", i);
    m->actuated[i] = d->actuated[i];
    if (d->actuated[i] < 0 && AP_ALONG_COORDINATE(d->actuated[i]) < d->ncoordinate) {
      m->actuated_column[i] = d->actuated[i];
      continue;
    }
    const ap_body_def *b = d->actuated[i] > 0 ? ap_body(m->tree, d->actuated[i]) : NULL;
    subject s = {"actuator", !b ? number : b->joint_name ? b->joint_name : b->name, e};
    if (!is_simple_joint(&s, m->tree, d->actuated[i])) return false;
    m->actuated_column[i] = ap_joint_v(m->tree, d->actuated[i]);
    for (int k = 0; k < i; k++)
      if (m->actuated[k] == m->actuated[i]) REFUSE(&s, "its joint is already actuator %d", k);
  }
  return true;
}

// ---- screws ------------------------------------------------------------------------------------

// Screws of a body's own joint in the link frame: a joint turns about and slides along directions
// that are fixed in the body (but see ap_screw). rows.c uses them.
static void add_screw(ap_mechanism *m, ap_way *way, ap_screw screw) {
  m->screw[m->nscrew++] = screw;
  way->count++;
}

// The joint frame that moves with the body, in the link frame: both are one except for standard DH,
// where the joint is at the parent's end of the link. Columns of R are its axes.
static void joint_in_link(const ap_placement *place, double R[9], double p[3]) {
  static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  memcpy(R, one, sizeof one);
  p[0] = p[1] = p[2] = 0;
  if (place->kind != AP_DH_STANDARD) return;
  // link = joint * Tz(d) Tx(a) Rx(alpha), so joint = link * Rx(-alpha) T(-a, 0, -d)
  double c = cos(place->alpha), s = sin(place->alpha);
  R[4] = c, R[5] = s, R[7] = -s, R[8] = c;
  p[0] = -place->a, p[1] = -place->d * s, p[2] = -place->d * c;
}

// Directions of the joint's plane: x and y turned by the smallest rotation that takes z to n.
static void plane_axes(const double n[3], double x[3], double y[3]) {
  if (n[2] > -1 + 1e-15) {
    double h = 1 / (1 + n[2]);
    x[0] = 1 - h * n[0] * n[0], x[1] = -h * n[0] * n[1], x[2] = -n[0];
    y[0] = -h * n[0] * n[1], y[1] = 1 - h * n[1] * n[1], y[2] = -n[1];
    return;
  }
  x[0] = 1, x[1] = x[2] = 0;
  y[0] = y[2] = 0, y[1] = -1;
}

static void screws_of_joint(ap_mechanism *m, int body) {
  const ap_body_def *d = ap_body(m->tree, body);
  ap_way *way = &m->way[body];
  double R[9], p[3], axis[3] = {d->axis[0], d->axis[1], d->axis[2]}, ways[3][3] = {{0}};
  bool dh = d->place.kind >= AP_DH_MODIFIED;
  double ratio = 1; // a follower may follow a follower
  for (const ap_body_def *f = d; f->mimic > 0; f = ap_body(m->tree, f->mimic))
    ratio *= f->mimic_ratio;
  int column = ap_joint_v(m->tree, body), count = 0;
  joint_in_link(&d->place, R, p);
  if (dh) axis[0] = axis[1] = 0, axis[2] = 1;
  make_unit(axis);
  bool turns = d->joint != AP_PRISMATIC, slides = d->joint == AP_PRISMATIC;
  if (d->joint == AP_REVOLUTE || d->joint == AP_PRISMATIC) {
    memcpy(ways[count++], axis, sizeof axis);
  } else if (d->joint == AP_PLANAR) {
    plane_axes(axis, ways[0], ways[1]);
    memcpy(ways[2], axis, sizeof axis);
    count = 3;
  } else {
    for (int i = 0; i < 3; i++) ways[i][i] = 1;
    count = 3;
  }
  for (int pass = 0; pass < (d->joint == AP_FREE ? 2 : 1); pass++)
    for (int i = 0; i < count; i++) {
      bool linear =
          slides || (d->joint == AP_PLANAR && i < 2) || (d->joint == AP_FREE && pass == 0);
      bool of_parent = d->joint == AP_PLANAR && i < 2;
      ap_screw s = {.column = column++, .angle = of_parent ? ap_joint_q(m->tree, body) + 2 : -1};
      memcpy(s.axis, axis, sizeof axis);
      double way_in_link[3], arm[3] = {-p[0], -p[1], -p[2]};
      for (int k = 0; k < 3; k++)
        way_in_link[k] =
            ratio * (R[3 * k] * ways[i][0] + R[3 * k + 1] * ways[i][1] + R[3 * k + 2] * ways[i][2]);
      if (linear) {
        memcpy(s.u, way_in_link, sizeof s.u);
      } else if (turns) {
        memcpy(s.e, way_in_link, sizeof s.e);
        cross3(s.e, arm, s.u);
      }
      add_screw(m, way, s);
    }
}

static void take_ways(ap_mechanism *m) {
  m->nscrew = 0;
  m->way[0] = (ap_way){.next = -1, .parent = 0};
  for (int b = 1; b < ap_nbody(m->tree); b++) {
    const ap_body_def *d = ap_body(m->tree, b);
    m->way[b] = (ap_way){.next = d->parent, .parent = d->parent, .first = m->nscrew};
    if (d->joint != AP_FIXED) screws_of_joint(m, b);
  }
}

// ---- all together ------------------------------------------------------------------------------

static bool copy_guess(const ap_mechanism *m, const double *guess, double *copy) {
  memcpy(copy, guess, sizeof(double) * (size_t)m->nx);
  return finite_all(m->nx, guess) && ap_normalize(m->tree, copy) == AP_OK;
}

static bool take_guess(ap_mechanism *m, const ap_mechanism_def *d, ap_error *e) {
  const double *guess = d->guess;
  if (!guess && d->nbranch > 0) guess = m->branch[0].guess;
  if (!guess) {
    ap_neutral(m->tree, m->guess);
    return true;
  }
  if (copy_guess(m, guess, m->guess)) return true;
  ap__fail(e, AP_E_MODEL, 0, "the guess must be finite numbers, and its quaternions not zero");
  return false;
}

static bool take_branches(ap_mechanism *m, const ap_mechanism_def *d, char **names, ap_error *e) {
  for (int i = 0; i < d->nbranch; i++) {
    double *copy = m->branch_guess + (size_t)i * (size_t)m->nx;
    m->branch[i] = (ap_branch_def){.name = keep(names, d->branches[i].name), .guess = copy};
    subject s = {"branch", m->branch[i].name, e};
    if (!name_is_right(&s, i)) return false;
    for (int k = 0; k < i; k++)
      if (!strcmp(m->branch[k].name, s.name))
        REFUSE(&s, "duplicate name (branches %d and %d)", k, i);
    if (!d->branches[i].guess) REFUSE_TEXT(&s, "it has no guess");
    if (!copy_guess(m, d->branches[i].guess, copy))
      REFUSE_TEXT(&s, "its guess must be finite numbers, and its quaternions not zero");
  }
  return true;
}

ap_mechanism *ap_mechanism_init(const ap_mechanism_def *def, void *mem, size_t size,
                                ap_error *error) {
  parts p;
  if (!counts_are_right(def)) {
    ap__fail(error, AP_E_MODEL, 0,
             "a mechanism needs a robot, one coordinate or more, and counts of 0 to %d", MOST);
    return NULL;
  }
  size_t tree_size = ap_model_size(def->robot);
  if (!mem || (tree_size && size < ap_mechanism_size(def))) {
    ap__fail(error, AP_E_MEMORY, 0, "the mechanism needs %zu bytes", ap_mechanism_size(def));
    return NULL;
  }
  if (tree_size == 0) {
    ap_model_init(def->robot, NULL, 0, error); // says why
    return NULL;
  }
  lay_out(def, mem, &p);
  ap_mechanism *m = p.m;
  if (!m || !p.names) return NULL;
  m->tree = ap_model_init(def->robot, p.tree, tree_size, error);
  if (!m->tree) return NULL;
  m->nx = ap_nq(m->tree), m->nv = ap_nv(m->tree);
  m->n = def->ncoordinate, m->nact = def->nactuated, m->nclosing = def->nclosure;
  m->nbranch = def->nbranch;
  m->name = keep(&p.names, def->name);
  if (!m->name[0]) m->name = ap_model_name(m->tree);
  if (!take_closures(m, def, &p.names, error)) return NULL;
  if (!take_coordinates(m, def, &p.names, error)) return NULL;
  if (!take_actuators(m, def, error)) return NULL;
  if (m->n + m->nrow < m->nv) {
    ap__fail(error, AP_E_MODEL, 0,
             "%d rows of closures and %d coordinates cannot determine %d velocities of the tree; "
             "add closures or coordinates",
             m->nrow, m->n, m->nv);
    return NULL;
  }
  if (!take_branches(m, def, &p.names, error)) return NULL;
  if (!take_guess(m, def, error)) return NULL;
  take_ways(m);
  return m;
}

const char *ap_mechanism_name(const ap_mechanism *m) { return m->name; }
const ap_model *ap_mechanism_tree(const ap_mechanism *m) { return m->tree; }
int ap_mechanism_n(const ap_mechanism *m) { return m->n; }
int ap_mechanism_nact(const ap_mechanism *m) { return m->nact; }
int ap_mechanism_nrow(const ap_mechanism *m) { return m->nrow; }
int ap_mechanism_nclosure(const ap_mechanism *m) { return m->nclosing; }
const double *ap_mechanism_guess(const ap_mechanism *m) { return m->guess; }

const ap_closure_def *ap_mechanism_closure(const ap_mechanism *m, int i) {
  return i >= 0 && i < m->nclosing ? &m->closing[i].def : NULL;
}
const ap_coordinate_def *ap_mechanism_coordinate(const ap_mechanism *m, int i) {
  return i >= 0 && i < m->n ? &m->measure[i].def : NULL;
}
int ap_mechanism_actuated(const ap_mechanism *m, int i) {
  return i >= 0 && i < m->nact && m->actuated[i] > 0 ? m->actuated[i] : -1;
}
const char *ap_mechanism_actuator_name(const ap_mechanism *m, int i) {
  if (i < 0 || i >= m->nact) return NULL;
  if (m->actuated[i] < 0) return m->measure[AP_ALONG_COORDINATE(m->actuated[i])].def.name;
  const ap_body_def *body = ap_body(m->tree, m->actuated[i]);
  return body->joint_name ? body->joint_name : body->name;
}

int ap_mechanism_nbranch(const ap_mechanism *m) { return m->nbranch; }
const ap_branch_def *ap_mechanism_branch(const ap_mechanism *m, int i) {
  return i >= 0 && i < m->nbranch ? &m->branch[i] : NULL;
}
const double *ap_mechanism_find_branch(const ap_mechanism *m, const char *name) {
  if (!name) return m->guess;
  for (int i = 0; i < m->nbranch; i++)
    if (!strcmp(m->branch[i].name, name)) return m->branch[i].guess;
  return NULL;
}
