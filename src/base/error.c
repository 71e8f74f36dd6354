// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <stdio.h>
#include <string.h>

void ap__format(char *text, size_t size, const char *format, va_list arguments) {
  if (size == 0) return;
  int wanted = vsnprintf(text, size, format, arguments);
  if (wanted < 0) text[0] = '\0';
  size_t length = strlen(text);
  ap__one_line(text, length, wanted > 0 && (size_t)wanted > length);
}

void ap__fail(ap_error *e, ap_status status, int line, const char *format, ...) {
  if (e == NULL) return;
  va_list arguments;
  va_start(arguments, format);
  e->status = status;
  e->line = line;
  ap__format(e->text, sizeof e->text, format, arguments);
  va_end(arguments);
}
