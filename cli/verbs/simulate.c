#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ui/output.h"
#include "clock.h"
#include "installed.h"
#include "ui/progress.h"
#include "record.h"
#include "summary.h"
#include "ui/values.h"
#include "verbs.h"

enum { OUTPUT, UNTIL, STEP, JSON, QUIET };
enum { MOST_OUTPUTS = 10000000 };
enum { WORDS = 4200 };
enum { PATIENCE = 3 }; // s that the current output may take when the run is to end

static const cli_option options[] = {
    [OUTPUT] = {"-o", "RUN", "write the motion there: RUN.csv or RUN.h5"},
    [UNTIL] = {"--until", "T", "end at this time, s, not where the scenario says"},
    [STEP] = {"--step", "DT", "time between outputs, s, not what the scenario says"},
    [JSON] = CLI_OPTION_SUMMARY_JSON,
    [QUIET] = CLI_OPTION_QUIET,
    {0}};

static const char text[] =
    "SCENARIO is a scenario file (docs/scenarios.md): robot, walls, start, duration. RUN.csv\n"
    "gets a line for each output time, RUN.events.csv one for each event, RUN.scenario.yaml\n"
    "the scenario; RUN.h5 has all of it. 'appell report RUN.csv' makes a page of them.\n"
    "They appear when the run is complete; a run that ends before leaves RUN.csv.part.\n";

static const double flush_every = 0.5; // s, of the log

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
  for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
    for (const char *c = part[k]; *c; c++) line[n++] = *c;
  }
  (void)!write(STDERR_FILENO, line, n); // where it fails, nobody is left to be told
  signal(stopped_by, SIG_DFL);
  raise(stopped_by);
}

// A first signal ends the run between two outputs, with a valid log; a second one at once, and so
// does the first where the next output is long in coming.
static void await_signals(void) {
  static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction now, action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  for (size_t k = 0; k < sizeof stopping / sizeof stopping[0]; k++) {
    if (sigaction(stopping[k], NULL, &now) == 0 && now.sa_handler != SIG_IGN) {
      sigaction(stopping[k], &action, NULL);
    }
  }
  action.sa_handler = end_now;
  sigaction(SIGALRM, &action, NULL);
}

// A run on its way.
typedef struct job {
  const char *path; // of the scenario
  ap_scenario *scenario;
  ap_sim *sim;
  cli_record record;
  cli_summary summary;
  double start, end, step;
  cli_progress progress;
  double began, flushed;
} job;

// ---- failures ----------------------------------------------------------------------------------

// " (the log up to t = 1.2 s is RUN.csv.part)", or nothing.
static const char *where_the_log_is(const job *j, char *out, size_t size) {
  out[0] = 0;
  if (j->record.log) snprintf(out, size, " (the log up to then is %.3000s.part)", j->record.path);
  return out;
}

// The run cannot go on.
static int fail_run(const job *j, const ap_error *error) {
  char where[3100];
  const bool bad = error->status == AP_E_ARG || error->status == AP_E_MODEL;
  return cli_fail(bad ? CLI_BAD : CLI_FAILED, j->path, error->line, "%s%s",
                  error->text[0] ? error->text : ap_status_text(error->status),
                  where_the_log_is(j, where, sizeof where));
}

// Say that the run was stopped, and end as the signal asks for.
static int end_by_signal(job *j) {
  char where[3100];
  const int number = stopped_by;
  cli_record_flush(&j->record);
  cli_fail(CLI_FAILED, j->path, 0, "stopped at t = %.6g s of %.6g s%s", j->summary.state.t, j->end,
           where_the_log_is(j, where, sizeof where));
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
  snprintf(words_time[0], sizeof words_time[0], "%.6g", j->start);
  words_now = 0;
  cli_plain(j->record.log ? j->record.path : "", log, sizeof log);
  snprintf(words_after, sizeof words_after,
           log[0] ? " s of %.6g s, on the way to the next output (the log up to the last flush is "
                    "%s.part)\n"
                  : " s of %.6g s, on the way to the next output%s\n",
           j->end, log);
}

static void update_words(double t) {
  snprintf(words_time[!words_now], sizeof words_time[0], "%.6g", t);
  words_now = !words_now;
}

// ---- the run -----------------------------------------------------------------------------------

static void tell(void *context, const ap_event *event) {
  job *j = context;
  cli_summary_note(&j->summary, event);
  cli_record_event(&j->record, event);
}

// Output k of n, the last one at the end.
static double output_time(const job *j, long k, long n) {
  return k < n ? j->start + (double)k * j->step : j->end;
}

static int write_state(job *j) {
  ap_error error = {0};
  cli_summary *s = &j->summary;
  error.status = ap_sim_now(j->sim, &s->state, &error);
  if (error.status != AP_OK) return fail_run(j, &error);
  const double now = cli_clock();
  if (cli_record_row(&j->record, j->sim, &s->state) == AP_OK && now - j->flushed >= flush_every) {
    cli_record_flush(&j->record);
    j->flushed = now;
  }
  if (j->record.error.status != AP_OK) return cli_fail_output(j->record.path, &j->record.error);
  if (s->rows++ == 0) // before impacts at the start
    s->energy = s->state.kinetic + s->state.potential + s->state.elastic + s->state.lost;
  s->closing = fmax(s->closing, fabs(s->state.closing));
  s->closure = fmax(s->closure, s->state.closure);
  update_words(s->state.t);
  cli_progress_show(&j->progress, (s->state.t - j->start) / (j->end - j->start),
                    "t = %.4f s, %ld impacts", s->state.t, s->count[AP_EVENT_IMPACT]);
  return CLI_OK;
}

// From output to output.
static int go(job *j) {
  const double outputs = ceil((j->end - j->start) / j->step * (1 - 1e-12));
  if (!(outputs <= MOST_OUTPUTS)) {
    return cli_fail(CLI_BAD, j->path, 0, "%.3g output times are too many (at most %d)", outputs,
                    MOST_OUTPUTS);
  }
  const long n = (long)outputs;
  int status = write_state(j);
  for (long k = 1; k <= n && status == CLI_OK && !stopped_by; k++) {
    ap_error error = {0};
    error.status = ap_sim_advance(j->sim, output_time(j, k, n), &error);
    status = error.status == AP_OK ? write_state(j) : fail_run(j, &error);
  }
  cli_progress_hide();
  if (status == CLI_OK && stopped_by) return end_by_signal(j);
  return status;
}

static int start(job *j, const char *output) {
  ap_error error = {0};
  const ap_scene *scene = ap_scenario_scene(j->scenario);
  const double *q = ap_scenario_q(j->scenario), *v = ap_scenario_v(j->scenario);
  error.status = ap_sim_create(scene, &j->sim, &error);
  if (error.status == AP_OK) error.status = ap_sim_start(j->sim, j->start, q, v, &error);
  if (error.status != AP_OK) return fail_run(j, &error);
  // A run that cannot start leaves no log; one that does has its first events in it.
  const int status = cli_record_open(&j->record, output, j->scenario, j->path);
  if (status != CLI_OK) return status;
  ap_sim_on_event(j->sim, tell, j);
  error.status = ap_sim_start(j->sim, j->start, q, v, &error);
  if (error.status != AP_OK) return fail_run(j, &error);
  if (ap_sim_remark(j->sim)[0]) cli_warn(j->path, 0, ap_sim_remark(j->sim));
  return CLI_OK;
}

static int simulate(job *j, const char *output, bool json, bool quiet) {
  j->began = j->flushed = cli_clock();
  cli_progress_start(&j->progress, quiet);
  int status = start(j, output);
  if (status == CLI_OK) {
    prepare_words(j);
    await_signals();
    status = go(j);
  }
  if (status == CLI_OK) status = cli_record_finish(&j->record);
  j->summary.end = j->summary.state.t;
  j->summary.evaluations = ap_sim_evaluations(j->sim);
  j->summary.seconds = cli_clock() - j->began;
  if (status == CLI_OK && (json || !quiet)) status = cli_summary_print(&j->summary, json);
  return status;
}

// ---- the verb ----------------------------------------------------------------------------------

// Nothing that the run is read of would be overwritten: by the log, its events, its scenario, or
// what they are while they are written.
static int check_inputs(const job *j, const char *output) {
  char name[4096 + 16];
  const int stem = (int)strlen(output) - (int)strlen(strrchr(output, '.'));
  static const char *const ending[] = {"", ".events.csv", ".scenario.yaml"};
  for (int k = 0; k < 6; k++) {
    snprintf(name, sizeof name, "%.*s%s%s", k < 2 ? (int)strlen(output) : stem, output,
             ending[k / 2], k % 2 ? ".part" : "");
    const char *read = j->path;
    for (int i = 0; read; read = ap_scenario_file(j->scenario, i++)) {
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
  error.status = ap_scenario_read(j->path, &j->scenario, &error);
  if (error.status != AP_OK) return cli_fail_scenario(j->path, &error);
  const ap_error *warning;
  for (int i = 0; (warning = ap_scenario_warning(j->scenario, i)); i++) {
    cli_warn(j->path, warning->line, warning->text);
  }
  ap_scenario_times(j->scenario, &j->start, &j->end, &j->step);
  j->summary.scenario = j->scenario;
  j->summary.start = j->start;
  const char *until = arguments->value[UNTIL], *step = arguments->value[STEP];
  int status = CLI_OK;
  if (until) status = cli_value_above("simulate", "--until", until, j->start, &j->end);
  const char *output = arguments->value[OUTPUT];
  if (output && status == CLI_OK) status = check_inputs(j, output);
  if (step && status == CLI_OK) status = cli_value_above("simulate", "--step", step, 0, &j->step);
  return status;
}

static int run(const cli_arguments *arguments) {
  const char *output = arguments->value[OUTPUT];
  int status = output ? cli_check_log(output) : CLI_OK;
  if (status != CLI_OK) return status;
  job j = {.path = arguments->argument[0], .summary = {.log = output}};
  status = load(&j, arguments);
  if (status == CLI_OK) {
    status = simulate(&j, output, arguments->value[JSON] != NULL, arguments->value[QUIET] != NULL);
  }
  cli_record_close(&j.record);
  cli_summary_free(&j.summary);
  ap_sim_free(j.sim);
  ap_scenario_free(j.scenario);
  return status;
}

const cli_verb cli_simulate = {.name = "simulate",
                               .arguments = "SCENARIO",
                               .about = "Run a scenario: motion among walls, impacts, energies.",
                               .text = text,
                               .example =
                                   "  appell simulate models/ball.yaml -o ball.csv\n"
                                   "  appell simulate models/ball.yaml --until 2 --json\n",
                               .options = options,
                               .least = 1,
                               .most = 1,
                               .run = run};
