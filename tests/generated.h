// SPDX-License-Identifier: Apache-2.0
// Generated code compiled by the system's compiler and loaded, for tests and benchmarks.

#ifndef AP_TESTS_GENERATED_H
#define AP_TESTS_GENERATED_H

#include <appell/codegen.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What the contract asks the text to pass.
#define GENERATED_WARNINGS "-std=c11 -pedantic -Wall -Wextra -Wconversion -Werror"

typedef struct generated {
  ap_code *code;
  char folder[64]; // where the files are
  void *library;   // NULL: something went wrong, and was said
} generated;

static inline bool generated_save(const generated *g, const char *ending, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s%s", g->folder, ap_code_name(g->code), ending);
  FILE *f = fopen(path, "w");
  if (!f) return false;
  bool good = fputs(text, f) >= 0;
  return fclose(f) == 0 && good;
}

// Remove the folder.
static inline void generated_clear(const generated *g) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", g->folder);
  if (system(command) != 0) fprintf(stderr, "'%s' failed\n", command);
}

static inline bool generated_compile(generated *g, const char *compiler, const char *flags) {
  char command[1024];
  const char *name = ap_code_name(g->code);
  snprintf(command, sizeof command,
           "cd '%s' && %s " GENERATED_WARNINGS " %s -fPIC -shared '%s.c' -o '%s.so' -lm", g->folder,
           compiler, flags, name, name);
  return system(command) == 0;
}

// Compile and load the code that is there.
static inline void generated_load(generated *g, const char *compiler, const char *flags) {
  strcpy(g->folder, "/tmp/appell-generated-XXXXXX");
  if (!mkdtemp(g->folder)) return;
  char path[256];
  snprintf(path, sizeof path, "%s/%s.so", g->folder, ap_code_name(g->code));
  if (generated_save(g, ".c", ap_code_source(g->code)) &&
      generated_save(g, ".h", ap_code_header(g->code)) && generated_compile(g, compiler, flags))
    g->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  generated_clear(g);
}

static inline generated generated_open(const ap_model *m, const ap_generate_options *options,
                                       const char *compiler, const char *flags) {
  generated g = {.code = NULL};
  ap_error error = {0};
  if (ap_generate(m, options, &g.code, &error) == AP_OK)
    generated_load(&g, compiler, flags);
  else
    fprintf(stderr, "%s\n", error.text);
  return g;
}

static inline void generated_close(generated *g) {
  if (g->library) dlclose(g->library);
  ap_code_free(g->code);
}

// Its functions of one state and of many, by their arguments: configuration, velocity and, of the
// forward dynamics, the forces; what is returned there is 0 or a singular inertia matrix.
typedef void one_array(const double *q, double *out);
typedef void two_arrays(const double *q, const double *v, double *out);
typedef void three_arrays(const double *q, const double *v, const double *a, double *out);
typedef int forward_function(const double *q, const double *v, const double *tau, double *a);
typedef void one_array_batch(size_t n, const double *q, double *out);
typedef void two_arrays_batch(size_t n, const double *q, const double *v, double *out);
typedef void three_arrays_batch(size_t n, const double *q, const double *v, const double *a,
                                double *out);
typedef int forward_batch(size_t n, const double *q, const double *v, const double *tau, double *a);

// The compiler that the environment names.
static inline const char *generated_compiler(void) {
  const char *cc = getenv("CC");
  return cc && cc[0] ? cc : "cc";
}

static inline bool generated_has_clang(void) {
  return system("clang --version >/dev/null 2>&1") == 0;
}

// Any of the functions; the caller knows its type.
typedef void generated_function(void);

static inline generated_function *generated_symbol(const generated *g, const char *function,
                                                   const char *ending) {
  char name[256];
  snprintf(name, sizeof name, "%s_%s%s", ap_code_name(g->code), function, ending);
  void *symbol = g->library ? dlsym(g->library, name) : NULL;
  generated_function *f;
  memcpy(&f, &symbol, sizeof f); // ISO C has no cast from an object to a function
  return f;
}

#endif
