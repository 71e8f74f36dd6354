// SPDX-License-Identifier: Apache-2.0
// A Delta robot picks a part and carries it: torques along the way, and how near it comes to poses
// where its motors lose it.

#include <appell/delta.h>
#include <math.h>
#include <stdio.h>

static unsigned char memory[8192];

// From one side to the other within a second, lifting by 0.1 m; starts and ends at rest.
static void carry(double t, double *q, double *v, double *a) {
  const double pi = 3.14159265358979323846, w = 2 * pi;
  const double s = t - sin(w * t) / w, ds = 1 - cos(w * t), dds = w * sin(w * t);
  const double x = 0.4 * (s - 0.5), lift = 0.1;
  q[0] = x, v[0] = 0.4 * ds, a[0] = 0.4 * dds;
  q[1] = x / 2, v[1] = v[0] / 2, a[1] = a[0] / 2;
  q[2] = -1 + lift * sin(pi * s);
  v[2] = lift * pi * cos(pi * s) * ds;
  a[2] = lift * pi * (cos(pi * s) * dds - pi * sin(pi * s) * ds * ds);
}

int main(void) {
  ap_error error;
  ap_delta_def def = ap_default_delta();
  def.platform += 0.5; // the part
  const ap_parallel *d = ap_delta_init(&def, memory, sizeof memory, &error);
  if (!d) return fprintf(stderr, "%s\n", error.text), 1;

  double q[3], v[3], a[3], tau[3], back[3], worst = 0;
  ap_parallel_margin margin;
  printf("    t     tau (N m)                  reach (m)  sigma\n");
  for (int i = 0; i <= 10; i++) {
    carry(0.1 * i, q, v, a);
    const ap_status status = ap_parallel_inverse_dynamics(d, q, v, a, tau);
    if (status != AP_OK) {
      ap_parallel_explain(d, q, status, &error);
      return fprintf(stderr, "%s\n", error.text), 1;
    }
    ap_parallel_margins(d, q, &margin);
    const double reach = fmin(margin.reach[0], fmin(margin.reach[1], margin.reach[2]));
    printf("%5.1f %8.4f %8.4f %8.4f %9.3f %9.3f\n", 0.1 * i, tau[0], tau[1], tau[2], reach,
           margin.sigma);
    if (ap_parallel_forward_dynamics(d, q, v, tau, back) != AP_OK) return 1;
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(back[k] - a[k]));
  }
  if (worst > 1e-12) return fprintf(stderr, "forward dynamics differ by %g\n", worst), 1;
  printf("under these torques the platform accelerates as it should, within 1e-12 m/s2\n");

  const double far[3] = {0.9, 0, -1.4};
  if (ap_parallel_margins(d, far, &margin) == AP_OK) return 1;
  ap_parallel_explain(d, far, margin.status, &error);
  printf("at 0.9 0 -1.4: %s\n", error.text);
  return 0;
}
