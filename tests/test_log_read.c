// SPDX-License-Identifier: Apache-2.0
// Logs read back: what was written comes again to the last bit, and what is no log is refused.

#include <appell/file.h>
#include <stdlib.h>
#include <unistd.h>

#include "file/log_read.h"
#include "temporary_folder.h"

enum { COLUMNS = 6, EVENTS = 4, ROWS = 3000 };

static const ap_column columns[COLUMNS] = {{"t", "s"},       {"v.one", "rad/s"}, {"v.two", "m/s"},
                                           {"kinetic", "J"}, {"q.one", "rad"},   {"closing", "J"}};
static const ap_column event_columns[EVENTS] = {
    {"impulse", "N s"}, {"position.x", "m"}, {"position.y", "m"}, {"lost", "J"}};
static const char scenario[] = "appell-scenario: 1\nrobot: two\n...\n";

static void remove_folder(void) {
  static const char *const names[] = {
      "run.csv",      "run.events.csv",      "run.scenario.yaml",      "run.h5",
      "run.csv.part", "run.events.csv.part", "run.scenario.yaml.part", "run.h5.part",
      "here.yaml"};
  remove_folder_of((int)(sizeof names / sizeof names[0]), names);
}

static void write_text(const char *name, const char *text, size_t length) {
  FILE *file = fopen(in_folder(name), "wb");
  if (!CHECK(file)) return;
  CHECK(fwrite(text, 1, length, file) == length);
  fclose(file);
}

static void make_row(int k, double *row) {
  row[0] = 0.001 * k;
  for (int i = 1; i < COLUMNS; i++) row[i] = (k + 1) / (3.0 + i) * (i % 2 ? 1 : -1e-300);
}

// False: the library has no HDF5.
static bool write_log(const char *name, bool finish) {
  ap_log *log = NULL;
  ap_error error = {0};
  write_text("here.yaml", scenario, strlen(scenario));
  const ap_log_def def = {.column = columns,
                          .columns = COLUMNS,
                          .event_column = event_columns,
                          .event_columns = EVENTS,
                          .scenario = scenario,
                          .scenario_file = in_folder("here.yaml"),
                          .model = "two"};
  ap_status status = ap_log_create(in_folder(name), &def, &log, &error);
  if (status == AP_E_UNSUPPORTED) return false;
  CHECK_OK(status);
  for (int k = 0; k < ROWS; k++) {
    double row[COLUMNS];
    make_row(k, row);
    CHECK_OK(ap_log_row(log, row, &error));
    const double numbers[EVENTS] = {k, 0.1 * k, -0.2 * k, 1e-300};
    if (k % 7 == 0)
      CHECK_OK(ap_log_event(log, 0.001 * k, k % 2 ? "impact" : "graze", "arm/O1", k ? "floor" : "",
                            numbers, &error));
  }
  if (finish) CHECK_OK(ap_log_finish(log, &error));
  ap_log_free(log);
  return true;
}

static int column_of(const ap_log_about *about, const char *name) {
  for (int i = 0; i < about->event_columns; i++)
    if (strcmp(about->event_column[i].name, name) == 0) return i;
  return -1;
}

static void check_log(const char *name, bool units) {
  ap_log_reader *r = NULL;
  ap_error error = {0};
  if (!CHECK_OK(ap_log_open(in_folder(name), &r, &error))) {
    printf("  %s\n", error.text);
    return;
  }
  const ap_log_about *about = ap_log_describe(r);
  CHECK_STR(about->scenario, scenario);
  CHECK_HAS(about->scenario_file, "/here.yaml");
  CHECK_EQ_INT(about->whole, strstr(name, ".part") == NULL);
  CHECK_EQ_INT(about->columns, COLUMNS);
  CHECK_EQ_INT(about->event_columns, EVENTS);
  for (int i = 0; i < COLUMNS; i++) {
    CHECK_STR(about->column[i].name, columns[i].name);
    CHECK_STR(about->column[i].unit, units ? columns[i].unit : "");
  }
  double row[COLUMNS], want[COLUMNS];
  bool end = false;
  int k = 0;
  for (; !end && CHECK_OK(ap_log_next(r, row, &end, &error)); k += !end) {
    make_row(k, want);
    if (!end && !CHECK_BITS(row, want, COLUMNS)) break;
  }
  CHECK_EQ_INT(k, ROWS);
  const int lost = column_of(about, "lost"), y = column_of(about, "position.y");
  ap_logged_event event;
  end = false;
  for (k = 0; !end && CHECK_OK(ap_log_next_event(r, &event, &end, &error)); k += end ? 0 : 7) {
    if (end) continue;
    CHECK(event.t == 0.001 * k && event.numbers[lost] == 1e-300 && event.numbers[y] == -0.2 * k);
    CHECK_STR(event.event, k % 2 ? "impact" : "graze");
    CHECK_STR(event.point, "arm/O1");
    if (!CHECK_STR(event.wall, k ? "floor" : "")) break;
  }
  CHECK_EQ_INT(k, (ROWS + 6) / 7 * 7);
  ap_log_close(r);
}

TEST(csv_comes_back) {
  make_folder();
  write_log("run.csv", true);
  check_log("run.csv", false);
  remove_folder();
}

TEST(hdf5_comes_back) {
  make_folder();
  if (write_log("run.h5", true))
    check_log("run.h5", true);
  else
    test_skip("built without HDF5 (scripts/setup)");
  remove_folder();
}

// A spreadsheet takes a cell that begins so for a formula, and may run it.
TEST(csv_has_no_formulas_and_names_come_back) {
  static const char *const words[] = {"=1+1", "+1",  "-cmd", "@sum", "'=1",
                                      "'",    "''a", "'a",   "a=b",  "q"};
  make_folder();
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
    const ap_column one[2] = {{"t", "s"}, {words[k], ""}};
    const ap_log_def def = {
        .column = one, .columns = 2, .event_column = one + 1, .event_columns = 1};
    ap_log *log = NULL;
    ap_log_reader *r = NULL;
    test_context("%s", words[k]);
    if (!CHECK_OK(ap_log_create(in_folder("run.csv"), &def, &log, NULL))) break;
    CHECK_OK(ap_log_row(log, (double[]){0, -1}, NULL));
    CHECK_OK(ap_log_event(log, 0, words[k], words[k], words[k], (double[]){-2}, NULL));
    CHECK_OK(ap_log_finish(log, NULL));
    ap_log_free(log);
    for (int file = 0; file < 2; file++) {
      char text[1000];
      FILE *csv = fopen(in_folder(file ? "run.events.csv" : "run.csv"), "r");
      while (csv && fgets(text, sizeof text, csv))
        for (const char *cell = strtok(text, ",\n"); cell; cell = strtok(NULL, ",\n"))
          CHECK(!strchr("=+@", *cell) && (*cell != '-' || cell[1] == '1' || cell[1] == '2'));
      if (CHECK(csv)) fclose(csv);
    }
    double row[2];
    bool end;
    ap_logged_event event;
    if (!CHECK_OK(ap_log_open(in_folder("run.csv"), &r, NULL))) break;
    CHECK_STR(ap_log_describe(r)->column[1].name, words[k]);
    CHECK_STR(ap_log_describe(r)->event_column[0].name, words[k]);
    CHECK_OK(ap_log_next(r, row, &end, NULL));
    CHECK(row[1] == -1);
    CHECK_OK(ap_log_next_event(r, &event, &end, NULL));
    CHECK_STR(event.event, words[k]);
    CHECK_STR(event.point, words[k]);
    CHECK_STR(event.wall, words[k]);
    ap_log_close(r);
  }
  test_context("%s", "");
  remove_folder();
}

TEST(parts_are_read_as_far_as_they_go) {
  make_folder();
  write_log("run.csv", false);
  check_log("run.csv.part", false);
  if (write_log("run.h5", false)) check_log("run.h5.part", true);
  remove_folder();
}

TEST(a_line_that_was_cut_off_is_no_row) {
  static const char text[] = "t,a\n0,1\n1,2\n2,3";
  for (size_t n = 12; n < sizeof text; n++) {
    ap_log_reader *r = NULL;
    ap_error error = {0};
    if (!CHECK_OK(ap__log_memory(text, n, "t,event,body/point,wall\n1,stop,,", 32, &r, &error)))
      return;
    double row[2];
    bool end = false;
    int rows = 0;
    for (; !end && CHECK_OK(ap_log_next(r, row, &end, &error));) rows += !end;
    CHECK_EQ_INT(rows, 2);
    ap_logged_event event;
    CHECK_OK(ap_log_next_event(r, &event, &end, &error));
    CHECK(end);
    ap_log_close(r);
  }
}

TEST(a_log_without_events_and_scenario_has_none) {
  make_folder();
  write_text("run.csv", "t,a\n0,1\n", 8);
  ap_log_reader *r = NULL;
  ap_logged_event event;
  bool end = false;
  if (CHECK_OK(ap_log_open(in_folder("run.csv"), &r, NULL))) {
    const ap_log_about *about = ap_log_describe(r);
    CHECK(!about->scenario && !about->scenario_file && !about->model && !about->event_columns);
    CHECK_OK(ap_log_next_event(r, &event, &end, NULL));
    CHECK(end);
  }
  ap_log_close(r);
  remove_folder();
}

// Read all of it; the status and the message of the first failure.
static ap_status read_all(const char *rows, const char *events, ap_error *error) {
  ap_log_reader *r = NULL;
  ap_status status =
      ap__log_memory(rows, strlen(rows), events, events ? strlen(events) : 0, &r, error);
  double row[8];
  bool end = false;
  while (!status && !end) status = ap_log_next(r, row, &end, error);
  ap_logged_event event;
  for (end = false; !status && !end;) status = ap_log_next_event(r, &event, &end, error);
  ap_log_close(r);
  return status;
}

TEST(what_is_no_log_is_refused_with_its_line) {
  static const struct {
    const char *rows, *events;
    int line;
    const char *words;
  } bad[] = {{"", NULL, 1, "empty"},
             {"a,b\n1,2\n", NULL, 1, "first column must be \"t\""},
             {"t,,b\n1,2\n", NULL, 1, "column 2 has no name"},
             {"t,a\n0,1\n1\n", NULL, 3, "found 1"},
             {"t,a\n0,1\n1,2,3\n", NULL, 3, "found 3"},
             {"t,a\n0,1\n1,x\n", NULL, 3, "not a number"},
             {"t,a\n0,nan\n", NULL, 2, "not a number"},
             {"t,a\n0,1e999\n", NULL, 2, "range"},
             {"t,a\n1,0\n0.5,0\n", NULL, 3, "time goes back"},
             {"t\x01,a\n1,0\n", NULL, 1, "control character"},
             {"t,a\n0,1\n", "t,what\n", 0, "events:1: not the events of a run"},
             {"t,a\n0,1\n", "t,event,body/point,,wall\n", 0, "no name"},
             {"t,a\n0,1\n", "t,event,body/point,x,wall\nx,a,b,1,w\n", 0, "events:2: an event"},
             {"t,a\n0,1\n", "t,event,body/point,x,wall\n0,a,b,z,w\n", 0, "expected a number"},
             {"t,a\n0,1\n", "t,event,body/point,x,wall\n0,a,b,1\n", 0, "5 columns, not 4"},
             {"t,a\n0,1\n", "t,event,body/point,x,wall\n0,a,b,1,w,z\n", 0, "not more"}};
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    ap_error error = {0};
    test_context("%s", bad[k].words);
    CHECK_STATUS(read_all(bad[k].rows, bad[k].events, &error), AP_E_SYNTAX);
    CHECK_EQ_INT(error.line, bad[k].line);
    CHECK_HAS(error.text, bad[k].words);
  }
  test_context("%s", "");
}

TEST(files_that_cannot_be_read) {
  make_folder();
  ap_log_reader *r = NULL;
  ap_error error = {0};
  CHECK_STATUS(ap_log_open(in_folder("nothing.csv"), &r, &error), AP_E_FILE);
  CHECK(!r);
  CHECK_STATUS(ap_log_open(folder, &r, &error), AP_E_FILE);
  write_text("run.h5", "\x89HDF\r\n\x1a\nand then nothing of it", 31);
  ap_status status = ap_log_open(in_folder("run.h5"), &r, &error);
  CHECK(status == AP_E_SYNTAX || status == AP_E_UNSUPPORTED);
  remove_folder();
}

// Files that were cut off, as a full disk or a broken copy leaves them.
TEST(cut_hdf5_is_refused) {
  make_folder();
  if (!write_log("run.h5", true)) {
    test_skip("built without HDF5 (scripts/setup)");
    remove_folder();
    return;
  }
  static char bytes[1 << 22];
  FILE *file = fopen(in_folder("run.h5"), "rb");
  const size_t n = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  if (file) fclose(file);
  for (size_t k = 0; k < 20; k++) {
    ap_log_reader *r = NULL;
    ap_error error = {0};
    write_text("run.csv", bytes, n * k / 20);
    CHECK_STATUS(ap_log_open(in_folder("run.csv"), &r, &error), AP_E_SYNTAX);
    CHECK(!r);
  }
  remove_folder();
}
