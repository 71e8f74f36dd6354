// SPDX-License-Identifier: Apache-2.0
#include "sim/round_walls.h"

#include <math.h>
#include <string.h>

#include "convex/frustum.h"
#include "num/vec3.h"

// The radius at the sharp end of a cone, as of impact/faces.c, and the thickness of a disc where a
// shape may start on either side of it, m.
static const double BLUNT = 1e-6, THIN = 1e-12;

bool ap__round_is(const ap_wall *w) {
  return w->kind == AP_WALL_DISC ||
         (!w->inside && (w->kind == AP_WALL_CAPPED_CYLINDER || w->kind == AP_WALL_CONE));
}

bool ap__round_side_of(const ap_wall *w, ap_round_side *s) {
  double low = w->size[0], length = w->size[1];
  double high = w->kind == AP_WALL_CONE ? w->size[2] : low;
  if (w->kind == AP_WALL_DISC) return false;
  if (high == 0) high = BLUNT * low;
  *s = (ap_round_side){.slope = (low - high) / length,
                       .from = w->kind == AP_WALL_CONE ? 0 : -length / 2};
  s->radius = low + s->slope * s->from;
  s->to = s->from + length;
  return true;
}

// A place on the axis.
static void on_axis(const ap_surface *surface, double z, double p[3]) {
  for (int k = 0; k < 3; k++) p[k] = surface->wall.centre[k] + z * surface->frame[2][k];
}

int ap__round_rims(const ap_wall *w, const ap_surface *surface, ap_round_rim rim[2]) {
  ap_round_side s = {0};
  bool sheet = !ap__round_side_of(w, &s);
  double size = sqrt(1 + s.slope * s.slope);
  const double side[2] = {1 / size, s.slope / size}, down[2] = {0, -1}, up[2] = {0, 1};
  for (int i = 0; i < (sheet ? 1 : 2); i++) {
    bool top = sheet || i == 1;
    double z = sheet ? 0 : i ? s.to : s.from;
    rim[i].radius = sheet ? w->size[0] : s.radius - s.slope * z;
    if (surface) on_axis(surface, z, rim[i].centre);
    if (surface) memcpy(rim[i].axes, surface->frame, sizeof rim[i].axes);
    memcpy(rim[i].arc[0], top ? side : down, sizeof side);
    memcpy(rim[i].arc[1], top ? up : side, sizeof side);
  }
  return sheet ? 1 : 2;
}

void ap__round_core(ap_arena *a, const ap_wall *w, const ap_surface *surface, ap_solid *core) {
  bool ends = w->kind == AP_WALL_CAPPED_CYLINDER;
  double length = ends ? w->size[1] : w->size[0];
  *core = (ap_solid){.nedge = 1, .radius = w->size[0], .reach = AP_CONVEX_LARGEST};
  core->corner = (double(*)[3])AP_TAKE(a, double, 6);
  core->edge = AP_TAKE(a, solid_edge, 1);
  if (!core->corner || !core->edge || !surface) return;
  on_axis(surface, -length / 2, core->corner[0]);
  on_axis(surface, length / 2, core->corner[1]);
  core->edge[0] =
      (solid_edge){.corner = {0, 1}, .face = {-1, -1}, .length = length, .endless = !ends};
  memcpy(core->edge[0].d, surface->frame[2], sizeof core->edge[0].d);
}

void ap__round_ball(const ap_wall *w, const ap_surface *surface, ap_solid *s) {
  ap_round_side side = {0};
  ap__round_side_of(w, &side);
  double half = (side.to - side.from) / 2;
  *s = (ap_solid){
      .reach = hypot(w->kind == AP_WALL_CONE ? fmax(w->size[0], w->size[2]) : w->size[0], half)};
  if (surface) on_axis(surface, (side.to + side.from) / 2, s->centre);
}

// ---- the surface grown by a radius -------------------------------------------------------------

int ap__round_faces(const ap_wall *w, double radius) {
  return (w->kind == AP_WALL_DISC ? 1 : 3) + (radius > 0 ? w->kind == AP_WALL_DISC ? 1 : 2 : 0);
}

static void flat_limit(ap_face *f, double sign, double z) {
  f->limit[f->nlimit++] = (ap_face_limit){.n = {0, 0, sign}, .d = -sign * z, .across = -1};
}

static void round_limit(ap_face *f, double radius, bool outer) {
  f->limit[f->nlimit++] = (ap_face_limit){.round = radius, .outer = outer, .across = -1};
}

// The face around a rim, between those of both sides of it; the end of a side on its normal.
static ap_face rim_face(double ring, double z, double grown, double sign, double radius) {
  ap_face f = {.ring = ring, .tube = radius, .c = {0, 0, z}};
  round_limit(&f, ring, true);
  flat_limit(&f, sign, grown);
  return f;
}

static ap_face cap_face(double ring, double z, double sign, double radius) {
  ap_face f = {.n = {0, 0, sign}, .d = -sign * z - radius};
  round_limit(&f, ring, false);
  return f;
}

ap_surface *ap__round_surface(ap_arena *a, const ap_wall *w, const ap_surface *own, double radius) {
  int faces = ap__round_faces(w, radius), n = 0;
  ap_surface *surface = AP_TAKE(a, ap_surface, 1);
  ap_face *face = AP_TAKE(a, ap_face, faces);
  ap_round_side s = {0};
  if (!surface || !face || !own) return NULL;
  bool sheet = !ap__round_side_of(w, &s);
  double size = sqrt(1 + s.slope * s.slope), up = radius * s.slope / size;
  *surface =
      (ap_surface){.wall = own->wall, .sign = 1, .face = face, .nface = faces, .convex = true};
  memcpy(surface->frame, own->frame, sizeof surface->frame);
  double low = s.radius - s.slope * s.from, high = s.radius - s.slope * s.to;
  if (sheet) high = w->size[0];
  face[n++] = cap_face(high, s.to, 1, radius);
  if (radius > 0) face[n++] = rim_face(high, s.to, s.to + up, 1, radius);
  if (sheet) return surface;
  face[n++] = cap_face(low, s.from, -1, radius);
  if (radius > 0) face[n++] = rim_face(low, s.from, s.from + up, -1, radius);
  double more = radius * size, least = radius / size;
  face[n] = (ap_face){.round = fmax(low, high) + least,
                      .radius = s.radius + more,
                      .slope = s.slope,
                      .least = fmin(low, high) + least,
                      .sign = 1};
  flat_limit(&face[n], 1, s.from + up);
  flat_limit(&face[n], -1, s.to + up);
  return surface;
}

// ---- the start ---------------------------------------------------------------------------------

ap_status ap__round_shape(const ap_wall *w, ap_convex *shape, ap_pose *at) {
  ap_round_side s = {0};
  *at = ap_pose_identity();
  if (w->kind == AP_WALL_CIRCLE || w->kind == AP_WALL_CYLINDER)
    return ap_convex_cylinder(w->size[0], w->size[0], shape, NULL);
  if (!ap__round_side_of(w, &s)) {
    at->p[2] = -THIN / 2;
    return ap_convex_cylinder(w->size[0], THIN, shape, NULL);
  }
  at->p[2] = (s.from + s.to) / 2;
  return ap__convex_frustum(s.radius - s.slope * s.from, s.radius - s.slope * s.to, s.to - s.from,
                            shape);
}
