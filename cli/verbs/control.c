#include <appell/control.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "control_log.h"
#include "installed.h"
#include "ui/json.h"
#include "ui/progress.h"
#include "ui/table.h"
#include "verbs.h"

enum { OUTPUT, ROBOT, REFERENCE, RUN_ONLY, REPLAY, JSON, QUIET };

static const cli_option options[] = {
    [OUTPUT] = {"-o", "RUN", "write every period there: RUN.csv or RUN.h5"},
    [ROBOT] = {"--robot", "MODEL", "what the controller believes in, not what the scenario says"},
    [REFERENCE] = {"--reference", "FILE", "what is followed: t, q.JOINT and maybe v, a.JOINT"},
    [RUN_ONLY] = {"--run-only", NULL, "log the reference alone, with its own time"},
    [REPLAY] = {"--replay", "RUN", "feed the inputs of a log; its outputs must come again"},
    [JSON] = CLI_OPTION_SUMMARY_JSON,
    [QUIET] = CLI_OPTION_QUIET,
    {0}};

static const char text[] =
    "SCENARIO is a control scenario (docs/control.md): robot, rack, controller, reference,\n"
    "guards. RUN.csv gets a line for each period, RUN.events.csv one for each change of phase;\n"
    "RUN.h5 has both. They appear when the run has ended; a killed one leaves RUN.csv.part.\n"
    "Exit status 1 where a guard, or a signal, stopped the run.\n";

enum { CLASSES = sizeof((ap_histogram){0}.count) / sizeof(uint64_t), OCTAVE = 8 };

static const double flush_every = 0.5; // s

// A run on its way.
typedef struct job {
  const char *path, *output;
  ap_control *control;
  ap_servo *servo;
  cli_control_log log;
  double flushed;
  ap_realtime realtime;
  bool by_clock, json, quiet;
  long differing; // of a replay; -1: it is none
  long replayed;  // periods of the log that is replayed; 0: it is none
  cli_progress progress;
} job;

// The run that a signal stops. A signal handler gets no argument.
static ap_servo *volatile stoppable;

static void stop(int number) {
  (void)number;
  if (stoppable) ap_servo_request_stop(stoppable);
}

// A first signal brakes the robot and ends the run with a valid log; a second one ends at once.
static void await_signals(ap_servo *servo) {
  static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction now, action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
  stoppable = servo;
  sigemptyset(&action.sa_mask);
  for (size_t k = 0; k < sizeof stopping / sizeof stopping[0]; k++)
    if (sigaction(stopping[k], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaction(stopping[k], &action, NULL);
}

// ---- the run -----------------------------------------------------------------------------------

static void drain(job *j) {
  ap_servo_record record;
  while (ap_servo_take(j->servo, &record)) {
    cli_control_log_write(&j->log, &record);
    cli_progress_show(
        &j->progress,
        record.period < j->replayed ? (double)record.period / (double)j->replayed : -1,
        "t = %.2f s, %s", record.t, ap_phase_name(record.phase));
  }
  const double now = cli_clock();
  if (now - j->flushed < flush_every) return;
  cli_control_log_flush(&j->log);
  j->flushed = now;
}

static void *loop(void *context) {
  job *j = context;
  ap_servo_run(j->servo, &j->realtime);
  return NULL;
}

static int run_by_clock(job *j) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, loop, j) != 0)
    return cli_fail(CLI_FAILED, j->path, 0, "no thread for the control loop");
  const struct timespec pause = {.tv_nsec = 5000000};
  while (!ap_servo_ended(j->servo)) {
    drain(j);
    nanosleep(&pause, NULL);
  }
  pthread_join(thread, NULL);
  drain(j);
  for (int i = 0; ap_servo_remark(j->servo, i); i++)
    cli_warn(j->path, 0, ap_servo_remark(j->servo, i));
  return CLI_OK;
}

static int run_simulated(job *j) {
  for (long k = 1; ap_servo_step(j->servo); k++)
    if (k % 256 == 0) drain(j);
  drain(j);
  return CLI_OK;
}

static int replay(job *j, const char *log) {
  ap_rack_input *input = NULL;
  ap_rack_output *output = NULL;
  long *period = NULL, requested = -1, n = 0;
  int status = cli_control_log_read(log, ap_control_model(j->control), &input, &output, &period,
                                    &requested, &n);
  ap_error error = {0};
  if (status == CLI_OK) {
    error.status = ap_control_open_replay(j->control, input, output, n, &j->servo, &error);
    if (error.status != AP_OK) status = cli_fail_input(j->path, &error);
  }
  if (n > 0) j->replayed = period[n - 1] + 1;
  for (long k = 0; status == CLI_OK && k < n; k++) {
    if (k == requested) ap_servo_request_stop(j->servo);
    const bool more = ap_servo_step_at(j->servo, period[k]);
    drain(j);
    if (!more) break;
  }
  if (status == CLI_OK) {
    j->differing = ap_rack_differing(ap_control_rack(j->control));
    j->differing += n - ap_servo_result_of(j->servo)->periods;
  }
  free(input);
  free(output);
  free(period);
  return status;
}

// ---- the summary -------------------------------------------------------------------------------

static void json_times(cli_json *json, const char *key, const ap_histogram *h) {
  static const double parts[] = {0.5, 0.9, 0.99, 0.999, 0.9999};
  static const char *const names[] = {"p50", "p90", "p99", "p99.9", "p99.99"};
  if (h->n == 0) return;
  cli_json_open(json, key, '{');
  cli_json_number(json, "least", h->least);
  cli_json_number(json, "mean", h->sum / (double)h->n);
  for (int k = 0; k < 5; k++) cli_json_number(json, names[k], ap_histogram_quantile(h, parts[k]));
  cli_json_number(json, "most", h->most);
  cli_json_open(json, "histogram", '['); // where a class begins, and how many are in it
  for (int k = 0; k < CLASSES; k++) {
    const double pair[2] = {ap_histogram_bound(k), (double)h->count[k]};
    if (h->count[k] > 0) cli_json_numbers(json, NULL, pair, 2);
  }
  cli_json_close(json, ']');
  cli_json_close(json, '}');
}

static void print_json(cli_out *out, const job *j) {
  const ap_model *m = ap_control_model(j->control);
  const ap_servo_result *x = ap_servo_result_of(j->servo);
  cli_json json = {.out = out};
  cli_json_open(&json, NULL, '{');
  cli_json_string(&json, "scenario", ap_control_name(j->control));
  cli_json_string(&json, "model", ap_model_name(m));
  cli_json_string(&json, "log", j->output ? j->output : "");
  cli_json_string(&json, "stop", ap_stop_name(x->stop));
  cli_json_string(&json, "stop_joint", x->stop_axis >= 0 ? cli_control_joint(m, x->stop_axis) : "");
  cli_json_number(&json, "stop_t", x->stop_t);
  cli_json_number(&json, "run_began", x->run_began);
  cli_json_integer(&json, "periods", x->periods);
  cli_json_integer(&json, "missed", x->missed);
  cli_json_integer(&json, "skipped", x->skipped);
  cli_json_integer(&json, "dropped", x->dropped);
  if (j->differing >= 0) cli_json_integer(&json, "differing", j->differing);
  cli_json_numbers(&json, "error_rms", x->rms, ap_nv(m));
  cli_json_numbers(&json, "error_most", x->most, ap_nv(m));
  cli_json_numbers(&json, "error_end", x->last, ap_nv(m));
  json_times(&json, "latency", &x->latency);
  json_times(&json, "compute", &x->compute);
  cli_json_close(&json, '}');
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
  cli_table_add(&table, "below (us)");
  cli_table_add(&table, "latency");
  cli_table_add(&table, "period");
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

static int print_text(cli_out *out, const job *j) {
  const ap_model *m = ap_control_model(j->control);
  const ap_servo_result *x = ap_servo_result_of(j->servo);
  char name[200];
  cli_plain(ap_control_name(j->control), name, sizeof name);
  cli_out_printf(out, "%s: %ld periods, ", name, x->periods);
  if (x->run_began >= 0)
    cli_out_printf(out, "reference from %.3f s on\n", x->run_began);
  else
    cli_out_printf(out, "reference not reached\n");
  cli_out_printf(out, "stop at %.3f s: %s%s%s\n\n", x->stop_t, ap_stop_text(x->stop),
                 x->stop_axis >= 0 ? ", joint " : "",
                 x->stop_axis >= 0 ? cli_control_joint(m, x->stop_axis) : "");
  cli_table table = {.columns = 4, .right = 0xeu};
  static const char *const heading[] = {"error (mrad)", "rms", "largest", "at the end"};
  for (int k = 0; k < table.columns; k++) cli_table_add(&table, "%s", heading[k]);
  for (int k = 0; k < ap_nv(m); k++) {
    cli_table_add(&table, "%s", cli_control_joint(m, k));
    cli_table_add(&table, "%.3f", 1e3 * x->rms[k]);
    cli_table_add(&table, "%.3f", 1e3 * x->most[k]);
    cli_table_add(&table, "%.3f", 1e3 * x->last[k]);
  }
  int status = cli_table_print(&table, out);
  cli_out_printf(out, "\n%ld deadlines missed, %ld periods skipped, %ld records dropped\n",
                 x->missed, x->skipped, x->dropped);
  if (j->differing >= 0)
    cli_out_printf(out, "replay: %ld of %ld outputs differ\n", j->differing, x->periods);
  print_times(out, "wake-up latency", &x->latency);
  print_times(out, "period", &x->compute);
  if (status == CLI_OK) status = print_histograms(out, x);
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
  const ap_control_options other = {.robot = arguments->value[ROBOT],
                                    .reference = arguments->value[REFERENCE],
                                    .run_alone = arguments->value[RUN_ONLY] != NULL};
  error.status = ap_control_read(j->path, &other, &j->control, &error);
  if (error.status != AP_OK) return cli_fail_scenario(j->path, &error);
  const ap_error *warning;
  for (int i = 0; (warning = ap_control_warning(j->control, i)); i++)
    cli_warn(j->path, warning->line, warning->text);
  j->by_clock = ap_control_realtime(j->control, &j->realtime);
  return CLI_OK;
}

static int go(job *j, const char *log) {
  ap_error error = {0};
  int status = CLI_OK;
  if (!log) {
    error.status = ap_control_open(j->control, &j->servo, &error);
    if (error.status != AP_OK)
      return cli_fail(error.status == AP_E_ARG ? CLI_BAD : CLI_FAILED, j->path, 0, "%s",
                      error.text);
  }
  status = cli_control_log_open(&j->log, j->output, j->control, j->path);
  if (status != CLI_OK) return status;
  j->flushed = cli_clock();
  cli_progress_start(&j->progress, j->quiet);
  if (log) {
    status = replay(j, log);
  } else {
    await_signals(j->servo);
    status = j->by_clock ? run_by_clock(j) : run_simulated(j);
    stoppable = NULL;
  }
  cli_progress_hide();
  if (status == CLI_OK) status = cli_control_log_finish(&j->log);
  if (status == CLI_OK) status = print_summary(j);
  if (status != CLI_OK) return status;
  const ap_servo_result *x = ap_servo_result_of(j->servo);
  if (log)
    return j->differing == 0 ? CLI_OK
                             : cli_fail(CLI_FAILED, log, 0, "%ld outputs differ", j->differing);
  if (x->stop == AP_STOP_DONE) return CLI_OK;
  return cli_fail(CLI_FAILED, j->path, 0, "stopped at t = %.6g s: %s", x->stop_t,
                  ap_stop_text(x->stop));
}

static int run(const cli_arguments *arguments) {
  job j = {.path = arguments->argument[0],
           .output = arguments->value[OUTPUT],
           .json = arguments->value[JSON] != NULL,
           .quiet = arguments->value[QUIET] != NULL,
           .differing = -1};
  int status = j.output ? cli_check_log(j.output) : CLI_OK;
  if (status == CLI_OK) status = load(&j, arguments);
  if (status == CLI_OK) status = go(&j, arguments->value[REPLAY]);
  cli_control_log_close(&j.log);
  ap_control_free(j.control);
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
