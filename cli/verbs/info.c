// SPDX-License-Identifier: Apache-2.0
#include <appell/info.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load.h"
#include "ui/output.h"
#include "ui/table.h"
#include "ui/wrap.h"
#include "verbs.h"

enum { JSON, FLOATING, IGNORE_MIMIC, IGNORE_LOOPS };
enum { NAME_BYTES = 1024 };

static const cli_option options[] = {[JSON] = CLI_OPTION_JSON,
                                     [FLOATING] = CLI_OPTION_FLOATING,
                                     [IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
                                     [IGNORE_LOOPS] = CLI_OPTION_IGNORE_LOOPS,
                                     CLI_OPTIONS_REDUCE,
                                     {0}};

static const char text[] =
    "Shows the joints in the order of the vectors q and v (with the index of each joint's\n"
    "first entry), the moving bodies, the links that are merged into each, what the\n"
    "file says about friction, springs and rotors, and everything odd about the model. Of a "
    "mechanism\n"
    "with closed chains these are the joints of its tree; then come the coordinates, actuators\n"
    "and closures, and how far from singularities it closes.\n";

// ---- words -------------------------------------------------------------------------------------

// What a closure or coordinate names: a joint, or a link.
static const char *end_name(const ap_mechanism *m, bool joint, int body) {
  const ap_model *tree = ap_mechanism_tree(m);
  return joint ? cli_joint_name(tree, body) : ap_frame_name(tree, body);
}

// ---- JSON --------------------------------------------------------------------------------------

static int print_json(cli_out *out, const ap_info *info, const char *about) {
  ap_json json = {.write = cli_out_sink, .context = out};
  ap_info_json(info, about, &json);
  return CLI_OK;
}

// ---- tables ------------------------------------------------------------------------------------

// A number, or a dash for a value that stands for "none".
static void add_unless(cli_table *table, double number, bool none) {
  cli_table_add_if(table, !none, "%g", number);
}

// Which columns some joint has something for.
typedef struct joint_columns {
  bool stiction, spring;
} joint_columns;

// Where the spring is relaxed, coordinate by coordinate.
static void add_rest(cli_table *table, const ap_info_joint *j) {
  const ap_body_def *body = j->body;
  char numbers[AP_JOINT_NQ * 16] = "";
  size_t used = 0;
  for (int k = 0; k < j->nq; k++)
    used += (size_t)snprintf(numbers + used, sizeof numbers - used, "%s%.6g", k ? " " : "",
                             body->rest[k]);
  cli_table_add_if(table, body->stiffness != 0, "%s", numbers);
}

static void add_joint(cli_table *table, const ap_info_joint *j, joint_columns with) {
  const ap_body_def *body = j->body;
  cli_table_add(table, "%d", j->q);
  cli_table_add(table, "%d", j->v);
  cli_table_add(table, "%s", j->name);
  cli_table_add(table, "%s", j->type);
  add_unless(table, body->lower, isinf(body->lower));
  add_unless(table, body->upper, isinf(body->upper));
  add_unless(table, body->velocity_limit, isinf(body->velocity_limit));
  add_unless(table, body->effort_limit, isinf(body->effort_limit));
  add_unless(table, body->viscous, body->viscous == 0);
  add_unless(table, body->coulomb, body->coulomb == 0);
  if (with.stiction) add_unless(table, body->stiction, body->stiction == 0);
  if (with.spring) add_unless(table, body->stiffness, body->stiffness == 0), add_rest(table, j);
  add_unless(table, body->rotor_inertia, body->rotor_inertia == 0);
  add_unless(table, body->gear_ratio, body->rotor_inertia == 0);
}

static bool has_friction(const ap_body_def *body) {
  return body->viscous != 0 || body->coulomb != 0 || body->stiction != 0 ||
         body->rotor_inertia != 0 || body->stiffness != 0 || body->gravity_compensation != 0;
}

static int print_joints(cli_out *out, const ap_info *info, const ap_model *m) {
  bool friction = false; // of any joint
  joint_columns with = {0};
  int compensated = 0;
  for (int i = 1; i < ap_nbody(m); i++) {
    friction = friction || has_friction(ap_body(m, i));
    with.stiction = with.stiction || ap_body(m, i)->stiction != 0;
    with.spring = with.spring || ap_body(m, i)->stiffness != 0;
    compensated += ap_body(m, i)->gravity_compensation != 0;
  }
  cli_table table = {.columns = 12 + with.stiction + 2 * with.spring, .keys = 3};
  cli_table_headings(&table, "q|v|joint|type|lower|upper|velocity|effort|viscous|coulomb");
  if (with.stiction) cli_table_add(&table, "static");
  if (with.spring) cli_table_headings(&table, "stiffness|rest");
  cli_table_headings(&table, "rotor|gear");
  for (int k = 0; k < info->joints; k++) add_joint(&table, &info->joint[k], with);
  cli_out_printf(out, "\n");
  const int status = cli_table_print(&table, out);
  if (compensated)
    cli_out_printf(out, "  gravity compensation: %d bod%s\n", compensated,
                   compensated == 1 ? "y" : "ies");
  if (friction)
    cli_out_printf(out, "  ('appell eval' uses %s with --friction)\n",
                   with.spring || compensated ? "friction, springs, gravity compensation and rotors"
                                              : "friction and rotors");
  return status;
}

static int print_mimics(cli_out *out, const ap_info *info) {
  cli_table table = {.columns = 5};
  if (info->mimics == 0) return CLI_OK;
  cli_table_headings(&table, "mimic joint|type|follows|ratio|offset");
  for (int k = 0; k < info->mimics; k++) {
    const ap_info_joint *j = &info->mimic[k];
    cli_table_add(&table, "%s", j->name);
    cli_table_add(&table, "%s", j->type);
    cli_table_add(&table, "%s", j->leader);
    cli_table_add(&table, "%g", j->body->mimic_ratio);
    cli_table_add(&table, "%g", j->body->mimic_offset);
  }
  cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

// Write a name behind what stands in the line already, or into a new line where it does not fit.
static int write_wrapped(cli_out *out, const char *name, const char *behind, int column) {
  char plain[NAME_BYTES];
  cli_plain(name, plain, sizeof plain);
  const char *dots = strlen(plain) + 1 < sizeof plain ? "" : "...";
  const int width = cli_width(plain) + (int)strlen(dots) + (int)strlen(behind);
  const bool fits = column + 1 + width <= cli_line_width();
  cli_out_printf(out, "%s%s%s%s", fits ? " " : "\n     ", plain, dots, behind);
  return (fits ? column + 1 : 5) + width;
}

static void print_merged(cli_out *out, const ap_info *info) {
  bool any = false;
  for (int i = 0; i < info->bodies; i++) {
    const ap_info_body *b = &info->body[i];
    if (b->nmerged == 0) continue;
    if (!any) cli_out_printf(out, "\n  links merged into\n");
    any = true;
    cli_out_printf(out, " ");
    int column = write_wrapped(out, b->name, ":", 1);
    for (int k = 0; k < b->nmerged; k++)
      column = write_wrapped(out, b->merged[k], k + 1 < b->nmerged ? "," : "", column);
    cli_out_printf(out, "\n");
  }
}

static int print_bodies(cli_out *out, const ap_info *info) {
  cli_table table = {.columns = 4};
  cli_table_headings(&table, "body|on|mass|centre of mass");
  for (int i = 1; i < info->bodies; i++) {
    const ap_info_body *b = &info->body[i];
    cli_table_add(&table, "%s", b->name);
    cli_table_add(&table, "%s", b->parent);
    cli_table_add(&table, "%g", b->mass);
    cli_table_add(&table, "%g %g %g", b->com[0], b->com[1], b->com[2]);
  }
  cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

static int print_frames(cli_out *out, const ap_info *info, const ap_model *m) {
  cli_table table = {.columns = 4};
  for (int k = 0; k < info->frames; k++) {
    const ap_frame_def *frame = info->frame[k].def;
    if (!frame) continue;
    if (table.count == 0) cli_table_headings(&table, "frame|on|xyz|rpy");
    cli_table_add(&table, "%s", frame->name);
    cli_table_add(&table, "%s", ap_frame_name(m, frame->body));
    cli_table_add(&table, "%g %g %g", frame->xyz[0], frame->xyz[1], frame->xyz[2]);
    cli_table_add(&table, "%g %g %g", frame->rpy[0], frame->rpy[1], frame->rpy[2]);
  }
  if (table.count > 0) cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

static int print_warnings(cli_out *out, const ap_info *info) {
  cli_table table = {.columns = 1};
  if (info->warnings == 0) return CLI_OK;
  cli_table_add(&table, "warnings");
  for (int k = 0; k < info->warnings; k++) {
    const ap_warning *warning = &info->warning[k];
    if (warning->line > 0)
      cli_table_add(&table, "line %d: %s", warning->line, warning->text);
    else
      cli_table_add(&table, "%s", warning->text);
  }
  cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

// ---- tables of a mechanism ---------------------------------------------------------------------

static int print_coordinates(cli_out *out, const ap_info *info) {
  const ap_mechanism *m = info->closed;
  cli_table table = {.columns = 5};
  cli_table_headings(&table, "q|coordinate|type|of|at the start");
  for (int i = 0; i < ap_mechanism_n(m); i++) {
    const ap_coordinate_def *d = ap_mechanism_coordinate(m, i);
    cli_table_add(&table, "%d", i);
    cli_table_add(&table, "%s", d->name);
    cli_table_add(&table, "%s", ap_coordinate_type(d->kind));
    cli_table_add(&table, "%s", end_name(m, d->kind == AP_COORDINATE_JOINT, d->body));
    add_unless(&table, info->start.q[i], !info->start.closes);
  }
  cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

// Does tau have one force along each coordinate, as of files that name no actuated joints?
static bool is_along_coordinates(const ap_mechanism *m) {
  bool same = ap_mechanism_nact(m) == ap_mechanism_n(m);
  for (int i = 0; same && i < ap_mechanism_n(m); i++)
    same = strcmp(ap_mechanism_actuator_name(m, i), ap_mechanism_coordinate(m, i)->name) == 0;
  return same;
}

static int print_actuators(cli_out *out, const ap_mechanism *m) {
  cli_table table = {.columns = 2};
  if (ap_mechanism_nact(m) == 0) {
    cli_out_printf(out, "\n  no joint is actuated\n");
    return CLI_OK;
  }
  cli_table_headings(&table,
                     is_along_coordinates(m) ? "tau|along the coordinate" : "tau|actuated joint");
  for (int i = 0; i < ap_mechanism_nact(m); i++) {
    cli_table_add(&table, "%d", i);
    cli_table_add(&table, "%s", ap_mechanism_actuator_name(m, i));
  }
  cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

static int print_closures(cli_out *out, const ap_mechanism *m) {
  cli_table table = {.columns = 4};
  if (ap_mechanism_nclosure(m) == 0) return CLI_OK;
  cli_table_headings(&table, "closure|type|first|second");
  for (int i = 0; i < ap_mechanism_nclosure(m); i++) {
    const ap_closure_def *d = ap_mechanism_closure(m, i);
    cli_table_add(&table, "%s", d->name);
    cli_table_add(&table, "%s", ap_closure_type(d->kind));
    for (int k = 0; k < 2; k++)
      cli_table_add(&table, "%s", end_name(m, d->kind == AP_CLOSE_GEAR, d->body[k]));
  }
  cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

static void print_branches(cli_out *out, const ap_mechanism *m) {
  char name[256];
  if (ap_mechanism_nbranch(m) > 0) cli_out_printf(out, "  branches:");
  for (int i = 0; i < ap_mechanism_nbranch(m); i++)
    cli_out_printf(out, "%s %s", i > 0 ? "," : "",
                   cli_plain(ap_mechanism_branch(m, i)->name, name, sizeof name));
  if (ap_mechanism_nbranch(m) > 0) cli_out_printf(out, "\n");
}

static void print_start(cli_out *out, const ap_info *info) {
  const ap_mechanism *m = info->closed;
  const ap_info_start *s = &info->start;
  char name[256];
  cli_out_printf(out, "\n  closures: %d rows of rank %d at the start\n", ap_mechanism_nrow(m),
                 s->assembly.rank);
  print_branches(out, m);
  if (!s->closes) {
    const ap_closure_def *worst = ap_mechanism_closure(m, s->assembly.worst);
    cli_out_printf(out, "  start: it does not close from its guess; '%s' stays open by %.3g\n",
                   worst ? cli_plain(worst->name, name, sizeof name) : "?",
                   s->assembly.closure_error);
    return;
  }
  cli_out_printf(out, "  start: closed to %.1e in %d steps\n", s->assembly.closure_error,
                 s->assembly.iterations);
  if (s->status != AP_OK) cli_out_printf(out, "  there: %s\n", s->text);
  if (!s->has_distances) return;
  cli_out_printf(out, "  distance there to a serial singularity: %.3g\n", s->near.serial);
  if (ap_mechanism_nact(m) >= ap_mechanism_n(m))
    cli_out_printf(out, "  distance there to a parallel singularity: %.3g\n", s->near.parallel);
}

// ---- all tables --------------------------------------------------------------------------------

static void print_head(cli_out *out, const ap_info *info, const char *about) {
  char name[256];
  cli_out_printf(out, "%s: %d degree%s of freedom (%snq %d, nv %d)\n",
                 cli_plain(info->name, name, sizeof name), info->freedom,
                 info->freedom == 1 ? "" : "s", info->closed ? "closed chains; the tree has " : "",
                 info->nq, info->nv);
  if (about) cli_wrap(out, cli_line_width(), "", about);
  cli_out_printf(out, "\n  mass     %g kg", info->mass);
  if (info->moving_mass != info->mass)
    cli_out_printf(out, ", of which %g kg move", info->moving_mass);
  cli_out_printf(out, "\n  gravity  %g %g %g m/s2\n", info->gravity[0], info->gravity[1],
                 info->gravity[2]);
}

static int print_tables(cli_out *out, const ap_info *info, const cli_model *model) {
  print_head(out, info, model->about);
  int status = print_joints(out, info, model->model);
  if (status == CLI_OK) status = print_mimics(out, info);
  if (status == CLI_OK) status = print_bodies(out, info);
  if (status == CLI_OK) print_merged(out, info);
  if (status == CLI_OK) status = print_frames(out, info, model->model);
  if (status == CLI_OK && info->closed) status = print_coordinates(out, info);
  if (status == CLI_OK && info->closed) status = print_actuators(out, info->closed);
  if (status == CLI_OK && info->closed) status = print_closures(out, info->closed);
  if (status == CLI_OK && info->closed) print_start(out, info);
  if (status == CLI_OK) status = print_warnings(out, info);
  return status;
}

// ---- the verb ----------------------------------------------------------------------------------

static int show(const cli_model *model, bool json) {
  ap_info info;
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  if (ap_info_make(model->robot, model->model, model->mechanism, &info) != AP_OK)
    return cli_out_close(&out, cli_no_memory());
  status = json ? print_json(&out, &info, model->about) : print_tables(&out, &info, model);
  ap_info_free(&info);
  return cli_out_close(&out, status);
}

// Do standard output and standard error go to the same terminal, pipe or file?
static bool is_one_place(void) {
  struct stat out, err;
  return fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
         ((isatty(STDOUT_FILENO) && isatty(STDERR_FILENO)) ||
          (out.st_dev == err.st_dev && out.st_ino == err.st_ino));
}

static int run(const cli_arguments *arguments) {
  cli_model model;
  int status = cli_load_any(arguments->argument[0], arguments, &model);
  if (status != CLI_OK) return status;
  // Where both outputs go to the same place one list of the warnings is enough; a program may look
  // for them in either.
  if (!is_one_place()) cli_print_warnings(&model);
  status = show(&model, arguments->value[JSON] != NULL);
  cli_unload(&model);
  return status;
}

const cli_verb cli_info = {.name = "info",
                           .arguments = "MODEL",
                           .about = "Show what a model contains.",
                           .text = text,
                           .example =
                               "  appell info robot.urdf\n"
                               "  appell info --json --floating robot.urdf\n",
                           .options = options,
                           .least = 1,
                           .most = 1,
                           .run = run};
