% SPDX-License-Identifier: Apache-2.0

% J = frame_jacobian (M, Q, FRAME, REFERENCE)
%
% The Jacobians of a frame, 6 x nv x n: rows linear, then angular.
% REFERENCE: "local" (default), "world", or "mixed" (axes of the ground, origin of the frame).
function J = frame_jacobian (m, q, frame, reference)
  if (nargin < 4)
    reference = "local";
  end
  k = find (strcmp ({"local", "world", "mixed"}, reference)) - 1;
  if (isempty (k))
    error ("frame_jacobian: the reference is 'local', 'world' or 'mixed'");
  end
  x = appell_mex ("eval", m.handle, "jacobian", frame, k, q);
  J = appell_matrices (x, 6, m.nv);
end
