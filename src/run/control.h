// The columns of a control run, for those who write its rows and those who read them.

#ifndef AP_RUN_CONTROL_H
#define AP_RUN_CONTROL_H

#include "run/run.h"

// Behind t come the vectors, with a column for each joint, then the scalars.
enum { AP__CONTROL_VECTORS = 10, AP__CONTROL_SCALARS = 11 };
enum { AP__VOLT = 6, AP__POTENTIOMETER, AP__ENCODER, AP__INDEX };
enum {
  AP__INDEXED,
  AP__THERMO,
  AP__LATE,
  AP__BRAKES,
  AP__TOOLS,
  AP__PERIOD,
  AP__PHASE,
  AP__STOP,
  AP__STOP_AXIS,
  AP__COMPUTE,
  AP__FAILED
};

#endif
