// SPDX-License-Identifier: Apache-2.0
// A host that loads external functions as CasADi 3.6 does: the same symbols in the same order, the
// same checks of sizes between a function and its derivatives, compressed patterns, arguments and
// results that may be missing, work of the sizes asked for and no more.

#ifndef AP_TESTS_CASADI_HOST_H
#define AP_TESTS_CASADI_HOST_H

#include <dlfcn.h>

#include "test.h"

enum { HOST_SLOTS = 32, HOST_GUARD = 4 };

typedef long long host_int;
typedef int host_eval(const double **arg, double **res, host_int *iw, double *w, int mem);

// A pattern in compressed columns.
typedef struct host_pattern {
  int rows, columns, nonzeros;
  const host_int *colind, *row;
} host_pattern;

typedef struct host_function {
  char name[256];
  void *library;
  host_eval *eval;
  int n_in, n_out;
  const char *name_in[HOST_SLOTS], *name_out[HOST_SLOTS];
  host_pattern in[HOST_SLOTS], out[HOST_SLOTS];
  host_int sz_arg, sz_res, sz_iw, sz_w;
  int mem;
  const double **arg;
  double **res, *w;
  double *result[HOST_SLOTS]; // dense, column-major
} host_function;

typedef void host_symbol(void);

static inline host_symbol *host_find(const host_function *f, const char *ending) {
  char name[300];
  snprintf(name, sizeof name, "%s%s", f->name, ending);
  void *symbol = dlsym(f->library, name);
  host_symbol *function;
  memcpy(&function, &symbol, sizeof function);
  return function;
}

static inline host_pattern host_read(const host_int *p) {
  host_pattern x = {0};
  if (!CHECK(p)) return x;
  x.rows = (int)p[0], x.columns = (int)p[1], x.colind = p + 2;
  x.row = x.colind + x.columns + 1, x.nonzeros = (int)x.colind[x.columns];
  CHECK(x.colind[0] == 0); // not the short form of a dense one
  for (int j = 0; j < x.columns; j++) {
    CHECK(x.colind[j + 1] >= x.colind[j]);
    for (host_int k = x.colind[j]; k < x.colind[j + 1]; k++) {
      CHECK(x.row[k] >= 0 && x.row[k] < x.rows);
      if (k > x.colind[j]) CHECK(x.row[k] > x.row[k - 1]);
    }
  }
  return x;
}

// Every symbol that CasADi's own generated code has, in the types that its loader gives them.
static inline bool host_load(void *library, const char *name, host_function *f) {
  *f = (host_function){.library = library};
  snprintf(f->name, sizeof f->name, "%s", name);
  f->eval = (host_eval *)host_find(f, "");
  if (!f->eval) return false;
  static const char *const needed[] = {"_incref",       "_decref",   "_n_in",       "_n_out",
                                       "_name_in",      "_name_out", "_default_in", "_sparsity_in",
                                       "_sparsity_out", "_work",     "_checkout",   "_release",
                                       "_alloc_mem",    "_init_mem", "_free_mem"};
  for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
    if (!CHECK(host_find(f, needed[k]))) return false;
  host_find(f, "_incref")();
  f->n_in = (int)((host_int(*)(void))host_find(f, "_n_in"))();
  f->n_out = (int)((host_int(*)(void))host_find(f, "_n_out"))();
  if (!CHECK(f->n_in <= HOST_SLOTS && f->n_out <= HOST_SLOTS)) return false;
  for (int i = 0; i < f->n_in; i++) {
    f->name_in[i] = ((const char *(*)(host_int))host_find(f, "_name_in"))(i);
    f->in[i] = host_read(((const host_int *(*)(host_int))host_find(f, "_sparsity_in"))(i));
    CHECK(((double (*)(host_int))host_find(f, "_default_in"))(i) == 0);
    if (!CHECK(f->name_in[i])) return false;
  }
  for (int i = 0; i < f->n_out; i++) {
    f->name_out[i] = ((const char *(*)(host_int))host_find(f, "_name_out"))(i);
    f->out[i] = host_read(((const host_int *(*)(host_int))host_find(f, "_sparsity_out"))(i));
    f->result[i] = calloc((size_t)(f->out[i].rows * f->out[i].columns) + 1, sizeof(double));
    if (!CHECK(f->name_out[i])) return false;
  }
  CHECK(!((const char *(*)(host_int))host_find(f, "_name_in"))(f->n_in));
  CHECK(!((const host_int *(*)(host_int))host_find(f, "_sparsity_out"))(f->n_out));
  int (*work)(host_int *, host_int *, host_int *, host_int *) =
      (int (*)(host_int *, host_int *, host_int *, host_int *))host_find(f, "_work");
  CHECK_EQ_INT(work(&f->sz_arg, &f->sz_res, &f->sz_iw, &f->sz_w), 0);
  CHECK(f->sz_arg >= f->n_in && f->sz_res >= f->n_out);
  f->mem = ((int (*)(void))host_find(f, "_checkout"))();
  f->arg = calloc((size_t)f->sz_arg + 1, sizeof *f->arg);
  f->res = calloc((size_t)f->sz_res + 1, sizeof *f->res);
  f->w = calloc((size_t)f->sz_w + HOST_GUARD, sizeof *f->w);
  return f->arg && f->res && f->w;
}

static inline void host_close(host_function *f) {
  if (!f->eval) return;
  ((void (*)(int))host_find(f, "_release"))(f->mem);
  host_find(f, "_decref")();
  free(f->arg), free(f->res), free(f->w);
  for (int i = 0; i < f->n_out; i++) free(f->result[i]);
}

static inline int host_size(const host_pattern *p) { return p->rows * p->columns; }

static inline bool host_same_size(const host_pattern *a, const host_pattern *b) {
  return a->rows == b->rows && a->columns == b->columns;
}

// The number of the input or output with a name; -1: there is none.
static inline int host_in(const host_function *f, const char *name) {
  for (int i = 0; i < f->n_in; i++)
    if (strcmp(f->name_in[i], name) == 0) return i;
  return -1;
}
static inline int host_out(const host_function *f, const char *name) {
  for (int i = 0; i < f->n_out; i++)
    if (strcmp(f->name_out[i], name) == 0) return i;
  return -1;
}

// Call it with those results that `wanted` has a bit for; the others are NULL. Results become dense
// matrices; work and results end in guards.
static inline int host_call_some(host_function *f, const double *const *arg, unsigned wanted) {
  double *sparse[HOST_SLOTS];
  for (int i = 0; i < f->n_in; i++) f->arg[i] = arg[i];
  for (int i = 0; i < f->n_out; i++) {
    const size_t n = (size_t)f->out[i].nonzeros;
    sparse[i] = malloc((n + HOST_GUARD) * sizeof(double));
    for (size_t k = 0; k < n + HOST_GUARD; k++) sparse[i][k] = 12345;
    f->res[i] = wanted >> i & 1 ? sparse[i] : NULL;
  }
  for (int k = 0; k < HOST_GUARD; k++) f->w[f->sz_w + k] = 54321;
  const int status = f->eval(f->arg, f->res, NULL, f->w, f->mem);
  for (int k = 0; k < HOST_GUARD; k++) CHECK(f->w[f->sz_w + k] == 54321);
  for (int i = 0; i < f->n_out; i++) {
    const host_pattern *p = &f->out[i];
    for (int k = 0; k < HOST_GUARD; k++) CHECK(sparse[i][p->nonzeros + k] == 12345);
    if (wanted >> i & 1) memset(f->result[i], 0, (size_t)host_size(p) * sizeof(double));
    for (int j = 0; wanted >> i & 1 && j < p->columns; j++)
      for (host_int k = p->colind[j]; k < p->colind[j + 1]; k++)
        f->result[i][j * p->rows + p->row[k]] = sparse[i][k];
    free(sparse[i]);
  }
  return status;
}

static inline int host_call(host_function *f, const double *const *arg) {
  return host_call_some(f, arg, ~0u);
}

// ---- FunctionInternal::forward(), reverse() and jacobian() --------------------------------------

// What CasADi asserts of the derivatives that it finds.
static inline void host_check_forward(const host_function *f, const host_function *d) {
  const int n = f->n_in, m = f->n_out;
  if (!CHECK_EQ_INT(d->n_in, n + m + n) || !CHECK_EQ_INT(d->n_out, m)) return;
  for (int i = 0; i < n; i++) CHECK(host_same_size(&d->in[i], &f->in[i]));
  for (int i = 0; i < m; i++) CHECK(host_same_size(&d->in[n + i], &f->out[i]));
  for (int i = 0; i < n; i++) CHECK(host_same_size(&d->in[n + m + i], &f->in[i]));
  for (int i = 0; i < m; i++)
    CHECK(host_same_size(&d->out[i], &f->out[i]) && d->out[i].nonzeros == f->out[i].nonzeros);
}
static inline void host_check_reverse(const host_function *f, const host_function *d) {
  const int n = f->n_in, m = f->n_out;
  if (!CHECK_EQ_INT(d->n_in, n + m + m) || !CHECK_EQ_INT(d->n_out, n)) return;
  for (int i = 0; i < n; i++) CHECK(host_same_size(&d->in[i], &f->in[i]));
  for (int i = 0; i < m; i++) CHECK(host_same_size(&d->in[n + i], &f->out[i]));
  for (int i = 0; i < m; i++) CHECK(host_same_size(&d->in[n + m + i], &f->out[i]));
  for (int i = 0; i < n; i++)
    CHECK(host_same_size(&d->out[i], &f->in[i]) && d->out[i].nonzeros == f->in[i].nonzeros);
}
static inline void host_check_jacobian(const host_function *f, const host_function *d) {
  const int n = f->n_in, m = f->n_out;
  if (!CHECK_EQ_INT(d->n_in, n + m) || !CHECK_EQ_INT(d->n_out, n * m)) return;
  for (int o = 0; o < m; o++)
    for (int i = 0; i < n; i++) {
      char name[128];
      snprintf(name, sizeof name, "jac_%s_%s", f->name_out[o], f->name_in[i]);
      CHECK_STR(d->name_out[o * n + i], name);
      CHECK_EQ_INT(d->out[o * n + i].rows, host_size(&f->out[o]));
      CHECK_EQ_INT(d->out[o * n + i].columns, host_size(&f->in[i]));
    }
}

#endif
