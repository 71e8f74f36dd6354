// SPDX-License-Identifier: Apache-2.0
// State files and the text of numbers.

#include <appell/file.h>
#include <fcntl.h>
#include <locale.h>

#include "file/number.h"
#include "file/rows.h"
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
  char ours[25], theirs[40];
  const char *end;
  double back;
  int length = ap_format_double(x, ours);
  snprintf(theirs, sizeof theirs, "%.17g", x);
  if (strcmp(ours, theirs) != 0) CHECK_STR(ours, theirs);
  if (length != (int)strlen(ours)) CHECK_EQ_INT(length, (int)strlen(ours));
  if (!isfinite(x)) return;
  bool good = ap__parse_double(ours, &end, &back) == AP__NUMBER && *end == 0 &&
              memcmp(&back, &x, sizeof x) == 0;
  if (!good) CHECK_STR("(does not read back)", ours);
  ap__format_short(x, ours);
  if (strtod(ours, NULL) != x) CHECK_STR("(does not read back)", ours);
}

TEST(numbers_are_written_as_printf_does) {
  rng r = rng_seed(1);
  for (int i = 0; i < 300000; i++) {
    uint64_t bits = rng_bits(&r);
    double x;
    memcpy(&x, &bits, sizeof x); // any double
    check_number(x == x ? x : 0);
    check_number(rng_uniform(&r, -10, 10));
    check_number((double)rng_int(&r, -100000, 100000) / pow(10, rng_int(&r, 0, 12)));
    check_number(ldexp(rng_uniform(&r, 1, 2), rng_int(&r, -140, 70)));
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
  for (int i = 0; i < 300000; i++) {
    char text[80];
    const char *end;
    double x, want;
    int n = 0;
    if (rng_chance(&r, 0.5)) n += sprintf(text + n, "-");
    int digits = rng_int(&r, 1, 25), point = rng_int(&r, 0, digits);
    for (int k = 0; k < digits; k++) {
      if (k == point) text[n++] = '.';
      text[n++] = (char)('0' + rng_int(&r, 0, 9));
    }
    text[n] = 0;
    if (rng_chance(&r, 0.5)) sprintf(text + n, "e%d", rng_int(&r, -330, 300));
    want = strtod(text, NULL);
    bool good = ap__parse_double(text, &end, &x) == (isfinite(want) ? AP__NUMBER : AP__NUMBER_HUGE);
    if (!good || *end || (isfinite(want) && memcmp(&x, &want, sizeof x) != 0))
      CHECK_STR("(wrong)", text);
  }
}

// Exactly between two doubles: to the even one.
TEST(ties_go_to_even) {
  rng r = rng_seed(3);
  for (int i = 0; i < 100000; i++) {
    uint64_t m = (rng_bits(&r) >> 11 | UINT64_C(1) << 52) * 2 + 1; // 54 bits, odd
    char text[40];
    const char *end;
    double x;
    int e = rng_int(&r, 0, 3);
    for (int k = 0; k < e; k++) m = m / 2 | 1;
    snprintf(text, sizeof text, "%" PRIu64 "%s", m, e == 3 ? ".5" : "");
    if (ap__parse_double(text, &end, &x) != AP__NUMBER || x != strtod(text, NULL))
      CHECK_STR("(wrong)", text);
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
