// SPDX-License-Identifier: Apache-2.0
/// @file referee.h
/// A robot as another program has it, to be compared with ours.
///
/// Where the program reads such files, it reads the file itself, so that it may understand the
/// file otherwise than we do; else it gets our links. Coordinates are ours.

#ifndef CLI_REFEREE_H
#define CLI_REFEREE_H

#include "peers/peer.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A moving body with all that is fixed to it, in the frame of its link, and its joint.
typedef struct cli_other_body {
  double mass, com[3];
  double inertia[6]; ///< xx xy xz yy yz zz about com
  bool has_joint;    ///< are the following known?
  double armature, damping, friction;
  double lower, upper; ///< infinite where there is none
} cli_other_body;

typedef struct cli_referee {
  char program[64]; ///< name and version
  bool read_file;   ///< itself
  char note[160];   ///< how it differs from what was given; empty: not at all
  double gravity[3];
  void *own;
  /// tau of a state, rigid bodies alone.
  void (*inverse)(void *own, const double *q, const double *v, const double *a, double *tau);
  /// Pose of the link frame of a body in the ground, in the state of the last call; false: it has
  /// no such link.
  bool (*pose)(void *own, int body, double R[9], double p[3]);
  /// A moving body; after inverse().
  void (*body)(void *own, int body, cli_other_body *out);
  void (*close)(void *own);
} cli_referee;

/// Give a robot to the program: the file, NULL where there is none, or its links. False: why says
/// in one line why it does not take it.
typedef bool cli_referee_open(const char *file, const ap_model *m, const cli_links *links,
                              cli_referee *referee, char *why, size_t size);
cli_referee_open cli_referee_mujoco, cli_referee_kdl;

/// One that can be asked for.
typedef struct cli_referee_kind {
  const char *name;       ///< as `--against` wants it
  cli_referee_open *open; ///< NULL: it was not found when this was built
} cli_referee_kind;

enum { CLI_REFEREES = 2 };
extern const cli_referee_kind cli_referees[CLI_REFEREES];

#ifdef __cplusplus
}
#endif

#endif
