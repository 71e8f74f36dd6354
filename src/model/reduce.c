// SPDX-License-Identifier: Apache-2.0
// From a definition to that of the robot with some joints locked, or of a part of it.
//
// Coordinates are what is locked: those of a joint that follows none, with all its followers. First
// it is decided which of them stay, then the bodies are fixed where they are, then what does not
// hang on the root is cut off.

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/spelling.h"
#include "model/check.h"
#include "model/place_f64.h"

// What is known of a joint, by its body's number.
typedef struct joint {
  int leader;           // the end of its chain of leaders: itself where it follows none
  double ratio, offset; // q = ratio * q_leader + offset
  bool inside;          // the body is the root or hangs on it
  bool moves;           // of a leader: the way to the tip needs its coordinate
  bool locked;          // of a leader: at q
  double q[AP_JOINT_NQ];
} joint;

typedef struct reduction {
  const ap_robot_def *def;
  const ap_reduction_def *how;
  ap_error *error;
  ap_reduced *made;
  ap_body_def *body;   // [nbody], first in the old numbers
  ap_frame_def *frame; // [nframe]
  int *number;         // [nbody + 1]
  joint *joint;        // [nbody + 1]
  int *scratch;        // [1 + nbody + nframe]
} reduction;

static reduction lay_out(const ap_robot_def *def, ap_arena *arena) {
  const size_t nbody = (size_t)def->nbody, nframe = (size_t)def->nframe;
  reduction r = {.def = def};
  r.made = AP_TAKE(arena, ap_reduced, 1);
  r.body = AP_TAKE(arena, ap_body_def, nbody);
  r.frame = AP_TAKE(arena, ap_frame_def, nframe);
  r.joint = AP_TAKE(arena, joint, nbody + 1);
  r.number = AP_TAKE(arena, int, nbody + 1);
  r.scratch = AP_TAKE(arena, int, 1 + nbody + nframe);
  return r;
}

size_t ap_reduced_size(const ap_robot_def *def) {
  if (!ap__check_counts(def, NULL)) return 0;
  ap_arena arena = ap__arena(NULL);
  lay_out(def, &arena);
  return ap__arena_size(&arena);
}

// ---- names -------------------------------------------------------------------------------------

static const char *joint_name(const ap_body_def *body) {
  return body->joint_name ? body->joint_name : body->name;
}

// Name k of the joints, or of the links and then the frames.
static const char *name_at(const ap_robot_def *def, bool joints, int k) {
  if (k >= def->nbody) return def->frames[k - def->nbody].name;
  const ap_body_def *body = &def->bodies[k];
  return joints ? joint_name(body) : body->name;
}

// The number of the body that has the joint, the link or the frame of that name; -1: none.
static int find(const reduction *r, const char *what, bool joints, const char *name) {
  const ap_robot_def *def = r->def;
  const int n = def->nbody + (joints ? 0 : def->nframe);
  const char *meant = NULL;
  int least = INT_MAX;
  for (int k = 0; k < n; k++) {
    const char *known = name_at(def, joints, k);
    if (strcmp(known, name) == 0) return k < def->nbody ? k + 1 : def->frames[k - def->nbody].body;
    if (joints && def->bodies[k].joint == AP_FIXED) continue;
    if (ap__name_nearer(name, known, &least)) meant = known;
  }
  char remedy[96] = "`appell info` lists them";
  if (meant) snprintf(remedy, sizeof remedy, "did you mean \"%.*s\"?", ap__shown(meant), meant);
  ap__fail(r->error, AP_E_NOT_FOUND, 0, "%s: the robot has no %s \"%.*s\" (%s)", what,
           joints ? "joint" : "link", ap__shown(name), name, remedy);
  return -1;
}

// ---- which coordinates are locked --------------------------------------------------------------

static const int joint_nq[] = {[AP_FIXED] = 0,     [AP_REVOLUTE] = 1, [AP_PRISMATIC] = 1,
                               [AP_SPHERICAL] = 4, [AP_PLANAR] = 3,   [AP_FREE] = 7};

static bool one_dof(const ap_body_def *body) { return joint_nq[body->joint] == 1; }
static bool has_quaternion(ap_joint_type type) { return type == AP_SPHERICAL || type == AP_FREE; }

static void neutral(ap_joint_type type, double *q) {
  memset(q, 0, AP_JOINT_NQ * sizeof *q);
  if (has_quaternion(type)) q[joint_nq[type] - 1] = 1;
}

static void resolve_leaders(const reduction *r) {
  for (int b = 1; b <= r->def->nbody; b++) {
    joint *j = &r->joint[b];
    *j = (joint){.leader = b, .ratio = 1};
    for (const ap_body_def *d; (d = &r->def->bodies[j->leader - 1])->mimic; j->leader = d->mimic) {
      j->offset += j->ratio * d->mimic_offset;
      j->ratio *= d->mimic_ratio;
    }
  }
}

// Refuse a lock, saying why.
static bool refuse_lock(const reduction *r, const ap_body_def *body, const char *reason) {
  const char *name = joint_name(body);
  ap__fail(r->error, AP_E_ARG, 0, "lock: joint \"%.*s\" %s", ap__shown(name), name, reason);
  return false;
}

static bool is_unit(const double *e) {
  return fabs(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1) < 1e-6;
}

// Whether the numbers of a lock can be coordinates of that joint. A limit that a conversion between
// units has rounded is still one.
static bool check_values(const reduction *r, const ap_lock *lock, const ap_body_def *body) {
  char why[128];
  const int nq = joint_nq[body->joint];
  if (nq == 0) return refuse_lock(r, body, "is fixed (expected a moving joint)");
  if (lock->n != 0 && lock->n != nq) {
    snprintf(why, sizeof why,
             "has %d coordinate%s, but %d values are given (give one for each, or none for zero)",
             nq, nq == 1 ? "" : "s", lock->n);
    return refuse_lock(r, body, why);
  }
  for (int k = 0; k < lock->n; k++)
    if (!isfinite(lock->q[k])) return refuse_lock(r, body, "has a value that is not finite");
  if (lock->n != 0 && has_quaternion(body->joint) && !is_unit(&lock->q[nq - 4]))
    return refuse_lock(r, body, "needs a unit quaternion there (x y z w)");
  const double q = lock->n ? lock->q[0] : 0, room = 1e-9;
  if (nq != 1 || (q >= body->lower - room && q <= body->upper + room)) return true;
  snprintf(why, sizeof why, "cannot be at %g (its limits are %g and %g)", q, body->lower,
           body->upper);
  return refuse_lock(r, body, why);
}

// A follower is locked by its leader: where it is at the value.
// Every joint that a coordinate moves stays within its limits.
static bool check_moved(const reduction *r, const ap_body_def *body, int leader, double q) {
  for (int b = 1; b <= r->def->nbody; b++) {
    const ap_body_def *other = &r->def->bodies[b - 1];
    if (r->joint[b].leader != leader || !one_dof(other)) continue;
    const double x = r->joint[b].ratio * q + r->joint[b].offset, room = 1e-9 * (1 + fabs(x));
    if (x >= other->lower - room && x <= other->upper + room) continue;
    char why[160];
    const char *name = joint_name(other);
    snprintf(why, sizeof why, "puts \"%.*s\" at %g, beyond its limits (%g to %g)", ap__shown(name),
             name, x, other->lower, other->upper);
    return refuse_lock(r, body, why);
  }
  return true;
}

static bool lock_named(const reduction *r, const ap_lock *lock) {
  const int b = lock->joint ? find(r, "lock", true, lock->joint) : -1;
  if (!lock->joint) ap__fail(r->error, AP_E_ARG, 0, "lock: the name of a joint is missing");
  if (b < 0) return false;
  const ap_body_def *body = &r->def->bodies[b - 1];
  if (!check_values(r, lock, body)) return false;
  const joint *own = &r->joint[b];
  joint *leader = &r->joint[own->leader];
  double q[AP_JOINT_NQ];
  neutral(body->joint, q);
  if (lock->n) memcpy(q, lock->q, (size_t)lock->n * sizeof *q);
  q[0] = own->leader == b ? q[0] : (q[0] - own->offset) / own->ratio;
  if (leader->locked && !(one_dof(body) && fabs(q[0] - leader->q[0]) <= 1e-9 * (1 + fabs(q[0])))) {
    char why[128] = "is locked twice (name it once)";
    if (own->leader != b)
      snprintf(why, sizeof why, "is at %g with its leader, which is locked too (lock one of them)",
               own->ratio * leader->q[0] + own->offset);
    return refuse_lock(r, body, why);
  }
  if (!check_moved(r, body, own->leader, q[0])) return false;
  if (!leader->locked) memcpy(leader->q, q, sizeof q);
  leader->locked = true;
  return true;
}

// Lock a coordinate that nobody named: at zero, or at the limit nearest to it.
static void lock_unnamed(const reduction *r, int b) {
  const ap_body_def *body = &r->def->bodies[b - 1];
  joint *j = &r->joint[b];
  if (j->leader != b || j->locked || body->joint == AP_FIXED) return;
  neutral(body->joint, j->q);
  if (one_dof(body)) j->q[0] = fmin(fmax(0, body->lower), body->upper);
  j->locked = true;
}

// What hangs on the root stays; the joints that place the root are locked.
static bool choose_root(const reduction *r, int root) {
  const ap_body_def *bodies = r->def->bodies;
  for (int b = 1; b <= r->def->nbody; b++) {
    const int parent = bodies[b - 1].parent;
    r->joint[b].inside = root == 0 || b == root || (parent > 0 && r->joint[parent].inside);
    if (!r->joint[b].inside || b == root) lock_unnamed(r, b);
  }
  for (int b = root; b != 0; b = bodies[b - 1].parent) {
    if (bodies[b - 1].joint == AP_FIXED || r->joint[r->joint[b].leader].locked) continue;
    const char *name = joint_name(&bodies[b - 1]);
    ap__fail(r->error, AP_E_UNSUPPORTED, 0,
             "root: joint \"%.*s\" above it follows a joint below it (lock that one)",
             ap__shown(name), name);
    return false;
  }
  return true;
}

// Only the coordinates that move the tip stay.
static bool choose_tip(const reduction *r, int root, int tip) {
  if (root > 0 && (tip == 0 || !r->joint[tip].inside)) {
    ap__fail(r->error, AP_E_ARG, 0,
             "tip: \"%.*s\" is not a descendant of the root \"%.*s\" (choose a link that is)",
             ap__shown(r->how->tip), r->how->tip, ap__shown(r->how->root), r->how->root);
    return false;
  }
  for (int b = tip; b != root && b != 0; b = r->def->bodies[b - 1].parent)
    r->joint[r->joint[b].leader].moves = true;
  for (int b = 1; b <= r->def->nbody; b++)
    if (!r->joint[b].moves) lock_unnamed(r, b);
  return true;
}

static bool lock_all(const reduction *r, int *root) {
  const ap_reduction_def *how = r->how;
  resolve_leaders(r);
  for (int k = 0; k < how->nlock; k++)
    if (!lock_named(r, &how->locks[k])) return false;
  *root = how->root ? find(r, "root", false, how->root) : 0;
  const int tip = how->tip ? find(r, "tip", false, how->tip) : 0;
  if (*root < 0 || tip < 0 || !choose_root(r, *root)) return false;
  return !how->tip || choose_tip(r, *root, tip);
}

// ---- bodies that no longer move ----------------------------------------------------------------

static void turn_about(const double *axes, double angle, double *R) {
  about(2, angle, R);
  multiply(axes, R, PRODUCT, R);
  multiply(R, axes, B_TRANSPOSED, R);
}

static void turn_by(const double *quaternion, double *R) {
  mat3 A = quaternion_matrix(quaternion);
  store3(R, A.x), store3(R + 3, A.y), store3(R + 6, A.z);
}

// The joint frame at q in the joint frame at zero.
static void motion(const ap_body_def *body, const double *q, place *at) {
  double u[3], axes[9];
  joint_axis(body, u);
  axes_with_z(u, axes);
  no_place(at);
  switch (body->joint) {
    case AP_FIXED: break;
    case AP_REVOLUTE: turn_about(axes, q[0], at->R); break;
    case AP_PRISMATIC:
      for (int k = 0; k < 3; k++) at->p[k] = q[0] * u[k];
      break;
    case AP_SPHERICAL: turn_by(q, at->R); break;
    case AP_PLANAR:
      turn_about(axes, q[2], at->R);
      multiply(axes, (double[]){q[0], q[1], 0}, VECTOR, at->p);
      break;
    case AP_FREE: turn_by(q + 3, at->R), copy(3, q, at->p); break;
  }
}

static ap_placement placement(const place *at) {
  static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  ap_placement g = ap_default_body().place;
  memcpy(g.xyz, at->p, sizeof g.xyz);
  memcpy(g.matrix, at->R, sizeof g.matrix);
  for (int k = 0; k < 9; k++)
    if (g.matrix[k] != one[k]) g.kind = AP_PLACE_MATRIX;
  return g;
}

// The link frame of a body, whose joint moves so, in its parent's.
static void link_in_parent(const ap_body_def *body, const place *moved, place *at) {
  place link;
  joint_place(body, at);
  if (moved) compose(at, moved, at);
  link_place(body, &link);
  compose(at, &link, at);
}

// At zero the definition's own numbers stay as they are.
static ap_placement place_at(const ap_body_def *body, const double *q) {
  ap_placement g = body->place;
  double zero[AP_JOINT_NQ];
  place moved, at;
  neutral(body->joint, zero);
  if (memcmp(q, zero, (size_t)joint_nq[body->joint] * sizeof *q) == 0) return g;
  if (g.kind > AP_PLACE_MATRIX && body->joint == AP_REVOLUTE)
    g.theta += q[0];
  else if (g.kind > AP_PLACE_MATRIX && body->joint == AP_PRISMATIC)
    g.d += g.kind == AP_DH_VALERA ? -q[0] : q[0];
  else
    motion(body, q, &moved), link_in_parent(body, &moved, &at), g = placement(&at);
  return g;
}

// Keeps names, mass and place; what a joint has besides is gone with it.
static void fix(const reduction *r, int b) {
  ap_body_def *body = &r->body[b - 1], fixed = ap_default_body();
  const joint *own = &r->joint[b], *leader = &r->joint[own->leader];
  double q[AP_JOINT_NQ];
  if (body->joint == AP_FIXED || !leader->locked) return;
  memcpy(q, leader->q, sizeof q);
  if (own->leader != b) q[0] = own->ratio * q[0] + own->offset;
  fixed.name = body->name, fixed.joint_name = body->joint_name;
  fixed.parent = body->parent;
  fixed.place = place_at(body, q);
  fixed.mass = body->mass;
  fixed.gravity_compensation = body->gravity_compensation;
  memcpy(fixed.com, body->com, sizeof fixed.com);
  memcpy(fixed.inertia, body->inertia, sizeof fixed.inertia);
  memcpy(fixed.inertia_rpy, body->inertia_rpy, sizeof fixed.inertia_rpy);
  *body = fixed;
}

// ---- what is cut off ---------------------------------------------------------------------------

// The root is fixed to the ground where it stands.
static void ground_root(const reduction *r, int root) {
  ap_body_def *body = &r->body[root - 1];
  if (body->parent == 0) return;
  place at, next;
  no_place(&at);
  for (int b = root; b != 0; b = r->body[b - 1].parent) {
    link_in_parent(&r->body[b - 1], NULL, &next);
    compose(&next, &at, &at);
  }
  body->place = placement(&at);
  body->parent = 0;
}

// A follower stays with the end of its leaders: those between may be cut off.
static void keep_leader(const reduction *r, int b, ap_body_def *body) {
  if (body->mimic == 0) return;
  const joint *own = &r->joint[b];
  if (r->number[body->mimic] < 0) {
    body->mimic = own->leader;
    body->mimic_ratio = own->ratio;
    body->mimic_offset = own->offset;
  }
  body->mimic = r->number[body->mimic];
}

static void renumber(const reduction *r) {
  ap_robot_def *robot = &r->made->robot;
  for (int b = 1; b <= r->def->nbody; b++) r->number[b] = r->joint[b].inside ? ++robot->nbody : -1;
  for (int b = 1; b <= r->def->nbody; b++) {
    if (r->number[b] < 0) continue;
    ap_body_def *body = &r->body[r->number[b] - 1];
    *body = r->body[b - 1];
    body->parent = r->number[body->parent];
    keep_leader(r, b, body);
  }
  for (int k = 0; k < r->def->nframe; k++) {
    ap_frame_def frame = r->def->frames[k];
    frame.body = r->number[frame.body];
    if (frame.body >= 0) r->frame[robot->nframe++] = frame;
  }
}

const ap_reduced *ap_reduce(const ap_robot_def *def, const ap_reduction_def *how, void *mem,
                            size_t size, ap_error *error) {
  if (error != NULL) *error = (ap_error){.status = AP_OK};
  if (!ap__check_counts(def, error)) return NULL;
  const size_t needed = ap_reduced_size(def);
  if (mem == NULL || needed == 0 || size < needed) {
    ap__fail(error, AP_E_MEMORY, 0, "the reduced robot needs %zu bytes, got %zu", needed,
             mem == NULL ? 0 : size);
    return NULL;
  }
  ap_arena arena = ap__arena(mem);
  reduction r = lay_out(def, &arena);
  r.how = how;
  r.error = error;
  int root;
  if (!ap__check_definition(def, r.scratch, error) || !lock_all(&r, &root)) return NULL;
  *r.made = (ap_reduced){.robot = *def, .number = r.number};
  r.made->robot.bodies = r.body, r.made->robot.nbody = 0;
  r.made->robot.frames = r.frame, r.made->robot.nframe = 0;
  r.number[0] = 0;
  for (int b = 1; b <= def->nbody; b++) {
    r.body[b - 1] = def->bodies[b - 1];
    fix(&r, b);
  }
  if (root > 0) ground_root(&r, root);
  renumber(&r);
  return r.made;
}
