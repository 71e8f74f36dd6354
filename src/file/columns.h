// SPDX-License-Identifier: Apache-2.0
// Columns of runs and of logs: one rule for their names, one table of what they are.

#ifndef AP_FILE_COLUMNS_H
#define AP_FILE_COLUMNS_H

#include "file/robot.h"

// Columns that begin with one of these names, up to their first '.'.
typedef struct ap__quantity {
  const char *names; // with blanks between
  const char *group; // in which a report shows them; NULL: in none, and a log without units may
                     // mean something else by such a name
  const char *unit;  // "": pure numbers, or the units of joints
  bool steps;        // they keep their values until the next one
} ap__quantity;
// Never NULL; of unknown names, one without a group.
const ap__quantity *ap__quantity_of(const char *column);

// Columns, and room for the numbers of a line of them.
typedef struct ap__columns {
  ap_column *column; // [n]
  int n, room;
  double *row;   // [n], once it is made
  ap__pool pool; // of names and units
  bool failed;   // no memory
} ap__columns;

// Append a column as it is called.
void ap__columns_add_named(ap__columns *list, const char *name, const char *unit);
// Append GROUP, GROUP.NAME or GROUP.NAME.PART; name and part may be "". unit NULL: the quantity's.
void ap__columns_add(ap__columns *list, const char *group, const char *name, const char *part,
                     const char *unit);
// Append a column for every entry of a vector. unit NULL: those of the joints.
void ap__columns_joints(ap__columns *list, const char *group, const ap_model *m,
                        ap_joint_vector vector, const char *unit);
// The unit of an entry that turns or slides.
const char *ap__entry_unit(ap_joint_vector vector, bool slides);
// When all are there: make the row. False: no memory.
bool ap__columns_ready(ap__columns *list);
void ap__columns_free(ap__columns *list);
// The column of this name, looked for from a place on; NULL: there is none.
const ap_column *ap__columns_find(const ap__columns *list, const char *name, int from);

#endif
