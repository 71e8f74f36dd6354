% SPDX-License-Identifier: Apache-2.0

% G = gravity_forces (M, Q)
%
% The joint forces of gravity; a row for each state.
function g = gravity_forces (m, q)
  g = appell_mex ("eval", m.handle, "gravity", "", 0, q);
end
