// SPDX-License-Identifier: Apache-2.0
// Logs of runs: what their formats share.

#ifndef AP_FILE_LOG_H
#define AP_FILE_LOG_H

#include <sys/types.h>

#include "file/robot.h"

// A file under the name TARGET.part until it is complete. The part is locked, so that two programs
// cannot write to it at once; the lock ends with the program, whatever ends it.
typedef struct ap__draft {
  char *target; // behind all links
  char *path;   // with .part
  int file;     // the descriptor that holds the lock; -1: none
} ap__draft;

// Open and lock the part of target, emptied; a regular file or nothing may be in target's place.
ap_status ap__draft_open(ap__draft *part, const char *target, ap_error *error);
// Let a full disk show before HDF5 is at work: it does not recover from it, and may end the
// program. Space for so many bytes behind the end of the file.
ap_status ap__draft_reserve(const ap__draft *part, off_t bytes, ap_error *error);
// Bring it to the disk and give it its name.
ap_status ap__draft_publish(ap__draft *part, ap_error *error);
// Close it. A part that was not published stays, unless remove is true.
void ap__draft_close(ap__draft *part, bool remove);

// A log. A format has its own record behind this one, and these functions; each is called with the
// log's state checked, and says in *error what is wrong. create makes the files, release frees what
// the format has and closes its parts, with remove also takes them away.
struct ap_log {
  const struct ap__log_format *format;
  int columns, event_columns;
  bool finished;
  bool holds;       // a row or an event is in its files
  ap_status broken; // of the first failure: what would follow is in vain
};

typedef struct ap__log_format {
  const char *ending;
  size_t size; // of the format's record, the ap_log at its start
  ap_status (*create)(ap_log *log, const char *path, const ap_log_def *def, ap_error *error);
  ap_status (*row)(ap_log *log, const double *row, ap_error *error);
  ap_status (*event)(ap_log *log, double t, const char *event, const char *point, const char *wall,
                     const double *numbers, ap_error *error);
  ap_status (*flush)(ap_log *log, ap_error *error);
  ap_status (*finish)(ap_log *log, ap_error *error);
  void (*release)(ap_log *log, bool remove);
} ap__log_format;

extern const ap__log_format ap__log_csv, ap__log_h5, ap__log_mcap;

// Names of the words of an event, as columns.
#define AP__LOG_EVENT "event"
#define AP__LOG_POINT "body/point"
#define AP__LOG_WALL  "wall"
// Characters at whose place at the beginning of a cell a spreadsheet sees a formula: CSV has
// AP__LOG_QUOTE before such a word, and before one that begins with that. Readers take it off.
#define AP__LOG_FORMULA "=+-@'"
#define AP__LOG_QUOTE   '\''
// Before the place of the scenario file in RUN.scenario.yaml, on its first line.
#define AP__LOG_PLACE "# scenario file: "

#endif
