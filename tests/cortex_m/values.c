// SPDX-License-Identifier: Apache-2.0
// Generated code in float on some states, every bit of every result printed. On a Cortex-M also the
// instructions per call, in lines that begin with '#': the emulator takes each instruction for one
// nanosecond, and the timer of the processor counts them 40 at a time.

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "puma600.h"

enum { N = 6, STATES = 12, CALLS = 4000, PER_TICK = 40 };

typedef struct state {
  float q[N], v[N], a[N], tau[N], M[N * N], back[N];
} state;

static state states[STATES];

// Numbers in [-1, 1), the same on every machine.
static float next_number(void) {
  static uint32_t seed = 1;
  seed = seed * 1664525u + 1013904223u;
  return (float)((int32_t)seed >> 8) * 0x1p-23f;
}

// Angles that need no libm, which each C library has its own of.
static void fill(void) {
  for (int k = 0; k < STATES; k++)
    for (int i = 0; i < N; i++) {
      states[k].q[i] = next_number() * 3.0f;
      states[k].v[i] = next_number() * 4.0f;
      states[k].a[i] = next_number() * 8.0f;
    }
}

static void print_numbers(const char *label, const float *x, int n) {
  printf("%s", label);
  for (int i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    printf(" %08lx", (unsigned long)bits);
  }
  printf("\n");
}

static void inverse(state *s) { puma600_inverse_dynamics(s->q, s->v, s->a, s->tau); }
static void inertia(state *s) { puma600_inertia_matrix(s->q, s->M); }
static void forward(state *s) { (void)puma600_forward_dynamics(s->q, s->v, s->tau, s->back); }

static void print_values(void) {
  for (int k = 0; k < STATES; k++) {
    state *s = &states[k];
    inverse(s), inertia(s), forward(s);
    print_numbers("tau", s->tau, N);
    print_numbers("M", s->M, N * N);
    print_numbers("a", s->back, N);
  }
}

// The same states as a batch.
static void print_batch(void) {
  static float q[N * STATES], v[N * STATES], a[N * STATES], tau[N * STATES];
  for (int k = 0; k < STATES; k++)
    for (int i = 0; i < N; i++) {
      q[i * STATES + k] = states[k].q[i];
      v[i * STATES + k] = states[k].v[i];
      a[i * STATES + k] = states[k].a[i];
    }
  puma600_inverse_dynamics_batch(STATES, q, v, a, tau);
  print_numbers("batch", tau, N * STATES);
}

#ifdef __ARM_ARCH_7EM__

#define SYSTICK_CONTROL (*(volatile uint32_t *)0xE000E010)
#define SYSTICK_RELOAD  (*(volatile uint32_t *)0xE000E014)
#define SYSTICK_VALUE   (*(volatile uint32_t *)0xE000E018)
#define SYSTICK_MASK    0xFFFFFFu

static void nothing(state *s) { (void)s; }

// 100 instructions.
static void hundred(state *s) {
  (void)s;
  __asm__ volatile(".rept 100\n\tnop\n\t.endr");
}

static uint32_t instructions_of(void (*volatile f)(state *), uint32_t calls) {
  uint32_t before = SYSTICK_VALUE; // it counts down
  for (uint32_t k = 0; k < calls; k++) f(&states[0]);
  return ((before - SYSTICK_VALUE) & SYSTICK_MASK) * PER_TICK;
}

// Per call, without the loop around it.
static uint32_t count(void (*f)(state *)) {
  uint32_t loop = instructions_of(nothing, CALLS);
  return (instructions_of(f, CALLS) - loop + CALLS / 2) / CALLS;
}

static int print_instructions(void) {
  SYSTICK_RELOAD = SYSTICK_MASK;
  SYSTICK_VALUE = 0;
  SYSTICK_CONTROL = 5; // on, by the processor's clock, without interrupts
  if (count(hundred) != 100) {
    printf("100 instructions count as %lu\n", (unsigned long)count(hundred));
    return 1;
  }
  printf("# inverse_dynamics %lu\n", (unsigned long)count(inverse));
  printf("# inertia_matrix %lu\n", (unsigned long)count(inertia));
  printf("# forward_dynamics %lu\n", (unsigned long)count(forward));
  return 0;
}

#else

static int print_instructions(void) { return 0; }

#endif

int main(void) {
  fill();
  print_values();
  print_batch();
  return print_instructions();
}
