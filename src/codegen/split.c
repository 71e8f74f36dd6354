// SPDX-License-Identifier: Apache-2.0
// Long programs in parts. A compiler's time grows faster than a function's length, and so do the
// bytes that it makes of a statement: it spreads a long function's values over a large frame. A
// function that does not fit the cache for instructions takes twice as long. What fits it is left
// whole: what is handed from part to part costs a few stores and loads.

#include <stdlib.h>
#include <string.h>

#include "codegen/plan.h"

// Where statements end and begin: before and behind the probe is a cut, the others are even.
static bool choose_cuts(ap_plan *plan, int part_steps) {
  int room = plan->steps / part_steps + 5, parts = 0;
  plan->from = calloc((size_t)room, sizeof *plan->from);
  if (!plan->from) return false;
  for (int at = plan->angle_steps; at < plan->steps;) {
    int end = at < plan->pivoted ? plan->pivoted : at < plan->checked ? plan->checked : plan->steps;
    int left = end - at;
    int size = left / ((left + part_steps - 1) / part_steps);
    plan->from[parts++] = at;
    at += size;
  }
  plan->from[parts] = plan->steps;
  plan->parts = parts;
  return true;
}

static void number_parts(ap_plan *plan) {
  for (int s = 0; s < plan->angle_steps; s++) plan->part[plan->order[s]] = -1;
  for (int p = 0; p < plan->parts; p++)
    for (int s = plan->from[p]; s < plan->from[p + 1]; s++) plan->part[plan->order[s]] = p;
}

typedef struct ends {
  const ap_plan *plan;
  int now;
  int *last; // [count] the last part that reads a statement of another; -2: none does
} ends;

static void note_use(void *context, int node) {
  ends *e = context;
  int statement = ap__statement(e->plan, node);
  if (!ap__is_leaf(&e->plan->p->tape.node[node]) && e->plan->part[statement] != e->now)
    e->last[statement] = e->now;
}

static void find_ends(ap_plan *plan, int *last) {
  ends e = {plan, 0, last};
  const ap_program *p = plan->p;
  for (int k = 0; k < p->tape.count; k++) last[k] = -2;
  for (int part = 0; part < plan->parts; part++) {
    e.now = part;
    for (int s = plan->from[part]; s < plan->from[part + 1]; s++)
      ap__each_operand(plan, plan->order[s], note_use, &e);
  }
  // the entry function, which comes last, reads pivots, and outputs that are not stored at once
  e.now = plan->parts;
  for (int k = 0; k < ap__program_values(p); k++) {
    int node = abs(p->value[k].node);
    if (node && (k >= p->values || !plan->stored[k])) note_use(&e, node);
  }
}

// Slots that were given back: single ones, and two side by side, of which the first is listed.
typedef struct free_slots {
  int *slot[2], count[2];
} free_slots;

static void give_slot(ap_plan *plan, free_slots *f, int node) {
  int wide = plan->mate[node] > 0, *slot = &plan->slot[node];
  if (f->count[wide] > 0)
    *slot = f->slot[wide][--f->count[wide]];
  else
    *slot = plan->slots + 1, plan->slots += 1 + wide;
  if (wide) plan->slot[plan->mate[node]] = *slot + 1;
}

// Slots are given back when the part that reads them last is done.
static bool give_slots(ap_plan *plan, const int *last) {
  int *memory = calloc(2 * (size_t)plan->steps + 2, sizeof *memory);
  free_slots f = {.slot = {memory, memory + plan->steps + 1}};
  if (!memory) return false;
  for (int p = -1; p < plan->parts; p++) {
    int from = p < 0 ? 0 : plan->from[p], to = p < 0 ? plan->angle_steps : plan->from[p + 1];
    for (int s = from; s < to; s++) {
      int node = plan->order[s];
      if (last[node] > -2) give_slot(plan, &f, node);
    }
    for (int s = 0; s < to; s++) { // what this part was the last to read
      int node = plan->order[s];
      int wide = plan->mate[node] > 0;
      if (last[node] == p && plan->part[node] < p) f.slot[wide][f.count[wide]++] = plan->slot[node];
    }
  }
  free(memory);
  return true;
}

bool ap__cut(ap_plan *plan, ap_lengths most) {
  if (plan->steps <= most.whole) return true;
  int *last = calloc((size_t)plan->p->tape.count, sizeof *last);
  bool fits = last && choose_cuts(plan, most.part);
  if (fits) {
    number_parts(plan);
    find_ends(plan, last);
    fits = give_slots(plan, last);
  }
  free(last);
  if (!fits) ap__plan_free(plan);
  return fits;
}
