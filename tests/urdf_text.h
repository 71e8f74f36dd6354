// SPDX-License-Identifier: Apache-2.0
// Robots in URDF as texts of a test.

#ifndef AP_TESTS_URDF_TEXT_H
#define AP_TESTS_URDF_TEXT_H

#include "robot_files.h"

#define FULL "tests/fuzz/corpus/urdf/full.urdf"

static const ap_read_options plain = {.floating = false};

#define ONE                                                                      \
  "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' " \
  "izz='1'/></inertial>"
#define LINKS2        "<link name='a'/>\n<link name='b'>" ONE "</link>\n"
#define ENDS          "<parent link='a'/><child link='b'/>"
#define ROBOT2(joint) "<robot name='r'>\n" LINKS2 joint "</robot>\n"

static inline ap_robot *read_urdf(const char *text) { return read_good(text, "urdf", plain); }

#endif
