// SPDX-License-Identifier: Apache-2.0
// URDF: one walk over the tree, driven by the rules of urdf_elements.c.

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/names.h"
#include "file/urdf.h"

// ---- faults and warnings -----------------------------------------------------------------------

void ap__urdf_fail(urdf *u, int line, const char *format, ...) {
  if (u->doctor || u->status) return;
  va_list arguments;
  va_start(arguments, format);
  ap__vfail(u->error, AP_E_SYNTAX, line, format, arguments);
  va_end(arguments);
  u->status = AP_E_SYNTAX;
}

void ap__urdf_no_memory(urdf *u) { u->status = ap__no_memory(u->error); }

void *ap__urdf_append(urdf *u, void *array, int *count, int *capacity, size_t size) {
  void *one = ap__append(array, count, capacity, size);
  if (!one) ap__urdf_no_memory(u);
  return one;
}

void ap__urdf_fail_xacro(urdf *u, int line) {
  ap__urdf_fail(u, line, "%s", ap__foreign_format("xacro"));
}

void ap__urdf_odd(urdf *u, urdf_oddity what, int line, const char *name) {
  ap__tally_add(&u->tally[what], line, name);
}

static bool warn_of_oddities(urdf *u) {
  static const char *const text[ODDITIES] = {
#define URDF_ODDITY_TEXT(code, words) words,
      URDF_ODDITIES(URDF_ODDITY_TEXT)
#undef URDF_ODDITY_TEXT
  };
  return ap__tally_warn(u->tally, text, ODDITIES, u->robot);
}

// ---- elements ----------------------------------------------------------------------------------

const urdf_rule *ap__urdf_rule(urdf_place in, const char *element) {
  for (const urdf_rule *r = ap__urdf_rules; r->element; r++)
    if (r->in == in && strcmp(r->element, element) == 0) return r;
  return NULL;
}

// The bit of a rule among those of the same place.
static unsigned rule_bit(const urdf_rule *rule) {
  unsigned bit = 1;
  for (const urdf_rule *r = ap__urdf_rules; r != rule; r++)
    if (r->in == rule->in) bit <<= 1;
  return bit;
}

static void check_attributes(urdf *u, const urdf_rule *rule, const ap__node *e) {
  // Mesh names may keep a $(find ...), shapes and materials any name: nobody computes with them.
  bool named = rule->to == IN_ROBOT || rule->to == IN_LINK || rule->to == IN_JOINT ||
               rule->to == IN_TRANSMISSION || rule->to == IN_ACTUATOR;
  for (const ap__node *a = e->attribute; a; a = a->next) {
    bool xacro = strstr(a->text, "${") || (rule->strict && strstr(a->text, "$("));
    if (xacro && (named || rule->strict)) ap__urdf_fail_xacro(u, e->line);
    if (!rule->strict) continue;
    if (strcmp(a->name, "quat_xyzw") == 0)
      ap__urdf_fail(u, e->line, "<%s quat_xyzw> is not supported (write rpy)", e->name);
    if (ap__has_word(rule->attributes, a->name) || strchr(a->name, ':') ||
        strcmp(a->name, "xmlns") == 0)
      continue;
    ap__urdf_odd(u, ODD_ATTRIBUTE, e->line, a->name);
  }
}

static bool looks_like_a_mistake(const char *element) {
  if (strlen(element) <= 3) return false;
  for (const urdf_rule *r = ap__urdf_rules; r->element; r++)
    if (r->strict && ap__names_near(element, r->element)) return true;
  return false;
}

// An element that no rule knows here. Extensions are skipped; what looks like a mistake, or like
// something with a meaning for dynamics, is counted.
static void unknown_element(urdf *u, urdf_place in, const ap__node *e) {
  const char *element = e->name;
  const char *hint = in == IN_FILE ? ap__foreign_format(element) : NULL;
  if (hint)
    ap__urdf_fail(u, e->line, "%s", hint);
  else if (in == IN_FILE)
    ap__urdf_fail(
        u, e->line,
        "the file starts with <%.*s> (a robot file is one <robot>, URDF, or one <mujoco>, MJCF)",
        ap__shown(element), element);
  // from the time when xacro had no prefix
  if (in == IN_ROBOT && ap__has_word("include macro", element)) ap__urdf_fail_xacro(u, e->line);
  bool strict = in == IN_JOINT || in == IN_CONSTRAINT || in == IN_INERTIAL ||
                in == IN_TRANSMISSION || in == IN_ACTUATOR;
  if (in != IN_ROBOT && in != IN_LINK && !strict) return;
  bool drake = strncmp(element, "drake:", 6) == 0, prefixed = strchr(element, ':') != NULL;
  if (strstr(element, "spring") || strstr(element, "bushing"))
    ap__urdf_odd(u, ODD_SPRING, e->line, element);
  else if (drake && strstr(element, "constraint"))
    ap__urdf_odd(u, ODD_LOOP, e->line, element);
  else if ((strict && (drake || !prefixed)) || strcmp(element, "drake:joint") == 0 ||
           looks_like_a_mistake(element))
    ap__urdf_odd(u, ODD_ELEMENT, e->line, element);
}

// xacro's own elements: some say that the rest of the robot is elsewhere, others are leftovers.
static void xacro_element(urdf *u, const ap__node *e) {
  static const char *const needed = "include macro if unless insert_block call element attribute";
  if (ap__has_word(needed, strchr(e->name, ':') + 1)) ap__urdf_fail_xacro(u, e->line);
  ap__urdf_odd(u, ODD_XACRO, e->line, e->name);
}

// False: it does not count.
static bool start(urdf *u, const urdf_rule *rule, const ap__node *e, unsigned *seen) {
  unsigned bit = rule_bit(rule);
  if (rule->times != URDF_MANY && (*seen & bit)) {
    if (rule->times == URDF_ONCE)
      ap__urdf_fail(u, e->line, "a second <%s> (there is one at most)", e->name);
    return false;
  }
  *seen |= bit;
  u->drawn = rule->in >= IN_VISUAL && rule->in <= IN_MATERIAL;
  check_attributes(u, rule, e);
  if (rule->start && u->status == AP_OK) rule->start(u, e);
  return true;
}

// seen: which of the elements that may stand once in the parent have come.
static void enter(urdf *u, const ap__node *e, urdf_place in, unsigned *seen) {
  bool xacro = strncmp(e->name, "xacro:", 6) == 0;
  const urdf_rule *rule = xacro ? NULL : ap__urdf_rule(in, e->name);
  urdf_place to = rule ? rule->to : in == IN_EXTENSION ? IN_EXTENSION : IN_LEAF;
  unsigned inside = 0;
  if (xacro) xacro_element(u, e);
  if (!rule && !xacro) unknown_element(u, in, e);
  if (rule && !start(u, rule, e, seen)) return;
  for (const ap__node *c = e->first; c && u->status == AP_OK; c = c->next) enter(u, c, to, &inside);
  bool ended = e->end_line || u->doctor;
  if (u->status == AP_OK && rule && rule->end && ended) rule->end(u, e);
}

void ap__urdf_walk(urdf *u) {
  unsigned seen = 0;
  u->subject = "";
  if (u->tree->root) enter(u, u->tree->root, IN_FILE, &seen);
}

void ap__urdf_free(urdf *u) {
  free(u->links);
  free(u->parts.part);
  free(u->shapes.shape);
  free(u->materials);
  free(u->joints);
  free(u->transmissions);
  free(u->springs);
  free(u->constraints);
  free(u->plugins);
}

ap_status ap__urdf_read(const ap__tree *tree, const ap_read_options *options, ap_robot *robot,
                        ap_error *error) {
  urdf u = {.tree = tree, .robot = robot, .error = error};
  ap__urdf_walk(&u);
  ap_status status = u.status;
  if (!status && tree->error.status) { // what comes before it is good
    status = tree->error.status;
    if (error) *error = tree->error;
  }
  if (!status) status = ap__urdf_finish(&u, options);
  if (!status && !warn_of_oddities(&u)) status = ap__no_memory(error);
  ap__urdf_free(&u);
  return status;
}
