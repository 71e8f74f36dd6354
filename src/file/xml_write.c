// SPDX-License-Identifier: Apache-2.0
#include "file/xml_write.h"

#include <stdlib.h>
#include <string.h>

void ap__xml_text(ap__text *t, const char *attribute, const char *text) {
  ap__text_add(t, " %s=\"", attribute);
  for (; *text; text++) {
    const char *escape = *text == '&'   ? "&amp;"
                         : *text == '<' ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
    ap__text_bytes(t, escape ? escape : text, escape ? strlen(escape) : 1);
  }
  ap__text_bytes(t, "\"", 1);
}

void ap__xml_numbers(ap__text *t, const char *attribute, const double *x, int n) {
  ap__text_add(t, " %s=\"", attribute);
  ap__text_numbers(t, x, n, " ");
  ap__text_bytes(t, "\"", 1);
}

static ap_status refuse_encoding(const char *name, int shown, ap_error *error) {
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 1,
                    "a file in %.*s is not changed in place (convert it to UTF-8)", shown, name);
}

// Is it a word, in small or capital letters?
static bool is_word(const char *text, size_t n, const char *word) {
  if (n != strlen(word)) return false;
  for (size_t i = 0; i < n; i++)
    if ((text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 'a' - 'A' : text[i]) != word[i]) return false;
  return true;
}

// UTF-16 has a zero byte in its first character or a mark before it; any other encoding is declared
// in the first line.
ap_status ap__xml_check_encoding(const char *text, size_t length, ap_error *error) {
  static const char *const known[] = {"utf-8", "utf8", "us-ascii", "ascii"};
  if (length >= 2 && (!text[0] || !text[1] || memcmp(text, "\xFE\xFF", 2) == 0 ||
                      memcmp(text, "\xFF\xFE", 2) == 0))
    return refuse_encoding("UTF-16", 6, error);
  if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
  const char *end = strncmp(text, "<?xml", 5) == 0 ? strstr(text, "?>") : NULL;
  const char *at = end ? strstr(text, "encoding") : NULL;
  if (!at || at > end) return AP_OK;
  at += strcspn(at, "\"'");
  const size_t n = at < end ? strcspn(at + 1, "\"'") : 0;
  for (size_t k = 0; n > 0 && k < sizeof known / sizeof known[0]; k++)
    if (is_word(at + 1, n, known[k])) return AP_OK;
  return n > 0 ? refuse_encoding(at + 1, n < 40 ? (int)n : 40, error) : AP_OK;
}

const char *ap__new_name(ap__names *taken, ap__pool *pool, const char *name, const char *suffix) {
  size_t n = strlen(name), m = strlen(suffix);
  for (size_t before = 0;; before++) {
    char *made = malloc(before + n + m + 1);
    if (!made) return NULL;
    memset(made, '_', before);
    memcpy(made + before, name, n);
    memcpy(made + before + n, suffix, m + 1);
    bool is_new = ap__names_find(taken, made) < 0;
    const char *kept = is_new ? ap__pool_text(pool, made, before + n + m) : NULL;
    free(made);
    if (kept) ap__names_put(taken, kept, 0);
    if (is_new) return kept;
  }
}
