// SPDX-License-Identifier: Apache-2.0
// What the module exports to bindings/js/*.js: handles, texts and arrays of doubles in its memory.
// Each function that can fail returns a status, or 0 for a handle, and leaves the reason in
// js_failure.

#ifndef AP_JS_H
#define AP_JS_H

#include <appell/json.h>
#include <appell/loop.h>

#define JS(name) __attribute__((export_name(#name)))

// Why the last call failed.
extern ap_error js_failure;

// Make it a status and what ap_status_text() says.
ap_status js_fail(ap_status status);

// A robot, ready to compute with: a tree with its work, or a mechanism with its loop.
typedef struct js_robot {
  ap_robot *robot;
  ap_model *own;         // the model of a tree; NULL: a mechanism
  const ap_model *model; // of a mechanism that of its tree
  ap_mechanism *mechanism;
  ap_loop *loop;
  ap_work *work;
  void *memory; // of the work
  double *x;    // [nq] scratch
  int *frame;   // [nframe] all of them
  const ap_wrench *wrench;
  int wrenches;
  double scratch[512]; // for arguments and results of small calls
} js_robot;

// Text on its way to JavaScript: js_text() and js_text_length() tell where it is, until the next
// one begins. It is kept in one block that grows.
ap_json js_begin_json(void);
void js_begin_text(void);
void js_add_text(void *none, const char *text, size_t length);
// AP_OK, or AP_E_MEMORY where a piece was lost.
ap_status js_end_text(void);

#endif
