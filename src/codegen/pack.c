// SPDX-License-Identifier: Apache-2.0
// Which operations of one state go in pairs. Pairs are of the same form and on the same level of
// the graph: no path leads from one such node to another, nor through other pairs, so that any set
// of them can be put in order. They are looked for from the results down, where the operands of a
// pair are the next pair, and kept where they save more operations than they cost in shuffles.

#include "codegen/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- forms -------------------------------------------------------------------------------------

static ap_term number_term(double k) { return (ap_term){.k = k}; }

// A node with a sign, which a number takes.
static ap_term term_of(const ap_plan *plan, int node, int sign) {
  const ap_node *n = &plan->p->tape.node[node];
  if (n->op == AP_OP_NUMBER) return number_term(sign * n->k);
  return (ap_term){.node = node, .negative = sign < 0};
}

static ap_form sum_form(ap_term x, ap_term y) {
  if (x.negative && y.negative) return (ap_form){0};
  return (ap_form){AP_FORM_SUM, 2, {x.negative ? y : x, x.negative ? x : y}};
}

static ap_form fused_form(const ap_plan *plan, const ap_node *n, int sign) {
  bool known = plan->p->tape.node[n->a].op == AP_OP_NUMBER;
  int product = sign * plan->sign[n->a] * plan->sign[n->b];
  return (ap_form){
      AP_FORM_FUSED,
      3,
      {term_of(plan, known ? n->b : n->a, 1), term_of(plan, known ? n->a : n->b, product),
       term_of(plan, abs(n->c), sign * ap__sign(plan, n->c))}};
}

ap_form ap__form_of(const ap_plan *plan, int node) {
  const ap_node *n = &plan->p->tape.node[node];
  int sign = plan->sign[node];
  switch (n->op) {
    case AP_OP_ADD:
      return sum_form(term_of(plan, abs(n->a), sign * ap__sign(plan, n->a)),
                      term_of(plan, abs(n->b), sign * ap__sign(plan, n->b)));
    case AP_OP_ADD_CONST:
      return sum_form(number_term(sign * n->k), term_of(plan, n->a, sign * ap__sign(plan, n->a)));
    case AP_OP_MUL: return (ap_form){AP_FORM_PRODUCT, 2, {{.node = n->a}, {.node = n->b}}};
    case AP_OP_DIV: return (ap_form){AP_FORM_QUOTIENT, 2, {{.node = n->a}, {.node = n->b}}};
    case AP_OP_MUL_CONST:
    case AP_OP_DIV_CONST: {
      ap_term k = number_term(sign * ap__sign(plan, n->a) * n->k), a = {.node = n->a};
      if (n->op == AP_OP_DIV_CONST) return (ap_form){AP_FORM_QUOTIENT, 2, {k, a}};
      return (ap_form){AP_FORM_PRODUCT, 2, {a, k}};
    }
    case AP_OP_FMA: return fused_form(plan, n, sign);
    case AP_OP_INPUT:
    case AP_OP_NUMBER:
    case AP_OP_SIN:
    case AP_OP_COS:
    case AP_OP_SIGN:
    case AP_OP_MAX:
    case AP_OP_SQRT:
    case AP_OP_ANGLE:
    case AP_OP_PICK: break;
  }
  return (ap_form){0};
}

static void exchange(ap_form *f) {
  bool negative = f->term[1].negative;
  ap_term t = f->term[0];
  f->term[0] = f->term[1], f->term[1] = t;
  if (f->kind != AP_FORM_FUSED) return;
  f->term[0].negative = false, f->term[1].negative = negative; // that of the product
}

static bool is_leaf_splat(const ap_plan *plan, ap_term x, ap_term y) {
  return x.node && x.node == y.node && ap__is_leaf(&plan->p->tape.node[x.node]);
}

// Which factor of the second takes the other sign of its product: a number, or what is the same in
// both, whose negative other pairs may want too.
static int factor_to_flip(const ap_plan *plan, const ap_pair_form *f) {
  for (int i = 0; i < 2; i++)
    if (!f->term[1][i].node) return i;
  return is_leaf_splat(plan, f->term[0][0], f->term[1][0]) ? 0 : 1;
}

static void flip(ap_pair_form *f, int i) {
  if (f->term[1][i].node)
    f->flipped[i] = true;
  else
    f->term[1][i].k = -f->term[1][i].k;
}

static ap_pair_form pair_form(const ap_plan *plan, const ap_form *x, ap_form y, bool exchanged) {
  ap_pair_form f = {.kind = x->kind, .terms = x->terms};
  if (exchanged) exchange(&y);
  memcpy(f.term[0], x->term, sizeof x->term);
  memcpy(f.term[1], y.term, sizeof y.term);
  for (int i = 0; i < f.terms; i++) {
    if (f.term[0][i].negative == f.term[1][i].negative) continue;
    flip(&f, f.kind == AP_FORM_FUSED && i == 1 ? factor_to_flip(plan, &f) : i);
  }
  return f;
}

ap_pair_form ap__pair_form(const ap_plan *plan, int first) {
  const ap_form x = ap__form_of(plan, first), y = ap__form_of(plan, plan->mate[first]);
  return pair_form(plan, &x, y, plan->exchanged[first]);
}

// ---- operands ----------------------------------------------------------------------------------

// Whether a node lies in memory, and where: an array and a place in it. An input that may be the
// output is in a variable.
static bool is_in_memory(const ap_plan *plan, int node, int *array, int *place) {
  const ap_node *n = &plan->p->tape.node[node];
  const bool turns = n->op == AP_OP_SIN || n->op == AP_OP_COS;
  *array = turns ? (n->op == AP_OP_SIN ? -1 : -2) : n->a;
  *place = turns ? plan->place[n->a] : n->b;
  return turns || (n->op == AP_OP_INPUT && !(plan->p->in_place && n->a == plan->p->inputs - 1));
}

ap_join_way ap__join_way(const ap_plan *plan, ap_term x, ap_term y) {
  int array[2], place[2];
  if (!x.node && !y.node) return AP_JOIN_NUMBERS;
  if (!x.node || !y.node) return AP_JOIN_APART;
  if (x.node == y.node) return AP_JOIN_SPLAT;
  if (plan->mate[x.node] == y.node) return AP_JOIN_PAIR;
  if (plan->mate[y.node] == x.node) return AP_JOIN_SWAP;
  if (is_in_memory(plan, x.node, &array[0], &place[0]) &&
      is_in_memory(plan, y.node, &array[1], &place[1]) && array[0] == array[1] &&
      place[1] == place[0] + 1)
    return AP_JOIN_LOAD;
  return AP_JOIN_APART;
}

// ---- choosing ----------------------------------------------------------------------------------

typedef struct packer {
  ap_plan *plan;
  int count;
  ap_form *form;            // [count] NONE where a node may not be in a pair
  int *level;               // [count]
  int *by_level;            // [count] nodes, level by level as they were before there were pairs
  int *bucket;              // [count + 1] where each of these levels begins
  int *first_user, *user;   // [count + 2] of a node, by its number + 1; what uses it
  int *stack, *seen, stamp; // [uses], [count]
  bool *result;             // [count] an output
  int *splats;              // [count] pairs that take this node twice
  int *takers;              // [count] pairs that take this pair
  int *flips;               // [count] of them with its negative in the second
  int *scalar;              // [count] uses that are in no pair
  int *group;               // [count] a pair's component
  int *gain;                // [count] of it
} packer;

static bool in_pair(const packer *k, int node) { return k->plan->mate[node] != 0; }

static void list_users(packer *k) {
  const ap_node *node = k->plan->p->tape.node;
  for (int round = 0; round < 2; round++) {
    for (int i = 1; i < k->count; i++)
      for (int j = 0; k->plan->uses[i] && j < ap__operands(&node[i]); j++) {
        int of = abs(ap__operand(&node[i], j));
        if (round == 0)
          k->first_user[of + 1]++;
        else
          k->user[--k->first_user[of + 1]] = i; // ends where the list of `of` begins
      }
    for (int i = 0; round == 0 && i < k->count; i++) k->first_user[i + 1] += k->first_user[i];
  }
}

static void set_levels(packer *k) {
  const ap_node *node = k->plan->p->tape.node;
  memset(k->level, 0, sizeof *k->level * (size_t)k->count);
  memset(k->bucket, 0, sizeof *k->bucket * ((size_t)k->count + 1));
  for (int i = 1; i < k->count; i++) {
    for (int j = 0; k->plan->uses[i] && j < ap__operands(&node[i]); j++) {
      int of = k->level[abs(ap__operand(&node[i], j))];
      if (k->level[i] <= of) k->level[i] = of + 1;
    }
    k->bucket[k->level[i] + 1]++;
  }
  for (int l = 0; l < k->count; l++) k->bucket[l + 1] += k->bucket[l];
  int *next = k->group; // scratch
  memcpy(next, k->bucket, sizeof *next * (size_t)k->count);
  for (int i = 1; i < k->count; i++) k->by_level[next[k->level[i]]++] = i;
}

// Whether a path leads from `low` up to `high`, through pairs, too: levels rise along it.
static bool is_below(packer *k, int low, int high) {
  int depth = 0, stamp = ++k->stamp;
  k->stack[depth++] = high;
  while (depth > 0) {
    int at = k->stack[--depth];
    for (int lane = 0; lane < 2 && at; lane++, at = abs(k->plan->mate[at])) {
      const ap_node *n = &k->plan->p->tape.node[at];
      for (int i = 0; i < ap__operands(n); i++) {
        int of = abs(ap__operand(n, i));
        if (of == low) return true;
        if (k->seen[of] == stamp || k->level[of] <= k->level[low]) continue;
        k->seen[of] = stamp;
        if (k->plan->mate[of]) k->seen[abs(k->plan->mate[of])] = stamp;
        k->stack[depth++] = of;
      }
    }
  }
  return false;
}

// Lifts a statement and what depends on it.
static void lift(packer *k, int node, int level) {
  int depth = 0;
  if (k->level[node] >= level) return;
  k->level[node] = level, k->stack[depth++] = node;
  while (depth > 0) {
    int at = k->stack[--depth], mate = abs(k->plan->mate[at]), up = k->level[at];
    if (mate && k->level[mate] < up) k->level[mate] = up, k->stack[depth++] = mate;
    for (int i = k->first_user[at + 1]; i < k->first_user[at + 2]; i++) {
      int user = k->user[i];
      if (k->level[user] > up) continue;
      k->level[user] = up + 1;
      k->stack[depth++] = user;
    }
  }
}

enum { MOST_LIFT = 12 }; // levels that a node may be lifted to be in a pair

static bool look_alike(const packer *k, int x, int y) {
  return x != y && k->form[x].kind != AP_FORM_NONE && k->form[x].kind == k->form[y].kind &&
         abs(k->level[x] - k->level[y]) <= MOST_LIFT && !in_pair(k, x) && !in_pair(k, y);
}

static bool may_pair(packer *k, int x, int y) {
  if (!look_alike(k, x, y)) return false;
  if (k->level[x] == k->level[y]) return true;
  return k->level[x] < k->level[y] ? !is_below(k, x, y) : !is_below(k, y, x);
}

static double match_nodes(const packer *k, int x, int y, int depth, bool *exchanged);

// How well two operands go together: best if they are the same, which tells that what they are in
// is the same thing done to two rows. One number for both tells it less.
static double match_terms(const packer *k, ap_term x, ap_term y, int depth) {
  bool exchanged;
  switch (ap__join_way(k->plan, x, y)) {
    case AP_JOIN_NUMBERS: return fabs(x.k) == fabs(y.k) ? 4 : 2;
    case AP_JOIN_LOAD: return 3;
    case AP_JOIN_PAIR: return 4;
    case AP_JOIN_SPLAT: return 6;
    case AP_JOIN_SWAP: return 1;
    case AP_JOIN_APART: break;
  }
  if (!x.node || !y.node || !look_alike(k, x.node, y.node)) return 0;
  return depth > 0 ? 1 + match_nodes(k, x.node, y.node, depth - 1, &exchanged) / 2 : 1;
}

static double match_forms(const packer *k, int x, int y, int depth, bool exchanged) {
  const ap_pair_form f = pair_form(k->plan, &k->form[x], k->form[y], exchanged);
  double match = 0;
  for (int i = 0; i < f.terms; i++)
    match += match_terms(k, f.term[0][i], f.term[1][i], depth) - (f.flipped[i] ? 0.5 : 0);
  return match;
}

static double match_nodes(const packer *k, int x, int y, int depth, bool *exchanged) {
  double straight = match_forms(k, x, y, depth, false);
  *exchanged = false;
  if (k->form[x].kind == AP_FORM_QUOTIENT) return straight;
  double other = match_forms(k, x, y, depth, true);
  *exchanged = other > straight;
  return *exchanged ? other : straight;
}

enum { AHEAD = 3, CANDIDATES = 48 };

// A pair, and those of its operands that can be.
static void join(packer *k, int x, int y) {
  ap_plan *plan = k->plan;
  bool exchanged;
  match_nodes(k, x, y, AHEAD, &exchanged);
  plan->mate[x] = y, plan->mate[y] = -x;
  plan->exchanged[x] = exchanged;
  lift(k, x, k->level[y]), lift(k, y, k->level[x]);
  const ap_pair_form f = ap__pair_form(plan, x);
  for (int i = f.terms - 1; i >= 0; i--) {
    int a = f.term[0][i].node, b = f.term[1][i].node;
    if (a && b && may_pair(k, a, b)) join(k, a, b);
  }
}

// The best of the candidates from place `from` up to `to`.
static int best_mate(packer *k, int x, int from, int to, bool results, double *best) {
  int mate = 0, tried = 0;
  for (int i = from; i < to && tried < CANDIDATES; i++) {
    bool exchanged;
    int y = k->by_level[i];
    if ((results && !k->result[y]) || !look_alike(k, x, y)) continue;
    double match = match_nodes(k, x, y, AHEAD, &exchanged);
    tried++;
    if (match > *best && may_pair(k, x, y)) *best = match, mate = y;
  }
  return mate;
}

static void choose_mate(packer *k, int at, int level, bool results, double least) {
  const int x = k->by_level[at], deepest = level - (results ? MOST_LIFT : 2);
  double best = least;
  if ((results && !k->result[x]) || k->form[x].kind == AP_FORM_NONE || in_pair(k, x)) return;
  int mate = best_mate(k, x, at + 1, k->bucket[level + 1], results, &best);
  for (int l = level - 1; l > 0 && l >= deepest; l--) {
    int other = best_mate(k, x, k->bucket[l], k->bucket[l + 1], results, &best);
    if (other) mate = other;
  }
  if (mate) join(k, x, mate);
}

// Results first, as rows of a matrix are what look alike; the best matches before the others.
static void choose_all(packer *k) {
  for (int round = 0; round < 12; round++)
    for (int level = k->count - 1; level > 0; level--)
      for (int i = k->bucket[level]; i < k->bucket[level + 1]; i++)
        choose_mate(k, i, level, round < 6, 15 - 3 * (round % 6));
}

// ---- signs -------------------------------------------------------------------------------------

static int sign_of_product(const ap_plan *plan, const ap_node *n) {
  return plan->sign[n->a] * plan->sign[n->b];
}

// The sign that a node must have or, where it may have any, the one it should have if alone.
static int sign_alone(const ap_plan *plan, int node, bool *any) {
  const ap_node *n = &plan->p->tape.node[node];
  *any = false;
  if (n->op == AP_OP_MUL || n->op == AP_OP_DIV) return sign_of_product(plan, n);
  if (n->op == AP_OP_ADD && ap__sign(plan, n->a) == ap__sign(plan, n->b))
    return ap__sign(plan, n->a);
  *any = n->op == AP_OP_ADD || n->op == AP_OP_FMA || n->op == AP_OP_ADD_CONST;
  if (n->op == AP_OP_FMA && sign_of_product(plan, n) == ap__sign(plan, n->c))
    return ap__sign(plan, n->c);
  return plan->sign[node];
}

// What the signs of a pair cost.
static int count_flips(const packer *k, int first) {
  const ap_pair_form f = ap__pair_form(k->plan, first);
  int flips = 0;
  for (int i = 0; i < f.terms; i++)
    if (f.flipped[i]) flips += is_leaf_splat(k->plan, f.term[0][i], f.term[1][i]) ? 1 : 3;
  return flips;
}

// Signs of sums are chosen anew so that those of pairs agree.
static void choose_signs_of_pairs(packer *k) {
  ap_plan *plan = k->plan;
  for (int i = 1; i < k->count; i++) k->bucket[i] = 0;
  k->bucket[k->count] = 0;
  for (int i = 1; i < k->count; i++) k->bucket[k->level[i] + 1]++;
  for (int l = 0; l < k->count; l++) k->bucket[l + 1] += k->bucket[l];
  for (int i = 1; i < k->count; i++) k->by_level[k->bucket[k->level[i]]++] = i;
  for (int i = 0; i < k->count - 1; i++) {
    int node = k->by_level[i], mate = plan->mate[node];
    bool any, first_any;
    if (!plan->uses[node] || ap__is_leaf(&plan->p->tape.node[node]) || mate < 0) continue;
    plan->sign[node] = sign_alone(plan, node, &first_any);
    if (!mate) continue;
    plan->sign[mate] = sign_alone(plan, mate, &any);
    if (!any) continue;
    int flips = count_flips(k, node);
    plan->sign[mate] = -plan->sign[mate];
    if (count_flips(k, node) + 2 * (k->result[mate] && plan->sign[mate] < 0) >= flips)
      plan->sign[mate] = -plan->sign[mate];
  }
}

// ---- what pairs are worth ----------------------------------------------------------------------

// In parts of an operation: shuffles take the same ports and places in the pipeline.
enum { OPERATION = 60, SHUFFLE = OPERATION };

// Adds `by` for what a pair takes.
static void note_pair(packer *k, int first, int by) {
  const ap_pair_form f = ap__pair_form(k->plan, first);
  for (int j = 0; j < f.terms; j++) {
    int of = f.term[0][j].node;
    ap_join_way way = ap__join_way(k->plan, f.term[0][j], f.term[1][j]);
    if (way == AP_JOIN_SPLAT) k->splats[of] += by, k->flips[of] += f.flipped[j] ? by : 0;
    if (way == AP_JOIN_PAIR) k->takers[of] += by;
  }
}

static void note_alone(packer *k, int node) {
  const ap_node *n = &k->plan->p->tape.node[node];
  for (int j = 0; j < ap__operands(n); j++) k->scalar[abs(ap__operand(n, j))]++;
}

static void count_needs(packer *k) {
  int *const counts[] = {k->splats, k->flips, k->takers, k->scalar};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    memset(counts[i], 0, sizeof **counts * (size_t)k->count);
  for (int i = 1; i < k->count; i++) {
    if (k->plan->uses[i] && !in_pair(k, i)) note_alone(k, i);
    if (k->plan->mate[i] > 0) note_pair(k, i, 1);
  }
}

// The counts with it.
static void part(packer *k, int first) {
  int second = k->plan->mate[first];
  note_pair(k, first, -1);
  k->plan->mate[first] = k->plan->mate[second] = 0;
  note_alone(k, first), note_alone(k, second);
}

static int join_cost(const packer *k, ap_term x, ap_term y) {
  switch (ap__join_way(k->plan, x, y)) {
    case AP_JOIN_NUMBERS:
    case AP_JOIN_LOAD:
    case AP_JOIN_PAIR: return 0;
    case AP_JOIN_SPLAT:
      return ap__is_leaf(&k->plan->p->tape.node[x.node]) ? 0 : SHUFFLE / k->splats[x.node];
    case AP_JOIN_SWAP:
    case AP_JOIN_APART: break;
  }
  return SHUFFLE;
}

// What a pair costs beside its operation: its operands, and its second number where it is needed
// alone.
static int pair_cost(const packer *k, int first) {
  const ap_pair_form f = ap__pair_form(k->plan, first);
  int cost = k->scalar[k->plan->mate[first]] > 0 ? SHUFFLE : 0;
  for (int j = 0; j < f.terms; j++) {
    ap_term x = f.term[0][j], y = f.term[1][j];
    cost += join_cost(k, x, y);
    if (f.flipped[j]) cost += x.node == y.node ? SHUFFLE / k->flips[x.node] : SHUFFLE;
  }
  return cost;
}

static int root_of(int *group, int x) {
  while (group[x] != x) x = group[x] = group[group[x]];
  return x;
}

// Components of pairs that are each other's operands: what each saves.
static int weigh_components(packer *k) {
  const ap_plan *plan = k->plan;
  int all = 0;
  count_needs(k);
  for (int i = 0; i < k->count; i++) k->group[i] = i, k->gain[i] = 0;
  for (int i = 1; i < k->count; i++) {
    if (plan->mate[i] <= 0) continue;
    const ap_pair_form f = ap__pair_form(plan, i);
    for (int j = 0; j < f.terms; j++)
      if (ap__join_way(plan, f.term[0][j], f.term[1][j]) == AP_JOIN_PAIR)
        k->group[root_of(k->group, f.term[0][j].node)] = root_of(k->group, i);
  }
  for (int i = 1; i < k->count; i++)
    if (plan->mate[i] > 0) {
      int gain = OPERATION - pair_cost(k, i);
      k->gain[root_of(k->group, i)] += gain, all += gain;
    }
  return all;
}

static void drop_components(packer *k) {
  weigh_components(k);
  for (int i = 1; i < k->count; i++)
    if (k->plan->mate[i] > 0 && k->gain[root_of(k->group, i)] <= 0) part(k, i);
}

// What is lost where a pair is parted: an operation, what those that take it need instead, and what
// its operands must then give alone.
static int loss_of_parting(const packer *k, int first) {
  const ap_plan *plan = k->plan;
  const ap_pair_form f = ap__pair_form(plan, first);
  int loss = OPERATION - pair_cost(k, first) + (k->takers[first] > 0 ? SHUFFLE : 0);
  for (int lane = 0; lane < 2; lane++)
    for (int j = 0; j < f.terms; j++) {
      int of = f.term[lane][j].node;
      if (of && plan->mate[of] < 0 && k->scalar[of] == 0) loss += SHUFFLE;
    }
  return loss;
}

// Those whose loss is at most that.
static bool drop_pairs(packer *k, int most) {
  bool any = false;
  count_needs(k);
  for (int i = 1; i < k->count; i++)
    if (k->plan->mate[i] > 0 && loss_of_parting(k, i) <= most) part(k, i), any = true;
  return any;
}

// ------------------------------------------------------------------------------------------------

// Not what angles are made of, nor what only serves a doubt whether a matrix is singular.
static void set_forms(packer *k, bool *able) {
  const ap_program *p = k->plan->p;
  int values = p->values + (p->pivots > 0 ? p->pivots + AP_OF_ENERGY : 0);
  for (int i = 0; i < values; i++) able[abs(p->value[i].node)] = true;
  for (int i = k->count - 1; i > 0; i--)
    for (int j = 0; able[i] && j < ap__operands(&p->tape.node[i]); j++)
      able[abs(ap__operand(&p->tape.node[i], j))] = true;
  for (int i = 0; i < k->plan->angles; i++) able[k->plan->angle[i]] = false;
  for (int i = 1; i < k->count; i++) k->form[i] = able[i] ? ap__form_of(k->plan, i) : (ap_form){0};
}

static void clear_pairs(packer *k) {
  memset(k->plan->mate, 0, sizeof *k->plan->mate * (size_t)k->count);
  memset(k->plan->exchanged, 0, sizeof *k->plan->exchanged * (size_t)k->count);
}

// Looks for all pairs, and drops those that do not pay. What is left is what they save.
static int try_pairs(packer *k) {
  set_levels(k);
  choose_all(k);
  choose_signs_of_pairs(k);
  for (int most = -3 * OPERATION; most <= 0; most += OPERATION / 4)
    while (drop_pairs(k, most)) continue;
  drop_components(k);
  while (drop_pairs(k, 0)) drop_components(k);
  return weigh_components(k);
}

// Operations on a tape of which pairs must save one: fewer are no gain that could be measured.
enum { WORTH_WHILE = 16 };

bool ap__choose_pairs(ap_plan *plan) {
  size_t n = (size_t)plan->p->tape.count, uses = 0;
  for (size_t i = 1; i < n; i++) uses += (size_t)ap__operands(&plan->p->tape.node[i]);
  packer k = {.plan = plan, .count = (int)n};
  k.form = calloc(n, sizeof *k.form);
  k.level = calloc(13 * n + 4 + 4 * uses, sizeof *k.level);
  bool *able = calloc(2 * n, sizeof *able), fits = k.form && k.level && able;
  if (fits) {
    int **const at[] = {&k.by_level, &k.splats, &k.scalar, &k.group,
                        &k.gain,     &k.seen,   &k.flips,  &k.takers};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) *at[i] = k.level + (i + 1) * n;
    k.bucket = k.level + 11 * n, k.first_user = k.bucket + n + 1, k.user = k.first_user + n + 3;
    k.stack = k.user + uses;
    k.result = able + n;
    for (int i = 0; i < plan->p->values; i++) k.result[abs(plan->p->value[i].node)] = true;
    set_forms(&k, able);
    list_users(&k);
    int operations = 0, *sign = k.level + 10 * n;
    for (int i = 1; i < k.count; i++) operations += k.form[i].kind != AP_FORM_NONE;
    memcpy(sign, plan->sign, sizeof *sign * n);
    if (WORTH_WHILE * try_pairs(&k) < OPERATION * operations) {
      clear_pairs(&k);
      memcpy(plan->sign, sign, sizeof *sign * n);
    }
    for (size_t i = 1; i < n; i++)
      if (plan->mate[i]) plan->inlined[i] = false;
  }
  free(k.form);
  free(k.level);
  free(able);
  return fits;
}
