% SPDX-License-Identifier: Apache-2.0

% [DQ, DV, DX] = forward_dynamics_derivatives (M, Q, V, TAU)
%
% The derivatives of a with respect to q, v and tau, nv x nv x n each.
function [dq, dv, dx] = forward_dynamics_derivatives (m, q, v, tau)
  [dq, dv, dx] = appell_mex ("eval", m.handle, "forward_dynamics_derivatives", "", 0, q, v, tau);
  dq = appell_matrices (dq, m.nv, m.nv);
  dv = appell_matrices (dv, m.nv, m.nv);
  dx = appell_matrices (dx, m.nv, m.nv);
end
