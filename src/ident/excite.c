// SPDX-License-Identifier: Apache-2.0
// Motions that show the base parameters: one period of a Fourier series for each joint, from rest
// to rest, with the largest determinant of the information matrix W^T W (D-criterion).
//
// Limits of position, velocity and acceleration hold by construction: numbers without bounds say
// the shape of a joint's motion, the share of the largest amplitude that its limits allow, and
// where in the range that is left it lies. Forces are checked. The search is an evolution strategy
// that adapts the step of each number (sep-CMA-ES, Ros and Hansen 2008): it asks for values alone,
// and the largest amplitude is not smooth in the shape.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/ident.h"
#include "model/frozen.h"
#include "num/svd.h"

ap_excite_options ap_default_excite(void) {
  return (ap_excite_options){.harmonics = 5,
                             .period = 10,
                             .velocity = 1.5,
                             .acceleration = INFINITY,
                             .range = acos(-1.0),
                             .margin = 0.05,
                             .evaluations = 6000,
                             .seed = 1,
                             .cookie = AP_COOKIE};
}

typedef struct planner {
  ap_ident *id;
  const ap_base *base;
  ap_excite_options o;
  int n, h, samples, genes; // joints, harmonics, samples of a period, numbers of a motion
  double *lower, *upper, *velocity, *effort, *weight; // [n]
  double *centre, *sine, *cosine;                     // [n], [n * h], [n * h]
  double *q, *v, *a;                                  // [samples * n]
  double *tau;                                        // [n]
  double *W, *block, *R, *scratch;
} planner;

static bool planner_make(planner *p) {
  size_t n = (size_t)p->n, h = (size_t)p->h, rows = n * (size_t)p->samples;
  size_t nb = (size_t)p->base->n, np = (size_t)p->id->np;
  double **array[] = {&p->lower, &p->upper, &p->velocity, &p->effort, &p->weight, &p->centre,
                      &p->tau,   &p->sine,  &p->cosine,   &p->q,      &p->v,      &p->a,
                      &p->W,     &p->block, &p->R,        &p->scratch};
  const size_t size[] = {
      n,      n,         n,       n,
      n,      n,         n,       n * h,
      n * h,  rows,      rows,    rows,
      n * np, rows * nb, nb * nb, ap__triangle_room(p->base->n, p->n * p->samples)};
  bool good = true;
  for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
    *array[k] = malloc(size[k] * sizeof(double) + 1);
    good = good && *array[k];
  }
  return good;
}

static void planner_free(planner *p) {
  free(p->lower), free(p->upper), free(p->velocity), free(p->effort), free(p->weight);
  free(p->centre), free(p->tau), free(p->sine), free(p->cosine), free(p->q), free(p->v), free(p->a);
  free(p->W), free(p->block), free(p->R), free(p->scratch);
}

// ---- limits ------------------------------------------------------------------------------------

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
    if (p->lower[j] < -1e6) p->lower[j] = fmin(-p->o.range, p->upper[j] - 2 * p->o.range);
    if (p->upper[j] > 1e6) p->upper[j] = fmax(p->o.range, p->lower[j] + 2 * p->o.range);
    if (!isfinite(p->velocity[j]) || p->velocity[j] == 0) p->velocity[j] = p->o.velocity;
    if (p->effort[j] == 0) p->effort[j] = INFINITY;
    if (!(p->upper[j] > p->lower[j]))
      return AP__REFUSE(error, AP_E_ARG, 0, "joint force %d has no range to move in (%g to %g)",
                        j + 1, p->lower[j], p->upper[j]);
  }
  return AP_OK;
}

static ap_status check_options(const ap_excite_options *o, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_excite, o, error)) return AP_E_ARG;
  if (o->harmonics < 2 || o->harmonics > 50)
    return AP__REFUSE(error, AP_E_ARG, 0, "%d harmonics requested (2 to 50 are possible)",
                      o->harmonics);
  if (!(o->period > 0) || !isfinite(o->period) || !(o->velocity > 0) || !isfinite(o->velocity) ||
      !(o->acceleration > 0) || !(o->range > 0) || !isfinite(o->range) || !(o->margin >= 0) ||
      !(o->margin < 1) || o->evaluations < 1)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "period, velocity, acceleration, range and evaluations must be positive, the "
                      "margin 0 or more and below 1");
  return AP_OK;
}

// ---- a motion from its numbers -----------------------------------------------------------------

static double logistic(double x) { return 1 / (1 + exp(-x)); }

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

// The shape at all samples, without its centre; what it reaches in `reach`: lowest, highest,
// fastest, largest acceleration.
static void sample_joint(planner *p, int j, double reach[4]) {
  const double w = 2 * acos(-1.0) / p->o.period;
  reach[0] = INFINITY, reach[1] = -INFINITY, reach[2] = reach[3] = 0;
  for (int k = 0; k < p->samples; k++) {
    double angle = 2 * acos(-1.0) * k / p->samples, x[3] = {0, 0, 0};
    for (int l = 1; l <= p->h; l++) {
      double s = p->sine[j * p->h + l - 1], c = p->cosine[j * p->h + l - 1];
      double sine = sin(l * angle), cosine = cos(l * angle), lw = l * w;
      x[0] += s * sine + c * cosine;
      x[1] += lw * (s * cosine - c * sine);
      x[2] -= lw * lw * (s * sine + c * cosine);
    }
    p->q[k * p->n + j] = x[0], p->v[k * p->n + j] = x[1], p->a[k * p->n + j] = x[2];
    reach[0] = fmin(reach[0], x[0]), reach[1] = fmax(reach[1], x[0]);
    reach[2] = fmax(reach[2], fabs(x[1])), reach[3] = fmax(reach[3], fabs(x[2]));
  }
}

static void move_joint(planner *p, int j, const double *gene) {
  double reach[4], keep = 1 - p->o.margin, size = p->upper[j] - p->lower[j];
  shape_joint(p, j, gene);
  sample_joint(p, j, reach);
  double largest = keep * size / fmax(reach[1] - reach[0], 1e-12);
  largest = fmin(largest, keep * p->velocity[j] / fmax(reach[2], 1e-12));
  largest = fmin(largest, keep * p->o.acceleration / fmax(reach[3], 1e-12));
  gene += 2 * (p->h - 1);
  double amplitude = largest * (0.1 + 0.9 * logistic(gene[0] + 2));
  double low = p->lower[j] + (1 - keep) / 2 * size - amplitude * reach[0];
  double high = p->upper[j] - (1 - keep) / 2 * size - amplitude * reach[1];
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
  for (int j = 0; j < p->n; j++) move_joint(p, j, gene + j * (p->genes / p->n));
}

// ---- what it is worth --------------------------------------------------------------------------

// Largest force relative to what its limit leaves.
static double force_use(planner *p) {
  double most = 0;
  ap_set_friction(p->id->m, p->id->w, true);
  for (int k = 0; k < p->samples; k++) {
    size_t at = (size_t)k * (size_t)p->n;
    ap_inverse_dynamics(p->id->m, p->id->w, p->q + at, p->v + at, p->a + at, p->tau);
    for (int j = 0; j < p->n; j++) most = fmax(most, fabs(p->tau[j]) / p->effort[j]);
  }
  ap_set_friction(p->id->m, p->id->w, false);
  return most;
}

// The triangle of the base columns, rows weighted.
static void information(planner *p) {
  int nb = p->base->n, rows = p->n * p->samples;
  for (int k = 0; k < p->samples; k++) {
    size_t at = (size_t)k * (size_t)p->n;
    ap_ident_rows(p->id, p->q + at, p->v + at, p->a + at, p->W);
    for (int j = 0; j < p->n; j++)
      for (int b = 0; b < nb; b++)
        p->block[ap__row(k * p->n + j, nb) + (size_t)b] =
            p->weight[j] * p->W[ap__row(j, p->id->np) + (size_t)p->base->leader[b]];
  }
  memset(p->R, 0, ap__row(nb, nb) * sizeof *p->R);
  ap__triangle_absorb(nb, p->R, rows, p->block, p->scratch);
}

// log10 of the determinant of the information for each sample.
static double log_determinant(const planner *p) {
  double sum = 0;
  for (int b = 0; b < p->base->n; b++)
    sum += 2 * log10(fabs(p->R[ap__row(b, p->base->n + 1)])) - log10(p->samples);
  return isnan(sum) ? -INFINITY : sum;
}

// To be made large. Whatever breaks a limit of force is worth less than what does not.
static double fitness(planner *p, const double *gene, double *use) {
  move(p, gene);
  *use = force_use(p);
  if (*use > 1 - p->o.margin) return -1e6 * *use;
  information(p);
  return fmax(log_determinant(p), -1e5);
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

// ---- the search --------------------------------------------------------------------------------

typedef struct candidate {
  double worth;
  double *gene;
} candidate;

static int by_worth(const void *a, const void *b) {
  double x = ((const candidate *)a)->worth, y = ((const candidate *)b)->worth;
  return (x < y) - (x > y);
}

// State of the evolution strategy: mean, deviation of each number, paths of the last steps.
typedef struct strategy {
  int n, children, parents;
  double *mean, *variance, *path, *step_path, *old, *weight, *memory;
  candidate *child;
  double step, mass; // mass: of the weights, 1 / sum of squares
} strategy;

static bool strategy_make(strategy *s, int n) {
  s->n = n, s->step = 0.5;
  s->children = 2 * (4 + (int)(3 * log(n))) / 2;
  s->parents = s->children / 2;
  size_t size = (size_t)n;
  s->memory = calloc(size * (5 + (size_t)s->children) + (size_t)s->parents, sizeof(double));
  s->child = calloc((size_t)s->children, sizeof *s->child);
  if (!s->memory || !s->child) return false;
  double *at = s->memory, sum = 0, squares = 0;
  s->mean = at, s->variance = at + size, s->path = at + 2 * size;
  s->step_path = at + 3 * size, s->old = at + 4 * size, at += 5 * size;
  for (int k = 0; k < s->children; k++, at += size) s->child[k].gene = at;
  s->weight = at;
  for (int k = 0; k < n; k++) s->variance[k] = 1;
  for (int k = 0; k < s->parents; k++) sum += s->weight[k] = log(s->parents + 0.5) - log(k + 1);
  for (int k = 0; k < s->parents; k++) {
    s->weight[k] /= sum;
    squares += s->weight[k] * s->weight[k];
  }
  s->mass = 1 / squares;
  return true;
}

// Hansen's update with a diagonal matrix of covariances; the children are sorted, best first.
static void strategy_learn(strategy *s, int generation) {
  double n = s->n, mass = s->mass, expected = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
  double cs = (mass + 2) / (n + mass + 5), cc = (4 + mass / n) / (n + 4 + 2 * mass / n);
  double ds = 1 + cs + 2 * fmax(0, sqrt((mass - 1) / (n + 1)) - 1), speed = (n + 2) / 3;
  double c1 = fmin(1, speed * 2 / ((n + 1.3) * (n + 1.3) + mass));
  double cm = fmin(1 - c1, speed * 2 * (mass - 2 + 1 / mass) / ((n + 2) * (n + 2) + mass));
  double length = 0;
  memcpy(s->old, s->mean, (size_t)s->n * sizeof *s->old);
  for (int i = 0; i < s->n; i++) {
    s->mean[i] = 0;
    for (int k = 0; k < s->parents; k++) s->mean[i] += s->weight[k] * s->child[k].gene[i];
    double y = (s->mean[i] - s->old[i]) / s->step;
    s->step_path[i] = (1 - cs) * s->step_path[i] + sqrt(cs * (2 - cs) * mass / s->variance[i]) * y;
    length += s->step_path[i] * s->step_path[i];
  }
  length = sqrt(length);
  bool stalled =
      length / sqrt(1 - pow(1 - cs, 2.0 * (generation + 1))) > (1.4 + 2 / (n + 1)) * expected;
  for (int i = 0; i < s->n; i++) {
    double y = (s->mean[i] - s->old[i]) / s->step, rank = 0;
    s->path[i] = (1 - cc) * s->path[i] + (stalled ? 0 : sqrt(cc * (2 - cc) * mass) * y);
    for (int k = 0; k < s->parents; k++) {
      double z = (s->child[k].gene[i] - s->old[i]) / s->step;
      rank += s->weight[k] * z * z;
    }
    double own = s->path[i] * s->path[i] + (stalled ? cc * (2 - cc) * s->variance[i] : 0);
    s->variance[i] = (1 - c1 - cm) * s->variance[i] + c1 * own + cm * rank;
  }
  s->step *= exp(fmin(1, cs / ds * (length / expected - 1)));
}

// The best motion seen goes to best.
static void evolve(planner *p, strategy *s, candidate *best, double *first) {
  ap__random random = {p->o.seed};
  int spent = 0;
  for (int generation = 0; spent < p->o.evaluations; generation++) {
    for (int k = 0; k < s->children; k++, spent++) {
      candidate *c = &s->child[k];
      double use;
      for (int i = 0; i < s->n; i++)
        c->gene[i] = s->mean[i] + s->step * sqrt(s->variance[i]) * ap__normal(&random);
      c->worth = fitness(p, c->gene, &use);
      if (c->worth > best->worth) {
        best->worth = c->worth;
        memcpy(best->gene, c->gene, (size_t)s->n * sizeof *c->gene);
      }
    }
    if (generation == 0) *first = best->worth;
    if (p->o.progress) p->o.progress(p->o.context, spent);
    qsort(s->child, (size_t)s->children, sizeof *s->child, by_worth);
    strategy_learn(s, generation);
  }
}

// ---- all of it ---------------------------------------------------------------------------------

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

static ap_status describe(planner *p, const candidate *best, ap_excitation *found) {
  int nb = p->base->n;
  double use, *s = malloc((size_t)nb * sizeof *s);
  if (!s) return AP_E_MEMORY;
  found->criterion = fitness(p, best->gene, &use);
  found->torque_use = use;
  for (int j = 0; j < p->n; j++) p->weight[j] = 1; // the condition is that of the rows as they are
  information(p);
  for (int b = 0; b < nb; b++) { // columns of length one
    double length = ap__length(p->R + b, b + 1, nb);
    for (int i = 0; i <= b && length > 0; i++) p->R[ap__row(i, nb) + (size_t)b] /= length;
  }
  ap_status status = ap__svd(nb, 0, p->R, s);
  if (!status) found->condition = s[nb - 1] > 0 ? s[0] / s[nb - 1] : INFINITY;
  free(s);
  return status;
}

static ap_status search_motion(planner *p, candidate *best, ap_excitation *found, ap_error *error) {
  strategy s = {0};
  ap_status status = strategy_make(&s, p->genes) ? AP_OK : ap__no_memory(error);
  if (!status) {
    ap__random random = {p->o.seed + 1ull};
    for (int i = 0; i < s.n; i++) s.old[i] = ap__normal(&random);
    find_weights(p, s.old);
    evolve(p, &s, best, &found->first);
    if (best->worth <= -1e5)
      status = AP__REFUSE(error, AP_E_NO_CONVERGENCE, 0,
                          "no motion found that respects the force limits and excites all "
                          "parameters (try a longer period or more evaluations)");
  }
  free(s.memory), free(s.child);
  return status;
}

ap_status ap_excite(ap_ident *id, const ap_base *base, const ap_excite_options *options,
                    ap_traj **traj, ap_excitation *found, ap_error *error) {
  planner p = {.id = id, .base = base, .o = options ? *options : ap_default_excite(), .n = id->nv};
  ap_excitation result = {0};
  *traj = NULL;
  ap_status status = check_options(&p.o, error);
  if (status) return status;
  p.h = p.o.harmonics, p.samples = 12 * p.h, p.genes = p.n * 2 * p.h;
  candidate best = {-INFINITY, malloc((size_t)p.genes * sizeof(double))};
  if (!planner_make(&p) || !best.gene) status = ap__no_memory(error);
  if (!status) status = find_limits(&p, error);
  if (!status) status = search_motion(&p, &best, &result, error);
  if (!status && describe(&p, &best, &result)) status = ap__no_memory(error);
  if (!status) status = make_trajectory(&p, traj, error);
  planner_free(&p), free(best.gene);
  if (!status && found) *found = result;
  return status;
}
