// SPDX-License-Identifier: Apache-2.0
// MJCF: meshes of a model, read when something needs their inertia.

#ifndef AP_FILE_MJCF_MESH_H
#define AP_FILE_MJCF_MESH_H

#include "file/mjcf.h"
#include "file/solid.h"

struct mjcf_mesh {
  const ap__node *e; // its <mesh>
  bool tried;
  ap_error error; // why it cannot be used
  ap__mesh_compiled compiled;
};

// The <mesh> of a name; NULL: there is none.
mjcf_mesh *ap__mjcf_find_mesh(const mjcf_model *model, const char *name);
// The name of its file as ap_mesh_find() takes it, in the reading's pool; NULL: it has none.
const char *ap__mjcf_mesh_file(mjcf *m, const mjcf_scope *scope, const mjcf_mesh *mesh);
// scale, refpos, refquat and the rule of inertia.
ap__mesh_use ap__mjcf_mesh_use(mjcf *m, const mjcf_scope *scope, const mjcf_mesh *mesh);
// Read it and compute what it weighs; false: mesh->error says why not.
bool ap__mjcf_compile_mesh(mjcf *m, const mjcf_scope *scope, mjcf_mesh *mesh);

#endif
