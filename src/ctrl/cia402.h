// SPDX-License-Identifier: Apache-2.0
// Drives of CiA 402 on a CAN bus: what start-up and loop share.

#ifndef AP_CTRL_CIA402_H
#define AP_CTRL_CIA402_H

#include "base/error.h"
#include "ctrl/canopen.h"

enum { AP__CAN_NODES = 128, AP__CIA402_CST = 10 }; // mode: cyclic synchronous torque

// States of a drive, from its statusword.
#define AP__CIA402_STATES(X)                            \
  X(AP__CIA402_UNKNOWN, "in no state of CiA 402")       \
  X(AP__CIA402_NOT_READY, "not ready to switch on")     \
  X(AP__CIA402_DISABLED, "switch on disabled")          \
  X(AP__CIA402_READY, "ready to switch on")             \
  X(AP__CIA402_SWITCHED_ON, "switched on")              \
  X(AP__CIA402_ENABLED, "operation enabled")            \
  X(AP__CIA402_QUICK_STOPPING, "quick stop active")     \
  X(AP__CIA402_FAULT_REACTION, "fault reaction active") \
  X(AP__CIA402_FAULT, "fault")
typedef enum ap__cia402_state {
#define AP__CIA402_ENUM(code, text) code,
  AP__CIA402_STATES(AP__CIA402_ENUM)
#undef AP__CIA402_ENUM
} ap__cia402_state;
ap__cia402_state ap__cia402_state_of(uint16_t statusword);

// Controlwords.
enum {
  AP__CIA402_CUT = 0x0000,       // disable voltage
  AP__CIA402_QUICK = 0x0002,     // quick stop
  AP__CIA402_SHUTDOWN = 0x0006,  // to "ready to switch on"
  AP__CIA402_SWITCH_ON = 0x0007, // to "switched on"; from "operation enabled" back to it
  AP__CIA402_OPERATE = 0x000F,   // to "operation enabled"
  AP__CIA402_RESET_FAULT = 0x0080
};

typedef struct ap__cia402_drive {
  int node;
  bool reverse;                // motor and joint turn in opposite directions
  bool was_enabled;            // at some time
  double permille, torque;     // of rated torque for a unit of the command; N m of the joint for
                               // a thousandth of it
  double largest;              // command
  bool sensor;                 // its torque is that of a sensor at the joint
  uint16_t statusword, error;  // error: the code of its last emergency or fault
  int32_t position, way;       // of the motor, as measured; and since the answer before
  int16_t actual;              // torque, thousandths
  bool mode_wrong, hot;        // found while it was enabled; excess temperature
  int mode, state_nmt;         // of operation; of the network, by its heartbeat
  double heard;                // s of its last heartbeat; negative: none yet
  int unanswered, mode_unseen; // SYNCs since its first and its second PDO
} ap__cia402_drive;

typedef struct ap__cia402_bus {
  ap_cia402_def def;
  const ap__can_clock *clock;
  ap__cia402_drive *drive; // [axes]
  int axis_of[AP__CAN_NODES];
  int mode_every;                 // SYNCs between two second PDOs
  double beaten;                  // s of our last heartbeat
  bool started, down;             // down: there is no bus any more
  bool driven, released, stopped; // the brakes are off; were; the power was cut then, for good
  char trouble[160];
} ap__cia402_bus;

// The first trouble stays. axis -1: of the whole bus.
void ap__cia402_trouble(ap__cia402_bus *b, int axis, const char *format, ...) AP_PRINTF(3, 4);
// Ask, configure and start the drives.
ap_status ap__cia402_start(ap__cia402_bus *b, ap_error *error);
// Take what has arrived at time t. False: the bus is down or flooded.
bool ap__cia402_receive(ap__cia402_bus *b, double t);
// A controlword and a torque in thousandths for one drive; SYNC for all. False: not taken.
bool ap__cia402_command(ap__cia402_bus *b, int axis, uint16_t controlword, int16_t torque);
bool ap__cia402_sync(ap__cia402_bus *b);
// A command of the network management to all drives.
void ap__cia402_manage(const ap__cia402_bus *b, int command);

// ap_rack_cia402() that waits by another clock.
ap_status ap__rack_cia402(const ap_cia402_def *def, const ap__can_clock *clock, ap_rack *rack,
                          ap_error *error);

#endif
