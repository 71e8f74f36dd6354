% SPDX-License-Identifier: Apache-2.0

% H = inertia_matrix (M, Q)
%
% The inertia matrices, nv x nv x n for n states.
function H = inertia_matrix (m, q)
  x = appell_mex ("eval", m.handle, "inertia", "", 0, q);
  H = appell_matrices (x, m.nv, m.nv);
end
