// SPDX-License-Identifier: Apache-2.0
// Places that seem to be in degrees or millimetres. They are converted before anything is computed
// with them, so that a wrong unit is one finding and not a robot that falls apart; the findings
// come when the model is there to tell what they mean.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lint/examine.h"
#include "lint/tensor.h"

// rad: a turn and a little more, which nobody needs; three turns in degrees.
#define MOST_ANGLE   7.0
#define MOST_DEGREES 1080.0
// m, and times the median of all lengths in the file: farther off nothing is part of a robot.
// Millimetres are not more than so many times that median either.
#define MOST_LENGTH      5.0
#define MOST_OF_MEDIAN   100.0
#define MILLIMETRE_RANGE 30.0

static const double degree = 3.14159265358979323846 / 180, millimetre = 1e-3;

// ---- conversion --------------------------------------------------------------------------------

static bool to_si_angles(double *x[], int n) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(*x[i]));
  if (largest <= MOST_ANGLE || largest > MOST_DEGREES) return false;
  for (int i = 0; i < n; i++) *x[i] *= degree;
  return true;
}

static bool to_si_rpy(double rpy[3]) {
  return to_si_angles((double *[]){&rpy[0], &rpy[1], &rpy[2]}, 3);
}

static bool to_si_place(ap_placement *p) {
  if (p->kind == AP_PLACE_MATRIX) return false;
  if (p->kind < AP_PLACE_MATRIX) return to_si_rpy(p->rpy);
  return to_si_angles((double *[]){&p->alpha, &p->theta}, 2);
}

static double length_of_place(const ap_placement *p) {
  return p->kind <= AP_PLACE_MATRIX ? norm3(p->xyz) : hypot(p->a, p->d);
}

static double length_of_shape(const lint_shape *s) {
  if (s->kind == AP_SHAPE_BOX) return norm3(s->size);
  return s->kind == AP_SHAPE_MESH ? 0 : hypot(s->size[0], s->size[1]);
}

static int compare_lengths(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The median of all lengths that the file gives, 0 where there are not enough of them.
static double find_median(lint *l) {
  const lint_robot *robot = &l->robot;
  size_t room = (size_t)robot->njoint + (size_t)robot->nlink + (size_t)robot->nshape, n = 0;
  double *all = malloc((room + 1) * sizeof *all), median = 0;
  if (!ap__lint_got(l, all)) return 0;
  for (int i = 0; i < robot->njoint; i++) all[n++] = length_of_place(&robot->joint[i].place);
  for (int i = 0; i < robot->nlink; i++) all[n++] = norm3(robot->link[i].com);
  for (int i = 0; i < robot->nshape; i++) all[n++] = length_of_shape(&robot->shape[i]);
  qsort(all, n, sizeof *all, compare_lengths);
  size_t zero = 0;
  while (zero < n && !(all[zero] > 0)) zero++;
  if (n - zero >= 3) median = all[zero + (n - zero) / 2];
  free(all);
  return median;
}

static bool is_in_millimetres(double length, double median) {
  return median > 0 && length > MOST_LENGTH && length > MOST_OF_MEDIAN * median &&
         length * millimetre < MILLIMETRE_RANGE * median;
}

// A robot may stand wherever it likes in its world.
static bool places_the_robot(const lint_robot *robot, const lint_joint *j) {
  if (j->type != AP_FIXED && j->type != AP_FREE) return false;
  for (int i = 0; j->parent && i < robot->njoint; i++)
    if (robot->joint[i].child && strcmp(robot->joint[i].child, j->parent) == 0) return false;
  return true;
}

void ap__lint_convert_units(lint *l) {
  lint_robot *robot = &l->robot;
  double median = find_median(l);
  robot->median = median;
  for (int i = 0; i < robot->njoint; i++) {
    lint_joint *j = &robot->joint[i];
    ap_placement *p = &j->place;
    j->in_degrees = to_si_place(p);
    if (!is_in_millimetres(length_of_place(p), median) || places_the_robot(robot, j)) continue;
    j->in_millimetres = true;
    for (int k = 0; k < 3; k++) p->xyz[k] *= millimetre;
    p->a *= millimetre;
    p->d *= millimetre;
  }
  for (int i = 0; i < robot->nlink; i++) {
    lint_link *link = &robot->link[i];
    link->in_degrees = to_si_rpy(link->rpy);
    link->in_millimetres = is_in_millimetres(norm3(link->com), median);
    for (int k = 0; k < 3 && link->in_millimetres; k++) link->com[k] *= millimetre;
  }
  for (int i = 0; i < robot->nshape; i++)
    robot->shape[i].in_degrees = to_si_rpy(robot->shape[i].rpy);
}

// ---- findings ----------------------------------------------------------------------------------

static void fix_vector(const lint *l, lint_note *note, const char *key, const double x[3]) {
  ap__lint_fix(note, l->robot.yaml ? "%s: [%.6g, %.6g, %.6g]" : "%s=\"%.6g %.6g %.6g\"", key, x[0],
               x[1], x[2]);
}

// Begin a finding on angles of which the largest, already converted, is this.
static lint_note begin_angles(int line, const char *of, const char *name, double largest) {
  lint_note note = ap__lint_begin("origin-unit", line, name);
  ap__lint_what(&note, "%s \"%.*s\" is turned by %.6g rad: degrees?", of, ap__shown(name), name,
                largest / degree);
  ap__lint_why(&note, "that would be %.3g turns instead of %.3g; the other rules assume degrees",
               largest / degree / (360 * degree), largest / (360 * degree));
  return note;
}

static double largest_of(const double rpy[3]) {
  return fmax(fabs(rpy[0]), fmax(fabs(rpy[1]), fabs(rpy[2])));
}

static void say_angles(lint *l, int line, const char *of, const char *name, const double rpy[3]) {
  lint_note note = begin_angles(line, of, name, largest_of(rpy));
  fix_vector(l, &note, "rpy", rpy);
  ap__lint_end(l, &note);
}

static void say_joint_angles(lint *l, const lint_joint *j) {
  const ap_placement *p = &j->place;
  int line = j->origin_line ? j->origin_line : j->line;
  if (p->kind < AP_PLACE_MATRIX) {
    say_angles(l, line, "the origin of joint", j->name, p->rpy);
    return;
  }
  double largest = fmax(fabs(p->alpha), fabs(p->theta));
  lint_note note = begin_angles(line, "the position of joint", j->name, largest);
  ap__lint_fix(&note, "alpha: %.6g, theta: %.6g", p->alpha, p->theta);
  ap__lint_end(l, &note);
}

// Begin a finding on a length, already converted.
static lint_note begin_length(const lint *l, int line, const char *of, const char *name,
                              double length) {
  lint_note note = ap__lint_begin("origin-unit", line, name);
  ap__lint_what(&note, "%s \"%.*s\" is %.4g m away: millimetres?", of, ap__shown(name), name,
                length / millimetre);
  ap__lint_why(
      &note,
      "half of the lengths in the file are %.3g m or less; the other rules assume millimetres",
      l->robot.median);
  return note;
}

static void say_joint_length(lint *l, const lint_joint *j) {
  const ap_placement *p = &j->place;
  double length = length_of_place(p);
  lint_note note = begin_length(l, j->origin_line ? j->origin_line : j->line,
                                "the position of joint", j->name, length);
  double carried = j->child_link >= 0 ? l->robot.link[j->child_link].carried : 0;
  double weight = carried * norm3(l->robot.gravity);
  if (weight > 0)
    ap__lint_why(&note, "a weight of %.3g N on that lever arm: up to %.3g N m", weight,
                 weight * length / millimetre);
  if (p->kind <= AP_PLACE_MATRIX)
    fix_vector(l, &note, "xyz", p->xyz);
  else
    ap__lint_fix(&note, "a: %.6g, d: %.6g", p->a, p->d);
  ap__lint_end(l, &note);
}

static void say_com(lint *l, int i) {
  const lint_link *link = &l->robot.link[i];
  lint_note note = begin_length(l, link->com_line ? link->com_line : link->line,
                                "the centre of mass of link", link->name, norm3(link->com));
  lint_inertia written = link->own;
  for (int k = 0; k < 3; k++) written.com[k] = link->com[k] / millimetre;
  if (link->mass > 0 && link->number) ap__lint_effect(l, &note, i, &written, &link->own);
  fix_vector(l, &note, l->robot.yaml ? "com" : "xyz", link->com);
  ap__lint_end(l, &note);
}

void ap__lint_units(lint *l) {
  const lint_robot *robot = &l->robot;
  for (int i = 0; i < robot->njoint && !l->no_memory; i++) {
    if (robot->joint[i].in_degrees) say_joint_angles(l, &robot->joint[i]);
    if (robot->joint[i].in_millimetres) say_joint_length(l, &robot->joint[i]);
  }
  for (int i = 0; i < robot->nlink && !l->no_memory; i++) {
    const lint_link *link = &robot->link[i];
    int line = link->com_line ? link->com_line : link->line;
    if (link->in_degrees) say_angles(l, line, "the inertia of link", link->name, link->rpy);
    if (link->in_millimetres) say_com(l, i);
  }
  for (int i = 0; i < robot->nshape && !l->no_memory; i++) {
    const lint_shape *s = &robot->shape[i];
    if (s->in_degrees) say_angles(l, s->line, "a shape of link", robot->link[s->link].name, s->rpy);
  }
}
