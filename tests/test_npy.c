// SPDX-License-Identifier: Apache-2.0
// Rows of .npy arrays, and of blocks.

#include <appell/file.h>
#include <unistd.h>

#include "file/rows.h"
#include "robot_files.h"

enum { ROWS = 1000, COLUMNS = 5 };

// Element i, j, exact in single precision.
static double element(int i, int j) { return (i * 37 + j * 1001 - 5000) / 64.0; }

// One number in a type, for example "<f8", ">f4"; returns its bytes.
static size_t put_number(double x, const char *type, unsigned char *to) {
  const size_t size = type[2] == '4' ? 4 : 8;
  float single = (float)x;
  uint64_t bits = 0;
  uint32_t few;
  memcpy(&bits, &x, sizeof x);
  memcpy(&few, &single, sizeof few);
  if (size == 4) bits = few;
  for (size_t k = 0; k < size; k++)
    to[type[0] == '>' ? size - 1 - k : k] = (unsigned char)(bits >> 8 * k);
  return size;
}

// Magic, version and a header of that text.
static void put_header(FILE *file, int version, const char *header) {
  const size_t n = strlen(header);
  fprintf(file, "\x93NUMPY%c%c%c%c", version, 0, (int)(n & 255), (int)(n >> 8 & 255));
  if (version > 1) fprintf(file, "%c%c", (int)(n >> 16 & 255), (int)(n >> 24));
  fputs(header, file);
}

static FILE *new_file(char path[512]) {
  temporary_name(path, 512, "npy");
  FILE *file = fopen(path, "wb");
  CHECK(file);
  return file;
}

static void write_array(char path[512], int version, const char *type, bool fortran) {
  char header[200];
  unsigned char bytes[8];
  FILE *file = new_file(path);
  if (!file) return;
  snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }   \n",
           type, fortran ? "True" : "False", ROWS, COLUMNS);
  put_header(file, version, header);
  for (int k = 0; k < ROWS * COLUMNS; k++) {
    const int i = fortran ? k % ROWS : k / COLUMNS, j = fortran ? k / ROWS : k % COLUMNS;
    fwrite(bytes, 1, put_number(element(i, j), type, bytes), file);
  }
  fclose(file);
}

// All rows in blocks of so many bytes, decoded so many at a time, are the array's.
static void check_blocks(const char *path, size_t bytes, int most) {
  ap_rows *rows;
  ap_error error = {0};
  ap_rows_block *block = ap_rows_block_make(bytes);
  int count = 0, lines = 0;
  if (!CHECK_OK(ap_rows_open(path, &rows, &error))) return;
  for (bool end = false; !end;) {
    if (!CHECK_OK(ap_rows_take(rows, block, &end, &error))) break;
    for (int n = 1; n > 0;) {
      double x[64 * COLUMNS];
      int line[64];
      if (!CHECK_OK(ap_rows_decode(block, COLUMNS, most, x, line, &n, &error))) break;
      bool right = true;
      for (int k = 0; k < n * COLUMNS; k++)
        right = right && x[k] == element(count + k / COLUMNS, k % COLUMNS);
      for (int k = 0; k < n; k++) right = right && lines + line[k] == count + k + 1;
      CHECK(right);
      count += n;
    }
    lines += ap_rows_block_line(block);
  }
  CHECK_EQ_INT(count, ROWS);
  CHECK(ap_rows_fraction(rows) == 1);
  ap_rows_close(rows);
  ap_rows_block_free(block);
}

static void check_rows(const char *path) {
  ap_rows *rows;
  ap_error error = {0};
  double row[COLUMNS];
  bool end = false;
  int n = 0;
  if (!CHECK_OK(ap_rows_open(path, &rows, &error))) return;
  for (; CHECK_OK(ap_rows_next(rows, COLUMNS, row, &end, &error)) && !end; n++) {
    CHECK_EQ_INT(ap_rows_line(rows), n + 1);
    for (int j = 0; j < COLUMNS; j++)
      if (row[j] != element(n, j)) CHECK(row[j] == element(n, j));
  }
  CHECK_EQ_INT(n, ROWS);
  ap_rows_close(rows);
}

TEST(every_kind_of_array) {
  static const char *const types[] = {"<f8", ">f8", "<f4", ">f4"};
  for (int version = 1; version <= 3; version++)
    for (int fortran = 0; fortran < 2; fortran++)
      for (int k = 0; k < 4; k++) {
        char path[512];
        test_context("version %d, %s, %d", version, types[k], fortran);
        write_array(path, version, types[k], fortran);
        check_blocks(path, 1000, 7);
        check_blocks(path, 1, 1); // less than a row
        check_blocks(path, 1 << 20, 64);
        check_rows(path);
        remove(path);
      }
}

// Text in blocks whose borders lie anywhere is what it is as a whole.
TEST(blocks_of_text) {
  char path[512];
  FILE *file = new_file(path);
  if (!file) return;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      fprintf(file, "%.17g%s", element(i, j), j + 1 < COLUMNS ? ", " : i + 1 < ROWS ? "\n" : "");
  fclose(file);
  static const size_t bytes[] = {1, 50, 64, 1000, 4099, 1 << 20};
  for (int k = 0; k < 6; k++) {
    test_context("%zu bytes", bytes[k]);
    check_blocks(path, bytes[k], k + 1);
  }
  remove(path);
}

TEST(own_header) {
  char path[512], header[AP_NPY_HEADER];
  FILE *file = new_file(path);
  if (!file) return;
  CHECK_EQ_INT(ap_npy_header(ROWS, COLUMNS, header), AP_NPY_HEADER);
  fwrite(header, 1, sizeof header, file);
  for (int k = 0; k < ROWS * COLUMNS; k++) {
    const double x = element(k / COLUMNS, k % COLUMNS);
    fwrite(&x, sizeof x, 1, file);
  }
  fclose(file);
  check_rows(path);
  remove(path);
  CHECK_EQ_INT(ap_npy_header(INT64_MAX, INT32_MAX, header), AP_NPY_HEADER); // the longest
  CHECK(header[AP_NPY_HEADER - 1] == '\n' && strchr(header + 10, '}') < header + AP_NPY_HEADER);
}

// The status and text with which an array of two numbers is refused, or AP_OK.
static ap_status read_array(int version, const char *header, const char *numbers, int columns,
                            ap_error *error) {
  char path[512];
  double row[8];
  bool end = false;
  ap_rows *rows;
  *error = (ap_error){0};
  FILE *file = new_file(path);
  if (!file) return AP_E_FILE;
  put_header(file, version, header);
  for (; numbers && *numbers; numbers++) {
    const double x = *numbers == 'n' ? (double)NAN : *numbers == 'i' ? (double)INFINITY : 1;
    fwrite(&x, 1, *numbers == '.' ? 3 : sizeof x, file);
  }
  fclose(file);
  ap_status status = ap_rows_open(path, &rows, error);
  while (!status && !end) status = ap_rows_next(rows, columns, row, &end, error);
  ap_rows_close(rows);
  remove(path);
  return status;
}

TEST(headers) {
  static const struct {
    const char *header, *numbers;
    int columns;
    const char *words; // NULL: it is read
  } list[] = {
#define OF "'descr': '<f8', 'fortran_order': False, "
      {"{" OF "'shape': (1, 2), }\n", "11", 2, NULL},
      {"{\"shape\":(1,2),\"fortran_order\":False,\"descr\":\"<f8\"}", "11", 2, NULL},
      {"{" OF "'shape': (1L, 2L)}", "11", 2, NULL}, // Python 2
      {"{" OF "'shape': (2,), }", "11", 1, NULL},   // a state for each number
      {"{" OF "'shape': (2,), }", "11", 2, NULL},   // or one
      {"{" OF "'shape': (0, 2), }", "", 2, NULL},
      {"{" OF "'shape': (2,), }", "11", 3, "expected 3 columns, found a vector of 2 numbers"},
      {"{" OF "'shape': (1, 2), }", "11", 3, "expected 3 columns, found 2"},
      {"{" OF "'shape': (), }", "1", 1, "0 dimensions"},
      {"{" OF "'shape': (1, 1, 2), }", "11", 2, "3 dimensions"},
      {"{" OF "'shape': (2, 0), }", "", 2, "0 columns"},
      {"{" OF "'shape': (2, 2), }", "11", 2, "ends after 1 of 2 rows"},
      {"{" OF "'shape': (1, 2), }", "1.", 2, "ends after 0 of 1 rows"},
      {"{" OF "'shape': (1, 2), }", "111", 2, "8 bytes behind the array"},
      {"{" OF "'shape': (1, 2), }", "1n", 2, "number 2 of the row is nan"},
      {"{" OF "'shape': (2, 1), }", "1i", 1, "number 1 of the row is inf"},
      {"{" OF "'shape': (9223372036854775807, 2), }", "11", 2, "cannot be read"},
      {"{" OF "'shape': (36028797018963967, 2), }", "11", 2, "ends after 1"},
      {"{" OF "'shape': (36028797018963967, 1000000), }", "11", 2, "more than a file"},
      {"{" OF "'shape': (1, 99999999), }", "11", 2, "columns"},
      {"{" OF "'shape': (-1, 2), }", "11", 2, "cannot be read"},
      {"{" OF "'shape': (1 2), }", "11", 2, "cannot be read"},
      {"{" OF "'shape': (1, 2)", "11", 2, "cannot be read"},
      {"{" OF "'shape': (1, 2)} x", "11", 2, "cannot be read"},
      {"{" OF "'shape': (1, 2), 'more': 1}", "11", 2, "cannot be read"},
      {"{'descr': '<f8', 'shape': (1, 2)}", "11", 2, "cannot be read"},
      {"", "11", 2, "cannot be read"},
      {"{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2)}", "11", 2, "of type <i8"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1, 2)}", "11", 2, "of type |O"},
      {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", "1", 1, "type [...]"},
      {"{'descr': '<f8', 'fortran_order': 1, 'shape': (1, 2)}", "11", 2, "cannot be read"},
#undef OF
  };
  for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
    ap_error error;
    test_context("%s %s", list[k].header, list[k].numbers);
    const ap_status status =
        read_array(1, list[k].header, list[k].numbers, list[k].columns, &error);
    CHECK_STATUS(status, list[k].words ? AP_E_SYNTAX : AP_OK);
    if (list[k].words) CHECK_HAS(error.text, list[k].words);
  }
  ap_error error;
  CHECK_STATUS(read_array(4, "{}", "", 1, &error), AP_E_SYNTAX);
  CHECK_HAS(error.text, "version 4");
  CHECK_STATUS(read_array(1, "", NULL, 1, &error), AP_E_SYNTAX); // it ends there
  CHECK_HAS(error.text, "within the array's header");
  static char wide[70000];
  memset(wide, ' ', sizeof wide - 1);
  CHECK_STATUS(read_array(2, wide, "", 1, &error), AP_E_SYNTAX);
  CHECK_HAS(error.text, "expected at most 65536");
}

// From a pipe, in pieces.
TEST(arrays_through_a_pipe) {
  for (int fortran = 0; fortran < 2; fortran++) {
    char path[512];
    int ends[2], old = dup(STDIN_FILENO);
    static char bytes[ROWS * COLUMNS * 8 + 1000];
    write_array(path, 1, "<f8", fortran);
    FILE *file = fopen(path, "rb");
    if (!CHECK(file) || !CHECK(pipe(ends) == 0)) return;
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    remove(path);
    CHECK(write(ends[1], bytes, n) == (ssize_t)n); // 40 kB: a pipe holds 64
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    if (fortran) {
      ap_rows *rows;
      ap_error error = {0};
      double row[COLUMNS];
      bool end;
      if (CHECK_OK(ap_rows_open("-", &rows, &error)))
        CHECK_STATUS(ap_rows_next(rows, COLUMNS, row, &end, &error), AP_E_UNSUPPORTED);
      CHECK_HAS(error.text, "Fortran order");
      ap_rows_close(rows);
    } else {
      check_rows("-");
    }
    dup2(old, STDIN_FILENO);
    close(old);
  }
}
