// SPDX-License-Identifier: Apache-2.0
// The control loop by the clock. It sleeps until absolute times, so that being late once does not
// shift what follows; a period that took longer than one is followed by the next that can be met.

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // processor affinity
#endif

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "ctrl/servo.h"

enum { STACK = 256 << 10 };
static const int64_t second = 1000000000;

ap_realtime ap_default_realtime(void) {
  return (ap_realtime){.priority = 80, .cpu = -1, .lock_memory = true};
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * second + t.tv_nsec;
}

static void sleep_until(int64_t when) {
  const struct timespec t = {.tv_sec = when / second, .tv_nsec = when % second};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) continue;
}

static void remark(ap_servo *s, const char *what, int code, const char *remedy) {
  if (s->remarks == AP__REMARKS) return;
  snprintf(s->remark[s->remarks++], AP__REMARK_BYTES, "%s: %s (%s)", what,
           code == EPERM    ? "not permitted"
           : code == ENOMEM ? "beyond the limit"
                            : "failed",
           remedy);
}

// Touch the stack that the loop may use, so that no page of it is missing later.
static void prefault(void) {
  volatile unsigned char stack[STACK];
  for (size_t k = 0; k < sizeof stack; k += 1024) stack[k] = 1;
  (void)stack[STACK - 1];
}

// How the thread was scheduled before.
typedef struct schedule {
  int policy;
  struct sched_param param;
  cpu_set_t processors;
} schedule;

static void give_back(const ap_realtime *r, const schedule *was) {
  if (r->lock_memory) munlockall();
  if (r->priority > 0) pthread_setschedparam(pthread_self(), was->policy, &was->param);
  if (r->cpu >= 0) pthread_setaffinity_np(pthread_self(), sizeof was->processors, &was->processors);
}

static void ask_for_realtime(ap_servo *s, const ap_realtime *r, schedule *was) {
  pthread_getschedparam(pthread_self(), &was->policy, &was->param);
  pthread_getaffinity_np(pthread_self(), sizeof was->processors, &was->processors);
  if (r->lock_memory && mlockall(MCL_CURRENT | MCL_FUTURE))
    remark(s, "memory is not locked", errno, "raise the limit 'ulimit -l'");
  prefault();
  if (r->priority > 0) {
    const struct sched_param p = {.sched_priority = r->priority};
    int code = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
    if (code) remark(s, "no real-time priority", code, "raise the limit 'ulimit -r', or be root");
  }
  if (r->cpu >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (r->cpu < CPU_SETSIZE) CPU_SET((size_t)r->cpu, &set);
    int code = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    if (code)
      remark(s, "cannot bind the thread to the processor", code,
             "choose a processor that this process may use");
  }
}

// Until the brakes have closed.
static void coast(ap_servo *s, int64_t began, int64_t period) {
  bool moves = true;
  for (int64_t number = s->record.period + 1; moves; number++) {
    const int64_t passed = (now() - began) / period;
    if (number < passed) number = passed;
    sleep_until(began + number * period);
    moves = ap__servo_coast(s, (double)number * s->def.period);
  }
}

void ap_servo_run(ap_servo *s, const ap_realtime *r) {
  if (ap_servo_ended(s)) return;
  schedule was = {0};
  ask_for_realtime(s, r, &was);
  const int64_t period = (int64_t)nearbyint(s->def.period * (double)second);
  const int64_t began = now() + period;
  bool goes_on = true;
  for (int64_t number = 0, due = began; goes_on; number++) {
    int64_t release = began + number * period;
    sleep_until(release);
    int64_t woke = now();
    double late = (double)(woke - due) / (double)second; // periods let go count
    goes_on = ap__servo_period(s, (long)number, (double)number * s->def.period, late);
    int64_t done = now();
    double compute = (double)(done - woke) / (double)second;
    ap_histogram_note(&s->result.latency, (double)(woke - release) / (double)second);
    ap_histogram_note(&s->result.compute, compute);
    ap__servo_record(s, compute);
    int64_t skip = (done - release) / period; // releases that have passed already
    s->result.skipped += goes_on ? (long)skip : 0;
    number += skip;
    due = release + period;
  }
  if (ap__servo_coasts(s)) coast(s, began, period);
  give_back(r, &was);
  atomic_store(&s->ended, true);
}
