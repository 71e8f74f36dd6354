// SPDX-License-Identifier: Apache-2.0
// Records from the loop to the writer, without locks; histograms of times.

#include <math.h>

#include "ctrl/servo.h"

bool ap__ring_put(ap__ring *ring, const ap_servo_record *record) {
  size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
  size_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
  if (head - tail > ring->mask) return false;
  ap__record_copy(ring->axes, record, &ring->record[head & ring->mask]);
  atomic_store_explicit(&ring->head, head + 1, memory_order_release);
  return true;
}

bool ap__ring_take(ap__ring *ring, ap_servo_record *record) {
  size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
  size_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
  if (head == tail) return false;
  ap__record_copy(ring->axes, &ring->record[tail & ring->mask], record);
  atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
  return true;
}

// ---- histograms --------------------------------------------------------------------------------

enum { CLASSES = sizeof((ap_histogram){0}.count) / sizeof(uint64_t), PER_OCTAVE = 8 };

double ap_histogram_bound(int k) {
  if (k <= 0) return 0;
  return ldexp(0.5 + (double)(k % PER_OCTAVE) / (2 * PER_OCTAVE), k / PER_OCTAVE) * 1e-9;
}

// The class of a time: its power of two in ns, and the eighth of it.
static int class_of(double seconds) {
  int power;
  double part = frexp(seconds * 1e9, &power);
  if (!(part > 0) || power < 0) return 0;
  int k = power * PER_OCTAVE + (int)((part - 0.5) * 2 * PER_OCTAVE);
  return k < CLASSES ? k : CLASSES - 1;
}

void ap_histogram_note(ap_histogram *h, double seconds) {
  if (h->n == 0 || seconds < h->least) h->least = seconds;
  if (h->n == 0 || seconds > h->most) h->most = seconds;
  h->count[class_of(seconds)]++;
  h->n++;
  h->sum += seconds;
}

double ap_histogram_quantile(const ap_histogram *h, double part) {
  double wanted = part * (double)h->n, seen = 0;
  for (int k = 0; k < CLASSES && h->n > 0; k++) {
    seen += (double)h->count[k];
    if (seen >= wanted && h->count[k] > 0)
      return fmin(k + 1 < CLASSES ? ap_histogram_bound(k + 1) : h->most, h->most);
  }
  return h->most;
}
