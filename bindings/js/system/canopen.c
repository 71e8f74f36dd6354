// SPDX-License-Identifier: Apache-2.0
// A module has no sockets: there is no CAN bus to open, and none to write to.

#include "ctrl/canopen.h"

#include "base/error.h"

ap__can_state ap__can_receive(int file, ap__can_frame *frame) {
  (void)file, (void)frame;
  return AP__CAN_DOWN;
}

bool ap__can_send(int file, const ap__can_frame *frame) {
  (void)file, (void)frame;
  return false;
}

const ap__can_clock ap__can_real_clock = {0};

ap_status ap_can_open(const char *name, int *file, ap_error *error) {
  (void)name, (void)file;
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "there is no CAN bus in WebAssembly");
}

uint32_t ap__sdo_read(const ap__sdo *sdo, int node, int index, int sub, uint32_t *value) {
  (void)sdo, (void)node, (void)index, (void)sub, (void)value;
  return AP__SDO_DOWN;
}

uint32_t ap__sdo_write(const ap__sdo *sdo, int node, int index, int sub, int bytes,
                       uint32_t value) {
  (void)sdo, (void)node, (void)index, (void)sub, (void)bytes, (void)value;
  return AP__SDO_DOWN;
}

const char *ap__sdo_text(uint32_t code) {
  (void)code;
  return "there is no CAN bus";
}
