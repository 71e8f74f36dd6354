// SPDX-License-Identifier: Apache-2.0
// A part of a sweep on the threads of one program: each takes the next chunk that is missing.

#define _GNU_SOURCE // for sched_getaffinity()
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sweep/chunk.h"

enum { MOST_THREADS = 1024, MOST_PARTS = 1000000000 };

typedef struct job {
  const ap_sweep *sweep;
  const char *folder;
  uint64_t first, last; // chunks
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  // what the mutex guards
  uint64_t next;
  long long done, fresh;
  int working;
  bool stop;
  ap_error error;
} job;

ap_sweep_options ap_default_sweep(void) {
  return (ap_sweep_options){.part = 1, .parts = 1, .cookie = AP_COOKIE};
}

// ---- threads -----------------------------------------------------------------------------------

static bool take_chunk(job *j, uint64_t *c) {
  pthread_mutex_lock(&j->mutex);
  const bool more = !j->stop && j->next < j->last;
  if (more) *c = j->next++;
  pthread_mutex_unlock(&j->mutex);
  return more;
}

static void report(job *j, long long trials, bool fresh, const ap_error *error) {
  pthread_mutex_lock(&j->mutex);
  j->done += trials;
  if (fresh) j->fresh += trials;
  if (error->status != AP_OK && j->error.status == AP_OK) j->error = *error;
  if (error->status != AP_OK) j->stop = true;
  pthread_mutex_unlock(&j->mutex);
}

static void compute(job *j, void *worker, uint64_t c, void *image) {
  const ap_sweep *s = j->sweep;
  const int n = ap__chunk_trials(s, c);
  ap_error error = {0};
  const bool there = ap__chunk_exists(s, j->folder, c);
  if (!there && !s->kind->rows(worker, c * (uint64_t)s->chunk, n, ap__chunk_outcome(s, c, image),
                               ap__chunk_status(image)))
    error.status = ap__no_memory(&error);
  if (!there && error.status == AP_OK)
    error.status = ap__chunk_write(s, j->folder, c, image, &error);
  report(j, error.status == AP_OK ? n : 0, !there, &error);
}

static void *work(void *context) {
  job *j = context;
  const ap_sweep *s = j->sweep;
  void *worker = s->kind->open(s);
  void *image = malloc(ap__chunk_size(s));
  ap_error error = {0};
  if (!worker || !image) {
    error.status = ap__no_memory(&error);
    report(j, 0, false, &error);
  }
  for (uint64_t c; error.status == AP_OK && take_chunk(j, &c);) compute(j, worker, c, image);
  if (worker) s->kind->close(worker);
  free(image);
  pthread_mutex_lock(&j->mutex);
  j->working--;
  pthread_cond_signal(&j->changed);
  pthread_mutex_unlock(&j->mutex);
  return NULL;
}

// ---- the part ----------------------------------------------------------------------------------

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Trials of chunks first .. last - 1.
static long long trials_of(const ap_sweep *s, uint64_t first, uint64_t last) {
  const uint64_t size = (uint64_t)s->chunk, end = last * size;
  return (long long)((end < s->design.trials ? end : s->design.trials) - first * size);
}

// Wait for the threads, and tell how far they are.
static void await(job *j, const ap_sweep_options *o) {
  const ap_sweep *s = j->sweep;
  const double began = now();
  double counted = 0;
  ap_sweep_progress p = {.part = trials_of(s, j->first, j->last), .all = ap_sweep_trials(s)};
  pthread_mutex_lock(&j->mutex);
  while (j->working > 0) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
    pthread_cond_timedwait(&j->changed, &j->mutex, &until);
    if (!o->watch) continue;
    p.done = j->done;
    p.fresh = j->fresh;
    p.seconds = now() - began;
    pthread_mutex_unlock(&j->mutex);
    if (p.part == p.all) {
      p.written = p.done;
    } else if (p.seconds - counted > 1) {
      const uint64_t chunks = ap__folder_count(j->folder);
      p.written = trials_of(s, 0, chunks < s->chunks ? chunks : s->chunks);
      counted = p.seconds;
    }
    const bool more = o->watch(o->context, &p);
    pthread_mutex_lock(&j->mutex);
    if (!more) j->stop = true;
  }
  pthread_mutex_unlock(&j->mutex);
}

// Those that this program may use: a job of a cluster often has a few of them.
static long count_processors(void) {
#ifdef CPU_COUNT
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) == 0) return CPU_COUNT(&mine);
#endif
  return sysconf(_SC_NPROCESSORS_ONLN);
}

static int threads_for(const job *j, int wanted) {
  const long processors = count_processors();
  uint64_t n = wanted > 0 ? (uint64_t)wanted : processors > 0 ? (uint64_t)processors : 1;
  if (n > j->last - j->first) n = j->last - j->first;
  return (int)(n < MOST_THREADS ? n : MOST_THREADS);
}

static void run_threads(job *j, const ap_sweep_options *o) {
  pthread_t thread[MOST_THREADS];
  const int n = threads_for(j, o->threads);
  int started = 0;
  j->working = n;
  while (started < n && pthread_create(&thread[started], NULL, work, j) == 0) started++;
  if (started < n) {
    pthread_mutex_lock(&j->mutex);
    j->working -= n - started;
    if (started == 0) ap__fail(&j->error, AP_E_MEMORY, 0, "cannot start a thread");
    pthread_mutex_unlock(&j->mutex);
  }
  await(j, o);
  for (int k = 0; k < started; k++) pthread_join(thread[k], NULL);
}

static ap_status check_part(const ap_sweep_options *o, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_sweep, o, error)) return AP_E_ARG;
  if (o->parts >= 1 && o->parts <= MOST_PARTS && o->part >= 1 && o->part <= o->parts) return AP_OK;
  return AP__REFUSE(error, AP_E_ARG, 0,
                    "part %ld of %ld (parts are numbered from 1, and at most %ld)", o->part,
                    o->parts, (long)MOST_PARTS);
}

// The first chunk of part k, from 0, of n: their sizes differ by one chunk at most.
static uint64_t part_begins(uint64_t chunks, uint64_t k, uint64_t n) {
  return chunks / n * k + (chunks % n * k) / n;
}

ap_status ap_sweep_run(const ap_sweep *s, const char *folder, const ap_sweep_options *options,
                       long long *fresh, ap_error *error) {
  const ap_sweep_options initial = ap_default_sweep();
  const ap_sweep_options *o = options ? options : &initial;
  int lock;
  if (fresh) *fresh = 0;
  ap_status status = check_part(o, error);
  if (status != AP_OK) return status;
  job j = {.sweep = s, .folder = folder};
  j.first = j.next = part_begins(s->chunks, (uint64_t)o->part - 1, (uint64_t)o->parts);
  j.last = part_begins(s->chunks, (uint64_t)o->part, (uint64_t)o->parts);
  status = ap__folder_claim(s, folder, j.first, j.last, &lock, error);
  if (status != AP_OK) return status;
  pthread_mutex_init(&j.mutex, NULL);
  pthread_cond_init(&j.changed, NULL);
  if (j.last > j.first) run_threads(&j, o);
  pthread_cond_destroy(&j.changed);
  pthread_mutex_destroy(&j.mutex);
  close(lock);
  if (fresh) *fresh = j.fresh;
  if (error && j.error.status != AP_OK) *error = j.error;
  return j.error.status;
}

bool ap_sweep_complete(const ap_sweep *s, const char *folder) {
  bool whole = true;
  for (uint64_t c = 0; whole && c < s->chunks; c++) whole = ap__chunk_exists(s, folder, c);
  return whole;
}
