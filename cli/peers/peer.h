// SPDX-License-Identifier: Apache-2.0
/// @file peer.h
/// Other libraries on our models: KDL and MuJoCo, where they were found when this was built.
///
/// A peer gets the robot as links at q = 0, so that it does not matter how we place joints. It
/// takes robots whose joints all have one coordinate of their own.

#ifndef CLI_PEER_H
#define CLI_PEER_H

#include <appell/bench.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A moving body with all that is fixed to it. Vectors are in its own frame.
typedef struct cli_link {
  int parent;        ///< number of the link it hangs on, from 1; 0: the ground
  bool slides;       ///< along the axis; otherwise it turns about it
  double R[9], p[3]; ///< its frame in its parent's, at q = 0
  double axis[3];    ///< of the joint, in its own frame at q = 0
  double point[3];   ///< on that axis
  double mass, com[3];
  double inertia[6]; ///< xx xy xz yy yz zz about com
} cli_link;

typedef struct cli_links {
  int n; ///< links, which is also the number of coordinates
  cli_link *link;
  double gravity[3];
} cli_links;

/// One of the libraries.
typedef struct cli_peer {
  ap_peer peer; ///< without an own where the library was not found or cannot take it
  void (*close)(void *own);
} cli_peer;

/// @{
/// The libraries with a robot in them.
cli_peer cli_peer_kdl(const cli_links *links);
cli_peer cli_peer_mujoco(const cli_links *links);
/// @}

#ifdef __cplusplus
}
#endif

#endif
