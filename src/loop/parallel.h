// SPDX-License-Identifier: Apache-2.0
// A parallel robot made ready.

#ifndef AP_LOOP_PARALLEL_H
#define AP_LOOP_PARALLEL_H

#include <appell/delta.h>
#include <appell/five_bar.h>
#include <appell/wrist.h>

typedef enum parallel_kind { WRIST, FIVE_BAR, DELTA } parallel_kind;

// Numbers in the constants of a robot, of whatever kind.
enum { PARALLEL_CONSTANTS = 129 };

struct ap_parallel {
  parallel_kind kind;
  union {
    ap_wrist_def wrist;
    ap_five_bar_def five_bar;
    ap_delta_def delta;
  } def;
  double least_serial, least_parallel;
  double f64[PARALLEL_CONSTANTS]; // the `robot` of parallel.inc
  float f32[PARALLEL_CONSTANTS];
};

// The robot of a checked definition in mem; NULL where that is too small. Its constants follow by
// ap__parallel_prepare().
ap_parallel *ap__parallel_place(parallel_kind kind, const void *def, void *mem, size_t size,
                                ap_error *error);
ap_parallel *ap__parallel_prepare(ap_parallel *r);

// Are n numbers, named `what` and of the part `of`, between low and high? Otherwise *error says so.
bool ap__between(int n, const double *x, double low, double high, const char *of, const char *what,
                 ap_error *error);
// Is there such a link? Its inertia is about its centre of mass, or about the origin of its frame.
bool ap__check_link(const ap_parallel_link *l, bool about_origin, const char *of, ap_error *error);
// What the limbs of all robots have.
bool ap__check_branch(int branch, const char *of, ap_error *error);
bool ap__check_whole(const double *gravity, int n, double least_serial, double least_parallel,
                     ap_error *error);

#endif
