// SPDX-License-Identifier: Apache-2.0
// The cache of compiled code is trusted as far as it deserves, compilers as little as possible, and
// whatever fails leaves functions that work.

#define _GNU_SOURCE // unshare()

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "codegen/sha256.h"
#include "compile_bed.h"

// Run in a process of its own, as a user that is not root where this one is; 0: it went well.
static int apart(int (*run)(bed *b), bed *b, bool ordinary) {
  if (ordinary && geteuid() == 0) {
    char command[128];
    snprintf(command, sizeof command, "chown -R 65534 '%s'", b->folder);
    CHECK_EQ_INT(system(command), 0);
  }
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    if (ordinary && geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(77);
    _exit(run(b));
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// 0 where the status and the reason are these.
static int compiles_to(const bed *b, ap_status status, const char *reason) {
  ap_compiled *c = NULL;
  ap_error error = {0};
  bool good = ap_compile(b->m, &b->options, &c, &error) == status && c &&
              (status == AP_OK) == (ap_compiled_path(c) != NULL) &&
              (!reason || strstr(error.text, reason));
  if (!good) printf("  %s\n", error.text);
  ap_compiled_free(c);
  fflush(NULL);
  return good ? 0 : 1;
}

// ---- compilers ---------------------------------------------------------------------------------

TEST(second_time_from_the_cache) {
  bed b;
  if (!open_bed(&b)) return;
  // this compiler counts how often it compiles
  char text[256];
  snprintf(text, sizeof text,
           "#!/bin/sh\ncase \" $* \" in *' -shared '*) echo x >>'%s/count' ;; esac\n"
           "exec cc \"$@\"\n",
           b.folder);
  write_script(&b, text);
  for (int k = 0; k < 3; k++) check_compiles(&b);
  char path[96];
  struct stat s;
  snprintf(path, sizeof path, "%s/count", b.folder);
  CHECK(stat(path, &s) == 0);
  CHECK_EQ_INT(s.st_size, 2);
  b.options.flags = "-O0 -DOTHER_FLAGS"; // another key
  check_compiles(&b);
  CHECK(stat(path, &s) == 0);
  CHECK_EQ_INT(s.st_size, 4);
  close_bed(&b);
}

TEST(no_compiler) {
  bed b;
  if (!open_bed(&b)) return;
  b.options.compiler = "/nonexistent/cc";
  check_falls_back(&b, AP_E_UNSUPPORTED, "there is no compiler '/nonexistent/cc'");
  b.options.compiler = "  ";
  b.options.flags = "";
  check_falls_back(&b, AP_E_UNSUPPORTED, "there is no compiler");
  close_bed(&b);
}

TEST(compiler_that_fails) {
  bed b;
  if (!open_bed(&b)) return;
  b.options.flags = "-O0 --no-such-option-of-a-compiler";
  check_falls_back(&b, AP_E_UNSUPPORTED, "failed: ");
  b.options.flags = "-O0";
  write_script(&b,
               "#!/bin/sh\ncase \" $* \" in *' -shared '*) kill -9 $$ ;; esac\nexec cc \"$@\"\n");
  check_falls_back(&b, AP_E_UNSUPPORTED, "killed by a signal");
  write_script(&b, "#!/bin/sh\nexit 0\n"); // says that all is well
  check_falls_back(&b, AP_E_UNSUPPORTED, "failed");
  char command[160];
  snprintf(command, sizeof command, "test -z \"$(ls -A '%s')\"", b.cache);
  CHECK_EQ_INT(system(command), 0); // nothing stays behind
  close_bed(&b);
}

static int with_cc(bed *b) {
  char tools[96], text[160];
  const char *const good[] = {"", " \t", "cc", " cc  -DX ", "env cc", "env A=B cc -DX", NULL};
  b->options.compiler = NULL;
  unsetenv("CC");
  if (compiles_to(b, AP_OK, NULL)) return 1;
  for (int k = 0; good[k]; k++)
    if (setenv("CC", good[k], 1) != 0 || compiles_to(b, AP_OK, NULL)) return 10 + k;
  setenv("CC", "/no such/compiler -m64", 1);
  if (compiles_to(b, AP_E_UNSUPPORTED, "there is no compiler '/no such/compiler -m64'")) return 2;
  snprintf(tools, sizeof tools, "%.60s/my tools", b->folder);
  if (mkdir(tools, 0700) != 0) return 3;
  setenv("CC", tools, 1); // a folder is not a program
  if (compiles_to(b, AP_E_UNSUPPORTED, "there is no compiler")) return 4;
  strcat(tools, "/c c");
  strcpy(b->script, tools);
  write_script(b, "#!/bin/sh\nexec cc \"$@\"\n");
  b->options.compiler = NULL;
  setenv("CC", tools, 1);
  if (compiles_to(b, AP_OK, NULL)) return 5;
  snprintf(text, sizeof text, "%s -m64", tools);
  setenv("CC", text, 1);
  return compiles_to(b, AP_E_UNSUPPORTED, "a path with blanks stands there without options") ? 6
                                                                                             : 0;
}

TEST(variable_cc) {
  bed b;
  if (!open_bed(&b)) return;
  CHECK_EQ_INT(apart(with_cc, &b, false), 0);
  close_bed(&b);
}

static int with_tmpdir(bed *b) {
  char folder[96];
  snprintf(folder, sizeof folder, "%.60s/a b", b->folder);
  if (mkdir(folder, 0700) != 0 || setenv("TMPDIR", folder, 1) != 0) return 1;
  return compiles_to(b, AP_OK, NULL);
}

TEST(temporary_folder_with_blanks) {
  bed b;
  if (!open_bed(&b)) return;
  CHECK_EQ_INT(apart(with_tmpdir, &b, false), 0);
  close_bed(&b);
}

// One that hangs is stopped, and so is what it has started.
TEST(compiler_that_hangs) {
  bed b;
  char text[256];
  if (!open_bed(&b)) return;
  snprintf(text, sizeof text, "#!/bin/sh\nsleep 1000 &\necho $! >'%s/pid'\nwait\n", b.folder);
  write_script(&b, text);
  b.options.seconds = 0.5;
  check_falls_back(&b, AP_E_UNSUPPORTED, "was stopped after 0.5 s");
  snprintf(text, sizeof text, "%s/pid", b.folder);
  FILE *f = fopen(text, "r");
  long pid = 0;
  CHECK(f && fscanf(f, "%ld", &pid) == 1 && fclose(f) == 0);
  snprintf(text, sizeof text, "/proc/%ld/stat", pid);
  char state = ' ';
  for (int k = 0; k < 1000 && state != 'Z' && state != 'X'; k++) { // a signal takes its time
    f = fopen(text, "r");
    if (!f || fscanf(f, "%*d %*s %c", &state) != 1) state = 'X';
    if (f) fclose(f);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  CHECK(state == 'Z' || state == 'X');
  close_bed(&b);
}

// One that leaves a server behind, as some caches do, is not waited for any longer than it runs.
TEST(compiler_that_leaves_something_running) {
  bed b;
  if (!open_bed(&b)) return;
  write_script(&b, "#!/bin/sh\nsleep 20 &\nexec cc \"$@\"\n");
  b.options.seconds = 15;
  check_compiles(&b);
  write_script(&b, "#!/bin/sh\nyes error | head -c 3000000\nexit 1\n"); // nor read without end
  check_falls_back(&b, AP_E_UNSUPPORTED, "failed: error");
  close_bed(&b);
}

static int with_signals_ignored(bed *b) {
  signal(SIGCHLD, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  return compiles_to(b, AP_OK, NULL);
}

TEST(program_that_ignores_its_children) {
  bed b;
  if (!open_bed(&b)) return;
  CHECK_EQ_INT(apart(with_signals_ignored, &b, false), 0);
  close_bed(&b);
}

// ---- folders -----------------------------------------------------------------------------------

TEST(folder_that_is_not_private) {
  bed b;
  if (!open_bed(&b)) return;
  CHECK(mkdir(b.cache, 0700) == 0 && chmod(b.cache, 0770) == 0);
  check_falls_back(&b, AP_E_FILE, "can be written by others");
  CHECK(chmod(b.cache, 0755) == 0);
  check_compiles(&b);
  char link[96];
  snprintf(link, sizeof link, "%s/link", b.folder);
  CHECK(symlink(b.cache, link) == 0);
  b.options.folder = link;
  check_falls_back(&b, AP_E_FILE, "is a link");
  strcat(link, "/");
  check_falls_back(&b, AP_E_FILE, "is a link");
  b.options.folder = "/dev/null";
  check_falls_back(&b, AP_E_FILE, "is not a folder");
  b.options.folder = "/dev/null/cache";
  check_falls_back(&b, AP_E_FILE, "cannot be made");
  close_bed(&b);
}

TEST(folder_of_another_user) {
  bed b;
  if (!open_bed(&b)) return;
  if (geteuid() == 0) {
    CHECK(mkdir(b.cache, 0700) == 0 && chown(b.cache, 12345, (gid_t)-1) == 0);
  } else {
    b.options.folder = "/usr"; // root's
  }
  check_falls_back(&b, AP_E_FILE, "belongs to another user");
  close_bed(&b);
}

static int with_folder_that_is_read_only(bed *b) {
  if (mkdir(b->cache, 0500) != 0) return 2;
  if (compiles_to(b, AP_E_FILE, "cannot be written")) return 1;
  if (chmod(b->cache, 0700) != 0 || compiles_to(b, AP_OK, NULL)) return 3;
  return chmod(b->cache, 0500) == 0 ? compiles_to(b, AP_OK, NULL) : 4; // what is there is used
}

TEST(folder_that_cannot_be_written) {
  bed b;
  if (!open_bed(&b)) return;
  CHECK_EQ_INT(apart(with_folder_that_is_read_only, &b, true), 0);
  CHECK_EQ_INT(chmod(b.cache, 0700), 0); // else only root could remove what is in it
  close_bed(&b);
}

// ---- folders above -----------------------------------------------------------------------------

// The cache below a folder with these permissions.
static void put_below(bed *b, const char *name, mode_t mode) {
  char above[96];
  snprintf(above, sizeof above, "%.60s/%s", b->folder, name);
  snprintf(b->cache, sizeof b->cache, "%.60s/%s/deep/cache", b->folder, name);
  b->options.folder = b->cache;
  CHECK(mkdir(above, 0700) == 0 && chmod(above, mode) == 0);
}

TEST(folder_above_that_others_can_write) {
  bed b;
  if (!open_bed(&b)) return;
  put_below(&b, "all", 0777);
  check_falls_back(&b, AP_E_FILE, "above it can be written by others");
  CHECK(access(b.cache, F_OK) != 0); // nor is anything made there
  put_below(&b, "group", 0775);
  check_falls_back(&b, AP_E_FILE, "above it can be written by others");
  put_below(&b, "sticky", 01777); // as /tmp is
  check_compiles(&b);
  close_bed(&b);
}

TEST(folder_above_of_another_user) {
  bed b;
  if (!open_bed(&b)) return;
  if (geteuid() != 0) {
    test_skip("root alone can give folders away (make test as root)");
  } else {
    put_below(&b, "theirs", 0755);
    *strstr(b.cache, "/deep") = '\0';
    CHECK(chown(b.cache, 12345, (gid_t)-1) == 0);
    strcat(b.cache, "/deep/cache");
    check_falls_back(&b, AP_E_FILE, "above it belongs to another user");
  }
  close_bed(&b);
}

// A link above is followed, and what it leads to is what has to be safe.
TEST(link_above) {
  bed b;
  char link[96], real[96], folder[96];
  if (!open_bed(&b)) return;
  put_below(&b, "open", 0777);
  put_below(&b, "closed", 0700);
  snprintf(link, sizeof link, "%.60s/link", b.folder);
  snprintf(real, sizeof real, "%.60s/closed", b.folder);
  CHECK(symlink(real, link) == 0);
  snprintf(folder, sizeof folder, "%.60s/link/deep/cache", b.folder);
  b.options.folder = folder;
  check_compiles(&b); // under the path without the link
  CHECK(unlink(link) == 0 && symlink("open", link) == 0);
  check_falls_back(&b, AP_E_FILE, "above it can be written by others");
  close_bed(&b);
}

TEST(folder_with_blanks_and_dots) {
  bed b;
  char folder[96];
  if (!open_bed(&b)) return;
  snprintf(b.cache, sizeof b.cache, "%.60s/a cache", b.folder);
  snprintf(folder, sizeof folder, "%.60s//.//a cache//", b.folder);
  b.options.folder = folder;
  check_compiles(&b);
  b.options.folder = "";
  check_falls_back(&b, AP_E_FILE, "cannot be made");
  snprintf(folder, sizeof folder, "%.60s/none/../cache", b.folder);
  check_falls_back(&b, AP_E_FILE, "cannot be made");
  close_bed(&b);
}

// ---- the user's own folder ---------------------------------------------------------------------

// With these variables, NULL: unset.
static int own_folder(bed *b, const char *home, const char *cache, ap_status status,
                      const char *reason) {
  b->options.folder = NULL;
  unsetenv("HOME"), unsetenv("XDG_CACHE_HOME");
  if (home) setenv("HOME", home, 1);
  if (cache) setenv("XDG_CACHE_HOME", cache, 1);
  return compiles_to(b, status, reason);
}

static int with_variables(bed *b) {
  char home[96], path[160];
  snprintf(home, sizeof home, "%.60s/a home", b->folder);
  if (own_folder(b, NULL, NULL, AP_E_FILE, "neither HOME nor XDG_CACHE_HOME is an absolute path"))
    return 1;
  if (own_folder(b, "relative", "", AP_E_FILE, "neither HOME nor")) return 2;
  if (own_folder(b, NULL, "relative", AP_E_FILE, "neither HOME nor")) return 3;
  if (own_folder(b, home, NULL, AP_E_FILE, "cannot be made")) return 4;
  if (access(home, F_OK) == 0) return 5; // a home is not made up
  if (mkdir(home, 0700) != 0 || own_folder(b, home, "relative", AP_OK, NULL)) return 6;
  snprintf(path, sizeof path, "%s/.cache/appell", home);
  struct stat s;
  if (stat(path, &s) != 0 || (s.st_mode & 0777) != 0700) return 7;
  if (own_folder(b, "/nonexistent", home, AP_OK, NULL)) return 8;
  snprintf(path, sizeof path, "%s/appell", home);
  return access(path, F_OK) == 0 ? 0 : 9;
}

TEST(variables_that_name_the_folder) {
  bed b;
  if (!open_bed(&b)) return;
  CHECK_EQ_INT(apart(with_variables, &b, false), 0);
  close_bed(&b);
}

// ---- attacks while it works --------------------------------------------------------------------

// An object with a seal, as if it were the one in `path`, that leaves a file when it is loaded.
static void write_evil(const bed *b, const char *path, const char *to) {
  char text[640], key[2 * AP_SHA256_BYTES + 1] = {0};
  snprintf(text, sizeof text,
           "cd '%s' && echo '#include <fcntl.h>\n__attribute__((constructor)) void f(void) { "
           "open(\"%s/evil_ran\", O_CREAT, 0600); }' >evil.c && cc -shared -fPIC evil.c -o '%s'",
           b->folder, b->folder, to);
  CHECK_EQ_INT(system(text), 0);
  memcpy(key, strrchr(path, '/') + 1, sizeof key - 1);
  static char bytes[1 << 20];
  FILE *f = fopen(to, "r+");
  size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
  CHECK(n > 0 && n < sizeof bytes);
  unsigned char seal[AP_SHA256_BYTES];
  ap_sha256 h;
  ap__sha256_start(&h);
  ap__sha256_add(&h, key, sizeof key - 1);
  ap__sha256_add(&h, bytes, n);
  ap__sha256_end(&h, seal);
  CHECK(f && fwrite(seal, sizeof seal, 1, f) == 1 && fclose(f) == 0 && chmod(to, 0700) == 0);
}

// The folder is another one once it was looked at. What is loaded is from the one looked at.
TEST(folder_that_is_exchanged) {
  bed b;
  char path[256], evil[256], text[512];
  if (!open_bed(&b)) return;
  write_script(&b, "#!/bin/sh\nexec cc \"$@\"\n");
  object_path(&b, path);
  snprintf(evil, sizeof evil, "%.60s/evil", b.folder);
  CHECK(mkdir(evil, 0700) == 0);
  snprintf(evil, sizeof evil, "%.60s/evil%s", b.folder, strrchr(path, '/'));
  write_evil(&b, path, evil);
  snprintf(text, sizeof text,
           "#!/bin/sh\ncd '%s' && [ -d evil ] && mv cache moved && mv evil cache\nexec cc \"$@\"\n",
           b.folder);
  write_script(&b, text); // which runs between looking and loading; its name, and so the key, stays
  check_compiles(&b);
  snprintf(evil, sizeof evil, "%.60s/evil_ran", b.folder);
  CHECK(access(evil, F_OK) != 0);
  snprintf(evil, sizeof evil, "%.60s/moved", b.folder);
  CHECK(access(evil, F_OK) == 0);
  close_bed(&b);
}

static void check_object_has_gravity_alone(const bed *b) {
  ap_compiled *c = NULL;
  CHECK_OK(ap_compile(b->m, &b->options, &c, NULL));
  CHECK(ap_compiled_functions(c)->gravity && !ap_compiled_functions(c)->inverse_dynamics);
  ap_compiled_free(c);
}

// Libraries are known to the system by the number of a descriptor, and numbers come again.
TEST(descriptors_that_come_again) {
  bed b;
  if (!open_bed(&b)) return;
  const unsigned functions = b.options.functions;
  ap_compiled *c[3] = {NULL};
  b.options.functions = 1u << AP_GEN_GRAVITY;
  CHECK_OK(ap_compile(b.m, &b.options, &c[0], NULL));
  b.options.functions = functions;
  CHECK_OK(ap_compile(b.m, &b.options, &c[1], NULL));
  ap_compiled_free(c[0]);
  b.options.functions = 1u << AP_GEN_BIAS;
  CHECK_OK(ap_compile(b.m, &b.options, &c[2], NULL));
  CHECK(ap_compiled_functions(c[2])->bias && !ap_compiled_functions(c[2])->gravity);
  check_functions(&b, c[1]);
  check_functions(&b, c[2]);
  ap_compiled_free(c[1]), ap_compiled_free(c[2]);
  b.options.flags = "-O0 -Wl,-z,nodelete"; // stays loaded, its descriptor closed
  b.options.functions = 1u << AP_GEN_GRAVITY;
  check_object_has_gravity_alone(&b);
  b.options.functions = functions;
  check_compiles(&b);
  close_bed(&b);
}

static int descriptors(void) {
  int n = 0;
  for (int fd = 0; fd < 256; fd++) n += fcntl(fd, F_GETFD) >= 0;
  return n;
}

TEST(descriptors_are_closed) {
  bed b;
  if (!open_bed(&b)) return;
  int before = descriptors();
  check_compiles(&b);
  check_compiles(&b);
  b.options.compiler = "/nonexistent/cc";
  check_falls_back(&b, AP_E_UNSUPPORTED, "no compiler");
  b.options.compiler = NULL, b.options.flags = "-O0 -fvisibility=hidden";
  check_falls_back(&b, AP_E_FILE, "functions are hidden");
  CHECK_EQ_INT(descriptors(), before);
  close_bed(&b);
}

static int without_proc(bed *b) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      umount2("/proc", MNT_DETACH) != 0)
    return 77;
  return compiles_to(b, AP_E_FILE, "mount /proc");
}

TEST(no_proc) {
  bed b;
  if (!open_bed(&b)) return;
  int result = apart(without_proc, &b, false);
  if (result == 77)
    test_skip("/proc cannot be taken away (make test as root, in no chroot)");
  else
    CHECK_EQ_INT(result, 0);
  close_bed(&b);
}

// ---- objects -----------------------------------------------------------------------------------

TEST(damaged_object) {
  bed b;
  char path[256];
  if (!open_bed(&b)) return;
  object_path(&b, path);
  struct stat s;
  CHECK(stat(path, &s) == 0);
  CHECK(truncate(path, s.st_size / 2) == 0); // would end a process that loads it
  check_compiles(&b);
  int fd = open(path, O_WRONLY);
  CHECK(fd >= 0 && pwrite(fd, "damage", 6, s.st_size / 2) == 6 && close(fd) == 0);
  check_compiles(&b);
  CHECK(truncate(path, 0) == 0);
  check_compiles(&b);
  CHECK(unlink(path) == 0 && symlink("/dev/zero", path) == 0);
  check_compiles(&b);
  close_bed(&b);
}

// A whole object under the name of another one.
TEST(stale_object) {
  bed b;
  char first[256], second[256];
  if (!open_bed(&b)) return;
  object_path(&b, first);
  b.options.functions = 1u << AP_GEN_GRAVITY;
  object_path(&b, second);
  CHECK(strcmp(first, second) != 0);
  CHECK(rename(second, first) == 0);
  b.options.functions = 1u << AP_GEN_INVERSE | 1u << AP_GEN_FORWARD;
  check_compiles(&b);
  close_bed(&b);
}

TEST(processes_at_once) {
  bed b;
  if (!open_bed(&b)) return;
  pid_t child[4];
  for (int k = 0; k < 4; k++) {
    child[k] = fork();
    if (child[k] != 0) continue;
    ap_compiled *c = NULL;
    _exit(ap_compile(b.m, &b.options, &c, NULL) == AP_OK && ap_compiled_path(c) ? 0 : 1);
  }
  for (int k = 0; k < 4; k++) {
    int status = -1;
    CHECK(child[k] > 0 && waitpid(child[k], &status, 0) == child[k]);
    CHECK_EQ_INT(status, 0);
  }
  char command[160];
  snprintf(command, sizeof command, "test \"$(ls -A '%s' | wc -l)\" -eq 1", b.cache);
  CHECK_EQ_INT(system(command), 0);
  check_compiles(&b);
  close_bed(&b);
}

// A process that is killed while its compiler runs.
static void kill_while_compiling(bed *b) {
  write_script(b,
               "#!/bin/sh\ncase \" $* \" in *' -shared '*) kill -9 $PPID; exit 1 ;; esac\n"
               "exec cc \"$@\"\n");
  pid_t child = fork();
  if (child == 0) {
    ap_compiled *c = NULL;
    ap_compile(b->m, &b->options, &c, NULL);
    _exit(0);
  }
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  b->options.compiler = NULL;
}

// The number of entries in the cache whose name matches.
static int count_entries(const bed *b, const char *pattern) {
  char command[192];
  snprintf(command, sizeof command, "exit $(ls -d '%s'/%s 2>/dev/null | wc -l)", b->cache, pattern);
  int status = system(command);
  return CHECK(WIFEXITED(status)) ? WEXITSTATUS(status) : -1;
}

static void make_old(const bed *b) {
  char command[192];
  snprintf(command, sizeof command, "touch -h -d '2 days ago' '%s'/part-*", b->cache);
  CHECK_EQ_INT(system(command), 0);
}

// What it leaves goes away when it is old, not before: someone may be working there.
TEST(killed_process) {
  bed b;
  if (!open_bed(&b)) return;
  kill_while_compiling(&b);
  CHECK_EQ_INT(count_entries(&b, "part-*"), 1);
  CHECK_EQ_INT(count_entries(&b, "*.so"), 0);
  check_compiles(&b);
  CHECK_EQ_INT(count_entries(&b, "part-*"), 1);
  char kept[160], link[160];
  snprintf(kept, sizeof kept, "%s/kept", b.folder);
  snprintf(link, sizeof link, "%s/part-abcdef", b.cache);
  CHECK(mkdir(kept, 0700) == 0 && symlink(kept, link) == 0); // not a folder of ours
  make_old(&b);
  strcat(kept, "/file");
  int fd = open(kept, O_CREAT | O_WRONLY, 0600);
  CHECK(fd >= 0 && close(fd) == 0);
  b.options.flags = "-O0 -DOTHER_FLAGS"; // another key, to be compiled
  check_compiles(&b);
  CHECK_EQ_INT(count_entries(&b, "part-*"), 1);
  CHECK(access(kept, F_OK) == 0 && access(link, F_OK) == 0);
  close_bed(&b);
}

// Not even then while a process works there, whatever the clock says; nor do clocks that were set
// back keep anything.
TEST(clock_that_is_set) {
  bed b;
  char path[160], command[256];
  if (!open_bed(&b)) return;
  check_compiles(&b);
  snprintf(path, sizeof path, "%.90s/part-1-0", b.cache);
  CHECK(mkdir(path, 0700) == 0);
  int fd = open(path, O_RDONLY | O_DIRECTORY);
  CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0);
  make_old(&b);
  b.options.flags = "-O0 -DONE";
  check_compiles(&b);
  CHECK_EQ_INT(count_entries(&b, "part-*"), 1);
  CHECK(close(fd) == 0);
  snprintf(command, sizeof command, "touch -d '2 days' '%s'", path);
  CHECK_EQ_INT(system(command), 0);
  b.options.flags = "-O0 -DTWO";
  check_compiles(&b);
  CHECK_EQ_INT(count_entries(&b, "part-*"), 0);
  close_bed(&b);
}

// As on a disk that is full: no file may grow beyond some bytes.
TEST(no_room) {
  bed b;
  if (!open_bed(&b)) return;
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096}) == 0);
    ap_compiled *c = NULL;
    ap_status status = ap_compile(b.m, &b.options, &c, NULL);
    _exit(status == AP_E_FILE && c && !ap_compiled_path(c) ? 0 : 1);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK_EQ_INT(status, 0);
  CHECK_EQ_INT(count_entries(&b, "*"), 0);
  check_compiles(&b);
  close_bed(&b);
}

// ---- programs with more rights than their user -------------------------------------------------

// Run by the test below, in a copy of this program that runs as somebody else.
TEST(as_somebody_else) {
  if (!getauxval(AT_SECURE)) {
    if (getenv("APPELL_TEST_RIGHTS")) printf("no more rights\n");
    return;
  }
  bed b;
  if (!open_bed(&b)) return;
  check_falls_back(&b, AP_E_UNSUPPORTED, "more rights than its user");
  CHECK(access(b.cache, F_OK) != 0);
  close_bed(&b);
  printf("was refused\n");
}

TEST(program_with_more_rights) {
  bed b;
  char command[512], line[256] = "";
  if (!open_bed(&b)) return;
  if (geteuid() != 0) {
    test_skip("root alone can make a program run as somebody else");
  } else {
    snprintf(
        command, sizeof command,
        "cp /proc/%ld/exe '%s/p' && chown 65534 '%s/p' && chmod 4755 '%s/p' && chmod 755 '%s' && "
        "APPELL_TEST_RIGHTS=1 '%s/p' as_somebody_else | grep -x 'was refused\\|no more rights'",
        (long)getpid(), b.folder, b.folder, b.folder, b.folder, b.folder);
    FILE *f = popen(command, "r");
    if (CHECK(f && fgets(line, sizeof line, f))) {
      if (strcmp(line, "no more rights\n") == 0) test_skip("/tmp is mounted nosuid");
    }
    CHECK(f && pclose(f) == 0);
  }
  close_bed(&b);
}
