// SPDX-License-Identifier: Apache-2.0
// Memory, texts and the reason of a failure.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "js.h"

ap_error js_failure;

static struct {
  char *bytes;
  size_t length, room;
  bool lost;
} out;

JS(js_alloc) void *js_alloc(size_t size) { return malloc(size ? size : 1); }
JS(js_free) void js_free(void *memory) { free(memory); }

JS(js_text) const char *js_text(void) { return out.bytes; }
JS(js_text_length) size_t js_text_length(void) { return out.length; }
JS(js_failure_text) const char *js_failure_text(void) { return js_failure.text; }
JS(js_failure_line) int js_failure_line(void) { return js_failure.line; }
JS(js_failure_status) int js_failure_status(void) { return (int)js_failure.status; }
JS(js_version) const char *js_version(void) { return ap_version(); }

ap_status js_fail(ap_status status) {
  if (status == AP_OK) return status;
  js_failure = (ap_error){.status = status};
  snprintf(js_failure.text, sizeof js_failure.text, "%s", ap_status_text(status));
  return status;
}

void js_begin_text(void) {
  out.length = 0;
  out.lost = false;
}

ap_json js_begin_json(void) {
  js_begin_text();
  return (ap_json){.write = js_add_text};
}

void js_add_text(void *none, const char *text, size_t length) {
  (void)none;
  if (out.lost) return;
  if (out.room - out.length < length) {
    const size_t room = 2 * (out.length + length);
    char *more = realloc(out.bytes, room);
    out.lost = !more;
    if (!more) return;
    out.bytes = more;
    out.room = room;
  }
  memcpy(out.bytes + out.length, text, length);
  out.length += length;
}

ap_status js_end_text(void) { return js_fail(out.lost ? AP_E_MEMORY : AP_OK); }
