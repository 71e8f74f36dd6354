// SPDX-License-Identifier: Apache-2.0
// COLLADA: the triangles of a scene, each where its nodes put it, in metres. Materials, lights,
// animations and skins are passed over, and so is the axis that the file calls up: robot files
// place a mesh by its own axes.

#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/mesh_formats.h"
#include "file/names.h"
#include "file/number.h"
#include "file/robot.h"
#include "num/vec3.h"

// Against files that are made to exhaust the machine.
enum { MOST_ELEMENTS = 1000000, MOST_VISITS = 100000, DEEPEST = 100 };

// The attributes that matter.
enum { ID, URL, SOURCE, SEMANTIC, OFFSET, STRIDE, METER, ATTRIBUTES };
static const char *const attribute_names[ATTRIBUTES] = {"id",     "url",    "source", "semantic",
                                                        "offset", "stride", "meter"};

typedef struct element {
  const char *name, *attribute[ATTRIBUTES]; // NULL: not given
  int line, parent, first, last, next;      // elements; -1: none
  const char *text, *text_end;              // before its first child
} element;

typedef struct dae {
  ap__mesh *mesh;
  const char *bytes;
  XML_Parser xml;
  element *element; // the root first
  int n, capacity, open, depth;
  ap__pool pool;
  ap__names ids;
  ap__mesh_room *room;
  int visits;
  ap_error *error;
  ap_status status;
} dae;

#define REFUSE(d, line, ...) ((d)->status = AP__REFUSE((d)->error, AP_E_SYNTAX, line, __VA_ARGS__))

// ---- elements ----------------------------------------------------------------------------------

static void stop(dae *d) { XML_StopParser(d->xml, XML_FALSE); }

static const char *byte_now(const dae *d) { return d->bytes + XML_GetCurrentByteIndex(d->xml); }

static int line_now(const dae *d) {
  const XML_Size line = XML_GetCurrentLineNumber(d->xml);
  return line < INT_MAX ? (int)line : INT_MAX;
}

static void keep_attributes(dae *d, element *e, const XML_Char **given) {
  for (; given[0]; given += 2)
    for (int k = 0; k < ATTRIBUTES; k++)
      if (strcmp(given[0], attribute_names[k]) == 0)
        e->attribute[k] = ap__pool_text(&d->pool, given[1], strlen(given[1]));
}

static void end_text(element *e, const char *end) {
  if (!e->text_end) e->text_end = end;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes) {
  dae *d = user;
  if (d->status) return;
  if (d->n == MOST_ELEMENTS || d->depth == DEEPEST) {
    REFUSE(d, line_now(d), "more than %d elements, or %d inside each other", MOST_ELEMENTS,
           DEEPEST);
    stop(d);
    return;
  }
  const int number = d->n;
  element *e = ap__append(&d->element, &d->n, &d->capacity, sizeof *e);
  const char *kept = e ? ap__pool_text(&d->pool, name, strlen(name)) : NULL;
  if (!kept) {
    d->status = ap__no_memory(d->error);
    stop(d);
    return;
  }
  *e = (element){.name = kept, .line = line_now(d), .parent = d->open, .first = -1, .last = -1};
  e->next = -1;
  e->text = byte_now(d) + XML_GetCurrentByteCount(d->xml);
  keep_attributes(d, e, attributes);
  if (d->open >= 0) {
    element *above = &d->element[d->open];
    end_text(above, byte_now(d));
    if (above->last >= 0) d->element[above->last].next = number;
    if (above->first < 0) above->first = number;
    above->last = number;
  }
  d->open = number;
  d->depth++;
}

static void XMLCALL on_end(void *user, const XML_Char *name) {
  dae *d = user;
  (void)name;
  if (d->status) return;
  element *e = &d->element[d->open];
  end_text(e, byte_now(d));
  if (e->text_end < e->text) e->text_end = e->text;
  d->open = e->parent;
  d->depth--;
}

// A declared entity can expand without end.
static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int internal) {
  dae *d = user;
  (void)name, (void)system, (void)public, (void)internal;
  REFUSE(d, line_now(d), "<!DOCTYPE> is refused (a COLLADA file needs none)");
  stop(d);
}

static ap_status read_elements(dae *d, size_t length) {
  d->xml = XML_ParserCreate("UTF-8");
  if (!d->xml || length > INT_MAX) {
    if (d->xml) XML_ParserFree(d->xml);
    return d->status = ap__no_memory(d->error);
  }
  XML_SetUserData(d->xml, d);
  XML_SetElementHandler(d->xml, on_start, on_end);
  XML_SetStartDoctypeDeclHandler(d->xml, on_doctype);
  const enum XML_Status done = XML_Parse(d->xml, d->bytes, (int)length, 1);
  if (!d->status && done != XML_STATUS_OK)
    REFUSE(d, line_now(d), "not XML: %s", XML_ErrorString(XML_GetErrorCode(d->xml)));
  XML_ParserFree(d->xml);
  if (!d->status && strcmp(d->element[0].name, "COLLADA") != 0)
    REFUSE(d, 1, "no COLLADA file (its root is <COLLADA>)");
  return d->status;
}

static bool is(const dae *d, int e, const char *name) {
  return strcmp(d->element[e].name, name) == 0;
}

// The first child of a name, from one of its brothers on; -1: none.
static int from(const dae *d, int e, const char *name) {
  while (e >= 0 && !is(d, e, name)) e = d->element[e].next;
  return e;
}

static int child(const dae *d, int e, const char *name) {
  return e < 0 ? -1 : from(d, d->element[e].first, name);
}

// The element with the id that an attribute "#id" means.
static int target(dae *d, int e, int attribute) {
  const char *name = d->element[e].attribute[attribute];
  const int found = name && name[0] == '#' ? ap__names_find(&d->ids, name + 1) : -1;
  if (found < 0)
    REFUSE(d, d->element[e].line, "<%s %s> leads to nothing in this file", d->element[e].name,
           attribute_names[attribute]);
  return found;
}

// ---- numbers -----------------------------------------------------------------------------------

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The next number of an element's text from *at on. False: there is none, or something else.
static bool next_number(dae *d, const element *e, const char **at, double *x) {
  while (*at < e->text_end && is_blank(**at)) (*at)++;
  if (*at >= e->text_end) return false;
  if (ap__parse_double(*at, at, x) == AP__NUMBER && (*at >= e->text_end || is_blank(**at)))
    return true;
  REFUSE(d, e->line, "<%s> has something that is no number", e->name);
  return false;
}

static bool numbers(dae *d, int e, int n, double *x) {
  const char *at = d->element[e].text;
  for (int i = 0; i < n; i++)
    if (!next_number(d, &d->element[e], &at, &x[i])) {
      if (!d->status)
        REFUSE(d, d->element[e].line, "<%s> with fewer than %d numbers", d->element[e].name, n);
      return false;
    }
  return true;
}

// A whole number from 0 on, as an attribute or in a text.
static int whole(double x) { return x >= 0 && x < INT_MAX && x == (int)x ? (int)x : -1; }

static int attribute_number(dae *d, int e, int attribute, int otherwise) {
  const char *text = d->element[e].attribute[attribute], *end;
  double x;
  if (!text) return otherwise;
  const int n = ap__parse_double(text, &end, &x) == AP__NUMBER && *end == 0 ? whole(x) : -1;
  if (n < 0 || n > 1000)
    REFUSE(d, d->element[e].line, "%s=\"%.*s\" (a small whole number)", attribute_names[attribute],
           ap__shown(text), text);
  return n;
}

// ---- geometry ----------------------------------------------------------------------------------

typedef struct pose {
  double m[12]; // 3 rows of 4
} pose;

static pose times(const pose *a, const pose *b) {
  pose c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) {
      c.m[4 * i + j] = j == 3 ? a->m[4 * i + 3] : 0;
      for (int k = 0; k < 3; k++) c.m[4 * i + j] += a->m[4 * i + k] * b->m[4 * k + j];
    }
  return c;
}

static bool is_mirrored(const pose *p) {
  const double *m = p->m;
  return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
             m[2] * (m[4] * m[9] - m[5] * m[8]) <
         0;
}

// The vertices of a source of numbers; how many.
static int add_vertices(dae *d, int source, const pose *p) {
  const int array = child(d, source, "float_array");
  const int accessor = child(d, child(d, source, "technique_common"), "accessor");
  const int stride = accessor < 0 ? 3 : attribute_number(d, accessor, STRIDE, 1);
  const int before = d->mesh->nvertex;
  if (d->status) return 0;
  if (array < 0 || stride < 3)
    return REFUSE(d, d->element[source].line, "positions without <float_array> of three each"), 0;
  const element *e = &d->element[array];
  const char *at = e->text;
  for (double x[3], v[3], rest; next_number(d, e, &at, &x[0]);) {
    if (!next_number(d, e, &at, &x[1]) || !next_number(d, e, &at, &x[2])) break;
    for (int k = 3; k < stride; k++) next_number(d, e, &at, &rest);
    for (int i = 0; i < 3; i++)
      v[i] = p->m[4 * i] * x[0] + p->m[4 * i + 1] * x[1] + p->m[4 * i + 2] * x[2] + p->m[4 * i + 3];
    if (!ap__mesh_is_place(v)) return REFUSE(d, e->line, "a vertex further out than 2^30"), 0;
    if (!ap__mesh_add_vertex(d->mesh, v))
      return d->status = ap__mesh_full(d->mesh, e->line, d->error), 0;
  }
  return d->mesh->nvertex - before;
}

// Triangles, polygons or a list of them, and how their corners are numbered.
typedef struct primitive {
  int element;
  int stride, offset; // indices of a corner, and which of them is the vertex
  int first, n;       // vertices
  bool mirrored;
} primitive;

// The next corner of a <p>; false at its end.
static bool next_corner(dae *d, const primitive *p, const element *e, const char **at,
                        int *corner) {
  double x;
  int vertex = -1;
  for (int k = 0; k < p->stride; k++) {
    if (!next_number(d, e, at, &x)) return false;
    if (k == p->offset) vertex = whole(x);
  }
  if (vertex < 0 || vertex >= p->n)
    return REFUSE(d, e->line, "a face with a vertex that is not there (there are %d)", p->n), false;
  *corner = p->first + vertex;
  return true;
}

static void add_polygon(dae *d, const primitive *p, int n, int line) {
  int *v = d->room->corner;
  for (int k = 0; k < n / 2 && p->mirrored; k++) {
    const int t = v[k];
    v[k] = v[n - 1 - k];
    v[n - 1 - k] = t;
  }
  if (ap__mesh_cut(d->mesh, v, n, d->room, line, d->error)) d->status = d->error->status;
}

// Triangles; with vcount polygons with as many corners as it says; or one polygon.
static void add_faces(dae *d, const primitive *p, int list, int vcount, bool one) {
  const element *e = &d->element[list], *counts = vcount < 0 ? NULL : &d->element[vcount];
  const char *at = e->text, *count_at = counts ? counts->text : NULL;
  for (bool more = true; more && !d->status;) {
    int n = 0, wanted = one ? AP__MAX_MESH_CORNERS : 3; // one: all that there are
    double x;
    if (counts && !next_number(d, counts, &count_at, &x)) return;
    if (counts) wanted = whole(x);
    if (wanted < 0 || wanted > AP__MAX_MESH_CORNERS) {
      REFUSE(d, e->line, "a face with more than %d corners", AP__MAX_MESH_CORNERS);
      return;
    }
    while (n < wanted && more) {
      more = next_corner(d, p, e, &at, &d->room->corner[n]);
      n += more;
    }
    if (!d->status && n > 0 && (one || n == wanted)) add_polygon(d, p, n, e->line);
    if (one && more) REFUSE(d, e->line, "a face with more than %d corners", n - 1);
    if (!d->status && counts && n < wanted) REFUSE(d, e->line, "fewer corners than <vcount> says");
    more = more && !one;
  }
}

// The vertices of a primitive and which of its indices mean them.
static bool take_inputs(dae *d, primitive *p, const pose *pose_now) {
  int vertices = -1, position = -1;
  p->stride = 1;
  for (int i = child(d, p->element, "input"); i >= 0; i = from(d, d->element[i].next, "input")) {
    const char *semantic = d->element[i].attribute[SEMANTIC];
    const int offset = attribute_number(d, i, OFFSET, 0);
    if (d->status) return false;
    if (offset + 1 > p->stride) p->stride = offset + 1;
    if (!semantic || strcmp(semantic, "VERTEX") != 0) continue;
    p->offset = offset;
    vertices = target(d, i, SOURCE);
  }
  for (int i = child(d, vertices, "input"); i >= 0; i = from(d, d->element[i].next, "input")) {
    const char *semantic = d->element[i].attribute[SEMANTIC];
    if (semantic && strcmp(semantic, "POSITION") == 0) position = target(d, i, SOURCE);
  }
  if (!d->status && position < 0)
    REFUSE(d, d->element[p->element].line, "<%s> without positions", d->element[p->element].name);
  if (d->status) return false;
  p->first = d->mesh->nvertex;
  p->n = add_vertices(d, position, pose_now);
  p->mirrored = is_mirrored(pose_now);
  return !d->status;
}

static void add_geometry(dae *d, int geometry, const pose *p) {
  const int mesh = child(d, geometry, "mesh");
  for (int e = mesh < 0 ? -1 : d->element[mesh].first; e >= 0 && !d->status;
       e = d->element[e].next) {
    const bool polygons = is(d, e, "polygons");
    primitive now = {.element = e};
    if (is(d, e, "tristrips") || is(d, e, "trifans")) {
      REFUSE(d, d->element[e].line, "<%s> is not read (write triangles)", d->element[e].name);
      return;
    }
    if (!polygons && !is(d, e, "triangles") && !is(d, e, "polylist")) continue;
    int list = child(d, e, "p");
    if (list < 0 || !take_inputs(d, &now, p)) continue;
    const int vcount = is(d, e, "polylist") ? child(d, e, "vcount") : -1;
    for (; list >= 0 && !d->status; list = from(d, d->element[list].next, "p"))
      add_faces(d, &now, list, vcount, polygons);
  }
}

// ---- the scene ---------------------------------------------------------------------------------

static const pose still = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

// By an angle in degrees about an axis: Rodrigues' formula.
static void turn(const double axis[3], double angle, pose *p) {
  const double length = norm3(axis), a = angle * 3.14159265358979323846 / 180;
  const double c = cos(a), s = sin(a);
  if (length == 0) return;
  const double k[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
  const double K[9] = {0, -k[2], k[1], k[2], 0, -k[0], -k[1], k[0], 0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      p->m[4 * i + j] = (i == j ? c : 0) + (1 - c) * k[i] * k[j] + s * K[3 * i + j];
}

// What one element of a node does to its pose.
static void move_by(dae *d, int e, pose *p) {
  double x[16];
  pose step = still;
  if (is(d, e, "matrix")) {
    if (numbers(d, e, 16, x)) memcpy(step.m, x, sizeof step.m);
  } else if (is(d, e, "translate")) {
    if (numbers(d, e, 3, x))
      for (int i = 0; i < 3; i++) step.m[4 * i + 3] = x[i];
  } else if (is(d, e, "scale")) {
    if (numbers(d, e, 3, x))
      for (int i = 0; i < 3; i++) step.m[5 * i] = x[i];
  } else if (is(d, e, "rotate")) {
    if (numbers(d, e, 4, x)) turn(x, x[3], &step);
  } else {
    return;
  }
  *p = times(p, &step);
}

// A node and what is below it.
static void add_node(dae *d, int node, pose p, int depth) {
  if (++d->visits > MOST_VISITS || depth > DEEPEST) {
    REFUSE(d, d->element[node].line, "nodes that hold each other, or too many of them");
    return;
  }
  for (int e = d->element[node].first; e >= 0 && !d->status; e = d->element[e].next) {
    move_by(d, e, &p);
    if (d->status) return;
    if (is(d, e, "node")) add_node(d, e, p, depth + 1);
    const bool geometry = is(d, e, "instance_geometry");
    if (!geometry && !is(d, e, "instance_node")) continue;
    const int other = target(d, e, URL);
    if (other < 0) return;
    if (geometry)
      add_geometry(d, other, &p);
    else
      add_node(d, other, p, depth + 1);
  }
}

static double unit_of(dae *d) {
  const int unit = child(d, child(d, 0, "asset"), "unit");
  const char *text = unit < 0 ? NULL : d->element[unit].attribute[METER], *end;
  double x = 1;
  if (text && (ap__parse_double(text, &end, &x) != AP__NUMBER || !(x > 0)))
    REFUSE(d, d->element[unit].line, "a unit of %.*s m (above zero)", ap__shown(text), text);
  return x;
}

// The scene that the file names, else its first; else all its geometries.
static void add_scene(dae *d) {
  pose p = still;
  const double unit = unit_of(d);
  for (int i = 0; i < 3; i++) p.m[5 * i] = unit;
  const int instance = child(d, child(d, 0, "scene"), "instance_visual_scene");
  int scene = child(d, child(d, 0, "library_visual_scenes"), "visual_scene");
  if (!d->status && instance >= 0) scene = target(d, instance, URL);
  if (d->status) return;
  if (scene >= 0) {
    add_node(d, scene, p, 0);
    return;
  }
  int g = child(d, child(d, 0, "library_geometries"), "geometry");
  for (; g >= 0 && !d->status; g = from(d, d->element[g].next, "geometry")) add_geometry(d, g, &p);
}

static void note_ids(dae *d) {
  if (!ap__names_init(&d->ids, d->n)) {
    d->status = ap__no_memory(d->error);
    return;
  }
  for (int e = 0; e < d->n; e++)
    if (d->element[e].attribute[ID]) ap__names_put(&d->ids, d->element[e].attribute[ID], e);
}

ap_status ap__mesh_dae(ap__mesh *mesh, const char *bytes, size_t length, ap_error *error) {
  ap_error own = {0};
  dae d = {.mesh = mesh, .bytes = bytes, .open = -1, .error = error ? error : &own};
  d.room = malloc(sizeof *d.room);
  if (!d.room) d.status = ap__no_memory(d.error);
  if (!d.status) read_elements(&d, length);
  if (!d.status) note_ids(&d);
  if (!d.status) {
    d.room->budget = AP__MESH_CUT_BUDGET;
    add_scene(&d);
  }
  if (!d.status && mesh->nface == 0) REFUSE(&d, 0, "no triangles in its scene");
  mesh->first_object = mesh->nface;
  ap__names_free(&d.ids);
  ap__pool_free(&d.pool);
  free(d.element);
  free(d.room);
  return d.status;
}
