// SPDX-License-Identifier: Apache-2.0
// Messages about definitions, without printf: firmware that checks a robot need not carry one.

#include "base/error.h"

typedef struct writer {
  char *text;
  size_t size, used;
} writer;

__attribute__((noinline)) static void put(writer *w, char c) {
  if (w->used + 1 < w->size) w->text[w->used] = c;
  w->used++;
}

static void put_text(writer *w, const char *s, int most) {
  for (int k = 0; s[k] != '\0' && k < most; k++) put(w, s[k]);
}

static void put_whole(writer *w, size_t n) {
  char digit[24];
  int count = 0;
  do digit[count++] = (char)('0' + n % 10);
  while ((n /= 10) > 0);
  while (count > 0) put(w, digit[--count]);
}

static void put_int(writer *w, long n) {
  if (n < 0) put(w, '-');
  put_whole(w, n < 0 ? (size_t) - (n + 1) + 1 : (size_t)n);
}

// x = n 10^exponent, n with that many digits. x is above zero; ten steps too many or too few cost a
// rounding each, far below the few digits of a message.
static unsigned long scaled(double x, int digits, int *exponent) {
  double least = 1;
  for (int k = 1; k < digits; k++) least *= 10;
  *exponent = 0;
  while (x < least) x *= 10, --*exponent;
  while (x >= 10 * least) x /= 10, ++*exponent;
  unsigned long n = (unsigned long)(x + 0.5);
  if ((double)n < 10 * least) return n;
  ++*exponent;
  return n / 10;
}

static void put_exponent(writer *w, int e) {
  put(w, 'e'), put(w, e < 0 ? '-' : '+');
  if (e < 0) e = -e;
  if (e < 10) put(w, '0');
  put_int(w, e);
}

// As %.*g.
static void put_number(writer *w, double x, int digits) {
  char digit[24];
  int count = 0, exponent;
  if (x != x || x - x != 0) {
    put_text(w, x != x ? "nan" : x < 0 ? "-inf" : "inf", 4);
    return;
  }
  if (x < 0) put(w, '-'), x = -x;
  if (x == 0) {
    put(w, '0');
    return;
  }
  unsigned long n = scaled(x, digits, &exponent);
  for (; n % 10 == 0; n /= 10) exponent++;
  for (; n > 0; n /= 10) digit[count++] = (char)('0' + n % 10);
  int leading = exponent + count - 1; // 10^leading is the place of the first digit
  bool fixed = leading >= -4 && leading < digits;
  int before = fixed ? leading + 1 : 1; // digits before the point
  if (before <= 0) put_text(w, "0.0000", 2 - before);
  for (int k = 0; k < count || k < before; k++) {
    if (k == before && before > 0) put(w, '.');
    put(w, k < count ? digit[count - 1 - k] : '0');
  }
  if (!fixed) put_exponent(w, leading);
}

// One directive; what follows it.
static const char *put_argument(writer *w, const char *f, va_list *arguments) {
  int precision = -1;
  if (f[0] == '.' && f[1] == '*') precision = va_arg(*arguments, int), f += 2;
  if (f[0] == '.') precision = f[1] - '0', f += 2;
  switch (*f) {
    case 's':
      put_text(w, va_arg(*arguments, const char *), precision < 0 ? 9999 : precision);
      break;
    case 'd': put_int(w, va_arg(*arguments, int)); break;
    case 'z': put_whole(w, va_arg(*arguments, size_t)), f++; break;
    case 'g': put_number(w, va_arg(*arguments, double), precision < 0 ? 6 : precision); break;
    default: put(w, *f); break;
  }
  return f + 1;
}

void ap__compose(char *text, size_t size, const char *format, va_list arguments) {
  writer w = {text, size, 0};
  va_list rest;
  va_copy(rest, arguments);
  while (*format != '\0')
    if (*format == '%')
      format = put_argument(&w, format + 1, &rest);
    else
      put(&w, *format++);
  va_end(rest);
  if (size > 0) ap__one_line(text, w.used < size ? w.used : size - 1, w.used >= size);
}

void ap__refuse(ap_error *e, ap_status status, const char *format, ...) {
  if (e == NULL) return;
  va_list arguments;
  va_start(arguments, format);
  *e = (ap_error){.status = status};
  ap__compose(e->text, sizeof e->text, format, arguments);
  va_end(arguments);
}

bool ap__has_cookie(unsigned cookie, const char *function, ap_error *e) {
  if (cookie == AP_COOKIE) return true;
  ap__refuse(e, AP_E_ARG, "initialise it with %s(), then change what differs", function);
  return false;
}

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
