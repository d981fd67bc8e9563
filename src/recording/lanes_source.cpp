// C text of numbers with several lanes.
// SPDX-License-Identifier: BSD-3-Clause
#include "recording/c_source.h"

namespace recording {

namespace {

constexpr const char* kDeclarations = R"(#include <math.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif
#if defined(__AVX512F__)
#define LANES 8
#define LANES_FILL(a) a, a, a, a, a, a, a, a
#elif defined(__AVX2__)
#define LANES 4
#define LANES_FILL(a) a, a, a, a
#else
#define LANES 2
#define LANES_FILL(a) a, a
#endif
#define LANES_AT(i) ((i) * (LANES_IN_ARRAYS / LANES))
typedef double lanes_number __attribute__((vector_size(8 * LANES)));
typedef long long lanes_mask __attribute__((vector_size(8 * LANES)));
#define LANES_INLINE static inline __attribute__((always_inline, unused))
LANES_INLINE lanes_number lanes_all(double a) { return (lanes_number){LANES_FILL(a)}; }
LANES_INLINE lanes_number lanes_select(lanes_mask m, lanes_number a, lanes_number b)
{
  return (lanes_number)((m & (lanes_mask)a) | (~m & (lanes_mask)b));
}
LANES_INLINE lanes_mask lanes_sign(lanes_number a) { return (lanes_mask)a & (lanes_mask)lanes_all(-0.0); }
LANES_INLINE lanes_number lanes_fabs(lanes_number a) { return (lanes_number)((lanes_mask)a ^ lanes_sign(a)); }
LANES_INLINE lanes_number lanes_copysign(lanes_number a, lanes_number b) { return (lanes_number)((lanes_mask)lanes_fabs(a) | lanes_sign(b)); }
LANES_INLINE lanes_mask lanes_isfinite(lanes_number a) { return lanes_fabs(a) < lanes_all(INFINITY); }
#define LANES_EACH(name) \
  static __attribute__((noinline, unused)) lanes_number lanes_##name(lanes_number a) \
  { \
    for (int i = 0; i < LANES; ++i) a[i] = name(a[i]); \
    return a; \
  }
#define LANES_EACH_2(name) \
  static __attribute__((noinline, unused)) lanes_number lanes_##name(lanes_number a, lanes_number b) \
  { \
    for (int i = 0; i < LANES; ++i) a[i] = name(a[i], b[i]); \
    return a; \
  }
#if defined(__AVX512F__)
LANES_INLINE int lanes_bits(lanes_mask m) { return _mm512_test_epi64_mask((__m512i)m, (__m512i)m); }
LANES_INLINE lanes_number lanes_sqrt(lanes_number a) { return (lanes_number)_mm512_sqrt_pd((__m512d)a); }
#define LANES_OF_LIBRARY(name) \
  __m512d _ZGVeN8v_##name(__m512d); \
  LANES_INLINE lanes_number lanes_##name(lanes_number a) { return (lanes_number)_ZGVeN8v_##name((__m512d)a); }
#elif defined(__AVX2__)
LANES_INLINE int lanes_bits(lanes_mask m) { return _mm256_movemask_pd((__m256d)m); }
LANES_INLINE lanes_number lanes_sqrt(lanes_number a) { return (lanes_number)_mm256_sqrt_pd((__m256d)a); }
#define LANES_OF_LIBRARY(name) \
  __m256d _ZGVdN4v_##name(__m256d); \
  LANES_INLINE lanes_number lanes_##name(lanes_number a) { return (lanes_number)_ZGVdN4v_##name((__m256d)a); }
#else
LANES_INLINE int lanes_bits(lanes_mask m)
{
  int bits = 0;
  for (int i = 0; i < LANES; ++i) bits |= m[i] ? 1 << i : 0;
  return bits;
}
LANES_EACH(sqrt)
#endif
#if defined(LANES_OF_LIBRARY) && defined(__GLIBC__)
LANES_OF_LIBRARY(exp)
LANES_OF_LIBRARY(log)
#else
LANES_EACH(exp)
LANES_EACH(log)
#endif
/* Sine and cosine with errors below 0.8 ulp, by the reduction and the polynomials of fdlibm (Sun Microsystems, 1993): those of vector libraries have
   several ulp, which an assembly that closes to rounding errors feels. The angle is a + b + quarter pi / 2. */
typedef struct { lanes_number a, b; lanes_mask quarter; } lanes_angle;
LANES_INLINE lanes_angle lanes_reduce(lanes_number x)
{
  const lanes_number shifted = x * 6.36619772367581382433e-01 + 0x1.8p52, n = shifted - 0x1.8p52;
  const lanes_number t = x - n * 1.57079632673412561417e+00, w = n * 6.07710050630396597660e-11, r = t - w;
  const lanes_number rest = n * 2.02226624879595063154e-21 - ((t - r) - w), a = r - rest;
  return (lanes_angle){a, (r - a) - rest, (lanes_mask)shifted};
}
LANES_INLINE lanes_number lanes_sine_of(lanes_number a, lanes_number b)
{
  const lanes_number z = a * a, v = z * a;
  const lanes_number r = 8.33333333332248946124e-03 +
      z * (-1.98412698298579493134e-04 +
           z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  return a - ((z * (0.5 * b - v * r) - b) - v * -1.66666666666666324348e-01);
}
LANES_INLINE lanes_number lanes_cosine_of(lanes_number a, lanes_number b)
{
  const lanes_number z = a * a, half = 0.5 * z, w = 1.0 - half;
  const lanes_number r = z * (4.16666666666666019037e-02 +
      z * (-1.38888888888741095749e-03 +
           z * (2.48015872894767294178e-05 +
                z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  return w + (((1.0 - w) - half) + (z * r - a * b));
}
LANES_INLINE lanes_number lanes_turned(lanes_number x, int sine)
{
  const lanes_angle angle = lanes_reduce(x);
  const lanes_mask quarter = angle.quarter + (sine ? 0 : 1);
  const lanes_number value = lanes_select((quarter & 1) == 1, lanes_cosine_of(angle.a, angle.b), lanes_sine_of(angle.a, angle.b));
  return lanes_select((quarter & 2) == 2, -value, value);
}
#define LANES_TURNED(name, sine) \
  static __attribute__((noinline, unused)) lanes_number lanes_##name(lanes_number x) \
  { \
    lanes_number y = lanes_turned(x, sine); \
    const int far = lanes_bits(~(lanes_fabs(x) < lanes_all(1e6))); \
    for (int i = 0; far && i < LANES; ++i) \
      if (far >> i & 1) y[i] = name(x[i]); \
    return y; \
  }
LANES_TURNED(sin, 1)
LANES_TURNED(cos, 0)
LANES_EACH(tan)
LANES_EACH(log1p)
LANES_EACH(expm1)
LANES_EACH(tanh)
LANES_EACH(sinh)
LANES_EACH(cosh)
LANES_EACH(atan)
LANES_EACH(asin)
LANES_EACH(acos)
LANES_EACH(cbrt)
LANES_EACH(floor)
LANES_EACH(ceil)
LANES_EACH(round)
LANES_EACH_2(pow)
LANES_EACH_2(atan2)
LANES_EACH_2(hypot)
LANES_EACH_2(fmod)
)";

}  // namespace

const char* lanes_declarations() { return kDeclarations; }

}  // namespace recording
