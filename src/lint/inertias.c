// SPDX-License-Identifier: Apache-2.0
// Mass and inertia of each link: what no body can have, and what does not suit its size.

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lint/examine.h"
#include "lint/shape.h"
#include "lint/tensor.h"

// A quarter more than the farthest point of its shapes, or than the robot's longest link as in
// src/model/remark.c; and four times its own length where it has joints to tell that.
#define GYRATION_SLACK         1.25
#define GYRATION_SLACK_OF_LINK 4.0
// Some digits lost in a CAD program break the triangle inequality by less than this share.
#define SLIGHT 0.05
// Between the inertia of a shape that is filled evenly and that of what is really in it.
#define SHAPE_FACTOR 20.0
// kg/m3: foam to lead. Links are hollow, and shapes larger than what they stand for.
#define LEAST_DENSITY   30.0
#define LARGEST_DENSITY 1.2e4

static const char *quoted_unit = "kg m2";

static void look_at_mass(lint *l, int i) {
  const lint_link *link = &l->robot.link[i];
  if (!(link->mass < 0)) return;
  lint_note note = ap__lint_begin("mass-negative", link->mass_line, link->name);
  ap__lint_what(&note, "link \"%.*s\" has a mass of %g kg", ap__shown(link->name), link->name,
                link->mass);
  lint_inertia then = link->own;
  then.mass = -link->mass;
  ap__lint_effect(l, &note, i, &link->own, &then);
  if (!*note.why) ap__lint_why(&note, "the robot is refused");
  ap__lint_fix(&note, LINT_FORM(l, "mass: %g", "<mass value=\"%g\"/>", "mass=\"%g\""), -link->mass);
  ap__lint_end_suspicion(l, &note);
}

// ---- what no body can have ---------------------------------------------------------------------

// The diagonal with its signs changed, where that is an inertia that a body can have.
static bool find_signs(const lint_link *link, double tensor[6]) {
  double I[6], moment[3], axes[9], R[9];
  bool changed = false;
  memcpy(I, link->tensor, sizeof I);
  for (int d = 0; d < 6; d += d == 0 ? 3 : 2) {
    changed = changed || I[d] < 0;
    I[d] = fabs(I[d]);
  }
  ap__lint_principal(I, moment, axes);
  ap__matrix_of_rpy(link->rpy, R);
  ap__lint_turn(R, I, tensor);
  return changed && moment[0] > 0 && !ap__lint_breaks_triangle(moment);
}

// What the inertia may have been: the same with other signs, else the nearest that is possible.
static void report_corrected(lint *l, lint_note *note, int i) {
  const lint_link *link = &l->robot.link[i];
  lint_inertia then = link->own;
  if (find_signs(link, then.tensor))
    ap__lint_what(note, "sign?");
  else
    ap__lint_nearest_inertia(link->own.tensor, then.tensor);
  ap__lint_effect(l, note, i, &link->own, &then);
  ap__lint_fix_inertia(l, note, i, &then);
}

// A diagonal entry that is possible once its decimal point moves; "" where there is none.
static void find_slip(const lint_link *link, char *text, size_t size) {
  static const char *const name[6] = {"ixx", "", "", "iyy", "", "izz"};
  static const double factor[] = {0.1, 10, 0.01, 100, 1e-3, 1e3};
  text[0] = 0;
  for (int f = 0; f < 6; f++) {
    for (int d = 0; d < 6; d += d == 0 ? 3 : 2) {
      double I[6], moment[3], axes[9];
      memcpy(I, link->tensor, sizeof I);
      I[d] *= factor[f];
      ap__lint_principal(I, moment, axes);
      if (moment[0] <= 0 || ap__lint_breaks_triangle(moment) || moment[2] > 10 * moment[0])
        continue;
      snprintf(text, size, "%s=\"%.6g\" if the decimal point is misplaced", name[d], I[d]);
      return;
    }
  }
}

// True: no body has it, and its size says nothing more.
static bool look_at_moments(lint *l, int i) {
  const lint_link *link = &l->robot.link[i];
  double rounding = 64 * DBL_EPSILON * fabs(link->moment[2]);
  bool negative = link->moment[0] < -rounding || link->moment[1] < -rounding;
  if (!negative && !ap__lint_breaks_triangle(link->moment)) return false;
  lint_note note = ap__lint_begin(negative ? "inertia-negative" : "inertia-triangle",
                                  link->inertia_line, link->name);
  if (negative)
    ap__lint_what(&note, "the inertia of link \"%.*s\" has a negative principal moment, %.4g %s",
                  ap__shown(link->name), link->name, link->moment[0], quoted_unit);
  else
    ap__lint_what(&note,
                  "a principal moment of link \"%.*s\", %.4g %s, exceeds the sum of the "
                  "other two, %.4g",
                  ap__shown(link->name), link->name, link->moment[2], quoted_unit,
                  fmax(link->moment[0] + link->moment[1], 0));
  double excess = link->moment[2] - link->moment[1] - link->moment[0];
  if (!negative && excess < SLIGHT * link->moment[2]) note.severity = AP_WARNING;
  ap__lint_why(
      &note, negative ? "such a link accelerates against the applied torque"
                      : "such an inertia is physically impossible, and some simulators refuse it");
  report_corrected(l, &note, i);
  char slip[96];
  find_slip(link, slip, sizeof slip);
  if (*slip && !l->robot.yaml) ap__lint_fix(&note, "or %s", slip);
  ap__lint_end_suspicion(l, &note);
  return true;
}

// End a finding with the inertia that such a link may have.
static void suggest_plausible(lint *l, lint_note *note, int i, const char *with) {
  lint_inertia then;
  const char *of;
  if (ap__lint_plausible(&l->robot, &l->robot.link[i], &then, &of)) {
    ap__lint_why(note, "%s%s", with, of);
    ap__lint_suggest(l, note, i, &then);
  } else {
    ap__lint_end_suspicion(l, note);
  }
}

static void look_at_point(lint *l, int i) {
  const lint_link *link = &l->robot.link[i];
  if (!(link->mass > 0) || link->moment[2] != 0 || link->moment[0] != 0) return;
  if (link->tensor_lost) return; // it is not zero, but unknown
  lint_note note = ap__lint_begin("inertia-zero", link->inertia_line, link->name);
  if (!ap__lint_moves(&l->robot, i)) note.severity = AP_NOTE;
  ap__lint_what(&note, "link \"%.*s\" has %g kg and no inertia: a point mass",
                ap__shown(link->name), link->name, link->mass);
  suggest_plausible(l, &note, i, "with that of ");
}

// ---- size --------------------------------------------------------------------------------------

// The largest radius of gyration that the link can have; *size gets how far it reaches.
static double largest_radius(const lint_robot *robot, const lint_link *link, double *size) {
  if (!link->boxed) {
    double least = GYRATION_SLACK * (*size = robot->longest);
    double own = GYRATION_SLACK_OF_LINK * link->length;
    if (link->jointed < 0.1 * robot->longest || own >= least) return least;
    *size = link->length;
    return own;
  }
  double d[3];
  for (int k = 0; k < 3; k++)
    d[k] = fmax(fabs(link->high[k] - link->com[k]), fabs(link->com[k] - link->low[k]));
  return GYRATION_SLACK * (*size = norm3(d));
}

static bool look_at_gyration(lint *l, int i) {
  const lint_link *link = &l->robot.link[i];
  double size = 0, bound = largest_radius(&l->robot, link, &size), largest = link->moment[2];
  if (!(link->mass > 0) || !(largest > 0) || !(size > 0)) return false;
  double radius = sqrt(largest / link->mass);
  if (radius <= bound) return false;
  lint_note note = ap__lint_begin("inertia-gyration", link->inertia_line, link->name);
  if (!ap__lint_moves(&l->robot, i)) note.severity = AP_NOTE;
  ap__lint_what(
      &note,
      "link \"%.*s\" has a radius of gyration of %.3g m, but extends no farther than %.3g m %s",
      ap__shown(link->name), link->name, radius, size,
      link->boxed ? "judged by its shapes" : "judged by its joints");
  suggest_plausible(l, &note, i, "with the inertia of ");
  return true;
}

static void look_at_shape(lint *l, int i) {
  const lint_link *link = &l->robot.link[i];
  lint_inertia then;
  double moment[3], axes[9];
  if (!(link->mass > 0) || !(link->moment[2] > 0)) return;
  if (link->volume == 0 || !ap__lint_of_shape(&l->robot, link, &then)) return;
  ap__lint_principal(then.tensor, moment, axes);
  double ratio = moment[2] / link->moment[2];
  if (ratio < SHAPE_FACTOR) return; // larger ones are a matter of the radius of gyration
  lint_note note = ap__lint_begin("inertia-shape", link->inertia_line, link->name);
  if (!ap__lint_moves(&l->robot, i)) note.severity = AP_NOTE;
  ap__lint_what(&note,
                "the inertia of link \"%.*s\" is %.3g times smaller than that of its shape "
                "with its mass",
                ap__shown(link->name), link->name, ratio);
  ap__lint_why(&note, "with the inertia of the shape");
  ap__lint_suggest(l, &note, i, &then);
}

// Where the centre of mass may be that is outside the shapes: where millimetres put it, else in
// their middle.
static const char *likely_com(const lint_link *link, double diagonal, double com[3]) {
  bool inside = norm3(link->com) > 20 * diagonal;
  for (int k = 0; k < 3; k++) {
    double x = 1e-3 * link->com[k];
    inside = inside && x >= link->low[k] - 1e-3 && x <= link->high[k] + 1e-3;
  }
  for (int k = 0; k < 3; k++)
    com[k] = inside ? 1e-3 * link->com[k] : (link->low[k] + link->high[k]) / 2;
  return inside ? "in millimetres it would be inside; with that" : "with the centre of the shapes";
}

static void look_at_com(lint *l, int i) {
  const lint_link *link = &l->robot.link[i];
  if (!link->boxed || link->com_lost || !(link->mass > 0 || link->mass_lost)) return;
  double diagonal[3], out = 0;
  lint_inertia then = link->own;
  for (int k = 0; k < 3; k++) {
    diagonal[k] = link->high[k] - link->low[k];
    then.com[k] = fmin(fmax(link->com[k], link->low[k]), link->high[k]);
    out = fmax(out, fabs(then.com[k] - link->com[k]));
  }
  if (out <= 0.1 * norm3(diagonal) + 2e-3) return;
  lint_note note =
      ap__lint_begin("com-outside", link->com_line ? link->com_line : link->mass_line, link->name);
  if (!ap__lint_moves(&l->robot, i)) note.severity = AP_NOTE;
  const char *with = likely_com(link, norm3(diagonal), then.com);
  ap__lint_what(&note, "the centre of mass of link \"%.*s\" is %.3g m outside its shapes",
                ap__shown(link->name), link->name, out);
  if (link->mass > 0) {
    ap__lint_why(&note, "%s", with);
    ap__lint_effect(l, &note, i, &link->own, &then);
  } else {
    ap__lint_why(&note, "its effect can be computed once the mass is known");
  }
  ap__lint_fix(&note,
               LINT_FORM(l, "com: [%.4g, %.4g, %.4g]", "<origin xyz=\"%.4g %.4g %.4g\"/>",
                         "pos=\"%.4g %.4g %.4g\""),
               then.com[0], then.com[1], then.com[2]);
  ap__lint_end_suspicion(l, &note);
}

static void look_at_density(lint *l, int i) {
  const lint_link *link = &l->robot.link[i];
  if (!(link->mass > 0) || !(link->volume > 0)) return;
  double density = link->mass / link->volume;
  if (density >= LEAST_DENSITY && density <= LARGEST_DENSITY) return;
  lint_note note = ap__lint_begin("density", link->mass_line, link->name);
  if (!ap__lint_moves(&l->robot, i) || density < LEAST_DENSITY) note.severity = AP_NOTE;
  ap__lint_what(&note, "link \"%.*s\" has %g kg in %.3g litres: %.3g kg/m3", ap__shown(link->name),
                link->name, link->mass, 1e3 * link->volume, density);
  lint_inertia then = link->own;
  double likely = density > LARGEST_DENSITY ? 7800 : 1000;
  then.mass = likely * link->volume;
  for (int k = 0; k < 6; k++) then.tensor[k] *= then.mass / link->mass;
  ap__lint_why(&note, "steel has 7800, water 1000; with %g kg/m3", likely);
  ap__lint_effect(l, &note, i, &link->own, &then);
  ap__lint_fix(&note, "check mass and shape: with %g kg/m3 the mass is %.3g kg", likely, then.mass);
  ap__lint_end_suspicion(l, &note);
}

// ---- what moves without mass -------------------------------------------------------------------

static void look_at_massless(lint *l) {
  const ap_model *m = l->model;
  for (int k = 0; k < ap_model_remarks(m); k++) {
    ap_remark r = ap_model_remark(m, k);
    if (r.kind != AP_REMARK_MASSLESS_LEAF) continue;
    const lint_link *link = &l->robot.link[l->link_of[r.body]];
    if (link->doubtful || l->robot.astray || l->cut) continue; // what is missing may be there
    double mass, com[3], I[6];
    ap_merged_inertia(m, r.body, &mass, com, I);
    const bool turns = mass == 0 && I[0] + I[3] + I[5] > 0;
    lint_note note = ap__lint_begin("massless", link->line, link->name);
    ap__lint_what(&note, "link \"%.*s\" moves, but has %s and nothing beyond it",
                  ap__shown(link->name), link->name,
                  r.value > 0 ? "no inertia about its joint" : "no mass");
    ap__lint_why(&note,
                 turns ? "no body has inertia without mass: its weight is missing, and the inertia "
                         "matrix may be singular"
                       : "the inertia matrix is singular: any torque causes an infinite "
                         "acceleration, so the robot cannot be simulated");
    ap__lint_fix(&note, turns           ? "give it its mass"
                        : l->robot.yaml ? "give it mass and inertia, or a fixed joint"
                                        : "give it an <inertial>, or make its joint fixed");
    ap__lint_end_suspicion(l, &note);
  }
}

// Links that move without mass of their own, and carry others that have some: one note for all.
static void look_at_carriers(lint *l) {
  const ap_model *m = l->model;
  const lint_link *first = NULL;
  int count = 0;
  for (int k = 0; k < ap_moving_bodies(m); k++) {
    int i = ap_moving_body(m, k);
    double mass, com[3], I[6];
    ap_merged_inertia(m, i, &mass, com, I);
    const lint_link *link = &l->robot.link[l->link_of[i]];
    if (mass != 0 || link->carried == 0) continue;
    if (count++ == 0) first = link;
  }
  if (count == 0) return;
  lint_note note = ap__lint_begin("massless", first->line, first->name);
  note.severity = AP_NOTE;
  ap__lint_what(&note, "link \"%.*s\" moves and has no mass", ap__shown(first->name), first->name);
  if (count > 1) ap__lint_what(&note, "%d links in all", count);
  ap__lint_why(&note,
               "allowed, because bodies beyond it have mass; programs with maximal coordinates "
               "cannot simulate it");
  ap__lint_end(l, &note);
}

void ap__lint_inertias(lint *l) {
  for (int i = 0; i < l->robot.nlink && !l->no_memory; i++) {
    const lint_link *link = &l->robot.link[i];
    look_at_mass(l, i);
    bool impossible = link->tensor_given && look_at_moments(l, i);
    if (link->number == 0) continue; // what hangs on nothing has no place to be compared with
    look_at_point(l, i);
    bool measured = !impossible && !ap__lint_is_placeholder(link);
    if (measured && !look_at_gyration(l, i)) look_at_shape(l, i);
    look_at_com(l, i);
    look_at_density(l, i);
  }
  if (l->model) look_at_massless(l);
  if (l->model) look_at_carriers(l);
}
