% SPDX-License-Identifier: Apache-2.0

% A = appell_matrices (X, ROWS, COLUMNS)
%
% Matrices of n states, ROWS x COLUMNS x n, of results with a row for each state.
function a = appell_matrices (x, rows, columns)
  a = permute (reshape (x.', columns, rows, []), [2 1 3]);
end
