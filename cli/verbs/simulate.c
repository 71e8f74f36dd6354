// SPDX-License-Identifier: Apache-2.0
#include <appell/run.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "load.h"
#include "summary.h"
#include "ui/output.h"
#include "ui/progress.h"
#include "ui/values.h"
#include "verbs.h"

enum { OUTPUT, UNTIL, STEP, JSON, QUIET };
enum { WORDS = 4200 };
enum { PATIENCE = 3 }; // s that the current output may take when the run is to end

static const cli_option options[] = {
    [OUTPUT] = {"-o", "RUN", "write the motion there: RUN.csv, RUN.h5 or RUN.mcap"},
    [UNTIL] = {"--until", "T", "end at this time, s, not where the scenario says"},
    [STEP] = {"--step", "DT", "time between outputs, s, not what the scenario says"},
    [JSON] = CLI_OPTION_SUMMARY_JSON,
    [QUIET] = CLI_OPTION_QUIET,
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "SCENARIO is a scenario file (docs/scenarios.md): robot, walls, start, duration. RUN.csv\n"
    "gets a line for each output time, RUN.events.csv one for each event, RUN.scenario.yaml\n"
    "the scenario; RUN.h5 has all of it, and so has RUN.mcap, which Foxglove opens.\n"
    "'appell report RUN.csv -o RUN.html' makes a page of them.\n"
    "They appear when the run is complete; a run that ends before leaves RUN.csv.part.\n";

// The signal that asked for the end. A signal handler gets no argument.
static volatile sig_atomic_t stopped_by;

// What to say where the run has to end in the midst of an output: before, time and after. Of the
// times one is always whole.
static char words_before[WORDS], words_time[2][32], words_after[WORDS];
static volatile sig_atomic_t words_now;

static void stop(int number) {
  stopped_by = number;
  alarm(PATIENCE);
}

static void end_now(int number) {
  (void)number;
  const char *const part[] = {words_before, words_time[words_now], words_after};
  char line[2 * WORDS + 32];
  size_t n = 0;
  for (size_t k = 0; k < sizeof part / sizeof part[0]; k++)
    for (const char *c = part[k]; *c; c++) line[n++] = *c;
  (void)!write(STDERR_FILENO, line, n); // where it fails, nobody is left to be told
  signal(stopped_by, SIG_DFL);
  raise(stopped_by);
}

// A first signal ends the run between two outputs, with a valid log; a second one at once, and so
// does the first where the next output is long in coming.
static void await_signals(void) {
  cli_on_signal(stop);
  signal(SIGALRM, end_now);
}

// A run on its way.
typedef struct job {
  const char *path;   // of the scenario
  const char *output; // the log; NULL: none
  ap_run *run;
  bool records; // the log is begun
  cli_summary summary;
  cli_progress progress;
} job;

// ---- failures ----------------------------------------------------------------------------------

// " (the log up to t = 1.2 s is RUN.csv.part)", or nothing.
static const char *where_the_log_is(const job *j, char *out, size_t size) {
  out[0] = 0;
  if (j->records) snprintf(out, size, " (the log up to then is %.3000s.part)", j->output);
  return out;
}

// The run cannot go on.
static int fail_run(const job *j, const ap_error *error) {
  char where[3100];
  const bool bad = error->status == AP_E_ARG || error->status == AP_E_MODEL;
  if (ap_run_log_error(j->run)->status != AP_OK) return cli_fail_output(j->output, error);
  return cli_fail(bad ? CLI_BAD : CLI_FAILED, j->path, error->line, "%s%s",
                  error->text[0] ? error->text : ap_status_text(error->status),
                  where_the_log_is(j, where, sizeof where));
}

// Say that the run was stopped, and end as the signal asks for.
static int end_by_signal(job *j) {
  char where[3100];
  const int number = stopped_by;
  cli_fail(CLI_FAILED, j->path, 0, "stopped at t = %.6g s of %.6g s%s", j->summary.state.t,
           j->summary.planned, where_the_log_is(j, where, sizeof where));
  signal(number, SIG_DFL);
  raise(number);
  return CLI_FAILED;
}

// Have the same at hand for a signal handler.
static void prepare_words(const job *j) {
  char path[WORDS - 64], log[3100];
  cli_plain(j->path, path, sizeof path);
  snprintf(words_before, sizeof words_before,
           "%sappell: %s: stopped at t = ", j->progress.shows ? "\r\033[K" : "", path);
  snprintf(words_time[0], sizeof words_time[0], "%.6g", j->summary.start);
  words_now = 0;
  cli_plain(j->records ? j->output : "", log, sizeof log);
  snprintf(words_after, sizeof words_after,
           log[0] ? " s of %.6g s, on the way to the next output (the log up to the last flush is "
                    "%s.part)\n"
                  : " s of %.6g s, on the way to the next output%s\n",
           j->summary.planned, log);
}

static void update_words(double t) {
  snprintf(words_time[!words_now], sizeof words_time[0], "%.6g", t);
  words_now = !words_now;
}

// ---- the run -----------------------------------------------------------------------------------

static bool watch(void *context, const ap_run *run, double part) {
  job *j = context;
  const ap_sim_state *state = ap_run_state(run);
  cli_summary_row(&j->summary, state);
  update_words(state->t);
  cli_progress_show(&j->progress, part, "t = %.4f s, %ld impacts", state->t,
                    j->summary.count[AP_EVENT_IMPACT]);
  return !stopped_by;
}

// A run that cannot start leaves no log; one that does has its first events in it.
static int start(job *j) {
  ap_error error = {0};
  error.status = ap_run_start(j->run, &error);
  if (error.status != AP_OK) return fail_run(j, &error);
  if (j->output) error.status = ap_run_record(j->run, j->output, &error);
  if (error.status != AP_OK) return cli_fail_output(j->output, &error);
  j->records = j->output != NULL;
  const char *remark = ap_sim_remark(ap_run_sim(j->run));
  if (remark[0]) cli_warn(j->path, 0, remark);
  return CLI_OK;
}

static int simulate(job *j, bool json, bool quiet) {
  const double began = cli_clock();
  ap_error error = {0};
  cli_progress_start(&j->progress, quiet);
  const int status = start(j);
  if (status != CLI_OK) return status;
  prepare_words(j);
  await_signals();
  ap_run_on_event(j->run, cli_summary_note, &j->summary);
  error.status = ap_run_all(j->run, watch, j, &error);
  cli_progress_hide();
  if (error.status != AP_OK) return fail_run(j, &error);
  if (stopped_by) return end_by_signal(j);
  j->summary.evaluations = ap_sim_evaluations(ap_run_sim(j->run));
  j->summary.frictions = ap_sim_friction(ap_run_sim(j->run), j->summary.friction, CLI_MARGINS);
  j->summary.seconds = cli_clock() - began;
  return json || !quiet ? cli_summary_print(&j->summary, json) : CLI_OK;
}

// ---- the verb ----------------------------------------------------------------------------------

// Nothing that the run is read of would be overwritten: by the log, its events, its scenario, or
// what they are while they are written.
static int check_inputs(const job *j) {
  char name[4096 + 16];
  const char *output = j->output;
  const int stem = (int)strlen(output) - (int)strlen(strrchr(output, '.'));
  static const char *const ending[] = {"", ".events.csv", ".scenario.yaml"};
  for (int k = 0; k < 6; k++) {
    snprintf(name, sizeof name, "%.*s%s%s", k < 2 ? (int)strlen(output) : stem, output,
             ending[k / 2], k % 2 ? ".part" : "");
    const char *read = j->path;
    for (int i = 0; read; read = ap_scenario_file(ap_run_scenario(j->run), i++)) {
      if (cli_same_file(name, read))
        return cli_fail(CLI_BAD, name, 0,
                        "the log would overwrite '%s', which the run is read of (another name)",
                        read);
    }
  }
  return CLI_OK;
}

static int load(job *j, const cli_arguments *arguments) {
  ap_error error = {0};
  int status = cli_open_run(arguments, (ap_run_options){.kind = AP_RUN_SIMULATION}, &j->run);
  if (status != CLI_OK) return status;
  double start, end, step;
  ap_run_times(j->run, &start, &end, &step);
  status = cli_value_above(arguments, UNTIL, start, &end);
  if (j->output && status == CLI_OK) status = check_inputs(j);
  if (status == CLI_OK) status = cli_value_above(arguments, STEP, 0, &step);
  if (status != CLI_OK) return status;
  error.status = ap_run_set_times(j->run, end, step, &error);
  j->summary.scenario = ap_run_scenario(j->run);
  j->summary.start = start;
  j->summary.planned = end;
  return error.status == AP_OK ? CLI_OK : cli_fail_input(j->path, &error);
}

static int run(const cli_arguments *arguments) {
  const char *output = arguments->value[OUTPUT];
  int status = output ? cli_check_log(output) : CLI_OK;
  if (status != CLI_OK) return status;
  job j = {.path = arguments->argument[0], .output = output, .summary = {.log = output}};
  status = load(&j, arguments);
  if (status == CLI_OK)
    status = simulate(&j, arguments->value[JSON] != NULL, arguments->value[QUIET] != NULL);
  cli_summary_free(&j.summary);
  ap_run_free(j.run);
  return status;
}

const cli_verb cli_simulate = {.name = "simulate",
                               .arguments = "SCENARIO",
                               .about = "Run a scenario: motion, walls, impacts, energies.",
                               .text = text,
                               .example =
                                   "  appell simulate models/ball.yaml -o ball.csv\n"
                                   "  appell simulate models/ball.yaml --until 2 --json\n",
                               .options = options,
                               .least = 1,
                               .most = 1,
                               .run = run};
