// The URDF reader's own: what it knows while expat walks through a file.

#ifndef AP_FILE_URDF_H
#define AP_FILE_URDF_H

#include <expat.h>

#include "file/robot.h"

// Where the reader stands: what kind of element it is in.
typedef enum urdf_place {
  IN_FILE,
  IN_ROBOT,
  IN_LINK,
  IN_INERTIAL,
  IN_SHAPE, // visual or collision
  IN_GEOMETRY,
  IN_MATERIAL, // of a shape, or of the robot
  IN_JOINT,
  IN_TRANSMISSION,
  IN_ACTUATOR, // also a transmission's joint
  IN_CONTACT,  // Bullet's, of a link
  IN_LEAF,     // nothing of interest inside
  IN_EXTENSION // gazebo and the like: skipped, but for what has a meaning for dynamics
} urdf_place;

// What a file says and the reader does not use; one warning each, with the first line and a count.
// The text is followed by the names that were met.
#define URDF_ODDITIES(X)                                                                \
  X(ODD_SPRING, "a spring is not used")                                                 \
  X(ODD_GRAVITY, "a change of gravity is not used (give --gravity, or a YAML file)")    \
  X(ODD_LINK_DAMPING, "damping of a link's motion is not used")                         \
  X(ODD_LOOP, "a closed loop or constraint is not used")                                \
  X(ODD_INERTIA, "a change of mass or inertia is not used")                             \
  X(ODD_PLUGIN, "a plugin that couples joints is not used (write <mimic>)")             \
  X(ODD_XACRO, "a leftover of xacro is not used")                                       \
  X(ODD_ELEMENT, "an unknown element is not used")                                      \
  X(ODD_ATTRIBUTE, "an unknown attribute is not used")                                  \
  X(ODD_FRICTION, "damping and friction of a joint with several freedoms are not used") \
  X(ODD_NEGATIVE, "a negative limit of effort or velocity is taken for none")           \
  X(ODD_FIXED_MIMIC, "mimic of a joint that cannot follow is not used")                 \
  X(ODD_NO_RANGE, "a limit without lower and upper is the range 0 to 0")                \
  X(ODD_COUPLED, "rotor inertia of a transmission that couples joints is not used")     \
  X(ODD_NO_JOINT, "a transmission names a joint that is not there, or that has no motor")

typedef enum urdf_oddity {
#define URDF_ODDITY_ENUM(code, text) code,
  URDF_ODDITIES(URDF_ODDITY_ENUM)
#undef URDF_ODDITY_ENUM
      ODDITIES
} urdf_oddity;

typedef struct urdf_tally {
  int count, line;
  char names[128]; // different ones, as far as they fit
} urdf_tally;

// A joint element. Names belong to the robot.
typedef struct urdf_joint {
  ap_body_def def; // the joint's fields only
  const char *name, *parent, *child, *leader;
  int line, parent_line, child_line, mimic_line;
  bool continuous;
} urdf_joint;

// A transmission element.
typedef struct urdf_transmission {
  const char *joint; // the first; NULL: none
  int joints, actuators;
  int line;
  double gear, rotor;   // NAN where not said
  const char *conflict; // what was said twice, if anything
  int conflict_line;
} urdf_transmission;

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

typedef struct urdf_level {
  urdf_place place;
  unsigned seen; // bit k: the k-th of the elements that may stand here once has come
  const struct urdf_rule *rule;
} urdf_level;

typedef struct urdf {
  XML_Parser xml;
  ap_robot *robot;
  ap_error *error;
  ap_status status;
  urdf_level level[AP__MAX_DEPTH + 1];
  int depth; // index of the innermost level
  ap__parts links;
  ap__shapes shapes;
  urdf_material *materials;
  int nmaterial, material_capacity;
  urdf_joint *joints;
  int njoint, joint_capacity;
  urdf_transmission *transmissions;
  int ntransmission, transmission_capacity;
  urdf_plugin *plugins;
  int nplugin, plugin_capacity;
  int plugin_line;      // of the one that is open; 0: none is
  int plugin_followers; // that it has named
  char text[256];       // character data of the element that is being collected
  int text_length;
  bool collect;
  urdf_tally tally[ODDITIES];
} urdf;

// An element: where it may stand, what to do when it starts (with its attributes) and ends.
typedef struct urdf_rule {
  urdf_place in;
  const char *element;
  urdf_place to;
  bool once;              // a second one is an error
  const char *attributes; // known ones, blanks between; NULL: any
  bool (*start)(urdf *u, const char **attributes);
  bool (*end)(urdf *u);
} urdf_rule;

// The rules, closed by one without element.
extern const urdf_rule ap__urdf_rules[];

// Stop with an error at the current line, or at another. Always false.
bool ap__urdf_fail(urdf *u, const char *format, ...) AP_PRINTF(2, 3);
bool ap__urdf_fail_at(urdf *u, int line, const char *format, ...) AP_PRINTF(3, 4);
bool ap__urdf_no_memory(urdf *u);
int ap__urdf_line(const urdf *u);
// Count something odd; name says what was met.
void ap__urdf_odd(urdf *u, urdf_oddity what, int line, const char *name);
// An attribute's value; NULL where there is none.
// What a joint's attribute `type` may be, closed by a name of NULL.
typedef struct urdf_type {
  const char *name;
  ap_joint_type type;
} urdf_type;
extern const urdf_type ap__urdf_types[];

const char *ap__urdf_attribute(const char **attributes, const char *name);
// Stop: the file is a xacro one. Always false.
bool ap__urdf_fail_xacro(urdf *u);

// Shapes and materials (urdf_shapes.c): elements as they start, and the colours of names.
bool ap__urdf_start_visual(urdf *u, const char **attributes);
bool ap__urdf_start_collision(urdf *u, const char **attributes);
bool ap__urdf_start_shape_origin(urdf *u, const char **attributes);
bool ap__urdf_start_box(urdf *u, const char **attributes);
bool ap__urdf_start_cylinder(urdf *u, const char **attributes);
bool ap__urdf_start_sphere(urdf *u, const char **attributes);
bool ap__urdf_start_mesh(urdf *u, const char **attributes);
bool ap__urdf_start_robot_material(urdf *u, const char **attributes);
bool ap__urdf_start_shape_material(urdf *u, const char **attributes);
bool ap__urdf_start_color(urdf *u, const char **attributes);
bool ap__urdf_color_shapes(urdf *u);

// Join links, joints and transmissions to parts and assemble them.
ap_status ap__urdf_finish(urdf *u, const ap_read_options *options);

#endif
