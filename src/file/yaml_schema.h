// The Appell YAML format as a table: the reader follows it, docs/yaml.md shows it (a test
// compares).

#ifndef AP_FILE_YAML_SCHEMA_H
#define AP_FILE_YAML_SCHEMA_H

#include "file/yaml_map.h"

extern const ap__yaml_key ap__yaml_keys[];

// What the maps "robot", "body" (with those inside it) and "frame" fill.
typedef struct ap__yaml_robot {
  const char *name;
  double gravity[3];
} ap__yaml_robot;

typedef struct ap__yaml_body {
  ap__part part;
  int type;       // ap_joint_type
  int convention; // among the DH kinds of ap_placement_kind
} ap__yaml_body;

typedef struct ap__yaml_frame {
  ap_frame_def def;
  const char *body;
  int line;
} ap__yaml_frame;

#endif
