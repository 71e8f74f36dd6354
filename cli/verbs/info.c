#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/output.h"
#include "load.h"
#include "mechanism.h"
#include "place.h"
#include "ui/table.h"
#include "verbs.h"

enum { JSON, FLOATING, IGNORE_MIMIC };
enum { NAME_BYTES = 1024, LINE_WIDTH = 100 };

static const cli_option options[] = {[JSON] = CLI_OPTION_JSON,
                                     [FLOATING] = CLI_OPTION_FLOATING,
                                     [IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
                                     CLI_OPTIONS_REDUCE,
                                     {0}};

static const char text[] =
    "Shows the joints in the order of the vectors q and v (with the index of each joint's\n"
    "first entry), the moving bodies, the links that are merged into each, what the\n"
    "file says about friction and rotors, and everything odd about the model. Of a mechanism\n"
    "with closed chains these are the joints of its tree; then come the coordinates, actuators\n"
    "and closures, and how far from singularities it closes.\n";

// ---- what both forms ask -----------------------------------------------------------------------

static const char *body_name(const ap_model *m, int i) {
  return i == 0 ? ap_frame_name(m, 0) : ap_body(m, i)->name;
}

static bool is_mimic(const ap_model *m, int i) { return ap_body(m, i)->mimic > 0; }

static bool has_coordinate(const ap_model *m, int i) { return ap_joint_nv(m, i) > 0; }

static bool moves(const ap_model *m, int i) { return i > 0 && ap_body_mover(m, i) == i; }

// The moving body (or the ground) that carries body i's joint.
static int carrier(const ap_model *m, int i) { return ap_body_mover(m, ap_body(m, i)->parent); }

// A model, and what is found out about it once.
typedef struct view {
  const cli_model *model;
  const ap_model *m;
  int *first;       // of each body: the first link merged into it; 0 for none
  int *next;        // of each link: the next one merged into the same body; 0 for none
  cli_place *place; // of each link in the frame of the body that moves it
} view;

static bool find_merged(view *v) {
  const size_t n = (size_t)ap_nbody(v->m);
  v->first = calloc(n, sizeof *v->first);
  v->next = calloc(n, sizeof *v->next);
  if (!v->first || !v->next) return false;
  for (int k = ap_nbody(v->m) - 1; k > 0; k--) {
    const int i = ap_body_mover(v->m, k);
    if (i == k) continue;
    v->next[k] = v->first[i];
    v->first[i] = k;
  }
  return true;
}

// A work would tell all poses, but it holds a matrix of all joints, too large for a long chain.
static bool find_places(view *v) {
  const size_t n = (size_t)ap_nbody(v->m);
  v->place = malloc(n * sizeof *v->place);
  if (!v->place) return false;
  v->place[0] = cli_place_none();
  for (int i = 1; i < ap_nbody(v->m); i++) {
    v->place[i] = cli_place_none();
    if (moves(v->m, i)) continue;
    const ap_body_def *body = ap_body(v->m, i);
    const cli_place fixed = cli_place_fixed(&body->place);
    v->place[i] = cli_place_join(&v->place[body->parent], &fixed);
  }
  return true;
}

static void close_view(view *v) {
  free(v->first);
  free(v->next);
  free(v->place);
}

// The mass of all links, and of those that move.
static void total_mass(const ap_model *m, double *all, double *moving) {
  *all = *moving = 0;
  for (int i = 1; i < ap_nbody(m); i++) {
    *all += ap_body(m, i)->mass;
    if (ap_body_mover(m, i) > 0) *moving += ap_body(m, i)->mass;
  }
}

// ---- JSON --------------------------------------------------------------------------------------

// The joint axis in the link frame. A Denavit-Hartenberg joint turns about z, of the body's frame
// or, standard, of the parent's, which Rx(alpha) separates from it.
static void joint_axis(const ap_body_def *body, double axis[3]) {
  const double *u = body->axis;
  const double length = hypot(hypot(u[0], u[1]), u[2]);
  axis[0] = axis[1] = 0;
  axis[2] = 1;
  switch (body->place.kind) {
    case AP_PLACE_RPY:
    case AP_PLACE_MATRIX:
      for (int k = 0; k < 3; k++) axis[k] = u[k] / length;
      break;
    case AP_DH_STANDARD:
      axis[1] = sin(body->place.alpha);
      axis[2] = cos(body->place.alpha);
      break;
    case AP_DH_MODIFIED:
    case AP_DH_VALERA: break;
  }
}

static bool has_axis(const ap_body_def *body) {
  return body->joint == AP_REVOLUTE || body->joint == AP_PRISMATIC || body->joint == AP_PLANAR;
}

static void json_axis(ap_json *json, const ap_body_def *body) {
  double axis[3];
  if (!has_axis(body)) return;
  joint_axis(body, axis);
  ap_json_numbers(json, "axis", axis, 3);
}

static void json_joint(ap_json *json, const view *v, int i) {
  const ap_model *m = v->m;
  const ap_body_def *body = ap_body(m, i);
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "name", cli_joint_name(m, i));
  ap_json_string(json, "type", cli_joint_type(m, i));
  ap_json_integer(json, "q", ap_joint_q(m, i));
  ap_json_integer(json, "v", ap_joint_v(m, i));
  ap_json_integer(json, "nq", ap_joint_nq(m, i));
  ap_json_integer(json, "nv", ap_joint_nv(m, i));
  ap_json_string(json, "body", body->name);
  ap_json_string(json, "parent", body_name(m, body->parent));
  json_axis(json, body);
  ap_json_number(json, "lower", body->lower);
  ap_json_number(json, "upper", body->upper);
  ap_json_number(json, "velocity", body->velocity_limit);
  ap_json_number(json, "effort", body->effort_limit);
  ap_json_number(json, "viscous", body->viscous);
  ap_json_number(json, "coulomb", body->coulomb);
  ap_json_number(json, "static", body->stiction);
  ap_json_number(json, "rotor_inertia", body->rotor_inertia);
  ap_json_number(json, "gear_ratio", body->gear_ratio);
  ap_json_close(json, '}');
}

static void json_mimic(ap_json *json, const view *v, int i) {
  const ap_model *m = v->m;
  const ap_body_def *body = ap_body(m, i);
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "name", cli_joint_name(m, i));
  ap_json_string(json, "type", cli_joint_type(m, i));
  ap_json_string(json, "body", body->name);
  ap_json_string(json, "parent", body_name(m, body->parent));
  ap_json_string(json, "leader", cli_joint_name(m, body->mimic));
  json_axis(json, body);
  ap_json_number(json, "ratio", body->mimic_ratio);
  ap_json_number(json, "offset", body->mimic_offset);
  ap_json_close(json, '}');
}

static void json_body(ap_json *json, const view *v, int i) {
  const ap_model *m = v->m;
  double mass, com[3], inertia[6];
  ap_merged_inertia(m, i, &mass, com, inertia);
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "name", body_name(m, i));
  ap_json_string(json, "parent", body_name(m, carrier(m, i)));
  ap_json_string(json, "joint", cli_joint_name(m, i));
  ap_json_number(json, "mass", mass);
  ap_json_numbers(json, "com", com, 3);
  ap_json_numbers(json, "inertia", inertia, 6);
  ap_json_open(json, "merged", '[');
  for (int k = v->first[i]; k > 0; k = v->next[k]) ap_json_string(json, NULL, body_name(m, k));
  ap_json_close(json, ']');
  ap_json_close(json, '}');
}

static void json_frame(ap_json *json, const view *v, int i) {
  const ap_model *m = v->m;
  const ap_frame_def *frames = ap_robot_definition(v->model->robot)->frames;
  const ap_frame_def *frame = i < ap_nbody(m) ? NULL : &frames[i - ap_nbody(m)];
  const int link = frame ? frame->body : i;
  cli_place place = v->place[link];
  if (frame) {
    const cli_place inner = cli_place_rpy(frame->xyz, frame->rpy);
    place = cli_place_join(&place, &inner);
  }
  double rpy[3];
  cli_place_angles(&place, rpy);
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "name", ap_frame_name(m, i));
  ap_json_string(json, "body", body_name(m, ap_body_mover(m, link)));
  ap_json_numbers(json, "xyz", place.p, 3);
  ap_json_numbers(json, "rpy", rpy, 3);
  ap_json_close(json, '}');
}

// Links on fixed joints are frames of the body that carries them; then the named frames.
static void json_frames(ap_json *json, const view *v) {
  ap_json_open(json, "frames", '[');
  for (int i = 1; i < ap_nframe(v->m); i++) json_frame(json, v, i);
  ap_json_close(json, ']');
}

static void json_warning(void *context, int line, const char *warning) {
  ap_json *json = context;
  ap_json_open(json, NULL, '{');
  if (line > 0) ap_json_integer(json, "line", line);
  ap_json_string(json, "text", warning);
  ap_json_close(json, '}');
}

// A list of what print writes for every body that belongs into it.
static void json_list(ap_json *json, const char *key, const view *v,
                      bool (*belongs)(const ap_model *, int),
                      void (*print)(ap_json *, const view *, int)) {
  ap_json_open(json, key, '[');
  for (int i = 1; i < ap_nbody(v->m); i++) {
    if (belongs(v->m, i)) print(json, v, i);
  }
  ap_json_close(json, ']');
}

static int print_json(cli_out *out, const view *v) {
  const ap_model *m = v->m;
  ap_json json = {.write = cli_out_sink, .context = out};
  double mass, moving;
  total_mass(m, &mass, &moving);
  ap_json_open(&json, NULL, '{');
  ap_json_string(&json, "name", ap_model_name(m));
  if (v->model->about) ap_json_string(&json, "about", v->model->about);
  ap_json_integer(&json, "nq", ap_nq(m));
  ap_json_integer(&json, "nv", ap_nv(m));
  ap_json_numbers(&json, "gravity", ap_gravity(m), 3);
  ap_json_number(&json, "mass", mass);
  ap_json_number(&json, "moving_mass", moving);
  json_list(&json, "joints", v, has_coordinate, json_joint);
  json_list(&json, "mimic", v, is_mimic, json_mimic);
  json_list(&json, "bodies", v, moves, json_body);
  json_frames(&json, v);
  ap_json_open(&json, "warnings", '[');
  cli_visit_warnings(v->model, json_warning, &json);
  ap_json_close(&json, ']');
  const int status = v->model->mechanism ? cli_mechanism_json(v->model, &json) : CLI_OK;
  ap_json_close(&json, '}');
  return status;
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

static void add_joint(cli_table *table, const ap_model *m, int i, bool stiction) {
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
  if (stiction) add_unless(table, body->stiction, body->stiction == 0);
  add_unless(table, body->rotor_inertia, body->rotor_inertia == 0);
  add_unless(table, body->gear_ratio, body->rotor_inertia == 0);
}

static bool has_friction(const ap_body_def *body) {
  return body->viscous != 0 || body->coulomb != 0 || body->stiction != 0 ||
         body->rotor_inertia != 0;
}

static int print_joints(cli_out *out, const ap_model *m) {
  static const char *const headings[] = {"q",      "v",        "joint",  "type",    "lower",
                                         "upper",  "velocity", "effort", "viscous", "coulomb",
                                         "static", "rotor",    "gear"};
  bool friction = false, stiction = false; // of any joint
  for (int i = 1; i < ap_nbody(m); i++) {
    friction = friction || has_friction(ap_body(m, i));
    stiction = stiction || ap_body(m, i)->stiction != 0;
  }
  cli_table table = {.columns = stiction ? 13 : 12};
  for (int k = 0; k < 13; k++)
    if (k != 10 || stiction) cli_table_add(&table, "%s", headings[k]);
  for (int i = 1; i < ap_nbody(m); i++)
    if (has_coordinate(m, i)) add_joint(&table, m, i, stiction);
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

// Write a name behind what stands in the line already, or into a new line where it does not fit.
static int write_wrapped(cli_out *out, const char *name, const char *behind, int column) {
  char plain[NAME_BYTES];
  cli_plain(name, plain, sizeof plain);
  const char *dots = strlen(plain) + 1 < sizeof plain ? "" : "...";
  const int width = cli_width(plain) + (int)strlen(dots) + (int)strlen(behind);
  const bool fits = column + 1 + width <= LINE_WIDTH;
  cli_out_printf(out, "%s%s%s%s", fits ? " " : "\n     ", plain, dots, behind);
  return (fits ? column + 1 : 5) + width;
}

static void print_merged(cli_out *out, const view *v) {
  bool any = false;
  for (int i = 0; i < ap_nbody(v->m); i++) {
    if (v->first[i] == 0) continue;
    if (!any) cli_out_printf(out, "\n  links merged into\n");
    any = true;
    cli_out_printf(out, " ");
    int column = write_wrapped(out, body_name(v->m, i), ":", 1);
    for (int k = v->first[i]; k > 0; k = v->next[k]) {
      column = write_wrapped(out, body_name(v->m, k), v->next[k] > 0 ? "," : "", column);
    }
    cli_out_printf(out, "\n");
  }
}

static int print_bodies(cli_out *out, const ap_model *m) {
  static const char *const headings[] = {"body", "on", "mass", "centre of mass"};
  cli_table table = {.columns = 4};
  add_headings(&table, headings);
  for (int i = 1; i < ap_nbody(m); i++) {
    if (!moves(m, i)) continue;
    double mass, com[3], inertia[6];
    ap_merged_inertia(m, i, &mass, com, inertia);
    cli_table_add(&table, "%s", body_name(m, i));
    cli_table_add(&table, "%s", body_name(m, carrier(m, i)));
    cli_table_add(&table, "%g", mass);
    cli_table_add(&table, "%g %g %g", com[0], com[1], com[2]);
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
  const int freedom = model->mechanism ? ap_mechanism_n(model->mechanism) : ap_nv(m);
  cli_out_printf(out, "%s: %d degree%s of freedom (%snq %d, nv %d)\n",
                 cli_plain(ap_model_name(m), name, sizeof name), freedom, freedom == 1 ? "" : "s",
                 model->mechanism ? "closed chains; the tree has " : "", ap_nq(m), ap_nv(m));
  if (model->about) cli_out_printf(out, "%s\n", model->about);
  cli_out_printf(out, "\n  mass     %g kg", mass);
  if (moving != mass) cli_out_printf(out, ", of which %g kg move", moving);
  cli_out_printf(out, "\n  gravity  %g %g %g m/s2\n", g[0], g[1], g[2]);
}

static int print_tables(cli_out *out, const view *v) {
  const cli_model *model = v->model;
  print_head(out, model);
  int status = print_joints(out, v->m);
  if (status == CLI_OK) status = print_mimics(out, v->m);
  if (status == CLI_OK) status = print_bodies(out, v->m);
  if (status == CLI_OK) print_merged(out, v);
  if (status == CLI_OK) status = print_frames(out, model);
  if (status == CLI_OK && model->mechanism) status = cli_mechanism_print(model, out);
  if (status == CLI_OK) status = print_warnings(out, model);
  return status;
}

// ---- the verb ----------------------------------------------------------------------------------

static int show(const cli_model *model, bool json) {
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  view v = {.model = model, .m = model->model};
  if (!find_merged(&v) || !find_places(&v)) {
    status = cli_no_memory();
  } else {
    status = json ? print_json(&out, &v) : print_tables(&out, &v);
  }
  close_view(&v);
  return cli_out_close(&out, status);
}

static int run(const cli_arguments *arguments) {
  cli_model model;
  int status = cli_load_any(arguments->argument[0], arguments, &model);
  if (status != CLI_OK) return status;
  // On a terminal one list of the warnings is enough; a program may look for them in either place.
  if (!isatty(STDOUT_FILENO) || !isatty(STDERR_FILENO)) cli_print_warnings(&model);
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
