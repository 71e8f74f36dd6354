// SPDX-License-Identifier: Apache-2.0
// The verb `sweep`: many trials of a study, in parts, and what they say together.

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "ranks.h"
#include "sweep.h"
#include "ui/output.h"
#include "ui/progress.h"
#include "ui/values.h"
#include "verbs.h"

enum { OUTPUT, PART, MERGE, TRIAL, PAGE, THREADS, JSON, QUIET };
enum { MOST_THREADS = 1024, PATH_BYTES = 4096 };

static const cli_option options[] = {
    [OUTPUT] = {"-o", "FILE", "folder of the trials; the HDF5 file or log of what follows"},
    [PART] = {"--part", "I/N", "compute part I of N, from 1; slurm: by the task of a job array"},
    [MERGE] = {"--merge", "DIR", "all trials of this folder into -o FILE.h5"},
    [TRIAL] = {"--trial", "N", "run trial N again; -o RUN.csv writes its log"},
    [PAGE] = {"--page", "FILE.html", "the summary as a page"},
    [THREADS] = {"--threads", "N", "at most N threads; without it one for each processor"},
    [JSON] = CLI_OPTION_SUMMARY_JSON,
    [QUIET] = CLI_OPTION_QUIET,
    {0}};

static const char text[] =
    "STUDY is a study file (docs/sweep.md): what is run or computed, parameters with their\n"
    "distributions, outcomes. Trials are written to the folder of -o, STUDY.sweep without it, "
    "chunk\n"
    "by chunk. The same command continues a sweep that was interrupted. Parts may run at the\n"
    "same time on machines that share the folder, by job arrays or mpirun; the bytes that --merge\n"
    "writes do not depend on it.\n";

// The signal that asked for the end. A signal handler gets no argument.
static volatile sig_atomic_t stopped_by;
static void stop(int number) { stopped_by = number; }

typedef struct job {
  const cli_arguments *arguments;
  const char *path;
  char folder[PATH_BYTES];
  ap_sweep *sweep;
  ap_sweep_options options;
  cli_ranks ranks;
  cli_progress progress;
  bool json, quiet;
} job;

// ---- options -----------------------------------------------------------------------------------

static bool read_natural(const char *text_of, char end, long *number, const char **rest) {
  char *behind;
  errno = 0;
  *number = strtol(text_of, &behind, 10);
  *rest = behind + 1;
  return behind != text_of && *behind == end && errno == 0 && *number > 0 && text_of[0] != '+' &&
         text_of[0] != ' ';
}

static bool from_environment(const char *name, long *number) {
  const char *value = getenv(name);
  char *behind;
  if (!value) return false;
  *number = strtol(value, &behind, 10);
  return behind != value && !*behind;
}

// Task ID of an array MIN-MAX:STEP with COUNT tasks.
static int read_array(ap_sweep_options *o) {
  long id, count, least = 1, step = 1;
  if (!from_environment("SLURM_ARRAY_TASK_ID", &id) ||
      !from_environment("SLURM_ARRAY_TASK_COUNT", &count))
    return cli_usage("sweep", "--part slurm: this is no task of a job array (sbatch --array)");
  from_environment("SLURM_ARRAY_TASK_MIN", &least);
  from_environment("SLURM_ARRAY_TASK_STEP", &step);
  o->part = (id - least) / (step > 0 ? step : 1) + 1;
  o->parts = count;
  if (o->part >= 1 && o->part <= o->parts) return CLI_OK;
  return cli_usage("sweep", "--part slurm: task %ld of an array of %ld from %ld", id, count, least);
}

static int read_part(const char *value, ap_sweep_options *o) {
  const char *rest;
  if (!value) return CLI_OK;
  if (strcmp(value, "slurm") == 0) return read_array(o);
  const bool good =
      read_natural(value, '/', &o->part, &rest) && read_natural(rest, 0, &o->parts, &rest);
  if (good && o->part <= o->parts && o->parts <= 1000000000) return CLI_OK;
  return cli_usage("sweep", "--part '%s' (I/N with 1 <= I <= N, as 2/7, or slurm)", value);
}

// Without -o: the name of the study, in the working folder.
static void name_folder(job *j) {
  const char *given = j->arguments->value[OUTPUT], *slash = strrchr(j->path, '/');
  const char *base = slash ? slash + 1 : j->path, *dot = strrchr(base, '.');
  const int n = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
  snprintf(j->folder, sizeof j->folder, "%.*s%s", given ? (int)strlen(given) : n,
           given ? given : base, given ? "" : ".sweep");
}

// ---- running -----------------------------------------------------------------------------------

static bool watch(void *context, const ap_sweep_progress *p) {
  job *j = context;
  const double rate = p->seconds > 0 ? (double)p->fresh / p->seconds : 0;
  const double part = (double)p->done / (double)p->part;
  if (p->part == p->all)
    cli_progress_show(&j->progress, part, "%lld of %lld trials, %.4g/s", p->done, p->all, rate);
  else
    cli_progress_show(&j->progress, part, "%lld of %lld trials, %.4g/s; all parts %.1f %%", p->done,
                      p->part, rate, 100 * (double)p->written / (double)p->all);
  return !stopped_by;
}

static int fail_sweep(const job *j, const ap_error *error) {
  return cli_fail(error->status == AP_E_ARG ? CLI_BAD : CLI_FAILED, j->folder, 0, "%s",
                  error->text);
}

static int end_by_signal(const job *j) {
  const int number = stopped_by;
  cli_fail(CLI_FAILED, j->folder, 0, "interrupted (the same command continues it)");
  signal(number, SIG_DFL);
  raise(number);
  return CLI_FAILED;
}

static int compute(job *j) {
  ap_error error = {0};
  long long fresh;
  const double began = cli_clock();
  ap_sweep_options o = j->options;
  o.part = (o.part - 1) * j->ranks.size + j->ranks.rank + 1;
  o.parts *= j->ranks.size;
  o.watch = watch;
  o.context = j;
  if (j->ranks.size > 1 && o.threads == 0) o.threads = 1; // the ranks are the threads
  cli_progress_start(&j->progress, j->quiet || j->ranks.rank > 0);
  cli_on_signal(stop);
  error.status = ap_sweep_run(j->sweep, j->folder, &o, &fresh, &error);
  cli_progress_hide();
  if (error.status != AP_OK) return fail_sweep(j, &error);
  if (stopped_by) return end_by_signal(j);
  const double seconds = cli_clock() - began;
  if (!j->quiet && !j->json && j->ranks.rank == 0)
    printf("%s: %lld trials computed in %.3g s, %.4g/s%s\n", j->folder, fresh, seconds,
           (double)fresh / seconds, j->ranks.size > 1 ? ", by the first rank" : "");
  return CLI_OK;
}

static int summarize(const char *folder, const cli_arguments *arguments) {
  ap_sweep_summary *summary;
  ap_error error = {0};
  const char *page = arguments->value[PAGE];
  const bool json = arguments->value[JSON] != NULL;
  fflush(stdout); // what follows is written past it
  error.status = ap_sweep_summarize(folder, &summary, &error);
  if (error.status != AP_OK) return cli_fail(CLI_FAILED, folder, 0, "%s", error.text);
  int status = page ? sweep_write_page(summary, page) : CLI_OK;
  if (status == CLI_OK && (json || !arguments->value[QUIET])) status = sweep_print(summary, json);
  ap_sweep_summary_free(summary);
  return status;
}

static int run_ranks(job *j) {
  int status = compute(j);
  status = cli_ranks_meet(&j->ranks, status);
  const bool wanted = j->json || j->arguments->value[PAGE] || !j->quiet;
  if (status == CLI_OK && j->ranks.rank == 0 && wanted && ap_sweep_complete(j->sweep, j->folder))
    status = summarize(j->folder, j->arguments);
  return status;
}

static int run_study(job *j) {
  int status = cli_ranks_join(&j->ranks);
  if (status == CLI_OK) status = run_ranks(j);
  cli_ranks_leave(&j->ranks);
  return status;
}

// ---- one trial ---------------------------------------------------------------------------------

static int run_trial(const job *j, long trial) {
  const char *record = j->arguments->value[OUTPUT];
  ap_error error = {0};
  int n = 0, status = record ? cli_check_log(record) : CLI_OK;
  if (status != CLI_OK) return status;
  while (ap_sweep_outcome(j->sweep, n)) n++;
  double *outcome = calloc((size_t)n + 1, sizeof *outcome);
  if (!outcome) return cli_no_memory();
  error.status = ap_sweep_trial(j->sweep, trial, record, outcome, &error);
  if (error.status == AP_OK)
    status = sweep_print_trial(j->sweep, trial, outcome, j->json);
  else
    status = cli_fail(error.status == AP_E_ARG ? CLI_BAD : CLI_FAILED, j->path, 0, "trial %ld: %s",
                      trial, error.text[0] ? error.text : ap_status_text(error.status));
  free(outcome);
  return status;
}

// ---- the verb ----------------------------------------------------------------------------------

static int merge(const cli_arguments *arguments) {
  const char *folder = arguments->value[MERGE], *output = arguments->value[OUTPUT];
  ap_error error = {0};
  if (arguments->count > 0)
    return cli_usage("sweep", "--merge takes the folder alone, not the study '%s' too",
                     arguments->argument[0]);
  if (!output && !arguments->value[PAGE] && !arguments->value[JSON])
    return cli_usage("sweep", "where do the trials go? --merge DIR -o FILE.h5");
  const size_t n = output ? strlen(output) : 0;
  if (output && (n < 4 || strcmp(output + n - 3, ".h5") != 0))
    return cli_usage("sweep", "the file '%s' does not end in .h5", output);
  int status = output ? cli_check_target(output) : CLI_OK;
  if (status != CLI_OK) return status;
  if (output) error.status = ap_sweep_merge(folder, output, &error);
  if (error.status != AP_OK) return cli_fail(CLI_FAILED, folder, 0, "%s", error.text);
  return summarize(folder, arguments);
}

static int run(const cli_arguments *arguments) {
  const char *page = arguments->value[PAGE];
  const int named = page ? cli_check_page("sweep", page) : CLI_OK;
  if (named != CLI_OK) return named;
  if (arguments->value[MERGE]) return merge(arguments);
  if (arguments->count == 0) return cli_usage("sweep", "which study? STUDY.yaml, or --merge DIR");
  long threads = 0, trial = -1;
  job j = {.arguments = arguments,
           .path = arguments->argument[0],
           .options = ap_default_sweep(),
           .json = arguments->value[JSON] != NULL,
           .quiet = arguments->value[QUIET] != NULL};
  int status = read_part(arguments->value[PART], &j.options);
  if (status == CLI_OK) status = cli_value_integer(arguments, THREADS, 1, MOST_THREADS, &threads);
  if (status == CLI_OK) status = cli_value_integer(arguments, TRIAL, 0, 1L << 40, &trial);
  if (status != CLI_OK) return status;
  j.options.threads = (int)threads;
  name_folder(&j);
  ap_error error = {0};
  error.status = ap_sweep_read(j.path, &j.sweep, &error);
  if (error.status != AP_OK) return cli_fail_input(j.path, &error);
  status = trial >= 0 ? run_trial(&j, trial) : run_study(&j);
  ap_sweep_free(j.sweep);
  return status;
}

const cli_verb cli_sweep = {.name = "sweep",
                            .arguments = "[STUDY]",
                            .about = "Run a study with many values of its parameters.",
                            .text = text,
                            .example =
                                "  appell sweep models/studies/workspace.yaml -o workspace\n"
                                "  appell sweep models/studies/drop.yaml --part 2/7 -o drop\n"
                                "  appell sweep --merge drop -o drop.h5 --page drop.html\n",
                            .options = options,
                            .least = 0,
                            .most = 1,
                            .run = run};
