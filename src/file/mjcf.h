// SPDX-License-Identifier: Apache-2.0
// MJCF: the tree of a file, with the files that it includes, to parts.
//
// A body is gathered first (joints, geoms, sites, the inertial; <frame>, <replicate> and <attach>
// are looked through), then its bodies follow, so that parts come in the order of the file. Names
// of equalities, tendons and actuators are resolved when every body is there.

#ifndef AP_FILE_MJCF_H
#define AP_FILE_MJCF_H

#include "file/mjcf_pose.h"
#include "file/names.h"
#include "file/tally.h"
#include "file/tree.h"

// What a file says and the reader does not use; one warning each, with the first line, the names
// that were met and a count.
#define MJCF_ODDITIES(X)                                                                          \
  X(MJCF_ODD_UNUSED, "not used, since it has no effect on rigid-body dynamics")                   \
  X(MJCF_ODD_ELEMENT, "an unknown element is not used")                                           \
  X(MJCF_ODD_ATTRIBUTE, "an unknown attribute is not used")                                       \
  X(MJCF_ODD_PASSIVE, "a passive force is not used")                                              \
  X(MJCF_ODD_TENDON, "forces, limits and inertia of a tendon are not used")                       \
  X(MJCF_ODD_SEVERAL,                                                                             \
    "damping, frictionloss and armature of a joint with several degrees of freedom are not used") \
  X(MJCF_ODD_BALL_RANGE, "the range of a ball joint is not used")                                 \
  X(MJCF_ODD_POLYNOMIAL, "only the linear coefficient of stiffness or damping is used")           \
  X(MJCF_ODD_SPRINGDAMPER, "springdamper is not used (write stiffness and damping)")              \
  X(MJCF_ODD_EQUALITY, "a constraint that is no linear coupling of two joints is not used")       \
  X(MJCF_ODD_INACTIVE, "a constraint that is not active is not used")                             \
  X(MJCF_ODD_ACTUATOR, "an actuator that does not drive a joint or a fixed tendon is not used")   \
  X(MJCF_ODD_GRAVCOMP,                                                                            \
    "gravcomp below zero is not used, since no body has one above zero (as in MuJoCo)")           \
  X(MJCF_ODD_HULL, "maxhullvert is not used: a convex inertia is that of the whole convex hull")  \
  X(MJCF_ODD_STATIC,                                                                              \
    "the mass of a body that stands still counts as zero, since its mesh cannot be read")         \
  X(MJCF_ODD_MOCAP, "a mocap body stands still here")                                             \
  X(MJCF_ODD_RENAMED, "a site has the name of a body or another site, and was renamed")

typedef enum mjcf_oddity {
#define MJCF_ODDITY_ENUM(code, text) code,
  MJCF_ODDITIES(MJCF_ODDITY_ENUM)
#undef MJCF_ODDITY_ENUM
      MJCF_ODD_KINDS
} mjcf_oddity;

// ---- models and classes ------------------------------------------------------------------------

typedef enum mjcf_from_geom { MJCF_GEOM_NEVER, MJCF_GEOM_ALWAYS, MJCF_GEOM_AUTO } mjcf_from_geom;

typedef struct mjcf_compiler {
  bool degree, autolimits, balance, strippath, fitaabb, alignfree;
  char eulerseq[4];
  const char *meshdir;
  mjcf_from_geom from_geom;
  double group[2]; // of geoms that have mass
  double boundmass, boundinertia, totalmass;
} mjcf_compiler;

// Elements with defaults.
typedef enum mjcf_kind {
  MJCF_JOINT,
  MJCF_GEOM,
  MJCF_SITE,
  MJCF_MESH,
  MJCF_MATERIAL,
  MJCF_EQUALITY,
  MJCF_TENDON,
  MJCF_ACTUATOR,
  MJCF_KINDS
} mjcf_kind;

typedef struct mjcf_class {
  const char *name;
  int outer;         // the class that it extends, -1: none
  const ap__node *e; // its <default>; NULL: "main" without one
  int more;          // another <default> of the same class that comes later, -1: none
} mjcf_class;

typedef struct mjcf_mesh mjcf_mesh; // file/mjcf_mesh.h

typedef struct mjcf_material {
  const ap__node *e;
} mjcf_material;

// A <mujoco> element: the robot file's, or that of an <asset><model>.
typedef struct mjcf_model {
  const ap__node *root;
  const char *folder; // of its file, from the robot file's: "" or with a slash behind
  mjcf_compiler compiler;
  mjcf_class *classes; // the first is "main"
  int nclass, class_capacity;
  ap__names class_names;
  mjcf_material *materials; // [nmaterial]
  int nmaterial;
  ap__names material_names;
  mjcf_mesh *meshes; // [nmesh]
  int nmesh;
  ap__names mesh_names;
  struct mjcf_model *next; // of the robot's models
} mjcf_model;

// Names that one copy of a model's elements has: prefix NAME suffix.
typedef struct mjcf_scope {
  const mjcf_model *model;
  const char *prefix, *suffix;
} mjcf_scope;

// An element with what stands around it.
typedef struct mjcf_item {
  const ap__node *e;
  const mjcf_scope *scope;
  mjcf_kind kind;  // whose defaults it has
  int class;       // of those
  mjcf_pose frame; // of its body's frame: the <frame> elements around it
} mjcf_item;

// ---- records -----------------------------------------------------------------------------------

typedef enum mjcf_joint_type { MJCF_FREE, MJCF_BALL, MJCF_SLIDE, MJCF_HINGE } mjcf_joint_type;

typedef struct mjcf_joint {
  const char *name; // with prefix and suffix; NULL: none
  const ap__node *e;
  mjcf_joint_type type;
  int part;       // that it moves
  int body;       // that it belongs to
  double ref;     // q in the model's reference configuration, of a hinge or slide
  mjcf_pose home; // the same of a free joint
  int of_ball;    // 1 to 3: it is one of the three hinges z, y, x of a ball joint; 0: it is none
  bool driven;    // by an actuator
  double effort;  // bound of all its actuators
  int leader;     // the joint that it follows, counted from 1; 0: none
} mjcf_joint;

typedef struct mjcf_body {
  const char *name; // NULL: none
  const ap__node *e;
  int part;       // of the body itself, behind its joints; -1: the world
  int parent;     // -1: it is the world
  bool leaf;      // no body hangs on it
  mjcf_pose home; // in the world, in the reference configuration
} mjcf_body;

typedef struct mjcf_site {
  const char *name; // NULL: none
  const ap__node *e;
  int body;
  mjcf_pose place; // in the body's frame
} mjcf_site;

// A fixed tendon: the sum of coefficient times joint.
typedef struct mjcf_tendon {
  const char *name;
  const ap__node *e;
  int first, count; // of its terms
} mjcf_tendon;

typedef struct mjcf_term {
  int joint;
  double coefficient;
} mjcf_term;

typedef struct mjcf_closure {
  const char *name; // NULL: none
  const ap__node *e;
  bool weld;
  int body[2];
  mjcf_pose at[2]; // in the bodies' frames
} mjcf_closure;

typedef struct mjcf {
  const ap__tree *tree;
  const char *path; // of the robot file; NULL: from memory
  const ap_read_options *options;
  ap_robot *robot;
  ap_error *error;
  ap_status status;
  ap__pool pool; // names of this reading
  mjcf_model *models;
  mjcf_scope *scopes; // copies of models; the first is the robot file itself
  int nscope, scope_capacity;
  bool no_springs, no_damping, no_friction; // by <option><flag>
  bool closed;    // chains are to be closed: ball joints become three hinges
  int depth;      // of bodies, frames, copies that are being read
  long visited;   // elements so far, copies counted
  bool moves;     // the body that is being read, relative to the world
  mjcf_item *own; // of the body that is being read: inertial, joints, geoms, sites
  int nown, own_capacity;
  mjcf_body *bodies; // the first is the world
  int nbody, body_capacity;
  mjcf_joint *joints;
  int njoint, joint_capacity;
  mjcf_site *sites;
  int nsite, site_capacity;
  mjcf_tendon *tendons;
  int ntendon, tendon_capacity;
  mjcf_term *terms;
  int nterm, term_capacity;
  mjcf_closure *closures;
  int nclosure, closure_capacity;
  ap__names body_names, joint_names, site_names, tendon_names;
  ap__parts parts;
  int *carrier; // [parts.n] the part that each one hangs on, -1: the ground
  int carrier_capacity, ncarrier;
  ap__shapes shapes;
  ap__tally tally[MJCF_ODD_KINDS];
} mjcf;

// ---- faults ------------------------------------------------------------------------------------

// The first one ends the reading, with a line and a reason.
void ap__mjcf_fail(mjcf *m, const ap__node *e, const char *format, ...) AP_PRINTF(3, 4);
void ap__mjcf_no_memory(mjcf *m);
void *ap__mjcf_append(mjcf *m, void *array, int *count, int *capacity, size_t size);
// Count one more element, copies included: no small file takes forever. False: the reading ends.
bool ap__mjcf_visit(mjcf *m, const ap__node *e);
void ap__mjcf_odd(mjcf *m, mjcf_oddity what, const ap__node *e, const char *name);

// ---- elements (mjcf_model.c) -------------------------------------------------------------------

// The children of an element, those of included files in the place of <include>.
const ap__node *ap__mjcf_first(const ap__node *e);
const ap__node *ap__mjcf_next(const ap__node *n);
// The next <name> among them, from n on; NULL: none.
const ap__node *ap__mjcf_named(const ap__node *n, const char *name);

// Read compiler, classes and assets of a <mujoco> element; NULL where it fails.
mjcf_model *ap__mjcf_add_model(mjcf *m, const ap__node *root);
void ap__mjcf_free_models(mjcf *m);
// The model that an <asset><model> has; NULL where there is none of this name.
mjcf_model *ap__mjcf_find_model(mjcf *m, const mjcf_model *in, const char *name);
// The number of a class by the name that an element's attribute has; otherwise where it has none.
int ap__mjcf_class(mjcf *m, const mjcf_model *model, const ap__node *e, const char *attribute,
                   int otherwise);
// An element and the class that it asks for, or the one around it.
mjcf_item ap__mjcf_item(mjcf *m, const ap__node *e, const mjcf_scope *scope, mjcf_kind kind,
                        int around, mjcf_pose frame);

// An attribute of an element, or of the nearest class that has it; NULL: none.
const char *ap__mjcf_text(const mjcf_item *item, const char *name);
// least to most numbers of an attribute: how many; 0: there is none, and *x is as it was.
int ap__mjcf_numbers(mjcf *m, const mjcf_item *item, const char *name, int least, int most,
                     double *x);
// One of the words of a list with blanks between: its number, or `otherwise` where there is none.
int ap__mjcf_word(mjcf *m, const mjcf_item *item, const char *name, const char *words,
                  int otherwise);
// pos and orientation of an element, in its frame; true: an orientation was given.
bool ap__mjcf_place(mjcf *m, const mjcf_item *item, mjcf_pose *pose);
// The rotation of euler angles as written.
bool ap__mjcf_euler(mjcf *m, const mjcf_item *item, const double angles[3], double q[4]);
// The smallest rotation that takes z to a direction.
void ap__mjcf_quat_of_z(const double z[3], double q[4]);
double ap__mjcf_angle(const mjcf_item *item, double angle);
// A name with prefix and suffix; NULL: the element has none.
const char *ap__mjcf_name(mjcf *m, const mjcf_scope *scope, const char *name);

// ---- tags (mjcf_tags.c) ------------------------------------------------------------------------

// What the reader does with an element or attribute of MJCF.
typedef enum mjcf_use {
  MJCF_USED,
  MJCF_PASSED, // has no meaning for dynamics, and passes without a word
  MJCF_WARNED, // not used, with a warning
  MJCF_REFUSED
} mjcf_use;

typedef struct mjcf_tag {
  const char *in, *tag; // "body", "joint"; in "*": a model's section
  mjcf_use use;
  const char *used, *passed, *warned; // attributes, blanks between; "*": any
} mjcf_tag;

extern const mjcf_tag ap__mjcf_tags[]; // closed by one without a tag
// Warn of what is not known or not used in a model.
void ap__mjcf_check_tags(mjcf *m, const ap__node *root);

// ---- bodies ------------------------------------------------------------------------------------

// Every body, joint and site of the robot (mjcf_bodies.c).
void ap__mjcf_read_bodies(mjcf *m);
// Parts of the body whose elements were gathered last: one for each joint, one for itself
// (mjcf_joints.c). place: in the frame of the body that it hangs on; written: as its attributes
// say.
void ap__mjcf_add_parts(mjcf *m, int body, const mjcf_scope *scope, const mjcf_pose *place,
                        const mjcf_pose *written);
void ap__mjcf_set_place(ap_placement *to, const mjcf_pose *from);
// Its mass, centre of mass and inertia (mjcf_inertia.c). principal: the frame of its principal axes
// as MuJoCo has it; false where only a search for eigenvectors would tell.
bool ap__mjcf_read_inertia(mjcf *m, const ap__node *body, const mjcf_scope *scope,
                           const mjcf_pose *written, ap_body_def *def, mjcf_pose *principal);
void ap__mjcf_set_total_mass(mjcf *m);
// One geom as shapes of a part (mjcf_shapes.c).
void ap__mjcf_add_shapes(mjcf *m, const mjcf_item *geom, int part);
// Tell the robot how many geoms of the world may touch; they are the own elements of the walk.
void ap__mjcf_count_ground_geoms(mjcf *m);

// ---- what couples them -------------------------------------------------------------------------

// Equalities, tendons, actuators (mjcf_couplings.c), and closed chains (mjcf_loops.c).
void ap__mjcf_read_couplings(mjcf *m);
ap_status ap__mjcf_finish(mjcf *m);

#endif
