% SPDX-License-Identifier: Apache-2.0

% FIT = identify (M, LOG)
% FIT = identify (M, LOG, "method", "consistent", "friction", true, "rotor", true, "offset", false, ...
%                 "stiffness", false, "reject", 5, "trust", false)
%
% Estimate the parameters of a robot from a CSV or HDF5 log with the columns t, q.JOINT, tau.JOINT and,
% where measured, v.JOINT, a.JOINT, as "appell identify" does: by the method "weighted" unless said, without
% forces more than 5 deviations off the fit. Standard parameters of "consistent" are those of bodies that can
% exist. A log that contradicts the robot is refused unless "trust" is true; other doubts are warnings.
% FIT is a struct: value and deviation of the base parameters, text of each, standard parameters,
% residual_rms of each joint (N m or N), and whether they are physical.
function fit = identify (m, log, varargin)
  o = struct ("method", "weighted", "friction", false, "rotor", false, "offset", false, ...
              "stiffness", false, "reject", 5, "trust", false);
  for k = 1:2:numel (varargin)
    if (! isfield (o, varargin{k}))
      error ("identify: there is no option '%s' (method, friction, rotor, offset, stiffness, reject, trust)", varargin{k});
    end
    o.(varargin{k}) = varargin{k + 1};
  end
  fit = appell_mex ("identify", m.handle, log, o.method, ...
                    double ([o.rotor, o.friction, o.friction, o.offset, o.stiffness, ...
                            o.reject, o.trust]));
end
