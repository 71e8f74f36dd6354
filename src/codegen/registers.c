// SPDX-License-Identifier: Apache-2.0
// Values of a plan in registers: an order in which few are alive, and what goes out of registers,
// and comes back, where they are too few all the same.

#include "codegen/registers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- what reads what ---------------------------------------------------------------------------

// Values are statements, and inputs, sines and cosines, which come with the first that reads them.
typedef struct graph {
  ap_plan *plan;
  int *first, *operand;   // [count + 1], [edges]: what statement k reads, each once
  int *first_user, *user; // [count + 1], [edges]: which statements read value k
  int *uses;              // [count] how many, and one more where it is an output not stored at once
  int *left;              // [count] of these, to come
  int *wait;              // [count] what a statement waits for
  int *place;             // [count] of a statement in the order that one begins with
  int *next;              // [count] statements that wait for nothing
  bool *done;             // [count]
  bool *inside;           // [count] statements of the piece that is ordered
  int now, edges;
} graph;

static const ap_node *node_of(const ap_plan *plan, int k) { return &plan->p->tape.node[k]; }
static bool is_leaf(const graph *g, int k) { return ap__is_leaf(node_of(g->plan, k)); }

static bool is_noted(const graph *g, int node) {
  for (int i = g->first[g->now]; i < g->edges; i++)
    if (g->operand[i] == node) return true;
  return false;
}

static void note_operand(void *context, int node) {
  graph *g = context;
  if (node_of(g->plan, node)->op == AP_OP_NUMBER || is_noted(g, node)) return;
  g->operand[g->edges++] = node;
}

static void count_operand(void *context, int node) {
  (void)node;
  ++*(int *)context;
}

static bool is_statement(const ap_plan *plan, int k) {
  return plan->uses[k] && !plan->inlined[k] && !ap__is_leaf(node_of(plan, k));
}

static void find_readers(graph *g) {
  const ap_program *p = g->plan->p;
  const int n = p->tape.count;
  for (int k = 1; k < n; k++) {
    g->now = k, g->first[k] = g->edges;
    if (is_statement(g->plan, k)) ap__each_operand(g->plan, k, note_operand, g);
  }
  g->first[n] = g->edges;
  for (int i = 0; i < g->edges; i++) g->uses[g->operand[i]]++;
  for (int k = 1; k <= n; k++) g->first_user[k] = g->first_user[k - 1] + g->uses[k - 1];
  memcpy(g->left, g->first_user, (size_t)n * sizeof *g->left);
  for (int k = 1; k < n; k++)
    for (int i = g->first[k]; i < g->first[k + 1]; i++) g->user[g->left[g->operand[i]]++] = k;
  for (int k = 0; k < p->values; k++)
    if (p->value[k].node && !g->plan->stored[k]) g->uses[abs(p->value[k].node)]++;
}

static bool open_graph(graph *g, ap_plan *plan) {
  const size_t n = (size_t)plan->p->tape.count + 1;
  int edges = 0;
  *g = (graph){.plan = plan};
  for (int k = 1; k < plan->p->tape.count; k++)
    if (is_statement(plan, k)) ap__each_operand(plan, k, count_operand, &edges);
  int **const at[] = {&g->first, &g->first_user, &g->uses, &g->left, &g->wait, &g->place, &g->next};
  enum { ARRAYS = sizeof at / sizeof *at };
  int *memory = calloc(ARRAYS * n + 2 * (size_t)edges + 2, sizeof *memory);
  g->done = calloc(2 * n, sizeof *g->done);
  if (!memory || !g->done) {
    free(memory);
    free(g->done);
    *g = (graph){0};
    return false;
  }
  for (size_t k = 0; k < ARRAYS; k++) *at[k] = memory + k * n;
  g->operand = memory + ARRAYS * n, g->user = g->operand + edges + 1;
  g->inside = g->done + n;
  find_readers(g);
  return true;
}

static void close_graph(graph *g) {
  free(g->first);
  free(g->done);
}

// ---- values alive at once ----------------------------------------------------------------------

static int count_alive(graph *g, const int *order) {
  const int n = g->plan->p->tape.count;
  int alive = 0, most = 0;
  memcpy(g->left, g->uses, (size_t)n * sizeof *g->left);
  memset(g->done, 0, (size_t)n * sizeof *g->done);
  for (int s = 0; s < g->plan->steps; s++) {
    const int k = order[s];
    for (int i = g->first[k]; i < g->first[k + 1]; i++) {
      const int of = g->operand[i];
      alive += is_leaf(g, of) && !g->done[of];
      g->done[of] = true;
    }
    if (alive > most) most = alive;
    for (int i = g->first[k]; i < g->first[k + 1]; i++) alive -= --g->left[g->operand[i]] == 0;
    if (++alive > most) most = alive;
    alive -= g->left[k] == 0;
  }
  return most;
}

// How many more values are alive before a statement than behind it, once what follows is written.
static int growth_upwards(const graph *g, int k) {
  int growth = g->done[k] ? -1 : 0;
  for (int i = g->first[k]; i < g->first[k + 1]; i++) growth += !g->done[g->operand[i]];
  return growth;
}

static int choose_last(const graph *g, int waiting) {
  int best = 0, least = INT_MAX;
  for (int i = 0; i < waiting; i++) {
    const int k = g->next[i], growth = growth_upwards(g, k);
    if (growth > least || (growth == least && g->place[k] < g->place[g->next[best]])) continue;
    best = i, least = growth;
  }
  return best;
}

// The statements from `from` up to `to`, the last one first: always one whose readers are all
// written and that adds the fewest values to those that these read. done marks what is read below.
static void order_upwards(graph *g, int from, int to, const int *order, int *better) {
  int waiting = 0;
  for (int i = from; i < to; i++) g->place[order[i]] = i, g->inside[order[i]] = true;
  for (int i = from; i < to; i++) {
    const int k = order[i];
    g->wait[k] = 0;
    for (int u = g->first_user[k]; u < g->first_user[k + 1]; u++)
      g->wait[k] += g->inside[g->user[u]];
    if (g->wait[k] == 0) g->next[waiting++] = k;
  }
  for (int at = to - 1; at >= from; at--) {
    const int best = choose_last(g, waiting), k = g->next[best];
    g->next[best] = g->next[--waiting];
    better[at] = k;
    g->done[k] = false;
    for (int i = g->first[k]; i < g->first[k + 1]; i++) {
      const int of = g->operand[i];
      g->done[of] = true;
      if (g->inside[of] && --g->wait[of] == 0) g->next[waiting++] = of;
    }
  }
  for (int i = from; i < to; i++) g->inside[order[i]] = false;
}

// Likewise from the first to the last: one whose operands are written, and that ends the most.
static int choose_first(const graph *g, int waiting) {
  int best = 0, least = INT_MAX;
  for (int i = 0; i < waiting; i++) {
    const int k = g->next[i];
    int growth = g->uses[k] > 0;
    for (int e = g->first[k]; e < g->first[k + 1]; e++) {
      const int of = g->operand[e];
      const bool new = is_leaf(g, of) && !g->done[of];
      growth += new ? g->left[of] > 1 : -(g->left[of] == 1);
    }
    if (growth > least || (growth == least && g->place[k] > g->place[g->next[best]])) continue;
    best = i, least = growth;
  }
  return best;
}

static void order_downwards(graph *g, int from, int to, const int *order, int *better) {
  int waiting = 0;
  for (int i = from; i < to; i++) g->place[order[i]] = i, g->inside[order[i]] = true;
  for (int i = from; i < to; i++) {
    const int k = order[i];
    g->wait[k] = 0;
    for (int e = g->first[k]; e < g->first[k + 1]; e++) g->wait[k] += g->inside[g->operand[e]];
    if (g->wait[k] == 0) g->next[waiting++] = k;
  }
  for (int at = from; at < to; at++) {
    const int best = choose_first(g, waiting), k = g->next[best];
    g->next[best] = g->next[--waiting];
    better[at] = k;
    g->done[k] = true;
    for (int e = g->first[k]; e < g->first[k + 1]; e++) {
      g->done[g->operand[e]] = true;
      g->left[g->operand[e]]--;
    }
    for (int u = g->first_user[k]; u < g->first_user[k + 1]; u++)
      if (g->inside[g->user[u]] && --g->wait[g->user[u]] == 0) g->next[waiting++] = g->user[u];
  }
  for (int i = from; i < to; i++) g->inside[order[i]] = false;
}

// Between the ends that a plan has.
static void order_pieces(graph *g, bool upwards, int *better) {
  ap_plan *plan = g->plan;
  const int end[] = {0, plan->angle_steps, plan->pivoted, plan->checked, plan->steps};
  const int n = plan->p->tape.count;
  memset(g->done, 0, (size_t)n * sizeof *g->done);
  memcpy(g->left, g->uses, (size_t)n * sizeof *g->left);
  for (int k = 0; upwards && k < plan->p->values; k++)
    if (!plan->stored[k]) g->done[abs(plan->p->value[k].node)] = true;
  for (int k = 0; k < 4; k++) {
    const int piece = upwards ? 3 - k : k;
    if (upwards)
      order_upwards(g, end[piece], end[piece + 1], plan->order, better);
    else
      order_downwards(g, end[piece], end[piece + 1], plan->order, better);
  }
}

bool ap__order_for_registers(ap_plan *plan, int enough) {
  graph g;
  int *better = calloc((size_t)plan->steps + 1, sizeof *better), *best = NULL;
  bool fits = better && open_graph(&g, plan);
  if (fits) {
    best = calloc((size_t)plan->steps + 1, sizeof *best);
    fits = best != NULL;
    plan->live = count_alive(&g, plan->order);
    for (int way = 0; fits && way < 2 && plan->live > enough; way++) {
      order_pieces(&g, way == 0, better);
      const int alive = count_alive(&g, better);
      if (alive >= plan->live) continue;
      plan->live = alive;
      memcpy(best, better, (size_t)plan->steps * sizeof *best);
      best[plan->steps] = 1;
    }
    if (fits && best[plan->steps]) memcpy(plan->order, best, (size_t)plan->steps * sizeof *best);
    close_graph(&g);
  }
  free(best);
  free(better);
  if (!fits) ap__plan_free(plan);
  return fits;
}

// ---- registers ---------------------------------------------------------------------------------

// Statements that an input is read ahead of the first that needs it, so that nothing waits for
// memory; and among which angles are turned together.
enum { AHEAD = 30, TOGETHER = 40 };

// What happens, one thing after another.
typedef enum event_kind { LOADING, TURNING, STATING, ENDING } event_kind;
typedef struct event {
  event_kind what;
  int node; // of ENDING: an output or a pivot, which may be read where it is
  int at;   // before which statement; of STATING: which one
} event;

typedef struct keeper {
  graph g;
  ap_plan *plan;
  event *event; // [events]
  int events;
  int *needed;       // [count] the first statement that reads a leaf; -1: none
  int *turned;       // [angles] likewise
  int *first, *when; // [count + 1], [] events that read value k, in their order
  int *used;         // [count] of these, how many are over
  int *place;        // [count] out of registers, from 1; 0: none
  bool *here;        // [count] in a register
  int *held;         // [holding] values that are
  int holding, room; // registers for values
  int *open;         // [opened] places to take again
  int opened, places, most_places;
  int moves_room;
  bool failed;
} keeper;

static void add_event(keeper *k, event_kind what, int node, int at) {
  k->event[k->events++] = (event){.what = what, .node = node, .at = at};
}

static void find_first_uses(keeper *k) {
  const ap_plan *plan = k->plan;
  for (int i = 0; i < plan->p->tape.count; i++) k->needed[i] = -1;
  for (int i = 0; i < plan->angles; i++) k->turned[i] = -1;
  for (int s = 0; s < plan->steps; s++)
    for (int e = k->g.first[plan->order[s]]; e < k->g.first[plan->order[s] + 1]; e++) {
      const int of = k->g.operand[e];
      const ap_node *n = node_of(plan, of);
      int *at = n->op == AP_OP_SIN || n->op == AP_OP_COS ? &k->turned[plan->place[n->a] - 1]
                                                         : &k->needed[of];
      if (*at < 0) *at = s;
    }
}

// Inputs that are outputs are read last of all.
static void read_outputs(keeper *k) {
  const ap_program *p = k->plan->p;
  for (int i = 0; i < p->values; i++) {
    const int node = abs(p->value[i].node);
    if (node && node_of(k->plan, node)->op == AP_OP_INPUT && k->needed[node] < 0)
      k->needed[node] = k->plan->checked;
  }
}

// Angles that are needed soon after another are turned with it.
static void join_turns(keeper *k) {
  const ap_plan *plan = k->plan;
  for (int s = plan->angle_steps, until = -1, from = 0; s < plan->steps; s++)
    for (int i = 0; i < plan->angles; i++) {
      if (k->turned[i] != s) continue;
      if (s >= until) until = s + TOGETHER, from = s;
      k->turned[i] = from;
    }
  for (int i = 0; i < plan->angles; i++) {
    int *at = &k->needed[plan->angle[i]];
    if (k->turned[i] < 0) k->turned[i] = plan->angle_steps; // of a value that is an output itself
    if (*at < 0 || *at > k->turned[i]) *at = k->turned[i];
  }
}

static bool is_input(const ap_plan *plan, int k) { return node_of(plan, k)->op == AP_OP_INPUT; }

// What is read where nothing has to be in a register: pivots, and outputs that come late.
static void list_ends(keeper *k, bool pivots) {
  const ap_program *p = k->plan->p;
  for (int i = pivots ? p->values : 0; i < (pivots ? ap__program_values(p) : p->values); i++) {
    const int node = abs(p->value[i].node);
    if (node && (pivots || !k->plan->stored[i])) add_event(k, ENDING, node, 0);
  }
}

static void list_events(keeper *k) {
  const ap_plan *plan = k->plan;
  const ap_program *p = plan->p;
  const int n = p->tape.count;
  for (int s = 0; s <= plan->steps; s++) {
    for (int i = 1; i < n; i++) {
      const int at = k->needed[i] > AHEAD ? k->needed[i] - AHEAD : 0;
      if (is_input(plan, i) && k->needed[i] >= 0 && at == s) add_event(k, LOADING, i, s);
    }
    for (int i = 0; i < plan->angles; i++)
      if (k->turned[i] == s) add_event(k, TURNING, i, s);
    if (s == plan->pivoted && p->pivots > 0) list_ends(k, true);
    if (s == (p->in_place ? plan->steps : plan->checked)) list_ends(k, false);
    if (s < plan->steps) add_event(k, STATING, plan->order[s], s);
  }
}

// Calls for every value that an event reads.
static void each_read(keeper *k, const event *e, void (*call)(keeper *k, int value, int i), int i) {
  if (e->what == TURNING) call(k, k->plan->angle[e->node], i);
  if (e->what == ENDING) call(k, e->node, i);
  for (int o = k->g.first[e->node]; e->what == STATING && o < k->g.first[e->node + 1]; o++)
    call(k, k->g.operand[o], i);
}

static void count_read(keeper *k, int value, int i) { (void)i, k->first[value + 1]++; }
static void note_read(keeper *k, int value, int i) {
  k->when[k->first[value] + k->used[value]++] = i;
}

static void list_reads(keeper *k) {
  const int n = k->plan->p->tape.count;
  for (int i = 0; i < k->events; i++) each_read(k, &k->event[i], count_read, i);
  for (int i = 0; i < n; i++) k->first[i + 1] += k->first[i];
  for (int i = 0; i < k->events; i++) each_read(k, &k->event[i], note_read, i);
  memset(k->used, 0, (size_t)n * sizeof *k->used);
}

static bool is_over(const keeper *k, int value) {
  return k->used[value] == k->first[value + 1] - k->first[value];
}

static void add_move(keeper *k, ap_move_kind kind, int node, int at) {
  ap_plan *plan = k->plan;
  if (plan->moves == k->moves_room) {
    const int room = 2 * k->moves_room + 64;
    ap_move *more = realloc(plan->move, (size_t)room * sizeof *more);
    if (!more) {
      k->failed = true;
      return;
    }
    plan->move = more, k->moves_room = room;
  }
  const int place = kind == AP_MOVE_AWAY || kind == AP_MOVE_BACK ? k->place[node] : 0;
  plan->move[plan->moves++] = (ap_move){.kind = kind, .node = node, .at = at, .place = place};
}

static void drop(keeper *k, int i) {
  k->here[k->held[i]] = false;
  k->held[i] = k->held[--k->holding];
}

// Out of registers goes what is read last.
static void make_room(keeper *k, int values, int now, int at) {
  while (k->holding + values > k->room) {
    int last = -1, farthest = now;
    for (int i = 0; i < k->holding; i++) {
      const int value = k->held[i];
      const int next = k->when[k->first[value] + k->used[value]];
      if (next > farthest) last = i, farthest = next;
    }
    if (last < 0) return; // all of them are read now
    const int value = k->held[last];
    if (!k->place[value]) {
      if (k->opened == 0 && k->places == k->most_places) return; // a compiler spills the rest
      k->place[value] = k->opened > 0 ? k->open[--k->opened] : ++k->places;
      add_move(k, AP_MOVE_AWAY, value, at);
    }
    drop(k, last);
  }
}

static void take(keeper *k, int value) {
  k->here[value] = true;
  k->held[k->holding++] = value;
}

static void end_read(keeper *k, int value, int i) {
  (void)i;
  k->used[value]++;
  if (!is_over(k, value)) return;
  for (int h = 0; h < k->holding; h++)
    if (k->held[h] == value) drop(k, h);
  if (k->place[value]) k->open[k->opened++] = k->place[value], k->place[value] = 0;
}

static void bring_back(keeper *k, int value, int i) {
  if (k->here[value]) return;
  make_room(k, 1, i, k->event[i].at);
  add_move(k, AP_MOVE_BACK, value, k->event[i].at);
  take(k, value);
}

// What an event makes.
static void make(keeper *k, int value, int i) {
  if (is_over(k, value)) return;
  make_room(k, 1, i, k->event[i].at);
  take(k, value);
}

static bool is_turned_with(const event *a, const event *b) {
  return b->what == TURNING && a->at == b->at;
}

// All angles that are turned together.
static void turn(keeper *k, int i) {
  const ap_node *node = k->plan->p->tape.node;
  const event *e = &k->event[i];
  int end = i;
  while (end < k->events && is_turned_with(e, &k->event[end])) end++;
  for (int j = i; j < end; j++)
    for (int n = 1; n < k->plan->p->tape.count; n++)
      if ((node[n].op == AP_OP_SIN || node[n].op == AP_OP_COS) &&
          node[n].a == k->plan->angle[k->event[j].node])
        make(k, n, i);
  for (int j = i; j < end; j++) add_move(k, AP_MOVE_TURN, k->event[j].node, e->at);
}

static void keep_at(keeper *k, int i) {
  const event *e = &k->event[i];
  if (e->what == STATING) each_read(k, e, bring_back, i);
  if (e->what == TURNING && (i == 0 || !is_turned_with(e, e - 1))) turn(k, i);
  each_read(k, e, end_read, i);
  if (e->what == LOADING) {
    make(k, e->node, i);
    add_move(k, AP_MOVE_LOAD, e->node, e->at);
  }
  if (e->what == STATING) make(k, e->node, i);
}

static bool open_keeper(keeper *k, ap_plan *plan, int registers) {
  const size_t n = (size_t)plan->p->tape.count + 2, values = (size_t)ap__program_values(plan->p);
  *k = (keeper){.plan = plan, .room = registers};
  if (!open_graph(&k->g, plan)) return false;
  int **const at[] = {&k->needed, &k->turned, &k->first, &k->used, &k->place, &k->held, &k->open};
  enum { ARRAYS = sizeof at / sizeof *at };
  int *memory = calloc(ARRAYS * n + (size_t)k->g.edges + n + values, sizeof *memory);
  k->here = calloc(n, sizeof *k->here);
  k->event = calloc(3 * n + 2 * values, sizeof *k->event);
  k->failed = !memory || !k->here || !k->event;
  for (size_t i = 0; memory && i < ARRAYS; i++) *at[i] = memory + i * n;
  if (memory) k->when = memory + ARRAYS * n;
  return !k->failed;
}

static void close_keeper(keeper *k) {
  close_graph(&k->g);
  free(k->needed);
  free(k->here);
  free(k->event);
}

bool ap__allocate_registers(ap_plan *plan, int registers, int most_places) {
  keeper k;
  bool fits = open_keeper(&k, plan, registers);
  k.most_places = most_places;
  if (fits) {
    find_first_uses(&k);
    read_outputs(&k);
    join_turns(&k);
    list_events(&k);
    list_reads(&k);
    for (int i = 0; i < k.events; i++) keep_at(&k, i);
    plan->places = k.places;
    fits = !k.failed;
  }
  close_keeper(&k);
  const size_t n = (size_t)plan->p->tape.count;
  plan->where = fits ? calloc(2 * n, sizeof *plan->where) : NULL;
  fits = plan->where != NULL;
  if (fits) plan->back = plan->where + n;
  if (!fits) ap__plan_free(plan);
  return fits;
}
