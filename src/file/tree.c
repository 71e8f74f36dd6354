// SPDX-License-Identifier: Apache-2.0
#include "file/tree.h"

#include <stdalign.h>
#include <string.h>

ap__node *ap__tree_add(ap__tree *t, ap__node *parent, ap__kind kind, int line, int column) {
  ap__node *n = NULL;
  if (t->n == AP__MAX_NODES)
    ap__fail(&t->error, AP_E_SYNTAX, line, "more than %d elements and values (split the file)",
             AP__MAX_NODES);
  else if (!(n = ap__pool_bytes(&t->pool, sizeof *n, alignof(ap__node))))
    ap__no_memory(&t->error);
  if (!n) return NULL;
  t->n++;
  *n = (ap__node){
      .kind = kind, .line = line, .column = column, .name = "", .text = "", .parent = parent};
  if (!t->root) t->root = n;
  if (!parent) return n;
  if (parent->last)
    parent->last->next = n;
  else
    parent->first = n;
  parent->last = n;
  return n;
}

const char *ap__tree_text(ap__tree *t, const char *text, size_t length) {
  const char *kept = ap__pool_text(&t->pool, text, length);
  if (!kept) ap__no_memory(&t->error);
  return kept ? kept : "";
}

void ap__tree_free(ap__tree *t) {
  ap__pool_free(&t->pool);
  t->root = NULL;
}

const char *ap__attribute(const ap__node *e, const char *name) {
  for (const ap__node *a = e->attribute; a; a = a->next)
    if (strcmp(a->name, name) == 0) return a->text;
  return NULL;
}

static bool is(const char *text, const char *name, size_t length) {
  return strncmp(text, name, length) == 0 && text[length] == 0;
}

const ap__node *ap__child_n(const ap__node *n, const char *name, size_t length) {
  bool map = n->kind == AP__MAP;
  if (!map && n->kind != AP__ELEMENT) return NULL;
  for (const ap__node *c = n->first; c; c = map ? c->next->next : c->next) {
    if (map && !c->next) return NULL; // the file is cut here
    if (!map && is(c->name, name, length)) return c;
    if (map && c->kind == AP__SCALAR && is(c->text, name, length)) return c->next;
  }
  return NULL;
}

const ap__node *ap__child(const ap__node *n, const char *name) {
  return ap__child_n(n, name, strlen(name));
}

int ap__line_of(const ap__node *n, const char *key) {
  const ap__node *value = ap__child(n, key);
  return value ? value->line : n->line;
}
