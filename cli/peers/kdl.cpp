// SPDX-License-Identifier: Apache-2.0
// KDL: serial chains alone, by its recursive Newton-Euler solvers.

#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

#include "peers/peer.h"

namespace {

struct robot {
  KDL::Chain chain; // the solvers hold on to it
  unsigned n;
  KDL::ChainIdSolver_RNE inverse;
  KDL::ChainDynParam parameters;
  KDL::ChainFdSolver_RNE forward;
  KDL::JntArray q, v, x, out;
  KDL::JntSpaceInertiaMatrix M;
  KDL::Wrenches wrenches;

  robot(const KDL::Chain &links, const KDL::Vector &gravity)
      : chain(links),
        n(chain.getNrOfJoints()),
        inverse(chain, gravity),
        parameters(chain, gravity),
        forward(chain, gravity),
        q(n),
        v(n),
        x(n),
        out(n),
        M(n),
        wrenches(chain.getNrOfSegments(), KDL::Wrench::Zero()) {}
};

KDL::Vector vector(const double *x) { return KDL::Vector(x[0], x[1], x[2]); }

KDL::Segment segment(const cli_link &l) {
  const double *R = l.R, *I = l.inertia;
  const KDL::Frame tip(KDL::Rotation(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]),
                       vector(l.p));
  const KDL::Joint joint(tip * vector(l.point), tip.M * vector(l.axis),
                         l.joint == CLI_SLIDES ? KDL::Joint::TransAxis : KDL::Joint::RotAxis);
  const KDL::RotationalInertia about_com(I[0], I[3], I[5], I[1], I[2], I[4]);
  return KDL::Segment(joint, tip, KDL::RigidBodyInertia(l.mass, vector(l.com), about_com));
}

void run(void *own, ap_quantity what, const double *q, const double *v, const double *x,
         double *out) {
  robot *r = static_cast<robot *>(own);
  for (unsigned k = 0; k < r->n; k++) r->q(k) = q[k], r->v(k) = v[k], r->x(k) = x[k];
  if (what == AP_INVERSE)
    r->inverse.CartToJnt(r->q, r->v, r->x, r->wrenches, r->out);
  else if (what == AP_INERTIA)
    r->parameters.JntToMass(r->q, r->M);
  else
    r->forward.CartToJnt(r->q, r->v, r->x, r->wrenches, r->out);
  if (!out) return;
  for (unsigned k = 0; what != AP_INERTIA && k < r->n; k++) out[k] = r->out(k);
  for (unsigned k = 0; what == AP_INERTIA && k < r->n * r->n; k++)
    out[k] = r->M(k / r->n, k % r->n);
}

void close(void *own) { delete static_cast<robot *>(own); }

} // namespace

extern "C" cli_peer cli_peer_kdl(const cli_links *links) {
  const unsigned computes = 1u << AP_INVERSE | 1u << AP_INERTIA | 1u << AP_FORWARD;
  cli_peer peer = {{"kdl", computes, nullptr, run}, nullptr, close};
  KDL::Chain chain;
  for (int k = 0; k < links->n; k++) {
    if (links->link[k].parent != k || links->link[k].joint == CLI_FREE) return peer;
    chain.addSegment(segment(links->link[k]));
  }
  peer.peer.own = new robot(chain, vector(links->gravity));
  return peer;
}
