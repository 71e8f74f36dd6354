// SPDX-License-Identifier: Apache-2.0
#include "ident/strategy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_worth(const void *a, const void *b) {
  double x = ((const ap__candidate *)a)->worth, y = ((const ap__candidate *)b)->worth;
  return (x < y) - (x > y);
}

bool ap__strategy_make(ap__strategy *s, int n) {
  s->n = n, s->step = 0.5;
  s->children = 2 * (4 + (int)(3 * log(n))) / 2;
  s->parents = s->children / 2;
  size_t size = (size_t)n;
  s->memory = calloc(size * (5 + (size_t)s->children) + (size_t)s->parents, sizeof(double));
  s->child = calloc((size_t)s->children, sizeof *s->child);
  if (!s->memory || !s->child) return false;
  double *at = s->memory, sum = 0, squares = 0;
  s->mean = at, s->variance = at + size, s->path = at + 2 * size;
  s->step_path = at + 3 * size, s->old = at + 4 * size, at += 5 * size;
  for (int k = 0; k < s->children; k++, at += size) s->child[k].gene = at;
  s->weight = at;
  for (int k = 0; k < n; k++) s->variance[k] = 1;
  for (int k = 0; k < s->parents; k++) sum += s->weight[k] = log(s->parents + 0.5) - log(k + 1);
  for (int k = 0; k < s->parents; k++) {
    s->weight[k] /= sum;
    squares += s->weight[k] * s->weight[k];
  }
  s->mass = 1 / squares;
  return true;
}

void ap__strategy_free(ap__strategy *s) { free(s->memory), free(s->child); }

void ap__strategy_draw(ap__strategy *s, int k, ap__random *random) {
  for (int i = 0; i < s->n; i++)
    s->child[k].gene[i] = s->mean[i] + s->step * sqrt(s->variance[i]) * ap__normal(random);
}

// Hansen's update with a diagonal matrix of covariances.
void ap__strategy_learn(ap__strategy *s) {
  double n = s->n, mass = s->mass, expected = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
  double cs = (mass + 2) / (n + mass + 5), cc = (4 + mass / n) / (n + 4 + 2 * mass / n);
  double ds = 1 + cs + 2 * fmax(0, sqrt((mass - 1) / (n + 1)) - 1), speed = (n + 2) / 3;
  double c1 = fmin(1, speed * 2 / ((n + 1.3) * (n + 1.3) + mass));
  double cm = fmin(1 - c1, speed * 2 * (mass - 2 + 1 / mass) / ((n + 2) * (n + 2) + mass));
  double length = 0;
  const int generation = s->generation++;
  qsort(s->child, (size_t)s->children, sizeof *s->child, by_worth);
  memcpy(s->old, s->mean, (size_t)s->n * sizeof *s->old);
  for (int i = 0; i < s->n; i++) {
    s->mean[i] = 0;
    for (int k = 0; k < s->parents; k++) s->mean[i] += s->weight[k] * s->child[k].gene[i];
    double y = (s->mean[i] - s->old[i]) / s->step;
    s->step_path[i] = (1 - cs) * s->step_path[i] + sqrt(cs * (2 - cs) * mass / s->variance[i]) * y;
    length += s->step_path[i] * s->step_path[i];
  }
  length = sqrt(length);
  bool stalled =
      length / sqrt(1 - pow(1 - cs, 2.0 * (generation + 1))) > (1.4 + 2 / (n + 1)) * expected;
  for (int i = 0; i < s->n; i++) {
    double y = (s->mean[i] - s->old[i]) / s->step, rank = 0;
    s->path[i] = (1 - cc) * s->path[i] + (stalled ? 0 : sqrt(cc * (2 - cc) * mass) * y);
    for (int k = 0; k < s->parents; k++) {
      double z = (s->child[k].gene[i] - s->old[i]) / s->step;
      rank += s->weight[k] * z * z;
    }
    double own = s->path[i] * s->path[i] + (stalled ? cc * (2 - cc) * s->variance[i] : 0);
    s->variance[i] = (1 - c1 - cm) * s->variance[i] + c1 * own + cm * rank;
  }
  s->step *= exp(fmin(1, cs / ds * (length / expected - 1)));
}
