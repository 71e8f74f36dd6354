// SPDX-License-Identifier: Apache-2.0
// The Appell YAML format as a table: the reader follows it, docs/yaml.md shows it (a test
// compares).

#ifndef AP_FILE_YAML_SCHEMA_H
#define AP_FILE_YAML_SCHEMA_H

#include "file/yaml_map.h"

extern const ap__yaml_key ap__yaml_keys[];

// What the maps fill: "robot"; "body" with those inside it; "shape"; "frame"; "closure" and its two
// "end"s; "coordinate"; "branch".
typedef struct ap__yaml_robot {
  const char *name;
  double gravity[3];
  const ap__node *guess;
} ap__yaml_robot;

typedef struct ap__yaml_body {
  ap__part part;
  int type;             // ap_joint_type
  int convention;       // among the DH kinds of ap_placement_kind
  const ap__node *rest; // of the spring: how many numbers depends on the type
} ap__yaml_body;

typedef struct ap__yaml_shape_map {
  int kind; // from AP_SHAPE_BOX on
  int use;  // visual, collision
  double size[3], radius, length, scale[3], xyz[3], rpy[3], color[4];
  double contype, conaffinity;
  const char *file;
  unsigned seen; // its keys
} ap__yaml_shape_map;

typedef struct ap__yaml_frame {
  ap_frame_def def;
  const char *body;
  int line;
} ap__yaml_frame;

typedef struct ap__yaml_end {
  const char *body, *joint;
  double xyz[3], axis[3], rpy[3];
  unsigned seen; // its keys
} ap__yaml_end;

typedef struct ap__yaml_closure {
  const char *name;
  int kind; // ap_closure_kind
  ap__yaml_end end[2];
  double distance, ratio, offset;
  int line;
} ap__yaml_closure;

typedef struct ap__yaml_coordinate {
  const char *name;
  int kind; // ap_coordinate_kind
  const char *body, *joint;
  double xyz[3], along[3];
  int line;
} ap__yaml_coordinate;

typedef struct ap__yaml_branch {
  const char *name;
  const ap__node *guess;
  int line;
} ap__yaml_branch;

typedef struct ap__yaml_actuator {
  const char *joint;
  int line;
} ap__yaml_actuator;

// The doctor's reading of a robot file: what can be read of the head, which has the defaults, and a
// part for each entry of the list of bodies. NAN: masses, centres (the first of the three), tensors
// (the first of the six) and limits that cannot be read. The caller frees the parts.
ap_status ap__yaml_examine(const ap__tree *tree, const ap__yaml_doctor *doctor, ap__pool *kept,
                           ap__yaml_robot *head, ap__parts *bodies);

// ---- closed chains (yaml_chains.c) -------------------------------------------------------------

// What a file says of them, before the names are resolved.
typedef struct ap__yaml_chains {
  int line; // of the first key about them; 0: there is none
  ap__yaml_closure *closure;
  ap__yaml_coordinate *coordinate;
  ap__yaml_branch *branch;
  ap__yaml_actuator *actuator;
  int nclosure, ncoordinate, nbranch, nactuator;
  int closure_capacity, coordinate_capacity, branch_capacity, actuator_capacity;
} ap__yaml_chains;

// A value of the keys closures, coordinates, branches, actuated.
bool ap__yaml_chains_list(ap__yaml *y, const ap__yaml_key *k, const ap__node *n,
                          ap__yaml_chains *chains);
// Rules across the keys of closure, end, coordinate; true for other maps.
bool ap__yaml_chains_finish(ap__yaml *y, const ap__node *n, const char *map, unsigned seen,
                            void *target);
// Resolve the names, and hang what was read on the robot, whose bodies are there. ground_taken: a
// body is called "ground".
bool ap__yaml_chains_resolve(ap__yaml *y, const ap__yaml_chains *chains, const ap__node *guess,
                             bool ground_taken, ap_robot *robot);
void ap__yaml_chains_free(ap__yaml_chains *chains);

#endif
