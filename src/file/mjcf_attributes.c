// SPDX-License-Identifier: Apache-2.0
// MJCF: numbers, words, names and orientations of elements.

#include <stdio.h>
#include <string.h>

#include "file/mjcf.h"
#include "file/number.h"

int ap__mjcf_numbers(mjcf *m, const mjcf_item *item, const char *name, int least, int most,
                     double *x) {
  const char *text = ap__mjcf_text(item, name), *tag = item->e->name;
  double value[8];
  if (!text) return 0;
  int n = ap__parse_numbers(text, 8, value);
  if (n == 0) return 0; // an empty attribute says nothing
  if (n >= least && n <= most) {
    memcpy(x, value, (size_t)n * sizeof *x);
    return n;
  }
  if (n == AP__HUGE_NUMBERS)
    ap__mjcf_fail(m, item->e, "<%s %s=\"%.*s\"> is beyond the range of a double", tag, name,
                  ap__shown(text), text);
  else if (n >= 0)
    ap__mjcf_fail(m, item->e, "<%s %s=\"%.*s\"> has %d number%s (expected %d)", tag, name,
                  ap__shown(text), text, n, n == 1 ? "" : "s", n < least ? least : most);
  else
    ap__mjcf_fail(m, item->e, "<%s %s=\"%.*s\"> (expected %d finite decimal number%s)", tag, name,
                  ap__shown(text), text, least, least == 1 ? "" : "s with blanks between");
  return 0;
}

int ap__mjcf_word(mjcf *m, const mjcf_item *item, const char *name, const char *words,
                  int otherwise) {
  const char *text = ap__mjcf_text(item, name), *at = words;
  if (!text) return otherwise;
  for (int k = 0; *at; k++) {
    size_t n = strcspn(at, " ");
    if (strlen(text) == n && strncmp(at, text, n) == 0) return k;
    at += n + strspn(at + n, " ");
  }
  ap__mjcf_fail(m, item->e, "<%s %s=\"%.*s\"> (expected one of: %s)", item->e->name, name,
                ap__shown(text), text, words);
  return otherwise;
}

const char *ap__mjcf_name(mjcf *m, const mjcf_scope *scope, const char *name) {
  if (!name || !*name || m->status) return NULL;
  size_t before = strlen(scope->prefix), n = strlen(name), behind = strlen(scope->suffix);
  if (ap__has_control(name, n)) {
    ap__mjcf_fail(m, m->tree->root,
                  "the name \"%.*s\" has a control character (a name is one line of text)",
                  ap__shown(name), name);
    return NULL;
  }
  char *whole = ap__pool_bytes(&m->pool, before + n + behind + 1, 1);
  if (!whole) {
    ap__mjcf_no_memory(m);
    return NULL;
  }
  snprintf(whole, before + n + behind + 1, "%s%s%s", scope->prefix, name, scope->suffix);
  return whole;
}

// ---- orientations ------------------------------------------------------------------------------

double ap__mjcf_angle(const mjcf_item *item, double angle) {
  static const double pi = 3.14159265358979323846;
  return item->scope->model->compiler.degree ? angle / 180 * pi : angle;
}

static bool make_unit(mjcf *m, const mjcf_item *item, const char *name, double x[3]) {
  double n = length3(x);
  if (!(n > 1e-14 && isfinite(n))) {
    ap__mjcf_fail(m, item->e, "<%s %s> has a direction of length %g (above 1e-14)", item->e->name,
                  name, n);
    return false;
  }
  for (int i = 0; i < 3; i++) x[i] /= n;
  return true;
}

void ap__mjcf_quat_of_z(const double z[3], double q[4]) {
  static const double up[3] = {0, 0, 1};
  double axis[3];
  cross3(up, z, axis);
  double s = norm3(axis), n = norm3(z);
  double angle = atan2(s, z[2]);
  if (s <= 1e-10 * n) { // parallel or opposite: any axis across
    axis[0] = 1, axis[1] = axis[2] = 0;
    s = 1;
  }
  for (int i = 0; i < 3; i++) axis[i] /= s;
  mjcf_quat_about(axis, angle, q);
}

// Letters of the sequence: x y z turn about axes that move with the frame, X Y Z about fixed ones.
bool ap__mjcf_euler(mjcf *m, const mjcf_item *item, const double angles[3], double q[4]) {
  const char *sequence = item->scope->model->compiler.eulerseq;
  double all[4] = {1, 0, 0, 0};
  (void)m;
  for (int i = 0; i < 3; i++) {
    bool fixed = sequence[i] < 'a';
    double axis[3] = {0}, turn[4], next[4];
    axis[(sequence[i] | 0x20) - 'x'] = 1;
    mjcf_quat_about(axis, ap__mjcf_angle(item, angles[i]), turn);
    mjcf_quat_product(fixed ? turn : all, fixed ? all : turn, next);
    memcpy(all, next, sizeof all);
  }
  mjcf_quat_unit(all);
  memcpy(q, all, sizeof all);
  return true;
}

static bool quat_of_axes(mjcf *m, const mjcf_item *item, double axes[6], double q[4]) {
  double *x = axes, *y = axes + 3, z[3];
  if (!make_unit(m, item, "xyaxes", x)) return false;
  const double long_y = length3(y);
  for (int i = 0; i < 3 && long_y > 1e100; i++) y[i] /= long_y; // products overflow
  double d = dot3(x, y);
  for (int i = 0; i < 3; i++) y[i] -= d * x[i];
  if (!make_unit(m, item, "xyaxes", y)) return false;
  cross3(x, y, z);
  // the largest of the four is taken from the diagonal, the others from the sums off it
  const double R[3][3] = {{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}};
  double trace = R[0][0] + R[1][1] + R[2][2];
  int most = -1; // w
  for (int i = 0; i < 3; i++)
    if (R[i][i] > (most < 0 ? trace : R[most][most])) most = i;
  if (most < 0) {
    q[0] = 1 + trace;
    for (int i = 0; i < 3; i++)
      q[i + 1] = R[(i + 2) % 3][(i + 1) % 3] - R[(i + 1) % 3][(i + 2) % 3];
  } else {
    int i = most, j = (i + 1) % 3, k = (i + 2) % 3;
    q[0] = R[k][j] - R[j][k];
    q[i + 1] = 1 + R[i][i] - R[j][j] - R[k][k];
    q[j + 1] = R[j][i] + R[i][j];
    q[k + 1] = R[k][i] + R[i][k];
  }
  return mjcf_quat_unit(q);
}

// The first of the forms that the element has itself, else that its class has.
static const char *form_of(const mjcf_item *item) {
  static const char *const forms[] = {"quat", "euler", "axisangle", "xyaxes", "zaxis"};
  for (int own = 1; own >= 0; own--)
    for (int k = 4; k >= 0; k--) // an alternative overrides quat
      if (own ? ap__attribute(item->e, forms[k]) != NULL : ap__mjcf_text(item, forms[k]) != NULL)
        return forms[k];
  return NULL;
}

static bool read_orientation(mjcf *m, const mjcf_item *item, double q[4]) {
  const char *form = form_of(item);
  double x[6];
  if (!form) return false;
  if (strcmp(form, "quat") == 0 && ap__mjcf_numbers(m, item, form, 4, 4, x)) {
    if (!mjcf_quat_unit(x))
      ap__mjcf_fail(m, item->e, "<%s quat> has no length above 1e-14 (one is usual)",
                    item->e->name);
    else
      memcpy(q, x, 4 * sizeof *q);
  } else if (strcmp(form, "euler") == 0 && ap__mjcf_numbers(m, item, form, 3, 3, x)) {
    ap__mjcf_euler(m, item, x, q);
  } else if (strcmp(form, "axisangle") == 0 && ap__mjcf_numbers(m, item, form, 4, 4, x)) {
    if (make_unit(m, item, form, x)) mjcf_quat_about(x, ap__mjcf_angle(item, x[3]), q);
  } else if (strcmp(form, "xyaxes") == 0 && ap__mjcf_numbers(m, item, form, 6, 6, x)) {
    quat_of_axes(m, item, x, q);
  } else if (strcmp(form, "zaxis") == 0 && ap__mjcf_numbers(m, item, form, 3, 3, x)) {
    if (make_unit(m, item, form, x)) ap__mjcf_quat_of_z(x, q);
  }
  return true;
}

bool ap__mjcf_place(mjcf *m, const mjcf_item *item, mjcf_pose *pose) {
  *pose = mjcf_here();
  ap__mjcf_numbers(m, item, "pos", 3, 3, pose->p);
  return read_orientation(m, item, pose->q);
}
