// SPDX-License-Identifier: Apache-2.0
// Motions that show the base parameters: one period of a Fourier series for each joint, from rest
// to rest, with the largest determinant of the information matrix W^T W (D-criterion).
//
// Limits of position, velocity and acceleration hold by construction: numbers without bounds say
// the shape of a joint's motion, the share of the largest amplitude that its limits allow, and
// where in the range that is left it lies. Forces and distances are checked: at samples for every
// motion that is tried, between them for each that would be the best so far. So the best is right
// at all times. The search asks for values alone: the largest amplitude is not smooth in the shape.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/forces.h"
#include "ident/ident.h"
#include "ident/strategy.h"
#include "model/frozen.h"
#include "num/qr.h"
#include "num/svd.h"

// Samples of a period: of dynamics for each harmonic; of the limits twice as many.
enum { SAMPLES = 12, START_POSES = 400 };
static const double certain = 1e-3;    // of forces and distances (m) that are reported
static const double negligible = 1e-6; // as for base parameters

ap_excite_options ap_default_excite(void) {
  return (ap_excite_options){.harmonics = 5,
                             .period = 10,
                             .velocity = 1.5,
                             .acceleration = INFINITY,
                             .range = acos(-1.0),
                             .margin = 0.05,
                             .evaluations = 6000,
                             .seed = 1,
                             .distance = 0.02,
                             .cookie = AP_COOKIE};
}

// What a motion breaks, by how much; all 0: nothing.
typedef struct verdict {
  double criterion;       // where nothing is broken
  double violation;       // sum of all, no unit
  int worst;              // which is the largest
  double use;             // of the limits of force, joint: where
  int joint;              //
  ap_distances distances; // of what is checked
  bool blind;             // not every parameter is shown
} verdict;

typedef struct planner {
  ap_ident *id;
  const ap_base *base;
  ap_excite_options o;
  int n, h, samples, genes; // joints, harmonics, samples of a period, numbers of a motion
  int nb, nmove;            // base parameters that can be shown, joints that move
  int *column, *moves;      // [nb] of the regressor, [nmove]
  double *lower, *upper;    // [n] equal: the joint rests
  double *velocity, *acceleration, *effort, *weight, *jerk; // [n]
  double *centre, *sine, *cosine;                           // [n], [n * h], [n * h]
  double *table;                                            // [2 samples * 2 h] sin, cos of l angle
  double *q, *v, *a;                                        // [samples * n]
  double *tau;                                              // [n]
  double *W, *block, *R, *scratch;
} planner;

static bool planner_make(planner *p) {
  size_t n = (size_t)p->n, h = (size_t)p->h, rows = n * (size_t)p->samples;
  size_t nb = (size_t)p->base->n, np = (size_t)p->id->np;
  double **array[] = {&p->lower,  &p->upper,  &p->velocity, &p->acceleration,
                      &p->effort, &p->weight, &p->jerk,     &p->tau,
                      &p->centre, &p->sine,   &p->cosine,   &p->table,
                      &p->q,      &p->v,      &p->a,        &p->W,
                      &p->block,  &p->R,      &p->scratch};
  const size_t size[] = {n,
                         n,
                         n,
                         n,
                         n,
                         n,
                         n,
                         n,
                         n,
                         n * h,
                         n * h,
                         4 * (size_t)p->samples * h,
                         rows,
                         rows,
                         rows,
                         n * np,
                         rows * nb,
                         nb * nb,
                         ap__triangle_room(p->base->n, p->n * p->samples)};
  bool good = true;
  for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
    *array[k] = calloc(size[k] + 1, sizeof(double));
    good = good && *array[k];
  }
  p->column = malloc(nb * sizeof *p->column + 1);
  p->moves = malloc(n * sizeof *p->moves + 1);
  return good && p->column && p->moves;
}

static void planner_free(planner *p) {
  free(p->lower), free(p->upper), free(p->velocity), free(p->acceleration), free(p->effort);
  free(p->weight), free(p->jerk), free(p->tau), free(p->centre), free(p->sine), free(p->cosine);
  free(p->table), free(p->q), free(p->v), free(p->a), free(p->W), free(p->block), free(p->R);
  free(p->scratch), free(p->column), free(p->moves);
}

// ---- limits ------------------------------------------------------------------------------------

static const char *joint_name(const planner *p, int j) {
  const ap_model *m = p->id->m;
  for (int i = 1; i < m->nbody; i++)
    if (m->joint[i].v == j && !m->joint[i].leader) return m->link[m->joint[i].link].joint_name;
  return "";
}

// What the limits of a joint, or of a follower of it, leave of its leader's coordinate.
static void narrow(planner *p, const ap_joint *j) {
  const ap_body_def *b = &p->id->m->link[j->link];
  double ratio = j->leader ? j->ratio : 1, offset = j->leader ? j->offset : 0;
  if (ratio == 0) return;
  double one = (b->lower - offset) / ratio, other = (b->upper - offset) / ratio;
  p->lower[j->v] = fmax(p->lower[j->v], fmin(one, other));
  p->upper[j->v] = fmin(p->upper[j->v], fmax(one, other));
  p->velocity[j->v] = fmin(p->velocity[j->v], b->velocity_limit / fabs(ratio));
  if (!j->leader) p->effort[j->v] = b->effort_limit;
}

// The range that the caller gives must lie in the model's.
static ap_status narrow_by_option(planner *p, int j, ap_error *error) {
  const double low = p->o.lower ? p->o.lower[j] : -INFINITY;
  const double high = p->o.upper ? p->o.upper[j] : INFINITY;
  const bool within = low <= high && (low == -INFINITY || low >= p->lower[j]) &&
                      (high == INFINITY || high <= p->upper[j]);
  if (!within)
    return AP__REFUSE(
        error, AP_E_ARG, 0, "the range of '%.*s' is %g to %g (the model allows %g to %g)",
        ap__shown(joint_name(p, j)), joint_name(p, j), low, high, p->lower[j], p->upper[j]);
  p->lower[j] = fmax(p->lower[j], low), p->upper[j] = fmin(p->upper[j], high);
  return AP_OK;
}

static ap_status finish_limits(planner *p, int j, ap_error *error) {
  const bool given = p->o.lower && p->o.upper && p->o.lower[j] == p->o.upper[j];
  ap_status status = narrow_by_option(p, j, error);
  if (status) return status;
  if (p->lower[j] < -1e6) p->lower[j] = fmin(-p->o.range, p->upper[j] - 2 * p->o.range);
  if (p->upper[j] > 1e6) p->upper[j] = fmax(p->o.range, p->lower[j] + 2 * p->o.range);
  if (!isfinite(p->velocity[j]) || p->velocity[j] == 0) p->velocity[j] = p->o.velocity;
  if (p->effort[j] == 0) p->effort[j] = INFINITY;
  p->acceleration[j] = p->o.acceleration;
  if (p->o.velocity_scale) p->velocity[j] *= p->o.velocity_scale[j];
  if (p->o.acceleration_scale) p->acceleration[j] *= p->o.acceleration_scale[j];
  if (!(p->upper[j] > p->lower[j]) && !(given && p->upper[j] == p->lower[j]))
    return AP__REFUSE(error, AP_E_ARG, 0, "'%.*s' has no range to move in (%g to %g)",
                      ap__shown(joint_name(p, j)), joint_name(p, j), p->lower[j], p->upper[j]);
  if (p->o.rests && p->o.rests[j])
    p->lower[j] = p->upper[j] = fmin(fmax(0, p->lower[j]), p->upper[j]);
  p->centre[j] = p->lower[j];
  if (p->upper[j] > p->lower[j]) p->moves[p->nmove++] = j;
  return AP_OK;
}

static ap_status find_limits(planner *p, ap_error *error) {
  const ap_model *m = p->id->m;
  for (int j = 0; j < p->n; j++) {
    p->lower[j] = -INFINITY, p->upper[j] = INFINITY;
    p->velocity[j] = p->effort[j] = INFINITY;
  }
  for (int i = 1; i < m->nbody; i++) {
    if (m->joint[i].type != AP_REVOLUTE && m->joint[i].type != AP_PRISMATIC)
      return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                        "only joints of one degree of freedom can be excited, '%.*s' has %d",
                        ap__shown(m->link[m->joint[i].link].joint_name),
                        m->link[m->joint[i].link].joint_name, m->joint[i].nv);
    narrow(p, &m->joint[i]);
  }
  for (int j = 0; j < p->n; j++) {
    const ap_status status = finish_limits(p, j, error);
    if (status) return status;
  }
  if (p->nmove == 0)
    return AP__REFUSE(error, AP_E_ARG, 0, "every joint rests (at least one must move)");
  p->genes = p->nmove * 2 * p->h;
  return AP_OK;
}

static bool shares(const double *x, int n) {
  for (int j = 0; x && j < n; j++)
    if (!(x[j] > 0 && x[j] <= 1)) return false;
  return true;
}

static ap_status check_options(const ap_excite_options *o, int n, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_excite, o, error)) return AP_E_ARG;
  if (o->harmonics < 2 || o->harmonics > 50)
    return AP__REFUSE(error, AP_E_ARG, 0, "%d harmonics requested (2 to 50 are possible)",
                      o->harmonics);
  if (!(o->period > 0) || !isfinite(o->period) || !(o->velocity > 0) || !isfinite(o->velocity) ||
      !(o->acceleration > 0) || !(o->range > 0) || !isfinite(o->range) || !(o->margin >= 0) ||
      !(o->margin < 0.5) || o->evaluations < 1 || !(o->distance >= 0) || !isfinite(o->distance))
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "period, velocity, acceleration, range and evaluations must be positive, the "
                      "margin 0 or more and below 0.5, the distance 0 or more");
  if (!shares(o->velocity_scale, n) || !shares(o->acceleration_scale, n))
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a scale of velocity or acceleration is above 0 and at most 1");
  return AP_OK;
}

// ---- a motion from its numbers -----------------------------------------------------------------

static double logistic(double x) { return 1 / (1 + exp(-x)); }

static void fill_table(planner *p) {
  for (int k = 0; k < 2 * p->samples; k++)
    for (int l = 1; l <= p->h; l++) {
      const double angle = acos(-1.0) * k / p->samples;
      p->table[2 * (k * p->h + l - 1)] = sin(l * angle);
      p->table[2 * (k * p->h + l - 1) + 1] = cos(l * angle);
    }
  for (int k = 0; k < p->samples; k++)
    for (int j = 0; j < p->n; j++) p->q[k * p->n + j] = p->centre[j]; // of those that rest
}

// Harmonics from the second on; the first takes what is left for rest at the start: the velocity
// sum of l sine_l and the acceleration sum of l^2 cosine_l must vanish.
static void shape_joint(planner *p, int j, const double *gene) {
  double *s = p->sine + j * p->h, *c = p->cosine + j * p->h;
  s[0] = c[0] = 0;
  for (int l = 2; l <= p->h; l++) {
    s[l - 1] = *gene++ / l, c[l - 1] = *gene++ / (l * l);
    s[0] -= l * s[l - 1], c[0] -= l * l * c[l - 1];
  }
}

// The shape at all samples, without its centre; what it reaches at all times in `reach`: lowest,
// highest, fastest, largest acceleration. A trigonometric polynomial of degree h is nowhere larger
// than its largest value at N equidistant places divided by cos(pi h / N) (Ehlich and Zeller 1964);
// N is 24 h here.
static void sample_joint(planner *p, int j, double reach[4]) {
  const double w = 2 * acos(-1.0) / p->o.period, between = 1 / cos(acos(-1.0) / (2 * SAMPLES));
  const double *sine = p->sine + j * p->h, *cosine = p->cosine + j * p->h;
  reach[0] = INFINITY, reach[1] = -INFINITY, reach[2] = reach[3] = 0;
  for (int k = 0; k < 2 * p->samples; k++) {
    const double *at = p->table + 2 * k * p->h;
    double x[3] = {0, 0, 0};
    for (int l = 1; l <= p->h; l++, at += 2) {
      const double s = sine[l - 1], c = cosine[l - 1], lw = l * w;
      x[0] += s * at[0] + c * at[1];
      x[1] += lw * (s * at[1] - c * at[0]);
      x[2] -= lw * lw * (s * at[0] + c * at[1]);
    }
    if (k % 2 == 0) {
      const size_t to = (size_t)(k / 2) * (size_t)p->n + (size_t)j;
      p->q[to] = x[0], p->v[to] = x[1], p->a[to] = x[2];
    }
    reach[0] = fmin(reach[0], x[0]), reach[1] = fmax(reach[1], x[0]);
    reach[2] = fmax(reach[2], fabs(x[1])), reach[3] = fmax(reach[3], fabs(x[2]));
  }
  const double middle = (reach[0] + reach[1]) / 2, half = between * (reach[1] - reach[0]) / 2;
  reach[0] = middle - half, reach[1] = middle + half, reach[2] *= between, reach[3] *= between;
}

static void move_joint(planner *p, int j, const double *gene) {
  double reach[4], keep = 1 - p->o.margin, size = p->upper[j] - p->lower[j];
  shape_joint(p, j, gene);
  sample_joint(p, j, reach);
  double largest = (1 - 2 * p->o.margin) * size / fmax(reach[1] - reach[0], 1e-12);
  largest = fmin(largest, keep * p->velocity[j] / fmax(reach[2], 1e-12));
  largest = fmin(largest, keep * p->acceleration[j] / fmax(reach[3], 1e-12));
  gene += 2 * (p->h - 1);
  double amplitude = largest * (1 - 1e-9) * (0.02 + 0.98 * logistic(gene[0]));
  double low = p->lower[j] + p->o.margin * size - amplitude * reach[0];
  double high = p->upper[j] - p->o.margin * size - amplitude * reach[1];
  p->centre[j] = low + (high - low) * logistic(gene[1]);
  for (int l = 0; l < p->h; l++)
    p->sine[j * p->h + l] *= amplitude, p->cosine[j * p->h + l] *= amplitude;
  for (int k = 0; k < p->samples; k++) {
    size_t at = (size_t)k * (size_t)p->n + (size_t)j;
    p->q[at] = p->centre[j] + amplitude * p->q[at];
    p->v[at] *= amplitude, p->a[at] *= amplitude;
  }
}

static void move(planner *p, const double *gene) {
  for (int k = 0; k < p->nmove; k++) move_joint(p, p->moves[k], gene + k * 2 * p->h);
}

static ap_status make_trajectory(planner *p, ap_traj **traj, ap_error *error) {
  ap_fourier_def def = {.n = p->n,
                        .harmonics = p->h,
                        .period = p->o.period,
                        .duration = p->o.period,
                        .centre = p->centre,
                        .sine = p->sine,
                        .cosine = p->cosine};
  return ap_traj_fourier(&def, traj, error);
}

// ---- what it is worth --------------------------------------------------------------------------

// Largest force at the samples relative to its limit.
static void sample_forces(planner *p, verdict *d) {
  d->use = 0;
  ap_set_friction(p->id->m, p->id->w, true);
  for (int k = 0; k < p->samples; k++) {
    size_t at = (size_t)k * (size_t)p->n;
    ap_inverse_dynamics(p->id->m, p->id->w, p->q + at, p->v + at, p->a + at, p->tau);
    for (int j = 0; j < p->n; j++)
      if (fabs(p->tau[j]) / p->effort[j] > d->use)
        d->use = fabs(p->tau[j]) / p->effort[j], d->joint = j;
  }
  ap_set_friction(p->id->m, p->id->w, false);
}

static void lesser(ap_distances *all, const ap_distances *x) {
  if (x->self < all->self) all->self = x->self, memcpy(all->pair, x->pair, sizeof x->pair);
  if (x->floor < all->floor) all->floor = x->floor, all->lowest = x->lowest;
  all->box = fmin(all->box, x->box);
}

static void sample_distances(planner *p, verdict *d) {
  for (int k = 0; k < p->samples; k++) {
    ap_distances here;
    ap_clearance_at(p->o.clearance, p->id->w, p->q + ap__row(k, p->n), &here);
    lesser(&d->distances, &here);
  }
}

// What a motion lacks: forces relative to what their limits leave, distances in tenths of a metre.
enum { FORCE, SELF, FLOOR, BOX, KINDS };

static void judge(const planner *p, verdict *d) {
  const double lack[KINDS] = {[FORCE] = d->use / (1 - p->o.margin) - 1,
                              [SELF] = (p->o.distance - d->distances.self) / 0.1,
                              [FLOOR] = (p->o.distance - d->distances.floor) / 0.1,
                              [BOX] = -d->distances.box / 0.1};
  d->violation = 0, d->worst = 0;
  for (int k = 0; k < KINDS; k++) {
    if (lack[k] > lack[d->worst]) d->worst = k;
    d->violation += fmax(lack[k], 0);
  }
  if (!(d->violation < 1e9)) d->violation = 1e9;
}

// Rows of the samples, weighted, to the triangle.
static void absorb(planner *p) {
  int nb = p->nb, rows = p->n * p->samples;
  for (int k = 0; k < p->samples; k++) {
    size_t at = (size_t)k * (size_t)p->n;
    ap_ident_rows(p->id, p->q + at, p->v + at, p->a + at, p->W);
    for (int j = 0; j < p->n; j++)
      for (int b = 0; b < nb; b++)
        p->block[ap__row(k * p->n + j, nb) + (size_t)b] =
            p->weight[j] * p->W[ap__row(j, p->id->np) + (size_t)p->column[b]];
  }
  ap__triangle_absorb(nb, p->R, rows, p->block, p->scratch);
}

// The triangle of the base columns, rows weighted.
static void information(planner *p) {
  memset(p->R, 0, ap__row(p->nb, p->nb) * sizeof *p->R);
  absorb(p);
}

// log10 of the determinant of the information for each sample.
static double log_determinant(const planner *p) {
  double sum = 0;
  for (int b = 0; b < p->nb; b++)
    sum += 2 * log10(fabs(p->R[ap__row(b, p->nb + 1)])) - log10(p->samples);
  return isnan(sum) ? -INFINITY : sum;
}

// Between the samples too: whether a motion is allowed, or (all) how much it leaves. AP_E_MEMORY.
static ap_status certify(planner *p, verdict *d, bool all, ap_error *error) {
  ap_traj *traj = NULL;
  ap_status status = make_trajectory(p, &traj, error);
  const double w = 2 * acos(-1.0) / p->o.period, enough[3] = {p->o.distance, p->o.distance, 0};
  for (int j = 0; j < p->n; j++) {
    p->jerk[j] = 0;
    for (int l = 1; l <= p->h; l++)
      p->jerk[j] += pow(l * w, 3) * hypot(p->sine[j * p->h + l - 1], p->cosine[j * p->h + l - 1]);
  }
  ap__forces f = {.effort = p->effort,
                  .jerk = p->jerk,
                  .enough = all ? 0 : 1 - p->o.margin,
                  .tolerance = certain};
  if (!status) status = ap__bound_forces(p->id->m, p->id->w, traj, &f, error);
  if (!status) d->use = f.use, d->joint = f.joint;
  if (!status && p->o.clearance)
    status = ap_traj_clearance(p->o.clearance, p->id->w, traj, all ? NULL : enough,
                               all ? certain : certain / 10, &d->distances, error);
  ap_traj_free(traj);
  return status;
}

static const verdict nothing = {
    .distances = {INFINITY, INFINITY, INFINITY, {-1, -1}, -1, {0, 0, 0}}};

// To be made large; below -1e5 where something is broken. A motion that would be the best is
// certified first.
static ap_status fitness(planner *p, const double *gene, double best, verdict *d, double *worth,
                         ap_error *error) {
  ap_status status = AP_OK;
  *d = nothing;
  move(p, gene);
  sample_forces(p, d);
  if (p->o.clearance) sample_distances(p, d);
  judge(p, d);
  if (d->violation == 0) {
    information(p);
    d->criterion = log_determinant(p);
    d->blind = !(d->criterion > -1e5);
    if (d->criterion > best) {
      status = certify(p, d, false, error);
      judge(p, d);
    }
  }
  *worth = d->violation > 0 ? -1e6 * (1 + d->violation) : d->blind ? -1e5 : d->criterion;
  return status;
}

// Rows are weighted by the limit of force, which tells what noise to expect; by the rms of forces
// in the motion at hand where a joint has none.
static void find_weights(planner *p, const double *gene) {
  move(p, gene);
  for (int j = 0; j < p->n; j++) p->weight[j] = 0;
  for (int k = 0; k < p->samples; k++) {
    size_t at = (size_t)k * (size_t)p->n;
    ap_inverse_dynamics(p->id->m, p->id->w, p->q + at, p->v + at, p->a + at, p->tau);
    for (int j = 0; j < p->n; j++) p->weight[j] += p->tau[j] * p->tau[j] / p->samples;
  }
  for (int j = 0; j < p->n; j++) {
    double size = isfinite(p->effort[j]) ? p->effort[j] : sqrt(p->weight[j]);
    p->weight[j] = 1 / fmax(size, 1e-6);
  }
}

// ---- which parameters can be shown -------------------------------------------------------------

static int by_number(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// Columns of length one; of those that are negligible nothing is left.
static void scale_columns(planner *p) {
  double most = 0;
  for (int b = 0; b < p->nb; b++) most = fmax(most, ap__length(p->R + b, b + 1, p->nb));
  for (int b = 0; b < p->nb; b++) {
    const double length = ap__length(p->R + b, b + 1, p->nb);
    for (int i = 0; i <= b; i++)
      p->R[ap__row(i, p->nb) + (size_t)b] *= length > negligible * most ? 1 / length : 0;
  }
}

// Where joints rest, the columns of some base parameters vanish or depend on others: random states
// of the joints that move tell which ones are independent.
static ap_status find_columns(planner *p, ap_error *error) {
  p->nb = p->base->n;
  memcpy(p->column, p->base->leader, (size_t)p->nb * sizeof *p->column);
  for (int b = 0; p->o.excited && b < p->nb; b++) p->o.excited[b] = p->nmove == p->n;
  if (p->nmove == p->n) return AP_OK;
  ap__random random = {1};
  const size_t nb = (size_t)p->nb;
  double *room = malloc(3 * nb * sizeof *room + 1);
  int *pivot = malloc(nb * sizeof *pivot + 1);
  if (!room || !pivot) {
    free(room), free(pivot);
    return ap__no_memory(error);
  }
  for (int j = 0; j < p->n; j++) p->weight[j] = 1;
  memset(p->R, 0, nb * nb * sizeof *p->R);
  for (int k = 0; k < 100 + 4 * p->nb; k += p->samples) {
    for (int i = 0; i < p->samples; i++)
      for (int j = 0; j < p->nmove; j++) {
        const size_t at = ap__row(i, p->n) + (size_t)p->moves[j];
        p->q[at] = ap__uniform(&random, p->lower[p->moves[j]], p->upper[p->moves[j]]);
        p->v[at] = ap__uniform(&random, -2, 2), p->a[at] = ap__uniform(&random, -5, 5);
      }
    absorb(p);
  }
  scale_columns(p);
  ap_qr qr = {.m = p->nb,
              .n = p->nb,
              .A = p->R,
              .left = room,
              .right = room + nb,
              .spare = room + 2 * nb,
              .pivot = pivot,
              .tie = negligible};
  p->nb = ap__qr_triangle(&qr, negligible);
  qsort(pivot, (size_t)p->nb, sizeof *pivot, by_number);
  for (int b = 0; b < p->nb; b++) {
    p->column[b] = p->base->leader[pivot[b]];
    if (p->o.excited) p->o.excited[pivot[b]] = true;
  }
  free(room), free(pivot);
  if (p->nb == 0)
    return AP__REFUSE(error, AP_E_ARG, 0, "the joints that move excite no base parameter");
  return AP_OK;
}

// ---- the search --------------------------------------------------------------------------------

static double slack(const planner *p, const ap_distances *x) {
  return fmin(fmin(x->self, x->floor) - p->o.distance, x->box);
}

static void set_amplitudes(const planner *p, double level, double *gene) {
  for (int k = 0; k < p->nmove; k++) gene[k * 2 * p->h + 2 * p->h - 2] = level;
}

// Where to begin: about the middle of the ranges; where that is not 0.05 m clear of what there is
// to keep clear of, about the clearest of some poses.
static void find_start(planner *p, double *mean) {
  ap__random random = {p->o.seed + 2ull};
  double best = -INFINITY, *q = p->q; // the first sample
  const double inside = p->o.margin;
  for (int turn = 0; turn < (p->o.clearance ? START_POSES : 0); turn++) {
    if (turn == 1 && best > 0.05) break;
    ap_distances here;
    for (int k = 0; k < p->nmove; k++) {
      const int j = p->moves[k];
      const double at = turn == 0 ? 0.5 : ap__uniform(&random, inside, 1 - inside);
      q[j] = p->lower[j] + at * (p->upper[j] - p->lower[j]);
    }
    ap_clearance_at(p->o.clearance, p->id->w, q, &here);
    if (!(slack(p, &here) > best)) continue;
    best = slack(p, &here);
    for (int k = 0; k < p->nmove; k++) {
      const int j = p->moves[k];
      const double at = (q[j] - p->lower[j]) / (p->upper[j] - p->lower[j]);
      const double share = fmin(fmax((at - inside) / (1 - 2 * inside), 0.02), 0.98);
      mean[k * 2 * p->h + 2 * p->h - 1] = log(share / (1 - share));
    }
  }
}

// How large to begin: of four random motions about the mean two are allowed.
static ap_status find_amplitude(planner *p, ap__strategy *s, ap__random *random, ap_error *error) {
  for (int level = 2; level >= -4; level -= 2) {
    int good = 0;
    set_amplitudes(p, level, s->mean);
    for (int k = 0; k < 4; k++) {
      verdict d;
      double worth;
      ap__strategy_draw(s, 0, random);
      const ap_status status = fitness(p, s->child[0].gene, INFINITY, &d, &worth, error);
      if (status) return status;
      good += d.violation == 0;
    }
    if (good >= 2) break;
  }
  return AP_OK;
}

// The best motion seen goes to best.
static ap_status evolve(planner *p, ap__strategy *s, ap__candidate *best, double *first,
                        ap_error *error) {
  ap__random random = {p->o.seed};
  ap_status status = AP_OK;
  int spent = 0;
  for (int generation = 0; spent < p->o.evaluations && !status; generation++) {
    for (int k = 0; k < s->children && !status; k++, spent++) {
      ap__candidate *c = &s->child[k];
      verdict d;
      ap__strategy_draw(s, k, &random);
      status = fitness(p, c->gene, best->worth, &d, &c->worth, error);
      if (c->worth > best->worth) {
        best->worth = c->worth;
        memcpy(best->gene, c->gene, (size_t)s->n * sizeof *c->gene);
      }
    }
    if (generation == 0) *first = best->worth > -1e5 ? best->worth : NAN;
    if (p->o.progress && !p->o.progress(p->o.context, spent)) break;
    if (!status) ap__strategy_learn(s);
  }
  return status;
}

// Which limit the best motion breaks, and by how much.
static ap_status refuse(planner *p, const ap__candidate *best, ap_error *error) {
  static const char advice[] = "(try more evaluations, a longer period or smaller ranges)";
  const ap_model *m = p->id->m;
  const double least = p->o.distance, keep = 1 - p->o.margin;
  verdict d;
  double worth;
  ap_status status = fitness(p, best->gene, -INFINITY, &d, &worth, error);
  if (status) return status;
  if (d.violation > 0 && d.worst == SELF) {
    const char *a = m->link[d.distances.pair[0]].name, *b = m->link[d.distances.pair[1]].name;
    return AP__REFUSE(error, AP_E_NO_CONVERGENCE, 0,
                      "no motion found that keeps links %g m apart: '%.*s' and '%.*s' come within "
                      "%.4g m in the best one %s",
                      least, ap__shown(a), a, ap__shown(b), b, d.distances.self, advice);
  }
  if (d.violation > 0 && d.worst == FLOOR) {
    const char *a = m->link[d.distances.lowest].name;
    return AP__REFUSE(error, AP_E_NO_CONVERGENCE, 0,
                      "no motion found that stays %g m above the floor: '%.*s' comes to %.4g m in "
                      "the best one %s",
                      least, ap__shown(a), a, d.distances.floor, advice);
  }
  if (d.violation > 0 && d.worst == BOX)
    return AP__REFUSE(error, AP_E_NO_CONVERGENCE, 0,
                      "no motion found that keeps the frame in its box: it leaves it by %.4g m in "
                      "the best one %s",
                      -d.distances.box, advice);
  if (d.violation > 0)
    return AP__REFUSE(error, AP_E_NO_CONVERGENCE, 0,
                      "no motion found within the force limits: '%.*s' needs %.4g of the %.4g that "
                      "the margin leaves of its limit %.4g in the best one %s",
                      ap__shown(joint_name(p, d.joint)), joint_name(p, d.joint),
                      d.use * p->effort[d.joint], keep * p->effort[d.joint], p->effort[d.joint],
                      advice);
  return AP__REFUSE(error, AP_E_NO_CONVERGENCE, 0, "no motion found that excites all parameters %s",
                    advice);
}

// ---- all of it ---------------------------------------------------------------------------------

static void find_spare(planner *p, const ap_traj *traj, ap_excitation *found) {
  found->position_spare = found->velocity_spare = found->acceleration_spare = 1;
  for (int k = 0; k < p->nmove; k++) {
    const int j = p->moves[k];
    const ap_traj_reach x = ap_traj_reach_of(traj, j);
    const double size = p->upper[j] - p->lower[j];
    const double ends = fmin(x.lower - p->lower[j], p->upper[j] - x.upper) / size;
    found->position_spare = fmin(found->position_spare, ends);
    found->velocity_spare = fmin(found->velocity_spare, 1 - x.velocity / p->velocity[j]);
    found->acceleration_spare =
        fmin(found->acceleration_spare, 1 - x.acceleration / p->acceleration[j]);
  }
}

static ap_status describe(planner *p, const ap__candidate *best, ap_traj **traj,
                          ap_excitation *found, ap_error *error) {
  const int nb = p->nb;
  verdict d = nothing;
  double *s = malloc((size_t)nb * sizeof *s);
  if (!s) return ap__no_memory(error);
  move(p, best->gene);
  found->criterion = best->worth, found->excited = nb;
  ap_status status = certify(p, &d, true, error);
  // both bounds are right: that of the search and this one
  found->torque_use = fmin(d.use, 1 - p->o.margin);
  found->distances = d.distances;
  if (p->o.clearance) {
    found->distances.self = fmax(d.distances.self, p->o.distance);
    found->distances.floor = fmax(d.distances.floor, p->o.distance);
    found->distances.box = fmax(d.distances.box, 0);
  }
  for (int j = 0; j < p->n; j++) p->weight[j] = 1; // the condition is that of the rows as they are
  information(p);
  for (int b = 0; b < nb; b++) { // columns of length one
    double length = ap__length(p->R + b, b + 1, nb);
    for (int i = 0; i <= b && length > 0; i++) p->R[ap__row(i, nb) + (size_t)b] /= length;
  }
  if (!status) status = ap__svd(nb, 0, p->R, s) ? ap__no_memory(error) : AP_OK;
  if (!status) found->condition = s[nb - 1] > 0 ? s[0] / s[nb - 1] : INFINITY;
  free(s);
  if (!status) status = make_trajectory(p, traj, error);
  if (!status) find_spare(p, *traj, found);
  return status;
}

static ap_status search_motion(planner *p, ap__candidate *best, double *first, ap_error *error) {
  ap__strategy s = {0};
  ap_status status = ap__strategy_make(&s, p->genes) ? AP_OK : ap__no_memory(error);
  if (!status) {
    ap__random random = {p->o.seed + 1ull};
    find_start(p, s.mean);
    set_amplitudes(p, 2, s.mean);
    for (int i = 0; i < s.n; i++) s.old[i] = s.mean[i] + ap__normal(&random);
    find_weights(p, s.old);
    status = find_amplitude(p, &s, &random, error);
    if (!status) status = evolve(p, &s, best, first, error);
    if (!status && best->worth <= -1e5) status = refuse(p, best, error);
  }
  ap__strategy_free(&s);
  return status;
}

ap_status ap_excite(ap_ident *id, const ap_base *base, const ap_excite_options *options,
                    ap_traj **traj, ap_excitation *found, ap_error *error) {
  planner p = {.id = id, .base = base, .o = options ? *options : ap_default_excite(), .n = id->nv};
  ap_excitation result = {0};
  ap__candidate best = {-INFINITY, NULL};
  *traj = NULL;
  ap_status status = check_options(&p.o, p.n, error);
  if (status) return status;
  p.h = p.o.harmonics, p.samples = SAMPLES * p.h;
  if (!planner_make(&p)) status = ap__no_memory(error);
  if (!status) status = find_limits(&p, error);
  if (!status) fill_table(&p);
  if (!status) status = find_columns(&p, error);
  if (!status && !(best.gene = malloc((size_t)p.genes * sizeof(double))))
    status = ap__no_memory(error);
  if (!status) status = search_motion(&p, &best, &result.first, error);
  if (!status) status = describe(&p, &best, traj, &result, error);
  planner_free(&p), free(best.gene);
  if (!status && found) *found = result;
  return status;
}
