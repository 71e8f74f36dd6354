// SPDX-License-Identifier: Apache-2.0
// The index of names: what it finds, and how many comparisons any set of names can cost.

#include <string.h>

#include "test.h"

static long comparisons;

static int counted_strcmp(const char *a, const char *b) {
  comparisons++;
  return strcmp(a, b);
}

#define strcmp counted_strcmp
#include "file/names.c"
#undef strcmp

enum { BLOCK = 8, STEPS = 14, NAMES = 1 << STEPS, LENGTH = BLOCK * STEPS + 1 };

static char name[NAMES][LENGTH];

// Every name is found under its number, others are not, and no lookup is deep: 2 log2 n levels, of
// which putting a name in goes down twice.
static void check_index(const char *what) {
  ap__names names;
  test_context("%s", what);
  comparisons = 0;
  if (!CHECK(ap__names_init(&names, NAMES))) return;
  bool good = true;
  for (int i = 0; i < NAMES; i++) good = ap__names_put(&names, name[i], i) == -1 && good;
  CHECK(good);
  CHECK(comparisons <= 4L * NAMES * STEPS);
  comparisons = 0;
  for (int i = 0; i < NAMES; i++) {
    char longer[LENGTH + 1] = {0};
    memcpy(longer, name[i], strlen(name[i]));
    longer[strlen(name[i])] = '-';
    good = ap__names_find(&names, name[i]) == i && ap__names_find(&names, longer) == -1 && good;
  }
  CHECK(good);
  CHECK(comparisons <= 4L * NAMES * STEPS);
  for (int i = 0; i < NAMES; i++) good = ap__names_put(&names, name[i], i + 1) == i && good;
  CHECK(good);
  ap__names_free(&names);
  test_context("%s", "");
}

TEST(names_in_any_order_are_found_in_few_comparisons) {
  for (int i = 0; i < NAMES; i++) snprintf(name[i], LENGTH, "link_%06d", i);
  check_index("ascending");
  for (int i = 0; i < NAMES; i++) snprintf(name[i], LENGTH, "link_%06d", NAMES - i);
  check_index("descending");
  for (int i = 0; i < NAMES; i++)
    snprintf(name[i], LENGTH, "%c%06d", i % 2 ? 'a' : 'b', i % 2 ? i : NAMES - i);
  check_index("from both ends");
  for (int i = 0; i < NAMES; i++) snprintf(name[i], LENGTH, "%04x", (unsigned)i * 40503u % NAMES);
  check_index("mixed");
}

static uint32_t fnv(uint32_t h, const char *block) {
  for (int i = 0; i < BLOCK; i++) h = (h ^ (unsigned char)block[i]) * 16777619u;
  return h;
}

// Eight letters, other ones for each number.
static void spell(uint32_t number, char block[BLOCK]) {
  uint64_t mixed = number * UINT64_C(0x9e3779b97f4a7c15);
  for (int i = 0; i < BLOCK; i++, mixed = mixed / 26) block[i] = (char)('a' + mixed % 26);
}

// Two blocks that take FNV-1a from h to the same value: the first pair in the order of spelling.
static uint32_t collide(uint32_t h, char one[BLOCK], char other[BLOCK]) {
  enum { TABLE = 1 << 19 };
  uint32_t *table = calloc(TABLE, sizeof *table), end = 0;
  for (uint32_t k = 1; table && k < TABLE / 2; k++) {
    spell(k, other);
    end = fnv(h, other);
    uint32_t at = end % TABLE;
    for (; table[at]; at = (at + 1) % TABLE) {
      spell(table[at], one);
      if (fnv(h, one) == end) {
        free(table);
        return end;
      }
    }
    table[at] = k;
  }
  abort(); // 2^18 blocks make 8 collisions on average
}

// 2^14 names of one hash, from 14 pairs of blocks (A. Joux, Multicollisions in Iterated Hash
// Functions, 2004): a table of hashes would compare each with all before it.
TEST(names_made_to_collide_are_found_as_fast) {
  uint32_t h = 2166136261u;
  for (int step = 0; step < STEPS; step++) {
    char block[2][BLOCK];
    h = collide(h, block[0], block[1]);
    for (int i = 0; i < NAMES; i++)
      memcpy(name[i] + (size_t)BLOCK * (size_t)step, block[i >> step & 1], BLOCK);
  }
  for (int i = 0; i < NAMES; i++) name[i][LENGTH - 1] = 0;
  for (int i = 0; i < NAMES; i++) {
    uint32_t own = 2166136261u;
    for (int step = 0; step < STEPS; step++) own = fnv(own, name[i] + BLOCK * step);
    if (!CHECK(own == h)) return;
  }
  check_index("one hash");
}

TEST(an_empty_index_has_nothing) {
  ap__names names = {0};
  CHECK_EQ_INT(ap__names_find(&names, "a"), -1);
  ap__names_free(&names);
}
