#include <stdlib.h>
#include <string.h>

#include "mechanism.h"
#include "ui/table.h"

// A mechanism, and how it closes from its guess.
typedef struct closed {
  const ap_mechanism *m;
  const ap_model *tree;
  double *x, *q;
  ap_status status; // of closing, then of the place that was found
  ap_assembly assembly;
  ap_singularity near; // where it closed
  bool closes;
} closed;

static void free_closed(closed *c) {
  free(c->x);
  free(c->q);
}

// False: no memory.
static bool close_mechanism(closed *c, const cli_model *model) {
  *c = (closed){.m = model->mechanism, .tree = model->model};
  const size_t nq = (size_t)ap_nq(c->tree);
  ap_loop *l = ap_loop_make(c->m);
  c->x = malloc((nq + 1) * sizeof *c->x);
  c->q = malloc((size_t)ap_mechanism_n(c->m) * sizeof *c->q);
  const bool memory = l && c->x && c->q;
  if (memory) {
    memcpy(c->x, ap_mechanism_guess(c->m), nq * sizeof *c->x);
    c->status = ap_loop_close(c->m, l, c->x, c->q, &c->assembly);
    c->closes = c->status == AP_OK;
  }
  if (memory && c->closes) {
    ap_loop_set_guess(c->m, l, c->x);
    c->status = ap_loop_singularity(c->m, l, c->q, &c->near);
  }
  ap_loop_free(l);
  return memory;
}

// Distances are known where the coordinates determine the mechanism, or nearly do.
static bool has_distances(const closed *c) {
  return c->closes && (c->status == AP_OK || c->status == AP_E_SINGULAR_SERIAL ||
                       c->status == AP_E_SINGULAR_PARALLEL);
}

// ---- words -------------------------------------------------------------------------------------

static const char *closure_type(ap_closure_kind kind) {
  static const char *const names[] = {"point", "axis",     "point_on_line",
                                      "frame", "distance", "gear"};
  return names[kind];
}

static const char *coordinate_type(ap_coordinate_kind kind) {
  static const char *const names[] = {"joint", "position", "yaw", "pitch", "roll"};
  return names[kind];
}

static const char *actuator_name(const closed *c, int i) {
  return cli_joint_name(c->tree, ap_mechanism_actuated(c->m, i));
}

// What a closure or coordinate names: a joint, or a link.
static const char *end_name(const closed *c, bool joint, int body) {
  return joint ? cli_joint_name(c->tree, body) : ap_frame_name(c->tree, body);
}

// ---- tables ------------------------------------------------------------------------------------

static int print_coordinates(const closed *c, cli_out *out) {
  cli_table table = {.columns = 5};
  static const char *const headings[] = {"q", "coordinate", "type", "of", "at the start"};
  for (int k = 0; k < table.columns; k++) cli_table_add(&table, "%s", headings[k]);
  for (int i = 0; i < ap_mechanism_n(c->m); i++) {
    const ap_coordinate_def *d = ap_mechanism_coordinate(c->m, i);
    cli_table_add(&table, "%d", i);
    cli_table_add(&table, "%s", d->name);
    cli_table_add(&table, "%s", coordinate_type(d->kind));
    cli_table_add(&table, "%s", end_name(c, d->kind == AP_COORDINATE_JOINT, d->body));
    if (c->closes)
      cli_table_add(&table, "%g", c->q[i]);
    else
      cli_table_add(&table, "-");
  }
  cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

static int print_actuators(const closed *c, cli_out *out) {
  cli_table table = {.columns = 2};
  if (ap_mechanism_nact(c->m) == 0) {
    cli_out_printf(out, "\n  no joint is actuated\n");
    return CLI_OK;
  }
  cli_table_add(&table, "tau");
  cli_table_add(&table, "actuated joint");
  for (int i = 0; i < ap_mechanism_nact(c->m); i++) {
    cli_table_add(&table, "%d", i);
    cli_table_add(&table, "%s", actuator_name(c, i));
  }
  cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

static int print_closures(const closed *c, cli_out *out) {
  cli_table table = {.columns = 4};
  static const char *const headings[] = {"closure", "type", "first", "second"};
  if (ap_mechanism_nclosure(c->m) == 0) return CLI_OK;
  for (int k = 0; k < table.columns; k++) cli_table_add(&table, "%s", headings[k]);
  for (int i = 0; i < ap_mechanism_nclosure(c->m); i++) {
    const ap_closure_def *d = ap_mechanism_closure(c->m, i);
    cli_table_add(&table, "%s", d->name);
    cli_table_add(&table, "%s", closure_type(d->kind));
    for (int k = 0; k < 2; k++)
      cli_table_add(&table, "%s", end_name(c, d->kind == AP_CLOSE_GEAR, d->body[k]));
  }
  cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

static void print_branches(const closed *c, cli_out *out) {
  char name[256];
  if (ap_mechanism_nbranch(c->m) > 0) cli_out_printf(out, "  branches:");
  for (int i = 0; i < ap_mechanism_nbranch(c->m); i++)
    cli_out_printf(out, "%s %s", i > 0 ? "," : "",
                   cli_plain(ap_mechanism_branch(c->m, i)->name, name, sizeof name));
  if (ap_mechanism_nbranch(c->m) > 0) cli_out_printf(out, "\n");
}

static void print_start(const closed *c, cli_out *out) {
  char name[256];
  cli_out_printf(out, "\n  closures: %d rows of rank %d at the start\n", ap_mechanism_nrow(c->m),
                 c->assembly.rank);
  print_branches(c, out);
  if (!c->closes) {
    const ap_closure_def *worst = ap_mechanism_closure(c->m, c->assembly.worst);
    cli_out_printf(out, "  start: it does not close from its guess; '%s' stays open by %.3g\n",
                   worst ? cli_plain(worst->name, name, sizeof name) : "?",
                   c->assembly.closure_error);
    return;
  }
  cli_out_printf(out, "  start: closed to %.1e in %d steps\n", c->assembly.closure_error,
                 c->assembly.iterations);
  if (c->status == AP_E_MODEL)
    cli_out_printf(out, "  there: %s\n",
                   cli_mechanism_freedoms(c->m, c->assembly.rank, name, sizeof name));
  else if (c->status != AP_OK)
    cli_out_printf(out, "  there: %s\n", ap_status_text(c->status));
  if (!has_distances(c)) return;
  cli_out_printf(out, "  distance there to a serial singularity: %.3g\n", c->near.serial);
  if (ap_mechanism_nact(c->m) >= ap_mechanism_n(c->m))
    cli_out_printf(out, "  distance there to a parallel singularity: %.3g\n", c->near.parallel);
}

int cli_mechanism_print(const cli_model *model, cli_out *out) {
  closed c;
  int status = close_mechanism(&c, model) ? CLI_OK : cli_no_memory();
  if (status == CLI_OK) status = print_coordinates(&c, out);
  if (status == CLI_OK) status = print_actuators(&c, out);
  if (status == CLI_OK) status = print_closures(&c, out);
  if (status == CLI_OK) print_start(&c, out);
  free_closed(&c);
  return status;
}

// ---- JSON --------------------------------------------------------------------------------------

static void json_coordinates(const closed *c, ap_json *json) {
  ap_json_open(json, "coordinates", '[');
  for (int i = 0; i < ap_mechanism_n(c->m); i++) {
    const ap_coordinate_def *d = ap_mechanism_coordinate(c->m, i);
    const bool joint = d->kind == AP_COORDINATE_JOINT;
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "name", d->name);
    ap_json_string(json, "type", coordinate_type(d->kind));
    ap_json_string(json, joint ? "joint" : "body", end_name(c, joint, d->body));
    if (d->kind == AP_COORDINATE_POSITION) {
      ap_json_numbers(json, "xyz", d->at, 3);
      ap_json_numbers(json, "along", d->along, 3);
    }
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

static void json_end(const closed *c, ap_json *json, const ap_closure_def *d, int i) {
  const bool gear = d->kind == AP_CLOSE_GEAR, axis = d->kind == AP_CLOSE_AXIS;
  ap_json_open(json, i == 0 ? "first" : "second", '{');
  ap_json_string(json, gear ? "joint" : "body", end_name(c, gear, d->body[i]));
  if (!gear && !axis) ap_json_numbers(json, "xyz", d->at[i], 3);
  if (axis || (d->kind == AP_CLOSE_POINT_ON_LINE && i == 1))
    ap_json_numbers(json, "axis", d->axis[i], 3);
  if (d->kind == AP_CLOSE_FRAME) ap_json_numbers(json, "rpy", d->rpy[i], 3);
  ap_json_close(json, '}');
}

static void json_closures(const closed *c, ap_json *json) {
  ap_json_open(json, "closures", '[');
  for (int i = 0; i < ap_mechanism_nclosure(c->m); i++) {
    const ap_closure_def *d = ap_mechanism_closure(c->m, i);
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "name", d->name);
    ap_json_string(json, "type", closure_type(d->kind));
    for (int k = 0; k < 2; k++) json_end(c, json, d, k);
    if (d->kind == AP_CLOSE_DISTANCE) ap_json_number(json, "distance", d->distance);
    if (d->kind == AP_CLOSE_GEAR) ap_json_number(json, "ratio", d->ratio);
    if (d->kind == AP_CLOSE_GEAR) ap_json_number(json, "offset", d->offset);
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

static void json_start(const closed *c, ap_json *json) {
  ap_json_open(json, "start", '{');
  ap_json_bool(json, "closed", c->closes);
  ap_json_string(json, "status", ap_status_text(c->status));
  ap_json_number(json, "closure_error", c->assembly.closure_error);
  ap_json_integer(json, "steps", c->assembly.iterations);
  ap_json_integer(json, "rank", c->assembly.rank);
  if (c->closes) ap_json_numbers(json, "q", c->q, ap_mechanism_n(c->m));
  if (c->closes) ap_json_numbers(json, "tree_q", c->x, ap_nq(c->tree));
  if (has_distances(c)) {
    ap_json_number(json, "serial", c->near.serial);
    ap_json_number(json, "serial_least", c->near.serial_least);
    ap_json_number(json, "parallel", c->near.parallel);
    ap_json_number(json, "parallel_least", c->near.parallel_least);
  }
  ap_json_close(json, '}');
}

int cli_mechanism_json(const cli_model *model, ap_json *json) {
  closed c;
  const bool memory = close_mechanism(&c, model);
  if (memory) {
    json_coordinates(&c, json);
    ap_json_open(json, "actuators", '[');
    for (int i = 0; i < ap_mechanism_nact(c.m); i++)
      ap_json_string(json, NULL, actuator_name(&c, i));
    ap_json_close(json, ']');
    json_closures(&c, json);
    ap_json_integer(json, "closure_rows", ap_mechanism_nrow(c.m));
    ap_json_open(json, "branches", '[');
    for (int i = 0; i < ap_mechanism_nbranch(c.m); i++)
      ap_json_string(json, NULL, ap_mechanism_branch(c.m, i)->name);
    ap_json_close(json, ']');
    json_start(&c, json);
  }
  free_closed(&c);
  return memory ? CLI_OK : cli_no_memory();
}
