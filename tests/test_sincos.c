// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of every arithmetic, with products fused and apart, the binary128 square root,
// and the laws of counting.

#include "research/arith_count.h"
#include "research/f128.h"
#include "num/sincos_f32.h"
#include "num/sincos_f64.h"
#include "num/sincos_fused.h"
#include "test.h"

static const double half_pi = 0x1.921fb54442d18p+0;

// The bound that sincos.inc states. Sine, worst at pi/4: the last rounding 0.5, the roundings of
// r^2 (0.063), r^3 (0.040), the polynomial (2 x 0.060), their product and the sum with the
// correction (2 x 0.063), the polynomial itself 0.03 (0.05 in float): 0.89. Cosine: 0.5, r^2 0.23,
// all else 0.05.
static const double bound_ulp = 0.9;

#ifdef AP_HAVE_F128

/// |got - want| <= bound ulp + slack, an ulp of a format of that many bits and smallest number
/// 2^least.
static bool within_ulp(f128 got, f128 want, int bits, int least, f128 slack) {
  f128 error = got < want ? want - got : got - want, size = want < 0 ? -want : want;
  int e;
  frexp((double)size, &e);
  if (size < (f128)ldexp(1, e - 1)) e--; // the conversion had rounded up to a power of two
  return error <= (f128)bound_ulp * (f128)ldexp(1, e - bits > least ? e - bits : least) + slack;
}

// An exact zero means no rounding of q + offset; otherwise the rounding error of the sum is itself
// known to as many bits as the sum, so the angle to about 2^-105 (2^-47 in float) of its size.
static void check_f64(double q, double offset) {
  double s, c, fs, fc;
  f128 s128, c128, slack = (f128)(offset == 0 ? 0 : 0x1p-105 * fmin(fabs(q + offset), 0x1p21));
  sincos_f64(q, offset, &s, &c);
  ap__sincos_f128((f128)q, (f128)offset, &s128, &c128);
  fs = s, fc = c;
  if (has_fused_sincos()) sincos_fused_f64(q, offset, &fs, &fc);
  bool good =
      within_ulp((f128)s, s128, 53, -1074, slack) && within_ulp((f128)c, c128, 53, -1074, slack) &&
      within_ulp((f128)fs, s128, 53, -1074, slack) && within_ulp((f128)fc, c128, 53, -1074, slack);
  if (!good) test_context("q %a, offset %a", q, offset);
  CHECK(good);
}

static void check_f32(float q, float offset) {
  float s, c, fs, fc;
  f128 s128, c128, slack = (f128)(offset == 0 ? 0 : 0x1p-47F * fminf(fabsf(q + offset), 0x1p11F));
  sincos_f32(q, offset, &s, &c);
  ap__sincos_f128((f128)q, (f128)offset, &s128, &c128);
  fs = s, fc = c;
  if (has_fused_sincos()) sincos_fused_f32(q, offset, &fs, &fc);
  bool good =
      within_ulp((f128)s, s128, 24, -149, slack) && within_ulp((f128)c, c128, 24, -149, slack) &&
      within_ulp((f128)fs, s128, 24, -149, slack) && within_ulp((f128)fc, c128, 24, -149, slack);
  if (!good) test_context("q %a, offset %a", (double)q, (double)offset);
  CHECK(good);
}

TEST(f64_dense) {
  for (int i = -30000; i <= 30000; i++) check_f64(i * 0x1.03p-11, 0);
}

TEST(f64_random_in_fast_range) {
  rng r = rng_seed(1);
  for (int i = 0; i < 30000; i++) check_f64(rng_uniform(&r, -0x1.9p20, 0x1.9p20), 0);
}

TEST(f64_any_magnitude) {
  rng r = rng_seed(2);
  for (int e = -1080; e <= 1024; e++)
    for (int i = 0; i < 10; i++) check_f64(ldexp(rng_uniform(&r, -1, 1), e), 0);
}

TEST(f64_near_multiples_of_half_pi) {
  for (int n = 1; n < 1 << 21; n += 1 + n / 64) {
    double x = half_pi * n, below = nextafter(x, 0), above = nextafter(x, HUGE_VAL);
    check_f64(x, 0), check_f64(below, 0), check_f64(above, 0), check_f64(-x, 0);
    check_f64(x / 2, 0); // and where the quadrants meet
    check_f64(nextafter(x / 2, 0), 0);
  }
  check_f64(0x1.6ac5b262ca1ffp+849, 0); // of all doubles the closest to a multiple of pi/2
}

TEST(f64_on_both_sides_of_the_fast_range) {
  double edge = 0x1.921fb54442d18p+20;
  for (int i = -100; i <= 100; i++) {
    check_f64(edge + i * 0x1p-32, 0);
    check_f64(-edge - i * 0x1p-32, 0);
    check_f64(edge + i * 0x1p-32, 0x1p-40);
  }
}

TEST(f64_offset_is_not_rounded_away) {
  rng r = rng_seed(3);
  for (int i = 0; i < 20000; i++) {
    double q = rng_uniform(&r, -1, 1) * exp2(rng_uniform(&r, -30, 20));
    check_f64(q, rng_uniform(&r, -4, 4));
    check_f64(q, half_pi);
    check_f64(ldexp(q, 40), rng_uniform(&r, -4, 4));
    double n = floor(rng_uniform(&r, -1000, 1000)); // q + offset close to a multiple of pi/2
    check_f64(n * half_pi - 1, 1 + rng_uniform(&r, -1e-13, 1e-13));
  }
  check_f64(1e300, -1e300);
  check_f64(1e300, 1e-300);
  check_f64(DBL_MAX, DBL_MAX); // the sum itself overflows
  check_f64(-DBL_MAX, -DBL_MAX);
  check_f64(0x1p60, 100.125);
}

TEST(f32_dense_and_any_magnitude) {
  // Every 9973rd of the finite magnitudes, with alternating signs.
  for (uint32_t b = 0; b + 9973 < 0x7f800000; b += 2 * 9973) {
    check_f32(sc_from_bits_f32(b), 0);
    check_f32(-sc_from_bits_f32(b + 9973), 0);
  }
}

TEST(f32_near_multiples_of_half_pi) {
  for (int n = 1; n <= 1100; n++) {
    float x = (float)(half_pi * n);
    check_f32(x, 0), check_f32(nextafterf(x, 0), 0), check_f32(nextafterf(x, HUGE_VALF), 0);
    check_f32(-x, 0), check_f32(x / 2, 0);
  }
}

TEST(f32_offset_is_not_rounded_away) {
  rng r = rng_seed(4);
  for (int i = 0; i < 20000; i++) {
    float q = (float)(rng_uniform(&r, -1, 1) * exp2(rng_uniform(&r, -15, 10)));
    check_f32(q, (float)rng_uniform(&r, -4, 4));
    check_f32(q, (float)half_pi);
    check_f32(ldexpf(q, 20), (float)rng_uniform(&r, -4, 4));
  }
  check_f32(FLT_MAX, FLT_MAX);
}

// ---- binary128 itself --------------------------------------------------------------------------

// sin and cos of a double, as sums of three doubles, from mpmath 1.3 with 3000 bits.
typedef struct {
  double x, sine[3], cosine[3];
} golden;

static const golden goldens[] = {
    {0x1p-30,
     {0x1p-30, -0x1.5555555555555p-93, -0x1.5511111111111p-147},
     {0x1p+0, -0x1p-61, 0x1.5555555555555p-125}},
    {0x1.921fb54442d18p-1,
     {0x1.6a09e667f3bccp-1, 0x1.7a7fb8d4bd43fp-55, 0x1.3f4e9f26f3c74p-109},
     {0x1.6a09e667f3bcdp-1, -0x1.ec4c7696139d5p-56, -0x1.fb8f05bb5448ap-110}},
    {0x1p+0,
     {0x1.aed548f090ceep-1, 0x1.06374f484e288p-59, -0x1.879aec35ddd9ap-113},
     {0x1.14a280fb5068cp-1, -0x1.b71edcc9344bcp-55, -0x1.c85acbb918aedp-109}},
    {0x1.921fb54442d18p+0,
     {0x1p+0, -0x1.377ce858a5d48p-109, 0x1.8ac58c5ec6756p-166},
     {0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110, 0x1.9fa81376bfe70p-166}},
    {0x1.921fb54442d18p+1,
     {0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbdp-109, 0x1.b8bb67f5fb7f8p-163},
     {-0x1p+0, 0x1.377ce858a5d48p-107, -0x1.8ac58c5ec6757p-164}},
    {0x1.8000000000000p+1,
     {0x1.210386db6d55bp-3, 0x1.3c7205d08d063p-57, -0x1.7cb4d28748215p-111},
     {-0x1.fae04be85e5d2p-1, -0x1.83effc17efb54p-55, 0x1.f582942b6b8f2p-109}},
    {0x1.6ac5b262ca1ffp+849,
     {0x1p+0, -0x1.2b089ea1e692bp-123, 0x1.b667cc5bcaf8ep-177},
     {-0x1.14ae72e6ba22fp-61, 0x1.73eef1477d90ep-118, 0x1.4fade1e51055dp-173}},
    {0x1.e848000000000p+19,
     {-0x1.6664b2568d867p-2, -0x1.264732d26e9b9p-56, -0x1.2003285b787fcp-110},
     {0x1.df9df9906d32cp-1, 0x1.abb226a0c6680p-55, -0x1.e5ab90302f930p-109}},
    {0x1.0f0cf064dd592p+73,
     {-0x1.b453ab76bf397p-1, -0x1.f453790772648p-58, 0x1.21f6f48413f44p-112},
     {0x1.0be2cef01c8f4p-1, -0x1.b2d1bc8018c4fp-55, -0x1.614ab5e5d93a4p-109}},
    {0x1.fffffffffffffp+1023,
     {0x1.452fc98b34e97p-8, -0x1.27bb193d960dfp-62, 0x1.4897bcc9f11cbp-117},
     {-0x1.fffe62ecfab75p-1, -0x1.e038d934070f1p-56, -0x1.aef38c3e2b357p-111}},
    {0x1p+1000,
     {-0x1.460b8ae1c886ep-3, -0x1.3647ed24e6b8dp-57, -0x1.6c052c75837e8p-112},
     {0x1.f9785160c8815p-1, 0x1.78c8c8e960e93p-57, 0x1.7a74ac986fa99p-114}},
    {0x1.921fb54442d18p+20,
     {-0x1.1a62633145c07p-34, 0x1.f19affbcff860p-90, 0x1.88d7dedf8b50dp-147},
     {0x1p+0, -0x1.377ce858a5d48p-69, 0x1.8ac97f0b5fb8dp-126}},
    {0x1.ddd9f1d5ad6c8p+33,
     {-0x1.a99dd4c455283p-2, -0x1.d928e24fc5ad7p-57, 0x1.ccdeb31c6023cp-112},
     {0x1.d1adbea998f60p-1, -0x1.3f27104bb4297p-57, 0x1.89994a4f7d2dfp-111}},
    {-0x1.9300000000000p+100,
     {-0x1.e37adf977d147p-2, -0x1.e5a5f9446d85dp-56, -0x1.7af94f4b11b64p-112},
     {0x1.c35677cde1afdp-1, -0x1.73988ac696449p-55, 0x1.6c9a16cc1c956p-110}},
};

/// Within 2 ulp.
static bool close_f128(f128 got, f128 want) {
  f128 error = got < want ? want - got : got - want;
  return error <= (f128)0x1p-111 * (want < 0 ? -want : want);
}

TEST(f128_golden) {
  for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
    const golden *g = goldens + i;
    f128 s, c;
    ap__sincos_f128((f128)g->x, 0, &s, &c);
    test_context("x %a", g->x);
    CHECK(close_f128(s, (f128)g->sine[0] + ((f128)g->sine[1] + (f128)g->sine[2])));
    CHECK(close_f128(c, (f128)g->cosine[0] + ((f128)g->cosine[1] + (f128)g->cosine[2])));
    ap__sincos_f128(0, (f128)-g->x, &s, &c);
    CHECK(close_f128(-s, (f128)g->sine[0] + ((f128)g->sine[1] + (f128)g->sine[2])));
  }
}

/// Taylor's series term by term after a reduction by pi/2 in three parts, the first two short.
static void plain_sincos(f128 x, f128 *s, f128 *c) {
  f128 n = (f128)floor((double)x / half_pi + 0.5);
  f128 r = ((x - n * (f128)0x1.921fb54442d18p+0) - n * (f128)0x1.1a62633145c07p-54) -
           n * ((f128)-0x1.f1976b7ed8fbcp-110 + (f128)0x1.4cf98e804177dp-164);
  f128 term = 1, sum[2] = {0, 0};
  for (int k = 0; k < 40; k++) {
    sum[k % 2] += k & 2 ? -term : term;
    term = term * r / (f128)(k + 1);
  }
  int quadrant = (int)(double)n & 3;
  *s = quadrant & 1 ? sum[0] : sum[1];
  *c = quadrant & 1 ? sum[1] : sum[0];
  if (quadrant & 2) *s = -*s;
  if ((quadrant + 1) & 2) *c = -*c;
}

TEST(f128_agrees_with_plain_series) {
  rng r = rng_seed(5);
  for (int i = 0; i < 2000; i++) {
    f128 x = (f128)rng_uniform(&r, -100, 100) + (f128)rng_uniform(&r, -1e-15, 1e-15), s, c, s2, c2;
    ap__sincos_f128(x, 0, &s, &c);
    plain_sincos(x, &s2, &c2);
    test_context("x %.17g", (double)x);
    CHECK_CLOSE((double)(s - s2), 0, 1e-33);
    CHECK_CLOSE((double)(c - c2), 0, 1e-33);
  }
}

TEST(f128_offset_is_not_rounded_away) {
  f128 s, c;
  ap__sincos_f128((f128)0x1p200, (f128)0x1p-40, &s, &c);
  f128 s0, c0, ds, dc; // by the addition theorem
  ap__sincos_f128((f128)0x1p200, 0, &s0, &c0);
  ap__sincos_f128((f128)0x1p-40, 0, &ds, &dc);
  CHECK_CLOSE((double)(s - (s0 * dc + c0 * ds)), 0, 1e-33);
  CHECK_CLOSE((double)(c - (c0 * dc - s0 * ds)), 0, 1e-33);
}

TEST(f128_not_a_number) {
  const double bad[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
  f128 s, c;
  for (int i = 0; i < 3; i++) {
    ap__sincos_f128((f128)bad[i], 1, &s, &c);
    CHECK(s != s && c != c);
    ap__sincos_f128(1, (f128)bad[i], &s, &c);
    CHECK(s != s && c != c);
  }
  f128 beyond = (f128)0x1p1000 * (f128)0x1p24;
  ap__sincos_f128(beyond, 0, &s, &c);
  CHECK(s != s && c != c);
}

/// x - y^2, with y split in two halves so that the squares are exact.
static f128 square_residual(f128 x, f128 y) {
  f128 shifted = y * (f128)0x1.0000000000000p57, high = (y - shifted) + shifted, low = y - high;
  return ((x - high * high) - 2 * high * low) - low * low;
}

TEST(f128_sqrt) {
  rng r = rng_seed(6);
  for (int i = 0; i < 20000; i++) {
    f128 x = (f128)rng_uniform(&r, 1, 4) + (f128)rng_uniform(&r, 0, 0x1p-53);
    f128 y = ap__sqrt_f128(x), ulp = (f128)(y < 2 ? 0x1p-112 : 0x1p-111);
    f128 residual = square_residual(x, y);
    if (residual < 0) residual = -residual;
    test_context("x %.17g", (double)x);
    CHECK(residual <= (f128)0.501 * ulp * 2 * y);

    f128 far = x; // an even power of two changes nothing, to the ends of the range
    f128 root = y;
    for (int k = 0; k < 8; k++)
      far *= (f128)0x1p1000, far *= (f128)0x1p1000, root *= (f128)0x1p1000;
    CHECK(ap__sqrt_f128(far) == root);
    far = x, root = y;
    for (int k = 0; k < 8; k++)
      far *= (f128)0x1p-1000, far *= (f128)0x1p-1000, root *= (f128)0x1p-1000;
    CHECK(ap__sqrt_f128(far) == root);
  }
  f128 smallest = (f128)0x1p-1022;
  for (int k = 0; k < 15; k++) smallest *= (f128)0x1p-1000;
  smallest *= (f128)0x1p-472; // 2^-16494
  f128 root = ap__sqrt_f128(smallest);
  CHECK(smallest > 0 && root * root == smallest);
}

TEST(f128_sqrt_special) {
  CHECK(ap__sqrt_f128(4) == 2 && ap__sqrt_f128(1) == 1 && ap__sqrt_f128((f128)2.25) == (f128)1.5);
  CHECK(ap__sqrt_f128(0) == 0 && 1 / ap__sqrt_f128(-(f128)0.0) < 0);
  f128 infinite = (f128)INFINITY, wrong = ap__sqrt_f128(-1), nan = ap__sqrt_f128((f128)NAN);
  CHECK(ap__sqrt_f128(infinite) == infinite);
  CHECK(wrong != wrong && nan != nan);
}

#endif

// ---- many at once ------------------------------------------------------------------------------

enum { MANY = 19 };

TEST(n_at_once_are_the_same_bits) {
  rng r = rng_seed(7);
  const double odd[] = {
      0.0,       -0.0,    (double)NAN,           (double)INFINITY,      1e22, 0x1p-1074,
      0x1p-1022, DBL_MAX, 0x1.921fb54442d18p+20, 0x1.921fb54442d19p+20, 1609, 1608};
  for (int i = 0; i < 4000; i++) {
    int n = i % (MANY + 1);
    double q[MANY], offset[MANY], s[MANY], c[MANY], s1[MANY], c1[MANY];
    float qf[MANY], offsetf[MANY], sf[MANY], cf[MANY], sf1[MANY], cf1[MANY];
    for (int k = 0; k < n; k++) {
      q[k] = rng_chance(&r, 0.9) || i % 2 ? rng_uniform(&r, -10, 10) : odd[rng_int(&r, 0, 11)];
      offset[k] = rng_chance(&r, 0.5) ? 0 : rng_uniform(&r, -4, 4);
      qf[k] = fabs(q[k]) <= (double)FLT_MAX ? (float)q[k] : (float)NAN;
      offsetf[k] = (float)offset[k];
      sincos_f64(q[k], offset[k], s1 + k, c1 + k);
      sincos_f32(qf[k], offsetf[k], sf1 + k, cf1 + k);
    }
    sincos_n_f64(n, q, offset, s, c);
    sincos_n_f32(n, qf, offsetf, sf, cf);
    for (int k = 0; k < n; k++) { // one NaN is as good as another
      if (isnan(s[k]) && isnan(c[k])) s[k] = s1[k], c[k] = c1[k];
      if (isnan(sf[k]) && isnan(cf[k])) sf[k] = sf1[k], cf[k] = cf1[k];
    }
    CHECK_BITS(s, s1, n), CHECK_BITS(c, c1, n);
    CHECK_BITS(sf, sf1, n), CHECK_BITS(cf, cf1, n);
  }
}

TEST(zero_and_not_a_number) {
  double s, c;
  float sf, cf;
  for (int i = 0; i < 4; i++) { // the sine of a zero is +0, whatever the signs of the two terms
    sincos_f64(i & 1 ? -0.0 : 0.0, i & 2 ? -0.0 : 0.0, &s, &c);
    CHECK(s == 0 && !signbit(s) && c == 1);
    sincos_f32(i & 1 ? -0.0F : 0.0F, i & 2 ? -0.0F : 0.0F, &sf, &cf);
    CHECK(sf == 0 && !signbit(sf) && cf == 1);
  }
  const float bad[] = {INFINITY, -INFINITY, NAN};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) {
      sincos_f64(k ? 1 : (double)bad[i], k ? (double)bad[i] : 1, &s, &c);
      CHECK(isnan(s) && isnan(c));
      sincos_f32(k ? 1 : bad[i], k ? bad[i] : 1, &sf, &cf);
      CHECK(isnan(sf) && isnan(cf));
    }
}

// A wrong compiler flag (contraction, excess precision) shows here: these are the bits of gcc and
// clang, with and without vector instructions.
static uint64_t mix(uint64_t hash, uint64_t bits) { return (hash ^ bits) * 0x100000001b3u; }

typedef void sincos_of_f64(double q, double offset, double *s, double *c);
typedef void sincos_of_f32(float q, float offset, float *s, float *c);

static void check_bits(sincos_of_f64 *f64, sincos_of_f32 *f32, uint64_t want, uint64_t wantf) {
  rng r = rng_seed(8);
  uint64_t hash = 0, hashf = 0;
  for (int i = 0; i < 20000; i++) {
    double q = rng_uniform(&r, -1, 1) * (i % 10 ? 4 : 0x1p22), offset = rng_uniform(&r, -2, 2), s,
           c;
    float sf, cf;
    f64(q, i % 3 ? 0 : offset, &s, &c);
    hash = mix(mix(hash, sc_bits_f64(s)), sc_bits_f64(c));
    f32((float)q, i % 3 ? 0 : (float)offset, &sf, &cf);
    hashf = mix(mix(hashf, sc_bits_f32(sf)), sc_bits_f32(cf));
  }
  test_context("hashes %016" PRIx64 " %016" PRIx64, hash, hashf);
  CHECK(hash == want);
  CHECK(hashf == wantf);
}

TEST(bits_are_the_same_in_every_build) {
  check_bits(sincos_f64, sincos_f32, UINT64_C(0xd0ace7011fe7c3bc), UINT64_C(0xf317d8c57b42cce4));
  if (has_fused_sincos())
    check_bits(sincos_fused_f64, sincos_fused_f32, UINT64_C(0x24da50f61ce52e4c),
               UINT64_C(0x0c228366e03fb0b7));
}

// ---- counting ----------------------------------------------------------------------------------

static long total(ap_count n) { return n.mul + n.add + n.div + n.sqrt + n.sincos; }

TEST(counting_structural_values_are_free) {
  ap_count n = {0};
  real x = r_input(&n, 3), zero = r_param(&n, 0), one = r_param(&n, 1), minus = r_param(&n, -1);
  CHECK(r_store(r_add(x, zero)) == 3 && r_store(r_add(zero, x)) == 3);
  CHECK(r_store(r_sub(x, zero)) == 3 && r_store(r_sub(zero, x)) == -3);
  CHECK(r_store(r_mul(x, one)) == 3 && r_store(r_mul(minus, x)) == -3);
  CHECK(r_store(r_mul(one, r_const(1))) == 1 && r_store(r_neg(x)) == -3);
  CHECK(r_store(r_div(x, one)) == 3 && r_store(r_div(x, minus)) == -3);
  CHECK(r_store(r_div(zero, x)) == 0 && r_store(r_sqrt(one)) == 1);
  CHECK(r_store(r_mul(r_mul(x, zero), x)) == 0);            // 0 x is structural again
  CHECK(r_store(r_add(x, r_mul(r_const(0), x))) == 3);      // so this adds nothing
  CHECK(r_store(r_mul(x, r_neg(minus))) == 3);              // and -(-1) is 1
  CHECK(r_store(r_mul(x, r_sub(one, r_const(1)))) == 0);    // and 1 - 1 is 0
  CHECK(r_store(r_mul(x, r_mul(minus, r_const(-1)))) == 3); // and -1 * -1 is 1
  CHECK(r_store(r_min(x, one)) == 1 && r_store(r_max(x, one)) == 3);
  CHECK(r_store(r_abs(minus)) == 1);
  CHECK_EQ_INT(total(n), 0);
}

TEST(counting_counts_the_rest) {
  ap_count n = {0};
  real x = r_input(&n, 3), y = r_input(&n, 4), two = r_const(2), half = r_param(&n, 0.5);
  CHECK(r_store(r_sqrt(r_add(r_mul(x, x), r_mul(y, y)))) == 5);
  CHECK(n.mul == 2 && n.add == 1 && n.sqrt == 1 && n.div == 0);
  CHECK(r_store(r_sub(x, y)) == -1 && n.add == 2);
  CHECK(r_store(r_div(two, y)) == 0.5 && n.div == 1);
  CHECK(r_store(r_mul(half, two)) == 1 && n.mul == 3); // known, yet computed at run time
  CHECK(r_store(r_mul(x, two)) == 6 && n.mul == 4);    // the literal finds its counter
  real zero = r_input(&n, 0), one = r_input(&n, 1);    // of a state nothing is structural
  CHECK(r_store(r_mul(zero, one)) == 0 && n.mul == 5);
  CHECK(r_store(r_add(zero, one)) == 1 && n.add == 3);
  CHECK(r_store(r_mul(r_abs(r_param(&n, -1)), x)) == 3 && n.mul == 6);
  CHECK(r_store(r_mul(r_const(3), r_const(4))) == 12 && n.mul == 6); // nobody counts literals
}

TEST(counting_sincos) {
  ap_count n = {0};
  real q[2] = {r_input(&n, 0.3), r_input(&n, -2)}, s[2], c[2];
  real offset[2] = {r_param(&n, 0), r_param(&n, half_pi)};
  r_sincos_n(2, q, offset, s, c);
  CHECK(n.sincos == 2 && n.add == 1 && n.mul == 0);
  for (int i = 0; i < 2; i++) {
    double s64, c64;
    sincos_f64(r_store(q[i]), r_store(offset[i]), &s64, &c64);
    CHECK(r_store(s[i]) == s64 && r_store(c[i]) == c64);
  }
  r_mul(s[0], c[1]);
  CHECK(n.mul == 1);
}
