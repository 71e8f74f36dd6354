// SPDX-License-Identifier: Apache-2.0
// A robot on its way to MJCF: names, what hangs on what, what is to be said of it.

#ifndef AP_FILE_MJCF_WRITE_H
#define AP_FILE_MJCF_WRITE_H

#include "file/xml_write.h"
#include "file/xyz_rpy.h"

// What MJCF loses of a robot, or MuJoCo refuses. Each has a text with the first name it is about.
#define AP__MJCF_NOTES(X)                                                                    \
  X(ORDER,                                                                                   \
    "MJCF has its bodies depth first: joint \"%.*s\" comes at another place among the "      \
    "coordinates (`appell info` lists them)")                                                \
  X(MASSLESS,                                                                                \
    "MuJoCo refuses a moving body without mass or inertia, as body \"%.*s\" (compiler "      \
    "boundmass and boundinertia would add some)")                                            \
  X(TRIANGLE,                                                                                \
    "MuJoCo refuses an inertia with a principal moment larger than the sum of the "          \
    "others, as of body \"%.*s\" (compiler balanceinertia would change it)")                 \
  X(NEGATIVE,                                                                                \
    "MuJoCo refuses an inertia with a principal moment that is not positive, as of "         \
    "body \"%.*s\"")                                                                         \
  X(MERGED,                                                                                  \
    "MuJoCo refuses the inertia of body \"%.*s\" by itself: it is added to the body that "   \
    "carries it")                                                                            \
  X(RENAMED, "MJCF has a world of its own: body \"%.*s\" gets another name")                 \
  X(PLANAR,                                                                                  \
    "MJCF has no planar joint: \"%.*s\" becomes two slides and a hinge, with names that "    \
    "end in _x, _y and _angle")                                                              \
  X(FREE,                                                                                    \
    "MJCF measures a free joint in the world, not where \"%.*s\" is placed: its first "      \
    "seven coordinates differ by that placement")                                            \
  X(STICTION, "MJCF has no static friction, as of joint \"%.*s\": left out")                 \
  X(VELOCITY, "MJCF has no velocity limits, as of joint \"%.*s\": left out")                 \
  X(RANGE, "MJCF has no limits that are equal, as of joint \"%.*s\": left out")              \
  X(EFFORT, "MJCF has no effort limit of zero, as of joint \"%.*s\": left out")              \
  X(REST,                                                                                    \
    "MJCF relaxes the spring of a ball joint at the identity: where that of joint \"%.*s\" " \
    "is relaxed is left out")                                                                \
  X(MESH,                                                                                    \
    "MuJoCo refuses a file whose meshes it cannot find or read (STL, OBJ, MSH), as "         \
    "\"%.*s\": such meshes are left out")                                                    \
  X(COORDINATES, "MJCF has no independent coordinates: \"%.*s\" is left out")

typedef enum ap__mjcf_note {
#define AP__MJCF_NOTE(name, text) AP__NOTE_##name,
  AP__MJCF_NOTES(AP__MJCF_NOTE)
#undef AP__MJCF_NOTE
      AP__MJCF_NOTE_KINDS
} ap__mjcf_note;

// Items of owners: the first of each, and the next of the same one, in ascending order; -1: none.
typedef struct ap__owned {
  int *first, *next;
} ap__owned;

// A site that an end of a closure needs.
typedef struct ap__mjcf_site {
  const char *name;
  int body;
  double xyz[3], rpy[3];
} ap__mjcf_site;

typedef struct ap__mjcf_writer {
  ap__text *t;
  const ap_robot *robot;
  const char *path; // of the file to be written
  ap_error *error;
  ap__names bodies, joints, sites, meshes; // names that are taken
  ap__pool pool;                           // names made here
  const char **name;                       // [nbody + 1] of bodies; NULL: the body is the world
  ap__owned children, frames, ends;        // by body
  bool *is_static;                         // [nbody + 1] fixed to the ground
  bool *is_folded;                         // [nbody + 1] its joint is in the body beyond
  bool *is_closed;                         // [nbody + 1] a closure holds it
  ap__inertia *inertia;                    // [nbody + 1] of bodies, as they are written
  ap__mjcf_site *end;                      // of closures
  int nend;
  const char **mesh; // [nshape] of the asset of each shape; NULL: none
  struct {
    const char *name; // the first
    int n;
  } note[AP__MJCF_NOTE_KINDS];
} ap__mjcf_writer;

// Room for items of owners 0 to `owners`; false: no memory.
bool ap__owned_init(ap__owned *owned, int owners, int items);
// Items must come from the last to the first.
void ap__owned_put(ap__owned *owned, int owner, int item);
// The body after one, depth first; negative past the last.
int ap__mjcf_after(const ap__mjcf_writer *w, int body);
// Remember what is lost of something with this name.
void ap__mjcf_note_of(ap__mjcf_writer *w, ap__mjcf_note kind, const char *name);
// A name made here; NULL: no memory, which the text remembers.
const char *ap__mjcf_new_name(ap__mjcf_writer *w, ap__names *taken, const char *name,
                              const char *suffix);
// pos and euler where they are not zero.
void ap__mjcf_add_pose(ap__mjcf_writer *w, const double xyz[3], const double rpy[3]);
// Inertias of all bodies as MuJoCo takes them where that is possible.
void ap__mjcf_plan_inertia(ap__mjcf_writer *w);
void ap__mjcf_add_inertial(ap__mjcf_writer *w, int body, int indent);
// The joint that carries a body, in one that is placed in it by xyz and rpy.
void ap__mjcf_add_joint(ap__mjcf_writer *w, const ap_body_def *d, const double xyz[3],
                        const double rpy[3], int indent);
// Shapes: what all geoms share, the meshes, the geoms of a body.
void ap__mjcf_add_assets(ap__mjcf_writer *w);
void ap__mjcf_add_geoms(ap__mjcf_writer *w, int body, int indent);
// Closed chains and followers: the sites that they need, then what couples bodies and joints, is
// actuated, is a configuration to begin with.
ap_status ap__mjcf_plan_closures(ap__mjcf_writer *w);
void ap__mjcf_add_equality(ap__mjcf_writer *w);
void ap__mjcf_add_actuators(ap__mjcf_writer *w);
void ap__mjcf_add_keyframes(ap__mjcf_writer *w);

#endif
