#include "base/error.h"

// Length of text without a last character of which some bytes were cut off.
static size_t whole_characters(const char *text, size_t length) {
  size_t start = length;
  while (start > 0 && ((unsigned char)text[start - 1] & 0xC0u) == 0x80u) start--;
  if (start == 0) return length; // not UTF-8; nothing to gain by cutting more
  unsigned char lead = (unsigned char)text[start - 1];
  size_t bytes = lead >= 0xF0u ? 4 : lead >= 0xE0u ? 3 : lead >= 0xC0u ? 2 : 1;
  return length - (start - 1) < bytes ? start - 1 : length;
}

void ap__one_line(char *text, size_t length, bool cut) {
  if (cut) length = whole_characters(text, length);
  text[length] = '\0';
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c < 0x20u || c == 0x7Fu) text[i] = '?';
  }
}
