// SPDX-License-Identifier: Apache-2.0
// The robot, walls, contact points and closures of a report.
//
// Every link of the file is a body of the page, fixed ones included, each with the joint that
// carries it: pose(body) = pose(parent) * origin * motion(q) * link. Origins come from kinematics
// at the configuration with every coordinate zero, so that whatever describes a joint's place is
// drawn as it is computed.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "num/vec3.h"
#include "run/report.h"

enum { MOST_MESH_BYTES = 256 << 20, MOST_MESHES = 1000 }; // in a page

typedef struct frame {
  double R[9], p[3];
} frame;

// ---- rotations ---------------------------------------------------------------------------------

static void multiply(const double a[9], const double b[9], double c[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

static frame compose(const frame *a, const frame *b) {
  frame c;
  multiply(a->R, b->R, c.R);
  turn3(a->R, b->p, c.p);
  for (int i = 0; i < 3; i++) c.p[i] += a->p[i];
  return c;
}

static frame inverse(const frame *a) {
  frame c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) c.R[3 * i + j] = a->R[3 * j + i];
  turn3(c.R, a->p, c.p);
  for (int i = 0; i < 3; i++) c.p[i] = -c.p[i];
  return c;
}

// About a unit axis (Rodrigues), or along it.
static frame motion(ap_joint_type type, const double n[3], double q) {
  const double turn = type == AP_REVOLUTE ? q : 0, slide = type == AP_PRISMATIC ? q : 0;
  const double c = cos(turn), s = sin(turn), d = 1 - c;
  return (frame){{c + n[0] * n[0] * d, n[0] * n[1] * d - n[2] * s, n[0] * n[2] * d + n[1] * s,
                  n[1] * n[0] * d + n[2] * s, c + n[1] * n[1] * d, n[1] * n[2] * d - n[0] * s,
                  n[2] * n[0] * d - n[1] * s, n[2] * n[1] * d + n[0] * s, c + n[2] * n[2] * d},
                 {slide * n[0], slide * n[1], slide * n[2]}};
}

static void matrix_of_rpy(const double rpy[3], double R[9]) {
  const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  const frame roll = motion(AP_REVOLUTE, x, rpy[0]), pitch = motion(AP_REVOLUTE, y, rpy[1]);
  const frame yaw = motion(AP_REVOLUTE, z, rpy[2]);
  double turned[9];
  multiply(yaw.R, pitch.R, turned);
  multiply(turned, roll.R, R);
}

// The quaternion x y z w of a rotation, from its largest component (Shepperd).
static void quaternion_of(const double R[9], double q[4]) {
  const double four[4] = {1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8],
                          1 + R[0] + R[4] + R[8]};
  int k = 3;
  for (int i = 0; i < 3; i++)
    if (four[i] > four[k]) k = i;
  const double s = 0.5 / sqrt(four[k]);
  const double products[4][4] = {{four[0], R[1] + R[3], R[2] + R[6], R[7] - R[5]},
                                 {R[1] + R[3], four[1], R[5] + R[7], R[2] - R[6]},
                                 {R[2] + R[6], R[5] + R[7], four[2], R[3] - R[1]},
                                 {R[7] - R[5], R[2] - R[6], R[3] - R[1], four[3]}};
  for (int i = 0; i < 4; i++) q[i] = s * products[k][i];
}

static void write_frame(ap_json *json, const char *key, const frame *f) {
  double quat[4];
  quaternion_of(f->R, quat);
  if (key) ap_json_open(json, key, '{');
  ap_json_numbers(json, "xyz", f->p, 3);
  ap_json_numbers(json, "quat", quat, 4);
  if (key) ap_json_close(json, '}');
}

// ---- ellipsoids --------------------------------------------------------------------------------

// Make the entries beside the diagonal of a symmetric matrix vanish (Jacobi): its principal values
// are on the diagonal then, its principal axes the columns of V.
static void principal_axes(double A[9], double V[9]) {
  enum { SWEEPS = 30 };
  for (int i = 0; i < 9; i++) V[i] = i % 4 == 0;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    for (int k = 0; k < 3; k++) {
      const int i = k == 2 ? 1 : 0, j = k == 0 ? 1 : 2;
      if (A[3 * i + j] == 0) continue;
      const double angle = 0.5 * atan2(2 * A[3 * i + j], A[4 * j] - A[4 * i]);
      const double c = cos(angle), s = sin(angle);
      double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, Jt[9], B[9], W[9];
      J[4 * i] = J[4 * j] = c;
      J[3 * i + j] = s;
      J[3 * j + i] = -s;
      for (int m = 0; m < 9; m++) Jt[m] = J[m % 3 * 3 + m / 3];
      multiply(A, J, B);
      multiply(Jt, B, A);
      multiply(V, J, W);
      memcpy(V, W, sizeof W);
    }
  }
}

// Is the inertia of what moves this link larger than the link can be? It says nothing of its shape.
static bool is_doubtful(const ap_model *m, int body) {
  for (int i = 0; i < ap_model_remarks(m); i++) {
    const ap_remark remark = ap_model_remark(m, i);
    if (remark.kind == AP_REMARK_GYRATION && remark.body == ap_body_mover(m, body)) return true;
  }
  return false;
}

// A solid ellipsoid with this mass and inertia: I_x = m (b^2 + c^2) / 5. Flaws of an inertia, which
// real robots have, leave no such body: a half axis is zero then.
static void write_ellipsoid(ap_json *json, const ap_model *m, int body) {
  const ap_body_def *def = ap_body(m, body);
  const double *i = def->inertia;
  double A[9] = {i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5]};
  double V[9], turned[9], R[9], half[3], quat[4], largest = 0;
  principal_axes(A, V);
  for (int k = 0; k < 3; k++) {
    const double own = A[4 * k], others = A[4 * ((k + 1) % 3)] + A[4 * ((k + 2) % 3)];
    half[k] = def->mass > 0 ? sqrt(fmax(2.5 * (others - own) / def->mass, 0)) : 0;
    largest = fmax(largest, half[k]);
  }
  if (!(largest > 0) || is_doubtful(m, body)) {
    ap_json_null(json, "ellipsoid");
    return;
  }
  matrix_of_rpy(def->inertia_rpy, R);
  multiply(R, V, turned);
  const double *t = turned; // a mirror has no quaternion
  const double volume = t[0] * (t[4] * t[8] - t[5] * t[7]) - t[1] * (t[3] * t[8] - t[5] * t[6]) +
                        t[2] * (t[3] * t[7] - t[4] * t[6]);
  for (int k = 0; volume < 0 && k < 3; k++) turned[3 * k] = -turned[3 * k];
  quaternion_of(turned, quat);
  ap_json_open(json, "ellipsoid", '{');
  ap_json_numbers(json, "half_axes", half, 3);
  ap_json_numbers(json, "quat", quat, 4);
  ap_json_close(json, '}');
}

// ---- meshes ------------------------------------------------------------------------------------

// Mesh files, each once, in the order of their first use.
typedef struct meshes {
  const char *name[MOST_MESHES]; // as written
  bool drawn[MOST_MESHES];
  int n;
  int missing;   // how many are not
  char why[600]; // the first of them
} meshes;

static int find_mesh(const meshes *m, const char *name) {
  for (int k = 0; k < m->n; k++)
    if (strcmp(m->name[k], name) == 0) return k;
  return -1;
}

static FILE *open_mesh(const ap__report *report, const char *name, ap_error *error) {
  int file;
  const char *allowed = report->options->meshes ? report->options->meshes : "";
  if (ap__mesh_open(name, report->run->recorded.robot_file, allowed, &file, error)) return NULL;
  FILE *stream = fdopen(file, "rb");
  if (!stream) close(file);
  return stream;
}

static void add_mesh(const ap__report *report, meshes *m, const ap_shape *shape) {
  ap_error error = {.text = "STL, OBJ and DAE files are"};
  if (shape->kind != AP_SHAPE_MESH || find_mesh(m, shape->file) >= 0 || m->n == MOST_MESHES) return;
  const char *format = ap__mesh_format(shape->file);
  const bool known = format && strcmp(format, "msh") != 0; // that the page draws
  FILE *file = known ? open_mesh(report, shape->file, &error) : NULL;
  if (file) fclose(file);
  m->drawn[m->n] = file != NULL;
  m->name[m->n++] = shape->file;
  if (!file && !shape->collision && m->missing++ == 0)
    snprintf(m->why, sizeof m->why, "mesh \"%.200s\" is not drawn: %s", shape->file, error.text);
}

static bool is_drawn(const meshes *m, const ap_shape *shape) {
  const int mesh = shape->kind == AP_SHAPE_MESH ? find_mesh(m, shape->file) : -1;
  return shape->kind == AP_SHAPE_MESH ? mesh >= 0 && m->drawn[mesh] : shape->kind != AP_SHAPE_NONE;
}

// Can a link be drawn as its file says it looks? Otherwise it is drawn as what it collides as.
static bool is_visible(const ap__report *report, const meshes *m, int body) {
  const ap_shape *shape;
  for (int k = 0; (shape = ap_robot_shape(report->run->recorded.robot, body, k)); k++)
    if (!shape->collision && is_drawn(m, shape)) return true;
  return false;
}

static void find_meshes(ap__report *report, meshes *m) {
  const ap_shape *shape;
  for (int i = 1; i < ap_nbody(report->model); i++) {
    for (int k = 0; (shape = ap_robot_shape(report->run->recorded.robot, i, k)); k++)
      if (!shape->collision) add_mesh(report, m, shape);
    if (is_visible(report, m, i)) continue;
    for (int k = 0; (shape = ap_robot_shape(report->run->recorded.robot, i, k)); k++)
      if (shape->collision) add_mesh(report, m, shape);
  }
  if (m->missing == 1) ap__report_warn(report, "%s", m->why);
  if (m->missing > 1) ap__report_warn(report, "%s (and %d more)", m->why, m->missing - 1);
}

// The bytes of a file. What cannot be read, or is too much, the page leaves out: it is cut off
// there.
static void write_file(ap__report *report, ap_json *json, const char *name) {
  ap__base64 b;
  ap_error ignored;
  enum { BLOCK = 1 << 16 };
  unsigned char *block = malloc(BLOCK);
  FILE *file = block ? open_mesh(report, name, &ignored) : NULL;
  size_t n = 0;
  ap__base64_begin(&b, json, "data");
  while (file && report->mesh_bytes < MOST_MESH_BYTES && (n = fread(block, 1, BLOCK, file)) > 0) {
    ap__base64_add(&b, block, n);
    report->mesh_bytes += n;
  }
  ap__base64_end(&b);
  if (!file || ferror(file)) ap__report_warn(report, "mesh \"%.200s\" cannot be read", name);
  if (report->mesh_bytes >= MOST_MESH_BYTES)
    ap__report_warn(report, "mesh \"%.200s\" is not drawn: there are more than %d MiB of meshes",
                    name, MOST_MESH_BYTES >> 20);
  if (file) fclose(file);
  free(block);
}

static void write_meshes(ap__report *report, const meshes *m, ap_json *json) {
  ap_json_open(json, "meshes", '[');
  for (int k = 0; k < m->n; k++) {
    const char *slash = strrchr(m->name[k], '/'), *format = ap__mesh_format(m->name[k]);
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "name", slash ? slash + 1 : m->name[k]);
    ap_json_string(json, "format", format ? format : "");
    if (m->drawn[k]) write_file(report, json, m->name[k]);
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

// ---- bodies ------------------------------------------------------------------------------------

static void write_shape(const meshes *m, const ap_shape *shape, ap_json *json) {
  static const char *const kind[] = {"", "box", "cylinder", "sphere", "mesh"};
  frame at;
  const int mesh = shape->kind == AP_SHAPE_MESH ? find_mesh(m, shape->file) : -1;
  if (!is_drawn(m, shape)) return;
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "kind", kind[shape->kind]);
  if (shape->collision) ap_json_bool(json, "collision", true);
  if (shape->kind == AP_SHAPE_BOX) ap_json_numbers(json, "size", shape->size, 3);
  if (shape->kind == AP_SHAPE_CYLINDER || shape->kind == AP_SHAPE_SPHERE)
    ap_json_number(json, "radius", shape->size[0]);
  if (shape->kind == AP_SHAPE_CYLINDER) ap_json_number(json, "length", shape->size[1]);
  if (mesh >= 0) ap_json_integer(json, "mesh", mesh);
  if (mesh >= 0) ap_json_numbers(json, "scale", shape->size, 3);
  memcpy(at.p, shape->xyz, sizeof at.p);
  matrix_of_rpy(shape->rpy, at.R);
  write_frame(json, NULL, &at);
  if (shape->colored)
    ap_json_numbers(json, "color", shape->color, 4);
  else
    ap_json_null(json, "color");
  ap_json_close(json, '}');
}

// What a follower's coordinate is of that of the joint at the end of its chain.
static void write_mimic(const ap__report *report, int body, ap_json *json, double *offset) {
  double ratio = 1;
  *offset = 0;
  if (!ap_body(report->model, body)->mimic) {
    ap_json_null(json, "mimic");
    return;
  }
  for (const ap_body_def *d = ap_body(report->model, body); d->mimic;
       d = ap_body(report->model, d->mimic)) {
    *offset += ratio * d->mimic_offset;
    ratio *= d->mimic_ratio;
  }
  ap_json_open(json, "mimic", '{');
  ap_json_number(json, "multiplier", ratio);
  ap_json_number(json, "offset", *offset);
  ap_json_close(json, '}');
}

static int coordinates_of(ap_joint_type type) {
  static const int n[] = {[AP_FIXED] = 0,     [AP_REVOLUTE] = 1, [AP_PRISMATIC] = 1,
                          [AP_SPHERICAL] = 4, [AP_PLANAR] = 3,   [AP_FREE] = 7};
  return n[type];
}

// What bounds a joint of one coordinate: only the bounds that there are.
static void write_limits(const ap_body_def *def, ap_json *json) {
  if (def->joint != AP_REVOLUTE && def->joint != AP_PRISMATIC) return;
  ap_json_open(json, "limits", '{');
  if (isfinite(def->lower)) ap_json_number(json, "lower", def->lower);
  if (isfinite(def->upper)) ap_json_number(json, "upper", def->upper);
  if (isfinite(def->velocity_limit)) ap_json_number(json, "velocity", def->velocity_limit);
  if (isfinite(def->effort_limit)) ap_json_number(json, "effort", def->effort_limit);
  ap_json_close(json, '}');
}

static double write_joint(const ap__report *report, int body, const double axis[3], ap_json *json) {
  static const char *const type[] = {"fixed",     "revolute", "prismatic",
                                     "spherical", "planar",   "free"};
  const ap_body_def *def = ap_body(report->model, body);
  const int first = ap_joint_q(report->model, body);
  double offset;
  ap_json_open(json, "joint", '{');
  ap_json_string(json, "name", ap__joint_name(ap_body(report->model, body)));
  ap_json_string(json, "type", type[def->joint]);
  ap_json_numbers(json, "axis", axis, 3);
  ap_json_open(json, "columns", '[');
  for (int k = 0; first >= 0 && report->run->recorded.replays && k < coordinates_of(def->joint);
       k++)
    ap_json_string(json, NULL, report->about->column[1 + first + k].name);
  ap_json_close(json, ']');
  write_mimic(report, body, json, &offset);
  write_limits(def, json);
  ap_json_close(json, '}');
  return offset;
}

// The axis in the joint frame, of length one.
static void unit_axis(const ap_body_def *def, double axis[3]) {
  static const double z[3] = {0, 0, 1};
  const double *given = def->place.kind <= AP_PLACE_MATRIX ? def->axis : z;
  const double n = norm3(given);
  for (int k = 0; k < 3; k++) axis[k] = n > 0 ? given[k] / n : z[k];
}

static void write_body(const ap__report *report, const meshes *m, const frame *pose, int body,
                       ap_json *json) {
  const ap_body_def *def = ap_body(report->model, body);
  const ap_shape *shape;
  double axis[3];
  unit_axis(def, axis);
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "name", def->name);
  ap_json_integer(json, "parent", def->parent - 1);
  const double offset = write_joint(report, body, axis, json);
  const frame back = inverse(&pose[def->parent]), here = compose(&back, &pose[body]);
  const frame undo = motion(def->joint, axis, -offset);
  if (def->place.kind == AP_DH_STANDARD) { // it moves before it is placed
    const frame none = motion(AP_FIXED, axis, 0), link = compose(&undo, &here);
    write_frame(json, "origin", &none);
    write_frame(json, "link", &link);
  } else {
    const frame origin = compose(&here, &undo);
    write_frame(json, "origin", &origin);
  }
  ap_json_number(json, "mass", def->mass);
  ap_json_numbers(json, "com", def->com, 3);
  write_ellipsoid(json, report->model, body);
  ap_json_open(json, "shapes", '[');
  const bool visible = is_visible(report, m, body);
  for (int k = 0; (shape = ap_robot_shape(report->run->recorded.robot, body, k)); k++)
    if (shape->collision != visible) write_shape(m, shape, json);
  ap_json_close(json, ']');
  ap_json_close(json, '}');
}

// Poses of all links where every coordinate is zero; NULL: no memory.
static frame *neutral_poses(const ap_model *m) {
  const size_t size = ap_work_size(m);
  void *memory = malloc(size);
  double *q = calloc((size_t)ap_nq(m) + 1, sizeof *q);
  frame *pose = calloc((size_t)ap_nbody(m), sizeof *pose);
  const bool good = memory && q && pose;
  if (good) {
    ap_work *w = ap_work_init(m, memory, size);
    ap_neutral(m, q);
    ap_kinematics(m, w, q, NULL, NULL);
    for (int i = 0; i < ap_nbody(m); i++) ap_frame_pose(m, w, i, pose[i].R, pose[i].p);
  }
  free(q);
  free(memory);
  if (good) return pose;
  free(pose);
  return NULL;
}

// ---- walls, points, closures -------------------------------------------------------------------

// How a wall moves; nothing for one that stays.
static void write_wall_motion(const ap_wall_motion *m, ap_json *json) {
  if (!(norm3(m->velocity) > 0) && !(norm3(m->amplitude) > 0) && m->spin == 0 && m->swing == 0)
    return;
  ap_json_open(json, "motion", '{');
  ap_json_numbers(json, "velocity", m->velocity, 3);
  ap_json_numbers(json, "amplitude", m->amplitude, 3);
  ap_json_numbers(json, "axis", m->axis, 3);
  ap_json_numbers(json, "pivot", m->pivot, 3);
  ap_json_number(json, "spin", m->spin);
  ap_json_number(json, "swing", m->swing);
  ap_json_number(json, "frequency", m->frequency);
  ap_json_number(json, "phase", m->phase);
  ap_json_number(json, "from", m->from);
  if (isfinite(m->to)) ap_json_number(json, "to", m->to);
  ap_json_close(json, '}');
}

static void write_wall(const ap_wall *w, ap_json *json) {
  static const char *const kind[] = {"plane",  "circle",    "ellipse",     "cylinder",
                                     "sphere", "ellipsoid", "torus",       "profile",
                                     "disc",   "rectangle", "box",         "capped_cylinder",
                                     "cone",   "stairs",    "height_field"};
  const bool capped = w->kind == AP_WALL_CAPPED_CYLINDER || w->kind == AP_WALL_CONE;
  const bool round = w->kind == AP_WALL_CIRCLE || w->kind == AP_WALL_CYLINDER ||
                     w->kind == AP_WALL_SPHERE || w->kind == AP_WALL_DISC || capped;
  const bool flat =
      w->kind == AP_WALL_PLANE || w->kind == AP_WALL_DISC || w->kind == AP_WALL_RECTANGLE;
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "name", w->name ? w->name : "wall");
  ap_json_string(json, "kind", kind[w->kind]);
  ap_json_bool(json, "inside", w->inside);
  ap_json_numbers(json, "centre", w->centre, 3);
  ap_json_numbers(json, flat ? "normal" : "axis", w->axis, 3);
  ap_json_numbers(json, "x", w->x, 3);
  if (round) ap_json_number(json, "radius", w->size[0]);
  if (w->kind == AP_WALL_ELLIPSE) ap_json_numbers(json, "semi_axes", w->size, 2);
  if (w->kind == AP_WALL_ELLIPSOID) ap_json_numbers(json, "semi_axes", w->size, 3);
  if (w->kind == AP_WALL_TORUS) ap_json_number(json, "ring", w->size[0]);
  if (w->kind == AP_WALL_TORUS) ap_json_number(json, "tube", w->size[1]);
  if (w->kind == AP_WALL_RECTANGLE) ap_json_numbers(json, "lengths", w->size, 2);
  if (w->kind == AP_WALL_BOX) ap_json_numbers(json, "lengths", w->size, 3);
  if (capped) ap_json_number(json, "length", w->size[1]);
  if (w->kind == AP_WALL_CONE) ap_json_number(json, "top_radius", w->size[2]);
  if (w->kind == AP_WALL_STAIRS) {
    ap_json_integer(json, "steps", w->count);
    ap_json_number(json, "rise", w->size[0]);
    ap_json_number(json, "run", w->size[1]);
  }
  if (w->kind == AP_WALL_HEIGHT_FIELD) {
    ap_json_numbers(json, "spacing", w->size, 2);
    ap_json_open(json, "heights", '[');
    for (int k = 0; k < w->npoint; k += w->count)
      ap_json_numbers(json, NULL, w->points + k, w->count);
    ap_json_close(json, ']');
  }
  write_wall_motion(&w->motion, json);
  ap_json_number(json, "restitution", w->restitution);
  ap_json_number(json, "friction", w->friction);
  if (w->kind == AP_WALL_PROFILE) {
    ap_json_open(json, "points", '[');
    for (int k = 0; k < w->npoint; k++) ap_json_numbers(json, NULL, w->points + 2 * k, 2);
    ap_json_close(json, ']');
  }
  ap_json_close(json, '}');
}

// The shape of a contact; of a hull its corners.
static void write_contact_shape(const ap_contact_point *p, ap_json *json) {
  static const char *const kind[] = {[AP_CONVEX_SPHERE] = "sphere",
                                     [AP_CONVEX_CAPSULE] = "capsule",
                                     [AP_CONVEX_BOX] = "box",
                                     [AP_CONVEX_CYLINDER] = "cylinder",
                                     [AP_CONVEX_HULL] = "hull"};
  const ap_convex *s = p->shape;
  int corners, edges, faces;
  ap_json_open(json, "shape", '{');
  ap_json_string(json, "kind", kind[s->kind]);
  const double none[4] = {0, 0, 0, 1}, *q = p->orientation;
  bool turned = q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0;
  ap_json_numbers(json, "orientation", turned ? q : none, 4);
  if (s->kind == AP_CONVEX_SPHERE || s->kind == AP_CONVEX_CAPSULE || s->kind == AP_CONVEX_CYLINDER)
    ap_json_number(json, "radius", s->radius);
  if (s->kind == AP_CONVEX_CAPSULE || s->kind == AP_CONVEX_CYLINDER)
    ap_json_number(json, "length", 2 * s->half[2]);
  if (s->kind == AP_CONVEX_BOX) ap_json_numbers(json, "half", s->half, 3);
  if (s->kind == AP_CONVEX_HULL) {
    ap_json_open(json, "corners", '[');
    ap_hull_counts(s->hull, &corners, &edges, &faces);
    for (int i = 0; i < corners; i++) ap_json_numbers(json, NULL, ap_hull_corner(s->hull, i), 3);
    ap_json_close(json, ']');
  }
  ap_json_close(json, '}');
}

static void write_scene(const ap_scene *scene, ap_json *json) {
  ap_json_open(json, "walls", '[');
  for (int k = 0; k < scene->nwall; k++) write_wall(&scene->wall[k], json);
  ap_json_close(json, ']');
  ap_json_open(json, "points", '[');
  for (int k = 0; k < scene->npoint; k++) {
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "name", scene->point[k].name);
    ap_json_integer(json, "body", scene->point[k].body - 1);
    ap_json_numbers(json, "xyz", scene->point[k].at, 3);
    if (scene->point[k].shape) write_contact_shape(&scene->point[k], json);
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

static void write_closures(const ap_mechanism *m, ap_json *json) {
  static const char *const kind[] = {"point", "axis", "point_on_line", "frame", "distance", "gear"};
  ap_json_open(json, "closures", '[');
  for (int k = 0; k < ap_mechanism_nclosure(m); k++) {
    const ap_closure_def *c = ap_mechanism_closure(m, k);
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "name", c->name);
    ap_json_string(json, "kind", kind[c->kind]);
    ap_json_integer(json, "body_a", c->body[0] - 1);
    ap_json_numbers(json, "xyz_a", c->at[0], 3);
    ap_json_integer(json, "body_b", c->body[1] - 1);
    ap_json_numbers(json, "xyz_b", c->at[1], 3);
    if (c->kind == AP_CLOSE_AXIS) ap_json_numbers(json, "axis_a", c->axis[0], 3);
    if (c->kind == AP_CLOSE_AXIS) ap_json_numbers(json, "axis_b", c->axis[1], 3);
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

// ---- the whole ---------------------------------------------------------------------------------

ap_status ap__report_model(ap__report *report, ap_json *json) {
  if (!report->model) {
    ap_json_null(json, "model");
    return AP_OK;
  }
  meshes *m = calloc(1, sizeof *m);
  frame *pose = neutral_poses(report->model);
  if (!m || !pose) {
    free(m);
    free(pose);
    return ap__no_memory(report->error);
  }
  find_meshes(report, m);
  ap_json_open(json, "model", '{');
  ap_json_string(json, "name", ap_model_name(report->model));
  ap_json_integer(json, "freedom",
                  report->mechanism ? ap_mechanism_n(report->mechanism) : ap_nv(report->model));
  ap_json_numbers(
      json, "gravity",
      report->scene && report->scene->gravity ? report->scene->gravity : ap_gravity(report->model),
      3);
  write_meshes(report, m, json);
  ap_json_open(json, "bodies", '[');
  for (int i = 1; i < ap_nbody(report->model); i++) write_body(report, m, pose, i, json);
  ap_json_close(json, ']');
  ap_json_close(json, '}');
  if (report->scene) write_scene(report->scene, json);
  if (report->mechanism) write_closures(report->mechanism, json);
  free(m);
  free(pose);
  return AP_OK;
}
