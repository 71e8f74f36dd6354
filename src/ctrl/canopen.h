// SPDX-License-Identifier: Apache-2.0
// Frames of a CAN bus through a descriptor, and the object dictionaries of CANopen nodes (CiA 301).

#ifndef AP_CTRL_CANOPEN_H
#define AP_CTRL_CANOPEN_H

#include <appell/rack.h>

// The layout of the kernel's struct can_frame.
typedef struct ap__can_frame {
  uint32_t id; // 11 bits, and flags
  uint8_t length, pad[3];
  uint8_t data[8];
} ap__can_frame;

// Flags of an identifier.
#define AP__CAN_EXTENDED 0x80000000u
#define AP__CAN_REMOTE   0x40000000u
#define AP__CAN_ERROR    0x20000000u
#define AP__CAN_BUS_OFF  0x40u // of an error frame

// Identifiers by function, to which the number of the node is added.
enum {
  AP__CAN_NMT = 0,
  AP__CAN_SYNC = 0x80, // of node 0; else its emergency
  AP__CAN_EMERGENCY = 0x80,
  AP__CAN_TPDO1 = 0x180,
  AP__CAN_RPDO1 = 0x200,
  AP__CAN_TPDO2 = 0x280,
  AP__CAN_RPDO2 = 0x300,
  AP__CAN_SDO_ANSWER = 0x580,
  AP__CAN_SDO = 0x600,
  AP__CAN_HEARTBEAT = 0x700
};

// Commands of the network management, and states in heartbeats.
enum { AP__NMT_START = 1, AP__NMT_PREOPERATIONAL = 128 };
enum { AP__NODE_BOOTED = 0, AP__NODE_STOPPED = 4, AP__NODE_OPERATIONAL = 5 };

// Numbers in frames are little-endian.
static inline void ap__can_put(uint8_t *to, int bytes, uint32_t x) {
  for (int i = 0; i < bytes; i++) to[i] = (uint8_t)(x >> 8 * i);
}
static inline uint32_t ap__can_get(const uint8_t *from, int bytes) {
  uint32_t x = 0;
  for (int i = 0; i < bytes; i++) x |= (uint32_t)from[i] << 8 * i;
  return x;
}

typedef enum ap__can_state {
  AP__CAN_FRAME,   // one has arrived
  AP__CAN_NONE,    // none now
  AP__CAN_GARBAGE, // something that is no frame
  AP__CAN_DOWN     // there is no bus any more
} ap__can_state;

// The next frame that has arrived, and false where one is not taken; neither waits.
ap__can_state ap__can_receive(int file, ap__can_frame *frame);
bool ap__can_send(int file, const ap__can_frame *frame);

// How start-up waits for answers: until something may have arrived or so many seconds have passed.
typedef struct ap__can_clock {
  void *context;
  double (*now)(void *context);
  void (*wait)(void *context, int file, double seconds);
} ap__can_clock;
extern const ap__can_clock ap__can_real_clock;

// Access to the object dictionary of a node. 0, or why not: an abort code of CiA 301, or one of
// these.
enum { AP__SDO_SILENT = 1, AP__SDO_DOWN = 2, AP__SDO_LENGTH = 3 };
#define AP__SDO_NO_OBJECT 0x06020000u
typedef struct ap__sdo {
  int file;
  const ap__can_clock *clock;
} ap__sdo;
uint32_t ap__sdo_read(const ap__sdo *sdo, int node, int index, int sub, uint32_t *value);
uint32_t ap__sdo_write(const ap__sdo *sdo, int node, int index, int sub, int bytes, uint32_t value);
// In words.
const char *ap__sdo_text(uint32_t code);

#endif
