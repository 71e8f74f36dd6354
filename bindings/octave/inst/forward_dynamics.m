% SPDX-License-Identifier: Apache-2.0

% A = forward_dynamics (M, Q, V, TAU)
%
% The accelerations that the joint forces TAU cause in the states (Q, V).
% Matrices have a row for each state; an inertia matrix that is singular is an error.
function a = forward_dynamics (m, q, v, tau)
  a = appell_mex ("eval", m.handle, "forward_dynamics", "", 0, q, v, tau);
end
