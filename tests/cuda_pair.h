// SPDX-License-Identifier: Apache-2.0
// A robot's functions as CUDA text and as C text, compiled for the processor and loaded together.

#ifndef AP_TESTS_CUDA_PAIR_H
#define AP_TESTS_CUDA_PAIR_H

#include <appell/codegen.h>
#include <appell/file.h>
#include <dlfcn.h>
#include <unistd.h>

#include "test.h"

typedef struct pair {
  char folder[64];
  void *library;
} pair;

static bool save(const pair *p, const char *name, const char *text) {
  char path[192];
  snprintf(path, sizeof path, "%s/%s", p->folder, name);
  FILE *f = fopen(path, "w");
  if (!CHECK(f)) return false;
  bool good = fputs(text, f) >= 0;
  return CHECK(fclose(f) == 0 && good);
}

// NAME.c or NAME.cu with its header: these functions, bits 1 << AP_GEN_...
static bool generate(const pair *p, const ap_model *m, ap_arithmetic real, ap_target target,
                     const char *name, unsigned functions) {
  ap_generate_options o = ap_default_generate();
  ap_code *code = NULL;
  char file[64];
  o.name = name, o.arithmetic = real, o.target = target, o.functions = functions;
  if (!CHECK_OK(ap_generate(m, &o, &code, NULL))) return false;
  snprintf(file, sizeof file, "%s%s", name, ap_code_ending(code, true));
  bool good = save(p, file, ap_code_header(code));
  snprintf(file, sizeof file, "%s%s", name, ap_code_ending(code, false));
  good = save(p, file, ap_code_source(code)) && good;
  ap_code_free(code);
  return good;
}

// NULL where it fails; the caller frees it.
static ap_model *builtin(const char *name) {
  ap_robot *r;
  ap_model *m = NULL;
  ap_error error;
  if (!CHECK_OK(ap_robot_builtin(name, NULL, &r, &error))) return NULL;
  CHECK_OK(ap_robot_model(r, &m, &error));
  ap_robot_free(r);
  return m;
}

// A device fuses products, and so must the processor to give the same bits.
#ifdef __x86_64__
static const char fusing[] = "-mavx2 -mfma";
#else
static const char fusing[] = "";
#endif

// What a command in the folder makes of the texts, both.so, is loaded.
static bool load_pair(pair *p, const char *command) {
  char path[96];
  if (!CHECK_EQ_INT(system(command), 0)) return false;
  snprintf(path, sizeof path, "%s/both.so", p->folder);
  p->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return CHECK(p->library);
}

static void close_pair(pair *p) {
  char command[128];
  if (p->library) dlclose(p->library);
  snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
  CHECK_EQ_INT(system(command), 0);
}

typedef void function(void);

static function *find(const pair *p, const char *name) {
  void *found = dlsym(p->library, name);
  function *f;
  memcpy(&f, &found, sizeof f);
  CHECK(f);
  return f;
}

#endif
