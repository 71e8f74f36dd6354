% SPDX-License-Identifier: Apache-2.0

% The functions for Octave: values against the command's, shapes, and what is refused.
function test_appell (models, command)
  m = appell_load ("puma600");
  assert (m.nq, 6);
  rand ("seed", 1);
  q = rand (20, 6) - 0.5;
  v = rand (20, 6);
  a = rand (20, 6);
  tau = inverse_dynamics (m, q, v, a);
  same_as_command (command, "inverse", "puma600", [q, v, a], tau);
  same_as_command (command, "gravity", "puma600", q, gravity_forces (m, q));
  same_as_command (command, "bias", "puma600", [q, v], bias_forces (m, q, v));
  same_as_command (command, "forward", "puma600", [q, v, tau], forward_dynamics (m, q, v, tau));
  assert (forward_dynamics (m, q, v, tau), a, 1e-11);
  H = inertia_matrix (m, q);
  assert (size (H), [6 6 20]);
  [dq, dv, da] = inverse_dynamics_derivatives (m, q, v, a);
  assert (da, H, 1e-12);
  [~, ~, dtau] = forward_dynamics_derivatives (m, q, v, tau);
  assert (dtau(:, :, 3) * H(:, :, 3), eye (6), 1e-10);
  h = 1e-6;
  step = zeros (20, 6);
  step(:, 2) = h;
  column = (inverse_dynamics (m, q + step, v, a) - inverse_dynamics (m, q - step, v, a)) / (2 * h);
  assert (squeeze (dq(:, 2, :)).', column, 1e-6 * max (abs (column(:))));
  J = frame_jacobian (m, q(1, :), "link6", "mixed");
  assert (size (J), [6 6]);

  before = gravity_forces (m, q(1, :));
  appell_set (m, "gravity", [0 0 -1.62]);
  assert (gravity_forces (m, q(1, :)), before * 1.62 / 9.81, 1e-12);
  appell_set (m, "gravity", [0 0 -9.81]);
  appell_set (m, "payload", "link6", 1, [0 0 0.1]);
  assert (! isequal (gravity_forces (m, q(1, :)), before));

  locked = appell_load ("puma600", "lock", {"joint5", "joint6"}, "at", [0 0.3]);
  assert (locked.nv, 4);

  run = simulate (fullfile (models, "ball.yaml"));
  assert (run.t(1), 0);
  assert (run.column ("q.height")(1), 1);

  identify_as_command (m, fullfile (models, "puma600_log.csv"), command);

  refused (@() gravity_forces (m, [1 2]), "it must be n x 6");
  refused (@() inverse_dynamics (m, q, v(1:3, :), a), "20 states");
  refused (@() gravity_forces (struct ("handle", 99), q), "appell_load");
  refused (@() appell_load ("nowhere.urdf"), "nowhere.urdf");
  refused (@() appell_load ("puma600", "colour", 1), "no option");
  refused (@() frame_jacobian (m, q, "nose"), "no frame 'nose'");
  refused (@() simulate ("nowhere.yaml"), "nowhere.yaml");
  refused (@() run.column ("nothing"), "no column 'nothing'");
  refused (@() appell_set (m, "gravity", [0 0 NaN]), "finite");
  refused (@() appell_set (m, "colour", 1), "no setting");
  refused (@() gravity_forces (m, single (q)), "double");
  refused (@() gravity_forces (m, complex (q, q)), "real");
  for ending = {".urdf", ".xml", ".yaml"}
    file = [tempname(), ending{1}];
    plain = appell_load ("puma600");
    appell_write (plain, file);
    again = appell_load (file);
    assert (gravity_forces (again, q), gravity_forces (plain, q), 1e-12);
    appell_free (plain);
    appell_free (again);
    unlink (file);
  end
  refused (@() appell_write (m, "robot.sdf"), "unknown format");
  appell_free (locked);
  refused (@() gravity_forces (locked, 1:4), "appell_load");
  disp ("octave: all passed");
end

% The values of the command, by default and with options; a log in degrees is refused.
function identify_as_command (m, log, command)
  cases = {{}, ""; {"friction", true, "rotor", true, "method", "qr", "reject", 3}, ...
           "--friction --rotor --method qr --reject 3"};
  warning ("off", "appell:doubt", "local");
  for k = 1:rows (cases)
    fit = identify (m, log, cases{k, 1}{:});
    [~, said] = system (sprintf ("'%s' identify puma600 '%s' --json %s 2>%s", command, log, cases{k, 2}, "/dev/null"));
    found = jsondecode (said);
    assert (fit.value, [found.parameters.value]', -2 * eps);  % jsondecode does not round correctly
    assert (fit.deviation, [found.parameters.standard_deviation]', -2 * eps);
  end
  wrong = [tempname(), ".csv"];
  lines = strsplit (fileread (log), "\n");
  numbers = dlmread (log, ",", 1, 0);
  numbers(:, 2:7) *= 180 / pi;
  file = fopen (wrong, "w");
  fprintf (file, "%s\n", lines{1});
  fprintf (file, [repmat("%.9g,", 1, 12), "%.9g\n"], numbers');
  fclose (file);
  refused (@() identify (m, wrong), "the log contradicts the robot");
  assert (numel (identify (m, wrong, "trust", true).value), 36);
  unlink (wrong);
  refused (@() identify (m, log, "reject", -1), "reject must be 0");
end

function refused (call, text)
  try
    call ();
  catch e
    assert (! isempty (strfind (e.message, text)), e.message);
    return;
  end
  error ("not refused: %s", text);
end

function same_as_command (command, what, robot, rows, ours)
  input = tempname ();
  file = fopen (input, "w");
  fprintf (file, [repmat("%.17g ", 1, columns (rows)), "\n"], rows.');
  fclose (file);
  [status, text] = system (sprintf ("'%s' eval %s %s '%s' 2>&1", command, what, robot, input));
  unlink (input);
  assert (status, 0, text);
  lines = strsplit (strtrim (text), "\n");
  theirs = cell2mat (cellfun (@(l) sscanf (l, "%f").', lines(2:end).', "UniformOutput", false));
  assert (isequal (theirs, ours), sprintf ("%s differs from the command's bits", what));
end
