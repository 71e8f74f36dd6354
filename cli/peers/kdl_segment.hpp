// SPDX-License-Identifier: Apache-2.0
// Our links as segments of KDL.

#ifndef CLI_KDL_SEGMENT_HPP
#define CLI_KDL_SEGMENT_HPP

#include <kdl/segment.hpp>
#include <string>

#include "peers/peer.h"

static inline KDL::Vector cli_kdl_vector(const double *x) { return KDL::Vector(x[0], x[1], x[2]); }

static inline KDL::Segment cli_kdl_segment(const cli_link &l, const std::string &name,
                                           const std::string &joint_name) {
  const double *R = l.R, *I = l.inertia;
  const KDL::Frame tip(KDL::Rotation(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]),
                       cli_kdl_vector(l.p));
  const KDL::Joint joint(joint_name, tip * cli_kdl_vector(l.point), tip.M * cli_kdl_vector(l.axis),
                         l.joint == CLI_SLIDES ? KDL::Joint::TransAxis : KDL::Joint::RotAxis);
  const KDL::RotationalInertia about_com(I[0], I[3], I[5], I[1], I[2], I[4]);
  return KDL::Segment(name, joint, tip,
                      KDL::RigidBodyInertia(l.mass, cli_kdl_vector(l.com), about_com));
}

#endif
