% SPDX-License-Identifier: Apache-2.0

% H = bias_forces (M, Q, V)
%
% The joint forces at rest of acceleration, gravity included; a row for each state.
function h = bias_forces (m, q, v)
  h = appell_mex ("eval", m.handle, "bias", "", 0, q, v);
end
