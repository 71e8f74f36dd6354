// SPDX-License-Identifier: Apache-2.0
// MJCF: geoms and the meshes that they show, by MuJoCo's rules.

#include "file/mjcf_geom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/number.h"
#include "file/text.h"

// ---- meshes ------------------------------------------------------------------------------------

mjcf_mesh *ap__mjcf_find_mesh(const mjcf_model *model, const char *name) {
  int k = name ? ap__names_find(&model->mesh_names, name) : -1;
  return k < 0 ? NULL : &model->meshes[k];
}

static mjcf_item item_of(mjcf *m, const mjcf_scope *scope, const mjcf_mesh *mesh) {
  return ap__mjcf_item(m, mesh->e, scope, MJCF_MESH, 0, mjcf_here());
}

// folder / directory / name in the pool, each where it is relative.
static const char *path_of(mjcf *m, const char *folder, const char *directory, const char *name) {
  ap__text t = {0};
  if (name[0] != '/') {
    if (directory[0] != '/') ap__text_add(&t, "%s", folder);
    size_t n = strlen(directory);
    if (n) ap__text_add(&t, "%s%s", directory, directory[n - 1] == '/' ? "" : "/");
  }
  ap__text_add(&t, "%s", name);
  const char *kept = t.failed ? NULL : ap__pool_text(&m->pool, t.text, t.length);
  ap__text_free(&t);
  if (!kept) ap__mjcf_no_memory(m);
  return kept;
}

static bool is_there(mjcf *m, const char *name) {
  char *path = NULL;
  ap_status status = m->path ? ap_mesh_find(name, m->path, &path, NULL) : AP_E_NOT_FOUND;
  free(path);
  if (status == AP_E_MEMORY) ap__mjcf_no_memory(m);
  return status == AP_OK;
}

// Beside the model's file, or else beside the included file that has the element.
const char *ap__mjcf_mesh_file(mjcf *m, const mjcf_scope *scope, const mjcf_mesh *mesh) {
  const mjcf_model *model = scope->model;
  const char *name = ap__attribute(mesh->e, "file"), *slash;
  if (!name || !*name || m->status) return NULL;
  if (model->compiler.strippath && (slash = strrchr(name, '/'))) name = slash + 1;
  const char *first = path_of(m, model->folder, model->compiler.meshdir, name);
  const char *file = mesh->e->file, *end = file ? strrchr(file, '/') : NULL;
  if (!first || !end || is_there(m, first)) return first;
  const char *folder = ap__pool_text(&m->pool, file, (size_t)(end - file) + 1);
  const char *second = folder ? path_of(m, folder, model->compiler.meshdir, name) : NULL;
  if (second && is_there(m, second)) return second;
  second = folder ? path_of(m, folder, "", name) : NULL;
  return second && is_there(m, second) ? second : first;
}

ap__mesh_use ap__mjcf_mesh_use(mjcf *m, const mjcf_scope *scope, const mjcf_mesh *mesh) {
  static const ap__mesh_rule rules[] = {AP__MESH_CONVEX, AP__MESH_EXACT, AP__MESH_LEGACY,
                                        AP__MESH_SHELL};
  const mjcf_item item = item_of(m, scope, mesh);
  ap__mesh_use use = ap__default_mesh_use();
  use.rule = rules[ap__mjcf_word(m, &item, "inertia", "convex exact legacy shell", 2)];
  ap__mjcf_numbers(m, &item, "scale", 3, 3, use.scale);
  ap__mjcf_numbers(m, &item, "refpos", 3, 3, use.refpos);
  ap__mjcf_numbers(m, &item, "refquat", 4, 4, use.refquat);
  return use;
}

// A list of numbers of any length in an attribute, one triple at a time.
static bool next_triple(const char **at, double x[3]) {
  for (int i = 0; i < 3; i++) {
    const char *end;
    *at += strspn(*at, " \t\r\n");
    if (ap__parse_double(*at, &end, &x[i]) != AP__NUMBER) return false;
    *at = end;
  }
  return true;
}

// Points and triangles that stand in the element itself.
static void read_inline(mjcf_mesh *mesh, ap__mesh *to) {
  const char *vertex = ap__attribute(mesh->e, "vertex"), *face = ap__attribute(mesh->e, "face");
  double x[3];
  bool done = true;
  while (done && next_triple(&vertex, x)) done = ap__mesh_add_vertex(to, x);
  while (done && face && next_triple(&face, x)) {
    bool inside = true;
    for (int i = 0; i < 3; i++) inside = inside && x[i] >= 0 && x[i] < to->nvertex;
    if (!inside) {
      ap__fail(&mesh->error, AP_E_SYNTAX, 0, "<mesh face> names a vertex that is not there");
      return;
    }
    done = ap__mesh_add_face(to, (int)x[0], (int)x[1], (int)x[2]);
  }
  to->first_object = to->nface;
  if (!done) ap__no_memory(&mesh->error);
}

static void load(mjcf *m, const mjcf_scope *scope, mjcf_mesh *mesh, ap__mesh *to) {
  int file;
  char *text = NULL;
  size_t length = 0;
  const char *name = ap__mjcf_mesh_file(m, scope, mesh);
  if (m->status) return;
  if (!name && ap__attribute(mesh->e, "vertex")) {
    read_inline(mesh, to);
    return;
  }
  if (!name || !m->path) {
    ap__fail(&mesh->error, AP_E_UNSUPPORTED, 0, "%s",
             name ? "a text in memory has no folder of meshes" : "the mesh has no file");
    return;
  }
  if (ap__mesh_open(name, m->path, NULL, &file, &mesh->error) != AP_OK) return;
  if (ap__read_open_file(file, &text, &length, &mesh->error) == AP_OK)
    ap__mesh_read(to, ap__mesh_format(name), text, length, &mesh->error);
  free(text);
}

bool ap__mjcf_compile_mesh(mjcf *m, const mjcf_scope *scope, mjcf_mesh *mesh) {
  if (mesh->tried || m->status) return !m->status && mesh->error.status == AP_OK;
  ap__mesh triangles = {0};
  const ap__mesh_use use = ap__mjcf_mesh_use(m, scope, mesh);
  const mjcf_item item = item_of(m, scope, mesh);
  double vertices = -1;
  mesh->tried = true;
  ap__mjcf_numbers(m, &item, "maxhullvert", 1, 1, &vertices);
  if (vertices > 0 && use.rule == AP__MESH_CONVEX)
    ap__mjcf_odd(m, MJCF_ODD_HULL, mesh->e, "maxhullvert");
  load(m, scope, mesh, &triangles);
  if (!m->status && !mesh->error.status)
    ap__mesh_compile(&triangles, &use, &mesh->compiled, &mesh->error);
  ap__mesh_free(&triangles);
  if (mesh->error.status == AP_E_MEMORY) ap__mjcf_no_memory(m);
  return !m->status && mesh->error.status == AP_OK;
}

// ---- geoms -------------------------------------------------------------------------------------

// fromto: the ends of the axis. The length is a size.
static void place_between(mjcf *m, const mjcf_item *item, const double ends[6], mjcf_geom *geom) {
  double along[3];
  for (int i = 0; i < 3; i++) {
    geom->place.p[i] = (ends[i] + ends[i + 3]) / 2;
    along[i] = ends[i] - ends[i + 3];
  }
  double half = norm3(along) / 2;
  if (!(half > 1e-14)) {
    ap__mjcf_fail(m, item->e, "<geom fromto> has two ends at the same place");
    return;
  }
  bool round = geom->type == MJCF_CAPSULE || geom->type == MJCF_CYLINDER;
  if (!round) geom->size[2] = half;
  geom->size[1] = round ? half : geom->size[0];
  ap__mjcf_quat_of_z(along, geom->place.q);
}

// How many sizes a type needs.
static int sizes_of(const mjcf_geom *geom, bool between) {
  static const int needed[] = {[MJCF_PLANE] = 0,   [MJCF_HFIELD] = 0,    [MJCF_SPHERE] = 1,
                               [MJCF_CAPSULE] = 2, [MJCF_ELLIPSOID] = 3, [MJCF_CYLINDER] = 2,
                               [MJCF_BOX] = 3,     [MJCF_MESH_GEOM] = 0, [MJCF_SDF] = 0};
  return geom->mesh ? 0 : between ? 1 : needed[geom->type];
}

bool ap__mjcf_read_geom(mjcf *m, const mjcf_item *item, mjcf_geom *geom) {
  *geom = (mjcf_geom){0};
  double ends[6];
  mjcf_pose place;
  geom->type = (mjcf_geom_type)ap__mjcf_word(
      m, item, "type", "plane hfield sphere capsule ellipsoid cylinder box mesh sdf", MJCF_SPHERE);
  const char *mesh = ap__mjcf_text(item, "mesh");
  geom->mesh = ap__mjcf_find_mesh(item->scope->model, mesh);
  bool shows = geom->type == MJCF_MESH_GEOM || geom->type == MJCF_SDF;
  if ((mesh && !geom->mesh) || (shows && !mesh))
    ap__mjcf_fail(m, item->e, "<geom mesh=\"%.*s\"> is not among the assets",
                  mesh ? ap__shown(mesh) : 0, mesh ? mesh : "");
  ap__mjcf_numbers(m, item, "size", 1, 3, geom->size);
  ap__mjcf_place(m, item, &place);
  geom->place = place;
  bool between = ap__mjcf_numbers(m, item, "fromto", 6, 6, ends) > 0;
  if (m->status) return false;
  for (int i = 0; i < sizes_of(geom, between); i++)
    if (!(geom->size[i] > 0)) ap__mjcf_fail(m, item->e, "<geom size> %d is not above zero", i + 1);
  if (between && geom->type >= MJCF_CAPSULE && geom->type <= MJCF_BOX)
    place_between(m, item, ends, geom);
  geom->place = mjcf_compose(item->frame, geom->place);
  return m->status == AP_OK;
}

static const ap__simple simple_of[] = {
    [MJCF_HFIELD] = AP__BOX,          [MJCF_SPHERE] = AP__SPHERE,     [MJCF_CAPSULE] = AP__CAPSULE,
    [MJCF_ELLIPSOID] = AP__ELLIPSOID, [MJCF_CYLINDER] = AP__CYLINDER, [MJCF_BOX] = AP__BOX};

static void refuse_mesh(mjcf *m, const mjcf_item *item, const mjcf_mesh *mesh) {
  const char *name = ap__mjcf_text(item, "mesh");
  ap__mjcf_fail(m, item->e, "the inertia of the body needs the mesh \"%.*s\": %s (give <inertial>)",
                ap__shown(name), name, mesh->error.text);
}

// What a mesh shows, or a shape that is fitted to it; of density 1.
static bool weigh_mesh(mjcf *m, const mjcf_item *item, mjcf_geom *geom, bool shell, ap__solid *s,
                       mjcf_pose *axes) {
  if (!ap__mjcf_compile_mesh(m, item->scope, geom->mesh)) {
    const char *name = ap__mjcf_text(item, "mesh");
    if (m->moves)
      refuse_mesh(m, item, geom->mesh);
    else if (!m->status)
      ap__mjcf_odd(m, MJCF_ODD_STATIC, item->e, name);
    return false;
  }
  const ap__mesh_compiled *c = &geom->mesh->compiled;
  if (geom->type == MJCF_MESH_GEOM || geom->type == MJCF_SDF) {
    *s = ap__compiled_solid(c);
    memcpy(axes->p, c->pos, sizeof c->pos);
    memcpy(axes->q, c->quat, sizeof c->quat);
    return true;
  }
  double fit = 1, R[9];
  ap__mjcf_numbers(m, item, "fitscale", 1, 1, &fit);
  ap__mesh_fit(c, simple_of[geom->type], item->scope->model->compiler.fitaabb, fit, geom->size,
               axes->p, axes->q);
  *s = ap__simple_solid(simple_of[geom->type], geom->size, shell);
  mjcf_quat_matrix(axes->q, R);
  ap__solid_move(s, R, axes->p);
  return true;
}

static void refuse_hfield(mjcf *m, const mjcf_item *item) {
  ap__mjcf_fail(m, item->e, "the inertia of a height field is not supported (give <inertial>)");
}

bool ap__mjcf_weigh(mjcf *m, const mjcf_item *item, ap__solid *solid, mjcf_pose *axes) {
  mjcf_geom geom;
  double mass = NAN, density = 1000, R[9];
  ap__mjcf_numbers(m, item, "mass", 1, 1, &mass);
  ap__mjcf_numbers(m, item, "density", 1, 1, &density);
  if (!ap__mjcf_read_geom(m, item, &geom)) return false;
  if (mass == 0 || (isnan(mass) && density == 0) || geom.type == MJCF_PLANE) return false;
  if (mass < 0 || density < 0) {
    ap__mjcf_fail(m, item->e, "<geom> has a negative mass or density");
    return false;
  }
  const bool shell = ap__mjcf_word(m, item, "shellinertia", "false true", 0) == 1;
  *axes = mjcf_here();
  if (geom.type == MJCF_HFIELD)
    refuse_hfield(m, item);
  else if (geom.mesh && !weigh_mesh(m, item, &geom, shell, solid, axes))
    return false;
  else if (!geom.mesh)
    *solid = ap__simple_solid(simple_of[geom.type], geom.size, shell);
  if (m->status) return false;
  if (!isnan(mass) && !(solid->mass > 1e-14)) return false;
  ap__solid_scale(solid, isnan(mass) ? density : mass / solid->mass);
  mjcf_quat_matrix(geom.place.q, R);
  ap__solid_move(solid, R, geom.place.p);
  *axes = mjcf_compose(geom.place, *axes);
  return true;
}
