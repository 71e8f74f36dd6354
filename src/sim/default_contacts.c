// SPDX-License-Identifier: Apache-2.0
// Contact points of a robot that names none.

#include <math.h>
#include <string.h>

#include "model/pack.h"
#include "num/vec3.h"
#include "sim/run.h"
#include "sim/scenario.h"

// A place as seen from the internal frame of a moving body, carried down to the body nearest the
// ground that it is fixed to: the origin of a joint that only turns is fixed to the parent as well.
typedef struct place {
  int body;
  double p[3];
} place;

static place settle(const ap_model *m, int body, const double *p) {
  place at = {body, {p[0], p[1], p[2]}};
  while (at.body > 0) {
    const ap_joint *j = &m->joint[at.body];
    bool turns = j->type == AP_REVOLUTE || j->type == AP_SPHERICAL;
    if (!turns || norm3(at.p) > 1e-12) break;
    memcpy(at.p, m->packed_body[at.body].s, sizeof at.p);
    at.body = j->parent;
  }
  return at;
}

// The body that carries frame i.
static int carrier(const ap_model *m, int i) {
  return m->mover[i < m->nlink ? i : m->frame[i - m->nlink].body];
}

static place place_of_frame(const ap_model *m, int i) {
  return settle(m, carrier(m, i), m->packed_frame[i].p);
}

static place place_of_joint(const ap_model *m, int body) {
  return settle(m, body, (double[3]){0, 0, 0});
}

static bool same(place a, place b) {
  return a.body == b.body && fabs(a.p[0] - b.p[0]) <= 1e-12 && fabs(a.p[1] - b.p[1]) <= 1e-12 &&
         fabs(a.p[2] - b.p[2]) <= 1e-12;
}

// Candidates in the order of preference: named frames, origins of joints, links on fixed joints.
static int candidates(const ap_model *m) {
  return (m->nframe - m->nlink) + (m->nbody - 1) + (m->nlink - 1);
}

// Candidate i; false where it does not count.
static bool candidate(const ap_model *m, int i, place *at, ap_contact_point *point) {
  int named = m->nframe - m->nlink, joints = m->nbody - 1;
  if (i < named) {
    int frame = m->nlink + i;
    const ap_frame_def *f = &m->frame[i];
    *at = place_of_frame(m, frame);
    *point = (ap_contact_point){
        .name = f->name, .body = f->body, .at = {f->xyz[0], f->xyz[1], f->xyz[2]}};
    return carrier(m, frame) > 0;
  }
  if (i < named + joints) {
    int body = i - named + 1, link = m->joint[body].link;
    const ap_packed_frame *f = &m->packed_frame[link];
    *at = place_of_joint(m, body);
    *point = (ap_contact_point){.name = m->link[link].name, .body = link};
    for (int k = 0; k < 3; k++) // the joint's origin in the link frame: -R^T p
      point->at[k] = 0 - (f->R[k] * f->p[0] + f->R[3 + k] * f->p[1] + f->R[6 + k] * f->p[2]);
    return m->packed_body[body].mass > 0;
  }
  int link = i - named - joints + 1, body = m->mover[link];
  *at = place_of_frame(m, link);
  *point = (ap_contact_point){.name = m->link[link].name, .body = link};
  return body > 0 && m->joint[body].link != link;
}

int ap_default_contact_points(const ap_model *m, ap_contact_point *point, int room) {
  if (!m) return 0;
  int count = 0;
  for (int i = 0; i < candidates(m); i++) {
    place at, earlier;
    ap_contact_point made, other;
    if (!candidate(m, i, &at, &made) || at.body == 0) continue; // on the ground it never moves
    bool twice = false;
    for (int k = 0; k < i && !twice; k++)
      twice = candidate(m, k, &earlier, &other) && same(at, earlier);
    if (twice) continue;
    if (point && count < room) point[count] = made;
    count++;
  }
  return count;
}

// ---- what they leave out -----------------------------------------------------------------------

static bool is_leaf(const ap_model *m, int body) {
  for (int i = body + 1; i < m->nbody; i++)
    if (m->joint[i].parent == body) return false;
  return true;
}

// Does a default point move with a body, away from the origin of its joint?
static bool is_touched(const ap_model *m, int body) {
  place at;
  ap_contact_point point;
  for (int i = 0; i < candidates(m); i++)
    if (candidate(m, i, &at, &point) && at.body == body) return true;
  return false;
}

// The first link with shapes at the end of a chain that no default point moves with; 0: none.
static int find_untouched(const ap_robot *robot, const ap_model *m) {
  for (int link = 1; link < m->nlink && ap_robot_shapes(robot) > 0; link++) {
    const int body = m->mover[link];
    if (body > 0 && ap_robot_shape(robot, link, 0) && is_leaf(m, body) && !is_touched(m, body))
      return link;
  }
  return 0;
}

bool ap__scenario_check_contacts(ap__scenario_reader *r) {
  const ap_scenario *s = r->scenario;
  if (r->head.contacts || !s->scene.nwall || !s->scene.npoint) return true;
  if (s->scene.point[0].shape) return true; // the robot's own shapes
  const int link = find_untouched(s->robot, s->model);
  if (!link) return true;
  const char *name = s->model->link[link].name;
  return ap__scenario_warn(r, ap__line_of(r->yaml.root, "walls"),
                           "no contact point is on link \"%.*s\": its shapes pass through walls "
                           "(name its points under contacts)",
                           ap__shown(name), name);
}
