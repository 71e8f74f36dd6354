// SPDX-License-Identifier: Apache-2.0
// RBDL: any tree, with one free base at most. Its free base moves along the world's axes, ours
// along its own: velocities, forces and results are turned.

#include <rbdl/rbdl.h>

#include <vector>

#include "peers/placed.hpp"

namespace rb = RigidBodyDynamics;

namespace {

typedef Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> rows;

struct robot {
  rb::Model model;
  bool is_free;
  std::vector<cli_end> ends;
  std::vector<unsigned> body; // numbers of the links
  rb::Math::VectorNd q, v, x, out;
  rb::Math::MatrixNd M;
  std::vector<rb::Math::MatrixNd> J; // of the ends, angular above linear
};

Eigen::Matrix3d turn_of(const double *q) {
  return Eigen::Quaterniond(q[6], q[3], q[4], q[5]).toRotationMatrix();
}

// a and tau turn into the world's axes, the acceleration also with the frame that it is seen from.
void take_state(robot *r, ap_quantity what, const double *q, const double *v, const double *x) {
  const Eigen::Index n = r->v.size();
  r->v = Eigen::Map<const Eigen::VectorXd>(v, n);
  r->x = Eigen::Map<const Eigen::VectorXd>(x, n);
  if (!r->is_free) {
    r->q = Eigen::Map<const Eigen::VectorXd>(q, n);
    return;
  }
  const Eigen::Matrix3d R = turn_of(q);
  r->q << Eigen::Map<const Eigen::VectorXd>(q, 6), Eigen::Map<const Eigen::VectorXd>(q + 7, n - 6),
      q[6];
  Eigen::Vector3d linear = r->x.head<3>();
  if (what == AP_INVERSE) linear += cli_vector(v + 3).cross(cli_vector(v));
  r->x.head<3>() = R * linear;
  r->v.head<3>() = R * cli_vector(v);
}

void put_result(robot *r, ap_quantity what, const double *q, const double *v, double *out) {
  const Eigen::Index n = r->v.size();
  const Eigen::Matrix3d R = r->is_free ? turn_of(q) : Eigen::Matrix3d::Identity();
  if (what == AP_INERTIA) {
    Eigen::MatrixXd M = r->M.selfadjointView<Eigen::Lower>();
    if (r->is_free) {
      M.topRows<3>() = (R.transpose() * M.topRows<3>()).eval();
      M.leftCols<3>() = (M.leftCols<3>() * R).eval();
    }
    rows(out, n, n) = M;
    return;
  }
  Eigen::Map<Eigen::VectorXd> result(out, n);
  result = r->out;
  if (!r->is_free) return;
  result.head<3>() = R.transpose() * Eigen::Vector3d(r->out.head<3>());
  if (what == AP_FORWARD) result.head<3>() -= cli_vector(v + 3).cross(cli_vector(v));
}

void run(void *own, ap_quantity what, const double *q, const double *v, const double *x,
         double *out) {
  robot *r = static_cast<robot *>(own);
  take_state(r, what, q, v, x);
  if (what == AP_INVERSE) {
    rb::InverseDynamics(r->model, r->q, r->v, r->x, r->out);
  } else if (what == AP_FORWARD) {
    rb::ForwardDynamics(r->model, r->q, r->v, r->x, r->out);
  } else {
    r->M.setZero();
    rb::CompositeRigidBodyAlgorithm(r->model, r->q, r->M);
  }
  if (out) put_result(r, what, q, v, out);
}

void put_ends(robot *r, const double *q, double *out) {
  for (size_t k = 0; k < r->ends.size(); k++) {
    const unsigned body = r->body[(size_t)r->ends[k].link];
    const rb::Math::SpatialTransform &place = r->model.X_base[body];
    Eigen::MatrixXd J(6, r->v.size());
    J << r->J[k].bottomRows<3>(), r->J[k].topRows<3>();
    if (r->is_free) J.leftCols<3>() = (J.leftCols<3>() * turn_of(q)).eval();
    out = cli_put_end(r->ends[k], place.E.transpose(), place.r, J, out);
  }
}

void kinematics(void *own, const double *q, double *out) {
  robot *r = static_cast<robot *>(own);
  take_state(r, AP_INERTIA, q, r->v.data(), r->x.data());
  rb::UpdateKinematicsCustom(r->model, &r->q, nullptr, nullptr);
  for (size_t k = 0; k < r->ends.size(); k++) {
    r->J[k].setZero();
    rb::CalcPointJacobian6D(r->model, r->q, r->body[(size_t)r->ends[k].link],
                            rb::Math::Vector3d::Zero(), r->J[k], false);
  }
  if (out) put_ends(r, q, out);
}

void close(void *own) { delete static_cast<robot *>(own); }

rb::Joint joint_of(const cli_link &l) {
  if (l.joint == CLI_FREE) return rb::Joint(rb::JointTypeFloatingBase);
  if (l.joint == CLI_TURNS) return rb::Joint(rb::JointTypeRevoluteZ);
  return rb::Joint(rb::JointTypePrismatic, rb::Math::Vector3d(0, 0, 1));
}

// In its own place for results.
void add_link(robot *r, const cli_links *links, int k) {
  const cli_link &l = links->link[k];
  const cli_frame place = cli_joint_place(links, k);
  const cli_body body = cli_body_of(l);
  const unsigned parent = l.parent == 0 ? 0 : r->body[(size_t)l.parent - 1];
  r->body.push_back(r->model.AddBody(
      parent, rb::Math::SpatialTransform(place.R.transpose(), place.p), joint_of(l),
      rb::Body(body.mass, rb::Math::Vector3d(body.com), rb::Math::Matrix3d(body.inertia))));
  if (l.is_end) r->ends.push_back({k, cli_joint_frame(l), k});
}

} // namespace

extern "C" cli_peer cli_peer_rbdl(const cli_links *links) {
  const unsigned computes = 1u << AP_INVERSE | 1u << AP_INERTIA | 1u << AP_FORWARD;
  cli_peer peer = {{"rbdl", computes, nullptr, run}, kinematics, close};
  for (int k = 1; k < links->n; k++)
    if (links->link[k].joint == CLI_FREE) return peer;
  robot *r = new robot;
  r->is_free = links->link[0].joint == CLI_FREE;
  r->model.gravity = cli_vector(links->gravity);
  for (int k = 0; k < links->n; k++) add_link(r, links, k);
  r->q.setZero(links->nq);
  r->v.setZero(links->nv), r->x.setZero(links->nv), r->out.setZero(links->nv);
  r->M.setZero(links->nv, links->nv);
  r->J.assign(r->ends.size(), rb::Math::MatrixNd::Zero(6, links->nv));
  peer.peer.own = r;
  return peer;
}
