// SPDX-License-Identifier: Apache-2.0
// A URDF file with other inertias: <inertial> elements are replaced or added, and every other byte
// stays. The new text is read again before it gets to the disk.

#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/xml_write.h"
#include "lint/weigh.h"

// An <inertial> to be written, in place of bytes from `from` to `to` of the file.
typedef struct edit {
  const ap_weighed *link;
  size_t from, to;
} edit;

typedef struct patch {
  XML_Parser xml;
  const ap_weighing *weighing;
  const char *text;
  size_t length;
  int depth, links;     // how many so far
  const char *line_end; // as the file ends its first line
  edit now;             // of the link that is open; link NULL: it stays as it is
  bool inside;          // of its <inertial>
  edit *edits;
  int n, capacity;
  bool no_memory;
} patch;

// A link by its number in the file; NULL: it stays as it is.
static const ap_weighed *find(const ap_weighing *w, int body) {
  for (int i = 0; i < w->n; i++)
    if (w->link[i].done && w->link[i].body == body) return &w->link[i];
  return NULL;
}

static size_t place_now(const patch *p) { return (size_t)XML_GetCurrentByteIndex(p->xml); }

// Behind the element that ends. Of <x/> expat is there already.
static size_t place_behind(const patch *p) {
  const char *at = p->text + place_now(p), *end = memchr(at, '>', p->length - place_now(p));
  return at[0] == '<' && at[1] == '/' && end ? (size_t)(end + 1 - p->text) : place_now(p);
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes) {
  patch *p = user;
  (void)attributes;
  p->depth++;
  if (p->depth == 2 && strcmp(name, "link") == 0) {
    p->now.link = find(p->weighing, ++p->links);
    // A '>' may stand in an attribute; the tag's length is known.
    p->now.from = p->now.to = place_now(p) + (size_t)XML_GetCurrentByteCount(p->xml);
  }
  if (p->depth == 3 && p->now.link && strcmp(name, "inertial") == 0 && p->now.from == p->now.to) {
    p->now.from = place_now(p);
    p->inside = true;
  }
}

static void XMLCALL on_end(void *user, const XML_Char *name) {
  patch *p = user;
  (void)name;
  if (p->depth == 3 && p->inside) {
    p->now.to = place_behind(p);
    p->inside = false;
  }
  if (p->depth == 2 && p->now.link) {
    edit *e = ap__append(&p->edits, &p->n, &p->capacity, sizeof *e);
    if (e) *e = p->now;
    p->no_memory = p->no_memory || !e;
    p->now.link = NULL;
  }
  p->depth--;
}

// ---- the new text ------------------------------------------------------------------------------

// The line break and the blanks before an element at a place; "" where other text is before it.
static size_t indent_before(const char *text, size_t at, const char **indent) {
  size_t from = at;
  while (from > 0 && (text[from - 1] == ' ' || text[from - 1] == '\t')) from--;
  *indent = text + from;
  return from > 0 && text[from - 1] == '\n' ? at - from : 0;
}

// A line of its own, with n blanks of indent before it.
typedef struct margin {
  const char *line_end, *indent;
  size_t n;
} margin;

static void add_line(ap__text *out, const margin *m, const char *more) {
  ap__text_bytes(out, m->line_end, strlen(m->line_end));
  ap__text_bytes(out, m->indent, m->n);
  ap__text_bytes(out, more, strlen(more));
}

static void add_number(ap__text *out, const char *name, double x) {
  ap__text_add(out, " %s=\"", name);
  ap__text_numbers(out, &x, 1, "");
  ap__text_bytes(out, "\"", 1);
}

static void add_inertial(ap__text *out, const ap_link_mass *m, const margin *at) {
  static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  ap__text_add(out, "<inertial>");
  add_line(out, at, "  <origin xyz=\"");
  ap__text_numbers(out, m->com, 3, " ");
  ap__text_add(out, "\" rpy=\"0 0 0\"/>");
  add_line(out, at, "  <mass");
  add_number(out, "value", m->mass);
  ap__text_add(out, "/>");
  add_line(out, at, "  <inertia");
  for (int i = 0; i < 6; i++) add_number(out, names[i], m->inertia[i]);
  ap__text_add(out, "/>");
  add_line(out, at, "</inertial>");
}

static void add_edit(const patch *p, const edit *e, ap__text *out) {
  margin at = {.line_end = p->line_end};
  size_t first = e->from;
  // A new element goes before the link's first one.
  while (e->from == e->to && first < p->length && strchr(" \t\r\n", p->text[first])) first++;
  at.n = indent_before(p->text, first, &at.indent);
  if (e->from == e->to) add_line(out, &at, "");
  add_inertial(out, &e->link->after, &at);
}

static void compose(const patch *p, ap__text *out) {
  size_t at = 0;
  for (int i = 0; i < p->n; i++) {
    ap__text_bytes(out, p->text + at, p->edits[i].from - at);
    add_edit(p, &p->edits[i], out);
    at = p->edits[i].to;
  }
  ap__text_bytes(out, p->text + at, p->length - at);
}

static ap_status find_edits(patch *p, ap_error *error) {
  p->xml = XML_ParserCreate(NULL);
  if (!p->xml) return ap__no_memory(error);
  XML_SetUserData(p->xml, p);
  XML_SetElementHandler(p->xml, on_start, on_end);
  const enum XML_Status done = XML_Parse(p->xml, p->text, (int)p->length, 1);
  XML_ParserFree(p->xml);
  if (p->no_memory) return ap__no_memory(error);
  if (done == XML_STATUS_OK) return AP_OK;
  return AP__REFUSE(error, AP_E_SYNTAX, 0, "this is no longer the file that was read");
}

// ---- the new text, read again
// --------------------------------------------------------------------

static bool near(const double *a, const double *b, int n) {
  double size = 0;
  bool same = true;
  for (int k = 0; k < n; k++) size = fmax(size, fabs(b[k]));
  for (int k = 0; k < n; k++) same = same && fabs(a[k] - b[k]) <= 1e-9 * size;
  return same;
}

static bool equal(const double *a, const double *b, int n) {
  for (int k = 0; k < n; k++)
    if (a[k] != b[k]) return false;
  return true;
}

// What a link says now is what the shapes gave or, of any other link, what it said before.
static bool is_wanted(const ap_body_def *now, const ap_body_def *before, const ap_weighed *w) {
  if (strcmp(now->name, before->name) != 0) return false;
  if (!w)
    return now->mass == before->mass && equal(now->com, before->com, 3) &&
           equal(now->inertia, before->inertia, 6);
  return near(&now->mass, &w->after.mass, 1) && near(now->com, w->after.com, 3) &&
         near(now->inertia, w->after.inertia, 6) && near(now->inertia_rpy, (double[3]){0}, 3);
}

static ap_status check(const patch *p, const char *path, const ap__text *out, ap_error *error) {
  ap_robot *before = NULL, *now = NULL;
  bool *was_lost = NULL, *lost = NULL;
  ap_status status = ap__weigh_read(p->text, p->length, path, &before, &was_lost, error);
  if (!status) status = ap__weigh_read(out->text, out->length, path, &now, &lost, error);
  if (!status && now->nbody != before->nbody)
    status = AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "the corrected file would have other links");
  for (int i = 0; !status && i < now->nbody; i++) {
    const ap_weighed *w = find(p->weighing, i + 1);
    if (is_wanted(&now->bodies[i], &before->bodies[i], w) && !(w && lost[i])) continue;
    const char *name = before->bodies[i].name;
    status = AP__REFUSE(error, AP_E_UNSUPPORTED, before->lines[i + 1].body,
                        "the inertia of link \"%.*s\" cannot be corrected in place (has it a "
                        "second <inertial>?)",
                        ap__shown(name), name);
  }
  ap_robot_free(before);
  ap_robot_free(now);
  free(was_lost);
  free(lost);
  return status;
}

// The corrected text, read again.
static ap_status correct(const ap_weighing *weighing, const char *from, ap__text *out,
                         ap_error *error) {
  char *text;
  size_t length;
  ap_status status = ap__read_file(from, &text, &length, error);
  patch p = {.weighing = weighing, .text = text, .length = length, .line_end = "\n"};
  const char *end = text ? memchr(text, '\n', length) : NULL;
  if (end && end > text && end[-1] == '\r') p.line_end = "\r\n";
  if (!status) status = ap__xml_check_encoding(text, length, error);
  if (!status) status = find_edits(&p, error);
  if (!status) compose(&p, out);
  if (!status && out->failed) status = ap__no_memory(error);
  if (!status) status = check(&p, from, out, error);
  free(p.edits);
  free(text);
  return status;
}

ap_status ap_weighing_patch(const ap_weighing *weighing, const char *from, const char *to,
                            ap_error *error) {
  ap__text out = {0};
  ap_status status = correct(weighing, from, &out, error);
  if (!status) status = ap__write_file(to, out.text, out.length, error);
  ap__text_free(&out);
  return status;
}

ap_status ap_weighing_text(const ap_weighing *weighing, const char *from, char **text,
                           ap_error *error) {
  ap__text out = {0};
  const ap_status status = correct(weighing, from, &out, error);
  *text = status ? NULL : out.text; // its memory is the caller's now
  if (status) ap__text_free(&out);
  return status;
}
