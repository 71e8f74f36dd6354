// SPDX-License-Identifier: Apache-2.0
// MJCF: joints to parts.
//
// A joint moves its body about an anchor that need not be the body's origin, and a body may have
// several. With X the body's place, T(p) a step to the anchor p and J(q) the joint's motion,
//
//   X T(p1) J1(q1) T(-p1) T(p2) J2(q2) T(-p2) ...
//
// is one part for each J, without mass but for the last, whose link frame is at the anchor. Where
// the last anchor is not at the origin, one more part on a fixed joint is the body, so that its
// frame is the one that MuJoCo has. The reference angle or distance is a step back before J:
// J(q - ref) = J(-ref) J(q).

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/mjcf.h"

// ---- parts -------------------------------------------------------------------------------------

void ap__mjcf_set_place(ap_placement *to, const mjcf_pose *from) {
  *to = (ap_placement){.kind = mjcf_is_turned(from->q) ? AP_PLACE_MATRIX : AP_PLACE_RPY};
  memcpy(to->xyz, from->p, sizeof to->xyz);
  if (to->kind == AP_PLACE_MATRIX) mjcf_quat_matrix(from->q, to->matrix);
}

static ap__part *add_part(mjcf *m, const ap__node *e, int carrier, const mjcf_pose *place) {
  if (m->parts.n == AP__MAX_PARTS) {
    ap__mjcf_fail(m, e, "more than %d bodies and joints (split the robot)", AP__MAX_PARTS);
    return NULL;
  }
  int *on = ap__mjcf_append(m, &m->carrier, &m->ncarrier, &m->carrier_capacity, sizeof *on);
  ap__part *part = on ? ap__parts_add(&m->parts) : NULL;
  if (!part) {
    ap__mjcf_no_memory(m);
    return NULL;
  }
  *on = carrier;
  ap__mjcf_set_place(&part->def.place, place);
  part->at.body = part->at.joint = part->at.parent = part->at.place = e->line;
  return part;
}

// ---- joints ------------------------------------------------------------------------------------

// Is something limited? `limited` may say so, or leave it to whether a range is there.
static bool is_limited(mjcf *m, const mjcf_item *item, const char *limited, bool range) {
  int said = ap__mjcf_word(m, item, limited, "false true auto", 2);
  if (said == 2 && range && !item->scope->model->compiler.autolimits)
    ap__mjcf_fail(m, item->e,
                  "<%s> has a range but not %s (autolimits is false: say true or false)",
                  item->e->name, limited);
  return said == 1 || (said == 2 && range);
}

static void read_limits(mjcf *m, const mjcf_item *item, mjcf_joint_type type, ap__part *part) {
  double range[2] = {0}, force[2] = {0};
  bool given = ap__mjcf_numbers(m, item, "range", 2, 2, range) && (range[0] != 0 || range[1] != 0);
  bool forced = ap__mjcf_numbers(m, item, "actuatorfrcrange", 2, 2, force) &&
                (force[0] != 0 || force[1] != 0);
  if (type == MJCF_FREE || m->status) return;
  if (is_limited(m, item, "limited", given) && type == MJCF_BALL)
    ap__mjcf_odd(m, MJCF_ODD_BALL_RANGE, item->e, "range");
  else if (is_limited(m, item, "limited", given)) {
    for (int i = 0; i < 2 && type == MJCF_HINGE; i++) range[i] = ap__mjcf_angle(item, range[i]);
    if (range[0] >= range[1])
      ap__mjcf_fail(m, item->e, "<%s range> ends before it begins", item->e->name);
    part->def.lower = range[0];
    part->def.upper = range[1];
  }
  if (type != MJCF_BALL && is_limited(m, item, "actuatorfrclimited", forced))
    part->def.effort_limit = fmax(fabs(force[0]), fabs(force[1]));
}

// The linear coefficient of a force; MuJoCo has polynomials too.
static double coefficient(mjcf *m, const mjcf_item *item, const char *name) {
  double x[3] = {0};
  int n = ap__mjcf_numbers(m, item, name, 1, 3, x);
  if (n > 1 && (x[1] != 0 || x[2] != 0)) ap__mjcf_odd(m, MJCF_ODD_POLYNOMIAL, item->e, name);
  return x[0];
}

static void read_forces(mjcf *m, const mjcf_item *item, const mjcf_joint *joint, ap_body_def *def) {
  double friction = 0, armature = 0, automatic[2] = {0}, spring = 0;
  const bool several = joint->type == MJCF_FREE || joint->type == MJCF_BALL;
  const double damping = coefficient(m, item, "damping");
  def->stiffness = coefficient(m, item, "stiffness");
  ap__mjcf_numbers(m, item, "frictionloss", 1, 1, &friction);
  ap__mjcf_numbers(m, item, "armature", 1, 1, &armature);
  ap__mjcf_numbers(m, item, "springref", 1, 1, &spring);
  if (ap__mjcf_numbers(m, item, "springdamper", 2, 2, automatic) && automatic[0] > 0 &&
      automatic[1] > 0)
    ap__mjcf_odd(m, MJCF_ODD_SPRINGDAMPER, item->e, "springdamper");
  if (several) {
    if (damping != 0) ap__mjcf_odd(m, MJCF_ODD_SEVERAL, item->e, "damping");
    if (friction != 0) ap__mjcf_odd(m, MJCF_ODD_SEVERAL, item->e, "frictionloss");
    if (armature != 0) ap__mjcf_odd(m, MJCF_ODD_SEVERAL, item->e, "armature");
  } else {
    def->viscous = damping;
    def->coulomb = friction;
    def->rotor_inertia = armature;
    def->rest[0] = joint->type == MJCF_HINGE ? ap__mjcf_angle(item, spring) : spring;
  }
  if (joint->type == MJCF_FREE) {
    memcpy(def->rest, joint->home.p, sizeof joint->home.p);
    for (int i = 0; i < 4; i++) def->rest[3 + i] = joint->home.q[(i + 1) % 4];
  }
  if (def->stiffness == 0) memset(def->rest, 0, sizeof def->rest);
}

static void read_axis(mjcf *m, const mjcf_item *item, ap_body_def *def) {
  double axis[3] = {0, 0, 1};
  ap__mjcf_numbers(m, item, "axis", 3, 3, axis);
  const double n = length3(axis);
  if (!(n > 1e-14) && !m->status)
    ap__mjcf_fail(m, item->e, "<%s axis> has length %g (above 1e-14)", item->e->name, n);
  for (int i = 0; i < 3 && n > 1e100; i++) axis[i] /= n; // squares overflow
  mjcf_turn(item->frame.q, axis, def->axis);
}

// J(-ref), from the joint's frame.
static mjcf_pose step_back(const mjcf_joint *joint, const double axis[3]) {
  mjcf_pose back = mjcf_here();
  double n = norm3(axis), unit[3] = {axis[0] / n, axis[1] / n, axis[2] / n};
  if (joint->ref == 0) return back;
  if (joint->type == MJCF_HINGE) mjcf_quat_about(unit, -joint->ref, back.q);
  for (int i = 0; i < 3 && joint->type == MJCF_SLIDE; i++) back.p[i] = -joint->ref * unit[i];
  return back;
}

// The joint's type and reference, before its part is made.
static void read_type(mjcf *m, const mjcf_item *item, const mjcf_body *body, mjcf_joint *joint) {
  bool free_joint = strcmp(item->e->name, "freejoint") == 0;
  joint->type = free_joint ? MJCF_FREE
                           : (mjcf_joint_type)ap__mjcf_word(m, item, "type",
                                                            "free ball slide hinge", MJCF_HINGE);
  ap__mjcf_numbers(m, item, "ref", 1, 1, &joint->ref);
  if (joint->type == MJCF_HINGE) joint->ref = ap__mjcf_angle(item, joint->ref);
  if (joint->type == MJCF_FREE || joint->type == MJCF_BALL) joint->ref = 0;
  joint->home = joint->type == MJCF_FREE ? body->home : mjcf_here();
  if (joint->type == MJCF_FREE && body->parent != 0)
    ap__mjcf_fail(m, item->e,
                  "a free joint on a body that hangs on another one (only on the world)");
}

// Where the anchor is in the body's frame.
static mjcf_pose anchor_of(mjcf *m, const mjcf_item *item, mjcf_joint_type type) {
  double p[3] = {0}, turned[3];
  if (type == MJCF_FREE) return mjcf_here();
  ap__mjcf_numbers(m, item, "pos", 3, 3, p);
  mjcf_turn(item->frame.q, p, turned);
  for (int i = 0; i < 3; i++) turned[i] += item->frame.p[i];
  return mjcf_at_point(turned, 1);
}

// A ball joint in a closed chain: coordinates of a mechanism are single numbers, so that it becomes
// three hinges about z, y and x.
static int add_ball(mjcf *m, const mjcf_item *item, int body, int carrier, mjcf_pose *place) {
  const mjcf_pose anchor = anchor_of(m, item, MJCF_BALL);
  const char *name = ap__mjcf_name(m, item->scope, ap__attribute(item->e, "name"));
  mjcf_pose at = mjcf_compose(*place, anchor);
  ap_body_def unused = ap_default_body();
  const mjcf_joint ball = {.type = MJCF_BALL, .home = mjcf_here()};
  read_forces(m, item, &ball, &unused);
  if (unused.stiffness != 0)
    ap__mjcf_odd(m, MJCF_ODD_PASSIVE, item->e, "stiffness of a ball joint");
  for (int k = 0; k < 3 && !m->status; k++, at = mjcf_here()) {
    static const char *const behind[] = {".z", ".y", ".x"};
    mjcf_joint *joint =
        ap__mjcf_append(m, &m->joints, &m->njoint, &m->joint_capacity, sizeof *joint);
    ap__part *part = joint ? add_part(m, item->e, carrier, &at) : NULL;
    if (!part) return -1;
    const mjcf_scope add = {item->scope->model, "", behind[k]};
    carrier = m->parts.n - 1;
    *joint = (mjcf_joint){.name = ap__mjcf_name(m, &add, name),
                          .e = item->e,
                          .type = MJCF_HINGE,
                          .part = carrier,
                          .body = body,
                          .home = mjcf_here(),
                          .of_ball = k + 1};
    part->def.joint = AP_REVOLUTE;
    for (int i = 0; i < 3; i++) part->def.axis[i] = i == 2 - k;
  }
  *place = mjcf_at_point(anchor.p, -1);
  return carrier;
}

// Is it a ball joint of a chain that is to be closed?
static bool is_split(mjcf *m, const mjcf_item *item) {
  return m->closed && item->kind == MJCF_JOINT &&
         ap__mjcf_word(m, item, "type", "free ball slide hinge", MJCF_HINGE) == MJCF_BALL;
}

// One joint. *place: of the body before it, in the frame of the part that carries it; then behind
// it, from the part that it moves. Returns that part's number.
static int add_joint(mjcf *m, const mjcf_item *item, int body, int carrier, mjcf_pose *place) {
  static const ap_joint_type types[] = {
      [MJCF_FREE] = AP_FREE, AP_SPHERICAL, AP_PRISMATIC, AP_REVOLUTE};
  mjcf_joint *joint = ap__mjcf_append(m, &m->joints, &m->njoint, &m->joint_capacity, sizeof *joint);
  if (!joint) return -1;
  joint->e = item->e;
  joint->name = ap__mjcf_name(m, item->scope, ap__attribute(item->e, "name"));
  joint->part = m->parts.n;
  joint->body = body;
  read_type(m, item, &m->bodies[body], joint);
  ap_body_def def = ap_default_body();
  if (joint->type == MJCF_HINGE || joint->type == MJCF_SLIDE) read_axis(m, item, &def);
  const mjcf_pose anchor = anchor_of(m, item, joint->type);
  mjcf_pose at = mjcf_compose(*place, mjcf_compose(anchor, step_back(joint, def.axis)));
  if (joint->type == MJCF_FREE) at = mjcf_here(); // q is the pose in the world
  ap__part *part = m->status ? NULL : add_part(m, item->e, carrier, &at);
  if (!part) return -1;
  part->def.joint = types[joint->type];
  memcpy(part->def.axis, def.axis, sizeof def.axis);
  part->at.axis = part->at.lower = part->at.upper = part->at.viscous = part->at.coulomb =
      part->at.rotor_inertia = part->at.effort_limit = item->e->line;
  read_limits(m, item, joint->type, part);
  read_forces(m, item, joint, &part->def);
  *place = mjcf_at_point(anchor.p, -1);
  return joint->part;
}

// ---- the whole body ----------------------------------------------------------------------------

static bool is_joint(const mjcf_item *item) {
  return item->kind == MJCF_JOINT || strcmp(item->e->name, "freejoint") == 0;
}

// MuJoCo moves the frame of a free body without others on it to its principal axes, where that is
// asked for: q is the pose of those.
static bool is_aligned(mjcf *m, int body, const mjcf_scope *scope, int joints) {
  const mjcf_joint *joint = &m->joints[m->njoint - 1];
  if (joints != 1 || joint->type != MJCF_FREE || !m->bodies[body].leaf) return false;
  const mjcf_item item = {.e = joint->e, .scope = scope, .kind = MJCF_KINDS};
  return ap__mjcf_word(m, &item, "align", "false true auto", 2) +
                 scope->model->compiler.alignfree ==
             3 ||
         ap__mjcf_word(m, &item, "align", "false true auto", 2) == 1;
}

static int count_dofs(const mjcf *m, int joints) {
  static const int nv[] = {[MJCF_FREE] = 6, [MJCF_BALL] = 3, [MJCF_SLIDE] = 1, [MJCF_HINGE] = 1};
  int sum = 0;
  for (int i = 0; i < joints; i++) sum += nv[m->joints[m->njoint - 1 - i].type];
  return sum;
}

// The body behind its joints: the last joint's part, or a part of its own.
static int own_part(mjcf *m, const ap__node *e, int carrier, const mjcf_pose *place) {
  bool apart = mjcf_is_turned(place->q) || place->p[0] != 0 || place->p[1] != 0 || place->p[2] != 0;
  if (!apart) return carrier;
  return add_part(m, e, carrier, place) ? m->parts.n - 1 : -1;
}

// Does a part move, or one that it hangs on?
static bool is_moved(const mjcf *m, int part) {
  for (; part >= 0; part = m->carrier[part])
    if (m->parts.part[part].def.joint != AP_FIXED) return true;
  return false;
}

// Where the mass of a body is said: <inertial>, or its first geom.
static int line_of_inertia(const mjcf *m, const ap__node *body) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < m->nown; i++)
      if (pass ? m->own[i].kind == MJCF_GEOM : strcmp(m->own[i].e->name, "inertial") == 0)
        return m->own[i].e->line;
  return body->line;
}

static void set_mass(ap_body_def *to, const ap_body_def *from) {
  to->mass = from->mass;
  memcpy(to->com, from->com, sizeof to->com);
  memcpy(to->inertia, from->inertia, sizeof to->inertia);
  to->gravity_compensation = from->gravity_compensation;
}

void ap__mjcf_add_parts(mjcf *m, int body, const mjcf_scope *scope, const mjcf_pose *place,
                        const mjcf_pose *written) {
  const ap__node *e = m->bodies[body].e;
  const int parent = m->bodies[m->bodies[body].parent].part;
  mjcf_pose behind = *place, principal;
  int carrier = parent, joints = 0;
  for (int i = 0; i < m->nown && !m->status; i++) {
    if (!is_joint(&m->own[i])) continue;
    const bool split = is_split(m, &m->own[i]);
    carrier = (split ? add_ball : add_joint)(m, &m->own[i], body, carrier, &behind);
    joints += split ? 3 : 1;
  }
  ap_body_def def = ap_default_body();
  m->moves = is_moved(m, carrier);
  bool known = !m->status && ap__mjcf_read_inertia(m, e, scope, written, &def, &principal);
  if (m->status) return;
  if (joints && count_dofs(m, joints) > 6)
    ap__mjcf_fail(m, e, "a body with more than 6 degrees of freedom (MuJoCo has none)");
  if (joints && is_aligned(m, body, scope, joints)) {
    if (!known)
      ap__mjcf_fail(m, e,
                    "a free body that is aligned with its principal axes needs them (write "
                    "<inertial> with diaginertia and quat, or align=\"false\")");
    behind = mjcf_inverse(principal);
  }
  int part = joints ? own_part(m, e, carrier, &behind) : -1;
  if (!joints && add_part(m, e, parent, place)) part = m->parts.n - 1;
  if (m->status) return;
  m->bodies[body].part = part;
  ap__lines *at = &m->parts.part[part].at;
  at->body = e->line;
  at->mass = at->com = at->inertia = line_of_inertia(m, e);
  set_mass(&m->parts.part[part].def, &def);
  for (int i = 0; i < m->nown && !m->status; i++)
    if (m->own[i].kind == MJCF_GEOM) ap__mjcf_add_shapes(m, &m->own[i], part);
}
