// SPDX-License-Identifier: Apache-2.0
// Rolling and spinning friction among the contacts: each is a contact of its own, whose tangents
// are relative angular velocities and whose normal force is that of its host. A tangent has the
// length of the lever: velocities along it are speeds (m/s), forces times it couples.

#include <math.h>
#include <string.h>

#include "contact_system.h"
#include "num/vec3.h"
#include "sim/contact_meeting.h"

void ap__contact_link_turning(const ap_resting *resting, contact_system *s) {
  for (int i = 0; i < 2 * s->n; i++) s->turn[i] = -1;
  for (int i = 0; i < s->n; i++)
    if (ap__rest_turns(resting[i].kind))
      s->turn[2 * resting[i].host + (resting[i].kind == AP_REST_SPIN)] = i;
}

// Rows of J from the angular Jacobians of both links; those that are rounding alone are zero.
static void gather_columns(const ap_plant *p, const ap_resting *r, int i, contact_system *s) {
  const int nv = s->nv, count = r->kind == AP_REST_ROLL ? 3 : 2, bodies = r->carrier ? 2 : 1;
  double own[3] = {0}, reach = 0, *J = s->J + CONTACT_LANES * i * nv;
  CONTACT_PATH(s, i, k) memset(J + CONTACT_LANES * k, 0, CONTACT_LANES * sizeof *J);
  for (int b = 0; b < bodies; b++) {
    ap_frame_jacobian(p->m, p->w, b ? r->carrier : r->body, AP_MIXED, s->jacobian);
    CONTACT_PATH(s, i, k) {
      const double *c = s->jacobian + 3 * nv + k, turn[3] = {c[0], c[nv], c[2 * nv]};
      reach = fmax(reach, r->lever * norm3(turn));
      for (int d = 1; d < count; d++)
        J[CONTACT_LANES * k + d] += (b ? -1 : 1) * dot3(s->place[i].frame[d], turn);
    }
  }
  CONTACT_PATH(s, i, k) for (int d = 1; d < count; d++) {
    double *x = &J[CONTACT_LANES * k + d];
    if (fabs(*x) <= 1e-14 * reach) *x = 0;
    own[d] = fmax(own[d], fabs(*x));
  }
  for (int d = 1; d < count; d++) {
    if (own[d] > 1e-14 * reach) continue;
    CONTACT_PATH(s, i, k) J[CONTACT_LANES * k + d] = 0;
  }
}

// With w the relative angular velocity and the normal n turning at n', (t . w)' is t . w' less
// (t . n') (n . w) where w has no part along t; and (n . w)' is n . w' + n' . w.
void ap__contact_gather_turning(const ap_plant *plant, const ap_resting *r, int i,
                                contact_system *s) {
  contact_place *place = &s->place[i];
  contact_meeting c;
  bool rolls = r->kind == AP_REST_ROLL;
  ap__contact_meet(plant->m, plant->w, r, true, &c);
  *place = (contact_place){.across = 1};
  memcpy(place->frame[0], c.normal, sizeof c.normal);
  ap__contact_tangents(place);
  if (!rolls) { // about the normal
    memcpy(place->frame[0], place->frame[1], sizeof c.normal);
    memcpy(place->frame[1], c.normal, sizeof c.normal);
  }
  for (int d = 1; d < 3; d++)
    for (int k = 0; k < 3; k++) place->frame[d][k] *= r->lever;
  int carrier = r->carrier ? ap__contact_start_of(plant->m, r->carrier) : -1;
  ap__contact_set_path(ap__contact_start_of(plant->m, r->body), carrier, i, s);
  gather_columns(plant, r, i, s);
  memset(s->b + 3 * i, 0, 3 * sizeof *s->b);
  double about = dot3(c.normal, c.turn);
  for (int d = 1; d < (rolls ? 3 : 2); d++) {
    const double *axis = place->frame[d];
    place->velocity[d] = dot3(axis, c.turn);
    place->wall[d] = r->pose ? dot3(axis, r->pose->w) : r->mount ? -dot3(axis, r->mount->w) : 0;
    s->b[3 * i + d] = dot3(axis, c.turns);
    s->b[3 * i + d] += rolls ? -about * dot3(axis, c.tilts) : r->lever * dot3(c.tilts, c.turn);
  }
  ap__contact_set_slip(r, place);
}

// Adds the friction of one that slides.
static void add_part(const ap_resting *r, const contact_place *place, int i, contact_drag *drag) {
  if (r->sticks || r->friction == 0 || (place->slip[0] == 0 && place->slip[1] == 0)) return;
  for (int k = 0; k < 2; k++) {
    drag->row[drag->n] = 3 * i + 1 + k;
    drag->part[drag->n++] = r->friction * place->slip[k];
  }
}

contact_drag ap__contact_drag(const ap_resting *resting, bool friction, const contact_system *s,
                              int row) {
  contact_drag drag = {0};
  int i = row / 3;
  if (!friction || row % 3 != 0) return drag;
  add_part(&resting[i], &s->place[i], i, &drag);
  for (int k = 0; k < 2; k++) {
    int turn = s->turn[2 * i + k];
    if (turn >= 0) add_part(&resting[turn], &s->place[turn], turn, &drag);
  }
  return drag;
}
