// SPDX-License-Identifier: Apache-2.0
// Generate, know again or compile, load.

#include "codegen/compile.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "codegen/cache.h"
#include "codegen/process.h"

static const char standard_flags[] = "-O3 -march=native";

ap_compile_options ap_default_compile(void) {
  return (ap_compile_options){.functions = 1u << AP_GEN_INVERSE | 1u << AP_GEN_INERTIA |
                                           1u << AP_GEN_BIAS | 1u << AP_GEN_GRAVITY |
                                           1u << AP_GEN_FORWARD | 1u << AP_GEN_INVERSE_DERIVATIVES |
                                           1u << AP_GEN_FORWARD_DERIVATIVES,
                              .batch = true,
                              .seconds = 600,
                              .cookie = AP_COOKIE};
}

// ---- the compiler ------------------------------------------------------------------------------

// Who compiles what.
typedef struct job {
  const char *compiler, *flags;
  double seconds;
  ap_code *code;
  ap_cache cache;
} job;

// The first line with an error, or else the first line, of what a compiler said.
static const char *telling_line(ap__text *said, int *length) {
  if (!said->text) return *length = 0, "";
  const char *line = strstr(said->text, "error");
  while (line && line > said->text && line[-1] != '\n') line--;
  if (!line) line = said->text;
  *length = (int)strcspn(line, "\n");
  return line;
}

static ap_status explain(const job *j, ap_ending ending, ap__text *said, ap_error *error) {
  int length;
  const char *line = telling_line(said, &length);
  if (ending == AP_NOT_STARTED)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "there is no compiler '%.*s' (install one, or name it in the variable CC; a "
                      "path with blanks stands there without options)",
                      ap__shown(j->compiler), j->compiler);
  if (ending == AP_WAS_LATE)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "the compiler '%.*s' was stopped after %g s (allow more, or fewer functions)",
                      ap__shown(j->compiler), j->compiler, j->seconds);
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "the compiler '%.*s' %s%s%.*s",
                    ap__shown(j->compiler), j->compiler,
                    ending == AP_WAS_KILLED ? "failed, killed by a signal" : "failed",
                    length ? ": " : " and said nothing", length, line);
}

// The compiler with the user's flags, then more words up to a NULL.
static ap_ending run_compiler(const job *j, const char *const *more, ap__text *said) {
  int count, extra = 0;
  while (more[extra]) extra++;
  char **words = ap__command(j->compiler, j->flags, extra, &count);
  if (!words) return AP_NOT_STARTED;
  memcpy(words + count, more,
         sizeof *words * (size_t)extra); // which the compiler does not write to
  ap_ending ending = ap__run(words, j->seconds, said);
  free(words);
  return ending;
}

static void add_text(ap_sha256 *h, const char *text) { ap__sha256_add(h, text, strlen(text) + 1); }

// What distinguishes one object from another. With -v a compiler prints its version and what it
// made of the flags: "native" becomes the name of a processor.
static ap_status find_key(job *j, ap_error *error) {
  static const char *const more[] = {"-v", "-E", "-x", "c", "/dev/null", NULL};
  ap__text said = {0};
  ap_ending ending = run_compiler(j, more, &said);
  if (ending != AP_ENDED_WELL) {
    ap_status status = explain(j, ending, &said, error);
    ap__text_free(&said);
    return status;
  }
  unsigned char key[AP_SHA256_BYTES];
  ap_sha256 h;
  ap__sha256_start(&h);
  add_text(&h, ap_version());
  add_text(&h, j->compiler);
  add_text(&h, j->flags);
  add_text(&h, said.text ? said.text : "");
  add_text(&h, ap_code_source(j->code));
  add_text(&h, ap_code_header(j->code));
  ap__sha256_end(&h, key);
  ap__cache_set_key(&j->cache, key);
  bool failed = said.failed;
  ap__text_free(&said);
  return failed ? ap__no_memory(error) : AP_OK;
}

// ---- files -------------------------------------------------------------------------------------

// Behind the source goes the key, by which an object is known when it is loaded.
static ap_status write_sources(job *j, ap_error *error) {
  const char *const source[] = {ap_code_source(j->code),
                                "\nextern const char " AP_OBJECT_NAME
                                "_key[];\n"
                                "const char " AP_OBJECT_NAME "_key[] = \"",
                                j->cache.key, "\";\n", NULL};
  const char *const header[] = {ap_code_header(j->code), NULL};
  ap_status status = ap__part_open(&j->cache, error);
  if (!status) status = ap__part_write(&j->cache, AP_OBJECT_NAME ".c", source, error);
  return status ? status : ap__part_write(&j->cache, AP_OBJECT_NAME ".h", header, error);
}

// The compiler finds the files by their path, in which nobody else can change anything.
static ap_status compile_files(job *j, const char *source, const char *object, ap_error *error) {
  const char *const more[] = {"-std=c11", "-fPIC", "-shared", "-x",  "c",
                              source,     "-o",    object,    "-lm", NULL};
  ap__text said = {0};
  ap_ending ending = run_compiler(j, more, &said);
  bool made =
      ending == AP_ENDED_WELL && faccessat(j->cache.part, AP_OBJECT_NAME ".so", R_OK, 0) == 0;
  ap_status status = made ? AP_OK : explain(j, ending, &said, error);
  ap__text_free(&said);
  return status ? status : ap__part_keep(&j->cache, AP_OBJECT_NAME ".so", error);
}

static ap_status compile(job *j, ap_error *error) {
  ap_status status = write_sources(j, error);
  char *folder = ap__joined(j->cache.folder, "/", j->cache.part_name);
  char *source = folder ? ap__joined(folder, "/", AP_OBJECT_NAME ".c") : NULL;
  char *object = folder ? ap__joined(folder, "/", AP_OBJECT_NAME ".so") : NULL;
  if (!status)
    status = source && object ? compile_files(j, source, object, error) : ap__no_memory(error);
  ap__part_close(&j->cache);
  free(folder);
  free(source);
  free(object);
  return status;
}

// ---- objects -----------------------------------------------------------------------------------

// The library in a file that is open. The system takes a library that it has under the same name
// for the same one, even after the descriptor of that name has become another file's. As long as a
// library is loaded its descriptor stays open, which keeps the name its own; but one that stayed
// loaded when it was closed may have it, hence the key. Returns the descriptor that it was loaded
// by, -1 where it cannot be loaded; a descriptor that is not returned is closed.
static int load_file(int fd, const char *key, void **library) {
  enum { TRIES = 100 };
  for (int k = 0; k < TRIES && fd >= 0; k++) {
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!*library) break;
    const char *found = dlsym(*library, AP_OBJECT_NAME "_key");
    if (found && strncmp(found, key, AP_KEY_LENGTH + 1) == 0) return fd;
    dlclose(*library);
    *library = NULL;
    int other = fcntl(fd, F_DUPFD_CLOEXEC, fd + 1);
    close(fd);
    fd = other;
  }
  if (fd >= 0) close(fd);
  return -1;
}

static ap_status load(job *j, int fd, ap_object *o, ap_error *error) {
  o->path = ap__cache_path(&j->cache);
  if (!o->path) return close(fd), ap__no_memory(error);
  dlerror();
  o->fd = load_file(fd, j->cache.key, &o->library);
  if (o->fd >= 0) return AP_OK;
  const char *why = dlerror();
  ap__fail(error, AP_E_FILE, 0, "the compiled object '%.*s' cannot be loaded: %s",
           ap__shown(o->path), o->path, why ? why : "its functions are hidden (mind the flags)");
  free(o->path);
  o->path = NULL;
  return AP_E_FILE;
}

static ap_status make_object(job *j, ap_object *o, ap_error *error) {
  if (access("/proc/self/fd", X_OK) != 0)
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "compiled code is loaded through /proc/self/fd, and there is none (mount "
                      "/proc)");
  ap_status status = find_key(j, error);
  if (status) return status;
  int fd = ap__cache_find(&j->cache);
  if (fd < 0) {
    status = compile(j, error);
    if (status) return status;
    fd = ap__cache_find(&j->cache);
  }
  if (fd >= 0) return load(j, fd, o, error);
  return AP__REFUSE(error, AP_E_FILE, 0, "the cache '%.*s' does not keep what is written to it",
                    ap__shown(j->cache.folder), j->cache.folder);
}

// Whether a text has more than blanks.
static bool has_words(const char *text) { return text && text[strspn(text, " \t\n")]; }

ap_status ap__object_open(ap_object *o, const ap_model *m, const ap_compile_options *options,
                          ap_arithmetic arithmetic, ap_error *error) {
  const ap_compile_options standard = ap_default_compile();
  if (!options) options = &standard;
  if (!AP_STARTS_FROM(ap_default_compile, options, error)) return AP_E_ARG;
  if (getauxval(AT_SECURE)) // CC, PATH and HOME are those of whoever started it
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "a program with more rights than its user (setuid, file capabilities) does "
                      "not compile while it runs (generate code ahead, or drop the rights)");
  const char *variable = getenv("CC");
  job j = {.compiler = options->compiler     ? options->compiler
                       : has_words(variable) ? variable
                                             : "cc",
           .flags = options->flags ? options->flags : standard_flags,
           .seconds = options->seconds,
           .cache = {.fd = -1, .part = -1}};
  ap_generate_options generating = ap_default_generate();
  generating.name = AP_OBJECT_NAME;
  generating.arithmetic = arithmetic;
  generating.functions = options->functions;
  generating.friction = options->friction;
  generating.batch = options->batch;
  ap_status status = ap_generate(m, &generating, &j.code, error);
  if (!status) status = ap__cache_open(&j.cache, options->folder, error);
  if (!status) status = make_object(&j, o, error);
  ap__cache_close(&j.cache);
  ap_code_free(j.code);
  return status;
}

void ap__object_close(ap_object *o) {
  if (o->library) {
    dlclose(o->library);
    close(o->fd); // not before: see load_file()
  }
  free(o->path);
}

ap_symbol *ap__object_symbol(const ap_object *o, const char *name) {
  char full[64];
  snprintf(full, sizeof full, AP_OBJECT_NAME "_%s", name);
  void *found = o->library ? dlsym(o->library, full) : NULL;
  ap_symbol *f;
  memcpy(&f, &found, sizeof f); // ISO C has no cast from an object to a function
  return f;
}

bool ap__may_go_on(ap_status status) {
  return status == AP_OK || status == AP_E_UNSUPPORTED || status == AP_E_FILE;
}
