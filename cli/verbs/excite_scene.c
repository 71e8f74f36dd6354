// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ui/values.h"
#include "excite.h"

// ---- joints ------------------------------------------------------------------------------------

// The coordinate of a joint by its name; -1, reported, where there is none.
static int find_joint(const cli_model *model, const char *name, int *status) {
  const ap_model *m = model->model;
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_nv(m, i) == 1 && strcmp(cli_joint_name(m, i), name) == 0) return ap_joint_v(m, i);
  *status =
      cli_fail(CLI_BAD, model->path, 0,
               "no joint of one degree of freedom is called '%s' (appell info lists joints)", name);
  return -1;
}

// Calls set for every joint of an option.
static int for_each_joint(const cli_model *model, const cli_arguments *a, int option, int least,
                          int most, const char *example,
                          void (*set)(excite_scene *, int nv, int j, const ap_lock *),
                          excite_scene *scene) {
  ap_lock *joints;
  int n, status = cli_value_joints(a, option, least, most, example, &joints, &n);
  for (int k = 0; k < n && status == CLI_OK; k++) {
    const int j = find_joint(model, joints[k].joint, &status);
    if (j >= 0) set(scene, ap_nv(model->model), j, &joints[k]);
  }
  free(joints);
  return status;
}

static void set_moving(excite_scene *s, int nv, int j, const ap_lock *joint) {
  (void)nv, (void)joint;
  s->rests[j] = false;
}

static void set_range(excite_scene *s, int nv, int j, const ap_lock *joint) {
  s->number[j] = joint->q[0], s->number[nv + j] = joint->q[joint->n - 1];
}

static void set_scale(excite_scene *s, int nv, int j, const ap_lock *joint) {
  s->number[2 * nv + j] = joint->q[0], s->number[3 * nv + j] = joint->q[joint->n - 1];
}

static int read_joints(const cli_model *model, const cli_arguments *a, ap_excite_options *o,
                       excite_scene *s) {
  const size_t n = (size_t)ap_nv(model->model);
  s->number = malloc(4 * n * sizeof *s->number + 1);
  s->rests = malloc(n * sizeof *s->rests + 1);
  if (!s->number || !s->rests) return cli_no_memory();
  for (size_t j = 0; j < n; j++) {
    s->number[j] = -INFINITY, s->number[n + j] = INFINITY;
    s->number[2 * n + j] = s->number[3 * n + j] = 1;
    s->rests[j] = a->value[EXCITE_JOINTS] != NULL;
  }
  o->rests = s->rests, o->lower = s->number, o->upper = o->lower + n;
  o->velocity_scale = o->upper + n, o->acceleration_scale = o->velocity_scale + n;
  int status = for_each_joint(model, a, EXCITE_JOINTS, 0, 0, "elbow,wrist", set_moving, s);
  if (status == CLI_OK)
    status = for_each_joint(model, a, EXCITE_RANGE, 1, 2, "elbow=-1:0.5,wrist=0", set_range, s);
  if (status == CLI_OK)
    status = for_each_joint(model, a, EXCITE_SPEED, 1, 2, "elbow=0.5,wrist=0.3:0.2", set_scale, s);
  return status;
}

// ---- obstacles ---------------------------------------------------------------------------------

static int read_box(const cli_model *model, const cli_arguments *a, ap_clearance_def *def) {
  const char *frame = a->value[EXCITE_FRAME];
  if (!a->value[EXCITE_BOX] != !frame)
    return cli_usage("excite", "--box and --frame need each other: which frame stays in the box");
  int status = cli_value_numbers(a, EXCITE_BOX, 6, "-0.5,0.5,-0.5,0.5,0.1,1.2", def->box);
  if (status != CLI_OK || !frame) return status;
  for (int i = 0; i < 3; i++)
    if (!(def->box[2 * i] < def->box[2 * i + 1]))
      return cli_usage("excite", "--box '%s' has a side from %g to %g (the least number first)",
                       a->value[EXCITE_BOX], def->box[2 * i], def->box[2 * i + 1]);
  def->frame = ap_find_frame(model->model, frame);
  if (def->frame >= 0) return CLI_OK;
  return cli_fail(CLI_BAD, model->path, 0,
                  "no link or frame is called '%s' (appell info lists them)", frame);
}

int excite_scene_read(const cli_model *model, const cli_arguments *a, ap_excite_options *o,
                      excite_scene *s) {
  double radius = 0.05;
  ap_error error = {0};
  *s = (excite_scene){.def = ap_default_clearance()};
  int status = read_joints(model, a, o, s);
  if (status == CLI_OK) status = cli_value_numbers(a, EXCITE_FLOOR, 1, "0", &s->def.floor);
  if (status == CLI_OK) status = cli_value_above(a, EXCITE_CLEARANCE, 0, &o->distance);
  if (status == CLI_OK) status = cli_value_above(a, EXCITE_RADIUS, 0, &radius);
  if (status == CLI_OK) status = read_box(model, a, &s->def);
  // a pair whose distance is constant and as large as that cannot be told from a closer one
  s->def.self = !a->value[EXCITE_NO_SELF], s->def.least = o->distance + 1e-3;
  for (int i = 1; i < ap_nbody(model->model); i++)
    if (ap_joint_nv(model->model, i) > 1) return status; // ap_excite() says so
  const bool wanted = s->def.self || isfinite(s->def.floor) || s->def.frame >= 0;
  if (status != CLI_OK || !wanted) return status;
  error.status = ap_robot_capsules(model->robot, model->model, a->value[EXCITE_MESHES], radius,
                                   &s->capsules, &s->ncapsules, &error);
  s->def.capsules = s->capsules, s->def.ncapsules = s->ncapsules;
  if (error.status == AP_OK)
    error.status = ap_clearance_create(model->model, &s->def, &s->clearance, &error);
  if (error.status != AP_OK)
    return cli_fail(error.status == AP_E_ARG ? CLI_BAD : CLI_FAILED, model->path, 0, "%s",
                    error.text);
  o->clearance = s->clearance;
  return CLI_OK;
}

void excite_scene_free(excite_scene *s) {
  ap_clearance_free(s->clearance);
  free(s->number), free(s->rests), free(s->capsules);
}

// ---- what was found ----------------------------------------------------------------------------

static int count_capsules(const excite_scene *s, ap_capsule_source source) {
  int n = 0;
  for (int k = 0; k < s->ncapsules; k++) n += s->capsules[k].source == source;
  return n;
}

static int count_left_out(const excite_scene *s) {
  int pair[2], n = 0;
  while (ap_clearance_left_out(s->clearance, n, pair)) n++;
  return n;
}

void excite_scene_print(cli_out *out, const ap_model *m, const excite_scene *s,
                        const ap_excitation *found) {
  const ap_distances *d = &found->distances;
  if (!s->clearance) return;
  if (isfinite(d->self))
    cli_out_printf(out, "links stay %.3f m apart: %s and %s, of %d pairs\n", d->self,
                   ap_frame_name(m, d->pair[0]), ap_frame_name(m, d->pair[1]),
                   ap_clearance_pairs(s->clearance));
  if (isfinite(d->floor))
    cli_out_printf(out, "above the floor by %.3f m: %s\n", d->floor, ap_frame_name(m, d->lowest));
  if (isfinite(d->box))
    cli_out_printf(out, "%s stays inside its box by %.3f m\n", ap_frame_name(m, s->def.frame),
                   d->box);
  const int guessed = count_capsules(s, AP_CAPSULE_GUESS), out_of = count_left_out(s);
  if (guessed > 0 && s->ncapsules > 0)
    cli_out_printf(out, "%d of %d capsules are guessed: no shape, or none that can be read\n",
                   guessed, s->ncapsules);
  if (out_of > 0)
    cli_out_printf(out, "%d pairs touch by construction and are not checked (--json lists them)\n",
                   out_of);
}

static void write_name(ap_json *j, const char *key, const ap_model *m, int frame) {
  if (frame < 0)
    ap_json_null(j, key);
  else
    ap_json_string(j, key, ap_frame_name(m, frame));
}

// Nothing is checked: null.
static void write_distance(ap_json *j, const char *key, double distance) {
  if (isfinite(distance))
    ap_json_number(j, key, distance);
  else
    ap_json_null(j, key);
}

void excite_scene_json(ap_json *j, const ap_model *m, const excite_scene *s,
                       const ap_excitation *found) {
  const ap_distances *d = &found->distances;
  if (!s->clearance) {
    ap_json_null(j, "clearance");
    return;
  }
  ap_json_open(j, "clearance", '{');
  write_distance(j, "self", d->self);
  ap_json_open(j, "closest", '[');
  for (int k = 0; k < 2 && isfinite(d->self); k++) write_name(j, NULL, m, d->pair[k]);
  ap_json_close(j, ']');
  write_distance(j, "floor", d->floor);
  write_name(j, "lowest", m, isfinite(d->floor) ? d->lowest : -1);
  write_distance(j, "box", d->box);
  ap_json_integer(j, "pairs", ap_clearance_pairs(s->clearance));
  ap_json_open(j, "left_out", '[');
  int pair[2];
  for (int k = 0; ap_clearance_left_out(s->clearance, k, pair); k++) {
    ap_json_open(j, NULL, '[');
    ap_json_string(j, NULL, ap_frame_name(m, pair[0]));
    ap_json_string(j, NULL, pair[1] < 0 ? "floor" : ap_frame_name(m, pair[1]));
    ap_json_close(j, ']');
  }
  ap_json_close(j, ']');
  ap_json_open(j, "capsules", '{');
  ap_json_integer(j, "shapes", count_capsules(s, AP_CAPSULE_SHAPE));
  ap_json_integer(j, "meshes", count_capsules(s, AP_CAPSULE_MESH));
  ap_json_integer(j, "guessed", count_capsules(s, AP_CAPSULE_GUESS));
  ap_json_close(j, '}');
  ap_json_close(j, '}');
}
