// SPDX-License-Identifier: Apache-2.0
// The linear systems of contacts: W restricted to the unknowns of their modes.
//
// Contacts of the same two links, as the corners of a box on a floor, have rows of J that are
// combinations of six, the relative motion of the links: G = U c with U of orthonormal columns, at
// most six for each group. Columns with friction and scale likewise are E = V e. So
//
//   A = G M^-1 E^T = U (c M^-1 e^T) V^T,  A^+ = V (c M^-1 e^T)^+ U^T,
//
// and the shortest solution of the small matrix in the middle is that of A. For most stacks and
// feet the small matrix is regular and near its diagonal (contact_islands.c), and elimination
// inside its envelope is enough; otherwise it is decomposed by QR.

#include <math.h>
#include <string.h>

#include "contact_system.h"
#include "num/vec3.h"

// Part of the longest column below which what is left of a column is rounding. W has J twice:
// directions down to 1e-6 of the strongest are told apart.
static const double RANK = 1e-12;
// Part of the largest entry above which all pivots of elimination are where the rank is beyond
// doubt.
static const double REGULAR = 1e-6;
// Part of the longest column of a group that is rounding: less is left to the small matrix.
static const double DEPENDENT = 1e-13;

// ---- unknowns ----------------------------------------------------------------------------------

int ap__contact_unknowns(const ap_resting *resting, const bool *keep, bool normals,
                         contact_system *s) {
  int count = 0;
  for (int i = 0; i < s->n; i++) {
    const ap_resting *r = &resting[i];
    s->column[i] = -1;
    s->first[i] = count;
    if (keep && !(keep[i] && (!ap__rest_turns(r->kind) || keep[r->host]))) continue;
    bool borrows = ap__rest_borrows(r->kind), sticks = r->sticks && !normals;
    int first = borrows ? 1 : 0, directions = sticks ? 3 : borrows ? 0 : 1;
    if (sticks && borrows && r->kind != AP_REST_ROLL) directions = 2;
    if (first < directions) s->column[i] = count;
    for (int d = first; d < directions; d++) s->row[count++] = 3 * i + d;
  }
  s->first[s->n] = count;
  for (int c = 0; c < count; c++) s->scale[c] = 1;
  return count;
}

// What a unit of the unknown in column c does along direction r: W is symmetric, and its rows lie
// in one piece.
static inline double effect(const contact_drag *drag, const contact_system *s, int r, int c) {
  const double *W = s->W + r;
  const int rows = 3 * s->n;
  double sum = W[c * rows];
  for (int k = 0; k < drag->n; k++) sum -= drag->part[k] * W[drag->row[k] * rows];
  return sum;
}

// Whether that matrix is symmetric: nothing slides with friction.
static bool is_symmetric(const ap_resting *resting, int unknowns, bool friction,
                         const contact_system *s) {
  for (int c = 0; c < unknowns; c++)
    if (ap__contact_drags(resting, friction, s, s->row[c]) &&
        ap__contact_drag(resting, friction, s, s->row[c]).n > 0)
      return false;
  return true;
}

// ---- groups ------------------------------------------------------------------------------------

// The unknowns of a group, and its reduced ones; as many where it is not reduced.
static int unknowns_before(const contact_system *s, int group) {
  return s->first[s->member[group]];
}

static bool is_reduced(const contact_system *s, int group) {
  return s->core[group + 1] - s->core[group] <
         unknowns_before(s, group + 1) - unknowns_before(s, group);
}

// The length that moments of a group are measured in.
static double size_of(const ap_resting *resting, const contact_system *s, int group) {
  const int first = s->member[group];
  double size = 0;
  for (int i = first; i < s->member[group + 1]; i++) {
    double arm[3];
    if (ap__rest_turns(resting[i].kind)) size = fmax(size, resting[i].lever);
    if (resting[i].kind != AP_REST_POINT) continue;
    for (int k = 0; k < 3; k++) arm[k] = s->place[i].at[k] - s->place[first].at[k];
    size = fmax(size, norm3(arm));
  }
  return size > 0 ? size : 1;
}

// Force and moment of a unit along row r, on the link of the group with the lower number.
static void add_wrench(const ap_resting *resting, const contact_system *s, int r, double part,
                       double size, double wrench[CONTACT_WRENCH]) {
  const int i = r / 3, first = s->member[s->group[i]];
  const double *force = s->place[i].frame[r % 3];
  double sign = resting[i].body < resting[i].carrier ? -part : part, arm[3], moment[3];
  if (s->W[r * 3 * s->n + r] == 0) return; // nothing can move along it
  if (ap__rest_turns(resting[i].kind)) {
    for (int k = 0; k < 3; k++) wrench[3 + k] += sign * force[k] / size;
    return;
  }
  for (int k = 0; k < 3; k++) arm[k] = s->place[i].at[k] - s->place[first].at[k];
  cross3(arm, force, moment);
  for (int k = 0; k < 3; k++) {
    wrench[k] += sign * force[k];
    wrench[3 + k] += sign * moment[k] / size;
  }
}

// Four sums side by side: one alone waits for each of its terms.
static double product(int n, const double *x, const double *y) {
  double a = 0, b = 0, c = 0, d = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    a += x[i] * y[i], b += x[i + 1] * y[i + 1];
    c += x[i + 2] * y[i + 2], d += x[i + 3] * y[i + 3];
  }
  for (; i < n; i++) a += x[i] * y[i];
  return (a + b) + (c + d);
}

// x less its part along y, which has length 1.
static void subtract(int n, const double *restrict y, double *restrict x) {
  double part = product(n, x, y);
  for (int i = 0; i < n; i++) x[i] -= part * y[i];
}

// The longest of the columns from k on comes to place k; its length.
static double bring_longest(int n, double *G, int k) {
  int best = k;
  double longest = 0;
  for (int j = k; j < CONTACT_WRENCH; j++) {
    double square = product(n, G + j * n, G + j * n);
    if (square > longest) longest = square, best = j;
  }
  for (int i = 0; i < n && best != k; i++) {
    double swap = G[k * n + i];
    G[k * n + i] = G[best * n + i], G[best * n + i] = swap;
  }
  return sqrt(longest);
}

// An orthonormal basis of the columns of G, each in a piece of n numbers, in the first of them
// (Gram and Schmidt, each column twice); their number. The others are zero.
static int find_basis(int n, double *G) {
  double first = 0;
  for (int k = 0; k < CONTACT_WRENCH; k++) {
    double *own = G + k * n, length = bring_longest(n, G, k);
    if (k == 0) first = length;
    for (int p = 0; p < k; p++) subtract(n, G + p * n, own);
    length = fmin(length, sqrt(product(n, own, own)));
    if (!(length > DEPENDENT * first)) { // nor are those behind it longer
      memset(own, 0, (size_t)((CONTACT_WRENCH - k) * n) * sizeof *own);
      return k;
    }
    for (int i = 0; i < n; i++) own[i] /= length;
    for (int j = k + 1; j < CONTACT_WRENCH; j++) subtract(n, own, G + j * n);
  }
  return CONTACT_WRENCH;
}

// The same of G with its rows in a piece [n * CONTACT_WRENCH]; room of the same size.
static int orthonormalise(int n, double *G, double *room) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < CONTACT_WRENCH; j++) room[j * n + i] = G[CONTACT_WRENCH * i + j];
  int rank = find_basis(n, room);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < CONTACT_WRENCH; j++) G[CONTACT_WRENCH * i + j] = room[j * n + i];
  return rank;
}

// Whether the unknowns of a group are those of one point that can move along all of them: its
// directions are across each other, and nothing is left to reduce.
static bool is_one_point(const ap_resting *resting, const contact_system *s, int group) {
  const int i = s->member[group], rows = 3 * s->n;
  if (s->member[group + 1] != i + 1 || resting[i].kind != AP_REST_POINT) return false;
  for (int r = 3 * i; r < 3 * i + 3; r++)
    if (s->W[r * rows + r] == 0) return false;
  return true;
}

// The bases of a group; how many reduced unknowns it has.
static int reduce_group(const ap_resting *resting, bool friction, int group, contact_system *s) {
  const int from = unknowns_before(s, group), n = unknowns_before(s, group + 1) - from;
  double *left = s->left + CONTACT_WRENCH * from, *right = s->right + CONTACT_WRENCH * from;
  // Two directions are seldom dependent, and cost nothing.
  if (n < 3 || is_one_point(resting, s, group)) return n;
  const double size = size_of(resting, s, group);
  const size_t bytes = CONTACT_WRENCH * (size_t)n * sizeof *left;
  memset(left, 0, bytes);
  for (int c = from; c < from + n; c++)
    add_wrench(resting, s, s->row[c], s->symmetric ? s->scale[c] : 1, size,
               s->left + CONTACT_WRENCH * c);
  if (!s->symmetric) memset(right, 0, bytes);
  for (int c = from; c < from + n && !s->symmetric; c++) {
    const contact_drag drag = ap__contact_drag(resting, friction, s, s->row[c]);
    double *wrench = s->right + CONTACT_WRENCH * c;
    add_wrench(resting, s, s->row[c], s->scale[c], size, wrench);
    for (int k = 0; k < drag.n; k++)
      add_wrench(resting, s, drag.row[k], -drag.part[k] * s->scale[c], size, wrench);
  }
  int rank = orthonormalise(n, left, s->block);
  if (s->symmetric)
    memcpy(right, left, bytes);
  else if (orthonormalise(n, right, s->block) != rank)
    return n;
  return rank < n ? rank : n;
}

static void reduce(const ap_resting *resting, bool friction, contact_system *s) {
  s->core[0] = 0;
  for (int g = 0; g < s->ngroup; g++)
    s->core[g + 1] = s->core[g] + reduce_group(resting, friction, g, s);
}

// ---- the small matrix --------------------------------------------------------------------------

// What column c does to the unknowns of a group, into z; reduced ones have zeros up to
// CONTACT_WRENCH.
static void column_of(const contact_drag *drag, int c, int group, const contact_system *s,
                      double *z) {
  const int from = unknowns_before(s, group), to = unknowns_before(s, group + 1);
  double sum[CONTACT_WRENCH] = {0};
  const bool reduced = is_reduced(s, group);
  for (int r = from; r < to; r++) {
    double a = s->scale[c] * effect(drag, s, s->row[r], s->row[c]);
    if (s->symmetric) a *= s->scale[r];
    const double *U = s->left + CONTACT_WRENCH * r;
    if (!reduced) z[r - from] = a;
    for (int k = 0; k < CONTACT_WRENCH && reduced; k++) sum[k] += U[k] * a;
  }
  if (reduced) memcpy(z, sum, sizeof sum);
}

// Column c of a group added to the rows of another.
static void add_column(const contact_drag *drag, int c, int group, int other, contact_system *s) {
  const int n = s->qr.n, count = s->core[other + 1] - s->core[other], at = s->core[group];
  const int width = s->core[group + 1] - at;
  double *z = s->qr.spare, *A = s->qr.A + s->core[other] * n + at;
  column_of(drag, c, other, s, z);
  if (!is_reduced(s, group)) {
    for (int j = 0; j < count; j++) A[j * n + c - unknowns_before(s, group)] = z[j];
    return;
  }
  const double *V = s->right + CONTACT_WRENCH * c;
  for (int j = 0; j < count; j++)
    for (int k = 0; k < width; k++) A[j * n + k] += z[j] * V[k];
}

// All columns of a group likewise.
static void add_columns(const ap_resting *resting, bool friction, int group, int other,
                        contact_system *s) {
  for (int c = unknowns_before(s, group); c < unknowns_before(s, group + 1); c++) {
    const contact_drag drag = ap__contact_drag(resting, friction, s, s->row[c]);
    add_column(&drag, c, group, other, s);
  }
}

// Whether the unknowns are rows of W in a piece, as where all points stick, and are not scaled.
static bool is_piece(const contact_system *s) {
  for (int c = 0; c < s->unknowns; c++)
    if (s->row[c] != s->row[0] + c || s->scale[c] != 1) return false;
  return true;
}

// The block of two reduced groups where W is taken as it is: U^T (W V), in the order of columns.
static void add_block(int group, int other, contact_system *s) {
  enum { N = CONTACT_WRENCH };
  const int n = s->qr.n, rows = 3 * s->n, from = unknowns_before(s, group);
  const int count = unknowns_before(s, group + 1) - from, low = unknowns_before(s, other);
  const int many = unknowns_before(s, other + 1) - low;
  double *Z = s->block;
  memset(Z, 0, (size_t)(N * count) * sizeof *Z);
  for (int c = 0; c < count; c++)
    s->through->subtract(N, many, s->W + s->row[from + c] * rows + s->row[low], 1, NULL,
                         s->left + N * low, Z + N * c);
  for (int j = 0; j < N; j++)
    s->through->subtract(N, count, Z + j, N, NULL, s->right + N * from,
                         s->qr.A + (s->core[other] + j) * n + s->core[group]);
}

static bool is_full(const contact_system *s, int group) {
  return is_reduced(s, group) && s->core[group + 1] - s->core[group] == CONTACT_WRENCH;
}

// All of it; `half` without what is below the diagonal.
static void fill(const ap_resting *resting, bool friction, bool half, contact_system *s) {
  const int n = s->qr.n;
  for (int g = 0; g < s->ngroup; g++) {
    const contact_span *end = s->span + s->near[g + 1] - 1; // the last
    for (int r = s->core[g]; r < s->core[g + 1]; r++) {
      int from = half ? s->core[g] : 0, to = half ? s->core[s->group[end->to - 1] + 1] : n;
      s->last[r] = s->core[s->group[end->to - 1] + 1] - 1;
      memset(s->qr.A + r * n + from, 0, (size_t)(to - from) * sizeof *s->qr.A);
    }
  }
  const bool piece = s->symmetric && is_piece(s);
  for (int g = 0; g < s->ngroup; g++) CONTACT_SPANS(s, s->member[g], span)
  for (int h = s->group[span->from]; h <= s->group[span->to - 1] && (!half || h <= g); h++)
    if (piece && is_full(s, g) && is_full(s, h))
      add_block(g, h, s);
    else
      add_columns(resting, friction, g, h, s);
}

// The same where nothing is reduced: entries of W and what friction adds to them. Outside the spans
// W is zero.
static void fill_plain(const ap_resting *resting, bool friction, bool half, contact_system *s) {
  const int n = s->qr.n, rows = 3 * s->n;
  const bool piece = half && is_piece(s);
  for (int i = 0; i < s->n; i++) {
    const contact_span *end = s->span + s->near[s->group[i] + 1] - 1; // the last
    const int to = s->first[end->to];
    for (int c = s->first[i]; c < s->first[i + 1]; c++) {
      const double *W = s->W + s->row[c] * rows;
      double *A = s->qr.A + c * n;
      s->last[c] = to - 1;
      if (!half) memset(A, 0, (size_t)n * sizeof *A);
      if (piece) memcpy(A + c, W + s->row[c], (size_t)(to - c) * sizeof *A);
      for (int r = c; r < to && half && !piece; r++)
        A[r] = s->scale[r] * W[s->row[r]] * s->scale[c];
    }
  }
  for (int c = 0; c < n && !half; c++) {
    const double *W = s->W + s->row[c] * rows;
    contact_drag drag = {0};
    if (ap__contact_drags(resting, friction, s, s->row[c]))
      drag = ap__contact_drag(resting, friction, s, s->row[c]);
    CONTACT_SPANS(s, s->row[c] / 3, span)
    for (int r = s->first[span->from]; r < s->first[span->to]; r++) {
      double a = s->scale[c] * (drag.n ? effect(&drag, s, s->row[r], s->row[c]) : W[s->row[r]]);
      s->qr.A[r * n + c] = s->symmetric ? a * s->scale[r] : a;
    }
  }
}

static void fill_any(const ap_resting *resting, bool friction, bool half, contact_system *s) {
  if (s->unknowns == s->qr.n)
    fill_plain(resting, friction, half, s);
  else
    fill(resting, friction, half, s);
}

// y -= l x
static inline void subtract_row(int n, double l, const double *x, double *y) {
  enum { PAIR = 2 };
  typedef double pair __attribute__((vector_size(PAIR * sizeof(double))));
  int c = 0;
  for (; c + PAIR <= n; c += PAIR) {
    pair a, b;
    memcpy(&a, x + c, sizeof a);
    memcpy(&b, y + c, sizeof b);
    b -= l * a;
    memcpy(y + c, &b, sizeof b);
  }
  if (c < n) y[c] -= l * x[c];
}

// Elimination of the upper half of a symmetric matrix; false where a pivot is small.
static bool eliminate_half(contact_system *s) {
  const int n = s->qr.n;
  const double *A = s->qr.A;
  double largest = 0; // on the diagonal, as of any matrix without negative eigenvalues
  for (int k = 0; k < n; k++) largest = fabs(A[k * n + k]) > largest ? fabs(A[k * n + k]) : largest;
  return s->through->eliminate(n, s->qr.A, s->last, REGULAR * largest);
}

static void swap_rows(int n, double *A, double *B) {
  for (int c = 0; c < n; c++) {
    double x = A[c];
    A[c] = B[c], B[c] = x;
  }
}

static int largest_below(int n, const double *A, int k) {
  int best = k;
  for (int r = k + 1; r < n; r++)
    if (fabs(A[r * n + k]) > fabs(A[best * n + k])) best = r;
  return best;
}

// The same of any matrix, with exchanges of rows.
static bool eliminate(int n, double *A, int *pivot, int *last) {
  double least = REGULAR * ap__contact_largest(A, n * n);
  for (int k = 0; k < n; k++) {
    double *top = A + k * n;
    int best = pivot[k] = largest_below(n, A, k), end = last[best];
    if (!(fabs(A[best * n + k]) > least)) return false;
    if (best != k) swap_rows(n, top, A + best * n), last[best] = last[k], last[k] = end;
    top[k] = 1 / top[k];
    for (int r = k + 1; r < n; r++) {
      double *row = A + r * n;
      if (row[k] == 0) continue;
      double l = row[k] *= top[k];
      subtract_row(end - k, l, top + k + 1, row + k + 1);
      if (last[r] < end) last[r] = end;
    }
  }
  return true;
}

static void substitute_half(int n, const double *A, const int *last, double *x) {
  for (int r = 0; r < n; r++)
    for (int c = r + 1; c <= last[r]; c++) x[c] -= A[r * n + r] * A[r * n + c] * x[r];
  for (int r = n - 1; r >= 0; r--) {
    for (int c = r + 1; c <= last[r]; c++) x[r] -= A[r * n + c] * x[c];
    x[r] *= A[r * n + r];
  }
}

// The same of k right sides, those of a row side by side. Rows end ever later.
static void substitute_many(int k, double *X, contact_system *s) {
  const int n = s->qr.n, *last = s->last;
  const double *A = s->qr.A;
  double *part = s->rhs;
  for (int c = 1, low = 0; c < n; c++) {
    while (low < c && last[low] < c) low++;
    for (int r = low; r < c; r++) part[r] = A[r * n + r] * A[r * n + c];
    s->through->subtract(k, c - low, part + low, 1, NULL, X + low * k, X + c * k);
  }
  for (int r = n - 1; r >= 0; r--) {
    double *row = X + r * k;
    s->through->subtract(k, last[r] - r, A + r * n + r + 1, 1, NULL, row + k, row);
    for (int j = 0; j < k; j++) row[j] *= A[r * n + r];
  }
}

// The solution of k right sides of any matrix.
static void substitute(int n, const double *A, const int *pivot, const int *last, int k,
                       double *X) {
  for (int r = 0; r < n; r++)
    if (pivot[r] != r) swap_rows(k, X + r * k, X + pivot[r] * k);
  for (int r = 0; r < n; r++)
    for (int c = 0; c < r; c++) {
      double l = A[r * n + c];
      for (int j = 0; j < k && l != 0; j++) X[r * k + j] -= l * X[c * k + j];
    }
  for (int r = n - 1; r >= 0; r--) {
    for (int c = r + 1; c <= last[r]; c++)
      for (int j = 0; j < k; j++) X[r * k + j] -= A[r * n + c] * X[c * k + j];
    for (int j = 0; j < k; j++) X[r * k + j] *= A[r * n + r];
  }
}

bool ap__contact_eliminate(const ap_resting *resting, int unknowns, bool friction,
                           contact_system *s) {
  s->unknowns = unknowns;
  s->symmetric = is_symmetric(resting, unknowns, friction, s);
  reduce(resting, friction, s);
  int n = s->core[s->ngroup];
  s->qr.m = s->qr.n = s->qr.rank = n;
  fill_any(resting, friction, s->symmetric, s);
  s->regular = s->symmetric ? eliminate_half(s) : eliminate(n, s->qr.A, s->qr.pivot, s->last);
  return s->regular;
}

void ap__contact_refill(const ap_resting *resting, bool friction, contact_system *s) {
  for (int g = 0; g < s->ngroup; g++) s->core[g + 1] = unknowns_before(s, g + 1);
  s->qr.m = s->qr.n = s->unknowns;
  fill_plain(resting, friction, false, s);
}

void ap__contact_factor(const ap_resting *resting, int unknowns, bool friction, contact_system *s) {
  if (ap__contact_eliminate(resting, unknowns, friction, s)) return;
  fill_any(resting, friction, false, s);
  ap__qr_factor(&s->qr, RANK);
}

// ---- solutions ---------------------------------------------------------------------------------

// The small right sides of s->rhs, in place: reduced ones come before those that they are from.
static void reduce_right(contact_system *s) {
  for (int c = 0; c < s->unknowns && s->symmetric; c++) s->rhs[c] *= s->scale[c];
  for (int g = 0; g < s->ngroup && s->unknowns > s->qr.n; g++) {
    const int from = unknowns_before(s, g), to = unknowns_before(s, g + 1);
    const int count = s->core[g + 1] - s->core[g];
    double z[CONTACT_WRENCH] = {0};
    if (!is_reduced(s, g)) {
      for (int k = 0; k < count; k++) s->rhs[s->core[g] + k] = s->rhs[from + k];
      continue;
    }
    for (int r = from; r < to; r++)
      for (int k = 0; k < count; k++) z[k] += s->left[CONTACT_WRENCH * r + k] * s->rhs[r];
    memcpy(s->rhs + s->core[g], z, (size_t)count * sizeof *z);
  }
}

// s->x from the small solution in s->rhs.
static void expand(contact_system *s) {
  if (s->unknowns == s->qr.n) {
    for (int c = 0; c < s->unknowns; c++) s->x[c] = s->rhs[c];
    return;
  }
  for (int g = 0; g < s->ngroup; g++) {
    const int from = unknowns_before(s, g), to = unknowns_before(s, g + 1);
    const int count = s->core[g + 1] - s->core[g];
    const double *z = s->rhs + s->core[g];
    if (!is_reduced(s, g)) {
      memcpy(s->x + from, z, (size_t)count * sizeof *z);
      continue;
    }
    for (int r = from; r < to; r++) {
      s->x[r] = 0;
      for (int k = 0; k < count; k++) s->x[r] += s->right[CONTACT_WRENCH * r + k] * z[k];
    }
  }
}

void ap__contact_solve(contact_system *s) {
  int n = s->qr.n;
  reduce_right(s);
  if (s->regular && s->symmetric) {
    substitute_half(n, s->qr.A, s->last, s->rhs);
  } else if (s->regular) {
    substitute(n, s->qr.A, s->qr.pivot, s->last, 1, s->rhs);
  } else {
    ap__qr_solve(&s->qr, s->rhs, s->x);
    memcpy(s->rhs, s->x, (size_t)n * sizeof *s->x);
  }
  expand(s);
}

void ap__contact_solve_many(contact_system *s, int k, const double *B, double *X) {
  const int n = s->unknowns;
  if (s->regular && n == s->qr.n) {
    memcpy(X, B, (size_t)n * (size_t)k * sizeof *X);
    for (int c = 0; c < n * k && s->symmetric; c++) X[c] *= s->scale[c / k];
    if (s->symmetric)
      substitute_many(k, X, s);
    else
      substitute(n, s->qr.A, s->qr.pivot, s->last, k, X);
    return;
  }
  for (int j = 0; j < k; j++) {
    for (int c = 0; c < n; c++) s->rhs[c] = B[c * k + j];
    ap__contact_solve(s);
    for (int c = 0; c < n; c++) X[c * k + j] = s->x[c];
  }
}

// ---- what does nothing -------------------------------------------------------------------------

// Null vectors of the small matrix, as unknowns, in the first columns of N.
static int expand_null(int count, contact_system *s) {
  const int many = s->regular ? 0 : s->qr.n - s->qr.rank;
  for (int k = 0; k < many; k++) {
    ap__qr_null_vector(&s->qr, k, s->rhs);
    expand(s);
    for (int c = 0; c < s->unknowns; c++) s->N[c * count + k] = s->x[c];
  }
  return many;
}

// Those of a reduced group alone, from column `at` on: what is across its basis.
static int add_null(int group, int at, int count, contact_system *s) {
  const int from = unknowns_before(s, group), n = unknowns_before(s, group + 1) - from;
  const int m = s->core[group + 1] - s->core[group];
  ap_qr qr = s->qr;
  qr.m = m, qr.n = n;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) qr.A[j * n + i] = s->right[CONTACT_WRENCH * (from + i) + j];
  ap__qr_factor(&qr, DEPENDENT);
  for (int k = 0; k < n - m; k++) {
    ap__qr_null_vector(&qr, k, s->rhs);
    for (int i = 0; i < n; i++) s->N[(from + i) * count + at + k] = s->rhs[i];
  }
  return n - m;
}

int ap__contact_null(contact_system *s) {
  const int n = s->unknowns, count = n - (s->regular ? s->qr.n : s->qr.rank);
  memcpy(s->old, s->x, (size_t)n * sizeof *s->x);
  memset(s->N, 0, (size_t)n * (size_t)count * sizeof *s->N);
  int at = expand_null(count, s);
  for (int g = 0; g < s->ngroup; g++)
    if (is_reduced(s, g)) at += add_null(g, at, count, s);
  memcpy(s->x, s->old, (size_t)n * sizeof *s->x);
  return count;
}

bool ap__contact_definite(int n, contact_system *s) {
  for (int r = 0; r < n; r++) s->last[r] = n - 1;
  return s->through->eliminate(n, s->qr.A, s->last, 0);
}

void ap__contact_substitute(int n, const contact_system *s, double *x) {
  substitute_half(n, s->qr.A, s->last, x);
}
