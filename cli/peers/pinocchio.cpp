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

struct robot {
  pinocchio::Model model;
  pinocchio::Data data;
  // Pinocchio wants every joint right before those that it carries; where ours are in another
  // order, these are the places of its coordinates and velocities among ours.
  bool is_reordered = false;
  std::vector<int> q_place, v_place;
  Eigen::VectorXd q, v, x; // in its order
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

void put_matrix(const robot &r, const Eigen::MatrixXd &from, double *out) {
  const size_t n = r.v_place.size();
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      out[(size_t)r.v_place[i] * n + (size_t)r.v_place[j]] = from((Eigen::Index)i, (Eigen::Index)j);
}

// One triangle: the other one is left as it is.
void put_symmetric(const robot &r, const Eigen::MatrixXd &upper, double *out) {
  put_matrix(r, upper.selfadjointView<Eigen::Upper>(), out);
}

void put_vector(const robot &r, const Eigen::VectorXd &from, double *out) {
  for (size_t i = 0; i < r.v_place.size(); i++) out[r.v_place[i]] = from((Eigen::Index)i);
}

void put_result(const robot &r, ap_quantity what, double *out) {
  const pinocchio::Data &d = r.data;
  const Eigen::Index n = r.model.nv;
  switch (what) {
    case AP_INVERSE: put_vector(r, d.tau, out); break;
    case AP_FORWARD: put_vector(r, d.ddq, out); break;
    case AP_INERTIA: put_symmetric(r, d.M, out); break;
    case AP_INVERSE_DERIVATIVES:
      put_matrix(r, d.dtau_dq, out);
      put_matrix(r, d.dtau_dv, out + n * n);
      put_symmetric(r, d.M, out + 2 * n * n);
      break;
    default:
      put_matrix(r, d.ddq_dq, out);
      put_matrix(r, d.ddq_dv, out + n * n);
      put_symmetric(r, d.Minv, out + 2 * n * n);
  }
}

const double *reordered(const robot &r, const std::vector<int> &place, const double *from,
                        Eigen::VectorXd *to) {
  if (!r.is_reordered) return from;
  for (size_t i = 0; i < place.size(); i++) (*to)((Eigen::Index)i) = from[place[i]];
  return to->data();
}

void run(void *own, ap_quantity what, const double *q_, const double *v_, const double *x_,
         double *out) {
  robot *r = static_cast<robot *>(own);
  const numbers q(reordered(*r, r->q_place, q_, &r->q), r->model.nq);
  const numbers v(reordered(*r, r->v_place, v_, &r->v), r->model.nv);
  const numbers x(reordered(*r, r->v_place, x_, &r->x), r->model.nv);
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

void put_end(const robot &r, size_t k, double *out) {
  const pinocchio::SE3 &place = r.data.oMi[(pinocchio::JointIndex)r.ends[k].link];
  Eigen::MatrixXd J(6, r.model.nv);
  for (size_t i = 0; i < r.v_place.size(); i++) J.col(r.v_place[i]) = r.J[k].col((Eigen::Index)i);
  cli_put_end(r.ends[k], place.rotation(), place.translation(), J, out);
}

void kinematics(void *own, const double *q, double *out) {
  robot *r = static_cast<robot *>(own);
  const numbers at(reordered(*r, r->q_place, q, &r->q), r->model.nq);
  pinocchio::computeJointJacobians(r->model, r->data, at);
  for (size_t k = 0; k < r->ends.size(); k++) {
    pinocchio::getJointJacobian(r->model, r->data, (pinocchio::JointIndex)r->ends[k].link,
                                pinocchio::LOCAL_WORLD_ALIGNED, r->J[k]);
    if (out) put_end(*r, k, out + k * (12 + 6 * (size_t)r->model.nv));
  }
}

void close(void *own) { delete static_cast<robot *>(own); }

// Link k, as child of a joint, and then all that hang on it.
void add_links(robot *r, const cli_links *links, int k, pinocchio::JointIndex parent) {
  const cli_link &l = links->link[k];
  const cli_frame place = cli_joint_place(links, k);
  const cli_body body = cli_body_of(l);
  const pinocchio::JointIndex joint = r->model.addJoint(
      parent, joint_of(l), pinocchio::SE3(place.R, place.p), "joint" + std::to_string(k + 1));
  r->model.appendBodyToJoint(joint, pinocchio::Inertia(body.mass, body.com, body.inertia));
  if (l.is_end) r->ends.push_back({(int)joint, cli_joint_frame(l), k});
  r->is_reordered = r->is_reordered || (int)joint != k + 1;
  for (int i = 0; i < (l.joint == CLI_FREE ? 7 : 1); i++) r->q_place.push_back(l.q + i);
  for (int i = 0; i < (l.joint == CLI_FREE ? 6 : 1); i++) r->v_place.push_back(l.v + i);
  for (int i = k + 1; i < links->n; i++)
    if (links->link[i].parent == k + 1) add_links(r, links, i, joint);
}

} // namespace

extern "C" cli_peer cli_peer_pinocchio(const cli_links *links) {
  const unsigned computes = 1u << AP_INVERSE | 1u << AP_INERTIA | 1u << AP_FORWARD |
                            1u << AP_INVERSE_DERIVATIVES | 1u << AP_FORWARD_DERIVATIVES;
  robot *r = new robot;
  for (int k = 0; k < links->n; k++)
    if (links->link[k].parent == 0) add_links(r, links, k, 0);
  std::sort(r->ends.begin(), r->ends.end(),
            [](const cli_end &a, const cli_end &b) { return a.order < b.order; });
  r->model.gravity.linear(cli_vector(links->gravity));
  r->data = pinocchio::Data(r->model);
  r->q.setZero(links->nq), r->v.setZero(links->nv), r->x.setZero(links->nv);
  r->J.assign(r->ends.size(), Eigen::MatrixXd::Zero(6, links->nv));
  choose(r, AP_INERTIA, &r->inertia);
  choose(r, AP_FORWARD, &r->forward);
  return {{"pinocchio", computes, r, run}, kinematics, close};
}
