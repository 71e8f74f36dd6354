// SPDX-License-Identifier: Apache-2.0
// Inertias of MJCF. MuJoCo refuses a file for one body whose principal moments break the triangle
// inequality, and real robots have such links: on fixed joints they go into what carries them.

#include <math.h>
#include <stdlib.h>

#include "file/mjcf_write.h"

static int largest(const double moment[3]) {
  int most = moment[1] > moment[0] ? 1 : 0;
  return moment[2] > moment[most] ? 2 : most;
}

// A + B < C by a rounding, as of a flat body: MuJoCo takes not even that.
static void balance(double moment[3]) {
  int most = largest(moment);
  double *a = &moment[(most + 1) % 3], *b = &moment[(most + 2) % 3], c = moment[most];
  if (c - (*a + *b) > 1e-14 * c) return;
  for (int k = 0; k < 8 && *a + *b < c; k++) {
    double *smaller = *a < *b ? a : b;
    *smaller = fmax(nextafter(*smaller, INFINITY), *smaller + (c - (*a + *b)));
  }
}

static bool is_negative(const ap__inertia *i) {
  return i->moment[0] < 0 || i->moment[1] < 0 || i->moment[2] < 0;
}

static bool is_unbalanced(const ap__inertia *i) {
  int most = largest(i->moment);
  return i->moment[(most + 1) % 3] + i->moment[(most + 2) % 3] < i->moment[most];
}

static bool has_mass(const ap__inertia *i) {
  const double least = 1e-15; // MuJoCo's mjMINVAL
  return i->mass >= least && i->moment[0] >= least && i->moment[1] >= least &&
         i->moment[2] >= least;
}

// heavy: has mass and inertia itself or in what is fixed to it, as a moving body must.
static void plan(ap__mjcf_writer *w, int body, bool *heavy) {
  const ap_body_def *d = &w->robot->bodies[body - 1];
  ap__inertia *own = &w->inertia[body];
  balance(own->moment);
  heavy[body] = heavy[body] || has_mass(own);
  if (d->joint == AP_FIXED) {
    if (is_negative(own) || is_unbalanced(own)) {
      double xyz[3], rpy[3];
      ap__link_xyz_rpy(&d->place, xyz, rpy);
      if (!w->is_static[body]) ap__inertia_add(&w->inertia[d->parent], own, xyz, rpy);
      *own = (ap__inertia){0};
      ap__mjcf_note_of(w, AP__NOTE_MERGED, d->name);
    }
    heavy[d->parent] = heavy[d->parent] || heavy[body];
  } else if (w->is_folded[body]) {
    return;
  } else if (!heavy[body]) {
    ap__mjcf_note_of(w, AP__NOTE_MASSLESS, d->name);
  } else if (is_negative(own)) {
    ap__mjcf_note_of(w, AP__NOTE_NEGATIVE, d->name);
  } else if (is_unbalanced(own)) {
    ap__mjcf_note_of(w, AP__NOTE_TRIANGLE, d->name);
  }
}

void ap__mjcf_plan_inertia(ap__mjcf_writer *w) {
  int n = w->robot->nbody;
  bool *heavy = calloc((size_t)n + 1, sizeof *heavy);
  w->inertia = calloc((size_t)n + 1, sizeof *w->inertia);
  w->t->failed = w->t->failed || !heavy || !w->inertia;
  for (int i = 1; i <= n && !w->t->failed; i++)
    w->inertia[i] = ap__inertia_of(&w->robot->bodies[i - 1]);
  for (int i = n; i > 0 && !w->t->failed; i--) plan(w, i, heavy);
  free(heavy);
}

void ap__mjcf_add_inertial(ap__mjcf_writer *w, int body, int indent) {
  const ap__inertia *i = &w->inertia[body];
  const double *m = i->moment, *r = i->rpy;
  if (i->mass == 0 && m[0] == 0 && m[1] == 0 && m[2] == 0) return;
  ap__text_add(w->t, "%*s<inertial", indent, "");
  ap__xml_numbers(w->t, "pos", i->com, 3);
  if (r[0] != 0 || r[1] != 0 || r[2] != 0) ap__xml_numbers(w->t, "euler", r, 3);
  ap__xml_numbers(w->t, "mass", &i->mass, 1);
  ap__xml_numbers(w->t, "diaginertia", m, 3);
  ap__text_add(w->t, "/>\n");
}
