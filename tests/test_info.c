// SPDX-License-Identifier: Apache-2.0
// The record of a model, against what the library computes with it.

#include <appell/info.h>
#include <appell/kin.h>

#include "test.h"

enum { MOST_Q = 64 };

static const char *const names[] = {"puma600", "stanford",    "scara",
                                    "ascher2", "shafei-tree", "quadruped"};
enum { NAMES = sizeof names / sizeof names[0] };

static const char fork_text[] =
    "<robot name='fork'><link name='base'/>"
    "<link name='arm'><inertial><mass value='2'/><origin xyz='0.1 0 0'/>"
    "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='tool'><inertial><mass value='1'/>"
    "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='tip'/><link name='plate'/>"
    "<link name='finger'><inertial><mass value='0.5'/>"
    "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='shoulder' type='continuous'><parent link='base'/><child link='arm'/>"
    "<axis xyz='0 3 4'/></joint>"
    "<joint name='hold' type='fixed'><parent link='arm'/><child link='tool'/>"
    "<origin xyz='0.4 0.1 0' rpy='0.3 -0.4 0.5'/></joint>"
    "<joint name='end' type='fixed'><parent link='tool'/><child link='tip'/>"
    "<origin xyz='0 0 0.2' rpy='0 1.2 -2'/></joint>"
    "<joint name='floor' type='fixed'><parent link='base'/><child link='plate'/></joint>"
    "<joint name='follow' type='prismatic'><parent link='arm'/><child link='finger'/>"
    "<axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/>"
    "<mimic joint='shoulder' multiplier='-0.5' offset='0.1'/></joint></robot>";

// Poses of all frames in the frame of the body that carries them, by a work.
static void check_frames(const ap_model *m, const ap_info *info) {
  double q[MOST_Q];
  const size_t size = ap_work_size(m);
  void *memory = malloc(size);
  ap_work *w = ap_work_init(m, memory, size);
  ap_neutral(m, q);
  ap_kinematics(m, w, q, NULL, NULL);
  CHECK_EQ_INT(info->frames, ap_nframe(m) - 1);
  for (int k = 0; k < info->frames; k++) {
    const ap_info_frame *f = &info->frame[k];
    double R0[9], p0[3], R1[9], p1[3], expected[12], found[12];
    ap_frame_pose(m, w, ap_find_frame(m, f->body), R0, p0);
    ap_frame_pose(m, w, k + 1, R1, p1);
    CHECK_STR(f->name, ap_frame_name(m, k + 1));
    for (int i = 0; i < 12; i++) {
      const int row = i / 4, column = i % 4;
      expected[i] = 0;
      for (int j = 0; j < 3; j++)
        expected[i] += R0[3 * j + row] * (column < 3 ? R1[3 * j + column] : p1[j] - p0[j]);
    }
    const double *a = f->rpy, cr = cos(a[0]), sr = sin(a[0]), cp = cos(a[1]), sp = sin(a[1]),
                 cy = cos(a[2]), sy = sin(a[2]);
    const double pose[12] = {cy * cp,
                             cy * sp * sr - sy * cr,
                             cy * sp * cr + sy * sr,
                             f->xyz[0],
                             sy * cp,
                             sy * sp * sr + cy * cr,
                             sy * sp * cr - cy * sr,
                             f->xyz[1],
                             -sp,
                             cp * sr,
                             cp * cr,
                             f->xyz[2]};
    memcpy(found, pose, sizeof found);
    CHECK_NEAR(found, expected, 12, 1e-14);
  }
  free(memory);
}

static void check_record(const ap_model *m, const ap_info *info) {
  double moving = 0;
  int q = 0, v = 0;
  CHECK_STR(info->name, ap_model_name(m));
  CHECK(info->nq == ap_nq(m) && info->nv == ap_nv(m) && info->freedom == ap_nv(m));
  for (int k = 0; k < info->joints; k++) {
    CHECK(info->joint[k].q == q && info->joint[k].v == v);
    q += info->joint[k].nq, v += info->joint[k].nv;
  }
  CHECK(q == ap_nq(m) && v == ap_nv(m));
  int links = info->bodies;
  for (int k = 0; k < info->bodies; k++) {
    moving += info->body[k].mass;
    links += info->body[k].nmerged;
  }
  CHECK_EQ_INT(links, ap_nbody(m));
  CHECK_NEAR(&moving, &info->moving_mass, 1, 1e-12 * info->mass);
  check_frames(m, info);
}

TEST(records_of_the_built_in_robots_are_complete) {
  for (int k = 0; k < NAMES; k++) {
    ap_robot *robot;
    ap_model *m;
    ap_info info;
    test_context("%s", names[k]);
    if (!CHECK_OK(ap_robot_builtin(names[k], NULL, &robot, NULL))) continue;
    if (CHECK_OK(ap_robot_model(robot, &m, NULL))) {
      if (CHECK_OK(ap_info_make(robot, m, NULL, &info))) {
        check_record(m, &info);
        ap_info_free(&info);
      }
      ap_model_free(m);
    }
    ap_robot_free(robot);
  }
}

TEST(merged_links_mimic_joints_and_warnings_are_in_the_record) {
  ap_robot *robot = NULL;
  ap_model *m = NULL;
  ap_info info = {0};
  CHECK_OK(ap_robot_parse(fork_text, strlen(fork_text), "urdf", NULL, &robot, NULL));
  CHECK_OK(ap_robot_model(robot, &m, NULL));
  if (!CHECK_OK(ap_info_make(robot, m, NULL, &info))) return;
  check_record(m, &info);
  CHECK_EQ_INT(info.joints, 1);
  CHECK_STR(info.joint[0].type, "continuous");
  const double axis[3] = {0, 0.6, 0.8};
  CHECK(info.joint[0].has_axis);
  CHECK_NEAR(info.joint[0].axis, axis, 3, 1e-15);
  if (CHECK_EQ_INT(info.mimics, 1)) {
    CHECK_STR(info.mimic[0].leader, "shoulder");
    CHECK(info.mimic[0].body->mimic_ratio == -0.5 && info.mimic[0].nv == 0);
  }
  CHECK_EQ_INT(info.bodies, 3);
  CHECK_EQ_INT(info.body[1].nmerged, 2);
  CHECK_STR(info.body[1].merged[1], "tip");
  CHECK(info.mass == 3.5 && info.body[1].mass == 3);
  ap_info_free(&info);
  ap_model_free(m);
  ap_robot_free(robot);
}

TEST(a_mechanism_closes_from_its_guess) {
  for (int k = 0; ap_mechanism_builtin_name(k); k++) {
    const char *name = ap_mechanism_builtin_name(k);
    ap_robot *robot;
    ap_mechanism *mechanism;
    ap_info info;
    test_context("%s", name);
    CHECK_OK(ap_robot_from_mechanism(ap_mechanism_builtin(name), &robot, NULL));
    if (!CHECK_OK(ap_mechanism_make(robot, &mechanism, NULL))) continue;
    CHECK_OK(ap_info_make(robot, ap_mechanism_tree(mechanism), mechanism, &info));
    CHECK_EQ_INT(info.freedom, ap_mechanism_n(mechanism));
    CHECK(info.start.closes && info.start.has_distances && info.start.near.serial > 0);
    double phi[64];
    ap_loop *l = ap_loop_make(mechanism);
    ap_loop_errors(mechanism, l, info.start.tree_q, phi, NULL);
    for (int i = 0; i < ap_mechanism_nrow(mechanism); i++) CHECK(fabs(phi[i]) < 1e-10);
    ap_loop_free(l);
    ap_info_free(&info);
    ap_mechanism_free(mechanism);
    ap_robot_free(robot);
  }
}
