// SPDX-License-Identifier: Apache-2.0
// MJCF: mass and inertia of a body, written in <inertial> or inferred from its geoms, by the rules
// of the compiler.

#include <math.h>
#include <string.h>

#include "file/mjcf_geom.h"
#include "num/eigen3.h"
#include "num/svd.h"

// Masses below this are none.
#define LEAST_MASS 1e-14

// A body's inertia, and its principal axes where they are known.
typedef struct inertial {
  ap__solid solid;
  mjcf_pose principal;
  bool known;
} inertial;

// ---- as written --------------------------------------------------------------------------------

static void read_tensor(mjcf *m, const mjcf_item *item, bool turned, inertial *out) {
  double diagonal[3] = {0}, full[6];
  bool written = ap__mjcf_numbers(m, item, "diaginertia", 3, 3, diagonal) > 0;
  bool whole = ap__mjcf_numbers(m, item, "fullinertia", 6, 6, full) > 0;
  if (m->status) return;
  if (whole && (turned || written)) {
    ap__mjcf_fail(m, item->e, "<inertial> with fullinertia and %s (one of them)",
                  written ? "diaginertia" : "an orientation");
  } else if (whole) { // xx yy zz xy xz yz, in the body's axes
    const double tensor[6] = {full[0], full[3], full[4], full[1], full[5], full[2]};
    memcpy(out->solid.inertia, tensor, sizeof tensor);
  } else {
    double R[9];
    const double tensor[6] = {diagonal[0], 0, 0, diagonal[1], 0, diagonal[2]}, origin[3] = {0};
    ap__solid s = {.mass = out->solid.mass};
    memcpy(s.inertia, tensor, sizeof tensor);
    mjcf_quat_matrix(out->principal.q, R);
    if (mjcf_is_turned(out->principal.q)) ap__solid_move(&s, R, origin);
    memcpy(out->solid.inertia, s.inertia, sizeof s.inertia);
    out->known = true;
  }
}

static void read_inertial(mjcf *m, const mjcf_item *item, inertial *out) {
  bool turned = ap__mjcf_place(m, item, &out->principal);
  const bool placed = ap__mjcf_numbers(m, item, "pos", 3, 3, out->principal.p) > 0;
  const bool heavy = ap__mjcf_numbers(m, item, "mass", 1, 1, &out->solid.mass) > 0;
  if (!placed || !heavy)
    ap__mjcf_fail(m, item->e, "<inertial> without %s", placed ? "mass" : "pos");
  memcpy(out->solid.com, out->principal.p, sizeof out->solid.com);
  read_tensor(m, item, turned, out);
}

// ---- from geoms --------------------------------------------------------------------------------

static bool is_counted(mjcf *m, const mjcf_item *geom) {
  const mjcf_compiler *c = &geom->scope->model->compiler;
  double group = 0;
  ap__mjcf_numbers(m, geom, "group", 1, 1, &group);
  return group >= c->group[0] && group <= c->group[1];
}

// True: some geom has mass.
static bool add_geoms(mjcf *m, inertial *out) {
  int n = 0;
  for (int i = 0; i < m->nown && !m->status; i++) {
    if (m->own[i].kind != MJCF_GEOM || !is_counted(m, &m->own[i])) continue;
    ap__solid s;
    mjcf_pose axes;
    if (!ap__mjcf_weigh(m, &m->own[i], &s, &axes) || !(s.mass > LEAST_MASS)) continue;
    if (n++ == 0)
      out->solid = s;
    else
      ap__solid_add(&out->solid, &s);
    out->principal = axes;
  }
  out->known = n == 1;
  return n > 0;
}

// ---- the compiler's corrections ----------------------------------------------------------------

// No principal moment below the bound.
static void bound_moments(mjcf *m, double bound, double t[6]) {
  double A[9] = {t[0], t[1], t[2], t[1], t[3], t[4], t[2], t[4], t[5]}, moment[3];
  if (ap__svd(3, 0, A, moment) != AP_OK) {
    ap__mjcf_fail(m, m->tree->root, "boundinertia needs finite inertias");
    return;
  }
  memset(t, 0, 6 * sizeof *t);
  for (int k = 0; k < 3; k++) {
    const double *v = A + 3 * k, w = fmax(moment[k], bound);
    t[0] += w * v[0] * v[0], t[1] += w * v[0] * v[1], t[2] += w * v[0] * v[2];
    t[3] += w * v[1] * v[1], t[4] += w * v[1] * v[2], t[5] += w * v[2] * v[2];
  }
}

// Is one moment larger than the sum of the others? Where it is equal, rounding decides nothing.
static bool breaks_triangle(const double moment[3]) {
  return moment[0] + moment[1] < moment[2] * (1 - 1e-12);
}

static void correct(mjcf *m, const mjcf_compiler *c, inertial *out) {
  double moment[3], *t = out->solid.inertia;
  if (c->boundmass > 0) out->solid.mass = fmax(out->solid.mass, c->boundmass);
  ap__eigen3(t, moment);
  if (c->boundinertia > 0 && moment[0] < c->boundinertia) {
    bound_moments(m, c->boundinertia, t);
    ap__eigen3(t, moment);
  }
  if (c->balance && breaks_triangle(moment)) {
    double mean = (moment[0] + moment[1] + moment[2]) / 3;
    const double even[6] = {mean, 0, 0, mean, 0, mean};
    memcpy(t, even, sizeof even);
  }
}

// ---- the whole ---------------------------------------------------------------------------------

bool ap__mjcf_read_inertia(mjcf *m, const ap__node *body, const mjcf_scope *scope,
                           const mjcf_pose *written, ap_body_def *def, mjcf_pose *principal) {
  const mjcf_compiler *c = &scope->model->compiler;
  const mjcf_item item = {.e = body, .scope = scope, .kind = MJCF_KINDS};
  inertial out = {.principal = mjcf_here()};
  bool explicit = false, inferred = false;
  for (int i = 0; i < m->nown && !m->status; i++) {
    if (strcmp(m->own[i].e->name, "inertial") != 0) continue;
    if (explicit) ap__mjcf_fail(m, m->own[i].e, "a second <inertial> (there is one at most)");
    read_inertial(m, &m->own[i], &out);
    explicit = true;
  }
  if (c->from_geom == MJCF_GEOM_ALWAYS || (c->from_geom == MJCF_GEOM_AUTO && !explicit))
    inferred = add_geoms(m, &out);
  if (!explicit && !inferred) { // as MuJoCo: where the body itself is, but seen from the body
    out.principal = *written;
    memcpy(out.solid.com, written->p, sizeof out.solid.com);
  }
  if (m->status) return false;
  correct(m, c, &out);
  def->mass = out.solid.mass;
  if (def->mass > 0 || inferred || explicit) memcpy(def->com, out.solid.com, sizeof def->com);
  memcpy(def->inertia, out.solid.inertia, sizeof def->inertia);
  ap__mjcf_numbers(m, &item, "gravcomp", 1, 1, &def->gravity_compensation);
  *principal = out.principal;
  return out.known;
}

void ap__mjcf_set_total_mass(mjcf *m) {
  double wanted = m->scopes[0].model->compiler.totalmass, sum = 0;
  if (!(wanted > 0)) return;
  for (int i = 0; i < m->parts.n; i++) sum += m->parts.part[i].def.mass;
  double factor = sum > 0 ? wanted / sum : 1;
  for (int i = 0; i < m->parts.n; i++) {
    ap_body_def *def = &m->parts.part[i].def;
    def->mass *= factor;
    for (int k = 0; k < 6; k++) def->inertia[k] *= factor;
  }
}
