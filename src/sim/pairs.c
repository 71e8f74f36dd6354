// SPDX-License-Identifier: Apache-2.0
// The pairs of a run: every point or shape with every wall, and shapes with each other, feature by
// feature (sim/solid.h).

#include <appell/kin.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/frozen.h"
#include "num/vec3.h"
#include "sim/corner_limits.h"
#include "sim/pair_builder.h"
#include "sim/rims.h"
#include "sim/run.h"
#include "sim/terrain.h"

// Corners times faces, and edges times edges, of all pairs at most.
enum { MOST_PAIRS = 1000000 };

typedef ap_pair_builder builder;

// One side of a pair.
typedef struct side {
  const ap_solid *solid;
  int body;                 // 0: the ground
  const ap_wall_pose *pose; // of a wall that moves
  const ap_surface *grain;  // the wall
} side;

static bool same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

// ---- coefficients ------------------------------------------------------------------------------

// A wall with the coefficients that hold between two materials, if there are any.
static void use_material(const ap_scene *s, const char *one, const char *other, ap_wall *w) {
  for (int i = 0; i < s->nmaterial; i++) {
    const ap_material_pair *m = &s->material[i];
    if (!(same(m->one, one) && same(m->other, other)) &&
        !(same(m->other, one) && same(m->one, other)))
      continue;
    w->restitution = m->restitution, w->restitution_speed = m->restitution_speed;
    w->friction = m->friction, w->static_friction = m->static_friction;
    w->friction_across = m->friction_across;
    w->rolling_friction = m->rolling_friction, w->spinning_friction = m->spinning_friction;
    return;
  }
}

static const char *material_of(const ap_scene *s, int point) {
  return s->point_material ? s->point_material[point] : NULL;
}

// The wall with the coefficients that a point has on it.
static ap_wall wall_for(const ap_scene *s, int point, int wall) {
  ap_wall w = s->wall[wall];
  use_material(s, w.material, material_of(s, point), &w);
  return w;
}

// What two shapes have.
static ap_wall between(const ap_scene *s, int i, int j) {
  ap_wall w = ap_default_wall();
  w.restitution = sqrt(s->point[i].restitution * s->point[j].restitution);
  w.friction = sqrt(s->point[i].friction * s->point[j].friction);
  w.rolling_friction = sqrt(s->point[i].rolling_friction * s->point[j].rolling_friction);
  w.spinning_friction = sqrt(s->point[i].spinning_friction * s->point[j].spinning_friction);
  use_material(s, material_of(s, i), material_of(s, j), &w);
  w.friction_across = 0; // shapes have no direction x
  return w;
}

// What all pairs of a point and a wall have in common.
static run_pair template_of(int point, int wall, const side *a, const side *b, const ap_wall *w) {
  return (run_pair){
      .point = point,
      .wall = wall,
      .joint = -1,
      .body = a->body,
      .carrier = b->body,
      .pose = b->pose,
      .grain = b->grain,
      .stiction = fmax(w->static_friction, w->friction),
      .restitution = w->restitution,
      .eases = w->restitution_speed,
      .across = w->friction_across > 0 && w->friction > 0 ? w->friction_across / w->friction : 0,
      .friction = w->friction,
      .turns = {w->rolling_friction, w->spinning_friction},
      .lever = fmax(a->solid->reach, fmax(w->rolling_friction, w->spinning_friction)),
      .turning = {-1, -1},
      .group = -1,
      .resting = -1};
}

// ---- pairs -------------------------------------------------------------------------------------

void ap__pairs_corner(builder *b, const run_pair *like, const ap_solid *solid, int corner,
                      bool supports, const ap_surface *surface, int faces) {
  int first = (int)b->pairs;
  for (int k = 0; k < faces; k++) {
    run_pair *p = ap__pairs_next(b);
    if (!p) continue;
    const ap_face *face = ap__surface_face(surface, k);
    *p = *like;
    memcpy(p->at, solid->corner[corner], sizeof p->at);
    p->radius = solid->radius;
    p->solid = supports && solid->nedge > 0 ? solid : NULL;
    p->corner = corner;
    p->surface = surface;
    p->face = k;
    p->first = first;
    p->ends = face && (face->nlimit > 0 || ap__corner_limits(p->solid, corner, face) > 0);
    p->convex = face && surface->convex;
  }
}

// All features of two solids.
static void add_solids(builder *b, run_pair like, const side *x, const side *y) {
  const ap_solid *a = x->solid, *c = y->solid;
  const side *two[2] = {x, y};
  run_pair back = like; // the corners of the second on the surface of the first
  back.pose = NULL, back.mount = like.pose;
  back.body = y->body, back.carrier = x->body;
  back.swapped = true;
  if (!(a->radius + c->radius > 0) && a->nface == 0 && c->nface == 0) return;
  for (int d = 0; d < 2; d++) {
    const ap_solid *from = two[d]->solid, *to = two[1 - d]->solid;
    int faces = ap__solid_faces(to, from->radius, d == 0);
    if (faces == 0) continue;
    const ap_surface *surface = ap__solid_surface(b->arena, to, from->radius, d == 0);
    for (int i = 0; i < from->ncorner; i++)
      ap__pairs_corner(b, d ? &back : &like, from, i, true, surface, faces);
  }
  for (int i = 0; i < a->nedge; i++)
    for (int j = 0; j < c->nedge; j++)
      for (int sign = -1; sign <= 1; sign += 2) {
        ap_edges *e = AP_TAKE(b->arena, ap_edges, 1);
        int first = (int)b->pairs;
        run_pair *p = ap__pairs_next(b);
        if (!p || !e) continue;
        ap__edges_make(a, i, c, j, sign, e);
        *p = like;
        p->first = first;
        p->edges = e;
        p->ends = true;
        memcpy(p->at, e->a[0], sizeof p->at);
      }
}

// The same pair told from the other side.
static run_pair swap_sides(const run_pair *like, int body) {
  run_pair back = *like;
  back.pose = like->mount, back.mount = like->pose;
  back.body = like->carrier, back.carrier = body;
  back.swapped = !like->swapped;
  return back;
}

// The ball around the first side, and one around the second grown by it: where the centre of the
// one is outside the other, nothing touches.
static void open_group(builder *b, run_pair *like, const side *x, const side *y) {
  const ap_solid *a = x->solid, *c = y->solid;
  ap_surface *surface = AP_TAKE(b->arena, ap_surface, 1);
  ap_face *face = AP_TAKE(b->arena, ap_face, 1);
  long i = b->groups++;
  if (!b->sim || !surface || !face || i >= b->sim->ngroup) return;
  *face = (ap_face){.tube = a->reach + c->reach, .c = {c->centre[0], c->centre[1], c->centre[2]}};
  *surface = (ap_surface){.wall = ap_default_wall(),
                          .frame = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                          .sign = 1,
                          .face = face,
                          .nface = 1};
  run_pair *group = &b->sim->group[i];
  *group = *like;
  memcpy(group->at, a->centre, sizeof group->at);
  group->surface = surface;
  like->group = (int)i;
}

// ---- walls -------------------------------------------------------------------------------------

// Whether the free region of a wall is convex: a shape is inside where its corners are.
static bool is_hollow(const ap_wall *w) {
  return w->kind == AP_WALL_PLANE || w->inside ? w->kind != AP_WALL_TORUS : false;
}

// Whether a wall becomes a solid for shapes.
static bool is_solid(const ap_wall *w) {
  return !w->inside && (w->kind == AP_WALL_BOX || w->kind == AP_WALL_SPHERE || ap__terrain_is(w));
}

// Whether a wall is a cylinder without end, from outside.
static bool is_endless(const ap_wall *w) {
  return !w->inside && (w->kind == AP_WALL_CIRCLE || w->kind == AP_WALL_CYLINDER);
}

// The inside of a cone at a distance from it: ends and radii of a cone with the same slope. False:
// there is no room for the ends.
static bool shrink_cone(const ap_wall *w, double radius, ap_wall *to) {
  ap_round_side s;
  double length = norm3(w->axis);
  if (!(length > 0) || !ap__round_side_of(w, &s)) return true; // it will be refused
  double at = s.radius - radius * sqrt(1 + s.slope * s.slope);
  to->size[0] = at - s.slope * radius, to->size[1] -= 2 * radius;
  to->size[2] = at - s.slope * (s.to - radius);
  for (int k = 0; k < 3; k++) to->centre[k] += radius / length * w->axis[k];
  return to->size[0] > 0 && to->size[1] > 0 && to->size[2] > 0;
}

// A wall moved by a radius towards the free region; false where that is another kind of surface.
static bool grow(const ap_wall *w, double radius, ap_wall *grown) {
  double sign = w->inside ? -1 : 1, length = norm3(w->axis);
  *grown = *w;
  if (radius == 0) return true;
  switch (w->kind) {
    case AP_WALL_PLANE:
      for (int k = 0; k < 3 && length > 0; k++) grown->centre[k] += radius / length * w->axis[k];
      return true;
    case AP_WALL_CIRCLE:
    case AP_WALL_CYLINDER:
    case AP_WALL_SPHERE: grown->size[0] += sign * radius; return true;
    case AP_WALL_TORUS: grown->size[1] += sign * radius; return true;
    case AP_WALL_BOX:
      for (int k = 0; k < 3; k++) grown->size[k] += sign * 2 * radius;
      return w->inside;
    case AP_WALL_CAPPED_CYLINDER:
      grown->size[0] += sign * radius, grown->size[1] += sign * 2 * radius;
      return w->inside;
    case AP_WALL_CONE: return w->inside && shrink_cone(w, radius, grown);
    default: return false;
  }
}

// A box or sphere as a shape; stairs and fields as they are; a cylinder without end as an edge.
static bool solid_of_wall(builder *b, const ap_surface *surface, const ap_wall *w, ap_solid *s) {
  ap_convex shape;
  if (is_endless(w)) {
    ap__round_core(b->arena, w, surface, s);
    return true;
  }
  if (ap__terrain_is(w)) {
    ap__terrain_make(b->arena, w, surface, s);
    return true;
  }
  double R[9], p[3] = {w->centre[0], w->centre[1], w->centre[2]};
  ap_status status = w->kind == AP_WALL_SPHERE ? ap_convex_sphere(w->size[0], &shape, b->error)
                                               : ap_convex_box(w->size, &shape, b->error);
  if (status) {
    b->status = status;
    return false;
  }
  for (int i = 0; i < 9; i++) R[i] = surface ? surface->frame[i % 3][i / 3] : 0;
  ap__solid_make(b->arena, &shape, R, p, s);
  return true;
}

static void refuse_wall(builder *b, int point, int wall) {
  static const char *const shape[] = {
      [AP_CONVEX_SPHERE] = "sphere", [AP_CONVEX_CAPSULE] = "capsule",
      [AP_CONVEX_BOX] = "box",       [AP_CONVEX_CYLINDER] = "cylinder",
      [AP_CONVEX_HULL] = "hull",     [AP_CONVEX_HALF_SPACE] = "half-space"};
  static const char *const kind[] = {[AP_WALL_PLANE] = "plane",
                                     [AP_WALL_CIRCLE] = "circle",
                                     [AP_WALL_ELLIPSE] = "ellipse",
                                     [AP_WALL_CYLINDER] = "cylinder",
                                     [AP_WALL_SPHERE] = "sphere",
                                     [AP_WALL_ELLIPSOID] = "ellipsoid",
                                     [AP_WALL_TORUS] = "torus",
                                     [AP_WALL_PROFILE] = "profile",
                                     [AP_WALL_DISC] = "disc",
                                     [AP_WALL_RECTANGLE] = "rectangle",
                                     [AP_WALL_BOX] = "box",
                                     [AP_WALL_CAPPED_CYLINDER] = "capped cylinder",
                                     [AP_WALL_CONE] = "cone",
                                     [AP_WALL_STAIRS] = "stairs",
                                     [AP_WALL_HEIGHT_FIELD] = "height field"};
  const ap_contact_point *p = &b->scene->point[point];
  const ap_wall *w = &b->scene->wall[wall];
  const char *name = p->name ? p->name : "shape", *other = w->name ? w->name : "wall";
  b->status = AP__REFUSE(b->error, AP_E_UNSUPPORTED, 0,
                         "shape \"%.*s\" (%s) cannot touch wall \"%.*s\" (%s, %s): the table "
                         "\"Walls and shapes\" of docs/impacts.md has what can, points touch all",
                         ap__shown(name), name, shape[p->shape->kind], ap__shown(other), other,
                         kind[w->kind], w->inside ? "inside" : "outside");
}

// The wall itself has a surface.
static void refuse_size(builder *b, int point, int wall, double radius) {
  const char *name = b->scene->point[point].name, *other = b->scene->wall[wall].name;
  bool inside = b->scene->wall[wall].inside;
  b->status =
      AP__REFUSE(b->error, AP_E_ARG, 0,
                 "shape \"%.*s\", of %g m radius, is too large for %s wall \"%.*s\" (make "
                 "it smaller)",
                 ap__shown(name), name ? name : "", radius,
                 inside ? "the inside of" : "the hole of", ap__shown(other), other ? other : "");
}

// The surface of a wall grown by a radius; the wall's own where there is none.
static const ap_surface *grown_surface(builder *b, int point, int wall, double radius) {
  ap_wall grown;
  if (radius == 0) return b->sim ? b->sim->surface[wall] : NULL;
  if (!grow(&b->scene->wall[wall], radius, &grown)) {
    refuse_wall(b, point, wall);
    return NULL;
  }
  size_t size = ap_surface_size(&grown);
  unsigned char *room = AP_TAKE_ALIGNED(b->arena, unsigned char, size);
  if (!b->sim || !room) return NULL;
  ap_surface *s = ap_surface_init(&grown, room, size, NULL);
  if (!s) refuse_size(b, point, wall, radius);
  return s;
}

// The plane of a face of a wall, in the world where the wall is at rest.
static void plane_of(const ap_surface *s, int face, double n[3], double at[3]) {
  const ap_face *f = ap__surface_face(s, face);
  const double up[3] = {0, 0, 1}, *own = f ? f->n : up, d = f ? f->d : 0;
  for (int k = 0; k < 3; k++) {
    n[k] = s->sign * (s->frame[0][k] * own[0] + s->frame[1][k] * own[1] + s->frame[2][k] * own[2]);
    at[k] = s->wall.centre[k];
  }
  for (int k = 0; k < 3; k++) at[k] -= s->sign * d * n[k];
}

// The rims of a cylinder and the planes of a wall.
static void add_cylinder(builder *b, const run_pair *like, const ap_solid *solid, int wall) {
  const ap_wall *w = &b->scene->wall[wall];
  int faces = w->kind == AP_WALL_PLANE ? 1 : w->kind == AP_WALL_BOX && w->inside ? 6 : 0;
  if (faces == 0) refuse_wall(b, like->point, wall);
  for (int face = 0; face < faces; face++)
    for (int i = 0; i < 2; i++)
      for (int k = 0; k < AP__RIM_PAIRS; k++) {
        ap_edges *e = AP_TAKE(b->arena, ap_edges, 1);
        int first = (int)b->pairs - k;
        run_pair *p = ap__pairs_next(b);
        double n[3], at[3];
        if (!p || !e) continue;
        plane_of(b->sim->surface[wall], face, n, at);
        ap__rim_make(solid, i, k, n, at, e);
        *p = *like;
        p->first = first;
        p->edges = e;
        p->ends = true;
        p->surface = b->sim->surface[wall];
        memcpy(p->at, e->beside_a[0], sizeof p->at);
      }
}

static void add_wall(builder *b, int point, const side *a, int wall) {
  const ap_wall own = wall_for(b->scene, point, wall);
  bool moves = ap__wall_moves(&own);
  side other = {.pose = moves && b->sim ? &b->sim->pose[wall] : NULL,
                .grain = b->sim ? b->sim->surface[wall] : NULL};
  run_pair like = template_of(point, wall, a, &other, &own);
  bool ball = a->solid->nedge == 0;
  bool bare = ball && !(a->solid->radius > 0 || a->solid->ring > 0);
  if (a->solid->ring > 0 &&
      (own.inside || !(is_solid(&own) || is_endless(&own) || own.kind == AP_WALL_DISC ||
                       own.kind == AP_WALL_CAPPED_CYLINDER))) {
    add_cylinder(b, &like, a->solid, wall);
    return;
  }
  if (!bare && (is_solid(&own) || (is_endless(&own) && (!ball || a->solid->ring > 0)))) {
    ap_solid *s = AP_TAKE(b->arena, ap_solid, 1), counted;
    const ap_surface *surface = b->sim ? b->sim->surface[wall] : NULL;
    if (!solid_of_wall(b, surface, &own, s ? s : &counted)) return;
    other.solid = s ? s : &counted;
    open_group(b, &like, a, &other);
    run_pair back = swap_sides(&like, a->body);
    if (a->solid->ring > 0 && is_endless(&own)) {
      ap_round_body two[2] = {{.sides = 1}, {.core = *other.solid, .sides = 1}};
      ap__pairs_take_cylinder(b, a->solid, &two[0]);
      ap__pairs_cylinders(b, &like, &back, two);
    } else if (a->solid->ring > 0) {
      ap__pairs_round_solid(b, &back, &like, a->solid, other.solid);
    } else {
      add_solids(b, like, a, &other);
    }
    return;
  }
  if (!bare && ap__round_is(&own)) {
    ap_solid s;
    ap__round_ball(&own, other.grain, &s);
    other.solid = &s;
    open_group(b, &like, a, &other);
    run_pair back = swap_sides(&like, a->body);
    if (a->solid->ring > 0) {
      ap_round_body two[2];
      ap__pairs_take_cylinder(b, a->solid, &two[0]);
      ap__pairs_take_round(b, &own, other.grain, &two[1]);
      ap__pairs_cylinders(b, &like, &back, two);
    } else {
      ap__pairs_round(b, &like, &back, a->solid, &own, other.grain);
    }
    return;
  }
  if (!ball && !is_hollow(&own)) {
    refuse_wall(b, point, wall);
    return;
  }
  int count = ap__faces_count(&own);
  const ap_surface *surface = grown_surface(b, point, wall, a->solid->radius);
  for (int i = 0; i < a->solid->ncorner && !b->status; i++)
    ap__pairs_corner(b, &like, a->solid, i, false, surface, count > 0 ? count : 1);
}

// ---- two shapes --------------------------------------------------------------------------------

static int root_of(const ap_model *m, int body) {
  int i = m->mover[body];
  while (i > 0 && m->joint[i].parent > 0) i = m->joint[i].parent;
  return i;
}

bool ap__pairs_one_tree(const ap_model *m, int a, int b) {
  return root_of(m, a) == root_of(m, b) && root_of(m, a) > 0;
}

// Whether the bits of a point and of another (NULL: a wall) let them touch.
static bool bits_meet(const ap_contact_point *p, const ap_contact_point *q) {
  bool p_says = p->contype || p->conaffinity, q_says = q && (q->contype || q->conaffinity);
  unsigned p_type = p_says ? (unsigned)p->contype : 1, q_type = q_says ? (unsigned)q->contype : 1;
  unsigned p_affinity = p_says ? (unsigned)p->conaffinity : 1;
  unsigned q_affinity = q_says ? (unsigned)q->conaffinity : 1;
  return (p_type & q_affinity) != 0 || (q_type & p_affinity) != 0;
}

// Whether two shapes may touch: not those of one link, or of a link and its parent, or whose bits
// forbid it. The ground is nobody's parent here.
static bool may_touch(const ap_scene *s, int i, int j) {
  const ap_model *m = s->model;
  const ap_contact_point *p = &s->point[i], *q = &s->point[j];
  if (!s->links || !p->shape || !q->shape || !bits_meet(p, q)) return false;
  int a = m->mover[p->body], b = m->mover[q->body];
  if (a == b) return false;
  return !(a > 0 && m->joint[b].parent == a) && !(b > 0 && m->joint[a].parent == b);
}

// ---- all ---------------------------------------------------------------------------------------

static void turn_of(const double q[4], double R[9]) {
  double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], s = n > 0 ? 2 / n : 0;
  const double m[9] = {1 - s * (q[1] * q[1] + q[2] * q[2]), s * (q[0] * q[1] - q[3] * q[2]),
                       s * (q[0] * q[2] + q[3] * q[1]),     s * (q[0] * q[1] + q[3] * q[2]),
                       1 - s * (q[0] * q[0] + q[2] * q[2]), s * (q[1] * q[2] - q[3] * q[0]),
                       s * (q[0] * q[2] - q[3] * q[1]),     s * (q[1] * q[2] + q[3] * q[0]),
                       1 - s * (q[0] * q[0] + q[1] * q[1])};
  memcpy(R, m, sizeof m);
}

void ap__pairs_pose(const ap_contact_point *p, ap_pose *pose) {
  turn_of(p->orientation, pose->R);
  memcpy(pose->p, p->at, sizeof pose->p);
}

// The solid of a point: one corner.
static void make_solid(builder *b, int i, ap_solid *s) {
  const ap_contact_point *p = &b->scene->point[i];
  static const ap_convex corner = {.kind = AP_CONVEX_SPHERE};
  ap_pose pose;
  ap__pairs_pose(p, &pose);
  ap__solid_make(b->arena, p->shape ? p->shape : &corner, pose.R, pose.p, s);
}

static void add_two(builder *b, int i, int j, const side *a, const side *c) {
  const ap_scene *s = b->scene;
  const ap_wall w = between(s, i, j);
  run_pair like = template_of(i, s->nwall + j, a, c, &w);
  open_group(b, &like, a, c);
  run_pair back = swap_sides(&like, a->body);
  if (a->solid->ring > 0 && c->solid->ring > 0) {
    ap_round_body two[2];
    ap__pairs_take_cylinder(b, a->solid, &two[0]);
    ap__pairs_take_cylinder(b, c->solid, &two[1]);
    ap__pairs_cylinders(b, &like, &back, two);
  } else if (a->solid->ring > 0)
    ap__pairs_round_solid(b, &back, &like, a->solid, c->solid);
  else if (c->solid->ring > 0)
    ap__pairs_round_solid(b, &like, &back, c->solid, a->solid);
  else
    add_solids(b, like, a, c);
}

static void build(builder *b, ap_solid *solid) {
  const ap_scene *s = b->scene;
  for (int i = 0; i < s->npoint; i++) make_solid(b, i, &solid[i]);
  for (int i = 0; i < s->npoint && !b->status; i++) {
    const side a = {.solid = &solid[i], .body = s->point[i].body};
    bool meets = bits_meet(&s->point[i], NULL);
    for (int wall = 0; wall < s->nwall && meets && !b->status && b->pairs <= MOST_PAIRS; wall++)
      add_wall(b, i, &a, wall);
  }
  for (int i = 0; i < s->npoint && !b->status; i++)
    for (int j = i + 1; j < s->npoint && b->pairs <= MOST_PAIRS; j++) {
      if (!may_touch(s, i, j)) continue;
      const side a = {.solid = &solid[i], .body = s->point[i].body};
      const side c = {.solid = &solid[j], .body = s->point[j].body};
      add_two(b, i, j, &a, &c);
    }
}

ap_status ap__pairs_count(const ap_scene *s, ap_sim *sizes, void *solids, ap_error *error) {
  ap_arena arena = ap__arena(NULL);
  builder b = {.scene = s, .arena = &arena, .error = error};
  build(&b, solids);
  if (b.status) return b.status;
  if (b.pairs > MOST_PAIRS)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "more than a million pairs of a point and a wall, or of features of shapes "
                      "and walls");
  sizes->npoint = (int)b.pairs;
  sizes->ngroup = (int)b.groups;
  return AP_OK;
}

ap_status ap__pairs_take(ap_arena *a, const ap_scene *s, ap_sim *sim, ap_error *error) {
  bool makes = a->base != NULL;
  builder b = {.sim = makes ? sim : NULL, .scene = s, .arena = a, .error = error};
  ap_solid *solid = AP_TAKE(a, ap_solid, s->npoint);
  build(&b, makes ? solid : sim->solid);
  if (makes) sim->solid = solid;
  return b.status;
}

// ---- the start ---------------------------------------------------------------------------------

// The shape of a point or of a wall, and where it is.
static void shape_at(const ap_sim *sim, int body, const ap_contact_point *p, ap_convex *shape,
                     ap_pose *pose) {
  ap_pose link, own;
  ap_frame_pose(sim->m, sim->w, body, link.R, link.p);
  ap__pairs_pose(p, &own);
  *pose = ap_pose_compose(&link, &own);
  *shape = *p->shape;
}

static void place_wall(const ap_sim *sim, int wall, ap_pose *pose) {
  const ap_surface *s = sim->surface[wall];
  const ap_wall *w = &s->wall;
  ap_pose at;
  memcpy(at.p, w->centre, sizeof at.p);
  for (int i = 0; i < 9; i++) at.R[i] = s->frame[i % 3][i / 3];
  *pose = at;
  if (ap__wall_moves(w)) {
    const ap_wall_pose *moved = &sim->pose[wall];
    ap_pose whole = {.p = {0}};
    memcpy(whole.R, moved->R, sizeof whole.R);
    for (int k = 0; k < 3; k++) whole.p[k] = moved->o[k] - dot3(moved->R[k], moved->pivot);
    *pose = ap_pose_compose(&whole, &at);
  }
}

static ap_status wall_at(const ap_sim *sim, int wall, ap_convex *shape, ap_pose *pose) {
  const ap_wall *w = &sim->surface[wall]->wall;
  place_wall(sim, wall, pose);
  if (ap__round_is(w) || is_endless(w)) {
    ap_pose whole = *pose, at;
    ap_status status = ap__round_shape(w, shape, &at);
    *pose = ap_pose_compose(&whole, &at);
    return status;
  }
  return w->kind == AP_WALL_SPHERE ? ap_convex_sphere(w->size[0], shape, NULL)
                                   : ap_convex_box(w->size, shape, NULL);
}

// The part of a cylinder without end that is beside a shape.
static void lengthen(const ap_convex *shape, const ap_pose *pose, ap_convex *b, ap_pose *at) {
  double along = 0, far = 0;
  for (int k = 0; k < 3; k++) {
    double off = pose->p[k] + dot3(pose->R + 3 * k, shape->centre) - at->p[k];
    along += off * at->R[3 * k + 2];
    far = fmax(far, fabs(off));
  }
  for (int k = 0; k < 3; k++) at->p[k] += along * at->R[3 * k + 2];
  ap_status status = ap_convex_cylinder(b->radius, 8 * (shape->reach + far), b, NULL);
  (void)status; // a length out of range leaves the short one
}

// The gap of the two shapes of a group.
static double distance_of(const ap_sim *sim, const run_pair *g) {
  const ap_scene *s = &sim->scene;
  ap_convex a, b;
  ap_pose pa, pb;
  ap_closest closest;
  ap_status status = AP_OK;
  double terrain;
  shape_at(sim, g->body, &s->point[g->point], &a, &pa);
  if (g->wall < s->nwall && ap__terrain_is(&s->wall[g->wall])) {
    place_wall(sim, g->wall, &pb);
    status = ap__terrain_distance(sim->surface[g->wall], &pb, &a, &pa, &terrain);
    return status ? -INFINITY : terrain;
  }
  if (g->wall < s->nwall)
    status = wall_at(sim, g->wall, &b, &pb);
  else
    shape_at(sim, g->carrier, &s->point[g->wall - s->nwall], &b, &pb);
  if (g->wall < s->nwall && is_endless(&s->wall[g->wall])) lengthen(&a, &pa, &b, &pb);
  if (!status) status = ap_convex_distance(&a, &pa, &b, &pb, &closest);
  return status ? -INFINITY : closest.distance;
}

ap_status ap__pairs_start(ap_sim *sim, const double *q, ap_error *error) {
  const ap_scene *s = &sim->scene;
  if (sim->ngroup == 0) return AP_OK;
  ap_kinematics(sim->m, sim->w, q, NULL, NULL);
  for (int i = 0; i < sim->ngroup; i++) {
    run_pair *g = &sim->group[i];
    double distance = distance_of(sim, g);
    bool tree = g->wall >= s->nwall && ap__pairs_one_tree(sim->m, g->body, g->carrier);
    g->apart = tree && distance <= s->depth;
    if (tree || distance >= -s->depth) continue;
    const char *one = s->point[g->point].name, *other = ap_scene_wall_name(s, g->wall);
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "shape \"%.*s\" starts %.3g m inside %s \"%.*s\" (move them apart)",
                      ap__shown(one), one, -distance, g->wall < s->nwall ? "wall" : "shape",
                      ap__shown(other), other);
  }
  for (int i = 0; i < sim->npoint; i++)
    if (sim->pair[i].group >= 0) sim->pair[i].apart = sim->group[sim->pair[i].group].apart;
  return AP_OK;
}
