// SPDX-License-Identifier: Apache-2.0
// Any bytes as a mesh file: vertices at finite places and faces that have them, or an error; then
// numbers by every rule, or an error.

#include <math.h>
#include <string.h>

#include "file/solid.h"
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_finite(const double *x, int n) {
  for (int i = 0; i < n; i++) fuzz_expect(isfinite(x[i]));
}

static void compile(const ap__mesh *mesh, int rule, bool mirrored) {
  ap__mesh_use use = ap__default_mesh_use();
  ap__mesh_compiled out;
  ap_error error = {0};
  use.rule = (ap__mesh_rule)rule;
  if (mirrored) use.scale[1] = -2;
  if (ap__mesh_compile(mesh, &use, &out, &error)) {
    fuzz_expect(error.text[0] && error.status != AP_OK);
    return;
  }
  const ap__solid s = ap__compiled_solid(&out);
  fuzz_expect(s.mass > 0);
  expect_finite(s.com, 3);
  expect_finite(s.inertia, 6);
  expect_finite(out.low, 3);
  for (int shape = AP__SPHERE; shape <= AP__BOX; shape++) {
    double box[3], pos[3], quat[4];
    ap__mesh_fit(&out, (ap__simple)shape, mirrored, 1, box, pos, quat);
    expect_finite(box, 3);
    expect_finite(pos, 3);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const formats[] = {"obj", "stl", "msh", "dae"};
  static const double one[3] = {1, 1, 1};
  if (size < 1) return 0;
  char *bytes = malloc(size); // a closing zero in the place of the first byte
  fuzz_expect(bytes != NULL);
  memcpy(bytes, data + 1, size - 1);
  bytes[size - 1] = 0;
  ap__mesh mesh;
  ap_error error = {0};
  if (ap__mesh_read(&mesh, formats[data[0] % 4], bytes, size - 1, &error)) {
    fuzz_expect(error.text[0] && error.status != AP_OK && !mesh.vertex && !mesh.face);
  } else {
    ap__mesh_closure closure;
    expect_finite(mesh.vertex, 3 * mesh.nvertex);
    for (int i = 0; i < 3 * mesh.nface; i++)
      fuzz_expect(mesh.face[i] >= 0 && mesh.face[i] < mesh.nvertex);
    fuzz_expect(mesh.first_object >= 0 && mesh.first_object <= mesh.nface);
    fuzz_expect(ap__mesh_examine(&mesh, &closure, &error) == AP_OK);
    expect_finite(&closure.gap, 1);
    const ap__solid s = ap__mesh_solid(&mesh, one);
    expect_finite(&s.mass, 1);
    for (int rule = AP__MESH_LEGACY; rule <= AP__MESH_SHELL; rule++)
      compile(&mesh, rule, data[0] & 4);
  }
  ap__mesh_free(&mesh);
  free(bytes);
  return 0;
}
