// SPDX-License-Identifier: Apache-2.0
// Pinocchio: any tree.

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "peers/placed.hpp"

namespace {

typedef Eigen::Map<const Eigen::VectorXd> numbers;
typedef Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> rows;

struct robot {
  pinocchio::Model model;
  pinocchio::Data data;
  std::vector<cli_end> ends;
  std::vector<Eigen::MatrixXd> J; // of the ends
  // The faster ones for this robot.
  pinocchio::Convention inertia = pinocchio::Convention::LOCAL;
  pinocchio::Convention forward = pinocchio::Convention::LOCAL;
};

pinocchio::JointModel joint_of(const cli_link &l) {
  switch (l.joint) {
    case CLI_FREE: return pinocchio::JointModelFreeFlyer();
    case CLI_SLIDES: return pinocchio::JointModelPZ();
    default: return pinocchio::JointModelRZ();
  }
}

// Triangle by triangle: the other one is left as it is.
void put_symmetric(const Eigen::MatrixXd &upper, double *out) {
  rows result(out, upper.rows(), upper.cols());
  result = upper.selfadjointView<Eigen::Upper>();
}

void put_result(const robot &r, ap_quantity what, double *out) {
  const pinocchio::Data &d = r.data;
  const Eigen::Index n = r.model.nv;
  switch (what) {
    case AP_INVERSE: Eigen::Map<Eigen::VectorXd>(out, n) = d.tau; break;
    case AP_FORWARD: Eigen::Map<Eigen::VectorXd>(out, n) = d.ddq; break;
    case AP_INERTIA: put_symmetric(d.M, out); break;
    case AP_INVERSE_DERIVATIVES:
      rows(out, n, n) = d.dtau_dq;
      rows(out + n * n, n, n) = d.dtau_dv;
      put_symmetric(d.M, out + 2 * n * n);
      break;
    default:
      rows(out, n, n) = d.ddq_dq;
      rows(out + n * n, n, n) = d.ddq_dv;
      put_symmetric(d.Minv, out + 2 * n * n);
  }
}

void run(void *own, ap_quantity what, const double *q_, const double *v_, const double *x_,
         double *out) {
  robot *r = static_cast<robot *>(own);
  const numbers q(q_, r->model.nq), v(v_, r->model.nv), x(x_, r->model.nv);
  switch (what) {
    case AP_INVERSE: pinocchio::rnea(r->model, r->data, q, v, x); break;
    case AP_FORWARD: pinocchio::aba(r->model, r->data, q, v, x, r->forward); break;
    case AP_INERTIA: pinocchio::crba(r->model, r->data, q, r->inertia); break;
    case AP_INVERSE_DERIVATIVES:
      pinocchio::computeRNEADerivatives(r->model, r->data, q, v, x);
      break;
    default: pinocchio::computeABADerivatives(r->model, r->data, q, v, x);
  }
  if (out) put_result(*r, what, out);
}

// Least time of one evaluation at rest.
double time_of(robot *r, ap_quantity what) {
  typedef std::chrono::steady_clock clock;
  const Eigen::VectorXd q = pinocchio::neutral(r->model), zero = Eigen::VectorXd::Zero(r->model.nv);
  double least = 1e9;
  for (int block = 0; block < 20; block++) {
    const clock::time_point start = clock::now();
    for (int k = 0; k < 20; k++) run(r, what, q.data(), zero.data(), zero.data(), nullptr);
    least = std::min(least, std::chrono::duration<double>(clock::now() - start).count());
  }
  return least;
}

void choose(robot *r, ap_quantity what, pinocchio::Convention *used) {
  const double local = time_of(r, what);
  *used = pinocchio::Convention::WORLD;
  if (time_of(r, what) > local) *used = pinocchio::Convention::LOCAL;
}

void kinematics(void *own, const double *q, double *out) {
  robot *r = static_cast<robot *>(own);
  pinocchio::computeJointJacobians(r->model, r->data, numbers(q, r->model.nq));
  for (size_t k = 0; k < r->ends.size(); k++) {
    const pinocchio::JointIndex joint = (pinocchio::JointIndex)(r->ends[k].link + 1);
    pinocchio::getJointJacobian(r->model, r->data, joint, pinocchio::LOCAL_WORLD_ALIGNED, r->J[k]);
    const pinocchio::SE3 &place = r->data.oMi[joint];
    if (out) out = cli_put_end(r->ends[k], place.rotation(), place.translation(), r->J[k], out);
  }
}

void close(void *own) { delete static_cast<robot *>(own); }

} // namespace

extern "C" cli_peer cli_peer_pinocchio(const cli_links *links) {
  const unsigned computes = 1u << AP_INVERSE | 1u << AP_INERTIA | 1u << AP_FORWARD |
                            1u << AP_INVERSE_DERIVATIVES | 1u << AP_FORWARD_DERIVATIVES;
  robot *r = new robot;
  for (int k = 0; k < links->n; k++) {
    const cli_link &l = links->link[k];
    const cli_frame place = cli_joint_place(links, k);
    const cli_body body = cli_body_of(l);
    const pinocchio::JointIndex joint =
        r->model.addJoint((pinocchio::JointIndex)l.parent, joint_of(l),
                          pinocchio::SE3(place.R, place.p), "joint" + std::to_string(k + 1));
    r->model.appendBodyToJoint(joint, pinocchio::Inertia(body.mass, body.com, body.inertia));
    if (l.is_end) r->ends.push_back({k, cli_joint_frame(l)});
  }
  r->model.gravity.linear(cli_vector(links->gravity));
  r->data = pinocchio::Data(r->model);
  r->J.assign(r->ends.size(), Eigen::MatrixXd::Zero(6, links->nv));
  choose(r, AP_INERTIA, &r->inertia);
  choose(r, AP_FORWARD, &r->forward);
  return {{"pinocchio", computes, r, run}, kinematics, close};
}
