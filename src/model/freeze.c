// SPDX-License-Identifier: Apache-2.0
// From a definition to an immutable model in the caller's memory.

#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/check.h"
#include "model/pack.h"

// Everything that lies in the model's memory.
typedef struct layout {
  ap_model *place; // of the model,
  ap_model model;  // which points to the rest,
  int *numbers;    // but scratch
  char *text;      // and names
} layout;

// Bytes of s with its NUL. Bounded, so that compilers do not make a call of it: strlen() of a C
// library may take more room than everything here.
static size_t text_size(const char *s) {
  size_t n = 0;
  while (s != NULL && n < SIZE_MAX && s[n++] != '\0') continue;
  return n;
}

static const char *name_of_robot(const ap_robot_def *def) {
  return def->name == NULL || def->name[0] == '\0' ? "robot" : def->name;
}

// The one list, walked once with no memory to measure and once to place. The counts were checked.
static layout lay_out(const ap_robot_def *def, ap_arena *arena) {
  int nlink = def->nbody + 1, nframe = nlink + def->nframe;
  int moving = 1; // the ground counts
  for (int i = 0; i < def->nbody; i++)
    if (def->bodies[i].joint != AP_FIXED) moving++;
  layout l = {.place = AP_TAKE_ALIGNED(arena, ap_model, 1)};
  ap_model *m = &l.model;
  m->nlink = nlink, m->nframe = nframe;
  m->joint = AP_TAKE_ALIGNED(arena, ap_joint, moving);
  m->packed_body = AP_TAKE_ALIGNED(arena, ap_packed_body, moving);
  m->packed_frame = AP_TAKE(arena, ap_packed_frame, nframe);
  m->link = AP_TAKE(arena, ap_body_def, nlink);
  m->frame = AP_TAKE(arena, ap_frame_def, def->nframe);
  m->moment = AP_TAKE(arena, double, 3 * moving);
  m->mover = AP_TAKE(arena, int, nlink);
  l.numbers = AP_TAKE(arena, int, nframe);
  l.text = AP_TAKE(arena, char, text_size(name_of_robot(def)));
  for (int i = 0; i < def->nbody; i++) {
    ap__take(arena, text_size(def->bodies[i].name), 1, 1);
    ap__take(arena, text_size(def->bodies[i].joint_name), 1, 1);
  }
  for (int i = 0; i < def->nframe; i++) ap__take(arena, text_size(def->frames[i].name), 1, 1);
  return l;
}

size_t ap_model_size(const ap_robot_def *def) {
  if (!ap__check_counts(def, NULL)) return 0;
  ap_arena arena = ap__arena(NULL);
  lay_out(def, &arena);
  return ap__arena_size(&arena);
}

// ---- copy -------------------------------------------------------------------------------------

// Not inline, so that compilers do not make a call of it, as in text_size().
__attribute__((noinline)) static void copy(void *to, const void *from, size_t size) {
  unsigned char *x = to;
  for (const unsigned char *y = from; size > 0; size--) *x++ = *y++;
}

// Copy s to *text, which moves on.
static const char *keep(char **text, const char *s) {
  char *kept = *text;
  size_t size = text_size(s);
  copy(kept, s, size);
  *text += size;
  return kept;
}

static void copy_definition(const ap_robot_def *def, ap_model *m, char *text) {
  m->name = keep(&text, name_of_robot(def));
  memcpy(m->gravity, def->gravity, sizeof m->gravity);
  ap_body_def ground = ap_default_body();
  ground.name = "ground", ground.joint_name = "";
  copy(&m->link[0], &ground, sizeof ground);
  for (int i = 0; i < def->nbody; i++) {
    ap_body_def *link = &m->link[i + 1];
    copy(link, &def->bodies[i], sizeof *link);
    link->name = keep(&text, link->name);
    link->joint_name = link->joint_name == NULL ? link->name : keep(&text, link->joint_name);
  }
  for (int i = 0; i < def->nframe; i++) {
    m->frame[i] = def->frames[i];
    m->frame[i].name = keep(&text, def->frames[i].name);
  }
}

// ---- topology ---------------------------------------------------------------------------------

static const struct {
  unsigned char nq, nv;
} joint_sizes[] = {
    [AP_FIXED] = {0, 0},     [AP_REVOLUTE] = {1, 1}, [AP_PRISMATIC] = {1, 1},
    [AP_SPHERICAL] = {4, 3}, [AP_PLANAR] = {3, 3},   [AP_FREE] = {7, 6},
};

// By the bits, which cost less to look at where double is emulated.
static bool is_not_zero(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits != 0;
}

// Number the moving bodies, and the internal coordinates with them.
static void number_bodies(ap_model *m) {
  m->nbody = 1;
  m->mover[0] = 0;
  m->joint[0] = (ap_joint){.type = AP_FIXED, .ratio = 1};
  for (int i = 1; i < m->nlink; i++) {
    const ap_body_def *link = &m->link[i];
    m->passive |= is_not_zero(link->stiffness) || is_not_zero(link->gravity_compensation);
    if (link->joint == AP_FIXED) {
      m->mover[i] = m->mover[link->parent];
      continue;
    }
    int b = m->nbody++;
    m->mover[i] = b;
    m->joint[b] = (ap_joint){.type = link->joint,
                             .link = i,
                             .parent = m->mover[link->parent],
                             .qi = m->nqi,
                             .vi = m->nvi,
                             .nq = joint_sizes[link->joint].nq,
                             .nv = joint_sizes[link->joint].nv,
                             .ratio = link->mimic != 0 ? 0 : 1};
    m->nqi += m->joint[b].nq;
    m->nvi += m->joint[b].nv;
  }
}

// Resolve the follower b, whose own leader is resolved:
//   q = r (ratio q_end + offset) + o  where the leader itself follows,  q = r q_leader + o
//   otherwise.
static void resolve_follower(ap_model *m, int b) {
  const ap_body_def *link = &m->link[m->joint[b].link];
  int next = m->mover[link->mimic];
  const ap_joint *leader = &m->joint[next];
  m->joint[b].leader = leader->leader != 0 ? leader->leader : next;
  m->joint[b].ratio = link->mimic_ratio * leader->ratio;
  m->joint[b].offset = link->mimic_ratio * leader->offset + link->mimic_offset;
}

// Chains of followers have no cycle. Each is climbed to the first resolved joint (its ratio is not
// zero) and resolved on the way back, so that every joint is visited twice at most.
static bool resolve_mimics(ap_model *m, int *stack, ap_error *error) {
  for (int b = 1; b < m->nbody; b++) {
    int n = 0;
    for (int k = b; m->joint[k].ratio == 0; k = m->mover[m->link[m->joint[k].link].mimic])
      stack[n++] = k;
    while (n > 0) {
      const ap_joint *joint = &m->joint[stack[--n]];
      resolve_follower(m, stack[n]);
      if (joint->ratio != 0 && ap__are_finite(&joint->ratio, 1) &&
          ap__are_finite(&joint->offset, 1))
        continue;
      const char *name = m->link[joint->link].name;
      ap__refuse(
          error, AP_E_MODEL,
          "body \"%.*s\": mimic_ratio: over its leaders it becomes %g, offset %g (both must be "
          "finite and the ratio not zero)",
          ap__shown(name), name, joint->ratio, joint->offset);
      return false;
    }
  }
  return true;
}

// The user's coordinates: followers have none, and share their leader's place.
static void number_coordinates(ap_model *m) {
  for (int b = 1; b < m->nbody; b++) {
    ap_joint *joint = &m->joint[b];
    if (joint->leader != 0) continue;
    joint->q = m->nq;
    joint->v = m->nv;
    m->nq += joint->nq;
    m->nv += joint->nv;
  }
  for (int b = 1; b < m->nbody; b++) {
    ap_joint *joint = &m->joint[b];
    if (joint->leader == 0) continue;
    joint->q = m->joint[joint->leader].q;
    joint->v = m->joint[joint->leader].v;
  }
}

// ---- the whole --------------------------------------------------------------------------------

ap_model *ap_model_init(const ap_robot_def *def, void *mem, size_t size, ap_error *error) {
  if (error != NULL) *error = (ap_error){.status = AP_OK};
  if (!ap__check_counts(def, error)) return NULL;
  size_t needed = ap_model_size(def);
  if (mem == NULL || needed == 0 || size < needed) {
    ap__refuse(error, AP_E_MEMORY, "the model needs %zu bytes, got %zu", needed,
               mem == NULL ? 0 : size);
    return NULL;
  }
  memset(mem, 0, needed); // equal definitions give equal bytes, padding included
  ap_arena arena = ap__arena(mem);
  layout l = lay_out(def, &arena);
  if (l.place == NULL || l.text == NULL) return NULL; // never: the same walk was just measured
  if (!ap__check_definition(def, l.numbers, error)) return NULL;
  ap_model *m = l.place;
  copy(m, &l.model, sizeof *m);
  copy_definition(def, m, l.text);
  number_bodies(m);
  if (!resolve_mimics(m, l.numbers, error)) return NULL;
  number_coordinates(m);
  ap__pack_f64(m, m->packed_body, m->packed_frame);
  return ap__check_merged(m, error) ? m : NULL;
}
