// SPDX-License-Identifier: Apache-2.0
// Robots with shapes for the tests of distances and excitation.

#ifndef AP_TESTS_EXCITE_ROBOTS_H
#define AP_TESTS_EXCITE_ROBOTS_H

#define INERTIAL(mass, x, z)                                  \
  "<inertial><origin xyz='" x " 0 " z "'/><mass value='" mass \
  "'/>"                                                       \
  "<inertia ixx='0.04' ixy='0' ixz='0' iyy='0.05' iyz='0' izz='0.03'/></inertial>"
#define CYLINDER(xyz, rpy, radius, length)                                              \
  "<collision><origin xyz='" xyz "' rpy='" rpy "'/><geometry><cylinder radius='" radius \
  "' length='" length "'/></geometry></collision>"
#define BOX(xyz, rpy, size)                                                    \
  "<collision><origin xyz='" xyz "' rpy='" rpy "'/><geometry><box size='" size \
  "'/></geometry></collision>"
#define SPHERE(xyz, radius)                                             \
  "<collision><origin xyz='" xyz "'/><geometry><sphere radius='" radius \
  "'/></geometry></"                                                    \
  "collision>"
#define JOINT(name, type, parent, child, xyz, axis, lower, upper, velocity, effort)       \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child \
  "'/>"                                                                                   \
  "<origin xyz='" xyz "'/><axis xyz='" axis "'/><limit lower='" lower "' upper='" upper   \
  "' velocity='" velocity "' effort='" effort                                             \
  "'/><dynamics damping='0.3' friction='0.8'/></joint>"

// An arm of six joints that stands on the floor, its base a block fixed to the ground.
static const char standing[] =
    "<robot name='standing'><link name='base'>" BOX("0 0 0.05", "0 0 0", "0.3 0.3 0.1") "</link>"
    "<link name='turret'>" INERTIAL("4", "0", "0.05") CYLINDER("0 0 0.06", "0 0 0", "0.08", "0.12") "</link>"
    "<link name='upper'>" INERTIAL("6", "0.2", "0") CYLINDER("0.2 0.1 0", "0 1.5707963 0", "0.06", "0.4") "</link>"
    "<link name='fore'>" INERTIAL("3", "0.2", "0") BOX("0.18 0 0", "0 0 0", "0.36 0.08 0.1") "</link>"
    "<link name='w1'>" INERTIAL("1.2", "0", "0.01") SPHERE("0 0 0", "0.05") "</link>"
    "<link name='w2'>" INERTIAL("1.1", "0.01", "0") SPHERE("0 0 0", "0.05") "</link>"
    "<link name='hand'>" INERTIAL("0.6", "0.05", "0") BOX("0.08 0 0", "0 0 0.3", "0.16 0.1 0.04") "</link>"
    "<link name='tool'/>"
    JOINT("j1", "revolute", "base", "turret", "0 0 0.1", "0 0 1", "-3", "3", "2", "150")
    JOINT("j2", "revolute", "turret", "upper", "0 0 0.12", "0 1 0", "-3", "3", "2", "150")
    JOINT("j3", "revolute", "upper", "fore", "0.4 0 0", "0 1 0", "-2.8", "2.8", "2", "90")
    JOINT("j4", "revolute", "fore", "w1", "0.38 0 0", "1 0 0", "-3", "3", "3", "25")
    JOINT("j5", "revolute", "w1", "w2", "0.09 0 0", "0 1 0", "-2", "2", "3", "25")
    JOINT("j6", "revolute", "w2", "hand", "0.08 0 0", "1 0 0", "-3", "3", "3", "20")
    "<joint name='flange' type='fixed'><parent link='hand'/><child link='tool'/><origin xyz='0.16 0 0'/></joint>"
    "</robot>";

// The arm of a humanoid: a torso of boxes, a head, one leg that stands; the elbow's limits keep it
// bent. The forearm can reach into the torso.
static const char humanoid[] =
    "<robot name='humanoid'><link name='torso'>" BOX("0 0 0", "0 0 0", "0.2 0.34 0.5")
    BOX("0 -0.1 -0.5", "0 0 0", "0.12 0.12 0.5") SPHERE("0 0 0.4", "0.11") "</link>"
    "<link name='s1'>" INERTIAL("1.5", "0", "0") SPHERE("0 0 0", "0.05") "</link>"
    "<link name='s2'>" INERTIAL("1.2", "0", "-0.02") "</link>"
    "<link name='upper_arm'>" INERTIAL("2.2", "0", "-0.14") CYLINDER("0 0 -0.16", "0 0 0", "0.045", "0.24") "</link>"
    "<link name='forearm'>" INERTIAL("1.6", "0", "-0.12") CYLINDER("0 0 -0.16", "0 0 0", "0.04", "0.28") "</link>"
    JOINT("pitch", "revolute", "torso", "s1", "0 0.24 0.2", "0 1 0", "-2.8", "1.2", "4", "60")
    JOINT("roll", "revolute", "s1", "s2", "0 0.05 0", "1 0 0", "-0.6", "2.6", "4", "60")
    JOINT("yaw", "revolute", "s2", "upper_arm", "0 0 0", "0 0 1", "-2", "2", "4", "40")
    JOINT("elbow", "revolute", "upper_arm", "forearm", "0 0 -0.3", "0 1 0", "-2.3", "-0.1", "4", "40")
    "</robot>";

#endif
