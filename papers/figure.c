// SPDX-License-Identifier: Apache-2.0
#include "figure.h"

#include <stdio.h>
#include <string.h>

ap_status figure_write(const ap_figure *figure, figure_place place, ap_error *error) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/%s", place.folder, place.file);
  if (length >= 0 && (size_t)length < sizeof path) return ap_figure_write(figure, path, error);
  error->status = AP_E_FILE;
  error->line = 0;
  snprintf(error->text, sizeof error->text,
           "the folder for figures has a name of more than %zu bytes: no room for %s",
           sizeof path - strlen(place.file) - 2, place.file);
  return AP_E_FILE;
}
