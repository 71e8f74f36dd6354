// SPDX-License-Identifier: Apache-2.0
// Names and maps in braces as the YAML writers compose them.

#include "file/yaml_flow.h"

#include <stdint.h>
#include <string.h>

// ---- text --------------------------------------------------------------------------------------

static bool is_word(const char *s) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789./-";
  return strchr(letters, s[0]) && s[strspn(s, more)] == 0 && strcmp(s, "null") != 0;
}

// The UTF-8 character at *s, which moves on; what is not UTF-8 comes byte by byte.
static uint32_t next_character(const unsigned char **s) {
  const unsigned char *c = *s;
  int more = c[0] >= 0xf0 ? 3 : c[0] >= 0xe0 ? 2 : c[0] >= 0xc0 ? 1 : 0;
  uint32_t x = more == 3 ? c[0] & 7u : more == 2 ? c[0] & 15u : more ? c[0] & 31u : c[0];
  for (int i = 1; i <= more; i++) {
    if ((c[i] & 0xc0) != 0x80) {
      *s = c + 1;
      return c[0];
    }
    x = x << 6 | (c[i] & 63u);
  }
  *s = c + more + 1;
  return x;
}

void ap__yaml_add_name(ap__text *t, const char *name) {
  if (is_word(name)) {
    ap__text_add(t, "%s", name);
    return;
  }
  ap__text_bytes(t, "\"", 1);
  for (const unsigned char *s = (const unsigned char *)name; *s;) {
    const unsigned char *from = s;
    uint32_t c = next_character(&s);
    bool odd = c < 0x20 || (c >= 0x7f && c < 0xa1) || c == 0x2028 || c == 0x2029 || c >= 0xfff0 ||
               c == 0xfeff || (c >= 0xd800 && c < 0xe000);
    if (odd)
      ap__text_add(t, c > 0xffff ? "\\U%08X" : "\\u%04X", (unsigned)c);
    else if (c == '"' || c == '\\')
      ap__text_add(t, "\\%c", (char)c);
    else
      ap__text_bytes(t, (const char *)from, (size_t)(s - from));
  }
  ap__text_bytes(t, "\"", 1);
}

// ---- maps --------------------------------------------------------------------------------------

void ap__braces_key(ap__braces *b, const char *key) {
  if (b->open)
    ap__text_add(b->t, ", %s: ", key);
  else
    ap__text_add(b->t, "%s: {%s: ", b->key, key);
  b->open = true;
}

void ap__braces_close(ap__braces *b) {
  if (b->open) ap__text_add(b->t, "}\n");
}

void ap__braces_numbers(ap__braces *b, const char *key, const double *x, const double *initial,
                        int n) {
  if (initial && memcmp(x, initial, (size_t)n * sizeof *x) == 0) return;
  ap__braces_key(b, key);
  if (n > 1) ap__text_bytes(b->t, "[", 1);
  ap__text_numbers(b->t, x, n, ", ");
  if (n > 1) ap__text_bytes(b->t, "]", 1);
}

void ap__braces_name(ap__braces *b, const char *key, const char *name) {
  ap__braces_key(b, key);
  ap__yaml_add_name(b->t, name);
}
