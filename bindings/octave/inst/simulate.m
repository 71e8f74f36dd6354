% SPDX-License-Identifier: Apache-2.0

% RUN = simulate (FILE)
%
% Simulate a scenario, or read the log of a run. RUN is a struct: t (s), names of the columns, rows
% of numbers, and column (NAME), a function that gives a column: RUN.column ("q.elbow").
function run = simulate (file)
  [names, rows] = appell_mex ("simulate", file);
  run = struct ("t", rows(:, 1), "names", {names}, "rows", rows);
  run.column = @(name) rows(:, place (names, name));
end

function k = place (names, name)
  k = find (strcmp (names, name));
  if (isempty (k))
    error ("simulate: there is no column '%s' (%s)", name, strjoin (names, ", "));
  end
end
