// SPDX-License-Identifier: Apache-2.0
// Reading and writing are both a product by a power of ten. It is computed to 128 bits with a bound
// of its error; where that leaves the rounding open, which ties and about one number in 2^50 do,
// the C library decides.

#include "file/number.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

__extension__ typedef unsigned __int128 u128;

// ---- powers of ten -----------------------------------------------------------------------------

enum { STEP = 27, LEAST_POWER = -13 * STEP, MOST_POWER = 13 * STEP - 1 };

// 5^0 .. 5^26.
static const uint64_t five[STEP] = {
    UINT64_C(1),
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
};

// 10^(27 j), j = -13 .. 12, as 128 bits of which the first is one; what is below is cut off.
static const uint64_t coarse[2 * 13][2] = {
    {UINT64_C(0x8049a4ac0c5811ae), UINT64_C(0x205b896d777d6278)}, // 10^-351
    {UINT64_C(0xcf42894a5dce35ea), UINT64_C(0x52064cac828675b9)}, // 10^-324
    {UINT64_C(0xa76c582338ed2621), UINT64_C(0xaf2af2b80af6f24e)}, // 10^-297
    {UINT64_C(0x873e4f75e2224e68), UINT64_C(0x5a7744a6e804a291)}, // 10^-270
    {UINT64_C(0xda7f5bf590966848), UINT64_C(0xaf39a475506a899e)}, // 10^-243
    {UINT64_C(0xb080392cc4349dec), UINT64_C(0xbd8d794d96aacfb3)}, // 10^-216
    {UINT64_C(0x8e938662882af53e), UINT64_C(0x547eb47b7282ee9c)}, // 10^-189
    {UINT64_C(0xe65829b3046b0afa), UINT64_C(0x0cb4a5a3112a5112)}, // 10^-162
    {UINT64_C(0xba121a4650e4ddeb), UINT64_C(0x92f34d62616ce413)}, // 10^-135
    {UINT64_C(0x964e858c91ba2655), UINT64_C(0x3a6a07f8d510f86f)}, // 10^-108
    {UINT64_C(0xf2d56790ab41c2a2), UINT64_C(0xfae27299423fb9c3)}, // 10^-81
    {UINT64_C(0xc428d05aa4751e4c), UINT64_C(0xaa97e14c3c26b886)}, // 10^-54
    {UINT64_C(0x9e74d1b791e07e48), UINT64_C(0x775ea264cf55347d)}, // 10^-27
    {UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000)}, // 10^0
    {UINT64_C(0xcecb8f27f4200f3a), UINT64_C(0x0000000000000000)}, // 10^27
    {UINT64_C(0xa70c3c40a64e6c51), UINT64_C(0x999090b65f67d924)}, // 10^54
    {UINT64_C(0x86f0ac99b4e8dafd), UINT64_C(0x69a028bb3ded71a3)}, // 10^81
    {UINT64_C(0xda01ee641a708de9), UINT64_C(0xe80e6f4820cc9495)}, // 10^108
    {UINT64_C(0xb01ae745b101e9e4), UINT64_C(0x5ec05dcff72e7f8f)}, // 10^135
    {UINT64_C(0x8e41ade9fbebc27d), UINT64_C(0x14588f13be847307)}, // 10^162
    {UINT64_C(0xe5d3ef282a242e81), UINT64_C(0x8f1668c8a86da5fa)}, // 10^189
    {UINT64_C(0xb9a74a0637ce2ee1), UINT64_C(0x6d953e2bd7173692)}, // 10^216
    {UINT64_C(0x95f83d0a1fb69cd9), UINT64_C(0x4abdaf101564f98e)}, // 10^243
    {UINT64_C(0xf24a01a73cf2dccf), UINT64_C(0xbc633b39673c8cec)}, // 10^270
    {UINT64_C(0xc3b8358109e84f07), UINT64_C(0x0a862f80ec4700c8)}, // 10^297
    {UINT64_C(0x9e19db92b4e31ba9), UINT64_C(0x6c07a2c26a8346d1)}, // 10^324
};

// 10^k lies in [bits, bits + ERROR) 2^exponent, bits in [2^126, 2^128).
enum { ERROR = 2 };
typedef struct power {
  u128 bits;
  int exponent;
} power;

// 10^k = 10^(27 j) 5^r 2^r. The first factor is too small by less than 1, the product by less than
// 5^r; after as many bits are cut off as 5^r has, by less than 1, and again 1 for the cut.
static inline power power_of_ten(int k) {
  const int j = (k - LEAST_POWER) / STEP, tens = LEAST_POWER + j * STEP, r = k - tens;
  const u128 low = (u128)coarse[j][1] * five[r];
  const u128 high = (u128)coarse[j][0] * five[r] + (uint64_t)(low >> 64);
  const int lz = __builtin_clzll(five[r]); // at least 3
  const uint64_t upper = (uint64_t)(high >> 64) << lz | (uint64_t)high >> (64 - lz);
  const uint64_t lower = (uint64_t)high << lz | (uint64_t)low >> (64 - lz);
  // floor(27 j log2(10)), right for |27 j| < 1233.
  return (power){(u128)upper << 64 | lower, (tens * 217706 >> 16) - 127 + r + 64 - lz};
}
// Nothing is cut off: 5^54 has 126 bits.
static bool is_exact(int k) { return k >= 0 && k <= 54; }

// A 64-bit number by a 128-bit one: the upper 128 bits, and the lower 64.
static inline u128 product(uint64_t m, u128 p, uint64_t *rest) {
  const u128 low = (u128)m * (uint64_t)p;
  *rest = (uint64_t)low;
  return (u128)m * (uint64_t)(p >> 64) + (uint64_t)(low >> 64);
}

// Eight characters as a number whose lowest byte is the first.
static inline uint64_t load_eight(const char *s) {
  uint64_t x;
  memcpy(&x, s, sizeof x);
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : __builtin_bswap64(x);
}
static inline void store_eight(uint64_t x, char *s) {
  if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) x = __builtin_bswap64(x);
  memcpy(s, &x, sizeof x);
}

// ---- reading -----------------------------------------------------------------------------------

// What the quick path leaves: ties, the ends of the range. strtod rounds correctly, but reads the
// decimal point of the thread's locale.
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
  bool longer;  // digits were left out: the mantissa may be larger by one
} decimal;

// The bits of a double next to m 10^e, or where longer to all from there to (m + 1) 10^e. m > 0.
static bool scaled(uint64_t m, int e, bool longer, uint64_t *bits) {
  if (e < LEAST_POWER || e > MOST_POWER) return false;
  const power p = power_of_ten(e);
  const int lz = __builtin_clzll(m);
  uint64_t rest;
  const u128 y = product(m << lz, p.bits, &rest);      // too small by less than ERROR + 1
  const int up = __builtin_clzll((uint64_t)(y >> 64)); // 0 to 2
  const uint64_t high = (uint64_t)(y >> 64) << up | (uint64_t)y >> 1 >> (63 - up);
  const uint64_t low = (uint64_t)y << up;
  const uint64_t below = high & 0x7ff, point = 0x400; // 53 bits stay, below them a half is point
  const uint64_t error = 4 * (ERROR + 1);
  if (__builtin_expect(longer, 0) && below <= point && below + (UINT64_C(4) << lz) + 1 >= point)
    return false;
  if (below - (point - 1) <= 1 && low + error <= 2 * error) return false;
  uint64_t mantissa = (high >> 11) + (below >> 10);
  const int exponent = p.exponent + 64 - lz - up + 11 + 64 + 52 + 1023 + (int)(mantissa >> 53);
  if (exponent < 1 || exponent > 2046) return false;
  // Where it was rounded to 2^53, its lower bits are zero.
  *bits = (mantissa & ((UINT64_C(1) << 52) - 1)) | (uint64_t)exponent << 52;
  return true;
}

// The same where m and the power of ten are doubles: one rounding (Clinger).
static double scaled_exactly(uint64_t m, int e) {
  static const double ten[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  return e < 0 ? (double)m / ten[-e] : (double)m * ten[e];
}

// Positive, or zero. False: not known.
static bool convert(const decimal *d, uint64_t *bits) {
  if (d->mantissa < UINT64_C(1000000000000000) && d->exponent >= -22 && d->exponent <= 22) {
    const double x = scaled_exactly(d->mantissa, d->exponent);
    memcpy(bits, &x, sizeof x);
    return true;
  }
  *bits = 0;
  return d->mantissa == 0 || scaled(d->mantissa, d->exponent, d->longer, bits);
}

// How many of eight characters are digits before the first that is none.
static inline int count_digits(uint64_t text) {
  const uint64_t high = UINT64_C(0x8080808080808080);
  const uint64_t x = text ^ UINT64_C(0x3030303030303030); // digits: 0 .. 9
  const uint64_t other = (x | ((x & ~high) + UINT64_C(0x7676767676767676))) & high;
  return other ? __builtin_ctzll(other) / 8 : 8;
}

// Eight digits as a number: pairs, fours, all.
static inline uint64_t eight_digits(uint64_t text) {
  text = (text & UINT64_C(0x0f0f0f0f0f0f0f0f)) * 2561 >> 8;
  text = (text & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
  return (text & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
}

// Digits go to the mantissa while it has room for 19. Leading zeros take none.
static const char *scan_slowly(const char *s, decimal *d, int fraction) {
  for (; ap__is_digit(*s); s++) {
    if (d->mantissa < UINT64_C(1000000000000000000)) {
      d->mantissa = 10 * d->mantissa + (uint64_t)(*s - '0');
      d->exponent -= fraction;
    } else {
      d->longer = d->longer || *s != '0';
      if (!fraction && d->exponent < 1000000) d->exponent++;
    }
  }
  return s;
}

// The same modulo 2^64, as far as eight characters can be read at once.
static inline const char *scan_quickly(const char *s, const char *limit, uint64_t *mantissa) {
  static const uint64_t ten[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
  while (limit - s >= 8) {
    const uint64_t text = load_eight(s);
    const int n = count_digits(text);
    if (n < 8) {
      *mantissa = *mantissa * ten[n] + eight_digits(text << 1 << (63 - 8 * n));
      return s + n;
    }
    *mantissa = *mantissa * 100000000 + eight_digits(text);
    s += 8;
  }
  for (; ap__is_digit(*s); s++) *mantissa = *mantissa * 10 + (uint64_t)(*s - '0');
  return s;
}

static const char *scan_exponent(const char *s, decimal *d) {
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

ap__number ap__parse_double_within(const char *text, const char *limit, const char **end,
                                   double *x) {
  const bool negative = *text == '-';
  const char *first = text + (*text == '+' || *text == '-'), *s = first;
  decimal d = {0};
  for (; ap__is_digit(*s); s++) d.mantissa = 10 * d.mantissa + (uint64_t)(*s - '0');
  long digits = s - first;
  if (*s == '.') {
    const char *point = s++;
    s = scan_quickly(s, limit, &d.mantissa);
    digits = s - first - 1;
    if (digits <= 19) d.exponent = (int)(point + 1 - s);
  }
  if (digits == 0) return AP__NO_NUMBER;
  if (digits > 19) {
    d = (decimal){0};
    const char *point = scan_slowly(first, &d, 0);
    if (*point == '.') scan_slowly(point + 1, &d, 1);
  }
  if (*s == 'e' || *s == 'E') s = scan_exponent(s, &d);
  *end = s;
  uint64_t bits;
  if (!convert(&d, &bits)) return by_strtod(text, x);
  bits |= (uint64_t)negative << 63; // signs cannot be foretold: no branch
  memcpy(x, &bits, sizeof *x);
  return AP__NUMBER;
}

ap__number ap__parse_double(const char *text, const char **end, double *x) {
  return ap__parse_double_within(text, text, end, x);
}

// ---- writing -----------------------------------------------------------------------------------

static int by_printf(double x, int digits, char *text) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t old = c ? uselocale(c) : (locale_t)0;
  int length = snprintf(text, AP__NUMBER_BYTES, "%.*g", digits, x);
  if (c) {
    uselocale(old);
    freelocale(c);
  }
  return length;
}

static const uint64_t sixteen = UINT64_C(10000000000000000); // 10^16, the least of 17 digits

// A double times that power of ten that leaves 17 digits before the point: whole + rest 2^-64, and
// less than 2 of the latter.
typedef struct digits17 {
  uint64_t whole, rest;
  u128 half;    // half the distance to the next larger double, in 2^-64 and with the same error
  bool sticky;  // there is more below
  bool exact;   // no error but that
  int exponent; // decimal, of the first digit
} digits17;

// x = m 2^e, 2^63 <= m < 2^64, of which 53 bits count.
static inline digits17 seventeen_digits(uint64_t m, int e) {
  // floor(log10(x)) from the logarithm's chord on [1, 2): log2(1 + f) >= f, so that k is too small
  // by one at most, and seldom. 20201781 / 2^26 is log10(2) rounded down.
  const int64_t log2_q16 = (int64_t)(63 + e) * 65536 + (int64_t)(m >> 47 & 0xffff);
  for (int k = (int)(log2_q16 * 20201781 >> 42);; k++) {
    const power p = power_of_ten(16 - k);
    const int shift = -(128 + e + p.exponent); // 5 to 11
    uint64_t rest;
    const u128 y = product(m, p.bits, &rest);
    const uint64_t high = (uint64_t)(y >> 64), low = (uint64_t)y, whole = high >> shift;
    if (whole >= 10 * sixteen) continue;
    return (digits17){.whole = whole,
                      .rest = high << (64 - shift) | low >> shift,
                      .half = p.bits >> (54 + shift),
                      .sticky = rest != 0 || low << (64 - shift) != 0,
                      .exact = is_exact(16 - k),
                      .exponent = k};
  }
}

// The 17 digits as an integer, correctly rounded; 0: not known. Ties are exact: m < 2^53 and x 10^k
// a half leave no k > 54 or k < 0.
static inline uint64_t nearest(const digits17 *d) {
  const uint64_t point = UINT64_C(1) << 63;
  if (__builtin_expect(d->rest - (point - 2) > 2, 1)) return d->whole + (d->rest >> 63);
  if (d->rest < point) return d->exact ? d->whole : 0;
  return d->whole + (d->sticky || !d->exact || (d->whole & 1));
}

// Whether a number of 17 digits lies within the interval of those that are read as the same double:
// 1, 0, or -1 for a place too near to its ends to know.
static int is_within(uint64_t number, u128 lower, u128 upper) {
  enum { ERRORS = 8 }; // of value and half, above and below
  const u128 x = (u128)number << 64;
  if (x > lower + ERRORS && x + ERRORS < upper) return 1;
  return x + ERRORS < lower || x > upper + ERRORS ? 0 : -1;
}

// The number of fewest digits that is read as the same double, the nearest of them. Half the
// interval is 0.55 to 11.1: it has one multiple of 100 at most, and that has the fewest digits; or
// a few multiples of 10; or the 17 digits. 0: not known.
static uint64_t shortest(const digits17 *d, bool power_of_two) {
  const u128 value = (u128)d->whole << 64 | d->rest;
  const u128 lower = value - (d->half >> power_of_two), upper = value + d->half;
  const uint64_t hundreds = (uint64_t)(upper >> 64) / 100 * 100;
  int within = is_within(hundreds, lower, upper);
  if (is_within(hundreds + 100, lower, upper) != 0) within = -1;
  if (within != 0) return within > 0 ? hundreds : 0;
  const uint64_t ten = d->whole / 10 * 10;
  const int below = is_within(ten, lower, upper), above = is_within(ten + 10, lower, upper);
  if (below < 0 || above < 0) return 0;
  if (below && above) {
    const u128 middle = (u128)(ten + 5) << 64;
    if (value + 2 > middle && value <= middle) return 0;
    return value < middle ? ten : ten + 10;
  }
  return below ? ten : above ? ten + 10 : nearest(d);
}

// Eight digits, the first in the lowest byte, as numbers 0 .. 9: fours, pairs, digits.
static inline uint64_t digits_of(uint32_t x) {
  uint64_t y = x / 10000 | (uint64_t)(x % 10000) << 32;
  uint64_t q = (y * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
  y = q | (y - q * 100) << 16;
  q = (y * 103 >> 10) & UINT64_C(0x000f000f000f000f);
  return q | (y - q * 10) << 8;
}

// 16 digits to text, without the first `from` of them.
static inline void store_digits(u128 digits, int from, char *text) {
  digits = digits >> 4 * from >> 4 * from; // from <= 16
  store_eight((uint64_t)digits, text);
  store_eight((uint64_t)(digits >> 64), text + 8);
}

// The two writers below store whole words, later ones over parts of those before: nothing is read
// back. first is the first digit, digits the 16 behind it, n how many there are without the zeros
// at the end.

// d.ddde-XX.
static int scientific(char first, u128 digits, int n, int exponent, char *text) {
  text[0] = first;
  text[1] = '.';
  store_digits(digits, 0, text + 2);
  char *t = text + (n > 1 ? n + 1 : 1);
  unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
  *t++ = 'e';
  *t++ = exponent < 0 ? '-' : '+';
  if (size >= 100) *t++ = (char)('0' + size / 100);
  *t++ = (char)('0' + size / 10 % 10);
  *t++ = (char)('0' + size % 10);
  return (int)(t - text);
}

// The same number without an exponent, for -5 < exponent < 17.
static int positional(char first, u128 digits, int n, int exponent, char *text) {
  if (exponent < 0) {
    memcpy(text, "0.00000", sizeof "0.00000");
    text[1 - exponent] = first;
    store_digits(digits, 0, text + 2 - exponent);
    return 1 - exponent + n;
  }
  text[0] = first;
  store_digits(digits, 0, text + 1);
  text[exponent + 1] = '.';
  store_digits(digits, exponent, text + exponent + 2);
  return n > exponent + 1 ? n + 1 : exponent + 1;
}

// number has 17 digits, or is 10^17. As by "%.Ng", where N is 17, or brief, what is needed of 15 to
// 17.
static int write_digits(uint64_t number, int exponent, bool brief, char *text) {
  if (number == 10 * sixteen) {
    number = sixteen;
    exponent++;
  }
  const uint64_t zeros = UINT64_C(0x3030303030303030);
  const uint32_t front = (uint32_t)(number / 100000000), back = (uint32_t)(number % 100000000);
  const uint64_t middle = digits_of(front % 100000000), last = digits_of(back);
  const char first = (char)('0' + front / 100000000);
  const u128 digits = (u128)(last + zeros) << 64 | (middle + zeros);
  int n = 1;
  if (last)
    n = 17 - __builtin_clzll(last) / 8;
  else if (middle)
    n = 9 - __builtin_clzll(middle) / 8;
  const int most = !brief ? 17 : n > 15 ? n : 15;
  return exponent < -4 || exponent >= most ? scientific(first, digits, n, exponent, text)
                                           : positional(first, digits, n, exponent, text);
}

// Ends of the range, and what the bounds of errors leave open.
static int write_slowly(double x, bool brief, char *text) {
  const bool subnormal = fabs(x) < 2.2250738585072014e-308;
  for (int digits = !brief ? 17 : subnormal ? 1 : 15; digits < 17; digits++) {
    const char *end;
    double back;
    const int length = by_printf(x, digits, text);
    if (ap__parse_double(text, &end, &back) == AP__NUMBER && back == x) return length;
  }
  return by_printf(x, 17, text);
}

int ap__write_double(double x, bool brief, char *text) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int biased = (int)(bits >> 52 & 0x7ff), sign = (int)(bits >> 63);
  const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  text[0] = '-';
  if (biased == 0 && fraction == 0) {
    text[sign] = '0';
    return 1 + sign;
  }
  if (biased == 0x7ff || (biased == 0 && brief)) return write_slowly(x, brief, text);
  const uint64_t m = biased ? fraction | UINT64_C(1) << 52 : fraction;
  const int lz = __builtin_clzll(m);
  const digits17 d = seventeen_digits(m << lz, (biased ? biased : 1) - 1075 - lz);
  const uint64_t number = brief ? shortest(&d, fraction == 0 && biased > 1) : nearest(&d);
  if (number == 0) return write_slowly(x, brief, text);
  return sign + write_digits(number, d.exponent, brief, text + sign);
}

static int write_closed(double x, bool brief, char *text) {
  char wide[AP__WRITE_BYTES];
  const int length = ap__write_double(x, brief, wide);
  wide[length] = 0;
  memcpy(text, wide, AP__NUMBER_BYTES);
  return length;
}

int ap_format_double(double x, char *text) { return write_closed(x, false, text); }
int ap_format_shortest(double x, char *text) { return write_closed(x, true, text); }

size_t ap_row_room(int n) { return (size_t)n * AP__NUMBER_BYTES + AP__WRITE_BYTES; }

size_t ap_format_row(const double *x, int n, bool brief, char *text) {
  char *end = text;
  for (int k = 0; k < n; k++) {
    end += ap__write_double(x[k], brief, end);
    *end++ = ' ';
  }
  end[n > 0 ? -1 : 0] = '\n';
  return (size_t)(end - text) + (n == 0);
}

// ---- lists -------------------------------------------------------------------------------------

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
