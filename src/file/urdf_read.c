// URDF through expat: one pass over the file, driven by the rules of urdf_elements.c.

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/names.h"
#include "file/urdf.h"

// ---- errors and warnings -----------------------------------------------------------------------

int ap__urdf_line(const urdf *u) {
  XML_Size line = XML_GetCurrentLineNumber(u->xml);
  return line < INT_MAX ? (int)line : INT_MAX;
}

static bool stop(urdf *u, ap_status status) {
  u->status = status;
  XML_StopParser(u->xml, XML_FALSE);
  return false;
}

bool ap__urdf_fail(urdf *u, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ap__vfail(u->error, AP_E_SYNTAX, ap__urdf_line(u), format, arguments);
  va_end(arguments);
  return stop(u, AP_E_SYNTAX);
}

bool ap__urdf_fail_at(urdf *u, int line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ap__vfail(u->error, AP_E_SYNTAX, line, format, arguments);
  va_end(arguments);
  return stop(u, AP_E_SYNTAX);
}

bool ap__urdf_no_memory(urdf *u) { return stop(u, ap__no_memory(u->error)); }

bool ap__urdf_fail_xacro(urdf *u) {
  return ap__urdf_fail(u, "this is a xacro file (run `xacro FILE > robot.urdf` first)");
}

// Does a list of names, with ", " between, have this one of n bytes?
static bool has_name(const char *list, const char *name, size_t n) {
  for (const char *at = list; at; at = strstr(at, ", ") ? strstr(at, ", ") + 2 : NULL)
    if (strncmp(at, name, n) == 0 && (at[n] == 0 || strncmp(at + n, ", ", 2) == 0)) return true;
  return false;
}

void ap__urdf_odd(urdf *u, urdf_oddity what, int line, const char *name) {
  urdf_tally *tally = &u->tally[what];
  if (tally->count++ == 0) tally->line = line;
  size_t used = strlen(tally->names), n = (size_t)ap__shown(name);
  if (used + n + 3 > sizeof tally->names || has_name(tally->names, name, n)) return;
  if (used) memcpy(tally->names + used, ", ", 2), used += 2;
  memcpy(tally->names + used, name, n);
  tally->names[used + n] = 0;
}

// The warnings in the order of their lines.
static bool warn_of_oddities(urdf *u) {
  static const char *const text[ODDITIES] = {
#define URDF_ODDITY_TEXT(code, words) words,
      URDF_ODDITIES(URDF_ODDITY_TEXT)
#undef URDF_ODDITY_TEXT
  };
  for (;;) {
    int first = -1;
    for (int i = 0; i < ODDITIES; i++)
      if (u->tally[i].count && (first < 0 || u->tally[i].line < u->tally[first].line)) first = i;
    if (first < 0) return true;
    urdf_tally *t = &u->tally[first];
    char all[32] = "";
    if (t->count > 1) snprintf(all, sizeof all, " (%d in all)", t->count);
    bool done = ap__robot_warn(u->robot, t->line, "%s: %s%s", text[first], t->names, all);
    if (!done) return false;
    t->count = 0;
  }
}

// ---- elements ----------------------------------------------------------------------------------

const char *ap__urdf_attribute(const char **attributes, const char *name) {
  for (; attributes[0]; attributes += 2)
    if (strcmp(attributes[0], name) == 0) return attributes[1];
  return NULL;
}

static const urdf_rule *find_rule(urdf_place in, const char *element) {
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

static bool check_attributes(urdf *u, const urdf_rule *rule, const char **attributes) {
  for (const char **a = attributes; a[0]; a += 2) {
    // Mesh names may keep a $(find ...), shapes and materials any name: nobody computes with them.
    bool drawn = rule->to == IN_SHAPE || rule->to == IN_MATERIAL;
    bool matters = rule->start && rule->to != IN_LEAF && rule->to != IN_EXTENSION && !drawn;
    if (matters && strstr(a[1], "${")) return ap__urdf_fail_xacro(u);
    if (!rule->attributes) continue;
    if (strstr(a[1], "${") || strstr(a[1], "$(")) return ap__urdf_fail_xacro(u);
    if (ap__has_word(rule->attributes, a[0]) || strchr(a[0], ':') || strcmp(a[0], "xmlns") == 0)
      continue;
    if (strcmp(a[0], "quat_xyzw") == 0)
      return ap__urdf_fail(u, "<%s quat_xyzw> is not supported (write rpy)", rule->element);
    ap__urdf_odd(u, ODD_ATTRIBUTE, ap__urdf_line(u), a[0]);
  }
  return true;
}

static bool looks_like_a_mistake(const char *element) {
  if (strlen(element) <= 3) return false;
  for (const urdf_rule *r = ap__urdf_rules; r->element; r++)
    if (r->attributes && ap__names_near(element, r->element)) return true;
  return false;
}

// An element that no rule knows here. Extensions are skipped; what looks like a mistake, or like
// something with a meaning for dynamics, is counted.
static bool unknown_element(urdf *u, urdf_place in, const char *element) {
  if (in == IN_FILE)
    return ap__urdf_fail(u, "the file starts with <%.*s> (a URDF file is one <robot> element)",
                         ap__shown(element), element);
  bool strict = in == IN_JOINT || in == IN_INERTIAL || in == IN_TRANSMISSION || in == IN_ACTUATOR;
  if (in != IN_ROBOT && in != IN_LINK && !strict) return true;
  bool drake = strncmp(element, "drake:", 6) == 0, prefixed = strchr(element, ':') != NULL;
  if (strstr(element, "spring") || strstr(element, "bushing"))
    ap__urdf_odd(u, ODD_SPRING, ap__urdf_line(u), element);
  else if (drake && strstr(element, "constraint"))
    ap__urdf_odd(u, ODD_LOOP, ap__urdf_line(u), element);
  else if ((strict && (drake || !prefixed)) || strcmp(element, "drake:joint") == 0 ||
           looks_like_a_mistake(element))
    ap__urdf_odd(u, ODD_ELEMENT, ap__urdf_line(u), element);
  return true;
}

// xacro's own elements: some say that the rest of the robot is elsewhere, others are leftovers.
static bool xacro_element(urdf *u, const char *element) {
  static const char *const needed = "include macro if unless insert_block call element attribute";
  const char *word = strchr(element, ':') + 1;
  if (ap__has_word(needed, word)) return ap__urdf_fail_xacro(u);
  ap__urdf_odd(u, ODD_XACRO, ap__urdf_line(u), element);
  return true;
}

static bool enter(urdf *u, const char *element, const char **attributes) {
  urdf_level *above = &u->level[u->depth];
  if (u->depth == AP__MAX_DEPTH)
    return ap__urdf_fail(u, "elements are nested more than %d deep", AP__MAX_DEPTH);
  urdf_level *level = &u->level[++u->depth];
  bool xacro = strncmp(element, "xacro:", 6) == 0;
  const urdf_rule *rule = xacro ? NULL : find_rule(above->place, element);
  bool extension = above->place == IN_EXTENSION;
  *level = (urdf_level){rule ? rule->to : extension ? IN_EXTENSION : IN_LEAF, 0, rule};
  if (xacro) return xacro_element(u, element);
  if (!rule) return unknown_element(u, above->place, element);
  unsigned bit = rule_bit(rule);
  if (rule->once && (above->seen & bit))
    return ap__urdf_fail(u, "a second <%s> (there is one at most)", element);
  above->seen |= bit;
  return check_attributes(u, rule, attributes) && (!rule->start || rule->start(u, attributes));
}

// ---- expat -------------------------------------------------------------------------------------

static void XMLCALL on_start(void *user, const XML_Char *element, const XML_Char **attributes) {
  urdf *u = user;
  if (u->status == AP_OK) enter(u, element, attributes);
}

static void XMLCALL on_end(void *user, const XML_Char *element) {
  urdf *u = user;
  (void)element;
  if (u->status != AP_OK) return;
  const urdf_rule *rule = u->level[u->depth].rule;
  if (rule && rule->end) {
    u->text[u->text_length] = 0;
    rule->end(u);
  }
  u->collect = false;
  u->depth--;
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length) {
  urdf *u = user;
  if (u->status != AP_OK || !u->collect) return;
  if (length >= (int)sizeof u->text - u->text_length) {
    ap__urdf_fail(u, "the text of this element is too long (a number or a name)");
    return;
  }
  memcpy(u->text + u->text_length, text, (size_t)length);
  u->text_length += length;
}

// A declared entity can expand without end, or stand for a number that nobody sees.
static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int internal) {
  urdf *u = user;
  (void)name;
  if (u->status == AP_OK && (system || public || internal))
    ap__urdf_fail(u,
                  "<!DOCTYPE> with declarations or an external part is refused (a URDF file "
                  "needs none)");
}

static ap_status refuse_xml(urdf *u, const char *text, size_t length) {
  enum XML_Error code = XML_GetErrorCode(u->xml);
  if (code == XML_ERROR_NO_MEMORY) return ap__no_memory(u->error);
  size_t i = 0;
  while (i < length && isspace((unsigned char)text[i])) i++;
  if (i == length)
    return AP__REFUSE(u->error, AP_E_SYNTAX, 1,
                      "the file is empty (a URDF file is one <robot> element)");
  const urdf_rule *rule = u->depth > 0 ? u->level[u->depth].rule : NULL;
  bool early = code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN ||
               code == XML_ERROR_PARTIAL_CHAR || code == XML_ERROR_UNCLOSED_CDATA_SECTION;
  return AP__REFUSE(u->error, AP_E_SYNTAX, ap__urdf_line(u), "%s: %s%s%s%s",
                    early ? "the file ends too early" : "not XML", XML_ErrorString(code),
                    rule ? " inside <" : "", rule ? rule->element : "", rule ? ">" : "");
}

static ap_status parse(urdf *u, const char *text, size_t length) {
  XML_SetUserData(u->xml, u);
  XML_SetElementHandler(u->xml, on_start, on_end);
  XML_SetCharacterDataHandler(u->xml, on_text);
  XML_SetStartDoctypeDeclHandler(u->xml, on_doctype);
  // The whole text in one call: expat would scan a long token again with every piece.
  enum XML_Status done = XML_Parse(u->xml, text, (int)length, 1);
  if (u->status != AP_OK) return u->status;
  return done == XML_STATUS_OK ? AP_OK : refuse_xml(u, text, length);
}

static void urdf_free(urdf *u) {
  if (u->xml) XML_ParserFree(u->xml);
  free(u->links.part);
  free(u->shapes.shape);
  free(u->materials);
  free(u->joints);
  free(u->transmissions);
  free(u->plugins);
  free(u);
}

ap_status ap__urdf_read(const char *text, size_t length, const ap_read_options *options,
                        ap_robot *robot, ap_error *error) {
  urdf *u = calloc(1, sizeof *u);
  if (!u) return ap__no_memory(error);
  u->robot = robot;
  u->error = error;
  u->xml = XML_ParserCreate(NULL);
  ap_status status = u->xml ? parse(u, text, length) : ap__no_memory(error);
  if (!status) status = ap__urdf_finish(u, options);
  if (!status && !warn_of_oddities(u)) status = ap__no_memory(error);
  urdf_free(u);
  return status;
}
