// SPDX-License-Identifier: Apache-2.0
// Figures: valid SVG whatever the numbers and names are, ticks and labels that tell the truth,
// curves that stay what they were, and files that are there whole or not at all.

#include <appell/plot.h>
#include <dirent.h>
#include <errno.h>
#include <expat.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plot/axis.h"
#include "test.h"

// ---- a folder of our own -----------------------------------------------------------------------

static char folder[512];

__attribute__((constructor)) static void make_folder(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/appell-plot-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(folder)) abort();
}

static const char *in_folder(const char *name) {
  static char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

// How many files there are.
static int files(void) {
  DIR *d = opendir(folder);
  if (!d) return -1;
  int n = -2; // . and ..
  while (readdir(d)) n++;
  closedir(d);
  return n;
}

__attribute__((destructor)) static void remove_folder(void) { rmdir(folder); }

static char *read_all(const char *path, size_t *length) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  enum { MOST = 1 << 22 };
  char *text = calloc(1, MOST);
  *length = text ? fread(text, 1, MOST - 1, f) : 0;
  fclose(f);
  return text;
}

// ---- reading a figure --------------------------------------------------------------------------

enum { POINTS = 20000, POLYLINES = 64 };

// What expat found in a file.
typedef struct seen {
  bool valid;
  size_t bytes;
  int polylines, circles, legend;
  int points[POLYLINES]; // of each polyline
  int npoint, nmark;
  double point[POINTS][2], mark[POINTS][2];
  char text[1 << 16]; // all of it, elements apart by newlines
  size_t length;
  char role[16], box[64], title[4096];
  int depth, title_depth;
} seen;

static const char *attribute(const char **list, const char *name) {
  for (; list[0]; list += 2)
    if (strcmp(list[0], name) == 0) return list[1];
  return "";
}

static int parse_pairs(const char *s, char before, double (*pair)[2], int room) {
  int n = 0;
  while (*s && n < room) {
    if (before && *s != before) {
      s++;
      continue;
    }
    char *end;
    pair[n][0] = strtod(before ? s + 1 : s, &end);
    if (*end != ',') return -1;
    pair[n][1] = strtod(end + 1, &end);
    s = end;
    while (*s == ' ' || *s == '\n') s++;
    n++;
  }
  return n;
}

static void XMLCALL on_start(void *data, const char *name, const char **list) {
  seen *f = data;
  f->depth++;
  if (strcmp(name, "svg") == 0) {
    snprintf(f->role, sizeof f->role, "%s", attribute(list, "role"));
    snprintf(f->box, sizeof f->box, "%s", attribute(list, "viewBox"));
  }
  if (strcmp(name, "circle") == 0) f->circles++;
  if (strcmp(name, "title") == 0 && f->depth == 2) f->title_depth = 2;
  if (strcmp(name, "path") == 0 && strstr(attribute(list, "d"), "a2.6"))
    f->nmark = parse_pairs(attribute(list, "d"), 'M', f->mark, POINTS);
  if (strcmp(name, "polyline") == 0 && f->polylines < POLYLINES) {
    int n = parse_pairs(attribute(list, "points"), 0, f->point + f->npoint, POINTS - f->npoint);
    CHECK(n >= 2);
    f->points[f->polylines++] = n;
    if (n > 0) f->npoint += n;
  }
}

static void XMLCALL on_end(void *data, const char *name) {
  seen *f = data;
  (void)name;
  f->depth--;
  f->title_depth = 0;
  if (f->length + 1 < sizeof f->text) f->text[f->length++] = '\n';
}

static void XMLCALL on_text(void *data, const char *s, int n) {
  seen *f = data;
  size_t room = sizeof f->text - 1 - f->length, length = (size_t)n < room ? (size_t)n : room;
  memcpy(f->text + f->length, s, length);
  f->length += length;
  size_t used = strlen(f->title);
  if (f->title_depth && used + length < sizeof f->title) memcpy(f->title + used, s, length);
}

// Parse a file; it must be a figure.
static seen *look_at(const char *path) {
  static seen found;
  memset(&found, 0, sizeof found);
  char *text = read_all(path, &found.bytes);
  if (!CHECK(text)) return &found;
  XML_Parser parser = XML_ParserCreate(NULL);
  XML_SetUserData(parser, &found);
  XML_SetElementHandler(parser, on_start, on_end);
  XML_SetCharacterDataHandler(parser, on_text);
  found.valid = XML_Parse(parser, text, (int)found.bytes, 1) == XML_STATUS_OK;
  if (!CHECK(found.valid))
    printf("  line %lu: %s\n", XML_GetCurrentLineNumber(parser),
           XML_ErrorString(XML_GetErrorCode(parser)));
  CHECK(!strstr(text, "nan") && !strstr(text, "inf"));
  CHECK(!strstr(text, "<script") && !strstr(text, "url(") && !strstr(text, "href"));
  XML_ParserFree(parser);
  free(text);
  CHECK_STR(found.role, "img");
  CHECK(strncmp(found.box, "0 0 ", 4) == 0);
  CHECK(found.title[0]);
  return &found;
}

// Write a figure, look at it, remove it.
static seen *written(const ap_figure *figure) {
  const char *path = in_folder("figure.svg");
  ap_error error = {0};
  if (!CHECK_OK(ap_figure_write(figure, path, &error))) printf("  %s\n", error.text);
  seen *f = look_at(path);
  remove(path);
  CHECK_EQ_INT(files(), 0);
  return f;
}

static seen *written_panel(ap_panel panel) {
  return written(&(ap_figure){.panel = &panel, .npanel = 1});
}

static seen *written_curve(int n, const double *x, const double *y, ap_stroke stroke, bool log_y) {
  ap_curve c = {.label = "c", .n = n, .x = x, .y = y, .stroke = stroke};
  return written_panel((ap_panel){.curve = &c, .ncurve = 1, .log_y = log_y});
}

// ---- ticks -------------------------------------------------------------------------------------

// The number that a label of ours shows, "d.dd", "10^e" or "d·10^e", with U+2212 as minus.
static double number_of(const char *label) {
  char plain[160];
  size_t n = 0;
  for (const char *s = label; *s && n + 2 < sizeof plain; s++) {
    if (strncmp(s, "\xE2\x88\x92", 3) == 0) {
      plain[n++] = '-';
      s += 2;
    } else if (strncmp(s,
                       "\xC2\xB7"
                       "10^",
                       5) == 0) {
      plain[n++] = 'e';
      s += 4;
    } else if (strncmp(s, "10^", 3) == 0) {
      plain[n++] = '1';
      plain[n++] = 'e';
      s += 2;
    } else if (*s != ' ') {
      plain[n++] = *s;
    }
  }
  plain[n] = 0;
  char *end;
  double value = strtod(plain, &end);
  CHECK(n > 0 && *end == 0);
  return value;
}

// What a note adds and multiplies: "×10^6 + 12.5", or one of them.
static void read_note(const char *note, double *factor, double *base) {
  char part[160];
  *factor = 1;
  *base = 0;
  if (strncmp(note, "\xC3\x97", 2) == 0) {
    size_t n = strcspn(note, " ");
    snprintf(part, sizeof part, "%.*s", (int)(n - 2), note + 2);
    *factor = number_of(part);
    note += n;
  }
  while (*note == ' ') note++;
  if (*note) *base = number_of(*note == '+' ? note + 1 : note);
}

static void check_inside(const ap__axis *a, int most) {
  CHECK(a->low < a->high);
  CHECK(a->ntick >= 2 && a->ntick <= most);
  for (int i = 0; i < a->ntick; i++) {
    CHECK(a->tick[i].at >= a->low && a->tick[i].at <= a->high);
    CHECK(i == 0 || a->tick[i].at > a->tick[i - 1].at);
  }
}

// Ticks are 1, 2 or 5 times a power of ten apart: to the rounding of the ticks themselves, and to
// the slack of 1e-9 of the range by which one at an end is moved in.
static void check_1_2_5(const ap__axis *a) {
  double step = (a->tick[a->ntick - 1].at - a->tick[0].at) / (a->ntick - 1);
  double mantissa = step / pow(10, floor(log10(step) + 1e-6));
  double slack = 1e-8 * (a->high - a->low) + 4 * DBL_EPSILON * fmax(fabs(a->low), fabs(a->high));
  double off = fabs(mantissa - 10);
  for (int digit = 1; digit <= 5; digit += digit == 2 ? 3 : 1)
    off = fmin(off, fabs(mantissa - digit));
  CHECK(off <= 10 * slack / step);
}

TEST(linear_ticks_are_few_and_round) {
  rng r = rng_seed(1);
  for (int k = 0; k < 20000; k++) {
    double size = pow(10, rng_uniform(&r, -300, 300));
    double spread = size * pow(10, rng_uniform(&r, -14, 0));
    double low = rng_chance(&r, 0.2) ? 0 : rng_uniform(&r, -size, size);
    int most = rng_int(&r, 5, 12);
    double high = low + spread;
    test_context("%.17g to %.17g, %d ticks", low, high, most);
    ap__axis a;
    ap__axis_range(&a, false, ap__axis_shift(low, high), low, high, rng_chance(&r, 0.5) ? 0.05 : 0);
    ap__axis_ticks(&a, most);
    check_inside(&a, most);
    check_1_2_5(&a);
    CHECK(ap__axis_position(&a, low) >= a.low && ap__axis_position(&a, high) <= a.high);
  }
}

TEST(linear_labels_tell_the_numbers) {
  rng r = rng_seed(2);
  for (int k = 0; k < 20000; k++) {
    double size = pow(10, rng_uniform(&r, -290, 290));
    double low = rng_uniform(&r, -size, size);
    double high = low + size * pow(10, rng_uniform(&r, -12, 0));
    ap__axis a;
    ap__axis_range(&a, false, ap__axis_shift(low, high), low, high, 0);
    ap__axis_ticks(&a, 8);
    double factor, base;
    read_note(a.note, &factor, &base);
    for (int i = 0; i < a.ntick; i++) {
      test_context("%.17g to %.17g: \"%s\" \"%s\"", low, high, a.tick[i].label, a.note);
      double said = number_of(a.tick[i].label) * factor + base;
      // A label is exact; a position is rounded, and moved in by up to 1e-9 of the range.
      double slack = 2e-9 * (high - low) + 8 * DBL_EPSILON * fmax(fabs(low), fabs(high));
      double at = a.tick[i].at * pow(10, a.shift);
      CHECK_CLOSE(said, at, slack);
      CHECK(strlen(a.tick[i].label) <= 10);
    }
  }
}

TEST(log_ticks_and_labels) {
  rng r = rng_seed(3);
  for (int k = 0; k < 20000; k++) {
    double low = pow(10, rng_uniform(&r, -307, 300));
    double decades = rng_uniform(&r, 0, rng_chance(&r, 0.5) ? 3 : 305 - log10(low));
    double high = fmax(low, pow(10, log10(low) + decades));
    int most = rng_int(&r, 5, 9);
    test_context("%.17g to %.17g, %d ticks", low, high, most);
    ap__axis a;
    ap__axis_range(&a, true, 0, low, high, 0);
    ap__axis_ticks(&a, most);
    check_inside(&a, most > 7 ? most : 7);
    CHECK(log10(low) >= a.low - 1e-9 && log10(high) <= a.high + 1e-9);
    for (int i = 0; i < a.ntick; i++)
      CHECK_CLOSE(log10(number_of(a.tick[i].label)), a.tick[i].at, 1e-9);
  }
}

TEST(labels_of_known_axes) {
  ap__axis a;
  ap__axis_range(&a, false, 0, 0, 5, 0);
  ap__axis_ticks(&a, 8);
  CHECK_EQ_INT(a.ntick, 6);
  CHECK_STR(a.tick[0].label, "0");
  CHECK_STR(a.tick[5].label, "5");
  CHECK_STR(a.note, "");
  ap__axis_range(&a, false, 0, -0.02, 0.02, 0);
  ap__axis_ticks(&a, 6);
  CHECK_STR(a.tick[0].label,
            "\xE2\x88\x92"
            "0.02");
  ap__axis_range(&a, false, 0, 0, 4e6, 0);
  ap__axis_ticks(&a, 6);
  CHECK_STR(a.tick[1].label, "1");
  CHECK_STR(a.note,
            "\xC3\x97"
            "10^6");
  ap__axis_range(&a, false, 0, 100, 100 + 5e-9, 0);
  ap__axis_ticks(&a, 6);
  CHECK_STR(a.tick[1].label, "1");
  CHECK_STR(a.note,
            "\xC3\x97"
            "10^\xE2\x88\x92"
            "9 + 100");
}

// ---- what is drawn -----------------------------------------------------------------------------

TEST(a_point_that_is_not_finite_breaks_a_line) {
  double x[] = {0, 1, 2, 3, 4, 5, 6, 7}, y[] = {0, 1, NAN, 3, 4.5, INFINITY, 2, 1};
  seen *f = written_curve(8, x, y, AP_SOLID, false);
  CHECK_EQ_INT(f->polylines, 3);
  x[3] = -INFINITY; // now the fifth point stands alone
  f = written_curve(8, x, y, AP_DASHED, false);
  CHECK_EQ_INT(f->polylines, 2);
  CHECK_EQ_INT(f->circles, 1);
  f = written_curve(8, x, y, AP_POINTS, false);
  CHECK_EQ_INT(f->polylines, 0);
  CHECK_EQ_INT(f->nmark, 5);
}

TEST(what_is_not_positive_breaks_a_line_on_decades) {
  double x[] = {-1, 0, 1, 2, 3}, y[] = {1e-3, 10, 0, 1, 1e5}, z[] = {1, 2, -3, 4, 5};
  CHECK_EQ_INT(written_curve(5, x, y, AP_SOLID, true)->polylines, 2);
  CHECK_EQ_INT(written_curve(5, x, z, AP_SOLID, true)->polylines, 2);
  ap_curve c = {.n = 5, .x = x, .y = z};
  seen *f = written_panel((ap_panel){.curve = &c, .ncurve = 1, .log_x = true});
  CHECK_EQ_INT(f->polylines, 1);
  CHECK_EQ_INT(f->points[0], 3);
}

TEST(odd_numbers_give_figures) {
  static const double sets[][4] = {
      {0, 0, 0, 0},
      {5, 5, 5, 5},
      {1e-300, 2e-300, 3e-300, 7e-300},
      {1e300, -1e300, 3e300, 0},
      {-DBL_MAX, DBL_MAX, 0, DBL_MAX},
      {5e-324, 1e-323, 0, 5e-324},
      {1e-300, 1e300, 1, 1e-5},
      {1, 1 + DBL_EPSILON, 1 - DBL_EPSILON, 1},
      {1e9, 1e9 + 1e-6, 1e9 + 2e-6, 1e9},
      {NAN, NAN, INFINITY, -INFINITY},
      {-1, -2, -3, -4},
  };
  enum { SETS = sizeof sets / sizeof sets[0] };
  for (int i = 0; i < SETS; i++)
    for (int k = 0; k < SETS; k++)
      for (int n = 0; n <= 4; n++)
        for (int kind = 0; kind < 15; kind++) {
          test_context("x %d, y %d, n %d, kind %d", i, k, n, kind);
          ap_curve c = {.n = n, .x = n ? sets[i] : NULL, .y = n ? sets[k] : NULL};
          c.stroke = (ap_stroke)(kind % 3);
          ap_panel p = {.curve = &c, .ncurve = 1};
          p.log_y = kind / 3 == 1 || kind / 3 == 3;
          p.log_x = kind / 3 == 2 || kind / 3 == 3;
          p.same_scale = kind / 3 == 4;
          if ((i + 2 * k + 3 * n + kind) % 5) continue; // a share of them is enough
          written_panel(p);
        }
}

TEST(figures_without_points_say_so) {
  double x[] = {NAN, 1}, y[] = {1, INFINITY};
  CHECK_HAS(written_panel((ap_panel){.title = NULL})->text, "no data");
  CHECK_HAS(written_curve(2, x, y, AP_SOLID, false)->text, "no data");
  CHECK_HAS(written_curve(0, NULL, NULL, AP_POINTS, false)->text, "no data");
}

TEST(one_unit_is_as_long_on_both_axes) {
  double x[] = {0, 4, 4, 0, 0}, y[] = {0, 0, 1, 1, 0};
  ap_curve c = {.n = 5, .x = x, .y = y};
  seen *f = written_panel((ap_panel){.curve = &c, .ncurve = 1, .same_scale = true});
  if (!CHECK_EQ_INT(f->npoint, 5)) return;
  double wide = f->point[1][0] - f->point[0][0], high = f->point[1][1] - f->point[2][1];
  CHECK_CLOSE(wide / 4, high, 0.02); // coordinates have two decimals
}

// Panels that are given the same range put the same y at the same height, whatever their curves do;
// a range never hides a point.
TEST(a_given_range_of_y_is_shown) {
  double x[] = {0, 1}, flat[] = {2, 3}, steep[] = {-5, 10};
  ap_curve low = {.n = 2, .x = x, .y = flat}, high = {.n = 2, .x = x, .y = steep};
  ap_panel panel = {.curve = &high, .ncurve = 1};
  double at[2]; // of y = -5 and 10
  seen *f = written_panel(panel);
  if (!CHECK_EQ_INT(f->npoint, 2)) return;
  for (int k = 0; k < 2; k++) at[k] = f->point[k][1];
  panel.y_low = 1, panel.y_high = 4;
  f = written_panel(panel);
  for (int k = 0; k < 2; k++) CHECK_CLOSE(f->point[k][1], at[k], 0.02); // two decimals
  panel = (ap_panel){.curve = &low, .ncurve = 1, .y_low = -5, .y_high = 10};
  f = written_panel(panel);
  if (!CHECK_EQ_INT(f->npoint, 2)) return;
  for (int k = 0; k < 2; k++)
    CHECK_CLOSE(f->point[k][1], at[0] + (at[1] - at[0]) * (flat[k] + 5) / 15, 0.02);
}

// Names along x stand in the middle of equal parts, points above them, and no number is there.
TEST(x_may_have_names) {
  const char *const name[] = {"inverse", "a<b>", "forward"};
  double x[] = {1, 2, 3, 7, -1}, y[] = {1, 3, 2, 4, 5};
  ap_curve c = {.n = 5, .x = x, .y = y};
  seen *f = written_panel((ap_panel){.curve = &c, .ncurve = 1, .x_name = name, .nname = 3});
  if (!CHECK_EQ_INT(f->npoint, 3)) return; // what has no name is not shown
  CHECK_HAS(f->text, "\ninverse\n");
  CHECK_HAS(f->text, "\na<b>\n");
  const double part = f->point[1][0] - f->point[0][0];
  CHECK_CLOSE(f->point[2][0] - f->point[1][0], part, 0.02); // two decimals
  CHECK(part > 100);
}

TEST(names_are_text) {
  double x[] = {0, 1};
  ap_curve c = {.label = "a<b> & \"c\" 'd' ]]> \xCE\xB1", .n = 2, .x = x, .y = x};
  ap_panel p = {.title = "bad \xFF\xC3( \xED\xA0\x80 \xC0\x80 \xF5 end", .curve = &c, .ncurve = 1};
  p.x_label = "tab\tnew\nline\x01\x1B\x7F";
  p.y_label = "\xF0\x9F\xA4\x96 \xEF\xBF\xBF \xE2\x82";
  seen *f = written(&(ap_figure){.title = "</title><script>", .panel = &p, .npanel = 1});
#define BAD "\xEF\xBF\xBD"
  CHECK_STR(f->title, "</title><script>");
  CHECK_HAS(f->text, "\na<b> & \"c\" 'd' ]]> \xCE\xB1\n");
  CHECK_HAS(f->text, "bad " BAD BAD "( " BAD BAD BAD " " BAD BAD " " BAD " end\n");
  CHECK_HAS(f->text, "tab new line" BAD BAD BAD "\n");
  CHECK_HAS(f->text, "\xF0\x9F\xA4\x96 " BAD " " BAD BAD "\n");
}

TEST(long_names_are_cut_and_kept_whole_beside) {
  char name[3000];
  memset(name, 'm', sizeof name - 1);
  name[sizeof name - 1] = 0;
  double x[] = {0, 1};
  ap_curve c = {.label = name, .n = 2, .x = x, .y = x};
  ap_panel p = {.title = name, .x_label = name, .y_label = name, .curve = &c, .ncurve = 1};
  seen *f = written(&(ap_figure){.title = name, .panel = &p, .npanel = 1});
  CHECK_HAS(f->text, name);
  CHECK_HAS(f->text, "mmm\xE2\x80\xA6\n");
}

TEST(a_legend_that_panels_share_is_there_once) {
  double x[] = {0, 1};
  ap_curve c[] = {{"shared", 2, x, x, AP_SOLID, 0}, {"", 2, x, x, AP_SOLID, 0}};
  ap_curve d[] = {{"other", 2, x, x, AP_SOLID, 0}};
  ap_panel p[] = {{.curve = c, .ncurve = 2}, {.curve = c, .ncurve = 1}, {.curve = d, .ncurve = 1}};
  // Each curve has its name in a title as well.
  for (int panels = 2; panels <= 3; panels++) {
    seen *f = written(&(ap_figure){.panel = p, .npanel = panels, .columns = 2});
    int n = 0;
    for (const char *s = f->text; (s = strstr(s, "shared")); s++) n++;
    CHECK_EQ_INT(n, panels == 2 ? 3 : 4);
  }
}

// ---- curves of many points ---------------------------------------------------------------------

static double distance_to_segment(const double *p, const double *a, const double *b) {
  double dx = b[0] - a[0], dy = b[1] - a[1], length = dx * dx + dy * dy;
  double t = length > 0 ? ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length : 0;
  t = fmin(fmax(t, 0), 1);
  return hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy);
}

// Marks stand at every point, so they show where a line must pass.
static void check_line_near_marks(int n, const double *x, const double *y) {
  ap_curve c[] = {{.n = n, .x = x, .y = y},
                  {.n = n, .x = x, .y = y, .stroke = AP_POINTS, .colour = 1}};
  seen *f = written_panel((ap_panel){.curve = c, .ncurve = 2});
  CHECK_EQ_INT(f->polylines, 1);
  CHECK(f->npoint < n);
  double worst = 0;
  for (int i = 0; i < f->nmark; i++) {
    double nearest = 1e9;
    for (int k = 0; k + 1 < f->npoint; k++)
      nearest = fmin(nearest, distance_to_segment(f->mark[i], f->point[k], f->point[k + 1]));
    worst = fmax(worst, nearest);
  }
  // A column is half a pixel wide, the sleeve adds up to 0.1, two decimals 0.01.
  CHECK(worst <= 0.62);
}

TEST(a_line_passes_where_its_points_are) {
  enum { N = 4000 };
  static double t[N], smooth[N], walk[N], path[N];
  rng r = rng_seed(4);
  for (int i = 0; i < N; i++) {
    t[i] = i;
    smooth[i] = sin(0.005 * i);
    walk[i] = (i ? walk[i - 1] : 0) + rng_uniform(&r, -1, 1);
    path[i] = (i ? path[i - 1] : 0) + rng_uniform(&r, -1, 1);
  }
  check_line_near_marks(N, t, smooth);
  check_line_near_marks(N, t, walk);
  check_line_near_marks(N, path, walk);
  check_line_near_marks(N, smooth, t);
}

TEST(a_spike_in_many_points_is_seen_and_the_file_is_small) {
  enum { N = 300000 };
  static double t[N], y[N];
  rng r = rng_seed(5);
  for (int i = 0; i < N; i++) {
    t[i] = i;
    y[i] = rng_uniform(&r, -1, 1);
  }
  y[0] = y[N - 1] = -1;
  y[123456] = 10;
  double few_t[] = {0, 123456, N - 1}, few_y[] = {-1, 10, -1};
  seen *f = written_curve(3, few_t, few_y, AP_SOLID, false);
  double top[2] = {f->point[1][0], f->point[1][1]};
  f = written_curve(N, t, y, AP_SOLID, false);
  CHECK(f->bytes < 100000);
  bool there = false;
  for (int i = 0; i < f->npoint; i++)
    there = there || (f->point[i][0] == top[0] && f->point[i][1] == top[1]);
  CHECK(there);
}

TEST(points_that_are_the_same_are_written_once) {
  double x[] = {0, 0, 0, 1, 1, 2}, y[] = {0, 0, 0, 1, 1, 0};
  CHECK_EQ_INT(written_curve(6, x, y, AP_SOLID, false)->npoint, 3);
  CHECK_EQ_INT(written_curve(6, x, y, AP_POINTS, false)->nmark, 3);
}

// ---- files -------------------------------------------------------------------------------------

static const double ramp[] = {0, 1, 2};
static const ap_curve line = {.label = "line", .n = 3, .x = ramp, .y = ramp};
static const ap_panel plain = {.title = "plain", .curve = &line, .ncurve = 1};
static const ap_figure simple = {.title = "simple", .panel = &plain, .npanel = 1};

TEST(same_figure_same_bytes) {
  char first[1024];
  size_t n, m;
  snprintf(first, sizeof first, "%s", in_folder("first.svg"));
  CHECK_OK(ap_figure_write(&simple, first, NULL));
  CHECK_OK(ap_figure_write(&simple, in_folder("second.svg"), NULL));
  char *a = read_all(first, &n), *b = read_all(in_folder("second.svg"), &m);
  CHECK(a && b && n == m && memcmp(a, b, n) == 0);
  free(a);
  free(b);
  remove(first);
  remove(in_folder("second.svg"));
  CHECK_EQ_INT(files(), 0);
}

TEST(a_file_is_replaced_and_a_link_followed) {
  char target[1024], link_name[1024];
  snprintf(target, sizeof target, "%s", in_folder("target.svg"));
  snprintf(link_name, sizeof link_name, "%s", in_folder("link.svg"));
  FILE *old = fopen(target, "w");
  if (!CHECK(old)) return;
  fputs("old", old);
  fclose(old);
  CHECK(chmod(target, 0640) == 0 && symlink("target.svg", link_name) == 0);
  CHECK_OK(ap_figure_write(&simple, link_name, NULL));
  look_at(target);
  struct stat now;
  CHECK(stat(target, &now) == 0 && (now.st_mode & 0777) == 0640);
  CHECK(lstat(link_name, &now) == 0 && S_ISLNK(now.st_mode));
  CHECK_EQ_INT(files(), 2);
  remove(link_name);
  remove(target);
}

static void check_no_file(const char *path, const char *part) {
  ap_error error = {0};
  test_context("%s", path);
  CHECK_STATUS(ap_figure_write(&simple, path, &error), AP_E_FILE);
  CHECK_STATUS(error.status, AP_E_FILE);
  CHECK_HAS(error.text, part);
  CHECK_EQ_INT(files(), 0);
}

TEST(what_cannot_be_written_leaves_nothing) {
  check_no_file(in_folder("missing/figure.svg"), "No such file or directory");
  check_no_file("/dev/null/figure.svg", "Not a directory");
  check_no_file("/dev/null", "device");
  check_no_file(folder, "it is a folder");
  if (geteuid() != 0) { // root may write everywhere
    chmod(folder, 0500);
    check_no_file(in_folder("figure.svg"), "Permission denied");
    chmod(folder, 0700);
  }
}

TEST(a_full_disk_leaves_nothing) {
  struct rlimit old, small;
  if (!CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0)) return;
  small = old;
  small.rlim_cur = 1000;
  void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
  fflush(stdout);
  CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
  ap_error error = {0};
  ap_status status = ap_figure_write(&simple, in_folder("figure.svg"), &error);
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, before);
  CHECK_STATUS(status, AP_E_FILE);
  CHECK_HAS(error.text, "File too large");
  CHECK_EQ_INT(files(), 0);
}

static void check_refused(const ap_figure *figure, const char *path, const char *part) {
  ap_error error = {0};
  CHECK_STATUS(ap_figure_write(figure, path, &error), AP_E_ARG);
  CHECK_STATUS(error.status, AP_E_ARG);
  CHECK_HAS(error.text, part);
  CHECK_STATUS(ap_figure_write(figure, path, NULL), AP_E_ARG);
  CHECK_EQ_INT(files(), 0);
}

static void check_refused_curve(ap_curve curve, const char *part) {
  ap_curve c[] = {line, curve};
  ap_panel p[] = {plain, {.curve = c, .ncurve = 2}};
  check_refused(&(ap_figure){.panel = p, .npanel = 2}, in_folder("figure.svg"), part);
}

TEST(arguments_out_of_range_are_named) {
  const char *path = in_folder("figure.svg");
  check_refused(NULL, path, "NULL");
  check_refused(&simple, NULL, "path");
  check_refused(&simple, "", "path");
  check_refused(&(ap_figure){.title = "empty"}, path, "no panel");
  check_refused(&(ap_figure){.panel = &plain, .npanel = -1}, path, "no panel");
  check_refused(&(ap_figure){.npanel = 1}, path, "no panel");
  check_refused(&(ap_figure){.panel = &plain, .npanel = 1, .columns = -2}, path, "columns");
  ap_panel p = {.title = "P", .ncurve = -1};
  ap_figure f = {.panel = &p, .npanel = 1};
  check_refused(&f, path, "panel 1 (P): its number of curves is negative");
  p.ncurve = 1;
  check_refused(&f, path, "curve is NULL");
  p = (ap_panel){.curve = &line, .ncurve = 1, .same_scale = true, .log_y = true};
  check_refused(&f, path, "same_scale");
  p = (ap_panel){.curve = &line, .ncurve = 1, .y_low = 2, .y_high = 1};
  check_refused(&f, path, "not a range");
  p.y_high = INFINITY;
  check_refused(&f, path, "not a range");
  p = (ap_panel){.curve = &line, .ncurve = 1, .y_low = -1, .y_high = 1, .log_y = true};
  check_refused(&f, path, "not positive");
  p = (ap_panel){.nname = -1};
  check_refused(&f, path, "number of names");
  p.nname = 2;
  check_refused(&f, path, "x_name is NULL");
  p.x_name = (const char *const[]){"a", NULL};
  check_refused(&f, path, "a name of x is NULL");
  p.log_x = true;
  check_refused(&f, path, "logarithmic x");
  check_refused_curve((ap_curve){.label = "tau", .n = -1}, "panel 2, curve 2 (tau): its number");
  check_refused_curve((ap_curve){.n = 3, .x = ramp}, "panel 2, curve 2: it has points");
  check_refused_curve((ap_curve){.stroke = (ap_stroke)3}, "stroke");
  check_refused_curve((ap_curve){.colour = -1}, "colour");
}

TEST(many_panels_and_curves) {
  enum { MANY = 60 };
  static ap_curve c[MANY];
  static ap_panel p[MANY];
  for (int i = 0; i < MANY; i++) {
    c[i] = line;
    c[i].stroke = (ap_stroke)(i % 3);
    p[i] = (ap_panel){.curve = c, .ncurve = i};
  }
  for (int columns = 0; columns <= MANY + 1; columns += 7)
    written(&(ap_figure){.panel = p, .npanel = MANY, .columns = columns});
  c[0].colour = 2147483647;
  written(&(ap_figure){.panel = p, .npanel = 2});
}
