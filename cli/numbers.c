#include "numbers.h"

#include <math.h>
#include <stdbool.h>
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
  const double relative = (ours - printed) / fabs(printed);
  if (ours == printed) {
    snprintf(out, CLI_NUMBER_BYTES, "0");
  } else if (!isfinite(relative)) {
    snprintf(out, CLI_NUMBER_BYTES, "-");
  } else if (fabs(relative) < 1e-3 || fabs(relative) >= 100) {
    snprintf(out, CLI_NUMBER_BYTES, "%+.1e", relative);
  } else {
    const bool fine = fabs(relative) < 0.1 || fabs(1 + relative) < 5e-3;
    snprintf(out, CLI_NUMBER_BYTES, "%+.*f %%", fine ? 2 : 1, 100 * relative);
  }
  return out;
}
