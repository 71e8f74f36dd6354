% SPDX-License-Identifier: Apache-2.0

% M = appell_load (FILE)
% M = appell_load (FILE, "floating", true, "lock", {"finger"}, "at", 0.02)
%
% Load a robot: a URDF or YAML file, or a built-in name such as "puma600". M is a struct with name,
% nq, nv, joints and frames, for the other functions of this package. Units are SI.
%
% floating: hang the root link on a free joint instead of the ground
% lock, at: joints that stand still, and where (0 unless given)
%
% appell_free (M) frees its memory before the program ends.
function m = appell_load (file, varargin)
  o = struct ("floating", false, "lock", {{}}, "at", []);
  for k = 1:2:numel (varargin)
    if (! isfield (o, varargin{k}))
      error ("appell_load: there is no option '%s' (floating, lock, at)", varargin{k});
    end
    o.(varargin{k}) = varargin{k + 1};
  end
  if (ischar (o.lock))
    o.lock = {o.lock};
  end
  if (isempty (o.at))
    o.at = zeros (1, numel (o.lock));
  end
  handle = appell_mex ("load", file, double (o.floating), o.lock, double (o.at));
  m = appell_mex ("info", handle);
  m.handle = handle;
end
