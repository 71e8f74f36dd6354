// Any bytes as the log that `appell control --replay` reads: one line of an error, or inputs that a
// controller can be fed with. The command's own reader is part of this program; what it says is
// checked instead of printed.

#include <appell/control.h>
#include <string.h>

#include "../../cli/control_log.c"
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int errors;

int cli_fail(int status, const char *file, int line, const char *format, ...) {
  (void)file;
  fuzz_expect(line >= 0 && format[0]);
  errors++;
  return status;
}
int cli_fail_input(const char *file, const ap_error *error) {
  fuzz_expect(error->text[0] && error->line >= 0);
  return cli_fail(CLI_BAD, file, error->line, "%s", error->text);
}
int cli_fail_output(const char *file, const ap_error *error) { return cli_fail_input(file, error); }
int cli_no_memory(void) { return cli_fail(CLI_FAILED, NULL, 0, "memory"); }
const char *cli_joint_name(const ap_model *m, int i) { return ap_body(m, i)->joint_name; }
void cli_replace_separators(char *name) { (void)name; }

static const char scenario[] =
    "appell-control: 1\nrobot: ascher2\naxes: [{joint: joint1}, {joint: joint2}]\n"
    "reference: {kind: hold, to: 0.1}\n...\n";

static void feed(ap_control *c, const ap_rack_input *input, const ap_rack_output *output,
                 const long *period, long n) {
  ap_servo *servo = NULL;
  ap_servo_record record;
  ap_error error = {0};
  if (ap_control_open_replay(c, input, output, n, &servo, &error) != AP_OK) {
    fuzz_expect(error.text[0]);
    return;
  }
  for (long k = 0; k < n && ap_servo_step_at(servo, period[k]); k++)
    while (ap_servo_take(servo, &record)) continue;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[FUZZ_PATH];
  ap_control *c = NULL;
  ap_rack_input *input = NULL;
  ap_rack_output *output = NULL;
  long *period = NULL, requested = -1, n = 0;
  fuzz_expect(ap_control_parse(scenario, strlen(scenario), NULL, NULL, &c, NULL) == AP_OK);
  errors = 0;
  const int status = cli_control_log_read(fuzz_file(data, size, ".csv", path), ap_control_model(c),
                                          &input, &output, &period, &requested, &n);
  fuzz_expect(errors == (status != CLI_OK));
  if (status == CLI_OK) {
    fuzz_expect(n >= 0 && requested < n);
    for (long k = 1; k < n; k++) fuzz_expect(period[k] >= period[k - 1]);
    if (n > 0) feed(c, input, output, period, n);
  }
  free(input);
  free(output);
  free(period);
  ap_control_free(c);
  return 0;
}
