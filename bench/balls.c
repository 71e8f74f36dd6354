// SPDX-License-Identifier: Apache-2.0
// Balls dropped into a box: what the run of a scene with many contacts costs. The time of every
// tenth of a second, with the events and evaluations in it, the contacts at its end, and the error
// of the energy balance relative to the energy at the start.
//
//   balls [NUMBER [SECONDS [FRICTION [RESTITUTION [ROLLING [SPINNING]]]]]]

#include "balls.h"

#include <string.h>

#include "clock.h"

// ns of the process: other programs hardly count.
static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void count(void *context, const ap_event *event) {
  long *events = context;
  events[event->kind]++;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : BALLS_MOST;
  double seconds = argc > 2 ? strtod(argv[2], NULL) : 0.2;
  balls_kind kind = {.friction = argc > 3 ? strtod(argv[3], NULL) : 0,
                     .restitution = argc > 4 ? strtod(argv[4], NULL) : 0,
                     .rolling = argc > 5 ? strtod(argv[5], NULL) : 0,
                     .spinning = argc > 6 ? strtod(argv[6], NULL) : 0};
  static balls b;
  ap_sim *sim = NULL;
  ap_error error = {0};
  long events[8] = {0};
  if (n < 1 || n > BALLS_MOST || !balls_make(n, &kind, &b)) return 1;
  ap_scene scene = balls_scene(&b);
  if (ap_sim_create(&scene, &sim, &error) || ap_sim_start(sim, 0, b.q, b.v, &error)) {
    fprintf(stderr, "balls: %s\n", error.text);
    return 1;
  }
  ap_sim_on_event(sim, count, events);
  ap_sim_state state;
  ap_sim_now(sim, &state, NULL);
  double start = state.potential + state.kinetic;
  puts("| t, s | s of processor | impacts | other events | evaluations | contacts | balance |");
  puts("|---|---|---|---|---|---|---|");
  for (int k = 1; k <= lround(10 * seconds); k++) {
    double from = used();
    long before[8], other = 0, evaluations = ap_sim_evaluations(sim);
    memcpy(before, events, sizeof before);
    if (ap_sim_advance(sim, 0.1 * k, &error) || ap_sim_now(sim, &state, &error)) {
      fprintf(stderr, "balls: %s\n", error.text);
      return 1;
    }
    for (int i = 1; i < 8; i++) other += events[i] - before[i];
    printf("| %.1f | %.2f | %ld | %ld | %ld | %d | %.1e |\n", state.t, (used() - from) / 1e9,
           events[0] - before[0], other, ap_sim_evaluations(sim) - evaluations, state.contacts,
           state.closing / start);
    fflush(stdout);
  }
  ap_sim_free(sim);
  balls_free(&b);
  return 0;
}
