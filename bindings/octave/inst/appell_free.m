% SPDX-License-Identifier: Apache-2.0

% appell_free (M): free the memory of a model; M is of no use any more.
function appell_free (m)
  appell_mex ("free", m.handle);
end
