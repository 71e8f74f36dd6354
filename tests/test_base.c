// SPDX-License-Identifier: Apache-2.0
// Status texts, error records, the arena; and the eigenvalues that the model's checks use.

#include "base/arena.h"
#include "base/error.h"
#include "num/eigen3.h"
#include "test.h"

TEST(every_status_has_a_text) {
  CHECK_STR(ap_status_text(AP_OK), "success");
  CHECK_STR(ap_status_text(AP_E_NOT_FOUND), "no such name");
  CHECK_STR(ap_status_text((ap_status)12345), "unknown status");
  CHECK(ap_version()[0] != '\0');
}

TEST(an_error_is_cut_at_a_whole_character) {
  ap_error e;
  char word[402];
  // "é" is two bytes; with an even start the last one fits, with an odd one half of it would.
  for (int start = 0; start < 2; start++) {
    memset(word, 'x', (size_t)start);
    for (int i = start; i + 1 < 400; i += 2) memcpy(word + i, "\xC3\xA9", 3);
    ap__fail(&e, AP_E_MODEL, 7, "%s", word);
    size_t n = strlen(e.text);
    CHECK(n == 319 || n == 318);
    CHECK((unsigned char)e.text[n - 1] == 0xA9);
    CHECK(e.status == AP_E_MODEL && e.line == 7);
  }
  ap__fail(&e, AP_E_MODEL, 0, "a\nb\t%s", "c\x7f");
  CHECK_STR(e.text, "a?b?c?");
  ap__fail(NULL, AP_E_MODEL, 0, "nobody listens");
}

TEST(a_shown_name_ends_with_a_whole_character) {
  char name[100];
  memset(name, 'n', sizeof name);
  name[99] = '\0';
  CHECK_EQ_INT(ap__shown(name), 60);
  memcpy(name + 59, "\xE2\x82\xAC", 3); // bytes 59, 60, 61
  CHECK_EQ_INT(ap__shown(name), 59);
  CHECK_EQ_INT(ap__shown("short"), 5);
  CHECK_EQ_INT(ap__shown(""), 0);
}

TEST(arena_measures_what_it_places) {
  unsigned char memory[400];
  for (size_t shift = 0; shift < 70; shift++) {
    ap_arena measure = ap__arena(NULL);
    ap_arena place = ap__arena(memory + shift);
    for (int walk = 0; walk < 2; walk++) {
      ap_arena *a = walk == 0 ? &measure : &place;
      char *c = AP_TAKE(a, char, 3);
      double *d = AP_TAKE(a, double, 2);
      double *v = AP_TAKE_ALIGNED(a, double, 8);
      if (walk == 0) {
        CHECK(c == NULL && d == NULL && v == NULL);
        continue;
      }
      CHECK((uintptr_t)d % _Alignof(double) == 0 && (uintptr_t)v % 64 == 0);
      CHECK((unsigned char *)(v + 8) <= memory + shift + ap__arena_size(&measure));
    }
    CHECK(measure.used == place.used);
  }
  ap_arena huge = ap__arena(NULL);
  ap__take(&huge, SIZE_MAX / 2, 4, 8);
  ap__take(&huge, 1, 1, 1);
  CHECK(ap__arena_size(&huge) == 0);
  ap_arena full = ap__arena(NULL);
  ap__take(&full, SIZE_MAX - 10, 1, 1);
  CHECK(ap__arena_size(&full) == 0);
  ap__take(&full, 100, 1, 1);
  CHECK(ap__arena_size(&full) == 0);
}

TEST(principal_moments) {
  double w[3];
  ap__eigen3((double[6]){3, 0, 0, 1, 0, 2}, w);
  CHECK_BITS(w, ((double[]){1, 2, 3}), 3);
  ap__eigen3((double[6]){0}, w);
  CHECK_BITS(w, ((double[]){0, 0, 0}), 3);
  // det(A - w) of [[2 1 0] [1 2 1] [0 1 2]]: w = 2, 2 +- sqrt 2
  ap__eigen3((double[6]){2, 1, 0, 2, 1, 2}, w);
  CHECK_NEAR(w, ((double[]){2 - sqrt(2), 2, 2 + sqrt(2)}), 3, 1e-15);
  ap__eigen3((double[6]){2e300, 1e300, 0, 2e300, 1e300, 2e300}, w);
  CHECK_NEAR(w, ((double[]){(2 - sqrt(2)) * 1e300, 2e300, (2 + sqrt(2)) * 1e300}), 3, 1e-15);
  // Invariants of random matrices: trace and sum of squares.
  rng r = rng_seed(5);
  for (int n = 0; n < 1000; n++) {
    double s[6];
    for (int i = 0; i < 6; i++) s[i] = rng_uniform(&r, -1, 1) * pow(10, rng_uniform(&r, -9, 0));
    ap__eigen3(s, w);
    double trace = s[0] + s[3] + s[5];
    double square =
        s[0] * s[0] + s[3] * s[3] + s[5] * s[5] + 2 * (s[1] * s[1] + s[2] * s[2] + s[4] * s[4]);
    double size = fabs(w[0]) > fabs(w[2]) ? fabs(w[0]) : fabs(w[2]);
    CHECK_CLOSE(w[0] + w[1] + w[2], trace, 2e-15 * size);
    CHECK_CLOSE(w[0] * w[0] + w[1] * w[1] + w[2] * w[2], square, 8e-15 * size * size);
    CHECK(w[0] <= w[1] && w[1] <= w[2]);
  }
}
