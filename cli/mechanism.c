#include "mechanism.h"

#include <appell/file.h>
#include <appell/loop.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "json.h"
#include "load.h"
#include "output.h"

enum { NUMBER_BYTES = 25 };

// A mechanism, its work, and room for a row in and out.
typedef struct machine {
  const cli_mechanism_job *job;
  void *memory[2];
  ap_mechanism *m;
  ap_loop *l;
  double *guess, *in, *out, *zero;
  char *text;
  int n, nact, columns_in, columns_out;
} machine;

bool cli_is_mechanism(const char *name) { return ap_mechanism_builtin(name) != NULL; }

static void close_machine(machine *a) {
  for (int i = 0; i < 2; i++) free(a->memory[i]);
  free(a->guess), free(a->in), free(a->out), free(a->zero), free(a->text);
}

static bool open_mechanism(machine *a, const char *name) {
  const ap_mechanism_def *def = ap_mechanism_builtin(name);
  size_t size = ap_mechanism_size(def);
  a->memory[0] = malloc(size);
  if (!a->memory[0]) return false;
  a->m = ap_mechanism_init(def, a->memory[0], size, NULL);
  if (!a->m) return false;
  size = ap_loop_size(a->m);
  a->memory[1] = malloc(size);
  if (!a->memory[1]) return false;
  a->l = ap_loop_init(a->m, a->memory[1], size);
  a->n = ap_mechanism_n(a->m), a->nact = ap_mechanism_nact(a->m);
  return a->l != NULL;
}

static int open_machine(machine *a) {
  const cli_mechanism_job *job = a->job;
  if (!open_mechanism(a, job->name)) return cli_no_memory();
  const int n = a->n, nact = a->nact;
  const int in[] = {3 * n, 2 * n + nact, n, 2 * n, n, 2 * n};
  const int out[] = {nact, n, n * n, nact, nact, 2};
  a->columns_in = in[job->what], a->columns_out = out[job->what];
  a->guess = malloc(sizeof(double) * (size_t)ap_nq(ap_mechanism_tree(a->m)));
  a->in = malloc(sizeof(double) * (size_t)a->columns_in);
  a->out = malloc(sizeof(double) * (size_t)a->columns_out);
  a->zero = calloc((size_t)n, sizeof(double));
  a->text = malloc((size_t)a->columns_out * NUMBER_BYTES + 1);
  if (!a->guess || !a->in || !a->out || !a->zero || !a->text) return cli_no_memory();
  if (ap_mechanism_builtin_branch(job->name, job->branch, a->guess) != AP_OK) {
    const int limbs = ap_mechanism_builtin_limbs(job->name);
    if (limbs == 0) return cli_usage("eval", "'%s' has one branch only, without signs", job->name);
    return cli_usage("eval", "--branch '%s' is not %d signs + or -, one for each limb of '%s'",
                     job->branch, limbs, job->name);
  }
  if (job->friction) ap_set_friction(ap_loop_work(a->l), true);
  if (job->gravity) ap_set_gravity(ap_loop_work(a->l), job->gravity);
  return CLI_OK;
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
  }
  return AP_E_UNSUPPORTED;
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
  if (status == AP_E_SINGULAR_SERIAL || status == AP_E_SINGULAR_PARALLEL) {
    const bool serial = status == AP_E_SINGULAR_SERIAL;
    ap_loop_singularity(a->m, a->l, a->in, &near);
    return cli_fail(CLI_FAILED, path, line, "%s (%s singularity, distance %.3g)", text,
                    serial ? "serial" : "parallel", serial ? near.serial : near.parallel);
  }
  return cli_fail(CLI_FAILED, path, line, "%s", text);
}

static int do_row(machine *a, int line, cli_out *out) {
  ap_loop_set_guess(a->m, a->l, a->guess);
  const ap_status status = compute(a);
  if (status != AP_OK) return report_status(a, line, status);
  char *end = a->text;
  for (int k = 0; k < a->columns_out; k++) {
    if (!isfinite(a->out[k])) {
      return cli_fail(CLI_FAILED, a->job->path, line,
                      "a result is too large for a number (smaller numbers are needed)");
    }
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
  while (status == CLI_OK && !out->error) {
    if (cli_feed_waits(feed, ap_rows_line(rows))) cli_out_flush(out);
    error.status = ap_rows_next(rows, a->columns_in, a->in, &end, &error);
    if (error.status != AP_OK) {
      cli_out_flush(out);
      return cli_fail_input(a->job->path, &error);
    }
    if (end) break;
    status = do_row(a, ap_rows_line(rows), out);
  }
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
  int status = open_machine(&a);
  if (status == CLI_OK) status = cli_out_open(&out, job->output);
  if (status == CLI_OK) status = cli_out_close(&out, run_rows(&a, &out));
  close_machine(&a);
  return status;
}

// ---- info --------------------------------------------------------------------------------------

static const char *kind_name(ap_closure_kind kind) {
  static const char *const names[] = {"point", "axis",     "point on line",
                                      "frame", "distance", "gear"};
  return names[kind];
}

static const char *about(const char *name) {
  int i = 0;
  while (ap_mechanism_builtin_name(i) && strcmp(ap_mechanism_builtin_name(i), name) != 0) i++;
  return ap_mechanism_builtin_about(i);
}

static void print_text(const machine *a, cli_out *out) {
  const ap_model *tree = ap_mechanism_tree(a->m);
  const char *name = ap_mechanism_name(a->m);
  cli_out_printf(out, "%s: %s\n\n", name, about(name));
  cli_out_printf(out, "coordinates q v a (%d):", a->n);
  for (int i = 0; i < a->n; i++) cli_out_printf(out, " %s", ap_mechanism_coordinate(a->m, i)->name);
  cli_out_printf(out, "\nactuators tau (%d):", a->nact);
  for (int i = 0; i < a->nact; i++) cli_out_printf(out, " %s", actuator_name(a, i));
  cli_out_printf(out, "\nbranches: %d\n", 1 << ap_mechanism_builtin_limbs(name));
  cli_out_printf(out, "tree: %d links, %d rates; closures: %d rows\n", ap_nbody(tree) - 1,
                 ap_nv(tree), ap_mechanism_nrow(a->m));
  for (int i = 0; i < ap_mechanism_nclosure(a->m); i++) {
    const ap_closure_def *c = ap_mechanism_closure(a->m, i);
    cli_out_printf(out, "  %s: %s, %s to %s\n", c->name, kind_name(c->kind),
                   ap_frame_name(tree, c->body[0]), ap_frame_name(tree, c->body[1]));
  }
}

static void print_json(const machine *a, cli_out *out) {
  const ap_model *tree = ap_mechanism_tree(a->m);
  cli_json json = {.out = out};
  cli_json_open(&json, NULL, '{');
  cli_json_string(&json, "name", ap_mechanism_name(a->m));
  cli_json_string(&json, "about", about(ap_mechanism_name(a->m)));
  cli_json_open(&json, "coordinates", '[');
  for (int i = 0; i < a->n; i++)
    cli_json_string(&json, NULL, ap_mechanism_coordinate(a->m, i)->name);
  cli_json_close(&json, ']');
  cli_json_open(&json, "actuators", '[');
  for (int i = 0; i < a->nact; i++) cli_json_string(&json, NULL, actuator_name(a, i));
  cli_json_close(&json, ']');
  cli_json_integer(&json, "limbs", ap_mechanism_builtin_limbs(ap_mechanism_name(a->m)));
  cli_json_integer(&json, "rates", ap_nv(tree));
  cli_json_integer(&json, "rows", ap_mechanism_nrow(a->m));
  cli_json_open(&json, "closures", '[');
  for (int i = 0; i < ap_mechanism_nclosure(a->m); i++) {
    const ap_closure_def *c = ap_mechanism_closure(a->m, i);
    cli_json_open(&json, NULL, '{');
    cli_json_string(&json, "name", c->name);
    cli_json_string(&json, "kind", kind_name(c->kind));
    cli_json_open(&json, "links", '[');
    for (int k = 0; k < 2; k++) cli_json_string(&json, NULL, ap_frame_name(tree, c->body[k]));
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
}

int cli_mechanism_info(const char *name, bool json) {
  machine a = {0};
  cli_out out;
  int status = open_mechanism(&a, name) ? cli_out_open(&out, NULL) : cli_no_memory();
  if (status == CLI_OK) {
    if (json)
      print_json(&a, &out);
    else
      print_text(&a, &out);
    status = cli_out_close(&out, CLI_OK);
  }
  close_machine(&a);
  return status;
}
