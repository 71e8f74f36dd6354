// SPDX-License-Identifier: Apache-2.0
// Distances of a moving robot: between its bodies, from the floor, in a box.
//
// Over an interval of time they are bounded by how far anything can move in it. Take the straight
// line in the coordinates from q(t) to q(t + dt). A revolute joint i that turns by dq_i moves a
// point that it carries by at most |dq_i| times the point's distance from its axis, a prismatic one
// by |dq_i|. The distance of two bodies changes only by the joints between them. So
//
//     |d(t + dt) - d(t)|  <=  sum over these joints of  reach_i |q_i(t + dt) - q_i(t)| ,
//
// where reach_i adds up the lengths from the origin of joint i outwards, which no pose exceeds.
// Intervals whose bound is too low are halved.

#include <appell/clearance.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/pack.h"
#include "num/segments.h"
#include "traj/traj.h"

enum { MOST_POSES = 1000000, DEPTH = 48 };

// Two moving bodies, the first below the second; the second -1: the first and the floor.
typedef struct pair {
  int a, b;
} pair;

struct ap_clearance {
  const ap_model *m;
  ap_clearance_def def;
  ap_capsule *capsule; // [n] by moving body
  int *start;          // [nbody + 1] where those of a body begin
  double *end;         // [6 n] both ends of the segments, ground axes
  pair *checked, *out; // [pairs], [nout]
  int pairs, nout;
  bool *above;               // [nbody] checked against the floor
  double *far, *away, *move; // [nbody] see prepare_motion() and measure()
  double tip;                // how far the frame in the box is from its body's joint
  double *v, *q;             // [nv], [nq]
};

ap_clearance_def ap_default_clearance(void) {
  return (ap_clearance_def){
      .self = true, .floor = -INFINITY, .frame = -1, .least = 0.02, .cookie = AP_COOKIE};
}

// What a moving body is called: its link; the ground has that of its first capsule.
static int link_of(const ap_clearance *c, int body) {
  return body == 0 && c->start[1] > 0 ? c->capsule[0].body : c->m->joint[body].link;
}

// ---- one pose ----------------------------------------------------------------------------------

static void place_capsules(ap_clearance *c, ap_work *w, const double *q) {
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p[3] = {0};
  int link = -1;
  ap_kinematics(c->m, w, q, NULL, NULL);
  for (int k = 0; k < c->start[c->m->nbody]; k++) {
    const ap_capsule *s = &c->capsule[k];
    double *end = c->end + 6 * (size_t)k;
    if (s->body != link) ap_frame_pose(c->m, w, s->body, R, p);
    link = s->body;
    turn3(R, s->from, end);
    turn3(R, s->to, end + 3);
    for (int i = 0; i < 3; i++) end[i] += p[i], end[3 + i] += p[i];
  }
}

static double between(const ap_clearance *c, int a, int b) {
  double least = INFINITY;
  for (int i = c->start[a]; i < c->start[a + 1]; i++)
    for (int k = c->start[b]; k < c->start[b + 1]; k++) {
      const double *x = c->end + 6 * (size_t)i, *y = c->end + 6 * (size_t)k;
      const double d = segment_distance(x, x + 3, y, y + 3);
      least = fmin(least, d - c->capsule[i].radius - c->capsule[k].radius);
    }
  return least;
}

static double height(const ap_clearance *c, int body) {
  double least = INFINITY;
  for (int k = c->start[body]; k < c->start[body + 1]; k++) {
    const double *x = c->end + 6 * (size_t)k;
    least = fmin(least, fmin(x[2], x[5]) - c->capsule[k].radius);
  }
  return least - c->def.floor;
}

static double inside(const ap_clearance *c, const ap_work *w) {
  double R[9], p[3], least = INFINITY;
  ap_frame_pose(c->m, w, c->def.frame, R, p);
  for (int i = 0; i < 3; i++)
    least = fmin(least, fmin(p[i] - c->def.box[2 * i], c->def.box[2 * i + 1] - p[i]));
  return least;
}

// ---- what can move how far ---------------------------------------------------------------------

// away[i]: sum of the lengths from the ground to the joint of body i, prismatic joints as far out
// as they get (travel by coordinate; NULL: not at all).
static void sum_lengths(ap_clearance *c, const ap_traj_reach *reach) {
  const ap_model *m = c->m;
  c->away[0] = 0;
  for (int i = 1; i < m->nbody; i++) {
    const ap_joint *j = &m->joint[i];
    double length = norm3(m->packed_body[i].s);
    if (j->type == AP_PRISMATIC) {
      const double one = j->ratio * reach[j->v].lower + j->offset;
      const double other = j->ratio * reach[j->v].upper + j->offset;
      length += fmax(fabs(one), fabs(other));
    }
    c->away[i] = c->away[j->parent] + length;
  }
}

// How far the joints between `top`, which does not count, and `body` can move a point of it that is
// `far` from its own joint; move has how far they go.
static double moved(const ap_clearance *c, int top, int body, double far) {
  double sum = 0;
  for (int i = body; i != top; i = c->m->joint[i].parent) {
    const double arm = c->away[body] - c->away[i] + far;
    sum += c->move[i] * (c->m->joint[i].type == AP_PRISMATIC ? 1 : arm);
  }
  return sum;
}

static int common(const ap_model *m, int a, int b) {
  while (a != b) {
    if (a > b)
      a = m->joint[a].parent;
    else
      b = m->joint[b].parent;
  }
  return a;
}

// Distances in the pose that the capsules are placed in, and lower bounds of them for motions of
// c->move (still: NULL).
static void measure(const ap_clearance *c, const ap_work *w, bool moves, ap_distances *here,
                    double bound[3]) {
  *here = (ap_distances){INFINITY, INFINITY, INFINITY, {-1, -1}, -1, {0, 0, 0}};
  for (int k = 0; k < 3; k++) bound[k] = INFINITY;
  for (int k = 0; k < c->pairs; k++) {
    const int a = c->checked[k].a, b = c->checked[k].b;
    const double d = between(c, a, b);
    if (d < here->self) {
      here->self = d;
      here->pair[0] = link_of(c, a), here->pair[1] = link_of(c, b);
    }
    if (!moves) continue;
    const int top = common(c->m, a, b);
    bound[0] = fmin(bound[0], d - moved(c, top, a, c->far[a]) - moved(c, top, b, c->far[b]));
  }
  for (int i = 1; i < c->m->nbody; i++) {
    if (!c->above[i]) continue;
    const double d = height(c, i);
    if (d < here->floor) here->floor = d, here->lowest = c->m->joint[i].link;
    if (moves) bound[1] = fmin(bound[1], d - moved(c, 0, i, c->far[i]));
  }
  if (c->def.frame < 0) return;
  here->box = inside(c, w);
  const int body =
      c->m->mover[c->def.frame < c->m->nlink ? c->def.frame
                                             : c->m->frame[c->def.frame - c->m->nlink].body];
  if (moves) bound[2] = here->box - moved(c, 0, body, c->tip);
}

void ap_clearance_at(ap_clearance *c, ap_work *w, const double *q, ap_distances *found) {
  double bound[3];
  place_capsules(c, w, q);
  measure(c, w, false, found, bound);
}

// ---- a trajectory ------------------------------------------------------------------------------

typedef struct interval {
  double middle, half;
} interval;

// How far each joint goes at most within `half` of a time at which the speeds are v.
static void find_moves(ap_clearance *c, const ap_traj_reach *reach, double half) {
  for (int i = 1; i < c->m->nbody; i++) {
    const ap_joint *j = &c->m->joint[i];
    const ap_traj_reach *r = &reach[j->v];
    const double slow = fabs(c->v[j->v]) * half + r->acceleration * half * half / 2;
    c->move[i] = fabs(j->ratio) * fmin(r->velocity * half, slow);
  }
}

// One piece, inside which the acceleration does not jump to infinity. False: closer than `enough`.
static bool search_piece(ap_clearance *c, ap_work *w, const ap_traj *traj, const ap_piece *piece,
                         const ap_traj_reach *reach, const double enough[3], double tolerance,
                         int *poses, ap_distances *found, double lower[3]) {
  interval stack[DEPTH + 2];
  int n = 0;
  stack[n++] = (interval){piece->duration / 2, piece->duration / 2};
  while (n > 0) {
    const interval x = stack[--n];
    const double t = piece->start + x.middle;
    ap_distances here;
    double bound[3];
    ap_traj_at(traj, t, c->q, c->v, NULL);
    place_capsules(c, w, c->q);
    find_moves(c, reach, x.half);
    measure(c, w, true, &here, bound);
    if (here.self < found->self)
      found->self = here.self, memcpy(found->pair, here.pair, sizeof here.pair), found->t[0] = t;
    if (here.floor < found->floor)
      found->floor = here.floor, found->lowest = here.lowest, found->t[1] = t;
    if (here.box < found->box) found->box = here.box, found->t[2] = t;
    const double least[3] = {found->self, found->floor, found->box};
    bool settled = n >= DEPTH || ++*poses >= MOST_POSES;
    for (int k = 0; k < 3 && enough; k++)
      if (!(least[k] >= enough[k])) return false;
    if (!settled) {
      settled = true;
      for (int k = 0; k < 3; k++)
        settled &= bound[k] >= fmin(enough ? enough[k] : INFINITY, least[k] - tolerance);
    }
    for (int k = 0; k < 3 && settled; k++) lower[k] = fmin(lower[k], bound[k]);
    for (int side = -1; side <= 1 && !settled; side += 2)
      stack[n++] = (interval){x.middle + side * x.half / 2, x.half / 2};
  }
  return true;
}

ap_status ap_traj_clearance(ap_clearance *c, ap_work *w, const ap_traj *traj,
                            const double enough[3], double tolerance, ap_distances *found,
                            ap_error *error) {
  if (traj->n != c->m->nv)
    return AP__REFUSE(error, AP_E_ARG, 0, "the trajectory has %d coordinates, the model %d",
                      traj->n, c->m->nv);
  if (!(tolerance > 0))
    return AP__REFUSE(error, AP_E_ARG, 0, "a tolerance of %g m (it must be positive)", tolerance);
  ap_traj_reach *reach = calloc((size_t)traj->n + 1, sizeof *reach);
  if (!reach) return ap__no_memory(error);
  for (int j = 0; j < traj->n; j++) reach[j] = ap_traj_reach_of(traj, j);
  sum_lengths(c, reach);
  ap_distances all = {INFINITY, INFINITY, INFINITY, {-1, -1}, -1, {0, 0, 0}};
  double lower[3] = {INFINITY, INFINITY, INFINITY};
  int poses = 0;
  bool clear = true;
  for (int k = 0; k < traj->count && clear; k++)
    clear =
        search_piece(c, w, traj, &traj->piece[k], reach, enough, tolerance, &poses, &all, lower);
  if (clear) all.self = lower[0], all.floor = lower[1], all.box = lower[2];
  free(reach);
  *found = all;
  return AP_OK;
}

// ---- what is checked ---------------------------------------------------------------------------

// Every joint turns about a vertical axis or slides across it: the height never changes. Axes are
// those of the zero pose; turned about verticals, verticals stay.
static bool keeps_height(const ap_model *m, const ap_work *w, int body) {
  for (int i = body; i != 0; i = m->joint[i].parent) {
    double R[9], p[3], z[3];
    const ap_packed_frame *f = &m->packed_frame[m->joint[i].link];
    ap_frame_pose(m, w, m->joint[i].link, R, p);
    const double axis[3] = {f->R[6], f->R[7], f->R[8]}; // internal z in the link frame
    turn3(R, axis, z);
    const double wrong = m->joint[i].type == AP_PRISMATIC ? fabs(z[2]) : hypot(z[0], z[1]);
    if (!(wrong < 1e-9)) return false;
  }
  return true;
}

// The middle of the limits, or as near to zero as they allow.
static void reference_pose(const ap_model *m, bool middle, double *q) {
  for (int i = 1; i < m->nbody; i++) {
    const ap_joint *j = &m->joint[i];
    const ap_body_def *b = &m->link[j->link];
    if (j->leader) continue;
    q[j->q] =
        middle && isfinite(b->lower + b->upper) && fabs(b->lower) < 1e6 && fabs(b->upper) < 1e6
            ? (b->lower + b->upper) / 2
            : fmin(fmax(0, b->lower), b->upper);
  }
}

static bool joined(const ap_model *m, int a, int b) {
  return m->joint[a].parent == b || m->joint[b].parent == a;
}

// All pairs that are not joined; those that are too close in a reference pose to the end.
static void choose_pairs(ap_clearance *c, ap_work *w) {
  const int n = c->m->nbody;
  c->pairs = 0;
  for (int a = 0; a < n && c->def.self; a++)
    for (int b = a + 1; b < n; b++)
      if (c->start[a] < c->start[a + 1] && c->start[b] < c->start[b + 1] && !joined(c->m, a, b))
        c->checked[c->pairs++] = (pair){a, b};
  for (int turn = 1; turn >= 0; turn--) { // the zero pose last: heights are asked there
    reference_pose(c->m, turn, c->q);
    place_capsules(c, w, c->q);
    int kept = 0;
    for (int k = 0; k < c->pairs; k++)
      if (between(c, c->checked[k].a, c->checked[k].b) < c->def.least)
        c->out[c->nout++] = c->checked[k];
      else
        c->checked[kept++] = c->checked[k];
    c->pairs = kept;
  }
  for (int i = 1; i < n; i++) {
    c->above[i] = c->def.floor > -INFINITY && c->start[i] < c->start[i + 1];
    if (c->above[i] && height(c, i) < c->def.least && keeps_height(c->m, w, i))
      c->above[i] = false, c->out[c->nout++] = (pair){i, -1};
  }
}

// Capsules by moving body, and how far they reach from its joint.
static void sort_capsules(ap_clearance *c) {
  const ap_model *m = c->m;
  int n = 0;
  for (int body = 0; body < m->nbody; body++) {
    c->start[body] = n;
    for (int k = 0; k < c->def.ncapsules; k++)
      if (m->mover[c->def.capsules[k].body] == body) c->capsule[n++] = c->def.capsules[k];
  }
  c->start[m->nbody] = n;
  for (int body = 0; body < m->nbody; body++)
    for (int k = c->start[body]; k < c->start[body + 1]; k++)
      for (int end = 0; end < 2; end++) {
        const ap_packed_frame *f = &m->packed_frame[c->capsule[k].body];
        double x[3];
        turn3(f->R, end ? c->capsule[k].to : c->capsule[k].from, x);
        for (int i = 0; i < 3; i++) x[i] += f->p[i];
        c->far[body] = fmax(c->far[body], norm3(x));
      }
  if (c->def.frame >= 0) c->tip = norm3(m->packed_frame[c->def.frame].p);
}

static ap_status check_def(const ap_model *m, const ap_clearance_def *def, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_clearance, def, error)) return AP_E_ARG;
  for (int i = 1; i < m->nbody; i++)
    if (m->joint[i].type != AP_REVOLUTE && m->joint[i].type != AP_PRISMATIC)
      return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                        "distances need joints of one degree of freedom, '%.*s' has %d",
                        ap__shown(m->link[m->joint[i].link].joint_name),
                        m->link[m->joint[i].link].joint_name, m->joint[i].nv);
  for (int k = 0; k < def->ncapsules; k++) {
    const ap_capsule *c = &def->capsules[k];
    bool good = c->body >= 0 && c->body < m->nlink && c->radius >= 0 && isfinite(c->radius);
    for (int i = 0; i < 3; i++) good = good && isfinite(c->from[i]) && isfinite(c->to[i]);
    if (!good)
      return AP__REFUSE(error, AP_E_ARG, 0,
                        "capsule %d is not made of finite numbers around a body of the model", k);
  }
  bool box = def->frame < m->nframe;
  for (int i = 0; i < 3 && def->frame >= 0; i++) box = box && def->box[2 * i] < def->box[2 * i + 1];
  if (!box)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a box needs a frame of the model, and its sides the least number first");
  if (!(def->least >= 0) || !(def->floor < INFINITY) || isnan(def->floor))
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a floor at %g m, a least distance of %g m (0 or more is possible)",
                      def->floor, def->least);
  return AP_OK;
}

ap_status ap_clearance_create(const ap_model *m, const ap_clearance_def *def, ap_clearance **made,
                              ap_error *error) {
  *made = NULL;
  ap_status status = check_def(m, def, error);
  if (status) return status;
  const size_t n = (size_t)m->nbody, capsules = (size_t)def->ncapsules;
  ap_clearance *c = calloc(1, sizeof *c);
  const size_t size = ap_work_size(m);
  void *memory = malloc(size + 1);
  ap_work *w = memory ? ap_work_init(m, memory, size) : NULL;
  if (c && w) {
    *c = (ap_clearance){.m = m, .def = *def};
    c->capsule = calloc(capsules + 1, sizeof *c->capsule);
    c->start = calloc(n + 1, sizeof *c->start);
    c->end = calloc(6 * capsules + 1, sizeof *c->end);
    c->checked = malloc(n * n * sizeof *c->checked);
    c->out = malloc((n * n + n) * sizeof *c->out);
    c->above = calloc(n, sizeof *c->above);
    c->far = calloc(3 * n, sizeof *c->far);
    c->v = calloc(2 * (size_t)m->nv + 1, sizeof *c->v);
  }
  if (!c || !w || !c->capsule || !c->start || !c->end || !c->checked || !c->out || !c->above ||
      !c->far || !c->v) {
    ap_clearance_free(c), free(memory);
    return ap__no_memory(error);
  }
  c->away = c->far + n, c->move = c->away + n, c->q = c->v + m->nv;
  sort_capsules(c);
  c->def.capsules = c->capsule;
  choose_pairs(c, w);
  free(memory);
  *made = c;
  return AP_OK;
}

void ap_clearance_free(ap_clearance *c) {
  if (!c) return;
  free(c->capsule), free(c->start), free(c->end), free(c->checked), free(c->out);
  free(c->above), free(c->far), free(c->v), free(c);
}

int ap_clearance_pairs(const ap_clearance *c) { return c->pairs; }

bool ap_clearance_left_out(const ap_clearance *c, int k, int bodies[2]) {
  if (k < 0 || k >= c->nout) return false;
  bodies[0] = link_of(c, c->out[k].a);
  bodies[1] = c->out[k].b < 0 ? -1 : link_of(c, c->out[k].b);
  return true;
}
