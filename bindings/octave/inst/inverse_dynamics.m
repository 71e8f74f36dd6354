% SPDX-License-Identifier: Apache-2.0

% TAU = inverse_dynamics (M, Q, V, A)
%
% Joint forces that give the accelerations A in the states (Q, V): M(q) a + h(q, v).
% Matrices have a row for each state; TAU is in N m or N.
function tau = inverse_dynamics (m, q, v, a)
  tau = appell_mex ("eval", m.handle, "inverse_dynamics", "", 0, q, v, a);
end
