// SPDX-License-Identifier: Apache-2.0
// The model that `appell identify` works on, and the one that it writes.

#include <stdlib.h>
#include <string.h>

#include "identify.h"
#include "ui/output.h"

// ---- a base that stands still ------------------------------------------------------------------

static const char *free_joint(const ap_robot *robot) {
  const ap_robot_def *def = ap_robot_definition(robot);
  for (int i = 0; i < def->nbody; i++) {
    const ap_body_def *b = &def->bodies[i];
    if (b->joint == AP_FREE) return b->joint_name ? b->joint_name : b->name;
  }
  return NULL;
}

static int fix_base(cli_model *model, const double *pose) {
  ap_lock lock = {.joint = free_joint(model->robot), .n = AP_JOINT_NQ};
  ap_error error = {0};
  if (!lock.joint)
    return cli_fail(CLI_BAD, model->path, 0,
                    "--stand: the robot has no free base (--floating gives it one)");
  memcpy(lock.q, pose, sizeof lock.q);
  error.status =
      ap_robot_reduce(model->robot, &(ap_reduction_def){.locks = &lock, .nlock = 1}, &error);
  return error.status == AP_OK ? CLI_OK : cli_fail_input(model->path, &error);
}

int cli_identify_load(const cli_arguments *arguments, const double *stand, cli_identification *f) {
  f->stands = stand != NULL;
  if (!stand) return cli_load(arguments->argument[0], arguments, &f->model);
  int status = cli_read_model(arguments->argument[0], arguments, &f->model);
  if (status != CLI_OK) return status;
  if (ap_robot_mechanism(f->model.robot))
    status = cli_fail(CLI_BAD, f->model.path, 0, "--stand is not possible with closed chains");
  if (status == CLI_OK) status = fix_base(&f->model, stand);
  if (status == CLI_OK) return cli_make_model(arguments, &f->model);
  ap_robot_free(f->model.robot);
  return status;
}

// ---- what is written ---------------------------------------------------------------------------

// Whether both are URDF, or both MJCF.
static bool same_format(const char *a, const char *b) {
  const char *ends[2] = {strrchr(a, '.'), strrchr(b, '.')};
  bool mjcf[2], urdf[2];
  for (int k = 0; k < 2; k++) {
    const char *end = ends[k] ? ends[k] : "";
    urdf[k] = strcmp(end, ".urdf") == 0;
    mjcf[k] = strcmp(end, ".xml") == 0 || strcmp(end, ".mjcf") == 0;
  }
  return (urdf[0] && urdf[1]) || (mjcf[0] && mjcf[1]);
}

// The identified numbers in a robot's own bodies, by their names.
static void take_over(const ap_robot_def *def, const ap_body_def *found, int n,
                      ap_body_def *bodies) {
  for (int i = 0; i < def->nbody; i++) {
    ap_body_def *b = &bodies[i];
    *b = def->bodies[i];
    int k = 0;
    while (k < n && strcmp(found[k].name, b->name) != 0) k++;
    if (k == n) continue;
    b->mass = found[k].mass;
    memcpy(b->com, found[k].com, sizeof b->com);
    memcpy(b->inertia, found[k].inertia, sizeof b->inertia);
    memcpy(b->inertia_rpy, found[k].inertia_rpy, sizeof b->inertia_rpy);
    if (b->joint != found[k].joint) continue; // the one that was fixed
    b->viscous = found[k].viscous, b->coulomb = found[k].coulomb;
    b->rotor_inertia = found[k].rotor_inertia, b->gear_ratio = found[k].gear_ratio;
    b->stiffness = found[k].stiffness, b->stiction = found[k].stiction;
  }
}

// A copy of the file where that can be, else a new one.
static int write_robot(ap_robot *robot, const ap_body_def *bodies, const char *from, bool whole,
                       const char *path) {
  ap_error error = {0};
  if (whole && same_format(from, path)) {
    error.status = ap_robot_patch(robot, bodies, path, &error);
    if (error.status == AP_OK) return CLI_OK;
    if (error.status != AP_E_UNSUPPORTED) return cli_fail_output(path, &error);
    cli_warn(path, 0, error.text);
    cli_warn(path, 0, "a new file is written instead of a copy with other numbers");
  }
  ap_robot_set_bodies(robot, bodies);
  return cli_write_robot(robot, path);
}

int cli_identify_write(const cli_identification *f, const cli_arguments *arguments,
                       const char *path) {
  const ap_fit *fit = f->fit[AP_FIT_CONSISTENT];
  const ap_error *failed = &f->failed[AP_FIT_CONSISTENT];
  if (!fit) return cli_fail(CLI_FAILED, f->data.path, failed->line, "%s", failed->text);
  cli_model original = {.path = f->model.path};
  const int n = ap_robot_definition(f->model.robot)->nbody;
  int status = CLI_OK;
  if (f->stands) status = cli_read_model(f->model.path, arguments, &original);
  if (status != CLI_OK) return status;
  ap_robot *robot = f->stands ? original.robot : f->model.robot;
  const ap_robot_def *def = ap_robot_definition(robot);
  ap_body_def *found = malloc((size_t)n * sizeof *found);
  ap_body_def *bodies = malloc((size_t)def->nbody * sizeof *bodies);
  ap_error error = {0};
  if (found && bodies) error.status = ap_ident_apply(f->ident, fit->parameter, found);
  if (!found || !bodies) {
    status = cli_no_memory();
  } else if (error.status != AP_OK) {
    status = cli_fail_output(path, &error);
  } else {
    take_over(def, found, n, bodies);
    status = write_robot(robot, bodies, f->model.path,
                         !f->model.about && !cli_is_reduced(arguments), path);
  }
  free(found);
  free(bodies);
  ap_robot_free(original.robot);
  return status;
}
