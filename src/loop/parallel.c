// SPDX-License-Identifier: Apache-2.0
// What the definitions of parallel robots share, and statuses in words.

#include "loop/parallel.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "num/cholesky.h"

ap_parallel_link ap_slender_link(double mass, double length) {
  const double across = mass * length * length / 12;
  return (ap_parallel_link){
      .mass = mass, .com = {length / 2}, .inertia = {[3] = across, [5] = across}};
}

// ---- checks ------------------------------------------------------------------------------------

bool ap__between(int n, const double *x, double low, double high, const char *of, const char *what,
                 ap_error *error) {
  for (int i = 0; i < n; i++) {
    if (x[i] >= low && x[i] <= high) continue;
    ap__fail(error, AP_E_MODEL, 0, "%s%s is %g, must be %g to %g", of, what, x[i], low, high);
    return false;
  }
  return true;
}

// Is there a distribution of mass with these numbers? Its second moments tr(I)/2 1 - I, about the
// centre of mass, must not be negative, up to digits lost in print.
static bool possible(const ap_parallel_link *l, bool about_origin) {
  const double *I = l->inertia, *c = l->com, m = about_origin ? l->mass : 0;
  const double half = (I[0] + I[3] + I[5]) / 2, more = half * (1 + 1e-6);
  double S[9] = {more - I[0] - m * c[0] * c[0],
                 0,
                 0,
                 -I[1] - m * c[0] * c[1],
                 more - I[3] - m * c[1] * c[1],
                 0,
                 -I[2] - m * c[0] * c[2],
                 -I[4] - m * c[1] * c[2],
                 more - I[5] - m * c[2] * c[2]};
  if (half == 0) return m == 0 && ap__between(5, I, 0, 0, "", "", NULL);
  return ap__cholesky(3, S);
}

bool ap__check_link(const ap_parallel_link *l, bool about_origin, const char *of, ap_error *error) {
  if (!ap__between(1, &l->mass, 0, 1e9, of, "mass", error) ||
      !ap__between(3, l->com, -1e9, 1e9, of, "com", error) ||
      !ap__between(6, l->inertia, -1e9, 1e9, of, "inertia", error))
    return false;
  if (possible(l, about_origin)) return true;
  ap__fail(error, AP_E_MODEL, 0,
           "%sthis inertia is impossible for a body of %g kg; it is xx xy xz yy yz zz about %s", of,
           l->mass, about_origin ? "O, not about the centre of mass" : "the centre of mass");
  return false;
}

bool ap__check_branch(int branch, const char *of, ap_error *error) {
  if (branch == 1 || branch == -1) return true;
  ap__fail(error, AP_E_MODEL, 0, "%sbranch is %d, must be 1 or -1", of, branch);
  return false;
}

bool ap__check_whole(const double *gravity, int n, double least_serial, double least_parallel,
                     ap_error *error) {
  return ap__between(n, gravity, -1e9, 1e9, "", "gravity", error) &&
         ap__between(1, &least_serial, 1e-7, 0.1, "", "least_serial", error) &&
         ap__between(1, &least_parallel, 1e-12, 0.1, "", "least_parallel", error);
}

// ---- memory ------------------------------------------------------------------------------------

// Where the robot lies in mem, and in *size how much it takes.
static ap_parallel *lay_out(void *mem, size_t *size) {
  ap_arena arena = ap__arena(mem);
  ap_parallel *r = AP_TAKE(&arena, ap_parallel, 1);
  *size = ap__arena_size(&arena);
  return r;
}

size_t ap_parallel_size(void) {
  size_t size;
  lay_out(NULL, &size);
  return size;
}

ap_parallel *ap__parallel_place(parallel_kind kind, const void *def, void *mem, size_t size,
                                ap_error *error) {
  size_t needed;
  if (error) *error = (ap_error){0};
  if (!def || !mem) {
    ap__fail(error, AP_E_ARG, 0, "a parallel robot needs a definition and memory");
    return NULL;
  }
  ap_parallel *r = lay_out(mem, &needed);
  if (size < needed) {
    ap__fail(error, AP_E_MEMORY, 0, "a parallel robot needs %zu bytes, there are %zu", needed,
             size);
    return NULL;
  }
  memset(r, 0, sizeof *r);
  r->kind = kind;
  return r;
}

ap_parallel *ap_parallel_builtin(const char *name, const char *branch, void *mem, size_t size) {
  const bool plane = !strcmp(name, "five-bar");
  ap_wrist_def wrist = ap_agile_wrist();
  ap_five_bar_def five_bar = ap_default_five_bar();
  ap_delta_def delta = ap_default_delta();
  if (branch && (strspn(branch, "+-") != strlen(branch) || strlen(branch) != (plane ? 2 : 3)))
    return NULL;
  for (int i = 0; branch && branch[i]; i++) {
    wrist.limb[i].branch = delta.limb[i].branch = branch[i] == '-' ? -1 : 1;
    if (plane) five_bar.limb[i].branch = wrist.limb[i].branch;
  }
  if (plane) return ap_five_bar_init(&five_bar, mem, size, NULL);
  if (!strcmp(name, "delta")) return ap_delta_init(&delta, mem, size, NULL);
  return strcmp(name, "agile-wrist") ? NULL : ap_wrist_init(&wrist, mem, size, NULL);
}

int ap_parallel_n(const ap_parallel *r) { return r->kind == FIVE_BAR ? 2 : 3; }

// ---- words -------------------------------------------------------------------------------------

// The sizes of a limb's links: lengths in m, or of a wrist arcs in degrees.
static const char *sizes_of(const ap_parallel *r, int i, double size[2]) {
  const double degrees = 180 / acos(-1);
  const ap_wrist_limb *w = &r->def.wrist.limb[i];
  const ap_five_bar_limb *f = &r->def.five_bar.limb[i];
  const ap_delta_limb *d = &r->def.delta.limb[i];
  size[0] = r->kind == WRIST   ? w->alpha1 * degrees
            : r->kind == DELTA ? d->arm_length
                               : f->arm_length;
  size[1] = r->kind == WRIST   ? w->alpha2 * degrees
            : r->kind == DELTA ? d->rod_length
                               : f->rod_length;
  return r->kind == WRIST ? "deg" : "m";
}

void ap_parallel_explain(const ap_parallel *r, const double *q, ap_status status, ap_error *error) {
  ap_parallel_margin margin;
  double size[2];
  ap_parallel_margins(r, q, &margin);
  const int i = margin.limb < 0 ? 0 : margin.limb;
  const char *unit = sizes_of(r, i, size);
  const double left = margin.reach[i] * (r->kind == WRIST ? 180 / acos(-1) : 1);
  *error = (ap_error){.status = status};
  if (status == AP_E_SINGULAR_SERIAL && margin.status != status)
    ap__fail(error, status, 0, "the Euler angles are singular: |cos q1| must be above 1e-9");
  else if (status == AP_E_UNREACHABLE)
    ap__fail(error, status, 0,
             "the pose is out of reach of limb %d by %.3g %s: its links have %.6g and %.6g %s", i,
             -left, unit, size[0], size[1], unit);
  else if (status == AP_E_SINGULAR_SERIAL)
    ap__fail(error, status, 0,
             "serial singularity: limb %d is stretched or folded, %.3g %s from its limit; its "
             "margin `serial` must be above %g",
             i, left, unit, r->least_serial);
  else if (status == AP_E_SINGULAR_PARALLEL)
    ap__fail(error, status, 0,
             "parallel singularity: the motors cannot hold the platform; the determinant of the "
             "limbs' unit vectors is %.3g, its magnitude must exceed %g",
             margin.parallel, r->least_parallel);
  else if (status == AP_E_SINGULAR)
    ap__fail(error, status, 0, "the inertia matrix is singular: give the links a mass");
  else if (status != AP_OK)
    ap__fail(error, status, 0, "a number is not finite, or too large");
}
