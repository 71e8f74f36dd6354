// SPDX-License-Identifier: Apache-2.0
#include <appell/run.h>
#include <math.h>
#include <signal.h>

#include "load.h"
#include "summary.h"
#include "ui/output.h"
#include "ui/progress.h"
#include "ui/table.h"
#include "verbs.h"

enum { OUTPUT, ROBOT, REFERENCE, RUN_ONLY, REPLAY, JSON, QUIET };

static const cli_option options[] = {
    [OUTPUT] = {"-o", "RUN", "write every period there: RUN.csv or RUN.h5"},
    [ROBOT] = {"--robot", "MODEL",
               "the controller's model of the robot, in place of the scenario's"},
    [REFERENCE] = {"--reference", "FILE",
                   "what is followed: t, q.JOINT and maybe v, a.JOINT; -: from standard input, "
                   "while it runs"},
    [RUN_ONLY] = {"--run-only", NULL, "log the reference alone, with its own time"},
    [REPLAY] = {"--replay", "RUN", "feed the inputs of a log; fail where outputs differ from it"},
    [JSON] = CLI_OPTION_SUMMARY_JSON,
    [QUIET] = CLI_OPTION_QUIET,
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "SCENARIO is a control scenario (docs/control.md): robot, rack, controller, reference,\n"
    "guards. RUN.csv gets a line for each period, RUN.events.csv one for each change of phase;\n"
    "RUN.h5 has both. They appear when the run has ended; a killed one leaves RUN.csv.part.\n"
    "Exit status 1 where a guard, or a signal, stopped the run.\n";

enum { CLASSES = sizeof((ap_histogram){0}.count) / sizeof(uint64_t), OCTAVE = 8 };

// A run on its way.
typedef struct job {
  const char *path, *output;
  ap_run *run;
  bool json, quiet;
  cli_progress progress;
  int phase;   // its column
  bool warned; // that the log cannot be written
} job;

// The run that a first signal brakes and ends with a valid log; a second one ends it at once. A
// signal handler gets no argument.
static ap_servo *volatile stoppable;

static void stop(int number) {
  (void)number;
  if (stoppable) ap_servo_request_stop(stoppable);
}

// ---- the run -----------------------------------------------------------------------------------

static bool watch(void *context, const ap_run *run, double part) {
  job *j = context;
  const double *row = ap_run_row(run);
  const ap_error *log = ap_run_log_error(run);
  if (log->status != AP_OK && !j->warned) {
    char why[sizeof log->text + 80];
    snprintf(why, sizeof why, "%s; the run %s", log->text,
             ap_control_needs_log(ap_run_control(run)) ? "is stopped" : "goes on without a log");
    cli_progress_hide();
    cli_warn(j->output, 0, why);
    j->warned = true;
  }
  cli_progress_show(&j->progress, part, "t = %.2f s, %s", row[0],
                    ap_phase_name((ap_phase)row[j->phase]));
  return true;
}

// The name of joint j.
static const char *joint_name(const ap_model *m, int j) {
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_nv(m, i) > 0 && ap_joint_v(m, i) == j) return cli_joint_name(m, i);
  return "";
}

enum { WHY_BYTES = 240 };

// What rack or stream have to do with a stop; "" where it is not for them.
static void tell_why(const job *j, const ap_servo_result *x, char why[WHY_BYTES]) {
  const ap_control *control = ap_run_control(j->run);
  why[0] = 0;
  if (x->stop == AP_STOP_IO || x->stop == AP_STOP_DRIVE)
    snprintf(why, WHY_BYTES, "%s", ap_control_trouble(control));
  if (x->stop != AP_STOP_REFERENCE || !ap_control_stream(control)) return;
  if (isfinite(x->stop_value) && x->stop_axis >= 0)
    snprintf(why, WHY_BYTES, "the stream asks joint %.60s for %.4g %s, its limit is %.4g %s",
             joint_name(ap_run_model(j->run), x->stop_axis), x->stop_value, x->stop_unit,
             x->stop_limit, x->stop_unit);
  else
    snprintf(why, WHY_BYTES, "the next point of the stream did not arrive in time");
}

// ---- the summary -------------------------------------------------------------------------------

static void json_times(ap_json *json, const char *key, const ap_histogram *h) {
  static const double parts[] = {0.5, 0.9, 0.99, 0.999, 0.9999};
  static const char *const names[] = {"p50", "p90", "p99", "p99.9", "p99.99"};
  if (h->n == 0) return;
  ap_json_open(json, key, '{');
  ap_json_number(json, "least", h->least);
  ap_json_number(json, "mean", h->sum / (double)h->n);
  for (int k = 0; k < 5; k++) ap_json_number(json, names[k], ap_histogram_quantile(h, parts[k]));
  ap_json_number(json, "most", h->most);
  ap_json_open(json, "histogram", '['); // where a class begins, and how many are in it
  for (int k = 0; k < CLASSES; k++) {
    const double pair[2] = {ap_histogram_bound(k), (double)h->count[k]};
    if (h->count[k] > 0) ap_json_numbers(json, NULL, pair, 2);
  }
  ap_json_close(json, ']');
  ap_json_close(json, '}');
}

static void print_json(cli_out *out, const job *j) {
  const ap_model *m = ap_run_model(j->run);
  const ap_servo_result *x = ap_servo_result_of(ap_run_servo(j->run));
  const long differing = ap_run_differing(j->run);
  ap_json json = {.write = cli_out_sink, .context = out};
  ap_json_open(&json, NULL, '{');
  ap_json_string(&json, "scenario", ap_control_name(ap_run_control(j->run)));
  ap_json_string(&json, "model", ap_model_name(m));
  ap_json_string(&json, "log", j->output ? j->output : "");
  ap_json_string(&json, "stop", ap_stop_name(x->stop));
  ap_json_string(&json, "stop_joint", x->stop_axis >= 0 ? joint_name(m, x->stop_axis) : "");
  ap_json_number(&json, "stop_t", x->stop_t);
  ap_json_integer(&json, "category", x->category);
  ap_json_string(&json, "category_reason", ap_cut_text(x->cut));
  if (isfinite(x->stop_value)) {
    ap_json_number(&json, "stop_value", x->stop_value);
    ap_json_number(&json, "stop_limit", x->stop_limit);
    ap_json_string(&json, "stop_unit", x->stop_unit);
  }
  char why[WHY_BYTES];
  tell_why(j, x, why);
  ap_json_string(&json, "trouble", why);
  ap_json_number(&json, "brakes_t", x->brakes_t);
  ap_json_number(&json, "run_began", x->run_began);
  ap_json_integer(&json, "periods", x->periods);
  ap_json_integer(&json, "missed", x->missed);
  ap_json_integer(&json, "skipped", x->skipped);
  ap_json_integer(&json, "dropped", x->dropped);
  if (differing >= 0) ap_json_integer(&json, "differing", differing);
  ap_json_numbers(&json, "error_rms", x->rms, ap_nv(m));
  ap_json_numbers(&json, "error_most", x->most, ap_nv(m));
  ap_json_numbers(&json, "error_end", x->last, ap_nv(m));
  if (isfinite(x->coast_way[0])) {
    ap_json_numbers(&json, "coast_way", x->coast_way, ap_nv(m));
    ap_json_numbers(&json, "coast_speed", x->coast_speed, ap_nv(m));
  }
  json_times(&json, "latency", &x->latency);
  json_times(&json, "compute", &x->compute);
  ap_json_close(&json, '}');
}

static void print_times(cli_out *out, const char *what, const ap_histogram *h) {
  if (h->n == 0) return;
  cli_out_printf(out, "%s, us: least %.1f, mean %.1f, 99 %% %.1f, 99.9 %% %.1f, most %.1f\n", what,
                 1e6 * h->least, 1e6 * h->sum / (double)h->n, 1e6 * ap_histogram_quantile(h, 0.99),
                 1e6 * ap_histogram_quantile(h, 0.999), 1e6 * h->most);
}

// How many of class k and the seven after it.
static uint64_t in_octave(const ap_histogram *h, int k) {
  uint64_t sum = 0;
  for (int i = k; i < k + OCTAVE; i++) sum += h->count[i];
  return sum;
}

static int print_histograms(cli_out *out, const ap_servo_result *x) {
  if (x->latency.n == 0) return CLI_OK;
  cli_table table = {.columns = 3, .right = 0x7u};
  cli_table_headings(&table, "below (us)|latency|period");
  for (int k = 0; k + OCTAVE <= CLASSES; k += OCTAVE) {
    const uint64_t a = in_octave(&x->latency, k), b = in_octave(&x->compute, k);
    if (a == 0 && b == 0) continue;
    cli_table_add(&table, "%.3f", 1e6 * ap_histogram_bound(k + OCTAVE));
    cli_table_add(&table, "%llu", (unsigned long long)a);
    cli_table_add(&table, "%llu", (unsigned long long)b);
  }
  cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

// How far the arm went after its power was cut: the joint that went furthest.
static void print_coast(cli_out *out, const ap_model *m, const ap_servo_result *x) {
  int k = 0;
  for (int i = 1; i < ap_nv(m); i++)
    if (x->coast_way[i] > x->coast_way[k]) k = i;
  if (isfinite(x->coast_way[k]))
    cli_out_printf(out,
                   "until the brakes closed: joint %s went %.4g rad, at most %.4g rad/s, by its "
                   "encoder\n",
                   joint_name(m, k), x->coast_way[k], x->coast_speed[k]);
}

static int print_text(cli_out *out, const job *j) {
  const ap_model *m = ap_run_model(j->run);
  const ap_servo_result *x = ap_servo_result_of(ap_run_servo(j->run));
  const long differing = ap_run_differing(j->run);
  char name[200];
  cli_plain(ap_control_name(ap_run_control(j->run)), name, sizeof name);
  cli_out_printf(out, "%s: %ld periods, ", name, x->periods);
  if (x->run_began >= 0)
    cli_out_printf(out, "reference from %.3f s on\n", x->run_began);
  else
    cli_out_printf(out, "reference not reached\n");
  cli_out_printf(out, "stop at %.3f s: %s%s%s\n", x->stop_t, ap_stop_text(x->stop),
                 x->stop_axis >= 0 ? ", joint " : "",
                 x->stop_axis >= 0 ? joint_name(m, x->stop_axis) : "");
  char why[WHY_BYTES];
  tell_why(j, x, why);
  if (why[0]) cli_out_printf(out, "%s\n", why);
  if (isfinite(x->stop_value))
    cli_out_printf(out, "measured %.4g %s, limit %.4g %s\n", x->stop_value, x->stop_unit,
                   x->stop_limit, x->stop_unit);
  if (x->stop > AP_STOP_DONE)
    cli_out_printf(out, "category %d, brakes commanded at %.3f s\n", x->category, x->brakes_t);
  print_coast(out, m, x);
  if (x->cut != AP_CUT_NONE)
    cli_out_printf(out, "category 0 in place of 1: %s\n", ap_cut_text(x->cut));
  cli_out_printf(out, "\n");
  cli_table table = {.columns = 4, .right = 0xeu};
  cli_table_headings(&table, "error (mrad)|rms|largest|at the end");
  for (int k = 0; k < ap_nv(m); k++) {
    cli_table_add(&table, "%s", joint_name(m, k));
    cli_table_add(&table, "%.3f", 1e3 * x->rms[k]);
    cli_table_add(&table, "%.3f", 1e3 * x->most[k]);
    cli_table_add(&table, "%.3f", 1e3 * x->last[k]);
  }
  int status = cli_table_print(&table, out);
  cli_out_printf(out, "\n%ld deadlines missed, %ld periods skipped, %ld records dropped\n",
                 x->missed, x->skipped, x->dropped);
  if (differing >= 0)
    cli_out_printf(out, "replay: %ld of %ld outputs differ\n", differing, x->periods);
  print_times(out, "wake-up latency", &x->latency);
  print_times(out, "period", &x->compute);
  if (status == CLI_OK) status = print_histograms(out, x);
  cli_summary_report(out, j->output);
  return status;
}

static int print_summary(const job *j) {
  if (j->quiet && !j->json) return CLI_OK;
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  if (j->json)
    print_json(&out, j);
  else
    status = print_text(&out, j);
  return cli_out_close(&out, status);
}

// ---- the verb ----------------------------------------------------------------------------------

static int load(job *j, const cli_arguments *arguments) {
  ap_error error = {0};
  const ap_run_options options_of_run = {
      .kind = AP_RUN_CONTROL,
      .control = {.robot = arguments->value[ROBOT],
                  .reference = arguments->value[REFERENCE],
                  .run_alone = arguments->value[RUN_ONLY] != NULL}};
  const int status = cli_open_run(arguments, options_of_run, &j->run);
  if (status != CLI_OK) return status;
  const char *log = arguments->value[REPLAY];
  if (log) error.status = ap_run_replay(j->run, log, &error);
  return error.status == AP_OK ? CLI_OK : cli_fail_input(log, &error);
}

static int fail_run(const job *j, const ap_error *error) {
  if (ap_run_log_error(j->run)->status != AP_OK) return cli_fail_output(j->output, error);
  return cli_fail(error->status == AP_E_ARG ? CLI_BAD : CLI_FAILED, j->path, 0, "%s", error->text);
}

// A fault that begins behind the end of the run tests nothing.
static void warn_of_fault(const job *j, const ap_servo *servo) {
  const double at = ap_control_fault_at(ap_run_control(j->run));
  const double over = ap_servo_result_of(servo)->stop_t;
  char late[WHY_BYTES];
  if (!isfinite(at) || at <= over) return;
  snprintf(late, sizeof late, "the fault at %.6g s did not happen: the run was over at %.6g s", at,
           over);
  cli_warn(j->path, 0, late);
}

static int go(job *j) {
  ap_error error = {0};
  error.status = ap_run_start(j->run, &error);
  if (error.status != AP_OK) return fail_run(j, &error);
  if (j->output) error.status = ap_run_record(j->run, j->output, &error);
  if (error.status != AP_OK) return cli_fail_output(j->output, &error);
  ap_servo *servo = ap_run_servo(j->run);
  j->phase = ap_run_find(j->run, "phase");
  cli_progress_start(&j->progress, j->quiet);
  stoppable = servo;
  if (ap_run_differing(j->run) < 0) cli_on_signal(stop);
  error.status = ap_run_all(j->run, watch, j, &error);
  stoppable = NULL;
  cli_progress_hide();
  for (int i = 0; ap_servo_remark(servo, i); i++) cli_warn(j->path, 0, ap_servo_remark(servo, i));
  warn_of_fault(j, servo);
  const bool ended = error.status == AP_OK || ap_run_log_error(j->run)->status != AP_OK;
  const int status = ended ? print_summary(j) : CLI_OK;
  return error.status == AP_OK ? status : fail_run(j, &error);
}

// How the run has ended.
static int end(const job *j, const char *log) {
  const ap_servo_result *x = ap_servo_result_of(ap_run_servo(j->run));
  const long differing = ap_run_differing(j->run);
  if (log)
    return differing == 0 ? CLI_OK : cli_fail(CLI_FAILED, log, 0, "%ld outputs differ", differing);
  if (x->stop == AP_STOP_DONE) return CLI_OK;
  const ap_error *wrong = ap_run_reference_error(j->run);
  char own[WHY_BYTES];
  tell_why(j, x, own);
  const char *why = wrong->status == AP_OK ? own : wrong->text;
  return cli_fail(CLI_FAILED, j->path, 0, "stopped at t = %.6g s: %s%s%s", x->stop_t,
                  ap_stop_text(x->stop), *why ? ": " : "", why);
}

static int run(const cli_arguments *arguments) {
  job j = {.path = arguments->argument[0],
           .output = arguments->value[OUTPUT],
           .json = arguments->value[JSON] != NULL,
           .quiet = arguments->value[QUIET] != NULL};
  int status = j.output ? cli_check_log(j.output) : CLI_OK;
  if (status == CLI_OK) status = load(&j, arguments);
  if (status == CLI_OK) status = go(&j);
  if (status == CLI_OK) status = end(&j, arguments->value[REPLAY]);
  ap_run_free(j.run);
  return status;
}

const cli_verb cli_control = {
    .name = "control",
    .arguments = "SCENARIO",
    .about = "Run a controller on a simulated or real robot.",
    .text = text,
    .example =
        "  appell control models/control/puma_spline.yaml -o run.csv\n"
        "  appell control models/control/puma_spline.yaml --replay run.csv\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run};
