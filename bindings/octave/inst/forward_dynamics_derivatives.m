% SPDX-License-Identifier: Apache-2.0

% [DQ, DV, DX] = forward_dynamics_derivatives (M, Q, V, TAU)
%
% The derivatives of a with respect to q, v and tau, nv x nv x n each.
function [dq, dv, dx] = forward_dynamics_derivatives (m, q, v, tau)
  [dq, dv, dx] = appell_mex ("eval", m.handle, "forward_dynamics_derivatives", "", 0, q, v, tau);
  turn = @(y) permute (reshape (y.', m.nv, m.nv, []), [2 1 3]);
  dq = turn (dq);
  dv = turn (dv);
  dx = turn (dx);
end
