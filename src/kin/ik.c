// SPDX-License-Identifier: Apache-2.0
// Numeric inverse kinematics: Levenberg-Marquardt on the configuration manifold, inside a box.
//
// The error e = [p* - p; log(R* R^T)], in metres and radians and in ground axes, changes by -J dq
// to first order, J the Jacobian in AP_MIXED; J^T e is exactly the downhill direction of |e|^2/2.
// A step minimises |e - J dq|^2 + lambda |dq|^2:
//
//   dq = J^T (J J^T + lambda 1)^-1 e,  lambda = mu |e|^2
//
// a 6 x 6 system (3 x 3 without orientation), whether the arm has joints to spare or too few. The
// factor |e|^2 (N. Yamashita and M. Fukushima 2001) lets the damping vanish at a solution, so that
// convergence is quadratic there, also for a redundant arm. mu falls while the linear model
// predicts the gain well and rises when a step is rejected; in the end that is a step straight
// downhill, so every point that is left stuck is stationary.
//
// Limits: a joint whose step leaves its range is put on the edge and what it does not do is asked
// of the others, one joint after the other. A revolute joint goes round instead where its range is
// wide enough: the pose is the same a turn further.
//
// A stationary point need not be a minimum (an arm stretched out towards a target nearer by is on
// a saddle), and limits make minima that are not the lowest. So the arm is put beside it a few
// times, always the same way, and only if that leads nowhere better is the pose called unreachable.

#include "kin/text_f64.h"

#include "kin/orientation.h"

static const double two_pi = 6.28318530717958647693;

enum { NUDGES = 3 };
// Sine of the angle between the error and what the joints can do about it: less is stationary.
// The error left is then right to the square of that, about.
static const double STATIONARY = 1e-7;
static const double LARGEST_TURN = 1;   // rad per step; the linear model means nothing beyond
static const double LARGEST_BEND = 0.4; // of the step; Transtrum and Sethna's alpha is twice that
static const double FIRST_MU = 1e-2, LARGEST_MU = 1e20;

typedef struct search {
  const ap_model *m;
  ap_work *w;
  int frame;
  int rows; // 6, or 3 without orientation
  bool limited;
  quaternion turn; // the target
  vec3 place;
  double tolerance, least_mu;
  double *q;           // where the search is
  double e[6], square; // the error there, and |e|^2
  double mu;
} search;

// The part of a work that the search takes place in.
struct ik_part {
  double *q, *best;         // [nq] configuration on trial, best so far
  double *jacobian;         // [6 * nv]
  double *lower, *upper;    // [nv] range of each coordinate
  double *x, *y, *straight; // [nv] the step, which joints are free to move, the step unbent
};

static void lay_out_ik(const ap_model *m, ap_arena *a, ap_work *w) {
  struct ik_part nowhere, *x = AP_TAKE(a, struct ik_part, 1);
  size_t nv = (size_t)m->nvi;
  w->ik = x;
  if (!x) x = &nowhere;
  x->q = AP_TAKE_ALIGNED(a, double, m->nqi);
  x->best = AP_TAKE_ALIGNED(a, double, m->nqi);
  x->jacobian = AP_TAKE_ALIGNED(a, double, 6 * nv);
  x->lower = AP_TAKE_ALIGNED(a, double, nv);
  x->upper = AP_TAKE_ALIGNED(a, double, nv);
  x->x = AP_TAKE_ALIGNED(a, double, nv);
  x->y = AP_TAKE_ALIGNED(a, double, nv);
  x->straight = AP_TAKE_ALIGNED(a, double, nv);
}

static void set_nothing(ap_work *w) { (void)w; }

const ap_part ap_part_ik = {{&ap_part_frames}, lay_out_ik, set_nothing, NULL};

ap_ik_options ap_default_ik(void) {
  return (ap_ik_options){.iterations = 200,
                         .tolerance = 1e-10,
                         .damping = 1e-6,
                         .position_only = false,
                         .respect_limits = true,
                         .cookie = AP_COOKIE};
}

// ---- limits ------------------------------------------------------------------------------------

TEXT bool has_range(const ap_joint *j) { return j->type == AP_REVOLUTE || j->type == AP_PRISMATIC; }

// Range of every coordinate: what its own joint and all that follow it allow. Followers that allow
// nothing together with their leader are not asked.
TEXT void find_ranges(const search *s) {
  double *lower = s->w->ik->lower, *upper = s->w->ik->upper;
  for (int k = 0; k < s->m->nv; k++) lower[k] = -INFINITY, upper[k] = INFINITY;
  for (int follower = 0; s->limited && follower < 2; follower++)
    for (int i = 1; i < s->m->nbody; i++) {
      const ap_joint *j = &s->m->joint[i];
      const ap_body_def *def = &s->m->link[j->link];
      if (!has_range(j) || (j->leader != 0) != follower) continue;
      double a = (def->lower - j->offset) / j->ratio, b = (def->upper - j->offset) / j->ratio;
      double low = fmax(lower[j->v], fmin(a, b)), high = fmin(upper[j->v], fmax(a, b));
      if (low <= high) lower[j->v] = low, upper[j->v] = high;
    }
}

// Whether a whole turn of body i's joint leaves the pose as it is.
TEXT bool can_go_round(const ap_model *m, int i) {
  if (m->joint[i].type != AP_REVOLUTE) return false;
  for (int k = 1; k < m->nbody; k++)
    if (m->joint[k].leader == i) return false;
  return true;
}

// Whether x of body i's joint is in its range, if need be whole turns away, where it is put then.
TEXT bool turned_into_range(const search *s, int i, double *x) {
  double low = s->w->ik->lower[s->m->joint[i].v], high = s->w->ik->upper[s->m->joint[i].v];
  if (*x >= low && *x <= high) return true;
  if (!can_go_round(s->m, i)) return false;
  double turned = *x > high ? *x - two_pi * ceil((*x - high) / two_pi)
                            : *x + two_pi * ceil((low - *x) / two_pi);
  if (!(turned >= low && turned <= high)) return false;
  *x = turned;
  return true;
}

TEXT double nearest_edge(const search *s, int i, double x) {
  double low = s->w->ik->lower[s->m->joint[i].v], high = s->w->ik->upper[s->m->joint[i].v];
  return x > high ? high : low;
}

TEXT void bring_into_range(const search *s, double *q) {
  for (int i = 1; i < s->m->nbody; i++) {
    const ap_joint *j = &s->m->joint[i];
    if (j->leader || !has_range(j) || turned_into_range(s, i, &q[j->q])) continue;
    q[j->q] = nearest_edge(s, i, q[j->q]);
  }
}

// ---- error -------------------------------------------------------------------------------------

// e and |e|^2 at q.
TEXT double error_at(const search *s, const double *q, double e[6]) {
  double R[9], p[3];
  ap_kinematics(s->m, s->w, q, NULL, NULL);
  ap_frame_pose(s->m, s->w, s->frame, R, p);
  quaternion now = quaternion_of_matrix((mat3){load3(R), load3(R + 3), load3(R + 6)});
  vec3 far = sub(s->place, load3(p));
  vec3 turned = quaternion_log(quaternion_product(s->turn, conjugate(now)));
  store3(e, far), store3(e + 3, turned);
  return dot(far, far) + (s->rows == 6 ? dot(turned, turned) : 0);
}

// ---- one step ----------------------------------------------------------------------------------

TEXT double column_dot(const search *s, int k, const double *z) {
  double sum = 0;
  for (int r = 0; r < s->rows; r++) sum += s->w->ik->jacobian[r * s->m->nv + k] * z[r];
  return sum;
}

// Trace of J J^T.
TEXT double jacobian_square(const search *s) {
  double sum = 0;
  for (int k = 0; k < s->rows * s->m->nv; k++) sum += s->w->ik->jacobian[k] * s->w->ik->jacobian[k];
  return sum;
}

// x with A x = b by Cholesky, A of n rows in rows of 6; false where A is not positive definite.
TEXT bool solve_positive(int n, double A[6][6], const double *b, double *x) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = A[i][j];
      for (int k = 0; k < j; k++) sum -= A[i][k] * A[j][k];
      if (i == j && !(sum > 0)) return false;
      A[i][j] = i == j ? sqrt(sum) : sum / A[j][j];
    }
    x[i] = b[i];
    for (int k = 0; k < i; k++) x[i] -= A[i][k] * x[k];
    x[i] /= A[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= A[k][i] * x[k];
    x[i] /= A[i][i];
  }
  return true;
}

// z with (J F J^T + lambda 1) z = rest, F leaving out the joints on their edges.
TEXT bool damped_solve(const search *s, double lambda, const double *rest, double *z) {
  const double *J = s->w->ik->jacobian, *free = s->w->ik->y;
  int n = s->m->nv;
  double A[6][6] = {0};
  for (int i = 0; i < s->rows; i++)
    for (int j = 0; j <= i; j++) {
      A[i][j] = i == j ? lambda : 0;
      for (int k = 0; k < n; k++) A[i][j] += J[i * n + k] * J[j * n + k] * free[k];
    }
  return solve_positive(s->rows, A, rest, z);
}

// The free joint that a step takes furthest out of its range; 0 where all stay inside.
TEXT int furthest_outside(const search *s, const double *step, double *allowed) {
  int worst = 0;
  double most = 0;
  for (int i = 1; i < s->m->nbody; i++) {
    const ap_joint *j = &s->m->joint[i];
    if (j->leader || !has_range(j) || s->w->ik->y[j->v] == 0) continue;
    double to = s->q[j->q] + step[j->v];
    if (turned_into_range(s, i, &to)) continue;
    double edge = nearest_edge(s, i, to);
    if (fabs(to - edge) <= most) continue;
    worst = i, most = fabs(to - edge), *allowed = edge - s->q[j->q];
  }
  return worst;
}

// The damped step that takes off e, inside the ranges, in ik->x; false where the system is not
// positive definite.
TEXT bool find_step(const search *s, double lambda, const double e[6]) {
  double *step = s->w->ik->x, *free = s->w->ik->y, rest[6], z[6], allowed;
  for (int r = 0; r < 6; r++) rest[r] = e[r];
  for (int k = 0; k < s->m->nv; k++) free[k] = 1;
  for (;;) {
    if (!damped_solve(s, lambda, rest, z)) return false;
    for (int k = 0; k < s->m->nv; k++)
      if (free[k] != 0) step[k] = column_dot(s, k, z);
    int i = furthest_outside(s, step, &allowed);
    if (i == 0) return true;
    int k = s->m->joint[i].v;
    free[k] = 0, step[k] = allowed;
    for (int r = 0; r < s->rows; r++) rest[r] -= s->w->ik->jacobian[r * s->m->nv + k] * allowed;
  }
}

// The step with its bend: along dq the frame also moves by 1/2 dJ/dt dq, and that is asked of the
// joints too (geodesic acceleration, M. K. Transtrum and J. P. Sethna 2012). It follows curved
// valleys, as near a singular shoulder, where straight steps crawl. A bend that is not small
// against the step is more than the second order can tell, and is left out.
TEXT bool find_bent_step(const search *s, double lambda) {
  double *straight = s->w->ik->straight, *bent = s->w->ik->x, bend[6], e[6], off = 0, length = 0;
  if (!find_step(s, lambda, s->e)) return false;
  for (int k = 0; k < s->m->nv; k++) straight[k] = bent[k];
  ap_kinematics(s->m, s->w, s->q, straight, NULL);
  ap_frame_jacobian_dot_v(s->m, s->w, s->frame, AP_MIXED, bend);
  for (int r = 0; r < 6; r++) e[r] = s->e[r] - 0.5 * bend[r];
  bool found = find_step(s, lambda, e);
  for (int k = 0; k < s->m->nv; k++) {
    off += (bent[k] - straight[k]) * (bent[k] - straight[k]);
    length += straight[k] * straight[k];
  }
  if (found && off <= LARGEST_BEND * LARGEST_BEND * length) return true;
  for (int k = 0; k < s->m->nv; k++) bent[k] = straight[k];
  return true;
}

// Shorten the step where it turns a joint too far. Within a box, a shorter step stays inside.
TEXT void shorten(const search *s) {
  double most = 0;
  for (int i = 1; i < s->m->nbody; i++) {
    const ap_joint *j = &s->m->joint[i];
    for (int k = 0; k < j->nv; k++) {
      bool angle = s->w->angular[j->vi + k] && j->leader == 0;
      if (angle) most = fmax(most, fabs(s->w->ik->x[j->v + k]));
    }
  }
  if (most <= LARGEST_TURN) return;
  for (int k = 0; k < s->m->nv; k++) s->w->ik->x[k] *= LARGEST_TURN / most;
}

// |e|^2 - |e - J dq|^2, what a step should gain.
TEXT double predicted_gain(const search *s) {
  double gain = 0;
  for (int r = 0; r < s->rows; r++) {
    double moved = 0;
    for (int k = 0; k < s->m->nv; k++)
      moved += s->w->ik->jacobian[r * s->m->nv + k] * s->w->ik->x[k];
    gain += moved * (2 * s->e[r] - moved);
  }
  return gain;
}

// Try a step with the present damping and keep it if it gains. J must be that of s->q.
TEXT bool try_step(search *s, double trace) {
  double e[6] = {0}, square = INFINITY, ratio = 0;
  // Where the arm has too few joints J J^T is singular: rounding of it must not decide.
  double lambda = s->mu * s->square + 16 * DBL_EPSILON * trace;
  if (find_bent_step(s, lambda)) {
    shorten(s);
    ap_integrate(s->m, s->q, s->w->ik->x, s->w->ik->q);
    bring_into_range(s, s->w->ik->q);
    square = error_at(s, s->w->ik->q, e);
    ratio = (s->square - square) / predicted_gain(s);
  }
  if (!(square < s->square)) {
    s->mu = fmax(8 * s->mu, 1e-6);
    return false;
  }
  for (int k = 0; k < s->m->nq; k++) s->q[k] = s->w->ik->q[k];
  for (int r = 0; r < 6; r++) s->e[r] = e[r];
  s->square = square;
  if (ratio > 0.75) s->mu = fmax(s->mu / 8, s->least_mu);
  if (ratio < 0.25) s->mu = fmax(3 * s->mu, 1e-6);
  return true;
}

// ---- the search --------------------------------------------------------------------------------

// Whether body i's joint is on its edge, cannot go round, and would be driven outwards by g.
TEXT bool is_stopped(const search *s, int i, double g) {
  const ap_joint *j = &s->m->joint[i];
  if (!has_range(j)) return false;
  double x = s->q[j->q], beyond = nextafter(x, g > 0 ? INFINITY : -INFINITY);
  return !turned_into_range(s, i, &beyond);
}

// Whether no direction inside the ranges leads downhill, compared with what J could do at best.
TEXT bool is_stationary(const search *s, double trace) {
  double sum = 0;
  for (int i = 1; i < s->m->nbody; i++) {
    const ap_joint *j = &s->m->joint[i];
    for (int k = j->v; j->leader == 0 && k < j->v + j->nv; k++) {
      double g = column_dot(s, k, s->e);
      if (!is_stopped(s, i, g)) sum += g * g;
    }
  }
  return !(sum > STATIONARY * STATIONARY * trace * s->square);
}

// Steps until the error is small, nothing leads downhill (true), or *left runs out (false).
TEXT bool descend(search *s, int *left) {
  double limit = s->tolerance * s->tolerance, trace = 0;
  bool moved = true;
  s->square = error_at(s, s->q, s->e), s->mu = fmax(FIRST_MU, s->least_mu);
  while (s->square > limit) {
    if (moved) {
      ap_frame_jacobian(s->m, s->w, s->frame, AP_MIXED, s->w->ik->jacobian);
      trace = jacobian_square(s);
      if (is_stationary(s, trace)) return true;
    }
    if (s->mu > LARGEST_MU) return true;
    if (*left == 0) return false;
    --*left;
    moved = try_step(s, trace);
  }
  return true;
}

// Away from a stationary point: first by a small step that no symmetry of the arm has in common
// (multiples of the golden section), which leaves a saddle; then with the joints that their limits
// stop in the middle of their ranges; then with every joint at the mirror image in its range, as
// the elbow on the other side.
TEXT void nudge(const search *s, int number) {
  double *step = s->w->ik->x;
  for (int k = 0; k < s->m->nv; k++) {
    double x = 0.6180339887498949 * (k + 1) + 0.38 * number;
    step[k] = 0.2 * (x - floor(x) - 0.5);
  }
  for (int i = 1; i < s->m->nbody; i++) {
    const ap_joint *j = &s->m->joint[i];
    double low = s->w->ik->lower[j->v], high = s->w->ik->upper[j->v];
    if (j->leader || !has_range(j) || !isfinite(low) || !isfinite(high)) continue;
    double off_middle = s->q[j->q] - 0.5 * (low + high);
    bool on_edge = s->q[j->q] == low || s->q[j->q] == high;
    if (number == 1 && on_edge) step[j->v] -= off_middle;
    if (number == 2) step[j->v] -= 2 * off_middle;
  }
  ap_integrate(s->m, s->q, step, s->q);
  bring_into_range(s, s->q);
}

// Descend; away from a stationary point with an error left, try again from beside it. The best q
// comes out in s->q.
TEXT ap_status search_from(search *s, int *left) {
  double limit = s->tolerance * s->tolerance, best = INFINITY, *kept = s->w->ik->best;
  ap_status status = AP_E_NO_CONVERGENCE;
  for (int number = 0; number <= NUDGES; number++) {
    bool settled = descend(s, left);
    bool better = s->square < best * (1 - 1e-6);
    if (better) status = settled ? AP_E_UNREACHABLE : AP_E_NO_CONVERGENCE;
    if (s->square < best) {
      best = s->square;
      for (int k = 0; k < s->m->nq; k++) kept[k] = s->q[k];
    }
    if (best <= limit) status = AP_OK;
    if (best <= limit || !settled || *left == 0) break;
    if (better) number = 0; // a new place
    if (number == NUDGES) break;
    for (int k = 0; k < s->m->nq; k++) s->q[k] = kept[k];
    nudge(s, number);
  }
  for (int k = 0; k < s->m->nq; k++) s->q[k] = kept[k];
  return status;
}

TEXT bool are_finite(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

TEXT bool are_options(const ap_ik_options *o) {
  return o->cookie == AP_COOKIE && o->iterations >= 0 && o->tolerance >= 0 && o->damping >= 0 &&
         isfinite(o->damping);
}

ap_status ap_inverse_kinematics(const ap_model *m, ap_work *w, int frame, const double R[9],
                                const double p[3], const ap_ik_options *options, double *q,
                                ap_ik_result *result) {
  CHECK_WORK(m, w);
  if (!w->ik) return AP_E_UNSUPPORTED;
  if (frame < 0 || frame >= m->nframe || !are_options(options)) return AP_E_ARG;
  bool turn_given = R || !options->position_only;
  if (turn_given && (!R || !is_rotation(R))) return AP_E_ARG;
  if (!are_finite(3, p) || !are_finite(m->nq, q)) return AP_E_ARG;
  if (ap_normalize(m, q) != AP_OK) return AP_E_ARG;
  search s = {.m = m, .w = w, .frame = frame, .q = q, .place = load3(p)};
  s.turn = (quaternion){zero3(), 1};
  if (turn_given) s.turn = quaternion_of_matrix((mat3){load3(R), load3(R + 3), load3(R + 6)});
  s.rows = options->position_only ? 3 : 6;
  s.limited = options->respect_limits;
  // no more is asked for than rounding of the pose leaves
  s.tolerance = fmax(options->tolerance, 16 * DBL_EPSILON * (1 + sqrt(dot(s.place, s.place))));
  s.least_mu = options->damping;
  find_ranges(&s);
  bring_into_range(&s, q);
  int left = options->iterations;
  ap_status status = search_from(&s, &left);
  double e[6];
  error_at(&s, q, e); // and w holds the kinematics of the q that comes out
  if (result) {
    vec3 far = load3(e), turned = load3(e + 3);
    *result = (ap_ik_result){.iterations = options->iterations - left,
                             .position_error = sqrt(dot(far, far)),
                             .orientation_error = sqrt(dot(turned, turned))};
  }
  return status;
}
