// SPDX-License-Identifier: Apache-2.0
// From libyaml's events, in one pass, to a tree of maps, lists and scalars.
//
// Not through libyaml's documents: they leak when memory runs out (0.2.5), and aliases can tie them
// to rings.

#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <yaml.h>

#include "file/tree.h"

enum { MAX_DEPTH = 32 }; // the formats need 6

typedef struct walk {
  ap__tree *tree;
  const char *file, *opening; // see ap__tree_yaml()
  ap__node *open;             // the innermost list or map that is not closed yet
  int depth, documents;
  bool open_end; // the document did not end with its line "..."
} walk;

// ---- errors ------------------------------------------------------------------------------------

static int int_of(size_t n) { return n < INT_MAX ? (int)n : INT_MAX; }

static int line_of(yaml_mark_t mark) { return int_of(mark.line + 1); }

static bool fail(walk *w, int line, const char *format, ...) AP_PRINTF(3, 4);
static bool fail(walk *w, int line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ap__vfail(&w->tree->error, AP_E_SYNTAX, line, format, arguments);
  va_end(arguments);
  return false;
}

// The line on which the text ends.
static int last_line(const char *text, size_t length) {
  int line = 1;
  for (size_t i = 0; i < length; i++) line += text[i] == '\n';
  return line;
}

static bool fail_empty(walk *w) {
  w->tree->empty = true;
  return fail(w, 1, "the file is empty (it starts with \"%s\")", w->opening);
}

// What libyaml has to say.
static bool fail_of_parser(walk *w, const yaml_parser_t *parser, const char *text, size_t length) {
  if (parser->error == YAML_MEMORY_ERROR) return ap__no_memory(&w->tree->error), false;
  int line = line_of(parser->problem_mark);
  if (parser->error == YAML_READER_ERROR) { // it has an offset, but no mark
    line = last_line(text, parser->problem_offset < length ? parser->problem_offset : length);
  }
  size_t at = parser->problem_mark.index; // of the character, which without others is the byte
  if (!w->tree->root && at < length && length - at >= 3 && memcmp(text + at, "...", 3) == 0)
    return fail_empty(w);
  const char *problem = parser->problem ? parser->problem : "unknown reason";
  const char *context = parser->context ? parser->context : "";
  return fail(w, line, "not YAML: %s%s%s", problem, *context ? " " : "", context);
}

// ---- from events to nodes ----------------------------------------------------------------------

// A node at the end of the list or map that is open. NULL: no memory.
static ap__node *add_node(walk *w, ap__kind kind, yaml_mark_t mark) {
  if (w->open) w->open->length++;
  return ap__tree_add(w->tree, w->open, kind, line_of(mark), int_of(mark.column + 1));
}

static bool open_node(walk *w, ap__kind kind, yaml_mark_t mark) {
  if (w->depth == MAX_DEPTH) return fail(w, line_of(mark), "nested more than %d deep", MAX_DEPTH);
  ap__node *n = add_node(w, kind, mark);
  if (n) w->open = n, w->depth++;
  return n != NULL;
}

static bool add_scalar(walk *w, const yaml_event_t *event) {
  ap__node *n = add_node(w, AP__SCALAR, event->start_mark);
  if (!n) return false;
  n->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  n->length = int_of(event->data.scalar.length);
  n->text =
      ap__tree_text(w->tree, (const char *)event->data.scalar.value, event->data.scalar.length);
  return w->tree->error.status == AP_OK;
}

// Anchors, tags: the same for the three events that can have them.
static bool check_properties(walk *w, int line, const yaml_char_t *anchor, const yaml_char_t *tag) {
  if (anchor)
    return fail(w, line, "an anchor (&%.*s) is refused (write the value again)",
                ap__shown((const char *)anchor), (const char *)anchor);
  if (tag)
    return fail(w, line, "a tag (%.*s) is refused (the format needs none)",
                ap__shown((const char *)tag), (const char *)tag);
  return true;
}

static bool take_event(walk *w, const yaml_event_t *event) {
  int line = line_of(event->start_mark);
  switch (event->type) {
    case YAML_ALIAS_EVENT:
      return fail(w, line, "an alias (*%.*s) is refused (write the value again)",
                  ap__shown((const char *)event->data.alias.anchor),
                  (const char *)event->data.alias.anchor);
    case YAML_SCALAR_EVENT:
      return check_properties(w, line, event->data.scalar.anchor, event->data.scalar.tag) &&
             add_scalar(w, event);
    case YAML_SEQUENCE_START_EVENT:
      return check_properties(w, line, event->data.sequence_start.anchor,
                              event->data.sequence_start.tag) &&
             open_node(w, AP__LIST, event->start_mark);
    case YAML_MAPPING_START_EVENT:
      return check_properties(w, line, event->data.mapping_start.anchor,
                              event->data.mapping_start.tag) &&
             open_node(w, AP__MAP, event->start_mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      if (w->open) w->open = w->open->parent;
      w->depth--;
      return true;
    case YAML_DOCUMENT_START_EVENT:
      return ++w->documents == 1 || fail(w, line, "a second YAML document (%s has one)", w->file);
    case YAML_DOCUMENT_END_EVENT: w->open_end = event->data.document_end.implicit; return true;
    default: return true;
  }
}

// Does a line start behind these bytes, as libyaml sees it? It knows five line breaks.
static bool line_starts(const char *text, size_t i) {
  if (i == 0) return true;
  if (i == 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) return true;
  if (text[i - 1] == '\n' || text[i - 1] == '\r') return true;
  if (i >= 2 && memcmp(text + i - 2, "\xc2\x85", 2) == 0) return true;
  return i >= 3 && (memcmp(text + i - 3, "\xe2\x80\xa8", 3) == 0 ||
                    memcmp(text + i - 3, "\xe2\x80\xa9", 3) == 0);
}

// What libyaml must not see: it compares every directive with all before it, and it would read
// UTF-16, in which they could hide.
static bool check_text(walk *w, const char *text, size_t length) {
  if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
    return fail(w, 1, "the file is UTF-16 (expected UTF-8)");
  for (const char *at = text; (at = memchr(at, '%', length - (size_t)(at - text))); at++)
    if (line_starts(text, (size_t)(at - text)))
      return fail(w, last_line(text, (size_t)(at - text)),
                  "a directive (%%) is refused (the format needs none)");
  return true;
}

static bool parse(walk *w, const char *text, size_t length) {
  yaml_parser_t parser;
  if (!check_text(w, text, length)) return false;
  if (!yaml_parser_initialize(&parser)) return ap__no_memory(&w->tree->error), false;
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  bool good = true, end = false;
  while (good && !end) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) {
      good = fail_of_parser(w, &parser, text, length);
      break;
    }
    end = event.type == YAML_STREAM_END_EVENT;
    good = take_event(w, &event);
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  if (good && !w->tree->root) return fail_empty(w);
  // cut off between two lines it would often still be YAML, and another robot or run
  if (good && w->open_end)
    return fail(w, last_line(text, length),
                "the file ends without a line \"...\" (it may be truncated)");
  return good;
}

// Whether the text is XML, and of a robot. YAML may start with "<<", never with what XML does.
static bool is_xml(const char *text, size_t length, bool *robot) {
  static const char element[] = "<robot";
  size_t i = 0;
  while (i < length && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n'))
    i++;
  if (length - i < 2 || text[i] != '<' || text[i + 1] == '<') return false;
  *robot = false;
  for (; length - i >= sizeof element - 1 && !*robot; i++)
    *robot = memcmp(text + i, element, sizeof element - 1) == 0;
  return true;
}

static bool fail_xml(walk *w, bool robot) {
  const char *what = robot ? "a robot (URDF)" : "XML";
  if (strcmp(w->opening, "appell: 1") == 0)
    return fail(w, 1, "this is %s, not YAML (the name of a URDF file ends in .urdf)", what);
  return fail(w, 1, "this is %s, not %s (which is YAML and names its robot: \"robot: FILE\")", what,
              w->file);
}

bool ap__tree_yaml(ap__tree *t, const char *text, size_t length, const char *file,
                   const char *opening) {
  walk w = {.tree = t, .file = file, .opening = opening};
  bool robot;
  return is_xml(text, length, &robot) ? fail_xml(&w, robot) : parse(&w, text, length);
}
