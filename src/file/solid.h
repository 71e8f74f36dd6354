// SPDX-License-Identifier: Apache-2.0
// Mass, centre of mass and inertia of meshes and simple shapes: exactly, and by MuJoCo's rules.

#ifndef AP_FILE_SOLID_H
#define AP_FILE_SOLID_H

#include "file/mesh.h"

// A rigid body. Of density 1 the mass is a volume (of a shell: an area).
typedef struct ap__solid {
  double mass;
  double com[3];
  double inertia[6]; // xx xy xz yy yz zz about the centre of mass
} ap__solid;

void ap__solid_scale(ap__solid *s, double factor); // of mass and inertia
// From the axes that R (row-major, their directions as columns) and their origin p describe to
// those outside.
void ap__solid_move(ap__solid *s, const double R[9], const double p[3]);
// One body of both, rigidly connected.
void ap__solid_add(ap__solid *sum, const ap__solid *s);

// ---- simple shapes -----------------------------------------------------------------------------

// size, all half sizes: radius; radius, half length along z (of a capsule without its caps); three
// half sides or semi-axes.
typedef enum ap__simple {
  AP__SPHERE,
  AP__CAPSULE,
  AP__ELLIPSOID,
  AP__CYLINDER,
  AP__BOX
} ap__simple;

// The solid, or the shell of constant thickness around it, of density 1 at the origin. The shell of
// an ellipsoid is approximated as MuJoCo does: its area by Thomsen's formula, its inertia as that
// of a layer between two ellipsoids whose semi-axes differ by 1e-6.
ap__solid ap__simple_solid(ap__simple shape, const double size[3], bool shell);

// ---- meshes, exactly ---------------------------------------------------------------------------

// What the surface encloses, of density 1, each vertex scaled by its own factor per axis. Negative
// mass: the faces are turned inside out. Of an open surface the numbers depend on where the origin
// is: ap__mesh_examine() tells.
ap__solid ap__mesh_solid(const ap__mesh *mesh, const double scale[3]);

// ---- meshes by MuJoCo's rules ------------------------------------------------------------------

// The rules of <mesh inertia="...">. MuJoCo's default is legacy. Before it existed the choice was
// compiler exactmeshinertia="true" (exact, else legacy; up to MuJoCo 3.2.4) and, for meshes too,
// geom shellinertia="true" (shell; up to 3.2.7).
typedef enum ap__mesh_rule {
  AP__MESH_LEGACY, // pyramids from the centroid of the faces, all of them counted positive
  AP__MESH_EXACT,  // what the surface encloses; refused where its orientation is inconsistent
  AP__MESH_CONVEX, // the convex hull of all vertices
  AP__MESH_SHELL   // a thin layer
} ap__mesh_rule;

// What an <mesh> element says.
typedef struct ap__mesh_use {
  ap__mesh_rule rule;
  double scale[3];   // may be negative; applied last
  double refpos[3];  // subtracted first
  double refquat[4]; // w x y z, any length but 0; its inverse is applied then
} ap__mesh_use;

ap__mesh_use ap__default_mesh_use(void);

// What MuJoCo makes of it: the mesh is moved to its centre of mass and turned to its principal
// axes, and a geom that shows it moves with it.
typedef struct ap__mesh_compiled {
  double volume;  // area of a shell
  double pos[3];  // of the centre of mass, in the mesh's axes after scale, refpos and refquat
  double quat[4]; // w x y z, of the principal axes there; largest moment first
  double box[3];  // half sides of the box (solid also for a shell) with this mass and inertia
  double low[3], high[3]; // bounds of all vertices about that place, in these axes
} ap__mesh_compiled;

// Polygons of an OBJ file are cut as MuJoCo does it, which loses parts of some. What it refuses by
// mistake is weighed here: a mirrored mesh with the rule convex, a mirrored MSH file with the rule
// exact. maxhullvert is not known here.
// Vertices are rounded to float and faces are those of an OBJ file's first object, as MuJoCo has
// it. AP_E_UNSUPPORTED: MuJoCo refuses this mesh (no area or volume, inside out, fewer than four
// vertices, ...); the error says why. Products of inertia about its axes that MuJoCo drops, below
// 1e-7 of the largest moment, are dropped here, too (up to MuJoCo 3.12 those below 1e-12 m5 were).
ap_status ap__mesh_compile(const ap__mesh *mesh, const ap__mesh_use *use, ap__mesh_compiled *out,
                           ap_error *error);
// Of density 1, in the axes that pos and quat are in: what a geom type="mesh" weighs, where the
// geom's own pos and quat place these axes.
ap__solid ap__compiled_solid(const ap__mesh_compiled *mesh);

// A simple shape fitted to a mesh (geom type="box" mesh="..."): its size, and its place pos, quat
// (w x y z) in the mesh's axes. aabb: compiler fitaabb="true", the smallest one whose bounding box
// holds the mesh's; else the one with the size of the box of inertia. fitscale multiplies the size.
void ap__mesh_fit(const ap__mesh_compiled *mesh, ap__simple shape, bool aabb, double fitscale,
                  double size[3], double pos[3], double quat[4]);

#endif
