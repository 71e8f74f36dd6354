// SPDX-License-Identifier: Apache-2.0
// The robot of a file while it is read, and the one that comes out.
//
// A reader collects parts: bodies in the file's order, with names where a definition has numbers.
// ap__robot_assemble() then orders them, resolves the names and fills the robot.

#ifndef AP_FILE_ROBOT_H
#define AP_FILE_ROBOT_H

#include <appell/file.h>

#include "base/error.h"

// Limits on what a file may ask for, against files that are made to exhaust the machine.
enum {
  AP__MAX_BYTES = 64 << 20, // of a robot file
  AP__MAX_DEPTH = 200,      // of nested elements
  AP__MAX_NODES = 8000000,  // elements, attributes, keys and values
  AP__MAX_PARTS = 100000,   // bodies, joints or frames
  AP__MAX_SHAPES = 1000000
};

// Texts and records that are freed together. All zero is a valid empty pool.
typedef struct ap__pool {
  struct ap__pool_block *block;
} ap__pool;

// Memory with this alignment; NULL: there is none.
void *ap__pool_bytes(ap__pool *pool, size_t size, size_t alignment);
// A copy of length bytes of text, closed by a zero; NULL: no memory.
const char *ap__pool_text(ap__pool *pool, const char *text, size_t length);
// What lives in one lives on in the other, and it is empty.
void ap__pool_join(ap__pool *to, ap__pool *from);
void ap__pool_free(ap__pool *pool);

// Shapes while a file is read: their body is the index of a part. All zero is an empty list.
typedef struct ap__shapes {
  ap_shape *shape;
  int n, capacity;
} ap__shapes;

typedef struct ap__chains ap__chains; // file/chains.h

// Fields of ap_body_def that a file may put on lines of their own. A message of the model about one
// of them starts with its name.
#define AP__BODY_FIELDS(X) \
  X(mass)                  \
  X(com)                   \
  X(inertia)               \
  X(inertia_rpy)           \
  X(viscous)               \
  X(coulomb)               \
  X(stiction)              \
  X(stiffness)             \
  X(rest)                  \
  X(gravity_compensation)  \
  X(rotor_inertia)         \
  X(gear_ratio)            \
  X(lower)                 \
  X(upper)                 \
  X(velocity_limit) X(effort_limit) X(place) X(axis) X(mimic) X(mimic_ratio) X(mimic_offset)

// Where a body and its fields stand in the file; 0: not said.
typedef struct ap__lines {
  int body, joint, parent;
#define AP__FIELD_LINE(field) int field;
  AP__BODY_FIELDS(AP__FIELD_LINE)
#undef AP__FIELD_LINE
} ap__lines;

struct ap_robot {
  ap_robot_def def;    // its arrays and names belong to the robot
  ap_body_def *bodies; // [nbody], body k + 1 at k
  ap__lines *lines;    // [nbody + 1] by body number
  int nbody, body_capacity;
  ap_frame_def *frames; // [nframe]
  int *frame_lines;     // [nframe]
  int nframe, frame_capacity, frame_line_capacity;
  ap_error *warnings; // [nwarning]
  int nwarning, warning_capacity;
  ap_shape *shapes; // [nshape] by body, those of one in the order of the file
  int nshape;
  int ground_geoms;     // of an MJCF file: geoms of its world that may touch; they are no shapes
  int ground_geom_line; // of the first of them
  ap__chains *chains;   // NULL: a tree
  const char *path;     // of the file that it was read from, NULL: of none
  ap__pool pool;        // all names
};

// One body as a file has it.
typedef struct ap__part {
  ap_body_def def;    // its parent and mimic are set by ap__robot_assemble()
  const char *parent; // NULL: the ground
  const char *leader; // joint that this one follows; NULL: none
  ap__lines at;
  int number; // of the body; set by ap__robot_assemble()
} ap__part;

typedef struct ap__parts {
  ap__part *part;
  int n, capacity;
} ap__parts;

ap_robot *ap__robot_new(void);
// A text that lives as long as the robot; NULL: no memory.
const char *ap__robot_text(ap_robot *robot, const char *text, size_t length);
// Append. False: no memory.
bool ap__robot_warn(ap_robot *robot, int line, const char *format, ...) AP_PRINTF(3, 4);
// A shape at the link frame with scale 1, at the end of the list; NULL: no memory.
ap_shape *ap__shapes_add(ap__shapes *shapes, int part);
// Give a robot made of a built-in definition the shapes that it is drawn with; others get none.
// False: no memory.
bool ap__robot_add_look(ap_robot *robot, const ap_robot_def *def);
// Give an assembled robot the shapes of its parts. False: no memory.
bool ap__robot_set_shapes(ap_robot *robot, const ap__shapes *shapes, const ap__part *part);
bool ap__robot_add_frame(ap_robot *robot, const ap_frame_def *frame, int line);
// A part with the defaults of ap_default_body(), at the end of the list; NULL: no memory.
ap__part *ap__parts_add(ap__parts *parts);
// ap__fail() with the arguments of a caller that takes "...".
void ap__vfail(ap_error *error, ap_status status, int line, const char *format, va_list arguments)
    AP_PRINTF(4, 0);

// Check names, order the bodies (repeatedly the first part whose parent is already placed), resolve
// parents and mimic leaders. The names of the parts must belong to the robot.
ap_status ap__robot_assemble(ap_robot *robot, ap__parts *parts, const ap_read_options *options,
                             ap_error *error);
// Warn that closures are ignored.
ap_status ap__robot_open_loops(ap_robot *robot, int line, int closures, ap_error *error);
// Hang an assembled robot on a free joint (see ap_read_options).
ap_status ap__robot_set_free(ap_robot *robot, ap_error *error);
// A name that none of the robot's bodies and frames (or joints) has: base, with underscores before
// it where needed. NULL: no memory.
const char *ap__robot_new_name(ap_robot *robot, const char *base, bool joint);
const char *ap__joint_name(const ap_body_def *body);
// The length of `KIND "NAME": ` if a message starts with it; 0.
size_t ap__starts_with_name(const char *text, const char *kind, const char *name);
// A control character of ASCII or Latin-1 (U+0080 to U+009F): no name has one.
bool ap__has_control(const char *text, size_t length);

// "urdf", "mjcf" or "yaml" by the ending of a file's name, NULL where it tells none. A reader goes
// by the root element: both of the first two are XML.
const char *ap__format_of_path(const char *path);
// What to say of a file that is no robot file here, by the ending of its name or its root element;
// NULL: nothing is known of it.
const char *ap__foreign_format(const char *word);
// Refuse a format that is none, or more text than a robot file has.
ap_status ap__check_text(const char *format, size_t length, ap_error *error);
// A whole robot file and its format, by its name; the caller frees *text also where it fails.
ap_status ap__read_robot_text(const char *path, const char **format, char **text, size_t *length,
                              ap_error *error);

// "stl", "obj", "dae" or "msh" by a file's ending; NULL: no mesh that is read.
const char *ap__mesh_format(const char *name);
// The file that a mesh's name means, as ap_mesh_find() finds it, opened for reading: a regular file
// with the ending of a mesh below the robot file's folder or package, or below the folder `meshes`
// that the user allows ("": none; NULL: there is no such option). Elsewhere it is AP_E_UNSUPPORTED,
// and the error says where it is.
ap_status ap__mesh_open(const char *name, const char *robot_file, const char *meshes, int *file,
                        ap_error *error);
// The same for another part of the robot's own text, an XML file that it includes.
ap_status ap__include_open(const char *name, const char *robot_file, int *file, ap_error *error);

// A whole file, closed by a zero that does not count. The caller frees *text in any case.
ap_status ap__read_file(const char *path, char **text, size_t *length, ap_error *error);
// The same of an open file, which is closed.
ap_status ap__read_open_file(int file, char **text, size_t *length, ap_error *error);
// A file that cannot be opened, read or written, and why (an errno).
ap_status ap__refuse_file(ap_error *error, const char *doing, int code);

#endif
