// SPDX-License-Identifier: Apache-2.0
#include "threads.h"

#include <pthread.h>

enum { MOST_THREADS = 1024, FEWEST_STATES = 512 }; // FEWEST_STATES: of a thread that is worth it

int most_threads = 1;

typedef struct task {
  part_function *compute;
  const void *context;
  slot *slot;
  bool single;
  ap_states states;
  ap_status status;
} task;

static void *do_task(void *context) {
  task *t = context;
  t->status = t->compute(t->context, t->slot, t->single, t->states);
  return NULL;
}

// The last part in this thread; a thread that cannot start is done here too.
static void do_tasks(task *t, int n) {
  pthread_t thread[MOST_THREADS];
  bool started[MOST_THREADS];
  for (int i = 0; i < n - 1; i++)
    started[i] = pthread_create(&thread[i], NULL, do_task, &t[i]) == 0;
  do_task(&t[n - 1]);
  for (int i = 0; i < n - 1; i++) {
    if (started[i])
      pthread_join(thread[i], NULL);
    else
      do_task(&t[i]);
  }
}

ap_status compute_in_threads(Model *m, bool single, ap_states all, part_function *compute,
                             const void *context) {
  size_t parts = 1 + all.n / FEWEST_STATES;
  int threads = parts < (size_t)most_threads ? (int)parts : most_threads;
  task *t = calloc((size_t)threads, sizeof *t);
  if (!t) return AP_E_MEMORY;
  ap_status status = AP_OK;
  for (int i = 0; i < threads && status == AP_OK; i++) {
    t[i] = (task){
        compute, context, take_slot(m, single, true), single, ap_part_of_states(all, i, threads),
        AP_OK};
    if (!t[i].slot) status = AP_E_MEMORY;
  }
  if (status == AP_OK) {
    Py_BEGIN_ALLOW_THREADS;
    do_tasks(t, threads);
    Py_END_ALLOW_THREADS;
  }
  for (int i = 0; i < threads; i++) {
    if (t[i].status != AP_OK) status = t[i].status;
    if (t[i].slot) give_slot(m, t[i].slot);
  }
  free(t);
  return status;
}
