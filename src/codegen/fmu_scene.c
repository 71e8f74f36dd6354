// SPDX-License-Identifier: Apache-2.0
// FMUs of scenes. Without events a scene is a robot with other springs, dampers and gravity, and so
// is its FMU; else the FMU carries the simulator.

#include <appell/kin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "codegen/fmu.h"
#include "sim/scenario.h"

// Whether some joint would run into a stop.
static bool has_stops(const ap_scene *s, const ap_model *m) {
  for (int i = 1; s->limits && i < ap_nbody(m); i++) {
    const ap_body_def *b = ap_body(m, i);
    if (ap_joint_nv(m, i) == 1 && (isfinite(b->lower) || isfinite(b->upper))) return true;
  }
  return false;
}

// Shapes touch each other; points touch walls alone.
static bool has_shapes(const ap_scene *s) {
  for (int k = 0; s->links && k < s->npoint; k++)
    if (s->point[k].shape) return true;
  return false;
}

// Whether nothing can happen, and all forces are those that a model has.
static bool is_smooth(const ap_scene *s, const ap_model *m) {
  const bool settings = s->nspring > 0 || s->gravity;
  return s->nwall == 0 && s->nload == 0 && !s->force && !has_shapes(s) && !has_stops(s, m) &&
         !(s->mechanism && settings);
}

// ---- springs and gravity as the model's --------------------------------------------------------

// Two springs side by side: k = k1 + k2, and rest where both together are at rest.
static void add_spring(ap_body_def *b, const ap_joint_spring *s) {
  const double k = b->stiffness + s->stiffness;
  if (k > 0) b->rest[0] = (b->stiffness * b->rest[0] + s->stiffness * s->rest) / k;
  b->stiffness = k;
  b->viscous += s->damping;
}

static ap_body_def without_friction(ap_body_def b) {
  b.viscous = b.coulomb = b.stiction = b.stiffness = b.gravity_compensation = b.rotor_inertia = 0;
  return b;
}

// The joint that has place v of velocities.
static int body_at(const ap_model *m, int v) {
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_nv(m, i) == 1 && ap_joint_v(m, i) == v) return i;
  return 0;
}

static ap_status smooth(const ap_scene *s, const ap_model *m, ap_fmu_options options, ap_fmu **fmu,
                        ap_error *error) {
  const int n = ap_nbody(m) - 1;
  ap_body_def *bodies = calloc((size_t)n, sizeof *bodies);
  ap_robot_def def = ap_default_robot();
  if (!bodies) return ap__no_memory(error);
  for (int i = 0; i < n; i++) {
    const ap_body_def *b = ap_body(m, i + 1);
    bodies[i] = s->joint_friction ? *b : without_friction(*b);
  }
  for (int k = 0; k < s->nspring; k++)
    add_spring(&bodies[body_at(m, s->spring[k].v) - 1], &s->spring[k]);
  def.name = ap_model_name(m);
  def.bodies = bodies, def.nbody = n;
  memcpy(def.gravity, s->gravity ? s->gravity : ap_gravity(m), sizeof def.gravity);
  options.friction = true;
  const size_t size = ap_model_size(&def);
  void *memory = malloc(size);
  ap_model *changed = memory ? ap_model_init(&def, memory, size, error) : NULL;
  ap_status status = !memory    ? ap__no_memory(error)
                     : !changed ? AP_E_MODEL
                                : ap_generate_fmu(changed, &options, fmu, error);
  free(memory);
  free(bodies);
  return status;
}

// ---- scenes ------------------------------------------------------------------------------------

// The start of a mechanism in its independent coordinates; options->q and options->v are of its
// tree.
static ap_status smooth_mechanism(const ap_scene *s, ap_fmu_options options, ap_fmu **fmu,
                                  ap_error *error) {
  const ap_mechanism *m = s->mechanism;
  const int n = ap_mechanism_n(m);
  double *start = calloc(2 * (size_t)n, sizeof *start);
  ap_loop *l = ap_loop_make(m);
  ap_status status = start && l ? AP_OK : ap__no_memory(error);
  if (!status && options.q) {
    ap_loop_errors(m, l, options.q, NULL, start);
    if (options.v) ap_loop_rates(m, l, options.q, options.v, start + n);
    options.x = options.q, options.q = start;
  }
  options.v = options.v ? start + n : NULL;
  options.friction = s->joint_friction;
  if (!status) status = ap_generate_fmu_of_mechanism(m, &options, fmu, error);
  ap_loop_free(l);
  free(start);
  return status;
}

ap_status ap_generate_fmu_of_scene(const ap_scene *scene, const ap_fmu_options *options,
                                   ap_fmu **fmu, ap_error *error) {
  *fmu = NULL;
  if (!AP_STARTS_FROM(ap_default_scene, scene, error)) return AP_E_ARG;
  if (!AP_STARTS_FROM(ap_default_fmu, options, error)) return AP_E_ARG;
  const ap_model *m = scene->mechanism ? ap_mechanism_tree(scene->mechanism) : scene->model;
  if (!m) return AP__REFUSE(error, AP_E_ARG, 0, "the scene has no model");
  if (scene->force && scene->force != ap__scenario_force)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "the scene has a function of forces (an FMU has inputs, and those that stand "
                      "in a scenario)");
  ap_sim *sim; // all that is wrong with a scene
  ap_status status = ap_sim_create(scene, &sim, error);
  if (status) return status;
  ap_sim_free(sim);
  if (is_smooth(scene, m))
    return scene->mechanism ? smooth_mechanism(scene, *options, fmu, error)
                            : smooth(scene, m, *options, fmu, error);
  return ap__make_fmu((ap_fmu_parts){.m = m,
                                     .scene = scene,
                                     .nq = ap_nq(m),
                                     .nv = ap_nv(m),
                                     .nu = ap_nv(m),
                                     .options = options},
                      fmu, error);
}
