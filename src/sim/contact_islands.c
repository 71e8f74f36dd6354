// SPDX-License-Identifier: Apache-2.0
// Contacts apart: an island is a set of contacts that bodies couple, as trees of joints whose links
// touch each other. W has zeros between islands, so each is solved alone, in a fixed order.
//
// Inside an island contacts are sorted by the trees that they are between, the trees being numbered
// outwards from one far end (E. Cuthill and J. McKee 1969): entries of W are then near its
// diagonal, and elimination leaves them there. Contacts of the same two links are neighbours, a
// group.

#include <string.h>

#include "contact_system.h"
#include "model/frozen.h"

// The first place in v of the tree of joints with place k; -1 for none.
static int tree_of(const contact_system *s, int k) {
  while (k >= 0 && s->responds.next[k] >= 0) k = s->responds.next[k];
  return k;
}

// The trees that a contact is between, the second -1 where there is one alone.
static void trees_of(const ap_model *m, const ap_resting *r, const contact_system *s, int tree[2]) {
  bool joint = r->kind == AP_REST_STOP || r->kind == AP_REST_BRAKE;
  tree[0] = tree_of(s, joint ? r->v : ap__contact_start_of(m, r->body));
  tree[1] = !joint && r->carrier ? tree_of(s, ap__contact_start_of(m, r->carrier)) : -1;
  if (tree[0] < 0) tree[0] = tree[1], tree[1] = -1;
  if (tree[1] == tree[0]) tree[1] = -1;
}

// Trees as they touch: number[t] of a tree, and the contacts of each by lists.
typedef struct graph {
  int nv, n;
  int *number; // [nv] -1: not yet
  int *queue;  // [nv]
  int *from;   // [nv + 1] the first contact of a tree in
  int *list;   // [2 n]
  int *tree;   // [2 n] the trees of a contact
} graph;

static void list_contacts(graph *g) {
  for (int t = 0; t <= g->nv; t++) g->from[t] = 0;
  for (int k = 0; k < 2 * g->n; k++)
    if (g->tree[k] >= 0) g->from[g->tree[k] + 1]++;
  for (int t = 0; t < g->nv; t++) g->from[t + 1] += g->from[t];
  for (int k = 2 * g->n - 1; k >= 0; k--) // from[t] moves back to where the list of t begins
    if (g->tree[k] >= 0) g->list[--g->from[g->tree[k] + 1]] = k / 2;
  for (int t = 0; t < g->nv; t++) g->from[t] = g->from[t + 1];
  g->from[g->nv] = 0;
  for (int k = 0; k < 2 * g->n; k++) g->from[g->nv] += g->tree[k] >= 0;
}

// Number the trees of an island outwards from tree t, beginning at `count`; the next number.
static int walk(graph *g, int t, int count) {
  int head = count;
  g->queue[count] = t;
  g->number[t] = count++;
  for (; head < count; head++) {
    int at = g->queue[head];
    for (int k = g->from[at]; k < g->from[at + 1]; k++) {
      const int *two = g->tree + 2 * g->list[k];
      for (int side = 0; side < 2; side++) {
        int to = two[side];
        if (to < 0 || g->number[to] >= 0) continue;
        g->queue[count] = to;
        g->number[to] = count++;
      }
    }
  }
  return count;
}

// All of them: from the last that a first walk reaches.
static void number_trees(graph *g) {
  int count = 0;
  for (int t = 0; t < g->nv; t++) g->number[t] = -1;
  for (int t = 0; t < g->nv; t++) {
    if (g->number[t] >= 0 || g->from[t] == g->from[t + 1]) continue;
    int end = walk(g, t, count), far = g->queue[end - 1];
    for (int k = count; k < end; k++) g->number[g->queue[k]] = -1;
    count = walk(g, far, count);
  }
}

static contact_key key_of(const ap_resting *r, const int tree[2], const int *number) {
  bool joint = r->kind == AP_REST_STOP || r->kind == AP_REST_BRAKE;
  uint64_t none = 0x7fffffff, a = none, b = none;
  if (tree[0] >= 0) a = b = (uint64_t)number[tree[0]];
  if (tree[1] >= 0) b = (uint64_t)number[tree[1]];
  uint64_t one = (uint64_t)r->body, two = (uint64_t)r->carrier;
  contact_key key = {(a < b ? a : b) << 32 | (a < b ? b : a),
                     (one < two ? one : two) << 32 | (one < two ? two : one)};
  if (joint) key.link = none << 32 | (uint64_t)r->v;
  return key;
}

static bool is_before(const contact_key *a, const contact_key *b) {
  return a->tree < b->tree || (a->tree == b->tree && a->link < b->link);
}

// By insertion: what is equal stays as it was, so that hosts stay before what turns on them.
static void sort(contact_system *s) {
  for (int i = 0; i < s->n; i++) {
    contact_key key = s->key[i];
    int k = i;
    for (; k > 0 && is_before(&key, &s->key[k - 1]); k--)
      s->key[k] = s->key[k - 1], s->order[k] = s->order[k - 1];
    s->key[k] = key, s->order[k] = i;
  }
}

// Groups, numbered from 0 in each island, and islands, the contacts being sorted. A tree has its
// number from a contact with one before it, or begins an island.
static void cut(contact_system *s) {
  int group = 0, end = -1;
  s->nisland = 0;
  for (int i = 0; i < s->n; i++) {
    int low = (int)(s->key[i].tree >> 32), high = (int)(s->key[i].tree & 0xffffffff);
    bool same = i > 0 && !is_before(&s->key[i - 1], &s->key[i]), island = low > end;
    if (island)
      s->start[s->nisland++] = i, group = 0;
    else if (!same)
      group++;
    s->group[i] = group;
    end = high > end ? high : end;
  }
  s->start[s->nisland] = s->n;
}

// ---- views -------------------------------------------------------------------------------------

// What is here of all contacts, of `n` from the first on; `before` islands are before it, with so
// many entries of W and spans.
static void view(const contact_system *all, int first, int n, int before, size_t entries,
                 size_t spans, contact_system *s) {
  *s = *all;
  s->n = n;
  s->nisland = 1;
  size_t at = (size_t)first, rows = 3 * at, nv = (size_t)all->nv, counted = at + (size_t)before;
  int **by_point[] = {&s->order, &s->group, &s->npath};
  for (size_t i = 0; i < sizeof by_point / sizeof *by_point; i++) *by_point[i] += at;
  int **by_count[] = {&s->member, &s->near, &s->first, &s->core, &s->column};
  for (size_t i = 0; i < sizeof by_count / sizeof *by_count; i++) *by_count[i] += counted;
  int **by_row[] = {&s->last, &s->row, &s->qr.pivot};
  for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++) *by_row[i] += rows;
  bool **flags[] = {&s->still, &s->passive, &s->points};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) *flags[i] += at;
  double **numbers[] = {&s->b,     &s->force, &s->base,    &s->apart,    &s->response,
                        &s->scale, &s->x,     &s->y,       &s->rhs,      &s->old,
                        &s->sweep, &s->small, &s->qr.left, &s->qr.right, &s->qr.spare};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] += rows;
  s->sorted += at, s->key += at, s->place += at;
  s->tree += 2 * at, s->turn += 2 * at, s->path += at * nv;
  s->J += CONTACT_LANES * at * nv, s->Y += CONTACT_LANES * at * nv;
  s->B += rows * nv, s->X += rows * nv;
  s->left += CONTACT_WRENCH * rows, s->right += CONTACT_WRENCH * rows;
  s->block += CONTACT_WRENCH * rows;
  s->W += entries, s->qr.A += entries, s->N += entries, s->span += spans;
  s->friction += at, s->way += 2 * at;
  s->ngroup = n > 0 ? s->group[n - 1] + 1 : 0;
}

// The contacts of each group, and its trees.
static void list_groups(const int *tree, contact_system *s) {
  for (int i = 0; i < s->n; i++) {
    if (i > 0 && s->group[i] == s->group[i - 1]) continue;
    s->member[s->group[i]] = i;
    memcpy(s->tree + 2 * s->group[i], tree + 2 * s->order[i], 2 * sizeof *tree);
  }
  s->member[s->ngroup] = s->n;
}

static bool share_tree(const int a[2], const int b[2]) {
  if (a[0] < 0 || b[0] < 0) return false;
  return a[0] == b[0] || a[0] == b[1] || (a[1] >= 0 && (a[1] == b[0] || a[1] == b[1]));
}

// The spans of all groups: a group is in its own.
static void list_spans(contact_system *s) {
  int count = 0;
  for (int g = 0; g < s->ngroup; g++) {
    s->near[g] = count;
    for (int h = 0; h < s->ngroup; h++) {
      if (h != g && !share_tree(s->tree + 2 * g, s->tree + 2 * h)) continue;
      if (count > s->near[g] && s->span[count - 1].to == s->member[h])
        s->span[count - 1].to = s->member[h + 1];
      else
        s->span[count++] = (contact_span){s->member[h], s->member[h + 1]};
    }
  }
  s->near[s->ngroup] = count;
}

// Islands and the order of contacts, anew; the trees of all contacts into tree [2 n].
static void find_islands(const ap_resting *resting, int *tree, contact_system *s) {
  int *room = s->label, nv = s->nv;
  graph g = {.nv = nv,
             .n = s->n,
             .number = room,
             .queue = room + nv,
             .from = room + 2 * nv,
             .list = room + 3 * nv + 1,
             .tree = tree};
  for (int i = 0; i < s->n; i++) trees_of(s->plant->m, &resting[i], s, tree + 2 * i);
  list_contacts(&g);
  number_trees(&g);
  for (int i = 0; i < s->n; i++) s->key[i] = key_of(&resting[i], tree + 2 * i, g.number);
  sort(s);
  cut(s);
}

// Copies of the contacts in their order.
static void copy_contacts(const ap_resting *resting, contact_system *s) {
  int *place = s->label;
  for (int i = 0; i < s->n; i++) place[s->order[i]] = i;
  for (int k = 0; k < s->nisland; k++)
    for (int i = s->start[k]; i < s->start[k + 1]; i++) {
      s->sorted[i] = resting[s->order[i]];
      if (ap__rest_turns(s->sorted[i].kind))
        s->sorted[i].host = place[s->sorted[i].host] - s->start[k];
    }
}

void ap__contact_split(const ap_resting *resting, size_t set, contact_system *s) {
  contact_memo *memo = s->memo;
  bool known = memo->sorted == s->n && memo->set == set && s->n > 0;
  int *tree = s->label + 3 * s->nv + 1 + 2 * s->n;
  if (!known) find_islands(resting, tree, s);
  if (known) s->nisland = memo->nisland;
  copy_contacts(resting, s);
  size_t entries = 0, spans = 0;
  for (int k = 0; k < s->nisland; k++) {
    size_t n = (size_t)(s->start[k + 1] - s->start[k]);
    contact_system *island = &s->island[k];
    if (known) {
      island->plant = s->plant, island->responds = s->responds;
      continue;
    }
    view(s, s->start[k], (int)n, k, entries, spans, island);
    list_groups(tree, island);
    list_spans(island);
    memset(island->W, 0, 9 * n * n * sizeof *island->W); // what is not coupled stays zero
    entries += 9 * n * n, spans += n * (n / 2 + 1);
  }
  memo->sorted = s->n, memo->set = set, memo->nisland = s->nisland;
}

void ap__contact_join(const contact_system *s, ap_resting *resting) {
  for (int i = 0; i < s->n; i++) {
    int host = resting[s->order[i]].host;
    resting[s->order[i]] = s->sorted[i];
    resting[s->order[i]].host = host;
  }
}
