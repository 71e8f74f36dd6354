// SPDX-License-Identifier: Apache-2.0
// Axes, limits, friction, rotors: joint by joint.

#include <math.h>
#include <stdlib.h>

#include "lint/examine.h"
#include "lint/shape.h"
#include "lint/tensor.h"

static const double pi = 3.14159265358979323846;

static const char *angle_unit(const lint_joint *j) { return j->type == AP_PRISMATIC ? "m" : "rad"; }
static int line_of(int line, const lint_joint *j) { return line ? line : j->line; }

// ---- axes and places ---------------------------------------------------------------------------

static void look_at_axis(lint *l, const lint_joint *j) {
  bool reads = ap__lint_one_dof(j) || j->type == AP_PLANAR;
  if (!reads || j->place.kind > AP_PLACE_MATRIX) return;
  double n = length3(j->axis);
  if (fabs(n - 1) <= 1e-3) return;
  lint_note note = ap__lint_begin("axis", line_of(j->axis_line, j), j->name);
  if (n == 0) {
    ap__lint_what(&note, "the axis of joint \"%.*s\" is 0 0 0", ap__shown(j->name), j->name);
    ap__lint_why(&note, "a moving joint needs a direction: the robot is refused");
    ap__lint_fix(&note, LINT_FORM(l, "axis: [0, 0, 1]", "<axis xyz=\"0 0 1\"/>", "axis=\"0 0 1\""));
    ap__lint_end(l, &note);
    return;
  }
  note.severity = l->robot.yaml ? AP_NOTE : AP_WARNING; // YAML says "any length"
  ap__lint_what(&note, "the axis of joint \"%.*s\" has length %.6g", ap__shown(j->name), j->name,
                n);
  if (n > 1e-30 && n < 1e30) // else no number of a robot
    ap__lint_why(&note,
                 "Appell normalises it; a program that does not would scale speeds by %.4g and "
                 "inertias by %.4g",
                 n, n * n);
  else
    ap__lint_why(&note, "Appell normalises it; a program that does not computes no numbers");
  double x[3];
  for (int i = 0; i < 3; i++) x[i] = j->axis[i] / n;
  ap__lint_fix(&note,
               LINT_FORM(l, "axis: [%.9g, %.9g, %.9g]", "<axis xyz=\"%.9g %.9g %.9g\"/>",
                         "axis=\"%.9g %.9g %.9g\""),
               x[0], x[1], x[2]);
  ap__lint_end(l, &note);
}

static void look_at_rotation(lint *l, const lint_joint *j) {
  if (j->place.kind != AP_PLACE_MATRIX) return;
  const double *R = j->place.matrix;
  double worst = 0;
  for (int i = 0; i < 3; i++)
    for (int k = i; k < 3; k++) {
      double dot = R[i] * R[k] + R[3 + i] * R[3 + k] + R[6 + i] * R[6 + k];
      worst = fmax(worst, fabs(dot - (i == k)));
    }
  if (worst <= 1e-9) return;
  lint_note note = ap__lint_begin("rotation", line_of(j->origin_line, j), j->name);
  if (worst > 1e-6) note.severity = AP_ERROR;
  ap__lint_what(&note, "the matrix of joint \"%.*s\" deviates from a rotation by %.2g",
                ap__shown(j->name), j->name, worst);
  ap__lint_why(&note,
               worst > 1e-6 ? "the robot is refused: lengths would change by %.2g %%"
                            : "it is made orthonormal: lengths change by %.2g %%",
               50 * worst);
  ap__lint_fix(&note, "print its entries with 12 digits or more, or write rpy");
  ap__lint_end(l, &note);
}

// ---- positions ---------------------------------------------------------------------------------

static lint_note begin_limit(const char *rule, const lint_joint *j) {
  return ap__lint_begin(rule, line_of(j->limit_line, j), j->name);
}

static void look_at_empty(lint *l, const lint_joint *j) {
  lint_note note = begin_limit("limit-empty", j);
  if (j->limit_line == 0) {
    ap__lint_what(&note, "joint \"%.*s\" is %s without <limit>", ap__shown(j->name), j->name,
                  j->type == AP_PRISMATIC ? "prismatic" : "revolute");
    ap__lint_why(&note,
                 "here it moves without limit; other programs refuse the file or fix the joint");
    ap__lint_fix(&note, j->type == AP_PRISMATIC
                            ? "add <limit lower=\"...\" upper=\"...\" effort=\"...\" "
                              "velocity=\"...\"/>"
                            : "type=\"continuous\", or add <limit lower=\"...\" upper=\"...\" "
                              "effort=\"...\" velocity=\"...\"/>");
  } else {
    ap__lint_what(&note, "the range of joint \"%.*s\" is %g to %g", ap__shown(j->name), j->name,
                  isnan(j->lower) ? 0 : j->lower, isnan(j->upper) ? 0 : j->upper);
    ap__lint_why(&note, "a joint that cannot move is a useless degree of freedom");
    ap__lint_fix(&note, "type=\"fixed\", or the intended range");
  }
  ap__lint_end(l, &note);
}

// A limit of a slide is no longer than a few robots, each as long as its longest link.
static double longest_link(const lint *l) { return fmax(l->robot.longest, 1e-3); }

// What limits that seem to be in degrees or millimetres are to be multiplied by; else 1.
static double unit_of(const lint *l, const lint_joint *j) {
  double largest = fmax(fabs(j->lower), fabs(j->upper));
  // A range of some turns is common; beyond five, degrees are likelier.
  if (j->type == AP_REVOLUTE) return largest > 10 * pi && largest <= 1080 ? pi / 180 : 1;
  return largest > 20 * longest_link(l) && largest <= 1e6 ? 1e-3 : 1;
}

static void look_at_unit(lint *l, const lint_joint *j) {
  double largest = fmax(fabs(j->lower), fabs(j->upper)), factor = unit_of(l, j);
  bool turn = j->type == AP_REVOLUTE;
  if (factor == 1) return;
  lint_note note = begin_limit("limit-unit", j);
  ap__lint_what(&note, "joint \"%.*s\" has limits %g to %g %s: %s", ap__shown(j->name), j->name,
                j->lower, j->upper, angle_unit(j), turn ? "degrees?" : "millimetres?");
  if (turn)
    ap__lint_why(&note, "that is %.3g turns instead of %.3g", largest / (2 * pi), largest / 360);
  else
    ap__lint_why(&note, "the links of the robot are at most %.3g m long", longest_link(l));
  ap__lint_fix(&note,
               LINT_FORM(l, "lower: %.6g, upper: %.6g", "lower=\"%.6g\" upper=\"%.6g\"",
                         "range=\"%.6g %.6g\""),
               fmin(j->lower, j->upper) * factor, fmax(j->lower, j->upper) * factor);
  ap__lint_end(l, &note);
}

static void look_at_range(lint *l, const lint_joint *j) {
  if (!ap__lint_one_dof(j) || j->continuous) return;
  double lower = isnan(j->lower) ? 0 : j->lower, upper = isnan(j->upper) ? 0 : j->upper;
  if (l->robot.yaml && (isnan(j->lower) || isnan(j->upper))) return;
  if (lower > upper) {
    lint_note note = begin_limit("limit-inverted", j);
    ap__lint_what(&note, "joint \"%.*s\" has its lower limit %g above the upper one, %g",
                  ap__shown(j->name), j->name, lower, upper);
    ap__lint_why(&note, "no position is allowed: the robot is refused");
    double unit = unit_of(l, j);
    ap__lint_fix(&note,
                 LINT_FORM(l, "lower: %.6g, upper: %.6g", "lower=\"%.6g\" upper=\"%.6g\"",
                           "range=\"%.6g %.6g\""),
                 upper * unit, lower * unit);
    ap__lint_end(l, &note);
    look_at_unit(l, j);
    return;
  }
  if (lower == upper) {
    look_at_empty(l, j);
    return;
  }
  look_at_unit(l, j);
  if (lower <= 0 && upper >= 0) return;
  lint_note note = begin_limit("limit-zero", j);
  ap__lint_what(&note, "joint \"%.*s\" excludes zero: its limits are %g to %g %s",
                ap__shown(j->name), j->name, lower, upper, angle_unit(j));
  ap__lint_why(&note, "programs that start at zero start %.3g %s outside the limits",
               lower > 0 ? lower : -upper, angle_unit(j));
  ap__lint_end(l, &note);
}

static void look_at_mimic(lint *l, const lint_joint *j) {
  if (j->leader_joint < 0 || !ap__lint_one_dof(j)) return;
  const lint_joint *leader = &l->robot.joint[j->leader_joint];
  if (!isfinite(leader->lower) || !isfinite(leader->upper) || leader->lower > leader->upper) return;
  if (!isfinite(j->lower) || !isfinite(j->upper) || j->lower > j->upper) return;
  double a = j->ratio * leader->lower + j->offset, b = j->ratio * leader->upper + j->offset;
  double low = fmin(a, b), high = fmax(a, b);
  double out = fmax(j->lower - low, high - j->upper);
  if (out <= 1e-3 * fmax(1, high - low)) return;
  lint_note note = ap__lint_begin("limit-mimic", line_of(j->mimic_line, j), j->name);
  ap__lint_what(
      &note,
      "joint \"%.*s\" follows \"%.*s\" from %.4g to %.4g %s, but its limits are %.4g to %.4g",
      ap__shown(j->name), j->name, ap__shown(leader->name), leader->name, low, high, angle_unit(j),
      j->lower, j->upper);
  ap__lint_why(&note, "it exceeds them by %.3g %s, or the leader cannot use its range", out,
               angle_unit(j));
  double from = (fmin(fmax(a, j->lower), j->upper) - j->offset) / j->ratio;
  double to = (fmin(fmax(b, j->lower), j->upper) - j->offset) / j->ratio;
  ap__lint_fix(&note, "limits %.4g to %.4g of the follower, or %.4g to %.4g of the leader", low,
               high, fmin(from, to), fmax(from, to));
  ap__lint_end(l, &note);
}

// ---- force and speed ---------------------------------------------------------------------------

// All joints with the same shortcoming in one finding.
static void look_at_limit(lint *l, bool effort) {
  const lint_robot *robot = &l->robot;
  int count = 0, negative = 0;
  const lint_joint *first = NULL;
  for (int i = 0; i < robot->njoint; i++) {
    const lint_joint *j = &robot->joint[i];
    double x = effort ? j->effort : j->velocity;
    if (!ap__lint_one_dof(j) || !(x <= 0)) continue;
    negative += x < 0;
    if (count++ == 0) first = j;
  }
  if (count == 0) return;
  const char *what = effort ? "effort" : "velocity";
  lint_note note = begin_limit("limit-effort", first);
  ap__lint_what(&note, "the limit of %s of joint \"%.*s\" is %g", what, ap__shown(first->name),
                first->name, effort ? first->effort : first->velocity);
  if (count > 1) ap__lint_what(&note, "%d joints in all have no limit above zero", count);
  ap__lint_why(&note, negative ? "a negative limit counts as no limit here, as zero elsewhere"
                      : effort ? "a controller that respects it cannot hold the joint at all"
                               : "a planner that respects it never moves the joint");
  ap__lint_fix(&note, effort ? "the motor's largest torque times the gear ratio"
                             : "the motor's largest speed divided by the gear ratio");
  ap__lint_end(l, &note);
}

// rad/s and m/s that a joint with limits does not reach, and that are still a speed in degrees or
// millimetres. A power of ten is somebody's "no limit".
static bool is_in_other_unit(const lint_joint *j) {
  bool turn = j->type == AP_REVOLUTE;
  if (!ap__lint_one_dof(j) || j->continuous || ap__lint_is_power_of_ten(j->velocity)) return false;
  return j->velocity > (turn ? 60 : 20) && j->velocity <= (turn ? 1080 : 1e5);
}

static void look_at_velocity_unit(lint *l) {
  const lint_robot *robot = &l->robot;
  const lint_joint *first = NULL;
  int count = 0;
  for (int i = 0; i < robot->njoint; i++) {
    if (!is_in_other_unit(&robot->joint[i])) continue;
    if (count++ == 0) first = &robot->joint[i];
  }
  if (count == 0) return;
  bool turn = first->type == AP_REVOLUTE;
  double meant = first->velocity * (turn ? pi / 180 : 1e-3);
  lint_note note = begin_limit("limit-unit", first);
  ap__lint_what(&note, "joint \"%.*s\" has a speed limit of %g %s/s: %s per second?",
                ap__shown(first->name), first->name, first->velocity, angle_unit(first),
                turn ? "degrees" : "millimetres");
  if (count > 1) ap__lint_what(&note, "%d joints in all", count);
  if (turn)
    ap__lint_why(&note, "that is %.3g turns in a second instead of %.3g",
                 first->velocity / (2 * pi), meant / (2 * pi));
  else
    ap__lint_why(&note, "that is %.3g times the longest link in a second",
                 first->velocity / longest_link(l));
  ap__lint_fix(&note, l->robot.yaml ? "velocity: %.6g" : "velocity=\"%.6g\"", meant);
  ap__lint_end(l, &note);
}

static void look_at_stiction(lint *l, const lint_joint *j) {
  double least = fmax(j->coulomb, 0);
  if (j->stiction == 0 || j->stiction >= least) return;
  lint_note note = ap__lint_begin("friction-static", line_of(j->dynamics_line, j), j->name);
  ap__lint_what(&note, "the static friction of joint \"%.*s\" is %g, its sliding friction %g",
                ap__shown(j->name), j->name, j->stiction, j->coulomb);
  ap__lint_why(&note,
               "static friction must be at least the sliding friction: the robot is refused");
  ap__lint_fix(&note, "static: %g", fmax(least, -j->stiction));
  ap__lint_end(l, &note);
}

static void look_at_friction(lint *l, const lint_joint *j) {
  if (j->viscous >= 0 && j->coulomb >= 0) return;
  double x = j->viscous < 0 ? j->viscous : j->coulomb;
  const char *what = j->viscous < 0 ? "damping" : "friction";
  lint_note note = ap__lint_begin("friction-negative", line_of(j->dynamics_line, j), j->name);
  ap__lint_what(&note, "the %s of joint \"%.*s\" is %g", what, ap__shown(j->name), j->name, x);
  ap__lint_why(
      &note,
      "it adds %.3g W to the joint at 1 %s/s instead of dissipating them: the robot is refused", -x,
      angle_unit(j));
  if (l->robot.yaml)
    ap__lint_fix(&note, "%s: %g", j->viscous < 0 ? "viscous" : "coulomb", -x);
  else
    ap__lint_fix(&note, "%s=\"%g\"", what, -x);
  ap__lint_end(l, &note);
}

static void look_at_spring(lint *l, const lint_joint *j) {
  double rest = j->rest[0];
  bool negative = j->stiffness < 0, outside = rest < j->lower || rest > j->upper;
  if (!negative && !(j->stiffness > 0 && ap__lint_one_dof(j) && outside)) return;
  lint_note note = ap__lint_begin(negative ? "spring-negative" : "spring-rest",
                                  line_of(j->spring_line, j), j->name);
  if (negative) {
    ap__lint_what(&note, "the spring of joint \"%.*s\" has a stiffness of %g", ap__shown(j->name),
                  j->name, j->stiffness);
    ap__lint_why(&note, "it drives the joint away from its rest: the robot is refused");
    ap__lint_fix(
        &note,
        LINT_FORM(l, "stiffness: %g", "<springStiffness>%g</springStiffness>", "stiffness=\"%g\""),
        -j->stiffness);
  } else {
    double limit = rest < j->lower ? j->lower : j->upper;
    ap__lint_what(&note, "the spring of joint \"%.*s\" is relaxed at %g %s, outside its limits",
                  ap__shown(j->name), j->name, rest, angle_unit(j));
    ap__lint_why(&note, "it presses the joint against the limit %g with %.3g %s", limit,
                 j->stiffness * fabs(limit - rest), j->type == AP_PRISMATIC ? "N" : "N m");
  }
  ap__lint_end(l, &note);
}

static void look_at_compensation(lint *l, const lint_link *link) {
  double x = link->compensated;
  if (x >= 0 && x <= 1) return;
  lint_note note = ap__lint_begin("gravity-compensation", link->line, link->name);
  ap__lint_what(&note, "%.4g of the weight of \"%.*s\" is compensated", x, ap__shown(link->name),
                link->name);
  ap__lint_why(&note, x > 1 ? "the force exceeds the weight: left alone, the body rises"
                            : "the force adds to the weight instead of compensating it");
  ap__lint_end(l, &note);
}

// What the links behind a joint show to it in the middle of its range, 0 where nobody knows.
static double apparent(lint *l, const lint_joint *j) {
  int body = l->robot.link[j->child_link].number, nv = l->motion.nv;
  if (!l->motion.work || l->motion.closed || body == 0 || ap_joint_nv(l->model, body) != 1 ||
      nv > 200)
    return 0;
  double *M = malloc((size_t)nv * (size_t)nv * sizeof *M), x = 0;
  if (M) {
    ap_inertia_matrix(l->model, l->motion.work, l->motion.q, M);
    int v = ap_joint_v(l->model, body);
    x = M[(size_t)v * (size_t)nv + (size_t)v];
  }
  l->no_memory = l->no_memory || !M;
  free(M);
  return x;
}

static void look_at_rotor(lint *l, const lint_joint *j) {
  if (j->rotor_line == 0 && j->rotor == 0) return;
  lint_note note = ap__lint_begin("rotor", line_of(j->rotor_line, j), j->name);
  double reflected = j->gear * j->gear * j->rotor;
  if (j->rotor < 0 || (j->gear == 0 && j->rotor != 0)) {
    note.severity = AP_ERROR;
    ap__lint_what(&note, "the motor of joint \"%.*s\" has a rotor of %g kg m2 and a gear of %g",
                  ap__shown(j->name), j->name, j->rotor, j->gear);
    ap__lint_why(&note, "neither is possible: the robot is refused");
    ap__lint_fix(&note,
                 "a rotor inertia of at least zero, a nonzero gear (motor turns per joint turn)");
    ap__lint_end(l, &note);
    return;
  }
  double link = j->child_link >= 0 && j->rotor > 0 ? apparent(l, j) : 0;
  if (!(link > 0) || reflected <= 1000 * link) return;
  ap__lint_what(&note,
                "the rotor of joint \"%.*s\" has %.3g kg m2 reflected through its gear of %g",
                ap__shown(j->name), j->name, reflected, j->gear);
  ap__lint_why(&note,
               "the links beyond it have %.3g: %.3g %% of the torque would accelerate the motor",
               link, 100 * reflected / (reflected + link));
  ap__lint_fix(&note,
               "typical rotor inertias, on the motor side of the gear, are 1e-7 to 1e-3 kg m2");
  ap__lint_end(l, &note);
}

static void look_at_world(lint *l) {
  double g = norm3(l->robot.gravity);
  if (fabs(g - 9.81) <= 0.05) return;
  lint_note note = ap__lint_begin("gravity", l->robot.gravity_line, "gravity");
  ap__lint_what(&note, "gravity is %.4g m/s2", g);
  ap__lint_why(&note, "gravity torques are %.3g %% of those on Earth", 100 * g / 9.81);
  ap__lint_end(l, &note);
}

void ap__lint_joints(lint *l) {
  for (int i = 0; i < l->robot.njoint && !l->no_memory; i++) {
    const lint_joint *j = &l->robot.joint[i];
    look_at_axis(l, j);
    look_at_rotation(l, j);
    look_at_range(l, j);
    look_at_mimic(l, j);
    look_at_friction(l, j);
    look_at_stiction(l, j);
    look_at_spring(l, j);
    look_at_rotor(l, j);
  }
  for (int i = 0; i < l->robot.nlink; i++) look_at_compensation(l, &l->robot.link[i]);
  look_at_limit(l, true);
  look_at_limit(l, false);
  look_at_velocity_unit(l);
  look_at_world(l);
}
