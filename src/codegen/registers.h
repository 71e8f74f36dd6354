// SPDX-License-Identifier: Apache-2.0
// Values of a plan in registers.

#ifndef AP_CODEGEN_REGISTERS_H
#define AP_CODEGEN_REGISTERS_H

#include "codegen/plan.h"

/// Counts the values of a plan that are alive at once: those that are read, too, from the first
/// statement that needs them, but not outputs that are stored at once. Where there are more than
/// enough, puts the statements in an order in which there are fewer, if it finds one. False: no
/// memory, and the plan is freed.
bool ap__order_for_registers(ap_plan *plan, int enough);

/// Keeps that many values in registers. Inputs are read and angles turned where they are first
/// needed; what does not fit goes away, that first which is read last, and comes back: the plan's
/// moves. False: no memory, and the plan is freed.
bool ap__allocate_registers(ap_plan *plan, int registers, int most_places);

#endif
