// From libyaml's events, in one pass, to a tree of nodes.
//
// Not through libyaml's documents: they leak when memory runs out (0.2.5), and aliases can tie them
// to rings.

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "file/alloc.h"
#include "file/yaml_map.h"

// ---- errors ------------------------------------------------------------------------------------

static int line_of(yaml_mark_t mark) { return mark.line < INT_MAX ? (int)mark.line + 1 : INT_MAX; }

bool ap__yaml_fail(ap__yaml *y, int line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ap__vfail(y->error, AP_E_SYNTAX, line, format, arguments);
  va_end(arguments);
  y->status = AP_E_SYNTAX;
  return false;
}

bool ap__yaml_no_memory(ap__yaml *y) {
  y->status = ap__no_memory(y->error);
  return false;
}

// The line on which the text ends.
static int last_line(const char *text, size_t length) {
  int line = 1;
  for (size_t i = 0; i < length; i++) line += text[i] == '\n';
  return line;
}

static bool fail_empty(ap__yaml *y) {
  return ap__yaml_fail(y, 1, "the file is empty (it starts with \"%s\")", y->format->opening);
}

// What libyaml has to say.
static bool fail_of_parser(ap__yaml *y, const yaml_parser_t *parser, const char *text,
                           size_t length) {
  if (parser->error == YAML_MEMORY_ERROR) return ap__yaml_no_memory(y);
  int line = line_of(parser->problem_mark);
  if (parser->error == YAML_READER_ERROR) { // it has an offset, but no mark
    line = last_line(text, parser->problem_offset < length ? parser->problem_offset : length);
  }
  size_t at = parser->problem_mark.index; // of the character, which without others is the byte
  if (y->nnode == 0 && at < length && length - at >= 3 && memcmp(text + at, "...", 3) == 0)
    return fail_empty(y);
  const char *problem = parser->problem ? parser->problem : "unknown reason";
  const char *context = parser->context ? parser->context : "";
  return ap__yaml_fail(y, line, "not YAML: %s%s%s", problem, *context ? " " : "", context);
}

// ---- from events to nodes ----------------------------------------------------------------------

// A node at the end of the list or map that is open. NULL: no memory.
static ap__yaml_node *add_node(ap__yaml *y, ap__yaml_shape shape, int line) {
  ap__yaml_node *grown = ap__grown(y->nodes, y->nnode, &y->node_capacity, sizeof *grown);
  if (!grown) {
    ap__yaml_no_memory(y);
    return NULL;
  }
  y->nodes = grown;
  int i = y->nnode++;
  if (y->depth > 0) {
    ap__yaml_node *parent = &y->nodes[y->open[y->depth - 1]];
    if (parent->length++ == 0)
      parent->first = i;
    else
      y->nodes[parent->last].next = i;
    parent->last = i;
  }
  y->nodes[i] = (ap__yaml_node){
      .shape = shape, .line = line, .first = -1, .last = -1, .next = -1, .text = ""};
  return &y->nodes[i];
}

static bool open_node(ap__yaml *y, ap__yaml_shape shape, int line) {
  if (y->depth == AP__YAML_DEPTH)
    return ap__yaml_fail(y, line, "nested more than %d deep", AP__YAML_DEPTH);
  if (!add_node(y, shape, line)) return false;
  y->open[y->depth++] = y->nnode - 1;
  return true;
}

static bool add_scalar(ap__yaml *y, const yaml_event_t *event, int line) {
  size_t length = event->data.scalar.length;
  ap__yaml_node *n = add_node(y, AP__YAML_SCALAR, line);
  if (!n) return false;
  n->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  n->length = (int)length; // files are smaller than INT_MAX
  n->text = ap__pool_text(&y->texts, (const char *)event->data.scalar.value, length);
  return n->text || ap__yaml_no_memory(y);
}

// Anchors, tags: the same for the three events that can have them.
static bool check_properties(ap__yaml *y, int line, const yaml_char_t *anchor,
                             const yaml_char_t *tag) {
  if (anchor)
    return ap__yaml_fail(y, line, "an anchor (&%.*s) is refused (write the value again)",
                         ap__shown((const char *)anchor), (const char *)anchor);
  if (tag)
    return ap__yaml_fail(y, line, "a tag (%.*s) is refused (the format needs none)",
                         ap__shown((const char *)tag), (const char *)tag);
  return true;
}

static bool take_event(ap__yaml *y, const yaml_event_t *event) {
  int line = line_of(event->start_mark);
  switch (event->type) {
    case YAML_ALIAS_EVENT:
      return ap__yaml_fail(y, line, "an alias (*%.*s) is refused (write the value again)",
                           ap__shown((const char *)event->data.alias.anchor),
                           (const char *)event->data.alias.anchor);
    case YAML_SCALAR_EVENT:
      return check_properties(y, line, event->data.scalar.anchor, event->data.scalar.tag) &&
             add_scalar(y, event, line);
    case YAML_SEQUENCE_START_EVENT:
      return check_properties(y, line, event->data.sequence_start.anchor,
                              event->data.sequence_start.tag) &&
             open_node(y, AP__YAML_SEQUENCE, line);
    case YAML_MAPPING_START_EVENT:
      return check_properties(y, line, event->data.mapping_start.anchor,
                              event->data.mapping_start.tag) &&
             open_node(y, AP__YAML_MAPPING, line);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: y->depth--; return true;
    case YAML_DOCUMENT_START_EVENT:
      return ++y->documents == 1 ||
             ap__yaml_fail(y, line, "a second document (%s has one)", y->format->file);
    case YAML_DOCUMENT_END_EVENT: y->open_end = event->data.document_end.implicit; return true;
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
static bool check_text(ap__yaml *y, const char *text, size_t length) {
  if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
    return ap__yaml_fail(y, 1, "not YAML: the file is UTF-16 (UTF-8)");
  for (const char *at = text; (at = memchr(at, '%', length - (size_t)(at - text))); at++)
    if (line_starts(text, (size_t)(at - text)))
      return ap__yaml_fail(y, last_line(text, (size_t)(at - text)),
                           "a directive (%%) is refused (the format needs none)");
  return true;
}

bool ap__yaml_parse(ap__yaml *y, const char *text, size_t length) {
  yaml_parser_t parser;
  if (!check_text(y, text, length)) return false;
  if (!yaml_parser_initialize(&parser)) return ap__yaml_no_memory(y);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  bool good = true, end = false;
  while (good && !end) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) {
      good = fail_of_parser(y, &parser, text, length);
      break;
    }
    end = event.type == YAML_STREAM_END_EVENT;
    good = take_event(y, &event);
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  if (good && y->nnode == 0) return fail_empty(y);
  // cut off between two lines it would often still be YAML, and another robot or run
  if (good && y->open_end)
    return ap__yaml_fail(y, last_line(text, length),
                         "the file ends here without a line \"...\" (it may have been cut off)");
  return good;
}

void ap__yaml_free(ap__yaml *y) {
  ap__pool_free(&y->texts);
  free(y->nodes);
  y->nodes = NULL;
}

// The node at that place; NULL past the last one.
static const ap__yaml_node *node_at(const ap__yaml *y, int i) {
  return i < 0 ? NULL : &y->nodes[i];
}

const ap__yaml_node *ap__yaml_first(const ap__yaml *y, const ap__yaml_node *n) {
  return node_at(y, n->first);
}

const ap__yaml_node *ap__yaml_next(const ap__yaml *y, const ap__yaml_node *n) {
  return node_at(y, n->next);
}

int ap__yaml_line_of(const ap__yaml *y, const ap__yaml_node *n, const char *key) {
  for (const ap__yaml_node *k = ap__yaml_first(y, n), *value; k; k = ap__yaml_next(y, value)) {
    value = ap__yaml_next(y, k);
    if (k->shape == AP__YAML_SCALAR && strcmp(k->text, key) == 0) return value->line;
  }
  return n->line;
}
