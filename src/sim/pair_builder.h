// SPDX-License-Identifier: Apache-2.0
// The making of pairs (sim/pairs.c): that of what is round is in sim/round_pairs.c.

#ifndef AP_SIM_PAIR_BUILDER_H
#define AP_SIM_PAIR_BUILDER_H

#include "base/arena.h"
#include "sim/round_walls.h"
#include "sim/run.h"

// What goes through all of them: once to count, and to measure, then to make.
typedef struct ap_pair_builder {
  ap_sim *sim; // NULL: it counts
  const ap_scene *scene;
  ap_arena *arena;
  ap_error *error;
  ap_status status;
  long pairs, groups;
} ap_pair_builder;

// The next pair; NULL: it is only counted.
static inline run_pair *ap__pairs_next(ap_pair_builder *b) {
  long i = b->pairs++;
  return b->sim && i < b->sim->npoint ? &b->sim->pair[i] : NULL;
}

// A corner of a solid and the faces of a surface.
void ap__pairs_corner(ap_pair_builder *b, const run_pair *like, const ap_solid *solid, int corner,
                      bool supports, const ap_surface *surface, int faces);

// A solid and a disc, a capped cylinder or a cone from outside; like: with places of the solid,
// back: with those of the round one.
void ap__pairs_round(ap_pair_builder *b, const run_pair *like, const run_pair *back,
                     const ap_solid *a, const ap_wall *w, const ap_surface *own);
// The cylinder of a link, `round`, and another solid; like: with places of that, told of both.
void ap__pairs_round_solid(ap_pair_builder *b, const run_pair *like, const run_pair *back,
                           const ap_solid *round, const ap_solid *other);

// A cylinder of a link; a disc, a capped cylinder or one without end as a wall.
typedef struct ap_round_body {
  ap_solid core; // its side
  int sides, rims;
  ap_round_rim rim[2];
} ap_round_body;
void ap__pairs_take_cylinder(ap_pair_builder *b, const ap_solid *s, ap_round_body *r);
void ap__pairs_take_round(ap_pair_builder *b, const ap_wall *w, const ap_surface *own,
                          ap_round_body *r);
// Rims, sides and flat ends of both; like: with places of the first, told of both.
void ap__pairs_cylinders(ap_pair_builder *b, const run_pair *like, const run_pair *back,
                         const ap_round_body two[2]);

#endif
