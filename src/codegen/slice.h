// SPDX-License-Identifier: Apache-2.0
// A program in slices: each computes some of the outputs, and again whatever it shares with others,
// so that few values are alive at once. The operations and their order stay, and so do the bits.

#ifndef AP_CODEGEN_SLICE_H
#define AP_CODEGEN_SLICE_H

#include "codegen/program.h"

enum { AP_MOST_SLICES = 16 };

/// What a slice has room for: values alive at once, as ap__order_for_registers() counts them, and
/// work, in operations.
typedef struct ap_slice_room {
  int live, work;
} ap_slice_room;

/// For every output the number of its slice into slice [values], such that each has room, as far as
/// that is possible. Returns how many there are; 0: no memory.
int ap__slice(const ap_program *p, ap_slice_room room, int *slice);
/// One slice of a program as a program; only its values are its own, to be freed. False: no memory.
bool ap__slice_program(const ap_program *p, const int *slice, int which, ap_program *part);

#endif
