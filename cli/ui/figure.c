// SPDX-License-Identifier: Apache-2.0
#include "figure.h"

#include "message.h"
#include "output.h"

int cli_write_figure(const ap_figure *figure, const char *path) {
  ap_error error = {0};
  error.status = ap_figure_write(figure, path, &error);
  return error.status == AP_OK ? CLI_OK : cli_fail_output(path, &error);
}
