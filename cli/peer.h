/// @file peer.h
/// Other libraries on our models: KDL and MuJoCo, where they were found when this was built.
///
/// A peer gets the robot as links at q = 0, so that it does not matter how we place joints. It
/// takes robots whose joints all have one coordinate of their own.

#ifndef CLI_PEER_H
#define CLI_PEER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is measured. The third input is a for CLI_INVERSE and CLI_D_INVERSE, tau for CLI_FORWARD
/// and CLI_D_FORWARD; derivatives are three matrices one behind the other, by q, by v, by the
/// third.
typedef enum cli_what {
  CLI_INVERSE,
  CLI_INERTIA,
  CLI_FORWARD,
  CLI_D_INVERSE,
  CLI_D_FORWARD,
  CLI_WHATS
} cli_what;

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

/// Another library with a robot in it.
typedef struct cli_peer {
  const char *name; ///< as in the results
  void *own;        ///< what it works with; NULL: this robot, or this library, is not there
  bool can[CLI_WHATS];
  /// Compute. out may be NULL: then the result stays where the library leaves it.
  void (*run)(void *own, cli_what what, const double *q, const double *v, const double *x,
              double *out);
  void (*close)(void *own);
} cli_peer;

/// Peers that are not built in give a peer without an own.
cli_peer cli_peer_kdl(const cli_links *links);
cli_peer cli_peer_mujoco(const cli_links *links);

#ifdef __cplusplus
}
#endif

#endif
