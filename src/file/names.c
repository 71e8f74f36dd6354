// SPDX-License-Identifier: Apache-2.0
#include "file/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A balanced search tree in order of the names (an AA tree: A. Andersson, Balanced Search Trees
// Made Simple, 1993). Its depth is at most twice log2 of the number of names, whatever they are:
// no file can be made that takes longer, which a hash cannot promise.
struct ap__name_node {
  const char *name;
  int number;
  int side[2]; // names before it and behind it; 0: none
  int level;   // 1 at the leaves; 0 of none
};

bool ap__names_init(ap__names *names, int count) {
  *names = (ap__names){.node = calloc((size_t)count + 1, sizeof *names->node), .room = count};
  return names->node != NULL;
}

void ap__names_free(ap__names *names) {
  free(names->node);
  *names = (ap__names){0};
}

int ap__names_find(const ap__names *names, const char *name) {
  for (int at = names->root; at;) {
    const struct ap__name_node *node = &names->node[at];
    const int order = strcmp(name, node->name);
    if (order == 0) return node->number;
    at = node->side[order > 0];
  }
  return -1;
}

// The tree `at` with its neighbour on one side on top of it.
static int rotate(struct ap__name_node *node, int at, int side) {
  const int top = node[at].side[side];
  node[at].side[side] = node[top].side[!side];
  node[top].side[!side] = at;
  return top;
}

// The tree `at` with one more name.
static int insert(ap__names *names, int at, int added) {
  struct ap__name_node *node = names->node;
  if (at == 0) return added;
  const int side = strcmp(node[added].name, node[at].name) > 0;
  node[at].side[side] = insert(names, node[at].side[side], added);
  if (node[node[at].side[0]].level == node[at].level) at = rotate(node, at, 0);
  const int next = node[at].side[1];
  if (node[node[next].side[1]].level != node[at].level) return at;
  at = rotate(node, at, 1);
  node[at].level++;
  return at;
}

int ap__names_put(ap__names *names, const char *name, int number) {
  const int other = ap__names_find(names, name);
  assert(other >= 0 || names->n < names->room);
  if (other >= 0) return other;
  names->node[++names->n] = (struct ap__name_node){.name = name, .number = number, .level = 1};
  names->root = insert(names, names->root, names->n);
  return -1;
}

bool ap__has_word(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *at = list; *at; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    if (length == n && memcmp(at, word, n) == 0) return true;
    at += length;
  }
  return false;
}
