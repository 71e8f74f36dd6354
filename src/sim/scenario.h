// SPDX-License-Identifier: Apache-2.0
// Scenario files: the format as a table, which the reader follows and docs/scenarios.md shows (a
// test compares), and the parts of the reader.

#ifndef AP_SIM_SCENARIO_H
#define AP_SIM_SCENARIO_H

#include <appell/scenario.h>

#include "file/source.h"
#include "file/yaml_reduce.h"

// Limits on what a file may ask for.
enum {
  AP__MAX_OTHERS = 100,    // robots beside the first
  AP__MAX_FILES = 102,     // robots, forces
  AP__MAX_LISTED = 10000,  // walls, contacts, loads
  AP__MAX_PAIRS = 1000000, // a contact point and a wall
  AP__MAX_OUTPUTS = 10000000
};

// Beyond this, in SI units, a start is a mistake, and squares of it would soon leave no digits.
#define AP__SCENARIO_MOST 1e6

extern const ap__yaml_key ap__scenario_keys[];

// ap_scenario_parse() of a text that may lead only to files below the folder `within` (NULL: any),
// with a change of its robot (NULL: none).
ap_status ap__scenario_parse(const char *text, size_t length, const char *folder,
                             const char *within, const ap__robot_edit *edit, ap_scenario **scenario,
                             ap_error *error);

// ---- what the maps fill ------------------------------------------------------------------------

// Coefficients of the robot's own shapes.
typedef struct ap__scenario_collisions_map {
  double restitution, friction, rolling_friction, spinning_friction;
  const char *material;
} ap__scenario_collisions_map;

typedef struct ap__scenario_head {
  const char *name, *branch;
  const ap__node *robot, *contacts, *start, *joints, *forces; // NULL: not there
  int floating, ignore_mimic, ignore_loops, joint_friction, limits, links;
  ap__scenario_collisions_map collisions;
  ap__yaml_reduction part; // of the robot
  double gravity[3];
  int method;
  double relative, absolute, step;
  double window, depth, most_contacts;
  double start_time, duration, output_step;
} ap__scenario_head;

// One entry of `others`.
typedef struct ap__scenario_other {
  const ap__node *node, *robot;
  const char *name;
  double xyz[3], rpy[3];
  int floating;
} ap__scenario_other;

typedef struct ap__scenario_wall {
  const ap__node *node;
  unsigned seen; // keys that were there, as for ap__yaml_has()
  ap_wall wall;
  int kind, inside;
  double normal[3], radius, ring, tube, length, top_radius, rise, run, steps;
  const ap__node *semi_axes, *points, *lengths, *heights; // NULL: not there
  double spacing[2];
} ap__scenario_wall;

// One entry of `materials`.
typedef struct ap__scenario_material {
  const ap__node *node, *between;
  ap_material_pair pair;
} ap__scenario_material;

typedef struct ap__scenario_contact {
  unsigned seen;
  const char *name, *link, *material;
  double at[3], rpy[3], sides[3], radius, length, restitution, friction;
  double rolling_friction, spinning_friction;
  int shape;
  const ap__node *points; // of a hull; NULL: not there
} ap__scenario_contact;

typedef struct ap__scenario_start {
  unsigned seen;
  const ap__node *q, *v;
  double position[3], orientation[4], rpy[3], velocity[3], angular_velocity[3];
} ap__scenario_start;

typedef struct ap__scenario_joint_map {
  unsigned seen;
  ap_joint_spring spring;
  ap_joint_stop stop;
} ap__scenario_joint_map;

typedef struct ap__scenario_load {
  const ap__node *node;
  const char *link;
  ap_load load;
} ap__scenario_load;

// ---- the scenario ------------------------------------------------------------------------------

// Joint forces over time: constant ones, and those of a file.
typedef struct ap__forces {
  int nv;
  double *constant; // [nv], NULL: none
  int columns;      // joints in the file
  int *place;       // [columns] in v
  int rows, capacity;
  double *table; // [rows * (1 + columns)]: time, forces
  double *time;  // [rows] those inside the run
} ap__forces;

struct ap_scenario {
  ap__source source;
  const char *name;
  const char *file[AP__MAX_FILES]; // what it was read of, beside its own
  int nfile;
  ap_robot *robot;
  ap_mechanism *mechanism; // NULL: a tree, and then
  ap_model *made;          // its model
  const ap_model *model;   // of the tree
  double *q, *v;
  double gravity[3];
  ap_wall *walls;
  double *points; // of profiles and height fields
  ap_contact_point *contacts;
  ap_convex *shapes; // [npoint], of those that have one
  ap_hull **hulls;   // [nhull]
  int nhull;
  ap_material_pair *materials;
  const char **contact_materials; // [npoint]
  ap_joint_spring *springs;
  ap_joint_stop *stops;
  ap_load *loads;
  ap__forces forces;
  ap_scene scene;
  double start, end, step;
  ap_error *warnings;
  int nwarning, warning_capacity;
};

// A scenario while it is read.
typedef struct ap__scenario_reader {
  ap__yaml yaml;
  ap_scenario *scenario;
  ap__scenario_head head;
  unsigned seen; // keys of the file's own map
  ap__scenario_wall *walls;
  int nwall, wall_capacity;
  ap__scenario_material *materials;
  int nmaterial, material_capacity;
  ap__scenario_load *loads;
  int nload, load_capacity;
  ap__scenario_other *others;
  int nother, other_capacity;
  bool *held; // [nv] rates of joints that the start of a mechanism names
} ap__scenario_reader;

// Every part returns false once the error is set.

// A warning with the line that it is about.
bool ap__scenario_warn(ap__scenario_reader *r, int line, const char *format, ...) AP_PRINTF(3, 4);
// The body of this name; -1 once the error is set.
int ap__scenario_link(ap__scenario_reader *r, const char *what, int line, const char *name);
// A file that the scenario names: its place, which the scenario keeps.
ap_status ap__scenario_path(ap__scenario_reader *r, const char *name, const char **path,
                            ap_error *error);
// Is this angle one? Beyond 1e3 rad it is in degrees, or a mistake.
bool ap__scenario_angle(ap__scenario_reader *r, const char *key, int line, double angle);
// For pairs NAME: value of a node: call read with each joint's body and value.
typedef bool ap__scenario_pair(ap__scenario_reader *r, int body, const ap__node *value);
bool ap__scenario_by_joint(ap__scenario_reader *r, const char *what, const ap__node *n,
                           ap__scenario_pair *read);

bool ap__scenario_read_walls(ap__scenario_reader *r);
bool ap__scenario_read_contacts(ap__scenario_reader *r);
// The shape of a contact of the list.
bool ap__scenario_read_shape(ap__scenario_reader *r, const ap__node *n,
                             const ap__scenario_contact *c, ap_contact_point *point);
// The robot's collision shapes, where the scenario asks for them: how many there are, and those
// that can touch, appended to the contacts.
int ap__scenario_collisions(const ap__scenario_reader *r);
// Refuses coefficients of rolling and spinning friction, of a node, that are negative.
bool ap__scenario_turning(ap__scenario_reader *r, const ap__node *n, double rolling,
                          double spinning);
bool ap__scenario_take_collisions(ap__scenario_reader *r);
// Whether a run with shapes can be made and started.
bool ap__scenario_check_shapes(ap__scenario_reader *r);
bool ap__scenario_read_materials(ap__scenario_reader *r);
// Warn where a link with shapes has none of the default contact points (default_contacts.c).
bool ap__scenario_check_contacts(ap__scenario_reader *r);
bool ap__scenario_read_start(ap__scenario_reader *r);
// One joint of a start, into the scenario's q and v.
bool ap__scenario_start_joint(ap__scenario_reader *r, int body, const ap__node *n);
// The start of a mechanism with closed chains.
bool ap__scenario_start_closed(ap__scenario_reader *r);
// Springs, dampers and stops.
bool ap__scenario_read_joints(ap__scenario_reader *r);
bool ap__scenario_read_forces(ap__scenario_reader *r);
bool ap__scenario_read_loads(ap__scenario_reader *r);
// No joint starts beyond a limit that acts.
bool ap__scenario_check_limits(ap__scenario_reader *r);
// No contact point starts inside a wall.
bool ap__scenario_check_start(ap__scenario_reader *r);

ap_force ap__scenario_force; // its context is the ap__forces
void ap__forces_free(ap__forces *f);

#endif
