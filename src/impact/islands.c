// SPDX-License-Identifier: Apache-2.0
#include "impact/islands.h"

#include <string.h>

#include "model/frozen.h"

void ap__islands_take(ap_arena *a, const ap_model *m, int n, ap_islands *s) {
  size_t touches = (size_t)n, bodies = (size_t)m->nbody + 1, rates = (size_t)m->nv;
  s->start = AP_TAKE(a, int, touches + 2);
  s->order = AP_TAKE(a, int, touches);
  s->ntree = AP_TAKE(a, int, touches + 2);
  s->tree = AP_TAKE(a, int, bodies + 1);
  s->rate = AP_TAKE(a, int, rates);
  s->root = AP_TAKE(a, int, bodies);
  s->number = AP_TAKE(a, int, bodies);
  s->label = AP_TAKE(a, int, bodies);
  s->owner = AP_TAKE(a, int, rates);
}

// Roots of the trees and owners of rates; joints that others follow make all one tree.
static void find_trees(const ap_model *m, bool whole, ap_islands *s) {
  s->root[0] = 0;
  for (int i = 1; i < m->nbody; i++) {
    const ap_joint *j = &m->joint[i];
    s->root[i] = whole ? 1 : j->parent > 0 ? s->root[j->parent] : i;
    for (int k = 0; k < j->nv && !j->leader; k++) s->owner[j->v + k] = s->root[i];
  }
}

// The roots of a touch, the ground's being 0.
static void roots_of(const ap_model *m, const ap_islands *s, const ap_touch *t, int root[2]) {
  root[0] = t->stop ? s->owner[t->v] : s->root[m->mover[t->body]];
  root[1] = t->stop ? 0 : s->root[m->mover[t->other]];
}

void ap__islands_trees(const ap_model *m, const ap_islands *s, const ap_touch *touch, int tree[2]) {
  int root[2];
  roots_of(m, s, touch, root);
  for (int k = 0; k < 2; k++) tree[k] = root[k] > 0 ? s->number[root[k]] : -1;
}

// The tree that stands for the island of another.
static int leader_of(const ap_islands *s, int root) {
  while (s->label[root] != root) root = s->label[root];
  return root;
}

static void join(ap_islands *s, int a, int b) {
  a = leader_of(s, a), b = leader_of(s, b);
  s->label[a > b ? a : b] = a > b ? b : a;
}

// Islands of touches, in the order of their first ones. What moves nothing is with the ground.
static void sort_touches(const ap_model *m, int n, const ap_touch *touch, ap_islands *s) {
  int *island = s->number, count = 0; // of a leader
  for (int i = 0; i < m->nbody; i++) island[i] = -1;
  s->n = 0;
  for (int pass = 0; pass < n && count < n; pass++) {
    int root[2], leader = -1;
    for (int i = 0; i < n; i++) {
      roots_of(m, s, &touch[i], root);
      int own = leader_of(s, root[0] ? root[0] : root[1]);
      if (leader < 0 && island[own] < 0) {
        leader = own;
        island[own] = s->n;
        s->start[s->n++] = count;
      }
      if (own == leader) s->order[count++] = i;
    }
  }
  s->start[s->n] = count;
}

// The trees and rates of all islands.
static void list_trees(const ap_model *m, ap_islands *s) {
  int trees = 0, rates = 0;
  for (int i = 0; i < m->nbody; i++) s->label[i] = i > 0 ? leader_of(s, i) : 0;
  for (int k = 0; k < s->n; k++) {
    s->ntree[k] = trees;
    for (int root = 1; root < m->nbody; root++) {
      if (s->root[root] != root || s->number[s->label[root]] != k) continue;
      s->tree[trees++] = rates;
      for (int i = root; i < m->nbody; i++) {
        const ap_joint *j = &m->joint[i];
        for (int r = 0; r < j->nv && s->root[i] == root && !j->leader; r++)
          s->rate[rates++] = j->v + r;
      }
    }
  }
  s->ntree[s->n] = trees;
  s->tree[trees] = rates;
}

// Trees by their roots in place of islands by their leaders.
static void number_trees(const ap_model *m, ap_islands *s) {
  for (int i = 0; i < m->nbody; i++) s->number[i] = -1;
  for (int t = 0; t < s->ntree[s->n]; t++)
    if (s->tree[t] < s->tree[t + 1]) s->number[s->owner[s->rate[s->tree[t]]]] = t;
}

void ap__islands_find(const ap_model *m, int n, const ap_touch *touch, bool whole, ap_islands *s) {
  find_trees(m, whole || model_has_mimic(m), s);
  for (int i = 0; i < m->nbody; i++) s->label[i] = s->root[i];
  for (int i = 0; i < n; i++) {
    int root[2];
    roots_of(m, s, &touch[i], root);
    if (root[0] > 0 && root[1] > 0) join(s, root[0], root[1]);
  }
  sort_touches(m, n, touch, s);
  list_trees(m, s);
  number_trees(m, s);
}
