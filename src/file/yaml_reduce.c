// SPDX-License-Identifier: Apache-2.0
#include "file/yaml_reduce.h"

#include <stdlib.h>
#include <string.h>

static bool read_lock(ap__yaml *y, const ap__node *key, const ap__node *value, ap_lock *lock) {
  if (key->kind != AP__SCALAR)
    return ap__yaml_fail(y, key->line, "a key of lock is %s (expected the name of a joint)",
                         ap__yaml_kind_of(key));
  const bool list = value->kind == AP__LIST;
  *lock = (ap_lock){.joint = key->text, .n = list ? value->length : 1};
  if (lock->n == 0) return true; // at zero
  if (lock->n > AP_JOINT_NQ)
    return ap__yaml_fail(y, value->line, "lock: %d values (a joint has 1 to %d coordinates)",
                         lock->n, AP_JOINT_NQ);
  return list && lock->n == 1 ? ap__yaml_number(y, "lock", value->first, lock->q)
                              : ap__yaml_numbers(y, "lock", value, lock->n, lock->q);
}

static bool read_locks(ap__yaml *y, const ap__node *n, ap_lock *locks, int *count) {
  for (const ap__node *key = n->first, *value; key; key = value->next) {
    value = key->next;
    for (int k = 0; key->kind == AP__SCALAR && k < *count; k++)
      if (locks[k].joint && strcmp(locks[k].joint, key->text) == 0)
        return ap__yaml_fail(y, key->line, "duplicate \"%s\" in lock (name it once)", key->text);
    if (!read_lock(y, key, value, &locks[(*count)++])) return false;
  }
  return true;
}

// At the line of the key that the message begins with.
static bool refuse(ap__yaml *y, const ap_error *own) {
  char key[8] = "";
  const size_t length = strcspn(own->text, ":");
  if (own->status == AP_E_MEMORY) return ap__yaml_no_memory(y);
  memcpy(key, own->text, length < sizeof key ? length : 0);
  const char *shown = *key ? "" : "lock: ";
  return ap__yaml_fail(y, ap__line_of(y->root, *key ? key : "lock"), "%s%s", shown, own->text);
}

bool ap__yaml_reduce(ap__yaml *y, const ap__yaml_reduction *from, ap_robot *robot) {
  const ap__node *lock = from->lock;
  ap_reduction_def how = {.root = from->root, .tip = from->tip};
  if (!lock && !how.root && !how.tip) return true;
  if (lock && lock->kind != AP__MAP)
    return ap__yaml_fail(y, lock->line, "lock has %s (expected a map of joint names to values)",
                         ap__yaml_kind_of(lock));
  ap_lock *locks = calloc(lock ? (size_t)lock->length + 1 : 1, sizeof *locks);
  if (!locks) return ap__yaml_no_memory(y);
  ap_error own = {.status = AP_OK};
  bool good = !lock || read_locks(y, lock, locks, &how.nlock);
  how.locks = locks;
  if (good && ap_robot_reduce(robot, &how, &own) != AP_OK) good = refuse(y, &own);
  free(locks);
  return good;
}
