// SPDX-License-Identifier: Apache-2.0
// The shape of a controller without a heap: everything is placed in static memory at start-up; the
// control loop only computes. The arm has two joints; a payload is hung on it while it runs.
//
// The controller is inverse dynamics with feedback ("computed torque"):
//     tau = M(q) (a_d + kd (v_d - v) + kp (q_d - q)) + h(q, v)
// In place of a real arm, forward dynamics of a second work answers, in steps of 1 ms.

#include <appell/appell.h>
#include <stdio.h>

enum { JOINTS = 2 };

// What each work is for: the controller needs inverse dynamics, the arm forward dynamics, and both
// take payloads. Nothing else is stored, or linked with --gc-sections.
static const ap_part *const control_parts[] = {&ap_part_inverse, &ap_part_changes, NULL};
static const ap_part *const plant_parts[] = {&ap_part_solver, &ap_part_changes, NULL};

// Bytes for this arm; arm_start() says how many it takes when these are too few.
static unsigned char model_memory[4096], control_memory[6144], plant_memory[12288];

typedef struct arm {
  const ap_model *model;
  ap_work *control; // what the controller believes
  ap_work *plant;   // the arm itself
} arm;

// Two uniform rods of 0.4 m and 0.3 m that turn about horizontal axes.
static ap_robot_def arm_definition(ap_body_def bodies[JOINTS]) {
  static const double length[JOINTS] = {0.4, 0.3}, mass[JOINTS] = {2.0, 1.2};
  static const char *const names[JOINTS] = {"upper_arm", "forearm"};
  for (int i = 0; i < JOINTS; i++) {
    double moment = mass[i] * length[i] * length[i] / 12;
    bodies[i] = ap_default_body();
    bodies[i].name = names[i];
    bodies[i].parent = i;
    bodies[i].joint = AP_REVOLUTE;
    bodies[i].axis[1] = 1; // about y instead of z
    bodies[i].axis[2] = 0;
    bodies[i].place.xyz[0] = i > 0 ? length[i - 1] : 0;
    bodies[i].mass = mass[i];
    bodies[i].com[0] = length[i] / 2;
    bodies[i].inertia[3] = bodies[i].inertia[5] = moment; // yy and zz of a thin rod along x
  }
  ap_robot_def robot = ap_default_robot();
  robot.bodies = bodies;
  robot.nbody = JOINTS;
  return robot;
}

// Start-up: the only part that can fail.
static int arm_start(arm *x) {
  ap_body_def bodies[JOINTS];
  ap_robot_def robot = arm_definition(bodies);
  ap_error error;
  x->model = ap_model_init(&robot, model_memory, sizeof model_memory, &error);
  if (!x->model) return fprintf(stderr, "%s\n", error.text), 1;
  x->control = ap_work_init_for(x->model, control_parts, control_memory, sizeof control_memory);
  x->plant = ap_work_init_for(x->model, plant_parts, plant_memory, sizeof plant_memory);
  if (x->control && x->plant) return 0;
  return fprintf(stderr, "the works need %zu and %zu bytes\n",
                 ap_work_size_for(x->model, control_parts),
                 ap_work_size_for(x->model, plant_parts)),
         1;
}

// Where a joint should be, how fast and with what acceleration: to and fro between 0 and 1 rad, 1 s
// each way, on the polynomial of fifth degree that starts and ends at rest.
typedef struct target {
  double q, v, a;
} target;

static target target_at(double t, int joint) {
  double s = t - 2 * (double)(int)(t / 2);
  double sign = s > 1 ? -1 : 1, start = s > 1 ? 1 : 0;
  if (joint == 1) sign = -sign, start = 1 - start; // the elbow goes the other way
  if (s > 1) s -= 1;
  return (target){.q = start + sign * s * s * s * (10 - 15 * s + 6 * s * s),
                  .v = sign * 30 * s * s * (1 - 2 * s + s * s),
                  .a = sign * 60 * s * (1 - 3 * s + 2 * s * s)};
}

// One cycle of the controller: no heap, no lock, no input or output.
static void control(arm *x, double t, const double *q, const double *v, double *tau) {
  const double kp = 400, kd = 40; // 1/s2, 1/s: critically damped at 20 rad/s
  double a[JOINTS];
  for (int i = 0; i < JOINTS; i++) {
    target to = target_at(t, i);
    a[i] = to.a + kd * (to.v - v[i]) + kp * (to.q - q[i]);
  }
  ap_inverse_dynamics(x->model, x->control, q, v, a, tau);
}

// The larger of a number and the largest distance from the target.
static double worst_error(double worst, double t, const double *q) {
  for (int i = 0; i < JOINTS; i++) {
    double error = target_at(t, i).q - q[i];
    if (error < 0) error = -error;
    if (error > worst) worst = error;
  }
  return worst;
}

int main(void) {
  static const double com[3] = {0.3, 0, 0}, point[6] = {0}; // a point mass at the tip
  arm x;
  if (arm_start(&x)) return 1;
  double q[JOINTS] = {0, 1}, v[JOINTS] = {0}, tau[JOINTS], a[JOINTS];
  const double dt = 1e-3;
  double worst = 0;
  for (int k = 0; k < 6000; k++) {
    double t = k * dt;
    if (k == 2000) { // the gripper closes: 0.8 kg that the controller does not know of yet
      printf("empty           %.5f rad\n", worst);
      ap_set_payload(x.model, x.plant, 2, 0.8, com, point);
      worst = 0;
    }
    if (k == 4000) { // now it does
      printf("unknown payload %.5f rad\n", worst);
      ap_set_payload(x.model, x.control, 2, 0.8, com, point);
    }
    if (k == 5000) worst = 0; // the old error has decayed
    control(&x, t, q, v, tau);
    ap_status status = ap_forward_dynamics(x.model, x.plant, q, v, tau, a);
    if (status != AP_OK) return fprintf(stderr, "%s\n", ap_status_text(status)), 1;
    for (int i = 0; i < JOINTS; i++) v[i] += a[i] * dt, q[i] += v[i] * dt;
    worst = worst_error(worst, t + dt, q);
  }
  printf("known payload   %.5f rad\n", worst);
  return worst < 0.01 ? 0 : 1;
}
