#include "lint/xml.h"

#include <ctype.h>
#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"

enum { TEXT_BYTES = 256 };

typedef struct walk {
  XML_Parser xml;
  xml_tree *tree;
  int open, depth;
  char text[TEXT_BYTES];
  int length;
  bool no_memory, stopped;
  ap_error *error;
} walk;

static int line_now(const walk *w) {
  XML_Size line = XML_GetCurrentLineNumber(w->xml);
  return line < INT_MAX ? (int)line : INT_MAX;
}

static void stop(walk *w) {
  w->stopped = true;
  XML_StopParser(w->xml, XML_FALSE);
}

static const char *keep(walk *w, const char *text, size_t length) {
  const char *kept = ap__pool_text(&w->tree->pool, text, length);
  if (!kept) w->no_memory = true;
  return kept ? kept : "";
}

static bool add_attributes(walk *w, const XML_Char **attributes) {
  xml_tree *t = w->tree;
  for (; attributes[0]; attributes += 2) {
    xml_attribute *grown =
        ap__grown(t->attribute, t->nattribute, &t->attribute_capacity, sizeof *grown);
    if (!grown) return false;
    t->attribute = grown;
    t->attribute[t->nattribute++] = (xml_attribute){keep(w, attributes[0], strlen(attributes[0])),
                                                    keep(w, attributes[1], strlen(attributes[1]))};
  }
  return true;
}

static bool add_element(walk *w, const XML_Char *name, const XML_Char **attributes) {
  xml_tree *t = w->tree;
  xml_element *grown = ap__grown(t->element, t->n, &t->capacity, sizeof *grown);
  if (!grown) return false;
  t->element = grown;
  int i = t->n++, first = t->nattribute;
  t->element[i] = (xml_element){.name = keep(w, name, strlen(name)),
                                .text = "",
                                .line = line_now(w),
                                .parent = w->open,
                                .first = -1,
                                .last = -1,
                                .next = -1,
                                .attribute = first};
  if (w->open >= 0) {
    xml_element *parent = &t->element[w->open];
    if (parent->first < 0)
      parent->first = i;
    else
      t->element[parent->last].next = i;
    parent->last = i;
  }
  w->open = i;
  if (!add_attributes(w, attributes)) return false;
  t->element[i].nattribute = t->nattribute - first;
  return !w->no_memory;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes) {
  walk *w = user;
  if (w->stopped) return;
  w->length = 0;
  if (++w->depth > AP__MAX_DEPTH) {
    ap__fail(w->error, AP_E_SYNTAX, line_now(w), "elements are nested more than %d deep",
             AP__MAX_DEPTH);
    w->tree->cut = true;
    stop(w);
  } else if (!add_element(w, name, attributes)) {
    w->no_memory = true;
    stop(w);
  }
}

static void XMLCALL on_end(void *user, const XML_Char *name) {
  walk *w = user;
  (void)name;
  if (w->stopped) return;
  int from = 0, to = w->length;
  while (from < to && isspace((unsigned char)w->text[from])) from++;
  while (to > from && isspace((unsigned char)w->text[to - 1])) to--;
  xml_element *e = &w->tree->element[w->open];
  if (to > from) e->text = keep(w, w->text + from, (size_t)(to - from));
  w->length = 0;
  w->open = e->parent;
  w->depth--;
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length) {
  walk *w = user;
  int room = TEXT_BYTES - 1 - w->length;
  if (length > room) length = room;
  memcpy(w->text + w->length, text, (size_t)length);
  w->length += length;
}

// As the reader of robot files: entities can expand without end.
static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int internal) {
  walk *w = user;
  (void)name;
  if (w->stopped || (!system && !public && !internal)) return;
  ap__fail(w->error, AP_E_SYNTAX, line_now(w),
           "<!DOCTYPE> with declarations or an external part is refused (a URDF file needs none)");
  w->tree->cut = true;
  stop(w);
}

static void say_where(walk *w) {
  const xml_tree *t = w->tree;
  const char *open = w->open >= 0 ? t->element[w->open].name : "";
  w->tree->cut = true;
  ap__fail(w->error, AP_E_SYNTAX, line_now(w), "not XML: %s%s%.*s%s",
           XML_ErrorString(XML_GetErrorCode(w->xml)), *open ? " inside <" : "", ap__shown(open),
           open, *open ? ">" : "");
}

bool ap__xml_parse(xml_tree *tree, const char *text, size_t length, ap_error *error) {
  walk w = {.tree = tree, .open = -1, .error = error, .xml = XML_ParserCreate(NULL)};
  if (!w.xml) return false;
  XML_SetUserData(w.xml, &w);
  XML_SetElementHandler(w.xml, on_start, on_end);
  XML_SetCharacterDataHandler(w.xml, on_text);
  XML_SetStartDoctypeDeclHandler(w.xml, on_doctype);
  enum XML_Status done = XML_Parse(w.xml, text, (int)length, 1);
  if (done != XML_STATUS_OK && !w.stopped) {
    if (XML_GetErrorCode(w.xml) == XML_ERROR_NO_MEMORY)
      w.no_memory = true;
    else
      say_where(&w);
  }
  XML_ParserFree(w.xml);
  return !w.no_memory;
}

void ap__xml_free(xml_tree *tree) {
  free(tree->element);
  free(tree->attribute);
  ap__pool_free(&tree->pool);
}

const char *ap__xml_value(const xml_tree *tree, int element, const char *name) {
  const xml_element *e = &tree->element[element];
  for (int i = 0; i < e->nattribute; i++)
    if (strcmp(tree->attribute[e->attribute + i].name, name) == 0)
      return tree->attribute[e->attribute + i].value;
  return NULL;
}

int ap__xml_child(const xml_tree *tree, int element, const char *name) {
  int i = tree->element[element].first;
  while (i >= 0 && strcmp(tree->element[i].name, name) != 0) i = tree->element[i].next;
  return i;
}
