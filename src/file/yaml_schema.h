// The Appell YAML format as a table: the reader follows it, docs/yaml.md shows it (a test
// compares).

#ifndef AP_FILE_YAML_SCHEMA_H
#define AP_FILE_YAML_SCHEMA_H

#include "file/robot.h"

typedef enum ap__yaml_kind {
  AP__YAML_VERSION, // the number 1
  AP__YAML_TEXT,    // const char *
  AP__YAML_TEXTS,   // a list of texts, handed on one by one
  AP__YAML_NUMBERS, // double[count]
  AP__YAML_LIMIT,   // double, or none: the default stays
  AP__YAML_CHOICE,  // int, the place among the words of `of`
  AP__YAML_MAP,     // the map named by `of`, which fills the same struct
  AP__YAML_LIST     // a list of such maps, each with a struct of its own
} ap__yaml_kind;

// One key that a file may have.
typedef struct ap__yaml_key {
  const char *map; // the map it stands in
  const char *key;
  ap__yaml_kind kind;
  int count;           // of AP__YAML_NUMBERS
  size_t offset;       // where the value goes in the struct of the map
  const char *of;      // see the kinds
  const char *unit;    // for the manual, as is what follows
  const char *initial; // default in words; "required" means that
  const char *about;
} ap__yaml_key;

// The keys, closed by one without map; those of a map stand together.
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
