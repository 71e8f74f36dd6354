// SPDX-License-Identifier: Apache-2.0
/// @file peer.h
/// Other libraries on our models, each where it was found when this was built.
///
/// A peer gets the robot as links at q = 0, so that it does not matter how we place joints.

#ifndef CLI_PEER_H
#define CLI_PEER_H

#include <appell/bench.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a link moves on its parent: about an axis, along it, or freely.
typedef enum cli_joint { CLI_TURNS, CLI_SLIDES, CLI_FREE } cli_joint;

/// A moving body with all that is fixed to it. Vectors are in its own frame.
typedef struct cli_link {
  int parent; ///< number of the link it hangs on, from 1; 0: the ground
  cli_joint joint;
  int q, v;          ///< its first coordinate and velocity
  bool is_end;       ///< nothing hangs on it
  double R[9], p[3]; ///< its frame in its parent's, at q = 0
  double axis[3];    ///< of the joint, in its own frame at q = 0; z where it is free
  double point[3];   ///< on that axis
  double mass, com[3];
  double inertia[6]; ///< xx xy xz yy yz zz about com
} cli_link;

typedef struct cli_links {
  int n, nq, nv; ///< links, coordinates, velocities
  cli_link *link;
  double gravity[3];
} cli_links;

/// A robot in one of the libraries.
typedef struct cli_peer {
  ap_peer peer; ///< without an own where the library cannot take the robot
  /// Of every end in turn, in the world's axes: R (9), p (3), and the Jacobian (6 * nv, linear
  /// above angular) at its origin. out as ap_peer has it. NULL: the library is not asked for it.
  void (*kinematics)(void *own, const double *q, double *out);
  void (*close)(void *own);
} cli_peer;

/// @{
/// The libraries with a robot in them.
cli_peer cli_peer_kdl(const cli_links *links);
cli_peer cli_peer_mujoco(const cli_links *links);
cli_peer cli_peer_pinocchio(const cli_links *links);
cli_peer cli_peer_rbdl(const cli_links *links);
/// @}

/// One of the libraries.
typedef struct cli_peer_kind {
  const char *path, *name;                  ///< in results, and as its authors write it
  cli_peer (*open)(const cli_links *links); ///< NULL: it was not found
} cli_peer_kind;

enum { CLI_PEERS = 4 };
extern const cli_peer_kind cli_peers[CLI_PEERS];

#ifdef __cplusplus
}
#endif

#endif
