// SPDX-License-Identifier: Apache-2.0
// STL, text and binary, and MuJoCo's MSH.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/mesh_formats.h"
#include "file/number.h"

static uint32_t word_at(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void point_at(const char *bytes, double p[3]) {
  for (size_t i = 0; i < 3; i++) {
    const uint32_t word = word_at(bytes + 4 * i);
    float x;
    memcpy(&x, &word, sizeof x);
    p[i] = (double)x;
  }
}

static ap_status refuse_place(const char *bytes, const char *at, ap_error *error) {
  return AP__REFUSE(error, AP_E_SYNTAX, 0,
                    "byte %zu: a vertex that is not finite or further out than 2^30",
                    (size_t)(at - bytes));
}

// Every three vertices are a triangle; those at the same place become one.
static ap_status join(ap__mesh *mesh, ap_error *error) {
  int *first = ap__mesh_weld(mesh->vertex, mesh->nvertex), n = 0;
  if (!first) return ap__no_memory(error);
  ap_status status = AP_OK;
  for (int i = 0; i < mesh->nvertex; i++) {
    if (first[i] < i) {
      first[i] = first[first[i]];
      continue;
    }
    memmove(mesh->vertex + 3 * (size_t)n, mesh->vertex + 3 * (size_t)i, 3 * sizeof(double));
    first[i] = n++;
  }
  for (int i = 0; i + 2 < mesh->nvertex && !status; i += 3)
    if (!ap__mesh_add_face(mesh, first[i], first[i + 1], first[i + 2]))
      status = ap__mesh_full(mesh, 0, error);
  mesh->nvertex = n;
  mesh->first_object = mesh->nface;
  free(first);
  return status;
}

// ---- binary: 80 bytes of anything, a count, then 50 bytes for each triangle ---------------------

enum { STL_HEAD = 84, STL_TRIANGLE = 50 };

static ap_status binary_stl(ap__mesh *mesh, const char *bytes, size_t n, ap_error *error) {
  for (size_t i = 0; i < 3 * n; i++) {
    const char *at = bytes + STL_HEAD + i / 3 * STL_TRIANGLE + 12 + i % 3 * 12;
    double p[3];
    point_at(at, p);
    if (!ap__mesh_is_place(p)) return refuse_place(bytes, at, error);
    if (!ap__mesh_add_vertex(mesh, p)) return ap__mesh_full(mesh, 0, error);
  }
  return join(mesh, error);
}

// ---- text --------------------------------------------------------------------------------------

typedef struct words {
  const char *at, *end, *word;
  size_t length;
  int line, next_line; // of the word, of what follows it
} words;

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool next_word(words *w) {
  for (; w->at < w->end && is_blank(*w->at); w->at++) w->next_line += *w->at == '\n';
  w->line = w->next_line;
  w->word = w->at;
  while (w->at < w->end && !is_blank(*w->at)) w->at++;
  w->length = (size_t)(w->at - w->word);
  return w->length > 0;
}

static bool is_text(const char *text, const char *word, size_t n) {
  while (n > 0 && (text[n - 1] | 0x20) == word[n - 1]) n--;
  return n == 0;
}

static bool is_word(const words *w, const char *word) {
  return w->length == strlen(word) && is_text(w->word, word, w->length);
}

static void skip_line(words *w) {
  while (w->at < w->end && *w->at != '\n') w->at++;
}

static ap_status text_vertex(words *w, ap__mesh *mesh, ap_error *error) {
  const int line = w->line;
  double p[3];
  for (int i = 0; i < 3; i++) {
    const char *end;
    if (!next_word(w) || ap__parse_double(w->word, &end, &p[i]) != AP__NUMBER || end != w->at)
      return AP__REFUSE(error, AP_E_SYNTAX, line, "a vertex without 3 numbers (vertex X Y Z)");
  }
  if (!ap__mesh_is_place(p))
    return AP__REFUSE(error, AP_E_SYNTAX, line, "a vertex further out than 2^30");
  return ap__mesh_add_vertex(mesh, p) ? AP_OK : ap__mesh_full(mesh, line, error);
}

static bool skip_words(words *w, int n) {
  while (n > 0 && next_word(w)) n--;
  return n == 0;
}

// One facet, behind its first word.
static ap_status text_facet(words *w, ap__mesh *mesh, ap_error *error) {
  const int line = w->line, before = mesh->nvertex;
  while (next_word(w)) {
    ap_status status = AP_OK;
    if (is_word(w, "endfacet")) {
      if (mesh->nvertex == before + 3) return AP_OK;
      break;
    }
    if (is_word(w, "vertex"))
      status = text_vertex(w, mesh, error);
    else if (is_word(w, "normal") && skip_words(w, 3))
      continue; // often wrong: the order of the corners tells the outside
    else if (!is_word(w, "outer") && !is_word(w, "loop") && !is_word(w, "endloop"))
      break;
    if (status) return status;
  }
  return AP__REFUSE(error, AP_E_SYNTAX, line,
                    "a facet that is no triangle (facet normal ..., outer loop, three times "
                    "vertex X Y Z, endloop, endfacet)");
}

static ap_status text_stl(ap__mesh *mesh, const char *bytes, size_t length, ap_error *error) {
  words w = {.at = bytes, .end = bytes + length, .next_line = 1};
  while (next_word(&w)) {
    ap_status status = AP_OK;
    if (is_word(&w, "solid") || is_word(&w, "endsolid"))
      skip_line(&w); // a name
    else if (is_word(&w, "facet"))
      status = text_facet(&w, mesh, error);
    else
      status = AP__REFUSE(error, AP_E_SYNTAX, w.line, "\"%.*s\" in an STL file (solid or facet)",
                          w.length < 40 ? (int)w.length : 40, w.word);
    if (status) return status;
  }
  if (mesh->nvertex == 0) return AP__REFUSE(error, AP_E_SYNTAX, 0, "no facet in it");
  return join(mesh, error);
}

// Binary files may begin with "solid", too: their size tells.
ap_status ap__mesh_stl(ap__mesh *mesh, const char *bytes, size_t length, ap_error *error) {
  const size_t n = length >= STL_HEAD ? word_at(bytes + 80) : 0;
  const size_t room = length >= STL_HEAD ? (length - STL_HEAD) / STL_TRIANGLE : 0;
  const bool text = length >= 5 && is_text(bytes, "solid", 5);
  const bool exact = n > 0 && n == room && length == STL_HEAD + n * STL_TRIANGLE;
  if (!exact && text && !memchr(bytes, 0, length)) return text_stl(mesh, bytes, length, error);
  if (length < STL_HEAD || n == 0)
    return AP__REFUSE(
        error, AP_E_SYNTAX, 0, "no STL file: %s",
        length < STL_HEAD ? "it is shorter than the head of one" : "no triangle in it");
  if (n > room)
    return AP__REFUSE(error, AP_E_SYNTAX, 0,
                      "byte 80: %zu triangles, but the file ends after %zu of them", n, room);
  return binary_stl(mesh, bytes, n, error);
}

// ---- MSH: four counts, then vertices, normals, texture coordinates, triangles -------------------

ap_status ap__mesh_msh(ap__mesh *mesh, const char *bytes, size_t length, ap_error *error) {
  static const uint64_t size[4] = {12, 12, 8, 12};
  size_t n[4] = {0};
  uint64_t need = 16;
  for (size_t i = 0; i < 4 && length >= 16; i++) {
    n[i] = word_at(bytes + 4 * i);
    need += n[i] * size[i];
  }
  if (length < 16 || need != length)
    return AP__REFUSE(error, AP_E_SYNTAX, 0,
                      "no MSH file: its head asks for %llu bytes, but it has %zu",
                      (unsigned long long)need, length);
  if (n[0] < 4 || (n[1] && n[1] != n[0]) || (n[2] && n[2] != n[0]))
    return AP__REFUSE(error, AP_E_SYNTAX, 0,
                      "byte 0: %zu vertices, %zu normals, %zu texture coordinates (at least 4 "
                      "vertices, and none or as many of the others)",
                      n[0], n[1], n[2]);
  for (size_t i = 0; i < n[0]; i++) {
    const char *at = bytes + 16 + 12 * i;
    double p[3];
    point_at(at, p);
    if (!ap__mesh_is_place(p)) return refuse_place(bytes, at, error);
    if (!ap__mesh_add_vertex(mesh, p)) return ap__mesh_full(mesh, 0, error);
  }
  for (size_t i = 0; i < n[3]; i++) {
    const char *at = bytes + length - 12 * (n[3] - i);
    const uint32_t v[3] = {word_at(at), word_at(at + 4), word_at(at + 8)};
    for (int k = 0; k < 3; k++)
      if (v[k] >= n[0])
        return AP__REFUSE(error, AP_E_SYNTAX, 0,
                          "byte %zu: a triangle with vertex %lu (there are %zu, counted from 0)",
                          (size_t)(at - bytes), (unsigned long)v[k], n[0]);
    if (!ap__mesh_add_face(mesh, (int)v[0], (int)v[1], (int)v[2]))
      return ap__mesh_full(mesh, 0, error);
  }
  mesh->first_object = mesh->nface;
  return AP_OK;
}
