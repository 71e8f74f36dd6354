// SPDX-License-Identifier: Apache-2.0
#include "codegen/plan.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/pack.h"

// ---- uses and leaves ---------------------------------------------------------------------------

static void list_angles(ap_plan *plan) {
  const ap_tape *t = &plan->p->tape;
  int *at = plan->place; // of an angle: where it is in the list, from 1
  for (int k = 1; k < t->count; k++) {
    const ap_node *n = &t->node[k];
    if (!plan->uses[k] || (n->op != AP_OP_SIN && n->op != AP_OP_COS) || at[n->a]) continue;
    plan->angle[plan->angles++] = n->a;
    at[n->a] = plan->angles;
  }
}

// ---- signs -------------------------------------------------------------------------------------

// Which sign the outputs would like a node to have: > 0, < 0 or no matter. A product hands the wish
// on to a factor that is nobody else's.
static void collect_wishes(const ap_plan *plan, int *wish) {
  const ap_program *p = plan->p;
  const ap_tape *t = &p->tape;
  for (int k = 0; k < ap__program_values(p); k++) {
    int ref = p->value[k].node;
    if (ref) wish[abs(ref)] += ref > 0 ? 1 : -1;
  }
  for (int k = t->count - 1; k > 0; k--) {
    const ap_node *n = &t->node[k];
    if (wish[k] == 0 || (n->op != AP_OP_MUL && n->op != AP_OP_DIV)) continue;
    int to = plan->uses[n->a] == 1 && !ap__is_leaf(&t->node[n->a]) ? n->a : n->b;
    if (plan->uses[to] == 1) wish[to] += wish[k];
  }
}

// A sum of two with different signs may be written either way round; a number takes any sign.
static void choose_signs(ap_plan *plan, const int *wish) {
  const ap_tape *t = &plan->p->tape;
  for (int k = 1; k < t->count; k++) {
    const ap_node *n = &t->node[k];
    int wanted = wish[k] < 0 ? -1 : 1;
    switch (n->op) {
      case AP_OP_ADD: {
        int a = ap__sign(plan, n->a), b = ap__sign(plan, n->b);
        plan->sign[k] = a == b ? a : wanted;
        break;
      }
      case AP_OP_FMA: {
        int product = plan->sign[n->a] * plan->sign[n->b], c = ap__sign(plan, n->c);
        plan->sign[k] = product == c ? c : wanted;
        break;
      }
      case AP_OP_MUL:
      case AP_OP_DIV: plan->sign[k] = plan->sign[n->a] * plan->sign[n->b]; break;
      case AP_OP_ADD_CONST:
      case AP_OP_MUL_CONST:
      case AP_OP_DIV_CONST: plan->sign[k] = wanted; break;
      case AP_OP_INPUT:
      case AP_OP_NUMBER:
      case AP_OP_SIN:
      case AP_OP_COS:
      case AP_OP_SIGN:
      case AP_OP_MAX:
      case AP_OP_SQRT:
      case AP_OP_ANGLE:
      case AP_OP_PICK: plan->sign[k] = 1; break;
    }
  }
}

// ---- expressions -------------------------------------------------------------------------------

enum { MOST_TERMS = 6 }; // operations in one statement

// A node that is used once is written where it is used, until the statement gets long.
static void choose_inlined(ap_plan *plan, int *size) {
  const ap_tape *t = &plan->p->tape;
  for (int k = 1; k < t->count; k++) {
    const ap_node *n = &t->node[k];
    int operands = ap__is_leaf(n) ? 0 : ap__operands(n);
    size[k] = operands > 0;
    for (int i = 0; i < operands; i++) {
      int of = abs(ap__operand(n, i));
      if (plan->inlined[of]) size[k] += size[of];
    }
    bool plain = n->op == AP_OP_ADD || n->op == AP_OP_MUL || n->op == AP_OP_FMA ||
                 n->op == AP_OP_MUL_CONST || n->op == AP_OP_ADD_CONST;
    plan->inlined[k] = plain && plan->uses[k] == 1 && size[k] < MOST_TERMS && !plan->place[k];
  }
  // an output is a statement of its own
  for (int k = 0; k < ap__program_values(plan->p); k++)
    plan->inlined[abs(plan->p->value[k].node)] = false;
}

// ---- order -------------------------------------------------------------------------------------

// Registers that a node's subtree asks for (Sethi and Ullman 1970), as if nothing were shared.
static void count_registers(const ap_plan *plan, int *need) {
  const ap_tape *t = &plan->p->tape;
  for (int k = 1; k < t->count; k++) {
    const ap_node *n = &t->node[k];
    need[k] = 1;
    for (int i = 0; !ap__is_leaf(n) && i < ap__operands(n); i++) {
      int of = need[abs(ap__operand(n, i))];
      need[k] = i > 0 && of == need[k] ? of + 1 : of > need[k] ? of : need[k];
    }
  }
}

typedef struct walk {
  ap_plan *plan;
  const int *need;
  bool *done;   // [count]
  int *stack;   // [count]
  bool *wanted; // [count] by an output
  bool *probed; // [count] by the probe of num/singular.h
} walk;

// The operand of a node to write next: of those that are not written, the one that needs most; 0:
// all are.
static int pending(const walk *w, int k) {
  int next = 0;
  for (int of_pair = 0; of_pair < 2 && k; of_pair++, k = abs(w->plan->mate[k])) {
    const ap_node *n = &w->plan->p->tape.node[k];
    for (int i = 0; !ap__is_leaf(n) && i < ap__operands(n); i++) {
      int of = abs(ap__operand(n, i));
      if (!w->done[of] && (!next || w->need[of] >= w->need[next])) next = of;
    }
  }
  return next;
}

// Everything below a node, then the node.
static void visit(walk *w, int root) {
  int depth = 0;
  if (w->done[root]) return;
  w->stack[depth++] = root;
  while (depth > 0) {
    int k = w->stack[depth - 1], next = w->done[k] ? 0 : pending(w, k);
    if (next) {
      w->stack[depth++] = next;
      continue;
    }
    depth--;
    if (w->done[k]) continue;
    w->done[k] = true;
    const ap_plan *plan = w->plan;
    if (plan->mate[k]) w->done[abs(plan->mate[k])] = true;
    if (!plan->inlined[k] && !ap__is_leaf(&plan->p->tape.node[k]))
      w->plan->order[w->plan->steps++] = ap__statement(plan, k);
  }
}

void ap__each_operand(const ap_plan *plan, int statement, void (*note)(void *to, int node),
                      void *to) {
  int stack[8 * MOST_TERMS] = {statement, plan->mate[statement]}, depth = stack[1] ? 2 : 1;
  while (depth > 0) {
    const ap_node *n = &plan->p->tape.node[stack[--depth]];
    for (int i = 0; i < ap__operands(n); i++) {
      int node = abs(ap__operand(n, i));
      if (plan->inlined[node])
        stack[depth++] = node;
      else
        note(to, node);
    }
  }
}

// The most statements alive at once, if each ends with its last use.
typedef struct life {
  const ap_plan *plan;
  int *left; // [count] uses to come
  int live;
} life;

static void end_use(void *context, int node) {
  life *l = context;
  if (!ap__is_leaf(&l->plan->p->tape.node[node]) && --l->left[ap__statement(l->plan, node)] == 0)
    l->live--;
}

static int count_live(const ap_plan *plan, int *left) {
  life l = {plan, left, 0};
  int most = 0;
  memcpy(left, plan->uses, sizeof *left * (size_t)plan->p->tape.count);
  for (int k = 1; k < plan->p->tape.count; k++)
    if (plan->mate[k] > 0) left[k] += plan->uses[plan->mate[k]];
  for (int s = 0; s < plan->steps; s++) {
    ap__each_operand(plan, plan->order[s], end_use, &l);
    l.live++;
    if (l.live > most) most = l.live;
  }
  return most;
}

// Marks what the values from `from` up to `to` are made of.
static void mark_below(const ap_program *p, int from, int to, bool *mark) {
  for (int k = from; k < to; k++) mark[abs(p->value[k].node)] = true;
  for (int k = p->tape.count - 1; k > 0; k--) {
    const ap_node *n = &p->tape.node[k];
    for (int i = 0; mark[k] && i < ap__operands(n); i++) mark[abs(ap__operand(n, i))] = true;
  }
}

// Pivots and their product, with whatever of the probe the outputs need too; then the rest of the
// probe, which is left out where the product is small.
static void order_pivots(walk *w) {
  const ap_program *p = w->plan->p;
  int values = ap__program_values(p), probe = p->values + p->pivots + AP_OF_ENERGY;
  for (int k = p->values; k < probe; k++)
    if (p->value[k].node) visit(w, abs(p->value[k].node));
  for (int k = 1; k < p->tape.count; k++)
    if (w->probed[k] && w->wanted[k]) visit(w, k);
  w->plan->pivoted = w->plan->steps;
  for (int k = probe; k < values; k++)
    if (p->value[k].node) visit(w, abs(p->value[k].node));
}

// Angles first, then pivots; then the outputs from the first to the last or back, or as they were
// recorded: whichever keeps the fewest values alive.
static void order_by(walk *w, int way) {
  const ap_program *p = w->plan->p;
  int values = ap__program_values(p);
  w->plan->steps = 0;
  memset(w->done, 0, sizeof *w->done * (size_t)p->tape.count);
  for (int k = 0; k < w->plan->angles; k++) visit(w, w->plan->angle[k]);
  w->plan->angle_steps = w->plan->steps;
  w->plan->pivoted = w->plan->steps;
  if (p->pivots > 0) order_pivots(w);
  w->plan->checked = w->plan->steps;
  for (int k = 1; way == 2 && k < p->tape.count; k++)
    if (w->plan->uses[k]) visit(w, k);
  for (int k = 0; k < values; k++) {
    int node = abs(p->value[way == 0 ? k : values - 1 - k].node);
    if (node) visit(w, node);
  }
}

static void choose_order(ap_plan *plan, walk *w, int *left) {
  int best = 0;
  plan->live = -1;
  for (int way = 0; way < 3; way++) {
    order_by(w, way);
    int live = count_live(plan, left);
    if (plan->live < 0 || live < plan->live) plan->live = live, best = way;
  }
  order_by(w, best);
}

// ---- stores ------------------------------------------------------------------------------------

// At once, where inputs and pivots allow it.
static void list_stores(ap_plan *plan) {
  const ap_program *p = plan->p;
  for (int s = plan->checked; s < plan->steps && !p->in_place; s++) {
    int first = plan->order[s], second = plan->mate[first];
    plan->first_store[first] = -1; // a list may begin here; it is empty
    if (second) plan->first_store[second] = -1;
  }
  for (int k = p->values - 1; k >= 0; k--) {
    int *first = &plan->first_store[abs(p->value[k].node)];
    plan->stored[k] = p->value[k].node && *first;
    if (!plan->stored[k]) continue;
    plan->next_store[k] = *first > 0 ? *first : 0;
    *first = k + 1;
  }
}

// ------------------------------------------------------------------------------------------------

// All arrays lie in two pieces of memory.
bool ap__plan(const ap_program *p, const int *sign, bool pairs, ap_plan *plan) {
  size_t n = (size_t)p->tape.count, values = (size_t)p->values + 1;
  int *scratch, *need;
  walk w = {.plan = plan};
  int **const at[] = {&plan->uses, &plan->sign, &plan->order,       &plan->angle,      &plan->place,
                      &plan->part, &plan->slot, &plan->first_store, &plan->next_store, &w.stack,
                      &need,       &scratch,    &plan->mate};
  enum { ARRAYS = sizeof at / sizeof *at };
  *plan = (ap_plan){.p = p};
  plan->integers = calloc(ARRAYS * (n + values), sizeof *plan->integers);
  plan->marks = calloc(5 * n + values, sizeof *plan->marks);
  bool fits = plan->integers && plan->marks;
  if (fits) {
    for (size_t k = 0; k < ARRAYS; k++) *at[k] = plan->integers + k * (n + values);
    plan->inlined = plan->marks, w.done = plan->marks + n, w.wanted = plan->marks + 2 * n;
    w.probed = plan->marks + 3 * n, plan->exchanged = plan->marks + 4 * n;
    plan->stored = plan->marks + 5 * n;
    w.need = need;
    ap__count_uses(p, plan->uses);
    list_angles(plan);
    collect_wishes(plan, scratch);
    choose_signs(plan, scratch);
    if (sign) memcpy(plan->sign, sign, sizeof *sign * n);
    choose_inlined(plan, scratch);
    fits = !pairs || ap__choose_pairs(plan);
  }
  if (fits) {
    count_registers(plan, need);
    mark_below(p, 0, p->values, w.wanted);
    if (p->pivots > 0)
      mark_below(p, p->values + p->pivots + AP_OF_ENERGY, ap__program_values(p), w.probed);
    choose_order(plan, &w, scratch);
    list_stores(plan);
  }
  if (!fits) ap__plan_free(plan);
  return fits;
}

void ap__plan_free(ap_plan *plan) {
  free(plan->integers);
  free(plan->marks);
  free(plan->from);
  free(plan->move);
  free(plan->where);
}
