// SPDX-License-Identifier: Apache-2.0
#include "peers/links.h"

#include <appell/kin.h>
#include <stdlib.h>
#include <string.h>

// Joints about or along an axis and free ones, none of which follows another.
static bool is_plain(const ap_model *m) {
  const int n = ap_moving_bodies(m);
  int nv = 0;
  for (int k = 0; k < n; k++) {
    const int i = ap_moving_body(m, k);
    const ap_joint_type type = ap_body(m, i)->joint;
    if (type != AP_REVOLUTE && type != AP_PRISMATIC && type != AP_FREE) return false;
    if (ap_joint_v(m, i) != nv) return false;
    nv += ap_joint_nv(m, i);
  }
  return n > 0 && nv == ap_nv(m);
}

// The number of a moving body among them, from 1; 0 for the ground.
static int number_of(const ap_model *m, int body) {
  for (int k = 0; k < ap_moving_bodies(m); k++)
    if (ap_moving_body(m, k) == body) return k + 1;
  return 0;
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

void cli_relative_pose(const double R0[9], const double p0[3], const double R1[9],
                       const double p1[3], double R[9], double p[3]) {
  for (int i = 0; i < 3; i++) {
    p[i] = 0;
    for (int k = 0; k < 3; k++) p[i] += R0[3 * k + i] * (p1[k] - p0[k]);
    for (int j = 0; j < 3; j++) {
      R[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) R[3 * i + j] += R0[3 * k + i] * R1[3 * k + j];
    }
  }
}

// The axis as the columns of the Jacobian tell.
static void set_axis(const ap_model *m, const double *J, cli_link *link) {
  const int n = ap_nv(m);
  double linear[3], angular[3];
  for (int r = 0; r < 3; r++) linear[r] = J[r * n + link->v], angular[r] = J[(r + 3) * n + link->v];
  memcpy(link->axis, link->joint == CLI_SLIDES ? linear : angular, sizeof link->axis);
  cross(angular, linear, link->point); // the origin moves by axis x (origin - point)
}

// J: room for the Jacobian of a frame.
static void fill_link(const ap_model *m, ap_work *w, int k, double *J, cli_links *links) {
  const int i = ap_moving_body(m, k), above = ap_body_mover(m, ap_body(m, i)->parent);
  const ap_joint_type type = ap_body(m, i)->joint;
  double R0[9], p0[3], R1[9], p1[3];
  cli_link *link = &links->link[k];
  ap_frame_pose(m, w, above, R0, p0);
  ap_frame_pose(m, w, i, R1, p1);
  cli_relative_pose(R0, p0, R1, p1, link->R, link->p);
  ap_frame_jacobian(m, w, i, AP_LOCAL, J);
  link->parent = number_of(m, above);
  link->joint = type == AP_FREE ? CLI_FREE : type == AP_PRISMATIC ? CLI_SLIDES : CLI_TURNS;
  link->q = ap_joint_q(m, i), link->v = ap_joint_v(m, i);
  link->is_end = true;
  link->axis[2] = 1;
  if (link->joint != CLI_FREE) set_axis(m, J, link);
  if (link->parent > 0) links->link[link->parent - 1].is_end = false;
  ap_merged_inertia(m, i, &link->mass, link->com, link->inertia);
}

void cli_links_of(const ap_model *m, cli_links *links) {
  *links = (cli_links){0};
  if (!is_plain(m)) return;
  const size_t n = (size_t)ap_moving_bodies(m), nv = (size_t)ap_nv(m), size = ap_work_size(m);
  void *memory = malloc(size);
  double *q = calloc((size_t)ap_nq(m), sizeof *q), *J = malloc(6 * nv * sizeof *J);
  links->link = calloc(n, sizeof *links->link);
  ap_work *w = memory ? ap_work_init(m, memory, size) : NULL;
  if (w && q && J && links->link) {
    ap_neutral(m, q);
    ap_kinematics(m, w, q, NULL, NULL);
    for (int k = 0; k < (int)n; k++) fill_link(m, w, k, J, links);
    memcpy(links->gravity, ap_gravity(m), sizeof links->gravity);
    links->n = (int)n, links->nq = ap_nq(m), links->nv = ap_nv(m);
  }
  free(memory);
  free(q);
  free(J);
}

void cli_links_free(cli_links *links) { free(links->link); }
