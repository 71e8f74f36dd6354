// SPDX-License-Identifier: Apache-2.0
// What the rules share: the file, its robot, its model, the findings so far.

#ifndef AP_LINT_EXAMINE_H
#define AP_LINT_EXAMINE_H

#include <appell/dyn.h>
#include <appell/lint.h>

#include "file/tree.h"
#include "lint/motion.h"
#include "lint/robot.h"

struct ap_lint {
  ap_finding *finding;
  int n, capacity;
  int count[3]; // by severity
  ap__pool pool;
};

typedef struct lint {
  ap_lint *found;
  const ap_lint_options *options;
  const char *path; // of the robot file, for meshes; NULL: none
  bool find_meshes;
  ap__tree tree;           // of the file; texts of the robot belong to it
  bool no_memory;          // the rest is in vain
  bool cut;                // the file is not whole: nobody knows what is missing
  ap_status strict_status; // of that robot and its model
  ap_robot *strict;        // as everybody else reads it; NULL: it is refused
  ap_mechanism *mechanism; // of that; NULL: a tree, or it cannot be made
  lint_robot robot;
  ap_model *model; // of the robot, corrected where necessary; NULL: there is none
  void *model_memory;
  int *link_of;       // [bodies of the model] link by body
  double spent;       // bodies times evaluations, by effects
  lint_motion motion; // typical states of the model
} lint;

// A finding in the making: texts are cut to one line.
typedef struct lint_note {
  const char *rule;
  ap_severity severity;
  int line;
  const char *subject;
  char what[320], why[640], fix[400];
  ap_lint_effect effect;
  bool unfelt; // no joint's force changes at all
} lint_note;

// Begin a finding of a rule, with the rule's severity.
lint_note ap__lint_begin(const char *rule, int line, const char *subject);
void ap__lint_what(lint_note *note, const char *format, ...) AP_PRINTF(2, 3);
void ap__lint_why(lint_note *note, const char *format, ...) AP_PRINTF(2, 3); // appends a sentence
void ap__lint_fix(lint_note *note, const char *format, ...) AP_PRINTF(2, 3);
// Keep it, unless its rule is disabled.
void ap__lint_end(lint *l, const lint_note *note);
bool ap__lint_enabled(const lint *l, const char *rule);
// Has this line an error already?
bool ap__lint_has_error_at(const lint *l, int line);
// Whether there was memory, which is remembered.
static inline bool ap__lint_got(lint *l, bool memory) {
  l->no_memory = l->no_memory || !memory;
  return memory;
}
// " (line 12)", or nothing for what comes from no file.
typedef struct lint_place {
  char text[24];
} lint_place;
lint_place ap__lint_place(int line);
// By lines, then by severity, the worst first.
void ap__lint_sort(ap_lint *found);

// Readers: fill l->robot, of l->tree or a definition, and say what is wrong on the way.
void ap__lint_read_urdf(lint *l);
void ap__lint_read_yaml(lint *l);
// The links of a URDF tree as bodies of a new robot, with their shapes, and whether the inertia of
// each one is not complete. False: no memory; the caller frees both in any case.
bool ap__lint_urdf_links(lint *l, ap_robot *robot, bool **lost);
// lines: [nbody + 1] by number; NULL: there are none.
void ap__lint_read_definition(lint *l, const ap_robot_def *def, const ap__lines *lines);
// How a value is written, by the format.
#define LINT_FORM(l, yaml_form, urdf_form, mjcf_form) \
  ((l)->robot.mjcf ? (mjcf_form) : (l)->robot.yaml ? (yaml_form) : (urdf_form))
// A body of a definition as a link and its joint, at the part's lines; false: no memory.
bool ap__lint_add_body(lint *l, const ap__part *part, lint_link **link, lint_joint **joint);
// What a definition says of a joint, but its names. Limits that are not finite are none.
void ap__lint_take_joint(lint_joint *joint, const ap_body_def *body);
// A shape of a link, unless it is of no kind.
void ap__lint_take_shape(lint *l, int link, const ap_shape *shape);

// The passes, in this order. All add findings.
void ap__lint_convert_units(lint *l); // degrees and millimetres become rad and m; no findings
void ap__lint_structure(lint *l);     // names, parents, roots, loops; poses and children
void ap__lint_sizes(lint *l);         // shapes, meshes; how large links are
void ap__lint_twins(lint *l);         // pairs left and right; no findings
void ap__lint_make_model(lint *l);
void ap__lint_units(lint *l); // what was converted
void ap__lint_inertias(lint *l);
void ap__lint_suspects(lint *l);
void ap__lint_mirror(lint *l);
void ap__lint_joints(lint *l);
void ap__lint_gravity(lint *l);
void ap__lint_precision(lint *l);
void ap__lint_chains(lint *l);

// Add to note->why what it means for the joints that a link has one inertia instead of another.
void ap__lint_effect(lint *l, lint_note *note, int link, const lint_inertia *now,
                     const lint_inertia *then);
// End a finding that is a suspicion: a note, where it changes no joint's force by a percent of its
// largest.
void ap__lint_end_suspicion(lint *l, lint_note *note);
// Suggest this tensor, as the file would write it.
void ap__lint_fix_inertia(const lint *l, lint_note *note, int link, const lint_inertia *then);
// The end of a finding on a link's inertia: what another one means, and that one.
void ap__lint_suggest(lint *l, lint_note *note, int link, const lint_inertia *then);

#endif
