// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ: vertices and faces; normals, textures, materials, lines and curves are passed
// over.

#include <stdlib.h>
#include <string.h>

#include "file/mesh_formats.h"
#include "file/number.h"

typedef struct obj {
  ap__mesh *mesh;
  const char *at, *end;
  int line;
  ap__mesh_room *room;
  int vertices; // before this line
  ap_error *error;
} obj;

// What goes on in the next line after a '\' at the end of one is one line.
static void skip_blanks(obj *o) {
  for (;;) {
    while (o->at < o->end && (*o->at == ' ' || *o->at == '\t')) o->at++;
    size_t n = 0;
    if (o->at < o->end && *o->at == '\\') n = o->at[1] == '\r' ? 2 : 1;
    if (!n || o->at[n] != '\n') return;
    o->at += n + 1;
    o->line++;
  }
}

static bool at_line_end(const obj *o) {
  return o->at >= o->end || *o->at == '\n' || *o->at == '\r' || *o->at == '#';
}

static void skip_line(obj *o) {
  for (; o->at < o->end && *o->at != '\n'; o->at++)
    if (*o->at == '\\' && (o->at[1] == '\n' || (o->at[1] == '\r' && o->at[2] == '\n'))) {
      o->at += o->at[1] == '\r' ? 2 : 1;
      o->line++;
    }
  if (o->at < o->end) o->at++;
  o->line++;
}

// Is the next word this one letter (or both)? It is passed then.
static bool takes(obj *o, const char *word) {
  const size_t n = strlen(word);
  if ((size_t)(o->end - o->at) < n || memcmp(o->at, word, n) != 0) return false;
  const char next = o->at[n];
  if (next != ' ' && next != '\t' && next != '\n' && next != '\r' && next != 0) return false;
  o->at += n;
  return true;
}

static ap_status read_vertex(obj *o) {
  double p[3];
  for (int i = 0; i < 3; i++) {
    skip_blanks(o);
    if (ap__parse_double(o->at, &o->at, &p[i]) != AP__NUMBER)
      return AP__REFUSE(o->error, AP_E_SYNTAX, o->line, "a vertex without 3 numbers (v X Y Z)");
  }
  if (!ap__mesh_is_place(p))
    return AP__REFUSE(o->error, AP_E_SYNTAX, o->line, "a vertex further out than 2^30");
  return ap__mesh_add_vertex(o->mesh, p) ? AP_OK : ap__mesh_full(o->mesh, o->line, o->error);
}

// INDEX[/[TEXTURE][/NORMAL]], from 1 on, or back from the last vertex before this line.
static ap_status read_corner(obj *o, int *vertex) {
  const bool back = *o->at == '-';
  long index = 0;
  const char *first = o->at += back || *o->at == '+';
  for (; *o->at >= '0' && *o->at <= '9'; o->at++)
    if (index <= AP__MAX_MESH_VERTICES) index = 10 * index + (*o->at - '0');
  const bool number = o->at > first;
  while (o->at < o->end && *o->at == '/') {
    o->at++;
    o->at += *o->at == '-' || *o->at == '+';
    while (*o->at >= '0' && *o->at <= '9') o->at++;
  }
  if (!number || (*o->at != ' ' && *o->at != '\t' && *o->at != '\\' && !at_line_end(o)))
    return AP__REFUSE(o->error, AP_E_SYNTAX, o->line,
                      "a face with something that is no vertex (f V/T/N ...)");
  const long place = back ? o->vertices - index : index - 1;
  if (index == 0 || place < 0 || place >= o->mesh->nvertex)
    return AP__REFUSE(o->error, AP_E_SYNTAX, o->line,
                      "a face with vertex %s%ld (there are %d, counted from 1)", back ? "-" : "",
                      index, back ? o->vertices : o->mesh->nvertex);
  *vertex = (int)place;
  return AP_OK;
}

// first: of the first object.
static ap_status read_face(obj *o, bool first) {
  const int before = o->mesh->nface;
  int n = 0;
  for (skip_blanks(o); !at_line_end(o); skip_blanks(o)) {
    if (n == AP__MAX_MESH_CORNERS)
      return AP__REFUSE(o->error, AP_E_SYNTAX, o->line, "a face with more than %d corners", n);
    const ap_status status = read_corner(o, &o->room->corner[n]);
    if (status) return status;
    n++;
  }
  const ap_status status = ap__mesh_cut(o->mesh, o->room->corner, n, o->room, o->line, o->error);
  if (status || !first || ap__mesh_cut_again(o->mesh, before, o->room->corner, n, o->room))
    return status;
  return ap__no_memory(o->error);
}

// All vertices come first: a face may stand before its own.
static ap_status read_lines(obj *o, bool vertices) {
  bool first = true;
  ap_status status = AP_OK;
  while (o->at < o->end && !status) {
    skip_blanks(o);
    if (takes(o, "v")) {
      o->vertices++;
      if (vertices) status = read_vertex(o);
    } else if (!vertices && takes(o, "f")) {
      status = read_face(o, first);
      if (first) o->mesh->first_object = o->mesh->nface;
    } else if (!vertices && (takes(o, "o") || takes(o, "g"))) {
      first = first && o->mesh->nface == 0;
    }
    if (!status) skip_line(o);
  }
  return status;
}

ap_status ap__mesh_obj(ap__mesh *mesh, const char *bytes, size_t length, ap_error *error) {
  obj o = {.mesh = mesh, .at = bytes, .end = bytes + length, .line = 1, .error = error};
  ap_status status = read_lines(&o, true);
  if (status) return status;
  if (mesh->nvertex == 0) return AP__REFUSE(error, AP_E_SYNTAX, 0, "no vertex in it (v X Y Z)");
  o.at = bytes;
  o.line = 1;
  o.vertices = 0;
  o.room = malloc(sizeof *o.room);
  if (!o.room) return ap__no_memory(error);
  o.room->budget = AP__MESH_CUT_BUDGET;
  status = read_lines(&o, false);
  free(o.room);
  return status;
}
