// SPDX-License-Identifier: Apache-2.0
#include "sweep/smooth.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/names.h"

ap_status ap__smooth_open(ap_sweep *s, const char *map, const char *model, bool floating,
                          ap__smooth *m, ap_error *error) {
  ap_error own = {0};
  ap_status status = ap__study_robot(s, map, model, floating, &m->robot, error);
  if (status != AP_OK) return status;
  if (ap_robot_mechanism(m->robot))
    return ap__study_refuse(error, ap__study_line(s, map),
                            "model: %.*s has closed chains (use a scenario: `run`)",
                            ap__shown(model), model);
  own.status = ap_robot_model(m->robot, &m->model, &own);
  if (own.status == AP_E_MEMORY) return ap__no_memory(error);
  if (own.status != AP_OK || ap_nv(m->model) == 0)
    return ap__study_refuse(error, ap__study_line(s, map), "model: %.*s: %s", ap__shown(model),
                            model, own.status != AP_OK ? own.text : "nothing moves in it");
  return AP_OK;
}

// ---- parameters --------------------------------------------------------------------------------

// A quaternion must stay one: its entries cannot be chosen one by one.
static bool is_quaternion(const ap_model *m, int k) {
  for (int i = 1; i < ap_nbody(m); i++) {
    const int at = k - ap_joint_q(m, i), type = (int)ap_body(m, i)->joint;
    if (ap_joint_nq(m, i) == 0 || at < 0 || at >= ap_joint_nq(m, i)) continue;
    return type == AP_SPHERICAL || (type == AP_FREE && at >= 3);
  }
  return false;
}

static ap_status unknown_key(const ap__smooth *m, const ap__parameter *p, ap_error *error) {
  const char *meant = NULL;
  int least = INT_MAX;
  for (int k = 0; k < m->in.n; k++)
    if (ap__name_nearer(p->key, m->in.column[k].name, &least)) meant = m->in.column[k].name;
  const char *shown = meant ? meant : m->in.column[0].name;
  return ap__study_refuse(error, p->line,
                          "key: there is no \"%.*s\" (%s\"%.*s\"%s, or robot.LINK.mass)",
                          ap__shown(p->key), p->key, meant ? "did you mean " : "such as ",
                          ap__shown(shown), shown, meant ? "?" : "");
}

static ap_status resolve(const ap_sweep *s, ap__smooth *m, int p, ap_error *error) {
  const ap__parameter *parameter = &s->parameter[p];
  char why[240];
  m->at[p] = -1;
  if (strncmp(parameter->key, "robot.", 6) == 0) {
    m->edits = true;
    if (!ap__body_find(m->robot, parameter->key + 6, &m->body[p], why, sizeof why))
      return ap__study_refuse(error, parameter->line, "key: %s", why);
    return m->body[p].density && !parameter->relative
               ? ap__study_refuse(error, parameter->line,
                                  "key: density is a factor (add relative: true)")
               : AP_OK;
  }
  const ap_column *column = ap__columns_find(&m->in, parameter->key, 0);
  if (!column) return unknown_key(m, parameter, error);
  m->at[p] = (int)(column - m->in.column);
  m->varies[m->at[p]] = true;
  if (parameter->relative)
    return ap__study_refuse(error, parameter->line,
                            "relative: \"%.*s\" is in no file (give its value)",
                            ap__shown(parameter->key), parameter->key);
  for (int k = 0; k < p; k++)
    if (m->at[k] == m->at[p])
      return ap__study_refuse(error, parameter->line, "key: two parameters change \"%.*s\"",
                              ap__shown(parameter->key), parameter->key);
  return m->states && m->at[p] < ap_nq(m->model) && is_quaternion(m->model, m->at[p])
             ? ap__study_refuse(
                   error, parameter->line,
                   "key: \"%.*s\" is an entry of a quaternion (it cannot change alone)",
                   ap__shown(parameter->key), parameter->key)
             : AP_OK;
}

ap_status ap__smooth_resolve(const ap_sweep *s, ap__smooth *m, ap_error *error) {
  const size_t n = (size_t)s->design.n + 1;
  if (!ap__columns_ready(&m->in) || !ap__columns_ready(&m->out)) return ap__no_memory(error);
  m->nominal = calloc((size_t)m->in.n + 1, sizeof *m->nominal);
  m->varies = calloc((size_t)m->in.n + 1, sizeof *m->varies);
  m->at = calloc(n, sizeof *m->at);
  m->body = calloc(n, sizeof *m->body);
  m->taken = calloc((size_t)s->outcomes + 1, sizeof *m->taken);
  if (!m->nominal || !m->varies || !m->at || !m->body || !m->taken) return ap__no_memory(error);
  if (m->states) ap_neutral(m->model, m->nominal);
  ap_status status = AP_OK;
  for (int p = 0; status == AP_OK && p < s->design.n; p++) status = resolve(s, m, p, error);
  for (int k = 0; status == AP_OK && k < s->outcomes; k++) {
    const ap__outcome *o = &s->outcome[k];
    if (!o->column)
      return ap__study_refuse(error, o->line, "such a trial has no events (use column)");
    if (!ap__selection_find(o, m->out.column, m->out.n, &m->taken[k], error)) return AP_E_SYNTAX;
  }
  return status;
}

void ap__smooth_free(ap__smooth *m) {
  ap_model_free(m->model);
  ap_robot_free(m->robot);
  ap__columns_free(&m->in);
  ap__columns_free(&m->out);
  free(m->nominal);
  free(m->varies);
  free(m->at);
  free(m->body);
  free(m->taken);
}

// ---- states ------------------------------------------------------------------------------------

void ap__smooth_states(const ap_sweep *s, const ap__smooth *m, uint64_t first, int n, double *to,
                       long stride_j, int stride_k) {
  for (int j = 0; j < m->in.n; j++)
    for (int k = 0; k < n && !m->varies[j]; k++)
      to[j * stride_j + (long)k * stride_k] = m->nominal[j];
  for (int p = 0; p < s->design.n; p++)
    if (m->at[p] >= 0)
      ap__design_column(&s->design, p, first, n, to + m->at[p] * stride_j, stride_k);
}

// Whether an outcome is one number of a state, as it is or its magnitude.
static bool is_plain(const ap__selection *taken, ap__statistic_kind take) {
  return taken->count == 1 && taken->minus < 0 && take <= AP__STATISTIC_LARGEST;
}

void ap__smooth_outcomes(const ap_sweep *s, const ap__smooth *m, int n, const double *from,
                         long stride_j, long stride_k, double *outcome) {
  const long width = s->outcomes;
  for (int i = 0; i < s->outcomes; i++) {
    const ap__statistic_kind take = (ap__statistic_kind)s->outcome[i].take;
    const ap__selection *taken = &m->taken[i];
    const double *x = from + taken->first * stride_j;
    double *to = outcome + i;
    if (!is_plain(taken, take)) {
      for (int k = 0; k < n; k++) {
        ap__statistic tally = {0};
        ap__selection_add(taken, from + k * stride_k, stride_j, &tally);
        to[k * width] = ap__statistic_value(&tally, take);
      }
    } else if (take == AP__STATISTIC_LARGEST) {
      for (int k = 0; k < n; k++) to[k * width] = fabs(x[k * stride_k]);
    } else {
      for (int k = 0; k < n; k++) to[k * width] = x[k * stride_k];
    }
  }
}

// ---- robots ------------------------------------------------------------------------------------

bool ap__variant_open(const ap__smooth *m, ap__variant *v) {
  *v = (ap__variant){.robot = *m->robot};
  if (!m->edits) return true;
  v->size = ap_model_size(&m->robot->def);
  v->bodies = malloc((size_t)m->robot->nbody * sizeof *v->bodies);
  v->memory = malloc(v->size);
  v->robot.bodies = v->bodies;
  v->robot.def.bodies = v->bodies;
  return v->bodies && v->memory;
}

ap_model *ap__variant_make(const ap_sweep *s, const ap__smooth *m, uint64_t trial, ap__variant *v,
                           ap_error *error) {
  memcpy(v->bodies, m->robot->bodies, (size_t)m->robot->nbody * sizeof *v->bodies);
  for (int p = 0; p < s->design.n; p++) {
    double value;
    if (m->at[p] >= 0) continue;
    ap__design_column(&s->design, p, trial, 1, &value, 1);
    ap__body_set(&v->robot, &m->body[p],
                 s->parameter[p].relative ? value * m->body[p].nominal : value);
  }
  return ap_model_init(&v->robot.def, v->memory, v->size, error);
}

void ap__variant_close(ap__variant *v) {
  free(v->bodies);
  free(v->memory);
}
