% SPDX-License-Identifier: Apache-2.0

% appell_set (M, "friction", true)
% appell_set (M, "gravity", [0 0 -1.62])
% appell_set (M, "payload", LINK, MASS, COM, INERTIA)
%
% What takes part from now on: joint friction, springs, gravity compensation and rotors; gravity (m/s2);
% and what hangs on a link: its name, mass (kg), centre of mass in the link frame (m) and inertia xx xy xz yy yz zz about it (kg m2).
function appell_set (m, what, varargin)
  if (strcmp (what, "payload"))
    link = find (strcmp (m.frames, varargin{1})) - 1;
    if (isempty (link))
      error ("appell_set: there is no link '%s'", varargin{1});
    end
    rest = {0, [0 0 0], zeros(1, 6)};
    rest(1:numel (varargin) - 1) = varargin(2:end);
    value = [link, rest{1}, rest{2}(:).', rest{3}(:).'];
  else
    value = double (varargin{1});
  end
  appell_mex ("set", m.handle, what, value);
end
