// SPDX-License-Identifier: Apache-2.0
// A study inside: what its file says, and what makes a trial of it.

#ifndef AP_SWEEP_STUDY_H
#define AP_SWEEP_STUDY_H

#include <appell/sweep.h>

#include "codegen/sha256.h"
#include "file/source.h"
#include "file/yaml_map.h"
#include "sweep/design.h"

enum { AP__MOST_PARAMETERS = 1000, AP__MOST_OUTCOMES = 1000, AP__MOST_CHUNKS = 100000 };

extern const ap__yaml_key ap__study_keys[];

// ---- what the maps fill ------------------------------------------------------------------------

typedef enum ap__statistic_kind {
  AP__STATISTIC_LAST,
  AP__STATISTIC_FIRST,
  AP__STATISTIC_LEAST,
  AP__STATISTIC_MOST,
  AP__STATISTIC_LARGEST, // magnitude
  AP__STATISTIC_MEAN,
  AP__STATISTIC_RMS,
  AP__STATISTIC_SUM,
  AP__STATISTIC_COUNT
} ap__statistic_kind;

typedef struct ap__outcome {
  const char *name, *column, *minus, *event, *number;
  int take;    // ap__statistic_kind
  double from; // s: rows and events before do not count
  int worst;   // 0: the largest is, 1: the smallest
  int line;
  unsigned seen; // keys that were there
} ap__outcome;

typedef struct ap__eval_map {
  const char *model, *quantity, *method;
  int friction, floating;
  double gravity[3];
  unsigned seen;
} ap__eval_map;

typedef struct ap__rollout_map {
  const char *model;
  int friction, floating, integrator;
  double dt, steps, every;
  unsigned seen;
} ap__rollout_map;

typedef struct ap__identify_map {
  const char *model, *data;
  int method, friction; // method: ap_fit_method
} ap__identify_map;

typedef struct ap__study_head {
  const char *name, *run;
  double trials, seed, chunk;
  int design; // ap__design_kind
  ap__eval_map eval;
  ap__rollout_map rollout;
  ap__identify_map identify;
  unsigned seen;
} ap__study_head;

// One entry of `parameters`.
typedef struct ap__parameter_map {
  const char *name, *key;
  int relative;
  double uniform[2], normal[2], lognormal[2], loguniform[2], triangular[3], range[3];
  const ap__node *grid, *choice;
  unsigned seen;
} ap__parameter_map;

// ---- trials ------------------------------------------------------------------------------------

// What a kind of study does. A worker belongs to one thread.
typedef struct ap__trial_kind {
  const char *name;
  long chunk; // trials, where the study does not say
  bool timed; // outcomes are taken over a time, of which `from` leaves the beginning out
  // Read what the study names, and resolve keys and outcomes; errors have lines of the study.
  ap_status (*prepare)(ap_sweep *s, ap_error *error);
  void (*release)(ap_sweep *s);
  void *(*open)(const ap_sweep *s); // NULL: no memory
  void (*close)(void *worker);
  // Trials first .. first + n - 1: outcomes row by row, NAN where there is none, and their
  // statuses. False: no memory; nothing of it counts.
  bool (*rows)(void *worker, uint64_t first, int n, double *outcome, unsigned char *status);
  // One trial, with a log where record is not NULL, and the reason where it fails.
  ap_status (*one)(void *worker, uint64_t trial, const char *record, double *outcome,
                   ap_error *error);
} ap__trial_kind;

extern const ap__trial_kind ap__trial_run, ap__trial_eval, ap__trial_rollout, ap__trial_identify;

struct ap_sweep {
  ap__source source;
  const char *path;
  ap__study_head head;
  const ap__trial_kind *kind;
  ap__parameter *parameter; // [design.n]
  int parameter_capacity;
  ap__outcome *outcome; // [outcomes]
  int outcomes, outcome_capacity;
  ap__design design;
  long chunk;
  uint64_t chunks;
  void *own;         // of the kind
  ap_sha256 content; // of all that was read
  unsigned char digest[AP_SHA256_BYTES];
};

// Read the text of a study alone, without what it names: enough for its design and its names.
ap_status ap__study_read(const char *path, ap_sweep **sweep, ap_error *error);
// An error about the study: at this line of it.
ap_status ap__study_refuse(ap_error *error, int line, const char *format, ...) AP_PRINTF(3, 4);
// Where a file is that the study names; and take its bytes into the digest.
ap_status ap__study_file(ap_sweep *s, const char *name, const char **path, ap_error *error);
ap_status ap__study_digest(ap_sweep *s, const char *path, ap_error *error);
// The robot of a built-in name or file that the key names, at the line of that key.
ap_status ap__study_robot(ap_sweep *s, const char *map, const char *name, bool floating,
                          ap_robot **robot, ap_error *error);
// The line of a key in a map of the study, as of "run" or "eval".
int ap__study_line(const ap_sweep *s, const char *key);
// Trials of chunk c.
int ap__chunk_trials(const ap_sweep *s, uint64_t c);

#endif
