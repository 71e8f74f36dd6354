// SPDX-License-Identifier: Apache-2.0
// Logs of runs: what is written can be read, whatever ends the program, and failures are told.

#include <appell/file.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "temporary_folder.h"

#ifdef AP_HAVE_HDF5
#include <hdf5.h>
#endif

enum { COLUMNS = 5, EVENT_COLUMNS = 4, NAME = 512 };

static const ap_column columns[COLUMNS] = {
    {"t", "s"}, {"q.one", "rad"}, {"q.two", "m"}, {"kinetic", "J"}, {"closing", "J"}};
static const ap_column event_columns[EVENT_COLUMNS] = {
    {"impulse", "N s"}, {"position.x", "m"}, {"position.y", "m"}, {"lost", "J"}};
static const ap_log_def definition = {.column = columns,
                                      .columns = COLUMNS,
                                      .event_column = event_columns,
                                      .event_columns = EVENT_COLUMNS,
                                      .scenario = "robot: two\nend: 1\n",
                                      .model = "two"};

static void remove_folder(void) {
  static const char *const names[] = {"run.csv",
                                      "run.csv.part",
                                      "run.events.csv",
                                      "run.events.csv.part",
                                      "run.h5",
                                      "run.h5.part",
                                      "link.csv",
                                      "link.events.csv",
                                      "real.csv",
                                      "real.csv.part",
                                      "real.events.csv",
                                      "run.scenario.yaml",
                                      "run.scenario.yaml.part",
                                      "link.scenario.yaml",
                                      "real.scenario.yaml"};
  remove_folder_of((int)(sizeof names / sizeof names[0]), names);
}

static bool exists(const char *name) {
  struct stat info;
  return lstat(in_folder(name), &info) == 0;
}

// The text of a file, "" where there is none; valid until the next call.
static const char *text_of(const char *name) {
  static char text[1 << 24];
  text[0] = 0;
  FILE *file = fopen(in_folder(name), "rb");
  if (!file) return text;
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

static ap_log *start(const char *name) {
  ap_error error = {0};
  ap_log *log = NULL;
  ap_status status = ap_log_create(in_folder(name), &definition, &log, &error);
  if (!CHECK_OK(status)) printf("  %s\n", error.text);
  return log;
}

static void numbers_of_row(int k, double *row) {
  for (int i = 0; i < COLUMNS; i++) row[i] = (k + 1) / (3.0 + i);
}

static ap_status add_row(ap_log *log, int k, ap_error *error) {
  double row[COLUMNS];
  numbers_of_row(k, row);
  return ap_log_row(log, row, error);
}

static ap_status add_event(ap_log *log, int k, ap_error *error) {
  const double numbers[EVENT_COLUMNS] = {k, 0.1 * k, 0.2 * k, 1e-300};
  return ap_log_event(log, 0.5 * k, "impact", "arm/O1", "floor", numbers, error);
}

static void refused(const char *path, const ap_log_def *def, ap_status wanted, const char *words) {
  ap_error error = {0};
  ap_log *log = (ap_log *)&error;
  CHECK_STATUS(ap_log_create(path, def, &log, &error), wanted);
  CHECK_STATUS(error.status, wanted);
  CHECK_HAS(error.text, words);
  CHECK(log == NULL);
}

// ---- CSV ---------------------------------------------------------------------------------------

// Whole lines of numbers behind the line of names, as add_row() has them; how many.
static int good_rows(const char *text) {
  static const char names[] = "t,q.one,q.two,kinetic,closing\n";
  if (!CHECK(strncmp(text, names, strlen(names)) == 0)) return -1;
  int rows = 0;
  const char *line = text + strlen(names), *end;
  for (; (end = strchr(line, '\n')); line = end + 1, rows++) {
    double wanted[COLUMNS];
    numbers_of_row(rows, wanted);
    char *at = (char *)line;
    for (int i = 0; i < COLUMNS; i++) {
      const double x = strtod(at, &at);
      if (x != wanted[i]) CHECK_BITS(&x, &wanted[i], 1);
      if (*at != (i + 1 < COLUMNS ? ',' : '\n')) CHECK(false);
      at++;
    }
  }
  return rows;
}

TEST(csv_reads_back) {
  make_folder();
  ap_log *log = start("run.csv");
  for (int k = 0; k < 1000; k++) CHECK_OK(add_row(log, k, NULL));
  for (int k = 0; k < 3; k++) CHECK_OK(add_event(log, k, NULL));
  CHECK(exists("run.csv.part") && exists("run.events.csv.part"));
  CHECK(!exists("run.csv") && !exists("run.events.csv"));
  CHECK_OK(ap_log_finish(log, NULL));
  CHECK(!exists("run.csv.part") && !exists("run.events.csv.part"));
  CHECK_EQ_INT(good_rows(text_of("run.csv")), 1000);
  CHECK_STR(text_of("run.events.csv"),
            "t,event,body/point,impulse,position.x,position.y,lost,wall\n"
            "0,impact,arm/O1,0,0,0,1e-300,floor\n"
            "0.5,impact,arm/O1,1,0.10000000000000001,0.20000000000000001,1e-300,"
            "floor\n"
            "1,impact,arm/O1,2,0.20000000000000001,0.40000000000000002,1e-300,"
            "floor\n");
  CHECK_STATUS(add_row(log, 0, NULL), AP_E_ARG); // finished
  CHECK_STATUS(ap_log_finish(log, NULL), AP_E_ARG);
  ap_log_free(log);
  remove_folder();
}

TEST(csv_names_that_would_break_a_line) {
  make_folder();
  ap_log *log = start("run.csv");
  CHECK_OK(ap_log_event(log, 1, "im,pact", "a\nb/\"c\"", NULL, (double[4]){0}, NULL));
  CHECK_OK(ap_log_finish(log, NULL));
  ap_log_free(log);
  CHECK_HAS(text_of("run.events.csv"), "\n1,im_pact,a_b/_c_,0,0,0,0,\n");
  remove_folder();
}

TEST(an_older_log_stays_until_the_new_one_is_complete) {
  make_folder();
  for (int k = 1; k < 3; k++) {
    ap_log *log = start("run.csv");
    if (k == 2) CHECK_EQ_INT(chmod(in_folder("run.csv"), 0640), 0);
    for (int i = 0; i < 10 * k; i++) CHECK_OK(add_row(log, i, NULL));
    CHECK_OK(ap_log_flush(log, NULL));
    CHECK_EQ_INT(good_rows(text_of("run.csv.part")), 10 * k);
    if (k == 2) CHECK_EQ_INT(good_rows(text_of("run.csv")), 10);
    CHECK_OK(ap_log_finish(log, NULL));
    ap_log_free(log);
  }
  CHECK_EQ_INT(good_rows(text_of("run.csv")), 20);
  remove_folder();
}

TEST(what_is_not_finished_stays_as_part) {
  make_folder();
  ap_log *log = start("run.csv");
  for (int k = 0; k < 7; k++) CHECK_OK(add_row(log, k, NULL));
  ap_log_free(log);
  CHECK(!exists("run.csv") && !exists("run.events.csv"));
  CHECK_EQ_INT(good_rows(text_of("run.csv.part")), 7);
  log = start("run.csv"); // replaces it
  CHECK_EQ_INT(good_rows(text_of("run.csv.part")), 0);
  CHECK_OK(ap_log_finish(log, NULL));
  ap_log_free(log);
  ap_log_free(NULL);
  remove_folder();
}

TEST(a_link_is_followed) {
  make_folder();
  FILE *file = fopen(in_folder("real.csv"), "w");
  if (file) fclose(file);
  CHECK_EQ_INT(symlink("real.csv", in_folder("link.csv")), 0);
  ap_log *log = start("link.csv");
  CHECK_OK(add_row(log, 0, NULL));
  CHECK(exists("real.csv.part"));
  CHECK_OK(ap_log_finish(log, NULL));
  ap_log_free(log);
  struct stat info;
  CHECK(lstat(in_folder("link.csv"), &info) == 0 && S_ISLNK(info.st_mode));
  CHECK_EQ_INT(good_rows(text_of("real.csv")), 1);
  remove_folder();
}

// ---- both formats ------------------------------------------------------------------------------

static const char *const formats[] = {"run.csv",
#ifdef AP_HAVE_HDF5
                                      "run.h5"
#endif
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

#define FOR_EACH_FORMAT(name)                                    \
  for (int format_ = 0; format_ < FORMATS; format_++)            \
    for (const char *name = formats[format_]; name; name = NULL) \
      if (test_context("%s", name), true)

static const char *part_of(const char *name) {
  static char part[64];
  snprintf(part, sizeof part, "%s.part", name);
  return part;
}

static int rows_in(const char *name);

TEST(two_logs_of_one_name) {
  FOR_EACH_FORMAT(name) {
    make_folder();
    ap_log *first = start(name);
    refused(in_folder(name), &definition, AP_E_FILE, "another run is writing to it");
    CHECK_OK(add_row(first, 0, NULL));
    CHECK_OK(ap_log_flush(first, NULL));
    refused(in_folder(name), &definition, AP_E_FILE, "another run is writing to it");
    CHECK_OK(ap_log_finish(first, NULL));
    CHECK_EQ_INT(rows_in(name), 1);
    ap_log *second = start(name); // the first one has its name, and is done
    CHECK_OK(add_row(second, 0, NULL));
    CHECK_OK(add_row(second, 1, NULL));
    ap_log_free(first);
    CHECK_OK(ap_log_finish(second, NULL));
    ap_log_free(second);
    CHECK_EQ_INT(rows_in(name), 2);
    remove_folder();
  }
}

TEST(places_where_nothing_can_be_written) {
  make_folder();
  refused(in_folder("run.txt"), &definition, AP_E_ARG, ".csv or .h5");
  refused("run", &definition, AP_E_ARG, ".csv or .h5");
  refused(".csv", &definition, AP_E_ARG, ".csv or .h5");
  refused(NULL, &definition, AP_E_ARG, "needs a name");
  refused(in_folder("run.csv"), &(ap_log_def){0}, AP_E_ARG, "at least 1 column");
  refused(in_folder("run.csv"), &(ap_log_def){.columns = 1}, AP_E_ARG, "announced");
  FOR_EACH_FORMAT(name) {
    char path[NAME];
    snprintf(path, sizeof path, "%s/none/%s", folder, name);
    refused(path, &definition, AP_E_FILE, "No such file or directory");
    CHECK_EQ_INT(mkdir(in_folder(name), 0777), 0);
    refused(in_folder(name), &definition, AP_E_FILE, "it is a folder");
    CHECK_EQ_INT(rmdir(in_folder(name)), 0);
    CHECK_EQ_INT(symlink("/dev/full", in_folder(name)), 0);
    refused(in_folder(name), &definition, AP_E_FILE, "a pipe or a device");
    CHECK_EQ_INT(unlink(in_folder(name)), 0);
    CHECK_EQ_INT(symlink("elsewhere", in_folder(part_of(name))), 0); // set by somebody else
    refused(in_folder(name), &definition, AP_E_FILE, ".part");
    CHECK_EQ_INT(unlink(in_folder(part_of(name))), 0);
    char kept[NAME];
    FILE *file = fopen(snprintf(kept, sizeof kept, "%s", in_folder("kept")) > 0 ? kept : "", "w");
    if (CHECK(file)) fputs("text", file);
    if (file) fclose(file);
    CHECK_EQ_INT(link(kept, in_folder(part_of(name))), 0); // it would be emptied
    refused(in_folder(name), &definition, AP_E_FILE, "other names");
    CHECK_STR(text_of("kept"), "text");
    CHECK_EQ_INT(unlink(in_folder(part_of(name))) + unlink(kept), 0);
    if (geteuid() == 0) continue; // permissions mean nothing to root
    CHECK_EQ_INT(chmod(folder, 0555), 0);
    refused(in_folder(name), &definition, AP_E_FILE, "Permission denied");
    CHECK_EQ_INT(chmod(folder, 0755), 0);
  }
  CHECK_EQ_INT(mkdir(in_folder("run.events.csv"), 0777), 0);
  refused(in_folder("run.csv"), &definition, AP_E_FILE, "run.events.csv: cannot write: it is a");
  remove_folder();
}

#ifndef AP_HAVE_HDF5
TEST(without_hdf5) {
  make_folder();
  refused(in_folder("run.h5"), &definition, AP_E_UNSUPPORTED, "HDF5");
  remove_folder();
  test_skip("built without HDF5 (scripts/setup)");
}
#endif

// A child that writes rows for ever, and says through a pipe how many it has flushed.
static void write_for_ever(const char *name, int say) {
  ap_log *log = start(name);
  if (!log) _exit(1);
  for (int k = 0;; k++) {
    if (add_row(log, k, NULL) != AP_OK || add_event(log, k, NULL) != AP_OK) _exit(1);
    const int flushed = k + 1;
    if (flushed % 100 != 0) continue;
    if (ap_log_flush(log, NULL) != AP_OK) _exit(1);
    if (write(say, &flushed, sizeof flushed) != (ssize_t)sizeof flushed) _exit(1);
  }
}

// Kill the child in the midst of its work, when it has flushed a little more each time.
TEST(killed) {
  FOR_EACH_FORMAT(name) {
    make_folder();
    for (int round = 0; round < 20; round++) {
      int ends[2], flushed = 0, last = 0;
      if (!CHECK_EQ_INT(pipe(ends), 0)) return;
      fflush(stdout);
      pid_t child = fork();
      if (child == 0) {
        close(ends[0]);
        write_for_ever(name, ends[1]);
      }
      close(ends[1]);
      while (last < 300 * (round + 1) && read(ends[0], &last, sizeof last) == (ssize_t)sizeof last)
        flushed = last;
      nanosleep(&(struct timespec){.tv_nsec = round * 37000}, NULL);
      kill(child, SIGKILL);
      int status;
      waitpid(child, &status, 0);
      CHECK(WIFSIGNALED(status));
      while (read(ends[0], &last, sizeof last) == (ssize_t)sizeof last) flushed = last;
      close(ends[0]);
      CHECK(flushed >= 300 && !exists(name));
      const int rows = rows_in(part_of(name));
      if (!CHECK(rows >= flushed)) printf("  %d rows of %d\n", rows, flushed);
    }
    ap_log *log = start(name); // its lock has died with it
    CHECK_OK(ap_log_finish(log, NULL));
    ap_log_free(log);
    remove_folder();
  }
}

// In a child, because the limit on the length of files cannot be taken back.
static int fill_the_disk(const char *name) {
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 20, 1 << 20});
  ap_log *log = start(name);
  ap_error error = {0};
  int k = 0;
  ap_status status = AP_OK;
  for (; !status && k < 100000; k++) {
    status = add_row(log, k, &error);
    if (!status && k % 50 == 0) status = ap_log_flush(log, &error);
  }
  CHECK_STATUS(status, AP_E_FILE);
  CHECK_STATUS(error.status, AP_E_FILE);
  CHECK_HAS(error.text, "File too large");
  CHECK_STATUS(add_row(log, k, &error), AP_E_FILE); // once failed, it stays so
  CHECK_HAS(error.text, "failed before");
  CHECK_STATUS(ap_log_finish(log, NULL), AP_E_FILE);
  ap_log_free(log);
  CHECK(!exists(name));
  CHECK(rows_in(part_of(name)) > 500);
  return test_now.failed ? 1 : 0;
}

TEST(full_disk) {
  FOR_EACH_FORMAT(name) {
    make_folder();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) exit(fill_the_disk(name)); // exit handlers run: HDF5 has one
    int status;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    remove_folder();
  }
}

// Room for so many bytes, from the start.
static int start_on_full_disk(const char *name, rlim_t bytes) {
  const struct rlimit limit = {bytes, bytes};
  ap_error error = {0};
  ap_log *log = NULL;
  signal(SIGXFSZ, SIG_IGN);
  CHECK_EQ_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
  ap_status status = ap_log_create(in_folder(name), &definition, &log, &error);
  for (int k = 0; !status && k < 5000; k++) status = add_row(log, k, &error);
  CHECK_STATUS(status, AP_E_FILE);
  CHECK_HAS(error.text, "File too large");
  ap_log_free(log);
  return test_now.failed ? 1 : 0;
}

TEST(nothing_empty_stays_on_a_full_disk_and_nothing_is_lost) {
  static const rlim_t room[] = {0, 10, 1000, 20000};
  FOR_EACH_FORMAT(name) {
    make_folder();
    ap_log *log = start(name);
    CHECK_OK(add_row(log, 0, NULL));
    CHECK_OK(ap_log_finish(log, NULL));
    ap_log_free(log);
    for (size_t k = 0; k < sizeof room / sizeof room[0]; k++) {
      test_context("%s, room for %d bytes", name, (int)room[k]);
      fflush(stdout);
      pid_t child = fork();
      if (child == 0) exit(start_on_full_disk(name, room[k]));
      int status;
      waitpid(child, &status, 0);
      CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
      CHECK_EQ_INT(rows_in(name), 1);
      if (exists(part_of(name)))
        CHECK(rows_in(part_of(name)) > 0);
      else
        CHECK(!exists("run.events.csv.part"));
    }
    remove_folder();
  }
}

static mode_t mode_of(const char *name) {
  struct stat info;
  return stat(in_folder(name), &info) == 0 ? info.st_mode & 07777 : 0;
}

// Whoever may write the file must not decide what runs as its owner.
TEST(a_replaced_file_runs_as_nobody) {
  FOR_EACH_FORMAT(name) {
    make_folder();
    for (int k = 0; k < 2; k++) { // the file is there, then the part of a killed run
      const char *there = k == 0 ? name : part_of(name);
      FILE *file = fopen(in_folder(there), "w");
      if (file) fclose(file);
      CHECK_EQ_INT(chmod(in_folder(there), 06755), 0);
      ap_log *log = start(name);
      CHECK_OK(ap_log_finish(log, NULL));
      ap_log_free(log);
      CHECK_EQ_INT(mode_of(name), 0755);
      CHECK_EQ_INT(unlink(in_folder(name)), 0);
    }
    remove_folder();
  }
}

// ---- reading back ------------------------------------------------------------------------------

#ifndef AP_HAVE_HDF5

static int rows_in(const char *name) { return good_rows(text_of(name)); }

#else

static bool ends_with(const char *text, const char *ending) {
  const size_t n = strlen(text), m = strlen(ending);
  return n >= m && strcmp(text + n - m, ending) == 0;
}

// A dataset of numbers, in memory to be freed; *rows of columns.
static double *numbers_of(hid_t file, const char *name, int *rows, int wide) {
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (!CHECK(set >= 0)) return NULL;
  hid_t space = H5Dget_space(set);
  hsize_t size[2] = {0, 1};
  CHECK_EQ_INT(H5Sget_simple_extent_ndims(space), wide ? 2 : 1);
  H5Sget_simple_extent_dims(space, size, NULL);
  if (wide) CHECK_EQ_INT((intmax_t)size[1], wide);
  *rows = (int)size[0];
  double *x = malloc(((size_t)size[0] * size[1] + 1) * sizeof *x);
  CHECK(x && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  H5Sclose(space);
  H5Dclose(set);
  return x;
}

// Columns of a row, from where they are in the dataset.
static int check_dataset(hid_t file, const char *name, int first, int wide, int least) {
  int rows = 0;
  double *x = numbers_of(file, name, &rows, wide);
  const int width = wide ? wide : 1;
  for (int k = 0; x && k < rows && k < least; k++) {
    double wanted[COLUMNS];
    numbers_of_row(k, wanted);
    if (memcmp(x + k * width, wanted + first, (size_t)width * sizeof *x) != 0)
      CHECK_BITS(x + k * width, wanted + first, width);
  }
  free(x);
  return rows;
}

// Rows of a file, as many as there are times; the other datasets have no fewer.
static int rows_in_hdf5(const char *name) {
  hid_t file;
  H5E_BEGIN_TRY { file = H5Fopen(in_folder(name), H5F_ACC_RDONLY, H5P_DEFAULT); }
  H5E_END_TRY
  if (file < 0) // killed within a flush: consistent, but with the mark of being written
    file = H5Fopen(in_folder(name), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
  if (!CHECK(file >= 0)) return -1;
  const int rows = check_dataset(file, "t", 0, 0, 1 << 30);
  CHECK(check_dataset(file, "q", 1, 2, rows) >= rows);
  CHECK(check_dataset(file, "kinetic", 3, 0, rows) >= rows);
  CHECK(check_dataset(file, "closing", 4, 0, rows) >= rows);
  CHECK(H5Fclose(file) >= 0);
  return rows;
}

static int rows_in(const char *name) {
  const bool csv = ends_with(name, ".csv") || ends_with(name, ".csv.part");
  return csv ? good_rows(text_of(name)) : rows_in_hdf5(name);
}

// Text k of an attribute, valid until the next call.
static const char *attribute(hid_t file, const char *object, const char *name, int k) {
  static char text[1 << 18];
  hid_t a = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  if (!CHECK(a >= 0)) return "";
  hid_t type = H5Aget_type(a), space = H5Aget_space(a);
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  const size_t bytes = H5Tget_size(type);
  char *list = calloc((size_t)n + 1, bytes);
  CHECK(k < n && list && H5Aread(a, type, list) >= 0);
  snprintf(text, sizeof text, "%.*s", (int)bytes, list ? list + (size_t)k * bytes : "");
  free(list);
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(a);
  return text;
}

// Word k of a dataset of words, each of so many bytes.
static const char *word_of(hid_t file, const char *name, int k, size_t bytes) {
  static char word[64][64];
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (!CHECK(set >= 0)) return "";
  hid_t type = H5Dget_type(set);
  CHECK_EQ_INT((intmax_t)H5Tget_size(type), (intmax_t)bytes);
  char *raw = calloc(64, bytes);
  CHECK(raw && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) >= 0);
  if (raw) snprintf(word[k], sizeof word[k], "%.*s", (int)bytes, raw + (size_t)k * bytes);
  free(raw);
  H5Tclose(type);
  H5Dclose(set);
  return word[k];
}

TEST(hdf5_reads_back) {
  make_folder();
  ap_log *log = start("run.h5");
  for (int k = 0; k < 40000; k++) CHECK_OK(add_row(log, k, NULL)); // more than are collected
  for (int k = 0; k < 3; k++) CHECK_OK(add_event(log, k, NULL));
  CHECK(exists("run.h5.part") && !exists("run.h5"));
  CHECK_OK(ap_log_finish(log, NULL));
  ap_log_free(log);
  CHECK(!exists("run.h5.part"));
  CHECK_EQ_INT(rows_in("run.h5"), 40000);
  hid_t file = H5Fopen(in_folder("run.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (!CHECK(file >= 0)) return;
  CHECK_STR(attribute(file, "/", "scenario", 0), definition.scenario);
  CHECK_STR(attribute(file, "/", "model", 0), "two");
  char program[64];
  snprintf(program, sizeof program, "appell %s", ap_version());
  CHECK_STR(attribute(file, "/", "program", 0), program);
  CHECK_STR(attribute(file, "t", "units", 0), "s");
  CHECK_STR(attribute(file, "q", "names", 1), "two");
  CHECK_STR(attribute(file, "q", "units", 0), "rad");
  CHECK_STR(attribute(file, "q", "units", 1), "m");
  CHECK_STR(attribute(file, "events/position", "names", 1), "y");
  CHECK_STR(attribute(file, "events/impulse", "units", 0), "N s");
  int rows;
  double *position = numbers_of(file, "events/position", &rows, 2);
  CHECK_EQ_INT(rows, 3);
  if (position) CHECK_BITS(position + 4, ((double[]){0.1 * 2, 0.2 * 2}), 2);
  free(position);
  CHECK_STR(word_of(file, "events/event", 2, 64), "impact");
  CHECK_STR(word_of(file, "events/point", 2, 64), "arm/O1");
  CHECK_STR(word_of(file, "events/wall", 2, 64), "floor");
  H5Fclose(file);
  remove_folder();
}

// A scenario may be long, and so may names.
TEST(hdf5_long_texts) {
  make_folder();
  enum { LONG = 200000 };
  char *scenario = malloc(LONG + 1);
  if (!CHECK(scenario != NULL)) return;
  memset(scenario, 'x', LONG);
  scenario[LONG] = 0;
  ap_log_def def = definition;
  def.scenario = scenario;
  def.longest_word = 5;
  ap_log *log = NULL;
  CHECK_OK(ap_log_create(in_folder("run.h5"), &def, &log, NULL));
  CHECK_OK(ap_log_event(log, 1, "slip", "arm/tip", "abcd\xc3\xa4", (double[4]){0}, NULL));
  CHECK_OK(ap_log_finish(log, NULL));
  ap_log_free(log);
  hid_t file = H5Fopen(in_folder("run.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (!CHECK(file >= 0)) return;
  CHECK_STR(attribute(file, "/", "scenario", 0), scenario);
  CHECK_STR(word_of(file, "events/event", 0, 6), "slip");
  CHECK_STR(word_of(file, "events/point", 0, 6), "arm/t");
  CHECK_STR(word_of(file, "events/wall", 0, 6), "abcd"); // no half character
  H5Fclose(file);
  free(scenario);
  remove_folder();
}

// The program's own settings are as they were, and nothing is printed.
TEST(hdf5_is_quiet) {
  make_folder();
  H5E_auto2_t print, again;
  void *context;
  H5Eget_auto2(H5E_DEFAULT, &print, &context);
  CHECK(print != NULL);
  ap_log *log = start("run.h5");
  CHECK_OK(add_row(log, 0, NULL));
  CHECK_EQ_INT(unlink(in_folder("run.h5.part")), 0); // by somebody
  fflush(stderr);
  const int out = dup(STDERR_FILENO), to = open(in_folder("run.csv"), O_RDWR | O_CREAT, 0666);
  dup2(to, STDERR_FILENO);
  ap_error error = {0};
  ap_status status = ap_log_flush(log, &error);
  dup2(out, STDERR_FILENO);
  close(out);
  close(to);
  CHECK_STATUS(status, AP_E_FILE);
  CHECK_HAS(error.text, "cannot write the file: ");
  ap_log_free(log);
  CHECK_STR(text_of("run.csv"), "");
  H5Eget_auto2(H5E_DEFAULT, &again, &context);
  CHECK(print == again);
  remove_folder();
}

#endif
