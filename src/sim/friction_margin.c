// SPDX-License-Identifier: Apache-2.0
// How far friction at the links is from its limit.

#include <math.h>
#include <string.h>

#include "num/vec3.h"
#include "sim/run.h"

// A contact as a link sees it: the normal and the force on the link along it, friction on the link,
// and the most that it can be.
typedef struct seen {
  double normal[3], tangent[3], most;
} seen;

// False where the contact is none of the link's, or has no friction.
static bool see(const ap_sim *sim, const ap_resting *r, int body, seen *c) {
  if (r->kind != AP_REST_POINT || (r->body != body && r->carrier != body)) return false;
  const double *n = sim->pair[r->id].now.normal, sign = r->body == body ? 1 : -1;
  double push = dot3(r->force, n), mu = r->sticks ? r->stiction : r->friction;
  for (int k = 0; k < 3; k++) {
    c->normal[k] = n[k];
    c->tangent[k] = sign * (r->force[k] - push * n[k]);
  }
  c->most = mu * fmax(push, 0);
  return c->most > 0;
}

// Friction on a link as a whole, and the most in its direction: each contact's limit times the sine
// of the angle between that direction and its normal. Contacts that slide have nothing left.
static bool look_at_link(const ap_sim *sim, int body, ap_friction_margin *m) {
  double sum[3] = {0}, size = 0;
  seen c;
  *m = (ap_friction_margin){.body = body};
  for (int i = 0; i < sim->nresting; i++) {
    if (!see(sim, &sim->resting[i], body, &c)) continue;
    m->contacts++;
    size += c.most;
    for (int k = 0; k < 3; k++) sum[k] += c.tangent[k];
  }
  m->friction = norm3(sum);
  if (!(m->friction > 1e-9 * size)) return false; // it has no direction
  for (int k = 0; k < 3; k++) m->direction[k] = sum[k] / m->friction;
  for (int i = 0; i < sim->nresting; i++) {
    const ap_resting *r = &sim->resting[i];
    if (!see(sim, r, body, &c)) continue;
    double along = dot3(c.normal, m->direction), now = dot3(c.tangent, m->direction);
    m->limit += r->sticks ? c.most * sqrt(fmax(0, 1 - along * along)) : now;
  }
  m->limit = fmax(m->limit, m->friction); // less is rounding
  return true;
}

int ap_sim_friction(const ap_sim *sim, ap_friction_margin *margin, int room) {
  int n = 0;
  if (!sim || !sim->started) return 0;
  for (int body = 1; body < ap_nbody(sim->m); body++) {
    ap_friction_margin m;
    if (!look_at_link(sim, body, &m)) continue;
    if (margin && n < room) margin[n] = m;
    n++;
  }
  return n;
}
