// SPDX-License-Identifier: Apache-2.0
// A robot as its file has it, mistakes included: links and joints that name each other, every
// number with the line it came from. The rules look at this; what they compute with is the model
// that model.c makes of it.

#ifndef AP_LINT_ROBOT_H
#define AP_LINT_ROBOT_H

#include <appell/mechanism.h>

#include "file/robot.h"

typedef struct lint_shape {
  ap_shape_kind kind;
  bool collision;
  int link, line;
  double xyz[3], rpy[3];
  double size[3];   // box: sides; cylinder: radius, length; sphere: radius; mesh: scale
  const char *file; // of a mesh
  bool in_degrees;  // by units.c: rpy was, and is converted
  // found out by size.c
  bool bounded;           // low and high are known
  double low[3], high[3]; // in the shape's own frame, scale applied
  double volume;          // m3; 0: not known
} lint_shape;

// Mass, centre of mass, and the inertia about it with axes parallel to the link's.
typedef struct lint_inertia {
  double mass, com[3], tensor[6];
} lint_inertia;

typedef struct lint_link {
  const char *name; // "" where it has none
  int line;
  bool inertial;                         // it says something of mass
  int mass_line, com_line, inertia_line; // 0: not said
  bool mass_given, tensor_given;
  bool in_degrees, in_millimetres;        // by units.c: rpy and com were, and are converted
  bool mass_lost, com_lost, tensor_lost;  // said, but not to be read as a whole
  double mass, com[3], tensor[6], rpy[3]; // as the file has them
  double compensated;                     // fraction of its weight
  lint_inertia own;                       // the same with the axes of the link
  double moment[3], axes[9];              // principal, ascending; axes as columns
  int first_shape, nshape;
  // found out by tree.c
  int joint;                     // that carries it; -1: none
  int number;                    // of the body in the model; 0: it is not there
  int first_child, next_sibling; // links; -1: none
  double carried;                // mass of the link and of all that hangs on it
  bool doubtful;                 // of it or of what hangs on it something is lost
  double R[9], p[3];             // pose in the root's frame, all joints at zero
  // found out by size.c
  bool boxed;             // the box below is that of its shapes
  double low[3], high[3]; // link frame
  double volume;          // of its one shape; 0: not known
  int solid;              // that shape
  double jointed;         // distance of its farthest joint
  double length;          // how far it is known to extend: joints, centre of mass, shapes
  int twin;               // the link on the other side, -1: none
  bool left;              // of the two, the one that the name calls so
} lint_link;

typedef struct lint_joint {
  const char *name, *parent, *child, *leader; // NULL: not said
  ap_joint_type type;
  bool continuous, type_known;
  int line, parent_line, child_line, origin_line, axis_line, limit_line, dynamics_line, mimic_line,
      rotor_line, spring_line;
  ap_placement place;
  double axis[3];
  double lower, upper, effort, velocity; // NAN: not given
  double viscous, coulomb, stiction, rotor, gear;
  double stiffness, rest[AP_JOINT_NQ];
  double ratio, offset;            // of mimic
  bool in_degrees, in_millimetres; // by units.c: the place was, and is converted
  // found out by tree.c
  int parent_link, child_link; // -1: none
  int leader_joint;            // -1: none
} lint_joint;

typedef struct lint_robot {
  const char *name;
  double gravity[3];
  int gravity_line;
  lint_link *link;
  int nlink, link_capacity;
  lint_joint *joint;
  int njoint, joint_capacity;
  lint_shape *shape;
  int nshape, shape_capacity;
  int *order; // links of the tree, parents first
  int norder;
  double longest; // of all links
  double median;  // of the lengths in the file, 0: there are too few
  bool astray;    // a joint hangs on nobody knows what
  bool yaml;      // bodies on the ground, z axes by default: also of MJCF
  bool mjcf;
} lint_robot;

// A link, a joint with the format's defaults; NULL: no memory.
lint_link *ap__lint_add_link(lint_robot *robot, const char *name, int line);
lint_joint *ap__lint_add_joint(lint_robot *robot, const char *name, int line);
// Shapes of a link are added one after the other; NULL: no memory.
lint_shape *ap__lint_add_shape(lint_robot *robot, int link, const ap_shape *s);
void ap__lint_robot_free(lint_robot *robot);
// The joint that carries a link; NULL: none.
const lint_joint *ap__lint_carrier(const lint_robot *robot, int link);
bool ap__lint_one_dof(const lint_joint *joint);

#endif
