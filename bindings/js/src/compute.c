// SPDX-License-Identifier: Apache-2.0
// Quantities of many states: a table of kernels, each with the sizes of its inputs and outputs.
//
// Sizes as letters. Of a tree: q nq; v nv; M nv * nv; J 6 * nv; K nv rows of the regressor; P, R
// the origins and axes of all frames; digits themselves. Of a mechanism: n coordinates, A
// actuators, q and v of its tree, N n * n, B actuators * n.

#include <appell/dyn.h>

#include <math.h>
#include <string.h>

#include "js.h"

typedef struct call {
  js_robot *r;
  const double *in[3];
  double *out[3];
  int frame;
  ap_reference reference;
} call;

typedef ap_status kernel(const call *c);

#define KERNEL(name) static ap_status name(const call *c)
#define TREE         c->r->model, c->r->work
#define LOOP         c->r->mechanism, c->r->loop
#define ALL_IN       c->in[0], c->in[1], c->in[2]
#define ALL_OUT      c->out[0], c->out[1], c->out[2]
#define WRENCHES     c->r->wrench, c->r->wrenches

// ---- trees -------------------------------------------------------------------------------------

KERNEL(inverse_dynamics) {
  if (c->r->wrenches > 0) return ap_inverse_dynamics_ext(TREE, ALL_IN, WRENCHES, c->out[0]);
  ap_inverse_dynamics(TREE, ALL_IN, c->out[0]);
  return AP_OK;
}
KERNEL(forward_dynamics) {
  return c->r->wrenches > 0 ? ap_forward_dynamics_ext(TREE, ALL_IN, WRENCHES, c->out[0])
                            : ap_forward_dynamics(TREE, ALL_IN, c->out[0]);
}
KERNEL(bias) { return ap_bias(TREE, c->in[0], c->in[1], c->out[0]), AP_OK; }
KERNEL(gravity) { return ap_gravity_forces(TREE, c->in[0], c->out[0]), AP_OK; }
KERNEL(inertia) { return ap_inertia_matrix(TREE, c->in[0], c->out[0]), AP_OK; }
KERNEL(inertia_inverse) { return ap_inverse_inertia_matrix(TREE, c->in[0], c->out[0]); }
KERNEL(coriolis) { return ap_coriolis_matrix(TREE, c->in[0], c->in[1], c->out[0]), AP_OK; }
KERNEL(inverse_dynamics_derivatives) {
  return ap_inverse_dynamics_derivatives_ext(TREE, ALL_IN, WRENCHES, ALL_OUT);
}
KERNEL(forward_dynamics_derivatives) {
  return ap_forward_dynamics_derivatives_ext(TREE, ALL_IN, WRENCHES, ALL_OUT);
}
KERNEL(regressor) { return ap_regressor(TREE, ALL_IN, c->out[0]), AP_OK; }
KERNEL(kinetic_energy) { return c->out[0][0] = ap_kinetic_energy(TREE, c->in[0], c->in[1]), AP_OK; }
KERNEL(potential_energy) { return c->out[0][0] = ap_potential_energy(TREE, c->in[0]), AP_OK; }
KERNEL(elastic_energy) { return c->out[0][0] = ap_elastic_energy(TREE, c->in[0]), AP_OK; }
KERNEL(pose) {
  ap_kinematics(TREE, c->in[0], NULL, NULL);
  return ap_frame_pose(TREE, c->frame, c->out[0], c->out[1]);
}
KERNEL(poses) {
  const int n = ap_nframe(c->r->model);
  return ap_forward_kinematics(TREE, c->in[0], c->r->frame, n, AP_WORLD, c->out[0], c->out[1],
                               NULL);
}
KERNEL(jacobian) {
  ap_kinematics(TREE, c->in[0], NULL, NULL);
  return ap_frame_jacobian(TREE, c->frame, c->reference, c->out[0]);
}
KERNEL(velocity) {
  ap_kinematics(TREE, c->in[0], c->in[1], NULL);
  return ap_frame_velocity(TREE, c->frame, c->reference, c->out[0]);
}
KERNEL(acceleration) {
  ap_kinematics(TREE, ALL_IN);
  return ap_frame_acceleration(TREE, c->frame, c->reference, c->out[0]);
}
KERNEL(jacobian_dot_v) {
  ap_kinematics(TREE, c->in[0], c->in[1], NULL);
  return ap_frame_jacobian_dot_v(TREE, c->frame, c->reference, c->out[0]);
}
KERNEL(centre_of_mass) {
  ap_kinematics(TREE, c->in[0], NULL, NULL);
  ap_centre_of_mass(TREE, c->out[0], NULL, NULL);
  return AP_OK;
}
KERNEL(centroidal_momentum) {
  ap_kinematics(TREE, c->in[0], c->in[1], NULL);
  return ap_centroidal_momentum(TREE, c->out[0]), AP_OK;
}
KERNEL(centroidal_matrix) {
  ap_kinematics(TREE, c->in[0], NULL, NULL);
  return ap_centroidal_matrix(TREE, c->out[0]), AP_OK;
}
KERNEL(integrate) { return ap_integrate(c->r->model, c->in[0], c->in[1], c->out[0]), AP_OK; }
KERNEL(difference) { return ap_difference(c->r->model, c->in[0], c->in[1], c->out[0]), AP_OK; }
KERNEL(normalize) {
  memcpy(c->out[0], c->in[0], (size_t)ap_nq(c->r->model) * sizeof(double));
  return ap_normalize(c->r->model, c->out[0]);
}

// ---- mechanisms --------------------------------------------------------------------------------

KERNEL(loop_inverse_dynamics) {
  return ap_loop_inverse_dynamics_ext(LOOP, ALL_IN, WRENCHES, c->out[0]);
}
KERNEL(loop_forward_dynamics) {
  return ap_loop_forward_dynamics_ext(LOOP, ALL_IN, WRENCHES, c->out[0]);
}
KERNEL(loop_forces) { return ap_loop_forces(LOOP, ALL_IN, c->out[0]); }
KERNEL(loop_inertia) { return ap_loop_inertia_matrix(LOOP, c->in[0], c->out[0]); }
KERNEL(loop_coriolis) { return ap_loop_coriolis_matrix(LOOP, c->in[0], c->in[1], c->out[0]); }
KERNEL(loop_gravity) { return ap_loop_gravity_forces(LOOP, c->in[0], c->out[0]); }
KERNEL(loop_kinetic_energy) { return ap_loop_energy(LOOP, c->in[0], c->in[1], c->out[0], NULL); }
KERNEL(loop_potential_energy) { return ap_loop_energy(LOOP, c->in[0], c->in[0], NULL, c->out[0]); }
KERNEL(loop_configuration) {
  const ap_status status = ap_loop_place(LOOP, c->in[0], NULL);
  if (status != AP_OK && status != AP_E_SINGULAR_SERIAL) return status;
  memcpy(c->out[0], ap_loop_configuration(c->r->loop), (size_t)ap_nq(c->r->model) * sizeof(double));
  return AP_OK;
}
KERNEL(loop_tree_velocity) { return ap_loop_velocity(LOOP, c->in[0], c->in[1], c->out[0]); }
KERNEL(loop_tree_acceleration) { return ap_loop_acceleration(LOOP, ALL_IN, c->out[0]); }
KERNEL(loop_actuator_map) { return ap_loop_actuator_map(LOOP, c->in[0], c->out[0]); }
KERNEL(loop_distances) {
  ap_singularity near;
  const ap_status status = ap_loop_singularity(LOOP, c->in[0], &near);
  c->out[0][0] = near.serial;
  c->out[0][1] = near.parallel;
  return status == AP_E_SINGULAR_SERIAL || status == AP_E_SINGULAR_PARALLEL ? AP_OK : status;
}

// ---- the table ---------------------------------------------------------------------------------

typedef struct quantity {
  const char *name;
  kernel *run;
  const char *in, *out; // letters
} quantity;

static const quantity quantities[] = {
    {"inverse_dynamics", inverse_dynamics, "qvv", "v"},
    {"forward_dynamics", forward_dynamics, "qvv", "v"},
    {"bias", bias, "qv", "v"},
    {"gravity", gravity, "q", "v"},
    {"inertia", inertia, "q", "M"},
    {"inertia_inverse", inertia_inverse, "q", "M"},
    {"coriolis", coriolis, "qv", "M"},
    {"inverse_dynamics_derivatives", inverse_dynamics_derivatives, "qvv", "MMM"},
    {"forward_dynamics_derivatives", forward_dynamics_derivatives, "qvv", "MMM"},
    {"regressor", regressor, "qvv", "K"},
    {"kinetic_energy", kinetic_energy, "qv", "1"},
    {"potential_energy", potential_energy, "q", "1"},
    {"elastic_energy", elastic_energy, "q", "1"},
    {"pose", pose, "q", "93"},
    {"poses", poses, "q", "RP"},
    {"jacobian", jacobian, "q", "J"},
    {"velocity", velocity, "qv", "6"},
    {"acceleration", acceleration, "qvv", "6"},
    {"jacobian_dot_v", jacobian_dot_v, "qv", "6"},
    {"centre_of_mass", centre_of_mass, "q", "3"},
    {"centroidal_momentum", centroidal_momentum, "qv", "6"},
    {"centroidal_matrix", centroidal_matrix, "q", "J"},
    {"integrate", integrate, "qv", "q"},
    {"difference", difference, "qq", "v"},
    {"normalize", normalize, "q", "q"},
    {"loop_inverse_dynamics", loop_inverse_dynamics, "nnn", "A"},
    {"loop_forward_dynamics", loop_forward_dynamics, "nnA", "n"},
    {"loop_forces", loop_forces, "nnn", "n"},
    {"loop_inertia", loop_inertia, "n", "N"},
    {"loop_coriolis", loop_coriolis, "nn", "N"},
    {"loop_gravity", loop_gravity, "n", "n"},
    {"loop_kinetic_energy", loop_kinetic_energy, "nn", "1"},
    {"loop_potential_energy", loop_potential_energy, "n", "1"},
    {"loop_configuration", loop_configuration, "n", "q"},
    {"loop_tree_velocity", loop_tree_velocity, "nn", "v"},
    {"loop_tree_acceleration", loop_tree_acceleration, "nnn", "v"},
    {"loop_actuator_map", loop_actuator_map, "n", "B"},
    {"loop_distances", loop_distances, "n", "2"},
};
enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

static int size_of(const js_robot *r, char letter) {
  const int nv = ap_nv(r->model), frames = ap_nframe(r->model);
  switch (letter) {
    case 'q': return ap_nq(r->model);
    case 'v': return nv;
    case 'M': return nv * nv;
    case 'J': return 6 * nv;
    case 'K': return nv * 10 * ap_moving_bodies(r->model);
    case 'R': return 9 * frames;
    case 'P': return 3 * frames;
    case 'n': return ap_mechanism_n(r->mechanism);
    case 'A': return ap_mechanism_nact(r->mechanism);
    case 'N': return ap_mechanism_n(r->mechanism) * ap_mechanism_n(r->mechanism);
    case 'B': return ap_mechanism_nact(r->mechanism) * ap_mechanism_n(r->mechanism);
    default: return letter - '0';
  }
}

// The number of a quantity; -1: there is none.
JS(js_quantity) int js_quantity(const char *name) {
  for (int i = 0; i < QUANTITIES; i++)
    if (strcmp(quantities[i].name, name) == 0) return i;
  return -1;
}

// Numbers of input (0 to 2) or output (3 to 5) of one state; -1: there is none.
JS(js_size) int js_size(const js_robot *r, int what, int slot) {
  const char *letters = slot < 3 ? quantities[what].in : quantities[what].out;
  const size_t k = (size_t)slot % 3;
  return k < strlen(letters) ? size_of(r, letters[k]) : -1;
}

static bool is_finite(const double *x, int n) {
  double sum = 0; // of zeros, unless a number is not finite
  for (int i = 0; i < n; i++) sum += x[i] * 0;
  return sum == 0;
}

// Kernels do not test what they are given: numbers that are none and quaternions of length zero end
// here.
static ap_status check(const call *c, const char *letters) {
  const ap_model *m = c->r->model;
  const int nq = ap_nq(m);
  for (int k = 0; letters[k]; k++) {
    if (!is_finite(c->in[k], size_of(c->r, letters[k]))) return AP_E_ARG;
    if (letters[k] != 'q' || nq == ap_nv(m)) continue;
    memcpy(c->r->x, c->in[k], (size_t)nq * sizeof(double));
    const ap_status status = ap_normalize(m, c->r->x);
    if (status != AP_OK) return status;
  }
  return AP_OK;
}

// Compute a quantity of n states, which stand one behind another in every array. Returns the
// number of the first state without a result, whose reason is js_failure; n: all have one.
JS(js_compute)
int js_compute(js_robot *r, int what, int n, const double *in0, const double *in1,
               const double *in2, double *out0, double *out1, double *out2, int frame,
               int reference) {
  const quantity *y = &quantities[what];
  call c = {.r = r,
            .in = {in0, in1, in2},
            .out = {out0, out1, out2},
            .frame = frame,
            .reference = (ap_reference)reference};
  for (int k = 0; k < n; k++) {
    ap_status status = check(&c, y->in);
    if (status == AP_OK) status = y->run(&c);
    if (status != AP_OK) return js_fail(status), k;
    for (int i = 0; y->in[i]; i++) c.in[i] += size_of(r, y->in[i]);
    for (int i = 0; y->out[i]; i++) c.out[i] += size_of(r, y->out[i]);
  }
  return n;
}

// Calls in a row of the inverse dynamics, for the benchmark: what a call costs inside the module.
JS(js_repeat_inverse)
void js_repeat_inverse(js_robot *r, int n, const double *q, const double *v, const double *a,
                       double *tau) {
  for (int k = 0; k < n; k++) ap_inverse_dynamics(r->model, r->work, q, v, a, tau);
}

// ---- searches ----------------------------------------------------------------------------------

// From q to the q that puts a frame at p and, where R is not NULL, R. result: iterations, both
// errors. The status says whether it got there.
JS(js_inverse_kinematics)
int js_inverse_kinematics(js_robot *r, int frame, const double *R, const double *p,
                          double tolerance, int iterations, bool respect_limits, double *q,
                          double *result) {
  ap_ik_options options = ap_default_ik();
  ap_ik_result found = {0};
  options.tolerance = tolerance;
  options.iterations = iterations;
  options.position_only = !R;
  options.respect_limits = respect_limits;
  const ap_status status =
      ap_inverse_kinematics(r->model, r->work, frame, R, p, &options, q, &found);
  result[0] = found.iterations;
  result[1] = found.position_error;
  result[2] = found.orientation_error;
  return (int)js_fail(status);
}

// Begin the next search of a mechanism, which is for q, on a branch; NULL: its own.
JS(js_begin) int js_begin(js_robot *r, const char *branch, const double *q) {
  return (int)js_fail(ap_loop_begin(r->mechanism, r->loop, branch, q));
}
