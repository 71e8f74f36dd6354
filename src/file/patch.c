// SPDX-License-Identifier: Apache-2.0
// A copy of a URDF or MJCF file with other numbers of bodies and joints. Attributes are changed
// where they stand, elements added where they are missing, and every other byte stays. The copy is
// read again: what the numbers are there must be what was wanted.

#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/tree.h"
#include "file/xml_write.h"
#include "file/xyz_rpy.h"

// ---- elements of the file ----------------------------------------------------------------------

typedef struct element {
  const char *name, *id; // id: its attribute "name"; NULL: none
  int parent;            // -1: the root
  size_t from, inside;   // its start tag begins, and has ended
  size_t close, to;      // its end tag begins, and has ended; close = to: it has none, as <x/>
} element;

typedef struct edit {
  size_t from, to;
  char *text;
} edit;

typedef struct patch {
  XML_Parser xml;
  const char *text;
  size_t length;
  element *element;
  int n, capacity, open;
  edit *edits;
  int nedit, edit_capacity;
  ap__pool pool;
  bool no_memory;
} patch;

static size_t place_now(const patch *p) { return (size_t)XML_GetCurrentByteIndex(p->xml); }

static const char *keep(patch *p, const char *text) {
  const char *kept = ap__pool_text(&p->pool, text, strlen(text));
  p->no_memory = p->no_memory || !kept;
  return kept ? kept : "";
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes) {
  patch *p = user;
  element *e = ap__append(&p->element, &p->n, &p->capacity, sizeof *e);
  p->no_memory = p->no_memory || !e;
  if (!e) return;
  *e = (element){.name = keep(p, name), .parent = p->open, .from = place_now(p)};
  e->inside = e->from + (size_t)XML_GetCurrentByteCount(p->xml);
  for (int i = 0; attributes[i]; i += 2)
    if (strcmp(attributes[i], "name") == 0) e->id = keep(p, attributes[i + 1]);
  p->open = p->n - 1;
}

static void XMLCALL on_end(void *user, const XML_Char *name) {
  patch *p = user;
  (void)name;
  if (p->no_memory || p->open < 0) return;
  element *e = &p->element[p->open];
  const bool empty = p->text[e->inside - 2] == '/';
  e->close = empty ? e->inside : place_now(p);
  e->to = empty ? e->inside : e->close + (size_t)XML_GetCurrentByteCount(p->xml);
  p->open = e->parent;
}

static ap_status find_elements(patch *p, ap_error *error) {
  p->open = -1;
  p->xml = XML_ParserCreate(NULL);
  if (!p->xml) return ap__no_memory(error);
  XML_SetUserData(p->xml, p);
  XML_SetElementHandler(p->xml, on_start, on_end);
  const enum XML_Status done = XML_Parse(p->xml, p->text, (int)p->length, 1);
  XML_ParserFree(p->xml);
  if (p->no_memory) return ap__no_memory(error);
  return done == XML_STATUS_OK && p->n > 0
             ? AP_OK
             : AP__REFUSE(error, AP_E_SYNTAX, 0, "this is no longer the file that was read");
}

// The first child of an element by its name; -1: none.
static int child(const patch *p, int parent, const char *name) {
  for (int i = parent + 1; i < p->n && p->element[i].from < p->element[parent].to; i++)
    if (p->element[i].parent == parent && strcmp(p->element[i].name, name) == 0) return i;
  return -1;
}

// The element of a name and an id, below any parent or the root alone; -1: none.
static int find(const patch *p, const char *name, const char *id, bool below_root) {
  for (int i = 1; i < p->n; i++) {
    const element *e = &p->element[i];
    if (strcmp(e->name, name) == 0 && e->id && strcmp(e->id, id) == 0 &&
        (!below_root || e->parent == 0))
      return i;
  }
  return -1;
}

// ---- edits -------------------------------------------------------------------------------------

static void add_edit(patch *p, size_t from, size_t to, ap__text *text) {
  edit *e = ap__append(&p->edits, &p->nedit, &p->edit_capacity, sizeof *e);
  p->no_memory = p->no_memory || !e || text->failed;
  if (e)
    *e = (edit){from, to, text->text};
  else
    ap__text_free(text);
}

// A tag on its way to other attributes.
typedef struct tag {
  patch *p;
  int element;
  char *text; // closed by a zero; NULL: no memory
} tag;

static tag open_tag(patch *p, int at) {
  const size_t from = p->element[at].from, n = p->element[at].inside - from;
  tag t = {p, at, malloc(n + 1)};
  if (t.text) memcpy(t.text, p->text + from, n), t.text[n] = 0;
  p->no_memory = p->no_memory || !t.text;
  return t;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Where an attribute stands in a tag: the blanks before it, its value, and its end.
typedef struct attribute {
  size_t from, value, to;
} attribute;

static bool find_attribute(const char *text, const char *name, attribute *found) {
  const char *at = text;
  while (*at && !is_blank(*at) && *at != '>' && *at != '/') at++;
  while (is_blank(*at)) {
    const char *blank = at;
    while (is_blank(*at)) at++;
    const char *word = at;
    while (*at && *at != '=' && !is_blank(*at) && *at != '>' && *at != '/') at++;
    const size_t n = (size_t)(at - word);
    while (is_blank(*at) || *at == '=') at++;
    const char *value = at + 1, *end = *at == '"' || *at == '\'' ? strchr(value, *at) : NULL;
    if (!end) return false;
    at = end + 1;
    *found = (attribute){(size_t)(blank - text), (size_t)(value - text), (size_t)(at - text)};
    if (n == strlen(name) && strncmp(word, name, n) == 0) return true;
  }
  return false;
}

// Replace the value of an attribute or add it behind the others; x NULL: take it away.
static void set_numbers(tag *t, const char *name, const double *x, int n) {
  attribute at;
  if (!t->text) return;
  const bool there = find_attribute(t->text, name, &at);
  if (!there && !x) return;
  if (!there) {
    at.to = strlen(t->text) - 1;
    if (t->text[at.to - 1] == '/') at.to--;
    while (is_blank(t->text[at.to - 1])) at.to--;
    at.from = at.to;
  }
  ap__text text = {0};
  ap__text_bytes(&text, t->text, there && x ? at.value : at.from);
  if (there && x) {
    ap__text_numbers(&text, x, n, " ");
    ap__text_bytes(&text, t->text + at.to - 1, 1); // its quote
  } else if (x) {
    ap__xml_numbers(&text, name, x, n);
  }
  ap__text_bytes(&text, t->text + at.to, strlen(t->text + at.to));
  t->p->no_memory = t->p->no_memory || text.failed;
  free(t->text);
  t->text = text.text;
}

static void close_tag(tag *t) {
  ap__text text = {.text = t->text};
  const element *e = &t->p->element[t->element];
  if (t->text) add_edit(t->p, e->from, e->inside, &text);
}

// The line break and blanks before an element; "" where other text is before it.
static void add_indent(const patch *p, size_t at, ap__text *to) {
  size_t from = at;
  while (from > 0 && (p->text[from - 1] == ' ' || p->text[from - 1] == '\t')) from--;
  if (from == 0 || p->text[from - 1] != '\n') return;
  ap__text_bytes(to, "\n", 1);
  ap__text_bytes(to, p->text + from, at - from);
}

// Put new elements at the beginning of one, which opens if it is empty.
static void add_inside(patch *p, int parent, const char *content) {
  const element *e = &p->element[parent];
  const bool empty = e->close == e->to;
  ap__text text = {0};
  if (empty) ap__text_bytes(&text, ">", 1);
  add_indent(p, e->from, &text);
  ap__text_add(&text, "  %s", content);
  if (empty) add_indent(p, e->from, &text);
  if (empty) ap__text_add(&text, "</%s>", e->name);
  add_edit(p, empty ? e->inside - 2 : e->inside, e->inside, &text);
}

// ---- URDF --------------------------------------------------------------------------------------

// Numbers of a child that is there, or of a new one.
typedef struct values {
  const char *name;
  const double *x;
  int n;
} values;

static void set_child(patch *p, int parent, const char *name, const values *v, int n) {
  const int at = child(p, parent, name);
  if (at >= 0) {
    tag t = open_tag(p, at);
    for (int k = 0; k < n; k++) set_numbers(&t, v[k].name, v[k].x, v[k].n);
    close_tag(&t);
    return;
  }
  ap__text text = {0};
  ap__text_add(&text, "<%s", name);
  for (int k = 0; k < n; k++) ap__xml_numbers(&text, v[k].name, v[k].x, v[k].n);
  ap__text_add(&text, "/>");
  p->no_memory = p->no_memory || text.failed;
  if (text.text) add_inside(p, parent, text.text);
  ap__text_free(&text);
}

static const char *const moment_name[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};

static void add_urdf_inertial(patch *p, int link, const ap_body_def *d) {
  ap__text text = {0};
  ap__text_add(&text, "<inertial><origin");
  ap__xml_numbers(&text, "xyz", d->com, 3);
  ap__xml_numbers(&text, "rpy", d->inertia_rpy, 3);
  ap__text_add(&text, "/><mass");
  ap__xml_numbers(&text, "value", &d->mass, 1);
  ap__text_add(&text, "/><inertia");
  for (int k = 0; k < 6; k++) ap__xml_numbers(&text, moment_name[k], &d->inertia[k], 1);
  ap__text_add(&text, "/></inertial>");
  p->no_memory = p->no_memory || text.failed;
  if (text.text) add_inside(p, link, text.text);
  ap__text_free(&text);
}

static bool patch_urdf_body(patch *p, const ap_body_def *d) {
  const int link = find(p, "link", d->name, true);
  if (link < 0) return false;
  const int inertial = child(p, link, "inertial");
  if (inertial < 0) {
    add_urdf_inertial(p, link, d);
    return true;
  }
  values moments[6];
  for (int k = 0; k < 6; k++) moments[k] = (values){moment_name[k], &d->inertia[k], 1};
  set_child(p, inertial, "inertia", moments, 6);
  set_child(p, inertial, "mass", &(values){"value", &d->mass, 1}, 1);
  set_child(p, inertial, "origin", (const values[]){{"xyz", d->com, 3}, {"rpy", d->inertia_rpy, 3}},
            2);
  return true;
}

// The motor of a joint's transmission; a transmission of its own where it has none.
static void patch_rotor(patch *p, const ap_body_def *d) {
  const char *name = ap__joint_name(d);
  ap__text text = {0};
  for (int i = 1; i < p->n; i++) {
    if (strcmp(p->element[i].name, "transmission") != 0) continue;
    const int joint = child(p, i, "joint"), actuator = child(p, i, "actuator");
    const int motor = actuator >= 0 ? child(p, actuator, "motorInertia") : -1;
    if (joint < 0 || !p->element[joint].id || strcmp(p->element[joint].id, name) != 0) continue;
    if (motor < 0 || p->element[motor].close == p->element[motor].to) continue;
    ap__text_numbers(&text, &d->rotor_inertia, 1, "");
    add_edit(p, p->element[motor].inside, p->element[motor].close, &text);
    return;
  }
  ap__urdf_transmission(&text, d);
  add_edit(p, p->element[0].close, p->element[0].close, &text);
}

static bool patch_urdf_joint(patch *p, const ap_body_def *old, const ap_body_def *d) {
  const int joint = find(p, "joint", ap__joint_name(d), true);
  if (joint < 0) return false;
  if (old->viscous != d->viscous || old->coulomb != d->coulomb)
    set_child(p, joint, "dynamics",
              (const values[]){{"damping", &d->viscous, 1}, {"friction", &d->coulomb, 1}}, 2);
  if (old->rotor_inertia != d->rotor_inertia) patch_rotor(p, d);
  return true;
}

// ---- MJCF --------------------------------------------------------------------------------------

static void set_inertial(tag *t, const ap__inertia *i) {
  static const char *const others[] = {"fullinertia", "euler", "axisangle", "xyaxes", "zaxis"};
  const double c[3] = {cos(i->rpy[0] / 2), cos(i->rpy[1] / 2), cos(i->rpy[2] / 2)};
  const double s[3] = {sin(i->rpy[0] / 2), sin(i->rpy[1] / 2), sin(i->rpy[2] / 2)};
  const double quaternion[4] = {
      c[2] * c[1] * c[0] + s[2] * s[1] * s[0], c[2] * c[1] * s[0] - s[2] * s[1] * c[0],
      c[2] * s[1] * c[0] + s[2] * c[1] * s[0], s[2] * c[1] * c[0] - c[2] * s[1] * s[0]};
  for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) set_numbers(t, others[k], NULL, 0);
  set_numbers(t, "pos", i->com, 3);
  set_numbers(t, "quat", ap__all_zero(i->rpy, 3) ? NULL : quaternion, 4);
  set_numbers(t, "mass", &i->mass, 1);
  set_numbers(t, "diaginertia", i->moment, 3);
}

static bool patch_mjcf_body(patch *p, const ap_body_def *d) {
  const int body = find(p, "body", d->name, false);
  if (body < 0) return false;
  const ap__inertia inertia = ap__inertia_of(d);
  const int at = child(p, body, "inertial");
  if (at >= 0) {
    tag t = open_tag(p, at);
    set_inertial(&t, &inertia);
    close_tag(&t);
    return true;
  }
  tag t = {p, body, NULL};
  ap__text text = {0};
  ap__text_add(&text, "<inertial/>");
  t.text = text.text;
  set_inertial(&t, &inertia);
  p->no_memory = p->no_memory || !t.text;
  if (t.text) add_inside(p, body, t.text);
  free(t.text);
  return true;
}

// A joint without a name is called after its body.
static bool patch_mjcf_joint(patch *p, const ap_body_def *old, const ap_body_def *d) {
  const char *name = ap__joint_name(d);
  int joint = find(p, "joint", name, false);
  const int body = joint < 0 ? find(p, "body", name, false) : -1;
  if (body >= 0) joint = child(p, body, "joint");
  if (joint < 0 || (body >= 0 && p->element[joint].id)) return false;
  const double armature = d->gear_ratio * d->gear_ratio * d->rotor_inertia;
  tag t = open_tag(p, joint);
  if (old->rotor_inertia != d->rotor_inertia) set_numbers(&t, "armature", &armature, 1);
  if (old->viscous != d->viscous) set_numbers(&t, "damping", &d->viscous, 1);
  if (old->coulomb != d->coulomb) set_numbers(&t, "frictionloss", &d->coulomb, 1);
  if (old->stiffness != d->stiffness) set_numbers(&t, "stiffness", &d->stiffness, 1);
  close_tag(&t);
  return true;
}

// ---- the whole ---------------------------------------------------------------------------------

static bool same_inertia(const ap_body_def *a, const ap_body_def *b) {
  bool same = a->mass == b->mass;
  for (int k = 0; k < 3; k++)
    same = same && a->com[k] == b->com[k] && a->inertia_rpy[k] == b->inertia_rpy[k];
  for (int k = 0; k < 6; k++) same = same && a->inertia[k] == b->inertia[k];
  return same;
}

static bool same_drive(const ap_body_def *a, const ap_body_def *b) {
  return a->viscous == b->viscous && a->coulomb == b->coulomb &&
         a->rotor_inertia == b->rotor_inertia && a->stiffness == b->stiffness;
}

static ap_status elsewhere(const ap_body_def *d, ap_error *error) {
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                    "the numbers of body \"%.*s\" cannot be changed in the file (they are not, or "
                    "not only, in its own elements)",
                    ap__shown(d->name), d->name);
}

static ap_status make_edits(patch *p, const ap_robot *robot, const ap_body_def *bodies,
                            ap_error *error) {
  const bool mjcf = strcmp(p->element[0].name, "mujoco") == 0;
  for (int i = 0; i < robot->nbody; i++) {
    const ap_body_def *old = &robot->bodies[i], *d = &bodies[i];
    bool good = same_inertia(old, d) || (mjcf ? patch_mjcf_body(p, d) : patch_urdf_body(p, d));
    good = good && (same_drive(old, d) ||
                    (mjcf ? patch_mjcf_joint(p, old, d) : patch_urdf_joint(p, old, d)));
    if (!good) return elsewhere(d, error);
  }
  return p->no_memory ? ap__no_memory(error) : AP_OK;
}

static int by_place(const void *a, const void *b) {
  const edit *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

static void compose(patch *p, ap__text *out) {
  size_t at = 0;
  qsort(p->edits, (size_t)p->nedit, sizeof *p->edits, by_place);
  for (int k = 0; k < p->nedit; k++) {
    const edit *e = &p->edits[k];
    ap__text_bytes(out, p->text + at, e->from - at);
    if (e->text) ap__text_bytes(out, e->text, strlen(e->text));
    at = e->to;
  }
  ap__text_bytes(out, p->text + at, p->length - at);
}

static bool near(double a, double b, double scale) { return fabs(a - b) <= 1e-9 * scale; }

// The same numbers but for rounding; tensors in the axes of the link.
static bool is_wanted(const ap_body_def *got, const ap_body_def *want) {
  double a[6], b[6], size = 0;
  ap__tensor_of(got, a);
  ap__tensor_of(want, b);
  for (int k = 0; k < 6; k++) size = fmax(size, fabs(b[k]));
  bool same = near(got->mass, want->mass, want->mass) &&
              near(got->viscous, want->viscous, want->viscous) &&
              near(got->coulomb, want->coulomb, want->coulomb) &&
              near(got->stiffness, want->stiffness, want->stiffness);
  const double reflected = want->gear_ratio * want->gear_ratio * want->rotor_inertia;
  same = same && near(got->gear_ratio * got->gear_ratio * got->rotor_inertia, reflected, reflected);
  for (int k = 0; k < 6; k++) same = same && near(a[k], b[k], size);
  for (int k = 0; k < 3 && want->mass > 0; k++) same = same && near(got->com[k], want->com[k], 1);
  return same;
}

static ap_status check(const ap__text *text, const ap_robot *robot, const ap_body_def *bodies,
                       ap_error *error) {
  const ap_read_options options = {.ignore_loops = true};
  ap_robot *again = NULL;
  ap_status status = ap__robot_parse(text->text, text->length, ap__format_of_path(robot->path),
                                     robot->path, &options, &again, error);
  if (status) return status;
  for (int i = 0; i < robot->nbody && !status; i++) {
    int k = 0;
    while (k < again->nbody && strcmp(again->bodies[k].name, bodies[i].name) != 0) k++;
    if (k == again->nbody || !is_wanted(&again->bodies[k], &bodies[i]))
      status = elsewhere(&bodies[i], error);
  }
  ap_robot_free(again);
  return status;
}

ap_status ap_robot_patch(const ap_robot *robot, const ap_body_def *bodies, const char *path,
                         ap_error *error) {
  char *text = NULL;
  size_t length = 0;
  ap__text out = {0};
  const char *format = robot->path ? ap__format_of_path(robot->path) : NULL;
  if (!format || strcmp(format, "yaml") == 0)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "only robots that were read from a URDF or MJCF file can be changed in it");
  ap_status status = ap__read_file(robot->path, &text, &length, error);
  patch p = {.text = text, .length = length};
  if (!status) status = ap__xml_check_encoding(text, length, error);
  if (!status) status = find_elements(&p, error);
  if (!status) status = make_edits(&p, robot, bodies, error);
  if (!status) compose(&p, &out);
  if (!status && out.failed) status = ap__no_memory(error);
  if (!status) status = check(&out, robot, bodies, error);
  if (!status) status = ap__write_file(path, out.text, out.length, error);
  ap__text_free(&out);
  for (int k = 0; k < p.nedit; k++) free(p.edits[k].text);
  free(p.edits);
  free(p.element);
  ap__pool_free(&p.pool);
  free(text);
  return status;
}
