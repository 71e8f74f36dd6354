// SPDX-License-Identifier: Apache-2.0
// A heap of the test program's own: a small allocator that counts while it is armed. Under
// AddressSanitizer, which brings its own heap, the sanitizer's hooks count instead. The program
// defines _GNU_SOURCE before its first include.
//
//     install_heap();
//     allocations = 0, armed = true;
//     ...
//     armed = false;
//     CHECK_EQ_INT(allocations, 0);

#ifndef AP_TESTS_HEAP_H
#define AP_TESTS_HEAP_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sanitized.h"

static _Thread_local bool armed; // count what this thread asks for from here on
static int allocations;          // calls to the heap while armed

static void note(void) {
  if (armed) allocations++;
}

#if !SANITIZED

// Blocks of 64, 128, 256, ... bytes, each behind a header of 64 that holds its kind; blocks given
// back are kept in one list per kind.
enum { HEAP_BYTES = 64 << 20, KINDS = 20, ALIGNMENT = 64 };
typedef struct block {
  size_t kind;
  struct block *next; // in the list of blocks given back
} block;
static _Alignas(64) unsigned char heap[HEAP_BYTES];
static size_t heap_used;
static block *given_back[KINDS];

static void *take(size_t size, size_t alignment) {
  size_t kind = 0;
  note();
  while (kind < KINDS && (size_t)ALIGNMENT << kind < size) kind++;
  if (kind == KINDS || alignment > ALIGNMENT) return NULL;
  block *b = given_back[kind];
  if (b) {
    given_back[kind] = b->next;
  } else {
    size_t whole = ALIGNMENT + ((size_t)ALIGNMENT << kind);
    if (whole > HEAP_BYTES - heap_used) return NULL;
    b = (block *)(void *)(heap + heap_used);
    heap_used += whole;
  }
  b->kind = kind;
  return (unsigned char *)b + ALIGNMENT;
}

static block *header(void *memory) {
  return (block *)(void *)((unsigned char *)memory - ALIGNMENT);
}

void *malloc(size_t size) { return take(size, ALIGNMENT); }
void free(void *memory) {
  if (!memory) return;
  note();
  block *b = header(memory);
  b->next = given_back[b->kind];
  given_back[b->kind] = b;
}
void *calloc(size_t count, size_t size) {
  void *memory = size && count > HEAP_BYTES / size ? NULL : take(count * size, ALIGNMENT);
  return memory ? memset(memory, 0, count * size) : NULL;
}
void *realloc(void *old, size_t size) {
  void *memory = take(size, ALIGNMENT);
  if (!memory || !old) return memory;
  size_t had = (size_t)ALIGNMENT << header(old)->kind;
  memcpy(memory, old, had < size ? had : size);
  free(old);
  return memory;
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = take(size, alignment);
  return *memory ? 0 : ENOMEM;
}
void *aligned_alloc(size_t alignment, size_t size) { return take(size, alignment); }
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  note();
  // The system call answers with an address in a long.
  long result = syscall(SYS_mmap, address, size, protection, flags, file, offset);
  void *memory;
  memcpy(&memory, &result, sizeof memory);
  return memory;
}

static void install_heap(void) {}

#else

// From sanitizer/allocator_interface.h, which gcc does not install.
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
                                              void (*)(const volatile void *));

static void on_malloc(const volatile void *memory, size_t size) {
  (void)memory;
  (void)size;
  note();
}
static void on_free(const volatile void *memory) {
  (void)memory;
  note();
}
static void install_heap(void) {
  static bool done;
  if (!done) __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
  done = true;
}

#endif

// A call that no compiler removes, to show that counting works.
static void *(*volatile call_malloc)(size_t) = malloc;
static void (*volatile call_free)(void *) = free;

#endif
