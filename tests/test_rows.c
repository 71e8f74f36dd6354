// SPDX-License-Identifier: Apache-2.0
// State files and the text of numbers.

#include <appell/file.h>
#include <fcntl.h>
#include <locale.h>

#include "file/rows.h"
#include "number_laws.h"
#include "robot_files.h"

// ---- rows --------------------------------------------------------------------------------------

// Read all rows of a text: how many there are, and the sum of their numbers; -1 at an error.
static int read_all(const char *text, size_t length, int columns, double *sum, ap_error *error) {
  ap_rows *rows;
  double row[64];
  int n = 0;
  *sum = 0;
  if (!CHECK_OK(ap__rows_memory(text, length, &rows, error))) return -1;
  ap_rows_describe(rows, "q v a");
  for (bool end = false;;) {
    if (ap_rows_next(rows, columns, row, &end, error)) n = -1;
    if (end || n < 0) break;
    for (int i = 0; i < columns; i++) *sum += row[i];
    n++;
  }
  ap_rows_close(rows);
  return n;
}

TEST(rows_that_are_read) {
  static const struct {
    const char *text;
    int columns, rows;
    double sum;
  } list[] = {
      {"", 3, 0, 0},
      {"\n \n\t\n", 3, 0, 0},
      {"# only a comment", 3, 0, 0},
      {"1 2 3\n", 3, 1, 6},
      {"1 2 3", 3, 1, 6}, // no newline at the end
      {"1,2,3\n", 3, 1, 6},
      {" 1 , 2\t,3 \n", 3, 1, 6},
      {"1 2 3\r\n4 5 6\r\n", 3, 2, 21}, // from Windows
      {"# q\n  # indented\n1 2 3\n\n4 5 6\n", 3, 2, 21},
      {"\xef\xbb\xbf"
       "1 2 3\n",
       3, 1, 6}, // a byte order mark
      {"+1 -2e0 .5\n", 3, 1, -0.5},
      {"7\n8\n", 1, 2, 15},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    ap_error error = {0};
    double sum;
    test_context("%s", list[i].text);
    CHECK_EQ_INT(read_all(list[i].text, strlen(list[i].text), list[i].columns, &sum, &error),
                 list[i].rows);
    CHECK(sum == list[i].sum);
  }
}

TEST(rows_that_are_refused) {
  static const struct {
    const char *text;
    int line;
    const char *words;
  } list[] = {
      {"1 2\n", 1, "expected 3 numbers (q v a), found 2"},
      {"1 2 3\n1 2 3 4\n", 2, "expected 3 numbers (q v a), found 4"},
      {"1 2 3 x, y\n", 1, "found 5"},
      {"1,,2,3\n", 1, "comma"},
      {",1,2,3\n", 1, "comma"},
      {"1,2,3,\n", 1, "comma"},
      {"1,2,\n", 1, "comma"},
      {"1 nan 3\n", 1, "\"nan\" is not a number"},
      {"1 inf 3\n", 1, "\"inf\""},
      {"1 -inf 3\n", 1, "\"-inf\""},
      {"1 1e999 3\n", 1, "range"},
      {"1 0x10 3\n", 1, "\"0x10\""},
      {"1 2.5m 3\n", 1, "\"2.5m\""},
      {"1;2;3\n", 1, "\"1;2;3\""},
      {"1 2 3 # note\n", 1, "found 5"},
      {"# a\n\n1 2\r3\n", 3, "not a number"},
      {"1 \xff 3\n", 1, "not a number"},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    ap_error error = {0};
    double sum;
    test_context("%s", list[i].text);
    CHECK_EQ_INT(read_all(list[i].text, strlen(list[i].text), 3, &sum, &error), -1);
    CHECK_HAS(error.text, list[i].words);
    CHECK_EQ_INT(error.line, list[i].line);
    CHECK_STATUS(error.status, AP_E_SYNTAX);
  }
  ap_error error = {0};
  double sum;
  CHECK_EQ_INT(read_all("1 2\0 3\n", 7, 3, &sum, &error), -1);
  CHECK_HAS(error.text, "NUL");
}

TEST(rows_from_files) {
  ap_rows *rows;
  ap_error error = {0};
  bool end;
  double row[5000];
  CHECK_STATUS(ap_rows_open("/nonexistent", &rows, &error), AP_E_FILE);
  if (CHECK_OK(ap_rows_open("/tmp", &rows, &error)))
    CHECK_STATUS(ap_rows_next(rows, 1, row, &end, &error), AP_E_FILE); // a folder
  ap_rows_close(rows);

  // Lines longer than the buffer, whose pieces meet anywhere.
  char path[512];
  temporary_name(path, sizeof path, "rows");
  FILE *file = fopen(path, "w");
  if (!CHECK(file)) return;
  enum { ROWS = 40, COLUMNS = 5000 };
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < COLUMNS; k++)
      fprintf(file, "%*d.%d%c", k % 7 ? 1 : 90 + i, i * k, k % 10, k + 1 < COLUMNS ? ' ' : '\n');
  fclose(file);
  if (!CHECK_OK(ap_rows_open(path, &rows, &error))) return;
  double fraction = ap_rows_fraction(rows);
  CHECK(fraction == 0);
  for (int i = 0; i < ROWS; i++) {
    if (!CHECK_OK(ap_rows_next(rows, COLUMNS, row, &end, &error))) break;
    CHECK(!end);
    CHECK_EQ_INT(ap_rows_line(rows), i + 1);
    CHECK(ap_rows_fraction(rows) > fraction); // to the byte, whatever was read ahead
    fraction = ap_rows_fraction(rows);
    bool right = true;
    for (int k = 0; k < COLUMNS; k++) right = right && fabs(row[k] - i * k - k % 10 * 0.1) < 1e-9;
    CHECK(right);
  }
  CHECK_OK(ap_rows_next(rows, COLUMNS, row, &end, &error));
  CHECK(end);
  CHECK_OK(ap_rows_next(rows, COLUMNS, row, &end, &error)); // and again
  CHECK(end);
  CHECK(fraction == 1 && ap_rows_fraction(rows) == 1);
  ap_rows_close(rows);
  remove(path);

  if (!CHECK_OK(ap_rows_open("/dev/null", &rows, &error))) return;
  CHECK(ap_rows_fraction(rows) < 0); // nothing tells how long it is
  ap_rows_close(rows);
}

// ---- numbers -----------------------------------------------------------------------------------

static void check_number(double x) {
  char text[40];
  snprintf(text, sizeof text, "%.17g", x);
  if (!writes_as_printf(x)) CHECK_STR("(not as printf)", text);
  if (isfinite(x) && !writes_shortest(x)) CHECK_STR("(not the shortest)", text);
}

TEST(numbers_are_written_as_printf_does) {
  rng r = rng_seed(1);
  for (int i = 0; i < 1000000; i++) {
    const double x = random_number(&r, i);
    if (i % 5 == 0) check_number(x);
    if (!writes_as_printf(x)) CHECK_STR("(not as printf)", "");
  }
  static const double odd[] = {0.0,
                               -0.0,
                               1,
                               0.1,
                               1e16,
                               1e17,
                               99999999999999999.0,
                               1e22,
                               1e23,
                               0.0001,
                               0.00001,
                               9.9999999999999995e-5,
                               DBL_MAX,
                               DBL_MIN,
                               4.9e-324,
                               123456789,
                               1e-5,
                               0.5,
                               INFINITY,
                               -INFINITY,
                               9007199254740993.0,
                               1.0 / 3,
                               2.0 / 3,
                               1e-39,
                               1e-38,
                               15678901234567890.0};
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) check_number(odd[i]);
  for (int k = -320; k <= 308; k++) { // around the powers of ten
    char text[16];
    snprintf(text, sizeof text, "1e%d", k);
    double x = strtod(text, NULL);
    check_number(x);
    check_number(nextafter(x, 0));
    check_number(nextafter(x, INFINITY));
  }
}

TEST(numbers_are_read_as_strtod_does) {
  rng r = rng_seed(2);
  char text[900];
  for (int i = 0; i < 300000; i++) {
    random_text(&r, i, text);
    if (!reads_as_strtod(text)) CHECK_STR("(wrong)", text);
  }
  static const char *const odd[] = {
      "0",
      "-0",
      "0e999999999",
      "0.000000000000000000000000000000",
      "1e309",
      "1.7976931348623157e308",
      "1.7976931348623158e308", // rounds down
      "1.7976931348623159e308", // and up: beyond the range
      "4.9406564584124654e-324",
      "2.4703282292062327e-324", // to zero
      "2.4703282292062328e-324",
      "2.2250738585072011e-308", // the largest subnormal
      "2.2250738585072012e-308",
      "1e-400",
      "123456789012345678901234567890e-30",
      "9007199254740993", // ties
      "9007199254740995",
      "18014398509481988",
      "0.500000000000000166533453693773481063544750213623046875",
      "0.5000000000000001665334536937734810635447502136230468750001",
  };
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    test_context("%s", odd[i]);
    CHECK(reads_as_strtod(odd[i]));
  }
}

TEST(shortest_numbers) {
  static const struct {
    double x;
    const char *text;
  } list[] = {{0.1, "0.1"},
              {-0.3, "-0.3"},
              {1, "1"},
              {100, "100"},
              {1e15, "1e+15"},
              {1e22, "1e+22"},
              {0x1p-44, "5.684341886080802e-14"}, // narrower below than above
              {9007199254740992.0, "9007199254740992"},
              {9007199254740994.0, "9007199254740994"},
              {5e-324, "5e-324"},
              {0x1p-1074 * 3, "1.5e-323"},
              {2.2250738585072014e-308, "2.2250738585072014e-308"},
              {DBL_MAX, "1.7976931348623157e+308"},
              {-0.0, "-0"},
              {123456.789e-9, "0.000123456789"},
              {2.0 / 3, "0.6666666666666666"}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    char text[25];
    ap_format_shortest(list[i].x, text);
    CHECK_STR(text, list[i].text);
  }
}

TEST(the_locale_does_not_matter) {
  static const char *const comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
  bool found = false;
  for (int i = 0; i < 4 && !found; i++) found = setlocale(LC_NUMERIC, comma[i]) != NULL;
  char text[25];
  const char *end;
  double x;
  // Both ways that leave the exact path: a far exponent, a long mantissa.
  CHECK(ap__parse_double("1.5e-300", &end, &x) == AP__NUMBER && *end == 0 && x == 1.5e-300);
  CHECK(ap__parse_double("1.50000000000000000000000001", &end, &x) == AP__NUMBER && x == 1.5);
  ap_format_double(1.5e-300, text);
  CHECK_STR(text, "1.5000000000000001e-300");
  setlocale(LC_NUMERIC, "C");
}
