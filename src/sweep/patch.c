// SPDX-License-Identifier: Apache-2.0
#include "sweep/patch.h"

#include <stdio.h>
#include <string.h>

#include "file/names.h"
#include "file/number.h"

// ---- in a text ---------------------------------------------------------------------------------

// Where a line and column, both from 1 and counted in characters, are in a text.
static size_t offset_of(const char *text, int line, int column) {
  const char *at = text;
  for (; line > 1; line--) {
    const char *end = strchr(at, '\n');
    if (!end) return strlen(text);
    at = end + 1;
  }
  for (int k = 1; k < column && *at; k++) {
    at++;
    while (((unsigned char)*at & 0xC0u) == 0x80u) at++;
  }
  return (size_t)(at - text);
}

// How much of a key a name takes: itself and a dot, or all; 0: it does not.
static size_t taken(const char *key, const char *name) {
  const size_t n = strlen(name);
  if (n == 0 || strncmp(key, name, n) != 0) return 0;
  return key[n] == 0 ? n : key[n] == '.' ? n + 1 : 0;
}

static const ap__node *entry_of_map(const ap__node *n, const char *key, size_t *used) {
  const ap__node *found = NULL;
  for (const ap__node *k = n->first; k && k->next; k = k->next->next) {
    const size_t length = k->kind == AP__SCALAR ? taken(key, k->text) : 0;
    if (length > *used) *used = length, found = k->next;
  }
  return found;
}

static const ap__node *entry_of_list(const ap__node *n, const char *key, size_t *used) {
  static const char *const names[] = {"name", "joint", "link"};
  const ap__node *found = NULL;
  int i = 0;
  for (const ap__node *item = n->first; item; item = item->next, i++) {
    char number[16];
    snprintf(number, sizeof number, "%d", i);
    size_t length = taken(key, number);
    for (int k = 0; k < 3 && item->kind == AP__MAP; k++) {
      const ap__node *name = ap__child(item, names[k]);
      const size_t own = name && name->kind == AP__SCALAR ? taken(key, name->text) : 0;
      if (own > length) length = own;
    }
    if (length > *used) *used = length, found = item;
  }
  return found;
}

// What stands where a key ends, and the nearest word.
static bool refuse_entry(const ap__node *n, const char *key, const char *rest, char *why,
                         size_t size) {
  const char *meant = NULL;
  int least = 4;
  char word[64];
  snprintf(word, sizeof word, "%.*s", (int)strcspn(rest, "."), rest);
  for (const ap__node *k = n->kind == AP__MAP ? n->first : NULL; k && k->next; k = k->next->next)
    if (k->kind == AP__SCALAR && ap__name_nearer(word, k->text, &least)) meant = k->text;
  snprintf(why, size, "the file has no number \"%.100s\" (%s%.60s%s)", key,
           meant ? "did you mean \"" : "it must be written there: no \"", meant ? meant : word,
           meant ? "\"?" : "\"");
  return false;
}

bool ap__place_find(const ap__tree *tree, const char *text, const char *key, ap__place *place,
                    char *why, size_t size) {
  const ap__node *n = tree->root;
  const char *rest = key;
  while (*rest) {
    size_t used = 0;
    const ap__node *next = n->kind == AP__MAP    ? entry_of_map(n, rest, &used)
                           : n->kind == AP__LIST ? entry_of_list(n, rest, &used)
                                                 : NULL;
    if (!next) return refuse_entry(n, key, rest, why, size);
    n = next;
    rest += used;
  }
  const char *end = n->text;
  const bool number = n->kind == AP__SCALAR && n->plain &&
                      ap__parse_double(n->text, &end, &place->nominal) == AP__NUMBER && !*end;
  place->offset = offset_of(text, n->line, n->column);
  place->length = number ? (size_t)n->length : 0;
  if (number && strncmp(text + place->offset, n->text, place->length) == 0) return true;
  snprintf(why, size, "\"%.100s\" is not a number in the file, line %d", key, n->line);
  return false;
}

void ap__place_write(const char *text, size_t length, const ap__place *place, const double *value,
                     int n, ap__text *to) {
  size_t at = 0;
  to->length = 0;
  for (int k = 0; k < n; k++) {
    char number[32];
    ap__text_bytes(to, text + at, place[k].offset - at);
    ap__text_bytes(to, number, (size_t)ap_format_shortest(value[k], number));
    at = place[k].offset + place[k].length;
  }
  ap__text_bytes(to, text + at, length - at);
}

// ---- in a robot --------------------------------------------------------------------------------

typedef struct field {
  const char *name;
  size_t offset;
} field;

#define BODY(name, member) \
  { name, offsetof(ap_body_def, member) }
static const field fields[] = {
    BODY("mass", mass),
    BODY("density", mass),
    BODY("com.x", com[0]),
    BODY("com.y", com[1]),
    BODY("com.z", com[2]),
    BODY("inertia.xx", inertia[0]),
    BODY("inertia.xy", inertia[1]),
    BODY("inertia.xz", inertia[2]),
    BODY("inertia.yy", inertia[3]),
    BODY("inertia.yz", inertia[4]),
    BODY("inertia.zz", inertia[5]),
    BODY("viscous", viscous),
    BODY("coulomb", coulomb),
    BODY("stiction", stiction),
    BODY("stiffness", stiffness),
    BODY("rotor_inertia", rotor_inertia),
    BODY("gear_ratio", gear_ratio),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static double *number_of(ap_body_def *body, size_t offset) {
  return (double *)(void *)((char *)body + offset);
}

bool ap__body_find(const ap_robot *robot, const char *key, ap__body_place *place, char *why,
                   size_t size) {
  size_t used = 0;
  const char *meant = NULL;
  int least = 4, body = -1;
  char word[64];
  snprintf(word, sizeof word, "%.*s", (int)strcspn(key, "."), key);
  for (int i = 0; i < robot->nbody; i++) {
    const char *const name[] = {robot->bodies[i].name, robot->bodies[i].joint_name};
    for (int k = 0; k < 2 && name[k]; k++) {
      const size_t length = taken(key, name[k]);
      if (length > used) used = length, body = i;
      if (ap__name_nearer(word, name[k], &least)) meant = name[k];
    }
  }
  if (body < 0) {
    snprintf(why, size, "the robot has no link or joint \"%.60s\"%s%.60s%s", word,
             meant ? " (did you mean \"" : "", meant ? meant : "", meant ? "\"?)" : "");
    return false;
  }
  for (int k = 0; k < FIELDS; k++) {
    if (strcmp(key + used, fields[k].name) != 0) continue;
    *place = (ap__body_place){.body = body, .offset = fields[k].offset, .density = k == 1};
    place->nominal = *number_of(&robot->bodies[body], place->offset);
    return true;
  }
  snprintf(why, size,
           "a body has no \"%.40s\" (mass, density, com.x, inertia.xx, viscous, coulomb, stiction, "
           "stiffness, rotor_inertia, gear_ratio)",
           key + used);
  return false;
}

// Density: the mass gets the value, and the inertia its share.
void ap__body_set(ap_robot *robot, const ap__body_place *place, double value) {
  ap_body_def *body = &robot->bodies[place->body];
  const double factor = place->nominal != 0 ? value / place->nominal : 1;
  *number_of(body, place->offset) = value;
  for (int k = 0; place->density && k < 6; k++) body->inertia[k] *= factor;
}
