// SPDX-License-Identifier: Apache-2.0
// The binary of an FMU: its sources in a folder of their own, compiled, read back.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "codegen/fmu.h"
#include "codegen/fmu_simulator.h"
#include "codegen/process.h"

enum { PATH_ROOM = 4096 };

// A folder for a while, and what is in it.
typedef struct workshop {
  char folder[PATH_ROOM - 300];
  const ap_fmu_parts *f;
  char **words; // of the compiler, behind the first `count`
  int count;
  bool failed; // something could not be written
} workshop;

static bool open_workshop(workshop *w) {
  const char *base = getenv("TMPDIR");
  const int length = snprintf(w->folder, sizeof w->folder, "%s/appell-fmu-XXXXXX",
                              base && base[0] == '/' ? base : "/tmp");
  return length > 0 && (size_t)length < sizeof w->folder && mkdtemp(w->folder);
}

static void path_of(const workshop *w, const char *name, const char *ending, char *path) {
  snprintf(path, PATH_ROOM, "%s/%.200s%s", w->folder, name, ending);
}

// Calls `act` with every file of the sources.
typedef void each_file(workshop *w, const char *name, const char *ending, const char *text,
                       size_t size);
static void visit(workshop *w, const char *source, each_file *act) {
  const ap_fmu_parts *f = w->f;
  ap_simulator_source file;
  act(w, "fmu", ".c", source, strlen(source));
  for (const char *at = NULL; f->scene && ap__next_source(&at, &file);)
    act(w, file.name, "", file.text, file.size);
  if (f->scene) return;
  const char *code = ap_code_source(f->code), *header = ap_code_header(f->code);
  act(w, f->name, ".c", code, strlen(code));
  act(w, f->name, ".h", header, strlen(header));
}

static void save(workshop *w, const char *name, const char *ending, const char *text, size_t size) {
  char path[PATH_ROOM];
  path_of(w, name, ending, path);
  for (char *slash = strchr(path + strlen(w->folder) + 1, '/'); slash;
       slash = strchr(slash + 1, '/')) {
    *slash = 0;
    (void)mkdir(path, 0700);
    *slash = '/';
  }
  FILE *file = w->failed ? NULL : fopen(path, "wx");
  const bool good = file && fwrite(text, 1, size, file) == size;
  if (!file || fclose(file) != 0 || !good) w->failed = true;
}

// And the folders above it, as far as they are empty.
static void discard(workshop *w, const char *name, const char *ending, const char *text,
                    size_t size) {
  char path[PATH_ROOM];
  (void)text, (void)size;
  path_of(w, name, ending, path);
  unlink(path);
  char *least = path + strlen(w->folder);
  for (char *slash = strrchr(path, '/'); slash > least; slash = strrchr(path, '/')) {
    *slash = 0;
    rmdir(path);
  }
}

static void count_word(workshop *w, const char *name, const char *ending, const char *text,
                       size_t size) {
  (void)name, (void)ending, (void)text, (void)size;
  w->count++;
}

// The name of a file that is compiled, as a word of the command.
static void add_word(workshop *w, const char *name, const char *ending, const char *text,
                     size_t size) {
  char path[PATH_ROOM];
  (void)text, (void)size;
  path_of(w, name, ending, path);
  if (strcmp(path + strlen(path) - 2, ".c") != 0) return;
  char *word = strdup(path);
  if (word) w->words[w->count++] = word;
  if (!word) w->failed = true;
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

// What comes behind the compiler and its flags: fixed words, then the files. The shared library
// calls its own functions, whatever else the importer has loaded.
static bool add_words(workshop *w, char **words, char *const fixed[], const char *source) {
  for (w->words = words, w->count = 0; fixed[w->count]; w->count++) {
    words[w->count] = strdup(fixed[w->count]);
    if (!words[w->count]) return false;
  }
  visit(w, source, add_word);
  words[w->count] = w->failed ? NULL : strdup("-lm");
  return words[w->count++] != NULL;
}

static ap_status run_compiler(workshop *w, const char *compiler, char **command, ap_error *error) {
  ap__text said = {0};
  (void)w;
  const ap_ending ending = ap__run(command, 600, &said);
  ap__text_free(&said);
  if (ending == AP_ENDED_WELL) return AP_OK;
  return AP__REFUSE(
      error, AP_E_UNSUPPORTED, 0,
      "the FMU has its sources but no binary: the compiler '%.*s' %s (install one, or "
      "name it in the variable CC)",
      ap__shown(compiler), compiler, ending == AP_NOT_STARTED ? "is not there" : "failed");
}

static ap_status compile(workshop *w, const char *source, const char *library, ap_error *error) {
  const ap_fmu_options *o = w->f->options;
  const char *variable = getenv("CC");
  const char *compiler = o->compiler                                       ? o->compiler
                         : variable && variable[strspn(variable, " \t\n")] ? variable
                                                                           : "cc";
  char headers[PATH_ROOM + 2], inner[PATH_ROOM + 2], version[40], out[PATH_ROOM];
  snprintf(headers, sizeof headers, "-I%s/include", w->folder);
  snprintf(inner, sizeof inner, "-I%s/src", w->folder);
  snprintf(version, sizeof version, "-DAP_VERSION=\"%s\"", ap_version());
  snprintf(out, sizeof out, "%s", library);
  char *const fixed[] = {"-fPIC",
                         "-shared",
                         "-fvisibility=hidden",
                         "-Wl,-Bsymbolic",
                         "-ffp-contract=off",
                         "-o",
                         out,
                         w->f->scene ? "-std=c17" : "-std=c11",
                         w->f->scene ? headers : NULL,
                         inner,
                         version,
                         "-DAP_ISA=base",
                         "-D_POSIX_C_SOURCE=200809L",
                         NULL};
  int count;
  w->count = 0;
  visit(w, source, count_word);
  const int most = w->count + (int)(sizeof fixed / sizeof *fixed) + 2;
  char **words = ap__command(compiler, o->flags ? o->flags : "-O2", most, &count);
  if (!words) return ap__no_memory(error);
  const bool whole = add_words(w, words + count, fixed, source);
  ap_status status = whole ? run_compiler(w, compiler, words, error) : ap__no_memory(error);
  for (int k = 0; k < w->count; k++) free(words[count + k]);
  free(words);
  return status;
}

ap_status ap__compile_fmu(const ap_fmu_parts *f, const char *source, ap__text *binary,
                          ap_error *error) {
  if (getauxval(AT_SECURE)) // CC, PATH and TMPDIR are those of whoever started it
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "the FMU has its sources but no binary: a program with more rights than its "
                      "user does not compile");
  workshop *w = calloc(1, sizeof *w);
  if (!w) return ap__no_memory(error);
  w->f = f;
  ap_status status = AP_OK;
  if (!open_workshop(w)) {
    free(w);
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "the FMU has its sources but no binary: no folder can be made in TMPDIR or "
                      "/tmp: %s",
                      strerror(errno));
  }
  char library[PATH_ROOM];
  path_of(w, f->name, ".so", library);
  visit(w, source, save);
  const bool saved = !w->failed;
  if (saved) status = compile(w, source, library, error);
  if (!saved || (!status && !read_back(library, binary)))
    status =
        AP__REFUSE(error, AP_E_FILE, 0,
                   "the FMU has its sources but no binary: files in '%.200s' cannot be written "
                   "or read",
                   w->folder);
  unlink(library);
  visit(w, source, discard);
  rmdir(w->folder);
  free(w);
  return status;
}
