// SPDX-License-Identifier: Apache-2.0
// What a definition alone can be refused for. Every message names the body, the field, what is
// wrong and what would be right.

#include "model/check.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

typedef struct check {
  const ap_robot_def *def;
  int *scratch; // 1 + nbody + nframe
  ap_error *error;
} check;

static const ap_body_def *body_of(const check *c, int body) { return &c->def->bodies[body - 1]; }

// The reason to refuse body `at`, or frame at - nbody - 1; 0: the robot.
AP_PRINTF(3, 4)
static bool refuse(const check *c, int at, const char *format, ...) {
  char reason[256];
  int frame = at - c->def->nbody - 1;
  va_list arguments;
  va_start(arguments, format);
  ap__compose(reason, sizeof reason, format, arguments);
  va_end(arguments);
  const char *name = frame >= 0 ? c->def->frames[frame].name : at > 0 ? body_of(c, at)->name : "";
  ap__refuse(c->error, AP_E_MODEL, at > 0 ? "%s \"%.*s\": %s" : "%s%.*s%s",
             at == 0      ? ""
             : frame >= 0 ? "frame"
                          : "body",
             ap__shown(name), name, reason);
  return false;
}

// False, with one reason for several fields.
__attribute__((noinline)) static bool is_one_of(const check *c, int at, const char *field,
                                                int value, const char *type) {
  return refuse(c, at, "%s is %d (it must be one of %s)", field, value, type);
}
__attribute__((noinline)) static bool is_body(const check *c, int at, const char *field, int value,
                                              int least) {
  return (value >= least && value <= c->def->nbody) ||
         refuse(c, at, "%s is %d (it must be the number of a body, %d to %d)", field, value, least,
                c->def->nbody);
}

static bool one_dof(ap_joint_type type) { return type == AP_REVOLUTE || type == AP_PRISMATIC; }

// ---- numbers ----------------------------------------------------------------------------------

// When a field is read, which must be finite then; what may not be negative; what drives a joint,
// and what acts in it.
enum {
  ALWAYS = 1,
  RPY = 2,
  MATRIX = 4,
  DH = 8,
  AXIS = 16,
  MIMIC = 32,
  MAGNITUDE = 64,
  DRIVE = 128,
  SPRING = 256
};

typedef struct field {
  const char *name;
  unsigned short offset; // in ap_body_def
  unsigned n : 4, kind : 12;
} field;

#define FIELD(member, n, kind) \
  { #member, offsetof(ap_body_def, member), (n), (kind) }

static const field fields[] = {FIELD(mass, 1, ALWAYS | MAGNITUDE),
                               FIELD(com, 3, ALWAYS),
                               FIELD(inertia, 6, ALWAYS),
                               FIELD(inertia_rpy, 3, ALWAYS),
                               FIELD(viscous, 1, ALWAYS | MAGNITUDE | DRIVE),
                               FIELD(coulomb, 1, ALWAYS | MAGNITUDE | DRIVE),
                               FIELD(stiction, 1, ALWAYS | MAGNITUDE | DRIVE),
                               FIELD(stiffness, 1, ALWAYS | MAGNITUDE | SPRING),
                               FIELD(rest, AP_JOINT_NQ, ALWAYS),
                               FIELD(gravity_compensation, 1, ALWAYS),
                               FIELD(rotor_inertia, 1, ALWAYS | MAGNITUDE | DRIVE),
                               FIELD(gear_ratio, 1, ALWAYS),
                               FIELD(velocity_limit, 1, MAGNITUDE),
                               FIELD(effort_limit, 1, MAGNITUDE),
                               FIELD(place.xyz, 3, RPY | MATRIX),
                               FIELD(place.rpy, 3, RPY),
                               FIELD(place.matrix, 9, MATRIX),
                               FIELD(place.alpha, 1, DH),
                               FIELD(place.a, 1, DH),
                               FIELD(place.d, 1, DH),
                               FIELD(place.theta, 1, DH),
                               FIELD(axis, 3, AXIS),
                               FIELD(mimic_ratio, 1, MIMIC),
                               FIELD(mimic_offset, 1, MIMIC)};
enum { FIELDS = sizeof fields / sizeof *fields };

bool ap__are_finite(const double *x, int n) {
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    if ((bits >> 52 & 0x7ff) == 0x7ff) return false;
  }
  return true;
}

// Entry i of the n of a field.
__attribute__((noinline)) static bool is_finite(const check *c, int at, const char *name, int i,
                                                int n, double x) {
  if (ap__are_finite(&x, 1)) return true;
  if (n == 1) return refuse(c, at, "%s is %g (it must be a finite number)", name, x);
  return refuse(c, at, "%s[%d] is %g (it must be a finite number)", name, i, x);
}

// Every field of that kind is what the kind asks for.
static bool check_fields(const check *c, int body, int kind) {
  for (int k = 0; k < FIELDS; k++) {
    const field *f = &fields[k];
    const double *x = (const double *)(const void *)((const char *)body_of(c, body) + f->offset);
    if (!(f->kind & kind)) continue;
    if (kind == MAGNITUDE) {
      if (!(*x >= 0.0)) return refuse(c, body, "%s is %g (it must be zero or more)", f->name, *x);
    } else if (kind >= DRIVE) {
      if (*x != 0.0)
        return refuse(c, body, "%s is %g (it must be zero in a joint of this type)", f->name, *x);
    } else {
      for (int i = 0; i < f->n; i++)
        if (!is_finite(c, body, f->name, i, f->n, x[i])) return false;
    }
  }
  return true;
}

static bool check_limits(const check *c, int body) {
  const ap_body_def *d = body_of(c, body);
  for (int k = 0; k < 2; k++) {
    double limit = k == 0 ? d->lower : d->upper;
    if (k == 0 ? limit < INFINITY : limit > -INFINITY) continue;
    return refuse(c, body, "%s is %g (it must be a number, or %sinfinity for no limit)",
                  k == 0 ? "lower" : "upper", limit, k == 0 ? "-" : "");
  }
  if (d->lower > d->upper)
    return refuse(c, body, "lower is %g, above upper, %g (it must not exceed it)", d->lower,
                  d->upper);
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
  if (defect > AP_ROTATION_ROUGH)
    return refuse(c, body,
                  "place.matrix is not a rotation: R^T R differs from the identity by %.3g (up to "
                  "1e-6 is corrected)",
                  defect);
  double det = 0;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    det += R[i] * (R[3 + j] * R[6 + k] - R[3 + k] * R[6 + j]);
  }
  if (det < 0.0)
    return refuse(c, body, "place.matrix is a reflection (its determinant must be 1, not -1)");
  return true;
}

static bool check_place(const check *c, int body) {
  switch (body_of(c, body)->place.kind) {
    case AP_PLACE_RPY: return check_fields(c, body, RPY);
    case AP_PLACE_MATRIX: return check_fields(c, body, MATRIX) && check_matrix(c, body);
    case AP_DH_MODIFIED:
    case AP_DH_STANDARD:
    case AP_DH_VALERA: return check_fields(c, body, DH);
  }
  return is_one_of(c, body, "place.kind", (int)body_of(c, body)->place.kind, "ap_placement_kind");
}

// A spherical or free joint has no axis, and with Denavit-Hartenberg parameters the axis is z.
static bool check_axis(const check *c, int body) {
  const ap_body_def *d = body_of(c, body);
  bool reads_axis = one_dof(d->joint) || d->joint == AP_PLANAR;
  if (!reads_axis || d->place.kind > AP_PLACE_MATRIX) return true;
  if (!check_fields(c, body, AXIS)) return false;
  for (int i = 0; i < 3; i++)
    if (d->axis[i] != 0) return true;
  return refuse(c, body, "axis is %g %g %g (a moving joint needs a nonzero direction)", d->axis[0],
                d->axis[1], d->axis[2]);
}

static bool check_drive(const check *c, int body) {
  const ap_body_def *d = body_of(c, body);
  if (d->stiction != 0.0 && d->stiction < d->coulomb)
    return refuse(c, body, "stiction is %g, below coulomb, %g (it must be at least as large, or 0)",
                  d->stiction, d->coulomb);
  return one_dof(d->joint) ||
         (check_fields(c, body, DRIVE) && (d->joint != AP_FIXED || check_fields(c, body, SPRING)));
}

static bool check_body(const check *c, int body) {
  const ap_body_def *d = body_of(c, body);
  if (d->cookie != AP_COOKIE)
    return refuse(c, body, "it was not initialised with ap_default_body()");
  if (d->parent < 0 || d->parent >= body)
    return refuse(c, body, "parent is %d (it must be 0, the ground, or a body before %d)",
                  d->parent, body);
  if ((int)d->joint < (int)AP_FIXED || (int)d->joint > (int)AP_FREE)
    return is_one_of(c, body, "joint", (int)d->joint, "ap_joint_type");
  return check_place(c, body) && check_axis(c, body) && check_fields(c, body, ALWAYS) &&
         check_fields(c, body, MAGNITUDE) && check_limits(c, body) && check_drive(c, body);
}

// ---- mimic ------------------------------------------------------------------------------------

static bool check_follower(const check *c, int body) {
  const ap_body_def *d = body_of(c, body);
  if (d->mimic == 0) return true;
  if (!is_body(c, body, "mimic", d->mimic, 1)) return false;
  const ap_body_def *leader = body_of(c, d->mimic);
  if (!one_dof(d->joint) || !one_dof(leader->joint))
    return refuse(c, body, "mimic: it cannot follow \"%.*s\" (both must be revolute or prismatic)",
                  ap__shown(leader->name), leader->name);
  if (!check_fields(c, body, MIMIC)) return false;
  if (d->mimic_ratio == 0.0)
    return refuse(c, body, "mimic_ratio is 0 (use a fixed joint for a body that does not move)");
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
    if (i != 0 && seen[i] == start)
      return refuse(c, i,
                    "mimic: it follows itself (a chain of followers must end at an independent "
                    "joint)");
  }
  return true;
}

// ---- names ------------------------------------------------------------------------------------

// Name i of the joints, or of the bodies and then the frames, because these share the names.
static const char *name_of(const check *c, bool joints, int i) {
  if (i >= c->def->nbody) return c->def->frames[i - c->def->nbody].name;
  const ap_body_def *d = &c->def->bodies[i];
  return joints && d->joint_name != NULL ? d->joint_name : d->name;
}

static int compare(const check *c, bool joints, int a, int b) {
  const unsigned char *x = (const unsigned char *)name_of(c, joints, a);
  const unsigned char *y = (const unsigned char *)name_of(c, joints, b);
  while (*x != '\0' && *x == *y) x++, y++;
  return *x - *y;
}

// By name, and by number where names are equal.
static bool comes_before(const check *c, bool joints, int a, int b) {
  int order = compare(c, joints, a, b);
  return order != 0 ? order < 0 : a < b;
}

static void exchange(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

static void sift_down(const check *c, bool joints, int *heap, int root, int n) {
  for (int child; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && comes_before(c, joints, heap[child], heap[child + 1])) child++;
    if (!comes_before(c, joints, heap[root], heap[child])) return;
    exchange(&heap[root], &heap[child]);
  }
}

// The smallest number below n whose name an earlier one has, -1 if there is none; *first gets the
// earlier one. Heapsort, because comparing all pairs of a million names would take hours.
static int find_duplicate(const check *c, bool joints, int n, int *first) {
  int *heap = c->scratch;
  for (int i = 0; i < n; i++) heap[i] = i;
  for (int root = n / 2, end = n; end > 1;) {
    if (root > 0)
      root--; // the heap is made
    else
      exchange(&heap[0], &heap[--end]); // and then its largest taken, one after the other
    sift_down(c, joints, heap, root, end);
  }
  int found = -1;
  for (int i = 1; i < n; i++) {
    if (found >= 0 && heap[i] >= found) continue;
    if (compare(c, joints, heap[i - 1], heap[i]) != 0) continue;
    found = heap[i];
    *first = heap[i - 1];
  }
  return found;
}

static bool check_names_present(const check *c) {
  int nbody = c->def->nbody;
  for (int i = 0; i < nbody + c->def->nframe; i++) {
    bool is_body = i < nbody;
    const char *name = name_of(c, false, i), *what = is_body ? "body" : "frame";
    if (name == NULL || name[0] == '\0')
      return refuse(c, 0, "%s %d: name is missing (every %s needs a unique name)", what,
                    is_body ? i + 1 : i - nbody, what);
    const char *joint = name_of(c, true, i);
    if (joint[0] == '\0')
      return refuse(c, i + 1, "joint_name is empty (use NULL to give the joint the body's name)");
  }
  return true;
}

static bool check_names_unique(const check *c) {
  int nbody = c->def->nbody;
  int first = 0;
  int found = find_duplicate(c, false, nbody, &first);
  if (found >= 0)
    return refuse(c, found + 1, "name: bodies %d and %d have the same (it must be unique)",
                  first + 1, found + 1);
  found = find_duplicate(c, true, nbody, &first);
  if (found >= 0) {
    const char *name = name_of(c, true, found);
    const char *other = name_of(c, false, first);
    return refuse(c, found + 1,
                  "joint_name \"%.*s\" is also that of body \"%.*s\" (it must be unique)",
                  ap__shown(name), name, ap__shown(other), other);
  }
  found = find_duplicate(c, false, nbody + c->def->nframe, &first);
  if (found < 0) return true;
  return refuse(c, found + 1, "name is also that of %s (it must be unique)",
                first < nbody ? "a body" : "an earlier frame");
}

// ---- the whole --------------------------------------------------------------------------------

static bool check_frame(const check *c, int frame) {
  const ap_frame_def *f = &c->def->frames[frame];
  int at = c->def->nbody + 1 + frame;
  if (!is_body(c, at, "body", f->body, 0)) return false;
  for (int i = 0; i < 3; i++) {
    if (!is_finite(c, at, "xyz", i, 3, f->xyz[i])) return false;
    if (!is_finite(c, at, "rpy", i, 3, f->rpy[i])) return false;
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
  for (int i = 0; i < 3; i++)
    if (!is_finite(&c, 0, "gravity", i, 3, def->gravity[i])) return false;
  for (int body = 1; body <= def->nbody; body++)
    if (!check_body(&c, body)) return false;
  for (int body = 1; body <= def->nbody; body++)
    if (!check_follower(&c, body)) return false;
  for (int frame = 0; frame < def->nframe; frame++)
    if (!check_frame(&c, frame)) return false;
  return check_mimic_cycles(&c) && check_names_unique(&c);
}
