// SPDX-License-Identifier: Apache-2.0
// Links as libraries on Eigen want them: each body in a frame on its joint whose z is the axis, for
// which these libraries have their fastest joints.

#ifndef CLI_PLACED_HPP
#define CLI_PLACED_HPP

#include <Eigen/Dense>

#include "peers/peer.h"

struct cli_frame {
  Eigen::Matrix3d R;
  Eigen::Vector3d p;
};

static inline Eigen::Vector3d cli_vector(const double *x) {
  return Eigen::Vector3d(x[0], x[1], x[2]);
}

static inline Eigen::Matrix3d cli_matrix(const double *x) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x);
}

// The joint's frame as the link sees it: z along the axis, x normal to it and to the unit vector
// that is farthest from it.
static inline cli_frame cli_joint_frame(const cli_link &l) {
  if (l.joint == CLI_FREE) return {Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero()};
  const Eigen::Vector3d z = cli_vector(l.axis).normalized();
  Eigen::Index least;
  z.cwiseAbs().minCoeff(&least);
  const Eigen::Vector3d x = z.cross(Eigen::Vector3d::Unit(least)).normalized();
  Eigen::Matrix3d R;
  R << x, z.cross(x), z;
  return {R, cli_vector(l.point)};
}

// At q = 0, as the frame of the parent's joint sees it; k counts from 0.
static inline cli_frame cli_joint_place(const cli_links *links, int k) {
  const cli_link &l = links->link[k];
  const cli_frame own = cli_joint_frame(l);
  const Eigen::Matrix3d R = cli_matrix(l.R);
  const cli_frame in_parent = {R * own.R, cli_vector(l.p) + R * own.p};
  if (l.parent == 0) return in_parent;
  const cli_frame above = cli_joint_frame(links->link[l.parent - 1]);
  return {above.R.transpose() * in_parent.R, above.R.transpose() * (in_parent.p - above.p)};
}

// Centre of mass and inertia about it in the frame of the joint.
struct cli_body {
  double mass;
  Eigen::Vector3d com;
  Eigen::Matrix3d inertia;
};

static inline cli_body cli_body_of(const cli_link &l) {
  const double *I = l.inertia;
  const cli_frame own = cli_joint_frame(l);
  Eigen::Matrix3d inertia;
  inertia << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
  return {l.mass, own.R.transpose() * (cli_vector(l.com) - own.p),
          own.R.transpose() * inertia * own.R};
}

// What a result holds of one end, see cli_peer.
struct cli_end {
  int link; // its number in the library
  cli_frame joint;
  int order; // among ours
};

// Writes pose and Jacobian of a link, given those of its joint's frame; linear above angular.
static inline double *cli_put_end(const cli_end &end, const Eigen::Matrix3d &R,
                                  const Eigen::Vector3d &p, const Eigen::MatrixXd &J, double *out) {
  typedef Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows;
  const Eigen::Matrix3d own = R * end.joint.R.transpose();
  const Eigen::Vector3d to_origin = -(own * end.joint.p);
  Eigen::Map<rows>(out, 3, 3) = own;
  Eigen::Map<Eigen::Vector3d>(out + 9) = p + to_origin;
  Eigen::Map<rows> result(out + 12, 6, J.cols());
  result = J;
  for (Eigen::Index k = 0; k < J.cols(); k++)
    result.col(k).head<3>() += Eigen::Vector3d(J.col(k).tail<3>()).cross(to_origin);
  return out + 12 + 6 * J.cols();
}

#endif
