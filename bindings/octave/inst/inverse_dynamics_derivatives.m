% SPDX-License-Identifier: Apache-2.0

% [DQ, DV, DX] = inverse_dynamics_derivatives (M, Q, V, A)
%
% The derivatives of tau with respect to q, v and a, nv x nv x n each.
function [dq, dv, dx] = inverse_dynamics_derivatives (m, q, v, a)
  [dq, dv, dx] = appell_mex ("eval", m.handle, "inverse_dynamics_derivatives", "", 0, q, v, a);
  dq = appell_matrices (dq, m.nv, m.nv);
  dv = appell_matrices (dv, m.nv, m.nv);
  dx = appell_matrices (dx, m.nv, m.nv);
end
