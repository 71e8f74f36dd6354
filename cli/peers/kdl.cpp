// SPDX-License-Identifier: Apache-2.0
// KDL: serial chains alone, by its recursive Newton-Euler solvers.

#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

#include "peers/kdl_segment.hpp"

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
        M((int)n),
        wrenches(chain.getNrOfSegments(), KDL::Wrench::Zero()) {}
};

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
    chain.addSegment(cli_kdl_segment(links->link[k], "", ""));
  }
  peer.peer.own = new robot(chain, cli_kdl_vector(links->gravity));
  return peer;
}
