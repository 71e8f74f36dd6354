// SPDX-License-Identifier: Apache-2.0
// Frames of a CAN bus, and expedited SDO transfers.

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // interfaces by name
#endif

#include "ctrl/canopen.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "file/robot.h"

#if defined(__linux__)
#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <net/if.h>
_Static_assert(sizeof(ap__can_frame) == CAN_MTU, "a frame of the kernel");
_Static_assert(offsetof(ap__can_frame, data) == offsetof(struct can_frame, data), "its data");
#endif

// ---- frames ------------------------------------------------------------------------------------

ap__can_state ap__can_receive(int file, ap__can_frame *frame) {
  for (;;) {
    const ssize_t n = recv(file, frame, sizeof *frame, MSG_DONTWAIT | MSG_TRUNC);
    if (n == (ssize_t)sizeof *frame && frame->length <= 8) return AP__CAN_FRAME;
    if (n > 0) return AP__CAN_GARBAGE;
    if (n == 0 || (errno != EINTR && errno != EAGAIN)) return AP__CAN_DOWN;
    if (errno == EAGAIN) return AP__CAN_NONE;
  }
}

bool ap__can_send(int file, const ap__can_frame *frame) {
  ssize_t n;
  do n = send(file, frame, sizeof *frame, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  return n == (ssize_t)sizeof *frame;
}

static double real_now(void *context) {
  struct timespec t;
  (void)context;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void real_wait(void *context, int file, double seconds) {
  struct pollfd one = {.fd = file, .events = POLLIN};
  (void)context;
  poll(&one, 1, (int)(1e3 * seconds) + 1);
}

const ap__can_clock ap__can_real_clock = {NULL, real_now, real_wait};

// ---- the bus -----------------------------------------------------------------------------------

#if defined(__linux__)

static ap_status refuse(ap_error *error, int file, const char *name, int code) {
  if (file >= 0) close(file);
  if (code == EAFNOSUPPORT || code == EPROTONOSUPPORT)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "%.*s: the kernel has no SocketCAN (modprobe can_raw)", ap__shown(name),
                      name);
  return AP__REFUSE(error, AP_E_FILE, 0,
                    "%.*s: %s (expected a CAN interface that is up; see 'ip "
                    "link')",
                    ap__shown(name), name, strerror(code));
}

ap_status ap_can_open(const char *name, int *file, ap_error *error) {
  struct sockaddr_can address = {.can_family = AF_CAN};
  const can_err_mask_t errors = CAN_ERR_BUSOFF;
  *file = -1;
  const int bus = socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC, CAN_RAW);
  if (bus < 0) return refuse(error, bus, name, errno);
  address.can_ifindex = (int)if_nametoindex(name);
  if (address.can_ifindex == 0) return refuse(error, bus, name, ENODEV);
  if (setsockopt(bus, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &errors, sizeof errors) ||
      bind(bus, (struct sockaddr *)&address, sizeof address))
    return refuse(error, bus, name, errno);
  *file = bus;
  return AP_OK;
}

#else

ap_status ap_can_open(const char *name, int *file, ap_error *error) {
  *file = -1;
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "%.*s: this system has no SocketCAN",
                    ap__shown(name), name);
}

#endif

// ---- object dictionaries -----------------------------------------------------------------------

static const double patience = 0.2; // s for an answer
static const int tries = 3;

// Waits for the answer to a request on this object.
static uint32_t answer_to(const ap__sdo *s, int node, const ap__can_frame *request,
                          ap__can_frame *answer) {
  const double until = s->clock->now(s->clock->context) + patience;
  for (;;) {
    const ap__can_state state = ap__can_receive(s->file, answer);
    if (state == AP__CAN_DOWN) return AP__SDO_DOWN;
    if (state == AP__CAN_FRAME && answer->id == (uint32_t)(AP__CAN_SDO_ANSWER + node) &&
        answer->length == 8 && memcmp(answer->data + 1, request->data + 1, 3) == 0)
      return 0;
    const double rest = until - s->clock->now(s->clock->context);
    if (rest <= 0) return AP__SDO_SILENT;
    if (state == AP__CAN_NONE) s->clock->wait(s->clock->context, s->file, rest);
  }
}

// Writing and reading may be repeated: an object keeps its value.
static uint32_t exchange(const ap__sdo *s, int node, ap__can_frame *request,
                         ap__can_frame *answer) {
  enum { ABORT = 0x80 };
  uint32_t code = AP__SDO_SILENT;
  request->id = (uint32_t)(AP__CAN_SDO + node), request->length = 8;
  for (int k = 0; k < tries && code == AP__SDO_SILENT; k++)
    code = ap__can_send(s->file, request) ? answer_to(s, node, request, answer) : AP__SDO_DOWN;
  if (code) return code;
  if (answer->data[0] != ABORT) return 0;
  code = ap__can_get(answer->data + 4, 4);
  return code ? code : 0x08000000u;
}

static void address(ap__can_frame *f, int index, int sub) {
  ap__can_put(f->data + 1, 2, (uint32_t)index);
  f->data[3] = (uint8_t)sub;
}

uint32_t ap__sdo_read(const ap__sdo *s, int node, int index, int sub, uint32_t *value) {
  ap__can_frame request = {.data = {0x40}}, answer;
  address(&request, index, sub);
  const uint32_t code = exchange(s, node, &request, &answer);
  if (code) return code;
  const unsigned command = answer.data[0]; // 010nnnes: e expedited, s with the size 4 - n
  if ((command & 0xE2u) != 0x42u) return AP__SDO_LENGTH;
  *value = ap__can_get(answer.data + 4, command & 1u ? 4 - (int)(command >> 2 & 3u) : 4);
  return 0;
}

uint32_t ap__sdo_write(const ap__sdo *s, int node, int index, int sub, int bytes, uint32_t value) {
  ap__can_frame request = {.data = {(uint8_t)(0x23 | (4 - bytes) << 2)}}, answer;
  address(&request, index, sub);
  ap__can_put(request.data + 4, bytes, value);
  const uint32_t code = exchange(s, node, &request, &answer);
  return code || answer.data[0] == 0x60 ? code : AP__SDO_LENGTH;
}

const char *ap__sdo_text(uint32_t code) {
  static const struct {
    uint32_t code;
    const char *text;
  } known[] = {{AP__SDO_SILENT, "no answer (check power, wiring, bit rate and node number)"},
               {AP__SDO_DOWN, "the bus takes no frames"},
               {AP__SDO_LENGTH, "an answer of the wrong form"},
               {0x05040000u, "the drive timed out"},
               {0x06010000u, "access is not supported"},
               {0x06010001u, "it can only be written"},
               {0x06010002u, "it can only be read"},
               {AP__SDO_NO_OBJECT, "there is no such object"},
               {0x06040041u, "the object cannot be mapped"},
               {0x06040042u, "the mapping is too long"},
               {0x06070010u, "its length is another"},
               {0x06090011u, "there is no such sub-index"},
               {0x06090030u, "the value is out of range"},
               {0x08000020u, "the drive cannot store it"},
               {0x08000022u, "not in the drive's present state"}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
    if (known[k].code == code) return known[k].text;
  return "the drive refuses";
}
