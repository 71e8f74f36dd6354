// SPDX-License-Identifier: Apache-2.0
// Public robots against values that another library computed.
//
// The files are not part of this project. Set APPELL_ROBOTS to a folder that holds them and a
// reference.json: { "FILE" or "+FILE" (with a free base): { "joints": [{"name", "type", "idx_v",
// "nv"}], "samples": [{"q", "v", "a", "tau", "bias", "gravity", "Mv", "Mdiag"}] } }. Joints are
// matched by name; mimic joints are independent there.

#include <appell/dyn.h>
#include <appell/file.h>

#include "test.h"

// ---- a small reader of JSON --------------------------------------------------------------------

typedef struct json {
  char kind; // '{' '[' '"' '0' (a number) 'n' (anything else)
  const char *key;
  const char *text; // of a string
  double number;
  struct json *child, *next;
} json;

typedef struct reader {
  char *at;
  bool good;
} reader;

static void skip_blanks(reader *r) { r->at += strspn(r->at, " \t\r\n"); }

// The string at r, closed with a zero in place of its quote. No name in these files has an escape.
static const char *read_string(reader *r) {
  char *start = r->at + 1, *end = strchr(start, '"');
  if (!end) {
    r->good = false;
    return "";
  }
  *end = 0;
  r->at = end + 1;
  return start;
}

static json *read_value(reader *r);

static void read_members(reader *r, json *parent, char close) {
  json **last = &parent->child;
  r->at++;
  for (skip_blanks(r); r->good && *r->at != close; skip_blanks(r)) {
    const char *key = NULL;
    if (close == '}') {
      key = read_string(r);
      skip_blanks(r);
      r->good = r->good && *r->at == ':';
      r->at++;
    }
    *last = read_value(r);
    (*last)->key = key;
    last = &(*last)->next;
    skip_blanks(r);
    if (*r->at == ',')
      r->at++;
    else
      r->good = r->good && *r->at == close;
  }
  r->at++;
}

static json *read_value(reader *r) {
  json *v = calloc(1, sizeof *v);
  skip_blanks(r);
  v->kind = *r->at;
  if (*r->at == '{') {
    read_members(r, v, '}');
  } else if (*r->at == '[') {
    read_members(r, v, ']');
  } else if (*r->at == '"') {
    v->text = read_string(r);
  } else {
    char *end;
    v->kind = '0';
    v->number = strtod(r->at, &end);
    if (end == r->at) r->good = false;
    r->at = end;
  }
  return v;
}

static void json_free(json *v) {
  while (v) {
    json *next = v->next;
    json_free(v->child);
    free(v);
    v = next;
  }
}

static const json *member(const json *v, const char *key) {
  for (const json *c = v ? v->child : NULL; c; c = c->next)
    if (c->key && strcmp(c->key, key) == 0) return c;
  CHECK_STR("(missing)", key);
  return NULL;
}

static int length(const json *v) {
  int n = 0;
  for (const json *c = v ? v->child : NULL; c; c = c->next) n++;
  return n;
}

static double number(const json *v) { return v ? v->number : 0; }

// The whole of a file with a closing zero, on the heap; NULL if it cannot be read.
static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  size_t size = 0, room = 1 << 16;
  char *text = malloc(room);
  for (size_t n; (n = fread(text + size, 1, room - size - 1, file)) > 0;) {
    size += n;
    if (room - size < 2) text = realloc(text, room *= 2);
  }
  text[size] = 0;
  fclose(file);
  return text;
}

// ---- one robot ---------------------------------------------------------------------------------

enum { MAX_V = 128 };

// Where the reference's coordinates are in ours.
typedef struct order {
  int q[MAX_V], v[MAX_V];
  int nq, nv;
} order;

static int find_joint(const ap_model *m, const char *name, const char *type) {
  if (type && strstr(type, "FreeFlyer"))
    for (int i = 1; i < ap_nbody(m); i++)
      if (ap_body(m, i)->joint == AP_FREE) return i;
  return name ? ap_find_joint(m, name) : -1;
}

static bool match_joints(const ap_model *m, const json *joints, order *o) {
  *o = (order){.nq = 0};
  for (const json *j = joints ? joints->child : NULL; j; j = j->next) {
    const json *name = member(j, "name"), *type = member(j, "type");
    int i = name && type ? find_joint(m, name->text, type->text) : -1;
    if (!CHECK(i > 0) || o->nv + 6 > MAX_V) {
      printf("  no joint %s\n", name ? name->text : "?");
      return false;
    }
    CHECK_EQ_INT((int)number(member(j, "idx_v")), o->nv);
    CHECK_EQ_INT((int)number(member(j, "nv")), ap_joint_nv(m, i));
    for (int k = 0; k < ap_joint_nq(m, i); k++) o->q[o->nq++] = ap_joint_q(m, i) + k;
    for (int k = 0; k < ap_joint_nv(m, i); k++) o->v[o->nv++] = ap_joint_v(m, i) + k;
  }
  return CHECK_EQ_INT(o->nq, ap_nq(m)) && CHECK_EQ_INT(o->nv, ap_nv(m));
}

static bool load(const json *sample, const char *key, const int *to, int n, double *x) {
  const json *list = member(sample, key);
  if (!CHECK_EQ_INT(length(list), n)) return false;
  const json *entry = list->child;
  for (int i = 0; i < n; i++, entry = entry->next) x[to[i]] = entry->number;
  return true;
}

static void check_entry(const json *sample, const char *key, const order *o, const double *got) {
  double want[MAX_V];
  if (load(sample, key, o->v, o->nv, want)) CHECK_NEAR(got, want, o->nv, 1e-12);
}

static void check_sample(const ap_model *m, ap_work *w, const order *o, const json *sample) {
  static double M[MAX_V * MAX_V];
  double q[MAX_V], v[MAX_V], a[MAX_V], x[MAX_V], diagonal[MAX_V];
  if (!load(sample, "q", o->q, o->nq, q) || !load(sample, "v", o->v, o->nv, v) ||
      !load(sample, "a", o->v, o->nv, a))
    return;
  ap_inverse_dynamics(m, w, q, v, a, x);
  check_entry(sample, "tau", o, x);
  ap_bias(m, w, q, v, x);
  check_entry(sample, "bias", o, x);
  ap_gravity_forces(m, w, q, x);
  check_entry(sample, "gravity", o, x);
  ap_inertia_matrix(m, w, q, M);
  for (int i = 0; i < o->nv; i++) {
    x[i] = 0;
    diagonal[i] = M[i * o->nv + i];
    for (int j = 0; j < o->nv; j++) x[i] += M[i * o->nv + j] * v[j];
  }
  check_entry(sample, "Mv", o, x);
  check_entry(sample, "Mdiag", o, diagonal);
}

static void check_robot(const char *folder, const json *entry) {
  char path[1024];
  bool floating = entry->key[0] == '+';
  ap_read_options options = {.floating = floating, .ignore_mimic = true};
  ap_robot *robot = NULL;
  ap_model *m = NULL;
  ap_error error = {.text = ""};
  order o;
  test_context("%s", entry->key);
  snprintf(path, sizeof path, "%s/%s", folder, entry->key + floating);
  if (!CHECK_OK(ap_robot_read(path, &options, &robot, &error)) ||
      !CHECK_OK(ap_robot_model(robot, &m, &error))) {
    printf("  %s:%d: %s\n", path, error.line, error.text);
    ap_robot_free(robot);
    return;
  }
  void *memory = malloc(ap_work_size(m));
  ap_work *w = ap_work_init(m, memory, ap_work_size(m));
  if (CHECK(w) && match_joints(m, member(entry, "joints"), &o)) {
    const json *samples = member(entry, "samples");
    for (const json *s = samples ? samples->child : NULL; s; s = s->next) check_sample(m, w, &o, s);
  }
  free(memory);
  ap_model_free(m);
  ap_robot_free(robot);
}

TEST(public_robots_agree_with_their_reference) {
  const char *folder = getenv("APPELL_ROBOTS");
  char path[1024];
  if (!folder || !*folder) {
    test_skip("APPELL_ROBOTS names no folder of robots (docs/setup.md)");
    return;
  }
  snprintf(path, sizeof path, "%s/reference.json", folder);
  char *text = read_file(path);
  if (!text) printf("cannot read %s\n", path);
  if (!CHECK(text)) return;
  reader r = {text, true};
  json *root = read_value(&r);
  if (CHECK(r.good && root->kind == '{'))
    for (const json *e = root->child; e; e = e->next) check_robot(folder, e);
  json_free(root);
  free(text);
}
