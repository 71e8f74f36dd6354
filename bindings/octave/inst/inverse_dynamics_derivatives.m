% SPDX-License-Identifier: Apache-2.0

% [DQ, DV, DX] = inverse_dynamics_derivatives (M, Q, V, A)
%
% The derivatives of tau with respect to q, v and a, nv x nv x n each.
function [dq, dv, dx] = inverse_dynamics_derivatives (m, q, v, a)
  [dq, dv, dx] = appell_mex ("eval", m.handle, "inverse_dynamics_derivatives", "", 0, q, v, a);
  turn = @(y) permute (reshape (y.', m.nv, m.nv, []), [2 1 3]);
  dq = turn (dq);
  dv = turn (dv);
  dx = turn (dx);
end
