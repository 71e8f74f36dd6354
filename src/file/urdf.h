// SPDX-License-Identifier: Apache-2.0
// URDF: the elements of a tree as records. One reading serves two: the strict one stops at the
// first fault, the doctor's goes on past it and hears of each.

#ifndef AP_FILE_URDF_H
#define AP_FILE_URDF_H

#include "file/names.h"
#include "file/tally.h"
#include "file/tree.h"

// What kind of element something stands in. The doctor looks for what is unknown in those up to
// IN_LEAF.
typedef enum urdf_place {
  IN_FILE,
  IN_ROBOT,
  IN_LINK,
  IN_INERTIAL,
  IN_VISUAL,
  IN_COLLISION,
  IN_GEOMETRY,
  IN_MATERIAL, // of a shape, or of the robot
  IN_JOINT,
  IN_CONSTRAINT,
  IN_LEAF, // nothing belongs inside
  IN_TRANSMISSION,
  IN_ACTUATOR,  // also a transmission's joint
  IN_CONTACT,   // Bullet's, of a link
  IN_ANYTHING,  // of no interest
  IN_EXTENSION, // gazebo and the like: skipped, but for what has a meaning for dynamics
} urdf_place;

// What a file says and the reader does not use; one warning each, with the first line and a count.
// The text is followed by the names that were met.
#define URDF_ODDITIES(X)                                                                          \
  X(ODD_SPRING, "a spring is not used")                                                           \
  X(ODD_GRAVITY, "a change of gravity is not used (give --gravity, or a YAML file)")              \
  X(ODD_LINK_DAMPING, "damping of a link's motion is not used")                                   \
  X(ODD_LOOP, "a closed loop or constraint is not used")                                          \
  X(ODD_INERTIA, "a change of mass or inertia is not used")                                       \
  X(ODD_PLUGIN, "a plugin that couples joints is not used (write <mimic>)")                       \
  X(ODD_XACRO, "a leftover of xacro is not used")                                                 \
  X(ODD_ELEMENT, "an unknown element is not used")                                                \
  X(ODD_ATTRIBUTE, "an unknown attribute is not used")                                            \
  X(ODD_FRICTION,                                                                                 \
    "damping and friction in <dynamics> of a joint with several degrees of freedom are not used") \
  X(ODD_NEGATIVE, "a negative limit of effort or velocity counts as no limit")                    \
  X(ODD_FIXED_MIMIC, "mimic of a joint that cannot be a follower is not used")                    \
  X(ODD_NO_RANGE, "a limit without lower and upper is the range 0 to 0")                          \
  X(ODD_COUPLED, "rotor inertia of a transmission that couples joints is not used")               \
  X(ODD_NO_JOINT, "a transmission names a joint that does not exist or cannot have a motor")

typedef enum urdf_oddity {
#define URDF_ODDITY_ENUM(code, text) code,
  URDF_ODDITIES(URDF_ODDITY_ENUM)
#undef URDF_ODDITY_ENUM
      ODDITIES
} urdf_oddity;

// A link element. Texts of records belong to the tree.
typedef struct urdf_link {
  ap__part part; // the link's own fields
  struct {
    const ap__node *inertial, *origin, *mass, *inertia; // NULL: not there
  } at;
  bool mass_read, com_read;
  unsigned moments; // bit i: part.def.inertia[i] was read
} urdf_link;

// A joint element.
typedef struct urdf_joint {
  ap_body_def def;                                   // the joint's fields only
  const char *name, *type, *parent, *child, *leader; // NULL: not said
  struct {
    const ap__node *joint, *origin, *parent, *child, *axis, *limit, *dynamics, *mimic;
  } at;
  double lower, upper, effort, velocity; // as written; NAN: not said
} urdf_joint;

// A transmission element.
typedef struct urdf_transmission {
  const char *joint; // the first; NULL: none
  int joints, actuators;
  int line, gear_line, rotor_line;
  double gear, rotor;   // NAN where not said
  const char *conflict; // what was said twice, if anything
  int conflict_line;
} urdf_transmission;

// What Gazebo's extension of a joint says of its spring.
typedef struct urdf_spring {
  const char *joint;      // NULL: none
  const char *element;    // that says so
  double stiffness, rest; // NAN where not said
  int line;
} urdf_spring;

// A constraint element: what closes a chain. Two entries: of the parent and of the child.
typedef struct urdf_constraint {
  const char *name, *type; // NULL: not said
  const ap__node *e;
  const char *link[2];
  double xyz[2][3], rpy[2][3]; // of the constraint in the link's frame
  double axis[2][3];           // in the constraint's frame
} urdf_constraint;

// A plugin that makes a joint follow another.
typedef struct urdf_plugin {
  const char *follower; // NULL: it does not say which
  int line;
} urdf_plugin;

// A colour with a name.
typedef struct urdf_material {
  const char *name; // "": it has none
  double color[4];
  bool colored;
  int shape; // the shape that it stands in; -1: the robot
} urdf_material;

// What the doctor does with a fault. Its subject is the link or joint it belongs to, or "".
typedef struct urdf_doctor {
  void *context;
  // n numbers of an element's attribute or text. True: *x was read, or one can tell what was meant.
  bool (*numbers)(void *context, const ap__node *e, const char *subject, const char *what,
                  const char *text, int n, double *x);
  // Something that has to be there is not.
  void (*missing)(void *context, int line, const char *subject, const char *what, const char *fix);
  // A rotation by quat_xyzw, which the strict reading refuses, to rpy where it can be read.
  void (*quaternion)(void *context, const ap__node *e, const char *subject, double rpy[3]);
} urdf_doctor;

typedef struct urdf {
  const ap__tree *tree;
  const urdf_doctor *doctor; // NULL: the strict reading
  ap_robot *robot;           // of the strict reading
  ap_error *error;
  ap_status status;
  const char *subject; // the link or joint that is being read
  bool drawn;          // a shape is being read
  const char *name;    // of the robot; NULL: not said
  urdf_link *links;
  int nlink, link_capacity;
  ap__parts parts; // the same, with their joints
  ap__shapes shapes;
  urdf_material *materials;
  int nmaterial, material_capacity;
  urdf_joint *joints;
  int njoint, joint_capacity;
  urdf_transmission *transmissions;
  int ntransmission, transmission_capacity;
  urdf_spring *springs;
  int nspring, spring_capacity;
  urdf_constraint *constraints;
  int nconstraint, constraint_capacity;
  urdf_plugin *plugins;
  int nplugin, plugin_capacity;
  int plugin_line;      // of the one that is open; 0: none is
  int plugin_followers; // that it has named
  ap__tally tally[ODDITIES];
} urdf;

// An element: where it may stand, what to do when it starts (with its attributes) and ends.
typedef struct urdf_rule {
  urdf_place in;
  const char *element;
  urdf_place to;
  enum { URDF_MANY, URDF_FIRST, URDF_ONCE } times; // the first counts; a second one is an error
  bool strict;            // an unknown attribute is reported by the strict reading, too
  const char *attributes; // known ones, blanks between; NULL: any
  void (*start)(urdf *u, const ap__node *e);
  void (*end)(urdf *u, const ap__node *e);
} urdf_rule;

// The rules, closed by one without element; those of places up to IN_LEAF come first.
extern const urdf_rule ap__urdf_rules[];
// NULL: the element is unknown there.
const urdf_rule *ap__urdf_rule(urdf_place in, const char *element);

// What a joint's attribute `type` may be, closed by a name of NULL.
typedef struct urdf_type {
  const char *name;
  ap_joint_type type;
} urdf_type;
extern const urdf_type ap__urdf_types[];
// NULL: unknown.
const urdf_type *ap__urdf_type(const char *name);

// Read what the tree has into the records; *u has the first four. The caller frees them in any
// case.
void ap__urdf_walk(urdf *u);
void ap__urdf_free(urdf *u);

// A fault: the first one ends the strict reading, with a line and a reason. The doctor's goes on.
void ap__urdf_fail(urdf *u, int line, const char *format, ...) AP_PRINTF(3, 4);
void ap__urdf_fail_xacro(urdf *u, int line);
void ap__urdf_no_memory(urdf *u);
// As ap__append(); NULL is ap__urdf_no_memory().
void *ap__urdf_append(urdf *u, void *array, int *count, int *capacity, size_t size);
// Count something odd; name says what was met.
void ap__urdf_odd(urdf *u, urdf_oddity what, int line, const char *name);
// An attribute of n numbers. False: there is none, or it cannot be read; *x is as it was.
bool ap__urdf_numbers(urdf *u, const ap__node *e, const char *name, int n, double *x);
// True: xyz was read.
bool ap__urdf_origin(urdf *u, const ap__node *e, double xyz[3], double rpy[3]);
// The largest double stands for "no limit": a reader that wants the attribute gets a number.
double ap__urdf_limit(double x);

// Shapes and materials (urdf_shapes.c): elements as they start, and the colours of names.
void ap__urdf_start_shape(urdf *u, const ap__node *e);
void ap__urdf_start_shape_origin(urdf *u, const ap__node *e);
void ap__urdf_start_geometry(urdf *u, const ap__node *e);
void ap__urdf_start_material(urdf *u, const ap__node *e);
void ap__urdf_start_color(urdf *u, const ap__node *e);
bool ap__urdf_color_shapes(urdf *u); // false: no memory

// Constraints (urdf_loops.c): elements as they start, and the mechanism of an assembled robot.
void ap__urdf_start_constraint(urdf *u, const ap__node *e);
void ap__urdf_start_end(urdf *u, const ap__node *e);
void ap__urdf_start_end_origin(urdf *u, const ap__node *e);
void ap__urdf_start_end_axis(urdf *u, const ap__node *e);
ap_status ap__urdf_close(urdf *u, const ap__names *links, const ap_read_options *options);

// Join links, joints and transmissions to parts and assemble them.
ap_status ap__urdf_finish(urdf *u, const ap_read_options *options);

#endif
