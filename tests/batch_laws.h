// SPDX-License-Identifier: Apache-2.0
// The laws of batches in both precisions. Define MOST, MOST_DERIVED and MARK first.

#ifndef AP_TESTS_BATCH_LAWS_H
#define AP_TESTS_BATCH_LAWS_H

AP_TABLE_OF(batch_ops, ap__batch_f64, ops_of)
#define F(name) name
#define FLOAT   double
#include "batch_laws.inc"
#undef F
#undef FLOAT

AP_TABLE_OF(batch_ops_f32, ap__batch_f32, ops_of_f32)
#define F(name) name##_f32
#define FLOAT   float
#include "batch_laws.inc"
#undef F
#undef FLOAT

#endif
