// SPDX-License-Identifier: Apache-2.0
// Springs, dampers and stops of a scenario by the names of joints, and whether the start is within
// the limits.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/scenario.h"

// The joint that a joint follows, directly or through others, and itself where it follows none:
// its own coordinate is *ratio times that of the leader, and *offset more.
static int leader_of(const ap_model *m, int body, double *ratio, double *offset) {
  *ratio = 1;
  *offset = 0;
  for (const ap_body_def *def; (def = ap_body(m, body))->mimic; body = def->mimic) {
    *offset += *ratio * def->mimic_offset;
    *ratio *= def->mimic_ratio;
  }
  return body;
}

// ---- springs and stops -------------------------------------------------------------------------

static bool not_negative(ap__scenario_reader *r, const ap__node *n, const char *key, double x) {
  ap__yaml *y = &r->yaml;
  return x >= 0 || ap__yaml_fail(y, ap__line_of(n, key), "%s: %g (it must be 0 or more)", key, x);
}

static bool read_spring(ap__scenario_reader *r, int body, const ap__node *n,
                        const ap_joint_spring *spring) {
  ap_scenario *s = r->scenario;
  if (!not_negative(r, n, "stiffness", spring->stiffness) ||
      !not_negative(r, n, "damping", spring->damping))
    return false;
  if (ap_body(s->model, body)->joint == AP_REVOLUTE &&
      !ap__scenario_angle(r, "rest", ap__line_of(n, "rest"), spring->rest))
    return false;
  s->springs[s->scene.nspring++] = *spring;
  return true;
}

// Whether a joint, or one that follows it, has a limit.
static bool is_limited(const ap_model *m, int body) {
  for (int i = 1; i < ap_nbody(m); i++) {
    double ratio, offset;
    const ap_body_def *def = ap_body(m, i);
    if ((isfinite(def->lower) || isfinite(def->upper)) && leader_of(m, i, &ratio, &offset) == body)
      return true;
  }
  return false;
}

static bool read_stop(ap__scenario_reader *r, int body, const ap__node *n,
                      const ap__scenario_joint_map *map) {
  ap__yaml *y = &r->yaml;
  ap_scenario *s = r->scenario;
  const ap_joint_stop *stop = &map->stop;
  const char *name = ap__joint_name(ap_body(s->model, body));
  if (!s->scene.limits)
    return ap__yaml_fail(
        y, n->line,
        "joints: stops of \"%.*s\" with limits: false (set limits: true, or remove them)",
        ap__shown(name), name);
  if (!is_limited(s->model, body))
    return ap__yaml_fail(
        y, n->line,
        "joints: stops of \"%.*s\", which has no limits (add limits to the robot, or remove them)",
        ap__shown(name), name);
  bool elastic = ap__yaml_has(y, "joint", map->seen, "stop_stiffness");
  if (elastic && ap__yaml_has(y, "joint", map->seen, "stop_restitution"))
    return ap__yaml_fail(y, ap__line_of(n, "stop_restitution"),
                         "stop_restitution and stop_stiffness together (use one of them)");
  if (!(stop->restitution >= 0 && stop->restitution <= 1))
    return ap__yaml_fail(y, ap__line_of(n, "stop_restitution"),
                         "stop_restitution: %g (between 0, no rebound, and 1, no loss)",
                         stop->restitution);
  if (!not_negative(r, n, "stop_stiffness", stop->stiffness) ||
      !not_negative(r, n, "stop_damping", stop->damping))
    return false;
  if (stop->damping > 0 && stop->stiffness == 0)
    return ap__yaml_fail(y, ap__line_of(n, "stop_damping"),
                         "stop_damping of a rigid stop (it needs stop_stiffness)");
  if (stop->restitution > 0 || stop->stiffness > 0) s->stops[s->scene.nstop++] = *stop;
  return true;
}

static bool has_any(const ap__scenario_reader *r, unsigned seen, const char *const key[3]) {
  for (int i = 0; i < 3; i++)
    if (ap__yaml_has(&r->yaml, "joint", seen, key[i])) return true;
  return false;
}

static bool read_joint(ap__scenario_reader *r, int body, const ap__node *n) {
  static const char *const of_spring[3] = {"stiffness", "rest", "damping"};
  static const char *const of_stop[3] = {"stop_restitution", "stop_stiffness", "stop_damping"};
  const ap_model *m = r->scenario->model;
  int v = ap_joint_v(m, body);
  ap__scenario_joint_map map = {.spring.v = v, .stop.v = v};
  if (ap_joint_nv(m, body) != 1)
    return ap__yaml_fail(&r->yaml, n->line,
                         "joints: a joint with %d degrees of freedom (springs and stops act in "
                         "joints with one)",
                         ap_joint_nv(m, body));
  if (!ap__yaml_read_map(&r->yaml, n, "joint", &map)) return false;
  return (!has_any(r, map.seen, of_spring) || read_spring(r, body, n, &map.spring)) &&
         (!has_any(r, map.seen, of_stop) || read_stop(r, body, n, &map));
}

bool ap__scenario_read_joints(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  if (!r->head.joints) return true;
  size_t n = (size_t)ap_nbody(s->model);
  s->springs = calloc(n, sizeof *s->springs);
  s->stops = calloc(n, sizeof *s->stops);
  if (!s->springs || !s->stops) return ap__yaml_no_memory(&r->yaml);
  s->scene.spring = s->springs;
  s->scene.stop = s->stops;
  return ap__scenario_by_joint(r, "joints", r->head.joints, read_joint);
}

// ---- limits ------------------------------------------------------------------------------------

// An elastic stop may be pressed at the start.
static bool is_elastic(const ap_scene *scene, int v) {
  for (int i = 0; i < scene->nstop; i++)
    if (scene->stop[i].v == v && scene->stop[i].stiffness > 0) return true;
  return false;
}

static bool check_limits(ap__scenario_reader *r, int body) {
  const ap_scenario *s = r->scenario;
  const ap_model *m = s->model;
  const ap_body_def *def = ap_body(m, body);
  double ratio, offset;
  int leader = leader_of(m, body, &ratio, &offset);
  if (ap_joint_nq(m, leader) != 1) return true;
  double q = ratio * s->q[ap_joint_q(m, leader)] + offset, slack = s->scene.depth;
  bool below = q < def->lower - slack;
  bool within = !below && !(q > def->upper + slack);
  if (within || is_elastic(&s->scene, ap_joint_v(m, leader))) return true;
  const char *name = ap__joint_name(ap_body(m, body)), *of = ap__joint_name(ap_body(m, leader));
  char follows[80] = "";
  if (leader != body)
    snprintf(follows, sizeof follows, ", which follows \"%.*s\",", ap__shown(of), of);
  const ap__node *start = r->head.start;
  return ap__yaml_fail(&r->yaml, start ? ap__line_of(start, of) : r->head.robot->line,
                       "start: the joint \"%.*s\"%s is at %g, beyond its %s limit of %g (%s %g, or "
                       "limits: false)",
                       ap__shown(name), name, follows, q, below ? "lower" : "upper",
                       below ? def->lower : def->upper, below ? "at least" : "at most",
                       below ? def->lower : def->upper);
}

bool ap__scenario_check_limits(ap__scenario_reader *r) {
  if (!r->scenario->scene.limits) return true;
  for (int i = 1; i < ap_nbody(r->scenario->model); i++)
    if (!check_limits(r, i)) return false;
  return true;
}
