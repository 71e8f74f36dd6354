// SPDX-License-Identifier: Apache-2.0
// Pieces of source text, and a program written in a dialect.

#ifndef AP_CODEGEN_WRITE_H
#define AP_CODEGEN_WRITE_H

#include <string.h>

#include "codegen/plan.h"
#include "file/text.h"

/// A word of a template and what it stands for; a list ends with {0}.
typedef struct ap_word {
  char letter;
  const char *text;
} ap_word;

/// Text in which `$x`, or `@x`, stands for the word with that letter.
void ap__put_template(ap__text *t, const char *text, const ap_word *words);

/// What C has no operator for: NAME_WORD(x, y, z) of as many operands as the operation has.
typedef struct ap_routine {
  const char *word, *text; // its name, NULL where there is an operator; and what it returns
} ap_routine;
extern const ap_routine ap__routine[AP_OPS];

static inline void put(ap__text *t, const char *text) { ap__text_bytes(t, text, strlen(text)); }

/// How a program is written down: what differs between one state at a time, states side by side in
/// lanes, and whatever else has C's expressions.
typedef struct ap_dialect {
  const char *type;   // of a value
  bool single;        // literals are float
  const char *name;   // prefix of all names
  const char *ending; // of the functions of its values
  const char *splat;  // what makes a value of a literal that stands alone, written before it
  const char *mask;   // what turns a comparison into the type of `sound`
  bool direct;        // inputs are read where they are used, but for one that may be the output
  bool filled;        // outputs that are numbers are there already
  /// A value read from entry i of an array, declared as a variable of both names joined.
  void (*load)(ap__text *t, const struct ap_dialect *d, const char *array, int i);
  /// What is written before and behind an expression that goes to entry i of an array.
  void (*store)(ap__text *t, const struct ap_dialect *d, const char *array, int i);
  void (*stored)(ap__text *t, const struct ap_dialect *d, const char *array, int i);
  /// Zeros in `count` entries of an array from i on; NULL: they are stored one by one
  /// (a device keeps small arrays in registers).
  void (*zeros)(ap__text *t, const struct ap_dialect *d, const char *array, int i, int count);
  /// Sines and cosines of all angles into arrays s and c.
  void (*sincos)(ap__text *t, const struct ap_dialect *d, const ap_plan *plan);
  /// What pivots say; what follows is to be done where they leave a doubt whether the state is
  /// singular.
  void (*doubt)(ap__text *t, const struct ap_dialect *d, const ap_plan *plan);
  /// The end of that, and of the function where the state is singular.
  void (*check)(ap__text *t, const struct ap_dialect *d, const ap_plan *plan);
  /// The call of one part of a program that is cut; `function` is the name without the prefix.
  void (*call)(ap__text *t, const struct ap_dialect *d, const ap_plan *plan, int part);
  const char *function;
  /// Where a plan has moves: a statement for angles that are not reduced here.
  void (*exit)(ap__text *t, const struct ap_dialect *d, const ap_plan *plan);
} ap_dialect;

/// The body of the entry function: loads, sines and cosines, statements or calls of parts, stores.
void ap__put_body(ap__text *t, const ap_dialect *d, const ap_plan *plan);
/// The body of one part.
void ap__put_part(ap__text *t, const ap_dialect *d, const ap_plan *plan, int part);
/// A number, as outputs have it: never minus zero.
void ap__put_literal(ap__text *t, double x, bool single);
/// A value as an operand, in the entry function.
void ap__put_value(ap__text *t, const ap_dialect *d, const ap_plan *plan, real x);

#endif
