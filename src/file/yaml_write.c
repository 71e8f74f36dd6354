// A robot as Appell YAML: every field that differs from its default, bit for bit.

#include <stdint.h>
#include <string.h>

#include "file/text.h"

// ---- text --------------------------------------------------------------------------------------

static bool is_word(const char *s) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789./-";
  return strchr(letters, s[0]) && s[strspn(s, more)] == 0 && strcmp(s, "null") != 0;
}

// The UTF-8 character at *s, which moves on; what is not UTF-8 comes byte by byte.
static uint32_t next_character(const unsigned char **s) {
  const unsigned char *c = *s;
  int more = c[0] >= 0xf0 ? 3 : c[0] >= 0xe0 ? 2 : c[0] >= 0xc0 ? 1 : 0;
  uint32_t x = more == 3 ? c[0] & 7u : more == 2 ? c[0] & 15u : more ? c[0] & 31u : c[0];
  for (int i = 1; i <= more; i++) {
    if ((c[i] & 0xc0) != 0x80) {
      *s = c + 1;
      return c[0];
    }
    x = x << 6 | (c[i] & 63u);
  }
  *s = c + more + 1;
  return x;
}

// Plain where that is safe, otherwise in double quotes.
static void add_name(ap__text *t, const char *name) {
  if (is_word(name)) {
    ap__text_add(t, "%s", name);
    return;
  }
  ap__text_bytes(t, "\"", 1);
  for (const unsigned char *s = (const unsigned char *)name; *s;) {
    const unsigned char *from = s;
    uint32_t c = next_character(&s);
    bool odd = c < 0x20 || (c >= 0x7f && c < 0xa1) || c == 0x2028 || c == 0x2029 || c >= 0xfff0 ||
               c == 0xfeff || (c >= 0xd800 && c < 0xe000);
    if (odd)
      ap__text_add(t, c > 0xffff ? "\\U%08X" : "\\u%04X", (unsigned)c);
    else if (c == '"' || c == '\\')
      ap__text_add(t, "\\%c", (char)c);
    else
      ap__text_bytes(t, (const char *)from, (size_t)(s - from));
  }
  ap__text_bytes(t, "\"", 1);
}

// ---- maps --------------------------------------------------------------------------------------

// A map in braces, opened with its first entry.
typedef struct braces {
  ap__text *t;
  const char *key;
  bool open;
} braces;

static void next_entry(braces *b, const char *key) {
  if (b->open)
    ap__text_add(b->t, ", %s: ", key);
  else
    ap__text_add(b->t, "%s: {%s: ", b->key, key);
  b->open = true;
}

static void close_braces(braces *b) {
  if (b->open) ap__text_add(b->t, "}\n");
}

// Numbers, where they differ from the default in any bit (-0 is not 0 here).
static void add_entry(braces *b, const char *key, const double *x, const double *initial, int n) {
  if (initial && memcmp(x, initial, (size_t)n * sizeof *x) == 0) return;
  next_entry(b, key);
  if (n > 1) ap__text_bytes(b->t, "[", 1);
  ap__text_numbers(b->t, x, n, ", ");
  if (n > 1) ap__text_bytes(b->t, "]", 1);
}

// ---- parts of a body ---------------------------------------------------------------------------

static const char *const type_name[] = {"fixed",     "revolute", "prismatic",
                                        "spherical", "planar",   "free"};

static void add_place(ap__text *t, const ap_placement *p, const ap_placement *initial) {
  static const char *const convention[] = {"modified", "standard", "valera"};
  if (p->kind <= AP_PLACE_MATRIX) {
    braces b = {t, "      place", false};
    add_entry(&b, "xyz", p->xyz, initial->xyz, 3);
    if (p->kind == AP_PLACE_MATRIX)
      add_entry(&b, "matrix", p->matrix, NULL, 9);
    else
      add_entry(&b, "rpy", p->rpy, initial->rpy, 3);
    close_braces(&b);
    return;
  }
  braces b = {t, "      dh", false};
  next_entry(&b, "convention");
  ap__text_add(t, "%s", convention[p->kind - AP_DH_MODIFIED]);
  add_entry(&b, "alpha", &p->alpha, &initial->alpha, 1);
  add_entry(&b, "a", &p->a, &initial->a, 1);
  add_entry(&b, "d", &p->d, &initial->d, 1);
  add_entry(&b, "theta", &p->theta, &initial->theta, 1);
  close_braces(&b);
}

static void add_drive(ap__text *t, const ap_body_def *d, const ap_body_def *initial) {
  braces limits = {t, "      limits", false};
  add_entry(&limits, "lower", &d->lower, &initial->lower, 1);
  add_entry(&limits, "upper", &d->upper, &initial->upper, 1);
  add_entry(&limits, "velocity", &d->velocity_limit, &initial->velocity_limit, 1);
  add_entry(&limits, "effort", &d->effort_limit, &initial->effort_limit, 1);
  close_braces(&limits);
  braces friction = {t, "      friction", false};
  add_entry(&friction, "viscous", &d->viscous, &initial->viscous, 1);
  add_entry(&friction, "coulomb", &d->coulomb, &initial->coulomb, 1);
  close_braces(&friction);
  braces rotor = {t, "      rotor", false};
  add_entry(&rotor, "inertia", &d->rotor_inertia, &initial->rotor_inertia, 1);
  add_entry(&rotor, "gear", &d->gear_ratio, &initial->gear_ratio, 1);
  close_braces(&rotor);
}

static void add_mimic(ap__text *t, const ap_robot *robot, const ap_body_def *d,
                      const ap_body_def *initial) {
  if (!d->mimic) return;
  braces b = {t, "      mimic", false};
  next_entry(&b, "joint");
  add_name(t, ap__joint_name(&robot->bodies[d->mimic - 1]));
  add_entry(&b, "ratio", &d->mimic_ratio, &initial->mimic_ratio, 1);
  add_entry(&b, "offset", &d->mimic_offset, &initial->mimic_offset, 1);
  close_braces(&b);
}

static void add_joint(ap__text *t, const ap_robot *robot, const ap_body_def *d,
                      const ap_body_def *initial) {
  ap__text_add(t, "    joint:\n");
  if (d->joint_name) {
    ap__text_add(t, "      name: ");
    add_name(t, d->joint_name);
    ap__text_add(t, "\n");
  }
  ap__text_add(t, "      type: %s\n", type_name[d->joint]);
  add_place(t, &d->place, &initial->place);
  bool axis = d->joint == AP_REVOLUTE || d->joint == AP_PRISMATIC || d->joint == AP_PLANAR;
  if (axis && d->place.kind <= AP_PLACE_MATRIX) {
    ap__text_add(t, "      axis: [");
    ap__text_numbers(t, d->axis, 3, ", ");
    ap__text_add(t, "]\n");
  }
  add_drive(t, d, initial);
  add_mimic(t, robot, d, initial);
}

static void add_body(ap__text *t, const ap_robot *robot, int i, bool ground_taken) {
  const ap_body_def *d = &robot->bodies[i - 1], initial = ap_default_body();
  ap__text_add(t, "  - name: ");
  add_name(t, d->name);
  if (d->parent || !ground_taken) {
    ap__text_add(t, "\n    parent: ");
    add_name(t, d->parent ? robot->bodies[d->parent - 1].name : "ground");
  }
  ap__text_add(t, "\n");
  add_joint(t, robot, d, &initial);
  braces b = {t, "    inertia", false};
  add_entry(&b, "mass", &d->mass, &initial.mass, 1);
  add_entry(&b, "com", d->com, initial.com, 3);
  add_entry(&b, "tensor", d->inertia, initial.inertia, 6);
  add_entry(&b, "rpy", d->inertia_rpy, initial.inertia_rpy, 3);
  close_braces(&b);
  for (int k = 0; ap_robot_mesh(robot, i, k); k++) {
    ap__text_add(t, k == 0 ? "    meshes:\n      - " : "      - ");
    add_name(t, ap_robot_mesh(robot, i, k));
    ap__text_add(t, "\n");
  }
}

static void add_frame(ap__text *t, const ap_robot *robot, const ap_frame_def *frame) {
  static const double zero[3] = {0, 0, 0};
  ap__text_add(t, "  - ");
  braces b = {t, "", true}; // opened here: it has no key
  ap__text_add(t, "{name: ");
  add_name(t, frame->name);
  next_entry(&b, "body");
  add_name(t, frame->body ? robot->bodies[frame->body - 1].name : "ground");
  add_entry(&b, "xyz", frame->xyz, zero, 3);
  add_entry(&b, "rpy", frame->rpy, zero, 3);
  close_braces(&b);
}

// ---- the whole ---------------------------------------------------------------------------------

ap_status ap__yaml_write(const ap_robot *robot, ap__text *text, ap_error *error) {
  if (robot->nbody == 0)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "YAML cannot say a robot without bodies");
  bool ground_taken = false;
  for (int i = 0; i < robot->nbody; i++)
    ground_taken = ground_taken || strcmp(robot->bodies[i].name, "ground") == 0;
  for (int i = 0; i < robot->nframe; i++)
    if (ground_taken && robot->frames[i].body == 0)
      return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                        "YAML cannot hang frame \"%.*s\" on the ground while a body is named "
                        "\"ground\" (rename the body)",
                        ap__shown(robot->frames[i].name), robot->frames[i].name);
  ap__text_add(text, "appell: 1\nname: ");
  add_name(text, robot->def.name);
  ap__text_add(text, "\ngravity: [");
  ap__text_numbers(text, robot->def.gravity, 3, ", ");
  ap__text_add(text, "]\nbodies:\n");
  for (int i = 1; i <= robot->nbody; i++) add_body(text, robot, i, ground_taken);
  if (robot->nframe) ap__text_add(text, "frames:\n");
  for (int i = 0; i < robot->nframe; i++) add_frame(text, robot, &robot->frames[i]);
  ap__text_add(text, "...\n");
  return AP_OK;
}
