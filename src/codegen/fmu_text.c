// SPDX-License-Identifier: Apache-2.0
// The functions of FMI 3.0 as text, from the files in fmi3/. They stand behind the definitions that
// fmu.c writes: NQ, NV, NU, TOKEN, START, and for robots NAT, AT, SINGULAR, QUATERNION and the
// names of the functions of one robot.

#include "codegen/fmu.h"

// The assembler puts the files there, as it does with pages.
#define PIECE(name)                         \
  __asm__(                                  \
      ".section .rodata\n"                  \
      "ap__fmi3_" #name                     \
      ":\n"                                 \
      ".incbin \"" AP_FMI3_FOLDER "/" #name \
      ".inc\"\n"                            \
      ".byte 0\n"                           \
      ".previous\n");                       \
  extern const char ap__fmi3_##name[] __attribute__((visibility("hidden")));

PIECE(types)
PIECE(robot_instance)
PIECE(scene_instance)
PIECE(instance)
PIECE(tree)
PIECE(closed_chain)
PIECE(robot)
PIECE(scene)
PIECE(absent)

const char *const ap__fmu_of_tree[] = {ap__fmi3_types,
                                       ap__fmi3_robot_instance,
                                       ap__fmi3_instance,
                                       ap__fmi3_tree,
                                       ap__fmi3_robot,
                                       ap__fmi3_absent,
                                       NULL};
const char *const ap__fmu_of_closed_chain[] = {ap__fmi3_types,
                                               ap__fmi3_robot_instance,
                                               ap__fmi3_instance,
                                               ap__fmi3_closed_chain,
                                               ap__fmi3_robot,
                                               ap__fmi3_absent,
                                               NULL};
const char *const ap__fmu_of_scene[] = {ap__fmi3_types, ap__fmi3_scene_instance, ap__fmi3_instance,
                                        ap__fmi3_scene, ap__fmi3_absent,         NULL};
