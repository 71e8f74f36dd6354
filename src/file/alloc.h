// SPDX-License-Identifier: Apache-2.0
// Growing arrays. What this module allocates goes through malloc and realloc, and every failure
// comes back as AP_E_MEMORY; a test makes each one fail in turn.

#ifndef AP_FILE_ALLOC_H
#define AP_FILE_ALLOC_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// The array with room for one element more than count, doubled when it is full; NULL when there is
// no memory (the old array stays valid).
static inline void *ap__grown(void *array, int count, int *capacity, size_t size) {
  if (array && count < *capacity) return array;
  int wanted = *capacity ? 2 * *capacity : 16;
  void *larger = realloc(array, (size_t)wanted * size);
  if (larger) *capacity = wanted;
  return larger;
}

// One element more, all zero, at the end of an array; &array is passed. NULL: no memory, and all is
// as it was.
static inline void *ap__append(void *array, int *count, int *capacity, size_t size) {
  void *elements;
  memcpy(&elements, array, sizeof elements);
  elements = ap__grown(elements, *count, capacity, size);
  if (!elements) return NULL;
  memcpy(array, &elements, sizeof elements);
  return memset((char *)elements + (size_t)(*count)++ * size, 0, size);
}

#endif
