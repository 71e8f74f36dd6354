// What a definition alone can be refused for. Every message names the body, the field, what is
// wrong and what would be right.

#include "model/check.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"

typedef struct check {
  const ap_robot_def *def;
  int *scratch; // 1 + nbody + nframe
  ap_error *error;
} check;

static const ap_body_def *body_of(const check *c, int body) { return &c->def->bodies[body - 1]; }

AP_PRINTF(3, 4)
static bool refuse_body(const check *c, int body, const char *format, ...) {
  char reason[256];
  va_list arguments;
  va_start(arguments, format);
  ap__compose(reason, sizeof reason, format, arguments);
  va_end(arguments);
  const char *name = body_of(c, body)->name;
  ap__refuse(c->error, AP_E_MODEL, "body \"%.*s\": %s", ap__shown(name), name, reason);
  return false;
}

AP_PRINTF(3, 4)
static bool refuse_frame(const check *c, int frame, const char *format, ...) {
  char reason[256];
  va_list arguments;
  va_start(arguments, format);
  ap__compose(reason, sizeof reason, format, arguments);
  va_end(arguments);
  const char *name = c->def->frames[frame].name;
  ap__refuse(c->error, AP_E_MODEL, "frame \"%.*s\": %s", ap__shown(name), name, reason);
  return false;
}

static bool one_dof(ap_joint_type type) { return type == AP_REVOLUTE || type == AP_PRISMATIC; }

// ---- numbers ----------------------------------------------------------------------------------

typedef struct field {
  const char *name;
  size_t offset; // in ap_body_def
  int n;
} field;

#define FIELD(member, n) \
  { #member, offsetof(ap_body_def, member), (n) }
#define END_OF_FIELDS \
  { NULL, 0, 0 }

static const field always_read[] = {
    FIELD(mass, 1),       FIELD(com, 3),     FIELD(inertia, 6),  FIELD(inertia_rpy, 3),
    FIELD(viscous, 1),    FIELD(coulomb, 1), FIELD(stiction, 1), FIELD(rotor_inertia, 1),
    FIELD(gear_ratio, 1), END_OF_FIELDS};
static const field read_for_rpy[] = {FIELD(place.xyz, 3), FIELD(place.rpy, 3), END_OF_FIELDS};
static const field read_for_matrix[] = {FIELD(place.xyz, 3), FIELD(place.matrix, 9), END_OF_FIELDS};
static const field read_for_dh[] = {FIELD(place.alpha, 1), FIELD(place.a, 1), FIELD(place.d, 1),
                                    FIELD(place.theta, 1), END_OF_FIELDS};
static const field read_for_axis[] = {FIELD(axis, 3), END_OF_FIELDS};
static const field read_for_mimic[] = {FIELD(mimic_ratio, 1), FIELD(mimic_offset, 1),
                                       END_OF_FIELDS};
static const field never_negative[] = {
    FIELD(mass, 1),          FIELD(viscous, 1),        FIELD(coulomb, 1),      FIELD(stiction, 1),
    FIELD(rotor_inertia, 1), FIELD(velocity_limit, 1), FIELD(effort_limit, 1), END_OF_FIELDS};

static const double *value_of(const ap_body_def *d, const field *f) {
  return (const double *)(const void *)((const char *)d + f->offset);
}

static bool are_finite(const check *c, int body, const field *f) {
  for (; f->name != NULL; f++) {
    const double *x = value_of(body_of(c, body), f);
    for (int i = 0; i < f->n; i++) {
      if (isfinite(x[i])) continue;
      if (f->n == 1) {
        return refuse_body(c, body, "%s is %g (it must be a finite number)", f->name, x[i]);
      }
      return refuse_body(c, body, "%s[%d] is %g (it must be a finite number)", f->name, i, x[i]);
    }
  }
  return true;
}

static bool are_not_negative(const check *c, int body, const field *f) {
  for (; f->name != NULL; f++) {
    double x = *value_of(body_of(c, body), f);
    if (!(x >= 0.0)) {
      return refuse_body(c, body, "%s is %g (it must be zero or more)", f->name, x);
    }
  }
  return true;
}

static bool check_limits(const check *c, int body) {
  const ap_body_def *d = body_of(c, body);
  if (isnan(d->lower) || d->lower == INFINITY) {
    return refuse_body(c, body, "lower is %g (it must be a number, or -infinity for no limit)",
                       d->lower);
  }
  if (isnan(d->upper) || d->upper == -INFINITY) {
    return refuse_body(c, body, "upper is %g (it must be a number, or infinity for no limit)",
                       d->upper);
  }
  if (d->lower > d->upper) {
    return refuse_body(c, body,
                       "lower is %g, above upper, which is %g (lower must not exceed upper)",
                       d->lower, d->upper);
  }
  return true;
}

// ---- joint and placement ----------------------------------------------------------------------

double ap__rotation_defect(const double R[9]) {
  double worst = 0.0;
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      double dot = R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j];
      double off = fabs(dot - (i == j ? 1.0 : 0.0));
      if (off > worst) worst = off;
    }
  }
  return worst;
}

static bool check_matrix(const check *c, int body) {
  const double *R = body_of(c, body)->place.matrix;
  double defect = ap__rotation_defect(R);
  if (defect > AP_ROTATION_ROUGH) {
    return refuse_body(c, body,
                       "place.matrix is not a rotation: R^T R differs from the identity by %.3g "
                       "(at most 1e-6 is mended)",
                       defect);
  }
  double det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
               R[2] * (R[3] * R[7] - R[4] * R[6]);
  if (det < 0.0) {
    return refuse_body(c, body, "place.matrix is a reflection (its determinant must be 1, not -1)");
  }
  return true;
}

static bool check_place(const check *c, int body) {
  switch (body_of(c, body)->place.kind) {
    case AP_PLACE_RPY: return are_finite(c, body, read_for_rpy);
    case AP_PLACE_MATRIX: return are_finite(c, body, read_for_matrix) && check_matrix(c, body);
    case AP_DH_MODIFIED:
    case AP_DH_STANDARD:
    case AP_DH_VALERA: return are_finite(c, body, read_for_dh);
  }
  return refuse_body(c, body, "place.kind is %d (it must be one of ap_placement_kind)",
                     (int)body_of(c, body)->place.kind);
}

// A spherical or free joint has no axis, and with Denavit-Hartenberg parameters the axis is z.
static bool check_axis(const check *c, int body) {
  const ap_body_def *d = body_of(c, body);
  bool reads_axis = one_dof(d->joint) || d->joint == AP_PLANAR;
  if (!reads_axis || d->place.kind > AP_PLACE_MATRIX) return true;
  if (!are_finite(c, body, read_for_axis)) return false;
  if (d->axis[0] != 0 || d->axis[1] != 0 || d->axis[2] != 0) return true;
  return refuse_body(c, body, "axis is %g %g %g (a moving joint needs a direction)", d->axis[0],
                     d->axis[1], d->axis[2]);
}

static bool check_drive(const check *c, int body) {
  static const field drive[] = {FIELD(viscous, 1), FIELD(coulomb, 1), FIELD(stiction, 1),
                                FIELD(rotor_inertia, 1), END_OF_FIELDS};
  const ap_body_def *d = body_of(c, body);
  if (d->stiction != 0.0 && d->stiction < d->coulomb) {
    return refuse_body(
        c, body,
        "stiction is %g, below coulomb, which is %g (it must be at least coulomb, or "
        "0 for the same)",
        d->stiction, d->coulomb);
  }
  if (one_dof(d->joint)) return true;
  for (const field *f = drive; f->name != NULL; f++) {
    double x = *value_of(d, f);
    if (x == 0.0) continue;
    return refuse_body(c, body, "%s is %g (only a revolute or prismatic joint can have it)",
                       f->name, x);
  }
  return true;
}

static bool check_body(const check *c, int body) {
  const ap_body_def *d = body_of(c, body);
  if (d->cookie != AP_COOKIE)
    return refuse_body(c, body, "it does not start from what ap_default_body() returns");
  if (d->parent < 0 || d->parent >= body) {
    return refuse_body(c, body,
                       "parent is %d (body %d may hang on 0, the ground, or on an earlier body)",
                       d->parent, body);
  }
  if ((int)d->joint < (int)AP_FIXED || (int)d->joint > (int)AP_FREE) {
    return refuse_body(c, body, "joint is %d (it must be one of ap_joint_type)", (int)d->joint);
  }
  return check_place(c, body) && check_axis(c, body) && are_finite(c, body, always_read) &&
         are_not_negative(c, body, never_negative) && check_limits(c, body) && check_drive(c, body);
}

// ---- mimic ------------------------------------------------------------------------------------

static bool check_follower(const check *c, int body) {
  const ap_body_def *d = body_of(c, body);
  if (d->mimic == 0) return true;
  if (d->mimic < 0 || d->mimic > c->def->nbody) {
    return refuse_body(c, body, "mimic is %d (it must be the number of a body, 1 to %d)", d->mimic,
                       c->def->nbody);
  }
  const ap_body_def *leader = body_of(c, d->mimic);
  if (!one_dof(d->joint)) {
    return refuse_body(c, body,
                       "mimic: its joint cannot follow \"%.*s\" (only a revolute or "
                       "prismatic joint can follow)",
                       ap__shown(leader->name), leader->name);
  }
  if (!one_dof(leader->joint)) {
    return refuse_body(c, body,
                       "mimic: it cannot follow \"%.*s\" (the leader's joint must be "
                       "revolute or prismatic)",
                       ap__shown(leader->name), leader->name);
  }
  if (!are_finite(c, body, read_for_mimic)) return false;
  if (d->mimic_ratio == 0.0) {
    return refuse_body(c, body,
                       "mimic_ratio is 0 (use a fixed joint for a body that does not move)");
  }
  return true;
}

// Walks every chain of followers once: seen[] holds the body at which the walk that came by began.
static bool check_mimic_cycles(const check *c) {
  int n = c->def->nbody;
  int *seen = c->scratch;
  for (int i = 0; i <= n; i++) seen[i] = 0;
  for (int start = 1; start <= n; start++) {
    int i = start;
    while (i != 0 && seen[i] == 0) {
      seen[i] = start;
      i = body_of(c, i)->mimic;
    }
    if (i != 0 && seen[i] == start) {
      return refuse_body(c, i,
                         "mimic: it follows itself, directly or through others (a chain of "
                         "followers must end at a joint that follows none)");
    }
  }
  return true;
}

// ---- names ------------------------------------------------------------------------------------

typedef const char *(*name_function)(const check *c, int i);

static const char *body_name(const check *c, int i) { return c->def->bodies[i].name; }
static const char *joint_name(const check *c, int i) {
  const ap_body_def *d = &c->def->bodies[i];
  return d->joint_name != NULL ? d->joint_name : d->name;
}
// Frames come after bodies, because they share the names.
static const char *frame_name(const check *c, int i) {
  int n = c->def->nbody;
  return i < n ? c->def->bodies[i].name : c->def->frames[i - n].name;
}

// By name, and by number where names are equal.
static bool comes_before(const check *c, name_function name, int a, int b) {
  int order = strcmp(name(c, a), name(c, b));
  return order != 0 ? order < 0 : a < b;
}

static void sift_down(const check *c, name_function name, int *heap, int root, int n) {
  for (;;) {
    int child = 2 * root + 1;
    if (child >= n) return;
    if (child + 1 < n && comes_before(c, name, heap[child], heap[child + 1])) child++;
    if (!comes_before(c, name, heap[root], heap[child])) return;
    int t = heap[root];
    heap[root] = heap[child];
    heap[child] = t;
    root = child;
  }
}

// The smallest number below n whose name an earlier one has, -1 if there is none; *first gets the
// earlier one. Heapsort, because comparing all pairs of a million names would take hours.
static int find_duplicate(const check *c, name_function name, int n, int *first) {
  int *heap = c->scratch;
  for (int i = 0; i < n; i++) heap[i] = i;
  for (int i = n / 2 - 1; i >= 0; i--) sift_down(c, name, heap, i, n);
  for (int end = n - 1; end > 0; end--) {
    int t = heap[0];
    heap[0] = heap[end];
    heap[end] = t;
    sift_down(c, name, heap, 0, end);
  }
  int found = -1;
  for (int i = 1; i < n; i++) {
    if (found >= 0 && heap[i] >= found) continue;
    if (strcmp(name(c, heap[i - 1]), name(c, heap[i])) != 0) continue;
    found = heap[i];
    *first = heap[i - 1];
  }
  return found;
}

static bool check_names_present(const check *c) {
  for (int i = 0; i < c->def->nbody; i++) {
    const char *name = c->def->bodies[i].name;
    if (name == NULL || name[0] == '\0') {
      ap__refuse(c->error, AP_E_MODEL, "body %d: name is missing (every body needs its own)",
                 i + 1);
      return false;
    }
    const char *joint = c->def->bodies[i].joint_name;
    if (joint != NULL && joint[0] == '\0') {
      return refuse_body(c, i + 1,
                         "joint_name is empty (use NULL to give the joint the body's name)");
    }
  }
  for (int i = 0; i < c->def->nframe; i++) {
    const char *name = c->def->frames[i].name;
    if (name != NULL && name[0] != '\0') continue;
    ap__refuse(c->error, AP_E_MODEL, "frame %d: name is missing (every frame needs its own)", i);
    return false;
  }
  return true;
}

static bool check_names_unique(const check *c) {
  int nbody = c->def->nbody;
  int first = 0;
  int found = find_duplicate(c, body_name, nbody, &first);
  if (found >= 0) {
    return refuse_body(c, found + 1,
                       "name: bodies %d and %d have the same (names must be unique "
                       "among bodies)",
                       first + 1, found + 1);
  }
  found = find_duplicate(c, joint_name, nbody, &first);
  if (found >= 0) {
    const char *name = joint_name(c, found);
    const char *other = body_name(c, first);
    return refuse_body(c, found + 1,
                       "joint_name \"%.*s\" is also that of body \"%.*s\" (names must "
                       "be unique among joints)",
                       ap__shown(name), name, ap__shown(other), other);
  }
  found = find_duplicate(c, frame_name, nbody + c->def->nframe, &first);
  if (found < 0) return true;
  return refuse_frame(c, found - nbody,
                      "name is also that of %s (names must be unique among frames "
                      "and bodies)",
                      first < nbody ? "a body" : "an earlier frame");
}

// ---- the whole --------------------------------------------------------------------------------

static bool check_frame(const check *c, int frame) {
  const ap_frame_def *f = &c->def->frames[frame];
  if (f->body < 0 || f->body > c->def->nbody) {
    return refuse_frame(c, frame, "body is %d (it must be the number of a body, 0 to %d)", f->body,
                        c->def->nbody);
  }
  for (int i = 0; i < 3; i++) {
    if (!isfinite(f->xyz[i])) {
      return refuse_frame(c, frame, "xyz[%d] is %g (it must be a finite number)", i, f->xyz[i]);
    }
    if (!isfinite(f->rpy[i])) {
      return refuse_frame(c, frame, "rpy[%d] is %g (it must be a finite number)", i, f->rpy[i]);
    }
  }
  return true;
}

bool ap__check_counts(const ap_robot_def *def, ap_error *error) {
  if (def == NULL) {
    ap__refuse(error, AP_E_ARG, "no robot definition was given");
    return false;
  }
  if (!AP_STARTS_FROM(ap_default_robot, def, error)) return false;
  if (def->nbody < 0 || def->nbody > AP_COUNT_MAX) {
    ap__refuse(error, AP_E_MODEL, "nbody is %d (it must be 0 to %d)", def->nbody, AP_COUNT_MAX);
    return false;
  }
  if (def->nframe < 0 || def->nframe > AP_COUNT_MAX) {
    ap__refuse(error, AP_E_MODEL, "nframe is %d (it must be 0 to %d)", def->nframe, AP_COUNT_MAX);
    return false;
  }
  if ((def->nbody > 0 && def->bodies == NULL) || (def->nframe > 0 && def->frames == NULL)) {
    ap__refuse(error, AP_E_ARG, "%s is NULL although its count is not zero",
               def->nbody > 0 && def->bodies == NULL ? "bodies" : "frames");
    return false;
  }
  return true;
}

bool ap__check_definition(const ap_robot_def *def, int *scratch, ap_error *error) {
  check c = {def, scratch, error};
  if (!check_names_present(&c)) return false; // first, because messages quote names
  for (int i = 0; i < 3; i++) {
    if (isfinite(def->gravity[i])) continue;
    ap__refuse(error, AP_E_MODEL, "gravity[%d] is %g (it must be a finite number)", i,
               def->gravity[i]);
    return false;
  }
  for (int body = 1; body <= def->nbody; body++) {
    if (!check_body(&c, body)) return false;
  }
  for (int body = 1; body <= def->nbody; body++) {
    if (!check_follower(&c, body)) return false;
  }
  for (int frame = 0; frame < def->nframe; frame++) {
    if (!check_frame(&c, frame)) return false;
  }
  return check_mimic_cycles(&c) && check_names_unique(&c);
}
