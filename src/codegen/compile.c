// Generate, know again or compile, load.

#include "codegen/compile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
                              .cookie = AP_COOKIE};
}

// ---- the compiler ------------------------------------------------------------------------------

// Who compiles what, and where.
typedef struct job {
  const char *compiler, *flags;
  ap_code *code;
  ap_cache cache;
  char *folder;                   // for this compilation alone
  char *source, *header, *object; // files in it
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
                      "there is no compiler '%.*s' (install one, or name it in the variable CC)",
                      ap__shown(j->compiler), j->compiler);
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "the compiler '%.*s' failed%s%.*s",
                    ap__shown(j->compiler), j->compiler, length ? ": " : " and said nothing",
                    length, line);
}

// The compiler with the user's flags, then more words up to a NULL.
static ap_ending run_compiler(const job *j, const char *const *more, ap__text *said) {
  ap__text line = {0};
  int count, extra = 0;
  while (more[extra]) extra++;
  ap__text_add(&line, "%s %s", j->compiler, j->flags);
  char **words = line.failed ? NULL : ap__words(line.text, extra, &count);
  ap__text_free(&line);
  if (!words) return AP_NOT_STARTED;
  memcpy(words + count, more,
         sizeof *words * (size_t)extra); // which the compiler does not write to
  ap_ending ending = ap__run(words, said);
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
  bool failed = said.failed || !ap__cache_name(&j->cache, key);
  ap__text_free(&said);
  return failed ? ap__no_memory(error) : AP_OK;
}

// ---- files -------------------------------------------------------------------------------------

static ap_status write_sources(job *j, ap_error *error) {
  ap__cache_sweep(&j->cache);
  j->folder = ap__joined(j->cache.folder, "/", AP_PART_NAME "XXXXXX");
  if (!j->folder) return ap__no_memory(error);
  if (!mkdtemp(j->folder)) {
    free(j->folder);
    j->folder = NULL;
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "the cache '%.*s' cannot be written (a folder of your own can)",
                      ap__shown(j->cache.folder), j->cache.folder);
  }
  j->source = ap__joined(j->folder, "/", AP_OBJECT_NAME ".c");
  j->header = ap__joined(j->folder, "/", AP_OBJECT_NAME ".h");
  j->object = ap__joined(j->folder, "/", AP_OBJECT_NAME ".so");
  if (!j->source || !j->header || !j->object) return ap__no_memory(error);
  const char *source = ap_code_source(j->code), *header = ap_code_header(j->code);
  ap_status status = ap__write_file(j->source, source, strlen(source), error);
  return status ? status : ap__write_file(j->header, header, strlen(header), error);
}

static void remove_sources(job *j) {
  if (!j->folder) return;
  char *files[] = {j->source, j->header, j->object};
  for (int k = 0; k < 3; k++) {
    if (files[k]) unlink(files[k]);
    free(files[k]);
  }
  rmdir(j->folder);
  free(j->folder);
}

static ap_status compile(job *j, ap_error *error) {
  const char *const more[] = {"-std=c11", "-fPIC", "-shared", "-x",  "c",
                              j->source,  "-o",    j->object, "-lm", NULL};
  ap__text said = {0};
  ap_ending ending = run_compiler(j, more, &said);
  ap_status status = ending != AP_ENDED_WELL || access(j->object, R_OK) != 0
                         ? explain(j, ending, &said, error)
                         : AP_OK;
  ap__text_free(&said);
  return status ? status : ap__cache_put(&j->cache, j->object, error);
}

// ---- objects -----------------------------------------------------------------------------------

static ap_status load(job *j, ap_object *o, ap_error *error) {
  o->library = dlopen(j->cache.object, RTLD_NOW | RTLD_LOCAL);
  if (o->library) {
    o->path = j->cache.object;
    j->cache.object = NULL;
    return AP_OK;
  }
  const char *why = dlerror();
  return AP__REFUSE(error, AP_E_FILE, 0, "the compiled object cannot be loaded: %s",
                    why ? why : "");
}

static ap_status make_object(job *j, ap_object *o, ap_error *error) {
  ap_status status = find_key(j, error);
  if (!status && ap__cache_has(&j->cache)) return load(j, o, error);
  if (!status) status = write_sources(j, error);
  if (!status) status = compile(j, error);
  remove_sources(j);
  return status ? status : load(j, o, error);
}

ap_status ap__object_open(ap_object *o, const ap_model *m, const ap_compile_options *options,
                          ap_arithmetic arithmetic, ap_error *error) {
  const ap_compile_options standard = ap_default_compile();
  if (!options) options = &standard;
  if (!AP_STARTS_FROM(ap_default_compile, options, error)) return AP_E_ARG;
  const char *variable = getenv("CC");
  job j = {.compiler = options->compiler       ? options->compiler
                       : variable && *variable ? variable
                                               : "cc",
           .flags = options->flags ? options->flags : standard_flags};
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
  if (o->library) dlclose(o->library);
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
