#include "record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "load.h"

enum { COMPONENTS = 7 };

// What an entry of a joint is called, and its unit; a joint with one entry has the name "".
typedef struct entry {
  const char *name, *unit;
} entry;
typedef entry entries[COMPONENTS];

// The vectors that have an entry, or entries, for every joint.
typedef enum vector { POSITION, VELOCITY, FORCE, WORK } vector;

static const entries positions[] = {
    [AP_REVOLUTE] = {{"", "rad"}},
    [AP_PRISMATIC] = {{"", "m"}},
    [AP_SPHERICAL] = {{"qx", ""}, {"qy", ""}, {"qz", ""}, {"qw", ""}},
    [AP_PLANAR] = {{"x", "m"}, {"y", "m"}, {"angle", "rad"}},
    [AP_FREE] = {
        {"x", "m"}, {"y", "m"}, {"z", "m"}, {"qx", ""}, {"qy", ""}, {"qz", ""}, {"qw", ""}}};
static const entries velocities[] = {
    [AP_REVOLUTE] = {{"", "rad/s"}},
    [AP_PRISMATIC] = {{"", "m/s"}},
    [AP_SPHERICAL] = {{"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"}},
    [AP_PLANAR] = {{"vx", "m/s"}, {"vy", "m/s"}, {"w", "rad/s"}},
    [AP_FREE] = {{"vx", "m/s"},
                 {"vy", "m/s"},
                 {"vz", "m/s"},
                 {"wx", "rad/s"},
                 {"wy", "rad/s"},
                 {"wz", "rad/s"}}};
static const entries forces[] = {
    [AP_REVOLUTE] = {{"", "N m"}},
    [AP_PRISMATIC] = {{"", "N"}},
    [AP_SPHERICAL] = {{"tx", "N m"}, {"ty", "N m"}, {"tz", "N m"}},
    [AP_PLANAR] = {{"fx", "N"}, {"fy", "N"}, {"t", "N m"}},
    [AP_FREE] = {
        {"fx", "N"}, {"fy", "N"}, {"fz", "N"}, {"tx", "N m"}, {"ty", "N m"}, {"tz", "N m"}}};

static const char *const energies[] = {"kinetic",    "potential", "elastic", "work",
                                       "dissipated", "lost",      "closing"};
enum { ENERGIES = sizeof energies / sizeof energies[0] };

// Of a joint: its place in v, and of each vector the first entry.
static const ap_column touch_columns[] = {{"impulse", "N s"},
                                          {"number", ""},
                                          {"impulse_vector.x", "N s"},
                                          {"impulse_vector.y", "N s"},
                                          {"impulse_vector.z", "N s"},
                                          {"position.x", "m"},
                                          {"position.y", "m"},
                                          {"position.z", "m"},
                                          {"normal.x", ""},
                                          {"normal.y", ""},
                                          {"normal.z", ""},
                                          {"before.x", "m/s"},
                                          {"before.y", "m/s"},
                                          {"before.z", "m/s"},
                                          {"after.x", "m/s"},
                                          {"after.y", "m/s"},
                                          {"after.z", "m/s"},
                                          {"angle", "rad"},
                                          {"lost", "J"},
                                          {"joint", ""}};
enum { TOUCH_COLUMNS = sizeof touch_columns / sizeof touch_columns[0] };

static const char *const event_energies[] = {"kinetic", "kinetic_after", "potential"};
enum { EVENT_ENERGIES = sizeof event_energies / sizeof event_energies[0] };

// ---- columns -----------------------------------------------------------------------------------

// "a", "a.b" or "a.b.c", in memory to be freed.
static char *join(const char *a, const char *b, const char *c) {
  const size_t size = strlen(a) + strlen(b) + strlen(c) + 3;
  char *text = malloc(size);
  if (!text) return NULL;
  snprintf(text, size, "%s%s%s%s%s", a, b[0] ? "." : "", b, c[0] ? "." : "", c);
  cli_replace_separators(text);
  return text;
}

static void make_columns(cli_record *r, cli_columns *list, int room) {
  list->room = room;
  list->name = calloc((size_t)room, sizeof *list->name);
  list->column = calloc((size_t)room, sizeof *list->column);
  list->row = calloc((size_t)room, sizeof *list->row);
  r->no_memory = r->no_memory || !list->name || !list->column || !list->row;
}

static void free_columns(cli_columns *list) {
  for (int k = 0; list->name && k < list->n; k++) free(list->name[k]);
  free(list->name);
  free(list->column);
  free(list->row);
}

static void add_column(cli_record *r, cli_columns *list, const char *a, const char *b,
                       const char *c, const char *unit) {
  char *name = r->no_memory ? NULL : join(a, b, c);
  if (!name || list->n == list->room) {
    r->no_memory = true;
    free(name);
    return;
  }
  list->name[list->n] = name;
  list->column[list->n++] = (ap_column){name, unit};
}

static void add_joint(cli_record *r, cli_columns *list, const char *group, vector what, int body) {
  const ap_joint_type type = ap_body(r->model, body)->joint;
  const int n = what == POSITION ? ap_joint_nq(r->model, body) : ap_joint_nv(r->model, body);
  for (int k = 0; k < n; k++) {
    const entry e = what == POSITION   ? positions[type][k]
                    : what == VELOCITY ? velocities[type][k]
                                       : forces[type][k];
    add_column(r, list, group, cli_joint_name(r->model, body), e.name ? e.name : "",
               what == WORK ? "J"
               : e.unit     ? e.unit
                            : "");
  }
}

static void add_vector(cli_record *r, cli_columns *list, const char *group, vector what) {
  for (int i = 1; i < ap_nbody(r->model); i++) add_joint(r, list, group, what, i);
}

// Coordinates of a mechanism, or their rates.
static void add_coordinates(cli_record *r, cli_columns *list, const char *group, vector what) {
  const ap_mechanism *m = r->scene->mechanism;
  for (int i = 0; m && i < ap_mechanism_n(m); i++) {
    const ap_coordinate_def *c = ap_mechanism_coordinate(m, i);
    const bool slides =
        c->kind == AP_COORDINATE_POSITION ||
        (c->kind == AP_COORDINATE_JOINT && ap_body(r->model, c->body)->joint == AP_PRISMATIC);
    const ap_joint_type type = slides ? AP_PRISMATIC : AP_REVOLUTE;
    add_column(r, list, group, c->name, "",
               what == POSITION ? positions[type][0].unit : velocities[type][0].unit);
  }
}

static bool has_forces(const cli_record *r) { return r->scene->nwall > 0; }

static int coordinates_of(const cli_record *r) {
  return r->scene->mechanism ? ap_mechanism_n(r->scene->mechanism) : 0;
}

static void add_row_columns(cli_record *r) {
  static const char *const axes[] = {"x", "y", "z"};
  cli_columns *list = &r->rows;
  const int points = has_forces(r) ? r->scene->npoint : 0;
  make_columns(r, list,
               1 + ap_nq(r->model) + 3 * ap_nv(r->model) + ENERGIES + 1 + 3 * points +
                   2 * coordinates_of(r) + 2);
  add_column(r, list, "t", "", "", "s");
  add_vector(r, list, "q", POSITION);
  add_vector(r, list, "v", VELOCITY);
  add_vector(r, list, "tau", FORCE);
  for (int k = 0; k < ENERGIES; k++) add_column(r, list, energies[k], "", "", "J");
  add_vector(r, list, "work_of", WORK);
  add_column(r, list, "contacts", "", "", "");
  for (int k = 0; k < 3 * points; k++)
    add_column(r, list, "force", r->scene->point[k / 3].name, axes[k % 3], "N");
  if (!r->scene->mechanism) return;
  add_coordinates(r, list, "coordinate", POSITION);
  add_coordinates(r, list, "rate", VELOCITY);
  add_column(r, list, "closure", "", "", "m or rad");
  add_column(r, list, "drift", "", "", "m or rad");
}

static void add_event_columns(cli_record *r) {
  cli_columns *list = &r->events;
  make_columns(r, list,
               TOUCH_COLUMNS + ap_nq(r->model) + 2 * ap_nv(r->model) + EVENT_ENERGIES +
                   3 * coordinates_of(r));
  for (int k = 0; k < TOUCH_COLUMNS; k++)
    add_column(r, list, touch_columns[k].name, "", "", touch_columns[k].unit);
  add_vector(r, list, "q", POSITION);
  add_vector(r, list, "v", VELOCITY);
  add_vector(r, list, "v_after", VELOCITY);
  for (int k = 0; k < EVENT_ENERGIES; k++) add_column(r, list, event_energies[k], "", "", "J");
  add_coordinates(r, list, "coordinate", POSITION);
  add_coordinates(r, list, "rate", VELOCITY);
  add_coordinates(r, list, "rate_after", VELOCITY);
}

// What computes energies and rates at events as the run does at output times.
static void make_work(cli_record *r) {
  const ap_mechanism *m = r->scene->mechanism;
  const size_t size = m ? ap_loop_size(m) : ap_work_size(r->model);
  r->memory = malloc(size);
  if (r->memory && m) r->loop = ap_loop_init(m, r->memory, size);
  if (r->memory) r->work = m ? ap_loop_work(r->loop) : ap_work_init(r->model, r->memory, size);
  r->no_memory = r->no_memory || !r->work;
  if (!r->work) return;
  if (r->scene->gravity) ap_set_gravity(r->model, r->work, r->scene->gravity);
  ap_set_friction(r->model, r->work, r->scene->joint_friction);
}

// ---- points ------------------------------------------------------------------------------------

static void name_points(cli_record *r) {
  const int points = r->scene->npoint;
  r->point = calloc((size_t)points + 1, sizeof *r->point);
  r->contacts = points * r->scene->nwall; // a point may rest on several walls
  r->contact = calloc((size_t)r->contacts + 1, sizeof *r->contact);
  r->no_memory = r->no_memory || !r->point || !r->contact;
  for (int k = 0; k < points && !r->no_memory; k++) {
    const ap_contact_point *p = &r->scene->point[k];
    const char *link = ap_frame_name(r->model, p->body);
    const size_t size = strlen(link) + strlen(p->name) + 2;
    r->point[k] = malloc(size);
    r->no_memory = !r->point[k];
    if (r->point[k]) snprintf(r->point[k], size, "%s/%s", link, p->name);
  }
}

// The name of a joint, or of an entry of one, by its place in v.
static const char *joint_of(const cli_record *r, int v) {
  return r->rows.name[1 + ap_nq(r->model) + v] + strlen("v.");
}

static size_t longer(size_t length, const char *word) {
  return strlen(word) > length ? strlen(word) : length;
}

static int longest_word(const cli_record *r) {
  size_t longest = 16;
  for (int k = 0; k < r->scene->npoint; k++) longest = longer(longest, r->point[k]);
  for (int k = 0; k < r->scene->nwall; k++) longest = longer(longest, r->scene->wall[k].name);
  for (int k = 0; k < ap_nv(r->model); k++) longest = longer(longest, joint_of(r, k));
  return longest < 4096 ? (int)longest : 4096;
}

// ---- the log -----------------------------------------------------------------------------------

int cli_record_open(cli_record *r, const char *path, const ap_scenario *scenario,
                    const char *scenario_file) {
  *r = (cli_record){
      .model = ap_scenario_model(scenario), .scene = ap_scenario_scene(scenario), .path = path};
  add_row_columns(r);
  add_event_columns(r);
  name_points(r);
  if (path) make_work(r);
  if (r->no_memory) return cli_no_memory();
  if (!path) return CLI_OK;
  const ap_log_def def = {.column = r->rows.column,
                          .columns = r->rows.n,
                          .event_column = r->events.column,
                          .event_columns = r->events.n,
                          .scenario = ap_scenario_text(scenario),
                          .scenario_file = scenario_file,
                          .model = ap_model_name(r->model),
                          .longest_word = longest_word(r)};
  ap_error error = {0};
  error.status = ap_log_create(path, &def, &r->log, &error);
  return error.status == AP_OK ? CLI_OK : cli_fail_output(path, &error);
}

static double *put(double *to, const double *from, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
  return to + n;
}

// Forces on points at rest, summed over their walls.
static void put_forces(cli_record *r, const ap_sim *sim, double *to) {
  const int points = r->scene->npoint, n = ap_sim_contacts(sim, r->contact, r->contacts);
  for (int k = 0; k < 3 * points; k++) to[k] = 0;
  for (int k = 0; k < n && k < r->contacts; k++) {
    for (int i = 0; i < 3; i++) to[3 * r->contact[k].point + i] += r->contact[k].force[i];
  }
}

ap_status cli_record_row(cli_record *r, const ap_sim *sim, const ap_sim_state *s) {
  if (!r->log) return AP_OK;
  const int nq = ap_nq(r->model), nv = ap_nv(r->model);
  const double energy[ENERGIES] = {s->kinetic,    s->potential, s->elastic, s->work,
                                   s->dissipated, s->lost,      s->closing};
  double *to = put(r->rows.row, &s->t, 1);
  to = put(to, s->q, nq);
  to = put(to, s->v, nv);
  to = put(to, s->tau, nv);
  to = put(to, energy, ENERGIES);
  to = put(to, s->work_of, nv);
  *to++ = s->contacts;
  if (has_forces(r)) put_forces(r, sim, to), to += 3 * (ptrdiff_t)r->scene->npoint;
  if (s->s) {
    const int n = ap_mechanism_n(r->scene->mechanism);
    to = put(to, s->s, n);
    to = put(to, s->sd, n);
    *to++ = s->closure;
    *to = s->drift;
  }
  if (r->error.status == AP_OK) r->error.status = ap_log_row(r->log, r->rows.row, &r->error);
  return r->error.status;
}

static void put_state(cli_record *r, const ap_event *e, double *to) {
  const int nq = ap_nq(r->model), nv = ap_nv(r->model), n = coordinates_of(r);
  to = put(to, e->q, nq);
  to = put(to, e->v_before, nv);
  to = put(to, e->v_after, nv);
  *to++ = ap_kinetic_energy(r->model, r->work, e->q, e->v_before);
  *to++ = ap_kinetic_energy(r->model, r->work, e->q, e->v_after);
  *to++ = ap_potential_energy(r->model, r->work, e->q);
  if (!r->loop) return;
  ap_loop_errors(r->scene->mechanism, r->loop, e->q, NULL, to);
  ap_loop_rates(r->scene->mechanism, r->loop, e->q, e->v_before, to + n);
  ap_loop_rates(r->scene->mechanism, r->loop, e->q, e->v_after, to + 2 * (ptrdiff_t)n);
}

void cli_record_event(cli_record *r, const ap_event *e) {
  if (!r->log || r->error.status != AP_OK) return;
  double *to = r->events.row;
  const double *p = e->impulse;
  *to++ = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  *to++ = e->number;
  to = put(to, e->impulse, 3);
  to = put(to, e->position, 3);
  to = put(to, e->normal, 3);
  to = put(to, e->before, 3);
  to = put(to, e->after, 3);
  *to++ = e->angle;
  *to++ = e->lost;
  *to++ = e->joint;
  put_state(r, e, to);
  const bool rubs = e->kind == AP_EVENT_SLIP || e->kind == AP_EVENT_STICK;
  const char *point = e->joint < 0 ? r->point[e->point] : joint_of(r, e->joint);
  const char *wall = e->joint < 0 ? r->scene->wall[e->wall].name : rubs ? "" : "stop";
  r->error.status =
      ap_log_event(r->log, e->t, ap_event_name(e->kind), point, wall, r->events.row, &r->error);
}

ap_status cli_record_flush(cli_record *r) {
  if (r->log && r->error.status == AP_OK) r->error.status = ap_log_flush(r->log, &r->error);
  return r->error.status;
}

int cli_record_finish(cli_record *r) {
  if (!r->log) return CLI_OK;
  if (r->error.status == AP_OK) r->error.status = ap_log_finish(r->log, &r->error);
  return r->error.status == AP_OK ? CLI_OK : cli_fail_output(r->path, &r->error);
}

void cli_record_close(cli_record *r) {
  ap_log_free(r->log);
  free_columns(&r->rows);
  free_columns(&r->events);
  for (int k = 0; r->point && k < r->scene->npoint; k++) free(r->point[k]);
  free(r->memory);
  free(r->point);
  free(r->contact);
}
