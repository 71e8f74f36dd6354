// SPDX-License-Identifier: Apache-2.0
#include "dyn/factor_rows.h"

#include "base/isa.h"

AP_TABLE_OF(ap__factor_rows, ap__factor_rows, rows_of)

const ap__factor_rows *ap__rows_of_factor(void) { return rows_of(best_build()); }
