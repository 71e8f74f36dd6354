% SPDX-License-Identifier: Apache-2.0

% A first plot: torques against gravity of an arm along a line in its joints.
m = appell_load ("puma600");
angle = linspace (-1.5, 1.5, 200).';
q = zeros (200, m.nq);
q(:, 2) = angle;
tau = gravity_forces (m, q);
printf ("shoulder: %.1f to %.1f N m\n", min (tau(:, 2)), max (tau(:, 2)));
warning ("off", "Octave:gnuplot-graphics");
try
  plot (angle, tau(:, 2:3));
  xlabel ("shoulder, rad");
  ylabel ("torque against gravity, N m");
  legend ("shoulder", "elbow");
  print ("-dsvg", "gravity.svg");
  disp ("plot: gravity.svg");
catch
  disp ("no plot: gnuplot or a font is missing (apt-get install gnuplot-nox fonts-freefont-otf)");
end
