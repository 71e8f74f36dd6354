// SPDX-License-Identifier: Apache-2.0
// The binary of an FMU: its sources in a folder of their own, compiled, read back.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/error.h"
#include "codegen/fmu.h"
#include "codegen/process.h"

enum { PATH_ROOM = 4096, FILES = 4 };

// A folder for a while, and what is in it.
typedef struct workshop {
  char folder[PATH_ROOM - 300];
  char path[FILES][PATH_ROOM]; // fmu.c, NAME.c, NAME.h, NAME.so
} workshop;

static bool open_workshop(workshop *w, const char *name) {
  const char *base = getenv("TMPDIR");
  const int length = snprintf(w->folder, sizeof w->folder, "%s/appell-fmu-XXXXXX",
                              base && base[0] == '/' ? base : "/tmp");
  if (length < 0 || (size_t)length >= sizeof w->folder || !mkdtemp(w->folder)) return false;
  snprintf(w->path[0], PATH_ROOM, "%s/fmu.c", w->folder);
  snprintf(w->path[1], PATH_ROOM, "%s/%.200s.c", w->folder, name);
  snprintf(w->path[2], PATH_ROOM, "%s/%.200s.h", w->folder, name);
  snprintf(w->path[3], PATH_ROOM, "%s/%.200s.so", w->folder, name);
  return true;
}

static void close_workshop(workshop *w) {
  for (int k = 0; k < FILES; k++) unlink(w->path[k]);
  rmdir(w->folder);
}

static bool save(const char *path, const char *text) {
  FILE *file = fopen(path, "wx");
  if (!file) return false;
  bool good = fputs(text, file) >= 0;
  return fclose(file) == 0 && good;
}

static bool read_back(const char *path, ap__text *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char part[8192];
  size_t n;
  while ((n = fread(part, 1, sizeof part, file)) > 0) ap__text_bytes(bytes, part, n);
  bool good = !ferror(file) && bytes->length > 0 && !bytes->failed;
  return fclose(file) == 0 && good;
}

static ap_status compile(const ap_fmu_parts *f, workshop *w, ap_error *error) {
  const char *variable = getenv("CC");
  const char *compiler = f->options->compiler                              ? f->options->compiler
                         : variable && variable[strspn(variable, " \t\n")] ? variable
                                                                           : "cc";
  char *const more[] = {"-std=c11", "-fPIC",    "-shared", "-fvisibility=hidden",
                        w->path[0], w->path[1], "-o",      w->path[3],
                        "-lm",      NULL};
  int count;
  enum { MORE = sizeof more / sizeof *more };
  char **words = ap__command(compiler, f->options->flags ? f->options->flags : "-O2", MORE, &count);
  if (!words) return ap__no_memory(error);
  memcpy(words + count, more, sizeof more);
  ap__text said = {0};
  const ap_ending ending = ap__run(words, 600, &said);
  free(words);
  ap__text_free(&said);
  if (ending == AP_ENDED_WELL) return AP_OK;
  return AP__REFUSE(
      error, AP_E_UNSUPPORTED, 0,
      "the FMU has its sources but no binary: the compiler '%.*s' %s (install one, or "
      "name it in the variable CC)",
      ap__shown(compiler), compiler, ending == AP_NOT_STARTED ? "is not there" : "failed");
}

ap_status ap__compile_fmu(const ap_fmu_parts *f, const char *source, ap__text *binary,
                          ap_error *error) {
  if (getauxval(AT_SECURE)) // CC, PATH and TMPDIR are those of whoever started it
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "the FMU has its sources but no binary: a program with more rights than its "
                      "user does not compile");
  workshop *w = calloc(1, sizeof *w);
  if (!w) return ap__no_memory(error);
  ap_status status = AP_OK;
  if (!open_workshop(w, f->name)) {
    free(w);
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "the FMU has its sources but no binary: no folder can be made in TMPDIR or "
                      "/tmp: %s",
                      strerror(errno));
  }
  const bool saved = save(w->path[0], source) && save(w->path[1], ap_code_source(f->code)) &&
                     save(w->path[2], ap_code_header(f->code));
  if (saved) status = compile(f, w, error);
  if (!saved || (!status && !read_back(w->path[3], binary)))
    status =
        AP__REFUSE(error, AP_E_FILE, 0,
                   "the FMU has its sources but no binary: files in '%.200s' cannot be written "
                   "or read",
                   w->folder);
  close_workshop(w);
  free(w);
  return status;
}
