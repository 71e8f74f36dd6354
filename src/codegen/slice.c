// SPDX-License-Identifier: Apache-2.0
#include "codegen/slice.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/registers.h"

// What a cut must bring the larger of its parts, in values alive or in work, as fractions of what
// they were: that is worth some work twice.
static const double most_live = 0.99, most_work = 0.95;

// Sets of nodes, one for every output that is not a number: what it is made of.
typedef struct sets {
  const ap_program *p;
  size_t words;    // of a set
  uint64_t *below; // [outputs][words]
  int *output;     // [outputs] first of those that have this node
  int outputs;
  int *slice;         // [outputs]
  uint64_t *whole[2]; // [words] of two slices
} sets;

static uint64_t *set_of(const sets *s, int k) { return s->below + (size_t)k * s->words; }
static bool has(const uint64_t *set, int node) { return set[node / 64] >> node % 64 & 1; }
static void add(uint64_t *set, int node) { set[node / 64] |= UINT64_C(1) << node % 64; }

static int count_bits(uint64_t x) {
  int n = 0;
  for (; x; x &= x - 1) n++;
  return n;
}

// How many nodes of a are in b, or are not.
static int count_common(const sets *s, const uint64_t *a, const uint64_t *b, bool in) {
  int n = 0;
  for (size_t k = 0; k < s->words; k++) n += count_bits(a[k] & (in ? b[k] : ~b[k]));
  return n;
}

static void find_below(const sets *s, int root, uint64_t *set) {
  const ap_node *node = s->p->tape.node;
  add(set, root);
  for (int k = root; k > 0; k--)
    for (int i = 0; has(set, k) && i < ap__operands(&node[k]); i++)
      add(set, abs(ap__operand(&node[k], i)));
}

static bool open_sets(sets *s, const ap_program *p) {
  bool *seen = calloc((size_t)p->tape.count, sizeof *seen);
  const size_t values = (size_t)p->values;
  *s = (sets){.p = p, .words = (size_t)p->tape.count / 64 + 1};
  s->output = calloc(values, sizeof *s->output);
  s->slice = calloc(values, sizeof *s->slice);
  s->below = calloc((values + 2) * s->words, sizeof *s->below);
  bool fits = seen && s->output && s->slice && s->below;
  for (int k = 0; fits && k < p->values; k++) {
    const int node = abs(p->value[k].node);
    if (!node || seen[node]) continue;
    seen[node] = true;
    s->output[s->outputs] = k;
    find_below(s, node, set_of(s, s->outputs++));
  }
  for (int k = 0; fits && k < 2; k++) s->whole[k] = set_of(s, p->values + k);
  free(seen);
  return fits;
}

static void close_sets(sets *s) {
  free(s->output);
  free(s->slice);
  free(s->below);
}

// ---- values alive at once ----------------------------------------------------------------------

bool ap__slice_program(const ap_program *p, const int *slice, int which, ap_program *part) {
  const size_t values = (size_t)ap__program_values(p);
  *part = *p;
  part->value = malloc(values * sizeof *part->value);
  if (!part->value) return false;
  memcpy(part->value, p->value, values * sizeof *part->value);
  for (int k = 0; k < p->values; k++)
    if (slice[k] != which) part->value[k] = ap__left_out();
  return true;
}

// Every output goes with the one that has its node, numbers by turns.
static void number_outputs(const sets *s, int slices, int *slice) {
  const ap_program *p = s->p;
  for (int k = 0; k < p->values; k++) slice[k] = k % slices;
  for (int i = 0; i < s->outputs; i++) {
    const int node = abs(p->value[s->output[i]].node);
    for (int k = 0; k < p->values; k++)
      if (abs(p->value[k].node) == node) slice[k] = s->slice[i];
  }
}

typedef struct effort {
  int live, work; // values alive at once, operations and what stores take; live -1: no memory
} effort;

// Operations that a store takes, addresses included.
enum { WORK_OF_A_STORE = 3 };

static effort effort_of(const ap_program *p, const int *slice, int which) {
  ap_program part;
  ap_plan plan;
  effort e = {-1, 0};
  if (!ap__slice_program(p, slice, which, &part)) return e;
  if (ap__plan(&part, NULL, false, &plan) && ap__order_for_registers(&plan, 0)) {
    e.live = plan.live;
    for (int k = 1; k < p->tape.count; k++)
      e.work += plan.uses[k] && !ap__is_leaf(&p->tape.node[k]);
    for (int k = 0; k < p->values; k++) e.work += WORK_OF_A_STORE * (slice[k] == which);
    ap__plan_free(&plan);
  }
  free(part.value);
  return e;
}

static bool has_room(effort e, ap_slice_room room) {
  return e.live <= room.live && e.work <= room.work;
}

static bool is_better(effort whole, effort a, effort b) {
  const int live = a.live > b.live ? a.live : b.live, work = a.work > b.work ? a.work : b.work;
  return live <= whole.live && work <= whole.work &&
         (live < most_live * whole.live || work < most_work * whole.work);
}

// ---- cutting -----------------------------------------------------------------------------------

// The two outputs of a slice that have the least in common: the largest, and of those that are not
// small the one that shares the smallest part of itself with it. False: there is none.
static bool choose_seeds(const sets *s, int slice, int seed[2]) {
  int most = -1;
  double least = 2;
  seed[0] = seed[1] = -1;
  for (int k = 0; k < s->outputs; k++) {
    const uint64_t *set = set_of(s, k);
    const int size = s->slice[k] == slice ? count_common(s, set, set, true) : -1;
    if (size > most) most = size, seed[0] = k;
  }
  for (int k = 0; k < s->outputs; k++) {
    const uint64_t *set = set_of(s, k);
    const int size = s->slice[k] == slice && k != seed[0] ? count_common(s, set, set, true) : 0;
    if (size < most / 2 + 1) continue;
    const double common = (double)count_common(s, set, set_of(s, seed[0]), true) / size;
    if (common < least) least = common, seed[1] = k;
  }
  return seed[1] >= 0;
}

// Each output goes where it adds fewer nodes.
static bool halve(const sets *s, int slice, int added) {
  int seed[2], size[2];
  if (!choose_seeds(s, slice, seed)) return false;
  for (int i = 0; i < 2; i++)
    memcpy(s->whole[i], set_of(s, seed[i]), s->words * sizeof *s->whole[i]);
  for (int i = 0; i < 2; i++) size[i] = count_common(s, s->whole[i], s->whole[i], true);
  for (int k = 0; k < s->outputs; k++) {
    if (s->slice[k] != slice) continue;
    const uint64_t *set = set_of(s, k);
    const int a = count_common(s, set, s->whole[0], false);
    const int b = count_common(s, set, s->whole[1], false);
    const int to = k == seed[0] ? 0 : k == seed[1] ? 1 : a != b ? b < a : size[1] < size[0];
    for (size_t w = 0; w < s->words; w++) s->whole[to][w] |= set[w];
    size[to] += to ? b : a;
    if (to) s->slice[k] = added;
  }
  return true;
}

static void join(const sets *s, int slice, int added) {
  for (int k = 0; k < s->outputs; k++)
    if (s->slice[k] == added) s->slice[k] = slice;
}

// Cut one of the slices in two, where that helps. The number of slices then, 0: no memory.
static int cut_slice(const sets *s, int which, int slices, ap_slice_room room, int *slice) {
  number_outputs(s, slices, slice);
  const effort whole = effort_of(s->p, slice, which);
  if (whole.live < 0) return 0;
  if (has_room(whole, room) || slices == AP_MOST_SLICES || !halve(s, which, slices)) return slices;
  number_outputs(s, slices + 1, slice);
  const effort a = effort_of(s->p, slice, which), b = effort_of(s->p, slice, slices);
  if (a.live < 0 || b.live < 0) return 0;
  if (is_better(whole, a, b)) return slices + 1;
  join(s, which, slices);
  return slices;
}

int ap__slice(const ap_program *p, ap_slice_room room, int *slice) {
  sets s;
  int slices = 1;
  if (!open_sets(&s, p)) slices = 0;
  for (int k = 0; k < slices;) {
    const int now = cut_slice(&s, k, slices, room, slice);
    if (now == slices) k++;
    slices = now;
  }
  if (slices > 0) number_outputs(&s, slices, slice);
  close_sets(&s);
  return slices;
}
