// Appell YAML through libyaml's events, in one pass to a tree of nodes that know their lines, and
// from there along the schema table. What the format has no use for, and what can make a small file
// large (anchors, aliases, tags, depth, a second document), is refused on the way.
//
// Not through libyaml's documents: they leak when memory runs out (0.2.5), and aliases can tie them
// to rings.

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "file/alloc.h"
#include "file/names.h"
#include "file/number.h"
#include "file/yaml_schema.h"

typedef enum node_kind { SCALAR, LIST, MAP } node_kind;

// Nodes name each other by their place in the array, which may move; -1: none.
typedef struct node {
  node_kind kind;
  int line;
  int first, last, next; // children, and the parent's next one; a map's are key, value, key, ...
  int length;            // children, or bytes of the text
  const char *text;
  bool plain; // a scalar without quotes
} node;

enum { MAX_DEPTH = 32 }; // the format itself needs 6

typedef struct mesh {
  int part;
  const char *file;
} mesh;

typedef struct reader {
  ap_robot *robot;
  ap_error *error;
  ap_status status;
  node *nodes; // the first is the root
  int nnode, node_capacity;
  int open[MAX_DEPTH]; // the lists and maps that are not closed yet
  int depth;
  int documents;
  bool open_end;  // the document did not end with its line "..."
  ap__pool texts; // of scalars
  ap__yaml_robot head;
  ap__parts bodies;
  ap__yaml_frame *frames;
  int nframe, frame_capacity;
  mesh *meshes;
  int nmesh, mesh_capacity;
} reader;

// ---- errors ------------------------------------------------------------------------------------

static int line_of(yaml_mark_t mark) { return mark.line < INT_MAX ? (int)mark.line + 1 : INT_MAX; }

AP_PRINTF(3, 4) static bool fail(reader *y, int line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ap__vfail(y->error, AP_E_SYNTAX, line, format, arguments);
  va_end(arguments);
  y->status = AP_E_SYNTAX;
  return false;
}

static bool no_memory(reader *y) {
  y->status = ap__no_memory(y->error);
  return false;
}

// The line on which the text ends.
static int last_line(const char *text, size_t length) {
  int line = 1;
  for (size_t i = 0; i < length; i++) line += text[i] == '\n';
  return line;
}

// What libyaml has to say.
static bool fail_of_parser(reader *y, const yaml_parser_t *parser, const char *text,
                           size_t length) {
  if (parser->error == YAML_MEMORY_ERROR) return no_memory(y);
  int line = line_of(parser->problem_mark);
  if (parser->error == YAML_READER_ERROR) { // it has an offset, but no mark
    line = last_line(text, parser->problem_offset < length ? parser->problem_offset : length);
  }
  const char *problem = parser->problem ? parser->problem : "unknown reason";
  const char *context = parser->context ? parser->context : "";
  return fail(y, line, "not YAML: %s%s%s", problem, *context ? " " : "", context);
}

// ---- from events to nodes ----------------------------------------------------------------------

// A node at the end of the list or map that is open. NULL: no memory.
static node *add_node(reader *y, node_kind kind, int line) {
  node *grown = ap__grown(y->nodes, y->nnode, &y->node_capacity, sizeof *grown);
  if (!grown) {
    no_memory(y);
    return NULL;
  }
  y->nodes = grown;
  int i = y->nnode++;
  if (y->depth > 0) {
    node *parent = &y->nodes[y->open[y->depth - 1]];
    if (parent->length++ == 0)
      parent->first = i;
    else
      y->nodes[parent->last].next = i;
    parent->last = i;
  }
  y->nodes[i] = (node){.kind = kind, .line = line, .first = -1, .last = -1, .next = -1, .text = ""};
  return &y->nodes[i];
}

static bool open_node(reader *y, node_kind kind, int line) {
  if (y->depth == MAX_DEPTH) return fail(y, line, "nested more than %d deep", MAX_DEPTH);
  if (!add_node(y, kind, line)) return false;
  y->open[y->depth++] = y->nnode - 1;
  return true;
}

static bool add_scalar(reader *y, const yaml_event_t *event, int line) {
  size_t length = event->data.scalar.length;
  node *n = add_node(y, SCALAR, line);
  if (!n) return false;
  n->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  n->length = (int)length; // files are smaller than INT_MAX
  n->text = ap__pool_text(&y->texts, (const char *)event->data.scalar.value, length);
  return n->text || no_memory(y);
}

// Anchors, tags: the same for the three events that can have them.
static bool check_properties(reader *y, int line, const yaml_char_t *anchor,
                             const yaml_char_t *tag) {
  if (anchor)
    return fail(y, line, "an anchor (&%.*s) is refused (write the value again)",
                ap__shown((const char *)anchor), (const char *)anchor);
  if (tag)
    return fail(y, line, "a tag (%.*s) is refused (the format needs none)",
                ap__shown((const char *)tag), (const char *)tag);
  return true;
}

static bool take_event(reader *y, const yaml_event_t *event) {
  int line = line_of(event->start_mark);
  switch (event->type) {
    case YAML_ALIAS_EVENT:
      return fail(y, line, "an alias (*%.*s) is refused (write the value again)",
                  ap__shown((const char *)event->data.alias.anchor),
                  (const char *)event->data.alias.anchor);
    case YAML_SCALAR_EVENT:
      return check_properties(y, line, event->data.scalar.anchor, event->data.scalar.tag) &&
             add_scalar(y, event, line);
    case YAML_SEQUENCE_START_EVENT:
      return check_properties(y, line, event->data.sequence_start.anchor,
                              event->data.sequence_start.tag) &&
             open_node(y, LIST, line);
    case YAML_MAPPING_START_EVENT:
      return check_properties(y, line, event->data.mapping_start.anchor,
                              event->data.mapping_start.tag) &&
             open_node(y, MAP, line);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: y->depth--; return true;
    case YAML_DOCUMENT_START_EVENT:
      return ++y->documents == 1 || fail(y, line, "a second document (a robot file has one)");
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
static bool check_text(reader *y, const char *text, size_t length) {
  if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
    return fail(y, 1, "not YAML: the file is UTF-16 (UTF-8)");
  for (const char *at = text; (at = memchr(at, '%', length - (size_t)(at - text))); at++)
    if (line_starts(text, (size_t)(at - text)))
      return fail(y, last_line(text, (size_t)(at - text)),
                  "a directive (%%) is refused (the format needs none)");
  return true;
}

static bool read_nodes(reader *y, const char *text, size_t length) {
  yaml_parser_t parser;
  if (!check_text(y, text, length)) return false;
  if (!yaml_parser_initialize(&parser)) return no_memory(y);
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
  if (good && y->nnode == 0) return fail(y, 1, "the file is empty (it starts with \"appell: 1\")");
  // cut off between two lines it would often still be YAML, and another robot
  if (good && y->open_end)
    return fail(y, last_line(text, length),
                "the file ends here without a line \"...\" (it may have been cut off)");
  return good;
}

// ---- words --------------------------------------------------------------------------------------

// A map of this name, in a sentence.
static const char *a_map(const char *map) {
  static const char *const name[][2] = {{"robot", "a robot"},
                                        {"body", "a body"},
                                        {"joint", "a joint"},
                                        {"place", "a place"},
                                        {"dh", "dh"},
                                        {"limits", "limits"},
                                        {"mimic", "mimic"},
                                        {"friction", "friction"},
                                        {"inertia", "an inertia"},
                                        {"rotor", "a rotor"},
                                        {"frame", "a frame"}};
  for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
    if (strcmp(map, name[i][0]) == 0) return name[i][1];
  return map;
}

// What users of other formats write, and what it is called here; NULL: no word for it.
static const char *own_word(const char *word) {
  static const char *const known[][2] = {{"links", "bodies"},   {"link", "body"},
                                         {"origin", "place"},   {"continuous", "revolute"},
                                         {"floating", "free"},  {"ball", "spherical"},
                                         {"hinge", "revolute"}, {"slide", "prismatic"}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(word, known[i][0]) == 0) return known[i][1];
  return NULL;
}

// ---- scalars -----------------------------------------------------------------------------------

static bool is_plain(const node *n) { return n->kind == SCALAR && n->plain; }

static const char *kind_of_node(const node *n) {
  return n->kind == LIST  ? "a list"
         : n->kind == MAP ? "a map"
         : n->plain       ? "a value"
                          : "a text in quotes";
}

static bool read_number(reader *y, const char *key, const node *n, double *x) {
  int line = n->line;
  if (!is_plain(n)) return fail(y, line, "%s has %s (a number)", key, kind_of_node(n));
  const char *text = n->text, *end = text;
  ap__number kind = ap__parse_double(text, &end, x);
  if (kind == AP__NUMBER_HUGE)
    return fail(y, line, "%s: %.*s is beyond the range of a double", key, ap__shown(text), text);
  if (kind == AP__NUMBER && end == text + n->length) return true;
  return fail(y, line, "%s: \"%.*s\" is not a number (a finite decimal number, no unit)", key,
              ap__shown(text), text);
}

// A text that the robot keeps.
static bool read_text(reader *y, const char *key, const node *n, const char **kept) {
  int line = n->line;
  if (n->kind != SCALAR) return fail(y, line, "%s has %s (a text)", key, kind_of_node(n));
  const char *text = n->text;
  size_t length = (size_t)n->length;
  bool null = is_plain(n) && (strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
  if (length == 0 || null) return fail(y, line, "%s is empty (a text)", key);
  if (ap__has_control(text, length))
    return fail(y, line, "%s has a control character (one line of text)", key);
  *kept = ap__robot_text(y->robot, text, length);
  return *kept || no_memory(y);
}

static bool read_limit(reader *y, const char *key, const node *n, double *x) {
  return (is_plain(n) && strcmp(n->text, "none") == 0) || read_number(y, key, n, x);
}

// Which of the words (blanks between) it is.
static bool read_choice(reader *y, const char *key, const node *n, const char *words, int *choice) {
  const char *text = n->kind == SCALAR ? n->text : "", *w = words;
  for (int i = 0; *w; i++, w += strspn(w, " ")) {
    size_t length = strcspn(w, " ");
    if (length == strlen(text) && memcmp(w, text, length) == 0) {
      *choice = i;
      return true;
    }
    w += length;
  }
  const char *own = own_word(text);
  if (own && strstr(words, own))
    return fail(y, n->line, "%s: \"%.*s\" is unknown (write \"%s\"%s)", key, ap__shown(text), text,
                own, strcmp(text, "continuous") == 0 ? ", without limits" : "");
  return fail(y, n->line, "%s: \"%.*s\" is unknown (one of: %s)", key, ap__shown(text), text,
              words);
}

// ---- lists -------------------------------------------------------------------------------------

// The node at that place; NULL past the last one.
static const node *node_at(const reader *y, int i) { return i < 0 ? NULL : &y->nodes[i]; }

static bool expect_list(reader *y, const char *key, const node *n, const char *of) {
  return n->kind == LIST || fail(y, n->line, "%s has %s (a list of %s)", key, kind_of_node(n), of);
}

// A list of count numbers; a matrix of nine also as three rows.
static bool read_numbers(reader *y, const char *key, const node *n, int count, double *x) {
  if (count == 1) return read_number(y, key, n, x);
  if (n->kind != LIST)
    return fail(y, n->line, "%s must be a list of %d numbers%s", key, count,
                count == 3 ? ", such as [0, 1, 0]" : "");
  bool rows = count == 9 && n->length == 3 && node_at(y, n->first)->kind == LIST;
  if (n->length != count && !rows)
    return fail(y, n->line, "%s has %d entr%s (a list of %d numbers)", key, n->length,
                n->length == 1 ? "y" : "ies", count);
  int step = rows ? 3 : 1;
  for (const node *item = node_at(y, n->first); item; item = node_at(y, item->next), x += step)
    if (!read_numbers(y, key, item, step, x)) return false;
  return true;
}

static bool read_meshes(reader *y, const char *key, const node *n) {
  if (!expect_list(y, key, n, "texts")) return false;
  for (const node *item = node_at(y, n->first); item; item = node_at(y, item->next)) {
    mesh *grown = ap__grown(y->meshes, y->nmesh, &y->mesh_capacity, sizeof *grown);
    if (!grown) return no_memory(y);
    y->meshes = grown;
    y->meshes[y->nmesh].part = y->bodies.n - 1;
    if (!read_text(y, key, item, &y->meshes[y->nmesh].file)) return false;
    y->nmesh++;
  }
  return true;
}

// ---- maps --------------------------------------------------------------------------------------

static bool read_map(reader *y, const node *n, const char *map, void *target);

static bool expect_parts(reader *y, const char *key, const node *n) {
  return expect_list(y, key, n, "maps") &&
         (n->length <= AP__MAX_PARTS ||
          fail(y, n->line, "%s has more than %d entries (split the robot)", key, AP__MAX_PARTS));
}

static bool read_bodies(reader *y, const char *key, const node *n) {
  if (!expect_parts(y, key, n)) return false;
  if (n->length == 0) return fail(y, n->line, "%s is empty (at least one body)", key);
  for (const node *item = node_at(y, n->first); item; item = node_at(y, item->next)) {
    ap__part *part = ap__parts_add(&y->bodies);
    if (!part) return no_memory(y);
    ap__yaml_body body = {.part = *part};
    body.part.line = body.part.joint_line = body.part.mimic_line = item->line;
    bool read = read_map(y, item, "body", &body);
    *part = body.part;
    if (!read) return false;
  }
  return true;
}

static bool read_frames(reader *y, const char *key, const node *n) {
  if (!expect_parts(y, key, n)) return false;
  for (const node *item = node_at(y, n->first); item; item = node_at(y, item->next)) {
    ap__yaml_frame *grown = ap__grown(y->frames, y->nframe, &y->frame_capacity, sizeof *grown);
    if (!grown) return no_memory(y);
    y->frames = grown;
    ap__yaml_frame *frame = &y->frames[y->nframe++];
    *frame = (ap__yaml_frame){.line = item->line};
    if (!read_map(y, item, "frame", frame)) return false;
  }
  return true;
}

static bool read_version(reader *y, const char *key, const node *n) {
  double version = 0;
  if (!read_number(y, key, n, &version)) return false;
  return version == 1 ||
         fail(y, n->line, "%s: version %g of the format is unknown (1)", key, version);
}

static bool read_value(reader *y, const ap__yaml_key *k, const node *n, void *target) {
  void *to = (char *)target + k->offset;
  switch (k->kind) {
    case AP__YAML_VERSION: return read_version(y, k->key, n);
    case AP__YAML_TEXT: return read_text(y, k->key, n, to);
    case AP__YAML_TEXTS: return read_meshes(y, k->key, n);
    case AP__YAML_NUMBERS: return read_numbers(y, k->key, n, k->count, to);
    case AP__YAML_LIMIT: return read_limit(y, k->key, n, to);
    case AP__YAML_CHOICE: return read_choice(y, k->key, n, k->of, to);
    case AP__YAML_MAP: return read_map(y, n, k->of, target);
    case AP__YAML_LIST:
      return strcmp(k->of, "body") == 0 ? read_bodies(y, k->key, n) : read_frames(y, k->key, n);
  }
  return false;
}

// The keys of a map: a row of the table.
static const ap__yaml_key *keys_of(const char *map) {
  const ap__yaml_key *k = ap__yaml_keys;
  while (strcmp(k->map, map) != 0) k++;
  return k;
}

static bool same_map(const ap__yaml_key *k, const char *map) {
  return k->map && strcmp(k->map, map) == 0;
}

// A key of the map that may have been meant; NULL: none.
static const char *key_meant(const char *map, const char *key) {
  const char *best = NULL, *own = own_word(key);
  int least = INT_MAX, length = (int)strlen(key);
  for (const ap__yaml_key *k = keys_of(map); same_map(k, map); k++) {
    if (own && strcmp(own, k->key) == 0) return own;
    int d = ap__name_distance(key, k->key);
    bool near = (d <= 2 || d <= length / 3) && d < length && d < (int)strlen(k->key);
    if (near && d < least) best = k->key, least = d;
  }
  return best;
}

static bool unknown_key(reader *y, int line, const char *map, const char *key) {
  const char *meant = key_meant(map, key);
  if (meant)
    return fail(y, line, "unknown key \"%.*s\" in %s (did you mean \"%s\"?)", ap__shown(key), key,
                a_map(map), meant);
  char all[200] = "";
  for (const ap__yaml_key *k = keys_of(map); same_map(k, map); k++) {
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", k->key);
  }
  return fail(y, line, "unknown key \"%.*s\" in %s (known: %s)", ap__shown(key), key, a_map(map),
              all);
}

// ---- rules across keys -------------------------------------------------------------------------

// Was this key of the map there?
static bool has_key(const char *map, unsigned seen, const char *key) {
  unsigned bit = 1;
  for (const ap__yaml_key *k = keys_of(map); same_map(k, map); k++, bit <<= 1)
    if (strcmp(k->key, key) == 0) return (seen & bit) != 0;
  return false;
}

static bool finish_joint(reader *y, int line, unsigned seen, ap__yaml_body *body) {
  ap_body_def *def = &body->part.def;
  def->joint = (ap_joint_type)body->type;
  body->part.joint_line = line;
  bool dh = has_key("joint", seen, "dh");
  if (dh && has_key("joint", seen, "place"))
    return fail(y, line, "place and dh together (one of them)");
  if (dh) def->place.kind = (ap_placement_kind)(AP_DH_MODIFIED + body->convention);
  if (!has_key("joint", seen, "axis")) return true;
  if (dh) return fail(y, line, "axis together with dh (the axis is z there)");
  if (def->joint == AP_REVOLUTE || def->joint == AP_PRISMATIC || def->joint == AP_PLANAR)
    return true;
  return fail(y, line,
              "axis has no meaning for this type of joint (revolute, prismatic or planar)");
}

static bool finish_map(reader *y, int line, const char *map, unsigned seen, void *target) {
  if (strcmp(map, "joint") == 0) return finish_joint(y, line, seen, target);
  if (strcmp(map, "mimic") == 0) ((ap__yaml_body *)target)->part.mimic_line = line;
  if (strcmp(map, "place") != 0 || !has_key(map, seen, "matrix")) return true;
  if (has_key(map, seen, "rpy")) return fail(y, line, "rpy and matrix together (one of them)");
  ((ap__yaml_body *)target)->part.def.place.kind = AP_PLACE_MATRIX;
  return true;
}

static bool read_pair(reader *y, const node *key, const char *map, unsigned *seen, void *target) {
  if (key->kind != SCALAR)
    return fail(y, key->line, "a key of %s is %s (a word)", a_map(map), kind_of_node(key));
  unsigned bit = 1;
  for (const ap__yaml_key *k = keys_of(map); same_map(k, map); k++, bit <<= 1) {
    if (strcmp(key->text, k->key) != 0) continue;
    if (*seen & bit)
      return fail(y, key->line, "the key \"%s\" comes twice in %s (once)", k->key, a_map(map));
    *seen |= bit;
    return read_value(y, k, node_at(y, key->next), target);
  }
  return unknown_key(y, key->line, map, key->text);
}

static bool read_map(reader *y, const node *n, const char *map, void *target) {
  int line = n->line;
  if (n->kind != MAP)
    return fail(y, line, "%s is %s (a map of keys and values)", a_map(map), kind_of_node(n));
  unsigned seen = 0;
  for (const node *key = node_at(y, n->first); key; key = node_at(y, node_at(y, key->next)->next))
    if (!read_pair(y, key, map, &seen, target)) return false;
  unsigned bit = 1;
  for (const ap__yaml_key *k = keys_of(map); same_map(k, map); k++, bit <<= 1)
    if (!(seen & bit) && strcmp(k->initial, "required") == 0)
      return fail(y, line, "%s without \"%s\" (%s)", a_map(map), k->key, k->about);
  return finish_map(y, line, map, seen, target);
}

// ---- the whole ---------------------------------------------------------------------------------

// "ground" is the ground, unless a body has that name.
static void find_ground(reader *y) {
  for (int i = 0; i < y->bodies.n; i++)
    if (strcmp(y->bodies.part[i].def.name, "ground") == 0) return;
  for (int i = 0; i < y->bodies.n; i++) {
    ap__part *part = &y->bodies.part[i];
    if (part->parent && strcmp(part->parent, "ground") == 0) part->parent = NULL;
  }
  for (int i = 0; i < y->nframe; i++)
    if (strcmp(y->frames[i].body, "ground") == 0) y->frames[i].body = NULL;
}

static bool attach_frames(reader *y, const ap__names *bodies) {
  for (int i = 0; i < y->nframe; i++) {
    ap__yaml_frame *frame = &y->frames[i];
    int k = frame->body ? ap__names_find(bodies, frame->body) : -1;
    if (frame->body && k < 0)
      return fail(y, frame->line, "the body \"%.*s\" of frame \"%.*s\" is not in the file",
                  ap__shown(frame->body), frame->body, ap__shown(frame->def.name), frame->def.name);
    frame->def.body = k < 0 ? 0 : y->bodies.part[k].number;
    if (!ap__robot_add_frame(y->robot, &frame->def, frame->line)) return no_memory(y);
  }
  return true;
}

static bool read_frames_and_meshes(reader *y) {
  ap__names bodies = {0};
  bool good = ap__names_init(&bodies, y->bodies.n) || no_memory(y);
  for (int i = 0; good && i < y->bodies.n; i++)
    ap__names_put(&bodies, y->bodies.part[i].def.name, i);
  good = good && attach_frames(y, &bodies);
  ap__names_free(&bodies);
  for (int i = 0; good && i < y->nmesh; i++) {
    int body = y->bodies.part[y->meshes[i].part].number;
    good = ap__robot_add_mesh(y->robot, body, y->meshes[i].file) || no_memory(y);
  }
  ap__robot_sort_meshes(y->robot);
  return good;
}

static ap_status read_robot(reader *y, const ap_read_options *options) {
  ap_robot_def *def = &y->robot->def;
  y->head.name = def->name;
  memcpy(y->head.gravity, def->gravity, sizeof def->gravity);
  if (!read_map(y, node_at(y, 0), "robot", &y->head)) return y->status;
  def->name = y->head.name;
  memcpy(def->gravity, y->head.gravity, sizeof def->gravity);
  find_ground(y);
  ap_status status = ap__robot_assemble(y->robot, &y->bodies, options, y->error);
  if (status) return status;
  if (!read_frames_and_meshes(y)) return y->status;
  return options->floating ? ap__robot_set_free(y->robot, y->error) : AP_OK;
}

ap_status ap__yaml_read(const char *text, size_t length, const ap_read_options *options,
                        ap_robot *robot, ap_error *error) {
  reader y = {.robot = robot, .error = error};
  ap_status status = read_nodes(&y, text, length) ? read_robot(&y, options) : y.status;
  ap__pool_free(&y.texts);
  free(y.nodes);
  free(y.bodies.part);
  free(y.frames);
  free(y.meshes);
  return status;
}
