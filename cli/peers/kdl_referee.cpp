// SPDX-License-Identifier: Apache-2.0
// KDL on trees. It reads no files itself: it gets our links.

#include <kdl/tree.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "peers/kdl_segment.hpp"
#include "peers/referee.h"

namespace {

struct robot {
  const ap_model *ours;
  KDL::Tree tree;
  std::vector<std::string> segment; // [nbody of ours] that carries the link; empty: none
  std::vector<unsigned> number;     // [nv] of our coordinates there
  KDL::TreeIdSolver_RNE inverse;
  KDL::TreeFkSolverPos_recursive place;
  KDL::JntArray q, v, a, tau;
  KDL::WrenchMap wrenches;

  robot(const ap_model *m, const KDL::Tree &t, const KDL::Vector &gravity)
      : ours(m),
        tree(t),
        segment((size_t)ap_nbody(m)),
        number((size_t)ap_nv(m)),
        inverse(tree, gravity),
        place(tree),
        q(tree.getNrOfJoints()),
        v(tree.getNrOfJoints()),
        a(tree.getNrOfJoints()),
        tau(tree.getNrOfJoints()) {}
};

void inverse(void *own, const double *q, const double *v, const double *a, double *tau) {
  robot *r = static_cast<robot *>(own);
  const size_t n = r->number.size();
  for (size_t k = 0; k < n; k++) {
    const unsigned to = r->number[k];
    r->q(to) = q[k], r->v(to) = v[k], r->a(to) = a[k];
  }
  r->inverse.CartToJnt(r->q, r->v, r->a, r->wrenches, r->tau);
  for (size_t k = 0; k < n; k++) tau[k] = r->tau(r->number[k]);
}

bool pose(void *own, int body, double R[9], double p[3]) {
  robot *r = static_cast<robot *>(own);
  const std::string &name = r->segment[(size_t)body];
  KDL::Frame frame;
  if (name.empty() || r->place.JntToCart(r->q, frame, name) < 0) return false;
  std::memcpy(R, frame.M.data, sizeof frame.M.data);
  std::memcpy(p, frame.p.data, sizeof frame.p.data);
  return true;
}

void describe(void *own, int body, cli_other_body *out) {
  const robot *r = static_cast<robot *>(own);
  const auto at = r->tree.getSegment(r->segment[(size_t)body]);
  KDL::RigidBodyInertia sum = GetTreeElementSegment(at->second).getInertia();
  const KDL::Vector com = sum.getCOG();
  const KDL::RotationalInertia about_com = sum.RefPoint(com).getRotationalInertia();
  const double *I = about_com.data, inertia[6] = {I[0], I[1], I[2], I[4], I[5], I[8]};
  *out = cli_other_body();
  out->mass = sum.getMass();
  std::memcpy(out->com, com.data, sizeof out->com);
  std::memcpy(out->inertia, inertia, sizeof inertia);
}

void close(void *own) { delete static_cast<robot *>(own); }

const char *joint_name(const ap_body_def *d) { return d->joint_name ? d->joint_name : d->name; }

// Our links, each a segment that is called after its link.
KDL::Tree tree_of(const ap_model *m, const cli_links *links) {
  KDL::Tree tree("ground");
  for (int k = 0; k < links->n; k++) {
    const ap_body_def *d = ap_body(m, ap_moving_body(m, k));
    const cli_link &l = links->link[k];
    const std::string hook =
        l.parent == 0 ? "ground" : ap_body(m, ap_moving_body(m, l.parent - 1))->name;
    tree.addSegment(cli_kdl_segment(l, d->name, joint_name(d)), hook);
  }
  return tree;
}

// Where our coordinates and links are in the tree.
bool find(robot *r, char *why, size_t size) {
  unsigned moving = 0;
  for (const auto &at : r->tree.getSegments()) {
    const KDL::Segment &segment = GetTreeElementSegment(at.second);
    const int link = ap_find_body(r->ours, segment.getName().c_str());
    if (link > 0) r->segment[(size_t)link] = segment.getName();
    if (segment.getJoint().getType() == KDL::Joint::Fixed) continue;
    const int body = ap_find_joint(r->ours, segment.getJoint().getName().c_str());
    if (body <= 0 || ap_joint_nv(r->ours, body) != 1) continue;
    r->number[(size_t)ap_joint_v(r->ours, body)] = GetTreeElementQNr(at.second);
    moving++;
  }
  if (moving == r->number.size() && moving == r->tree.getNrOfJoints()) return true;
  std::snprintf(why, size, "KDL has %u of the %zu degrees of freedom (it knows neither free nor "
                "spherical nor planar joints)", moving, r->number.size());
  return false;
}

} // namespace

extern "C" bool cli_referee_kdl(const char *file, const ap_model *m, const cli_links *links,
                                cli_referee *referee, char *why, size_t size) {
  *referee = cli_referee();
  referee->inverse = inverse, referee->pose = pose, referee->body = describe;
  referee->close = close;
  std::snprintf(referee->program, sizeof referee->program, "KDL");
  (void)file;
  if (links->n == 0) {
    std::snprintf(why, size, "KDL gets revolute and prismatic joints alone here");
    return false;
  }
  std::memcpy(referee->gravity, ap_gravity(m), sizeof referee->gravity);
  robot *r = new robot(m, tree_of(m, links), cli_kdl_vector(ap_gravity(m)));
  if (find(r, why, size))
    referee->own = r;
  else
    delete r;
  return referee->own;
}
