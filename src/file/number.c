// SPDX-License-Identifier: Apache-2.0
#include "file/number.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

__extension__ typedef unsigned __int128 u128;

// 5^27 is the largest power of five below 2^63. With it every decimal of up to 19 digits and an
// exponent of -27 .. 27 is one exact 128-bit product or quotient: m 10^e = m 5^e 2^e.
enum { FIVE_MAX = 27 };
static const uint64_t five[FIVE_MAX + 1] = {UINT64_C(1),
                                            UINT64_C(5),
                                            UINT64_C(25),
                                            UINT64_C(125),
                                            UINT64_C(625),
                                            UINT64_C(3125),
                                            UINT64_C(15625),
                                            UINT64_C(78125),
                                            UINT64_C(390625),
                                            UINT64_C(1953125),
                                            UINT64_C(9765625),
                                            UINT64_C(48828125),
                                            UINT64_C(244140625),
                                            UINT64_C(1220703125),
                                            UINT64_C(6103515625),
                                            UINT64_C(30517578125),
                                            UINT64_C(152587890625),
                                            UINT64_C(762939453125),
                                            UINT64_C(3814697265625),
                                            UINT64_C(19073486328125),
                                            UINT64_C(95367431640625),
                                            UINT64_C(476837158203125),
                                            UINT64_C(2384185791015625),
                                            UINT64_C(11920928955078125),
                                            UINT64_C(59604644775390625),
                                            UINT64_C(298023223876953125),
                                            UINT64_C(1490116119384765625),
                                            UINT64_C(7450580596923828125)};

// Powers of ten that a double holds exactly.
static const double ten[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static inline int leading_zeros(uint64_t x) { return __builtin_clzll(x); }

// ---- reading -----------------------------------------------------------------------------------

// q 2^exponent rounded to nearest even; sticky says that more lies below q. q has at least 62 bits,
// and the value is far from the ends of the range.
static double rounded(uint64_t q, bool sticky, int exponent) {
  int lz = leading_zeros(q);
  q <<= lz;
  exponent -= lz;
  uint64_t mantissa = q >> 11, rest = q & 0x7ff;
  if (rest > 0x400 || (rest == 0x400 && (sticky || (mantissa & 1)))) mantissa++;
  exponent += 11;
  if (mantissa >> 53) {
    mantissa >>= 1;
    exponent++;
  }
  uint64_t bits = (mantissa & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(exponent + 52 + 1023) << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// m 10^e, exactly rounded, for m > 0 and |e| <= FIVE_MAX.
static double scaled(uint64_t m, int e) {
  if (!(m >> 53) && e >= -22 && e <= 22)
    return e < 0 ? (double)m / ten[-e] : (double)m * ten[e]; // both exact: one rounding (Clinger)
  int lz = leading_zeros(m);
  m <<= lz;
  if (e >= 0) {
    u128 product = (u128)m * five[e]; // at least 2^63
    int low = 0;
    while (product >> 64 >> low) low++; // e is rarely above 0: numbers have a fraction
    uint64_t q = (uint64_t)(product >> low);
    return rounded(q, (u128)q << low != product, e + low - lz);
  }
  int shift = leading_zeros(five[-e]);
  uint64_t divisor = five[-e] << shift; // m and divisor in [2^63, 2^64): q in (2^62, 2^64)
  u128 numerator = (u128)m << 63;
  uint64_t q = (uint64_t)(numerator / divisor);
  return rounded(q, (uint64_t)numerator != q * divisor, e - 63 + shift - lz);
}

// What the exact path leaves: long mantissas and far exponents. strtod rounds correctly, but reads
// the decimal point of the thread's locale.
static ap__number by_strtod(const char *text, double *x) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t old = c ? uselocale(c) : (locale_t)0;
  *x = strtod(text, NULL);
  if (c) {
    uselocale(old);
    freelocale(c);
  }
  return isfinite(*x) ? AP__NUMBER : AP__NUMBER_HUGE;
}

// What the digits of a number say: mantissa 10^exponent, or more digits than a mantissa holds.
typedef struct decimal {
  uint64_t mantissa;
  int exponent; // limited to about +-1e6
  bool any;     // there was a digit
  bool longer;  // digits were left out
} decimal;

// Two and eight digits as a number; as a tree, so that the processor can do it side by side.
static inline uint32_t two_digits(const char *s) {
  return 10 * (uint32_t)(s[0] - '0') + (uint32_t)(s[1] - '0');
}
static inline uint32_t eight(const char *s) {
  return 10000 * (100 * two_digits(s) + two_digits(s + 2)) + 100 * two_digits(s + 4) +
         two_digits(s + 6);
}

static const char *scan_digits(const char *s, decimal *d, int fraction) {
  const char *end = s;
  while (ap__is_digit(*end)) end++;
  d->any = d->any || end > s;
  for (; end - s >= 8 && d->mantissa < UINT64_C(10000000000); s += 8) {
    d->mantissa = 100000000 * d->mantissa + eight(s);
    d->exponent -= 8 * fraction;
  }
  for (; s < end; s++) {
    if (d->mantissa < UINT64_C(1000000000000000000)) {
      d->mantissa = 10 * d->mantissa + (uint64_t)(*s - '0');
      d->exponent -= fraction;
    } else {
      d->longer = true;
      if (!fraction && d->exponent < 1000000) d->exponent++;
    }
  }
  return end;
}

static const char *scan_exponent(const char *s, decimal *d) {
  if (*s != 'e' && *s != 'E') return s;
  const char *t = s + 1;
  bool negative = *t == '-';
  if (*t == '+' || *t == '-') t++;
  if (!ap__is_digit(*t)) return s; // not an exponent: the caller sees the letter
  int e = 0;
  for (; ap__is_digit(*t); t++)
    if (e < 1000000) e = 10 * e + (*t - '0');
  d->exponent += negative ? -e : e;
  return t;
}

ap__number ap__parse_double(const char *text, const char **end, double *x) {
  const char *s = text;
  bool negative = *s == '-';
  if (*s == '+' || *s == '-') s++;
  decimal d = {0};
  s = scan_digits(s, &d, 0);
  if (*s == '.') s = scan_digits(s + 1, &d, 1);
  if (!d.any) return AP__NO_NUMBER;
  s = scan_exponent(s, &d);
  *end = s;
  if (d.mantissa == 0 && !d.longer) {
    *x = negative ? -0.0 : 0.0;
    return AP__NUMBER;
  }
  if (d.longer || d.exponent < -FIVE_MAX || d.exponent > FIVE_MAX) return by_strtod(text, x);
  *x = scaled(d.mantissa, d.exponent);
  if (negative) *x = -*x;
  return AP__NUMBER;
}

// ---- writing -----------------------------------------------------------------------------------

static int by_printf(double x, int digits, char *text) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t old = c ? uselocale(c) : (locale_t)0;
  int length = snprintf(text, 25, "%.*g", digits, x);
  if (c) {
    uselocale(old);
    freelocale(c);
  }
  return length;
}

// The 192-bit number m 5^p for a 53-bit m and p <= 2 FIVE_MAX: high 64 bits and low 128.
typedef struct u192 {
  uint64_t high;
  u128 low;
} u192;

static u192 times_five(uint64_t m, int p) {
  if (p <= FIVE_MAX) return (u192){0, (u128)m * five[p]};
  u128 a = (u128)m * five[FIVE_MAX];
  uint64_t b = five[p - FIVE_MAX];
  u128 lower = (u128)(uint64_t)a * b;
  u128 upper = (u128)(uint64_t)(a >> 64) * b + (lower >> 64);
  return (u192){(uint64_t)(upper >> 64), upper << 64 | (uint64_t)lower};
}

// floor(x / 2^shift) for 0 <= shift < 128 where the result has less than 64 bits, and what is left:
// -1, 0, 1 as the rest is below, at or above one half.
static uint64_t shifted(u192 x, int shift, int *half) {
  if (shift == 0) {
    *half = -1;
    return (uint64_t)x.low;
  }
  u128 rest = x.low & (((u128)1 << shift) - 1);
  u128 point = (u128)1 << (shift - 1);
  *half = rest < point ? -1 : rest > point;
  uint64_t q = (uint64_t)(x.low >> shift);
  if (x.high) q |= (uint64_t)((u128)x.high << (128 - shift)); // shift > 64 here
  return q;
}

// The 17 digits of m 2^e, 2^52 <= m < 2^53, as one integer, and the decimal exponent of the first
// of them. False where the number is out of the range of the exact method (below about 1e-38 or
// above 1e17).
static bool seventeen_digits(uint64_t m, int e, uint64_t *digits, int *exponent) {
  // floor(log10) from the logarithm's tangent on [1, 2): log2(1 + f) >= f, so that k is too small
  // by one at most, and seldom. 20201781 / 2^26 is log10(2) rounded down.
  int64_t log2_q16 = (int64_t)(52 + e) * 65536 + (int64_t)(m >> 36 & 0xffff);
  int k = (int)(log2_q16 * 20201781 >> 42);
  for (;; k++) {
    int p = 16 - k, shift = -(e + p), half;
    if (p < 0 || p > 2 * FIVE_MAX || shift < 0 || shift >= 128) return false;
    uint64_t d = shifted(times_five(m, p), shift, &half);
    if (d >= UINT64_C(100000000000000000)) continue;
    if (d < UINT64_C(10000000000000000)) return false; // k too large: not seen, but not proven
    if (half > 0 || (half == 0 && (d & 1))) d++;
    if (d == UINT64_C(100000000000000000)) {
      d = UINT64_C(10000000000000000);
      k++;
    }
    *digits = d;
    *exponent = k;
    return true;
  }
}

static const char pairs[201] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546"
    "4"
    "7484950515253545556575859606162636465666768697071727374757677787980818283848586878889909192939"
    "4"
    "9596979899";

static void eight_digits(uint32_t x, char *text) {
  uint32_t high = x / 10000, low = x % 10000;
  memcpy(text, pairs + 2 * (high / 100), 2);
  memcpy(text + 2, pairs + 2 * (high % 100), 2);
  memcpy(text + 4, pairs + 2 * (low / 100), 2);
  memcpy(text + 6, pairs + 2 * (low % 100), 2);
}

// The two writers below copy fixed sizes, which compilers turn into a few moves: digit has 17
// digits and room behind them to read, text has WIDE bytes.
enum { WIDE = 48, DIGITS = 40 };

// d.ddde-XX, with n digits.
static int scientific(const char *digit, int n, int exponent, char *text) {
  text[0] = digit[0];
  text[1] = '.';
  memcpy(text + 2, digit + 1, 16);
  char *t = text + (n > 1 ? n + 1 : 1);
  t[0] = 'e';
  t[1] = exponent < 0 ? '-' : '+';
  unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent); // below 100 here
  memcpy(t + 2, pairs + 2 * size, 2);
  return (int)(t + 4 - text);
}

// The same number without an exponent, for -5 < exponent < 17.
static int positional(const char *digit, int n, int exponent, char *text) {
  if (exponent < 0) {
    memcpy(text, "0.0000", sizeof "0.0000");
    memcpy(text + 1 - exponent, digit, 17);
    return 1 - exponent + n;
  }
  int whole = exponent + 1;
  memcpy(text, digit, 17);
  text[whole] = '.';
  memcpy(text + whole + 1, digit + whole, 16);
  return n > whole ? n + 1 : whole;
}

int ap_format_double(double x, char *text) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int biased = (int)(bits >> 52 & 0x7ff);
  uint64_t frac = bits & ((UINT64_C(1) << 52) - 1), digits;
  int exponent;
  int sign = (int)(bits >> 63);
  if (biased == 0 || biased == 0x7ff ||
      !seventeen_digits(frac | UINT64_C(1) << 52, biased - 1075, &digits, &exponent)) {
    if (biased != 0 || frac != 0) return by_printf(x, 17, text);
    text[0] = '-';
    text[sign] = '0';
    text[sign + 1] = 0;
    return 1 + sign;
  }
  char digit[DIGITS] = {0}, wide[WIDE];
  uint64_t tail = digits % UINT64_C(10000000000000000);
  digit[0] = (char)('0' + digits / UINT64_C(10000000000000000));
  eight_digits((uint32_t)(tail / 100000000), digit + 1);
  eight_digits((uint32_t)(tail % 100000000), digit + 9);
  int n = 17;
  while (digit[n - 1] == '0') n--;
  wide[0] = '-';
  int length = sign + (exponent < -4 ? scientific(digit, n, exponent, wide + sign)
                                     : positional(digit, n, exponent, wide + sign));
  wide[length] = 0;
  memcpy(text, wide, 25);
  return length;
}

int ap__parse_numbers(const char *text, int most, double *x) {
  static const char blanks[] = " \t\r\n";
  int found = 0;
  for (const char *s = text + strspn(text, blanks), *end; *s; s = end + strspn(end, blanks)) {
    double value;
    ap__number kind = ap__parse_double(s, &end, &value);
    if (kind == AP__NUMBER_HUGE) return AP__HUGE_NUMBERS;
    if (kind == AP__NO_NUMBER || (*end && !strchr(blanks, *end))) return AP__NO_NUMBERS;
    if (found < most) x[found] = value;
    found++;
  }
  return found;
}

int ap__format_short(double x, char *text) {
  for (int digits = 15; digits < 17; digits++) {
    const char *end;
    double back;
    int length = by_printf(x, digits, text);
    if (ap__parse_double(text, &end, &back) == AP__NUMBER && back == x) return length;
  }
  return ap_format_double(x, text);
}
