#include <math.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "load.h"
#include "table.h"
#include "verbs.h"

enum { JSON, FLOATING, IGNORE_MIMIC };

static const cli_option options[] = {
    [JSON] = {"--json", NULL, "one JSON document"},
    [FLOATING] = {"--floating", NULL, "hang the robot on a free base"},
    [IGNORE_MIMIC] = {"--ignore-mimic", NULL, "make mimic joints independent"},
    {0}};

static const char text[] =
    "Shows the joints in the order of the vectors q and v (with the index of each joint's\n"
    "first entry), the moving bodies with the links that are merged into them, what the\n"
    "file says about friction and rotors, and everything odd about the model.\n";

// ---- what both forms ask -----------------------------------------------------------------------

static const char *body_name(const ap_model *m, int i) {
  return i == 0 ? ap_frame_name(m, 0) : ap_body(m, i)->name;
}

static bool is_mimic(const ap_model *m, int i) { return ap_body(m, i)->mimic > 0; }

static bool has_coordinate(const ap_model *m, int i) { return ap_joint_nv(m, i) > 0; }

static bool moves(const ap_model *m, int i) { return i > 0 && ap_body_mover(m, i) == i; }

// The moving body (or the ground) that carries body i's joint.
static int carrier(const ap_model *m, int i) { return ap_body_mover(m, ap_body(m, i)->parent); }

// The mass of all links, and of those that move.
static void total_mass(const ap_model *m, double *all, double *moving) {
  *all = *moving = 0;
  for (int i = 1; i < ap_nbody(m); i++) {
    *all += ap_body(m, i)->mass;
    if (ap_body_mover(m, i) > 0) *moving += ap_body(m, i)->mass;
  }
}

// ---- JSON --------------------------------------------------------------------------------------

static void json_joint(cli_json *json, const ap_model *m, int i) {
  const ap_body_def *body = ap_body(m, i);
  cli_json_open(json, NULL, '{');
  cli_json_string(json, "name", cli_joint_name(m, i));
  cli_json_string(json, "type", cli_joint_type(m, i));
  cli_json_integer(json, "q", ap_joint_q(m, i));
  cli_json_integer(json, "v", ap_joint_v(m, i));
  cli_json_integer(json, "nq", ap_joint_nq(m, i));
  cli_json_integer(json, "nv", ap_joint_nv(m, i));
  cli_json_string(json, "body", body->name);
  cli_json_string(json, "parent", body_name(m, body->parent));
  cli_json_number(json, "lower", body->lower);
  cli_json_number(json, "upper", body->upper);
  cli_json_number(json, "velocity", body->velocity_limit);
  cli_json_number(json, "effort", body->effort_limit);
  cli_json_number(json, "viscous", body->viscous);
  cli_json_number(json, "coulomb", body->coulomb);
  cli_json_number(json, "rotor_inertia", body->rotor_inertia);
  cli_json_number(json, "gear_ratio", body->gear_ratio);
  cli_json_close(json, '}');
}

static void json_mimic(cli_json *json, const ap_model *m, int i) {
  const ap_body_def *body = ap_body(m, i);
  cli_json_open(json, NULL, '{');
  cli_json_string(json, "name", cli_joint_name(m, i));
  cli_json_string(json, "type", cli_joint_type(m, i));
  cli_json_string(json, "body", body->name);
  cli_json_string(json, "parent", body_name(m, body->parent));
  cli_json_string(json, "leader", cli_joint_name(m, body->mimic));
  cli_json_number(json, "ratio", body->mimic_ratio);
  cli_json_number(json, "offset", body->mimic_offset);
  cli_json_close(json, '}');
}

static void json_body(cli_json *json, const ap_model *m, int i) {
  double mass, com[3], inertia[6];
  ap_merged_inertia(m, i, &mass, com, inertia);
  cli_json_open(json, NULL, '{');
  cli_json_string(json, "name", body_name(m, i));
  cli_json_string(json, "parent", body_name(m, carrier(m, i)));
  cli_json_string(json, "joint", cli_joint_name(m, i));
  cli_json_number(json, "mass", mass);
  cli_json_numbers(json, "com", com, 3);
  cli_json_numbers(json, "inertia", inertia, 6);
  cli_json_open(json, "merged", '[');
  for (int k = 1; k < ap_nbody(m); k++) {
    if (k != i && ap_body_mover(m, k) == i) cli_json_string(json, NULL, body_name(m, k));
  }
  cli_json_close(json, ']');
  cli_json_close(json, '}');
}

// Links on fixed joints are frames of the body that carries them; then the named frames.
static void json_frames(cli_json *json, const cli_model *model) {
  const ap_model *m = model->model;
  const ap_robot_def *def = ap_robot_definition(model->robot);
  cli_json_open(json, "frames", '[');
  for (int i = 1; i < ap_nframe(m); i++) {
    const int body = i < ap_nbody(m) ? i : def->frames[i - ap_nbody(m)].body;
    cli_json_open(json, NULL, '{');
    cli_json_string(json, "name", ap_frame_name(m, i));
    cli_json_string(json, "body", body_name(m, ap_body_mover(m, body)));
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
}

static void json_warning(void *context, int line, const char *warning) {
  cli_json *json = context;
  cli_json_open(json, NULL, '{');
  if (line > 0) cli_json_integer(json, "line", line);
  cli_json_string(json, "text", warning);
  cli_json_close(json, '}');
}

// A list of what print writes for every body that belongs into it.
static void json_list(cli_json *json, const char *key, const ap_model *m,
                      bool (*belongs)(const ap_model *, int),
                      void (*print)(cli_json *, const ap_model *, int)) {
  cli_json_open(json, key, '[');
  for (int i = 1; i < ap_nbody(m); i++) {
    if (belongs(m, i)) print(json, m, i);
  }
  cli_json_close(json, ']');
}

static int print_json(cli_out *out, const cli_model *model) {
  const ap_model *m = model->model;
  cli_json json = {.out = out};
  double mass, moving;
  total_mass(m, &mass, &moving);
  cli_json_open(&json, NULL, '{');
  cli_json_string(&json, "name", ap_model_name(m));
  cli_json_integer(&json, "nq", ap_nq(m));
  cli_json_integer(&json, "nv", ap_nv(m));
  cli_json_numbers(&json, "gravity", ap_gravity(m), 3);
  cli_json_number(&json, "mass", mass);
  cli_json_number(&json, "moving_mass", moving);
  json_list(&json, "joints", m, has_coordinate, json_joint);
  json_list(&json, "mimic", m, is_mimic, json_mimic);
  json_list(&json, "bodies", m, moves, json_body);
  json_frames(&json, model);
  cli_json_open(&json, "warnings", '[');
  cli_visit_warnings(model, json_warning, &json);
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  return CLI_OK;
}

// ---- tables ------------------------------------------------------------------------------------

static void add_headings(cli_table *table, const char *const *headings) {
  for (int k = 0; k < table->columns; k++) cli_table_add(table, "%s", headings[k]);
}

// A number, or a dash for a value that stands for "none".
static void add_unless(cli_table *table, double number, bool none) {
  if (none) {
    cli_table_add(table, "-");
  } else {
    cli_table_add(table, "%g", number);
  }
}

static void add_joint(cli_table *table, const ap_model *m, int i) {
  const ap_body_def *body = ap_body(m, i);
  cli_table_add(table, "%d", ap_joint_q(m, i));
  cli_table_add(table, "%d", ap_joint_v(m, i));
  cli_table_add(table, "%s", cli_joint_name(m, i));
  cli_table_add(table, "%s", cli_joint_type(m, i));
  add_unless(table, body->lower, isinf(body->lower));
  add_unless(table, body->upper, isinf(body->upper));
  add_unless(table, body->velocity_limit, isinf(body->velocity_limit));
  add_unless(table, body->effort_limit, isinf(body->effort_limit));
  add_unless(table, body->viscous, body->viscous == 0);
  add_unless(table, body->coulomb, body->coulomb == 0);
  add_unless(table, body->rotor_inertia, body->rotor_inertia == 0);
  add_unless(table, body->gear_ratio, body->rotor_inertia == 0);
}

static bool has_friction(const ap_body_def *body) {
  return body->viscous != 0 || body->coulomb != 0 || body->rotor_inertia != 0;
}

static int print_joints(cli_out *out, const ap_model *m) {
  bool friction = false;
  static const char *const headings[] = {"q",       "v",       "joint",    "type",
                                         "lower",   "upper",   "velocity", "effort",
                                         "viscous", "coulomb", "rotor",    "gear"};
  cli_table table = {.columns = 12};
  add_headings(&table, headings);
  for (int i = 1; i < ap_nbody(m); i++) {
    if (has_coordinate(m, i)) add_joint(&table, m, i);
    friction = friction || has_friction(ap_body(m, i));
  }
  cli_out_printf(out, "\n");
  const int status = cli_table_print(&table, out);
  if (friction) cli_out_printf(out, "  ('appell eval' uses friction and rotors with --friction)\n");
  return status;
}

static int print_mimics(cli_out *out, const ap_model *m) {
  static const char *const headings[] = {"mimic joint", "type", "follows", "ratio", "offset"};
  cli_table table = {.columns = 5};
  for (int i = 1; i < ap_nbody(m); i++) {
    if (!is_mimic(m, i)) continue;
    const ap_body_def *body = ap_body(m, i);
    if (table.count == 0) add_headings(&table, headings);
    cli_table_add(&table, "%s", cli_joint_name(m, i));
    cli_table_add(&table, "%s", cli_joint_type(m, i));
    cli_table_add(&table, "%s", cli_joint_name(m, body->mimic));
    cli_table_add(&table, "%g", body->mimic_ratio);
    cli_table_add(&table, "%g", body->mimic_offset);
  }
  if (table.count > 0) cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

// The links merged into body i, as "a, b, c"; the last are left out where they do not fit.
static void add_merged(cli_table *table, const ap_model *m, int i) {
  char names[2048] = "-";
  size_t n = 0;
  for (int k = 1; k < ap_nbody(m) && n < sizeof names; k++) {
    if (k == i || ap_body_mover(m, k) != i) continue;
    n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n > 0 ? ", " : "", body_name(m, k));
  }
  cli_table_add(table, "%s", names);
}

static int print_bodies(cli_out *out, const ap_model *m) {
  static const char *const headings[] = {"body", "on", "mass", "centre of mass", "merged links"};
  cli_table table = {.columns = 5};
  add_headings(&table, headings);
  for (int i = 0; i < ap_nbody(m); i++) {
    if (i > 0 && !moves(m, i)) continue;
    double mass = 0, com[3] = {0}, inertia[6];
    if (i > 0) ap_merged_inertia(m, i, &mass, com, inertia);
    cli_table_add(&table, "%s", body_name(m, i));
    cli_table_add(&table, "%s", i > 0 ? body_name(m, carrier(m, i)) : "-");
    add_unless(&table, mass, i == 0);
    if (i > 0) {
      cli_table_add(&table, "%g %g %g", com[0], com[1], com[2]);
    } else {
      cli_table_add(&table, "-");
    }
    add_merged(&table, m, i);
  }
  cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

static int print_frames(cli_out *out, const cli_model *model) {
  static const char *const headings[] = {"frame", "on", "xyz", "rpy"};
  const ap_robot_def *def = ap_robot_definition(model->robot);
  cli_table table = {.columns = 4};
  for (int k = 0; k < def->nframe; k++) {
    const ap_frame_def *frame = &def->frames[k];
    if (k == 0) add_headings(&table, headings);
    cli_table_add(&table, "%s", frame->name);
    cli_table_add(&table, "%s", body_name(model->model, frame->body));
    cli_table_add(&table, "%g %g %g", frame->xyz[0], frame->xyz[1], frame->xyz[2]);
    cli_table_add(&table, "%g %g %g", frame->rpy[0], frame->rpy[1], frame->rpy[2]);
  }
  if (table.count > 0) cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

static void add_warning(void *context, int line, const char *warning) {
  cli_table *table = context;
  if (table->count == 0) cli_table_add(table, "warnings");
  if (line > 0) {
    cli_table_add(table, "line %d: %s", line, warning);
  } else {
    cli_table_add(table, "%s", warning);
  }
}

static int print_warnings(cli_out *out, const cli_model *model) {
  cli_table table = {.columns = 1};
  cli_visit_warnings(model, add_warning, &table);
  if (table.count > 0) cli_out_printf(out, "\n");
  return cli_table_print(&table, out);
}

static void print_head(cli_out *out, const cli_model *model) {
  const ap_model *m = model->model;
  const double *g = ap_gravity(m);
  char name[256];
  double mass, moving;
  total_mass(m, &mass, &moving);
  cli_out_printf(out, "%s: %d degree%s of freedom (nq %d, nv %d)\n",
                 cli_plain(ap_model_name(m), name, sizeof name), ap_nv(m), ap_nv(m) == 1 ? "" : "s",
                 ap_nq(m), ap_nv(m));
  if (model->about) cli_out_printf(out, "%s\n", model->about);
  cli_out_printf(out, "\n  mass     %g kg", mass);
  if (moving != mass) cli_out_printf(out, ", of which %g kg move", moving);
  cli_out_printf(out, "\n  gravity  %g %g %g m/s2\n", g[0], g[1], g[2]);
}

static int print_tables(cli_out *out, const cli_model *model) {
  print_head(out, model);
  int status = print_joints(out, model->model);
  if (status == CLI_OK) status = print_mimics(out, model->model);
  if (status == CLI_OK) status = print_bodies(out, model->model);
  if (status == CLI_OK) status = print_frames(out, model);
  if (status == CLI_OK) status = print_warnings(out, model);
  return status;
}

// ---- the verb ----------------------------------------------------------------------------------

static int run(const cli_arguments *arguments) {
  const ap_read_options reading = {.floating = arguments->value[FLOATING] != NULL,
                                   .ignore_mimic = arguments->value[IGNORE_MIMIC] != NULL};
  cli_model model;
  int status = cli_load(arguments->argument[0], &reading, &model);
  if (status != CLI_OK) return status;
  // On a terminal one list of the warnings is enough; a program may look for them in either place.
  if (!isatty(STDOUT_FILENO) || !isatty(STDERR_FILENO)) cli_print_warnings(&model);
  cli_out out;
  status = cli_out_open(&out, NULL);
  if (status == CLI_OK) {
    status = arguments->value[JSON] ? print_json(&out, &model) : print_tables(&out, &model);
    status = cli_out_close(&out, status);
  }
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
