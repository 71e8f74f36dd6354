// SPDX-License-Identifier: Apache-2.0
// URDF: <constraint> elements, which close chains between two links of the tree. The form is that
// of the proposal for urdfdom: a type as of a joint, and for each of the two links the place and
// the axis of that joint.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/chains.h"
#include "file/names.h"
#include "file/urdf.h"
#include "num/rpy.h"
#include "num/vec3.h"

// ---- elements ----------------------------------------------------------------------------------

static urdf_constraint *constraint_now(urdf *u) { return &u->constraints[u->nconstraint - 1]; }

void ap__urdf_start_constraint(urdf *u, const ap__node *e) {
  if (u->nconstraint == AP__MAX_PARTS)
    ap__urdf_fail(u, e->line, "more than %d constraints (split the robot)", AP__MAX_PARTS);
  urdf_constraint *c =
      ap__urdf_append(u, &u->constraints, &u->nconstraint, &u->constraint_capacity, sizeof *c);
  if (!c) return;
  c->e = e;
  c->name = ap__attribute(e, "name");
  c->type = ap__attribute(e, "type");
  c->axis[0][0] = c->axis[1][0] = 1;
  u->subject = c->name ? c->name : "";
  if (!c->name || !*c->name || !c->type)
    ap__urdf_fail(u, e->line, "<constraint> without %s", c->type ? "name" : "type");
  else if (ap__has_control(c->name, strlen(c->name)))
    ap__urdf_fail(u, e->line, "<constraint name> has a control character");
}

// "parent" or "child", and what begins with it.
static int end_of(const ap__node *e) { return e->name[0] == 'c'; }

void ap__urdf_start_end(urdf *u, const ap__node *e) {
  constraint_now(u)->link[end_of(e)] = ap__attribute(e, "link");
}

void ap__urdf_start_end_origin(urdf *u, const ap__node *e) {
  urdf_constraint *c = constraint_now(u);
  ap__urdf_origin(u, e, c->xyz[end_of(e)], c->rpy[end_of(e)]);
}

void ap__urdf_start_end_axis(urdf *u, const ap__node *e) {
  ap__urdf_numbers(u, e, "xyz", 3, constraint_now(u)->axis[end_of(e)]);
}

// ---- closures ----------------------------------------------------------------------------------

// What closures a type is made of.
typedef struct composition {
  const char *types;
  bool point, line, frame, axis, across; // across: a second direction, so that nothing turns
} composition;

static const composition kinds[] = {{"fixed", .frame = true},
                                    {"spherical ball", .point = true},
                                    {"revolute continuous", .point = true, .axis = true},
                                    {"cylindrical", .line = true, .axis = true},
                                    {"prismatic", .line = true, .axis = true, .across = true}};

static const composition *kind_of(const char *type) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (ap__has_word(kinds[i].types, type)) return &kinds[i];
  return NULL;
}

typedef struct closing {
  urdf *u;
  ap_closure_def *closures; // three at most for each constraint
  int *lines;
  bool *driven;
  int n;
} closing;

static void add_closure(closing *c, const urdf_constraint *from, const int body[2],
                        ap_closure_kind kind, double axes[2][3], const char *ending) {
  ap_closure_def *to = &c->closures[c->n];
  size_t n = strlen(from->name), k = strlen(ending);
  char *name = ap__pool_bytes(&c->u->robot->pool, n + k + 1, 1);
  if (!name) {
    ap__urdf_no_memory(c->u);
    return;
  }
  memcpy(name, from->name, n);
  memcpy(name + n, ending, k);
  name[n + k] = 0;
  *to = ap_default_closure();
  to->name = name;
  to->kind = kind;
  for (int i = 0; i < 2; i++) {
    to->body[i] = body[i];
    memcpy(to->at[i], from->xyz[i], sizeof to->at[i]);
    memcpy(to->rpy[i], from->rpy[i], sizeof to->rpy[i]);
    memcpy(to->axis[i], axes[i], sizeof to->axis[i]);
  }
  c->lines[c->n++] = from->e->line;
}

// The axes in the link frames, and two directions across them that are the same in both frames.
static bool turn_axes(const urdf_constraint *from, double axis[2][3], double across[2][3]) {
  for (int i = 0; i < 2; i++) {
    double R[9], e[3] = {0}, side[3];
    int least = 0;
    if (!(norm3(from->axis[i]) > 0)) return false;
    for (int k = 1; k < 3; k++)
      if (fabs(from->axis[0][k]) < fabs(from->axis[0][least])) least = k;
    e[least] = 1;
    cross3(from->axis[i], e, side);
    if (!(norm3(side) > 0)) return false;
    ap__matrix_of_rpy(from->rpy[i], R);
    turn3(R, from->axis[i], axis[i]);
    turn3(R, side, across[i]);
  }
  return true;
}

static void take(closing *c, const urdf_constraint *from, const int body[2]) {
  const composition *k = kind_of(from->type);
  double axis[2][3], across[2][3];
  if (!k) {
    ap__urdf_odd(c->u, ODD_LOOP, from->e->line, from->type);
    return;
  }
  if (!turn_axes(from, axis, across)) {
    ap__urdf_fail(c->u, from->e->line, "the axes of constraint \"%.*s\" must not be zero",
                  ap__shown(from->name), from->name);
    return;
  }
  if (k->frame) add_closure(c, from, body, AP_CLOSE_FRAME, axis, "");
  if (k->point) add_closure(c, from, body, AP_CLOSE_POINT, axis, "");
  if (k->line) add_closure(c, from, body, AP_CLOSE_POINT_ON_LINE, axis, "");
  if (k->axis) add_closure(c, from, body, AP_CLOSE_AXIS, axis, " axis");
  if (k->across) add_closure(c, from, body, AP_CLOSE_AXIS, across, " side");
}

static void take_all(closing *c, const ap__names *links) {
  urdf *u = c->u;
  for (int i = 0; i < u->nconstraint && !u->status; i++) {
    const urdf_constraint *from = &u->constraints[i];
    int body[2] = {0};
    for (int k = 0; k < 2 && !u->status; k++) {
      const char *name = from->link[k];
      int link = name ? ap__names_find(links, name) : -1;
      if (link < 0)
        ap__urdf_fail(u, from->e->line,
                      "constraint \"%.*s\": the %s link \"%.*s\" is not in the file",
                      ap__shown(from->name), from->name, k ? "child" : "parent",
                      name ? ap__shown(name) : 0, name ? name : "");
      else
        body[k] = u->parts.part[link].number;
    }
    if (!u->status) take(c, from, body);
  }
}

// Joints with a transmission are driven.
static void take_driven(closing *c) {
  for (int i = 0; i < c->u->ntransmission; i++)
    for (int k = 0; k < c->u->parts.n && c->u->transmissions[i].joint; k++)
      if (c->u->parts.part[k].def.joint_name &&
          strcmp(c->u->parts.part[k].def.joint_name, c->u->transmissions[i].joint) == 0)
        c->driven[c->u->parts.part[k].number] = true;
}

static ap_status close_chains(closing *c, const ap__names *links, double *x) {
  urdf *u = c->u;
  take_all(c, links);
  if (u->status || c->n == 0) return u->status;
  take_driven(c);
  ap__robot_neutral(u->robot, x);
  const ap__start start = {.x = x};
  const ap__loops loops = {.closures = c->closures,
                           .lines = c->lines,
                           .nclosure = c->n,
                           .driven = c->driven,
                           .starts = &start,
                           .nstart = 1};
  return ap__chains_close(u->robot, &loops, u->error);
}

ap_status ap__urdf_close(urdf *u, const ap__names *links, const ap_read_options *options) {
  const int line = u->nconstraint ? u->constraints[0].e->line : 0;
  if (u->nconstraint == 0) return AP_OK;
  if (options->ignore_loops) return ap__robot_open_loops(u->robot, line, u->nconstraint, u->error);
  if (options->floating)
    return AP__REFUSE(u->error, AP_E_ARG, line,
                      "a floating base does not apply to a mechanism with closed chains (leave it "
                      "out, or ignore the loops)");
  closing c = {.u = u};
  double *x = calloc((size_t)ap__robot_nq(u->robot) + 1, sizeof *x);
  c.closures = calloc(3 * (size_t)u->nconstraint, sizeof *c.closures);
  c.lines = calloc(3 * (size_t)u->nconstraint, sizeof *c.lines);
  c.driven = calloc((size_t)u->robot->nbody + 1, sizeof *c.driven);
  bool room = x && c.closures && c.lines && c.driven;
  ap_status status = room ? close_chains(&c, links, x) : ap__no_memory(u->error);
  free(x);
  free(c.closures);
  free(c.lines);
  free(c.driven);
  return status;
}
