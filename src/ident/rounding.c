// SPDX-License-Identifier: Apache-2.0
// Angles that a file rounds, and what that does to the regressor.
//
// Robots are built with right angles, files print them with a few digits: rpy="3.1416 0 0" tilts an
// axis by 7e-6 rad, and parameters that no motion shows then show in the sixth digit of a force. An
// angle near a multiple of pi / 12, but not on it, is taken for such a number. How far the worst of
// them is off is the rounding of the model. All of them moved by four times as much, each way at
// random, show which part of the regressor says nothing.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/ident.h"
#include "model/frozen.h"

// Farther from a multiple of pi / 12 an angle is meant as it is; nearer than EXACT it is one.
#define ROUNDED 2e-5
#define EXACT   1e-12
// How much more than the rounding the angles are moved by: what follows from them is in proportion.
#define FACTOR 4.0
// Models with moved angles.
enum { DRAWS = 3 };

// ---- angles ------------------------------------------------------------------------------------

// How far x is from what it was rounded from; 0 where it was not.
static double off_angle(double x) {
  const double step = acos(-1.0) / 12;
  double off = fabs(x - step * round(x / step));
  return off > EXACT && off < ROUNDED ? off : 0;
}

// The same of a sine or cosine. One is not among them: it changes with the square.
static double off_cosine(double x) {
  const double nice[] = {0, 0.5, sqrt(0.5), sqrt(0.75)};
  for (int k = 0; k < 4; k++) {
    double off = fabs(fabs(x) - nice[k]);
    if (off > EXACT && off < ROUNDED) return off;
  }
  return 0;
}

static double off_of_link(const ap_body_def *b) {
  const ap_placement *at = &b->place;
  double most = 0;
  for (int k = 0; k < 3 && at->kind == AP_PLACE_RPY; k++) most = fmax(most, off_angle(at->rpy[k]));
  for (int k = 0; k < 9 && at->kind == AP_PLACE_MATRIX; k++)
    most = fmax(most, off_cosine(at->matrix[k]));
  if (at->kind == AP_PLACE_RPY || at->kind == AP_PLACE_MATRIX) {
    for (int k = 0; k < 3; k++) most = fmax(most, off_cosine(b->axis[k]));
  } else {
    most = fmax(off_angle(at->alpha), off_angle(at->theta));
  }
  return most;
}

double ap__rounding_of(const ap_model *m) {
  double most = 0;
  for (int i = 1; i < m->nlink; i++) most = fmax(most, off_of_link(&m->link[i]));
  return most;
}

static double either(ap__random *r, double x) { return ap__uniform(r, -1, 1) < 0 ? -x : x; }

// Angles of zero are not rounded: they stay.
static void move_angle(ap__random *r, double by, double *x) {
  if (*x != 0 && (off_angle(*x) > 0 || off_angle(*x + 2 * EXACT) > 0)) *x += either(r, by);
}

static void move_link(ap__random *r, double by, ap_body_def *b) {
  ap_placement *at = &b->place;
  if (at->kind == AP_PLACE_RPY) {
    for (int k = 0; k < 3; k++) move_angle(r, by, &at->rpy[k]);
  } else if (at->kind == AP_PLACE_MATRIX && off_of_link(b) > 0) {
    double turn[3], old[9];
    memcpy(old, at->matrix, sizeof old);
    for (int k = 0; k < 3; k++) turn[k] = either(r, by);
    for (int c = 0; c < 3; c++) // + turn x column
      for (int i = 0; i < 3; i++)
        at->matrix[3 * i + c] += turn[(i + 1) % 3] * old[3 * ((i + 2) % 3) + c] -
                                 turn[(i + 2) % 3] * old[3 * ((i + 1) % 3) + c];
  } else {
    move_angle(r, by, &at->alpha), move_angle(r, by, &at->theta);
  }
  for (int k = 0; k < 3; k++)
    if (off_cosine(b->axis[k]) > 0) b->axis[k] += either(r, by);
}

// ---- the regressor -----------------------------------------------------------------------------

// A copy of a model with other angles.
typedef struct moved {
  ap_body_def *body;
  void *memory, *room;
  ap_model *m;
  ap_work *w;
} moved;

static void moved_free(moved *o) { free(o->body), free(o->memory), free(o->room); }

static bool moved_make(moved *o, const ap_model *m, double by, ap__random *r) {
  ap_robot_def def = ap_default_robot();
  *o = (moved){.body = malloc((size_t)m->nlink * sizeof *o->body)};
  if (!o->body) return false;
  memcpy(o->body, m->link + 1, (size_t)(m->nlink - 1) * sizeof *o->body);
  for (int i = 0; i < m->nlink - 1; i++) move_link(r, by, &o->body[i]);
  def.bodies = o->body, def.nbody = m->nlink - 1;
  memcpy(def.gravity, m->gravity, sizeof def.gravity);
  size_t size = ap_model_size(&def);
  o->memory = malloc(size);
  o->m = o->memory ? ap_model_init(&def, o->memory, size, NULL) : NULL;
  size = o->m ? ap_work_size(o->m) : 0;
  o->room = o->m ? malloc(size) : NULL;
  o->w = o->room ? ap_work_init(o->m, o->room, size) : NULL;
  return o->w != NULL;
}

// Rows of the difference between both regressors, in random states.
static void add_differences(ap_ident *id, moved *o, double *K, double *state, ap_reduction *r) {
  ap__random random = {1};
  double *q = state, *v = q + id->nq, *a = v + id->nv, *zero = a + id->nv;
  const size_t size = ap__row(id->nv, id->width);
  for (int k = 0; k < 2 * id->np; k++) {
    ap__random_state(&random, id->m, q, v, a);
    ap__ident_limit_state(id, &random, q, v, a);
    ap_regressor(id->m, id->w, q, v, a, id->K);
    ap_regressor(o->m, o->w, q, v, a, K);
    for (size_t i = 0; i < size; i++) K[i] -= id->K[i];
    ap__reduction_add(r, K, q, zero, zero, zero);
  }
}

ap_status ap__rounding_effect(ap_ident *id, double rounding, double *D, ap_error *error) {
  ap_reduction *r = NULL;
  ap__random random = {2};
  size_t numbers = (size_t)id->nq + 3 * (size_t)id->nv;
  double *state = calloc(numbers, sizeof *state);
  double *K = malloc(ap__row(id->nv, id->width) * sizeof *K + 1);
  ap_status status = state && K ? AP_OK : ap__no_memory(error);
  if (!status) status = ap_reduction_create(id, 1, &r, error);
  for (int k = 0; !status && k < DRAWS; k++) {
    moved o;
    if (moved_make(&o, id->m, FACTOR * rounding, &random))
      add_differences(id, &o, K, state, r);
    else
      status = ap__no_memory(error);
    moved_free(&o);
  }
  if (!status && ap__reduction_gather(r, NULL, -1, D)) status = ap__no_memory(error);
  double rows = DRAWS * 2.0 * id->np;
  for (int i = 0; !status && i <= id->np; i++)
    for (int k = 0; k <= id->np; k++) { // no angle changes what drives do
      double *x = &D[ap__row(i, id->np + 1) + (size_t)k];
      *x = i < 10 * id->bodies && k < 10 * id->bodies ? *x / sqrt(rows) : 0;
    }
  free(state), free(K), ap_reduction_free(r);
  return status;
}
