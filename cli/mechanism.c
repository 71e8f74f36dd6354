#include "mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "feed.h"
#include "ui/progress.h"

enum { NUMBER_BYTES = 25 };

// A mechanism, its work, and room for a row in and out.
typedef struct machine {
  const cli_mechanism_job *job;
  const ap_mechanism *m;
  ap_loop *l;
  double *in, *out, *zero;
  char *text;
  int n, nact, columns_in, columns_out;
} machine;

static void close_machine(machine *a) {
  ap_loop_free(a->l);
  free(a->in), free(a->out), free(a->zero), free(a->text);
}

static bool open_machine(machine *a) {
  const cli_mechanism_job *job = a->job;
  a->m = job->model->mechanism;
  a->l = ap_loop_make(a->m);
  const int n = a->n = ap_mechanism_n(a->m), nact = a->nact = ap_mechanism_nact(a->m);
  const int in[] = {3 * n, 2 * n + nact, n, 2 * n, n, 2 * n};
  const int out[] = {nact, n, n * n, nact, nact, 2};
  a->columns_in = in[job->what], a->columns_out = out[job->what];
  a->in = malloc(sizeof(double) * ((size_t)a->columns_in + 1));
  a->out = malloc(sizeof(double) * ((size_t)a->columns_out + 1));
  a->zero = calloc((size_t)n, sizeof(double));
  a->text = malloc((size_t)a->columns_out * NUMBER_BYTES + 1);
  return a->l && a->in && a->out && a->zero && a->text;
}

static const char *plural(int n) { return n == 1 ? "" : "s"; }

const char *cli_mechanism_freedoms(const ap_mechanism *m, int rank, char *text, size_t size) {
  const int left = ap_nv(ap_mechanism_tree(m)) - rank, n = ap_mechanism_n(m);
  snprintf(text, size, "the closures leave %d degree%s of freedom, there %s %d coordinate%s", left,
           plural(left), n == 1 ? "is" : "are", n, plural(n));
  return text;
}

// More coordinates than freedoms where it closes from the guess; poses cannot be reached then.
static int check_freedoms(const machine *a, const double *guess) {
  const ap_model *tree = ap_mechanism_tree(a->m);
  const size_t bytes = sizeof(double) * (size_t)ap_nq(tree);
  double *x = malloc(bytes + 1);
  char text[120];
  ap_assembly found;
  if (!x) return cli_no_memory();
  memcpy(x, guess, bytes);
  const ap_status status = ap_loop_close(a->m, a->l, x, NULL, &found);
  free(x);
  if (status != AP_OK || ap_nv(tree) - found.rank >= a->n) return CLI_OK;
  return cli_fail(CLI_FAILED, a->job->model->path, 0, "%s (as many are needed)",
                  cli_mechanism_freedoms(a->m, found.rank, text, sizeof text));
}

static int set_up(machine *a) {
  const cli_mechanism_job *job = a->job;
  const char *path = job->model->path;
  const double *guess = ap_mechanism_find_branch(a->m, job->branch);
  if (!guess && ap_mechanism_nbranch(a->m) == 0)
    return cli_usage("eval", "'%s' has one branch only, without a name", path);
  if (!guess) {
    char names[200] = "";
    for (int i = 0; i < ap_mechanism_nbranch(a->m); i++) {
      const size_t used = strlen(names);
      snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
               ap_mechanism_branch(a->m, i)->name);
    }
    return cli_usage("eval", "--branch '%s' is not one of the branches of '%s': %s", job->branch,
                     path, names);
  }
  if (a->nact < a->n &&
      (job->what == AP_INVERSE || job->what == AP_BIAS || job->what == AP_GRAVITY))
    return cli_fail(CLI_FAILED, path, 0,
                    "%d actuator%s cannot give the forces on %d coordinate%s (as many or more; "
                    "forward, inertia and energy are possible)",
                    a->nact, plural(a->nact), a->n, plural(a->n));
  if (job->friction) ap_set_friction(ap_mechanism_tree(a->m), ap_loop_work(a->l), true);
  if (job->gravity) ap_set_gravity(ap_mechanism_tree(a->m), ap_loop_work(a->l), job->gravity);
  return check_freedoms(a, guess);
}

// ---- one state ---------------------------------------------------------------------------------

static ap_status compute(machine *a) {
  const double *q = a->in, *v = q + a->n, *third = v + a->n;
  switch (a->job->what) {
    case AP_INVERSE: return ap_loop_inverse_dynamics(a->m, a->l, q, v, third, a->out);
    case AP_FORWARD: return ap_loop_forward_dynamics(a->m, a->l, q, v, third, a->out);
    case AP_INERTIA: return ap_loop_inertia_matrix(a->m, a->l, q, a->out);
    case AP_BIAS: return ap_loop_inverse_dynamics(a->m, a->l, q, v, a->zero, a->out);
    case AP_GRAVITY: return ap_loop_inverse_dynamics(a->m, a->l, q, a->zero, a->zero, a->out);
    case AP_ENERGY: return ap_loop_energy(a->m, a->l, q, v, &a->out[0], &a->out[1]);
    case AP_INVERSE_DERIVATIVES:
    case AP_FORWARD_DERIVATIVES: break;
  }
  return AP_E_UNSUPPORTED;
}

// A pitch of +-pi/2 among the coordinates.
static bool in_gimbal(const machine *a) {
  for (int i = 0; i < a->n; i++)
    if (ap_mechanism_coordinate(a->m, i)->kind == AP_COORDINATE_PITCH && fabs(cos(a->in[i])) < 1e-6)
      return true;
  return false;
}

static int report_status(machine *a, int line, ap_status status) {
  const char *path = a->job->path, *text = ap_status_text(status);
  ap_assembly found;
  ap_singularity near;
  if (status == AP_E_UNREACHABLE && ap_loop_place(a->m, a->l, a->in, &found) == status &&
      found.worst >= 0) {
    return cli_fail(CLI_FAILED, path, line,
                    "%s (closure '%s' stays open by %.3g, a coordinate is off by %.3g)", text,
                    ap_mechanism_closure(a->m, found.worst)->name, found.closure_error,
                    found.coordinate_error);
  }
  if (status == AP_E_ARG) {
    return cli_fail(CLI_FAILED, path, line,
                    "a result is too large for a number (smaller numbers are needed)");
  }
  if (status == AP_E_SINGULAR_SERIAL && in_gimbal(a)) {
    return cli_fail(CLI_FAILED, path, line,
                    "%s (serial singularity: at a pitch of +-pi/2 yaw and roll are not determined)",
                    text);
  }
  if (status == AP_E_MODEL && ap_loop_place(a->m, a->l, a->in, &found) == status) {
    char freedoms[120];
    return cli_fail(CLI_FAILED, path, line, "%s (as many are needed)",
                    cli_mechanism_freedoms(a->m, found.rank, freedoms, sizeof freedoms));
  }
  if (status == AP_E_SINGULAR_SERIAL || status == AP_E_SINGULAR_PARALLEL) {
    const bool serial = status == AP_E_SINGULAR_SERIAL;
    ap_loop_singularity(a->m, a->l, a->in, &near);
    return cli_fail(CLI_FAILED, path, line, "%s (%s singularity, distance %.3g)", text,
                    serial ? "serial" : "parallel", serial ? near.serial : near.parallel);
  }
  return cli_fail(CLI_FAILED, path, line, "%s", text);
}

static int do_row(machine *a, int line, cli_out *out) {
  ap_loop_begin(a->m, a->l, a->job->branch, a->in);
  const ap_status status = compute(a);
  if (status != AP_OK) return report_status(a, line, status);
  char *end = a->text;
  for (int k = 0; k < a->columns_out; k++) {
    if (k > 0) *end++ = ' ';
    end += ap_format_double(a->out[k], end);
  }
  *end++ = '\n';
  cli_out_write(out, a->text, (size_t)(end - a->text));
  return CLI_OK;
}

// ---- a file of states --------------------------------------------------------------------------

static const char *actuator_name(const machine *a, int i) {
  return cli_joint_name(ap_mechanism_tree(a->m), ap_mechanism_actuated(a->m, i));
}

static void write_columns(const machine *a, cli_out *out) {
  cli_out_printf(out, "#");
  for (int k = 0; k < a->columns_out; k++) {
    switch (a->job->what) {
      case AP_FORWARD: cli_out_printf(out, " a.%s", ap_mechanism_coordinate(a->m, k)->name); break;
      case AP_INERTIA: cli_out_printf(out, " M[%d,%d]", k / a->n, k % a->n); break;
      case AP_ENERGY: cli_out_printf(out, k == 0 ? " kinetic" : " potential"); break;
      default: cli_out_printf(out, " tau.%s", actuator_name(a, k)); break;
    }
  }
  cli_out_printf(out, "\n");
}

static void describe_rows(const machine *a, ap_rows *rows) {
  char text[64];
  int used = snprintf(text, sizeof text, "%d q", a->n);
  if (a->columns_in > a->n)
    used += snprintf(text + used, sizeof text - (size_t)used, ", %d v", a->n);
  if (a->columns_in > 2 * a->n) {
    const bool forward = a->job->what == AP_FORWARD;
    snprintf(text + used, sizeof text - (size_t)used, ", %d %s", forward ? a->nact : a->n,
             forward ? "tau" : "a");
  }
  ap_rows_describe(rows, text);
}

static int pump(machine *a, ap_rows *rows, cli_feed *feed, cli_out *out) {
  int status = CLI_OK;
  bool end = false;
  ap_error error = {0};
  cli_progress progress;
  cli_progress_start(&progress, isatty(out->fd) == 1);
  for (long states = 0; status == CLI_OK && !out->error; states++) {
    cli_progress_show(&progress, ap_rows_fraction(rows), "%ld states", states);
    if (cli_feed_waits(feed, ap_rows_line(rows))) cli_out_flush(out);
    error.status = ap_rows_next(rows, a->columns_in, a->in, &end, &error);
    if (error.status != AP_OK) {
      cli_out_flush(out);
      return cli_fail_input(a->job->path, &error);
    }
    if (end) break;
    status = do_row(a, ap_rows_line(rows), out);
  }
  cli_progress_hide();
  return status;
}

static int run_rows(machine *a, cli_out *out) {
  ap_rows *rows;
  ap_error error = {0};
  cli_feed feed = {0};
  error.status = ap_rows_open(a->job->path, &rows, &error);
  if (error.status != AP_OK) return cli_fail_input(a->job->path, &error);
  describe_rows(a, rows);
  write_columns(a, out);
  if (strcmp(a->job->path, "-") == 0) cli_feed_start(&feed);
  int status = pump(a, rows, &feed, out);
  const int failed = cli_feed_stop(&feed);
  if (status == CLI_OK && failed) {
    status = cli_fail(CLI_BAD, a->job->path, 0, "cannot be read: %s", strerror(failed));
  }
  ap_rows_close(rows);
  return status;
}

int cli_mechanism_eval(const cli_mechanism_job *job) {
  machine a = {.job = job};
  cli_out out;
  int status;
  if (!open_machine(&a)) {
    status = cli_no_memory();
  } else {
    status = set_up(&a);
    if (status == CLI_OK) status = cli_out_open(&out, job->output);
    if (status == CLI_OK) status = cli_out_close(&out, run_rows(&a, &out));
  }
  close_machine(&a);
  return status;
}
