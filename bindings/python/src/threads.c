// SPDX-License-Identifier: Apache-2.0
#include "threads.h"

#include <time.h>

// ---- long work ---------------------------------------------------------------------------------

static const double LOOK_AGAIN = 0.05; // s

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool reports(const long_work *w) { return w->progress && w->progress != Py_None; }

void long_work_begin(long_work *w) {
  w->thread = pthread_self();
  w->look = reports(w) ? 0 : now() + LOOK_AGAIN;
  w->state = PyEval_SaveThread();
}

bool long_work_goes_on(long_work *w) {
  if (atomic_load_explicit(&w->ended, memory_order_relaxed)) return false;
  if (!pthread_equal(w->thread, pthread_self()) || now() < w->look) return true;
  PyEval_RestoreThread(w->state);
  bool good = PyErr_CheckSignals() == 0;
  if (good && reports(w)) {
    PyObject *done = PyObject_CallFunction(w->progress, "d", w->part);
    good = done != NULL;
    Py_XDECREF(done);
  }
  w->state = PyEval_SaveThread();
  atomic_store(&w->ended, !good);
  w->look = now() + LOOK_AGAIN;
  return good;
}

bool long_work_end(long_work *w) {
  PyEval_RestoreThread(w->state);
  return !atomic_load(&w->ended);
}

// ---- errands -----------------------------------------------------------------------------------

static void *do_errand(void *context) {
  errand *e = context;
  e->work(e);
  pthread_mutex_lock(&e->lock);
  e->done = true;
  bool left = e->left;
  pthread_cond_signal(&e->changed);
  pthread_mutex_unlock(&e->lock);
  if (left && Py_IsInitialized()) {
    PyGILState_STATE state = PyGILState_Ensure();
    e->release(e);
    PyGILState_Release(state);
  }
  return NULL;
}

// Wait until it is done or the time to look for signals has come.
static bool wait_a_little(errand *e) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += (long)(LOOK_AGAIN * 1e9);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&e->lock);
  int late = 0;
  while (!e->done && late == 0) late = pthread_cond_timedwait(&e->changed, &e->lock, &until);
  bool done = e->done;
  pthread_mutex_unlock(&e->lock);
  return done;
}

// Ask it to end. False: it has not done so after half a second, and is left to itself.
static bool ends_soon(errand *e) {
  bool done = false;
  atomic_store(&e->abandoned, true);
  for (int i = 0; i < 10 && !done; i++) done = wait_a_little(e);
  pthread_mutex_lock(&e->lock);
  done = e->done;
  e->left = !done;
  pthread_mutex_unlock(&e->lock); // from here on its thread may release it
  return done;
}

bool errand_run(errand *e) {
  pthread_t thread;
  pthread_mutex_init(&e->lock, NULL);
  pthread_cond_init(&e->changed, NULL);
  long_work wait = {.progress = e->progress};
  long_work_begin(&wait);
  bool started = pthread_create(&thread, NULL, do_errand, e) == 0, goes_on = true, ended = true;
  if (!started) e->work(e);
  while (started && goes_on && !wait_a_little(e)) {
    wait.part = e->part;
    goes_on = long_work_goes_on(&wait);
  }
  if (!goes_on) ended = ends_soon(e);
  if (started && ended)
    pthread_join(thread, NULL);
  else if (started)
    pthread_detach(thread);
  bool good = long_work_end(&wait);
  if (!good && ended) e->release(e);
  return good;
}

// ---- many states -------------------------------------------------------------------------------

enum {
  MOST_THREADS = 1024,
  FEWEST_STATES = 512 // of a thread that is worth it
};

int most_threads = 1;

typedef struct task {
  block_function *compute;
  const void *context;
  long_work *work;
  slot *slot;
  bool single;
  ap_states states;
  size_t block;
  ap_status status;
} task;

static void *do_task(void *context) {
  task *t = context;
  ap_states block = t->states;
  while (block.first < t->states.last) {
    size_t left = t->states.last - block.first;
    block.last = block.first + (left < t->block ? left : t->block);
    ap_status status = t->compute(t->context, t->slot, t->single, block, t->work);
    if (status != AP_OK) t->status = status;
    if (!long_work_goes_on(t->work)) break;
    block.first = block.last;
  }
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

bool compute_in_threads(Model *m, bool single, ap_states all, size_t block, block_function *compute,
                        const void *context, ap_status *status) {
  size_t parts = 1 + all.n / FEWEST_STATES;
  int threads = parts < (size_t)most_threads ? (int)parts : most_threads;
  task *t = calloc((size_t)threads, sizeof *t);
  *status = t ? AP_OK : AP_E_MEMORY;
  if (!t) return true;
  long_work work = {0};
  bool good = true;
  for (int i = 0; i < threads && *status == AP_OK; i++) {
    t[i] = (task){.compute = compute,
                  .context = context,
                  .work = &work,
                  .slot = take_slot(m, single, true),
                  .single = single,
                  .block = (block / 64 + 1) * 64, // as parts of states begin
                  .states = ap_part_of_states(all, i, threads)};
    if (!t[i].slot) *status = AP_E_MEMORY;
  }
  if (*status == AP_OK) {
    long_work_begin(&work);
    do_tasks(t, threads);
    good = long_work_end(&work);
  }
  for (int i = 0; i < threads; i++) {
    if (t[i].status != AP_OK) *status = t[i].status;
    if (t[i].slot) give_slot(m, t[i].slot);
  }
  free(t);
  return good;
}
