// SPDX-License-Identifier: Apache-2.0
#include "plot/svg.h"

#include <math.h>
#include <string.h>

void ap__svg_put(ap__text *s, const char *markup) { ap__text_bytes(s, markup, strlen(markup)); }

// A number with at most two decimals, whatever the locale. Its size is below 1e15.
static void put_number(ap__text *s, double value) {
  char digits[32];
  size_t at = sizeof digits;
  long long hundredths = llround(value * 100);
  bool negative = hundredths < 0;
  unsigned long long left = (unsigned long long)(negative ? -hundredths : hundredths);
  int decimals = left % 100 == 0 ? 0 : left % 10 == 0 ? 1 : 2;
  for (int k = decimals; k < 2; k++) left /= 10;
  for (int k = 0; k <= decimals || left > 0; k++) {
    if (k == decimals && k > 0) digits[--at] = '.';
    digits[--at] = (char)('0' + left % 10);
    left /= 10;
  }
  if (negative) digits[--at] = '-';
  ap__text_bytes(s, digits + at, sizeof digits - at);
}

void ap__svg_draw(ap__text *s, const char *markup, const double *number) {
  while (*markup) {
    size_t plain = strcspn(markup, "#'");
    ap__text_bytes(s, markup, plain);
    markup += plain;
    if (*markup == '#') put_number(s, *number++);
    if (*markup == '\'') ap__text_bytes(s, "\"", 1);
    if (*markup) markup++;
  }
}

// ---- text --------------------------------------------------------------------------------------

enum { REPLACEMENT = 0xFFFD, ELLIPSIS = 0x2026 };

// The n bytes of a sequence after its first, added to code; -1 where they are not such bytes.
static long continued(const unsigned char *s, int n, long code) {
  for (int k = 0; k < n; k++) {
    if ((s[k] & 0xC0u) != 0x80u) return -1;
    code = code * 64 + (s[k] & 0x3F);
  }
  return code;
}

// The next character, and the text moves on; 0 at its end. Never one that XML forbids.
static long next_character(const char **text) {
  const unsigned char *s = (const unsigned char *)*text;
  if (*s == 0) return 0;
  int more = *s < 0x80 ? 0 : *s < 0xC2 ? -1 : *s < 0xE0 ? 1 : *s < 0xF0 ? 2 : *s < 0xF5 ? 3 : -1;
  static const long first[] = {0, 0x80, 0x800, 0x10000}; // below these the form is too long
  long code = -1;
  if (more >= 0) code = continued(s + 1, more, more == 0 ? *s : *s & (0x3F >> more));
  if (more < 0 || code < first[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    *text += 1;
    return REPLACEMENT;
  }
  *text += more + 1;
  if (code == '\t' || code == '\n' || code == '\r') return ' ';
  bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  return control || (code & 0xFFFE) == 0xFFFE ? REPLACEMENT : code;
}

static void put_character(ap__text *s, long code) {
  switch (code) {
    case '<': ap__svg_put(s, "&lt;"); return;
    case '>': ap__svg_put(s, "&gt;"); return;
    case '&': ap__svg_put(s, "&amp;"); return;
    case '"': ap__svg_put(s, "&quot;"); return;
    case '\'': ap__svg_put(s, "&#39;"); return;
    default: break;
  }
  int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const int lead[] = {0, 0xC0, 0xE0, 0xF0};
  char bytes[4];
  for (int k = more; k > 0; k--, code >>= 6) bytes[k] = (char)(0x80 | (code & 0x3F));
  bytes[0] = (char)(lead[more] | code);
  ap__text_bytes(s, bytes, (size_t)more + 1);
}

// In units of the font's size. The wider of common fonts (Verdana, DejaVu Sans) set the numbers.
static double character_width(long code) {
  if (code >= 0x1100) return code >= 0x2000 && code < 0x2300 ? 0.8 : 1.05; // signs; wide scripts
  if (code >= 0x80) return 0.68;
  if (strchr("ijl.,:;'|!()[] It/", (int)code)) return 0.4;
  if (strchr("mwMW@%", (int)code)) return 0.96;
  return code >= 'A' && code <= 'Z' ? 0.74 : 0.63;
}

double ap__text_width(const char *text, double size) {
  double width = 0;
  for (long c = next_character(&text); c; c = next_character(&text)) width += character_width(c);
  return width * size;
}

static void put_whole(ap__text *s, const char *text) {
  for (long c = next_character(&text); c; c = next_character(&text)) put_character(s, c);
}

void ap__svg_text(ap__text *s, const char *text, double size, double room) {
  if (room <= 0 || ap__text_width(text, size) <= room) {
    put_whole(s, text);
    return;
  }
  ap__svg_put(s, "<title>");
  put_whole(s, text);
  ap__svg_put(s, "</title>");
  double left = room / size - character_width(ELLIPSIS);
  for (long c = next_character(&text); c; c = next_character(&text)) {
    left -= character_width(c);
    if (left < 0) break;
    put_character(s, c);
  }
  put_character(s, ELLIPSIS);
}

// ---- labels of our own -------------------------------------------------------------------------

// Raised text is set smaller and 4 px higher; dy moves back what follows.
void ap__svg_label(ap__text *s, const char *label) {
  bool lowered = false;
  while (*label) {
    size_t plain = strcspn(label, "^");
    bool in_line = lowered && plain > 0;
    if (in_line) {
      ap__svg_put(s, "<tspan dx=\"4\" dy=\"4\">"); // a blank here may be dropped
      label++;
      plain--;
    }
    ap__text_bytes(s, label, plain);
    if (in_line) ap__svg_put(s, "</tspan>");
    label += plain;
    if (*label == 0) return;
    size_t raised = strcspn(++label, " ");
    ap__svg_put(s, "<tspan class=\"up\" dy=\"-4\">");
    ap__text_bytes(s, label, raised);
    ap__svg_put(s, "</tspan>");
    label += raised;
    lowered = true;
  }
}

double ap__label_width(const char *label, double size) {
  const char *power = strchr(label, '^');
  return ap__text_width(label, size) - (power ? 0.3 * size * (double)strlen(power) / 2 : 0);
}
