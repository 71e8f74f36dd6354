// SPDX-License-Identifier: Apache-2.0
// Which numbers of a file two programs understand differently.
//
// The other program tells what its moving bodies are. Where one differs from ours, the difference
// is put down to a single link of it: taking all other links as they are here, what would that link
// have to be? The link of which the fewest numbers change explains it.

#include <appell/kin.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "peers/links.h"

// Mass, centre of mass and inertia about it, in some frame.
typedef struct solid {
  double mass, com[3], inertia[6];
} solid;

static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};

// ---- adding and turning ------------------------------------------------------------------------

// mass (|x|^2 - x x^T), its entry k.
static double steiner(double mass, const double x[3], int k) {
  const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  return mass * ((row[k] == column[k] ? square : 0) - x[row[k]] * x[column[k]]);
}

// a + sign b.
static solid sum(const solid *a, const solid *b, double sign) {
  solid out = {.mass = a->mass + sign * b->mass};
  const double scale = fabs(a->mass) + fabs(b->mass);
  if (fabs(out.mass) <= 1e-12 * scale) out.mass = 0;
  for (int k = 0; k < 3 && out.mass != 0; k++)
    out.com[k] = (a->mass * a->com[k] + sign * b->mass * b->com[k]) / out.mass;
  for (int k = 0; k < 6; k++)
    out.inertia[k] = a->inertia[k] + steiner(a->mass, a->com, k) +
                     sign * (b->inertia[k] + steiner(b->mass, b->com, k)) -
                     steiner(out.mass, out.com, k);
  return out;
}

// R S R^T of a symmetric tensor; back: R^T S R.
static void turn_tensor(const double R[9], bool back, const double S[6], double out[6]) {
  const double full[9] = {S[0], S[1], S[2], S[1], S[3], S[4], S[2], S[4], S[5]};
  double result[6] = {0};
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const double left = back ? R[3 * i + row[k]] : R[3 * row[k] + i];
        const double right = back ? R[3 * j + column[k]] : R[3 * column[k] + j];
        result[k] += left * full[3 * i + j] * right;
      }
  memcpy(out, result, sizeof result);
}

static solid placed(const solid *s, const double R[9], const double p[3], bool back) {
  solid out = {.mass = s->mass};
  for (int i = 0; i < 3; i++) {
    out.com[i] = back ? 0 : p[i];
    for (int k = 0; k < 3; k++)
      out.com[i] += back ? R[3 * k + i] * (s->com[k] - p[k]) : R[3 * i + k] * s->com[k];
  }
  turn_tensor(R, back, s->inertia, out.inertia);
  return out;
}

static void rpy_matrix(const double rpy[3], double R[9]) {
  const double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]);
  const double cy = cos(rpy[2]), sy = sin(rpy[2]);
  const double rows[9] = {cy * cp,
                          cy * sp * sr - sy * cr,
                          cy * sp * cr + sy * sr,
                          sy * cp,
                          sy * sp * sr + cy * cr,
                          sy * sp * cr - cy * sr,
                          -sp,
                          cp * sr,
                          cp * cr};
  memcpy(R, rows, sizeof rows);
}

// ---- findings ----------------------------------------------------------------------------------

static bool close_to(const cli_dispute *d, const double *a, const double *b, int n, double floor) {
  double scale = floor, difference = 0;
  for (int k = 0; k < n; k++) {
    scale = fmax(scale, fmax(fabs(a[k]), fabs(b[k])));
    difference = fmax(difference, fabs(a[k] - b[k]));
  }
  return difference <= d->tolerance * scale;
}

static cli_finding *add_finding(cli_dispute *d, int body, const char *attribute, const double *ours,
                                const double *theirs, int n) {
  if (d->findings < CLI_MOST_FINDINGS) d->findings++;
  cli_finding *f = &d->finding[d->findings - 1];
  *f = (cli_finding){.body = body, .attribute = attribute, .count = n};
  memcpy(f->ours, ours, (size_t)n * sizeof *ours);
  memcpy(f->theirs, theirs, (size_t)n * sizeof *theirs);
  if (body > 0) {
    char text[512];
    snprintf(text, sizeof text, "body \"%s\": %s ", ap_body(d->model->model, body)->name,
             attribute);
    f->line = ap_robot_message_line(d->model->robot, text);
    if (f->line == 0) f->line = ap_robot_line(d->model->robot, body);
  }
  return f;
}

// ---- inertias ----------------------------------------------------------------------------------

enum { MASS = 1, COM = 2, INERTIA = 4 };

// Which of the three differ.
static unsigned differing(const cli_dispute *d, const solid *a, const solid *b) {
  const double size = sqrt(fmax(fabs(a->inertia[0]), fabs(a->inertia[5])) / fmax(a->mass, 1e-300));
  const bool weighs = a->mass != 0 && b->mass != 0;
  return (close_to(d, &a->mass, &b->mass, 1, 0) ? 0u : MASS) |
         (!weighs || close_to(d, a->com, b->com, 3, fmin(size, 1)) ? 0u : COM) |
         (close_to(d, a->inertia, b->inertia, 6, 0) ? 0u : INERTIA);
}

// How many of n numbers differ, and by how much of the largest of them.
static double count_differing(const cli_dispute *d, const double *a, const double *b, int n) {
  double scale = 0, most = 0;
  int count = 0;
  for (int k = 0; k < n; k++) scale = fmax(scale, fmax(fabs(a[k]), fabs(b[k])));
  for (int k = 0; k < n; k++) {
    count += fabs(a[k] - b[k]) > d->tolerance * scale;
    most = fmax(most, fabs(a[k] - b[k]));
  }
  return count + (scale > 0 ? most / scale / 100 : 0);
}

static solid own_of(const ap_body_def *b) {
  solid s = {.mass = b->mass};
  double R[9];
  rpy_matrix(b->inertia_rpy, R);
  memcpy(s.com, b->com, sizeof s.com);
  turn_tensor(R, false, b->inertia, s.inertia);
  return s;
}

// A tensor in the axes in which the file has it.
static void tensor_in_file(const ap_body_def *b, const solid *s, double tensor[6]) {
  double R[9];
  rpy_matrix(b->inertia_rpy, R);
  turn_tensor(R, true, s->inertia, tensor);
}

static void report_link(cli_dispute *d, int link, const solid *ours, const solid *theirs) {
  const ap_body_def *b = ap_body(d->model->model, link);
  const unsigned bits = differing(d, ours, theirs);
  if (theirs->mass == 0 && ours->mass != 0) {
    add_finding(d, link, "mass", &ours->mass, &theirs->mass, 1)->left_out = true;
    return;
  }
  if (bits & MASS) add_finding(d, link, "mass", &ours->mass, &theirs->mass, 1);
  if (bits & COM) add_finding(d, link, "com", ours->com, theirs->com, 3);
  if (!(bits & INERTIA)) return;
  double in_file[6];
  tensor_in_file(b, theirs, in_file);
  add_finding(d, link, "inertia", b->inertia, in_file, 6);
}

// Three equal moments and no products: what MuJoCo's balanceinertia makes of a tensor.
static bool is_balanced(const double I[6]) {
  const double mean = (I[0] + I[3] + I[5]) / 3, most = 1e-4 * mean;
  return fabs(I[0] - mean) < most && fabs(I[3] - mean) < most && fabs(I[5] - mean) < most &&
         fabs(I[1]) < most && fabs(I[2]) < most && fabs(I[4]) < most;
}

// How much a link would have to change: first how many of its numbers, then by how much.
static double change(const cli_dispute *d, const ap_body_def *b, const solid *ours,
                     const solid *theirs) {
  double in_file[6];
  if (theirs->mass < 0) return INFINITY;
  if (ours->mass != 0 && theirs->mass == 0) return 0.5; // left out
  tensor_in_file(b, theirs, in_file);
  if (is_balanced(in_file)) return 0.75;
  return count_differing(d, &ours->mass, &theirs->mass, 1) +
         count_differing(d, ours->com, theirs->com, 3) + count_differing(d, b->inertia, in_file, 6);
}

// What link j of moving body i would have to be, seen from its own frame.
static solid needed(const cli_dispute *d, int i, int j, const solid *ours, const solid *theirs) {
  const ap_model *m = d->model->model;
  double R0[9], p0[3], R1[9], p1[3], R[9], p[3];
  ap_frame_pose(m, d->work, i, R0, p0);
  ap_frame_pose(m, d->work, j, R1, p1);
  cli_relative_pose(R0, p0, R1, p1, R, p);
  const solid own = own_of(ap_body(m, j)), here = placed(&own, R, p, false);
  const solid rest = sum(ours, &here, -1), there = sum(theirs, &rest, -1);
  return placed(&there, R, p, true);
}

static void explain_body(cli_dispute *d, int i) {
  const ap_model *m = d->model->model;
  const cli_other_body *other = &d->body[i];
  solid ours, theirs = {.mass = other->mass}, best = {0};
  ap_merged_inertia(m, i, &ours.mass, ours.com, ours.inertia);
  memcpy(theirs.com, other->com, sizeof theirs.com);
  memcpy(theirs.inertia, other->inertia, sizeof theirs.inertia);
  if (differing(d, &ours, &theirs) == 0) return;
  int link = i;
  double least = INFINITY;
  for (int j = i; j < ap_nbody(m); j++) {
    if (ap_body_mover(m, j) != i) continue;
    const solid own = own_of(ap_body(m, j)), there = needed(d, i, j, &ours, &theirs);
    const double needs = change(d, ap_body(m, j), &own, &there);
    if (needs >= least) continue;
    least = needs, link = j, best = there;
  }
  const solid own = own_of(ap_body(m, link));
  report_link(d, link, &own, &best);
}

// ---- kinematics --------------------------------------------------------------------------------

static bool frame_differs(const cli_dispute *d, int i) {
  return d->frame[i] > d->tolerance || d->turn[i] > d->tolerance;
}

// Both poses of body i in the body that moves its parent, in a configuration; false: the other has
// none of them.
static bool both_poses(cli_dispute *d, int i, const double *q, double R[2][9], double p[2][3]) {
  const ap_model *m = d->model->model;
  const int above = ap_body_mover(m, ap_body(m, i)->parent), nv = ap_nv(m);
  double *zero = d->memory + ap_nq(m), *tau = zero + nv;
  double R0[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p0[3] = {0}, R1[9], p1[3];
  memset(zero, 0, (size_t)nv * sizeof *zero);
  d->other->inverse(d->other->own, q, zero, zero, tau);
  if (above > 0 && !d->other->pose(d->other->own, above, R0, p0)) return false;
  if (!d->other->pose(d->other->own, i, R1, p1)) return false;
  cli_relative_pose(R0, p0, R1, p1, R[1], p[1]);
  ap_kinematics(m, d->work, q, NULL, NULL);
  ap_frame_pose(m, d->work, above, R0, p0);
  ap_frame_pose(m, d->work, i, R1, p1);
  cli_relative_pose(R0, p0, R1, p1, R[0], p[0]);
  return true;
}

static void rpy_of(const double R[9], double rpy[3]) {
  rpy[0] = atan2(R[7], R[8]);
  rpy[1] = atan2(-R[6], hypot(R[7], R[8]));
  rpy[2] = atan2(R[3], R[0]);
}

// The axis of a joint in its own frame, from two of its poses.
static void axis_of(const double R0[9], const double p0[3], const double R1[9], const double p1[3],
                    bool slides, double axis[3]) {
  double R[9], p[3], n = 0;
  cli_relative_pose(R0, p0, R1, p1, R, p);
  const double turned[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};
  for (int k = 0; k < 3; k++) axis[k] = slides ? p[k] : turned[k];
  for (int k = 0; k < 3; k++) n += axis[k] * axis[k];
  for (int k = 0; k < 3; k++) axis[k] /= n > 0 ? sqrt(n) : 1;
}

static void explain_frame(cli_dispute *d, int i) {
  const ap_model *m = d->model->model;
  const ap_joint_type type = ap_body(m, i)->joint;
  double R[2][9], p[2][3], moved[2][9], at[2][3], ours[3], theirs[3], *q = d->memory;
  ap_neutral(m, q);
  if (!both_poses(d, i, q, R, p)) return;
  if (!close_to(d, p[0], p[1], 3, 1)) add_finding(d, i, "place", p[0], p[1], 3);
  if (!close_to(d, R[0], R[1], 9, 1)) {
    rpy_of(R[0], ours);
    rpy_of(R[1], theirs);
    add_finding(d, i, "place", ours, theirs, 3)->attribute = "place (roll, pitch, yaw)";
  }
  if (type != AP_REVOLUTE && type != AP_PRISMATIC) return;
  q[ap_joint_q(m, i)] = 0.5;
  if (!both_poses(d, i, q, moved, at)) return;
  axis_of(R[0], p[0], moved[0], at[0], type == AP_PRISMATIC, ours);
  axis_of(R[1], p[1], moved[1], at[1], type == AP_PRISMATIC, theirs);
  if (!close_to(d, ours, theirs, 3, 1)) add_finding(d, i, "axis", ours, theirs, 3);
}

// The first frames that differ: those beyond them do because of them.
static void explain_frames(cli_dispute *d) {
  const ap_model *m = d->model->model;
  for (int i = 1; i < ap_nbody(m); i++) {
    if (!frame_differs(d, i)) continue;
    int above = ap_body(m, i)->parent;
    while (above > 0 && d->frame[above] < 0) above = ap_body(m, above)->parent;
    if (above == 0 || !frame_differs(d, above)) explain_frame(d, i);
  }
}

// ---- joints ------------------------------------------------------------------------------------

static void explain_joint(cli_dispute *d, int i) {
  const ap_body_def *b = ap_body(d->model->model, i);
  const cli_other_body *o = &d->body[i];
  const bool one = b->joint == AP_REVOLUTE || b->joint == AP_PRISMATIC;
  const struct {
    const char *attribute;
    double ours, theirs;
  } numbers[] = {{"rotor_inertia", b->gear_ratio * b->gear_ratio * b->rotor_inertia, o->armature},
                 {"viscous", b->viscous, o->damping},
                 {"coulomb", b->coulomb, o->friction},
                 {"lower", b->lower, o->lower},
                 {"upper", b->upper, o->upper}};
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
    const double ours = numbers[k].ours, theirs = numbers[k].theirs;
    if (ours == theirs || (isfinite(ours) && isfinite(theirs) && close_to(d, &ours, &theirs, 1, 0)))
      continue;
    if (k < 3 || one) add_finding(d, i, numbers[k].attribute, &ours, &theirs, 1);
  }
}

void cli_dispute_explain(cli_dispute *d) {
  const ap_model *m = d->model->model;
  if (!close_to(d, ap_gravity(m), d->other->gravity, 3, 1))
    add_finding(d, 0, "gravity", ap_gravity(m), d->other->gravity, 3);
  explain_frames(d);
  ap_neutral(m, d->memory);
  ap_kinematics(m, d->work, d->memory, NULL, NULL);
  for (int k = 0; k < ap_moving_bodies(m); k++) {
    const int i = ap_moving_body(m, k);
    if (d->before > d->tolerance || d->mass[0] != d->mass[1]) explain_body(d, i);
    if (d->body[i].has_joint) explain_joint(d, i);
  }
  d->after = cli_dispute_again(d);
}
