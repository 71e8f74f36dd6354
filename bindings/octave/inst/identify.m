% SPDX-License-Identifier: Apache-2.0

% FIT = identify (M, LOG)
% FIT = identify (M, LOG, "method", "consistent", "friction", true, "rotor", true, "offset", false, ...
%                 "stiffness", false)
%
% Estimate the parameters of a robot from a CSV or HDF5 log with the columns t, q.JOINT, tau.JOINT and,
% where measured, v.JOINT, a.JOINT. FIT is a struct: value and deviation of the base parameters, text of
% each, standard parameters, residual_rms of each joint (N m or N), and whether they are physical.
function fit = identify (m, log, varargin)
  o = struct ("method", "consistent", "friction", false, "rotor", false, "offset", false, ...
              "stiffness", false);
  for k = 1:2:numel (varargin)
    if (! isfield (o, varargin{k}))
      error ("identify: there is no option '%s' (method, friction, rotor, offset, stiffness)", varargin{k});
    end
    o.(varargin{k}) = varargin{k + 1};
  end
  fit = appell_mex ("identify", m.handle, log, o.method, ...
                    double ([o.rotor, o.friction, o.friction, o.offset, o.stiffness]));
end
