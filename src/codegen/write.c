// SPDX-License-Identifier: Apache-2.0
#include "codegen/write.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/pack.h"
#include "file/number.h"

void ap__put_template(ap__text *t, const char *text, const ap_word *words) {
  for (const char *next = strpbrk(text, "$@"); next; next = strpbrk(text, "$@")) {
    ap__text_bytes(t, text, (size_t)(next - text));
    const ap_word *w = words;
    while (w->letter && w->letter != next[1]) w++;
    put(t, w->letter ? w->text : "?");
    text = next + (w->letter ? 2 : 1);
  }
  put(t, text);
}

// A number as a literal: of the type float where `single`, else double. Reads back to the same.
static void put_number(ap__text *t, double x, bool single) {
  char number[32];
  ap_format_shortest(single ? (double)(float)x : x, number);
  put(t, number);
  if (!strpbrk(number, ".e")) put(t, ".0");
  if (single) put(t, "f");
}

// ---- expressions -------------------------------------------------------------------------------

// How tightly an expression must hold together where it stands.
typedef enum { IN_SUM, IN_SUM_BEHIND, IN_PRODUCT, IN_PRODUCT_BEHIND } context;

// One function on its way to text.
typedef struct writer {
  ap__text *t;
  const ap_dialect *d;
  const ap_plan *plan;
  int part; // of a program that is cut; -1: its entry function
} writer;

static const ap_node *node_at(const writer *w, int ref) { return &w->plan->p->tape.node[abs(ref)]; }

// Whether an input array is read into variables first.
static bool is_loaded(const writer *w, int array) {
  const ap_program *p = w->plan->p;
  return !w->d->direct || (p->in_place && array == p->inputs - 1);
}

static void put_node(const writer *w, int k, context at);

// A number that stands for a value of its own.
static void put_literal(const writer *w, double x) {
  put(w->t, w->d->splat);
  put_number(w->t, x, w->d->single);
}

// A reference, whatever its sign.
static void put_ref(const writer *w, int ref, context at) {
  if (ap__sign(w->plan, ref) < 0) put(w->t, "-");
  put_node(w, abs(ref), ap__sign(w->plan, ref) < 0 ? IN_PRODUCT_BEHIND : at);
}

// a + b times sign, the positive one first.
static void put_sum(const writer *w, const ap_node *n, int sign) {
  int a = sign * n->a, b = sign * n->b;
  if (ap__sign(w->plan, a) < 0 && ap__sign(w->plan, b) > 0) {
    int first = b;
    b = a, a = first;
  }
  put_ref(w, a, IN_SUM);
  put(w->t, ap__sign(w->plan, b) < 0 ? " - " : " + ");
  put_node(w, abs(b), IN_SUM_BEHIND);
}

static void put_sum_with_number(const writer *w, const ap_node *n, int sign) {
  int a = sign * n->a;
  double k = sign * n->k;
  if (ap__sign(w->plan, a) < 0) {
    put_number(w->t, k, w->d->single);
    put(w->t, " - ");
    put_node(w, abs(a), IN_SUM_BEHIND);
    return;
  }
  put_node(w, abs(a), IN_SUM);
  put(w->t, k < 0 ? " - " : " + ");
  put_number(w->t, fabs(k), w->d->single);
}

const ap_routine ap__routine[AP_OPS] = {[AP_OP_SIGN] = {"sign", "($R)((x > 0) - (x < 0))"},
                                        [AP_OP_MAX] = {"max", "x > y || x != x ? x : y"},
                                        [AP_OP_SQRT] = {"sqrt", "sqrt$f(x)"},
                                        [AP_OP_ANGLE] = {"angle", "atan2$f(x, y)"},
                                        [AP_OP_PICK] = {"pick", "x > 0 ? y : z"}};

// A call of one of them.
static void put_call(const writer *w, const ap_node *n) {
  ap__text_add(w->t, "%s_%s%s(", w->d->name, ap__routine[n->op].word, w->d->ending);
  for (int i = 0; i < ap__operands(n); i++) {
    put(w->t, i > 0 ? ", " : "");
    put_ref(w, ap__operand(n, i), IN_SUM);
  }
  put(w->t, ")");
}

// What is written for a node times sign, as an argument; a number takes the sign itself.
static void put_argument(const writer *w, int k, int sign) {
  const ap_node *n = node_at(w, k);
  if (n->op == AP_OP_NUMBER) {
    put_literal(w, sign * n->k);
    return;
  }
  if (sign < 0) put(w->t, "-");
  put_node(w, k, sign < 0 ? IN_PRODUCT_BEHIND : IN_SUM);
}

// a b + c times sign, the second factor with the sign of the product.
static void put_fma(const writer *w, const ap_node *n, int sign) {
  bool known = node_at(w, n->a)->op == AP_OP_NUMBER;
  ap__text_add(w->t, "%s_fma%s(", w->d->name, w->d->ending);
  put_argument(w, known ? n->b : n->a, 1);
  put(w->t, ", ");
  put_argument(w, known ? n->a : n->b, sign * w->plan->sign[n->a] * w->plan->sign[n->b]);
  put(w->t, ", ");
  put_argument(w, abs(n->c), sign * ap__sign(w->plan, n->c));
  put(w->t, ")");
}

static void put_operation(const writer *w, const ap_node *n, int sign) {
  ap__text *t = w->t;
  switch (n->op) {
    case AP_OP_ADD: put_sum(w, n, sign); break;
    case AP_OP_ADD_CONST: put_sum_with_number(w, n, sign); break;
    case AP_OP_MUL:
    case AP_OP_DIV:
      put_node(w, n->a, IN_PRODUCT);
      put(t, n->op == AP_OP_MUL ? " * " : " / ");
      put_node(w, n->b, IN_PRODUCT_BEHIND);
      break;
    case AP_OP_MUL_CONST:
    case AP_OP_DIV_CONST:
      put_number(t, sign * ap__sign(w->plan, n->a) * n->k, w->d->single);
      put(t, n->op == AP_OP_MUL_CONST ? " * " : " / ");
      put_node(w, n->a, IN_PRODUCT_BEHIND);
      break;
    case AP_OP_FMA: put_fma(w, n, sign); break;
    case AP_OP_SIGN:
    case AP_OP_MAX:
    case AP_OP_SQRT:
    case AP_OP_ANGLE:
    case AP_OP_PICK: put_call(w, n); break;
    case AP_OP_INPUT:
    case AP_OP_NUMBER:
    case AP_OP_SIN:
    case AP_OP_COS: break;
  }
}

// Whether a statement is in another part.
static bool is_far(const writer *w, int k) {
  return w->plan->parts > 0 && w->plan->part[ap__statement(w->plan, k)] != w->part;
}

static bool is_sum(const ap_node *n) { return n->op == AP_OP_ADD || n->op == AP_OP_ADD_CONST; }

static void put_place(const writer *w, int place) {
  ap__text_add(w->t, "x[%d * %s_SMALL_BLOCK]", place - 1, w->d->name);
}

// What is written for a node, where it is used.
static void put_node(const writer *w, int k, context at) {
  const ap_node *n = node_at(w, k);
  const ap_array *in = w->plan->p->input;
  if (w->plan->where && w->plan->where[k] < 0) {
    put_place(w, -w->plan->where[k]);
  } else if (w->plan->where && w->plan->where[k] > 0) {
    ap__text_add(w->t, "u%d_%d", k, w->plan->where[k]);
  } else if (n->op == AP_OP_INPUT) {
    ap__text_add(w->t, is_loaded(w, n->a) ? "%s%d" : "%s[%d]", in[n->a].name, n->b);
  } else if (n->op == AP_OP_NUMBER) {
    put_literal(w, n->k);
  } else if (n->op == AP_OP_SIN || n->op == AP_OP_COS) {
    ap__text_add(w->t, w->plan->where ? "%c%d" : "%c[%d]", n->op == AP_OP_SIN ? 's' : 'c',
                 w->plan->place[n->a] - 1);
  } else if (!w->plan->inlined[k]) {
    if (is_far(w, k))
      ap__text_add(w->t, "x[%d]", w->plan->slot[k] - 1);
    else if (w->plan->mate[k])
      ap__text_add(w->t, "%s_AT(t%d, %d)", w->d->name, ap__statement(w->plan, k),
                   w->plan->mate[k] < 0);
    else
      ap__text_add(w->t, "t%d", k);
  } else {
    bool apart = is_sum(n) ? at != IN_SUM : at == IN_PRODUCT_BEHIND && n->op != AP_OP_FMA;
    if (apart) put(w->t, "(");
    put_operation(w, n, w->plan->sign[k]);
    if (apart) put(w->t, ")");
  }
}

static void put_value(const writer *w, real x) {
  if (x.node)
    put_ref(w, x.node, IN_SUM);
  else
    put_literal(w, x.v == 0 ? 0 : x.v);
}

void ap__put_literal(ap__text *t, double x, bool single) { put_number(t, x == 0 ? 0 : x, single); }

void ap__put_value(ap__text *t, const ap_dialect *d, const ap_plan *plan, real x) {
  put_value(&(writer){.t = t, .d = d, .plan = plan, .part = -1}, x);
}

// ---- inputs ------------------------------------------------------------------------------------

typedef struct inputs {
  const ap_plan *plan;
  bool *read; // [count]
} inputs;

static void note_read(void *to, int node) { ((inputs *)to)->read[node] = true; }

static void read_by_steps(inputs *in, int from, int to) {
  for (int s = from; s < to; s++) ap__each_operand(in->plan, in->plan->order[s], note_read, in);
}

// What the entry function reads itself.
static void read_by_entry(inputs *in) {
  const ap_plan *plan = in->plan;
  for (int k = 0; k < plan->angles; k++) in->read[plan->angle[k]] = true;
  for (int k = 0; k < ap__program_values(plan->p); k++)
    in->read[abs(plan->p->value[k].node)] = true;
  read_by_steps(in, 0, plan->parts > 0 ? plan->angle_steps : plan->steps);
}

// Variables for the inputs that were noted.
static void put_loads(const writer *w, const bool *read) {
  const ap_program *p = w->plan->p;
  for (int k = 1; k < p->tape.count; k++) {
    const ap_node *n = &p->tape.node[k];
    if (n->op == AP_OP_INPUT && read[k] && is_loaded(w, n->a))
      w->d->load(w->t, w->d, p->input[n->a].name, n->b);
  }
}

// A parameter that the result does not depend on.
static void put_unread(const writer *w, const bool *read) {
  const ap_program *p = w->plan->p;
  for (int i = 0; i < p->inputs; i++) {
    bool any = false;
    for (int k = 1; k < p->tape.count && !any; k++)
      any = p->tape.node[k].op == AP_OP_INPUT && p->tape.node[k].a == i && read[k];
    if (!any) ap__text_add(w->t, "  (void)%s;\n", p->input[i].name);
  }
}

// ---- pairs -------------------------------------------------------------------------------------

static void put_term(const writer *w, ap_term x) {
  if (x.node)
    put_node(w, x.node, IN_SUM);
  else
    put_number(w->t, x.k, w->d->single);
}

static void put_pair(const writer *w, int first) {
  if (is_far(w, first))
    ap__text_add(w->t, "%s_PAIR_AT(x + %d)", w->d->name, w->plan->slot[first] - 1);
  else
    ap__text_add(w->t, "t%d", first);
}

// Two numbers that lie side by side.
static void put_pair_in_memory(const writer *w, int first) {
  const ap_node *n = node_at(w, first);
  ap__text_add(w->t, "%s_PAIR_AT(", w->d->name);
  if (n->op == AP_OP_INPUT)
    ap__text_add(w->t, "%s + %d)", w->plan->p->input[n->a].name, n->b);
  else
    ap__text_add(w->t, "%c + %d)", n->op == AP_OP_SIN ? 's' : 'c', w->plan->place[n->a] - 1);
}

static void put_joined(const writer *w, ap_term x, ap_term y) {
  switch (ap__join_way(w->plan, x, y)) {
    case AP_JOIN_PAIR: put_pair(w, x.node); return;
    case AP_JOIN_LOAD: put_pair_in_memory(w, x.node); return;
    case AP_JOIN_SWAP:
      ap__text_add(w->t, "%s_SWAP(", w->d->name);
      put_pair(w, y.node);
      break;
    case AP_JOIN_SPLAT:
      ap__text_add(w->t, "%s_SPLAT(", w->d->name);
      put_term(w, x);
      break;
    case AP_JOIN_NUMBERS:
    case AP_JOIN_APART:
      ap__text_add(w->t, "%s_PAIR(", w->d->name);
      put_term(w, x);
      put(w->t, ", ");
      put_term(w, y);
  }
  put(w->t, ")");
}

static const char *word_of(const ap_pair_form *f) {
  static const char *const fused[2][2] = {{"FMA", "FMS"}, {"FNMA", "FNMS"}};
  const ap_term *x = f->term[0];
  if (f->kind == AP_FORM_PRODUCT) return "MUL";
  if (f->kind == AP_FORM_QUOTIENT) return "DIV";
  if (f->kind == AP_FORM_SUM) return x[1].negative ? "SUB" : "ADD";
  return fused[x[1].negative][x[2].negative];
}

static void put_pair_statement(const writer *w, int first) {
  const ap_pair_form f = ap__pair_form(w->plan, first);
  const char *name = w->d->name;
  ap__text_add(w->t, "  const %s_pack t%d = %s_%s(", name, first, name, word_of(&f));
  for (int i = 0; i < f.terms; i++) {
    put(w->t, i > 0 ? ", " : "");
    if (f.flipped[i]) ap__text_add(w->t, "%s_FLIP(", name);
    put_joined(w, f.term[0][i], f.term[1][i]);
    if (f.flipped[i]) put(w->t, ")");
  }
  put(w->t, ");\n");
}

// ---- statements --------------------------------------------------------------------------------

static void put_store(const writer *w, int value) {
  const ap_program *p = w->plan->p;
  int k = 0, i = value;
  while (i >= p->output[k].size) i -= p->output[k++].size;
  w->d->store(w->t, w->d, p->output[k].name, i);
  put_value(w, p->value[value]);
  w->d->stored(w->t, w->d, p->output[k].name, i);
}

// The outputs of a list.
static void put_stores(const writer *w, int first) {
  for (int v = first; v > 0; v = w->plan->next_store[v - 1]) put_store(w, v - 1);
}

// Sines and cosines, one branch for all angles.
static void put_turns(const writer *w, const ap_move *m, int count) {
  ap__text_add(w->t, "  %s ", w->d->type);
  for (int i = 0; i < count; i++)
    ap__text_add(w->t, "%ss%d, c%d", i > 0 ? ", " : "", m[i].node, m[i].node);
  put(w->t, ";\n  if ((");
  for (int i = 0; i < count; i++) {
    ap__text_add(w->t, "%s%s_sc_reduce(", i > 0 ? " |\n       " : "", w->d->name);
    put_ref(w, w->plan->angle[m[i].node], IN_SUM);
    ap__text_add(w->t, ", &s%d, &c%d)", m[i].node, m[i].node);
  }
  put(w->t, ") < 0) ");
  w->d->exit(w->t, w->d, w->plan);
}

static void put_move(const writer *w, const ap_move *m) {
  const ap_node *n = node_at(w, m->node);
  switch (m->kind) {
    case AP_MOVE_LOAD: w->d->load(w->t, w->d, w->plan->p->input[n->a].name, n->b); break;
    case AP_MOVE_AWAY:
      put(w->t, "  ");
      put_place(w, m->place);
      put(w->t, " = ");
      put_node(w, m->node, IN_SUM);
      put(w->t, ";\n");
      w->plan->where[m->node] = -m->place;
      break;
    case AP_MOVE_BACK:
      ap__text_add(w->t, "  const %s u%d_%d = ", w->d->type, m->node, ++w->plan->back[m->node]);
      put_place(w, m->place);
      put(w->t, ";\n");
      w->plan->where[m->node] = w->plan->back[m->node];
      break;
    case AP_MOVE_TURN: break;
  }
}

// Those before statement s, of which *next is the first.
static void put_moves(const writer *w, int s, int *next) {
  const ap_plan *plan = w->plan;
  while (*next < plan->moves && plan->move[*next].at == s) {
    const ap_move *m = &plan->move[*next];
    int turns = 0;
    while (*next + turns < plan->moves && m[turns].kind == AP_MOVE_TURN && m[turns].at == s)
      turns++;
    if (turns > 0)
      put_turns(w, m, turns);
    else
      put_move(w, m);
    *next += turns > 0 ? turns : 1;
  }
}

static int first_move(const ap_plan *plan, int s) {
  int next = 0;
  while (next < plan->moves && plan->move[next].at < s) next++;
  return next;
}

static void put_statements(const writer *w, int from, int to) {
  const ap_plan *plan = w->plan;
  int move = first_move(plan, from);
  for (int s = from; s < to; s++) {
    put_moves(w, s, &move);
    int k = plan->order[s], slot = plan->slot[k], second = plan->mate[k];
    if (second) {
      put_pair_statement(w, k);
      if (slot) ap__text_add(w->t, "  %s_PUT(x + %d, t%d);\n", w->d->name, slot - 1, k);
    } else {
      ap__text_add(w->t, "  const %s t%d = ", w->d->type, k);
      put_operation(w, &plan->p->tape.node[k], plan->sign[k]);
      put(w->t, ";\n");
      if (slot) ap__text_add(w->t, "  x[%d] = t%d;\n", slot - 1, k);
    }
    put_stores(w, plan->first_store[k]);
    if (second) put_stores(w, plan->first_store[second]);
  }
}

static bool is_zero(real x) { return x.node == 0 && x.v == 0; }

enum { MOST_ZEROS = 8 }; // that are stored at once: compilers take vectors, and call nothing

// How many zeros begin at entry i of output array `a`, the first of which is value `at`; 0: they
// are stored like others.
static int count_zeros(const writer *w, const ap_array *a, int i, int at) {
  int zeros = 0;
  while (w->d->zeros && zeros < MOST_ZEROS && i + zeros < a->size &&
         is_zero(w->plan->p->value[at + zeros]))
    zeros++;
  return zeros > 1 ? zeros : 0;
}

// Outputs that no statement stores.
static void put_other_stores(const writer *w) {
  const ap_program *p = w->plan->p;
  for (int array = 0, value = 0; array < p->outputs; value += p->output[array++].size)
    for (int i = 0; i < p->output[array].size; i++) {
      const int k = value + i, zeros = count_zeros(w, &p->output[array], i, k);
      if (zeros > 0) {
        w->d->zeros(w->t, w->d, p->output[array].name, i, zeros);
        i += zeros - 1;
      } else if (!w->plan->stored[k] && !ap__is_left_out(p->value[k]) &&
                 (p->value[k].node || !w->d->filled)) {
        put_store(w, k);
      }
    }
}

static void put_steps(const writer *w, int from, int to) {
  const ap_plan *plan = w->plan;
  if (plan->parts == 0) put_statements(w, from, to);
  for (int part = 0; part < plan->parts; part++)
    if (plan->from[part] >= from && plan->from[part] < to) w->d->call(w->t, w->d, plan, part);
}

void ap__put_body(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  writer w = {.t = t, .d = d, .plan = plan, .part = -1};
  inputs in = {plan, calloc((size_t)plan->p->tape.count, sizeof(bool))};
  if (!in.read) {
    t->failed = true;
    return;
  }
  read_by_entry(&in);
  if (plan->parts == 0) put_unread(&w, in.read);
  if (plan->slots > 0) ap__text_add(t, "  %s x[%d]; /* handed on */\n", d->type, plan->slots);
  if (!plan->where) put_loads(&w, in.read);
  put_statements(&w, 0, plan->angle_steps);
  if (plan->angles > 0 && !plan->where) d->sincos(t, d, plan);
  put_steps(&w, plan->angle_steps, plan->pivoted);
  if (plan->p->pivots > 0) {
    d->doubt(t, d, plan);
    put_steps(&w, plan->pivoted, plan->checked);
    d->check(t, d, plan);
  }
  if (!plan->p->in_place) put_other_stores(&w);
  put_steps(&w, plan->checked, plan->steps);
  if (plan->p->in_place) put_other_stores(&w);
  free(in.read);
}

void ap__put_part(ap__text *t, const ap_dialect *d, const ap_plan *plan, int part) {
  writer w = {.t = t, .d = d, .plan = plan, .part = part};
  inputs in = {plan, calloc((size_t)plan->p->tape.count, sizeof(bool))};
  if (!in.read) {
    t->failed = true;
    return;
  }
  read_by_steps(&in, plan->from[part], plan->from[part + 1]);
  put_loads(&w, in.read);
  put_statements(&w, plan->from[part], plan->from[part + 1]);
  free(in.read);
}
