// SPDX-License-Identifier: Apache-2.0
// From a model to a loaded object, whatever the arithmetic.

#ifndef AP_CODEGEN_COMPILE_H
#define AP_CODEGEN_COMPILE_H

#include <appell/codegen.h>

/// The prefix of the functions in every object.
#define AP_OBJECT_NAME "robot"

typedef struct ap_object {
  void *library; // NULL: there is none
  int fd;        // it was loaded by
  char *path;
} ap_object;

/// Any function of an object; the caller knows its type.
typedef void ap_symbol(void);

ap_status ap__object_open(ap_object *o, const ap_model *m, const ap_compile_options *options,
                          ap_arithmetic arithmetic, ap_error *error);
void ap__object_close(ap_object *o);
/// robot_NAME; NULL where the object has none.
ap_symbol *ap__object_symbol(const ap_object *o, const char *name);
/// Whether a model without an object is of use, the general functions taking its place.
bool ap__may_go_on(ap_status status);

#endif
