% SPDX-License-Identifier: Apache-2.0

% appell_write (M, FILE)
%
% Write the robot of a model to a file as URDF (.urdf), MJCF (.xml) or YAML (.yaml), by its ending.
% What the format has no place for, and what MuJoCo refuses, is a warning.
function appell_write (m, file)
  appell_mex ("write", m.handle, file);
end
