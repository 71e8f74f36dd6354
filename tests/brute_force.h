// SPDX-License-Identifier: Apache-2.0
// A judge of the simulator that knows nothing of it: where a contact point of a small robot is at
// any time, in long double, and when it first enters a wall, by brute force.
//
// Motions are closed forms: a point mass on a parabola, a fan (one joint, no gravity), a balanced
// rotor on an arm, a free body whose inertia is that of a ball. Pendulums have equations of their
// own here and the classical Runge-Kutta method in tiny steps.
//
// Looking for walls: no point moves farther than speed times time, and brute_clear() is never more
// than the distance. So a step of 0.7 clear / speed crosses nothing. Close to a wall steps are a
// tenth of its thickness, so that no wall is jumped over, and least gaps between samples are
// refined by golden section.

#ifndef AP_TESTS_BRUTE_FORCE_H
#define AP_TESTS_BRUTE_FORCE_H

#include "brute_force_walls.h"

enum { BRUTE_LINKS = 3, BRUTE_STEPS = 8192, BRUTE_MAYBE = 32, BRUTE_MOST = 400000 };

#define BRUTE_STEP 1e-4L // s, steps of pendulums: (10 rad/s * 1e-4 s)^4 is 1e-12

typedef enum brute_kind {
  BRUTE_POINT, // three slides along x, y, z
  BRUTE_FAN,   // one joint about an axis
  BRUTE_ROTOR, // a joint about z, and a second one about z at the end of its arm, balanced
  BRUTE_FREE,  // a free joint, inertia of a ball
  BRUTE_CHAIN  // a pendulum of up to three rods that turn about y
} brute_kind;

typedef struct brute_motion {
  brute_kind kind;
  int n;                       // links of a pendulum
  ld mass, moment[2];          // point, free body: mass; moments about the axes of rotation
  ld pivot[3], axis[3], at[3]; // fan, rotor: the joint; the contact point in its link
  ld arm;                      // rotor: length of the arm
  ld length[BRUTE_LINKS], com[BRUTE_LINKS], rod[BRUTE_LINKS], inertia[BRUTE_LINKS];
  ld gravity[3];
  // one flight
  ld q[7], v[6];                           // where it starts, coordinates of the simulator
  ld turn, about[3], offset[3], centre[3]; // free body: rate and axis of spin, world
  ld speed;                                // bound on the speed of the contact point
  int steps;
  ld state[BRUTE_STEPS + 1][2 * BRUTE_LINKS]; // pendulum: absolute angles and rates, each step
} brute_motion;

// Rodrigues' formula.
static inline void brute_turn(const ld *axis, ld angle, const ld *x, ld *out) {
  ld c = cosl(angle), s = sinl(angle), along = dot3(axis, x), across[3];
  cross3(axis, x, across);
  for (int k = 0; k < 3; k++) out[k] = c * x[k] + s * across[k] + (1 - c) * along * axis[k];
}

// ---- pendulums ---------------------------------------------------------------------------------

// Solve A x = b in place, n up to 3, partial pivoting.
static inline void brute_solve(int n, ld A[BRUTE_LINKS][BRUTE_LINKS], ld *b) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabsl(A[i][k]) > fabsl(A[best][k])) best = i;
    for (int j = 0; j < n; j++) {
      ld keep = A[k][j];
      A[k][j] = A[best][j], A[best][j] = keep;
    }
    ld keep = b[k];
    b[k] = b[best], b[best] = keep;
    for (int i = k + 1; i < n; i++) {
      ld f = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= f * A[k][j];
      b[i] -= f * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
}

// What the masses beyond joint i and j weigh: sum over links k >= max(i, j) of m_k l_ki l_kj, with
// l_ki the length of link i, or the place of its centre where k is i itself.
static inline ld brute_lever(const brute_motion *m, int i, int j) {
  ld sum = i == j ? m->inertia[i] : 0;
  for (int k = i > j ? i : j; k < m->n; k++)
    sum += m->rod[k] * (k == i ? m->com[i] : m->length[i]) * (k == j ? m->com[j] : m->length[j]);
  return sum;
}

static inline void brute_inertia(const brute_motion *m, const ld *angle,
                                 ld M[BRUTE_LINKS][BRUTE_LINKS]) {
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < m->n; j++) M[i][j] = brute_lever(m, i, j) * cosl(angle[i] - angle[j]);
}

// Absolute angles from the vertical:
//   sum_j M_ij cos(i - j) a_j + M_ij sin(i - j) w_j^2 + g sin(i) sum_k m_k l_ki = 0.
static inline void brute_swing(const brute_motion *m, const ld *y, ld *dy) {
  ld M[BRUTE_LINKS][BRUTE_LINKS], b[BRUTE_LINKS];
  const ld *w = y + m->n, g = -m->gravity[2];
  brute_inertia(m, y, M);
  for (int i = 0; i < m->n; i++) {
    ld weight = 0;
    for (int k = i; k < m->n; k++) weight += m->rod[k] * (k == i ? m->com[i] : m->length[i]);
    b[i] = -g * weight * sinl(y[i]);
    for (int j = 0; j < m->n; j++)
      if (j != i) b[i] -= brute_lever(m, i, j) * sinl(y[i] - y[j]) * w[j] * w[j];
  }
  brute_solve(m->n, M, b);
  for (int i = 0; i < m->n; i++) dy[i] = w[i], dy[m->n + i] = b[i];
}

static inline void brute_rk4(const brute_motion *m, const ld *y, ld h, ld *out) {
  ld k[4][2 * BRUTE_LINKS], z[2 * BRUTE_LINKS];
  int n = 2 * m->n;
  brute_swing(m, y, k[0]);
  for (int s = 1; s < 4; s++) {
    for (int i = 0; i < n; i++) z[i] = y[i] + (s < 3 ? h / 2 : h) * k[s - 1][i];
    brute_swing(m, z, k[s]);
  }
  for (int i = 0; i < n; i++) out[i] = y[i] + h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
}

static inline void brute_chain_state(const brute_motion *m, ld t, ld *y) {
  int i = (int)(t / BRUTE_STEP);
  if (i > m->steps) i = m->steps;
  brute_rk4(m, m->state[i], t - i * BRUTE_STEP, y);
}

static inline void brute_launch_chain(brute_motion *m, ld duration) {
  ld fastest[BRUTE_LINKS] = {0}, angle = 0, rate = 0;
  for (int k = 0; k < m->n; k++)
    m->state[0][k] = angle += m->q[k], m->state[0][m->n + k] = rate += m->v[k];
  m->steps = (int)(duration / BRUTE_STEP) + 1;
  if (m->steps > BRUTE_STEPS) m->steps = BRUTE_STEPS;
  for (int i = 0; i < m->steps; i++) brute_rk4(m, m->state[i], BRUTE_STEP, m->state[i + 1]);
  m->speed = 0;
  for (int k = 0; k < m->n; k++) {
    for (int i = 0; i <= m->steps; i++)
      fastest[k] = fmaxl(fastest[k], fabsl(m->state[i][m->n + k]));
    m->speed += 1.01L * m->length[k] * fastest[k];
  }
}

// ---- flights -----------------------------------------------------------------------------------

static inline void brute_launch_free(brute_motion *m, ld duration) {
  ld x = m->q[3], y = m->q[4], z = m->q[5], w = m->q[6], s = 2 / (x * x + y * y + z * z + w * w);
  ld R[3][3] = {{1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
                {s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
                {s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}};
  ld end[3];
  for (int k = 0; k < 3; k++) {
    m->offset[k] = dot3(R[k], m->at);
    m->centre[k] = dot3(R[k], m->v); // velocity of the centre
    m->about[k] = dot3(R[k], m->v + 3);
    end[k] = m->centre[k] + m->gravity[k] * duration;
  }
  m->turn = norm3(m->about);
  for (int k = 0; k < 3; k++) m->about[k] = m->turn > 0 ? m->about[k] / m->turn : k == 2;
  m->speed = fmaxl(norm3(m->centre), norm3(end)) + m->turn * norm3(m->at);
}

// Begin a flight from a state of the simulator.
static inline void brute_launch(brute_motion *m, const double *q, const double *v, ld duration) {
  static const int nq[] = {3, 1, 2, 7, 0}, nv[] = {3, 1, 2, 6, 0};
  bool chain = m->kind == BRUTE_CHAIN;
  for (int k = 0; k < (chain ? m->n : nq[m->kind]); k++) m->q[k] = q[k];
  for (int k = 0; k < (chain ? m->n : nv[m->kind]); k++) m->v[k] = v[k];
  if (m->kind == BRUTE_POINT) {
    ld end[3];
    for (int k = 0; k < 3; k++) end[k] = m->v[k] + m->gravity[k] * duration;
    m->speed = fmaxl(norm3(m->v), norm3(end)); // the speed is convex in time
  } else if (m->kind == BRUTE_FAN) {
    m->speed = fabsl(m->v[0]) * norm3(m->at);
  } else if (m->kind == BRUTE_ROTOR) {
    m->speed = fabsl(m->v[0]) * m->arm + fabsl(m->v[0] + m->v[1]) * norm3(m->at);
  } else if (m->kind == BRUTE_FREE) {
    brute_launch_free(m, duration);
  } else {
    brute_launch_chain(m, duration);
  }
}

// Place and velocity of the contact point at time t of the flight.
static inline void brute_at(const brute_motion *m, ld t, ld p[3], ld pd[3]) {
  static const ld z[3] = {0, 0, 1};
  ld r[3], d[3], y[2 * BRUTE_LINKS];
  switch (m->kind) {
    case BRUTE_POINT:
      for (int k = 0; k < 3; k++) pd[k] = m->v[k] + m->gravity[k] * t;
      for (int k = 0; k < 3; k++) p[k] = m->q[k] + t * (m->v[k] + pd[k]) / 2;
      break;
    case BRUTE_FAN:
      brute_turn(m->axis, m->q[0] + m->v[0] * t, m->at, r);
      cross3(m->axis, r, d);
      for (int k = 0; k < 3; k++) p[k] = m->pivot[k] + r[k], pd[k] = m->v[0] * d[k];
      break;
    case BRUTE_ROTOR: {
      ld one = m->q[0] + m->v[0] * t, rate = m->v[0] + m->v[1];
      brute_turn(z, m->q[0] + m->q[1] + rate * t, m->at, r);
      ld arm[3] = {m->arm * cosl(one), m->arm * sinl(one), 0};
      for (int k = 0; k < 3; k++) p[k] = m->pivot[k] + arm[k] + r[k];
      pd[0] = -m->v[0] * arm[1] - rate * r[1], pd[1] = m->v[0] * arm[0] + rate * r[0], pd[2] = 0;
      break;
    }
    case BRUTE_FREE:
      brute_turn(m->about, m->turn * t, m->offset, r);
      cross3(m->about, r, d);
      for (int k = 0; k < 3; k++) {
        p[k] = m->q[k] + t * (m->centre[k] + m->gravity[k] * t / 2) + r[k];
        pd[k] = m->centre[k] + m->gravity[k] * t + m->turn * d[k];
      }
      break;
    case BRUTE_CHAIN:
      brute_chain_state(m, t, y);
      for (int k = 0; k < 3; k++) p[k] = pd[k] = 0;
      for (int k = 0; k < m->n; k++) {
        ld s = m->length[k] * sinl(y[k]), c = m->length[k] * cosl(y[k]), w = y[m->n + k];
        p[0] -= s, p[2] -= c, pd[0] -= c * w, pd[2] += s * w;
      }
      break;
  }
}

// ---- impacts -----------------------------------------------------------------------------------

// What an impulse of 1 N s along n at the point does at time t: `change` to the velocities v, those
// of the simulator but for a free body, whose are along the world's axes. Returns the change of the
// point's own velocity along n.
static inline ld brute_response(const brute_motion *m, ld t, const ld *n, ld *v, ld *change) {
  ld p[3], pd[3], r[3], d[3], y[2 * BRUTE_LINKS], M[BRUTE_LINKS][BRUTE_LINKS];
  brute_at(m, t, p, pd);
  if (m->kind == BRUTE_POINT) {
    for (int k = 0; k < 3; k++) v[k] = pd[k], change[k] = n[k] / m->mass;
    return 1 / m->mass;
  }
  if (m->kind == BRUTE_FAN) {
    for (int k = 0; k < 3; k++) r[k] = p[k] - m->pivot[k];
    cross3(m->axis, r, d);
    v[0] = m->v[0], change[0] = dot3(d, n) / m->moment[0];
    return change[0] * dot3(d, n);
  }
  if (m->kind == BRUTE_ROTOR) { // the inertia is diagonal in the absolute angles
    ld one = m->q[0] + m->v[0] * t, arm[2] = {m->arm * cosl(one), m->arm * sinl(one)};
    for (int k = 0; k < 2; k++) r[k] = p[k] - m->pivot[k] - arm[k];
    ld J[2] = {n[1] * arm[0] - n[0] * arm[1], n[1] * r[0] - n[0] * r[1]};
    v[0] = m->v[0], v[1] = m->v[1];
    change[0] = J[0] / m->moment[0];
    change[1] = J[1] / m->moment[1] - change[0];
    return J[0] * J[0] / m->moment[0] + J[1] * J[1] / m->moment[1];
  }
  if (m->kind == BRUTE_FREE) {
    brute_turn(m->about, m->turn * t, m->offset, r);
    cross3(r, n, d);
    for (int k = 0; k < 3; k++) {
      v[k] = m->centre[k] + m->gravity[k] * t, v[3 + k] = m->turn * m->about[k];
      change[k] = n[k] / m->mass, change[3 + k] = d[k] / m->moment[0];
    }
    return 1 / m->mass + dot3(d, d) / m->moment[0];
  }
  ld along = 0, J[BRUTE_LINKS];
  brute_chain_state(m, t, y);
  brute_inertia(m, y, M);
  for (int k = 0; k < m->n; k++)
    J[k] = change[k] = m->length[k] * (n[2] * sinl(y[k]) - n[0] * cosl(y[k]));
  brute_solve(m->n, M, change);
  for (int k = m->n - 1; k >= 0; k--) {
    along += J[k] * change[k];
    v[k] = y[m->n + k] - (k > 0 ? y[m->n + k - 1] : 0);
  }
  for (int k = m->n - 1; k > 0; k--) change[k] -= change[k - 1];
  return along;
}

// ---- first touch -------------------------------------------------------------------------------

// A least gap of the path that is within the band: neither clearly a hit nor a miss.
typedef struct brute_maybe {
  int wall;
  ld t, c; // c below 0: so deep
} brute_maybe;

typedef struct brute_forecast {
  int wall; // first clear hit; -1: none
  ld t;
  int n;
  brute_maybe maybe[BRUTE_MAYBE]; // before that
  long evaluations;
  bool unsure; // too many samples, or a start that is too flat to be told
} brute_forecast;

typedef struct brute_search {
  const brute_motion *m;
  const brute_wall *w;
  int wall;
  ld band, end;
  brute_forecast *out;
} brute_search;

static inline ld brute_gap_at(const brute_search *s, ld t) {
  ld p[3], pd[3];
  s->out->evaluations++;
  brute_at(s->m, t, p, pd);
  return brute_gap(s->w, p, NULL);
}

// The least gap in [a, b], golden section.
static inline ld brute_least(const brute_search *s, ld a, ld b, ld *at) {
  const ld part = 0.381966011250105151795L;
  ld x = a + part * (b - a), y = b - part * (b - a);
  ld cx = brute_gap_at(s, x), cy = brute_gap_at(s, y);
  for (int k = 0; k < 60; k++) {
    if (cx < cy)
      b = y, y = x, cy = cx, x = a + part * (b - a), cx = brute_gap_at(s, x);
    else
      a = x, x = y, cx = cy, y = b - part * (b - a), cy = brute_gap_at(s, y);
  }
  *at = cx < cy ? x : y;
  return fminl(cx, cy);
}

// Outside at a, inside at b.
static inline ld brute_root(const brute_search *s, ld a, ld b) {
  for (int k = 0; k < 70; k++) {
    ld mid = a + (b - a) / 2;
    *(brute_gap_at(s, mid) > 0 ? &a : &b) = mid;
  }
  return b;
}

static inline void brute_note(brute_search *s, ld t, ld c) {
  if (s->out->n < BRUTE_MAYBE)
    s->out->maybe[s->out->n++] = (brute_maybe){s->wall, t, c};
  else
    s->out->unsure = true;
}

// Inside from `root` on: true for a clear hit, else *t is where the path has left the wall again.
static inline bool brute_enters(brute_search *s, ld root, ld *t) {
  ld h = s->band / (4 * s->m->speed), before = root, now = root, c = 0, last = 0, least = 0, at;
  bool turned = false;
  while (c > -s->band) {
    ld next = now + h;
    last = c, c = brute_gap_at(s, next);
    if (c >= last && !turned) least = brute_least(s, before, next, &at), turned = true;
    if (turned && least < -s->band) break;
    if (turned && c > 0) {
      brute_note(s, at, least);
      *t = next;
      return false;
    }
    before = now, now = next, h *= 1.3L;
    if (now > s->end + 1) break;
  }
  s->out->wall = s->wall, s->out->t = root;
  s->end = root;
  return true;
}

// Where to begin on a wall that the point leaves: when it is two bands off.
static inline bool brute_leave(brute_search *s, ld *t) {
  ld p[3], pd[3], g[3];
  brute_at(s->m, 0, p, pd);
  brute_gap(s->w, p, g);
  ld rate = dot3(g, pd);
  *t = 2 * s->band / rate;
  if (!(rate > 0) || *t > s->end) return false;
  return brute_gap_at(s, *t) > s->band;
}

static inline void brute_search_wall(brute_search *s, bool leaves) {
  ld t = 0, floor = s->w->thin / 10, p[3], pd[3];
  if (leaves && !brute_leave(s, &t)) {
    s->out->unsure = true;
    return;
  }
  ld ta = t, ca = INFINITY, tb = t, cb = brute_gap_at(s, t);
  while (tb < s->end && !s->out->unsure) {
    brute_at(s->m, tb, p, pd);
    ld clear = brute_clear(s->w, p), tc = tb + fmaxl(0.7L * clear, floor) / s->m->speed;
    if (tc > s->end) tc = s->end;
    ld cc = brute_gap_at(s, tc), at, least;
    if (s->out->evaluations > BRUTE_MOST) s->out->unsure = true;
    bool valley = clear < 2 * floor && cb <= ca && cb <= cc && cc > 0;
    if (valley && (least = brute_least(s, ta, tc, &at)) < s->band) {
      if (least > -s->band)
        brute_note(s, at, least);
      else if (brute_enters(s, brute_root(s, cb > 0 && at > tb ? tb : ta, at), &tc))
        return;
    } else if (cc <= 0) {
      if (brute_enters(s, brute_root(s, tb, tc), &tc)) return;
      cc = brute_gap_at(s, tc);
      tb = tc, cb = INFINITY;
    }
    ta = tb, ca = cb, tb = tc, cb = cc;
  }
}

// What becomes of a flight among walls. leaving: the wall that it starts from, -1 for none.
static inline brute_forecast brute_foresee(const brute_motion *m, int nwall, const brute_wall *w,
                                           int leaving, ld band, ld duration) {
  brute_forecast f = {.wall = -1, .t = duration};
  for (int k = 0; k < nwall && m->speed > 0; k++) {
    brute_search s = {m, &w[k], k, band, f.t, &f};
    brute_search_wall(&s, k == leaving);
    if (f.unsure) break;
  }
  return f;
}

#endif
