// SPDX-License-Identifier: Apache-2.0
// Programs as C: one state at a time, and many states side by side.

#ifndef AP_CODEGEN_C_SOURCE_H
#define AP_CODEGEN_C_SOURCE_H

#include <appell/loop.h>
#include <stdint.h>

#include "codegen/write.h"

/// What a whole file is written from.
typedef struct ap_unit {
  const ap_model *m;             // or NULL and
  const ap_parallel *parallel;   // a parallel robot
  const ap_mechanism *mechanism; // closed chains, of which m is the tree; else NULL
  bool many;                     // of a mechanism: functions of many states
  int nq, nv;
  const ap_generate_options *options;
  const char *name;       // prefix of all names
  const ap_program *part; // [parts]
  const char **part_name; // [parts] without the prefix: "inverse_dynamics"
  int parts;
  int entries;       // the first of them, which are called from outside; the rest make rollouts
  int regrouped;     // inertial parameters that were moved
  const int *frames; // [nframes] of forward_kinematics
  int nframes;
  const ap_count *count; // [AP_FUNCTIONS]
  // What differs where functions are not plain C:
  const char *qualifier;      // before a function of one state
  const char *part_qualifier; // before a part of a function, a template
  ap_lengths lengths;         // of functions and parts
  bool pairs;                 // operations of one state in vectors of two
  const char *inlined;        // before a function that others inline
  const char *restricted;     // the word `restrict` and a blank
  void (*sincos)(ap__text *t, const ap_dialect *d, const ap_plan *plan); // NULL: that of C
} ap_unit;

static inline bool ap__is_single(const ap_unit *u) { return u->options->arithmetic == AP_F32; }
static inline const char *ap__scalar(const ap_unit *u) {
  return ap__is_single(u) ? "float" : "double";
}
static inline const char *ap__result_type(const ap_program *p) {
  return p->pivots > 0 ? "int" : "void";
}

/// The parameters of a function; `restricted` where its definition may say so.
void ap__put_parameters(ap__text *t, const ap_unit *u, const ap_program *p, bool restricted);
/// The comment at the top of a file: what it is, which model, conventions, operations.
void ap__put_banner(ap__text *t, const ap_unit *u, const char *ending);

/// Pieces of it: a name from a file, which ends neither comment nor line; the hash of a model; the
/// frames of forward_kinematics in their order.
void ap__put_plain(ap__text *t, const char *name);
uint64_t ap__hash_of_model(const ap_model *m);
void ap__put_frames(ap__text *t, const ap_unit *u);

/// A comment that says whose Jacobian part k is, where its name does not.
void ap__put_frame(ap__text *t, const ap_unit *u, int k);

/// NAME.c and NAME.h. A text that failed ran out of memory.
void ap__put_c_source(ap__text *t, const ap_unit *u);
void ap__put_c_header(ap__text *t, const ap_unit *u);

// What other languages with C's expressions are written with.

/// A template with the words of this unit. `value` is the type $V of a value without the prefix, ""
/// for a plain number; `ending` is $S.
void ap__put_text(ap__text *t, const ap_unit *u, const char *text, const char *value,
                  const char *ending);
/// The routines that its functions use.
void ap__put_routines(ap__text *t, const ap_unit *u);
/// Whether any function has such an operation, or needs sines and cosines.
bool ap__has_operation(const ap_unit *u, ap_op op);
bool ap__has_angles(const ap_unit *u);
/// What a function of one state says of pivots, see ap_dialect.
void ap__doubt_scalar(ap__text *t, const ap_dialect *d, const ap_plan *plan);
void ap__check_scalar(ap__text *t, const ap_dialect *d, const ap_plan *plan);
/// All functions of part k.
void ap__put_program(ap__text *t, const ap_unit *u, int k);

#endif
