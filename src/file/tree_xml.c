// SPDX-License-Identifier: Apache-2.0
// From expat's events, in one pass, to a tree of elements.

#include <expat.h>
#include <limits.h>
#include <string.h>

#include "base/ascii.h"
#include "file/tree.h"

typedef struct walk {
  XML_Parser xml;
  ap__tree *tree;
  ap__node *open; // the innermost element
  int depth;
  bool takes_text; // of that, until its first child
  char text[AP__MAX_TEXT];
} walk;

static int int_of(XML_Size n) { return n < INT_MAX ? (int)n : INT_MAX; }

static int line_now(const walk *w) { return int_of(XML_GetCurrentLineNumber(w->xml)); }

static bool is_whole(const walk *w) { return w->tree->error.status == AP_OK; }

static void add_attributes(walk *w, ap__node *e, const XML_Char **attributes) {
  for (ap__node **to = &e->attribute, *a; attributes[0]; attributes += 2, to = &a->next) {
    a = ap__tree_add(w->tree, NULL, AP__ATTRIBUTE, e->line, e->column);
    if (!a) return;
    size_t length = strlen(attributes[1]);
    a->parent = e;
    a->name = ap__tree_text(w->tree, attributes[0], strlen(attributes[0]));
    a->text = ap__tree_text(w->tree, attributes[1], length);
    a->length = int_of(length);
    *to = a;
  }
}

static void settle_text(walk *w) {
  if (!w->takes_text) return;
  const char *from = w->text;
  int n = w->open->length < AP__MAX_TEXT ? w->open->length : AP__MAX_TEXT;
  while (n > 0 && ap__is_space(*from)) from++, n--;
  while (n > 0 && ap__is_space(from[n - 1])) n--;
  if (n > 0) w->open->text = ap__tree_text(w->tree, from, (size_t)n);
  w->takes_text = false;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes) {
  walk *w = user;
  if (!is_whole(w)) return;
  settle_text(w);
  if (w->depth == AP__MAX_DEPTH) {
    ap__fail(&w->tree->error, AP_E_SYNTAX, line_now(w), "elements are nested more than %d deep",
             AP__MAX_DEPTH);
  } else {
    int column = int_of(XML_GetCurrentColumnNumber(w->xml) + 1);
    ap__node *e = ap__tree_add(w->tree, w->open, AP__ELEMENT, line_now(w), column);
    if (e) {
      e->name = ap__tree_text(w->tree, name, strlen(name));
      add_attributes(w, e, attributes);
      w->open = e;
      w->depth++;
      w->takes_text = true;
    }
  }
  if (!is_whole(w)) XML_StopParser(w->xml, XML_FALSE);
}

static void XMLCALL on_end(void *user, const XML_Char *name) {
  walk *w = user;
  (void)name;
  if (!is_whole(w)) return;
  settle_text(w);
  w->open->end_line = line_now(w);
  w->open = w->open->parent;
  w->depth--;
  if (!is_whole(w)) XML_StopParser(w->xml, XML_FALSE);
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length) {
  walk *w = user;
  if (!is_whole(w) || !w->takes_text) return;
  int room = AP__MAX_TEXT - w->open->length;
  if (room > 0) memcpy(w->text + w->open->length, text, (size_t)(length < room ? length : room));
  w->open->length += length; // files are smaller than INT_MAX
}

// A declared entity can expand without end, or stand for a number that nobody sees.
static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int internal) {
  walk *w = user;
  (void)name;
  if (!is_whole(w) || (!system && !public && !internal)) return;
  ap__fail(&w->tree->error, AP_E_SYNTAX, line_now(w),
           "<!DOCTYPE> with declarations or an external part is refused (a URDF file needs none)");
  XML_StopParser(w->xml, XML_FALSE);
}

static void refuse(walk *w, const char *text, size_t length) {
  enum XML_Error code = XML_GetErrorCode(w->xml);
  ap_error *error = &w->tree->error;
  size_t blanks = 0;
  while (blanks < length && ap__is_space(text[blanks])) blanks++;
  bool early = code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN ||
               code == XML_ERROR_PARTIAL_CHAR || code == XML_ERROR_UNCLOSED_CDATA_SECTION;
  const char *open = w->open ? w->open->name : "";
  if (code == XML_ERROR_NO_MEMORY) {
    ap__no_memory(error);
  } else if (blanks == length) {
    w->tree->empty = true;
    ap__fail(error, AP_E_SYNTAX, 1,
             "the file is empty (a robot file is one <robot>, URDF, or one <mujoco>, MJCF)");
  } else {
    ap__fail(error, AP_E_SYNTAX, line_now(w), "%s: %s%s%.*s%s",
             early ? "the file ends too early" : "not XML", XML_ErrorString(code),
             *open ? " inside <" : "", ap__shown(open), open, *open ? ">" : "");
  }
}

bool ap__tree_xml(ap__tree *t, const char *text, size_t length) {
  walk w = {.tree = t, .xml = XML_ParserCreate(NULL)};
  if (!w.xml) return ap__no_memory(&t->error), false;
  XML_SetUserData(w.xml, &w);
  XML_SetElementHandler(w.xml, on_start, on_end);
  XML_SetCharacterDataHandler(w.xml, on_text);
  XML_SetStartDoctypeDeclHandler(w.xml, on_doctype);
  // The whole text in one call: expat would scan a long token again with every piece.
  enum XML_Status done = XML_Parse(w.xml, text, (int)length, 1);
  if (is_whole(&w) && done != XML_STATUS_OK) refuse(&w, text, length);
  XML_ParserFree(w.xml);
  return is_whole(&w);
}
