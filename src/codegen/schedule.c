// SPDX-License-Identifier: Apache-2.0
// The order of statements for a core that starts several operations a cycle. A plan's own order
// keeps few values alive, but what waits for what is written one behind the other, and a core looks
// only some hundred operations ahead. So of the next statements of that order the one is written
// whose operands are there first, and of several such the one with the longest way to a result.

#include <stdlib.h>

#include "codegen/plan.h"

// How far ahead of the plan's order a statement may be taken: as many operations as wait in the
// schedulers of a core for floating-point numbers.
enum { WINDOW = 48 };

// Cycles of a core of these days. What routines take hardly matters.
static int cycles_of(ap_op op) {
  switch (op) {
    case AP_OP_ADD:
    case AP_OP_ADD_CONST:
    case AP_OP_MUL:
    case AP_OP_MUL_CONST:
    case AP_OP_MAX: return 3;
    case AP_OP_FMA: return 4;
    case AP_OP_DIV:
    case AP_OP_DIV_CONST: return 13;
    case AP_OP_SQRT:
    case AP_OP_ANGLE: return 20;
    case AP_OP_SIGN:
    case AP_OP_PICK:
    case AP_OP_INPUT:
    case AP_OP_NUMBER:
    case AP_OP_SIN:
    case AP_OP_COS: break;
  }
  return 1;
}

enum { OPERATIONS_A_CYCLE = 2 };

typedef struct schedule {
  const ap_plan *plan;
  int *latency;    // [count] cycles from the operands of a statement to its result
  int *operations; // [count] of a statement
  int *height;     // [count] cycles from its start to the last result that waits for it
  int *ready;      // [count] half cycle in which its result is there; -1: it has no place yet
  int *next;       // [steps] statements without a place, in the order of the plan
  int above;       // what waits for the operands at hand
  int latest;      // when they are there
} schedule;

// Through what is inlined.
static void measure(schedule *s) {
  const ap_plan *plan = s->plan;
  for (int k = 1; k < plan->p->tape.count; k++) {
    const ap_node *n = &plan->p->tape.node[k];
    int longest = 0;
    s->operations[k] = 1;
    for (int i = 0; !ap__is_leaf(n) && i < ap__operands(n); i++) {
      int of = abs(ap__operand(n, i));
      if (!plan->inlined[of]) continue;
      s->operations[k] += s->operations[of];
      if (s->latency[of] > longest) longest = s->latency[of];
    }
    s->latency[k] = cycles_of(n->op) + longest;
  }
}

static void raise_operand(void *context, int node) {
  schedule *s = context;
  int *height = &s->height[ap__statement(s->plan, node)];
  if (*height < s->above) *height = s->above;
}

static void measure_heights(schedule *s) {
  for (int i = s->plan->steps - 1; i >= 0; i--) {
    int k = s->plan->order[i];
    s->above = s->height[k] += s->latency[k];
    ap__each_operand(s->plan, k, raise_operand, s);
  }
}

static void wait_for_operand(void *context, int node) {
  schedule *s = context;
  int k = ap__statement(s->plan, node);
  if (ap__is_leaf(&s->plan->p->tape.node[k])) return;
  if (s->ready[k] < 0)
    s->latest = -1;
  else if (s->latest >= 0 && s->latest < s->ready[k])
    s->latest = s->ready[k];
}

// Half cycles until all operands of a statement are there; -1: one has no place yet.
static int wait_for_operands(schedule *s, int k) {
  s->latest = 0;
  ap__each_operand(s->plan, k, wait_for_operand, s);
  return s->latest;
}

// Whether x, which can start at `start`, comes before y at `now`.
static bool comes_before(const schedule *s, int x, int start, int y, int start_of_y, int now) {
  if (start < now) start = now;
  if (start_of_y < now) start_of_y = now;
  return start < start_of_y || (start == start_of_y && s->height[x] > s->height[y]);
}

// A place in `next` of the statement to write now, and when it starts.
static int choose_next(schedule *s, int left, int now, int *start) {
  int best = -1;
  for (int i = 0; i < left && i < WINDOW; i++) {
    int wait = wait_for_operands(s, s->next[i]);
    if (wait < 0 || (best >= 0 && !comes_before(s, s->next[i], wait, s->next[best], *start, now)))
      continue;
    best = i, *start = wait;
  }
  if (*start < now) *start = now;
  return best;
}

// The statements from `from` up to `to` of the plan.
static void order_between(schedule *s, int from, int to) {
  const ap_plan *plan = s->plan;
  int now = 0, left = to - from;
  for (int i = 0; i < plan->steps; i++) s->ready[plan->order[i]] = i < from ? 0 : -1;
  for (int i = 0; i < left; i++) s->next[i] = plan->order[from + i];
  for (int at = from; at < to; at++) {
    int start = 0, i = choose_next(s, left, now, &start), k = s->next[i];
    plan->order[at] = k;
    s->ready[k] = start + OPERATIONS_A_CYCLE * s->latency[k];
    now = start + s->operations[k];
    for (left--; i < left; i++) s->next[i] = s->next[i + 1];
  }
}

// Between the ends that a plan has: parts, and what comes before and behind pivots.
static void order_all(schedule *s) {
  const ap_plan *plan = s->plan;
  const int end[] = {0, plan->angle_steps, plan->pivoted, plan->checked, plan->steps};
  order_between(s, 0, plan->angle_steps);
  for (int k = 1; plan->parts == 0 && k < 4; k++) order_between(s, end[k], end[k + 1]);
  for (int k = 0; k < plan->parts; k++) order_between(s, plan->from[k], plan->from[k + 1]);
}

static int count_operations(const schedule *s) {
  int sum = 0;
  for (int i = 0; i < s->plan->steps; i++) sum += s->operations[s->plan->order[i]];
  return sum;
}

// Operations beyond which the plan's own order is faster: what keeps fewer values alive is shorter
// code, which matters where it does not fit the cache for instructions.
enum { LONGEST = 2500 };

bool ap__schedule(ap_plan *plan) {
  size_t n = (size_t)plan->p->tape.count;
  int *memory = calloc(5 * n, sizeof *memory);
  if (!memory) {
    ap__plan_free(plan);
    return false;
  }
  schedule s = {.plan = plan,
                .latency = memory,
                .operations = memory + n,
                .height = memory + 2 * n,
                .ready = memory + 3 * n,
                .next = memory + 4 * n};
  measure(&s);
  if (count_operations(&s) <= LONGEST) {
    measure_heights(&s);
    order_all(&s);
  }
  free(memory);
  return true;
}
