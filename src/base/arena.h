// SPDX-License-Identifier: Apache-2.0
// One block of the caller's memory, cut into arrays. The function that lists the arrays is walked
// twice: with no memory it measures, with memory it places. So size and layout cannot disagree.
//
//   ap_arena a = ap__arena(mem);                 // mem NULL: measure
//   w->q = AP_TAKE(&a, double, n);               // NULL while measuring
//   return ap__arena_size(&a);                   // what to ask the caller for

#ifndef AP_BASE_ARENA_H
#define AP_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/vectors.h"

// Arrays of vectors may ask for a cache line; nothing may ask for more.
#ifdef AP_VECTORS
enum { AP_ARENA_ALIGN = 64 };
#else
enum { AP_ARENA_ALIGN = __BIGGEST_ALIGNMENT__ };
#endif

typedef struct ap_arena {
  unsigned char *base; // aligned to AP_ARENA_ALIGN; NULL: only measuring
  size_t used;         // SIZE_MAX: more than a size_t can say
} ap_arena;

// mem has any alignment.
static inline ap_arena ap__arena(void *mem) {
  ap_arena a = {mem, 0};
  size_t over = (uintptr_t)mem % AP_ARENA_ALIGN;
  if (mem != NULL && over != 0) a.base += AP_ARENA_ALIGN - over;
  return a;
}

// Room for count things of the given size; align is a power of two up to AP_ARENA_ALIGN.
static inline void *ap__take(ap_arena *a, size_t count, size_t size, size_t align) {
  size_t start = a->used + (align - 1);
  if (start < a->used || (size != 0 && count > SIZE_MAX / size)) {
    a->used = SIZE_MAX;
    return NULL;
  }
  start &= ~(align - 1);
  if (count * size > SIZE_MAX - start) {
    a->used = SIZE_MAX;
    return NULL;
  }
  a->used = start + count * size;
  return a->base == NULL ? NULL : a->base + start;
}

#define AP_TAKE(arena, type, count) \
  ((type *)ap__take((arena), (size_t)(count), sizeof(type), _Alignof(type)))

// For arrays that vector instructions read.
#define AP_TAKE_ALIGNED(arena, type, count) \
  ((type *)ap__take((arena), (size_t)(count), sizeof(type), AP_ARENA_ALIGN))

// Bytes that hold what was taken wherever the caller's memory starts; 0 if there are no such many.
static inline size_t ap__arena_size(const ap_arena *a) {
  if (a->used > SIZE_MAX - AP_ARENA_ALIGN) return 0;
  return a->used + (AP_ARENA_ALIGN - 1);
}

#endif
