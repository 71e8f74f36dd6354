// SPDX-License-Identifier: Apache-2.0
// A module has one thread: to ask for another fails as it does on a system that has no more.
#ifndef AP_JS_PTHREAD_H
#define AP_JS_PTHREAD_H
#include <errno.h>

typedef int pthread_t;

static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *),
                                 void *context) {
  (void)thread, (void)attributes, (void)run, (void)context;
  return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **result) {
  (void)thread, (void)result;
  return ESRCH;
}
#endif
