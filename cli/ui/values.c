// SPDX-License-Identifier: Apache-2.0
#include "ui/values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789";

// The end of a decimal number at s; s itself where there is none. strtod() would also take blanks
// before it, hexadecimal numbers and infinities.
static const char *end_of_number(const char *s) {
  const char *at = s + (*s == '+' || *s == '-');
  const size_t whole = strspn(at, digits);
  at += whole;
  const size_t decimals = *at == '.' ? strspn(at + 1, digits) : 0;
  if (whole + decimals == 0) return s;
  if (*at == '.') at += 1 + decimals;
  if (*at != 'e' && *at != 'E') return at;
  const char *exponent = at + 1 + (at[1] == '+' || at[1] == '-');
  return exponent + strspn(exponent, digits);
}

bool cli_read_number(const char *text, double *number) {
  const char *end = end_of_number(text);
  char *read;
  *number = strtod(text, &read);
  return end > text && !*end && read == end && isfinite(*number);
}

// NAME=VALUE:VALUE, which is cut behind the name.
static bool read_lock(char *text, ap_lock *lock) {
  char *equals = strrchr(text, '=');
  *lock = (ap_lock){.joint = text};
  if (!equals) return *text != '\0';
  *equals = '\0';
  const char *rest = equals;
  while (lock->n < AP_JOINT_NQ) {
    const char *at = rest + 1, *end = end_of_number(at);
    char *read;
    lock->q[lock->n++] = strtod(at, &read);
    if (end == at || read != end) return false;
    if (*end == '\0') return *text != '\0';
    if (*end != ':') return false;
    rest = end;
  }
  return false;
}

// *locks NULL and CLI_OK: it is no such list.
static int read_locks(const char *value, ap_lock **locks, int *n) {
  size_t count = 1;
  for (const char *at = value; *at; at++) count += *at == ',';
  *n = 0;
  *locks = malloc(count * sizeof **locks + strlen(value) + 1); // the names behind
  if (!*locks) return cli_no_memory();
  char *text = (char *)(*locks + count);
  memcpy(text, value, strlen(value) + 1);
  for (char *next; text; text = next) {
    next = strchr(text, ',');
    if (next) *next++ = '\0';
    if (read_lock(text, &(*locks)[(*n)++])) continue;
    free(*locks);
    *locks = NULL;
    break;
  }
  return CLI_OK;
}

int cli_value_locks(const char *verb, const char *value, ap_lock **locks, int *n) {
  const int status = read_locks(value, locks, n);
  if (status != CLI_OK || *locks) return status;
  return cli_usage(verb, "--lock '%s' is not joints with values such as elbow=1.2,wrist", value);
}

int cli_value_joints(const cli_arguments *arguments, int option, int least, int most,
                     const char *example, ap_lock **joints, int *n) {
  const char *value = arguments->value[option];
  *joints = NULL, *n = 0;
  if (!value) return CLI_OK;
  const int status = read_locks(value, joints, n);
  if (status != CLI_OK) return status;
  bool good = *joints != NULL;
  for (int k = 0; good && k < *n; k++) {
    good = (*joints)[k].n >= least && (*joints)[k].n <= most;
    for (int i = 0; i < (*joints)[k].n; i++) good = good && isfinite((*joints)[k].q[i]);
  }
  if (good) return CLI_OK;
  free(*joints);
  *joints = NULL;
  return cli_usage(arguments->verb->name, "%s '%s' is not a list such as %s",
                   arguments->verb->options[option].name, value, example);
}

int cli_value_numbers(const cli_arguments *arguments, int option, int n, const char *example,
                      double *number) {
  const char *value = arguments->value[option], *rest = value;
  for (int k = 0; value && k < n; k++) {
    const char *end = end_of_number(rest);
    char *read;
    number[k] = strtod(rest, &read);
    if (end == rest || read != end || !isfinite(number[k]) || *end != (k < n - 1 ? ',' : '\0'))
      return cli_usage(arguments->verb->name, "%s '%s' is not %d number%s such as %s",
                       arguments->verb->options[option].name, value, n, n == 1 ? "" : "s", example);
    rest = end + 1;
  }
  return CLI_OK;
}

int cli_value_gravity(const cli_arguments *arguments, int option, double gravity[3],
                      const double **given) {
  if (arguments->value[option]) *given = gravity;
  return cli_value_numbers(arguments, option, 3, "0,0,-9.81", gravity);
}

int cli_value_above(const cli_arguments *arguments, int option, double least, double *number) {
  const char *value = arguments->value[option];
  if (!value) return CLI_OK;
  char *read;
  const char *end = end_of_number(value);
  *number = strtod(value, &read);
  if (end != value && read == end && !*end && isfinite(*number) && *number > least) return CLI_OK;
  return cli_usage(arguments->verb->name, "%s '%s' is not a number above %.15g",
                   arguments->verb->options[option].name, value, least);
}

int cli_value_integer(const cli_arguments *arguments, int option, long least, long most,
                      long *number) {
  const char *value = arguments->value[option];
  if (!value) return CLI_OK;
  errno = 0;
  *number = strtol(value, NULL, 10);
  const bool whole = strspn(value, digits) == strlen(value) && errno == 0;
  if (whole && *number >= least && *number <= most) return CLI_OK;
  return cli_usage(arguments->verb->name, "%s '%s' is not a whole number from %ld to %ld",
                   arguments->verb->options[option].name, value, least, most);
}
