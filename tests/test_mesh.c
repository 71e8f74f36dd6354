// SPDX-License-Identifier: Apache-2.0
// Mesh files: what is read, what is refused and where, how closed a surface is, convex hulls.

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "file/mesh.h"
#include "file/orient.h"
#include "rng.h"
#include "test.h"

static ap_status read_text(const char *format, const char *text, ap__mesh *mesh, ap_error *error) {
  *error = (ap_error){0};
  return ap__mesh_read(mesh, format, text, strlen(text), error);
}

// ---- OBJ ---------------------------------------------------------------------------------------

TEST(obj_takes_polygons_and_every_form_of_corner) {
  ap__mesh m;
  ap_error error;
  CHECK_OK(read_text("obj",
                     "# comment\r\nmtllib x.mtl\nf 1 2 3\n" // before its vertices
                     "v 0 0 0 1.0\nv 1 0 0 0.5 0.5 0.5\n  v\t1 1 \\\n 0\nv 0 1 0\r\nvn 0 0 1\n"
                     "vt 0 0\ng\no second\nf 1/1/1 2//1 3/1 4\nf -4 -3 -2\nl 1 2\n",
                     &m, &error));
  CHECK_EQ_INT(m.nvertex, 4);
  CHECK_BITS(m.vertex + 6, ((double[]){1, 1, 0}), 3);
  CHECK_EQ_INT(m.nface, 4);
  CHECK_EQ_INT(m.first_object, 1);
  CHECK_BITS(m.face + 9, ((int[]){0, 1, 2}), 3);
  ap__mesh_free(&m);
}

// The area of a polygon is that of its triangles, and none of them is turned.
TEST(obj_cuts_a_star_without_turned_triangles) {
  char text[2000] = "", face[200] = "f";
  ap__mesh m;
  ap_error error;
  size_t n = 0;
  double area = 0, exact = 0, p[24][2];
  for (int k = 0; k < 24; k++) {
    const double r = k % 2 ? 0.3 : 1, a = k * 0.2617993877991494;
    p[k][0] = r * cos(a);
    p[k][1] = r * sin(a);
    n += (size_t)snprintf(text + n, sizeof text - n, "v %.17g 0.5 %.17g\n", p[k][0], -p[k][1]);
    snprintf(face + strlen(face), sizeof face - strlen(face), " %d", k + 1);
  }
  snprintf(text + n, sizeof text - n, "%s\n", face);
  for (int k = 0; k < 24; k++) {
    const int j = (k + 1) % 24;
    exact += (p[k][0] * p[j][1] - p[k][1] * p[j][0]) / 2;
  }
  CHECK_OK(read_text("obj", text, &m, &error));
  CHECK_EQ_INT(m.nface, 22);
  for (int f = 0; f < m.nface; f++) {
    const double *a = m.vertex + 3 * m.face[3 * f], *b = m.vertex + 3 * m.face[3 * f + 1];
    const double *c = m.vertex + 3 * m.face[3 * f + 2];
    const double one = ((b[0] - a[0]) * (a[2] - c[2]) - (a[2] - b[2]) * (c[0] - a[0])) / 2;
    CHECK(one > 0);
    area += one;
  }
  CHECK_CLOSE(area, exact, 1e-14);
  ap__mesh_free(&m);
}

typedef struct refusal {
  const char *format, *text;
  int line;
  const char *says;
} refusal;

TEST(what_is_wrong_is_said_with_its_line) {
  static const refusal all[] = {
      {"obj", "", 0, "no vertex"},
      {"obj", "v 1 2 3\nv 1 2\n", 2, "3 numbers"},
      {"obj", "v 1 2 nan\n", 1, "3 numbers"},
      {"obj", "v 1 2 1e999\n", 1, "3 numbers"},
      {"obj", "v 1 2 1e12\n", 1, "further out"},
      {"obj", "v 0 0 0\n\nf 1 1 2\n", 3, "vertex 2 (there are 1"},
      {"obj", "v 0 0 0\nf 1 -2 1\n", 2, "vertex -2 (there are 1"},
      {"obj", "v 0 0 0\nf 0 1 1\n", 2, "vertex 0"},
      {"obj", "v 0 0 0\nf 1 99999999999999999999 1\n", 2, "vertex"},
      {"obj", "v 0 0 0\nf 1 x 1\n", 2, "no vertex (f V"},
      {"obj", "v 0 0 0\\\nv 1 1 1\nf 1 2.5 1\n", 3, "no vertex (f V"},
      {"stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0\n", 5,
       "3 numbers"},
      {"stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\nendfacet\n", 2,
       "no triangle"},
      {"stl", "solid x\nfacet normal 0 0 1 vertex 0 0 0 vertex 0 0 0 vertex 0 0 0\n", 2,
       "triangle"},
      {"stl", "solid x\nvertex 1 2 3\n", 2, "\"vertex\""},
      {"stl", "solid x\nendsolid x\n", 0, "no facet"},
      {"stl", "no head of an STL file", 0, "shorter"},
      {"msh", "short", 0, "MSH"},
      {"ply", "ply", 0, ".obj, .stl, .msh or .dae"}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    ap__mesh m;
    ap_error error;
    CHECK(read_text(all[i].format, all[i].text, &m, &error) != AP_OK);
    CHECK_EQ_INT(error.line, all[i].line);
    CHECK_HAS(error.text, all[i].says);
    CHECK(!m.vertex && !m.face && m.nface == 0);
  }
}

// ---- binary ------------------------------------------------------------------------------------

static size_t put(char *to, size_t at, const void *from, size_t n) {
  memcpy(to + at, from, n);
  return at + n;
}

// A tetrahedron as binary STL.
static size_t binary(char *out, const char *head, uint32_t count) {
  static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
  static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  size_t n = 80;
  memset(out, ' ', 80);
  memcpy(out, head, strlen(head));
  n = put(out, n, &count, 4);
  for (int f = 0; f < 4; f++) {
    n = put(out, n, (float[3]){0, 0, 0}, 12);
    for (int k = 0; k < 3; k++) n = put(out, n, corner[face[f][k]], 12);
    n = put(out, n, "\0\0", 2);
  }
  out[n] = 0;
  return n;
}

TEST(binary_stl_may_begin_with_solid_and_shares_its_vertices) {
  char bytes[400];
  ap__mesh m;
  ap_error error = {0};
  const size_t n = binary(bytes, "solid made by a modeller", 4);
  CHECK_OK(ap__mesh_read(&m, "stl", bytes, n, &error));
  CHECK_EQ_INT(m.nvertex, 4);
  CHECK_EQ_INT(m.nface, 4);
  CHECK_BITS(m.vertex + 3, ((double[]){0, 2, 0}), 3);
  ap__mesh_free(&m);
}

TEST(binary_stl_with_a_false_count_is_refused) {
  static const uint32_t count[] = {0, 5, 1000000000, UINT32_MAX};
  static const char *const says[] = {"no triangle", "ends after 4", "ends after 4", "ends after 4"};
  for (int i = 0; i < 4; i++) {
    char bytes[400];
    ap__mesh m;
    ap_error error = {0};
    const size_t n = binary(bytes, "x", count[i]);
    CHECK_STATUS(ap__mesh_read(&m, "stl", bytes, n, &error), AP_E_SYNTAX);
    CHECK_HAS(error.text, says[i]);
  }
}

TEST(a_vertex_that_is_not_finite_is_refused_with_its_byte) {
  static const float bad[] = {NAN, INFINITY, -INFINITY, 1e10f};
  for (int i = 0; i < 4; i++) {
    char bytes[400];
    ap__mesh m;
    ap_error error = {0};
    const size_t n = binary(bytes, "x", 4);
    memcpy(bytes + 84 + 50 + 12 + 12, &bad[i], 4);
    CHECK_STATUS(ap__mesh_read(&m, "stl", bytes, n, &error), AP_E_SYNTAX);
    CHECK_HAS(error.text, "byte 158:");
  }
}

TEST(text_stl_is_read_whatever_its_case_and_normals) {
  ap__mesh m;
  ap_error error;
  CHECK_OK(read_text("stl",
                     "SOLID a name facet\nFACET NORMAL nan nan nan outer loop vertex 0 0 0\n"
                     "vertex 1 0 0 vertex 0 1e0 0 endloop endfacet\nendsolid\n"
                     "solid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\n"
                     "vertex -1 0 -0\nendloop\nendfacet\nendsolid",
                     &m, &error));
  CHECK_EQ_INT(m.nvertex, 4);
  CHECK_EQ_INT(m.nface, 2);
  ap__mesh_free(&m);
}

static size_t msh(char *out, const int32_t head[4], int32_t last) {
  static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
  const int32_t face[3] = {0, 1, last};
  size_t n = put(out, 0, head, 16);
  n = put(out, n, corner, sizeof corner);
  return put(out, n, face, 12);
}

TEST(msh_is_read_and_its_sizes_are_checked) {
  char bytes[200] = {0};
  ap__mesh m;
  ap_error error = {0};
  size_t n = msh(bytes, (int32_t[]){4, 0, 0, 1}, 3);
  CHECK_OK(ap__mesh_read(&m, "msh", bytes, n, &error));
  CHECK_EQ_INT(m.nvertex, 4);
  CHECK_BITS(m.face, ((int[]){0, 1, 3}), 3);
  ap__mesh_free(&m);
  n = msh(bytes, (int32_t[]){4, 0, 0, 1}, 4);
  CHECK_STATUS(ap__mesh_read(&m, "msh", bytes, n, &error), AP_E_SYNTAX);
  CHECK_HAS(error.text, "byte 64: a triangle with vertex 4");
  static const int32_t bad[][4] = {
      {4, 0, 0, 1000000000}, {-1, 0, 0, 1}, {5, 0, 0, 1}, {3, 0, 0, 2}};
  for (int i = 0; i < 4; i++) {
    n = msh(bytes, bad[i], 3);
    CHECK_STATUS(ap__mesh_read(&m, "msh", bytes, n, &error), AP_E_SYNTAX);
  }
}

// ---- COLLADA -----------------------------------------------------------------------------------

#define GEOMETRY(faces)                                                                         \
  "<library_geometries><geometry id='g'><mesh>\n<source id='s'><float_array>0 0 0 1 0 0 0 1 0 " \
  "0 0 1</float_array></source>\n<vertices id='v'><input semantic='POSITION' source='#s'/>"     \
  "</vertices>\n" faces "</mesh></geometry></library_geometries>"
#define INPUTS                                        \
  "<input semantic='VERTEX' source='#v' offset='1'/>" \
  "<input semantic='NORMAL' source='#n' offset='0'/>"
#define FACES "<triangles>" INPUTS "<p>9 0 9 2 9 1  9 0 9 1 9 3</p></triangles>"

// Polygons, lists and triangles; a unit; nodes in nodes, by name too; a mirrored one.
TEST(dae_puts_its_meshes_where_its_nodes_are) {
  ap__mesh m;
  ap_error error;
  CHECK_OK(read_text(
      "dae",
      "<COLLADA><asset><unit meter='0.5'/><up_axis>Y_UP</up_axis></asset>\n" GEOMETRY(
          FACES "<polylist>" INPUTS "<vcount>3 </vcount><p>0 0 0 3 0 2</p></polylist>"
                "<polygons>" INPUTS
                "<p>0 1 0 2 0 3</p></polygons><lines/>") "<library_nodes><node id='n'><scale>-1 1 "
                                                         "1</scale><instance_geometry url='#g'/>"
                                                         "</node></"
                                                         "library_nodes><library_visual_scenes><"
                                                         "visual_scene id='x'>"
                                                         "<node><translate>2 0 "
                                                         "0</translate><rotate>0 0 2 90</rotate>"
                                                         "<node><instance_geometry "
                                                         "url='#g'/></node><instance_node "
                                                         "url='#n'/></node>"
                                                         "</visual_scene></library_visual_scenes>"
                                                         "<scene><instance_visual_scene "
                                                         "url='#x'/></scene></COLLADA>",
      &m, &error));
  ap__mesh_closure c;
  CHECK_EQ_INT(m.nface, 8);
  CHECK_OK(ap__mesh_examine(&m, &c, &error));
  CHECK(c.open == 0 && c.inconsistent == 0);
  CHECK_WITHIN(m.vertex + 3, ((double[]){1, 0.5, 0}), 3, 1e-15);
  CHECK_WITHIN(m.vertex + 6, ((double[]){0.5, 0, 0}), 3, 1e-15);
  ap__mesh_free(&m);
}

TEST(dae_with_mistakes_is_refused) {
  static const refusal all[] = {
      {"dae", "", 1, "not XML"},
      {"dae", "<COLLADA>\n<asset>", 2, "not XML"},
      {"dae", "<robot/>", 1, "<COLLADA>"},
      {"dae", "<!DOCTYPE x [<!ENTITY a 'b'>]><COLLADA/>", 1, "DOCTYPE"},
      {"dae", "<COLLADA/>", 0, "no triangles"},
      {"dae", "<COLLADA><asset><unit meter='0'/></asset></COLLADA>", 1, "unit"},
      {"dae",
       "<COLLADA>" GEOMETRY("<triangles>" INPUTS "<p>0 0 0 1 0 4</p></triangles>") "</COLLADA>", 4,
       "not there"},
      {"dae",
       "<COLLADA>" GEOMETRY("<triangles>" INPUTS "<p>0 0 0 1 0 -1</p></triangles>") "</COLLADA>", 4,
       "not there"},
      {"dae",
       "<COLLADA>" GEOMETRY("<triangles>" INPUTS "<p>0 0 x 1 0 2</p></triangles>") "</COLLADA>", 4,
       "no number"},
      {"dae",
       "<COLLADA>" GEOMETRY("<polylist>" INPUTS "<vcount>3 4</vcount><p>0 0 0 1 0 2</p>"
                            "</polylist>") "</COLLADA>",
       4, "vcount"},
      {"dae", "<COLLADA>" GEOMETRY("<trifans/>") "</COLLADA>", 4, "trifans"},
      {"dae", "<COLLADA>" GEOMETRY("<triangles><p>0 1 2</p></triangles>") "</COLLADA>", 4,
       "without positions"},
      {"dae",
       "<COLLADA>" GEOMETRY("<triangles><input semantic='VERTEX' source='#q'/><p>0</p>"
                            "</triangles>") "</COLLADA>",
       4, "leads to nothing"},
      // each node holds the next twice, and the last one the first
      {"dae",
       "<COLLADA><library_visual_scenes><visual_scene><node id='a'><instance_node url='#a'/>"
       "<instance_node url='#a'/></node></visual_scene></library_visual_scenes></COLLADA>",
       1, "hold each other"}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    ap__mesh m;
    ap_error error;
    CHECK(read_text(all[i].format, all[i].text, &m, &error) != AP_OK);
    CHECK_EQ_INT(error.line, all[i].line);
    CHECK_HAS(error.text, all[i].says);
    CHECK(!m.vertex && !m.face && m.nface == 0);
  }
}

// ---- closed surfaces ---------------------------------------------------------------------------

#define CUBE                                                                 \
  "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n" \
  "f 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 5 6 7 8\n"

static ap__mesh_closure examine(const char *text) {
  ap__mesh m;
  ap_error error;
  ap__mesh_closure c = {0};
  CHECK_OK(read_text("obj", text, &m, &error));
  CHECK_OK(ap__mesh_examine(&m, &c, &error));
  ap__mesh_free(&m);
  return c;
}

TEST(open_and_turned_faces_are_counted) {
  const ap__mesh_closure closed = examine(CUBE "f 4 3 2 1\n");
  CHECK(closed.edges == 18 && closed.open == 0 && closed.inconsistent == 0);
  CHECK(closed.gap == 0 && closed.degenerate == 0);
  const ap__mesh_closure open = examine(CUBE);
  CHECK(open.open == 4 && open.inconsistent == 0);
  CHECK_CLOSE(open.gap, 0.2, 1e-15);
  const ap__mesh_closure turned = examine(CUBE "f 1 2 3 4\n");
  CHECK(turned.open == 0 && turned.inconsistent == 4);
  const ap__mesh_closure thin = examine(CUBE "f 4 3 2 1\nf 1 1 2\n");
  CHECK(thin.degenerate == 1 && thin.open == 0);
  // The last face has vertices of its own, at the same places.
  const ap__mesh_closure apart =
      examine(CUBE "v 0 0 -0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 12 11 10 9\n");
  CHECK(apart.open == 0 && apart.edges == 18);
}

// ---- hulls -------------------------------------------------------------------------------------

// In whole numbers.
static int64_t whole_orient(const int64_t a[3], const int64_t b[3], const int64_t c[3],
                            const int64_t d[3]) {
  int64_t e[3][3], det = 0;
  for (int k = 0; k < 3; k++) {
    e[0][k] = a[k] - d[k];
    e[1][k] = b[k] - d[k];
    e[2][k] = c[k] - d[k];
  }
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    det += e[0][k] * (e[1][i] * e[2][j] - e[1][j] * e[2][i]);
  }
  return det;
}

// Points almost in a plane: three multiples of large vectors and a last digit.
TEST(the_side_of_a_plane_is_exact) {
  rng r = rng_seed(3);
  int zero = 0;
  for (int trial = 0; trial < 20000; trial++) {
    int64_t p[4][3];
    double x[4][3];
    for (int k = 0; k < 3; k++) {
      const int64_t u = rng_int(&r, -30000, 30000), v = rng_int(&r, -30000, 30000);
      const int64_t o = rng_int(&r, -9000, 9000);
      p[0][k] = o;
      p[1][k] = o + u;
      p[2][k] = o + v;
      p[3][k] = o + 7 * u - 3 * v + (trial % 3 == 0 ? rng_int(&r, -1, 1) : 0);
      for (int i = 0; i < 4; i++) x[i][k] = (double)p[i][k] * 0x1p-14 * 1.0;
    }
    const int64_t whole = whole_orient(p[0], p[1], p[2], p[3]);
    const double det = ap__orient(x[0], x[1], x[2], x[3]);
    CHECK((det > 0) == (whole > 0) && (det < 0) == (whole < 0));
    zero += whole == 0;
  }
  CHECK(zero > 10000);
}

// No point is outside of a face; every edge has two; Euler's formula.
static void check_hull(const double *p, int n) {
  int *face, nface;
  ap_error error = {0};
  CHECK_OK(ap__convex_hull(p, n, &face, &nface, &error));
  ap__mesh m = {.vertex = (double *)(uintptr_t)p, .nvertex = n, .face = face, .nface = nface};
  ap__mesh_closure c;
  CHECK_OK(ap__mesh_examine(&m, &c, &error));
  CHECK(c.open == 0 && c.inconsistent == 0 && c.degenerate == 0);
  bool *used = calloc((size_t)n, sizeof *used);
  int corners = 0, outside = 0;
  for (int f = 0; f < 3 * nface; f++) {
    corners += !used[face[f]];
    used[face[f]] = true;
  }
  CHECK_EQ_INT(corners - (int)c.edges + nface, 2);
  for (int f = 0; f < nface; f++) {
    const double *a = p + 3 * face[3 * f], *b = p + 3 * face[3 * f + 1];
    for (int i = 0; i < n; i++) outside += ap__orient(a, b, p + 3 * face[3 * f + 2], p + 3 * i) < 0;
  }
  CHECK_EQ_INT(outside, 0);
  free(used);
  free(face);
}

TEST(hulls_hold_all_points) {
  rng r = rng_seed(11);
  double p[3 * 400];
  for (int trial = 0; trial < 60; trial++) {
    const int n = rng_int(&r, 5, 400);
    for (int i = 0; i < n; i++) {
      double *q = p + 3 * i, length = 0;
      for (int k = 0; k < 3; k++) {
        q[k] = rng_uniform(&r, -1, 1);
        if (trial % 4 == 1) q[k] = rng_int(&r, -2, 2) * 0.1;             // a grid, with doubles
        if (trial % 4 == 2) q[k] = (double)(float)q[k] * (k ? 1 : 1e-7); // almost flat
        length += q[k] * q[k];
      }
      for (int k = 0; k < 3 && trial % 4 == 3; k++) q[k] /= sqrt(length); // a sphere
    }
    check_hull(p, n);
  }
}

TEST(points_without_a_volume_have_no_hull) {
  rng r = rng_seed(5);
  static const char *const says[] = {"at one place", "on one line", "in one plane"};
  for (int kind = 0; kind < 3; kind++) {
    double p[3 * 50];
    int *face, nface;
    ap_error error = {0};
    for (int i = 0; i < 50; i++) {
      const double u = rng_int(&r, -9, 9) * (kind > 0), v = rng_int(&r, -9, 9) * (kind > 1);
      for (int k = 0; k < 3; k++) p[3 * i + k] = 0.125 * (k + 1) + u * (k + 2) + v * (k - 1) * 3;
    }
    CHECK_STATUS(ap__convex_hull(p, 50, &face, &nface, &error), AP_E_UNSUPPORTED);
    CHECK_HAS(error.text, says[kind]);
    CHECK(!face);
  }
}
