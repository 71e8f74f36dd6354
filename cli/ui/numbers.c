// SPDX-License-Identifier: Apache-2.0
#include "ui/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cli_digits(double x) {
  char text[CLI_NUMBER_BYTES];
  int digits = 1;
  for (; digits < 17; digits++) {
    snprintf(text, sizeof text, "%.*e", digits - 1, x);
    if (strtod(text, NULL) == x) break;
  }
  return digits;
}

char *cli_number(double x, int digits, char out[CLI_NUMBER_BYTES]) {
  const double size = fabs(x);
  if (!isfinite(x)) {
    snprintf(out, CLI_NUMBER_BYTES, "-");
  } else if (size < 1e9 && rint(x) == x) {
    snprintf(out, CLI_NUMBER_BYTES, "%.0f", x + 0.0); // + 0.0: zero has no sign
  } else if (size < 1e-2 || size >= 1e7) {
    snprintf(out, CLI_NUMBER_BYTES, "%.*e", digits - 1, x);
  } else {
    const int decimals = digits - 1 - (int)floor(log10(size));
    snprintf(out, CLI_NUMBER_BYTES, "%.*f", decimals > 0 ? decimals : 0, x);
  }
  return out;
}

char *cli_difference(double printed, double ours, char out[CLI_NUMBER_BYTES]) {
  const double ratio = ours / printed, percent = 100 * (ours - printed) / fabs(printed);
  if (ours == printed) {
    snprintf(out, CLI_NUMBER_BYTES, "0");
  } else if (!isfinite(percent)) {
    snprintf(out, CLI_NUMBER_BYTES, "-");
  } else if (ours != 0 && (fabs(percent) >= 400 || fabs(ratio) < 0.1)) {
    char number[CLI_NUMBER_BYTES - 2];
    snprintf(number, sizeof number, "%.*g", fabs(ratio) >= 100 && fabs(ratio) < 1000 ? 3 : 2,
             ratio);
    snprintf(out, CLI_NUMBER_BYTES, "x %s", number);
  } else {
    const int lead = (int)floor(log10(fabs(percent)));
    const int decimals = lead > 0 ? 1 : lead >= -1 ? 2 : lead > -7 ? 1 - lead : 7;
    snprintf(out, CLI_NUMBER_BYTES, "%+.*f %%", decimals, percent);
  }
  return out;
}
