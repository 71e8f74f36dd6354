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
typedef enum vector { POSITION, VELOCITY, FORCE, WORK, VECTORS } vector;

static const char *const vector_name[VECTORS] = {"q", "v", "tau", "work_of"};

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

static const ap_column event_columns[] = {{"impulse", "N s"},
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
                                          {"lost", "J"}};
enum { EVENT_COLUMNS = sizeof event_columns / sizeof event_columns[0] };

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

static void add_column(cli_record *r, const char *a, const char *b, const char *c,
                       const char *unit) {
  char *name = join(a, b, c);
  if (!name || r->columns == r->room) {
    r->no_memory = true;
    free(name);
    return;
  }
  r->name[r->columns] = name;
  r->column[r->columns++] = (ap_column){name, unit};
}

static void add_joint(cli_record *r, vector what, int body) {
  const ap_joint_type type = ap_body(r->model, body)->joint;
  const int n = what == POSITION ? ap_joint_nq(r->model, body) : ap_joint_nv(r->model, body);
  for (int k = 0; k < n; k++) {
    const entry e = what == POSITION   ? positions[type][k]
                    : what == VELOCITY ? velocities[type][k]
                                       : forces[type][k];
    add_column(r, vector_name[what], cli_joint_name(r->model, body), e.name ? e.name : "",
               what == WORK ? "J"
               : e.unit     ? e.unit
                            : "");
  }
}

static void add_vector(cli_record *r, vector what) {
  for (int i = 1; i < ap_nbody(r->model); i++) add_joint(r, what, i);
}

// Coordinates of a mechanism, or their rates.
static void add_coordinates(cli_record *r, const char *group, const char *angle,
                            const char *length) {
  const ap_mechanism *m = r->scene->mechanism;
  for (int i = 0; m && i < ap_mechanism_n(m); i++) {
    const ap_coordinate_def *c = ap_mechanism_coordinate(m, i);
    const bool slides =
        c->kind == AP_COORDINATE_POSITION ||
        (c->kind == AP_COORDINATE_JOINT && ap_body(r->model, c->body)->joint == AP_PRISMATIC);
    add_column(r, group, c->name, "", slides ? length : angle);
  }
}

static bool has_forces(const cli_record *r) { return r->scene->nwall > 0; }

static void add_columns(cli_record *r) {
  static const char *const axes[] = {"x", "y", "z"};
  const int points = has_forces(r) ? r->scene->npoint : 0;
  const ap_mechanism *m = r->scene->mechanism;
  r->room = 1 + ap_nq(r->model) + 3 * ap_nv(r->model) + ENERGIES + 1 + 3 * points;
  if (m) r->room += 2 * ap_mechanism_n(m) + 2;
  r->name = calloc((size_t)r->room, sizeof *r->name);
  r->column = calloc((size_t)r->room, sizeof *r->column);
  r->row = calloc((size_t)r->room, sizeof *r->row);
  r->no_memory = !r->name || !r->column || !r->row;
  if (r->no_memory) return;
  add_column(r, "t", "", "", "s");
  add_vector(r, POSITION);
  add_vector(r, VELOCITY);
  add_vector(r, FORCE);
  for (int k = 0; k < ENERGIES; k++) add_column(r, energies[k], "", "", "J");
  add_vector(r, WORK);
  add_column(r, "contacts", "", "", "");
  for (int k = 0; k < 3 * points; k++)
    add_column(r, "force", r->scene->point[k / 3].name, axes[k % 3], "N");
  if (!m) return;
  add_coordinates(r, "coordinate", "rad", "m");
  add_coordinates(r, "rate", "rad/s", "m/s");
  add_column(r, "closure", "", "", "m or rad");
  add_column(r, "drift", "", "", "m or rad");
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

static int longest_word(const cli_record *r) {
  size_t longest = 16;
  for (int k = 0; k < r->scene->npoint; k++) {
    if (strlen(r->point[k]) > longest) longest = strlen(r->point[k]);
  }
  for (int k = 0; k < r->scene->nwall; k++) {
    if (strlen(r->scene->wall[k].name) > longest) longest = strlen(r->scene->wall[k].name);
  }
  return longest < 4096 ? (int)longest : 4096;
}

// ---- the log -----------------------------------------------------------------------------------

int cli_record_open(cli_record *r, const char *path, const ap_scenario *scenario,
                    const char *scenario_file) {
  *r = (cli_record){
      .model = ap_scenario_model(scenario), .scene = ap_scenario_scene(scenario), .path = path};
  add_columns(r);
  name_points(r);
  if (r->no_memory) return cli_no_memory();
  if (!path) return CLI_OK;
  const ap_log_def def = {.column = r->column,
                          .columns = r->columns,
                          .event_column = event_columns,
                          .event_columns = EVENT_COLUMNS,
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
  double *to = put(r->row, &s->t, 1);
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
  if (r->error.status == AP_OK) r->error.status = ap_log_row(r->log, r->row, &r->error);
  return r->error.status;
}

void cli_record_event(cli_record *r, const ap_event *e) {
  if (!r->log || r->error.status != AP_OK) return;
  double numbers[EVENT_COLUMNS], *to = numbers;
  const double *p = e->impulse;
  *to++ = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  *to++ = e->number;
  to = put(to, e->impulse, 3);
  to = put(to, e->position, 3);
  to = put(to, e->normal, 3);
  to = put(to, e->before, 3);
  to = put(to, e->after, 3);
  *to++ = e->angle;
  *to = e->lost;
  r->error.status = ap_log_event(r->log, e->t, ap_event_name(e->kind), r->point[e->point],
                                 r->scene->wall[e->wall].name, numbers, &r->error);
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
  for (int k = 0; r->name && k < r->columns; k++) free(r->name[k]);
  for (int k = 0; r->point && k < r->scene->npoint; k++) free(r->point[k]);
  free(r->name);
  free(r->column);
  free(r->row);
  free(r->point);
  free(r->contact);
}
