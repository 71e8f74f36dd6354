// SPDX-License-Identifier: Apache-2.0
/// @file weigh.h
/// Mass, centre of mass and inertia of links from their shapes and meshes, for robot files that
/// have none or wrong ones. Part of libappell-tools; allocates.

#ifndef APPELL_WEIGH_H
#define APPELL_WEIGH_H

#include <appell/file.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Which shapes of a link are taken.
typedef enum ap_weigh_shapes {
  AP_WEIGH_ANY, ///< the visual ones; those for collision where the visual ones cannot be used, or
                ///< are open and those for collision are not
  AP_WEIGH_VISUAL,   ///< the visual ones
  AP_WEIGH_COLLISION ///< those for collision
} ap_weigh_shapes;

/// How to weigh. All zero: links that are missing or suspicious, with the masses of the file.
typedef struct ap_weigh_options {
  double density;           ///< kg/m3 of every link; 0: not by density
  double mass;              ///< kg of all links that are weighed together, by volume; 0: not so
  double missing_density;   ///< kg/m3 of links whose mass is to be kept, but is not there; 0: none
  ap_weigh_shapes shapes;   ///< which shapes
  bool all;                 ///< every link that has shapes
  const char *const *links; ///< these links, where `all` is not set
  int nlink;                ///< how many; 0: those whose inertia is missing or suspicious
} ap_weigh_options;

/// Mass properties of a link.
typedef struct ap_link_mass {
  double mass;       ///< kg
  double com[3];     ///< centre of mass in the link frame, m
  double inertia[6]; ///< xx xy xz yy yz zz about it, link axes, kg m2
  double moment[3];  ///< principal moments, ascending, kg m2
} ap_link_mass;

/// One link on the balance. Texts are one line each, never NULL, and live as long as the
/// ap_weighing.
typedef struct ap_weighed {
  const char *link;    ///< its name
  int body;            ///< its number
  int line;            ///< of the link in the file, 0 if unknown
  const char *reason;  ///< why it is weighed: "missing", "asked for", or a rule of lint.h
  bool done;           ///< false: it stays as it is, and `problem` tells why
  const char *problem; ///< "" where it is done
  const char *remark;  ///< what is doubtful: open or inverted meshes, shapes that overlap; or ""
  bool collision;      ///< from the shapes for collision
  int nshape;          ///< how many shapes
  double volume;       ///< of these together, m3
  double overlap;      ///< share of that volume that counts more than once, estimated
  ap_link_mass before; ///< as the file has it
  ap_link_mass after;  ///< by the shapes
} ap_weighed;

/// All of a robot. Free with ap_weighing_free().
typedef struct ap_weighing ap_weighing;

/// Weigh links of a robot that was read from the file `path`, and change its definition: links that
/// are `done` get what the shapes say. A link is suspicious where a rule of ap_lint_file() on mass,
/// inertia or centre of mass has a finding. Meshes are found as by ap_mesh_find(), but have to lie,
/// behind all links, below the folder or package of the robot file; STL, OBJ, MSH and DAE are read.
/// A closed mesh is weighed exactly; one that is inside out is turned; of an open
/// one, or one whose faces are oriented inconsistently, the convex hull is weighed: `remark` says
/// so, and how open it is.
AP_API ap_status ap_weigh(ap_robot *robot, const char *path, const ap_weigh_options *options,
                          ap_weighing **weighing, ap_error *error);
/// The same for a URDF file that is read past its mistakes, as ap_lint_file() does: an inertia that
/// is not complete is "missing". Nothing is changed. AP_E_SYNTAX: it is no XML.
AP_API ap_status ap_weigh_file(const char *path, const ap_weigh_options *options,
                               ap_weighing **weighing, ap_error *error);
/// Number of links that were put on the balance.
AP_API int ap_weighing_links(const ap_weighing *weighing);
/// Link i of these, from 0, in the order of bodies; NULL past the last.
AP_API const ap_weighed *ap_weighing_link(const ap_weighing *weighing, int i);
/// Write the file `from`, from which the robot was read, to `to`, with the inertias of the links
/// that are done and nothing else changed. Both are URDF in UTF-8, and may be the same. The new
/// text is read again before it is written: if a link says anything else than it should, nothing
/// is.
AP_API ap_status ap_weighing_patch(const ap_weighing *weighing, const char *from, const char *to,
                                   ap_error *error);
/// The text that ap_weighing_patch() would write. free() it; NULL where the status is not AP_OK.
AP_API ap_status ap_weighing_text(const ap_weighing *weighing, const char *from, char **text,
                                  ap_error *error);
/// Free; NULL is allowed.
AP_API void ap_weighing_free(ap_weighing *weighing);

#ifdef __cplusplus
}
#endif

#endif
